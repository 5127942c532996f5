/* The C interface of 08_flash_attention.tsr, for C and C++. Every function checks its arguments and returns TESS_OK or an error
 * status; tessLastErrorText() then says what was wrong. Tensors are contiguous and row-major.
 * Set 0000000000000000. */
#pragma once
#include "tessera/abi.h"

#ifdef __cplusplus
extern "C" {
#endif

/* def flash_attention[B, H, S, D](Q: Tensor[B, H, S, D, bf16 @accum(f32)], K: Tensor[B, H, S, D, bf16 @accum(f32)], V: Tensor[B, H, S, D, bf16 @accum(f32)], *, causal: bool = True) -> Tensor[B, H, S, D, bf16] where D % 16 == 0, D <= 256
 *   Q       bf16[B, H, S, D]  read
 *   K       bf16[B, H, S, D]  read
 *   V       bf16[B, H, S, D]  read
 *   causal  bool              by value
 *   result  bf16[B, H, S, D]  written; the caller gives the memory
 * Requires
 *   D % 16 == 0
 *   D <= 256
 */
TessStatus flash_attention(const TessTensor *Q, const TessTensor *K, const TessTensor *V,
                           bool causal, TessTensor *result, TessStream stream);
/* The same with uniform arguments. */
TessStatus flash_attention_call(const TessValue *args, int32_t count, TessStream stream);

#ifdef __cplusplus
}
#endif
