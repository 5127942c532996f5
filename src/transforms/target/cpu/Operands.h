// Operands of products that are packed where they are copied, on the CPU.
#pragma once
#include "transforms/target/Emission.h"

namespace tessera::transforms::totarget {

/// A tile that only products read, and always as the same operand: converted and packed where it is copied.
struct PackedOperand {
  bool isLeft, transposed, inPlace;
  mlir::Type accumulator;
};

struct PackedOperands {
  llvm::DenseMap<mlir::Value, PackedOperand> packed;
};

// ---- Operands.cpp
/// False where the buffer is no such operand.
bool declarePackedOperand(Emission &em, ir::tile::AllocSharedOp op, const std::string &name);

}  // namespace tessera::transforms::totarget
