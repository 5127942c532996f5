// Strategy "rows": a group has whole rows, and every reduction inside sees the same row in all its lanes.
#include "transforms/schedule/TensorFunction.h"
#include "transforms/schedule/Updates.h"

namespace tessera::transforms {
using namespace mlir;
using namespace tessera::ir;

/// Every reduction under `value` sees the same elements in all lanes when the axes of `value` are so.
bool FunctionScheduler::isUniform(Value value, const AxisKinds &kinds, Met &met) {
  if (isStored(value) || !met.isNew(value, kinds)) return true;  // where one is not uniform, the walk ends
  Operation *op = value.getDefiningOp();
  bool whole = llvm::is_contained(kinds, AxisKind::Whole);
  if (isa<graph::ReduceOp>(op) && whole) return false;
  if (isa<graph::DotOp>(op)) return false;
  for (auto [i, operand] : llvm::enumerate(op->getOperands())) {
    if (!isa<TensorType>(operand.getType())) {
      if (!isUniform(operand, {}, met)) return false;
      continue;
    }
    std::optional<AxisKinds> inner = operandAxes(op, i, kinds);
    if (!inner || !isUniform(operand, *inner, met)) return false;
  }
  return true;
}

/// The reductions nearest to `value`.
void FunctionScheduler::topReductions(Value value, llvm::SetVector<Value> &found) {
  walkBack(value, [&](Value each) {
    if (isStored(each)) return false;
    if (!each.getDefiningOp<graph::ReduceOp>()) return true;
    found.insert(each);
    return false;
  });
}

static std::optional<int64_t> constantCount(ArrayRef<DimAttr> shape, ArrayRef<int64_t> axes) {
  int64_t count = 1;
  for (int64_t axis : axes) {
    std::optional<int64_t> extent = shape[axis].getConstant();
    if (!extent) return std::nullopt;
    count *= *extent;
  }
  return count;
}

constexpr int64_t kFewElements = 32;  // that a lane adds up as it goes

bool isLong(graph::ReduceOp reduce) {
  std::optional<int64_t> count = constantCount(reduce.getOperand().getType().getShape(), reduce.getAxes());
  return !count || *count > kFewElements;
}

static bool isDot(Operation *op) { return isa<graph::DotOp>(op); }
static bool isAlongRow(Operation *op) { return isa<graph::ReduceOp>(op) && !isForLanes(cast<graph::ReduceOp>(op)); }

/// A number for each row: it is made of sums along rows, and has fewer axes than what they add up.
bool FunctionScheduler::isForRows(Value value) {
  llvm::SetVector<Value> sums;
  if (isa_and_nonnull<graph::BroadcastOp, graph::ReshapeOp>(value.getDefiningOp())) return false;
  topReductions(value, sums);
  bool any = false;
  for (Value sum : sums) {
    auto reduce = sum.getDefiningOp<graph::ReduceOp>();
    if (!isAlongRow(reduce)) continue;
    any = true;
    if (longAxes(value.getType()).size() >= longAxes(reduce.getOperand().getType()).size()) return false;
  }
  return any;
}

/// The numbers for each row from which the elements of a value are computed: those nearest to it.
SmallVector<Value> FunctionScheduler::rowsUnder(Value value) {
  llvm::SetVector<Value> found;
  walkBack(value, [&](Value each) {
    if (isStored(each)) return false;
    bool isNumber = !isa<TensorType>(each.getType()) && !each.getDefiningOp<graph::ReduceOp>();
    if (!isNumber && isForRows(each)) found.insert(each);
    return !found.contains(each);
  });
  return found.takeVector();
}

/// An array that follows element by element from what these numbers for each row are made of, and that is stored, too: the kernel that
/// has the rows at hand stores it. The derivative by the logits follows from the greatest and the sum that a cross entropy finds.
Value FunctionScheduler::arrayOverRows(ArrayRef<Value> rows, size_t fixed) {
  Value last = rows.back();
  ArrayRef<DimAttr> leading = shapeOf(last.getType()).take_front(fixed);
  auto axesOfRoot = [&](Value root) {
    roots_.erase(root);  // as its own kernel sees it
    std::optional<size_t> axes = axesOfRows(root);
    roots_.insert(root);
    return axes;
  };
  auto isBeside = [&](Value each) {
    return isToStore(each) && each.getDefiningOp() && !chains_.count(each.getDefiningOp()) &&
           shapeOf(each.getType()).size() > fixed && shapeOf(each.getType()).take_front(fixed) == leading && isReadyButFor(each, rows) &&
           axesOfRoot(each) == fixed;
  };
  SmallVector<Value> next(rows);
  for (Value row : rows)
    walkBack(row, [&](Value each) {
      if (each.getDefiningOp<graph::ReduceOp>()) next.push_back(each);
      return !isStored(each) || each == row;
    });
  llvm::DenseSet<Value> seen(next.begin(), next.end());
  while (!next.empty()) {
    Value from = next.pop_back_val();
    for (Operation *user : from.getUsers()) {
      if (user->getBlock() != last.getParentBlock() || user->hasAttr(kInPlace)) continue;
      if (!isa<graph::ElementwiseOp, graph::CastOp, graph::BroadcastOp, graph::ReshapeOp>(user) || !seen.insert(user->getResult(0)).second) continue;
      if (isBeside(user->getResult(0))) return user->getResult(0);
      if (!isStored(user->getResult(0))) next.push_back(user->getResult(0));
    }
  }
  return {};
}

/// All that a value is made of lies in memory, but for these rows' numbers and for what is the same for all rows, which comes first.
bool FunctionScheduler::isReadyButFor(Value value, ArrayRef<Value> rows) {
  bool isReady = true;
  walkBack(value, [&](Value each) {
    if (!isReady || leaves_.count(each) || llvm::is_contained(rows, each)) return false;
    Operation *op = each.getDefiningOp();
    bool isNumber = each != value && isNumberOfAll(each);
    // Of these rows, and of nothing that takes them apart: a gather needs them in memory.
    bool keepsPlaces = isa_and_nonnull<graph::ElementwiseOp, graph::CastOp, graph::BroadcastOp, graph::ReshapeOp, graph::ReduceOp>(op) || !readsAny(each, rows);
    isReady = op && !op->hasAttr(kInPlace) && !isDot(op) && keepsPlaces && (isNumber ? !readsAny(each, rows) : each == value || !roots_.count(each));
    return isReady;
  });
  return isReady;
}

/// A sum of many elements that is the same for all rows, or for all along one of `axes` axes by which they are numbered: for all images of a
/// batch, where a group has a channel of one.
bool FunctionScheduler::isNumberOfAll(Value value, size_t axes) {
  auto reduce = value.getDefiningOp<graph::ReduceOp>();
  return reduce && longAxes(value.getType()).size() < axes && isLong(reduce);
}

bool FunctionScheduler::readsAny(Value value, ArrayRef<Value> of) {
  bool reads = false;
  walkBack(value, [&](Value each) {
    reads |= llvm::is_contained(of, each);
    return !reads && !leaves_.count(each);
  });
  return reads;
}

/// Long sums that are the same for all rows, or for many (isNumberOfAll), in order: they are not added up in each of them.
SmallVector<Value> FunctionScheduler::numbersOfAll(Value value, size_t axes) {
  SmallVector<Value> found;
  walkBack(value, [&](Value each) {
    if (isStored(each) && each != value) return false;
    bool isNumber = each != value && isNumberOfAll(each, axes);
    if (isNumber) found.push_back(each);
    return !isNumber;
  });
  llvm::sort(found, [](Value a, Value b) { return a.getDefiningOp()->isBeforeInBlock(b.getDefiningOp()); });
  return found;
}

/// Roots that follow element by element from an array that a row kernel stores: it stores them, too. A gradient, and itself in 16 bits.
SmallVector<Value> FunctionScheduler::arraysBeside(Value root) {
  constexpr size_t kMostArrays = 2;
  SmallVector<Value> next{root}, found;
  if (longAxes(root.getType()).empty() || root.getParentBlock() != &function_.entry()) return {};
  llvm::DenseSet<Value> seen{root};
  while (!next.empty() && found.size() < kMostArrays) {
    Value from = next.pop_back_val();
    for (Operation *user : from.getUsers()) {
      bool isByElement = isa<graph::ElementwiseOp, graph::CastOp>(user) && !user->hasAttr(kInPlace) && user->getBlock() == root.getParentBlock();
      if (!isByElement || shapeOf(user->getResult(0).getType()) != shapeOf(root.getType()) || !seen.insert(user->getResult(0)).second) continue;
      Value made = user->getResult(0);
      if (!isToStore(made)) next.push_back(made);
      else if (isReadyButFor(made, root)) found.push_back(made);
    }
  }
  return found;
}

/// Numbers of the rows of an array that a row kernel stores, of which sums over these rows are made later: the kernel has them at hand, and
/// stores them, too. The derivative by a norm's scale would read the norm's argument once more for them.
SmallVector<Value> FunctionScheduler::numbersForSums(Value root, size_t fixed) {
  if (fixed == 0 || longAxes(root.getType()).empty() || !when_.empty() || root.getParentBlock() != &function_.entry()) return {};
  ArrayRef<DimAttr> leading = shapeOf(root.getType()).take_front(fixed);
  llvm::DenseSet<Value> under;
  walkBack(root, [&](Value each) { return under.insert(each).second && !leaves_.count(each); });
  auto isAtHand = [&](Value number) {
    llvm::SetVector<Value> sums;
    topReductions(number, sums);
    return shapeOf(number.getType()).size() >= fixed && shapeOf(number.getType()).take_front(fixed) == leading && axesOfRows(number) == fixed &&
           llvm::all_of(sums, [&](Value sum) { return under.contains(sum); }) && isReadyButFor(number, {}) && numbersOfAll(number).empty();
  };
  llvm::SetVector<Value> found;
  for (auto sum : function_.entry().getOps<graph::ReduceOp>()) {
    bool isToCome = isForLanes(sum) && isLong(sum) && !leaves_.count(sum.getResult()) && !under.contains(sum.getResult()) && !holds(sum.getOperand(), isDot);
    SmallVector<Value> rows = isToCome ? rowsUnder(sum.getOperand()) : SmallVector<Value>();
    if (llvm::all_of(rows, isAtHand)) found.insert(rows.begin(), rows.end());
  }
  return found.takeVector();
}

/// Stores what `value` needs of rows: by one kernel that goes over the rows once, where all of it is of the same rows.
LogicalResult FunctionScheduler::makeRows(Value value) {
  SmallVector<Value> rows = rowsUnder(value);
  llvm::sort(rows, [](Value a, Value b) { return a.getDefiningOp()->isBeforeInBlock(b.getDefiningOp()); });
  Value last = rows.back();
  std::optional<size_t> fixed = axesOfRows(last);
  auto isBeside = [&](Value each) {
    return each.getParentBlock() == last.getParentBlock() && axesOfRows(each) == fixed && !holds(each, isDot) &&
           shapeOf(each.getType()).take_front(*fixed) == shapeOf(last.getType()).take_front(*fixed);
  };
  if (!fixed || *fixed == 0 || !llvm::all_of(rows, isBeside)) {
    for (Value each : rows)
      if (!leaves_.count(each) && failed(makeRoot(each))) return failure();
    return success();
  }
  if (Value array = arrayOverRows(rows, *fixed)) last = array;
  else rows.pop_back();
  roots_.erase(last);
  for (Value each : numbersOfAll(last, axesAlong(last, *fixed)))
    if (failed(makeRoot(each))) return failure();
  SmallVector<Stored> others = memoryForAll(rows);
  Value target = results_.count(last) ? Value() : memoryOverRows(last, *fixed, others);
  if (!target) target = memoryFor(last);
  others.append(memoryForAll(arraysBeside(last)));
  if (failed(rowKernel(last, *fixed, target, others))) return failure();
  isHeld({last, target});
  return success();
}

/// Those of a value's first `fixed` axes that have several elements.
size_t FunctionScheduler::axesAlong(Value value, size_t fixed) {
  return static_cast<size_t>(llvm::count_if(shapeOf(value.getType()).take_front(fixed), [](DimAttr extent) { return !isUnit(extent); }));
}

/// The leading axes that a group fixes, so that every reduction under the value sees the same row in all lanes.
std::optional<size_t> FunctionScheduler::axesOfRows(Value value) {
  size_t rank = shapeOf(value.getType()).size();
  for (size_t fixed = 0; fixed <= rank; ++fixed) {
    AxisKinds kinds(rank, AxisKind::Whole);
    std::fill_n(kinds.begin(), fixed, AxisKind::Private);
    Met met;
    if (isUniform(value, kinds, met)) return fixed;
  }
  return std::nullopt;
}

bool isForLanes(graph::ReduceOp reduce) {
  ArrayRef<DimAttr> shape = reduce.getOperand().getType().getShape();
  int64_t last = static_cast<int64_t>(shape.size()) - 1;
  while (last > 0 && isUnit(shape[last])) --last;
  bool overLast = llvm::is_contained(reduce.getAxes(), last);
  bool isScalar = longAxes(reduce.getType()).empty();
  return !isScalar && (!overLast || !isLong(reduce));
}

LogicalResult FunctionScheduler::rowKernel(Value root, size_t fixed, Value target, ArrayRef<Stored> others) {
  Location loc = root.getLoc();
  MLIRContext *context = builder_.getContext();
  ArrayRef<DimAttr> shape = shapeOf(root.getType());
  DimAttr one = DimAttr::get(context, Dim(1));
  SmallVector<DimAttr> tile(shape);
  std::fill_n(tile.begin(), fixed, one);
  GridAttr grid = shape.empty() ? GridAttr::get(context, GridKind::Explicit, one, -1)
                                : GridAttr::get(context, GridKind::Output, tile, 0);
  std::set<std::string> rows;
  llvm::SetVector<Value> reductions;
  topReductions(root, reductions);
  for (auto [other, memory] : others) topReductions(other, reductions);
  for (Value value : reductions) {
    auto reduce = value.getDefiningOp<graph::ReduceOp>();
    for (int64_t axis : reduce.getAxes())
      rows.insert(reduce.getOperand().getType().getShape()[axis].getText().str());
  }
  std::vector<std::string> list(rows.begin(), rows.end());
  std::string reason = longAxes(root.getType()).empty() ? "one group reduces everything" : "one group a row";
  if (!others.empty()) reason += "; it stores all that is needed of the row";
  Kernel kernel = beginKernel(root, grid, target, {reason}, false, list, schedule::KernelOp::getOperationName(), {}, others);
  OpBuilder builder = OpBuilder::atBlockEnd(&kernel.op->getRegion(0).front());
  Privatiser privatiser(builder, kernel.leaves);
  Indices indices(shape.size());
  for (size_t axis = 0; axis < fixed; ++axis)
    indices[axis] =
        isUnit(shape[axis])
            ? privatiser.constantIndex(0, loc)
            : builder.create<graph::QueryOp>(loc, builder.getIndexType(), "origin", axis).getResult();
  auto indicesOf = [&](Value other) {
    Indices at(indices.begin(), indices.begin() + fixed);
    at.resize(shapeOf(other.getType()).size());
    return at;
  };
  SmallVector<Value> pieces;
  for (auto [other, memory] : others)
    if (!pieces.emplace_back(privatiser.part(other, indicesOf(other)))) return failure();
  Value piece = privatiser.part(root, indices);
  if (!piece) return failure();
  for (auto [i, other] : llvm::enumerate(others)) {
    store(builder, pieces[i], kernel.others[i], indicesOf(other.first), /*byLane=*/false, other.first.getLoc());
    isHeld(other);
  }
  store(builder, piece, kernel.target, indices, /*byLane=*/false, loc);
  builder.create<schedule::KernelEndOp>(loc);
  return success();
}

}  // namespace tessera::transforms
