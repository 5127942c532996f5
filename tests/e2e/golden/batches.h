/* The C interface of batches.tsr, for C and C++. Every function checks its arguments and returns TESS_OK or an error
 * status; tessLastErrorText() then says what was wrong. Tensors are contiguous and row-major.
 * Set 0000000000000000. */
#pragma once
#include "tessera/abi.h"

#ifdef __cplusplus
extern "C" {
#endif

/* def scores[B, T](x: Tensor[B, T, f32], w: Tensor[T, f32]) -> Tensor[B, T, f32] where B in 1..=4096  # B = 32, T = 16
 *   The softmax of weighted rows.
 *   x       f32[32, 16]  read
 *   w       f32[16]      read
 *   result  f32[32, 16]  written; the caller gives the memory
 */
TessStatus scores_B32_T16(const TessTensor *x, const TessTensor *w, TessTensor *result,
                          TessStream stream);
/* The same with uniform arguments. */
TessStatus scores_B32_T16_call(const TessValue *args, int32_t count, TessStream stream);

/* def scores[B, T](x: Tensor[B, T, f32], w: Tensor[T, f32]) -> Tensor[B, T, f32] where B in 1..=4096  # B = 32
 *   The softmax of weighted rows.
 *   x       f32[32, T]  read
 *   w       f32[T]      read
 *   result  f32[32, T]  written; the caller gives the memory
 */
TessStatus scores_B32(const TessTensor *x, const TessTensor *w, TessTensor *result,
                      TessStream stream);
/* The same with uniform arguments. */
TessStatus scores_B32_call(const TessValue *args, int32_t count, TessStream stream);

/* def scores[B, T](x: Tensor[B, T, f32], w: Tensor[T, f32]) -> Tensor[B, T, f32] where B in 1..=4096
 *   The softmax of weighted rows.
 *   x       f32[B, T]  read
 *   w       f32[T]     read
 *   result  f32[B, T]  written; the caller gives the memory
 * Requires
 *   B in 1..=4096
 */
TessStatus scores(const TessTensor *x, const TessTensor *w, TessTensor *result, TessStream stream);
/* The same with uniform arguments. */
TessStatus scores_call(const TessValue *args, int32_t count, TessStream stream);

#ifdef __cplusplus
}
#endif
