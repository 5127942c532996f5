/* The C interface of saxpy.tsr, for C and C++. Every function checks its arguments and returns TESS_OK or an error
 * status; tessLastErrorText() then says what was wrong. Tensors are contiguous and row-major.
 * Set 0000000000000000. */
#pragma once
#include "tessera/abi.h"

#ifdef __cplusplus
extern "C" {
#endif

/* saxpy(x: f32[n], y: f32[n], alpha: f32) -> f32[n]
 *   y = alpha * x + y
 *   x      f32[n]  read
 *   y      f32[n]  read and written
 *   alpha  f32     by value
 */
TessStatus saxpy(const TessTensor *x, TessTensor *y, float alpha, TessStream stream);
/* The same with uniform arguments. */
TessStatus saxpy_call(const TessValue *args, int32_t count, TessStream stream);

#ifdef __cplusplus
}
#endif
