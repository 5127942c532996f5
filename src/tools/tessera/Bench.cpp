// tessera bench: how long the functions with `@benchmark` take, on random data of the sizes that it gives.
#include "diag/Render.h"
#include "driver/CommandLine.h"
#include "driver/Console.h"
#include "driver/Execute.h"
#include "driver/Files.h"
#include "driver/Reference.h"
#include "driver/check/Tree.h"
#include "tools/tessera/Commands.h"
#include "tools/tessera/TestRun.h"
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>

namespace tessera::tools {
namespace {

using Json = nlohmann::ordered_json;
using driver::Session;

constexpr int kFewestRuns = 5, kMostRuns = 1000;

struct Options {
  std::vector<std::string> paths;
  std::string only, target = "cpu", against;
  uint64_t seed = 0;
  int repeats = 0, warmUp = 3;
  double seconds = 0.5;
  bool json = false;
};

struct Timing {
  std::string name, path;
  size_t line = 0;
  uint64_t bytes = 0;
  std::vector<double> seconds;  // sorted
  double quantile(double part) const {
    double at = part * static_cast<double>(seconds.size() - 1);
    auto below = static_cast<size_t>(at);
    double rest = at - static_cast<double>(below);
    // std::lerp keeps the order: of equal times no quantile lies below the best.
    return below + 1 < seconds.size() ? std::lerp(seconds[below], seconds[below + 1], rest) : seconds[below];
  }
  double bytesPerSecond() const { return static_cast<double>(bytes) / quantile(0.5); }
};

/// One benchmark: warm runs that do not count, then as many as `repeats` says, or as fit into `seconds`.
std::string measure(Session &session, const checked::Function &function, const checked::RunSizes &sizes,
                    const Options &options, driver::LoadedProgram *loaded, Timing &timing) {
  std::map<std::string, int64_t> dims(sizes.begin(), sizes.end());
  auto random = driver::randomArguments(function, dims, options.seed);
  if (!random) return random.error();
  auto bound = driver::bindArguments(function, std::move(*random), dims);
  if (!bound) return bound.error();
  timing.bytes = bound->bytesMoved;
  auto time = [&](int runs, std::vector<double> &seconds) {
    return loaded ? loaded->time(function.name, *bound, runs, seconds)
                  : driver::interpret(session, function, *bound, runs, seconds);
  };
  std::vector<double> warm;
  if (std::string problem = time(std::max(options.warmUp, 1), warm); !problem.empty()) return problem;
  const double once = std::max(*std::min_element(warm.begin(), warm.end()), 1e-9);
  const int runs = options.repeats > 0
                       ? options.repeats
                       : static_cast<int>(std::clamp(options.seconds / once, double{kFewestRuns}, double{kMostRuns}));
  if (std::string problem = time(runs, timing.seconds); !problem.empty()) return problem;
  std::sort(timing.seconds.begin(), timing.seconds.end());
  return {};
}

/// 0.00123 as "1.23 ms".
std::string durationText(double seconds) {
  const std::pair<double, const char *> units[] = {{1, "s"}, {1e-3, "ms"}, {1e-6, "us"}, {1e-9, "ns"}};
  for (const auto &[size, unit] : units) {
    if (seconds < size && size > 1e-9) continue;
    char text[40];
    const double number = seconds / size;
    std::snprintf(text, sizeof text, "%.*f %s", number < 10 ? 2 : number < 100 ? 1 : 0, number, unit);
    return text;
  }
  return "0 ns";
}

/// Medians of an earlier run, by the program and the name.
using Earlier = std::map<std::pair<std::string, std::string>, double>;

/// What `--json` wrote, or a message.
Result<Earlier> readEarlier(const std::string &path) {
  driver::ReadResult read = driver::readFile(path);
  if (read.problem != driver::ReadProblem::None) return Failure{"I cannot read `" + path + "`: " + read.text};
  Json json = Json::parse(read.text, nullptr, false);
  if (!json.is_object() || !json["benchmarks"].is_array())
    return Failure{"`" + path + "` is not what `tessera bench --json` writes"};
  Earlier earlier;
  for (const Json &one : json["benchmarks"])
    if (one.is_object() && one.value("median", Json()).is_number() && one.value("name", Json()).is_string() &&
        one.value("file", Json()).is_string())
      earlier[{one["file"].get<std::string>(), one["name"].get<std::string>()}] = one["median"].get<double>();
  return earlier;
}

Json jsonOf(const Timing &timing, const double *before) {
  Json json{{"name", timing.name},
            {"file", timing.path},
            {"line", timing.line},
            {"runs", timing.seconds.size()},
            {"median", timing.quantile(0.5)},
            {"best", timing.seconds.front()},
            {"p10", timing.quantile(0.1)},
            {"p90", timing.quantile(0.9)},
            {"bytes", timing.bytes},
            {"bytesPerSecond", timing.bytesPerSecond()}};
  if (before) json["before"] = *before, json["ratio"] = timing.quantile(0.5) / *before;
  return json;
}

void printText(const Timing &timing, const double *before) {
  std::printf("%s:%zu  %-32s  %10s  10%% below %s, 90%% below %s, %zu runs, %.2f GB/s", timing.path.c_str(),
              timing.line, timing.name.c_str(), durationText(timing.quantile(0.5)).c_str(),
              durationText(timing.quantile(0.1)).c_str(), durationText(timing.quantile(0.9)).c_str(),
              timing.seconds.size(), timing.bytesPerSecond() * 1e-9);
  if (before)
    std::printf(", %.2f times as long as before (%s)", timing.quantile(0.5) / *before, durationText(*before).c_str());
  std::printf("\n");
  std::fflush(stdout);
}

struct Round {
  Json benchmarks = Json::array(), diagnostics = Json::array(), failures = Json::array();
  size_t measured = 0;
  int code = driver::kSuccess;
};

void fail(const Options &options, Round &round, const std::string &path, const std::string &name,
          const std::string &why) {
  round.code = std::max<int>(round.code, driver::kProgramHasErrors);
  if (options.json) round.failures.push_back({{"file", path}, {"name", name}, {"what", why}});
  else std::fprintf(stderr, "%s  %s: %s\n", path.c_str(), name.c_str(), why.c_str());
}

void say(Session &session, const Options &options, Round &round) {
  round.code = std::max<int>(round.code, driver::exitCodeOf(session.diagnostics));
  if (!options.json) return driver::printMessages(session, driver::MessageFormat::Text);
  Json document = Json::parse(diag::renderJson(session.diagnostics, session.sources));
  for (Json &message : document["diagnostics"]) round.diagnostics.push_back(std::move(message));
}

void measureProgram(const std::string &path, const Options &options, const driver::TargetSpec &target,
                    const Earlier &earlier, Round &round) {
  Session session;
  const checked::Program *program = session.load(path) ? session.check() : nullptr;
  if (!program || session.diagnostics.hasErrors()) return say(session, options, round);
  std::vector<const checked::Function *> functions;
  std::vector<std::string> names;
  for (const auto &function : program->functions)
    if (!function->benchmarks.empty() && function->name.find(options.only) != std::string::npos) {
      functions.push_back(function.get());
      names.push_back(function->name);
    }
  if (functions.empty()) return;
  std::unique_ptr<driver::LoadedProgram> loaded;
  if (!target.reference && !(loaded = driver::loadCompiled(session, target, names)))
    return say(session, options, round);
  for (const checked::Function *function : functions)
    for (const checked::RunSizes &sizes : function->benchmarks) {
      Timing timing{withSizes(function->name, sizes), path, lineOf(session, function->span), 0, {}};
      if (std::string problem = measure(session, *function, sizes, options, loaded.get(), timing); !problem.empty()) {
        fail(options, round, path, timing.name, problem);
        continue;
      }
      ++round.measured;
      auto before = earlier.find({path, timing.name});
      const double *median = before == earlier.end() ? nullptr : &before->second;
      if (options.json) round.benchmarks.push_back(jsonOf(timing, median));
      else printText(timing, median);
    }
}

int bench(const Options &options) {
  auto target = driver::parseTarget(options.target);
  if (!target) {
    Session session;
    driver::reportUnknownTarget(session.diagnostics, options.target, true);
    driver::printMessages(session, options.json ? driver::MessageFormat::Json : driver::MessageFormat::Text);
    return driver::exitCodeOf(session.diagnostics);
  }
  Earlier earlier;
  if (!options.against.empty()) {
    auto read = readEarlier(options.against);
    if (!read) {
      std::fprintf(stderr, "tessera bench: %s\n", read.error().c_str());
      return driver::kBadUsage;
    }
    earlier = std::move(*read);
  }
  const std::vector<std::string> programs = driver::programsBelow(options.paths);
  Round round;
  for (const std::string &path : programs) measureProgram(path, options, *target, earlier, round);
  if (options.json)
    std::printf("%s\n", Json{{"target", target->name()},
                             {"benchmarks", round.benchmarks},
                             {"failures", round.failures},
                             {"diagnostics", round.diagnostics}}
                            .dump(2)
                            .c_str());
  if (round.code != driver::kSuccess || round.measured > 0) return round.code;
  std::string why = programs.empty()       ? "there is no .tsr file in what you named"
                    : options.only.empty() ? "there are no benchmarks: put `@benchmark(N=1000)` above a function"
                                           : "no benchmark has `" + options.only + "` in its name";
  std::fprintf(stderr, "tessera bench: %s\n", why.c_str());
  return driver::kBadUsage;
}

}  // namespace

void addBench(CLI::App &app, Chosen &chosen) {
  auto options = std::make_shared<Options>();
  CLI::App *command = app.add_subcommand("bench", "measure the functions with `@benchmark`");
  command->add_option("paths", options->paths, ".tsr files, or folders of them")
      ->default_val(std::vector<std::string>{"."});
  command->add_option("--only", options->only, "those that have this in their names");
  command->add_option("--target", options->target, "cpu, cuda, hip, or reference (the interpreter)")
      ->capture_default_str();
  command->add_option("--repeats", options->repeats, "so many runs, in place of as many as fit into --seconds")
      ->check(CLI::Range(1, 1000000));
  command->add_option("--seconds", options->seconds, "for the runs of one benchmark; at least 5, at most 1000 are made")
      ->check(CLI::Range(0.0, 3600.0))
      ->capture_default_str();
  command->add_option("--warm-up", options->warmUp, "runs before those that count")
      ->check(CLI::Range(1, 1000000))
      ->capture_default_str();
  command->add_option("--seed", options->seed, "of the random data")->capture_default_str()->check(driver::isUnsigned());
  command->add_option("--against", options->against, "also how long each took in an earlier run: what --json wrote");
  command->add_flag("--json", options->json, "results as one JSON document on stdout; times in seconds");
  command->footer(R"(GB/s counts each argument and each result once.
Exit codes: 0 all were measured, 1 one could not be or a program has errors, 2 wrong options or no benchmarks.
Examples:
  tessera bench
  tessera bench kernels.tsr --only softmax --target cuda
  tessera bench --json > before.json
  tessera bench --against before.json)");
  command->callback([options, &chosen] { chosen = [options] { return bench(*options); }; });
}

}  // namespace tessera::tools
