// Dots: their operands in shared memory, their sums in the registers of the group.
#include "ir/common/ProductNotes.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"
#include "transforms/tile/Lowering.h"
#include "transforms/tile/Swizzle.h"

namespace tessera::transforms {
using namespace mlir;
using namespace tessera::ir;

/// Ops through which a dot sees its operand: they move no element, or only swap the two axes.
static Value lookThrough(Value array, bool &transposed) {
  while (Operation *op = array.getDefiningOp()) {
    if (auto transpose = llvm::dyn_cast<graph::TransposeOp>(op)) {
      SmallVector<int64_t> axes = longAxes(transpose.getType());
      if (axes.size() == 2 && transpose.getPerm()[axes[0]] > transpose.getPerm()[axes[1]])
        transposed = !transposed;
    } else if (auto reshape = llvm::dyn_cast<graph::ReshapeOp>(op)) {
      if (longShape(reshape.getType()) != longShape(reshape.getOperand().getType())) return array;
    } else {
      return array;
    }
    array = op->getOperand(0);
  }
  return array;
}

static bool isView(graph::LoadOp load) { return llvm::isa<ViewType>(load.getBase().getType()); }

/// A dot can take this load's tile as it lies in memory (a view's through a copy). A copy fills up with zeros
/// outside the view, so an extent that is below its capacity must be the view's whole dimension.
static bool isPlainTile(graph::LoadOp load) {
  if (load.getOther() || longAxes(load.getType()).size() != 2) return false;
  ArrayRef<DimAttr> extents = shapeOf(load.getBase().getType());
  for (size_t i = 0; i < load.getOffsets().size(); ++i) {
    DimAttr size = load.getSizes().getDims()[i];
    if (load.getSteps()[i] != 1) return false;
    if (!load.getPoints()[i] && variesAtRunTime(size) && size != extents[i]) return false;
  }
  return true;
}

/// Nothing may happen to memory between two operations of one block.
static bool isQuietBetween(Operation *first, Operation *second) {
  if (first->getBlock() != second->getBlock()) return false;
  for (Operation *op = first->getNextNode(); op && op != second; op = op->getNextNode())
    if (!isMemoryEffectFree(op) && !llvm::isa<graph::LoadOp>(op)) return false;
  return true;
}

/// A load of a whole shared buffer, or of one of several, whose content is still there at the dot.
static bool isWholeShared(graph::LoadOp load, Operation *dot) {
  if (isView(load) || !isPlainTile(load) || !isQuietBetween(load, dot)) return false;
  bool leading = true;
  for (size_t i = 0; i < load.getOffsets().size(); ++i) {
    if (load.getPoints()[i]) {
      if (!leading) return false;
      continue;
    }
    leading = false;
    auto start = load.getOffsets()[i].getDefiningOp<graph::ConstantOp>();
    if (!start || llvm::cast<IntegerAttr>(start.getValue()).getInt() != 0) return false;
    if (load.getSizes().getDims()[i] != shapeOf(load.getBase().getType())[i]) return false;
  }
  return true;
}

bool KernelLowering::feedsDot(Value array) {
  auto load = array.getDefiningOp<graph::LoadOp>();
  if (load && !isPlainTile(load)) return false;
  return llvm::any_of(array.getUsers(), [&](Operation *user) {
    bool transposed = false;
    if (llvm::isa<graph::DotOp>(user)) return true;
    return llvm::isa<graph::TransposeOp, graph::ReshapeOp>(user) &&
           lookThrough(user->getResult(0), transposed) != user->getResult(0) && feedsDot(user->getResult(0));
  });
}

/// Rows that were copied from their places, or tiles that were put together, which nothing but products read.
bool KernelLowering::isInSharedAlone(Value array) { return shared_.contains(array) && !array.getDefiningOp<graph::LoadOp>(); }

/// Every use ends in a dot that takes the tile from shared memory, so no fragment is needed.
bool KernelLowering::isOnlyDotOperand(Value array) {
  bool transposed = false;
  if (isInSharedAlone(lookThrough(array, transposed))) return true;
  auto load = lookThrough(array, transposed).getDefiningOp<graph::LoadOp>();
  if (!load || !isPlainTile(load)) return false;
  return llvm::all_of(array.getUsers(), [&](Operation *user) {
    if (llvm::isa<graph::DotOp>(user)) return isView(load) || isWholeShared(load, user);
    bool ignored = false;
    return llvm::isa<graph::TransposeOp, graph::ReshapeOp>(user) &&
           lookThrough(user->getResult(0), ignored) != user->getResult(0) &&
           isOnlyDotOperand(user->getResult(0));
  });
}

/// Every use ends in a dot, which sees what lies behind transposes.
bool KernelLowering::onlyFeedsDots(Value array) {
  return llvm::all_of(array.getUsers(), [&](Operation *user) {
    bool ignored = false;
    return isa<graph::DotOp>(user) || (isa<graph::TransposeOp, graph::ReshapeOp>(user) &&
                                       lookThrough(user->getResult(0), ignored) != user->getResult(0) && onlyFeedsDots(user->getResult(0)));
  });
}

graph::ElementwiseOp KernelLowering::accumulation(graph::DotOp dot) {
  if (!dot->hasOneUse()) return {};
  auto add = llvm::dyn_cast<graph::ElementwiseOp>(*dot->user_begin());
  if (!add || add.getMnemonic() != dot.combiner() || !isQuietBetween(dot, add)) return {};
  // What a loop repeats of a vector is added behind the product: before, its registers would be written once more for each turn, and
  // products that run at once would wait for that.
  if (llvm::isa<scf::ForOp>(add->getParentOp()) && llvm::any_of(add->getOperands(), [](Value operand) { return operand.getDefiningOp<graph::BroadcastOp>(); }))
    return {};
  // Two dots in one sum: the first is added to the second.
  if (add->getOperand(0) != dot.getResult())
    if (auto first = add->getOperand(0).getDefiningOp<graph::DotOp>())
      if (first->hasOneUse() && isQuietBetween(first, add)) return {};
  return add;
}

// ---------------------------------------------------------------- operands

Value KernelLowering::copyToShared(graph::LoadOp load) {
  StringRef base = nameHint(load.getBase());
  std::string name = base.empty() ? "operand_tile" : (base + "_tile").str();
  Value buffer = allocShared(longShape(load.getType()), elementTypeOf(load.getType()), name, load.getLoc(),
                             load.getLoc());
  Access access = accessOf(load);
  builder_.create<tile::CopyOp>(unnamed(load.getLoc()), values_.lookup(load.getBase()), access.offsets,
                                builder_.getDenseBoolArrayAttr(access.points), dimsAttr(access.sizes),
                                builder_.getDenseI64ArrayAttr(access.steps),
                                builder_.getDenseBoolArrayAttr(access.inBounds), buffer, UnitAttr());
  return buffer;
}

/// What the user calls a tile, also through a mask or cast that has no name of its own.
static StringRef nearestName(Value value) {
  while (nameHint(value).empty()) {
    auto *op = value.getDefiningOp();
    if (auto choice = dyn_cast_or_null<graph::ElementwiseOp>(op); choice && choice.getMnemonic() == "select")
      value = op->getOperand(1);
    else if (isa_and_nonnull<graph::CastOp>(op)) value = op->getOperand(0);
    else break;
  }
  return nameHint(value);
}

std::optional<KernelLowering::Operand> KernelLowering::dotOperand(Value array, graph::DotOp dot) {
  if (longAxes(array.getType()).size() != 2) {
    dot.emitError(
        "a dot inside a kernel multiplies two tiles that each have two axes of more than one element");
    return std::nullopt;
  }
  Operand operand;
  Value source = lookThrough(array, operand.transposed);
  if (Value buffer = shared_.lookup(source)) {
    operand.buffer = buffer;
    return operand;
  }
  if (auto load = source.getDefiningOp<graph::LoadOp>()) {
    if (isWholeShared(load, dot)) {
      Value buffer = values_.lookup(load.getBase());
      for (auto [i, point] : llvm::enumerate(load.getPoints())) {
        if (!point) break;
        auto type = llvm::cast<SharedType>(buffer.getType());
        auto part = SharedType::get(type.getContext(), type.getShape().drop_front(), type.getElementType(),
                                    type.getSwizzle());
        buffer = builder_.create<tile::SelectBufferOp>(load.getLoc(), part, buffer,
                                                       values_.lookup(load.getOffsets()[i]));
      }
      operand.buffer = buffer;
      return operand;
    }
  }
  // A computed tile: written to shared memory where the dot stands.
  if (!values_.contains(source)) {
    dot.emitError("this operand of a dot is in shared memory that may have changed since it was named");
    return std::nullopt;
  }
  Value fragment = values_.lookup(source);
  // The dot adds up over the whole buffer: what lies beyond an extent that is below its capacity must be
  // zero.
  bool alongRows = (array == dot.getRhs()) != operand.transposed;
  int64_t axis = alongRows ? 0 : 1;
  auto type = llvm::cast<tile::FragmentType>(fragment.getType());
  if (variesAtRunTime(type.getShape()[axis]))
    fragment = padded(fragment, axis, identity("sum", type.getElementType(), dot.getLoc()), dot.getLoc());
  StringRef name = nearestName(source);
  operand.buffer =
      writeToShared(fragment, name.empty() ? "operand_tile" : (name + "_tile").str(), dot.getLoc());
  return operand;
}

// ---------------------------------------------------------------- terms that are no products

Value KernelLowering::termOf(graph::DotOp dot, Value a, Value b, llvm::function_ref<Value(Value)> spread) {
  IRMapping values;
  Block &block = dot.getTerm().front();
  values.map(block.getArgument(0), a);
  values.map(block.getArgument(1), b);
  for (auto [argument, scalar] : llvm::zip(block.getArguments().drop_front(2), dot.getScalars())) values.map(argument, spread(values_.lookup(scalar)));
  for (Operation &op : block) {
    if (auto end = dyn_cast<graph::TermOp>(op)) return values.lookup(end.getValue());
    Value made;
    if (auto constantOp = dyn_cast<graph::ConstantOp>(op)) {
      made = spread(constant(cast<TypedAttr>(constantOp.getValue()), op.getLoc()));
    } else if (auto castOp = dyn_cast<graph::CastOp>(op)) {
      Value from = values.lookup(castOp.getOperand());
      made = builder_.create<tile::CastOp>(op.getLoc(), withElementType(from.getType(), castOp.getType()), from, castOp.getRoundingAttr(),
                                           castOp.getSaturateAttr());
    } else {
      SmallVector<Value> args;
      for (Value operand : op.getOperands()) args.push_back(values.lookup(operand));
      made = elementwise(llvm::cast<graph::ElementwiseOp>(op).getMnemonic(), args, op.getLoc());
    }
    values.map(op.getResult(0), made);
  }
  return {};
}

/// A vector of an operand, its elements at `at` along k, for each element of the tile `like`.
Value KernelLowering::alongK(Operand operand, Value at, Value like, int64_t sliceAxis, Location loc) {
  auto buffer = llvm::cast<SharedType>(operand.buffer.getType());
  // A left operand lies [m, k], a right one [k, n], unless they are turned.
  const int64_t inner = (sliceAxis == 1) != operand.transposed ? 1 : 0;
  Access access = wholeBuffer(buffer, loc);
  access.offsets[inner] = at;
  access.points[inner] = true;
  access.sizes[inner] = DimAttr::get(builder_.getContext(), Dim(1));
  auto tileType = llvm::cast<tile::FragmentType>(like.getType());
  Type carried = tileType.getElementType();
  Value vector = builder_.create<tile::ReadSharedOp>(loc, fragmentType({buffer.getShape()[1 - inner]}, buffer.getElementType(), sliceAxis), operand.buffer,
                                                     access.offsets, builder_.getDenseBoolArrayAttr(access.points), dimsAttr(access.sizes),
                                                     builder_.getDenseI64ArrayAttr(access.steps), builder_.getDenseBoolArrayAttr(access.inBounds),
                                                     Value(), UnitAttr());
  return builder_.create<tile::BroadcastOp>(loc, tileType, cast(vector, carried, loc));
}

/// A loop over k, in which each lane combines what the term makes of its rows and columns: it reads a vector of either operand for a
/// tile's work.
LogicalResult KernelLowering::lowerTerms(graph::DotOp op, Operand a, Operand b, Value acc, Value result) {
  constexpr int64_t kTermsAtOnce = 4;  // loads ahead of the work on them
  Location loc = op.getLoc(), line = unnamed(loc);
  Value count = op.getCount() ? values_.lookup(op.getCount()) : dim(longShape(op.getLhs().getType()).back(), line);
  auto loop = builder_.create<scf::ForOp>(line, constantIndex(0, line), count, constantIndex(1, line), acc);
  loop->setAttr(tile::kUnrolled, builder_.getI64IntegerAttr(kTermsAtOnce));
  loop.getRegionIterArg(0).setLoc(acc.getLoc());
  loop.getInductionVar().setLoc(named("step", line));
  for (const Operand &operand : {a, b}) swizzle(operand.buffer, "xor");  // lanes that read a column meet different banks
  {
    OpBuilder::InsertionGuard guard(builder_);
    builder_.setInsertionPointToEnd(loop.getBody());
    Value at = loop.getInductionVar(), sums = loop.getRegionIterArg(0);
    Block &term = op.getTerm().front();
    auto nameAt = [&](unsigned i) {  // x_k for elements of x
      StringRef hint = nameHint(term.getArgument(i));
      return named(((hint.empty() ? (i == 0 ? "left" : "right") : hint) + "_k").str(), line);
    };
    Value left = alongK(a, at, sums, 1, nameAt(0)), right = alongK(b, at, sums, 0, nameAt(1));
    Value made = termOf(op, left, right, [&](Value scalar) { return builder_.create<tile::FillOp>(scalar.getLoc(), withElementType(sums.getType(), scalar.getType()), scalar).getResult(); });
    builder_.create<scf::YieldOp>(line, elementwise(op.combiner(), {sums, made}, result.getLoc()));
  }
  values_.map(result, loop.getResult(0));
  return success();
}

LogicalResult KernelLowering::lowerDot(graph::DotOp op, Value acc, Value result) {
  if (longAxes(op.getType()).size() != 2)
    return unsupported(op, "a dot inside a kernel must give a tile with two axes of more than one element");
  std::optional<Operand> a = dotOperand(op.getLhs(), op);
  std::optional<Operand> b = a ? dotOperand(op.getRhs(), op) : std::nullopt;
  if (!a || !b) return failure();
  if (!acc) {
    Value start = identity(op.combining(), elementTypeOf(op.getType()), unnamed(op.getLoc()));
    acc = builder_.create<tile::FillOp>(op.getLoc(), fragmentType(op.getResult()), start);
  }
  if (op.hasTerm()) return lowerTerms(op, *a, *b, acc, result);
  auto flag = [&](bool on) { return on ? builder_.getUnitAttr() : UnitAttr(); };
  auto product = builder_.create<tile::DotOp>(result.getLoc(), acc.getType(), acc, a->buffer, b->buffer, flag(a->transposed), flag(b->transposed));
  values_.map(result, addedUpAs(op, product).getResult());
  return success();
}

}  // namespace tessera::transforms
