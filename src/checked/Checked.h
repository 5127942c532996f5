// The checked program: what the checker hands to the reference interpreter and to irgen.
//
// It is small and explicit. Names are resolved, generics and calls of tensor functions are traced away
// (a callee's body stands in its caller), overloads, operators, tuples, comprehensions over constants and
// standard-library helpers are gone. Every conversion of a dtype is a Cast, every broadcast a Broadcast,
// every mask a Select: no phase after this one inserts or removes a rounding.
//
// Numerics: a value of a dtype under 32 bits is computed in its accumulate type (`x + b` of bf16 is
// Elementwise(Add, Cast(x, f32), Cast(b, f32)) of dtype f32) and cast back where it leaves: at a store,
// a result, an operand of a Dot, an explicit cast; after each operation under @round_at(each_op).
#pragma once
#include "checked/Effects.h"
#include "checked/Expr.h"
#include "shape/Claim.h"
#include <map>

namespace tessera::checked {

// ---------------------------------------------------------------- statements

enum class StmtKind : uint8_t {
  Let,         // var = value (first binding). What both sides of a branch bind is in scope after it
  Assign,      // var = value (rebinding)
  Store,       // access = value. `oncePerGroup`: one lane does it
  Atomic,      // access = combine(access, value) as one step for each element. `values`: where the value is an array, the
               // index of its elements along each dimension: an Index, or an i64 array of its shape; what is outside is left
               // out, and `access` says what may be reached. var: what was there before, of a scalar that each lane does.
  For,         // for var in range(start, stop, step): body.   Index var; step > 0
  While, If,   // condition: scalar bool
  Break, Continue,  // host code only
  AllocShared, // var (Shared); count: bytes, to a multiple of which it begins, or 0
  AsyncCopy,   // access (Shared) <- source (View access), asynchronously, by the whole group
  CommitGroup, WaitGroup /* count */, Barrier,
  Return,      // values, in the order of Function::results (kernels: already stored; values empty)
  Evaluate,    // value for its effect (a Call)
  Print,       // host: value is a Format
  SaveNpy,     // host: value is the path, extra the tensor
  Assert,      // condition; value (may be null) is the message
};
struct Stmt;
using Block = std::vector<std::unique_ptr<Stmt>>;
struct Stmt {
  StmtKind kind;
  Span span;
  Var *var = nullptr;
  ExprPtr value, extra;
  ExprPtr condition, start, stop, step;
  Access access, source;
  bool oncePerGroup = false;
  ElementwiseOp combine{};  // Atomic: one that support/Atomics.h has
  int64_t count = 0;
  Block body, otherwise;
  std::vector<ExprPtr> values;
};

// ---------------------------------------------------------------- functions

enum class FunctionKind : uint8_t { Kernel, Tensor, Host };
enum class ParamMode : uint8_t { In, Out, InOut };
struct Param {
  Var *var;
  ParamMode mode = ParamMode::In;
  bool keywordOnly = false;
  bool isResult = false;        // made by the compiler: where a returned tile or scalar goes
  ExprPtr defaultValue;         // Constant, or null
  int scalesOf = -1;            // the parameter (by its place) whose channels these are the scales of
};
struct FunctionResult {
  std::string name;             // "result", "result_0", or the in-out parameter's name
  Type type;                    // Tensor (shape [] for a scalar)
  int param = -1;               // kernels: index of the parameter that holds it
};
/// A fact that the entry function checks: left (relation) right.
using shape::Relation;
struct Requirement {
  Dim left, right;
  Relation relation = Relation::Eq;
  std::string text;             // as the user wrote it, or why it is needed
  Span span;
  shape::Claim claim() const { return {left, relation, right}; }
};

struct Schedule {
  std::map<std::string, int64_t> sizes;    // "m", "n", "k", "warps", "stages", "vector", "split_k", ...
  std::map<std::string, std::string> options;  // "swizzle": "xor", "order": ...
  std::map<std::string, std::vector<int64_t>> space;  // @kernel.autotune
  std::map<std::string, Span> places;      // where each of them is written; for messages
  bool empty() const { return sizes.empty() && options.empty() && space.empty(); }
};
/// The options of a function with `@custom_vjp` or `@custom_jvp` that name the function that is its rule.
inline constexpr const char *kRule = "vjp", *kForwardRule = "jvp";
/// The option of a function with `@checkpoint`: a derivative keeps the arguments of its calls, and computes the rest again.
inline constexpr const char *kCheckpoint = "checkpoint";

enum class GridKind : uint8_t {
  Output,    // one group for each tile of the output
  Explicit,  // @kernel(grid=..., group=...)
  Lanes,     // one lane for each index below `laneExtent` (tile.linear_id with its guard)
};
struct KernelInfo {
  GridKind grid = GridKind::Output;
  int outputParam = -1;              // Output: the parameter whose tiles make the grid
  std::vector<Dim> tileShape;        // Output: extent of the tile along each output dimension (1: one index owned)
  std::vector<Dim> gridDims;         // Explicit
  int64_t groupSize = 0;             // lanes a group; 0: the compiler chooses
  Dim laneExtent;                    // Lanes
  std::vector<std::string> contextSizes;  // fields of tile.context() that the body uses; each is the Dim var "T.<field>"
  Schedule schedule;                 // as written; sizes absent are the compiler's choice
  bool usesLanes = false;            // LocalId, LaneId or LinearId occur
};

/// Something that is checked but that no later phase can compile or run.
struct Later {
  std::string what;
  Span span;
};
/// @verify.numerics(bounded=...): the ranges of the inputs for which nothing may overflow or become NaN.
struct ValueBounds {
  double low = 0, high = 0;
};
struct NumericsClaim {
  Span span;
  std::optional<ValueBounds> all;             // of the parameters without bounds of their own
  std::map<std::string, ValueBounds> bounds;  // by parameter
  Span signatureEnd;                          // where a fact may be added
  bool hasFacts = false;                      // there is a `where`
};

/// An `assert` of a test that only a run decides. Whether it holds, and what it compares, are results of the function;
/// -1: that side is known, and its text says all.
struct TestClaim {
  Span span, condition;
  std::string comparison;             // "==", "allclose"; empty: the condition is no comparison
  int held = -1, left = -1, right = -1;
  std::string leftText, rightText, message;
};
/// What `@test(N=7)`, `@benchmark(N=1000)` and `@specialize(N=64)` give to dimensions, in the order in which they stand there.
using RunSizes = std::vector<std::pair<std::string, int64_t>>;
/// What `@require(workspace <= 4 * GiB, B=32)` limits or demands: bytes of temporaries of a call; operations on floats; on a GPU
/// the shared memory of a group, in bytes; that tensor cores do every product; that the lanes' registers are enough.
enum class Resource : uint8_t { Workspace, Flops, SharedMemory, TensorCore, NoSpill };
struct ResourceClaim {
  Resource of = Resource::Workspace;
  Dim most;        // of what is limited
  RunSizes sizes;  // of some dimensions; it is claimed for all sizes of the others
  Span span;       // the comparison, or the word
};

/// `@specialize(B=32)`: the entry point that is compiled for these sizes. It has the parameters of the general one.
struct Special {
  std::string name;
  RunSizes sizes;
};

/// `@checkpoint(budget=64 * MiB, B=32)`: of each call a derivative keeps values of so many bytes, at these sizes.
struct KeptBudget {
  int64_t bytes = 0;
  RunSizes sizes;
  Span span;
};

struct Function {
  std::string name;             // the entry point's name
  FunctionKind kind = FunctionKind::Tensor;
  Span span;
  std::string signature;        // one line, as written, for comments
  std::string docstring;
  std::vector<std::string> dims;      // dimension variables, in order of first use in the parameters
  std::vector<Param> params;
  std::vector<FunctionResult> results;
  std::vector<Requirement> requirements;  // where facts, and what the checker left undecided
  std::vector<std::unique_ptr<Var>> vars;  // owns every Var of the function
  Block body;
  Effects effects;
  KernelInfo kernel;            // kernels
  bool deterministic = false;   // @deterministic
  std::vector<Later> later;     // not empty: phases after the checker have to refuse this function
  std::optional<NumericsClaim> claim;  // @verify.numerics
  std::vector<ResourceClaim> resources;  // @require
  std::vector<std::string> keeps;        // @checkpoint(keep=...): names of values that a derivative keeps, too
  std::optional<KeptBudget> budget;      // @checkpoint(budget=...)
  std::vector<RunSizes> tests;       // one for each `@test` above it; none: it is no test
  std::vector<RunSizes> benchmarks;  // one for each `@benchmark`
  std::vector<Special> specials;     // that it hands its calls on to, the first whose sizes are those of the call
  size_t assertions = 0;             // of a test, those too that are known to hold
  std::vector<TestClaim> claims;     // of a test: what has to be run
  bool ofCall = false;           // made for one call in a tensor function, which autodiff::expand writes out; no entry point
  bool isTest() const { return !tests.empty(); }
};

struct Program {
  std::vector<std::unique_ptr<Function>> functions;  // entry points, in order of the source; callees first
  const Function *find(std::string_view name) const;
};

/// A deterministic text of the checked program, for tests and `--emit=checked`.
std::string dump(const Program &program);
std::string dump(const Function &function);

}  // namespace tessera::checked
