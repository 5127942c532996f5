// What is known about dimensions, and the three verdicts on a claim: proved, refuted, undecided.
// Decides by normal forms: equalities are substituted, `X % Y == 0` makes X a multiple of Y, and an
// inequality is proved when a sum of known inequalities leaves a remainder with no negative part.
#pragma once
#include "sema/Checked.h"
#include "support/Dim.h"
#include <map>
#include <string>
#include <vector>

namespace tessera::sema::shape {

enum class Verdict : uint8_t { Proved, Refuted, Undecided };

class Facts {
public:
  /// Run-time variables ("%...") are anything unless a bound is known; dimensions are at least 0.
  void addEqual(const Dim &a, const Dim &b);
  void addMultiple(const Dim &value, const Dim &divisor);  // value % divisor == 0
  void addNonNegative(const Dim &value);
  void define(const std::string &var, const Dim &value);  // var always stands for value
  void undefine(const std::string &var) { substitution_.erase(var); }
  void add(const Requirement &fact);

  /// For comparing only: what is a multiple of something is written with a variable for the quotient.
  Dim simplify(const Dim &dim) const;
  /// simplify() in dimensions of the program alone.
  Dim external(const Dim &dim) const { return simplify(dim).substitute(quotients_); }
  Verdict equal(const Dim &a, const Dim &b) const;
  bool nonNegative(const Dim &value) const;
  Verdict holds(const Dim &left, Relation relation, const Dim &right) const;

  /// Facts are added and forgotten with the blocks that establish them.
  size_t mark() const { return nonNegative_.size(); }
  void forget(size_t mark) { nonNegative_.resize(mark); }

private:
  Dim rebuild(const Dim &dim, int depth) const;
  bool plainlyNonNegative(const Dim &value) const;
  bool search(const Dim &value, int depth) const;
  std::map<std::string, Dim> substitution_, quotients_;
  std::vector<std::pair<Dim, Dim>> multiples_;
  std::vector<Dim> nonNegative_;
};

/// a / b when b is one term that divides every term of a.
std::optional<Dim> divideExactly(const Dim &a, const Dim &b);
/// A positive dimension by its name: tile sizes ("T.m") are never 0.
bool isPositiveName(const std::string &name);

}  // namespace tessera::sema::shape
