// The GPUs' functions of f32 against double, at every 997th of all f32 values and at the ends, on the CPU: with exact
// approximations, and with such as are off by as much as a machine's manual allows, 2^-23 of a reciprocal and 2^-22 of a
// power of two, in each direction. The bounds are those that include/tessera/device/gpu/math.h promises.
#include "tessera/device/gpu/math.h"
#include <cstdio>
#include <initializer_list>

namespace {

constexpr double kUnit = 0x1p-24, kTiny = 0x1p-126;
int failed = 0;

/// A machine that is off by so many times 2^-23, and flushes what is below the smallest normal number.
template <int Reciprocal, int Power> struct Off {
  static float flushed(float x) { return std::fabs(x) < 0x1p-126f ? std::copysign(0.0f, x) : x; }
  static float reciprocal(float x) { return flushed((1.0f / x) * (1.0f + Reciprocal * 0x1p-23f)); }
  static float exp2(float x) { return flushed(::exp2f(x) * (1.0f + Power * 0x1p-23f)); }
};

template <class Ours, class Exact> void compare(const char *name, const Ours &ours, const Exact &exact, uint64_t every = 997) {
  auto check = [&](float x) {
    double bound = 0;
    const double right = exact(static_cast<double>(x), bound);
    const float found = ours(x);
    const bool good = right != right ? found != found : std::fabs(static_cast<double>(found) - right) <= bound || found == static_cast<float>(right);
    if (!good && ++failed <= 20) std::printf("FAILED: %s(%.9g) is %.9g, not %.9g\n", name, static_cast<double>(x), static_cast<double>(found), right);
  };
  for (uint64_t bits = 0; bits < uint64_t{1} << 32; bits += every) check(tsr::bit_cast<float>(static_cast<uint32_t>(bits)));
  for (uint32_t bits : {0x7f800000u, 0xff800000u, 0x7fc00000u, 0x00000001u, 0x80000000u, 0x7f7fffffu, 0xff7fffffu}) check(tsr::bit_cast<float>(bits));
}

template <class On> void all() {
  compare("exp", [](float x) { return tsr::gpu::exp<On>(x); }, [](double x, double &bound) {
    const double right = std::exp(x);
    bound = (8 + std::fabs(x) / 20) * kUnit * right + kTiny;
    return right;
  });
  if (tsr::gpu::exp<On>(0.0f) != On::exp2(0.0f)) std::printf("FAILED: exp(0)\n"), ++failed;
  compare("erfc", [](float x) { return tsr::gpu::erfc<On>(x); }, [](double x, double &bound) {
    const double right = std::erfc(x);
    bound = 15 * kUnit * right + kTiny;
    return right;
  });
  // The bound of rule R9: exp(x * c - m), for scores x of attention and their maximum m.
  for (float c : {1.0f, 0.125f, 0.0883883461f})
    for (float m : {-90.0f, -1.5f, 0.0f, 0.3f, 17.0f, 88.0f, 1000.0f}) {
      const float scale = static_cast<float>(static_cast<double>(c) * 1.4426950408889634), shift = m * 1.44269502f;
      compare("weight", [&](float x) { return On::exp2(::fmaf(x, scale, -shift)); }, [&](double x, double &bound) {
        const double power = x * static_cast<double>(c) - static_cast<double>(m), right = std::exp(power);
        bound = (5 + 2 * std::fabs(x * static_cast<double>(c)) + 2 * std::fabs(static_cast<double>(m))) * kUnit * right + kTiny;
        return power > 0 || std::isnan(power) ? static_cast<double>(On::exp2(::fmaf(static_cast<float>(x), scale, -shift))) : right;
      }, 99991);
    }
  // The bound of rule L6: the argument of erfc is rounded twice.
  compare("gelu", [](float x) { return 0.5f * x * tsr::gpu::erfc<On>(x * -0.70710677f); }, [](double x, double &bound) {
    const double right = 0.5 * x * std::erfc(-x * std::sqrt(0.5));
    bound = (2 * x * x + 16) * kUnit * std::fabs(right) + 16 * kTiny;
    return right;
  });
  compare("short_erfc", [](float x) { return tsr::gpu::short_erfc<On>(x); }, [](double x, double &bound) {
    const double right = std::erfc(x);
    bound = (48 + 4 * x * x) * kUnit * right + kTiny;
    return right;
  });
  compare("short_sigmoid", [](float x) { return tsr::gpu::short_sigmoid<On>(x); }, [](double x, double &bound) {
    const double right = 1 / (1 + std::exp(-x));
    bound = (9 + 2 * std::fabs(x)) * kUnit * right + kTiny;
    return right;
  });
  compare("logistic", [](float e) { return tsr::gpu::logistic<On>(e < 0 ? -e : e); }, [](double e, double &bound) {
    const double right = 1 / (1 + std::fabs(e));
    bound = 5 * kUnit * right + 0x1p-149;
    return right;
  });
}

}  // namespace

int main() {
  all<tsr::gpu::Machine>();
  all<Off<1, 2>>();
  all<Off<-1, -2>>();
  all<Off<1, -2>>();
  all<Off<-1, 2>>();
  std::printf("%d failed\n", failed);
  return failed ? 1 : 0;
}
