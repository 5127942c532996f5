// Sums, and least and greatest values, of what is made of each pair of rows.
//
//   sum over k of (x[m, k] - y[n, k]) ** 2       distances; likewise min over k of a[m, k] + b[k, n], shortest ways
//
// Element by element, x and y are read once for each pair. Such a reduction is a product in all but its arithmetic: `graph.dot` with a
// term, which a group computes tile by tile (decision 84). Other cores than a GPU's read rows from their caches as fast.
#include "ir/common/MaskAttr.h"
#include "ir/common/Names.h"
#include "ir/graph/Terms.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Pass/Pass.h"
#include "support/Machine.h"
#include "transforms/schedule/Passes.h"
#include "transforms/schedule/Shapes.h"
#include "transforms/schedule/Unused.h"

namespace tessera::transforms {
using namespace mlir;
using namespace tessera::ir;

namespace {

constexpr int64_t kNone = -1;  // an axis along which a value is the same

/// An array that the terms read, and for each of its axes that of the terms which it lies along.
struct Operand {
  Value array;
  SmallVector<int64_t> axes;
  bool operator==(const Operand &other) const { return array == other.array && axes == other.axes; }
  bool liesAlong(int64_t axis) const { return llvm::is_contained(axes, axis); }
};

class Pairs {
public:
  /// `products`: only of pairs that are multiplied.
  Pairs(graph::ReduceOp reduce, bool products)
      : products_(products), reduce_(reduce), builder_(reduce), loc_(reduce.getLoc()), shape_(shapeOf(reduce.getOperand().getType())) {}

  /// The product in the reduction's place; null if it is none of pairs.
  Value run() {
    if (!findAxes()) return {};
    SmallVector<int64_t> all = llvm::to_vector(llvm::seq<int64_t>(0, static_cast<int64_t>(shape_.size())));
    element_ = elementTypeOf(reduce_.getType());
    if (!isa<TensorType>(reduce_.getType()) || !takeMask() || !find(terms_, all) || !left_ || !right_) return {};
    built_ = true;
    return made();
  }
  /// Operations that nobody reads are left, then.
  bool hasBuilt() const { return built_; }

private:
  /// The two axes that make pairs are the last ones of the result.
  bool findAxes() {
    if (!llvm::is_contained({"sum", "min", "max"}, reduce_.getMnemonic()) || reduce_.getAxes().size() != 1 || shape_.size() < 3) return false;
    inner_ = reduce_.getAxes()[0];
    for (int64_t axis = static_cast<int64_t>(shape_.size()) - 1; axis >= 0 && rows_ == kNone; --axis)
      if (axis != inner_) (cols_ == kNone ? cols_ : rows_) = axis;
    return llvm::all_of(ArrayRef({inner_, rows_, cols_}), [&](int64_t axis) { return leastOf(shape_[axis]) >= kLeast; });
  }
  /// Of what is only known when the program runs, enough.
  static int64_t leastOf(DimAttr extent) { return extent.getConstant().value_or(kLeast); }

  /// In kernels what lies behind an array's end changes nothing in the reduction: so many terms are left instead.
  bool takeMask() {
    terms_ = reduce_.getOperand();
    auto masked = terms_.getDefiningOp<graph::ElementwiseOp>();
    if (!masked || !isExtentMask(masked)) return true;
    auto inside = masked->getOperand(0).getDefiningOp<graph::ElementwiseOp>();
    auto place = inside && inside.getMnemonic() == "lt" ? inside->getOperand(0).getDefiningOp<graph::IotaOp>() : graph::IotaOp();
    auto end = place ? inside->getOperand(1).getDefiningOp<graph::FullOp>() : graph::FullOp();
    auto counted = end ? end.getOperand().getDefiningOp<graph::CastOp>() : graph::CastOp();
    if (!counted || !counted.getOperand().getType().isIndex() || static_cast<int64_t>(place.getAxis()) != inner_) return false;
    rest_ = counted.getOperand();
    terms_ = masked->getOperand(1);
    return true;
  }

  /// For each axis of what is spread, the axis of the terms; `axes`: those of what it becomes.
  static SmallVector<int64_t> under(graph::BroadcastOp spread, ArrayRef<int64_t> axes) {
    SmallVector<int64_t> inner;
    for (auto [axis, extent] : llvm::zip(spread.getAxes(), shapeOf(spread.getOperand().getType()))) inner.push_back(isUnit(extent) ? kNone : axes[axis]);
    return inner;
  }
  bool isWhole(ArrayRef<int64_t> axes) const { return axes.size() == shape_.size() && !llvm::is_contained(axes, kNone); }
  /// Done for each pair: what has all axes, and what widens an operand. Anything else is done once for each element, before it is spread.
  bool isOfTerm(Operation *op, ArrayRef<int64_t> axes) const {
    auto cast = dyn_cast_or_null<graph::CastOp>(op);
    if (cast && isSameOrWider(elementTypeOf(cast.getOperand().getType()), elementTypeOf(cast.getType()))) return true;
    return isWhole(axes) && isa_and_nonnull<graph::ElementwiseOp, graph::CastOp>(op);
  }

  /// What the terms are made of, and of which operands. `axes`: along which axes of the terms the value's lie.
  bool find(Value value, ArrayRef<int64_t> axes) {
    Operation *op = value.getDefiningOp();
    if (auto full = dyn_cast_or_null<graph::FullOp>(op)) return findScalar(full.getOperand());
    if (auto spread = dyn_cast_or_null<graph::BroadcastOp>(op)) return find(spread.getOperand(), under(spread, axes));
    if (isWhole(axes) && isOfTerm(op, axes) && !met_.insert(value).second) return true;  // each once, however often it is used
    if (isOfTerm(op, axes)) return llvm::all_of(op->getOperands(), [&](Value operand) { return find(operand, axes); });
    return takeOperand({value, SmallVector<int64_t>(axes)});
  }

  bool findScalar(Value value) {
    if (!value.getDefiningOp<graph::ConstantOp>()) scalars_.insert(value);
    return isParameter(value);
  }
  /// Made of parameters and numbers: what is read from an array would have to be there first.
  static bool isParameter(Value value) {
    Operation *op = value.getDefiningOp();
    return !op || (isa<graph::ConstantOp, graph::DimOp, graph::CastOp, graph::ElementwiseOp>(op) && llvm::all_of(op->getOperands(), isParameter));
  }

  bool takeOperand(const Operand &operand) {
    const bool alongRows = operand.liesAlong(rows_), alongCols = operand.liesAlong(cols_);
    if (!operand.liesAlong(inner_) || alongRows == alongCols || !isSameOrWider(elementTypeOf(operand.array.getType()), element_)) return false;
    std::optional<Operand> &side = alongRows ? left_ : right_;
    if (side && !(*side == operand)) return false;
    side = operand;
    return true;
  }

  // ---- the product

  /// The operand with all axes of the result but one pair's, in the order in which products have them.
  Value placed(const Operand &operand, int64_t row, int64_t col) {
    SmallVector<int64_t> order;  // of the terms
    for (int64_t axis = 0; axis < static_cast<int64_t>(shape_.size()); ++axis)
      if (axis != inner_ && axis != rows_ && axis != cols_) order.push_back(axis);
    order.append({row, col});
    Value array = operand.array;
    SmallVector<int64_t> axes;  // axes of extent 1 gone
    SmallVector<DimAttr> extents;
    for (auto [axis, extent] : llvm::zip(operand.axes, shapeOf(array.getType())))
      if (axis != kNone) axes.push_back(axis), extents.push_back(extent);
    Type element = elementTypeOf(array.getType());
    auto typeOf = [&](ArrayRef<DimAttr> shape) { return TensorType::get(builder_.getContext(), shape, element); };
    if (extents.size() != operand.axes.size()) array = builder_.create<graph::ReshapeOp>(unnamed(array.getLoc()), typeOf(extents), array);
    SmallVector<int64_t> perm, places;
    for (auto [i, axis] : llvm::enumerate(order))
      if (auto found = llvm::find(axes, axis); found != axes.end()) perm.push_back(found - axes.begin()), places.push_back(static_cast<int64_t>(i));
    if (!llvm::is_sorted(perm)) {
      SmallVector<DimAttr> shape = llvm::map_to_vector(perm, [&](int64_t axis) { return extents[axis]; });
      array = builder_.create<graph::TransposeOp>(unnamed(array.getLoc()), typeOf(shape), array, perm);
    }
    SmallVector<DimAttr> shape = llvm::map_to_vector(order, [&](int64_t axis) { return shape_[axis]; });
    if (places.size() == order.size()) return array;
    return builder_.create<graph::BroadcastOp>(unnamed(array.getLoc()), typeOf(shape), array, places);
  }

  Value made() {
    Value a = placed(*left_, rows_, inner_), b = placed(*right_, inner_, cols_), terms = rest_ ? count() : Value();
    auto dot = builder_.create<graph::DotOp>(loc_, reduce_.getType(), a, b);
    dot.getScalarsMutable().assign(scalars_.getArrayRef());
    if (reduce_.getMnemonic() != "sum") dot.setCombine(reduce_.getMnemonic());
    if (terms) dot.getCountMutable().assign(terms);
    Block &block = dot.getTerm().emplaceBlock();
    block.addArguments({element_, element_}, {left_->array.getLoc(), right_->array.getLoc()});
    for (Value scalar : scalars_) elements_[scalar] = block.addArgument(scalar.getType(), scalar.getLoc());
    builder_.setInsertionPointToStart(&block);
    SmallVector<int64_t> all = llvm::to_vector(llvm::seq<int64_t>(0, static_cast<int64_t>(shape_.size())));
    Value term = cast(elementOf(block, terms_, all), element_);
    builder_.create<graph::TermOp>(unnamed(loc_), term);
    if (isProduct(dot)) dot.getTerm().getBlocks().clear(), dot.getCountMutable().clear();  // beyond the end operands are 0
    else if (products_) return {};  // nobody reads it
    return dot;
  }

  /// Of the tiles' terms, those that are left.
  Value count() {
    Location line = unnamed(loc_);
    Value all = builder_.create<graph::DimOp>(line, builder_.getIndexType(), shape_[inner_]);
    return builder_.create<graph::ElementwiseOp>(line, builder_.getIndexType(), "min", ValueRange{rest_, all});
  }

  /// Plain products: what multiplies tiles can do, does them.
  static bool isProduct(graph::DotOp dot) {
    Block &block = dot.getTerm().front();
    auto times = dyn_cast<graph::ElementwiseOp>(block.front());
    return dot.getScalars().empty() && dot.combining() == "sum" && times && times.getMnemonic() == "mul" && times->getNextNode() == block.getTerminator() &&
           times->getOperand(0) != times->getOperand(1) && isa<BlockArgument>(times->getOperand(0)) && isa<BlockArgument>(times->getOperand(1));
  }

  Value cast(Value value, Type type) {
    if (value.getType() == type) return value;
    return builder_.create<graph::CastOp>(unnamed(value.getLoc()), type, value, StringAttr(), UnitAttr());
  }

  /// Of what has the place of an array in a term: one element. An operand's comes in the dtype of the sums, which holds it.
  Value elementOf(Block &term, Value value, ArrayRef<int64_t> axes) {
    Type type = elementTypeOf(value.getType());
    Operation *op = value.getDefiningOp();
    if (auto full = dyn_cast_or_null<graph::FullOp>(op)) {
      auto constant = full.getOperand().getDefiningOp<graph::ConstantOp>();
      return constant ? builder_.clone(*constant)->getResult(0) : elements_.lookup(full.getOperand());
    }
    if (auto spread = dyn_cast_or_null<graph::BroadcastOp>(op)) return elementOf(term, spread.getOperand(), under(spread, axes));
    if (!isOfTerm(op, axes)) return term.getArgument(Operand{value, SmallVector<int64_t>(axes)} == *left_ ? 0 : 1);
    if (Value known = isWhole(axes) ? elements_.lookup(value) : Value()) return known;
    IRMapping values;
    for (Value operand : op->getOperands()) {
      if (values.contains(operand)) continue;
      Value element = elementOf(term, operand, axes);
      if (isa<graph::CastOp>(op) && isa<BlockArgument>(element)) return cast(element, type);  // widens what is wide already
      values.map(operand, cast(element, elementTypeOf(operand.getType())));
    }
    Operation *copy = builder_.clone(*op, values);
    copy->getResult(0).setType(type);
    if (isWhole(axes)) elements_[value] = copy->getResult(0);
    return copy->getResult(0);
  }

  bool products_, built_ = false;
  static constexpr int64_t kLeast = 16;  // of fewer, a tile would be empty for the most part
  graph::ReduceOp reduce_;
  OpBuilder builder_;
  Location loc_;
  ArrayRef<DimAttr> shape_;
  Type element_;
  int64_t inner_ = kNone, rows_ = kNone, cols_ = kNone;
  Value terms_;  // what is reduced
  Value rest_;   // how many terms are left, in a kernel
  std::optional<Operand> left_, right_;
  llvm::SetVector<Value> scalars_;
  llvm::DenseSet<Value> met_;
  llvm::DenseMap<Value, Value> elements_;
};

struct PairTerms : PassWrapper<PairTerms, OperationPass<>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(PairTerms)
  StringRef getArgument() const override { return "graph-pair-terms"; }
  StringRef getDescription() const override { return "reductions of what is made of pairs of rows become products with a term"; }
  void runOnOperation() override {
    const Machine *machine = machineOf(getOperation());
    if (!machine) return signalPassFailure();
    const bool isTiled = isa<graph::KernelOp>(getOperation()) || machine->family != Target::Cpu;
    SmallVector<graph::ReduceOp> reductions;
    getOperation()->walk([&](graph::ReduceOp reduce) { reductions.push_back(reduce); });
    bool built = false;
    for (graph::ReduceOp reduce : reductions) {
      Pairs pairs(reduce, /*products=*/!isTiled);
      Value product = pairs.run();
      built |= pairs.hasBuilt();
      if (!product) continue;
      reduce.getResult().replaceAllUsesWith(product);
      reduce.erase();
    }
    if (built) eraseUnused(getOperation());
  }
};

}  // namespace

std::unique_ptr<Pass> createPairTermsPass() { return std::make_unique<PairTerms>(); }

}  // namespace tessera::transforms
