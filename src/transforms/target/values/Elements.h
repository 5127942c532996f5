// Single elements of memory.
#pragma once
#include "transforms/target/Emission.h"

namespace tessera::transforms::totarget {

// ---- Elements.cpp
/// The element at these indices, as a place.
ExprRef elementPlace(Emission &em, mlir::Value base, const Indices &indices);
/// What must hold for the element to lie in the tensor; null if that is proved.
ExprRef mask(Emission &em, mlir::Value base, mlir::ValueRange indices, llvm::function_ref<bool(unsigned)> inBounds);
/// An element's position in row-major order. Without the last index, where its row begins.
ExprRef positionOf(Emission &em, mlir::Value base, mlir::ValueRange indices, bool flat);
/// Where the element lies, as a pointer.
ExprRef pointerTo(Emission &em, mlir::Value base, mlir::ValueRange indices, bool flat);
ExprRef loadElement(Emission &em, ir::tile::LoadElementOp op);
mlir::LogicalResult emitStoreElement(Emission &em, ir::tile::StoreElementOp op);

// ---- Atomics.cpp
/// The element of a base that a tile's indices name for its element (i, j); `shape`: a place with the maps of rows and columns. `end`: of
/// the places along an axis; nothing where they are proved to lie there. `inside` gets what must hold for the others. Nothing if an index has no form here.
std::optional<Indices> placesOfElement(Emission &em, mlir::ValueRange names, llvm::function_ref<std::optional<Dim>(unsigned)> end,
                                       const ExprRef &i, const ExprRef &j, const ExprRef &shape, mlir::Location place, ExprRef &inside);
mlir::LogicalResult emitAtomic(Emission &em, ir::tile::AtomicOp op);

}  // namespace tessera::transforms::totarget
