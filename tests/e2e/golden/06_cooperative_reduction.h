/* The C interface of 06_cooperative_reduction.tsr, for C and C++. Every function checks its arguments and returns TESS_OK or an error
 * status; tessLastErrorText() then says what was wrong. Tensors are contiguous and row-major.
 * Set 0000000000000000. */
#pragma once
#include "tessera/abi.h"

#ifdef __cplusplus
extern "C" {
#endif

/* def total(data: ts.Tensor["N", ts.f32]) -> ts.f32
 *   data    f32[N]  read
 *   result  f32[]   written; the caller gives the memory
 */
TessStatus total(const TessTensor *data, TessTensor *result, TessStream stream);
/* The same with uniform arguments. */
TessStatus total_call(const TessValue *args, int32_t count, TessStream stream);

#ifdef __cplusplus
}
#endif
