// C++ for 02_elementwise.tsr, compiled by tesserac. Edit the program, not this file.
// Functions: bias_gelu_residual, swiglu (declared in 02_elementwise.h).
#include "tessera/device/cpu/stream.h"
#include "tessera/device/dtype.h"
#include "tessera/device/math.h"
#include "tessera/entry.h"
TESS_SET(0000000000000000)  // the headers and the manifest of this compile have the same number

// def bias_gelu_residual[R, C](x: Tensor[R, C, bf16], b: Tensor[C, bf16], r: Tensor[R, C, bf16]) ->
//   Tensor[R, C, bf16]
//   one lane an element
static void
bias_gelu_residual_kernel(const tsr::bf16 *__restrict__ x, const tsr::bf16 *__restrict__ b,
                          const tsr::bf16 *__restrict__ r, tsr::bf16 *__restrict__ result,
                          int64_t R, int64_t C) {
  #pragma omp parallel for collapse(2)
  for (int64_t r0 = 0; r0 < R; ++r0) {  // 02_elementwise.tsr:4
    for (int64_t c0 = 0; c0 < C; c0 += 4096) {
      const tsr::Streaming streaming(result, R, C);
      tsr::Line<tsr::bf16, 4096> result_line(result + r0 * C, C, c0, streaming);
      for (int64_t c = result_line.begin; c < result_line.end; ++c) {
        const float x_plus_b = tsr::to<float>(x[r0 * C + c]) + tsr::to<float>(b[c]);
        result_line(c) = tsr::to<tsr::bf16>(
            0.5f * x_plus_b * tsr::erfc(x_plus_b * -0.70710677f) + tsr::to<float>(r[r0 * C + c]));
      }
    }
  }
}

// def swiglu[R, C](gate: Tensor[R, C, bf16], up: Tensor[R, C, bf16]) -> Tensor[R, C, bf16]
//   one lane an element
static void
swiglu_kernel(const tsr::bf16 *__restrict__ gate, const tsr::bf16 *__restrict__ up,
              tsr::bf16 *__restrict__ result, int64_t R, int64_t C) {
  #pragma omp parallel for collapse(2)
  for (int64_t r = 0; r < R; ++r) {  // 02_elementwise.tsr:7
    for (int64_t c0 = 0; c0 < C; c0 += 4096) {
      const tsr::Streaming streaming(result, R, C);
      tsr::Line<tsr::bf16, 4096> result_line(result + r * C, C, c0, streaming);
      #pragma omp simd
      for (int64_t c = result_line.begin; c < result_line.end; ++c) {
        const float gate_f32 = tsr::to<float>(gate[r * C + c]);
        result_line(c) = tsr::to<tsr::bf16>(
            gate_f32 * tsr::sigmoid(gate_f32) * tsr::to<float>(up[r * C + c]));
      }
    }
  }
}

// def bias_gelu_residual[R, C](x: Tensor[R, C, bf16], b: Tensor[C, bf16], r: Tensor[R, C, bf16]) ->
//   Tensor[R, C, bf16]
//   gelu(x + b) + r; b broadcasts over rows, which the checker proves.
extern "C" TessStatus bias_gelu_residual(const TessTensor *x, const TessTensor *b,
                                         const TessTensor *r, TessTensor *result,
                                         TessStream stream) {
  tsr::Call call("bias_gelu_residual", stream);
  tsr::Dim R("R"), C("C");
  call.input<tsr::bf16>("x", x, {R, C});
  call.input<tsr::bf16>("b", b, {C});
  call.input<tsr::bf16>("r", r, {R, C});
  call.output<tsr::bf16>("result", result, {R, C});
  if (call.done()) return call.status();

  bias_gelu_residual_kernel(call.data<const tsr::bf16>(x), call.data<const tsr::bf16>(b),
      call.data<const tsr::bf16>(r), call.data<tsr::bf16>(result), R, C);
  return call.finish();
}
extern "C" TessStatus bias_gelu_residual_call(const TessValue *args, int32_t count,
                                              TessStream stream) {
  return tsr::call_with(bias_gelu_residual, "bias_gelu_residual", args, count, stream);
}

// def swiglu[R, C](gate: Tensor[R, C, bf16], up: Tensor[R, C, bf16]) -> Tensor[R, C, bf16]
extern "C" TessStatus swiglu(const TessTensor *gate, const TessTensor *up, TessTensor *result,
                             TessStream stream) {
  tsr::Call call("swiglu", stream);
  tsr::Dim R("R"), C("C");
  call.input<tsr::bf16>("gate", gate, {R, C});
  call.input<tsr::bf16>("up", up, {R, C});
  call.output<tsr::bf16>("result", result, {R, C});
  if (call.done()) return call.status();

  swiglu_kernel(call.data<const tsr::bf16>(gate), call.data<const tsr::bf16>(up),
      call.data<tsr::bf16>(result), R, C);
  return call.finish();
}
extern "C" TessStatus swiglu_call(const TessValue *args, int32_t count, TessStream stream) {
  return tsr::call_with(swiglu, "swiglu", args, count, stream);
}
