// CUDA for 02_elementwise.tsr, compiled by tesserac. Edit the program, not this file.
// Functions: bias_gelu_residual, swiglu (declared in 02_elementwise.h).
#include "tessera/device/divisor.h"
#include "tessera/device/dtype.h"
#include "tessera/device/math.h"
#include "tessera/device/vector.h"
#include "tessera/entry.h"
TESS_SET(0000000000000000)  // the headers and the manifest of this compile have the same number

// def bias_gelu_residual[R, C](x: Tensor[R, C, bf16], b: Tensor[C, bf16], r: Tensor[R, C, bf16]) ->
//   Tensor[R, C, bf16]
//   schedule  256 threads a group
//   map: a lane loads, computes and stores Vector neighbouring elements at once
//   a lane takes Each elements, one of each of so many rows or planes: their places are found once,
//     and their loads are under way together
template <int Vector, int Each>
static __global__ void __launch_bounds__(256)
bias_gelu_residual_kernel(const tsr::bf16 *__restrict__ x, const tsr::bf16 *__restrict__ b,
                          const tsr::bf16 *__restrict__ r, tsr::bf16 *__restrict__ result,
                          tsr::Divisor by_C, int64_t R, int64_t C) {
  constexpr int Threads = 256;
  // 02_elementwise.tsr:4
  const int64_t i = (int64_t(blockIdx.x) * Threads + int64_t(threadIdx.x)) * Vector;
  const int64_t row = i / by_C;
  if (row * Each < R) {
    const int64_t row_first = Each == 1 ? row : tsr::min(row * Each, R - Each);
    const int64_t i_first = i + (row_first - row) * C;
    const int64_t c = i - row * C;
    const tsr::Vector<tsr::bf16, Vector> b_vector = tsr::load_vector<Vector>(b + c);  // :2
    #pragma unroll
    for (int64_t u = 0; u < Each; ++u) {  // :4
      const int64_t i_u = i_first + u * C;
      tsr::Vector<float, Vector> result_vector;
      const tsr::Vector<tsr::bf16, Vector> x_vector = tsr::load_vector<Vector>(x + i_u);  // :2
      const tsr::Vector<tsr::bf16, Vector> r_vector = tsr::load_vector<Vector>(r + i_u);
      #pragma unroll
      for (int64_t v = 0; v < Vector; ++v) {  // :4
        const float x0 = tsr::to<float>(x_vector(v)) + tsr::to<float>(b_vector(v));
        result_vector(v) = tsr::fma(0.5f * x0, tsr::short_erfc(x0 * -0.70710677f),
            tsr::to<float>(r_vector(v)));
      }
      tsr::store_vector(result, i_u, result_vector);
    }
  }
}

// def swiglu[R, C](gate: Tensor[R, C, bf16], up: Tensor[R, C, bf16]) -> Tensor[R, C, bf16]
//   schedule  256 threads a group
//   map: a lane loads, computes and stores Vector neighbouring elements at once
template <int Vector>
static __global__ void __launch_bounds__(256)
swiglu_kernel(const tsr::bf16 *__restrict__ gate, const tsr::bf16 *__restrict__ up,
              tsr::bf16 *__restrict__ result, int64_t C, int64_t R) {
  constexpr int Threads = 256;
  // 02_elementwise.tsr:7
  const int64_t i = (int64_t(blockIdx.x) * Threads + int64_t(threadIdx.x)) * Vector;
  if (i < C * R) {
    tsr::Vector<float, Vector> result_vector;
    const tsr::Vector<tsr::bf16, Vector> gate_vector = tsr::load_vector<Vector>(gate + i);  // :6
    const tsr::Vector<tsr::bf16, Vector> up_vector = tsr::load_vector<Vector>(up + i);
    #pragma unroll
    for (int64_t v = 0; v < Vector; ++v) {  // :7
      const float gate_vector_f32 = tsr::to<float>(gate_vector(v));
      result_vector(v) = gate_vector_f32 * tsr::short_sigmoid(gate_vector_f32) *
          tsr::to<float>(up_vector(v));
    }
    tsr::store_vector(result, i, result_vector);
  }
}

// def bias_gelu_residual[R, C](x: Tensor[R, C, bf16], b: Tensor[C, bf16], r: Tensor[R, C, bf16]) ->
//   Tensor[R, C, bf16]
//   gelu(x + b) + r; b broadcasts over rows, which the checker proves.
extern "C" TessStatus bias_gelu_residual(const TessTensor *x, const TessTensor *b,
                                         const TessTensor *r, TessTensor *result,
                                         TessStream stream) {
  constexpr int Threads = 256;
  tsr::Call call("bias_gelu_residual", stream);
  tsr::Dim R("R"), C("C");
  call.input<tsr::bf16>("x", x, {R, C});
  call.input<tsr::bf16>("b", b, {C});
  call.input<tsr::bf16>("r", r, {R, C});
  call.output<tsr::bf16>("result", result, {R, C});
  if (call.done()) return call.status();

  {
    const auto start = [&](auto *kernel, int64_t count) {
      if (const unsigned groups = call.groups(count))
        kernel<<<groups, Threads, 0, call.stream()>>>(call.data<const tsr::bf16>(x),
            call.data<const tsr::bf16>(b), call.data<const tsr::bf16>(r),
            call.data<tsr::bf16>(result), C, R, C);
    };
    if (call.aligned(16, x, b, r, result) && C % 8 == 0)
      start(bias_gelu_residual_kernel<8, 1>, tsr::ceil_div(tsr::ceil_div(C * R, 8), 256));
    else if (16 <= R && 32 <= C)
      start(bias_gelu_residual_kernel<1, 8>, tsr::ceil_div(tsr::ceil_div(R, 8) * C, 256));
    else
      start(bias_gelu_residual_kernel<1, 1>, tsr::ceil_div(C * R, 256));
  }
  return call.finish();
}
extern "C" TessStatus bias_gelu_residual_call(const TessValue *args, int32_t count,
                                              TessStream stream) {
  return tsr::call_with(bias_gelu_residual, "bias_gelu_residual", args, count, stream);
}

// def swiglu[R, C](gate: Tensor[R, C, bf16], up: Tensor[R, C, bf16]) -> Tensor[R, C, bf16]
extern "C" TessStatus swiglu(const TessTensor *gate, const TessTensor *up, TessTensor *result,
                             TessStream stream) {
  constexpr int Threads = 256;
  tsr::Call call("swiglu", stream);
  tsr::Dim R("R"), C("C");
  call.input<tsr::bf16>("gate", gate, {R, C});
  call.input<tsr::bf16>("up", up, {R, C});
  call.output<tsr::bf16>("result", result, {R, C});
  if (call.done()) return call.status();

  {
    const auto start = [&](auto *kernel, int64_t count) {
      if (const unsigned groups = call.groups(count))
        kernel<<<groups, Threads, 0, call.stream()>>>(call.data<const tsr::bf16>(gate),
            call.data<const tsr::bf16>(up), call.data<tsr::bf16>(result), C, R);
    };
    if (call.aligned(16, gate, up, result) && C * R % 8 == 0)
      start(swiglu_kernel<8>, tsr::ceil_div(tsr::ceil_div(C * R, 8), 256));
    else
      start(swiglu_kernel<1>, tsr::ceil_div(C * R, 256));
  }
  return call.finish();
}
extern "C" TessStatus swiglu_call(const TessValue *args, int32_t count, TessStream stream) {
  return tsr::call_with(swiglu, "swiglu", args, count, stream);
}
