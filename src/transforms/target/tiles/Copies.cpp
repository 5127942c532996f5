// Tiles between global and shared memory, and waiting for them.
#include "ir/common/Common.h"
#include "transforms/target/cpu/Operands.h"
#include "transforms/target/flow/Flow.h"
#include "transforms/target/flow/Scope.h"
#include "transforms/target/roles/Roles.h"
#include "transforms/target/sizes/Grid.h"
#include "transforms/target/sizes/Sizes.h"
#include "transforms/target/tiles/Reach.h"
#include "transforms/target/tiles/Tiles.h"
#include "transforms/target/types/Types.h"
#include "transforms/target/values/Elements.h"
#include "transforms/target/values/Values.h"

using namespace mlir;
namespace tile = tessera::ir::tile;
namespace out = tessera::ir::target;

namespace tessera::transforms::totarget {

/// The tensor with its leading indices fixed, one after the other; where one may lie outside, a part without elements.
static ExprRef partOf(Emission &em, ExprRef base, const Reach &reach, const Indices &offsets) {
  for (size_t i = 0; i < offsets.size(); ++i) {
    auto view = cast<out::ViewType>(base->type);
    auto left = out::ViewType::get(em.context, view.getRank() - 1, view.getElement(), view.getReadOnly(), view.getStrided(), /*windows=*/0);
    base = reach.inBounds[i] ? subscript(base, {offsets[i]}, left) : call("tsr::part", {base, offsets[i]}, left);
  }
  return base;
}

/// All points come before the two axes of a tile in steps of one, and some of them may lie outside.
static bool isTileOfPart(Emission &em, const Reach &reach, const ExprRef &base) {
  const size_t points = reach.offsets.size() - reach.free.size();
  bool last = reach.free.size() == 2 && isa<out::ViewType>(base->type);
  for (auto [i, axis] : llvm::enumerate(reach.free)) last = last && axis == points + i && reach.steps[axis] == 1;
  return last && points > 0;
}

/// Where the first element of a buffer with one axis is: an array of its own, or a row of the tile that several such buffers are.
static ExprRef lineOf(Emission &em, Value buffer) {
  if (ExprRef array = em.values->bound.lookup(buffer)) return array;
  auto row = buffer.getDefiningOp<tile::SelectBufferOp>();
  return method(em.values->bound.lookup(row.getBase()), "line", {scalar(em, row.getIndex())}, em.none());
}

/// Neighbours of a tensor into a buffer with one axis, which come later.
static LogicalResult emitCopyOfLine(Emission &em, tile::CopyOp op, const Reach &reach, const Indices &offsets) {
  Indices leading(offsets.begin(), offsets.end() - 1);
  std::vector<Attribute> templates = {StringAttr::get(em.context, em.isCpu() ? "1" : "Threads"),
                                      StringAttr::get(em.context, typeExtent(em, written(em, op.getTarget().getType().getShape(), op.getTarget().getLoc())[0]))};
  ExprRef view = partOf(em, em.values->bound.lookup(reach.base), reach, leading);
  statement(em, call("tsr::copy_line_async", {lineOf(em, op.getTarget()), view, offsets.back()}, em.none(), templates), op.getLoc());
  return success();
}

/// The copy takes neighbours of its last dimension, from one that is not below 0, in elements of whole bytes.
static bool isCopyOfLine(Emission &em, tile::CopyOp op, const Reach &reach) {
  auto shared = cast<ir::SharedType>(op.getTarget().getType());
  auto view = dyn_cast<out::ViewType>(em.values->bound.lookup(reach.base)->type);
  const size_t last = reach.offsets.size() - 1;
  return op.getAsync() && shared.getRank() == 1 && shared.getSwizzle().empty() && view && !view.getStrided() && reach.free.size() == 1 && reach.free[0] == last &&
         reach.steps[last] == 1 && (reach.inBounds[last] || em.facts.isNonNegative(reach.offsets[last]));
}

LogicalResult emitCopy(Emission &em, tile::CopyOp op) {
  if (auto part = op.getTarget().getDefiningOp<tile::SelectBufferOp>();
      part && part.getIndex().getDefiningOp<tile::RingAcquireOp>())
    return emitCopyToRing(em, op);
  Reach reach = reachOf(op);
  ExprRef target = em.values->bound.lookup(op.getTarget()), base = em.values->bound.lookup(reach.base);
  Indices offsets;
  for (Value offset : reach.offsets) offsets.push_back(scalar(em, offset));
  if (isCopyOfLine(em, op, reach)) return emitCopyOfLine(em, op, reach, offsets);
  auto held = target ? dyn_cast<out::LValueType>(target->type) : nullptr;
  bool isTile = held && isa<out::NamedType>(held.getValue());
  if (isTile && reach.leadingPoints && reach.free.size() == 2) {
    auto [view, rest] = fixLeading(base, offsets, 2);
    Indices arguments = {target, view};
    arguments.insert(arguments.end(), rest.begin(), rest.end());
    std::vector<Attribute> lanes = {StringAttr::get(em.context, em.isCpu() ? "1" : "Threads")};
    bool inside = reach.liesInside(cast<ir::SharedType>(op.getTarget().getType()).getShape());
    std::string copy = inside ? "tsr::copy_whole_tile" : "tsr::copy_tile";
    if (auto packed = em.operands->packed.find(op.getTarget()); packed != em.operands->packed.end()) {
      bool turned = packed->second.transposed && !packed->second.isLeft;
      statement(em, call(turned ? "tsr::copy_transposed_tile" : "tsr::copy_tile", arguments, em.none(), lanes),
                op.getLoc());
      return success();
    }
    if (!em.sizes->alignment.empty() && beginsAligned(em, op))
      lanes.push_back(StringAttr::get(em.context, em.sizes->alignment));
    statement(em, call(op.getAsync() ? copy + "_async" : copy, arguments, em.none(), lanes), op.getLoc());
    return success();
  }
  if (isTile && isTileOfPart(em, reach, base)) {
    ArrayRef<ExprRef> places(offsets);
    Indices arguments = {target, partOf(em, base, reach, Indices(places.begin(), places.end() - 2))};
    arguments.insert(arguments.end(), places.end() - 2, places.end());
    std::vector<Attribute> lanes = {StringAttr::get(em.context, em.isCpu() ? "1" : "Threads")};
    if (!em.sizes->alignment.empty() && beginsAligned(em, op)) lanes.push_back(StringAttr::get(em.context, em.sizes->alignment));
    statement(em, call(op.getAsync() ? "tsr::copy_tile_async" : "tsr::copy_tile", arguments, em.none(), lanes), op.getLoc());
    return success();
  }
  // Element by element, the lanes in turn.
  auto shared = cast<ir::SharedType>(op.getTarget().getType());
  size_t rank = shared.getShape().size();
  if (rank > 2 || reach.free.size() != rank)
    return unsupported(*op, "a copy into a buffer of this rank is not emitted yet");
  reach.maskCapacities(shared.getShape());
  Location place = op.getLoc();
  em.lastLoop = nullptr;
  std::vector<Dim> extents = written(em, shared.getShape(), op.getTarget().getLoc());
  Dim total(1);
  for (const Dim &extent : extents) total = total * extent;
  Value from = write(em.builder, place, lane(em)),
        to = write(em.builder, place, name(typeExtent(em, total), em.indexType()));
  Value by = write(em.builder, place, em.isCpu() ? em.typed(1) : name("Threads", em.indexType()));
  Scope scope(em);
  auto loop = em.builder.create<out::ForOp>(place, em.names.fresh("e"), from, to, by, IntegerAttr(), false, false);
  Block *body = scope.enter(loop.getBody());
  ExprRef at = valueOf(body->addArgument(em.indexType(), place)), row = at, col;
  if (rank == 2) {
    ExprRef width = name("(" + typeExtent(em, extents[1]) + ")", em.indexType());
    row = binary("/", at, width);
    col = binary("%", at, width);
  }
  ExprRef inside;
  ExprRef value = read(reachElement(em, reach, row, col, &inside));
  if (inside) value = conditional(inside, value, zeroOf(value->type, dtypeText(em, value->type)));
  assign(em, elementPlace(em, op.getTarget(), rank == 2 ? Indices{row, col} : Indices{row}), value, place);
  return success();
}

LogicalResult emitCopyRows(Emission &em, tile::CopyRowsOp op) {
  Indices arguments = {em.values->bound.lookup(op.getTarget()), em.values->bound.lookup(op.getBase()), em.values->bound.lookup(op.getPlaces())};
  for (Value index : op.getIndices()) arguments.push_back(scalar(em, index));
  std::vector<Attribute> templates = {StringAttr::get(em.context, em.isCpu() ? "1" : "Threads")};
  if (op.getAxis() != 0) templates.push_back(em.builder.getI64IntegerAttr(op.getAxis()));
  if (op.getMerged() != 0) templates.push_back(em.builder.getI64IntegerAttr(op.getMerged()));
  statement(em, call(op.getAsync() ? "tsr::copy_rows_async" : "tsr::copy_rows", arguments, em.none(), templates), op.getLoc());
  return success();
}

LogicalResult emitTime(Emission &em, Operation &op) {
  if (auto wait = dyn_cast<tile::WaitGroupOp>(op)) {
    std::vector<Attribute> pending = {em.builder.getI64IntegerAttr(wait.getPending())};
    if (!em.isCpu()) statement(em, call("tsr::async_wait", {}, em.none(), pending), op.getLoc());
    return success();
  }
  if (em.isCpu()) return success();  // one lane waits for nobody, and copies are done when they return
  statement(em, call(isa<tile::BarrierOp>(op) ? "tsr::group_barrier" : "tsr::async_commit", {}, em.none()),
            op.getLoc());
  return success();
}

}  // namespace tessera::transforms::totarget
