#include "support/Dim.h"
#include "support/Check.h"
#include <algorithm>
#include <cctype>

namespace tessera {
namespace {

int64_t floorDivide(int64_t a, int64_t b) {
  int64_t q = a / b;
  return (a % b != 0 && (a < 0) != (b < 0)) ? q - 1 : q;
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

Dim::Dim(int64_t constant) {
  if (constant != 0) add(constant, {});
}

void Dim::add(int64_t coefficient, Monomial atoms) {
  std::string key = monomialText(atoms, true);
  auto [it, inserted] = terms_.try_emplace(key, Entry{coefficient, std::move(atoms)});
  if (!inserted) it->second.coefficient += coefficient;
  if (it->second.coefficient == 0) terms_.erase(it);
}

Dim Dim::ofAtom(Atom atom) {
  Dim d;
  d.add(1, {{std::move(atom), 1}});
  return d;
}

Dim Dim::var(std::string name) { return ofAtom({AtomKind::Var, std::move(name), nullptr, nullptr}); }

Dim operator+(const Dim &a, const Dim &b) {
  Dim sum = a;
  for (const auto &[key, entry] : b.terms_) sum.add(entry.coefficient, entry.atoms);
  return sum;
}
Dim operator-(const Dim &a, const Dim &b) { return a + Dim(-1) * b; }
Dim operator*(const Dim &a, const Dim &b) {
  Dim product;
  for (const auto &[ka, ea] : a.terms_)
    for (const auto &[kb, eb] : b.terms_) {
      std::map<std::string, std::pair<Atom, int>> powers;
      for (const Dim::Monomial *m : {&ea.atoms, &eb.atoms})
        for (const auto &[atom, power] : *m) {
          auto [it, inserted] = powers.try_emplace(atom.str(), atom, power);
          if (!inserted) it->second.second += power;
        }
      Dim::Monomial atoms;
      for (auto &[text, pair] : powers) atoms.push_back(pair);
      product.add(ea.coefficient * eb.coefficient, std::move(atoms));
    }
  return product;
}

Dim Dim::floorDiv(const Dim &a, const Dim &b) {
  if (b.isConstant() && b.constant() != 0) {
    int64_t divisor = b.constant();
    if (a.isConstant()) return floorDivide(a.constant(), divisor);
    if (divisor == 1) return a;
    if (divisor > 1) {  // terms with divisible coefficients leave the division: (4*D + r) // 4 = D + r // 4
      Dim whole, rest;
      for (const auto &[key, e] : a.terms_) {
        int64_t q = floorDivide(e.coefficient, divisor);
        if (e.coefficient % divisor == 0) whole.add(q, e.atoms);
        else rest.add(e.coefficient, e.atoms);
      }
      if (!whole.terms_.empty()) return whole + floorDiv(rest, b);
    }
  }
  if (a == b) return 1;  // a division by zero has no value anyway
  return ofAtom({AtomKind::FloorDiv, "", std::make_shared<Dim>(a), std::make_shared<Dim>(b)});
}

Dim Dim::mod(const Dim &a, const Dim &b) {
  if (b.isConstant() && b.constant() > 0) {
    int64_t divisor = b.constant();
    Dim rest;
    for (const auto &[key, e] : a.terms_) {
      int64_t r = e.coefficient - floorDivide(e.coefficient, divisor) * divisor;
      if (r != 0) rest.add(r, e.atoms);
    }
    if (rest.isConstant()) return rest.constant() % divisor;
    return ofAtom({AtomKind::Mod, "", std::make_shared<Dim>(rest), std::make_shared<Dim>(b)});
  }
  if (a == b) return 0;
  return ofAtom({AtomKind::Mod, "", std::make_shared<Dim>(a), std::make_shared<Dim>(b)});
}

Dim Dim::ceilDiv(const Dim &a, const Dim &b) { return floorDiv(a + b - Dim(1), b); }

Dim Dim::min(const Dim &a, const Dim &b) {
  Dim difference = a - b;
  if (difference.isConstant()) return difference.constant() <= 0 ? a : b;
  bool ordered = a.str() <= b.str();
  return ofAtom({AtomKind::Min, "", std::make_shared<Dim>(ordered ? a : b), std::make_shared<Dim>(ordered ? b : a)});
}
Dim Dim::max(const Dim &a, const Dim &b) {
  Dim difference = a - b;
  if (difference.isConstant()) return difference.constant() >= 0 ? a : b;
  bool ordered = a.str() <= b.str();
  return ofAtom({AtomKind::Max, "", std::make_shared<Dim>(ordered ? a : b), std::make_shared<Dim>(ordered ? b : a)});
}

bool Dim::isConstant() const { return terms_.empty() || (terms_.size() == 1 && terms_.begin()->second.atoms.empty()); }
int64_t Dim::constant() const {
  TSR_CHECK(isConstant(), "constant() of " + str());
  return terms_.empty() ? 0 : terms_.begin()->second.coefficient;
}
bool Dim::isVar() const {
  if (terms_.size() != 1) return false;
  const Entry &e = terms_.begin()->second;
  return e.coefficient == 1 && e.atoms.size() == 1 && e.atoms[0].second == 1 && e.atoms[0].first.kind == AtomKind::Var;
}
const std::string &Dim::varName() const {
  TSR_CHECK(isVar(), "varName() of " + str());
  return terms_.begin()->second.atoms[0].first.name;
}

std::vector<Dim::Term> Dim::terms() const {
  std::vector<Term> list;
  for (bool positive : {true, false})           // "N - 2*M", not "-2*M + N"
    for (bool constant : {false, true})         // the constant comes last: "2*D + 1"
      for (const auto &[key, e] : terms_)
        if ((e.coefficient > 0) == positive && e.atoms.empty() == constant) list.push_back({e.coefficient, e.atoms});
  return list;
}

std::string Dim::str() const {
  std::string text;
  for (const Term &t : terms()) {
    int64_t c = t.coefficient;
    if (!text.empty()) text += c < 0 ? " - " : " + ";
    else if (c < 0) text += "-";
    int64_t magnitude = c < 0 ? -c : c;
    bool several = terms_.size() > 1;
    if (t.atoms.empty()) text += std::to_string(magnitude);
    else if (magnitude == 1 && !(c < 0 && !several)) text += monomialText(t.atoms, several);
    else if (magnitude == 1) text += monomialText(t.atoms, true);
    else text += std::to_string(magnitude) + "*" + monomialText(t.atoms, true);
  }
  return text.empty() ? "0" : text;
}

void Dim::collectVars(std::set<std::string> &names) const {
  for (const auto &[key, e] : terms_)
    for (const auto &[atom, power] : e.atoms) {
      if (atom.kind == AtomKind::Var) names.insert(atom.name);
      else atom.left->collectVars(names), atom.right->collectVars(names);
    }
}

std::optional<int64_t> Dim::evaluate(const std::function<std::optional<int64_t>(const std::string &)> &valueOf) const {
  int64_t sum = 0;
  for (const auto &[key, e] : terms_) {
    int64_t product = e.coefficient;
    for (const auto &[atom, power] : e.atoms) {
      std::optional<int64_t> value;
      if (atom.kind == AtomKind::Var) {
        value = valueOf(atom.name);
      } else {
        auto l = atom.left->evaluate(valueOf), r = atom.right->evaluate(valueOf);
        if (!l || !r) return std::nullopt;
        switch (atom.kind) {
        case AtomKind::FloorDiv: if (*r != 0) value = floorDivide(*l, *r); break;
        case AtomKind::Mod: if (*r != 0) value = *l - floorDivide(*l, *r) * *r; break;
        case AtomKind::Min: value = std::min(*l, *r); break;
        case AtomKind::Max: value = std::max(*l, *r); break;
        case AtomKind::Var: break;
        }
      }
      if (!value) return std::nullopt;
      for (int i = 0; i < power; ++i) product *= *value;
    }
    sum += product;
  }
  return sum;
}

Dim Dim::substitute(const std::map<std::string, Dim> &values) const {
  Dim sum;
  for (const auto &[key, e] : terms_) {
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
  return sum;
}

// ---------------------------------------------------------------- reading

namespace {
class DimReader {
public:
  explicit DimReader(std::string_view text) : text_(text) {}
  std::optional<Dim> all() {
    auto d = sum();
    skip();
    return d && at_ == text_.size() ? d : std::nullopt;
  }

private:
  std::string_view text_;
  size_t at_ = 0;
  void skip() { while (at_ < text_.size() && text_[at_] == ' ') ++at_; }
  bool take(std::string_view token) {
    skip();
    if (text_.substr(at_, token.size()) != token) return false;
    at_ += token.size();
    return true;
  }
  std::optional<Dim> sum() {
    bool negative = take("-");
    auto left = product();
    if (!left) return std::nullopt;
    if (negative) left = Dim(-1) * *left;
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
    if (take("(")) {
      auto inner = sum();
      return inner && take(")") ? inner : std::nullopt;
    }
    size_t begin = at_;
    while (at_ < text_.size() && (std::isalnum(static_cast<unsigned char>(text_[at_])) || text_[at_] == '_' || text_[at_] == '.')) ++at_;
    std::string word(text_.substr(begin, at_ - begin));
    if (word.empty() || word.size() > 256) return std::nullopt;
    if (std::isdigit(static_cast<unsigned char>(word[0]))) {
      if (word.size() > 18 || word.find_first_not_of("0123456789") != std::string::npos) return std::nullopt;
      return Dim(std::stoll(word));
    }
    if ((word == "min" || word == "max") && take("(")) {
      auto a = sum();
      if (!a || !take(",")) return std::nullopt;
      auto b = sum();
      if (!b || !take(")")) return std::nullopt;
      return word == "min" ? Dim::min(*a, *b) : Dim::max(*a, *b);
    }
    return Dim::var(word);
  }
};
}  // namespace

std::optional<Dim> Dim::parse(std::string_view text) { return DimReader(text).all(); }

}  // namespace tessera
