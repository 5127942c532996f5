// What types of values are called in the emitted text.
#pragma once
#include "transforms/target/Emission.h"

namespace tessera::transforms::totarget {

struct Layouts {
  llvm::MapVector<mlir::Attribute, std::string> aliases;  // of tiles
  std::string ofCpu;                                      // of all of them there
  std::map<std::string, int64_t>
      bytes;  // of fragments by the text of their type, on the CPU, with the greatest capacities
};

// ---- Types.cpp
/// One alias for each layout of tiles. On the CPU a group has one lane, which has everything.
void declareLayouts(Emission &em);
/// float, __nv_bfloat16: what the machine's language calls a dtype.
std::string dtypeText(Emission &em, mlir::Type type);
std::string fragmentType(Emission &em, ir::tile::FragmentType type, mlir::Location location);
/// `number`: of the rows that the kernel holds, from 0.
mlir::Type heldRowType(Emission &em, mlir::Type type, int64_t number);
mlir::Type vectorType(Emission &em, mlir::Type type);
/// `location`: of a value of that type.
mlir::Type placeType(Emission &em, mlir::Type type, mlir::Location location);

}  // namespace tessera::transforms::totarget
