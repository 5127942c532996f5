// What entry functions of Hopper kernels need beside entry.h: maps of tensors for the copy engine.
#pragma once
#include "tessera/device/cuda/tiled_view.h"
#include "tessera/entry.h"

#if defined(TSR_CUDA)
#include <cstring>
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

/// A tensor as the copy engine takes it: innermost dimension first, strides in elements; those along the first lie side by side.
template <class Word, int Rank> struct Rows {
  const Word *data;
  int64_t extent[Rank], stride[Rank];

  /// The engine reads rows that begin at multiples of so many bytes.
  static constexpr int64_t kBytes = 16, kWords = kBytes / static_cast<int64_t>(sizeof(Word));
  bool begin_at_vectors() const {
    bool all = reinterpret_cast<uintptr_t>(data) % kBytes == 0;
    for (int d = 1; d < Rank; ++d) all = all && (extent[d] <= 1 || stride[d] % kWords == 0);
    return all;
  }
};

/// Rows one after the other, each padded with zeros to `pitch` elements: a warp a row, a lane a vector of 16 bytes at a time.
template <class Word, int Rank>
static __global__ void __launch_bounds__(256) copy_rows(Word *__restrict__ to, int64_t pitch, Rows<Word, Rank> from, int64_t rows) {
  constexpr int Count = Rows<Word, Rank>::kWords;
  for (int64_t row = int64_t(blockIdx.x) * blockDim.y + threadIdx.y; row < rows; row += int64_t(gridDim.x) * blockDim.y) {
    const Word *begin = from.data;
    int64_t rest = row;
#pragma unroll
    for (int d = 1; d < Rank; ++d) {
      begin += rest % from.extent[d] * from.stride[d];
      rest /= from.extent[d];
    }
    for (int64_t first = threadIdx.x * Count; first < pitch; first += 32 * Count) {
      alignas(16) Word part[Count];
#pragma unroll
      for (int i = 0; i < Count; ++i) part[i] = first + i < from.extent[0] ? begin[first + i] : Word(0);
      *reinterpret_cast<uint4 *>(to + row * pitch + first) = *reinterpret_cast<const uint4 *>(part);
    }
  }
}

/// Such rows back to where they belong.
template <class Word, int Rank>
static __global__ void __launch_bounds__(256) copy_rows_back(Rows<Word, Rank> to, const Word *__restrict__ from, int64_t pitch, int64_t rows) {
  for (int64_t row = int64_t(blockIdx.x) * blockDim.y + threadIdx.y; row < rows; row += int64_t(gridDim.x) * blockDim.y) {
    Word *begin = const_cast<Word *>(to.data);
    int64_t rest = row;
#pragma unroll
    for (int d = 1; d < Rank; ++d) {
      begin += rest % to.extent[d] * to.stride[d];
      rest /= to.extent[d];
    }
    for (int64_t col = threadIdx.x; col < to.extent[0]; col += 32) begin[col] = from[row * pitch + col];
  }
}

/// The same rows where the engine can reach them: in a copy until the next launch, unless they begin at vectors. It costs what reading
/// and writing the tensor once takes; copied element by element, as lanes could do it, a product is twenty times slower. What is
/// `written` is brought back behind the launch; it may write a part of the tensor alone, so that the rest is copied, too.
template <class Word, int Rank> Rows<Word, Rank> rows_at_vectors(Call &call, const Rows<Word, Rank> &from, bool written = false) {
  if (call.failed() || from.begin_at_vectors()) return from;
  Rows<Word, Rank> result = from;
  // Whole cache lines where that adds little: rows that begin within lines cost the L2 cache up to twice the requests.
  const int64_t line = 128 / static_cast<int64_t>(sizeof(Word)), unit = from.extent[0] >= 8 * line ? line : result.kWords;
  const int64_t pitch = (from.extent[0] + unit - 1) / unit * unit;
  result.stride[1] = pitch;
  for (int d = 2; d < Rank; ++d) result.stride[d] = saturating_multiply(result.stride[d - 1], from.extent[d - 1]);
  const int64_t count = saturating_multiply(result.stride[Rank - 1], from.extent[Rank - 1]), rows = pitch > 0 ? count / pitch : 0;
  Word *const copy = call.until_next_launch<Word>("copy of rows", count);
  result.data = copy;
  if (copy == nullptr || rows == 0) return result;
  const int64_t groups = (rows + 7) / 8;
  const auto grid = static_cast<unsigned>(groups < 0x7fffffff ? groups : 0x7fffffff);
  copy_rows<<<grid, dim3(32, 8), 0, call.stream()>>>(copy, pitch, from, rows);
  if (written)
    call.after_launch([=](cudaStream_t stream) { copy_rows_back<<<grid, dim3(32, 8), 0, stream>>>(from, static_cast<const Word *>(copy), pitch, rows); });
  return result;
}

template <int Bytes> struct WordOf;
template <> struct WordOf<1> { using Type = uint8_t; };
template <> struct WordOf<2> { using Type = uint16_t; };
template <> struct WordOf<4> { using Type = uint32_t; };
template <class T> using WordLike = typename WordOf<sizeof(T)>::Type;

template <class T, int Rank, class Layout> Rows<WordLike<T>, Rank> rows_of(const View<T, Rank, Layout> &view) {
  Rows<WordLike<T>, Rank> rows{reinterpret_cast<const WordLike<T> *>(view.data), {}, {}};
  for (int d = 0; d < Rank; ++d) {
    rows.extent[d] = view.extent[Rank - 1 - d];
    rows.stride[d] = d == 0 ? 1 : view.stride(Rank - 1 - d);
  }
  return rows;
}

/// Extents and strides in bytes as the driver takes them; an empty tensor is never read, but its map is made.
template <int Rank> struct MapShape {
  cuuint64_t extents[Rank], strides[Rank];
  template <class Word> explicit MapShape(const Rows<Word, Rank> &rows) {
    for (int d = 0; d < Rank; ++d) {
      extents[d] = rows.extent[d] > 0 ? static_cast<cuuint64_t>(rows.extent[d]) : 1;
      if (d == 0) continue;
      const int64_t bytes = rows.stride[d] * static_cast<int64_t>(sizeof(Word));
      strides[d - 1] = rows.extent[d] <= 1 || bytes < 16 ? 16 : static_cast<cuuint64_t>(bytes);
    }
  }
};

template <class T, int Rank, class Layout> void map_tiles(Call &call, TiledView<T, Rank, Layout> &view, const Rows<WordLike<T>, Rank> &rows, int height, int row_axis) {
  static_assert(Rank >= 2 && Rank <= 5, "the copy engine takes two to five dimensions");
  using Element = typename View<T, Rank>::Value;
  if (call.failed()) return;
  const auto encode = encode_tiled();
  if (!encode) return call.fail(TESS_ERROR_LAUNCH, "the driver has no cuTensorMapEncodeTiled: CUDA 12 or later is needed");
  const MapShape<Rank> shape(rows);
  cuuint32_t box[Rank], steps[Rank];
  for (int d = 0; d < Rank; ++d) {
    box[d] = d == 0 ? 128 / sizeof(Element) : Rank - 1 - d == row_axis ? static_cast<cuuint32_t>(height) : 1;
    steps[d] = 1;
  }
  const CUresult error = encode(reinterpret_cast<CUtensorMap *>(&view.map), MapDType<Element>::code, Rank, const_cast<WordLike<T> *>(rows.data), shape.extents,
                                shape.strides, box, steps, CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_128B,
                                CU_TENSOR_MAP_L2_PROMOTION_L2_128B, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
  if (error != CUDA_SUCCESS)
    call.fail(TESS_ERROR_LAUNCH, "the driver makes no tensor map (error %d): an extent is 2^32 or more?", static_cast<int>(error));
}

template <class T, int Rank, class Layout> TiledView<T, Rank, Layout> without_map(const View<T, Rank, Layout> &view) {
  TiledView<T, Rank, Layout> result;
  static_cast<View<T, Rank, Layout> &>(result) = view;
  memset(&result.map, 0, sizeof result.map);
  return result;
}

}  // namespace detail

/// A view that is read in tiles, with its map: of `rows` rows along `row_axis` and columns along the last dimension, in panels of 128
/// bytes a row. Rank 2 to 5. Where the tensor or its rows do not begin at multiples of 16 bytes, the map is that of a copy.
template <class T, int Rank, class Layout>
TiledView<T, Rank, Layout> tiled(Call &call, const View<T, Rank, Layout> &view, int rows, int row_axis = Rank - 2) {
  TiledView<T, Rank, Layout> result = detail::without_map(view);
  detail::map_tiles(call, result, detail::rows_at_vectors(call, detail::rows_of(view)), rows, row_axis);
  return result;
}

/// Likewise of a tensor that is written in tiles.
template <class T, int Rank, class Layout>
TiledView<T, Rank, Layout> tiled_result(Call &call, const View<T, Rank, Layout> &view, int rows, int row_axis = Rank - 2) {
  TiledView<T, Rank, Layout> result = detail::without_map(view);
  detail::map_tiles(call, result, detail::rows_at_vectors(call, detail::rows_of(view), true), rows, row_axis);
  return result;
}

/// Likewise of a tensor that is read through a window, for tiles of so many windows. The lines of windows may reach over the edges; what
/// fits no map (src/transforms/schedule/Windows.h) is not asked for.
template <class T, int Axes>
TiledView<T, 3, Windows<Axes>> tiled(Call &call, const View<T, 3, Windows<Axes>> &view, int windows) {
  using Element = typename View<T, 3, Windows<Axes>>::Value;
  using Word = detail::WordLike<T>;
  TiledView<T, 3, Windows<Axes>> result = detail::without_map(view);
  if (call.failed()) return result;
  const auto encode = detail::encode_windows();
  if (!encode) {
    call.fail(TESS_ERROR_LAUNCH, "the driver has no cuTensorMapEncodeIm2col: CUDA 12 or later is needed");
    return result;
  }
  constexpr int Rank = Axes + 2;
  detail::Rows<Word, Rank> rows{reinterpret_cast<const Word *>(view.data), {view.extent[2]}, {1}};
  cuuint32_t steps[Rank] = {1};
  for (int d = 1; d < Rank; ++d) {  // innermost first
    const int axis = Axes + 1 - d;  // 0: images
    rows.extent[d] = view.size[axis];
    rows.stride[d] = view.step[axis];
    steps[d] = axis == 0 ? 1 : static_cast<cuuint32_t>(view.stride[axis - 1]);
  }
  rows = detail::rows_at_vectors(call, rows);
  const detail::MapShape<Rank> shape(rows);
  int lower[Axes], upper[Axes];
  for (int d = 0; d < Axes; ++d) {
    const int axis = Axes - 1 - d;
    lower[d] = -view.before[axis];
    // The first elements of windows lie from `lower` on up to the last window's.
    upper[d] = static_cast<int>((view.count[axis] - 1) * view.stride[axis] - view.before[axis] - (view.size[axis + 1] - 1));
  }
  if (call.failed()) return result;
  const CUresult error = encode(reinterpret_cast<CUtensorMap *>(&result.map), detail::MapDType<Element>::code, Rank,
                                const_cast<Word *>(rows.data), shape.extents, shape.strides, lower, upper, 128 / sizeof(Element), static_cast<cuuint32_t>(windows), steps,
                                CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_128B, CU_TENSOR_MAP_L2_PROMOTION_L2_256B, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
  if (error != CUDA_SUCCESS)
    call.fail(TESS_ERROR_LAUNCH, "the driver makes no tensor map of windows (error %d): an extent is 2^32 or more?", static_cast<int>(error));
  return result;
}

/// Groups of a kernel that goes over its tiles in a loop: no more than the device runs at a time, `each` a processor.
inline unsigned resident_groups(unsigned groups, unsigned each = 1) {
  const unsigned most = static_cast<unsigned>(detail::processors()) * each;
  return most == 0 || groups < most ? groups : most;
}

namespace detail {

/// Rows that the copy engine reads where they are and that begin within cache lines: reading a tile takes up to twice the lines.
template <class T, int Rank, class Layout> bool begins_within_lines(const TiledView<T, Rank, Layout> &view) {
  const int64_t bytes = view.stride(Rank - 2) * static_cast<int64_t>(sizeof(typename View<T, Rank>::Value));
  const auto first = static_cast<int64_t>(reinterpret_cast<uintptr_t>(view.data) % 128);
  return first % 16 == 0 && bytes % 16 == 0 && (first != 0 || bytes % 128 != 0);
}

}  // namespace detail

/// Likewise of a kernel whose groups share copies in clusters of two, with tiles one below the other.
inline Clusters resident_clusters(unsigned groups) {
  // With an odd number of rows of tiles there is one row more. A group without a tile ends at once.
  const unsigned most = resident_groups(groups + groups / 16 + 1);
  return {most > 1 ? most / 2 * 2 : 2, 2};
}
/// Of a kernel that may do so, whose tiles are those of `tiles` in so many rows: where they begin within cache lines, and one row more does
/// not matter. 3000 x 5000 x 8888 in bf16 takes 0.74 of the time, and what begins at lines 1.01 (measured on one H200).
template <class... Tiles> Clusters resident_clusters(unsigned groups, int64_t rows, const Tiles &...tiles) {
  const bool within = (detail::begins_within_lines(tiles) || ...);
  if (within && (rows % 2 == 0 || rows >= 16)) return resident_clusters(groups);
  return {resident_groups(groups), 1};
}

}  // namespace tsr
#endif
