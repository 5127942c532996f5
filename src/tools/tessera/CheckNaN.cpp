#include "tools/tessera/CheckNaN.h"
#include "driver/CommandLine.h"
#include "driver/Console.h"
#include "driver/Files.h"
#include "driver/Process.h"
#include "reference/Value.h"
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <unistd.h>

namespace tessera::tools {

using driver::Session;

namespace {

constexpr const char *kFolderVariable = "TESSERA_NAN_FOLDER";  // as include/tessera/host/nan_check.h reads it

/// The call that a program kept in a folder: its function, what is to be said of it, and its arguments.
struct KeptCall {
  const checked::Function *function = nullptr;
  std::string text;
  driver::BoundArguments arguments;
};

Result<KeptCall> keptCall(const checked::Program &program, const std::string &folder) {
  driver::ReadResult read = driver::readFile(folder + "/call");
  if (read.problem != driver::ReadProblem::None) return Failure{read.text};
  const size_t end = read.text.find('\n');
  KeptCall call;
  call.function = program.find(read.text.substr(0, end));
  if (!call.function || end == std::string::npos) return Failure{"it names no function of the program"};
  call.text = read.text.substr(end + 1, read.text.size() - end - 2);
  std::map<std::string, NpyArray> named;
  for (const checked::Param &param : call.function->params) {
    if (param.isResult) continue;
    driver::ReadResult file = driver::readFile(folder + "/" + param.var->name + ".npy");
    if (file.problem != driver::ReadProblem::None) return Failure{file.text};
    auto array = parseNpy(file.text, driver::dtypeOf(param));
    if (!array) return Failure{"`" + param.var->name + "`: " + array.error()};
    named.emplace(param.var->name, std::move(*array));
  }
  auto bound = driver::bindArguments(*call.function, std::move(named));
  if (!bound) return Failure{bound.error()};
  call.arguments = std::move(*bound);
  return call;
}

}  // namespace

const std::string *resultWithNaN(const driver::BoundArguments &bound) {
  for (size_t r = 0; r < bound.results.size(); ++r) {
    const NpyArray &whole = bound.arrays[bound.results[r]];
    const NpyArray array = whole.dtype == DType::Complex64 ? driver::partsOf(whole) : whole;
    const size_t count = isFloat(array.dtype) ? reference::elementCount(array.shape) : 0;
    for (size_t i = 0; i < count; ++i)
      if (std::isnan(driver::elementOf(array, i))) return &bound.resultNames[r];
  }
  return nullptr;
}

void reportNaN(Session &session, const checked::Function &function, const driver::BoundArguments &arguments, const std::string &call) {
  std::optional<reference::FoundNaN> found;
  if (isatty(2)) std::fprintf(stderr, "%s\nlooking for the operation with the interpreter, which is slow ...\n", call.c_str());
  std::string problem = driver::traceNaN(session, function, arguments, found);
  if (!problem.empty() || !found) {
    session.diagnostics.report(diag::Id::madeNaN, function.span, function.name, "made a NaN: " + (problem.empty() ? "the interpreter makes none of the same arguments" : problem))
        .help(call)
        .help("the interpreter adds up in f64: where it makes none, a sum of many numbers has overflowed");
    return;
  }
  auto message = session.diagnostics.report(diag::Id::madeNaN, found->span.valid() ? found->span : function.span, function.name, reference::aboutNaN(found->span, found->what));
  message.help(call);
  if (found->infinitySpan.valid()) message.note(found->infinitySpan, "the infinity was made here: " + found->infinity);
  else if (!found->infinity.empty()) message.help("the infinity comes from " + found->infinity);
}

int runToFirstNaN(Session &session, const checked::Program &program, const std::string &path, const std::vector<std::string> &words) {
  std::error_code error;
  std::string folder = (std::filesystem::temp_directory_path(error) / "tessera-nan-XXXXXX").string();
  if (error || !mkdtemp(folder.data())) {
    session.diagnostics.report(diag::Id::cannotWriteFile, {}, folder, error ? error.message() : "it could not be made").help("let TMPDIR name a folder that can be written to");
    return driver::kProgramHasErrors;
  }
  setenv(kFolderVariable, folder.c_str(), 1);
  std::vector<std::string> command = {path};
  command.insert(command.end(), words.begin(), words.end());
  const int code = driver::runInForeground(command);
  if (code != 0 && std::filesystem::exists(folder + "/call", error)) {
    auto call = keptCall(program, folder);
    if (call) reportNaN(session, *call->function, call->arguments, call->text);
    else session.diagnostics.report(diag::Id::runFailed, {}, path, "what it kept of the call that made a NaN cannot be read: " + call.error());
  }
  std::filesystem::remove_all(folder, error);
  return code;
}

}  // namespace tessera::tools
