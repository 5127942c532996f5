/* The C interface of syntax.tsr, for C and C++. Every function checks its arguments and returns TESS_OK or an error
 * status; tessLastErrorText() then says what was wrong. Tensors are contiguous and row-major.
 * Set 0000000000000000. */
#pragma once
#include "tessera/abi.h"

#ifdef __cplusplus
extern "C" {
#endif

/* syntax(x: f32[n], m: i8) -> f32[n]
 *   x  f32[n]  read and written
 */
TessStatus syntax(TessTensor *x, TessStream stream);
/* The same with uniform arguments. */
TessStatus syntax_call(const TessValue *args, int32_t count, TessStream stream);

#ifdef __cplusplus
}
#endif
