// CUDA for 06_cooperative_reduction.tsr, compiled by tesserac. Edit the program, not this file.
// Functions: total (declared in 06_cooperative_reduction.h).
#include "tessera/device/platform.h"
#include "tessera/entry.h"
TESS_SET(0000000000000000)  // the headers and the manifest of this compile have the same number

// def total(data: ts.Tensor["N", ts.f32]) -> ts.f32
//   schedule  128 threads a group
static __global__ void __launch_bounds__(128)
total_kernel(const float *__restrict__ data, float *__restrict__ result, int64_t N) {
  constexpr int Threads = 128;
  __shared__ float shared_sum[128];  // 06_cooperative_reduction.tsr:6
  float local_sum = 0.0f;  // :8
  for (int64_t i = threadIdx.x; i < N; i += Threads) {
    local_sum += data[i];  // :9
  }
  shared_sum[threadIdx.x] = local_sum;  // :10
  tsr::group_barrier();  // :11
  int64_t stride = Threads / 2;  // :12
  while (stride > 0) {  // :13
    if (threadIdx.x < stride) {  // :14
      shared_sum[threadIdx.x] += int64_t(threadIdx.x) + stride < 128  // :15
          ? shared_sum[int64_t(threadIdx.x) + stride] : 0.0f;
    }
    tsr::group_barrier();  // :16
    stride /= 2;  // :17
  }
  const float shared_sum_0 = shared_sum[0];  // :18
  if (threadIdx.x == 0) {
    result[0] = shared_sum_0;
  }
}

// def total(data: ts.Tensor["N", ts.f32]) -> ts.f32
extern "C" TessStatus total(const TessTensor *data, TessTensor *result, TessStream stream) {
  constexpr int Threads = 128;
  tsr::Call call("total", stream);
  tsr::Dim N("N");
  call.input<float>("data", data, {N});
  call.output<float>("result", result, {});
  if (call.done()) return call.status();

  if (const unsigned groups = call.groups(1)) {
    total_kernel<<<groups, Threads, 0, call.stream()>>>(call.data<const float>(data),
        call.data<float>(result), N);
  }
  return call.finish();
}
extern "C" TessStatus total_call(const TessValue *args, int32_t count, TessStream stream) {
  return tsr::call_with(total, "total", args, count, stream);
}
