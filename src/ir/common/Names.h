// Names and places: every value carries the user's name and its place down to the emitted text.
#pragma once
#include "mlir/IR/Location.h"
#include "mlir/IR/Value.h"
#include "support/Dim.h"
#include "llvm/ADT/SmallVector.h"
#include <string>

namespace mlir {
class Operation;
class FileLineColLoc;
}  // namespace mlir

namespace tessera::ir {

/// NameLoc(name, place); just the place if the name is empty.
mlir::Location named(llvm::StringRef name, mlir::Location place);
/// The line alone, for what has no name of its own: an index, a part of an expression.
mlir::Location unnamed(mlir::Location location);
/// The same place, which also carries sizes in the program's names (Dim::written): the shape of the result of
/// the operation, the value of a program integer, of a kernel its grid. As it is where no size has a name.
/// They are hints: a size whose name is lost on the way is printed as a number.
mlir::Location withSizes(llvm::ArrayRef<Dim> sizes, mlir::Location location);
/// What withSizes() put there; empty if nothing.
llvm::SmallVector<Dim> sizesOf(mlir::Location location);
/// `location` with the sizes of another.
mlir::Location withSizesOf(mlir::Location other, mlir::Location location);
/// "`concat`": an operation, for messages.
std::string wordOf(mlir::Operation *operation);
/// What the user calls this value, or "".
llvm::StringRef nameHint(mlir::Value value);
/// The name in a location (the outermost NameLoc, also inside a FusedLoc), or "".
llvm::StringRef nameHint(mlir::Location location);
/// Where an operation stands in the user's text; null if it stands nowhere.
mlir::FileLineColLoc placeOf(mlir::Operation *operation);
mlir::FileLineColLoc placeOf(mlir::Location location);

}  // namespace tessera::ir
