// Small constructors of the checked program's expressions and types.
#pragma once
#include "checked/Checked.h"

namespace tessera::checked {

Type indexType();
Type scalarType(DType dtype, Numerics numerics = {});
Type tensorType(DType dtype, std::vector<Dim> shape, Numerics numerics = {});
/// The same kind and shape in another dtype.
Type withDType(Type type, DType dtype);

ExprPtr makeExpr(ExprKind kind, Type type, Span span);
ExprPtr makeIndex(int64_t value, Span span);
ExprPtr textExpr(std::string text, Span span);
ExprPtr makeConstant(DType dtype, double value, Span span);
ExprPtr makeBool(bool value, Span span);
ExprPtr makeRef(Var *var, Span span);
ExprPtr makeElementwise(ElementwiseOp op, Type type, Span span, std::vector<ExprPtr> args);
ExprPtr makeCast(ExprPtr value, DType dtype, const Numerics &numerics);

/// Whether an integer that is cast stays the number that it is, whatever that is.
bool keepsInteger(const Expr &cast);

/// What a query is called in dimensions.
inline std::string queryName(Query query, int axis = 0) {
  return "%q:" + std::to_string(static_cast<int>(query)) + ":" + std::to_string(axis);
}

ExprPtr clone(const Expr &expr);
IndexPart clone(const IndexPart &part);
Access clone(const Access &access);

/// Visits an expression, its arguments and the expressions of its access.
template <class Visit> void visitExprs(Expr *expr, const Visit &visit);
template <class Visit> void visitExprs(Access &access, const Visit &visit) {
  for (IndexPart &part : access.parts) visitExprs(part.offset.get(), visit);
  visitExprs(access.other.get(), visit);
}
template <class Visit> void visitExprs(Expr *expr, const Visit &visit) {
  if (!expr) return;
  visit(*expr);
  for (ExprPtr &arg : expr->args) visitExprs(arg.get(), visit);
  if (Access *access = accessOf(*expr)) visitExprs(*access, visit);
}
template <class Visit> void visitExprs(Block &block, const Visit &visit) {
  for (auto &stmt : block) {
    for (ExprPtr *e : {&stmt->value, &stmt->extra, &stmt->condition, &stmt->start, &stmt->stop, &stmt->step})
      visitExprs(e->get(), visit);
    visitExprs(stmt->access, visit);
    visitExprs(stmt->source, visit);
    for (ExprPtr &e : stmt->values) visitExprs(e.get(), visit);
    visitExprs(stmt->body, visit);
    visitExprs(stmt->otherwise, visit);
  }
}

}  // namespace tessera::checked
