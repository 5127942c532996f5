// Both capacities, dynamic shared memory, temporaries, requirements.
#include "attend.h"
#include "tessera/host.h"

static void centered(int64_t D) {
  using tsr::host::Tensor;
  const int64_t B = 2, S = 3;
  Tensor x = Tensor::make<float>({B, 2 * S, D}), s = Tensor::make<tsr::bf16>({S}), result = Tensor::make<float>({B, 2 * S, D});
  auto *values = reinterpret_cast<float *>(x.bytes_to_write());
  for (int64_t i = 0; i < x.count(); ++i) values[i] = static_cast<float>(i % 17);
  tsr::host::stop_unless_ok(attend(x.read(), s.read(), 0.0f, result.written(), nullptr));
  for (int64_t row = 0; row < B * 2 * S; ++row) {
    double mean = 0;
    for (int64_t c = 0; c < D; ++c) mean += x.real(row * D + c) / static_cast<double>(D);
    for (int64_t c = 0; c < D; ++c)
      tsr::host::check(std::fabs(result.real(row * D + c) - (x.real(row * D + c) - mean)) < 1e-4, "a row is not centered");
  }
}

int main() {
  using tsr::host::Tensor;
  centered(48);
  centered(192);
  Tensor s = Tensor::make<tsr::bf16>({1}), odd = Tensor::make<float>({1, 2, 40}), wide = Tensor::make<float>({1, 2, 512}), other = Tensor::make<float>({1, 3, 48});
  Tensor result = Tensor::make<float>({1, 2, 40}), wideResult = Tensor::make<float>({1, 2, 512}), otherResult = Tensor::make<float>({1, 3, 48});
  tsr::host::check(attend(odd.read(), s.read(), 0.0f, result.written(), nullptr) == TESS_ERROR_REQUIREMENT, "40 % 16 is noticed");
  tsr::host::print(tessLastErrorText());
  tsr::host::check(attend(wide.read(), s.read(), 0.0f, wideResult.written(), nullptr) == TESS_ERROR_REQUIREMENT, "512 > 256 is noticed");
  tsr::host::print(tessLastErrorText());
  tsr::host::check(attend(other.read(), s.read(), 0.0f, otherResult.written(), nullptr) == TESS_ERROR_SHAPE, "3 != 2 * 1 is noticed");
  tsr::host::print(tessLastErrorText());
  tsr::host::print("ok");
}
