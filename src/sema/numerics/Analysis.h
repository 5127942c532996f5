// Interval analysis of a checked function: what every value can be if the inputs lie in given ranges, and the
// first operation that may overflow, divide by zero or make a NaN. Besides its range a value has a number
// (equal numbers: equal values) and facts that relate it to others: `max(x)` is at least each `x`, a sum of
// squares bounds its terms. Elements of a tile outside of the tensor do not exist: they are masked.
#pragma once
#include "sema/Checked.h"
#include "sema/numerics/Sizes.h"
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace tessera::sema::numerics {

enum class FactKind : uint8_t {
  Above,         // at least the source, elementwise
  Below,         // at most the source
  AboveSum,      // at least scale * the sum of sources, which are not negative
  AboveSquares,  // at least scale * the sum of the sources' squares
  AboveRoot,     // at least scale * |source|
  InverseRoot,   // at most 1 / (scale * |source|)
};
/// About this value and the value number `source`. axes[i] is the axis of this value that is axis i of the
/// source; -1: the source was reduced along it, the fact holds for each of its elements.
struct Fact {
  FactKind kind;
  int source;
  std::vector<int> axes;
  double scale = 1;
  bool exact = false;  // Above, Below: equal to one of the sources along the reduced axes
};

struct Abstract {
  Range range;
  int number = -1;    // of the value
  bool data = false;  // depends on what the inputs hold, not only on sizes and places
  int squareOf = -1;  // number of the value of which this is the square
  std::vector<Fact> facts;
  std::vector<int> attainedAxes;  // along these together, some element is `attained`
  std::optional<double> attained;
  std::vector<int> sumAxes;  // along these together, elements (not negative) sum to at most sumBound
  std::optional<double> sumBound;
  // Point evaluation: some element has the low, the high end of the range.
  bool hitsLow = false, hitsHigh = false;
};

enum class Problem : uint8_t {
  Overflow,
  DivisionByZero,
  LogOfNegative,
  LogOfZero,
  RootOfNegative,
  InfinityMeetsItself,
  PowerOfNegative
};
struct Finding {
  const Expr *op = nullptr;
  Problem problem = Problem::Overflow;
  DType dtype = DType::F32;
  Range range;            // of the value that overflows, or of the operand that is wrong
  bool definite = false;  // every input in the ranges shows it (point evaluation)
};

/// What the inputs are. `points`: every array holds one value, or both ends of its range in every row.
struct Inputs {
  std::map<std::string, Range> ranges;  // by parameter
  std::set<std::string> mixed;          // points: arrays that hold both ends
  bool points = false;
};

class Analysis {
public:
  Analysis(const Function &function, const Sizes &sizes, const Inputs &inputs);
  /// Stops at the first finding, if `toTheEnd` is not set.
  void run();
  const std::vector<Finding> &findings() const { return findings_; }
  const std::vector<Range> &results() const { return results_; }

private:
  struct State {
    std::map<const Var *, Abstract> values;
    std::map<const Var *, Range> memory;  // what buffers and views hold
    std::map<const Var *, int> versions;
  };
  /// `v = alpha * v + delta` of a variable in a loop.
  struct Step {
    Range alpha, delta;
    bool linear = false;
  };

  // ---- AnalysisExpr.cpp
  Abstract eval(const Expr &expr);
  Abstract evalConstant(const Expr &expr);
  Abstract evalCast(const Expr &expr);
  Abstract evalBroadcast(const Expr &expr);
  Abstract evalTranspose(const Expr &expr);
  Abstract evalSelect(const Expr &expr);
  Abstract evalReduce(const Expr &expr);
  Abstract evalDot(const Expr &expr);
  Abstract evalLoad(const Expr &expr);
  Abstract evalCall(const Expr &expr);
  Abstract evalAll(const Expr &expr);  // of anything: the arguments' ranges together
  Range sizeOf(const Dim &dim);
  Range localSize(const std::string &name);
  Range elements(const Type &type, const std::vector<int> &axes);
  bool outside(const Access &access);
  int numberOf(const std::string &key);
  int fresh() { return nextNumber_++; }
  std::string keyOf(const Expr &expr, const std::vector<const Abstract *> &args) const;

  // ---- AnalysisOps.cpp
  Abstract evalElementwise(const Expr &expr);
  Range arithmetic(const Expr &expr, const std::vector<Abstract> &args, Abstract &out);
  Range sum(const Expr &expr, const Abstract &a, const Abstract &b, bool negate, Abstract &out);
  Range product(const Expr &expr, const Abstract &a, const Abstract &b, Abstract &out);
  Range ratio(const Expr &expr, const Abstract &a, const Abstract &b, Abstract &out);
  Range power(const Expr &expr, const Abstract &a, const Abstract &b);
  Range function(const Expr &expr, const Abstract &a, Abstract &out);
  Range logarithm(const Expr &expr, const Abstract &a, double (*log)(double));
  Range root(const Expr &expr, const Abstract &a, Abstract &out);
  static Range comparison(ElementwiseOp op, const Range &a, const Range &b);
  void keepHits(const Expr &expr, const std::vector<Abstract> &args, Abstract &out);
  /// The range with rounding errors of `dtype`; a finding if it leaves the dtype.
  Range checked(const Expr &expr, Range r, DType dtype, double relative, const Abstract &out);
  void found(const Expr &expr, Problem problem, DType dtype, const Range &range, bool definite);
  static bool appliesTo(const Fact &fact, const Abstract &source);

  // ---- AnalysisStmt.cpp
  void exec(const Block &block);
  void exec(const Stmt &stmt);
  void execFor(const Stmt &stmt);
  void execWhile(const Stmt &stmt);
  void execIf(const Stmt &stmt);
  void unroll(const Stmt &stmt, double start, double stop, double step);
  void loop(const Stmt &stmt, double trips, bool atLeastOnce, const Range &counter, const Range &first);
  void iteration(const Stmt &stmt, const Range &counter);
  bool grow(const State &before, const State &entry, double trips, bool widen, State &next);
  void assign(const Stmt &stmt);
  bool linearIn(const Expr &expr, const Var *var, Step &step);
  void storeTo(const Var *base, const Range &range);
  static void joinInto(State &into, const State &other, int &nextNumber);
  static void assignedIn(const Block &block, std::set<const Var *> &vars, std::set<const Var *> &memory);
  Abstract plain(const Range &range, bool data);

  const Function &function_;
  const Sizes &sizes_;
  const Inputs &inputs_;
  State state_;
  std::map<std::string, int> numbers_;
  int nextNumber_ = 0;
  std::vector<Finding> findings_;
  std::vector<Range> results_;
  int quiet_ = 0;  // inside of a loop whose ranges are not known yet
  std::map<const Var *, Step> steps_;
  std::map<const Var *, std::vector<Range>> tuples_;
  std::vector<Range> lastTuple_;  // results of the last call that had several
};

}  // namespace tessera::sema::numerics
