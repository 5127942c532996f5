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

/// True if no integers satisfy the rows. Exact.
bool isEmpty(const LinearSystem &system);
/// The integers that satisfy the rows and are smallest in column 0, among these smallest in column 1, and so
/// on. Nothing if there are none, or no smallest ones, or if they exceed 64 bits.
std::optional<std::vector<int64_t>> smallestPoint(const LinearSystem &system);

}  // namespace tessera::shape
