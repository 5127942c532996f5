// Dimensions: integer expressions over named variables, kept in a normal form so that equal expressions
// compare equal (B*H is H*B, H*(D//H) stays as it is: facts are the shape solver's, not algebra's).
// Normal form: a sum of terms; a term is a coefficient times a product of atoms; an atom is a variable
// or a floor division, remainder, minimum or maximum of two normal forms. Where a coefficient leaves 64 bits, and where a
// number is divided by 0, the result is undefined, and so is all that is made of it.
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
  Dim(int64_t constant) : constant_(constant) {}
  static Dim var(std::string name);
  /// A constant that the program has a name for. It equals the plain number and prints as it; written() keeps the
  /// name through arithmetic, so that emitted text can show `BM * BK` instead of 4096.
  static Dim named(int64_t constant, const std::string &name);
  static Dim floorDiv(const Dim &a, const Dim &b);
  static Dim mod(const Dim &a, const Dim &b);
  static Dim ceilDiv(const Dim &a, const Dim &b);  // (a + b - 1) // b
  static Dim min(const Dim &a, const Dim &b);
  static Dim max(const Dim &a, const Dim &b);
  /// Stands for a value that is not kept: it is `1 // 0`, and equal to nothing, not to itself either.
  static const Dim &undefined();
  bool isDefined() const { return normal_ == nullptr || normal_ != undefined().normal_; }
  /// Reads what str() writes, and any expression of + - * // % min(a, b) max(a, b) over names and integers of 64 bits.
  static std::optional<Dim> parse(std::string_view text);

  friend Dim operator+(const Dim &a, const Dim &b);
  friend Dim operator-(const Dim &a, const Dim &b);
  friend Dim operator*(const Dim &a, const Dim &b);
  bool operator==(const Dim &other) const;
  bool operator<(const Dim &other) const { return str() < other.str(); }

  bool isConstant() const { return !normal_; }
  int64_t constant() const;  // only when isConstant()
  bool isVar() const;
  const std::string &varName() const;  // only when isVar()
  std::vector<Term> terms() const;
  /// Canonical text, e.g. "2*D + 1", "D // H", "(N + 63) // 64".
  std::string str() const;
  void collectVars(std::set<std::string> &names) const;
  using Values = std::function<std::optional<int64_t>(const std::string &)>;
  /// The value under an assignment; nothing if a variable has none, a divisor is 0 or the value needs more than 64 bits.
  std::optional<int64_t> evaluate(const Values &valueOf) const;
  Dim substitute(const std::map<std::string, Dim> &values) const;

  /// With each named constant as a variable that tells its name and value, "BM.128"; itself where none is named.
  const Dim &written() const { return written_ ? *written_ : *this; }
  bool hasNames() const { return written_ != nullptr; }

private:
  struct Entry {
    int64_t coefficient;  // never 0
    Monomial atoms;
    std::string key;  // the monomial's canonical text: equal keys are equal monomials
  };
  using Entries = std::vector<Entry>;  // in the order of their keys
  static Dim ofEntries(Entries entries);
  static Dim ofAtom(Atom atom);
  static bool product(const Entry &a, const Entry &b, Entry &out);  // false: beyond 64 bits
  /// a / b, where `b` is a product that divides each term of `a`; nothing elsewhere.
  static std::optional<Dim> wholeQuotient(const Dim &a, const Dim &b);
  /// Calls visit(coefficient, atoms) for each term, the constant one first.
  template <class Visit> void forEach(Visit visit) const;

  // Most dimensions are numbers or single names and are copied often: copies share their terms.
  std::shared_ptr<const Entries> normal_;  // null: a constant
  int64_t constant_ = 0;                   // 0 unless a constant
  std::shared_ptr<const Dim> written_;     // null: no part of it has a name

  static Dim numbers(const Dim &dim);
  using Operation = Dim (*)(const Dim &, const Dim &);
  /// The operation on the numbers, and beside it the same one on what is written.
  static Dim applied(Operation operation, const Dim &a, const Dim &b);
  static Dim sum(const Dim &a, const Dim &b);
  static Dim scaled(const Dim &a, const Dim &b);
  static Dim quotient(const Dim &a, const Dim &b);
  static Dim remainder(const Dim &a, const Dim &b);
  static Dim least(const Dim &a, const Dim &b);
  static Dim greatest(const Dim &a, const Dim &b);
};

/// What a variable of written() stands for: its name and value; nothing for any other variable.
std::optional<std::pair<std::string, int64_t>> namedConstant(const std::string &variable);
/// What written() gave, as the dimension that it was taken of.
Dim inNumbers(const Dim &written);

}  // namespace tessera
