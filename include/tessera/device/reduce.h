// Reductions over tiles and over the lanes of a group. Op is Sum, Prod, Min, Max, Any or All of math.h. The order is
// fixed by the sizes alone, so the same input gives the same bits every time and on every GPU.
#pragma once
#include "tessera/device/fragment.h"
#include "tessera/device/math.h"
#include <utility>

namespace tsr {
inline namespace TSR_TARGET {
namespace detail {

/// Combines the values of `Width` neighbouring lanes (a power of two up to 32); all of them get the result. `lanes`: a bit for each
/// of 32 lanes that are here.
template <class Op, int Width, class T> TSR_DEVICE T reduce_neighbours(T value, [[maybe_unused]] uint32_t lanes = 0xffffffffu) {
  static_assert(Width >= 1 && Width <= kRowLanes && (Width & (Width - 1)) == 0, "a power of two up to 32 lanes");
#if !defined(TSR_CPU)
  TSR_UNROLL
  for (int offset = Width / 2; offset > 0; offset /= 2) value = Op::combine(value, shuffle_xor(value, offset, lanes));
#endif
  return value;
}

#if !defined(TSR_CPU)
/// A bit for each lane of this group, of `Lanes` lanes, of which several are in one row of 32: blocks are Lanes x groups.
template <int Lanes> TSR_DEVICE uint32_t lanes_of_group() {
  if constexpr (Lanes >= kRowLanes) return 0xffffffffu;
  else return ((1u << Lanes) - 1) << (threadIdx.y % (kRowLanes / Lanes) * Lanes);
}
#endif

}  // namespace detail

namespace detail {
/// Row i of what a lane holds of a tile. On GPUs in four parts that do not wait for each other: a lane that combined one
/// element after the other would wait for each result.
template <class Op, class T, int M, int N, class Grid> TSR_DEVICE T own_row(const Fragment<T, M, N, Grid> &tile, int i) {
#if defined(TSR_CPU)
  constexpr int parts = 1;
#else
  constexpr int parts = Fragment<T, M, N, Grid>::cols >= 16 ? 4 : 1;
#endif
  T value[parts];
  TSR_UNROLL
  for (int part = 0; part < parts; ++part) value[part] = Op::template identity<T>();
  TSR_UNROLL
  for (int j = 0; j < tile.cols; ++j)
    if (N % Grid::cols == 0 || tile.col(j) < N) value[j % parts] = Op::combine(value[j % parts], tile(i, j));
  if constexpr (parts == 4) return Op::combine(Op::combine(value[0], value[1]), Op::combine(value[2], value[3]));
  return value[0];
}
}  // namespace detail

/// For each row of the tile, the combination of its elements. The lanes of a row stand side by side in one row of lanes:
/// Grid::cols is a power of two up to 32.
template <class Op, class T, int M, int N, class Grid>
TSR_DEVICE RowVector<T, M, Grid> row_reduce(const Fragment<T, M, N, Grid> &tile) {
  RowVector<T, M, Grid> result;
  TSR_UNROLL
  for (int i = 0; i < tile.rows; ++i) {
    result(i) = detail::reduce_neighbours<Op, Grid::cols>(detail::own_row<Op>(tile, i));
  }
  return result;
}

#if !defined(TSR_CPU)
namespace detail {

/// Rows of a tile in a layout of warps: lanes that differ in Grid::row_bits have a row's elements, in Grid::row_parts places.
/// `scratch` (shared memory, row_parts * M elements) is used where those are several; then it holds barriers: every lane of the
/// group takes part.
template <class Op, class T, int M, int N, class Grid>
TSR_DEVICE RowVector<T, M, Grid> reduce_rows_of_warps(const Fragment<T, M, N, Grid> &tile, T *scratch) {
  RowVector<T, M, Grid> result;
  TSR_UNROLL
  for (int i = 0; i < tile.rows; ++i) {
    T value = Op::template identity<T>();
    TSR_UNROLL
    for (int j = 0; j < tile.cols; ++j)
      if (N % Grid::col_step == 0 || tile.col(j) < N) value = Op::combine(value, tile(i, j));
    TSR_UNROLL
    for (int offset = kRowLanes / 2; offset > 0; offset /= 2)
      if (offset & Grid::row_bits) value = Op::combine(value, shuffle_xor(value, offset));
    result(i) = value;
  }
  if constexpr (Grid::row_parts > 1) {
    TSR_UNROLL
    for (int i = 0; i < tile.rows; ++i)
      if ((lane() & Grid::row_bits) == 0 && result.holds(i)) scratch[Grid::row_part() * M + tile.row(i)] = result(i);
    group_barrier();
    TSR_UNROLL
    for (int i = 0; i < tile.rows; ++i) {
      if (!result.holds(i)) continue;
      T value = scratch[tile.row(i)];
      TSR_UNROLL
      for (int part = 1; part < Grid::row_parts; ++part) value = Op::combine(value, scratch[part * M + tile.row(i)]);
      result(i) = value;
    }
    group_barrier();  // scratch may be used again
  }
  return result;
}

/// Columns of such a tile: the other lanes of 32, then Grid::col_parts places. `scratch`: shared memory, col_parts * N elements;
/// holds barriers: every lane of the group takes part.
template <class Op, class T, int M, int N, class Grid>
TSR_DEVICE ColVector<T, N, Grid> reduce_cols_of_warps(const Fragment<T, M, N, Grid> &tile, T *scratch) {
  ColVector<T, N, Grid> result;
  TSR_UNROLL
  for (int j = 0; j < tile.cols; ++j) {
    T value = Op::template identity<T>();
    TSR_UNROLL
    for (int i = 0; i < tile.rows; ++i)
      if (M % Grid::row_step == 0 || tile.row(i) < M) value = Op::combine(value, tile(i, j));
    TSR_UNROLL
    for (int offset = 1; offset < kRowLanes; offset *= 2)
      if (!(offset & Grid::row_bits)) value = Op::combine(value, shuffle_xor(value, offset));
    result(j) = value;
    if (Grid::col_parts > 1 && (lane() % kRowLanes & ~Grid::row_bits) == 0 && result.holds(j))
      scratch[Grid::col_part() * N + tile.col(j)] = value;
  }
  if constexpr (Grid::col_parts > 1) {
    group_barrier();
    TSR_UNROLL
    for (int j = 0; j < tile.cols; ++j) {
      if (!result.holds(j)) continue;
      T value = scratch[tile.col(j)];
      TSR_UNROLL
      for (int part = 1; part < Grid::col_parts; ++part) value = Op::combine(value, scratch[part * N + tile.col(j)]);
      result(j) = value;
    }
    group_barrier();  // scratch may be used again
  }
  return result;
}

}  // namespace detail
#endif

#if !defined(TSR_CPU)
/// Of tiles in a layout of matrix instructions whose rows lie in one warp each: of each row, what this lane holds of it, combined. Such
/// vectors may be added and scaled row by row; combine_lanes() makes of them what row_reduce() gives, but for the order of the sums.
template <class Op, class T, int M, int N, class Grid> TSR_DEVICE RowVector<T, M, Grid> reduce_by_lane(const Fragment<T, M, N, Grid> &tile) {
  static_assert(Grid::row_parts == 1 && N % Grid::col_step == 0, "a row lies in one warp, and its lanes hold nothing else");
  RowVector<T, M, Grid> result;
  TSR_UNROLL
  for (int i = 0; i < tile.rows; ++i) {
    T value = tile(i, 0);
    TSR_UNROLL
    for (int j = 1; j < tile.cols; ++j) value = Op::combine(value, tile(i, j));
    result(i) = value;
  }
  return result;
}
template <class Op, class T, int M, class Grid> TSR_DEVICE RowVector<T, M, Grid> combine_lanes(const RowVector<T, M, Grid> &own) {
  RowVector<T, M, Grid> result;
  TSR_UNROLL
  for (int i = 0; i < own.rows; ++i) result(i) = detail::reduce_neighbours<Op, Grid::row_lanes>(own(i));
  return result;
}
#endif

/// Elements of T that col_reduce needs as scratch memory.
template <class Tile> constexpr int col_reduce_scratch = Tile::ThreadGrid::col_scratch(Tile::width);
/// Elements of T that row_reduce needs as scratch memory, where a row lies in several warps.
template <class Tile> constexpr int row_reduce_scratch = Tile::ThreadGrid::row_scratch(Tile::height);

/// For each column of the tile, the combination of its elements. Lanes of a column meet in `scratch` (shared memory);
/// holds barriers: every lane of the group takes part.
template <class Op, class T, int M, int N, class Grid>
TSR_DEVICE ColVector<T, N, Grid> col_reduce(const Fragment<T, M, N, Grid> &tile, T *scratch = nullptr) {
  (void)scratch;  // a lane that has the columns by itself meets nobody
  ColVector<T, N, Grid> result;
  constexpr int width = Fragment<T, M, N, Grid>::cols * Grid::cols;
  TSR_UNROLL
  for (int j = 0; j < tile.cols; ++j) {
    T value = Op::template identity<T>();
    TSR_UNROLL
    for (int i = 0; i < tile.rows; ++i)
      if (M % Grid::rows == 0 || tile.row(i) < M) value = Op::combine(value, tile(i, j));
    result(j) = value;
    if constexpr (Grid::rows > 1) scratch[Grid::row() * width + tile.col(j)] = value;
  }
  if constexpr (Grid::rows > 1) {
    group_barrier();
    TSR_UNROLL
    for (int j = 0; j < tile.cols; ++j) {
      T value = scratch[tile.col(j)];
      for (int r = 1; r < Grid::rows; ++r) value = Op::combine(value, scratch[r * width + tile.col(j)]);
      result(j) = value;
    }
    group_barrier();  // scratch may be used again
  }
  return result;
}

/// Elements of T that group_reduce over so many lanes needs as scratch memory.
TSR_INLINE constexpr int group_reduce_scratch(int lanes) { return lanes % kRowLanes == 0 ? lanes / kRowLanes : lanes; }

#if !defined(TSR_CPU)
namespace detail {
/// What `Parts` rows of lanes left in shared memory, combined; every lane gets it.
template <class Op, int Parts, class T> TSR_DEVICE T combine_parts(const T *scratch) {
  if constexpr ((Parts & (Parts - 1)) == 0) {
    constexpr int width = Parts < kRowLanes ? Parts : kRowLanes;
    T value = scratch[lane() % width];
    TSR_UNROLL
    for (int part = width; part < Parts; part += width) value = Op::combine(value, scratch[part + lane() % width]);
    return reduce_neighbours<Op, width>(value);
  } else {
    T total = scratch[0];
    TSR_UNROLL
    for (int part = 1; part < Parts; ++part) total = Op::combine(total, scratch[part]);
    return total;
  }
}
}  // namespace detail
#endif

/// The combination of one value of each of the group's `Lanes` lanes; every lane gets it. `scratch` is shared memory;
/// holds barriers: every lane of the group takes part.
template <class Op, int Lanes, class T> TSR_DEVICE T group_reduce(T value, T *scratch) {
#if defined(TSR_CPU)
  static_assert(Lanes == 1, "on the CPU a group has one lane: reduce its values in a loop, or give them as an array");
  (void)scratch;
  return value;
#else
  if constexpr (Lanes <= kRowLanes && (Lanes & (Lanes - 1)) == 0) {
    (void)scratch;
    return detail::reduce_neighbours<Op, Lanes>(value, detail::lanes_of_group<Lanes>());
  } else {
    constexpr int parts = group_reduce_scratch(Lanes);
    if constexpr (Lanes % kRowLanes == 0) value = detail::reduce_neighbours<Op, kRowLanes>(value);
    if (Lanes % kRowLanes != 0 || lane() % kRowLanes == 0) scratch[lane() * parts / Lanes] = value;
    group_barrier();
    const T total = detail::combine_parts<Op, parts>(scratch);
    group_barrier();  // scratch may be used again
    return total;
  }
#endif
}

#if !defined(TSR_CPU)
namespace detail {
template <int Lanes, class... Ops, class T, int Parts, size_t... I, class... Values>
TSR_DEVICE void reduce_together(T (&scratch)[sizeof...(Ops)][Parts], std::index_sequence<I...>, Values &...values) {
  if constexpr (Lanes <= kRowLanes && (Lanes & (Lanes - 1)) == 0) {
    (void)scratch;
    ((values = reduce_neighbours<Ops, Lanes>(values, lanes_of_group<Lanes>())), ...);
  } else {
    if constexpr (Lanes % kRowLanes == 0) ((values = reduce_neighbours<Ops, kRowLanes>(values)), ...);
    if (Lanes % kRowLanes != 0 || lane() % kRowLanes == 0) ((scratch[I][lane() * Parts / Lanes] = values), ...);
    group_barrier();
    ((values = combine_parts<Ops, Parts>(scratch[I])), ...);
  }
}
}  // namespace detail

/// group_reduce of several values of each lane, each by an Op of its own, in the place of the values: they meet once. `scratch` is used again
/// only when all lanes have met elsewhere; holds one barrier: every lane of the group takes part.
///
///   __shared__ float scratch[2][group_reduce_scratch(Threads)];
///   reduce_together<Threads, Max, Sum>(scratch, largest, sum);
template <int Lanes, class... Ops, class T, class... Values>
TSR_DEVICE void reduce_together(T (&scratch)[sizeof...(Ops)][group_reduce_scratch(Lanes)], Values &...values) {
  static_assert(sizeof...(Ops) == sizeof...(Values), "an Op for each value");
  detail::reduce_together<Lanes, Ops...>(scratch, std::index_sequence_for<Values...>(), values...);
}
#endif

namespace detail {
/// The elements of a vector that this lane holds, combined.
template <class Op, class Vector> TSR_DEVICE typename Vector::Element lane_part(const Vector &vector) {
  auto value = Op::template identity<typename Vector::Element>();
  TSR_UNROLL
  for (int i = 0; i < Vector::count; ++i)
    if (vector.holds(i)) value = Op::combine(value, vector(i));
  return value;
}
/// Of the lanes that hold the same elements one takes part, and only with what it holds. Where every lane has all elements, nobody meets.
template <class Op, bool LaneHasAll, class Vector> TSR_DEVICE typename Vector::Element vector_reduce(const Vector &vector, typename Vector::Element *scratch) {
  if constexpr (LaneHasAll) {
    (void)scratch;
    return lane_part<Op>(vector);
  } else {
    using T = typename Vector::Element;
    return group_reduce<Op, Vector::ThreadGrid::size>(vector.owner() ? lane_part<Op>(vector) : Op::template identity<T>(), scratch);
  }
}
}  // namespace detail

/// The combination of a vector's elements; every lane of the group gets it. `scratch`: group_reduce_scratch(lanes)
/// elements of shared memory, none on the CPU; holds barriers: every lane of the group takes part.
template <class Op, class T, int M, class Grid>
TSR_DEVICE T vector_reduce(const RowVector<T, M, Grid> &vector, T *scratch = nullptr) {
  return detail::vector_reduce<Op, RowVector<T, M, Grid>::count == M && M % Grid::row_step == 0>(vector, scratch);
}
template <class Op, class T, int N, class Grid>
TSR_DEVICE T vector_reduce(const ColVector<T, N, Grid> &vector, T *scratch = nullptr) {
  return detail::vector_reduce<Op, ColVector<T, N, Grid>::count == N && N % Grid::col_step == 0>(vector, scratch);
}

/// The element at `place` of a vector; every lane of the group gets it. `scratch`: an element of shared memory, none on the CPU; holds
/// barriers: every lane of the group takes part.
template <class Vector> TSR_DEVICE typename Vector::Element vector_element(const Vector &vector, int place, typename Vector::Element *scratch = nullptr) {
#if defined(TSR_CPU)
  (void)scratch;
  return vector(place);  // one lane has them all
#else
  TSR_UNROLL
  for (int i = 0; i < Vector::count; ++i)
    if (vector.owner() && vector.holds(i) && vector.position(i) == place) scratch[0] = vector(i);
  group_barrier();
  const typename Vector::Element found = scratch[0];
  group_barrier();  // scratch may be used again
  return found;
#endif
}

/// group_reduce for lanes that the CPU runs one after the other: one element of `values` a lane, combined in the order
/// of the GPU's lanes.
template <class Op, int Lanes, class T> TSR_INLINE T group_reduce(const T (&values)[Lanes]) {
  T part[Lanes];
  for (int i = 0; i < Lanes; ++i) part[i] = values[i];
  constexpr bool pairs = Lanes % kRowLanes == 0 || (Lanes < kRowLanes && (Lanes & (Lanes - 1)) == 0);
  constexpr int width = !pairs ? 1 : Lanes < kRowLanes ? Lanes : kRowLanes;
  for (int offset = width / 2; offset > 0; offset /= 2)
    for (int first = 0; first < Lanes; first += width)
      for (int i = first; i < first + offset; ++i) part[i] = Op::combine(part[i], part[i + offset]);
  constexpr int parts = Lanes / width;
  if constexpr (parts <= kRowLanes && (parts & (parts - 1)) == 0) {
    for (int offset = parts / 2; offset > 0; offset /= 2)
      for (int i = 0; i < offset; ++i) part[i * width] = Op::combine(part[i * width], part[(i + offset) * width]);
    return part[0];
  }
  T total = part[0];
  for (int first = width; first < Lanes; first += width) total = Op::combine(total, part[first]);
  return total;
}

}  // inline namespace TSR_TARGET
}  // namespace tsr
