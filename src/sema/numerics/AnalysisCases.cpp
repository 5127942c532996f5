// Cases: `m = max(a, b)` is `a` or it is `b`, at each place. What holds in both cases holds: in an online softmax
// the old sum is kept as it is, or the new terms have one that is exp(0).
#include "sema/numerics/Analysis.h"
#include <algorithm>
#include <cmath>

namespace tessera::sema::numerics {

namespace {
/// Lower bounds below this say nothing: such values may be flushed to zero.
constexpr double kSmallest = 1e-30;

/// Every member of `a` is at least every member of `b`.
bool isLarger(const Range &a, const Range &b) {
  if (a.minusInf || b.plusInf || !a.hasFinite()) return false;
  return !b.hasFinite() || b.high <= a.low;
}
bool lost(const std::vector<int> &axes) { return std::find(axes.begin(), axes.end(), -1) != axes.end(); }
bool contains(const std::vector<int> &all, int axis) { return std::find(all.begin(), all.end(), axis) != all.end(); }

/// Rounding passes no number that the format holds: bounds of 0 and 1 stay.
double afterRounding(double bound, DType dtype) {
  if (bound == 0 || bound == 1 || bound == -1) return bound;
  return bound - std::abs(bound) * 2 * (isFloat(dtype) ? halfUlp(dtype) : 0);
}
/// What is known of every element in a case; else the range's end.
double leastIn(const Abstract &value, const Choice &choice) {
  double least = value.range.low;
  for (const InCase &c : value.cases)
    if (c.choice == choice && c.along.empty()) least = std::max(least, c.least);
  return least;
}
}  // namespace

/// The maximum is above both operands, and above what they are above; in one case it is equal to it.
void Analysis::factsOfMaximum(const Expr &expr, const std::vector<Abstract> &args, Abstract &out) {
  bool most = expr.as<node::Elementwise>().op == ElementwiseOp::Max;
  FactKind kind = most ? FactKind::Above : FactKind::Below;
  std::vector<int> identity = identityAxes(expr.type.shape.size());
  for (size_t k = 0; k < args.size(); ++k) {
    bool always = args.size() == 2 && most && isLarger(args[k].range, args[1 - k].range);
    Choice chosen = always ? Choice{} : Choice{out.number, static_cast<int>(k), identity};
    for (Fact fact : args[k].facts) {
      bool kept = fact.kind == kind || (most && fact.kind != FactKind::Below && fact.kind != FactKind::InverseRoot &&
                                        fact.kind != FactKind::WithinSum);
      if (!kept) continue;
      fact.exact = most && fact.kind == kind && fact.exact && fact.choice.maximum < 0;
      fact.choice = fact.exact ? chosen : Choice{};
      out.facts.push_back(std::move(fact));
    }
    out.facts.push_back({kind, args[k].number, identity, 1, most, most ? chosen : Choice{}});
  }
}

/// a - max(a, ...) is 0 in the case that the maximum is a; a - max(max(a over an axis), ...) somewhere along it.
void Analysis::casesOfDifference(const Abstract &a, const Abstract &b, Abstract &out) {
  for (const Fact &fact : b.facts) {
    if (fact.kind != FactKind::Above || !fact.exact || fact.choice.maximum < 0 || !appliesTo(fact, a)) continue;
    std::vector<int> along;
    for (size_t i = 0; i < fact.axes.size(); ++i)
      if (fact.axes[i] < 0) along.push_back(static_cast<int>(i));
    out.cases.push_back({fact.choice, std::move(along), 0});
  }
}

/// Of a + b, or of a * b where both are at least 0.
void Analysis::casesOfBoth(const Abstract &a, const Abstract &b, bool product, DType dtype, Abstract &out) {
  for (const Abstract *v : {&a, &b})
    if (!v->range.hasFinite() || v->range.minusInf || std::isinf(v->range.low) || (product && v->range.low < 0))
      return;
  for (auto [one, other] : {std::pair(&a, &b), std::pair(&b, &a)})
    for (InCase c : one->cases) {
      if (product && c.least < 0) continue;
      double more = leastIn(*other, c.choice);
      c.least = afterRounding(product ? c.least * more : c.least + more, dtype);
      out.cases.push_back(std::move(c));
    }
}

/// Of the sum over `reduced` axes of what is at least 0. axes[i]: where axis i of `in` is now.
void Analysis::casesOfReduction(const Abstract &in, const std::vector<int> &reduced, const std::vector<int> &axes,
                                Abstract &out) {
  for (InCase c : in.cases) {
    bool all = std::all_of(c.along.begin(), c.along.end(), [&](int a) { return contains(reduced, a); });
    c.choice.axes = through(c.choice.axes, axes);
    if (!all || lost(c.choice.axes)) continue;
    c.along.clear();
    out.cases.push_back(std::move(c));
  }
}

void Analysis::moveCases(Abstract &value, const std::vector<int> &to) {
  for (InCase &c : value.cases) {
    c.choice.axes = through(c.choice.axes, to);
    c.along = through(c.along, to);
  }
  for (Fact &fact : value.facts) fact.choice.axes = through(fact.choice.axes, to);
}

Range Analysis::withCases(const Abstract &value, Range r) {
  if (!r.hasFinite()) return r;
  double low = r.low;
  for (const InCase &c : value.cases) {
    if (!c.along.empty() || c.least < kSmallest) continue;
    Choice other = c.choice;
    other.operand = 1 - other.operand;
    double least = c.least, otherwise = r.low;
    for (const InCase &d : value.cases)
      if (d.along.empty() && d.choice == other) otherwise = std::max(otherwise, d.least);
    low = std::max(low, std::min(least, otherwise));
  }
  return intersect(r, low, kInfinity);
}

}  // namespace tessera::sema::numerics
