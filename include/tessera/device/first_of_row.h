// The first places of the order of a row (order_words.h), such as the largest elements: without a sort of the row.
#pragma once
#include "tessera/device/atomic.h"
#include "tessera/device/sort_row.h"

namespace tsr {
inline namespace TSR_TARGET {

#if defined(TSR_CPU)
/// order[i] is where the element of `keys` lies that is the i-th once the row is sorted, for the first Count of them. The row has as many.
template <class Direction, int Count, class T> TSR_DEVICE void argfirst_row(int64_t *order, const T *keys, int64_t extent) {
  const auto before = [keys](int64_t i, int64_t j) { return Direction::before(keys[i], i, keys[j], j); };
  int64_t *end = order;
  for (int64_t i = 0; i < extent; ++i) {
    const bool isFull = end == order + Count;
    if (isFull && !before(i, end[-1])) continue;
    int64_t *place = std::upper_bound(order, end, i, before);
    if (!isFull) ++end;
    std::move_backward(place, end - 1, end);
    *place = i;
  }
}
#else
namespace detail {
/// The least word of all lanes, in each of them. `space`: shared memory. Holds barriers.
template <int Lanes, class Word> TSR_DEVICE Word first_of_group(Word word, int64_t *space) {
  TSR_UNROLL
  for (int offset = kRowLanes / 2; offset > 0; offset /= 2) {
    const Word other = shuffle_xor(word, offset);
    if (other.is_before(word)) word = other;
  }
  TSR_UNROLL
  for (int part = 0; part < Word::parts; ++part)
    if (lane() % kRowLanes == 0) space[part * Lanes + lane() / kRowLanes] = word.part(part);
  group_barrier();
  TSR_UNROLL
  for (int row = 0; row < Lanes / kRowLanes; ++row) {
    Word other;
    TSR_UNROLL
    for (int part = 0; part < Word::parts; ++part) other.set_part(part, space[part * Lanes + row]);
    if (other.is_before(word)) word = other;
  }
  group_barrier();  // the memory may be used again
  return word;
}

/// The elements of a row, from `first` on.
template <class Direction, class T> struct RowElements {
  const T *keys;
  int64_t first, extent;
  template <class Word> TSR_DEVICE Word word(int64_t at) const { return Word::of(key_of<Direction>(keys[first + at]), first + at); }
};
/// Those of its elements that `places` names; where that is below 0, none.
template <class Direction, class T> struct NamedElements {
  const T *keys;
  const int64_t *places;
  int64_t extent;
  template <class Word> TSR_DEVICE Word word(int64_t at) const {
    const int64_t place = places[at];
    return place < 0 ? Word::last() : Word::of(key_of<Direction>(keys[place]), place);
  }
};

/// Finds the first Count words of elements with two looks at them. The Count-th best of the lanes' first words is one that no more than a few
/// others of the row stand before; these are put together and sorted.
/// `Fills`: where there are fewer elements, -1 stands for a place.
template <class Word, int Lanes, int Count, bool Fills, class Elements> struct FirstOfRow {
  using Chunk = SortedChunk<Word, Lanes>;
  static_assert(Count <= Lanes, "a lane has one of them");
  // Words that can be put together: the first integer counts them.
  static constexpr int most = Chunk::held * Lanes / 2;
  static_assert(1 + most * Word::parts <= sort_chunk, "as large as the shared memory");
  int64_t *order;
  Elements elements;
  int64_t *space;

  TSR_DEVICE int64_t extent() const { return elements.extent; }
  TSR_DEVICE Word word(int64_t at) const { return elements.template word<Word>(at); }
  TSR_DEVICE void put(int at, const Word &word) const {
    TSR_UNROLL
    for (int part = 0; part < Word::parts; ++part) space[1 + part * most + at] = word.part(part);
  }
  TSR_DEVICE Word taken(int at) const {
    Word word;
    TSR_UNROLL
    for (int part = 0; part < Word::parts; ++part) word.set_part(part, space[1 + part * most + at]);
    return word;
  }
  /// Sorts the `count` words that were put together. Word i of the lane is then the one at i * Lanes + lane(). Holds barriers.
  TSR_DEVICE void sort(Chunk &chunk, int count) const {
    int holding = 1;
    while (holding < Lanes && Chunk::held * holding < count) holding *= 2;
    TSR_UNROLL
    for (int e = 0; e < Chunk::held; ++e) {
      const int at = e * holding + lane();
      chunk.words[e] = lane() < holding && at < count ? taken(at) : Word::last();
    }
    group_barrier();  // the memory is used by the sort
    chunk.space = space;
    chunk.works = lane() / 64 * 64 < holding;
    chunk.sort(holding);
  }
  /// A word of the row behind which none of the first Count stands.
  TSR_DEVICE Word bound(Chunk &chunk) const {
    Word best = Word::last();
    TSR_UNROLL_4
    for (int64_t at = lane(); at < extent(); at += Lanes) {
      const Word next = word(at);
      if (next.is_before(best)) best = next;
    }
    put(lane(), best);
    group_barrier();
    sort(chunk, Lanes);
    if (lane() == Count - 1) put(0, chunk.words[0]);
    group_barrier();
    const Word found = taken(0);
    group_barrier();  // the memory may be used again
    return found;
  }
  /// Where too many stand before the bound, as most of the first lie in few lanes: the first one, the first one behind it, and so on.
  TSR_DEVICE void one_by_one() const {
    Word before = Word::last();
    for (int i = 0; i < Count && i < extent(); ++i) {
      Word best = Word::last();
      for (int64_t at = lane(); at < extent(); at += Lanes) {
        const Word next = word(at);
        if ((i == 0 || before.is_before(next)) && next.is_before(best)) best = next;
      }
      before = first_of_group<Lanes>(best, space);
      if (lane() == 0) order[i] = before.place();
    }
    if (Fills && lane() < Count && lane() >= extent()) order[lane()] = -1;
  }
  TSR_DEVICE void find() const {
    Chunk chunk;
    const Word last = bound(chunk);
    if (lane() == 0) space[0] = 0;
    group_barrier();
    TSR_UNROLL_4
    for (int64_t at = lane(); at < extent(); at += Lanes) {
      const Word next = word(at);
      if (last.is_before(next)) continue;
      const int64_t free = atomic_add(space[0], 1);
      if (free < most) put(static_cast<int>(free), next);
    }
    group_barrier();
    const int64_t count = space[0];
    if (count > most) return one_by_one();
    sort(chunk, static_cast<int>(count));
    if (lane() < Count && lane() < extent()) order[lane()] = chunk.words[0].place();
    else if (Fills && lane() < Count) order[lane()] = -1;
  }
};
}  // namespace detail

/// order[i] is where the element of `keys` lies that is the i-th once the row is sorted, for the first Count of them. The row has as many.
/// `space`: shared memory, sort_chunk integers. Holds barriers: every one of the group's `Lanes` lanes takes part, with the same arguments.
template <class Direction, int Lanes, int Count, class T>
TSR_DEVICE void argfirst_row(int64_t *order, const T *keys, int64_t extent, int64_t *space) {
  using Elements = detail::RowElements<Direction, T>;
  if constexpr (sizeof(T) <= 4)
    if (extent <= int64_t(1) << 32) return detail::FirstOfRow<detail::PackedWord, Lanes, Count, false, Elements>{order, {keys, 0, extent}, space}.find();
  detail::FirstOfRow<detail::WideWord, Lanes, Count, false, Elements>{order, {keys, 0, extent}, space}.find();
}

/// The same of the part of a row that begins at `part` times Length and has as many elements, or those up to the end of the row: firsts[part * Count]
/// and those behind it are their places in the row, and -1 where the part has fewer. Rows of at most 2^32 elements.
template <class Direction, int Lanes, int Count, int Length, class T>
TSR_DEVICE void argfirst_part(int64_t *firsts, const T *keys, int64_t extent, int64_t part, int64_t *space) {
  using Word = typename std::conditional<(sizeof(T) > 4), detail::WideWord, detail::PackedWord>::type;
  const int64_t first = part * Length, length = extent - first < Length ? extent - first : Length;
  detail::FirstOfRow<Word, Lanes, Count, true, detail::RowElements<Direction, T>>{firsts + part * Count, {keys, first, length}, space}.find();
}

/// The first Count of those elements of a row that the first `count` numbers of `firsts` name, as argfirst_part has left them. There are as many.
template <class Direction, int Lanes, int Count, class T>
TSR_DEVICE void argfirst_of_parts(int64_t *order, const T *keys, const int64_t *firsts, int64_t count, int64_t *space) {
  using Word = typename std::conditional<(sizeof(T) > 4), detail::WideWord, detail::PackedWord>::type;
  detail::FirstOfRow<Word, Lanes, Count, false, detail::NamedElements<Direction, T>>{order, {keys, firsts, count}, space}.find();
}
#endif

}  // inline namespace TSR_TARGET
}  // namespace tsr
