/* A library without entry functions that needs one with some. */
#include "tessera/abi.h"

TessStatus scale_call(const TessValue *args, int32_t count, TessStream stream);
TessStatus nothing(void) { return scale_call(0, 0, 0); }
