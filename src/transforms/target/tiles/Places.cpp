// Elements of tiles and rows at other places: their order, and what is chosen by indices. The device headers do it, on GPUs
// through shared memory.
#include "ir/common/Common.h"
#include "transforms/target/flow/Flow.h"
#include "transforms/target/sizes/Sizes.h"
#include "transforms/target/tiles/Reach.h"
#include "transforms/target/tiles/SharedMemory.h"
#include "transforms/target/tiles/Tiles.h"
#include "transforms/target/types/Types.h"
#include "transforms/target/values/Elements.h"
#include "transforms/target/values/Values.h"
#include "transforms/tile/Extents.h"

using namespace mlir;
namespace tile = tessera::ir::tile;
namespace out = tessera::ir::target;

namespace tessera::transforms::totarget {

LogicalResult emitArgsort(Emission &em, tile::ArgsortOp op) {
  auto type = cast<tile::FragmentType>(op.getValue().getType());
  Location place = op.getLoc(), from = op.getValue().getLoc();
  ExprRef source = materialised(em, op.getValue());
  if (!source) return failure();
  Indices arguments = {filled(em, op.getResult()), source->operands[0], dim(em, type.getShape().back().getDim())};
  if (!em.isCpu()) {
    arguments.push_back(elementScratch(em, type, type.getElementType(), from));
    // Named after the order, so that it is not the memory of keys of 32 bits.
    arguments.push_back(elementScratch(em, op.getResult().getType(), em.builder.getI32Type(), from));
  }
  std::vector<Attribute> templates = {
      StringAttr::get(em.context, op.getDescending() ? "tsr::Descending" : "tsr::Ascending")};
  statement(em, call("tsr::argsort", arguments, em.none(), templates), place);
  return success();
}

LogicalResult emitGather(Emission &em, tile::GatherOp op) {
  auto type = cast<tile::FragmentType>(op.getValue().getType());
  Location place = op.getLoc();
  ExprRef source = materialised(em, op.getValue());
  if (!source) return failure();
  const bool isNumber = !isa<tile::FragmentType>(op.getResult().getType());
  ExprRef places = isNumber ? scalar(em, op.getPlaces()) : materialised(em, op.getPlaces());
  if (!places) return failure();
  if (!isNumber) places = places->operands[0];
  Indices arguments = {source->operands[0], places, dim(em, type.getShape()[op.getAxis()].getDim())};
  if (!em.isCpu()) arguments.push_back(elementScratch(em, type, type.getElementType(), op.getValue().getLoc()));
  std::vector<Attribute> templates;
  if (type.getRank() == 2) templates.push_back(em.builder.getI64IntegerAttr(op.getAxis()));
  if (isNumber) {
    define(em, op.getResult(), call("tsr::gather", arguments, op.getResult().getType(), templates));
    return success();
  }
  arguments.insert(arguments.begin(), filled(em, op.getResult()));
  statement(em, call("tsr::gather", arguments, em.none(), templates), place);
  return success();
}

LogicalResult emitLoadAt(Emission &em, tile::LoadAtOp op) {
  auto type = cast<tile::FragmentType>(op.getResult().getType());
  ExprRef to = filled(em, op.getResult());
  bool known = true;
  overElements(em, type, to, op.getLoc(), [&](const ExprRef &i, const ExprRef &j) {
    ExprRef inside = method(to, "holds", i && j ? Indices{i, j} : Indices{i ? i : j}, IntegerType::get(em.context, 1));
    auto end = [&](unsigned axis) -> std::optional<Dim> {
      if (op.isInBounds(axis)) return std::nullopt;
      Dim rows = ir::shapeOf(op.getBase().getType())[axis].getDim();
      for (int64_t before = 1; axis == op.getAxis() && before <= static_cast<int64_t>(op.getMerged()); ++before)
        rows = ir::shapeOf(op.getBase().getType())[axis - before].getDim() * rows;
      return rows;
    };
    auto indices = placesOfElement(em, op.getIndices(), end, i, j, to, op.getLoc(), inside);
    known &= indices.has_value();
    if (!indices) return;
    ExprRef value = read(elementPlace(em, op.getBase(), *indices));
    Indices at;
    if (i) at.push_back(i);
    if (j) at.push_back(j);
    ExprRef nothing = zeroOf(type.getElementType(), dtypeText(em, type.getElementType()));
    assign(em, element(to, at, type.getElementType()), conditional(inside, value, nothing), op.getLoc());
  });
  // Reads under a condition, at places that data say: compilers make no vectors of them, and clang warns where it was told to.
  if (em.lastLoop) em.lastLoop->walk([](out::ForOp loop) { loop.setSimd(false); });
  em.lastLoop = nullptr;
  return known ? success() : unsupported(*op, "an index of this tile has no form here");
}

LogicalResult emitArgsortRow(Emission &em, tile::ArgsortRowOp op) {
  em.lastLoop = nullptr;
  constexpr int64_t chunk = 2048;  // tsr::sort_chunk
  Location place = op.getLoc();
  Value keys = op.getKeys(), order = op.getBase();
  Indices arguments = {pointerTo(em, order, op.getIndices(), false), pointerTo(em, keys, op.getIndices(), false),
                       dim(em, ir::shapeOf(keys.getType()).back().getDim())};
  if (op.getPart()) arguments.push_back(scalar(em, op.getPart()));
  if (Value named = op.getNamed()) arguments[2] = pointerTo(em, named, op.getIndices(), false), arguments.push_back(dim(em, ir::shapeOf(named.getType()).back().getDim()));
  std::vector<Attribute> templates = {
      StringAttr::get(em.context, op.getDescending() ? "tsr::Descending" : "tsr::Ascending")};
  if (!em.isCpu()) {
    templates.push_back(StringAttr::get(em.context, "Threads"));
    OpBuilder::InsertionGuard guard(em.builder);
    em.builder.setInsertionPoint(em.declarations);
    Type word = em.builder.getI64Type();
    std::string name = em.names.fresh("words");
    auto array = out::ArrayType::get(em.context, em.builder.getStrArrayAttr({"tsr::sort_chunk"}), word);
    auto shared = em.builder.create<out::SharedOp>(place, out::LValueType::get(em.context, array), name);
    em.shared->buffers.push_back({{}, chunk * storedBytes(word), name, place});
    arguments.push_back(valueOf(shared.getPlace()));
  }
  ir::DimAttr extent = ir::shapeOf(keys.getType()).back(), count = ir::shapeOf(order.getType()).back();
  bool isWhole = extent == count;
  if (op.getPart()) for (int64_t number : {op.getFirst(), op.getLength()}) templates.push_back(em.builder.getI64IntegerAttr(number));
  else if (!isWhole) templates.push_back(em.builder.getI64IntegerAttr(count.getDim().constant()));
  const char *name = op.getPart() ? "tsr::argfirst_part" : op.getNamed() ? "tsr::argfirst_of_parts" : isWhole ? "tsr::argsort_row" : "tsr::argfirst_row";
  statement(em, call(name, arguments, em.none(), templates), place);
  return success();
}

}  // namespace tessera::transforms::totarget
