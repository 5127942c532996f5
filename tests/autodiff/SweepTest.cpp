// Every operation and every function of the library: its derivative against central differences in f64, and the
// derivative of its derivative.
#include "SweepCases.h"

namespace tessera::test {
namespace {

std::string programOf(const Case &c, bool hasW) {
  std::string dims = dimsOf(c.x + (hasW ? c.w : "") + c.indices + c.result);
  std::string more = c.indices.empty() ? "" : ", i: Tensor[" + c.indices + ", i64]";
  std::string parameters = "x: " + tensor(c.x) + (hasW ? ", w: " + tensor(c.w) : "") + more + ", u: " + tensor(c.result);
  std::string names = std::string("x") + (hasW ? ", w" : "") + (c.indices.empty() ? "" : ", i") + ", u";
  std::string weighted = c.result.empty() ? "(" + c.expression + ") * u" : "sum((" + c.expression + ") * u)";
  std::string text = "def loss" + dims + "(" + parameters + ") -> f64:\n    return " + weighted + "\n\n" +
                     "first = grad(loss, wrt=" + (hasW ? "(\"x\", \"w\")" : "(\"x\",)") + ")\n\n";
  std::string wrt = hasW ? "(\"x\", \"w\")" : "(\"x\",)";
  std::string own = parameters.substr(0, parameters.rfind(", u:"));
  text += "def plain" + dims + "(" + own + ") -> " + tensor(c.result) + ":\n    return " + c.expression +
          "\n\npulled = vjp(plain, wrt=" + wrt + ")\npushed = jvp(plain, wrt=" + wrt + ")\n\n";
  if (c.second)
    text += "def along" + dims + "(" + parameters + ", v: " + tensor(c.x) + ") -> f64:\n    return sum(grad(loss, wrt=\"x\")(" +
            names + ") * v)\n\nsecond = grad(along, wrt=\"x\")\n";
  return text;
}

/// Whether some step of a central difference agrees with a derivative along a direction.
testing::AssertionResult agrees(const Module &module, const std::string &function, std::vector<reference::Value> arguments,
                                size_t by, const reference::Value &direction, double expected) {
  double nearest = HUGE_VAL, found = 0;
  for (double step : {1e-3, 1e-4, 1e-5, 1e-6, 1e-7}) {
    auto moved = [&](double by_) {
      auto given = arguments;
      for (size_t i = 0; i < direction.size(); ++i) given[by].floats[i] += by_ * direction.floats[i];
      return module.run(function, given).at(0).floats.at(0);
    };
    double slope = (moved(step) - moved(-step)) / (2 * step);
    double apart = std::fabs(slope - expected);
    if (!(apart > nearest)) nearest = apart, found = slope;
  }
  if (nearest <= 1e-6 * std::max(1.0, std::fabs(expected))) return testing::AssertionSuccess();
  return testing::AssertionFailure() << function << " by argument " << by << ": differences say " << found
                                     << ", the derivative says " << expected;
}

TEST_P(Sweep, DerivativeEqualsDifferences) {
  const Case &c = GetParam();
  bool hasW = usesWord(c.expression, 'w');
  std::string text = programOf(c, hasW);
  Module module(text);
  ASSERT_FALSE(module.hasErrors()) << text << module.messages();
  std::vector<reference::Value> arguments = {values(c.x, c.low, c.high)};
  if (hasW) arguments.push_back(values(c.w, c.low, c.high));
  if (!c.indices.empty()) {
    auto indices = reference::Value::poison(DType::I64, shapeOf(c.indices));
    for (int64_t &index : indices.ints) index = static_cast<int64_t>(random() % 3);
    arguments.push_back(indices);
  }
  arguments.push_back(values(c.result, -1, 1));
  std::vector<reference::Value> gradients = module.run("first", arguments);
  ASSERT_EQ(gradients.size(), hasW ? 2u : 1u);
  for (size_t by = 0; by < gradients.size(); ++by) {
    EXPECT_EQ(gradients[by].shape, arguments[by].shape);
    reference::Value direction = values(by == 0 ? c.x : c.w, -1, 1);
    EXPECT_TRUE(agrees(module, "loss", arguments, by, direction, dot(gradients[by], direction))) << text << checked::dump(module.function("first"));
  }
  // <u, jvp v> = <vjp u, v>: the transposes are right whatever the partials are.
  std::vector<reference::Value> tangents = {values(c.x, -1, 1)};
  if (hasW) tangents.push_back(values(c.w, -1, 1));
  std::vector<reference::Value> given(arguments.begin(), arguments.end() - 1), forward = given;
  forward.insert(forward.end(), tangents.begin(), tangents.end());
  given.push_back(arguments.back());
  std::vector<reference::Value> pulled = module.run("pulled", given), pushed = module.run("pushed", forward);
  double forth = dot(arguments.back(), pushed.at(0)), back = 0, size = 0;
  for (size_t i = 0; i < pulled.size(); ++i) back += dot(pulled[i], tangents[i]);
  for (size_t i = 0; i < pushed[0].size(); ++i) size += std::fabs(arguments.back().floats[i] * pushed[0].floats[i]);
  EXPECT_NEAR(forth, back, 1e-12 * std::max(1.0, size)) << text << checked::dump(module.function("pushed"));
  if (!c.second) return;
  arguments.push_back(values(c.x, -1, 1));
  reference::Value direction = values(c.x, -1, 1);
  reference::Value second = module.run("second", arguments).at(0);
  EXPECT_TRUE(agrees(module, "along", arguments, 0, direction, dot(second, direction))) << text << checked::dump(module.function("second"));
}

INSTANTIATE_TEST_SUITE_P(Operations, Sweep, testing::ValuesIn(kOperations), nameOf);
INSTANTIATE_TEST_SUITE_P(Arrays, Sweep, testing::ValuesIn(kArrays), nameOf);
INSTANTIATE_TEST_SUITE_P(Layers, Sweep, testing::ValuesIn(kLayers), nameOf);
INSTANTIATE_TEST_SUITE_P(Library, Sweep, testing::ValuesIn(kLibrary), nameOf);

/// A new row of Ops.def without a case is one that nothing has tried.
TEST(SweepTest, EveryElementwiseOperationHasACase) {
  std::set<std::string> names;
  for (const Case &c : kOperations) names.insert(c.name);
  for (const char *ofIntegers : {"shl", "shr", "random_bits", "random_key"}) names.insert(ofIntegers);
  names.insert("probit");  // no program calls it: a draw of a normal distribution is made of it, of numbers that have no derivative
#define TSR_ELEMENTWISE(id, mnemonic, arity, result) EXPECT_TRUE(names.count(mnemonic)) << mnemonic;
#include "support/Ops.def"
}

}  // namespace
}  // namespace tessera::test
