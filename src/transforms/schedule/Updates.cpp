// Which updates of arrays are done in place.
#include "transforms/schedule/Updates.h"
#include "ir/common/BitCasts.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "transforms/schedule/Conditions.h"
#include "transforms/schedule/Loops.h"
#include "transforms/schedule/Shapes.h"

namespace tessera::transforms {
using namespace mlir;
using namespace tessera::ir;

bool isListed(Operation *loop, StringRef attribute, int64_t result) {
  auto list = loop->getAttrOfType<DenseI64ArrayAttr>(attribute);
  return list && llvm::is_contained(list.asArrayRef(), result);
}

Value sourceOf(Value value) {
  Operation *op = value.getDefiningOp();
  if (!isa_and_nonnull<graph::BroadcastOp, graph::ReshapeOp, graph::FullOp, graph::GatherOp>(op)) return value;
  return sourceOf(op->getOperand(0));
}

namespace {

// ---------------------------------------------------------------- the block of places

graph::ElementwiseOp elementwise(Value value, StringRef mnemonic) {
  auto op = value.getDefiningOp<graph::ElementwiseOp>();
  return op && op.getMnemonic() == mnemonic ? op : graph::ElementwiseOp();
}

/// Casts that keep the number.
Value underCasts(Value value) {
  for (auto cast = value.getDefiningOp<graph::CastOp>(); cast && cast.getRounding() != kBits; cast = value.getDefiningOp<graph::CastOp>()) value = cast.getOperand();
  return value;
}

/// The index that an array repeats everywhere: of sizes and integers if it can be, else a number that data makes.
Value indexEverywhere(Value value) {
  Value made = value = sourceOf(value);
  value = underCasts(value);
  if (value.getType().isIndex() || value.getDefiningOp<graph::ConstantOp>()) return value;
  auto integer = dyn_cast<IntegerType>(made.getType());
  return integer && integer.getWidth() > 1 ? made : Value();
}

/// The numbers of the places along an axis.
bool isPlaces(Value value, int64_t axis) {
  value = underCasts(value);
  auto iota = value.getDefiningOp<graph::IotaOp>();
  return iota && static_cast<int64_t>(iota.getAxis()) == axis;
}

}  // namespace

bool movesTo(graph::GatherOp gather, Value start, graph::FuncOp function) {
  if (gather.getAxes().size() != 1 || gather.getAxes()[0] != static_cast<int64_t>(gather.getAxis())) return false;
  auto difference = elementwise(gather.getPlaces(), "sub");
  if (!difference) return !start && isPlaces(gather.getPlaces(), 0);
  Value taken = indexEverywhere(difference->getOperand(1));
  std::optional<Dim> from = taken ? dimOf(taken, function) : std::nullopt, begin = start ? dimOf(start, function) : Dim(0);
  return isPlaces(difference->getOperand(0), 0) && from && begin && *from == *begin;
}

namespace {

class Matcher {
public:
  Matcher(Update &update, TensorType type, graph::FuncOp function) : update_(update), type_(type), function_(function) {
    ends_.resize(type.getRank());
    update_.starts.resize(type.getRank());
  }

  bool matches(Value here) {
    if (!comparison(here, llvm::to_vector(llvm::seq<int64_t>(0, type_.getRank())))) return false;
    for (size_t axis = 0; axis < type_.getRank(); ++axis) {
      if (point_.count(axis)) {  // wherever it is
        update_.sizes.push_back(Dim(1));
        continue;
      }
      std::optional<Dim> from = update_.starts[axis] ? dimOf(update_.starts[axis], function_) : Dim(0);
      std::optional<Dim> to = ends_[axis] ? dimOf(ends_[axis], function_) : type_.getShape()[axis].getDim();
      if (!from || !to) return false;
      update_.sizes.push_back(*to - *from);
    }
    return true;
  }

private:
  /// Comparisons that hold together. `axes`: the axes of the array that those of the value are.
  bool comparison(Value value, SmallVector<int64_t> axes) {
    if (auto broadcast = value.getDefiningOp<graph::BroadcastOp>()) {
      SmallVector<int64_t> inner;
      for (int64_t axis : broadcast.getAxes()) inner.push_back(axes[axis]);
      return comparison(broadcast.getOperand(), inner);
    }
    if (auto reshape = value.getDefiningOp<graph::ReshapeOp>()) {  // axes of 1 come and go
      auto before = longAxes(reshape.getOperand().getType()), after = longAxes(reshape.getType());
      if (before.size() != 1 || after.size() != 1 || shapeOf(reshape.getOperand().getType()).size() != 1) return false;
      return comparison(reshape.getOperand(), {axes[after[0]]});
    }
    if (auto both = elementwise(value, "and")) return comparison(both->getOperand(0), axes) && comparison(both->getOperand(1), axes);
    auto op = value.getDefiningOp<graph::ElementwiseOp>();
    if (!op || op->getNumOperands() != 2) return false;
    int64_t axis = -1;
    for (size_t i = 0; i < axes.size(); ++i)
      if (isPlaces(op->getOperand(0), static_cast<int64_t>(i))) axis = axes[i];
    Value bound = indexEverywhere(op->getOperand(1));
    if (axis < 0 || !bound) return false;
    StringRef how = op.getMnemonic();
    Value &start = update_.starts[axis];
    if (how == "eq" && !start && !ends_[axis]) return start = bound, point_.insert(axis), true;
    if (how == "ge" && !start) return start = bound, true;
    if (how == "lt" && !ends_[axis] && !point_.count(axis)) return ends_[axis] = bound, true;
    return false;
  }

  Update &update_;
  TensorType type_;
  graph::FuncOp function_;
  SmallVector<Value> ends_;
  llvm::DenseSet<int64_t> point_;
};

// ---------------------------------------------------------------- what is in place

void list(Operation *loop, StringRef attribute, int64_t result) {
  SmallVector<int64_t> numbers;
  if (auto before = loop->getAttrOfType<DenseI64ArrayAttr>(attribute)) llvm::append_range(numbers, before.asArrayRef());
  numbers.push_back(result);
  loop->setAttr(attribute, Builder(loop->getContext()).getDenseI64ArrayAttr(numbers));
}

Value initOf(Operation *loop, unsigned result) {
  if (auto counted = dyn_cast<scf::ForOp>(loop)) return counted.getInitArgs()[result];
  return cast<scf::WhileOp>(loop).getInits()[result];
}

/// What reads the value, under any shape, after the operation that writes into its memory; null if nothing does.
Operation *lateRead(Value value, Operation *change) {
  Block *block = change->getBlock();
  int changes = 0;
  for (Operation *user : value.getUsers()) {
    if (user == change && ++changes == 1) continue;
    Operation *here = block->findAncestorOpInBlock(*user);
    bool inCondition = !here;  // of the `while` whose body this is
    if (!inCondition && (here == change || !here->isBeforeInBlock(change))) return user;
    if (auto reshape = dyn_cast<graph::ReshapeOp>(user))
      if (Operation *late = lateRead(reshape.getResult(), change)) return late;
  }
  return nullptr;
}

/// What makes a turn's array of what the turn starts with: updates, and loops inside that update it. Nothing if it is
/// made otherwise, or if an array that is written over is still read.
SmallVector<Operation *> changesOf(Value yielded, Value argument, Block *body) {
  SmallVector<Operation *> changes;
  while (yielded != argument) {
    Operation *op = yielded.getDefiningOp();
    if (!op || op->getBlock() != body) return {};
    Value before;
    if (auto update = updateBy(op)) {
      before = update->old;
    } else if (op->hasAttr(kLoop)) {
      unsigned number = cast<OpResult>(yielded).getResultNumber();
      if (!isListed(op, kInPlace, number)) return {};
      before = initOf(op, number);
    }
    if (!before || lateRead(before, op)) return {};
    changes.push_back(op);
    yielded = before;
  }
  return changes;
}

/// Writes down that these changes of `after` are done in the memory of what they start from.
void markInPlace(ArrayRef<Operation *> changes, Value after) {
  for (Operation *change : changes) {
    if (auto update = updateBy(change)) {
      change->setAttr(kInPlace, UnitAttr::get(change->getContext()));
      after = update->old;
    } else {
      unsigned number = cast<OpResult>(after).getResultNumber();
      list(change, kTakesOver, number);
      after = initOf(change, number);
    }
  }
}

/// What a function leaves in a parameter is what it makes of it, in its memory. A copy of a state is not made: one that would
/// be needed is an error, with the late read.
LogicalResult planState(Value after, BlockArgument before, graph::FuncOp function) {
  SmallVector<Operation *> changes = changesOf(after, before, &function.entry());
  markInPlace(changes, after);
  Operation *last = after.getDefiningOp();
  if (!changes.empty() || !last || !last->hasAttr(kUpdate)) return success();
  std::string name = function.param(before.getArgNumber()).getName().str();
  for (Value now = after; now != before;) {
    Operation *op = now.getDefiningOp();
    auto update = op ? updateBy(op) : std::nullopt;
    if (!update && op && !op->hasAttr(kUpdate))
      return last->emitError() << "an update of `" << name << "` behind what a condition or a computation made of it; a state lies in one place: "
                                  "do the update under the condition, too, on both ways";
    if (!update) break;
    if (Operation *late = lateRead(update->old, op))
      return late->emitError() << "what `" << name << "` was before an update, which is read after it; the state lies in one place: compute what "
                                  "needs the old one first, or keep a copy of the part, `old = " << name << "[...] * 1`";
    now = update->old;
  }
  return last->emitError() << "an update of a part of `" << name << "` that I cannot see the place of; ranges begin at sizes and integers, in steps of 1";
}

void planLoop(Operation *loop) {
  auto counted = dyn_cast<scf::ForOp>(loop);
  Block *body = counted ? counted.getBody() : cast<scf::WhileOp>(loop).getAfterBody();
  for (unsigned i = 0; i < loop->getNumResults(); ++i) {
    Value argument = counted ? Value(counted.getRegionIterArgs()[i]) : body->getArgument(i);
    Value after = body->getTerminator()->getOperand(i);
    SmallVector<Operation *> changes = changesOf(after, argument, body);
    if (changes.empty()) continue;
    list(loop, kInPlace, i);
    markInPlace(changes, after);
  }
}

}  // namespace

std::optional<Update> updateBy(Operation *op) {
  auto select = op->getNumResults() == 1 ? elementwise(op->getResult(0), "select") : graph::ElementwiseOp();
  auto type = select ? dyn_cast<TensorType>(select.getType()) : TensorType();
  if (!type || !op->hasAttr(kUpdate)) return std::nullopt;
  Update update;
  update.value = select->getOperand(1), update.old = select->getOperand(2);
  if (update.value == update.old || !Matcher(update, type, op->getParentOfType<graph::FuncOp>()).matches(select->getOperand(0)))
    return std::nullopt;
  return update;
}

LogicalResult planUpdates(graph::FuncOp function) {
  function.walk([](Operation *op) {  // loops inside come first
    if (op->hasAttr(kLoop)) planLoop(op);
  });
  for (auto [i, value] : llvm::enumerate(function.entry().getTerminator()->getOperands())) {
    int64_t param = function.output(i).getParam();
    if (param >= 0 && failed(planState(value, function.entry().getArgument(param), function))) return failure();
  }
  return success();
}

}  // namespace tessera::transforms
