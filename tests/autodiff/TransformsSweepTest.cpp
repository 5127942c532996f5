// Every operation and every function of the library under `vmap` and `checkpoint`: what is computed for all indices of an axis
// at once is what is computed for each, and a derivative that computes again is the one that keeps.
#include "SweepCases.h"

namespace tessera::test {
namespace {

constexpr int64_t kBatch = 3;

/// What a function of a case takes, and which of it has the axis of the batch.
struct Taken {
  std::string name, shape;
  bool isIndex = false, mapped = false;
  std::string type(bool withAxis) const {
    std::string dims = (withAxis && mapped ? (shape.empty() ? "Z" : "Z, ") : "") + shape;
    if (isIndex) return "Tensor[" + dims + ", i64]";
    return tensor(dims);
  }
};

std::string parameters(const std::vector<Taken> &taken, bool withAxis) {
  std::string text;
  for (const Taken &t : taken) text += (text.empty() ? "" : ", ") + t.name + ": " + t.type(withAxis);
  return text;
}

class Transforms : public Sweep {
protected:
  std::vector<Taken> takenOf(const Case &c) const {
    std::vector<Taken> taken = {{"x", c.x}};
    if (usesWord(c.expression, 'w')) taken.push_back({"w", c.w});
    if (!c.indices.empty()) taken.push_back({"i", c.indices, true});
    return taken;
  }
  reference::Value argument(const Taken &t, const Case &c) {
    if (!t.isIndex) return batched(t.shape, t.mapped, c.low, c.high);
    reference::Value one = batched(t.shape, t.mapped, 0, 1);
    auto indices = reference::Value::poison(DType::I64, one.shape);
    for (int64_t &index : indices.ints) index = static_cast<int64_t>(random() % 3);
    return indices;
  }
  reference::Value batched(const std::string &shape, bool mapped, double low, double high) {
    std::vector<int64_t> extents = shapeOf(shape);
    if (mapped) extents.insert(extents.begin(), kBatch);
    auto value = reference::Value::poison(DType::F64, extents);
    for (double &v : value.floats) v = uniform(low, high);
    return value;
  }
};

void expectNear(const reference::Value &have, const reference::Value &want, const std::string &what) {
  ASSERT_EQ(have.shape, want.shape) << what;
  for (size_t i = 0; i < want.size(); ++i) {
    double w = want.number(i);
    if (std::isnan(w)) EXPECT_TRUE(std::isnan(have.number(i))) << what;
    else EXPECT_NEAR(have.number(i), w, 1e-11 * std::max(1.0, std::fabs(w))) << what << " at " << i;
  }
}

TEST_P(Transforms, AllIndicesAtOnceAreEachOfThem) {
  const Case &c = GetParam();
  std::vector<Taken> taken = takenOf(c);
  for (size_t which = 1; which < (size_t{1} << taken.size()); ++which) {
    std::string axes, given, floats;
    for (size_t i = 0; i < taken.size(); ++i) {
      taken[i].mapped = ((which >> i) & 1) != 0;
      axes += taken[i].mapped ? "0, " : "None, ";
      given += taken[i].name + ", ";
      if (!taken[i].isIndex) floats += "\"" + taken[i].name + "\", ";
    }
    Taken u{"u", c.result, false, true};
    std::string text = "def plain" + dimsOf(c.x + (usesWord(c.expression, 'w') ? c.w : "") + c.indices) + "(" + parameters(taken, false) + ") -> " + tensor(c.result) + ":\n    return " +
                       c.expression + "\n\npulled = vjp(plain, wrt=(" + floats + "))\n\n";
    std::string own = parameters(taken, true);
    auto define = [&](const std::string &name, const std::string &more, const std::string &result, const std::string &body) {
      std::string dims = dimsOf(c.x + (usesWord(c.expression, 'w') ? c.w : "") + c.indices + c.result);
      text += "def " + name + (dims.empty() ? "[Z]" : "[Z, " + dims.substr(1)) + "(" + own + more + ")" + (result.empty() ? "" : " -> " + result) + ":\n    return " + body + "\n\n";
    };
    define("batch", "", u.type(true), "vmap(plain, in_axes=(" + axes + "))(" + given + ")");
    // The derivative of the map, and the map of the derivative.
    define("of_map", ", u: " + u.type(true), "", "vjp(batch, wrt=(" + floats + "))(" + given + "cotangent=u)");
    define("map_of", ", u: " + u.type(true), "", "vmap(lambda " + given + "u: vjp(plain, wrt=(" + floats + "))(" + given + "cotangent=u), in_axes=(" + axes + "0))(" + given + "u)");
    Module module(text);
    ASSERT_FALSE(module.hasErrors()) << text << module.messages();
    std::vector<reference::Value> arguments;
    for (const Taken &t : taken) arguments.push_back(argument(t, c));
    reference::Value cotangent = batched(c.result, true, -1, 1);
    std::vector<reference::Value> withU = arguments;
    withU.push_back(cotangent);
    reference::Value values = module.run("batch", arguments).at(0);
    std::vector<reference::Value> ofMap = module.run("of_map", withU), mapOf = module.run("map_of", withU), sums;
    for (int64_t z = 0; z < kBatch; ++z) {
      std::vector<reference::Value> one;
      for (size_t i = 0; i < taken.size(); ++i) one.push_back(taken[i].mapped ? part(arguments[i], z) : arguments[i]);
      std::string what = text + "index " + std::to_string(z);
      expectNear(part(values, z), module.run("plain", one).at(0), what);
      one.push_back(part(cotangent, z));
      std::vector<reference::Value> slopes = module.run("pulled", one);
      ASSERT_EQ(slopes.size(), mapOf.size());
      if (sums.empty())
        for (const reference::Value &slope : slopes) sums.push_back(reference::Value::ofFloats(DType::F64, slope.shape, std::vector<double>(slope.size())));
      for (size_t i = 0, k = 0; i < taken.size(); ++i) {
        if (taken[i].isIndex) continue;
        expectNear(part(mapOf[k], z), slopes[k], what + ": the map of the derivative by " + taken[i].name);
        if (taken[i].mapped) expectNear(part(ofMap[k], z), slopes[k], what + ": the derivative of the map by " + taken[i].name);
        for (size_t n = 0; n < slopes[k].size(); ++n) sums[k].floats[n] += slopes[k].floats[n];
        ++k;
      }
    }
    for (size_t i = 0, k = 0; i < taken.size(); ++i) {
      if (taken[i].isIndex) continue;
      if (!taken[i].mapped) expectNear(ofMap[k], sums[k], text + ": the derivative of the map by " + taken[i].name);
      ++k;
    }
  }
}

TEST_P(Transforms, WhatIsComputedAgainIsTheSame) {
  const Case &c = GetParam();
  std::vector<Taken> taken = takenOf(c);
  std::string given, floats, dims = dimsOf(c.x + (usesWord(c.expression, 'w') ? c.w : "") + c.indices);
  for (const Taken &t : taken) {
    given += t.name + ", ";
    if (!t.isIndex) floats += "\"" + t.name + "\", ";
  }
  std::string signature = dims + "(" + parameters(taken, false) + ") -> " + tensor(c.result) + ":\n    return ";
  std::string text = "def plain" + signature + c.expression + "\n\n@checkpoint\ndef block" + signature + c.expression + "\n\ndef kept" + signature + "sin(plain(" + given +
                     "))\n\ndef again" + signature + "sin(block(" + given + "))\n\ndef once" + signature + "sin(checkpoint(lambda " + given.substr(0, given.size() - 2) + ": " + c.expression + ")(" + given + "))\n\n";
  std::vector<std::string> ways = {"kept", "again", "once"};
  for (const std::string &way : ways) text += way + "_back = vjp(" + way + ", wrt=(" + floats + "))\n" + way + "_on = jvp(" + way + ", wrt=(" + floats + "))\n";
  if (c.second)
    for (const std::string &way : ways)
      text += "def " + way + "_slope" + dimsOf(c.x + (usesWord(c.expression, 'w') ? c.w : "") + c.indices + c.result) + "(" + parameters(taken, false) + ", u: " + tensor(c.result) +
              ", v: " + tensor(c.x) + ") -> f64:\n    return sum(vjp(" + way + ", wrt=\"x\")(" + given + "cotangent=u) * v)\n" + way + "_second = grad(" + way + "_slope)\n";
  Module module(text);
  ASSERT_FALSE(module.hasErrors()) << text << module.messages();
  EXPECT_EQ(checked::dump(module.function("kept_back")).find("after("), std::string::npos);
  EXPECT_EQ(checked::dump(module.function("again")).find("after("), std::string::npos) << "nothing is computed again where no derivative is";
  std::vector<reference::Value> back, on, second;
  for (const Taken &t : taken) back.push_back(argument(t, c));
  on = second = back;
  back.push_back(batched(c.result, false, -1, 1));
  for (const Taken &t : taken)
    if (!t.isIndex) on.push_back(batched(t.shape, false, -1, 1));
  second.push_back(back.back());
  second.push_back(batched(c.x, false, -1, 1));
  auto same = [&](const std::string &end, const std::vector<reference::Value> &arguments) {
    auto want = module.run("kept" + end, arguments);
    for (const char *way : {"again", "once"}) {
      auto have = module.run(way + end, arguments);
      ASSERT_EQ(have.size(), want.size());
      for (size_t i = 0; i < want.size(); ++i) expectNear(have[i], want[i], text + way + end);
    }
  };
  same("_back", back);
  same("_on", on);
  if (c.second) same("_second", second);
}

INSTANTIATE_TEST_SUITE_P(Operations, Transforms, testing::ValuesIn(kOperations), nameOf);
INSTANTIATE_TEST_SUITE_P(Arrays, Transforms, testing::ValuesIn(kArrays), nameOf);
INSTANTIATE_TEST_SUITE_P(Library, Transforms, testing::ValuesIn(kLibrary), nameOf);

}  // namespace
}  // namespace tessera::test
