// What is known of the integers of a kernel once its sizes are chosen: sizes are numbers, an origin is a multiple of
// its tile, a loop's counter lies between its bounds, the facts of `where` and of the conditions around hold.
#pragma once
#include "ir/tile/Tile.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "shape/Facts.h"
#include "transforms/tile/Signs.h"

namespace tessera::transforms {

class KernelFacts {
public:
  explicit KernelFacts(ir::tile::KernelOp kernel);

  /// The integer as an expression over dimensions and variables of its own ("%0"). What is not understood is a variable
  /// that may be anything.
  Dim of(mlir::Value value);
  /// A condition on integers; nothing if it is not one.
  std::optional<shape::Formula> condition(mlir::Value value);
  /// In dimensions and numbers: sizes of the schedule are replaced.
  Dim withSizes(const Dim &dim) const { return dim.substitute(sizes_); }
  bool isNonNegative(mlir::Value value) { return signs_.isNonNegative(value); }
  bool mayDivide(mlir::Value divisor) { return signs_.mayDivide(divisor); }
  /// As it stands, or by the facts.
  bool isNonNegative(const Dim &dim) const {
    return shape::plainlyNonNegative(dim) || proves(shape::Formula(withSizes(dim), shape::Relation::Ge, Dim(0)));
  }
  bool proves(const shape::Formula &claim) const {
    return facts_.decide(claim) == shape::Verdict::Proved;
  }

  /// What holds inside of the loop or branch, until the end of the scope.
  class Scope {
  public:
    explicit Scope(KernelFacts &facts) : facts_(facts), outside_(facts.facts_) {}
    ~Scope() { facts_.facts_ = outside_; }
    Scope(const Scope &) = delete;
    Scope &operator=(const Scope &) = delete;

  private:
    KernelFacts &facts_;
    shape::Facts outside_;
  };
  void enter(mlir::scf::ForOp loop);
  void assume(const shape::Formula &fact) { facts_.add(fact); }

private:
  Dim fresh();
  Dim unknown(mlir::Value value);
  Dim query(ir::tile::QueryOp op);
  Dim origin(size_t axis);
  Dim elementwise(ir::tile::ElementwiseOp op);
  void addRange(const Dim &value, const Dim &end);  // 0 <= value < end

  ir::tile::KernelOp kernel_;
  std::map<std::string, Dim> sizes_;
  std::map<std::string, Dim> queries_;  // "origin 0"
  llvm::DenseMap<mlir::Value, Dim> values_;
  shape::Facts facts_;
  Signs signs_{[this](const Dim &dim) { return isNonNegative(dim); }};
  int variables_ = 0;
};

}  // namespace tessera::transforms
