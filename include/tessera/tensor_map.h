// What entry functions of Hopper kernels need beside entry.h: maps of tensors for the copy engine.
#pragma once
#include "tessera/device/cuda/tiled_view.h"
#include "tessera/entry.h"

#if defined(TSR_CUDA)
#include <cuda.h>

namespace tsr {
namespace detail {

template <class T> struct MapDType;
template <> struct MapDType<bf16> {
  static constexpr CUtensorMapDataType code = CU_TENSOR_MAP_DATA_TYPE_BFLOAT16;
};
template <> struct MapDType<f16> {
  static constexpr CUtensorMapDataType code = CU_TENSOR_MAP_DATA_TYPE_FLOAT16;
};

template <> struct MapDType<float> {
  static constexpr CUtensorMapDataType code = CU_TENSOR_MAP_DATA_TYPE_FLOAT32;
};
template <> struct MapDType<tf32> : MapDType<float> {};
template <> struct MapDType<int32_t> {
  static constexpr CUtensorMapDataType code = CU_TENSOR_MAP_DATA_TYPE_INT32;
};
// The engine only moves bytes.
template <> struct MapDType<uint8_t> {
  static constexpr CUtensorMapDataType code = CU_TENSOR_MAP_DATA_TYPE_UINT8;
};
template <> struct MapDType<int8_t> : MapDType<uint8_t> {};
template <> struct MapDType<f8e4m3> : MapDType<uint8_t> {};
template <> struct MapDType<f8e5m2> : MapDType<uint8_t> {};

using EncodeTiled = decltype(&cuTensorMapEncodeTiled);

/// The driver's function, found at run time: nothing is linked to the driver.
inline EncodeTiled encode_tiled() {
  static const EncodeTiled found = [] {
    void *function = nullptr;
    cudaDriverEntryPointQueryResult result{};
#if CUDART_VERSION >= 12050
    const cudaError_t error = cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &function, 12000, cudaEnableDefault, &result);
#else
    const cudaError_t error = cudaGetDriverEntryPoint("cuTensorMapEncodeTiled", &function, cudaEnableDefault, &result);
#endif
    return error == cudaSuccess && result == cudaDriverEntryPointSuccess ? reinterpret_cast<EncodeTiled>(function) : nullptr;
  }();
  return found;
}

}  // namespace detail

/// A view with its map, for tiles of `rows` rows along `row_axis` and columns along the last dimension, in panels of 128
/// bytes a row. With `wanted` false (the tensor is not aligned, and is copied element by element) the map stays empty. Rank
/// 2 to 5; begin and rows of the tensor are multiples of 16 bytes.
template <class T, int Rank, class Layout>
TiledView<T, Rank, Layout> tiled(Call &call, const View<T, Rank, Layout> &view, int rows, bool wanted, int row_axis = Rank - 2) {
  static_assert(Rank >= 2 && Rank <= 5, "the copy engine takes two to five dimensions");
  using Element = typename View<T, Rank>::Value;
  TiledView<T, Rank, Layout> result;
  static_cast<View<T, Rank, Layout> &>(result) = view;
  memset(&result.map, 0, sizeof result.map);
  if (!wanted || call.failed()) return result;
  const detail::EncodeTiled encode = detail::encode_tiled();
  if (!encode) {
    call.fail(TESS_ERROR_LAUNCH, "the driver has no cuTensorMapEncodeTiled: CUDA 12 or later is needed");
    return result;
  }
  cuuint64_t extents[Rank], strides[Rank];
  cuuint32_t box[Rank], steps[Rank];
  for (int d = 0; d < Rank; ++d) {  // innermost first; an empty tensor is never read, but its map is made
    const int axis = Rank - 1 - d;
    extents[d] = view.extent[axis] > 0 ? static_cast<cuuint64_t>(view.extent[axis]) : 1;
    const int64_t bytes = axis == 0 ? 16 : view.stride(axis - 1) * static_cast<int64_t>(sizeof(Element));
    strides[d] = bytes < 16 ? 16 : static_cast<cuuint64_t>(bytes);  // of dimension d + 1
    box[d] = d == 0 ? 128 / sizeof(Element) : axis == row_axis ? static_cast<cuuint32_t>(rows) : 1;
    steps[d] = 1;
  }
  const CUresult error = encode(reinterpret_cast<CUtensorMap *>(&result.map), detail::MapDType<Element>::code, Rank,
                                const_cast<Element *>(view.data), extents, strides, box, steps, CU_TENSOR_MAP_INTERLEAVE_NONE,
                                CU_TENSOR_MAP_SWIZZLE_128B, CU_TENSOR_MAP_L2_PROMOTION_L2_128B, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
  if (error != CUDA_SUCCESS)
    call.fail(TESS_ERROR_LAUNCH, "the driver makes no tensor map (error %d): an extent is 2^32 or more?", static_cast<int>(error));
  return result;
}

/// Groups of a kernel that goes over its tiles in a loop: no more than the device runs at a time, one a processor.
inline unsigned resident_groups(unsigned groups) {
  const auto processors = static_cast<unsigned>(detail::processors());
  return processors == 0 || groups < processors ? groups : processors;
}

}  // namespace tsr
#endif
