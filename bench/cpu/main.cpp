// Measures the functions of work.tsr beside a BLAS library and a plain copy, one line a row (run.py prints the table):
//
//     NAME SIZE UNIT OURS LIBRARY COPY        rates; 0: not measured
//
// The three run in turns, many short runs each; a rate is that of the median run.
#include "work.h"
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <dlfcn.h>
#include <functional>
#include <initializer_list>
#include <string>
#include <vector>

namespace {

using Gemm = void (*)(int, int, int, int, int, int, float, const float *, int, const float *, int, float, float *, int);
constexpr int kRowMajor = 101, kAsStored = 111;

constexpr size_t kPage = 2 << 20;

/// Elements in memory of their own, touched by the threads that will use them.
template <class T> class Array {
public:
  explicit Array(int64_t count) : count_(count), data_(static_cast<T *>(std::aligned_alloc(kPage, (count * sizeof(T) / kPage + 1) * kPage))) {
#pragma omp parallel for
    for (int64_t i = 0; i < count; ++i) data_[i] = element(T(), static_cast<float>(i % 13 - 6) / 4);
  }
  Array(const Array &) = delete;
  ~Array() { std::free(data_); }
  T *data() const { return data_; }
  int64_t size() const { return count_; }

private:
  static float element(float, float value) { return value; }
  /// bf16: the upper half. (Bits that mean nothing would be subnormal numbers, on which processors are slow.)
  static uint16_t element(uint16_t, float value) {
    uint32_t bits;
    std::memcpy(&bits, &value, sizeof bits);
    return static_cast<uint16_t>(bits >> 16);
  }

  int64_t count_;
  T *data_;
};

class Tensor {
public:
  Tensor(void *data, TessDType dtype, std::vector<int64_t> shape) : shape_(std::move(shape)) {
    tensor_ = {data, {TESS_CPU, 0}, static_cast<int32_t>(shape_.size()), dtype, shape_.data(), nullptr, 0};
  }
  Tensor(const Array<float> &array, std::vector<int64_t> shape) : Tensor(array.data(), {TESS_FLOAT, 32, 1}, std::move(shape)) {}
  Tensor(const Tensor &) = delete;
  TessTensor *operator&() { return &tensor_; }

private:
  std::vector<int64_t> shape_;
  TessTensor tensor_;
};

void must(TessStatus status) {
  if (status == TESS_OK) return;
  std::fprintf(stderr, "%s\n", tessLastErrorText());
  std::exit(1);
}

/// Of one thread the processor's time: what other programs do in between does not count.
bool alone = false;
double now() {
  timespec time;
  clock_gettime(alone ? CLOCK_PROCESS_CPUTIME_ID : CLOCK_MONOTONIC, &time);
  return double(time.tv_sec) + double(time.tv_nsec) * 1e-9;
}
double seconds(const std::function<void()> &run) {
  const double start = now();
  run();
  return now() - start;
}

double median(std::vector<double> times) {
  std::nth_element(times.begin(), times.begin() + times.size() / 2, times.end());
  return times[times.size() / 2];
}

double budget = 1.0;  // seconds a row

/// Rates of `ours`, `library` and `copy` (which may be empty), in units of `work` a run.
void row(const std::string &name, const std::string &size, const char *unit, double work, const std::function<void()> &ours,
         const std::function<void()> &library, const std::function<void()> &copy) {
  const std::function<void()> *const all[] = {&ours, &library, &copy};
  std::vector<double> times[3];
  for (const auto *run : all)
    if (*run) (*run)();
  double spent = 0;
  for (int turn = 0; turn < 7 || (spent < budget && turn < 501); ++turn)
    for (int which = 0; which < 3; ++which)
      if (*all[which]) {
        times[which].push_back(seconds(*all[which]));
        spent += times[which].back();
      }
  double rate[3] = {};
  for (int which = 0; which < 3; ++which)
    if (*all[which]) rate[which] = work / median(times[which]) * 1e-9;
  std::printf("%s %s %s %.2f %.2f %.2f\n", name.c_str(), size.c_str(), unit, rate[0], rate[1], rate[2]);
  std::fflush(stdout);
}

std::string sizeText(std::initializer_list<int64_t> extents) {
  std::string text;
  for (int64_t extent : extents) text += (text.empty() ? "" : "x") + std::to_string(extent);
  return text;
}

void products(Gemm gemm) {
  struct Size {
    int64_t m, n, k;
  };
  for (const Size &s : {Size{256, 256, 256}, {512, 512, 512}, {1024, 1024, 1024}, {2048, 2048, 2048}, {4096, 4096, 4096}, {1000, 777, 1234}}) {
    const int64_t m = s.m, n = s.n, k = s.k;
    Array<float> a(m * k), b(k * n), c(m * n), wanted(m * n);
    Array<uint16_t> a16(m * k), b16(k * n), c16(m * n);
    Tensor A(a, {m, k}), B(b, {k, n}), C(c, {m, n});
    const TessDType bf16 = {TESS_BFLOAT, 16, 1};
    Tensor A16(a16.data(), bf16, {m, k}), B16(b16.data(), bf16, {k, n}), C16(c16.data(), bf16, {m, n});
    std::function<void()> library;
    if (gemm)
      library = [&] {
        gemm(kRowMajor, kAsStored, kAsStored, int(m), int(n), int(k), 1, a.data(), int(k), b.data(), int(n), 0, wanted.data(), int(n));
      };
    const std::string size = sizeText({m, n, k});
    const double work = 2.0 * m * n * k;
    row("product", size, "GFLOP/s", work, [&] { must(product(&A, &B, &C, nullptr)); }, library, {});
    if (gemm) {
      double worst = 0;
      for (int64_t i = 0; i < m * n; ++i) worst = std::max<double>(worst, std::fabs(c.data()[i] - wanted.data()[i]));
      if (worst > 1e-3 * k) std::printf("# the product of %s is off by %g\n", size.c_str(), worst);
    }
    row("product_as_on_gpu", size, "GFLOP/s", work, [&] { must(product_as_on_gpu(&A, &B, &C, nullptr)); }, library, {});
    row("product_bf16", size, "GFLOP/s", work, [&] { must(product_bf16(&A16, &B16, &C16, nullptr)); }, library, {});
    row("linear", size, "GFLOP/s", work, [&] { must(linear(&A, &B, &C, nullptr)); }, library, {});
  }
}

/// Reads `from` and writes `to`: what the memory allows.
void copyAll(const Array<float> &from, const Array<float> &to) {
  constexpr int64_t part = 1 << 16;
  const int64_t count = std::min(from.size(), to.size());
#pragma omp parallel for
  for (int64_t i = 0; i < count; i += part) std::memcpy(to.data() + i, from.data() + i, std::min(part, count - i) * sizeof(float));
}

void streams() {
  const int64_t r = 4096, c = 4096, count = r * c;
  Array<float> x(count), y(count), residual(count), gamma(c), beta(c);
  Tensor X(x, {r, c}), Y(y, {r, c}), R(residual, {r, c}), G(gamma, {c}), B(beta, {c});
  const auto copy = [&] { copyAll(x, y); };
  const double bytes = 2.0 * count * sizeof(float);
  const std::string size = sizeText({r, c});
  row("softmax", size, "GB/s", bytes, [&] { must(softmax_rows(&X, &Y, nullptr)); }, {}, copy);
  row("layer_norm", size, "GB/s", bytes, [&] { must(layer_norm(&X, &G, &B, &Y, nullptr)); }, {}, copy);
  // Three arrays go by, not two: its own rate counts all of them, the copy's its two.
  {
    const auto all = [&] { must(gelu_bias_residual(&X, &B, &R, &Y, nullptr)); };
    const auto copyThree = [&] {
      copyAll(x, y);
      double sum = 0;
#pragma omp parallel for simd reduction(+ : sum)
      for (int64_t i = 0; i < count; ++i) sum += residual.data()[i];
      volatile double kept = sum;
      (void)kept;
    };
    row("gelu(x+b)+r", size, "GB/s", bytes * 1.5, all, {}, copyThree);
  }
  {
    const int64_t n = int64_t(1) << 26;
    Array<float> long_(n), sum(1), half(n / 2);
    Tensor L(long_, {n}), S(sum, {1});
    row("sum", sizeText({n}), "GB/s", double(n) * sizeof(float), [&] { must(total(&L, &S, nullptr)); }, {}, [&] { copyAll(long_, half); });
  }
  {
    const int64_t rows = 8192, cols = 4096;
    Array<float> from(rows * cols), to(rows * cols);
    const double all = 2.0 * rows * cols * sizeof(float);
    Tensor F(from, {rows, cols}), T(to, {cols, rows});
    row("transpose", sizeText({rows, cols}), "GB/s", all, [&] { must(transposed(&F, &T, nullptr)); }, {}, [&] { copyAll(from, to); });
    for (const int64_t batch : {8, 512}) {
      const int64_t height = batch == 8 ? 2048 : 256, width = rows * cols / batch / height;
      Tensor FB(from, {batch, height, width}), TB(to, {batch, width, height});
      row("transpose", sizeText({batch, height, width}), "GB/s", all, [&] { must(transposed_batches(&FB, &TB, nullptr)); }, {},
          [&] { copyAll(from, to); });
    }
  }
}

}  // namespace

int main(int count, char **arguments) {
  const std::string what = count > 1 ? arguments[1] : "all";
  if (count > 2) budget = std::atof(arguments[2]);
  alone = count > 3 && std::atoi(arguments[3]) == 1;
  void *library = nullptr;
  for (const char *name : {"libopenblas.so.0", "libopenblas.so"})
    if (!library) library = dlopen(name, RTLD_NOW);
  const auto gemm = library ? reinterpret_cast<Gemm>(dlsym(library, "cblas_sgemm")) : nullptr;
  if (!gemm) std::printf("# OpenBLAS is not here (libopenblas-dev): products stand alone\n");
  if (what == "all" || what == "products") products(gemm);
  if (what == "all" || what == "streams") streams();
}
