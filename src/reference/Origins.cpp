#include "reference/Origins.h"
#include "reference/Elementwise.h"
#include "support/Ops.h"
#include <algorithm>
#include <cmath>
#include <cstdio>

namespace tessera::reference {

using checked::Expr;
using checked::ExprKind;
namespace node = checked::node;

namespace {

bool isNaN(double x) { return std::isnan(x); }
bool isInfinite(double x) { return std::isinf(x); }

template <class Is> std::optional<size_t> firstThat(const Datum &value, const LaneMask &mask, Is is) {
  const size_t perLane = std::max<size_t>(value.perLane(), 1);
  for (size_t i = 0; i < value.floats.size(); ++i)
    if (is(value.floats[i]) && (value.lanes == 0 || mask[i / perLane])) return i;
  return std::nullopt;
}

/// The element of an operand that element `at` of an elementwise operation's result is computed from.
std::optional<double> elementFor(const Datum &operand, const Datum &result, size_t at) {
  if (operand.kind != Datum::Kind::Number || (!operand.shape.empty() && operand.shape != result.shape)) return std::nullopt;
  const size_t perLane = std::max<size_t>(result.perLane(), 1), lane = at / perLane;
  const size_t i = (operand.lanes != 0 && result.lanes != 0 ? lane * operand.perLane() : 0) + (operand.shape.empty() ? 0 : at % perLane);
  return i < operand.size() ? std::optional<double>(operand.number(i)) : std::nullopt;
}

std::string numberText(double x) {
  char buffer[32];
  std::snprintf(buffer, sizeof buffer, "%.6g", std::isnan(x) ? std::fabs(x) : x);
  return buffer;
}

/// "-3 to inf", without the NaN; empty where there is no number.
std::string rangeText(const Datum &value) {
  double least = HUGE_VAL, greatest = -HUGE_VAL;
  for (double x : value.floats)
    if (!std::isnan(x)) least = std::min(least, x), greatest = std::max(greatest, x);
  if (least > greatest) return "";
  return least == greatest ? numberText(least) : numberText(least) + " to " + numberText(greatest);
}

/// "log(-0.25)": the operation at one element of its result.
std::string callText(const Expr &expr, const std::vector<Ref> &operands, const Datum &result, size_t at) {
  std::string list;
  for (const Ref &operand : operands) {
    auto element = elementFor(*operand, result, at);
    if (!element) return "";
    list += (list.empty() ? "" : ", ") + numberText(*element);
  }
  return std::string(info(expr.as<node::Elementwise>().op).mnemonic) + "(" + list + ")";
}

/// What an expression reads, of which the function has made nothing yet: its arguments. Shared memory begins as NaN.
bool isGiven(const Expr &expr) {
  return expr.kind == ExprKind::VarRef || (expr.kind == ExprKind::Load && expr.as<node::Load>().access.base->type.kind != checked::TypeKind::Shared);
}

std::string describe(const Expr &expr, const std::vector<Ref> &operands, const Datum &result, size_t at) {
  switch (expr.kind) {
  case ExprKind::Constant: return "the constant " + numberText(result.floats[at]);
  case ExprKind::VarRef: return "`" + expr.as<node::VarRef>().var->name + "`";
  case ExprKind::Load: return "`" + expr.as<node::Load>().access.base->name + "`" + (isGiven(expr) ? "" : ", which nothing has written");
  case ExprKind::Elementwise:
    if (std::string text = callText(expr, operands, result, at); !text.empty()) return text;
    break;
  case ExprKind::Cast: return "a cast of " + rangeText(*operands.front()) + " to " + std::string(name(expr.type.dtype));
  default: break;
  }
  std::string ranges;
  for (const Ref &operand : operands)
    if (std::string range = operand->isFloat() ? rangeText(*operand) : ""; !range.empty()) ranges += (ranges.empty() ? "" : " and ") + range;
  return ranges.empty() ? "this" : "this, of numbers from " + ranges;
}

std::shared_ptr<const Origin> Datum::*const kNaN = &Datum::nan, Datum::*const kInfinity = &Datum::infinity;

/// The operand's origin whose element at this place is such a number, else of the first that has one.
template <class Is>
std::shared_ptr<const Origin> inherited(const std::vector<Ref> &operands, std::shared_ptr<const Origin> Datum::*which, const Datum &result, size_t at, Is is) {
  std::shared_ptr<const Origin> found;
  for (const Ref &operand : operands) {
    const auto &origin = (*operand).*which;
    if (!origin) continue;
    auto element = elementFor(*operand, result, at);
    if (element && is(*element)) return origin;
    if (!found && !element) found = origin;
  }
  return found;
}

std::shared_ptr<const Origin> made(const Expr &expr, std::string what, std::shared_ptr<const Origin> cause) {
  return std::make_shared<Origin>(Origin{isGiven(expr) ? Span{} : expr.span, std::move(what), std::move(cause)});
}

void roundToDtype(Datum &value) {
  if (value.dtype == DType::F64 || value.dtype == DType::Complex64) return;
  const Rounder round(value.dtype, {});
  for (double &x : value.floats)
    if (!std::isnan(x)) x = round(x);
}

}  // namespace

std::optional<size_t> firstNaN(const Datum &value, const LaneMask &mask) { return firstThat(value, mask, isNaN); }

void Origins::leave(const Expr &expr, const Ref &value, const LaneMask &mask) {
  const std::vector<Ref> operands = std::move(operands_.back());
  operands_.pop_back();
  if (!value) return;
  reads(value);
  if (value->kind != Datum::Kind::Number || !value->isFloat()) return;
  if (expr.kind != ExprKind::VarRef && expr.kind != ExprKind::Load) roundToDtype(*value);
  if (auto at = value->nan ? std::nullopt : firstThat(*value, mask, isNaN)) {
    auto cause = inherited(operands, kInfinity, *value, *at, isInfinite);
    value->nan = inherited(operands, kNaN, *value, *at, isNaN);
    if (!value->nan) value->nan = made(expr, describe(expr, operands, *value, *at), std::move(cause));
  }
  if (auto at = value->infinity ? std::nullopt : firstThat(*value, mask, isInfinite)) {
    value->infinity = inherited(operands, kInfinity, *value, *at, isInfinite);
    if (!value->infinity) value->infinity = made(expr, describe(expr, operands, *value, *at), nullptr);
  }
}

}  // namespace tessera::reference
