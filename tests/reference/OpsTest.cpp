// Elementwise operations, casts and array operations, each against what NumPy gives.
#include "Build.h"
#include "reference/ArrayOps.h"
#include "reference/Elementwise.h"
#include <cmath>
#include <random>

using namespace tessera;
using namespace tessera::reference;
using Op = ElementwiseOp;

namespace {
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kInf = std::numeric_limits<double>::infinity();

Ref f64(std::vector<double> values) {
  int64_t n = static_cast<int64_t>(values.size());
  return makeRef(Value::ofFloats(DType::F64, {n}, std::move(values)));
}
Ref ints(DType dtype, std::vector<int64_t> values) {
  int64_t n = static_cast<int64_t>(values.size());
  return makeRef(Value::ofInts(dtype, {n}, std::move(values)));
}
double one(Op op, double a) {
  std::string error;
  return elementwise(op, DType::F64, {makeFloat(DType::F64, a)}, error)->floats[0];
}
double two(Op op, double a, double b) {
  std::string error;
  return elementwise(op, DType::F64, {makeFloat(DType::F64, a), makeFloat(DType::F64, b)}, error)->floats[0];
}
int64_t two(Op op, DType dtype, int64_t a, int64_t b) {
  std::string error;
  return elementwise(op, dtype, {makeInt(dtype, a), makeInt(dtype, b)}, error)->ints[0];
}
Ref arange(Shape shape) {
  Ref out = makeDatum(DType::F64, shape);
  for (size_t i = 0; i < out->size(); ++i) out->floats[i] = static_cast<double>(i);
  return out;
}
}  // namespace

TEST(Elementwise, FloatsAsPythonDoesThem) {
  EXPECT_EQ(two(Op::Mod, -7, 3), 2);
  EXPECT_EQ(two(Op::Mod, 7, -3), -2);
  EXPECT_EQ(two(Op::FloorDiv, -7, 2), -4);
  EXPECT_EQ(two(Op::FloorDiv, 1, 0.1), 9);
  EXPECT_TRUE(std::isnan(two(Op::Max, 1, kNaN)));
  EXPECT_TRUE(std::isnan(two(Op::Min, kNaN, 1)));
  EXPECT_EQ(one(Op::Round, 2.5), 2);
  EXPECT_EQ(one(Op::Round, -3.5), -4);
  EXPECT_EQ(one(Op::Rsqrt, 4), 0.5);
  EXPECT_EQ(one(Op::Sigmoid, -1000), 0);
  EXPECT_EQ(one(Op::Log, 0), -kInf);
  EXPECT_NEAR(one(Op::Erf, 0.5), 0.5204998778130465, 1e-15);
  EXPECT_EQ(one(Op::Exp2, 10), 1024);
  EXPECT_EQ(two(Op::Pow, 2, -1), 0.5);
  EXPECT_EQ(one(Op::Expm1, 1e-20), 1e-20);
  EXPECT_EQ(one(Op::Log1p, 1e-20), 1e-20);
  EXPECT_NEAR(one(Op::Erfc, 6) / 2.1519736712498913e-17, 1, 1e-12);
  EXPECT_NEAR(one(Op::Tan, 0.5), 0.5463024898437905, 1e-15);
  EXPECT_NEAR(one(Op::Asin, 0.5), 0.5235987755982989, 1e-15);
  EXPECT_NEAR(one(Op::Acos, 0.5), 1.0471975511965979, 1e-15);
  EXPECT_NEAR(one(Op::Atan, -2), -1.1071487177940904, 1e-15);
  EXPECT_NEAR(two(Op::Atan2, 1, -1), 2.356194490192345, 1e-15);
  EXPECT_NEAR(one(Op::Sinh, 1), 1.1752011936438014, 1e-15);
  EXPECT_NEAR(one(Op::Cosh, 1), 1.543080634815244, 1e-15);
  EXPECT_NEAR(one(Op::Asinh, 1), 0.881373587019543, 1e-15);
  EXPECT_NEAR(one(Op::Acosh, 2), 1.3169578969248166, 1e-15);
  EXPECT_NEAR(one(Op::Atanh, 0.5), 0.5493061443340548, 1e-15);
  EXPECT_EQ(one(Op::Log10, 1000), 3);
  EXPECT_EQ(one(Op::Trunc, -2.5), -2);
}

TEST(Elementwise, AnOperationOnF32IsRoundedAsF32Is) {
  std::string error;
  auto value = [](DType dtype, double v) { return makeFloat(dtype, v); };
  auto of = [&](Op op, DType dtype, double a, double b) {
    return elementwise(op, dtype, {value(dtype, a), value(dtype, b)}, error)->floats[0];
  };
  std::mt19937 random(7);
  std::uniform_real_distribution<float> any(-4, 4);
  for (int i = 0; i < 2000; ++i) {
    float x = any(random), y = any(random) * 1e-3f;
    volatile float sum = x + y, rest = sum - x, product = x * y;
    EXPECT_EQ(of(Op::Add, DType::F32, x, y), sum);
    EXPECT_EQ(of(Op::Sub, DType::F32, of(Op::Add, DType::F32, x, y), x), rest);
    EXPECT_EQ(of(Op::Mul, DType::F32, x, y), product);
  }
  EXPECT_EQ(of(Op::Mul, DType::F32, 1e30, 1e30), kInf);
  EXPECT_EQ(of(Op::Add, DType::BF16, 256, 1), 256);
  EXPECT_EQ(of(Op::Add, DType::F16, 2048, 1), 2048);
  EXPECT_EQ(reduce(makeRef(Value::ofFloats(DType::F32, {2}, {16777216, 1})), ReduceOp::Sum, {0}, DType::F32)->floats[0], 16777216);
}

TEST(Elementwise, IntegersWrapAtTheirWidth) {
  EXPECT_EQ(two(Op::Add, DType::I32, 2147483647, 1), -2147483648LL);
  EXPECT_EQ(two(Op::Sub, DType::U8, 3, 5), 254);
  EXPECT_EQ(two(Op::Mul, DType::I64, int64_t(1) << 62, 4), 0);
  EXPECT_EQ(two(Op::FloorDiv, DType::I64, -7, 2), -4);
  EXPECT_EQ(two(Op::FloorDiv, DType::I64, INT64_MIN, -1), INT64_MIN);
  EXPECT_EQ(two(Op::Mod, DType::I32, -7, 3), 2);
  EXPECT_EQ(two(Op::Mod, DType::I32, 7, -3), -2);
  EXPECT_EQ(two(Op::Pow, DType::I64, 3, 4), 81);
  EXPECT_EQ(two(Op::Shl, DType::I32, 1, 31), INT32_MIN);
  EXPECT_EQ(two(Op::Shl, DType::I32, 1, 64), 0);
  EXPECT_EQ(two(Op::Shr, DType::I32, -8, 1), -4);
  EXPECT_EQ(two(Op::Xor, DType::I32, 6, 3), 5);
  std::string error;
  EXPECT_EQ(elementwise(Op::Not, DType::Bool, {ints(DType::Bool, {0, 1})}, error)->ints, (Shape{1, 0}));
  EXPECT_EQ(elementwise(Op::Not, DType::I32, {ints(DType::I32, {0, 5})}, error)->ints, (Shape{-1, -6}));
  EXPECT_EQ(two(Op::FloorDiv, DType::I64, 7, 0), 0);  // host code asks before it divides
  EXPECT_EQ(two(Op::Mod, DType::I64, 7, 0), 0);
  EXPECT_EQ(elementwise(Op::Sqrt, DType::I64, {makeInt(DType::I64, 1)}, error), nullptr);
  EXPECT_EQ(error, "'sqrt' has no meaning for i64");
}

TEST(Elementwise, ScalarsLanesAndArraysMix) {
  std::string error;
  Ref lanes = makeDatum(DType::F64, {}, 2);
  lanes->floats = {10, 20};
  Ref sum = elementwise(Op::Add, DType::F64, {lanes, f64({1, 2, 3})}, error);
  EXPECT_EQ(sum->lanes, 2);
  EXPECT_EQ(sum->floats, (std::vector<double>{11, 12, 13, 21, 22, 23}));
  Ref chosen = elementwise(Op::Select, DType::F64,
                           {ints(DType::Bool, {1, 0, 1}), f64({1, 2, 3}), makeFloat(DType::F64, 9)}, error);
  EXPECT_EQ(chosen->floats, (std::vector<double>{1, 9, 3}));
  EXPECT_EQ(elementwise(Op::Add, DType::F64, {f64({1, 2}), f64({1, 2, 3})}, error), nullptr);
  EXPECT_EQ(error, "operands of 'add' have the shapes [2] and [3]");
  EXPECT_EQ(elementwise(Op::IsNan, DType::Bool, {f64({kNaN, 1})}, error)->ints, (Shape{1, 0}));
}

TEST(Cast, RoundsOnceAndOnlyThere) {
  std::string error;
  checked::Numerics plain, clipped;
  clipped.saturate = true;
  EXPECT_EQ(cast(f64({1.00390625, 1.01171875}), DType::BF16, plain, error)->floats,
            (std::vector<double>{1, 1.015625}));
  EXPECT_EQ(cast(f64({1000, -kInf}), DType::F8E4M3, clipped, error)->floats,
            (std::vector<double>{448, -448}));
  EXPECT_EQ(cast(f64({2.9, -2.9, kNaN, 1e30}), DType::I32, plain, error)->ints, (Shape{2, -2, 0, INT32_MAX}));
  EXPECT_EQ(cast(ints(DType::I64, {300, -1}), DType::U8, plain, error)->ints, (Shape{44, 255}));
  EXPECT_EQ(cast(ints(DType::I64, {300, -1}), DType::U8, clipped, error)->ints, (Shape{255, 0}));
  checked::Numerics flush;
  flush.denormals = checked::Denormals::Flush;
  EXPECT_EQ(cast(f64({1e-40}), DType::F32, flush, error)->floats[0], 0);
  EXPECT_NE(cast(f64({1e-40}), DType::F32, plain, error)->floats[0], 0);
}

TEST(RandomNumbers, AreFunctionsOfTheKeyAndTheElement) {
  std::string error;
  auto bits = elementwise(ElementwiseOp::RandomBits, DType::I64, {ints(DType::I64, {0, 0, 0, 0}), ints(DType::I64, {0, 1, 2, 3})}, error);
  EXPECT_EQ(bits->ints, (Shape{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));  // kat_vectors of Random123
  auto keys = elementwise(ElementwiseOp::RandomKey, DType::I64, {ints(DType::I64, {7, 7, -1}), ints(DType::I64, {0, 1, 0})}, error);
  EXPECT_NE(keys->ints[0], keys->ints[1]);
  EXPECT_NE(keys->ints[0], keys->ints[2]);
  EXPECT_EQ(elementwise(ElementwiseOp::Probit, DType::F64, {f64({0.5})}, error)->floats[0], 0);
  EXPECT_NEAR(elementwise(ElementwiseOp::Probit, DType::F64, {f64({0.975})}, error)->floats[0], 1.959963984540054, 1e-14);
}

TEST(Cast, LargeIntegersAreRoundedOnce) {
  std::string error;
  // Twice rounded (through f64) the first would be a tie and go down.
  for (int64_t v : {(int64_t(1) << 60) + (int64_t(1) << 36) + 1, -(int64_t(1) << 60) - (int64_t(1) << 36) - 1,
                    INT64_MAX, INT64_MIN})
    EXPECT_EQ(cast(ints(DType::I64, {v}), DType::F32, {}, error)->floats[0],
              static_cast<double>(static_cast<float>(v)))
        << v;
}

TEST(Arrays, MovingElements) {
  Ref a = arange({2, 3});
  EXPECT_EQ(transpose(a, {1, 0})->floats, (std::vector<double>{0, 3, 1, 4, 2, 5}));
  EXPECT_EQ(broadcast(arange({3}), {2, 3}, {1})->floats, (std::vector<double>{0, 1, 2, 0, 1, 2}));
  EXPECT_EQ(broadcast(arange({2, 1}), {2, 2, 3}, {1, 2})->floats,
            (std::vector<double>{0, 0, 0, 1, 1, 1, 0, 0, 0, 1, 1, 1}));
  EXPECT_EQ(slice(a, {{0, 2, 1, false}, {1, 1, 1, true}})->floats, (std::vector<double>{1, 4}));
  EXPECT_EQ(slice(a, {{1, 1, 1, true}, {2, 2, -2, false}})->floats, (std::vector<double>{5, 3}));
  EXPECT_EQ(concat({a, arange({1, 3})}, 0)->floats, (std::vector<double>{0, 1, 2, 3, 4, 5, 0, 1, 2}));
  EXPECT_EQ(concat({a, arange({2, 1})}, 1)->floats, (std::vector<double>{0, 1, 2, 0, 3, 4, 5, 1}));
  EXPECT_EQ(iota(DType::I32, {2, 3}, 1)->ints, (Shape{0, 1, 2, 0, 1, 2}));
  EXPECT_EQ(transpose(arange({0, 3}), {1, 0})->shape, (Shape{3, 0}));
  Ref cube = transpose(arange({2, 3, 4}), {2, 0, 1});
  for (int64_t i = 0; i < 4; ++i)
    for (int64_t j = 0; j < 2; ++j)
      for (int64_t k = 0; k < 3; ++k)
        EXPECT_EQ(cube->floats[static_cast<size_t>((i * 2 + j) * 3 + k)], (j * 3 + k) * 4 + i);
}

TEST(Arrays, LanesAreKeptApart) {
  Ref a = makeDatum(DType::F64, {2, 2}, 2);
  for (size_t i = 0; i < 8; ++i) a->floats[i] = static_cast<double>(i);
  EXPECT_EQ(transpose(a, {1, 0})->floats, (std::vector<double>{0, 2, 1, 3, 4, 6, 5, 7}));
  EXPECT_EQ(reduce(a, ReduceOp::Sum, {1}, DType::F64)->floats, (std::vector<double>{1, 5, 9, 13}));
  EXPECT_EQ(reduce(a, ReduceOp::Sum, {0, 1}, DType::F64)->floats, (std::vector<double>{6, 22}));
  EXPECT_EQ(dot(a, arange({2, 1}), DType::F64)->floats, (std::vector<double>{1, 3, 5, 7}));
  EXPECT_EQ(concat({a, arange({1, 2})}, 0)->floats,
            (std::vector<double>{0, 1, 2, 3, 0, 1, 4, 5, 6, 7, 0, 1}));
}

TEST(Arrays, Reductions) {
  Ref a = arange({2, 3});
  EXPECT_EQ(reduce(a, ReduceOp::Sum, {0}, DType::F64)->floats, (std::vector<double>{3, 5, 7}));
  EXPECT_EQ(reduce(a, ReduceOp::Prod, {1}, DType::F64)->floats, (std::vector<double>{0, 60}));
  EXPECT_EQ(reduce(a, ReduceOp::Max, {0, 1}, DType::F64)->floats, (std::vector<double>{5}));
  EXPECT_TRUE(std::isnan(reduce(f64({1, kNaN, 2}), ReduceOp::Max, {0}, DType::F64)->floats[0]));
  EXPECT_EQ(reduce(f64({}), ReduceOp::Max, {0}, DType::F64)->floats[0], -kInf);
  EXPECT_EQ(reduce(f64({}), ReduceOp::Sum, {0}, DType::F64)->floats[0], 0);
  EXPECT_EQ(reduce(ints(DType::I8, {}), ReduceOp::Max, {0}, DType::I8)->ints[0], -128);
  EXPECT_EQ(reduce(ints(DType::I8, {100, 100}), ReduceOp::Sum, {0}, DType::I8)->ints[0], -56);
  EXPECT_EQ(reduce(ints(DType::Bool, {0, 1}), ReduceOp::Any, {0}, DType::Bool)->ints[0], 1);
  EXPECT_EQ(reduce(ints(DType::Bool, {0, 1}), ReduceOp::All, {0}, DType::Bool)->ints[0], 0);
}

TEST(Arrays, Dots) {
  EXPECT_EQ(dot(arange({2, 3}), arange({3, 2}), DType::F32)->floats, (std::vector<double>{10, 13, 28, 40}));
  Ref batched = dot(arange({2, 1, 2}), arange({2, 2, 1}), DType::F32);
  EXPECT_EQ(batched->shape, (Shape{2, 1, 1}));
  EXPECT_EQ(batched->floats, (std::vector<double>{1, 13}));
  EXPECT_EQ(dot(arange({2, 0}), arange({0, 2}), DType::F32)->floats, (std::vector<double>{0, 0, 0, 0}));
  Ref a = makeRef(Value::ofInts(DType::I32, {1, 2}, {1 << 20, 1})),
      b = makeRef(Value::ofInts(DType::I32, {2, 1}, {1 << 12, 5}));
  EXPECT_EQ(dot(a, b, DType::I32)->ints[0], 5);
}

TEST(Evaluate, ConstantsHaveValuesAndVariablesHaveNone) {
  using namespace tessera::test;
  auto sum = evaluate(*apply(Op::Mul, index(), add(whole(3), whole(4)), whole(6)));
  ASSERT_TRUE(sum) << sum.error();
  EXPECT_EQ(sum->ints[0], 42);
  auto literal = evaluate(*number(DType::F32, 0.1));
  EXPECT_EQ(literal->floats[0], static_cast<double>(0.1f));
  auto unknown = evaluate(*size("N"));
  ASSERT_FALSE(unknown);
  EXPECT_EQ(unknown.error(), "the size N has no value here");
  auto zero = evaluate(*apply(Op::FloorDiv, index(), whole(3), whole(0)));
  ASSERT_FALSE(zero);
  EXPECT_EQ(zero.error(), "a division by zero");
}
