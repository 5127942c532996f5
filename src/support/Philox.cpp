#include "support/Philox.h"
#include "support/FloatFormats.h"
#include <cmath>

namespace tessera {

PhiloxCounter philox(PhiloxCounter c, PhiloxKey key) {
  for (int round = 0; round < 10; ++round) {
    uint64_t a = uint64_t(0xD2511F53u) * c[0], b = uint64_t(0xCD9E8D57u) * c[2];
    c = {static_cast<uint32_t>(b >> 32) ^ c[1] ^ key[0], static_cast<uint32_t>(b),
         static_cast<uint32_t>(a >> 32) ^ c[3] ^ key[1], static_cast<uint32_t>(a)};
    key[0] += 0x9E3779B9u;
    key[1] += 0xBB67AE85u;
  }
  return c;
}

double roundByChance(DType dtype, double value, uint64_t bits, bool saturate) {
  double low = roundToFloat(dtype, value, RoundMode::Down), high = roundToFloat(dtype, value, RoundMode::Up);
  if (!std::isfinite(value) || !std::isfinite(low) || !std::isfinite(high) || low > value || high < value)
    return roundToFloat(dtype, value, RoundMode::NearestEven, saturate);
  if (low == high) return low;
  // Both differences are exact: value and its neighbours share an exponent within one.
  double share = (value - low) / (high - low);
  return static_cast<long double>(bits) < std::ldexp(static_cast<long double>(share), 64) ? high : low;
}

}  // namespace tessera
