// The term of a product that is none: what is made of each pair of elements (`graph.dot` with a term).
#pragma once
#include "ir/common/ProductNotes.h"
#include "ir/graph/Graph.h"
#include "mlir/IR/Builders.h"

namespace tessera::ir {

/// The product, which may be added up as `like` may and makes the same of each pair, in whose place it stands. `turned`: its left
/// operand was the right one.
graph::DotOp addedUpAs(graph::DotOp like, graph::DotOp product, bool turned = false);

/// What the term makes of `args`, which have a shape in common or none: an element of the left operand for each of the right one, and
/// the scalars. `typed`: the type of such values for a scalar's; `spread`: a scalar as such a value.
mlir::Value termOfPair(mlir::OpBuilder &builder, graph::DotOp dot, mlir::ValueRange args, llvm::function_ref<mlir::Type(mlir::Type)> typed,
                   llvm::function_ref<mlir::Value(mlir::Value)> spread);

}  // namespace tessera::ir
