// Elements of tensors by their places: `x[i, j]` as a number, and `x[i, 2:5] = value`, which writes where the elements lie. Tensors that
// share their elements are values of their own: the one that is written to gets a copy first.
#pragma once
#include "tessera/host/tensor.h"

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

/// The elements that indices name: where the first is, and for each axis that is left its extent and how far apart neighbours are.
struct Places {
  int64_t first = 0;
  std::vector<int64_t> shape, strides;

  Places(const Tensor &tensor, std::vector<Along> along) {
    const std::vector<int64_t> &extents = tensor.shape();
    if (along.size() > extents.size())
      stop(std::to_string(along.size()) + " indices of a tensor with " + std::to_string(extents.size()) + " dimensions");
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
  /// Calls `visit` with the place of each element and its number.
  template <class Visit> void each(const Visit &visit) const {
    const int64_t all = count();
    for (int64_t i = 0; i < all; ++i) {
      int64_t place = first, rest = i;
      for (size_t axis = shape.size(); axis-- > 0; rest /= shape[axis]) place += rest % shape[axis] * strides[axis];
      visit(place, i);
    }
  }

private:
  void add(const Along &along, int64_t extent, size_t axis, int64_t stride) {
    auto fromFront = [&](int64_t index) { return index < 0 ? index + extent : index; };
    const int64_t begin = fromFront(along.begin), end = along.end == kToEnd ? extent : fromFront(along.end);
    const std::string where = " of axis " + std::to_string(axis) + ", which has " + std::to_string(extent) + " elements";
    if (along.isPoint && (begin < 0 || begin >= extent)) stop("there is no index " + std::to_string(along.begin) + where);
    if (!along.isPoint && (begin < 0 || end > extent || end < begin || along.step < 1))
      stop("there is no part " + std::to_string(along.begin) + ":" + std::to_string(end) + where);
    first += begin * stride;
    if (along.isPoint) return;
    shape.push_back((end - begin + along.step - 1) / along.step);
    strides.push_back(along.step * stride);
  }
};

template <class T, class Values> void store_as(Tensor &tensor, const Places &places, const Values &values) {
  unsigned char *bytes = tensor.bytes_to_write();
  places.each([&](int64_t place, int64_t i) {
    const T value = tsr::to<T>(values(i));
    memcpy(bytes + static_cast<size_t>(place) * sizeof(T), &value, sizeof(T));
  });
}
template <class T> bool holds(const Tensor &tensor) {
  const TessDType mine = tensor.dtype(), other = tsr::detail::DTypeOf<T>::dtype();
  return mine.code == other.code && mine.bits == other.bits;
}
template <class... T, class Values> void store_among(Tensor &tensor, const Places &places, const Values &values) {
  (void)((holds<T>(tensor) && (store_as<T>(tensor, places, values), true)) || ...);
}
template <class Values> void store_values(Tensor &tensor, const Places &places, const Values &values) {
  tensor.own();
  store_among<float, double, int32_t, int64_t, bf16, f16, f8e4m3, f8e5m2, f6e2m3, f6e3m2, f4e2m1, tf32, int16_t, int8_t, i4, uint32_t, uint16_t, uint8_t,
              bool>(tensor, places, values);
}

inline std::string extents_text(const std::vector<int64_t> &shape) {
  std::string text;
  for (int64_t extent : shape) text += (text.empty() ? "" : ", ") + std::to_string(extent);
  return "[" + text + "]";
}
/// How far apart the elements of a value are that go to neighbours of a place; 0 along axes that it is repeated along.
inline std::vector<int64_t> spread(const Tensor &value, const std::vector<int64_t> &shape) {
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
  if (!fits) stop("a tensor of the shape " + extents_text(from) + " is stored to a part of the shape " + extents_text(shape));
  return strides;
}

}  // namespace detail

/// `tensor[along...] = value`, a number.
template <class... A> void store_real(Tensor &tensor, double value, A... along) {
  detail::store_values(tensor, detail::Places(tensor, {along...}), [=](int64_t) { return value; });
}
template <class... A> void store_whole(Tensor &tensor, int64_t value, A... along) {
  detail::store_values(tensor, detail::Places(tensor, {along...}), [=](int64_t) { return value; });
}
/// ... of the elements of another tensor, repeated as NumPy does.
template <class... A> void store_part(Tensor &tensor, const Tensor &given, A... along) {
  const Tensor value = given;  // it may be the tensor that is written to
  const detail::Places places(tensor, {along...});
  const std::vector<int64_t> strides = detail::spread(value, places.shape);
  auto element = [&](int64_t i) {
    int64_t from = 0;
    for (size_t axis = strides.size(); axis-- > 0; i /= places.shape[axis]) from += i % places.shape[axis] * strides[axis];
    return from;
  };
  if (value.is_real()) detail::store_values(tensor, places, [&](int64_t i) { return value.real(element(i)); });
  else detail::store_values(tensor, places, [&](int64_t i) { return value.integer(element(i)); });
}

/// The one element with these indices, as a number.
template <class... I> double element_real(const Tensor &tensor, I... indices) {
  return tensor.real(detail::Places(tensor, {at(indices)...}).first);
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
