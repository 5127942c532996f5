// What divides inside of dimensions and facts. What it must be: docs/spec/shapes.md, S11.
#pragma once
#include "shape/Claim.h"
#include <vector>

namespace tessera::sema {

/// What divides inside of a dimension or formula, but for numbers.
void collectDivisors(const Dim &dim, std::vector<Dim> &list);
void collectDivisors(const shape::Formula &formula, std::vector<Dim> &list);

/// With at least 1 in place of what divides: the same where that was checked, and a number everywhere else.
Dim overOneAtLeast(const Dim &dim);

/// Facts that hold for what is checked while this lives.
class Chosen {
public:
  explicit Chosen(std::vector<shape::Formula> &facts) : facts_(facts), before_(facts.size()) {}
  Chosen(const Chosen &) = delete;
  Chosen &operator=(const Chosen &) = delete;
  ~Chosen() { facts_.erase(facts_.begin() + before_, facts_.end()); }
  void add(const std::optional<shape::Formula> &fact, bool holds) {
    if (fact) facts_.push_back(holds ? *fact : fact->negated());
  }

private:
  std::vector<shape::Formula> &facts_;
  std::ptrdiff_t before_;
};

}  // namespace tessera::sema
