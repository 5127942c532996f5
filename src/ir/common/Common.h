// The dialect `tsr`: dimensions, array types and the facts about functions that every level shares.
#pragma once
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/DialectImplementation.h"
#include "support/Dim.h"
#include <optional>

namespace tessera {
struct Machine;
}

#include "ir/common/CommonDialect.h.inc"
#include "ir/common/CommonEnums.h.inc"

#include "ir/common/CommonTypeInterfaces.h.inc"
#define GET_ATTRDEF_CLASSES
#include "ir/common/CommonAttrs.h.inc"
#define GET_TYPEDEF_CLASSES
#include "ir/common/CommonTypes.h.inc"

namespace tessera::ir {

/// `["M", "K"]`
mlir::FailureOr<llvm::SmallVector<DimAttr>> parseDims(mlir::AsmParser &parser);
void printDims(mlir::AsmPrinter &printer, llvm::ArrayRef<DimAttr> dims);
/// A value of a row of the dtype table.
bool isDType(mlir::Type type);
/// index or a value of a dtype.
bool isScalar(mlir::Type type);
/// The extents of a tensor, view or shared type; empty for anything else.
llvm::ArrayRef<DimAttr> shapeOf(mlir::Type type);
/// The element type of an array, view or shared type; a scalar is its own.
mlir::Type elementTypeOf(mlir::Type type);
/// The same type with other elements (scalars and ArrayLike types).
mlir::Type withElementType(mlir::Type type, mlir::Type elementType);
llvm::SmallVector<DimAttr> dimAttrs(mlir::MLIRContext *context, llvm::ArrayRef<Dim> dims);
/// The machine that the module of `op` is compiled for, by the module's `tsr.machine`. Null, and an error at `op`, where
/// the module names none. It lives as long as the program.
const Machine *machineOf(mlir::Operation *op);
void setMachine(mlir::Operation *module, const Machine &machine);
/// On a module whose text may be compiled in parts, side by side: a unit attribute.
inline constexpr llvm::StringLiteral kInParts = "tsr.in_parts";
/// "[M, K]" for messages.
std::string text(llvm::ArrayRef<DimAttr> dims);
/// A type as its assembly prints it, for messages.
std::string text(mlir::Type type);

}  // namespace tessera::ir
