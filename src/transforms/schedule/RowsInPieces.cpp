// Tiles that are whole rows of a dimension without a bound. No group can hold them. A kernel without products takes a row a
// group, which streams over it. Another one takes the rows in pieces: each sum, product and store of what has the axis becomes a
// loop over pieces of it, which are loaded or computed again each time.
#include "ir/common/MaskAttr.h"
#include "ir/common/Names.h"
#include "ir/common/OpRules.h"
#include "mlir/IR/AttrTypeSubElements.h"
#include "mlir/IR/PatternMatch.h"
#include "transforms/schedule/ChosenLoad.h"
#include "transforms/schedule/Kernels.h"
#include "transforms/schedule/Pieces.h"
#include "transforms/schedule/Shapes.h"

namespace tessera::transforms {
using namespace mlir;
using namespace tessera::ir;

namespace {

bool isUnbounded(DimAttr extent, ArrayAttr facts) {
  std::set<std::string> names;
  extent.getDim().collectVars(names);
  return llvm::any_of(names, [&](const std::string &name) { return name.rfind("T.", 0) != 0 && !greatestOf(name, facts); });
}

/// The extents without a bound of what a group would hold, in the order of the program.
SmallVector<DimAttr> unboundedExtents(graph::KernelOp kernel) {
  llvm::SetVector<DimAttr> extents;
  kernel.walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (isOnlyChosenFrom(op)) return;
    for (Type type : op->getResultTypes())
      if (isa<TensorType>(type))
        for (DimAttr extent : shapeOf(type))
          if (isUnbounded(extent, kernel.getRequirements())) extents.insert(extent);
  });
  return extents.takeVector();
}

// ---------------------------------------------------------------- a row a group

/// Without products, orders and loops around them, tiles of one row are rows, which a group streams over.
class OneRow {
public:
  explicit OneRow(graph::KernelOp kernel) : kernel_(kernel) {}

  bool run(std::vector<std::string> &reasons) {
    std::set<std::string> rows;
    kernel_.walk([&](Operation *op) {
      for (Type type : op->getResultTypes())
        if (isa<TensorType>(type)) addRowsOf(type, rows);
    });
    if (rows.empty() || llvm::any_of(rows, [&](const std::string &name) { return isGiven(name); })) return false;
    if (holdsMore(rows)) return false;
    shrink(rows);
    for (const std::string &name : rows) reasons.push_back(name + " = 1: nothing bounds the rows, which a group streams over");
    return true;
  }

private:
  /// The sizes of the schedule beside an extent without a bound.
  void addRowsOf(Type type, std::set<std::string> &rows) {
    ArrayRef<DimAttr> shape = shapeOf(type);
    if (llvm::none_of(shape, [&](DimAttr extent) { return isUnbounded(extent, kernel_.getRequirements()); })) return;
    for (DimAttr extent : shape)
      if (isSize(extent)) rows.insert(extent.getDim().varName());
  }
  static bool isSize(DimAttr extent) { return extent.getDim().isVar() && extent.getDim().varName().rfind("T.", 0) == 0; }
  bool isGiven(StringRef name) {
    StringRef field = name.drop_front(2);
    return kernel_.getSizes().contains(field) || kernel_.getSpace().contains(field);
  }
  /// Whether a tile would still have two axes, or something keeps it.
  bool holdsMore(const std::set<std::string> &rows) {
    auto isOne = [&](DimAttr extent) { return isUnit(extent) || (isSize(extent) && rows.count(extent.getDim().varName())); };
    return kernel_.walk([&](Operation *op) {
              const bool keeps = isa<graph::DotOp, graph::ScanOp, graph::ArgsortOp, graph::GatherOp, scf::ForOp, scf::IfOp, scf::WhileOp>(op);
              for (Type type : op->getResultTypes()) {
                const int64_t axes = isa<TensorType>(type) ? llvm::count_if(shapeOf(type), [&](DimAttr extent) { return !isOne(extent); }) : 0;
                if (axes >= 2 || (keeps && isa<TensorType>(type))) return WalkResult::interrupt();
              }
              return WalkResult::advance();
            }).wasInterrupted();
  }
  void shrink(const std::set<std::string> &rows) {
    std::map<std::string, Dim> one;
    for (const std::string &name : rows) one[name] = Dim(1);
    AttrTypeReplacer replacer;
    replacer.addReplacement([&](DimAttr dim) { return DimAttr::get(dim.getContext(), dim.getDim().substitute(one)); });
    replacer.recursivelyReplaceElementsIn(kernel_, /*replaceAttrs=*/true, /*replaceLocs=*/false, /*replaceTypes=*/true);
    SmallVector<Attribute> context;
    for (auto field : kernel_.getContext().getAsRange<StringAttr>())
      if (!rows.count("T." + field.str())) context.push_back(field);
    kernel_.setContextAttr(ArrayAttr::get(kernel_->getContext(), context));
  }

  graph::KernelOp kernel_;
};

// ---------------------------------------------------------------- pieces

class InPieces {
public:
  InPieces(graph::KernelOp kernel, DimAttr extent, DimAttr width) : kernel_(kernel), axis_{extent, width} {}

  /// False where the axis cannot be taken in pieces; the kernel is then something between.
  bool run() {
    SmallVector<Operation *> ends;
    bool isPossible = true;
    kernel_.walk<WalkOrder::PreOrder>([&](Operation *op) {
      for (Type type : op->getResultTypes()) isPossible &= !axis_.isTwiceIn(type) && !(isa<SharedType>(type) && llvm::is_contained(shapeOf(type), axis_.extent));
      if (isEnd(op)) ends.push_back(op);
    });
    if (!isPossible || !llvm::all_of(ends, [&](Operation *op) { return take(op); })) return false;
    dropUnread(kernel_.getBody().front());
    return !kernel_.walk([&](Operation *op) { return isHeld(op) ? WalkResult::interrupt() : WalkResult::advance(); }).wasInterrupted();
  }

private:
  bool isHeld(Operation *op) {
    return !isOnlyChosenFrom(op) && llvm::any_of(op->getResultTypes(), [&](Type type) { return axis_.in(type); });
  }
  /// Takes values with the axis, and gives none.
  bool isEnd(Operation *op) {
    const bool gives = llvm::any_of(op->getResultTypes(), [&](Type type) { return axis_.in(type); });
    return !gives && !op->hasTrait<OpTrait::IsTerminator>() &&
           llvm::any_of(op->getOperands(), [&](Value operand) { return axis_.in(operand.getType()) && !isOnlyChosenFrom(operand.getDefiningOp()); });
  }
  bool take(Operation *op) {
    if (auto store = dyn_cast<graph::StoreOp>(op)) return takeStore(store);
    if (auto reduce = dyn_cast<graph::ReduceOp>(op)) return takeReduction(reduce);
    if (auto dot = dyn_cast<graph::DotOp>(op)) return takeProduct(dot);
    return false;
  }

  // ---- loops over pieces

  /// A loop before `op` that carries `starts`. `body` gives what it carries on, or nothing.
  template <class Body> scf::ForOp goOver(Operation *op, ValueRange starts, const Body &body) {
    OpBuilder builder(op);
    Location loc = unnamed(op->getLoc());
    Value zero = builder.create<graph::ConstantOp>(loc, builder.getIndexType(), builder.getIndexAttr(0));
    auto loop = builder.create<scf::ForOp>(loc, zero, dim(builder, axis_.extent, loc), dim(builder, axis_.width, loc), starts);
    if (!loop.getBody()->empty()) loop.getBody()->back().erase();
    const std::string name = axis_.extent.getDim().isVar() ? StringRef(axis_.extent.getDim().varName()).lower() : "piece";
    loop.getInductionVar().setLoc(named(name + "0", loc));
    for (auto [argument, start] : llvm::zip(loop.getRegionIterArgs(), starts)) argument.setLoc(start.getLoc());
    OpBuilder inside = OpBuilder::atBlockEnd(loop.getBody());
    PieceMaker maker(inside, axis_, loop.getInductionVar());
    std::optional<SmallVector<Value>> given = body(inside, maker, loop);
    if (!given || !readsWhatWas(op, loop, maker)) return {};
    inside.setInsertionPointToEnd(loop.getBody());
    inside.create<scf::YieldOp>(loc, *given);
    return loop;
  }
  static Value dim(OpBuilder &builder, DimAttr dim, Location loc) { return builder.create<graph::DimOp>(loc, builder.getIndexType(), dim); }

  /// What lies behind the end of the axis has no part in it.
  Value inside(OpBuilder &builder, Value piece, scf::ForOp loop, TypedAttr otherwise) {
    auto type = cast<TensorType>(piece.getType());
    const Location loc = unnamed(piece.getLoc());
    Type i32 = builder.getI32Type(), counted = withElementType(type, i32);
    const auto axis = llvm::find(type.getShape(), axis_.width) - type.getShape().begin();
    Value left = builder.create<graph::ElementwiseOp>(loc, builder.getIndexType(), "sub", ValueRange{dim(builder, axis_.extent, loc), loop.getInductionVar()});
    left = builder.create<graph::CastOp>(loc, i32, left, StringAttr(), UnitAttr());
    Value lefts = builder.create<graph::FullOp>(loc, counted, left), places = builder.create<graph::IotaOp>(loc, counted, axis);
    Value isInside = builder.create<graph::ElementwiseOp>(loc, withElementType(type, builder.getI1Type()), "lt", ValueRange{places, lefts});
    Value other = builder.create<graph::ConstantOp>(loc, otherwise.getType(), otherwise);
    auto masked = builder.create<graph::ElementwiseOp>(piece.getLoc(), type, "select", ValueRange{isInside, piece, builder.create<graph::FullOp>(loc, type, other).getResult()});
    markExtentMask(masked);
    return masked.getResult();
  }

  // ---- memory that changes

  /// Where an operation stands in the kernel's body: by that around it which does.
  static Operation *outermost(Operation *op) {
    while (!isa<graph::KernelOp>(op->getParentOp())) op = op->getParentOp();
    return op;
  }
  /// Nothing is written between a load and `op`, before which it is repeated, to what it reads; `op` itself may write what it has read.
  bool readsWhatWas(Operation *op, scf::ForOp pieces, const PieceMaker &maker) {
    return llvm::all_of(maker.loads(), [&](graph::LoadOp load) {
      return llvm::all_of(load.getBase().getUsers(), [&](Operation *user) {
        if (isMemoryEffectFree(user) || isa<graph::LoadOp>(user) || pieces->isAncestor(user)) return true;
        if (user == op) return isSamePlace(load, cast<graph::StoreOp>(op));
        Operation *first = outermost(load), *last = outermost(op), *writes = outermost(user);
        return writes == first || writes == last ? false : writes->isBeforeInBlock(first) || last->isBeforeInBlock(writes);
      });
    });
  }
  static bool isSamePlace(graph::LoadOp load, graph::StoreOp store) {
    auto isSame = [](Value a, Value b) {
      Operation *one = a.getDefiningOp(), *other = b.getDefiningOp();
      return a == b || (one && other && isMemoryEffectFree(one) && !one->getNumRegions() && OperationEquivalence::isEquivalentTo(one, other, OperationEquivalence::IgnoreLocations));
    };
    return load.getPoints() == store.getPoints() && load.getSizes() == store.getSizes() && load.getSteps() == store.getSteps() &&
           llvm::all_of_zip(load.getOffsets(), store.getOffsets(), isSame);
  }

  // ---- where the axis ends

  bool takeStore(graph::StoreOp store) {
    auto sizes = llvm::to_vector(store.getSizes().getDims());
    size_t range = 0;
    while (store.getPoints()[range] || sizes[range] != axis_.extent) ++range;
    auto begin = store.getOffsets()[range].getDefiningOp<graph::ConstantOp>();
    const bool isWhole = shapeOf(store.getBase().getType())[range] == axis_.extent && begin && cast<IntegerAttr>(begin.getValue()).getInt() == 0;
    if (!isWhole || store.getSteps()[range] != 1) return false;  // a piece would write behind its end
    auto loop = goOver(store, {}, [&](OpBuilder &builder, PieceMaker &maker, scf::ForOp loop) -> std::optional<SmallVector<Value>> {
      Value piece = maker.piece(store.getValue());
      if (!piece) return std::nullopt;
      builder.setInsertionPointToEnd(loop.getBody());
      auto copy = cast<graph::StoreOp>(builder.clone(*store));
      copy.getValueMutable().set(piece);
      copy.getOffsetsMutable()[range].set(loop.getInductionVar());
      sizes[range] = axis_.width;
      copy.setSizesAttr(DimsAttr::get(store.getContext(), sizes));
      SmallVector<bool> bounds(store.getInBounds());
      bounds[range] = false;
      copy.setInBounds(bounds);
      return SmallVector<Value>();
    });
    if (loop) store.erase();
    return static_cast<bool>(loop);
  }

  /// Pieces are combined element by element, and the elements of that at the end.
  bool takeReduction(graph::ReduceOp reduce) {
    Type element = elementTypeOf(reduce.getType()), held = withElementType(axis_.pieceOf(reduce.getOperand().getType()), element);
    TypedAttr neutral = identityOf(reduce.getMnemonic(), element);
    if (!neutral) return false;
    OpBuilder builder(reduce);
    Location loc = unnamed(reduce.getLoc());
    Value number = builder.create<graph::ConstantOp>(loc, neutral.getType(), neutral);
    Value start = builder.create<graph::FullOp>(reduce.getLoc(), held, number);
    auto loop = goOver(reduce, start, [&](OpBuilder &inner, PieceMaker &maker, scf::ForOp loop) -> std::optional<SmallVector<Value>> {
      Value piece = maker.piece(reduce.getOperand());
      if (!piece) return std::nullopt;
      inner.setInsertionPointToEnd(loop.getBody());
      piece = inside(inner, inDType(inner, loc, piece, element), loop, neutral);
      return SmallVector<Value>{inner.create<graph::ElementwiseOp>(reduce.getLoc(), held, combinerOf(reduce.getMnemonic()), ValueRange{loop.getRegionIterArg(0), piece})};
    });
    if (!loop) return false;
    reduce.getOperandMutable().set(loop.getResult(0));
    return true;
  }
  static StringRef combinerOf(StringRef reduction) {
    switch (*reduceByMnemonic(std::string_view(reduction))) {
    case ReduceOp::Sum: return "add";
    case ReduceOp::Prod: return "mul";
    case ReduceOp::Min: return "min";
    case ReduceOp::Max: return "max";
    case ReduceOp::Any: return "or";
    case ReduceOp::All: return "and";
    }
    return "";
  }

  bool takeProduct(graph::DotOp dot) {
    if (dot.getCount()) return false;
    OpBuilder builder(dot);
    Location loc = unnamed(dot.getLoc());
    Type element = dot.getType().getElementType();
    TypedAttr neutral = identityOf(dot.combining(), element);
    if (!neutral) return false;
    Value number = builder.create<graph::ConstantOp>(loc, element, neutral);
    Value start = builder.create<graph::FullOp>(dot.getLoc(), dot.getType(), number);
    auto loop = goOver(dot, start, [&](OpBuilder &inner, PieceMaker &maker, scf::ForOp loop) -> std::optional<SmallVector<Value>> {
      IRMapping operands;
      for (Value operand : {dot.getLhs(), dot.getRhs()}) {
        Value piece = maker.piece(operand);
        if (!piece) return std::nullopt;
        inner.setInsertionPointToEnd(loop.getBody());
        const bool isMasked = !dot.hasTerm() && !endsWithZeros(operand);
        operands.map(operand, isMasked ? inside(inner, piece, loop, inner.getZeroAttr(elementTypeOf(piece.getType()))) : piece);
      }
      auto product = cast<graph::DotOp>(inner.clone(*dot, operands));
      if (dot.hasTerm()) {  // which may give anything for zeros
        OpBuilder before(product);
        Type index = before.getIndexType();
        Value left = before.create<graph::ElementwiseOp>(loc, index, "sub", ValueRange{dim(before, axis_.extent, loc), loop.getInductionVar()});
        product.getCountMutable().assign(before.create<graph::ElementwiseOp>(loc, index, "min", ValueRange{left, dim(before, axis_.width, loc)}).getResult());
      }
      return SmallVector<Value>{inner.create<graph::ElementwiseOp>(dot.getLoc(), dot.getType(), dot.combiner(), ValueRange{loop.getRegionIterArg(0), product.getResult()})};
    });
    if (!loop) return false;
    dot.replaceAllUsesWith(loop.getResult(0));
    dot.erase();
    return true;
  }
  /// Reads as 0 behind the end of the axis, where its tensor ends.
  bool endsWithZeros(Value value) {
    while (auto op = value.getDefiningOp()) {
      if (!isa<graph::TransposeOp, graph::CastOp>(op)) break;
      value = op->getOperand(0);
    }
    auto load = value.getDefiningOp<graph::LoadOp>();
    if (!load || load.getOther()) return false;
    for (auto [i, size] : llvm::enumerate(load.getSizes().getDims())) {
      if (load.getPoints()[i] || size != axis_.extent) continue;
      auto begin = load.getOffsets()[i].getDefiningOp<graph::ConstantOp>();
      return shapeOf(load.getBase().getType())[i] == size && load.getSteps()[i] == 1 && begin && cast<IntegerAttr>(begin.getValue()).getInt() == 0;
    }
    return false;
  }

  // ---- what is left behind

  /// Without values that have the axis and that nothing reads any more, down to what loops carry for themselves.
  void dropUnread(Block &block) {
    for (Operation &op : llvm::make_early_inc_range(llvm::reverse(block))) {
      const bool has = llvm::any_of(op.getResultTypes(), [&](Type type) { return axis_.in(type); });
      if (has && isa<scf::ForOp, scf::IfOp>(op)) {
        if (op.use_empty() && isRepeatable(&op)) op.erase();
        else if (llvm::all_of(op.getResults(), [&](Value result) { return !axis_.in(result.getType()) || result.use_empty(); })) dropResults(&op);
        continue;
      }
      for (Region &region : op.getRegions())
        for (Block &inner : region) dropUnread(inner);
      if (has && op.use_empty() && (isMemoryEffectFree(&op) || isa<graph::LoadOp>(op))) op.erase();
    }
  }
  void dropResults(Operation *op) {
    IRRewriter rewriter(op);
    SmallVector<Value> kept;
    SmallVector<unsigned> numbers;
    for (OpResult result : op->getResults())
      if (!axis_.in(result.getType())) kept.push_back(result), numbers.push_back(result.getResultNumber());
    for (Region &region : op->getRegions())
      for (Block &block : region) {
        auto yield = cast<scf::YieldOp>(block.getTerminator());
        auto given = llvm::map_to_vector(numbers, [&](unsigned i) { return yield.getOperand(i); });
        yield->setOperands(given);
        dropUnread(block);
      }
    Operation *made = nullptr;
    if (auto loop = dyn_cast<scf::ForOp>(op)) {
      auto starts = llvm::map_to_vector(numbers, [&](unsigned i) { return loop.getInitArgs()[i]; });
      auto shorter = rewriter.create<scf::ForOp>(loop.getLoc(), loop.getLowerBound(), loop.getUpperBound(), loop.getStep(), starts);
      shorter.getBody()->clear();
      SmallVector<Value> arguments{shorter.getInductionVar()};
      shorter.getInductionVar().setLoc(loop.getInductionVar().getLoc());
      for (unsigned i = 0, next = 0; i < loop.getNumResults(); ++i) {
        const bool stays = next < numbers.size() && numbers[next] == i;
        if (stays) shorter.getRegionIterArg(next).setLoc(loop.getRegionIterArg(i).getLoc());
        arguments.push_back(stays ? Value(shorter.getRegionIterArg(next++)) : loop.getInitArgs()[i]);  // read by nothing
      }
      rewriter.mergeBlocks(loop.getBody(), shorter.getBody(), arguments);
      made = shorter;
    } else {
      auto branch = cast<scf::IfOp>(op);
      auto shorter = rewriter.create<scf::IfOp>(branch.getLoc(), ValueRange(kept).getTypes(), branch.getCondition(), true);
      shorter.getThenRegion().takeBody(branch.getThenRegion());
      shorter.getElseRegion().takeBody(branch.getElseRegion());
      made = shorter;
    }
    made->setDiscardableAttrs(op->getDiscardableAttrDictionary());
    for (auto [from, to] : llvm::zip(kept, made->getResults())) from.replaceAllUsesWith(to);
    op->erase();
  }

  graph::KernelOp kernel_;
  PieceAxis axis_;
};

/// A size of the schedule for the width of pieces.
DimAttr pieceSize(graph::KernelOp kernel) {
  auto isTaken = [&](const std::string &name) { return llvm::is_contained(kernel.getContext().getAsValueRange<StringAttr>(), name) || kernel.getSizes().contains(name); };
  std::string name = "piece";
  for (int i = 2; isTaken(name); ++i) name = "piece" + std::to_string(i);
  SmallVector<Attribute> context(kernel.getContext().getValue());
  context.push_back(StringAttr::get(kernel->getContext(), name));
  kernel.setContextAttr(ArrayAttr::get(kernel->getContext(), context));
  return DimAttr::get(kernel->getContext(), Dim::var("T." + name));
}

}  // namespace

void takeRowsInPieces(graph::KernelOp kernel, std::vector<std::string> &reasons) {
  if (kernel.getGrid().getKind() == GridKind::Lanes || !holdsFragments(kernel) || unboundedExtents(kernel).empty()) return;
  if (OneRow(kernel).run(reasons)) return;
  OwningOpRef<graph::KernelOp> trial = cast<graph::KernelOp>(kernel->clone());
  std::vector<std::string> said;
  for (DimAttr extent : unboundedExtents(*trial)) {
    DimAttr width = pieceSize(*trial);
    if (!InPieces(*trial, extent, width).run()) return;
    said.push_back(extent.getText().str() + " in pieces of " + width.getText().str() + ": nothing bounds it, and no group could hold it whole");
  }
  kernel.getBody().takeBody(trial->getBody());
  kernel.setContextAttr(trial->getContextAttr());
  reasons.insert(reasons.end(), said.begin(), said.end());
}

}  // namespace tessera::transforms
