// The order of a launch's groups where they differ in work.
//
// With a causal mask the loop of a group goes up to its own rows, and later groups have more to do; in the derivative by the keys
// it begins at them, and later groups have less to do. Machines begin the groups of a launch in order, and one that begins a long
// group last waits for it alone; so the longest go first. Groups that stay take long and short ones in pairs (raster.h).
#include "ir/tile/GroupOrder.h"
#include "ir/tile/Tile.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Builders.h"
#include "mlir/Pass/Pass.h"
#include "transforms/tile/Passes.h"
#include "transforms/tile/Reasons.h"

namespace tessera::transforms {
using namespace mlir;
using namespace tessera::ir;

namespace {

/// How a number depends on where the group stands.
struct Growth {
  enum Kind { Constant, Grows, Unknown } kind = Unknown;
  int64_t axis = -1;  // Grows: with the origin along this axis
};

Growth growthOf(Value value);

/// Of a monotone operation, from its operands.
Growth together(ValueRange operands) {
  Growth result{Growth::Constant};
  for (Value operand : operands) {
    Growth growth = growthOf(operand);
    if (growth.kind == Growth::Unknown) return growth;
    if (growth.kind == Growth::Constant) continue;
    if (result.kind == Growth::Grows && result.axis != growth.axis) return {};
    result = growth;
  }
  return result;
}

/// A size, or a positive constant.
bool isPositive(Value value) {
  if (value.getDefiningOp<tile::DimOp>()) return true;
  auto constant = value.getDefiningOp<tile::ConstantOp>();
  auto number = constant ? dyn_cast<IntegerAttr>(constant.getValue()) : IntegerAttr();
  return number && number.getInt() > 0;
}

Growth growthOf(Value value) {
  Operation *op = value.getDefiningOp();
  if (!op) return {};
  if (isa<tile::ConstantOp, tile::DimOp>(op)) return {Growth::Constant};
  if (auto query = dyn_cast<tile::QueryOp>(op))
    return query.getQuery() == "origin" ? Growth{Growth::Grows, static_cast<int64_t>(query.getAxis())} : Growth{};
  if (auto cast = dyn_cast<tile::CastOp>(op)) return growthOf(cast.getValue());
  auto elementwise = dyn_cast<tile::ElementwiseOp>(op);
  if (!elementwise) return {};
  StringRef what = elementwise.getMnemonic();
  OperandRange args = elementwise.getArgs();
  if (what == "add" || what == "min" || what == "max") return together(args);
  if (what == "select" && isa<BlockArgument>(args[0])) return together(args.drop_front());  // the same choice in every group
  // What is taken away or divides is a number of the whole launch.
  if ((what == "sub" || what == "floordiv") && growthOf(args[1]).kind == Growth::Constant) return growthOf(args[0]);
  if (what == "mul" && isPositive(args[1])) return growthOf(args[0]);
  Growth all = together(args);
  return all.kind == Growth::Constant ? all : Growth{};
}

struct OrderGroups : PassWrapper<OrderGroups, OperationPass<tile::KernelOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(OrderGroups)
  StringRef getArgument() const override { return "tile-order-groups"; }
  StringRef getDescription() const override { return "groups with more work before those with less"; }
  void getDependentDialects(DialectRegistry &registry) const override { registry.insert<scf::SCFDialect>(); }
  void runOnOperation() override {
    tile::KernelOp kernel = getOperation();
    if (kernel.getGrid().getKind() != GridKind::Output) return;
    for (scf::ForOp loop : kernel.getBody().front().getOps<scf::ForOp>()) {
      Growth begin = growthOf(loop.getLowerBound()), end = growthOf(loop.getUpperBound());
      bool grows = end.kind == Growth::Grows && begin.kind == Growth::Constant, shrinks = begin.kind == Growth::Grows && end.kind == Growth::Constant;
      if (!grows && !shrinks) continue;
      kernel.setLongestFirst(grows ? end.axis : begin.axis);
      if (shrinks) markLongestAtStart(kernel);
      addReason(kernel, "groups with the longest loops go first");
      return;
    }
  }
};

}  // namespace

std::unique_ptr<Pass> createOrderGroupsPass() { return std::make_unique<OrderGroups>(); }

}  // namespace tessera::transforms
