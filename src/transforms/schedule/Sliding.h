// What products read through windows.
#pragma once
#include "transforms/schedule/AccessMap.h"
#include "transforms/schedule/Windows.h"

namespace tessera::transforms {

/// What a product reads through windows, found in the map of an operand.
struct Sliding {
  AccessMap map;
  int64_t images = -1, channels = -1;      // axes of the array; no images: one
  llvm::SmallVector<int64_t, 2> over;            // axes under the window
  llvm::SmallVector<size_t, 3> outer;            // axes of the map that count windows: images first
  llvm::SmallVector<size_t, 2> inner;            // its places; SIZE_MAX: one place
  size_t channel = 0;                      // axis of the map
  std::optional<size_t> group;             // of the batch: the channels are these times those of a group
  ir::WindowsAttr windows;

  Dim extentOf(size_t axis) const { return map.axes[axis].extent; }  // of the map
  Dim channelCount() const { return extentOf(channel); }
  Dim windowCount() const;   // of all images
  int64_t placeCount() const;  // in a window
};

/// Operand `side` of a product, if windows slide over an array in it whose places and channels are added up. With `isTurned`: which windows
/// are added up, so that the result has their places and channels. With `inGroups`: an axis of the batch counts groups of channels.
std::optional<Sliding> slidingOperand(ir::graph::DotOp dot, unsigned side, ir::graph::FuncOp function, bool isTurned = false, bool inGroups = false);

/// The array under the windows as [images, axes under the window, channels].
mlir::Value arrangedUnder(mlir::OpBuilder &builder, const Sliding &sliding);

/// The product in the place of one that adds up over windows, and over the images of a batch: null if it is none (SumOverWindows.cpp).
ir::graph::DotOp addedUpOverWindows(ir::graph::DotOp dot, ir::graph::FuncOp function);

}  // namespace tessera::transforms
