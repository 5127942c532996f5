// Rows that the lanes of a group take in turn: in vectors, and kept in registers where several loops go over them.
#include "ir/common/Common.h"
#include "ir/common/Names.h"
#include "ir/tile/HeldRows.h"
#include "support/Machine.h"
#include "transforms/tile/EraseUnused.h"
#include "transforms/tile/LeavesNarrow.h"
#include "transforms/tile/VectorForm.h"
#include "llvm/ADT/SmallPtrSet.h"
#include <cmath>
#include <map>
#include <set>

namespace tessera::transforms {
using namespace mlir;
using namespace tessera::ir;


static bool isQuery(Value value, StringRef what) {
  auto query = value.getDefiningOp<tile::QueryOp>();
  return query && query.getQuery() == what;
}

/// Where a part of a row begins that the loop goes over (tile-split-reductions): on a multiple of every vector.
static Value beginOf(scf::ForOp loop) {
  auto sum = loop.getLowerBound().getDefiningOp<tile::ElementwiseOp>();
  bool isPart = loop->hasAttr(kSplit) && sum && sum.getMnemonic() == "add" && isQuery(sum.getArgs()[1], "local_id");
  return isPart ? sum.getArgs()[0] : Value();
}

/// The extent that the loop goes over, or of which it goes over a part.
std::optional<Dim> VectorForm::extentOf(scf::ForOp loop) {
  auto least = loop.getUpperBound().getDefiningOp<tile::ElementwiseOp>();
  return beginOf(loop) && least && least.getMnemonic() == "min" ? dimOf(least.getArgs()[1]) : dimOf(loop.getUpperBound());
}

/// Loops `for (c = local_id; c < C; c += group_size)` at the top of the kernel.
bool VectorForm::findRows() {
  if (kernel_.getGrid().getKind() == GridKind::Lanes || !ordered(kernel_.getBody())) return false;
  Block &top = kernel_.getBody().front();
  SmallVector<scf::ForOp> loops, others;  // the others add up parts, and stay as they are
  for (auto loop : top.getOps<scf::ForOp>()) {
    if (!isQuery(loop.getStep(), "group_size")) continue;
    if (beginOf(loop)) loops.push_back(loop);
    else if (isQuery(loop.getLowerBound(), "local_id")) (loop->hasAttr(kSplit) ? others : loops).push_back(loop);
  }
  bool good = !loops.empty();
  top.walk([&](tile::QueryOp op) {  // nothing else asks who does what
    if (op.getQuery() != "local_id" && op.getQuery() != "group_size" && !op.isVarying()) return;
    good &= op.getQuery() == "local_id" || op.getQuery() == "group_size";
    for (OpOperand &use : op->getUses()) {
      auto isBegin = [&](scf::ForOp loop) { return beginOf(loop) && loop.getLowerBound().getDefiningOp() == use.getOwner(); };
      const bool isLoop = llvm::is_contained(loops, use.getOwner()) || llvm::is_contained(others, use.getOwner());
      good &= (isLoop && use.getOperandNumber() != 1) || llvm::any_of(loops, isBegin);
    }
  });
  if (!good) return false;
  for (scf::ForOp loop : loops) counters_.insert(loop.getInductionVar());
  for (scf::ForOp loop : loops) {
    std::optional<Dim> extent = extentOf(loop);
    size_t known = moves_.size();
    if (extent) findMoves(loop.getRegion());
    bool stores = true;
    loop.getRegion().walk([&](tile::StoreElementOp op) { stores &= op->getBlock() == loop.getBody() && moves_.count(op); });
    if (!stores)
      while (moves_.size() > known) moves_.pop_back();
    if (moves_.size() == known) continue;
    std::next(moves_.begin(), known)->second.divide.push_back(*extent);
    rows_.push_back(loop);
  }
  return !rows_.empty() && choose();
}

/// Groups take rows in turn, and add up columns (SumBesideRows.cpp).
bool VectorForm::takesTurns() {
  bool found = false;
  kernel_.getBody().walk([&](tile::AddColumnOp) { found = true; });
  return found;
}

/// Rows that several loops go over; all rows where groups take them in turn, as the next ones are then on their way.
void VectorForm::findHeld() {
  const bool inTurn = takesTurns();
  struct Row {
    Value base, extent;
    SmallVector<Value> leading;
    SmallVector<tile::LoadElementOp> loads;
    llvm::SmallPtrSet<Operation *, 4> loops;
  };
  SmallVector<Row> found;
  auto alike = [&](Value a, Value b) { return a == b || (dimOf(a) && dimOf(a) == dimOf(b)); };
  for (scf::ForOp loop : rows_)
    for (auto load : loop.getBody()->getOps<tile::LoadElementOp>()) {
      if (!moves_.count(load) || load.getIndices().back() != loop.getInductionVar()) continue;
      ValueRange leading = load.getIndices().drop_back();
      auto outside = [&](Value index) { return index.getParentBlock() == loop->getBlock() || dimOf(index); };
      if (!llvm::all_of(leading, outside)) continue;
      auto same = [&](Row &row) {
        return row.base == load.getBase() && alike(row.extent, loop.getUpperBound()) &&
               llvm::all_of(llvm::zip(row.leading, leading), [&](auto pair) { return alike(std::get<0>(pair), std::get<1>(pair)); });
      };
      auto row = llvm::find_if(found, same);
      if (row == found.end()) {
        found.push_back({load.getBase(), loop.getUpperBound(), SmallVector<Value>(leading), {}, {}});
        row = std::prev(found.end());
      }
      row->loads.push_back(load);
      row->loops.insert(loop);
    }
  // A vector that all groups read is in the cache: it takes no registers where there are rows.
  bool haveRows = llvm::any_of(found, [](const Row &row) { return !row.leading.empty(); });
  if (haveRows) llvm::erase_if(found, [](const Row &row) { return row.leading.empty(); });
  for (Row &row : found) {
    std::optional<Dim> extent = dimOf(row.extent);
    if (!extent || (row.loops.size() < 2 && !inTurn) || (heldExtent_ && heldExtent_ != extent)) continue;
    heldExtent_ = extent;
    Operation *first = rows_.front();
    for (scf::ForOp loop : llvm::reverse(rows_))
      if (row.loops.contains(loop) && !inTurn) first = loop;
    builder_.setInsertionPoint(first);
    Values leading;
    for (Value index : row.leading) leading.push_back(dimOf(index) ? dim(*dimOf(index), unnamed(first->getLoc())) : index);
    auto type = tile::HeldRowType::get(builder_.getContext(), elementTypeOf(row.base.getType()));
    Location loc = named(nameOf(row.base) + "_row", unnamed(row.loads.front().getLoc()));
    Value extentValue = dim(*extent, unnamed(first->getLoc()));
    Value held = builder_.create<tile::HoldRowOp>(loc, type, row.base, leading, extentValue);
    for (auto load : row.loads) held_[load] = held;
  }
}

constexpr int64_t kCostly = 8;         // instructions of a function, about

/// A function, rather than an instruction.
static bool isCostly(Operation *op) {
  auto elementwise = dyn_cast<tile::ElementwiseOp>(op);
  if (!elementwise || !isa<FloatType>(elementwise.getType())) return false;
  static const std::set<StringRef> costly = {
      "exp",  "exp2", "log",   "log2", "log10", "sin",  "cos",   "tan",   "tanh",  "erf", "sigmoid", "pow",
      "sqrt", "rsqrt", "div", "asin", "acos",  "atan", "atan2", "asinh", "acosh", "atanh", "sinh",   "cosh"};
  return costly.count(elementwise.getMnemonic()) != 0;
}

/// How a value comes of held elements and of what is known before the loops; "" if of anything else.
std::string VectorForm::keyOf(Value value, scf::ForOp loop) {
  auto pointer = [](void *of) { return std::to_string(reinterpret_cast<uintptr_t>(of)); };
  Operation *op = value.getDefiningOp();
  if (!op || op->getBlock() != loop.getBody()) {
    if (std::optional<Dim> dim = dimOf(value)) return dim->str();
    return loop->isAncestor(value.getParentBlock()->getParentOp()) ? "" : pointer(value.getAsOpaquePointer());
  }
  if (Value row = held_.lookup(op)) return "row " + pointer(row.getAsOpaquePointer());
  if (!isa<tile::ElementwiseOp, tile::CastOp, tile::ConstantOp>(op)) return "";
  std::string key;
  llvm::raw_string_ostream text(key);
  text << op->getName() << op->getAttrDictionary() << value.getType() << '(';
  for (Value operand : op->getOperands()) {
    std::string part = keyOf(operand, loop);
    if (part.empty()) return "";
    text << part << ',';
  }
  text << ')';
  return text.str();
}

/// Values that several loops compute alike out of held rows: the first one keeps them, where that is worth the registers. A value is
/// looked at before what it is made of, which nobody asks for again once it is kept.
void VectorForm::findKept() {
  using Place = std::pair<scf::ForOp, Operation *>;
  std::map<std::string, SmallVector<Place>> found;
  llvm::DenseMap<Operation *, std::string> keys;
  for (scf::ForOp loop : rows_)
    for (Operation &op : *loop.getBody()) {
      if (!isa<tile::ElementwiseOp, tile::CastOp>(op) || !isa<FloatType>(op.getResult(0).getType())) continue;
      std::string key = keyOf(op.getResult(0), loop);
      if (key.find("row ") == std::string::npos) continue;
      auto &list = found[key];
      if (list.empty() || list.back().first != loop) list.push_back({loop, &op});
      keys[&op] = std::move(key);
    }
  for (scf::ForOp loop : rows_)
    for (Operation &op : llvm::reverse(*loop.getBody())) {
      auto key = keys.find(&op);
      if (key == keys.end() || kept_.count(&op)) continue;
      ArrayRef<Place> list = found[key->second];
      if (list.size() < 2 || list.front().second != &op || !isWorthKeeping(&op, loop)) continue;
      recallsOnce_ &= isCostly(&op) && list.size() == 2;
      keepsCostly_ |= isCostly(&op);
      keep(list);
    }
}

/// The registers of a lane that the rows of a group take, and what may be spent on values that take a few instructions.
bool VectorForm::isWorthKeeping(Operation *op, scf::ForOp loop) {
  constexpr int64_t elements = kKeptElements, registers = 48;  // those that a lane has for such values
  int64_t work = workOf(op, loop);
  if (work >= kCostly) return true;
  if (work < 3 || takesTurns()) return false;
  llvm::DenseSet<Value> rows;
  for (auto [load, row] : held_) rows.insert(row);
  int64_t taken = elements;  // by the value itself
  for (Value row : rows) taken += elements * cast<tile::HeldRowType>(row.getType()).getElementType().getIntOrFloatBitWidth() / 32;
  llvm::DenseSet<Value> before;
  for (auto &[each, place] : kept_) before.insert(place.row);
  return taken + elements * static_cast<int64_t>(before.size()) <= registers;
}

/// About how many instructions an element takes, from held rows and from what is kept.
int64_t VectorForm::workOf(Operation *op, scf::ForOp loop) {
  if (!op || op->getBlock() != loop.getBody() || kept_.count(op) || !isa<tile::ElementwiseOp, tile::CastOp>(op)) return 0;
  int64_t work = isCostly(op) ? kCostly : 1;
  for (Value operand : op->getOperands()) work += workOf(operand.getDefiningOp(), loop);
  return work;
}

void VectorForm::keep(ArrayRef<std::pair<scf::ForOp, Operation *>> places) {
  Operation *first = places.front().second;
  builder_.setInsertionPoint(places.front().first);
  StringRef hint = nameHint(first->getResult(0));
  auto type = tile::KeptRowType::get(builder_.getContext(), first->getResult(0).getType());
  Location loc = named(((hint.empty() ? StringRef("kept") : hint) + "_row").str(), unnamed(first->getLoc()));
  Value row = builder_.create<tile::NewRowOp>(loc, type);
  for (auto &[loop, op] : places) kept_[op] = {row, op == first};
}

/// Computed and kept; or, where rows are held, what was kept.
Value VectorForm::kept(Operation *op) {
  Kept kept = kept_.lookup(op);
  Location loc = op->getLoc();
  auto compute = [&] { return cloneWith(op, [&](Value operand) { return at(operand); })->getResult(0); };
  if (kept.first) {
    Value value = compute();
    builder_.create<tile::KeepOp>(unnamed(loc), value, kept.row, turn_, index_);
    return value;
  }
  Location line = unnamed(loc);
  Value held = dim(Dim::var("T.held"), line), vector = dim(Dim::var("T.vector"), line);
  Value isKept = arithmetic("le", arithmetic("mul", held, vector, line), number(kKeptElements, line), line);
  Value isHeld = arithmetic("and", arithmetic("gt", held, number(0, line), line), isKept, line);
  auto branch = builder_.create<scf::IfOp>(loc, TypeRange(op->getResult(0).getType()), isHeld, /*withElse=*/true);
  OpBuilder::InsertionGuard guard(builder_);
  auto fill = [&](Region &region, function_ref<Value()> value) {
    Block &block = region.front();
    if (!block.empty()) block.back().erase();
    builder_.setInsertionPointToEnd(&block);
    values_.push_back(values_.back());  // what is known before the branch
    Value result = value();
    values_.pop_back();
    builder_.create<scf::YieldOp>(unnamed(loc), result);
  };
  fill(branch.getThenRegion(), [&]() -> Value { return builder_.create<tile::RecallOp>(loc, op->getResult(0).getType(), kept.row, turn_, index_); });
  fill(branch.getElseRegion(), compute);
  return branch.getResult(0);
}

/// The turns in which lanes take the vectors of the loop's row. `body` computes what they carry from one to the next.
VectorForm::Values VectorForm::overTurns(scf::ForOp loop, ValueRange inits, function_ref<Values(ValueRange)> body) {
  Location loc = unnamed(loop.getLoc());
  builder_.setInsertionPoint(loop);
  Value extent = loop.getUpperBound(), begin = beginOf(loop);
  Value count = begin ? arithmetic("sub", extent, begin, loc) : extent;
  if (mayHaveEdges_) count = arithmetic("add", count, before_, loc);
  Value first = number(0, loc), turns = builder_.create<tile::RowTurnsOp>(loc, builder_.getIndexType(), count), step = number(1, loc);
  auto turn = builder_.create<scf::ForOp>(loop.getLoc(), first, turns, step, inits);
  turn->setAttr(tile::kUnrolled, builder_.getStringAttr("held"));
  turn.getInductionVar().setLoc(named("k", loc));
  Block *block = turn.getBody();
  if (!block->empty()) block->back().erase();
  builder_.setInsertionPointToEnd(block);
  turn_ = turn.getInductionVar();
  Value vectors = arithmetic("add", arithmetic("mul", turn_, query("group_size", loc), loc), query("local_id", loc), loc);
  StringRef hint = nameHint(loop.getInductionVar());
  Location counter = named(hint.empty() ? "c" : hint, loc);
  counterBase_ = arithmetic("mul", vectors, dim(Dim::var("T.vector"), loc), begin || mayHaveEdges_ ? loc : counter);
  if (mayHaveEdges_) counterBase_ = arithmetic("sub", counterBase_, before_, counter);
  if (begin) counterBase_ = arithmetic("add", begin, counterBase_, counter);
  bool carries = !inits.empty();
  auto inside = builder_.create<scf::IfOp>(loc, inits.getTypes(), arithmetic("lt", counterBase_, extent, loc), carries);
  if (mayHaveEdges_) inside->setAttr(tile::kEdges, builder_.getUnitAttr());
  auto emptied = [&](Region &region) {
    Block &into = region.front();
    if (!into.empty()) into.back().erase();
    builder_.setInsertionPointToEnd(&into);
  };
  emptied(inside.getThenRegion());
  bases_.emplace_back();
  Values results = body(turn.getRegionIterArgs());
  builder_.create<scf::YieldOp>(loc, results);
  bases_.pop_back();
  if (carries) {
    emptied(inside.getElseRegion());
    builder_.create<scf::YieldOp>(loc, turn.getRegionIterArgs());
  }
  builder_.setInsertionPointToEnd(block);
  builder_.create<scf::YieldOp>(loc, inside.getResults());
  return Values(turn.getResults());
}

/// The load of what a loop's value `number` is the smallest or largest of, if those are floats of 16 bits: the machine takes two at once.
tile::LoadElementOp VectorForm::extremeOf(scf::ForOp loop, unsigned number) {
  const Machine *machine = machineOf(kernel_);
  auto combine = loop.getYieldedValues()[number].getDefiningOp<tile::ElementwiseOp>();
  if (!machine || machine->family != Target::Cuda || !combine || combine->getBlock() != loop.getBody() || !combine.getResult().hasOneUse()) return {};
  const bool isMin = combine.getMnemonic() == "min";
  if (!isMin && combine.getMnemonic() != "max") return {};
  Value before = loop.getRegionIterArg(number);
  std::optional<double> begin = constantOf(loop.getInitArgs()[number]);
  if (!before.hasOneUse() || !begin || *begin != (isMin ? HUGE_VAL : -HUGE_VAL) || !llvm::is_contained(combine.getArgs(), before)) return {};
  Value element = combine.getArgs()[combine.getArgs()[0] == before ? 1 : 0];
  if (auto cast = element.getDefiningOp<tile::CastOp>(); cast && cast.getType().isF32()) element = cast.getValue();
  auto load = element.getDefiningOp<tile::LoadElementOp>();
  const bool isNarrow = load && (load.getType().isBF16() || load.getType().isF16());
  return isNarrow && load->getBlock() == loop.getBody() && moves_.count(load) && !inTile_.count(load) && !load.getOther() ? load : tile::LoadElementOp();
}

void VectorForm::vectoriseRow(scf::ForOp loop) {
  Location loc = unnamed(loop.getLoc());
  struct Extreme {
    tile::LoadElementOp load;
    Value soFar;
  };
  SmallVector<Extreme> extremes;  // of what the loop carries
  Values inits, arguments, yields;
  for (unsigned i = 0; i < loop.getNumResults(); ++i) {
    extremes.push_back({extremeOf(loop, i), {}});
    if (tile::LoadElementOp load = extremes.back().load) {
      builder_.setInsertionPoint(loop);
      auto combine = loop.getYieldedValues()[i].getDefiningOp<tile::ElementwiseOp>();
      StringRef what = combine.getMnemonic(), hint = nameHint(combine.getArgs()[combine.getArgs()[0] == loop.getRegionIterArg(i) ? 1 : 0]);
      Location place = named(("lane_" + (hint.empty() ? "" : hint + "_") + what).str(), loc);
      auto type = tile::LaneVectorType::get(builder_.getContext(), load.getType());
      extremes.back().soFar = builder_.create<tile::NewExtremesOp>(place, type, what);
    } else {
      inits.push_back(loop.getInitArgs()[i]);
      arguments.push_back(loop.getRegionIterArg(i));
      yields.push_back(loop.getYieldedValues()[i]);
    }
  }
  Values results = overTurns(loop, inits, [&](ValueRange carried) {
    for (auto [from, to] : llvm::zip(arguments, carried)) to.setLoc(from.getLoc());
    for (Extreme &extreme : extremes) {
      if (!extreme.load) continue;
      auto made = extreme.soFar.getDefiningOp<tile::NewExtremesOp>();
      auto take = builder_.create<tile::TakeExtremesOp>(loc, made.getReduction(), vectorOf(extreme.load), extreme.soFar);
      if (mayHaveEdges_) take->setAttr(tile::kEdges, builder_.getUnitAttr());
    }
    return computeAll(*loop.getBody(), carried, arguments, yields, loc);
  });
  builder_.setInsertionPoint(loop);
  for (unsigned i = 0, next = 0; i < loop.getNumResults(); ++i) {
    Value result = extremes[i].soFar;
    if (!result) {
      result = results[next++];
    } else {
      result = builder_.create<tile::ExtremeOp>(loc, builder_.getF32Type(), result.getDefiningOp<tile::NewExtremesOp>().getReduction(), result);
      if (Type type = loop.getResult(i).getType(); !type.isF32()) result = builder_.create<tile::CastOp>(loc, type, result, StringAttr(), UnitAttr());  // it is one of that type
    }
    loop.getResult(i).replaceAllUsesWith(result);
  }
  forget(loop);
}

/// Erases a loop and what is known of its values, whose addresses others may get.
void VectorForm::forget(scf::ForOp loop) {
  counters_.erase(loop.getInductionVar());
  classes_.clear();
  depends_.clear();
  loop.erase();
}

void VectorForm::vectoriseRows() {
  findHeld();
  rowExtent_ = heldExtent_ ? heldExtent_ : extentOf(rows_.front());
  bool parts = static_cast<bool>(beginOf(rows_.front()));
  // Lanes hold turns of one extent; loops over another stay as they are.
  if (heldExtent_) llvm::erase_if(rows_, [&](scf::ForOp loop) { return extentOf(loop) != heldExtent_; });
  if (mayHaveEdges_) {
    builder_.setInsertionPoint(rows_.front());
    Location loc = unnamed(rows_.front()->getLoc());
    Value position;
    ArrayRef<DimAttr> shape = shapeOf(edgeBase_.getType());
    for (auto [index, extent] : llvm::zip(edgeLeading_, shape.drop_front())) {
      Value here = dimOf(index) ? dim(*dimOf(index), loc) : index;
      position = arithmetic("mul", position ? arithmetic("add", position, here, loc) : here, dim(extent.getDim(), loc), loc);
    }
    Value part = arithmetic("mod", position, dim(Dim::var("T.vector"), loc), loc);
    before_ = arithmetic("mul", part, dim(Dim::var("T.edges"), loc), named("before", loc));
  }
  findOnline();
  if (heldExtent_ && !online_) findKept();
  SmallVector<scf::ForOp> loops = rows_;
  if (online_) vectoriseOnline();
  else
    for (scf::ForOp loop : loops) vectoriseRow(loop);
  eraseUnused(kernel_);
  settle();
  if (takesTurns()) chooseTurnVariants();
  else chooseRowVariants(parts);
}

}  // namespace tessera::transforms
