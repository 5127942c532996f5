// Matrices that are read across the rows that are written, on the CPU: blocks of them are turned
// (include/tessera/device/cpu/stream.h).
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

static tile::ElementwiseOp divisionOf(Value value, StringRef mnemonic) {
  auto op = value.getDefiningOp<tile::ElementwiseOp>();
  return op && op.getMnemonic() == mnemonic ? op : tile::ElementwiseOp();
}

/// The lane's number in row-major order, taken apart: i / (R * C), i / C % R, i % C. Nothing else is made of the number.
static bool isPlaceOfLane(Emission &em, ValueRange indices, ArrayRef<ir::DimAttr> shape) {
  Value lane;
  llvm::DenseSet<Operation *> divisions;
  Dim behind(1);
  for (size_t axis = shape.size(); axis-- > 0;) {
    Value value = indices[axis];
    Dim extent = shape[axis].getDim();
    if (axis > 0) {
      tile::ElementwiseOp rest = divisionOf(value, "mod");
      if (!rest || !(em.facts.of(rest.getArgs()[1]) == em.facts.withSizes(extent))) return false;
      divisions.insert(rest);
      value = rest.getArgs()[0];
    }
    if (axis + 1 < shape.size()) {
      tile::ElementwiseOp quotient = divisionOf(value, "floordiv");
      if (!quotient || !(em.facts.of(quotient.getArgs()[1]) == em.facts.withSizes(behind))) return false;
      divisions.insert(quotient);
      value = quotient.getArgs()[0];
    }
    auto query = value.getDefiningOp<tile::QueryOp>();
    if (!query || query.getQuery() != "linear_id" || (lane && lane != value)) return false;
    lane = value;
    behind = behind * extent;
  }
  auto isOne = [&](Operation *user) {
    return divisions.contains(user) || (user->getNumResults() == 1 && isBelowLanes(em, user->getResult(0)));
  };
  bool onlyPlaces = llvm::all_of(lane.getUsers(), isOne);
  for (Operation *division : divisions)
    if (!llvm::is_contained(indices, division->getResult(0))) onlyPlaces &= llvm::all_of(division->getUsers(), isOne);
  return onlyPlaces;
}

std::optional<Matrices> matricesOfLanes(Emission &em) {
  Block &block = lanesBlock(em);
  auto stores = block.getOps<tile::StoreElementOp>();
  if (stores.empty()) return std::nullopt;
  tile::StoreElementOp first = *stores.begin();
  ValueRange indices = first.getIndices();
  ArrayRef<ir::DimAttr> shape = ir::shapeOf(first.getBase().getType());
  if (shape.size() < 3 || !isPlaceOfLane(em, indices, shape)) return std::nullopt;
  Matrices found;
  llvm::append_range(found.at, indices.drop_back(2));
  found.row = indices[shape.size() - 2];
  found.col = indices.back();
  found.shape.assign(shape.begin(), shape.end());
  found.stores = storesInLines(
      em, block, [&](Value index) { return index == found.col; },
      [&](Value index) { return index == found.row || llvm::is_contained(found.at, index); });
  found.loads = turnedLoads(em, {found.row}, {found.col}, found.at);
  if (found.stores.empty() || found.loads.empty()) return std::nullopt;
  return found;
}

LogicalResult emitMatrices(Emission &em, const Matrices &matrices) {
  OpBuilder::InsertionGuard guard(em.builder);
  em.names.push();
  auto counterOf = [&](Value value, StringRef otherwise) {
    em.values->counters.insert(value);
    StringRef hint = ir::nameHint(value);
    return hint.empty() || hint == "_" ? em.names.fresh(otherwise.str()) : em.names.declare(hint);
  };
  auto forget = [&](Value index) {  // what only leads to a counter
    for (Operation *op = index.getDefiningOp(); op && !isa<tile::QueryOp>(op); op = op->getOperand(0).getDefiningOp())
      em.values->counters.insert(op->getResult(0));
  };
  llvm::for_each(matrices.at, forget);
  forget(matrices.row);
  const auto axes = static_cast<int64_t>(matrices.at.size());
  for (auto [axis, index] : llvm::enumerate(matrices.at))
    em.values->bound[index] =
        valueOf(openLoop(em, counterOf(index, "matrix"), em.typed(0), dim(em, matrices.shape[axis].getDim()), 1,
                         axis == 0, false, axis == 0 ? axes + 2 : 0));
  ExprRef height = dim(em, matrices.shape[axes].getDim()), width = dim(em, matrices.shape[axes + 1].getDim());
  std::string row = counterOf(matrices.row, "row"), col = counterOf(matrices.col, "col");
  ExprRef col0 = valueOf(openLoop(em, em.names.fresh(col + "0"), em.typed(0), width, kTurnedCols, false, false, 0));
  ExprRef row0 = valueOf(openLoop(em, em.names.fresh(row + "0"), em.typed(0), height, kTurnedRows, false, false, 0));
  declareStreaming(em, matrices.stores.front());
  declareTurned(em, matrices.loads, row0, col0);
  em.values->bound[matrices.row] =
      valueOf(openLoop(em, row, row0, endOf(em, row0, kTurnedRows, height), 1, false, false, 0));
  auto limits = declareLines(em, matrices.stores, kTurnedCols, width, col0);
  em.values->bound[matrices.col] = em.grid->laneLoop =
      valueOf(openLoop(em, col, limits.first, limits.second, 1, false, true, 0));
  LogicalResult result = emitBlock(em, em.kernel.getBody().front());
  em.names.pop();
  return result;
}

}  // namespace tessera::transforms::totarget
