/* The C interface of 07_double_buffered_gemm.tsr, for C and C++. Every function checks its arguments and returns TESS_OK or an error
 * status; tessLastErrorText() then says what was wrong. Tensors are contiguous and row-major.
 * Set 0000000000000000. */
#pragma once
#include "tessera/abi.h"

#ifdef __cplusplus
extern "C" {
#endif

/* def double_buffered_gemm(A: ts.Tensor["M", "K", ts.bf16], B: ts.Tensor["K", "N", ts.bf16], C: ts.Tensor["M", "N", ts.f32])
 *   A  bf16[M, K]  read
 *   B  bf16[K, N]  read
 *   C  f32[M, N]   written; the caller gives the memory
 */
TessStatus double_buffered_gemm(const TessTensor *A, const TessTensor *B, TessTensor *C,
                                TessStream stream);
/* The same with uniform arguments. */
TessStatus double_buffered_gemm_call(const TessValue *args, int32_t count, TessStream stream);

#ifdef __cplusplus
}
#endif
