// Values that several kernels need: stored, or computed anew in each of them.
#include "transforms/schedule/Contract.h"
#include "transforms/schedule/TensorFunction.h"
#include "transforms/schedule/Updates.h"

namespace tessera::transforms {
using namespace mlir;
using namespace tessera::ir;

namespace {
constexpr int64_t kFewRows = 32;  // that are added up wherever the sum is read
constexpr int64_t kStored = 64;   // operations that take as long as to write an element and to read it back
constexpr int64_t kMany = 8;      // elements of at least 32 bits read for one: such a value is made of a long chain

bool isDot(Operation *op) { return isa<graph::DotOp>(op); }
bool isReduce(Operation *op) { return isa<graph::ReduceOp>(op); }

/// A sum over rows takes its operand in another structure than the rows' own reductions.
bool isOverRows(graph::ReduceOp reduce) {
  return !llvm::is_contained(reduce.getAxes(), static_cast<int64_t>(reduce.getOperand().getType().getShape().size()) - 1);
}

/// In how many ways the kernels of a block compute a value for one of their elements. What is computed element by element shares its
/// operands; a slice, or a part of what is put together, asks for another element of them, so that five steps of a stencil ask for
/// 3^5 of what the first one reads, and five of `concat([x * a, x * b])` for 2^5 of it. Values are to be asked for from the last to the first.
class Evaluations {
public:
  explicit Evaluations(llvm::function_ref<bool(Value)> isStored) : isStored_(isStored) {}

  /// The most in one kernel, as far as kMost.
  size_t of(Value value) {
    for (OpOperand &use : value.getUses()) add(value, use);
    size_t most = 0;
    for (auto &[kernel, ways] : ways_[value]) most = std::max<size_t>(most, ways.size());
    return most;
  }

private:
  static constexpr size_t kMost = 64;
  using Ways = llvm::SmallDenseMap<Operation *, llvm::SmallDenseSet<size_t>>;  // by kernels: what stands last in them

  void add(Value value, OpOperand &use) {
    Operation *user = use.getOwner();
    bool ends = user->getNumResults() != 1 || user->getBlock() != value.getParentBlock() || isDot(user) || isStored_(user->getResult(0));
    if (ends) {
      ways_[value][user].insert(llvm::hash_value(user));
      return;
    }
    const bool moves = isa<graph::SliceOp, graph::ConcatOp>(user);  // rows that a kernel reduces are in its registers
    const Ways above = ways_[user->getResult(0)];
    for (auto &[kernel, ways] : above)
      for (size_t way : ways)
        if (auto &here = ways_[value][kernel]; here.size() < kMost) here.insert(moves ? size_t(llvm::hash_combine(way, user, use.getOperandNumber())) : way);
  }

  llvm::function_ref<bool(Value)> isStored_;
  llvm::DenseMap<Value, Ways> ways_;
};
}  // namespace

/// What a reduction adds up is computed where it is read, but for products: they are stored with what is done to all of
/// their elements, before the reduction and whatever else reads them.
void FunctionScheduler::storeProductsUnder(graph::ReduceOp reduce) {
  walkBack(reduce.getOperand(), [&](Value value) {
    if (isStored(value)) return false;
    auto dot = value.getDefiningOp<graph::DotOp>();
    if (dot && hasTiles(dot) && dot->getBlock() == reduce->getBlock() && !chainOps_.contains(dot)) markIf(true, storedFor(dot));
    return !dot;
  });
  markIf(holds(reduce.getOperand(), isDot), reduce.getOperand());
  // What is picked out of long rows is stored: a sum over all rows has few groups, which would wait for each element.
  walkBack(reduce.getOperand(), [&](Value value) {
    if (isStored(value)) return false;
    auto gather = value.getDefiningOp<graph::GatherOp>();
    markIf(gather && isUnit(gather.getType().getShape()[gather.getAxis()]) && gather->getBlock() == reduce->getBlock(), value);
    return !gather;
  });
}

/// Whether more arrays, or parts of them, are read for one element of the value.
bool FunctionScheduler::readsMoreThan(size_t most, Value value) {
  size_t parts = 0, arrays = 0;
  walkBack(value, [&](Value each) {
    if (std::max(parts, arrays) > most) return false;
    if (isStored(each)) return ++arrays, false;
    Operation *op = each.getDefiningOp();
    if (isa<graph::SliceOp, graph::GatherOp>(op) && isStored(op->getOperand(0))) ++parts;
    return true;
  });
  return std::max(parts, arrays) > most;
}

/// A kernel of rows has all that it reads of a row at hand, and goes over it several times. What is made of many rows, such as a window's
/// sum, of which a norm is taken, is stored.
void FunctionScheduler::storeWindowsUnder(graph::ReduceOp reduce) {
  constexpr size_t kMostRows = 8;
  if (isOverRows(reduce) || !isLong(reduce)) return;
  walkBack(reduce.getOperand(), [&](Value value) {
    if (isStored(value)) return false;
    bool isShared = isa<graph::ElementwiseOp>(value.getDefiningOp()) && !value.hasOneUse() && value.getType() == reduce.getOperand().getType();
    bool isMany = isShared && value.getDefiningOp()->getBlock() == reduce->getBlock() && readsMoreThan(kMostRows, value);
    markIf(isMany, value);
    return !isMany;
  });
}

/// A kernel of rows that reads them down the columns of an array asks for a line of memory for each element. Where several reductions
/// go over such rows (a softmax of columns, written with a transpose), the array is turned first, by a kernel that does it in tiles.
void FunctionScheduler::storeTurnedRows(Block &block) {
  for (auto turn : block.getOps<graph::TransposeOp>()) {
    ArrayRef<int64_t> perm = turn.getPerm();
    const bool movesRows = perm.back() != static_cast<int64_t>(perm.size()) - 1;
    if (!movesRows || longAxes(turn.getType()).size() < 2 || isStored(turn.getResult()) || !isStored(turn.getOperand())) continue;
    size_t reductions = 0;
    llvm::SmallDenseSet<Operation *> seen;
    SmallVector<Value> next{turn.getResult()};
    while (!next.empty()) {
      Value from = next.pop_back_val();
      for (Operation *user : from.getUsers()) {
        if (!seen.insert(user).second || user->getBlock() != &block) continue;
        auto reduce = dyn_cast<graph::ReduceOp>(user);
        if (reduce) reductions += !isOverRows(reduce) && isLong(reduce);
        else if (isa<graph::ElementwiseOp, graph::CastOp>(user)) next.push_back(user->getResult(0));
      }
    }
    markIf(reductions > 1, turn.getResult());
  }
}

/// How many kernels would compute the value: what is stored, multiplied or added up over rows further on.
size_t FunctionScheduler::kernelsReading(Value value) {
  llvm::SmallDenseSet<Operation *> kernels;
  llvm::SmallDenseSet<Operation *> seen;
  SmallVector<Value> next{value};
  while (!next.empty()) {
    Value from = next.pop_back_val();
    for (Operation *user : from.getUsers()) {
      if (!seen.insert(user).second) continue;
      auto reduce = dyn_cast<graph::ReduceOp>(user);
      bool ends = user->getNumResults() != 1 || isDot(user) || (reduce && isOverRows(reduce)) || isStored(user->getResult(0)) ||
                  user->getBlock() != value.getParentBlock();
      if (ends) kernels.insert(user);
      else next.push_back(user->getResult(0));
    }
  }
  return kernels.size();
}

/// How many reductions along rows read the value in the kernels that compute it.
int64_t FunctionScheduler::reductionsOf(Value value) {
  llvm::SmallDenseSet<Operation *> seen;
  SmallVector<Value> next{value};
  int64_t count = 0;
  while (!next.empty()) {
    Value from = next.pop_back_val();
    for (Operation *user : from.getUsers()) {
      if (user->getNumResults() != 1 || isDot(user) || user->getBlock() != value.getParentBlock() || !seen.insert(user).second) continue;
      count += isReduce(user);
      if (!isStored(user->getResult(0))) next.push_back(user->getResult(0));
    }
  }
  return count;
}

/// Bits that a kernel reads for each element of the value, from arrays of its size.
int64_t FunctionScheduler::bitsRead(Value value) {
  int64_t bits = 0;
  walkBack(value, [&](Value each) {
    if (!isStored(each)) return true;
    if (isa<TensorType>(each.getType())) bits += bitsReadFor(each, value);
    return false;
  });
  return bits;
}

/// A sum over rows is small, and long work: each kernel that reads it would do it again. And one kernel makes all that add up one array.
void FunctionScheduler::storeSumsOverRows(Block &block) {
  SmallVector<graph::ReduceOp> sums;
  for (auto reduce : block.getOps<graph::ReduceOp>()) {
    if (!isa<TensorType>(reduce.getType()) || !isOverRows(reduce)) continue;
    if (isForLanes(reduce) && transforms::isLong(reduce)) sums.push_back(reduce);
    if (isStored(reduce.getResult())) continue;
    ArrayRef<DimAttr> shape = reduce.getOperand().getType().getShape();
    bool isLong = llvm::any_of(reduce.getAxes(), [&](int64_t axis) { return shape[axis].getConstant().value_or(kFewRows + 1) > kFewRows; });
    markIf(reduce->hasAttr(kColumnsFirst) || (isLong && kernelsReading(reduce.getResult()) > 1), reduce.getResult());
  }
  llvm::DenseMap<Value, SmallVector<graph::ReduceOp>> over;  // of an array
  for (graph::ReduceOp sum : sums)
    for (Value array : arraysUnder(sum)) {
      for (graph::ReduceOp other : over[array])
        if (other.getAxes() == sum.getAxes() && other.getOperand().getType().getShape() == sum.getOperand().getType().getShape()) {
          markIf(true, sum.getResult());
          markIf(true, other.getResult());
        }
      over[array].push_back(sum);
    }
}

/// What is made of rows' sums, or of many arrays, and read by several kernels is stored where that moves fewer bytes than to
/// read all that it is made of in each of them: once read and written, then read by each. Where each turn of a loop that is
/// written out is made of the one before, all turns would else be computed in each. The last of several such values comes
/// first: where it is stored, one kernel alone needs those that it is made of.
void FunctionScheduler::storeShared(Block &block) {
  for (Operation &op : llvm::reverse(block)) {
    if (!isa<graph::ElementwiseOp>(op) || chainOps_.contains(&op) || op.getResult(0).hasOneUse()) continue;
    Value value = op.getResult(0);
    if (isStored(value) || !isa<TensorType>(value.getType())) continue;
    int64_t own = bitsOf(value.getType()), read = bitsRead(value);
    if (read < kMany * std::max<int64_t>(own, 32) && !holds(value, isReduce)) continue;
    auto kernels = static_cast<int64_t>(kernelsReading(value));
    int64_t more = (kernels - 1) * read - (kernels + 1) * own;
    markIf(more > 0 || (more == 0 && holds(value, isReduce) && !isForRows(value)), value);
  }
  storeLongWork(block);
  storeRepeated(block);
  storeNestedSums(block);
}

/// A number of a row, say, from which something is made for each of its elements: where that is computed, it is computed once.
bool FunctionScheduler::isForMore(Value value) {
  const size_t axes = longAxes(value.getType()).size();
  llvm::SmallDenseSet<Operation *> seen;
  SmallVector<Value> next{value};
  while (!next.empty())
    for (Operation *user : next.pop_back_val().getUsers()) {
      if (user->getNumResults() != 1 || user->getBlock() != value.getParentBlock() || !seen.insert(user).second) continue;
      Value made = user->getResult(0);
      if (longAxes(made.getType()).size() > axes) return true;
      if (isa<graph::ElementwiseOp, graph::CastOp, graph::ReshapeOp, graph::TransposeOp>(user)) next.push_back(made);
    }
  return false;
}

/// What each kernel would compute from the beginning, and each of a row's reductions, is stored now and then: forty turns of
/// `x = x / sum(x, axis=0)` that are written out would else take forty turns, and the text of them, in the last of forty kernels. To write
/// an element and to read it back takes about as long as kStored operations; a turn in eight of a few operations is stored.
void FunctionScheduler::storeLongWork(Block &block) {
  constexpr int64_t kWork = kStored / 4;
  constexpr int64_t kWorkOfRows = 4 * kStored;  // a row that fits is kept by the one kernel that reduces it
  for (Operation &op : block) {
    if (!isa<graph::ElementwiseOp>(op) || chainOps_.contains(&op) || op.hasAttr(kInPlace) || op.getResult(0).hasOneUse()) continue;
    Value value = op.getResult(0);
    if (isStored(value) || !isa<TensorType>(value.getType()) || isForMore(value)) continue;
    const int64_t work = workOf(value, /*ofItsElements=*/true), all = workOf(value);
    if (all <= kWork) continue;
    const int64_t kernels = static_cast<int64_t>(kernelsReading(value)), more = (kernels - 1) * bitsRead(value) - (kernels + 1) * bitsOf(value.getType());
    const bool isLong = work > kWork && (kernels - 1) * work + more > 0;  // an operation takes about as long as to move a bit
    markIf(isLong || (all > kWorkOfRows && reductionsOf(value) > kMany), value);
  }
}

/// A short sum is computed wherever it is read, also for each term of another one: five products of a matrix of 12 rows with a vector, one
/// after the other, would take 12^5 terms for an element, and a loop that is written out has as many as it has turns. What would take too
/// many has the sums under it stored.
void FunctionScheduler::storeNestedSums(Block &block) {
  constexpr int64_t kMostTerms = 32 * 32 * 32;  // of three sums over short rows
  llvm::DenseMap<Value, int64_t> terms;
  for (auto reduce : block.getOps<graph::ReduceOp>()) {
    ArrayRef<DimAttr> shape = reduce.getOperand().getType().getShape();
    int64_t own = 1, inner = 1;
    for (int64_t axis : reduce.getAxes()) own *= std::min(shape[axis].getConstant().value_or(kMostTerms), kMostTerms);
    if (own > kFewRows) continue;  // a kernel of its own, or of rows
    SmallVector<Value> under;
    walkBack(reduce.getOperand(), [&](Value value) {
      if (isStored(value)) return false;
      if (!value.getDefiningOp<graph::ReduceOp>()) return true;
      under.push_back(value);
      inner = std::max(inner, terms.lookup(value));
      return false;
    });
    const bool tooMany = inner > 1 && own * inner > kMostTerms;
    for (Value value : under) markIf(tooMany && isa<TensorType>(value.getType()), value);
    terms[reduce.getResult()] = std::min(tooMany ? own : own * inner, kMostTerms);
  }
}

/// Operations that computing the value once takes: what is stored is read, and functions take several.
int64_t FunctionScheduler::workOf(Value value, bool ofItsElements) {
  constexpr int64_t kFunction = 8;
  const size_t axes = longAxes(value.getType()).size();
  int64_t work = 0;
  walkBack(value, [&](Value each) {
    if (ofItsElements && longAxes(each.getType()).size() < axes) return false;  // a number of a row is computed once for it
    auto op = isStored(each) ? graph::ElementwiseOp() : each.getDefiningOp<graph::ElementwiseOp>();
    work += op && !isCheap(op) ? kFunction : 1;
    return !isStored(each);
  });
  return work;
}

/// What a kernel computes many times for an element is stored where that is less work, so that the text grows with the program and not
/// with the product of its steps: to write an element and to read it back takes about as long as kStored operations.
void FunctionScheduler::storeRepeated(Block &block) {
  auto stored = [&](Value value) { return isStored(value); };
  Evaluations evaluations(stored);
  for (Operation &op : llvm::reverse(block)) {
    if (op.getNumResults() != 1 || chainOps_.contains(&op) || !isa<TensorType>(op.getResult(0).getType())) continue;
    Value value = op.getResult(0);
    const auto times = static_cast<int64_t>(evaluations.of(value));
    if (times < 2 || isStored(value) || op.hasAttr(kInPlace) || !isa<graph::ElementwiseOp, graph::ConcatOp>(op)) continue;
    markIf((times - 1) * workOf(value) > kStored, value);
  }
}

}  // namespace tessera::transforms
