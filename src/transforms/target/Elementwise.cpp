#include "transforms/target/Elementwise.h"
#include "ir/common/BitCasts.h"
#include "support/Ops.h"
#include "mlir/IR/BuiltinTypes.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
namespace tile = tessera::ir::tile;

namespace tessera::transforms::totarget {
namespace {

bool isNativeFloat(Type type) { return type.isF32() || type.isF64(); }
bool isInteger(Type type) {
  return isa<IndexType>(type) || (isa<IntegerType>(type) && !type.isInteger(1) && !type.isInteger(4));
}
bool isComplex(Type type) { return isa<ComplexType>(type); }
bool isTruth(Type type) { return type.isInteger(1); }
/// The type that arithmetic on values of this type is done in, where the language cannot do it in the type
/// itself.
Type arithmeticType(Type type) {
  if (isNativeFloat(type) || isInteger(type) || isTruth(type) || isComplex(type)) return type;
  if (type.isInteger(4)) return IntegerType::get(type.getContext(), 32);
  return Float32Type::get(type.getContext());
}
/// C computes integers below 32 bits in `int`: the result is cut back to its type.
ExprRef cutBack(ExprRef expr, Type type) {
  auto integer = dyn_cast<IntegerType>(type);
  if (!integer || integer.getWidth() >= 32 || integer.getWidth() == 1) return expr;
  return call("tsr::to", {std::move(expr)}, type, {TypeAttr::get(type)});
}

const char *infix(ElementwiseOp op) {
  switch (op) {
  case ElementwiseOp::Add: return "+";
  case ElementwiseOp::Sub: return "-";
  case ElementwiseOp::Mul: return "*";
  case ElementwiseOp::Div: return "/";
  case ElementwiseOp::Shl: return "<<";
  case ElementwiseOp::Shr: return ">>";
  case ElementwiseOp::Eq: return "==";
  case ElementwiseOp::Ne: return "!=";
  case ElementwiseOp::Lt: return "<";
  case ElementwiseOp::Le: return "<=";
  case ElementwiseOp::Gt: return ">";
  case ElementwiseOp::Ge: return ">=";
  default: return nullptr;
  }
}

/// An extent, or a product of them: not below 0, and with a value, for the entry function has looked.
bool isSize(const ExprRef &expr) {
  if (expr->kind == Expr::Kind::Cast || (expr->kind == Expr::Kind::Binary && expr->text == "*")) return llvm::all_of(expr->operands, isSize);
  if (expr->kind == Expr::Kind::Value) return isa<BlockArgument>(expr->value) && isa<IndexType>(expr->type);
  return expr->kind == Expr::Kind::Name || asInteger(expr).value_or(-1) >= 0;
}
/// Bits of the integer beside its sign, at most.
unsigned bitsOf(const ExprRef &expr) {
  auto type = dyn_cast<IntegerType>(expr->type);
  unsigned bits = !type ? 63 : type.getWidth() - (type.isSignless() && type.getWidth() > 1);
  auto of = [&](size_t operand) { return bitsOf(expr->operands[operand]); };
  if (auto known = asInteger(expr); known && type && type.isSignless()) return llvm::APInt(64, static_cast<uint64_t>(*known)).getSignificantBits() - 1;
  if (expr->kind == Expr::Kind::Cast && isa<IntegerType>(expr->operands[0]->type)) return std::min(bits, of(0));
  if (expr->kind == Expr::Kind::Binary && (expr->text == "+" || expr->text == "-")) return std::min(bits, std::max(of(0), of(1)) + 1);
  if (expr->kind == Expr::Kind::Binary && expr->text == "*") return std::min(bits, of(0) + of(1) + 1);
  return bits;
}

/// Whether C leaves open what this operation gives: the result may not fit in the type that C computes it in. Indices are of
/// loops and sizes, and fit.
bool isOpen(ElementwiseOp op, const std::vector<ExprRef> &given, Type type) {
  auto integer = dyn_cast<IntegerType>(type);
  if (!integer) return false;
  const bool isSigned = integer.isSignless(), isShort = integer.getWidth() < 32;
  const unsigned room = isShort ? 31 : integer.getWidth() - isSigned;
  auto by = given.size() == 2 ? asInteger(given[1]) : std::nullopt;
  switch (op) {
  case ElementwiseOp::Add:
  case ElementwiseOp::Sub: return (isSigned || isShort) && std::max(bitsOf(given[0]), bitsOf(given[1])) + 1 > room;
  case ElementwiseOp::Mul: return (isSigned || isShort) && bitsOf(given[0]) + bitsOf(given[1]) + isSigned > room;
  case ElementwiseOp::Neg: return isSigned && bitsOf(given[0]) + 1 > room;
  case ElementwiseOp::Shl: return isSigned || !by || *by < 0 || *by >= integer.getWidth();
  case ElementwiseOp::Shr: return !by || *by < 0 || *by >= integer.getWidth();
  case ElementwiseOp::Div:
  case ElementwiseOp::FloorDiv:
  case ElementwiseOp::Mod:
  case ElementwiseOp::Pow:
  case ElementwiseOp::Min:
  case ElementwiseOp::Max:
  case ElementwiseOp::Abs:
  case ElementwiseOp::Exp:
  case ElementwiseOp::Exp2:
  case ElementwiseOp::Log:
  case ElementwiseOp::Log2:
  case ElementwiseOp::Sqrt:
  case ElementwiseOp::Rsqrt:
  case ElementwiseOp::Tanh:
  case ElementwiseOp::Sigmoid:
  case ElementwiseOp::Erf:
  case ElementwiseOp::Sin:
  case ElementwiseOp::Cos:
  case ElementwiseOp::Floor:
  case ElementwiseOp::Ceil:
  case ElementwiseOp::Round:
  case ElementwiseOp::Eq:
  case ElementwiseOp::Ne:
  case ElementwiseOp::Lt:
  case ElementwiseOp::Le:
  case ElementwiseOp::Gt:
  case ElementwiseOp::Ge:
  case ElementwiseOp::And:
  case ElementwiseOp::Or:
  case ElementwiseOp::Xor:
  case ElementwiseOp::Not:
  case ElementwiseOp::Select:
  case ElementwiseOp::IsNan:
  case ElementwiseOp::Expm1:
  case ElementwiseOp::Log1p:
  case ElementwiseOp::Erfc:
  case ElementwiseOp::Tan:
  case ElementwiseOp::Asin:
  case ElementwiseOp::Acos:
  case ElementwiseOp::Atan:
  case ElementwiseOp::Atan2:
  case ElementwiseOp::Sinh:
  case ElementwiseOp::Cosh:
  case ElementwiseOp::Asinh:
  case ElementwiseOp::Acosh:
  case ElementwiseOp::Atanh:
  case ElementwiseOp::Log10:
  case ElementwiseOp::Trunc:
  case ElementwiseOp::RandomBits:
  case ElementwiseOp::RandomKey:
  case ElementwiseOp::Probit: return false;  // fits, is no operation on integers, or a function of the headers
  }
  return true;
}

/// `i < 0 ? i + N : i`: an extent and what is below 0 always have a sum.
bool countsBack(const std::vector<ExprRef> &select) {
  const ExprRef &condition = select[0], &sum = select[1];
  return condition->kind == Expr::Kind::Binary && condition->text == "<" && asInteger(condition->operands[1]) == 0 &&
         same(condition->operands[0], select[2]) && sum->kind == Expr::Kind::Call && sum->text == "tsr::add" &&
         same(sum->operands[0], select[2]) && isSize(sum->operands[1]);
}

/// The truth value, if the tree is one.
std::optional<bool> asTruth(const ExprRef &expr) {
  auto value = expr->kind == Expr::Kind::Literal ? dyn_cast_or_null<BoolAttr>(expr->attribute) : BoolAttr();
  return value ? std::optional(value.getValue()) : std::nullopt;
}

/// `a && b`, or `a || b` where `isEither`; what is plain is folded, as compilers warn of `!x && x`.
ExprRef combined(const ExprRef &a, const ExprRef &b, bool isEither) {
  auto isNot = [](const ExprRef &no, const ExprRef &yes) { return no->kind == Expr::Kind::Unary && no->text == "!" && same(no->operands[0], yes); };
  for (bool swapped : {false, true})
    if (std::optional<bool> known = asTruth(swapped ? b : a)) return *known == isEither ? (swapped ? b : a) : (swapped ? a : b);
  if (same(a, b)) return a;
  if (isNot(a, b) || isNot(b, a)) return literal(BoolAttr::get(a->type.getContext(), isEither), a->type);
  return binary(isEither ? "||" : "&&", a, b);
}

ExprRef logical(ElementwiseOp op, const std::vector<ExprRef> &a, bool truth) {
  switch (op) {
  case ElementwiseOp::And: return truth ? combined(a[0], a[1], /*isEither=*/false) : binary("&", a[0], a[1]);
  case ElementwiseOp::Or: return truth ? combined(a[0], a[1], /*isEither=*/true) : binary("|", a[0], a[1]);
  case ElementwiseOp::Xor: return truth ? compare("!=", a[0], a[1]) : binary("^", a[0], a[1]);
  case ElementwiseOp::Not: return unary(truth ? "!" : "~", a[0]);
  default: return nullptr;
  }
}

}  // namespace

ExprRef elementwise(StringRef mnemonic, const std::vector<ExprRef> &given, Type result, bool asInC,
                    bool wraps) {
  auto op = elementwiseByMnemonic(std::string_view(mnemonic.data(), mnemonic.size()));
  if (!op || given.empty()) return nullptr;
  if (*op == ElementwiseOp::Select)
    if (std::optional<bool> known = asTruth(given[0])) return given[*known ? 1 : 2];
  if (*op == ElementwiseOp::Select) return conditional(given[0], countsBack(given) ? binary("+", given[2], given[1]->operands[1]) : given[1], given[2]);
  Type type = given[0]->type, wide = arithmeticType(type);
  if (wide != type) {
    std::vector<ExprRef> operands;
    for (const ExprRef &operand : given) operands.push_back(convert(operand, wide));
    bool truth = isTruth(result);
    ExprRef value = elementwise(mnemonic, operands, truth ? result : wide, asInC, wraps);
    return value && !truth ? convert(value, result) : value;
  }
  if (info(*op).resultIsBool && given.size() == 2) {
    // One side is an int64_t variable: the other is converted to it anyway.
    bool wideRight = given[1]->kind == Expr::Kind::Value || given[1]->kind == Expr::Kind::Read;
    return compare(infix(*op), wideRight ? bare(given[0]) : given[0], given[1]);
  }
  if (wraps && isOpen(*op, given, type)) return call("tsr::" + mnemonic.str(), given, type);
  if (const char *text = infix(*op)) return cutBack(binary(text, given[0], given[1]), type);
  if (ExprRef truth = logical(*op, given, isTruth(type))) return truth;
  bool index = isa<IndexType>(type);
  if (*op == ElementwiseOp::FloorDiv && index && asInC) return binary("/", given[0], given[1]);
  if (*op == ElementwiseOp::Mod && index && asInC) return binary("%", given[0], given[1]);
  if (*op == ElementwiseOp::Neg) return cutBack(unary("-", given[0]), type);
  return call("tsr::" + mnemonic.str(), given, result);
}

static bool isCounted(Value value) {
  if (isa<IndexType>(value.getType())) return true;
  Operation *op = value.getDefiningOp();
  if (isa_and_nonnull<tile::ConstantOp, tile::IotaOp>(op)) return true;
  if (auto sum = dyn_cast_or_null<tile::ElementwiseOp>(op)) return countsOnly(sum);
  return isa_and_nonnull<tile::CastOp, tile::FillOp, tile::BroadcastOp>(op) && isCounted(op->getOperand(0));
}
bool countsOnly(tile::ElementwiseOp op) {
  return llvm::is_contained({"add", "sub"}, op.getMnemonic()) && llvm::all_of(op.getArgs(), isCounted);
}

ExprRef fusedSum(tile::ElementwiseOp op, const ExprRef &a, const ExprRef &b, const ExprRef &c, Type type) {
  return call("tsr::fma", {a, b, op.getMnemonic() == "sub" ? elementwise("neg", {c}, type, false) : c}, type);
}
std::string shortName(tile::ElementwiseOp op) { return ("tsr::short_" + op.getMnemonic()).str(); }

/// What is on its way to bf16 and nowhere else, to nearest; null where that is nothing.
static ExprRef roundedToBf16(const ExprRef &value) {
  auto templates = dyn_cast_or_null<ArrayAttr>(value->attribute);
  const bool is = value->kind == Expr::Kind::Call && value->text == "tsr::to" && templates && templates.size() == 1 && value->type.isBF16();
  return is ? value->operands.front() : nullptr;
}

ExprRef convert(const ExprRef &value, Type type, StringRef rounding, bool saturate) {
  Type from = value->type;
  if (from == type && !saturate) return value;
  if (rounding == ir::kBits) {
    // C computes with small integers as int: what is read says its own type.
    bool known = value->kind == Expr::Kind::Value || value->kind == Expr::Kind::Read || (isa<IntegerType, FloatType>(from) && from.getIntOrFloatBitWidth() >= 32);
    std::vector<Attribute> types = {TypeAttr::get(type)};
    if (!known) types.push_back(TypeAttr::get(from));
    return call("tsr::bit_cast", {value}, type, types);
  }
  bool plainRounding = rounding.empty() || rounding == "nearest_even";
  if (ExprRef before = type.isF32() && plainRounding ? roundedToBf16(value) : nullptr) {
    if (before->type.isF32()) return call("tsr::rounded", {before}, type, {TypeAttr::get(value->type)});
    auto integer = dyn_cast<IntegerType>(before->type);
    if (integer && integer.getWidth() > 1 && integer.getWidth() <= 8) return convert(before, type, rounding, saturate);  // bf16 has them all
  }
  if (auto integer = asInteger(value); integer && plainRounding && (isInteger(type) || isNativeFloat(type))) {
    bool exact = isNativeFloat(type) ? *integer < (1 << 24) && *integer > -(1 << 24)
                                     : isa<IndexType>(type) || (*integer >= 0 && *integer < 128);
    if (exact) return number(type, *integer);
  }
  // What C converts just as tsr::to does.
  bool toFloat = isNativeFloat(type) && (isInteger(from) || isTruth(from) || isNativeFloat(from));
  bool toInteger = isInteger(type) && (isInteger(from) || isTruth(from));
  if (plainRounding && !saturate && (toFloat || toInteger)) return castTo(type, value);
  std::vector<Attribute> templates = {TypeAttr::get(type)};
  if (!plainRounding || saturate) {
    StringRef name = llvm::StringSwitch<StringRef>(plainRounding ? "nearest_even" : rounding)
                         .Case("toward_zero", "tsr::Round::TowardZero")
                         .Case("up", "tsr::Round::Up")
                         .Case("down", "tsr::Round::Down")
                         .Case("nearest_even", "tsr::Round::NearestEven")
                         .Default("");
    if (name.empty()) return nullptr;
    templates.push_back(StringAttr::get(type.getContext(), name));
  }
  if (saturate) templates.push_back(StringAttr::get(type.getContext(), "true"));
  return call("tsr::to", {value}, type, templates);
}

bool hasVectorForm(StringRef callee, Type type) {
  // What include/tessera/device/math.h takes from the C library on the CPU, and what clang 19 makes no vectors of.
  static const char *const calls[] = {"tsr::erfc", "tsr::expm1", "tsr::log1p", "tsr::sin",  "tsr::cos",  "tsr::pow",
                                      "tsr::tan", "tsr::asin", "tsr::acos", "tsr::atan", "tsr::atan2", "tsr::sinh", "tsr::cosh",
                                      "tsr::asinh", "tsr::acosh", "tsr::atanh", "tsr::log10", "tsr::trunc",
                                      "tsr::sqrt", "tsr::rsqrt", "tsr::floor", "tsr::ceil", "tsr::round",
                                      "tsr::probit", "tsr::random_bits", "tsr::random_key"};
  static const char *const ofDoubles[] = {"tsr::exp",  "tsr::exp2", "tsr::log",  "tsr::log2",
                                          "tsr::tanh", "tsr::erf",  "tsr::erfc", "tsr::sigmoid"};
  return !llvm::is_contained(calls, callee) && !(type.isF64() && llvm::is_contained(ofDoubles, callee));
}

std::string reductionName(StringRef reduction) {
  std::string name = reduction.str();
  name[0] = llvm::toUpper(name[0]);
  return "tsr::" + name;
}

}  // namespace tessera::transforms::totarget
