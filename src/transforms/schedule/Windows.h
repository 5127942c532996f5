// Windows as the copy engine of Hopper reads them: what fits a map (cuTensorMapEncodeIm2col).
#pragma once
#include "ir/common/Common.h"
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
  const int64_t most = axes == 1 ? 32000 : axes == 2 ? 127 : 15;  // 16, 8 and 5 bits
  return along.before >= 0 && along.before <= most && along.after <= most && along.reach() + along.stride <= most && along.stride <= kMostStride;
}

/// Steps along the sums are of one panel of channels, so few channels would be multiplied by zeros.
inline bool hasPanels(int64_t channels) { return channels >= 32 && channels % 8 == 0; }

/// A panel of channels is so many whole groups of them, whose products have whole instructions (kBlocks).
inline bool fillPanels(int64_t channelsOfGroup) { return channelsOfGroup >= 8 && 64 % channelsOfGroup == 0; }

/// There are as many windows as fit into the axis: a map goes on to the last.
inline bool reachesEnd(const WindowAxis &along, const Dim &size, const Dim &count) {
  return Dim::floorDiv(size + Dim(along.before + along.after - along.reach()), Dim(along.stride)) + Dim(1) == count;
}

/// Places along the last axis of which a lane holds the elements, or the sums: more are taken in turn.
constexpr int64_t kPlacesAtOnce = 11;

/// How lanes take windows of single channels (SlideKernel.cpp): so many neighbouring windows along the last axis at once. With
/// elements that lie `apart`, a multiple of that: all lanes see elements and zeros between them at the same places.
inline int64_t windowsOfLane(ir::WindowsAttr windows, int64_t apart = 1) {
  constexpr int64_t kFew = 7;  // places along the last axis: the elements that they see have registers, and so have the weights
  int64_t each = windows.getPlaces().back() <= kFew * apart ? 4 : 2;
  if (apart > 1) return (each + apart - 1) / apart * apart;
  if (std::optional<int64_t> count = windows.getCount().back().getConstant()) each = std::max<int64_t>(1, std::min(each, *count));
  return each;
}
/// What lanes take at once, along the last axis, and of all images.
inline Dim blocksAlong(ir::WindowsAttr windows, int64_t apart = 1) { return Dim::ceilDiv(windows.getCount().back().getDim(), Dim(windowsOfLane(windows, apart))); }
inline Dim blocksOfWindows(ir::WindowsAttr windows) {
  Dim count = windows.getSize().front().getDim() * blocksAlong(windows);
  for (ir::DimAttr along : windows.getCount().drop_back()) count = count * along.getDim();
  return count;
}
/// Places in a window along the axes that are not the last one: each has lanes of its own where windows are added up.
inline int64_t rowsOfPlaces(ir::WindowsAttr windows) {
  int64_t count = 1;
  for (int64_t along : windows.getPlaces().drop_back()) count *= along;
  return count;
}
/// How many of these a lane adds up: few enough that all processors have lanes, many enough that the parts are few.
inline Dim blocksOfPart(ir::WindowsAttr windows, const Dim &channels) {
  constexpr int64_t kLeast = 8, kMost = 64, kNumbers = int64_t(1) << 18;  // a lane has four channels: lanes of 132 processors
  return Dim::max(Dim(kLeast), Dim::min(Dim(kMost), Dim::floorDiv(blocksOfWindows(windows) * channels * Dim(rowsOfPlaces(windows)), Dim(kNumbers))));
}

}  // namespace tessera::transforms
