/* The C interface of 05_norms.tsr, for C and C++. Every function checks its arguments and returns TESS_OK or an error
 * status; tessLastErrorText() then says what was wrong. Tensors are contiguous and row-major.
 * Set 0000000000000000. */
#pragma once
#include "tessera/abi.h"

#ifdef __cplusplus
extern "C" {
#endif

/* def layer_norm[D](x: Tensor["B", "S", D, f32], gamma: Tensor[D, f32], beta: Tensor[D, f32]) -> Tensor["B", "S", D, f32]
 *   Mean and variance along the last axis; one fused kernel, accumulated in f32.
 *   x       f32[B, S, D]  read
 *   gamma   f32[D]        read
 *   beta    f32[D]        read
 *   result  f32[B, S, D]  written; the caller gives the memory
 */
TessStatus layer_norm(const TessTensor *x, const TessTensor *gamma, const TessTensor *beta,
                      TessTensor *result, TessStream stream);
/* The same with uniform arguments. */
TessStatus layer_norm_call(const TessValue *args, int32_t count, TessStream stream);

/* def rms_norm[D](x: Tensor["B", "S", D, bf16 @accum(f32)], w: Tensor[D, bf16]) -> Tensor["B", "S", D, bf16]
 *   x       bf16[B, S, D]  read
 *   w       bf16[D]        read
 *   result  bf16[B, S, D]  written; the caller gives the memory
 */
TessStatus rms_norm(const TessTensor *x, const TessTensor *w, TessTensor *result,
                    TessStream stream);
/* The same with uniform arguments. */
TessStatus rms_norm_call(const TessValue *args, int32_t count, TessStream stream);

#ifdef __cplusplus
}
#endif
