// Writing arrays that are larger than the caches. A store to memory that is in no cache first reads the cache line in which
// it lies; a cache line that is written as a whole, past the caches, needs no such read.
//
//   Streaming streaming(to, rows, cols);      whether this matrix is written so; at the end of the block others see what was
//   read_ahead<N>(streaming, from, row, rows, cols, at);   asks for elements of another matrix that will be read soon
//   read_rows_ahead<N>(from, row, rows, cols, at);   the same of rows further on, which a block of columns goes over
//   Line<T, N> line(to, count, at, streaming);    about N elements of the `count` from `to` on, from `at` on: line(i) for i in
//                                                 [line.begin, line.end), which become to[i] where the block ends
//   Turned<T, R, C> turned(from, rows, cols, row, col, streaming);   a block of a matrix, read once, from there on:
//                                                 turned(j, i) is from[i * cols + j]
#pragma once
#include "tessera/device/cpu/memory.h"
#include "tessera/device/cpu/vector.h"

#if defined(TSR_CPU)
#if defined(__SSE2__)
#include <immintrin.h>
#endif

namespace tsr {
inline namespace TSR_TARGET {
namespace cpu {

constexpr int64_t kLineBytes = 64;
constexpr int64_t kStreamFrom = int64_t(16) << 20;  // bytes: what is smaller may be read again before it leaves the caches
constexpr int64_t kLeastRow = 512;  // bytes: of shorter rows few cache lines are whole

/// 64 bytes from one aligned place to another, past the caches where the machine can.
TSR_ALWAYS_INLINE void stream_cache_line(void *to, const void *from) {
#if defined(__AVX512F__)
  _mm512_stream_si512(static_cast<__m512i *>(to), _mm512_load_si512(from));
#elif defined(__AVX__)
  for (int i = 0; i < 2; ++i)
    _mm256_stream_si256(static_cast<__m256i *>(to) + i, _mm256_load_si256(static_cast<const __m256i *>(from) + i));
#elif defined(__SSE2__)
  for (int i = 0; i < 4; ++i)
    _mm_stream_si128(static_cast<__m128i *>(to) + i, _mm_load_si128(static_cast<const __m128i *>(from) + i));
#else
  memcpy(to, from, kLineBytes);
#endif
}

}  // namespace cpu

class Streaming {
  const bool value_;
  const bool aligned_;  // all rows begin where cache lines do

public:
  template <class T>
  Streaming([[maybe_unused]] const T *to, [[maybe_unused]] int64_t rows, [[maybe_unused]] int64_t cols)
#if defined(__SSE2__)
      : value_(static_cast<int64_t>(sizeof(T)) * cols >= cpu::kLeastRow &&
               static_cast<int64_t>(sizeof(T)) * cols * rows >= cpu::kStreamFrom &&
               reinterpret_cast<uintptr_t>(to) % sizeof(T) == 0),
#else
      : value_(false),
#endif
        aligned_((reinterpret_cast<uintptr_t>(to) | (static_cast<uintptr_t>(cols) * sizeof(T))) % cpu::kLineBytes == 0) {
  }
  Streaming(const Streaming &) = delete;
  Streaming &operator=(const Streaming &) = delete;
  ~Streaming() {
#if defined(__SSE2__)
    if (value_) _mm_sfence();
#endif
  }
  explicit operator bool() const { return value_; }
  bool aligned() const { return aligned_; }
};

/// Asks for N elements, or `count` where those are fewer. Always inline: GCC takes a call for one without an effect, and leaves it out.
template <int N, class T> TSR_ALWAYS_INLINE void ask_for([[maybe_unused]] const T *from, [[maybe_unused]] int64_t count) {
#if defined(__GNUC__)
  const char *const first = reinterpret_cast<const char *>(from);
  if (count >= N) {
    TSR_UNROLL_ALL
    for (int64_t byte = 0; byte < static_cast<int64_t>(sizeof(T)) * N; byte += cpu::kLineBytes) __builtin_prefetch(first + byte, 0, 2);
  } else {
    for (int64_t byte = 0; byte < static_cast<int64_t>(sizeof(T)) * count; byte += cpu::kLineBytes) __builtin_prefetch(first + byte, 0, 2);
  }
#endif
}

/// Asks for N elements of a row of a matrix that will be read, from `at` on, where what is written beside it is streamed.
template <int N, class T>
TSR_ALWAYS_INLINE void read_ahead(const Streaming &streaming, const T *from, int64_t row, int64_t rows, int64_t cols, int64_t at) {
  if (!streaming || row >= rows || at >= cols) return;
  ask_for<N>(from + row * cols + at, cols - at);
}

/// Of the row that a loop over rows, `row` among them, reads sixteen turns later: they lie so far apart that the machine does not foresee it.
template <int N, class T> TSR_ALWAYS_INLINE void read_rows_ahead(const T *from, int64_t row, int64_t rows, int64_t cols, int64_t at) {
  constexpr int64_t ahead = 16;
  if (row + ahead < rows) ask_for<N>(from + (row + ahead) * cols + at, cols - at);
}

/// Where nothing is streamed, the elements are those of the array itself. Else the line begins and ends where cache lines do,
/// but for the ends of the array.
template <class T, int N> class Line {
  static constexpr int64_t in_cache_line = cpu::kLineBytes / static_cast<int64_t>(sizeof(T));
  static_assert(cpu::kLineBytes % sizeof(T) == 0 && N >= in_cache_line, "whole cache lines");
  T *const to_;
  T *const data_;
  // Lines of arrays of bytes end up to a cache line of elements later, and those beside them do.
  alignas(cpu::kLineBytes) T own_[N + cpu::kLineBytes + in_cache_line];

  /// Elements of its cache line before this one.
  static int64_t before(const T *at) {
    return static_cast<int64_t>(reinterpret_cast<uintptr_t>(at) % cpu::kLineBytes / sizeof(T));
  }
  static int64_t limit(const T *to, int64_t count, int64_t at, bool rounds) {
    if (at >= count) return count;
    return rounds && at > 0 ? at - before(to + at) : at;
  }
  Line(T *to, int64_t first, int64_t last, bool streams)
      : to_(to + first), data_(streams ? own_ + before(to + first) : to + first), begin(first), end(last) {}

public:
  const int64_t begin, end;
  Line(T *to, int64_t count, int64_t at, const Streaming &streaming)
      : Line(to, limit(to, count, at, bool(streaming)), limit(to, count, at + N, bool(streaming)), bool(streaming)) {}
  /// Another array's elements of the same numbers.
  template <class Other>
  Line(T *to, const Line<Other, N> &other, const Streaming &streaming)
      : Line(to, other.begin, other.end, bool(streaming)) {}
  Line(const Line &) = delete;
  Line &operator=(const Line &) = delete;
  ~Line() {
    if (data_ == to_) return;
    const int64_t count = end - begin, skipped = before(to_);
    int64_t i = 0;
    if (skipped != 0)
      for (; i < count && i < in_cache_line - skipped; ++i) to_[i] = data_[i];
    for (; i + in_cache_line <= count; i += in_cache_line) cpu::stream_cache_line(to_ + i, data_ + i);
    for (; i < count; ++i) to_[i] = data_[i];
  }
  T &operator()(int64_t i) { return data_[i - begin]; }
};

/// Rows x Cols elements, and rows before them that a line may take in addition.
template <class T, int Rows, int Cols> class Turned {
  static constexpr int64_t in_cache_line = cpu::kLineBytes / static_cast<int64_t>(sizeof(T));
  // Rows that lie a power of two apart would take each other's place in the cache.
  static constexpr int64_t stride = Rows + 2 * in_cache_line;
  cpu::TaskMemory memory_{static_cast<size_t>(Cols * stride) * sizeof(T)};
  T *const data_ = static_cast<T *>(memory_.data());
  const int64_t row_, col_;

public:
  Turned(const T *from, int64_t rows, int64_t cols, int64_t row, int64_t col, const Streaming &streaming)
      : row_(streaming && !streaming.aligned() && row > 0 ? row - in_cache_line : row), col_(col) {
    const int64_t height = (rows - row < Rows ? rows : row + Rows) - row_, width = cols - col < Cols ? cols - col : Cols;
    const T *const first = from + row_ * cols + col;
    int64_t i = 0;
    if constexpr (sizeof(T) >= 4) {
      constexpr int n = cpu::lanes<T>;
      for (; i + n <= height; i += n) {
        int64_t j = 0;
        for (; j + n <= width; j += n) {
          cpu::Vector<T> square[n];
          TSR_UNROLL_ALL
          for (int k = 0; k < n; ++k) square[k] = cpu::load(first + (i + k) * cols + j);
          cpu::transpose<T>(square);
          TSR_UNROLL_ALL
          for (int k = 0; k < n; ++k) cpu::store(data_ + (j + k) * stride + i, square[k]);
        }
        for (; j < width; ++j)
          for (int64_t k = i; k < i + n; ++k) data_[j * stride + k] = first[k * cols + j];
      }
    }
    for (; i < height; ++i)
      for (int64_t j = 0; j < width; ++j) data_[j * stride + i] = first[i * cols + j];
  }
  T operator()(int64_t col, int64_t row) const { return data_[(col - col_) * stride + (row - row_)]; }
};

}  // inline namespace TSR_TARGET
}  // namespace tsr
#endif
