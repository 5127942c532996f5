// HIP for batches.tsr, compiled by tesserac. Edit the program, not this file.
// Functions: scores_B32_T16, scores_B32, scores (declared in batches.h).
#include "tessera/device/edges.h"
#include "tessera/device/math.h"
#include "tessera/device/reduce.h"
#include "tessera/device/vector.h"
#include "tessera/entry.h"
TESS_SET(0000000000000000)  // the headers and the manifest of this compile have the same number

// def scores[B, T](x: Tensor[B, T, f32], w: Tensor[T, f32]) -> Tensor[B, T, f32] where B in
//   1..=4096 # B = 32, T = 16
//   schedule  256 threads a group
//   one group a row
//   rows: a lane holds its vectors of the row, Held of them, in registers: the row is read once
template <int Vector, int Held, int Threads, int Rows>
static __global__ void __launch_bounds__(Threads * Rows)
scores_B32_T16_kernel(const float *__restrict__ x, const float *__restrict__ w,
                      float *__restrict__ result) {
  __shared__ float scratch[tsr::group_reduce_scratch(Threads)];  // batches.tsr:11
  const int64_t group = int64_t(blockIdx.x) * Rows + (Rows > 1 ? int64_t(threadIdx.y) : 0);
  if (group < 32) {
    const int64_t origin = group;
    const tsr::HeldRow<float, Vector, Held, Threads> x_row(x + origin * 16, 16);  // :9
    float lane_x_max = -INFINITY;  // :11
    #pragma unroll Held > 0 ? Held : 4
    for (int64_t k = 0; k < tsr::row_turns<Vector, Held, Threads>(16); ++k) {
      const int64_t c = (k * Threads + int64_t(threadIdx.x)) * Vector;
      if (c < 16) {
        const tsr::Vector<float, Vector> x_vector = x_row(k);  // :9
        const tsr::Vector<float, Vector> w_vector = tsr::load_vector<Vector>(w + c);
        #pragma unroll
        for (int64_t v = 0; v < Vector; ++v) {  // :11
          const float x0 = x_vector(v) * w_vector(v);
          lane_x_max = tsr::max(lane_x_max, x0);
        }
      }
    }
    const float x_max = tsr::group_reduce<tsr::Max, Threads>(lane_x_max, scratch);
    const float shift = x_max > -INFINITY ? x_max : 0.0f;
    float lane_e_sum = 0.0f;
    #pragma unroll Held > 0 ? Held : 4
    for (int64_t k = 0; k < tsr::row_turns<Vector, Held, Threads>(16); ++k) {
      const int64_t c = (k * Threads + int64_t(threadIdx.x)) * Vector;
      if (c < 16) {
        const tsr::Vector<float, Vector> x_vector = x_row(k);  // :9
        const tsr::Vector<float, Vector> w_vector = tsr::load_vector<Vector>(w + c);
        #pragma unroll
        for (int64_t v = 0; v < Vector; ++v) {  // :11
          const float x0 = x_vector(v) * w_vector(v);
          const float e = tsr::exp(x0 - shift);
          lane_e_sum += e;
        }
      }
    }
    const float e_sum = tsr::group_reduce<tsr::Sum, Threads>(lane_e_sum, scratch);
    const float e_sum_max = tsr::max(e_sum, 0.5f);
    #pragma unroll Held > 0 ? Held : 4
    for (int64_t k = 0; k < tsr::row_turns<Vector, Held, Threads>(16); ++k) {
      const int64_t c = (k * Threads + int64_t(threadIdx.x)) * Vector;
      if (c < 16) {
        tsr::Vector<float, Vector> result_vector;
        const tsr::Vector<float, Vector> x_vector = x_row(k);  // :9
        const tsr::Vector<float, Vector> w_vector = tsr::load_vector<Vector>(w + c);
        #pragma unroll
        for (int64_t v = 0; v < Vector; ++v) {  // :11
          const float x0 = x_vector(v) * w_vector(v);
          const float e = tsr::exp(x0 - shift);
          result_vector(v) = e / e_sum_max;
        }
        tsr::store_vector(result, origin * 16 + c, result_vector);
      }
    }
  }
}

// def scores[B, T](x: Tensor[B, T, f32], w: Tensor[T, f32]) -> Tensor[B, T, f32] where B in
//   1..=4096 # B = 32
//   schedule  256 threads a group
//   one group a row
//   rows: a lane holds its vectors of the row, Held of them, in registers, or -Held in shared
//     memory: that much of the row is read once
template <int Vector, int Held, int Threads, int Rows, int Edges>
static __global__ void __launch_bounds__(Threads * Rows)
scores_B32_kernel(const float *__restrict__ x, const float *__restrict__ w,
                  float *__restrict__ result, int64_t T) {
  __shared__ float scratch[tsr::group_reduce_scratch(Threads)];  // batches.tsr:11
  const int64_t group = int64_t(blockIdx.x) * Rows + (Rows > 1 ? int64_t(threadIdx.y) : 0);
  if (group < 32) {
    const int64_t origin = group;
    const tsr::HeldRow<float, Vector, Held, Threads, 0, Edges> x_row(x + origin * T, T);  // :9
    const int64_t before = origin * T % Vector * Edges;  // :11
    float lane_x_max = -INFINITY;
    #pragma unroll Held > 0 ? Held : 4
    for (int64_t k = 0; k < tsr::row_turns<Vector, Held, Threads>(T + before); ++k) {
      const int64_t c = (k * Threads + int64_t(threadIdx.x)) * Vector - before;
      if (c < T) {
        const tsr::Inside<Edges, Vector> inside(c, T);
        const tsr::Vector<float, Vector> x_vector = x_row(k);  // :9
        const tsr::Vector<float, Vector> w_vector = tsr::load_vector<Vector>(w + c, inside);
        #pragma unroll
        for (int64_t v = 0; v < Vector; ++v) {  // :11
          if (inside(v)) {
            const float x0 = x_vector(v) * w_vector(v);
            lane_x_max = tsr::max(lane_x_max, x0);
          }
        }
      }
    }
    const float x_max = tsr::group_reduce<tsr::Max, Threads>(lane_x_max, scratch);
    const float shift = x_max > -INFINITY ? x_max : 0.0f;
    float lane_e_sum = 0.0f;
    #pragma unroll Held > 0 ? Held : 4
    for (int64_t k = 0; k < tsr::row_turns<Vector, Held, Threads>(T + before); ++k) {
      const int64_t c = (k * Threads + int64_t(threadIdx.x)) * Vector - before;
      if (c < T) {
        const tsr::Inside<Edges, Vector> inside(c, T);
        const tsr::Vector<float, Vector> x_vector = x_row(k);  // :9
        const tsr::Vector<float, Vector> w_vector = tsr::load_vector<Vector>(w + c, inside);
        #pragma unroll
        for (int64_t v = 0; v < Vector; ++v) {  // :11
          if (inside(v)) {
            const float x0 = x_vector(v) * w_vector(v);
            const float e = tsr::exp(x0 - shift);
            lane_e_sum += e;
          }
        }
      }
    }
    const float e_sum = tsr::group_reduce<tsr::Sum, Threads>(lane_e_sum, scratch);
    const float e_sum_max = tsr::max(e_sum, 0.5f);
    #pragma unroll Held > 0 ? Held : 4
    for (int64_t k = 0; k < tsr::row_turns<Vector, Held, Threads>(T + before); ++k) {
      const int64_t c = (k * Threads + int64_t(threadIdx.x)) * Vector - before;
      if (c < T) {
        const tsr::Inside<Edges, Vector> inside(c, T);
        tsr::Vector<float, Vector> result_vector;
        const tsr::Vector<float, Vector> x_vector = x_row(k);  // :9
        const tsr::Vector<float, Vector> w_vector = tsr::load_vector<Vector>(w + c, inside);
        #pragma unroll
        for (int64_t v = 0; v < Vector; ++v) {  // :11
          const float x0 = x_vector(v) * w_vector(v);
          const float e = tsr::exp(x0 - shift);
          result_vector(v) = e / e_sum_max;
        }
        tsr::store_vector(result, origin * T + c, result_vector, inside);
      }
    }
  }
}

// def scores[B, T](x: Tensor[B, T, f32], w: Tensor[T, f32]) -> Tensor[B, T, f32] where B in
//   1..=4096
//   schedule  256 threads a group
//   one group a row
//   rows: a lane holds its vectors of the row, Held of them, in registers, or -Held in shared
//     memory: that much of the row is read once
template <int Vector, int Held, int Threads, int Rows, int Edges>
static __global__ void __launch_bounds__(Threads * Rows)
scores_kernel(const float *__restrict__ x, const float *__restrict__ w, float *__restrict__ result,
              int64_t B, int64_t T) {
  __shared__ float scratch[tsr::group_reduce_scratch(Threads)];  // batches.tsr:11
  const int64_t group = int64_t(blockIdx.x) * Rows + (Rows > 1 ? int64_t(threadIdx.y) : 0);
  if (group < B) {
    const int64_t b0 = group;
    const tsr::HeldRow<float, Vector, Held, Threads, 0, Edges> x_row(x + b0 * T, T);  // :9
    const int64_t before = b0 * T % Vector * Edges;  // :11
    float lane_x_max = -INFINITY;
    #pragma unroll Held > 0 ? Held : 4
    for (int64_t k = 0; k < tsr::row_turns<Vector, Held, Threads>(T + before); ++k) {
      const int64_t c = (k * Threads + int64_t(threadIdx.x)) * Vector - before;
      if (c < T) {
        const tsr::Inside<Edges, Vector> inside(c, T);
        const tsr::Vector<float, Vector> x_vector = x_row(k);  // :9
        const tsr::Vector<float, Vector> w_vector = tsr::load_vector<Vector>(w + c, inside);
        #pragma unroll
        for (int64_t v = 0; v < Vector; ++v) {  // :11
          if (inside(v)) {
            const float x0 = x_vector(v) * w_vector(v);
            lane_x_max = tsr::max(lane_x_max, x0);
          }
        }
      }
    }
    const float x_max = tsr::group_reduce<tsr::Max, Threads>(lane_x_max, scratch);
    const float shift = x_max > -INFINITY ? x_max : 0.0f;
    float lane_e_sum = 0.0f;
    #pragma unroll Held > 0 ? Held : 4
    for (int64_t k = 0; k < tsr::row_turns<Vector, Held, Threads>(T + before); ++k) {
      const int64_t c = (k * Threads + int64_t(threadIdx.x)) * Vector - before;
      if (c < T) {
        const tsr::Inside<Edges, Vector> inside(c, T);
        const tsr::Vector<float, Vector> x_vector = x_row(k);  // :9
        const tsr::Vector<float, Vector> w_vector = tsr::load_vector<Vector>(w + c, inside);
        #pragma unroll
        for (int64_t v = 0; v < Vector; ++v) {  // :11
          if (inside(v)) {
            const float x0 = x_vector(v) * w_vector(v);
            const float e = tsr::exp(x0 - shift);
            lane_e_sum += e;
          }
        }
      }
    }
    const float e_sum = tsr::group_reduce<tsr::Sum, Threads>(lane_e_sum, scratch);
    const float e_sum_max = tsr::max(e_sum, 0.5f);
    #pragma unroll Held > 0 ? Held : 4
    for (int64_t k = 0; k < tsr::row_turns<Vector, Held, Threads>(T + before); ++k) {
      const int64_t c = (k * Threads + int64_t(threadIdx.x)) * Vector - before;
      if (c < T) {
        const tsr::Inside<Edges, Vector> inside(c, T);
        tsr::Vector<float, Vector> result_vector;
        const tsr::Vector<float, Vector> x_vector = x_row(k);  // :9
        const tsr::Vector<float, Vector> w_vector = tsr::load_vector<Vector>(w + c, inside);
        #pragma unroll
        for (int64_t v = 0; v < Vector; ++v) {  // :11
          const float x0 = x_vector(v) * w_vector(v);
          const float e = tsr::exp(x0 - shift);
          result_vector(v) = e / e_sum_max;
        }
        tsr::store_vector(result, b0 * T + c, result_vector, inside);
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

  {
    const auto start = [&](auto *kernel, int64_t count, dim3 block) {
      if (const unsigned groups = call.groups(count))
        hipLaunchKernelGGL(kernel, dim3(groups), dim3(block), 0, call.stream(),
            call.data<const float>(x), call.data<const float>(w), call.data<float>(result));
    };
    if (call.aligned(16, x, w, result))
      start(scores_B32_T16_kernel<4, 1, 8, 16>, 2, dim3(8, 16));
    else
      start(scores_B32_T16_kernel<1, 12, 32, 8>, 4, dim3(32, 8));
  }
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

  {
    const auto start = [&](auto *kernel, int64_t count, dim3 block, int64_t shared_bytes) {
      call.allow_shared(kernel, shared_bytes);
      if (const unsigned groups = call.groups(count))
        hipLaunchKernelGGL(kernel, dim3(groups), dim3(block), shared_bytes, call.stream(),
            call.data<const float>(x), call.data<const float>(w), call.data<float>(result), T);
    };
    if (call.aligned(16, x, w, result) && T % 4 == 0 && T <= 256)
      start(scores_B32_kernel<4, 8, 8, 16, 0>, 2, dim3(8, 16), 0);
    else if (call.aligned(16, x, w, result) && T % 4 == 0 && T <= 512)
      start(scores_B32_kernel<4, 8, 16, 8, 0>, 4, dim3(16, 8), 0);
    else if (call.aligned(16, x, w, result) && T % 4 == 0 && T <= 1024)
      start(scores_B32_kernel<4, 8, 32, 4, 0>, 8, dim3(32, 4), 0);
    else if (call.aligned(16, x, w, result) && T % 4 == 0 && T <= 4096)
      start(scores_B32_kernel<4, 8, 128, 1, 0>, 32, 128, 0);
    else if (call.aligned(16, x, w, result) && T % 4 == 0 && T <= 8192)
      start(scores_B32_kernel<4, 8, 256, 1, 0>, 32, 256, 0);
    else if (call.aligned(16, x, w, result) && T % 4 == 0 && T <= 16384)
      start(scores_B32_kernel<4, 8, 512, 1, 0>, 32, 512, 0);
    else if (call.aligned(16, x, w, result) && T % 4 == 0 && T <= 32768)
      start(scores_B32_kernel<4, 8, 1024, 1, 0>, 32, 1024, 0);
    else if (call.aligned(16, x, w, result) && T % 4 == 0)
      start(scores_B32_kernel<4, -3, 1024, 1, 0>, 32, 1024, 16384 *
      tsr::min<int64_t>(tsr::ceil_div(T, 4096), 3));
    else if (call.aligned(16, x, w, result) && T <= 157)
      start(scores_B32_kernel<4, 5, 8, 16, 1>, 2, dim3(8, 16), 0);
    else if (call.aligned(16, x, w, result) && T <= 637)
      start(scores_B32_kernel<4, 5, 32, 4, 1>, 8, dim3(32, 4), 0);
    else if (call.aligned(16, x, w, result) && T <= 2557)
      start(scores_B32_kernel<4, 5, 128, 1, 1>, 32, 128, 0);
    else if (call.aligned(16, x, w, result) && T <= 5117)
      start(scores_B32_kernel<4, 5, 256, 1, 1>, 32, 256, 0);
    else if (call.aligned(16, x, w, result) && T <= 10237)
      start(scores_B32_kernel<4, 5, 512, 1, 1>, 32, 512, 0);
    else if (call.aligned(16, x, w, result) && T <= 20477)
      start(scores_B32_kernel<4, 5, 1024, 1, 1>, 32, 1024, 0);
    else if (call.aligned(16, x, w, result))
      start(scores_B32_kernel<4, -3, 1024, 1, 1>, 32, 1024, 16384 *
      tsr::min<int64_t>(tsr::ceil_div(T + 3, 4096), 3));
    else if (T <= 384)
      start(scores_B32_kernel<1, 12, 32, 8, 0>, 4, dim3(32, 8), 0);
    else if (T <= 3072)
      start(scores_B32_kernel<1, 12, 256, 1, 0>, 32, 256, 0);
    else
      start(scores_B32_kernel<1, 0, 256, 1, 0>, 32, 256, 0);
  }
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

  {
    const auto start = [&](auto *kernel, int64_t count, dim3 block, int64_t shared_bytes) {
      call.allow_shared(kernel, shared_bytes);
      if (const unsigned groups = call.groups(count))
        hipLaunchKernelGGL(kernel, dim3(groups), dim3(block), shared_bytes, call.stream(),
            call.data<const float>(x), call.data<const float>(w), call.data<float>(result), B, T);
    };
    if (call.aligned(16, x, w, result) && T % 4 == 0 && T <= 256)
      start(scores_kernel<4, 8, 8, 16, 0>, tsr::ceil_div(B, 16), dim3(8, 16), 0);
    else if (call.aligned(16, x, w, result) && T % 4 == 0 && T <= 512)
      start(scores_kernel<4, 8, 16, 8, 0>, tsr::ceil_div(B, 8), dim3(16, 8), 0);
    else if (call.aligned(16, x, w, result) && T % 4 == 0 && T <= 1024)
      start(scores_kernel<4, 8, 32, 4, 0>, tsr::ceil_div(B, 4), dim3(32, 4), 0);
    else if (call.aligned(16, x, w, result) && T % 4 == 0 && T <= 4096)
      start(scores_kernel<4, 8, 128, 1, 0>, B, 128, 0);
    else if (call.aligned(16, x, w, result) && T % 4 == 0 && T <= 8192)
      start(scores_kernel<4, 8, 256, 1, 0>, B, 256, 0);
    else if (call.aligned(16, x, w, result) && T % 4 == 0 && T <= 16384)
      start(scores_kernel<4, 8, 512, 1, 0>, B, 512, 0);
    else if (call.aligned(16, x, w, result) && T % 4 == 0 && T <= 32768)
      start(scores_kernel<4, 8, 1024, 1, 0>, B, 1024, 0);
    else if (call.aligned(16, x, w, result) && T % 4 == 0)
      start(scores_kernel<4, -3, 1024, 1, 0>, B, 1024, 16384 *
      tsr::min<int64_t>(tsr::ceil_div(T, 4096), 3));
    else if (call.aligned(16, x, w, result) && B * T % 4 == 0 && T <= 157)
      start(scores_kernel<4, 5, 8, 16, 1>, tsr::ceil_div(B, 16), dim3(8, 16), 0);
    else if (call.aligned(16, x, w, result) && B * T % 4 == 0 && T <= 637)
      start(scores_kernel<4, 5, 32, 4, 1>, tsr::ceil_div(B, 4), dim3(32, 4), 0);
    else if (call.aligned(16, x, w, result) && B * T % 4 == 0 && T <= 2557)
      start(scores_kernel<4, 5, 128, 1, 1>, B, 128, 0);
    else if (call.aligned(16, x, w, result) && B * T % 4 == 0 && T <= 5117)
      start(scores_kernel<4, 5, 256, 1, 1>, B, 256, 0);
    else if (call.aligned(16, x, w, result) && B * T % 4 == 0 && T <= 10237)
      start(scores_kernel<4, 5, 512, 1, 1>, B, 512, 0);
    else if (call.aligned(16, x, w, result) && B * T % 4 == 0 && T <= 20477)
      start(scores_kernel<4, 5, 1024, 1, 1>, B, 1024, 0);
    else if (call.aligned(16, x, w, result) && B * T % 4 == 0)
      start(scores_kernel<4, -3, 1024, 1, 1>, B, 1024, 16384 *
      tsr::min<int64_t>(tsr::ceil_div(T + 3, 4096), 3));
    else if (T <= 384)
      start(scores_kernel<1, 12, 32, 8, 0>, tsr::ceil_div(B, 8), dim3(32, 8), 0);
    else if (T <= 3072)
      start(scores_kernel<1, 12, 256, 1, 0>, B, 256, 0);
    else
      start(scores_kernel<1, 0, 256, 1, 0>, B, 256, 0);
  }
  return call.finish();
}
extern "C" TessStatus scores_call(const TessValue *args, int32_t count, TessStream stream) {
  return tsr::call_with(scores, "scores", args, count, stream);
}
