// Systems of linear constraints over the integers, decided by MLIR's Presburger library (Presburger.cpp, the
// only file of this room that sees it).
#pragma once
#include <cstdint>
#include <optional>
#include <vector>

namespace tessera::shape {

/// sum(coefficient * x[column]) + constant >= 0, or == 0.
struct LinearRow {
  std::vector<std::pair<size_t, int64_t>> terms;  // column, coefficient; each column once
  int64_t constant = 0;
  bool equality = false;
};
struct LinearSystem {
  size_t columns = 0;
  std::vector<LinearRow> rows;
};

/// Whether no integers satisfy the rows; nothing if that takes more than `work`, which is counted down in columns
/// and rows that are looked at (about a microsecond each), so that the answer does not depend on the machine.
std::optional<bool> isEmpty(const LinearSystem &system, int64_t &work);
/// The integers that satisfy the rows and are smallest in column 0, among these smallest in column 1, and so on
/// for the first `leading` columns. Nothing if there are none, or no smallest ones, or if it takes too much work.
std::optional<std::vector<int64_t>> smallestPoint(const LinearSystem &system, size_t leading, int64_t &work);

}  // namespace tessera::shape
