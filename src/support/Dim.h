// Dimensions: integer expressions over named variables, kept in a normal form so that equal expressions
// compare equal (B*H is H*B, H*(D//H) stays as it is: facts are the shape solver's, not algebra's).
// Normal form: a sum of terms; a term is a coefficient times a product of atoms; an atom is a variable
// or a floor division, remainder, minimum or maximum of two normal forms.
#pragma once
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace tessera {

class Dim;
enum class AtomKind : uint8_t { Var, FloorDiv, Mod, Min, Max };
struct Atom {
  AtomKind kind = AtomKind::Var;
  std::string name;                       // Var
  std::shared_ptr<const Dim> left, right;  // the others
  std::string str() const;                // canonical text
};

class Dim {
public:
  /// A product of atoms (each with its power >= 1), in canonical order.
  using Monomial = std::vector<std::pair<Atom, int>>;
  struct Term {
    int64_t coefficient;
    Monomial atoms;  // empty: the constant term
  };

  Dim() = default;  // zero
  Dim(int64_t constant);
  static Dim var(std::string name);
  static Dim floorDiv(const Dim &a, const Dim &b);
  static Dim mod(const Dim &a, const Dim &b);
  static Dim ceilDiv(const Dim &a, const Dim &b);  // (a + b - 1) // b
  static Dim min(const Dim &a, const Dim &b);
  static Dim max(const Dim &a, const Dim &b);
  /// Reads what str() writes, and any expression of + - * // % min(a, b) max(a, b) over names and integers.
  static std::optional<Dim> parse(std::string_view text);

  friend Dim operator+(const Dim &a, const Dim &b);
  friend Dim operator-(const Dim &a, const Dim &b);
  friend Dim operator*(const Dim &a, const Dim &b);
  bool operator==(const Dim &other) const { return terms_ == other.terms_; }
  bool operator<(const Dim &other) const { return str() < other.str(); }

  bool isConstant() const;
  int64_t constant() const;  // only when isConstant()
  bool isVar() const;
  const std::string &varName() const;  // only when isVar()
  std::vector<Term> terms() const;
  /// Canonical text, e.g. "2*D + 1", "D // H", "(N + 63) // 64".
  std::string str() const;
  void collectVars(std::set<std::string> &names) const;
  /// The value under an assignment; nothing if a variable has none or a divisor is 0.
  std::optional<int64_t> evaluate(const std::function<std::optional<int64_t>(const std::string &)> &valueOf) const;
  Dim substitute(const std::map<std::string, Dim> &values) const;

private:
  struct Entry {
    int64_t coefficient;
    Monomial atoms;
    bool operator==(const Entry &other) const { return coefficient == other.coefficient; }
  };
  // Keyed by the monomial's canonical text: equality of maps is equality of normal forms.
  std::map<std::string, Entry> terms_;
  void add(int64_t coefficient, Monomial atoms);
  static Dim ofAtom(Atom atom);
};

}  // namespace tessera
