// The C++ interface: views of memory that the program owns, errors as exceptions.
#include "softmax.hpp"
#include <cmath>
#include <cstdio>
#include <vector>

int main() {
  std::vector<float> x(3000), y(3000, NAN);
  for (size_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>(i % 37) * 0.25f;
  tessera::softmax::softmax({x, {3, 1000}}, {y, {3, 1000}});
  for (int row = 0; row < 3; ++row) {
    double sum = 0, expected = 0;
    for (int i = 0; i < 1000; ++i) sum += y[row * 1000 + i], expected += std::exp(x[row * 1000 + i] / 2.0);
    double error = std::fabs(y[row * 1000 + 5] - std::exp(x[row * 1000 + 5] / 2.0) / expected);
    std::printf("row %d adds up to %.6f, error %.1e\n", row, sum, error);
    if (!(std::fabs(sum - 1) < 1e-4) || !(error < 1e-6)) return 1;
  }
  // What does not fit is refused, with a reason.
  try {
    tessera::softmax::softmax({x, {3, 1000}}, {y.data(), {3, 999}});
    return 1;
  } catch (const tessera::Error &error) {
    std::printf("refused as it should: %s\n", error.what());
  }
}
