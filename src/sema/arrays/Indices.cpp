// Numbers as indices: what an integer is known to be, and a symbol for one that is made of data.
#include "checked/ExprBuild.h"
#include "frontend/Walk.h"
#include "sema/Report.h"
#include "sema/arrays/Arrays.h"
#include "sema/arrays/ChosenBuffer.h"
#include "sema/host/Host.h"
#include "sema/modules/Modules.h"
#include "sema/trace/Trace.h"
#include "sema/types/OwnMethods.h"
#include "sema/types/Types.h"
#include <algorithm>
#include <set>

namespace tessera::sema {

using ast::as;

/// An index that names one place: made of numbers, and of what a kernel asks about its lane and group.
static bool namesOnePlace(Context &cx, const ast::Expr &index) {
  switch (index.kind) {
  case ast::ExprKind::Name: {
    Value value = lookupName(cx, as<ast::NameExpr>(&index)->name, index.span, /*quiet=*/true);
    return value.kind == ValueKind::Int || (value.kind == ValueKind::Array && value.type.shape.empty());
  }
  case ast::ExprKind::Call: {
    static const std::set<std::string> numbers = {"local_id", "group_id", "warp_id", "lane_id", "min", "max"};
    auto *call = as<ast::CallExpr>(&index);
    auto *member = as<ast::AttributeExpr>(call->callee);
    auto *name = as<ast::NameExpr>(call->callee);
    if (!numbers.count(member ? member->attribute.text : name ? name->name : "")) return false;
    return std::all_of(call->arguments.begin(), call->arguments.end(), [&](const ast::Argument &argument) { return namesOnePlace(cx, *argument.value); });
  }
  case ast::ExprKind::Int: return true;
  case ast::ExprKind::Unary:
  case ast::ExprKind::Binary: {
    const auto parts = ast::childrenOf(index).exprs;
    return std::all_of(parts.begin(), parts.end(), [&](const ast::Expr *part) { return namesOnePlace(cx, *part); });
  }
  default: return false;
  }
}

const ast::SubscriptExpr *choiceOfBuffer(Context &cx, const ast::SubscriptExpr &expr) {
  auto *choice = as<ast::SubscriptExpr>(expr.object);
  auto *name = choice && inKernel(cx) ? as<ast::NameExpr>(choice->object) : nullptr;
  if (!name || choice->items.size() != 1 || choice->items[0].keyword || choice->items[0].stars) return nullptr;
  Value buffers = lookupName(cx, name->name, name->span, /*quiet=*/true);
  const bool several = buffers.kind == ValueKind::Shared && buffers.var && buffers.var->type.shape.size() > 1;
  return several && namesOnePlace(cx, *choice->items[0].value) ? choice : nullptr;
}

const ast::Expr &objectOf(Context &cx, const ast::SubscriptExpr &expr) {
  const ast::SubscriptExpr *choice = choiceOfBuffer(cx, expr);
  return choice ? *choice->object : *expr.object;
}

std::optional<Dim> limitOf(const Context &cx, const Expr &e, bool most) {
  if (auto *dim = e.get<node::DimValue>()) return dim->dim;
  if (auto *constant = e.get<node::Constant>()) {
    auto *whole = std::get_if<int64_t>(&constant->value);
    auto *real = std::get_if<double>(&constant->value);
    return whole ? std::optional(Dim(*whole)) : real ? std::optional(Dim(static_cast<int64_t>(*real))) : std::nullopt;
  }
  if (e.kind == ExprKind::Cast) return keepsInteger(e) ? limitOf(cx, *e.args[0], most) : std::nullopt;
  if (const Var *var = varOf(e)) {
    auto let = std::find_if(cx.function.block->rbegin(), cx.function.block->rend(), [&](const auto &stmt) { return stmt->kind == StmtKind::Let && stmt->var == var; });
    return let == cx.function.block->rend() || var->reassigned || var->type.isArray() ? std::nullopt : limitOf(cx, *(*let)->value, most);
  }
  auto *op = e.get<node::Elementwise>();
  if (!op || e.args.size() != 2) return std::nullopt;
  auto left = limitOf(cx, *e.args[0], most), right = limitOf(cx, *e.args[1], most);
  if (op->op == ElementwiseOp::Mod) {
    if (!right || !cx.function.facts.proves({*right, Relation::Ge, Dim(1)})) return std::nullopt;
    return most ? *right - Dim(1) : Dim(0);
  }
  const bool isMin = op->op == ElementwiseOp::Min;
  if (!isMin && op->op != ElementwiseOp::Max) return std::nullopt;
  if (left && right) return isMin ? Dim::min(*left, *right) : Dim::max(*left, *right);
  return isMin != most ? std::nullopt : left ? left : right;
}

Value convertInt(Context &cx, const Value &value, Span span) {
  Value v = value;
  if (auto whole = byMethod(cx, v, "__int__", span)) v = *whole;
  if (v.kind == ValueKind::Bool) return Value::integer(Dim(v.truth));
  if (v.kind == ValueKind::HostTensor) v = hostScalar(cx, v, span);
  if (v.kind == ValueKind::Int || v.isPoison()) return v;
  if (v.isScalar() && isInt(v.type.dtype)) {
    ExprPtr e = makeExpr(ExprKind::Cast, indexType(), span);
    e->args.push_back(takeExpr(v));
    auto least = limitOf(cx, *e->args[0], false), most = limitOf(cx, *e->args[0], true);
    Value index = indexValue(cx, std::move(e), kMadeIndex, span);
    cx.function.ofData.insert(index.sym.varName());
    if (least) cx.function.facts.add(shape::Formula(index.sym, Relation::Ge, cx.function.facts.simplify(*least)));
    if (most) cx.function.facts.add(shape::Formula(index.sym, Relation::Le, cx.function.facts.simplify(*most)));
    return index;
  }
  if (!reportNone(cx, v, span) && fresh(cx, Id::wrongArgument, span)) {
    bool read = inHost(cx) && v.isScalar() && isFloat(v.type.dtype);
    auto builder = report(cx, Id::wrongArgument, span, "an index", "an integer",
                          value.kind == ValueKind::HostTensor ? "the number of a tensor" : describe(cx, v));
    std::string whole = "int(" + std::string(cx.sources.text(span)) + ")";
    if (read)
      builder.help("numbers of tensors are f64 in host code: `" + whole + "` makes an integer")
          .suggest(span, whole, "write `" + whole + "`");
    if (v.isArray() && v.type.dtype == DType::Bool)
      builder.help("how many elements a condition chooses is not known: `where(c, x, 0.0)` keeps the others as 0, and "
                   "`sum(where(c, x, 0.0))` adds those that were chosen");
    else if (v.isArray())
      builder.help("what a tensor of integers names along an axis: `take(x, indices, axis)`, "
                   "for each place another: `gather(x, indices, axis)`");
  }
  return Value::poison();
}

}  // namespace tessera::sema
