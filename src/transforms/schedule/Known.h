// What is known of values, and what is there already.
#pragma once
#include "ir/graph/Graph.h"
#include "mlir/IR/Builders.h"

namespace tessera::transforms {

/// An array of zeros: +0 if its numbers have a sign.
inline bool isZeros(mlir::Value value) {
  auto full = value.getDefiningOp<ir::graph::FullOp>();
  auto constant = full ? full.getOperand().getDefiningOp<ir::graph::ConstantOp>() : ir::graph::ConstantOp();
  if (!constant) return false;
  if (auto number = mlir::dyn_cast<mlir::FloatAttr>(constant.getValue())) return number.getValue().isPosZero();
  auto integer = mlir::dyn_cast<mlir::IntegerAttr>(constant.getValue());
  return integer && integer.getValue().isZero();
}

/// An array of what is below all numbers.
inline bool isLowest(mlir::Value value) {
  auto full = value.getDefiningOp<ir::graph::FullOp>();
  mlir::Value number = full ? full.getOperand() : mlir::Value();
  while (auto cast = number ? number.getDefiningOp<ir::graph::CastOp>() : ir::graph::CastOp()) number = cast.getOperand();
  auto constant = number ? number.getDefiningOp<ir::graph::ConstantOp>() : ir::graph::ConstantOp();
  auto known = constant ? mlir::dyn_cast<mlir::FloatAttr>(constant.getValue()) : mlir::FloatAttr();
  return known && known.getValue().isInfinity() && known.getValue().isNegative();
}

/// The value in another dtype, rounded to nearest: by a cast that stands further on in the block, which comes here, or by a new one.
inline mlir::Value castHere(mlir::OpBuilder &builder, mlir::Value value, mlir::Type type, mlir::Location loc) {
  for (mlir::Operation *user : value.getUsers()) {
    auto known = mlir::dyn_cast<ir::graph::CastOp>(user);
    if (!known || known.getType() != type || known.getRoundingAttr() || known.getSaturate() || known->getBlock() != builder.getInsertionBlock()) continue;
    const bool isLater = builder.getInsertionPoint() == builder.getInsertionBlock()->end() ? false : !known->isBeforeInBlock(&*builder.getInsertionPoint());
    if (isLater) known->moveBefore(builder.getInsertionBlock(), builder.getInsertionPoint());
    return known.getResult();
  }
  return builder.create<ir::graph::CastOp>(loc, type, value, mlir::StringAttr(), mlir::UnitAttr());
}

}  // namespace tessera::transforms
