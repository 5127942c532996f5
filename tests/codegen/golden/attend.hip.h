/* The C interface of attend.tsr, for C and C++. Every function checks its arguments and returns TESS_OK or an error
 * status; tessLastErrorText() then says what was wrong. Tensors are contiguous and row-major.
 * Set 0000000000000000. */
#pragma once
#include "tessera/abi.h"

#ifdef __cplusplus
extern "C" {
#endif

/* attend(x: f32[B, 2 * S, D], call: f32) -> f32[B, 2 * S, D]
 *   Centers the rows of x twice.
 *   x       f32[B, 2*S, D]  read
 *   s       bf16[S]         read
 *   call    f32             by value
 *   stream  f32[B, 2*S, D]  written; the caller gives the memory
 * Requires
 *   D % 16 == 0
 *   D <= 256
 * Takes 8*B*D*S bytes of device memory for the time of the call.
 */
TessStatus attend(const TessTensor *x, const TessTensor *s, float call, TessTensor *stream,
                  TessStream stream2);
/* The same with uniform arguments. */
TessStatus attend_call(const TessValue *args, int32_t count, TessStream stream);

#ifdef __cplusplus
}
#endif
