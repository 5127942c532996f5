// Arithmetic on arrays in host code: an expression over arrays as a tensor function and a call of it.
#include "checked/ExprBuild.h"
#include "checked/Policy.h"
#include "sema/Report.h"
#include "sema/arrays/Arrays.h"
#include "sema/calls/Calls.h"
#include "sema/effects/Draws.h"
#include "sema/effects/Effects.h"
#include "sema/host/ArrayWork.h"
#include "sema/host/Host.h"
#include "sema/modules/Modules.h"
#include "sema/trace/Trace.h"
#include "sema/types/Types.h"
#include <algorithm>
#include <utility>
#include <functional>

namespace tessera::sema {

using ast::as;

/// A function while it is made: its operands become parameters where they are used first.
struct ArrayWork {
  std::map<const ast::Expr *, Value> given;           // operands as host code has them, numbers in the dtype of the arrays
  std::map<std::string, Dim> equal;                   // extents that the expression needs to be equal to others
  std::map<const Var *, Value> parameterOf;           // of a variable of host code, which may stand in several places
  std::vector<ExprPtr> arguments;
  std::vector<std::pair<Value, Span>> streams;        // that the call uses up
  std::set<std::string> numbers;                      // of run time, which decide shapes and places: what they are called
  bool plainNumbers = false;                          // they decide no shape, and may be negative
  std::vector<Dim> stack;                             // of the stack of structs whose arrays become parameters: how many structs
};

namespace {

/// What the function is called: by what it does last.
std::string workName(ast::BinaryOp op) {
  using B = ast::BinaryOp;
  switch (op) {
  case B::Add: return "sum";
  case B::Sub: return "difference";
  case B::Mul: return "product";
  case B::Div:
  case B::FloorDiv: return "quotient";
  case B::Mod: return "remainder";
  case B::Pow: return "power";
  case B::MatMul: return "matmul";
  case B::LeftShift:
  case B::RightShift: return "shifted";
  case B::BitAnd: return "both";
  case B::BitOr: return "either";
  case B::BitXor: return "differing";
  }
  return "value";
}
std::string workName(const ast::Expr &e) {
  if (auto *binary = as<ast::BinaryExpr>(&e)) return workName(binary->op);
  if (auto *call = as<ast::CallExpr>(&e)) {
    if (auto *name = as<ast::NameExpr>(call->callee)) return name->name;
    if (auto *attribute = as<ast::AttributeExpr>(call->callee)) return attribute->attribute.text;
    return workName(*call->callee);  // `value_and_grad(f)(x)`
  }
  if (auto *unary = as<ast::UnaryExpr>(&e)) return unary->op == ast::UnaryOp::Neg ? "negative" : "inverse";
  if (e.kind == ast::ExprKind::Attribute) return "transposed";
  return e.kind == ast::ExprKind::Compare ? "comparison" : e.kind == ast::ExprKind::Subscript ? "part" : "value";
}

std::string parameterName(Context &cx, const ast::Expr &e, bool number, const std::string &field = "") {
  std::string name;
  if (auto *plain = as<ast::NameExpr>(&e)) name = plain->name;
  else if (auto *attribute = as<ast::AttributeExpr>(&e)) name = attribute->attribute.text;
  else if (auto *call = as<ast::CallExpr>(&e)) return parameterName(cx, *call->callee, number, field);
  else if (auto *row = as<ast::SubscriptExpr>(&e)) name = parameterName(cx, *row->object, number) + "_row";
  else name = number ? "number" : "x";
  name += field;
  auto taken = [&] {
    for (const Param &p : cx.function.fn->params)
      if (p.var->name == name) return true;
    return name == cx.function.fn->name;
  };
  while (taken()) name += "_";
  return name;
}

std::string extentName(const std::string &tensor, size_t axis, size_t rank) {
  if (rank == 1) return tensor + "_length";
  if (rank == 2) return tensor + (axis == 0 ? "_rows" : "_columns");
  return tensor + "_axis" + std::to_string(axis);
}

Var *addParameter(Context &cx, const std::string &name, Type type, Span span, ExprPtr argument) {
  Param param;
  Var *var = param.var = newVar(cx, name, std::move(type), span);
  cx.function.fn->params.push_back(std::move(param));
  cx.function.arrayWork->arguments.push_back(std::move(argument));
  return var;
}

Value tensorParameter(Context &cx, const Value &v, const ast::Expr &syntax, const std::string &field) {
  ArrayWork &work = *cx.function.arrayWork;
  const Var *var = v.expr->kind == ExprKind::VarRef ? v.expr->as<node::VarRef>().var : nullptr;
  if (auto known = work.parameterOf.find(var); var && known != work.parameterOf.end()) return known->second;
  const std::string name = parameterName(cx, syntax, false, field);
  std::vector<Dim> shape;
  for (size_t axis = 0; axis < static_cast<size_t>(v.rank); ++axis) {
    const bool written = axis < v.madeAs.size() && v.madeAs[axis].isConstant(), isStacked = axis < work.stack.size();
    Dim extent = isStacked ? work.stack[axis] : written ? Dim(v.madeAs[axis].constant()) : Dim::var(extentName(name, axis, static_cast<size_t>(v.rank)));
    shape.push_back(extent.substitute(work.equal));
  }
  Value like = Value::of(ValueKind::Array);
  like.type = tensorType(*v.madeOf, std::move(shape));
  like.limits.resize(like.type.shape.size());
  Var *made = addParameter(cx, name, like.type, syntax.span, clone(*v.expr));
  Value out = valueOfVar(made, like, syntax.span);
  cx.function.varValues[made] = out;
  if (var) work.parameterOf[var] = out;
  return out;
}

Value numberParameter(Context &cx, const Value &v, const ast::Expr &syntax, const std::string &field) {
  Var *made = addParameter(cx, parameterName(cx, syntax, true, field), v.type, syntax.span, clone(*v.expr));
  Value out = valueOfVar(made, v, syntax.span);
  cx.function.varValues[made] = out;
  return out;
}

/// An integer, which may decide a shape or a place.
Value sizeParameter(Context &cx, const Value &v, const ast::Expr &syntax) {
  const std::string name = parameterName(cx, syntax, true);
  Type type = indexType();
  cx.function.arrayWork->numbers.insert(name);
  if (cx.function.arrayWork->plainNumbers) {
    Value like = Value::of(ValueKind::Int);
    like.type = type;
    Var *made = addParameter(cx, name, type, syntax.span, clone(*v.expr));
    return cx.function.varValues[made] = valueOfVar(made, like, syntax.span);
  }
  type.shape = {Dim::var(name)};
  addParameter(cx, name, type, syntax.span, clone(*v.expr));
  return Value::integer(Dim::var(name));
}

Value asParameter(Context &cx, const Value &v, const ast::Expr &syntax, const std::string &field = "");

/// The axes of a stack are axes of the array like any others.
Value withAllAxes(Value array) {
  array.rank += std::exchange(array.stackAxes, 0);
  return array;
}

Value structParameter(Context &cx, const Value &v, const ast::Expr &syntax, const std::string &field);

/// The extents of an array of a stack in front of those of one struct.
std::optional<std::vector<Dim>> stackOf(const Value &made, size_t depth) {
  if (made.isArray() && made.type.shape.size() >= depth) return std::vector<Dim>(made.type.shape.begin(), made.type.shape.begin() + static_cast<std::ptrdiff_t>(depth));
  for (const Value &item : made.items)
    if (auto found = stackOf(item, depth)) return found;
  return std::nullopt;
}

/// A stack of structs: its arrays have as many structs each, which the first of them says.
Value stackParameter(Context &cx, const Value &v, Value type, const ast::Expr &syntax, const std::string &field) {
  ArrayWork &work = *cx.function.arrayWork;
  const std::vector<Dim> around = work.stack;
  const size_t depth = v.instance->stack.size();
  GivenList given;
  for (size_t i = 0; i < v.items.size(); ++i) {
    const std::string &name = v.instance->info->fields[i].name;
    const Value &item = v.items[i];
    Value made = item.kind == ValueKind::HostTensor ? tensorParameter(cx, withAllAxes(item), syntax, field + "_" + name) : structParameter(cx, item, syntax, field + "_" + name);
    if (made.isPoison()) return made;
    if (work.stack.size() < depth)
      if (auto found = stackOf(made, depth)) work.stack = std::move(*found);
    given.push_back({name, std::move(made), syntax.span, syntax.span, nullptr});
  }
  auto instance = std::make_shared<StructInstance>(*type.instance);
  instance->stack = std::exchange(work.stack, around);
  type.instance = std::move(instance);
  return constructStack(cx, type, given, syntax.span);
}

/// A struct of parameters, whose type is found anew: its sizes are those of the function.
Value structParameter(Context &cx, const Value &v, const ast::Expr &syntax, const std::string &field) {
  Value type = Value::of(ValueKind::StructType);
  auto instance = std::make_shared<StructInstance>();
  instance->info = v.instance->info;
  instance->dtypes = v.instance->dtypes;
  type.instance = std::move(instance);
  if (v.isStack()) return stackParameter(cx, v, std::move(type), syntax, field);
  GivenList given;
  for (size_t i = 0; i < v.items.size(); ++i) {
    const std::string &name = v.instance->info->fields[i].name;
    given.push_back({name, asParameter(cx, v.items[i], syntax, field + "_" + name), syntax.span, syntax.span, nullptr});
  }
  return constructStruct(cx, type, std::move(given), syntax.span);
}

/// A stream, which the call uses up.
Value streamParameter(Context &cx, const Value &v, const ast::Expr &syntax) {
  Type type = keyType();
  type.kind = TypeKind::Stream;
  Var *made = addParameter(cx, parameterName(cx, syntax, true), type, syntax.span, clone(*v.expr));
  cx.function.arrayWork->streams.push_back({v, syntax.span});
  return streamValue(cx, makeRef(made, syntax.span), "");
}

Value asParameter(Context &cx, const Value &v, const ast::Expr &syntax, const std::string &field) {
  if (v.kind == ValueKind::Rng) return streamParameter(cx, v, syntax);
  if (v.kind == ValueKind::HostTensor) return tensorParameter(cx, v, syntax, field);
  if (v.kind == ValueKind::Array && v.expr->kind != ExprKind::Constant) return numberParameter(cx, v, syntax, field);
  if (v.kind == ValueKind::Int && v.expr) return sizeParameter(cx, v, syntax);
  if (v.kind == ValueKind::Struct) return structParameter(cx, v, syntax, field);
  if (!v.isSequence()) return v;
  Value out = v;
  for (Value &item : out.items) item = asParameter(cx, item, syntax, field);
  return out;
}

/// The dtype that numbers of host code take beside the arrays: they are f64 and i64 there, and would widen everything.
void dtypesOf(const Value &v, std::optional<DType> &real, std::optional<DType> &whole) {
  for (const Value &item : v.items)
    if (v.isSequence() || v.kind == ValueKind::Struct) dtypesOf(item, real, whole);
  if (v.kind != ValueKind::HostTensor || !v.madeOf || v.rank == 0) return;
  std::optional<DType> &here = isFloat(*v.madeOf) ? real : whole;
  if (*v.madeOf != DType::Bool) here = here ? join(*here, *v.madeOf) : v.madeOf;
}

/// An operand as the call passes it. Poison after a message.
Value asGiven(Context &cx, Value v, bool asNumber, DType real, DType whole, Span span) {
  auto isField = [&](const Value &item) { return v.kind == ValueKind::Struct && !(item.kind == ValueKind::HostTensor && item.madeOf && item.rank == 0); };
  for (Value &item : v.items)
    if (v.isSequence() || isField(item)) item = asGiven(cx, std::move(item), asNumber, real, whole, span);
  const ast::FuncDef *def = cx.function.frame->function ? cx.function.frame->function->def : nullptr;
  if (v.kind == ValueKind::HostTensor && def && def->result && meantForTensors(cx, v, span)) return Value::poison();
  if (v.kind == ValueKind::HostTensor && !v.madeOf)
    return unsupported(cx, "arithmetic on arrays with a tensor whose type only run time knows", span,
                       "its type, where it gets its name: `x: Tensor[N, D, f32] = load_npy(path)`");
  v = withKeptExtents(cx, std::move(v));  // a loop may give it others
  if (v.kind == ValueKind::HostTensor && v.rank == 0) {
    const DType dtype = *v.madeOf;
    v = hostScalar(cx, v, span);
    return v.isPoison() || v.type.dtype == DType::Bool ? v : castTo(cx, v, dtype, {}, span);
  }
  if (v.kind == ValueKind::Int && !v.isKnownInt()) {
    if (asNumber) return castTo(cx, v, isFloat(real) ? real : whole, {}, span);
    Value size = v;
    size.expr = std::shared_ptr<Expr>(indexExpr(cx, v, span).release());
    return size;
  }
  if (v.isScalar() && v.expr->kind != ExprKind::Constant && v.type.dtype != DType::Bool)
    return castTo(cx, v, isFloat(v.type.dtype) ? (isFloat(real) ? real : DType::F32) : (isFloat(real) && asNumber ? real : whole), {}, span);
  return v;
}

/// A number of run time that says where a part begins or ends. It is no variable of its own: not every operand becomes a parameter.
Value sizeOf(Context &cx, Value number, Span span) {
  if (number.kind == ValueKind::HostTensor && number.madeOf && number.rank == 0) number = hostScalar(cx, number, span);
  if (!number.isScalar()) return number;
  if (!isInt(number.type.dtype)) return convertInt(cx, number, span);  // says why it is none
  ExprPtr e = makeExpr(ExprKind::Cast, indexType(), span);
  e->args.push_back(takeExpr(number));
  Value size = Value::integer(Dim::var(kAnyExtent));
  size.type = indexType();
  size.expr = std::shared_ptr<Expr>(e.release());
  return size;
}

/// The operands as arguments. False after a message.
bool prepare(Context &cx, ArrayWork &work, const std::vector<ArrayOperand> &operands) {
  std::optional<DType> real, whole;
  for (const ArrayOperand &o : operands) dtypesOf(cx.function.operands[o.syntax], real, whole);
  const DType none = DType::Bool;  // no floats among the arrays
  for (const ArrayOperand &o : operands) {
    Value &known = cx.function.operands[o.syntax];
    if (o.asSize) known = sizeOf(cx, std::move(known), o.syntax->span);
    Value v = asGiven(cx, known, o.asNumber, o.amongIntegers ? none : real.value_or(none), whole.value_or(DType::I64), o.syntax->span);
    if (v.isPoison() && cx.function.operands[o.syntax].kind != ValueKind::Poison) return false;
    work.given[o.syntax] = std::move(v);
  }
  return true;
}

/// Extents that must be equal become one: then all that is computed knows it, and a message at run time names the tensors.
bool unify(std::map<std::string, Dim> &equal, const Function &made) {
  for (const Requirement &r : made.requirements) {
    if (r.relation != Relation::Eq) continue;
    for (auto [from, to] : {std::pair(&r.right, &r.left), std::pair(&r.left, &r.right)}) {
      std::set<std::string> inside;
      to->collectVars(inside);
      if (!from->isVar() || inside.count(from->varName()) || equal.count(from->varName())) continue;
      for (auto &[name, dim] : equal) dim = dim.substitute({{from->varName(), *to}});
      equal[from->varName()] = *to;
      return true;
    }
  }
  return false;
}

void takeDims(Function &made) {
  std::set<std::string> used;
  for (const Param &p : made.params)
    for (const Dim &d : p.var->type.shape) d.collectVars(used);
  made.dims.assign(used.begin(), used.end());
}

/// An expression, or `x += y`.
struct Work {
  std::string name;
  Span span;
  std::function<Value()> compute;
  const ast::Expr *syntax = nullptr;
};

/// `put(a, 1)`, where `put` stores into `a` and returns nothing: what was meant is a change of the caller's `a`.
void givesNothing(Context &cx, const Work &what) {
  auto *call = what.syntax ? as<ast::CallExpr>(what.syntax) : nullptr;
  auto *name = call ? as<ast::NameExpr>(call->callee) : nullptr;
  const Value callee = name ? lookupName(cx, name->name, name->span, true) : Value::poison();
  if (callee.kind == ValueKind::Function && callee.callable->def) storesForNobody(cx, *callee.callable, what.span);
}

/// The function of the expression, traced with its operands as parameters. Null after a message.
std::unique_ptr<Function> traceWork(Context &cx, const Work &what, ArrayWork &&start, DeclaredType &results, std::shared_ptr<ArrayWork> &work) {
  work = std::make_shared<ArrayWork>(std::move(start));
  auto made = std::make_unique<Function>();
  made->name = what.name;
  made->span = what.span;
  made->signature = std::string(cx.sources.text(what.span));
  FunctionState outer = enterFunction(cx, *made, *cx.function.frame->function);
  cx.function.frame = outer.frame;
  cx.function.calls = outer.calls;
  cx.function.isTraining = outer.isTraining;
  cx.function.arrayWork = work, cx.function.inArrayWork = true;
  const size_t failed = cx.failures;
  Value result = what.compute();
  if (result.kind == ValueKind::None && cx.failures == failed) givesNothing(cx, what);
  const bool ok = cx.failures == failed && !result.isPoison() && returnParts(cx, result, what.span, results);
  takeDims(*made);
  leaveFunction(cx, std::move(outer));
  return ok && cx.failures == failed ? std::move(made) : nullptr;
}

/// A function of the program. Expressions that compute the same share one.
const Callable &registerWork(Context &cx, std::unique_ptr<Function> made, const DeclaredType &results, Span span) {
  const Callable *&known = cx.arrayFunctions[checked::dump(*made)];
  if (known) return *known;
  cx.callables.emplace_back();
  Callable &callable = cx.callables.back();
  callable.name = made->name;
  callable.module = const_cast<ModuleScope *>(cx.main);
  callable.nameSpan = span;
  callable.checked = made.get();
  callable.resultTree = results;
  made->name = uniqueName(cx, callable);
  cx.program->functions.push_back(std::move(made));
  known = &callable;
  return callable;
}

Value callWork(Context &cx, const Callable &callable, std::vector<ExprPtr> arguments, Span span) {
  ExprPtr e = makeExpr(ExprKind::Call, {}, span);
  e->as<node::Call>().callee = callable.checked;
  e->args = std::move(arguments);
  std::vector<Type> types;
  for (const FunctionResult &r : callable.checked->results) {
    Type type;
    type.kind = TypeKind::HostTensor;
    type.dtype = r.type.dtype;
    type.shape = r.type.shape;
    types.push_back(std::move(type));
  }
  std::vector<Value> values = callResults(cx, std::move(e), std::move(types), callable.name, span);
  size_t next = 0;
  return resultValue(callable.resultTree, values, next);
}

/// What an expression is made of: its function, and what that is called with.
struct Outlined {
  std::unique_ptr<Function> made;  // null after a message
  DeclaredType results;
  std::shared_ptr<ArrayWork> work;
};

Outlined traced(Context &cx, const Work &what, const ArrayWork &given, bool plainNumbers) {
  std::map<std::string, Dim> equal = given.equal;
  for (;;) {
    ArrayWork start;
    start.given = given.given, start.equal = equal, start.plainNumbers = plainNumbers;
    Outlined out;
    out.made = traceWork(cx, what, std::move(start), out.results, out.work);
    if (!out.made || !unify(equal, *out.made)) return out;
  }
}

/// An integer that turns out to decide no shape is any integer: as a size it could not be negative.
void tryPlainNumbers(Context &cx, const Work &what, const ArrayWork &given, Outlined &out) {
  if (out.work->numbers.empty()) return;
  const SaidBefore before(cx);
  Outlined plain = traced(cx, what, given, true);
  if (plain.made) out = std::move(plain);
  else before.restore(cx);
}

Value outlined(Context &cx, Work what, const std::vector<ArrayOperand> &operands, std::set<std::string> *numbers = nullptr) {
  ArrayWork given;
  if (!prepare(cx, given, operands)) return Value::poison();
  what.name = cx.function.fn->name + "_" + what.name;
  Outlined out = traced(cx, what, given, false);
  if (numbers) *numbers = out.work->numbers;
  if (!out.made) return Value::poison();
  tryPlainNumbers(cx, what, given, out);
  for (const auto &[stream, span] : out.work->streams)
    if (!useUp(cx, stream, "`" + std::string(cx.sources.text(what.span)) + "`", span)) return Value::poison();
  const Callable &callable = registerWork(cx, std::move(out.made), out.results, what.span);
  return callWork(cx, callable, std::move(out.work->arguments), what.span);
}

}  // namespace

std::optional<Value> operandHere(Context &cx, const ast::Expr &expr) {
  if (cx.function.arrayWork) {
    auto given = cx.function.arrayWork->given.find(&expr);
    if (given == cx.function.arrayWork->given.end()) return std::nullopt;
    return asParameter(cx, given->second, expr);
  }
  auto known = cx.function.operands.find(&expr);
  return known == cx.function.operands.end() ? std::nullopt : std::optional(known->second);
}

void forgetOperands(Context &cx, size_t from) {
  for (std::vector<const ast::Expr *> &turn = cx.function.operandsInTurn; turn.size() > from; turn.pop_back()) cx.function.operands.erase(turn.back());
}

std::optional<Value> arrayWork(Context &cx, const ast::Expr &expr) {
  using K = ast::ExprKind;
  const bool computes = expr.kind == K::Unary || expr.kind == K::Binary || expr.kind == K::Compare || expr.kind == K::Call ||
                        expr.kind == K::Attribute || expr.kind == K::Subscript;
  if (!computes || !inHost(cx) || !cx.function.frame || !cx.function.block) return std::nullopt;
  std::vector<ArrayOperand> operands;
  auto seen = lookInside(cx, expr, operands);
  if (!seen || !seen->array || exhausted(cx)) return std::nullopt;
  const SaidBefore before(cx);
  std::set<std::string> numbers;
  Value made = outlined(cx, {workName(expr), expr.span, [&] { return checkExpr(cx, expr); }, &expr}, operands, &numbers);
  if (!made.isPoison()) return made;
  if (seen->tried) {
    before.restore(cx);
    return std::nullopt;
  }
  if (auto run = runByHost(cx, {&expr}, before, numbers, [&] { return std::optional(checkExpr(cx, expr)); })) return run;
  return made;
}

std::optional<Value> maskedStore(Context &cx, const ast::SubscriptExpr &place, const Value &target, const Value &value, Span span) {
  const ast::Expr &index = *place.items[0].value;
  if (place.items.size() != 1 || (place.object->kind != ast::ExprKind::Name && place.object->kind != ast::ExprKind::Attribute) || index.kind == ast::ExprKind::Slice) return std::nullopt;
  std::vector<ArrayOperand> operands;
  auto given = [&](const ast::Expr &syntax, Value v) {
    cx.function.operands[&syntax] = std::move(v);
    cx.function.operandsInTurn.push_back(&syntax);
    operands.push_back({&syntax, true});
  };
  Value mask = checkExpr(cx, index);
  given(index, mask);
  if (mask.kind != ValueKind::HostTensor || mask.madeOf != DType::Bool || mask.rank == 0) return std::nullopt;
  given(*place.object, target);
  given(place, value);  // what is stored has this place's name
  auto compute = [&] {
    Value here = checkExpr(cx, index), old = checkExpr(cx, *place.object), made = checkExpr(cx, place);
    if (here.type.shape.size() == old.type.shape.size() && made.isArray()) {
      report(cx, Id::wrongArgument, span, "a place that a mask names", "one number", describe(cx, made)).help("`where(mask, values, x)` takes them from another tensor");
      return Value::poison();
    }
    for (size_t axis = here.type.shape.size(); axis < old.type.shape.size(); ++axis) here = insertAxis(cx, std::move(here), static_cast<int>(axis), span);
    ExprPtr e = castToPlace(cx, made, old.type, span, "the place", false);
    if (!e) return Value::poison();
    made = arrayValue(cx, std::move(e), old.type, {}, span);
    return elementwise(cx, ElementwiseOp::Select, {here, made, old}, span, "=");
  };
  return outlined(cx, {"replaced", span, compute}, operands);
}

bool isHeldList(const Context &cx, const ast::Expr &expr) {
  const std::map<const ast::Expr *, Value> &operands = cx.function.arrayWork ? cx.function.arrayWork->given : cx.function.operands;
  auto known = operands.find(&expr);
  return known != operands.end() && known->second.kind == ValueKind::HostTensor && known->second.text == kHeldList;
}

Value castTensor(Context &cx, Value tensor, DType to, Span span) {
  ast::NameExpr operand(ast::ExprKind::Name, span);
  operand.name = "x";
  cx.function.operands[&operand] = std::move(tensor);
  auto compute = [&] { return castTo(cx, *operandHere(cx, operand), to, {}, span); };
  Value made = outlined(cx, {"cast", span, compute}, {{&operand}});
  cx.function.operands.erase(&operand);
  return made;
}

Value widenedTensor(Context &cx, Value tensor, DType to, Span span) {
  const auto from = tensor.kind == ValueKind::HostTensor && tensor.rank > 0 ? knownDType(cx, tensor) : std::nullopt;
  if (!from || *from == to || *from == DType::Bool || isFloat(*from) != isFloat(to) || join(*from, to) != to) return tensor;
  return castTensor(cx, std::move(tensor), to, span);
}

std::optional<Value> arrayWork(Context &cx, const ast::AugAssignStmt &stmt) {
  if (!inHost(cx) || (stmt.target->kind != ast::ExprKind::Name && stmt.target->kind != ast::ExprKind::Subscript && stmt.target->kind != ast::ExprKind::Attribute)) return std::nullopt;
  std::vector<ArrayOperand> operands;
  auto seen = lookInside(cx, {stmt.target.get(), stmt.value.get()}, operands);
  if (!seen || !seen->array || exhausted(cx)) return std::nullopt;
  if (stmt.op == ast::BinaryOp::Add && isHeldList(cx, *stmt.target) && (stmt.value->kind == ast::ExprKind::List || isHeldList(cx, *stmt.value))) return std::nullopt;  // one behind another
  auto compute = [&] {
    Value old = checkExpr(cx, *stmt.target), by = checkExpr(cx, *stmt.value);
    return binaryValues(cx, stmt.op, std::move(old), std::move(by), stmt.span);
  };
  const SaidBefore before(cx);
  std::set<std::string> numbers;
  Value made = outlined(cx, {workName(stmt.op), stmt.span, compute}, operands, &numbers);
  if (!made.isPoison()) return made;
  if (auto run = runByHost(cx, {stmt.value.get()}, before, numbers, [&] { return arrayWork(cx, stmt); })) return run;
  return made;
}

}  // namespace tessera::sema
