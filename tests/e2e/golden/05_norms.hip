// HIP for 05_norms.tsr, compiled by tesserac. Edit the program, not this file.
// Functions: layer_norm, rms_norm (declared in 05_norms.h).
#include "tessera/device/dtype.h"
#include "tessera/device/edges.h"
#include "tessera/device/math.h"
#include "tessera/device/reduce.h"
#include "tessera/device/vector.h"
#include "tessera/entry.h"
TESS_SET(0000000000000000)  // the headers and the manifest of this compile have the same number

// def layer_norm[D](x: Tensor["B", "S", D, f32], gamma: Tensor[D, f32], beta: Tensor[D, f32]) ->
//   Tensor["B", "S", D, f32]
//   schedule  256 threads a group
//   one group a row
//   rows: a lane holds its vectors of the row, Held of them, in registers, or -Held in shared
//     memory: that much of the row is read once
template <int Vector, int Held, int Threads, int Rows, int Edges>
static __global__ void __launch_bounds__(Threads * Rows)
layer_norm_kernel(const float *__restrict__ x, const float *__restrict__ gamma,
                  const float *__restrict__ beta, float *__restrict__ result, int64_t B, int64_t S,
                  int64_t D) {
  __shared__ float scratch[tsr::group_reduce_scratch(Threads)];  // 05_norms.tsr:5
  const int64_t group = int64_t(blockIdx.x) * Rows + (Rows > 1 ? int64_t(threadIdx.y) : 0);
  if (group < B * S) {
    const int64_t b0 = group / S;
    const int64_t s0 = group % S;
    // :1
    const tsr::HeldRow<float, Vector, Held, Threads, 0, Edges> x_row(x + (b0 * S + s0) * D, D);
    const int64_t before = (b0 * S + s0) * D % Vector * Edges;  // :3
    float lane_sum = 0.0f;
    #pragma unroll Held > 0 ? Held : 4
    for (int64_t k = 0; k < tsr::row_turns<Vector, Held, Threads>(D + before); ++k) {
      const int64_t c = (k * Threads + int64_t(threadIdx.x)) * Vector - before;
      if (c < D) {
        const tsr::Inside<Edges, Vector> inside(c, D);
        const tsr::Vector<float, Vector> x_vector = x_row(k);  // :1
        #pragma unroll
        for (int64_t v = 0; v < Vector; ++v) {  // :3
          if (inside(v)) {
            lane_sum += x_vector(v);
          }
        }
      }
    }
    const float sum = tsr::group_reduce<tsr::Sum, Threads>(lane_sum, scratch);
    const float mean = sum / float(D);
    float lane_sum_2 = 0.0f;  // :4
    #pragma unroll Held > 0 ? Held : 4
    for (int64_t k = 0; k < tsr::row_turns<Vector, Held, Threads>(D + before); ++k) {
      const int64_t c = (k * Threads + int64_t(threadIdx.x)) * Vector - before;
      if (c < D) {
        const tsr::Inside<Edges, Vector> inside(c, D);
        const tsr::Vector<float, Vector> x_vector = x_row(k);  // :1
        #pragma unroll
        for (int64_t v = 0; v < Vector; ++v) {  // :4
          if (inside(v)) {
            const float centred = x_vector(v) - mean;
            lane_sum_2 += centred * centred;
          }
        }
      }
    }
    const float sum_2 = tsr::group_reduce<tsr::Sum, Threads>(lane_sum_2, scratch);
    const float var = sum_2 / float(D);
    const float var_sqrt = tsr::sqrt(var + 1e-05f);  // :5
    #pragma unroll Held > 0 ? Held : 4
    for (int64_t k = 0; k < tsr::row_turns<Vector, Held, Threads>(D + before); ++k) {
      const int64_t c = (k * Threads + int64_t(threadIdx.x)) * Vector - before;
      if (c < D) {
        const tsr::Inside<Edges, Vector> inside(c, D);
        tsr::Vector<float, Vector> result_vector;
        const tsr::Vector<float, Vector> x_vector = x_row(k);  // :1
        const tsr::Vector<float, Vector> gamma_vector = tsr::load_vector<Vector>(gamma + c, inside);
        const tsr::Vector<float, Vector> beta_vector = tsr::load_vector<Vector>(beta + c, inside);
        #pragma unroll
        for (int64_t v = 0; v < Vector; ++v) {  // :5
          const float centred = x_vector(v) - mean;  // :4
          result_vector(v) = centred / var_sqrt * gamma_vector(v) + beta_vector(v);  // :5
        }
        tsr::store_vector(result, (b0 * S + s0) * D + c, result_vector, inside);
      }
    }
  }
}

// def rms_norm[D](x: Tensor["B", "S", D, bf16 @accum(f32)], w: Tensor[D, bf16]) -> Tensor["B", "S",
//   D, bf16]
//   schedule  256 threads a group
//   one group a row
//   rows: a lane holds its vectors of the row, Held of them, in registers, or -Held in shared
//     memory: that much of the row is read once
template <int Vector, int Held, int Threads, int Rows, int Edges>
static __global__ void __launch_bounds__(Threads * Rows)
rms_norm_kernel(const tsr::bf16 *__restrict__ x, const tsr::bf16 *__restrict__ w,
                tsr::bf16 *__restrict__ result, int64_t B, int64_t S, int64_t D) {
  __shared__ float scratch[tsr::group_reduce_scratch(Threads)];  // 05_norms.tsr:8
  const int64_t group = int64_t(blockIdx.x) * Rows + (Rows > 1 ? int64_t(threadIdx.y) : 0);
  if (group < B * S) {
    const int64_t b0 = group / S;
    const int64_t s0 = group % S;
    // :7
    const tsr::HeldRow<tsr::bf16, Vector, Held, Threads, 0, Edges> x_row(x + (b0 * S + s0) * D, D);
    const int64_t before = (b0 * S + s0) * D % Vector * Edges;  // :8
    float lane_max = -INFINITY;
    #pragma unroll Held > 0 ? Held : 4
    for (int64_t k = 0; k < tsr::row_turns<Vector, Held, Threads>(D + before); ++k) {
      const int64_t c = (k * Threads + int64_t(threadIdx.x)) * Vector - before;
      if (c < D) {
        const tsr::Inside<Edges, Vector> inside(c, D);
        const tsr::Vector<tsr::bf16, Vector> x_vector = x_row(k);  // :7
        #pragma unroll
        for (int64_t v = 0; v < Vector; ++v) {  // :8
          if (inside(v)) {
            lane_max = tsr::max(lane_max, tsr::abs(tsr::to<float>(x_vector(v))));
          }
        }
      }
    }
    const float max = tsr::group_reduce<tsr::Max, Threads>(lane_max, scratch);
    const float scale = 1.0f / tsr::max(max, 0.001f);
    float lane_sum = 0.0f;
    #pragma unroll Held > 0 ? Held : 4
    for (int64_t k = 0; k < tsr::row_turns<Vector, Held, Threads>(D + before); ++k) {
      const int64_t c = (k * Threads + int64_t(threadIdx.x)) * Vector - before;
      if (c < D) {
        const tsr::Inside<Edges, Vector> inside(c, D);
        const tsr::Vector<tsr::bf16, Vector> x_vector = x_row(k);  // :7
        #pragma unroll
        for (int64_t v = 0; v < Vector; ++v) {  // :8
          if (inside(v)) {
            const float y = tsr::to<float>(x_vector(v)) * scale;
            lane_sum = tsr::fma(y, y, lane_sum);
          }
        }
      }
    }
    const float sum = tsr::group_reduce<tsr::Sum, Threads>(lane_sum, scratch);
    const float root = 0.001f * scale;
    const float rsqrt_value = tsr::rsqrt(sum / float(D) + root * root);
    #pragma unroll Held > 0 ? Held : 4
    for (int64_t k = 0; k < tsr::row_turns<Vector, Held, Threads>(D + before); ++k) {
      const int64_t c = (k * Threads + int64_t(threadIdx.x)) * Vector - before;
      if (c < D) {
        const tsr::Inside<Edges, Vector> inside(c, D);
        tsr::Vector<float, Vector> result_vector;
        const tsr::Vector<tsr::bf16, Vector> x_vector = x_row(k);  // :7
        const tsr::Vector<tsr::bf16, Vector> w_vector = tsr::load_vector<Vector>(w + c, inside);
        #pragma unroll
        for (int64_t v = 0; v < Vector; ++v) {  // :8
          const float y = tsr::to<float>(x_vector(v)) * scale;
          result_vector(v) = y * rsqrt_value * tsr::to<float>(w_vector(v));
        }
        tsr::store_vector(result, (b0 * S + s0) * D + c, result_vector, inside);
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

  {
    const auto start = [&](auto *kernel, int64_t count, dim3 block, int64_t shared_bytes) {
      call.allow_shared(kernel, shared_bytes);
      if (const unsigned groups = call.groups(count))
        hipLaunchKernelGGL(kernel, dim3(groups), dim3(block), shared_bytes, call.stream(),
            call.data<const float>(x), call.data<const float>(gamma), call.data<const float>(beta),
            call.data<float>(result), B, S, D);
    };
    if (call.aligned(16, x, gamma, beta, result) && D % 4 == 0 && D <= 256)
      start(layer_norm_kernel<4, 8, 8, 16, 0>, tsr::ceil_div(B * S, 16), dim3(8, 16), 0);
    else if (call.aligned(16, x, gamma, beta, result) && D % 4 == 0 && D <= 512)
      start(layer_norm_kernel<4, 8, 16, 8, 0>, tsr::ceil_div(B * S, 8), dim3(16, 8), 0);
    else if (call.aligned(16, x, gamma, beta, result) && D % 4 == 0 && D <= 1024)
      start(layer_norm_kernel<4, 8, 32, 4, 0>, tsr::ceil_div(B * S, 4), dim3(32, 4), 0);
    else if (call.aligned(16, x, gamma, beta, result) && D % 4 == 0 && D <= 4096)
      start(layer_norm_kernel<4, 8, 128, 1, 0>, B * S, 128, 0);
    else if (call.aligned(16, x, gamma, beta, result) && D % 4 == 0 && D <= 8192)
      start(layer_norm_kernel<4, 8, 256, 1, 0>, B * S, 256, 0);
    else if (call.aligned(16, x, gamma, beta, result) && D % 4 == 0 && D <= 16384)
      start(layer_norm_kernel<4, 8, 512, 1, 0>, B * S, 512, 0);
    else if (call.aligned(16, x, gamma, beta, result) && D % 4 == 0 && D <= 32768)
      start(layer_norm_kernel<4, 8, 1024, 1, 0>, B * S, 1024, 0);
    else if (call.aligned(16, x, gamma, beta, result) && D % 4 == 0)
      start(layer_norm_kernel<4, -3, 1024, 1, 0>, B * S, 1024, 16384 *
      tsr::min<int64_t>(tsr::ceil_div(D, 4096), 3));
    else if (call.aligned(16, x, gamma, beta, result) && B * D * S % 4 == 0 && D <= 157)
      start(layer_norm_kernel<4, 5, 8, 16, 1>, tsr::ceil_div(B * S, 16), dim3(8, 16), 0);
    else if (call.aligned(16, x, gamma, beta, result) && B * D * S % 4 == 0 && D <= 637)
      start(layer_norm_kernel<4, 5, 32, 4, 1>, tsr::ceil_div(B * S, 4), dim3(32, 4), 0);
    else if (call.aligned(16, x, gamma, beta, result) && B * D * S % 4 == 0 && D <= 2557)
      start(layer_norm_kernel<4, 5, 128, 1, 1>, B * S, 128, 0);
    else if (call.aligned(16, x, gamma, beta, result) && B * D * S % 4 == 0 && D <= 5117)
      start(layer_norm_kernel<4, 5, 256, 1, 1>, B * S, 256, 0);
    else if (call.aligned(16, x, gamma, beta, result) && B * D * S % 4 == 0 && D <= 10237)
      start(layer_norm_kernel<4, 5, 512, 1, 1>, B * S, 512, 0);
    else if (call.aligned(16, x, gamma, beta, result) && B * D * S % 4 == 0 && D <= 20477)
      start(layer_norm_kernel<4, 5, 1024, 1, 1>, B * S, 1024, 0);
    else if (call.aligned(16, x, gamma, beta, result) && B * D * S % 4 == 0)
      start(layer_norm_kernel<4, -3, 1024, 1, 1>, B * S, 1024, 16384 *
      tsr::min<int64_t>(tsr::ceil_div(D + 3, 4096), 3));
    else if (D <= 384)
      start(layer_norm_kernel<1, 12, 32, 8, 0>, tsr::ceil_div(B * S, 8), dim3(32, 8), 0);
    else if (D <= 3072)
      start(layer_norm_kernel<1, 12, 256, 1, 0>, B * S, 256, 0);
    else
      start(layer_norm_kernel<1, 0, 256, 1, 0>, B * S, 256, 0);
  }
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

  {
    const auto start = [&](auto *kernel, int64_t count, dim3 block, int64_t shared_bytes) {
      call.allow_shared(kernel, shared_bytes);
      if (const unsigned groups = call.groups(count))
        hipLaunchKernelGGL(kernel, dim3(groups), dim3(block), shared_bytes, call.stream(),
            call.data<const tsr::bf16>(x), call.data<const tsr::bf16>(w),
            call.data<tsr::bf16>(result), B, S, D);
    };
    if (call.aligned(16, x, w, result) && D % 8 == 0 && D <= 256)
      start(rms_norm_kernel<8, 4, 8, 16, 0>, tsr::ceil_div(B * S, 16), dim3(8, 16), 0);
    else if (call.aligned(16, x, w, result) && D % 8 == 0 && D <= 512)
      start(rms_norm_kernel<8, 8, 8, 16, 0>, tsr::ceil_div(B * S, 16), dim3(8, 16), 0);
    else if (call.aligned(16, x, w, result) && D % 8 == 0 && D <= 1024)
      start(rms_norm_kernel<8, 8, 16, 8, 0>, tsr::ceil_div(B * S, 8), dim3(16, 8), 0);
    else if (call.aligned(16, x, w, result) && D % 8 == 0 && D <= 2048)
      start(rms_norm_kernel<8, 8, 32, 4, 0>, tsr::ceil_div(B * S, 4), dim3(32, 4), 0);
    else if (call.aligned(16, x, w, result) && D % 8 == 0 && D <= 4096)
      start(rms_norm_kernel<8, 8, 64, 1, 0>, B * S, 64, 0);
    else if (call.aligned(16, x, w, result) && D % 8 == 0 && D <= 8192)
      start(rms_norm_kernel<8, 8, 128, 1, 0>, B * S, 128, 0);
    else if (call.aligned(16, x, w, result) && D % 8 == 0 && D <= 16384)
      start(rms_norm_kernel<8, 8, 256, 1, 0>, B * S, 256, 0);
    else if (call.aligned(16, x, w, result) && D % 8 == 0 && D <= 32768)
      start(rms_norm_kernel<8, 8, 512, 1, 0>, B * S, 512, 0);
    else if (call.aligned(16, x, w, result) && D % 8 == 0)
      start(rms_norm_kernel<8, -3, 1024, 1, 0>, B * S, 1024, 16384 *
      tsr::min<int64_t>(tsr::ceil_div(D, 8192), 3));
    else if (call.aligned(16, x, w, result) && B * D * S % 8 == 0 && D <= 313)
      start(rms_norm_kernel<8, 5, 8, 16, 1>, tsr::ceil_div(B * S, 16), dim3(8, 16), 0);
    else if (call.aligned(16, x, w, result) && B * D * S % 8 == 0 && D <= 1273)
      start(rms_norm_kernel<8, 5, 32, 4, 1>, tsr::ceil_div(B * S, 4), dim3(32, 4), 0);
    else if (call.aligned(16, x, w, result) && B * D * S % 8 == 0 && D <= 5113)
      start(rms_norm_kernel<8, 5, 128, 1, 1>, B * S, 128, 0);
    else if (call.aligned(16, x, w, result) && B * D * S % 8 == 0 && D <= 10233)
      start(rms_norm_kernel<8, 5, 256, 1, 1>, B * S, 256, 0);
    else if (call.aligned(16, x, w, result) && B * D * S % 8 == 0 && D <= 20473)
      start(rms_norm_kernel<8, 5, 512, 1, 1>, B * S, 512, 0);
    else if (call.aligned(16, x, w, result) && B * D * S % 8 == 0)
      start(rms_norm_kernel<8, -3, 1024, 1, 1>, B * S, 1024, 16384 *
      tsr::min<int64_t>(tsr::ceil_div(D + 7, 8192), 3));
    else if (D <= 384)
      start(rms_norm_kernel<1, 12, 32, 8, 0>, tsr::ceil_div(B * S, 8), dim3(32, 8), 0);
    else if (D <= 3072)
      start(rms_norm_kernel<1, 12, 256, 1, 0>, B * S, 256, 0);
    else
      start(rms_norm_kernel<1, 0, 256, 1, 0>, B * S, 256, 0);
  }
  return call.finish();
}
extern "C" TessStatus rms_norm_call(const TessValue *args, int32_t count, TessStream stream) {
  return tsr::call_with(rms_norm, "rms_norm", args, count, stream);
}
