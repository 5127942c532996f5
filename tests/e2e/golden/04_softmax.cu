// CUDA for 04_softmax.tsr, compiled by tesserac. Edit the program, not this file.
// Functions: softmax, attention_weights (declared in 04_softmax.h).
#include "tessera/device/dtype.h"
#include "tessera/device/math.h"
#include "tessera/device/reduce.h"
#include "tessera/entry.h"

// def softmax[R, C](x: Tensor[R, C, bf16 @accum(f32)]) -> Tensor[R, C, bf16]
//   schedule  256 threads a group
//   a group streams over C: one row is too long to keep
static __global__ void __launch_bounds__(256)
softmax_kernel(const tsr::bf16 *__restrict__ x, tsr::bf16 *__restrict__ result, int64_t C) {
  constexpr int Threads = 256;
  __shared__ float scratch[tsr::group_reduce_scratch(Threads)];  // 04_softmax.tsr:4
  const int64_t r = int64_t(blockIdx.x);  // :5
  float lane_v_max = -INFINITY;  // :7
  for (int64_t i = threadIdx.x; i < C; i += Threads) {
    const float v = tsr::to<float>(x[r * C + i]);  // :6
    lane_v_max = tsr::max(lane_v_max, v);  // :7
  }
  const float v_max = tsr::group_reduce<tsr::Max, Threads>(lane_v_max, scratch);
  float lane_e_sum = 0.0f;  // :8
  for (int64_t i = threadIdx.x; i < C; i += Threads) {
    const float v = tsr::to<float>(x[r * C + i]);  // :6
    const float e = tsr::exp(v - v_max);  // :7
    lane_e_sum += e;  // :8
  }
  const float e_sum = tsr::group_reduce<tsr::Sum, Threads>(lane_e_sum, scratch);
  for (int64_t i = threadIdx.x; i < C; i += Threads) {
    const float v = tsr::to<float>(x[r * C + i]);  // :6
    const float e = tsr::exp(v - v_max);  // :7
    result[r * C + i] = tsr::to<tsr::bf16>(e / e_sum);  // :8
  }
}

// def attention_weights[B, H, S](scores: Tensor[B, H, S, S, f32]) -> Tensor[B, H, S, S, f32]
//   schedule  256 threads a group
//   one group a row
static __global__ void __launch_bounds__(256)
attention_weights_kernel(const float *__restrict__ scores, float *__restrict__ result, int64_t H,
                         int64_t S) {
  constexpr int Threads = 256;
  __shared__ float scratch[tsr::group_reduce_scratch(Threads)];  // 04_softmax.tsr:12
  const int64_t b0 = int64_t(blockIdx.x) / (H * S);
  const int64_t h0 = int64_t(blockIdx.x) / S % H;
  const int64_t s0 = int64_t(blockIdx.x) % S;
  float lane_scores_max = -INFINITY;
  for (int64_t i = threadIdx.x; i < S; i += Threads) {
    lane_scores_max = tsr::max(lane_scores_max, scores[((b0 * H + h0) * S + s0) * S + i]);
  }
  const float scores_max = tsr::group_reduce<tsr::Max, Threads>(lane_scores_max, scratch);
  const float scores_max_masked = scores_max > -INFINITY ? scores_max : 0.0f;
  float lane_e_sum = 0.0f;
  for (int64_t i = threadIdx.x; i < S; i += Threads) {
    const float e = tsr::exp(scores[((b0 * H + h0) * S + s0) * S + i] - scores_max_masked);
    lane_e_sum += e;
  }
  const float e_sum = tsr::group_reduce<tsr::Sum, Threads>(lane_e_sum, scratch);
  const float e_sum_max = tsr::max(e_sum, 1.0f);
  for (int64_t i = threadIdx.x; i < S; i += Threads) {
    const float e = tsr::exp(scores[((b0 * H + h0) * S + s0) * S + i] - scores_max_masked);
    result[((b0 * H + h0) * S + s0) * S + i] = e / e_sum_max;
  }
}

// def softmax[R, C](x: Tensor[R, C, bf16 @accum(f32)]) -> Tensor[R, C, bf16]
extern "C" TessStatus softmax(const TessTensor *x, TessTensor *result, TessStream stream) {
  constexpr int Threads = 256;
  tsr::Call call("softmax", stream);
  tsr::Dim R("R"), C("C");
  call.input<tsr::bf16>("x", x, {R, C});
  call.output<tsr::bf16>("result", result, {R, C});
  if (call.failed()) return call.status();

  if (const unsigned groups = call.groups(R)) {
    softmax_kernel<<<groups, Threads, 0, call.stream()>>>(call.data<const tsr::bf16>(x),
        call.data<tsr::bf16>(result), C);
  }
  return call.finish();
}
extern "C" TessStatus softmax_call(const TessValue *args, int32_t count, TessStream stream) {
  return tsr::call_with(softmax, "softmax", args, count, stream);
}

// def attention_weights[B, H, S](scores: Tensor[B, H, S, S, f32]) -> Tensor[B, H, S, S, f32]
extern "C" TessStatus attention_weights(const TessTensor *scores, TessTensor *result,
                                        TessStream stream) {
  constexpr int Threads = 256;
  tsr::Call call("attention_weights", stream);
  tsr::Dim B("B"), H("H"), S("S");
  call.input<float>("scores", scores, {B, H, S, S});
  call.output<float>("result", result, {B, H, S, S});
  if (call.failed()) return call.status();

  if (const unsigned groups = call.groups(B * H * S)) {
    attention_weights_kernel<<<groups, Threads, 0, call.stream()>>>(call.data<const float>(scores),
        call.data<float>(result), H, S);
  }
  return call.finish();
}
extern "C" TessStatus attention_weights_call(const TessValue *args, int32_t count,
                                             TessStream stream) {
  return tsr::call_with(attention_weights, "attention_weights", args, count, stream);
}
