// CUDA for 05_norms.tsr, compiled by tesserac. Edit the program, not this file.
// Functions: layer_norm, rms_norm (declared in 05_norms.h).
#include "tessera/device/cuda/cluster_rows.h"
#include "tessera/device/dtype.h"
#include "tessera/device/edges.h"
#include "tessera/device/math.h"
#include "tessera/device/vector.h"
#include "tessera/entry.h"
TESS_SET(0000000000000000)  // the headers and the manifest of this compile have the same number

// def layer_norm[D](x: Tensor["B", "S", D, f32], gamma: Tensor[D, f32], beta: Tensor[D, f32]) ->
//   Tensor["B", "S", D, f32]
//   schedule  256 threads a group
//   one group a row
//   rows: a lane holds its vectors of the row, Held of them, in registers, or -Held in shared
//     memory: that much of the row is read once; with kInShared in that of Cluster groups, which
//     share the row
template <int Vector, int Held, int Threads, int Rows, int Edges, int Cluster>
static __global__ void __launch_bounds__(
    Threads * Rows / Cluster,
    (Cluster > 1 && Edges == 0 ? 1536 : 1024) / (Threads * Rows / Cluster))
layer_norm_kernel(const float *__restrict__ x, const float *__restrict__ gamma,
                  const float *__restrict__ beta, float *__restrict__ result, int64_t B, int64_t S,
                  int64_t D) {
  __shared__ tsr::Meeting<float, 1, Threads, Cluster> meeting;  // 05_norms.tsr:5
  meeting.prepare();
  __shared__ tsr::Meeting<float, 1, Threads, Cluster> meeting_2;
  meeting_2.prepare();
  const tsr::RowTurn<Edges, Cluster> lane = tsr::row_lane<Cluster>();
  const int64_t group = int64_t(blockIdx.x) / Cluster * Rows +
      (Rows > 1 ? int64_t(threadIdx.y) : 0);
  if (group < B * S) {
    const int64_t b0 = group / S;
    const int64_t s0 = group % S;
    const tsr::HeldRow<float, Vector, Held, Threads, 0, Edges, Cluster> x_row(x + (b0 * S + s0) * D,
        D);  // :1
    const int64_t before = (b0 * S + s0) * D % Vector * Edges;  // :3
    float lane_sum = 0.0f;
    #pragma unroll Held > 0 ? Held : 4
    for (tsr::RowTurn<Edges, Cluster> k = 0; k <
        tsr::row_turns<Vector, Held, Threads, tsr::RowTurn<Edges, Cluster>>(D + before); ++k) {
      const int64_t c = (k * Threads + lane) * Vector - before;
      if (c < D) {
        const tsr::VectorAt<Edges, Vector> at(c, D);
        tsr::with_edges<Cluster>(at, [&](const auto &inside) {
          const tsr::Vector<float, Vector> x_vector = x_row(k);  // :1
          #pragma unroll
          for (int64_t v = 0; v < Vector; ++v) {  // :3
            if (inside(v)) {
              lane_sum += x_vector(v);
            }
          }
        });
      }
    }
    float sum = lane_sum;
    tsr::cluster_reduce<Threads, Cluster, tsr::Sum>(meeting, sum);
    const float mean = tsr::div_by(sum, float(D));
    float lane_sum_2 = 0.0f;  // :4
    #pragma unroll Held > 0 ? Held : 4
    for (tsr::RowTurn<Edges, Cluster> k = 0; k <
        tsr::row_turns<Vector, Held, Threads, tsr::RowTurn<Edges, Cluster>>(D + before); ++k) {
      const int64_t c = (k * Threads + lane) * Vector - before;
      if (c < D) {
        const tsr::VectorAt<Edges, Vector> at(c, D);
        tsr::with_edges<Cluster>(at, [&](const auto &inside) {
          const tsr::Vector<float, Vector> x_vector = x_row(k);  // :1
          #pragma unroll
          for (int64_t v = 0; v < Vector; ++v) {  // :4
            if (inside(v)) {
              const float centred = x_vector(v) - mean;
              lane_sum_2 += centred * centred;
            }
          }
        });
      }
    }
    float sum_2 = lane_sum_2;
    tsr::cluster_reduce<Threads, Cluster, tsr::Sum>(meeting_2, sum_2);
    const float var = tsr::div_by(sum_2, float(D));
    const float var_sqrt = tsr::sqrt(var + 1e-05f);  // :5
    #pragma unroll Held > 0 ? Held : 4
    for (tsr::RowTurn<Edges, Cluster> k = 0; k <
        tsr::row_turns<Vector, Held, Threads, tsr::RowTurn<Edges, Cluster>>(D + before); ++k) {
      const int64_t c = (k * Threads + lane) * Vector - before;
      if (c < D) {
        const tsr::VectorAt<Edges, Vector> at(c, D);
        tsr::with_edges<Cluster>(at, [&](const auto &inside) {
          tsr::Vector<float, Vector> result_vector;
          const tsr::Vector<float, Vector> x_vector = x_row(k);  // :1
          const tsr::Vector<float, Vector> gamma_vector = tsr::load_vector<Vector>(gamma + c,
              inside);
          const tsr::Vector<float, Vector> beta_vector = tsr::load_vector<Vector>(beta + c, inside);
          #pragma unroll
          for (int64_t v = 0; v < Vector; ++v) {  // :5
            const float centred = x_vector(v) - mean;  // :4
            result_vector(v) = centred / var_sqrt * gamma_vector(v) + beta_vector(v);  // :5
          }
          tsr::store_vector(result, (b0 * S + s0) * D + c, result_vector, inside);
        });
      }
    }
  }
}

// def rms_norm[D](x: Tensor["B", "S", D, bf16 @accum(f32)], w: Tensor[D, bf16]) -> Tensor["B", "S",
//   D, bf16]
//   schedule  256 threads a group
//   one group a row
//   rows: a lane holds its vectors of the row, Held of them, in registers, or -Held in shared
//     memory: that much of the row is read once; with kInShared in that of Cluster groups, which
//     share the row
template <int Vector, int Held, int Threads, int Rows, int Edges, int Cluster>
static __global__ void __launch_bounds__(
    Threads * Rows / Cluster,
    (Cluster > 1 && Edges == 0 ? 1536 : 1024) / (Threads * Rows / Cluster))
rms_norm_kernel(const tsr::bf16 *__restrict__ x, const tsr::bf16 *__restrict__ w,
                tsr::bf16 *__restrict__ result, int64_t B, int64_t S, int64_t D) {
  __shared__ tsr::Meeting<float, 1, Threads, Cluster> meeting;  // 05_norms.tsr:8
  meeting.prepare();
  __shared__ tsr::Meeting<float, 1, Threads, Cluster> meeting_2;
  meeting_2.prepare();
  const tsr::RowTurn<Edges, Cluster> lane = tsr::row_lane<Cluster>();
  const int64_t group = int64_t(blockIdx.x) / Cluster * Rows +
      (Rows > 1 ? int64_t(threadIdx.y) : 0);
  if (group < B * S) {
    const int64_t b0 = group / S;
    const int64_t s0 = group % S;
    const tsr::HeldRow<tsr::bf16, Vector, Held, Threads, 0, Edges, Cluster> x_row(x +  // :7
        (b0 * S + s0) * D, D);
    const int64_t before = (b0 * S + s0) * D % Vector * Edges;  // :8
    float lane_max = -INFINITY;
    #pragma unroll Held > 0 ? Held : 4
    for (tsr::RowTurn<Edges, Cluster> k = 0; k <
        tsr::row_turns<Vector, Held, Threads, tsr::RowTurn<Edges, Cluster>>(D + before); ++k) {
      const int64_t c = (k * Threads + lane) * Vector - before;
      if (c < D) {
        const tsr::VectorAt<Edges, Vector> at(c, D);
        tsr::with_edges<Cluster>(at, [&](const auto &inside) {
          const tsr::Vector<tsr::bf16, Vector> x_vector = x_row(k);  // :7
          #pragma unroll
          for (int64_t v = 0; v < Vector; ++v) {  // :8
            if (inside(v)) {
              lane_max = tsr::max(lane_max, tsr::abs(tsr::to<float>(x_vector(v))));
            }
          }
        });
      }
    }
    float max = lane_max;
    tsr::cluster_reduce<Threads, Cluster, tsr::Max>(meeting, max);
    const float scale = 1.0f / tsr::max(max, 0.001f);
    float lane_sum = 0.0f;
    #pragma unroll Held > 0 ? Held : 4
    for (tsr::RowTurn<Edges, Cluster> k = 0; k <
        tsr::row_turns<Vector, Held, Threads, tsr::RowTurn<Edges, Cluster>>(D + before); ++k) {
      const int64_t c = (k * Threads + lane) * Vector - before;
      if (c < D) {
        const tsr::VectorAt<Edges, Vector> at(c, D);
        tsr::with_edges<Cluster>(at, [&](const auto &inside) {
          const tsr::Vector<tsr::bf16, Vector> x_vector = x_row(k);  // :7
          #pragma unroll
          for (int64_t v = 0; v < Vector; ++v) {  // :8
            if (inside(v)) {
              const float y = tsr::to<float>(x_vector(v)) * scale;
              lane_sum = tsr::fma(y, y, lane_sum);
            }
          }
        });
      }
    }
    float sum = lane_sum;
    tsr::cluster_reduce<Threads, Cluster, tsr::Sum>(meeting_2, sum);
    const float root = 0.001f * scale;
    const float rsqrt_value = tsr::rsqrt(tsr::div_by(sum, float(D)) + root * root);
    #pragma unroll Held > 0 ? Held : 4
    for (tsr::RowTurn<Edges, Cluster> k = 0; k <
        tsr::row_turns<Vector, Held, Threads, tsr::RowTurn<Edges, Cluster>>(D + before); ++k) {
      const int64_t c = (k * Threads + lane) * Vector - before;
      if (c < D) {
        const tsr::VectorAt<Edges, Vector> at(c, D);
        tsr::with_edges<Cluster>(at, [&](const auto &inside) {
          tsr::Vector<float, Vector> result_vector;
          const tsr::Vector<tsr::bf16, Vector> x_vector = x_row(k);  // :7
          const tsr::Vector<tsr::bf16, Vector> w_vector = tsr::load_vector<Vector>(w + c, inside);
          #pragma unroll
          for (int64_t v = 0; v < Vector; ++v) {  // :8
            const float y = tsr::to<float>(x_vector(v)) * scale;
            result_vector(v) = y * rsqrt_value * tsr::to<float>(w_vector(v));
          }
          tsr::store_vector(result, (b0 * S + s0) * D + c, result_vector, inside);
        });
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
    const auto start = [&](auto *kernel, int64_t count, dim3 block, int64_t shared_bytes,
                           unsigned cluster = 1) {
      call.allow_shared(kernel, shared_bytes);
      if (const unsigned groups = call.groups(count))
        call.start(kernel, tsr::Clusters{groups, cluster}, block, shared_bytes,
            call.data<const float>(x), call.data<const float>(gamma), call.data<const float>(beta),
            call.data<float>(result), B, S, D);
    };
    if (call.aligned(16, x, gamma, beta, result) && D % 4 == 0 && D <= 256)
      start(layer_norm_kernel<4, 8, 8, 16, 0, 1>, tsr::ceil_div(B * S, 16), dim3(8, 16), 0);
    else if (call.aligned(16, x, gamma, beta, result) && D % 4 == 0 && D <= 512)
      start(layer_norm_kernel<4, 8, 16, 8, 0, 1>, tsr::ceil_div(B * S, 8), dim3(16, 8), 0);
    else if (call.aligned(16, x, gamma, beta, result) && D % 4 == 0 && D <= 1024)
      start(layer_norm_kernel<4, 8, 32, 4, 0, 1>, tsr::ceil_div(B * S, 4), dim3(32, 4), 0);
    else if (call.aligned(16, x, gamma, beta, result) && D % 4 == 0 && D <= 4096)
      start(layer_norm_kernel<4, 8, 128, 1, 0, 1>, B * S, 128, 0);
    else if (call.aligned(16, x, gamma, beta, result) && D % 4 == 0 && D <= 8192)
      start(layer_norm_kernel<4, 8, 256, 1, 0, 1>, B * S, 256, 0);
    else if (call.aligned(16, x, gamma, beta, result) && D % 4 == 0 && D <= 16384)
      start(layer_norm_kernel<4, 8, 512, 1, 0, 1>, B * S, 512, 0);
    else if (call.aligned(16, x, gamma, beta, result) && D % 4 == 0 && D <= 32768)
      start(layer_norm_kernel<4, 8, 1024, 1, 0, 1>, B * S, 1024, 0);
    else if (call.aligned(16, x, gamma, beta, result) && D % 4 == 0 && D <= 53248)
      start(layer_norm_kernel<4, tsr::kInShared, 1024, 1, 0, 4>, 4 * B * S, 256, 4096 *
      tsr::min<int64_t>(tsr::ceil_div(D, 4096), 13), 4);
    else if (call.aligned(16, x, gamma, beta, result) && D % 4 == 0 && D <= 106496)
      start(layer_norm_kernel<4, tsr::kInShared, 2048, 1, 0, 8>, 8 * B * S, 256, 4096 *
      tsr::min<int64_t>(tsr::ceil_div(D, 8192), 13), 8);
    else if (call.aligned(16, x, gamma, beta, result) && D % 4 == 0 && D <= 458752)
      start(layer_norm_kernel<4, tsr::kInShared, 4096, 1, 0, 8>, 8 * B * S, 512, 8192 *
      tsr::min<int64_t>(tsr::ceil_div(D, 16384), 28), 8);
    else if (call.aligned(16, x, gamma, beta, result) && D % 4 == 0)
      start(layer_norm_kernel<4, -14, 1024, 1, 0, 1>, B * S, 1024, 16384 *
      tsr::min<int64_t>(tsr::ceil_div(D, 4096), 14));
    else if (call.aligned(16, x, gamma, beta, result) && B * D * S % 4 == 0 && D <= 157)
      start(layer_norm_kernel<4, 5, 8, 16, 1, 1>, tsr::ceil_div(B * S, 16), dim3(8, 16), 0);
    else if (call.aligned(16, x, gamma, beta, result) && B * D * S % 4 == 0 && D <= 637)
      start(layer_norm_kernel<4, 5, 32, 4, 1, 1>, tsr::ceil_div(B * S, 4), dim3(32, 4), 0);
    else if (call.aligned(16, x, gamma, beta, result) && B * D * S % 4 == 0 && D <= 2557)
      start(layer_norm_kernel<4, 5, 128, 1, 1, 1>, B * S, 128, 0);
    else if (call.aligned(16, x, gamma, beta, result) && B * D * S % 4 == 0 && D <= 5117)
      start(layer_norm_kernel<4, 5, 256, 1, 1, 1>, B * S, 256, 0);
    else if (call.aligned(16, x, gamma, beta, result) && B * D * S % 4 == 0 && D <= 10237)
      start(layer_norm_kernel<4, 5, 512, 1, 1, 1>, B * S, 512, 0);
    else if (call.aligned(16, x, gamma, beta, result) && B * D * S % 4 == 0 && D <= 20477)
      start(layer_norm_kernel<4, 5, 1024, 1, 1, 1>, B * S, 1024, 0);
    else if (call.aligned(16, x, gamma, beta, result) && B * D * S % 4 == 0 && D <= 53245)
      start(layer_norm_kernel<4, tsr::kInShared, 1024, 1, 1, 4>, 4 * B * S, 256, 4096 *
      tsr::min<int64_t>(tsr::ceil_div(D + 3, 4096), 13), 4);
    else if (call.aligned(16, x, gamma, beta, result) && B * D * S % 4 == 0 && D <= 458749)
      start(layer_norm_kernel<4, tsr::kInShared, 2048, 1, 1, 8>, 8 * B * S, 256, 4096 *
      tsr::min<int64_t>(tsr::ceil_div(D + 3, 8192), 56), 8);
    else if (call.aligned(16, x, gamma, beta, result) && B * D * S % 4 == 0)
      start(layer_norm_kernel<4, -14, 1024, 1, 1, 1>, B * S, 1024, 16384 *
      tsr::min<int64_t>(tsr::ceil_div(D + 3, 4096), 14));
    else if (D <= 384)
      start(layer_norm_kernel<1, 12, 32, 8, 0, 1>, tsr::ceil_div(B * S, 8), dim3(32, 8), 0);
    else if (D <= 3072)
      start(layer_norm_kernel<1, 12, 256, 1, 0, 1>, B * S, 256, 0);
    else
      start(layer_norm_kernel<1, 0, 256, 1, 0, 1>, B * S, 256, 0);
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
    const auto start = [&](auto *kernel, int64_t count, dim3 block, int64_t shared_bytes,
                           unsigned cluster = 1) {
      call.allow_shared(kernel, shared_bytes);
      if (const unsigned groups = call.groups(count))
        call.start(kernel, tsr::Clusters{groups, cluster}, block, shared_bytes,
            call.data<const tsr::bf16>(x), call.data<const tsr::bf16>(w),
            call.data<tsr::bf16>(result), B, S, D);
    };
    if (call.aligned(16, x, w, result) && D % 8 == 0 && D <= 256)
      start(rms_norm_kernel<8, 4, 8, 16, 0, 1>, tsr::ceil_div(B * S, 16), dim3(8, 16), 0);
    else if (call.aligned(16, x, w, result) && D % 8 == 0 && D <= 512)
      start(rms_norm_kernel<8, 8, 8, 16, 0, 1>, tsr::ceil_div(B * S, 16), dim3(8, 16), 0);
    else if (call.aligned(16, x, w, result) && D % 8 == 0 && D <= 1024)
      start(rms_norm_kernel<8, 8, 16, 8, 0, 1>, tsr::ceil_div(B * S, 8), dim3(16, 8), 0);
    else if (call.aligned(16, x, w, result) && D % 8 == 0 && D <= 2048)
      start(rms_norm_kernel<8, 8, 32, 4, 0, 1>, tsr::ceil_div(B * S, 4), dim3(32, 4), 0);
    else if (call.aligned(16, x, w, result) && D % 8 == 0 && D <= 4096)
      start(rms_norm_kernel<8, 8, 64, 1, 0, 1>, B * S, 64, 0);
    else if (call.aligned(16, x, w, result) && D % 8 == 0 && D <= 8192)
      start(rms_norm_kernel<8, 8, 128, 1, 0, 1>, B * S, 128, 0);
    else if (call.aligned(16, x, w, result) && D % 8 == 0 && D <= 16384)
      start(rms_norm_kernel<8, 8, 256, 1, 0, 1>, B * S, 256, 0);
    else if (call.aligned(16, x, w, result) && D % 8 == 0 && D <= 32768)
      start(rms_norm_kernel<8, 8, 512, 1, 0, 1>, B * S, 512, 0);
    else if (call.aligned(16, x, w, result) && D % 8 == 0 && D <= 106496)
      start(rms_norm_kernel<8, tsr::kInShared, 1024, 1, 0, 4>, 4 * B * S, 256, 4096 *
      tsr::min<int64_t>(tsr::ceil_div(D, 8192), 13), 4);
    else if (call.aligned(16, x, w, result) && D % 8 == 0 && D <= 212992)
      start(rms_norm_kernel<8, tsr::kInShared, 2048, 1, 0, 8>, 8 * B * S, 256, 4096 *
      tsr::min<int64_t>(tsr::ceil_div(D, 16384), 13), 8);
    else if (call.aligned(16, x, w, result) && D % 8 == 0 && D <= 917504)
      start(rms_norm_kernel<8, tsr::kInShared, 4096, 1, 0, 8>, 8 * B * S, 512, 8192 *
      tsr::min<int64_t>(tsr::ceil_div(D, 32768), 28), 8);
    else if (call.aligned(16, x, w, result) && D % 8 == 0)
      start(rms_norm_kernel<8, -14, 1024, 1, 0, 1>, B * S, 1024, 16384 *
      tsr::min<int64_t>(tsr::ceil_div(D, 8192), 14));
    else if (call.aligned(16, x, w, result) && B * D * S % 8 == 0 && D <= 313)
      start(rms_norm_kernel<8, 5, 8, 16, 1, 1>, tsr::ceil_div(B * S, 16), dim3(8, 16), 0);
    else if (call.aligned(16, x, w, result) && B * D * S % 8 == 0 && D <= 1273)
      start(rms_norm_kernel<8, 5, 32, 4, 1, 1>, tsr::ceil_div(B * S, 4), dim3(32, 4), 0);
    else if (call.aligned(16, x, w, result) && B * D * S % 8 == 0 && D <= 5113)
      start(rms_norm_kernel<8, 5, 128, 1, 1, 1>, B * S, 128, 0);
    else if (call.aligned(16, x, w, result) && B * D * S % 8 == 0 && D <= 10233)
      start(rms_norm_kernel<8, 5, 256, 1, 1, 1>, B * S, 256, 0);
    else if (call.aligned(16, x, w, result) && B * D * S % 8 == 0 && D <= 20473)
      start(rms_norm_kernel<8, 5, 512, 1, 1, 1>, B * S, 512, 0);
    else if (call.aligned(16, x, w, result) && B * D * S % 8 == 0 && D <= 106489)
      start(rms_norm_kernel<8, tsr::kInShared, 1024, 1, 1, 4>, 4 * B * S, 256, 4096 *
      tsr::min<int64_t>(tsr::ceil_div(D + 7, 8192), 13), 4);
    else if (call.aligned(16, x, w, result) && B * D * S % 8 == 0 && D <= 917497)
      start(rms_norm_kernel<8, tsr::kInShared, 2048, 1, 1, 8>, 8 * B * S, 256, 4096 *
      tsr::min<int64_t>(tsr::ceil_div(D + 7, 16384), 56), 8);
    else if (call.aligned(16, x, w, result) && B * D * S % 8 == 0)
      start(rms_norm_kernel<8, -14, 1024, 1, 1, 1>, B * S, 1024, 16384 *
      tsr::min<int64_t>(tsr::ceil_div(D + 7, 8192), 14));
    else if (D <= 384)
      start(rms_norm_kernel<1, 12, 32, 8, 0, 1>, tsr::ceil_div(B * S, 8), dim3(32, 8), 0);
    else if (D <= 3072)
      start(rms_norm_kernel<1, 12, 256, 1, 0, 1>, B * S, 256, 0);
    else
      start(rms_norm_kernel<1, 0, 256, 1, 0, 1>, B * S, 256, 0);
  }
  return call.finish();
}
extern "C" TessStatus rms_norm_call(const TessValue *args, int32_t count, TessStream stream) {
  return tsr::call_with(rms_norm, "rms_norm", args, count, stream);
}
