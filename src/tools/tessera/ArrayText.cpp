#include "tools/tessera/ArrayText.h"
#include "driver/Reference.h"
#include "support/FloatFormats.h"
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <vector>

namespace tessera::tools {
namespace {

constexpr int64_t kEdge = 3, kMostWhole = 1000;

std::string numberText(const NpyArray &array, size_t i) {
  if (array.dtype == DType::Bool) return driver::elementOf(array, i) != 0 ? "True" : "False";
  char text[40];
  if (array.dtype == DType::Complex64) {
    const NpyArray parts = driver::partsOf({array.dtype, {}, array.data.substr(8 * i, 8)});
    std::snprintf(text, sizeof text, "%.6g%+.6gj", driver::elementOf(parts, 0), driver::elementOf(parts, 1));
    return text;
  }
  if (isFloat(array.dtype)) std::snprintf(text, sizeof text, "%.6g", driver::elementOf(array, i));
  else std::snprintf(text, sizeof text, "%lld", static_cast<long long>(loadInt(array.dtype, array.data.data() + i * static_cast<size_t>(storageBytes(array.dtype)))));
  std::string out = text;
  bool whole = isFloat(array.dtype) && out.find_first_not_of("-0123456789") == std::string::npos;
  return whole ? out + "." : out;
}

class Writer {
public:
  Writer(const NpyArray &array, int64_t most) : array_(array), most_(most) {
    widen(0, 0);
  }
  std::string text() { return write(0, 0); }

private:
  bool isCut(size_t axis) const { return array_.shape[axis] > most_; }
  template <class Visit> void each(size_t axis, const Visit &visit) const {
    for (int64_t i = 0; i < array_.shape[axis]; ++i) {
      if (isCut(axis) && i == kEdge) i = array_.shape[axis] - kEdge;
      visit(i);
    }
  }
  size_t below(size_t axis, size_t offset, int64_t i) const { return offset * static_cast<size_t>(array_.shape[axis]) + static_cast<size_t>(i); }

  /// Columns are as wide as the widest number that is shown.
  void widen(size_t axis, size_t offset) {
    if (axis == array_.shape.size()) width_ = std::max(width_, numberText(array_, offset).size());
    else each(axis, [&](int64_t i) { widen(axis + 1, below(axis, offset, i)); });
  }

  std::string write(size_t axis, size_t offset) const {
    if (axis == array_.shape.size()) {
      std::string number = numberText(array_, offset);
      return array_.shape.empty() ? number : std::string(width_ - number.size(), ' ') + number;
    }
    bool last = axis + 1 == array_.shape.size();
    std::string between = last ? ", " : "," + std::string(array_.shape.size() - axis - 1, '\n') + std::string(axis + 1, ' '), out = "[";
    each(axis, [&](int64_t i) {
      if (i > 0) out += between;
      if (isCut(axis) && i == array_.shape[axis] - kEdge) out += "..." + between;
      out += write(axis + 1, below(axis, offset, i));
    });
    return out + "]";
  }

  const NpyArray &array_;
  int64_t most_;
  size_t width_ = 0;
};

}  // namespace

std::string arrayText(const NpyArray &array, int64_t most) {
  int64_t count = 1;
  for (int64_t extent : array.shape) count = extent == 0 ? 0 : std::min(count * std::min(extent, kMostWhole + 1), kMostWhole + 1);
  return Writer(array, std::max(count > kMostWhole ? 0 : most, 2 * kEdge)).text();
}

}  // namespace tessera::tools
