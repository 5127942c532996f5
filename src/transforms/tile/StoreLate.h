// Rows that are longer than a group can hold are read where they are used: what is stored to them meanwhile comes later.
#pragma once
#include "ir/graph/Graph.h"
#include "ir/schedule/Schedule.h"

namespace tessera::transforms {

/// The loads that compute elements of `array`, where no group holds it.
llvm::SmallVector<ir::graph::LoadOp> streamedLoads(mlir::Value array);

/// Whether `write` may run after `load` stands in the program and before `consumer` reads its elements.
bool isBetween(mlir::Operation *write, ir::graph::LoadOp load, mlir::Operation *consumer);

/// Moves stores of a kernel of streamed rows behind the last use of what was read there before:
///   row = x[r, :] + y[r, :]                  row = x[r, :] + y[r, :]
///   y[r, :] = row                       ->   out[r, :] = row / sum(row)
///   out[r, :] = row / sum(row)               y[r, :] = row
/// A store stays where something between reads or writes its tensor or what it is made of, or waits for other lanes.
void storeAfterReads(ir::schedule::KernelOp kernel);

}  // namespace tessera::transforms
