/* An entry function in its uniform form, as emitted C++ has it: result = factor * x. Also proves that abi.h is C. */
#include "tessera/tessera.h"

static const char *last = "";

const char *tessLastErrorText(void) { return last; }

TessStatus scale_call(const TessValue *args, int32_t count, TessStream stream) {
  (void)stream;
  last = "scale: two tensors and a factor";
  if (count != 3 || args[0].kind != TESS_VALUE_TENSOR || args[1].kind != TESS_VALUE_REAL || args[2].kind != TESS_VALUE_TENSOR)
    return TESS_ERROR_ARGUMENT;
  const TessTensor *x = args[0].as.tensor, *result = args[2].as.tensor;
  if (x->dtype.code != TESS_FLOAT || x->dtype.bits != 32 || x->ndim != 1 || result->shape[0] != x->shape[0]) return TESS_ERROR_SHAPE;
  for (int64_t i = 0; i < x->shape[0]; ++i)
    ((float *)result->data)[i] = (float)args[1].as.real * ((const float *)x->data)[i];
  last = "";
  return TESS_OK;
}
