// HIP for 01_saxpy.tsr, compiled by tesserac. Edit the program, not this file.
// Functions: saxpy (declared in 01_saxpy.h).
#include "tessera/device/math.h"
#include "tessera/entry.h"

// def saxpy(x: ts.Tensor["n", ts.f32], y: ts.Tensor["n", ts.f32], alpha: ts.f32) -> ts.Tensor["n",
//   ts.f32]
//   schedule  256 threads a group
static __global__ void __launch_bounds__(256)
saxpy_kernel(const float *__restrict__ x, float *__restrict__ y, float alpha, int64_t n) {
  constexpr int Threads = 256;
  const int64_t i = int64_t(blockIdx.x) * Threads + int64_t(threadIdx.x);  // 01_saxpy.tsr:11
  if (i < n) {  // :12
    y[i] = alpha * x[i] + y[i];  // :13
  }
}

// def saxpy(x: ts.Tensor["n", ts.f32], y: ts.Tensor["n", ts.f32], alpha: ts.f32) -> ts.Tensor["n",
//   ts.f32]
//   y = alpha * x + y
extern "C" TessStatus saxpy(const TessTensor *x, TessTensor *y, float alpha, TessStream stream) {
  constexpr int Threads = 256;
  tsr::Call call("saxpy", stream);
  tsr::Dim n("n");
  call.input<float>("x", x, {n});
  call.output<float>("y", y, {n});
  if (call.failed()) return call.status();

  if (const unsigned groups = call.groups(tsr::ceil_div(n, Threads))) {
    hipLaunchKernelGGL(saxpy_kernel, dim3(groups), dim3(Threads), 0, call.stream(),
        call.data<const float>(x), call.data<float>(y), alpha, n);
  }
  return call.finish();
}
extern "C" TessStatus saxpy_call(const TessValue *args, int32_t count, TessStream stream) {
  return tsr::call_with(saxpy, "saxpy", args, count, stream);
}
