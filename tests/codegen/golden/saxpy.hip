// HIP for saxpy.tsr, compiled by tesserac. Edit the program, not this file.
// Functions: saxpy (declared in saxpy.h).
#include "tessera/device/math.h"
#include "tessera/entry.h"
TESS_SET(0000000000000000)  // the headers and the manifest of this compile have the same number

// saxpy(x: f32[n], y: f32[n], alpha: f32) -> f32[n]
//   launch  one lane for each of n elements, 256 lanes a group
static __global__ void __launch_bounds__(256)
saxpy_kernel(const float *__restrict__ x, float *__restrict__ y, float alpha, int64_t n) {
  constexpr int Threads = 256;
  const int64_t i = int64_t(blockIdx.x) * Threads + int64_t(threadIdx.x);  // saxpy.tsr:12
  if (i < n) {  // :13
    y[i] = alpha * x[i] + y[i];
  }
}

// saxpy(x: f32[n], y: f32[n], alpha: f32) -> f32[n]
//   y = alpha * x + y
extern "C" TessStatus saxpy(const TessTensor *x, TessTensor *y, float alpha, TessStream stream) {
  tsr::Call call("saxpy", stream);
  tsr::Dim n("n");
  call.input<float>("x", x, {n});
  call.output<float>("y", y, {n});
  if (call.done()) return call.status();

  if (const unsigned groups = call.groups(tsr::ceil_div(n, 256))) {
    hipLaunchKernelGGL(saxpy_kernel, dim3(groups), dim3(256), 0, call.stream(),
        call.data<const float>(x), call.data<float>(y), alpha, n);
  }
  return call.finish();
}
extern "C" TessStatus saxpy_call(const TessValue *args, int32_t count, TessStream stream) {
  return tsr::call_with(saxpy, "saxpy", args, count, stream);
}
