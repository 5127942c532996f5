// Quotients by multiplication against the machine's own division, at the edges of what each way of dividing takes.
#pragma once
#include "harness.h"
#include "tessera/device/divisor.h"
#include <random>
#include <vector>

namespace divisor_tests {
using harness::Buffer;
using harness::expect;

KERNEL divided(const int64_t *counts, int64_t *quotients, int64_t *rests, int count, tsr::Divisor by) {
  for (int i = tsr::lane(); i < count; i += kGpu ? 64 : 1) {
    quotients[i] = counts[i] / by;
    rests[i] = counts[i] % by;
  }
}

inline void by(int64_t divisor, std::mt19937_64 &random) {
  const int64_t largest = INT64_MAX, half = int64_t(1) << 31;
  std::vector<int64_t> counts = {0, 1, 2, half - 2, half - 1, half, half + 1, 2 * half, largest - 1, largest};
  for (int64_t turns : {int64_t(1), int64_t(2), int64_t(3), half / divisor, half / divisor + 1, 2 * half / divisor})
    for (int64_t beside : {-1, 0, 1})
      if (turns <= largest / divisor - 1 && turns * divisor + beside >= 0) counts.push_back(turns * divisor + beside);
  for (int i = 0; i < 500; ++i) counts.push_back(static_cast<int64_t>(random() >> (1 + i % 62)));
  const int count = static_cast<int>(counts.size());
  Buffer<int64_t> given(counts.size()), quotients(counts.size()), rests(counts.size());
  for (size_t i = 0; i < counts.size(); ++i) given[i] = counts[i], quotients[i] = rests[i] = -77;
  LAUNCH(64, divided, given.device(), quotients.device(), rests.device(), count, tsr::Divisor(divisor));
  quotients.back(), rests.back();
  for (size_t i = 0; i < counts.size(); ++i) {
    expect(quotients[i] == counts[i] / divisor, "quotients by a divisor", static_cast<long long>(i));
    expect(rests[i] == counts[i] % divisor, "rests of a divisor", static_cast<long long>(i));
  }
}

inline void all() {
  std::mt19937_64 random(21);
  for (int power = 0; power < 62; ++power)
    for (int64_t beside : {-1, 0, 1})
      if ((int64_t(1) << power) + beside > 0) by((int64_t(1) << power) + beside, random);
  for (int i = 0; i < 200; ++i) by(1 + static_cast<int64_t>(random() >> (1 + i % 62)), random);
}

}  // namespace divisor_tests
