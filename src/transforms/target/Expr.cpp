#include "transforms/target/Expr.h"
#include "ir/target/Target.h"

using namespace mlir;
namespace out = tessera::ir::target;

namespace tessera::transforms::totarget {
namespace {

ExprRef make(Expr::Kind kind, Type type, std::string text = "", std::vector<ExprRef> operands = {},
             Attribute attribute = {}, Value value = {}) {
  return std::make_shared<Expr>(Expr{kind, type, std::move(text), attribute, value, std::move(operands)});
}

ExprRef foldIntegers(const std::string &op, Type type, int64_t a, int64_t b) {
  if (op == "+") return number(type, a + b);
  if (op == "-") return number(type, a - b);
  if (op == "*") return number(type, a * b);
  return nullptr;
}

}  // namespace

ExprRef literal(Attribute value, Type type) { return make(Expr::Kind::Literal, type, "", {}, value); }
ExprRef number(Type type, int64_t value) {
  if (isa<FloatType>(type)) return literal(FloatAttr::get(type, static_cast<double>(value)), type);
  return literal(IntegerAttr::get(type, value), type);
}
ExprRef name(std::string text, Type type) { return make(Expr::Kind::Name, type, std::move(text)); }
ExprRef valueOf(Value value) { return make(Expr::Kind::Value, value.getType(), "", {}, {}, value); }
ExprRef read(ExprRef place) {
  auto type = dyn_cast<out::LValueType>(place->type);
  return type ? make(Expr::Kind::Read, type.getValue(), "", {std::move(place)}) : place;
}

ExprRef binary(std::string op, ExprRef left, ExprRef right) {
  Type type = left->type;
  if (isa<IndexType>(type)) {
    auto a = asInteger(left), b = asInteger(right);
    if (a && b)
      if (ExprRef folded = foldIntegers(op, type, *a, *b)) return folded;
    if (a == 0 && op == "+") return right;
    if (b == 0 && (op == "+" || op == "-")) return left;
    if (a == 1 && op == "*") return right;
    if (b == 1 && (op == "*" || op == "/")) return left;
    if ((a == 0 || b == 0) && op == "*") return number(type, 0);
    if (b == 1 && op == "%") return number(type, 0);
    if (a == 0 && (op == "/" || op == "%")) return left;
  }
  return make(Expr::Kind::Binary, type, std::move(op), {std::move(left), std::move(right)});
}
ExprRef compare(std::string op, ExprRef left, ExprRef right) {
  Type truth = IntegerType::get(left->type.getContext(), 1);
  return make(Expr::Kind::Binary, truth, std::move(op), {std::move(left), std::move(right)});
}
ExprRef unary(std::string op, ExprRef operand) {
  Type type = operand->type;
  return make(Expr::Kind::Unary, type, std::move(op), {std::move(operand)});
}
ExprRef conditional(ExprRef condition, ExprRef yes, ExprRef no) {
  Type type = yes->type;
  return make(Expr::Kind::Conditional, type, "", {std::move(condition), std::move(yes), std::move(no)});
}
ExprRef castTo(Type type, ExprRef operand) {
  if (operand->type == type) return operand;
  return make(Expr::Kind::Cast, type, "", {std::move(operand)});
}
ExprRef call(std::string callee, std::vector<ExprRef> arguments, Type type,
             std::vector<Attribute> templates) {
  Attribute attribute = templates.empty() ? ArrayAttr() : ArrayAttr::get(type.getContext(), templates);
  return make(Expr::Kind::Call, type, std::move(callee), std::move(arguments), attribute);
}
ExprRef method(ExprRef object, std::string name, std::vector<ExprRef> arguments, Type type) {
  arguments.insert(arguments.begin(), std::move(object));
  return make(Expr::Kind::Method, type, std::move(name), std::move(arguments));
}
ExprRef member(ExprRef object, std::string name, Type type) {
  return make(Expr::Kind::Member, type, std::move(name), {std::move(object)});
}
ExprRef subscript(ExprRef base, std::vector<ExprRef> indices, Type type) {
  indices.insert(indices.begin(), std::move(base));
  return make(Expr::Kind::Subscript, out::LValueType::get(type.getContext(), type), "", std::move(indices));
}
ExprRef element(ExprRef base, std::vector<ExprRef> indices, Type type) {
  indices.insert(indices.begin(), std::move(base));
  return make(Expr::Kind::Element, out::LValueType::get(type.getContext(), type), "", std::move(indices));
}

ExprRef bare(const ExprRef &expr) {
  bool plain = expr->kind == Expr::Kind::Cast && isa<IndexType>(expr->type) &&
               expr->operands[0]->kind == Expr::Kind::Name;
  return plain ? name(expr->operands[0]->text, expr->type) : expr;
}
std::optional<int64_t> asInteger(const ExprRef &expr) {
  if (expr->kind != Expr::Kind::Literal) return std::nullopt;
  auto integer = dyn_cast<IntegerAttr>(expr->attribute);
  if (!integer || integer.getType().isInteger(1)) return std::nullopt;
  return integer.getValue().getSExtValue();
}
bool mentions(const ExprRef &expr, Value value) {
  if (expr->value == value) return true;
  return llvm::any_of(expr->operands, [&](const ExprRef &operand) { return mentions(operand, value); });
}
bool same(const ExprRef &a, const ExprRef &b) {
  if (a == b) return true;
  if (a->kind != b->kind || a->type != b->type || a->text != b->text || a->attribute != b->attribute ||
      a->value != b->value || a->operands.size() != b->operands.size())
    return false;
  for (size_t i = 0; i < a->operands.size(); ++i)
    if (!same(a->operands[i], b->operands[i])) return false;
  return true;
}
bool isTrivial(const ExprRef &expr) {
  switch (expr->kind) {
  case Expr::Kind::Literal:
  case Expr::Kind::Name:
  case Expr::Kind::Value: return true;
  case Expr::Kind::Read: return expr->operands[0]->kind == Expr::Kind::Value;
  case Expr::Kind::Cast: return isTrivial(expr->operands[0]);
  default: return false;
  }
}

Value write(OpBuilder &builder, Location location, const ExprRef &expr) {
  if (expr->kind == Expr::Kind::Value) return expr->value;
  SmallVector<Value> values;
  for (const ExprRef &operand : expr->operands) values.push_back(write(builder, location, operand));
  ValueRange all(values), rest = all.empty() ? all : all.drop_front();
  switch (expr->kind) {
  case Expr::Kind::Value: break;
  case Expr::Kind::Literal: return builder.create<out::LiteralOp>(location, expr->type, expr->attribute);
  case Expr::Kind::Name: return builder.create<out::NameOp>(location, expr->type, expr->text);
  case Expr::Kind::Read: return builder.create<out::ReadOp>(location, expr->type, values[0]);
  case Expr::Kind::Binary:
    return builder.create<out::BinaryOp>(location, expr->type, expr->text, values[0], values[1]);
  case Expr::Kind::Unary: return builder.create<out::UnaryOp>(location, expr->type, expr->text, values[0]);
  case Expr::Kind::Conditional:
    return builder.create<out::ConditionalOp>(location, expr->type, values[0], values[1], values[2]);
  case Expr::Kind::Cast: return builder.create<out::CastOp>(location, expr->type, values[0]);
  case Expr::Kind::Call:
    return builder.create<out::CallOp>(location, expr->type, expr->text, all,
                                       cast_or_null<ArrayAttr>(expr->attribute));
  case Expr::Kind::Method:
    return builder.create<out::MethodOp>(location, expr->type, values[0], expr->text, rest);
  case Expr::Kind::Member: return builder.create<out::MemberOp>(location, expr->type, values[0], expr->text);
  case Expr::Kind::Subscript: return builder.create<out::SubscriptOp>(location, expr->type, values[0], rest);
  case Expr::Kind::Element: return builder.create<out::ElementOp>(location, expr->type, values[0], rest);
  }
  return {};
}

void assign(OpBuilder &builder, const ExprRef &target, const ExprRef &value, Location location) {
  static const char *const compound[] = {"+", "-", "*", "/", "&", "|", "^"};
  bool shortens = value->kind == Expr::Kind::Binary && value->operands[0]->kind == Expr::Kind::Read &&
                  same(value->operands[0]->operands[0], target) &&
                  llvm::is_contained(compound, StringRef(value->text));
  Value to = write(builder, location, target);
  Value what = write(builder, location, shortens ? value->operands[1] : value);
  if (shortens) builder.create<out::CompoundAssignOp>(location, value->text + "=", to, what);
  else builder.create<out::AssignOp>(location, to, what);
}

}  // namespace tessera::transforms::totarget
