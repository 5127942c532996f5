#include "support/Amount.h"
#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>
#include <utility>

namespace tessera {

namespace {

/// The factor as `first / second`: exactly where the second is small, else within a ten thousandth, in numbers that can be read.
/// A factor beyond 64 bits has none: 0 / 0.
std::pair<int64_t, int64_t> fraction(double factor) {
  constexpr double kSmall = 4096, kMost = 0x1p62;
  if (factor < 0) {
    const auto [above, below] = fraction(-factor);
    return {-above, below};
  }
  if (factor >= kMost) return {0, 0};
  double above = 1, below = 0, aboveBefore = 0, belowBefore = 1, rest = factor;  // convergents of its continued fraction
  std::optional<std::pair<int64_t, int64_t>> near;
  for (int step = 0; step < 40; ++step) {
    const double whole = std::floor(rest);
    aboveBefore = std::exchange(above, whole * above + aboveBefore);
    belowBefore = std::exchange(below, whole * below + belowBefore);
    if (above >= kMost || below >= kMost) break;
    const double wrong = std::abs(above / below - factor);
    if (wrong <= 1e-4 * factor && !near) near = {static_cast<int64_t>(above), static_cast<int64_t>(below)};
    if (wrong <= 1e-9 * factor && below <= kSmall) return {static_cast<int64_t>(above), static_cast<int64_t>(below)};
    if (rest == whole || (near && below > kSmall)) break;
    rest = 1 / (rest - whole);
  }
  return near.value_or(std::pair<int64_t, int64_t>(0, factor == 0 ? 1 : 0));
}

Dim times(const Dim &dim, int64_t count) { return count == 1 ? dim : Dim(count) * dim; }

double valueOf(const Dim &dim, const std::map<std::string, int64_t> &sizes, bool &known);

double valueOf(const Atom &atom, const std::map<std::string, int64_t> &sizes, bool &known) {
  if (atom.kind == AtomKind::Var) {
    auto found = sizes.find(atom.name);
    known &= found != sizes.end();
    return found == sizes.end() ? 1 : static_cast<double>(found->second);
  }
  const double a = valueOf(*atom.left, sizes, known), b = valueOf(*atom.right, sizes, known);
  switch (atom.kind) {
  case AtomKind::FloorDiv: known &= b != 0; return b == 0 ? 0 : std::floor(a / b);
  case AtomKind::Mod: known &= b != 0; return b == 0 ? 0 : a - b * std::floor(a / b);
  case AtomKind::Min: return std::min(a, b);
  default: return std::max(a, b);
  }
}

double valueOf(const Dim &dim, const std::map<std::string, int64_t> &sizes, bool &known) {
  double sum = 0;
  for (const Dim::Term &term : dim.terms()) {
    double product = static_cast<double>(term.coefficient);
    for (const auto &[atom, power] : term.atoms) product *= std::pow(valueOf(atom, sizes, known), power);
    sum += product;
  }
  return sum;
}

/// The greatest number that divides all coefficients.
int64_t contentOf(const Dim &dim) {
  int64_t content = 0;
  for (const Dim::Term &term : dim.terms()) content = std::gcd(content, term.coefficient);
  return content;
}

/// No more than the product, and of the variables of `names` alone: (x + c - 1) // c is at least x / c, and at least 1.
Amount leastOf(const Dim::Term &term, const std::set<std::string> &names) {
  Amount product(static_cast<double>(term.coefficient));
  for (const auto &[atom, power] : term.atoms)
    for (int i = 0; i < power; ++i) {
      if (atom.kind == AtomKind::Var) product *= Amount(Dim::var(atom.name));
      if (atom.kind != AtomKind::FloorDiv || !atom.right->isConstant() || atom.right->constant() < 2) continue;
      const Dim inner = *atom.left - (*atom.right - Dim(1));
      std::set<std::string> its;
      inner.collectVars(its);
      const bool speaksOfThem = std::includes(names.begin(), names.end(), its.begin(), its.end());
      if (speaksOfThem) product *= Amount(inner) / static_cast<double>(atom.right->constant());
    }
  return product;
}

}  // namespace

Amount::Amount(const Dim &dim) : Amount(1, dim) {}

Amount::Amount(double factor, Dim dim) : factor_(factor), dim_(std::move(dim)) {
  if (!dim_.isDefined()) return;
  if (dim_.isConstant()) {
    factor_ *= static_cast<double>(dim_.constant());
    dim_ = Dim(1);
  } else if (const int64_t content = contentOf(dim_); factor_ == 0 || content == 0) {
    *this = Amount();
  } else if (content > 1) {
    factor_ *= static_cast<double>(content);
    dim_ = Dim::floorDiv(dim_, Dim(content));
  }
}

std::optional<double> Amount::at(const std::map<std::string, int64_t> &sizes) const {
  if (!isDefined()) return std::nullopt;
  bool known = true;
  const double value = factor_ * valueOf(dim_, sizes, known);
  return known ? std::optional(value) : std::nullopt;
}

Dim Amount::dim() const {
  if (isNumber()) return std::abs(factor_) < 0x1p62 ? Dim(static_cast<int64_t>(std::floor(factor_))) : Dim::undefined();
  const auto [above, below] = fraction(factor_);
  if (below == 0) return Dim::undefined();
  return Dim::floorDiv(times(dim_, above), Dim(below));
}

/// Both as whole multiples of one factor.
static std::pair<double, std::pair<Dim, Dim>> alike(double a, const Dim &of, double b, const Dim &other) {
  const auto [above, below] = fraction(a);
  const auto [aboveOther, belowOther] = fraction(b);
  if (below == 0 || belowOther == 0) return {1, {Dim::undefined(), Dim::undefined()}};
  const int64_t common = std::lcm(below, belowOther);
  const int64_t first = above * (common / below), second = aboveOther * (common / belowOther);
  const int64_t shared = std::max<int64_t>(1, std::gcd(first, second));
  return {static_cast<double>(shared) / static_cast<double>(common), {times(of, first / shared), times(other, second / shared)}};
}

Amount operator+(const Amount &a, const Amount &b) {
  if (a.isNumber() && b.isNumber()) return a.factor_ + b.factor_;
  if (a.isNumber() && a.factor_ == 0) return b;
  if (b.isNumber() && b.factor_ == 0) return a;
  if (a.isDefined() && a.dim_ == b.dim_) return {a.factor_ + b.factor_, a.dim_};
  auto [factor, both] = alike(a.factor_, a.dim_, b.factor_, b.dim_);
  return {factor, both.first + both.second};
}
Amount operator-(const Amount &a, const Amount &b) { return a + Amount(-1) * b; }
Amount operator*(const Amount &a, const Amount &b) {
  if (a.isNumber() && b.isNumber()) return a.factor_ * b.factor_;
  return {a.factor_ * b.factor_, a.dim_ * b.dim_};
}
Amount operator/(const Amount &a, const Amount &b) {
  if (b.isNumber()) return Amount(1 / b.factor_) * a;
  if (a.dim_ == b.dim_) return a.factor_ / b.factor_;
  return {a.factor_ / b.factor_, Dim::ceilDiv(a.dim_, b.dim_)};
}

Amount Amount::min(const Amount &a, const Amount &b) {
  if (a.isNumber() && b.isNumber()) return std::min(a.factor_, b.factor_);
  auto [factor, both] = alike(a.factor_, a.dim_, b.factor_, b.dim_);
  return {factor, Dim::min(both.first, both.second)};
}
Amount Amount::max(const Amount &a, const Amount &b) {
  if (a.isNumber() && b.isNumber()) return std::max(a.factor_, b.factor_);
  auto [factor, both] = alike(a.factor_, a.dim_, b.factor_, b.dim_);
  return {factor, Dim::max(both.first, both.second)};
}
Amount Amount::ceil(const Amount &a) {
  if (a.isNumber()) return std::ceil(a.factor_);
  const auto [above, below] = fraction(a.factor_);
  if (below == 0) return {1, Dim::undefined()};
  return {1, Dim::ceilDiv(times(a.dim_, above), Dim(below))};
}

Amount Amount::ofTiles(const Amount &touched, const Amount &whole) {
  if (!touched.isDefined() || !whole.isDefined() || (touched.isNumber() && whole.isNumber())) return min(touched, whole);
  const std::vector<Dim::Term> a = touched.dim_.terms(), b = whole.dim_.terms();
  if (a.size() != 1 || b.size() != 1) return min(touched, whole);
  std::set<std::string> names;
  whole.dim_.collectVars(names);
  const Amount least = Amount(touched.factor_) * leastOf(a[0], names);
  const std::vector<Dim::Term> terms = least.dim_.terms();
  if (terms.size() != 1 || least.factor_ * static_cast<double>(terms[0].coefficient) < whole.factor_ * static_cast<double>(b[0].coefficient)) return min(touched, whole);
  for (const auto &[atom, power] : b[0].atoms) {  // sizes are 1 at least
    auto same = std::find_if(terms[0].atoms.begin(), terms[0].atoms.end(), [&](const auto &each) { return each.first.str() == atom.str() && each.second >= power; });
    if (same == terms[0].atoms.end()) return min(touched, whole);
  }
  return whole;
}

}  // namespace tessera
