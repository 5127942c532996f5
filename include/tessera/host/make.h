// Tensors that host code makes, of the dtype that the language calls so.
#pragma once
#include "tessera/host/numbers.h"

namespace tsr {
namespace host {
namespace detail {

/// A tensor whose elements are values(0), values(1), ... in row-major order.
template <class Values> Tensor made(const std::string &dtype, std::vector<int64_t> shape, const Values &values) {
  Tensor tensor(real_dtype_named(dtype), std::move(shape));
  unsigned char *const elements = tensor.bytes_to_write();
  const auto bytes = static_cast<int64_t>(tensor.element_bytes());
  some_at_once(tensor.count(), values, [&](const auto *numbers, int64_t begin, int64_t count) {
    put_numbers(tensor.dtype(), elements + begin * bytes, numbers, count);
  });
  return tensor;
}

}  // namespace detail

template <class... Extents> Tensor zeros(const std::string &dtype, Extents... extents) {
  return Tensor(detail::dtype_named(dtype), {extents...});
}
/// One number everywhere: of the floats, and of the integers and truth values.
template <class... Extents> Tensor full_real(const std::string &dtype, double value, Extents... extents) {
  return detail::made(dtype, {extents...}, [=](int64_t) { return value; });
}
template <class... Extents> Tensor full_whole(const std::string &dtype, int64_t value, Extents... extents) {
  return detail::made(dtype, {extents...}, [=](int64_t) { return value; });
}
/// A tensor of one axis with these numbers.
template <class... Numbers> Tensor tensor_real(const std::string &dtype, Numbers... numbers) {
  const double all[sizeof...(numbers) + 1] = {static_cast<double>(numbers)...};  // an array of none is not C++
  return detail::made(dtype, {static_cast<int64_t>(sizeof...(numbers))}, [&](int64_t i) { return all[i]; });
}
template <class... Numbers> Tensor tensor_whole(const std::string &dtype, Numbers... numbers) {
  const int64_t all[sizeof...(numbers) + 1] = {static_cast<int64_t>(numbers)...};
  return detail::made(dtype, {static_cast<int64_t>(sizeof...(numbers))}, [&](int64_t i) { return all[i]; });
}
/// The same elements under another shape, with as many.
template <class... Extents> Tensor reshaped(const Tensor &tensor, Extents... extents) {
  Tensor out(tensor.dtype(), {extents...});
  memcpy(out.bytes_to_write(), tensor.bytes(), tensor.byte_count());
  return out;
}
/// The index of each element along an axis, modulo what the dtype holds.
template <class... Extents> Tensor iota(const std::string &dtype, int64_t axis, Extents... extents) {
  const std::vector<int64_t> shape = {extents...};
  int64_t inner = 1;
  for (size_t i = static_cast<size_t>(axis) + 1; i < shape.size(); ++i) inner = saturating_multiply(inner, shape[i]);
  const int64_t extent = shape[static_cast<size_t>(axis)];
  return detail::made(dtype, shape, [=](int64_t i) { return i / inner % extent; });
}

}  // namespace host
}  // namespace tsr
