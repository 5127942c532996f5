// What is known about dimensions, and the three verdicts on a claim (docs/spec/shapes.md, S1).
// Equalities are substituted and `X % Y == 0` makes X a product, so that most claims are decided by normal
// forms; the others are decided by linear systems (Problem.h).
#pragma once
#include "shape/Claim.h"
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace tessera::shape {

/// Proved: holds for all sizes that the facts admit. Refuted: some admitted sizes break it, with dimensions of at
/// least 1 if the facts admit such. Undecided: neither was shown, because only dimensions of 0 break it, or
/// because products of variables are beyond the solver.
enum class Verdict : uint8_t { Proved, Refuted, Undecided };

/// A verdict with its reasons.
struct Answer {
  Verdict verdict = Verdict::Undecided;
  bool never = false;              // refuted for all admitted sizes
  std::optional<Sizes> breaks;     // not proved: the smallest sizes for which the claim does not hold, if known
  std::optional<Formula> missing;  // not proved: a fact about dimensions that would prove it, if there is one
};

enum class Emptiness : uint8_t { Empty, Inhabited, Unknown };

/// Answers of the solver, which facts may share: the functions of a program ask about equal systems again and again.
class Solved;
std::shared_ptr<Solved> nothingSolved();

class Facts {
public:
  Facts() = default;
  explicit Facts(std::shared_ptr<Solved> solved) : solved_(std::move(solved)) {}

  /// Run-time variables ("%...") are any integers unless a bound is known; dimensions are at least 0, tile
  /// sizes ("T.m") at least 1. What divides is not 0.
  void add(const Formula &fact);
  void add(const Claim &fact) { add(asFormula(fact)); }
  void addEqual(const Dim &a, const Dim &b) { add(Formula(a, Relation::Eq, b)); }
  void addMultiple(const Dim &value, const Dim &divisor) {
    add(Formula(Dim::mod(value, divisor), Relation::Eq, Dim(0)));
  }
  void addNonNegative(const Dim &value) { add(Formula(value, Relation::Ge, Dim(0))); }
  void define(const std::string &var, const Dim &value);  // var always stands for value
  void undefine(const std::string &var);

  /// For comparing only: what is a multiple of something is written with a variable for the quotient.
  Dim simplify(const Dim &dim) const;
  /// simplify() in dimensions of the program alone.
  Dim external(const Dim &dim) const { return simplify(dim).substitute(quotients_); }

  Verdict decide(const Formula &claim) const;
  /// decide() is Proved. Costs less, where it does not matter why something is not.
  bool proves(const Formula &claim) const;
  Verdict holds(const Dim &left, Relation relation, const Dim &right) const;
  Verdict equal(const Dim &a, const Dim &b) const { return holds(a, Relation::Eq, b); }
  /// equal() is Proved.
  bool same(const Dim &a, const Dim &b) const { return a == b || proves(Formula(a, Relation::Eq, b)); }
  bool provesPositive(const Dim &value) const;  // at least 1
  bool nonNegative(const Dim &value) const {
    return proves(Formula(value, Relation::Ge, Dim(0)));
  }
  /// What the claim is for all sizes, those with dimensions of 0 too; nothing if it differs or is not known.
  std::optional<bool> truth(const Formula &claim) const;
  /// No sizes satisfy the facts.
  bool contradictory() const;
  /// contradictory(), if it was not so before the fact was added.
  bool contradictoryWith(const Formula &latest) const;

  /// The verdict with its reasons; for messages, because they cost more than the verdict.
  Answer explain(const Formula &claim) const;
  /// The sizes whose sum is least (of these the first by name) that satisfy the facts and the formula, with
  /// dimensions of at least 1 if there are such. Nothing if none were found.
  std::optional<Sizes> sizesWhere(const Formula &formula) const;
  /// The weakest fact of a simple form, about dimensions of the program, that would prove the claim.
  std::optional<Formula> missingFact(const Formula &claim) const;

private:
  struct Relevant;
  struct Cache;
  using Substitution = std::map<std::string, Dim>;
  Substitution::const_iterator lastName(Substitution::const_iterator it) const;
  Dim rebuild(const Dim &dim, int depth, bool useMultiples, int &room) const;
  bool isNormal(const Dim &dim) const;
  Formula substituted(const Formula &fact) const;
  /// That what divides in a formula is not 0, which its normal form may have forgotten.
  std::vector<Formula> divisorsOf(const Formula &formula) const;
  bool isDerived(const std::string &name) const;
  bool isResolved(const std::set<std::string> &variables) const;
  bool substitute(const Claim &equality);
  bool addMultiple(const Formula &fact);
  bool makeProduct(const Dim &of, const Dim &divisor);
  std::optional<Dim> constantFactor(const Dim &variable) const;
  void writeAs(const std::string &variable, const Dim &value);
  void refresh(size_t before);
  const Cache &cache() const;
  /// `mentioned`: dimensions whose values are wanted, even if the simplified formula has them no more. With
  /// `most` variables, and so many facts as a proof can use, those farthest from the formula are left out.
  Relevant relevant(const Formula &formula, const std::set<std::string> &mentioned = {}, size_t most = SIZE_MAX) const;
  /// A claim in its normal form.
  struct Question {
    Formula formula;
    std::optional<Verdict> plain;  // the answer, where the normal form alone gives it
    std::string key;
  };
  Question questionOf(const Formula &claim) const;
  bool isProved(const Formula &claim, const Question &question) const;
  Verdict unproved(const Formula &claim) const;
  Emptiness emptiness(const Relevant &relevant, const Formula &formula, bool positive) const;
  bool modelWhere(const Relevant &relevant, const Formula &formula, bool holds) const;
  Formula everything() const;
  bool admitsPositive() const;
  bool findPositive(const Relevant &relevant) const;
  std::optional<Sizes> searchSizes(const Relevant &relevant, const Formula &formula, bool positive,
                                   int mostTries) const;
  std::optional<Sizes> sizesOf(const Relevant &relevant, const Sizes &free) const;
  std::vector<Formula> candidates(const Formula &claim) const;
  std::optional<Formula> weakestFact(const Formula &claim) const;
  static std::optional<Formula> weakestOf(std::vector<std::pair<Formula, Facts>> list);
  std::optional<Dim> leastMargin(Dim margin) const;

  Substitution substitution_, quotients_;
  std::vector<std::pair<Dim, Dim>> multiples_;
  std::vector<Formula> known_;
  std::vector<std::string> rewritten_;  // by the fact that is being added
  mutable std::shared_ptr<Cache> cache_;
  std::shared_ptr<Solved> solved_;  // may be null
};

/// a / b when b is one term that divides every term of a.
std::optional<Dim> divideExactly(const Dim &a, const Dim &b);
/// A positive dimension by its name: tile sizes ("T.m") are never 0.
bool isPositiveName(const std::string &name);
/// A dimension, not a run-time variable.
bool isDimensionName(const std::string &name);
Dim dimOfAtom(const Atom &atom);
/// No term can be negative if variables are what their names say, and dimensions at least `least`.
bool plainlyNonNegative(const Dim &value, int64_t least = 0);

}  // namespace tessera::shape
