// How types and literals of the Target dialect are spelled.
#pragma once
#include "codegen/source/Precedence.h"
#include "support/DType.h"
#include "mlir/IR/Attributes.h"
#include "mlir/IR/Types.h"
#include <string>

namespace tessera::codegen {

class Spelling {
public:
  explicit Spelling(Target target) : target_(target) {}
  /// "const tsr::bf16 *", "int64_t", "void" (none); array types give their element.
  std::string type(mlir::Type type) const;
  /// `T name`, `T *name`, `T name[2]`; `restrictMark` goes behind a pointer's star.
  std::string declaration(mlir::Type type, const std::string &name,
                          const std::string &restrictMark = "") const;
  /// A number, truth value or string of that type.
  Expr literal(mlir::Attribute value, mlir::Type type) const;
  /// How a scalar of that dtype crosses the C interface: dtypes that C lacks as float.
  std::string abiScalar(mlir::Type type) const;
  /// A template argument: a type, an integer, or text.
  std::string templateArgument(mlir::Attribute attribute) const;

private:
  Target target_;
};

/// The dtype's name in the language ("bf16"); "index" is i64.
std::string dtypeName(mlir::Type type);
/// A string as a literal of C++.
std::string quoted(std::string_view text);

}  // namespace tessera::codegen
