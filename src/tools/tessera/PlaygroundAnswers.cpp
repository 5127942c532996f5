#include "tools/tessera/PlaygroundAnswers.h"
#include "driver/Files.h"
#include "driver/Reference.h"
#include <cmath>
#include <filesystem>
#include <limits>
#include <set>
#include <sstream>

namespace tessera::tools {
namespace {

using Json = PlaygroundAnswers::Json;

Json failure(const std::string &sentence) { return {{"failure", sentence}}; }

/// What a program printed as JSON, or why there is none.
Json readOutput(const Finished &done, const Limits &limits) {
  if (done.timedOut) return failure("it was stopped after " + std::to_string(static_cast<int>(limits.seconds)) + " seconds");
  Json out = Json::parse(done.output, nullptr, false);
  if (out.is_object() && !done.cut) return out;
  std::string said = done.errors.substr(0, 4000);
  if (done.cut) return failure("it printed more than the playground shows");
  return failure(said.empty() ? "it ended with code " + std::to_string(done.exitCode) + " and said nothing" : said);
}

/// A word of a question that becomes a word of a command: a name, or a number.
bool isWord(const std::string &text) {
  if (text.empty() || text.size() > 200 || text[0] == '-') return false;
  for (unsigned char c : text)
    if (!(std::isalnum(c) || c == '_' || c == '.' || c == ':' || c == '+' || c == '-' || c >= 0x80)) return false;
  return true;
}
bool isNumber(const std::string &text) { return isWord(text) || (text.size() > 1 && text[0] == '-' && isWord(text.substr(1))); }

std::string wordOf(const Json &question, const char *key, const std::string &otherwise = {}) {
  auto it = question.find(key);
  std::string text = it != question.end() && it->is_string() ? it->get<std::string>() : "";
  return isWord(text) ? text : otherwise;
}

/// The sizes and arguments of the lines `# run: saxpy n=0,1,1009 alpha:2.5` of a program, the last of each list.
std::map<std::string, std::map<std::string, std::string>> suggestedRuns(const std::string &text) {
  std::map<std::string, std::map<std::string, std::string>> runs;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (line.rfind("# run: ", 0) != 0) continue;
    std::istringstream words(line.substr(7));
    std::string function, word;
    words >> function;
    while (words >> word) {
      size_t sign = word.find_first_of("=:");
      if (sign == std::string::npos) continue;
      runs[function][word.substr(0, sign)] = word.substr(std::max(sign, word.rfind(',') == std::string::npos ? sign : word.rfind(',')) + 1);
    }
  }
  return runs;
}

/// The functions that can be run, with sizes and numbers to begin with.
Json functionsOf(const Json &manifest, const std::string &text) {
  auto runs = suggestedRuns(text);
  Json out = Json::array();
  for (const Json &entry : manifest.at("entries")) {
    const auto &suggested = runs[entry.value("name", "")];
    auto given = [&](const std::string &name, const char *otherwise) { return suggested.count(name) ? suggested.at(name) : otherwise; };
    Json dims = Json::array(), scalars = Json::array();
    for (const Json &dim : entry.at("dims")) dims.push_back({{"name", dim}, {"size", given(dim.get<std::string>(), "16")}});
    for (const Json &parameter : entry.at("parameters"))
      if (parameter.value("kind", "") == "scalar" && parameter.value("mode", "") == "in")
        scalars.push_back({{"name", parameter.at("name")}, {"dtype", parameter.value("dtype", "")}, {"value", given(parameter.at("name").get<std::string>(), "")}});
    out.push_back({{"name", entry.at("name")}, {"signature", entry.value("signature", "")}, {"dims", dims}, {"scalars", scalars}});
  }
  return out;
}

const std::set<std::string> kMethods = {
    "textDocument/hover", "textDocument/completion", "textDocument/signatureHelp", "textDocument/inlayHint", "textDocument/definition",
    "textDocument/references", "textDocument/rename", "textDocument/formatting", "textDocument/codeAction"};

std::string framed(const Json &message) {
  std::string body = message.dump();
  return "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body;
}

/// The reply with this number among the messages of a language server.
Json replyIn(const std::string &stream, int id) {
  constexpr std::string_view head = "Content-Length: ";
  for (size_t at = 0; (at = stream.find(head, at)) != std::string::npos;) {
    size_t body = stream.find("\r\n\r\n", at), length = std::strtoull(stream.c_str() + at + head.size(), nullptr, 10);
    if (body == std::string::npos || stream.size() - body - 4 < length) break;
    Json message = Json::parse(stream.substr(body + 4, length), nullptr, false);
    at = body + 4 + length;
    if (message.is_object() && message.value("id", Json()) == id) return message;
  }
  return failure("the language server said nothing");
}

/// NaN and infinities are no numbers of JSON.
Json numberOf(double value) {
  if (std::isfinite(value)) return value;
  return std::isnan(value) ? "nan" : value > 0 ? "inf" : "-inf";
}

}  // namespace

Json plotOf(const std::string &name, const std::string &dtype, const std::string &npy) {
  constexpr int64_t kMostRows = 128, kMostColumns = 256, kMostPoints = 2048;
  auto parsed = parseNpy(npy, dtypeByName(dtype));
  if (!parsed) return failure(parsed.error());
  const NpyArray &array = *parsed;
  int64_t rank = static_cast<int64_t>(array.shape.size()), columns = rank ? array.shape.back() : 1, rows = 1;
  for (int64_t i = 0; i + 1 < rank; ++i) rows *= array.shape[static_cast<size_t>(i)];
  int64_t rowStep = (rows + kMostRows - 1) / kMostRows, columnStep = rank == 1 ? (columns + kMostPoints - 1) / kMostPoints : (columns + kMostColumns - 1) / kMostColumns;
  double least = std::numeric_limits<double>::infinity(), most = -least, sum = 0;
  int64_t finite = 0;
  Json values = Json::array();
  for (int64_t r = 0; r < rows; ++r)
    for (int64_t c = 0; c < columns; ++c) {
      double value = driver::elementOf(array, static_cast<size_t>(r * columns + c));
      if (std::isfinite(value)) least = std::min(least, value), most = std::max(most, value), sum += value, ++finite;
      if (r % rowStep == 0 && c % columnStep == 0) values.push_back(numberOf(value));
    }
  Json out{{"name", name}, {"dtype", dtype}, {"shape", array.shape}, {"rows", rowStep ? (rows + rowStep - 1) / rowStep : 0},
           {"columns", columnStep ? (columns + columnStep - 1) / columnStep : 0}, {"rowStep", rowStep}, {"columnStep", columnStep}, {"values", values},
           {"notFinite", rows * columns - finite}};
  if (finite) out["least"] = least, out["most"] = most, out["mean"] = sum / static_cast<double>(finite);
  return out;
}

Finished PlaygroundAnswers::tool(const std::string &name, std::vector<std::string> words, const std::string &folder, const std::string &input) const {
  words.insert(words.begin(), programs_ + "/" + name);
  return runLimited(words, folder, input, limits_);
}

Json PlaygroundAnswers::answer(const std::string &kind, const Json &question) const {
  auto text = question.find("text");
  if (text == question.end() || !text->is_string()) return failure("the question has no program");
  if (text->get_ref<const std::string &>().size() > kMaxProgramBytes)
    return failure("the playground takes programs of up to " + std::to_string(kMaxProgramBytes >> 10) + " KiB");
  ScratchFolder folder(scratch_);
  if (folder.path().empty()) return failure("no folder could be made for it");
  if (std::string problem = driver::writeFiles({{folder.path() + "/program.tsr", text->get<std::string>()}}); !problem.empty()) return failure(problem);
  if (kind == "check") return check(question, folder.path());
  if (kind == "emit") return emit(question, folder.path());
  if (kind == "level") return level(question, folder.path());
  if (kind == "run") return run(question, folder.path());
  if (kind == "ask") return ask(question, folder.path());
  return failure("there is no such question");
}

Json PlaygroundAnswers::check(const Json &, const std::string &folder) const {
  Json out = readOutput(tool("tessera", {"check", "program.tsr", "--json", "--no-cache"}, folder), limits_);
  out.erase("summary");
  return out;
}

Json PlaygroundAnswers::emit(const Json &question, const std::string &folder) const {
  std::string target = wordOf(question, "target", "cuda"), family = target.substr(0, target.find(':'));
  std::string output = "emitted/program" + std::string(family == "cpu" ? ".cpp" : family == "hip" ? ".hip" : ".cu");
  if (std::string problem = driver::makeFolders(folder + "/emitted"); !problem.empty()) return failure(problem);
  Json out = readOutput(tool("tesserac", {"program.tsr", "--json", "--target", target, "-o", output}, folder), limits_);
  driver::ReadResult source = driver::readFile(folder + "/" + output), map = driver::readFile(folder + "/emitted/program.lines.json"),
                     manifest = driver::readFile(folder + "/emitted/program.json");
  if (source.problem != driver::ReadProblem::None || map.problem != driver::ReadProblem::None) return out;
  out["source"] = source.text;
  Json pairs = Json::array();  // lines of the source and of the program, from 1
  const Json rows = Json::parse(map.text);
  for (const Json &row : rows.at("lines"))
    if (row.at("program") == "program.tsr") pairs.push_back({row.at("line"), row.at("program_line")});
  out["lines"] = pairs;
  out["functions"] = functionsOf(Json::parse(manifest.text), question.at("text").get<std::string>());
  return out;
}

Json PlaygroundAnswers::level(const Json &question, const std::string &folder) const {
  std::string level = wordOf(question, "level", "tile"), function = wordOf(question, "function");
  std::vector<std::string> words = {"inspect", "program.tsr", "--levels", level, "--target", wordOf(question, "target", "cuda"), "--json"};
  if (!function.empty()) words.insert(words.begin() + 2, function);
  Json out = readOutput(tool("tessera", words, folder), limits_);
  return out.contains(level) ? Json{{"source", out[level]}} : out;
}

Json PlaygroundAnswers::runMain(const std::string &folder) const {
  Finished done = tool("tessera", {"run", "program.tsr", "main"}, folder);
  if (done.timedOut) return failure("it was stopped after " + std::to_string(static_cast<int>(limits_.seconds)) + " seconds");
  return {{"output", done.output}, {"errors", done.errors}, {"exitCode", done.exitCode}, {"cut", done.cut}};
}

Json PlaygroundAnswers::run(const Json &question, const std::string &folder) const {
  std::string function = wordOf(question, "function");
  if (function.empty()) return failure("no function was named");
  if (function == "main") return runMain(folder);
  std::vector<std::string> words = {"run", "program.tsr", function, "--json", "--out", "results/", "--time", "--repeats", "5"};
  std::string sizes;
  const Json dims = question.value("dims", Json::object()), scalars = question.value("scalars", Json::object());
  for (const auto &[name, size] : dims.items()) {
    if (!isWord(name) || !size.is_string() || !isNumber(size.get<std::string>())) return failure("the size of `" + name + "` is no number");
    sizes += (sizes.empty() ? "" : ",") + name + "=" + size.get<std::string>();
  }
  words.insert(words.end(), {"--random", sizes, "--seed", std::to_string(question.value("seed", 0u))});
  for (const auto &[name, value] : scalars.items()) {
    if (!isWord(name) || !value.is_string() || !isNumber(value.get<std::string>())) return failure("`" + name + "` is no number");
    words.insert(words.end(), {"--arg", name + "=" + value.get<std::string>()});
  }
  Json out = readOutput(tool("tessera", words, folder), limits_);
  if (!out.contains("results")) return out;
  size_t index = 0;
  for (Json &result : out["results"]) {
    std::string file = folder + "/results/result_" + std::to_string(index++) + ".npy";
    result = plotOf(result.value("name", ""), result.value("dtype", ""), driver::readFile(file).text);
  }
  return out;
}

/// One question to the language server about this text: it is started, asked and ended; that takes a few milliseconds.
Json PlaygroundAnswers::ask(const Json &question, const std::string &folder) const {
  std::string method = question.value("method", "");
  if (!kMethods.count(method)) return failure("the playground does not ask the language server that");
  const std::string uri = "file://" + folder + "/program.tsr";
  Json params = question.value("params", Json::object());
  params["textDocument"] = {{"uri", uri}};
  std::string input = framed({{"jsonrpc", "2.0"}, {"id", 1}, {"method", "initialize"}, {"params", {{"capabilities", Json::object()}}}}) +
                      framed({{"jsonrpc", "2.0"}, {"method", "initialized"}, {"params", Json::object()}}) +
                      framed({{"jsonrpc", "2.0"}, {"method", "textDocument/didOpen"},
                              {"params", {{"textDocument", {{"uri", uri}, {"languageId", "tessera"}, {"version", 1}, {"text", question.at("text")}}}}}}) +
                      framed({{"jsonrpc", "2.0"}, {"id", 2}, {"method", method}, {"params", params}}) +
                      framed({{"jsonrpc", "2.0"}, {"id", 3}, {"method", "shutdown"}}) + framed({{"jsonrpc", "2.0"}, {"method", "exit"}});
  Finished done = tool("tessera", {"lsp"}, folder, input);
  Json reply = replyIn(done.output, 2);
  std::string text = (reply.contains("result") ? Json{{"result", reply["result"]}} : failure("the language server refused it")).dump();
  for (size_t at; (at = text.find(uri)) != std::string::npos;) text.replace(at, uri.size(), "program");
  return Json::parse(text);
}

}  // namespace tessera::tools
