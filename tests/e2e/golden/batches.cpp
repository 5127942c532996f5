// C++ for batches.tsr, compiled by tesserac. Edit the program, not this file.
// Functions: scores_B32_T16, scores_B32, scores (declared in batches.h).
#include "tessera/device/cpu/memory.h"
#include "tessera/device/cpu/parts.h"
#include "tessera/device/cpu/stream.h"
#include "tessera/device/math.h"
#include "tessera/entry.h"
TESS_SET(0000000000000000)  // the headers and the manifest of this compile have the same number

// def scores[B, T](x: Tensor[B, T, f32], w: Tensor[T, f32]) -> Tensor[B, T, f32] where B in
//   1..=4096 # B = 32, T = 16
//   one group a row
static void
scores_B32_T16_kernel(const float *__restrict__ x, const float *__restrict__ w,
                      float *__restrict__ result) {
  #pragma omp parallel for
  for (int64_t group = 0; group < 32; ++group) {  // batches.tsr:11
    float x_max = -INFINITY;
    TSR_SIMD_REDUCTION(tsr::Max : x_max)
    for (int64_t i = 0; i < 16; ++i) {
      const float x_times_w = x[group * 16 + i] * w[i];
      x_max = tsr::max(x_max, x_times_w);
    }
    const float shift = x_max > -INFINITY ? x_max : 0.0f;
    float e_sum = 0.0f;
    #pragma omp simd reduction(+ : e_sum)
    for (int64_t i = 0; i < 16; ++i) {
      const float x_times_w = x[group * 16 + i] * w[i];
      const float e = tsr::exp(x_times_w - shift);
      e_sum += e;
    }
    const float e_sum_max = tsr::max(e_sum, 0.5f);
    for (int64_t i = 0; i < 16; ++i) {
      const float x_times_w = x[group * 16 + i] * w[i];
      const float e = tsr::exp(x_times_w - shift);
      result[group * 16 + i] = e / e_sum_max;
    }
  }
}

// def scores[B, T](x: Tensor[B, T, f32], w: Tensor[T, f32]) -> Tensor[B, T, f32] where B in
//   1..=4096 # B = 32
//   one group a row
static void
scores_B32_kernel(const float *__restrict__ x, const float *__restrict__ w,
                  float *__restrict__ result, int64_t T) {
  #pragma omp parallel for
  for (int64_t group = 0; group < 32; ++group) {  // batches.tsr:11
    float x_max = -INFINITY;
    tsr::Parts<tsr::Max, float, 64> x_max_parts;
    for (int64_t i0 = 0; i0 < T; i0 += 64) {
      #pragma omp simd
      for (int64_t i = i0; i < tsr::min<int64_t>(i0 + 64, T); ++i) {
        const float x_times_w = x[group * T + i] * w[i];
        x_max_parts(i - i0) = tsr::max(x_max_parts(i - i0), x_times_w);
      }
    }
    x_max = x_max_parts.combine(x_max);
    const float shift = x_max > -INFINITY ? x_max : 0.0f;
    tsr::Row<float> e_row(T);
    float e_sum = 0.0f;
    const tsr::Streaming streaming(result, 32, T);
    tsr::Parts<tsr::Sum, float, 64> e_sum_parts;
    for (int64_t i0 = 0; i0 < T; i0 += 64) {
      tsr::read_ahead<64>(streaming, x, group + 1, 32, T, i0);
      #pragma omp simd
      for (int64_t i = i0; i < tsr::min<int64_t>(i0 + 64, T); ++i) {
        const float x_times_w = x[group * T + i] * w[i];
        const float e = tsr::exp(x_times_w - shift);
        e_row(i) = e;
        e_sum_parts(i - i0) += e;
      }
    }
    e_sum = e_sum_parts.combine(e_sum);
    const float e_sum_max = tsr::max(e_sum, 0.5f);
    for (int64_t i0 = 0; i0 < T; i0 += 256) {
      tsr::Line<float, 256> result_line(result + group * T, T, i0, streaming);
      #pragma omp simd
      for (int64_t i = result_line.begin; i < result_line.end; ++i) {
        const float e = e_row(i);
        result_line(i) = e / e_sum_max;
      }
    }
  }
}

// def scores[B, T](x: Tensor[B, T, f32], w: Tensor[T, f32]) -> Tensor[B, T, f32] where B in
//   1..=4096
//   one group a row
static void
scores_kernel(const float *__restrict__ x, const float *__restrict__ w, float *__restrict__ result,
              int64_t B, int64_t T) {
  #pragma omp parallel for
  for (int64_t group = 0; group < B; ++group) {  // batches.tsr:11
    float x_max = -INFINITY;
    tsr::Parts<tsr::Max, float, 64> x_max_parts;
    for (int64_t i0 = 0; i0 < T; i0 += 64) {
      #pragma omp simd
      for (int64_t i = i0; i < tsr::min<int64_t>(i0 + 64, T); ++i) {
        const float x_times_w = x[group * T + i] * w[i];
        x_max_parts(i - i0) = tsr::max(x_max_parts(i - i0), x_times_w);
      }
    }
    x_max = x_max_parts.combine(x_max);
    const float shift = x_max > -INFINITY ? x_max : 0.0f;
    tsr::Row<float> e_row(T);
    float e_sum = 0.0f;
    const tsr::Streaming streaming(result, B, T);
    tsr::Parts<tsr::Sum, float, 64> e_sum_parts;
    for (int64_t i0 = 0; i0 < T; i0 += 64) {
      tsr::read_ahead<64>(streaming, x, group + 1, B, T, i0);
      #pragma omp simd
      for (int64_t i = i0; i < tsr::min<int64_t>(i0 + 64, T); ++i) {
        const float x_times_w = x[group * T + i] * w[i];
        const float e = tsr::exp(x_times_w - shift);
        e_row(i) = e;
        e_sum_parts(i - i0) += e;
      }
    }
    e_sum = e_sum_parts.combine(e_sum);
    const float e_sum_max = tsr::max(e_sum, 0.5f);
    for (int64_t i0 = 0; i0 < T; i0 += 256) {
      tsr::Line<float, 256> result_line(result + group * T, T, i0, streaming);
      #pragma omp simd
      for (int64_t i = result_line.begin; i < result_line.end; ++i) {
        const float e = e_row(i);
        result_line(i) = e / e_sum_max;
      }
    }
  }
}

// def scores[B, T](x: Tensor[B, T, f32], w: Tensor[T, f32]) -> Tensor[B, T, f32] where B in
//   1..=4096 # B = 32, T = 16
//   The softmax of weighted rows.
extern "C" TessStatus scores_B32_T16(const TessTensor *x, const TessTensor *w, TessTensor *result,
                                     TessStream stream) {
  tsr::Call call("scores_B32_T16", stream);
  call.input<float>("x", x, {32, 16});
  call.input<float>("w", w, {16});
  call.output<float>("result", result, {32, 16});
  if (call.done()) return call.status();

  scores_B32_T16_kernel(call.data<const float>(x), call.data<const float>(w),
      call.data<float>(result));
  return call.finish();
}
extern "C" TessStatus scores_B32_T16_call(const TessValue *args, int32_t count, TessStream stream) {
  return tsr::call_with(scores_B32_T16, "scores_B32_T16", args, count, stream);
}

// def scores[B, T](x: Tensor[B, T, f32], w: Tensor[T, f32]) -> Tensor[B, T, f32] where B in
//   1..=4096 # B = 32
//   The softmax of weighted rows.
extern "C" TessStatus scores_B32(const TessTensor *x, const TessTensor *w, TessTensor *result,
                                 TessStream stream) {
  tsr::Call call("scores_B32", stream);
  tsr::Dim T("T");
  call.input<float>("x", x, {32, T});
  call.input<float>("w", w, {T});
  call.output<float>("result", result, {32, T});
  if (call.done()) return call.status();

  scores_B32_kernel(call.data<const float>(x), call.data<const float>(w), call.data<float>(result),
      T);
  return call.finish();
}
extern "C" TessStatus scores_B32_call(const TessValue *args, int32_t count, TessStream stream) {
  return tsr::call_with(scores_B32, "scores_B32", args, count, stream);
}

// def scores[B, T](x: Tensor[B, T, f32], w: Tensor[T, f32]) -> Tensor[B, T, f32] where B in
//   1..=4096
//   The softmax of weighted rows.
extern "C" TessStatus scores(const TessTensor *x, const TessTensor *w, TessTensor *result,
                             TessStream stream) {
  tsr::Call call("scores", stream);
  tsr::Dim B("B"), T("T");
  call.input<float>("x", x, {B, T});
  call.input<float>("w", w, {T});
  call.output<float>("result", result, {B, T});
  call.require(tsr::min<int64_t>(4096 - B, B - 1) >= 0, "B in 1..=4096",
      tsr::min<int64_t>(4096 - B, B - 1), 0, "min(4096 - B, B - 1)");
  if (call.done()) return call.status();
  // Sizes that have kernels of their own.
  if (B == 32 && T == 16) return scores_B32_T16(x, w, result, stream);
  if (B == 32) return scores_B32(x, w, result, stream);

  scores_kernel(call.data<const float>(x), call.data<const float>(w), call.data<float>(result), B,
      T);
  return call.finish();
}
extern "C" TessStatus scores_call(const TessValue *args, int32_t count, TessStream stream) {
  return tsr::call_with(scores, "scores", args, count, stream);
}
