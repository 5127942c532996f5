// Scalars: constants, arithmetic, single elements of memory.
#include "ir/common/Common.h"
#include "ir/common/Names.h"
#include "support/Check.h"
#include "transforms/target/Elementwise.h"
#include "transforms/target/KernelEmitter.h"

using namespace mlir;
namespace tile = tessera::ir::tile;
namespace out = tessera::ir::target;

namespace tessera::transforms::totarget {

ExprRef KernelEmitter::constant(TypedAttr value) { return literal(value, value.getType()); }

/// A program integer that is known, or known at entry: in the names that the program has for it.
ExprRef KernelEmitter::size(const Dim &dimension, Location location) {
  SmallVector<Dim> sizes = ir::sizesOf(location);
  return dim(sizes.size() == 1 && sizes[0] == dimension ? shown(sizes[0]) : dimension);
}

LogicalResult KernelEmitter::emitScalar(Operation &op) {
  Value result = op.getResult(0);
  if (counters_.contains(result)) return success();
  ExprRef value;
  if (auto constantOp = dyn_cast<tile::ConstantOp>(op)) {
    value = constant(constantOp.getValue());
    auto integer = dyn_cast<IntegerAttr>(constantOp.getValue());
    if (integer && isa<IndexType>(integer.getType())) value = size(Dim(integer.getInt()), op.getLoc());
  } else if (auto dimOp = dyn_cast<tile::DimOp>(op)) {
    value = size(*Dim::parse(dimOp.getDim().str()), op.getLoc());
  } else if (auto queryOp = dyn_cast<tile::QueryOp>(op)) {
    value = query(queryOp);
    // Asked for twice, it is computed once; what the first place is called says enough.
    bool again = !lane_ && !queryOp.isVarying() && op.getBlock() == &kernel_.getBody().front() &&
                 value->kind != Expr::Kind::Value && value->kind != Expr::Kind::Literal &&
                 value->kind != Expr::Kind::Name;
    if (again) {
      ExprRef &known = groupIndices_[queryOp.getAxis() * 16 + queryOp.getQuery().size()];
      if (!known) {
        define(result, value);
        if (!plan_.isInline(result)) known = bound_[result];
        return success();
      }
      value = known;
      if (ir::nameHint(result).empty()) {
        bound_[result] = known;
        return success();
      }
    }
    // The counter of the loop over lanes or groups has the user's name already.
    if (lane_ && queryOp.isVarying()) return success();
    if (value->kind == Expr::Kind::Value) {
      bound_[result] = value;
      return success();
    }
  } else if (auto load = dyn_cast<tile::LoadElementOp>(op)) {
    value = loadElement(load);
  } else if (auto cast = dyn_cast<tile::CastOp>(op)) {
    value = convert(scalar(cast.getValue()), result.getType(), cast.getRounding().value_or(""),
                    cast.getSaturate());
    if (!value) return unsupported(op, "a cast that rounds '" + *cast.getRounding() + "' is not emitted yet");
  } else {
    auto elementwiseOp = cast_or_null<tile::ElementwiseOp>(&op);
    std::vector<ExprRef> operands;
    bool asInC = facts_.mayDivide(elementwiseOp.getArgs().back());  // if it divides: of signs and divisors that C knows
    for (Value operand : elementwiseOp.getArgs()) {
      operands.push_back(scalar(operand));
      asInC &= facts_.isNonNegative(operand);
    }
    value = elementwise(elementwiseOp.getMnemonic(), operands, result.getType(), asInC, !countsOnly(elementwiseOp));
    if (!value)
      return unsupported(op, "'" + elementwiseOp.getMnemonic() + "' has no form on " +
                                 ir::text(result.getType()));
  }
  define(result, value);
  return success();
}

/// The element at these indices, as a place.
ExprRef KernelEmitter::elementPlace(Value base, const Indices &indices, Value) {
  ExprRef place = bound_.lookup(base);
  TSR_CHECK(place, "memory is used before it is emitted");
  Type type = ir::elementTypeOf(base.getType());
  Type held = place->type;
  if (auto lvalue = dyn_cast<out::LValueType>(held)) held = lvalue.getValue();
  if (isa<out::ViewType, out::NamedType>(held)) return element(place, indices, type);
  if (auto array = dyn_cast<out::ArrayType>(held)) {
    if (isa<out::NamedType>(array.getElement())) {  // several tiles: [stage](i, j)
      size_t leading = array.getExtents().size();
      ExprRef one = subscript(place, Indices(indices.begin(), indices.begin() + leading), array.getElement());
      return element(one, Indices(indices.begin() + leading, indices.end()), type);
    }
    return subscript(place, indices.empty() ? Indices{typed(0)} : Indices{bare(indices[0])}, type);
  }
  // A pointer: row-major.
  ArrayRef<ir::DimAttr> shape = ir::shapeOf(base.getType());
  ExprRef at = typed(0);
  for (size_t i = 0; i < indices.size(); ++i) {
    if (i > 0) at = binary("*", at, dim(shape[i].getDim()));
    at = binary("+", at, indices[i]);
  }
  return subscript(place, {bare(at)}, type);
}

/// What must hold for the element to lie in the tensor; null if that is proved.
ExprRef KernelEmitter::mask(Value base, ValueRange indices, llvm::function_ref<bool(unsigned)> inBounds) {
  ExprRef condition;
  auto require = [&](ExprRef part) {
    Type truth = IntegerType::get(context_, 1);
    condition = condition ? binary("&&", condition, part) : part;
    TSR_CHECK(condition->type == truth, "a mask is a truth value");
  };
  ArrayRef<ir::DimAttr> shape = ir::shapeOf(base.getType());
  for (auto [i, index] : llvm::enumerate(indices)) {
    if (inBounds(i)) continue;
    if (!facts_.isNonNegative(index)) require(compare(">=", scalar(index), typed(0)));
    require(compare("<", scalar(index), dim(shape[i].getDim())));
  }
  return condition;
}

ExprRef KernelEmitter::loadElement(tile::LoadElementOp op) {
  Indices indices;
  for (Value index : op.getIndices()) indices.push_back(scalar(index));
  if (ExprRef block = turnedBlocks_.lookup(op)) return read(element(block, {indices.back(), indices[indices.size() - 2]}, op.getType()));
  ExprRef value = read(elementPlace(op.getBase(), indices, op.getBase()));
  ExprRef inside = mask(op.getBase(), op.getIndices(), [&](unsigned i) { return op.isInBounds(i); });
  if (!inside) return value;
  ExprRef other = op.getOther() ? scalar(op.getOther()) : nullptr;
  if (!other)
    other = isa<FloatType, IntegerType, IndexType>(value->type)
                ? number(value->type, 0)
                : call(dtypeText(value->type), {}, value->type);
  return conditional(inside, value, other);
}

LogicalResult KernelEmitter::emitStoreElement(tile::StoreElementOp op) {
  lastLoop_ = nullptr;
  Indices indices;
  for (Value index : op.getIndices()) indices.push_back(scalar(index));
  if (ExprRef line = lines_.lookup(op)) {
    assign(element(line, {indices.back()}, ir::elementTypeOf(op.getBase().getType())), scalar(op.getValue()), op.getLoc());
    return success();
  }
  ExprRef place = elementPlace(op.getBase(), indices, op.getBase());
  ExprRef inside = mask(op.getBase(), op.getIndices(), [&](unsigned i) { return op.isInBounds(i); });
  if (!inside) {
    assign(place, scalar(op.getValue()), op.getLoc());
    return success();
  }
  auto branch = builder_.create<out::IfOp>(op.getLoc(), write(builder_, op.getLoc(), inside));
  OpBuilder::InsertionGuard guard(builder_);
  builder_.createBlock(&branch.getThenBody());
  assign(place, scalar(op.getValue()), op.getLoc());
  return success();
}

/// Where the values of all lanes meet.
ExprRef KernelEmitter::groupScratch(Type type) {
  int64_t count = kernel_.getGroup() % kWarpLanes == 0 ? kernel_.getGroup() / kWarpLanes : kernel_.getGroup();
  int64_t bytes = count * std::max<int64_t>(1, (type.isIntOrFloat() ? type.getIntOrFloatBitWidth() : 64) / 8);
  return scratch(type, "tsr::group_reduce_scratch(Threads)", bytes);
}

LogicalResult KernelEmitter::emitGroupReduce(tile::GroupReduceOp op) {
  ExprRef value = scalar(op.getValue());
  if (singleLane_) {  // one lane has combined everything
    define(op.getResult(), value);
    return success();
  }
  Type type = op.getType();
  std::string lanes = "Threads";
  ExprRef space = groupScratch(type);
  std::vector<Attribute> templates = {StringAttr::get(context_, reductionName(op.getReduction())),
                                      StringAttr::get(context_, lanes)};
  define(op.getResult(), call("tsr::group_reduce", {value, space}, type, templates));
  return success();
}

}  // namespace tessera::transforms::totarget
