// A row that is combined to one value, in several parts that do not wait for each other.
//
//   Parts<Sum, float, 64> parts;    parts(i) for i < 64: zeros, to which the loop over the row adds
//   parts.combine(before)           all of them, and what there was before
#pragma once
#include "tessera/device/cpu/vector.h"
#include "tessera/device/math.h"

#if defined(TSR_CPU)
namespace tsr {
inline namespace TSR_TARGET {

/// Op: Sum, Prod, Min or Max of math.h. N is a power of two.
template <class Op, class T, int N> class Parts {
  static_assert(N > 0 && (N & (N - 1)) == 0, "halves of halves");
  alignas(64) T parts_[N];

public:
  Parts() {
    for (int i = 0; i < N; ++i) parts_[i] = Op::template identity<T>();
  }
  T &operator()(int64_t i) { return parts_[i]; }
  T combine(T before) {
    TSR_UNROLL_ALL
    for (int half = N / 2; half > 0; half /= 2)
      for (int i = 0; i < half; ++i) parts_[i] = Op::combine(parts_[i], parts_[i + half]);
    return Op::combine(before, parts_[0]);
  }
};

}  // inline namespace TSR_TARGET
}  // namespace tsr
#endif
