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

/// Whether the conditions of the choices and `if`s around it say that this one holds.
bool isImplied(out::ConditionalOp choice) {
  SmallVector<Value> asked, known;
  collectParts(choice.getCondition(), asked);
  Operation *statement = choice;  // an expression has one use, and is evaluated there
  while (statement->getNumResults() == 1 && statement->hasOneUse() && !isa<out::VariableOp>(statement)) {
    OpOperand &use = *statement->use_begin();
    auto around = dyn_cast<out::ConditionalOp>(use.getOwner());
    if (around && use.get() == around.getThenValue() && use.getOperandNumber() == 1) collectParts(around.getCondition(), known);
    statement = use.getOwner();
  }
  for (Operation *inner = choice, *outer = inner->getParentOp(); outer; inner = outer, outer = outer->getParentOp())
    if (auto branch = dyn_cast<out::IfOp>(outer); branch && inner->getParentRegion() == &branch.getThenBody())
      collectParts(branch.getCondition(), known);
  return llvm::all_of(asked, [&](Value part) {
    return part && llvm::any_of(known, [&](Value one) { return one && isSame(one, part); });
  });
}

/// Whether something is declared in a branch, or left by it.
bool isMoreThanStores(out::IfOp branch) {
  return branch.getThenBody().walk([](Operation *op) {
    return isa<out::VariableOp, out::AliasOp, out::BreakOp, out::ReturnOp>(op) ? WalkResult::interrupt() : WalkResult::advance();
  }).wasInterrupted();
}

/// The `if` behind this one that asks the same, with nothing between; null if it is another statement.
out::IfOp sameBranchBehind(out::IfOp branch) {
  llvm::SmallPtrSet<Operation *, 8> asks;
  Operation *op = branch->getNextNode();
  for (; isa_and_nonnull<out::LiteralOp, out::NameOp, out::BinaryOp, out::UnaryOp, out::CastOp, out::ReadOp>(op); op = op->getNextNode()) asks.insert(op);
  auto next = dyn_cast_or_null<out::IfOp>(op);
  if (!next || !next.getElseBody().empty() || isMoreThanStores(next)) return {};
  for (Operation *part : asks)
    if (!llvm::all_of(part->getUsers(), [&](Operation *user) { return user == next || asks.contains(user); })) return {};
  SmallVector<Value> a, b;
  collectParts(branch.getCondition(), a);
  collectParts(next.getCondition(), b);
  const bool same = a.size() == b.size() && llvm::all_of(llvm::zip(a, b), [](auto pair) {
                      return std::get<0>(pair) && std::get<1>(pair) && isSame(std::get<0>(pair), std::get<1>(pair));
                    });
  return same ? next : out::IfOp();
}

void eraseUnused(Value value) {
  Operation *op = value.getDefiningOp();
  if (!op || !value.use_empty() || isa<out::VariableOp>(op)) return;
  SmallVector<Value> operands(op->getOperands());
  op->erase();
  for (Value operand : operands) eraseUnused(operand);
}

}  // namespace

void joinEqualBranches(Operation *kernel) {
  SmallVector<out::IfOp> branches;
  kernel->walk<WalkOrder::PreOrder>([&](out::IfOp branch) { branches.push_back(branch); });
  llvm::SmallPtrSet<Operation *, 8> gone;
  for (out::IfOp branch : branches) {
    if (gone.contains(branch) || !branch.getElseBody().empty() || isMoreThanStores(branch)) continue;
    while (out::IfOp next = sameBranchBehind(branch)) {
      Block &to = branch.getThenBody().front(), &from = next.getThenBody().front();
      to.getOperations().splice(to.end(), from.getOperations());
      Value condition = next.getCondition();
      gone.insert(next);
      next->erase();
      eraseUnused(condition);
    }
  }
}

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
