// Building the checked function: variables, statements, and values as expressions.
#include "sema/Checker.h"
#include "sema/trace/Unknown.h"

namespace tessera::sema {

Var *Checker::newVar(const std::string &name, Type type, Span span) {
  auto &vars = (fn_ ? *fn_ : moduleLevel_).vars;
  auto var = std::make_unique<Var>();
  var->id = static_cast<uint32_t>(vars.size());
  var->name = name;
  var->type = std::move(type);
  var->span = span;
  Var *raw = var.get();
  vars.push_back(std::move(var));
  symVars_[symName(raw)] = raw;
  return raw;
}

Stmt &Checker::emit(StmtKind kind, Span span) {
  auto stmt = std::make_unique<Stmt>();
  stmt->kind = kind;
  stmt->span = span;
  Block &block = block_ ? *block_ : moduleBlock_;
  block.push_back(std::move(stmt));
  return *block.back();
}

ExprPtr Checker::take(Value &value) {
  TSR_CHECK(value.expr != nullptr, "take() of a value without an expression");
  if (value.expr.use_count() == 1) {
    auto out = std::make_unique<Expr>(std::move(*value.expr));
    value.expr.reset();
    return out;
  }
  return clone(*value.expr);
}

Value Checker::valueOfVar(Var *var, const Value &like, Span span) {
  Value value = like;
  if (like.kind == ValueKind::Int) {
    value.sym = Dim::var(symName(var));
    value.text.clear();
  }
  value.expr = std::shared_ptr<Expr>(makeRef(var, span).release());
  return value;
}

Value Checker::bindTemp(const Value &value, const std::string &name, Span span, Var **made) {
  Value copy = value;
  ExprPtr expr = copy.kind == ValueKind::Int ? indexExpr(copy, span) : take(copy);
  Var *var = newVar(name, expr->type, span);
  var->varying = isVarying(*expr) || varyingDepth_ > 0;
  Stmt &let = emit(StmtKind::Let, span);
  let.var = var;
  let.value = std::move(expr);
  if (made) *made = var;
  if (value.kind == ValueKind::Int && !mentionsRebound(value.sym)) facts_.define(symName(var), value.sym);
  Value bound = valueOfVar(var, value, span);
  varValues_[var] = bound;
  return bound;
}

Value Checker::cheap(Value value, const std::string &name, Span span) {
  if (!value.expr || value.kind == ValueKind::Int) return value;
  if (value.expr->kind == ExprKind::VarRef || value.expr->kind == ExprKind::Constant) return value;
  Var *var = nullptr;
  Value out = bindTemp(value, name, span, &var);
  temps_[var] = blockId_;
  return out;
}

/// Products and sums of variables alone: names of constants hide no simpler form of it.
static bool isPolynomial(const Dim &dim) {
  for (const Dim::Term &term : dim.terms())
    for (const auto &[atom, power] : term.atoms)
      if (atom.kind != AtomKind::Var) return false;
  return true;
}

ExprPtr Checker::dimExpr(const Dim &dim, Span span) {
  std::set<std::string> vars;
  dim.collectVars(vars);
  bool pure = true;
  for (const std::string &v : vars) pure &= v[0] != '%';
  if (pure) {
    Dim known = inNumbers(dim);
    ExprPtr e = known.isConstant() ? makeIndex(known.constant(), span)
                                   : makeExpr(ExprKind::DimValue, indexType(), span);
    e->dim = known;
    return e;
  }
  if (dim.hasNames() && isPolynomial(dim.written())) return dimExpr(dim.written(), span);
  auto binary = [&](ElementwiseOp op, ExprPtr a, ExprPtr b) {
    std::vector<ExprPtr> args;
    args.push_back(std::move(a));
    args.push_back(std::move(b));
    return makeElementwise(op, indexType(), span, std::move(args));
  };
  auto atomExpr = [&](const Atom &atom) -> ExprPtr {
    if (atom.kind == AtomKind::Var) {
      if (atom.name[0] != '%') return dimExpr(Dim::var(atom.name), span);
      auto it = symVars_.find(atom.name);
      if (it != symVars_.end()) return makeRef(it->second, span);
      // "%q:<query>:<axis>"
      size_t second = atom.name.find(':', 3);
      ExprPtr e = makeExpr(ExprKind::Query, indexType(), span);
      e->query = static_cast<Query>(std::stoi(atom.name.substr(3, second - 3)));
      e->queryAxis = std::stoi(atom.name.substr(second + 1));
      return e;
    }
    ElementwiseOp op = atom.kind == AtomKind::FloorDiv ? ElementwiseOp::FloorDiv
                       : atom.kind == AtomKind::Mod    ? ElementwiseOp::Mod
                       : atom.kind == AtomKind::Min    ? ElementwiseOp::Min
                                                       : ElementwiseOp::Max;
    return binary(op, dimExpr(*atom.left, span), dimExpr(*atom.right, span));
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
  if (!(rest == Dim(0))) sum = dimExpr(rest, span);
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
      sum = binary(term.coefficient < 0 ? ElementwiseOp::Sub : ElementwiseOp::Add, std::move(sum),
                   std::move(product));
  }
  return sum;
}

ExprPtr Checker::indexExpr(const Value &value, Span span) {
  TSR_CHECK(value.kind == ValueKind::Int, "indexExpr() of something else");
  if (value.expr) return clone(*value.expr);
  ExprPtr e = dimExpr(value.sym, span);
  e->nameHint = value.text;
  return e;
}

Value Checker::indexValue(ExprPtr expr, const std::string &name, Span span) {
  Value value = Value::of(ValueKind::Int);
  value.type = indexType();
  Var *var = newVar(name, indexType(), span);
  var->varying = isVarying(*expr) || varyingDepth_ > 0;
  Stmt &let = emit(StmtKind::Let, span);
  let.var = var;
  let.value = std::move(expr);
  temps_[var] = blockId_;
  Value bound = valueOfVar(var, value, span);
  varValues_[var] = bound;
  return bound;
}

std::optional<bool> Checker::knownCondition(const Value &value) const {
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

ExprPtr Checker::conditionExpr(const Value &value, Span span) {
  if (auto known = knownCondition(value)) return makeBool(*known, span);
  if (value.kind == ValueKind::Int) {
    std::vector<ExprPtr> args;
    args.push_back(indexExpr(value, span));
    args.push_back(makeIndex(0, span));
    return makeElementwise(ElementwiseOp::Ne, scalarType(DType::Bool), span, std::move(args));
  }
  if (value.isScalar() && value.type.dtype == DType::Bool) return clone(*value.expr);
  if (!value.isPoison()) {
    std::string text(sources_.text(span));
    auto builder = report(Id::notACondition, span, describe(value));
    if (isOptional(frame_.get(), text)) builder.suggest(span, text + " is not None", "ask whether it is given");
    else if (!value.isArray()) builder.help("compare it: `" + text + " != 0`");
    else
      builder.help("say what shall hold of its elements: `any(" + text + ")` or `all(" + text + ")`")
          .help("to choose for each element, write `where(" + text + ", a, b)`");
  }
  return nullptr;
}

bool Checker::isVarying(const Access &access) const {
  for (const IndexPart &part : access.parts)
    if (part.offset && isVarying(*part.offset)) return true;
  return false;
}
bool Checker::isVarying(const Expr &expr) const {
  bool varying = false;
  visitExprs(const_cast<Expr *>(&expr), [&](Expr &e) {
    if (e.kind == ExprKind::VarRef) varying |= e.var->varying;
    if (e.kind == ExprKind::Opaque) varying |= e.text == "rank" || e.text == "axis_index";
    if (e.kind == ExprKind::Query)
      varying |= e.query == Query::LocalId || e.query == Query::LaneId || e.query == Query::LinearId;
  });
  return varying;
}

bool Checker::mentionsRebound(const Dim &dim) const {
  std::set<std::string> vars;
  dim.collectVars(vars);
  for (const std::string &v : vars) {
    auto it = symVars_.find(v);
    if (it != symVars_.end() && rebindable_.count(it->second)) return true;
  }
  return false;
}

std::string Checker::show(const Dim &dim) const {
  static const char *const queries[] = {"origin",  "group_id",  "group_size", "local_id",
                                        "lane_id", "linear_id", "group_count"};
  std::set<std::string> vars;
  dim.collectVars(vars);
  std::map<std::string, Dim> names;
  for (const std::string &v : vars) {
    if (v[0] != '%') continue;
    auto it = symVars_.find(v);
    if (it != symVars_.end()) names[v] = Dim::var(it->second->name.empty() ? "index" : it->second->name);
    else if (v.rfind("%q:", 0) == 0)
      names[v] = Dim::var(std::string("tile.") + queries[std::stoi(v.substr(3))] + "()");
  }
  return dim.substitute(names).str();
}

std::string Checker::shapeText(const std::vector<Dim> &shape) const {
  std::string text = "[";
  for (size_t i = 0; i < shape.size(); ++i) text += (i ? ", " : "") + show(shape[i]);
  return text + "]";
}

std::string Checker::describe(const Value &value) const {
  switch (value.kind) {
  case ValueKind::Poison:
  case ValueKind::Absent: return "nothing";
  case ValueKind::None: return "`None`";
  case ValueKind::Ellipsis: return "`...`";
  case ValueKind::Bool: return value.truth ? "`True`" : "`False`";
  case ValueKind::Float: return "a number";
  case ValueKind::Int: return value.isKnownInt() ? "the integer " + show(value.sym) : "an integer";
  case ValueKind::String: return "a string";
  case ValueKind::DType: return "the dtype `" + std::string(name(value.type.dtype)) + "`";
  case ValueKind::TypeName: return "the type `" + value.text + "`";
  case ValueKind::Array:
    return value.isArray()
               ? "a tensor `" + shapeText(value.type.shape) + "` of " + std::string(name(value.type.dtype))
               : "a scalar `" + value.type.str() + "`";
  case ValueKind::View: return "the tensor `" + value.var->name + "`";
  case ValueKind::Shared: return "the shared buffer `" + value.var->name + "`";
  case ValueKind::HostTensor: return "a tensor";
  case ValueKind::HostShape: return "the shape of a tensor in host code";
  case ValueKind::Tuple: return "a tuple";
  case ValueKind::List: return "a list";
  case ValueKind::Dict: return "a dict";
  case ValueKind::Range: return "a range";
  case ValueKind::Enumerate: return "an enumeration";
  case ValueKind::Slice: return "a slice";
  case ValueKind::Module: return "the module `" + value.text + "`";
  case ValueKind::Builtin:
  case ValueKind::Method:
    return "the function `" +
           std::string(value.builtin ? value.builtin->name : std::string_view(value.text)) + "`";
  case ValueKind::Function: return "the function `" + value.callable->name + "`";
  case ValueKind::Overloads: return "the functions `" + value.text + "`";
  case ValueKind::Partial: return describe(value.items[0]) + " with some arguments";
  case ValueKind::Derivative: return "the derivative of `" + value.callable->name + "`";
  case ValueKind::Struct: return "a `" + instanceText(*value.instance) + "`";
  case ValueKind::StructType: return "the struct `" + value.instance->info->name + "`";
  case ValueKind::Schedule: return "a schedule";
  case ValueKind::Policy: return "a policy";
  case ValueKind::Context: return "the tile context";
  case ValueKind::Rng: return "a stream of random numbers";
  case ValueKind::State: return "a state object `" + value.type.str() + "`";
  }
  return "this";
}

Value Checker::unsupported(const std::string &what, Span span, const std::string &instead) {
  if (options_.keepUnsupported) ++failures_;
  else if (fresh(Id::notSupportedYet, span)) {
    auto builder = report(Id::notSupportedYet, span, what);
    builder.label("this parses, but has no meaning yet");
    if (!instead.empty()) builder.help(instead);
  }
  return Value::poison();
}

}  // namespace tessera::sema
