// Rules and text that operations of several dialects share: elementwise operations, casts and accesses.
#pragma once
#include "ir/common/Common.h"
#include "ir/common/FunctionLike.h"
#include "mlir/IR/OpImplementation.h"
#include "support/Ops.h"

namespace tessera::ir {

/// `"add" %a, %b : T`: T is the type of the last operand; the other types follow from the operation's row.
mlir::ParseResult parseElementwiseTypes(mlir::OpAsmParser &parser,
                                        llvm::SmallVectorImpl<mlir::Type> &operands, mlir::Type &result,
                                        mlir::StringAttr mnemonic);
void printElementwiseTypes(mlir::OpAsmPrinter &printer, mlir::Operation *op, mlir::TypeRange operands,
                           mlir::Type result, mlir::StringAttr mnemonic);
/// The result's type for operands whose last has `type`.
mlir::Type elementwiseResultType(ElementwiseOp op, mlir::Type type);
/// Arity, equal types, and which dtypes the operation is for.
mlir::LogicalResult verifyElementwise(mlir::Operation *op, llvm::StringRef mnemonic, mlir::TypeRange operands,
                                      mlir::Type result);
/// The same type but for the elements, and a conversion that exists.
mlir::LogicalResult verifyCast(mlir::Operation *op, mlir::Type from, mlir::Type to, Rounding rounding,
                               bool saturate);
/// What changes nothing in a reduction: 0 for sums, the dtype's least value for max, ... Null for dtypes that it is not for.
mlir::TypedAttr identityOf(llvm::StringRef reduction, mlir::Type type);
/// A reduction's name, and its dtypes: carried in the operand's dtype or a wider one of its class.
mlir::LogicalResult verifyReduction(mlir::Operation *op, llvm::StringRef mnemonic, mlir::Type from,
                                    mlir::Type to);
/// One row of `keys`, along the last axis, has its order in the same row of `order`: i64 in the same shape. `indices` name the row.
/// A scan goes along an axis of an array, with a reduction that is no truth value's.
mlir::LogicalResult verifyScan(mlir::Operation *op, llvm::StringRef mnemonic, int64_t axis, int64_t rank, mlir::Type type);
/// shuffle, shuffle_xor (which name a lane), ballot or a reduction of scalars among the lanes of a warp.
mlir::LogicalResult verifyWarp(mlir::Operation *op, llvm::StringRef what, mlir::Type value, bool namesLane, mlir::Type result);
/// A table has a number of its dtype for each element of its shape, a tensor's or a view's.
mlir::LogicalResult verifyTable(mlir::Operation *op, mlir::ArrayAttr values, mlir::Type type);
/// Something that all devices along an axis do together: the kind, and the axis of the mesh.
mlir::LogicalResult verifyExchange(mlir::Operation *op, llvm::StringRef kind, llvm::StringRef over);
/// How the first places of an order are found in two steps: of a part of a row, and of those that parts have.
struct FirstPlaces {
  mlir::Value part, named;  // may be null
  int64_t first = 0, length = 0;
};
mlir::LogicalResult verifyArgsortRow(mlir::Operation *op, mlir::Value keys, mlir::Value order, size_t indices, const FirstPlaces &how);
/// There is an index for each dimension of `base`: one for all elements of `value`, or as many integers.
mlir::LogicalResult verifyPlaces(mlir::Operation *op, mlir::Type value, mlir::Type base, mlir::TypeRange indices, size_t proofs);
/// An update of memory in one step: the operation has that form for elements of `base`, there is an index for each dimension (of
/// an array of values each is one for all, or an array of integers of the same shape), and only a scalar has an old value.
mlir::LogicalResult verifyAtomic(mlir::Operation *op, llvm::StringRef mnemonic, mlir::Type value, mlir::Type base,
                                 mlir::TypeRange indices, size_t proofs, mlir::Type old);
/// `to` holds every value of `from` and is of its class (float, int, bool, complex; integers with a sign hold those without).
bool isSameOrWider(mlir::Type from, mlir::Type to);

/// A dimension as a bare string, and an integer without its type.
mlir::ParseResult parseDimText(mlir::OpAsmParser &parser, DimAttr &dim);
void printDimText(mlir::OpAsmPrinter &printer, mlir::Operation *op, DimAttr dim);
mlir::ParseResult parseInteger(mlir::OpAsmParser &parser, mlir::IntegerAttr &value);
void printInteger(mlir::OpAsmPrinter &printer, mlir::Operation *op, mlir::IntegerAttr value);

/// The part after `[` of an access: `%m size "T.m" step 2 in_bounds, %k]`.
mlir::ParseResult parseAccess(mlir::OpAsmParser &parser,
                              llvm::SmallVectorImpl<mlir::OpAsmParser::UnresolvedOperand> &offsets,
                              mlir::DenseBoolArrayAttr &points, DimsAttr &sizes,
                              mlir::DenseI64ArrayAttr &steps, mlir::DenseBoolArrayAttr &inBounds);
void printAccess(mlir::OpAsmPrinter &printer, mlir::Operation *op, mlir::OperandRange offsets,
                 mlir::DenseBoolArrayAttr points, DimsAttr sizes, mlir::DenseI64ArrayAttr steps,
                 mlir::DenseBoolArrayAttr inBounds);
/// One group for each dimension of `base`.
mlir::LogicalResult verifyAccess(mlir::Operation *op, mlir::Type base, size_t offsets,
                                 llvm::ArrayRef<bool> points, llvm::ArrayRef<DimAttr> sizes,
                                 llvm::ArrayRef<int64_t> steps, llvm::ArrayRef<bool> inBounds);
/// The value that such an access reads: a scalar, or a tensor of the ranges' sizes.
mlir::Type accessedType(mlir::Type base, llvm::ArrayRef<bool> points, llvm::ArrayRef<DimAttr> sizes);

}  // namespace tessera::ir
