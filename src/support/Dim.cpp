#include "support/Dim.h"
#include "support/Check.h"
#include "support/Integers.h"
#include <algorithm>
#include <cctype>
#include <charconv>
#include <limits>

namespace tessera {
namespace {

constexpr int64_t kSmallest = std::numeric_limits<int64_t>::min();

/// Without the smallest number, which has no negative. False: beyond that.
bool add(int64_t a, int64_t b, int64_t &sum) { return !__builtin_add_overflow(a, b, &sum) && sum != kSmallest; }
bool multiply(int64_t a, int64_t b, int64_t &product) {
  return !__builtin_mul_overflow(a, b, &product) && product != kSmallest;
}
/// Rounded down. Nothing where b is 0, or the quotient beyond 64 bits.
std::optional<int64_t> dividedBy(int64_t a, int64_t b) {
  if (b == 0 || (b == -1 && a == kSmallest)) return std::nullopt;
  return floorDivide(a, b);
}

std::string parenthesised(const Dim &d) {
  if (d.isVar() || (d.isConstant() && d.constant() >= 0)) return d.str();
  return "(" + d.str() + ")";
}

std::string monomialText(const Dim::Monomial &atoms, bool inProduct) {
  std::string text;
  for (const auto &[atom, power] : atoms)
    for (int i = 0; i < power; ++i) {
      if (!text.empty()) text += "*";
      bool divides = atom.kind == AtomKind::FloorDiv || atom.kind == AtomKind::Mod;
      bool alone = atoms.size() == 1 && power == 1 && !inProduct;
      text += divides && !alone ? "(" + atom.str() + ")" : atom.str();
    }
  return text;
}

}  // namespace

std::string Atom::str() const {
  switch (kind) {
  case AtomKind::Var: return name;
  case AtomKind::FloorDiv: return parenthesised(*left) + " // " + parenthesised(*right);
  case AtomKind::Mod: return parenthesised(*left) + " % " + parenthesised(*right);
  case AtomKind::Min: return "min(" + left->str() + ", " + right->str() + ")";
  case AtomKind::Max: return "max(" + left->str() + ", " + right->str() + ")";
  }
  TSR_UNREACHABLE("atom kind");
}

const Dim &Dim::undefined() {
  static const Dim dim = ofAtom({AtomKind::FloorDiv, "", std::make_shared<Dim>(1), std::make_shared<Dim>(0)});
  return dim;
}

Dim Dim::ofEntries(Entries entries) {
  Dim d;
  if (entries.empty()) return d;
  if (entries.size() == 1 && entries[0].atoms.empty()) return entries[0].coefficient;
  d.normal_ = std::make_shared<const Entries>(std::move(entries));
  return d;
}

Dim Dim::ofAtom(Atom atom) {
  Monomial atoms;
  std::string key = atom.kind == AtomKind::Var ? atom.name : "";
  atoms.emplace_back(std::move(atom), 1);
  if (key.empty()) key = monomialText(atoms, true);
  Entries entries;
  entries.push_back({1, std::move(atoms), std::move(key)});
  return ofEntries(std::move(entries));
}

template <class Visit> void Dim::forEach(Visit visit) const {
  if (normal_)
    for (const Entry &e : *normal_) visit(e.coefficient, e.atoms);
  else if (constant_ != 0)
    visit(constant_, Monomial());
}

Dim Dim::var(std::string name) { return ofAtom({AtomKind::Var, std::move(name), nullptr, nullptr}); }

Dim Dim::named(int64_t constant, const std::string &name) {
  Dim dim(constant);
  bool readable = constant >= 0 && constant < int64_t{1'000'000'000'000'000'000};  // by namedConstant()
  if (readable) dim.written_ = std::make_shared<Dim>(var(name + "." + std::to_string(constant)));
  return dim;
}

Dim Dim::numbers(const Dim &dim) {
  Dim plain = dim;
  plain.written_ = nullptr;
  return plain;
}

Dim Dim::applied(Operation operation, const Dim &a, const Dim &b) {
  if (!a.isDefined() || !b.isDefined()) return undefined();
  if (!a.written_ && !b.written_) return operation(a, b);
  Dim result = operation(numbers(a), numbers(b));
  if (!result.isDefined()) return result;
  Dim written = operation(a.written(), b.written());
  if (written.isDefined()) result.written_ = std::make_shared<Dim>(std::move(written));
  return result;
}

std::optional<std::pair<std::string, int64_t>> namedConstant(const std::string &variable) {
  size_t dot = variable.rfind('.');
  if (dot == std::string::npos || dot == 0 || dot + 1 == variable.size() || variable.size() - dot > 19)
    return std::nullopt;
  std::string digits = variable.substr(dot + 1);
  if (digits.find_first_not_of("0123456789") != std::string::npos) return std::nullopt;
  return std::pair(variable.substr(0, dot), std::stoll(digits));
}

Dim inNumbers(const Dim &written) {
  std::set<std::string> variables;
  written.collectVars(variables);
  std::map<std::string, Dim> values;
  for (const std::string &variable : variables)
    if (auto constant = namedConstant(variable)) values.emplace(variable, Dim::named(constant->second, constant->first));
  return values.empty() ? written : written.substitute(values);
}

Dim operator+(const Dim &a, const Dim &b) { return Dim::applied(Dim::sum, a, b); }
Dim operator-(const Dim &a, const Dim &b) { return a + Dim(-1) * b; }
Dim operator*(const Dim &a, const Dim &b) { return Dim::applied(Dim::scaled, a, b); }
Dim Dim::floorDiv(const Dim &a, const Dim &b) { return applied(quotient, a, b); }
Dim Dim::mod(const Dim &a, const Dim &b) { return applied(remainder, a, b); }
Dim Dim::min(const Dim &a, const Dim &b) { return applied(least, a, b); }
Dim Dim::max(const Dim &a, const Dim &b) { return applied(greatest, a, b); }

bool Dim::operator==(const Dim &other) const {
  if (normal_ == other.normal_) return constant_ == other.constant_ && isDefined();
  return normal_ && other.normal_ &&
         std::equal(normal_->begin(), normal_->end(), other.normal_->begin(), other.normal_->end(),
                    [](const Entry &a, const Entry &b) { return a.coefficient == b.coefficient && a.key == b.key; });
}

Dim Dim::sum(const Dim &a, const Dim &b) {
  if (a.isConstant() && a.constant_ == 0) return b;
  if (b.isConstant() && b.constant_ == 0) return a;
  if (int64_t total = 0; a.isConstant() && b.isConstant())
    return add(a.constant_, b.constant_, total) ? Dim(total) : undefined();
  if (a.constant_ == kSmallest || b.constant_ == kSmallest) return undefined();
  Dim::Entries constant;  // a constant's key is empty, hence the first
  auto entries = [&](const Dim &d) -> const Dim::Entries & {
    if (d.normal_) return *d.normal_;
    constant.push_back({d.constant_, {}, {}});
    return constant;
  };
  const Dim::Entries &left = entries(a), &right = entries(b);
  Dim::Entries sum;
  sum.reserve(left.size() + right.size());
  auto l = left.begin(), r = right.begin();
  while (l != left.end() || r != right.end()) {
    int order = l == left.end() ? 1 : r == right.end() ? -1 : l->key.compare(r->key);
    if (order != 0) {
      sum.push_back(order < 0 ? *l++ : *r++);
      continue;
    }
    int64_t coefficient = 0;
    if (!add(l->coefficient, r->coefficient, coefficient)) return undefined();
    if (coefficient != 0) sum.push_back({coefficient, l->atoms, l->key});
    ++l, ++r;
  }
  return Dim::ofEntries(std::move(sum));
}

bool Dim::product(const Entry &a, const Entry &b, Entry &out) {
  if (!multiply(a.coefficient, b.coefficient, out.coefficient)) return false;
  std::map<std::string, std::pair<Atom, int>> powers;
  for (const Monomial *m : {&a.atoms, &b.atoms})
    for (const auto &[atom, power] : *m) {
      auto [it, inserted] = powers.try_emplace(atom.str(), atom, power);
      if (!inserted) it->second.second += power;
    }
  for (auto &[text, pair] : powers) out.atoms.push_back(std::move(pair));
  out.key = monomialText(out.atoms, true);
  return true;
}

Dim Dim::scaled(const Dim &a, const Dim &b) {
  if (int64_t total = 0; a.isConstant() && b.isConstant())
    return multiply(a.constant_, b.constant_, total) ? Dim(total) : undefined();
  if (a.isConstant() || b.isConstant()) {
    int64_t factor = a.isConstant() ? a.constant_ : b.constant_;
    const Dim &other = a.isConstant() ? b : a;
    if (factor == 0) return 0;
    if (factor == 1) return other;
    Dim::Entries scaled = *other.normal_;
    for (Dim::Entry &e : scaled)
      if (!multiply(e.coefficient, factor, e.coefficient)) return undefined();
    return Dim::ofEntries(std::move(scaled));
  }
  Dim sum;
  for (const Dim::Entry &ea : *a.normal_) {
    Dim::Entries row;
    for (const Dim::Entry &eb : *b.normal_)
      if (!product(ea, eb, row.emplace_back())) return undefined();
    std::sort(row.begin(), row.end(), [](const Dim::Entry &x, const Dim::Entry &y) { return x.key < y.key; });
    sum = sum + Dim::ofEntries(std::move(row));
  }
  return sum;
}

std::optional<Dim> Dim::wholeQuotient(const Dim &a, const Dim &b) {
  if (!a.normal_ || !b.normal_ || b.normal_->size() != 1) return std::nullopt;
  const Entry &divisor = b.normal_->front();
  Dim sum;
  for (const Entry &e : *a.normal_) {
    Monomial left = e.atoms;
    if (e.coefficient % divisor.coefficient != 0) return std::nullopt;
    for (const auto &[atom, power] : divisor.atoms) {
      const std::string text = atom.str();
      auto same = std::find_if(left.begin(), left.end(), [&](const auto &factor) { return factor.first.str() == text; });
      if (same == left.end() || same->second < power) return std::nullopt;
      if ((same->second -= power) == 0) left.erase(same);
    }
    Dim term(e.coefficient / divisor.coefficient);
    for (const auto &[atom, power] : left)
      for (int i = 0; i < power; ++i) term = term * ofAtom(atom);
    sum = sum + term;
  }
  return sum;
}

Dim Dim::quotient(const Dim &a, const Dim &b) {
  if (a.isConstant() && b.isConstant()) {
    std::optional<int64_t> number = dividedBy(a.constant_, b.constant_);
    return number ? Dim(*number) : undefined();
  }
  if (b.isConstant() && b.constant_ != 0) {
    int64_t divisor = b.constant_;
    if (divisor == 1) return a;
    if (divisor > 1) {  // terms with divisible coefficients leave the division: (4*D + r) // 4 = D + r // 4
      Entries whole, rest;
      for (Entry e : *a.normal_) {
        bool divides = e.coefficient % divisor == 0;
        if (divides) e.coefficient /= divisor;
        (divides ? whole : rest).push_back(std::move(e));
      }
      if (!whole.empty()) return ofEntries(std::move(whole)) + floorDiv(ofEntries(std::move(rest)), b);
    }
  }
  if (a == b) return 1;  // a division by zero has no value anyway
  if (std::optional<Dim> whole = wholeQuotient(a, b)) return *whole;  // C*B // B
  return ofAtom({AtomKind::FloorDiv, "", std::make_shared<Dim>(a), std::make_shared<Dim>(b)});
}

Dim Dim::remainder(const Dim &a, const Dim &b) {
  if (a.isConstant() && b.isConstant()) return b.constant_ == 0 ? undefined() : Dim(floorModulo(a.constant_, b.constant_));
  if (b.isConstant() && b.constant_ > 0) {
    int64_t divisor = b.constant_;
    Entries entries;
    for (Entry e : *a.normal_)
      if ((e.coefficient = floorModulo(e.coefficient, divisor))) entries.push_back(std::move(e));
    Dim rest = ofEntries(std::move(entries));
    if (rest.isConstant()) return rest.constant_ % divisor;
    return ofAtom({AtomKind::Mod, "", std::make_shared<Dim>(rest), std::make_shared<Dim>(b)});
  }
  if (a == b) return 0;
  if (wholeQuotient(a, b)) return 0;
  return ofAtom({AtomKind::Mod, "", std::make_shared<Dim>(a), std::make_shared<Dim>(b)});
}

Dim Dim::ceilDiv(const Dim &a, const Dim &b) { return floorDiv(a + b - Dim(1), b); }

Dim Dim::least(const Dim &a, const Dim &b) {
  if (a.isConstant() && b.isConstant()) return std::min(a.constant_, b.constant_);
  Dim difference = a - b;
  if (difference.isConstant()) return difference.constant() <= 0 ? a : b;
  bool ordered = a.str() <= b.str();
  return ofAtom({AtomKind::Min, "", std::make_shared<Dim>(ordered ? a : b), std::make_shared<Dim>(ordered ? b : a)});
}
Dim Dim::greatest(const Dim &a, const Dim &b) {
  if (a.isConstant() && b.isConstant()) return std::max(a.constant_, b.constant_);
  Dim difference = a - b;
  if (difference.isConstant()) return difference.constant() >= 0 ? a : b;
  bool ordered = a.str() <= b.str();
  return ofAtom({AtomKind::Max, "", std::make_shared<Dim>(ordered ? a : b), std::make_shared<Dim>(ordered ? b : a)});
}

int64_t Dim::constant() const {
  TSR_CHECK(isConstant(), "constant() of " + str());
  return constant_;
}
bool Dim::isVar() const {
  if (!normal_ || normal_->size() != 1) return false;
  const Entry &e = normal_->front();
  return e.coefficient == 1 && e.atoms.size() == 1 && e.atoms[0].second == 1 && e.atoms[0].first.kind == AtomKind::Var;
}
const std::string &Dim::varName() const {
  TSR_CHECK(isVar(), "varName() of " + str());
  return normal_->front().key;
}

std::vector<Dim::Term> Dim::terms() const {
  std::vector<Term> list;
  list.reserve(normal_ ? normal_->size() : 1);
  for (bool positive : {true, false})  // "N - 2*M", not "-2*M + N"
    for (bool last : {false, true})    // the constant comes last: "2*D + 1"
      forEach([&](int64_t coefficient, const Monomial &atoms) {
        if ((coefficient > 0) == positive && atoms.empty() == last) list.push_back({coefficient, atoms});
      });
  return list;
}

std::string Dim::str() const {
  if (isConstant()) return std::to_string(constant_);
  if (isVar()) return varName();
  std::string text;
  bool several = normal_->size() > 1;
  auto add = [&](const Entry &e) {
    bool negative = e.coefficient < 0;
    if (!text.empty()) text += negative ? " - " : " + ";
    else if (negative) text += "-";
    uint64_t magnitude = negative ? 0 - static_cast<uint64_t>(e.coefficient) : static_cast<uint64_t>(e.coefficient);
    if (e.atoms.empty()) text += std::to_string(magnitude);
    else if (magnitude != 1) text += std::to_string(magnitude) + "*" + e.key;
    else text += several || negative ? e.key : monomialText(e.atoms, false);
  };
  for (bool positive : {true, false})  // as terms() has them
    for (bool last : {false, true})
      for (const Entry &e : *normal_)
        if ((e.coefficient > 0) == positive && e.atoms.empty() == last) add(e);
  return text;
}

void Dim::collectVars(std::set<std::string> &names) const {
  forEach([&](int64_t, const Monomial &atoms) {
    for (const auto &[atom, power] : atoms) {
      if (atom.kind == AtomKind::Var) names.insert(atom.name);
      else atom.left->collectVars(names), atom.right->collectVars(names);
    }
  });
}

namespace {
std::optional<int64_t> valueOfAtom(const Atom &atom, const Dim::Values &valueOf) {
  if (atom.kind == AtomKind::Var) return valueOf(atom.name);
  auto l = atom.left->evaluate(valueOf), r = atom.right->evaluate(valueOf);
  bool divides = atom.kind == AtomKind::FloorDiv || atom.kind == AtomKind::Mod;
  if (!l || !r || (divides && *r == 0)) return std::nullopt;
  switch (atom.kind) {
  case AtomKind::FloorDiv: return dividedBy(*l, *r);  // never beyond 64 bits, but of the smallest number by -1
  case AtomKind::Mod: return floorModulo(*l, *r);
  case AtomKind::Min: return std::min(*l, *r);
  default: return std::max(*l, *r);
  }
}
}  // namespace

std::optional<int64_t> Dim::evaluate(const Values &valueOf) const {
  if (isConstant()) return constant_;
  using Wide = __int128;  // terms that are larger than their sum
  Wide sum = 0;
  for (const Entry &e : *normal_) {
    Wide product = e.coefficient;
    for (const auto &[atom, power] : e.atoms) {
      std::optional<int64_t> value = valueOfAtom(atom, valueOf);
      if (!value) return std::nullopt;
      for (int i = 0; i < power; ++i)
        if (__builtin_mul_overflow(product, static_cast<Wide>(*value), &product)) return std::nullopt;
    }
    if (__builtin_add_overflow(sum, product, &sum)) return std::nullopt;
  }
  if (sum > std::numeric_limits<int64_t>::max() || sum < kSmallest) return std::nullopt;
  return static_cast<int64_t>(sum);
}

Dim Dim::substitute(const std::map<std::string, Dim> &values) const {
  if (isConstant()) return *this;
  Dim sum;
  for (const Entry &e : *normal_) {
    Dim product(e.coefficient);
    for (const auto &[atom, power] : e.atoms) {
      Dim value;
      if (atom.kind == AtomKind::Var) {
        auto it = values.find(atom.name);
        value = it != values.end() ? it->second : Dim::var(atom.name);
      } else {
        Dim l = atom.left->substitute(values), r = atom.right->substitute(values);
        value = atom.kind == AtomKind::FloorDiv ? floorDiv(l, r)
                : atom.kind == AtomKind::Mod    ? mod(l, r)
                : atom.kind == AtomKind::Min    ? min(l, r)
                                                : max(l, r);
      }
      for (int i = 0; i < power; ++i) product = product * value;
    }
    sum = sum + product;
  }
  if (Dim written; written_ && sum.isDefined() && (written = written_->substitute(values).written()).isDefined())
    sum.written_ = std::make_shared<Dim>(std::move(written));
  return sum;
}

// ---------------------------------------------------------------- reading

namespace {
class DimReader {
public:
  explicit DimReader(std::string_view text) : text_(text) {}
  std::optional<Dim> all() {
    if (auto d = single()) return d;
    auto d = sum();
    skip();
    return d && at_ == text_.size() ? d : std::nullopt;
  }

private:
  static constexpr int kDeepest = 256;
  static constexpr size_t kLongest = 256;  // of a name
  std::string_view text_;
  size_t at_ = 0;
  int depth_ = 0;
  void skip() { while (at_ < text_.size() && text_[at_] == ' ') ++at_; }
  bool take(std::string_view token) {
    skip();
    if (text_.substr(at_, token.size()) != token) return false;
    at_ += token.size();
    return true;
  }
  /// The text as one name or number, which most are.
  std::optional<Dim> single() {
    std::string name = word();
    const bool isAll = at_ == text_.size() && !name.empty() && name.size() <= kLongest;
    at_ = 0;
    if (!isAll) return std::nullopt;
    return std::isdigit(static_cast<unsigned char>(name[0])) ? number(name, false) : Dim::var(std::move(name));
  }
  std::optional<Dim> sum() {
    auto left = product();
    if (!left) return std::nullopt;
    while (true) {
      bool plus = take("+"), minus = !plus && take("-");
      if (!plus && !minus) return left;
      auto right = product();
      if (!right) return std::nullopt;
      left = plus ? *left + *right : *left - *right;
    }
  }
  std::optional<Dim> product() {
    auto left = atom();
    while (left) {
      if (take("//")) {
        auto right = atom();
        if (!right) return std::nullopt;
        left = Dim::floorDiv(*left, *right);
      } else if (take("%")) {
        auto right = atom();
        if (!right) return std::nullopt;
        left = Dim::mod(*left, *right);
      } else if (take("*")) {
        auto right = atom();
        if (!right) return std::nullopt;
        left = *left * *right;
      } else {
        return left;
      }
    }
    return left;
  }
  std::optional<Dim> atom() {
    skip();
    if (take("-")) {
      skip();
      bool isNumber = at_ < text_.size() && std::isdigit(static_cast<unsigned char>(text_[at_]));
      if (isNumber) return number(word(), true);
      auto inner = nested([&] { return atom(); });
      return inner ? std::optional(Dim(-1) * *inner) : std::nullopt;
    }
    if (take("(")) {
      auto inner = nested([&] { return sum(); });
      return inner && take(")") ? inner : std::nullopt;
    }
    std::string name = word();
    if (name.empty() || name.size() > kLongest) return std::nullopt;
    if (std::isdigit(static_cast<unsigned char>(name[0]))) return number(name, false);
    if ((name == "min" || name == "max") && take("(")) {
      auto a = nested([&] { return sum(); });
      if (!a || !take(",")) return std::nullopt;
      auto b = nested([&] { return sum(); });
      if (!b || !take(")")) return std::nullopt;
      return name == "min" ? Dim::min(*a, *b) : Dim::max(*a, *b);
    }
    return Dim::var(name);
  }
  std::string word() {
    size_t begin = at_;
    while (at_ < text_.size() && (std::isalnum(static_cast<unsigned char>(text_[at_])) || text_[at_] == '_' || text_[at_] == '.')) ++at_;
    return std::string(text_.substr(begin, at_ - begin));
  }
  /// Nothing if it does not fit into 64 bits.
  static std::optional<Dim> number(const std::string &digits, bool negative) {
    int64_t value = 0;
    std::string text = (negative ? "-" : "") + digits;
    auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    return error == std::errc() && end == text.data() + text.size() ? std::optional(Dim(value)) : std::nullopt;
  }
  template <class Read> std::optional<Dim> nested(Read read) {
    if (depth_ >= kDeepest) return std::nullopt;
    ++depth_;
    std::optional<Dim> dim = read();
    --depth_;
    return dim;
  }
};
}  // namespace

std::optional<Dim> Dim::parse(std::string_view text) { return DimReader(text).all(); }

}  // namespace tessera
