// Types as they are written: Tensor[M, K, bf16 @accum(f32)], Const[H], f32, Int, unions with None.
#include "sema/Checker.h"
#include <algorithm>

namespace tessera::sema {

using ast::as;

bool Checker::isDTypeExpr(const ast::Expr &expr) {
  if (auto *name = as<ast::NameExpr>(&expr)) {
    for (Frame *f = frame_.get(); f; f = f->parent.get())
      if (f->dims.count(name->name)) return false;
    Value v = lookup(name->name, expr.span, true);
    return v.kind == ValueKind::DType || (v.kind == ValueKind::Policy && v.truth) ||
           (v.kind == ValueKind::Builtin && (v.builtin->name == "bool" || v.builtin->name == "float"));
  }
  if (auto *attribute = as<ast::AttributeExpr>(&expr)) {
    auto *root = as<ast::NameExpr>(attribute->object);
    if (!root) return false;
    Value v = lookup(root->name, expr.span, true);
    return v.kind == ValueKind::Module && v.text == "tessera" &&
           dtypeByName(attribute->attribute.text).has_value();
  }
  if (auto *binary = as<ast::BinaryExpr>(&expr))
    return binary->op == ast::BinaryOp::MatMul && isDTypeExpr(*binary->left);
  if (auto *call = as<ast::CallExpr>(&expr)) {
    auto *name = as<ast::NameExpr>(call->callee);
    return name && (name->name == "fp8" || name->name == "fp6" || name->name == "fp4");
  }
  return false;
}

bool Checker::policyOf(const ast::Expr &expr, Numerics &n) {
  const ast::CallExpr *call = as<ast::CallExpr>(&expr);
  const ast::Expr &callee = call ? *call->callee : expr;
  std::string policy(sources_.text(callee.span));
  if (size_t dot = policy.rfind('.'); dot != std::string::npos) policy = policy.substr(dot + 1);
  auto dtype = [&](std::optional<DType> &slot) {
    if (!call || call->arguments.size() != 1) {
      report(Id::argumentNotGiven, expr.span, "@" + policy, "dtype");
      return false;
    }
    Value v = checkExpr(*call->arguments[0].value);
    slot = dtypeArgument(v, call->arguments[0].span);
    return slot.has_value();
  };
  auto word = [&]() -> std::string {
    if (!call || call->arguments.size() != 1) return "";
    if (auto *text = as<ast::StringExpr>(call->arguments[0].value)) return text->value;
    return std::string(sources_.text(call->arguments[0].value->span));
  };
  auto choose = [&](std::initializer_list<std::string_view> words) {
    std::string given = word();
    for (std::string_view w : words)
      if (w == given) return true;
    std::string all;
    for (std::string_view w : words) all += (all.empty() ? "" : ", ") + std::string(w);
    report(Id::unknownPolicy, expr.span, "@" + policy + "(" + given + ")").help("it takes one of: " + all);
    return false;
  };
  if (policy == "accum" || policy == "accumulate") return dtype(n.accumulate);
  if (policy == "compute") return dtype(n.compute);
  if (policy == "saturate") return n.saturate = true;
  if (policy == "stochastic_round") {
    n.rounding = Rounding::Stochastic;
    unsupported("stochastic rounding", expr.span);
    return false;
  }
  if (policy == "round") {
    if (!choose({"nearest_even", "toward_zero", "up", "down"})) return false;
    std::string w = word();
    n.rounding = w == "nearest_even"  ? Rounding::NearestEven
                 : w == "toward_zero" ? Rounding::TowardZero
                 : w == "up"          ? Rounding::Up
                                      : Rounding::Down;
    return true;
  }
  if (policy == "round_at") {
    if (!choose({"each_op", "store"})) return false;
    n.roundEachOp = word() == "each_op";
    return true;
  }
  if (policy == "denormals") {
    if (!choose({"flush", "keep"})) return false;
    n.denormals = word() == "flush" ? Denormals::Flush : Denormals::Keep;
    return true;
  }
  if (policy == "NumericalPolicy" || policy == "Policy") {
    Value v = call ? checkExpr(expr) : Value::poison();
    if (v.kind == ValueKind::Policy) n = v.type.numerics;
    return v.kind == ValueKind::Policy;
  }
  for (const char *known :
       {"loss_scale", "per_channel", "device", "rolling_window", "fp32_master", "paged", "checkpointable"})
    if (policy == known) {
      unsupported("the policy `@" + policy + "`", expr.span);
      return false;
    }
  if (!call)
    if (Value v = lookup(policy, expr.span, true); v.kind == ValueKind::Policy) {
      n = v.type.numerics;
      return true;
    }
  static const std::vector<std::string_view> names = {"accum", "compute",  "saturate", "stochastic_round",
                                                      "round", "round_at", "denormals"};
  auto near = diag::didYouMean(policy, names);
  auto builder = report(Id::unknownPolicy, expr.span, "@" + policy);
  if (!near.empty())
    builder.help("did you mean `@" + std::string(near) + "`?")
        .suggest(callee.span, std::string(near), "write `@" + std::string(near) + "`");
  return false;
}

bool Checker::dtypeItem(const ast::Expr &expr, Type &type) {
  if (auto *binary = as<ast::BinaryExpr>(&expr); binary && binary->op == ast::BinaryOp::MatMul)
    return dtypeItem(*binary->left, type) && policyOf(*binary->right, type.numerics);
  if (auto *call = as<ast::CallExpr>(&expr)) {  // fp8(e4m3)
    auto *name = as<ast::NameExpr>(call->callee);
    if (name && call->arguments.size() == 1)
      if (auto dtype =
              dtypeByName(name->name + "_" + std::string(sources_.text(call->arguments[0].value->span)))) {
        type.dtype = *dtype;
        return true;
      }
  }
  Value v = checkExpr(expr);
  if (v.isPoison()) return false;
  Numerics numerics;
  auto dtype = dtypeArgument(v, expr.span, &numerics);
  if (!dtype) return false;
  type.dtype = *dtype;
  type.numerics = numerics;
  return true;
}

std::optional<Dim> Checker::dimOf(const ast::Expr &expr, bool bind) {
  auto named = [&](const std::string &name) -> std::optional<Dim> {
    for (Frame *f = frame_.get(); f; f = f->parent.get())
      if (auto it = f->dims.find(name); it != f->dims.end()) return it->second;
    return std::nullopt;
  };
  auto use = [&](const std::string &name) {  // in order of first use
    if (bind && std::find(fn_->dims.begin(), fn_->dims.end(), name) == fn_->dims.end())
      fn_->dims.push_back(name);
  };
  if (auto *text = as<ast::StringExpr>(&expr)) {
    auto dim = Dim::parse(text->value);
    if (!dim) {
      report(Id::notAType, expr.span, "\"" + text->value + "\" is no dimension");
      return std::nullopt;
    }
    std::set<std::string> vars;
    dim->collectVars(vars);
    std::map<std::string, Dim> values;
    for (const std::string &v : vars) {
      if (auto known = named(v)) values[v] = *known;
      else if (bind) frame_->dims[v] = Dim::var(v);
      else {
        Value value = lookup(v, expr.span, true);
        if (value.kind == ValueKind::Int && !value.expr) values[v] = value.sym;
        else {
          undefined(v, expr.span);
          return std::nullopt;
        }
      }
      if (!values.count(v) || values[v] == Dim::var(v)) use(v);
    }
    return dim->substitute(values);
  }
  if (auto *name = as<ast::NameExpr>(&expr)) {
    if (auto known = named(name->name)) {
      if (known->isVar()) use(known->varName());
      return known;
    }
    Value v = lookup(name->name, expr.span, true);
    if (v.kind == ValueKind::Int && !v.expr) return v.sym;
    unknownDimension(name->name, expr.span);
    return std::nullopt;
  }
  if (auto *binary = as<ast::BinaryExpr>(&expr)) {
    auto a = dimOf(*binary->left, bind), b = dimOf(*binary->right, bind);
    if (!a || !b) return std::nullopt;
    switch (binary->op) {
    case ast::BinaryOp::Add: return *a + *b;
    case ast::BinaryOp::Sub: return *a - *b;
    case ast::BinaryOp::Mul: return *a * *b;
    case ast::BinaryOp::FloorDiv: return Dim::floorDiv(*a, *b);
    case ast::BinaryOp::Mod: return Dim::mod(*a, *b);
    default: break;
    }
    report(Id::notAType, expr.span, "dimensions are made with + - * // and %");
    return std::nullopt;
  }
  Value v = checkExpr(expr);
  if (v.kind == ValueKind::Int && !v.expr) {
    if (v.isKnownInt() && v.sym.constant() < 0) {
      report(Id::notAType, expr.span, "a dimension is not negative");
      return std::nullopt;
    }
    return v.sym;
  }
  if (!v.isPoison()) report(Id::notAType, expr.span, "a dimension is an integer, but this is " + describe(v));
  return std::nullopt;
}

/// The last item of a tensor's type, where it is no dimension that there is but nearly the name of a dtype.
bool Checker::misspeltDType(const ast::Expr &expr) {
  auto *name = as<ast::NameExpr>(&expr);
  if (!name) return false;
  for (Frame *f = frame_.get(); f; f = f->parent.get())
    if (f->dims.count(name->name) || f->generics.count(name->name)) return false;
  if (!lookup(name->name, expr.span, true).isPoison()) return false;
  std::vector<std::string_view> known;
  for (std::string_view d : dtypeNames()) known.push_back(d);
  auto near = diag::didYouMean(name->name, known);
  if (near.empty()) return false;
  if (fresh(Id::notAType, expr.span))
    report(Id::notAType, expr.span, "I know no dtype `" + name->name + "`")
        .help("did you mean `" + std::string(near) + "`?")
        .fix(expr.span, std::string(near), "write `" + std::string(near) + "`");
  return true;
}

/// A name that stands for a dimension and is none.
void Checker::unknownDimension(const std::string &name, Span span) {
  bool generic = false;
  std::vector<std::string> known;
  for (Frame *f = frame_.get(); f; f = f->parent.get()) {
    generic |= f->generics.count(name) != 0;
    for (const auto &[n, d] : f->dims) known.push_back(n);
  }
  if (generic) {
    if (frame_->function && frame_->function->def)
      for (const ast::TypeParameter &t : frame_->function->def->typeParameters)
        if (t.name.text == name) span = t.name.span;
    if (fresh(Id::unboundDimension, span))
      report(Id::unboundDimension, span, name)
          .help("it occurs only inside expressions; some parameter must have it as a dimension of its own");
    return;
  }
  if (!fresh(Id::undefinedName, span)) return;
  std::vector<std::string_view> views(known.begin(), known.end());
  auto near = name.size() > 1 ? diag::didYouMean(name, views) : std::string_view();
  auto builder = report(Id::undefinedName, span, name);
  if (!near.empty())
    builder.help("did you mean `" + std::string(near) + "`?")
        .fix(span, std::string(near), "write `" + std::string(near) + "`");
  else
    builder
        .help("a dimension is declared behind the function's name, `def f[" + name + "](...)`, or stands in quotes")
        .suggest(span, "\"" + name + "\"", "put it in quotes");
}

bool Checker::dtypeByKeyword(const ast::SubscriptExpr &expr) {
  for (const ast::Argument &item : expr.items)
    if (item.keyword && item.keyword->text == "dtype") return true;
  return false;
}

bool Checker::tensorType(const ast::SubscriptExpr &expr, Type &type, std::vector<const ast::Expr *> *dims) {
  std::vector<const ast::Expr *> shape;
  const ast::Expr *dtype = nullptr;
  std::vector<const ast::Expr *> policies;
  for (const ast::Argument &item : expr.items) {
    if (item.keyword) {
      if (item.keyword->text == "dtype") dtype = item.value.get();
      else {
        report(Id::unknownKeyword, item.keyword->span, "Tensor", item.keyword->text);
        return false;
      }
    } else if (auto *policy = as<ast::PolicyExpr>(item.value)) {
      policies.push_back(policy->policy.get());
    } else if (!dtype && isDTypeExpr(*item.value)) {
      dtype = item.value.get();
    } else {
      shape.push_back(item.value.get());
    }
  }
  if (!dtype) {
    if (!shape.empty() && misspeltDType(*shape.back())) return false;
    if (fresh(Id::notAType, expr.span))
      report(Id::notAType, expr.span, "the dtype is missing").help("it stands last: `Tensor[M, N, f32]`");
    return false;
  }
  if (!shape.empty() && dtype->span.begin < shape.back()->span.begin && !dtypeByKeyword(expr)) {
    std::string dims, last(sources_.text(dtype->span));
    for (const ast::Expr *d : shape) dims += std::string(sources_.text(d->span)) + ", ";
    if (fresh(Id::notAType, dtype->span)) {
      auto builder = report(Id::notAType, dtype->span, "the dtype stands last");
      if (policies.empty())
        builder.fix(expr.items.front().span.to(expr.items.back().span), dims + last, "put it behind the dimensions");
    }
    return false;
  }
  if (!dtypeItem(*dtype, type)) return false;
  for (const ast::Expr *policy : policies)
    if (!policyOf(*policy, type.numerics)) return false;
  type.kind = TypeKind::Tensor;
  if (dims) {
    *dims = std::move(shape);
    return true;
  }
  for (const ast::Expr *d : shape) {
    auto dim = dimOf(*d, bindDims_);
    if (!dim) return false;
    type.shape.push_back(*dim);
  }
  return true;
}

/// Optional[T] and Union[A, B] of Python's typing module: said with how they are written here.
bool Checker::foreignUnion(const ast::SubscriptExpr &expr, const std::string &name) {
  std::string last = name.substr(name.rfind('.') + 1), text;
  if (last != "Optional" && last != "Union") return false;
  for (const ast::Argument &item : expr.items)
    text += (text.empty() ? "" : " | ") + std::string(sources_.text(item.value->span));
  if (last == "Optional") text += " | None";
  if (fresh(Id::notAType, expr.span))
    report(Id::notAType, expr.span, "`" + last + "[...]`")
        .help("alternatives are written with `|`")
        .fix(expr.span, text, "write `" + text + "`");
  return true;
}

std::optional<Type> Checker::parameterType(const ast::Expr &annotation) {
  Type type;
  if (auto *binary = as<ast::BinaryExpr>(&annotation);
      binary && binary->op == ast::BinaryOp::MatMul && !isDTypeExpr(annotation)) {
    auto inner = parameterType(*binary->left);
    if (!inner || !policyOf(*binary->right, inner->numerics)) return std::nullopt;
    return inner;
  }
  if (isDTypeExpr(annotation)) {
    if (!dtypeItem(annotation, type)) return std::nullopt;
    type.kind = TypeKind::Scalar;
    return type;
  }
  if (auto *index = as<ast::SubscriptExpr>(&annotation)) {
    std::string text(sources_.text(index->object->span));
    if (text == "KVCache") {
      if (!stateType(*index, type, nullptr)) return std::nullopt;
      return type;
    }
    for (const char *later : {"OptimizerState", "Distribution", "Dict", "Tile", "Int"})
      if (text == later) {
        unsupported("the type `" + text + "[...]`", annotation.span);
        return std::nullopt;
      }
    if (foreignUnion(*index, text)) return std::nullopt;
    Value object = checkExpr(*index->object);
    if (object.isPoison()) return std::nullopt;
    if (object.kind == ValueKind::TypeName && object.text == "Tensor") {
      if (!tensorType(*index, type, nullptr)) return std::nullopt;
      return type;
    }
    if (object.kind == ValueKind::TypeName && object.text == "Const" && index->items.size() == 1) {
      auto dim = dimOf(*index->items[0].value, bindDims_);
      if (!dim) return std::nullopt;
      type = indexType();
      type.shape = {*dim};
      return type;
    }
  } else if (annotation.kind == ast::ExprKind::Name || annotation.kind == ast::ExprKind::Attribute) {
    std::string text(sources_.text(annotation.span));
    if (text == "Rng") {
      type.kind = TypeKind::Stream;
      return type;
    }
    Value v = checkExpr(annotation);
    if (v.isPoison()) return std::nullopt;
    if ((v.kind == ValueKind::TypeName && v.text == "Int") ||
        (v.kind == ValueKind::Builtin && v.builtin->name == "int"))
      return indexType();
    if (v.kind == ValueKind::Builtin && v.builtin->name == "str") {
      type.kind = TypeKind::String;
      return type;
    }
    if (v.kind == ValueKind::TypeName && v.text == "Tensor") {
      if (fresh(Id::notAType, annotation.span)) report(Id::notAType, annotation.span, "a tensor's dimensions and dtype are missing")
          .help("for example `Tensor[\"N\", f32]`");
      return std::nullopt;
    }
  }
  if (fresh(Id::notAType, annotation.span))
    report(Id::notAType, annotation.span, "`" + std::string(sources_.text(annotation.span)) + "`");
  return std::nullopt;
}

Value Checker::typeOf(const ast::Expr &expr) {
  Value v = Value::of(ValueKind::TypeName);
  v.text = std::string(sources_.text(expr.span));
  return v;
}

}  // namespace tessera::sema
