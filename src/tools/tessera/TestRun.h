// Running the tests of a program: its functions with `@test`, and the examples in its texts.
#pragma once
#include "driver/Arguments.h"
#include "driver/Session.h"
#include "driver/Targets.h"
#include <functional>
#include <string>
#include <vector>

namespace tessera::tools {

/// What does not hold. Both sides of what is compared have the words of the program, and what was there when it ran.
struct TestFailure {
  size_t line = 0;
  std::string what;  // "assert f(x) == y: as the paper has it"
  std::string leftText, left, rightText, right;
  std::string where;  // "2 of 7 elements do not hold; the first is [3]: 1.5 and 1.25"
};

struct TestOutcome {
  std::string path, name;  // "sums_work(N=7)"
  size_t line = 0;
  bool isExample = false;
  double seconds = 0;
  std::vector<TestFailure> failures;
  bool passed() const { return failures.empty(); }
};

struct TestOptions {
  driver::TargetSpec target;
  std::string only;  // part of the names of those that run; empty: all
  uint64_t seed = 0;
  bool examples = true;
};

using TestReport = std::function<void(const TestOutcome &)>;

/// Checks a program and runs its tests. False if it has errors, or the target cannot run here: then `session` has the
/// messages, and nothing was run.
bool runTests(driver::Session &session, const std::string &path, const TestOptions &options, const TestReport &report);

// ---- Claims.cpp
/// What does not hold after a call of a test.
std::vector<TestFailure> brokenClaims(const driver::Session &session, const checked::Function &function,
                                      const driver::BoundArguments &bound);

// ---- Examples.cpp
/// Runs the `>>>` examples of a program whose check found no errors.
void runExamples(const driver::Session &session, const TestOptions &options, const TestReport &report);

/// The line of a place in a file.
size_t lineOf(const driver::Session &session, Span span);
/// "f(N=7, M=3)"; without brackets where there are no sizes.
std::string withSizes(const std::string &name, const checked::RunSizes &sizes);

}  // namespace tessera::tools
