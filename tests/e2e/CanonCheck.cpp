// Compiles a program for a target, runs its functions on random inputs of awkward sizes, and compares every element
// with the reference interpreter. What is run is in Cases.cpp, or in a program's lines `# run:`. Places of results start as
// NaN, so that what is not written is seen.
//   canon_check [--quick] [--largest N] [--hip-on-cpu FOLDER [--optimised] [--then-order N]] --target cpu|cuda|hip program.tsr...
#include "Cases.h"
#include "HipOnCpu.h"
#include "driver/Arguments.h"
#include "driver/Console.h"
#include "driver/Execute.h"
#include "driver/Files.h"
#include "driver/Reference.h"
#include "reference/Value.h"
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>

using namespace tessera;
using namespace tessera::driver;

namespace {

int passed = 0, failed = 0;
bool quick = false;  // one middling size of each function, for slow tools around us
int64_t largest = INT64_MAX;  // sizes whose dimensions multiply to more are left out
std::string hipOnCpu;         // the folder tests/device/hip_on_cpu, if the emitted HIP is to run on this CPU
std::string thenOrder;        // of the lanes, in which it runs the second time (fibers.h)
bool optimised = false;       // that HIP, whose lanes change for longer than that takes

std::string dimsText(const Case &one) {
  std::string text;
  for (const auto &[name, value] : one.dims) text += (text.empty() ? "" : " ") + name + "=" + std::to_string(value);
  for (const auto &[name, value] : one.scalars) text += " " + name + "=" + value;
  return text;
}

void fail(const Subject &subject, const Case &one, const std::string &why) {
  ++failed;
  std::printf("FAILED %s(%s): %s\n", subject.function.c_str(), dimsText(one).c_str(), why.c_str());
}

/// Empty if all elements are near enough, else the worst one.
std::string compare(const NpyArray &got, const NpyArray &expected, const Subject &subject) {
  if (got.shape != expected.shape || got.dtype != expected.dtype) return "shape or dtype differs";
  double worst = -1;
  std::string text;
  for (size_t i = 0, n = reference::elementCount(expected.shape); i < n; ++i) {
    double a = elementOf(got, i), b = elementOf(expected, i);
    if (std::isnan(b) && std::isnan(a)) continue;
    double excess = std::fabs(a - b) - (subject.absolute + subject.relative * std::fabs(b));
    if (a == b || excess <= 0) continue;
    if (std::isnan(excess)) excess = HUGE_VAL;
    if (excess <= worst) continue;
    worst = excess;
    text = "element " + std::to_string(i) + " is " + std::to_string(a) + ", the reference says " + std::to_string(b);
  }
  return text;
}

/// The same as HIP on the CPU whose lanes run in another order: empty if it is right.
std::string inOtherOrder(LoadedProgram &program, const checked::Function &function, const std::map<std::string, NpyArray> &named, const Subject &subject,
                         const Case &one, const BoundArguments &expected) {
  auto bound = bindArguments(function, named, one.dims);
  const char *given = std::getenv("TSR_FIBER_ORDER");
  const std::string before = given ? given : "0";
  setenv("TSR_FIBER_ORDER", thenOrder.c_str(), 1);
  std::string wrong = program.call(function.name, *bound);
  setenv("TSR_FIBER_ORDER", before.c_str(), 1);
  for (size_t r = 0; wrong.empty() && r < bound->results.size(); ++r)
    wrong = compare(bound->arrays[bound->results[r]], expected.arrays[expected.results[r]], subject);
  return wrong;
}

/// Same inputs, same machine: the same bits. Empty if they are.
std::string inOtherBits(LoadedProgram &program, const checked::Function &function, const std::map<std::string, NpyArray> &named, const Case &one,
                        const BoundArguments &before) {
  auto again = bindArguments(function, named, one.dims);
  if (std::string problem = program.call(function.name, *again); !problem.empty()) return problem;
  for (size_t r = 0; r < again->results.size(); ++r)
    if (again->arrays[again->results[r]].data != before.arrays[before.results[r]].data) return "a second run gave other bits";
  return "";
}

void check(Session &session, LoadedProgram &program, const checked::Function &function, const Subject &subject,
           const Case &one, uint64_t seed) {
  auto named = randomArguments(function, one.dims, seed);
  if (!named) return fail(subject, one, named.error());
  for (const checked::Param &param : function.params)
    if (auto it = one.scalars.find(param.var->name); it != one.scalars.end()) {
      auto value = readArgument(param, it->second, /*casts=*/false);
      if (!value) return fail(subject, one, value.error());
      named->insert_or_assign(it->first, *value);
    }
  auto compiled = bindArguments(function, *named, one.dims), interpreted = bindArguments(function, *named, one.dims);
  if (!compiled) return fail(subject, one, compiled.error());
  std::vector<double> seconds;
  if (std::string problem = interpret(session, function, *interpreted, 0, seconds); !problem.empty())
    return fail(subject, one, "reference: " + problem);
  if (std::string problem = program.call(function.name, *compiled); !problem.empty())
    return fail(subject, one, problem);
  for (size_t r = 0; r < compiled->results.size(); ++r) {
    const NpyArray &got = compiled->arrays[compiled->results[r]], &expected = interpreted->arrays[interpreted->results[r]];
    if (std::string wrong = compare(got, expected, subject); !wrong.empty()) return fail(subject, one, wrong);
  }
  if (!thenOrder.empty()) {  // sums of lanes that meet in another order may have other bits
    std::string wrong = inOtherOrder(program, function, *named, subject, one, *interpreted);
    if (!wrong.empty()) return fail(subject, one, "with lanes in order " + thenOrder + ": " + wrong);
  } else if (std::string wrong = inOtherBits(program, function, *named, one, *compiled); !wrong.empty()) {
    return fail(subject, one, wrong);
  }
  ++passed;
}

int64_t volume(const Case &one) {
  int64_t product = 1;
  for (const auto &[name, value] : one.dims) product *= value;
  return product;
}

std::unique_ptr<LoadedProgram> loadFor(Session &session, const TargetSpec &target) {
  if (hipOnCpu.empty()) return loadCompiled(session, target);
  std::string problem;
  auto loaded = loadHipOnCpu(session, target, hipOnCpu, optimised, problem);
  if (!loaded) std::printf("%s\n", problem.c_str());
  return loaded;
}

void checkProgram(const std::string &path, const TargetSpec &target) {
  Session session;
  std::string name = stemOf(path);
  auto giveUp = [&] {
    printMessages(session, MessageFormat::Text);
    ++failed;
  };
  const checked::Program *program = session.load(path) ? session.check() : nullptr;
  if (!program || session.diagnostics.hasErrors()) return giveUp();
  auto loaded = loadFor(session, target);
  if (!loaded) return giveUp();
  uint64_t seed = 1;
  const std::vector<Subject> all = subjectsOf(name, readFile(path).text);
  if (all.empty()) {
    std::printf("FAILED %s: nothing says what to run\n", name.c_str());
    ++failed;
  }
  for (const Subject &subject : all) {
    const checked::Function *function = program->find(subject.function);
    if (!function) {
      std::printf("FAILED %s: the checked program has no `%s`\n", name.c_str(), subject.function.c_str());
      ++failed;
      continue;
    }
    size_t last = quick ? std::min<size_t>(5, subject.cases.size()) : subject.cases.size();
    for (size_t c = quick ? last - 1 : 0; c < last; ++c, ++seed)
      if (volume(subject.cases[c]) <= largest) check(session, *loaded, *function, subject, subject.cases[c], seed);
  }
}

}  // namespace

int main(int argc, char **argv) {
  TargetSpec target;
  std::vector<std::string> paths;
  for (int i = 1; i < argc; ++i) {
    if (std::strcmp(argv[i], "--target") == 0 && i + 1 < argc) {
      auto parsed = parseTarget(argv[++i]);
      if (!parsed) return std::fprintf(stderr, "canon_check: no target `%s`\n", argv[i]), 2;
      target = *parsed;
    } else if (std::strcmp(argv[i], "--quick") == 0) {
      quick = true;
    } else if (std::strcmp(argv[i], "--largest") == 0 && i + 1 < argc) {
      largest = std::atoll(argv[++i]);
    } else if (std::strcmp(argv[i], "--hip-on-cpu") == 0 && i + 1 < argc) {
      hipOnCpu = argv[++i];
    } else if (std::strcmp(argv[i], "--optimised") == 0) {
      optimised = true;
    } else if (std::strcmp(argv[i], "--then-order") == 0 && i + 1 < argc) {
      thenOrder = argv[++i];
    } else {
      paths.push_back(argv[i]);
    }
  }
  if (!hipOnCpu.empty() && target.target != Target::Hip)
    return std::fprintf(stderr, "canon_check: --hip-on-cpu needs --target hip\n"), 2;
  return guardedMain([&] {
    for (const std::string &path : paths) checkProgram(path, target);
    std::printf("%d passed, %d failed\n", passed, failed);
    return failed || !passed ? 1 : 0;
  });
}
