#include "tools/tessera/Call.h"
#include "driver/Arguments.h"
#include "driver/CommandLine.h"
#include "driver/Console.h"
#include "driver/Files.h"
#include "driver/Launch.h"
#include "driver/Reference.h"
#include "reference/Value.h"
#include "support/FloatFormats.h"
#include "tools/tessera/ArrayText.h"
#include "tools/tessera/CheckNaN.h"
#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstdio>
#include <set>

namespace tessera::tools {

using driver::Session;
using Json = nlohmann::ordered_json;

bool refuseOption(Session &session, std::string what, std::string help) {
  session.diagnostics.report(diag::Id::badOption, {}, what).help(std::move(help));
  return false;
}

namespace {

std::string entryNames(const checked::Program &program) {
  std::string names;
  for (const auto &function : program.functions) names += (names.empty() ? "`" : ", `") + function->name + "`";
  return names.empty() ? "it has none" : "it has " + names;
}

/// "n=1000,m=7" as dimension values.
bool parseDims(Session &session, const std::string &text, std::map<std::string, int64_t> &dims) {
  for (size_t at = 0; at < text.size();) {
    size_t comma = std::min(text.find(',', at), text.size()), equals = text.find('=', at);
    std::string number = equals < comma ? text.substr(equals + 1, comma - equals - 1) : "";
    char *end = nullptr;
    errno = 0;
    long long value = std::strtoll(number.c_str(), &end, 10);
    if (number.empty() || *end || errno || value < 0)
      return refuseOption(session, "`--random " + text + "` is not of the form n=1000,m=64", "give each dimension a size that is not negative");
    if (!dims.emplace(text.substr(at, equals - at), value).second)
      return refuseOption(session, "`--random " + text + "` gives `" + text.substr(at, equals - at) + "` twice", "give each dimension one size");
    at = comma + 1;
  }
  return true;
}

/// All arguments of the call: random ones first, then those given by name.
bool gather(Session &session, const checked::Function &function, const CallOptions &options, driver::BoundArguments &bound) {
  std::map<std::string, int64_t> dims;
  std::map<std::string, NpyArray> named;
  if (options.randomGiven) {
    if (!parseDims(session, options.random, dims)) return false;
    for (const auto &[dim, value] : dims)
      if (std::find(function.dims.begin(), function.dims.end(), dim) == function.dims.end()) {
        std::string known;
        for (const std::string &name : function.dims) known += (known.empty() ? "" : ", ") + name;
        return refuseOption(session, "`" + function.name + "` has no dimension `" + dim + "`", known.empty() ? "it has none" : "it has " + known);
      }
    auto random = driver::randomArguments(function, dims, options.seed);
    if (!random) return refuseOption(session, random.error(), "all dimensions of the signature need a size");
    named = std::move(*random);
  }
  std::set<std::string> given;
  for (const std::string &text : options.arguments) {
    size_t equals = text.find('=');
    std::string key = text.substr(0, equals);
    if (!given.insert(key).second) {
      session.diagnostics.report(diag::Id::badArgument, {}, key, "it is given twice").help("give each parameter one --arg");
      return false;
    }
    auto it = std::find_if(function.params.begin(), function.params.end(), [&](const checked::Param &p) { return !p.isResult && p.var->name == key; });
    auto parts = equals == std::string::npos ? std::nullopt : driver::readStructArgument(function, key, text.substr(equals + 1));
    if (parts && !*parts) {
      session.diagnostics.report(diag::Id::badArgument, {}, key, parts->error()).help("the signature is " + function.signature);
      return false;
    }
    if (parts) {
      for (auto &[name, array] : **parts) named.insert_or_assign(name, std::move(array));
      continue;
    }
    if (equals == std::string::npos || it == function.params.end()) {
      session.diagnostics.report(diag::Id::badArgument, {}, key, equals == std::string::npos ? "I expected name=value" : "`" + function.name + "` has no such parameter")
          .help("the signature is " + function.signature);
      return false;
    }
    auto value = driver::readArgument(*it, text.substr(equals + 1), options.cast);
    if (!value) {
      session.diagnostics.report(diag::Id::badArgument, {}, key, value.error()).help("the parameter is `" + key + ": " + driver::describe(*it) + "`");
      return false;
    }
    named.insert_or_assign(key, std::move(*value));
  }
  auto result = driver::bindArguments(function, std::move(named), dims);
  if (!result) {
    session.diagnostics.report(diag::Id::runFailed, {}, function.name, result.error()).help("give tensors with --arg x=x.npy, or let --random make them");
    return false;
  }
  bound = std::move(*result);
  return true;
}

bool writeResults(Session &session, const checked::Function &function, const driver::BoundArguments &bound, const CallOptions &options) {
  const std::string &out = options.out;
  constexpr std::string_view mark = "\x93NUMPY";
  std::vector<driver::OutputFile> files;
  if (bound.results.size() == 1 && out.back() != '/') {
    files.push_back({out, writeNpy(bound.arrays[bound.results[0]]), mark});
  } else {
    std::string folder = out.back() == '/' ? out : out + "/";
    if (std::string problem = driver::makeFolders(folder); !problem.empty()) {
      session.diagnostics.report(diag::Id::cannotWriteFile, {}, folder, problem).help("choose another folder");
      return false;
    }
    for (size_t i = 0; i < bound.results.size(); ++i)
      files.push_back({folder + "result_" + std::to_string(i) + ".npy", writeNpy(bound.arrays[bound.results[i]]), mark});
  }
  for (const driver::OutputFile &file : options.force ? std::vector<driver::OutputFile>() : files)
    for (const std::string &argument : options.arguments)
      if (driver::isSameFile(file.path, argument.substr(argument.find('=') + 1))) {
        session.diagnostics.report(diag::Id::outputIsInput, {}, file.path).help("give another name to --out, or let `--force` replace it");
        return false;
      }
  if (std::string foreign = options.force ? "" : driver::foreignAmong(files); !foreign.empty()) {
    session.diagnostics.report(diag::Id::cannotWriteFile, {}, foreign, "it is there, and tessera did not write it").help("give another name to --out, or let `--force` replace it");
    return false;
  }
  std::string problem = driver::writeFiles(files);
  if (!problem.empty()) session.diagnostics.report(diag::Id::cannotWriteFile, {}, out, problem).help(driver::writingAdvice(out));
  return problem.empty();
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  size_t n = values.size();
  return n == 0 ? 0 : n % 2 ? values[n / 2] : (values[n / 2 - 1] + values[n / 2]) / 2;
}

constexpr size_t kMostJsonValues = 1u << 16;  // of one result; more belongs into a file (--out)

/// The elements of an array as nested lists; what is no number of JSON is a word.
Json valuesOf(const NpyArray &array, size_t axis = 0, size_t offset = 0) {
  if (array.dtype == DType::Complex64) return valuesOf(driver::partsOf(array));
  if (axis == array.shape.size()) {
    double value = driver::elementOf(array, offset);
    if (array.dtype == DType::Bool) return value != 0;
    if (!isFloat(array.dtype)) return loadInt(array.dtype, array.data.data() + offset * static_cast<size_t>(storageBytes(array.dtype)));
    return std::isfinite(value) ? Json(value) : Json(std::isnan(value) ? "nan" : value > 0 ? "inf" : "-inf");
  }
  Json out = Json::array();
  for (int64_t i = 0; i < array.shape[axis]; ++i) out.push_back(valuesOf(array, axis + 1, offset * static_cast<size_t>(array.shape[axis]) + static_cast<size_t>(i)));
  return out;
}

/// How a result compares with the reference interpreter's.
struct Compared {
  std::string name;
  driver::Difference difference;
};

Json jsonOf(const checked::Function &function, const driver::BoundArguments &bound, const std::string &target, const std::vector<double> &seconds,
            const std::vector<Compared> &compared) {
  Json out{{"function", function.name}, {"target", target}};
  for (size_t i = 0; i < bound.results.size(); ++i) {
    const NpyArray &array = bound.arrays[bound.results[i]];
    out["results"].push_back({{"name", bound.resultNames[i]}, {"dtype", std::string(name(array.dtype))}, {"shape", array.shape}});
    if (reference::elementCount(array.shape) <= kMostJsonValues) out["results"].back()["values"] = valuesOf(array);
  }
  for (const auto &[name, difference] : compared)
    out["check"].push_back({{"name", name}, {"relative", std::isfinite(difference.relative) ? Json(difference.relative) : Json("inf")}, {"acceptable", difference.acceptable}});
  if (!seconds.empty()) out["seconds"] = median(seconds), out["bytesPerSecond"] = static_cast<double>(bound.bytesMoved) / median(seconds), out["runs"] = seconds.size();
  return out;
}

void print(const driver::BoundArguments &bound, const std::vector<double> &seconds, const std::vector<Compared> &compared) {
  for (size_t i = 0; i < bound.results.size(); ++i) {
    const NpyArray &array = bound.arrays[bound.results[i]];
    std::printf("%s: %s%s%s%s\n", bound.resultNames[i].c_str(), std::string(name(array.dtype)).c_str(), reference::shapeText(array.shape).c_str(),
                array.shape.empty() ? " = " : "\n", arrayText(array).c_str());
  }
  if (!seconds.empty())
    std::printf("median of %zu runs: %.3f ms, %.2f GB/s\n", seconds.size(), median(seconds) * 1e3, static_cast<double>(bound.bytesMoved) / median(seconds) * 1e-9);
  for (const auto &[name, difference] : compared)
    std::printf("%s: largest difference from the reference %.2g of the largest element%s\n", name.c_str(), difference.relative,
                difference.acceptable ? "" : ": TOO MUCH");
}

/// Interprets the same call: how far the results are apart, relative to the largest element. Nothing after an error.
std::optional<std::vector<Compared>> compareWithReference(Session &session, const checked::Function &function, const driver::BoundArguments &bound,
                                                          driver::BoundArguments &reference) {
  std::vector<double> seconds;
  std::string problem = driver::interpret(session, function, reference, 0, seconds);
  if (!problem.empty()) {
    session.diagnostics.report(diag::Id::runFailed, {}, function.name, "the reference interpreter refused the call: " + problem).help("run without --check");
    return std::nullopt;
  }
  std::vector<Compared> compared;
  for (size_t r = 0; r < bound.results.size(); ++r)
    compared.push_back({bound.resultNames[r], driver::differenceOf(bound.arrays[bound.results[r]], reference.arrays[reference.results[r]])});
  return compared;
}

}  // namespace

const checked::Function *chooseFunction(Session &session, const checked::Program &program, const std::string &name) {
  if (name.empty()) {
    if (const checked::Function *main = program.find("main")) return main;
    if (program.functions.size() == 1) return program.functions[0].get();
    refuseOption(session, "which function shall run?", "name one behind the program: " + entryNames(program));
    return nullptr;
  }
  const checked::Function *function = program.find(name);
  if (!function) session.diagnostics.report(diag::Id::noSuchFunction, {}, session.path(), name).help(entryNames(program));
  return function;
}

int callFunction(Session &session, const checked::Function &function, Compiled &compiled, const driver::TargetSpec &target, const CallOptions &options,
                 Json *json) {
  driver::BoundArguments bound, reference;
  if (!gather(session, function, options, bound)) return driver::exitCodeOf(session.diagnostics);
  if (options.check || options.checks.nan) reference = bound;
  if (std::string outside = options.checks.bounds ? driver::checkIndices(session, function, bound) : ""; !outside.empty()) {
    session.diagnostics.report(diag::Id::runFailed, {}, function.name, outside);
    return driver::kProgramHasErrors;
  }
  std::vector<double> seconds;
  std::string problem;
  if (target.reference) {
    problem = driver::interpret(session, function, bound, options.time ? options.repeats : 0, seconds);
  } else {
    driver::LoadedProgram *loaded = compiled.with(function.name);
    if (!loaded) return driver::kProgramHasErrors;
    problem = loaded->time(function.name, bound, options.time ? options.repeats : 0, seconds);
  }
  if (!problem.empty()) {
    session.diagnostics.report(diag::Id::runFailed, {}, function.name, problem);
    return driver::kProgramHasErrors;
  }
  if (const std::string *result = options.checks.nan ? resultWithNaN(bound) : nullptr) {
    reportNaN(session, function, reference, "`" + *result + "` holds a NaN");
    return driver::kProgramHasErrors;
  }
  if (!options.out.empty() && !writeResults(session, function, bound, options)) return driver::exitCodeOf(session.diagnostics);
  std::vector<Compared> compared;
  bool good = true;
  if (options.check) {
    auto found = compareWithReference(session, function, bound, reference);
    good = found.has_value();
    if (found) compared = std::move(*found);
  }
  if (!json) print(bound, seconds, compared);
  else if (good) *json = jsonOf(function, bound, target.name(), seconds, compared);
  for (const auto &[name, difference] : compared) good = good && difference.acceptable;
  return good ? driver::kSuccess : driver::kProgramHasErrors;
}

void fillRank(CallOptions &options) {
  options.out = driver::withRank(options.out);
  for (std::string &argument : options.arguments) argument = driver::withRank(argument);
}

void addCallOptions(CLI::App &command, CallOptions &options) {
  command.add_option("function", options.function, "the function; else `main`, else the only one");
  command.add_option("--arg", options.arguments, "an argument: x=x.npy for tensors, alpha=2.0 for scalars; may be repeated");
  command.add_option("--out", options.out, "where the result goes: a .npy file; a folder for several (result_0.npy, ...)");
  command.add_flag("--force", options.force, "replace a file at --out that holds no array");
  auto takeRandom = [&options](const std::string &text) { options.random = text, options.randomGiven = true; };
  command.add_option_function<std::string>("--random", takeRandom, "make inputs from the signature; sizes as n=1000,m=64");
  command.add_option("--seed", options.seed, "seed of --random")->capture_default_str()->check(driver::isUnsigned());
  command.add_flag("--cast", options.cast, "round arrays of other dtypes to those of the parameters");
  command.add_flag("--time", options.time, "run it again and print the median time and bytes per second");
  command.add_option("--repeats", options.repeats, "how often --time runs it")->capture_default_str()->check(CLI::Range(1, 1000000));
  command.add_flag("--check", options.check, "compare the results with the reference interpreter");
  command.add_flag("--check-nan", options.checks.nan, "end at the first NaN that a function makes, and say which operation made it");
  command.add_flag("--check-bounds", options.checks.bounds, "end where a function is called with an index that lies outside, such as a token that is not in the vocabulary");
}

}  // namespace tessera::tools
