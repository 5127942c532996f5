// The order of the rows of tiles: where their elements lie once they are sorted (order_words.h says how).
#pragma once
#include "tessera/device/fragment.h"
#include "tessera/device/sort_row.h"

namespace tsr {
inline namespace TSR_TARGET {

#if !defined(TSR_CPU)
namespace detail {
/// Elements of rows as the steps of a sort see them: in shared memory, with their places in the row beside them.
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
/// One step of a bitonic network in each of `lines` rows of a tile, `width` elements apart; `pairs`, a power of two, hold the pairs of
/// one. In each block of 2 * half elements, one of the first half meets its mirror image in the second (the step that begins to merge
/// two sorted halves), or the one `half` behind it. The lesser goes first in every pair, so that what is missing behind the last
/// element, and would be the greatest of all, never moves: a count need not be a power of two. Ends in a barrier.
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
