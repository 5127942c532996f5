// What goes into the reference interpreter and comes out of it: an array with its dtype.
#pragma once
#include "support/DType.h"
#include "support/Npy.h"
#include "support/Result.h"
#include <cstdint>
#include <string>
#include <vector>

namespace tessera::reference {

/// An array in row-major order; a scalar has the shape []. Floats are carried as doubles, whole numbers and
/// truth values as 64-bit integers: exactly one of the two vectors is used.
struct Value {
  DType dtype = DType::F32;
  std::vector<int64_t> shape;
  std::vector<double> floats;
  std::vector<int64_t> ints;

  static Value ofFloats(DType dtype, std::vector<int64_t> shape, std::vector<double> values);
  static Value ofInts(DType dtype, std::vector<int64_t> shape, std::vector<int64_t> values);
  static Value scalar(DType dtype, double value);  // floats; ints are cut
  static Value index(int64_t value);               // an i64 scalar
  /// Every element NaN (floats) or 0.
  static Value poison(DType dtype, std::vector<int64_t> shape);

  bool isFloat() const { return tessera::isFloat(dtype); }
  size_t size() const { return isFloat() ? floats.size() : ints.size(); }
  double number(size_t i) const { return isFloat() ? floats[i] : static_cast<double>(ints[i]); }
};

/// The number of elements of a shape; extents are not negative.
size_t elementCount(const std::vector<int64_t> &shape);
/// "[2, 3]"
std::string shapeText(const std::vector<int64_t> &shape);

Result<Value> fromNpy(const NpyArray &array);
/// Floats are rounded to the dtype, to nearest even.
NpyArray toNpy(const Value &value);

}  // namespace tessera::reference
