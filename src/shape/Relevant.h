// The facts that have to do with a claim: those that share variables with it, directly or through others.
#pragma once
#include "shape/Facts.h"

namespace tessera::shape {

struct Facts::Relevant {
  std::vector<Formula> facts;
  std::map<std::string, Dim> derived;  // dimensions that are written as something else
  std::set<std::string> variables;     // free ones
  /// Bounds and facts; with `positive`, dimensions are at least 1.
  std::vector<Formula> conditions(bool positive) const;
};

}  // namespace tessera::shape
