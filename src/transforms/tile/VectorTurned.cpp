// Maps that read along another axis than they write: tiles are turned in shared memory, so that both sides move vectors.
#include "ir/common/Conversions.h"
#include "ir/common/Names.h"
#include "support/Machine.h"
#include "transforms/tile/VectorForm.h"
#include "transforms/tile/EraseUnused.h"

namespace tessera::transforms {
using namespace mlir;
using namespace tessera::ir;

/// The axis of the result along which a load's neighbours lie, where that is not the last one, on which its other indices depend: then none
/// of them depends on that axis.
std::optional<int64_t> VectorForm::axisAcross(tile::LoadElementOp load) {
  auto indices = load.getIndices();
  if (indices.size() < 2) return std::nullopt;
  auto classesWith = [&](int64_t moving, Kind kind) {
    classes_.clear();
    for (Value counter : counters_) classes_[counter] = Class{Kind::Varies, false, {}};  // but for the indices of what is stored
    for (auto [axis, index] : llvm::enumerate(store_.getIndices()))
      classes_[index] = static_cast<int64_t>(axis) == moving ? Class{kind, true, {}} : Class{};
  };
  auto isSame = [&](Value index) { return classOf(index).kind == Kind::Same; };
  std::optional<int64_t> found;
  classesWith(last_, Kind::Varies);
  if (!llvm::all_of(indices.drop_back(), isSame))
    for (int64_t axis = 0; axis < last_ && !found; ++axis) {
      classesWith(axis, Kind::Step);
      const Class &along = classOf(indices.back());
      if (along.kind == Kind::Step && along.whole && llvm::all_of(indices.drop_back(), isSame)) found = axis;
    }
  if (found) alongAcross_[load] = classOf(indices.back()).divide;
  classes_.clear();
  return found;
}

/// A lane an element, with loads whose neighbours lie along another axis of the result.
bool VectorForm::findTurned() {
  SmallVector<tile::StoreElementOp> stores(guard_.thenBlock()->getOps<tile::StoreElementOp>());
  int64_t all = 0;
  guard_.walk([&](tile::StoreElementOp) { ++all; });
  auto inside = [](DenseBoolArrayAttr inBounds) {
    return inBounds && !llvm::is_contained(inBounds.asArrayRef(), false);
  };
  if (all != 1 || stores.size() != 1 || !inside(stores[0].getInBoundsAttr())) return false;
  store_ = stores[0];
  ArrayRef<DimAttr> shape = cast<ViewType>(store_.getBase().getType()).getShape();
  if (!isFlat(store_.getIndices(), shape) || shape.back().getConstant() == 1) return false;
  last_ = shape.size() - 1;
  across_ = -1;
  bool good = true;
  guard_.walk([&](tile::LoadElementOp load) {
    if (!isa<ViewType>(load.getBase().getType()) || !dtypeOf(elementTypeOf(load.getType()))) return;
    std::optional<int64_t> across = axisAcross(load);
    if (!across) return;
    good &= load->getBlock() == guard_.thenBlock() && inside(load.getInBoundsAttr()) && (across_ < 0 || across_ == *across);
    across_ = *across;
    turned_.push_back(load);
  });
  if (!good || turned_.empty()) return false;
  // Where the lane stands is given by tiles now.
  classes_.clear();
  moves_.clear();
  for (auto [axis, index] : llvm::enumerate(store_.getIndices()))
    classes_[index] = axis == static_cast<size_t>(last_) ? Class{Kind::Step, true, {}} : Class{};
  tiles_ = true;
  findMoves(guard_.getThenRegion());
  moves_.erase(store_);
  moves_.insert({store_, Move{store_.getBase(), false, {shape[last_].getDim()}}});
  for (tile::LoadElementOp load : turned_) {
    moves_.erase(load);
    moves_.insert({load, Move{load.getBase(), false, {shape[across_].getDim()}}});
    llvm::append_range(moves_.find(load)->second.divide, alongAcross_[load]);
  }
  return choose();
}

void VectorForm::forgetTurned() {
  turned_.clear();
  classes_.clear();
  moves_.clear();
  tiles_ = false;
}

/// The lanes of the group take the vectors of a tile in turn; `body` gets the offset along the rows, and the first one
/// along the columns.
void VectorForm::overTile(const Dim &rows, const Dim &cols, Location loc, function_ref<void(Value, Value)> body) {
  Value vector = dim(Dim::var("T.vector"), loc);
  Value turns = dim(Dim::floorDiv(Dim::floorDiv(rows * cols, Dim(kernel_.getGroup())), Dim::var("T.vector")), loc);
  auto loop = builder_.create<scf::ForOp>(loc, number(0, loc), turns, number(1, loc));
  loop->setAttr(tile::kUnrolled, builder_.getUnitAttr());
  loop.getInductionVar().setLoc(named("k", loc));
  OpBuilder::InsertionGuard guard(builder_);
  builder_.setInsertionPoint(loop.getBody()->getTerminator());
  Value turn = arithmetic("mul", loop.getInductionVar(), query("group_size", loc), loc);
  Value position = arithmetic("mul", arithmetic("add", turn, query("local_id", loc), loc), vector, named("e", loc));
  Value row = arithmetic("floordiv", position, dim(cols, loc), named("down", loc));
  Value col = arithmetic("mod", position, dim(cols, loc), named("right", loc));
  body(row, col);
}

void VectorForm::vectoriseTurned() {
  Location loc = unnamed(store_.getLoc());
  MLIRContext *context = builder_.getContext();
  ArrayRef<DimAttr> shape = cast<ViewType>(store_.getBase().getType()).getShape();
  int64_t bytes = 0;  // of the widest of what is turned
  for (tile::LoadElementOp load : turned_) bytes = std::max<int64_t>(bytes, storageBytes(*dtypeOf(load.getType())));
  // Rows of the tile are read, columns are written. With rows of 256 bytes in the place of 128 a lane has four vectors under way: 0.93 of a copy for
  // 0.91 (8192 x 16384 in bf16 on one H200). Of single elements that would be 32: half as many rows take 0.44 of a copy, as many rows 0.38, and
  // tiles of 64 x 64 0.41.
  const Machine *machine = machineOf(kernel_);
  const bool wide = machine && machine->family == Target::Cuda && bytes == 2 && turned_.size() == 1;
  const int64_t edge = bytes >= 4 ? 32 : 64;
  const Dim height = wide ? Dim::var("T.height") : Dim(edge), width(wide ? 2 * edge : edge);
  Dim acrossExtent = shape[across_].getDim(), lastExtent = shape[last_].getDim();
  builder_.setInsertionPoint(guard_);
  SmallVector<DimAttr> groups;
  SmallVector<Value> place(last_ + 1);  // of the group along each axis of the result
  for (int64_t axis = 0; axis <= last_; ++axis) {
    bool tiled = axis == last_ || axis == across_;
    Dim extent = shape[axis].getDim();
    groups.push_back(DimAttr::get(context, tiled ? Dim::ceilDiv(extent, axis == last_ ? height : width) : extent));
  }
  bool counted = groups.size() <= 3;  // a grid has three axes: more are one number
  Value rest = counted ? Value() : builder_.create<tile::QueryOp>(loc, builder_.getIndexType(), "group_id", 0);
  for (int64_t axis = last_; axis >= 0; --axis) {
    bool tiled = axis == last_ || axis == across_;
    StringRef hint = nameHint(store_.getIndices()[axis]);
    Location named0 = named(((hint.empty() ? StringRef("i") : hint) + "0").str(), loc), plain = named(tiled ? StringRef() : hint, loc);
    Value at;
    if (counted) {
      at = builder_.create<tile::QueryOp>(plain, builder_.getIndexType(), "group_id", axis);
    } else {
      Value extent = dim(groups[axis].getDim(), loc);
      at = axis == 0 ? rest : arithmetic("mod", rest, extent, plain);
      if (axis > 0) rest = arithmetic("floordiv", rest, extent, loc);
    }
    place[axis] = tiled ? arithmetic("mul", at, dim(axis == last_ ? height : width, loc), named0) : at;
  }
  if (!counted) {
    Dim all(1);
    for (DimAttr count : groups) all = all * count.getDim();
    groups = {DimAttr::get(context, all)};
  }
  auto guarded = [&](Value a, Value b, function_ref<void()> body) {
    Value holds = builder_.create<tile::ElementwiseOp>(
        loc, builder_.getI1Type(), "and",
        ValueRange{arithmetic("lt", a, dim(acrossExtent, loc), loc), arithmetic("lt", b, dim(lastExtent, loc), loc)});
    auto branch = builder_.create<scf::IfOp>(loc, holds, false);
    OpBuilder::InsertionGuard guard(builder_);
    builder_.setInsertionPoint(branch.thenYield());
    body();
  };
  // Rows of the source, which run along the columns of the result's tile.
  SmallVector<Value> buffers;
  for (tile::LoadElementOp load : turned_) {
    auto type = SharedType::get(context, {DimAttr::get(context, Dim(edge)), DimAttr::get(context, width)}, load.getType(), "xor_chunks");
    buffers.push_back(builder_.create<tile::AllocSharedOp>(named(nameOf(load.getBase()) + "_tile", loc), type, /*manual=*/true));
  }
  overTile(height, width, loc, [&](Value down, Value right) {
    // What lies outside is never read from the tile: the lane loads what is there beside it. Loads behind branches would wait for each other.
    auto atMost = [&](Value at, const Dim &last) { return arithmetic("min", at, dim(last, loc), loc); };
    Value l = atMost(arithmetic("add", place[last_], down, loc), lastExtent - Dim(1));
    Value a = atMost(arithmetic("add", place[across_], right, loc), acrossExtent - Dim::var("T.vector"));
    const SmallVector<Dim> needed(needs_);  // each lane has a place of its own along the last axis
    bases_.emplace_back();
    for (int64_t axis = 0; axis <= last_; ++axis)
      bases_.back()[store_.getIndices()[axis]] = axis == last_ ? l : axis == across_ ? a : place[axis];
    for (auto [load, buffer] : llvm::zip(turned_, buffers)) {
      SmallVector<Value> indices;
      for (Value index : load.getIndices()) indices.push_back(base(index));
      auto vectorType = tile::LaneVectorType::get(context, load.getType());
      Value vector = builder_.create<tile::LoadVectorOp>(named(nameOf(load.getBase()) + "_vector", loc), vectorType, load.getBase(), indices, false);
      builder_.create<tile::PutVectorOp>(loc, vector, buffer, down, right);
    }
    bases_.pop_back();
    needs_ = needed;
  });
  builder_.create<tile::BarrierOp>(loc);
  overTile(width, height, loc, [&](Value down, Value right) {
    Value a = arithmetic("add", place[across_], down, named(nameHint(store_.getIndices()[across_]), loc));
    Value l = arithmetic("add", place[last_], right, named(nameHint(store_.getIndices()[last_]), loc));
    guarded(a, l, [&] {
      bases_.emplace_back();
      for (int64_t axis = 0; axis <= last_; ++axis)
        bases_.back()[store_.getIndices()[axis]] = axis == last_ ? l : axis == across_ ? a : place[axis];
      Value linear = number(0, loc);  // where something asks for it
      for (int64_t axis = 0; axis <= last_; ++axis)
        linear = arithmetic("add", arithmetic("mul", linear, dim(shape[axis].getDim(), loc), loc), base(store_.getIndices()[axis]), loc);
      counterBase_ = linear;
      for (auto [load, buffer] : llvm::zip(turned_, buffers)) inTile_[load] = {buffer, right, down};
      computeAll(*guard_.thenBlock(), {}, {}, {}, loc);
      bases_.pop_back();
    });
  });
  guard_.erase();
  eraseUnused(kernel_);
  kernel_.setGridAttr(GridAttr::get(context, GridKind::Explicit, groups, -1));
  settle();
  Sizes vectors = {{"vector", elements_}}, single = {{"vector", 1}};
  if (wide) vectors.push_back({"height", edge}), single.push_back({"height", edge / 2});
  setVariants({variant(vectors, true), variant(single, false)},
              "transpose: tiles are turned in shared memory, so that both sides move Vector neighbouring elements at once");
}

}  // namespace tessera::transforms
