// Types as they are written: Tensor[M, K, bf16 @accum(f32)], Const[H], f32, Int, unions with None.
#include "checked/ExprBuild.h"
#include "checked/Policy.h"
#include "sema/Builtins.h"
#include "sema/Report.h"
#include "sema/advice/Foreign.h"
#include "sema/effects/Effects.h"
#include "sema/policies/Policies.h"
#include "sema/trace/Trace.h"
#include "sema/types/Types.h"
#include <algorithm>
#include <cctype>

namespace tessera::sema {

using ast::as;

namespace {
bool dividesByZero(const Dim &dim) {
  for (const Dim::Term &term : dim.terms())
    for (const auto &[atom, power] : term.atoms) {
      if (atom.kind == AtomKind::Var) continue;
      bool divides = atom.kind == AtomKind::FloorDiv || atom.kind == AtomKind::Mod;
      if (divides && *atom.right == Dim(0)) return true;
      if (dividesByZero(*atom.left) || dividesByZero(*atom.right)) return true;
    }
  return false;
}
std::optional<Dim> dimOfOperator(ast::BinaryOp op, const Dim &a, const Dim &b) {
  switch (op) {
  case ast::BinaryOp::Add: return a + b;
  case ast::BinaryOp::Sub: return a - b;
  case ast::BinaryOp::Mul: return a * b;
  case ast::BinaryOp::FloorDiv: return Dim::floorDiv(a, b);
  case ast::BinaryOp::Mod: return Dim::mod(a, b);
  default: return std::nullopt;
  }
}
/// "def f[N, K]": with the parameters that there are and one more.
std::string withParameter(std::string head, const std::vector<ast::TypeParameter> &parameters,
                          const std::string &name) {
  head += "[";
  for (const ast::TypeParameter &p : parameters) head += p.name.text + ", ";
  return head + name + "]";
}

bool isParameter(const ast::FuncDef *def, const std::string &name) {
  return def && std::any_of(def->parameters.begin(), def->parameters.end(),
                            [&](const ast::Parameter &p) { return p.name.text == name; });
}
}  // namespace

static std::optional<Dim> dimTerm(Context &cx, const ast::Expr &expr, bool bind);
static void unknownDimension(Context &cx, const std::string &name, Span span);

std::optional<Dim> dimOf(Context &cx, const ast::Expr &expr, bool bind) {
  auto dim = dimTerm(cx, expr, bind);
  if (!dim || !dim->isConstant() || dim->constant() >= 0) return dim;
  if (fresh(cx, Id::notAType, expr.span)) report(cx, Id::notAType, expr.span, "a dimension is not negative");
  return std::nullopt;
}

/// In an expression, `"R * TILE"`, what the module calls a number is that number.
static std::optional<Dim> moduleNumber(Context &cx, const std::string &name, Span span) {
  const ModuleScope *module = cx.function.frame ? cx.function.frame->module : cx.scope;
  if (!module || !module->names.count(name)) return std::nullopt;
  const Value value = lookupName(cx, name, span, true);
  return value.isKnownInt() && !value.expr ? std::optional(value.sym) : std::nullopt;
}

static std::optional<Dim> dimTerm(Context &cx, const ast::Expr &expr, bool bind) {
  auto named = [&](const std::string &name) -> std::optional<Dim> {
    for (Frame *f = cx.function.frame.get(); f; f = f->parent.get())
      if (auto it = f->dims.find(name); it != f->dims.end()) return it->second;
    return std::nullopt;
  };
  auto use = [&](const std::string &name) {  // in order of first use
    if (bind && std::find(cx.function.fn->dims.begin(), cx.function.fn->dims.end(), name) == cx.function.fn->dims.end())
      cx.function.fn->dims.push_back(name);
  };
  if (auto *text = as<ast::StringExpr>(&expr)) {
    auto dim = Dim::parse(text->value);
    if (!dim || dividesByZero(*dim)) {
      report(cx, Id::notAType, expr.span,
             !dim               ? "\"" + text->value + "\" is no dimension"
             : dim->isDefined() ? "a dimension is divided by 0"
                                : "a dimension is divided by 0, or does not fit into 64 bits");
      return std::nullopt;
    }
    std::set<std::string> vars;
    dim->collectVars(vars);
    std::map<std::string, Dim> values;
    for (const std::string &v : vars) {
      if (auto known = named(v)) values[v] = *known;
      else if (auto number = bind && !dim->isVar() ? moduleNumber(cx, v, expr.span) : std::nullopt) values[v] = *number;
      else if (bind) cx.function.frame->dims[v] = Dim::var(v);
      else {
        Value value = lookupName(cx, v, expr.span, true);
        if (value.kind == ValueKind::Int && !value.expr) values[v] = value.sym;
        else {
          reportUndefined(cx, v, expr.span);
          return std::nullopt;
        }
      }
      if (!values.count(v) || values[v] == Dim::var(v)) use(v);
    }
    Dim made = dim->substitute(values);
    return isTooLarge(cx, made, expr.span) ? std::nullopt : std::optional(made);
  }
  if (auto *name = as<ast::NameExpr>(&expr)) {
    if (auto known = named(name->name)) {
      if (known->isVar()) use(known->varName());
      return known;
    }
    Value v = lookupName(cx, name->name, expr.span, true);
    if (v.kind == ValueKind::Int && !v.expr) return v.sym;
    const ast::FuncDef *def =
        cx.function.frame && cx.function.frame->function ? cx.function.frame->function->def : nullptr;
    if (v.isPoison() || v.kind == ValueKind::Int || isParameter(def, name->name))
      unknownDimension(cx, name->name, expr.span);
    else if (fresh(cx, Id::notAType, expr.span))
      report(cx, Id::notAType, expr.span, "a dimension is an integer, but `" + name->name + "` is " + describe(cx, v));
    return std::nullopt;
  }
  if (auto *binary = as<ast::BinaryExpr>(&expr)) {
    auto a = dimTerm(cx, *binary->left, bind), b = dimTerm(cx, *binary->right, bind);
    if (!a || !b) return std::nullopt;
    if ((binary->op == ast::BinaryOp::FloorDiv || binary->op == ast::BinaryOp::Mod) && *b == Dim(0)) {
      if (fresh(cx, Id::notAType, expr.span)) report(cx, Id::notAType, expr.span, "a dimension is divided by 0");
      return std::nullopt;
    }
    if (binary->op == ast::BinaryOp::Mul && growsTooFar(cx, *a, *b, expr.span)) return std::nullopt;
    auto made = dimOfOperator(binary->op, *a, *b);
    if (!made) {
      auto builder = report(cx, Id::notAType, expr.span, "dimensions are made with + - * // and %");
      if (binary->op == ast::BinaryOp::Div) builder.suggest(binary->opSpan, "//", "divide and round down");
    }
    return !made || isTooLarge(cx, *made, expr.span) ? std::nullopt : made;
  }
  Value v = checkExpr(cx, expr);
  if (v.kind == ValueKind::Int && !v.expr) return v.sym;
  if (v.isPoison()) return std::nullopt;
  auto builder = report(cx, Id::notAType, expr.span, "a dimension is an integer, but this is " + describe(cx, v));
  std::string_view text = cx.sources.text(expr.span);
  if (v.kind == ValueKind::Tuple && text.size() > 2 && text.front() == '(' &&
      text.back() == ')') {  // `Tensor[(N, M), f32]`
    std::string dims(text.substr(1, text.size() - 2));
    if (dims.back() == ',') dims.pop_back();
    builder.suggest(expr.span, dims, "write `" + dims + "`");
  }
  return std::nullopt;
}

namespace {
/// "T", "T2", "DType": what dtypes are called, and dimensions hardly ever.
bool calledLikeADType(std::string_view name) {
  if (name.empty()) return false;
  if (name[0] == 'T') return name.find_first_not_of("0123456789", 1) == std::string_view::npos;
  return name == "DT" || name == "DType" || name == "Dtype" || name == "dtype";
}
/// Whether the name stands in the types of a function where only a dimension can stand.
bool isDimensionIn(const ast::FuncDef &def, const std::string &name) {
  std::function<bool(const ast::Expr &)> holds = [&](const ast::Expr &expr) {
    if (auto *index = as<ast::SubscriptExpr>(&expr)) {
      auto *type = as<ast::NameExpr>(index->object);
      const bool alone = index->items.size() == 1 && index->items[0].value->kind == ast::ExprKind::Name;  // `Tensor[T]`: of one dimension
      size_t dims = type && type->name == "Tensor" ? index->items.size() - (!index->items.empty() && !alone) : 0;
      for (size_t i = 0; i < dims; ++i)
        if (mentions(*index->items[i].value, name)) return true;
      return type && type->name == "Const" && mentions(expr, name);
    }
    auto *both = as<ast::BinaryExpr>(&expr);
    return both && (holds(*both->left) || holds(*both->right));
  };
  bool any = def.result && holds(*def.result);
  for (const ast::Parameter &p : def.parameters) any |= p.annotation && holds(*p.annotation);
  return any;
}

/// "`f6e2m3` or `f6e3m2`" of `fp6`, of which there are several; empty for other names.
std::string formsOfDType(const std::string &name) {
  std::string bits = name.rfind("fp", 0) == 0      ? name.substr(2)
                     : name.rfind("float", 0) == 0 ? name.substr(5)
                                                   : name.substr(std::min<size_t>(1, name.size()));
  if (name.empty() || name[0] != 'f' || bits.size() != 1 || bits[0] < '2' || bits[0] > '8') return {};
  std::string forms;
  for (std::string_view known : dtypeNames())
    if (known.size() > 2 && known.substr(0, 2) == "f" + bits && known[2] == 'e')
      forms += (forms.empty() ? "`" : " or `") + std::string(known) + "`";
  return forms;
}
}  // namespace

/// The last item of a tensor's type, where it is no dimension that there is but nearly the name of a dtype, or what
/// others call one.
static bool misspeltDType(Context &cx, const ast::Expr &expr) {
  if (auto *member = as<ast::AttributeExpr>(&expr)) {
    auto *root = as<ast::NameExpr>(member->object);
    Value object = root ? lookupName(cx, root->name, root->span, true) : Value::of(ValueKind::Absent);
    bool ours = object.kind == ValueKind::Module && object.text == "tessera";
    bool foreign = object.isPoison() && (foreignName(root->name) || foreignPackage(root->name));
    if (!ours && !foreign) return false;
    const std::string &name = member->attribute.text;
    std::vector<std::string_view> known = dtypeNames();
    auto ofThatName = dtypeByName(name);
    std::string_view others = dtypeHere(name).empty() ? diag::didYouMean(name, known) : dtypeHere(name);
    std::string near(ofThatName ? info(*ofThatName).name : others);
    if (near.empty()) return false;
    if (fresh(cx, Id::notAType, expr.span))
      report(cx, Id::notAType, expr.span, "I know no dtype `" + std::string(cx.sources.text(expr.span)) + "`")
          .fix(ours ? member->attribute.span : expr.span, near, "write `" + near + "`");
    return true;
  }
  auto *name = as<ast::NameExpr>(&expr);
  if (!name) return false;
  for (Frame *f = cx.function.frame.get(); f; f = f->parent.get())
    if (f->dims.count(name->name) || f->generics.count(name->name)) return false;
  Value value = lookupName(cx, name->name, expr.span, true);
  if (value.kind == ValueKind::Policy) {  // one that stores something would be the dtype
    if (fresh(cx, Id::notAType, expr.span))
      report(cx, Id::notAType, expr.span, "the policy `" + name->name + "` has no storage")
          .help("it stands behind a dtype, `bf16 @" + name->name + "`, or takes one: `Policy(storage=bf16, ...)`");
    return true;
  }
  bool hidden = value.kind == ValueKind::Function && !dtypeHere(name->name).empty();  // `double`, and a function of that name
  if (!value.isPoison() && !hidden) return false;
  std::vector<std::string_view> known;
  for (std::string_view d : dtypeNames()) known.push_back(d);
  auto near = dtypeHere(name->name).empty() ? diag::didYouMean(name->name, known) : dtypeHere(name->name);
  if (const ModuleScope *module = cx.function.frame ? cx.function.frame->module : cx.scope; near.empty() && module) {
    near = diag::didYouMean(name->name, bundleNames(*module));
    if (!near.empty() && !firstUnknown(cx, name->name)) return true;
  }
  std::string forms = formsOfDType(name->name);
  if (!forms.empty()) {
    if (fresh(cx, Id::notAType, expr.span))
      report(cx, Id::notAType, expr.span, "`" + name->name + "` does not say its form").help("write " + forms);
    return true;
  }
  if (near.empty()) return false;
  if (fresh(cx, Id::notAType, expr.span))
    report(cx, Id::notAType, expr.span,
           "I know no dtype" + std::string(dtypeByName(near) ? " `" : " and no policy `") + name->name + "`")
        .help("did you mean `" + std::string(near) + "`?")
        .fix(expr.span, std::string(near), "write `" + std::string(near) + "`");
  return true;
}

/// A name that was bound to something wrong, a policy that there cannot be; a message was given, or is now.
static bool isMistaken(Context &cx, const ast::Expr &expr) {
  auto *name = as<ast::NameExpr>(&expr);
  const ModuleScope *module = cx.function.frame ? cx.function.frame->module : cx.scope;
  auto it = name && module ? module->names.find(name->name) : std::map<std::string, Value>::const_iterator();
  bool mistaken = name && module && it != module->names.end() && it->second.isPoison();
  const ast::TypeParameter *parameter = name ? typeParameterNamed(cx.function.frame.get(), name->name) : nullptr;
  if (parameter) mistaken |= !typeParameterBound(cx, *parameter);
  cx.failures += mistaken;
  return mistaken;
}

/// A name that stands for a dimension and is none.
static void unknownDimension(Context &cx, const std::string &name, Span span) {
  bool generic = false;
  std::vector<std::string> known;
  for (Frame *f = cx.function.frame.get(); f; f = f->parent.get()) {
    generic |= f->generics.count(name) != 0;
    for (const auto &[n, d] : f->dims) known.push_back(n);
  }
  if (generic) {
    if (cx.function.frame->function && cx.function.frame->function->def)
      for (const ast::TypeParameter &t : cx.function.frame->function->def->typeParameters)
        if (t.name.text == name) span = t.name.span;
    if (fresh(cx, Id::unboundDimension, span))
      report(cx, Id::unboundDimension, span, name)
          .help("it occurs only inside expressions; some parameter must have it as a dimension of its own");
    return;
  }
  if (!fresh(cx, Id::undefinedName, span) || !firstUnknown(cx, name)) return;
  const ast::FuncDef *def =
      cx.function.frame && cx.function.frame->function ? cx.function.frame->function->def : nullptr;
  if (isParameter(def, name)) {
    report(cx, Id::notAType, span, "`" + name + "` is a value, not a dimension")
        .help("a number that shapes depend on is declared as both: `" +
              withParameter("def " + def->name.text, def->typeParameters, "K") + "(..., " + name + ": Const[K])`");
    return;
  }
  std::string owner = def ? withParameter("def " + def->name.text, def->typeParameters, name) + "(...)" : "";
  for (const StructInfo &info : cx.structs) {
    Span whole = info.def->span;
    if (!def && whole.file == span.file && whole.begin <= span.begin && span.end <= whole.end)
      owner = withParameter("struct " + info.name, info.def->typeParameters, name);
  }
  std::vector<std::string_view> views(known.begin(), known.end());
  auto near = diag::didYouMean(name, views);
  auto builder = report(cx, Id::undefinedName, span, name);
  std::string title = "write `" + std::string(near) + "`";
  if (near.size() == 1)  // `d` beside `D` may be meant
    builder.help("did you mean `" + std::string(near) + "`?").suggest(span, std::string(near), title);
  else if (!near.empty()) builder.help("did you mean `" + std::string(near) + "`?").fix(span, std::string(near), title);
  else if (!def && !owner.empty()) builder.help("a dimension is declared behind the struct's name: `" + owner + "`");
  else if (def && def->result && def->result->span.begin <= span.begin && span.end <= def->result->span.end)
    builder.help("no parameter has it, so nothing says how large it is: write the extent that is returned, or bind it "
                 "in the type of a parameter, `x: Tensor[" + name + ", f32]`");
  else
    builder
        .help("a dimension is declared behind the function's name, `" +
              (owner.empty() ? "def f[" + name + "](...)" : owner) + "`, or stands in quotes")
        .suggest(span, "\"" + name + "\"", "put it in quotes");
}

static bool dtypeByKeyword(const ast::SubscriptExpr &expr) {
  for (const ast::Argument &item : expr.items)
    if (item.keyword && item.keyword->text == "dtype") return true;
  return false;
}

bool namesDType(Context &cx, const ast::SubscriptExpr &tensor) {
  return std::any_of(tensor.items.begin(), tensor.items.end(), [&](const ast::Argument &item) {
    return item.keyword || (item.value->kind != ast::ExprKind::Policy && isDTypeExpr(cx, *item.value));
  });
}

std::vector<const ast::Expr *> jitDTypes(const ast::FuncDef &def) {
  std::vector<const ast::Expr *> dtypes;
  for (const ast::Decorator &decorator : def.decorators) {
    auto *call = as<ast::CallExpr>(decorator.expression);
    auto *name = call ? as<ast::NameExpr>(call->callee) : nullptr;
    if (!name || name->name != "jit" || call->arguments.size() != 1 || !call->arguments[0].keyword) continue;
    const ast::Expr &list = *call->arguments[0].value;
    if (list.kind != ast::ExprKind::List && list.kind != ast::ExprKind::Tuple) continue;
    for (const ast::ExprPtr &item : static_cast<const ast::SequenceExpr &>(list).items) dtypes.push_back(item.get());
  }
  return dtypes;
}

/// What a tensor type without a dtype stands for in the entry point that is checked.
static DType untypedDType(Context &cx) {
  const Callable *entry = cx.function.calls.empty() ? nullptr : cx.function.calls.front().callable;
  const std::vector<const ast::Expr *> dtypes = entry && entry->def ? jitDTypes(*entry->def) : std::vector<const ast::Expr *>();
  if (dtypes.empty()) return DType::F32;
  auto chosen = entry->choices.find(std::string(kDTypeChoice));
  const ast::Expr *named = dtypes[chosen == entry->choices.end() ? 0 : chosen->second];
  auto *name = as<ast::NameExpr>(named);
  return name ? dtypeByName(name->name).value_or(DType::F32) : DType::F32;
}

bool readTensorType(Context &cx, const ast::SubscriptExpr &expr, Type &type, std::vector<const ast::Expr *> *dims) {
  std::vector<const ast::Expr *> shape;
  const ast::Expr *dtype = nullptr;
  std::vector<const ast::Expr *> policies;
  for (const ast::Argument &item : expr.items) {
    if (item.keyword) {
      if (item.keyword->text == "dtype") dtype = item.value.get();
      else {
        report(cx, Id::unknownKeyword, item.keyword->span, "Tensor", item.keyword->text);
        return false;
      }
    } else if (auto *policy = as<ast::PolicyExpr>(item.value)) {
      policies.push_back(policy->policy.get());
    } else if (!dtype && isDTypeExpr(cx, *item.value)) {
      dtype = item.value.get();
    } else {
      shape.push_back(item.value.get());
    }
  }
  if (!dtype) {
    if (!shape.empty() && (misspeltDType(cx, *shape.back()) || isMistaken(cx, *shape.back()))) return false;
    auto *last = shape.empty() ? nullptr : as<ast::NameExpr>(shape.back());
    const ast::FuncDef *def = cx.function.frame->function ? cx.function.frame->function->def : nullptr;
    if (last && def && calledLikeADType(last->name) && !isDimensionIn(*def, last->name)) {
      const auto &all = def->typeParameters;
      const ast::TypeParameter *t = typeParameterNamed(cx.function.frame.get(), last->name);
      uint32_t at = t ? t->name.span.end : all.empty() ? def->name.span.end : all.back().name.span.end;
      if (!t && !all.empty() && all.back().bound) at = all.back().bound->span.end;
      ++cx.failures;
      std::string whole(cx.sources.text({expr.span.file, expr.span.begin, expr.span.end - 1}));
      if (cx.reportedSpans.insert({static_cast<int>(Id::notAType), expr.span.file, at}).second)
        report(cx, Id::notAType, last->span, "`" + last->name + "` is not declared as a dtype")
            .help("if it is a dimension, the dtype is missing: `" + whole + ", f32]`")
            .suggest({expr.span.file, at, at},
                     t             ? ": dtype"
                     : all.empty() ? "[" + last->name + ": dtype]"
                                   : ", " + last->name + ": dtype",
                     "declare it as one");
      return false;
    }
    bool lower = last && last->name.size() > 1 && last->name.find_first_of("ABCDEFGHIJKLMNOPQRSTUVWXYZ") == std::string::npos;
    if (lower && def && shape.size() > 1 && !typeParameterNamed(cx.function.frame.get(), last->name) &&
        !isDimensionIn(*def, last->name) && lookupName(cx, last->name, last->span, true).isPoison()) {
      if (fresh(cx, Id::notAType, last->span))
        report(cx, Id::notAType, last->span, "I know no dtype `" + last->name + "`")
            .help("the dtype stands last, such as `f32`; if it is a dimension, the dtype is missing");
      return false;
    }
    const bool unknown = last && !typeParameterNamed(cx.function.frame.get(), last->name) &&
                         !(def && isDimensionIn(*def, last->name)) && lookupName(cx, last->name, last->span, true).isPoison();
    if (!shape.empty() && !unknown) type.dtype = untypedDType(cx);
    else {
      if (fresh(cx, Id::notAType, expr.span))
        report(cx, Id::notAType, expr.span, "the dtype is missing")
            .help("it stands last: `" +
                  std::string(cx.sources.text({expr.span.file, expr.span.begin, expr.span.end - 1})) +
                  (shape.empty() ? "" : ", ") + "f32]`");
      return false;
    }
  }
  for (const ast::Expr *second : shape)
    if (dtype && second->span.begin > dtype->span.begin && isDTypeExpr(cx, *second)) {
      if (fresh(cx, Id::notAType, second->span))
        report(cx, Id::notAType, second->span, "a tensor has one dtype, and here are two")
            .note(dtype->span, "the other one");
      return false;
    }
  if (dtype && !shape.empty() && dtype->span.begin < shape.back()->span.begin && !dtypeByKeyword(expr)) {
    std::string dims, last(cx.sources.text(dtype->span));
    for (const ast::Expr *d : shape) dims += std::string(cx.sources.text(d->span)) + ", ";
    if (fresh(cx, Id::notAType, dtype->span)) {
      auto builder = report(cx, Id::notAType, dtype->span, "the dtype stands last");
      if (policies.empty())
        builder.fix(expr.items.front().span.to(expr.items.back().span), dims + last, "put it behind the dimensions");
    }
    return false;
  }
  if (dtype && !dtypeParts(cx, *dtype, type)) return false;
  for (const ast::Expr *policy : policies)
    if (!policyOf(cx, *policy, type)) return false;
  type.kind = TypeKind::Tensor;
  const Span first = dtype ? dtype->span : expr.span;
  Span written = policies.empty() ? first : first.to(policies.back()->span);
  if (dims) {
    *dims = std::move(shape);
    return soundPolicies(cx, type, written);
  }
  for (const ast::Expr *d : shape) {
    auto dim = dimOf(cx, *d, cx.bindDims);
    if (!dim) return false;
    type.shape.push_back(*dim);
  }
  Value tensor = Value::of(ValueKind::Array);
  tensor.type = type;
  return !withinLimits(cx, std::move(tensor), expr.span).isPoison() && soundPolicies(cx, type, written);
}

/// Optional[T] and Union[A, B] of Python's typing module: said with how they are written here.
static bool foreignUnion(Context &cx, const ast::SubscriptExpr &expr, const std::string &name) {
  std::string last = name.substr(name.rfind('.') + 1), text;
  if (last != "Optional" && last != "Union") return false;
  for (const ast::Argument &item : expr.items)
    text += (text.empty() ? "" : " | ") + std::string(cx.sources.text(item.value->span));
  if (last == "Optional") text += " | None";
  if (fresh(cx, Id::notAType, expr.span))
    report(cx, Id::notAType, expr.span, "`" + last + "[...]`")
        .help("alternatives are written with `|`")
        .fix(expr.span, text, "write `" + text + "`");
  return true;
}

/// `k: Const` as `k: Const["K"]`, by a name that no dimension of the function has.
static void nameConstant(const Context &cx, diag::Builder &builder, const ast::Expr &annotation) {
  const Frame *frame = cx.function.frame.get();
  const ast::FuncDef *def = frame && frame->function ? frame->function->def : nullptr;
  std::string name = "K";
  for (size_t i = 0; def && i < def->parameters.size(); ++i)
    if (def->parameters[i].annotation.get() == &annotation) name = def->parameters[i].name.text;
  for (char &c : name) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  while (def && (frame->dims.count(name) || frame->generics.count(name) || isParameter(def, name))) name += "_";
  const std::string constant = "Const[\"" + name + "\"]";
  builder.help("a number that the compiler knows has a name, by which shapes call it: `" + constant + "`, and `Tensor[" + name + ", f32]`")
      .suggest(annotation.span, constant, "write `" + constant + "`");
}

std::optional<Type> parameterType(Context &cx, const ast::Expr &annotation) {
  Type type;
  if (auto *binary = as<ast::BinaryExpr>(&annotation);
      binary && binary->op == ast::BinaryOp::MatMul && !isDTypeExpr(cx, annotation)) {
    auto inner = parameterType(cx, *binary->left);
    if (inner && isRollingWindow(*binary->right)) {
      if (!rollingWindow(cx, *inner, binary->right->span)) return std::nullopt;
      return inner;
    }
    if (!inner || !policyOf(cx, *binary->right, *inner) || !soundPolicies(cx, *inner, annotation.span))
      return std::nullopt;
    return inner;
  }
  if (isDTypeExpr(cx, annotation)) {
    if (!dtypeItem(cx, annotation, type)) return std::nullopt;
    type.kind = TypeKind::Scalar;
    return type;
  }
  if (auto *index = as<ast::SubscriptExpr>(&annotation)) {
    std::string text(cx.sources.text(index->object->span));
    if (text == "KVCache") {
      if (!readStateType(cx, *index, type, nullptr)) return std::nullopt;
      return type;
    }
    for (const char *later : {"OptimizerState", "Distribution", "Dict", "Tile", "Int"})
      if (text == later) {
        unsupported(cx, "the type `" + text + "[...]`", annotation.span);
        return std::nullopt;
      }
    if (foreignUnion(cx, *index, text)) return std::nullopt;
    Value object = checkExpr(cx, *index->object);
    if (object.isPoison()) return std::nullopt;
    if (object.kind == ValueKind::TypeName && object.text == "Tensor") {
      if (!readTensorType(cx, *index, type, nullptr)) return std::nullopt;
      return type;
    }
    if (object.kind == ValueKind::TypeName && object.text == "Const" && index->items.size() == 1) {
      auto dim = dimOf(cx, *index->items[0].value, cx.bindDims);
      if (!dim) return std::nullopt;
      type = indexType();
      type.shape = {*dim};
      return type;
    }
  } else if (annotation.kind == ast::ExprKind::Name || annotation.kind == ast::ExprKind::Attribute) {
    std::string text(cx.sources.text(annotation.span));
    if (text == "Rng") {
      type.kind = TypeKind::Stream;
      type.dtype = DType::I64;
      return type;
    }
    Value v = checkExpr(cx, annotation);
    if (v.isPoison()) return std::nullopt;
    if ((v.kind == ValueKind::TypeName && v.text == "Int") ||
        (v.kind == ValueKind::Builtin && v.builtin->name == "int"))
      return indexType();
    if (v.kind == ValueKind::Builtin && v.builtin->name == "str") {
      type.kind = TypeKind::String;
      return type;
    }
    if (v.kind == ValueKind::TypeName && v.text == "Tensor") {
      if (fresh(cx, Id::notAType, annotation.span))
        report(cx, Id::notAType, annotation.span, "a tensor's dimensions and dtype are missing")
            .help("for example `Tensor[\"N\", f32]`");
      return std::nullopt;
    }
  }
  if (!fresh(cx, Id::notAType, annotation.span)) return std::nullopt;
  std::string text(cx.sources.text(annotation.span));
  auto builder = report(cx, Id::notAType, annotation.span, text == "Const" ? "which number `Const` is, is not said" : "`" + text + "`");
  if (text == "Const") nameConstant(cx, builder, annotation);
  if (auto *call = as<ast::CallExpr>(&annotation); call && cx.sources.text(call->callee->span) == "Tensor")
    builder.suggest(annotation.span, "Tensor[" + text.substr(7, text.size() - 8) + "]", "write it in brackets");
  for (Frame *f = cx.function.frame.get(); f && annotation.kind == ast::ExprKind::Name; f = f->parent.get())
    if (f->dims.count(text) || f->generics.count(text)) {
      std::string constant = "Const[" + text + "]";
      builder.help("a number that is a dimension is a constant")
          .suggest(annotation.span, constant, "write `" + constant + "`");
      break;
    }
  return std::nullopt;
}

Value typeOf(Context &cx, const ast::Expr &expr) {
  Value v = Value::of(ValueKind::TypeName);
  v.text = std::string(cx.sources.text(expr.span));
  return v;
}

}  // namespace tessera::sema
