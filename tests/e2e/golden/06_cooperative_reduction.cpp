// C++ for 06_cooperative_reduction.tsr, compiled by tesserac. Edit the program, not this file.
// Functions: total (declared in 06_cooperative_reduction.h).
#include "tessera/entry.h"
TESS_SET(0000000000000000)  // the headers and the manifest of this compile have the same number

// def total(data: ts.Tensor["N", ts.f32]) -> ts.f32
static void total_kernel(const float *__restrict__ data, float *__restrict__ result, int64_t N) {
  constexpr int Threads = 128;
  alignas(64) float shared_sum[128];  // 06_cooperative_reduction.tsr:6
  for (int64_t lane = 0; lane < Threads; ++lane) {  // :8
    float local_sum = 0.0f;
    for (int64_t i = lane; i < N; i += Threads) {
      local_sum += data[i];  // :9
    }
    shared_sum[lane] = local_sum;  // :10
  }
  int64_t stride = Threads / 2;  // :12
  while (stride > 0) {  // :13
    for (int64_t lane = 0; lane < Threads; ++lane) {  // :14
      if (lane < stride) {
        shared_sum[lane] += lane + stride < 128 ? shared_sum[lane + stride] : 0.0f;  // :15
      }
    }
    stride /= 2;  // :17
  }
  const float shared_sum_0 = shared_sum[0];  // :18
  result[0] = shared_sum_0;
}

// def total(data: ts.Tensor["N", ts.f32]) -> ts.f32
extern "C" TessStatus total(const TessTensor *data, TessTensor *result, TessStream stream) {
  tsr::Call call("total", stream);
  tsr::Dim N("N");
  call.input<float>("data", data, {N});
  call.output<float>("result", result, {});
  if (call.done()) return call.status();

  total_kernel(call.data<const float>(data), call.data<float>(result), N);
  return call.finish();
}
extern "C" TessStatus total_call(const TessValue *args, int32_t count, TessStream stream) {
  return tsr::call_with(total, "total", args, count, stream);
}
