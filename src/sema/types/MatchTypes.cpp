// Arguments of traced calls and fields of structs against their declared types: what dimension variables stand for,
// and whether every shape and dtype is the one that is declared.
#include "sema/Checker.h"
#include "sema/trace/Unknown.h"
#include "checked/Policy.h"
#include "support/LinearDim.h"
#include <algorithm>

namespace tessera::sema {

using ast::as;

namespace {
bool isIdentifier(const std::string &text) {
  if (text.empty() || (text[0] >= '0' && text[0] <= '9')) return false;
  return std::all_of(text.begin(), text.end(),
                     [](unsigned char c) { return std::isalnum(c) || c == '_' || c >= 128; });
}
const std::vector<Dim> &shapeOf(const Value &value) {
  return value.kind == ValueKind::View ? value.var->type.shape : value.type.shape;
}
}  // namespace

// ---------------------------------------------------------------- what variables stand for

/// The variable that a declared dimension is and that has no value yet; empty if it is anything else.
std::string Checker::freeDimension(const ast::Expr &declared) const {
  auto *text = as<ast::StringExpr>(&declared);
  auto *name = as<ast::NameExpr>(&declared);
  std::string variable = text && isIdentifier(text->value)           ? text->value
                         : name && frame_->generics.count(name->name) ? name->name
                                                                      : "";
  return variable.empty() || frame_->dims.count(variable) ? "" : variable;
}

void Checker::bindDimension(const ast::Expr &declared, const Dim &extent, const DimOrigin &origin) {
  std::string variable = freeDimension(declared);
  if (variable.empty()) return;
  frame_->dims[variable] = extent;
  frame_->dimOrigins[variable] = origin;
}

/// `T` of `Tensor[N, T]` and of a parameter `x: T`.
void Checker::bindDType(const ast::Expr &declared, const Type &have) {
  auto *name = as<ast::NameExpr>(&declared);
  if (!name || !frame_->dtypeGenerics.count(name->name) || frame_->names.count(name->name)) return;
  Binding binding;
  binding.value = Value::dtype(have.dtype, have.numerics);
  binding.span = declared.span;
  binding.block = blockId_;
  frame_->names[name->name] = std::move(binding);
}

void Checker::bindTensor(const Value &value, const ast::SubscriptExpr &declared, const DimOrigin &origin) {
  bool host = value.kind == ValueKind::HostTensor && inHost();
  if (!value.isArray() && value.kind != ValueKind::View && value.kind != ValueKind::State && !host) return;
  std::vector<const ast::Expr *> dims;
  const ast::Expr *dtype = nullptr;
  auto *last = declared.items.empty() ? nullptr : as<ast::NameExpr>(declared.items.back().value);
  for (const ast::Argument &item : declared.items) {
    bool generic = last == item.value.get() && frame_->dtypeGenerics.count(last->name);
    if ((item.keyword && item.keyword->text == "dtype") || generic) dtype = item.value.get();
    else if (!item.keyword && item.value->kind != ast::ExprKind::Policy && !isDTypeExpr(*item.value))
      dims.push_back(item.value.get());
  }
  if (host) return bindHostTensor(value, dims, declared, origin.text);
  if (dtype) bindDType(*dtype, value.kind == ValueKind::View ? value.var->type : value.type);
  const std::vector<Dim> &have = shapeOf(value);
  for (size_t i = 0; i < have.size() && have.size() == dims.size(); ++i)
    bindDimension(*dims[i], have[i], origin);
}

/// First pass over arguments: variables that stand alone get the extents they meet first, so that expressions over
/// them can stand in any parameter.
void Checker::bindGenerics(const Value &value, const ast::Expr &annotation, const DimOrigin &origin) {
  if (value.isPoison() || value.kind == ValueKind::None) return;
  std::vector<const ast::Expr *> alternatives = alternativesOf(annotation);
  if (alternatives.size() > 1) {
    const ast::Expr *only = nullptr;
    for (const ast::Expr *alternative : alternatives) {
      if (alternative->kind == ast::ExprKind::None) continue;
      if (only) return;  // which one it is, is found out first
      only = alternative;
    }
    if (only) bindGenerics(value, *only, origin);
    return;
  }
  if (auto *stated = policyBehind(annotation)) return bindGenerics(value, *stated->left, origin);
  if (value.kind == ValueKind::Array || value.kind == ValueKind::View)
    bindDType(annotation, value.kind == ValueKind::View ? value.var->type : value.type);
  std::vector<const ast::Expr *> items;
  if (value.isSequence() && tupleItems(annotation, value.items.size(), items)) {
    for (size_t i = 0; i < items.size() && i < value.items.size(); ++i)
      bindGenerics(value.items[i], *items[i], {origin.span, "item " + std::to_string(i) + " of " + origin.text});
    return;
  }
  auto *index = as<ast::SubscriptExpr>(&annotation);
  if (!index) return;
  Value object = typeNamed(*index->object);
  if ((object.kind == ValueKind::TypeName && object.text == "Tensor") || isStateType(object))
    return bindTensor(value, *index, origin);
  if (object.kind == ValueKind::TypeName && object.text == "Const" && index->items.size() == 1) {
    Value v = value.kind == ValueKind::Bool ? Value::integer(Dim(value.truth)) : value;
    if (v.kind == ValueKind::Int && !v.expr) bindDimension(*index->items[0].value, v.sym, origin);
    return;
  }
  if (object.kind != ValueKind::StructType || value.kind != ValueKind::Struct ||
      value.instance->info != object.instance->info)
    return;
  const auto &parameters = value.instance->info->def->typeParameters;
  for (size_t i = 0; i < parameters.size() && i < index->items.size(); ++i) {
    const std::string &name = parameters[i].name.text;
    if (auto it = value.instance->dims.find(name); it != value.instance->dims.end())
      bindDimension(*index->items[i].value, it->second, origin);
    if (auto it = value.instance->dtypes.find(name); it != value.instance->dtypes.end())
      bindDType(*index->items[i].value, it->second);
  }
}

// ---------------------------------------------------------------- shapes

/// What the variables of a declared dimension stand for, and because of what.
void Checker::noteOrigins(diag::Builder &builder, const std::vector<const ast::Expr *> &declared) const {
  std::set<std::string> said;
  for (const ast::Expr *expr : declared) {
    std::string text = expr->kind == ast::ExprKind::String ? static_cast<const ast::StringExpr &>(*expr).value
                                                           : std::string(sources_.text(expr->span));
    auto dim = Dim::parse(text);
    std::set<std::string> vars;
    if (dim) dim->collectVars(vars);
    for (const std::string &v : vars) {
      auto origin = frame_->dimOrigins.find(v);
      if (origin == frame_->dimOrigins.end() || !said.insert(v).second) continue;
      std::string value = show(frame_->dims.at(v));
      builder.note(origin->second.span, (value == v ? "`" + v + "`" : "`" + v + "` is " + value) + " because of " +
                                            origin->second.text);
    }
  }
}

bool Checker::unifyDims(const std::vector<const ast::Expr *> &declared, const Value &value,
                        const std::string &name, Span span) {
  const std::vector<Dim> &have = shapeOf(value);
  std::vector<Dim> expected = have;
  std::vector<const ast::Expr *> wrong;
  std::optional<shape::Formula> broken;
  for (size_t i = 0; i < have.size(); ++i) {
    // `2 * N`, where nothing gave N a value before: half of the extent, which the claim below makes even.
    auto *text = as<ast::StringExpr>(declared[i]);
    auto dim = Dim::parse(text ? std::string_view(text->value) : sources_.text(declared[i]->span));
    auto linear = dim ? linearDim(*dim) : std::nullopt;
    if (linear && !frame_->dims.count(linear->variable) && (text || frame_->generics.count(linear->variable))) {
      frame_->dims[linear->variable] = facts_.external(linear->solved(have[i]));
      frame_->dimOrigins[linear->variable] = {span, quoted(name)};
    }
    auto want = dimOf(*declared[i], false);
    if (!want) return false;
    if (sameDim(*want, have[i], span, "this call needs " + show(*want) + " == " + show(have[i]))) continue;
    expected[i] = *want;
    wrong.push_back(declared[i]);
    if (!broken) broken = shape::Formula(*want, Relation::Eq, have[i]);
  }
  if (wrong.empty()) return true;
  if (fresh(Id::shapeMismatch, span)) {
    auto builder = report(Id::shapeMismatch, span, shapeText(expected), shapeText(have));
    builder.label(quoted(name) + " has the shape " + shapeText(have));
    builder.note(wrong[0]->span, "expected because of this");
    noteOrigins(builder, wrong);
    explainClaim(builder, *broken);
  }
  return false;
}

// ---------------------------------------------------------------- types

bool Checker::wrongValue(const Value &value, const ast::Expr &annotation, const std::string &name, Span span,
                         const std::string &wanted) {
  if (reportNone(value, span) || !fresh(Id::wrongArgument, span)) return false;
  auto builder = report(Id::wrongArgument, span, quoted(name), wanted, describe(value));
  builder.note(annotation.span, "declared here");
  std::string text(sources_.text(span));
  size_t digits = text.find_first_not_of("0123456789");
  bool whole = digits > 0 && digits != std::string::npos && (text.substr(digits) == ".0" || text.substr(digits) == ".");
  if (whole && wanted.rfind("an integer", 0) == 0)
    builder.suggest(span, text.substr(0, digits), "write `" + text.substr(0, digits) + "`");
  return false;
}

bool Checker::matchTensor(const Value &value, const ast::SubscriptExpr &annotation, const std::string &name,
                          Span span, Value &out) {
  Type type;
  std::vector<const ast::Expr *> dims;
  if (!tensorType(annotation, type, &dims)) return false;
  out = value;
  if (value.kind == ValueKind::HostTensor)
    return !inHost() || (hostRankFits(value, dims, annotation, span) && hostDimensions(value, dims, name));
  if (!value.isArray() && value.kind != ValueKind::View)
    return wrongValue(value, annotation, name, span, "`" + std::string(sources_.text(annotation.span)) + "`");
  const Type &have = value.kind == ValueKind::View ? value.var->type : value.type;
  if (have.shape.size() != dims.size()) {
    if (fresh(Id::rankMismatch, span))
      report(Id::rankMismatch, span, diag::counted(dims.size(), "dimension"), diag::counted(have.shape.size(), "dimension"))
          .label(quoted(name) + " has the shape " + shapeText(have.shape))
          .note(annotation.span, quoted(name) + " is declared here");
    return false;
  }
  if (!unifyDims(dims, value, name, span)) return false;
  if (quantizedSource(value, type)) return true;  // integers with scales, as they came in
  if (type.numerics.perChannel >= 0) return !scalesUnknown(span).isPoison();
  if (have.dtype != type.dtype && (value.kind == ValueKind::View || narrows(have, type.dtype))) {
    if (fresh(Id::narrowing, span))
      report(Id::narrowing, span, std::string(tessera::name(have.dtype)), std::string(tessera::name(type.dtype)))
          .note(annotation.span, quoted(name) + " is declared here")
          .suggest(span, "cast(" + std::string(sources_.text(span)) + ", " + std::string(tessera::name(type.dtype)) + ")",
                   "round it here");
    return false;
  }
  if (have.dtype != type.dtype) ++conversions_;
  if (value.kind == ValueKind::Array) {
    if (have.dtype != type.dtype) out = castTo(value, type.dtype, type.numerics, span);
    // What the parameter states holds inside; the rest is inherited (P16).
    out.type.numerics = combined(withoutStorage(type.numerics), out.type.numerics);
  }
  return true;
}

bool Checker::matchConst(const Value &value, const ast::SubscriptExpr &annotation, const std::string &name,
                         Span span, Value &out) {
  if (reportNone(value, span)) return false;
  if (!mayBeInteger(value)) return wrongValue(value, annotation, name, span, "an integer");
  Value v = convertInt(value, span);
  if (v.isPoison()) return false;
  if (v.expr)
    return wrongValue(value, annotation, name, span, "an integer that the compiler knows, or a dimension");
  auto want = dimOf(*annotation.items[0].value, false);
  if (!want) return false;
  out = v;
  if (sameDim(*want, v.sym, span, "this call needs " + show(*want) + " == " + show(v.sym))) return true;
  if (fresh(Id::wrongArgument, span)) {
    auto builder = report(Id::wrongArgument, span, quoted(name), show(*want), show(v.sym));
    builder.note(annotation.span, "declared here");
    noteOrigins(builder, {annotation.items[0].value.get()});
  }
  return false;
}

bool Checker::matchTuple(const Value &value, const ast::Expr &annotation, const std::string &name, Span span,
                         Value &out) {
  std::vector<const ast::Expr *> items;
  if (!value.isSequence())
    return wrongValue(value, annotation, name, span, "`" + std::string(sources_.text(annotation.span)) + "`");
  tupleItems(annotation, value.items.size(), items);
  if (items.size() != value.items.size())
    return wrongValue(value, annotation, name, span,
                      std::to_string(items.size()) + (items.size() == 1 ? " item" : " items"));
  out = value;
  for (size_t i = 0; i < items.size(); ++i)
    if (!matchParameter(value.items[i], *items[i], "item " + std::to_string(i) + " of " + name, span, out.items[i]))
      return false;
  return true;
}

bool Checker::matchStruct(const Value &value, const Value &type, const ast::Expr &annotation,
                          const std::string &name, Span span, Value &out) {
  const StructInfo &info = *type.instance->info;
  if (value.kind != ValueKind::Struct || value.instance->info != &info)
    return wrongValue(value, annotation, name, span, "a `" + info.name + "`");
  out = value;
  auto *index = as<ast::SubscriptExpr>(&annotation);
  if (!index || inHost()) return true;  // whatever its type arguments are; of host code, run time compares extents
  auto wanted = instantiate(info, *index);
  if (!wanted) return false;
  for (const auto &[parameter, have] : value.instance->dims) {
    auto want = wanted->dims.find(parameter);
    if (want == wanted->dims.end() ||
        sameDim(want->second, have, span, "this call needs " + show(want->second) + " == " + show(have)))
      continue;
    if (fresh(Id::wrongArgument, span)) {
      auto builder = report(Id::wrongArgument, span, quoted(name), "`" + instanceText(*wanted) + "`",
                            "a `" + instanceText(*value.instance) + "`");
      builder.note(annotation.span, "declared here");
      std::vector<const ast::Expr *> arguments;
      for (const ast::Argument &item : index->items) arguments.push_back(item.value.get());
      noteOrigins(builder, arguments);
    }
    return false;
  }
  for (const auto &[parameter, have] : value.instance->dtypes)
    if (auto want = wanted->dtypes.find(parameter);
        want != wanted->dtypes.end() && want->second.dtype != have.dtype)
      return wrongValue(value, annotation, name, span, "`" + instanceText(*wanted) + "`");
  return true;
}

/// A value whose type has several alternatives: the one it fits best.
bool Checker::matchUnion(const Value &value, const ast::Expr &annotation,
                         const std::vector<const ast::Expr *> &alternatives, const std::string &name, Span span,
                         Value &out) {
  std::vector<const ast::Expr *> left;
  for (const ast::Expr *alternative : alternatives) {
    if (alternative->kind != ast::ExprKind::None) left.push_back(alternative);
    else if (value.kind == ValueKind::None) {
      out = value;
      if (out.text.empty()) out.text = name;
      if (!out.declared.valid()) out.declared = annotation.span;
      return true;
    }
  }
  const ast::Expr *best = left.size() == 1 ? left[0] : nullptr;
  int cost = 0;
  for (const ast::Expr *alternative : left) {
    if (left.size() == 1) break;
    Trial trial = attempt([&] {
      Value ignored;
      bindGenerics(value, *alternative, {span, quoted(name)});
      return matchParameter(value, *alternative, name, span, ignored);
    });
    if (trial.ok && (!best || trial.conversions < cost)) best = alternative, cost = trial.conversions;
  }
  if (!best)
    return wrongValue(value, annotation, name, span, "`" + std::string(sources_.text(annotation.span)) + "`");
  bindGenerics(value, *best, {span, quoted(name)});
  return matchParameter(value, *best, name, span, out);
}

bool Checker::matchScalar(const Value &value, const ast::Expr &annotation, const std::string &name, Span span,
                          Value &out) {
  auto type = parameterType(annotation);
  if (!type) return false;
  if (reportNone(value, span)) return false;
  if (type->kind == TypeKind::Index) {
    if (!mayBeInteger(value)) return wrongValue(value, annotation, name, span, "an integer");
    out = convertInt(value, span);
    return !out.isPoison();
  }
  if (type->kind == TypeKind::String) {
    out = value;
    return value.kind == ValueKind::String || wrongValue(value, annotation, name, span, "a string");
  }
  if (type->kind == TypeKind::Stream) {
    out = value;
    return value.kind == ValueKind::Rng || wrongValue(value, annotation, name, span, "a stream of random numbers");
  }
  bool number = value.kind == ValueKind::Float || value.kind == ValueKind::Int;
  if (type->dtype == DType::Bool && number) return wrongValue(value, annotation, name, span, "`True` or `False`");
  bool known =
      value.kind == ValueKind::Float || value.kind == ValueKind::Bool || (value.isKnownInt() && !value.expr);
  if (known && isFloat(type->dtype) && value.kind != ValueKind::Bool) {
    conversions_ += value.kind == ValueKind::Int;
    out = value.kind == ValueKind::Float ? value : Value::real(static_cast<double>(value.sym.constant()));
    return true;
  }
  if (value.kind == ValueKind::Bool && type->dtype == DType::Bool) {
    out = value;
    return true;
  }
  if (value.isArray()) return wrongValue(value, annotation, name, span, "a scalar");
  conversions_ += value.kind != ValueKind::Array || value.type.dtype != type->dtype;
  ExprPtr e = leave(value, *type, span, quoted(name));
  if (!e) return false;
  out = finish(std::move(e), *type, {}, span);
  return true;
}

/// `Tensor[N, f16] @accum(f32)`, `KVCache[...] @rolling_window`; null for everything else, also for `f16 @accum(f32)`.
const ast::BinaryExpr *Checker::policyBehind(const ast::Expr &annotation) {
  auto *binary = as<ast::BinaryExpr>(&annotation);
  return binary && binary->op == ast::BinaryOp::MatMul && !isDTypeExpr(annotation) ? binary : nullptr;
}

/// A value for a parameter with a policy behind its type: inside, it has that policy.
bool Checker::matchPolicy(const Value &value, const ast::BinaryExpr &annotation, const std::string &name, Span span,
                          Value &out) {
  auto *index = as<ast::SubscriptExpr>(annotation.left);
  if (isRollingWindow(*annotation.right) && index && isStateType(typeNamed(*index->object)))
    return matchState(value, *index, true, name, span, out);
  if (!matchParameter(value, *annotation.left, name, span, out)) return false;
  Type type = out.kind == ValueKind::View ? out.var->type : out.type;
  type.numerics = {};
  if (isRollingWindow(*annotation.right)) return rollingWindow(type, annotation.right->span);
  if (!policyOf(*annotation.right, type) || !soundPolicies(type, annotation.span)) return false;
  if (type.numerics.perChannel >= 0) return !scalesUnknown(span).isPoison();
  if (out.kind == ValueKind::Array) out.type.numerics = combined(withoutStorage(type.numerics), out.type.numerics);
  return true;
}

bool Checker::matchParameter(const Value &value, const ast::Expr &annotation, const std::string &name,
                             Span span, Value &out) {
  if (value.isPoison()) return false;
  std::vector<const ast::Expr *> alternatives = alternativesOf(annotation);
  if (alternatives.size() > 1) return matchUnion(value, annotation, alternatives, name, span, out);
  std::vector<const ast::Expr *> items;
  if (tupleItems(annotation, 0, items)) return matchTuple(value, annotation, name, span, out);
  if (annotation.kind == ast::ExprKind::None) {
    out = value;
    return value.kind == ValueKind::None || wrongValue(value, annotation, name, span, "`None`");
  }
  if (auto *stated = policyBehind(annotation)) return matchPolicy(value, *stated, name, span, out);
  auto *index = as<ast::SubscriptExpr>(&annotation);
  Value type = typeNamed(index ? *index->object : annotation);
  if (index && type.kind == ValueKind::TypeName && type.text == "Tensor")
    return matchTensor(value, *index, name, span, out);
  if (index && type.kind == ValueKind::TypeName && type.text == "Const" && index->items.size() == 1)
    return matchConst(value, *index, name, span, out);
  if (index && isStateType(type)) return matchState(value, *index, false, name, span, out);
  if (isStateType(type)) {  // of any shape and dtype
    out = value;
    return value.kind == ValueKind::State || wrongValue(value, annotation, name, span, "a state object, `KVCache`");
  }
  if (type.kind == ValueKind::StructType) return matchStruct(value, type, annotation, name, span, out);
  if (!index && type.kind == ValueKind::TypeName && type.text == "Callable") {
    out = value;
    bool named = value.kind == ValueKind::String && isCallable(lookup(value.text, span, true));
    if (named && sources_.text(span).size() == value.text.size() + 2) {
      if (fresh(Id::wrongArgument, span))
        report(Id::wrongArgument, span, quoted(name), "a function", describe(value))
            .note(annotation.span, "declared here")
            .suggest(span, value.text, "without quotes it is the function");
      return false;
    }
    return isCallable(value) || wrongValue(value, annotation, name, span, "a function");
  }
  if (!index && type.kind == ValueKind::TypeName && type.text == "Tensor") {  // of any shape and dtype
    out = value;
    return value.isArray() || value.kind == ValueKind::View || value.kind == ValueKind::HostTensor ||
           wrongValue(value, annotation, name, span, "a tensor");
  }
  return matchScalar(value, annotation, name, span, out);
}

/// isinstance(x, type), or a tuple of types: known when the program is compiled.
Value Checker::isInstance(const GivenList &args, Span span) {
  if (args.size() != 2 || !args[0].keyword.empty() || !args[1].keyword.empty()) {
    report(Id::argumentNotGiven, span, "isinstance", args.empty() ? "x" : "type")
        .help("`isinstance(x, Tensor)`");
    return Value::poison();
  }
  const Value &v = args[0].value;
  std::vector<Value> types = args[1].value.isSequence() ? args[1].value.items : std::vector<Value>{args[1].value};
  bool array = v.isArray() || v.kind == ValueKind::View || v.kind == ValueKind::HostTensor;
  bool is = false;
  for (const Value &type : types) {
    if (v.isPoison() || type.isPoison()) return Value::poison();
    std::string name(type.kind == ValueKind::Builtin ? type.builtin->name : std::string_view(type.text));
    bool named = type.kind == ValueKind::Builtin || type.kind == ValueKind::TypeName;
    if (type.kind == ValueKind::StructType) is |= v.kind == ValueKind::Struct && v.instance->info == type.instance->info;
    else if (type.kind == ValueKind::DType) is |= v.isScalar() && v.type.dtype == type.type.dtype;
    else if (named && name == "Tensor") is |= array;
    else if (named && name == "Callable") is |= isCallable(v);
    else if (named && (name == "int" || name == "Int"))
      is |= v.kind == ValueKind::Int || (v.isScalar() && isInt(v.type.dtype));
    else if (named && name == "float") is |= v.kind == ValueKind::Float || (v.isScalar() && isFloat(v.type.dtype));
    else if (named && name == "bool") is |= v.kind == ValueKind::Bool || (v.isScalar() && v.type.dtype == DType::Bool);
    else if (named && name == "str") is |= v.kind == ValueKind::String;
    else {
      report(Id::wrongArgument, args[1].span, quoted("isinstance"), "a type", describe(type))
          .help("for example `Tensor`, `f32`, `int`, or a struct");
      return Value::poison();
    }
  }
  return Value::boolean(is);
}

}  // namespace tessera::sema
