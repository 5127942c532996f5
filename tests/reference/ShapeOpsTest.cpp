// Operations that are written out at check time (einsum, convolutions, pooling, stack, repeat, ...), interpreted,
// against plain loops (docs/spec/shapes.md, S13 to S19).
#include "Compiled.h"

using namespace tessera;
using namespace tessera::test;
using reference::Value;

namespace {
using Shape = std::vector<int64_t>;

double at(const Value &v, const Shape &index) {
  int64_t linear = 0;
  for (size_t i = 0; i < index.size(); ++i) linear = linear * v.shape[i] + index[i];
  return v.floats[static_cast<size_t>(linear)];
}
/// Calls `visit` with all indices of the shape, in row-major order.
void each(const Shape &shape, const std::function<void(const Shape &)> &visit) {
  Shape index(shape.size());
  int64_t count = 1;
  for (int64_t n : shape) count *= n;
  for (int64_t i = 0; i < count; ++i) {
    int64_t rest = i;
    for (size_t a = shape.size(); a-- > 0;) index[a] = rest % shape[a], rest /= shape[a];
    visit(index);
  }
}
/// Runs the one function of the text and compares each element of its result.
void expect(const std::string &text, const reference::Arguments &arguments, const Shape &shape,
            const std::function<double(const Shape &)> &want) {
  SCOPED_TRACE(text);
  Compiled program("test.tsr", text);
  auto outcome = program.run("f", arguments);
  ASSERT_TRUE(outcome) << (outcome.error ? outcome.error->message : "");
  ASSERT_EQ(outcome.values.size(), 1u);
  ASSERT_EQ(outcome.values[0].shape, shape);
  each(shape, [&](const Shape &index) {
    double w = want(index);
    ASSERT_NEAR(at(outcome.values[0], index), w, 1e-4 * (1 + std::abs(w)));
  });
}
Value random(const Shape &shape, unsigned seed) { return normal(DType::F32, shape, seed); }
}  // namespace

TEST(ShapeOps, StackInsertsAnAxis) {
  Value x = random({3, 4}, 1), y = random({3, 4}, 2);
  expect("def f[N, M](x: Tensor[N, M, f32], y: Tensor[N, M, f32]) -> Tensor[N, M, 2, f32]:\n    return stack(x, y, axis=-1)\n",
         {x, y}, {3, 4, 2}, [&](const Shape &i) { return at(i[2] == 0 ? x : y, {i[0], i[1]}); });
}
TEST(ShapeOps, RepeatOfElementsAndOfAxes) {
  Value x = random({2, 3, 4}, 1);
  expect("def f[A, B, C](x: Tensor[A, B, C, f32]) -> Tensor[A, 3 * B, C, f32]:\n    return x.repeat(3, 1)\n", {x}, {2, 9, 4},
         [&](const Shape &i) { return at(x, {i[0], i[1] / 3, i[2]}); });
  expect("def f[A, B, C](x: Tensor[A, B, C, f32]) -> Tensor[A, 3 * B, C, f32]:\n    return x.tile_repeat(3, 1)\n", {x}, {2, 9, 4},
         [&](const Shape &i) { return at(x, {i[0], i[1] % 3, i[2]}); });
}
TEST(ShapeOps, SplitBySizesFlattenExpandSqueeze) {
  Value x = random({9}, 1), y = random({2, 3, 4}, 2), z = random({5, 1}, 3), k = random({4}, 4);
  expect("def f[N](x: Tensor[N + 5, f32], k: Tensor[N, f32]) -> Tensor[N + 5, f32]:\n    a, b, c = split(x, [2, N, 3])\n    return concat(c, b, a)\n",
         {x, k}, {9}, [&](const Shape &i) { return at(x, {i[0] < 3 ? i[0] + 6 : i[0] < 7 ? i[0] - 1 : i[0] - 7}); });
  expect("def f[A, B, C](x: Tensor[A, B, C, f32]) -> Tensor[A, B * C, f32]:\n    return x.flatten(1)\n", {y}, {2, 12},
         [&](const Shape &i) { return at(y, {i[0], i[1] / 4, i[1] % 4}); });
  expect("def f[N](x: Tensor[N, 1, f32]) -> Tensor[2, N, 3, f32]:\n    return x.expand(2, -1, 3)\n", {z}, {2, 5, 3},
         [&](const Shape &i) { return at(z, {i[1], 0}); });
  expect("def f[N](x: Tensor[N, 1, f32]) -> Tensor[N, f32]:\n    return x.squeeze()\n", {z}, {5},
         [&](const Shape &i) { return at(z, {i[0], 0}); });
}
TEST(ShapeOps, EinsumIsTheSumOfProducts) {
  // Random equations of two or three operands, against the definition.
  std::mt19937 random_(7);
  const std::string alphabet = "ijkl";
  const std::map<char, int64_t> extent = {{'i', 2}, {'j', 3}, {'k', 4}, {'l', 5}};
  for (int round = 0; round < 120; ++round) {
    std::vector<std::string> inputs;
    std::string all;
    for (size_t n = 1 + random_() % 3; n > 0; --n) {
      std::string letters = alphabet;
      std::shuffle(letters.begin(), letters.end(), random_);
      inputs.push_back(letters.substr(0, 1 + random_() % 3));
      for (char c : inputs.back())
        if (all.find(c) == std::string::npos) all += c;
    }
    std::string output = all;
    std::shuffle(output.begin(), output.end(), random_);
    output = output.substr(0, random_() % (all.size() + 1));
    std::string equation, parameters, names, dims, result;
    reference::Arguments arguments;
    std::set<char> used(all.begin(), all.end());
    for (char c : used) dims += (dims.empty() ? "" : ", ") + std::string(1, static_cast<char>(std::toupper(c)));
    for (size_t o = 0; o < inputs.size(); ++o) {
      std::string name = "x" + std::to_string(o);
      Shape shape;
      parameters += (o ? ", " : "") + name + ": Tensor[";
      for (char c : inputs[o]) {
        parameters += std::string(1, static_cast<char>(std::toupper(c))) + ", ";
        shape.push_back(extent.at(c));
      }
      parameters += "f32]";
      names += ", " + name;
      equation += (o ? "," : "") + inputs[o];
      arguments.push_back(random(shape, static_cast<unsigned>(random_())));
    }
    for (char c : output) result += std::string(1, static_cast<char>(std::toupper(c))) + ", ";
    Shape shape;
    for (char c : output) shape.push_back(extent.at(c));
    std::string text = "def f[" + dims + "](" + parameters + ") -> Tensor[" + result + "f32]:\n    return einsum(\"" + equation +
                       "->" + output + "\"" + names + ")\n";
    expect(text, arguments, shape, [&](const Shape &index) {
      Shape whole;
      for (char c : all) whole.push_back(extent.at(c));
      double sum = 0;
      each(whole, [&](const Shape &values) {
        for (size_t i = 0; i < output.size(); ++i)
          if (values[all.find(output[i])] != index[i]) return;
        double product = 1;
        for (size_t o = 0; o < inputs.size(); ++o) {
          Shape where;
          for (char c : inputs[o]) where.push_back(values[all.find(c)]);
          product *= at(*arguments[o], where);
        }
        sum += product;
      });
      return sum;
    });
  }
}
TEST(ShapeOps, ConvolutionsInAllForms) {
  std::mt19937 random_(8);
  auto pick = [&](int64_t low, int64_t high) { return low + static_cast<int64_t>(random_() % static_cast<uint64_t>(high - low + 1)); };
  for (int round = 0; round < 40; ++round) {
    int64_t g = pick(1, 2), cg = pick(1, 3), og = pick(1, 2), kh = pick(1, 3), kw = pick(1, 3), s = pick(1, 3), t = pick(1, 2),
            p = pick(0, 2), d = pick(1, 2), b = pick(1, 2);
    int64_t h = d * (kh - 1) + 1 + pick(0, 5), w = d * (kw - 1) + 1 + pick(0, 5);
    int64_t oh = (h + 2 * p - d * (kh - 1) - 1) / s + 1, ow = (w + 2 * p - d * (kw - 1) - 1) / t + 1;
    Value x = random({b, g * cg, h, w}, static_cast<unsigned>(random_())),
          k = random({g * og, cg, kh, kw}, static_cast<unsigned>(random_())), bias = random({g * og}, 5);
    auto n = [](int64_t v) { return std::to_string(v); };
    std::string size = "(H + " + n(2 * p) + " - " + n(d * (kh - 1)) + " - 1) // " + n(s) + " + 1, (W + " + n(2 * p) + " - " +
                       n(d * (kw - 1)) + " - 1) // " + n(t) + " + 1";
    std::string text = "def f[B, H, W](x: Tensor[B, " + n(g * cg) + ", H, W, f32], w: Tensor[" + n(g * og) + ", " + n(cg) + ", " + n(kh) +
                       ", " + n(kw) + ", f32], b: Tensor[" + n(g * og) + ", f32]) -> Tensor[B, " + n(g * og) + ", " + size +
                       ", f32] where H >= " + n(d * (kh - 1) + 1) + ", W >= " + n(d * (kw - 1) + 1) +
                       ":\n    return conv2d(x, w, b, stride=(" + n(s) + ", " + n(t) + "), padding=" + n(p) + ", dilation=" + n(d) +
                       ", groups=" + n(g) + ")\n";
    expect(text, {x, k, bias}, {b, g * og, oh, ow}, [&](const Shape &i) {
      double sum = at(bias, {i[1]});
      each({cg, kh, kw}, [&](const Shape &j) {
        int64_t y = i[2] * s - p + j[1] * d, z = i[3] * t - p + j[2] * d;
        if (y < 0 || y >= h || z < 0 || z >= w) return;
        sum += at(x, {i[0], i[1] / og * cg + j[0], y, z}) * at(k, {i[1], j[0], j[1], j[2]});
      });
      return sum;
    });
  }
}
TEST(ShapeOps, PoolingInAllForms) {
  std::mt19937 random_(9);
  auto pick = [&](int64_t low, int64_t high) { return low + static_cast<int64_t>(random_() % static_cast<uint64_t>(high - low + 1)); };
  for (int round = 0; round < 40; ++round) {
    int64_t k = pick(1, 3), s = pick(1, 3), p = pick(0, k / 2), h = k + pick(0, 6);
    bool isMax = round % 2 == 0;
    int64_t out = (h + 2 * p - k) / s + 1;
    Value x = random({2, 3, h}, static_cast<unsigned>(random_()));
    auto n = [](int64_t v) { return std::to_string(v); };
    std::string text = "def f[B, C, H](x: Tensor[B, C, H, f32]) -> Tensor[B, C, (H + " + n(2 * p) + " - " + n(k) + ") // " + n(s) +
                       " + 1, f32] where H >= " + n(k) + ":\n    return " + (isMax ? "max" : "avg") + "_pool(x, " + n(k) + ", stride=" + n(s) +
                       ", padding=" + n(p) + ")\n";
    expect(text, {x}, {2, 3, out}, [&](const Shape &i) {
      double best = -INFINITY, sum = 0;
      for (int64_t j = 0; j < k; ++j) {
        int64_t y = i[2] * s - p + j;
        if (y < 0 || y >= h) continue;
        best = std::max(best, at(x, {i[0], i[1], y}));
        sum += at(x, {i[0], i[1], y});
      }
      return isMax ? best : sum / static_cast<double>(k);
    });
  }
  Value x = random({2, 2, 41}, 3);  // wide windows that stand side by side are reshaped
  expect("def f[B, H](x: Tensor[B, 2, 41, f32], y: Tensor[H, f32]) -> Tensor[B, 2, 2, f32]:\n    return max_pool(x, 20)\n", {x, random({1}, 1)},
         {2, 2, 2}, [&](const Shape &i) {
           double best = -INFINITY;
           for (int64_t j = 0; j < 20; ++j) best = std::max(best, at(x, {i[0], i[1], i[2] * 20 + j}));
           return best;
         });
}
TEST(ShapeOps, OrdersOfRowsAreStableWithNaNLast) {
  const double nan = NAN, inf = INFINITY;
  Value x = Value::ofFloats(DType::F32, {2, 6}, {1, nan, -0.0, 0.0, -inf, 1, nan, inf, nan, 2, 2, -3});
  auto expect_ = [&](const std::string &call, std::vector<int64_t> right) {
    Value order = Value::ofInts(DType::I64, {2, 6}, right);
    expect("def f(x: Tensor[2, 6, f32]) -> Tensor[2, 6, f32]:\n    return cast(" + call + ", f32)\n", {x}, {2, 6},
           [&](const Shape &i) { return static_cast<double>(order.ints[static_cast<size_t>(i[0] * 6 + i[1])]); });
  };
  expect_("argsort(x)", {4, 2, 3, 0, 5, 1, 5, 3, 4, 1, 0, 2});
  expect_("x.argsort(descending=True)", {0, 5, 2, 3, 4, 1, 1, 3, 4, 5, 0, 2});
  expect_("argsort(x, axis=0)", {0, 1, 0, 0, 0, 1, 1, 0, 1, 1, 1, 0});
  expect_("argsort(x > 0.5, descending=True)", {0, 5, 1, 2, 3, 4, 1, 3, 4, 0, 2, 5});
}
TEST(ShapeOps, TakeGatherAndScatterAtAnyIndex) {
  std::mt19937 random_(10);
  auto indices = [&](const Shape &shape, int64_t extent) {  // from the end too, and some that lie outside
    int64_t count = 1;
    for (int64_t n : shape) count *= n;
    std::vector<int64_t> values;
    for (int64_t i = 0; i < count; ++i)
      values.push_back(static_cast<int64_t>(random_() % static_cast<uint64_t>(2 * extent + 4)) - extent - 2);
    return Value::ofInts(DType::I32, shape, values);
  };
  auto placed = [](const Value &v, const Shape &index, int64_t extent) {  // -1: outside
    int64_t linear = 0;
    for (size_t i = 0; i < index.size(); ++i) linear = linear * v.shape[i] + index[i];
    int64_t place = v.ints[static_cast<size_t>(linear)];
    if (place < 0) place += extent;
    return place >= 0 && place < extent ? place : int64_t(-1);
  };
  Value x = random({4, 5, 3}, 1), many = indices({2, 6}, 5), like = indices({4, 7, 3}, 5), less = indices({2, 7, 3}, 5);
  expect("def f[A, N, C, P, Q](x: Tensor[A, N, C, f32], at: Tensor[P, Q, i32]) -> Tensor[A, P, Q, C, f32]:\n    return take(x, at, 1)\n",
         {x, many}, {4, 2, 6, 3}, [&](const Shape &i) {
           int64_t place = placed(many, {i[1], i[2]}, 5);
           return place < 0 ? 0 : at(x, {i[0], place, i[3]});
         });
  for (int64_t one : {-6, -5, -1, 0, 4, 5})
    expect("def f[A, N, C](x: Tensor[A, N, C, f32], at: i32) -> Tensor[A, C, f32]:\n    return take(x, at, 1)\n",
           {x, Value::ofInts(DType::I32, {}, {one})}, {4, 3}, [&](const Shape &i) {
             int64_t place = one < 0 ? one + 5 : one;
             return place < 0 || place >= 5 ? 0 : at(x, {i[0], place, i[1]});
           });
  for (const Value *where : {&like, &less})
    expect("def f[A, N, C, B, K](x: Tensor[A, N, C, f32], at: Tensor[B, K, C, i32]) -> Tensor[B, K, C, f32] where B <= A:\n    return gather(x, at, 1)\n",
           {x, *where}, where->shape, [&](const Shape &i) {
             int64_t place = placed(*where, i, 5);
             return place < 0 ? 0 : at(x, {i[0], place, i[2]});
           });
  Value values = random({4, 7, 3}, 2);
  expect("def f[A, N, C, K](x: Tensor[A, N, C, f32], at: Tensor[A, K, C, i32], v: Tensor[A, K, C, f32]) -> Tensor[A, N, C, f32]:\n    return scatter(x, at, v, 1)\n",
         {x, like, values}, {4, 5, 3}, [&](const Shape &i) {
           double last = at(x, i);
           for (int64_t k = 0; k < 7; ++k)
             if (placed(like, {i[0], k, i[2]}, 5) == i[1]) last = at(values, {i[0], k, i[2]});
           return last;
         });
}
