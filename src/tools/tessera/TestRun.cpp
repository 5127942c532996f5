#include "tools/tessera/TestRun.h"
#include "driver/Execute.h"
#include "driver/Reference.h"
#include <algorithm>
#include <chrono>
#include <memory>
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

/// Calls tests: compiled together, or each by itself where that fails, or interpreted.
class Caller {
public:
  Caller(Session &session, const driver::TargetSpec &target, const std::vector<const checked::Function *> &tests)
      : session_(session), target_(target) {
    std::vector<std::string> names;
    for (const checked::Function *test : tests)
      if (!test->claims.empty()) names.push_back(test->name);
    if (target.reference || names.empty()) return;
    size_t said = session.diagnostics.all().size();
    all_ = driver::loadCompiled(session, target, names);
    if (all_) return;
    const auto &messages = session.diagnostics.all();
    usable_ = messages.size() > said && messages[said].span.valid();
    if (usable_) session.diagnostics.truncate(said);  // of the program: each test says why when it is called
  }
  /// False, with a message, where nothing can run: there is no compiler, or no GPU.
  bool usable() const { return usable_; }

  std::string call(const checked::Function &test, driver::BoundArguments &bound) {
    if (target_.reference) {
      std::vector<double> seconds;
      return driver::interpret(session_, test, bound, 0, seconds);
    }
    if (all_) return all_->call(test.name, bound);
    size_t said = session_.diagnostics.all().size();
    auto one = driver::loadCompiled(session_, target_, {test.name});
    if (one) return one->call(test.name, bound);
    std::string why = "it cannot be compiled";
    const auto &messages = session_.diagnostics.all();
    if (messages.size() > said) {
      const diag::Diagnostic &first = messages[said];
      if (first.span.valid())
        why = session_.sources.file(first.span.file).path + ":" + std::to_string(lineOf(session_, first.span)) + ": ";
      else why.clear();
      why += first.message;
      for (const diag::Note &note : first.notes) why += "\n" + note.text;
    }
    session_.diagnostics.truncate(said);
    return why;
  }

private:
  Session &session_;
  const driver::TargetSpec &target_;
  std::unique_ptr<driver::LoadedProgram> all_;
  bool usable_ = true;
};

TestFailure notRun(const Session &session, const checked::Function &test, std::string why) {
  TestFailure failure;
  failure.line = lineOf(session, test.span);
  failure.what = std::move(why);
  return failure;
}

std::vector<TestFailure> runOnce(Session &session, const checked::Function &test, const checked::RunSizes &sizes,
                                 uint64_t seed, Caller &caller) {
  if (test.claims.empty()) return {};  // all that it asserts is known to hold
  std::map<std::string, int64_t> dims(sizes.begin(), sizes.end());
  auto random = driver::randomArguments(test, dims, seed);
  if (!random) return {notRun(session, test, random.error())};
  auto bound = driver::bindArguments(test, std::move(*random), dims);
  if (!bound) return {notRun(session, test, bound.error())};
  if (std::string problem = caller.call(test, *bound); !problem.empty()) return {notRun(session, test, problem)};
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
    Caller caller(session, options.target, tests);
    if (!caller.usable()) return false;
    for (const checked::Function *test : tests)
      for (const checked::RunSizes &sizes : test->tests) {
        TestOutcome outcome{path, withSizes(test->name, sizes), lineOf(session, test->span), false, 0, {}};
        auto start = std::chrono::steady_clock::now();
        outcome.failures = runOnce(session, *test, sizes, options.seed, caller);
        outcome.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
        report(outcome);
      }
  }
  if (options.examples) runExamples(session, options, report);
  return true;
}

}  // namespace tessera::tools
