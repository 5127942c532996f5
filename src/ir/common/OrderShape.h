// The shape of an order, of rows that are sorted.
#pragma once
#include "ir/common/Common.h"

namespace tessera::ir {

/// Rows of places have the shape of the rows whose order they are, or are the first ones of it, so many as a constant says.
inline bool holdsOrderOf(llvm::ArrayRef<DimAttr> keys, llvm::ArrayRef<DimAttr> order) {
  if (keys.size() != order.size() || keys.drop_back() != order.drop_back()) return false;
  return keys.back() == order.back() || order.back().getDim().isConstant();
}

}  // namespace tessera::ir
