/* The C interface of program_cpu.tsr, for C and C++. Every function checks its arguments and returns TESS_OK or an error
 * status; tessLastErrorText() then says what was wrong. Tensors are contiguous and row-major.
 * Set 0000000000000000. */
#pragma once
#include "tessera/abi.h"

#ifdef __cplusplus
extern "C" {
#endif

/* doubled(x: f32[N, M]) -> f32[N, M]
 *   Twice x.
 *   x       f32[N, M]  read
 *   result  f32[N, M]  written; the caller gives the memory
 */
TessStatus doubled(const TessTensor *x, TessTensor *result, TessStream stream);
/* The same with uniform arguments. */
TessStatus doubled_call(const TessValue *args, int32_t count, TessStream stream);

#ifdef __cplusplus
}
#endif
