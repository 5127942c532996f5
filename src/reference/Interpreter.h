// The interpreter of one call of one function. Internal to this room: use Reference.h.
#pragma once
#include "checked/Indices.h"
#include "reference/ArrayOps.h"
#include "reference/Bind.h"
#include "reference/Origins.h"
#include "reference/Races.h"
#include "reference/Region.h"
#include <deque>
#include <set>
#include <unordered_map>

namespace tsr::host::tensor_file {
struct Header;
}

namespace tessera::reference {

/// How a statement ended.
enum class Flow : uint8_t { Next, Break, Continue, Return, Failed };

/// Whether a function of the host runtime is one of lists and dicts in words (InterpretRows.cpp).
bool isOfRows(const std::string &name);

class Interpreter {
public:
  Interpreter(const checked::Function &function, const Options &options)
      : function_(function), options_(options) {}

  /// Runs the function on values for its written parameters (null: not given). False: see error().
  bool call(std::vector<Ref> arguments);
  /// The first part of call(): the arguments are those of the function.
  bool takeArguments(std::vector<Ref> &arguments);
  std::vector<Ref> &results() { return results_; }
  /// What a parameter holds now.
  const Ref &valueOf(const checked::Param &param) const { return values_[param.var->id]; }
  const RunError &error() const { return *error_; }
  /// False if call() failed because the arguments do not fit the parameters.
  bool argumentsFit() const { return argumentsFit_; }

  /// The value of an expression, null after an error. Public for the evaluation of constants.
  Ref eval(const checked::Expr &expr);

private:
  const checked::Function &function_;
  const Options &options_;
  std::optional<RunError> error_;
  RunError caught_;                 // by the `try` that failed last
  bool argumentsFit_ = false;
  std::set<std::string> askedFor_;  // of the command line
  DimValues dims_;
  // What sizes and shapes are; nothing for those in which a local variable occurs: they change.
  std::unordered_map<const Dim *, std::optional<int64_t>> dimCache_;
  std::unordered_map<const checked::Type *, Shape> shapeCache_, changingShapes_;
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
  Origins origins_;
  struct PendingCopy {
    Region destination;
    Ref data;
    checked::Numerics numerics;
  };
  std::vector<PendingCopy> uncommitted_;
  std::deque<std::vector<PendingCopy>> committed_;

  std::nullptr_t fail(Span span, std::string message, int64_t kind = tsr::host::kRuntimeError);
  bool fails(Span span, std::string message, int64_t kind = tsr::host::kRuntimeError) { return fail(span, std::move(message), kind), false; }
  Ref errorCall(const checked::Expr &expr);
  bool allLanes() const { return active_ == groupSize_; }

  std::optional<int64_t> valueInDim(const std::string &name) const;
  std::optional<int64_t> dim(const Dim &dim, Span span);
  const Shape *shape(const checked::Type &type, Span span);
  bool evalAll(const std::vector<checked::ExprPtr> &exprs, std::vector<Ref> &values);
  /// A scalar of integers that is the same in all lanes.
  std::optional<int64_t> evalInt(const checked::Expr &expr);

  // InterpretExpr.cpp
  Ref evalPlain(const checked::Expr &expr);
  Ref constant(const checked::Expr &expr);
  Ref evalArray(const checked::Expr &expr);
  Ref evalSlice(const checked::Expr &expr);
  bool region(const checked::Access &access, Span span, Region &region);
  Ref load(const checked::Access &access, Span span);

  // InterpretKernel.cpp
  bool runKernel();
  bool prepareGrid();
  bool contextSizes();
  int64_t chooseGroupSize() const;
  bool runGroups(int64_t count);
  Ref query(const checked::Expr &expr);
  /// A query whose answer is the same for all lanes; nothing for the others.
  std::optional<int64_t> groupQuery(checked::Query query, size_t axis) const;
  /// What the lanes of each warp learn of each other (InterpretWarp.cpp).
  Ref warp(const checked::Expr &expr, const std::vector<Ref> &args);
  void resetMask();
  void setMask(LaneMask mask);
  bool asyncCopy(const checked::Stmt &stmt);
  void finishCopies(size_t keep);
  bool reportRace(std::optional<std::string> race, Span span);
  bool reportTensorRace(std::optional<std::string> race, Span span);
  Flow runIfByLanes(const checked::Stmt &stmt, const Datum &condition);
  Flow runWhileByLanes(const checked::Stmt &stmt, Ref condition);
  Flow runForByLanes(const checked::Stmt &stmt, const Datum &start, const Datum &stop, int64_t step);

  // InterpretStmt.cpp
  bool bindParameters(std::vector<Ref> &arguments);
  bool checkIndices();
  bool checkIndices(const checked::IndexParameter &indices);
  bool finish(Flow flow);
  Flow exec(const checked::Block &block);
  Flow exec(const checked::Stmt &stmt);
  Flow execFor(const checked::Stmt &stmt);
  Flow execWhile(const checked::Stmt &stmt);
  Flow execIf(const checked::Stmt &stmt);
  Flow execReturn(const checked::Stmt &stmt);
  bool store(const checked::Stmt &stmt);
  // InterpretAtomic.cpp
  bool atomic(const checked::Stmt &stmt);
  bool setElement(const checked::Stmt &stmt, const Datum &memory, size_t element, double value, std::unordered_map<size_t, double> &set);
  bool assertion(const checked::Stmt &stmt);
  void assign(const checked::Var &var, const Ref &value);
  LaneMask lanesWhere(const Datum &condition) const;

  // InterpretHost.cpp
  Ref evalHost(const checked::Expr &expr);
  Ref evalCall(const checked::Expr &expr);
  Ref loadNpy(const checked::Expr &expr);
  Ref hostElement(const checked::Expr &expr), hostStore(const checked::Expr &expr), hostStoreRows(const checked::Expr &expr), hostAppend(const checked::Expr &expr), hostWithout(const checked::Expr &expr), hostDict(const checked::Expr &expr);
  bool evalArguments(const checked::Expr &expr, std::vector<Ref> &values);  // false where one has no value
  Ref hostRows(const checked::Expr &expr), hostRowsOf(const checked::Expr &expr, const std::vector<Ref> &args), hostEntries(const checked::Expr &expr, const std::vector<Ref> &args);
  Ref textCall(const checked::Expr &expr, const std::string &text), powerOf(const checked::Expr &expr);
  Ref hostChosen(const checked::Expr &expr), hostPlaces(const checked::Expr &expr);
  Ref hostCall(const checked::Expr &expr), hostTensor(const checked::Expr &expr, const std::string &name),
      hostTable(const checked::Expr &expr, const std::string &name), readNpz(const checked::Expr &expr, const std::string &path),
      saveNpz(const checked::Expr &expr, const std::string &path);
  Ref readTensors(const checked::Expr &expr, const std::string &path), saveTensors(const checked::Expr &expr, const std::string &path),
      expectTensors(const checked::Expr &expr, const std::string &path, const tsr::host::tensor_file::Header &header);
  bool appendBytes(const checked::Expr &expr, const Datum &tensor, std::string &out);
  Ref writeBytes(const checked::Expr &expr, const std::string &path);
  Ref argument(const checked::Expr &expr, const std::string &name);
  Ref format(const checked::Expr &expr);
  Ref hostItem(const checked::Expr &expr);
  void printText(const std::string &text);
  Ref jsonCall(const checked::Expr &expr, const std::string &value);
  Ref openFile(const checked::Expr &expr);
  Ref fileCall(const checked::Expr &expr);
  bool print(const checked::Stmt &stmt);
  bool saveNpy(const checked::Stmt &stmt);
};

}  // namespace tessera::reference
