// tessera playground: programs, what is said about them, what is emitted for them and what they compute, in a web page.
#include "driver/Console.h"
#include "driver/Embedded.h"
#include "driver/Files.h"
#include "tools/tessera/Commands.h"
#include "tools/tessera/PlaygroundServer.h"
#include <algorithm>
#include <climits>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <sys/random.h>
#include <unistd.h>

namespace tessera::tools {
namespace {

using Json = PlaygroundAnswers::Json;

struct Options {
  std::string monaco, folder;
  std::vector<std::string> examples;
  int port = 8137;
  double seconds = 20;
};

int fail(const std::string &what, const std::string &help) {
  driver::Session session;
  session.diagnostics.report(diag::Id::badOption, {}, what).help(help);
  driver::printMessages(session, driver::MessageFormat::Text);
  return driver::exitCodeOf(session.diagnostics);
}

/// The folder of this program.
std::string ownFolder() {
  char path[PATH_MAX];
  ssize_t n = readlink("/proc/self/exe", path, sizeof path);
  return n > 0 ? driver::folderOf(std::string(path, static_cast<size_t>(n))) : ".";
}

/// Where the editor of the page is: said, installed, or in the checkout. Empty: it is not here.
std::string findMonaco(const std::string &said) {
  std::vector<std::string> places = {said};
  if (said.empty()) places = {ownFolder() + "/../share/tessera/monaco/vs", ownFolder() + "/../../../editors/playground/node_modules/monaco-editor/min/vs"};
  for (const std::string &place : places)
    if (access((place + "/loader.js").c_str(), R_OK) == 0) return place;
  return {};
}

/// 128 bits that nobody can guess, as a part of an address.
std::string newToken() {
  unsigned char bytes[16];
  if (getrandom(bytes, sizeof bytes, 0) != sizeof bytes) return {};
  std::string token;
  for (unsigned char byte : bytes) {
    char text[3];
    std::snprintf(text, sizeof text, "%02x", byte);
    token += text;
  }
  return token;
}

int serve(const Options &options, const std::string &monaco) {
  std::signal(SIGPIPE, SIG_IGN);
  sigset_t ends;
  sigemptyset(&ends);
  for (int signal : {SIGINT, SIGTERM, SIGHUP}) sigaddset(&ends, signal);
  sigprocmask(SIG_BLOCK, &ends, nullptr);  // of all threads: this one waits for them
  Limits limits;
  limits.seconds = options.seconds;
  ScratchFolder scratch(std::filesystem::temp_directory_path());
  std::string token = newToken();
  if (scratch.path().empty() || token.empty()) return fail("I cannot make a folder for the playground's programs", "set TMPDIR to a folder that may be written");
  PlaygroundServer server(PlaygroundAnswers(ownFolder(), scratch.path(), limits), monaco, token);
  auto port = server.listen(options.port);
  if (!port) return fail("I cannot listen on port " + std::to_string(options.port) + ": " + port.error(), "choose another one, or `--port 0` for one that is free");
  server.start();
  if (monaco.empty())
    std::fprintf(stderr, "note: the editor Monaco is not here, and a plain text field takes its place; `npm ci --ignore-scripts` in editors/playground fetches it\n");
  std::printf("The playground is at http://127.0.0.1:%d/#%s\nCtrl-C ends it.\n", *port, token.c_str());
  std::fflush(stdout);
  int signal = 0;
  sigwait(&ends, &signal);
  std::error_code ignored;
  std::filesystem::remove_all(scratch.path(), ignored);
  std::_Exit(0);  // the threads end with the process, and with them the programs that they run
}

// ---------------------------------------------------------------- the page with answers that were found before

/// The questions that the page asks about an example, and their answers. Keys as in page/service.js.
class Record {
public:
  explicit Record(const PlaygroundAnswers &answers) : answers_(answers) {}

  void add(const std::string &text) {
    texts_.push_back(text);
    Json checked = ask("check", {}, "");
    Json emitted;
    for (const char *target : {"cuda", "hip", "cpu"}) {
      emitted = ask("emit", {{"target", target}}, target);
      for (const char *level : {"checked", "graph", "schedule", "tile", "target"})
        ask("level", {{"target", target}, {"level", level}}, std::string(target) + " " + level);
    }
    const Json functions = emitted.value("functions", Json::array());
    for (const Json &function : functions) {
      Json dims = Json::object(), scalars = Json::object();
      for (const Json &dim : function.at("dims")) dims[dim.at("name").get<std::string>()] = dim.at("size");
      for (const Json &scalar : function.at("scalars"))
        if (scalar.at("value") != "") scalars[scalar.at("name").get<std::string>()] = scalar.at("value");
      ask("run", {{"function", function.at("name")}, {"dims", dims}, {"scalars", scalars}}, function.at("name").get<std::string>());
    }
    if (text.find("\ndef main(") != std::string::npos) ask("run", {{"function", "main"}}, "main");
    if (texts_.size() == 1) addFixed(checked, text);
  }

  std::string file() const { return Json{{"texts", texts_}, {"answers", found_}}.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n"; }

private:
  Json ask(const std::string &kind, Json question, const std::string &rest) {
    question["text"] = texts_.back();
    Json answer = answers_.answer(kind, question);
    found_[std::to_string(texts_.size() - 1) + " " + kind + (rest.empty() ? "" : " " + rest)] = answer;
    return answer;
  }

  /// The texts after each fix that is offered, so that the page can apply it.
  void addFixed(const Json &checked, const std::string &text) {
    const Json messages = checked.value("diagnostics", Json::array());
    for (const Json &message : messages)
      for (const Json &fix : message.at("fixes")) {
        size_t begin = fix.at("byteBegin"), end = fix.at("byteEnd");
        if (fix.value("file", "") == "program.tsr" && begin <= end && end <= text.size())
          add(text.substr(0, begin) + fix.at("replacement").get<std::string>() + text.substr(end));
      }
  }

  const PlaygroundAnswers &answers_;
  std::vector<std::string> texts_;
  Json found_ = Json::object();
};

/// What the page takes of Monaco: not its translations, nor the languages that nothing here is written in.
bool isOfUse(const std::string &path) {
  for (const char *part : {"loader.js", "editor/", "base/", "basic-languages/cpp/"})
    if (path.rfind(part, 0) == 0) return true;
  return false;
}

std::vector<driver::OutputFile> pageFiles(const std::string &folder, const std::string &monaco) {
  std::vector<driver::OutputFile> files;
  const std::string page = "editors/playground/page/";
  for (const driver::EmbeddedFile &file : driver::embeddedPlayground()) {
    if (file.path.rfind(page, 0) != 0) continue;
    std::string text(file.text), live = "data-answers=\"live\"";
    if (size_t at = text.find(live); file.path == page + "index.html" && at != std::string::npos) text.replace(at, live.size(), "data-answers=\"found\"");
    files.push_back({folder + "/" + std::string(file.path.substr(page.size())), text});
  }
  files.push_back({folder + "/examples.json", pageFile("examples.json", monaco)->bytes});
  for (const auto &entry : std::filesystem::recursive_directory_iterator(monaco)) {
    std::string path = std::filesystem::relative(entry.path(), monaco);
    if (entry.is_regular_file() && isOfUse(path)) files.push_back({folder + "/vs/" + path, driver::readFile(entry.path()).text});
  }
  for (const char *notice : {"LICENSE", "ThirdPartyNotices.txt"})
    for (const std::string &place : {monaco + "/../", monaco + "/../../"})
      if (driver::ReadResult read = driver::readFile(place + notice); read.problem == driver::ReadProblem::None) files.push_back({folder + "/vs/" + notice, read.text});
  return files;
}

int writeStatic(const Options &options, const std::string &monaco) {
  if (monaco.empty()) return fail("the editor Monaco is not here, and a page for others needs it", "`npm ci --ignore-scripts` in editors/playground fetches it; --monaco says where it is");
  Limits limits;
  limits.seconds = options.seconds;
  ScratchFolder scratch(std::filesystem::temp_directory_path());
  PlaygroundAnswers answers(ownFolder(), scratch.path(), limits);
  std::vector<driver::OutputFile> files = pageFiles(options.folder, monaco);
  std::vector<std::string> names;
  const Json examples = Json::parse(pageFile("examples.json", monaco)->bytes);
  for (const Json &example : examples) {
    std::string name = example.at("name");
    bool wanted = options.examples.empty() || std::find(options.examples.begin(), options.examples.end(), name) != options.examples.end();
    if (!wanted) continue;
    Record record(answers);
    record.add(example.at("text"));
    files.push_back({options.folder + "/answers/" + name + ".json", record.file()});
    names.push_back(name);
  }
  for (driver::OutputFile &file : files)
    if (driver::suffixOf(file.path) == ".html") file.mark = "Tessera";
  if (std::string foreign = driver::foreignAmong(files); !foreign.empty())
    return fail("`" + foreign + "` is there, and tessera did not write it", "choose an empty folder");
  for (const driver::OutputFile &file : files)
    if (std::string problem = driver::makeFolders(driver::folderOf(file.path)); !problem.empty()) return fail("I cannot make a folder for `" + file.path + "`: " + problem, "choose another folder");
  if (std::string problem = driver::writeFiles(files); !problem.empty()) return fail("I cannot write to `" + options.folder + "`: " + problem, driver::writingAdvice(options.folder));
  std::printf("%zu examples in %s; serve it with `python3 -m http.server -d %s`\n", names.size(), options.folder.c_str(), options.folder.c_str());
  return 0;
}

}  // namespace

void addPlayground(CLI::App &app, Chosen &chosen) {
  auto options = std::make_shared<Options>();
  CLI::App *command = app.add_subcommand("playground", "a web page, for this machine alone: write a program, see its messages, its emitted code, and run it");
  command->add_option("--port", options->port, "where it listens, on 127.0.0.1; 0 is one that is free")->check(CLI::Range(0, 65535))->capture_default_str();
  command->add_option("--seconds", options->seconds, "after which a program that runs, or the compiler, is stopped")->check(CLI::Range(0.1, 3600.0))->capture_default_str();
  command->add_option("--monaco", options->monaco, "the folder `vs` of the npm package monaco-editor, if it is not where it was installed");
  command->add_option("--static", options->folder, "write the page to this folder instead, with the answers for the examples");
  command->add_option("--example", options->examples, "only this example in --static; may be repeated")->allow_extra_args(false);
  command->footer(R"(Programs run with your rights, as `tessera run` does. The address that is printed has a key: without it, neither other
users of this machine nor pages of other sites can ask anything.
Examples:
  tessera playground
  tessera playground --static site/playground --example softmax)");
  command->callback([options, &chosen] {
    chosen = [options] {
      std::string monaco = findMonaco(options->monaco);
      if (monaco.empty() && !options->monaco.empty()) return fail("`" + options->monaco + "` has no loader.js", "name the folder min/vs of the npm package monaco-editor 0.52");
      if (!options->examples.empty() && options->folder.empty()) return fail("`--example` says what `--static` writes", "leave it out");
      return options->folder.empty() ? serve(*options, monaco) : writeStatic(*options, monaco);
    };
  });
}

}  // namespace tessera::tools
