// C++ for 11_mlp_grad.tsr, compiled by tesserac. Edit the program, not this file.
// Functions: loss, sgd_step, sharp_gelu, sharp_gelu_vjp, grad_loss (declared in 11_mlp_grad.h).
#include "tessera/device/copy.h"
#include "tessera/device/cpu/operands.h"
#include "tessera/device/cpu/stream.h"
#include "tessera/device/dot.h"
#include "tessera/device/fragment.h"
#include "tessera/device/math.h"
#include "tessera/device/shared.h"
#include "tessera/device/view.h"
#include "tessera/entry.h"
TESS_SET(0000000000000000)  // the headers and the manifest of this compile have the same number

// def loss[B, I, H, O](x: Tensor[B, I, f32], y: Tensor[B, O, f32], W1: Tensor[I, H, f32], b1:
//   Tensor[H, f32], W2: Tensor[H, O, f32], b2: Tensor[O, f32]) -> f32
//   schedule  m = 256, n = 128, k = 256
//   contract: a group adds up a tile of the product in its registers; what follows with b1 is done
//     on the sums, before they are stored
static void
loss_h_kernel(tsr::View<const float, 2> x, tsr::View<const float, 2> W1,
              tsr::View<const float, 1> b1, tsr::View<float, 2> h, int64_t B, int64_t H,
              int64_t I_) {
  constexpr int BM = 256, BN = 128, BK = 256;
  using Grid = tsr::ThreadGrid<1, 1>;
  // 11_mlp_grad.tsr:5
  #pragma omp parallel for
  for (int64_t group = 0; group < tsr::ceil_div(B, BM) * tsr::ceil_div(H, BN); ++group) {
    tsr::LeftInPlace<float, BM, BK> x_tile;  // :2
    tsr::RightPanels<float, BK, BN> W1_tile;  // :3
    const int64_t m = group / tsr::ceil_div(H, BN) * BM;  // :5
    const int64_t n = group % tsr::ceil_div(H, BN) * BN;
    tsr::Fragment<float, BM, BN, Grid> acc(0.0f);
    for (int64_t k = 0; k < I_; k += BK) {
      tsr::copy_tile<1>(x_tile, x, m, k);  // :2
      tsr::copy_tile<1>(W1_tile, W1, k, n);  // :3
      tsr::dot(acc, x_tile, W1_tile);  // :5
    }
    tsr::ColVector<float, BN, Grid> b1_tile;  // :3
    tsr::load_fragment(b1_tile, b1, n);
    tsr::Fragment<float, BM, BN, Grid> h0;  // :5
    for (int i = 0; i < acc.rows; ++i) {
      #pragma omp simd
      for (int j = 0; j < acc.cols; ++j) {
        const float acc_plus_b1_tile = acc(i, j) + b1_tile(j);
        h0(i, j) = tsr::max(acc_plus_b1_tile, 0.0f);
      }
    }
    tsr::store_fragment(h, h0, m, n);
  }
}

// def loss[B, I, H, O](x: Tensor[B, I, f32], y: Tensor[B, O, f32], W1: Tensor[I, H, f32], b1:
//   Tensor[H, f32], W2: Tensor[H, O, f32], b2: Tensor[O, f32]) -> f32
//   schedule  m = 256, n = 128, k = 256
//   contract: a group adds up a tile of the product in its registers; what follows with b2 and y is
//     done on the sums, before they are stored
static void
loss_losses_kernel(tsr::View<const float, 2> h, tsr::View<const float, 2> W2,
                   tsr::View<const float, 1> b2, tsr::View<const float, 2> y,
                   tsr::View<float, 2> losses, int64_t B, int64_t O, int64_t H) {
  constexpr int BM = 256, BN = 128, BK = 256;
  using Grid = tsr::ThreadGrid<1, 1>;
  // 11_mlp_grad.tsr:6
  #pragma omp parallel for
  for (int64_t group = 0; group < tsr::ceil_div(B, BM) * tsr::ceil_div(O, BN); ++group) {
    tsr::LeftInPlace<float, BM, BK> h_tile;  // :5
    tsr::RightPanels<float, BK, BN> W2_tile;  // :4
    const int64_t m = group / tsr::ceil_div(O, BN) * BM;  // :6
    const int64_t n = group % tsr::ceil_div(O, BN) * BN;
    tsr::Fragment<float, BM, BN, Grid> acc(0.0f);
    for (int64_t k = 0; k < H; k += BK) {
      tsr::copy_tile<1>(h_tile, h, m, k);  // :5
      tsr::copy_tile<1>(W2_tile, W2, k, n);  // :4
      tsr::dot(acc, h_tile, W2_tile);  // :6
    }
    tsr::ColVector<float, BN, Grid> b2_tile;  // :4
    tsr::load_fragment(b2_tile, b2, n);
    tsr::Fragment<float, BM, BN, Grid> prediction;  // :6
    for (int i = 0; i < prediction.rows; ++i) {
      #pragma omp simd
      for (int j = 0; j < prediction.cols; ++j) {
        prediction(i, j) = acc(i, j) + b2_tile(j);
      }
    }
    tsr::Fragment<float, BM, BN, Grid> y_tile;  // :2
    tsr::load_fragment(y_tile, y, m, n);
    tsr::Fragment<float, BM, BN, Grid> losses_2;  // :6
    for (int i = 0; i < prediction.rows; ++i) {
      #pragma omp simd
      for (int j = 0; j < prediction.cols; ++j) {
        const float difference = prediction(i, j) - y_tile(i, j);
        losses_2(i, j) = difference * difference;
      }
    }
    tsr::store_fragment(losses, losses_2, m, n);
  }
}

// def loss[B, I, H, O](x: Tensor[B, I, f32], y: Tensor[B, O, f32], W1: Tensor[I, H, f32], b1:
//   Tensor[H, f32], W2: Tensor[H, O, f32], b2: Tensor[O, f32]) -> f32
//   a group adds up a part of the elements; the next kernel adds up the parts
static void
loss_parts_kernel(const float *__restrict__ losses, const float *__restrict__ /*result*/,
                  float *__restrict__ parts, int64_t B, int64_t O) {
  #pragma omp parallel for
  for (int64_t part = 0; part <  // 11_mlp_grad.tsr:6
      tsr::ceil_div(B * O, 2048 * tsr::max<int64_t>(tsr::ceil_div(B * O, 2097152), 8)); ++part) {
    const int64_t first = part * (2048 * tsr::max<int64_t>(tsr::ceil_div(B * O, 2097152), 8));
    const int64_t end = tsr::min(first + 2048 * tsr::max<int64_t>(tsr::ceil_div(B * O, 2097152), 8),
        B * O);
    float losses_sum = 0.0f;
    #pragma omp simd reduction(+ : losses_sum)
    for (int64_t i = first; i < end; ++i) {
      losses_sum += losses[i / O * O + i % O];
    }
    parts[part] = losses_sum;
  }
}

// def loss[B, I, H, O](x: Tensor[B, I, f32], y: Tensor[B, O, f32], W1: Tensor[I, H, f32], b1:
//   Tensor[H, f32], W2: Tensor[H, O, f32], b2: Tensor[O, f32]) -> f32
//   one group reduces everything
static void
loss_kernel(const float *__restrict__ /*losses*/, float *__restrict__ result,
            const float *__restrict__ parts, int64_t B, int64_t O) {
  float sum = 0.0f;  // 11_mlp_grad.tsr:6
  #pragma omp simd reduction(+ : sum)
  for (int64_t part = 0; part <
      tsr::ceil_div(B * O, 2048 * tsr::max<int64_t>(tsr::ceil_div(B * O, 2097152), 8)); ++part) {
    sum += parts[part];
  }
  result[0] = sum / float(B * O);
}

// def sgd_step[B, I, H, O](x: Tensor[B, I, f32], y: Tensor[B, O, f32], W1: Tensor[I, H, f32], b1:
//   Tensor[H, f32], W2: Tensor[H, O, f32], b2: Tensor[O, f32], lr: f32)
//   schedule  m = 256, n = 128, k = 256
//   contract: a group adds up a tile of the product in its registers; what follows with b2 and y is
//     done on the sums, before they are stored; what is made of each element is stored with it
static void
sgd_step_difference_kernel(tsr::View<const float, 2> h, tsr::View<const float, 2> W2,
                           tsr::View<const float, 1> b2, tsr::View<const float, 2> y,
                           tsr::View<float, 2> ddifference, tsr::View<float, 2> difference,
                           int64_t B, int64_t O, int64_t H) {
  constexpr int BM = 256, BN = 128, BK = 256;
  using Grid = tsr::ThreadGrid<1, 1>;
  // 11_mlp_grad.tsr:6
  #pragma omp parallel for
  for (int64_t group = 0; group < tsr::ceil_div(B, BM) * tsr::ceil_div(O, BN); ++group) {
    tsr::LeftInPlace<float, BM, BK> h_tile;  // :5
    tsr::RightPanels<float, BK, BN> W2_tile;  // :13
    const int64_t m = group / tsr::ceil_div(O, BN) * BM;  // :6
    const int64_t n = group % tsr::ceil_div(O, BN) * BN;
    tsr::Fragment<float, BM, BN, Grid> acc(0.0f);
    for (int64_t k = 0; k < H; k += BK) {
      tsr::copy_tile<1>(h_tile, h, m, k);  // :5
      tsr::copy_tile<1>(W2_tile, W2, k, n);  // :13
      tsr::dot(acc, h_tile, W2_tile);  // :6
    }
    tsr::ColVector<float, BN, Grid> b2_tile;  // :13
    tsr::load_fragment(b2_tile, b2, n);
    tsr::Fragment<float, BM, BN, Grid> prediction;  // :6
    for (int i = 0; i < prediction.rows; ++i) {
      #pragma omp simd
      for (int j = 0; j < prediction.cols; ++j) {
        prediction(i, j) = acc(i, j) + b2_tile(j);
      }
    }
    tsr::Fragment<float, BM, BN, Grid> y_tile;  // :11
    tsr::load_fragment(y_tile, y, m, n);
    tsr::Fragment<float, BM, BN, Grid> difference_2;  // :6
    tsr::Fragment<float, BM, BN, Grid> ddifference_2;
    for (int i = 0; i < difference_2.rows; ++i) {
      #pragma omp simd
      for (int j = 0; j < difference_2.cols; ++j) {
        difference_2(i, j) = prediction(i, j) - y_tile(i, j);
        ddifference_2(i, j) = 1.0f / float(B * O) * (2.0f * difference_2(i, j));
      }
    }
    tsr::store_fragment(difference, difference_2, m, n);
    tsr::store_fragment(ddifference, ddifference_2, m, n);
  }
}

// def sgd_step[B, I, H, O](x: Tensor[B, I, f32], y: Tensor[B, O, f32], W1: Tensor[I, H, f32], b1:
//   Tensor[H, f32], W2: Tensor[H, O, f32], b2: Tensor[O, f32], lr: f32)
//   a group adds up a part of the elements; the next kernel adds up the parts
static void
sgd_step_parts_kernel(const float *__restrict__ difference, const float *__restrict__ /*result_4*/,
                      float *__restrict__ parts, int64_t B, int64_t O) {
  #pragma omp parallel for
  for (int64_t part = 0; part <  // 11_mlp_grad.tsr:16
      tsr::ceil_div(B * O, 2048 * tsr::max<int64_t>(tsr::ceil_div(B * O, 2097152), 8)); ++part) {
    // :6
    const int64_t first = part * (2048 * tsr::max<int64_t>(tsr::ceil_div(B * O, 2097152), 8));
    const int64_t end = tsr::min(first + 2048 * tsr::max<int64_t>(tsr::ceil_div(B * O, 2097152), 8),
        B * O);
    float losses_sum = 0.0f;
    #pragma omp simd reduction(+ : losses_sum)
    for (int64_t i = first; i < end; ++i) {
      const float difference_i = difference[i / O * O + i % O];
      const float losses = difference_i * difference_i;
      losses_sum += losses;
    }
    parts[part] = losses_sum;
  }
}

// def sgd_step[B, I, H, O](x: Tensor[B, I, f32], y: Tensor[B, O, f32], W1: Tensor[I, H, f32], b1:
//   Tensor[H, f32], W2: Tensor[H, O, f32], b2: Tensor[O, f32], lr: f32)
//   schedule  m = 256, n = 128, k = 256
//   contract: a group adds up a tile of the product in its registers; what follows with h is done
//     on the sums, before they are stored
static void
sgd_step_kernel_1(tsr::View<const float, 2> h, tsr::View<const float, 2> ddifference,
                  tsr::View<const float, 2> W2, tsr::View<float, 2> result, int64_t B, int64_t H,
                  int64_t O) {
  constexpr int BM = 256, BN = 128, BK = 256;
  using Grid = tsr::ThreadGrid<1, 1>;
  // 11_mlp_grad.tsr:5
  #pragma omp parallel for
  for (int64_t group = 0; group < tsr::ceil_div(B, BM) * tsr::ceil_div(H, BN); ++group) {
    tsr::LeftInPlace<float, BM, BK> ddifference_tile;  // :6
    tsr::RightPanels<float, BK, BN> W2_tile;  // :13
    const int64_t m = group / tsr::ceil_div(H, BN) * BM;  // :6
    const int64_t n = group % tsr::ceil_div(H, BN) * BN;
    tsr::Fragment<float, BM, BN, Grid> acc(0.0f);
    for (int64_t k = 0; k < O; k += BK) {
      tsr::copy_tile<1>(ddifference_tile, ddifference, m, k);
      tsr::copy_transposed_tile<1>(W2_tile, W2, n, k);  // :13
      tsr::dot(acc, ddifference_tile, W2_tile);  // :6
    }
    tsr::Fragment<float, BM, BN, Grid> h_tile;  // :5
    tsr::load_fragment(h_tile, h, m, n);
    tsr::Fragment<float, BM, BN, Grid> acc_masked;
    for (int i = 0; i < acc_masked.rows; ++i) {
      #pragma omp simd
      for (int j = 0; j < acc_masked.cols; ++j) {
        acc_masked(i, j) = h_tile(i, j) > 0.0f ? acc(i, j) : 0.0f;
      }
    }
    tsr::store_fragment(result, acc_masked, m, n);
  }
}

// def sgd_step[B, I, H, O](x: Tensor[B, I, f32], y: Tensor[B, O, f32], W1: Tensor[I, H, f32], b1:
//   Tensor[H, f32], W2: Tensor[H, O, f32], b2: Tensor[O, f32], lr: f32)
//   schedule  m = 256, n = 128, k = 256
//   contract: a group adds up a tile of the product in its registers; what follows with W1 and lr
//     is done on the sums, before they are stored
static void
sgd_step_kernel_2(tsr::View<const float, 2> W1, float lr, tsr::View<const float, 2> x,
                  tsr::View<const float, 2> temporary, tsr::View<float, 2> result_0, int64_t H,
                  int64_t I_, int64_t B) {
  constexpr int BM = 256, BN = 128, BK = 256;
  using Grid = tsr::ThreadGrid<1, 1>;
  // 11_mlp_grad.tsr:16
  #pragma omp parallel for
  for (int64_t group = 0; group < tsr::ceil_div(H, BN) * tsr::ceil_div(I_, BM); ++group) {
    tsr::LeftRows<float, BK, BM> x_tile;  // :11
    tsr::RightPanels<float, BK, BN> temporary_tile;  // :5
    const int64_t m = group / tsr::ceil_div(H, BN) * BM;
    const int64_t n = group % tsr::ceil_div(H, BN) * BN;
    tsr::Fragment<float, BM, BN, Grid> acc(0.0f);
    for (int64_t k = 0; k < B; k += BK) {
      tsr::copy_tile<1>(x_tile, x, k, m);  // :11
      tsr::copy_tile<1>(temporary_tile, temporary, k, n);  // :5
      tsr::dot(acc, tsr::transposed(x_tile), temporary_tile);
    }
    tsr::Fragment<float, BM, BN, Grid> W1_tile;  // :12
    tsr::load_fragment(W1_tile, W1, m, n);
    tsr::Fragment<float, BM, BN, Grid> difference;  // :16
    for (int i = 0; i < difference.rows; ++i) {
      #pragma omp simd
      for (int j = 0; j < difference.cols; ++j) {
        difference(i, j) = W1_tile(i, j) - lr * acc(i, j);
      }
    }
    tsr::store_fragment(result_0, difference, m, n);
  }
}

// def sgd_step[B, I, H, O](x: Tensor[B, I, f32], y: Tensor[B, O, f32], W1: Tensor[I, H, f32], b1:
//   Tensor[H, f32], W2: Tensor[H, O, f32], b2: Tensor[O, f32], lr: f32)
//   one lane an element of the result; it adds up by itself
static void
sgd_step_kernel_3(const float *__restrict__ b1, float lr, const float *__restrict__ temporary,
                  float *__restrict__ result_1, int64_t H, int64_t B) {
  #pragma omp parallel for
  for (int64_t i = 0; i < H; ++i) {  // 11_mlp_grad.tsr:16
    float db1 = 0.0f;  // :5
    for (int64_t i_2 = 0; i_2 < B; ++i_2) {
      db1 += temporary[i_2 * H + i];
    }
    result_1[i] = b1[i] - lr * db1;  // :16
  }
}

// def sgd_step[B, I, H, O](x: Tensor[B, I, f32], y: Tensor[B, O, f32], W1: Tensor[I, H, f32], b1:
//   Tensor[H, f32], W2: Tensor[H, O, f32], b2: Tensor[O, f32], lr: f32)
//   schedule  m = 256, n = 128, k = 256
//   contract: a group adds up a tile of the product in its registers; what follows with W2 and lr
//     is done on the sums, before they are stored
static void
sgd_step_kernel_4(tsr::View<const float, 2> W2, float lr, tsr::View<const float, 2> h,
                  tsr::View<const float, 2> ddifference, tsr::View<float, 2> result_2, int64_t H,
                  int64_t O, int64_t B) {
  constexpr int BM = 256, BN = 128, BK = 256;
  using Grid = tsr::ThreadGrid<1, 1>;
  // 11_mlp_grad.tsr:16
  #pragma omp parallel for
  for (int64_t group = 0; group < tsr::ceil_div(H, BM) * tsr::ceil_div(O, BN); ++group) {
    tsr::LeftRows<float, BK, BM> h_tile;  // :5
    tsr::RightPanels<float, BK, BN> ddifference_tile;  // :6
    const int64_t m = group / tsr::ceil_div(O, BN) * BM;
    const int64_t n = group % tsr::ceil_div(O, BN) * BN;
    tsr::Fragment<float, BM, BN, Grid> acc(0.0f);
    for (int64_t k = 0; k < B; k += BK) {
      tsr::copy_tile<1>(h_tile, h, k, m);  // :5
      tsr::copy_tile<1>(ddifference_tile, ddifference, k, n);  // :6
      tsr::dot(acc, tsr::transposed(h_tile), ddifference_tile);
    }
    tsr::Fragment<float, BM, BN, Grid> W2_tile;  // :13
    tsr::load_fragment(W2_tile, W2, m, n);
    tsr::Fragment<float, BM, BN, Grid> difference;  // :16
    for (int i = 0; i < difference.rows; ++i) {
      #pragma omp simd
      for (int j = 0; j < difference.cols; ++j) {
        difference(i, j) = W2_tile(i, j) - lr * acc(i, j);
      }
    }
    tsr::store_fragment(result_2, difference, m, n);
  }
}

// def sgd_step[B, I, H, O](x: Tensor[B, I, f32], y: Tensor[B, O, f32], W1: Tensor[I, H, f32], b1:
//   Tensor[H, f32], W2: Tensor[H, O, f32], b2: Tensor[O, f32], lr: f32)
//   one lane an element of the result; it adds up by itself
static void
sgd_step_kernel_5(const float *__restrict__ b2, float lr, const float *__restrict__ difference,
                  float *__restrict__ result_3, int64_t O, int64_t B) {
  #pragma omp parallel for
  for (int64_t i = 0; i < O; ++i) {  // 11_mlp_grad.tsr:16
    float difference_sum = 0.0f;  // :6
    #pragma omp simd reduction(+ : difference_sum)
    for (int64_t i_2 = 0; i_2 < B; ++i_2) {
      difference_sum += difference[i_2 * O + i];
    }
    const float db2 = 2.0f * (1.0f / float(B * O)) * difference_sum;
    result_3[i] = b2[i] - lr * db2;  // :16
  }
}

// def sharp_gelu[N](x: Tensor[N, f32]) -> Tensor[N, f32]
//   one lane an element
static void sharp_gelu_kernel(const float *__restrict__ x, float *__restrict__ result, int64_t N) {
  #pragma omp parallel for
  for (int64_t i0 = 0; i0 < N; i0 += 4096) {  // 11_mlp_grad.tsr:20
    const tsr::Streaming streaming(result, 1, N);
    tsr::Line<float, 4096> result_line(result, N, i0, streaming);
    #pragma omp simd
    for (int64_t i = result_line.begin; i < result_line.end; ++i) {
      const float x_i = x[i];  // :19
      result_line(i) = 0.5f * x_i *  // :20
          (1.0f + tsr::tanh(0.7978846f * (x_i + 0.044715f * (x_i * x_i * x_i))));
    }
  }
}

// def sharp_gelu_vjp[N](x: Tensor[N, f32], y: Tensor[N, f32], dy: Tensor[N, f32]) -> Tensor[N, f32]
//   one lane an element
static void
sharp_gelu_vjp_kernel(const float *__restrict__ dy, const float *__restrict__ x,
                      float *__restrict__ result, int64_t N) {
  #pragma omp parallel for
  for (int64_t i0 = 0; i0 < N; i0 += 4096) {  // 11_mlp_grad.tsr:25
    const tsr::Streaming streaming(result, 1, N);
    tsr::Line<float, 4096> result_line(result, N, i0, streaming);
    #pragma omp simd
    for (int64_t i = result_line.begin; i < result_line.end; ++i) {
      const float x_i = x[i];  // :23
      const float x_times_x = x_i * x_i;  // :24
      const float t = tsr::tanh(0.7978846f * (x_i + 0.044715f * (x_times_x * x_i)));
      result_line(i) = dy[i] *  // :25
          (0.5f * (1.0f + t) +
          0.5f * x_i * (1.0f - t * t) * 0.7978846f * (1.0f + 0.134145f * x_times_x));
    }
  }
}

// grad_loss = grad(loss, wrt=("W1", "b1", "W2", "b2"))
//   one lane an element of the result; it adds up by itself
static void
grad_loss_kernel(const float *__restrict__ difference, float *__restrict__ result_3, int64_t O,
                 int64_t B) {
  #pragma omp parallel for
  for (int64_t i0 = 0; i0 < O; i0 += 128) {  // 11_mlp_grad.tsr:6
    const int64_t end = tsr::min<int64_t>(i0 + 128, O);
    float difference_sum[128];
    #pragma omp simd
    for (int64_t i = i0; i < end; ++i) {
      difference_sum[i - i0] = 0.0f;
    }
    for (int64_t row = 0; row < B; ++row) {
      tsr::read_rows_ahead<128>(difference, row, B, O, i0);
      #pragma omp simd
      for (int64_t i = i0; i < end; ++i) {
        difference_sum[i - i0] += difference[row * O + i];
      }
    }
    #pragma omp simd
    for (int64_t i = i0; i < end; ++i) {
      const float db2 = 2.0f * (1.0f / float(B * O)) * difference_sum[i - i0];
      result_3[i] = db2;
    }
  }
}

// grad_loss = grad(loss, wrt=("W1", "b1", "W2", "b2"))
//   schedule  m = 256, n = 128, k = 256
//   contract: a group adds up a tile of the product in its registers
static void
grad_loss_kernel_1(tsr::View<const float, 2> h, tsr::View<const float, 2> ddifference,
                   tsr::View<float, 2> result_2, int64_t H, int64_t O, int64_t B) {
  constexpr int BM = 256, BN = 128, BK = 256;
  using Grid = tsr::ThreadGrid<1, 1>;
  // 11_mlp_grad.tsr:6
  #pragma omp parallel for
  for (int64_t group = 0; group < tsr::ceil_div(H, BM) * tsr::ceil_div(O, BN); ++group) {
    tsr::LeftRows<float, BK, BM> h_tile;  // :5
    tsr::RightPanels<float, BK, BN> ddifference_tile;  // :6
    const int64_t m = group / tsr::ceil_div(O, BN) * BM;
    const int64_t n = group % tsr::ceil_div(O, BN) * BN;
    tsr::Fragment<float, BM, BN, Grid> acc(0.0f);
    for (int64_t k = 0; k < B; k += BK) {
      tsr::copy_tile<1>(h_tile, h, k, m);  // :5
      tsr::copy_tile<1>(ddifference_tile, ddifference, k, n);  // :6
      tsr::dot(acc, tsr::transposed(h_tile), ddifference_tile);
    }
    tsr::store_fragment(result_2, acc, m, n);
  }
}

// grad_loss = grad(loss, wrt=("W1", "b1", "W2", "b2"))
//   one lane an element of the result; it adds up by itself
static void
grad_loss_kernel_3(const float *__restrict__ temporary, float *__restrict__ result_1, int64_t H,
                   int64_t B) {
  #pragma omp parallel for
  for (int64_t i0 = 0; i0 < H; i0 += 128) {  // 11_mlp_grad.tsr:5
    const int64_t end = tsr::min<int64_t>(i0 + 128, H);
    float db1[128];
    #pragma omp simd
    for (int64_t i = i0; i < end; ++i) {
      db1[i - i0] = 0.0f;
    }
    for (int64_t row = 0; row < B; ++row) {
      tsr::read_rows_ahead<128>(temporary, row, B, H, i0);
      #pragma omp simd
      for (int64_t i = i0; i < end; ++i) {
        db1[i - i0] += temporary[row * H + i];
      }
    }
    #pragma omp simd
    for (int64_t i = i0; i < end; ++i) {
      result_1[i] = db1[i - i0];
    }
  }
}

// grad_loss = grad(loss, wrt=("W1", "b1", "W2", "b2"))
//   schedule  m = 256, n = 128, k = 256
//   contract: a group adds up a tile of the product in its registers
static void
grad_loss_kernel_4(tsr::View<const float, 2> x, tsr::View<const float, 2> temporary,
                   tsr::View<float, 2> result_0, int64_t H, int64_t I_, int64_t B) {
  constexpr int BM = 256, BN = 128, BK = 256;
  using Grid = tsr::ThreadGrid<1, 1>;
  // 11_mlp_grad.tsr:5
  #pragma omp parallel for
  for (int64_t group = 0; group < tsr::ceil_div(H, BN) * tsr::ceil_div(I_, BM); ++group) {
    tsr::LeftRows<float, BK, BM> x_tile;  // :2
    tsr::RightPanels<float, BK, BN> temporary_tile;  // :5
    const int64_t m = group / tsr::ceil_div(H, BN) * BM;
    const int64_t n = group % tsr::ceil_div(H, BN) * BN;
    tsr::Fragment<float, BM, BN, Grid> acc(0.0f);
    for (int64_t k = 0; k < B; k += BK) {
      tsr::copy_tile<1>(x_tile, x, k, m);  // :2
      tsr::copy_tile<1>(temporary_tile, temporary, k, n);  // :5
      tsr::dot(acc, tsr::transposed(x_tile), temporary_tile);
    }
    tsr::store_fragment(result_0, acc, m, n);
  }
}

// def loss[B, I, H, O](x: Tensor[B, I, f32], y: Tensor[B, O, f32], W1: Tensor[I, H, f32], b1:
//   Tensor[H, f32], W2: Tensor[H, O, f32], b2: Tensor[O, f32]) -> f32
extern "C" TessStatus loss(const TessTensor *x, const TessTensor *y, const TessTensor *W1,
                           const TessTensor *b1, const TessTensor *W2, const TessTensor *b2,
                           TessTensor *result, TessStream stream) {
  tsr::Call call("loss", stream);
  tsr::Dim B("B"), I_("I"), O("O"), H("H");
  call.input<float>("x", x, {B, I_});
  call.input<float>("y", y, {B, O});
  call.input<float>("W1", W1, {I_, H});
  call.input<float>("b1", b1, {H});
  call.input<float>("W2", W2, {H, O});
  call.input<float>("b2", b2, {O});
  call.output<float>("result", result, {});
  if (call.done()) return call.status();
  const int64_t size = tsr::max<int64_t>(tsr::ceil_div(B * O, 2097152), 8);
  float *h = call.temporary<float>("h", B * H);
  float *losses = call.temporary<float>("losses", B * O);
  float *parts = call.temporary<float>("parts", tsr::floordiv<int64_t>(B * O + 2048 * size - 1,
      2048 * size));
  if (call.failed()) return call.status();

  loss_h_kernel(tsr::View<const float, 2>{call.data<const float>(x), {B, I_}},
      tsr::View<const float, 2>{call.data<const float>(W1), {I_, H}},
      tsr::View<const float, 1>{call.data<const float>(b1), {H}}, tsr::View<float, 2>{h, {B, H}}, B,
      H, I_);
  loss_losses_kernel(tsr::View<const float, 2>{h, {B, H}},
      tsr::View<const float, 2>{call.data<const float>(W2), {H, O}},
      tsr::View<const float, 1>{call.data<const float>(b2), {O}},
      tsr::View<const float, 2>{call.data<const float>(y), {B, O}},
      tsr::View<float, 2>{losses, {B, O}}, B, O, H);
  loss_parts_kernel(losses, call.data<const float>(result), parts, B, O);
  loss_kernel(losses, call.data<float>(result), parts, B, O);
  return call.finish();
}
extern "C" TessStatus loss_call(const TessValue *args, int32_t count, TessStream stream) {
  return tsr::call_with(loss, "loss", args, count, stream);
}

// def sgd_step[B, I, H, O](x: Tensor[B, I, f32], y: Tensor[B, O, f32], W1: Tensor[I, H, f32], b1:
//   Tensor[H, f32], W2: Tensor[H, O, f32], b2: Tensor[O, f32], lr: f32)
//   Returns the new parameters and the loss before the step.
extern "C" TessStatus sgd_step(const TessTensor *x, const TessTensor *y, const TessTensor *W1,
                               const TessTensor *b1, const TessTensor *W2, const TessTensor *b2,
                               float lr, TessTensor *result_0, TessTensor *result_1,
                               TessTensor *result_2, TessTensor *result_3, TessTensor *result_4,
                               TessStream stream) {
  tsr::Call call("sgd_step", stream);
  tsr::Dim B("B"), I_("I"), O("O"), H("H");
  call.input<float>("x", x, {B, I_});
  call.input<float>("y", y, {B, O});
  call.input<float>("W1", W1, {I_, H});
  call.input<float>("b1", b1, {H});
  call.input<float>("W2", W2, {H, O});
  call.input<float>("b2", b2, {O});
  call.output<float>("result_0", result_0, {I_, H});
  call.output<float>("result_1", result_1, {H});
  call.output<float>("result_2", result_2, {H, O});
  call.output<float>("result_3", result_3, {O});
  call.output<float>("result_4", result_4, {});
  if (call.done()) return call.status();
  const int64_t size = tsr::max<int64_t>(tsr::ceil_div(B * O, 2097152), 8);
  float *h = call.temporary<float>("h", B * H);
  float *difference = call.temporary<float>("difference", B * O);
  float *ddifference = call.temporary<float>("ddifference", B * O);
  float *parts = call.temporary<float>("parts", tsr::floordiv<int64_t>(B * O + 2048 * size - 1,
      2048 * size));
  float *temporary = call.temporary<float>("temporary", B * H);
  if (call.failed()) return call.status();

  loss_h_kernel(tsr::View<const float, 2>{call.data<const float>(x), {B, I_}},
      tsr::View<const float, 2>{call.data<const float>(W1), {I_, H}},
      tsr::View<const float, 1>{call.data<const float>(b1), {H}}, tsr::View<float, 2>{h, {B, H}}, B,
      H, I_);
  sgd_step_difference_kernel(tsr::View<const float, 2>{h, {B, H}},
      tsr::View<const float, 2>{call.data<const float>(W2), {H, O}},
      tsr::View<const float, 1>{call.data<const float>(b2), {O}},
      tsr::View<const float, 2>{call.data<const float>(y), {B, O}},
      tsr::View<float, 2>{ddifference, {B, O}}, tsr::View<float, 2>{difference, {B, O}}, B, O, H);
  sgd_step_parts_kernel(difference, call.data<const float>(result_4), parts, B, O);
  loss_kernel(difference, call.data<float>(result_4), parts, B, O);
  sgd_step_kernel_5(call.data<const float>(b2), lr, difference, call.data<float>(result_3), O, B);
  sgd_step_kernel_1(tsr::View<const float, 2>{h, {B, H}},
      tsr::View<const float, 2>{ddifference, {B, O}},
      tsr::View<const float, 2>{call.data<const float>(W2), {H, O}},
      tsr::View<float, 2>{temporary, {B, H}}, B, H, O);
  sgd_step_kernel_4(tsr::View<const float, 2>{call.data<const float>(W2), {H, O}}, lr,
      tsr::View<const float, 2>{h, {B, H}}, tsr::View<const float, 2>{ddifference, {B, O}},
      tsr::View<float, 2>{call.data<float>(result_2), {H, O}}, H, O, B);
  sgd_step_kernel_2(tsr::View<const float, 2>{call.data<const float>(W1), {I_, H}}, lr,
      tsr::View<const float, 2>{call.data<const float>(x), {B, I_}},
      tsr::View<const float, 2>{temporary, {B, H}},
      tsr::View<float, 2>{call.data<float>(result_0), {I_, H}}, H, I_, B);
  sgd_step_kernel_3(call.data<const float>(b1), lr, temporary, call.data<float>(result_1), H, B);
  return call.finish();
}
extern "C" TessStatus sgd_step_call(const TessValue *args, int32_t count, TessStream stream) {
  return tsr::call_with(sgd_step, "sgd_step", args, count, stream);
}

// def sharp_gelu[N](x: Tensor[N, f32]) -> Tensor[N, f32]
extern "C" TessStatus sharp_gelu(const TessTensor *x, TessTensor *result, TessStream stream) {
  tsr::Call call("sharp_gelu", stream);
  tsr::Dim N("N");
  call.input<float>("x", x, {N});
  call.output<float>("result", result, {N});
  if (call.done()) return call.status();

  sharp_gelu_kernel(call.data<const float>(x), call.data<float>(result), N);
  return call.finish();
}
extern "C" TessStatus sharp_gelu_call(const TessValue *args, int32_t count, TessStream stream) {
  return tsr::call_with(sharp_gelu, "sharp_gelu", args, count, stream);
}

// def sharp_gelu_vjp[N](x: Tensor[N, f32], y: Tensor[N, f32], dy: Tensor[N, f32]) -> Tensor[N, f32]
extern "C" TessStatus sharp_gelu_vjp(const TessTensor *x, const TessTensor *y, const TessTensor *dy,
                                     TessTensor *result, TessStream stream) {
  tsr::Call call("sharp_gelu_vjp", stream);
  tsr::Dim N("N");
  call.input<float>("x", x, {N});
  call.input<float>("y", y, {N});
  call.input<float>("dy", dy, {N});
  call.output<float>("result", result, {N});
  if (call.done()) return call.status();

  sharp_gelu_vjp_kernel(call.data<const float>(dy), call.data<const float>(x),
      call.data<float>(result), N);
  return call.finish();
}
extern "C" TessStatus sharp_gelu_vjp_call(const TessValue *args, int32_t count, TessStream stream) {
  return tsr::call_with(sharp_gelu_vjp, "sharp_gelu_vjp", args, count, stream);
}

// grad_loss = grad(loss, wrt=("W1", "b1", "W2", "b2"))
extern "C" TessStatus grad_loss(const TessTensor *x, const TessTensor *y, const TessTensor *W1,
                                const TessTensor *b1, const TessTensor *W2, const TessTensor *b2,
                                TessTensor *result_0, TessTensor *result_1, TessTensor *result_2,
                                TessTensor *result_3, TessStream stream) {
  tsr::Call call("grad_loss", stream);
  tsr::Dim B("B"), I_("I"), O("O"), H("H");
  call.input<float>("x", x, {B, I_});
  call.input<float>("y", y, {B, O});
  call.input<float>("W1", W1, {I_, H});
  call.input<float>("b1", b1, {H});
  call.input<float>("W2", W2, {H, O});
  call.input<float>("b2", b2, {O});
  call.output<float>("result_0", result_0, {I_, H});
  call.output<float>("result_1", result_1, {H});
  call.output<float>("result_2", result_2, {H, O});
  call.output<float>("result_3", result_3, {O});
  if (call.done()) return call.status();
  float *h = call.temporary<float>("h", B * H);
  float *difference = call.temporary<float>("difference", B * O);
  float *ddifference = call.temporary<float>("ddifference", B * O);
  float *temporary = call.temporary<float>("temporary", B * H);
  if (call.failed()) return call.status();

  loss_h_kernel(tsr::View<const float, 2>{call.data<const float>(x), {B, I_}},
      tsr::View<const float, 2>{call.data<const float>(W1), {I_, H}},
      tsr::View<const float, 1>{call.data<const float>(b1), {H}}, tsr::View<float, 2>{h, {B, H}}, B,
      H, I_);
  sgd_step_difference_kernel(tsr::View<const float, 2>{h, {B, H}},
      tsr::View<const float, 2>{call.data<const float>(W2), {H, O}},
      tsr::View<const float, 1>{call.data<const float>(b2), {O}},
      tsr::View<const float, 2>{call.data<const float>(y), {B, O}},
      tsr::View<float, 2>{ddifference, {B, O}}, tsr::View<float, 2>{difference, {B, O}}, B, O, H);
  grad_loss_kernel(difference, call.data<float>(result_3), O, B);
  grad_loss_kernel_1(tsr::View<const float, 2>{h, {B, H}},
      tsr::View<const float, 2>{ddifference, {B, O}},
      tsr::View<float, 2>{call.data<float>(result_2), {H, O}}, H, O, B);
  sgd_step_kernel_1(tsr::View<const float, 2>{h, {B, H}},
      tsr::View<const float, 2>{ddifference, {B, O}},
      tsr::View<const float, 2>{call.data<const float>(W2), {H, O}},
      tsr::View<float, 2>{temporary, {B, H}}, B, H, O);
  grad_loss_kernel_3(temporary, call.data<float>(result_1), H, B);
  grad_loss_kernel_4(tsr::View<const float, 2>{call.data<const float>(x), {B, I_}},
      tsr::View<const float, 2>{temporary, {B, H}},
      tsr::View<float, 2>{call.data<float>(result_0), {I_, H}}, H, I_, B);
  return call.finish();
}
extern "C" TessStatus grad_loss_call(const TessValue *args, int32_t count, TessStream stream) {
  return tsr::call_with(grad_loss, "grad_loss", args, count, stream);
}
