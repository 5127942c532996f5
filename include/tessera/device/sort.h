// The order of a row: where its elements lie once they are sorted.
//
// An element stands before another if it is less (greater, for Descending); a NaN stands behind all numbers in both
// directions, and what is equal, zeros of either sign among it, keeps the order in which it came. No two elements are tied,
// so every machine and every number of lanes finds the same order.
#pragma once
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
template <class T> struct HeldElements {
  T *keys;
  int64_t *places;
  TSR_DEVICE T key(int64_t at) const { return keys[at]; }
  TSR_DEVICE int64_t place(int64_t at) const { return places[at]; }
  TSR_DEVICE void exchange(int64_t a, int64_t b) const {
    const T key = keys[a];
    const int64_t place = places[a];
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
}  // namespace detail

/// order[i] is where the element of `keys` lies that is the i-th once the row is sorted: a bitonic network. A row of up to
/// sort_chunk elements is sorted in shared memory (`held`, `places`: sort_chunk elements each). A longer one is sorted chunk
/// by chunk, and of the steps that merge the chunks only those go through global memory whose pairs lie that far apart.
/// Holds barriers: every one of the group's `Lanes` lanes takes part, with the same arguments.
template <class Direction, int Lanes, class T>
TSR_DEVICE void argsort_row(int64_t *order, const T *keys, int64_t extent, T *held, int64_t *places) {
  const detail::HeldElements<T> chunk{held, places};
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

}  // inline namespace TSR_TARGET
}  // namespace tsr
