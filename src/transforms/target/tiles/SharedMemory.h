// Shared memory of a group.
#pragma once
#include "transforms/target/Emission.h"

namespace tessera::transforms::totarget {

struct SharedBuffer {
  std::vector<Dim> extents;
  int64_t elementBytes;
  std::string name;
  mlir::Location place;
  int64_t alignment = 1;  // bytes, that the program asks for
};

struct SharedMemory {
  std::vector<SharedBuffer> buffers;
  std::map<std::string, ExprRef> scratch;  // by dtype and extent
};

// ---- SharedMemory.cpp
mlir::LogicalResult emitAllocShared(Emission &em, ir::tile::AllocSharedOp op);
/// Memory in which a reduction of the device headers meets, on a multiple of `alignment` bytes; one for each type, used again.
ExprRef scratch(Emission &em, mlir::Type element, std::string extent, int64_t bytes, std::vector<Dim> extents = {}, int64_t alignment = 1);
/// Shared memory for all elements of a tile, of its own dtype or another.
ExprRef elementScratch(Emission &em, ir::tile::FragmentType type, mlir::Type element, mlir::Location location);
/// Where the values of all lanes meet.
ExprRef groupScratch(Emission &em, mlir::Type type);
/// Where the lanes meet once, with so many values each: for this exchange alone.
ExprRef exchangeScratch(Emission &em, mlir::Type type, int64_t values);

}  // namespace tessera::transforms::totarget
