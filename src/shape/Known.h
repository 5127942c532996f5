// The facts in normal form, found by the variables that they speak of, and the verdicts that were given with them.
#pragma once
#include "shape/Facts.h"
#include <unordered_map>

namespace tessera::shape {

struct Facts::Cache {
  struct Derived {
    Dim value;  // in normal form
    std::set<std::string> variables;
  };
  std::vector<Formula> facts;
  std::vector<std::set<std::string>> variables;  // of the facts
  std::vector<size_t> always;                    // facts that have to do with every claim
  std::set<std::string> texts;                   // of the facts
  std::map<std::string, Derived> derived;        // dimensions that are written as something else
  /// Some that have lost the variable since stand here too.
  std::unordered_map<std::string, std::vector<size_t>> factsOf;
  std::unordered_map<std::string, std::vector<std::string>> derivedOf;

  std::unordered_map<std::string, bool> proved;       // by the text of the claim
  std::unordered_map<std::string, Verdict> unproved;  // of those that are not
  std::unordered_map<std::string, std::optional<Formula>> missing;
  std::optional<bool> admitsPositive;                 // sizes with all dimensions at least 1

  bool mentions(const std::string &variable) const { return factsOf.count(variable) || derivedOf.count(variable); }
  /// A fact that is new, or the new form of one.
  void setFact(size_t at, Formula fact);
  void setDerived(const std::string &name, Dim value);
  void forgetVerdicts();
};

}  // namespace tessera::shape
