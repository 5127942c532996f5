// A product with extents that no tile divides.
#include "matmul.h"
#include "tessera/host.h"

int main() {
  using tsr::host::Tensor;
  const int64_t M = 70, N = 90, K = 50;
  Tensor A = Tensor::make<tsr::bf16>({M, K}), B = Tensor::make<tsr::bf16>({K, N}), C = Tensor::make<tsr::bf16>({M, N});
  auto *a = reinterpret_cast<tsr::bf16 *>(A.bytes_to_write()), *b = reinterpret_cast<tsr::bf16 *>(B.bytes_to_write());
  for (int64_t i = 0; i < M * K; ++i) a[i] = tsr::to<tsr::bf16>(static_cast<float>(i * 7 % 11 - 5));
  for (int64_t i = 0; i < K * N; ++i) b[i] = tsr::to<tsr::bf16>(static_cast<float>(i * 5 % 13 - 6));
  tsr::host::stop_unless_ok(matmul(A.read(), B.read(), C.written(), nullptr));
  for (int64_t m = 0; m < M; ++m)
    for (int64_t n = 0; n < N; ++n) {
      double sum = 0;
      for (int64_t k = 0; k < K; ++k) sum += A.real(m * K + k) * B.real(k * N + n);
      tsr::host::check(C.real(m * N + n) == C.rounded(sum), "element (" + std::to_string(m) + ", " + std::to_string(n) + ") is " +
                                                                tsr::host::text_of(C.real(m * N + n)) + ", not " + tsr::host::text_of(sum));
    }
  tsr::host::print("ok");
}
