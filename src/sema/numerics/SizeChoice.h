// Sizes to try a function with: as near as may be to what is wished, and such that its requirements hold.
#pragma once
#include "sema/numerics/Sizes.h"
#include <optional>

namespace tessera::sema::numerics {

class SizeChoice {
public:
  explicit SizeChoice(const Function &function);
  /// The bounds of each dimension and of each size of a tile.
  const Sizes &all() const { return all_; }
  using Wishes = std::map<std::string, double>;
  /// Each size is one value; those of dimensions obey the requirements together. Nothing if none were found, or after
  /// so many searches that more would be felt.
  std::optional<Sizes> near(const Wishes &wishes) { return near(wishes, nullptr, kInfinity); }
  /// The same near other sizes, with one of them as wished, and in any case smaller than there.
  std::optional<Sizes> smaller(const std::string &name, double wish, const Sizes &than);

private:
  std::optional<Sizes> near(const Wishes &wishes, const std::string *first, double below);
  bool allowed(const Wishes &sizes);
  std::optional<int64_t> nearest(const shape::Facts &facts, const std::string &name, double wish);
  Sizes points(const Wishes &sizes) const;

  const Function &function_;
  Sizes all_;
  std::optional<shape::Facts> facts_;
  int spent_ = 0, cost_ = 1;
};

}  // namespace tessera::sema::numerics
