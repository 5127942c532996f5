// Formulas about dimensions as linear systems. `//` and `%` by constants, min and max become columns with
// their definitions, exactly. A product of variables, or a quotient by one, becomes a column of its own with
// what is known of it (McCormick's envelope: (x - lx) * (y - ly) >= 0 from bounds x >= lx, y >= ly; and each
// known inequality times a variable that is at least 0); then an empty system proves that there are no sizes,
// but one that is not empty proves nothing.
#pragma once
#include "shape/Facts.h"
#include "shape/Linear.h"
#include <unordered_map>

namespace tessera::shape {

/// By the system, in which variables are columns without names.
class Solved {
public:
  /// The answer that stands for a system, to be filled in where there is none yet; null where no more are kept.
  std::optional<Emptiness> *at(std::string system);

private:
  static constexpr size_t kMost = 20'000;
  std::unordered_map<std::string, std::optional<Emptiness>> answers_;
};

class Problem {
public:
  /// Work is bounded: cases of `or`, `!=`, min and max that are looked at, and columns.
  static constexpr int kMostCases = 96;
  static constexpr size_t kMostColumns = 48;
  static constexpr int64_t kMostWork = 40000;  // of isEmpty() in all

  /// The variable is at least `bound`. Variables without a bound are any integers.
  void bound(const std::string &variable, int64_t bound) { lower_[variable] = bound; }
  void require(const Formula &formula);
  Emptiness solve(Solved *solved = nullptr);
  /// The sizes whose sum over `names` is least; of these the first by name. Only where solve() is exact.
  std::optional<Sizes> smallest(const std::vector<std::string> &names);

private:
  using Alternative = std::vector<LinearRow>;
  using Clause = std::vector<Alternative>;

  Dim flatten(const Dim &dim);
  Dim flattenAtom(const Atom &atom);
  Dim quotient(const Dim &a, const Dim &b);
  Dim extremum(const Dim &a, const Dim &b, bool isMin);
  bool isNonNegative(const Dim &flat) const;
  size_t column(const std::vector<std::string> &monomial);
  std::optional<LinearRow> row(const Dim &flat, bool equality);
  void requireFlat(const Dim &flat, bool equality);  // flat >= 0, or == 0
  std::vector<Alternative> alternatives(const Formula &formula, bool &complete);
  void findBounds();
  void boundRows();
  void addAxioms();
  void addEnvelope(size_t product, size_t at);
  void addProducts();
  void close();
  std::string key() const;
  void startSearch();
  bool search(LinearSystem &system, size_t clause, const std::function<bool(const LinearSystem &)> &found);

  std::vector<std::vector<std::string>> columns_;  // the variables of the column's product, sorted
  std::map<std::string, size_t> columnOf_;
  std::map<std::string, Dim> fresh_;  // by the text of the atom
  std::map<std::string, int64_t> lower_, upper_;
  std::vector<LinearRow> rows_;
  std::vector<Clause> clauses_;
  bool exact_ = true, closed_ = false;
  int cases_ = 0;
  int64_t work_ = 0;
  bool certain_ = true;  // no case was left undecided
};

}  // namespace tessera::shape
