// Windows as the copy engine of Hopper reads them: what fits a map (cuTensorMapEncodeIm2col).
#pragma once
#include "support/Dim.h"

namespace tessera::transforms {

/// Along one axis: places in a window, distances of windows and of places, zeros on both sides.
struct WindowAxis {
  int64_t places, stride, dilation, before, after;
  int64_t reach() const { return (places - 1) * dilation + 1; }
};

/// The first and the last window begin so near to the edges, and the places lie so near, that a map over so many axes can say it.
inline bool fitsMap(const WindowAxis &along, size_t axes) {
  constexpr int64_t kMostStride = 8;
  const int64_t most = axes == 1 ? 32000 : 127;
  return along.before >= 0 && along.before <= most && along.after <= most && along.reach() + along.stride <= most && along.stride <= kMostStride;
}

/// Steps along the sums are of one panel of channels, so few channels would be multiplied by zeros.
inline bool hasPanels(int64_t channels) { return channels >= 32 && channels % 8 == 0; }

/// There are as many windows as fit into the axis: a map goes on to the last.
inline bool reachesEnd(const WindowAxis &along, const Dim &size, const Dim &count) {
  return Dim::floorDiv(size + Dim(along.before + along.after - along.reach()), Dim(along.stride)) + Dim(1) == count;
}

}  // namespace tessera::transforms
