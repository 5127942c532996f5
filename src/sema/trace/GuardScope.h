// What the choices around an expression say.
#pragma once
#include "shape/Claim.h"
#include <optional>
#include <vector>

namespace tessera::sema {

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
