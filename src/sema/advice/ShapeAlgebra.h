// What operations make of shapes, without their values: enough to tell most edits that cannot fit from those that may. An
// extent that is not known is Dim::undefined(), and fits everything.
#pragma once
#include "support/Dim.h"
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace tessera::sema {

using Extents = std::vector<Dim>;

/// Rules of shapes. What a rule finds wrong is noted, and its result is not known.
class ShapeAlgebra {
public:
  /// `lenient`: facts say that some extents are equal, so that others than the same ones may fit.
  explicit ShapeAlgebra(bool lenient) : lenient_(lenient) {}
  bool failed() const { return failed_; }
  using Result = std::optional<Extents>;
  Result fails() {
    failed_ = true;
    return std::nullopt;
  }

  Result broadcast(const Extents &a, const Extents &b);
  Result product(const Extents &a, const Extents &b);
  /// `axes`: counted from the first, or from the last if they are negative; empty: all of them.
  Result reduced(const Extents &x, const std::vector<int64_t> &axes, bool keeps);
  Result permuted(const Extents &x, const std::vector<int64_t> &order);
  Result exchanged(const Extents &x, int64_t a, int64_t b);
  Result reshaped(const Extents &x, Extents sizes);
  Result joined(const std::vector<Extents> &parts, int64_t axis);
  Result stacked(const std::vector<Extents> &parts, int64_t axis);
  /// `ab,bc->ac`
  Result summed(const std::string &equation, const std::vector<Extents> &operands);
  /// The axis counted from the first one of `rank`.
  std::optional<size_t> axisOf(int64_t axis, size_t rank);

  /// Whether two extents are certainly different.
  bool differ(const Dim &a, const Dim &b) const;
  /// Notes it where two shapes are not the same.
  void expectSame(const Extents &a, const Extents &b);

private:
  Dim common(const Dim &a, const Dim &b) const { return a.isDefined() ? a : b; }
  bool lenient_, failed_ = false;
};

}  // namespace tessera::sema
