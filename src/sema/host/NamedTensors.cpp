// Files of named tensors in host code: a struct is filled by the names of its fields, `layers.0.wq`.
#include "checked/ExprBuild.h"
#include "sema/Arguments.h"
#include "sema/Builtins.h"
#include "sema/Report.h"
#include "sema/effects/Effects.h"
#include "sema/host/Host.h"
#include "sema/trace/Trace.h"
#include "sema/types/Types.h"
#include <algorithm>

namespace tessera::sema {

using ast::as;

namespace {
std::string joined(const std::string &name, const std::string &part) { return name.empty() ? part : name + "." + part; }

GivenList oneGiven(const std::string &keyword, Value value, Span span) {
  GivenList list;
  list.push_back({keyword, std::move(value), span, span, nullptr});
  return list;
}

/// In how many stacks a tensor of this name lies.
size_t stackDepth(const std::string &name) { return static_cast<size_t>(std::count(name.begin(), name.end(), '*')); }

/// The tensors of a struct or tuple by their names, in pairs. False for what holds anything else.
/// Those of a stack, which are written row by row, have a `*` where the row's number stands: `layers.*.w`.
bool namedTensors(Context &cx, const Value &value, std::string name, std::vector<ExprPtr> &out, Span span, std::optional<DType> declared = std::nullopt) {
  if (value.kind == ValueKind::None) return true;
  if (declared && (value.isScalar() || value.kind == ValueKind::Int || value.kind == ValueKind::Float || value.kind == ValueKind::Bool)) {  // a number of a field
    const Value one = hostFull(cx, Value::tuple({}), span, value, scalarType(*declared), span);
    if (one.isPoison()) return false;
    out.push_back(textExpr(name, span));
    out.push_back(clone(*one.expr));
    return true;
  }
  if (value.kind == ValueKind::HostTensor && !name.empty()) {
    out.push_back(textExpr(name, span));
    out.push_back(clone(*value.expr));
    return true;
  }
  bool structure = value.kind == ValueKind::Struct;
  if (!structure && !value.isSequence()) return false;
  const size_t around = stackDepth(name);
  for (size_t i = around; structure && i < value.instance->stack.size(); ++i) name = joined(name, "*");
  for (size_t i = 0; i < value.items.size(); ++i) {
    const StructField *field = structure ? &value.instance->info->fields[i] : nullptr;
    const auto declared = field ? dtypeByName(cx.sources.text(field->type->span)) : std::nullopt;
    if (!namedTensors(cx, value.items[i], joined(name, field ? field->name : std::to_string(i)), out, span, declared)) return false;
  }
  return true;
}
}  // namespace

static Value structOfTensors(Context &cx, const Value &type, const std::string &name, std::vector<ExprPtr> &names,
                             const Expr &path, Span span, const StructInstance *sizes = nullptr);

/// A tensor's name with the extents that its declared type has: `w [784, D]`, and `?` for what is neither a number nor a dimension.
static std::string withExtents(Context &cx, const std::string &name, const std::vector<const ast::Expr *> &dims) {
  std::string text;
  for (const ast::Expr *dim : dims) {
    Value size = dim->kind == ast::ExprKind::Int || dim->kind == ast::ExprKind::Name || dim->kind == ast::ExprKind::Binary ? checkExpr(cx, *dim) : Value::poison();
    const bool is = size.kind == ValueKind::Int && (size.sym.isConstant() || (size.sym.isVar() && shape::isDimensionName(size.sym.varName())));
    text += (text.empty() ? "" : ", ") + (is ? show(cx, size.sym) : "?");
  }
  return name + " [" + text + "]";
}

/// The one number of a tensor without axes, or of one element.
static Value numberOf(Context &cx, DType dtype, const std::string &name, std::vector<ExprPtr> &names, const Expr &path, Span span) {
  names.push_back(textExpr(name, span));
  std::vector<ExprPtr> args;
  args.push_back(clone(path));
  args.push_back(textExpr(name, span));
  args.push_back(textExpr(std::string(tessera::name(dtype)), span));
  Value made = hostCall(cx, "load_tensor", std::move(args), span);
  made.rank = 0, made.madeOf = dtype;
  return hostScalar(cx, made, span);
}

/// What a field of this type is filled with.
static Value tensorsOf(Context &cx, const ast::Expr &annotation, const std::string &name, std::vector<ExprPtr> &names,
                       const Expr &path, Span span) {
  if (alternativesOf(annotation).size() > 1) return Value::of(ValueKind::None);  // is not in files
  const ast::Expr &type = withoutPolicies(annotation);
  if (auto *stack = as<ast::StackExpr>(&type)) {
    Value one = tensorsOf(cx, *stack->item, joined(name, "*"), names, path, span);
    return one.isPoison() ? one : restacked(one, Dim(0));
  }
  std::vector<const ast::Expr *> items;
  if (tupleItems(type, 0, items) && !isOpenTuple(type)) {
    std::vector<Value> values;
    for (size_t i = 0; i < items.size(); ++i) {
      values.push_back(tensorsOf(cx, *items[i], joined(name, std::to_string(i)), names, path, span));
      if (values.back().isPoison()) return values.back();
    }
    return Value::tuple(std::move(values));
  }
  auto *index = as<ast::SubscriptExpr>(&type);
  auto *plain = index ? as<ast::NameExpr>(index->object) : nullptr;
  if (!plain || plain->name != "Tensor") {
    const Value named = typeNamed(cx, index ? *index->object : type);
    if (named.kind == ValueKind::StructType) {
      const auto instance = index ? instantiate(cx, *named.instance->info, *index) : nullptr;
      if (index && !instance) return Value::poison();
      return structOfTensors(cx, named, name, names, path, span, instance.get());
    }
    if (named.kind == ValueKind::DType && !index) return numberOf(cx, named.type.dtype, name, names, path, span);
    if (fresh(cx, Id::wrongArgument, annotation.span))
      report(cx, Id::wrongArgument, annotation.span, quoted("load_safetensors"),
             "fields that are tensors, tuples and structs", "`" + std::string(cx.sources.text(annotation.span)) + "`")
          .note(span, "it is read here");
    return Value::poison();
  }
  Type of;
  std::vector<const ast::Expr *> dims;
  auto *last = index->items.empty() ? nullptr : as<ast::NameExpr>(index->items.back().value);
  bool generic =
      last && cx.function.frame->dtypeGenerics.count(last->name) && !cx.function.frame->names.count(last->name);
  if (!generic && !readTensorType(cx, *index, of, &dims)) return Value::poison();
  names.push_back(textExpr(generic ? name : withExtents(cx, name, dims), span));
  std::vector<ExprPtr> args;
  args.push_back(clone(path));
  args.push_back(textExpr(name, span));
  args.push_back(textExpr(generic ? "" : std::string(tessera::name(of.dtype)), span));
  Value made = hostCall(cx, "load_tensor", std::move(args), span);
  if (!generic) made.rank = static_cast<int>(dims.size()), made.stackAxes = static_cast<int>(stackDepth(name)), made.madeOf = of.dtype;
  return made;
}

/// A struct whose fields are filled by name; the values are loaded when it is put together.
static Value structOfTensors(Context &cx, const Value &type, const std::string &name, std::vector<ExprPtr> &names,
                             const Expr &path, Span span, const StructInstance *sizes) {
  const StructInfo &info = *type.instance->info;
  if (structRecursion(cx, info)) return Value::poison();
  StructInstance open = sizes ? *sizes : *type.instance;  // what its dimensions are, the file says
  for (const ast::TypeParameter &t : info.def->typeParameters)
    if (!isDTypeParameter(cx, t)) open.dims.try_emplace(t.name.text, Dim::var(t.name.text));
  GivenList given;
  for (const StructField &field : info.fields) {
    std::shared_ptr<Frame> caller = cx.function.frame;
    cx.function.frame = structFrame(cx, open);
    Value part = tensorsOf(cx, *field.type, joined(name, field.name), names, path, span);
    cx.function.frame = caller;
    if (part.isPoison()) return part;
    if (part.kind == ValueKind::HostTensor) part = bindTemp(cx, part, field.name, span);
    GivenList one = oneGiven(field.name, std::move(part), span);
    given.push_back(std::move(one[0]));
  }
  return constructStruct(cx, type, std::move(given), span);
}

Value loadTensors(Context &cx, ExprPtr path, const Value &what, Span at, Span span) {
  if (what.isPoison()) return what;
  if (what.kind == ValueKind::String) {
    std::vector<ExprPtr> args;
    args.push_back(std::move(path));
    args.push_back(what.expr ? clone(*what.expr) : textExpr(what.text, at));
    args.push_back(textExpr("", at));
    return hostCall(cx, "load_tensor", std::move(args), span);
  }
  if (what.kind == ValueKind::Struct && !what.isStack()) {  // of the same kind
    auto plain = std::make_shared<StructInstance>();
    plain->info = what.instance->info;
    Value type = Value::of(ValueKind::StructType);
    type.instance = std::move(plain);
    return loadTensors(cx, std::move(path), type, at, span);
  }
  if (what.kind != ValueKind::StructType) {
    report(cx, Id::wrongArgument, at, quoted("load_safetensors"),
           "a struct, whose fields name the tensors, or the name of one in quotes", describe(cx, what));
    return Value::poison();
  }
  if (path->kind != ExprKind::String && path->kind != ExprKind::VarRef) {
    Value text = Value::of(ValueKind::String);
    text.type = path->type;
    text.expr = std::shared_ptr<Expr>(path.release());
    path = clone(*bindTemp(cx, text, "path", span).expr);
  }
  // The names are compared before anything is loaded: the statement stands in front of what the fields need.
  size_t first = cx.function.block->size();
  std::vector<ExprPtr> args, names;
  Value made = structOfTensors(cx, what, "", names, *path, at);
  args.push_back(clone(*path));
  for (ExprPtr &name : names) args.push_back(std::move(name));
  hostCall(cx, "expect_tensors", std::move(args), span);
  auto expects = cx.function.block->begin() + static_cast<std::ptrdiff_t>(first);
  std::rotate(expects, cx.function.block->end() - 1, cx.function.block->end());
  return made;
}

Value saveNpz(Context &cx, const BuiltinRow &row, const GivenList &args, Span span) {
  std::vector<ExprPtr> parts;
  for (const Given &arg : args) {
    if (arg.value.isPoison()) return arg.value;
    const bool isPath = parts.empty();
    if (isPath != arg.keyword.empty() || (isPath && arg.value.kind != ValueKind::String)) {
      report(cx, Id::wrongArgument, arg.span, quoted(std::string(row.name)), isPath ? "a text in quotes" : "arrays under names", describe(cx, arg.value))
          .help("`save_npz(\"data.npz\", x=x, y=y)` writes `x` and `y`");
      return Value::poison();
    }
    if (!isPath) parts.push_back(textExpr(arg.keyword, arg.span));
    ExprPtr part = !isPath ? hostArgument(cx, arg.value, arg.span) : arg.value.expr ? clone(*arg.value.expr) : textExpr(arg.value.text, arg.span);
    if (!part) return Value::poison();
    parts.push_back(std::move(part));
  }
  if (parts.empty()) {
    report(cx, Id::argumentNotGiven, span, std::string(row.name), "path");
    return Value::poison();
  }
  noteBuiltinEffect(cx, row, span);
  return hostCall(cx, "save_npz", std::move(parts), span);
}

Value saveTensors(Context &cx, ExprPtr path, const Value &what, Span at, Span span) {
  if (what.isPoison()) return what;
  std::vector<ExprPtr> args;
  args.push_back(std::move(path));
  if (!namedTensors(cx, what, "", args, at)) {
    report(cx, Id::wrongArgument, at, quoted("save_safetensors"),
           "a struct or tuple of tensors, whose fields name them", describe(cx, what));
    return Value::poison();
  }
  return hostCall(cx, "save_tensors", std::move(args), span);
}

}  // namespace tessera::sema
