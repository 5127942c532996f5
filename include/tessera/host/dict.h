// Dicts of numbers: a row of f64 for each key, with its value, in the order in which the keys came. Keys are looked for from the first on.
#pragma once
#include "tessera/host/format.h"
#include "tessera/host/store.h"

namespace tsr {
namespace host {
namespace detail {

inline double number_at(const Tensor &dict, int64_t row, int64_t column) {
  double number;
  memcpy(&number, dict.bytes() + static_cast<size_t>(2 * row + column) * sizeof number, sizeof number);
  return number;
}
/// The row of a key, or how many rows there are.
inline int64_t row_of(const Tensor &dict, double key) {
  const int64_t rows = shape(dict, 0);
  int64_t row = 0;
  while (row < rows && number_at(dict, row, 0) != key) ++row;
  return row;
}
inline std::string dict_number(double value, bool whole) {
  return whole ? std::to_string(static_cast<int64_t>(value)) : shortest(value, [](double x) { return x; });
}
template <class T> Tensor column(const Tensor &dict, int64_t which) {
  const int64_t rows = shape(dict, 0);
  Tensor result = Tensor::make<T>({rows});
  unsigned char *to = result.bytes_to_write();
  for (int64_t row = 0; row < rows; ++row) {
    const T value = static_cast<T>(number_at(dict, row, which));
    memcpy(to + static_cast<size_t>(row) * sizeof value, &value, sizeof value);
  }
  return result;
}
}  // namespace detail

/// `dict[key] = value`.
inline void store_key(Tensor &dict, double key, double value) {
  const int64_t row = detail::row_of(dict, key);
  if (row == shape(dict, 0)) store_next_real(dict, key, value);
  else store_real(dict, value, at(row), at(1));
}
inline bool has_key(const Tensor &dict, double key) { return detail::row_of(dict, key) < shape(dict, 0); }
/// `dict[key]`.
inline double value_of(const Tensor &dict, double key) {
  const int64_t row = detail::row_of(dict, key);
  const bool whole = key == static_cast<double>(static_cast<int64_t>(key));
  check(row < shape(dict, 0), "the dict has no key " + detail::dict_number(key, whole) + ": ask with `in`, or read it with `get(key, value)`");
  return detail::number_at(dict, row, 1);
}
inline double value_or(const Tensor &dict, double key, double other) {
  const int64_t row = detail::row_of(dict, key);
  return row < shape(dict, 0) ? detail::number_at(dict, row, 1) : other;
}
/// All keys (0) or all values (1).
inline Tensor column_real(const Tensor &dict, int64_t which) { return detail::column<double>(dict, which); }
inline Tensor column_whole(const Tensor &dict, int64_t which) { return detail::column<int64_t>(dict, which); }
/// `{3: 1.5, 4: 2.0}`
inline std::string dict_text(const Tensor &dict, bool whole_keys, bool whole_values) {
  std::string text = "{";
  for (int64_t row = 0; row < shape(dict, 0); ++row)
    text += (row == 0 ? "" : ", ") + detail::dict_number(detail::number_at(dict, row, 0), whole_keys) + ": " + detail::dict_number(detail::number_at(dict, row, 1), whole_values);
  return text + "}";
}

}  // namespace host
}  // namespace tsr
