// tessera test: runs the functions with `@test` and the `>>>` examples of texts, and says of each whether it holds.
#include "diag/Render.h"
#include "driver/CommandLine.h"
#include "driver/Console.h"
#include "driver/Files.h"
#include "driver/check/Tree.h"
#include "tools/tessera/Commands.h"
#include "tools/tessera/TestRun.h"
#include <cstdio>
#include <nlohmann/json.hpp>

namespace tessera::tools {
namespace {

using Json = nlohmann::ordered_json;

struct Options {
  std::vector<std::string> paths;
  std::string only, target = "cpu";
  uint64_t seed = 0;
  bool json = false, noExamples = false;
};

/// A text of several lines behind a label of so many columns.
void printBlock(const std::string &label, size_t width, const std::string &text) {
  std::string shown = text.find('\n') == std::string::npos ? text : "\n" + text;
  for (size_t at = 0; (at = shown.find('\n', at)) != std::string::npos; at += 9) shown.insert(at + 1, 8, ' ');
  std::printf("        %-*s  %s\n", static_cast<int>(width), label.c_str(), shown.c_str());
}

void printText(const TestOutcome &outcome) {
  const char *word = outcome.passed() ? "ok    " : "FAILED";
  std::printf("%s  %s:%zu  %s%s  %.1f ms\n", word, outcome.path.c_str(), outcome.line,
              outcome.isExample ? "examples of " : "", outcome.name.c_str(), outcome.seconds * 1e3);
  for (const TestFailure &failure : outcome.failures) {
    std::printf("        %s:%zu: %s\n", outcome.path.c_str(), failure.line, failure.what.c_str());
    const size_t width = std::max(failure.leftText.size(), failure.rightText.size());
    // A side without an array is known: its text says all.
    if (!failure.left.empty()) printBlock(failure.leftText, width, failure.left);
    if (!failure.right.empty()) printBlock(failure.rightText, width, failure.right);
    if (!failure.where.empty()) std::printf("        %s\n", failure.where.c_str());
  }
  std::fflush(stdout);
}

Json jsonOf(const TestOutcome &outcome) {
  Json json{{"name", outcome.name},       {"kind", outcome.isExample ? "example" : "test"},
            {"file", outcome.path},       {"line", outcome.line},
            {"passed", outcome.passed()}, {"seconds", outcome.seconds}};
  json["failures"] = Json::array();
  for (const TestFailure &failure : outcome.failures) {
    Json one{{"line", failure.line}, {"what", failure.what}};
    if (!failure.leftText.empty()) one["left"] = {{"text", failure.leftText}, {"value", failure.left}};
    if (!failure.rightText.empty()) one["right"] = {{"text", failure.rightText}, {"value", failure.right}};
    if (!failure.where.empty()) one["where"] = failure.where;
    json["failures"].push_back(std::move(one));
  }
  return json;
}

struct Round {
  Json tests = Json::array(), diagnostics = Json::array();
  size_t passed = 0, failed = 0;
  double seconds = 0;
  int code = driver::kSuccess;
};

void runProgram(const std::string &path, const Options &options, const TestOptions &run, Round &round) {
  driver::Session session;
  bool checked = runTests(session, path, run, [&](const TestOutcome &outcome) {
    ++(outcome.passed() ? round.passed : round.failed);
    round.seconds += outcome.seconds;
    if (options.json) round.tests.push_back(jsonOf(outcome));
    else printText(outcome);
  });
  if (checked) return;
  round.code = std::max<int>(round.code, driver::exitCodeOf(session.diagnostics));
  if (!options.json) return driver::printMessages(session, driver::MessageFormat::Text);
  Json document = Json::parse(diag::renderJson(session.diagnostics, session.sources));
  for (Json &message : document["diagnostics"]) round.diagnostics.push_back(std::move(message));
}

int test(const Options &options) {
  auto target = driver::parseTarget(options.target);
  if (!target) {
    driver::Session session;
    driver::reportUnknownTarget(session.diagnostics, options.target, true);
    driver::printMessages(session, options.json ? driver::MessageFormat::Json : driver::MessageFormat::Text);
    return driver::exitCodeOf(session.diagnostics);
  }
  std::vector<std::string> programs = driver::programsBelow(options.paths);
  Round round;
  const TestOptions run{*target, options.only, options.seed, !options.noExamples};
  for (const std::string &path : programs) runProgram(path, options, run, round);
  if (options.json)
    std::printf("%s\n", Json{{"tests", round.tests},
                             {"passed", round.passed},
                             {"failed", round.failed},
                             {"seconds", round.seconds},
                             {"diagnostics", round.diagnostics}}
                            .dump(2)
                            .c_str());
  else if (round.passed + round.failed > 0)
    std::printf("%zu passed, %zu failed, %.1f ms\n", round.passed, round.failed, round.seconds * 1e3);
  if (round.code != driver::kSuccess) return round.code;
  if (round.passed + round.failed > 0) return round.failed ? driver::kProgramHasErrors : driver::kSuccess;
  std::string why = programs.empty() ? "there is no .tsr file in what you named"
                    : options.only.empty()
                        ? "there are no tests: put `@test` above a function without results that asserts something"
                        : "no test has `" + options.only + "` in its name";
  std::fprintf(stderr, "tessera test: %s\n", why.c_str());
  return driver::kBadUsage;
}

}  // namespace

void addTest(CLI::App &app, Chosen &chosen) {
  auto options = std::make_shared<Options>();
  CLI::App *command = app.add_subcommand("test", "run the functions with `@test`, and the `>>>` examples of texts");
  command->add_option("paths", options->paths, ".tsr files, or folders of them")
      ->default_val(std::vector<std::string>{"."});
  command->add_option("--only", options->only, "those that have this in their names");
  command->add_option("--target", options->target, "cpu, cuda, hip, or reference (the interpreter)")
      ->capture_default_str();
  command->add_option("--seed", options->seed, "of the random values that parameters of tests have")
      ->capture_default_str()->check(driver::isUnsigned());
  command->add_flag("--no-examples", options->noExamples, "only the functions with `@test`");
  command->add_flag("--json", options->json, "results as one JSON document on stdout");
  command->footer(R"(Exit codes: 0 all hold, 1 one does not or a program has errors, 2 wrong options or no tests.
Examples:
  tessera test
  tessera test kernels.tsr --only softmax
  tessera test src --target reference --json)");
  command->callback([options, &chosen] { chosen = [options] { return test(*options); }; });
}

}  // namespace tessera::tools
