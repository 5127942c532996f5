// How the values of a kernel differ between the neighbouring elements that one lane takes, and which loads and stores
// move them at once.
#include "ir/common/Conversions.h"
#include "transforms/tile/VectorForm.h"

namespace tessera::transforms {
using namespace mlir;
using namespace tessera::ir;

VectorForm::VectorForm(tile::KernelOp kernel) : kernel_(kernel), builder_(kernel->getContext()), facts_(kernel) {}

const VectorForm::Class &VectorForm::classOf(Value value) {
  if (auto found = classes_.find(value); found != classes_.end()) return found->second;
  Class made = classify(value);
  return classes_[value] = std::move(made);
}

VectorForm::Class VectorForm::classify(Value value) {
  if (counters_.contains(value)) return {Kind::Step, true, {}};
  const Class varies{Kind::Varies, false, {}};
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    Operation *parent = argument.getOwner()->getParentOp();
    if (parent == kernel_) return {};
    auto loop = dyn_cast<scf::ForOp>(parent);
    if (!loop || argument != loop.getInductionVar()) return varies;
    bool same = llvm::all_of(ValueRange{loop.getLowerBound(), loop.getUpperBound(), loop.getStep()},
                             [&](Value bound) { return classOf(bound).kind == Kind::Same; });
    return same ? Class() : varies;
  }
  Operation *op = value.getDefiningOp();
  if (auto elementwise = dyn_cast<tile::ElementwiseOp>(op)) return classify(elementwise);
  if (isa<tile::GroupReduceOp>(op)) return {};  // all lanes get the same
  if (auto query = dyn_cast<tile::QueryOp>(op)) return query.isVarying() ? varies : Class();
  bool same = true;
  Class result;
  auto look = [&](Value operand) {
    const Class &part = classOf(operand);
    same &= part.kind == Kind::Same;
    result.needs(part.divide);
  };
  for (Value operand : op->getOperands()) look(operand);
  for (Region &region : op->getRegions())
    region.walk([&](Operation *inner) {
      for (Value operand : inner->getOperands())
        if (!op->isAncestor(operand.getParentBlock()->getParentOp())) look(operand);
    });
  return same ? result : varies;
}

/// Elements that lie so many places further on begin a vector, too. Beside by a few, as where labels are the next tokens, they do not,
/// and each is loaded by itself: better than that nothing is a vector.
static bool movesVectors(const Dim &offset) {
  constexpr int64_t kLeast = 4;
  return !offset.isConstant() || offset.constant() % kLeast == 0;
}

VectorForm::Class VectorForm::classify(tile::ElementwiseOp op) {
  Class result;
  bool same = true;
  for (Value operand : op.getArgs()) {
    const Class &part = classOf(operand);
    same &= part.kind == Kind::Same;
    result.needs(part.divide);
  }
  if (same) return result;
  result.kind = Kind::Varies;
  if (op.getArgs().size() != 2 || !isa<IndexType>(op.getArgs()[0].getType())) return result;
  Class a = classOf(op.getArgs()[0]), b = classOf(op.getArgs()[1]);
  StringRef what = op.getMnemonic();
  bool steps = a.kind == Kind::Step && b.kind == Kind::Same;
  std::optional<Dim> divisor = dimOf(op.getArgs()[1]);
  auto move = [&](const Class &step, Value by) {
    std::optional<Dim> offset = factorOf(by);
    result.kind = Kind::Step;
    if ((result.whole = step.whole && offset && movesVectors(*offset))) result.needs(*offset);
  };
  if ((what == "add" || what == "sub") && steps) move(a, op.getArgs()[1]);
  if (what == "add" && a.kind == Kind::Same && b.kind == Kind::Step) move(b, op.getArgs()[0]);
  if ((what == "lt" || what == "ge") && steps && a.whole && divisor) {
    // All elements of a vector lie on one side of what it divides.
    result.needs(*divisor);
    result.kind = Kind::Same;
  }
  if ((what == "floordiv" || what == "mod") && steps && a.whole && divisor) {
    // A vector that begins on a multiple of itself lies in one row whose extent it divides.
    result.needs(*divisor);
    result.kind = what == "mod" ? Kind::Step : Kind::Same;
    result.whole = what == "mod";
  }
  return result;
}

/// The integer in dimensions and numbers alone.
std::optional<Dim> VectorForm::dimOf(Value value) {
  if (auto constant = value.getDefiningOp<tile::ConstantOp>())
    if (auto integer = dyn_cast<IntegerAttr>(constant.getValue())) return Dim(integer.getInt());
  if (auto dim = value.getDefiningOp<tile::DimOp>()) return Dim::parse(dim.getDim().str());
  auto product = value.getDefiningOp<tile::ElementwiseOp>();
  if (!product || product.getMnemonic() != "mul") return std::nullopt;
  std::optional<Dim> a = dimOf(product.getArgs()[0]), b = dimOf(product.getArgs()[1]);
  return a && b ? std::optional(*a * *b) : std::nullopt;
}

/// What the integer is a multiple of, in dimensions and numbers alone: C of `(2 * i + j) * C`.
std::optional<Dim> VectorForm::factorOf(Value value) {
  if (std::optional<Dim> whole = dimOf(value)) return whole;
  auto product = value.getDefiningOp<tile::ElementwiseOp>();
  if (!product || product.getMnemonic() != "mul") return std::nullopt;
  std::optional<Dim> factor = dimOf(product.getArgs()[1]);
  return factor ? factor : dimOf(product.getArgs()[0]);
}

/// index = counter / behind % extent, without the parts that do nothing.
bool VectorForm::isPosition(Value index, Value counter, const Dim &behind, const Dim &extent, bool first, bool last) {
  auto divided = [&](Value value, StringRef mnemonic, const Dim &by) -> Value {
    auto op = value.getDefiningOp<tile::ElementwiseOp>();
    bool fits = op && op.getMnemonic() == mnemonic && dimOf(op.getArgs()[1]) == std::optional(by);
    return fits ? op.getArgs()[0] : Value();
  };
  if (!first) index = divided(index, "mod", extent);
  if (index && !last) index = divided(index, "floordiv", behind);
  return index && (index == counter || (counters_.contains(index) && counters_.contains(counter)));
}

/// The element's position in row-major order is the counter itself.
bool VectorForm::isFlat(ValueRange indices, ArrayRef<DimAttr> shape) {
  if (!guard_ || tiles_) return false;
  SmallVector<size_t> axes;
  for (size_t i = 0; i < shape.size(); ++i)
    if (shape[i].getConstant() != 1) axes.push_back(i);
  if (axes.empty()) return false;
  Dim behind(1);
  for (size_t i = axes.size(); i-- > 0;) {
    Dim extent = shape[axes[i]].getDim();
    if (!isPosition(indices[axes[i]], *counters_.begin(), behind, extent, i == 0, i + 1 == axes.size())) return false;
    behind = behind * extent;
  }
  return true;
}

std::optional<VectorForm::Move> VectorForm::moveOf(Value base, ValueRange indices, DenseBoolArrayAttr inBounds) {
  auto view = dyn_cast<ViewType>(base.getType());
  if (!view || view.getPlaces() || indices.empty() || !dtypeOf(view.getElementType())) return std::nullopt;
  if (!inBounds || llvm::is_contained(inBounds.asArrayRef(), false)) return std::nullopt;
  if (isFlat(indices, view.getShape())) {
    Dim count(1);
    for (DimAttr extent : view.getShape()) count = count * extent.getDim();
    return Move{base, true, {count}};
  }
  Move move{base, false, {}};
  for (auto [i, index] : llvm::enumerate(indices)) {
    const Class &part = classOf(index);
    bool last = i + 1 == indices.size();
    if (last ? part.kind != Kind::Step || !part.whole : part.kind != Kind::Same) return std::nullopt;
    move.divide.append(part.divide);
  }
  bool isRow = indices.size() > 1 && llvm::any_of(view.getShape().drop_back(), [](DimAttr extent) {
    return extent.getConstant() != 1;
  });
  if (isRow) move.divide.push_back(view.getShape().back().getDim());
  return move;
}

/// Only what this file and VectorForm.cpp know how to repeat.
bool VectorForm::understands(Block &block) {
  WalkResult walk = block.walk([&](Operation *op) {
    bool known = isa<tile::ConstantOp, tile::DimOp, tile::QueryOp, tile::ElementwiseOp, tile::CastOp,
                     tile::LoadElementOp, tile::StoreElementOp, tile::AddColumnOp, tile::GroupReduceOp, tile::OnceOp, tile::KernelEndOp, scf::IfOp, scf::ForOp, scf::WhileOp, scf::YieldOp,
                     scf::ConditionOp>(op);
    return known ? WalkResult::advance() : WalkResult::interrupt();
  });
  return !walk.wasInterrupted();
}

void VectorForm::findMoves(Region &region) {
  region.walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (auto load = dyn_cast<tile::LoadElementOp>(op)) {
      if (auto move = moveOf(load.getBase(), load.getIndices(), load.getInBoundsAttr())) moves_.insert({op, *move});
    } else if (auto store = dyn_cast<tile::StoreElementOp>(op)) {
      if (auto move = moveOf(store.getBase(), store.getIndices(), store.getInBoundsAttr())) moves_.insert({op, *move});
    }
    // Behind a condition an element may not be there to be loaded, but all are where they share the condition.
    auto branch = dyn_cast<scf::IfOp>(op);
    return isa<scf::ForOp>(op) || (branch && (spreads(branch) || storesAlone(branch))) ? WalkResult::advance() : WalkResult::skip();
  });
}

/// Nothing is loaded after it was stored.
bool VectorForm::ordered(Region &region) {
  llvm::DenseSet<Value> stored;
  bool good = true;
  region.walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (auto store = dyn_cast<tile::StoreElementOp>(op)) stored.insert(store.getBase());
    if (auto load = dyn_cast<tile::LoadElementOp>(op)) good &= !stored.contains(load.getBase());
  });
  return good;
}

/// As many elements as are 16 bytes of the widest dtype, and divide the extents that are numbers.
bool VectorForm::choose() {
  int64_t bytes = 1;
  for (auto &[op, move] : moves_)
    bytes = std::max<int64_t>(bytes, storageBytes(*dtypeOf(elementTypeOf(move.base.getType()))));
  elements_ = bytes <= 16 ? 16 / bytes : 0;
  if (elements_ > 1 && !rows_.empty()) {
    findEdges();
    const std::optional<Dim> extent = extentOf(rows_.front());
    if (mayHaveEdges_ && facts_.proves(shape::Formula(Dim::mod(*extent, Dim(elements_)), shape::Relation::Eq, Dim(0)))) mayHaveEdges_ = false;
    if (mayHaveEdges_) return true;
  }
  for (auto &[op, move] : moves_)
    for (const Dim &extent : move.divide)
      if (extent.isConstant())
        while (elements_ > 1 && extent.constant() % elements_ != 0) elements_ /= 2;
  return elements_ > 1;
}

/// Fewer where an extent that turned out to matter is a number that they do not divide.
void VectorForm::settle() {
  if (mayHaveEdges_) return;
  for (const Dim &extent : needs_)
    if (extent.isConstant())
      while (elements_ > 1 && extent.constant() % elements_ != 0) elements_ /= 2;
}

}  // namespace tessera::transforms
