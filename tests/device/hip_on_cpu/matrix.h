// The matrix instructions of AMD's GPUs on fibers: what each lane passes and gets is as in the instruction set guides (CDNA 3,
// "Matrix Arithmetic Instructions"; RDNA 3, "WMMA").
#pragma once
#include "fibers.h"
#pragma GCC diagnostic ignored "-Wpsabi"  // vectors of 32 bytes, between functions of one file

#if TSR_WAVE == 64
#define __GFX9__ 1
#define __gfx90a__ 1
#else
#define __GFX11__ 1
#endif

namespace hip_on_cpu {

/// The value of an element of an operand.
struct Bf16 {
  unsigned short bits;
  float value() const {
    const unsigned wide = static_cast<unsigned>(bits) << 16;
    float number;
    memcpy(&number, &wide, sizeof number);
    return number;
  }
};
template <class Stored, class Number> struct Plain {
  Stored stored;
  Number value() const { return static_cast<Number>(stored); }
};
using F16 = Plain<_Float16, float>;
using F32 = Plain<float, float>;
using I8 = Plain<signed char, int>;
using U8 = Plain<unsigned char, int>;

/// 16 x 16 sums of products of operands that each lane passes: of `a` elements of row l % 16, of `b` of column l % 16, `Count` from
/// Count * (l / 16) on along k in waves of 64 lanes, all of them in waves of 32, whose halves have to agree.
template <class E, class T, class Operand, class Sums> Sums product_of_wave(const char *name, Operand a, Operand b, Sums c) {
  struct In {
    Operand a, b;
    Sums c;
  } in{a, b, c};
  Sums result{};
  wave_operation(name, &in, &result, [](Wave &wave) {
    constexpr int Count = static_cast<int>(sizeof(Operand) / sizeof(E));
    constexpr int quarters = kWave == 64 ? 4 : 1, depth = Count * quarters, held = static_cast<int>(sizeof(Sums) / sizeof(T));
    const auto of = [&](unsigned lane) -> const In & {
      if (!wave.in[lane]) fail("a lane is missing in a matrix instruction");
      return *static_cast<In *>(wave.in[lane]);
    };
    const auto element = [&](bool left, int line, int k) {
      const unsigned lane = static_cast<unsigned>(line + k / Count * 16);
      const Operand &operand = left ? of(lane).a : of(lane).b;
      if (kWave == 32 && memcmp(&operand, left ? &of(lane + 16).a : &of(lane + 16).b, sizeof operand) != 0)
        fail("the halves of a wave pass different operands");
      E value;
      memcpy(&value, reinterpret_cast<const char *>(&operand) + static_cast<size_t>(k % Count) * sizeof(E), sizeof value);
      return value.value();
    };
    for (unsigned lane = 0; lane < kWave; ++lane) {
      Sums sums = of(lane).c;
      for (int v = 0; v < held; ++v) {
        const int row = kWave == 64 ? static_cast<int>(lane / 16) * 4 + v : v * 2 + static_cast<int>(lane / 16);
        for (int k = 0; k < depth; ++k) sums[v] += element(true, row, k) * element(false, static_cast<int>(lane % 16), k);
      }
      *static_cast<Sums *>(wave.out[lane]) = sums;
    }
  });
  return result;
}

}  // namespace hip_on_cpu

#define __builtin_amdgcn_mfma_f32_16x16x16bf16_1k(a, b, c, x, y, z) hip_on_cpu::product_of_wave<hip_on_cpu::Bf16, float>("mfma bf16", a, b, c)
#define __builtin_amdgcn_mfma_f32_16x16x16f16(a, b, c, x, y, z) hip_on_cpu::product_of_wave<hip_on_cpu::F16, float>("mfma f16", a, b, c)
#define __builtin_amdgcn_mfma_f32_16x16x4f32(a, b, c, x, y, z) hip_on_cpu::product_of_wave<hip_on_cpu::F32, float>("mfma f32", a, b, c)
#define __builtin_amdgcn_mfma_i32_16x16x16i8(a, b, c, x, y, z) hip_on_cpu::product_of_wave<hip_on_cpu::I8, int>("mfma i8", a, b, c)
#define __builtin_amdgcn_mfma_i32_16x16x32_i8(a, b, c, x, y, z) hip_on_cpu::product_of_wave<hip_on_cpu::I8, int>("mfma i8", a, b, c)
#define __builtin_amdgcn_wmma_f32_16x16x16_bf16_w32(a, b, c) hip_on_cpu::product_of_wave<hip_on_cpu::Bf16, float>("wmma bf16", a, b, c)
#define __builtin_amdgcn_wmma_f32_16x16x16_f16_w32(a, b, c) hip_on_cpu::product_of_wave<hip_on_cpu::F16, float>("wmma f16", a, b, c)
#define __builtin_amdgcn_wmma_i32_16x16x16_iu8_w32(sign, a, s, b, c, clamp)                         \
  ((sign) ? hip_on_cpu::product_of_wave<hip_on_cpu::I8, int>("wmma iu8", a, b, c) : hip_on_cpu::product_of_wave<hip_on_cpu::U8, int>("wmma iu8", a, b, c))
