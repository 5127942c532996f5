#include "transforms/schedule/Privatise.h"
#include "ir/common/Names.h"
#include "llvm/ADT/StringExtras.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "support/Check.h"
#include "transforms/schedule/ConcatParts.h"
#include "transforms/schedule/RadixSort.h"
#include "transforms/schedule/Shapes.h"

namespace tessera::transforms {
using namespace mlir;
using namespace tessera::ir;

bool hasWhole(const Indices &indices) { return llvm::any_of(indices, [](const Index &i) { return i.isWhole(); }); }
bool hasRange(const Indices &indices) { return llvm::any_of(indices, [](const Index &i) { return i.isRange(); }); }

int64_t positionOf(const Indices &indices, int64_t axis) {
  return llvm::count_if(ArrayRef(indices).take_front(axis), [](const Index &i) { return !i.isPoint(); });
}

static std::optional<int64_t> constantOf(Value value) {
  auto constant = value.getDefiningOp<graph::ConstantOp>();
  if (!constant || !value.getType().isIndex()) return std::nullopt;
  return cast<IntegerAttr>(constant.getValue()).getInt();
}

bool Index::covers(DimAttr extent) const { return size == extent && constantOf(at) == 0; }

PartAccess::PartAccess(OpBuilder &builder, ArrayRef<DimAttr> extents, const Indices &indices, Location loc) {
  SmallVector<bool> isPoint, isInside;
  SmallVector<DimAttr> counts;
  TypedAttr zero = builder.getIndexAttr(0);
  for (auto [extent, index] : llvm::zip(extents, indices)) {
    Value start = index.at;
    if (!start) start = builder.create<graph::ConstantOp>(loc, zero.getType(), zero);
    offsets.push_back(start);
    isPoint.push_back(index.isPoint());
    isInside.push_back(!index.isRange() || index.covers(extent));
    counts.push_back(index.isPoint()   ? DimAttr::get(builder.getContext(), Dim(1))
                     : index.isRange() ? index.size
                                       : extent);
  }
  points = builder.getDenseBoolArrayAttr(isPoint);
  sizes = DimsAttr::get(builder.getContext(), counts);
  steps = builder.getDenseI64ArrayAttr(SmallVector<int64_t>(extents.size(), 1));
  inBounds = builder.getDenseBoolArrayAttr(isInside);
}

// ---------------------------------------------------------------- small builders

Value Privatiser::constantIndex(int64_t value, Location loc) {
  TypedAttr attribute = builder_.getIndexAttr(value);
  return builder_.create<graph::ConstantOp>(loc, attribute.getType(), attribute);
}

Value Privatiser::dim(const Dim &dim, Location loc) {
  if (dim.isConstant()) return constantIndex(dim.constant(), loc);
  return builder_.create<graph::DimOp>(loc, builder_.getIndexType(),
                                       DimAttr::get(builder_.getContext(), dim));
}

/// The operation, or an operand that it does nothing to.
Value Privatiser::arithmetic(StringRef mnemonic, Value a, Value b, Location loc) {
  std::optional<int64_t> left = constantOf(a), right = constantOf(b);
  bool adds = mnemonic == "add", multiplies = mnemonic == "mul";
  if ((adds && left == 0) || (multiplies && left == 1)) return b;
  if ((adds && right == 0) || (multiplies && right == 1)) return a;
  if (multiplies && left && right) return constantIndex(*left * *right, loc);
  auto op = elementwiseByMnemonic({mnemonic.data(), mnemonic.size()});
  return builder_.create<graph::ElementwiseOp>(loc, elementwiseResultType(*op, b.getType()), mnemonic,
                                               ValueRange{a, b});
}

Indices Privatiser::delinearize(Value linear, ArrayRef<DimAttr> extents, Location loc, bool naming) {
  Indices indices(extents.size());
  SmallVector<size_t> axes;
  for (size_t i = 0; i < extents.size(); ++i)
    if (isUnit(extents[i])) indices[i] = constantIndex(0, loc);
    else axes.push_back(i);
  // linear / (extents behind) % extent, from the first axis to the last.
  for (size_t i = 0; i < axes.size(); ++i) {
    Dim extent = extents[axes[i]].getDim();
    Value behind;
    for (size_t j = i + 1; j < axes.size(); ++j) {
      Value next = dim(extents[axes[j]].getDim(), loc);
      behind = behind ? arithmetic("mul", behind, next, loc) : next;
    }
    std::string text = extent.str();
    std::string name = axes.size() == 2 ? (i == 0 ? "row" : "col") : "";
    if (text.size() == 1 && llvm::isAlpha(text[0])) name = StringRef(text).lower();
    if (name.empty()) name = "i" + std::to_string(axes[i]);
    Location place = naming && axes.size() > 1 ? named(name, loc) : loc;
    bool first = i == 0, last = i + 1 == axes.size();
    Value index = linear;
    if (!last) index = arithmetic("floordiv", index, behind, first ? place : loc);
    if (!first) index = arithmetic("mod", index, dim(extent, loc), place);
    indices[axes[i]] = index;
  }
  return indices;
}

Type Privatiser::partType(Type type, const Indices &indices) {
  SmallVector<DimAttr> shape;
  for (auto [extent, index] : llvm::zip(shapeOf(type), indices))
    if (!index.isPoint()) shape.push_back(index.isRange() ? index.size : extent);
  if (shape.empty()) return elementTypeOf(type);
  return TensorType::get(builder_.getContext(), shape, elementTypeOf(type));
}

Value Privatiser::failedAt(Operation *op, const Twine &why) {
  op->emitError(why);
  return {};
}

// ---------------------------------------------------------------- parts

Privatiser::Key Privatiser::keyOf(Value value, const Indices &indices) {
  Key key{value.getAsOpaquePointer(), {}};
  for (const Index &index : indices) {
    auto constant = index.at ? index.at.getDefiningOp<graph::ConstantOp>() : graph::ConstantOp();
    key.second.push_back(constant ? const_cast<void *>(constant.getValue().getAsOpaquePointer()) : index.at.getAsOpaquePointer());
    key.second.push_back(const_cast<void *>(index.size.getAsOpaquePointer()));
  }
  return key;
}

Value Privatiser::part(Value value, const Indices &indices) {
  Key key = keyOf(value, indices);
  for (auto &scope : llvm::reverse(scopes_)) {
    if (Value given = scope.given.lookup(value)) return given;
    if (auto found = scope.done.find(key); found != scope.done.end()) return found->second;
  }
  Value result = compute(value, indices);
  if (result) scopes_.back().done[key] = result;
  return result;
}

/// `masked`: an axis whose index may lie outside; -1 if there is none.
Value Privatiser::loaded(Value view, const Indices &indices, Location loc, int64_t masked) {
  PartAccess at(builder_, shapeOf(view.getType()), indices, loc);
  if (masked >= 0) {
    SmallVector<bool> inBounds(at.inBounds.asArrayRef());
    inBounds[masked] = false;
    at.inBounds = builder_.getDenseBoolArrayAttr(inBounds);
  }
  Type type = accessedType(view.getType(), at.points, at.sizes.getDims());
  if (StringRef name = nameHint(view); hasRange(indices) && !name.empty()) loc = named((name + "_tile").str(), loc);
  return builder_.create<graph::LoadOp>(loc, type, view, at.offsets, at.points, at.sizes, at.steps,
                                        at.inBounds, Value());
}

/// `opened`: the indices of the part `value`.
Value Privatiser::picked(Value whole, const Indices &opened, const Indices &indices, Location loc) {
  Value piece = part(whole, opened);
  if (!piece) return {};
  Indices inner;  // of the piece
  for (auto [before, index] : llvm::zip(opened, indices))
    if (before.isWhole()) inner.push_back(index);
  PartAccess at(builder_, shapeOf(piece.getType()), inner, loc);
  Type type = partType(whole.getType(), indices);
  return builder_.create<graph::SliceOp>(loc, type, piece, at.offsets, at.points, at.sizes, at.steps,
                                         at.inBounds);
}

Value Privatiser::compute(Value value, const Indices &indices) {
  if (auto leaf = leaves_.find(value); leaf != leaves_.end())
    return isa<ViewType>(leaf->second.getType()) ? loaded(leaf->second, indices, value.getLoc())
                                                 : leaf->second;
  Operation *op = value.getDefiningOp();
  TSR_CHECK(op, "a value of a tensor function without a definition");
  Location loc = op->getLoc();
  if (auto element = dyn_cast<graph::ElementwiseOp>(op); element && element.getMnemonic() == "select" && hasRange(indices))
    if (auto asked = element->getOperand(0).getDefiningOp<graph::FullOp>()) return chosen(element, asked.getOperand(), indices);
  if (isa<graph::ElementwiseOp, graph::CastOp>(op)) {
    OperationState state(loc, op->getName());
    state.addAttributes(op->getAttrs());
    state.addTypes(partType(value.getType(), indices));
    for (Value operand : op->getOperands()) {
      Value piece = part(operand, indices);
      if (!piece) return {};
      state.addOperands(piece);
    }
    return builder_.create(state)->getResult(0);
  }
  if (isa<graph::ConstantOp, graph::DimOp>(op)) return builder_.clone(*op)->getResult(0);
  if (auto full = dyn_cast<graph::FullOp>(op)) {
    Value element = scalar(full.getOperand());
    Type type = partType(full.getType(), indices);
    if (!element || !isa<TensorType>(type)) return element;
    return builder_.create<graph::FullOp>(loc, type, element);
  }
  if (auto iota = dyn_cast<graph::IotaOp>(op)) {
    Type type = partType(iota.getType(), indices);
    const Index &index = indices[iota.getAxis()];
    Value places;
    if (!index.isPoint()) {
      Type counted = index.isRange() ? withElementType(type, builder_.getI32Type()) : type;  // a tile is counted in i32
      places = builder_.create<graph::IotaOp>(loc, counted, positionOf(indices, iota.getAxis()));
      if (counted != type) places = builder_.create<graph::CastOp>(loc, type, places, StringAttr(), UnitAttr());
    }
    if (index.isWhole()) return places;
    Value start = builder_.create<graph::CastOp>(loc, elementTypeOf(type), index.at, StringAttr(), UnitAttr());
    if (isa<TensorType>(type)) start = builder_.create<graph::FullOp>(loc, type, start).getResult();
    return places ? arithmetic("add", start, places, loc) : start;
  }
  if (auto extract = dyn_cast<graph::ExtractOp>(op))
    return part(extract.getOperand(),
                Indices(extract.getOperand().getType().getRank(), constantIndex(0, loc)));
  if (auto broadcastOp = dyn_cast<graph::BroadcastOp>(op)) return broadcast(broadcastOp, indices);
  if (auto reshapeOp = dyn_cast<graph::ReshapeOp>(op)) return reshape(reshapeOp, indices);
  if (auto transposeOp = dyn_cast<graph::TransposeOp>(op)) return transpose(transposeOp, indices);
  if (auto reduceOp = dyn_cast<graph::ReduceOp>(op)) return reduce(reduceOp, indices);
  if (auto dotOp = dyn_cast<graph::DotOp>(op)) return dot(dotOp, indices);
  if (auto concatOp = dyn_cast<graph::ConcatOp>(op)) return concat(concatOp, indices, 0, concatOp.getOperands().size());
  if (auto windowOp = dyn_cast<graph::WindowOp>(op)) return window(windowOp, indices);
  if (auto gatherOp = dyn_cast<graph::GatherOp>(op)) return gather(gatherOp, indices);
  if (auto sliceOp = dyn_cast<graph::SliceOp>(op)) return slice(sliceOp, indices);
  return failedAt(op, wordOf(op) + " in a tensor function");
}

/// The operand's axes that are repeated are read at 0; the part is repeated along the whole axes that it
/// lacks.
Value Privatiser::broadcast(graph::BroadcastOp op, const Indices &indices) {
  Location loc = op.getLoc();
  Indices inner;
  SmallVector<int64_t> axes;  // among the whole axes of the result
  for (auto [axis, extent] : llvm::zip(op.getAxes(), op.getOperand().getType().getShape())) {
    inner.push_back(isUnit(extent) ? constantIndex(0, loc) : indices[axis]);
    if (!inner.back().isPoint()) axes.push_back(positionOf(indices, axis));
  }
  Value piece = part(op.getOperand(), inner);
  Type type = partType(op.getType(), indices);
  if (!piece || piece.getType() == type) return piece;
  if (!isa<TensorType>(piece.getType())) return builder_.create<graph::FullOp>(loc, type, piece);
  return builder_.create<graph::BroadcastOp>(loc, type, piece, axes);
}

Value Privatiser::transpose(graph::TransposeOp op, const Indices &indices) {
  Indices inner(indices.size());
  for (auto [i, axis] : llvm::enumerate(op.getPerm())) inner[axis] = indices[i];
  Value piece = part(op.getOperand(), inner);
  SmallVector<int64_t> perm;
  for (int64_t axis : op.getPerm())
    if (!inner[axis].isPoint()) perm.push_back(positionOf(inner, axis));
  if (!piece || llvm::is_sorted(perm)) return piece;  // of a square, the type would not tell
  return builder_.create<graph::TransposeOp>(op.getLoc(), partType(op.getType(), indices), piece, perm);
}

Value Privatiser::reduce(graph::ReduceOp op, const Indices &indices) {
  Indices inner;
  SmallVector<int64_t> axes;
  auto kept = indices.begin();
  for (size_t axis = 0; axis < op.getOperand().getType().getRank(); ++axis) {
    bool reduced = llvm::is_contained(op.getAxes(), static_cast<int64_t>(axis));
    inner.push_back(reduced ? Index() : *kept++);
    if (reduced) axes.push_back(positionOf(inner, axis));
  }
  Value piece = part(op.getOperand(), inner);
  if (!piece) return {};
  return builder_.create<graph::ReduceOp>(op.getLoc(), partType(op.getType(), indices), op.getMnemonic(),
                                          piece, axes);
}

/// Of the operands from `first` to `last`. The index counts from where the first one begins.
Value Privatiser::concat(graph::ConcatOp op, const Indices &indices, size_t first, size_t last) {
  Location loc = op.getLoc(), line = unnamed(loc);
  int64_t axis = op.getAxis();
  if (indices[axis].isWhole()) {
    SmallVector<Value> pieces;
    for (Value operand : op.getOperands())
      if (!pieces.emplace_back(part(operand, indices))) return {};
    return builder_.create<graph::ConcatOp>(loc, partType(op.getType(), indices), positionOf(indices, axis), pieces);
  }
  if (hasWhole(indices)) {  // which operand a row is of is asked for each of its elements
    Indices opened(indices);
    opened[axis] = {};
    return picked(op.getResult(), opened, indices, loc);
  }
  if (first + 1 == last) return part(op.getOperands()[first], indices);
  size_t middle = middleOf(first, last);
  Value extent = dim(extentOf(op, first, middle), line);
  Value isHere = arithmetic("lt", indices[axis].at, extent, line);
  Indices rest(indices);
  return branch(op, partType(op.getType(), indices), isHere, [&] { return concat(op, indices, first, middle); }, [&] {
    rest[axis] = arithmetic("sub", indices[axis].at, extent, line);
    return concat(op, rest, middle, last);
  });
}

Value Privatiser::branch(Operation *op, Type type, Value condition, llvm::function_ref<Value()> yes, llvm::function_ref<Value()> no) {
  Location loc = op->getLoc();
  auto branch = builder_.create<scf::IfOp>(loc, TypeRange(type), condition, /*withElse=*/true);
  auto fill = [&](Region &region, llvm::function_ref<Value()> compute) {
    OpBuilder::InsertionGuard guard(builder_);
    if (!region.front().empty()) region.front().back().erase();
    builder_.setInsertionPointToEnd(&region.front());
    enter();
    Value value = compute();
    leave();
    if (value) builder_.create<scf::YieldOp>(loc, value);
    return static_cast<bool>(value);
  };
  return fill(branch.getThenRegion(), yes) && fill(branch.getElseRegion(), no) ? branch.getResult(0) : Value();
}

/// A choice for a whole tile: only one side is computed. What the other side is made of, too, comes before.
Value Privatiser::chosen(graph::ElementwiseOp op, Value condition, const Indices &indices) {
  Value yes = op->getOperand(1), no = op->getOperand(2), asked = scalar(condition);
  if (!asked) return {};
  for (auto [value, other] : {std::pair(yes, no), std::pair(no, yes)})
    if (isMadeOf(value, other) && !part(other, indices)) return {};
  Value made = branch(op, partType(op.getType(), indices), asked, [&] { return part(yes, indices); }, [&] { return part(no, indices); });
  if (StringRef name = nameHint(op.getResult()); made && !name.empty())
    made.getDefiningOp()->setAttr("tsr.names", builder_.getStrArrayAttr({name}));
  return made;
}

bool Privatiser::isMadeOf(Value value, Value other) {
  llvm::DenseSet<Value> seen;
  SmallVector<Value> open{value};
  while (!open.empty()) {
    Value next = open.pop_back_val();
    if (next == other) return true;
    if (leaves_.count(next) || !next.getDefiningOp() || !seen.insert(next).second) continue;
    llvm::append_range(open, next.getDefiningOp()->getOperands());
  }
  return false;
}

Value Privatiser::window(graph::WindowOp op, const Indices &indices) {
  size_t axis = op.getAxis();
  Value place = indices[axis].at, number = indices[axis + 1].at;
  Location loc = unnamed(op.getLoc());
  if (static_cast<bool>(place) != static_cast<bool>(number)) {
    Indices opened(indices);
    opened[axis] = opened[axis + 1] = {};
    return picked(op.getResult(), opened, indices, op.getLoc());
  }
  Indices inner(indices);
  inner.erase(inner.begin() + axis);
  if (place)
    inner[axis] = arithmetic("add", arithmetic("mul", number, constantIndex(op.getStep(), loc), loc),
                             arithmetic("mul", place, constantIndex(op.getDilation(), loc), loc), loc);
  Value piece = part(op.getOperand(), inner);
  if (!piece || place) return piece;
  return builder_.create<graph::WindowOp>(op.getLoc(), partType(op.getType(), indices), positionOf(indices, axis),
                                          piece, op.getStep(), op.getDilation());
}

/// A place that all elements of the part share is the index of a load, which is masked along that axis.
Value Privatiser::gather(graph::GatherOp op, const Indices &indices) {
  Location loc = op.getLoc();
  size_t axis = op.getAxis();
  Indices placesAt;
  for (int64_t to : op.getAxes()) placesAt.push_back(indices[to]);
  bool differ = hasWhole(placesAt);
  if (differ && !indices[axis].isWhole()) {
    Indices opened(indices);
    opened[axis] = {};
    return picked(op.getResult(), opened, indices, loc);
  }
  Value places = part(op.getPlaces(), placesAt);
  if (!places) return {};
  Indices inner(indices);
  if (differ) {
    inner[axis] = {};
    Value from = part(op.getOperand(), inner);
    if (!from) return {};
    SmallVector<int64_t> axes;
    for (int64_t to : op.getAxes())
      if (indices[to].isWhole()) axes.push_back(positionOf(indices, to));
    Type type = partType(op.getType(), indices);
    return builder_.create<graph::GatherOp>(loc, type, positionOf(indices, axis), from, places, axes);
  }
  Type index = builder_.getIndexType();
  inner[axis] = Value(builder_.create<graph::CastOp>(loc, index, places, StringAttr(), UnitAttr()));
  Value view = leaves_.lookup(op.getOperand());
  TSR_CHECK(view && isa<ViewType>(view.getType()), "what a gather chooses from lies in memory");
  return loaded(view, inner, loc, op->hasAttr(kInside) ? -1 : static_cast<int64_t>(axis));
}

Value Privatiser::slice(graph::SliceOp op, const Indices &indices) {
  Location loc = op.getLoc(), line = unnamed(loc);
  Indices inner;
  SmallVector<Value> offsets;
  SmallVector<bool> points, inBounds;
  SmallVector<DimAttr> sizes;
  SmallVector<int64_t> steps;
  auto keep = [&](Value offset, DimAttr size, int64_t step) {
    offsets.push_back(offset);
    points.push_back(false);
    inBounds.push_back(true);
    sizes.push_back(size);
    steps.push_back(step);
  };
  auto next = indices.begin();
  bool cuts = false;
  for (size_t i = 0; i < op.getOffsets().size(); ++i) {
    Value offset = scalar(op.getOffsets()[i]);
    if (!offset) return {};
    Index index = op.getPoints()[i] ? Index(constantIndex(0, line)) : *next++;
    DimAttr size = op.getSizes().getDims()[i];
    auto leaf = leaves_.find(op.getBase());
    const bool isInMemory = leaf != leaves_.end() && isa<ViewType>(leaf->second.getType());
    if (index.isWhole() && isInMemory && op.getSteps()[i] == 1 && size.getDim().isConstant()) {  // no more than the range is read
      index.at = offset, index.size = size;
      inner.push_back(index);
      keep(constantIndex(0, line), size, 1);
      continue;
    }
    if (index.isWhole()) {  // the whole range: a slice remains
      inner.push_back({});
      keep(offset, op.getSizes().getDims()[i], op.getSteps()[i]);
      cuts = true;
      continue;
    }
    // A range moves with the slice: `operandAxes` lets none through whose elements lie further apart.
    index.at = arithmetic("mul", index.at, constantIndex(op.getSteps()[i], line), line);
    index.at = op.getPoints()[i] ? offset : arithmetic("add", offset, index.at, line);
    inner.push_back(index);
    if (index.isRange()) keep(constantIndex(0, line), index.size, 1);
  }
  Value piece = part(op.getBase(), inner);
  if (!piece || !cuts) return piece;
  return builder_.create<graph::SliceOp>(
      loc, partType(op.getType(), indices), piece, offsets, builder_.getDenseBoolArrayAttr(points),
      DimsAttr::get(builder_.getContext(), sizes), builder_.getDenseI64ArrayAttr(steps),
      builder_.getDenseBoolArrayAttr(inBounds));
}

}  // namespace tessera::transforms
