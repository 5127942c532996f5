// The order of a row: where its elements lie once they are sorted.
//
// An element stands before another if it is less (greater, for Descending); a NaN stands behind all numbers in both
// directions, and what is equal, zeros of either sign among it, keeps the order in which it came. No two elements are tied,
// so every machine and every number of lanes finds the same order.
#pragma once
#include "tessera/device/fragment.h"
#include "tessera/device/math.h"
#if defined(TSR_CPU)
#include <algorithm>
#endif

namespace tsr {
inline namespace TSR_TARGET {

/// Elements that a group sorts in shared memory; of a longer row, so many at a time.
constexpr int64_t sort_chunk = 2048;

namespace detail {
/// Whether element `a`, at place `i` of the row, stands before `b`, at place `j`.
template <bool Falling, class T> TSR_DEVICE bool sorted_before(T a, int64_t i, T b, int64_t j) {
  const Compute<T> x = to<Compute<T>>(a), y = to<Compute<T>>(b);
  if (isnan(x) || isnan(y)) return isnan(x) == isnan(y) ? i < j : isnan(y);
  if (x == y) return i < j;
  return Falling ? x > y : x < y;
}
}  // namespace detail

struct Ascending {
  template <class T> static TSR_DEVICE bool before(T a, int64_t i, T b, int64_t j) { return detail::sorted_before<false>(a, i, b, j); }
};
struct Descending {
  template <class T> static TSR_DEVICE bool before(T a, int64_t i, T b, int64_t j) { return detail::sorted_before<true>(a, i, b, j); }
};

#if defined(TSR_CPU)
/// order[i] is where the element of `keys` lies that is the i-th once the row is sorted.
template <class Direction, class T> TSR_DEVICE void argsort_row(int64_t *order, const T *keys, int64_t extent) {
  for (int64_t i = 0; i < extent; ++i) order[i] = i;
  std::sort(order, order + extent, [keys](int64_t i, int64_t j) { return Direction::before(keys[i], i, keys[j], j); });
}
#else
namespace detail {
/// Elements of a row as the steps of a sort see them: in shared memory, with their places in the row beside them ...
template <class T, class Place> struct HeldElements {
  T *keys;
  Place *places;
  TSR_DEVICE T key(int64_t at) const { return keys[at]; }
  TSR_DEVICE int64_t place(int64_t at) const { return places[at]; }
  TSR_DEVICE void exchange(int64_t a, int64_t b) const {
    const T key = keys[a];
    const Place place = places[a];
    keys[a] = keys[b], places[a] = places[b];
    keys[b] = key, places[b] = place;
  }
};
/// ... or in global memory, where their places alone move.
template <class T> struct PlacedElements {
  const T *row;
  int64_t *order;
  TSR_DEVICE T key(int64_t at) const { return row[order[at]]; }
  TSR_DEVICE int64_t place(int64_t at) const { return order[at]; }
  TSR_DEVICE void exchange(int64_t a, int64_t b) const {
    const int64_t place = order[a];
    order[a] = order[b];
    order[b] = place;
  }
};

/// One step of a bitonic network over `count` elements. In each block of 2 * half of them, an element of the first half
/// meets its mirror image in the second (the step that begins to merge two sorted halves), or the one `half` behind it.
/// The lesser goes first in every pair, so that what is missing behind the last element, and would be the greatest of
/// all, never moves: a count need not be a power of two. Ends in a barrier.
template <class Direction, int Lanes, class Elements>
TSR_DEVICE void sort_step(const Elements &elements, int64_t count, int64_t half, bool mirrored) {
  for (int64_t pair = lane();; pair += Lanes) {
    const int64_t within = pair & (half - 1), block = 2 * (pair - within);
    const int64_t first = block + within, second = mirrored ? block + 2 * half - 1 - within : first + half;
    if (first >= count) break;
    if (second >= count) continue;
    if (Direction::before(elements.key(second), elements.place(second), elements.key(first), elements.place(first)))
      elements.exchange(first, second);
  }
  group_barrier();
}

/// The same step in each of `lines` rows of a tile, `width` elements apart; `pairs`, a power of two, hold the pairs of one.
template <class Direction, int Lanes, class Elements>
TSR_DEVICE void sort_step_of_lines(const Elements &elements, int lines, int width, int pairs, int count, int half, bool mirrored) {
  for (int at = lane(); at < lines * pairs; at += Lanes) {
    const int line = at / pairs, pair = at % pairs, within = pair & (half - 1);
    const int first = 2 * (pair - within) + within, second = mirrored ? first + 2 * (half - within) - 1 : first + half;
    if (second >= count) continue;
    const int a = line * width + first, b = line * width + second;
    if (Direction::before(elements.key(b), elements.place(b), elements.key(a), elements.place(a))) elements.exchange(a, b);
  }
  group_barrier();
}

/// The first `count` elements of each line, sorted together with their places.
template <class Direction, int Lanes, class T> TSR_DEVICE void sort_lines(T *held, int *places, int lines, int width, int count) {
  const HeldElements<T, int> elements{held, places};
  int pairs = 1;
  while (2 * pairs < count) pairs *= 2;
  for (int half = 1; half < count; half *= 2) {
    sort_step_of_lines<Direction, Lanes>(elements, lines, width, pairs, count, half, true);
    for (int less = half / 2; less > 0; less /= 2) sort_step_of_lines<Direction, Lanes>(elements, lines, width, pairs, count, less, false);
  }
}
}  // namespace detail

/// order[i] is where the element of `keys` lies that is the i-th once the row is sorted: a bitonic network. A row of up to
/// sort_chunk elements is sorted in shared memory (`held`, `places`: sort_chunk elements each). A longer one is sorted chunk
/// by chunk, and of the steps that merge the chunks only those go through global memory whose pairs lie that far apart.
/// Holds barriers: every one of the group's `Lanes` lanes takes part, with the same arguments.
template <class Direction, int Lanes, class T>
TSR_DEVICE void argsort_row(int64_t *order, const T *keys, int64_t extent, T *held, int64_t *places) {
  const detail::HeldElements<T, int64_t> chunk{held, places};
  const detail::PlacedElements<T> row{keys, order};
  for (int64_t size = sort_chunk; size == sort_chunk || size / 2 < extent; size *= 2) {
    if (size > sort_chunk) {
      detail::sort_step<Direction, Lanes>(row, extent, size / 2, true);
      for (int64_t half = size / 4; half >= sort_chunk; half /= 2) detail::sort_step<Direction, Lanes>(row, extent, half, false);
    }
    for (int64_t first = 0; first < extent; first += sort_chunk) {
      const int64_t count = extent - first < sort_chunk ? extent - first : sort_chunk;
      for (int64_t i = lane(); i < count; i += Lanes) {
        places[i] = size == sort_chunk ? first + i : order[first + i];
        held[i] = keys[places[i]];
      }
      group_barrier();
      if (size == sort_chunk) {
        for (int64_t half = 1; half < count; half *= 2) {
          detail::sort_step<Direction, Lanes>(chunk, count, half, true);
          for (int64_t less = half / 2; less > 0; less /= 2) detail::sort_step<Direction, Lanes>(chunk, count, less, false);
        }
      } else {
        for (int64_t half = sort_chunk / 2; half > 0; half /= 2) detail::sort_step<Direction, Lanes>(chunk, count, half, false);
      }
      for (int64_t i = lane(); i < count; i += Lanes) order[first + i] = places[i];
      group_barrier();  // the chunk is filled again
    }
  }
}
#endif

/// order(i, j) is where the element of row i lies that is the j-th once the row is sorted, of which `extent` elements are there; the
/// places behind them name themselves. On GPUs the lanes meet in `held` and `places`, shared memory of tile_elements elements each;
/// holds barriers: every lane of the group takes part.
template <class Direction, class T, int M, int N, class Grid>
TSR_DEVICE void argsort(Fragment<int64_t, M, N, Grid> &order, const Fragment<T, M, N, Grid> &keys, int64_t extent, T *held = nullptr,
                        int *places = nullptr) {
  const int count = extent < N ? static_cast<int>(extent) : N;
#if defined(TSR_CPU)
  static_assert(Grid::size == 1, "on the CPU one lane has the tile");
  (void)held, (void)places;
  for (int i = 0; i < M; ++i) {
    argsort_row<Direction>(order.element[i], keys.element[i], count);
    for (int j = count; j < N; ++j) order(i, j) = j;
  }
#else
  TSR_UNROLL
  for (int i = 0; i < keys.rows; ++i) {
    TSR_UNROLL
    for (int j = 0; j < keys.cols; ++j)
      if (keys.holds(i, j)) {
        const int at = keys.row(i) * N + keys.col(j);
        held[at] = keys(i, j);
        places[at] = keys.col(j);
      }
  }
  group_barrier();
  detail::sort_lines<Direction, Grid::size>(held, places, M, N, count);
  TSR_UNROLL
  for (int i = 0; i < order.rows; ++i) {
    TSR_UNROLL
    for (int j = 0; j < order.cols; ++j)
      order(i, j) = order.holds(i, j) ? places[order.row(i) * N + order.col(j)] : 0;
  }
  group_barrier();  // the memory may be used again
#endif
}

/// Likewise a RowVector or ColVector, which is one row.
template <class Direction, class Order, class Vector, int Count = Vector::count>
TSR_DEVICE void argsort(Order &order, const Vector &keys, int64_t extent, typename Vector::Element *held = nullptr, int *places = nullptr) {
  constexpr int all = tile_elements<Vector>;
  const int count = extent < all ? static_cast<int>(extent) : all;
#if defined(TSR_CPU)
  (void)held, (void)places;
  argsort_row<Direction>(order.element, keys.element, count);
  for (int i = count; i < Count; ++i) order(i) = i;
#else
  TSR_UNROLL
  for (int i = 0; i < Count; ++i)
    if (keys.owner() && keys.holds(i)) {
      held[keys.position(i)] = keys(i);
      places[keys.position(i)] = keys.position(i);
    }
  group_barrier();
  detail::sort_lines<Direction, Vector::ThreadGrid::size>(held, places, 1, all, count);
  TSR_UNROLL
  for (int i = 0; i < Count; ++i) order(i) = order.holds(i) ? places[order.position(i)] : 0;
  group_barrier();  // the memory may be used again
#endif
}

}  // inline namespace TSR_TARGET
}  // namespace tsr
