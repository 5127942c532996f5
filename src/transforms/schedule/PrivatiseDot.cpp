// Products taken apart: one element is a row times a column, a tile adds up the products of tiles of the operands.
#include "ir/common/Conversions.h"
#include "ir/common/MaskAttr.h"
#include "ir/common/Names.h"
#include "ir/common/ProductNotes.h"
#include "ir/graph/Terms.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "support/Check.h"
#include "transforms/schedule/Contract.h"
#include "transforms/schedule/Privatise.h"
#include "transforms/schedule/Shapes.h"

namespace tessera::transforms {
using namespace mlir;
using namespace tessera::ir;

Value Privatiser::dot(graph::DotOp op, const Indices &indices) {
  Location loc = op.getLoc();
  size_t rank = indices.size();
  if (hasRange(indices)) return addUp(op, indices) ? part(op.getResult(), indices) : Value();
  if (hasWhole(indices))
    return failedAt(op, "a product of matrices cannot share a kernel with a reduction of its rows");
  Indices left(indices), right(indices);
  left[rank - 1] = {};
  right[rank - 2] = {};
  Value a = part(op.getLhs(), left), b = part(op.getRhs(), right);
  if (!a || !b) return {};
  Type carried = elementTypeOf(op.getType());
  a = inDType(builder_, loc, a, carried), b = inDType(builder_, loc, b, carried);
  Value products = op.hasTerm() ? termOfRow(op, a, b) : arithmetic("mul", a, b, loc);
  return products ? builder_.create<graph::ReduceOp>(loc, carried, op.combining(), products, ArrayRef<int64_t>{0}).getResult() : Value();
}

/// What the term makes of each element of `a` with the one of `b`.
Value Privatiser::termOfRow(graph::DotOp dot, Value a, Value b) {
  auto typed = [&](Type element) { return withElementType(a.getType(), element); };
  auto spread = [&](Value value) { return builder_.create<graph::FullOp>(value.getLoc(), typed(value.getType()), value).getResult(); };
  SmallVector<Value> args{a, b};
  for (Value each : dot.getScalars()) {
    Value value = scalar(each);
    if (!value) return {};
    args.push_back(spread(value));
  }
  return termOfPair(builder_, dot, args, typed, spread);
}

// ---------------------------------------------------------------- tiles

bool endsWithBase(graph::SliceOp slice, size_t axis) {
  auto start = slice.getOffsets()[axis].getDefiningOp<graph::ConstantOp>();
  if (!start) return false;
  Dim end = Dim(cast<IntegerAttr>(start.getValue()).getInt()) + slice.getSizes().getDims()[axis].getDim();
  return end == shapeOf(slice.getBase().getType())[axis].getDim();
}

/// Whether the elements of a tile of `value` that lie outside along `axis` are 0, as they are where memory is read.
bool Privatiser::isZeroOutside(Value value, int64_t axis) {
  Places met;
  return isZeroOutside(value, axis, met);
}

/// `met`: what was looked at. Where one is not 0 the search ends, so that what was met is 0.
bool Privatiser::isZeroOutside(Value value, int64_t axis, Places &met) {
  if (leaves_.count(value) || !met.insert({value.getAsOpaquePointer(), axis}).second) return true;
  Operation *op = value.getDefiningOp();
  if (auto slice = dyn_cast<graph::SliceOp>(op)) {  // what is behind the slice is not 0, unless it ends where its base ends
    int64_t from = -1;
    for (int64_t i = 0, next = 0; i < static_cast<int64_t>(slice.getPoints().size()); ++i)
      if (!slice.getPoints()[i] && next++ == axis) from = i;
    return endsWithBase(slice, from) && isZeroOutside(slice.getBase(), from, met);
  }
  AxisKinds kinds(shapeOf(value.getType()).size(), AxisKind::Private);
  kinds[axis] = AxisKind::Range;
  auto operandIsZero = [&](unsigned i) {
    std::optional<AxisKinds> inner = operandAxes(op, i, kinds);
    if (!inner || !llvm::is_contained(*inner, AxisKind::Range)) return false;
    return isZeroOutside(op->getOperand(i), llvm::find(*inner, AxisKind::Range) - inner->begin(), met);
  };
  auto areZero = [&] { return llvm::all_of(llvm::seq<unsigned>(0, op->getNumOperands()), operandIsZero); };
  if (isa<graph::CastOp, graph::TransposeOp, graph::BroadcastOp, graph::ReshapeOp>(op)) return areZero();
  auto elementwise = dyn_cast<graph::ElementwiseOp>(op);
  // 0 times what is not finite is no number: both factors have to be 0 outside.
  return elementwise && llvm::is_contained({"add", "sub", "mul", "neg", "abs", "min", "max"}, elementwise.getMnemonic()) &&
         areZero();
}

/// The tile of an operand; what lies outside along `axis`, which is added up, is 0 in it, unless nobody reads that.
Value Privatiser::dotOperand(Value value, const Indices &indices, size_t axis, Location loc, bool hidesOutside) {
  Value tile = part(value, indices);
  if (!tile || !hidesOutside || isZeroOutside(value, axis)) return tile;
  auto type = cast<TensorType>(tile.getType());
  Type i32 = builder_.getI32Type(), counted = withElementType(type, i32);
  Value left = arithmetic("sub", dim(shapeOf(value.getType())[axis].getDim(), loc), indices[axis].at, loc);
  left = arithmetic("min", left, dim(indices[axis].size.getDim(), loc), loc);
  left = builder_.create<graph::CastOp>(loc, i32, left, StringAttr(), UnitAttr());
  Value places = builder_.create<graph::IotaOp>(loc, counted, positionOf(indices, axis));
  Value isInside = arithmetic("lt", places, builder_.create<graph::FullOp>(loc, counted, left), loc);
  Value zero = builder_.create<graph::FullOp>(loc, type, zeroOf(type.getElementType(), loc));
  auto masked = builder_.create<graph::ElementwiseOp>(tile.getLoc(), type, "select", ValueRange{isInside, tile, zero});
  markExtentMask(masked);
  return masked;
}

Value Privatiser::operandTile(graph::DotOp dot, unsigned operand, const Indices &indices, const Index &depth) {
  size_t axis = indices.size() - (operand == 0 ? 1 : 2);
  Indices inner(indices);
  inner[axis] = depth;
  return dotOperand(dot->getOperand(operand), inner, axis, unnamed(dot.getLoc()));
}

Value Privatiser::zeroOf(Type type, Location loc) {
  TypedAttr zero = builder_.getZeroAttr(type);
  TSR_CHECK(zero, "a dtype of a product without a 0");
  return builder_.create<graph::ConstantOp>(loc, zero.getType(), zero);
}

/// The tiles for a turn of the loop over places and steps of channels. What lies behind the last channel is 0 in both.
std::pair<Value, Value> Privatiser::windowTiles(SummedWindows sum, const Indices &indices, Value turn, Value steps) {
  Location line = unnamed(turn.getLoc());
  if (sum.blocks) {  // a turn for each place: the columns of the tile are its channels, too
    Index place(turn), rows(constantIndex(0, line), DimAttr::get(builder_.getContext(), Dim(*sum.blocks)));
    return {part(sum.windows.getResult(), {indices[0], place, indices[1]}), part(sum.weights, {place, rows, indices[1]})};
  }
  DimAttr step = DimAttr::get(builder_.getContext(), Dim::var("T.k"));
  Value place = arithmetic("floordiv", turn, steps, named("place", line));
  Value channel = arithmetic("mul", arithmetic("mod", turn, steps, line), dim(step.getDim(), line), named("c", line));
  Index channels(channel, step);
  return {part(sum.windows.getResult(), {indices[0], Index(place), channels}), dotOperand(sum.weights, {Index(place), channels, indices[1]}, 1, line)};
}

/// The terms of a turn of the loop over k: as many as lie inside, with the scalars as the kernel has them.
Value Privatiser::termsOf(graph::DotOp dot, Type type, Value a, Value b, scf::ForOp loop) {
  Location line = unnamed(loop.getLoc());
  SmallVector<Value> scalars;
  for (Value each : dot.getScalars())
    if (!scalars.emplace_back(scalar(each))) return {};
  Value left = arithmetic("sub", loop.getUpperBound(), loop.getInductionVar(), line);
  Value count = arithmetic("min", left, loop.getStep(), line);
  auto terms = addedUpAs(dot, builder_.create<graph::DotOp>(line, type, a, b));
  terms.getScalarsMutable().assign(scalars);
  terms.getCountMutable().assign(count);
  return terms;
}

bool Privatiser::addUp(ArrayRef<graph::DotOp> dots, const Indices &indices) {
  graph::DotOp first = dots.front();
  Location line = unnamed(first.getLoc());
  size_t rank = indices.size();
  Dim depth = shapeOf(first.getLhs().getType())[rank - 1].getDim();
  DimAttr step = DimAttr::get(builder_.getContext(), Dim::var("T.k"));
  std::optional<SummedWindows> windows = summedWindows(first);
  Dim steps;  // of channels
  if (windows) {
    steps = windows->blocks ? Dim(1) : Dim::ceilDiv(shapeOf(windows->weights.getType())[1].getDim(), step.getDim());
    depth = shapeOf(windows->weights.getType())[0].getDim() * steps;
  }
  SmallVector<Value> starts;
  for (graph::DotOp dot : dots) {
    StringRef hint = dots.size() > 1 ? nameHint(dot.getResult()) : StringRef();
    Type sums = partType(dot.getType(), indices);
    Location place = named(hint.empty() ? "acc" : hint, unnamed(dot.getLoc()));
    Value start = builder_.create<graph::ConstantOp>(line, elementTypeOf(sums), identityOf(dot.combining(), elementTypeOf(sums)));
    starts.push_back(builder_.create<graph::FullOp>(place, sums, start));
  }
  auto loop = builder_.create<scf::ForOp>(line, constantIndex(0, line), dim(depth, line), windows ? constantIndex(1, line) : dim(step.getDim(), line), starts);
  loop.getInductionVar().setLoc(named("k", line));
  Indices left(indices), right(indices);
  left[rank - 1] = right[rank - 2] = Index(loop.getInductionVar(), step);
  if (panelsOf(first)) right[rank - 1] = Index(indices[rank - 2].at, indices[rank - 1].size);
  {
    OpBuilder::InsertionGuard guard(builder_);
    builder_.setInsertionPointToEnd(loop.getBody());
    enter();
    SmallVector<std::pair<Value, Value>> tiles;  // all loads before the first product
    llvm::DenseMap<Value, Value> shared;
    if (windows) tiles.push_back(windowTiles(*windows, indices, loop.getInductionVar(), dim(steps, line)));
    const bool adds = llvm::any_of(dots, [](graph::DotOp dot) { return !dot.hasTerm(); });  // terms are counted instead
    for (graph::DotOp dot : windows ? ArrayRef<graph::DotOp>() : dots) {
      if (!shared.count(dot.getLhs())) shared[dot.getLhs()] = dotOperand(dot.getLhs(), left, rank - 1, line, adds);
      tiles.push_back({shared.lookup(dot.getLhs()), dotOperand(dot.getRhs(), right, rank - 2, line, adds)});
    }
    leave();
    SmallVector<Value> sums;
    for (auto [i, each] : llvm::enumerate(dots)) {
      graph::DotOp dot = each;
      auto [a, b] = tiles[i];
      if (!a || !b) return false;
      BlockArgument carried = loop.getRegionIterArg(i);
      carried.setLoc(starts[i].getLoc());
      Value product = dot.hasTerm() ? termsOf(dot, carried.getType(), a, b, loop)
                                    : addedUpAs(dot, builder_.create<graph::DotOp>(line, carried.getType(), a, b)).getResult();
      if (!product) return false;
      sums.push_back(arithmetic(dot.combiner(), carried, product, starts[i].getLoc()));
    }
    builder_.create<scf::YieldOp>(line, sums);
  }
  for (auto [i, dot] : llvm::enumerate(dots)) scopes_.back().done[keyOf(dot->getResult(0), indices)] = loop.getResult(i);
  return true;
}

}  // namespace tessera::transforms
