// Types with dimensions in host code: what is read from files has them only when it runs, so run time asserts them.
#include "sema/Checker.h"
#include <algorithm>

namespace tessera::sema {

using ast::as;

namespace {
/// `...` among dimensions stands for any number of them: where it is, else their number.
size_t openIn(const DimExprs &dims) {
  auto it = std::find_if(dims.begin(), dims.end(), [](const ast::Expr *dim) {
    return dim->kind == ast::ExprKind::Ellipsis || dim->kind == ast::ExprKind::Starred;
  });
  return static_cast<size_t>(it - dims.begin());
}
/// The axis of the i-th dimension that is written; behind `...` it is counted from the end.
int axisAt(size_t i, const DimExprs &dims) {
  return static_cast<int>(i) - (i > openIn(dims) ? static_cast<int>(dims.size()) : 0);
}
}  // namespace

size_t knownRank(const Value &tensor, const std::set<Var *> &rebindable) {
  bool rebound = tensor.expr && tensor.expr->kind == ExprKind::VarRef && rebindable.count(tensor.expr->var);
  return rebound ? 0 : static_cast<size_t>(tensor.rank);
}

/// Names of dimensions that `Tensor[N, f32]` mentions first become extents of the host tensor. Where only run time
/// knows how many it has, it is asserted before.
void Checker::bindHostTensor(const Value &tensor, const DimExprs &dims, const ast::Expr &declared, const std::string &name) {
  size_t open = openIn(dims), rank = open < dims.size() ? dims.size() - 1 : dims.size();
  if (knownRank(tensor, rebindable_) == 0) {
    Value have = hostExtent(tensor, std::nullopt, declared.span), wanted = Value::integer(Dim(static_cast<int64_t>(rank)));
    bool exact = open == dims.size();
    Value fits = compareValues(exact ? ast::CompareOp::Eq : ast::CompareOp::Ge, have, wanted, declared.span);
    hostAssert(fits, {have}, {"the number of dimensions of " + name + " is ", ", but `" + std::string(sources_.text(declared.span)) +
                              "` has " + (exact ? "" : "at least ") + std::to_string(rank)}, declared.span);
  }
  for (size_t i = 0; i < dims.size(); ++i) {
    std::string variable = freeDimension(*dims[i]);
    if (i == open || variable.empty() || frame_->names.count(variable)) continue;
    assignName(variable, hostExtent(tensor, axisAt(i, dims), dims[i]->span), dims[i]->span);
  }
}

/// False, with a message, if a host tensor is known to have another number of dimensions than its type declares.
bool Checker::hostRankFits(const Value &tensor, const DimExprs &dims, const ast::Expr &declared, Span span) {
  size_t known = knownRank(tensor, rebindable_);
  bool open = openIn(dims) < dims.size();
  if (known == 0 || (open ? known + 1 >= dims.size() : known == dims.size())) return true;
  if (fresh(Id::rankMismatch, span))
    report(Id::rankMismatch, span, (open ? "at least " : "") + diag::counted(dims.size() - open, "dimension"),
           diag::counted(known, "dimension"))
        .note(declared.span, "declared here");
  return false;
}

/// Asserts that a host tensor has the extents that its type declares. False, with a message, if they have no value.
bool Checker::hostDimensions(const Value &tensor, const DimExprs &dims, const std::string &name) {
  size_t open = openIn(dims);
  for (size_t i = 0; i < dims.size(); ++i) {
    if (i == open) continue;
    const ast::Expr &dim = *dims[i];
    int axis = axisAt(i, dims);
    auto *text = as<ast::StringExpr>(&dim);
    Value wanted = text ? lookup(text->value, dim.span, false) : checkExpr(dim);
    if (wanted.isPoison()) return false;
    std::string written = text ? text->value : std::string(sources_.text(dim.span));
    if (auto bound = frame_->names.find(written); bound != frame_->names.end() && bound->second.span == dim.span) continue;
    Value extent = hostExtent(tensor, axis, dim.span);
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
