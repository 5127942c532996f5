#include "transforms/schedule/AccessMap.h"
#include "transforms/schedule/Conditions.h"
#include "transforms/schedule/Known.h"
#include "transforms/schedule/Shapes.h"

namespace tessera::transforms {
using namespace mlir;
using namespace tessera::ir;

namespace {

class Reader {
public:
  Reader(Value value, graph::FuncOp function, StringRef addsUp = "") : function_(function), addsUp_(addsUp) {
    map_.array = value;
    for (auto [axis, extent] : llvm::enumerate(shapeOf(value.getType()))) {
      map_.digits.emplace_back();
      map_.indices.emplace_back();
      if (isUnit(extent)) continue;
      map_.digits.back().push_back(map_.axes.size());
      map_.indices.back().terms.push_back({map_.axes.size(), Dim(1)});
      map_.axes.push_back({extent.getDim(), axis});
    }
  }

  Reader(const AccessMap &map, Value array, graph::FuncOp function, StringRef combining) : function_(function), addsUp_(combining), repeats_(true), map_(map) {
    map_.array = array;
  }

  std::optional<AccessMap> run() {
    while (Operation *op = map_.array.getDefiningOp()) {
      AccessMap here = map_;
      std::optional<Value> under = throughOne(op);
      if (!under) {  // no movement, or one that no sums over axes say: what it makes lies in memory
        map_ = std::move(here);
        break;
      }
      map_.array = *under;
    }
    return map_;
  }

private:
  using Indices = SmallVector<AccessIndex>;

  /// What the operation moves, with the indices along its axes.
  std::optional<Value> throughOne(Operation *op) {
    auto operandIf = [&](bool isSaid) { return isSaid ? std::optional(op->getOperand(0)) : std::nullopt; };
    if (auto transpose = dyn_cast<graph::TransposeOp>(op)) {
      Indices before = map_.indices;
      for (auto [i, axis] : llvm::enumerate(transpose.getPerm())) map_.indices[axis] = before[i];
      return op->getOperand(0);
    }
    if (auto window = dyn_cast<graph::WindowOp>(op)) return operandIf(throughWindow(window));
    if (auto reshape = dyn_cast<graph::ReshapeOp>(op)) {
      const bool isProduct = !addsUp_.empty() && reshape.getOperand().getDefiningOp<graph::DotOp>();
      return operandIf(!isProduct && throughReshape(reshape));
    }
    if (auto slice = dyn_cast<graph::SliceOp>(op)) return operandIf(throughSlice(slice));
    if (auto concat = dyn_cast<graph::ConcatOp>(op)) {
      std::optional<Value> inner = repeats_ ? throughPart(concat) : std::nullopt;
      return inner ? inner : throughZeros(concat);
    }
    if (auto sum = dyn_cast<graph::ReduceOp>(op)) return operandIf(sum.getMnemonic() == addsUp_ && (!repeats_ || addsOneUp(sum)) && throughSum(sum));
    if (auto gather = dyn_cast<graph::GatherOp>(op)) return operandIf(addsUp_ == "sum" && !repeats_ && throughPlaces(gather));
    if (auto cast = dyn_cast<graph::CastOp>(op)) return operandIf(repeats_ && isWider(cast));
    if (auto broadcast = dyn_cast<graph::BroadcastOp>(op)) return operandIf(repeats_ && throughBroadcast(broadcast));
    return std::nullopt;
  }

  bool throughWindow(graph::WindowOp op) {
    int64_t axis = op.getAxis();
    AccessIndex place = map_.indices[axis], number = map_.indices[axis + 1];
    // Of windows that are asked for by what they see, the step takes back what it divided by.
    const auto step = static_cast<int64_t>(op.getStep());
    const bool isBack = repeats_ && number.isGuarded && number.divisor == step;
    if (place.isGuarded || (number.isGuarded && !isBack)) return false;
    AccessIndex index;
    for (auto [from, factor] : {std::pair(&place, static_cast<int64_t>(op.getDilation())), std::pair(&number, isBack ? 1 : step)}) {
      for (auto [term, by] : from->terms) addTerm(index, term, by * Dim(factor));
      index.constant = index.constant + from->constant * Dim(factor);
    }
    map_.indices.erase(map_.indices.begin() + axis);
    map_.indices[axis] = index;
    map_.slides = true;
    return true;
  }

  static void addTerm(AccessIndex &index, size_t term, const Dim &factor) {
    auto known = llvm::find_if(index.terms, [&](auto &each) { return each.first == term; });
    if (known == index.terms.end()) return index.terms.push_back({term, factor});
    known->second = known->second + factor;
    if (known->second == Dim(0)) index.terms.erase(known);
  }

  bool throughSlice(graph::SliceOp op) {
    Indices inner;
    auto next = map_.indices.begin();
    for (auto [i, offset] : llvm::enumerate(op.getOffsets())) {
      std::optional<Dim> from = dimOf(offset, function_);
      if (!from) return false;
      AccessIndex index;
      if (!op.getPoints()[i]) index = *next++;
      if (index.isGuarded) return false;
      for (auto &[term, by] : index.terms) by = by * Dim(op.getSteps()[i]);
      index.constant = index.constant * Dim(op.getSteps()[i]) + *from;
      inner.push_back(index);
    }
    map_.indices = inner;
    return true;
  }

  static bool addsOneUp(graph::ReduceOp op) {
    return llvm::all_of(op.getAxes(), [&](int64_t axis) { return isUnit(shapeOf(op.getOperand().getType())[axis]); });
  }
  static bool isWider(graph::CastOp op) {
    auto from = dyn_cast<FloatType>(elementTypeOf(op.getOperand().getType())), to = dyn_cast<FloatType>(elementTypeOf(op.getType()));
    return from && to && from.getWidth() >= 16 && !op.getRoundingAttr() && (from == to || from.getWidth() < to.getWidth());
  }

  /// An axis of one element is the same for all of the result's.
  bool throughBroadcast(graph::BroadcastOp op) {
    Indices inner;
    for (auto [axis, to] : llvm::enumerate(op.getAxes()))
      inner.push_back(isUnit(shapeOf(op.getOperand().getType())[axis]) ? AccessIndex() : map_.indices[to]);
    map_.indices = inner;
    return true;
  }

  bool throughSum(graph::ReduceOp op) {
    for (int64_t axis : op.getAxes()) {  // ascending
      DimAttr extent = shapeOf(op.getOperand().getType())[axis];
      AccessIndex index;
      if (!isUnit(extent)) {
        index.terms.push_back({map_.axes.size(), Dim(1)});
        map_.axes.push_back({extent.getDim(), kAddedUp});
      }
      map_.indices.insert(map_.indices.begin() + axis, index);
    }
    return true;
  }

  /// Places that are sums over axes of the result: what lies outside is 0, as beside an array.
  bool throughPlaces(graph::GatherOp op) {
    AccessIndex index;
    std::optional<Affine> place = affineOf(undivided(op.getPlaces(), index.divisor));
    if (!place || shapeOf(op.getType()).size() != map_.indices.size()) return false;
    index.constant = Dim(place->constant);
    index.isGuarded = true;
    for (auto [axis, factor] : place->factors) {
      const AccessIndex &from = map_.indices[op.getAxes()[axis]];
      if (from.isGuarded) return false;
      for (auto [term, by] : from.terms) index.terms.push_back({term, by * Dim(factor)});
      index.constant = index.constant + from.constant * Dim(factor);
    }
    map_.indices[op.getAxis()] = index;
    return true;
  }

  /// Of `where(a % n == 0, a // n, -1)`: a, and the number.
  static Value undivided(Value value, int64_t &divisor) {
    auto select = value.getDefiningOp<graph::ElementwiseOp>();
    auto isOf = [](Value made, StringRef mnemonic) {
      auto op = made.getDefiningOp<graph::ElementwiseOp>();
      return op && op.getMnemonic() == mnemonic ? op : graph::ElementwiseOp();
    };
    auto number = [](Value made) -> std::optional<int64_t> {
      std::optional<Affine> known = affineOf(made);
      return known && known->factors.empty() ? std::optional(known->constant) : std::nullopt;
    };
    if (!select || select.getMnemonic() != "select") return value;
    auto divides = isOf(select->getOperand(0), "eq"), quotient = isOf(select->getOperand(1), "floordiv");
    auto rest = divides ? isOf(divides->getOperand(0), "mod") : graph::ElementwiseOp();
    std::optional<int64_t> otherwise = number(select->getOperand(2)), by = quotient ? number(quotient->getOperand(1)) : std::nullopt;
    if (!rest || !by || !otherwise || *otherwise >= 0 || *by < 1 || number(divides->getOperand(1)) != 0 || number(rest->getOperand(1)) != by) return value;
    if (rest->getOperand(0) != quotient->getOperand(0)) return value;
    divisor = *by;
    return quotient->getOperand(0);
  }

  /// A sum over the axes of a table of integers, times a number each, and a number.
  struct Affine {
    SmallVector<std::pair<int64_t, int64_t>, 2> factors;
    int64_t constant = 0;
  };
  static std::optional<Affine> affineOf(Value value) {
    Operation *op = value.getDefiningOp();
    if (auto cast = dyn_cast_or_null<graph::CastOp>(op)) return isa<IntegerType>(elementTypeOf(cast.getOperand().getType())) ? affineOf(cast.getOperand()) : std::nullopt;
    if (auto iota = dyn_cast_or_null<graph::IotaOp>(op)) return Affine{{{static_cast<int64_t>(iota.getAxis()), 1}}, 0};
    if (auto full = dyn_cast_or_null<graph::FullOp>(op)) return affineOf(full.getOperand());
    if (auto constant = dyn_cast_or_null<graph::ConstantOp>(op)) {
      auto number = dyn_cast<IntegerAttr>(constant.getValue());
      return number ? std::optional(Affine{{}, number.getInt()}) : std::nullopt;
    }
    auto both = dyn_cast_or_null<graph::ElementwiseOp>(op);
    if (!both || both->getOperands().size() != 2) return std::nullopt;
    std::optional<Affine> a = affineOf(both->getOperands()[0]), b = affineOf(both->getOperands()[1]);
    if (!a || !b) return std::nullopt;
    if (both.getMnemonic() == "mul") {
      if (a->factors.empty()) std::swap(a, b);
      return b->factors.empty() ? std::optional(scaled(*a, b->constant)) : std::nullopt;
    }
    if (both.getMnemonic() != "add" && both.getMnemonic() != "sub") return std::nullopt;
    Affine second = scaled(*b, both.getMnemonic() == "sub" ? -1 : 1);
    a->factors.append(second.factors);
    a->constant += second.constant;
    return a;
  }
  static Affine scaled(Affine form, int64_t by) {
    for (auto &[axis, factor] : form.factors) factor *= by;
    form.constant *= by;
    return form;
  }

  /// The only part that is read of what is put together.
  std::optional<Value> throughPart(graph::ConcatOp op) {
    AccessIndex &index = map_.indices[op.getAxis()];
    if (index.isGuarded || index.terms.size() != 1 || !(index.terms[0].second == Dim(1))) return std::nullopt;
    Dim before;
    for (Value part : op.getOperands()) {
      const Dim extent = shapeOf(part.getType())[op.getAxis()].getDim();
      if (index.constant == before && map_.axes[index.terms[0].first].extent == extent) {
        index.constant = Dim(0);
        return part;
      }
      before = before + extent;
    }
    return std::nullopt;
  }

  /// What is put between zeros; nothing if something else is put together.
  std::optional<Value> throughZeros(graph::ConcatOp op) {
    AccessIndex &index = map_.indices[op.getAxis()];
    Value inner;
    Dim before;
    std::optional<int64_t> after = 0;
    for (Value part : op.getOperands()) {
      DimAttr extent = shapeOf(part.getType())[op.getAxis()];
      if (addsUp_ == "max" ? isLowest(part) : isZeros(part)) {
        if (!inner) before = before + extent.getDim();
        else after = after && extent.getConstant() ? std::optional(*after + *extent.getConstant()) : std::nullopt;
      } else if (inner) {
        return std::nullopt;
      } else {
        inner = part;
      }
    }
    if (!inner) return std::nullopt;
    index.constant = index.constant - before * Dim(index.divisor);
    index.after = index.after && after ? std::optional(*index.after + *after) : std::nullopt;
    index.isGuarded = true;
    return inner;
  }

  // ---- reshapes: groups of axes that hold as many elements

  bool throughReshape(graph::ReshapeOp op) {
    SmallVector<int64_t> from = longAxes(op.getOperand().getType()), to = longAxes(op.getType());
    ArrayRef<DimAttr> inner = shapeOf(op.getOperand().getType()), outer = shapeOf(op.getType());
    Indices made(inner.size());
    size_t i = 0, j = 0;
    while (i < from.size() && j < to.size()) {
      size_t lastFrom = i, lastTo = j;
      if (!(inner[from[i]] == outer[to[j]])) {
        lastFrom = endOfGroup(inner, from, i, outer[to[j]].getDim());
        if (lastFrom == from.size()) {
          lastFrom = i;
          lastTo = endOfGroup(outer, to, j, inner[from[i]].getDim());
          if (lastTo == to.size()) return false;
        }
      }
      if (lastFrom == i) {
        if (!join(made[from[i]], ArrayRef(to).slice(j, lastTo - j + 1), outer)) return false;
      } else if (!divide(made, ArrayRef(from).slice(i, lastFrom - i + 1), map_.indices[to[j]], inner)) {
        return false;
      }
      i = lastFrom + 1;
      j = lastTo + 1;
    }
    map_.indices = made;
    return i == from.size() && j == to.size();
  }

  /// The last of the axes from `first` on that hold `count` elements together; how many axes there are if none does.
  static size_t endOfGroup(ArrayRef<DimAttr> shape, ArrayRef<int64_t> axes, size_t first, const Dim &count) {
    Dim product(1);
    for (size_t i = first; i < axes.size(); ++i) {
      product = product * shape[axes[i]].getDim();
      if (product == count) return i;
    }
    return axes.size();
  }

  /// Several axes were one.
  bool join(AccessIndex &made, ArrayRef<int64_t> axes, ArrayRef<DimAttr> shape) {
    if (axes.size() == 1) {
      made = map_.indices[axes[0]];
      return true;
    }
    Dim behind(1);
    for (int64_t axis : llvm::reverse(axes)) {
      const AccessIndex &index = map_.indices[axis];
      if (index.isGuarded) return false;
      for (auto [term, by] : index.terms) made.terms.push_back({term, by * behind});
      made.constant = made.constant + index.constant * behind;
      behind = behind * shape[axis].getDim();
    }
    return true;
  }

  /// One axis was several: it is one of the value's as it is, and is cut.
  bool divide(Indices &made, ArrayRef<int64_t> axes, const AccessIndex &index, ArrayRef<DimAttr> shape) {
    Dim count(1);
    for (int64_t axis : axes) count = count * shape[axis].getDim();
    if (index.isGuarded || index.terms.size() != 1 || !(index.constant == Dim(0)) || !(index.terms[0].second == Dim(1))) return false;
    size_t cut = index.terms[0].first;
    if (!(map_.axes[cut].extent == count) || map_.axes[cut].axis == kAddedUp) return false;
    for (const AccessIndex &other : map_.indices)
      if (&other != &index && llvm::any_of(other.terms, [&](auto &term) { return term.first == cut; })) return false;
    SmallVector<size_t> &digits = map_.digits[map_.axes[cut].axis];
    size_t at = llvm::find(digits, cut) - digits.begin();
    digits.erase(digits.begin() + at);
    for (auto [i, axis] : llvm::enumerate(axes)) {
      digits.insert(digits.begin() + at + i, map_.axes.size());
      made[axis].terms.push_back({map_.axes.size(), Dim(1)});
      map_.axes.push_back({shape[axis].getDim(), map_.axes[cut].axis});
    }
    return true;
  }

  graph::FuncOp function_;
  StringRef addsUp_;      // what combines places on the way; empty: nothing
  bool repeats_ = false;  // casts and repetitions, too
  AccessMap map_;
};

}  // namespace

std::optional<AccessMap> accessMapOf(Value value, graph::FuncOp function) { return Reader(value, function).run(); }
bool isWholeArray(const AccessMap &map) {
  llvm::SmallDenseSet<size_t> used;
  for (auto [axis, index] : llvm::enumerate(map.indices)) {
    bool isPlain = index.terms.size() <= 1 && !index.isGuarded && index.constant == Dim(0) && index.divisor == 1;
    if (!isPlain) return false;
    DimAttr extent = shapeOf(map.array.getType())[axis];
    if (index.terms.empty() ? !isUnit(extent) : !(index.terms[0].second == Dim(1) && map.axes[index.terms[0].first].extent == extent.getDim() && used.insert(index.terms[0].first).second))
      return false;
  }
  return true;
}

std::optional<AccessMap> addedUpMapOf(Value value, graph::FuncOp function, StringRef combining) { return Reader(value, function, combining).run(); }
std::optional<AccessMap> mapUnder(const AccessMap &map, Value array, graph::FuncOp function, StringRef combining) {
  return Reader(map, array, function, combining).run();
}

}  // namespace tessera::transforms
