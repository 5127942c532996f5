#include "transforms/schedule/ChainWriter.h"

namespace tessera::transforms {
using namespace mlir;
using namespace tessera::ir;

bool ChainWriter::run() {
  scf::ForOp loop = goOverKeys();
  return loop && finish(loop.getResults());
}

std::optional<SmallVector<Value>> ChainWriter::runPart(Value from, Value to) {
  goOnly(from, to);
  scf::ForOp loop = goOverKeys();
  return loop ? std::optional(SmallVector<Value>(loop.getResults())) : std::nullopt;
}

/// Of one row, the parts are a tile: all loads are under way together, and few instructions do it. The largest score of all parts
/// first, then what each has found in proportion to it, in an order that only the number of parts decides.
bool ChainWriter::merge(int64_t most, ArrayRef<Value> parts) {
  SmallVector<Value> start = starts(), all;
  for (size_t i = 0; i < start.size(); ++i) all.push_back(loadParts(most, parts, i, start));
  Value largest = together("max", all.front(), start.front()), pivot = pivotAt(largest);
  if (!pivot) return false;
  Value weight = rescaled(all.front(), alongParts(pivot, all.front().getType()), "weight");
  SmallVector<Value> found{largest};
  for (size_t i = 1; i < start.size(); ++i) {
    bool isTile = i + 1 == start.size();
    Value scale = isTile ? builder_.create<graph::BroadcastOp>(line_, all[i].getType(), weight, ArrayRef<int64_t>{0}) : weight;
    found.push_back(together("sum", elementwise("mul", {scale, all[i]}, ""), start[i]));
  }
  return finish(found);
}

/// What all parts have found of a row: their largest scores, their sums or, last, their tiles of the result, in the order of `start`.
/// A part that there is not has seen no key.
Value ChainWriter::loadParts(int64_t most, ArrayRef<Value> parts, size_t i, ArrayRef<Value> start) {
  MLIRContext *context = builder_.getContext();
  DimAttr all = DimAttr::get(context, Dim(most));
  Indices at(ArrayRef(product_).drop_back());
  at.back().size = {};  // one row
  at.push_back(Index(privatiser_.constantIndex(0, line_), all));
  SmallVector<DimAttr> shape{all};
  if (i + 1 == parts.size()) at.push_back(product_.back()), shape.push_back(product_.back().size);
  PartAccess access(builder_, shapeOf(parts[i].getType()), at, line_);
  TypedAttr none = builder_.getFloatAttr(type_, i == 0 ? -std::numeric_limits<double>::infinity() : 0);
  Value other = builder_.create<graph::ConstantOp>(line_, none.getType(), none);
  return builder_.create<graph::LoadOp>(named(("part_" + nameHint(start[i])).str(), line_), TensorType::get(context, shape, elementTypeOf(start[i].getType())),
                                        parts[i], access.offsets, access.points, access.sizes, access.steps, access.inBounds, other);
}

Value ChainWriter::together(StringRef mnemonic, Value parts, Value like) {
  Location line = named(nameHint(like), line_);
  ArrayRef<DimAttr> kept = shapeOf(parts.getType()).drop_front();
  Type type = kept.empty() ? type_ : Type(TensorType::get(builder_.getContext(), kept, type_));
  Value all = builder_.create<graph::ReduceOp>(line, type, mnemonic, parts, ArrayRef<int64_t>{0});
  if (kept.empty()) return builder_.create<graph::FullOp>(line, like.getType(), all);
  return builder_.create<graph::BroadcastOp>(line, like.getType(), all, ArrayRef<int64_t>{1});
}

/// What is known of the row, for each of its parts.
Value ChainWriter::alongParts(Value row, Type type) {
  if (!isa<TensorType>(row.getType())) return full(type, row);
  return builder_.create<graph::BroadcastOp>(line_, type, row, ArrayRef<int64_t>{0});
}

SmallVector<Value> ChainWriter::starts() {
  SmallVector<Value> starts{full(rowType_, -std::numeric_limits<double>::infinity(), "largest")};
  for (auto sum : chain_.sums) starts.push_back(full(rowType_, 0, nameOf(sum.getResult(), "row_sum")));
  starts.push_back(full(sumType_, 0, "acc"));
  return starts;
}

scf::ForOp ChainWriter::goOverKeys() {
  if (depth_ && !holdLeft()) return {};
  return goOver(starts(), [&](scf::ForOp loop, const Index &keys) { return turn(loop, keys); });
}

// ---------------------------------------------------------------- one tile of the right operands

bool ChainWriter::turn(scf::ForOp loop, const Index &keys) {
  Indices tile = tileOf(keys);
  if (!multiply(tile)) return false;
  Value scores = privatiser_.part(chain_.scores(), tile);
  if (!scores) return false;
  scores = whereInside(scores, keys, -std::numeric_limits<double>::infinity());
  privatiser_.give(chain_.scores(), scores);

  // A larger score than before: what is kept was in proportion to exp(-largest).
  SmallVector<Value> next;
  BlockArgument before = loop.getRegionIterArg(0);
  Value here = reduced("max", scores), largest = elementwise("max", {before, here}, "largest_new"), pivot = pivotAt(largest);
  if (!pivot) return false;
  next.push_back(largest);
  Value rescale = rescaled(before, pivot, "rescale");
  for (auto [i, sum] : llvm::enumerate(chain_.sums)) {
    Value added = privatiser_.part(sum.getOperand(), tile);
    if (!added) return false;
    if (chain_.multiplies) added = whereInside(added, keys, 0);
    BlockArgument carried = loop.getRegionIterArg(i + 1);
    next.push_back(elementwise("add", {elementwise("mul", {rescale, carried}, ""), reduced("sum", added)}, nameHint(carried)));
  }
  Value weights = weightsOf(tile), right = privatiser_.operandTile(chain_.outer, 1, product_, keys);
  if (!weights || !right) return false;
  if (chain_.multiplies) weights = whereInside(weights, keys, 0);
  Value kept = elementwise("mul", {spread(rescale), loop.getRegionIterArgs().back()}, "");
  Value product = builder_.create<graph::DotOp>(line_, sumType_, weights, right);
  next.push_back(elementwise("add", {kept, product}, "acc"));
  builder_.create<scf::YieldOp>(line_, next);
  return true;
}

Value ChainWriter::pivotAt(Value largest) {
  privatiser_.give(chain_.largest.getResult(), chain_.isGuarded ? largest : guarded(largest));
  return privatiser_.part(chain_.exponentials->getOperand(0).getDefiningOp()->getOperand(1), rows_);
}

Value ChainWriter::rescaled(Value before, Value pivot, StringRef name) {
  return elementwise(chain_.exponentials.getMnemonic(), {elementwise("sub", {before, pivot}, ""), pivot}, name);
}

/// Without what is the same for a row: that is done after the last tile.
Value ChainWriter::weightsOf(const Indices &tile) {
  for (const RowFactor &factor : chain_.factors) {
    Value weights = privatiser_.part(factor.weights, tile);
    if (!weights) return {};
    privatiser_.give(factor.op->getResult(0), weights);
  }
  return privatiser_.part(chain_.outer.getLhs(), tile);
}

// ---------------------------------------------------------------- after the last tile

/// `found`: the largest score of each row, its sums, and the result so far.
bool ChainWriter::finish(ValueRange found) {
  privatiser_.give(chain_.largest.getResult(), found.front());
  for (auto [i, sum] : llvm::enumerate(chain_.sums)) privatiser_.give(sum.getResult(), found[i + 1]);
  Value result = found.back();
  for (const RowFactor &factor : chain_.factors) {
    Value row = privatiser_.part(factor.row, rows_);
    if (!row) return false;
    graph::ElementwiseOp op = factor.op;
    result = elementwise(op.getMnemonic(), {result, spread(row)}, "");
  }
  // Elsewhere -INF - -INF makes a row of -INF alone no number.
  if (!chain_.isGuarded) result = builder_.create<graph::ElementwiseOp>(line_, sumType_, "select", ValueRange{
      spread(isChosen(found.front())), result, full(sumType_, noNumber(keys()))});
  privatiser_.give(chain_.outer.getResult(), result);
  return true;
}

/// Of no elements, the sum is 0.
Value ChainWriter::noNumber(const Dim &keys) {
  auto number = [&](double value) {
    TypedAttr attribute = builder_.getFloatAttr(type_, value);
    return builder_.create<graph::ConstantOp>(line_, attribute.getType(), attribute).getResult();
  };
  Value nan = number(std::numeric_limits<double>::quiet_NaN());
  if (keys.isConstant()) return nan;
  Value some = privatiser_.arithmetic("gt", privatiser_.dim(keys, line_), privatiser_.constantIndex(0, line_), line_);
  return builder_.create<graph::ElementwiseOp>(line_, type_, "select", ValueRange{some, nan, number(0)});
}

/// A value for each row, along the columns of the result.
Value ChainWriter::spread(Value row) {
  Type type = withElementType(sumType_, elementTypeOf(row.getType()));
  if (!isa<TensorType>(row.getType())) return full(type, row);
  return builder_.create<graph::BroadcastOp>(line_, type, row, ArrayRef<int64_t>{0});
}

/// Which rows have seen anything but -INF.
Value ChainWriter::isChosen(Value largest) {
  Value lowest = full(rowType_, -std::numeric_limits<double>::infinity(), "");
  return builder_.create<graph::ElementwiseOp>(line_, withElementType(rowType_, builder_.getI1Type()), "gt", ValueRange{largest, lowest});
}

Value ChainWriter::guarded(Value largest) {
  return elementwise("select", {isChosen(largest), largest, full(rowType_, 0, "")}, "");
}

}  // namespace tessera::transforms
