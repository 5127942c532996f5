// Division by numbers that a launch knows, such as the extents of a tensor: a multiplication and a shift.
#pragma once
#include "tessera/device/platform.h"
#include <type_traits>

namespace tsr {
inline namespace TSR_TARGET {

/// A number by which counts are divided. Below 2^31, with 2^shift >= divisor,
///
///   n / divisor = (n + n * multiplier / 2^32) / 2^shift,   multiplier = 2^32 (2^shift - divisor) / divisor + 1
///
/// (Granlund and Montgomery, Division by Invariant Integers using Multiplication, 1994; figure 4.1). A GPU has no instruction that
/// divides: what this does in 5 takes 20 to 100. Counts from 2^31 on are divided as usual. Nothing is below 0.
class Divisor {
public:
  /// Sizes of the host, too.
  template <class T, class = typename std::enable_if<!std::is_same<T, int64_t>::value && std::is_convertible<T, int64_t>::value>::type>
  Divisor(const T &divisor) : Divisor(static_cast<int64_t>(divisor)) {}
  Divisor(int64_t divisor) : divisor_(divisor), multiplier_(0), shift_(31) {
    if (divisor < 1 || divisor >= int64_t(1) << 31) return;  // quotients of what is below 2^31 are 0
    shift_ = 0;
    while ((uint64_t(1) << shift_) < uint64_t(divisor)) ++shift_;
    multiplier_ = uint32_t((((uint64_t(1) << shift_) - uint64_t(divisor)) << 32) / uint64_t(divisor) + 1);
  }
  friend TSR_INLINE int64_t operator/(int64_t n, const Divisor &by) {
    if (uint64_t(n) >> 31) return n / by.divisor_;
    const uint32_t count = uint32_t(n);
    return (uint32_t((uint64_t(count) * by.multiplier_) >> 32) + count) >> by.shift_;
  }
  friend TSR_INLINE int64_t operator%(int64_t n, const Divisor &by) {
    if (uint64_t(n) >> 31) return n % by.divisor_;
    return uint32_t(n) - uint32_t(n / by) * uint32_t(by.divisor_);
  }

private:
  int64_t divisor_;
  uint32_t multiplier_, shift_;
};

}  // namespace TSR_TARGET
}  // namespace tsr
