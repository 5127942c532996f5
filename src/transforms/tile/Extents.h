// The numbers that the extents of a kernel's tiles can have: sizes of the schedule are known, and a dimension that
// varies at run time is compiled for each of its capacities.
#pragma once
#include "ir/tile/Tile.h"
#include <vector>

namespace tessera::transforms {

class Extents {
public:
  explicit Extents(ir::tile::KernelOp kernel) : kernel_(kernel) {}
  /// In ascending order of the capacities; empty if the extent is no number under them.
  std::vector<int64_t> values(ir::DimAttr extent);
  /// The greatest number of elements of a shape, or nothing.
  std::optional<int64_t> greatestCount(llvm::ArrayRef<ir::DimAttr> shape);
  /// Every value that the extent can have is a multiple of `of`.
  bool isMultiple(ir::DimAttr extent, int64_t of);
  /// The integer is a multiple of `of` by the way it is computed: from sizes, origins of tiles and counters of loops.
  bool isMultiple(mlir::Value value, int64_t of);

private:
  bool isOriginMultiple(ir::GridAttr grid, int64_t axis, int64_t of);
  ir::tile::KernelOp kernel_;
};

/// Bytes that one element of a dtype takes in memory.
int64_t storedBytes(mlir::Type element);

}  // namespace tessera::transforms
