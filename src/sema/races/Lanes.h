// Index arithmetic of a kernel with numbers: what each lane of one group computes once the dimensions have
// sizes. What only run time knows (elements of tensors, arguments that are no sizes) stays unknown.
#pragma once
#include "sema/Checked.h"
#include <unordered_map>

namespace tessera::sema::races {

/// Which lanes of the group take part.
using LaneMask = std::vector<char>;
/// Sizes of dimensions and of the tile context ("T.m"), by name.
using Sizes = std::map<std::string, int64_t>;

/// An integer or truth value in every lane of a group.
struct Number {
  bool known = false;
  std::vector<int64_t> lanes;  // known: one entry if all lanes agree, else one for each lane
  static Number unknown() { return {}; }
  static Number of(int64_t value) { return {true, {value}}; }
  bool uniform() const { return known && lanes.size() == 1; }
  int64_t at(size_t lane) const { return lanes[lanes.size() == 1 ? 0 : lane]; }
};

/// One group of a kernel's grid: how many groups there are along each axis, which of them it is, and how many elements of
/// the output a group's tile has along each axis (no entries: the grid does not come from an output).
struct GroupPlace {
  std::vector<int64_t> grid, at, tile;
};

class Lanes {
public:
  Lanes(size_t count, Sizes sizes, GroupPlace place);
  size_t count() const { return count_; }
  const Sizes &sizes() const { return sizes_; }
  std::optional<int64_t> size(const Dim &dim) const;
  Number evaluate(const Expr &expr) const;
  /// A name that is new here: no lane has had a value of it.
  void declare(const Var *var, Number value);
  /// The lanes of the mask have this value from now on.
  void bind(const Var *var, Number value, const LaneMask &mask);
  void forget(const Var *var) { values_.erase(var); }

private:
  Number query(Query query, int axis) const;
  Number elementwise(const Expr &expr) const;
  size_t count_;
  Sizes sizes_;
  GroupPlace place_;
  std::unordered_map<const Var *, Number> values_;
};

/// Whether the lanes of a group may disagree about it.
bool differsBetweenLanes(const Expr &expr);

}  // namespace tessera::sema::races
