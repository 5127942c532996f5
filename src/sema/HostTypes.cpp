// Types with dimensions in host code: what is read from files has them only when it runs, so run time asserts them.
#include "sema/Checker.h"

namespace tessera::sema {

using ast::as;

/// Names of dimensions that `Tensor[N, f32]` mentions first become extents of the host tensor.
void Checker::bindHostTensor(const Value &tensor, const std::vector<const ast::Expr *> &dims) {
  for (size_t axis = 0; axis < dims.size(); ++axis) {
    std::string variable = freeDimension(*dims[axis]);
    if (variable.empty() || frame_->names.count(variable)) continue;
    assignName(variable, hostExtent(tensor, static_cast<int>(axis), dims[axis]->span), dims[axis]->span);
  }
}

/// Asserts that a host tensor has the extents that its type declares. False, with a message, if they have no value.
bool Checker::hostDimensions(const Value &tensor, const std::vector<const ast::Expr *> &dims, const std::string &name) {
  for (const ast::Expr *dim : dims)
    if (dim->kind == ast::ExprKind::Ellipsis || dim->kind == ast::ExprKind::Starred) return true;
  for (size_t axis = 0; axis < dims.size(); ++axis) {
    const ast::Expr &dim = *dims[axis];
    auto *text = as<ast::StringExpr>(&dim);
    Value wanted = text ? lookup(text->value, dim.span, false) : checkExpr(dim);
    if (wanted.isPoison()) return false;
    std::string written = text ? text->value : std::string(sources_.text(dim.span));
    if (auto bound = frame_->names.find(written); bound != frame_->names.end() && bound->second.span == dim.span) continue;
    Value extent = hostExtent(tensor, static_cast<int>(axis), dim.span);
    std::string before = "dimension " + std::to_string(axis) + " of `" + name + "` is ";
    if (!hostAssert(compareValues(ast::CompareOp::Eq, extent, wanted, dim.span), {extent, wanted},
                    {before, ", but `" + written + "` is ", ""}, dim.span))
      return false;
  }
  return true;
}

/// A `where` of a host function over dimensions that only run time knows. False if the compiler knows them.
bool Checker::hostFact(const ast::Expr &fact) {
  Value holds = checkExpr(fact);
  if (holds.isPoison()) return true;
  if (knownCondition(holds)) return false;
  hostAssert(holds, {}, {"`where " + std::string(sources_.text(fact.span)) + "` does not hold"}, fact.span);
  return true;
}

bool Checker::hostAssert(const Value &condition, const std::vector<Value> &parts, std::vector<std::string> texts, Span span) {
  ExprPtr holds = condition.isPoison() ? nullptr : conditionExpr(condition, span);
  ExprPtr text = holds ? formatExpr(parts, std::move(texts), span) : nullptr;
  if (!text) return false;
  Stmt &stmt = emit(StmtKind::Assert, span);
  stmt.condition = std::move(holds);
  stmt.value = std::move(text);
  return true;
}

}  // namespace tessera::sema
