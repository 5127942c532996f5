// CPU and GPU code of one module in one program: a call goes to where its arguments are. Here, without a GPU, that is the
// CPU; a tensor that claims to be on a GPU reaches the code for CUDA.
#include "both/scale.hpp"
#include "both/softmax.hpp"
#include "cuda_sm_90a/scale.hpp"
#include <cmath>
#include <cstdio>
#include <vector>

int main() {
  std::vector<float> x(2000, 1.0f), y(2000, -1.0f);
  both::softmax({x, {2, 1000}}, {y, {2, 1000}});
  if (std::fabs(y[1999] - 1e-3f) > 1e-7f) return 1;
  both::scale(x, 3.0f, y);
  if (y[1999] != 3.0f) return 2;
  TessStatus status = both::scale(std::nothrow, {x.data(), {2000}, tessera::rocm()}, 3.0f, y);
  std::printf("on a ROCm device: %s\n", tessLastErrorText());
  if (status != TESS_ERROR_DEVICE) return 3;
  // Host memory is refused by the code for CUDA itself: its text has arrived at the one place of the program.
  status = both::cuda_sm_90a::scale(std::nothrow, x, 3.0f, y);
  std::printf("CUDA with memory of the host: %s\n", tessLastErrorText());
  return status == TESS_ERROR_DEVICE && tessLastErrorText()[0] ? 0 : 4;
}
