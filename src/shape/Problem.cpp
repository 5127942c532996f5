#include "shape/Problem.h"
#include "support/Integers.h"
#include <algorithm>
#include <set>

namespace tessera::shape {

namespace {
constexpr int64_t kLargest = int64_t{1} << 40;  // of a coefficient: sums of products stay far from 2^63

/// The product of two bounds of at least 0, or what is known to be below it.
int64_t productOfBounds(int64_t a, int64_t b) {
  int64_t product = 0;
  return __builtin_mul_overflow(a, b, &product) || product > kLargest ? kLargest : product;
}
std::string textOf(const std::vector<std::string> &monomial) {
  std::string text;
  for (const std::string &name : monomial) text += (text.empty() ? "" : " * ") + name;
  return text;
}
std::vector<std::string> variables(const Dim::Monomial &atoms) {
  std::vector<std::string> names;
  for (const auto &[atom, power] : atoms)
    for (int i = 0; i < power; ++i) names.push_back(atom.name);
  std::sort(names.begin(), names.end());
  return names;
}
}  // namespace

// ---------------------------------------------------------------- expressions

size_t Problem::column(const std::vector<std::string> &monomial) {
  auto [it, inserted] = columnOf_.try_emplace(textOf(monomial), columns_.size());
  if (inserted) columns_.push_back(monomial);
  exact_ &= monomial.size() == 1;
  return it->second;
}

/// No term can be negative, by the lower bounds of variables alone.
bool Problem::isNonNegative(const Dim &flat) const {
  if (!flat.isDefined()) return false;
  __int128 least = 0;
  for (const Dim::Term &term : flat.terms()) {
    int64_t product = term.coefficient;
    if (product < 0 && !term.atoms.empty()) return false;
    for (const auto &[atom, power] : term.atoms) {
      auto it = lower_.find(atom.name);
      if (it == lower_.end() || it->second < 0) return false;
      for (int i = 0; i < power; ++i) product = productOfBounds(product, it->second);
    }
    least += product;
  }
  return least >= 0;
}

Dim Problem::quotient(const Dim &a, const Dim &b) {
  if (!a.isDefined() || !b.isDefined()) return Dim::undefined();
  if (b.isConstant() && b.constant() < 0) return quotient(Dim(0) - a, Dim(0) - b);
  std::string key = "(" + a.str() + ") // (" + b.str() + ")";
  auto it = fresh_.find(key);
  if (it != fresh_.end()) return it->second;
  Dim q = fresh_[key] = Dim::var(key);
  bool signKnown = isNonNegative(b);
  if (isNonNegative(a) && signKnown) lower_[key] = 0;
  if (!b.isConstant()) exact_ = false;
  if ((b.isConstant() && b.constant() == 0) || !signKnown) {
    exact_ = false;
    return q;
  }
  if (!b.isConstant()) requireFlat(b - Dim(1), false);  // a division by 0 has no value
  Dim product = b * q;
  requireFlat(a - product, false);
  requireFlat(product + b - Dim(1) - a, false);
  return q;
}

Dim Problem::extremum(const Dim &a, const Dim &b, bool isMin) {
  if (!a.isDefined() || !b.isDefined()) return Dim::undefined();
  std::string key = (isMin ? "min(" : "max(") + a.str() + ", " + b.str() + ")";
  auto it = fresh_.find(key);
  if (it != fresh_.end()) return it->second;
  Dim m = fresh_[key] = Dim::var(key);
  bool first = isNonNegative(a), second = isNonNegative(b);
  if (isMin ? first && second : first || second) lower_[key] = 0;
  Clause clause;
  for (const Dim &side : {a, b}) {
    requireFlat(isMin ? side - m : m - side, false);
    if (auto reached = row(m - side, true)) clause.push_back({*reached});
  }
  if (clause.size() == 2) clauses_.push_back(std::move(clause));
  else exact_ = false;
  return m;
}

Dim Problem::flattenAtom(const Atom &atom) {
  if (atom.kind == AtomKind::Var) return Dim::var(atom.name);
  Dim a = flatten(*atom.left), b = flatten(*atom.right);
  switch (atom.kind) {
  case AtomKind::FloorDiv: return quotient(a, b);
  case AtomKind::Mod: return a - b * quotient(a, b);
  default: return extremum(a, b, atom.kind == AtomKind::Min);
  }
}

Dim Problem::flatten(const Dim &dim) {
  if (!dim.isDefined() || dim.isConstant() || dim.isVar()) return dim;
  bool plain = true;
  for (const Dim::Term &term : dim.terms())
    for (const auto &[atom, power] : term.atoms) plain &= atom.kind == AtomKind::Var;
  if (plain) return dim;
  Dim sum;
  for (const Dim::Term &term : dim.terms()) {
    Dim product(term.coefficient);
    for (const auto &[atom, power] : term.atoms) {
      Dim value = flattenAtom(atom);
      for (int i = 0; i < power; ++i) product = product * value;
    }
    sum = sum + product;
  }
  return sum;
}

std::optional<LinearRow> Problem::row(const Dim &flat, bool equality) {
  LinearRow r;
  r.equality = equality;
  if (!flat.isDefined()) {
    exact_ = false;
    return std::nullopt;
  }
  for (const Dim::Term &term : flat.terms()) {
    if (term.coefficient > kLargest || term.coefficient < -kLargest || columns_.size() > kMostColumns) {
      exact_ = false;  // a fact that is left out only makes the answer weaker
      return std::nullopt;
    }
    if (term.atoms.empty()) r.constant = term.coefficient;
    else r.terms.push_back({column(variables(term.atoms)), term.coefficient});
  }
  return r;
}

void Problem::requireFlat(const Dim &flat, bool equality) {
  if (auto r = row(flat, equality)) rows_.push_back(std::move(*r));
}

// ---------------------------------------------------------------- formulas

/// The formula as alternatives, each a list of rows.
std::vector<Problem::Alternative> Problem::alternatives(const Formula &formula, bool &complete) {
  if (formula.kind == Formula::Kind::Claim) {
    const Claim &c = formula.claim;
    Dim more = flatten(c.left - c.right), less = Dim(0) - more;
    auto one = [&](const Dim &flat, bool equality) -> Alternative {
      auto r = row(flat, equality);
      complete &= r.has_value();
      return r ? Alternative{*r} : Alternative{};
    };
    switch (c.relation) {
    case Relation::Eq: return {one(more, true)};
    case Relation::Ne: return {one(more - Dim(1), false), one(less - Dim(1), false)};
    case Relation::Lt: return {one(less - Dim(1), false)};
    case Relation::Le: return {one(less, false)};
    case Relation::Gt: return {one(more - Dim(1), false)};
    case Relation::Ge: return {one(more, false)};
    }
  }
  bool isAnd = formula.kind == Formula::Kind::And;
  std::vector<Alternative> all;
  if (isAnd) all.emplace_back();
  for (const Formula &part : formula.parts) {
    std::vector<Alternative> more = alternatives(part, complete);
    if (!isAnd) {
      all.insert(all.end(), more.begin(), more.end());
      continue;
    }
    std::vector<Alternative> product;
    for (const Alternative &a : all)
      for (const Alternative &b : more) {
        if (product.size() >= static_cast<size_t>(kMostCases)) {
          complete = false;
          return {Alternative{}};
        }
        product.push_back(a);
        product.back().insert(product.back().end(), b.begin(), b.end());
      }
    all = std::move(product);
  }
  return all;
}

void Problem::require(const Formula &formula) {
  if (formula.kind == Formula::Kind::And) {
    for (const Formula &part : formula.parts) require(part);
    return;
  }
  bool complete = true;
  std::vector<Alternative> list = alternatives(formula, complete);
  exact_ &= complete;
  if (list.size() == 1) rows_.insert(rows_.end(), list[0].begin(), list[0].end());
  else clauses_.push_back(std::move(list));
}

// ---------------------------------------------------------------- products

/// Bounds that a single row gives.
void Problem::findBounds() {
  for (const LinearRow &r : rows_) {
    if (r.terms.size() != 1 || columns_[r.terms[0].first].size() != 1) continue;
    const std::string &name = columns_[r.terms[0].first][0];
    auto [at, c] = r.terms[0];
    if (c > 0 || r.equality) {
      int64_t least = -floorDivide(c > 0 ? r.constant : -r.constant, c > 0 ? c : -c);
      auto [it, inserted] = lower_.try_emplace(name, least);
      it->second = std::max(it->second, least);
    }
    if (c < 0 || r.equality) {
      int64_t most = floorDivide(c < 0 ? r.constant : -r.constant, c < 0 ? -c : c);
      auto [it, inserted] = upper_.try_emplace(name, most);
      it->second = std::min(it->second, most);
    }
  }
}

void Problem::addEnvelope(size_t product, size_t at) {
  std::vector<std::string> rest = columns_[product];
  std::string v = rest[at];
  rest.erase(rest.begin() + static_cast<std::ptrdiff_t>(at));
  auto lv = lower_.find(v);
  if (lv == lower_.end() || lv->second < 0) return;
  int64_t lr = 1;
  for (const std::string &name : rest) {
    auto it = lower_.find(name);
    if (it == lower_.end() || it->second < 0) return;
    lr = productOfBounds(lr, it->second);
  }
  if (rest.size() > 1 && !columnOf_.count(textOf(rest))) return;
  size_t m = product, x = column({v}), y = column(rest);
  auto add = [&](int64_t cm, int64_t cx, int64_t cy, int64_t constant) {
    for (int64_t c : {cx, cy, constant})
      if (c > kLargest || c < -kLargest) return;
    LinearRow r;
    if (x == y) r.terms = {{m, cm}, {x, cx + cy}};
    else r.terms = {{m, cm}, {x, cx}, {y, cy}};
    std::erase_if(r.terms, [](const auto &t) { return t.second == 0; });
    r.constant = constant;
    rows_.push_back(std::move(r));
  };
  constexpr int64_t most = kLargest / 1024;
  auto upperOf = [&](const std::string &name) -> std::optional<int64_t> {
    auto it = upper_.find(name);
    bool small = it != upper_.end() && it->second <= most && it->second >= -most;
    return small ? std::optional(it->second) : std::nullopt;
  };
  if (lv->second > most || lr > most) return;
  add(1, -lr, -lv->second, lv->second * lr);  // (x - lx) * (y - ly) >= 0
  auto uv = upperOf(v);
  if (uv) add(-1, lr, *uv, -*uv * lr);  // (ux - x) * (y - ly) >= 0
  if (rest.size() != 1) return;
  auto ur = upperOf(rest[0]);
  if (!ur) return;
  add(-1, *ur, lv->second, -*ur * lv->second);
  if (uv) add(1, -*ur, -*uv, *uv * *ur);
}

/// A known inequality times a variable that is at least 0, where all products have columns already.
void Problem::addProducts() {
  std::set<std::string> factors;
  for (const auto &monomial : columns_)
    if (monomial.size() > 1) factors.insert(monomial.begin(), monomial.end());
  std::vector<LinearRow> made;
  for (const LinearRow &r : rows_) {
    if (r.terms.size() > 4) continue;
    for (const std::string &v : factors) {
      auto it = lower_.find(v);
      if (!r.equality && (it == lower_.end() || it->second < 0)) continue;
      LinearRow product;
      product.equality = r.equality;
      bool all = true;
      auto times = [&](std::vector<std::string> monomial, int64_t coefficient) {
        monomial.insert(std::lower_bound(monomial.begin(), monomial.end(), v), v);
        auto at = columnOf_.find(textOf(monomial));
        if (at == columnOf_.end()) all = false;
        else product.terms.push_back({at->second, coefficient});
      };
      for (const auto &[at, coefficient] : r.terms) times(columns_[at], coefficient);
      if (r.constant != 0) times({}, r.constant);
      if (all && r.terms.size() > 1) made.push_back(std::move(product));
    }
  }
  rows_.insert(rows_.end(), made.begin(), made.end());
}

void Problem::addAxioms() {
  size_t products = columns_.size();
  for (size_t c = 0; c < products; ++c) {
    if (columns_[c].size() < 2) continue;
    for (size_t at = 0; at < columns_[c].size(); ++at)
      if (at == 0 || columns_[c][at] != columns_[c][at - 1]) addEnvelope(c, at);
    bool nonNegative = true;
    for (const std::string &v : columns_[c]) {
      auto it = lower_.find(v);
      nonNegative &= it != lower_.end() && it->second >= 0;
    }
    if (nonNegative) rows_.push_back({{{c, 1}}, 0, false});
  }
  addProducts();
}

void Problem::boundRows() {
  for (size_t c = 0; c < columns_.size(); ++c) {
    auto it = columns_[c].size() == 1 ? lower_.find(columns_[c][0]) : lower_.end();
    if (it != lower_.end()) rows_.push_back({{{c, 1}}, -it->second, false});
  }
}

void Problem::close() {
  if (closed_) return;
  closed_ = true;
  if (!exact_) {
    findBounds();
    addAxioms();
  }
  boundRows();
}

// ---------------------------------------------------------------- search

void Problem::startSearch() {
  cases_ = 0;
  work_ = kMostWork;
  certain_ = true;
}

/// Looks at the cases in turn; stops when `found` says so. False: none was found, for certain or not.
bool Problem::search(LinearSystem &system, size_t clause,
                     const std::function<bool(const LinearSystem &)> &found) {
  if (++cases_ > kMostCases || work_ < 0) {
    certain_ = false;
    return false;
  }
  auto empty = isEmpty(system, work_);
  if (empty == true) return false;
  if (clause == clauses_.size()) {
    if (empty) return found(system);
    certain_ = false;
    return false;
  }
  size_t before = system.rows.size();
  for (const Alternative &alternative : clauses_[clause]) {
    system.rows.insert(system.rows.end(), alternative.begin(), alternative.end());
    if (search(system, clause + 1, found)) return true;
    system.rows.resize(before);
  }
  return false;
}

std::optional<Emptiness> *Solved::at(std::string system) {
  if (answers_.size() < kMost) return &answers_[std::move(system)];
  auto known = answers_.find(system);
  return known == answers_.end() ? nullptr : &known->second;
}
std::shared_ptr<Solved> nothingSolved() { return std::make_shared<Solved>(); }

/// All that the answer depends on.
std::string Problem::key() const {
  std::string key;
  auto add = [&](int64_t number) { key.append(reinterpret_cast<const char *>(&number), sizeof number); };
  auto addRow = [&](const LinearRow &row) {
    add(static_cast<int64_t>(row.terms.size()) * 2 + row.equality);
    add(row.constant);
    for (const auto &[at, coefficient] : row.terms) add(static_cast<int64_t>(at)), add(coefficient);
  };
  add(static_cast<int64_t>(columns_.size()) * 2 + exact_);
  add(static_cast<int64_t>(rows_.size()));
  for (const LinearRow &row : rows_) addRow(row);
  for (const Clause &clause : clauses_) {
    add(static_cast<int64_t>(clause.size()));
    for (const Alternative &alternative : clause) {
      add(static_cast<int64_t>(alternative.size()));
      for (const LinearRow &row : alternative) addRow(row);
    }
  }
  return key;
}

Emptiness Problem::solve(Solved *solved) {
  close();
  std::optional<Emptiness> *known = solved ? solved->at(key()) : nullptr;
  if (known && *known) return **known;
  LinearSystem system{columns_.size(), rows_};
  startSearch();
  Emptiness found = Emptiness::Unknown;
  if (search(system, 0, [](const LinearSystem &) { return true; })) {
    if (exact_) found = Emptiness::Inhabited;
  } else if (certain_) {
    found = Emptiness::Empty;
  }
  if (known) *known = found;
  return found;
}

std::optional<Sizes> Problem::smallest(const std::vector<std::string> &names) {
  close();
  if (!exact_) return std::nullopt;
  // Columns in the order of what is to be small: the sum, the names, then the rest.
  std::vector<size_t> named;
  size_t known = columns_.size();
  for (const std::string &name : names) {
    named.push_back(column({name}));
    if (named.back() == known) rows_.push_back({{{known++, 1}}, -lower_[name], false});
  }
  std::vector<size_t> place(columns_.size(), SIZE_MAX);
  LinearSystem ordered;
  ordered.columns = 1;
  LinearRow sum;
  sum.equality = true;
  sum.terms.push_back({0, -1});
  for (size_t c : named) {
    place[c] = ordered.columns++;
    sum.terms.push_back({place[c], 1});
  }
  ordered.rows.push_back(sum);
  for (size_t &p : place)
    if (p == SIZE_MAX) p = ordered.columns++;
  std::optional<std::vector<int64_t>> best;
  LinearSystem system{columns_.size(), rows_};
  auto leading = [&](const std::vector<int64_t> &point) {
    return std::vector<int64_t>(point.begin(), point.begin() + static_cast<std::ptrdiff_t>(named.size() + 1));
  };
  startSearch();
  search(system, 0, [&](const LinearSystem &one) {
    LinearSystem all = ordered;
    for (LinearRow r : one.rows) {
      for (auto &[at, coefficient] : r.terms) at = place[at];
      all.rows.push_back(std::move(r));
    }
    int64_t work = kMostWork;
    auto point = smallestPoint(all, named.size() + 1, work);
    if (!point) certain_ = false;
    else if (!best || leading(*point) < leading(*best)) best = std::move(point);
    return false;
  });
  if (!best || !certain_) return std::nullopt;
  Sizes sizes;
  for (size_t c = 0; c < columns_.size(); ++c)
    if (columns_[c].size() == 1) sizes[columns_[c][0]] = (*best)[place[c]];
  return sizes;
}

}  // namespace tessera::shape
