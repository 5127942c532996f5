#include "softmax.h"
#include <cmath>
#include <cstdio>
#include <vector>

int main() {
  const int64_t shape[2] = {3, 1000};
  std::vector<float> x(3000), y(3000, NAN);
  for (size_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>(i % 37) * 0.25f;
  TessTensor in{x.data(), {TESS_CPU, 0}, 2, {TESS_FLOAT, 32, 1}, shape, nullptr, 0};
  TessTensor out{y.data(), {TESS_CPU, 0}, 2, {TESS_FLOAT, 32, 1}, shape, nullptr, 0};
  if (softmax(&in, &out, nullptr) != TESS_OK) {
    std::fprintf(stderr, "%s\n", tessLastErrorText());
    return 1;
  }
  for (int row = 0; row < 3; ++row) {
    double sum = 0, expected = 0;
    for (int i = 0; i < 1000; ++i) sum += y[row * 1000 + i], expected += std::exp(x[row * 1000 + i] / 2.0);
    double error = std::fabs(y[row * 1000 + 5] - std::exp(x[row * 1000 + 5] / 2.0) / expected);
    std::printf("row %d adds up to %.6f, error %.1e\n", row, sum, error);
    if (!(std::fabs(sum - 1) < 1e-4) || !(error < 1e-6)) return 1;
  }
  // What does not fit is refused, with a reason.
  const int64_t wrong[2] = {3, 999};
  out.shape = wrong;
  if (softmax(&in, &out, nullptr) == TESS_OK) return 1;
  std::printf("refused as it should: %s\n", tessLastErrorText());
}
