// Philox against the published known answers, and normal numbers that the host computes alike to the bit.
#pragma once
#include "harness.h"
#include "tessera/device/philox.h"

namespace philox_tests {
using harness::Buffer;
using harness::expect;

/// Three counters and keys of kat_vectors of Random123, the authors' own implementation; then drawn bits and keys.
KERNEL words(int64_t *out, int count) {
  if (tsr::lane() != 0) return;
  const tsr::PhiloxWords known[] = {
      tsr::philox(0, 0, 0, 0, 0), tsr::philox(~0u, ~0u, ~0u, ~0u, ~uint64_t{0}),
      tsr::philox(0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344, uint64_t{0x299f31d0} << 32 | 0xa4093822)};
  for (int i = 0; i < 12; ++i) out[i] = known[i / 4].word[i % 4];
  for (int i = 0; i < 8; ++i) out[12 + i] = tsr::random_bits(0, i);
  out[20] = tsr::random_key(0, 0);
  for (int i = 21; i < count; ++i) out[i] = tsr::random_bits(tsr::random_key(i, i), int64_t{1} << i);
}

template <class T> KERNEL normals(const T *shares, T *out, int count) {
  for (int i = tsr::lane(); i < count; i += kGpu ? 64 : 1) out[i] = tsr::probit(shares[i]);
}

/// `shares` from 2^-33 up to both ends; the bits are those of the host.
template <class T> void alike(const char *name) {
  Buffer<T> shares(20004), out(20004);
  for (size_t i = 0; i < 20000; ++i)
    shares[i] = static_cast<T>(i < 10000 ? std::ldexp(1.0 + static_cast<double>(i % 97) / 97, -static_cast<int>(i % 33) - 2)
                                         : (static_cast<double>(i) - 9999.5) / 10001);
  shares[20000] = T(0), shares[20001] = T(1), shares[20002] = T(-0.5), shares[20003] = T(1.5);
  LAUNCH(64, normals<T>, shares.device(), out.device(), 20004);
  out.back();
  for (size_t i = 0; i < 20000; ++i) {
    const T same = tsr::probit(static_cast<T>(shares[i]));
    expect(out[i] == same, name, static_cast<long long>(i));
    const double below = 0.5 * std::erfc(-static_cast<double>(out[i]) / std::sqrt(2.0)), p = static_cast<double>(shares[i]);
    expect(std::fabs(below - p) <= (sizeof(T) == 4 ? 2e-6 : 1e-13) * p + (sizeof(T) == 4 ? 1e-7 : 1e-16), name, static_cast<long long>(i));
  }
  expect(out[20000] == -tsr::infinity<T>() && out[20001] == tsr::infinity<T>(), name);
  expect(out[20002] != out[20002] && out[20003] != out[20003], name);
}

inline void all() {
  constexpr int count = 50;
  Buffer<int64_t> out(count);
  LAUNCH(1, words, out.device(), count);
  out.back();
  const uint32_t known[] = {0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8, 0x408f276d, 0x41c83b0e,
                            0xa20bc7c6, 0x6d5451fd, 0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1};
  for (size_t i = 0; i < 12; ++i) expect(out[i] == static_cast<int64_t>(known[i]), "Philox", static_cast<long long>(i));
  for (size_t i = 0; i < 4; ++i) expect(out[12 + i] == static_cast<int64_t>(known[i]), "drawn bits", static_cast<long long>(i));
  const tsr::PhiloxWords next = tsr::philox(1, 0, 0, 0, 0), part = tsr::philox(0, 0, 0, 1, 0);
  for (size_t i = 0; i < 4; ++i) expect(out[16 + i] == static_cast<int64_t>(next.word[i]), "bits of the next four", static_cast<long long>(i));
  expect(static_cast<uint64_t>(out[20]) == (uint64_t{part.word[1]} << 32 | part.word[0]), "the key of a part");
  for (int i = 21; i < count; ++i)
    expect(out[static_cast<size_t>(i)] == tsr::random_bits(tsr::random_key(i, i), int64_t{1} << i), "bits are those of the host", i);
  alike<float>("normal numbers of f32");
  alike<double>("normal numbers of f64");
}

}  // namespace philox_tests
