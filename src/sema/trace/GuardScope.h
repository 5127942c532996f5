// What the choices around an expression say.
#pragma once
#include "shape/Claim.h"
#include <optional>
#include <vector>

namespace tessera::sema {

/// Facts that hold for what is checked while this lives.
class ScopedFacts {
public:
  explicit ScopedFacts(std::vector<shape::Formula> &facts) : facts_(facts), before_(facts.size()) {}
  ScopedFacts(const ScopedFacts &) = delete;
  ScopedFacts &operator=(const ScopedFacts &) = delete;
  ~ScopedFacts() { facts_.erase(facts_.begin() + before_, facts_.end()); }
  void add(const std::optional<shape::Formula> &fact, bool holds) {
    if (fact) facts_.push_back(holds ? *fact : fact->negated());
  }

private:
  std::vector<shape::Formula> &facts_;
  std::ptrdiff_t before_;
};

}  // namespace tessera::sema
