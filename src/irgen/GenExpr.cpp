// Values. One operation for each expression of the checked program.
#include "irgen/FunctionGen.h"
#include "ir/common/BitCasts.h"
#include "ir/common/MaskAttr.h"
#include "ir/common/ProductNotes.h"
#include "support/Check.h"
#include "support/FloatFormats.h"

namespace tessera::irgen {
using namespace mlir;
using checked::ExprKind;
namespace node = checked::node;

static std::string_view queryName(checked::Query query) {
  switch (query) {
  case checked::Query::Origin: return "origin";
  case checked::Query::GroupId: return "group_id";
  case checked::Query::GroupSize: return "group_size";
  case checked::Query::LocalId: return "local_id";
  case checked::Query::LaneId: return "lane_id";
  case checked::Query::LinearId: return "linear_id";
  case checked::Query::GroupCount: return "group_count";
  }
  TSR_UNREACHABLE("a query without a name");
}

Value FunctionGen::genExpr(const checked::Expr &expr, StringRef name) {
  Location location = place(expr, name);
  switch (expr.kind) {
  case ExprKind::Constant: return genConstant(expr, location);
  case ExprKind::DimValue: return genDim(expr.as<node::DimValue>().dim, location);
  case ExprKind::VarRef: {
    auto found = values_.find(expr.as<node::VarRef>().var);
    TSR_CHECK(found != values_.end() && found->second.size() == 1, "'" + expr.as<node::VarRef>().var->name + "' has no value");
    return found->second[0];
  }
  case ExprKind::Elementwise: return genElementwise(expr, location);
  case ExprKind::Cast: return genCast(expr, location);
  case ExprKind::Broadcast: return genBroadcast(expr, location);
  case ExprKind::Reshape:
    return builder_.create<graph::ReshapeOp>(location, typeOf(expr.type), genExpr(*expr.args[0]));
  case ExprKind::Transpose: return genTranspose(expr, location);
  case ExprKind::Reduce: return genReduce(expr, location);
  case ExprKind::Scan: return genScan(expr, location);
  case ExprKind::Dot: return genDot(expr, location);
  case ExprKind::Full:
    return builder_.create<graph::FullOp>(location, typeOf(expr.type), genExpr(*expr.args[0]));
  case ExprKind::Table: return genTable(expr, location);
  case ExprKind::Iota: return builder_.create<graph::IotaOp>(location, typeOf(expr.type), expr.as<node::Iota>().axis);
  case ExprKind::Load: return genLoad(expr, location);
  case ExprKind::Concat: return genConcat(expr, location);
  case ExprKind::Window: {
    const auto &[axis, stride, dilation] = expr.as<node::Window>();
    return builder_.create<graph::WindowOp>(location, typeOf(expr.type), axis, genExpr(*expr.args[0]), stride, dilation);
  }
  case ExprKind::Gather: return genGather(expr, location);
  case ExprKind::ScatterAdd: return genScatterAdd(expr, location);
  case ExprKind::Argsort: {
    Value from = genExpr(*expr.args[0]);
    auto result = cast<ir::TensorType>(typeOf(expr.type));
    from = fit(from, ir::TensorType::get(from.getContext(), result.getShape(), ir::elementTypeOf(from.getType())), location);
    return builder_.create<graph::ArgsortOp>(location, result, from, expr.as<node::Argsort>().descending);
  }
  case ExprKind::Exchange: {
    const auto &[what, over] = expr.as<node::Exchange>();
    std::string_view kind = checked::name(what);
    Type type = typeOf(expr.type), array = type;
    if (!isa<ir::TensorType>(type)) array = ir::TensorType::get(builder_.getContext(), {}, type);  // a number is an array without axes
    Value from = genExpr(*expr.args[0]);
    if (!isa<ir::TensorType>(from.getType())) from = fit(from, array, location);
    return fit(builder_.create<graph::ExchangeOp>(location, array, StringRef(kind.data(), kind.size()), over, from), type, location);
  }
  case ExprKind::Slice: return genSlice(expr, location);
  case ExprKind::Query: {
    std::string_view query = queryName(expr.as<node::Query>().what);
    return builder_.create<graph::QueryOp>(location, builder_.getIndexType(),
                                           StringRef(query.data(), query.size()), expr.as<node::Query>().axis);
  }
  case ExprKind::Warp: return genWarp(expr, location);
  case ExprKind::Call: {
    auto results = genCall(expr, location);
    return results.size() == 1 ? results[0] : Value();
  }
  case ExprKind::TupleItem: {
    auto items = genTuple(*expr.args[0]);
    auto item = static_cast<size_t>(expr.as<node::TupleItem>().item);
    TSR_CHECK(item < items.size(), "an item that the tuple does not have");
    return items[item];
  }
  case ExprKind::Derivative: TSR_UNREACHABLE("a derivative: functions with one are refused before this");
  case ExprKind::Vmap: TSR_UNREACHABLE("a map: functions with one are refused before this");
  case ExprKind::After: {
    Value value = genExpr(*expr.args[0]), behind = genExpr(*expr.args[1]);
    return builder_.create<graph::AfterOp>(location, value.getType(), value, ValueRange{behind});
  }
  default: return genHostExpr(expr, location);
  }
}

/// One for a function, at its top.
Value FunctionGen::genIndex(int64_t value) {
  Value &constant = indexConstants_[value];
  if (!constant) {
    OpBuilder::InsertionGuard guard(builder_);
    builder_.setInsertionPointToStart(&body_->front());
    constant = builder_.create<graph::ConstantOp>(builder_.getUnknownLoc(), builder_.getIndexType(),
                                                  builder_.getIndexAttr(value));
  }
  return constant;
}

Value FunctionGen::genDim(const Dim &dim, Location location) {
  if (dim.isConstant())
    return builder_.create<graph::ConstantOp>(location, builder_.getIndexType(),
                                              builder_.getIndexAttr(dim.constant()));
  return builder_.create<graph::DimOp>(location, builder_.getIndexType(),
                                       ir::DimAttr::get(builder_.getContext(), dim));
}

Value FunctionGen::genElementwise(const checked::Expr &expr, Location location) {
  Type result = typeOf(expr.type);
  SmallVector<Value> operands;
  for (const auto &arg : expr.args) {
    Value operand = genExpr(*arg);
    // Every operand has the result's shape; scalars stand for themselves everywhere.
    operands.push_back(
        fit(operand, ir::withElementType(result, ir::elementTypeOf(operand.getType())), location));
  }
  std::string_view mnemonic = info(expr.as<node::Elementwise>().op).mnemonic;
  auto op = builder_.create<graph::ElementwiseOp>(location, result, StringRef(mnemonic.data(), mnemonic.size()), operands);
  if (expr.as<node::Elementwise>().ofLimit) ir::markExtentMask(op);
  if (expr.as<node::Elementwise>().inPlace) op->setAttr("tsr.update", builder_.getUnitAttr());
  return op;
}

Value FunctionGen::genCast(const checked::Expr &expr, Location location) {
  Value operand = genExpr(*expr.args[0]);
  Type result = typeOf(expr.type);
  Type wanted = ir::withElementType(result, ir::elementTypeOf(operand.getType()));
  operand = fit(operand, wanted, location);
  if (expr.as<node::Cast>().ofBits) return builder_.create<graph::CastOp>(location, result, operand, builder_.getStringAttr(ir::kBits), false);
  StringAttr rounding;
  const checked::Numerics &numerics = expr.type.numerics;
  bool toFloat = expr.type.kind != checked::TypeKind::Index && isFloat(expr.type.dtype);
  bool plain = numerics.rounding == checked::Rounding::NearestEven || numerics.rounding == checked::Rounding::Stochastic;
  if (toFloat && !plain)
    rounding = builder_.getStringAttr(ir::stringifyRounding(static_cast<ir::Rounding>(numerics.rounding)));
  bool isNumber = toFloat || (expr.type.kind != checked::TypeKind::Index && isInt(expr.type.dtype));
  Value rounded = builder_.create<graph::CastOp>(location, result, operand, rounding, numerics.saturate && isNumber);
  return toFloat && numerics.denormals == checked::Denormals::Flush ? genFlushed(rounded, expr.type.dtype, location) : rounded;
}

/// Zero of the value's sign where it is below the smallest normal number of its dtype. Floats with fewer bits are compared in f32.
Value FunctionGen::genFlushed(Value value, DType dtype, Location location) {
  const bool isWide = dtype == DType::F64 || dtype == DType::F32;
  Type given = value.getType(), type = isWide ? given : ir::withElementType(given, builder_.getF32Type());
  auto inType = [&](Value from, Type to) -> Value { return builder_.create<graph::CastOp>(location, to, from, StringAttr(), false); };
  auto number = [&](double number) {
    Type element = ir::elementTypeOf(type);
    return fit(builder_.create<graph::ConstantOp>(location, element, FloatAttr::get(element, number)), type, location);
  };
  auto element = [&](Type result, StringRef mnemonic, ValueRange operands) -> Value {
    return builder_.create<graph::ElementwiseOp>(location, result, mnemonic, operands);
  };
  if (!isWide) value = inType(value, type);
  Value size = element(type, "abs", value);
  Value isSmall = element(ir::withElementType(type, builder_.getI1Type()), "lt", {size, number(floatFormat(dtype).minNormal)});
  Value zero = element(type, "mul", {value, number(0)});
  Value flushed = element(type, "select", {isSmall, zero, value});
  return isWide ? flushed : inType(flushed, given);
}
static_assert(static_cast<int>(checked::Rounding::Stochastic) == static_cast<int>(ir::Rounding::Stochastic) &&
              static_cast<int>(checked::Rounding::Down) == static_cast<int>(ir::Rounding::Down) &&
              static_cast<int>(checked::Rounding::Up) == static_cast<int>(ir::Rounding::Up));

static DenseI64ArrayAttr axesAttr(OpBuilder &builder, const std::vector<int> &axes) {
  return builder.getDenseI64ArrayAttr(SmallVector<int64_t>(axes.begin(), axes.end()));
}

Value FunctionGen::genBroadcast(const checked::Expr &expr, Location location) {
  Value operand = genExpr(*expr.args[0]);
  Type result = typeOf(expr.type);
  if (!isa<ir::TensorType>(operand.getType())) return fit(operand, result, location);
  // Extents that are equal by proof only are spelled as the result's.
  auto from = cast<ir::TensorType>(operand.getType());
  SmallVector<ir::DimAttr> shape(from.getShape());
  for (auto [i, axis] : llvm::enumerate(expr.as<node::Broadcast>().axes))
    if (shape[i].getConstant() != 1) shape[i] = ir::shapeOf(result)[axis];
  operand = fit(operand, ir::TensorType::get(from.getContext(), shape, from.getElementType()), location);
  return builder_.create<graph::BroadcastOp>(location, result, operand, axesAttr(builder_, expr.as<node::Broadcast>().axes));
}

Value FunctionGen::genTranspose(const checked::Expr &expr, Location location) {
  return builder_.create<graph::TransposeOp>(location, typeOf(expr.type), genExpr(*expr.args[0]),
                                             axesAttr(builder_, expr.as<node::Transpose>().axes));
}

Value FunctionGen::genReduce(const checked::Expr &expr, Location location) {
  std::string_view name = mnemonic(expr.as<node::Reduce>().op);
  return builder_.create<graph::ReduceOp>(location, typeOf(expr.type), StringRef(name.data(), name.size()),
                                          genExpr(*expr.args[0]), axesAttr(builder_, expr.as<node::Reduce>().axes));
}

Value FunctionGen::genScan(const checked::Expr &expr, Location location) {
  const auto &[op, axis] = expr.as<node::Scan>();
  std::string_view name = mnemonic(op);
  Value from = fit(genExpr(*expr.args[0]), typeOf(expr.type), location);
  return builder_.create<graph::ScanOp>(location, from.getType(), StringRef(name.data(), name.size()), axis, from);
}

Value FunctionGen::genWarp(const checked::Expr &expr, Location location) {
  const auto &[what, op] = expr.as<node::Warp>();
  auto name = [&]() -> std::string_view {
    switch (what) {
    case checked::WarpOp::Shuffle: return "shuffle";
    case checked::WarpOp::ShuffleXor: return "shuffle_xor";
    case checked::WarpOp::Ballot: return "ballot";
    case checked::WarpOp::Reduce: return mnemonic(op);
    }
    TSR_UNREACHABLE("an exchange without a name");
  }();
  Value value = genExpr(*expr.args[0]), lane = expr.args.size() > 1 ? genExpr(*expr.args[1]) : Value();
  return builder_.create<graph::WarpOp>(location, typeOf(expr.type), StringRef(name.data(), name.size()), value, lane);
}

Value FunctionGen::genDot(const checked::Expr &expr, Location location) {
  Value a = genExpr(*expr.args[0]), b = genExpr(*expr.args[1]);
  auto aType = cast<ir::TensorType>(a.getType()), bType = cast<ir::TensorType>(b.getType());
  auto result = cast<ir::TensorType>(typeOf(expr.type));
  size_t rank = result.getRank();
  TSR_CHECK(rank >= 2 && aType.getRank() == rank && bType.getRank() == rank, "a dot of different ranks");
  // [..., M, K] and [..., K, N] in the result's spelling of the batch, M and N, and a's of K.
  SmallVector<ir::DimAttr> aShape(result.getShape()), bShape(result.getShape());
  aShape[rank - 1] = bShape[rank - 2] = aType.getShape()[rank - 1];
  a = fit(a, ir::TensorType::get(a.getContext(), aShape, aType.getElementType()), location);
  b = fit(b, ir::TensorType::get(b.getContext(), bShape, bType.getElementType()), location);
  auto product = builder_.create<graph::DotOp>(location, result, a, b);
  bool ofBytes = aType.getElementType().getIntOrFloatBitWidth() == 8 && bType.getElementType().getIntOrFloatBitWidth() == 8;
  if (expr.type.numerics.fastSums && ofBytes) product->setAttr(ir::kFastSums, builder_.getUnitAttr());
  return product;
}

/// What is chosen from has the result's spelling of the axes that stay, the places theirs of the new ones.
Value FunctionGen::genGather(const checked::Expr &expr, Location location) {
  Value from = genExpr(*expr.args[0]), places = genExpr(*expr.args[1]);
  auto result = cast<ir::TensorType>(typeOf(expr.type));
  const auto &[axis, along] = expr.as<node::Gather>();
  SmallVector<ir::DimAttr> shape(result.getShape()), placeShape;
  shape[axis] = ir::shapeOf(from.getType())[axis];
  for (int to : along) placeShape.push_back(result.getShape()[to]);
  from = fit(from, ir::TensorType::get(from.getContext(), shape, result.getElementType()), location);
  Type placeType = ir::elementTypeOf(places.getType());
  places = fit(places, ir::TensorType::get(from.getContext(), placeShape, placeType), location);
  return builder_.create<graph::GatherOp>(location, result, axis, from, places, axesAttr(builder_, along));
}

/// What is added has the result's spelling of the axes that stay, the places theirs of what is added.
Value FunctionGen::genScatterAdd(const checked::Expr &expr, Location location) {
  Value updates = genExpr(*expr.args[0]), places = genExpr(*expr.args[1]);
  auto result = cast<ir::TensorType>(typeOf(expr.type));
  const auto &[axis, along] = expr.as<node::ScatterAdd>();
  SmallVector<ir::DimAttr> shape(result.getShape()), placeShape;
  shape[axis] = ir::shapeOf(updates.getType())[axis];
  for (int to : along) placeShape.push_back(shape[to]);
  updates = fit(updates, ir::TensorType::get(updates.getContext(), shape, result.getElementType()), location);
  Type placeType = ir::elementTypeOf(places.getType());
  places = fit(places, ir::TensorType::get(updates.getContext(), placeShape, placeType), location);
  return builder_.create<graph::ScatterAddOp>(location, result, axis, updates, places, axesAttr(builder_, along));
}

Value FunctionGen::genConcat(const checked::Expr &expr, Location location) {
  auto result = cast<ir::TensorType>(typeOf(expr.type));
  auto axis = static_cast<size_t>(expr.as<node::Concat>().axis);
  SmallVector<Value> parts;
  for (const auto &arg : expr.args) {
    Value part = genExpr(*arg);
    SmallVector<ir::DimAttr> shape(result.getShape());
    shape[axis] = ir::shapeOf(part.getType())[axis];
    parts.push_back(
        fit(part, ir::TensorType::get(part.getContext(), shape, result.getElementType()), location));
  }
  return builder_.create<graph::ConcatOp>(location, result, axis, parts);
}

}  // namespace tessera::irgen
