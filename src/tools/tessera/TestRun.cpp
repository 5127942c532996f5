#include "tools/tessera/TestRun.h"
#include "driver/Reference.h"
#include "tools/tessera/Compiled.h"
#include <algorithm>
#include <chrono>
#include <tuple>

namespace tessera::tools {

using driver::Session;

size_t lineOf(const Session &session, Span span) {
  return span.valid() ? session.sources.file(span.file).lineColumn(span.begin).line : 0;
}

std::string withSizes(const std::string &name, const checked::RunSizes &sizes) {
  std::string list;
  for (const auto &[dim, size] : sizes) list += (list.empty() ? "" : ", ") + dim + "=" + std::to_string(size);
  return list.empty() ? name : name + "(" + list + ")";
}

namespace {

/// Calls a test. Empty on success, else what went wrong.
std::string call(Session &session, const driver::TargetSpec &target, Compiled &compiled, const checked::Function &test, driver::BoundArguments &bound) {
  if (target.reference) {
    std::vector<double> seconds;
    return driver::interpret(session, test, bound, 0, seconds);
  }
  const size_t said = session.diagnostics.all().size();
  if (driver::LoadedProgram *loaded = compiled.with(test.name)) return loaded->call(test.name, bound);
  std::string why = "it cannot be compiled";
  const auto &messages = session.diagnostics.all();
  if (messages.size() > said) {
    const diag::Diagnostic &first = messages[said];
    if (first.span.valid()) why = session.sources.file(first.span.file).path + ":" + std::to_string(lineOf(session, first.span)) + ": ";
    else why.clear();
    why += first.message;
    for (const diag::Note &note : first.notes) why += "\n" + note.text;
  }
  session.diagnostics.truncate(said);
  return why;
}

TestFailure notRun(const Session &session, const checked::Function &test, std::string why) {
  TestFailure failure;
  failure.line = lineOf(session, test.span);
  failure.what = std::move(why);
  return failure;
}

std::vector<TestFailure> runOnce(Session &session, const checked::Function &test, const checked::RunSizes &sizes,
                                 const TestOptions &options, Compiled &compiled) {
  if (test.claims.empty()) return {};  // all that it asserts is known to hold
  std::map<std::string, int64_t> dims(sizes.begin(), sizes.end());
  auto random = driver::randomArguments(test, dims, options.seed);
  if (!random) return {notRun(session, test, random.error())};
  auto bound = driver::bindArguments(test, std::move(*random), dims);
  if (!bound) return {notRun(session, test, bound.error())};
  if (std::string problem = call(session, options.target, compiled, test, *bound); !problem.empty()) return {notRun(session, test, problem)};
  return brokenClaims(session, test, *bound);
}

}  // namespace

bool runTests(Session &session, const std::string &path, const TestOptions &options, const TestReport &report) {
  sema::CheckOptions check;
  check.tests = true;
  const checked::Program *program = session.load(path) ? session.check(check) : nullptr;
  if (!program || session.diagnostics.hasErrors()) return false;
  std::vector<const checked::Function *> tests;
  for (const auto &function : program->functions)
    if (function->isTest() && function->name.find(options.only) != std::string::npos) tests.push_back(function.get());
  std::sort(tests.begin(), tests.end(), [](auto *a, auto *b) { return std::tie(a->span.begin, a->name) < std::tie(b->span.begin, b->name); });
  if (!tests.empty()) {
    std::vector<std::string> names;
    for (const checked::Function *test : tests)
      if (!test->claims.empty()) names.push_back(test->name);
    Compiled compiled(session, options.target);
    if (!compiled.together(names)) return false;
    for (const checked::Function *test : tests)
      for (const checked::RunSizes &sizes : test->tests) {
        TestOutcome outcome{path, withSizes(test->name, sizes), lineOf(session, test->span), false, 0, {}};
        auto start = std::chrono::steady_clock::now();
        outcome.failures = runOnce(session, *test, sizes, options, compiled);
        outcome.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
        report(outcome);
      }
  }
  if (options.examples) runExamples(session, options, report);
  return true;
}

}  // namespace tessera::tools
