#include "reference/Value.h"
#include "support/FloatFormats.h"
#include <cmath>
#include <limits>

namespace tessera::reference {

size_t elementCount(const std::vector<int64_t> &shape) {
  size_t count = 1;
  for (int64_t extent : shape) count *= static_cast<size_t>(extent);
  return count;
}

std::string shapeText(const std::vector<int64_t> &shape) {
  std::string text;
  for (int64_t extent : shape) text += (text.empty() ? "" : ", ") + std::to_string(extent);
  return "[" + text + "]";
}

Value Value::ofFloats(DType dtype, std::vector<int64_t> shape, std::vector<double> values) {
  TSR_CHECK(tessera::isFloat(dtype) && values.size() == elementCount(shape), "elements of a float array");
  return {dtype, std::move(shape), std::move(values), {}};
}

Value Value::ofInts(DType dtype, std::vector<int64_t> shape, std::vector<int64_t> values) {
  TSR_CHECK(!tessera::isFloat(dtype) && values.size() == elementCount(shape), "elements of an integer array");
  return {dtype, std::move(shape), {}, std::move(values)};
}

Value Value::scalar(DType dtype, double value) {
  if (tessera::isFloat(dtype)) return {dtype, {}, {value}, {}};
  return {dtype, {}, {}, {floatToInt(dtype, value)}};
}

Value Value::index(int64_t value) { return {DType::I64, {}, {}, {value}}; }

Value Value::poison(DType dtype, std::vector<int64_t> shape) {
  Value value{dtype, std::move(shape), {}, {}};
  size_t count = elementCount(value.shape);
  if (value.isFloat()) value.floats.assign(count, std::numeric_limits<double>::quiet_NaN());
  else value.ints.assign(count, 0);
  return value;
}

Result<Value> fromNpy(const NpyArray &array) {
  if (info(array.dtype).cls == DTypeClass::Complex)
    return Failure{"the array holds " + std::string(name(array.dtype)) +
                   ", and the reference interpreter has real numbers only"};
  Value value{array.dtype, array.shape, {}, {}};
  size_t count = elementCount(array.shape), step = static_cast<size_t>(storageBytes(array.dtype));
  if (array.data.size() != count * step) return Failure{"the array's data does not fit its shape"};
  if (value.isFloat()) value.floats.resize(count);
  else value.ints.resize(count);
  for (size_t i = 0; i < count; ++i) {
    const char *at = array.data.data() + i * step;
    if (value.isFloat()) value.floats[i] = loadFloat(array.dtype, at);
    else value.ints[i] = loadInt(array.dtype, at);
  }
  return value;
}

NpyArray toNpy(const Value &value) {
  NpyArray array{value.dtype, value.shape, {}};
  size_t step = static_cast<size_t>(storageBytes(value.dtype));
  array.data.resize(value.size() * step);
  for (size_t i = 0; i < value.size(); ++i) {
    char *at = array.data.data() + i * step;
    if (value.isFloat()) storeFloat(value.dtype, value.floats[i], at);
    else storeInt(value.dtype, value.ints[i], at);
  }
  return array;
}

}  // namespace tessera::reference
