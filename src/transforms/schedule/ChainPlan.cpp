// Which products are chains, by their structure: what the scores become on the way to the weights has to commute with the
// rescaling of a row.
#include "support/Check.h"
#include "transforms/schedule/Chain.h"
#include "transforms/schedule/TensorFunction.h"

namespace tessera::transforms {
using namespace mlir;
using namespace tessera::ir;

namespace {

graph::ElementwiseOp elementwise(Value value, StringRef mnemonic) {
  auto op = value.getDefiningOp<graph::ElementwiseOp>();
  return op && op.getMnemonic() == mnemonic ? op : graph::ElementwiseOp();
}

/// Only the shape of a value is another: its elements are repeated, or axes of one element come and go.
bool isSpread(Operation *op) {
  if (auto reshape = dyn_cast_or_null<graph::ReshapeOp>(op))
    return longShape(reshape.getOperand().getType()) == longShape(reshape.getType());
  return isa_and_nonnull<graph::BroadcastOp>(op);
}
Value spreadFrom(Value value) {
  while (isSpread(value.getDefiningOp())) value = value.getDefiningOp()->getOperand(0);
  return value;
}

/// A number that all elements share.
std::optional<double> constantIn(Value value) {
  auto full = spreadFrom(value).getDefiningOp<graph::FullOp>();
  auto constant = (full ? full.getOperand() : value).getDefiningOp<graph::ConstantOp>();
  auto number = constant ? dyn_cast<FloatAttr>(constant.getValue()) : FloatAttr();
  return number ? std::optional(number.getValueAsDouble()) : std::nullopt;
}

class Finder {
public:
  explicit Finder(graph::DotOp outer) : shape_(shapeOf(outer.getLhs().getType())), axis_(shape_.size() - 1) {
    chain_.outer = outer;
  }

  std::optional<Chain> run(bool open) {
    if (!hasTiles(chain_.outer) || !isWeight(chain_.outer.getLhs(), /*ofResult=*/true)) return std::nullopt;
    std::reverse(chain_.factors.begin(), chain_.factors.end());
    findInner(chain_.scores());
    if (chain_.inner.empty() || chain_.inner.size() > kMostInner || !findSums() || !areIndependent() || !findBody(chain_.outer.getLhs()) || (!open && !isClosed()) || !haveOneType())
      return std::nullopt;
    return chain_;
  }

private:
  // Programs share values: what is known of one is not asked again for each of its uses.
  using Known = llvm::DenseMap<Operation *, bool>;
  template <class Ask> static bool remembered(Known &known, Operation *op, Ask ask) {
    if (auto found = known.find(op); found != known.end()) return found->second;
    bool answer = ask();
    return known[op] = answer;
  }

  /// All elements along the axis are the same.
  bool isSameAlong(Value value, int64_t axis) {
    if (isUnit(shapeOf(value.getType())[axis])) return true;
    Operation *op = value.getDefiningOp();
    if (!op) return false;
    return remembered(same_[axis], op, [&] {
      if (isa<graph::FullOp>(op)) return true;
      if (auto broadcast = dyn_cast<graph::BroadcastOp>(op)) {
        ArrayRef<int64_t> axes = broadcast.getAxes();
        const int64_t *from = llvm::find(axes, axis);
        return from == axes.end() || isSameAlong(broadcast.getOperand(), from - axes.begin());
      }
      return isa<graph::ElementwiseOp, graph::CastOp>(op) &&
             llvm::all_of(op->getOperands(), [&](Value operand) { return isSameAlong(operand, axis); });
    });
  }

  // ---- the weights: the exponentials, times what is known for each tile, times what is known of each row after the last

  bool isWeight(Value value, bool ofResult) {
    if (ArrayRef(shapeOf(value.getType())) != ArrayRef(shape_)) return false;
    Operation *op = value.getDefiningOp();
    if (!op || refused_.contains(op)) return false;
    bool is = isWeightOf(op, ofResult);
    if (!is) refused_.insert(op);
    return is;
  }
  bool isWeightOf(Operation *op, bool ofResult) {
    if (auto cast = dyn_cast<graph::CastOp>(op))
      return isa<FloatType>(elementTypeOf(cast.getOperand().getType())) && isa<FloatType>(elementTypeOf(cast.getType())) &&
             !cast.getRoundingAttr() && !cast.getSaturateAttr() && isWeight(cast.getOperand(), ofResult);
    auto element = dyn_cast<graph::ElementwiseOp>(op);
    if (!element) return false;
    StringRef mnemonic = element.getMnemonic();
    if (mnemonic == "exp" || mnemonic == "exp2") return isExponential(element);
    if (mnemonic == "select")
      return constantIn(element->getOperand(2)) == 0.0 && isTimes(element, 1, 0, ofResult);
    if (mnemonic == "div") return isTimes(element, 0, 1, ofResult);
    return mnemonic == "mul" && (isTimes(element, 0, 1, ofResult) || isTimes(element, 1, 0, ofResult));
  }

  /// Operand `weight` of the operation is of the weights, and `other` either of rows or of elements.
  bool isTimes(graph::ElementwiseOp op, unsigned weight, unsigned other, bool ofResult) {
    Value by = op->getOperand(other);
    bool isRow = op.getMnemonic() != "select" && isSameAlong(by, axis_) && reachesReduction(by);
    if (isRow && !ofResult) return false;
    size_t before = chain_.factors.size();
    if (isRow) chain_.factors.push_back({op, op->getOperand(weight), by});
    if (!isWeight(op->getOperand(weight), ofResult)) {
      chain_.factors.truncate(before);
      return false;
    }
    if (!isRow) others_.push_back(by);
    chain_.multiplies |= !isRow;
    return true;
  }

  /// exp(scores - largest), where largest is of the scores, or 0 where that is -INF.
  bool isExponential(graph::ElementwiseOp op) {
    if (chain_.exponentials) return op == chain_.exponentials;
    auto difference = elementwise(op->getOperand(0), "sub");
    if (!difference || !isSameAlong(difference->getOperand(1), axis_)) return false;
    Value pivot = spreadFrom(difference->getOperand(1));
    if (auto chosen = elementwise(pivot, "select")) {
      auto asked = elementwise(chosen->getOperand(0), "gt");
      if (!asked || asked->getOperand(0) != chosen->getOperand(1) || constantIn(chosen->getOperand(2)) != 0.0 ||
          constantIn(asked->getOperand(1)) != -std::numeric_limits<double>::infinity())
        return false;
      chain_.isGuarded = true;
      pivot = spreadFrom(chosen->getOperand(1));
    }
    auto largest = pivot.getDefiningOp<graph::ReduceOp>();
    if (!largest || largest.getMnemonic() != "max" || !isAlongRow(largest) || largest.getOperand() != difference->getOperand(0))
      return false;
    chain_.largest = largest;
    chain_.exponentials = op;
    return true;
  }
  bool isAlongRow(graph::ReduceOp reduce) {
    return reduce.getAxes() == ArrayRef(static_cast<int64_t>(axis_)) && ArrayRef(shapeOf(reduce.getOperand().getType())) == ArrayRef(shape_);
  }

  bool reachesReduction(Value value) {
    Operation *op = value.getDefiningOp();
    if (!op || isa<graph::DotOp>(op)) return false;
    return remembered(reduces_, op, [&] {
      return isa<graph::ReduceOp>(op) || llvm::any_of(op->getOperands(), [&](Value operand) { return reachesReduction(operand); });
    });
  }

  // ---- the scores, and what is added up along rows

  /// The products that the scores are made of, element by element.
  void findInner(Value value) {
    Operation *op = value.getDefiningOp();
    if (!op || !seen_.insert(op).second || ArrayRef(shapeOf(value.getType())) != ArrayRef(shape_)) return;
    if (auto dot = dyn_cast<graph::DotOp>(op)) {
      if (hasTiles(dot) && !summedWindows(dot) && !dot.hasTerm()) chain_.inner.push_back(dot);
    } else if (isa<graph::ElementwiseOp, graph::CastOp>(op)) {
      for (Value operand : op->getOperands())
        if (isa<TensorType>(operand.getType())) findInner(operand);
    }
  }

  bool dependsOnInner(Value value) {
    Operation *op = value.getDefiningOp();
    if (!op) return false;
    if (isa<graph::DotOp>(op)) return llvm::is_contained(chain_.inner, op);
    return remembered(depends_, op, [&] {
      return llvm::any_of(op->getOperands(), [&](Value operand) { return dependsOnInner(operand); });
    });
  }

  /// Every reduction that a factor is made of is the largest score or a sum in proportion to the exponentials.
  bool findSums() {
    llvm::SetVector<Operation *> reductions;
    llvm::DenseSet<Operation *> rows;
    std::function<void(Value)> look = [&](Value value) {
      Operation *op = value.getDefiningOp();
      if (!op || !dependsOnInner(value)) return;
      if (isa<graph::ReduceOp>(op)) reductions.insert(op);
      else if (rows.insert(op).second)
        for (Value operand : op->getOperands()) look(operand);
    };
    for (const RowFactor &factor : chain_.factors) look(factor.row);
    return llvm::all_of(reductions, [&](Operation *op) {
      auto reduce = cast<graph::ReduceOp>(op);
      if (reduce == chain_.largest) return true;
      chain_.sums.push_back(reduce);
      return reduce.getMnemonic() == "sum" && isAlongRow(reduce) && isWeight(reduce.getOperand(), /*ofResult=*/false);
    });
  }

  /// What the exponentials are multiplied by, and the scores, are known before any reduction.
  bool areIndependent() {
    Known free;
    std::function<bool(Value)> isFree = [&](Value value) {
      Operation *op = value.getDefiningOp();
      if (!op || !dependsOnInner(value) || isa<graph::DotOp>(op)) return true;
      return remembered(free, op, [&] {
        return !isa<graph::ReduceOp>(op) && op != chain_.exponentials && llvm::all_of(op->getOperands(), isFree);
      });
    };
    return isFree(chain_.scores()) && llvm::all_of(others_, isFree);
  }

  // ---- nothing else needs what the chain does not store

  bool findBody(Value value) {
    Operation *op = value.getDefiningOp();
    if (!dependsOnInner(value) || !chain_.body.insert(op)) return true;
    if (isa<graph::DotOp>(op)) return true;
    if (auto reduce = dyn_cast<graph::ReduceOp>(op); reduce && reduce != chain_.largest && !llvm::is_contained(chain_.sums, reduce))
      return false;
    if (!isa<graph::ElementwiseOp, graph::CastOp, graph::ReduceOp>(op) && !isSpread(op)) return false;
    return llvm::all_of(op->getOperands(), [&](Value operand) { return findBody(operand); });
  }
  bool isClosed() {
    return llvm::all_of(chain_.body, [&](Operation *op) {
      return op->getBlock() == chain_.outer->getBlock() && llvm::all_of(op->getUsers(), [&](Operation *user) {
               return user == chain_.outer || chain_.body.contains(user);
             });
    }) && !llvm::any_of(chain_.body, [&](Operation *op) { return op->getResult(0) == chain_.outer.getRhs(); });
  }

  bool haveOneType() {
    Type type = chain_.outer.getType().getElementType();
    auto isOfType = [&](Value value) { return elementTypeOf(value.getType()) == type; };
    return (type.isF32() || type.isF64()) && isOfType(chain_.scores()) && llvm::all_of(chain_.sums, [&](graph::ReduceOp op) {
             return isOfType(op.getResult()) && isOfType(op.getOperand());
           }) && llvm::all_of(chain_.factors, [&](const RowFactor &factor) { return isOfType(factor.row); });
  }

  SmallVector<DimAttr> shape_;  // of the scores
  size_t axis_;                 // along a row
  Chain chain_;
  SmallVector<Value> others_;
  llvm::DenseSet<Operation *> seen_;
  Known reduces_, depends_;
  std::map<int64_t, Known> same_;
  llvm::DenseSet<Operation *> refused_;
};

}  // namespace

std::optional<Chain> chainOf(graph::DotOp outer, bool open) { return outer.hasTerm() ? std::nullopt : Finder(outer).run(open); }

DimAttr Chain::cols() const { return outer ? shapeOf(last()->getResult(0).getType()).back() : DimAttr(); }

// ---------------------------------------------------------------- what has to be in memory

void FunctionScheduler::findChains(Block &block) {
  for (auto dot : block.getOps<graph::DotOp>())
    if (std::optional<Chain> chain = chainOf(dot, dot->hasAttr(kKeepsRows)); chain && !chainForms(*chain).empty()) {
      chainOps_.insert(chain->body.begin(), chain->body.end());
      if (dot->hasAttr(kKeepsRows)) {
        chain->keepsRows = true;
        for (Value rows : chain->rows()) roots_.insert(rows), keepers_[rows] = dot;
      }
      chains_.try_emplace(dot, std::move(*chain));
    }
  for (Operation &op : block) {
    if (!op.hasAttr(kSweep)) continue;
    Chain sweep = sweepOf(&op);
    if (chainForms(sweep).empty()) continue;
    chainOps_.insert(sweep.body.begin(), sweep.body.end());
    chains_.try_emplace(&op, std::move(sweep));
  }
}

/// The inner products are planned like others; of the rest of the body, what it reads.
void FunctionScheduler::prepareChain(Chain &chain) {
  AxisKinds kinds(shapeOf(chain.weights().getType()).size(), AxisKind::Private);
  kinds.back() = kinds[kinds.size() - 2] = AxisKind::Range;
  llvm::DenseSet<Operation *> seen;
  SmallVector<graph::DotOp> none{chain.outer, chain.outer};  // no product joins
  Met met;
  std::function<void(Value, const AxisKinds &)> prepare = [&](Value value, const AxisKinds &kinds) {
    Operation *op = value.getDefiningOp();
    if (!chain.body.contains(op)) {
      auto spread = dyn_cast_or_null<graph::BroadcastOp>(op);
      auto lies = [&](size_t fromEnd) { return llvm::is_contained(spread.getAxes(), static_cast<int64_t>(kinds.size() - fromEnd)); };
      if (!chain.largest && spread && readsMemory(value) && !(lies(1) && lies(2))) markIf(true, spread.getOperand());  // what is known of rows
      return prepareTile(value, kinds, none, Value(), met);
    }
    if (!seen.insert(op).second || isa<graph::DotOp>(op)) return;
    for (auto [i, operand] : llvm::enumerate(op->getOperands())) {
      if (auto reduce = dyn_cast<graph::ReduceOp>(op)) {
        AxisKinds inner(kinds);
        inner.push_back(AxisKind::Range);
        prepare(operand, inner);
      } else {
        std::optional<AxisKinds> inner = operandAxes(op, i, kinds);
        TSR_CHECK(inner, "a part of a chain that cannot be taken apart");
        prepare(operand, *inner);
      }
    }
  };
  prepare(chain.weights(), kinds);
  for (graph::DotOp dot : chain.inner) {
    for (unsigned i : {0, 1}) gather(dot->getOperand(i), kinds);
    prepareOperands(dot);
  }
  if (chain.outer) gather(chain.outer.getRhs(), kinds);
}

/// Rows of an operand lie apart where another axis lies between, or where tiles of it are none of what lies in memory: copying
/// them once costs less than finding their elements for each tile of the result.
void FunctionScheduler::gather(Value value, const AxisKinds &kinds) {
  Met met;
  std::function<bool(Value, const AxisKinds &)> lieApart = [&](Value part, const AxisKinds &kinds) {
    if (parts_.count(part) || !met.isNew(part, kinds)) return false;
    if (isStored(part)) return llvm::is_contained(llvm::drop_begin(kinds, llvm::find(kinds, AxisKind::Range) - kinds.begin()), AxisKind::Private);
    Operation *op = part.getDefiningOp();
    for (auto [i, operand] : llvm::enumerate(op->getOperands())) {
      if (!isa<TensorType>(operand.getType()) || longAxes(operand.getType()).size() < 2) continue;
      std::optional<AxisKinds> inner = operandAxes(op, i, kinds);
      if (!inner || lieApart(operand, *inner)) return true;
    }
    return false;
  };
  takeParts(value, kinds, /*sideBySide=*/true);
  if (!lieApart(value, kinds)) return;
  while (auto turned = value.getDefiningOp<graph::TransposeOp>()) {  // the product reads rows as columns
    ArrayRef<int64_t> perm = turned.getPerm();
    if (!llvm::equal(perm.drop_back(2), llvm::seq<int64_t>(0, perm.size() - 2))) break;
    value = turned.getOperand();
  }
  markIf(!isStored(value), value);
}

}  // namespace tessera::transforms
