#include "support/Npy.h"
#include <cstring>
#include <gtest/gtest.h>

using namespace tessera;

namespace {
/// A file with this header dictionary, as version 1, 2 or 3.
std::string file(const std::string &dictionary, const std::string &data, int version = 1) {
  std::string out = "\x93NUMPY";
  out += static_cast<char>(version);
  out += '\0';
  size_t length = dictionary.size();
  for (int i = 0; i < (version == 1 ? 2 : 4); ++i) out += static_cast<char>(length >> (8 * i));
  return out + dictionary + data;
}
template <class T> std::string raw(std::initializer_list<T> values) {
  std::string out;
  for (T v : values) out.append(reinterpret_cast<const char *>(&v), sizeof(T));
  return out;
}
std::string errorOf(const std::string &bytes, std::optional<DType> expected = std::nullopt) {
  auto array = parseNpy(bytes, expected);
  return array ? "no error" : array.error();
}
const std::string kHeader = "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }\n";
}  // namespace

TEST(Npy, TruthValuesAreZeroOrOne) {
  std::string bytes = writeNpy({DType::Bool, {2}, std::string("\1\0", 2)});
  EXPECT_EQ(errorOf(bytes), "no error");
  bytes.back() = 2;
  EXPECT_EQ(errorOf(bytes), "the .npy file holds 2 where a truth value is 0 or 1");
}

TEST(Npy, EveryDtypeReadsBack) {
  for (DType dtype : {DType::F64, DType::F32, DType::F16, DType::BF16, DType::F8E4M3, DType::F8E5M2,
                      DType::F4E2M1, DType::I64, DType::I32, DType::I16, DType::I8, DType::I4, DType::U32,
                      DType::U16, DType::U8, DType::Bool, DType::Complex64, DType::TF32}) {
    NpyArray array{dtype, {2, 3}, {}};
    for (int i = 0; i < 6 * storageBytes(dtype); ++i) array.data += static_cast<char>(dtype == DType::Bool ? i % 2 : i * 7 + 1);
    std::string bytes = writeNpy(array);
    EXPECT_EQ((bytes.size() - array.data.size()) % 64, 0u);
    auto back = parseNpy(bytes, dtype);
    ASSERT_TRUE(back) << back.error();
    EXPECT_EQ(back->dtype, dtype);
    EXPECT_EQ(back->shape, array.shape);
    EXPECT_EQ(back->data, array.data);
  }
}

TEST(Npy, WritesWhatNumpyWrites) {
  EXPECT_NE(writeNpy({DType::F32, {5}, std::string(20, 'x')})
                .find("{'descr': '<f4', 'fortran_order': False, 'shape': (5,), }"),
            std::string::npos);
  EXPECT_NE(writeNpy({DType::Bool, {}, "\1"}).find("'|b1', 'fortran_order': False, 'shape': (), }"),
            std::string::npos);
  EXPECT_NE(writeNpy({DType::BF16, {0, 2}, ""}).find("'<V2', 'fortran_order': False, 'shape': (0, 2), }"),
            std::string::npos);
}

TEST(Npy, VersionsAndOrders) {
  std::string data = raw<float>({1, 2, 3, 4, 5, 6});
  for (int version : {1, 2, 3}) {
    auto array = parseNpy(file(kHeader, data, version));
    ASSERT_TRUE(array) << array.error();
    EXPECT_EQ(array->data, data);
  }
  auto columns = parseNpy(file("{'shape': (2, 3), 'descr': '<f4', 'fortran_order': True}", data));
  ASSERT_TRUE(columns) << columns.error();
  EXPECT_EQ(columns->data, raw<float>({1, 3, 5, 2, 4, 6}));
  auto cube = parseNpy(file("{'shape': (2, 1, 3), 'descr': '<f4', 'fortran_order': True}", data));
  ASSERT_TRUE(cube) << cube.error();
  EXPECT_EQ(cube->data, raw<float>({1, 3, 5, 2, 4, 6}));
  auto big =
      parseNpy(file("{\"descr\": \">u2\", 'fortran_order': False, 'shape': (2L,)}", std::string("\1\2\3\4")));
  ASSERT_TRUE(big) << big.error();
  EXPECT_EQ(big->data, "\2\1\4\3");
  auto none = parseNpy(file("{'shape': (3, 0), 'descr': '<f4', 'fortran_order': True}", ""));
  ASSERT_TRUE(none) << none.error();
  EXPECT_EQ(none->shape, (std::vector<int64_t>{3, 0}));
}

TEST(Npy, DamageIsSaid) {
  EXPECT_EQ(errorOf("hello"), "this is no .npy file: it does not start with \\x93NUMPY");
  EXPECT_EQ(errorOf(""), "this is no .npy file: it does not start with \\x93NUMPY");
  EXPECT_EQ(errorOf("\x93NUMPY\1"), "the .npy file ends inside its first 10 bytes");
  EXPECT_EQ(errorOf(file(kHeader, "", 4)), "the .npy file has version 4, and I read versions 1, 2 and 3");
  EXPECT_EQ(errorOf(file(kHeader, "", 1).substr(0, 30)), "the .npy file ends inside its header");
  EXPECT_EQ(errorOf(file(kHeader, std::string(23, 'x'))),
            "the .npy file is cut off: its header promises 24 bytes of data and 23 are there");
  EXPECT_NE(errorOf(file("{'descr': '<f4', 'shape': (2,)}", "")).find("no key 'fortran_order'"),
            std::string::npos);
  EXPECT_NE(
      errorOf(file("{'descr': '<f4', 'fortran_order': False, 'shape': (-2,)}", "")).find("not a number"),
      std::string::npos);
  EXPECT_NE(
      errorOf(file("{'descr': '<f4', 'fortran_order': False, 'shape': (999999999999, 999999999999)}", ""))
          .find("more elements than memory"),
      std::string::npos);
  EXPECT_NE(errorOf(file("{'descr': '<f4', 'fortran_order': False, 'shape': (99999999999999999999,)}", ""))
                .find("too large"),
            std::string::npos);
  EXPECT_NE(
      errorOf(file("{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (1,)}", "")).find("records"),
      std::string::npos);
  EXPECT_NE(
      errorOf(file("{'descr': '<u8', 'fortran_order': False, 'shape': (1,)}", "")).find("no counterpart"),
      std::string::npos);
  EXPECT_NE(
      errorOf(file("{'descr': '<V2', 'fortran_order': False, 'shape': (0,)}", "")).find("say which dtype"),
      std::string::npos);
  EXPECT_EQ(errorOf(file(kHeader, std::string(24, 'x')), DType::F64),
            "the array holds f32, and I expected f64");
}

TEST(Npy, NoPrefixAndNoFlippedByteCrashes) {
  std::string good = file(kHeader, raw<float>({1, 2, 3, 4, 5, 6}));
  size_t errors = 0;
  for (size_t length = 0; length < good.size(); ++length) errors += !parseNpy(good.substr(0, length));
  EXPECT_EQ(errors, good.size());
  for (size_t at = 0; at < good.size() - 24; ++at)
    for (int byte = 0; byte < 256; ++byte) {
      std::string bad = good;
      bad[at] = static_cast<char>(byte);
      if (auto array = parseNpy(bad)) {
        size_t elements = 1;
        for (int64_t extent : array->shape) elements *= static_cast<size_t>(extent);
        ASSERT_EQ(array->data.size(), elements * static_cast<size_t>(storageBytes(array->dtype)));
      }
    }
}
