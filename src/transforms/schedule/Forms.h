// A function that is planned twice, for sizes with a bound and for others: one entry function launches the kernels of the one or of the
// other. Both compute the same values (AskForDepths.cpp).
#pragma once
#include "ir/graph/Graph.h"

namespace tessera::transforms {

/// On the function with the bound: the symbol of the other. Both say in `kWhen` when they are taken; the other has the requirements of
/// all who call them.
inline constexpr llvm::StringLiteral kOtherwise = "tsr.otherwise";

/// Null for functions that are planned once, and for what is itself another's.
ir::graph::FuncOp otherFormOf(ir::graph::FuncOp function);
/// Whether another function's entry launches it.
bool isOtherForm(ir::graph::FuncOp function);

}  // namespace tessera::transforms
