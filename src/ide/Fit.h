// What fits where it would stand: values and parameters, operands and operators, a tensor and the methods it may have.
#pragma once
#include "ide/Describe.h"
#include "ide/Ide.h"
#include <map>
#include <optional>
#include <string>

namespace tessera::ide {

enum class Fit : uint8_t { Fits, Unknown, Not };

/// What the arguments of a call say about the callee's dimensions and dtypes, by the callee's names, in the caller's terms.
struct Solved {
  std::map<std::string, Dim> dims;
  std::map<std::string, DType> dtypes;
  bool empty() const { return dims.empty() && dtypes.empty(); }
};

/// Whether a value may be given to a parameter of this type; what that says is added. A dimension that is not proved equal
/// does not fit.
Fit fitOf(const ast::Expr *annotation, const sema::Fact &value, Solved &solved);
/// Whether the right operand goes with the left one.
Fit fitOf(ast::BinaryOp op, const sema::Fact &left, const sema::Fact &right);
/// Whether a built-in method is one of such a tensor.
Fit fitOf(const sema::BuiltinRow &method, const sema::Fact &object);

/// What is known of an expression, or of the variable that it names, as it is there or before `offset`; null: nothing.
const sema::Fact *valueBefore(const View &view, const Context::Operand &operand);
const sema::Fact *valueBefore(const View &view, uint32_t symbol, uint32_t offset);

/// What the arguments before the cursor say.
Solved solvedBy(const View &view, const Context &context, const CallableText &callee);
/// The parameter that stands at the cursor, or nothing.
std::optional<size_t> parameterAt(const Context &context, const CallableText &callee);
/// The type of a parameter with what is solved in the place of its names, "Tensor[B*S, D, f32]"; empty: as it is written.
std::string typeHere(const View &view, const ast::Expr *annotation, const Solved &solved);

}  // namespace tessera::ide
