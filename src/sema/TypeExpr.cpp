// Types as they are written: Tensor[M, K, bf16 @accum(f32)], Const[H], f32, Int, unions with None.
#include "sema/Checker.h"
#include <algorithm>

namespace tessera::sema {

using ast::as;

namespace {
bool isIdentifier(const std::string &text) {
  if (text.empty() || (text[0] >= '0' && text[0] <= '9')) return false;
  return std::all_of(text.begin(), text.end(),
                     [](unsigned char c) { return std::isalnum(c) || c == '_' || c >= 128; });
}
}  // namespace

const ast::Expr *Checker::optionalType(const ast::Expr &expr) {
  auto *u = as<ast::BinaryExpr>(&expr);
  if (!u || u->op != ast::BinaryOp::BitOr) return nullptr;
  if (u->right->kind == ast::ExprKind::None) return u->left.get();
  return u->left->kind == ast::ExprKind::None ? u->right.get() : nullptr;
}

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
        .fix(callee.span, std::string(near), "write `@" + std::string(near) + "`");
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
    if (fresh(Id::undefinedName, expr.span))
      report(Id::undefinedName, expr.span, name->name)
          .help("a dimension is declared behind the function's name, `def f[" + name->name +
                "](...)`, or stands in quotes")
          .fix(expr.span, "\"" + name->name + "\"", "put it in quotes");
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
    if (fresh(Id::notAType, expr.span))
      report(Id::notAType, expr.span, "the dtype is missing").help("it stands last: `Tensor[M, N, f32]`");
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

std::optional<Type> Checker::parameterType(const ast::Expr &annotation, bool &mayBeNone) {
  if (const ast::Expr *inner = optionalType(annotation)) {
    mayBeNone = true;
    return parameterType(*inner, mayBeNone);
  }
  Type type;
  if (auto *binary = as<ast::BinaryExpr>(&annotation);
      binary && binary->op == ast::BinaryOp::MatMul && !isDTypeExpr(annotation)) {
    auto inner = parameterType(*binary->left, mayBeNone);
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
    for (const char *later : {"KVCache", "OptimizerState", "Distribution", "Dict", "Tile", "Int"})
      if (text == later) {
        unsupported("the type `" + text + "[...]`", annotation.span);
        return std::nullopt;
      }
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
      report(Id::notAType, annotation.span, "a tensor's dimensions and dtype are missing")
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

// ---------------------------------------------------------------- arguments of traced calls

bool Checker::unifyDims(const std::vector<const ast::Expr *> &declared, const Value &value, const Type &,
                        Span span) {
  const std::vector<Dim> &have = value.kind == ValueKind::View ? value.var->type.shape : value.type.shape;
  std::set<std::string> generic;
  if (frame_->function && frame_->function->def)
    for (const ast::TypeParameter &t : frame_->function->def->typeParameters) generic.insert(t.name.text);
  std::vector<std::optional<Dim>> bound(have.size());
  for (size_t i = 0; i < have.size(); ++i) {
    auto *text = as<ast::StringExpr>(declared[i]);
    auto *name = as<ast::NameExpr>(declared[i]);
    std::string variable = text && isIdentifier(text->value)   ? text->value
                           : name && generic.count(name->name) ? name->name
                                                               : "";
    if (!variable.empty() && !frame_->dims.count(variable)) {
      frame_->dims[variable] = have[i];
      bound[i] = have[i];
    }
  }
  for (size_t i = 0; i < have.size(); ++i) {
    if (bound[i]) continue;
    auto want = dimOf(*declared[i], false);
    if (!want) return false;
    if (sameDim(*want, have[i], span, "this call needs " + show(*want) + " == " + show(have[i]))) continue;
    if (fresh(Id::shapeMismatch, span)) {
      std::vector<Dim> expected = have;
      expected[i] = *want;
      auto builder = report(Id::shapeMismatch, span, shapeText(expected), shapeText(have));
      builder.note(declared[i]->span, "expected because of this");
      explainClaim(builder, {*want, Relation::Eq, have[i]});
    }
    return false;
  }
  return true;
}

bool Checker::matchParameter(const Value &value, const ast::Expr &annotation, const std::string &name,
                             Span span, Value &out) {
  if (value.isPoison()) return false;
  if (const ast::Expr *inner = optionalType(annotation)) {
    if (value.kind == ValueKind::None) {
      out = value;
      return true;
    }
    return matchParameter(value, *inner, name, span, out);
  }
  auto wrong = [&](const std::string &wanted) {
    if (fresh(Id::wrongArgument, span))
      report(Id::wrongArgument, span, name, wanted, describe(value)).note(annotation.span, "declared here");
    return false;
  };
  auto *index = as<ast::SubscriptExpr>(&annotation);
  Value object = index ? checkExpr(*index->object) : Value::of(ValueKind::None);
  if (index && object.kind == ValueKind::TypeName && object.text == "Tensor") {
    Type type;
    std::vector<const ast::Expr *> dims;
    if (!tensorType(*index, type, &dims)) return false;
    bool array = value.isArray() || value.kind == ValueKind::View;
    if (!array) return wrong("`" + std::string(sources_.text(annotation.span)) + "`");
    const Type &have = value.kind == ValueKind::View ? value.var->type : value.type;
    if (have.shape.size() != dims.size()) {
      if (fresh(Id::rankMismatch, span))
        report(Id::rankMismatch, span, std::to_string(dims.size()), std::to_string(have.shape.size()))
            .note(annotation.span, "`" + name + "` is declared here");
      return false;
    }
    if (!unifyDims(dims, value, type, span)) return false;
    if (have.dtype != type.dtype && (value.kind == ValueKind::View || narrows(have, type.dtype))) {
      if (fresh(Id::narrowing, span))
        report(Id::narrowing, span, std::string(tessera::name(have.dtype)),
               std::string(tessera::name(type.dtype)))
            .note(annotation.span, "`" + name + "` is declared here");
      return false;
    }
    out = value;
    if (value.kind == ValueKind::Array) {
      if (have.dtype != type.dtype) out = castTo(value, type.dtype, type.numerics, span);
      if (type.numerics.accumulate) out.type.numerics.accumulate = type.numerics.accumulate;
    }
    return true;
  }
  bool mayBeNone = false;
  bool constant = index && object.kind == ValueKind::TypeName && object.text == "Const";
  if (constant && index->items.size() == 1) {
    Value v = convertInt(value, span);
    if (v.isPoison()) return false;
    if (v.expr) return wrong("an integer that the compiler knows, or a dimension");
    auto *n = as<ast::NameExpr>(index->items[0].value);
    if (n && !frame_->dims.count(n->name)) frame_->dims[n->name] = v.sym;
    out = v;
    return true;
  }
  auto type = parameterType(annotation, mayBeNone);
  if (!type) return false;
  if (type->kind == TypeKind::Index) {
    out = convertInt(value, span);
    return !out.isPoison();
  }
  if (type->kind == TypeKind::String) {
    out = value;
    return value.kind == ValueKind::String || wrong("a string");
  }
  if (type->kind == TypeKind::Stream) {
    out = value;
    return value.kind == ValueKind::Rng || wrong("a stream of random numbers");
  }
  bool known =
      value.kind == ValueKind::Float || value.kind == ValueKind::Bool || (value.isKnownInt() && !value.expr);
  if (known && isFloat(type->dtype) && value.kind != ValueKind::Bool) {
    out = value.kind == ValueKind::Float ? value : Value::real(static_cast<double>(value.sym.constant()));
    return true;
  }
  if (value.kind == ValueKind::Bool && type->dtype == DType::Bool) {
    out = value;
    return true;
  }
  if (value.isArray()) return wrong("a scalar");
  ExprPtr e = leave(value, *type, span, "`" + name + "`");
  if (!e) return false;
  out = finish(std::move(e), *type, {}, span);
  return true;
}

}  // namespace tessera::sema
