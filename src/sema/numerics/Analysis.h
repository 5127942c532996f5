// Interval analysis of a checked function: what every value can be if the inputs lie in given ranges, and the
// first operation that may overflow, divide by zero or make a NaN. Besides its range a value has a number
// (equal numbers: equal values) and facts that relate it to others: `max(x)` is at least each `x`, a sum of
// squares bounds its terms, and what is known in each of the cases "`max(a, b)` is a", "it is b". Elements of a
// tile outside of the tensor do not exist: they are masked.
#pragma once
#include "sema/Checked.h"
#include "sema/numerics/Sizes.h"
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace tessera::sema::numerics {

/// Rounding errors of a sum are counted for at most so many terms (V3).
inline constexpr double kMostRounded = 1048576;

std::vector<int> identityAxes(size_t rank);
/// Axes of a source seen through a value whose axis i became `to[i]`.
std::vector<int> through(const std::vector<int> &axes, const std::vector<int> &to);

enum class FactKind : uint8_t {
  Above,         // at least the source, elementwise
  Below,         // at most the source
  AboveSum,      // at least scale * the sum of sources, which are not negative
  AboveSquares,  // at least scale * the sum of the sources' squares
  AboveRoot,     // at least scale * |source|
  InverseRoot,   // at most 1 / (scale * |source|)
  WithinSum,     // its magnitude is at most scale * the sum of sources, which are not negative
};
/// The case "the maximum that has this number is its first (0), its second (1) operand" at each place of the
/// maximum. axes[i]: the axis of this value that is its axis i.
struct Choice {
  int maximum = -1, operand = 0;
  std::vector<int> axes;
  bool operator==(const Choice &) const = default;
};

/// About this value and the value number `source`. axes[i] is the axis of this value that is axis i of the
/// source; -1: the source was reduced along it, the fact holds for each of its elements.
struct Fact {
  FactKind kind;
  int source;
  std::vector<int> axes;
  double scale = 1;
  bool exact = false;  // Above, Below: equal to one of the sources along the reduced axes
  Choice choice = {};  // exact only in this case
};

/// Known in a case: the value is at least `least`; if `along` has axes, some element along these is.
struct InCase {
  Choice choice;
  std::vector<int> along;
  double least = 0;
};

struct Abstract {
  Range range;
  int number = -1;    // of the value
  bool data = false;  // depends on what the inputs hold, not only on sizes and places
  int squareOf = -1;  // number of the value of which this is the square
  int root = -1;      // number of the value that was broadcast to this one; -1: none was
  std::vector<int> rootAxes;  // rootAxes[i]: the axis of this value that is its axis i
  std::vector<Fact> facts;
  std::vector<InCase> cases;
  std::optional<Dim> dim;  // it is this dimension
  std::optional<std::pair<Range, Dim>> totalOf;  // a sum of so many elements in the range
  int roundedFrom = -1;       // number of the value, not negative, that was rounded to this one
  double roundedBy = 1;       // ... which is at most this many times as large
  std::vector<int> finiteAxes;  // along each of these some element is no infinity
  std::vector<int> attainedAxes;  // along these together, some element is `attained`
  std::optional<double> attained;
  std::vector<int> sumAxes;  // along these together, elements (not negative) sum to at most sumBound
  std::optional<double> sumBound;
  // Point evaluation: some element has the low, the high end of the range.
  bool hitsLow = false, hitsHigh = false;
  std::optional<double> share;  // ... of each row that is the high end; the others are the low end

  int rootNumber() const { return root >= 0 ? root : number; }
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
  // Points: arrays that hold both ends of their range in each row, along the last axis: the high end so often.
  std::map<std::string, double> mixed;
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
  /// What an iteration did to a variable so far: v became alpha * v + delta.
  struct Step {
    Range alpha = Range::point(1), delta = Range::point(0);
    bool linear = true;
    int factor = -1;               // number of alpha's value, before it was broadcast; -1: not one value
    std::vector<int> factorAxes;   // axes of v that are its axes
    std::vector<Fact> deltaFacts;  // of delta
    int deltaNumber = -1;
  };
  using Steps = std::map<const Var *, Step>;
  /// small <= scale * big in magnitude; axes[i]: the axis of `big` that is axis i of `small`.
  struct Ratio {
    const Var *small, *big;
    std::vector<int> axes;
    double scale;
  };

  // ---- AnalysisExpr.cpp
  Abstract eval(const Expr &expr);
  Abstract evalConstant(const Expr &expr);
  Abstract evalCast(const Expr &expr);
  Abstract evalBroadcast(const Expr &expr);
  Abstract evalTranspose(const Expr &expr);
  Abstract evalSelect(const Expr &expr);
  Range combinationOf(const Expr &expr, ReduceOp op, const Range &each, const Range &count, Abstract &out);
  Abstract evalScan(const Expr &expr);
  Abstract evalWarp(const Expr &expr);
  Abstract evalReduce(const Expr &expr);
  Abstract evalDot(const Expr &expr);
  Abstract evalLoad(const Expr &expr);
  Abstract evalCall(const Expr &expr);
  Abstract evalAll(const Expr &expr);  // of anything: the arguments' ranges together
  std::vector<int> someFinite(const Expr &select);
  void noteTotal(const Expr &sum, const Abstract &in, const Range &count, Abstract &out);
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
  Range logarithm(const Expr &expr, const Abstract &a, double (*log)(double), double pole);
  Range root(const Expr &expr, const Abstract &a, Abstract &out);
  static Range comparison(ElementwiseOp op, const Range &a, const Range &b);
  void keepHits(const Expr &expr, const std::vector<Abstract> &args, Abstract &out);
  /// The range with rounding errors of `dtype`; a finding if it leaves the dtype.
  Range checked(const Expr &expr, Range r, DType dtype, double relative, const Abstract &out);
  void found(const Expr &expr, Problem problem, DType dtype, const Range &range, bool definite);
  static bool appliesTo(const Fact &fact, const Abstract &source);

  // ---- AnalysisCases.cpp
  static void factsOfMaximum(const Expr &expr, const std::vector<Abstract> &args, Abstract &out);
  static void casesOfDifference(const Abstract &a, const Abstract &b, Abstract &out);
  static void casesOfBoth(const Abstract &a, const Abstract &b, bool product, DType dtype, Abstract &out);
  static void casesOfReduction(const Abstract &in, const std::vector<int> &reduced,
                               const std::vector<int> &axes, Abstract &out);
  static void moveCases(Abstract &value, const std::vector<int> &to);
  /// What holds in both cases of a maximum holds.
  static Range withCases(const Abstract &value, Range r);

  // ---- AnalysisStmt.cpp
  void exec(const Block &block);
  void exec(const Stmt &stmt);
  void execFor(const Stmt &stmt);
  void execWhile(const Stmt &stmt);
  void execIf(const Stmt &stmt);
  void assign(const Stmt &stmt);
  void storeTo(const Var *base, const Range &range);
  static void joinInto(State &into, const State &other, int &nextNumber);

  // ---- AnalysisLoop.cpp
  void unroll(const Stmt &stmt, double start, double stop, double step);
  void loop(const Stmt &stmt, double trips, bool atLeastOnce, const Range &counter, const Range &first);
  void iteration(const Stmt &stmt, const Range &counter);
  bool grow(const State &before, const State &entry, double trips, bool widen, State &next);
  static std::optional<Range> afterTrips(const Range &from, const Step &step, double trips);
  static Step repeated(const Step &step, double trips);
  bool mentions(const Expr &expr, const Var *var) const;
  Step linearIn(const Expr &expr, const Var *var);
  void noteStep(const Stmt &stmt);
  void noteLet(const Stmt &stmt);
  static Step joined(const Step &a, const Step &b);
  static void joinSteps(Steps &into, const Steps &other);
  std::vector<Ratio> ratiosOf(const Steps &steps, const State &before, double trips) const;
  void keepRatios(const std::vector<Ratio> &first, const std::vector<Ratio> &others);
  static std::optional<Ratio> ratioOf(const Step &small, const Step &big);
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
  Steps steps_;
  std::map<const Var *, Steps> letSteps_;  // by names bound once: of the variables that their values mention
  std::set<const Var *> loopVars_;         // assigned in the loops around
  std::map<const Var *, const Expr *> lets_;  // what names stand for, since the last assignment
  int firstAlong_ = -1;                    // the index along this axis counts as 0
  std::map<const Var *, std::vector<Range>> tuples_;
  std::vector<Range> lastTuple_;  // results of the last call that had several
};

}  // namespace tessera::sema::numerics
