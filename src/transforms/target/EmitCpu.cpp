// The CPU: a loop over all lanes where they are independent, else a parallel loop over groups.
#include "ir/common/Common.h"
#include "ir/common/Names.h"
#include "transforms/target/Elementwise.h"
#include "transforms/target/KernelScope.h"

using namespace mlir;
namespace tile = tessera::ir::tile;
namespace out = tessera::ir::target;

namespace tessera::transforms::totarget {

/// Lanes that share nothing are the turns of one loop.
bool KernelEmitter::isPlainLoop() {
  if (kernel_.getGrid().getKind() != ir::GridKind::Lanes) return false;
  bool shares = false;
  kernel_.getBody().walk([&](Operation *op) {
    shares |= isa<tile::AllocSharedOp, tile::BarrierOp, tile::GroupReduceOp, tile::WarpOp, tile::OnceOp, tile::CopyOp>(op);
    for (Type type : op->getResultTypes()) shares |= isa<tile::FragmentType>(type);
    auto query = dyn_cast<tile::QueryOp>(op);
    shares |= query && query.getQuery() != "linear_id";
  });
  return !shares;
}

/// The user's name of where a lane or group stands, for the counter of the loop over them.
static std::string standingName(tile::KernelOp kernel, StringRef query, int64_t axis) {
  std::string name;
  kernel.getBody().walk([&](tile::QueryOp op) {
    StringRef hint = ir::nameHint(op.getResult());
    if (name.empty() && op.getQuery() == query && static_cast<int64_t>(op.getAxis()) == axis && !hint.empty() &&
        hint != "_")
      name = hint.str();
  });
  return name;
}

/// The number of lanes: where it is the number of a tensor's elements, the product of its extents.
ExprRef KernelEmitter::lanes() {
  for (Type type : llvm::reverse(kernel_.getArgumentTypes())) {
    if (!isa<ir::ViewType>(type)) continue;
    Dim count(1);
    ExprRef product = typed(1);
    for (ir::DimAttr extent : ir::shapeOf(type)) {
      count = count * extent.getDim();
      product = binary("*", product, dim(extent.getDim()));
    }
    if (count == grid_[0]) return product;
  }
  return dim(grid_[0]);
}

/// The number that the op counts with, if it is a dimension or a constant.
static std::optional<Dim> countOf(Value value) {
  if (auto dim = value.getDefiningOp<tile::DimOp>()) return Dim::parse(dim.getDim().str());
  auto constant = value.getDefiningOp<tile::ConstantOp>();
  auto number = constant ? dyn_cast<IntegerAttr>(constant.getValue()) : IntegerAttr();
  return number ? std::optional<Dim>(Dim(number.getInt())) : std::nullopt;
}

/// The loop over the lanes runs below the extent: a test for it says nothing new.
bool KernelEmitter::isLoopBound(Value condition) { return laneLoop_ && isBelowLanes(condition); }

bool KernelEmitter::isBelowLanes(Value condition) {
  auto test = condition.getDefiningOp<tile::ElementwiseOp>();
  if (!test || test.getMnemonic() != "lt") return false;
  auto where = test.getArgs()[0].getDefiningOp<tile::QueryOp>();
  return where && where.getQuery() == "linear_id" && countOf(test.getArgs()[1]) == kernel_.getGrid().getDims()[0].getDim();
}

static bool dependsOn(Value value, ArrayRef<Value> sources) {
  if (llvm::is_contained(sources, value)) return true;
  Operation *op = value.getDefiningOp();
  return op && llvm::any_of(op->getOperands(), [&](Value operand) { return dependsOn(operand, sources); });
}

/// Lanes that are only asked for their row and their column in an array: i / C and i % C, C its last extent.
std::optional<KernelEmitter::RowsOfLanes> KernelEmitter::rowsOfLanes() {
  RowsOfLanes found;
  bool fits = true;
  auto divides = [&](tile::ElementwiseOp op) {
    std::optional<Dim> by = op.getArgs().size() == 2 ? countOf(op.getArgs()[1]) : std::nullopt;
    if (!by || (found.width && !(*found.width == *by))) return false;
    found.width = by;
    return true;
  };
  kernel_.getBody().walk([&](tile::QueryOp query) {
    for (Operation *user : query.getResult().getUsers()) {
      auto op = dyn_cast<tile::ElementwiseOp>(user);
      StringRef mnemonic = op ? op.getMnemonic() : StringRef();
      if (mnemonic == "lt" && llvm::all_of(op->getUsers(), [&](Operation *test) {
            auto branch = dyn_cast<scf::IfOp>(test);
            return branch && branch.getNumResults() == 0 && countOf(op.getArgs()[1]) == grid_[0];
          }))
        continue;
      if (mnemonic == "floordiv" && op.getArgs()[0] == query.getResult() && divides(op))
        found.rows.push_back(op.getResult());
      else if (mnemonic == "mod" && op.getArgs()[0] == query.getResult() && divides(op))
        found.cols.push_back(op.getResult());
      else fits = false;
    }
  });
  if (!fits || !found.width || found.rows.empty() || found.cols.empty()) return std::nullopt;
  for (Type type : llvm::reverse(kernel_.getArgumentTypes())) {
    if (!isa<ir::ViewType>(type) || ir::shapeOf(type).empty()) continue;
    ArrayRef<ir::DimAttr> shape = ir::shapeOf(type);
    Dim count(1);
    found.height = typed(1);
    for (ir::DimAttr extent : shape.drop_back()) {
      count = count * extent.getDim();
      found.height = binary("*", found.height, dim(extent.getDim()));
    }
    if (!(shape.back().getDim() == *found.width) || !(count * *found.width == grid_[0])) continue;
    kernel_.getBody().walk([&](tile::LoadElementOp load) {
      if (load.getIndices().empty() || dependsOn(load.getIndices().back(), found.cols)) return;
      found.turned |= llvm::any_of(load.getIndices(), [&](Value index) { return dependsOn(index, found.cols); });
    });
    return found;
  }
  return std::nullopt;
}

/// Opens a loop in the block where things are written; its body is where they are written next.
Value KernelEmitter::openLoop(const std::string &counter, ExprRef from, ExprRef to, int64_t step, bool parallel,
                              bool simd, int64_t collapse) {
  Location place = kernel_.getLoc();
  Value lower = write(builder_, place, from), upper = write(builder_, place, to),
        by = write(builder_, place, typed(step));
  auto loop = builder_.create<out::ForOp>(place, counter, lower, upper, by, IntegerAttr(), parallel, simd);
  if (collapse > 1) loop.setCollapse(collapse);
  Block *body = builder_.createBlock(&loop.getBody());
  return body->addArgument(indexType(), place);
}

static std::string hintOf(ArrayRef<Value> values) {
  for (Value value : values)
    if (StringRef hint = ir::nameHint(value); !hint.empty() && hint != "_") return hint.str();
  return "";
}

/// Where the loop over the lanes stores.
Block &KernelEmitter::lanesBlock() {
  Block &top = kernel_.getBody().front();
  for (auto branch : top.getOps<scf::IfOp>())
    if (branch.getNumResults() == 0 && isBelowLanes(branch.getCondition())) return *branch.thenBlock();
  return top;
}

constexpr int64_t kPiece = 4096;  // elements: work enough for a task

/// Rows in parallel, each in pieces, so that few rows are shared out as well. Where what is read lies across the rows that
/// are written, blocks of rows and columns, whose lines stay in the cache.
LogicalResult KernelEmitter::emitRowsOfLanes(const RowsOfLanes &lanes) {
  OpBuilder::InsertionGuard guard(builder_);
  names_.push();
  std::string rowHint = hintOf(lanes.rows), colHint = hintOf(lanes.cols);
  std::string row = rowHint.empty() ? names_.fresh("row") : names_.declare(rowHint);
  std::string col = colHint.empty() ? names_.fresh("col") : names_.declare(colHint);
  ExprRef rowCounter, width = dim(*lanes.width);
  std::pair<ExprRef, ExprRef> limits(typed(0), width);
  SmallVector<tile::StoreElementOp> stores =
      storesInLines(lanesBlock(), [&](Value index) { return llvm::is_contained(lanes.cols, index); },
                    [&](Value index) { return llvm::is_contained(lanes.rows, index); });
  for (Value value : lanes.cols) counters_.insert(value);
  for (Value value : lanes.rows) counters_.insert(value);
  if (lanes.turned) {
    limits = openBlocks(lanes, stores, row, col, rowCounter);
  } else {
    bool whole = lanes.width->isConstant() && lanes.width->constant() <= kPiece;
    rowCounter = valueOf(openLoop(row, typed(0), lanes.height, 1, true, false, whole ? 0 : 2));
    for (Value value : lanes.rows) bound_[value] = rowCounter;
    if (!whole) limits = openPieces(stores, col, width);
  }
  ExprRef colCounter = valueOf(openLoop(col, limits.first, limits.second, 1, false, true, 0));
  laneLoop_ = rowCounter;
  for (Value value : lanes.cols) bound_[value] = colCounter;
  LogicalResult result = emitBlock(kernel_.getBody().front());
  names_.pop();
  return result;
}

ExprRef KernelEmitter::endOf(ExprRef from, int64_t step, ExprRef extent) {
  return call("tsr::min", {binary("+", from, typed(step)), extent}, indexType(), {StringAttr::get(context_, "int64_t")});
}

/// Opens a loop over pieces of a row, and gives the limits of the one over their elements.
std::pair<ExprRef, ExprRef> KernelEmitter::openPieces(ArrayRef<tile::StoreElementOp> stores, const std::string &counter, ExprRef width,
                                                      bool parallel) {
  ExprRef from = valueOf(openLoop(names_.fresh(counter + "0"), typed(0), width, kPiece, parallel, false, 0));
  if (stores.empty()) return {from, endOf(from, kPiece, width)};
  declareStreaming(stores.front());
  return declareLines(stores, kPiece, width, from);
}

/// Opens loops over blocks and over the rows of a block, and gives the limits of the one over its columns.
std::pair<ExprRef, ExprRef> KernelEmitter::openBlocks(const RowsOfLanes &lanes, ArrayRef<tile::StoreElementOp> stores,
                                                      const std::string &row, const std::string &col, ExprRef &rowCounter) {
  ExprRef width = dim(*lanes.width);
  SmallVector<tile::LoadElementOp> loads = stores.empty() ? SmallVector<tile::LoadElementOp>() : turnedLoads(lanes.rows, lanes.cols, {});
  auto openRows = [&](ExprRef from, int64_t step) {
    rowCounter = valueOf(openLoop(row, from, endOf(from, step, lanes.height), 1, false, false, 0));
    for (Value value : lanes.rows) bound_[value] = rowCounter;
  };
  if (loads.empty()) {
    constexpr int64_t block = 64;
    ExprRef row0 = valueOf(openLoop(names_.fresh(row + "0"), typed(0), lanes.height, block, true, false, 2));
    ExprRef col0 = valueOf(openLoop(names_.fresh(col + "0"), typed(0), width, block, false, false, 0));
    openRows(row0, block);
    return {col0, endOf(col0, block, width)};
  }
  // What is read lies along the rows of the result: its own rows are gone over before the next ones.
  ExprRef col0 = valueOf(openLoop(names_.fresh(col + "0"), typed(0), width, kTurnedCols, true, false, 2));
  ExprRef row0 = valueOf(openLoop(names_.fresh(row + "0"), typed(0), lanes.height, kTurnedRows, false, false, 0));
  declareStreaming(stores.front());
  declareTurned(loads, row0, col0);
  openRows(row0, kTurnedRows);
  return declareLines(stores, kTurnedCols, width, col0);
}

/// Lanes that are the elements of one row.
LogicalResult KernelEmitter::emitOneRow(ArrayRef<tile::StoreElementOp> stores, const std::string &hint) {
  OpBuilder::InsertionGuard guard(builder_);
  names_.push();
  std::string counter = hint.empty() ? names_.fresh("i") : names_.declare(hint);
  auto limits = openPieces(stores, counter, lanes(), /*parallel=*/true);
  laneLoop_ = valueOf(openLoop(counter, limits.first, limits.second, 1, false, true, 0));
  LogicalResult result = emitBlock(kernel_.getBody().front());
  names_.pop();
  return result;
}

LogicalResult KernelEmitter::emitPlainLoop() {
  if (std::optional<RowsOfLanes> rows = rowsOfLanes()) return emitRowsOfLanes(*rows);
  if (std::optional<Matrices> matrices = matricesOfLanes()) return emitMatrices(*matrices);
  Location place = kernel_.getLoc();
  std::string counter = standingName(kernel_, "linear_id", 0);
  SmallVector<tile::StoreElementOp> stores = storesInLines(lanesBlock(), [&](Value index) { return isa_and_nonnull<tile::QueryOp>(index.getDefiningOp()); },
                                                           [](Value) { return false; });
  if (!stores.empty()) return emitOneRow(stores, counter);
  Value from = write(builder_, place, typed(0)), to = write(builder_, place, lanes());
  Value by = write(builder_, place, typed(1));
  Scope scope(*this);
  counter = counter.empty() ? names_.fresh("i") : names_.declare(counter);
  auto loop = builder_.create<out::ForOp>(place, counter, from, to, by, IntegerAttr(), /*parallel=*/true,
                                          /*simd=*/true);
  Block *body = scope.enter(loop.getBody());
  laneLoop_ = valueOf(body->addArgument(indexType(), place));
  return emitBlock(kernel_.getBody().front());
}

/// A store that may change what the loop counts with, for all that a compiler can see of a parallel loop: to
/// 64-bit integers, which its bounds are, or to bytes, which may be part of anything.
static bool mayMoveBounds(Operation *op) {
  if (!isa<out::AssignOp, out::CompoundAssignOp>(op)) return false;
  Value target = op->getOperand(0);
  if (target.getDefiningOp<out::VariableOp>()) return false;
  auto integer = dyn_cast<IntegerType>(cast<out::LValueType>(target.getType()).getValue());
  return integer && !integer.isInteger(1) && (integer.getWidth() == 64 || integer.getWidth() <= 8);
}

/// A loop or branch in the body, an update of memory in one step, a call of the C library, or a division whose divisor only run time knows.
static bool isScalar(Operation *op) {
  if (isa<out::ForOp, out::WhileOp, out::IfOp>(op)) return true;
  auto call = dyn_cast<out::CallOp>(op);
  if (!call) return false;
  if (call.getCallee().starts_with("tsr::atomic_")) return true;
  bool divides = call.getCallee() == "tsr::floordiv" || call.getCallee() == "tsr::mod";
  if (divides && !isa<FloatType>(call.getType()))
    return !isa_and_nonnull<out::LiteralOp>(call->getOperand(1).getDefiningOp());
  return !hasVectorForm(call.getCallee(), call.getType());
}

static bool isLoadedOrChosen(Value index) {
  Operation *op = index.getDefiningOp();
  if (isa_and_nonnull<out::SubscriptOp, out::ElementOp, out::ConditionalOp>(op)) return true;
  return op && llvm::any_of(op->getOperands(), isLoadedOrChosen);
}
/// Elements at indices that stand in memory themselves, or are one of two: nobody can tell which of them a
/// store may change.
static bool readsAnywhere(Operation *op) {
  auto element = dyn_cast<out::SubscriptOp>(op);
  return element && llvm::any_of(element.getIndices(), isLoadedOrChosen);
}

static bool isCounted(Value value) {
  Operation *op = value.getDefiningOp();
  return op ? llvm::any_of(op->getOperands(), isCounted) : isa<BlockArgument>(value);
}
/// An index that falls while the loop counts up: behind a condition, that is nothing that every compiler makes
/// vectors of.
static bool fallsBack(Value index) {
  auto binary = index.getDefiningOp<out::BinaryOp>();
  if (binary && binary.getOp() == "-" && isCounted(binary.getRight())) return true;
  Operation *op = index.getDefiningOp();
  return op && llvm::any_of(op->getOperands(), fallsBack);
}
static bool readsBackwards(Operation *op) {
  auto element = dyn_cast<out::SubscriptOp>(op);
  return element && llvm::any_of(element.getIndices(), fallsBack);
}

/// Choices between values in a loop, of which clang makes copies of the loop for each that does not change in it, until it
/// gives up.
constexpr int64_t kMostChoices = 8;
static bool choosesOften(out::ForOp loop) {
  int64_t choices = 0;
  loop.getBody().walk([&](out::ConditionalOp) { ++choices; });
  return choices > kMostChoices;
}

/// What cannot become vector instructions has no mark for them: compilers warn of it.
void KernelEmitter::keepVectorLoops() {
  out_.walk([](out::ForOp loop) {
    if (!loop.getSimd()) return;
    WalkResult found = loop.getBody().walk([](Operation *op) {
      bool scalar = isScalar(op) || mayMoveBounds(op) || readsAnywhere(op) || readsBackwards(op);
      return scalar ? WalkResult::interrupt() : WalkResult::advance();
    });
    loop.setSimd(!found.wasInterrupted() && !choosesOften(loop));
    if (!loop.getSimd()) loop.removeReductionAttr();
  });
}

/// How OpenMP combines what the lanes of a vector have; "" for what they cannot combine.
static StringRef combiner(StringRef mnemonic, Type type) {
  if (!type.isF32() && !type.isF64() && !type.isInteger(32) && !type.isInteger(64)) return "";
  if (mnemonic == "add") return "+";
  if (mnemonic == "mul") return "*";
  if (mnemonic == "max") return "tsr::Max";  // OpenMP's own loses NaNs
  return mnemonic == "min" ? "tsr::Min" : "";
}

/// How a loop of the compiler's own that does nothing but combine values does so, for each of them; empty for other loops.
SmallVector<StringRef> KernelEmitter::combiners(scf::ForOp op, ArrayRef<Storage *> carried) {
  SmallVector<StringRef> found;
  if (!isCpu() || lane_ || kernel_.getDeterministic()) return {};
  for (auto [argument, yielded, storage] : llvm::zip(op.getRegionIterArgs(), op.getYieldedValues(), carried)) {
    auto combine = yielded.getDefiningOp<tile::ElementwiseOp>();
    if (!storage->reduction || storage->perLane || !combine || combine->getNumOperands() != 2 ||
        !argument.hasOneUse() || *argument.user_begin() != combine || !yielded.hasOneUse())
      return {};
    found.push_back(combiner(combine.getMnemonic(), storage->type));
    if (found.back().empty() || !storage->place->value.getDefiningOp<out::VariableOp>()) return {};
  }
  bool plain = true;
  op.getBody()->walk([&](Operation *inner) {
    plain = plain && inner->getNumRegions() == 0 && (isMemoryEffectFree(inner) || isa<tile::LoadElementOp, tile::KeepOp, tile::RecallOp>(inner));
  });
  return plain ? found : SmallVector<StringRef>();
}

/// Such a loop, if it combines all in one way, does so in each lane of a vector. The order is
/// then the vector's; a program's own loops, and what is declared deterministic on all machines, keep theirs.
void KernelEmitter::combineInVectors(out::ForOp loop, scf::ForOp op, ArrayRef<Storage *> carried) {
  SmallVector<StringRef> with = combiners(op, carried);
  if (with.empty() || !llvm::all_equal(with)) return;
  std::string clause;
  for (Storage *storage : carried)
    clause += (clause.empty() ? with.front().str() + " : " : ", ") + storage->place->value.getDefiningOp<out::VariableOp>().getName().str();
  loop.setSimd(true);
  loop.setReduction(clause);
}

LogicalResult KernelEmitter::emitGroupLoop() {
  Location place = kernel_.getLoc();
  Dim groups(1);
  int64_t axis = -1, axes = 0;
  for (auto [i, count] : llvm::enumerate(groupCounts_)) {
    groups = groups * count;
    if (!(count == Dim(1))) axis = i, ++axes;
  }
  auto body = [&] {
    OpBuilder::InsertionGuard guard(builder_);
    declarations_->moveBefore(builder_.getInsertionBlock(), builder_.getInsertionBlock()->end());
    return lanesMatter() ? emitLanes(kernel_.getBody().front()) : emitBlock(kernel_.getBody().front());
  };
  if (groups == Dim(1)) {
    group_ = typed(0);
    return body();
  }
  std::string counter;
  if (axes == 1) {
    bool single = kernel_.getGrid().getKind() == ir::GridKind::Output && grid_[axis] == Dim(1);
    if (single) counter = standingName(kernel_, "origin", axis);
    if (counter.empty()) counter = standingName(kernel_, "group_id", axis);
  }
  Value from = write(builder_, place, typed(0)), to = write(builder_, place, dim(groups)),
        by = write(builder_, place, typed(1));
  Scope scope(*this);
  counter = counter.empty() ? names_.fresh("group") : names_.declare(counter);
  auto loop = builder_.create<out::ForOp>(place, counter, from, to, by, IntegerAttr(), /*parallel=*/true,
                                          /*simd=*/false);
  Block *block = scope.enter(loop.getBody());
  group_ = valueOf(block->addArgument(indexType(), place));
  return body();
}

}  // namespace tessera::transforms::totarget
