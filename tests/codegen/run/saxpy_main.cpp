// Calls saxpy as a user would, in the language that it was emitted in, and compares.
#include "saxpy.h"
#include "tessera/host.h"

int main() {
  using tsr::host::Tensor;
  const int64_t n = 1000;
  Tensor x = Tensor::make<float>({n}), y = Tensor::make<float>({n});
  auto *xs = reinterpret_cast<float *>(x.bytes_to_write()), *ys = reinterpret_cast<float *>(y.bytes_to_write());
  for (int64_t i = 0; i < n; ++i) xs[i] = static_cast<float>(i), ys[i] = 1.0f;
  tsr::host::stop_unless_ok(saxpy(x.read(), y.written(), 2.0f, nullptr));
  for (int64_t i = 0; i < n; ++i) tsr::host::check(y.real(i) == 2.0 * static_cast<double>(i) + 1.0, "element " + std::to_string(i) + " is wrong");

  // The same through uniform arguments.
  TessTensor xView = *x.read(), yView = *y.written();
  TessValue arguments[3] = {};
  arguments[0].as.tensor = &xView;
  arguments[1].as.tensor = &yView;
  arguments[2].kind = TESS_VALUE_REAL;
  arguments[2].as.real = -2.0;
  tsr::host::stop_unless_ok(saxpy_call(arguments, 3, nullptr));
  for (int64_t i = 0; i < n; ++i) tsr::host::check(y.real(i) == 1.0, "element " + std::to_string(i) + " is wrong after saxpy_call");
  tsr::host::check(saxpy_call(arguments, 2, nullptr) == TESS_ERROR_ARGUMENT, "a missing argument is noticed");

  // What is wrong is said.
  Tensor shorter = Tensor::make<float>({n - 4});
  tsr::host::check(saxpy(shorter.read(), y.written(), 1.0f, nullptr) == TESS_ERROR_SHAPE, "a wrong extent is noticed");
  tsr::host::print(tessLastErrorText());
  tsr::host::print("ok");
}
