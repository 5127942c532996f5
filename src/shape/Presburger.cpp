#include "mlir/Analysis/Presburger/IntegerRelation.h"
#include "mlir/Analysis/Presburger/Simplex.h"
#include "shape/Linear.h"
#include <algorithm>
#include <cstdlib>

namespace tessera::shape {

using llvm::DynamicAPInt;
using mlir::presburger::Fraction;
using mlir::presburger::IntegerPolyhedron;
using mlir::presburger::PresburgerSpace;
using mlir::presburger::Simplex;

namespace {
// The library's own search for integers is exact, but takes seconds for sets of many dimensions, less so if the
// coefficients are small.
constexpr size_t kMostExactColumns = 8, kMostSmallColumns = 12;
constexpr int64_t kSmallCoefficient = 12;
constexpr int64_t kExactWork = 4000;
constexpr int kDeepest = 60;

IntegerPolyhedron polyhedron(const LinearSystem &system) {
  auto space = PresburgerSpace::getSetSpace(static_cast<unsigned>(system.columns));
  IntegerPolyhedron set(static_cast<unsigned>(system.rows.size()), static_cast<unsigned>(system.rows.size()),
                        static_cast<unsigned>(system.columns) + 1, space);
  llvm::SmallVector<int64_t, 16> row;
  for (const LinearRow &r : system.rows) {
    row.assign(system.columns + 1, 0);
    for (const auto &[column, coefficient] : r.terms) row[column] += coefficient;
    row.back() = r.constant;
    if (r.equality) set.addEquality(row);
    else set.addInequality(row);
  }
  return set;
}

/// Branch and bound over the rational simplex: finds a point, or the smallest in one column. Quick where there
/// are points; where there are none it may not end, and then says so.
class BranchAndBound {
public:
  BranchAndBound(const IntegerPolyhedron &set, std::optional<size_t> smallest, int64_t &work)
      : simplex_(set), columns_(set.getNumVars()), smallest_(smallest), work_(work),
        cost_(set.getNumVars() + set.getNumInequalities() + set.getNumEqualities()) {
    run(0);
  }
  const std::optional<std::vector<DynamicAPInt>> &best() const { return best_; }
  bool isComplete() const { return complete_; }

private:
  void run(int depth) {
    work_ -= cost_;
    if (work_ < 0 || depth > kDeepest) {
      complete_ = false;
      return;
    }
    if (simplex_.isEmpty()) return;
    if (smallest_) {
      llvm::SmallVector<DynamicAPInt, 16> objective(columns_ + 1, DynamicAPInt(0));
      objective[*smallest_] = 1;
      auto least = simplex_.computeOptimum(Simplex::Direction::Down, objective);
      if (!least.isBounded()) {
        complete_ = false;
        return;
      }
      if (best_ && ceil(*least) >= (*best_)[*smallest_]) return;
    }
    auto sample = simplex_.getRationalSample();
    if (!sample) {
      complete_ = false;
      return;
    }
    for (size_t c = 0; c < columns_; ++c)
      if ((*sample)[c].num % (*sample)[c].den != 0) return branch(c, floor((*sample)[c]), depth);
    best_.emplace();
    for (size_t c = 0; c < columns_; ++c) best_->push_back((*sample)[c].num / (*sample)[c].den);
  }

  /// x[column] <= below, or x[column] >= below + 1.
  void branch(size_t column, const DynamicAPInt &below, int depth) {
    for (int side = 0; side < 2; ++side) {
      llvm::SmallVector<DynamicAPInt, 16> row(columns_ + 1, DynamicAPInt(0));
      row[column] = side == 0 ? -1 : 1;
      row[columns_] = side == 0 ? below : -below - 1;
      unsigned before = simplex_.getSnapshot();
      simplex_.addInequality(row);
      run(depth + 1);
      simplex_.rollback(before);
      if (best_ && !smallest_) return;
      if (work_ < 0) return;
    }
  }

  Simplex simplex_;
  size_t columns_;
  std::optional<size_t> smallest_;
  int64_t &work_;
  int64_t cost_;
  std::optional<std::vector<DynamicAPInt>> best_;
  bool complete_ = true;
};
}  // namespace

std::optional<bool> isEmpty(const LinearSystem &system, int64_t &work) {
  IntegerPolyhedron set = polyhedron(system);
  if (set.isEmptyByGCDTest()) return true;
  int64_t largest = 0;
  for (const LinearRow &row : system.rows)
    for (const auto &[column, coefficient] : row.terms) largest = std::max(largest, std::abs(coefficient));
  bool small = system.columns <= (largest <= kSmallCoefficient ? kMostSmallColumns : kMostExactColumns);
  int64_t most = small ? std::min<int64_t>(work, kExactWork) : work, left = most;
  BranchAndBound search(set, std::nullopt, left);
  work -= most - left;
  if (search.best()) return false;
  if (search.isComplete()) return true;
  if (!small || work < 0) return std::nullopt;
  work -= kExactWork;
  return set.isIntegerEmpty();
}

std::optional<std::vector<int64_t>> smallestPoint(const LinearSystem &system, size_t leading, int64_t &work) {
  LinearSystem fixed = system;
  std::optional<std::vector<int64_t>> point;
  for (size_t c = 0; c < leading; ++c) {
    BranchAndBound search(polyhedron(fixed), c, work);
    if (!search.best() || !search.isComplete()) return std::nullopt;
    point.emplace();
    for (const DynamicAPInt &value : *search.best()) {
      if (value > DynamicAPInt(INT64_MAX / 2) || value < DynamicAPInt(INT64_MIN / 2)) return std::nullopt;
      point->push_back(static_cast<int64_t>(value));
    }
    fixed.rows.push_back({{{c, 1}}, -(*point)[c], true});
  }
  return point;
}

}  // namespace tessera::shape
