#include "sema/advice/ShapesOfValues.h"
#include "frontend/Walk.h"
#include "sema/Builtins.h"
#include "support/DType.h"
#include <algorithm>
#include <set>

namespace tessera::sema {

using ast::as;

namespace {

constexpr int kMostDepth = 64;

bool isArray(const Outline &x) { return x.kind == Outline::Array; }
/// A number stands beside an array as one of its elements.
bool isOperand(const Outline &x) { return x.kind == Outline::Array || x.kind == Outline::Number; }
std::optional<int64_t> integer(const Outline &x) {
  if (x.kind != Outline::Number || !x.number.isDefined() || !x.number.isConstant()) return std::nullopt;
  return x.number.constant();
}

/// The result has the shape of the first argument.
bool keepsShape(const std::string &name) {
  static const std::set<std::string> names = {
      "softmax", "log_softmax", "softmax_safe", "log_softmax_safe", "relu",   "gelu",    "gelu_tanh", "silu",   "softplus", "leaky_relu", "elu",
      "sigmoid", "logsigmoid",  "normalize",    "cumsum",           "cumprod", "cummax",  "cummin",    "sort",   "argsort",  "flip",       "roll",
      "tril",    "triu",        "zeros_like",   "ones_like",        "cast",   "astype",  "stop_gradient", "clip", "sign",   "square",     "reciprocal",
      "rmsnorm_safe", "layernorm_safe", "nan_to_num", "hardswish", "mish", "selu", "relu6"};
  return names.count(name) != 0;
}
bool spreads(const std::string &name) {
  static const std::set<std::string> names = {"maximum", "minimum", "where", "pow", "atan2", "hypot", "logaddexp", "lerp", "fma", "fmod", "remainder"};
  return names.count(name) != 0;
}
/// The mean of a batch is one number.
bool isLoss(const std::string &name) {
  static const std::set<std::string> names = {"mse", "mae", "huber", "cross_entropy", "bce_with_logits", "smooth_l1", "nll", "kl_div"};
  return names.count(name) != 0;
}

const ast::Argument *keyword(const ast::CallExpr &call, std::string_view name) {
  for (const ast::Argument &argument : call.arguments)
    if (argument.keyword && argument.keyword->text == name) return &argument;
  return nullptr;
}

bool isDTypeItem(const ast::Expr &item) {
  if (item.kind == ast::ExprKind::Policy) return true;
  if (auto *binary = as<ast::BinaryExpr>(&item)) return binary->op == ast::BinaryOp::MatMul;
  auto *name = as<ast::NameExpr>(&item);
  return name && dtypeByName(name->name);
}

}  // namespace

bool areAlike(const Outline &a, const Outline &b) {
  auto same = [](const Dim &x, const Dim &y) { return x == y || (!x.isDefined() && !y.isDefined()); };
  if (a.kind != b.kind || !same(a.number, b.number)) return false;
  auto sameField = [](const auto &x, const auto &y) { return x.first == y.first && areAlike(x.second, y.second); };
  return std::equal(a.shape.begin(), a.shape.end(), b.shape.begin(), b.shape.end(), same) &&
         std::equal(a.items.begin(), a.items.end(), b.items.begin(), b.items.end(), areAlike) &&
         std::equal(a.fields.begin(), a.fields.end(), b.fields.begin(), b.fields.end(), sameField);
}

bool isReduction(const std::string &name) {
  static const std::set<std::string> names = {"sum",  "mean",   "max",    "min", "prod", "var",  "std",       "any",
                                              "all",  "argmax", "argmin", "norm", "logsumexp", "count_nonzero", "nansum", "nanmean"};
  return names.count(name) != 0;
}

Outline ShapesOfValues::declared(const ast::Expr &type, const Outlines &names) {
  if (auto *name = as<ast::NameExpr>(&type); name && dtypeByName(name->name)) return Outline::array({});
  auto *list = as<ast::SubscriptExpr>(&type);
  auto *head = as<ast::NameExpr>(list ? list->object.get() : &type);
  if (!head) return {};
  if (list && head->name == "Tensor") {
    Extents shape;
    for (const ast::Argument &item : list->items) {
      const Outline extent = of(*item.value, names);
      if (extent.kind == Outline::Number && !item.keyword) shape.push_back(extent.number);
      else if (&item != &list->items.back() || !isDTypeItem(*item.value)) return {};
    }
    return Outline::array(std::move(shape));
  }
  if (list && head->name == "tuple") {
    Outline out = Outline::ofKind(Outline::Tuple);
    for (const ast::Argument &item : list->items) out.items.push_back(declared(*item.value, names));
    return out;
  }
  for (const ast::StmtPtr &stmt : module_.body) {
    auto *def = as<ast::StructDef>(stmt);
    if (!def || def->name.text != head->name || def->typeParameters.size() != (list ? list->items.size() : 0) || ++depth_ > kMostDepth) continue;
    Outlines own;
    for (size_t i = 0; i < def->typeParameters.size(); ++i) own[def->typeParameters[i].name.text] = of(*list->items[i].value, names);
    Outline out = Outline::ofKind(Outline::Record);
    for (const ast::StmtPtr &part : def->body)
      if (auto *field = as<ast::AnnAssignStmt>(part); field && field->annotation)
        if (auto *name = as<ast::NameExpr>(field->target)) out.fields[name->name] = declared(*field->annotation, own);
    --depth_;
    return out;
  }
  return {};
}

/// What the module gives a name once, and is a number: `WIDTH = 4 * 64`.
const Outlines &ShapesOfValues::constants() {
  if (constants_) return *constants_;
  constants_.emplace();
  std::map<std::string, const ast::Expr *> given;
  for (const ast::StmtPtr &stmt : module_.body) {
    auto *assign = as<ast::AssignStmt>(stmt);
    auto *changed = as<ast::AugAssignStmt>(stmt);
    const ast::Expr *target = assign && assign->targets.size() == 1 ? assign->targets[0].get() : changed ? changed->target.get() : nullptr;
    auto *name = as<ast::NameExpr>(target);
    if (!name) continue;
    auto [known, isNew] = given.try_emplace(name->name, assign ? assign->value.get() : nullptr);
    if (!isNew) known->second = nullptr;
    const Outline value = known->second ? of(*known->second, *constants_) : Outline{};
    if (value.kind == Outline::Number && value.number.isConstant()) (*constants_)[name->name] = value;
    else constants_->erase(name->name);
  }
  return *constants_;
}

Outline ShapesOfValues::of(const ast::Expr &e, const Outlines &names) {
  if (depth_ > kMostDepth) return {};
  ++depth_;
  Outline found;
  switch (e.kind) {
  case ast::ExprKind::Name: {
    auto known = names.find(static_cast<const ast::NameExpr &>(e).name);
    if (known != names.end()) found = known->second;
    else if (auto constant = constants().find(static_cast<const ast::NameExpr &>(e).name); constant != constants().end()) found = constant->second;
    break;
  }
  case ast::ExprKind::Int: {
    auto &number = static_cast<const ast::IntExpr &>(e);
    found = Outline::of(number.tooLarge || number.value > INT64_MAX ? Dim::undefined() : Dim(static_cast<int64_t>(number.value)));
    break;
  }
  case ast::ExprKind::Float: found = Outline::array({}); break;
  case ast::ExprKind::Unary: {
    auto &minus = static_cast<const ast::UnaryExpr &>(e);
    found = of(*minus.operand, names);
    if (found.kind == Outline::Number) found.number = minus.op == ast::UnaryOp::Neg ? Dim(0) - found.number : Dim::undefined();
    break;
  }
  case ast::ExprKind::Binary: found = binary(static_cast<const ast::BinaryExpr &>(e), names); break;
  case ast::ExprKind::Compare: {
    auto &compare = static_cast<const ast::CompareExpr &>(e);
    found = of(*compare.operands[0], names);
    for (size_t i = 1; i < compare.operands.size(); ++i) found = combined(found, of(*compare.operands[i], names), ast::BinaryOp::Add);
    if (found.kind == Outline::Number) found = Outline::of(Dim::undefined());
    break;
  }
  case ast::ExprKind::Tuple:
  case ast::ExprKind::List:
    found.kind = Outline::Tuple;
    for (const ast::ExprPtr &item : static_cast<const ast::SequenceExpr &>(e).items) found.items.push_back(of(*item, names));
    break;
  case ast::ExprKind::Attribute: found = attribute(static_cast<const ast::AttributeExpr &>(e), names); break;
  case ast::ExprKind::Subscript: found = subscript(static_cast<const ast::SubscriptExpr &>(e), names); break;
  case ast::ExprKind::Call: found = call(static_cast<const ast::CallExpr &>(e), names); break;
  default: break;
  }
  --depth_;
  return found;
}

Outline ShapesOfValues::combined(const Outline &a, const Outline &b, ast::BinaryOp op) {
  using ast::BinaryOp;
  if (op == BinaryOp::MatMul) return isArray(a) && isArray(b) ? Outline::of(algebra_.product(a.shape, b.shape)) : Outline{};
  if (a.kind == Outline::Number && b.kind == Outline::Number) {
    const bool known = a.number.isDefined() && b.number.isDefined();
    switch (op) {
    case BinaryOp::Add: return Outline::of(a.number + b.number);
    case BinaryOp::Sub: return Outline::of(a.number - b.number);
    case BinaryOp::Mul: return Outline::of(a.number * b.number);
    case BinaryOp::FloorDiv: return Outline::of(known ? Dim::floorDiv(a.number, b.number) : Dim::undefined());
    case BinaryOp::Mod: return Outline::of(known ? Dim::mod(a.number, b.number) : Dim::undefined());
    default: return Outline::array({});
    }
  }
  if (!isOperand(a) || !isOperand(b)) return {};
  return Outline::of(algebra_.broadcast(a.shape, b.shape));
}
Outline ShapesOfValues::binary(const ast::BinaryExpr &e, const Outlines &names) {
  const Outline left = of(*e.left, names), right = of(*e.right, names);
  return combined(left, right, e.op);
}

Outline ShapesOfValues::attribute(const ast::AttributeExpr &e, const Outlines &names) {
  const Outline object = of(*e.object, names);
  const std::string &name = e.attribute.text;
  if (object.kind == Outline::Record) {
    auto field = object.fields.find(name);
    return field == object.fields.end() ? Outline{} : field->second;
  }
  if (!isArray(object)) return {};
  if (name == "T") {
    Extents turned = object.shape;
    std::reverse(turned.begin(), turned.end());
    return Outline::array(std::move(turned));
  }
  if (name != "shape") return {};
  Outline shape = Outline::ofKind(Outline::Tuple);
  for (const Dim &extent : object.shape) shape.items.push_back(Outline::of(extent));
  return shape;
}

/// How many elements `a:b` takes.
Dim ShapesOfValues::extentOf(const ast::SliceExpr &slice, const Dim &whole, const Outlines &names) {
  if (slice.step) return Dim::undefined();
  auto bound = [&](const ast::ExprPtr &e, const Dim &otherwise) {
    if (!e) return otherwise;
    const Outline at = of(*e, names);
    if (at.kind != Outline::Number || !at.number.isDefined()) return Dim::undefined();
    return at.number.isConstant() && at.number.constant() < 0 ? whole + at.number : at.number;
  };
  return bound(slice.stop, whole) - bound(slice.start, Dim(0));
}

Outline ShapesOfValues::subscript(const ast::SubscriptExpr &e, const Outlines &names) {
  const Outline object = of(*e.object, names);
  if (object.kind == Outline::Tuple) {
    const std::optional<int64_t> at = e.items.size() == 1 ? integer(of(*e.items[0].value, names)) : std::nullopt;
    if (!at) return {};
    const int64_t i = *at < 0 ? *at + static_cast<int64_t>(object.items.size()) : *at;
    return i >= 0 && i < static_cast<int64_t>(object.items.size()) ? object.items[static_cast<size_t>(i)] : Outline{};
  }
  if (!isArray(object)) return {};
  size_t taken = 0, axis = 0;
  for (const ast::Argument &item : e.items) taken += item.value->kind != ast::ExprKind::None && item.value->kind != ast::ExprKind::Ellipsis;
  if (taken > object.shape.size()) return Outline::of(algebra_.fails());
  Extents out;
  for (const ast::Argument &item : e.items) {
    const ast::Expr &value = *item.value;
    if (item.keyword || item.stars) return {};
    if (value.kind == ast::ExprKind::None) {
      out.push_back(Dim(1));
    } else if (value.kind == ast::ExprKind::Ellipsis) {
      for (size_t rest = object.shape.size() - taken; rest > 0; --rest) out.push_back(object.shape[axis++]);
    } else if (auto *slice = as<ast::SliceExpr>(&value)) {
      out.push_back(extentOf(*slice, object.shape[axis], names)), ++axis;
    } else {
      const Outline index = of(value, names);
      if (index.kind == Outline::Unknown && value.kind != ast::ExprKind::Name) return {};
      if (isArray(index) && !index.shape.empty()) return {};  // elements by their places
      ++axis;
    }
  }
  while (axis < object.shape.size()) out.push_back(object.shape[axis++]);
  return Outline::array(std::move(out));
}

// ---------------------------------------------------------------- calls

/// The axes that a call is given at a place or by name; none: it is not given any. Nothing: they are not known.
std::optional<std::vector<int64_t>> ShapesOfValues::axesOf(const Call &call, size_t at) {
  const ast::Argument *named = keyword(call.expr, "axis");
  if (!named) named = keyword(call.expr, "dim");
  Outline axes;
  if (named) axes = of(*named->value, call.names);
  else if (at < call.given.size()) axes = call.given[at];
  else return std::vector<int64_t>{};
  if (const std::optional<int64_t> one = integer(axes)) return std::vector<int64_t>{*one};
  std::vector<int64_t> found;
  for (const Outline &item : axes.items) {
    const std::optional<int64_t> one = integer(item);
    if (!one) return std::nullopt;
    found.push_back(*one);
  }
  return axes.kind == Outline::Tuple ? std::optional(found) : std::nullopt;
}

Outline ShapesOfValues::reduction(const Call &call) {
  const auto axes = axesOf(call, 1);
  const ast::Argument *keeps = keyword(call.expr, "keepdim");
  if (!axes || (keeps && keeps->value->kind != ast::ExprKind::Bool)) return {};
  return Outline::of(algebra_.reduced(call.given[0].shape, *axes, keeps && static_cast<const ast::BoolExpr &>(*keeps->value).value));
}

std::optional<Extents> ShapesOfValues::extentsOf(const std::vector<Outline> &given, size_t from) {
  const std::vector<Outline> &items = given.size() == from + 1 && given[from].kind == Outline::Tuple ? given[from].items : given;
  Extents sizes;
  for (size_t i = &items == &given ? from : 0; i < items.size(); ++i) {
    if (items[i].kind != Outline::Number) return std::nullopt;
    sizes.push_back(items[i].number);
  }
  return sizes;
}

void ShapesOfValues::bind(const ast::Expr &type, const Outline &given, Outlines &dims) {
  auto *list = as<ast::SubscriptExpr>(&type);
  auto *head = list ? as<ast::NameExpr>(list->object) : nullptr;
  if (!head || head->name != "Tensor" || !isArray(given)) return;
  for (size_t i = 0; i < list->items.size() && i < given.shape.size(); ++i)
    if (auto *name = as<ast::NameExpr>(list->items[i].value)) {
      auto dim = dims.find(name->name);
      if (dim != dims.end() && !dim->second.number.isDefined()) dim->second.number = given.shape[i];
    }
}

/// A function of the module: its dimensions are those of what it is given.
Outline ShapesOfValues::ofFunction(const ast::FuncDef &def, const ast::CallExpr &e, const Outlines &names) {
  if (!def.result || !def.decorators.empty()) return {};
  Outlines dims;
  for (const ast::TypeParameter &t : def.typeParameters)
    if (!t.bound) dims[t.name.text] = Outline::of(Dim::undefined());
  std::vector<std::pair<const ast::Expr *, Outline>> given;
  for (size_t i = 0; i < e.arguments.size(); ++i) {
    const ast::Argument &argument = e.arguments[i];
    if (argument.stars) return {};
    const ast::Parameter *p = !argument.keyword && i < def.parameters.size() ? &def.parameters[i] : nullptr;
    for (const ast::Parameter &other : def.parameters)
      if (argument.keyword && argument.keyword->text == other.name.text) p = &other;
    if (!p || !p->annotation) return {};
    given.emplace_back(p->annotation.get(), of(*argument.value, names));
    bind(*p->annotation, given.back().second, dims);
  }
  for (const auto &[type, value] : given) {
    const Outline wanted = declared(*type, dims);
    if (isArray(wanted) && isArray(value)) algebra_.expectSame(wanted.shape, value.shape);
  }
  return declared(*def.result, dims);
}

Outline ShapesOfValues::call(const ast::CallExpr &e, const Outlines &names) {
  auto *method = as<ast::AttributeExpr>(e.callee);
  auto *function = as<ast::NameExpr>(e.callee);
  if (!method && !function) return {};
  if (function) {
    if (names.count(function->name)) return {};
    for (const ast::StmtPtr &stmt : module_.body)
      if (auto *def = as<ast::FuncDef>(stmt); def && def->name.text == function->name) return ofFunction(*def, e, names);
  }
  std::vector<Outline> given;
  if (method) {
    given.push_back(of(*method->object, names));
    if (!isArray(given[0])) return {};
  }
  for (const ast::Argument &argument : e.arguments) {
    if (argument.stars) return {};
    if (!argument.keyword) given.push_back(of(*argument.value, names));
  }
  return ofName(method ? method->attribute.text : function->name, {e, given, names});
}

/// A call of the language or of its library, with what it is given by place.
Outline ShapesOfValues::ofName(const std::string &name, const Call &call) {
  const std::vector<Outline> &given = call.given;
  if (name == "concat" || name == "stack" || name == "einsum") return ofSeveral(name, call);
  if (given.empty()) return {};
  if (given[0].kind == Outline::Tuple || name == "eye" || name == "arange") return ofSizes(name, call);
  if (!isOperand(given[0])) return {};
  const BuiltinRow *row = builtinByName(name, 'P');
  if (spreads(name) || (row && row->kind == BuiltinKind::Elementwise)) {
    Outline out = given[0].kind == Outline::Number ? Outline::array({}) : given[0];
    for (size_t i = 1; i < given.size(); ++i) out = combined(out, given[i], ast::BinaryOp::Add);
    return out;
  }
  if (keepsShape(name) || (dtypeByName(name) && given.size() == 1)) return Outline::array(given[0].shape);
  if (isLoss(name)) return Outline::array({});
  if (!isArray(given[0])) return {};
  if (isReduction(name)) return reduction(call);
  if (name == "transpose" || name == "swapaxes" || name == "permute" || name == "unsqueeze" || name == "squeeze") return ofAxes(name, call);
  if (name == "reshape") {
    std::optional<Extents> sizes = extentsOf(given, 1);
    return sizes ? Outline::of(algebra_.reshaped(given[0].shape, std::move(*sizes))) : Outline{};
  }
  return given.size() < 2 ? Outline{} : ofPair(name, call);
}

/// What is made of sizes alone.
Outline ShapesOfValues::ofSizes(const std::string &name, const Call &call) {
  const Outline &first = call.given[0];
  if (name == "zeros" || name == "ones" || name == "full") return Outline::of(extentsOf({first}, 0));
  if (call.given.size() > 1 || first.kind != Outline::Number) return {};
  if (name == "eye") return Outline::array({first.number, first.number});
  return name == "arange" ? Outline::array({first.number}) : Outline{};
}

/// A list of arrays, or one behind the other.
Outline ShapesOfValues::ofSeveral(const std::string &name, const Call &call) {
  const std::vector<Outline> &given = call.given;
  const bool sums = name == "einsum";
  const std::vector<Outline> parts = sums && !given.empty() ? std::vector<Outline>(given.begin() + 1, given.end())
                                     : !given.empty() && given[0].kind == Outline::Tuple ? given[0].items
                                                                                        : given;
  std::vector<Extents> shapes;
  for (const Outline &part : parts)
    if (isArray(part)) shapes.push_back(part.shape);
  if (shapes.empty() || shapes.size() != parts.size()) return {};
  if (sums) {
    auto *equation = as<ast::StringExpr>(call.expr.arguments[0].value);
    return equation ? Outline::of(algebra_.summed(equation->value, shapes)) : Outline{};
  }
  const auto axes = axesOf(call, given.size());
  if (!axes || axes->size() > 1) return {};
  const int64_t axis = axes->empty() ? 0 : axes->front();
  return Outline::of(name == "concat" ? algebra_.joined(shapes, axis) : algebra_.stacked(shapes, axis));
}

/// Axes in another order, one more, one less.
Outline ShapesOfValues::ofAxes(const std::string &name, const Call &call) {
  const Extents &x = call.given[0].shape;
  std::vector<int64_t> numbers;
  for (size_t i = 1; i < call.given.size(); ++i)
    if (const std::optional<int64_t> number = integer(call.given[i])) numbers.push_back(*number);
    else return {};
  if (name == "permute") return numbers.empty() ? Outline{} : Outline::of(algebra_.permuted(x, numbers));
  if (name == "transpose" || name == "swapaxes") {
    if (numbers.size() == 2) return Outline::of(algebra_.exchanged(x, numbers[0], numbers[1]));
    return numbers.empty() && x.size() == 2 ? Outline::array({x[1], x[0]}) : Outline{};
  }
  const auto axes = axesOf(call, 1);
  if (!axes || axes->size() != 1) return {};
  const bool more = name == "unsqueeze";
  const std::optional<size_t> at = algebra_.axisOf(axes->front(), x.size() + (more ? 1 : 0));
  if (!at || (!more && algebra_.differ(x[*at], Dim(1)))) return Outline::of(algebra_.fails());
  Extents out = x;
  if (more) out.insert(out.begin() + static_cast<std::ptrdiff_t>(*at), Dim(1));
  else out.erase(out.begin() + static_cast<std::ptrdiff_t>(*at));
  return Outline::array(std::move(out));
}

/// Of an array and something beside it.
Outline ShapesOfValues::ofPair(const std::string &name, const Call &call) {
  const Outline &first = call.given[0], &second = call.given[1];
  const Extents &x = first.shape;
  if (name == "one_hot" && second.kind == Outline::Number) {
    Extents out = x;
    out.push_back(second.number);
    return Outline::array(std::move(out));
  }
  if (!isArray(second)) return {};
  if (name == "take") {
    const auto axes = axesOf(call, 2);
    const std::optional<size_t> at = axes && axes->size() < 2 ? algebra_.axisOf(axes->empty() ? 0 : axes->front(), x.size()) : std::nullopt;
    if (!at) return {};
    Extents out(x.begin(), x.begin() + static_cast<std::ptrdiff_t>(*at));
    out.insert(out.end(), second.shape.begin(), second.shape.end());
    out.insert(out.end(), x.begin() + static_cast<std::ptrdiff_t>(*at) + 1, x.end());
    return Outline::array(std::move(out));
  }
  if (name == "outer" && x.size() == 1 && second.shape.size() == 1) return Outline::array({x[0], second.shape[0]});
  if (name == "dot" || name == "matmul") return combined(first, second, ast::BinaryOp::MatMul);
  return {};
}

}  // namespace tessera::sema
