// Tiles between memory and registers.
#include "ir/common/Common.h"
#include "transforms/schedule/Shapes.h"
#include "transforms/target/roles/Roles.h"
#include "transforms/target/tiles/Reach.h"
#include "transforms/target/tiles/Tiles.h"
#include "transforms/target/types/Types.h"
#include "transforms/target/values/Values.h"
#include "transforms/tile/Roles.h"

using namespace mlir;
namespace tile = tessera::ir::tile;
namespace out = tessera::ir::target;

namespace tessera::transforms::totarget {

static bool areOfPanels(tile::LoadFragmentOp);

/// Some columns of a buffer of panels, all of its rows: a shift that is known when compiled.
static bool areOfPanels(tile::ReadSharedOp op) {
  ir::SharedType from = op.getBase().getType();
  return from.getSwizzle() == "panels" && from.getRank() == 2 && !op.getTransposed() &&
         from.getShape()[0] == op.getResult().getType().getShape()[0];
}

static bool areOfPanels(tile::LoadFragmentOp) { return false; }

/// The axis along which a vector is read as a whole: a column (0) or a row (1) of a tile that lies in the buffer.
static std::optional<size_t> lineOf(tile::ReadSharedOp op, const Reach &reach) {
  if (reach.offsets.size() != 2 || reach.free.size() != 1 || op.getOther()) return std::nullopt;
  const size_t axis = reach.free[0];
  ir::DimAttr extent = ir::shapeOf(reach.base.getType())[axis];
  const bool isWhole = op.getResult().getType().getShape() == ArrayRef(extent) && !variesAtRunTime(extent);
  return isWhole && llvm::all_of(op.getInBounds(), [](bool inside) { return inside; }) ? std::optional(axis) : std::nullopt;
}

template <class Op> static LogicalResult loadTile(Emission &em, Op op) {
  constexpr bool fromView = std::is_same_v<Op, tile::LoadFragmentOp>;
  Reach reach = reachOf(op);
  auto type = cast<tile::FragmentType>(op.getResult().getType());
  Type elementType = type.getElementType();
  Storage *storage = em.values->plan.storage(op.getResult());
  ExprRef place = storage ? storage->place : nullptr;
  if (storage && !place) {
    declareStorage(em, *storage, nullptr, op.getLoc());
    place = storage->place;
  } else if (!place) {
    place =
        declare(em, nameFor(em, op.getResult()), placeType(em, type, op.getLoc()), "direct", {}, false, op.getLoc());
  }
  em.values->bound[op.getResult()] = place;
  bool whole = reach.leadingPoints && reach.free.size() == type.getRank();
  ExprRef base = em.values->bound.lookup(reach.base);
  Indices offsets;
  for (Value offset : reach.offsets) offsets.push_back(scalar(em, offset));
  if (fromView && whole) {
    auto [view, rest] = fixLeading(base, offsets, reach.free.size());
    Indices arguments = {place, view};
    arguments.insert(arguments.end(), rest.begin(), rest.end());
    bool inside = reach.liesInside(type.getShape()) && !op.getTransposed();
    if (op.getOther() && !inside) arguments.push_back(scalar(em, op.getOther()));
    const char *load = op.getTransposed() ? "tsr::load_transposed_fragment"
                       : inside           ? "tsr::load_whole_fragment"
                                          : "tsr::load_fragment";
    statement(em, call(load, arguments, em.none()), op.getLoc());
    return success();
  }
  bool atStart = llvm::all_of(offsets, [](const ExprRef &offset) { return asInteger(offset) == 0; });
  bool single = isa<out::NamedType>(
      cast<out::LValueType>(isa<out::LValueType>(base->type) ? base->type : place->type).getValue());
  SmallVector<ir::DimAttr> held(type.getShape());
  if (op.getTransposed()) std::reverse(held.begin(), held.end());
  if (!fromView && whole && atStart && single && reach.offsets.size() == 2 &&
      llvm::equal(ir::shapeOf(reach.base.getType()), held)) {
    ExprRef from = op.getTransposed() ? call("tsr::transposed", {base}, out::NamedType::get(em.context, "auto")) : base;
    statement(em, call("tsr::read_shared", {place, from}, em.none()), op.getLoc());
    return success();
  }
  auto ofStage = dyn_cast<ir::SharedType>(reach.base.getType());
  if (ofStage && isOneRow(ofStage) && single && atStart && type.getRank() == 1) {
    statement(em, call("tsr::read_shared", {place, base}, em.none()), op.getLoc());
    return success();
  }
  if (areOfPanels(op) && whole && single && asInteger(offsets[0]) == 0) {
    statement(em, call("tsr::read_shared", {place, base, offsets[1]}, em.none()), op.getLoc());
    return success();
  }
  if constexpr (!fromView) {
    if (std::optional<size_t> axis = lineOf(op, reach); axis && single && asInteger(offsets[*axis]) == 0) {
      const char *line = *axis == 0 ? "tsr::read_column" : "tsr::read_row";
      statement(em, call(line, {place, base, offsets[1 - *axis]}, em.none()), op.getLoc());
      return success();
    }
  }
  if (!op.getTransposed()) reach.maskCapacities(type.getShape());
  overElements(em, type, place, op.getLoc(), [&](const ExprRef &i, const ExprRef &j) {
    ExprRef row = i ? method(place, "row", {i}, em.intType()) : nullptr,
            col = j ? method(place, "col", {j}, em.intType()) : nullptr;
    if (op.getTransposed()) std::swap(row, col);
    // Positions beyond the tile must not be read either.
    ExprRef inside =
        method(place, "holds", i && j ? Indices{i, j} : Indices{i ? i : j}, IntegerType::get(em.context, 1));
    ExprRef value = read(reachElement(em, reach, row, col, &inside));
    ExprRef other = op.getOther() ? scalar(em, op.getOther()) : zeroOf(elementType, dtypeText(em, elementType));
    Indices at;
    if (i) at.push_back(i);
    if (j) at.push_back(j);
    assign(em, element(place, at, elementType), conditional(inside, value, other), op.getLoc());
  });
  // Reads under a condition, at a distance: compilers make no vectors of them, and clang warns where it was told to.
  em.lastLoop->walk([](out::ForOp loop) { loop.setSimd(false); });
  return success();
}

template <class Op> static LogicalResult storeTile(Emission &em, Op op) {
  constexpr bool toView = std::is_same_v<Op, tile::StoreFragmentOp>;
  Reach reach = reachOf(op);
  auto type = cast<tile::FragmentType>(op.getValue().getType());
  ExprRef value = materialised(em, op.getValue());
  if (!value) return failure();
  value = value->operands[0];
  ExprRef base = em.values->bound.lookup(reach.base);
  Indices offsets;
  for (Value offset : reach.offsets) offsets.push_back(scalar(em, offset));
  bool whole = reach.leadingPoints && reach.free.size() == type.getRank(), turned = false;
  if constexpr (toView) {
    if (op.getBulk()) return emitBulkStore(em, op);
    turned = op.getTransposed();
  }
  if (toView && whole) {
    auto [view, rest] = fixLeading(base, offsets, reach.free.size());
    Indices arguments = {view, value};
    arguments.insert(arguments.end(), rest.begin(), rest.end());
    bool inside = reach.liesInside(type.getShape());
    const char *store = turned   ? "tsr::store_transposed_fragment"
                        : inside ? "tsr::store_whole_fragment"
                                 : "tsr::store_fragment";
    statement(em, call(store, arguments, em.none()), op.getLoc());
    return success();
  }
  bool atStart = llvm::all_of(offsets, [](const ExprRef &offset) { return asInteger(offset) == 0; });
  auto held = dyn_cast<out::LValueType>(base->type);
  if (!toView && whole && atStart && held && isa<out::NamedType>(held.getValue()) && reach.offsets.size() == 2 &&
      llvm::equal(ir::shapeOf(reach.base.getType()), type.getShape())) {
    statement(em, call("tsr::write_shared", {base, value}, em.none()), op.getLoc());
    return success();
  }
  reach.maskCapacities(type.getShape());
  overElements(em, type, value, op.getLoc(), [&](const ExprRef &i, const ExprRef &j) {
    ExprRef row = i ? method(value, "row", {i}, em.intType()) : nullptr,
            col = j ? method(value, "col", {j}, em.intType()) : nullptr;
    if (turned) std::swap(row, col);
    Type truth = IntegerType::get(em.context, 1);
    ExprRef inside = method(value, "holds", i && j ? Indices{i, j} : Indices{i ? i : j}, truth);
    if (!i || !j) inside = binary("&&", method(value, "owner", {}, truth), inside);
    ExprRef to = reachElement(em, reach, row, col, &inside);
    Indices at;
    if (i) at.push_back(i);
    if (j) at.push_back(j);
    auto branch = em.builder.create<out::IfOp>(op.getLoc(), write(em.builder, op.getLoc(), inside));
    OpBuilder::InsertionGuard guard(em.builder);
    em.builder.createBlock(&branch.getThenBody());
    assign(em, to, read(element(value, at, type.getElementType())), op.getLoc());
  });
  em.lastLoop = nullptr;
  return success();
}

LogicalResult emitColumnSums(Emission &em, tile::StoreColumnSumsOp op) {
  ExprRef value = materialised(em, op.getValue());
  if (!value) return failure();
  Indices arguments = {em.values->bound.lookup(op.getBase()), value->operands[0], scalar(em, op.getRow()),
                       scalar(em, op.getCol()), scalar(em, op.getRows())};
  statement(
      em,
      call(op.getTransposed() ? "tsr::store_transposed_column_sums" : "tsr::store_column_sums", arguments, em.none()),
      op.getLoc());
  return success();
}

LogicalResult emitLoad(Emission &em, tile::LoadFragmentOp op) { return loadTile(em, op); }
LogicalResult emitLoad(Emission &em, tile::ReadSharedOp op) { return loadTile(em, op); }
LogicalResult emitStore(Emission &em, tile::StoreFragmentOp op) { return storeTile(em, op); }
LogicalResult emitStore(Emission &em, tile::WriteSharedOp op) { return storeTile(em, op); }

}  // namespace tessera::transforms::totarget
