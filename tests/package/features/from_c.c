/* The C headers, also those whose stems differ in what is no letter, in one file of C. */
#include "a-b.h"
#include "a_b.h"
#include "one/model.h"
#include "plain/scale.h"
#include "two/model.h"
#include <stdio.h>

int main(void) {
  const int64_t shape[1] = {3};
  float x[3] = {1, 2, 3}, y[3] = {-1, -1, -1};
  TessTensor in = {x, {TESS_CPU, 0}, 1, {TESS_FLOAT, 32, 1}, shape, NULL, 0};
  TessTensor out = {y, {TESS_CPU, 0}, 1, {TESS_FLOAT, 32, 1}, shape, NULL, 0};
  if (scale(&in, 2.0f, &out, NULL) != TESS_OK || y[2] != 6) return 1;
  if (one_more(&in, &out, NULL) != TESS_OK || y[2] != 4) return 2;
  if (two_more(&in, &out, NULL) != TESS_OK || y[2] != 5) return 3;
  if (dash(&in, &out, NULL) != TESS_OK || y[2] != 2) return 4;
  return line(&in, &out, NULL) != TESS_OK || y[2] != 1;
}
