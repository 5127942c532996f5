/* The generated header is C, and its functions can be called from C. */
#include "saxpy.h"
#include <stdio.h>
#include <string.h>

int main(void) {
  float x[4] = {1, 2, 3, 4}, y[4] = {1, 1, 1, 1};
  int64_t shape[1] = {4}, strided[1] = {2};
  TessTensor xs, ys;
  int i;
  memset(&xs, 0, sizeof xs);
  xs.data = x;
  xs.device.type = TESS_CPU;
  xs.ndim = 1;
  xs.dtype.code = TESS_FLOAT;
  xs.dtype.bits = 32;
  xs.dtype.lanes = 1;
  xs.shape = shape;
  ys = xs;
  ys.data = y;
  if (saxpy(&xs, &ys, 3.0f, 0) != TESS_OK) return 1;
  for (i = 0; i < 4; ++i)
    if (y[i] != 3.0f * x[i] + 1.0f) return 2;
  if (strcmp(tessLastErrorText(), "") != 0) return 3;
  xs.strides = strided;
  if (saxpy(&xs, &ys, 3.0f, 0) != TESS_ERROR_LAYOUT) return 4;
  puts(tessLastErrorText());
  xs.strides = 0;
  if (saxpy(&xs, &xs, 3.0f, 0) != TESS_ERROR_ALIAS) return 5;
  puts(tessLastErrorText());
  xs.dtype.bits = 64;
  if (saxpy(&xs, &ys, 3.0f, 0) != TESS_ERROR_DTYPE) return 6;
  puts(tessLastErrorText());
  if (saxpy(0, &ys, 3.0f, 0) != TESS_ERROR_ARGUMENT) return 7;
  puts("ok");
  return 0;
}
