// The order of a row in memory: where its elements lie once they are sorted (order_words.h says how).
#pragma once
#include "tessera/device/order_words.h"
#if defined(TSR_CPU)
#include <algorithm>
#endif

namespace tsr {
inline namespace TSR_TARGET {

#if defined(TSR_CPU)
/// order[i] is where the element of `keys` lies that is the i-th once the row is sorted.
template <class Direction, class T> TSR_DEVICE void argsort_row(int64_t *order, const T *keys, int64_t extent) {
  for (int64_t i = 0; i < extent; ++i) order[i] = i;
  std::sort(order, order + extent, [keys](int64_t i, int64_t j) { return Direction::before(keys[i], i, keys[j], j); });
}
#else
/// 64-bit integers of shared memory in which the lanes of a group meet, for groups of up to 256.
constexpr int64_t sort_chunk = 2048;

namespace detail {
/// The words of a chunk, `held` for each lane of a group, in registers, and the steps of a bitonic network over them. Word e of a lane
/// stands at lane * held + e, or, spread, at e * Lanes + lane. In a step the lesser of two words goes first; one that begins to merge
/// two sorted halves is mirrored: a word meets its mirror image in the other half.
template <class Word, int Lanes> struct SortedChunk {
  static_assert(Lanes >= kRowLanes && (Lanes & (Lanes - 1)) == 0, "whole rows of lanes, a power of two of them");
  static constexpr int held = 1 << Word::depth;
  static_assert(held * Lanes <= sort_chunk, "as large as the shared memory");
  Word words[held];
  int64_t *space;   // shared
  bool works;       // this lane's wave has words

  /// Word e goes to `to(e)` in shared memory and comes back from `from(e)`. Holds barriers.
  template <class To, class From> TSR_DEVICE void exchange(Word (&got)[held], To to, From from) const {
    TSR_UNROLL
    for (int part = 0; part < Word::parts; ++part) {
      TSR_UNROLL
      for (int e = 0; e < held; ++e) space[to(e)] = words[e].part(part);
      group_barrier();
      TSR_UNROLL
      for (int e = 0; e < held; ++e) got[e].set_part(part, space[from(e)]);
      group_barrier();  // the memory may be used again
    }
  }
  /// Where place i lies in shared memory, so that neither words side by side nor every eighth of them meet in one bank.
  static TSR_DEVICE int spot(int i) { return i ^ ((i / held) & (held - 1)); }
  TSR_DEVICE void spread() {
    exchange(words, [](int e) { return spot(lane() * held + e); }, [](int e) { return spot(e * Lanes + lane()); });
  }
  TSR_DEVICE void gather() {
    exchange(words, [](int e) { return spot(e * Lanes + lane()); }, [](int e) { return spot(lane() * held + e); });
  }

  TSR_DEVICE void step_of_pair(int first, int second) {
    const bool turns = words[second].is_before(words[first]);
    const Word lesser = turns ? words[second] : words[first];
    words[second] = turns ? words[first] : words[second];
    words[first] = lesser;
  }
  /// Steps between the words of one lane, `Half` apart and nearer.
  template <int Half> TSR_DEVICE void steps_within() {
    TSR_UNROLL
    for (int e = 0; e < held; ++e)
      if ((e & Half) == 0) step_of_pair(e, e + Half);
    if constexpr (Half > 1) steps_within<Half / 2>();
  }
  template <int Half = 1> TSR_DEVICE void sort_within() {
    TSR_UNROLL
    for (int e = 0; e < held; ++e)
      if ((e & Half) == 0) step_of_pair(e, e ^ (2 * Half - 1));
    if constexpr (Half > 1) steps_within<Half / 2>();
    if constexpr (2 * Half < held) sort_within<2 * Half>();
  }
  /// A step between lanes `half` apart, a power of two.
  TSR_DEVICE void step_across(int half, bool mirrored) {
    const int other = mirrored ? 2 * half - 1 : half;
    Word got[held];
    if (half >= kRowLanes) {
      exchange(got, [](int e) { return e * Lanes + lane(); },
               [=](int e) { return (mirrored ? held - 1 - e : e) * Lanes + (lane() ^ other); });
    } else if (works) {
      TSR_UNROLL
      for (int e = 0; e < held; ++e) got[e] = shuffle_xor(words[e], other);
      if (mirrored) reverse(got);
    }
    if (!works) return;
    const bool isFirst = (lane() & half) == 0;
    TSR_UNROLL
    for (int e = 0; e < held; ++e)
      if (got[e].is_before(words[e]) == isFirst) words[e] = got[e];
  }
  static TSR_DEVICE void reverse(Word (&list)[held]) {
    TSR_UNROLL
    for (int e = 0; e < held / 2; ++e) {
      const Word first = list[e];
      list[e] = list[held - 1 - e];
      list[held - 1 - e] = first;
    }
  }

  /// Steps between words up to half a chunk apart, in steps that merge two sorted halves of it or of more.
  TSR_DEVICE void merge() {
    steps_within<held / 2>();  // they come spread: words of a lane are the furthest apart
    gather();
    TSR_NO_UNROLL
    for (int half = Lanes / (2 * held); half > 0; half /= 2) step_across(half, false);
    steps_within<held / 2>();
    spread();
  }
  /// Sorts what the first `holding` lanes have, a power of two; the others have no words. They come in any order and leave spread.
  TSR_DEVICE void sort(int holding) {
    if (works) sort_within();
    TSR_NO_UNROLL
    for (int half = 1; half < holding; half *= 2) {
      step_across(half, true);
      TSR_NO_UNROLL
      for (int less = half / 2; less > 0; less /= 2) step_across(less, false);
      if (works) steps_within<held / 2>();
    }
    spread();
  }
};

/// A row, and the memory of its order, which holds words until they are sorted: `Word` says how much of them.
template <class Word, class Direction, class T> struct SortedRow {
  int64_t *order;
  const T *keys;
  int64_t extent;

  TSR_DEVICE Word first_word(int64_t at) const { return at < extent ? Word::of(key_of<Direction>(keys[at]), at) : Word::last(); }
  TSR_DEVICE Word word(int64_t at) const {
    Word word = Word::last();
    if (at >= extent) return word;
    if constexpr (Word::keeps_key) word.set_part(0, order[at]);
    else word = Word::of(key_of<Direction>(keys[order[at]]), order[at]);
    return word;
  }
  TSR_DEVICE void put(int64_t at, const Word &word, bool isDone) const {
    if (at < extent) order[at] = Word::keeps_key && !isDone ? word.part(0) : word.place();
  }
};

/// `Depth` steps of the network between elements of a row that lie further apart than a chunk: `half`, half / 2, and so on. A lane
/// takes all 2^Depth elements that meet in them. Ends in a barrier.
template <int Depth, int Lanes, class Word, class Direction, class T>
TSR_DEVICE void far_steps(const SortedRow<Word, Direction, T> &row, int64_t half, bool mirrored) {
  constexpr int count = 1 << Depth;
  const int64_t apart = half >> (Depth - 1);
  for (int64_t at = lane();; at += Lanes) {
    const int64_t within = at & (apart - 1), block = (at - within) * count;
    if (block + within >= row.extent) break;
    const auto place = [&](int j) { return block + j * apart + (mirrored && j >= count / 2 ? apart - 1 - within : within); };
    Word words[count];
    TSR_UNROLL
    for (int j = 0; j < count; ++j) words[j] = row.word(place(j));
    TSR_UNROLL
    for (int step = count / 2; step > 0; step /= 2)
      TSR_UNROLL
      for (int j = 0; j < count; ++j) {
        const int other = mirrored && step == count / 2 ? count - 1 - j : j + step;
        if ((j & step) != 0) continue;
        if (words[other].is_before(words[j])) {
          const Word lesser = words[other];
          words[other] = words[j];
          words[j] = lesser;
        }
      }
    TSR_UNROLL
    for (int j = 0; j < count; ++j) row.put(place(j), words[j], false);
  }
  group_barrier();
}

/// As many steps at once as there are, up to `Depth`; gives back how far apart the next one's elements are.
template <int Depth, int Lanes, class Word, class Direction, class T>
TSR_DEVICE int64_t far_steps_from(const SortedRow<Word, Direction, T> &row, int64_t half, int64_t chunk, bool mirrored) {
  if constexpr (Depth > 1)
    if (half >> (Depth - 1) < chunk) return far_steps_from<Depth - 1, Lanes>(row, half, chunk, mirrored);
  far_steps<Depth, Lanes>(row, half, mirrored);
  return half >> Depth;
}

template <int Lanes, class Word, class Direction, class T>
TSR_DEVICE void sort_words(const SortedRow<Word, Direction, T> &row, int64_t *space) {
  using Chunk = SortedChunk<Word, Lanes>;
  constexpr int held = Chunk::held, chunk = held * Lanes;
  Chunk sorted;
  sorted.space = space;
  for (int64_t first = 0; first < row.extent; first += chunk) {
    const int64_t rest = row.extent - first;
    int holding = 1;
    while (holding < Lanes && held * holding < rest) holding *= 2;
    sorted.works = lane() / 64 * 64 < holding;  // waves have 32 lanes or 64
    TSR_UNROLL
    for (int e = 0; e < held; ++e) sorted.words[e] = lane() < holding ? row.first_word(first + e * holding + lane()) : Word::last();
    sorted.sort(holding);
    TSR_UNROLL
    for (int e = 0; e < held; ++e) row.put(first + e * Lanes + lane(), sorted.words[e], row.extent <= chunk);
  }
  group_barrier();
  sorted.works = true;
  for (int64_t half = chunk; half < row.extent; half *= 2) {  // two sorted parts of `half` elements become one
    bool mirrored = true;
    for (int64_t apart = half; apart >= chunk; mirrored = false) {
      apart = far_steps_from<Word::depth, Lanes>(row, apart, chunk, mirrored);
    }
    for (int64_t first = 0; first < row.extent; first += chunk) {
      TSR_UNROLL
      for (int e = 0; e < held; ++e) sorted.words[e] = row.word(first + e * Lanes + lane());
      sorted.merge();
      TSR_UNROLL
      for (int e = 0; e < held; ++e) row.put(first + e * Lanes + lane(), sorted.words[e], row.extent <= 2 * half);
    }
    group_barrier();
  }
}
}  // namespace detail

/// order[i] is where the element of `keys` lies that is the i-th once the row is sorted: a bitonic network, in the registers of the
/// group for a row of up to 8 elements a lane, 4 of 64 bits. A longer one is sorted by chunks of as many, and of the steps that merge the chunks
/// only those go through global memory whose pairs lie that far apart, up to three at a time. What is missing up to a power of two would
/// be greatest and never moves. `space`: shared memory, sort_chunk integers.
/// Holds barriers: every one of the group's `Lanes` lanes takes part, with the same arguments.
template <class Direction, int Lanes, class T>
TSR_DEVICE void argsort_row(int64_t *order, const T *keys, int64_t extent, int64_t *space) {
  if constexpr (sizeof(T) <= 4)
    if (extent <= int64_t(1) << 32) return detail::sort_words<Lanes>(detail::SortedRow<detail::PackedWord, Direction, T>{order, keys, extent}, space);
  detail::sort_words<Lanes>(detail::SortedRow<detail::WideWord, Direction, T>{order, keys, extent}, space);
}
#endif

}  // inline namespace TSR_TARGET
}  // namespace tsr
