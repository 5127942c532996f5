// The one measure of edits that mend a mistake: how likely it is that an edit was meant. It is asked before the edit is tried.
#pragma once
#include "sema/advice/Guesses.h"
#include <optional>

namespace tessera::sema {

/// What speaks for an edit and against it, each as a number that the measure weighs.
struct Signs {
  enum Kind {
#define TSR_SIGN(name, ...) name,
#include "sema/advice/Signs.def"
#undef TSR_SIGN
    kCount
  };
  double of[kCount] = {};
};

/// What a message is about: how likely an operator is depends on it.
enum class Family { Broadcast, Rank, Result, Product, Reshape, Argument, Kind, kCount };
/// Nothing for a message that no operator mends: what a race, a rounding or an index needs is no exchange, though many an exchange
/// makes the message go away.
std::optional<Family> familyOf(diag::Id id);

/// What finders of edits for certain mistakes said of an edit.
enum class Offer { None, Sure, Guess, Behind };

class Measure {
public:
  Measure(const diag::Diagnostic &diagnostic, const Place &place, const Sources &sources);
  Signs signsOf(const Guess &guess) const;
  /// The larger, the likelier was it meant: a difference of 1 between two edits makes one of them nearly thrice as likely.
  double likelihoodOf(const Guess &guess, Offer offer) const;
  /// ... as far as what it does and where say, which costs nothing.
  double priorOf(const Guess &guess) const;
  /// How likely it is that what it does mends anything, as a logarithm: what seldom does is tried late.
  double chanceOf(const Guess &guess) const;

private:
  std::string text(Span span) const { return std::string(sources_.text(span)); }
  void ofWords(const Guess &guess, Signs &signs) const;
  void ofNames(const Guess &guess, Signs &signs) const;
  void ofDeclarations(const Guess &guess, Signs &signs) const;
  void ofFields(const diag::Fix &fix, Signs &signs) const;
  std::string saidByFunction() const;
  bool saysColumns() const;
  bool saysSmaller() const;
  std::set<std::string> axesBeside(const diag::Fix &fix) const;
  bool labelsItself(const diag::Fix &fix) const;
  bool itemsAlike(const ast::Expr &result, const diag::Fix &fix) const;
  bool placeStands(const diag::Fix &fix) const;
  void ofLikeness(const Guess &guess, Signs &signs) const;
  void ofReductions(const Guess &guess, Signs &signs) const;
  void ofArguments(const Guess &guess, Signs &signs) const;

  const diag::Diagnostic &diagnostic_;
  const Place &place_;
  const Sources &sources_;
  Span function_;                          // all of its text
  std::vector<std::pair<Span, std::string>> forms_;  // of its statements: what is written, with a letter for each name
};

}  // namespace tessera::sema
