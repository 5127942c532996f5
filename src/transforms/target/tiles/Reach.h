// The elements of a view or shared buffer that a tile covers.
#pragma once
#include "transforms/target/Emission.h"

namespace tessera::transforms::totarget {

struct Reach {
  mlir::Value base;
  llvm::SmallVector<mlir::Value> offsets;
  llvm::SmallVector<unsigned> free;  // the dimensions of the base that are the tile's, in order
  llvm::SmallVector<int64_t> steps;
  llvm::SmallVector<bool> inBounds;
  bool leadingPoints = true;  // the free dimensions are the last ones, in steps of one; the points are proved

  /// Proved: no element of the tile lies outside of the base. Where an extent is compiled for more than its value, a
  /// tile may reach over it all the same.
  bool liesInside(llvm::ArrayRef<ir::DimAttr> tile) const;
  /// Each element asks along the axes of which the tile may hold more than there is.
  void maskCapacities(llvm::ArrayRef<ir::DimAttr> tile);
};

template <class Op> Reach reachOf(Op op) {
  Reach reach;
  reach.base = op.getBase();
  for (auto [i, offset] : llvm::enumerate(op.getOffsets())) {
    reach.offsets.push_back(offset);
    bool point = op.getPoints()[i];
    reach.steps.push_back(op.getSteps()[i]);
    reach.inBounds.push_back(op.getInBounds()[i]);
    if (!point) reach.free.push_back(i);
    bool masked = point && !reach.inBounds.back();
    if (masked || (point ? !reach.free.empty() : reach.steps.back() != 1)) reach.leadingPoints = false;
  }
  return reach;
}

// ---- Reach.cpp
/// One element of the tile as a place; `inside`: what must hold for it to lie in the base, or null.
ExprRef reachElement(Emission &em, const Reach &reach, const ExprRef &row, const ExprRef &col, ExprRef *inside);
/// `text`: what the type is called.
ExprRef zeroOf(mlir::Type type, const std::string &text);
/// The tensor with its leading indices fixed, as the device headers take it, and the offsets in it.
std::pair<ExprRef, std::vector<ExprRef>> fixLeading(ExprRef base, const std::vector<ExprRef> &offsets, size_t free);

}  // namespace tessera::transforms::totarget
