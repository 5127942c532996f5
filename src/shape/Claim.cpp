#include "shape/Claim.h"
#include "support/Check.h"
#include <algorithm>

namespace tessera::shape {

Relation negation(Relation relation) {
  switch (relation) {
  case Relation::Eq: return Relation::Ne;
  case Relation::Ne: return Relation::Eq;
  case Relation::Lt: return Relation::Ge;
  case Relation::Le: return Relation::Gt;
  case Relation::Gt: return Relation::Le;
  case Relation::Ge: return Relation::Lt;
  }
  TSR_UNREACHABLE("relation");
}
bool compare(int64_t left, Relation relation, int64_t right) {
  switch (relation) {
  case Relation::Eq: return left == right;
  case Relation::Ne: return left != right;
  case Relation::Lt: return left < right;
  case Relation::Le: return left <= right;
  case Relation::Gt: return left > right;
  case Relation::Ge: return left >= right;
  }
  TSR_UNREACHABLE("relation");
}
const char *spelling(Relation relation) {
  switch (relation) {
  case Relation::Eq: return "==";
  case Relation::Ne: return "!=";
  case Relation::Lt: return "<";
  case Relation::Le: return "<=";
  case Relation::Gt: return ">";
  case Relation::Ge: return ">=";
  }
  TSR_UNREACHABLE("relation");
}

std::string Claim::str() const { return left.str() + " " + spelling(relation) + " " + right.str(); }

Formula Formula::combine(Kind kind, std::vector<Formula> parts) {
  if (parts.size() == 1) return std::move(parts[0]);
  Formula f;
  f.kind = kind;
  f.parts = std::move(parts);
  return f;
}
Formula Formula::negated() const {
  if (kind == Kind::Claim) return Formula(claim.left, negation(claim.relation), claim.right);
  std::vector<Formula> list;
  for (const Formula &part : parts) list.push_back(part.negated());
  return combine(kind == Kind::And ? Kind::Or : Kind::And, std::move(list));
}
Formula Formula::map(const std::function<Dim(const Dim &)> &change) const {
  if (kind == Kind::Claim) return Formula(change(claim.left), claim.relation, change(claim.right));
  std::vector<Formula> list;
  for (const Formula &part : parts) list.push_back(part.map(change));
  return combine(kind, std::move(list));
}
void Formula::collectVars(std::set<std::string> &names) const {
  claim.left.collectVars(names);
  claim.right.collectVars(names);
  for (const Formula &part : parts) part.collectVars(names);
}
bool Formula::isDefined() const {
  return claim.left.isDefined() && claim.right.isDefined() &&
         std::all_of(parts.begin(), parts.end(), [](const Formula &part) { return part.isDefined(); });
}
std::string Formula::str() const {
  if (kind == Kind::Claim) return claim.str();
  std::string text;
  for (const Formula &part : parts) {
    if (!text.empty()) text += kind == Kind::And ? " and " : " or ";
    text += part.kind == Kind::Claim ? part.str() : "(" + part.str() + ")";
  }
  return text;
}
std::optional<bool>
Formula::holds(const std::function<std::optional<int64_t>(const std::string &)> &valueOf) const {
  if (kind == Kind::Claim) {
    auto l = claim.left.evaluate(valueOf), r = claim.right.evaluate(valueOf);
    if (!l || !r) return std::nullopt;
    return compare(*l, claim.relation, *r);
  }
  for (const Formula &part : parts) {
    auto one = part.holds(valueOf);
    if (!one || *one == (kind == Kind::Or)) return one;  // the others are not asked for
  }
  return kind == Kind::And;
}

namespace {
/// At least 0 exactly where the formula holds.
Dim margin(const Formula &formula) {
  if (formula.kind == Formula::Kind::Claim) {
    const Claim &c = formula.claim;
    Dim more = c.left - c.right, less = c.right - c.left;
    switch (c.relation) {
    case Relation::Eq: return Dim::min(more, less);
    case Relation::Ne: return Dim::max(more - Dim(1), less - Dim(1));
    case Relation::Lt: return less - Dim(1);
    case Relation::Le: return less;
    case Relation::Gt: return more - Dim(1);
    case Relation::Ge: return more;
    }
  }
  bool all = formula.kind == Formula::Kind::And;
  if (formula.parts.empty()) return all ? Dim(0) : Dim(-1);
  Dim out = margin(formula.parts[0]);
  for (size_t i = 1; i < formula.parts.size(); ++i)
    out = all ? Dim::min(out, margin(formula.parts[i])) : Dim::max(out, margin(formula.parts[i]));
  return out;
}
Formula ofMargin(const Dim &dim) {
  std::vector<Dim::Term> terms = dim.terms();
  bool atom = terms.size() == 1 && terms[0].coefficient == 1 && terms[0].atoms.size() == 1 &&
              terms[0].atoms[0].second == 1;
  if (atom) {
    const Atom &a = terms[0].atoms[0].first;
    if (a.kind == AtomKind::Min && *a.left == Dim(0) - *a.right) return Formula(*a.left, Relation::Eq, Dim(0));
    if (a.kind == AtomKind::Min) return Formula::all({ofMargin(*a.left), ofMargin(*a.right)});
    if (a.kind == AtomKind::Max) return Formula::any({ofMargin(*a.left), ofMargin(*a.right)});
  }
  return Formula(dim, Relation::Ge, Dim(0));
}
}  // namespace

Claim asClaim(const Formula &formula) {
  if (formula.kind == Formula::Kind::Claim) return formula.claim;
  return {margin(formula), Relation::Ge, Dim(0)};
}
Formula asFormula(const Claim &claim) {
  if (claim.relation == Relation::Ge && claim.right == Dim(0)) return ofMargin(claim.left);
  return Formula(claim);
}

}  // namespace tessera::shape
