// CUDA for 04_softmax.tsr, compiled by tesserac. Edit the program, not this file.
// Functions: softmax, attention_weights (declared in 04_softmax.h).
#include "tessera/device/dtype.h"
#include "tessera/device/edges.h"
#include "tessera/device/extremes.h"
#include "tessera/device/math.h"
#include "tessera/device/reduce.h"
#include "tessera/device/vector.h"
#include "tessera/entry.h"
TESS_SET(0000000000000000)  // the headers and the manifest of this compile have the same number

// def softmax[R, C](x: Tensor[R, C, bf16 @accum(f32)]) -> Tensor[R, C, bf16]
//   schedule  256 threads a group
//   rows: a lane holds its vectors of the row, Held of them, in registers, or -Held in shared
//     memory: that much of the row is read once
template <int Vector, int Held, int Threads, int Rows>
static __global__ void __launch_bounds__(Threads * Rows, 1024 / (Threads * Rows))
softmax_kernel(const tsr::bf16 *__restrict__ x, tsr::bf16 *__restrict__ result, int64_t R,
               int64_t C) {
  __shared__ float scratch[tsr::group_reduce_scratch(Threads)];  // 04_softmax.tsr:4
  const int64_t group = int64_t(blockIdx.x) * Rows + (Rows > 1 ? int64_t(threadIdx.y) : 0);
  if (group < R) {
    const int64_t r = group;  // :5
    const tsr::HeldRow<tsr::bf16, Vector, Held, Threads> x_row(x + r * C, C);  // :6
    tsr::Extreme<tsr::Max, tsr::bf16> lane_v_max;  // :7
    #pragma unroll Held > 0 ? Held : 4
    for (int64_t k = 0; k < tsr::row_turns<Vector, Held, Threads>(C); ++k) {
      const int64_t c = (k * Threads + int64_t(threadIdx.x)) * Vector;
      if (c < C) {
        const tsr::Vector<tsr::bf16, Vector> x_vector = x_row(k);  // :6
        lane_v_max.take(x_vector);  // :7
      }
    }
    const float v_max = tsr::group_reduce<tsr::Max, Threads>(lane_v_max.value(), scratch);
    tsr::KeptRow<float, Vector, Held> e_row;
    float lane_e_sum = 0.0f;  // :8
    #pragma unroll Held > 0 ? Held : 4
    for (int64_t k = 0; k < tsr::row_turns<Vector, Held, Threads>(C); ++k) {
      const int64_t c = (k * Threads + int64_t(threadIdx.x)) * Vector;
      if (c < C) {
        const tsr::Vector<tsr::bf16, Vector> x_vector = x_row(k);  // :6
        #pragma unroll
        for (int64_t v = 0; v < Vector; ++v) {  // :8
          const float v0 = tsr::to<float>(x_vector(v));  // :6
          const float e = tsr::exp2((v0 - v_max) * 1.442695f);  // :7
          e_row.keep(k, v, e);
          lane_e_sum += e;  // :8
        }
      }
    }
    const float e_sum = tsr::group_reduce<tsr::Sum, Threads>(lane_e_sum, scratch);
    const float reciprocal = 1.0f / e_sum;
    #pragma unroll Held > 0 ? Held : 4
    for (int64_t k = 0; k < tsr::row_turns<Vector, Held, Threads>(C); ++k) {
      const int64_t c = (k * Threads + int64_t(threadIdx.x)) * Vector;
      if (c < C) {
        tsr::Vector<float, Vector> result_vector;
        const tsr::Vector<tsr::bf16, Vector> x_vector = x_row(k);  // :6
        #pragma unroll
        for (int64_t v = 0; v < Vector; ++v) {  // :8
          float e;  // :7
          if (Held > 0 && Held * Vector <= 32) {
            e = e_row(k, v);
          } else {
            const float v0 = tsr::to<float>(x_vector(v));  // :6
            e = tsr::exp2((v0 - v_max) * 1.442695f);  // :7
          }
          result_vector(v) = e * reciprocal;  // :8
        }
        tsr::store_vector(result, r * C + c, result_vector);
      }
    }
  }
}

// def attention_weights[B, H, S](scores: Tensor[B, H, S, S, f32]) -> Tensor[B, H, S, S, f32]
//   schedule  256 threads a group
//   one group a row
//   rows: a lane holds its vectors of the row, Held of them, in registers, or -Held in shared
//     memory: that much of the row is read once
template <int Vector, int Held, int Threads, int Rows, int Edges>
static __global__ void __launch_bounds__(Threads * Rows, 1024 / (Threads * Rows))
attention_weights_kernel(const float *__restrict__ scores, float *__restrict__ result, int64_t B,
                         int64_t H, int64_t S) {
  __shared__ float scratch[tsr::group_reduce_scratch(Threads)];  // 04_softmax.tsr:12
  const int64_t group = int64_t(blockIdx.x) * Rows + (Rows > 1 ? int64_t(threadIdx.y) : 0);
  if (group < B * H * S) {
    const int64_t b0 = group / (H * S);
    const int64_t h0 = group / S % H;
    const int64_t s0 = group % S;
    const tsr::HeldRow<float, Vector, Held, Threads, 0, Edges> scores_row(scores +  // :11
        ((b0 * H + h0) * S + s0) * S, S);
    const int64_t before = ((b0 * H + h0) * S + s0) * S % Vector * Edges;  // :12
    float lane_max = -INFINITY;
    #pragma unroll Held > 0 ? Held : 4
    for (int64_t k = 0; k < tsr::row_turns<Vector, Held, Threads>(S + before); ++k) {
      const int64_t c = (k * Threads + int64_t(threadIdx.x)) * Vector - before;
      if (c < S) {
        const tsr::Inside<Edges, Vector> inside(c, S);
        const tsr::Vector<float, Vector> scores_vector = scores_row(k);  // :11
        #pragma unroll
        for (int64_t v = 0; v < Vector; ++v) {  // :12
          if (inside(v)) {
            lane_max = tsr::max(lane_max, scores_vector(v));
          }
        }
      }
    }
    const float max = tsr::group_reduce<tsr::Max, Threads>(lane_max, scratch);
    const float shift = max > -INFINITY ? max : 0.0f;
    tsr::KeptRow<float, Vector, Held> e_row;
    float lane_e_sum = 0.0f;
    #pragma unroll Held > 0 ? Held : 4
    for (int64_t k = 0; k < tsr::row_turns<Vector, Held, Threads>(S + before); ++k) {
      const int64_t c = (k * Threads + int64_t(threadIdx.x)) * Vector - before;
      if (c < S) {
        const tsr::Inside<Edges, Vector> inside(c, S);
        const tsr::Vector<float, Vector> scores_vector = scores_row(k);  // :11
        #pragma unroll
        for (int64_t v = 0; v < Vector; ++v) {  // :12
          if (inside(v)) {
            const float e = tsr::exp(scores_vector(v) - shift);
            e_row.keep(k, v, e);
            lane_e_sum += e;
          }
        }
      }
    }
    const float e_sum = tsr::group_reduce<tsr::Sum, Threads>(lane_e_sum, scratch);
    const float e_sum_max = tsr::max(e_sum, 0.5f);
    #pragma unroll Held > 0 ? Held : 4
    for (int64_t k = 0; k < tsr::row_turns<Vector, Held, Threads>(S + before); ++k) {
      const int64_t c = (k * Threads + int64_t(threadIdx.x)) * Vector - before;
      if (c < S) {
        const tsr::Inside<Edges, Vector> inside(c, S);
        tsr::Vector<float, Vector> result_vector;
        const tsr::Vector<float, Vector> scores_vector = scores_row(k);  // :11
        #pragma unroll
        for (int64_t v = 0; v < Vector; ++v) {  // :12
          float e;
          if (Held > 0 && Held * Vector <= 32) {
            e = e_row(k, v);
          } else {
            e = tsr::exp(scores_vector(v) - shift);
          }
          result_vector(v) = e / e_sum_max;
        }
        tsr::store_vector(result, ((b0 * H + h0) * S + s0) * S + c, result_vector, inside);
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

  {
    const auto start = [&](auto *kernel, int64_t count, dim3 block, int64_t shared_bytes) {
      call.allow_shared(kernel, shared_bytes);
      if (const unsigned groups = call.groups(count))
        kernel<<<groups, block, shared_bytes, call.stream()>>>(call.data<const tsr::bf16>(x),
            call.data<tsr::bf16>(result), R, C);
    };
    if (call.aligned(16, x, result) && C % 8 == 0 && C <= 256)
      start(softmax_kernel<8, 4, 8, 16>, tsr::ceil_div(R, 16), dim3(8, 16), 0);
    else if (call.aligned(16, x, result) && C % 8 == 0 && C <= 512)
      start(softmax_kernel<8, 8, 8, 16>, tsr::ceil_div(R, 16), dim3(8, 16), 0);
    else if (call.aligned(16, x, result) && C % 8 == 0 && C <= 1024)
      start(softmax_kernel<8, 8, 16, 8>, tsr::ceil_div(R, 8), dim3(16, 8), 0);
    else if (call.aligned(16, x, result) && C % 8 == 0 && C <= 2048)
      start(softmax_kernel<8, 8, 32, 4>, tsr::ceil_div(R, 4), dim3(32, 4), 0);
    else if (call.aligned(16, x, result) && C % 8 == 0 && C <= 4096)
      start(softmax_kernel<8, 8, 64, 1>, R, 64, 0);
    else if (call.aligned(16, x, result) && C % 8 == 0 && C <= 8192)
      start(softmax_kernel<8, 8, 128, 1>, R, 128, 0);
    else if (call.aligned(16, x, result) && C % 8 == 0 && C <= 16384)
      start(softmax_kernel<8, 8, 256, 1>, R, 256, 0);
    else if (call.aligned(16, x, result) && C % 8 == 0 && C <= 32768)
      start(softmax_kernel<8, 8, 512, 1>, R, 512, 0);
    else if (call.aligned(16, x, result) && C % 8 == 0)
      start(softmax_kernel<8, -6, 1024, 1>, R, 1024, 16384 *
      tsr::min<int64_t>(tsr::ceil_div(C, 8192), 6));
    else if (C <= 384)
      start(softmax_kernel<1, 12, 32, 8>, tsr::ceil_div(R, 8), dim3(32, 8), 0);
    else if (C <= 3072)
      start(softmax_kernel<1, 12, 256, 1>, R, 256, 0);
    else
      start(softmax_kernel<1, 0, 256, 1>, R, 256, 0);
  }
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

  {
    const auto start = [&](auto *kernel, int64_t count, dim3 block, int64_t shared_bytes) {
      call.allow_shared(kernel, shared_bytes);
      if (const unsigned groups = call.groups(count))
        kernel<<<groups, block, shared_bytes, call.stream()>>>(call.data<const float>(scores),
            call.data<float>(result), B, H, S);
    };
    if (call.aligned(16, scores, result) && S % 4 == 0 && S <= 256)
      start(attention_weights_kernel<4, 8, 8, 16, 0>, tsr::ceil_div(B * H * S, 16), dim3(8, 16), 0);
    else if (call.aligned(16, scores, result) && S % 4 == 0 && S <= 512)
      start(attention_weights_kernel<4, 8, 16, 8, 0>, tsr::ceil_div(B * H * S, 8), dim3(16, 8), 0);
    else if (call.aligned(16, scores, result) && S % 4 == 0 && S <= 1024)
      start(attention_weights_kernel<4, 8, 32, 4, 0>, tsr::ceil_div(B * H * S, 4), dim3(32, 4), 0);
    else if (call.aligned(16, scores, result) && S % 4 == 0 && S <= 4096)
      start(attention_weights_kernel<4, 8, 128, 1, 0>, B * H * S, 128, 0);
    else if (call.aligned(16, scores, result) && S % 4 == 0 && S <= 8192)
      start(attention_weights_kernel<4, 8, 256, 1, 0>, B * H * S, 256, 0);
    else if (call.aligned(16, scores, result) && S % 4 == 0 && S <= 16384)
      start(attention_weights_kernel<4, 8, 512, 1, 0>, B * H * S, 512, 0);
    else if (call.aligned(16, scores, result) && S % 4 == 0 && S <= 32768)
      start(attention_weights_kernel<4, 8, 1024, 1, 0>, B * H * S, 1024, 0);
    else if (call.aligned(16, scores, result) && S % 4 == 0)
      start(attention_weights_kernel<4, -6, 1024, 1, 0>, B * H * S, 1024, 16384 *
      tsr::min<int64_t>(tsr::ceil_div(S, 4096), 6));
    else if (call.aligned(16, scores, result) && B * H * S * S % 4 == 0 && S <= 157)
      start(attention_weights_kernel<4, 5, 8, 16, 1>, tsr::ceil_div(B * H * S, 16), dim3(8, 16), 0);
    else if (call.aligned(16, scores, result) && B * H * S * S % 4 == 0 && S <= 637)
      start(attention_weights_kernel<4, 5, 32, 4, 1>, tsr::ceil_div(B * H * S, 4), dim3(32, 4), 0);
    else if (call.aligned(16, scores, result) && B * H * S * S % 4 == 0 && S <= 2557)
      start(attention_weights_kernel<4, 5, 128, 1, 1>, B * H * S, 128, 0);
    else if (call.aligned(16, scores, result) && B * H * S * S % 4 == 0 && S <= 5117)
      start(attention_weights_kernel<4, 5, 256, 1, 1>, B * H * S, 256, 0);
    else if (call.aligned(16, scores, result) && B * H * S * S % 4 == 0 && S <= 10237)
      start(attention_weights_kernel<4, 5, 512, 1, 1>, B * H * S, 512, 0);
    else if (call.aligned(16, scores, result) && B * H * S * S % 4 == 0 && S <= 20477)
      start(attention_weights_kernel<4, 5, 1024, 1, 1>, B * H * S, 1024, 0);
    else if (call.aligned(16, scores, result) && B * H * S * S % 4 == 0)
      start(attention_weights_kernel<4, -6, 1024, 1, 1>, B * H * S, 1024, 16384 *
      tsr::min<int64_t>(tsr::ceil_div(S + 3, 4096), 6));
    else if (S <= 384)
      start(attention_weights_kernel<1, 12, 32, 8, 0>, tsr::ceil_div(B * H * S, 8), dim3(32, 8), 0);
    else if (S <= 3072)
      start(attention_weights_kernel<1, 12, 256, 1, 0>, B * H * S, 256, 0);
    else
      start(attention_weights_kernel<1, 0, 256, 1, 0>, B * H * S, 256, 0);
  }
  return call.finish();
}
extern "C" TessStatus attention_weights_call(const TessValue *args, int32_t count,
                                             TessStream stream) {
  return tsr::call_with(attention_weights, "attention_weights", args, count, stream);
}
