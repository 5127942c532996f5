// Sizes that are computed from what a caller hands in. One that does not fit in 64 bits stays at the end of their range and
// does not wrap around to a small one: whatever compares it with an extent, or asks for so much memory, refuses it.
#pragma once
#include <cstdint>
#include <type_traits>

namespace tsr {

constexpr int64_t kMostSize = INT64_MAX;

/// a * b, a + b and a - b, at the end of the range where they do not fit.
constexpr int64_t saturating_multiply(int64_t a, int64_t b) {
  const bool negative = (a < 0) != (b < 0);
  const uint64_t left = a < 0 ? 0 - static_cast<uint64_t>(a) : static_cast<uint64_t>(a);
  const uint64_t right = b < 0 ? 0 - static_cast<uint64_t>(b) : static_cast<uint64_t>(b);
  if (right != 0 && left > static_cast<uint64_t>(INT64_MAX) / right) return negative ? INT64_MIN : INT64_MAX;
  return negative ? -static_cast<int64_t>(left * right) : static_cast<int64_t>(left * right);
}
constexpr int64_t saturating_add(int64_t a, int64_t b) {
  if (b > 0 && a > INT64_MAX - b) return INT64_MAX;
  if (b < 0 && a < INT64_MIN - b) return INT64_MIN;
  return a + b;
}
constexpr int64_t saturating_subtract(int64_t a, int64_t b) {
  if (b < 0 && a > INT64_MAX + b) return INT64_MAX;
  if (b > 0 && a < INT64_MIN + b) return INT64_MIN;
  return a - b;
}

/// A number that is computed as above. Arithmetic of dimensions in entry functions is of this type.
struct Size {
  constexpr Size(int64_t value) : value(value) {}
  int64_t value;
  constexpr operator int64_t() const { return value; }
};

#define TSR_SIZE_OPERATOR(op, function)                                                                                       \
  constexpr Size operator op(const Size &a, const Size &b) { return function(a.value, b.value); }                             \
  template <class T, class = std::enable_if_t<std::is_integral<T>::value>> constexpr Size operator op(const Size &a, T b) {   \
    return function(a.value, static_cast<int64_t>(b));                                                                        \
  }                                                                                                                           \
  template <class T, class = std::enable_if_t<std::is_integral<T>::value>> constexpr Size operator op(T a, const Size &b) {   \
    return function(static_cast<int64_t>(a), b.value);                                                                        \
  }
TSR_SIZE_OPERATOR(*, saturating_multiply)
TSR_SIZE_OPERATOR(+, saturating_add)
TSR_SIZE_OPERATOR(-, saturating_subtract)
#undef TSR_SIZE_OPERATOR

/// a / b rounded up; b > 0.
constexpr Size ceil_div(const Size &a, int64_t b) { return a.value / b + (a.value % b > 0 ? 1 : 0); }

/// Whether a whole number or a truth value of a caller fits in a type that it is narrowed to.
template <class To> constexpr bool fits_in(int64_t value) {
  if (std::is_same<To, bool>::value) return value == 0 || value == 1;
  return static_cast<int64_t>(static_cast<To>(value)) == value && (std::is_signed<To>::value || value >= 0);
}

}  // namespace tsr
