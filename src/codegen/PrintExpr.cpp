#include "codegen/FunctionPrinter.h"
#include "ir/target/Target.h"
#include "support/Check.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
namespace target = tessera::ir::target;

namespace tessera::codegen {
namespace {

/// Helpers whose parameters share one type that C++ cannot deduce from `int64_t` and a literal.
bool sharesOneType(llvm::StringRef callee) {
  static const char *const helpers[] = {"tsr::min", "tsr::max", "tsr::mod", "tsr::floordiv", "tsr::pow", "tsr::add", "tsr::sub",
                                        "tsr::mul", "tsr::neg", "tsr::shl", "tsr::shr", "tsr::host::mod", "tsr::host::floordiv"};
  return llvm::is_contained(helpers, callee);
}
/// Numbers and names of sizes, and what is made of them alone, have types of C's choice.
bool isUntyped(Value value) {
  Operation *op = value.getDefiningOp();
  if (isa_and_nonnull<target::LiteralOp, target::NameOp>(op)) return true;
  return isa_and_nonnull<target::BinaryOp, target::UnaryOp>(op) && llvm::all_of(op->getOperands(), isUntyped);
}

bool isString(Value value) {
  auto literal = value.getDefiningOp<target::LiteralOp>();
  return literal && isa<StringAttr>(literal.getValue());
}

}  // namespace

Expr FunctionPrinter::expr(Value value) {
  if (auto found = names_.find(value); found != names_.end()) return {found->second, Precedence::Primary};
  Operation *op = value.getDefiningOp();
  TSR_CHECK(op, "a block argument has no name");
  return operation(op);
}

std::vector<Expr> FunctionPrinter::exprs(OperandRange operands) {
  std::vector<Expr> result;
  for (Value operand : operands) result.push_back(expr(operand));
  return result;
}

Expr FunctionPrinter::operation(Operation *op) {
  return llvm::TypeSwitch<Operation *, Expr>(op)
      .Case([&](target::LiteralOp o) { return spell_.literal(o.getValue(), o.getResult().getType()); })
      .Case([&](target::NameOp o) {
        return Expr{o.getName().str(), Precedence::Primary};
      })
      .Case([&](target::ReadOp o) { return expr(o.getPlace()); })
      .Case([&](target::BinaryOp o) {
        Expr left = expr(o.getLeft()), right = expr(o.getRight());
        if (isString(o.getLeft()) && isString(o.getRight())) left = callExpr("std::string", {left});
        return binaryExpr(o.getOp(), left, right);
      })
      .Case([&](target::UnaryOp o) { return unaryExpr(o.getOp(), expr(o.getOperand())); })
      .Case([&](target::ConditionalOp o) {
        return conditionalExpr(expr(o.getCondition()), expr(o.getThenValue()), expr(o.getElseValue()));
      })
      .Case([&](target::CastOp o) {
        // A variable that has the type already: i64 and index are one.
        Operation *from = o.getOperand().getDefiningOp();
        bool same = spell_.type(o.getOperand().getType()) == spell_.type(o.getResult().getType());
        if (same && (!from || isa<target::ReadOp>(from))) return expr(o.getOperand());
        return callExpr(Doc(spell_.type(o.getResult().getType())), {expr(o.getOperand())});
      })
      .Case([&](target::CallOp o) { return call(o); })
      .Case([&](target::MethodOp o) {
        Doc callee = operandOf(Precedence::Postfix, expr(o.getObject())) + "." + o.getName().str();
        return callExpr(callee, exprs(o.getArgs()));
      })
      .Case([&](target::MemberOp o) {
        return Expr{operandOf(Precedence::Postfix, expr(o.getObject())) + "." + o.getName().str(),
                    Precedence::Postfix};
      })
      .Case([&](target::SubscriptOp o) {
        Doc doc = operandOf(Precedence::Postfix, expr(o.getBase()));
        for (Value index : o.getIndices()) doc += Doc("[") + expr(index).doc + "]";
        return Expr{doc, Precedence::Postfix};
      })
      .Case([&](target::ElementOp o) {
        return callExpr(operandOf(Precedence::Postfix, expr(o.getBase())), exprs(o.getIndices()));
      })
      .Default([](Operation *other) -> Expr {
        TSR_UNREACHABLE("no expression: " + other->getName().getStringRef().str());
      });
}

Expr FunctionPrinter::call(Operation *op) {
  auto o = cast<target::CallOp>(op);
  std::string callee = o.getCallee().str();
  if (ArrayAttr arguments = o.getTemplateArgsAttr()) {
    std::string list;
    for (Attribute argument : arguments)
      list += (list.empty() ? "" : ", ") + spell_.templateArgument(argument);
    callee += "<" + list + ">";
  } else if (sharesOneType(o.getCallee()) && o.getResult().getType().isIntOrIndex() &&
             llvm::any_of(o.getArgs(), isUntyped)) {
    callee += "<" + spell_.type(o.getResult().getType()) + ">";
  }
  return callExpr(Doc(callee), exprs(o.getArgs()));
}

}  // namespace tessera::codegen
