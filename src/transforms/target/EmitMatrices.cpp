// Matrices that are read across the rows that are written, on the CPU: blocks of them are turned
// (include/tessera/device/cpu/stream.h).
#include "ir/common/Common.h"
#include "ir/common/Names.h"
#include "transforms/target/KernelScope.h"

using namespace mlir;
namespace tile = tessera::ir::tile;
namespace out = tessera::ir::target;

namespace tessera::transforms::totarget {

static tile::ElementwiseOp divisionOf(Value value, StringRef mnemonic) {
  auto op = value.getDefiningOp<tile::ElementwiseOp>();
  return op && op.getMnemonic() == mnemonic ? op : tile::ElementwiseOp();
}

/// The lane's number in row-major order, taken apart: i / (R * C), i / C % R, i % C. Nothing else is made of the number.
bool KernelEmitter::isPlaceOfLane(ValueRange indices, ArrayRef<ir::DimAttr> shape) {
  Value lane;
  llvm::DenseSet<Operation *> divisions;
  Dim behind(1);
  for (size_t axis = shape.size(); axis-- > 0;) {
    Value value = indices[axis];
    Dim extent = shape[axis].getDim();
    if (axis > 0) {
      tile::ElementwiseOp rest = divisionOf(value, "mod");
      if (!rest || !(facts_.of(rest.getArgs()[1]) == facts_.withSizes(extent))) return false;
      divisions.insert(rest);
      value = rest.getArgs()[0];
    }
    if (axis + 1 < shape.size()) {
      tile::ElementwiseOp quotient = divisionOf(value, "floordiv");
      if (!quotient || !(facts_.of(quotient.getArgs()[1]) == facts_.withSizes(behind))) return false;
      divisions.insert(quotient);
      value = quotient.getArgs()[0];
    }
    auto query = value.getDefiningOp<tile::QueryOp>();
    if (!query || query.getQuery() != "linear_id" || (lane && lane != value)) return false;
    lane = value;
    behind = behind * extent;
  }
  auto isOne = [&](Operation *user) { return divisions.contains(user) || (user->getNumResults() == 1 && isBelowLanes(user->getResult(0))); };
  bool onlyPlaces = llvm::all_of(lane.getUsers(), isOne);
  for (Operation *division : divisions)
    if (!llvm::is_contained(indices, division->getResult(0))) onlyPlaces &= llvm::all_of(division->getUsers(), isOne);
  return onlyPlaces;
}

/// Lanes that are the elements of matrices, all of which read some other array across its rows.
std::optional<KernelEmitter::Matrices> KernelEmitter::matricesOfLanes() {
  Block &block = lanesBlock();
  auto stores = block.getOps<tile::StoreElementOp>();
  if (stores.empty()) return std::nullopt;
  tile::StoreElementOp first = *stores.begin();
  ValueRange indices = first.getIndices();
  ArrayRef<ir::DimAttr> shape = ir::shapeOf(first.getBase().getType());
  if (shape.size() < 3 || !isPlaceOfLane(indices, shape)) return std::nullopt;
  Matrices found;
  llvm::append_range(found.at, indices.drop_back(2));
  found.row = indices[shape.size() - 2];
  found.col = indices.back();
  found.shape.assign(shape.begin(), shape.end());
  found.stores = storesInLines(block, [&](Value index) { return index == found.col; },
                               [&](Value index) { return index == found.row || llvm::is_contained(found.at, index); });
  found.loads = turnedLoads({found.row}, {found.col}, found.at);
  if (found.stores.empty() || found.loads.empty()) return std::nullopt;
  return found;
}

/// Matrices and blocks of them in parallel, as those of one matrix (openBlocks).
LogicalResult KernelEmitter::emitMatrices(const Matrices &matrices) {
  OpBuilder::InsertionGuard guard(builder_);
  names_.push();
  auto counterOf = [&](Value value, StringRef otherwise) {
    counters_.insert(value);
    StringRef hint = ir::nameHint(value);
    return hint.empty() || hint == "_" ? names_.fresh(otherwise.str()) : names_.declare(hint);
  };
  auto forget = [&](Value index) {  // what only leads to a counter
    for (Operation *op = index.getDefiningOp(); op && !isa<tile::QueryOp>(op); op = op->getOperand(0).getDefiningOp())
      counters_.insert(op->getResult(0));
  };
  llvm::for_each(matrices.at, forget);
  forget(matrices.row);
  const auto axes = static_cast<int64_t>(matrices.at.size());
  for (auto [axis, index] : llvm::enumerate(matrices.at))
    bound_[index] = valueOf(openLoop(counterOf(index, "matrix"), typed(0), dim(matrices.shape[axis].getDim()), 1, axis == 0, false, axis == 0 ? axes + 2 : 0));
  ExprRef height = dim(matrices.shape[axes].getDim()), width = dim(matrices.shape[axes + 1].getDim());
  std::string row = counterOf(matrices.row, "row"), col = counterOf(matrices.col, "col");
  ExprRef col0 = valueOf(openLoop(names_.fresh(col + "0"), typed(0), width, kTurnedCols, false, false, 0));
  ExprRef row0 = valueOf(openLoop(names_.fresh(row + "0"), typed(0), height, kTurnedRows, false, false, 0));
  declareStreaming(matrices.stores.front());
  declareTurned(matrices.loads, row0, col0);
  bound_[matrices.row] = valueOf(openLoop(row, row0, endOf(row0, kTurnedRows, height), 1, false, false, 0));
  auto limits = declareLines(matrices.stores, kTurnedCols, width, col0);
  bound_[matrices.col] = laneLoop_ = valueOf(openLoop(col, limits.first, limits.second, 1, false, true, 0));
  LogicalResult result = emitBlock(kernel_.getBody().front());
  names_.pop();
  return result;
}

}  // namespace tessera::transforms::totarget
