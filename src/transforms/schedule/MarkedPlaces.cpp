// Which updates go to which part of an axis, as bits that the owners of its elements read: bit p of row r says that update p goes to part
// r. An owner passes 1024 updates by with one look, in the order of the updates. Bits are set by atomics, whose order does not matter.
#include "ir/common/Names.h"
#include "support/Lanes.h"
#include "transforms/schedule/Marks.h"
#include "transforms/schedule/TensorFunction.h"

namespace tessera::transforms {
using namespace mlir;
using namespace tessera::ir;

Dim elementsOfPart(graph::ScatterAddOp scatter) {
  return Dim::max(Dim(1), Dim::ceilDiv(scatter.getType().getShape()[scatter.getAxis()].getDim(), Dim(kMarkedParts)));
}

/// marks[part of place p, p / 32] |= 1 << p % 32
FailureOr<Value> FunctionScheduler::marksOfPlaces(graph::ScatterAddOp scatter) {
  MLIRContext *context = builder_.getContext();
  Location loc = named("marks", scatter.getLoc()), line = unnamed(scatter.getLoc());
  Dim count = scatter.getUpdates().getType().getShape()[scatter.getAxis()].getDim();
  Type bits = builder_.getIntegerType(32, /*isSigned=*/false);
  OpBuilder before(scatter);
  SmallVector<DimAttr> shape{DimAttr::get(context, Dim(kMarkedParts)), DimAttr::get(context, Dim::ceilDiv(count, Dim(kWarpLanes)))};
  Value none = before.create<graph::ConstantOp>(line, bits, before.getIntegerAttr(bits, 0));
  Value zeros = before.create<graph::FullOp>(loc, TensorType::get(context, shape, bits), none);
  Value marks = launchOp<schedule::TempOp>(loc, ViewType::get(context, shape, bits));
  if (failed(laneKernel(zeros, marks, /*sequential=*/false))) return failure();
  leaves_[zeros] = marks;

  GridAttr grid = GridAttr::get(context, GridKind::Lanes, DimAttr::get(context, count), -1);
  Kernel kernel = beginKernel(zeros, grid, marks, {"a lane marks to which part of the axis its place belongs"}, true, {},
                              schedule::KernelOp::getOperationName(), ValueRange{scatter.getPlaces(), zeros});
  OpBuilder builder = OpBuilder::atBlockEnd(&kernel.op->getRegion(0).front());
  Privatiser privatiser(builder, kernel.leaves);
  Type index = builder.getIndexType();
  Value p = builder.create<graph::QueryOp>(named("p", line), index, "linear_id", 0);
  Value isInside = privatiser.arithmetic("lt", p, privatiser.dim(count, line), line);
  builder.setInsertionPointToStart(builder.create<scf::IfOp>(line, isInside, /*withElse=*/false).thenBlock());
  Value place = privatiser.part(scatter.getPlaces(), {Index(p)});
  if (!place) return failure();
  auto cast = [&](Value value, Type to) { return builder.create<graph::CastOp>(line, to, value, StringAttr(), UnitAttr()).getResult(); };
  Value lanes = privatiser.constantIndex(kWarpLanes, line), one = builder.create<graph::ConstantOp>(line, bits, builder.getIntegerAttr(bits, 1));
  Value part = privatiser.arithmetic("floordiv", cast(place, index), privatiser.dim(elementsOfPart(scatter), line), named("part", line));
  Value mark = builder.create<graph::ElementwiseOp>(named("mark", line), bits, "shl", ValueRange{one, cast(privatiser.arithmetic("mod", p, lanes, line), bits)});
  builder.create<graph::AtomicOp>(line, TypeRange(), "or", mark, kernel.target, ValueRange{part, privatiser.arithmetic("floordiv", p, lanes, line)},
                                  builder.getDenseBoolArrayAttr({false, true}), /*once=*/false);
  builder.setInsertionPointToEnd(&kernel.op->getRegion(0).front());
  builder.create<schedule::KernelEndOp>(line);
  return marks;
}

}  // namespace tessera::transforms
