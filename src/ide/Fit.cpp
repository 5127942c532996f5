#include "ide/Fit.h"
#include "sema/Builtins.h"
#include "support/Ops.h"
#include <algorithm>
#include <set>

namespace tessera::ide {

using ast::as;
using sema::BuiltinKind;
using sema::ValueKind;

namespace {

bool isArray(const sema::Fact &fact) { return fact.kind == ValueKind::Array || fact.kind == ValueKind::View; }

/// `bf16` of `bf16 @accum(f32)`.
const ast::Expr &withoutPolicies(const ast::Expr &declared) {
  auto *binary = as<ast::BinaryExpr>(&declared);
  return binary && binary->op == ast::BinaryOp::MatMul && binary->left ? withoutPolicies(*binary->left) : declared;
}

/// A dimension as it is written, in the callee's names; nothing: it is none.
std::optional<Dim> dimOf(const ast::Expr &e) {
  if (auto *name = as<ast::NameExpr>(&e)) return Dim::var(name->name);
  if (auto *number = as<ast::IntExpr>(&e)) return number->tooLarge ? std::nullopt : std::optional(Dim(static_cast<int64_t>(number->value)));
  if (auto *text = as<ast::StringExpr>(&e)) return Dim::parse(text->value);
  auto *binary = as<ast::BinaryExpr>(&e);
  std::optional<Dim> a = binary ? dimOf(*binary->left) : std::nullopt, b = binary ? dimOf(*binary->right) : std::nullopt;
  if (!a || !b) return std::nullopt;
  if (binary->op == ast::BinaryOp::Add) return *a + *b;
  if (binary->op == ast::BinaryOp::Sub) return *a - *b;
  if (binary->op == ast::BinaryOp::Mul) return *a * *b;
  if (binary->op == ast::BinaryOp::FloorDiv) return Dim::floorDiv(*a, *b);
  if (binary->op == ast::BinaryOp::Mod) return Dim::mod(*a, *b);
  return std::nullopt;
}

std::set<std::string> unsolved(const Dim &dim, const Solved &solved) {
  std::set<std::string> names;
  dim.collectVars(names);
  std::erase_if(names, [&](const std::string &name) { return solved.dims.count(name) != 0; });
  return names;
}

/// The parts of `Tensor[M, N, f32]`; nothing: it is another type, or of any rank.
struct TensorText {
  std::vector<const ast::Expr *> dims;
  const ast::Expr *dtype = nullptr;
};
std::optional<TensorText> tensorOf(const ast::Expr *annotation) {
  auto *type = as<ast::SubscriptExpr>(annotation);
  auto *name = type ? as<ast::NameExpr>(type->object) : nullptr;
  if (!name || name->name != "Tensor" || type->items.empty()) return std::nullopt;
  TensorText text;
  for (const ast::Argument &item : type->items) {
    if (item.keyword || item.stars || !item.value || item.value->kind == ast::ExprKind::Ellipsis || item.value->kind == ast::ExprKind::Starred) return std::nullopt;
    text.dims.push_back(item.value.get());
  }
  text.dtype = text.dims.back();
  text.dims.pop_back();
  return text;
}

Fit fitOfDType(const ast::Expr &declared, DType have, Solved &solved) {
  auto *name = as<ast::NameExpr>(&withoutPolicies(declared));
  if (!name) return Fit::Unknown;
  if (std::optional<DType> known = dtypeByName(name->name)) return *known == have ? Fit::Fits : Fit::Not;
  auto [it, isNew] = solved.dtypes.try_emplace(name->name, have);
  return isNew || it->second == have ? Fit::Fits : Fit::Not;
}

Fit fitOfDim(const ast::Expr &declared, const Dim &have, Solved &solved) {
  std::optional<Dim> dim = dimOf(declared);
  if (!dim) return Fit::Unknown;
  std::set<std::string> open = unsolved(*dim, solved);
  if (open.empty()) return dim->substitute(solved.dims) == have ? Fit::Fits : Fit::Not;
  if (dim->isVar()) {
    solved.dims.emplace(dim->varName(), have);
    return Fit::Fits;
  }
  return Fit::Unknown;
}

/// Whether one extent goes with another in an operation of each element.
bool broadcasts(const Dim &a, const Dim &b) { return a == b || a == Dim(1) || b == Dim(1); }

}  // namespace

Fit fitOf(const ast::Expr *annotation, const sema::Fact &value, Solved &solved) {
  if (!annotation) return Fit::Unknown;
  std::optional<TensorText> tensor = tensorOf(annotation);
  if (!tensor) {
    auto *name = as<ast::NameExpr>(&withoutPolicies(*annotation));
    const bool number = name && (name->name == "Int" || dtypeByName(name->name));
    if (number && isArray(value) && !value.type.shape.empty()) return Fit::Not;
    auto *type = as<ast::SubscriptExpr>(annotation);
    auto *structure = name ? name : type ? as<ast::NameExpr>(type->object) : nullptr;
    if (!structure || value.kind != ValueKind::Struct || !value.structure) return Fit::Unknown;
    return value.structure->name.text == structure->name ? Fit::Fits : Fit::Not;
  }
  if (value.kind == ValueKind::HostTensor) return Fit::Unknown;
  if (!isArray(value) || value.type.shape.size() != tensor->dims.size()) return Fit::Not;
  Solved tried = solved;
  Fit all = fitOfDType(*tensor->dtype, value.type.dtype, tried);
  for (size_t i = 0; i < tensor->dims.size() && all != Fit::Not; ++i) {
    Fit one = fitOfDim(*tensor->dims[i], value.type.shape[i], tried);
    if (one != Fit::Fits) all = one;
  }
  if (all != Fit::Not) solved = std::move(tried);
  return all;
}

Fit fitOf(ast::BinaryOp op, const sema::Fact &left, const sema::Fact &right) {
  if (!isArray(left)) return Fit::Unknown;
  const std::vector<Dim> &a = left.type.shape, &b = right.type.shape;
  if (op == ast::BinaryOp::MatMul) {
    if (!isArray(right) || a.empty() || b.empty()) return Fit::Not;
    bool inner = a.back() == b[b.size() - std::min<size_t>(b.size(), 2)];
    return inner && left.type.dtype == right.type.dtype ? Fit::Fits : Fit::Not;
  }
  if (!isArray(right)) return right.kind == ValueKind::Int || right.kind == ValueKind::Float ? Fit::Unknown : Fit::Not;
  if (left.type.dtype != right.type.dtype) return Fit::Not;
  for (size_t i = 1; i <= std::min(a.size(), b.size()); ++i)
    if (!broadcasts(a[a.size() - i], b[b.size() - i])) return Fit::Not;
  return Fit::Fits;
}

Fit fitOf(const sema::BuiltinRow &method, const sema::Fact &object) {
  if (!isArray(object)) return Fit::Unknown;
  const bool isBool = object.type.dtype == DType::Bool, floats = isFloat(object.type.dtype);
  const size_t rank = object.type.shape.size();
  if (method.kind == BuiltinKind::Elementwise) {
    std::optional<ElementwiseOp> op = elementwiseByMnemonic(method.op);
    if (op && sema::needsFloat(*op)) return floats ? Fit::Fits : Fit::Not;
    return isBool ? Fit::Not : Fit::Fits;
  }
  if (method.kind == BuiltinKind::Reduce) {
    std::optional<ReduceOp> op = reduceByMnemonic(method.op);
    const bool logical = op == ReduceOp::Any || op == ReduceOp::All;
    return rank > 0 && logical == isBool ? Fit::Fits : Fit::Not;
  }
  if (method.kind == BuiltinKind::MinMax) return rank > 0 && !isBool ? Fit::Fits : Fit::Not;
  if (method.kind == BuiltinKind::Mean) return rank > 0 && floats ? Fit::Fits : Fit::Not;
  if (method.kind == BuiltinKind::Transpose) return rank > 1 ? Fit::Fits : Fit::Not;
  if (method.kind == BuiltinKind::Flatten) return rank > 1 ? Fit::Fits : Fit::Not;
  if (method.kind == BuiltinKind::Squeeze)
    return std::any_of(object.type.shape.begin(), object.type.shape.end(), [](const Dim &extent) { return extent == Dim(1); }) ? Fit::Fits : Fit::Not;
  return Fit::Unknown;
}

const sema::Fact *valueBefore(const View &view, uint32_t symbol, uint32_t offset) {
  const sema::Fact *found = nullptr;
  for (const Occurrence &o : view.names.occurrences()) {
    if (o.place.begin >= offset) break;
    if (o.symbol != symbol || o.use == UseKind::Read) continue;
    if (const sema::Fact *fact = view.facts.at(o.place)) found = fact;
  }
  return found;
}

const sema::Fact *valueBefore(const View &view, const Context::Operand &operand) {
  Span place = operand.place;
  place.file = view.file();
  if (const sema::Fact *fact = view.facts.at(place)) return fact;
  for (uint32_t symbol : view.names.visibleAt(place.begin))
    if (view.names.symbols()[symbol].name == operand.text) return valueBefore(view, symbol, place.begin);
  return nullptr;
}

std::optional<size_t> parameterAt(const Context &context, const CallableText &callee) {
  for (size_t i = 0; i < callee.parameters.size(); ++i)
    if (!context.keyword.empty() && callee.parameters[i].name == context.keyword) return i;
  if (!context.keyword.empty() || context.argument >= callee.parameters.size()) return std::nullopt;
  return context.argument;
}

Solved solvedBy(const View &view, const Context &context, const CallableText &callee) {
  Solved solved;
  for (size_t i = 0; i < context.given.size(); ++i) {
    Context one;
    one.argument = i, one.keyword = context.given[i].keyword;
    std::optional<size_t> parameter = parameterAt(one, callee);
    const sema::Fact *value = parameter ? valueBefore(view, context.given[i].value) : nullptr;
    if (value) fitOf(callee.parameters[*parameter].type, *value, solved);
  }
  return solved;
}

std::string typeHere(const View &view, const ast::Expr *annotation, const Solved &solved) {
  std::optional<TensorText> tensor = annotation ? tensorOf(annotation) : std::nullopt;
  if (!tensor) return "";
  std::string text = "Tensor[";
  bool any = false;
  for (const ast::Expr *item : tensor->dims) {
    std::optional<Dim> dim = dimOf(*item);
    const bool known = dim && !dim->isConstant() && unsolved(*dim, solved).empty();
    any |= known;
    text += (known ? dim->substitute(solved.dims).str() : std::string(view.sources.text(item->span))) + ", ";
  }
  auto *dtype = as<ast::NameExpr>(tensor->dtype);
  auto found = dtype ? solved.dtypes.find(dtype->name) : solved.dtypes.end();
  any |= found != solved.dtypes.end();
  text += found != solved.dtypes.end() ? std::string(name(found->second)) : std::string(view.sources.text(tensor->dtype->span));
  return any ? text + "]" : "";
}

}  // namespace tessera::ide
