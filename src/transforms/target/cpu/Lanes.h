// Lanes that are named, in loops, on the CPU.
#pragma once
#include "transforms/target/Emission.h"

namespace tessera::transforms::totarget {

struct LaneRuns {
  llvm::DenseMap<mlir::Value, bool> varies;
  llvm::DenseMap<mlir::Operation *, unsigned>
      runs;  // statements with one number run in one loop over lanes; empty: no such loops
  unsigned lastRun = 0;
};

// ---- Lanes.cpp
/// Whether the program asks for its lanes.
bool lanesMatter(Emission &em);
/// Whether the value differs between the lanes of a group.
bool varies(Emission &em, mlir::Value value);
/// The statements of `body` in a loop over the lanes of the group.
mlir::LogicalResult overLanes(Emission &em, mlir::Location place, llvm::function_ref<mlir::LogicalResult()> body);
/// An array with an element for each lane.
ExprRef laneArray(Emission &em, const std::string &name, mlir::Type type, mlir::Location place);
void declareLaneArray(Emission &em, Storage &storage, mlir::Location place);
/// The array in which the lanes have the value, or a new one that gets them. Null after a message.
ExprRef lanesWith(Emission &em, mlir::Value value, llvm::StringRef name, mlir::Location place);
mlir::LogicalResult emitLanes(Emission &em, mlir::Block &block);

}  // namespace tessera::transforms::totarget
