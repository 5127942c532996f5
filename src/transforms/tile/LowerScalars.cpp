// Scalars: one a lane.
#include "ir/common/VectorAttr.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "support/Ops.h"
#include "transforms/tile/Lowering.h"

namespace tessera::transforms {
using namespace mlir;
using namespace tessera::ir;

/// No array of several elements is touched, or only a tile of one element.
bool KernelLowering::isScalarOp(Operation *op) {
  if (llvm::isa<graph::ReduceOp, graph::DotOp, graph::ConcatOp, graph::SliceOp, graph::WindowOp,
                graph::GatherOp>(op)) {
    for (Type type : op->getOperandTypes())
      if (isLong(type)) return false;
    return llvm::isa<graph::ReduceOp>(op);
  }
  for (Type type : op->getOperandTypes())
    if (isLong(type)) return false;
  for (Type type : op->getResultTypes())
    if (isLong(type)) return false;
  return true;
}

LogicalResult KernelLowering::lowerScalar(Operation *op) {
  Location loc = op->getLoc();
  auto mapped = [&](Value value) { return values_.lookup(value); };
  Value result;
  if (auto constantOp = llvm::dyn_cast<graph::ConstantOp>(op)) {
    result = constant(llvm::cast<TypedAttr>(constantOp.getValue()), loc);
  } else if (auto dim = llvm::dyn_cast<graph::DimOp>(op)) {
    result = this->dim(dim.getDim(), loc);
  } else if (auto query = llvm::dyn_cast<graph::QueryOp>(op)) {
    result = this->query(query.getQuery(), query.getAxis(), loc);
  } else if (auto elementwiseOp = llvm::dyn_cast<graph::ElementwiseOp>(op)) {
    SmallVector<Value> args;
    for (Value operand : op->getOperands()) args.push_back(mapped(operand));
    result = elementwise(elementwiseOp.getMnemonic(), args, loc);
  } else if (auto castOp = llvm::dyn_cast<graph::CastOp>(op)) {
    result = builder_.create<tile::CastOp>(loc, elementTypeOf(castOp.getType()), mapped(castOp.getOperand()),
                                           castOp.getRoundingAttr(), castOp.getSaturateAttr());
  } else if (auto reduce = llvm::dyn_cast<graph::ReduceOp>(op)) {
    result = cast(mapped(reduce.getOperand()), elementTypeOf(reduce.getType()), loc);
  } else if (llvm::isa<graph::BroadcastOp, graph::ReshapeOp, graph::TransposeOp, graph::FullOp,
                       graph::ExtractOp>(op)) {
    result = mapped(op->getOperand(0));
  } else if (auto iota = llvm::dyn_cast<graph::IotaOp>(op)) {
    result = constant(builder_.getIntegerAttr(elementTypeOf(iota.getType()), 0), loc);
  } else if (auto load = llvm::dyn_cast<graph::LoadOp>(op)) {
    SmallVector<Value> indices;
    for (Value offset : load.getOffsets()) indices.push_back(mapped(offset));
    Value other = load.getOther() ? mapped(load.getOther()) : Value();
    auto element = builder_.create<tile::LoadElementOp>(loc, elementTypeOf(load.getType()), mapped(load.getBase()),
                                                        indices, other, proved(load.getInBounds()));
    if (Attribute count = load->getAttr(kVector)) element->setAttr(kVector, count);
    result = element;
  } else if (auto store = llvm::dyn_cast<graph::StoreOp>(op)) {
    return storeScalar(store);
  } else if (auto warp = llvm::dyn_cast<graph::WarpOp>(op)) {
    result = builder_.create<tile::WarpOp>(loc, warp.getType(), warp.getWhat(), mapped(warp.getValue()),
                                           warp.getLane() ? mapped(warp.getLane()) : Value());
  } else if (auto scan = llvm::dyn_cast<graph::ScanOp>(op)) {
    result = mapped(scan.getOperand());  // of one element
  } else if (llvm::isa<graph::ArgsortOp>(op)) {
    result = constant(builder_.getI64IntegerAttr(0), loc);  // likewise
  } else if (auto atomic = llvm::dyn_cast<graph::AtomicOp>(op)) {
    return lowerAtomic(atomic);
  } else {
    return unsupported(op, wordOf(op) + " inside a kernel");
  }
  values_.map(op->getResult(0), result);
  return success();
}

/// A tile of one element is stored once; a scalar as the program says.
LogicalResult KernelLowering::storeScalar(graph::StoreOp op) {
  SmallVector<Value> indices;
  for (Value offset : op.getOffsets()) indices.push_back(values_.lookup(offset));
  bool byLane = target_.getGrid().getKind() == GridKind::Lanes;
  bool once = op.getOnce() || (llvm::isa<TensorType>(op.getValue().getType()) && !byLane);
  OpBuilder::InsertionGuard guard(builder_);
  if (once) {
    auto single = builder_.create<tile::OnceOp>(op.getLoc());
    builder_.setInsertionPointToEnd(&single.getBody().emplaceBlock());
  }
  auto element = builder_.create<tile::StoreElementOp>(op.getLoc(), values_.lookup(op.getValue()),
                                                       values_.lookup(op.getBase()), indices, proved(op.getInBounds()));
  if (Attribute count = op->getAttr(kVector)) element->setAttr(kVector, count);
  return success();
}

// ---------------------------------------------------------------- small builders

Value KernelLowering::constant(TypedAttr value, Location loc) {
  return builder_.create<tile::ConstantOp>(loc, value.getType(), value);
}

Value KernelLowering::query(StringRef name, int64_t axis, Location loc) {
  return builder_.create<tile::QueryOp>(loc, builder_.getIndexType(), name, axis);
}

Value KernelLowering::constantIndex(int64_t value, Location loc) {
  return constant(builder_.getIndexAttr(value), unnamed(loc));
}

Value KernelLowering::elementwise(StringRef mnemonic, ValueRange args, Location loc) {
  auto op = elementwiseByMnemonic({mnemonic.data(), mnemonic.size()});
  Type type = elementwiseResultType(*op, args.back().getType());
  return builder_.create<tile::ElementwiseOp>(loc, type, mnemonic, args);
}

/// To another element type; the value itself where it has it.
Value KernelLowering::cast(Value value, Type element, Location loc) {
  if (elementTypeOf(value.getType()) == element) return value;
  return builder_.create<tile::CastOp>(loc, withElementType(value.getType(), element), value, StringAttr(),
                                       UnitAttr());
}

Value KernelLowering::dim(DimAttr extent, Location loc) {
  if (std::optional<int64_t> value = extent.getConstant()) return constantIndex(*value, loc);
  return builder_.create<tile::DimOp>(unnamed(loc), builder_.getIndexType(), extent.getText());
}

DenseBoolArrayAttr KernelLowering::proved(ArrayRef<bool> inBounds) {
  return llvm::is_contained(inBounds, true) ? builder_.getDenseBoolArrayAttr(inBounds) : DenseBoolArrayAttr();
}

static bool isConstant(Value value, int64_t number) {
  auto constant = value.getDefiningOp<tile::ConstantOp>();
  auto attribute = constant ? llvm::dyn_cast<IntegerAttr>(constant.getValue()) : IntegerAttr();
  return attribute && attribute.getInt() == number;
}

Value KernelLowering::offsetBy(Value offset, Value index, int64_t step, Location loc) {
  if (step != 1 && !isConstant(index, 0)) index = elementwise("mul", {index, constantIndex(step, loc)}, loc);
  if (isConstant(offset, 0)) return index;
  if (isConstant(index, 0)) return offset;
  return elementwise("add", {offset, index}, loc);
}

Value KernelLowering::identity(StringRef reduction, Type type, Location loc) {
  if (auto complex = llvm::dyn_cast<ComplexType>(type))  // it has no literals
    return cast(identity(reduction, complex.getElementType(), loc), type, loc);
  TypedAttr value = identityOf(reduction, type);
  return value ? constant(value, loc) : Value();
}

Value KernelLowering::combine(StringRef reduction, Value a, Value b, Location loc) {
  switch (*reduceByMnemonic({reduction.data(), reduction.size()})) {
  case ReduceOp::Sum: return elementwise("add", {a, b}, loc);
  case ReduceOp::Prod: return elementwise("mul", {a, b}, loc);
  case ReduceOp::Min: return elementwise("min", {a, b}, loc);
  case ReduceOp::Max: return elementwise("max", {a, b}, loc);
  case ReduceOp::Any: return elementwise("or", {a, b}, loc);
  case ReduceOp::All: return elementwise("and", {a, b}, loc);
  }
  return {};
}

}  // namespace tessera::transforms
