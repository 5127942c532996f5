// The smallest or largest of floats of 16 bits, two at once where the machine can.
//
//   Extreme<Max, bf16> most;
//   for (...) most.take(x_row(k), inside);    // elements outside of the row do not count
//   float lane_max = most.value();
//
// A NaN wins, as in min and max (math.h).
#pragma once
#include "tessera/device/edges.h"
#include "tessera/device/math.h"
#include "tessera/device/vector.h"

namespace tsr {
inline namespace TSR_TARGET {

/// Op is Min or Max; of nothing it is what combines with a number to that number.
template <class Op, class T> class Extreme {
  static_assert((std::is_same<Op, Min>::value || std::is_same<Op, Max>::value) && sizeof(T) == 2, "the smallest or the largest of 16 bits");

public:
  template <int Count> TSR_DEVICE void take(const Vector<T, Count> &vector) {
#if defined(TSR_NAN_MIN_MAX)
    if constexpr (detail::is_packed<T, Count>) {
      TSR_UNROLL
      for (int i = 0; i < Count / 2; ++i) pair_ = of_pairs(pair_, vector.element[i]);
    } else {
      pair_ = of_pairs(pair_, twice(vector(0)));
    }
#else
    TSR_UNROLL
    for (int i = 0; i < Count; ++i) so_far_ = Op::combine(so_far_, to<float>(vector(i)));
#endif
  }
  /// Of the elements that lie inside.
  template <int Count, int Edges> TSR_DEVICE void take(Vector<T, Count> vector, const Inside<Edges, Count> &inside) {
    if constexpr (Edges != 0)
      if (!inside.all()) {
        TSR_UNROLL
        for (int i = 0; i < Count; ++i)
          if (!inside(i)) vector(i) = to<T>(Op::template identity<float>());
      }
    take(vector);
  }
#if defined(TSR_NAN_MIN_MAX)
  TSR_DEVICE float value() const {
    return Op::combine(to<float>(bit_cast<T>(static_cast<uint16_t>(pair_))), to<float>(bit_cast<T>(static_cast<uint16_t>(pair_ >> 16))));
  }

private:
  static TSR_DEVICE uint32_t twice(T value) { return static_cast<uint32_t>(bit_cast<uint16_t>(value)) * 0x10001u; }
  /// Two floats in a word, each combined with that of the other word.
  static TSR_DEVICE uint32_t of_pairs(uint32_t a, uint32_t b) {
    constexpr bool is_min = std::is_same<Op, Min>::value, is_bf16 = std::is_same<T, bf16>::value;
    uint32_t result;
    if constexpr (is_min && is_bf16) asm("min.NaN.bf16x2 %0, %1, %2;" : "=r"(result) : "r"(a), "r"(b));
    else if constexpr (is_min) asm("min.NaN.f16x2 %0, %1, %2;" : "=r"(result) : "r"(a), "r"(b));
    else if constexpr (is_bf16) asm("max.NaN.bf16x2 %0, %1, %2;" : "=r"(result) : "r"(a), "r"(b));
    else asm("max.NaN.f16x2 %0, %1, %2;" : "=r"(result) : "r"(a), "r"(b));
    return result;
  }
  uint32_t pair_ = twice(to<T>(Op::template identity<float>()));
#else
  TSR_DEVICE float value() const { return so_far_; }

private:
  float so_far_ = Op::template identity<float>();
#endif
};

}  // inline namespace TSR_TARGET
}  // namespace tsr
