// The CPU's own functions of f32 against double, at every 997th of all f32 values and at the ends. The bounds are those
// that include/tessera/device/cpu/math.h promises; exit status 77 where the machine lacks the vectors it is built for.
#include "tessera/device/math.h"
#include <cstdio>
#include <initializer_list>

namespace {

int failed = 0;

/// The distance of `found` from `wanted` in units in the last place of f32 at that size.
double units(float found, double wanted) {
  int exponent = 0;
  std::frexp(wanted, &exponent);
  return std::fabs(static_cast<double>(found) - wanted) / std::ldexp(1.0, exponent - 24 < -149 ? -149 : exponent - 24);
}

bool agrees(float found, double wanted, double bound) {
  const float rounded = static_cast<float>(wanted);
  if (rounded != rounded) return found != found;
  if (std::isinf(rounded)) return found == rounded || (std::isfinite(wanted) && units(found, wanted) <= bound);
  return std::isfinite(found) && units(found, wanted) <= bound;
}

template <class Ours, class Exact> void compare(const char *name, double bound, const Ours &ours, const Exact &exact) {
  constexpr int block = 1024;  // a loop that becomes vector code, as in emitted programs
  float x[block], y[block];
  int count = 0;
  uint64_t next = 0;
  bool more = true;
  while (more) {
    for (count = 0; count < block && next < (uint64_t{1} << 32); ++count, next += 997)
      x[count] = tsr::bit_cast<float>(static_cast<uint32_t>(next));
    more = count == block;
    if (!more && count + 6 <= block)
      for (uint32_t bits : {0x7f800000u, 0xff800000u, 0x7fc00000u, 0x00000001u, 0x80000000u, 0x7f7fffffu})
        x[count++] = tsr::bit_cast<float>(bits);
    for (int i = 0; i < count; ++i) y[i] = ours(x[i]);
    for (int i = 0; i < count; ++i) {
      if (agrees(y[i], exact(static_cast<double>(x[i])), bound)) continue;
      if (++failed <= 20)
        std::printf("FAILED: %s(%.9g) is %.9g\n", name, static_cast<double>(x[i]), static_cast<double>(y[i]));
    }
  }
}

}  // namespace

int main() {
#if defined(__AVX512F__)
  if (!__builtin_cpu_supports("avx512f")) return 77;
#elif defined(__AVX2__)
  if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma")) return 77;
#endif
  compare("exp", 1.2, [](float x) { return tsr::exp(x); }, [](double x) { return std::exp(x); });
  compare("exp2", 1.2, [](float x) { return tsr::exp2(x); }, [](double x) { return std::exp2(x); });
  compare("log", 1.1, [](float x) { return tsr::log(x); }, [](double x) { return std::log(x); });
  compare("log2", 2.7, [](float x) { return tsr::log2(x); }, [](double x) { return std::log2(x); });
  compare("tanh", 1.9, [](float x) { return tsr::tanh(x); }, [](double x) { return std::tanh(x); });
  compare("erf", 1.4, [](float x) { return tsr::erf(x); }, [](double x) { return std::erf(x); });
  compare("erfc", 8, [](float x) { return tsr::erfc(x); }, [](double x) { return std::erfc(x); });
  compare(
      "sigmoid", 2.5, [](float x) { return tsr::sigmoid(x); },
      [](double x) { return x < 0 ? std::exp(x) / (1 + std::exp(x)) : 1 / (1 + std::exp(-x)); });
  std::printf("%d failed\n", failed);
  return failed ? 1 : 0;
}
