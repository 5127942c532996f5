// An index that goes on where the condition around it stopped: `x[i + 1]` under `if i < N:`.
#include "frontend/Walk.h"
#include "sema/Report.h"
#include "sema/arrays/Arrays.h"
#include "sema/claims/Claims.h"
#include "sema/kernels/Coverage.h"
#include "sema/trace/Trace.h"
#include <algorithm>

namespace tessera::sema {

using ast::as;

namespace {

/// What a condition keeps below what.
struct Kept {
  Dim counted, end;
};

void collectBounds(const shape::Formula &formula, std::vector<Kept> &bounds) {
  if (formula.kind == shape::Formula::Kind::And)
    for (const shape::Formula &part : formula.parts) collectBounds(part, bounds);
  if (formula.kind != shape::Formula::Kind::Claim) return;
  const shape::Claim &claim = formula.claim;
  switch (claim.relation) {
  case Relation::Lt: bounds.push_back({claim.left, claim.right}); break;
  case Relation::Le: bounds.push_back({claim.left, claim.right + Dim(1)}); break;
  case Relation::Gt: bounds.push_back({claim.right, claim.left}); break;
  case Relation::Ge: bounds.push_back({claim.right, claim.left + Dim(1)}); break;
  default: break;
  }
}

std::set<std::string> varsOf(const Dim &dim) {
  std::set<std::string> vars;
  dim.collectVars(vars);
  return vars;
}

/// Whether lanes, groups and counters alone are in it.
bool isCounted(const Context &cx, const Dim &dim) {
  const std::set<std::string> vars = varsOf(dim);
  return std::all_of(vars.begin(), vars.end(), [&](const std::string &v) { return v.rfind("%q:", 0) == 0 || cx.function.counters.count(v); });
}

/// Whether the index is what the condition compares with the end of this axis, and something more.
bool goesOn(const Context &cx, const Kept &bound, const Dim &index, const Dim &extent) {
  const shape::Facts &facts = cx.function.facts;
  const std::set<std::string> counted = varsOf(bound.counted), used = varsOf(index);
  const Dim more = index - bound.counted, room = extent - bound.end;
  if (more == Dim(0)) return isCounted(cx, bound.counted) && !counted.empty() && room == Dim(-1);  // `i <= N`
  if (counted.empty() || !isCounted(cx, bound.counted) || !isCounted(cx, more)) return false;
  if (!std::includes(used.begin(), used.end(), counted.begin(), counted.end())) return false;
  return room.isConstant() || facts.same(extent, bound.end);
}

/// The comparison around a place that keeps a name below something.
struct Guard {
  const ast::CompareExpr *condition = nullptr;
  const ast::NameExpr *name = nullptr;
};

/// The name in front of `<`, in the innermost `if` around a place, that stands for what the bound counts.
Guard guardAround(const Context &cx, const ast::Block &block, const Dim &counted, Span span) {
  Guard found;
  for (const ast::StmtPtr &stmt : block) {
    if (span.begin < stmt->span.begin || stmt->span.end < span.end) continue;
    for (const ast::Block *inner : ast::blocksOf(*stmt))
      if (!found.name) found = guardAround(cx, *inner, counted, span);
    auto *guard = as<ast::IfStmt>(stmt);
    auto *both = guard ? as<ast::BoolOpExpr>(guard->condition) : nullptr;
    std::vector<const ast::Expr *> parts;
    if (both && both->isAnd)
      for (const ast::ExprPtr &part : both->operands) parts.push_back(part.get());
    else if (guard) parts.push_back(guard->condition.get());
    for (const ast::Expr *part : parts) {
      auto *compare = found.name ? nullptr : as<ast::CompareExpr>(part);
      auto *name = compare && compare->ops.size() == 1 && compare->ops[0] == ast::CompareOp::Lt ? as<ast::NameExpr>(compare->operands[0]) : nullptr;
      auto it = name ? cx.function.frame->names.find(name->name) : cx.function.frame->names.end();
      if (it != cx.function.frame->names.end() && cx.function.facts.simplify(it->second.value.sym) == counted) found = {compare, name};
    }
  }
  return found;
}

/// The guard as it would hold for this index: only the author knows whether the elements that are left out then are meant.
void offerGuard(const Context &cx, diag::Builder &builder, const Guard &guard, const Dim &more, bool behind, Span span) {
  if (!guard.name) return;
  const std::string index(cx.sources.text(span));
  auto *end = as<ast::IntExpr>(guard.condition->operands[1]);
  if (behind && end && more.isConstant() && more.constant() < static_cast<int64_t>(end->value)) {
    const std::string earlier = std::to_string(static_cast<int64_t>(end->value) - more.constant());
    builder.assume(end->span, earlier, "stop at " + earlier);
  } else if (behind) builder.assume(guard.name->span, index, "let the condition speak of `" + index + "`");
  else if (more.isConstant()) {
    const Span front{guard.condition->span.file, guard.condition->span.begin, guard.condition->span.begin};
    const std::string least = more == Dim(-1) ? " > 0" : " >= " + show(cx, Dim(0) - more);
    builder.assume(front, guard.name->name + least + " and ", "begin at the first that has it");
  }
}

}  // namespace

std::optional<Value> heldWhereChosen(Context &cx, const Value &index, const Dim &extent, Span span) {
  const shape::Facts &known = cx.function.facts;
  if (inKernel(cx) || inHost(cx) || cx.function.chosen.empty() || mentionsRebound(cx, index.sym)) return std::nullopt;
  if (!known.nonNegative(extent - Dim(1))) return std::nullopt;  // an empty axis has no nearest element
  shape::Facts chosen = known;
  for (const shape::Formula &fact : cx.function.chosen)
    if (!mentionsRebound(cx, fact)) chosen.add(fact);
  const Dim last = extent - Dim(1);
  if (!chosen.nonNegative(index.sym) || !chosen.nonNegative(last - index.sym)) return std::nullopt;
  Value held = index;
  if (!known.nonNegative(index.sym)) held = intElementwise(cx, ElementwiseOp::Max, {held, Value::integer(Dim(0))}, span, "max");
  if (!known.nonNegative(last - index.sym)) held = intElementwise(cx, ElementwiseOp::Min, {held, Value::integer(last)}, span, "min");
  return held;
}

bool goesBeyondGuard(Context &cx, const Dim &written, const Dim &extent, Span span) {
  if (!inKernel(cx) || cx.function.path.empty() || mentionsRebound(cx, written)) return false;
  const Dim index = cx.function.facts.simplify(written);
  std::vector<Kept> bounds;
  for (const auto &condition : cx.function.path)
    if (condition) collectBounds(*condition, bounds);
  for (Kept &bound : bounds) bound.counted = cx.function.facts.simplify(bound.counted);
  auto bound = std::find_if(bounds.begin(), bounds.end(), [&](const Kept &one) { return goesOn(cx, one, index, extent); });
  if (bound == bounds.end()) return false;
  const auto inside = shape::Formula::all({{index, Relation::Ge, Dim(0)}, {index, Relation::Lt, extent}});
  if (cx.function.facts.decide(inside) != shape::Verdict::Refuted) return false;
  if (!fresh(cx, Id::outOfBounds, span) || saidOutside(cx, index, span)) return true;
  const bool behind = !cx.function.facts.proves({index, Relation::Lt, extent});
  auto builder = report(cx, Id::outOfBounds, span, std::string(cx.sources.text(span)), "a dimension of " + show(cx, extent));
  const ast::FuncDef *def = cx.function.frame->function ? cx.function.frame->function->def : nullptr;
  const Guard guard = def ? guardAround(cx, def->body, bound->counted, span) : Guard{};
  const std::string counted = guard.name ? guard.name->name : show(cx, bound->counted);
  if (index == bound->counted) builder.label("the condition around it lets `" + counted + "` be `" + show(cx, extent) + "`, which is behind the last element");
  else builder.label("the condition around it keeps `" + counted + "` below `" + show(cx, bound->end) + "`, and this goes on " + (behind ? "behind it" : "in front of 0")).settled();
  if (!(index == bound->counted)) offerGuard(cx, builder, guard, index - bound->counted, behind, span);
  std::set<std::string> vars;
  inside.collectVars(vars);
  if (auto sizes = cx.function.facts.explain(inside).breaks; sizes && !sizesText(cx, *sizes, vars).empty())
    builder.help("the smallest sizes that break it: " + sizesText(cx, *sizes, vars));
  return true;
}

}  // namespace tessera::sema
