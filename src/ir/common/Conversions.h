// The dtype table's rows as MLIR types, and back.
#pragma once
#include "mlir/IR/Types.h"
#include "support/DType.h"
#include <optional>

namespace tessera::ir {

mlir::Type typeOf(mlir::MLIRContext *context, DType dtype);
/// The row of a scalar type; nothing for index and for types that hold several elements.
std::optional<DType> dtypeOf(mlir::Type type);

}  // namespace tessera::ir
