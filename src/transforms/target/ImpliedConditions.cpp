#include "transforms/target/ImpliedConditions.h"
#include "ir/target/Target.h"

using namespace mlir;
namespace out = tessera::ir::target;

namespace tessera::transforms::totarget {
namespace {

/// Whether the value is the same wherever it is written within its scope.
bool isFixed(Value value) {
  Operation *op = value.getDefiningOp();
  if (!op) return true;  // a parameter or a counter
  if (auto read = dyn_cast<out::ReadOp>(op)) {
    auto variable = read.getPlace().getDefiningOp<out::VariableOp>();
    return variable && variable.getIsConst();
  }
  return isa<out::LiteralOp, out::NameOp, out::BinaryOp, out::UnaryOp, out::CastOp>(op) &&
         llvm::all_of(op->getOperands(), isFixed);
}

bool isSame(Value a, Value b) {
  if (a == b) return true;
  Operation *x = a.getDefiningOp(), *y = b.getDefiningOp();
  if (!x || !y || x->getName() != y->getName() || a.getType() != b.getType() || isa<out::VariableOp>(x)) return false;
  return x->getAttrDictionary() == y->getAttrDictionary() && x->getNumOperands() == y->getNumOperands() &&
         llvm::all_of(llvm::zip(x->getOperands(), y->getOperands()),
                      [](auto pair) { return isSame(std::get<0>(pair), std::get<1>(pair)); });
}

void collectParts(Value condition, SmallVectorImpl<Value> &parts) {
  if (auto both = condition.getDefiningOp<out::BinaryOp>(); both && both.getOp() == "&&") {
    collectParts(both.getLeft(), parts);
    collectParts(both.getRight(), parts);
  } else if (isFixed(condition)) {
    parts.push_back(condition);
  } else {
    parts.push_back({});
  }
}

/// Whether the conditions of the `if`s around it say that this one holds.
bool isImplied(out::ConditionalOp choice) {
  SmallVector<Value> asked, known;
  collectParts(choice.getCondition(), asked);
  for (Operation *inner = choice, *outer = inner->getParentOp(); outer; inner = outer, outer = outer->getParentOp())
    if (auto branch = dyn_cast<out::IfOp>(outer); branch && inner->getParentRegion() == &branch.getThenBody())
      collectParts(branch.getCondition(), known);
  return llvm::all_of(asked, [&](Value part) {
    return part && llvm::any_of(known, [&](Value one) { return one && isSame(one, part); });
  });
}

void eraseUnused(Value value) {
  Operation *op = value.getDefiningOp();
  if (!op || !value.use_empty() || isa<out::VariableOp>(op)) return;
  SmallVector<Value> operands(op->getOperands());
  op->erase();
  for (Value operand : operands) eraseUnused(operand);
}

}  // namespace

void foldImpliedConditions(Operation *kernel) {
  SmallVector<out::ConditionalOp> implied;
  kernel->walk([&](out::ConditionalOp choice) {
    if (isImplied(choice)) implied.push_back(choice);
  });
  for (out::ConditionalOp choice : implied) {
    Value condition = choice.getCondition(), other = choice.getElseValue();
    choice.getResult().replaceAllUsesWith(choice.getThenValue());
    choice->erase();
    eraseUnused(condition);
    eraseUnused(other);
  }
}

}  // namespace tessera::transforms::totarget
