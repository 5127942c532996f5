// Products by the matrix instructions of AMD's waves, for each operand type, orientation and arrangement.
#pragma once
#include "tessera/device/hip/waves.h"
#include "matrix_tests.h"  // behind the products that it calls

namespace wave_tests {

template <class E, class T, int K> void orientations(const char *name) {
  using matrix_tests::check;
  check<E, T, 32, 16, K, tsr::WaveGrid<1, 1>, false, false>(name);
  check<E, T, 64, 32, K, tsr::WaveGrid<2, 1>, true, false>(name);
  check<E, T, 32, 64, 2 * K, tsr::WaveGrid<1, 2>, false, true>(name);
  check<E, T, 128, 96, K, tsr::WaveGrid<2, 2>, true, true>(name);
  check<E, T, 128, 32, K, tsr::WaveGrid<4, 1>, false, true, tsr::Linear>(name);
}

inline void all() {
  orientations<tsr::bf16, float, 32>("waves, bf16");
  orientations<tsr::f16, float, 32>("waves, f16");
  orientations<float, float, 4>("waves, f32");
  orientations<int8_t, int32_t, 32>("waves, i8");
  orientations<uint8_t, int32_t, 32>("waves, u8");
  orientations<double, double, 4>("waves, no instruction");
}

}  // namespace wave_tests
