// Types as they are declared, over the parameters and results of an entry point: structs and tuples become their parts,
// and an entry point is made for each alternative of a union.
#include "checked/ExprBuild.h"
#include "sema/Report.h"
#include "sema/claims/Claims.h"
#include "sema/effects/Effects.h"
#include "sema/policies/Policies.h"
#include "sema/trace/Trace.h"
#include "sema/types/Types.h"
#include <algorithm>

namespace tessera::sema {

using ast::as;

namespace {
constexpr size_t kCapacityAxis = 2;  // of batch, heads, capacity, features
std::string joined(const std::string &path, const std::string &part) { return path.empty() ? part : path + "_" + part; }
std::string partName(const DeclaredType &type, size_t i) {
  return type.kind == DeclaredType::Kind::Struct ? type.instance->info->fields[i].name : std::to_string(i);
}
}  // namespace

// ---------------------------------------------------------------- reading types

std::vector<const ast::Expr *> alternativesOf(const ast::Expr &annotation) {
  auto *both = as<ast::BinaryExpr>(&annotation);
  if (!both || both->op != ast::BinaryOp::BitOr) return {&annotation};
  std::vector<const ast::Expr *> all = alternativesOf(*both->left), right = alternativesOf(*both->right);
  all.insert(all.end(), right.begin(), right.end());
  return all;
}

bool tupleItems(const ast::Expr &annotation, size_t count, std::vector<const ast::Expr *> &items) {
  if (annotation.kind == ast::ExprKind::Tuple) {
    for (const auto &e : static_cast<const ast::SequenceExpr &>(annotation).items) items.push_back(e.get());
    return true;
  }
  auto *index = as<ast::SubscriptExpr>(&annotation);
  auto *name = index ? as<ast::NameExpr>(index->object) : nullptr;
  if (!name) return false;
  bool list = name->name == "list" || name->name == "List";
  if (!list && name->name != "tuple" && name->name != "Tuple") return false;
  for (const ast::Argument &item : index->items) items.push_back(item.value.get());
  bool open = list ? items.size() == 1 : items.size() == 2 && items[1]->kind == ast::ExprKind::Ellipsis;
  if (open) items.assign(count, items[0]);
  return true;
}

const ast::Expr &withoutPolicies(const ast::Expr &annotation) {
  const ast::Expr *type = &annotation;
  while (auto *stated = as<ast::BinaryExpr>(type)) {
    if (stated->op != ast::BinaryOp::MatMul) break;
    type = stated->left.get();
  }
  return *type;
}

bool isRollingWindow(const ast::Expr &policy) {
  auto *name = as<ast::NameExpr>(&policy);
  return name && name->name == "rolling_window";
}

bool isOpenTuple(const ast::Expr &annotation) {
  std::vector<const ast::Expr *> none, one;
  return tupleItems(annotation, 0, none) && tupleItems(annotation, 1, one) && none.size() != one.size();
}

Value typeNamed(Context &cx, const ast::Expr &expr) {
  if (auto *name = as<ast::NameExpr>(&expr)) return lookupName(cx, name->name, expr.span, true);
  auto *attribute = as<ast::AttributeExpr>(&expr);
  if (!attribute) return Value::poison();
  Value object = typeNamed(cx, *attribute->object);
  if (object.kind != ValueKind::Module) return Value::poison();
  return object.module ? moduleMember(*object.module, attribute->attribute.text)
                       : builtinMember(cx, object.text, attribute->attribute.text);
}

/// `layer: Linear` of a `Linear[I, O]` is `Linear["I", "O"]`, unless another parameter is one, too: they may differ. As a result its
/// dimensions must be those of parameters.
static std::shared_ptr<const StructInstance> withOwnNames(Context &cx, const StructInfo &info, const ast::Expr &annotation) {
  const Callable *function = cx.function.frame ? cx.function.frame->function : nullptr;
  if (!function || !function->def || !cx.function.fn || info.model) return nullptr;
  const std::string_view written = cx.sources.text(annotation.span);
  const auto &parameters = function->def->parameters;
  if (std::count_if(parameters.begin(), parameters.end(), [&](const ast::Parameter &p) { return p.annotation && cx.sources.text(p.annotation->span) == written; }) != 1)
    return nullptr;
  auto made = std::make_shared<StructInstance>();
  made->info = &info;
  for (const ast::TypeParameter &t : info.def->typeParameters) {
    if (isDTypeParameter(cx, t) || (!cx.bindDims && !cx.function.frame->dims.count(t.name.text))) return nullptr;
    ast::StringExpr name(ast::ExprKind::String, annotation.span);
    name.value = t.name.text;
    auto dim = dimOf(cx, name, cx.bindDims);
    if (!dim) return nullptr;
    made->dims[t.name.text] = *dim;
  }
  return made;
}

static std::optional<DeclaredType> declaredStruct(Context &cx, const Value &named, const ast::Expr &annotation,
                                                  const std::string &path) {
  const StructInfo &info = *named.instance->info;
  if (structRecursion(cx, info)) return std::nullopt;
  if (auto *index = as<ast::SubscriptExpr>(&annotation)) {
    auto instance = instantiate(cx, info, *index);
    return instance ? structType(cx, std::move(instance), annotation.span, path) : std::nullopt;
  }
  if (info.def->typeParameters.empty()) return structType(cx, named.instance, annotation.span, path);
  if (auto instance = withOwnNames(cx, info, annotation)) return structType(cx, std::move(instance), annotation.span, path);
  std::string arguments;
  const Callable *function = cx.function.frame ? cx.function.frame->function : nullptr;
  for (const ast::TypeParameter &t : info.def->typeParameters)
    if (function && function->def && typeParameterNamed(cx.function.frame.get(), t.name.text))  // a name of its own
      arguments += (arguments.empty() ? "" : ", ") + t.name.text;
    else arguments += (arguments.empty() ? "\"" : ", \"") + t.name.text + "\"";
  if (fresh(cx, Id::typeArguments, annotation.span))
    report(cx, Id::typeArguments, annotation.span, info.name, info.def->typeParameters.size(), 0)
        .note(info.nameSpan, "it is declared here")
        .fix(annotation.span, std::string(cx.sources.text(annotation.span)) + "[" + arguments + "]",
             "name its dimensions");
  return std::nullopt;
}

std::optional<DeclaredType> structType(Context &cx, std::shared_ptr<const StructInstance> instance, Span span,
                                       const std::string &path) {
  DeclaredType type;
  type.kind = DeclaredType::Kind::Struct;
  type.span = span;
  type.instance = std::move(instance);
  const StructInfo &info = *type.instance->info;
  std::shared_ptr<Frame> caller = cx.function.frame;
  bool bind = cx.bindDims;
  cx.function.frame = structFrame(cx, *type.instance);
  cx.bindDims = false;  // its fields name what it declares
  for (const StructField &field : info.fields) {
    auto item = declaredType(cx, *field.type, joined(path, field.name));
    if (!item) break;
    type.items.push_back(std::move(*item));
  }
  cx.function.frame = caller;
  cx.bindDims = bind;
  if (type.items.size() != info.fields.size()) return std::nullopt;
  return type;
}

std::optional<DeclaredType> declaredType(Context &cx, const ast::Expr &annotation, const std::string &path) {
  if (!countStep(cx, annotation.span)) return std::nullopt;
  std::vector<const ast::Expr *> alternatives = alternativesOf(annotation);
  if (alternatives.size() > 1) {
    const Choices &choices = cx.function.calls.empty() ? Choices{} : cx.function.calls.front().callable->choices;
    auto chosen = choices.find(path);
    const ast::Expr *first = alternatives[0]->kind == ast::ExprKind::None ? alternatives[1] : alternatives[0];
    auto type = declaredType(cx, chosen == choices.end() ? *first : *alternatives[chosen->second], path);
    for (const ast::Expr *alternative : alternatives)
      if (type) type->mayBeNone |= alternative->kind == ast::ExprKind::None;
    return type;
  }
  DeclaredType type;
  type.span = annotation.span;
  if (annotation.kind == ast::ExprKind::None) {
    type.kind = DeclaredType::Kind::None;
    return type;
  }
  if (auto *stack = as<ast::StackExpr>(&annotation)) return stackType(cx, *stack, path);
  std::vector<const ast::Expr *> items;
  if (tupleItems(annotation, 0, items)) {
    type.kind = DeclaredType::Kind::Tuple;
    if (isOpenTuple(annotation)) {
      if (fresh(cx, Id::notAType, annotation.span))
        report(cx, Id::notAType, annotation.span, "how many items it has is not said")
            .help("an entry point needs a type for each item: `tuple[f32, f32]`");
      return std::nullopt;
    }
    for (size_t i = 0; i < items.size(); ++i) {
      auto item = declaredType(cx, *items[i], joined(path, std::to_string(i)));
      if (!item) return std::nullopt;
      type.items.push_back(std::move(*item));
    }
    return type;
  }
  auto *index = as<ast::SubscriptExpr>(&annotation);
  Value named = typeNamed(cx, index ? *index->object : annotation);
  if (named.kind == ValueKind::StructType) return declaredStruct(cx, named, annotation, path);
  auto plain = parameterType(cx, annotation);
  if (!plain) return std::nullopt;
  type.plain = std::move(*plain);
  return type;
}

// ---------------------------------------------------------------- parameters

Value entryValue(Context &cx, const DeclaredType &type, const std::string &path, const ast::Parameter &parameter) {
  switch (type.kind) {
  case DeclaredType::Kind::None: {
    Value v = Value::of(ValueKind::None);
    v.text = path;
    v.declared = parameter.span;
    return v;
  }
  case DeclaredType::Kind::Struct:
  case DeclaredType::Kind::Tuple: {
    bool structure = type.kind == DeclaredType::Kind::Struct;
    Value v = Value::of(structure ? ValueKind::Struct : ValueKind::Tuple);
    v.instance = type.instance;
    for (size_t i = 0; i < type.items.size(); ++i) {
      v.items.push_back(entryValue(cx, type.items[i], joined(path, partName(type, i)), parameter));
      if (v.items.back().kind == ValueKind::None && structure) {
        const StructField &field = type.instance->info->fields[i];
        v.items.back().text = parameter.name.text + "." + field.name;
        v.items.back().declared = field.span;
      }
      if (v.items.back().isPoison()) return Value::poison();
    }
    return v;
  }
  case DeclaredType::Kind::Plain: break;
  }
  if (type.plain.kind == TypeKind::String && inHost(cx)) return Value::string(path);  // any text: host code alone has such structs
  return plainParameter(cx, type.plain, path, parameter);
}

/// A cache: its keys and values, which the function changes in place, and how many of their places are filled, a dimension.
static Value stateParameter(Context &cx, const Type &type, const std::string &name, const ast::Parameter &parameter) {
  Value v = stateValue(cx, type, name, parameter.span);
  Type part = type;
  part.kind = TypeKind::Tensor;
  part.rollingWindow = false;
  for (const char *field : {"_k", "_v"}) v.items.push_back(plainParameter(cx, part, name + field, parameter));
  const Dim filled = Dim::var(name + "_filled");
  Type length = indexType();
  length.shape = {filled};
  cx.function.fn->dims.push_back(filled.varName());
  v.items.push_back(plainParameter(cx, length, name + "_length", parameter));
  for (const Value &item : v.items)
    if (item.isPoison()) return item;
  const Dim &capacity = type.shape[kCapacityAxis];
  addGuard(cx, shape::Formula(Dim(0), Relation::Le, filled), "0 <= " + name + "_length", parameter.span);
  if (!type.rollingWindow)  // a window that rolls on may have had any number of rows
    addGuard(cx, shape::Formula(filled, Relation::Le, capacity), name + "_length <= " + show(cx, capacity),
             parameter.span);
  if (name == parameter.name.text) cx.function.frame->states.emplace_back(name, v);
  else notCompiledYet(cx, "state objects (`KVCache`)", parameter.span);
  return v;
}

Value plainParameter(Context &cx, Type type, const std::string &name, const ast::Parameter &parameter) {
  if (type.kind == TypeKind::State) return stateParameter(cx, type, name, parameter);
  if (type.kind == TypeKind::String) {
    unsupported(cx, "a string parameter of an entry point", parameter.annotation ? parameter.annotation->span : parameter.span);  // `self` has none
    return Value::poison();
  }
  for (const Param &other : cx.function.fn->params)
    if (other.var->name == name) {
      report(cx, Id::definedTwice, parameter.name.span, name)
          .label("a part of this parameter becomes the parameter `" + name + "`")
          .note(other.var->span, "and so does this");
      return Value::poison();
    }
  if (type.kind == TypeKind::Tensor && inKernel(cx)) type.kind = TypeKind::View;
  Param param;
  param.var = newVar(cx, name, type, parameter.name.span);
  param.keywordOnly = parameter.kind == ast::ParameterKind::KeywordOnly;
  Value v;
  switch (type.kind) {
  case TypeKind::View:
    v = Value::of(ValueKind::View);
    v.var = param.var;
    break;
  case TypeKind::Index:
    if (!type.shape.empty()) v = Value::integer(type.shape[0]);  // Const[H]: it is the dimension
    else {
      v = Value::of(ValueKind::Int);
      v.type = indexType();
      v = valueOfVar(param.var, v, parameter.name.span);
    }
    break;
  case TypeKind::Stream: v = streamValue(cx, makeRef(param.var, parameter.name.span), ""); break;
  default:
    v = Value::of(ValueKind::Array);
    v.type = type;
    v.limits.resize(type.shape.size());
    v = valueOfVar(param.var, v, parameter.name.span);
    cx.function.varValues[param.var] = v;
  }
  Var *var = param.var;
  cx.function.fn->params.push_back(std::move(param));
  return storedParameter(cx, var, std::move(v), parameter.name.span);
}

}  // namespace tessera::sema
