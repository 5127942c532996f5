// Fragments: variables of each lane, element by element in explicit loops, whole in calls of the device
// headers.
#include "ir/common/Common.h"
#include "ir/common/ContractAttr.h"
#include "ir/common/Conversions.h"
#include "ir/common/Names.h"
#include "ir/tile/RowScale.h"
#include "support/Check.h"
#include "transforms/target/Elementwise.h"
#include "transforms/target/KernelScope.h"

using namespace mlir;
namespace tile = tessera::ir::tile;
namespace out = tessera::ir::target;

namespace tessera::transforms::totarget {

std::string KernelEmitter::dtypeText(Type type) {
  if (isa<IndexType>(type)) return "int64_t";
  auto dtype = ir::dtypeOf(type);
  TSR_CHECK(dtype, "a type without a row in the dtype table");
  return std::string(spelling(*dtype, machine_.family));
}

std::string KernelEmitter::fragmentType(tile::FragmentType type, Location location) {
  std::string text = type.getRank() == 2        ? "tsr::Fragment<"
                     : type.getSliceAxis() == 1 ? "tsr::RowVector<"
                                                : "tsr::ColVector<";
  text += dtypeText(type.getElementType());
  for (const Dim &extent : written(type.getShape(), location)) text += ", " + typeExtent(extent);
  text += ", " + layoutName(type) + ">";
  if (isCpu()) {
    std::vector<Dim> extents;
    for (ir::DimAttr extent : type.getShape()) extents.push_back(extent.getDim());
    auto dtype = ir::dtypeOf(type.getElementType());
    fragmentBytes_[text] = mostBytes(extents, dtype ? (info(*dtype).bits + 7) / 8 : sizeof(int64_t));
  }
  return text;
}

/// A product that the tensor cores do while its warpgroup goes on.
static bool isOfWarpgroups(tile::DotOp dot) {
  auto buffer = dyn_cast<ir::SharedType>(dot.getB().getType());
  return buffer && buffer.getSwizzle() == "panels";
}

/// Whether a product of warpgroups adds to nothing but this: it begins with its first step instead, and writes no zeros.
static bool startsProduct(tile::FillOp fill) {
  auto constant = fill.getValue().getDefiningOp<tile::ConstantOp>();
  auto number = constant ? dyn_cast<FloatAttr>(constant.getValue()) : FloatAttr();
  if (!number || !number.getValue().isPosZero() || !fill.getResult().hasOneUse()) return false;
  auto dot = dyn_cast<tile::DotOp>(*fill.getResult().user_begin());
  return dot && isOfWarpgroups(dot) && dot.getAcc() == fill.getResult() && dot->getBlock() == fill->getBlock();
}

LogicalResult KernelEmitter::emitFragment(Operation &op) {
  if (isElementwiseFragment(&op)) {
    if (plan_.isInline(op.getResult(0))) return success();  // in the loop of its user
    if (ir::isRowScale(&op) && emitRowScale(cast<tile::ElementwiseOp>(op))) return success();
    if (auto fill = dyn_cast<tile::FillOp>(op)) {
      Storage *storage = plan_.storage(op.getResult(0));
      Type type = placeType(fill.getType(), op.getLoc());
      if (!storage) {
        bound_[fill.getResult()] =
            declare(nameFor(fill.getResult()), type, "direct", {scalar(fill.getValue())}, false, op.getLoc());
        return success();
      }
      if (!storage->place) {
        declareStorage(*storage, startsProduct(fill) ? ExprRef() : scalar(fill.getValue()), op.getLoc());
        return success();
      }
    }
    return emitElementwiseLoop(op);
  }
  if (auto reduce = dyn_cast<tile::ReduceOp>(op)) return emitReduce(reduce);
  if (auto combine = dyn_cast<tile::CombineLanesOp>(op)) return emitCombineLanes(combine);
  if (auto columns = dyn_cast<tile::ColumnsOp>(op)) return emitColumns(columns);
  if (auto scan = dyn_cast<tile::ScanOp>(op)) return emitScan(scan);
  if (auto argsort = dyn_cast<tile::ArgsortOp>(op)) return emitArgsort(argsort);
  if (auto gather = dyn_cast<tile::GatherOp>(op)) return emitGather(gather);
  if (auto dot = dyn_cast<tile::DotOp>(op)) return emitDot(dot);
  if (auto load = dyn_cast<tile::LoadFragmentOp>(op)) return emitLoad(load);
  if (auto load = dyn_cast<tile::ReadSharedOp>(op)) return emitLoad(load);
  if (auto store = dyn_cast<tile::StoreFragmentOp>(op)) return emitStore(store);
  if (auto store = dyn_cast<tile::StoreColumnSumsOp>(op)) return emitColumnSums(store);
  if (auto store = dyn_cast<tile::WriteSharedOp>(op)) return emitStore(store);
  if (auto copy = dyn_cast<tile::CopyOp>(op)) return emitCopy(copy);
  if (auto select = dyn_cast<tile::SelectBufferOp>(op)) {
    ExprRef base = bound_.lookup(select.getBase());
    auto array = dyn_cast<out::ArrayType>(cast<out::LValueType>(base->type).getValue());
    if (!array)  // one tile, of which a buffer is a row
      return unsupported(op, "a buffer with one axis is chosen while the kernel runs; give it two, `(1, 64)`");
    if (array.getExtents().size() != 1) return unsupported(op, "a buffer is chosen by one index");
    ExprRef index = scalar(select.getIndex());
    bound_[select.getResult()] = subscript(base, {index}, array.getElement());
    return success();
  }
  return unsupported(op, "'" + op.getName().getStringRef() + "' has no form in emitted code");
}

/// The loops over a lane's elements; a loop over the same elements that has just ended takes the statement
/// in.
void KernelEmitter::overElements(tile::FragmentType type, const ExprRef &place, Location location,
                                 llvm::function_ref<void(const ExprRef &, const ExprRef &)> body) {
  bool rows = type.getRank() == 2 || type.getSliceAxis() == 1,
       cols = type.getRank() == 2 || type.getSliceAxis() == 0;
  Type space = tile::FragmentType::get(context_, type.getShape(), builder_.getF32Type(), type.getLayout());
  OpBuilder::InsertionGuard guard(builder_);
  ExprRef i, j;
  if (lastLoop_ && lastLoopType_ == space && lastLoop_->getNextNode() == nullptr &&
      lastLoop_->getBlock() == builder_.getInsertionBlock()) {
    auto loop = cast<out::ForOp>(lastLoop_);
    if (rows) i = valueOf(loop.getBody().getArgument(0));
    if (rows && cols) loop = cast<out::ForOp>(loop.getBody().front().back());
    if (cols) j = valueOf(loop.getBody().getArgument(0));
    builder_.setInsertionPointToEnd(&loop.getBody().front());
    body(i, j);
    return;
  }
  names_.push();
  Operation *first = nullptr;
  auto loopOver = [&](StringRef counter, StringRef extent, bool simd) {
    Value from = write(builder_, location, number(intType(), 0));
    Value to = write(builder_, location, member(place, extent.str(), intType()));
    Value by = write(builder_, location, number(intType(), 1));
    IntegerAttr unroll = isCpu() ? IntegerAttr() : builder_.getI64IntegerAttr(0);
    auto loop = builder_.create<out::ForOp>(location, names_.fresh(counter), from, to, by, unroll, false,
                                            simd && isCpu());
    if (!first) first = loop;
    builder_.createBlock(&loop.getBody())->addArgument(intType(), location);
    return valueOf(loop.getBody().getArgument(0));
  };
  if (rows) i = loopOver("i", "rows", !cols);
  if (cols) j = loopOver("j", "cols", true);
  body(i, j);
  names_.pop();
  lastLoop_ = first;
  lastLoopType_ = space;
}

/// The element that a lane holds at (i, j); `shape` is a place whose type has the maps of rows and columns.
ExprRef KernelEmitter::elementOf(Value value, const ExprRef &i, const ExprRef &j, const ExprRef &shape) {
  auto type = cast<tile::FragmentType>(value.getType());
  Operation *op = value.getDefiningOp();
  if (op && isElementwiseFragment(op) && plan_.isInline(value)) {
    if (auto fill = dyn_cast<tile::FillOp>(op)) return scalar(fill.getValue());
    if (auto broadcast = dyn_cast<tile::BroadcastOp>(op)) return elementOf(broadcast.getValue(), i, j, shape);
    if (auto iota = dyn_cast<tile::IotaOp>(op)) {
      bool row = type.getRank() == 2 ? iota.getAxis() == 0 : type.getSliceAxis() == 1;
      ExprRef index = method(shape, row ? "row" : "col", {row ? i : j}, intType());
      return convert(index, type.getElementType());
    }
    if (auto cast = dyn_cast<tile::CastOp>(op))
      return convert(elementOf(cast.getValue(), i, j, shape), type.getElementType(),
                     cast.getRounding().value_or(""), cast.getSaturate());
    return elementwiseAt(llvm::cast<tile::ElementwiseOp>(op), i, j, shape);
  }
  ExprRef place = placeOf(value);
  if (place->kind == Expr::Kind::Read) place = place->operands[0];
  Indices at;
  if (type.getRank() == 2) at = {i, j};
  else at = {type.getSliceAxis() == 1 ? i : j};
  return read(element(place, at, type.getElementType()));
}

/// An elementwise operation on what a lane holds at (i, j).
ExprRef KernelEmitter::elementwiseAt(tile::ElementwiseOp op, const ExprRef &i, const ExprRef &j, const ExprRef &shape) {
  Type element = cast<tile::FragmentType>(op.getResult().getType()).getElementType();
  auto product = op.getArgs()[0].getDefiningOp<tile::ElementwiseOp>();
  if (ir::isContracted(op) && plan_.isInline(product.getResult())) {
    ExprRef a = elementOf(product.getArgs()[0], i, j, shape), b = elementOf(product.getArgs()[1], i, j, shape);
    ExprRef c = elementOf(op.getArgs()[1], i, j, shape);
    return call("tsr::fma", {a, b, op.getMnemonic() == "sub" ? elementwise("neg", {c}, element, false) : c}, element);
  }
  std::vector<ExprRef> operands;
  for (Value operand : op.getArgs()) operands.push_back(elementOf(operand, i, j, shape));
  return elementwise(op.getMnemonic(), operands, element, false, !countsOnly(op));
}

/// Bytes that become bf16 in the layout of a left operand: wgmma.h converts two at a time.
static bool convertsBytes(Operation &op) {
  auto cast = dyn_cast<tile::CastOp>(op);
  if (!cast || cast.getRounding() || cast.getSaturate()) return false;
  auto from = llvm::cast<tile::FragmentType>(cast.getValue().getType()), to = llvm::cast<tile::FragmentType>(cast.getResult().getType());
  auto layout = dyn_cast<tile::MmaAttr>(to.getLayout());
  auto read = cast.getValue().getDefiningOp<tile::ReadSharedOp>();
  return layout && layout.getCols() == 1 && read && read.getBase().getType().getSwizzle() == "panels" &&
         ir::dtypeOf(from.getElementType()) == DType::I8 && to.getElementType().isBF16();
}

LogicalResult KernelEmitter::emitElementwiseLoop(Operation &op) {
  Value result = op.getResult(0);
  auto type = cast<tile::FragmentType>(result.getType());
  Storage *storage = plan_.storage(result);
  ExprRef place;
  Operation *joined = lastLoop_;
  if (storage && storage->place) {
    place = storage->place;
  } else if (storage) {
    declareStorage(*storage, nullptr, op.getLoc());
    place = storage->place;
  } else {
    place = declare(nameFor(result), placeType(type, op.getLoc()), "direct", {}, false, op.getLoc());
  }
  // A declaration in front of the loop that has just ended does not keep the loops apart.
  if (joined && !lastLoop_ &&
      lastLoopType_ ==
          tile::FragmentType::get(context_, type.getShape(), builder_.getF32Type(), type.getLayout())) {
    if (Operation *declared = place->value.getDefiningOp(); declared && declared->getPrevNode() == joined) {
      declared->moveBefore(joined);
      lastLoop_ = joined;
    }
  }
  if (convertsBytes(op)) {
    statement(call("tsr::convert", {place, materialised(op.getOperand(0))->operands[0]}, none()), op.getLoc());
    bound_[result] = place;
    return success();
  }
  bool known = true;
  overElements(type, place, op.getLoc(), [&](const ExprRef &i, const ExprRef &j) {
    // The value itself is written here, whatever the plan says of its operands.
    ExprRef value;
    if (auto fill = dyn_cast<tile::FillOp>(op)) value = scalar(fill.getValue());
    else if (auto broadcast = dyn_cast<tile::BroadcastOp>(op))
      value = elementOf(broadcast.getValue(), i, j, place);
    else if (auto iota = dyn_cast<tile::IotaOp>(op)) {
      bool row = type.getRank() == 2 ? iota.getAxis() == 0 : type.getSliceAxis() == 1;
      value = convert(method(place, row ? "row" : "col", {row ? i : j}, intType()), type.getElementType());
    } else if (auto cast = dyn_cast<tile::CastOp>(op)) {
      value = convert(elementOf(cast.getValue(), i, j, place), type.getElementType(),
                      cast.getRounding().value_or(""), cast.getSaturate());
    } else {
      value = elementwiseAt(llvm::cast<tile::ElementwiseOp>(op), i, j, place);
    }
    if (!value) {
      known = false;
      return;
    }
    Indices at;
    if (i) at.push_back(i);
    if (j) at.push_back(j);
    assign(element(place, at, type.getElementType()), value, op.getLoc());
  });
  if (!known) return unsupported(op, ir::wordOf(&op) + " has no form on " + ir::text(type.getElementType()));
  bound_[result] = place;
  return success();
}

/// The variable of a fragment; one that is folded elsewhere gets a variable here.
ExprRef KernelEmitter::materialised(Value fragment) {
  ExprRef place;
  if (Storage *storage = plan_.storage(fragment); storage && storage->place) place = storage->place;
  else place = bound_.lookup(fragment);
  if (!place) {
    if (failed(emitElementwiseLoop(*fragment.getDefiningOp()))) return nullptr;
    place = bound_.lookup(fragment);
  }
  return place->kind == Expr::Kind::Read ? place : read(place);
}

LogicalResult KernelEmitter::emitReduce(tile::ReduceOp op) {
  auto type = cast<tile::FragmentType>(op.getValue().getType());
  ExprRef source = materialised(op.getValue());
  if (!source) return failure();
  std::vector<Attribute> templates = {StringAttr::get(context_, reductionName(op.getReduction()))};
  if (type.getRank() == 1) {
    Indices arguments = {source->operands[0]};
    if (!isCpu()) arguments.push_back(groupScratch(type.getElementType()));
    define(op.getResult(), call("tsr::vector_reduce", arguments, type.getElementType(), templates));
    return success();
  }
  Type result = placeType(op.getResult().getType(), op.getLoc());
  bool alongRows = op.getAxis() == 1;
  Indices arguments = {source->operands[0]};
  // Where lanes of several warps, or of several rows of the grid, meet, they do so in shared memory.
  if (!singleLane_ && !op.getByLane() && (!alongRows || type.getTileLayout().getScratch(op.getAxis(), 1) > 0))
    arguments.push_back(tileScratch(op));
  keep(op.getResult(), call(op.getByLane() ? "tsr::reduce_by_lane" : alongRows ? "tsr::row_reduce" : "tsr::col_reduce", arguments, result, templates));
  return success();
}

LogicalResult KernelEmitter::emitCombineLanes(tile::CombineLanesOp op) {
  ExprRef own = materialised(op.getValue());
  if (!own) return failure();
  keep(op.getResult(), call("tsr::combine_lanes", {own->operands[0]}, placeType(op.getResult().getType(), op.getLoc()),
                            {StringAttr::get(context_, reductionName(op.getReduction()))}));
  return success();
}

/// A fragment that a call makes: in its variable, or in one of its own.
void KernelEmitter::keep(Value result, const ExprRef &value) {
  Storage *storage = plan_.storage(result);
  if (storage) store(*storage, value, result.getLoc());
  else bound_[result] = declare(nameFor(result), value->type, "copy", {value}, true, result.getLoc());
}

LogicalResult KernelEmitter::emitColumns(tile::ColumnsOp op) {
  ExprRef source = materialised(op.getValue());
  if (!source) return failure();
  std::vector<Attribute> count = {builder_.getI64IntegerAttr(*op.getResult().getType().getShape()[1].getConstant())};
  ExprRef columns = call("tsr::columns", {source->operands[0], scalar(op.getFirst())}, placeType(op.getResult().getType(), op.getLoc()), count);
  bound_[op.getResult()] = declare(nameFor(op.getResult()), columns->type, "copy", {columns}, true, op.getLoc());
  return success();
}

/// Shared memory for a reduction of a tile: as much as its layout needs for each element that is left.
ExprRef KernelEmitter::tileScratch(tile::ReduceOp op) {
  auto type = cast<tile::FragmentType>(op.getValue().getType());
  int64_t width = 8;
  if (type.getElementType().isIntOrFloat()) width = std::max(1u, type.getElementType().getIntOrFloatBitWidth() / 8);
  int64_t parts = std::max<int64_t>(type.getTileLayout().getScratch(op.getAxis(), 1), 1);
  std::string extent = std::string(op.getAxis() == 1 ? "tsr::row_reduce_scratch<" : "tsr::col_reduce_scratch<") +
                       fragmentType(type, op.getValue().getLoc()) + ">";
  return scratch(type.getElementType(), extent, width * parts, {type.getShape()[1 - op.getAxis()].getDim()});
}

LogicalResult KernelEmitter::emitDot(tile::DotOp op) {
  Storage *sum = plan_.storage(op.getResult());
  TSR_CHECK(sum, "a product without a variable");
  if (plan_.storage(op.getAcc()) != sum) {
    ExprRef start = materialised(op.getAcc());
    if (!start) return failure();
    store(*sum, start, op.getLoc());
  }
  auto operand = [&](Value buffer, bool transposed) {
    if (isa<tile::FragmentType>(buffer.getType())) return materialised(buffer)->operands[0];
    ExprRef place = bound_.lookup(buffer);
    auto packed = packed_.find(buffer);
    if (packed != packed_.end() && !packed->second.isLeft) return place;  // transposed while it was packed
    return transposed ? call("tsr::transposed", {place}, out::NamedType::get(context_, "auto")) : place;
  };
  auto start = op.getAcc().getDefiningOp<tile::FillOp>();
  std::string what = start && startsProduct(start) ? "product" : "dot";
  bool passed = isa_and_nonnull<tile::PassTurnOp>(op->getNextNode());  // while the product is under way
  bool runsOn = llvm::any_of(op->getBlock()->getOps<tile::RingReleaseOp>(), [](tile::RingReleaseOp release) { return release.getLate(); });
  auto next = dyn_cast_or_null<tile::DotOp>(op->getNextNode());  // begun before this one is done
  bool goesOn = next && isOfWarpgroups(op) && isOfWarpgroups(next) && next.getA() != op.getResult();
  statement(call((passed || runsOn || goesOn || op.getRunsOn() ? "tsr::begin_" : "tsr::") + what,
                 {sum->place, operand(op.getA(), op.getTransA()), operand(op.getB(), op.getTransB())}, none()),
            op.getLoc());
  return success();
}

/// `acc(i, j) = scale(i) * acc(i, j)` in place, which warps skip where they can. False where it is no such statement.
bool KernelEmitter::emitRowScale(tile::ElementwiseOp op) {
  Storage *storage = plan_.storage(op.getResult());
  unsigned scale = op.getArgs()[0].getDefiningOp<tile::BroadcastOp>() ? 0 : 1;
  if (!storage || !storage->place || plan_.storage(op.getArgs()[1 - scale]) != storage) return false;
  ExprRef rows = materialised(op.getArgs()[scale].getDefiningOp<tile::BroadcastOp>().getValue());
  if (!rows) return false;
  statement(call("tsr::scale_rows", {storage->place, rows->operands[0]}, none()), op.getLoc());
  bound_[op.getResult()] = storage->place;
  return true;
}

}  // namespace tessera::transforms::totarget
