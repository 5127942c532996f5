// C++ for softmax.tsr, compiled by tesserac. Edit the program, not this file.
// Functions: softmax (declared in softmax.h).
#include "tessera/device/cpu/memory.h"
#include "tessera/device/cpu/parts.h"
#include "tessera/device/cpu/stream.h"
#include "tessera/device/math.h"
#include "tessera/entry.h"
TESS_SET(0000000000000000)  // the headers and the manifest of this compile have the same number

// def softmax[R, C](x: Tensor[R, C, f32]) -> Tensor[R, C, f32]
//   a group streams over C: one row is too long to keep
static void
softmax_kernel(const float *__restrict__ x, float *__restrict__ result, int64_t R, int64_t C) {
  #pragma omp parallel for
  for (int64_t r = 0; r < R; ++r) {  // softmax.tsr:5
    float row_max = -INFINITY;  // :9
    tsr::Parts<tsr::Max, float, 64> row_max_parts;
    for (int64_t i0 = 0; i0 < C; i0 += 64) {  // :5
      #pragma omp simd
      for (int64_t i = i0; i < tsr::min<int64_t>(i0 + 64, C); ++i) {  // :9
        const float row = x[r * C + i];  // :8
        row_max_parts(i - i0) = tsr::max(row_max_parts(i - i0), row);  // :9
      }
    }
    row_max = row_max_parts.combine(row_max);
    tsr::Row<float> e_row(C);
    float e_sum = 0.0f;  // :10
    const tsr::Streaming streaming(result, R, C);
    tsr::Parts<tsr::Sum, float, 64> e_sum_parts;
    for (int64_t i0 = 0; i0 < C; i0 += 64) {  // :5
      tsr::read_ahead<64>(streaming, x, r + 1, R, C, i0);
      #pragma omp simd
      for (int64_t i = i0; i < tsr::min<int64_t>(i0 + 64, C); ++i) {  // :10
        const float row = x[r * C + i];  // :8
        const float e = tsr::exp(row - row_max);  // :9
        e_row(i) = e;
        e_sum_parts(i - i0) += e;  // :10
      }
    }
    e_sum = e_sum_parts.combine(e_sum);
    for (int64_t i0 = 0; i0 < C; i0 += 256) {  // :5
      tsr::Line<float, 256> result_line(result + r * C, C, i0, streaming);  // :10
      #pragma omp simd
      for (int64_t i = result_line.begin; i < result_line.end; ++i) {
        const float e = e_row(i);  // :9
        result_line(i) = e / e_sum;  // :10
      }
    }
  }
}

// def softmax[R, C](x: Tensor[R, C, f32]) -> Tensor[R, C, f32]
//   exp(x) / sum(exp(x)) along each row, without overflow.
extern "C" TessStatus softmax(const TessTensor *x, TessTensor *result, TessStream stream) {
  tsr::Call call("softmax", stream);
  tsr::Dim R("R"), C("C");
  call.input<float>("x", x, {R, C});
  call.output<float>("result", result, {R, C});
  if (call.done()) return call.status();

  softmax_kernel(call.data<const float>(x), call.data<float>(result), R, C);
  return call.finish();
}
extern "C" TessStatus softmax_call(const TessValue *args, int32_t count, TessStream stream) {
  return tsr::call_with(softmax, "softmax", args, count, stream);
}
