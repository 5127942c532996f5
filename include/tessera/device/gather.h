// Elements of a tile at places that only run time knows. A lane's registers have no index at run time, so that on GPUs the tile
// goes through shared memory. A place outside of the tile's extent gives 0.
#pragma once
#include "tessera/device/fragment.h"

namespace tsr {
inline namespace TSR_TARGET {

namespace detail {

/// All elements of a tile in memory, row by row, for every lane of the group.
template <class T, int M, int N, class Grid> TSR_DEVICE void spread(T *scratch, const Fragment<T, M, N, Grid> &from) {
#if defined(TSR_CPU)
  (void)scratch, (void)from;  // one lane has them all
#else
  TSR_UNROLL
  for (int i = 0; i < from.rows; ++i) {
    TSR_UNROLL
    for (int j = 0; j < from.cols; ++j)
      if (from.holds(i, j)) scratch[from.row(i) * N + from.col(j)] = from(i, j);
  }
  group_barrier();
#endif
}
template <class Vector, int Count = Vector::count> TSR_DEVICE void spread(typename Vector::Element *scratch, const Vector &from) {
#if defined(TSR_CPU)
  (void)scratch, (void)from;
#else
  TSR_UNROLL
  for (int i = 0; i < Count; ++i)
    if (from.owner() && from.holds(i)) scratch[from.position(i)] = from(i);
  group_barrier();
#endif
}

template <class T, int M, int N, class Grid> TSR_DEVICE T spread_at(const T *scratch, const Fragment<T, M, N, Grid> &from, int row, int col) {
#if defined(TSR_CPU)
  (void)scratch;
  return from(row, col);
#else
  (void)from;
  return scratch[row * N + col];
#endif
}
template <class Vector> TSR_DEVICE typename Vector::Element spread_at(const typename Vector::Element *scratch, const Vector &from, int at) {
#if defined(TSR_CPU)
  (void)scratch;
  return from(at);
#else
  (void)from;
  return scratch[at];
#endif
}

/// Before the memory is used again.
TSR_DEVICE void spread_done() {
#if !defined(TSR_CPU)
  group_barrier();
#endif
}

TSR_DEVICE bool is_place(int64_t place, int64_t extent) { return place >= 0 && place < extent; }

}  // namespace detail

/// result(i, j) = from(i, places(i, j)) (Axis 1) or from(places(i, j), j) (Axis 0). On GPUs the lanes meet in `scratch`, shared memory of
/// tile_elements elements; holds barriers: every lane of the group takes part.
template <int Axis, class T, int M, int N, int FromM, int FromN, class Grid>
TSR_DEVICE void gather(Fragment<T, M, N, Grid> &result, const Fragment<T, FromM, FromN, Grid> &from,
                       const Fragment<int64_t, M, N, Grid> &places, int64_t extent, T *scratch = nullptr) {
  static_assert(Axis == 0 ? N == FromN : M == FromM, "all of the other axis");
  detail::spread(scratch, from);
  TSR_UNROLL
  for (int i = 0; i < result.rows; ++i) {
    TSR_UNROLL
    for (int j = 0; j < result.cols; ++j) {
      result(i, j) = T{};
      if (!result.holds(i, j) || !detail::is_place(places(i, j), extent)) continue;
      const int place = static_cast<int>(places(i, j));
      result(i, j) = Axis == 0 ? detail::spread_at(scratch, from, place, result.col(j)) : detail::spread_at(scratch, from, result.row(i), place);
    }
  }
  detail::spread_done();
}

/// One element of each row, result(i) = from(i, places(i)) (Axis 1), or of each column (Axis 0).
template <int Axis, class Vector, class Places, class T, int FromM, int FromN, class Grid, int Count = Vector::count>
TSR_DEVICE void gather(Vector &result, const Fragment<T, FromM, FromN, Grid> &from, const Places &places, int64_t extent,
                       T *scratch = nullptr) {
  detail::spread(scratch, from);
  TSR_UNROLL
  for (int i = 0; i < Count; ++i) {
    result(i) = T{};
    if (!result.holds(i) || !detail::is_place(places(i), extent)) continue;
    const int place = static_cast<int>(places(i));
    result(i) = Axis == 0 ? detail::spread_at(scratch, from, place, result.position(i)) : detail::spread_at(scratch, from, result.position(i), place);
  }
  detail::spread_done();
}

/// Of a vector: result(i) = from(places(i)).
template <class Vector, class From, class Places, int Count = Vector::count>
TSR_DEVICE void gather(Vector &result, const From &from, const Places &places, int64_t extent, typename From::Element *scratch = nullptr) {
  detail::spread(scratch, from);
  TSR_UNROLL
  for (int i = 0; i < Count; ++i) {
    result(i) = typename From::Element{};
    if (!result.holds(i) || !detail::is_place(places(i), extent)) continue;
    result(i) = detail::spread_at(scratch, from, static_cast<int>(places(i)));
  }
  detail::spread_done();
}

/// One element of a vector, for all lanes.
template <class From> TSR_DEVICE typename From::Element gather(const From &from, int64_t place, int64_t extent, typename From::Element *scratch = nullptr) {
  detail::spread(scratch, from);
  const typename From::Element value =
      detail::is_place(place, extent) ? detail::spread_at(scratch, from, static_cast<int>(place)) : typename From::Element{};
  detail::spread_done();
  return value;
}

}  // namespace TSR_TARGET
}  // namespace tsr
