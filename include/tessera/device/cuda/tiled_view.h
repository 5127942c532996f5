// A tensor that kernels copy in tiles by the copy engine of Hopper: a view, and the map that the engine reads.
#pragma once
#include "tessera/device/view.h"
#include "tessera/device/windows.h"

#if defined(TSR_CUDA)
namespace tsr {

/// What cuTensorMapEncodeTiled and cuTensorMapEncodeIm2col write (CUtensorMap of cuda.h).
struct alignas(64) TensorMap {
  uint64_t opaque[16];
};

/// Kernels take it as `const __grid_constant__ TiledView`: the engine reads the map where the launch put it.
template <class T, int Rank, class Layout = RowMajor> struct TiledView : View<T, Rank, Layout> {
  TensorMap map;
};
template <class T, int Rank> using StridedTiledView = TiledView<T, Rank, Strided>;
template <class T, int Axes> using WindowTiledView = TiledView<T, 3, Windows<Axes>>;

}  // namespace tsr
#endif
