// A value while a program is interpreted: an array or scalar, or one of them for each lane of a group; on the
// host also a string, a tuple, or None.
#pragma once
#include "reference/Value.h"
#include <memory>
#include <string>
#include <vector>

namespace tessera::reference {

struct Datum;
struct Origin;
/// Values are shared and not changed once made, but for buffers (views, shared memory), which are stored
/// into.
using Ref = std::shared_ptr<Datum>;

struct Datum : Value {
  enum class Kind : uint8_t { Number, String, Tuple, None };
  Kind kind = Kind::Number;
  int64_t lanes = 0;  // 0: one value for the group; else one for each lane, lane after lane, each of `shape`
  bool rawBytes = false;   // one-byte codes read from a file, whose dtype the first use decides
  std::string text;        // String
  std::vector<Ref> items;  // Tuple
  std::shared_ptr<const Origin> nan, infinity;  // what made those that it holds (Origins.h)

  size_t perLane() const { return lanes == 0 ? size() : size() / static_cast<size_t>(lanes); }
  bool isScalar() const { return kind == Kind::Number && shape.empty(); }
  /// The value of a lane of a scalar of integers or truth values.
  int64_t intAt(int64_t lane) const { return ints[lanes == 0 ? 0 : static_cast<size_t>(lane)]; }
};

/// Zeros of a dtype: `lanes` values of `shape`, or one if `lanes` is 0.
inline Ref makeDatum(DType dtype, std::vector<int64_t> shape, int64_t lanes = 0) {
  auto datum = std::make_shared<Datum>();
  datum->dtype = dtype;
  datum->shape = std::move(shape);
  datum->lanes = lanes;
  size_t count = elementCount(datum->shape) * static_cast<size_t>(lanes == 0 ? 1 : lanes);
  if (datum->isFloat()) datum->floats.resize(count);
  else datum->ints.resize(count);
  return datum;
}
inline Ref makeInt(DType dtype, int64_t value) {
  Ref datum = makeDatum(dtype, {});
  datum->ints[0] = value;
  return datum;
}
inline Ref makeFloat(DType dtype, double value) {
  Ref datum = makeDatum(dtype, {});
  datum->floats[0] = value;
  return datum;
}
inline Ref makeText(std::string text) {
  auto datum = std::make_shared<Datum>();
  datum->kind = Datum::Kind::String;
  datum->text = std::move(text);
  return datum;
}
inline Ref makeNone() {
  auto datum = std::make_shared<Datum>();
  datum->kind = Datum::Kind::None;
  return datum;
}
inline Ref makeRef(Value value) {
  auto datum = std::make_shared<Datum>();
  static_cast<Value &>(*datum) = std::move(value);
  return datum;
}

}  // namespace tessera::reference
