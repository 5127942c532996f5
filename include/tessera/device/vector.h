// Vectors: neighbouring elements of global memory that one lane moves at once, 16 bytes where they are that many.
//
//   Vector<T, Count>                       Count elements, v(0) to v(Count - 1)
//   load_vector<Count>(x + i)              the elements x[i] to x[i + Count - 1]
//   store_vector(y, i, v)                  likewise to memory; floats of 32 bits are rounded to those of 16
//   put_vector(tile, i, j, v)              likewise to a row of a tile in shared memory
//   load_neighbours<Count>(x + i), store_neighbours(y + i, v)   likewise at any address
//   HeldRow<T, Count, Held, Lanes>         a row of memory in vectors that the lanes of a group take in turn; with
//                                          Held > 0 each lane keeps its Held vectors in registers: the row is read once.
//                                          Held = kInShared: they are in dynamic shared memory; below that, up to -Held of
//                                          them, and what a longer row has beyond is read again (kAhead: cuda/ahead.h)
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

namespace detail {
/// An element of 16 bits in a word that has two.
template <class T> class Half {
public:
  TSR_DEVICE Half(uint32_t &word, int64_t i) : word_(word), shift_(static_cast<int>(i % 2) * 16) {}
  TSR_DEVICE operator T() const { return of(word_, shift_); }
  TSR_DEVICE Half &operator=(T value) {
    word_ = (word_ & (0xffff0000u >> shift_)) | (static_cast<uint32_t>(bit_cast<uint16_t>(value)) << shift_);
    return *this;
  }
  TSR_DEVICE Half &operator=(const Half &other) { return *this = static_cast<T>(other); }
  static TSR_DEVICE T of(uint32_t word, int shift) { return bit_cast<T>(static_cast<uint16_t>(word >> shift)); }

private:
  uint32_t &word_;
  int shift_;
};

template <class T, int Count>
constexpr bool is_packed =
#if defined(TSR_CPU)
    false;
#else
    sizeof(T) == 2 && Count >= 2;
#endif
}  // namespace detail

template <class T, int Count, bool IsPacked = detail::is_packed<T, Count>> struct Vector {
  static_assert(Count >= 1 && (Count & (Count - 1)) == 0, "a vector has a power of two of elements");
  using Element = T;
  static constexpr int count = Count, bytes = static_cast<int>(sizeof(T)) * Count;

  T element[Count];

  TSR_DEVICE T &operator()(int64_t i) { return element[i]; }
  TSR_DEVICE const T &operator()(int64_t i) const { return element[i]; }
};

/// Elements of 16 bits stay in the words in which they were read: compilers would give each a register of its own, and take them apart
/// by an instruction more.
template <class T, int Count> struct Vector<T, Count, true> {
  static_assert((Count & (Count - 1)) == 0, "a vector has a power of two of elements");
  using Element = T;
  static constexpr int count = Count, bytes = 2 * Count;

  uint32_t element[Count / 2] = {};

  TSR_DEVICE detail::Half<T> operator()(int64_t i) { return {element[i / 2], i}; }
  TSR_DEVICE T operator()(int64_t i) const { return detail::Half<T>::of(element[i / 2], static_cast<int>(i % 2) * 16); }
};
template <class To, class T> TSR_DEVICE To to(const detail::Half<T> &half) { return to<To>(static_cast<T>(half)); }

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
/// Four elements of a byte in one word, the first in its lowest bits.
template <class T> TSR_DEVICE uint32_t four_bytes(const T *element) {
  uint32_t word = 0;
  TSR_UNROLL
  for (int i = 0; i < 4; ++i) word |= static_cast<uint32_t>(bit_cast<uint8_t>(element[i])) << (8 * i);
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
  if constexpr (sizeof(T) == 1 && sizeof(word) >= 4) {
    // Put together here: copied as bytes, compilers would store each four of them on their own.
    constexpr int count = static_cast<int>(sizeof(word) / 4);
    uint32_t part[count];
    TSR_UNROLL
    for (int i = 0; i < count; ++i) part[i] = detail::four_bytes(from.element + i * 4);
    memcpy(word, part, sizeof(word));
  } else {
    memcpy(word, static_cast<const void *>(from.element), sizeof(word));
  }
  TSR_UNROLL
  for (int i = 0; i < words; ++i) reinterpret_cast<Word *>(to)[static_cast<uint64_t>(at) / Count * words + i] = word[i];
#endif
}

/// The elements (i, j), (i, j + 1) ... of a shared tile, whose swizzle keeps them together: j is a multiple of the vector, of 16 bytes at most.
template <class Tile, int Count> TSR_DEVICE void put_vector(Tile &tile, int64_t i, int64_t j, const Vector<typename Tile::Element, Count> &from) {
  store_vector(&tile(static_cast<int>(i), static_cast<int>(j)), 0, from);
}

/// What a kernel computed in f32 leaves as floats of 16 bits: two are rounded at once where the machine can.
template <class T, int Count, class = std::enable_if_t<!std::is_same<T, float>::value>>
TSR_DEVICE void store_vector(T *to, int64_t at, const Vector<float, Count> &from) {
  Vector<T, Count> rounded;
#if defined(TSR_CUDA)
  constexpr bool pairs = Count >= 2;
#else
  constexpr bool pairs = false;
#endif
  TSR_UNROLL
  for (int i = 0; i < Count; i += pairs ? 2 : 1) {
#if defined(TSR_CUDA)
    if constexpr (pairs && std::is_same<T, bf16>::value) rounded.element[i / 2] = bit_cast<uint32_t>(__floats2bfloat162_rn(from(i), from(i + 1)));
    else if constexpr (pairs) rounded.element[i / 2] = bit_cast<uint32_t>(__floats2half2_rn(from(i), from(i + 1)));
    else
#endif
      rounded(i) = tsr::to<T>(from(i));
  }
  store_vector(to, at, rounded);
}

/// load_vector and store_vector where the address is aligned, else element by element: of parts of memory that only run time knows.
template <int Count, class T> TSR_DEVICE Vector<T, Count> load_neighbours(const T *from) {
  if (reinterpret_cast<uintptr_t>(from) % sizeof(Vector<T, Count>) == 0) return load_vector<Count>(from);
  Vector<T, Count> to;
  TSR_UNROLL
  for (int i = 0; i < Count; ++i) to(i) = from[i];
  return to;
}
template <class T, int Count> TSR_DEVICE void store_neighbours(T *to, const Vector<T, Count> &from) {
  if (reinterpret_cast<uintptr_t>(to) % sizeof(from) == 0) return store_vector(to, 0, from);
  TSR_UNROLL
  for (int i = 0; i < Count; ++i) to[i] = from(i);
}

/// How often the lanes of a group take a vector each until the row is through; a constant where it is held.
template <int Count, int Held, int Lanes, class Turn = int64_t> TSR_DEVICE Turn row_turns(int64_t extent) {
  if constexpr (Held > 0) return Held;
  else return static_cast<Turn>((extent + Count * Lanes - 1) / (Count * Lanes));
}

namespace detail {
/// Elements of the vector in which a row begins that lie before it; with Edges = 0 rows begin with a vector (edges.h).
template <int Edges, int Count, class T> TSR_DEVICE int64_t before_row(const T *row) {
  if constexpr (Edges == 0) return (void)row, 0;
  else return static_cast<int64_t>(reinterpret_cast<uintptr_t>(row) % sizeof(Vector<T, Count>) / sizeof(T));
}
}  // namespace detail

namespace detail {
constexpr int kHeldInRegisters = 0, kHeldInShared = 1, kHeldInCluster = 2;
TSR_INLINE constexpr int where_held(int held, int cluster) { return held >= 0 ? kHeldInRegisters : cluster > 1 ? kHeldInCluster : kHeldInShared; }
}  // namespace detail

/// The vectors of a row that each lane takes, `Held` of them in registers; none with Held = 0: then each is read again. `Cluster`: groups
/// that share the row, and have `Lanes` lanes together (cuda/cluster_rows.h).
template <class T, int Count, int Held, int Lanes, int Number = 0, int Edges = 0, int Cluster = 1, int Where = detail::where_held(Held, Cluster)> struct HeldRow {
  static_assert(Cluster == 1, "what groups of a cluster share is held in shared memory");
  const T *row;  // where its first vector begins
  Vector<T, Count> part[Held > 0 ? Held : 1];

  /// `extent`: elements of the row, at most Count * Held * Lanes where it is held.
  TSR_DEVICE HeldRow(const T *from, int64_t extent) : row(from - detail::before_row<Edges, Count>(from)) {
    TSR_UNROLL
    for (int k = 0; k < Held; ++k)
      if (first(k) < extent + (from - row)) part[k] = load_vector<Count>(row + first(k));
    (void)extent;
  }
  /// Row `number` of those at `base`.
  TSR_DEVICE HeldRow(const T *base, int64_t number, int64_t /*rows*/, int64_t extent) : HeldRow(base + number * extent, extent) {}
  /// Where this lane's vector of turn `k` begins.
  static TSR_DEVICE int64_t first(int64_t k) { return (k * Lanes + lane()) * Count; }
  TSR_DEVICE Vector<T, Count> operator()(int64_t k) const {
    if constexpr (Held > 0) return part[k];
    else return load_vector<Count>(row + first(k));
  }
};

#if !defined(TSR_CPU)
constexpr int kInShared = -1;
/// Shared memory for one vector of a lane, whatever its dtype.
constexpr int kSharedVector = 16;

/// In dynamic shared memory, from the begin of a line of it on: copies that lie across lines take twice as long. Each lane reads what it wrote
/// itself, so nobody waits for another.
template <class T, int Count, int Held, int Lanes, int Number, int Edges> struct HeldRow<T, Count, Held, Lanes, Number, Edges, 1, detail::kHeldInShared> {
  using Part = Vector<T, Count>;
  static_assert(sizeof(Part) <= kSharedVector, "a vector is at most what one instruction moves");
  const T *row;
  unsigned char *own;  // this lane's first vector

  /// The row is the one with this number, from 0, of those that the kernel holds; all have one extent.
  TSR_DEVICE HeldRow(const T *from, int64_t extent) : row(from - detail::before_row<Edges, Count>(from)) {
    extent += from - row;
#if defined(TSR_HIP)
    HIP_DYNAMIC_SHARED(unsigned char, held_rows)
#else
    extern __shared__ __align__(128) unsigned char held_rows[];
#endif
    const int64_t turns = row_turns<Count, Held, Lanes>(extent), held = Held == kInShared || turns < -Held ? turns : -Held;
    own = held_rows + (Number * held * Lanes + lane()) * kSharedVector;
#pragma unroll 8
    for (int64_t k = 0; k < held; ++k)
      if (first(k) < extent) *reinterpret_cast<Part *>(own + k * (Lanes * kSharedVector)) = load_vector<Count>(row + first(k));
  }
  TSR_DEVICE HeldRow(const T *base, int64_t number, int64_t /*rows*/, int64_t extent) : HeldRow(base + number * extent, extent) {}
  static TSR_DEVICE int64_t first(int64_t k) { return (k * Lanes + lane()) * Count; }
  TSR_DEVICE Part operator()(int64_t k) const {
    if (Held != kInShared && k >= -Held) return load_vector<Count>(row + first(k));
    return *reinterpret_cast<const Part *>(own + k * (Lanes * kSharedVector));
  }
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
