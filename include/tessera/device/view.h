// View<T, Rank>: a tensor in global memory, row-major and contiguous, as kernels take it; and StridedView, a part of one.
#pragma once
#include "tessera/device/dtype.h"

namespace tsr {
inline namespace TSR_TARGET {

/// How the elements of a view lie in memory.
struct RowMajor {};
struct Strided {};

/// `Rank` extents and a pointer. `x(i, j)` is an element, `x[i]` what is left when the first index is fixed (a view of
/// one rank less; of rank 1: the element). Indices are not checked; `x.at(i, j)` and `x.put(value, i, j)` are masked.
template <class T, int Rank, class Layout = RowMajor> struct View {
  static_assert(Rank >= 1, "a view has one dimension at least; a scalar is View<T, 1> with extent 1");
  using Element = T;
  using Value = typename std::remove_const<T>::type;
  static constexpr int rank = Rank;

  T *data;
  int64_t extent[Rank];

  /// The distance in elements between neighbours along `axis`.
  TSR_INLINE int64_t stride(int axis) const {
    int64_t product = 1;
    TSR_UNROLL
    for (int d = Rank - 1; d > 0; --d)
      if (d > axis) product *= extent[d];
    return product;
  }
  template <class... Index> TSR_INLINE int64_t offset(Index... index) const {
    static_assert(sizeof...(Index) == Rank, "one index for each dimension");
    const int64_t at[] = {static_cast<int64_t>(index)...};
    int64_t sum = at[0];
    TSR_UNROLL
    for (int d = 1; d < Rank; ++d) sum = sum * extent[d] + at[d];
    return sum;
  }
  template <class... Index> TSR_INLINE bool holds(Index... index) const {
    const int64_t at[] = {static_cast<int64_t>(index)...};
    bool in = true;
    TSR_UNROLL
    for (int d = 0; d < Rank; ++d) in = in && at[d] >= 0 && at[d] < extent[d];
    return in;
  }
  template <class... Index> TSR_INLINE T &operator()(Index... index) const { return data[offset(index...)]; }

  /// The element, or `other` outside of the tensor.
  template <class... Index> TSR_INLINE Value at_or(Value other, Index... index) const {
    return holds(index...) ? data[offset(index...)] : other;
  }
  /// The element, or zero outside of the tensor.
  template <class... Index> TSR_INLINE Value at(Index... index) const { return at_or(Value{}, index...); }
  /// Stores an element; outside of the tensor nothing happens.
  template <class... Index> TSR_INLINE void put(Value value, Index... index) const {
    if (holds(index...)) data[offset(index...)] = value;
  }

  TSR_INLINE decltype(auto) operator[](int64_t index) const {
    if constexpr (Rank == 1) {
      return (data[index]);
    } else {
      View<T, Rank - 1> rest{};
      rest.data = data + index * stride(0);
      TSR_UNROLL
      for (int d = 1; d < Rank; ++d) rest.extent[d - 1] = extent[d];
      return rest;
    }
  }
};

/// Likewise a part of a tensor, or one with its axes in another order: as a view, with the distance in elements between
/// neighbours along each axis. What takes tiles of it wants the last distance to be 1.
template <class T, int Rank> struct View<T, Rank, Strided> {
  using Element = T;
  using Value = typename std::remove_const<T>::type;
  static constexpr int rank = Rank;

  T *data;
  int64_t extent[Rank];
  int64_t step[Rank];

  TSR_INLINE int64_t stride(int axis) const { return step[axis]; }
  template <class... Index> TSR_INLINE int64_t offset(Index... index) const {
    static_assert(sizeof...(Index) == Rank, "one index for each dimension");
    const int64_t at[] = {static_cast<int64_t>(index)...};
    int64_t sum = 0;
    TSR_UNROLL
    for (int d = 0; d < Rank; ++d) sum += at[d] * step[d];
    return sum;
  }
  template <class... Index> TSR_INLINE bool holds(Index... index) const {
    const int64_t at[] = {static_cast<int64_t>(index)...};
    bool in = true;
    TSR_UNROLL
    for (int d = 0; d < Rank; ++d) in = in && at[d] >= 0 && at[d] < extent[d];
    return in;
  }
  template <class... Index> TSR_INLINE T &operator()(Index... index) const { return data[offset(index...)]; }
  template <class... Index> TSR_INLINE Value at_or(Value other, Index... index) const {
    return holds(index...) ? data[offset(index...)] : other;
  }
  template <class... Index> TSR_INLINE Value at(Index... index) const { return at_or(Value{}, index...); }
  template <class... Index> TSR_INLINE void put(Value value, Index... index) const {
    if (holds(index...)) data[offset(index...)] = value;
  }

  TSR_INLINE decltype(auto) operator[](int64_t index) const {
    if constexpr (Rank == 1) {
      return (data[index * step[0]]);
    } else {
      View<T, Rank - 1, Strided> rest{};
      rest.data = data + index * step[0];
      TSR_UNROLL
      for (int d = 1; d < Rank; ++d) rest.extent[d - 1] = extent[d], rest.step[d - 1] = step[d];
      return rest;
    }
  }
};
template <class T, int Rank> using StridedView = View<T, Rank, Strided>;

/// What is left when the first index is fixed; without elements where that lies outside.
template <class T, int Rank, class Layout> TSR_INLINE auto part(const View<T, Rank, Layout> &view, int64_t index) {
  const bool inside = index >= 0 && index < view.extent[0];
  auto rest = view[inside ? index : 0];
  if (!inside) {
    TSR_UNROLL
    for (int d = 0; d + 1 < Rank; ++d) rest.extent[d] = 0;
  }
  return rest;
}

}  // inline namespace TSR_TARGET
}  // namespace tsr
