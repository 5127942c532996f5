// Elements of tensors by their places: `x[i, j]` as a number, and `x[i, 2:5] = value`, which writes where the elements lie. Tensors that
// share their elements are values of their own: the one that is written to gets a copy first. What lies on the device is written there.
#pragma once
#include "tessera/host/numbers.h"
#include <algorithm>

namespace tsr {
namespace host {

/// Which indices of one axis are meant. One below 0 counts from the end.
struct Along {
  int64_t begin, end, step;
  bool isPoint;
};
constexpr int64_t kToEnd = INT64_MAX;
inline Along at(int64_t index) { return {index, index, 1, true}; }
inline Along part(int64_t begin, int64_t end, int64_t step = 1) { return {begin, end, step, false}; }
inline Along all() { return part(0, kToEnd); }

namespace detail {

[[noreturn]] TSR_APART void no_such_place(const Along &along, int64_t begin, int64_t end, size_t axis, int64_t extent) {
  const std::string where = " of axis " + std::to_string(axis) + ", which has " + std::to_string(extent) + " elements";
  if (along.isPoint) stop("there is no index " + std::to_string(along.begin) + where, kIndexError);
  stop("there is no part " + std::to_string(begin) + ":" + std::to_string(end) + where, kIndexError);
}
/// The elements that indices name: where the first is, and for each axis that is left its extent and how far apart neighbours are.
struct Places {
  int64_t first = 0;
  std::vector<int64_t> shape, strides;

  Places(const Tensor &tensor, std::vector<Along> along) {
    const std::vector<int64_t> &extents = tensor.shape();
    if (along.size() > extents.size())
      stop(std::to_string(along.size()) + " indices of a tensor with " + std::to_string(extents.size()) + " dimensions", kIndexError);
    along.resize(extents.size(), all());
    int64_t stride = tensor.count();
    for (size_t axis = 0; axis < extents.size(); ++axis) {
      stride = extents[axis] == 0 ? 0 : stride / extents[axis];
      add(along[axis], extents[axis], axis, stride);
    }
  }
  int64_t count() const {
    int64_t product = 1;
    for (int64_t extent : shape) product *= extent;
    return product;
  }
  /// Where element `i` lies.
  int64_t place(int64_t i) const {
    int64_t at = first;
    for (size_t axis = shape.size(); axis-- > 0; i /= shape[axis]) at += i % shape[axis] * strides[axis];
    return at;
  }

private:
  void add(const Along &along, int64_t extent, size_t axis, int64_t stride) {
    auto fromFront = [&](int64_t index) { return index < 0 ? index + extent : index; };
    const int64_t begin = fromFront(along.begin), end = along.end == kToEnd ? extent : fromFront(along.end);
    if (along.isPoint ? begin < 0 || begin >= extent : begin < 0 || end > extent || end < begin || along.step < 1)
      no_such_place(along, begin, end, axis, extent);
    first += begin * stride;
    if (along.isPoint) return;
    shape.push_back((end - begin + along.step - 1) / along.step);
    strides.push_back(along.step * stride);
  }
};

/// Writes elements of so many bytes, one behind the other, to the places from number `begin` on.
TSR_APART void put_elements(unsigned char *tensor, const Places &places, const unsigned char *elements, size_t bytes, int64_t begin, int64_t count) {
  for (int64_t i = 0; i < count; ++i)
    memcpy(tensor + static_cast<size_t>(places.place(begin + i)) * bytes, elements + static_cast<size_t>(i) * bytes, bytes);
}
template <class Values> void store_values(Tensor &tensor, const Places &places, const Values &values) {
  tensor.own();
  unsigned char elements[static_cast<size_t>(kNumbersAtOnce) * kWidestElement];
  some_at_once(places.count(), values, [&](const auto *numbers, int64_t begin, int64_t count) {
    put_numbers(tensor.dtype(), elements, numbers, count);
    put_elements(tensor.bytes_to_write(), places, elements, tensor.element_bytes(), begin, count);
  });
}

TSR_APART std::string extents_text(const std::vector<int64_t> &shape) {
  std::string text;
  for (int64_t extent : shape) text += (text.empty() ? "" : ", ") + std::to_string(extent);
  return "[" + text + "]";
}
/// How far apart the elements of a value are that go to neighbours of a place; 0 along axes that it is repeated along.
TSR_APART std::vector<int64_t> spread(const Tensor &value, const std::vector<int64_t> &shape) {
  std::vector<int64_t> strides(shape.size(), 0);
  const std::vector<int64_t> &from = value.shape();
  bool fits = from.size() <= shape.size();
  int64_t stride = 1;
  for (size_t i = 0; fits && i < from.size(); ++i) {
    const int64_t extent = from[from.size() - 1 - i];
    const size_t axis = shape.size() - 1 - i;
    fits = extent == shape[axis] || extent == 1;
    strides[axis] = extent == 1 ? 0 : stride;
    stride *= extent;
  }
  if (!fits) stop("a tensor of the shape " + extents_text(from) + " is stored to a part of the shape " + extents_text(shape), kValueError);
  return strides;
}

#if !defined(TSR_CPU)
constexpr int kMostAxes = 8;
/// Places as a kernel takes them: for each axis its extent, and how far apart neighbours are in both tensors.
struct DevicePlaces {
  int64_t first, count;
  int axes;
  int64_t shape[kMostAxes], to[kMostAxes], from[kMostAxes];
};
/// Elements of as many bits, of another tensor or one value.
template <class Bits> __global__ void store_places(Bits *to, const Bits *from, Bits value, DevicePlaces places) {
  const int64_t step = static_cast<int64_t>(gridDim.x) * blockDim.x;
  for (int64_t i = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < places.count; i += step) {
    int64_t place = places.first, source = 0, rest = i;
    for (int axis = places.axes - 1; axis >= 0; --axis) {
      const int64_t index = rest % places.shape[axis];
      rest /= places.shape[axis];
      place += index * places.to[axis];
      source += index * places.from[axis];
    }
    to[place] = from ? from[source] : value;
  }
}
template <class Bits> void launch_store(void *to, const void *from, const unsigned char *value, const DevicePlaces &places) {
  Bits one{};
  if (value) memcpy(&one, value, sizeof one);
  const unsigned groups = static_cast<unsigned>(std::min<int64_t>((places.count + 255) / 256, 65536));
#if defined(TSR_CUDA)
  store_places<Bits><<<groups, 256>>>(static_cast<Bits *>(to), static_cast<const Bits *>(from), one, places);
#else
  hipLaunchKernelGGL((store_places<Bits>), dim3(groups), dim3(256), 0, nullptr, static_cast<Bits *>(to), static_cast<const Bits *>(from), one, places);
#endif
  device_ok(tsr::detail::device_last_error(), "a store on the device");
}
/// Stores where the elements lie. False if they are not on the device alone: then host memory has them. `value` is a tensor of the same
/// dtype, `strides` how far its elements are apart; a tensor of no axes is one number.
inline bool stored_on_device(Tensor &tensor, const Places &places, const Tensor &value, const std::vector<int64_t> &strides) {
  const TessDType mine = tensor.dtype(), other = value.dtype();
  if (!tensor.is_on_device() || mine.code != other.code || mine.bits != other.bits || places.shape.size() > kMostAxes) return false;
  DevicePlaces where{};
  where.first = places.first, where.count = places.count(), where.axes = static_cast<int>(places.shape.size());
  for (size_t axis = 0; axis < places.shape.size(); ++axis)
    where.shape[axis] = places.shape[axis], where.to[axis] = places.strides[axis], where.from[axis] = strides.empty() ? 0 : strides[axis];
  if (where.count == 0) return true;
  const unsigned char *one = value.shape().empty() && !value.is_on_device() ? value.bytes() : nullptr;
  const void *from = one ? nullptr : value.read()->data;
  void *to = tensor.device_to_write();
  switch (tensor.element_bytes()) {
  case 1: launch_store<uint8_t>(to, from, one, where); break;
  case 2: launch_store<uint16_t>(to, from, one, where); break;
  case 4: launch_store<uint32_t>(to, from, one, where); break;
  default: launch_store<uint64_t>(to, from, one, where);
  }
  return true;
}
#endif

/// One number at all of the places, in host memory or on the device.
template <class Number> void store_number(Tensor &tensor, const Places &places, Number value) {
  auto all = [=](int64_t) { return value; };
#if !defined(TSR_CPU)
  if (tensor.is_on_device()) {
    Tensor one(tensor.dtype(), {});
    store_values(one, Places(one, {}), all);
    if (stored_on_device(tensor, places, one, {})) return;
  }
#endif
  store_values(tensor, places, all);
}

}  // namespace detail

/// `tensor[along...] = value`, a number.
template <class... A> void store_real(Tensor &tensor, double value, A... along) {
  detail::store_number(tensor, detail::Places(tensor, {along...}), value);
}
template <class... A> void store_whole(Tensor &tensor, int64_t value, A... along) {
  detail::store_number(tensor, detail::Places(tensor, {along...}), value);
}
/// ... of the elements of another tensor, repeated as NumPy does.
template <class... A> void store_part(Tensor &tensor, const Tensor &given, A... along) {
  const Tensor value = given;  // it may be the tensor that is written to
  const detail::Places places(tensor, {along...});
  const std::vector<int64_t> strides = detail::spread(value, places.shape);
#if !defined(TSR_CPU)
  if (detail::stored_on_device(tensor, places, value, strides)) return;
#endif
  auto element = [&](int64_t i) {
    int64_t from = 0;
    for (size_t axis = strides.size(); axis-- > 0; i /= places.shape[axis]) from += i % places.shape[axis] * strides[axis];
    return from;
  };
  if (value.is_real()) detail::store_values(tensor, places, [&](int64_t i) { return value.real(element(i)); });
  else detail::store_values(tensor, places, [&](int64_t i) { return value.integer(element(i)); });
}

/// `tensor[rows] = value`: the rows that a tensor names, one after the other. Of one that is named twice the last value stays.
TSR_APART void store_rows_real(Tensor &tensor, double value, const Tensor &rows) {
  for (int64_t i = 0; i < rows.count(); ++i) store_real(tensor, value, at(rows.integer(i)));
}
TSR_APART void store_rows_whole(Tensor &tensor, int64_t value, const Tensor &rows) {
  for (int64_t i = 0; i < rows.count(); ++i) store_whole(tensor, value, at(rows.integer(i)));
}
TSR_APART void store_rows_part(Tensor &tensor, const Tensor &given, const Tensor &rows) {
  const Tensor value = given;  // it may be the tensor that is written to
  const bool each = value.shape().size() == tensor.shape().size() && value.shape()[0] != 1;
  if (each && value.shape()[0] != rows.count())
    stop("a tensor of the shape " + detail::extents_text(value.shape()) + " is stored to " + std::to_string(rows.count()) + " rows", kValueError);
  for (int64_t i = 0; i < rows.count(); ++i) store_part(tensor, each ? row(value, i) : value, at(rows.integer(i)));
}

namespace detail {
/// The numbers of the elements that are not 0, in row-major order.
TSR_APART std::vector<int64_t> held_places(const Tensor &mask) {
  std::vector<int64_t> held;
  const int64_t count = mask.count();
  for (int64_t i = 0; i < count; ++i)
    if (mask.is_real() ? mask.real(i) != 0 : mask.integer(i) != 0) held.push_back(i);
  return held;
}
/// The extents of `tensor` behind those of a mask, which has its first ones.
TSR_APART std::vector<int64_t> behind_mask(const Tensor &tensor, const Tensor &mask) {
  const std::vector<int64_t> &all = tensor.shape(), &of = mask.shape();
  if (of.size() > all.size() || !std::equal(of.begin(), of.end(), all.begin()))
    stop("a mask of the shape " + extents_text(of) + " chooses from a tensor of the shape " + extents_text(all));
  return std::vector<int64_t>(all.begin() + static_cast<std::ptrdiff_t>(of.size()), all.end());
}
}  // namespace detail

/// `tensor[mask]`: the elements, or parts, where the mask holds, in a row.
TSR_APART Tensor chosen(const Tensor &tensor, const Tensor &mask) {
  std::vector<int64_t> shape = detail::behind_mask(tensor, mask);
  const std::vector<int64_t> held = detail::held_places(mask);
  const size_t width = Tensor::bytes_of(shape, tensor.element_bytes());
  shape.insert(shape.begin(), static_cast<int64_t>(held.size()));
  Tensor result(tensor.dtype(), shape);
  unsigned char *to = result.bytes_to_write();
  for (size_t i = 0; width > 0 && i < held.size(); ++i) memcpy(to + i * width, tensor.bytes() + static_cast<size_t>(held[i]) * width, width);
  return result;
}
/// `tensor[mask] = values`, one for each place where the mask holds.
TSR_APART void store_chosen(Tensor &tensor, const Tensor &given, const Tensor &mask) {
  const Tensor values = given;  // it may be the tensor that is written to
  (void)detail::behind_mask(tensor, mask);
  const std::vector<int64_t> held = detail::held_places(mask);
  const auto count = static_cast<int64_t>(held.size());
  if (values.shape().empty() || (values.shape()[0] != count && values.shape()[0] != 1))
    stop("a tensor of the shape " + detail::extents_text(values.shape()) + " is stored to the " + std::to_string(count) + " places of a mask");
  if (count == 0) return;
  const std::vector<int64_t> before = tensor.shape();
  std::vector<int64_t> rows(before.begin() + static_cast<std::ptrdiff_t>(mask.shape().size()), before.end());
  rows.insert(rows.begin(), mask.count());
  tensor.reshape(rows);
  for (int64_t i = 0; i < count; ++i) store_part(tensor, row(values, values.shape()[0] == 1 ? 0 : i), at(held[static_cast<size_t>(i)]));
  tensor.reshape(before);
}
/// Where the elements are that are not 0: the index of each along an axis, or with -1 its number in row-major order.
TSR_APART Tensor places(const Tensor &mask, int64_t axis) {
  const std::vector<int64_t> held = detail::held_places(mask);
  int64_t inner = 1, extent = kToEnd;
  if (axis >= 0) {
    extent = shape(mask, axis);
    for (size_t i = static_cast<size_t>(axis) + 1; i < mask.shape().size(); ++i) inner *= mask.shape()[i];
  }
  Tensor result = Tensor::make<int64_t>({static_cast<int64_t>(held.size())});
  unsigned char *to = result.bytes_to_write();
  for (size_t i = 0; i < held.size(); ++i) {
    const int64_t index = held[i] / inner % extent;
    memcpy(to + i * sizeof index, &index, sizeof index);
  }
  return result;
}

/// One row more behind those of a tensor, of these numbers; of one axis, one element.
template <class... Numbers> void store_next_real(Tensor &tensor, Numbers... numbers) {
  tensor.grow();
  const double all[] = {static_cast<double>(numbers)...};
  detail::store_values(tensor, detail::Places(tensor, {at(-1)}), [&](int64_t i) { return all[i]; });
}
template <class... Numbers> void store_next_whole(Tensor &tensor, Numbers... numbers) {
  tensor.grow();
  const int64_t all[] = {static_cast<int64_t>(numbers)...};
  detail::store_values(tensor, detail::Places(tensor, {at(-1)}), [&](int64_t i) { return all[i]; });
}
/// ... that is a tensor. A list that has no rows yet takes its shape.
TSR_APART void store_next_row(Tensor &list, const Tensor &given) {
  const Tensor value = given;  // it may share the list's elements
  std::vector<int64_t> shape = value.shape();
  shape.insert(shape.begin(), list.shape()[0]);
  if (list.shape()[0] == 0) list.reshape(shape);
  if (list.shape() != shape)
    stop("a tensor of the shape " + detail::extents_text(value.shape()) + " is appended to a list of tensors of the shape " +
         detail::extents_text({list.shape().begin() + 1, list.shape().end()}));
  list.grow();
  const size_t bytes = Tensor::bytes_of(value.shape(), value.element_bytes());
  if (bytes > 0) memcpy(list.bytes_to_write() + (list.byte_count() - bytes), value.bytes(), bytes);
}
/// A row less; the rows behind it move up.
TSR_APART void store_without(Tensor &tensor, int64_t index) {
  const int64_t rows = shape(tensor, 0), row = index < 0 ? index + rows : index;
  if (row < 0 || row >= rows) stop(rows == 0 ? "an item is taken from a list that is empty" : "there is no item " + std::to_string(index) + " of a list of " + std::to_string(rows), kIndexError);
  tensor.shrink(row);
}

/// The one element with these indices, as a number.
template <class... I> double element_real(const Tensor &tensor, I... indices) {
  const int64_t place = detail::Places(tensor, {at(indices)...}).first;
  return tensor.is_real() ? tensor.real(place) : detail::exact_real(tensor.integer(place));
}
template <class... I> int64_t element_whole(const Tensor &tensor, I... indices) {
  const int64_t place = detail::Places(tensor, {at(indices)...}).first;
  return tensor.is_real() ? tsr::to<int64_t>(tensor.real(place)) : tensor.integer(place);
}
/// ... as a tensor without dimensions.
template <class... I> Tensor element(const Tensor &tensor, I... indices) {
  Tensor result(tensor.dtype(), {});
  const size_t bytes = tensor.element_bytes(), from = static_cast<size_t>(detail::Places(tensor, {at(indices)...}).first);
  memcpy(result.bytes_to_write(), tensor.bytes() + from * bytes, bytes);
  return result;
}

}  // namespace host
}  // namespace tsr
