#include "softmax.h"
#include <math.h>
#include <stdio.h>

int main(void) {
  const int64_t shape[2] = {1, 4};
  float x[4] = {0, 2, 4, 6}, y[4] = {NAN, NAN, NAN, NAN};
  TessTensor in = {x, {TESS_CPU, 0}, 2, {TESS_FLOAT, 32, 1}, shape, NULL, 0};
  TessTensor out = {y, {TESS_CPU, 0}, 2, {TESS_FLOAT, 32, 1}, shape, NULL, 0};
  if (softmax(&in, &out, NULL) != TESS_OK) {
    fprintf(stderr, "%s\n", tessLastErrorText());
    return 1;
  }
  printf("%g %g %g %g\n", y[0], y[1], y[2], y[3]);
  return fabsf(y[3] - 0.6439143f) < 1e-5f ? 0 : 1;
}
