// Random numbers as functions of a key and a number of an element, with the same bits on every machine and in every order.
//
//   philox          Philox 4x32-10 (Salmon, Moraes, Dror, Shaw: Parallel Random Numbers: As Easy as 1, 2, 3; SC 2011)
//   random_bits     32 random bits of an element of a stream
//   random_key      the key of a stream that is split off
//   probit          the inverse of the normal distribution's function: a uniform number becomes a normal one
//
// A stream is its key of 64 bits. Element e draws the word e % 4 of Philox at the counter e / 4. Streams that are split off
// come from counters of their own, so that they share no number with what is drawn.
#pragma once
#include "tessera/device/math.h"

namespace tsr {

struct PhiloxWords {
  uint32_t word[4];
};

/// Ten rounds; the counter's words are x, y, z, w.
TSR_INLINE PhiloxWords philox(uint32_t x, uint32_t y, uint32_t z, uint32_t w, uint64_t key) {
  uint32_t k0 = static_cast<uint32_t>(key), k1 = static_cast<uint32_t>(key >> 32);
  TSR_UNROLL
  for (int round = 0; round < 10; ++round) {
    const uint64_t a = uint64_t{0xD2511F53u} * x, b = uint64_t{0xCD9E8D57u} * z;
    x = static_cast<uint32_t>(b >> 32) ^ y ^ k0;
    y = static_cast<uint32_t>(b);
    z = static_cast<uint32_t>(a >> 32) ^ w ^ k1;
    w = static_cast<uint32_t>(a);
    k0 += 0x9E3779B9u;
    k1 += 0xBB67AE85u;
  }
  return {{x, y, z, w}};
}

/// What a counter is for: its last word.
constexpr uint32_t kPhiloxDraw = 0, kPhiloxSplit = 1;

/// 0 to 2^32 - 1.
TSR_INLINE int64_t random_bits(int64_t key, int64_t element) {
  const uint64_t block = static_cast<uint64_t>(element) >> 2;
  const PhiloxWords words = philox(static_cast<uint32_t>(block), static_cast<uint32_t>(block >> 32), 0, kPhiloxDraw,
                                   static_cast<uint64_t>(key));
  // Chosen by conditions: an index that only run time knows would put the words into memory.
  const uint32_t low = element & 1 ? words.word[1] : words.word[0], high = element & 1 ? words.word[3] : words.word[2];
  return element & 2 ? high : low;
}

/// The key of the stream `part` that is split off from the stream `key`.
TSR_INLINE int64_t random_key(int64_t key, int64_t part) {
  const uint64_t number = static_cast<uint64_t>(part);
  const PhiloxWords words = philox(static_cast<uint32_t>(number), static_cast<uint32_t>(number >> 32), 0, kPhiloxSplit,
                                   static_cast<uint64_t>(key));
  return static_cast<int64_t>(uint64_t{words.word[1]} << 32 | words.word[0]);
}

namespace detail {
/// 2 * atanh(s) for |s| <= 0.172: the logarithm of (1 + s) / (1 - s).
TSR_INLINE float log_of_ratio(float s) {
  const float z = s * s;
  return 2.0f * s * (1.0f + z * (0.333333333f + z * (0.2f + z * (0.142857143f + z * 0.111111111f))));
}
TSR_INLINE double log_of_ratio(double s) {
  const double z = s * s;
  double sum = 1.0 / 23;
  TSR_UNROLL
  for (int i = 21; i > 0; i -= 2) sum = sum * z + 1.0 / i;
  return 2.0 * s * sum;
}

/// log(x) of a positive normal number, in operations that are rounded alike everywhere, which those of the machines'
/// libraries are not.
TSR_INLINE float log_everywhere(float x) {
  const uint32_t bits = bit_cast<uint32_t>(x) - 0x3f3504f3u;  // of sqrt(1 / 2)
  const int32_t exponent = static_cast<int32_t>(bits) >> 23;
  const float m = bit_cast<float>((bits & 0x007fffffu) + 0x3f3504f3u);
  return static_cast<float>(exponent) * 0.693147181f + log_of_ratio((m - 1.0f) / (m + 1.0f));
}
TSR_INLINE double log_everywhere(double x) {
  const uint64_t bits = bit_cast<uint64_t>(x) - 0x3fe6a09e667f3bcdu;
  const int64_t exponent = static_cast<int64_t>(bits) >> 52;
  const double m = bit_cast<double>((bits & 0x000fffffffffffffu) + 0x3fe6a09e667f3bcdu);
  return static_cast<double>(exponent) * 0.69314718055994531 + log_of_ratio((m - 1.0) / (m + 1.0));
}

/// Wichura's AS 241: numerator and denominator of a quotient of polynomials in r, of seven digits or of sixteen.
/// `part`: 0 around the middle, 1 in the tails, 2 far out.
template <class T> struct Quotient {
  T numerator, denominator;
};
TSR_INLINE Quotient<float> probit_part(int part, float r) {
  if (part == 0)
    return {3.3871327179f + r * (50.434271938f + r * (159.29113202f + r * 59.109374720f)),
            1.0f + r * (17.895169469f + r * (78.757757664f + r * 67.187563600f))};
  if (part == 1)
    return {1.4234372777f + r * (2.7568153900f + r * (1.3067284816f + r * 0.17023821103f)),
            1.0f + r * (0.73700164250f + r * 0.12021132975f)};
  return {6.6579051150f + r * (3.0812263860f + r * (0.42868294337f + r * 0.017337203997f)),
          1.0f + r * (0.24197894225f + r * 0.012258202635f)};
}
TSR_INLINE double polynomial(double r, double a, double b, double c, double d, double e, double f, double g, double h) {
  return ((((((a * r + b) * r + c) * r + d) * r + e) * r + f) * r + g) * r + h;
}
TSR_INLINE Quotient<double> probit_part(int part, double r) {
  if (part == 0)
    return {polynomial(r, 2509.0809287301226727, 33430.575583588128105, 67265.770927008700853, 45921.953931549871457,
                       13731.693765509461125, 1971.5909503065514427, 133.14166789178437745, 3.3871328727963666080),
            polynomial(r, 5226.4952788528545610, 28729.085735721942674, 39307.895800092710610, 21213.794301586595867,
                       5394.1960214247511077, 687.18700749205790830, 42.313330701600911252, 1.0)};
  if (part == 1)
    return {polynomial(r, 7.74545014278341407640e-4, 2.27238449892691845833e-2, 2.41780725177450611770e-1,
                       1.27045825245236838258, 3.64784832476320460504, 5.76949722146069140550, 4.63033784615654529590,
                       1.42343711074968357734),
            polynomial(r, 1.05075007164441684324e-9, 5.47593808499534494600e-4, 1.51986665636164571966e-2,
                       1.48103976427480074590e-1, 6.89767334985100004550e-1, 1.67638483018380384940,
                       2.05319162663775882187, 1.0)};
  return {polynomial(r, 2.01033439929228813265e-7, 2.71155556874348757815e-5, 1.24266094738807843860e-3,
                     2.65321895265761230930e-2, 2.96560571828504891230e-1, 1.78482653991729133580, 5.46378491116411436990,
                     6.65790464350110377720),
          polynomial(r, 2.04426310338993978564e-15, 1.42151175831644588870e-7, 1.84631831751005468180e-5,
                     7.86869131145613259100e-4, 1.48753612908506148525e-2, 1.36929880922735805310e-1,
                     5.99832206555887937690e-1, 1.0)};
}
}  // namespace detail

/// The x below which a share p of the normal distribution lies. 0 and 1 give the infinities, what lies outside a NaN.
template <class T> TSR_INLINE T probit(T p) {
  const T q = p - T(0.5);
  if (abs(q) <= T(0.425)) {
    const detail::Quotient<T> x = detail::probit_part(0, T(0.180625) - q * q);
    return q * x.numerator / x.denominator;
  }
  const T tail = q < T(0) ? p : T(1) - p;
  if (!(tail > T(0))) return tail == T(0) ? (q < T(0) ? -infinity<T>() : infinity<T>()) : infinity<T>() * T(0);
  const T r = tsr::sqrt(-detail::log_everywhere(tail));
  const detail::Quotient<T> x = r <= T(5) ? detail::probit_part(1, r - T(1.6)) : detail::probit_part(2, r - T(5));
  const T distance = x.numerator / x.denominator;
  return q < T(0) ? -distance : distance;
}

}  // namespace tsr
