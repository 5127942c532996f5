// Names and places: every value carries the user's name and its place down to the emitted text.
#pragma once
#include "mlir/IR/Location.h"
#include "mlir/IR/Value.h"
#include <string>

namespace mlir {
class Operation;
class FileLineColLoc;
}  // namespace mlir

namespace tessera::ir {

/// NameLoc(name, place); just the place if the name is empty.
mlir::Location named(llvm::StringRef name, mlir::Location place);
/// What the user calls this value, or "".
llvm::StringRef nameHint(mlir::Value value);
/// The name in a location (the outermost NameLoc, also inside a FusedLoc), or "".
llvm::StringRef nameHint(mlir::Location location);
/// Where an operation stands in the user's text; null if it stands nowhere.
mlir::FileLineColLoc placeOf(mlir::Operation *operation);
mlir::FileLineColLoc placeOf(mlir::Location location);

}  // namespace tessera::ir
