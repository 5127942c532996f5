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
#include "shape/Claim.h"
#include "checked/Effects.h"
#include "support/DType.h"
#include "support/Dim.h"
#include "support/Ops.h"
#include "support/Span.h"
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace tessera::checked {

enum class Rounding : uint8_t { NearestEven, TowardZero, Up, Down, Stochastic };
enum class Denormals : uint8_t { Keep, Flush };
enum class PolicyField : uint8_t { Accumulate, Compute, Round, RoundAt, Saturate, Denormals, LossScale, PerChannel };
/// What rides on a dtype: bf16 @accum(f32) @saturate. What it means, and which fields go together: Policy.h.
struct Numerics {
  std::optional<DType> accumulate, compute;
  Rounding rounding = Rounding::NearestEven;
  bool roundEachOp = false;
  bool saturate = false;
  Denormals denormals = Denormals::Keep;
  int lossScale = 0;     // memory holds 2^lossScale times the value
  int perChannel = -1;   // memory holds integers; one scale for each index of this axis stands beside them
  uint16_t stated = 0;   // bit by PolicyField: what was written, also where it says what holds anyway
  bool operator==(const Numerics &) const = default;
};

enum class TypeKind : uint8_t {
  Index,       // a program integer: sizes, offsets, loop counters (64 bits, signed)
  Scalar,      // one value of `dtype`
  Tensor,      // an immutable array value of `dtype` and `shape`: a tensor, or a tile inside a kernel
  View,        // a kernel's handle of a tensor in global memory: accessed by Load and Store
  Shared,      // a buffer in shared memory (alloc_shared): accessed by Load and Store
  HostTensor,  // host code: a tensor whose dtype and shape are known when it runs
  Stream,      // a parameter that is a stream of random numbers: its key, a scalar of i64 wherever it is used
  State,       // a KVCache of `dtype` and `shape`
  String, None,
  Tuple,       // results of a Call only
};
struct Type {
  TypeKind kind = TypeKind::None;
  DType dtype = DType::F32;   // Scalar, Tensor, View, Shared
  Numerics numerics;          // Scalar, Tensor, View
  std::vector<Dim> shape;     // Tensor, View, Shared; Index: {H} of a parameter `heads: Const[H]`, whose value is H
  std::vector<Type> items;    // Tuple
  bool rollingWindow = false; // State: what is appended behind the end takes the place of the oldest
  bool isArray() const { return kind == TypeKind::Tensor; }
  std::string str() const;    // as a user would write it: Tensor[M, K, bf16 @accum(f32)]
};

struct Function;
struct Expr;
using ExprPtr = std::unique_ptr<Expr>;

/// A local name, parameter or buffer. Assigned once unless `reassigned`.
struct Var {
  uint32_t id;        // unique in its function
  std::string name;   // the user's name (not unique)
  Type type;
  Span span;
  bool reassigned = false;  // some Assign rebinds it
  bool varying = false;     // kernels: may differ between lanes of a group (depends on a lane query);
                            // elsewhere: between devices (depends on the place in the mesh)
  std::string swizzle;      // Shared: "" or "xor"
};

// ---------------------------------------------------------------- expressions

enum class ExprKind : uint8_t {
  Constant,     // a literal of a Scalar or Index type: `value`
  String,       // host code: `text`
  DimValue,     // Index: the value of `dim`
  VarRef,       // `var` (never a View or Shared: those occur in `access` only)
  Elementwise,  // `op`(args): args are scalars or arrays of exactly this shape; one dtype (Select: bool first)
  Cast,         // args[0] as this type's dtype, rounding by this type's numerics (Index <-> ints too). What is rounded
                //   by chance is a value of the dtype already
  Broadcast,    // args[0] (array) to this shape; axes[i]: which result axis axis i of the argument becomes;
                //   an argument axis has extent 1 or the result's. Result axes not named are new.
  Reshape,      // args[0] in row-major order
  Transpose,    // result axis i is argument axis axes[i]
  Reduce,       // `reduceOp` over `axes` of args[0] (removed from the shape); carried in this type's dtype
  Dot,          // args[0] [..., M, K] times args[1] [..., K, N], products added up in this type's dtype
  Full,         // args[0] (scalar) everywhere in this shape
  Table,        // args, constants of this dtype, as an array of this shape, in row-major order
  Iota,         // the index along axes[0], dtype i32 or i64, this shape
  Load,         // `access`: a scalar if every part is a Point, else an array (Points dropped)
  Concat,       // args along axes[0]
  Window,       // args[0] with axes [size, count] in the place of axis axes[0]: element (k, i) is what stands there at
                //   i * axes[1] + k * axes[2], proved in bounds
  Gather,       // args[0] at the places args[1] (i64) of axis axes[0]; axes[1 + i]: which result axis axis i of
                //   args[1] is. What lies outside of the axis is 0
  ScatterAdd,   // zeros with args[0] added at the places args[1] (i64) of axis axes[0], in their order; axes[1 + i]: which
                //   axis of args[0] axis i of args[1] is. What lies outside of the axis is dropped. Carried in this
                //   type's dtype, which is that of args[0]
  Argsort,      // for each row along the last axis of args[0] the places (i64) of its elements in rising order, in falling
                //   order if axes[0] is 1: a NaN last, what is equal as it came
  Slice,        // args[0] (array value, not a view) by `access.parts` (no masks: proved in bounds)
  Query,        // `query` of axis `queryAxis`: Index
  Call,         // `callee`(args): a kernel or tensor function called from host code, or a kernel called from a
                //   tensor function. One result: that type; several: a Tuple, taken apart by TupleItem
  TupleItem,    // item `queryAxis` of args[0]
  Derivative,   // the derivatives of `callee`, at args, by its parameters axes[i]: a type like that parameter's for
                //   each, behind the value of `callee` if queryAxis is 1; several: a Tuple. Nothing below computes
                //   it yet: a function with one has it in `Function::later`
  HostShape,    // host: extent `queryAxis` of the HostTensor args[0] (Index)
  HostRank,     // host: how many extents the HostTensor args[0] has (Index)
  HostItem,     // host: row args[1] of the HostTensor args[0], or the value of a 0-d one if no args[1]
  LoadNpy,      // host: args[0] path -> HostTensor
  HostCall,     // host: the function `text` of support/HostFunctions.def, of args
  Format,       // host: parts of an f-string / str(): args interleaved with `texts`, formats in `formats`
  Opaque,       // what only the checker knows (a collective): `text` of args, and of the axis in `nameHint`.
                //   A function with one has an entry in `later`
};

enum class Query : uint8_t {
  Origin,     // offset of this group's tile along output dimension queryAxis
  GroupId, GroupSize, LocalId, LaneId, LinearId,  // LinearId: GroupId(0) * GroupSize + LocalId
  GroupCount,
};

/// One index of an access: a point (drops the dimension) or `size` elements from `offset`, `step` apart.
struct IndexPart {
  bool isPoint = false;
  ExprPtr offset;      // Index; null: 0
  Dim size;            // ranges: how many elements the tile has along this dimension
  int64_t step = 1;
  bool inBounds = false;  // proved: no mask needed
};
/// Which elements of a View or Shared: outside the tensor reads give `other` (zero if null), stores do nothing.
struct Access {
  Var *base = nullptr;
  std::vector<IndexPart> parts;  // one for each dimension of base
  ExprPtr other;                 // scalar of base's dtype, or null
};

struct Expr {
  ExprKind kind;
  Type type;
  Span span;
  std::vector<ExprPtr> args;
  std::variant<std::monostate, double, int64_t, bool> value;  // Constant
  std::string text;                                           // String
  Dim dim;                                                    // DimValue; Constant Index: with the names it has
  Var *var = nullptr;                                         // VarRef
  ElementwiseOp op{};                                         // Elementwise
  ReduceOp reduceOp{};                                        // Reduce
  std::vector<int> axes;                                      // Broadcast, Transpose, Reduce, Iota, Concat
  Access access;                                              // Load, Slice
  Query query{};                                              // Query
  int queryAxis = 0;
  const Function *callee = nullptr;                           // Call
  std::vector<std::string> texts, formats;                    // Format: texts.size() == args.size() + 1
  bool ofLimit = false;  // Select: keeps what lies outside of a tensor out of a reduction or product
  std::string nameHint;  // what the user called this value where it has no Var of its own; may be empty
};

// ---------------------------------------------------------------- statements

enum class StmtKind : uint8_t {
  Let,         // var = value (first binding). What both sides of a branch bind is in scope after it
  Assign,      // var = value (rebinding)
  Store,       // access = value. `oncePerGroup`: one lane does it
  For,         // for var in range(start, stop, step): body.   Index var; step > 0
  While, If,   // condition: scalar bool
  Break, Continue,  // host code only
  AllocShared, // var (Shared)
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
/// What `@test(N=7)` and `@benchmark(N=1000)` give to dimensions, in the order in which they stand there.
using RunSizes = std::vector<std::pair<std::string, int64_t>>;

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
  std::vector<RunSizes> tests;       // one for each `@test` above it; none: it is no test
  std::vector<RunSizes> benchmarks;  // one for each `@benchmark`
  size_t assertions = 0;             // of a test, those too that are known to hold
  std::vector<TestClaim> claims;     // of a test: what has to be run
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
