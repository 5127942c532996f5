// Pieces of values, made anew where they are asked for.
#include "ir/common/Names.h"
#include "transforms/schedule/ChosenLoad.h"
#include "transforms/schedule/Pieces.h"
#include "transforms/schedule/Shapes.h"

namespace tessera::transforms {
using namespace mlir;
using namespace tessera::ir;

bool PieceAxis::in(Type type) const { return isa<TensorType>(type) && llvm::is_contained(shapeOf(type), extent); }

bool PieceAxis::isTwiceIn(Type type) const { return isa<TensorType>(type) && llvm::count(shapeOf(type), extent) > 1; }

Type PieceAxis::pieceOf(Type type) const {
  if (!in(type)) return type;
  auto shape = llvm::map_to_vector(shapeOf(type), [&](DimAttr dim) { return dim == extent ? width : dim; });
  return TensorType::get(type.getContext(), shape, elementTypeOf(type));
}

PieceMaker::PieceMaker(OpBuilder builder, const PieceAxis &axis, Value at) : axis_(axis), at_(at) {
  scopes_.push_back({nullptr, nullptr, builder, {}});
}

// ---------------------------------------------------------------- where values are made

/// The innermost repeated region in which the value is computed: what stands before a loop is computed before it again.
size_t PieceMaker::scopeOf(Value value) {
  for (size_t i = scopes_.size(); --i > 0;)
    if (scopes_[i].original->isAncestor(value.getParentBlock()->getParentOp())) return i;
  return 0;
}

Value PieceMaker::known(Value value, size_t scope) {
  for (size_t i = scope + 1; i-- > 0;)
    if (Value piece = scopes_[i].pieces.lookupOrNull(value)) return piece;
  return {};
}

Value PieceMaker::piece(Value value) {
  if (axis_.isTwiceIn(value.getType())) return {};
  const size_t scope = scopeOf(value);
  if (Value piece = known(value, scope)) return piece;
  if (isa<BlockArgument>(value)) return scope == 0 && !axis_.in(value.getType()) ? value : Value();  // carried by a loop around
  Value piece = make(cast<OpResult>(value), scope);
  if (piece) scopes_[scope].pieces.map(value, piece);
  return piece;
}

bool PieceMaker::piecesOf(ValueRange values, SmallVectorImpl<Value> &pieces) {
  return llvm::all_of(values, [&](Value value) { return pieces.emplace_back(piece(value)) != nullptr; });
}

Value PieceMaker::make(OpResult value, size_t scope) {
  Operation *op = value.getOwner();
  if (llvm::any_of(op->getResultTypes(), [&](Type type) { return axis_.in(type); }) && op->getNumRegions() && !isa<graph::DotOp>(op))
    return repeated(value, scope);
  if (!axis_.in(value.getType())) {
    if (scope == 0) return value;
    Operation *copy = cloneWhole(op, scope);
    return copy ? copy->getResult(value.getResultNumber()) : Value();
  }
  if (auto load = dyn_cast<graph::LoadOp>(op)) return loaded(load, scope);
  if (auto iota = dyn_cast<graph::IotaOp>(op)) return counted(iota, scope);
  if (auto gather = dyn_cast<graph::GatherOp>(op)) return chosen(gather, scope);
  if (auto reshape = dyn_cast<graph::ReshapeOp>(op); reshape && longShape(reshape.getType()) != longShape(reshape.getOperand().getType())) return {};
  if (auto scan = dyn_cast<graph::ScanOp>(op); scan && shapeOf(scan.getType())[scan.getAxis()] == axis_.extent) return {};
  if (auto sort = dyn_cast<graph::ArgsortOp>(op); sort && shapeOf(sort.getType()).back() == axis_.extent) return {};
  const bool isMade = isa<graph::ElementwiseOp, graph::CastOp, graph::BroadcastOp, graph::TransposeOp, graph::FullOp, graph::ReduceOp,
                          graph::DotOp, graph::ReshapeOp, graph::ScanOp, graph::ArgsortOp, graph::AfterOp>(op);
  return isMade ? again(op, scope) : Value();
}

// ---------------------------------------------------------------- operations

/// The same operation of pieces.
Value PieceMaker::again(Operation *op, size_t scope) {
  Operation *copy = cloneWhole(op, scope);
  if (!copy) return {};
  copy->getResult(0).setType(axis_.pieceOf(copy->getResult(0).getType()));
  return copy->getResult(0);
}

/// With pieces in place of what it reads, also inside of it.
Operation *PieceMaker::cloneWhole(Operation *op, size_t scope) {
  IRMapping outside;
  bool isKnown = true;
  op->walk([&](Operation *inner) {
    for (Value operand : inner->getOperands()) {
      if (op->isAncestor(operand.getParentBlock()->getParentOp())) continue;  // inside of it
      Value known = piece(operand);
      isKnown &= known != nullptr;
      if (known) outside.map(operand, known);
    }
    if (auto load = dyn_cast<graph::LoadOp>(inner)) loads_.insert(load);
  });
  return isKnown ? scopes_[scope].builder.clone(*op, outside) : nullptr;
}

/// Counted from where the piece begins.
Value PieceMaker::counted(graph::IotaOp op, size_t scope) {
  Value piece = again(op, scope);
  if (shapeOf(op.getType())[op.getAxis()] != axis_.extent) return piece;
  OpBuilder &builder = scopes_[scope].builder;
  Location loc = unnamed(op.getLoc());
  Value first = builder.create<graph::CastOp>(loc, elementTypeOf(op.getType()), at_, StringAttr(), UnitAttr());
  Value everywhere = builder.create<graph::FullOp>(loc, piece.getType(), first);
  return builder.create<graph::ElementwiseOp>(loc, piece.getType(), "add", ValueRange{piece, everywhere});
}

Value PieceMaker::loaded(graph::LoadOp op, size_t scope) {
  if (!isa<ViewType>(op.getBase().getType())) return {};
  auto sizes = llvm::to_vector(op.getSizes().getDims());
  size_t range = 0;
  while (op.getPoints()[range] || sizes[range] != axis_.extent) ++range;
  auto copy = cast_or_null<graph::LoadOp>(cloneWhole(op, scope));
  if (!copy) return {};
  OpBuilder &builder = scopes_[scope].builder;
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPoint(copy);
  Location loc = unnamed(op.getLoc());
  Value offset = at_;
  if (int64_t step = op.getSteps()[range]; step != 1)
    offset = builder.create<graph::ElementwiseOp>(loc, offset.getType(), "mul", ValueRange{offset, builder.create<graph::ConstantOp>(loc, offset.getType(), builder.getIndexAttr(step)).getResult()});
  auto begin = op.getOffsets()[range].getDefiningOp<graph::ConstantOp>();
  if (!begin || cast<IntegerAttr>(begin.getValue()).getInt() != 0)
    offset = builder.create<graph::ElementwiseOp>(loc, offset.getType(), "add", ValueRange{copy.getOffsets()[range], offset});
  copy.getOffsetsMutable()[range].set(offset);
  sizes[range] = axis_.width;
  copy.setSizesAttr(DimsAttr::get(op.getContext(), sizes));
  SmallVector<bool> inside(op.getInBounds());
  inside[range] = false;
  copy.setInBounds(inside);
  copy.getResult().setType(axis_.pieceOf(op.getType()));
  return copy.getResult();
}

/// Elements that indices choose from a tensor, which is read where it lies: a piece of the indices.
Value PieceMaker::chosen(graph::GatherOp op, size_t scope) {
  Operation *from = op.getOperand().getDefiningOp();
  if (!isOnlyChosenFrom(from)) return axis_.in(op.getOperand().getType()) ? Value() : again(op, scope);
  Value places = piece(op.getPlaces());
  if (!places || places.getType() == op.getPlaces().getType()) return {};
  Operation *whole = scope == 0 ? from : cloneWhole(from, scope);
  if (!whole) return {};
  for (graph::LoadOp load : {dyn_cast<graph::LoadOp>(from), from->getNumOperands() ? from->getOperand(0).getDefiningOp<graph::LoadOp>() : graph::LoadOp()})
    if (load) loads_.insert(load);
  IRMapping operands;
  operands.map(op.getOperand(), whole->getResult(0));
  operands.map(op.getPlaces(), places);
  Operation *copy = scopes_[scope].builder.clone(*op, operands);
  copy->getResult(0).setType(axis_.pieceOf(op.getType()));
  return copy->getResult(0);
}

// ---------------------------------------------------------------- loops and branches

bool isRepeatable(Operation *op) {
  return !op->walk([](Operation *inner) {
              const bool isPlain = isa<graph::LoadOp, scf::ForOp, scf::IfOp, scf::YieldOp>(inner) || isMemoryEffectFree(inner);
              return isPlain ? WalkResult::advance() : WalkResult::interrupt();
            }).wasInterrupted();
}

Value PieceMaker::repeated(OpResult value, size_t scope) {
  Operation *op = value.getOwner();
  if (!isRepeatable(op)) return {};
  bool done = false;
  if (auto loop = dyn_cast<scf::ForOp>(op)) done = repeatLoop(loop, scope);
  if (auto branch = dyn_cast<scf::IfOp>(op)) done = repeatBranch(branch, scope);
  return done ? known(value, scope) : Value();
}

bool PieceMaker::repeatLoop(scf::ForOp loop, size_t scope) {
  SmallVector<Value> bounds, starts;
  if (!piecesOf({loop.getLowerBound(), loop.getUpperBound(), loop.getStep()}, bounds) || !piecesOf(loop.getInitArgs(), starts)) return false;
  auto made = scopes_[scope].builder.create<scf::ForOp>(loop.getLoc(), bounds[0], bounds[1], bounds[2], starts);
  if (!made.getBody()->empty()) made.getBody()->back().erase();  // a loop that carries nothing has its end
  Scope inner{loop, made, OpBuilder::atBlockEnd(made.getBody()), {}};
  for (auto [from, to] : llvm::zip(loop.getBody()->getArguments(), made.getBody()->getArguments())) {
    to.setLoc(from.getLoc());
    inner.pieces.map(from, to);
  }
  if (!finish(loop.getBody(), std::move(inner))) return false;
  for (auto [from, to] : llvm::zip(loop.getResults(), made.getResults())) scopes_[scope].pieces.map(from, to);
  return true;
}

bool PieceMaker::repeatBranch(scf::IfOp branch, size_t scope) {
  Value condition = piece(branch.getCondition());
  if (!condition) return false;
  auto types = llvm::map_to_vector(branch.getResultTypes(), [&](Type type) { return axis_.pieceOf(type); });
  auto made = scopes_[scope].builder.create<scf::IfOp>(branch.getLoc(), types, condition, true);
  for (auto [from, to] : {std::pair(branch.thenBlock(), made.thenBlock()), std::pair(branch.elseBlock(), made.elseBlock())}) {
    to->clear();
    if (!finish(from, {branch, made, OpBuilder::atBlockEnd(to), {}})) return false;
  }
  for (auto [from, to] : llvm::zip(branch.getResults(), made.getResults())) scopes_[scope].pieces.map(from, to);
  return true;
}

/// What the region gives, inside of its copy. What other values of outer regions it needs stands before the copy.
bool PieceMaker::finish(Block *original, Scope scope) {
  const size_t outer = scopes_.size() - 1;
  std::vector<OpBuilder> before;
  for (Scope &one : scopes_) before.push_back(one.builder);
  scopes_.back().builder.setInsertionPoint(scope.made);
  scopes_.push_back(std::move(scope));
  SmallVector<Value> given;
  const bool done = piecesOf(original->getTerminator()->getOperands(), given);
  if (done) scopes_.back().builder.create<scf::YieldOp>(original->getTerminator()->getLoc(), given);
  scopes_.pop_back();
  for (size_t i = 0; i <= outer; ++i) scopes_[i].builder = before[i];
  return done;
}

}  // namespace tessera::transforms
