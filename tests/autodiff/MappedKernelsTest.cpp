// Kernels under `vmap`: one launch for all indices of an axis is what a launch for each is, whatever grid the kernel has and
// whichever of its arguments are mapped.
#include "Derivatives.h"

namespace tessera::test {
namespace {

using reference::Value;

constexpr int64_t kBatch = 3;

const char *const kKernels = R"(
@kernel
def scaled[N](x: Tensor[N, f64], c: f64) -> Tensor[N, f64]:
    T = tile.context()
    m = tile.origin()[0]
    return c * x[m:m + T.m]

@kernel
def softmax_rows[N, M](x: Tensor[N, M, f64]) -> Tensor[N, M, f64]:
    r = tile.origin()[0]
    e = tile.exp(x[r, :] - tile.max(x[r, :]))
    return e / tile.sum(e)

@kernel
def product[N, M, K](a: Tensor[N, K, f64], b: Tensor[K, M, f64]) -> Tensor[N, M, f64]:
    T = tile.context()
    m, n = tile.origin()
    acc = tile.zeros([T.m, T.n], f64)
    for k in range(0, K, T.k):
        acc += tile.dot(a[m:m + T.m, k:k + T.k], b[k:k + T.k, n:n + T.n])
    return acc

@kernel
def ends[N, M](x: Tensor[N, M, f64]) -> Tuple[Tensor[N, f64], Tensor[N, f64]]:
    (r,) = tile.origin()
    row = x[r, :]
    return tile.min(row, axis=-1), tile.max(row, axis=-1)

@kernel
def added[N](c: f64, x: Tensor[N, f64], y: Tensor[N, f64]) -> Tensor[N, f64]:
    i = tile.linear_id()
    if i < N:
        y[i] = c * x[i] + y[i]
    return y

@kernel
def shifted[N, M](x: Tensor[N, M, f64], y: Tensor[N, M, f64]) -> Tensor[N, M, f64]:
    i = tile.linear_id()
    if i < N * M:
        y[i // M, i % M] = x[(i // M + 1) % N, i % M]
    return y

@kernel(grid=(cdiv(N, 32),), group=32)
def turned[N](x: Tensor[N, f64], y: Tensor[N, f64]) -> Tensor[N, f64]:
    buffer = tile.alloc_shared((32,), f64)
    first = tile.group_id(0) * 32
    lane = tile.local_id()
    if first + lane < N:
        buffer[lane] = x[first + lane]
    tile.barrier()
    last = min(N - first, 32)
    if first + lane < N:
        y[first + lane] = buffer[last - 1 - lane]
    return y

@kernel(grid=(cdiv(N, 64), 2), group=64)
def counted[N](x: Tensor[N, i32], counts: Tensor[2, 8, i32]) -> Tensor[2, 8, i32]:
    i = tile.group_id(0) * tile.group_size() + tile.local_id()
    if i < N:
        tile.atomic_add(counts[tile.group_id(1), x[i] & 7], x[i] * i32(tile.group_count(1)))
    return counts
)";

struct Taken {
  std::string name, type;
  std::vector<int64_t> shape;
};
struct Kernel {
  std::string name, dims;
  std::vector<Taken> taken;
  std::vector<std::string> results;
};

const std::vector<Kernel> kCases = {
    {"scaled", "N", {{"x", "N", {7}}, {"c", "", {}}}, {"N"}},
    {"softmax_rows", "N, M", {{"x", "N, M", {5, 7}}}, {"N, M"}},
    {"product", "N, M, K", {{"a", "N, K", {17, 5}}, {"b", "K, M", {5, 3}}}, {"N, M"}},
    {"ends", "N, M", {{"x", "N, M", {4, 7}}}, {"N", "N"}},
    {"added", "N", {{"c", "", {}}, {"x", "N", {65}}, {"y", "N", {65}}}, {"N"}},
    {"shifted", "N, M", {{"x", "N, M", {3, 5}}, {"y", "N, M", {3, 5}}}, {"N, M"}},
    {"turned", "N", {{"x", "N", {45}}, {"y", "N", {45}}}, {"N"}},
    {"counted", "N", {{"x", "N", {131}}, {"counts", "2, 8", {2, 8}}}, {"2, 8"}},
};

std::string typed(const std::string &dims, bool mapped, const std::string &dtype) {
  std::string all = mapped ? (dims.empty() ? "B" : "B, " + dims) : dims;
  return all.empty() ? dtype : "Tensor[" + all + ", " + dtype + "]";
}

class MappedKernels : public testing::TestWithParam<Kernel> {
protected:
  std::mt19937 random_{7};
  Value values(const Taken &t, bool mapped, bool whole) {
    std::vector<int64_t> shape = t.shape;
    if (mapped) shape.insert(shape.begin(), kBatch);
    Value value = Value::poison(whole ? DType::I32 : DType::F64, shape);
    for (double &v : value.floats) v = std::uniform_real_distribution<double>(-2, 2)(random_);
    for (int64_t &v : value.ints) v = static_cast<int64_t>(random_() % 50);
    return value;
  }
  /// The function that maps the kernel over these arguments, and what else it does with the result.
  static std::string mapping(const Kernel &k, const std::vector<bool> &mapped, const std::string &dtype) {
    std::string parameters, names, axes, results;
    for (size_t i = 0; i < k.taken.size(); ++i) {
      parameters += (i ? ", " : "") + k.taken[i].name + ": " + typed(k.taken[i].type, mapped[i], dtype);
      names += k.taken[i].name + ", ";
      axes += mapped[i] ? "0, " : "None, ";
    }
    for (const std::string &r : k.results) results += (results.empty() ? "" : ", ") + typed(r, true, dtype);
    if (k.results.size() > 1) results = "(" + results + ")";
    return "def all[B, " + k.dims + "](" + parameters + ") -> " + results + ":\n    return vmap(" + k.name + ", in_axes=(" + axes + "))(" + names + ")\n";
  }
};

TEST_P(MappedKernels, OneLaunchIsALaunchForEachIndex) {
  const Kernel &k = GetParam();
  bool whole = k.name == "counted";
  for (size_t which = 1; which < (size_t{1} << k.taken.size()); ++which) {
    std::vector<bool> mapped;
    for (size_t i = 0; i < k.taken.size(); ++i) mapped.push_back(((which >> i) & 1) != 0);
    Module module(kKernels + std::string("\n") + mapping(k, mapped, whole ? "i32" : "f64"));
    ASSERT_FALSE(module.hasErrors()) << module.messages();
    std::vector<Value> given;
    for (size_t i = 0; i < k.taken.size(); ++i) given.push_back(values(k.taken[i], mapped[i], whole));
    std::vector<Value> all = module.run("all", given);
    ASSERT_EQ(all.size(), k.results.size());
    for (int64_t b = 0; b < kBatch; ++b) {
      std::vector<Value> own;
      for (size_t i = 0; i < given.size(); ++i) own.push_back(mapped[i] ? part(given[i], b) : given[i]);
      std::vector<Value> one = module.run(k.name, own);
      ASSERT_EQ(one.size(), all.size());
      for (size_t r = 0; r < one.size(); ++r) {
        Value have = part(all[r], b);
        EXPECT_EQ(have.shape, one[r].shape);
        EXPECT_EQ(have.floats, one[r].floats) << k.name << " " << which << " index " << b;
        EXPECT_EQ(have.ints, one[r].ints) << k.name << " " << which << " index " << b;
      }
    }
    size_t calls = 0;  // one launch, of a kernel that is no entry point
    for (const auto &stmt : module.function("all").body)
      for (checked::Expr *e = stmt->value.get(); e; e = e->args.empty() ? nullptr : e->args[0].get()) calls += e->kind == checked::ExprKind::Call;
    EXPECT_EQ(calls, 1u);
  }
}
INSTANTIATE_TEST_SUITE_P(All, MappedKernels, testing::ValuesIn(kCases), [](const auto &info) { return info.param.name; });

TEST(MappedKernel, InFunctionsMapsOfMapsAndRules) {
  std::string text = kKernels + std::string(R"(
def block[N](x: Tensor[N, f64], c: f64) -> Tensor[N, f64]:
    return scaled(x * x, c) + sum(x)

def twice[A, B, N](x: Tensor[A, B, N, f64], c: Tensor[B, f64]) -> Tensor[A, B, N, f64]:
    return vmap(vmap(block), in_axes=(0, None))(x, c)

def counts[A, B, N](x: Tensor[A, B, N, i32]) -> Tensor[A, B, 2, 8, i32]:
    return vmap(vmap(lambda r: counted(r, zeros((2, 8), i32))))(x)

@custom_vjp
def soft[N, M](x: Tensor[N, M, f64]) -> Tensor[N, M, f64]:
    return softmax_rows(x)

@soft.vjp
def soft_back[N, M](x: Tensor[N, M, f64], y: Tensor[N, M, f64], d: Tensor[N, M, f64]) -> Tensor[N, M, f64]:
    inner, c = y * d, sum(y * d, axis=1, keepdim=True)
    return inner - y * c

def loss[B, N, M](x: Tensor[B, N, M, f64], t: Tensor[N, M, f64]) -> f64:
    return sum(vmap(soft)(x) * t)

slope = grad(loss)

def plain[B, N, M](x: Tensor[B, N, M, f64], t: Tensor[N, M, f64]) -> f64:
    e = exp(x)
    return sum(e / sum(e, axis=2, keepdim=True) * t)

plain_slope = grad(plain)
)");
  Module module(text);
  ASSERT_FALSE(module.hasErrors()) << module.messages();
  auto filled = [](std::vector<int64_t> shape, int salt) {
    Value v = Value::poison(DType::F64, std::move(shape));
    for (size_t i = 0; i < v.floats.size(); ++i) v.floats[i] = std::sin(static_cast<double>(i) * 1.7 + salt);
    return v;
  };
  Value x = filled({2, 3, 5}, 1), c = filled({3}, 2);
  Value all = module.run("twice", {x, c})[0];
  for (int64_t a = 0; a < 2; ++a)
    for (int64_t b = 0; b < 3; ++b) {
      Value one = module.run("block", {part(part(x, a), b), Value::scalar(DType::F64, c.floats[static_cast<size_t>(b)])})[0], have = part(part(all, a), b);
      for (size_t i = 0; i < one.floats.size(); ++i) EXPECT_NEAR(have.floats[i], one.floats[i], 1e-14);
    }
  Value n = Value::poison(DType::I32, {2, 1, 100});
  for (size_t i = 0; i < n.ints.size(); ++i) n.ints[i] = static_cast<int64_t>(i * i % 23);
  Value bins = module.run("counts", {n})[0];
  for (int64_t a = 0; a < 2; ++a)
    EXPECT_EQ(part(part(bins, a), 0).ints, module.run("counted", {part(part(n, a), 0), Value::ofInts(DType::I32, {2, 8}, std::vector<int64_t>(16))})[0].ints);
  Value y = filled({2, 3, 4}, 3), t = filled({3, 4}, 4);
  Value have = module.run("slope", {y, t})[0], want = module.run("plain_slope", {y, t})[0];
  ASSERT_EQ(have.floats.size(), want.floats.size());
  for (size_t i = 0; i < have.floats.size(); ++i) EXPECT_NEAR(have.floats[i], want.floats[i], 1e-13);
}

TEST(MappedKernel, WhatCannotBeMapped) {
  auto messages = [](const std::string &text) { return Module(text).messages(); };
  std::string lanes = "@kernel(lanes=N)\ndef k[N](x: Tensor[N, f32], y: Tensor[N, f32]) -> Tensor[N, f32]:\n    i = tile.linear_id()\n    lane = tile.local_id()\n"
                      "    if i < N:\n        y[i] = x[i] * f32(lane)\n    return y\n\ndef g[B, N](x: Tensor[B, N, f32], y: Tensor[N, f32]) -> Tensor[B, N, f32]:\n"
                      "    return vmap(k, in_axes=(0, None))(x, y)\n";
  EXPECT_NE(messages(lanes).find("`vmap` over the kernel `k`"), std::string::npos) << messages(lanes);
  EXPECT_NE(messages(lanes).find("groups of its own"), std::string::npos) << messages(lanes);
  std::string silent = "@kernel\ndef k[N](x: Tensor[N, f32], y: Tensor[N, f32]):\n    i = tile.linear_id()\n    if i < N:\n        y[i] = x[i]\n\n"
                       "def g[B, N](x: Tensor[B, N, f32], y: Tensor[N, f32]) -> Tensor[B, N, f32]:\n    def f(r):\n        k(r, y)\n        return r\n    return vmap(f)(x)\n";
  EXPECT_NE(messages(silent).find("does not return it"), std::string::npos) << messages(silent);
  std::string slope = "@kernel\ndef k[N](x: Tensor[N, f32]) -> Tensor[N, f32]:\n    T = tile.context()\n    m = tile.origin()[0]\n    return 2.0 * x[m:m + T.m]\n\n"
                      "def f[B, N](x: Tensor[B, N, f32]) -> f32:\n    return sum(vmap(k)(x))\n\ng = grad(f)\n";
  EXPECT_NE(messages(slope).find("the derivative of the kernel"), std::string::npos) << messages(slope);
}

}  // namespace
}  // namespace tessera::test
