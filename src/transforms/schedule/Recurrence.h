// Loops of a tensor function that one kernel runs: what a turn leaves to the next one stays in registers (RecurrencePlan.cpp,
// RecurrenceKernel.cpp), and what all points add up is added up behind it (RecurrenceSums.cpp).
#pragma once
#include "ir/graph/Graph.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Builders.h"
#include "transforms/schedule/Updates.h"
#include <set>
#include <string>
#include <vector>

namespace tessera::transforms {

/// A loop whose turns compute elements from those at the same place along some axes, the *points*: each point can run all turns by
/// itself. Along other axes, which are held whole, elements may meet.
struct Recurrence {
  static constexpr int64_t kFirst = -1, kWhole = -2;
  struct Carried {
    unsigned number;  // of the loop's results
    bool inPlace;     // an array that turns update, and not a value
    bool isSummed = false;  // turns add `sums` to it
  };
  mlir::scf::ForOp loop;
  llvm::SmallVector<Carried> carried;
  llvm::SmallVector<ir::DimAttr> points;                         // their extents, the last one varies fastest
  llvm::DenseMap<mlir::Value, llvm::SmallVector<int64_t>> axes;  // of values in the loop: the point of each axis, kFirst where it has one element or updates place it, or kWhole
  bool holdsRows = false;
  int64_t wholes = 0;                   // classes of axes that are held whole
  int64_t held = 1;                     // elements of the largest value at a point, at most
  std::set<std::string> bounded;        // run-time dimensions that are held whole, up to kMostOfDimension elements
  static constexpr int64_t kMostOfDimension = 64;
  struct Part {
    mlir::Operation *op;
    Update update;
    unsigned number;  // of the loop's result that it is a part of
    bool isSummed = false;  // made of `sums`
  };
  std::vector<Part> updates;  // in their order
  /// A sum that goes over points: a lane or group has some of its terms. They lie in memory, and are added up behind the loop.
  struct Sum {
    unsigned number;  // of the loop's result that is made of it
    int64_t update;   // of `updates`, the part of that which a turn writes; -1: turns add to it
    mlir::Value of;   // what it and others add up to
    ir::graph::ReduceOp reduce;
    mlir::Value operand() const { return ir::graph::ReduceOp(reduce).getOperand(); }
    llvm::ArrayRef<int64_t> axes() const { return ir::graph::ReduceOp(reduce).getAxes(); }
    mlir::Location line() const { return ir::graph::ReduceOp(reduce).getLoc(); }
  };
  std::vector<Sum> sums;
  llvm::SmallVector<mlir::Operation *> scratch;  // made for them in the loop, where nothing else reads it
  std::set<unsigned> written;  // arrays of which turns write every element, and read none
};

/// Writes values of a turn that are made of sums, by signs, factors and more sums, as sums of terms: `f * sum(v)` as `sum(f * v)`. The new
/// operations stand at the end of the turn, where only a recurrence's kernel reads them.
class SumWriter {
public:
  using Sums = llvm::SmallVector<ir::graph::ReduceOp>;
  explicit SumWriter(mlir::scf::ForOp loop);
  /// What adds up to the value, with its shape; nothing if something else is in it.
  std::optional<Sums> sumsOf(mlir::Value value);
  std::optional<Sums> withShape(Sums sums, llvm::ArrayRef<ir::DimAttr> shape);
  llvm::SmallVector<mlir::Operation *> made;
  llvm::DenseSet<mlir::Operation *> parts;  // sums that they are made of, which nothing else reads

private:
  std::optional<Sums> written(mlir::Operation *op);
  ir::graph::ReduceOp sum(mlir::Value terms, llvm::ArrayRef<int64_t> axes, mlir::Location line);
  mlir::Value repeated(mlir::Value factor, ir::graph::ReduceOp over);
  Sums joined(Sums sums, const Sums &more);
  template <class Op, class... Args> Op make(Args &&...args);
  mlir::scf::ForOp loop_;
  mlir::OpBuilder builder_;
};
void eraseScratch(llvm::ArrayRef<mlir::Operation *> made);
/// How the terms of a sum lie: its operand's axes, without those that a lane or group adds up itself, and those along which updates place them.
struct Terms {
  llvm::SmallVector<ir::DimAttr> shape;
  llvm::SmallVector<int64_t> from;   // for each axis that of the operand, or -1 where an update places
  llvm::SmallVector<int64_t> added;  // those that are added up behind the loop
};
Terms termsOf(const Recurrence &plan, const Recurrence::Sum &sum);

/// Nothing if turns mix elements of all axes, or do what one kernel cannot.
std::optional<Recurrence> recurrenceOf(mlir::scf::ForOp loop, ir::graph::FuncOp function);

}  // namespace tessera::transforms
