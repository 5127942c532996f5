// Products of lanes with sums in blocks of neighbours, for each operand type, orientation and arrangement of warps.
#pragma once
#include "matrix_tests.h"

namespace blocked_tests {

template <class E, class T, int High, int Wide> void orientations(const char *name) {
  using matrix_tests::check;
  check<E, T, 32, 64, 32, tsr::BlockedGrid<2, 1, 1, Wide>, false, false>(name);
  check<E, T, 64, 64, 16, tsr::BlockedGrid<1, 2, High, Wide>, true, false, tsr::Linear>(name);
  check<E, T, 16, 24, 20, tsr::BlockedGrid<1, 1, 1, 1>, false, true>(name);  // neither rows nor columns are whole steps
  check<E, T, 12, 36, 8, tsr::BlockedGrid<2, 2, High, 1>, true, true>(name);
  check<E, T, 20, 20, 5, tsr::BlockedGrid<1, 2, High, Wide>, false, false>(name);  // nothing is a whole chunk
}

inline void all() {
  orientations<float, float, 4, 4>("blocks, f32");
  orientations<double, double, 2, 2>("blocks, f64");
  orientations<int32_t, int32_t, 4, 2>("blocks, i32");
  orientations<tsr::bf16, float, 2, 4>("blocks, bf16");
}

}  // namespace blocked_tests
