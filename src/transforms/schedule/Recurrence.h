// Loops of a tensor function that one kernel runs: what a turn leaves to the next one stays in registers.
#pragma once
#include "ir/graph/Graph.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "transforms/schedule/Updates.h"
#include <set>
#include <string>
#include <vector>

namespace tessera::transforms {

/// A loop whose turns compute elements from those at the same place along some axes, the *points*: each point can run all turns by
/// itself. Along other axes, which are held whole, elements may meet.
struct Recurrence {
  static constexpr int64_t kFirst = -1, kWhole = -2;
  struct Carried {
    unsigned number;  // of the loop's results
    bool inPlace;     // an array that turns update, and not a value
  };
  mlir::scf::ForOp loop;
  llvm::SmallVector<Carried> carried;
  llvm::SmallVector<ir::DimAttr> points;                         // their extents, the last one varies fastest
  llvm::DenseMap<mlir::Value, llvm::SmallVector<int64_t>> axes;  // of values in the loop: the point of each axis, kFirst where it has one element or updates place it, or kWhole
  bool holdsRows = false;
  int64_t held = 1;                     // elements of the largest value at a point, at most
  std::set<std::string> bounded;        // run-time dimensions that are held whole, up to kMostOfDimension elements
  static constexpr int64_t kMostOfDimension = 64;
  struct Part {
    mlir::Operation *op;
    Update update;
    unsigned number;  // of the loop's result that it is a part of
  };
  std::vector<Part> updates;  // in their order
  std::set<unsigned> written;  // arrays of which turns write every element, and read none
};

/// Nothing if turns mix elements of all axes, or do what one kernel cannot.
std::optional<Recurrence> recurrenceOf(mlir::scf::ForOp loop, ir::graph::FuncOp function);

}  // namespace tessera::transforms
