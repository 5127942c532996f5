/* The C interface of mlp.tsr, for C and C++. Every function checks its arguments and returns TESS_OK or an error
 * status; tessLastErrorText() then says what was wrong. Tensors are contiguous and row-major.
 * Set 0000000000000000. */
#pragma once
#include "tessera/abi.h"

#ifdef __cplusplus
extern "C" {
#endif

/* def mlp[M, D, H](x: Tensor[M, D, f32], w1: Tensor[D, H, f32], b1: Tensor[H, f32], w2: Tensor[H, D, f32], b2: Tensor[D, f32]) -> Tensor[M, D, f32]
 *   x       f32[M, D]  read
 *   w1      f32[D, H]  read
 *   b1      f32[H]     read
 *   w2      f32[H, D]  read
 *   b2      f32[D]     read
 *   result  f32[M, D]  written; the caller gives the memory
 * Takes at most 4*D*M*min(220 // (max(((D + 127) // 128)*((M + 127) // 128), 3)), H // 224) + 4*H*M + 4*H*M*min(220 // (max(((H + 127) // 128)*((M + 127) // 128), 3)), D // 224) bytes of device memory for the time of the call.
 */
TessStatus mlp(const TessTensor *x, const TessTensor *w1, const TessTensor *b1,
               const TessTensor *w2, const TessTensor *b2, TessTensor *result, TessStream stream);
/* The same with uniform arguments. */
TessStatus mlp_call(const TessValue *args, int32_t count, TessStream stream);

#ifdef __cplusplus
}
#endif
