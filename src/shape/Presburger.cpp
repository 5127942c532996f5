#include "mlir/Analysis/Presburger/IntegerRelation.h"
#include "shape/Linear.h"

namespace tessera::shape {

using mlir::presburger::IntegerPolyhedron;
using mlir::presburger::PresburgerSpace;

namespace {
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
}  // namespace

bool isEmpty(const LinearSystem &system) { return polyhedron(system).isIntegerEmpty(); }

std::optional<std::vector<int64_t>> smallestPoint(const LinearSystem &system) {
  IntegerPolyhedron set = polyhedron(system);
  if (set.isIntegerEmpty()) return std::nullopt;
  auto least = set.findIntegerLexMin();
  if (!least.isBounded()) return std::nullopt;
  std::vector<int64_t> point;
  for (const llvm::DynamicAPInt &value : *least) {
    if (value > llvm::DynamicAPInt(INT64_MAX / 2) || value < llvm::DynamicAPInt(INT64_MIN / 2))
      return std::nullopt;
    point.push_back(static_cast<int64_t>(value));
  }
  return point;
}

}  // namespace tessera::shape
