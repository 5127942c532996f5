// HIP for softmax.tsr, compiled by tesserac. Edit the program, not this file.
// Functions: softmax (declared in softmax.h).
#include "tessera/device/math.h"
#include "tessera/device/reduce.h"
#include "tessera/device/vector.h"
#include "tessera/entry.h"
TESS_SET(0000000000000000)  // the headers and the manifest of this compile have the same number

// def softmax[R, C](x: Tensor[R, C, f32]) -> Tensor[R, C, f32]
//   schedule  256 threads a group
//   rows: a lane holds its vectors of the row, Held of them, in registers, or -Held in shared
//     memory: that much of the row is read once
template <int Vector, int Held, int Threads, int Rows>
static __global__ void __launch_bounds__(Threads * Rows)
softmax_kernel(const float *__restrict__ x, float *__restrict__ result, int64_t R, int64_t C) {
  __shared__ float scratch[tsr::group_reduce_scratch(Threads)];  // softmax.tsr:5
  const int64_t group = int64_t(blockIdx.x) * Rows + (Rows > 1 ? int64_t(threadIdx.y) : 0);
  if (group < R) {
    const int64_t r = group;  // :7
    const tsr::HeldRow<float, Vector, Held, Threads> x_row(x + r * C, C);  // :8
    float lane_max = -INFINITY;  // :9
    #pragma unroll Held > 0 ? Held : 4
    for (int64_t k = 0; k < tsr::row_turns<Vector, Held, Threads>(C); ++k) {
      const int64_t c = (k * Threads + int64_t(threadIdx.x)) * Vector;
      if (c < C) {
        const tsr::Vector<float, Vector> x_vector = x_row(k);  // :8
        #pragma unroll
        for (int64_t v = 0; v < Vector; ++v) {  // :9
          lane_max = tsr::max(lane_max, x_vector(v));
        }
      }
    }
    const float max = tsr::group_reduce<tsr::Max, Threads>(lane_max, scratch);
    tsr::KeptRow<float, Vector, Held> e_row;
    float lane_e_sum = 0.0f;  // :10
    #pragma unroll Held > 0 ? Held : 4
    for (int64_t k = 0; k < tsr::row_turns<Vector, Held, Threads>(C); ++k) {
      const int64_t c = (k * Threads + int64_t(threadIdx.x)) * Vector;
      if (c < C) {
        const tsr::Vector<float, Vector> x_vector = x_row(k);  // :8
        #pragma unroll
        for (int64_t v = 0; v < Vector; ++v) {  // :10
          const float e = tsr::exp(x_vector(v) - max);  // :9
          e_row.keep(k, v, e);
          lane_e_sum += e;  // :10
        }
      }
    }
    const float e_sum = tsr::group_reduce<tsr::Sum, Threads>(lane_e_sum, scratch);
    #pragma unroll Held > 0 ? Held : 4
    for (int64_t k = 0; k < tsr::row_turns<Vector, Held, Threads>(C); ++k) {
      const int64_t c = (k * Threads + int64_t(threadIdx.x)) * Vector;
      if (c < C) {
        tsr::Vector<float, Vector> result_vector;
        const tsr::Vector<float, Vector> x_vector = x_row(k);  // :8
        #pragma unroll
        for (int64_t v = 0; v < Vector; ++v) {  // :10
          float e;  // :9
          if (Held > 0 && Held * Vector <= 32) {
            e = e_row(k, v);
          } else {
            e = tsr::exp(x_vector(v) - max);
          }
          result_vector(v) = e / e_sum;  // :10
        }
        tsr::store_vector(result, r * C + c, result_vector);
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

  {
    const auto start = [&](auto *kernel, int64_t count, dim3 block, int64_t shared_bytes) {
      call.allow_shared(kernel, shared_bytes);
      if (const unsigned groups = call.groups(count))
        hipLaunchKernelGGL(kernel, dim3(groups), dim3(block), shared_bytes, call.stream(),
            call.data<const float>(x), call.data<float>(result), R, C);
    };
    if (call.aligned(16, x, result) && C % 4 == 0 && C <= 256)
      start(softmax_kernel<4, 8, 8, 16>, tsr::ceil_div(R, 16), dim3(8, 16), 0);
    else if (call.aligned(16, x, result) && C % 4 == 0 && C <= 512)
      start(softmax_kernel<4, 8, 16, 8>, tsr::ceil_div(R, 8), dim3(16, 8), 0);
    else if (call.aligned(16, x, result) && C % 4 == 0 && C <= 1024)
      start(softmax_kernel<4, 8, 32, 4>, tsr::ceil_div(R, 4), dim3(32, 4), 0);
    else if (call.aligned(16, x, result) && C % 4 == 0 && C <= 4096)
      start(softmax_kernel<4, 8, 128, 1>, R, 128, 0);
    else if (call.aligned(16, x, result) && C % 4 == 0 && C <= 8192)
      start(softmax_kernel<4, 8, 256, 1>, R, 256, 0);
    else if (call.aligned(16, x, result) && C % 4 == 0 && C <= 16384)
      start(softmax_kernel<4, 8, 512, 1>, R, 512, 0);
    else if (call.aligned(16, x, result) && C % 4 == 0 && C <= 32768)
      start(softmax_kernel<4, 8, 1024, 1>, R, 1024, 0);
    else if (call.aligned(16, x, result) && C % 4 == 0)
      start(softmax_kernel<4, -3, 1024, 1>, R, 1024, 16384 *
      tsr::min<int64_t>(tsr::ceil_div(C, 4096), 3));
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
