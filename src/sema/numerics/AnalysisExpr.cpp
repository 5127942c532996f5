// Values: constants, casts, shapes, reductions, products, loads.
#include "checked/Policy.h"
#include "sema/numerics/Analysis.h"
#include "support/FloatFormats.h"
#include "support/Lanes.h"
#include <algorithm>
#include <cmath>
#include <cstdio>

namespace tessera::sema::numerics {

namespace {
std::string list(const std::vector<int> &axes) {
  std::string text;
  for (int a : axes) text += std::to_string(a) + ",";
  return text;
}
std::string shapeKey(const Type &type) {
  std::string text;
  for (const Dim &d : type.shape) text += d.str() + ",";
  return text;
}
bool contains(const std::vector<int> &all, int axis) { return std::find(all.begin(), all.end(), axis) != all.end(); }
}  // namespace

std::vector<int> identityAxes(size_t rank) {
  std::vector<int> axes(rank);
  for (size_t i = 0; i < rank; ++i) axes[i] = static_cast<int>(i);
  return axes;
}
std::vector<int> through(const std::vector<int> &axes, const std::vector<int> &to) {
  std::vector<int> out;
  for (int a : axes) out.push_back(a < 0 ? -1 : to[static_cast<size_t>(a)]);
  return out;
}

int Analysis::numberOf(const std::string &key) {
  auto [it, made] = numbers_.emplace(key, nextNumber_);
  if (made) ++nextNumber_;
  return it->second;
}

std::string Analysis::keyOf(const Expr &e, const std::vector<const Abstract *> &args) const {
  std::string key = std::to_string(static_cast<int>(e.kind)) + ":";
  if (auto *iota = e.get<node::Iota>()) key += list({iota->axis});
  if (auto *concat = e.get<node::Concat>()) key += list({concat->axis});
  if (auto *window = e.get<node::Window>()) key += list({window->axis, window->stride, window->dilation});
  if (auto *broadcast = e.get<node::Broadcast>()) key += list(broadcast->axes);
  if (auto *transpose = e.get<node::Transpose>()) key += list(transpose->axes);
  if (auto *op = e.get<node::Elementwise>()) key += "o" + std::to_string(static_cast<int>(op->op));
  if (auto *reduce = e.get<node::Reduce>()) key += list(reduce->axes) + "r" + std::to_string(static_cast<int>(reduce->op));
  if (auto *cast = e.get<node::Cast>()) key += cast->ofBits ? "b" : policyText(roundingOf(e.type.numerics));
  key += name(e.type.dtype);
  if (e.kind != ExprKind::Elementwise) key += shapeKey(e.type);
  for (const Abstract *a : args) key += "#" + std::to_string(a->number);
  return key;
}

Range Analysis::localSize(const std::string &name) {
  if (name.rfind("%q:", 0) == 0) return Range::of(0, kMostElements);
  if (name[0] == '%') {
    uint32_t id = static_cast<uint32_t>(std::stoul(name.substr(1)));
    for (const auto &[var, value] : state_.values)
      if (var->id == id) return value.range;
  }
  return Range::unknown();
}
Range Analysis::sizeOf(const Dim &dim) {
  return sizes_.of(dim, [this](const std::string &name) { return localSize(name); });
}

/// How many elements the named axes have together.
Range Analysis::elements(const Type &type, const std::vector<int> &axes) {
  Range count = Range::point(1);
  for (int a : axes) count = count * sizeOf(type.shape[static_cast<size_t>(a)]);
  return intersect(count, 1, kMostElements);
}

Abstract Analysis::eval(const Expr &expr) {
  switch (expr.kind) {
  case ExprKind::Constant: return evalConstant(expr);
  case ExprKind::DimValue: {
    Abstract out;
    out.range = sizeOf(expr.as<node::DimValue>().dim);
    out.dim = expr.as<node::DimValue>().dim;
    out.number = numberOf("dim:" + expr.as<node::DimValue>().dim.str());
    return out;
  }
  case ExprKind::VarRef: {
    if (auto let = lets_.find(expr.as<node::VarRef>().var); firstAlong_ >= 0 && let != lets_.end()) return eval(*let->second);
    auto it = state_.values.find(expr.as<node::VarRef>().var);
    return it != state_.values.end() ? it->second : plain(Range::unknown(), true);
  }
  case ExprKind::Query: {
    Abstract out;
    out.range = Range::of(0, kMostElements);
    out.number =
        numberOf("q:" + std::to_string(static_cast<int>(expr.as<node::Query>().what)) + ":" + std::to_string(expr.as<node::Query>().axis));
    return out;
  }
  case ExprKind::Iota: {
    Abstract out;
    const int axis = expr.as<node::Iota>().axis;
    out.range = Range::of(0, sizeOf(expr.type.shape[static_cast<size_t>(axis)]).high - 1);
    if (axis == firstAlong_) out.range = Range::point(0);
    out.number = numberOf(keyOf(expr, {}));
    return out;
  }
  case ExprKind::Table: {
    Abstract out;
    for (const ExprPtr &number : expr.args) out.range = join(out.range, evalConstant(*number).range);
    out.number = fresh();
    return out;
  }
  case ExprKind::Elementwise:
    return expr.as<node::Elementwise>().op == ElementwiseOp::Select ? evalSelect(expr) : evalElementwise(expr);
  case ExprKind::Cast: return evalCast(expr);
  case ExprKind::Broadcast:
  case ExprKind::Full: return evalBroadcast(expr);
  case ExprKind::Transpose: return evalTranspose(expr);
  case ExprKind::Reduce: return evalReduce(expr);
  case ExprKind::Scan: return evalScan(expr);
  case ExprKind::Warp: return evalWarp(expr);
  case ExprKind::Dot: return evalDot(expr);
  case ExprKind::Load: return evalLoad(expr);
  case ExprKind::Call:
  case ExprKind::TupleItem: return evalCall(expr);
  default: return evalAll(expr);
  }
}

Abstract Analysis::plain(const Range &range, bool data) {
  Abstract out;
  out.range = range;
  out.data = data;
  out.number = fresh();
  return out;
}

Abstract Analysis::evalConstant(const Expr &expr) {
  double value = 0;
  if (auto *d = std::get_if<double>(&expr.as<node::Constant>().value)) value = *d;
  else if (auto *i = std::get_if<int64_t>(&expr.as<node::Constant>().value)) value = static_cast<double>(*i);
  else if (auto *b = std::get_if<bool>(&expr.as<node::Constant>().value)) value = *b;
  Abstract out;
  bool rounds = expr.type.kind != TypeKind::Index && isFloat(expr.type.dtype) && std::isfinite(value);
  out.range = Range::point(rounds ? roundToFloat(expr.type.dtype, value) : value);
  char digits[40];
  std::snprintf(digits, sizeof digits, "c:%a:", value);
  out.number = numberOf(digits + std::string(name(expr.type.dtype)));
  return out;
}

Abstract Analysis::evalCast(const Expr &expr) {
  Abstract in = eval(*expr.args[0]);
  const Type &from = expr.args[0]->type;
  DType to = expr.type.dtype;
  bool toIndex = expr.type.kind == TypeKind::Index, fromIndex = from.kind == TypeKind::Index;
  bool fromInt = fromIndex || !isFloat(from.dtype);
  if (expr.as<node::Cast>().ofBits) {
    Abstract bits = plain(isFloat(to) ? Range::unknown() : Range::of(smallest(to), largest(to)), in.data);
    bits.number = numberOf(keyOf(expr, {&in}));
    return bits;
  }
  if (toIndex || (!fromIndex && holds(to, from.dtype))) return in;  // the same value
  Abstract out;
  bool chance = expr.type.numerics.rounding == Rounding::Stochastic;
  out.number = chance ? fresh() : numberOf(keyOf(expr, {&in}));
  out.data = in.data;
  out.range = in.range;
  out.finiteAxes = in.finiteAxes;
  if (fromInt) out.dim = in.dim;
  if (!isFloat(to)) {
    // A float that does not fit becomes the nearest end, but only `@saturate` says that this is meant.
    bool meant = to == DType::Bool || expr.type.numerics.saturate || !in.data;
    if (!fromInt && in.range.hasFinite()) {
      Rounding mode = expr.type.numerics.rounding;
      auto whole = [&](double v) {
        return mode == Rounding::Up ? std::ceil(v) : mode == Rounding::Down ? std::floor(v) : std::trunc(v);
      };
      out.range.low = whole(in.range.low), out.range.high = whole(in.range.high);
    }
    if (!meant && (in.range.hasInfinity() || out.range.low < smallest(to) || out.range.high > largest(to)))
      found(expr, Problem::Overflow, to, in.range,
            inputs_.points && !in.range.hasInfinity() &&
                (out.range.low > largest(to) || out.range.high < smallest(to)));
    out.range.minusInf = out.range.plusInf = false;
    if (in.range.hasInfinity()) out.range = Range::of(smallest(to), largest(to));
    out.range = intersect(out.range, smallest(to), largest(to));
    return out;
  }
  Rounding mode = expr.type.numerics.rounding;
  if (in.range.low >= 0 && !in.range.hasInfinity() && mode != Rounding::Up && !chance) {
    // Rounding to the nearest at most doubles a number; normal numbers move by half a unit in the last place.
    bool normal = in.range.low >= floatFormat(to).minNormal || floatFormat(to).minNormal <= floatFormat(DType::F32).minNormal;
    out.roundedFrom = in.number;
    out.roundedBy = normal ? 1 + 2 * halfUlp(to) : 2;
    for (InCase c : in.cases)
      if (c.least == 0 || c.least == 1) out.cases.push_back(std::move(c));
  }
  // What is lost keeps a sum of shares near what it was.
  if (in.sumBound) out.sumAxes = in.sumAxes, out.sumBound = *in.sumBound * (1 + 2 * halfUlp(to));
  out.hitsLow = in.hitsLow;
  out.hitsHigh = in.hitsHigh;
  out.share = in.share;
  if (in.data) {
    bool always = expr.type.numerics.saturate || (!floatFormat(to).hasInfinity && !floatFormat(to).hasNaN);
    if (!always) out.range = checked(expr, out.range, to, 0, out);
    if (!floatFormat(to).hasInfinity && out.range.hasInfinity()) {
      if (!always) found(expr, Problem::Overflow, to, in.range, false);
      out.range = join(out.range, Range::of(smallest(to), largest(to)));
      out.range.minusInf = out.range.plusInf = false;
    }
  }
  out.range = roundedTo(to, intersect(out.range, smallest(to), largest(to)));
  return out;
}

Abstract Analysis::evalBroadcast(const Expr &expr) {
  auto *broadcast = expr.get<node::Broadcast>();
  const bool scalar = !broadcast;  // Full
  const std::vector<int> axes = broadcast ? broadcast->axes : std::vector<int>();
  int first = firstAlong_;
  if (first >= 0) {  // the axis of the argument that is this one
    auto at = std::find(axes.begin(), axes.end(), first);
    firstAlong_ = scalar || at == axes.end() ? -1 : static_cast<int>(at - axes.begin());
  }
  Abstract out = eval(*expr.args[0]);
  firstAlong_ = first;
  const Abstract in = out;
  if (!scalar && axes == identityAxes(expr.type.shape.size()) &&
      shapeKey(expr.type) == shapeKey(expr.args[0]->type))
    return out;
  out.number = numberOf(keyOf(expr, {&in}));
  out.squareOf = out.roundedFrom = -1;
  out.sumBound.reset();
  out.share.reset();
  out.finiteAxes.clear();
  if (in.root < 0) out.rootAxes = identityAxes(scalar ? 0 : expr.args[0]->type.shape.size());
  out.root = in.rootNumber();
  if (scalar) return out;
  out.rootAxes = through(out.rootAxes, axes);
  moveCases(out, axes);
  for (Fact &fact : out.facts) fact.axes = through(fact.axes, axes);
  out.attainedAxes = through(out.attainedAxes, axes);
  return out;
}

Abstract Analysis::evalTranspose(const Expr &expr) {
  const std::vector<int> &axes = expr.as<node::Transpose>().axes;
  Abstract out = eval(*expr.args[0]);
  std::vector<int> to(axes.size());
  for (size_t i = 0; i < axes.size(); ++i) to[static_cast<size_t>(axes[i])] = static_cast<int>(i);
  const Abstract in = out;
  out.number = numberOf(keyOf(expr, {&in}));
  out.squareOf = out.roundedFrom = -1;
  out.share.reset();
  if (out.root >= 0) out.rootAxes = through(out.rootAxes, to);
  moveCases(out, to);
  out.finiteAxes = through(out.finiteAxes, to);
  for (Fact &fact : out.facts) fact.axes = through(fact.axes, to);
  out.attainedAxes = through(out.attainedAxes, to);
  out.sumAxes = through(out.sumAxes, to);
  return out;
}

/// select(c, a, b). A mask of what lies outside of a tensor is no choice: those elements do not exist.
Abstract Analysis::evalSelect(const Expr &expr) {
  Abstract condition = eval(*expr.args[0]);
  Abstract a = eval(*expr.args[1]), b = eval(*expr.args[2]);
  if (expr.as<node::Elementwise>().ofLimit) return a;
  if (condition.range.isPoint(1)) return a;
  if (condition.range.isPoint(0)) return b;
  // `where(x > c, x, y)`: what is chosen is known to lie above c.
  std::vector<Fact> kept;
  const Expr &test = *expr.args[0];
  if (test.kind == ExprKind::Elementwise && test.args.size() == 2) {
    Abstract left = eval(*test.args[0]), right = eval(*test.args[1]);
    const ElementwiseOp op = test.as<node::Elementwise>().op;
    bool above = op == ElementwiseOp::Gt || op == ElementwiseOp::Ge;
    bool below = op == ElementwiseOp::Lt || op == ElementwiseOp::Le;
    if ((above || below) && right.range.hasFinite()) {
      double low = above ? right.range.low : -kInfinity, high = below ? right.range.high : kInfinity;
      if (left.number == a.number) a.range = intersect(a.range, low, high);
      double otherLow = below ? right.range.low : -kInfinity,
             otherHigh = above ? right.range.high : kInfinity;
      if (left.number == b.number) b.range = intersect(b.range, otherLow, otherHigh);
    }
    // `where(x > -INF, x, y)` is at least x.
    if (above && right.range.isMinusInfinity() && left.number == a.number) {
      a.range.minusInf = false;
      for (const Fact &fact : a.facts)
        if (fact.kind == FactKind::Above) kept.push_back({fact.kind, fact.source, fact.axes, fact.scale, false, {}});
    }
  }
  Abstract out;
  out.range = join(a.range, b.range);
  out.data = condition.data || a.data || b.data;
  out.number = numberOf(keyOf(expr, {&condition, &a, &b}));
  out.facts = std::move(kept);
  if (!b.range.hasFinite() && !a.range.hasInfinity()) out.finiteAxes = someFinite(expr);
  return out;
}

/// `where(c, a, -INF)`: the axes along which `a` is chosen at index 0, wherever the other axes are.
std::vector<int> Analysis::someFinite(const Expr &select) {
  std::vector<int> axes;
  if (select.type.kind != TypeKind::Tensor) return axes;
  int outer = firstAlong_;
  for (int axis = 0; axis < static_cast<int>(select.type.shape.size()); ++axis) {
    firstAlong_ = axis;
    if (eval(*select.args[0]).range.isPoint(1)) axes.push_back(axis);
  }
  firstAlong_ = outer;
  return axes;
}

Abstract Analysis::evalReduce(const Expr &expr) {
  const std::vector<int> &over = expr.as<node::Reduce>().axes;
  const ReduceOp op = expr.as<node::Reduce>().op;
  Abstract in = eval(*expr.args[0]);
  const Type &from = expr.args[0]->type;
  Range count = elements(from, over);
  Abstract out;
  out.data = in.data;
  out.number = numberOf(keyOf(expr, {&in}));
  std::vector<int> axes(from.shape.size());
  int next = 0;
  for (size_t i = 0; i < axes.size(); ++i)
    axes[i] =
        std::find(over.begin(), over.end(), static_cast<int>(i)) != over.end() ? -1 : next++;
  DType dtype = expr.type.dtype;
  switch (op) {
  case ReduceOp::Max:
  case ReduceOp::Min: {
    bool most = op == ReduceOp::Max;
    out.range = in.range;
    if (most && in.range.plusInf && !in.range.hasFinite()) out.range = in.range;
    bool rows = contains(over, static_cast<int>(from.shape.size()) - 1);
    if (inputs_.points && rows && most && in.hitsHigh) out.range = Range::point(in.range.high);
    if (inputs_.points && rows && !most && in.hitsLow) out.range = Range::point(in.range.low);
    bool finite = std::any_of(over.begin(), over.end(), [&](int a) { return contains(in.finiteAxes, a); });
    if (finite && in.range.hasFinite()) (most ? out.range.minusInf : out.range.plusInf) = false;
    out.facts.push_back({most ? FactKind::Above : FactKind::Below, in.number, axes, 1, true, {}});
    for (const Fact &fact : in.facts)  // max(abs(x)) is at least each |x|
      if (most && fact.kind == FactKind::AboveRoot)
        out.facts.push_back({fact.kind, fact.source, through(fact.axes, axes), fact.scale, false, {}});
    return out;
  }
  case ReduceOp::Sum: {
    out.range = sumOf(in.range, count.low, count.high);
    if (in.range.minusInf && in.range.plusInf)
      found(expr, Problem::InfinityMeetsItself, dtype, in.range, false);
    if (in.attained && in.range.low >= 0 &&
        std::all_of(in.attainedAxes.begin(), in.attainedAxes.end(),
                    [&](int a) { return contains(over, a); }))
      out.range = intersect(out.range, *in.attained, kInfinity);
    if (in.range.low >= 0 && !in.range.hasInfinity()) casesOfReduction(in, over, axes, out);
    noteTotal(expr, in, count, out);
    for (const Fact &fact : in.facts) {  // terms within p add up to what is within the sum of p
      bool each = std::all_of(over.begin(), over.end(), [&](int a) { return contains(fact.axes, a); });
      if (fact.kind != FactKind::WithinSum || !each) continue;
      double rounding = halfUlp(dtype) * std::min(count.high, kMostRounded);
      out.facts.push_back({fact.kind, fact.source, through(fact.axes, axes), fact.scale * (1 + rounding), false, {}});
    }
    double floor = out.range.low;
    out.range =
        checked(expr, out.range, dtype, isFloat(dtype) ? halfUlp(dtype) * std::min(count.high, kMostRounded) : 0, out);
    out.range = withCases(out, out.range);
    if (floor > 0 && in.attained) out.range = intersect(out.range, floor, kInfinity);  // adding lowers no sum
    if (in.range.low >= 0) out.facts.push_back({FactKind::AboveSum, in.number, axes, 1, true, {}});
    if (in.squareOf >= 0) out.facts.push_back({FactKind::AboveSquares, in.squareOf, axes, 1, true, {}});
    return out;
  }
  case ReduceOp::Prod: {
    double top = std::max(1.0, in.range.magnitude());
    double most = top == 1 ? 1 : std::pow(top, count.high);
    out.range = checked(expr, Range::of(in.range.low >= 0 ? 0 : -most, most), dtype, 1e-3, out);
    return out;
  }
  case ReduceOp::Any:
  case ReduceOp::All: out.range = Range::truth(); return out;
  }
  return out;
}

/// A combination of as many values of this range as `count` says.
Range Analysis::combinationOf(const Expr &expr, ReduceOp op, const Range &each, const Range &count, Abstract &out) {
  const DType dtype = expr.type.dtype;
  switch (op) {
  case ReduceOp::Min:
  case ReduceOp::Max: return each;
  case ReduceOp::Any:
  case ReduceOp::All: return Range::truth();
  case ReduceOp::Sum:
    if (each.minusInf && each.plusInf) found(expr, Problem::InfinityMeetsItself, dtype, each, false);
    return checked(expr, sumOf(each, count.low, count.high), dtype, isFloat(dtype) ? halfUlp(dtype) * std::min(count.high, kMostRounded) : 0, out);
  case ReduceOp::Prod: {
    const double top = std::max(1.0, each.magnitude()), most = top == 1 ? 1 : std::pow(top, count.high);
    return checked(expr, Range::of(each.low >= 0 ? 0 : -most, most), dtype, 1e-3, out);
  }
  }
  return Range::unknown();
}

Abstract Analysis::evalScan(const Expr &expr) {
  Abstract in = eval(*expr.args[0]);
  Abstract out = plain(Range::unknown(), in.data);
  Range count = elements(expr.type, {expr.as<node::Scan>().axis});
  count.low = std::min(count.low, 1.0);  // the first element is combined with nothing
  out.range = combinationOf(expr, expr.as<node::Scan>().op, in.range, count, out);
  return out;
}

Abstract Analysis::evalWarp(const Expr &expr) {
  const auto &[what, op] = expr.as<node::Warp>();
  Abstract in = eval(*expr.args[0]);
  Abstract out = plain(in.range, in.data);
  if (what == WarpOp::Ballot) out.range = Range::of(0, largest(DType::U32));
  if (what == WarpOp::Reduce) out.range = combinationOf(expr, op, in.range, Range::point(kWarpLanes), out);
  return out;
}

/// What a sum is a total of, for the mean that is made of it; in point evaluation what it is.
void Analysis::noteTotal(const Expr &sum, const Abstract &in, const Range &count, Abstract &out) {
  const Expr &of = *sum.args[0];
  Dim terms(1);
  const std::vector<int> &axes = sum.as<node::Reduce>().axes;
  for (int a : axes) terms = terms * of.type.shape[static_cast<size_t>(a)];
  auto *masked = of.get<node::Elementwise>();
  bool cut = masked && masked->ofLimit;  // elements that do not exist are added as zeros
  if (in.range.hasFinite() && in.range.bounded() && !in.range.hasInfinity())
    out.totalOf = {cut ? join(in.range, Range::point(0)) : in.range, terms};
  bool rows = axes.size() == 1 && axes[0] == static_cast<int>(of.type.shape.size()) - 1;
  if (!in.share || !rows || !count.isPoint() || !in.hitsLow || !in.hitsHigh) return;
  out.range = Range::point((in.range.high * *in.share + in.range.low * (1 - *in.share)) * count.low);
}

Abstract Analysis::evalDot(const Expr &expr) {
  Abstract a = eval(*expr.args[0]), b = eval(*expr.args[1]);
  const Type &left = expr.args[0]->type;
  int last = static_cast<int>(left.shape.size()) - 1;
  Range count = elements(left, {last});
  Abstract out;
  out.data = a.data || b.data;
  out.number = numberOf(keyOf(expr, {&a, &b}));
  DType dtype = expr.type.dtype;
  if (a.range.hasInfinity() || b.range.hasInfinity())
    found(expr, Problem::InfinityMeetsItself, dtype, join(a.range, b.range), false);
  double rounding = isFloat(dtype) ? halfUlp(dtype) * std::min(count.high, kMostRounded) : 0;
  // At most the sum of the factors that are not negative, times the largest other factor.
  if (a.range.low >= 0 && !a.range.hasInfinity() && b.range.bounded() && !b.range.hasInfinity()) {
    std::vector<int> axes = identityAxes(left.shape.size());
    axes[static_cast<size_t>(last)] = -1;
    double scale = b.range.magnitude() * (1 + rounding);
    out.facts.push_back({FactKind::WithinSum, a.number, axes, scale, false, {}});
    if (a.roundedFrom >= 0)
      out.facts.push_back({FactKind::WithinSum, a.roundedFrom, axes, scale * a.roundedBy, false, {}});
  }
  Range each = a.range * b.range;
  Range total = sumOf(each, count.low, count.high);
  // Weights that sum to at most a bound give no more than that share of the largest factor.
  if (a.sumBound && a.sumAxes == std::vector<int>{last} && b.range.hasFinite()) {
    double most = *a.sumBound;
    total = intersect(total, std::min(0.0, b.range.low * most), std::max(0.0, b.range.high * most));
  }
  out.range = checked(expr, total, dtype, rounding, out);
  return out;
}

/// True if an access may lie before the start of the tensor: what is read there is a value of its own.
bool Analysis::outside(const Access &access) {
  for (const IndexPart &part : access.parts) {
    if (part.inBounds || !part.offset) continue;
    if (part.isPoint || part.step < 0 || eval(*part.offset).range.low < 0) return true;
  }
  return false;
}

Abstract Analysis::evalLoad(const Expr &expr) {
  const Access &access = expr.as<node::Load>().access;
  const Var *base = access.base;
  Abstract out;
  out.data = true;
  auto memory = state_.memory.find(base);
  out.range = memory != state_.memory.end() ? memory->second : Range::unknown();
  std::string key = "load:" + std::to_string(base->id) + "v" + std::to_string(state_.versions[base]);
  for (const IndexPart &part : access.parts) {
    key += part.isPoint ? "|p" : "|" + part.size.str() + "s" + std::to_string(part.step);
    if (part.offset) key += "@" + std::to_string(eval(*part.offset).number);
  }
  if (access.other) out.range = join(out.range, eval(*access.other).range);
  else if (outside(access)) out.range = join(out.range, Range::point(0));
  out.number = numberOf(key);
  if (inputs_.points && inputs_.mixed.count(base->name) && expr.type.kind == TypeKind::Tensor) {
    const IndexPart &row = access.parts.back();
    bool whole = !row.isPoint && row.step == 1 && row.size == base->type.shape.back();
    double share = inputs_.mixed.at(base->name);
    out.hitsLow = out.hitsHigh = whole || share == 0.5;  // a part of a row has both ends if they alternate
    if (whole) out.share = share;
  }
  return out;
}

Abstract Analysis::evalCall(const Expr &expr) {
  if (expr.kind == ExprKind::TupleItem) {
    const Expr &tuple = *expr.args[0];
    if (tuple.kind == ExprKind::VarRef)
      if (auto it = tuples_.find(tuple.as<node::VarRef>().var); it != tuples_.end())
        return plain(it->second[static_cast<size_t>(expr.as<node::TupleItem>().item)], true);
    return plain(Range::unknown(), true);
  }
  Inputs inputs;
  inputs.points = false;
  Sizes sizes(*expr.as<node::Call>().callee);
  size_t next = 0;
  for (const Param &param : expr.as<node::Call>().callee->params) {
    if (param.isResult || next >= expr.args.size()) continue;
    const Expr &arg = *expr.args[next++];
    inputs.ranges[param.var->name] = eval(arg).range;
    for (size_t i = 0; i < param.var->type.shape.size() && i < arg.type.shape.size(); ++i) {
      const Dim &dim = param.var->type.shape[i];
      Range size = sizeOf(arg.type.shape[i]);
      if (dim.isVar()) sizes.restrict(dim.varName(), size.low, size.high);
    }
  }
  Analysis inner(*expr.as<node::Call>().callee, sizes, inputs);
  inner.run();
  if (quiet_ == 0) findings_.insert(findings_.end(), inner.findings().begin(), inner.findings().end());
  if (expr.type.kind == TypeKind::Tuple) {
    Abstract out = plain(Range::unknown(), true);
    out.facts.clear();
    lastTuple_ = inner.results();
    return out;
  }
  return plain(inner.results().empty() ? Range::unknown() : inner.results()[0], true);
}

Abstract Analysis::evalAll(const Expr &expr) {
  Abstract out;
  std::vector<Abstract> args;
  std::vector<const Abstract *> pointers;
  for (const ExprPtr &arg : expr.args) args.push_back(eval(*arg));
  for (const Abstract &a : args) {
    out.range = join(out.range, a.range);
    out.data |= a.data;
    pointers.push_back(&a);
  }
  bool known =
      expr.kind == ExprKind::Reshape || expr.kind == ExprKind::Concat || expr.kind == ExprKind::Slice ||
      expr.kind == ExprKind::Window;
  if (!known) return plain(Range::unknown(), true);
  out.number = expr.kind == ExprKind::Slice ? fresh() : numberOf(keyOf(expr, pointers));
  return out;
}

}  // namespace tessera::sema::numerics
