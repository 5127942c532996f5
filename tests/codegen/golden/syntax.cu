// CUDA for syntax.tsr, compiled by tesserac. Edit the program, not this file.
// Functions: syntax (declared in syntax.h).
#include "tessera/device/dtype.h"
#include "tessera/device/math.h"
#include "tessera/device/platform.h"
#include "tessera/entry.h"
TESS_SET(0000000000000000)  // the headers and the manifest of this compile have the same number

// every statement and expression once
static __global__ void __launch_bounds__(32)
syntax_kernel(float *x, int64_t n, int64_t /*unused*/) {
  constexpr int Pairs = 4 / 2;
  float pair[Pairs];  // syntax.mlir:7
  pair[0] = -INFINITY;  // :12
  pair[1] = NAN;  // :16
  int64_t count = tsr::min<int64_t>(n, 10);  // :19
  while (count > 0) {  // :20
    count = count / 2;  // :29
  }
  if (n < 3) {  // :33
    return;  // :34
  } else if ((n > 30 && true) || n == 7) {  // :43
    // a scope of its own
    {  // :45
      const tsr::bf16 half_value = tsr::to<tsr::bf16>(1.5f);  // :47
      x[0] *= tsr::to<float>(half_value);  // :52
    }
  } else {
    x[0] = -2.5e-08f;  // :58
  }
  x[1] = tsr::lane() < 16 ? pair[0] : pair[1];  // :73
}

// syntax(x: f32[n], m: i8) -> f32[n]
extern "C" TessStatus syntax(TessTensor *x, TessStream stream) {
  tsr::Call call("syntax", stream);
  tsr::Dim n("n");
  call.output<float>("x", x, {n});
  if (call.done()) return call.status();

  if (const unsigned groups = call.groups(1)) {
    syntax_kernel<<<groups, 32, 0, call.stream()>>>(call.data<float>(x), n, 0);
  }
  return call.finish();
}
extern "C" TessStatus syntax_call(const TessValue *args, int32_t count, TessStream stream) {
  return tsr::call_with(syntax, "syntax", args, count, stream);
}
