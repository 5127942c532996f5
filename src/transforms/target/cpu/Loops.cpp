// The CPU: a loop over all lanes where they are independent, else a parallel loop over groups.
#include "ir/common/Common.h"
#include "ir/common/Names.h"
#include "transforms/target/cpu/Lanes.h"
#include "transforms/target/cpu/Loops.h"
#include "transforms/target/cpu/Streams.h"
#include "transforms/target/flow/Flow.h"
#include "transforms/target/flow/Scope.h"
#include "transforms/target/sizes/Grid.h"
#include "transforms/target/sizes/Sizes.h"

using namespace mlir;
namespace tile = tessera::ir::tile;
namespace out = tessera::ir::target;

namespace tessera::transforms::totarget {

bool isPlainLoop(Emission &em) {
  if (em.kernel.getGrid().getKind() != ir::GridKind::Lanes) return false;
  bool shares = false;
  em.kernel.getBody().walk([&](Operation *op) {
    shares |=
        isa<tile::AllocSharedOp, tile::BarrierOp, tile::GroupReduceOp, tile::WarpOp, tile::OnceOp, tile::CopyOp, tile::CopyRowsOp>(op);
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
static ExprRef lanes(Emission &em) {
  for (Type type : llvm::reverse(em.kernel.getArgumentTypes())) {
    if (!isa<ir::ViewType>(type)) continue;
    Dim count(1);
    ExprRef product = em.typed(1);
    for (ir::DimAttr extent : ir::shapeOf(type)) {
      count = count * extent.getDim();
      product = binary("*", product, dim(em, extent.getDim()));
    }
    if (count == em.grid->extents[0]) return product;
  }
  return dim(em, em.grid->extents[0]);
}

std::optional<Dim> countOf(Value value) {
  if (auto dim = value.getDefiningOp<tile::DimOp>()) return Dim::parse(dim.getDim().str());
  auto constant = value.getDefiningOp<tile::ConstantOp>();
  auto number = constant ? dyn_cast<IntegerAttr>(constant.getValue()) : IntegerAttr();
  return number ? std::optional<Dim>(Dim(number.getInt())) : std::nullopt;
}

bool isBelowLanes(Emission &em, Value condition) {
  auto test = condition.getDefiningOp<tile::ElementwiseOp>();
  if (!test || test.getMnemonic() != "lt") return false;
  auto where = test.getArgs()[0].getDefiningOp<tile::QueryOp>();
  return where && where.getQuery() == "linear_id" &&
         countOf(test.getArgs()[1]) == em.kernel.getGrid().getDims()[0].getDim();
}

bool isLoopBound(Emission &em, Value condition) { return em.grid->laneLoop && isBelowLanes(em, condition); }

Value openLoop(Emission &em, const std::string &counter, ExprRef from, ExprRef to, int64_t step, bool parallel,
               bool simd, int64_t collapse) {
  Location place = em.kernel.getLoc();
  Value lower = write(em.builder, place, from), upper = write(em.builder, place, to),
        by = write(em.builder, place, em.typed(step));
  auto loop = em.builder.create<out::ForOp>(place, counter, lower, upper, by, IntegerAttr(), parallel, simd);
  if (collapse > 1) loop.setCollapse(collapse);
  Block *body = em.builder.createBlock(&loop.getBody());
  return body->addArgument(em.indexType(), place);
}

Block &lanesBlock(Emission &em) {
  Block &top = em.kernel.getBody().front();
  for (auto branch : top.getOps<scf::IfOp>())
    if (branch.getNumResults() == 0 && isBelowLanes(em, branch.getCondition())) return *branch.thenBlock();
  return top;
}

ExprRef endOf(Emission &em, ExprRef from, int64_t step, ExprRef extent) {
  return call("tsr::min", {binary("+", from, em.typed(step)), extent}, em.indexType(),
              {StringAttr::get(em.context, "int64_t")});
}

std::pair<ExprRef, ExprRef> openPieces(Emission &em, ArrayRef<tile::StoreElementOp> stores, const std::string &counter,
                                       ExprRef width, bool parallel) {
  ExprRef from = valueOf(openLoop(em, em.names.fresh(counter + "0"), em.typed(0), width, kPiece, parallel, false, 0));
  if (stores.empty()) return {from, endOf(em, from, kPiece, width)};
  declareStreaming(em, stores.front());
  return declareLines(em, stores, kPiece, width, from);
}

/// Lanes that are the elements of one row.
static LogicalResult emitOneRow(Emission &em, ArrayRef<tile::StoreElementOp> stores, const std::string &hint) {
  OpBuilder::InsertionGuard guard(em.builder);
  em.names.push();
  std::string counter = hint.empty() ? em.names.fresh("i") : em.names.declare(hint);
  auto limits = openPieces(em, stores, counter, lanes(em), /*parallel=*/true);
  em.grid->laneLoop = valueOf(openLoop(em, counter, limits.first, limits.second, 1, false, true, 0));
  LogicalResult result = emitBlock(em, em.kernel.getBody().front());
  em.names.pop();
  return result;
}

LogicalResult emitPlainLoop(Emission &em) {
  if (std::optional<RowsOfLanes> rows = rowsOfLanes(em)) return emitRowsOfLanes(em, *rows);
  if (std::optional<Matrices> matrices = matricesOfLanes(em)) return emitMatrices(em, *matrices);
  Location place = em.kernel.getLoc();
  std::string counter = standingName(em.kernel, "linear_id", 0);
  if (scf::ForOp rows = columnsOfLanes(em)) return emitColumns(em, rows, counter.empty() ? "i" : counter, lanes(em));
  SmallVector<tile::StoreElementOp> stores = storesInLines(
      em, lanesBlock(em), [&](Value index) { return isa_and_nonnull<tile::QueryOp>(index.getDefiningOp()); },
      [](Value) { return false; });
  if (!stores.empty()) return emitOneRow(em, stores, counter);
  Value from = write(em.builder, place, em.typed(0)), to = write(em.builder, place, lanes(em));
  Value by = write(em.builder, place, em.typed(1));
  Scope scope(em);
  counter = counter.empty() ? em.names.fresh("i") : em.names.declare(counter);
  auto loop = em.builder.create<out::ForOp>(place, counter, from, to, by, IntegerAttr(), /*parallel=*/true,
                                            /*simd=*/true);
  Block *body = scope.enter(loop.getBody());
  em.grid->laneLoop = valueOf(body->addArgument(em.indexType(), place));
  return emitBlock(em, em.kernel.getBody().front());
}

LogicalResult emitGroupLoop(Emission &em) {
  Location place = em.kernel.getLoc();
  Dim groups(1);
  int64_t axis = -1, axes = 0;
  for (auto [i, count] : llvm::enumerate(em.grid->counts)) {
    groups = groups * count;
    if (!(count == Dim(1))) axis = i, ++axes;
  }
  auto body = [&] {
    OpBuilder::InsertionGuard guard(em.builder);
    em.declarations->moveBefore(em.builder.getInsertionBlock(), em.builder.getInsertionBlock()->end());
    return lanesMatter(em) ? emitLanes(em, em.kernel.getBody().front()) : emitBlock(em, em.kernel.getBody().front());
  };
  if (groups == Dim(1)) {
    em.grid->group = em.typed(0);
    return body();
  }
  std::string counter;
  if (axes == 1) {
    bool single = em.kernel.getGrid().getKind() == ir::GridKind::Output && em.grid->extents[axis] == Dim(1);
    if (single) counter = standingName(em.kernel, "origin", axis);
    if (counter.empty()) counter = standingName(em.kernel, "group_id", axis);
  }
  Value from = write(em.builder, place, em.typed(0)), to = write(em.builder, place, dim(em, groups)),
        by = write(em.builder, place, em.typed(1));
  Scope scope(em);
  counter = counter.empty() ? em.names.fresh("group") : em.names.declare(counter);
  auto loop = em.builder.create<out::ForOp>(place, counter, from, to, by, IntegerAttr(), /*parallel=*/true,
                                            /*simd=*/false);
  Block *block = scope.enter(loop.getBody());
  em.grid->group = valueOf(block->addArgument(em.indexType(), place));
  return body();
}

}  // namespace tessera::transforms::totarget
