// CUDA for 01_saxpy.tsr, compiled by tesserac. Edit the program, not this file.
// Functions: saxpy (declared in 01_saxpy.h).
#include "tessera/device/math.h"
#include "tessera/device/vector.h"
#include "tessera/entry.h"
TESS_SET(0000000000000000)  // the headers and the manifest of this compile have the same number

// def saxpy(x: ts.Tensor["n", ts.f32], y: ts.Tensor["n", ts.f32], alpha: ts.f32) -> ts.Tensor["n",
//   ts.f32]
//   schedule  256 threads a group
//   map: a lane loads, computes and stores Vector neighbouring elements at once
template <int Vector>
static __global__ void __launch_bounds__(256)
saxpy_kernel(const float *__restrict__ x, float *__restrict__ y, float alpha, int64_t n) {
  constexpr int Threads = 256;
  // 01_saxpy.tsr:11
  const int64_t i = (int64_t(blockIdx.x) * Threads + int64_t(threadIdx.x)) * Vector;
  if (i < n) {  // :12
    tsr::Vector<float, Vector> y_vector;  // :13
    const tsr::Vector<float, Vector> x_vector = tsr::load_vector<Vector>(x + i);
    const tsr::Vector<float, Vector> y_vector_2 = tsr::load_vector<Vector>(y + i);
    #pragma unroll
    for (int64_t v = 0; v < Vector; ++v) {  // :12
      y_vector(v) = alpha * x_vector(v) + y_vector_2(v);  // :13
    }
    tsr::store_vector(y, i, y_vector);
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
  if (call.done()) return call.status();

  {
    const auto start = [&](auto *kernel, int64_t count) {
      if (const unsigned groups = call.groups(count))
        kernel<<<groups, Threads, 0, call.stream()>>>(call.data<const float>(x),
            call.data<float>(y), alpha, n);
    };
    if (call.aligned(16, x, y) && n % 4 == 0)
      start(saxpy_kernel<4>, tsr::ceil_div(tsr::ceil_div(n, 4), 256));
    else
      start(saxpy_kernel<1>, tsr::ceil_div(n, 256));
  }
  return call.finish();
}
extern "C" TessStatus saxpy_call(const TessValue *args, int32_t count, TessStream stream) {
  return tsr::call_with(saxpy, "saxpy", args, count, stream);
}
