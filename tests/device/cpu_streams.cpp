// Lines that are streamed and lines that are not, blocks that are turned, rows in parts: all elements, each once, and none beside them. Built
// for several widths of vectors; exit status 77 where the machine lacks them.
#include "harness.h"
#include "tessera/device/cpu/parts.h"
#include "tessera/device/cpu/stream.h"

using harness::expect;

namespace {

constexpr int64_t kMany = int64_t(1) << 40;  // rows, of an array that is streamed

#if defined(__SSE2__)
constexpr bool can_stream = true;
#else
constexpr bool can_stream = false;
#endif

template <class T> T number(int64_t i) { return tsr::to<T>(static_cast<float>(i % 97 - 40)); }
template <class T> bool same(T a, T b) { return memcmp(&a, &b, sizeof(T)) == 0; }

/// An array of `count` elements that begins `offset` elements behind a multiple of 64 bytes, with others around it.
template <class T> class Guarded {
  static constexpr int64_t around = 64;
  std::vector<T> all_;
  int64_t count_, first_;

public:
  Guarded(int64_t count, int64_t offset) : all_(static_cast<size_t>(count + 4 * around), number<T>(96)), count_(count) {
    first_ = around;
    while (reinterpret_cast<uintptr_t>(&all_[static_cast<size_t>(first_)]) % 64 != 0) ++first_;
    first_ += offset;
  }
  T *data() { return &all_[static_cast<size_t>(first_)]; }
  bool untouched() const {
    bool kept = true;
    for (int64_t i = 0; i < static_cast<int64_t>(all_.size()); ++i)
      if (i < first_ || i >= first_ + count_) kept = kept && same(all_[static_cast<size_t>(i)], number<T>(96));
    return kept;
  }
};

template <class T, class Other, int N> void lines(const char *what) {
  for (int64_t count : {0, 1, 15, 16, 17, 63, 511, 512, 513, 1000, 1537})
    for (int64_t offset : {0, 1, 5, 31})
      for (bool streams : {false, true}) {
        Guarded<T> array(count, offset);
        Guarded<Other> beside(count, 3 * offset);
        std::vector<int> visits(static_cast<size_t>(count));
        for (int64_t at = 0; at < count; at += N) {
          const tsr::Streaming streaming(array.data(), streams ? kMany : 1, 1024);
          expect(static_cast<bool>(streaming) == (streams && can_stream), "what is large is streamed", count);
          tsr::Line<T, N> line(array.data(), count, at, streaming);
          tsr::Line<Other, N> second(beside.data(), line, streaming);
          for (int64_t i = line.begin; i < line.end; ++i) line(i) = number<T>(i), second(i) = number<Other>(i + 1), ++visits[static_cast<size_t>(i)];
        }
        bool right = true;
        for (int64_t i = 0; i < count; ++i)
          right = right && same(array.data()[i], number<T>(i)) && same(beside.data()[i], number<Other>(i + 1)) && visits[static_cast<size_t>(i)] == 1;
        expect(right, what, count * 100 + offset);
        expect(array.untouched() && beside.untouched(), "lines stay inside", count * 100 + offset);
      }
}

template <class T> void turned(const char *what) {
  constexpr int kRows = 64, kCols = 32;
  for (int64_t rows : {1, 2, 17, 63, 64, 65, 200})
    for (int64_t cols : {1, 7, 31, 32, 33, 100})
      for (bool streams : {false, true}) {
        std::vector<T> from(static_cast<size_t>(rows * cols));
        for (int64_t i = 0; i < rows * cols; ++i) from[static_cast<size_t>(i)] = number<T>(i * 7);
        Guarded<T> to(rows * cols, rows % 3);
        for (int64_t row0 = 0; row0 < rows; row0 += kRows)
          for (int64_t col0 = 0; col0 < cols; col0 += kCols) {
            const tsr::Streaming streaming(to.data(), streams ? kMany : 1, 1024 + rows);
            const tsr::Turned<T, kRows, kCols> block(from.data(), rows, cols, row0, col0, streaming);
            for (int64_t col = col0; col < (col0 + kCols < cols ? col0 + kCols : cols); ++col) {
              tsr::Line<T, kRows> line(to.data() + col * rows, rows, row0, streaming);
              for (int64_t row = line.begin; row < line.end; ++row) line(row) = block(col, row);
            }
          }
        bool right = true;
        for (int64_t col = 0; col < cols; ++col)
          for (int64_t row = 0; row < rows; ++row) right = right && same(to.data()[col * rows + row], from[static_cast<size_t>(row * cols + col)]);
        expect(right && to.untouched(), what, rows * 1000 + cols);
      }
}

/// Whole numbers, so that any order gives the same sum; a NaN at any place wins.
template <class T, int N> void parts(const char *what) {
  for (int64_t count : {0, 1, N - 1, N, N + 1, 5 * N + 3})
    for (int64_t hole = -1; hole < count; hole += count < N ? 1 : 13) {
      std::vector<T> from(static_cast<size_t>(count));
      for (int64_t i = 0; i < count; ++i) from[static_cast<size_t>(i)] = i == hole ? std::numeric_limits<T>::quiet_NaN() : number<T>(i * 7);
      tsr::Parts<tsr::Sum, T, N> sums;
      tsr::Parts<tsr::Max, T, N> largest;
      tsr::Parts<tsr::Min, T, N> smallest;
      T sum = 100, most = -100, least = 100;
      for (int64_t i = 0; i < count; ++i) {
        const T value = from[static_cast<size_t>(i)];
        sums(i % N) += value, largest(i % N) = tsr::max(largest(i % N), value), smallest(i % N) = tsr::min(smallest(i % N), value);
        sum += value, most = value > most ? value : most, least = value < least ? value : least;
      }
      const T found[] = {sums.combine(100), largest.combine(-100), smallest.combine(100)}, wanted[] = {sum, most, least};
      for (int i = 0; i < 3; ++i)
        expect(hole < 0 ? found[i] == wanted[i] : found[i] != found[i], what, count * 1000 + hole * 10 + i);
    }
}

}  // namespace

int main() {
#if defined(__AVX512F__)
  if (!__builtin_cpu_supports("avx512f")) return 77;
#elif defined(__AVX2__)
  if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma")) return 77;
#endif
  lines<float, tsr::bf16, 512>("lines of f32 and bf16");
  lines<double, float, 64>("lines of f64 and f32");
  lines<tsr::bf16, double, 512>("lines of bf16 and f64");
  lines<int8_t, int8_t, 128>("lines of i8");
  lines<int8_t, double, 128>("lines of i8 and f64");
  turned<float>("turned f32");
  turned<double>("turned f64");
  turned<tsr::bf16>("turned bf16");
  turned<int8_t>("turned i8");
  parts<float, 64>("parts of f32");
  parts<double, 4>("parts of f64");
  std::printf("%d passed, %d failed (vectors of %d bytes)\n", harness::passed, harness::failed, TSR_VECTOR_BYTES);
  return harness::failed ? 1 : 0;
}
