// Results that are computed element by element from the same arrays, in one kernel: what they share is read once. The moments
// and the weights of an optimiser are three results of four arrays.
#include "transforms/schedule/MovedProducts.h"
#include "transforms/schedule/Shapes.h"
#include "transforms/schedule/TensorFunction.h"
#include "transforms/schedule/Updates.h"
#include "llvm/ADT/SmallPtrSet.h"

namespace tessera::transforms {
using namespace mlir;
using namespace tessera::ir;

namespace {

constexpr size_t kMostArrays = 16;  // that a kernel reads and writes
constexpr size_t kMostSeen = 256;   // values that are looked at for a kernel
constexpr size_t kMostTiles = 2;    // beside a product's own

bool isByElement(Operation *op) { return isa<graph::ElementwiseOp, graph::CastOp>(op); }

/// Made for an element from elements at the same place, and from what all or many share.
bool isForElement(Operation *op) {
  return isByElement(op) || isa<graph::FullOp, graph::ConstantOp, graph::DimOp, graph::IotaOp, graph::BroadcastOp, graph::ExtractOp>(op);
}

}  // namespace

/// Everything that the value is made of lies in memory, but for `known`; adds the arrays of its size to `arrays`.
bool FunctionScheduler::isReady(Value value, const llvm::SetVector<Value> &known, llvm::SetVector<Value> &arrays) {
  bool isReady = true;
  walkBack(value, [&](Value each) {
    if (!isReady || (each != value && known.contains(each))) return false;
    if (leaves_.count(each)) {
      if (shapeOf(each.getType()) == shapeOf(value.getType())) arrays.insert(each);
      return false;
    }
    Operation *op = each.getDefiningOp();
    isReady = op && isForElement(op) && !op->hasAttr(kInPlace) && !chainOps_.contains(op) && (each == value || !roots_.count(each));
    return isReady;
  });
  return isReady;
}

/// Roots of the shape of this one that read what it reads, or itself, and nothing that is not there yet; in their order.
SmallVector<Value> FunctionScheduler::siblingsOf(Value root) {
  llvm::SetVector<Value> known, arrays;
  known.insert(root);
  // What a loop or a branch yields has its place there.
  if (!root.getDefiningOp() || root.getParentBlock() != &function_.entry()) return {};
  if (longAxes(root.getType()).empty() || !isReady(root, known, arrays)) return {};
  SmallVector<Value> next(arrays.begin(), arrays.end()), found;
  next.push_back(root);
  llvm::DenseSet<Value> seen(next.begin(), next.end());
  while (!next.empty() && seen.size() < kMostSeen) {
    Value from = next.pop_back_val();
    for (Operation *user : from.getUsers()) {
      if (user->getBlock() != root.getParentBlock() || !isByElement(user) || user->hasAttr(kInPlace)) continue;
      Value made = user->getResult(0);
      if (shapeOf(made.getType()) != shapeOf(root.getType()) || !seen.insert(made).second) continue;
      if (roots_.count(made) && !leaves_.count(made) && states_.count(made) == states_.count(root)) found.push_back(made);
      next.push_back(made);
    }
  }
  llvm::sort(found, [](Value a, Value b) { return a.getDefiningOp()->isBeforeInBlock(b.getDefiningOp()); });
  SmallVector<Value> siblings;
  for (Value each : found) {
    llvm::SetVector<Value> read(arrays);
    if (!isReady(each, known, read) || read.size() + known.size() >= kMostArrays) continue;
    arrays = std::move(read);
    known.insert(each);
    siblings.push_back(each);
  }
  return siblings;
}

/// Roots that follow element by element from a product's root, or from what that is made of: the product's kernel stores them,
/// too, while it has the tile in registers. The product of an MLP in its own dtype, and what its activation makes of it.
SmallVector<Value> FunctionScheduler::tilesBeside(Value root) {
  llvm::SetVector<Value> known;
  if (!root.getDefiningOp() || root.getParentBlock() != &function_.entry() || root.getDefiningOp<graph::TransposeOp>()) return {};
  known.insert(root);
  for (size_t i = 0; i < known.size(); ++i)
    if (Operation *op = known[i].getDefiningOp(); isByElement(op))
      for (Value operand : op->getOperands())
        if (!isStored(operand) && shapeOf(operand.getType()) == shapeOf(root.getType()) && !operand.getDefiningOp<graph::BroadcastOp>()) known.insert(operand);
  SmallVector<Value> next(known.begin(), known.end()), found;
  llvm::DenseSet<Value> seen(known.begin(), known.end());
  while (!next.empty() && seen.size() < kMostSeen && found.size() < kMostTiles) {
    Value from = next.pop_back_val();
    for (Operation *user : from.getUsers()) {
      if (user->getBlock() != root.getParentBlock() || !isByElement(user) || user->hasAttr(kInPlace)) continue;
      Value made = user->getResult(0);
      if (shapeOf(made.getType()) != shapeOf(root.getType()) || !seen.insert(made).second) continue;
      llvm::SetVector<Value> read;
      bool follows = isReady(made, known, read) && read.empty();
      if (follows && isToStore(made)) found.push_back(made);
      if (follows) next.push_back(made);
    }
  }
  return found;
}

/// For a root that only roots beside it are made of: the last of these. Nobody reads it from memory, so it is not stored.
Value FunctionScheduler::standsFor(Value root) {
  SmallVector<Value> beside = tilesBeside(root), next{root};
  if (beside.empty() || results_.count(root)) return {};
  llvm::DenseSet<Value> seen{root};
  while (!next.empty()) {
    Value from = next.pop_back_val();
    for (Operation *user : from.getUsers()) {
      if (user->getBlock() != root.getParentBlock() || !isByElement(user)) return {};
      Value made = user->getResult(0);
      if (!llvm::is_contained(beside, made) && seen.insert(made).second) next.push_back(made);
    }
  }
  return *llvm::max_element(beside, [](Value a, Value b) { return a.getDefiningOp()->isBeforeInBlock(b.getDefiningOp()); });
}

// ---------------------------------------------------------------- sums over rows

/// What a root adds up over all rows; null if it is no such sum, or not that alone.
static graph::ReduceOp sumOverRows(Value root) {
  auto reduce = root.getDefiningOp<graph::ReduceOp>();
  return reduce && isForLanes(reduce) && isLong(reduce) ? reduce : graph::ReduceOp();
}

/// Arrays in memory that are read for each element of what is added up.
llvm::SetVector<Value> FunctionScheduler::arraysUnder(graph::ReduceOp sum) {
  llvm::SetVector<Value> arrays;
  walkBack(sum.getOperand(), [&](Value each) {
    bool isRead = isStored(each);
    if (isRead && countOf(each.getType()) == countOf(sum.getOperand().getType())) arrays.insert(each);
    return !isRead;
  });
  return arrays;
}

/// Both add up over the same rows, and read an array that is the same; or they are put together.
bool FunctionScheduler::addUpTogether(graph::ReduceOp one, graph::ReduceOp other) {
  bool areAlike = one != other && one->getBlock() == other->getBlock() && one.getAxes() == other.getAxes() &&
                  shapeOf(one.getOperand().getType()) == shapeOf(other.getOperand().getType());
  if (!areAlike) return false;
  OpOperand *here = joinedAs(one.getResult()), *there = joinedAs(other.getResult());
  if (here && there && here->getOwner() == there->getOwner()) return true;
  llvm::SetVector<Value> arrays = arraysUnder(one);
  return llvm::any_of(arraysUnder(other), [&](Value array) { return arrays.contains(array); });
}

/// One of the sums is under the value: a lane would need all of its column before it can go on.
bool FunctionScheduler::isMadeOf(Value value, ArrayRef<graph::ReduceOp> sums) {
  bool found = false;
  walkBack(value, [&](Value each) {
    found |= llvm::is_contained(sums, each.getDefiningOp());
    return !found && !leaves_.count(each);
  });
  return found;
}

/// Sums over the rows of an array that one kernel adds up with this one: it reads the array once. The derivatives by a norm's shift
/// and scale.
SmallVector<Value> FunctionScheduler::sumsBeside(Value root) {
  graph::ReduceOp sum = sumOverRows(root);
  if (!sum || root.getParentBlock() != &function_.entry()) return {};
  SmallVector<graph::ReduceOp> together{sum};
  for (size_t i = 0; i < together.size(); ++i)
    for (auto other : sum->getBlock()->getOps<graph::ReduceOp>()) {
      Value made = other.getResult();
      bool isOther = isToStore(made) && !llvm::is_contained(together, other);
      if (isOther && sumOverRows(made) && addUpTogether(together[i], other) && readsStored(made) && !isMadeOf(made, together)) together.push_back(other);
    }
  return llvm::map_to_vector(llvm::drop_begin(together), [](graph::ReduceOp other) -> Value { return other.getResult(); });
}

/// A sum over rows that one further on reads the same array with: they are made there, and nobody needs this one before.
bool FunctionScheduler::waitsForSum(Value root) {
  graph::ReduceOp sum = sumOverRows(root);
  if (!sum || root.getParentBlock() != &function_.entry()) return false;
  llvm::SmallPtrSet<Operation *, 4> users(root.getUsers().begin(), root.getUsers().end());
  for (Operation *op = sum->getNextNode(); op && !users.contains(op); op = op->getNextNode()) {
    auto other = dyn_cast<graph::ReduceOp>(op);
    if (other && isToStore(other.getResult()) && sumOverRows(other.getResult()) && addUpTogether(sum, other)) return true;
  }
  return false;
}

}  // namespace tessera::transforms
