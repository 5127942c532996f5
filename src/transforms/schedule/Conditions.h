// Conditions on sizes and integers in tensor functions. What their branches may do depends on them: a slice lies inside
// of its tensor only where the condition holds, so that the other branch must not be computed.
#pragma once
#include "ir/graph/Graph.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace tessera::transforms {

/// On `scf.if`: the condition that the entry function asks. On what it allocates and launches: the conditions around it,
/// an array. A condition is a `#tsr.requirement`, or an array of "and", "or", "not" and what that is said of.
inline constexpr llvm::StringLiteral kWhen = "tsr.when";

/// Gives a branch that the entry function must ask for its condition, `kWhen`: the others may be computed both. An integer
/// that it gives is chosen before, so that the branch is made anew. Fails, with a message, where neither can be.
mlir::LogicalResult askBefore(mlir::scf::IfOp &branch, ir::graph::FuncOp function);
/// What a value is in dimensions and integer parameters; nothing if something else decides it.
std::optional<Dim> dimOf(mlir::Value value, ir::graph::FuncOp function);
/// What the entry function asks; null if something else than sizes and integer parameters is in the condition: then no
/// fact about sizes follows from it either.
mlir::Attribute askedOf(mlir::Value condition, ir::graph::FuncOp function);
mlir::Attribute negated(mlir::Attribute condition);

}  // namespace tessera::transforms
