#include "transforms/schedule/ScoreTiles.h"
#include "ir/common/MaskAttr.h"
#include "ir/graph/Terms.h"
#include "transforms/schedule/Shapes.h"

namespace tessera::transforms {
using namespace mlir;
using namespace tessera::ir;

ScoreTiles::ScoreTiles(OpBuilder &builder, Privatiser &privatiser, Chain &chain, const Indices &product, DimAttr depth)
    : builder_(builder), privatiser_(privatiser), chain_(chain), product_(product), rows_(product), rank_(product.size()), depth_(depth),
      line_(unnamed(chain.last()->getLoc())), type_(elementTypeOf(chain.last()->getResult(0).getType())) {
  rows_.back() = Index(privatiser.constantIndex(0, line_));
  rowType_ = TensorType::get(builder.getContext(), product[rank_ - 2].size, type_);
  if (chain.outer) sumType_ = TensorType::get(builder.getContext(), {product[rank_ - 2].size, product.back().size}, type_);
}

bool ScoreTiles::holdLeft() {
  for (graph::DotOp dot : chain_.inner)
    if (!left_.emplace_back(privatiser_.operandTile(dot, 0, tileOf(Index()), held()))) return false;
  return true;
}

bool ScoreTiles::multiply(const Indices &tile) {
  for (auto [i, dot] : llvm::enumerate(chain_.inner)) {
    if (!depth_) {
      if (!privatiser_.addUp(dot, tile)) return false;
      continue;
    }
    Value right = privatiser_.operandTile(dot, 1, tile, held());
    if (!right) return false;
    Type type = TensorType::get(builder_.getContext(), {tile[rank_ - 2].size, tile.back().size}, dot.getType().getElementType());
    privatiser_.give(dot.getResult(), addedUpAs(dot, builder_.create<graph::DotOp>(dot.getLoc(), type, left_[i], right)));
  }
  return true;
}

scf::ForOp ScoreTiles::goOver(ArrayRef<Value> starts, llvm::function_ref<bool(scf::ForOp, const Index &)> turn) {
  DimAttr step = DimAttr::get(builder_.getContext(), Dim::var("T.n"));
  auto [begin, end] = keysSeen(builder_, privatiser_, chain_, product_, step);
  if (from_) {
    auto first = begin.getDefiningOp<graph::ConstantOp>();  // 0, unless a mask hides more
    begin = first ? from_ : privatiser_.arithmetic("max", begin, from_, named("first", line_));
    end = privatiser_.arithmetic("min", end, to_, named("to", line_));
  }
  auto loop = builder_.create<scf::ForOp>(line_, begin, end, privatiser_.dim(step.getDim(), line_), starts);
  loop.getInductionVar().setLoc(named("n", line_));
  for (auto [carried, start] : llvm::zip(loop.getRegionIterArgs(), starts)) carried.setLoc(start.getLoc());
  OpBuilder::InsertionGuard guard(builder_);
  builder_.setInsertionPointToEnd(loop.getBody());
  privatiser_.enter();
  bool done = turn(loop, Index(loop.getInductionVar(), step));
  privatiser_.leave();
  return done ? loop : scf::ForOp();
}

int64_t bytesBeside(Chain &chain) {
  AxisKinds kinds(shapeOf(chain.weights().getType()).size(), AxisKind::Private);
  kinds.back() = kinds[kinds.size() - 2] = AxisKind::Range;
  llvm::DenseSet<Value> seen;
  int64_t bytes = 0;
  std::function<void(Value, const AxisKinds &)> look = [&](Value value, const AxisKinds &kinds) {
    Operation *op = value.getDefiningOp();
    if (!isa<TensorType>(value.getType()) || isa_and_nonnull<graph::IotaOp, graph::FullOp, graph::ConstantOp>(op) || !seen.insert(value).second) return;
    const bool isComputed = isa_and_nonnull<graph::ElementwiseOp, graph::CastOp, graph::BroadcastOp, graph::TransposeOp, graph::ReshapeOp, graph::SliceOp>(op);
    for (auto [i, operand] : llvm::enumerate(isComputed ? ValueRange(op->getOperands()) : ValueRange()))
      if (std::optional<AxisKinds> inner = isa<TensorType>(operand.getType()) ? operandAxes(op, i, kinds) : std::nullopt) look(operand, *inner);
    size_t ranges = 0;
    for (auto [kind, extent] : llvm::zip(kinds, shapeOf(value.getType()))) ranges += kind == AxisKind::Range && !isUnit(extent);
    if (!isComputed && ranges == 2) bytes += (elementTypeOf(value.getType()).getIntOrFloatBitWidth() + 7) / 8;
  };
  for (Operation *op : chain.body)
    if (!isa<graph::DotOp>(op))
      for (auto [i, operand] : llvm::enumerate(op->getOperands()))
        if (auto rank = isa<TensorType>(operand.getType()) ? shapeOf(operand.getType()).size() : 0; !chain.body.contains(operand.getDefiningOp()) && shapeOf(op->getResult(0).getType()).size() == kinds.size() && rank)
          if (std::optional<AxisKinds> inner = operandAxes(op, i, kinds)) look(operand, *inner);
  return bytes;
}

Dim ScoreTiles::keys() const { return shapeOf(chain_.weights().getType()).back().getDim(); }

Indices ScoreTiles::tileOf(const Index &keys) {
  Indices tile(product_);
  tile.back() = keys;
  return tile;
}

Value ScoreTiles::full(Type type, double value, StringRef name) {
  TypedAttr attribute = builder_.getFloatAttr(type_, value);
  Value number = builder_.create<graph::ConstantOp>(line_, attribute.getType(), attribute);
  return builder_.create<graph::FullOp>(named(name, line_), type, number);
}

Value ScoreTiles::full(Type type, Value number) { return builder_.create<graph::FullOp>(line_, type, number); }
StringRef ScoreTiles::nameOf(Value value, StringRef otherwise) {
  StringRef hint = nameHint(value);
  return hint.empty() ? otherwise : hint;
}

Value ScoreTiles::elementwise(StringRef mnemonic, ArrayRef<Value> operands, StringRef name) {
  auto arity = mnemonic.starts_with("exp") ? operands.take_front(1) : operands;
  Location loc = name.empty() ? line_ : Location(named(name, line_));
  return builder_.create<graph::ElementwiseOp>(loc, arity.back().getType(), mnemonic, arity);
}

Value ScoreTiles::reduced(StringRef mnemonic, Value tile) {
  return builder_.create<graph::ReduceOp>(line_, withElementType(rowType_, elementTypeOf(tile.getType())), mnemonic, tile, ArrayRef<int64_t>{1});
}

Value ScoreTiles::whereInside(Value tile, const Index &keys, double otherwise) {
  auto type = cast<TensorType>(tile.getType());
  Type i32 = builder_.getI32Type(), counted = withElementType(type, i32);
  Value left = privatiser_.arithmetic("sub", privatiser_.dim(this->keys(), line_), keys.at, line_);
  left = builder_.create<graph::CastOp>(line_, i32, left, StringAttr(), UnitAttr());
  Value isInside = privatiser_.arithmetic("lt", builder_.create<graph::IotaOp>(line_, counted, 1), full(counted, left), line_);
  TypedAttr attribute = builder_.getFloatAttr(type.getElementType(), otherwise);
  Value other = full(type, builder_.create<graph::ConstantOp>(line_, attribute.getType(), attribute).getResult());
  auto masked = builder_.create<graph::ElementwiseOp>(tile.getLoc(), type, "select", ValueRange{isInside, tile, other});
  markExtentMask(masked);
  return masked;
}

}  // namespace tessera::transforms
