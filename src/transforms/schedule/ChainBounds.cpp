// Which keys a tile of rows can see at all. Masks compare places: a causal query sees no key after its own, a window none
// long before, a cache none that is not filled. Tiles in which every score is -INF, whose weights are 0, are left out. Where keys are the
// rows, as in the derivative by them, a tile of hidden ones goes over nothing.
#include "ir/common/Names.h"
#include "ir/common/BitCasts.h"
#include "transforms/schedule/Chain.h"
#include "transforms/schedule/Shapes.h"

namespace tessera::transforms {
using namespace mlir;
using namespace tessera::ir;

namespace {

/// The index along an axis (-1: none), what is left of it after whole periods, and numbers that are added or, negative, taken away.
struct Place {
  int64_t axis = -1;
  SmallVector<std::pair<Value, bool>> added;
  Value period = {};  // null: the index itself
};

class BoundFinder {
public:
  /// `all`: the number of keys. `product`: where the tile of the product lies, a point along all axes but the last two.
  BoundFinder(OpBuilder &builder, Privatiser &privatiser, const Indices &product, Value all)
      : builder_(builder), privatiser_(privatiser), keyAxis_(static_cast<int64_t>(product.size()) - 1), product_(product), rows_(product[product.size() - 2]),
        all_(all), line_(unnamed(rows_.at.getLoc())) {}

  /// Null where nothing is hidden.
  struct Bounds {
    Value first, end;
  };

  /// `neutral`: what elements are that need not be looked at, -INF of scores or 0 of weights.
  Bounds of(Value scores, double neutral) {
    if (auto cast = scores.getDefiningOp<graph::CastOp>()) return cast.getRounding() == kBits ? Bounds() : of(cast.getOperand(), neutral);
    auto op = scores.getDefiningOp<graph::ElementwiseOp>();
    if (!op) return {};
    if (op.getMnemonic() == "select") return ofChoice(op, neutral);
    return neutral == 0 ? ofWeights(op) : Bounds();
  }

  /// Computed alike.
  static bool isSame(Value a, Value b) {
    if (a == b) return true;
    Operation *left = a.getDefiningOp(), *right = b.getDefiningOp();
    return left && right && left->getName() == right->getName() && left->getAttrDictionary() == right->getAttrDictionary() &&
           left->getNumOperands() == right->getNumOperands() && llvm::equal(left->getOperands(), right->getOperands(), isSame);
  }

private:
  Bounds ofChoice(graph::ElementwiseOp op, double neutral) {
    Value asked = op->getOperand(0), yes = op->getOperand(1), no = op->getOperand(2);
    if (auto full = asked.getDefiningOp<graph::FullOp>()) return either(full.getOperand(), of(yes, neutral), of(no, neutral));
    Bounds bounds;
    if (isHidden(no, neutral)) bounds = of(yes, neutral), where(asked, true, bounds);
    else if (isHidden(yes, neutral)) bounds = of(no, neutral), where(asked, false, bounds);
    return bounds;
  }

  /// A product is 0 where a factor is, an exponential where the score is -INF and what is taken from it is not.
  Bounds ofWeights(graph::ElementwiseOp op) {
    StringRef mnemonic = op.getMnemonic();
    if (mnemonic == "neg" || mnemonic == "div") return of(op->getOperand(0), 0);
    if (mnemonic == "mul") {
      Bounds left = of(op->getOperand(0), 0);
      return left.first || left.end ? left : of(op->getOperand(1), 0);
    }
    bool isPower = mnemonic == "exp" || mnemonic == "exp2";
    auto difference = isPower ? op->getOperand(0).getDefiningOp<graph::ElementwiseOp>() : graph::ElementwiseOp();
    if (!difference || difference.getMnemonic() != "sub" || !isGuarded(difference->getOperand(1))) return {};
    return of(difference->getOperand(0), -std::numeric_limits<double>::infinity());
  }

  /// What is chosen where it is greater than -INF, maybe with the logarithm of a sum (LogSums.h).
  static bool isGuarded(Value pivot) {
    while (isa_and_nonnull<graph::BroadcastOp, graph::ReshapeOp, graph::TransposeOp>(pivot.getDefiningOp())) pivot = pivot.getDefiningOp()->getOperand(0);
    auto chosen = pivot.getDefiningOp<graph::ElementwiseOp>();
    if (chosen && chosen.getMnemonic() == "add") {
      auto log = chosen->getOperand(1).getDefiningOp<graph::ElementwiseOp>();
      return log && log.getMnemonic() == "log" && isGuarded(chosen->getOperand(0));
    }
    auto asked = chosen && chosen.getMnemonic() == "select" ? chosen->getOperand(0).getDefiningOp<graph::ElementwiseOp>() : graph::ElementwiseOp();
    return asked && asked.getMnemonic() == "gt" && asked->getOperand(0) == chosen->getOperand(1) &&
           isHidden(asked->getOperand(1), -std::numeric_limits<double>::infinity());
  }

  /// One of two masks, by a condition that all scores share.
  Bounds either(Value condition, Bounds yes, Bounds no) {
    Bounds both;
    auto choose = [&](Value a, Value b, Value otherwise) -> Value {
      if (!a && !b) return {};
      return builder_.create<graph::ElementwiseOp>(line_, builder_.getIndexType(), "select",
                                                   ValueRange{privatiser_.part(condition, {}), a ? a : otherwise, b ? b : otherwise});
    };
    if (yes.first || no.first) both.first = choose(yes.first, no.first, privatiser_.constantIndex(0, line_));
    if (yes.end || no.end) both.end = choose(yes.end, no.end, all_);
    return both;
  }

  static bool isHidden(Value value, double neutral) {
    auto full = value.getDefiningOp<graph::FullOp>();
    auto constant = full ? full.getOperand().getDefiningOp<graph::ConstantOp>() : graph::ConstantOp();
    auto number = constant ? dyn_cast<FloatAttr>(constant.getValue()) : FloatAttr();
    return number && number.getValueAsDouble() == neutral;
  }

  void where(Value condition, bool holds, Bounds &bounds) {
    auto op = condition.getDefiningOp<graph::ElementwiseOp>();
    if (!op) return;
    StringRef mnemonic = op.getMnemonic();
    if (mnemonic == "not") return where(op->getOperand(0), !holds, bounds);
    if (mnemonic == (holds ? "and" : "or")) {
      where(op->getOperand(0), holds, bounds);
      return where(op->getOperand(1), holds, bounds);
    }
    bool isLess = mnemonic == "lt" || mnemonic == "le";
    if (!isLess && mnemonic != "gt" && mnemonic != "ge") return;
    bool orEqual = mnemonic == "le" || mnemonic == "ge";
    if (!holds) isLess = !isLess, orEqual = !orEqual;
    std::optional<Place> left = placeOf(op->getOperand(0)), right = placeOf(op->getOperand(1));
    if (!left || !right) return;
    if (right->axis == keyAxis_ || (right->axis == keyAxis_ - 1 && left->axis == -1)) std::swap(left, right), isLess = !isLess;
    if (left->axis == keyAxis_ && !left->period && (right->axis == keyAxis_ - 1 || right->axis == -1)) add(*left, *right, isLess, orEqual, bounds);
    else if (left->axis == keyAxis_ - 1 && !left->period && right->axis == -1) addRows(*left, *right, isLess, orEqual, bounds);
  }

  /// row + a < b: no key is seen where it does not hold for the first row of the tile; for greater ones, for the last.
  void addRows(const Place &row, const Place &other, bool isLess, bool orEqual, Bounds &bounds) {
    Value at = rows_.at, limit = privatiser_.constantIndex(0, line_);
    if (!isLess) at = privatiser_.arithmetic("add", at, privatiser_.dim(rows_.size.getDim() - Dim(1), line_), line_);
    for (auto [value, negative] : row.added) at = privatiser_.arithmetic(negative ? "sub" : "add", at, value, line_);
    for (auto [value, negative] : other.added) limit = privatiser_.arithmetic(negative ? "sub" : "add", limit, value, line_);
    Value sees = privatiser_.arithmetic(std::string(isLess ? "l" : "g") + (orEqual ? "e" : "t"), at, limit, line_);
    Value end = builder_.create<graph::ElementwiseOp>(line_, builder_.getIndexType(), "select", ValueRange{sees, all_, privatiser_.constantIndex(0, line_)});
    if (bounds.end && isSame(bounds.end, end)) return;
    bounds.end = bounds.end ? privatiser_.arithmetic("min", bounds.end, end, line_) : end;
  }

  /// key + a < other + b: key < other + (b - a), of the last row of the tile; for greater ones of the first.
  void add(const Place &key, const Place &other, bool isLess, bool orEqual, Bounds &bounds) {
    Value limit = other.axis >= 0 && !other.period ? rows_.at : privatiser_.constantIndex(0, line_);
    Dim known(isLess == orEqual ? 1 : 0);  // numbers and dimensions, in one sum
    if (other.axis >= 0 && isLess && !other.period) known = known + rows_.size.getDim() - Dim(1);
    if (other.period && isLess) limit = lastInPeriod(other.period);
    auto sum = [&](Value value, bool negative) {
      std::optional<Dim> dim = dimOf(value);
      if (dim) known = negative ? known - *dim : known + *dim;
      else limit = privatiser_.arithmetic(negative ? "sub" : "add", limit, value, line_);
    };
    for (auto [value, negative] : other.added) sum(value, negative);
    for (auto [value, negative] : key.added) sum(value, !negative);
    limit = privatiser_.arithmetic("add", limit, privatiser_.dim(known, line_), line_);
    Value &bound = isLess ? bounds.end : bounds.first;
    if (bound && isSame(bound, limit)) return;  // scores and weights under one mask
    bound = bound ? privatiser_.arithmetic(isLess ? "min" : "max", bound, limit, line_) : limit;
  }

  /// The last place in a period that a row of the tile has: the last row's, unless a period ends before it.
  Value lastInPeriod(Value period) {
    Value at = privatiser_.arithmetic("mod", rows_.at, period, line_);
    Value last = privatiser_.arithmetic("add", at, privatiser_.dim(rows_.size.getDim() - Dim(1), line_), line_);
    return privatiser_.arithmetic("min", last, privatiser_.arithmetic("sub", period, privatiser_.constantIndex(1, line_), line_), line_);
  }

  /// A number of each batch, as the length of a sequence: null where rows or keys have their own.
  Value numberOfBatch(graph::BroadcastOp spread) {
    Indices at;
    for (auto [axis, extent] : llvm::zip(spread.getAxes(), shapeOf(spread.getOperand().getType()))) {
      if (!isUnit(extent) && axis >= keyAxis_ - 1) return {};
      at.push_back(isUnit(extent) ? Index(privatiser_.constantIndex(0, line_)) : Index(product_[axis].at));
    }
    Value number = privatiser_.part(spread.getOperand(), at);
    return number ? builder_.create<graph::CastOp>(line_, builder_.getIndexType(), number, StringAttr(), UnitAttr()).getResult() : Value();
  }

  static std::optional<Dim> dimOf(Value value) {
    if (auto dim = value.getDefiningOp<graph::DimOp>()) return dim.getDim().getDim();
    auto constant = value.getDefiningOp<graph::ConstantOp>();
    if (!constant) return std::nullopt;
    return Dim(cast<IntegerAttr>(constant.getValue()).getInt());
  }

  std::optional<Place> placeOf(Value value) {
    auto type = dyn_cast<IntegerType>(elementTypeOf(value.getType()));  // a narrow one may wrap around
    if (!type || type.isUnsigned() || type.getWidth() < 32) return std::nullopt;
    Operation *op = value.getDefiningOp();
    if (auto iota = dyn_cast_or_null<graph::IotaOp>(op)) return Place{static_cast<int64_t>(iota.getAxis()), {}};
    if (auto full = dyn_cast_or_null<graph::FullOp>(op)) {
      Value number = numberOf(full.getOperand());
      if (!number) return std::nullopt;
      return Place{-1, {{number, false}}};
    }
    if (auto spread = dyn_cast_or_null<graph::BroadcastOp>(op)) {
      Value number = numberOfBatch(spread);
      return number ? std::optional(Place{-1, {{number, false}}}) : std::nullopt;
    }
    auto element = dyn_cast_or_null<graph::ElementwiseOp>(op);
    if (element && element.getMnemonic() == "mod") return periodic(placeOf(op->getOperand(0)), placeOf(op->getOperand(1)));
    bool adds = element && element.getMnemonic() == "add", subtracts = element && element.getMnemonic() == "sub";
    if (!adds && !subtracts) return std::nullopt;
    std::optional<Place> left = placeOf(op->getOperand(0)), right = placeOf(op->getOperand(1));
    if (!left || !right || (left->axis >= 0 && right->axis >= 0) || (subtracts && right->axis >= 0)) return std::nullopt;
    Place sum{std::max(left->axis, right->axis), left->added, left->period ? left->period : right->period};
    for (auto [number, negative] : right->added) sum.added.push_back({number, negative != subtracts});
    return sum;
  }

  /// The rows of several queries one after the other, each of which begins at place 0.
  static std::optional<Place> periodic(std::optional<Place> place, std::optional<Place> by) {
    bool plain = place && by && place->axis >= 0 && !place->period && place->added.empty() && by->axis < 0 && by->added.size() == 1 && !by->added[0].second;
    return plain ? std::optional(Place{place->axis, {}, by->added[0].first}) : std::nullopt;
  }

  /// A signed integer that all scores share, as an index; null if it is none.
  Value numberOf(Value scalar) {
    if (auto cast = scalar.getDefiningOp<graph::CastOp>(); cast && cast.getOperand().getType().isIndex()) scalar = cast.getOperand();
    if (scalar.getType().isIndex()) return privatiser_.part(scalar, {});
    auto type = dyn_cast<IntegerType>(scalar.getType());
    if (!type) return {};
    if (auto constant = scalar.getDefiningOp<graph::ConstantOp>())
      return privatiser_.constantIndex(cast<IntegerAttr>(constant.getValue()).getInt(), line_);
    Value number = privatiser_.part(scalar, {});
    if (!number) return {};
    return builder_.create<graph::CastOp>(line_, builder_.getIndexType(), number, StringAttr(), UnitAttr());
  }

  OpBuilder &builder_;
  Privatiser &privatiser_;
  int64_t keyAxis_;
  const Indices &product_;
  const Index &rows_;
  Value all_;
  Location line_;
};

}  // namespace

std::pair<Value, Value> keysSeen(OpBuilder &builder, Privatiser &privatiser, Chain &chain, const Indices &product, DimAttr step) {
  Location line = unnamed(chain.last()->getLoc());
  ArrayRef<DimAttr> shape = shapeOf(chain.weights().getType());
  Value zero = privatiser.constantIndex(0, line), all = privatiser.dim(shape.back().getDim(), line);
  bool compares = chain.largest || (chain.reduce && chain.reduce.getMnemonic() == "max");
  BoundFinder finder(builder, privatiser, product, all);
  auto [first, end] = finder.of(chain.largest ? chain.scores() : chain.weights(), compares ? -std::numeric_limits<double>::infinity() : 0);
  auto index = [&](StringRef mnemonic, Value a, Value b, StringRef name) {
    return privatiser.arithmetic(mnemonic, a, b, name.empty() ? line : Location(named(name, line)));
  };
  for (graph::DotOp other : chain.beside) {
    auto [from, to] = finder.of(other.getLhs(), 0);
    if (first && !(from && BoundFinder::isSame(first, from))) first = from ? index("min", first, from, "") : Value();
    if (end && !(to && BoundFinder::isSame(end, to))) end = to ? index("max", end, to, "") : Value();
  }
  Value size = first ? privatiser.dim(step.getDim(), line) : Value();
  return {first ? index("mul", index("floordiv", index("max", first, zero, ""), size, ""), size, "first") : zero,
          end ? index("min", all, end, "end") : all};
}

}  // namespace tessera::transforms
