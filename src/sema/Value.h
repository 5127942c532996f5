// Values while checking: what an expression means to the compiler. Some are known now (integers, strings,
// dtypes, functions, schedules), the others are expressions of the checked program with the type the language
// gives them.
#pragma once
#include "frontend/AST.h"
#include "sema/Struct.h"
#include "shape/Claim.h"
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace tessera::sema {

struct BuiltinRow;
struct Callable;
struct ModuleScope;
struct Frame;
struct ScheduleValue;

/// How much of an axis of a tile is real: elements at or behind `end` lie outside of the tensor they came
/// from.
struct Limit {
  Dim end;                   // may be negative or larger than the axis
  bool zeroOutside = false;  // what lies outside is known to be 0
};

/// Stands for the extent of a tensor of host code that only run time knows.
inline const char *const kAnyExtent = "any";

enum class ValueKind : uint8_t {
  Poison,  // a message was given; everything made of it is poison too
  Absent,  // an argument that was not given
  None,
  Ellipsis,
  Bool,      // known
  Float,     // a known number; weak
  Int,       // a program integer: known (`sym` is a constant), a dimension, or a run-time Index; weak
  String,    // known text, or (host code) an expression
  DType,     // type.dtype and type.numerics
  TypeName,  // a type written as a value: `text` and items
  Array,     // a run-time scalar, tensor or tile
  View,
  Shared,
  HostTensor,
  HostShape,  // `x.shape` of items[0], a HostTensor: run time knows how many extents there are
  Tuple,
  List,
  Dict,
  Range,      // items: start, stop, step (Int)
  Enumerate,  // items[0] (HostTensor, a stack of structs, Zip)
  Zip,        // items: stacks of structs of one length
  Slice,      // a Load that is not loaded yet cannot occur; kept for `cp_async(dst, A[...])`
  Module,
  Builtin,
  Method,
  Function,
  Overloads,   // items: functions of one name, in the order of their definitions
  Partial,     // items: the function, a Tuple of its first arguments, a Dict of those with names
  Derivative,  // grad(callable, wrt=...); items: names of parameters (String); truth: with the value
  Transform,   // vmap(f, in_axes, out_axes), checkpoint(f): `text` says which; items: f, and what is given beside it
  Struct,      // items: its fields
  StructType,  // a struct's name, with its type arguments where they are given
  Schedule,
  Policy,
  Context,  // tile.context()
  Rng,      // a stream of random numbers
  State,    // a state object: `text`: the parameter that holds it, or empty
};

struct Value {
  ValueKind kind = ValueKind::Poison;
  Type type;                   // Array: the language's type (Scalar or Tensor), not the one it is carried in
  std::shared_ptr<Expr> expr;  // Array, HostTensor, run-time Int and String
  Dim sym;                     // Int: over dimensions and "%..." (run-time variables and queries)
  double number = 0;
  bool truth = false;
  bool unrolled = false;  // Range: static_range
  std::string text;       // String; Module: its path; the user's name of a known Int
  std::vector<Value>
      items;  // Tuple, List, Dict (keys and values in turn), Range; Method: the object, and the Overloads it may be
  std::vector<std::optional<Limit>> limits;  // Array: for each axis
  std::vector<Dim> implies;                  // a condition: these are at least 0 where it holds
  std::optional<shape::Formula> fact;        // a condition about integers: it holds exactly where this does
  Var *var = nullptr;                        // View, Shared
  const BuiltinRow *builtin = nullptr;
  const Callable *callable = nullptr;
  const ModuleScope *module = nullptr;
  std::shared_ptr<const Schedule> schedule;
  int rank = 0;                 // HostTensor: how many dimensions it is known to have; 0: any number
  int stackAxes = 0;            // HostTensor: axes in front of those that its declared type has
  std::optional<DType> madeOf;  // HostTensor: the dtype that it is known to have
  std::vector<Dim> madeAs;      // HostTensor: its extents where they are written, else kAnyExtent; or empty
  int handle = 0;  // values that are used up (Rng, State, a struct that is a state): which one it is; 0: any number of uses
  std::shared_ptr<const StructInstance> instance;  // Struct, StructType
  std::shared_ptr<const Value> inner;  // Derivative: what it is of, if that was made of a function itself
  Span declared;  // None: the parameter or field, `text`, that may be None; Derivative: where it is made

  bool isPoison() const { return kind == ValueKind::Poison; }
  bool given() const { return kind != ValueKind::Absent; }
  bool isKnownInt() const { return kind == ValueKind::Int && sym.isConstant(); }
  bool isArray() const { return kind == ValueKind::Array && type.kind == TypeKind::Tensor; }
  bool isScalar() const { return kind == ValueKind::Array && type.kind == TypeKind::Scalar; }
  bool isState() const { return kind == ValueKind::State || (kind == ValueKind::Struct && instance->info->isState); }
  bool isStack() const { return kind == ValueKind::Struct && !instance->stack.empty(); }
  bool isSequence() const { return kind == ValueKind::Tuple || kind == ValueKind::List; }
  const std::vector<Dim> &shape() const { return type.shape; }
  const Limit *limit(size_t axis) const { return axis < limits.size() && limits[axis] ? &*limits[axis] : nullptr; }

  static Value poison() { return {}; }
  static Value of(ValueKind kind) {
    Value v;
    v.kind = kind;
    return v;
  }
  static Value integer(Dim sym) {
    Value v = of(ValueKind::Int);
    v.sym = std::move(sym);
    return v;
  }
  static Value real(double number) {
    Value v = of(ValueKind::Float);
    v.number = number;
    return v;
  }
  static Value boolean(bool truth) {
    Value v = of(ValueKind::Bool);
    v.truth = truth;
    return v;
  }
  static Value string(std::string text) {
    Value v = of(ValueKind::String);
    v.text = std::move(text);
    return v;
  }
  static Value dtype(DType dtype, Numerics numerics = {}) {
    Value v = of(ValueKind::DType);
    v.type.dtype = dtype;
    v.type.numerics = numerics;
    return v;
  }
  static Value tuple(std::vector<Value> items) {
    Value v = of(ValueKind::Tuple);
    v.items = std::move(items);
    return v;
  }
};

/// A function of the program: a definition with the module it stands in, or a lambda with its surroundings.
struct Callable {
  const StructInfo *makes = nullptr;  // a method without a struct, `Linear.init(rng)`: it makes one
  bool isMixed = false;               // `mixed(f, policy)`: products round what they take to this
  Type mixed;                         // ... dtype and numerics
  std::string name;
  const ast::FuncDef *def = nullptr;
  const ast::LambdaExpr *lambda = nullptr;
  ModuleScope *module = nullptr;
  std::shared_ptr<Frame> closure;
  bool isKernel = false;
  std::shared_ptr<const Schedule> schedule;  // of `with_schedule`, in place of the decorator's
  Span nameSpan;
  bool isOverload = false;                 // @overload
  bool isCustomVjp = false;                // @custom_vjp
  bool isCustomJvp = false;                // @custom_jvp
  bool isCheckpoint = false;               // @checkpoint
  bool isModel = false;                    // @model
  std::vector<std::string> keeps;          // ... of it
  bool isTest = false;                     // @test
  const StructInfo *structure = nullptr;   // of a method
  Choices choices;                         // of an entry point that is a variant
  mutable std::map<std::string, const Callable *> variants;  // by the end of their names
  mutable const Callable *vjp = nullptr, *jvp = nullptr;  // of a function with @custom_vjp, @custom_jvp: its rule
  mutable Function *checked = nullptr;           // the entry point made of it
  mutable std::map<std::string, DeclaredType> parameterTrees;  // of the entry point
  mutable DeclaredType resultTree;                             // of the entry point
  mutable std::map<std::string, Dim> counts;  // of the entry point's caches: how many rows each has behind it
  mutable bool returnsState = false;  // a result of the entry point is a state object, which stays in its parameter
  mutable Span raises;                // valid: the entry point always raises, here, and there is none
  mutable bool failed = false, active = false;
  mutable bool inHost = false;        // no tensor function is made of it, but host code runs it (RunByHost.cpp)
  mutable bool asksTraining = false;  // it, or what it calls, depends on `is_training()`

  /// What it computes, whatever it is called and whatever schedule it has.
  const void *body() const { return def ? static_cast<const void *>(def) : lambda; }
};

/// What a dimension variable of a traced function got its value from.
struct DimOrigin {
  Span span;
  std::string text;  // "`x`", "the field `wo` of `p`"
};

/// A local name: what it stands for now.
struct Binding {
  Value value;
  Var *var = nullptr;     // where it lives at run time; null: known to the compiler
  int block = 0;          // the block that declared it
  bool borrowed = false;  // the variable is the caller's
  bool parts = false;     // a struct or tuple whose parts have variables of their own, to be rebound
  Span span;
  Span unassigned;  // valid: bound in only some of the ways that lead here
  Span deleted;     // valid: `del` took it away
  bool isBound() const { return !unassigned.valid() && !deleted.valid(); }
};
/// A loop around a statement, and how `break` leaves it.
struct LoopFrame {
  int writtenOut = -1;   // of a loop that the compiler writes out: how many conditions of run time are around it
  Var *broke = nullptr;  // of a loop of run time with an `else`: whether it was left
};
enum class Jump : uint8_t { None, Break, Continue };
/// The statements of a block from one on.
struct Continuation {
  const ast::Block *block = nullptr;
  size_t next = 0;
};
/// What loops of host code return: in variables.
struct LoopReturn {
  Value value;
  Var *done = nullptr;  // whether it is there
  std::vector<Var *> vars;
  const ast::ReturnStmt *stmt = nullptr;  // the first of them
};
struct Frame {
  const Callable *function = nullptr;
  ModuleScope *module = nullptr;
  std::shared_ptr<Frame> parent;  // of a nested function
  std::map<std::string, Binding> names;
  std::map<std::string, Dim> dims;  // dimension variables of the function
  std::map<std::string, DimOrigin> dimOrigins;
  std::set<std::string> generics, dtypeGenerics;  // traced functions, structs: `[D]`, `[T: dtype]`
  bool returned = false;
  std::vector<std::pair<std::string, Value>>
      states;                  // entry points: parameters that are structs and states, as they came in
  std::vector<Value> results;  // inlined calls: what was returned
  bool inlined = false;
  int conditionDepth = 0;  // of the call
  Effects effects;         // what was done so far
  int quiet = 0;           // inside of `with effects.suspend("io")`
  std::vector<LoopFrame> loops;
  std::vector<Continuation> rest;  // what follows the statement that is being checked
  std::shared_ptr<LoopReturn> loopReturn;  // of the loops around this place
  int ways = 0;                    // conditions around this place on each way through which the function returns
  const ast::ReturnStmt *lastReturn = nullptr;  // that was met
  Jump jump = Jump::None;                       // on the way out of a turn of a loop that is written out
};

struct ModuleScope {
  std::string path;  // "tessera.nn"; empty for the main module
  const ast::Module *ast = nullptr;
  std::map<std::string, Value> names;
  std::map<std::string, Span> spans;
  std::map<std::string, const ast::AssignStmt *> late;  // what a function has to run for: each function that reads it makes it (LateConstants.cpp)
  bool loading = false;
  mutable std::optional<std::set<std::string>> hostFunctions;  // its functions that are host code, once somebody asked
};

}  // namespace tessera::sema
