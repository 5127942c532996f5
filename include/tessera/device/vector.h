// Vectors: neighbouring elements of global memory that one lane moves at once, 16 bytes where they are that many.
//
//   Vector<T, Count>                       Count elements, v(0) to v(Count - 1)
//   load_vector<Count>(x + i)              the elements x[i] to x[i + Count - 1]
//   store_vector(y, i, v)                  likewise to memory
//   load_neighbours<Count>(x + i), store_neighbours(y + i, v)   likewise at any address
//   HeldRow<T, Count, Held, Lanes>         a row of memory in vectors that the lanes of a group take in turn; with
//                                          Held > 0 each lane keeps its Held vectors in registers: the row is read once
//
//   RowsAhead<T, Count, Held, Lanes>       the rows that a group takes in turn, the next one ahead of time
//   ColumnSums<T, Count, Held, Lanes>      what the lanes of a group add up for the columns of such rows
//   KeptRow<T, Count, Held>                what a lane computed for those elements
//
//   HeldRow<bf16, 8, 2, 256> row(x, C);    // up to 2 * 256 * 8 elements
//   for (int64_t k = 0; k < row_turns<8, 2, 256>(C); ++k) {
//     const int64_t c = (k * 256 + lane()) * 8;
//     if (c < C) use(row(k));              // the elements c to c + 7
//   }
//
// Other pointers are multiples of the vector's bytes (up to 16), extents of Count: the entry function chooses kernels with
// Count = 1 for others.
#pragma once
#include "tessera/device/dtype.h"

namespace tsr {
inline namespace TSR_TARGET {

template <class T, int Count> struct Vector {
  static_assert(Count >= 1 && (Count & (Count - 1)) == 0, "a vector has a power of two of elements");
  using Element = T;
  static constexpr int count = Count, bytes = static_cast<int>(sizeof(T)) * Count;

  T element[Count];

  TSR_DEVICE T &operator()(int64_t i) { return element[i]; }
  TSR_DEVICE const T &operator()(int64_t i) const { return element[i]; }
};

namespace detail {
#if !defined(TSR_CPU)
template <int Bytes> struct Word;
template <> struct Word<1> { using Type = uint8_t; };
template <> struct Word<2> { using Type = uint16_t; };
template <> struct Word<4> { using Type = uint32_t; };
struct alignas(8) TwoWords {
  uint32_t x, y;
};
struct alignas(16) FourWords {
  uint32_t x, y, z, w;
};
template <> struct Word<8> { using Type = TwoWords; };
template <> struct Word<16> { using Type = FourWords; };
/// `Count` elements in one word, the first in its lowest bits.
template <int Count, class T> TSR_DEVICE uint32_t four_bytes(const T *element) {
  uint32_t word = 0;
  TSR_UNROLL
  for (int i = 0; i < Count; ++i) {
    typename Word<static_cast<int>(sizeof(T))>::Type bits;
    memcpy(&bits, static_cast<const void *>(element + i), sizeof(bits));
    word |= static_cast<uint32_t>(bits) << (8 * static_cast<int>(sizeof(T)) * i);
  }
  return word;
}
/// What one instruction moves of a vector of so many bytes.
TSR_INLINE constexpr int word_bytes(int bytes) { return bytes < 16 ? bytes : 16; }
#endif
}  // namespace detail

template <int Count, class T> TSR_DEVICE Vector<T, Count> load_vector(const T *from) {
  Vector<T, Count> to;
#if defined(TSR_CPU)
  TSR_SIMD
  for (int i = 0; i < Count; ++i) to.element[i] = from[i];
#else
  using Word = typename detail::Word<detail::word_bytes(Vector<T, Count>::bytes)>::Type;
  constexpr int words = Vector<T, Count>::bytes / static_cast<int>(sizeof(Word));
  Word word[words];
  TSR_UNROLL
  for (int i = 0; i < words; ++i) word[i] = reinterpret_cast<const Word *>(from)[i];
  memcpy(static_cast<void *>(to.element), word, sizeof(word));
#endif
  return to;
}

/// `at` is a multiple of Count: said with the words' own index, because compilers lose sight of it in sums of products.
template <class T, int Count> TSR_DEVICE void store_vector(T *to, int64_t at, const Vector<T, Count> &from) {
#if defined(TSR_CPU)
  TSR_SIMD
  for (int i = 0; i < Count; ++i) to[at + i] = from.element[i];
#else
  using Word = typename detail::Word<detail::word_bytes(Vector<T, Count>::bytes)>::Type;
  constexpr int words = Vector<T, Count>::bytes / static_cast<int>(sizeof(Word));
  Word word[words];
  if constexpr (sizeof(T) < 4 && sizeof(word) >= 4) {
    // Put together here: copied as bytes, compilers would store each four of them on their own.
    constexpr int each = 4 / static_cast<int>(sizeof(T)), count = static_cast<int>(sizeof(word) / 4);
    uint32_t part[count];
    TSR_UNROLL
    for (int i = 0; i < count; ++i) part[i] = detail::four_bytes<each>(from.element + i * each);
    memcpy(word, part, sizeof(word));
  } else {
    memcpy(word, static_cast<const void *>(from.element), sizeof(word));
  }
  TSR_UNROLL
  for (int i = 0; i < words; ++i) reinterpret_cast<Word *>(to)[static_cast<uint64_t>(at) / Count * words + i] = word[i];
#endif
}

/// load_vector and store_vector where the address is aligned, else element by element: of parts of memory that only run time knows.
template <int Count, class T> TSR_DEVICE Vector<T, Count> load_neighbours(const T *from) {
  if (reinterpret_cast<uintptr_t>(from) % sizeof(Vector<T, Count>) == 0) return load_vector<Count>(from);
  Vector<T, Count> to;
  TSR_UNROLL
  for (int i = 0; i < Count; ++i) to.element[i] = from[i];
  return to;
}
template <class T, int Count> TSR_DEVICE void store_neighbours(T *to, const Vector<T, Count> &from) {
  if (reinterpret_cast<uintptr_t>(to) % sizeof(from) == 0) return store_vector(to, 0, from);
  TSR_UNROLL
  for (int i = 0; i < Count; ++i) to[i] = from.element[i];
}

/// How often the lanes of a group take a vector each until the row is through; a constant where it is held.
template <int Count, int Held, int Lanes> TSR_DEVICE int64_t row_turns(int64_t extent) {
  if constexpr (Held > 0) return Held;
  else return (extent + Count * Lanes - 1) / (Count * Lanes);
}

/// The vectors of a row that each lane takes, `Held` of them in registers; none with Held = 0: then each is read again.
template <class T, int Count, int Held, int Lanes, int Number = 0> struct HeldRow {
  const T *row;
  Vector<T, Count> part[Held > 0 ? Held : 1];

  /// `extent`: elements of the row, at most Count * Held * Lanes where it is held.
  TSR_DEVICE HeldRow(const T *row, int64_t extent) : row(row) {
    TSR_UNROLL
    for (int k = 0; k < Held; ++k)
      if (first(k) < extent) part[k] = load_vector<Count>(row + first(k));
    (void)extent;
  }
  /// Where this lane's vector of turn `k` begins.
  static TSR_DEVICE int64_t first(int64_t k) { return (k * Lanes + lane()) * Count; }
  TSR_DEVICE Vector<T, Count> operator()(int64_t k) const {
    if constexpr (Held > 0) return part[k];
    else return load_vector<Count>(row + first(k));
  }
};

#if !defined(TSR_CPU)
/// In the place of a number of vectors: they are held in dynamic shared memory, as many as the row has. Each lane reads what it
/// wrote itself, so nobody waits for another.
constexpr int kInShared = -1;
/// Shared memory for one vector of a lane, whatever its dtype.
constexpr int kSharedVector = 16;

template <class T, int Count, int Lanes, int Number> struct HeldRow<T, Count, kInShared, Lanes, Number> {
  using Part = Vector<T, Count>;
  static_assert(sizeof(Part) <= kSharedVector, "a vector is at most what one instruction moves");
  unsigned char *own;  // this lane's first vector

  /// The row is the one with this number, from 0, of those that the kernel holds; all have one extent.
  TSR_DEVICE HeldRow(const T *row, int64_t extent) {
#if defined(TSR_HIP)
    HIP_DYNAMIC_SHARED(unsigned char, held_rows)
#else
    extern __shared__ __align__(16) unsigned char held_rows[];
#endif
    const int64_t turns = row_turns<Count, kInShared, Lanes>(extent);
    own = held_rows + (Number * turns * Lanes + lane()) * kSharedVector;
#pragma unroll 8
    for (int64_t k = 0; k < turns; ++k) {
      const int64_t c = (k * Lanes + lane()) * Count;
      if (c < extent) *reinterpret_cast<Part *>(own + k * (Lanes * kSharedVector)) = load_vector<Count>(row + c);
    }
  }
  TSR_DEVICE Part operator()(int64_t k) const { return *reinterpret_cast<const Part *>(own + k * (Lanes * kSharedVector)); }
};
#endif

/// The rows of a matrix that a group takes in turn: while it works on one, the next one is on its way to registers.
template <class T, int Count, int Held, int Lanes> class RowsAhead {
public:
  using Row = HeldRow<T, Count, Held, Lanes>;
  /// `first`: the row that is taken first, one of `rows`; each has `extent` elements.
  TSR_DEVICE RowsAhead(const T *base, int64_t first, int64_t rows, int64_t extent)
      : base_(base), rows_(rows), extent_(extent), ahead_(base + first * extent, extent) {}
  /// The row that was asked for last; asks for row `next`, if there is one.
  TSR_DEVICE Row take(int64_t next) {
    const Row row = ahead_;
    if (next < rows_) ahead_ = Row(base_ + next * extent_, extent_);
    return row;
  }

private:
  const T *base_;
  int64_t rows_, extent_;
  Row ahead_;
};

/// A group's sums of columns, over the rows that it takes: each lane has those of its vectors' elements.
template <class T, int Count, int Held, int Lanes> class ColumnSums {
public:
  TSR_DEVICE void add(int64_t k, int64_t i, T value) { sum_[k](i) += value; }
  /// Writes them to a row of `extent` elements.
  TSR_DEVICE void store(T *row, int64_t extent) const {
    TSR_UNROLL
    for (int k = 0; k < Held; ++k) {
      const int64_t c = (int64_t{k} * Lanes + lane()) * Count;
      if (c < extent) store_vector(row, c, sum_[k]);
    }
  }

private:
  Vector<T, Count> sum_[Held] = {};
};

/// What a lane computed for the elements of its vectors of a row, for a later loop over them; with Held = 0 nothing is
/// kept, and nothing may be asked for.
template <class T, int Count, int Held> struct KeptRow {
  T element[Held > 0 ? Held : 1][Count];

  TSR_DEVICE void keep(int64_t k, int64_t i, T value) {
    if constexpr (Held > 0) element[k][i] = value;
    else (void)k, (void)i, (void)value;
  }
  TSR_DEVICE T operator()(int64_t k, int64_t i) const {
    if constexpr (Held > 0) return element[k][i];
    else return (void)k, (void)i, T{};
  }
};

}  // inline namespace TSR_TARGET
}  // namespace tsr
