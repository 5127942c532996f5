/* The C interface of 21_vectors.tsr, for C and C++. Every function checks its arguments and returns TESS_OK or an error
 * status; tessLastErrorText() then says what was wrong. Tensors are contiguous and row-major.
 * Set 0000000000000000. */
#pragma once
#include "tessera/abi.h"

#ifdef __cplusplus
extern "C" {
#endif

/* def matrix_times_vector[M, K](A: Tensor[M, K, bf16 @accum(f32)], x: Tensor[K, bf16 @accum(f32)]) -> Tensor[M, f32]
 *   A       bf16[M, K]  read
 *   x       bf16[K]     read
 *   result  f32[M]      written; the caller gives the memory
 */
TessStatus matrix_times_vector(const TessTensor *A, const TessTensor *x, TessTensor *result,
                               TessStream stream);
/* The same with uniform arguments. */
TessStatus matrix_times_vector_call(const TessValue *args, int32_t count, TessStream stream);

/* def vector_times_matrix[M, K](A: Tensor[M, K, f32], x: Tensor[M, f32]) -> Tensor[K, f32]
 *   A       f32[M, K]  read
 *   x       f32[M]     read
 *   result  f32[K]     written; the caller gives the memory
 */
TessStatus vector_times_matrix(const TessTensor *A, const TessTensor *x, TessTensor *result,
                               TessStream stream);
/* The same with uniform arguments. */
TessStatus vector_times_matrix_call(const TessValue *args, int32_t count, TessStream stream);

/* def outer[M, K](A: Tensor[M, K, f32], x: Tensor[M, f32], y: Tensor[K, f32]) -> Tensor[M, K, f32]
 *   A       f32[M, K]  read
 *   x       f32[M]     read
 *   y       f32[K]     read
 *   result  f32[M, K]  written; the caller gives the memory
 */
TessStatus outer(const TessTensor *A, const TessTensor *x, const TessTensor *y, TessTensor *result,
                 TessStream stream);
/* The same with uniform arguments. */
TessStatus outer_call(const TessValue *args, int32_t count, TessStream stream);

/* def energy[K](A: Tensor[ROWS, K, f32], x: Tensor[K, f32]) -> f32
 *   A       f32[64, K]  read
 *   x       f32[K]      read
 *   result  f32[]       written; the caller gives the memory
 */
TessStatus energy(const TessTensor *A, const TessTensor *x, TessTensor *result, TessStream stream);
/* The same with uniform arguments. */
TessStatus energy_call(const TessValue *args, int32_t count, TessStream stream);

/* def greatest[R, C](x: Tensor[R, C, f32]) -> f32 where R <= ROWS, C <= STEP
 *   x       f32[R, C]  read
 *   result  f32[]      written; the caller gives the memory
 * Requires
 *   R <= ROWS
 *   C <= STEP
 */
TessStatus greatest(const TessTensor *x, TessTensor *result, TessStream stream);
/* The same with uniform arguments. */
TessStatus greatest_call(const TessValue *args, int32_t count, TessStream stream);

#ifdef __cplusplus
}
#endif
