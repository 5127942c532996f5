#include "reference/Format.h"
#include <cmath>
#include <gtest/gtest.h>

using namespace tessera;
using namespace tessera::reference;

namespace {
std::string show(const Ref &value, const char *spec) {
  auto text = formatField(*value, spec);
  return text ? *text : "error: " + text.error();
}
Ref f64(double v) { return makeFloat(DType::F64, v); }
Ref i64(int64_t v) { return makeInt(DType::I64, v); }
}  // namespace

TEST(Format, FloatsAsPythonWritesThem) {
  EXPECT_EQ(textOf(*f64(0.1)), "0.1");
  EXPECT_EQ(textOf(*f64(3)), "3.0");
  EXPECT_EQ(textOf(*f64(-0.0)), "-0.0");
  EXPECT_EQ(textOf(*f64(1e16)), "1e+16");
  EXPECT_EQ(textOf(*f64(123456789012345680.0)), "1.2345678901234568e+17");
  EXPECT_EQ(textOf(*f64(9999999999999998.0)), "9999999999999998.0");
  EXPECT_EQ(textOf(*f64(0.0001)), "0.0001");
  EXPECT_EQ(textOf(*f64(0.00001)), "1e-05");
  EXPECT_EQ(textOf(*f64(1e-300)), "1e-300");
  EXPECT_EQ(textOf(*f64(0)), "0.0");
  EXPECT_EQ(textOf(*f64(NAN)), "nan");
  EXPECT_EQ(textOf(*f64(-INFINITY)), "-inf");
  EXPECT_EQ(textOf(*makeFloat(DType::F32, 0.1f)), "0.1");
  EXPECT_EQ(textOf(*makeFloat(DType::BF16, 0.10009765625)), "0.1");
  EXPECT_EQ(textOf(*makeInt(DType::Bool, 1)), "True");
  EXPECT_EQ(textOf(*i64(-5)), "-5");
}

TEST(Format, FieldsAsPythonFillsThem) {
  EXPECT_EQ(show(f64(3.14159), ".2f"), "3.14");
  EXPECT_EQ(show(f64(3.14159), ":.2f"), "3.14");
  EXPECT_EQ(show(f64(-3.14159), "+9.3f"), "   -3.142");
  EXPECT_EQ(show(f64(3.14159), "+.1e"), "+3.1e+00");
  EXPECT_EQ(show(f64(1234567.891), ",.2f"), "1,234,567.89");
  EXPECT_EQ(show(f64(0.256), ".1%"), "25.6%");
  EXPECT_EQ(show(f64(1e10), "g"), "1e+10");
  EXPECT_EQ(show(f64(1e10), "G"), "1E+10");
  EXPECT_EQ(show(f64(2), "08.3f"), "0002.000");
  EXPECT_EQ(show(f64(-2), "08.3f"), "-002.000");
  EXPECT_EQ(show(f64(2), "*^9.1f"), "***2.0***");
  EXPECT_EQ(show(f64(2), "8"), "     2.0");
  EXPECT_EQ(show(f64(NAN), "5.1f"), "  nan");
  EXPECT_EQ(show(i64(42), "5"), "   42");
  EXPECT_EQ(show(i64(42), "<5"), "42   ");
  EXPECT_EQ(show(i64(42), ":<5"), "42   ");
  EXPECT_EQ(show(i64(255), "#x"), "0xff");
  EXPECT_EQ(show(i64(255), "X"), "FF");
  EXPECT_EQ(show(i64(5), "08b"), "00000101");
  EXPECT_EQ(show(i64(-1234567), ","), "-1,234,567");
  EXPECT_EQ(show(i64(1234567), "_"), "1_234_567");
  EXPECT_EQ(show(i64(3), ".2f"), "3.00");
  EXPECT_EQ(show(i64(7), "04,"), "0,007");
  EXPECT_EQ(show(i64(7), "^05"), "00700");
  EXPECT_EQ(show(f64(539.25), ".3"), "5.39e+02");
  EXPECT_EQ(show(f64(539.25), ".4"), "539.2");
  EXPECT_EQ(show(f64(-1234.5), "012,.1f"), "-0,001,234.5");
  EXPECT_EQ(show(makeText("abc"), ">5"), "  abc");
  EXPECT_EQ(show(makeText("h\xc3\xa9llo"), "-^7"), "-h\xc3\xa9llo-");
  EXPECT_EQ(show(makeText("abcdef"), ".3s"), "abc");
  EXPECT_EQ(show(makeText("it's"), "!r"), "\"it's\"");
  EXPECT_EQ(show(makeText("ab"), "!r:>6"), "  'ab'");
  EXPECT_EQ(show(makeText("ab"), ""), "ab");
}

TEST(Format, WrongFieldsAreSaid) {
  EXPECT_EQ(show(f64(1), "d"), "error: the format 'd' is for whole numbers, and this is f64");
  EXPECT_EQ(show(makeText("a"), ".2f"), "error: the format '.2f' is for numbers, and this is a string");
  EXPECT_EQ(show(f64(1), "q"), "error: the format 'q' is none that I know");
  EXPECT_EQ(show(f64(1), ".f"), "error: the format '.f' is none that I know");
  for (const char *spec : {".3f", ".3", "+", ",", "08", "d"})
    EXPECT_EQ(show(makeDatum(DType::F32, {2, 3}), spec),
              "error: the format '" + std::string(spec) + "' is for numbers, and this is a value of shape [2, 3]");
  EXPECT_EQ(show(makeDatum(DType::I32, {2}), ">8"), "  [0, 0]");
}

TEST(Format, Arrays) {
  Ref a = makeDatum(DType::I32, {2, 3});
  a->ints = {1, 2, 3, 4, 5, 6};
  EXPECT_EQ(textOf(*a), "[[1, 2, 3],\n [4, 5, 6]]");
  EXPECT_EQ(textOf(*makeDatum(DType::F32, {0})), "[]");
  EXPECT_EQ(textOf(*makeDatum(DType::F32, {2})), "[0.0, 0.0]");
  Ref longOne = makeDatum(DType::I64, {2000});
  for (size_t i = 0; i < 2000; ++i) longOne->ints[i] = static_cast<int64_t>(i);
  EXPECT_EQ(textOf(*longOne), "[0, 1, 2, ..., 1997, 1998, 1999]");
}
