// Operands of `a + b` and `a - b`: a product among them is added up in the dtype of what it is added to.
#include "sema/trace/Trace.h"

namespace tessera::sema {

using ast::as, ast::BinaryOp;

/// `dot(a, b)`, `a @ b`, or one of them times something.
static bool isProduct(const ast::Expr &expr) {
  if (auto *binary = as<ast::BinaryExpr>(&expr)) {
    if (binary->op == BinaryOp::Mul) return isProduct(*binary->left) || isProduct(*binary->right);
    return binary->op == BinaryOp::MatMul || (binary->op == BinaryOp::Div && isProduct(*binary->left));
  }
  auto *call = as<ast::CallExpr>(&expr);
  if (!call) return false;
  if (auto *member = as<ast::AttributeExpr>(call->callee)) return member->attribute.text == "dot";
  auto *name = as<ast::NameExpr>(call->callee);
  return name && name->name == "dot";
}

/// An operand that is added to `other`, which is its accumulator where it is a product.
static Value addend(Context &cx, const ast::Expr &operand, const Value &other) {
  auto saved = cx.accumulateHint;
  if (other.kind == ValueKind::Array && isProduct(operand)) cx.accumulateHint = other.type.dtype;
  Value out = checkExpr(cx, operand);
  cx.accumulateHint = saved;
  return out;
}

std::pair<Value, Value> checkOperands(Context &cx, const ast::BinaryExpr &expr) {
  const bool adds = expr.op == BinaryOp::Add || expr.op == BinaryOp::Sub;
  if (adds && isProduct(*expr.left) && !isProduct(*expr.right)) {
    Value b = checkExpr(cx, *expr.right);  // the accumulator stands behind it
    Value a = addend(cx, *expr.left, b);
    return {std::move(a), std::move(b)};
  }
  Value a = checkExpr(cx, *expr.left);
  Value b = adds ? addend(cx, *expr.right, a) : checkExpr(cx, *expr.right);
  return {std::move(a), std::move(b)};
}

}  // namespace tessera::sema
