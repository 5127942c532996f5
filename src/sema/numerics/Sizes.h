// Bounds of dimensions, from the facts of a function: how many terms a sum can have.
#pragma once
#include "sema/Checked.h"
#include "sema/numerics/Range.h"
#include "shape/Facts.h"
#include <functional>
#include <map>
#include <memory>
#include <string>

namespace tessera::sema::numerics {

/// An array has at most this many elements along an axis, and no array is empty (V4).
inline constexpr double kMostElements = 281474976710656.0;  // 2^48
/// A tile has at most this many elements along an axis unless a schedule says so (V4).
inline constexpr double kMostTile = 1024;

/// What a function requires of its dimensions, none of which is 0.
shape::Facts factsOf(const Function &function);

class Sizes {
public:
  using Names = std::map<std::string, Range>;
  explicit Sizes(const Function &function);
  /// A dimension variable is one of these, where that is less than was known.
  void restrict(const std::string &name, double low, double high);
  /// `local` gives ranges of names that are no dimensions (run-time variables).
  Range of(const Dim &dim, const std::function<Range(const std::string &)> &local) const;
  const Names &names() const { return names_; }
  bool isBounded(const std::string &name) const;

private:
  void apply(const Requirement &fact);
  Range interval(const Dim &dim, const std::function<Range(const std::string &)> &local) const;
  Names names_;
  const Function *function_;
  mutable std::shared_ptr<const shape::Facts> facts_;  // made when a difference is asked for
};

}  // namespace tessera::sema::numerics
