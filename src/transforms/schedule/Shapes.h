// The axes of an array value that count: those whose extent is not the number 1.
#pragma once
#include "ir/common/Common.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "mlir/IR/Builders.h"
#include <set>
#include <string>

namespace tessera::transforms {

inline bool isUnit(ir::DimAttr dim) { return dim.getConstant() == 1; }

/// The axes of `type` whose extent is not the number 1, in order.
inline llvm::SmallVector<int64_t> longAxes(mlir::Type type) {
  llvm::SmallVector<int64_t> axes;
  for (auto [i, dim] : llvm::enumerate(ir::shapeOf(type)))
    if (!isUnit(dim)) axes.push_back(static_cast<int64_t>(i));
  return axes;
}

/// Their extents.
inline llvm::SmallVector<ir::DimAttr> longShape(mlir::Type type) {
  llvm::SmallVector<ir::DimAttr> shape;
  for (ir::DimAttr dim : ir::shapeOf(type))
    if (!isUnit(dim)) shape.push_back(dim);
  return shape;
}

/// An array value of these extents.
inline ir::TensorType tensorOf(mlir::MLIRContext *context, llvm::ArrayRef<Dim> extents, mlir::Type element) {
  return ir::TensorType::get(context, llvm::map_to_vector(extents, [&](const Dim &extent) { return ir::DimAttr::get(context, extent); }), element);
}

/// The number of elements.
inline Dim countOf(mlir::Type type) {
  Dim count(1);
  for (ir::DimAttr dim : ir::shapeOf(type)) count = count * dim.getDim();
  return count;
}

/// An array value of several elements (not a scalar, nor a tile of one).
inline bool isLong(mlir::Type type) { return mlir::isa<ir::TensorType>(type) && !longAxes(type).empty(); }

/// Not a number, nor an expression over the schedule's sizes.
inline bool variesAtRunTime(ir::DimAttr dim) {
  std::set<std::string> names;
  dim.getDim().collectVars(names);
  return llvm::any_of(names, [](const std::string &name) { return name.rfind("T.", 0) != 0; });
}

/// Where axis `axis` stands among the long axes of `type`; -1 if it is not one of them.
inline int64_t longPosition(mlir::Type type, int64_t axis) {
  int64_t position = 0;
  for (int64_t candidate : longAxes(type)) {
    if (candidate == axis) return position;
    ++position;
  }
  return -1;
}

/// Bits of an element of an array; 64 for what is neither an integer nor a float.
int64_t bitsOf(mlir::Type type);
/// Bits of `array` that are read for each element of `value`: vectors of its rows and columns do not count.
int64_t bitsReadFor(mlir::Value array, mlir::Value value);

/// An array value in another dtype: itself, or a cast of it.
mlir::Value inDType(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value value, mlir::Type element);

/// True if arrays of a kernel must be held whole: some array has two long axes or is carried by control flow.
bool holdsFragments(mlir::Operation *kernel);

}  // namespace tessera::transforms
