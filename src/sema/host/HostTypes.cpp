// Types with dimensions in host code: what is read from files has them only when it runs, so run time asserts them.
#include "sema/Report.h"
#include "sema/host/Host.h"
#include "sema/trace/Trace.h"
#include "sema/types/Types.h"
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

static bool isRebound(const Value &tensor, const std::set<Var *> &rebindable) {
  return tensor.expr && tensor.expr->kind == ExprKind::VarRef && rebindable.count(tensor.expr->as<node::VarRef>().var);
}

size_t knownRank(const Value &tensor, const std::set<Var *> &rebindable) {
  return isRebound(tensor, rebindable) ? 0 : static_cast<size_t>(tensor.rank);
}

Value withKeptExtents(const Context &cx, Value tensor) {
  if (tensor.kind != ValueKind::HostTensor || !isRebound(tensor, cx.function.rebindable)) return tensor;
  auto kept = cx.function.keptExtents.find(tensor.expr->as<node::VarRef>().var);
  if (kept == cx.function.keptExtents.end()) tensor.madeAs.clear();
  else tensor.madeAs = kept->second;
  return tensor;
}

std::optional<DType> knownDType(const Context &cx, const Value &tensor) {
  const bool changes = isRebound(tensor, cx.function.rebindable) && cx.function.otherDTypes.count(tensor.expr->as<node::VarRef>().var);
  return changes ? std::nullopt : tensor.madeOf;
}

void meetDTypes(Context &cx, Var *var, const Value &before, const Value &value) {
  if (before.kind != ValueKind::HostTensor || value.kind != ValueKind::HostTensor || before.text == kHeldList) return;  // a list knows what it holds
  if (!before.madeOf || knownDType(cx, value) != before.madeOf) cx.function.otherDTypes.insert(var);
}

static bool hostAssert(Context &cx, const Value &condition, const std::vector<Value> &parts,
                       std::vector<std::string> texts, Span span);

void bindHostTensor(Context &cx, const Value &tensor, const DimExprs &dims, const ast::Expr &declared,
                    const std::string &name) {
  size_t open = openIn(dims), rank = open < dims.size() ? dims.size() - 1 : dims.size();
  if (knownRank(tensor, cx.function.rebindable) == 0) {
    Value have = hostExtent(cx, tensor, std::nullopt, declared.span),
          wanted = Value::integer(Dim(static_cast<int64_t>(rank) + tensor.stackAxes));
    bool exact = open == dims.size();
    Value fits = compareValues(cx, exact ? ast::CompareOp::Eq : ast::CompareOp::Ge, have, wanted, declared.span);
    hostAssert(cx, fits, {have},
               {"the number of dimensions of " + name + " is ",
                ", but `" + std::string(cx.sources.text(declared.span)) + "` has " + (exact ? "" : "at least ") +
                    std::to_string(rank)},
               declared.span);
  }
  for (size_t i = 0; i < dims.size(); ++i) {
    std::string variable = freeDimension(cx, *dims[i]);
    if (i == open || variable.empty() || cx.function.frame->names.count(variable)) continue;
    const int axis = axisAt(i, dims);
    assignName(cx, variable, hostExtent(cx, tensor, axis < 0 ? axis : axis + tensor.stackAxes, dims[i]->span), dims[i]->span);
  }
}

/// What a name of host code stands for in a dimension, where it is an integer.
static const Dim *hostDim(const Context &cx, const std::string &name) {
  if (auto dim = cx.function.frame->dims.find(name); dim != cx.function.frame->dims.end()) return &dim->second;
  auto bound = cx.function.frame->names.find(name);
  return bound != cx.function.frame->names.end() && bound->second.isBound() && bound->second.value.kind == ValueKind::Int ? &bound->second.value.sym : nullptr;
}
static std::map<std::string, Dim> hostDims(const Context &cx, const Dim &formula) {
  std::map<std::string, Dim> values;
  std::set<std::string> names;
  formula.collectVars(names);
  for (const std::string &name : names)
    if (const Dim *value = hostDim(cx, name)) values[name] = *value;
  return values;
}

void solveHostDimensions(Context &cx, const Value &tensor, const DimExprs &dims) {
  const size_t open = openIn(dims);
  for (size_t i = 0; i < dims.size(); ++i) {
    if (i == open) continue;
    auto linear = solvableDimension(cx, *dims[i], [&](const std::string &name) { return hostDim(cx, name) != nullptr; });
    if (!linear) continue;
    const int axis = axisAt(i, dims);
    const Value extent = hostExtent(cx, tensor, axis < 0 ? axis : axis + tensor.stackAxes, dims[i]->span);
    if (extent.kind != ValueKind::Int) continue;
    assignName(cx, linear->variable, Value::integer(linear->solved(extent.sym, hostDims(cx, linear->rest + linear->factor))), dims[i]->span);
  }
}

void nameExtents(Context &cx, const Value &tensor, const ast::SubscriptExpr &declared) {
  DimExprs dims;
  for (const ast::Argument &item : declared.items)
    if (&item != &declared.items.back()) dims.push_back(item.value.get());
  for (size_t i = 0; i < dims.size(); ++i) {
    auto *name = as<ast::NameExpr>(dims[i]);
    if (!name || dtypeByName(name->name) || cx.function.frame->generics.count(name->name) || !lookupName(cx, name->name, name->span, true).isPoison()) continue;
    const int axis = axisAt(i, dims);
    assignName(cx, name->name, hostExtent(cx, tensor, axis, name->span), name->span);
  }
}

bool hostRankFits(Context &cx, const Value &tensor, const DimExprs &dims, const ast::Expr &declared, Span span) {
  size_t known = knownRank(tensor, cx.function.rebindable);
  bool open = openIn(dims) < dims.size();
  if (known == 0 || (open ? known + 1 >= dims.size() : known == dims.size())) return true;
  if (fresh(cx, Id::rankMismatch, span))
    report(cx, Id::rankMismatch, span, (open ? "at least " : "") + diag::counted(dims.size() - open, "dimension"),
           diag::counted(known, "dimension"))
        .note(declared.span, "declared here");
  return false;
}

bool hostDimensions(Context &cx, const Value &tensor, const DimExprs &dims, const std::string &name) {
  size_t open = openIn(dims);
  for (size_t i = 0; i < dims.size(); ++i) {
    if (i == open) continue;
    const ast::Expr &dim = *dims[i];
    int axis = axisAt(i, dims);
    if (axis >= 0) axis += tensor.stackAxes;
    auto *text = as<ast::StringExpr>(&dim);
    auto formula = text && hasFormulas(dim) ? Dim::parse(text->value) : std::nullopt;
    Value wanted = formula ? Value::integer(formula->substitute(hostDims(cx, *formula))) : text ? lookupName(cx, text->value, dim.span, false) : checkExpr(cx, dim);
    if (wanted.isPoison()) return false;
    std::string written = text ? text->value : std::string(cx.sources.text(dim.span));
    if (auto bound = cx.function.frame->names.find(written);
        bound != cx.function.frame->names.end() && bound->second.span == dim.span)
      continue;
    Value extent = hostExtent(cx, tensor, axis, dim.span);
    std::string before = "dimension " + std::to_string(axis) + " of `" + name + "` is ";
    if (!hostAssert(cx, compareValues(cx, ast::CompareOp::Eq, extent, wanted, dim.span), {extent, wanted},
                    {before, ", but `" + written + "` is ", ""}, dim.span))
      return false;
  }
  return true;
}

bool hostFact(Context &cx, const ast::Expr &fact) {
  Value holds = checkExpr(cx, fact);
  if (holds.isPoison()) return true;
  if (knownCondition(holds)) return false;
  hostAssert(cx, holds, {}, {"`where " + std::string(cx.sources.text(fact.span)) + "` does not hold"}, fact.span);
  return true;
}

static bool hostAssert(Context &cx, const Value &condition, const std::vector<Value> &parts,
                       std::vector<std::string> texts, Span span) {
  ExprPtr holds = condition.isPoison() ? nullptr : conditionExpr(cx, condition, span);
  ExprPtr text = holds ? formatExpr(cx, parts, std::move(texts), span) : nullptr;
  if (!text) return false;
  Stmt &stmt = emit(cx, StmtKind::Assert, span);
  stmt.condition = std::move(holds);
  stmt.value = std::move(text);
  return true;
}

}  // namespace tessera::sema
