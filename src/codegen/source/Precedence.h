// Expressions of C and C++ as text with a precedence, so that parentheses stand only where they are needed
// (or where compilers warn without them).
#pragma once
#include "codegen/source/Doc.h"

namespace tessera::codegen {

enum class Precedence : int {
  Comma = 1,
  Conditional,
  LogicalOr,
  LogicalAnd,
  BitOr,
  BitXor,
  BitAnd,
  Equality,
  Relational,
  Shift,
  Additive,
  Multiplicative,
  Unary,
  Postfix,
  Primary
};

struct Expr {
  Doc doc;
  Precedence precedence = Precedence::Primary;
};

/// The row of an infix operator; throws InternalError for a text that is none.
Precedence precedenceOf(std::string_view op);

Expr binaryExpr(std::string_view op, const Expr &left, const Expr &right);
Expr unaryExpr(std::string_view op, const Expr &operand);
Expr conditionalExpr(const Expr &condition, const Expr &thenValue, const Expr &elseValue);
/// `callee(arguments)`
Expr callExpr(Doc callee, const std::vector<Expr> &arguments);
/// As the operand of something that binds like `least`: in parentheses if it binds less.
Doc operandOf(Precedence least, const Expr &expr);

}  // namespace tessera::codegen
