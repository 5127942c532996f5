#include "sema/advice/ShapeAlgebra.h"
#include <algorithm>
#include <map>
#include <set>

namespace tessera::sema {

namespace {
/// Whether a dimension is a polynomial: two such ones that are written otherwise are different.
bool isPolynomial(const Dim &dim) {
  for (const Dim::Term &term : dim.terms())
    for (const auto &[atom, power] : term.atoms)
      if (atom.kind != AtomKind::Var) return false;
  return true;
}
/// ... or has, besides, dimensions over numbers: `E // 2`.
bool dividesByNumbers(const Dim &dim) {
  for (const Dim::Term &term : dim.terms())
    for (const auto &[atom, power] : term.atoms)
      if (atom.kind != AtomKind::Var && (!atom.right || !atom.right->isConstant() || !atom.left || !isPolynomial(*atom.left))) return false;
  return true;
}
/// What an extent is where each dimension is another multiple of all small numbers: what has to divide, does.
std::optional<int64_t> atMultiples(const Dim &dim, std::map<std::string, int64_t> &sizes) {
  constexpr int64_t kMultiple = 5040, kPrimes[] = {11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47, 53};
  return dim.evaluate([&](const std::string &name) -> std::optional<int64_t> {
    auto [known, isNew] = sizes.emplace(name, 0);
    if (isNew && sizes.size() <= std::size(kPrimes)) known->second = kMultiple * kPrimes[sizes.size() - 1];
    return known->second ? std::optional(known->second) : std::nullopt;
  });
}
bool isOne(const Dim &dim) { return dim.isDefined() && dim.isConstant() && dim.constant() == 1; }
}  // namespace

bool ShapeAlgebra::differ(const Dim &a, const Dim &b) const {
  if (!a.isDefined() || !b.isDefined() || a == b) return false;
  if (a.isConstant() && b.isConstant()) return true;
  if (lenient_) return false;
  if (isPolynomial(a) && isPolynomial(b)) return true;
  if (!dividesByNumbers(a) || !dividesByNumbers(b)) return false;
  std::map<std::string, int64_t> sizes;
  const std::optional<int64_t> first = atMultiples(a, sizes), second = atMultiples(b, sizes);
  return first && second && *first != *second;
}

void ShapeAlgebra::expectSame(const Extents &a, const Extents &b) {
  failed_ |= a.size() != b.size();
  for (size_t i = 0; i < std::min(a.size(), b.size()); ++i) failed_ |= differ(a[i], b[i]);
}

std::optional<size_t> ShapeAlgebra::axisOf(int64_t axis, size_t rank) {
  const int64_t found = axis < 0 ? axis + static_cast<int64_t>(rank) : axis;
  if (found >= 0 && found < static_cast<int64_t>(rank)) return static_cast<size_t>(found);
  failed_ = true;
  return std::nullopt;
}

ShapeAlgebra::Result ShapeAlgebra::broadcast(const Extents &a, const Extents &b) {
  const Extents &longer = a.size() < b.size() ? b : a, &shorter = a.size() < b.size() ? a : b;
  Extents out = longer;
  const size_t front = longer.size() - shorter.size();
  for (size_t i = 0; i < shorter.size(); ++i) {
    Dim &own = out[front + i];
    if (isOne(shorter[i])) continue;
    if (!isOne(own) && differ(own, shorter[i])) return fails();
    own = isOne(own) ? shorter[i] : common(own, shorter[i]);
  }
  return out;
}

ShapeAlgebra::Result ShapeAlgebra::product(const Extents &a, const Extents &b) {
  if (a.empty() || b.empty()) return fails();
  const Dim &left = a.back(), &right = b[b.size() == 1 ? 0 : b.size() - 2];
  if (differ(left, right)) return fails();
  auto outer = [](const Extents &x) { return x.size() < 2 ? Extents{} : Extents(x.begin(), x.end() - 2); };
  Result out = broadcast(outer(a), outer(b));
  if (!out) return out;
  if (a.size() > 1) out->push_back(a[a.size() - 2]);
  if (b.size() > 1) out->push_back(b.back());
  return out;
}

ShapeAlgebra::Result ShapeAlgebra::reduced(const Extents &x, const std::vector<int64_t> &axes, bool keeps) {
  std::set<size_t> gone;
  for (int64_t axis : axes) {
    const std::optional<size_t> found = axisOf(axis, x.size());
    if (!found || !gone.insert(*found).second) return fails();
  }
  Extents out;
  for (size_t i = 0; i < x.size(); ++i) {
    const bool goes = axes.empty() || gone.count(i) != 0;
    if (!goes) out.push_back(x[i]);
    else if (keeps) out.push_back(Dim(1));
  }
  return out;
}

ShapeAlgebra::Result ShapeAlgebra::permuted(const Extents &x, const std::vector<int64_t> &order) {
  if (order.size() != x.size()) return fails();
  std::set<size_t> seen;
  Extents out;
  for (int64_t axis : order) {
    const std::optional<size_t> found = axisOf(axis, x.size());
    if (!found || !seen.insert(*found).second) return fails();
    out.push_back(x[*found]);
  }
  return out;
}

ShapeAlgebra::Result ShapeAlgebra::exchanged(const Extents &x, int64_t a, int64_t b) {
  const std::optional<size_t> first = axisOf(a, x.size()), second = axisOf(b, x.size());
  if (!first || !second) return fails();
  Extents out = x;
  std::swap(out[*first], out[*second]);
  return out;
}

ShapeAlgebra::Result ShapeAlgebra::reshaped(const Extents &x, Extents sizes) {
  Dim before(1), after(1);
  size_t open = sizes.size();
  for (const Dim &extent : x) before = before * extent;
  for (size_t i = 0; i < sizes.size(); ++i) {
    if (sizes[i].isDefined() && sizes[i].isConstant() && sizes[i].constant() == -1) {
      if (open != sizes.size()) return fails();
      open = i;
    } else {
      after = after * sizes[i];
    }
  }
  if (open == sizes.size()) {
    if (differ(before, after)) return fails();
    return sizes;
  }
  sizes[open] = Dim::undefined();
  // What is left of the product, where it is an extent or a product of neighbours.
  for (size_t from = 0; from < x.size() && before.isDefined() && after.isDefined(); ++from) {
    Dim part(1);
    for (size_t to = from; to < x.size(); ++to) {
      part = part * x[to];
      if (part * after == before) sizes[open] = part;
    }
  }
  return sizes;
}

ShapeAlgebra::Result ShapeAlgebra::joined(const std::vector<Extents> &parts, int64_t axis) {
  if (parts.empty()) return std::nullopt;
  Extents out = parts[0];
  const std::optional<size_t> at = axisOf(axis, out.size());
  for (size_t i = 1; at && i < parts.size(); ++i) {
    if (parts[i].size() != out.size()) return fails();
    for (size_t k = 0; k < out.size(); ++k) {
      if (k == *at) out[k] = out[k].isDefined() && parts[i][k].isDefined() ? out[k] + parts[i][k] : Dim::undefined();
      else if (differ(out[k], parts[i][k])) return fails();
    }
  }
  return at ? Result(out) : std::nullopt;
}

ShapeAlgebra::Result ShapeAlgebra::stacked(const std::vector<Extents> &parts, int64_t axis) {
  if (parts.empty()) return std::nullopt;
  for (const Extents &part : parts) expectSame(part, parts[0]);
  Extents out = parts[0];
  const std::optional<size_t> at = axisOf(axis, out.size() + 1);
  if (!at || failed_) return std::nullopt;
  out.insert(out.begin() + static_cast<std::ptrdiff_t>(*at), Dim(static_cast<int64_t>(parts.size())));
  return out;
}

ShapeAlgebra::Result ShapeAlgebra::summed(const std::string &equation, const std::vector<Extents> &operands) {
  std::map<char, Dim> extents;
  size_t operand = 0, axis = 0, i = 0;
  for (; i < equation.size() && equation[i] != '-'; ++i) {
    const char c = equation[i];
    if (c == ' ') continue;
    if (c == '.') return std::nullopt;
    if (c == ',') {
      if (operand >= operands.size() || axis != operands[operand].size()) return fails();
      ++operand, axis = 0;
      continue;
    }
    if (operand >= operands.size() || axis >= operands[operand].size()) return fails();
    const Dim &own = operands[operand][axis++];
    auto [known, isNew] = extents.emplace(c, own);
    if (!isNew && differ(known->second, own)) return fails();
    if (!isNew) known->second = common(known->second, own);
  }
  if (operand + 1 != operands.size() || axis != operands[operand].size()) return fails();
  Extents out;
  if (i + 1 >= equation.size()) return std::nullopt;
  for (i += 2; i < equation.size(); ++i) {
    if (equation[i] == ' ') continue;
    auto found = extents.find(equation[i]);
    if (found == extents.end()) return fails();
    out.push_back(found->second);
  }
  return out;
}

}  // namespace tessera::sema
