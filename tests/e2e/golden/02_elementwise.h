/* The C interface of 02_elementwise.tsr, for C and C++. Every function checks its arguments and returns TESS_OK or an error
 * status; tessLastErrorText() then says what was wrong. Tensors are contiguous and row-major.
 * Set 0000000000000000. */
#pragma once
#include "tessera/abi.h"

#ifdef __cplusplus
extern "C" {
#endif

/* def bias_gelu_residual[R, C](x: Tensor[R, C, bf16], b: Tensor[C, bf16], r: Tensor[R, C, bf16]) -> Tensor[R, C, bf16]
 *   gelu(x + b) + r; b broadcasts over rows, which the checker proves.
 *   x       bf16[R, C]  read
 *   b       bf16[C]     read
 *   r       bf16[R, C]  read
 *   result  bf16[R, C]  written; the caller gives the memory
 */
TessStatus bias_gelu_residual(const TessTensor *x, const TessTensor *b, const TessTensor *r,
                              TessTensor *result, TessStream stream);
/* The same with uniform arguments. */
TessStatus bias_gelu_residual_call(const TessValue *args, int32_t count, TessStream stream);

/* def swiglu[R, C](gate: Tensor[R, C, bf16], up: Tensor[R, C, bf16]) -> Tensor[R, C, bf16]
 *   gate    bf16[R, C]  read
 *   up      bf16[R, C]  read
 *   result  bf16[R, C]  written; the caller gives the memory
 */
TessStatus swiglu(const TessTensor *gate, const TessTensor *up, TessTensor *result,
                  TessStream stream);
/* The same with uniform arguments. */
TessStatus swiglu_call(const TessValue *args, int32_t count, TessStream stream);

#ifdef __cplusplus
}
#endif
