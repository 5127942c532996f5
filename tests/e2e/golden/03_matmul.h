/* The C interface of 03_matmul.tsr, for C and C++. Every function checks its arguments and returns TESS_OK or an error
 * status; tessLastErrorText() then says what was wrong. Tensors are contiguous and row-major.
 * Set 0000000000000000. */
#pragma once
#include "tessera/abi.h"

#ifdef __cplusplus
extern "C" {
#endif

/* def matmul[M, N, K](A: Tensor[M, K, bf16 @accum(f32)], B: Tensor[K, N, bf16 @accum(f32)]) -> Tensor[M, N, bf16]
 *   A       bf16[M, K]  read
 *   B       bf16[K, N]  read
 *   result  bf16[M, N]  written; the caller gives the memory
 */
TessStatus matmul(const TessTensor *A, const TessTensor *B, TessTensor *result, TessStream stream);
/* The same with uniform arguments. */
TessStatus matmul_call(const TessValue *args, int32_t count, TessStream stream);

/* def matmul[M, N, K](A: Tensor[M, K, bf16 @accum(f32)], B: Tensor[K, N, bf16 @accum(f32)]) -> Tensor[M, N, bf16]
 *   A       bf16[M, K]  read
 *   B       bf16[K, N]  read
 *   result  bf16[M, N]  written; the caller gives the memory
 */
TessStatus small_matmul(const TessTensor *A, const TessTensor *B, TessTensor *result,
                        TessStream stream);
/* The same with uniform arguments. */
TessStatus small_matmul_call(const TessValue *args, int32_t count, TessStream stream);

#ifdef __cplusplus
}
#endif
