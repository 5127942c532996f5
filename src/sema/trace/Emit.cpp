// Building the checked function: variables, statements, and values as expressions.
#include "checked/ExprBuild.h"
#include "sema/Report.h"
#include "sema/host/Host.h"
#include "sema/trace/Held.h"
#include "sema/trace/Trace.h"
#include "sema/types/OwnMethods.h"
#include "support/Check.h"
#include "support/MeshDims.h"

namespace tessera::sema {

Var *newVar(Context &cx, const std::string &name, Type type, Span span) {
  auto &vars = (cx.function.fn ? *cx.function.fn : cx.moduleLevel).vars;
  auto var = std::make_unique<Var>();
  var->id = static_cast<uint32_t>(vars.size());
  var->name = name;
  var->type = std::move(type);
  var->span = span;
  Var *raw = var.get();
  vars.push_back(std::move(var));
  cx.function.symVars[symName(raw)] = raw;
  cx.function.ofData.erase(symName(raw));  // numbers are given again, where something is checked once more
  cx.function.dataEnds.erase(symName(raw));
  return raw;
}

Stmt &emit(Context &cx, StmtKind kind, Span span) {
  auto stmt = std::make_unique<Stmt>();
  stmt->kind = kind;
  stmt->span = span;
  Block &block = cx.function.block ? *cx.function.block : cx.moduleBlock;
  block.push_back(std::move(stmt));
  return *block.back();
}

ExprPtr takeExpr(Value &value) {
  TSR_CHECK(value.expr != nullptr, "take() of a value without an expression");
  if (value.expr.use_count() == 1) {
    auto out = std::make_unique<Expr>(std::move(*value.expr));
    value.expr.reset();
    return out;
  }
  return clone(*value.expr);
}

Value valueOfVar(Var *var, const Value &like, Span span) {
  Value value = like;
  if (like.kind == ValueKind::Int) {
    value.sym = Dim::var(symName(var));
    value.text.clear();
  }
  value.expr = std::shared_ptr<Expr>(makeRef(var, span).release());
  return value;
}

Value bindTemp(Context &cx, const Value &value, const std::string &name, Span span, Var **made) {
  Value copy = value;
  ExprPtr expr = copy.kind == ValueKind::Int ? indexExpr(cx, copy, span) : takeExpr(copy);
  Var *var = newVar(cx, name, expr->type, span);
  var->varying = isVarying(*expr) || cx.function.varyingDepth > 0;
  Stmt &let = emit(cx, StmtKind::Let, span);
  let.var = var;
  let.value = std::move(expr);
  if (made) *made = var;
  if (value.kind == ValueKind::Int && !mentionsRebound(cx, value.sym))
    cx.function.facts.define(symName(var), value.sym);
  Value bound = valueOfVar(var, value, span);
  cx.function.varValues[var] = bound;
  return bound;
}

Value reusable(Context &cx, Value value, const std::string &name, Span span) {
  if (!value.expr || value.kind == ValueKind::Int) return value;
  if (value.expr->kind == ExprKind::VarRef || value.expr->kind == ExprKind::Constant) return value;
  Var *var = nullptr;
  Value out = bindTemp(cx, value, name, span, &var);
  cx.function.temps[var] = cx.blockId;
  return out;
}

/// Products and sums of variables alone: names of constants hide no simpler form of it.
static bool isPolynomial(const Dim &dim) {
  for (const Dim::Term &term : dim.terms())
    for (const auto &[atom, power] : term.atoms)
      if (atom.kind != AtomKind::Var) return false;
  return true;
}

ExprPtr dimExpr(Context &cx, const Dim &dim, Span span) {
  std::set<std::string> vars;
  dim.collectVars(vars);
  bool pure = true;
  for (const std::string &v : vars) pure &= v[0] != '%';
  if (pure) {
    Dim known = inNumbers(dim);
    ExprPtr e =
        known.isConstant() ? makeIndex(known.constant(), span) : makeExpr(ExprKind::DimValue, indexType(), span);
    *writtenDim(*e) = known;
    return e;
  }
  if (dim.hasNames() && isPolynomial(dim.written())) return dimExpr(cx, dim.written(), span);
  auto binary = [&](ElementwiseOp op, ExprPtr a, ExprPtr b) {
    std::vector<ExprPtr> args;
    args.push_back(std::move(a));
    args.push_back(std::move(b));
    return makeElementwise(op, indexType(), span, std::move(args));
  };
  auto atomExpr = [&](const Atom &atom) -> ExprPtr {
    if (atom.kind == AtomKind::Var) {
      if (atom.name[0] != '%') return dimExpr(cx, Dim::var(atom.name), span);
      auto it = cx.function.symVars.find(atom.name);
      if (it != cx.function.symVars.end()) return makeRef(it->second, span);
      // "%q:<query>:<axis>"
      size_t second = atom.name.find(':', 3);
      ExprPtr e = makeExpr(ExprKind::Query, indexType(), span);
      e->as<node::Query>().what = static_cast<Query>(std::stoi(atom.name.substr(3, second - 3)));
      e->as<node::Query>().axis = std::stoi(atom.name.substr(second + 1));
      return e;
    }
    ElementwiseOp op = atom.kind == AtomKind::FloorDiv ? ElementwiseOp::FloorDiv
                       : atom.kind == AtomKind::Mod    ? ElementwiseOp::Mod
                       : atom.kind == AtomKind::Min    ? ElementwiseOp::Min
                                                       : ElementwiseOp::Max;
    return binary(op, dimExpr(cx, *atom.left, span), dimExpr(cx, *atom.right, span));
  };
  ExprPtr sum;
  Dim rest;  // the part over dimensions alone stays one value
  std::vector<Dim::Term> mixed;
  for (const Dim::Term &term : dim.terms()) {
    bool runTime = false;
    Dim product(term.coefficient);
    for (const auto &[atom, power] : term.atoms) {
      std::set<std::string> names;
      if (atom.kind == AtomKind::Var) names.insert(atom.name);
      else atom.left->collectVars(names), atom.right->collectVars(names);
      for (const std::string &n : names) runTime |= n[0] == '%';
      if (atom.kind == AtomKind::Var && !runTime)
        for (int i = 0; i < power; ++i) product = product * Dim::var(atom.name);
    }
    if (runTime) mixed.push_back(term);
    else if (term.atoms.empty()) rest = rest + Dim(term.coefficient);
    else {
      Dim value(term.coefficient);
      for (const auto &[atom, power] : term.atoms)
        for (int i = 0; i < power; ++i)
          value = value * (atom.kind == AtomKind::Var        ? Dim::var(atom.name)
                           : atom.kind == AtomKind::FloorDiv ? Dim::floorDiv(*atom.left, *atom.right)
                           : atom.kind == AtomKind::Mod      ? Dim::mod(*atom.left, *atom.right)
                           : atom.kind == AtomKind::Min      ? Dim::min(*atom.left, *atom.right)
                                                             : Dim::max(*atom.left, *atom.right));
      rest = rest + value;
    }
  }
  if (!(rest == Dim(0))) sum = dimExpr(cx, rest, span);
  for (const Dim::Term &term : mixed) {
    int64_t magnitude = term.coefficient < 0 ? -term.coefficient : term.coefficient;
    ExprPtr product;
    for (const auto &[atom, power] : term.atoms)
      for (int i = 0; i < power; ++i)
        product = product ? binary(ElementwiseOp::Mul, std::move(product), atomExpr(atom)) : atomExpr(atom);
    if (magnitude != 1) product = binary(ElementwiseOp::Mul, makeIndex(magnitude, span), std::move(product));
    if (!sum && term.coefficient < 0) sum = makeIndex(0, span);
    if (!sum) sum = std::move(product);
    else
      sum = binary(term.coefficient < 0 ? ElementwiseOp::Sub : ElementwiseOp::Add, std::move(sum), std::move(product));
  }
  return sum;
}

ExprPtr indexExpr(Context &cx, const Value &value, Span span) {
  TSR_CHECK(value.kind == ValueKind::Int, "indexExpr() of something else");
  if (value.expr) return clone(*value.expr);
  ExprPtr e = dimExpr(cx, value.sym, span);
  e->nameHint = value.text;
  return e;
}

Value indexValue(Context &cx, ExprPtr expr, const std::string &name, Span span) {
  Value value = Value::of(ValueKind::Int);
  value.type = indexType();
  Var *var = newVar(cx, name, indexType(), span);
  var->varying = isVarying(*expr) || cx.function.varyingDepth > 0;
  Stmt &let = emit(cx, StmtKind::Let, span);
  let.var = var;
  let.value = std::move(expr);
  cx.function.temps[var] = cx.blockId;
  Value bound = valueOfVar(var, value, span);
  cx.function.varValues[var] = bound;
  return bound;
}

std::optional<bool> knownCondition(const Value &value) {
  switch (value.kind) {
  case ValueKind::Bool: return value.truth;
  case ValueKind::None: return false;
  case ValueKind::Int:
    if (value.isKnownInt() && !value.expr) return value.sym.constant() != 0;
    break;
  case ValueKind::Float: return value.number != 0;
  case ValueKind::Tuple:
  case ValueKind::List: return !value.items.empty();
  case ValueKind::String:
    if (!value.expr) return !value.text.empty();
    break;
  default: break;
  }
  return std::nullopt;
}

ExprPtr conditionExpr(Context &cx, const Value &value, Span span) {
  if (auto known = knownCondition(value)) return makeBool(*known, span);
  if (auto holds = byMethod(cx, value, "__bool__", span)) return conditionExpr(cx, *holds, span);
  if (value.kind == ValueKind::Int) {
    std::vector<ExprPtr> args;
    args.push_back(indexExpr(cx, value, span));
    args.push_back(makeIndex(0, span));
    return makeElementwise(ElementwiseOp::Ne, scalarType(DType::Bool), span, std::move(args));
  }
  if (inHost(cx) && value.kind == ValueKind::String) return conditionExpr(cx, convertInt(cx, hostTextCall(cx, "text_length", value, span), span), span);
  if (value.isScalar() && value.type.dtype == DType::Bool) return clone(*value.expr);
  if (inHost(cx) && value.kind == ValueKind::HostTensor && (value.text == kHeldList || isHeldRows(value))) {  // `while todo:`, asked anew in each turn
    std::vector<ExprPtr> args;
    args.push_back(makeExpr(ExprKind::HostShape, indexType(), span));
    args.back()->args.push_back(clone(*value.expr));
    args.push_back(makeIndex(0, span));
    return makeElementwise(ElementwiseOp::Ne, scalarType(DType::Bool), span, std::move(args));
  }
  if (inHost(cx) && value.kind == ValueKind::HostTensor && value.rank == 0 && value.madeOf == DType::Bool)  // `any(x > 0)`
    return conditionExpr(cx, hostScalar(cx, value, span), span);
  if (inHost(cx) && ((value.kind == ValueKind::HostTensor && (isHostElement(value) || (value.rank == 0 && value.madeOf))) || value.isScalar())) {  // `if g[y, x]:`
    const Value number = hostScalar(cx, value, span);
    return number.isPoison() ? nullptr : conditionExpr(cx, compareValues(cx, ast::CompareOp::Ne, number, Value::integer(Dim(0)), span), span);
  }
  if (!value.isPoison()) {
    std::string text(cx.sources.text(span));
    auto builder = report(cx, Id::notACondition, span, describe(cx, value));
    if (isOptional(cx.function.frame.get(), text))
      builder.suggest(span, text + " is not None", "ask whether it is given");
    else if (!value.isArray()) builder.help("compare it: `" + text + " != 0`");
    else
      builder.help("say what shall hold of its elements: `any(" + text + ")` or `all(" + text + ")`")
          .help("to choose for each element, write `where(" + text + ", a, b)`");
  }
  return nullptr;
}

bool isVarying(const Access &access) {
  for (const IndexPart &part : access.parts)
    if (part.offset && isVarying(*part.offset)) return true;
  return false;
}
bool isVarying(const Expr &expr) {
  bool varying = false;
  visitExprs(const_cast<Expr *>(&expr), [&](Expr &e) {
    if (const Var *var = varOf(e)) varying |= var->varying;
    varying |= e.kind == ExprKind::Warp;
    if (auto *value = e.get<node::DimValue>()) varying |= variesBetweenDevices(value->dim);
    if (auto *call = e.get<node::HostCall>()) varying |= call->function == "rank" || call->function == "axis_index";
    if (auto *query = e.get<node::Query>())
      varying |= query->what == Query::LocalId || query->what == Query::LaneId || query->what == Query::LinearId;
  });
  return varying;
}

bool isOfData(const Context &cx, const Dim &dim) {
  std::set<std::string> vars;
  cx.function.facts.simplify(dim).collectVars(vars);
  return std::any_of(vars.begin(), vars.end(), [&](const std::string &v) { return cx.function.ofData.count(v) != 0; });
}

bool mentionsRebound(const Context &cx, const Dim &dim) {
  std::set<std::string> vars;
  dim.collectVars(vars);
  for (const std::string &v : vars) {
    auto it = cx.function.symVars.find(v);
    if (it != cx.function.symVars.end() && cx.function.rebindable.count(it->second)) return true;
  }
  return false;
}

}  // namespace tessera::sema
