// C++ for 05_norms.tsr, compiled by tesserac. Edit the program, not this file.
// Functions: layer_norm, rms_norm (declared in 05_norms.h).
#include "tessera/device/cpu/stream.h"
#include "tessera/device/dtype.h"
#include "tessera/device/math.h"
#include "tessera/entry.h"
TESS_SET(0000000000000000)  // the headers and the manifest of this compile have the same number

// def layer_norm[D](x: Tensor["B", "S", D, f32], gamma: Tensor[D, f32], beta: Tensor[D, f32]) ->
//   Tensor["B", "S", D, f32]
//   one group a row
static void
layer_norm_kernel(const float *__restrict__ x, const float *__restrict__ gamma,
                  const float *__restrict__ beta, float *__restrict__ result, int64_t B, int64_t S,
                  int64_t D) {
  #pragma omp parallel for
  for (int64_t group = 0; group < B * S; ++group) {  // 05_norms.tsr:5
    const int64_t b0 = group / S;
    const int64_t s0 = group % S;
    float x_sum = 0.0f;  // :3
    #pragma omp simd reduction(+ : x_sum)
    for (int64_t i = 0; i < D; ++i) {
      x_sum += x[(b0 * S + s0) * D + i];
    }
    const float mean = x_sum / float(D);
    float sum = 0.0f;  // :4
    #pragma omp simd reduction(+ : sum)
    for (int64_t i = 0; i < D; ++i) {
      const float centred = x[(b0 * S + s0) * D + i] - mean;
      sum += centred * centred;
    }
    const float var = sum / float(D);
    const float var_sqrt = tsr::sqrt(var + 1e-05f);  // :5
    const tsr::Streaming streaming(result, B * S, D);
    for (int64_t i0 = 0; i0 < D; i0 += 256) {
      tsr::Line<float, 256> result_line(result + (b0 * S + s0) * D, D, i0, streaming);
      #pragma omp simd
      for (int64_t i = result_line.begin; i < result_line.end; ++i) {
        const float centred = x[(b0 * S + s0) * D + i] - mean;  // :4
        result_line(i) = centred / var_sqrt * gamma[i] + beta[i];  // :5
      }
    }
  }
}

// def rms_norm[D](x: Tensor["B", "S", D, bf16 @accum(f32)], w: Tensor[D, bf16]) -> Tensor["B", "S",
//   D, bf16]
//   one group a row
static void
rms_norm_kernel(const tsr::bf16 *__restrict__ x, const tsr::bf16 *__restrict__ w,
                tsr::bf16 *__restrict__ result, int64_t B, int64_t S, int64_t D) {
  #pragma omp parallel for
  for (int64_t group = 0; group < B * S; ++group) {  // 05_norms.tsr:8
    const int64_t b0 = group / S;
    const int64_t s0 = group % S;
    float max = -INFINITY;
    TSR_SIMD_REDUCTION(tsr::Max : max)
    for (int64_t i = 0; i < D; ++i) {
      max = tsr::max(max, tsr::abs(tsr::to<float>(x[(b0 * S + s0) * D + i])));
    }
    const float scale = 1.0f / tsr::max(max, 0.001f);
    float sum = 0.0f;
    #pragma omp simd reduction(+ : sum)
    for (int64_t i = 0; i < D; ++i) {
      const float y = tsr::to<float>(x[(b0 * S + s0) * D + i]) * scale;
      sum += y * y;
    }
    const float root = 0.001f * scale;
    const float rsqrt_value = tsr::rsqrt(sum / float(D) + root * root);
    const tsr::Streaming streaming(result, B * S, D);
    for (int64_t i0 = 0; i0 < D; i0 += 256) {
      tsr::Line<tsr::bf16, 256> result_line(result + (b0 * S + s0) * D, D, i0, streaming);
      #pragma omp simd
      for (int64_t i = result_line.begin; i < result_line.end; ++i) {
        const float y = tsr::to<float>(x[(b0 * S + s0) * D + i]) * scale;
        result_line(i) = tsr::to<tsr::bf16>(y * rsqrt_value * tsr::to<float>(w[i]));
      }
    }
  }
}

// def layer_norm[D](x: Tensor["B", "S", D, f32], gamma: Tensor[D, f32], beta: Tensor[D, f32]) ->
//   Tensor["B", "S", D, f32]
//   Mean and variance along the last axis; one fused kernel, accumulated in f32.
extern "C" TessStatus layer_norm(const TessTensor *x, const TessTensor *gamma,
                                 const TessTensor *beta, TessTensor *result, TessStream stream) {
  tsr::Call call("layer_norm", stream);
  tsr::Dim B("B"), S("S"), D("D");
  call.input<float>("x", x, {B, S, D});
  call.input<float>("gamma", gamma, {D});
  call.input<float>("beta", beta, {D});
  call.output<float>("result", result, {B, S, D});
  if (call.done()) return call.status();

  layer_norm_kernel(call.data<const float>(x), call.data<const float>(gamma),
      call.data<const float>(beta), call.data<float>(result), B, S, D);
  return call.finish();
}
extern "C" TessStatus layer_norm_call(const TessValue *args, int32_t count, TessStream stream) {
  return tsr::call_with(layer_norm, "layer_norm", args, count, stream);
}

// def rms_norm[D](x: Tensor["B", "S", D, bf16 @accum(f32)], w: Tensor[D, bf16]) -> Tensor["B", "S",
//   D, bf16]
extern "C" TessStatus rms_norm(const TessTensor *x, const TessTensor *w, TessTensor *result,
                               TessStream stream) {
  tsr::Call call("rms_norm", stream);
  tsr::Dim B("B"), S("S"), D("D");
  call.input<tsr::bf16>("x", x, {B, S, D});
  call.input<tsr::bf16>("w", w, {D});
  call.output<tsr::bf16>("result", result, {B, S, D});
  if (call.done()) return call.status();

  rms_norm_kernel(call.data<const tsr::bf16>(x), call.data<const tsr::bf16>(w),
      call.data<tsr::bf16>(result), B, S, D);
  return call.finish();
}
extern "C" TessStatus rms_norm_call(const TessValue *args, int32_t count, TessStream stream) {
  return tsr::call_with(rms_norm, "rms_norm", args, count, stream);
}
