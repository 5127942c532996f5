// tessera run --runs FILE: many calls of one program, which is read, checked and compiled once.
#include "driver/Build.h"
#include "driver/CommandLine.h"
#include "driver/Console.h"
#include "driver/Files.h"
#include "tools/tessera/Call.h"
#include <algorithm>
#include <cstdio>
#include <map>

namespace tessera::tools {
namespace {

using driver::Session;
using Json = nlohmann::ordered_json;

/// One line of the file.
struct Run {
  Span span;
  uint32_t line = 0;
  CallOptions call;
  const checked::Function *function = nullptr;
};

/// The words of a line: blanks part them, and within `"` stand for themselves. Empty on success, else what is wrong.
std::string wordsOf(std::string_view line, std::vector<std::string> &words) {
  bool inWord = false, quoted = false;
  for (char c : line) {
    const bool blank = !quoted && (c == ' ' || c == '\t' || c == '\r');
    if (blank) {
      inWord = false;
      continue;
    }
    if (!inWord) words.emplace_back();
    inWord = true;
    if (c == '"') quoted = !quoted;
    else words.back() += c;
  }
  return quoted ? "a `\"` is opened in this line and not closed" : "";
}

/// What a line asks for. False after a message at the line.
bool readRun(Session &session, const checked::Program &program, Run &run) {
  auto wrong = [&](const std::string &what, std::string help) {
    session.diagnostics.report(diag::Id::badOption, run.span, what).help(std::move(help));
    return false;
  };
  std::vector<std::string> words;
  std::string problem = wordsOf(session.sources.text(run.span), words);
  CLI::App line;
  line.set_help_flag();
  addCallOptions(line, run.call);
  if (problem.empty()) problem = driver::readWords(line, std::move(words));
  fillRank(run.call);
  if (!problem.empty()) return wrong(problem, "a line is a function and options of its call, such as `softmax --random R=3,C=1000 --check`");
  const size_t said = session.diagnostics.all().size();
  run.function = chooseFunction(session, program, run.call.function);
  if (!run.function) {
    std::vector<diag::Diagnostic> all = session.diagnostics.all();
    for (size_t i = said; i < all.size(); ++i) all[i].span = run.span;
    session.diagnostics.replace(std::move(all));
    return false;
  }
  if (run.function->kind == checked::FunctionKind::Host)
    return wrong("`" + run.function->name + "` is a program of its own: it is none of several runs", "run it without --runs, or name a kernel or a tensor function");
  return true;
}

/// The runs of a file; nothing after a message.
std::vector<Run> readRuns(Session &session, const checked::Program &program, const std::string &path, const CallOptions &defaults) {
  driver::ReadResult read = driver::readFile(path, driver::kMaxSourceBytes);
  if (read.problem != driver::ReadProblem::None) {
    driver::reportUnreadable(session.diagnostics, path, read);
    return {};
  }
  const FileId file = session.sources.add(path, std::move(read.text));
  const SourceFile &source = session.sources.file(file);
  std::vector<Run> runs;
  std::map<std::string, uint32_t> outputs;  // and the line that writes them
  for (uint32_t line = 1; line <= source.lineCount(); ++line) {
    const std::string_view text = source.lineText(line);
    const size_t first = text.find_first_not_of(" \t\r"), last = text.find_last_not_of(" \t\r");
    if (first == std::string_view::npos || text[first] == '#') continue;
    const uint32_t start = source.lineStart(line);
    Run run{{file, start + static_cast<uint32_t>(first), start + static_cast<uint32_t>(last) + 1}, line, defaults};
    if (!readRun(session, program, run)) continue;
    const auto [place, isNew] = outputs.emplace(run.call.out, line);
    if (!run.call.out.empty() && !isNew)
      session.diagnostics.report(diag::Id::badOption, run.span, "`" + run.call.out + "` is written by line " + std::to_string(place->second) + ", too")
          .help("give each run its own --out");
    runs.push_back(std::move(run));
  }
  if (runs.empty() && !session.diagnostics.hasErrors())
    session.diagnostics.report(diag::Id::badOption, {}, "`" + path + "` asks for no run")
        .help("a line is a function and options of its call, such as `softmax --random R=3,C=1000 --check`");
  return session.diagnostics.hasErrors() ? std::vector<Run>() : runs;
}

/// What was said since, taken out of the session: at the run's line, or with a note that it is about that.
diag::Engine messagesOf(Session &session, size_t said, const Run &run) {
  diag::Engine messages;
  for (size_t i = said; i < session.diagnostics.all().size(); ++i) {
    diag::Diagnostic message = session.diagnostics.all()[i];
    if (message.span.valid()) message.notes.push_back({run.span, "for this run"});
    else message.span = run.span;
    messages.append(std::move(message));
  }
  session.diagnostics.truncate(said);
  return messages;
}

/// Runs one line and prints what came of it. The exit code.
int runLine(Session &session, const Run &run, Compiled &compiled, const driver::TargetSpec &target, bool json) {
  const std::string text(session.sources.text(run.span));
  if (!json) std::printf("line %u: %s\n", run.line, text.c_str());
  std::fflush(stdout);  // where a run brings down the process, the last line says which it was
  const size_t said = session.diagnostics.all().size();
  Json results;
  const int code = callFunction(session, *run.function, compiled, target, run.call, json ? &results : nullptr);
  const diag::Engine messages = messagesOf(session, said, run);
  std::fflush(stdout);
  if (!json) {
    for (const diag::Diagnostic &message : messages.all()) std::fputs(diag::renderText(message, session.sources, driver::terminalStyle()).c_str(), stderr);
    return code;
  }
  Json out{{"line", run.line}, {"run", text}, {"passed", code == driver::kSuccess}};
  if (!results.is_null()) out.update(results);
  if (!messages.all().empty()) out.update(Json::parse(diag::renderJson(messages, session.sources)));
  std::printf("%s\n", out.dump().c_str());
  return code;
}

std::vector<std::string> functionsOf(const std::vector<Run> &runs) {
  std::vector<std::string> functions;
  for (const Run &run : runs)
    if (std::find(functions.begin(), functions.end(), run.function->name) == functions.end()) functions.push_back(run.function->name);
  return functions;
}

}  // namespace

bool compileEachLine(Session &session, const checked::Program &program, const std::string &path, const driver::TargetSpec &target, const CallOptions &defaults) {
  const std::vector<Run> runs = readRuns(session, program, path, defaults);
  if (runs.empty() || target.reference) return !runs.empty();
  const size_t said = session.diagnostics.all().size();
  if (!driver::buildProduct(session, target, functionsOf(runs), true).empty()) return true;
  session.diagnostics.truncate(said);  // each run says why its function is not compiled
  return true;
}

int runEachLine(Session &session, const checked::Program &program, const std::string &path, const driver::TargetSpec &target, const CallOptions &defaults,
                bool json) {
  const std::vector<Run> runs = readRuns(session, program, path, defaults);
  if (runs.empty()) return driver::exitCodeOf(session.diagnostics);
  Compiled compiled(session, target);
  if (!compiled.together(functionsOf(runs))) return driver::kProgramHasErrors;
  size_t failed = 0;
  for (const Run &run : runs) failed += runLine(session, run, compiled, target, json) != driver::kSuccess;
  if (!json) std::printf("%zu passed, %zu failed\n", runs.size() - failed, failed);
  return failed ? driver::kProgramHasErrors : driver::kSuccess;
}

}  // namespace tessera::tools
