/* The C interface of 04_softmax.tsr, for C and C++. Every function checks its arguments and returns TESS_OK or an error
 * status; tessLastErrorText() then says what was wrong. Tensors are contiguous and row-major.
 * Set 0000000000000000. */
#pragma once
#include "tessera/abi.h"

#ifdef __cplusplus
extern "C" {
#endif

/* def softmax[R, C](x: Tensor[R, C, bf16 @accum(f32)]) -> Tensor[R, C, bf16]
 *   x       bf16[R, C]  read
 *   result  bf16[R, C]  written; the caller gives the memory
 */
TessStatus softmax(const TessTensor *x, TessTensor *result, TessStream stream);
/* The same with uniform arguments. */
TessStatus softmax_call(const TessValue *args, int32_t count, TessStream stream);

/* def attention_weights[B, H, S](scores: Tensor[B, H, S, S, f32]) -> Tensor[B, H, S, S, f32]
 *   scores  f32[B, H, S, S]  read
 *   result  f32[B, H, S, S]  written; the caller gives the memory
 */
TessStatus attention_weights(const TessTensor *scores, TessTensor *result, TessStream stream);
/* The same with uniform arguments. */
TessStatus attention_weights_call(const TessValue *args, int32_t count, TessStream stream);

#ifdef __cplusplus
}
#endif
