// CUDA for softmax.tsr, compiled by tesserac. Edit the program, not this file.
// Functions: softmax (declared in softmax.h).
#include "tessera/device/math.h"
#include "tessera/device/reduce.h"
#include "tessera/entry.h"

// def softmax[R, C](x: Tensor[R, C, f32]) -> Tensor[R, C, f32]
//   schedule  256 threads a group
//   a group streams over C: one row is too long to keep
static __global__ void __launch_bounds__(256)
softmax_kernel(const float *__restrict__ x, float *__restrict__ result, int64_t C) {
  constexpr int Threads = 256;
  __shared__ float scratch[tsr::group_reduce_scratch(Threads)];  // softmax.tsr:5
  const int64_t r = int64_t(blockIdx.x);  // :7
  float lane_row_max = -INFINITY;  // :9
  for (int64_t i = threadIdx.x; i < C; i += Threads) {
    const float row = x[r * C + i];  // :8
    lane_row_max = tsr::max(lane_row_max, row);  // :9
  }
  const float row_max = tsr::group_reduce<tsr::Max, Threads>(lane_row_max, scratch);
  float lane_e_sum = 0.0f;  // :10
  for (int64_t i = threadIdx.x; i < C; i += Threads) {
    const float row = x[r * C + i];  // :8
    const float e = tsr::exp(row - row_max);  // :9
    lane_e_sum += e;  // :10
  }
  const float e_sum = tsr::group_reduce<tsr::Sum, Threads>(lane_e_sum, scratch);
  for (int64_t i = threadIdx.x; i < C; i += Threads) {
    const float row = x[r * C + i];  // :8
    const float e = tsr::exp(row - row_max);  // :9
    result[r * C + i] = e / e_sum;  // :10
  }
}

// def softmax[R, C](x: Tensor[R, C, f32]) -> Tensor[R, C, f32]
//   exp(x) / sum(exp(x)) along each row, without overflow.
extern "C" TessStatus softmax(const TessTensor *x, TessTensor *result, TessStream stream) {
  constexpr int Threads = 256;
  tsr::Call call("softmax", stream);
  tsr::Dim R("R"), C("C");
  call.input<float>("x", x, {R, C});
  call.output<float>("result", result, {R, C});
  if (call.failed()) return call.status();

  if (const unsigned groups = call.groups(R)) {
    softmax_kernel<<<groups, Threads, 0, call.stream()>>>(call.data<const float>(x),
        call.data<float>(result), C);
  }
  return call.finish();
}
extern "C" TessStatus softmax_call(const TessValue *args, int32_t count, TessStream stream) {
  return tsr::call_with(softmax, "softmax", args, count, stream);
}
