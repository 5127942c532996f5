/* The C interface of softmax.tsr, for C and C++. Every function checks its arguments and returns TESS_OK or an error
 * status; tessLastErrorText() then says what was wrong. Tensors are contiguous and row-major.
 * Set 0000000000000000. */
#pragma once
#include "tessera/abi.h"

#ifdef __cplusplus
extern "C" {
#endif

/* def softmax[R, C](x: Tensor[R, C, f32]) -> Tensor[R, C, f32]
 *   exp(x) / sum(exp(x)) along each row, without overflow.
 *   x       f32[R, C]  read
 *   result  f32[R, C]  written; the caller gives the memory
 */
TessStatus softmax(const TessTensor *x, TessTensor *result, TessStream stream);
/* The same with uniform arguments. */
TessStatus softmax_call(const TessValue *args, int32_t count, TessStream stream);

#ifdef __cplusplus
}
#endif
