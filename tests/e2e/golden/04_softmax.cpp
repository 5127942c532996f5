// C++ for 04_softmax.tsr, compiled by tesserac. Edit the program, not this file.
// Functions: softmax, attention_weights (declared in 04_softmax.h).
#include "tessera/device/cpu/memory.h"
#include "tessera/device/cpu/parts.h"
#include "tessera/device/cpu/stream.h"
#include "tessera/device/dtype.h"
#include "tessera/device/math.h"
#include "tessera/entry.h"
TESS_SET(0000000000000000)  // the headers and the manifest of this compile have the same number

// def softmax[R, C](x: Tensor[R, C, bf16 @accum(f32)]) -> Tensor[R, C, bf16]
//   a group streams over C: one row is too long to keep
static void
softmax_kernel(const tsr::bf16 *__restrict__ x, tsr::bf16 *__restrict__ result, int64_t R,
               int64_t C) {
  #pragma omp parallel for
  for (int64_t r = 0; r < R; ++r) {  // 04_softmax.tsr:4
    float v_max = -INFINITY;  // :7
    tsr::Parts<tsr::Max, float, 64> v_max_parts;
    for (int64_t i0 = 0; i0 < C; i0 += 64) {  // :4
      #pragma omp simd
      for (int64_t i = i0; i < tsr::min<int64_t>(i0 + 64, C); ++i) {  // :7
        const float v = tsr::to<float>(x[r * C + i]);  // :6
        v_max_parts(i - i0) = tsr::max(v_max_parts(i - i0), v);  // :7
      }
    }
    v_max = v_max_parts.combine(v_max);
    tsr::Row<float> e_row(C);
    float e_sum = 0.0f;  // :8
    const tsr::Streaming streaming(result, R, C);
    tsr::Parts<tsr::Sum, float, 64> e_sum_parts;
    for (int64_t i0 = 0; i0 < C; i0 += 64) {  // :4
      tsr::read_ahead<64>(streaming, x, r + 1, R, C, i0);
      #pragma omp simd
      for (int64_t i = i0; i < tsr::min<int64_t>(i0 + 64, C); ++i) {  // :8
        const float v = tsr::to<float>(x[r * C + i]);  // :6
        const float e = tsr::exp(v - v_max);  // :7
        e_row(i) = e;
        e_sum_parts(i - i0) += e;  // :8
      }
    }
    e_sum = e_sum_parts.combine(e_sum);
    const float reciprocal = 1.0f / e_sum;
    for (int64_t i0 = 0; i0 < C; i0 += 256) {  // :4
      tsr::Line<tsr::bf16, 256> result_line(result + r * C, C, i0, streaming);  // :8
      #pragma omp simd
      for (int64_t i = result_line.begin; i < result_line.end; ++i) {
        const float e = e_row(i);  // :7
        result_line(i) = tsr::to<tsr::bf16>(e * reciprocal);  // :8
      }
    }
  }
}

// def attention_weights[B, H, S](scores: Tensor[B, H, S, S, f32]) -> Tensor[B, H, S, S, f32]
//   one group a row
static void
attention_weights_kernel(const float *__restrict__ scores, float *__restrict__ result, int64_t B,
                         int64_t H, int64_t S) {
  #pragma omp parallel for
  for (int64_t group = 0; group < B * H * S; ++group) {  // 04_softmax.tsr:12
    const int64_t b0 = group / (H * S);
    const int64_t h0 = group / S % H;
    const int64_t s0 = group % S;
    float scores_max = -INFINITY;
    tsr::Parts<tsr::Max, float, 64> scores_max_parts;
    for (int64_t i0 = 0; i0 < S; i0 += 64) {
      #pragma omp simd
      for (int64_t i = i0; i < tsr::min<int64_t>(i0 + 64, S); ++i) {
        scores_max_parts(i - i0) = tsr::max(scores_max_parts(i - i0),
            scores[((b0 * H + h0) * S + s0) * S + i]);
      }
    }
    scores_max = scores_max_parts.combine(scores_max);
    const float shift = scores_max > -INFINITY ? scores_max : 0.0f;
    tsr::Row<float> e_row(S);
    float e_sum = 0.0f;
    const tsr::Streaming streaming(result, B * H * S, S);
    tsr::Parts<tsr::Sum, float, 64> e_sum_parts;
    for (int64_t i0 = 0; i0 < S; i0 += 64) {
      #pragma omp simd
      for (int64_t i = i0; i < tsr::min<int64_t>(i0 + 64, S); ++i) {
        const float e = tsr::exp(scores[((b0 * H + h0) * S + s0) * S + i] - shift);
        e_row(i) = e;
        e_sum_parts(i - i0) += e;
      }
    }
    e_sum = e_sum_parts.combine(e_sum);
    const float e_sum_max = tsr::max(e_sum, 0.5f);
    for (int64_t i0 = 0; i0 < S; i0 += 256) {
      tsr::Line<float, 256> result_line(result + ((b0 * H + h0) * S + s0) * S, S, i0, streaming);
      #pragma omp simd
      for (int64_t i = result_line.begin; i < result_line.end; ++i) {
        const float e = e_row(i);
        result_line(i) = e / e_sum_max;
      }
    }
  }
}

// def softmax[R, C](x: Tensor[R, C, bf16 @accum(f32)]) -> Tensor[R, C, bf16]
extern "C" TessStatus softmax(const TessTensor *x, TessTensor *result, TessStream stream) {
  tsr::Call call("softmax", stream);
  tsr::Dim R("R"), C("C");
  call.input<tsr::bf16>("x", x, {R, C});
  call.output<tsr::bf16>("result", result, {R, C});
  if (call.done()) return call.status();

  softmax_kernel(call.data<const tsr::bf16>(x), call.data<tsr::bf16>(result), R, C);
  return call.finish();
}
extern "C" TessStatus softmax_call(const TessValue *args, int32_t count, TessStream stream) {
  return tsr::call_with(softmax, "softmax", args, count, stream);
}

// def attention_weights[B, H, S](scores: Tensor[B, H, S, S, f32]) -> Tensor[B, H, S, S, f32]
extern "C" TessStatus attention_weights(const TessTensor *scores, TessTensor *result,
                                        TessStream stream) {
  tsr::Call call("attention_weights", stream);
  tsr::Dim B("B"), H("H"), S("S");
  call.input<float>("scores", scores, {B, H, S, S});
  call.output<float>("result", result, {B, H, S, S});
  if (call.done()) return call.status();

  attention_weights_kernel(call.data<const float>(scores), call.data<float>(result), B, H, S);
  return call.finish();
}
extern "C" TessStatus attention_weights_call(const TessValue *args, int32_t count,
                                             TessStream stream) {
  return tsr::call_with(attention_weights, "attention_weights", args, count, stream);
}
