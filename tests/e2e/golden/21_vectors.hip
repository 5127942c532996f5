// HIP for 21_vectors.tsr, compiled by tesserac. Edit the program, not this file.
// Functions: matrix_times_vector, vector_times_matrix, outer, energy, greatest (declared in
//   21_vectors.h).
#include "tessera/device/dtype.h"
#include "tessera/device/fragment.h"
#include "tessera/device/math.h"
#include "tessera/device/raster.h"
#include "tessera/device/reduce.h"
#include "tessera/device/view.h"
#include "tessera/entry.h"
TESS_SET(0000000000000000)  // the headers and the manifest of this compile have the same number

// def matrix_times_vector[M, K](A: Tensor[M, K, bf16 @accum(f32)], x: Tensor[K, bf16 @accum(f32)])
//   -> Tensor[M, f32]
//   schedule  128 threads a group
static __global__ void __launch_bounds__(128)
matrix_times_vector_kernel(tsr::View<const tsr::bf16, 2> A, tsr::View<const tsr::bf16, 1> x,
                           tsr::View<float, 1> result, int64_t K) {
  constexpr int ROWS = 64, STEP = 32;
  using Grid = tsr::ThreadGrid<8, 16>;
  const int64_t m = int64_t(blockIdx.x) * ROWS;  // 21_vectors.tsr:9
  tsr::RowVector<float, ROWS, Grid> acc(0.0f);  // :10
  for (int64_t k = 0; k < K; k += STEP) {  // :11
    tsr::Fragment<tsr::bf16, ROWS, STEP, Grid> A_part;  // :12
    tsr::load_fragment(A_part, A, m, k);
    tsr::ColVector<tsr::bf16, STEP, Grid> x_part;
    tsr::load_fragment(x_part, x, k);
    tsr::Fragment<float, ROWS, STEP, Grid> product;
    #pragma unroll
    for (int i = 0; i < product.rows; ++i) {
      #pragma unroll
      for (int j = 0; j < product.cols; ++j) {
        product(i, j) = tsr::to<float>(A_part(i, j)) * tsr::to<float>(x_part(j));
      }
    }
    const tsr::RowVector<float, ROWS, Grid> row_sum = tsr::row_reduce<tsr::Sum>(product);
    #pragma unroll
    for (int i = 0; i < acc.rows; ++i) {
      acc(i) += row_sum(i);
    }
  }
  tsr::store_fragment(result, acc, m);  // :13
}

// def vector_times_matrix[M, K](A: Tensor[M, K, f32], x: Tensor[M, f32]) -> Tensor[K, f32]
//   schedule  128 threads a group
static __global__ void __launch_bounds__(128)
vector_times_matrix_kernel(tsr::View<const float, 2> A, tsr::View<const float, 1> x,
                           tsr::View<float, 1> result, int64_t M) {
  constexpr int ROWS = 64, STEP = 32;
  using Grid = tsr::ThreadGrid<8, 16>;
  // 21_vectors.tsr:16
  __shared__ float scratch[tsr::col_reduce_scratch<tsr::Fragment<float, STEP, ROWS, Grid>>];
  const int64_t k = int64_t(blockIdx.x) * ROWS;  // :17
  tsr::ColVector<float, ROWS, Grid> acc(0.0f);  // :18
  for (int64_t m = 0; m < M; m += STEP) {  // :19
    tsr::RowVector<float, STEP, Grid> x_part;  // :20
    tsr::load_fragment(x_part, x, m);
    tsr::Fragment<float, STEP, ROWS, Grid> A_part;
    tsr::load_fragment(A_part, A, m, k);
    tsr::Fragment<float, STEP, ROWS, Grid> product;
    #pragma unroll
    for (int i = 0; i < product.rows; ++i) {
      #pragma unroll
      for (int j = 0; j < product.cols; ++j) {
        product(i, j) = x_part(i) * A_part(i, j);
      }
    }
    const tsr::ColVector<float, ROWS, Grid> column_sum = tsr::col_reduce<tsr::Sum>(product,
        scratch);
    #pragma unroll
    for (int j = 0; j < acc.cols; ++j) {
      acc(j) += column_sum(j);
    }
  }
  tsr::store_fragment(result, acc, k);  // :21
}

// def outer[M, K](A: Tensor[M, K, f32], x: Tensor[M, f32], y: Tensor[K, f32]) -> Tensor[M, K, f32]
//   schedule  128 threads a group
static __global__ void __launch_bounds__(128)
outer_kernel(tsr::View<const float, 2> A, tsr::View<const float, 1> x, tsr::View<const float, 1> y,
             tsr::View<float, 2> result, int64_t K) {
  constexpr int ROWS = 64, STEP = 32;
  using Grid = tsr::ThreadGrid<8, 16>;
  // 21_vectors.tsr:25
  const int64_t m = tsr::group_quotient(int64_t(blockIdx.x), tsr::ceil_div(K, STEP)) * ROWS;
  const int64_t k = tsr::group_remainder(int64_t(blockIdx.x), tsr::ceil_div(K, STEP)) * STEP;
  tsr::Fragment<float, ROWS, STEP, Grid> A_part;  // :26
  tsr::load_fragment(A_part, A, m, k);
  tsr::RowVector<float, ROWS, Grid> x_part;
  tsr::load_fragment(x_part, x, m);
  tsr::ColVector<float, STEP, Grid> y_part;
  tsr::load_fragment(y_part, y, k);
  tsr::Fragment<float, ROWS, STEP, Grid> sum;
  #pragma unroll
  for (int i = 0; i < sum.rows; ++i) {
    #pragma unroll
    for (int j = 0; j < sum.cols; ++j) {
      sum(i, j) = A_part(i, j) + x_part(i) * y_part(j);
    }
  }
  tsr::store_fragment(result, sum, m, k);
}

// def energy[K](A: Tensor[ROWS, K, f32], x: Tensor[K, f32]) -> f32
//   schedule  128 threads a group
static __global__ void __launch_bounds__(128)
energy_kernel(tsr::View<const float, 2> A, tsr::View<const float, 1> x, float *__restrict__ result,
              int64_t K) {
  constexpr int ROWS = 64, STEP = 32, Threads = 128;
  using Grid = tsr::ThreadGrid<8, 16>;
  __shared__ float scratch[tsr::group_reduce_scratch(Threads)];  // 21_vectors.tsr:29
  tsr::RowVector<float, ROWS, Grid> acc(0.0f);  // :30
  for (int64_t k = 0; k < K; k += STEP) {  // :31
    tsr::Fragment<float, ROWS, STEP, Grid> A_part;  // :32
    tsr::load_fragment(A_part, A, 0, k);
    tsr::ColVector<float, STEP, Grid> x_part;
    tsr::load_fragment(x_part, x, k);
    tsr::Fragment<float, ROWS, STEP, Grid> product;
    #pragma unroll
    for (int i = 0; i < product.rows; ++i) {
      #pragma unroll
      for (int j = 0; j < product.cols; ++j) {
        product(i, j) = A_part(i, j) * x_part(j);
      }
    }
    const tsr::RowVector<float, ROWS, Grid> row_sum = tsr::row_reduce<tsr::Sum>(product);
    #pragma unroll
    for (int i = 0; i < acc.rows; ++i) {
      acc(i) += row_sum(i);
    }
  }
  tsr::RowVector<float, ROWS, Grid> acc_times_acc;  // :33
  #pragma unroll
  for (int i = 0; i < acc_times_acc.rows; ++i) {
    acc_times_acc(i) = acc(i) * acc(i);
  }
  const float vector_sum = tsr::vector_reduce<tsr::Sum>(acc_times_acc, scratch);
  if (threadIdx.x == 0) {
    result[0] = vector_sum;
  }
}

// def greatest[R, C](x: Tensor[R, C, f32]) -> f32 where R <= ROWS, C <= STEP
//   schedule  128 threads a group
static __global__ void __launch_bounds__(128)
greatest_kernel(tsr::View<const float, 2> x, float *__restrict__ result, int64_t C, int64_t R) {
  constexpr int ROWS = 64, STEP = 32, Threads = 128;
  using Grid = tsr::ThreadGrid<8, 16>;
  __shared__ float scratch[tsr::group_reduce_scratch(Threads)];  // 21_vectors.tsr:36
  tsr::Fragment<float, ROWS, STEP, Grid> value;  // :37
  tsr::load_fragment(value, x, 0, 0);
  if (int32_t(R) < int32_t(ROWS)) {
    #pragma unroll
    for (int i = 0; i < value.rows; ++i) {
      #pragma unroll
      for (int j = 0; j < value.cols; ++j) {
        value(i, j) = value.row(i) < int32_t(R) ? value(i, j) : -INFINITY;
      }
    }
  }
  if (int32_t(C) < int32_t(STEP)) {
    #pragma unroll
    for (int i = 0; i < value.rows; ++i) {
      #pragma unroll
      for (int j = 0; j < value.cols; ++j) {
        value(i, j) = value.col(j) < int32_t(C) ? value(i, j) : -INFINITY;
      }
    }
  }
  const tsr::RowVector<float, ROWS, Grid> row_max = tsr::row_reduce<tsr::Max>(value);
  const float vector_max = tsr::vector_reduce<tsr::Max>(row_max, scratch);
  if (threadIdx.x == 0) {
    result[0] = vector_max;
  }
}

// def matrix_times_vector[M, K](A: Tensor[M, K, bf16 @accum(f32)], x: Tensor[K, bf16 @accum(f32)])
//   -> Tensor[M, f32]
extern "C" TessStatus matrix_times_vector(const TessTensor *A, const TessTensor *x,
                                          TessTensor *result, TessStream stream) {
  constexpr int ROWS = 64, Threads = 128;
  tsr::Call call("matrix_times_vector", stream);
  tsr::Dim M("M"), K("K");
  call.input<tsr::bf16>("A", A, {M, K});
  call.input<tsr::bf16>("x", x, {K});
  call.output<float>("result", result, {M});
  if (call.done()) return call.status();

  if (const unsigned groups = call.groups(tsr::ceil_div(M, ROWS))) {
    hipLaunchKernelGGL(matrix_times_vector_kernel, dim3(groups), dim3(Threads), 0, call.stream(),
        tsr::View<const tsr::bf16, 2>{call.data<const tsr::bf16>(A), {M, K}},
        tsr::View<const tsr::bf16, 1>{call.data<const tsr::bf16>(x), {K}},
        tsr::View<float, 1>{call.data<float>(result), {M}}, K);
  }
  return call.finish();
}
extern "C" TessStatus matrix_times_vector_call(const TessValue *args, int32_t count,
                                               TessStream stream) {
  return tsr::call_with(matrix_times_vector, "matrix_times_vector", args, count, stream);
}

// def vector_times_matrix[M, K](A: Tensor[M, K, f32], x: Tensor[M, f32]) -> Tensor[K, f32]
extern "C" TessStatus vector_times_matrix(const TessTensor *A, const TessTensor *x,
                                          TessTensor *result, TessStream stream) {
  constexpr int ROWS = 64, Threads = 128;
  tsr::Call call("vector_times_matrix", stream);
  tsr::Dim M("M"), K("K");
  call.input<float>("A", A, {M, K});
  call.input<float>("x", x, {M});
  call.output<float>("result", result, {K});
  if (call.done()) return call.status();

  if (const unsigned groups = call.groups(tsr::ceil_div(K, ROWS))) {
    hipLaunchKernelGGL(vector_times_matrix_kernel, dim3(groups), dim3(Threads), 0, call.stream(),
        tsr::View<const float, 2>{call.data<const float>(A), {M, K}},
        tsr::View<const float, 1>{call.data<const float>(x), {M}},
        tsr::View<float, 1>{call.data<float>(result), {K}}, M);
  }
  return call.finish();
}
extern "C" TessStatus vector_times_matrix_call(const TessValue *args, int32_t count,
                                               TessStream stream) {
  return tsr::call_with(vector_times_matrix, "vector_times_matrix", args, count, stream);
}

// def outer[M, K](A: Tensor[M, K, f32], x: Tensor[M, f32], y: Tensor[K, f32]) -> Tensor[M, K, f32]
extern "C" TessStatus outer(const TessTensor *A, const TessTensor *x, const TessTensor *y,
                            TessTensor *result, TessStream stream) {
  constexpr int ROWS = 64, STEP = 32, Threads = 128;
  tsr::Call call("outer", stream);
  tsr::Dim M("M"), K("K");
  call.input<float>("A", A, {M, K});
  call.input<float>("x", x, {M});
  call.input<float>("y", y, {K});
  call.output<float>("result", result, {M, K});
  if (call.done()) return call.status();

  if (const unsigned groups = call.groups(tsr::ceil_div(K, STEP) * tsr::ceil_div(M, ROWS))) {
    hipLaunchKernelGGL(outer_kernel, dim3(groups), dim3(Threads), 0, call.stream(),
        tsr::View<const float, 2>{call.data<const float>(A), {M, K}},
        tsr::View<const float, 1>{call.data<const float>(x), {M}},
        tsr::View<const float, 1>{call.data<const float>(y), {K}},
        tsr::View<float, 2>{call.data<float>(result), {M, K}}, K);
  }
  return call.finish();
}
extern "C" TessStatus outer_call(const TessValue *args, int32_t count, TessStream stream) {
  return tsr::call_with(outer, "outer", args, count, stream);
}

// def energy[K](A: Tensor[ROWS, K, f32], x: Tensor[K, f32]) -> f32
extern "C" TessStatus energy(const TessTensor *A, const TessTensor *x, TessTensor *result,
                             TessStream stream) {
  constexpr int Threads = 128;
  tsr::Call call("energy", stream);
  tsr::Dim K("K");
  call.input<float>("A", A, {64, K});
  call.input<float>("x", x, {K});
  call.output<float>("result", result, {});
  if (call.done()) return call.status();

  if (const unsigned groups = call.groups(1)) {
    hipLaunchKernelGGL(energy_kernel, dim3(groups), dim3(Threads), 0, call.stream(),
        tsr::View<const float, 2>{call.data<const float>(A), {64, K}},
        tsr::View<const float, 1>{call.data<const float>(x), {K}}, call.data<float>(result), K);
  }
  return call.finish();
}
extern "C" TessStatus energy_call(const TessValue *args, int32_t count, TessStream stream) {
  return tsr::call_with(energy, "energy", args, count, stream);
}

// def greatest[R, C](x: Tensor[R, C, f32]) -> f32 where R <= ROWS, C <= STEP
extern "C" TessStatus greatest(const TessTensor *x, TessTensor *result, TessStream stream) {
  constexpr int Threads = 128;
  tsr::Call call("greatest", stream);
  tsr::Dim R("R"), C("C");
  call.input<float>("x", x, {R, C});
  call.output<float>("result", result, {});
  call.require(R <= 64, "R <= ROWS", R, 64, "R");
  call.require(C <= 32, "C <= STEP", C, 32, "C");
  if (call.done()) return call.status();

  if (const unsigned groups = call.groups(1)) {
    hipLaunchKernelGGL(greatest_kernel, dim3(groups), dim3(Threads), 0, call.stream(),
        tsr::View<const float, 2>{call.data<const float>(x), {R, C}}, call.data<float>(result), C,
        R);
  }
  return call.finish();
}
extern "C" TessStatus greatest_call(const TessValue *args, int32_t count, TessStream stream) {
  return tsr::call_with(greatest, "greatest", args, count, stream);
}
