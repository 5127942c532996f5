// CUDA for attend.tsr, compiled by tesserac. Edit the program, not this file.
// Functions: attend (declared in attend.h).
#include "tessera/device/dtype.h"
#include "tessera/device/math.h"
#include "tessera/device/platform.h"
#include "tessera/device/reduce.h"
#include "tessera/device/shared.h"
#include "tessera/entry.h"
TESS_SET(0000000000000000)  // the headers and the manifest of this compile have the same number

// centers rows: x - mean(x)
template <int D_capacity>
static __global__ void __launch_bounds__(64)
center_kernel(const float *__restrict__ x, float *__restrict__ centered, int64_t D) {
  constexpr int Lanes = 64;
  struct Shared {
    alignas(128) tsr::SharedTile<float, 1, D_capacity> row_tile;
    alignas(128) float scratch[tsr::group_reduce_scratch(Lanes)];
  };
  extern __shared__ __align__(128) unsigned char shared_bytes[];
  Shared &shared = *reinterpret_cast<Shared *>(shared_bytes);
  const int64_t row = int64_t(blockIdx.x) * D;  // attend.tsr:3
  float sum = 0.0f;
  for (int64_t c = int64_t(tsr::lane()); c < D; c += Lanes) {
    shared.row_tile(0, int32_t(c)) = x[row + c];
    sum += shared.row_tile(0, int32_t(c));
  }
  const float mean = tsr::group_reduce<tsr::Sum, Lanes>(sum, shared.scratch) / float(D);
  for (int64_t c = int64_t(tsr::lane()); c < D; c += Lanes) {
    centered[row + c] = shared.row_tile(0, int32_t(c)) - mean;
  }
}

// attend(x: f32[B, 2 * S, D], call: f32) -> f32[B, 2 * S, D]
//   Centers the rows of x twice.
extern "C" TessStatus attend(const TessTensor *x, const TessTensor *s, float /*call*/,
                             TessTensor *stream, TessStream stream2) {
  tsr::Call call2("attend", stream2);
  tsr::Dim B("B"), D("D"), S("S");
  call2.input<float>("x", x, {B, tsr::Extent::later(), D});
  call2.input<tsr::bf16>("s", s, {S});
  call2.output<float>("stream", stream, {B, tsr::Extent::later(), D});
  call2.extent("x", x, 1, 2 * S, "2*S");
  call2.extent("stream", stream, 1, 2 * S, "2*S");
  call2.require(D % 16 == 0, "D % 16 == 0", D % 16, 0, "D % 16");
  call2.require(D <= 256, "D <= 256", D, 256, "D");
  call2.capacity("D", D, 256);
  if (call2.done()) return call2.status();
  float *once = call2.temporary<float>("once", 2 * B * D * S);
  if (call2.failed()) return call2.status();

  if (const unsigned groups = call2.groups(2 * B * S)) {
    const auto start = [&](auto *kernel, int shared_bytes) {
      call2.allow_shared(kernel, shared_bytes);
      if (call2.failed()) return;
      kernel<<<groups, 64, shared_bytes, call2.stream()>>>(call2.data<const float>(x), once, D);
    };
    if (D <= 64) start(center_kernel<64>, 384);
    else start(center_kernel<256>, 1152);
    if (call2.failed()) return call2.status();
  }
  if (const unsigned groups = call2.groups(2 * B * S)) {
    const auto start = [&](auto *kernel, int shared_bytes) {
      call2.allow_shared(kernel, shared_bytes);
      if (call2.failed()) return;
      kernel<<<groups, 64, shared_bytes, call2.stream()>>>(once, call2.data<float>(stream), D);
    };
    if (D <= 64) start(center_kernel<64>, 384);
    else start(center_kernel<256>, 1152);
    if (call2.failed()) return call2.status();
  }
  return call2.finish();
}
extern "C" TessStatus attend_call(const TessValue *args, int32_t count, TessStream stream) {
  return tsr::call_with(attend, "attend", args, count, stream);
}
