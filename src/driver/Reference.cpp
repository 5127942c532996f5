#include "driver/Reference.h"
#include "driver/Files.h"
#include "reference/Reference.h"
#include "support/FloatFormats.h"
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>

namespace tessera::driver {
namespace {

std::string placed(const Session &session, const reference::RunError &error) {
  if (!error.span.valid()) return error.message;
  const SourceFile &file = session.sources.file(error.span.file);
  LineColumn at = file.lineColumn(error.span.begin);
  return file.path + ":" + std::to_string(at.line) + ":" + std::to_string(at.column) + ": " + error.message;
}

std::string notRunYet(const Session &session, const checked::Function &function) {
  if (function.later.empty()) return {};
  return placed(session, {function.later[0].span, function.later[0].what + " cannot be run yet"});
}

/// Empty on success, else which argument is none.
std::string inputsOf(const checked::Function &function, const BoundArguments &arguments, reference::Arguments &inputs) {
  for (size_t i = 0; i < function.params.size(); ++i) {
    if (function.params[i].isResult) continue;
    auto value = reference::fromNpy(arguments.arrays[i]);
    if (!value) return "argument `" + function.params[i].var->name + "`: " + value.error();
    inputs.push_back(std::move(*value));
  }
  return {};
}

}  // namespace

std::string traceNaN(const Session &session, const checked::Function &function, const BoundArguments &arguments, std::optional<reference::FoundNaN> &found) {
  if (std::string problem = notRunYet(session, function); !problem.empty()) return problem;
  reference::Arguments inputs;
  if (std::string problem = inputsOf(function, arguments, inputs); !problem.empty()) return problem;
  reference::Options options;
  options.traceNaN = true;
  reference::Outcome outcome = reference::run(function, std::move(inputs), options);
  if (outcome.error) return placed(session, *outcome.error);
  found = std::move(outcome.nan);
  return {};
}

std::string checkIndices(const Session &session, const checked::Function &function, const BoundArguments &arguments) {
  reference::Arguments inputs;
  if (std::string problem = inputsOf(function, arguments, inputs); !problem.empty()) return problem;
  auto outside = reference::checkIndices(function, std::move(inputs));
  return outside ? placed(session, *outside) : "";
}

std::string interpret(const Session &session, const checked::Function &function, BoundArguments &arguments, int repeats, std::vector<double> &seconds) {
  if (std::string problem = notRunYet(session, function); !problem.empty()) return problem;
  reference::Arguments inputs;
  if (std::string problem = inputsOf(function, arguments, inputs); !problem.empty()) return problem;
  for (int run = 0; run <= repeats; ++run) {
    auto start = std::chrono::steady_clock::now();
    reference::Outcome outcome = reference::run(function, inputs);
    if (outcome.error) return placed(session, *outcome.error);
    if (run > 0) {
      seconds.push_back(std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
      continue;
    }
    for (const auto &[name, value] : outcome.written)
      for (size_t i = 0; i < function.params.size(); ++i)
        if (function.params[i].var->name == name) arguments.arrays[i] = reference::toNpy(value);
    for (size_t r = 0; r < outcome.values.size(); ++r) arguments.arrays[arguments.results[r]] = reference::toNpy(outcome.values[r]);
  }
  return {};
}

std::string interpretMain(const Session &session, const checked::Function &function, std::map<std::string, std::string> arguments,
                          codegen::HostChecks checks, int &status, std::function<void(const std::string &)> print) {
  status = 0;
  if (std::string problem = notRunYet(session, function); !problem.empty()) return problem;
  reference::Options options;
  options.readFile = [](const std::string &path) -> Result<std::string> {
    ReadResult read = tessera::driver::readFile(path);
    if (read.problem != ReadProblem::None) return Failure{"I cannot read `" + path + "`: " + read.text};
    return std::move(read.text);
  };
  options.writeFile = [](const std::string &path, const std::string &bytes) { return writeFiles({{path, bytes}}); };
  options.seconds = [] { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); };
  options.arguments = std::move(arguments);
  options.traceNaN = checks.nan;
  options.checkIndices = true;  // all indices are in host memory
  options.print = print ? std::move(print) : [](const std::string &line) { std::printf("%s\n", line.c_str()); };
  reference::Outcome outcome = reference::run(function, {}, options);
  if (!options.files->waiting.empty()) options.print(options.files->waiting);  // a line without an end
  if (outcome.error && outcome.error->exitCode) return status = static_cast<int>(*outcome.error->exitCode), "";
  return outcome.error ? placed(session, *outcome.error) : "";
}

double elementOf(const NpyArray &array, size_t i) {
  const char *bytes = array.data.data() + i * static_cast<size_t>(storageBytes(array.dtype));
  return isFloat(array.dtype) ? loadFloat(array.dtype, bytes) : static_cast<double>(loadInt(array.dtype, bytes));
}

NpyArray partsOf(const NpyArray &complexes) {
  NpyArray parts{DType::F32, complexes.shape, complexes.data};
  parts.shape.push_back(2);
  return parts;
}

Difference differenceOf(const NpyArray &got, const NpyArray &reference) {
  if (reference.dtype == DType::Complex64) return differenceOf(partsOf(got), partsOf(reference));
  size_t count = reference::elementCount(reference.shape);
  double largest = 0, apart = 0;
  for (size_t i = 0; i < count; ++i) {
    double a = elementOf(got, i), b = elementOf(reference, i);
    if (a == b || (std::isnan(a) && std::isnan(b))) continue;
    apart = std::isnan(a - b) ? HUGE_VAL : std::max(apart, std::fabs(a - b));
  }
  for (size_t i = 0; i < count; ++i)
    if (double b = std::fabs(elementOf(reference, i)); std::isfinite(b)) largest = std::max(largest, b);
  Difference difference;
  difference.relative = apart == 0 ? 0 : apart / (largest > 0 ? largest : 1);
  double step = isFloat(reference.dtype) ? std::ldexp(1.0, -floatFormat(reference.dtype).mantissaBits) : 0;
  difference.acceptable = difference.relative <= (info(reference.dtype).bits >= 32 ? 256 : 2) * step;
  return difference;
}

}  // namespace tessera::driver
