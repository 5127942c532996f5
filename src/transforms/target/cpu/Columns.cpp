// Lanes that reduce a column each, on the CPU: a column after the other would read a line of the cache for each element, and rows lie far
// apart. So blocks of columns are gone over row by row:
//
//   for (i = 0; i < C; ++i) {                       for (i0 = 0; i0 < C; i0 += 128) {   in parallel
//     float sum = 0;                                  float sum[128];
//     for (r = 0; r < R; ++r)              ->         for (i = i0; i < end; ++i) sum[i - i0] = 0;
//       sum += x[r * C + i];                          for (r = 0; r < R; ++r)
//     result[i] = sum;                                  for (i = i0; i < end; ++i) sum[i - i0] += x[r * C + i];
//   }                                                 for (i = i0; i < end; ++i) result[i] = sum[i - i0];
//                                                   }
//
// Each column is still reduced in the order of its rows, of which some later one is asked for in each turn: `tsr::read_rows_ahead`.
#include "ir/common/Names.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "transforms/target/cpu/Loops.h"
#include "transforms/target/cpu/Streams.h"
#include "transforms/target/flow/Flow.h"
#include "transforms/target/flow/Scope.h"
#include "transforms/target/sizes/Grid.h"
#include "transforms/target/sizes/Sizes.h"
#include "transforms/target/values/Elements.h"
#include "transforms/target/values/Scalars.h"
#include "transforms/target/values/Values.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
namespace tile = tessera::ir::tile;
namespace out = tessera::ir::target;

namespace tessera::transforms::totarget {

constexpr int64_t kColumns = 128;  // of a block: some lines of a row, and tasks for more processors than one

static bool isOfLane(Value value) {
  Operation *op = value.getDefiningOp();
  return op && (isa<tile::QueryOp>(op) || llvm::any_of(op->getOperands(), isOfLane));
}

/// Turns are rows: what a lane reads in them lies beside what the next lane reads, and not beside what it reads itself in the next turn.
static bool goesOverRows(scf::ForOp loop) {
  bool some = false;
  for (Operation &op : loop.getBody()->without_terminator()) {
    auto load = dyn_cast<tile::LoadElementOp>(op);
    if (op.getNumRegions() != 0 || !(load || isPure(&op))) return false;
    if (!load || !llvm::any_of(load.getIndices(), isOfLane)) continue;
    if (dependsOn(load.getIndices().back(), loop.getInductionVar())) return false;
    some |= isa_and_nonnull<tile::QueryOp>(load.getIndices().back().getDefiningOp()) &&
            llvm::any_of(load.getIndices(), [&](Value index) { return dependsOn(index, loop.getInductionVar()); });
  }
  return some;
}

scf::ForOp columnsOfLanes(Emission &em) {
  Block &block = lanesBlock(em);
  if (&block == &em.kernel.getBody().front()) return {};
  for (Operation &op : em.kernel.getBody().front())
    if (op.getNumRegions() != 0 ? &op != block.getParentOp() : !isPure(&op) && !isa<tile::KernelEndOp>(op)) return {};
  scf::ForOp loop;
  for (Operation &op : block.without_terminator()) {
    if (auto found = dyn_cast<scf::ForOp>(op)) {
      if (loop) return {};
      loop = found;
    } else if (op.getNumRegions() != 0 || (loop ? !isPure(&op) && !isa<tile::LoadElementOp, tile::StoreElementOp>(op)
                                                : !isPure(&op) || llvm::any_of(op.getOperands(), isOfLane))) {
      return {};
    }
  }
  if (!loop || tile::reductionsOf(loop).empty() || llvm::any_of(loop->getOperands(), isOfLane) || !goesOverRows(loop)) return {};
  return loop;
}

namespace {

class ColumnBlocks {
public:
  ColumnBlocks(Emission &em, scf::ForOp loop, std::string counter, const ExprRef &columns)
      : em_(em), loop_(loop), place_(loop.getLoc()), counter_(std::move(counter)), columns_(columns) {}

  LogicalResult emit() {
    OpBuilder::InsertionGuard guard(em_.builder);
    em_.names.push();
    LogicalResult result = emitBlocks();
    em_.names.pop();
    em_.lastLoop = nullptr;
    return result;
  }

private:
  LogicalResult emitBlocks() {
    from_ = valueOf(openLoop(em_, em_.names.fresh(counter_ + "0"), em_.typed(0), columns_, kColumns, /*parallel=*/true, /*simd=*/false, 0));
    end_ = read(declare(em_, em_.names.fresh("end"), em_.indexType(), "copy", {endOf(em_, from_, kColumns, columns_)}, true, place_));
    auto isForAll = [](Operation &op) { return op.getNumRegions() == 0 && op.getNumResults() == 1 && !isOfLane(op.getResult(0)); };
    for (Block *block : {&em_.kernel.getBody().front(), loop_->getBlock()})
      for (Operation &op : *block) {
        if (&op == loop_) break;
        if (isForAll(op) && failed(emitOp(em_, op))) return failure();
      }
    for (auto [argument, result] : llvm::zip(loop_.getRegionIterArgs(), loop_.getResults())) {
      Storage *storage = em_.values->plan.storage(argument), *behind = em_.values->plan.storage(result);
      if (!storage || !behind) return unsupported(*loop_, "a reduction of columns without a variable");
      auto type = out::ArrayType::get(em_.context, em_.builder.getStrArrayAttr({std::to_string(kColumns)}), storage->type);
      arrays_.push_back({{storage, behind}, declare(em_, em_.names.declare(storage->hint.empty() ? "value" : storage->hint), type, "copy", {}, false, place_)});
      carried_.push_back(storage);
    }
    auto start = [&]() -> LogicalResult {
      for (auto [storage, init] : llvm::zip(carried_, loop_.getInitArgs())) assign(em_, storage->place, scalar(em_, init), place_);
      return success();
    };
    if (failed(overColumns(start)) || failed(emitRows())) return failure();
    return overColumns([&]() -> LogicalResult {
      for (Operation *op = loop_->getNextNode(); op; op = op->getNextNode())
        if (failed(emitOp(em_, *op))) return failure();
      return success();
    });
  }

  LogicalResult emitRows() {
    Value from = write(em_.builder, place_, scalar(em_, loop_.getLowerBound())), to = write(em_.builder, place_, scalar(em_, loop_.getUpperBound())),
          by = write(em_.builder, place_, scalar(em_, loop_.getStep()));
    Scope scope(em_);
    StringRef hint = ir::nameHint(loop_.getInductionVar());
    std::string counter = hint.empty() || hint == "_" ? em_.names.fresh("row") : em_.names.declare(hint);
    auto rows = em_.builder.create<out::ForOp>(place_, counter, from, to, by, IntegerAttr(), /*parallel=*/false, /*simd=*/false);
    Block *body = scope.enter(rows.getBody());
    em_.values->bound[loop_.getInductionVar()] = valueOf(body->addArgument(from.getType(), place_));
    askForRows();
    return overColumns([&]() -> LogicalResult {
      if (failed(emitBlock(em_, *loop_.getBody()))) return failure();
      return assignYields(em_, loop_.getYieldedValues(), carried_, loop_.getBody()->getTerminator()->getLoc());
    });
  }

  /// Rows of matrices lie far apart, and the block's part of one is short.
  void askForRows() {
    llvm::SmallSetVector<Value, 4> matrices;
    for (auto load : loop_.getBody()->getOps<tile::LoadElementOp>()) {
      ValueRange indices = load.getIndices();
      const bool isRow = indices.size() == 2 && indices[0] == loop_.getInductionVar() && isa_and_nonnull<tile::QueryOp>(indices[1].getDefiningOp());
      if (isRow && isPlainArray(em_, load.getBase())) matrices.insert(load.getBase());
    }
    for (Value matrix : matrices) {
      ArrayRef<ir::DimAttr> shape = ir::shapeOf(matrix.getType());
      Indices arguments = {em_.values->bound.lookup(matrix), em_.values->bound.lookup(loop_.getInductionVar()), dim(em_, shape[0].getDim()), dim(em_, shape[1].getDim()), from_};
      statement(em_, call("tsr::read_rows_ahead", arguments, em_.none(), {em_.builder.getI64IntegerAttr(kColumns)}), place_);
    }
  }

  /// A loop over the columns of the block, in which each reduction has its column's place.
  LogicalResult overColumns(llvm::function_ref<LogicalResult()> body) {
    OpBuilder::InsertionGuard guard(em_.builder);
    em_.names.push();
    em_.lastLoop = nullptr;
    ExprRef column = valueOf(openLoop(em_, em_.names.declare(counter_), from_, end_, 1, /*parallel=*/false, /*simd=*/true, 0));
    em_.grid->laneLoop = column;
    for (auto &[storages, array] : arrays_)
      for (Storage *storage : {storages.first, storages.second}) storage->place = subscript(array, {binary("-", column, from_)}, storage->type);
    LogicalResult result = success();
    for (tile::QueryOp query : em_.kernel.getBody().getOps<tile::QueryOp>())
      if (succeeded(result)) result = emitOp(em_, *query);
    if (succeeded(result)) result = body();
    em_.names.pop();
    em_.lastLoop = nullptr;
    return result;
  }

  Emission &em_;
  scf::ForOp loop_;
  Location place_;
  std::string counter_;
  ExprRef columns_, from_, end_;
  SmallVector<Storage *> carried_;
  SmallVector<std::pair<std::pair<Storage *, Storage *>, ExprRef>> arrays_;
};

}  // namespace

LogicalResult emitColumns(Emission &em, scf::ForOp loop, const std::string &counter, const ExprRef &columns) {
  return ColumnBlocks(em, loop, counter, columns).emit();
}

}  // namespace tessera::transforms::totarget
