// Functions of host code that call themselves: they are functions of their own in what is emitted, which call each other. All others are
// written out where they are called. What such a function takes and returns is what its first call gives it, and its first `return`.
#include "checked/ExprBuild.h"
#include "frontend/Walk.h"
#include "sema/Report.h"
#include "sema/arrays/Arrays.h"
#include "sema/calls/Calls.h"
#include "sema/effects/Effects.h"
#include "sema/host/ArrayWork.h"
#include "sema/host/Host.h"
#include "sema/modules/Modules.h"
#include "sema/trace/Trace.h"
#include "sema/types/Types.h"
#include "support/Check.h"
#include <algorithm>

namespace tessera::sema {

using ast::as;

namespace {
constexpr size_t kMostForms = 8;  // of one function, by the types that it is called with
constexpr const char *kWider = "wider";  // a result that was an integer where the function was called before

void namesCalled(const ast::Children &parts, std::set<std::string> &names) {
  for (const ast::Expr *e : parts.exprs) {
    auto *call = as<ast::CallExpr>(e);
    if (auto *name = call ? as<ast::NameExpr>(call->callee) : nullptr) names.insert(name->name);
    namesCalled(ast::childrenOf(*e), names);
  }
  for (const ast::Stmt *s : parts.stmts) namesCalled(ast::childrenOf(*s), names);
}

bool reaches(const Callable &from, const Callable &to, std::set<const Callable *> &seen) {
  std::set<std::string> names;
  for (const ast::StmtPtr &stmt : from.def->body) namesCalled(ast::childrenOf(*stmt), names);
  return std::any_of(names.begin(), names.end(), [&](const std::string &name) {
    auto found = from.module->names.find(name);
    const Callable *f = found != from.module->names.end() && found->second.kind == ValueKind::Function ? found->second.callable : nullptr;
    return f && f->def && (f == &to || (seen.insert(f).second && reaches(*f, to, seen)));
  });
}

bool returnsNothing(const ast::Block &block) {
  return std::all_of(block.begin(), block.end(), [](const ast::StmtPtr &stmt) {
    if (stmt->kind == ast::StmtKind::FuncDef) return true;
    if (auto *result = as<ast::ReturnStmt>(stmt.get())) return !result->value || result->value->kind == ast::ExprKind::None;
    const auto blocks = ast::blocksOf(*stmt);
    return std::all_of(blocks.begin(), blocks.end(), [](const ast::Block *inner) { return returnsNothing(*inner); });
  });
}

/// The parameters that stand alone behind a `return`, and are given back by that: `return a`.
void parametersReturned(const ast::Block &block, std::set<std::string> &names) {
  for (const ast::StmtPtr &stmt : block) {
    if (stmt->kind == ast::StmtKind::FuncDef) continue;
    auto *result = as<ast::ReturnStmt>(stmt.get());
    if (auto *name = result && result->value ? as<ast::NameExpr>(result->value) : nullptr) names.insert(name->name);
    for (const ast::Block *inner : ast::blocksOf(*stmt)) parametersReturned(*inner, names);
  }
}

/// What host code hands on: a number, a text or a tensor, as a type of run time. Nothing for a value that only the compiler has.
std::optional<Type> passedType(const Context &cx, const Value &value) {
  if (value.kind == ValueKind::Int) return indexType();
  if (value.kind == ValueKind::Float) return scalarType(DType::F64);
  if (value.kind == ValueKind::Bool) return scalarType(DType::Bool);
  auto number = [](DType dtype) {  // as numbers of host code are
    return dtype == DType::Bool ? scalarType(DType::Bool) : isInt(dtype) ? indexType() : scalarType(DType::F64);
  };
  if (value.isScalar()) return number(value.type.dtype);
  if (value.kind == ValueKind::String) return textExpr("", {})->type;
  if (value.kind != ValueKind::HostTensor) return std::nullopt;
  const auto dtype = knownDType(cx, value);
  if (!dtype) return std::nullopt;
  if (value.rank == 0) return number(*dtype);
  Type type;
  type.kind = TypeKind::HostTensor;
  type.dtype = *dtype;
  type.shape.assign(static_cast<size_t>(value.rank), Dim::var(kAnyExtent));
  return type;
}

/// The value as an expression of such a type. Null after a message.
ExprPtr passedExpr(Context &cx, Value value, const Type &type, Span span) {
  if (type.kind == TypeKind::Index) {
    Value whole = convertInt(cx, std::move(value), span);
    return whole.isPoison() ? nullptr : indexExpr(cx, whole, span);
  }
  if (type.kind == TypeKind::String) return value.expr ? clone(*value.expr) : textExpr(value.text, span);
  if (type.kind == TypeKind::HostTensor) return clone(*value.expr);
  if (value.kind == ValueKind::HostTensor) value = hostScalar(cx, value, span);
  return value.isPoison() ? nullptr : inCarryType(cx, std::move(value), type.dtype, span);
}

/// What such a type is to the checker, as the value of an expression.
Value passedValue(Context &cx, ExprPtr e, const Type &type, const Value *like, const std::string &name, Span span) {
  if (type.kind == TypeKind::Index) return indexValue(cx, std::move(e), name, span);
  if (type.kind == TypeKind::Scalar) return bindTemp(cx, arrayValue(cx, std::move(e), type, {}, span), name, span);
  Value v = Value::of(type.kind == TypeKind::String ? ValueKind::String : ValueKind::HostTensor);
  v.type = e->type;
  if (type.kind == TypeKind::HostTensor) {
    v.rank = static_cast<int>(type.shape.size()), v.madeOf = type.dtype, v.madeAs = type.shape;
    if (like) v.text = like->text;
  }
  v.expr = std::shared_ptr<Expr>(e.release());
  return bindTemp(cx, v, name, span);
}

std::string keyOf(const Type &type) { return type.str() + "#" + std::to_string(type.shape.size()); }

/// As messages say it.
std::string keyText(const Type &type) {
  if (type.kind == TypeKind::Index) return "an integer";
  if (type.kind == TypeKind::Scalar) return type.dtype == DType::Bool ? "a truth value" : "a number";
  return type.kind == TypeKind::String ? "a text" : "a tensor of " + std::string(name(type.dtype)) + " with " + diag::counted(type.shape.size(), "dimension");
}

/// The arguments of a call, part by part, with what the function is called with inside.
struct Passed {
  std::vector<ExprPtr> args;
  std::vector<std::pair<std::string, Type>> params;
  std::vector<Value> likes;
  std::string key;
};

/// A list of numbers, whose items run time may ask for, as the tensor that grown lists are. Nothing if it is another value.
std::optional<Value> listAsTensor(Context &cx, const Value &value, Span span) {
  if (value.kind != ValueKind::List || value.items.empty()) return std::nullopt;
  bool whole = true;
  for (const Value &item : value.items) {
    auto type = passedType(cx, item);
    if (!type || (type->kind != TypeKind::Index && (type->kind != TypeKind::Scalar || type->dtype == DType::Bool))) return std::nullopt;
    whole = whole && type->kind == TypeKind::Index;
  }
  Value made = hostTable(cx, value.items, std::vector<Span>(value.items.size(), span), {Dim(static_cast<int64_t>(value.items.size()))}, whole ? DType::I64 : DType::F64, span);
  made.text = kHeldList;
  return made;
}

bool passParts(Context &cx, const Value &value, const std::string &name, Span span, Passed &out) {
  if (auto tensor = listAsTensor(cx, value, span)) return !tensor->isPoison() && passParts(cx, *tensor, name, span, out);
  if (value.kind == ValueKind::None) return out.key += "None,", true;
  if (value.kind == ValueKind::Struct || value.isSequence()) {
    out.key += (value.instance ? value.instance->info->name : std::string()) + "(";
    for (size_t i = 0; i < value.items.size(); ++i)
      if (!passParts(cx, value.items[i], name + "_" + (value.instance ? value.instance->info->fields[i].name : std::to_string(i)), span, out)) return false;
    return out.key += "),", true;
  }
  auto type = passedType(cx, value);
  if (!type) {
    unsupported(cx, describe(cx, value) + " as an argument of a function that calls itself", span, "numbers, texts, and tensors whose dtype is known can be given on");
    return false;
  }
  out.args.push_back(passedExpr(cx, value, *type, span));
  if (!out.args.back()) return false;
  out.params.push_back({name, *type});
  out.likes.push_back(value);
  out.key += keyOf(*type) + (value.kind == ValueKind::HostTensor ? value.text : "") + ",";
  return true;
}

/// The same tree of values, of the parameters of the function that is being made.
Value insideOf(Context &cx, const Value &value, const std::vector<Var *> &vars, const Passed &passed, size_t &next, Span span) {
  if (value.kind == ValueKind::None) return value;
  const bool isTensor = next < passed.likes.size() && passed.likes[next].text == kHeldList && value.kind == ValueKind::List;
  if (!isTensor && (value.kind == ValueKind::Struct || value.isSequence())) {
    Value tree = value;
    for (Value &item : tree.items) item = insideOf(cx, item, vars, passed, next, span);
    return tree;
  }
  const size_t i = next++;
  const Type &type = passed.params[i].second;
  Value like = passed.likes[i];
  like.text = type.kind == TypeKind::HostTensor ? like.text : std::string();
  like.madeAs = type.shape;
  if (type.kind == TypeKind::Index) like = Value::of(ValueKind::Int), like.type = type;
  if (type.kind == TypeKind::Scalar) like = Value::of(ValueKind::Array), like.type = type;
  if (type.kind == TypeKind::HostTensor) like.rank = static_cast<int>(type.shape.size()), like.madeOf = type.dtype;
  return cx.function.varValues[vars[i]] = valueOfVar(vars[i], like, span);
}

/// What such a function returns, part by part: a value, or the items of a tuple.
std::vector<Value> partsReturned(const Value &value) {
  if (value.kind == ValueKind::None) return {};
  return value.kind == ValueKind::Tuple && value.items.size() > 1 ? value.items : std::vector<Value>{value};
}
/// Nothing if it returns nothing, or what cannot be passed.
std::vector<FunctionResult> resultsOf(const Context &cx, const Value &value) {
  std::vector<FunctionResult> results;
  for (const Value &part : partsReturned(value)) {
    auto type = passedType(cx, part);
    if (!type) return {};
    results.push_back({"result", *type, -1});
  }
  return results;
}

/// The parts of the result as expressions of the types that the function gives. False after a message.
bool returnedExprs(Context &cx, const Callable &callable, const Function &made, Value result, std::vector<ExprPtr> &returned, Span span) {
  const std::vector<Value> parts = partsReturned(result);
  const size_t failed = cx.failures, count = made.results.size();
  auto differs = [&](const std::string &wanted, const std::string &found) {
    if (cx.failures == failed)
      report(cx, Id::redefinedType, callable.nameSpan, "the result", wanted, found)
          .help("a function that calls itself gives values of one type: what its first `return` gives");
    return false;
  };
  if (parts.size() != count) return differs(count == 1 ? keyText(made.results[0].type) : diag::counted(count, "value"), describe(cx, result));
  for (size_t i = 0; i < count; ++i) {
    const Type &type = made.results[i].type;
    const auto have = passedType(cx, parts[i]);
    ExprPtr e = have && keyOf(*have) == keyOf(type) ? passedExpr(cx, parts[i], type, span) : nullptr;
    if (!e) return differs(keyText(type), have ? keyText(*have) : describe(cx, parts[i]));
    returned.push_back(std::move(e));
  }
  return true;
}

/// The types of `-> int` and `-> tuple[int, float]`; nothing where they are not such.
std::vector<FunctionResult> declaredResults(const Context &cx, const ast::Expr *declared) {
  if (!declared) return {};
  std::vector<const ast::Expr *> items = {declared};
  if (auto *several = as<ast::SubscriptExpr>(declared); several && (cx.sources.text(several->object->span) == "tuple" || cx.sources.text(several->object->span) == "Tuple")) {
    items.clear();
    for (const ast::Argument &item : several->items) items.push_back(item.value.get());
  }
  std::vector<FunctionResult> results;
  for (const ast::Expr *item : items) {
    const std::string_view name = cx.sources.text(item->span);
    if (name == "int") results.push_back({"result", indexType(), -1});
    else if (name == "bool") results.push_back({"result", scalarType(DType::Bool), -1});
    else if (name == "float" || name == "f32" || name == "f64") results.push_back({"result", scalarType(DType::F64), -1});
    else return {};
  }
  return results;
}

/// Traces the body once, with what `named` is known to return. False after a message.
bool traceOnce(Context &cx, const Callable &callable, const Callable &named, const std::vector<Value> &values, const std::vector<Span> &spans,
               const Passed &passed, Span span) {
  Function &made = *named.checked;
  FunctionState outer = enterFunction(cx, made, callable);
  std::vector<Var *> vars;
  for (const auto &[name, type] : passed.params) {
    Type declared = type;
    if (declared.kind == TypeKind::HostTensor) declared.shape.clear();
    Param param;
    param.var = newVar(cx, name, declared, callable.nameSpan);
    vars.push_back(param.var);
    made.params.push_back(std::move(param));
  }
  std::vector<Value> inside;
  size_t next = 0;
  for (size_t i = 0; i < values.size(); ++i) inside.push_back(values[i].given() ? insideOf(cx, values[i], vars, passed, next, spans[i]) : values[i]);
  const size_t failed = cx.failures;
  Value result = inlineCall(cx, callable, std::move(inside), spans, span);
  bool ok = cx.failures == failed && !result.isPoison();
  if (ok && made.results.empty()) made.results = resultsOf(cx, result);
  if (ok) {
    std::vector<ExprPtr> returned;
    ok = returnedExprs(cx, callable, made, std::move(result), returned, span);
    if (ok) emit(cx, StmtKind::Return, span).values = std::move(returned);
  }
  made.effects = cx.function.frame->effects;
  leaveFunction(cx, std::move(outer));
  return ok;
}

/// Traces the body until what it returns is settled: a fraction behind an integer makes all of it fractions. False after a message.
bool traceUntilSettled(Context &cx, const Callable &callable, const Callable &named, const std::vector<Value> &values, const std::vector<Span> &spans,
                       const Passed &passed, Span span) {
  Function &made = *named.checked;
  std::vector<FunctionResult> results;
  std::set<std::string> givenBack;
  parametersReturned(callable.def->body, givenBack);
  for (const auto &[name, type] : passed.params)
    if (results.empty() && givenBack.count(name)) results.push_back({"result", type, -1});
  if (auto declared = declaredResults(cx, callable.def->result.get()); !declared.empty()) results = std::move(declared);
  for (size_t attempt = 0;; ++attempt) {
    made = Function();
    made.kind = FunctionKind::Host;
    made.name = named.name;
    made.span = callable.nameSpan;
    made.signature = signatureText(cx, *callable.def);
    made.results = results;
    const SaidBefore before(cx);
    const auto works = cx.arrayFunctions;
    const size_t functions = cx.program->functions.size();
    const bool ok = traceOnce(cx, callable, named, values, spans, passed, span);
    auto isWider = [](const FunctionResult &result) { return result.name == kWider; };
    const bool wider = std::any_of(made.results.begin(), made.results.end(), isWider);
    results = made.results;
    for (size_t i = 0; i < results.size(); ++i) results[i].name = results.size() == 1 ? "result" : "result_" + std::to_string(i);
    made.results = results;
    if (!wider || attempt > results.size()) return ok;  // a fraction is the widest of what is joined
    before.restore(cx);
    cx.arrayFunctions = works;
    cx.program->functions.resize(functions);
  }
}

/// The function for arguments of these types, which may be under way. Null after a message.
const Callable *formOf(Context &cx, const Callable &callable, const std::vector<Value> &values, const std::vector<Span> &spans, const Passed &passed, Span span) {
  const std::string family = "%own " + std::to_string(callable.nameSpan.file) + ":" + std::to_string(callable.nameSpan.begin) + " ";
  auto known = cx.arrayFunctions.find(family + passed.key);
  if (known != cx.arrayFunctions.end()) return known->second;
  const auto forms = std::count_if(cx.arrayFunctions.begin(), cx.arrayFunctions.end(), [&](const auto &entry) { return entry.first.starts_with(family); });
  if (static_cast<size_t>(forms) >= kMostForms) {
    if (fresh(cx, Id::recursion, span))
      report(cx, Id::recursion, span, callable.name).help("each of its calls gives it values of other types than the one before: tuples and structs keep their form");
    return nullptr;
  }
  cx.callables.emplace_back();
  Callable &named = cx.callables.back();
  named.name = callable.name;
  named.module = const_cast<ModuleScope *>(cx.main);
  named.nameSpan = callable.nameSpan;
  auto function = std::make_unique<Function>();
  named.checked = function.get();
  if (auto own = cx.entryNames.find(callable.name); own != cx.entryNames.end() && own->second == &callable) own->second = &named;  // it is no entry point
  named.name = uniqueName(cx, named);
  cx.arrayFunctions[family + passed.key] = &named;
  if (!traceUntilSettled(cx, callable, named, values, spans, passed, span)) return cx.arrayFunctions.erase(family + passed.key), nullptr;
  cx.program->functions.push_back(std::move(function));
  return &named;
}
}  // namespace

bool callsItself(const Callable &callable) {
  if (!callable.def || callable.closure || callable.structure || callable.isKernel || callable.isModel) return false;
  std::set<const Callable *> seen;
  return reaches(callable, callable, seen);
}

bool callsOwnFunctions(const Block &block, size_t from) {
  for (size_t i = from; i < block.size(); ++i) {
    const Stmt &stmt = *block[i];
    const node::Call *call = stmt.value ? stmt.value->get<node::Call>() : nullptr;
    if (call && call->callee->kind == FunctionKind::Host) return true;
    if (callsOwnFunctions(stmt.body, 0) || callsOwnFunctions(stmt.otherwise, 0)) return true;
  }
  return false;
}

bool readsItems(const Block &block, size_t from) {
  bool found = false;
  for (size_t i = from; i < block.size() && !found; ++i)
    if (block[i]->value) visitExprs(block[i]->value.get(), [&](Expr &e) { found |= e.kind == ExprKind::HostItem || e.kind == ExprKind::HostCall; });
  return found;
}

bool asNumbersAlike(Context &cx, Value &a, Value &b, Span span) {
  auto one = passedType(cx, a), other = passedType(cx, b);
  auto isNumber = [](const std::optional<Type> &t) { return t && (t->kind == TypeKind::Index || t->kind == TypeKind::Scalar); };
  if (!isNumber(one) || !isNumber(other)) return true;
  if (a.kind == ValueKind::Int && b.kind == ValueKind::Int) return true;
  const bool whole = one->kind == TypeKind::Index && other->kind == TypeKind::Index;
  const Type type = whole ? scalarType(DType::I64) : one->kind == TypeKind::Scalar ? *one : *other;
  for (Value *value : {&a, &b}) {
    ExprPtr e = passedExpr(cx, std::move(*value), type, span);
    if (!e) return false;
    *value = arrayValue(cx, std::move(e), type, {}, span);
  }
  return true;
}

static Value partAsReturned(Context &cx, Value value, FunctionResult &result, Span span) {
  auto type = passedType(cx, value);
  if (!type) return value;
  auto isFraction = [](const Type &t) { return t.kind == TypeKind::Scalar && isFloat(t.dtype); };
  if (result.type.kind == TypeKind::Index && isFraction(*type)) result = {kWider, *type, -1};
  const bool already = value.isScalar() && value.type.dtype == result.type.dtype;
  if (!isFraction(result.type) || already || (type->kind != TypeKind::Index && !isFraction(*type))) return value;
  ExprPtr e = passedExpr(cx, std::move(value), result.type, span);
  return e ? arrayValue(cx, std::move(e), result.type, {}, span) : Value::poison();
}

Value asReturned(Context &cx, Value value, Span span) {
  Function *made = cx.function.fn;
  const auto dtype = inHost(cx) && value.kind == ValueKind::HostTensor && value.rank == 0 ? knownDType(cx, value) : std::nullopt;
  if (dtype && isInt(*dtype) && *dtype != DType::Bool) value = convertInt(cx, hostScalar(cx, value, span), span);  // `return argmax(x)` beside `return i`
  if (!inHost(cx) || made->name == "main" || value.isPoison() || value.kind == ValueKind::None || cx.function.calls.size() > 2) return value;
  if (made->results.empty()) made->results = resultsOf(cx, value);
  const bool several = value.kind == ValueKind::Tuple && value.items.size() > 1;
  if (made->results.size() != (several ? value.items.size() : 1)) return value;
  if (!several) return partAsReturned(cx, std::move(value), made->results[0], span);
  for (size_t i = 0; i < value.items.size(); ++i) {
    value.items[i] = partAsReturned(cx, std::move(value.items[i]), made->results[i], span);
    if (value.items[i].isPoison()) return Value::poison();
  }
  return value;
}

/// The results of a call, as a tuple.
static Value severalResults(Context &cx, ExprPtr call, const Function &callee, const std::string &name, Span span) {
  call->type.kind = TypeKind::Tuple;
  for (const FunctionResult &result : callee.results) {
    call->type.items.push_back(result.type);
    if (result.type.kind == TypeKind::HostTensor) call->type.items.back().shape.clear();
  }
  Var *var = newVar(cx, name + "_results", call->type, span);
  Stmt &let = emit(cx, StmtKind::Let, span);
  let.var = var;
  let.value = std::move(call);
  Value all = Value::tuple({});
  for (size_t i = 0; i < callee.results.size(); ++i) {
    ExprPtr item = makeExpr(ExprKind::TupleItem, var->type.items[i], span);
    item->as<node::TupleItem>().item = static_cast<int>(i);
    item->args.push_back(makeRef(var, span));
    all.items.push_back(passedValue(cx, std::move(item), callee.results[i].type, nullptr, name + "_result", span));
  }
  return all;
}

Value callOwnFunction(Context &cx, const Callable &callable, std::vector<Value> values, const std::vector<Span> &spans, Span span) {
  const std::vector<ast::Parameter> &parameters = parametersOf(callable);
  Passed passed;
  for (size_t i = 0; i < values.size(); ++i)
    if (!values[i].given()) passed.key += "default,";
    else if (!passParts(cx, values[i], parameters[i].name.text, spans[i], passed)) return Value::poison();
  const Callable *named = formOf(cx, callable, values, spans, passed, span);
  if (!named) return Value::poison();
  const Function &callee = *named->checked;
  const bool isUnderWay = std::none_of(cx.program->functions.begin(), cx.program->functions.end(), [&](const auto &f) { return f.get() == &callee; });
  if (!isUnderWay) takeOverEffects(cx, callee.effects, callable.name, false, span);
  ExprPtr call = makeExpr(ExprKind::Call, {}, span);
  call->as<node::Call>().callee = &callee;
  call->args = std::move(passed.args);
  if (callee.results.size() > 1) return severalResults(cx, std::move(call), callee, callable.name, span);
  if (!callee.results.empty()) {
    const Type type = callee.results.back().type;
    call->type = type;
    if (type.kind == TypeKind::HostTensor) call->type.shape.clear();
    return passedValue(cx, std::move(call), type, nullptr, callable.name + "_result", span);
  }
  if (!returnsNothing(callable.def->body)) {
    if (fresh(cx, Id::recursion, span))
      report(cx, Id::recursion, span, callable.name).help("what it returns is not known here: put the `return` that ends it first, `if n == 0: return ...`");
    return Value::poison();
  }
  call->type.kind = TypeKind::None;
  emit(cx, StmtKind::Evaluate, span).value = std::move(call);
  return Value::of(ValueKind::None);
}

}  // namespace tessera::sema
