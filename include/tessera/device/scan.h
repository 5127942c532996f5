// Each element of a tile combined with those before it along an axis. Op is Sum, Prod, Min or Max of math.h. The order is fixed by the
// extents and by how many lanes a group has: along rows 32 elements at a time, down columns one after the other.
#pragma once
#include "tessera/device/fragment.h"
#include "tessera/device/math.h"
#include "tessera/device/vector.h"

namespace tsr {
inline namespace TSR_TARGET {

namespace detail {

/// `count` elements, `step` apart, by one lane.
template <class Op, class T> TSR_DEVICE void scan_in_turn(T *line, int count, int step) {
  T sum = line[0];
  for (int i = 1; i < count; ++i) line[i * step] = sum = Op::combine(sum, line[i * step]);
}

#if !defined(TSR_CPU)
/// A value of each lane of a warp, combined with those of the lanes before it.
template <class Op, class T> TSR_DEVICE T scan_lanes(T value) {
  const int place = lane() % kRowLanes;
  TSR_UNROLL
  for (int offset = 1; offset < kRowLanes; offset *= 2) {
    const T before = shuffle(value, place < offset ? 0 : place - offset);
    if (place >= offset) value = Op::combine(before, value);
  }
  return value;
}

/// `count` neighbouring elements by the lanes of a warp; of a line that is not theirs they only keep in step with the others.
template <class Op, class T> TSR_DEVICE void scan_by_warp(T *line, int count, bool theirs) {
  const int place = lane() % kRowLanes;
  T carried = Op::template identity<T>();
  for (int first = 0; first < count; first += kRowLanes) {
    const bool holds = theirs && first + place < count;
    T value = holds ? line[first + place] : Op::template identity<T>();
    value = scan_lanes<Op>(value);
    if (first > 0) value = Op::combine(carried, value);
    if (holds) line[first + place] = value;
    carried = shuffle(value, kRowLanes - 1);
  }
}

/// `lines` of `count` neighbouring elements, one after the other in shared memory, by the lanes of a group.
template <class Op, int Lanes, class T> TSR_DEVICE void scan_rows(T *first, int lines, int count) {
  if constexpr (Lanes % kRowLanes == 0) {
    constexpr int warps = Lanes / kRowLanes;
    const int warp = lane() / kRowLanes;
    for (int line = 0; line < lines; line += warps)
      scan_by_warp<Op>(first + (line + warp) * count, count, line + warp < lines);
  } else {
    for (int line = lane(); line < lines; line += Lanes) scan_in_turn<Op>(first + line * count, count, 1);
  }
}

/// One line of `Each * Lanes` elements in shared memory, on a multiple of 16 bytes, by all warps of a group: a lane goes through `Each`
/// neighbours in its registers, and puts before them what the lanes and warps before it have found. Holds barriers.
template <class Op, int Lanes, int Each, class T> TSR_DEVICE void scan_line(T *line) {
  const int warp = lane() / kRowLanes, place = lane() % kRowLanes;
  Vector<T, Each> value = load_vector<Each>(line + lane() * Each);
  TSR_UNROLL
  for (int e = 1; e < Each; ++e) value(e) = Op::combine(value(e - 1), value(e));
  const T found = scan_lanes<Op>(value(Each - 1));
  T before = shuffle(found, place == 0 ? 0 : place - 1);
  group_barrier();  // all have read theirs: the line's first places take what each warp has found
  if (place == kRowLanes - 1) line[warp] = found;
  group_barrier();
  for (int w = warp - 1; w >= 0; --w) before = place == 0 && w == warp - 1 ? line[w] : Op::combine(line[w], before);
  group_barrier();
  if (lane() > 0) {
    TSR_UNROLL
    for (int e = 0; e < Each; ++e) value(e) = Op::combine(before, value(e));
  }
  store_vector(line, lane() * Each, value);
}
#endif

}  // namespace detail

/// result = source, combined along axis 0 (down the columns) or 1 (along the rows); they may be the same tile. On GPUs the lanes meet in
/// `scratch`, shared memory of tile_elements elements; holds barriers: every lane of the group takes part.
template <class Op, int Axis, class T, int M, int N, class Grid>
TSR_DEVICE void scan(Fragment<T, M, N, Grid> &result, const Fragment<T, M, N, Grid> &source, T *scratch = nullptr) {
  static_assert(Axis == 0 || Axis == 1, "a tile has two axes");
#if defined(TSR_CPU)
  static_assert(Grid::size == 1, "on the CPU one lane has the tile");
  (void)scratch;
  for (int i = 0; i < M; ++i)
    for (int j = 0; j < N; ++j) {
      const bool starts = Axis == 0 ? i == 0 : j == 0;
      result(i, j) = starts ? source(i, j) : Op::combine(Axis == 0 ? result(i - 1, j) : result(i, j - 1), source(i, j));
    }
#else
  TSR_UNROLL
  for (int i = 0; i < source.rows; ++i) {
    TSR_UNROLL
    for (int j = 0; j < source.cols; ++j)
      if (source.holds(i, j)) scratch[source.row(i) * N + source.col(j)] = source(i, j);
  }
  group_barrier();
  if constexpr (Axis == 1) detail::scan_rows<Op, Grid::size>(scratch, M, N);
  else
    for (int column = lane(); column < N; column += Grid::size) detail::scan_in_turn<Op>(scratch + column, M, N);
  group_barrier();
  TSR_UNROLL
  for (int i = 0; i < result.rows; ++i) {
    TSR_UNROLL
    for (int j = 0; j < result.cols; ++j)
      if (result.holds(i, j)) result(i, j) = scratch[result.row(i) * N + result.col(j)];
  }
  group_barrier();  // scratch may be used again
#endif
}

/// Likewise a RowVector or ColVector, whose one axis is 0.
template <class Op, int Axis, class Vector, int Count = Vector::count>
TSR_DEVICE void scan(Vector &result, const Vector &source, typename Vector::Element *scratch = nullptr) {
  static_assert(Axis == 0, "a vector has one axis");
#if defined(TSR_CPU)
  (void)scratch;
  for (int i = 0; i < Count; ++i) result(i) = i == 0 ? source(i) : Op::combine(result(i - 1), source(i));
#else
  TSR_UNROLL
  for (int i = 0; i < Count; ++i)
    if (source.owner() && source.holds(i)) scratch[source.position(i)] = source(i);
  group_barrier();
  constexpr int lanes = Vector::ThreadGrid::size, elements = tile_elements<Vector>;
  constexpr int each = elements % lanes == 0 ? elements / lanes : 0;
  constexpr bool isShared = lanes % kRowLanes == 0 && lanes > kRowLanes && each > 1 && (each & (each - 1)) == 0 && sizeof(*scratch) >= 4;
  if (isShared && reinterpret_cast<uintptr_t>(scratch) % 16 == 0) {
    if constexpr (isShared) detail::scan_line<Op, lanes, each>(scratch);
  } else {
    detail::scan_rows<Op, lanes>(scratch, 1, elements);
  }
  group_barrier();
  TSR_UNROLL
  for (int i = 0; i < Count; ++i)
    if (result.holds(i)) result(i) = scratch[result.position(i)];
  group_barrier();  // scratch may be used again
#endif
}

}  // namespace TSR_TARGET
}  // namespace tsr
