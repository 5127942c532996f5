// Places that say how they are rounded, and values that were rounded before they got there (P15).
#include "checked/ExprBuild.h"
#include "checked/Lets.h"
#include "checked/Policy.h"
#include "sema/Report.h"
#include "sema/arrays/Arrays.h"
#include "sema/policies/Policies.h"
#include "sema/trace/Trace.h"

namespace tessera::sema {

namespace {
constexpr int kMostNodes = 256;

/// Operations whose result is one of their operands, or its negative.
bool picks(const Expr &expr) {
  switch (expr.as<node::Elementwise>().op) {
  case ElementwiseOp::Select:
  case ElementwiseOp::Max:
  case ElementwiseOp::Min: return true;
  case ElementwiseOp::Neg:
  case ElementwiseOp::Abs: return isFloat(expr.type.dtype);
  default: return false;
  }
}

/// The cast or the operation that last rounded a value to its dtype; null if it comes from memory as it is.
const Expr *roundedAt(const Function &function, const Expr &expr, int &nodes) {
  if (++nodes > kMostNodes) return nullptr;
  size_t first = 0;
  switch (expr.kind) {
  case ExprKind::VarRef: {
    const Expr *let = letOf(function.body, expr.as<node::VarRef>().var);
    return let ? roundedAt(function, *let, nodes) : nullptr;
  }
  case ExprKind::Cast: {
    const Type &from = expr.args[0]->type;
    if (from.kind == TypeKind::Index || expr.as<node::Cast>().ofBits) return nullptr;
    if (from.dtype == expr.type.dtype) return roundedAt(function, *expr.args[0], nodes);
    return holds(expr.type.dtype, from.dtype) ? nullptr : &expr;
  }
  case ExprKind::Elementwise:
    if (info(expr.as<node::Elementwise>().op).resultIsBool) return nullptr;
    if (!picks(expr)) return &expr;
    first = expr.as<node::Elementwise>().op == ElementwiseOp::Select ? 1 : 0;
    break;
  case ExprKind::Reduce:
    if (expr.as<node::Reduce>().op != ReduceOp::Max && expr.as<node::Reduce>().op != ReduceOp::Min) return &expr;
    break;
  case ExprKind::Scan:
    if (expr.as<node::Scan>().op != ReduceOp::Max && expr.as<node::Scan>().op != ReduceOp::Min) return &expr;
    break;
  case ExprKind::Warp: {
    const auto &[what, op] = expr.as<node::Warp>();
    if (what == WarpOp::Ballot) return nullptr;
    if (what == WarpOp::Reduce && op != ReduceOp::Max && op != ReduceOp::Min) return &expr;
    return roundedAt(function, *expr.args[0], nodes);
  }
  case ExprKind::Exchange:
    if (expr.as<node::Exchange>().what != ExchangeKind::AllGather) return &expr;
    break;
  case ExprKind::Dot:
  case ExprKind::ScatterAdd: return &expr;
  case ExprKind::Broadcast:
  case ExprKind::Full:
  case ExprKind::Reshape:
  case ExprKind::Transpose:
  case ExprKind::Concat:
  case ExprKind::Slice: break;
  default: return nullptr;
  }
  for (size_t i = first; i < expr.args.size(); ++i)
    if (const Expr *at = roundedAt(function, *expr.args[i], nodes)) return at;
  return nullptr;
}

/// The field of `how` that the rounding at `at` does not honour.
std::optional<PolicyField> ignored(const Numerics &how, const Expr &at) {
  bool cast = at.kind == ExprKind::Cast;
  const Numerics done = cast ? at.type.numerics : Numerics{};
  bool fraction = isFloat(at.type.dtype) || (cast && isFloat(at.args[0]->type.dtype));
  bool rounds = how.rounding != done.rounding || (cast && !isFloat(at.type.dtype) &&
                                                  states(how, PolicyField::Round) != states(done, PolicyField::Round));
  if (states(how, PolicyField::Round) && fraction && rounds) return PolicyField::Round;
  if (how.saturate && !done.saturate) return PolicyField::Saturate;
  if (how.denormals == Denormals::Flush && done.denormals != Denormals::Flush && isFloat(at.type.dtype))
    return PolicyField::Denormals;
  return std::nullopt;
}
}  // namespace

bool roundAsPlaceSays(Context &cx, Value &value, const Numerics &how, Span span, const std::string &what) {
  if (!states(how, PolicyField::Round) && !how.saturate && how.denormals != Denormals::Flush) return true;
  int nodes = 0;
  const Expr *at = roundedAt(cx.function.fn ? *cx.function.fn : cx.moduleLevel, *value.expr, nodes);
  auto field = at ? ignored(how, *at) : std::nullopt;
  if (!field) return true;
  if (*field == PolicyField::Round && how.rounding == Rounding::Stochastic)
    return !needsStream(cx, how, DType::F64, at->type.dtype, span);
  if (at == value.expr.get() && at->kind == ExprKind::Cast && !disagreement(at->type.numerics, how)) {
    ExprPtr cast = takeExpr(value);
    Numerics both = roundingOf(combined(cast->type.numerics, how));
    value.expr = std::shared_ptr<Expr>(makeCast(std::move(cast->args[0]), cast->type.dtype, both).release());
    return true;
  }
  if (!fresh(cx, Id::policyTooLate, span)) return false;
  std::string asked = fieldText(how, *field), dtype(name(at->type.dtype));
  auto builder = report(cx, Id::policyTooLate, span, asked, dtype);
  builder.label(what + " states it");
  if (at->kind != ExprKind::Cast) {
    builder.note(at->span, "this is computed in " + dtype + " itself, whose operations do not know `" + asked + "`")
        .help("compute in a wider type and round here: `cast(x, " + dtype + " " + asked + ")`");
    return false;
  }
  builder.note(at->span, "it is rounded here");
  std::string text(cx.sources.text(at->span));
  bool plain = text.size() > 5 && text.back() == ')' && text.find("cast(") != std::string::npos &&
               text.find('=') == std::string::npos;
  if (plain && !disagreement(at->type.numerics, how))
    builder.fix({at->span.file, at->span.end - 1, at->span.end - 1}, " " + asked, "say it where it is rounded");
  else builder.help("say it where it is rounded: `cast(x, " + dtype + " " + asked + ")`");
  return false;
}

}  // namespace tessera::sema
