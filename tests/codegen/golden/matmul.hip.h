/* The C interface of matmul.tsr, for C and C++. Every function checks its arguments and returns TESS_OK or an error
 * status; tessLastErrorText() then says what was wrong. Tensors are contiguous and row-major.
 * Set 0000000000000000. */
#pragma once
#include "tessera/abi.h"

#ifdef __cplusplus
extern "C" {
#endif

/* matmul(A: bf16[M, K], B: bf16[K, N]) -> bf16[M, N]
 *   A       bf16[M, K]  read
 *   B       bf16[K, N]  read
 *   result  bf16[M, N]  written; the caller gives the memory
 */
TessStatus matmul(const TessTensor *A, const TessTensor *B, TessTensor *result, TessStream stream);
/* The same with uniform arguments. */
TessStatus matmul_call(const TessValue *args, int32_t count, TessStream stream);

#ifdef __cplusplus
}
#endif
