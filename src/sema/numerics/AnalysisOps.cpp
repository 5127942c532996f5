// Elementwise operations: ranges, the facts that narrow them, and what can go wrong.
#include "sema/numerics/Analysis.h"
#include "support/FloatFormats.h"
#include "tessera/device/philox.h"
#include <algorithm>
#include <cmath>

namespace tessera::sema::numerics {

namespace {
/// Exponentials, logarithms and the like are a few units in the last place from the truth on every target.
constexpr double kFunctionError = 8;

double sigmoid(double x) { return 1 / (1 + std::exp(-x)); }
double errorFunction(double x) { return std::erf(x); }
/// erfc(-x): it grows, as the other functions here do.
double complementOfNegative(double x) { return std::erfc(-x); }
double exponential(double x) { return std::exp(x); }
double exponentialLess1(double x) { return std::expm1(x); }
double exponential2(double x) { return std::exp2(x); }
double logarithmE(double x) { return std::log(x); }
double logarithm1p(double x) { return std::log1p(x); }
double logarithm2(double x) { return std::log2(x); }
double hyperbolic(double x) { return std::tanh(x); }
double logarithm10(double x) { return std::log10(x); }
double hyperbolicSine(double x) { return std::sinh(x); }
double hyperbolicCosine(double x) { return std::cosh(x); }
double inverseOfSinh(double x) { return std::asinh(x); }
double arcTangent(double x) { return std::atan(x); }
double truncated(double x) { return std::trunc(x); }
double floorOf(double x) { return std::floor(x); }
double ceilOf(double x) { return std::ceil(x); }
double nearest(double x) { return std::nearbyint(x); }

std::vector<int> reducedAxes(const Fact &fact) {
  std::vector<int> axes;
  for (size_t i = 0; i < fact.axes.size(); ++i)
    if (fact.axes[i] < 0) axes.push_back(static_cast<int>(i));
  return axes;
}
}  // namespace

namespace {
bool beyond(DType dtype, double end) {
  return isFloat(dtype) ? overflows(dtype, end * (1 - 1e-5)) : end > largest(dtype) || end < smallest(dtype);
}
}  // namespace

/// True if the fact holds for each element of `source` at its own place: both have one shape.
bool Analysis::appliesTo(const Fact &fact, const Abstract &source) {
  if (fact.source != source.number) return false;
  for (size_t i = 0; i < fact.axes.size(); ++i)
    if (fact.axes[i] >= 0 && fact.axes[i] != static_cast<int>(i)) return false;
  return true;
}

void Analysis::found(const Expr &expr, Problem problem, DType dtype, const Range &range, bool definite) {
  if (quiet_ > 0) return;
  for (const Finding &f : findings_)
    if (f.op == &expr) return;
  findings_.push_back({&expr, problem, dtype, range, definite && inputs_.points});
}

Range Analysis::checked(const Expr &expr, Range r, DType dtype, double relative, const Abstract &out) {
  if (!r.hasFinite()) return r;
  if (relative > 0) r = loosened(r, relative);
  bool isReal = isFloat(dtype);
  if (!out.data) return intersect(r, smallest(dtype), largest(dtype));
  bool high = isReal ? overflows(dtype, r.high) && r.high > 0 : r.high > largest(dtype);
  bool low = isReal ? overflows(dtype, r.low) && r.low < 0 : r.low < smallest(dtype);
  if (high || low) {
    bool all = isReal ? (overflows(dtype, r.low) && r.low > 0) || (overflows(dtype, r.high) && r.high < 0)
                      : r.low > largest(dtype) || r.high < smallest(dtype);
    // Not if only the room for rounding errors overflows.
    bool some = (high && out.hitsHigh && beyond(dtype, r.high)) || (low && out.hitsLow && beyond(dtype, r.low));
    found(expr, Problem::Overflow, dtype, r, all || some);
  }
  r = intersect(r, smallest(dtype), largest(dtype));
  return isReal ? flushed(dtype, r) : r;
}

Abstract Analysis::evalElementwise(const Expr &expr) {
  const ElementwiseOp op = expr.as<node::Elementwise>().op;
  std::vector<Abstract> args;
  std::vector<const Abstract *> pointers;
  Abstract out;
  for (const ExprPtr &arg : expr.args) args.push_back(eval(*arg));
  for (const Abstract &a : args) {
    pointers.push_back(&a);
    out.data |= a.data;
  }
  out.number = numberOf(keyOf(expr, pointers));
  if (info(op).resultIsBool) {
    out.range = comparison(op, args[0].range, args.size() > 1 ? args[1].range : Range{});
    return out;
  }
  if (inputs_.points) keepHits(expr, args, out);
  Range r = arithmetic(expr, args, out);
  bool index = expr.type.kind == TypeKind::Index;
  DType dtype = expr.type.dtype;
  if (index || !out.data || dtype == DType::Bool) {
    out.range = r;
    return out;
  }
  bool exact = op == ElementwiseOp::Min || op == ElementwiseOp::Max ||
               op == ElementwiseOp::Neg || op == ElementwiseOp::Abs ||
               op == ElementwiseOp::Floor || op == ElementwiseOp::Ceil ||
               op == ElementwiseOp::Round || op == ElementwiseOp::Trunc || !isFloat(dtype);
  double low = r.low, high = r.high;
  out.range = withCases(out, checked(expr, r, dtype, exact ? 0 : halfUlp(dtype), out));
  // Rounding passes no number that the format holds: signs and shares of one stay.
  for (double bound : {0.0, 1.0, -1.0}) {
    if (low >= bound && out.range.hasFinite()) out.range = intersect(out.range, bound, kInfinity);
    if (high <= bound && out.range.hasFinite()) out.range = intersect(out.range, -kInfinity, bound);
  }
  out.hitsLow &= out.range.low != 0 || low <= 0;  // not if it may only have been flushed
  out.hitsHigh &= out.range.high != 0 || high >= 0;
  return out;
}

namespace {
/// One number, up to rounding errors.
bool nearlyPoint(const Range &r) {
  return r.isPoint() || (r.hasFinite() && !r.hasInfinity() && r.high - r.low <= 1e-5 * r.magnitude());
}
}  // namespace

/// In point evaluation: which ends of the result some element has.
void Analysis::keepHits(const Expr &expr, const std::vector<Abstract> &args, Abstract &out) {
  const Abstract *varied = nullptr;
  for (const Abstract &a : args) {
    if (nearlyPoint(a.range)) continue;
    if (varied) return;
    varied = &a;
  }
  if (!varied || !(varied->hitsLow || varied->hitsHigh)) return;
  bool turned = false;
  auto negative = [&](const Abstract &a) { return &a != varied && a.range.high < 0; };
  switch (expr.as<node::Elementwise>().op) {
  case ElementwiseOp::Add:
  case ElementwiseOp::Exp:
  case ElementwiseOp::Exp2:
  case ElementwiseOp::Expm1:
  case ElementwiseOp::Log:
  case ElementwiseOp::Log1p:
  case ElementwiseOp::Log2:
  case ElementwiseOp::Log10:
  case ElementwiseOp::Sqrt:
  case ElementwiseOp::Sinh:
  case ElementwiseOp::Tanh:
  case ElementwiseOp::Sigmoid: break;
  case ElementwiseOp::Neg: turned = true; break;
  case ElementwiseOp::Sub: turned = varied == &args[1]; break;
  case ElementwiseOp::Mul: turned = negative(args[0]) || negative(args[1]); break;
  case ElementwiseOp::Div:
    if (varied == &args[1]) return;
    turned = negative(args[1]);
    break;
  default: return;
  }
  out.hitsLow = turned ? varied->hitsHigh : varied->hitsLow;
  out.hitsHigh = turned ? varied->hitsLow : varied->hitsHigh;
  if (varied->share) out.share = turned ? 1 - *varied->share : *varied->share;
}

Range Analysis::comparison(ElementwiseOp op, const Range &a, const Range &b) {
  auto known = [](bool yes, bool no) {
    return yes ? Range::point(1) : no ? Range::point(0) : Range::truth();
  };
  // `x > -INF`, `x < INF`: whether x is an infinity that the program put there.
  if (op == ElementwiseOp::Gt && b.isMinusInfinity()) return known(!a.minusInf, a.isMinusInfinity());
  if (op == ElementwiseOp::Lt && b.isPlusInfinity()) return known(!a.plusInf, a.isPlusInfinity());
  if (!a.hasFinite() || !b.hasFinite() || a.hasInfinity() || b.hasInfinity()) return Range::truth();
  switch (op) {
  case ElementwiseOp::Lt: return known(a.high < b.low, a.low >= b.high);
  case ElementwiseOp::Le: return known(a.high <= b.low, a.low > b.high);
  case ElementwiseOp::Gt: return known(a.low > b.high, a.high <= b.low);
  case ElementwiseOp::Ge: return known(a.low >= b.high, a.high < b.low);
  default: return Range::truth();
  }
}

Range Analysis::arithmetic(const Expr &expr, const std::vector<Abstract> &args, Abstract &out) {
  const ElementwiseOp op = expr.as<node::Elementwise>().op;
  const Abstract &a = args[0];
  switch (op) {
  case ElementwiseOp::Add: return sum(expr, a, args[1], false, out);
  case ElementwiseOp::Sub: return sum(expr, a, args[1], true, out);
  case ElementwiseOp::Mul: return product(expr, a, args[1], out);
  case ElementwiseOp::Div: return ratio(expr, a, args[1], out);
  case ElementwiseOp::Pow: return power(expr, a, args[1]);
  case ElementwiseOp::FloorDiv: {
    Range r = ratio(expr, a, args[1], out);
    out.facts.clear();
    out.sumBound.reset();
    return monotone(r, floorOf, 0);
  }
  case ElementwiseOp::Mod: {
    const Range &b = args[1].range;
    if (b.containsZero()) {
      if (out.data) found(expr, Problem::DivisionByZero, expr.type.dtype, b, b.isPoint(0));
      return Range::unknown();
    }
    return b.low > 0 ? Range::of(0, b.high) : Range::of(b.low, 0);
  }
  case ElementwiseOp::Max:
  case ElementwiseOp::Min:
    factsOfMaximum(expr, args, out);
    return op == ElementwiseOp::Max ? maximum(a.range, args[1].range) : minimum(a.range, args[1].range);
  case ElementwiseOp::Neg: return -a.range;
  case ElementwiseOp::Abs:
    out.facts.push_back({FactKind::AboveRoot, a.number, identityAxes(expr.type.shape.size()), 1, false, {}});
    return magnitudeOf(a.range);
  case ElementwiseOp::And:
  case ElementwiseOp::Or:
    if (expr.type.dtype == DType::Bool) {
      const double decides = op == ElementwiseOp::And ? 0 : 1;
      if (a.range.isPoint(decides) || args[1].range.isPoint(decides)) return Range::point(decides);
      return a.range.isPoint() && args[1].range.isPoint() ? Range::point(1 - decides) : Range::truth();
    }
    [[fallthrough]];
  case ElementwiseOp::Xor:
  case ElementwiseOp::Not:
  case ElementwiseOp::Shl:
  case ElementwiseOp::Shr:
    return expr.type.dtype == DType::Bool ? Range::truth()
                                          : Range::of(smallest(expr.type.dtype), largest(expr.type.dtype));
  case ElementwiseOp::RandomBits:
    out.data = true;
    return Range::of(0, 4294967295.0);
  case ElementwiseOp::RandomKey: return Range::of(smallest(DType::I64), largest(DType::I64));
  default: return function(expr, a, out);
  }
}

Range Analysis::sum(const Expr &expr, const Abstract &a, const Abstract &b, bool negate, Abstract &out) {
  Range r = negate ? a.range - b.range : a.range + b.range;
  Range other = negate ? -b.range : b.range;
  if (negate && a.number == b.number && !a.range.hasInfinity()) return Range::point(0);
  if ((a.range.minusInf && other.plusInf) || (a.range.plusInf && other.minusInf)) {
    bool only = !a.range.hasFinite() && !b.range.hasFinite() && !(a.range.minusInf && a.range.plusInf) &&
                !(b.range.minusInf && b.range.plusInf);
    found(expr, Problem::InfinityMeetsItself, expr.type.dtype, a.range, only);
    r.minusInf = r.plusInf = false;
  }
  if (!r.hasFinite()) return r;
  if (negate) {
    for (const Fact &fact : b.facts) {
      if (!appliesTo(fact, a)) continue;
      if (fact.kind == FactKind::Above) r = intersect(r, -kInfinity, 0);
      if (fact.kind == FactKind::Below) r = intersect(r, 0, kInfinity);
      if ((fact.kind == FactKind::Above || fact.kind == FactKind::Below) && fact.exact &&
          fact.choice.maximum < 0) {
        out.attained = 0;
        out.attainedAxes = reducedAxes(fact);
      }
    }
    for (const Fact &fact : a.facts) {
      if (!appliesTo(fact, b)) continue;
      if (fact.kind == FactKind::Above) r = intersect(r, 0, kInfinity);
      if (fact.kind == FactKind::Below) r = intersect(r, -kInfinity, 0);
    }
    casesOfDifference(a, b, out);
    return r;
  }
  casesOfBoth(a, b, false, expr.type.dtype, out);
  for (auto [one, more] : {std::pair(&a, &b), std::pair(&b, &a)}) {
    if (more->range.low >= 0 && !more->range.minusInf)  // adding what is not negative
      for (Fact fact : one->facts)
        if (fact.kind != FactKind::Below && fact.kind != FactKind::InverseRoot &&
            fact.kind != FactKind::WithinSum) {
          fact.exact = false;
          fact.choice = {};
          out.facts.push_back(fact);
        }
    if (one->attained && more->range.isPoint()) {
      out.attained = *one->attained + more->range.low;
      out.attainedAxes = one->attainedAxes;
    }
  }
  return r;
}

Range Analysis::product(const Expr &expr, const Abstract &a, const Abstract &b, Abstract &out) {
  for (auto [x, y] : {std::pair(&a.range, &b.range), std::pair(&b.range, &a.range)})
    if (x->hasInfinity() && y->hasFinite() && y->containsZero() && out.data)
      found(expr, Problem::InfinityMeetsItself, expr.type.dtype, *x, !x->hasFinite() && y->isPoint(0));
  Range r = a.range * b.range;
  if (!r.hasFinite()) return r;
  if (a.number == b.number) {
    out.squareOf = a.number;
    Range m = magnitudeOf(a.range);
    return intersect(r, std::max(0.0, m.low * m.low * (1 - 1e-15)), kInfinity);
  }
  casesOfBoth(a, b, true, expr.type.dtype, out);
  for (auto [x, y] : {std::pair(&a, &b), std::pair(&b, &a)}) {
    const Range &factor = y->range;
    if (factor.bounded() && !factor.hasInfinity() && x->range.low >= 0 && !x->range.hasInfinity())
      out.facts.push_back({FactKind::WithinSum, x->number, identityAxes(expr.type.shape.size()), factor.magnitude() * (1 + 1e-6),
                           false, {}});
    for (Fact fact : x->facts) {
      if (fact.kind == FactKind::InverseRoot && appliesTo(fact, *y))
        r = intersect(r, -1 / fact.scale * (1 + 1e-6), 1 / fact.scale * (1 + 1e-6));
      if (!factor.hasFinite() || factor.hasInfinity() || factor.low <= 0) continue;
      bool grows = fact.kind == FactKind::AboveSum || fact.kind == FactKind::AboveSquares ||
                   fact.kind == FactKind::AboveRoot;
      if (grows) fact.scale *= factor.low;
      else if (fact.kind == FactKind::InverseRoot) fact.scale /= factor.high;
      else continue;
      fact.exact = false;
      fact.choice = {};
      out.facts.push_back(fact);
    }
    if (factor.isPoint() && x->attained) {
      out.attained = *x->attained * factor.low;
      out.attainedAxes = x->attainedAxes;
    }
    if (factor.hasFinite() && factor.low >= 0 && x->sumBound && x->range.low >= 0) {
      out.sumBound = *x->sumBound * factor.high;
      out.sumAxes = x->sumAxes;
    }
  }
  return r;
}

Range Analysis::ratio(const Expr &expr, const Abstract &a, const Abstract &b, Abstract &out) {
  const Range &divisor = b.range;
  if (!divisor.hasFinite() && !divisor.hasInfinity()) return Range{};
  if (divisor.hasFinite() && divisor.containsZero()) {
    if (out.data)
      found(expr, Problem::DivisionByZero, expr.type.dtype, divisor,
            divisor.isPoint(0) || (b.hitsLow && divisor.low == 0) || (b.hitsHigh && divisor.high == 0));
    return Range::of(smallest(DType::F32), largest(DType::F32));
  }
  if (a.range.hasInfinity() && divisor.hasInfinity())
    found(expr, Problem::InfinityMeetsItself, expr.type.dtype, a.range, false);
  Range r = quotient(a.range, divisor);
  if (a.number == b.number) return Range::point(1);
  if (a.totalOf && b.dim && *b.dim == a.totalOf->second) {  // a mean: rounding errors grow with the number of terms
    double terms = std::min(sizeOf(*b.dim).high, kMostRounded);
    Range each = loosened(a.totalOf->first, halfUlp(expr.type.dtype) * (terms + 4));
    r = intersect(r, each.low, each.high);
  }
  for (const Fact &fact : b.facts) {
    if (!appliesTo(fact, a)) continue;
    double most = 1 / fact.scale * (1 + 1e-6);
    if (fact.kind == FactKind::AboveRoot) r = intersect(r, -most, most);
    if (fact.kind == FactKind::AboveSum) {
      r = intersect(r, 0, fact.exact && fact.scale == 1 ? 1 : most);
      out.sumBound = 1 / fact.scale * (1 + 1e-4);
      out.sumAxes = reducedAxes(fact);
    }
  }
  if (divisor.low > 0 && a.range.bounded() && a.range.low >= 0 && a.range.high > 0 && !a.range.hasInfinity())
    for (Fact fact : b.facts) {
      if (fact.kind != FactKind::AboveRoot) continue;
      fact.kind = FactKind::InverseRoot;
      fact.scale = fact.scale / a.range.high * (1 - 1e-6);
      fact.choice = {};
      out.facts.push_back(fact);
    }
  if (divisor.low > 0)
    for (Fact fact : a.facts) {
      fact.choice = {};
      bool grows = fact.kind == FactKind::AboveSum || fact.kind == FactKind::AboveSquares ||
                   fact.kind == FactKind::AboveRoot;
      if (!grows || !(divisor.high < kInfinity)) continue;
      fact.scale /= divisor.high;
      fact.exact = false;
      out.facts.push_back(fact);
    }
  return r;
}

Range Analysis::power(const Expr &expr, const Abstract &a, const Abstract &b) {
  if (a.range.hasFinite() && b.range.hasFinite() && a.range.low > 0) {
    double corners[] = {std::pow(a.range.low, b.range.low), std::pow(a.range.low, b.range.high),
                        std::pow(a.range.high, b.range.low), std::pow(a.range.high, b.range.high)};
    return loosened(
        Range::of(*std::min_element(corners, corners + 4), *std::max_element(corners, corners + 4)), 1e-6);
  }
  double n = b.range.isPoint() ? b.range.low : 0.5;
  bool whole = n == std::floor(n) && std::abs(n) <= 64;
  if (whole && n >= 0 && a.range.hasFinite()) {
    double most = std::pow(a.range.magnitude(), n);
    bool even = std::fmod(n, 2) == 0;
    return loosened(Range::of(even || a.range.low >= 0 ? 0 : -most, most), 1e-6);
  }
  bool zero = a.range.low >= 0 || (whole && n < 0);
  found(expr, zero ? Problem::DivisionByZero : Problem::PowerOfNegative, expr.type.dtype, a.range,
        zero ? a.range.isPoint(0) && n < 0 : a.range.high < 0 && !whole);
  return Range::of(smallest(DType::F32), largest(DType::F32));
}

/// `pole`: where the logarithm is -INF.
Range Analysis::logarithm(const Expr &expr, const Abstract &a, double (*log)(double), double pole) {
  if (!a.range.hasFinite()) return a.range;
  if (a.range.low <= pole) {
    bool below = a.range.low < pole;
    bool definite = a.range.high < pole || a.range.isPoint(pole) || (a.hitsLow && a.range.low <= pole);
    found(expr, below ? Problem::LogOfNegative : Problem::LogOfZero, expr.type.dtype, a.range, definite);
    return Range::of(-1100, log(std::max(a.range.high, pole + 1e-16)));
  }
  Range r = monotone(a.range, log, 1e-6);
  r.plusInf = a.range.plusInf;
  return r;
}

/// sqrt and rsqrt.
Range Analysis::root(const Expr &expr, const Abstract &a, Abstract &out) {
  bool inverse = expr.as<node::Elementwise>().op == ElementwiseOp::Rsqrt;
  if (!a.range.hasFinite()) return inverse ? Range::point(0) : a.range;
  for (const Fact &fact : a.facts)
    if (fact.kind == FactKind::AboveSquares)
      out.facts.push_back({inverse ? FactKind::InverseRoot : FactKind::AboveRoot, fact.source, fact.axes,
                           std::sqrt(fact.scale) * (1 - 1e-6), false, {}});
  double low = a.range.low;
  if (low < 0 || a.range.minusInf || (inverse && low == 0)) {
    bool zero = inverse && low == 0;
    bool definite =
        a.range.high < 0 || (inverse && a.range.isPoint(0)) || (a.hitsLow && (low < 0 || inverse));
    found(expr, zero ? Problem::DivisionByZero : Problem::RootOfNegative, expr.type.dtype, a.range, definite);
    low = 0;
    if (inverse) return Range::of(0, largest(DType::F32));
  }
  double least = std::sqrt(std::max(low, 0.0)), most = std::sqrt(std::max(a.range.high, 0.0));
  Range r = inverse ? Range::of(1 / most, 1 / least) : Range::of(least, most);
  r = loosened(r, 1e-6);
  if (a.range.plusInf && inverse) r = join(r, Range::point(0));
  r.plusInf = a.range.plusInf && !inverse;
  return r;
}

Range Analysis::function(const Expr &expr, const Abstract &a, Abstract &out) {
  const ElementwiseOp op = expr.as<node::Elementwise>().op;
  DType dtype = expr.type.dtype;
  double error = isFloat(dtype) ? kFunctionError * halfUlp(dtype) : 0;
  auto bounded = [&](double (*f)(double), double low, double high) {
    Range r = intersect(monotone(a.range, f, error), low, high);
    if (a.range.minusInf) r = join(r, Range::point(low));
    if (a.range.plusInf) r = join(r, Range::point(high));
    return r;
  };
  switch (op) {
  case ElementwiseOp::Exp:
  case ElementwiseOp::Exp2: {
    auto *f = op == ElementwiseOp::Exp ? exponential : exponential2;
    Range r = monotone(a.range, f, error);
    if (r.hasFinite()) {
      r = flushed(dtype, r);
      if (a.range.high <= 0) r.high = std::min(r.high, 1.0);
      if (a.range.low >= 0) r.low = std::max(r.low, 1.0);
    }
    if (a.range.minusInf) r = join(r, Range::point(0));
    r.plusInf = a.range.plusInf;
    if (a.attained) {
      out.attained = *a.attained == 0 ? 1 : f(*a.attained) * (1 - error);
      out.attainedAxes = a.attainedAxes;
    }
    for (InCase c : a.cases) {
      c.least = c.least == 0 ? 1 : f(c.least) * (1 - error);
      out.cases.push_back(std::move(c));
    }
    return r;
  }
  case ElementwiseOp::Expm1: {
    Range r = monotone(a.range, exponentialLess1, error);
    if (a.range.minusInf) r = join(r, Range::point(-1));
    r.plusInf = a.range.plusInf;
    return r;
  }
  case ElementwiseOp::Sinh:
  case ElementwiseOp::Asinh: {
    Range r = monotone(a.range, op == ElementwiseOp::Sinh ? hyperbolicSine : inverseOfSinh, error);
    r.minusInf = a.range.minusInf;
    r.plusInf = a.range.plusInf;
    return r;
  }
  case ElementwiseOp::Cosh: {
    Range size = magnitudeOf(a.range), r = monotone(size, hyperbolicCosine, error);
    r.plusInf = size.plusInf;
    return r;
  }
  case ElementwiseOp::Atan: return bounded(arcTangent, -1.5707964, 1.5707964);
  case ElementwiseOp::Log: return logarithm(expr, a, logarithmE, 0);
  case ElementwiseOp::Log1p: return logarithm(expr, a, logarithm1p, -1);
  case ElementwiseOp::Log2: return logarithm(expr, a, logarithm2, 0);
  case ElementwiseOp::Log10: return logarithm(expr, a, logarithm10, 0);
  case ElementwiseOp::Sqrt:
  case ElementwiseOp::Rsqrt: return root(expr, a, out);
  case ElementwiseOp::Tanh: return bounded(hyperbolic, -1, 1);
  case ElementwiseOp::Erf: return bounded(errorFunction, -1, 1);
  case ElementwiseOp::Erfc: {
    Range r = intersect(monotone(-a.range, complementOfNegative, error), 0, 2);
    if (a.range.minusInf) r = join(r, Range::point(2));
    if (a.range.plusInf) r = join(r, Range::point(0));
    return r;
  }
  case ElementwiseOp::Sigmoid: return bounded(sigmoid, 0, 1);
  case ElementwiseOp::Probit: return monotone(a.range, tsr::probit<double>, error);
  case ElementwiseOp::Sin:
  case ElementwiseOp::Cos:
    if (a.range.hasInfinity())
      found(expr, Problem::InfinityMeetsItself, dtype, a.range, !a.range.hasFinite());
    return Range::of(-1, 1);
  case ElementwiseOp::Floor:
  case ElementwiseOp::Ceil:
  case ElementwiseOp::Round:
  case ElementwiseOp::Trunc: {
    Range r = monotone(a.range,
                       op == ElementwiseOp::Floor   ? floorOf
                       : op == ElementwiseOp::Ceil  ? ceilOf
                       : op == ElementwiseOp::Trunc ? truncated
                                                         : nearest,
                       0);
    r.minusInf = a.range.minusInf;
    r.plusInf = a.range.plusInf;
    return r;
  }
  default: return Range::unknown();
  }
}

}  // namespace tessera::sema::numerics
