// Tiles between global memory, shared memory and registers; shared memory itself; barriers.
#include "ir/common/Common.h"
#include "ir/common/Names.h"
#include "support/Check.h"
#include "transforms/target/Elementwise.h"
#include "transforms/target/KernelScope.h"
#include <set>

using namespace mlir;
namespace tile = tessera::ir::tile;
namespace out = tessera::ir::target;

namespace tessera::transforms::totarget {

/// The elements of a view or shared buffer that a tile covers.
struct KernelEmitter::Reach {
  Value base;
  SmallVector<Value> offsets;
  SmallVector<unsigned> free;  // the dimensions of the base that are the tile's, in order
  SmallVector<int64_t> steps;
  SmallVector<bool> inBounds;
  bool leadingPoints = true;  // the free dimensions are the last ones, in steps of one; the points are proved

  /// Proved: no element of the tile lies outside of the base. Where an extent is compiled for more than its value, a
  /// tile may reach over it all the same.
  bool liesInside(ArrayRef<ir::DimAttr> tile) const {
    std::set<std::string> names;
    for (ir::DimAttr extent : tile) extent.getDim().collectVars(names);
    return llvm::all_of(inBounds, [](bool proved) { return proved; }) &&
           llvm::all_of(names, [](const std::string &name) { return name.rfind("T.", 0) == 0; });
  }
  /// Each element asks along the axes of which the tile may hold more than there is.
  void maskCapacities(ArrayRef<ir::DimAttr> tile) {
    for (auto [axis, extent] : llvm::zip(free, tile)) {
      std::set<std::string> names;
      extent.getDim().collectVars(names);
      if (llvm::any_of(names, [](const std::string &name) { return name.rfind("T.", 0) != 0; })) inBounds[axis] = false;
    }
  }
};

template <class Op> KernelEmitter::Reach KernelEmitter::reachOf(Op op) {
  Reach reach;
  reach.base = op.getBase();
  for (auto [i, offset] : llvm::enumerate(op.getOffsets())) {
    reach.offsets.push_back(offset);
    bool point = op.getPoints()[i];
    reach.steps.push_back(op.getSteps()[i]);
    reach.inBounds.push_back(op.getInBounds()[i]);
    if (!point) reach.free.push_back(i);
    bool masked = point && !reach.inBounds.back();
    if (masked || (point ? !reach.free.empty() : reach.steps.back() != 1)) reach.leadingPoints = false;
  }
  return reach;
}

/// One element of the tile as a place; `inside`: what must hold for it to lie in the base, or null.
ExprRef KernelEmitter::reachElement(const Reach &reach, const ExprRef &row, const ExprRef &col,
                                    ExprRef *inside) {
  Indices indices;
  ArrayRef<ir::DimAttr> shape = ir::shapeOf(reach.base.getType());
  size_t seen = 0;
  for (auto [i, offset] : llvm::enumerate(reach.offsets)) {
    ExprRef index = scalar(offset);
    if (llvm::is_contained(reach.free, i)) {
      ExprRef within = castTo(indexType(), reach.free.size() == 1 ? (row ? row : col)
                                           : seen == 0            ? row
                                                                  : col);
      ++seen;
      index = binary("+", index, binary("*", within, typed(reach.steps[i])));
    }
    indices.push_back(index);
    if (reach.inBounds[i] || !inside) continue;
    ExprRef part = compare("<", index, dim(shape[i].getDim()));
    if (!facts_.isNonNegative(offset)) part = binary("&&", compare(">=", index, typed(0)), part);
    *inside = *inside ? binary("&&", *inside, part) : part;
  }
  return elementPlace(reach.base, indices, reach.base);
}

static ExprRef zeroOf(Type type, const std::string &text) {
  return isa<FloatType, IntegerType, IndexType>(type) ? number(type, 0) : call(text, {}, type);
}

/// The tensor with its leading indices fixed, as the device headers take it, and the offsets in it.
static std::pair<ExprRef, std::vector<ExprRef>> fixLeading(ExprRef base, const std::vector<ExprRef> &offsets,
                                                           size_t free) {
  Type held = base->type;
  if (auto lvalue = dyn_cast<out::LValueType>(held)) held = lvalue.getValue();
  std::vector<ExprRef> points(offsets.begin(), offsets.end() - free),
      rest(offsets.end() - free, offsets.end());
  if (points.empty()) return {base, rest};
  auto view = cast<out::ViewType>(held);
  auto left = out::ViewType::get(held.getContext(), free, view.getElement(), view.getReadOnly(), view.getStrided());
  return {subscript(base, points, left), rest};
}

/// Some columns of a buffer of panels, all of its rows: a shift that is known when compiled.
static bool areOfPanels(tile::ReadSharedOp op) {
  ir::SharedType from = op.getBase().getType();
  return from.getSwizzle() == "panels" && from.getRank() == 2 && !op.getTransposed() && from.getShape()[0] == op.getResult().getType().getShape()[0];
}
static bool areOfPanels(tile::LoadFragmentOp) { return false; }

// The headers read and write tiles that are the last dimensions of their base; anything else is a loop of its
// own.
template <class Op> LogicalResult KernelEmitter::emitLoad(Op op) {
  constexpr bool fromView = std::is_same_v<Op, tile::LoadFragmentOp>;
  Reach reach = reachOf(op);
  auto type = cast<tile::FragmentType>(op.getResult().getType());
  Type elementType = type.getElementType();
  Storage *storage = plan_.storage(op.getResult());
  ExprRef place = storage ? storage->place : nullptr;
  if (storage && !place) {
    declareStorage(*storage, nullptr, op.getLoc());
    place = storage->place;
  } else if (!place) {
    place = declare(nameFor(op.getResult()), placeType(type, op.getLoc()), "direct", {}, false, op.getLoc());
  }
  bound_[op.getResult()] = place;
  bool whole = reach.leadingPoints && reach.free.size() == type.getRank();
  ExprRef base = bound_.lookup(reach.base);
  Indices offsets;
  for (Value offset : reach.offsets) offsets.push_back(scalar(offset));
  if (fromView && whole) {
    auto [view, rest] = fixLeading(base, offsets, reach.free.size());
    Indices arguments = {place, view};
    arguments.insert(arguments.end(), rest.begin(), rest.end());
    bool inside = reach.liesInside(type.getShape()) && !op.getTransposed();
    if (op.getOther() && !inside) arguments.push_back(scalar(op.getOther()));
    const char *load = op.getTransposed() ? "tsr::load_transposed_fragment" : inside ? "tsr::load_whole_fragment" : "tsr::load_fragment";
    statement(call(load, arguments, none()), op.getLoc());
    return success();
  }
  bool atStart = llvm::all_of(offsets, [](const ExprRef &offset) { return asInteger(offset) == 0; });
  bool single = isa<out::NamedType>(
      cast<out::LValueType>(isa<out::LValueType>(base->type) ? base->type : place->type).getValue());
  SmallVector<ir::DimAttr> held(type.getShape());
  if (op.getTransposed()) std::reverse(held.begin(), held.end());
  if (!fromView && whole && atStart && single && reach.offsets.size() == 2 && llvm::equal(ir::shapeOf(reach.base.getType()), held)) {
    ExprRef from = op.getTransposed() ? call("tsr::transposed", {base}, out::NamedType::get(context_, "auto")) : base;
    statement(call("tsr::read_shared", {place, from}, none()), op.getLoc());
    return success();
  }
  if (areOfPanels(op) && whole && single && asInteger(offsets[0]) == 0) {
    statement(call("tsr::read_shared", {place, base, offsets[1]}, none()), op.getLoc());
    return success();
  }
  if (!op.getTransposed()) reach.maskCapacities(type.getShape());
  overElements(type, place, op.getLoc(), [&](const ExprRef &i, const ExprRef &j) {
    ExprRef row = i ? method(place, "row", {i}, intType()) : nullptr,
            col = j ? method(place, "col", {j}, intType()) : nullptr;
    if (op.getTransposed()) std::swap(row, col);
    // Positions beyond the tile must not be read either.
    ExprRef inside =
        method(place, "holds", i && j ? Indices{i, j} : Indices{i ? i : j}, IntegerType::get(context_, 1));
    ExprRef value = read(reachElement(reach, row, col, &inside));
    ExprRef other = op.getOther() ? scalar(op.getOther()) : zeroOf(elementType, dtypeText(elementType));
    Indices at;
    if (i) at.push_back(i);
    if (j) at.push_back(j);
    assign(element(place, at, elementType), conditional(inside, value, other), op.getLoc());
  });
  // Reads under a condition, at a distance: compilers make no vectors of them, and clang warns where it was told to.
  lastLoop_->walk([](out::ForOp loop) { loop.setSimd(false); });
  return success();
}

template <class Op> LogicalResult KernelEmitter::emitStore(Op op) {
  constexpr bool toView = std::is_same_v<Op, tile::StoreFragmentOp>;
  Reach reach = reachOf(op);
  auto type = cast<tile::FragmentType>(op.getValue().getType());
  ExprRef value = materialised(op.getValue());
  if (!value) return failure();
  value = value->operands[0];
  ExprRef base = bound_.lookup(reach.base);
  Indices offsets;
  for (Value offset : reach.offsets) offsets.push_back(scalar(offset));
  bool whole = reach.leadingPoints && reach.free.size() == type.getRank(), turned = false;
  if constexpr (toView) {
    if (op.getBulk()) return emitBulkStore(op);
    turned = op.getTransposed();
  }
  if (toView && whole) {
    auto [view, rest] = fixLeading(base, offsets, reach.free.size());
    Indices arguments = {view, value};
    arguments.insert(arguments.end(), rest.begin(), rest.end());
    bool inside = reach.liesInside(type.getShape());
    const char *store = turned ? "tsr::store_transposed_fragment" : inside ? "tsr::store_whole_fragment" : "tsr::store_fragment";
    statement(call(store, arguments, none()), op.getLoc());
    return success();
  }
  bool atStart = llvm::all_of(offsets, [](const ExprRef &offset) { return asInteger(offset) == 0; });
  auto held = dyn_cast<out::LValueType>(base->type);
  if (!toView && whole && atStart && held && isa<out::NamedType>(held.getValue()) &&
      reach.offsets.size() == 2 && llvm::equal(ir::shapeOf(reach.base.getType()), type.getShape())) {
    statement(call("tsr::write_shared", {base, value}, none()), op.getLoc());
    return success();
  }
  reach.maskCapacities(type.getShape());
  overElements(type, value, op.getLoc(), [&](const ExprRef &i, const ExprRef &j) {
    ExprRef row = i ? method(value, "row", {i}, intType()) : nullptr,
            col = j ? method(value, "col", {j}, intType()) : nullptr;
    if (turned) std::swap(row, col);
    Type truth = IntegerType::get(context_, 1);
    ExprRef inside = method(value, "holds", i && j ? Indices{i, j} : Indices{i ? i : j}, truth);
    if (!i || !j) inside = binary("&&", method(value, "owner", {}, truth), inside);
    ExprRef to = reachElement(reach, row, col, &inside);
    Indices at;
    if (i) at.push_back(i);
    if (j) at.push_back(j);
    auto branch = builder_.create<out::IfOp>(op.getLoc(), write(builder_, op.getLoc(), inside));
    OpBuilder::InsertionGuard guard(builder_);
    builder_.createBlock(&branch.getThenBody());
    assign(to, read(element(value, at, type.getElementType())), op.getLoc());
  });
  lastLoop_ = nullptr;
  return success();
}

LogicalResult KernelEmitter::emitColumnSums(tile::StoreColumnSumsOp op) {
  ExprRef value = materialised(op.getValue());
  if (!value) return failure();
  Indices arguments = {bound_.lookup(op.getBase()), value->operands[0], scalar(op.getRow()), scalar(op.getCol()), scalar(op.getRows())};
  statement(call(op.getTransposed() ? "tsr::store_transposed_column_sums" : "tsr::store_column_sums", arguments, none()), op.getLoc());
  return success();
}

template LogicalResult KernelEmitter::emitLoad(tile::LoadFragmentOp);
template LogicalResult KernelEmitter::emitLoad(tile::ReadSharedOp);
template LogicalResult KernelEmitter::emitStore(tile::StoreFragmentOp);
template LogicalResult KernelEmitter::emitStore(tile::WriteSharedOp);

LogicalResult KernelEmitter::emitCopy(tile::CopyOp op) {
  if (auto part = op.getTarget().getDefiningOp<tile::SelectBufferOp>(); part && part.getIndex().getDefiningOp<tile::RingAcquireOp>())
    return emitCopyToRing(op);
  Reach reach = reachOf(op);
  ExprRef target = bound_.lookup(op.getTarget()), base = bound_.lookup(reach.base);
  Indices offsets;
  for (Value offset : reach.offsets) offsets.push_back(scalar(offset));
  auto held = dyn_cast<out::LValueType>(target->type);
  bool isTile = held && isa<out::NamedType>(held.getValue());
  if (isTile && reach.leadingPoints && reach.free.size() == 2) {
    auto [view, rest] = fixLeading(base, offsets, 2);
    Indices arguments = {target, view};
    arguments.insert(arguments.end(), rest.begin(), rest.end());
    std::vector<Attribute> lanes = {StringAttr::get(context_, singleLane_ ? "1" : "Threads")};
    bool inside = reach.liesInside(cast<ir::SharedType>(op.getTarget().getType()).getShape());
    std::string copy = inside ? "tsr::copy_whole_tile" : "tsr::copy_tile";
    if (auto packed = packed_.find(op.getTarget()); packed != packed_.end()) {
      bool turned = packed->second.transposed && !packed->second.isLeft;
      statement(call(turned ? "tsr::copy_transposed_tile" : "tsr::copy_tile", arguments, none(), lanes), op.getLoc());
      return success();
    }
    if (!alignment_.empty() && beginsAligned(op)) lanes.push_back(StringAttr::get(context_, alignment_));
    statement(call(op.getAsync() ? copy + "_async" : copy, arguments, none(), lanes), op.getLoc());
    return success();
  }
  // Element by element, the lanes in turn.
  auto shared = cast<ir::SharedType>(op.getTarget().getType());
  size_t rank = shared.getShape().size();
  if (rank > 2 || reach.free.size() != rank)
    return unsupported(*op, "a copy into a buffer of this rank is not emitted yet");
  reach.maskCapacities(shared.getShape());
  Location place = op.getLoc();
  lastLoop_ = nullptr;
  std::vector<Dim> extents = written(shared.getShape(), op.getTarget().getLoc());
  Dim total(1);
  for (const Dim &extent : extents) total = total * extent;
  Value from = write(builder_, place, lane()),
        to = write(builder_, place, name(typeExtent(total), indexType()));
  Value by = write(builder_, place, singleLane_ ? typed(1) : name("Threads", indexType()));
  Scope scope(*this);
  auto loop =
      builder_.create<out::ForOp>(place, names_.fresh("e"), from, to, by, IntegerAttr(), false, false);
  Block *body = scope.enter(loop.getBody());
  ExprRef at = valueOf(body->addArgument(indexType(), place)), row = at, col;
  if (rank == 2) {
    ExprRef width = name("(" + typeExtent(extents[1]) + ")", indexType());
    row = binary("/", at, width);
    col = binary("%", at, width);
  }
  ExprRef inside;
  ExprRef value = read(reachElement(reach, row, col, &inside));
  if (inside) value = conditional(inside, value, zeroOf(value->type, dtypeText(value->type)));
  assign(elementPlace(op.getTarget(), rank == 2 ? Indices{row, col} : Indices{row}, op.getTarget()), value,
         place);
  return success();
}

// ---------------------------------------------------------------- shared memory and time

LogicalResult KernelEmitter::emitAllocShared(tile::AllocSharedOp op) {
  auto type = cast<ir::SharedType>(op.getResult().getType());
  StringRef hint = ir::nameHint(op.getResult());
  std::string name = hint.empty() ? names_.fresh("shared_tile") : names_.declare(hint);
  if (declarePackedOperand(op, name)) return success();
  ArrayRef<ir::DimAttr> shape = type.getShape();
  std::vector<Dim> sizes = written(shape, op.getLoc());
  Type held = type.getElementType();
  SmallVector<Attribute> extents;
  size_t leading = shape.size() < 2 ? shape.size() : shape.size() - 2;
  for (size_t i = 0; i < leading; ++i) extents.push_back(StringAttr::get(context_, typeExtent(sizes[i])));
  if (shape.empty()) extents.push_back(StringAttr::get(context_, "1"));
  if (shape.size() >= 2) {
    std::string text = "tsr::SharedTile<" + dtypeText(held);
    for (const Dim &extent : ArrayRef(sizes).take_back(2)) text += ", " + typeExtent(extent);
    if (type.getSwizzle() == "xor") text += ", tsr::Xor";
    if (type.getSwizzle() == "panels") text += ", tsr::Panels";
    held = out::NamedType::get(context_, text + ">");
  }
  if (!extents.empty()) held = out::ArrayType::get(context_, ArrayAttr::get(context_, extents), held);
  OpBuilder::InsertionGuard guard(builder_);
  builder_.setInsertionPoint(declarations_);
  auto shared = builder_.create<out::SharedOp>(op.getLoc(), out::LValueType::get(context_, held), name);
  bound_[op.getResult()] = valueOf(shared.getPlace());
  Shared bytes{{}, 4, name, op.getLoc()};
  if (type.getElementType().isIntOrFloat())
    bytes.elementBytes = (type.getElementType().getIntOrFloatBitWidth() + 7) / 8;
  if (isa<ComplexType, IndexType>(type.getElementType())) bytes.elementBytes = 8;
  for (ir::DimAttr extent : shape) bytes.extents.push_back(extent.getDim());
  shared_.push_back(bytes);
  return success();
}

/// Memory in which a reduction of the device headers meets; one for each type, used again.
ExprRef KernelEmitter::scratch(Type element, std::string extent, int64_t bytes, std::vector<Dim> extents) {
  ExprRef &space = scratch_[dtypeText(element) + " " + extent];
  if (space) return space;
  OpBuilder::InsertionGuard guard(builder_);
  builder_.setInsertionPoint(declarations_);
  auto array = out::ArrayType::get(context_, builder_.getStrArrayAttr({extent}), element);
  // The reductions take a pointer; an array is one.
  auto shared = builder_.create<out::SharedOp>(kernel_.getLoc(), out::LValueType::get(context_, array),
                                               names_.fresh("scratch"));
  shared_.push_back({std::move(extents), bytes, "scratch", kernel_.getLoc()});
  return space = valueOf(shared.getPlace());
}

LogicalResult KernelEmitter::emitTime(Operation &op) {
  if (auto wait = dyn_cast<tile::WaitGroupOp>(op)) {
    std::vector<Attribute> pending = {builder_.getI64IntegerAttr(wait.getPending())};
    if (!isCpu()) statement(call("tsr::async_wait", {}, none(), pending), op.getLoc());
    return success();
  }
  if (isCpu()) return success();  // one lane waits for nobody, and copies are done when they return
  statement(call(isa<tile::BarrierOp>(op) ? "tsr::group_barrier" : "tsr::async_commit", {}, none()),
            op.getLoc());
  return success();
}

}  // namespace tessera::transforms::totarget
