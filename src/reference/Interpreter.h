// The interpreter of one call of one function. Internal to this room: use Reference.h.
#pragma once
#include "reference/ArrayOps.h"
#include "reference/Bind.h"
#include "reference/Races.h"
#include "reference/Region.h"
#include <deque>
#include <set>
#include <unordered_map>

namespace tessera::reference {

/// How a statement ended.
enum class Flow : uint8_t { Next, Break, Continue, Return, Failed };

class Interpreter {
public:
  Interpreter(const sema::Function &function, const Options &options)
      : function_(function), options_(options) {}

  /// Runs the function on values for its written parameters (null: not given). False: see error().
  bool call(std::vector<Ref> arguments);
  std::vector<Ref> &results() { return results_; }
  /// What a parameter holds now.
  const Ref &valueOf(const sema::Param &param) const { return values_[param.var->id]; }
  const RunError &error() const { return *error_; }
  /// False if call() failed because the arguments do not fit the parameters.
  bool argumentsFit() const { return argumentsFit_; }

  /// The value of an expression, null after an error. Public for the evaluation of constants.
  Ref eval(const sema::Expr &expr);

private:
  const sema::Function &function_;
  const Options &options_;
  std::optional<RunError> error_;
  bool argumentsFit_ = false;
  std::set<std::string> askedFor_;  // of the command line
  DimValues dims_;
  // What sizes and shapes are; nothing for those in which a local variable occurs: they change.
  std::unordered_map<const Dim *, std::optional<int64_t>> dimCache_;
  std::unordered_map<const sema::Type *, Shape> shapeCache_, changingShapes_;
  std::vector<Ref> values_;  // by Var::id
  std::vector<Ref> results_;

  // The group that runs. Outside of kernels there is one lane.
  int64_t groupSize_ = 1;
  std::vector<int64_t> gridShape_, groupCoordinates_, tileShape_;
  LaneMask mask_ = LaneMask(1, 1);
  int64_t active_ = 1;
  bool laneReturned_ = false;  // some lanes have left the kernel early
  LaneMask gone_;
  Races races_;
  struct PendingCopy {
    Region destination;
    Ref data;
    sema::Numerics numerics;
  };
  std::vector<PendingCopy> uncommitted_;
  std::deque<std::vector<PendingCopy>> committed_;

  std::nullptr_t fail(Span span, std::string message);
  bool fails(Span span, std::string message) { return fail(span, std::move(message)), false; }
  bool allLanes() const { return active_ == groupSize_; }

  std::optional<int64_t> valueInDim(const std::string &name) const;
  std::optional<int64_t> dim(const Dim &dim, Span span);
  const Shape *shape(const sema::Type &type, Span span);
  bool evalAll(const std::vector<sema::ExprPtr> &exprs, std::vector<Ref> &values);
  /// A scalar of integers that is the same in all lanes.
  std::optional<int64_t> evalInt(const sema::Expr &expr);

  // InterpretExpr.cpp
  Ref constant(const sema::Expr &expr);
  Ref evalArray(const sema::Expr &expr);
  Ref evalSlice(const sema::Expr &expr);
  bool region(const sema::Access &access, Span span, Region &region);
  Ref load(const sema::Access &access, Span span);

  // InterpretKernel.cpp
  bool runKernel();
  bool prepareGrid();
  bool contextSizes();
  int64_t chooseGroupSize() const;
  bool runGroups(int64_t count);
  Ref query(const sema::Expr &expr);
  /// A query whose answer is the same for all lanes; nothing for the others.
  std::optional<int64_t> groupQuery(sema::Query query, size_t axis) const;
  void resetMask();
  void setMask(LaneMask mask);
  bool asyncCopy(const sema::Stmt &stmt);
  void finishCopies(size_t keep);
  bool reportRace(std::optional<std::string> race, Span span);
  bool reportTensorRace(std::optional<std::string> race, Span span);
  Flow runIfByLanes(const sema::Stmt &stmt, const Datum &condition);
  Flow runWhileByLanes(const sema::Stmt &stmt, Ref condition);
  Flow runForByLanes(const sema::Stmt &stmt, const Datum &start, const Datum &stop, int64_t step);

  // InterpretStmt.cpp
  bool bindParameters(std::vector<Ref> &arguments);
  bool finish(Flow flow);
  Flow exec(const sema::Block &block);
  Flow exec(const sema::Stmt &stmt);
  Flow execFor(const sema::Stmt &stmt);
  Flow execWhile(const sema::Stmt &stmt);
  Flow execIf(const sema::Stmt &stmt);
  Flow execReturn(const sema::Stmt &stmt);
  bool store(const sema::Stmt &stmt);
  bool assertion(const sema::Stmt &stmt);
  void assign(const sema::Var &var, const Ref &value);
  LaneMask lanesWhere(const Datum &condition) const;

  // InterpretHost.cpp
  Ref evalHost(const sema::Expr &expr);
  Ref evalCall(const sema::Expr &expr);
  Ref loadNpy(const sema::Expr &expr);
  Ref hostCall(const sema::Expr &expr);
  Ref argument(const sema::Expr &expr, const std::string &name);
  Ref format(const sema::Expr &expr);
  Ref hostItem(const sema::Expr &expr);
  bool print(const sema::Stmt &stmt);
  bool saveNpy(const sema::Stmt &stmt);
};

}  // namespace tessera::reference
