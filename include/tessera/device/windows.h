// A tensor that is read through a window, which slides over some of its axes: what a convolution multiplies, without being stored.
//
//   WindowView<T, Axes>      of a tensor [images, the axes under the window, channels], as a view of three axes:
//     (m, place, c)          the window m, counted over images and places of the window; a place in it; a channel
//
// Where a window reaches over the edge of an image it sees zeros.
#pragma once
#include "tessera/device/view.h"

namespace tsr {
inline namespace TSR_TARGET {

/// How a view of windows over so many axes lies in memory.
template <int Axes> struct Windows {};

/// As launches give it: where the tensor lies, and along each axis under the window the numbers of it.
template <class T, int Axes> struct View<T, 3, Windows<Axes>> {
  using Element = T;
  using Value = typename std::remove_const<T>::type;
  static constexpr int rank = 3, axes = Axes;

  T *data;
  int64_t extent[3];        // windows in all, places in a window, channels
  int64_t size[Axes + 1];   // of the tensor: images, then the axes under the window
  int64_t step[Axes + 1];   // in elements of the tensor, between neighbours along these
  int64_t count[Axes];      // of windows along the axis
  int32_t places[Axes];     // in a window
  int32_t stride[Axes];     // between windows
  int32_t dilation[Axes];   // between places in a window
  int32_t before[Axes];     // zeros before the first element

  /// Where a window begins, and in which image: `begin[0]` is the image, the others may lie before the edge.
  struct Origin {
    int64_t begin[Axes + 1];
  };
  TSR_INLINE Origin origin(int64_t window) const {
    Origin origin;
    TSR_UNROLL
    for (int d = Axes; d > 0; --d) {
      origin.begin[d] = window % count[d - 1] * stride[d - 1] - before[d - 1];
      window /= count[d - 1];
    }
    origin.begin[0] = window;
    return origin;
  }
  /// How far a place of the window lies behind its first one along each axis.
  struct Shift {
    int32_t by[Axes];
  };
  TSR_INLINE Shift shift(int64_t place) const {
    Shift shift;
    int32_t rest = static_cast<int32_t>(place);
    TSR_UNROLL
    for (int d = Axes - 1; d > 0; --d) {
      shift.by[d] = rest % places[d] * dilation[d];
      rest /= places[d];
    }
    shift.by[0] = rest * dilation[0];
    return shift;
  }
  /// The channels at a place of a window; null where it lies outside of the tensor.
  TSR_INLINE T *at(const Origin &from, const Shift &shift) const {
    int64_t offset = from.begin[0] * step[0];
    bool inside = from.begin[0] >= 0 && from.begin[0] < size[0];
    TSR_UNROLL
    for (int d = 1; d <= Axes; ++d) {
      const int64_t index = from.begin[d] + shift.by[d - 1];
      inside = inside && index >= 0 && index < size[d];
      offset += index * step[d];
    }
    return inside ? data + offset : nullptr;
  }
};
template <class T, int Axes> using WindowView = View<T, 3, Windows<Axes>>;

}  // namespace TSR_TARGET
}  // namespace tsr
