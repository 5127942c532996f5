// C++ for saxpy_cpu.tsr, compiled by tesserac. Edit the program, not this file.
// Functions: saxpy (declared in saxpy_cpu.h).
#include "tessera/entry.h"
TESS_SET(0000000000000000)  // the headers and the manifest of this compile have the same number

// saxpy(x: f32[n], y: f32[n], alpha: f32) -> f32[n]
static void
saxpy_kernel(const float *__restrict__ x, float *__restrict__ y, float alpha, int64_t n) {
  #pragma omp parallel for simd
  for (int64_t i = 0; i < n; ++i) {  // saxpy_cpu.tsr:13
    y[i] += alpha * x[i];
  }
}

// saxpy(x: f32[n], y: f32[n], alpha: f32) -> f32[n]
//   y = alpha * x + y
extern "C" TessStatus saxpy(const TessTensor *x, TessTensor *y, float alpha, TessStream stream) {
  tsr::Call call("saxpy", stream);
  tsr::Dim n("n");
  call.input<float>("x", x, {n});
  call.output<float>("y", y, {n});
  call.require(n % 4 == 0, "n % 4 == 0", n % 4, 0, "n % 4");
  if (call.done()) return call.status();

  saxpy_kernel(call.data<const float>(x), call.data<float>(y), alpha, n);
  return call.finish();
}
extern "C" TessStatus saxpy_call(const TessValue *args, int32_t count, TessStream stream) {
  return tsr::call_with(saxpy, "saxpy", args, count, stream);
}
