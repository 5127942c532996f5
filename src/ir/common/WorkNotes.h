// What a launch does, as formulas of its function's dimensions: counted where kernels are decided, and kept down to the manifest.
#pragma once
#include "mlir/IR/BuiltinAttributes.h"
#include "support/Prediction.h"

namespace tessera::ir {

/// On a launch of any level: a dictionary of texts. Absent where the work depends on data.
inline constexpr llvm::StringLiteral kWork = "tsr.work";

mlir::DictionaryAttr attributeOf(const Work &work, mlir::MLIRContext *context);
Work workOf(mlir::DictionaryAttr attribute);

}  // namespace tessera::ir
