// Expressions: names, literals, operators.
#include "checked/ExprBuild.h"
#include "sema/Builtins.h"
#include "sema/EditorFacts.h"
#include "sema/Report.h"
#include "sema/arrays/Arrays.h"
#include "sema/calls/Calls.h"
#include "sema/effects/Effects.h"
#include "sema/host/ArrayWork.h"
#include "sema/host/Host.h"
#include "sema/modules/Modules.h"
#include "sema/policies/Policies.h"
#include "sema/trace/ChangedLists.h"
#include "sema/trace/GuardScope.h"
#include "sema/trace/Held.h"
#include "sema/trace/LoopBody.h"
#include "sema/trace/Trace.h"
#include "sema/types/OwnMethods.h"
#include "sema/types/Types.h"
#include <algorithm>
#include <cmath>

namespace tessera::sema {

using ast::as;
using ast::BinaryOp;
using ast::CompareOp;
using ast::UnaryOp;

static Value valueOf(Context &cx, const ast::Expr &expr);
static Value lambdaExpr(Context &cx, const ast::LambdaExpr &lambda);
static Value unary(Context &cx, const ast::UnaryExpr &expr);
static Value binary(Context &cx, const ast::BinaryExpr &expr);
static Value boolOp(Context &cx, const ast::BoolOpExpr &expr);
static Value conditional(Context &cx, const ast::ConditionalExpr &expr);
static Value dictExpr(Context &cx, const ast::DictExpr &expr);
static Value comprehension(Context &cx, const ast::ComprehensionExpr &expr, size_t first);
static Value dictComprehension(Context &cx, const ast::ComprehensionExpr &expr);
static Value comprehension(Context &cx, const ast::ComprehensionExpr &expr, size_t first = 0);

Value checkExpr(Context &cx, const ast::Expr &expr) {
  const size_t before = cx.function.operandsInTurn.size();
  auto known = operandHere(cx, expr);
  if (!known) known = arrayWork(cx, expr);
  Value value = known ? std::move(*known) : valueOf(cx, expr);
  forgetOperands(cx, before);
  if (cx.options.facts) noteFact(cx, expr.span, value);
  return value;
}

static Value valueOf(Context &cx, const ast::Expr &expr) {
  using K = ast::ExprKind;
  if (!countStep(cx, expr.span)) return Value::poison();
  switch (expr.kind) {
  case K::Name: return lookupName(cx, static_cast<const ast::NameExpr &>(expr).name, expr.span, false);
  case K::Int: {
    auto &e = static_cast<const ast::IntExpr &>(expr);
    if (e.tooLarge || e.value > INT64_MAX) {
      report(cx, Id::badConstant, e.span, "this integer does not fit 64 bits");
      return Value::poison();
    }
    return Value::integer(Dim(static_cast<int64_t>(e.value)));
  }
  case K::Float: return Value::real(static_cast<const ast::FloatExpr &>(expr).value);
  case K::Bool: return Value::boolean(static_cast<const ast::BoolExpr &>(expr).value);
  case K::None: return Value::of(ValueKind::None);
  case K::Ellipsis: return Value::of(ValueKind::Ellipsis);
  case K::String:
    if (inHost(cx)) fieldInText(cx, static_cast<const ast::StringExpr &>(expr));
    return Value::string(static_cast<const ast::StringExpr &>(expr).value);
  case K::FString: return checkFString(cx, static_cast<const ast::FStringExpr &>(expr));
  case K::Tuple:
  case K::List: {
    Value v = Value::of(expr.kind == K::Tuple ? ValueKind::Tuple : ValueKind::List);
    for (const ast::ExprPtr &item : static_cast<const ast::SequenceExpr &>(expr).items) {
      if (auto *star = as<ast::StarredExpr>(item)) {
        Value inner = checkExpr(cx, *star->value);
        if (inner.isPoison()) return inner;
        if (!inner.isSequence()) {
          report(cx, Id::notIterable, star->span, describe(cx, inner));
          return Value::poison();
        }
        v.items.insert(v.items.end(), inner.items.begin(), inner.items.end());
        continue;
      }
      v.items.push_back(checkExpr(cx, *item));
    }
    return withinLimits(cx, std::move(v), expr.span);
  }
  case K::Dict: return dictExpr(cx, static_cast<const ast::DictExpr &>(expr));
  case K::ListComp:
  case K::GeneratorComp: return comprehension(cx, static_cast<const ast::ComprehensionExpr &>(expr));
  case K::Unary: return unary(cx, static_cast<const ast::UnaryExpr &>(expr));
  case K::Binary: return withinLimits(cx, binary(cx, static_cast<const ast::BinaryExpr &>(expr)), expr.span);
  case K::BoolOp: return boolOp(cx, static_cast<const ast::BoolOpExpr &>(expr));
  case K::Compare: return checkCompare(cx, static_cast<const ast::CompareExpr &>(expr));
  case K::Conditional: return conditional(cx, static_cast<const ast::ConditionalExpr &>(expr));
  case K::Call:
    if (&expr == cx.asksPlaces) return sortedWithPlaces(cx, static_cast<const ast::CallExpr &>(expr));
    return withinLimits(cx, checkCall(cx, static_cast<const ast::CallExpr &>(expr)), expr.span);
  case K::Attribute:
    return withinLimits(cx, checkAttribute(cx, static_cast<const ast::AttributeExpr &>(expr)), expr.span);
  case K::Subscript:
    return withinLimits(cx, checkSubscript(cx, static_cast<const ast::SubscriptExpr &>(expr)), expr.span);
  case K::Lambda: return lambdaExpr(cx, static_cast<const ast::LambdaExpr &>(expr));
  case K::Named: {
    auto &named = static_cast<const ast::NamedExpr &>(expr);
    Value v = checkExpr(cx, *named.value);
    if (!cx.function.frame) return unsupported(cx, "`:=` at module level", expr.span);
    assignName(cx, named.name.text, v, named.name.span);
    return lookupName(cx, named.name.text, named.name.span, false);
  }
  case K::Imaginary: return unsupported(cx, "complex numbers", expr.span);
  case K::Set:
    if (inHost(cx)) {
      Value items = Value::of(ValueKind::List);
      for (const ast::ExprPtr &item : static_cast<const ast::SequenceExpr &>(expr).items) items.items.push_back(checkExpr(cx, *item));
      for (const Value &item : items.items)
        if (item.isPoison()) return item;
      return setOf(cx, items, expr.span);
    }
    [[fallthrough]];
  case K::SetComp:
    if (inHost(cx) && expr.kind == K::SetComp) {
      const Value items = comprehension(cx, static_cast<const ast::ComprehensionExpr &>(expr), 0);
      return items.isPoison() ? items : setOf(cx, items, expr.span);
    }
    return unsupported(cx, "sets", expr.span, "a list holds them, and `in` asks for one: `[f(x) for x in xs]`");
  case K::DictComp: return dictComprehension(cx, static_cast<const ast::ComprehensionExpr &>(expr));
  case K::Await: return unsupported(cx, "`await`", expr.span);
  case K::Braced: return unsupported(cx, "a shard specification", expr.span);
  case K::Range: return unsupported(cx, "a range outside of `where`", expr.span);
  case K::Policy: return unsupported(cx, "a policy here", expr.span);
  case K::Starred: return unsupported(cx, "`*` here", expr.span);
  case K::Slice: return unsupported(cx, "a slice here", expr.span);
  case K::Stack:
    return unsupported(cx, "a stack of structs as a value", expr.span,
                       "`[Block; L]` is a type; a list of structs becomes such a stack where a field or parameter has that type");
  case K::Error: return Value::poison();
  }
  return Value::poison();
}

static Value lambdaExpr(Context &cx, const ast::LambdaExpr &lambda) {
  cx.callables.push_back({});
  Callable &made = cx.callables.back();
  made.name = "lambda";
  made.lambda = &lambda;
  made.module = cx.function.frame ? cx.function.frame->module : cx.scope;
  made.closure = cx.function.frame;
  made.nameSpan = lambda.span;
  Value v = Value::of(ValueKind::Function);
  v.callable = &made;
  return v;
}

Value readBinding(Context &cx, const std::string &name, const Binding &binding, Span span) {
  if (binding.deleted.valid()) {
    if (fresh(cx, Id::undefinedName, span) && firstUnknown(cx, name))
      report(cx, Id::undefinedName, span, name).note(binding.deleted, "`del` took it away here");
    return Value::poison();
  }
  if (binding.unassigned.valid()) {
    if (fresh(cx, Id::maybeUnassigned, span))
      report(cx, Id::maybeUnassigned, span, name)
          .label("used here")
          .note(binding.unassigned, "it gets its value here, in only some of the ways that lead to the use")
          .help("give it a value before the condition or loop, `" + name + " = ...`: a loop may have no turn");
    return Value::poison();
  }
  if (binding.value.inner && binding.value.kind == ValueKind::Struct)
    if (auto row = rowPlace(cx, name, span)) return rowOfStack(cx, checkExpr(cx, *row->stack), row->index, span);
  if (binding.parts) return partsNow(cx, binding.value, span);
  Value value = binding.value;
  if (binding.var && value.expr) {  // what it holds may have gained limits since
    const Type stated = value.type;
    value = valueOfVar(binding.var,
                       cx.function.varValues.count(binding.var) ? cx.function.varValues[binding.var] : value, span);
    if (value.kind == ValueKind::HostTensor && !value.madeOf) value.rank = binding.value.rank, value.madeOf = binding.value.madeOf;
    value = withKeptExtents(cx, std::move(value));
    // The caller's, with what the parameter states for the inside; of another dtype by a cast that rounds nothing.
    if (binding.borrowed || value.type.dtype != stated.dtype) {
      value.type.dtype = stated.dtype;
      value.type.numerics = stated.numerics;
    }
  }
  if (value.kind == ValueKind::Int && value.isKnownInt() && !value.expr) {
    value.text = name;
    value.sym = Dim::named(value.sym.constant(), name);
  }
  return value;
}

Value lookupName(Context &cx, const std::string &name, Span span, bool quiet) {
  for (Frame *frame = cx.function.frame.get(); frame; frame = frame->parent.get()) {
    auto it = frame->names.find(name);
    if (it != frame->names.end()) {
      if (frame != cx.function.frame.get() && capturedState(cx, it->second.value, name, span)) return Value::poison();
      return readBinding(cx, name, it->second, span);
    }
    auto dim = frame->dims.find(name);
    if (dim != frame->dims.end()) {
      Value v = Value::integer(dim->second);
      return v;
    }
  }
  ModuleScope *module = cx.function.frame ? cx.function.frame->module : cx.scope;
  for (ModuleScope *scope : {module, cx.prelude}) {
    if (!scope) continue;
    if (scope->late.count(name)) return quiet ? Value::poison() : lateConstant(cx, *scope, name, span);
    auto it = scope->names.find(name);
    if (it == scope->names.end()) continue;
    Value value = it->second;
    if ((value.kind == ValueKind::Int || value.kind == ValueKind::Float) && value.text.empty()) value.text = name;
    if (value.isKnownInt() && !value.expr) value.sym = Dim::named(value.sym.constant(), name);
    return value;
  }
  Value builtin = builtinMember(cx, "", name);
  if (!builtin.isPoison()) return builtin;
  if (!quiet) reportUndefined(cx, name, span);
  return Value::poison();
}

bool firstUnknown(Context &cx, const std::string &name) {
  return !cx.function.frame || cx.unknownNames.insert({cx.function.frame->function, name}).second;
}

bool reservedName(Context &cx, const std::string &name, const std::string &what, Span span) {
  if (!dtypeByName(name)) return false;
  cx.misnamed.insert(name);
  if (fresh(cx, Id::reservedName, span))
    report(cx, Id::reservedName, span, name, what).help("take another name, such as `" + name + "_value`");
  return true;
}
bool reservedName(Context &cx, const std::string &name, const Value &value, Span span) {
  return dtypeByName(name) && reservedName(cx, name, value.kind == ValueKind::Function ? "a function" : describe(cx, value), span);
}

// ---------------------------------------------------------------- operators

static Value unary(Context &cx, const ast::UnaryExpr &expr) {
  Value v = checkExpr(cx, *expr.operand);
  if (v.isPoison()) return v;
  const bool asked = expr.op == UnaryOp::Not && isListOfHost(v);  // whether it has items
  if (!asked && (v.kind == ValueKind::HostTensor || v.kind == ValueKind::View)) v = toArray(cx, v, DType::F32, expr.span);
  switch (expr.op) {
  case UnaryOp::Pos: return requireNumber(cx, v, expr.span, "+") ? v : Value::poison();
  case UnaryOp::Neg:
    if (v.kind == ValueKind::Float) return Value::real(-v.number);
    if (v.kind == ValueKind::Bool) return Value::integer(Dim(v.truth ? -1 : 0));
    return elementwise(cx, ElementwiseOp::Neg, {v}, expr.span, "-");
  case UnaryOp::Not: {
    if (auto known = knownCondition(v)) return Value::boolean(!*known);
    if (v.isArray() && v.type.dtype == DType::Bool) {
      report(cx, Id::notACondition, expr.span, describe(cx, v)).help("`~x` negates each element");
      return Value::poison();
    }
    std::string name(cx.sources.text(expr.operand->span));
    bool truth = v.kind == ValueKind::Int || (v.isScalar() && v.type.dtype == DType::Bool);
    if (!truth && isOptional(cx.function.frame.get(), name)) {
      if (fresh(cx, Id::notACondition, expr.span))
        report(cx, Id::notACondition, expr.span, describe(cx, v))
            .suggest(expr.span, name + " is None", "ask whether it is given");
      return Value::poison();
    }
    ExprPtr c = conditionExpr(cx, v, expr.operand->span);
    if (!c) return Value::poison();
    std::vector<ExprPtr> args;
    args.push_back(std::move(c));
    Value out = arrayValue(cx, makeElementwise(ElementwiseOp::Not, scalarType(DType::Bool), expr.span, std::move(args)),
                           scalarType(DType::Bool), {}, expr.span);
    if (v.fact) out.fact = v.fact->negated();
    return out;
  }
  case UnaryOp::Invert:
    if (v.isKnownInt()) return Value::integer(Dim(~v.sym.constant()));
    if (v.kind == ValueKind::Array && !isFloat(v.type.dtype))
      return elementwise(cx, ElementwiseOp::Not, {v}, expr.span, "~");
    report(cx, Id::badOperand, expr.span, "~", describe(cx, v));
    return Value::poison();
  }
  return Value::poison();
}

namespace {
const char *textOf(BinaryOp op) {
  static const char *const texts[] = {"+", "-", "*", "/", "//", "%", "**", "@", "<<", ">>", "&", "|", "^"};
  return texts[static_cast<int>(op)];
}
ElementwiseOp elementwiseOf(BinaryOp op) {
  static const ElementwiseOp ops[] = {
      ElementwiseOp::Add, ElementwiseOp::Sub, ElementwiseOp::Mul, ElementwiseOp::Div, ElementwiseOp::FloorDiv,
      ElementwiseOp::Mod, ElementwiseOp::Pow, ElementwiseOp::Add, ElementwiseOp::Shl, ElementwiseOp::Shr,
      ElementwiseOp::And, ElementwiseOp::Or,  ElementwiseOp::Xor};
  return ops[static_cast<int>(op)];
}
}  // namespace

/// False, with a message, if the right operand is a number for which the operation has no value.
static bool divisorIsPossible(Context &cx, BinaryOp op, const Value &a, const Value &b, Span span) {
  bool divides = op == BinaryOp::Div || op == BinaryOp::FloorDiv || op == BinaryOp::Mod;
  bool isZero = (b.kind == ValueKind::Float && b.number == 0) || (b.isKnownInt() && !b.expr && b.sym == Dim(0));
  if (divides && isZero) {
    if (fresh(cx, Id::badConstant, span)) report(cx, Id::badConstant, span, "this divides by zero");
    return false;
  }
  bool shifts = op == BinaryOp::LeftShift || op == BinaryOp::RightShift;
  if (!shifts || !b.isKnownInt() || b.expr) return true;
  bool ofArray = a.kind == ValueKind::Array && isInt(a.type.dtype);
  int64_t bits = ofArray ? info(a.type.dtype).bits : 64, by = b.sym.constant();
  bool known = a.isKnownInt() && !a.expr;  // shifts of integers that the compiler knows are those of Python
  if (by >= 0 && (by < bits || known)) return true;
  if (!fresh(cx, Id::badConstant, span)) return false;
  auto builder = report(cx, Id::badConstant, span, "this shifts by " + std::to_string(by) + " bits");
  builder.help(by < 0 ? std::string("to shift the other way, write `") + (op == BinaryOp::LeftShift ? ">>" : "<<") + "`"
                      : (ofArray ? std::string(name(a.type.dtype)) : std::string("an integer here")) + " has " +
                            std::to_string(bits) + " bits");
  return false;
}

Value binaryValues(Context &cx, BinaryOp op, Value a, Value b, Span span) {
  if (a.kind == ValueKind::String || b.kind == ValueKind::String)
    for (Value *part : {&a, &b})
      if (auto text = byMethod(cx, *part, "__str__", span)) *part = std::move(*text);
  a = numberByMethod(cx, std::move(a), span), b = numberByMethod(cx, std::move(b), span);
  if (a.isPoison() || b.isPoison()) return Value::poison();
  std::string shown = textOf(op);
  if (op == BinaryOp::MatMul) return dot(cx, a, b, Value::of(ValueKind::Absent), span);
  if (a.kind == ValueKind::String || b.kind == ValueKind::String) {
    if (a.kind == ValueKind::String && b.kind == ValueKind::String && op == BinaryOp::Add) {
      if (!a.expr && !b.expr) return withinLimits(cx, Value::string(a.text + b.text), span);
      return formatText(cx, {a, b}, {"", "", ""}, {"", ""}, span);
    }
    const bool textFirst = a.kind == ValueKind::String;
    const Value &times = textFirst ? b : a;
    if (op == BinaryOp::Mul && countsTexts(times)) return repeatedText(cx, textFirst ? a : b, convertInt(cx, times, span), span);
    auto builder = report(cx, Id::badOperand, span, shown, describe(cx, a) + " and " + describe(cx, b));
    if (op == BinaryOp::Mod) builder.help("values are put into text by an f-string: `f\"x = {x}\"`");
    return Value::poison();
  }
  if (a.isSequence() || b.isSequence()) {
    if (op == BinaryOp::Add && a.kind == b.kind) {
      a.items.insert(a.items.end(), b.items.begin(), b.items.end());
      return withinLimits(cx, std::move(a), span);
    }
    if (op == BinaryOp::Mul && a.isSequence() && b.isKnownInt()) {
      Value out = Value::of(a.kind);
      for (int64_t i = 0; i < b.sym.constant() && !a.items.empty() && !out.isPoison(); ++i) {
        out.items.insert(out.items.end(), a.items.begin(), a.items.end());
        out = withinLimits(cx, std::move(out), span);
      }
      return out;
    }
    if (op == BinaryOp::Mul && inHost(cx) && a.kind == ValueKind::List && a.items.size() == 1 && b.kind == ValueKind::Int)
      if (auto list = listOfOneNumber(cx, a.items[0], b, span)) return *list;
    auto builder = report(cx, Id::badOperand, span, shown, describe(cx, a) + " and " + describe(cx, b));
    if (a.kind == ValueKind::Tuple || b.kind == ValueKind::Tuple)
      builder.help("a tuple is taken apart, `a, b = f(x)`, or one of it is taken: `f(x)[0]`");
    return Value::poison();
  }
  auto asInt = [](Value &v) {
    if (v.kind == ValueKind::Bool) v = Value::integer(Dim(v.truth ? 1 : 0));
  };
  if (!divisorIsPossible(cx, op, a, b, span)) return Value::poison();
  bool staticA = a.kind == ValueKind::Bool || a.kind == ValueKind::Float || a.kind == ValueKind::Int;
  bool staticB = b.kind == ValueKind::Bool || b.kind == ValueKind::Float || b.kind == ValueKind::Int;
  if (staticA && staticB) {
    asInt(a);
    asInt(b);
    if (a.kind == ValueKind::Int && b.kind == ValueKind::Int) return intBinary(cx, op, a, b, span);
    bool known = (a.kind == ValueKind::Float || (a.isKnownInt() && !a.expr)) &&
                 (b.kind == ValueKind::Float || (b.isKnownInt() && !b.expr));
    if (known) {
      auto number = [](const Value &v) {
        return v.kind == ValueKind::Float ? v.number : static_cast<double>(v.sym.constant());
      };
      return floatBinary(cx, op, number(a), number(b), span);
    }
  }
  if (op == BinaryOp::Pow && b.isKnownInt() && a.kind == ValueKind::Array) {
    int64_t power = b.sym.constant();
    if (power >= 1 && power <= 4) {  // a product, which every target computes alike
      a = reusable(cx, std::move(a), "base", span);
      Value out = a;
      for (int64_t i = 1; i < power; ++i) out = elementwise(cx, ElementwiseOp::Mul, {out, a}, span, shown);
      return out;
    }
    if (isFloat(a.type.dtype)) b = Value::real(static_cast<double>(power));
  }
  std::vector<Value> operands;
  operands.push_back(std::move(a));
  operands.push_back(std::move(b));
  return elementwise(cx, elementwiseOf(op), std::move(operands), span, shown);
}

static Value binary(Context &cx, const ast::BinaryExpr &expr) {
  if (expr.op == BinaryOp::MatMul && isDTypeExpr(cx, *expr.left)) {  // bf16 @accum(f32)
    Type type;
    return dtypeItem(cx, expr, type) ? Value::dtype(type.dtype, type.numerics) : Value::poison();
  }
  auto [a, b] = checkOperands(cx, expr);
  const bool cancels = expr.op == BinaryOp::Sub || expr.op == BinaryOp::Div || expr.op == BinaryOp::FloorDiv || expr.op == BinaryOp::Mod;
  const bool ofPairs = expr.op == BinaryOp::Mul && addsAxis(*expr.left);  // `m[:, None] * m[:, None]`
  if ((cancels || ofPairs) && a.isArray()) warnOfSameOperands(cx, *expr.left, *expr.right, textOf(expr.op));
  if (expr.op != BinaryOp::MatMul) warnOfPairs(cx, a, b, expr, textOf(expr.op));
  if (expr.op == BinaryOp::FloorDiv) warnOfFloor(cx, a, b, expr);
  if (expr.op == BinaryOp::Add)
    if (auto joined = joinedLists(cx, a, b, expr.span)) return *joined;
  return binaryValues(cx, expr.op, std::move(a), std::move(b), expr.span);
}

static Value boolOp(Context &cx, const ast::BoolOpExpr &expr) {
  Value out;
  ScopedFacts chosen(cx.function.chosen);
  bool first = true;
  for (const ast::ExprPtr &operand : expr.operands) {
    const size_t from = cx.function.block ? cx.function.block->size() : 0;
    Value v = checkExpr(cx, *operand);
    if (v.isPoison()) return v;
    if (!first && inHost(cx) && callsOwnFunctions(*cx.function.block, from))
      return unsupported(cx, std::string("a call of a function that calls itself behind `") + (expr.isAnd ? "and`" : "or`"), operand->span,
                         "`" + std::string(expr.isAnd ? "f(x) if c else False" : "True if c else f(x)") + "` calls it only where it is asked for");
    if (auto known = knownCondition(v)) {
      if (*known != expr.isAnd) return v;  // decides the whole
      if (first && &operand == &expr.operands.back()) out = v, first = false;
      continue;
    }
    std::string name(cx.sources.text(operand->span));
    bool otherwise = !expr.isAnd && expr.operands.size() == 2 && &operand == &expr.operands[0];
    bool truth = v.kind != ValueKind::Array || v.type.dtype == DType::Bool;
    if (otherwise && !truth && isOptional(cx.function.frame.get(), name)) {  // `s or 1.0`, as in Python
      std::string other(cx.sources.text(expr.operands[1]->span));
      if (fresh(cx, Id::notACondition, operand->span))
        report(cx, Id::notACondition, operand->span, describe(cx, v))
            .suggest(expr.span, other + " if " + name + " is None else " + name, "choose by whether it is given");
      return Value::poison();
    }
    ExprPtr c = conditionExpr(cx, v, operand->span);
    if (!c) return Value::poison();
    if (!first && out.expr && inHost(cx) && readsItems(*cx.function.block, from)) {
      c = askedBehind(cx, takeExpr(out), std::move(c), expr.isAnd, from, expr.span);
    } else if (!first && out.expr) {
      std::vector<ExprPtr> args;
      args.push_back(takeExpr(out));
      args.push_back(std::move(c));
      c = makeElementwise(expr.isAnd ? ElementwiseOp::And : ElementwiseOp::Or, scalarType(DType::Bool), expr.span,
                          std::move(args));
    }
    std::vector<Dim> implies = expr.isAnd ? v.implies : std::vector<Dim>{};
    if (expr.isAnd && !first) implies.insert(implies.end(), out.implies.begin(), out.implies.end());
    std::optional<shape::Formula> fact = v.fact;
    if (!first && fact && out.fact)
      fact = expr.isAnd ? shape::Formula::all({*out.fact, *fact}) : shape::Formula::any({*out.fact, *fact});
    else if (!first) fact.reset();
    out = arrayValue(cx, std::move(c), scalarType(DType::Bool), {}, expr.span);
    out.implies = std::move(implies);
    out.fact = std::move(fact);
    first = false;
    chosen.add(v.fact, expr.isAnd);
  }
  return first ? Value::boolean(expr.isAnd) : out;
}

/// `x if c else 2.0 * x` over tensors or texts of host code: only the chosen side is computed. `from` and `middle` are where the statements of
/// the two sides begin.
static Value chosenTensor(Context &cx, ExprPtr c, Value a, Value b, size_t from, size_t middle, const ast::ConditionalExpr &expr) {
  const bool alike = a.kind == b.kind && a.madeOf == b.madeOf && a.rank == b.rank;
  if (!alike) {
    if (fresh(cx, Id::wrongArgument, expr.otherwise->span))
      report(cx, Id::wrongArgument, expr.otherwise->span, "this choice", "a value of the type of the other side", describe(cx, b))
          .note(expr.then->span, "the other side");
    return Value::poison();
  }
  Block &around = *cx.function.block;
  auto taken = [&](size_t first) {
    Block side(std::make_move_iterator(around.begin() + static_cast<ptrdiff_t>(first)), std::make_move_iterator(around.end()));
    around.resize(first);
    return side;
  };
  Block otherwise = taken(middle), then = taken(from);
  Stmt &choice = emit(cx, StmtKind::If, expr.span);
  choice.condition = std::move(c);
  choice.body = std::move(then);
  choice.otherwise = std::move(otherwise);
  Binding sides[2];
  for (bool first : {true, false}) {
    cx.function.block = first ? &choice.body : &choice.otherwise;
    Binding &side = sides[first ? 0 : 1];
    side.span = first ? expr.then->span : expr.otherwise->span;
    side.value = asVariable(cx, first ? a : b, "chosen", side.span);
    side.var = checked::varOf(*side.value.expr);
  }
  cx.function.block = &around;
  Binding merged = mergeBindings(cx, choice, sides[0], sides[1]);
  merged.value.rank = a.rank, merged.value.madeOf = a.madeOf, merged.value.madeAs.clear();
  return merged.value;
}

/// Whether an element of shared memory is read: at any index that a lane has, without a look whether it is inside.
static bool readsShared(const Expr &expr) {
  bool found = false;
  checked::visitExprs(const_cast<Expr *>(&expr), [&](Expr &e) {
    const checked::Access *access = e.kind == ExprKind::Load ? checked::accessOf(e) : nullptr;
    found |= access && access->base && access->base->type.kind == TypeKind::Shared;
  });
  return found;
}

static Value conditional(Context &cx, const ast::ConditionalExpr &expr) {
  Value condition = checkExpr(cx, *expr.condition);
  if (condition.isPoison()) return condition;
  if (auto known = knownCondition(condition)) return checkExpr(cx, *known ? *expr.then : *expr.otherwise);
  ExprPtr c = conditionExpr(cx, condition, expr.condition->span);
  bool varying = c && !inKernel(cx) && isVarying(*c);  // devices that disagree: no collectives
  enterVarying(cx, varying, expr.condition->span);
  auto side = [&](const ast::Expr &value, bool holds) {
    ScopedFacts chosen(cx.function.chosen);
    chosen.add(condition.fact, holds);
    return checkExpr(cx, value);
  };
  const size_t from = cx.function.block ? cx.function.block->size() : 0;
  Value a = side(*expr.then, true);
  const size_t middle = cx.function.block ? cx.function.block->size() : 0;
  Value b = side(*expr.otherwise, false);
  leaveVarying(cx, varying);
  if (!c || a.isPoison() || b.isPoison()) return Value::poison();
  auto isNumber = [](const Value &v) { return v.kind == ValueKind::Int || v.kind == ValueKind::Float || v.isScalar(); };
  const bool mayStop = inHost(cx) && isNumber(a) && isNumber(b) && readsItems(*cx.function.block, from);  // `p[t] if t < len(p) else 0`
  if (inHost(cx) && (mayStop || callsOwnFunctions(*cx.function.block, from))) {  // only the chosen one comes to an end
    if (!asNumbersAlike(cx, a, b, expr.span)) return Value::poison();
    return chosenTensor(cx, std::move(c), std::move(a), std::move(b), from, middle, expr);
  }
  auto isTensor = [](const Value &v) { return v.kind == ValueKind::HostTensor && (v.rank > 0 || !v.madeOf); };
  const bool texts = a.kind == ValueKind::String && b.kind == ValueKind::String;
  auto isElement = [](const Value &v) { return v.kind == ValueKind::HostTensor && v.madeOf && v.madeOf != DType::Bool && v.rank == 0; };
  if (inHost(cx) && (isElement(a) || isElement(b)) && !isTensor(a) && !isTensor(b)) {
    for (Value *one : {&a, &b}) {
      if (isElement(*one)) *one = hostScalar(cx, *one, expr.span);
      ExprPtr number = inCarryType(cx, *one, DType::F64, expr.span);
      if (!number) return Value::poison();
      *one = arrayValue(cx, std::move(number), scalarType(DType::F64), {}, expr.span);
    }
    return chosenTensor(cx, std::move(c), std::move(a), std::move(b), from, middle, expr);
  }
  if (inHost(cx) && (isTensor(a) || isTensor(b) || texts) && a.stackAxes == 0 && b.stackAxes == 0)
    return chosenTensor(cx, std::move(c), std::move(a), std::move(b), from, middle, expr);
  if (a.kind == ValueKind::Int && b.kind == ValueKind::Int) {
    std::vector<ExprPtr> args;
    args.push_back(std::move(c));
    args.push_back(indexExpr(cx, a, expr.span));
    args.push_back(indexExpr(cx, b, expr.span));
    return indexValue(cx, makeElementwise(ElementwiseOp::Select, indexType(), expr.span, std::move(args)), "",
                      expr.span);
  }
  bool same = !a.isArray() || !b.isArray() || a.type.shape.size() == b.type.shape.size();
  for (size_t i = 0; same && a.isArray() && b.isArray() && i < a.type.shape.size(); ++i)
    same = cx.function.facts.same(a.type.shape[i], b.type.shape[i]);
  if (!same) {  // one of them is the value: they do not broadcast to each other
    if (fresh(cx, Id::shapeMismatch, expr.otherwise->span))
      report(cx, Id::shapeMismatch, expr.otherwise->span, shapeText(cx, a.type.shape), shapeText(cx, b.type.shape))
          .note(expr.then->span, "the other value of this choice");
    return Value::poison();
  }
  Value test = arrayValue(cx, std::move(c), scalarType(DType::Bool), {}, expr.span);
  Value chosen = elementwise(cx, ElementwiseOp::Select, {test, a, b}, expr.span, "if");
  if (!inKernel(cx) || !chosen.expr || !chosen.type.shape.empty() || chosen.expr->args.size() != 3) return chosen;
  if (!readsShared(*chosen.expr->args[1]) && !readsShared(*chosen.expr->args[2])) return chosen;
  ExprPtr decides = std::move(chosen.expr->args[0]);
  for (Value *one : {&a, &b}) {
    *one = chosen;
    one->expr = std::move(chosen.expr->args[one == &a ? 1 : 2]);
  }
  return chosenTensor(cx, std::move(decides), std::move(a), std::move(b), from, middle, expr);
}

static Value dictExpr(Context &cx, const ast::DictExpr &expr) {
  Value v = Value::of(ValueKind::Dict);
  for (const ast::DictItem &item : expr.items) {
    if (!item.key) return unsupported(cx, "`**` in a dict", expr.span);
    v.items.push_back(checkExpr(cx, *item.key));
    auto *text = as<ast::StringExpr>(item.key);
    if (text && text->text.size() == text->value.size() + 2)  // its letters, for messages about it as a keyword
      v.items.back().declared = {text->span.file, text->span.begin + 1, text->span.end - 1};
    v.items.push_back(checkExpr(cx, *item.value));
  }
  return v;
}

/// The items that the clauses from this one on make. What is no list is the result itself, or poison after a message.
static Value comprehension(Context &cx, const ast::ComprehensionExpr &expr, size_t first) {
  const bool several = expr.clauses.size() > 1;
  const ast::ComprehensionFor &clause = expr.clauses[first];
  Value iterable = iteratedStruct(cx, checkExpr(cx, *clause.iterable), clause.iterable->span);
  if (iterable.isPoison()) return iterable;
  std::vector<Value> items;
  if (iterable.kind == ValueKind::Dict) iterable = keysOfDict(iterable);
  if (isHeldDict(iterable)) iterable = partsOfDict(cx, iterable, "keys", clause.iterable->span);
  auto isKnownNumber = [](const Value &v) { return v.isKnownInt() && !v.expr; };
  const bool grown = iterable.kind == ValueKind::HostTensor && (iterable.text == kHeldList || isHeldRows(iterable) || iterable.madeAs.empty() || !iterable.madeAs[0].isConstant() || knownRank(iterable, cx.function.rebindable) == 0);
  const bool counted = iterable.kind == ValueKind::Range && !std::all_of(iterable.items.begin(), iterable.items.end(), isKnownNumber);
  const bool held = grown || counted || (iterable.kind == ValueKind::String && iterable.expr) || iterable.kind == ValueKind::Zip || iterable.kind == ValueKind::Enumerate;
  if (inHost(cx) && cx.function.frame && cx.function.block && held && !several) return heldComprehension(cx, expr, clause, iterable);
  if (iterable.kind == ValueKind::String && !iterable.expr)
    for (char c : iterable.text) items.push_back(Value::string(std::string(1, c)));
  else if (iterable.isSequence()) items = iterable.items;
  else if (iterable.kind == ValueKind::HostTensor) {
    const bool known = !iterable.madeAs.empty() && iterable.madeAs[0].isConstant() && knownRank(iterable, cx.function.rebindable) > 0;
    if (!known)
      return unsupported(cx, "a list of as many items as a tensor has when it runs", clause.iterable->span,
                         "the whole tensor is computed with at once, `2.0 * x`, and `for v in x:` visits one after the other");
    iterable = reusable(cx, std::move(iterable), "rows", clause.iterable->span);
    if (isTooLarge(cx, iterable.madeAs[0], clause.iterable->span)) return Value::poison();
    for (int64_t i = 0; i < iterable.madeAs[0].constant(); ++i) {
      Value index = Value::integer(Dim(i));
      items.push_back(hostItem(cx, iterable, &index, clause.iterable->span));
    }
  } else if (!inHost(cx) && cx.function.frame && cx.function.block && hasRows(cx, iterable) && !iterable.isStack()) {
    if (several) return unsupported(cx, "a comprehension with several `for` whose length sizes decide", expr.span, "one `for` inside of the item's own list, or loops that add to it");
    return stackedComprehension(cx, expr, iterable);
  } else if (iterable.isStack()) {
    const Span at = clause.iterable->span;
    const Dim &declared = iterable.instance->stack[0];
    const Value count = declared.isConstant() ? Value::integer(declared) : lengthOfStack(cx, iterable, at);
    if (!count.isKnownInt())
      return unsupported(cx, "a list of as many structs as a stack has when it runs", at, "`for one in stack:` visits one after the other, and `stack.w` is the array of all");
    if (isTooLarge(cx, count.sym, at)) return Value::poison();
    for (int64_t i = 0; i < count.sym.constant(); ++i) items.push_back(rowOfStack(cx, iterable, Value::integer(Dim(i)), at));
  } else if (iterable.kind == ValueKind::Range) {
    if (iterable.items.size() > 3) return unsupported(cx, "`prefetch` in a comprehension", clause.iterable->span);
    auto isKnown = [](const Value &v) { return v.isKnownInt() && !v.expr; };
    bool stacked = cx.function.frame && cx.function.block && !inKernel(cx) && !inHost(cx) && !std::all_of(iterable.items.begin(), iterable.items.end(), isKnown);
    if (stacked && several) return unsupported(cx, "a comprehension with several `for` whose length sizes decide", expr.span, "one `for` inside of the item's own list, or loops that add to it");
    if (stacked) return stackedComprehension(cx, expr, iterable);
    auto known = knownRange(cx, iterable, clause.iterable->span, "the range of a comprehension");
    if (!known) return Value::poison();
    items = std::move(*known);
  } else {
    report(cx, Id::notIterable, clause.iterable->span, describe(cx, iterable));
    return Value::poison();
  }
  // [alloc_shared(...) for _ in range(n)]: one buffer with a leading dimension.
  if (auto *inner = as<ast::CallExpr>(expr.element); inner && !several && iterable.kind == ValueKind::Range) {
    auto *attribute = as<ast::AttributeExpr>(inner->callee);
    auto *plain = as<ast::NameExpr>(inner->callee);
    if ((attribute && attribute->attribute.text == "alloc_shared") || (plain && plain->name == "alloc_shared")) {
      cx.copies = static_cast<int64_t>(items.size());
      Value buffer = checkExpr(cx, *inner);
      cx.copies = 0;
      return buffer;
    }
  }
  if (!cx.function.frame) return unsupported(cx, "a comprehension at module level", expr.span);
  Value out = Value::of(ValueKind::List);
  auto saved = cx.function.frame->names;
  const size_t emitted = cx.function.block ? cx.function.block->size() : 0;
  for (Value &item : items) {
    if (exhausted(cx)) break;
    comprehensionTarget(cx, *clause.target, item);
    bool keep = true;
    for (const ast::ExprPtr &condition : clause.conditions) {
      Value c = checkExpr(cx, *condition);
      if (c.isPoison()) return c;
      if (inHost(cx) && cx.function.block && !several && !knownCondition(c)) {  // run time chooses
        cx.function.frame->names = std::move(saved);
        cx.function.block->resize(emitted);
        return chosenAtRunTime(cx, expr, clause, iterable, items, condition->span);
      }
      auto known = knownBool(cx, c, condition->span, "the condition of a comprehension");
      if (!known) return Value::poison();
      keep &= *known;
    }
    if (!keep) continue;
    if (first + 1 == expr.clauses.size()) {
      if (expr.key) out.items.push_back(reusable(cx, checkExpr(cx, *expr.key), "key", expr.key->span));
      out.items.push_back(reusable(cx, checkExpr(cx, *expr.element), "item", expr.element->span));
      continue;
    }
    Value inner = comprehension(cx, expr, first + 1);
    if (inner.isPoison()) return inner;
    out.items.insert(out.items.end(), inner.items.begin(), inner.items.end());
  }
  cx.function.frame->names = std::move(saved);
  return withinLimits(cx, std::move(out), expr.span);
}

/// `{k: f(k) for k in keys}`: of a key that comes twice the last value stays.
static Value dictComprehension(Context &cx, const ast::ComprehensionExpr &expr) {
  Value pairs = comprehension(cx, expr, 0);
  if (auto dict = pairs.kind == ValueKind::HostTensor ? dictOfPairs(cx, pairs, expr.span) : std::nullopt) return *dict;
  if (pairs.isPoison() || pairs.kind != ValueKind::List) return pairs;
  Value dict = Value::of(ValueKind::Dict);
  for (size_t i = 0; i + 1 < pairs.items.size(); i += 2) addToDict(cx, dict, pairs.items[i], pairs.items[i + 1], expr.key->span);
  return dict;
}

}  // namespace tessera::sema
