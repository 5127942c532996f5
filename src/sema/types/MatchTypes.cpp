// Arguments of traced calls and fields of structs against their declared types: what dimension variables stand for,
// and whether every shape and dtype is the one that is declared.
#include "checked/ExprBuild.h"
#include "checked/Policy.h"
#include "frontend/Walk.h"
#include "sema/Arguments.h"
#include "sema/Builtins.h"
#include "sema/Report.h"
#include "sema/arrays/Arrays.h"
#include "sema/calls/Calls.h"
#include "sema/claims/Claims.h"
#include "sema/effects/Effects.h"
#include "sema/host/Host.h"
#include "sema/modules/Modules.h"
#include "sema/policies/Policies.h"
#include "sema/trace/Trace.h"
#include "sema/types/Types.h"
#include "support/LinearDim.h"
#include <algorithm>

namespace tessera::sema {

using ast::as;

namespace {
bool isIdentifier(const std::string &text) {
  if (text.empty() || (text[0] >= '0' && text[0] <= '9')) return false;
  return std::all_of(text.begin(), text.end(), [](unsigned char c) { return std::isalnum(c) || c == '_' || c >= 128; });
}
const std::vector<Dim> &shapeOf(const Value &value) {
  return value.kind == ValueKind::View ? value.var->type.shape : value.type.shape;
}
}  // namespace

// ---------------------------------------------------------------- what variables stand for

std::string freeDimension(const Context &cx, const ast::Expr &declared) {
  auto *text = as<ast::StringExpr>(&declared);
  auto *name = as<ast::NameExpr>(&declared);
  std::string variable = text && isIdentifier(text->value)                       ? text->value
                         : name && cx.function.frame->generics.count(name->name) ? name->name
                                                                                 : "";
  return variable.empty() || cx.function.frame->dims.count(variable) ? "" : variable;
}

std::optional<LinearDim> solvableDimension(const Context &cx, const ast::Expr &declared, const IsGivenDim &isGiven) {
  auto *text = as<ast::StringExpr>(&declared);
  if (!text && declared.kind != ast::ExprKind::Binary) return std::nullopt;
  auto dim = Dim::parse(text ? std::string_view(text->value) : cx.sources.text(declared.span));
  auto linear = dim ? linearDim(*dim, isGiven) : std::nullopt;
  const bool isOpen = linear && !isGiven(linear->variable) && (text || cx.function.frame->generics.count(linear->variable));
  return isOpen ? std::move(linear) : std::nullopt;
}

/// `2 * N`, `N + M`, where nothing gave N a value before: what is left of the extent. A claim makes it whole.
static void solveDimension(Context &cx, const ast::Expr &declared, const Dim &extent, const DimOrigin &origin) {
  Frame &frame = *cx.function.frame;
  auto linear = solvableDimension(cx, declared, [&](const std::string &name) { return frame.dims.count(name) != 0; });
  if (!linear) return;
  frame.dims[linear->variable] = cx.function.facts.external(linear->solved(extent, frame.dims));
  frame.dimOrigins[linear->variable] = origin;
}

bool hasFormulas(const ast::Expr &annotation) {
  if (auto *binary = as<ast::BinaryExpr>(&annotation); binary && binary->op != ast::BinaryOp::MatMul) return true;
  if (auto *text = as<ast::StringExpr>(&annotation)) return !isIdentifier(text->value);
  const std::vector<const ast::Expr *> parts = ast::childrenOf(annotation).exprs;
  return std::any_of(parts.begin(), parts.end(), [](const ast::Expr *part) { return hasFormulas(*part); });
}

static void bindDimension(Context &cx, const ast::Expr &declared, const Dim &extent, const DimOrigin &origin, Gives gives = Gives::Alone) {
  if (gives == Gives::Solved) return solveDimension(cx, declared, extent, origin);
  std::string variable = freeDimension(cx, declared);
  if (variable.empty()) return;
  cx.function.frame->dims[variable] = extent;
  cx.function.frame->dimOrigins[variable] = origin;
}

/// `T` of `Tensor[N, T]` and of a parameter `x: T`.
static void bindDType(Context &cx, const ast::Expr &declared, const Type &have) {
  auto *name = as<ast::NameExpr>(&declared);
  if (!name || !cx.function.frame->dtypeGenerics.count(name->name) || cx.function.frame->names.count(name->name))
    return;
  Binding binding;
  binding.value = Value::dtype(have.dtype, have.numerics);
  binding.span = declared.span;
  binding.block = cx.blockId;
  cx.function.frame->names[name->name] = std::move(binding);
}

static void bindTensor(Context &cx, const Value &value, const ast::SubscriptExpr &declared, const DimOrigin &origin, Gives gives) {
  bool host = value.kind == ValueKind::HostTensor && inHost(cx);
  if (!value.isArray() && value.kind != ValueKind::View && value.kind != ValueKind::State && !host) return;
  std::vector<const ast::Expr *> dims;
  const ast::Expr *dtype = nullptr;
  auto *last = declared.items.empty() ? nullptr : as<ast::NameExpr>(declared.items.back().value);
  for (const ast::Argument &item : declared.items) {
    bool generic = last == item.value.get() && cx.function.frame->dtypeGenerics.count(last->name);
    if ((item.keyword && item.keyword->text == "dtype") || generic) dtype = item.value.get();
    else if (!item.keyword && item.value->kind != ast::ExprKind::Policy && !isDTypeExpr(cx, *item.value))
      dims.push_back(item.value.get());
  }
  if (host) {
    const auto known = dtype ? knownDType(cx, value) : std::nullopt;
    if (known) bindDType(cx, *dtype, scalarType(*known));
    return gives == Gives::Alone ? bindHostTensor(cx, value, dims, declared, origin.text) : solveHostDimensions(cx, value, dims);
  }
  if (dtype) bindDType(cx, *dtype, value.kind == ValueKind::View ? value.var->type : value.type);
  const std::vector<Dim> &have = shapeOf(value);
  for (size_t i = 0; i < have.size() && have.size() == dims.size(); ++i) bindDimension(cx, *dims[i], have[i], origin, gives);
}

static const ast::BinaryExpr *policyBehind(Context &cx, const ast::Expr &annotation);

void bindGenerics(Context &cx, const Value &value, const ast::Expr &annotation, const DimOrigin &origin, Gives gives) {
  if (value.isPoison() || value.kind == ValueKind::None) return;
  std::vector<const ast::Expr *> alternatives = alternativesOf(annotation);
  if (alternatives.size() > 1) {
    const ast::Expr *only = nullptr;
    for (const ast::Expr *alternative : alternatives) {
      if (alternative->kind == ast::ExprKind::None) continue;
      if (only) return;  // which one it is, is found out first
      only = alternative;
    }
    if (only) bindGenerics(cx, value, *only, origin, gives);
    return;
  }
  if (auto *stated = policyBehind(cx, annotation)) return bindGenerics(cx, value, *stated->left, origin, gives);
  if (value.kind == ValueKind::Array || value.kind == ValueKind::View)
    bindDType(cx, annotation, value.kind == ValueKind::View ? value.var->type : value.type);
  std::vector<const ast::Expr *> items;
  if (value.isSequence() && tupleItems(annotation, value.items.size(), items)) {
    for (size_t i = 0; i < items.size() && i < value.items.size(); ++i)
      bindGenerics(cx, value.items[i], *items[i], {origin.span, "item " + std::to_string(i) + " of " + origin.text}, gives);
    return;
  }
  if (auto *stack = as<ast::StackExpr>(&annotation)) {
    const bool listed = value.isSequence() && !value.items.empty();
    if (listed) bindGenerics(cx, value.items[0], *stack->item, origin, gives);
    else if (value.isStack()) bindGenerics(cx, elementOfStack(value), *stack->item, origin, gives);
    else return;
    const Dim count = listed ? Dim(static_cast<int64_t>(value.items.size())) : value.instance->stack[0];
    return bindDimension(cx, *stack->count, count, {origin.span, "the number of structs in " + origin.text}, gives);
  }
  auto *index = as<ast::SubscriptExpr>(&annotation);
  if (!index) return;
  Value object = typeNamed(cx, *index->object);
  if ((object.kind == ValueKind::TypeName && object.text == "Tensor") || isStateType(object))
    return bindTensor(cx, value, *index, origin, gives);
  if (object.kind == ValueKind::TypeName && object.text == "Const" && index->items.size() == 1) {
    Value v = value.kind == ValueKind::Bool ? Value::integer(Dim(value.truth)) : value;
    if (v.kind == ValueKind::Int && !v.expr) bindDimension(cx, *index->items[0].value, v.sym, origin, gives);
    return;
  }
  if (object.kind != ValueKind::StructType || value.kind != ValueKind::Struct ||
      value.instance->info != object.instance->info)
    return;
  const auto &parameters = value.instance->info->def->typeParameters;
  for (size_t i = 0; i < parameters.size() && i < index->items.size(); ++i) {
    const std::string &name = parameters[i].name.text;
    if (auto it = value.instance->dims.find(name); it != value.instance->dims.end())
      bindDimension(cx, *index->items[i].value, it->second, origin, gives);
    if (auto it = value.instance->dtypes.find(name); it != value.instance->dtypes.end())
      bindDType(cx, *index->items[i].value, it->second);
  }
}

// ---------------------------------------------------------------- shapes

/// What the variables of a declared dimension stand for, and because of what.
static void noteOrigins(const Context &cx, diag::Builder &builder, const std::vector<const ast::Expr *> &declared) {
  std::set<std::string> said;
  for (const ast::Expr *expr : declared) {
    std::string text = expr->kind == ast::ExprKind::String ? static_cast<const ast::StringExpr &>(*expr).value
                                                           : std::string(cx.sources.text(expr->span));
    auto dim = Dim::parse(text);
    std::set<std::string> vars;
    if (dim) dim->collectVars(vars);
    for (const std::string &v : vars) {
      auto origin = cx.function.frame->dimOrigins.find(v);
      if (origin == cx.function.frame->dimOrigins.end() || !said.insert(v).second) continue;
      std::string value = show(cx, cx.function.frame->dims.at(v));
      builder.note(origin->second.span,
                   (value == v ? "`" + v + "`" : "`" + v + "` is " + value) + " because of " + origin->second.text);
    }
  }
}

bool unifyDims(Context &cx, const std::vector<const ast::Expr *> &declared, const Value &value, const std::string &name,
               Span span) {
  const std::vector<Dim> &have = shapeOf(value);
  std::vector<Dim> expected = have;
  std::vector<const ast::Expr *> wrong;
  std::optional<shape::Formula> broken;
  for (size_t before = declared.size() + 1, solved = 0; before != solved;) {  // one may need what another gives
    before = cx.function.frame->dims.size();
    for (size_t i = 0; i < have.size(); ++i) solveDimension(cx, *declared[i], have[i], {span, quoted(name)});
    solved = cx.function.frame->dims.size();
  }
  for (size_t i = 0; i < have.size(); ++i) {
    auto want = dimOf(cx, *declared[i], false);
    if (!want) return false;
    if (sameDim(cx, *want, have[i], span, "this call needs " + show(cx, *want) + " == " + show(cx, have[i]))) continue;
    expected[i] = *want;
    wrong.push_back(declared[i]);
    if (!broken) broken = shape::Formula(*want, Relation::Eq, have[i]);
  }
  if (wrong.empty()) return true;
  if (fresh(cx, Id::shapeMismatch, span)) {
    auto builder = report(cx, Id::shapeMismatch, span, shapeText(cx, expected), shapeText(cx, have));
    builder.label(quoted(name) + " has the shape " + shapeText(cx, have));
    builder.note(wrong[0]->span, "expected because of this");
    noteOrigins(cx, builder, wrong);
    explainClaim(cx, builder, *broken);
  }
  return false;
}

// ---------------------------------------------------------------- types

bool wrongValue(Context &cx, const Value &value, const ast::Expr &annotation, const std::string &name, Span span,
                const std::string &wanted) {
  if (reportNone(cx, value, span) || !fresh(cx, Id::wrongArgument, span)) return false;
  auto builder = report(cx, Id::wrongArgument, span, quoted(name), wanted, describe(cx, value));
  builder.note(annotation.span, "declared here");
  std::string text(cx.sources.text(span));
  size_t digits = text.find_first_not_of("0123456789");
  bool whole = digits > 0 && digits != std::string::npos && (text.substr(digits) == ".0" || text.substr(digits) == ".");
  if (whole && wanted.rfind("an integer", 0) == 0)
    builder.suggest(span, text.substr(0, digits), "write `" + text.substr(0, digits) + "`");
  return false;
}

static bool matchTensor(Context &cx, const Value &value, const ast::SubscriptExpr &annotation, const std::string &name,
                        Span span, Value &out) {
  Type type;
  std::vector<const ast::Expr *> dims;
  if (!readTensorType(cx, annotation, type, &dims)) return false;
  out = value;
  if (value.kind == ValueKind::HostTensor) {
    const bool open = std::any_of(dims.begin(), dims.end(), [](const ast::Expr *d) { return d->kind == ast::ExprKind::Ellipsis || d->kind == ast::ExprKind::Starred; });
    if (inHost(cx) && !out.madeOf && !open && value.stackAxes == 0 && namesDType(cx, annotation))
      out.madeOf = type.dtype, out.rank = static_cast<int>(dims.size());
    return !inHost(cx) || (hostRankFits(cx, value, dims, annotation, span) && hostDimensions(cx, value, dims, name));
  }
  if (!value.isArray() && value.kind != ValueKind::View)
    return wrongValue(cx, value, annotation, name, span, "`" + std::string(cx.sources.text(annotation.span)) + "`");
  const Type &have = value.kind == ValueKind::View ? value.var->type : value.type;
  if (isFloat(have.dtype) && !namesDType(cx, annotation)) type.dtype = have.dtype, type.numerics = have.numerics;
  if (have.shape.size() != dims.size()) {
    if (fresh(cx, Id::rankMismatch, span))
      report(cx, Id::rankMismatch, span, diag::counted(dims.size(), "dimension"),
             diag::counted(have.shape.size(), "dimension"))
          .label(quoted(name) + " has the shape " + shapeText(cx, have.shape))
          .note(annotation.span, quoted(name) + " is declared here");
    return false;
  }
  if (!unifyDims(cx, dims, value, name, span)) return false;
  if (quantizedSource(cx, value, type)) return true;  // integers with scales, as they came in
  if (type.numerics.perChannel >= 0) return !scalesUnknown(cx, span).isPoison();
  if (have.dtype != type.dtype && (value.kind == ValueKind::View || narrows(have, type.dtype))) {
    if (fresh(cx, Id::narrowing, span))
      report(cx, Id::narrowing, span, std::string(tessera::name(have.dtype)), std::string(tessera::name(type.dtype)))
          .note(annotation.span, quoted(name) + " is declared here")
          .suggest(span,
                   "cast(" + std::string(cx.sources.text(span)) + ", " + std::string(tessera::name(type.dtype)) + ")",
                   "round it here");
    return false;
  }
  if (have.dtype != type.dtype) ++cx.conversions;
  if (value.kind == ValueKind::Array) {
    if (have.dtype != type.dtype) out = castTo(cx, value, type.dtype, type.numerics, span);
    // What the parameter states holds inside; the rest is inherited (P16).
    out.type.numerics = combined(withoutStorage(type.numerics), out.type.numerics);
  }
  return true;
}

static bool matchConst(Context &cx, const Value &value, const ast::SubscriptExpr &annotation, const std::string &name,
                       Span span, Value &out) {
  if (reportNone(cx, value, span)) return false;
  if (!mayBeInteger(value)) return wrongValue(cx, value, annotation, name, span, "an integer");
  Value v = convertInt(cx, value, span);
  if (v.isPoison()) return false;
  if (v.expr)
    return wrongValue(cx, value, annotation, name, span, "an integer that the compiler knows, or a dimension");
  auto want = dimOf(cx, *annotation.items[0].value, false);
  if (!want) return false;
  out = v;
  if (sameDim(cx, *want, v.sym, span, "this call needs " + show(cx, *want) + " == " + show(cx, v.sym))) return true;
  if (fresh(cx, Id::wrongArgument, span)) {
    auto builder = report(cx, Id::wrongArgument, span, quoted(name), show(cx, *want), show(cx, v.sym));
    builder.note(annotation.span, "declared here");
    noteOrigins(cx, builder, {annotation.items[0].value.get()});
  }
  return false;
}

static bool matchTuple(Context &cx, const Value &value, const ast::Expr &annotation, const std::string &name, Span span,
                       Value &out) {
  std::vector<const ast::Expr *> items;
  if (!value.isSequence())
    return wrongValue(cx, value, annotation, name, span, "`" + std::string(cx.sources.text(annotation.span)) + "`");
  tupleItems(annotation, value.items.size(), items);
  if (items.size() != value.items.size())
    return wrongValue(cx, value, annotation, name, span,
                      std::to_string(items.size()) + (items.size() == 1 ? " item" : " items"));
  out = value;
  for (size_t i = 0; i < items.size(); ++i)
    if (!matchParameter(cx, value.items[i], *items[i], "item " + std::to_string(i) + " of " + name, span, out.items[i]))
      return false;
  return true;
}

static bool matchStruct(Context &cx, const Value &value, const Value &type, const ast::Expr &annotation,
                        const std::string &name, Span span, Value &out) {
  const StructInfo &info = *type.instance->info;
  if (value.kind != ValueKind::Struct || value.instance->info != &info || value.isStack())
    return wrongValue(cx, value, annotation, name, span, "a `" + info.name + "`");
  out = value;
  auto *index = as<ast::SubscriptExpr>(&annotation);
  if (!index || inHost(cx)) return true;  // whatever its type arguments are; of host code, run time compares extents
  auto wanted = instantiate(cx, info, *index);
  if (!wanted) return false;
  for (const auto &[parameter, have] : value.instance->dims) {
    auto want = wanted->dims.find(parameter);
    if (want == wanted->dims.end() ||
        sameDim(cx, want->second, have, span, "this call needs " + show(cx, want->second) + " == " + show(cx, have)))
      continue;
    if (fresh(cx, Id::wrongArgument, span)) {
      auto builder = report(cx, Id::wrongArgument, span, quoted(name), "`" + instanceText(cx, *wanted) + "`",
                            "a `" + instanceText(cx, *value.instance) + "`");
      builder.note(annotation.span, "declared here");
      std::vector<const ast::Expr *> arguments;
      for (const ast::Argument &item : index->items) arguments.push_back(item.value.get());
      noteOrigins(cx, builder, arguments);
    }
    return false;
  }
  for (const auto &[parameter, have] : value.instance->dtypes)
    if (auto want = wanted->dtypes.find(parameter); want != wanted->dtypes.end() && want->second.dtype != have.dtype)
      return wrongValue(cx, value, annotation, name, span, "`" + instanceText(cx, *wanted) + "`");
  return true;
}

/// A value whose type has several alternatives: the one it fits best.
static bool matchUnion(Context &cx, const Value &value, const ast::Expr &annotation,
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
    Trial trial = attempt(cx, [&] {
      Value ignored;
      bindGenerics(cx, value, *alternative, {span, quoted(name)});
      return matchParameter(cx, value, *alternative, name, span, ignored);
    });
    if (trial.ok && (!best || trial.conversions < cost)) best = alternative, cost = trial.conversions;
  }
  if (!best)
    return wrongValue(cx, value, annotation, name, span, "`" + std::string(cx.sources.text(annotation.span)) + "`");
  bindGenerics(cx, value, *best, {span, quoted(name)});
  return matchParameter(cx, value, *best, name, span, out);
}

static bool matchScalar(Context &cx, const Value &value, const ast::Expr &annotation, const std::string &name,
                        Span span, Value &out) {
  auto type = parameterType(cx, annotation);
  if (!type) return false;
  if (reportNone(cx, value, span)) return false;
  if (type->kind == TypeKind::Index) {
    if (!mayBeInteger(value)) return wrongValue(cx, value, annotation, name, span, "an integer");
    out = convertInt(cx, value, span);
    return !out.isPoison();
  }
  if (type->kind == TypeKind::String) {
    out = value;
    return value.kind == ValueKind::String || wrongValue(cx, value, annotation, name, span, "a string");
  }
  if (type->kind == TypeKind::Stream) {
    out = value;
    return value.kind == ValueKind::Rng || wrongValue(cx, value, annotation, name, span, "a stream of random numbers");
  }
  bool number = value.kind == ValueKind::Float || value.kind == ValueKind::Int;
  if (type->dtype == DType::Bool && number) return wrongValue(cx, value, annotation, name, span, "`True` or `False`");
  bool known = value.kind == ValueKind::Float || value.kind == ValueKind::Bool || (value.isKnownInt() && !value.expr);
  if (known && isFloat(type->dtype) && value.kind != ValueKind::Bool) {
    cx.conversions += value.kind == ValueKind::Int;
    out = value.kind == ValueKind::Float ? value : Value::real(static_cast<double>(value.sym.constant()));
    return true;
  }
  if (value.kind == ValueKind::Bool && type->dtype == DType::Bool) {
    out = value;
    return true;
  }
  if (value.isArray() && value.type.shape.empty() && type->dtype == value.type.dtype) {  // its only element
    ExprPtr element = makeExpr(ExprKind::Slice, scalarType(value.type.dtype, value.type.numerics), span);
    element->args.push_back(clone(*value.expr));
    out = arrayValue(cx, std::move(element), *type, {}, span);
    return true;
  }
  if (value.isArray()) return wrongValue(cx, value, annotation, name, span, "a scalar");
  // Numbers of host code are f64 and i64: what is declared rounds them.
  const bool read = value.kind == ValueKind::HostTensor;
  const bool alike = value.isScalar() && (isFloat(value.type.dtype) ? isFloat(type->dtype)
                                                                     : isInt(value.type.dtype) && isInt(type->dtype));
  if (inHost(cx) && (read || alike) && type->dtype != DType::Bool) {
    Value number = read ? hostScalar(cx, value, span) : value;
    if (number.isPoison()) return false;
    if (isFloat(number.type.dtype) ? isFloat(type->dtype) : true) {
      out = castTo(cx, number, type->dtype, type->numerics, span);
      return !out.isPoison();
    }
  }
  cx.conversions += value.kind != ValueKind::Array || value.type.dtype != type->dtype;
  ExprPtr e = castToPlace(cx, value, *type, span, quoted(name));
  if (!e) return false;
  out = arrayValue(cx, std::move(e), *type, {}, span);
  return true;
}

/// `Tensor[N, f16] @accum(f32)`, `KVCache[...] @rolling_window`; null for everything else, also for `f16 @accum(f32)`.
static const ast::BinaryExpr *policyBehind(Context &cx, const ast::Expr &annotation) {
  auto *binary = as<ast::BinaryExpr>(&annotation);
  return binary && binary->op == ast::BinaryOp::MatMul && !isDTypeExpr(cx, annotation) ? binary : nullptr;
}

/// A value for a parameter with a policy behind its type: inside, it has that policy.
static bool matchPolicy(Context &cx, const Value &value, const ast::BinaryExpr &annotation, const std::string &name,
                        Span span, Value &out) {
  auto *index = as<ast::SubscriptExpr>(annotation.left);
  if (isRollingWindow(*annotation.right) && index && isStateType(typeNamed(cx, *index->object)))
    return matchState(cx, value, *index, true, name, span, out);
  if (!matchParameter(cx, value, *annotation.left, name, span, out)) return false;
  Type type = out.kind == ValueKind::View ? out.var->type : out.type;
  type.numerics = {};
  if (isRollingWindow(*annotation.right)) return rollingWindow(cx, type, annotation.right->span);
  if (!policyOf(cx, *annotation.right, type) || !soundPolicies(cx, type, annotation.span)) return false;
  if (type.numerics.perChannel >= 0) return !scalesUnknown(cx, span).isPoison();
  if (out.kind == ValueKind::Array) out.type.numerics = combined(withoutStorage(type.numerics), out.type.numerics);
  return true;
}

bool matchParameter(Context &cx, const Value &value, const ast::Expr &annotation, const std::string &name, Span span,
                    Value &out) {
  if (value.isPoison()) return false;
  std::vector<const ast::Expr *> alternatives = alternativesOf(annotation);
  if (alternatives.size() > 1) return matchUnion(cx, value, annotation, alternatives, name, span, out);
  if (auto *stack = as<ast::StackExpr>(&annotation)) return matchStack(cx, value, *stack, name, span, out);
  std::vector<const ast::Expr *> items;
  if (tupleItems(annotation, 0, items)) return matchTuple(cx, value, annotation, name, span, out);
  if (annotation.kind == ast::ExprKind::None) {
    out = value;
    return value.kind == ValueKind::None || wrongValue(cx, value, annotation, name, span, "`None`");
  }
  if (auto *stated = policyBehind(cx, annotation)) return matchPolicy(cx, value, *stated, name, span, out);
  auto *index = as<ast::SubscriptExpr>(&annotation);
  Value type = typeNamed(cx, index ? *index->object : annotation);
  if (index && type.kind == ValueKind::TypeName && type.text == "Tensor")
    return matchTensor(cx, value, *index, name, span, out);
  if (index && type.kind == ValueKind::TypeName && type.text == "Const" && index->items.size() == 1)
    return matchConst(cx, value, *index, name, span, out);
  if (index && isStateType(type)) return matchState(cx, value, *index, false, name, span, out);
  if (isStateType(type)) {  // of any shape and dtype
    out = value;
    return value.kind == ValueKind::State || wrongValue(cx, value, annotation, name, span, "a state object, `KVCache`");
  }
  if (type.kind == ValueKind::StructType) return matchStruct(cx, value, type, annotation, name, span, out);
  if (!index && type.kind == ValueKind::TypeName && type.text == "Callable") {
    out = value;
    bool named = value.kind == ValueKind::String && isCallable(lookupName(cx, value.text, span, true));
    if (named && cx.sources.text(span).size() == value.text.size() + 2) {
      if (fresh(cx, Id::wrongArgument, span))
        report(cx, Id::wrongArgument, span, quoted(name), "a function", describe(cx, value))
            .note(annotation.span, "declared here")
            .suggest(span, value.text, "without quotes it is the function");
      return false;
    }
    return isCallable(value) || wrongValue(cx, value, annotation, name, span, "a function");
  }
  if (!index && type.kind == ValueKind::TypeName && type.text == "Tensor") {  // of any shape and dtype
    out = value;
    return value.isArray() || value.kind == ValueKind::View || value.kind == ValueKind::HostTensor ||
           wrongValue(cx, value, annotation, name, span, "a tensor");
  }
  return matchScalar(cx, value, annotation, name, span, out);
}

Value isInstance(Context &cx, const GivenList &args, Span span) {
  if (args.size() != 2 || !args[0].keyword.empty() || !args[1].keyword.empty()) {
    report(cx, Id::argumentNotGiven, span, "isinstance", args.empty() ? "x" : "type").help("`isinstance(x, Tensor)`");
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
    if (type.kind == ValueKind::StructType)
      is |= v.kind == ValueKind::Struct && v.instance->info == type.instance->info && !v.isStack();
    else if (type.kind == ValueKind::DType) is |= v.isScalar() && v.type.dtype == type.type.dtype;
    else if (named && name == "Tensor") is |= array;
    else if (named && name == "Callable") is |= isCallable(v);
    else if (named && name == "Const")  // what the compiler knows, and no dimension that a caller chooses
      is |= v.isKnownInt() || v.kind == ValueKind::Float || v.kind == ValueKind::Bool || (v.kind == ValueKind::String && !v.expr);
    else if (named && (name == "int" || name == "Int"))
      is |= v.kind == ValueKind::Int || (v.isScalar() && isInt(v.type.dtype));
    else if (named && name == "float") is |= v.kind == ValueKind::Float || (v.isScalar() && isFloat(v.type.dtype));
    else if (named && name == "bool") is |= v.kind == ValueKind::Bool || (v.isScalar() && v.type.dtype == DType::Bool);
    else if (named && name == "tuple") is |= v.kind == ValueKind::Tuple;
    else if (named && name == "list") is |= v.kind == ValueKind::List;
    else if (named && name == "str") is |= v.kind == ValueKind::String;
    else {
      report(cx, Id::wrongArgument, args[1].span, quoted("isinstance"), "a type", describe(cx, type))
          .help("for example `Tensor`, `f32`, `int`, `Const`, or a struct");
      return Value::poison();
    }
  }
  return Value::boolean(is);
}

}  // namespace tessera::sema
