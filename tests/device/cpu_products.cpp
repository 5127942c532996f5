// What the device headers do on the CPU alone: operands packed for products, over tiles that reach beyond their tensor.
// Built for several widths of vectors; exit status 77 where the machine lacks them.
#include "harness.h"

using harness::expect;

namespace {

template <class T> std::vector<T> numbers(int64_t count, int step, int period) {
  std::vector<T> values(static_cast<size_t>(count));
  for (size_t i = 0; i < values.size(); ++i)
    values[i] = tsr::to<T>(static_cast<float>(static_cast<int>(i) * step % period - period / 2));
  return values;
}

template <class T> double real(T value) { return static_cast<double>(tsr::to<float>(value)); }

/// Which type holds the left operand of a product.
enum class LeftForm { InPlace, Rows, RowsTransposed, Shared, SharedTransposed };

template <class Sum, class T, int M, int K, LeftForm Form, class Then>
void with_left(tsr::View<const T, 2> view, int64_t row0, int64_t col0, const Then &then) {
  if constexpr (Form == LeftForm::InPlace) {
    tsr::LeftInPlace<Sum, M, K> tile;
    tsr::copy_tile<1>(tile, view, row0, col0);
    then(tile);
  } else if constexpr (Form == LeftForm::Rows) {
    tsr::LeftRows<Sum, M, K> tile;
    tsr::copy_tile<1>(tile, view, row0, col0);
    then(tile);
  } else if constexpr (Form == LeftForm::RowsTransposed) {
    tsr::LeftRows<Sum, K, M> tile;
    tsr::copy_tile<1>(tile, view, col0, row0);
    then(tsr::transposed(tile));
  } else if constexpr (Form == LeftForm::Shared) {
    tsr::SharedTile<T, M, K> tile;
    tsr::copy_tile<1>(tile, view, row0, col0);
    then(tile);
  } else {
    tsr::SharedTile<T, K, M> tile;
    tsr::copy_tile<1>(tile, view, col0, row0);
    then(tsr::transposed(tile));
  }
}

enum class RightForm { Panels, PanelsTransposed, Shared, SharedTransposed, Swizzled };

template <class Sum, class T, int K, int N, RightForm Form, class Then>
void with_right(tsr::View<const T, 2> view, int64_t row0, int64_t col0, const Then &then) {
  if constexpr (Form == RightForm::Panels) {
    tsr::RightPanels<Sum, K, N> tile;
    tsr::copy_tile<1>(tile, view, row0, col0);
    then(tile);
  } else if constexpr (Form == RightForm::PanelsTransposed) {
    tsr::RightPanels<Sum, K, N> tile;
    tsr::copy_transposed_tile<1>(tile, view, col0, row0);
    then(tile);
  } else if constexpr (Form == RightForm::Shared) {
    tsr::SharedTile<T, K, N> tile;
    tsr::copy_tile<1>(tile, view, row0, col0);
    then(tile);
  } else if constexpr (Form == RightForm::SharedTransposed) {
    tsr::SharedTile<T, N, K> tile;
    tsr::copy_tile<1>(tile, view, col0, row0);
    then(tsr::transposed(tile));
  } else {
    tsr::SharedTile<T, K, N, tsr::Xor> tile;
    tsr::copy_tile<1>(tile, view, row0, col0);
    then(tile);
  }
}

/// One tile of a product of M x K and K x N tensors of which only m x k and k x n elements lie inside.
template <class Sum, class T, int M, int N, int K, LeftForm A, RightForm B>
void product(const char *name, int m, int n, int k) {
  constexpr bool turnA = A == LeftForm::RowsTransposed || A == LeftForm::SharedTransposed;
  constexpr bool turnB = B == RightForm::PanelsTransposed || B == RightForm::SharedTransposed;
  const int64_t row0 = 2, mid0 = 3, col0 = 1;
  const int64_t aRows = (turnA ? mid0 + k : row0 + m), aCols = (turnA ? row0 + m : mid0 + k);
  const int64_t bRows = (turnB ? col0 + n : mid0 + k), bCols = (turnB ? mid0 + k : col0 + n);
  const std::vector<T> a = numbers<T>(aRows * aCols, 7, 11), b = numbers<T>(bRows * bCols, 5, 13);
  using Grid = tsr::ThreadGrid<1, 1>;
  // What stands around the tile must not be written.
  struct Guarded {
    Sum before[16];
    tsr::Fragment<Sum, M, N, Grid> acc;
    Sum after[16];
  };
  static Guarded guarded;
  for (Sum &value : guarded.before) value = Sum(99);
  for (Sum &value : guarded.after) value = Sum(99);
  guarded.acc = tsr::Fragment<Sum, M, N, Grid>(Sum(1));
  with_left<Sum, T, M, K, A>({a.data(), {aRows, aCols}}, row0, mid0, [&](const auto &left) {
    with_right<Sum, T, K, N, B>({b.data(), {bRows, bCols}}, mid0, col0,
                                [&](const auto &right) { tsr::dot(guarded.acc, left, right); });
  });
  bool right = true;
  for (const Sum value : guarded.before) right = right && value == Sum(99);
  for (const Sum value : guarded.after) right = right && value == Sum(99);
  for (int i = 0; i < M; ++i)
    for (int j = 0; j < N; ++j) {
      double sum = 1;
      for (int e = 0; e < k; ++e) {
        if (i >= m || j >= n) break;
        const int64_t atA = turnA ? (mid0 + e) * aCols + row0 + i : (row0 + i) * aCols + mid0 + e;
        const int64_t atB = turnB ? (col0 + j) * bCols + mid0 + e : (mid0 + e) * bCols + col0 + j;
        sum += real(a[static_cast<size_t>(atA)]) * real(b[static_cast<size_t>(atB)]);
      }
      right = right && static_cast<double>(guarded.acc(i, j)) == sum;
    }
  expect(right, name, m * 1000000LL + n * 1000 + k);
}

template <class Sum, class T, int M, int N, int K, LeftForm A, RightForm B> void products(const char *name) {
  for (int m : {1, 5, M - 1, M})
    for (int n : {1, 15, N - 1, N})
      for (int k : {0, 1, K - 1, K})
        if (m >= 1 && m <= M && n >= 1 && n <= N && k <= K) product<Sum, T, M, N, K, A, B>(name, m, n, k);
}

template <class Sum, class T, LeftForm A, RightForm B> void shapes(const char *name) {
  products<Sum, T, 16, 64, 32, A, B>(name);
  products<Sum, T, 13, 150, 37, A, B>(name);
  products<Sum, T, 1, 9, 5, A, B>(name);
}

void memory_of_tasks() {
  using tsr::cpu::TaskMemory;
  for (int task = 0; task < 3; ++task) {
    TaskMemory first(1000);
    char *const one = static_cast<char *>(first.data());
    memset(one, 1, 1000);
    {
      TaskMemory second(1 << 20);
      memset(second.data(), 2, 1 << 20);
      TaskMemory third(100);
      memset(third.data(), 3, 100);
      expect(reinterpret_cast<uintptr_t>(third.data()) % 64 == 0, "memory of a task is aligned");
    }
    TaskMemory again(5000);
    memset(again.data(), 4, 5000);
    bool kept = true;
    for (int i = 0; i < 1000; ++i) kept = kept && one[i] == 1;
    expect(kept, "memory of a task is its own", task);
  }
}

}  // namespace

int main() {
#if defined(__AVX512F__)
  if (!__builtin_cpu_supports("avx512f")) return 77;
#elif defined(__AVX2__)
  if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma")) return 77;
#endif
  shapes<float, float, LeftForm::InPlace, RightForm::Panels>("product in place");
  shapes<float, float, LeftForm::Rows, RightForm::PanelsTransposed>("product of rows and transposed panels");
  shapes<float, float, LeftForm::RowsTransposed, RightForm::Panels>("product of transposed rows");
  shapes<float, tsr::bf16, LeftForm::Rows, RightForm::Panels>("product of bf16");
  shapes<float, tsr::bf16, LeftForm::RowsTransposed, RightForm::PanelsTransposed>("product of bf16, transposed");
  shapes<float, tsr::f16, LeftForm::Rows, RightForm::PanelsTransposed>("product of f16");
  shapes<double, double, LeftForm::InPlace, RightForm::PanelsTransposed>("product of f64");
  shapes<double, float, LeftForm::Rows, RightForm::Panels>("product of f32 with sums in f64");
  shapes<int32_t, int8_t, LeftForm::Rows, RightForm::PanelsTransposed>("product of i8");
  shapes<float, float, LeftForm::Shared, RightForm::SharedTransposed>("product of shared tiles");
  shapes<float, tsr::bf16, LeftForm::SharedTransposed, RightForm::Swizzled>("product of shared tiles, swizzled");
  memory_of_tasks();
  std::printf("%d passed, %d failed (vectors of %d bytes)\n", harness::passed, harness::failed, TSR_VECTOR_BYTES);
  return harness::failed ? 1 : 0;
}
