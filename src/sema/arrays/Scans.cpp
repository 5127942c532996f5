// Each element combined with those before it along an axis.
#include "checked/ExprBuild.h"
#include "sema/Arguments.h"
#include "sema/Builtins.h"
#include "sema/Report.h"
#include "sema/arrays/Arrays.h"
#include "sema/calls/Calls.h"
#include "sema/modules/Modules.h"
#include "sema/trace/Trace.h"

namespace tessera::sema {

namespace {

/// The operation that a word names. Nothing after a message.
std::optional<ReduceOp> operationOf(Context &cx, const Bound &args) {
  const Value &given = args.values[1];
  if (!given.given()) return ReduceOp::Sum;
  if (given.kind == ValueKind::String && !given.expr)
    for (std::string_view word : {"sum", "prod", "min", "max"})
      if (given.text == word) return reduceByMnemonic(word);
  if (!given.isPoison() && fresh(cx, Id::wrongArgument, args.spans[1]))
    report(cx, Id::wrongArgument, args.spans[1], "the operation of a `scan`", "\"sum\", \"prod\", \"min\" or \"max\"",
           given.kind == ValueKind::String ? "\"" + given.text + "\"" : describe(cx, given));
  return std::nullopt;
}

/// One operation: of a tile in a kernel, which the lanes of the group go through together, and of a tensor.
Value scanOfArray(Context &cx, ReduceOp op, Value x, int axis, Span span) {
  const auto place = static_cast<size_t>(axis);
  if (inKernel(cx) && dependsOnTile(cx, x.type.shape[place], "scan", span)) return Value::poison();
  Type type = x.type;
  std::vector<std::optional<Limit>> limits = x.limits;
  if (op == ReduceOp::Sum || op == ReduceOp::Prod) {
    auto summand = summandOf(cx, x, "a scan", span);
    if (!summand) return Value::poison();
    type = summand->type;
    x = std::move(summand->value);
  } else {  // small floats are compared in a wider dtype, which changes none of them
    x.expr = std::shared_ptr<Expr>(inCarryType(cx, x, carryTypeOf(type), span).release());
  }
  for (auto &limit : limits)  // what lies outside comes behind what lies inside, and is combined with it
    if (limit) limit->zeroOutside = false;
  ExprPtr arg = takeExpr(x);
  ExprPtr e = makeExpr(ExprKind::Scan, arg->type, span);
  e->as<node::Scan>() = {op, axis};
  e->args.push_back(std::move(arg));
  return reusable(cx, arrayValue(cx, std::move(e), type, std::move(limits), span), "scanned", span);
}

}  // namespace

Value libraryCall(Context &cx, std::string_view module, const char *function, GivenList given, Span span) {
  ModuleScope *library = loadModule(cx, span.file, 0, std::string(module), {});
  Value called = library ? moduleMember(*library, function) : Value::poison();
  TSR_CHECK(!called.isPoison(), "the library lacks a function that the language is made of");
  return callValue(cx, called, std::move(given), span, function);
}

namespace {
/// scan(f, init, xs): the turns of a loop that carries a state, which the library writes out.
Value scanOfTurns(Context &cx, Bound &args, Span span) {
  if (inKernel(cx)) {
    report(cx, Id::wrongArgument, args.spans[0], "`scan` in a kernel", "a tile", describe(cx, args.values[0]))
        .help("write the loop: `for t in range(n):`");
    return Value::poison();
  }
  GivenList given;
  given.push_back({"", std::move(args.values[0]), args.spans[0], {}, nullptr});
  for (size_t place : {1, 2}) {  // by place, or by name
    const size_t at = args.values[place].given() ? place : place + 2;
    if (!args.values[at].given()) {
      report(cx, Id::argumentNotGiven, span, "scan", place == 1 ? "init" : "xs").help("`scan(f, init, xs)`, where f(state, x) returns the next state and y");
      return Value::poison();
    }
    given.push_back({"", std::move(args.values[at]), args.spans[at], {}, nullptr});
  }
  return libraryCall(cx, "tessera.recurrent", "_scan_turns", std::move(given), span);
}

}  // namespace

Value arrayScan(Context &cx, const BuiltinRow &row, Bound &args, Span span) {
  const std::string shown(row.name);
  if (isCallable(args.values[0])) return scanOfTurns(cx, args, span);
  for (size_t of : {3, 4})
    if (args.values[of].given()) {
      report(cx, Id::wrongArgument, args.spans[0], "`scan` with an `init`", "a function f(state, x), which returns the next state and y", describe(cx, args.values[0]));
      return Value::poison();
    }
  Value x = arrayArgument(cx, args, 0, shown);
  auto op = operationOf(cx, args);
  if (x.isPoison() || !op) return Value::poison();
  Value axisValue = args.values[2].given() ? args.values[2] : Value::integer(Dim(-1));
  auto axis = axisOf(cx, axisValue, x, args.spans[2]);
  if (!axis) return Value::poison();
  const bool compares = *op == ReduceOp::Min || *op == ReduceOp::Max;
  const bool ordered = info(x.type.dtype).cls != DTypeClass::Complex && x.type.dtype != DType::Bool;
  if (compares && !ordered) {
    report(cx, Id::badOperand, span, shown, std::string(name(x.type.dtype)))
        .label("there is no order among these values");
    return Value::poison();
  }
  // Of a tensor, running sums are one operation; others are passes over it, which the library writes out.
  if (inKernel(cx) || (*op == ReduceOp::Sum && x.type.dtype != DType::Complex64)) return scanOfArray(cx, *op, std::move(x), *axis, span);
  const std::string_view word = mnemonic(*op);
  GivenList given;
  given.push_back({"", std::move(x), args.spans[0], {}, nullptr});
  given.push_back({"", Value::string(std::string(word)), span, {}, nullptr});
  given.push_back({"", Value::integer(Dim(*axis)), span, {}, nullptr});
  return libraryCall(cx, "tessera.nn", "_scan_in_passes", std::move(given), span);
}

}  // namespace tessera::sema
