// Rows that begin and end within vectors: those of a matrix whose number of columns no vector divides.
//
// Memory is read and written in vectors that begin at multiples of themselves. The first and the last one of such a row have elements of
// its neighbours, which are read, but neither used nor written; the last row ends with a vector. With Edges = 0 rows are whole vectors, and nothing of this is computed.
//
//   const int64_t before = r * C % 8 * Edges;             // elements of the row's first vector that belong to the row before
//   for (int64_t k = 0; k < row_turns<8, 0, 256>(C + before); ++k) {
//     const int64_t c = (k * 256 + lane()) * 8 - before;
//     if (c < C) {
//       const Inside<Edges, 8> inside(c, C);
//       ... if (inside(v)) use(x(v)) ...                   // element c + v is one of the row
//       store_vector(y, r * C + c, x, inside);             // those elements alone
//     }
//   }
#pragma once
#include "tessera/device/vector.h"

namespace tsr {
inline namespace TSR_TARGET {

/// Which elements of the vector at column `c` lie inside of a row with this extent; some do.
template <int Edges, int Count> class Inside {
public:
  TSR_DEVICE Inside(int64_t c, int64_t extent) : next_(c >= 0 && extent - c >= 2 * Count) {
    const int64_t left = extent - c;
    if (left < Count) bits_ = (1u << static_cast<int>(left)) - 1;
    if (c < 0) bits_ &= kAll << static_cast<int>(-c);
#if defined(__CUDA_ARCH__)
    asm("" : "+r"(bits_));  // else nvcc makes a text of its own for vectors that lie inside, where it sets each bit by itself
#endif
  }
  TSR_DEVICE bool operator()(int64_t i) const { return (bits_ >> static_cast<int>(i)) & 1u; }
  TSR_DEVICE bool all() const { return bits_ == kAll; }
  /// Also those of the next vector.
  TSR_DEVICE bool next() const { return next_; }

private:
  static_assert(Count <= 16, "a bit for each element");
  static constexpr uint32_t kAll = (1u << Count) - 1;
  uint32_t bits_ = kAll;
  bool next_;
};
template <int Count> class Inside<0, Count> {
public:
  TSR_DEVICE Inside(int64_t, int64_t) {}
  TSR_DEVICE bool operator()(int64_t) const { return true; }
};

/// In the place of `Edges` for a vector that lies inside with the one behind it.
constexpr int kWhole = 2;
template <int Count> class Inside<kWhole, Count> {
public:
  TSR_DEVICE bool operator()(int64_t) const { return true; }
  TSR_DEVICE bool all() const { return true; }
  TSR_DEVICE bool next() const { return true; }
};

/// Where a lane's vector is: at column `c` of a row with this extent.
template <int Edges, int Count> struct VectorAt {
  int64_t c, extent;
  TSR_DEVICE VectorAt(int64_t c, int64_t extent) : c(c), extent(extent) {}
};

/// `body(inside)`, which is one text for whole vectors, without questions, and one for the others, where groups of a cluster share the row. Rows in
/// registers take their vectors in one text: two are too long.
template <int Cluster, int Edges, int Count, class Body> TSR_DEVICE void with_edges(const VectorAt<Edges, Count> &at, const Body &body) {
  if constexpr (Cluster > 1 && Edges != 0)
    if (at.c >= 0 && at.extent - at.c >= 2 * Count) return body(Inside<kWhole, Count>());
  body(Inside<Edges, Count>(at.c, at.extent));
}

namespace detail {
/// The vector at an address that is a multiple of its elements only, out of the two vectors around it.
template <int Count, class T> TSR_DEVICE Vector<T, Count> load_between(const T *from) {
#if defined(TSR_CPU)
  return load_vector<Count>(from);
#else
  constexpr int bytes = Vector<T, Count>::bytes, words = bytes / 4;
  static_assert(words >= 1 && bytes <= 16, "one instruction moves a vector");
  using Word = typename Word<bytes>::Type;
  const int off = static_cast<int>(reinterpret_cast<uintptr_t>(from) % bytes);
  const Word *const first = reinterpret_cast<const Word *>(reinterpret_cast<const unsigned char *>(from) - off);
  const Word both[2] = {first[0], first[1]};
  uint32_t part[2 * words];
  memcpy(part, both, sizeof(both));
  // By two words, by one and by the last bytes, each for all words: an index that only run time knows would put them into memory.
  if constexpr (words == 4) {
    TSR_UNROLL
    for (int i = 0; i < 6; ++i) part[i] = off & 8 ? part[i + 2] : part[i];
  }
  if constexpr (words >= 2) {
    TSR_UNROLL
    for (int i = 0; i <= words; ++i) part[i] = off & 4 ? part[i + 1] : part[i];
  }
  uint32_t made[words];
  TSR_UNROLL
  for (int i = 0; i < words; ++i)
    made[i] = static_cast<uint32_t>(((static_cast<uint64_t>(part[i + 1]) << 32) | part[i]) >> (off % 4 * 8));
  Vector<T, Count> to;
  memcpy(static_cast<void *>(to.element), made, sizeof(made));
  return to;
#endif
}
}  // namespace detail

/// The elements x[c] to x[c + Count - 1] of a row or a vector along it, which may begin anywhere; those outside are anything.
template <int Count, int Edges, class T> TSR_DEVICE Vector<T, Count> load_vector(const T *from, const Inside<Edges, Count> &inside) {
  if constexpr (Edges == 0) {
    return load_vector<Count>(from);
  } else {
    if constexpr (Vector<T, Count>::bytes >= 4)
      if (inside.next()) return detail::load_between<Count>(from);
    Vector<T, Count> to{};
    TSR_UNROLL
    for (int i = 0; i < Count; ++i)
      if (inside(i)) to(i) = from[i];
    return to;
  }
}

/// The elements of the vector at y[at] that lie inside.
template <int Edges, class T, class From, int Count>
TSR_DEVICE void store_vector(T *to, int64_t at, const Vector<From, Count> &from, const Inside<Edges, Count> &inside) {
  if constexpr (Edges != 0)
    if (!inside.all()) {
      TSR_UNROLL
      for (int i = 0; i < Count; ++i)
        if (inside(i)) to[at + i] = tsr::to<T>(from(i));
      return;
    }
  if constexpr (Edges != 0) store_vector(to + at, 0, from);
  else store_vector(to, at, from);
}

}  // inline namespace TSR_TARGET
}  // namespace tsr
