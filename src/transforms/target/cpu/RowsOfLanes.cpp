// Lanes that are only asked for their row and their column: loops over rows and columns, on the CPU.
#include "ir/common/Common.h"
#include "ir/common/Names.h"
#include "transforms/target/cpu/Loops.h"
#include "transforms/target/cpu/Streams.h"
#include "transforms/target/flow/Flow.h"
#include "transforms/target/sizes/Grid.h"
#include "transforms/target/sizes/Sizes.h"
#include "transforms/target/values/Values.h"

using namespace mlir;
namespace tile = tessera::ir::tile;

namespace tessera::transforms::totarget {

bool dependsOn(Value value, ArrayRef<Value> sources) {
  if (llvm::is_contained(sources, value)) return true;
  Operation *op = value.getDefiningOp();
  return op && llvm::any_of(op->getOperands(), [&](Value operand) { return dependsOn(operand, sources); });
}

static std::string hintOf(ArrayRef<Value> values) {
  for (Value value : values)
    if (StringRef hint = ir::nameHint(value); !hint.empty() && hint != "_") return hint.str();
  return "";
}

std::optional<RowsOfLanes> rowsOfLanes(Emission &em) {
  RowsOfLanes found;
  bool fits = true;
  auto divides = [&](tile::ElementwiseOp op) {
    std::optional<Dim> by = op.getArgs().size() == 2 ? countOf(op.getArgs()[1]) : std::nullopt;
    if (!by || (found.width && !(*found.width == *by))) return false;
    found.width = by;
    return true;
  };
  em.kernel.getBody().walk([&](tile::QueryOp query) {
    for (Operation *user : query.getResult().getUsers()) {
      auto op = dyn_cast<tile::ElementwiseOp>(user);
      StringRef mnemonic = op ? op.getMnemonic() : StringRef();
      if (mnemonic == "lt" && llvm::all_of(op->getUsers(), [&](Operation *test) {
            auto branch = dyn_cast<scf::IfOp>(test);
            return branch && branch.getNumResults() == 0 && countOf(op.getArgs()[1]) == em.grid->extents[0];
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
  for (Type type : llvm::reverse(em.kernel.getArgumentTypes())) {
    if (!isa<ir::ViewType>(type) || ir::shapeOf(type).empty()) continue;
    ArrayRef<ir::DimAttr> shape = ir::shapeOf(type);
    Dim count(1);
    found.height = em.typed(1);
    for (ir::DimAttr extent : shape.drop_back()) {
      count = count * extent.getDim();
      found.height = binary("*", found.height, dim(em, extent.getDim()));
    }
    if (!(shape.back().getDim() == *found.width) || !(count * *found.width == em.grid->extents[0])) continue;
    em.kernel.getBody().walk([&](tile::LoadElementOp load) {
      if (load.getIndices().empty() || dependsOn(load.getIndices().back(), found.cols)) return;
      found.turned |= llvm::any_of(load.getIndices(), [&](Value index) { return dependsOn(index, found.cols); });
    });
    return found;
  }
  return std::nullopt;
}

/// Opens loops over blocks and over the rows of a block, and gives the limits of the one over its columns.
static std::pair<ExprRef, ExprRef> openBlocks(Emission &em, const RowsOfLanes &lanes,
                                              ArrayRef<tile::StoreElementOp> stores, const std::string &row,
                                              const std::string &col, ExprRef &rowCounter) {
  ExprRef width = dim(em, *lanes.width);
  SmallVector<tile::LoadElementOp> loads =
      stores.empty() ? SmallVector<tile::LoadElementOp>() : turnedLoads(em, lanes.rows, lanes.cols, {});
  auto openRows = [&](ExprRef from, int64_t step) {
    rowCounter = valueOf(openLoop(em, row, from, endOf(em, from, step, lanes.height), 1, false, false, 0));
    for (Value value : lanes.rows) em.values->bound[value] = rowCounter;
  };
  if (loads.empty()) {
    constexpr int64_t block = 64;
    ExprRef row0 = valueOf(openLoop(em, em.names.fresh(row + "0"), em.typed(0), lanes.height, block, true, false, 2));
    ExprRef col0 = valueOf(openLoop(em, em.names.fresh(col + "0"), em.typed(0), width, block, false, false, 0));
    openRows(row0, block);
    return {col0, endOf(em, col0, block, width)};
  }
  // What is read lies along the rows of the result: its own rows are gone over before the next ones.
  ExprRef col0 = valueOf(openLoop(em, em.names.fresh(col + "0"), em.typed(0), width, kTurnedCols, true, false, 2));
  ExprRef row0 =
      valueOf(openLoop(em, em.names.fresh(row + "0"), em.typed(0), lanes.height, kTurnedRows, false, false, 0));
  declareStreaming(em, stores.front());
  declareTurned(em, loads, row0, col0);
  openRows(row0, kTurnedRows);
  return declareLines(em, stores, kTurnedCols, width, col0);
}

LogicalResult emitRowsOfLanes(Emission &em, const RowsOfLanes &lanes) {
  OpBuilder::InsertionGuard guard(em.builder);
  em.names.push();
  std::string rowHint = hintOf(lanes.rows), colHint = hintOf(lanes.cols);
  std::string row = rowHint.empty() ? em.names.fresh("row") : em.names.declare(rowHint);
  std::string col = colHint.empty() ? em.names.fresh("col") : em.names.declare(colHint);
  ExprRef rowCounter, width = dim(em, *lanes.width);
  std::pair<ExprRef, ExprRef> limits(em.typed(0), width);
  SmallVector<tile::StoreElementOp> stores = storesInLines(
      em, lanesBlock(em), [&](Value index) { return llvm::is_contained(lanes.cols, index); },
      [&](Value index) { return llvm::is_contained(lanes.rows, index); });
  for (Value value : lanes.cols) em.values->counters.insert(value);
  for (Value value : lanes.rows) em.values->counters.insert(value);
  if (lanes.turned) {
    limits = openBlocks(em, lanes, stores, row, col, rowCounter);
  } else {
    bool whole = lanes.width->isConstant() && lanes.width->constant() <= kPiece;
    rowCounter = valueOf(openLoop(em, row, em.typed(0), lanes.height, 1, true, false, whole ? 0 : 2));
    for (Value value : lanes.rows) em.values->bound[value] = rowCounter;
    if (!whole) limits = openPieces(em, stores, col, width);
  }
  ExprRef colCounter = valueOf(openLoop(em, col, limits.first, limits.second, 1, false, true, 0));
  em.grid->laneLoop = rowCounter;
  for (Value value : lanes.cols) em.values->bound[value] = colCounter;
  LogicalResult result = emitBlock(em, em.kernel.getBody().front());
  em.names.pop();
  return result;
}

}  // namespace tessera::transforms::totarget
