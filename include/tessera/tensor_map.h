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

/// A function of the driver, found at run time: nothing is linked to the driver.
inline void *driver_function(const char *name) {
  void *function = nullptr;
  cudaDriverEntryPointQueryResult result{};
#if CUDART_VERSION >= 12050
  const cudaError_t error = cudaGetDriverEntryPointByVersion(name, &function, 12000, cudaEnableDefault, &result);
#else
  const cudaError_t error = cudaGetDriverEntryPoint(name, &function, cudaEnableDefault, &result);
#endif
  return error == cudaSuccess && result == cudaDriverEntryPointSuccess ? function : nullptr;
}

inline decltype(&cuTensorMapEncodeTiled) encode_tiled() {
  static const auto found = reinterpret_cast<decltype(&cuTensorMapEncodeTiled)>(driver_function("cuTensorMapEncodeTiled"));
  return found;
}
inline decltype(&cuTensorMapEncodeIm2col) encode_windows() {
  static const auto found = reinterpret_cast<decltype(&cuTensorMapEncodeIm2col)>(driver_function("cuTensorMapEncodeIm2col"));
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
  const auto encode = detail::encode_tiled();
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

/// Likewise of a tensor that is read through a window, for tiles of so many windows. The lines of windows may reach over the edges; what
/// fits no map (src/transforms/schedule/Windows.h) is not asked for.
template <class T, int Axes>
TiledView<T, 3, Windows<Axes>> tiled(Call &call, const View<T, 3, Windows<Axes>> &view, int windows, bool wanted) {
  using Element = typename View<T, 3, Windows<Axes>>::Value;
  TiledView<T, 3, Windows<Axes>> result;
  static_cast<View<T, 3, Windows<Axes>> &>(result) = view;
  memset(&result.map, 0, sizeof result.map);
  if (!wanted || call.failed()) return result;
  const auto encode = detail::encode_windows();
  if (!encode) {
    call.fail(TESS_ERROR_LAUNCH, "the driver has no cuTensorMapEncodeIm2col: CUDA 12 or later is needed");
    return result;
  }
  constexpr int Rank = Axes + 2;
  cuuint64_t extents[Rank], strides[Rank];
  cuuint32_t steps[Rank];
  int lower[Axes], upper[Axes];
  extents[0] = view.extent[2] > 0 ? static_cast<cuuint64_t>(view.extent[2]) : 1;
  steps[0] = 1;
  for (int d = 1; d < Rank; ++d) {  // innermost first
    const int axis = Axes + 1 - d;  // 0: images
    extents[d] = view.size[axis] > 0 ? static_cast<cuuint64_t>(view.size[axis]) : 1;
    const int64_t bytes = view.step[axis] * static_cast<int64_t>(sizeof(Element));
    strides[d - 1] = bytes < 16 ? 16 : static_cast<cuuint64_t>(bytes);
    steps[d] = axis == 0 ? 1 : static_cast<cuuint32_t>(view.stride[axis - 1]);
  }
  for (int d = 0; d < Axes; ++d) {
    const int axis = Axes - 1 - d;
    lower[d] = -view.before[axis];
    // The first elements of windows lie from `lower` on up to the last window's.
    upper[d] = static_cast<int>((view.count[axis] - 1) * view.stride[axis] - view.before[axis] - (view.size[axis + 1] - 1));
  }
  const CUresult error = encode(reinterpret_cast<CUtensorMap *>(&result.map), detail::MapDType<Element>::code, Rank,
                                const_cast<Element *>(view.data), extents, strides, lower, upper, 128 / sizeof(Element), static_cast<cuuint32_t>(windows), steps,
                                CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_128B, CU_TENSOR_MAP_L2_PROMOTION_L2_256B, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
  if (error != CUDA_SUCCESS)
    call.fail(TESS_ERROR_LAUNCH, "the driver makes no tensor map of windows (error %d): an extent is 2^32 or more?", static_cast<int>(error));
  return result;
}

/// Groups of a kernel that goes over its tiles in a loop: no more than the device runs at a time, one a processor.
inline unsigned resident_groups(unsigned groups) {
  const auto processors = static_cast<unsigned>(detail::processors());
  return processors == 0 || groups < processors ? groups : processors;
}

}  // namespace tsr
#endif
