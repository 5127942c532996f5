// What the temporaries of an entry function hold, and when: for the order of its launches, and for memory that is used again.
#pragma once
#include "ir/tile/Tile.h"
#include "support/Dim.h"

namespace tessera::transforms {

/// What stands among the conditions of a launch belongs to a loop: it begins one, leaves one, or reads how many turns it has.
bool isOfLoop(mlir::Attribute condition);
/// The loops that the entry function runs include one around this launch, or one that it leaves here.
bool isInLoop(mlir::Operation *launch);
/// Bytes of an array in memory.
Dim bytesOf(ir::tile::TempOp temp);
/// A number that stands for a size which only run time knows: how large one is beside another of a typical call. Where one
/// size is at most another whatever the dimensions are, so are these.
double typicalSize(const Dim &size);
/// `a` is at most `b`, whatever the dimensions are.
bool isAtMost(const Dim &a, const Dim &b);

}  // namespace tessera::transforms
