// C++ for program_cpu.tsr, compiled by tesserac. Edit the program, not this file.
// Functions: doubled (declared in program_cpu.h).
#include "tessera/entry.h"
#include "tessera/host.h"
TESS_SET(0000000000000000)  // the headers and the manifest of this compile have the same number

// 2 * x
static void double_kernel(const float *__restrict__ x, float *__restrict__ result, int64_t n) {
  #pragma omp parallel for simd
  for (int64_t i = 0; i < n; ++i) {  // program_cpu.mlir:9
    result[i] = 2.0f * x[i];  // :16
  }
}

// doubled(x: f32[N, M]) -> f32[N, M]
//   Twice x.
extern "C" TessStatus doubled(const TessTensor *x, TessTensor *result, TessStream stream) {
  tsr::Call call("doubled", stream);
  tsr::Dim N("N"), M("M");
  call.input<float>("x", x, {N, M});
  call.output<float>("result", result, {N, M});
  if (call.done()) return call.status();

  double_kernel(call.data<const float>(x), call.data<float>(result), M * N);
  return call.finish();
}
extern "C" TessStatus doubled_call(const TessValue *args, int32_t count, TessStream stream) {
  return tsr::call_with(doubled, "doubled", args, count, stream);
}

// doubled for the host code: allocates what it returns.
static tsr::host::Tensor doubled_on_host(const tsr::host::Tensor &x) {
  const int64_t N = x.extent(0);
  const int64_t M = x.extent(1);
  tsr::host::Tensor result = tsr::host::Tensor::make<float>({N, M});
  tsr::host::stop_unless_ok(doubled(x.read(), result.written(), nullptr));
  return result;
}

static int64_t report(tsr::host::Tensor value);

static int64_t report(tsr::host::Tensor value) {
  const int64_t rows = tsr::host::shape(value, 0);  // program_cpu.mlir:29
  tsr::host::print("rows:", tsr::host::format(rows, ">4"));  // :35
  return rows;  // :37
}

int main() {
  const tsr::host::Tensor x = tsr::host::load_npy("x.npy");  // program_cpu.mlir:42
  tsr::host::Tensor y = doubled_on_host(x);  // :44
  tsr::host::check(report(y) < 3, "at most 2 rows");  // :51
  tsr::host::print(tsr::host::format(y, ""));  // :56
  tsr::host::save_npy("y.npy", y);  // :60
  return 0;
}
