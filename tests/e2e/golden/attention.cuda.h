/* The C interface of attention.tsr, for C and C++. Every function checks its arguments and returns TESS_OK or an error
 * status; tessLastErrorText() then says what was wrong. Tensors are contiguous and row-major.
 * Set 0000000000000000. */
#pragma once
#include "tessera/abi.h"

#ifdef __cplusplus
extern "C" {
#endif

/* def attend[H, S, T](q: Tensor[H, S, 64, bf16 @accum(f32)], k: Tensor[H, T, 64, bf16 @accum(f32)], v: Tensor[H, T, 64, bf16 @accum(f32)]) -> Tensor[H, S, 64, bf16]
 *   q       bf16[H, S, 64]  read
 *   k       bf16[H, T, 64]  read
 *   v       bf16[H, T, 64]  read
 *   result  bf16[H, S, 64]  written; the caller gives the memory
 * Takes at most max(264*H*max(1, min(108 // (max(1, H)), 16))*min(16, S), 264*H*max(1, min(108 // (max(1, H)), 16))*min(64, S)) bytes of device memory for the time of the call.
 */
TessStatus attend(const TessTensor *q, const TessTensor *k, const TessTensor *v, TessTensor *result,
                  TessStream stream);
/* The same with uniform arguments. */
TessStatus attend_call(const TessValue *args, int32_t count, TessStream stream);

#ifdef __cplusplus
}
#endif
