// Fragments element by element, in explicit loops.
#include "ir/common/ContractAttr.h"
#include "ir/common/BitCasts.h"
#include "ir/common/Conversions.h"
#include "ir/common/Names.h"
#include "transforms/target/Elementwise.h"
#include "transforms/target/flow/Flow.h"
#include "transforms/target/tiles/Tiles.h"
#include "transforms/target/types/Types.h"
#include "transforms/target/values/Values.h"

using namespace mlir;
namespace tile = tessera::ir::tile;
namespace out = tessera::ir::target;

namespace tessera::transforms::totarget {

void overElements(Emission &em, tile::FragmentType type, const ExprRef &place, Location location,
                  llvm::function_ref<void(const ExprRef &, const ExprRef &)> body) {
  bool rows = type.getRank() == 2 || type.getSliceAxis() == 1, cols = type.getRank() == 2 || type.getSliceAxis() == 0;
  Type space = tile::FragmentType::get(em.context, type.getShape(), em.builder.getF32Type(), type.getLayout());
  OpBuilder::InsertionGuard guard(em.builder);
  ExprRef i, j;
  if (em.lastLoop && em.lastLoopType == space && em.lastLoop->getNextNode() == nullptr &&
      em.lastLoop->getBlock() == em.builder.getInsertionBlock()) {
    auto loop = cast<out::ForOp>(em.lastLoop);
    if (rows) i = valueOf(loop.getBody().getArgument(0));
    if (rows && cols) loop = cast<out::ForOp>(loop.getBody().front().back());
    if (cols) j = valueOf(loop.getBody().getArgument(0));
    em.builder.setInsertionPointToEnd(&loop.getBody().front());
    body(i, j);
    return;
  }
  em.names.push();
  Operation *first = nullptr;
  auto loopOver = [&](StringRef counter, StringRef extent, bool simd) {
    Value from = write(em.builder, location, number(em.intType(), 0));
    Value to = write(em.builder, location, member(place, extent.str(), em.intType()));
    Value by = write(em.builder, location, number(em.intType(), 1));
    IntegerAttr unroll = em.isCpu() ? IntegerAttr() : em.builder.getI64IntegerAttr(0);
    auto loop = em.builder.create<out::ForOp>(location, em.names.fresh(counter), from, to, by, unroll, false,
                                              simd && em.isCpu());
    if (!first) first = loop;
    em.builder.createBlock(&loop.getBody())->addArgument(em.intType(), location);
    return valueOf(loop.getBody().getArgument(0));
  };
  if (rows) i = loopOver("i", "rows", !cols);
  if (cols) j = loopOver("j", "cols", true);
  body(i, j);
  em.names.pop();
  em.lastLoop = first;
  em.lastLoopType = space;
}

/// An elementwise operation on what a lane holds at (i, j).
static ExprRef elementwiseAt(Emission &em, tile::ElementwiseOp op, const ExprRef &i, const ExprRef &j,
                             const ExprRef &shape) {
  Type element = cast<tile::FragmentType>(op.getResult().getType()).getElementType();
  auto product = op.getArgs()[0].getDefiningOp<tile::ElementwiseOp>();
  if (ir::isContracted(op) && em.values->plan.isInline(product.getResult())) {
    ExprRef a = elementOf(em, product.getArgs()[0], i, j, shape), b = elementOf(em, product.getArgs()[1], i, j, shape);
    return fusedSum(op, a, b, elementOf(em, op.getArgs()[1], i, j, shape), element);
  }
  std::vector<ExprRef> operands;
  for (Value operand : op.getArgs()) operands.push_back(elementOf(em, operand, i, j, shape));
  if (ir::isShortened(op)) return call(shortName(op), operands, element);
  return elementwise(op.getMnemonic(), operands, element, false, !countsOnly(op));
}

ExprRef elementOf(Emission &em, Value value, const ExprRef &i, const ExprRef &j, const ExprRef &shape) {
  auto type = cast<tile::FragmentType>(value.getType());
  Operation *op = value.getDefiningOp();
  if (op && isElementwiseFragment(op) && em.values->plan.isInline(value)) {
    if (auto fill = dyn_cast<tile::FillOp>(op)) return scalar(em, fill.getValue());
    if (auto broadcast = dyn_cast<tile::BroadcastOp>(op)) return elementOf(em, broadcast.getValue(), i, j, shape);
    if (auto iota = dyn_cast<tile::IotaOp>(op)) {
      bool row = type.getRank() == 2 ? iota.getAxis() == 0 : type.getSliceAxis() == 1;
      ExprRef index = method(shape, row ? "row" : "col", {row ? i : j}, em.intType());
      return convert(index, type.getElementType());
    }
    if (auto cast = dyn_cast<tile::CastOp>(op))
      return convert(elementOf(em, cast.getValue(), i, j, shape), type.getElementType(),
                     cast.getRounding().value_or(""), cast.getSaturate());
    return elementwiseAt(em, llvm::cast<tile::ElementwiseOp>(op), i, j, shape);
  }
  ExprRef place = placeOf(em, value);
  if (place->kind == Expr::Kind::Read) place = place->operands[0];
  Indices at;
  if (type.getRank() == 2) at = {i, j};
  else at = {type.getSliceAxis() == 1 ? i : j};
  return read(element(place, at, type.getElementType()));
}

/// `value` is the number, everywhere.
static bool isFilledWith(Value value, int64_t number) {
  auto fill = value.getDefiningOp<tile::FillOp>();
  auto constant = fill ? fill.getValue().getDefiningOp<tile::ConstantOp>() : tile::ConstantOp();
  auto integer = constant ? dyn_cast<IntegerAttr>(constant.getValue()) : IntegerAttr();
  return integer && integer.getValue().getZExtValue() == static_cast<uint64_t>(number);
}

/// What wgmma.h converts to bf16 two at a time, in the layout of a left operand: bytes, or the lower or the upper halves of bytes.
struct Conversion {
  const char *helper = nullptr;
  Value bytes;
};
static Conversion conversionOf(Operation &op) {
  auto cast = dyn_cast<tile::CastOp>(op);
  if (!cast || cast.getRounding() || cast.getSaturate()) return {};
  auto to = llvm::cast<tile::FragmentType>(cast.getResult().getType());
  auto layout = dyn_cast<tile::MmaAttr>(to.getLayout());
  if (!layout || layout.getCols() != 1 || !to.getElementType().isBF16()) return {};
  auto isOf = [](Value value, DType dtype) {
    auto read = value.getDefiningOp<tile::ReadSharedOp>();
    return read && read.getBase().getType().getSwizzle() == "panels" && ir::dtypeOf(llvm::cast<tile::FragmentType>(value.getType()).getElementType()) == dtype;
  };
  Value value = cast.getValue();
  if (isOf(value, DType::I8)) return {"tsr::convert", value};
  auto half = value.getDefiningOp<tile::ElementwiseOp>();
  if (!half || half.getArgs().size() != 2) return {};
  Value bytes = half.getArgs()[0];
  if (auto wider = bytes.getDefiningOp<tile::CastOp>(); wider && !wider.getRounding()) bytes = wider.getValue();
  if (!isOf(bytes, DType::U8)) return {};
  if (half.getMnemonic() == "and" && isFilledWith(half.getArgs()[1], 15)) return {"tsr::convert_lower_halves", bytes};
  if (half.getMnemonic() == "shr" && isFilledWith(half.getArgs()[1], 4)) return {"tsr::convert_upper_halves", bytes};
  return {};
}

LogicalResult emitElementwiseLoop(Emission &em, Operation &op) {
  Value result = op.getResult(0);
  auto type = cast<tile::FragmentType>(result.getType());
  Storage *storage = em.values->plan.storage(result);
  ExprRef place;
  Operation *joined = em.lastLoop;
  if (storage && storage->place) {
    place = storage->place;
  } else if (storage) {
    declareStorage(em, *storage, nullptr, op.getLoc());
    place = storage->place;
  } else {
    place = declare(em, nameFor(em, result), placeType(em, type, op.getLoc()), "direct", {}, false, op.getLoc());
  }
  // A declaration in front of the loop that has just ended does not keep the loops apart.
  if (joined && !em.lastLoop &&
      em.lastLoopType ==
          tile::FragmentType::get(em.context, type.getShape(), em.builder.getF32Type(), type.getLayout())) {
    if (Operation *declared = place->value.getDefiningOp(); declared && declared->getPrevNode() == joined) {
      declared->moveBefore(joined);
      em.lastLoop = joined;
    }
  }
  if (Conversion conversion = conversionOf(op); conversion.helper) {
    statement(em, call(conversion.helper, {place, materialised(em, conversion.bytes)->operands[0]}, em.none()), op.getLoc());
    em.values->bound[result] = place;
    return success();
  }
  bool known = true;
  overElements(em, type, place, op.getLoc(), [&](const ExprRef &i, const ExprRef &j) {
    // The value itself is written here, whatever the plan says of its operands.
    ExprRef value;
    if (auto fill = dyn_cast<tile::FillOp>(op)) value = scalar(em, fill.getValue());
    else if (auto broadcast = dyn_cast<tile::BroadcastOp>(op)) value = elementOf(em, broadcast.getValue(), i, j, place);
    else if (auto iota = dyn_cast<tile::IotaOp>(op)) {
      bool row = type.getRank() == 2 ? iota.getAxis() == 0 : type.getSliceAxis() == 1;
      value = convert(method(place, row ? "row" : "col", {row ? i : j}, em.intType()), type.getElementType());
    } else if (auto cast = dyn_cast<tile::CastOp>(op)) {
      value = convert(elementOf(em, cast.getValue(), i, j, place), type.getElementType(),
                      cast.getRounding().value_or(""), cast.getSaturate());
    } else {
      value = elementwiseAt(em, llvm::cast<tile::ElementwiseOp>(op), i, j, place);
    }
    if (!value) {
      known = false;
      return;
    }
    Indices at;
    if (i) at.push_back(i);
    if (j) at.push_back(j);
    assign(em, element(place, at, type.getElementType()), value, op.getLoc());
  });
  if (!known) return unsupported(op, ir::wordOf(&op) + " has no form on " + ir::text(type.getElementType()));
  em.values->bound[result] = place;
  return success();
}

ExprRef materialised(Emission &em, Value fragment) {
  ExprRef place;
  if (Storage *storage = em.values->plan.storage(fragment); storage && storage->place) place = storage->place;
  else place = em.values->bound.lookup(fragment);
  if (!place) {
    if (failed(emitElementwiseLoop(em, *fragment.getDefiningOp()))) return nullptr;
    place = em.values->bound.lookup(fragment);
  }
  return place->kind == Expr::Kind::Read ? place : read(place);
}

}  // namespace tessera::transforms::totarget
