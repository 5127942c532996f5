// What the checker knows while it works. Its functions are free and take a Context; they are grouped in rooms, each with a
// header: modules, trace, calls, types, arrays, kernels, policies, effects, host, claims.
#pragma once
#include "diag/Diagnostic.h"
#include "sema/CallDepth.h"
#include "sema/Check.h"
#include "sema/Value.h"
#include "shape/Facts.h"
#include <deque>
#include <map>
#include <set>
#include <tuple>

namespace tessera::sema {

struct ModelTrace;
struct ArrayWork;

/// A function that is being checked or traced: where it was called, and what with.
struct TracedCall {
  const Callable *callable = nullptr;
  Span span;                    // of the call; invalid: an entry point
  std::vector<Span> arguments;  // for each parameter
};

/// A value that is used up.
struct Spent {
  Span span;
  std::string by;
  bool maybe = false;  // in one of two branches only
};
using SpentValues = std::map<int, Spent>;  // by handle

/// A collective that all devices along the axis get to, or a call that does one.
struct DoneCollective {
  std::string what, axis;
  Span span;
};
/// What only some devices do.
struct Divergence {
  Span cause;                        // valid: only some do the rest of this iteration, because of this condition
  bool leftLoop = false;             // ... and the other iterations
  std::vector<DoneCollective> done;  // collectives that all of them get to, in the order of the text
};

/// Where a loop ends, and by how much its counter goes on.
struct LoopEnd {
  Dim stop, step;
};

/// What is known of the function that is being checked. It is moved away while another function is checked
/// (enterFunction, leaveFunction).
struct FunctionState {
  Function *fn = nullptr;
  Block *block = nullptr;  // where statements are appended
  std::shared_ptr<Frame> frame;
  shape::Facts facts;
  int varyingDepth = 0, conditionDepth = 0;
  std::shared_ptr<ModelTrace> model;     // a model is traced: where its parameters come from
  bool isTraining = false;               // a derivative is taken of it: `is_training()`
  const Callable *assumed = nullptr;     // nothing calls it: it is traced as if something did, which knows its facts
  std::optional<Type> mixed;             // inside of `mixed(f, policy)`: what products round to
  std::vector<TracedCall> calls;         // the entry point, and what is being traced
  std::map<std::string, Var *> symVars;  // "%3" -> its variable
  std::map<Var *, Value> varValues;      // language type and limits of what a variable holds
  std::set<Var *> rebindable;
  std::map<const Var *, size_t> heldWidths;  // of lists that grow: how many numbers their tuples have, 0 for numbers
  std::set<const Var *> otherDTypes;  // of tensors of host code that are rebound: those that get other dtypes than they had
  std::map<const Var *, std::vector<Dim>> keptExtents;  // of tensors of host code that are rebound: what all that they get have in common
  std::map<Var *, int> temps;                 // not named by the user, with their blocks
  std::optional<std::vector<Type>> declared;  // types of the parts of the result
  std::optional<DeclaredType> declaredTree;   // the result as it is declared
  std::optional<DeclaredType> resultTree;     // ... and as it is returned
  std::vector<Span> declaredSpans;
  std::vector<ExprPtr> asserted;  // of a test: what its assertions keep
  std::vector<Dim> outputShape;
  Span linearSpan;
  bool lanesKnown = false, lanesGiven = false;      // by a guard; by @kernel(lanes=)
  std::vector<int64_t> groupExtents;                // of @kernel(group=(32, 8)); empty: one number of lanes
  std::vector<size_t> loopMarks;                    // how many variables there were where loops and branches began
  std::vector<std::optional<shape::Formula>> path;  // conditions around this place; nothing: run time decides
  std::vector<shape::Formula> chosen;  // of the choices around this operand, which is computed only where they hold
  Divergence divergence;
  std::vector<Span> varyingCauses;         // conditions and loop bounds that lanes or devices disagree about
  std::map<std::string, Span> loopsByOne;  // counters of loops that go on by 1: the range
  std::set<std::string> counters;          // of loops whose bounds are known
  std::set<std::string> ofData;            // integers that are made of elements of tensors, in dimensions
  std::map<std::string, LoopEnd> dataEnds;  // counters of loops of kernels that end at data
  std::set<Var *> loaded, stored;          // views
  std::map<const ast::Expr *, Value> operands;  // of expressions in host code: those that are evaluated before the whole
  std::vector<const ast::Expr *> operandsInTurn;
  std::map<const ast::AssignStmt *, Value> constants;  // of module level, which are made where the function begins
  std::shared_ptr<ArrayWork> arrayWork;         // the function is made of such an expression
  bool inArrayWork = false;                     // ... or of a call in one
};

/// What was traced, by definition or lambda, and functions that were defined inside of others.
struct Reached {
  std::set<const void *> traced;
  std::set<const void *> lately;  // since the check of a function at module level began
  std::map<const ast::FuncDef *, const Callable *> nested;
};

struct Context {
  Context(const Sources &sources, const ModuleLoader &load, diag::Engine &diagnostics, const CheckOptions &options)
      : sources(sources), load(load), diagnostics(diagnostics), options(options) {}
  Context(const Context &) = delete;
  Context &operator=(const Context &) = delete;

  const Sources &sources;
  const ModuleLoader &load;
  diag::Engine &diagnostics;
  const CheckOptions &options;

  // The program and its modules.
  std::unique_ptr<Program> program = std::make_unique<Program>();
  std::map<const ast::Module *, std::unique_ptr<ModuleScope>> modules;
  std::vector<std::shared_ptr<ast::Stmt>> written;  // statements that the check put in the place of others
  std::map<const Callable *, std::vector<diag::Diagnostic>> leftToHost;  // functions with types that are no tensor functions: why
  std::set<const Callable *> ranByHost;                                  // ... those that host code calls
  const ModuleScope *main = nullptr;
  ModuleScope builtins;
  ModuleScope *prelude = nullptr;
  ModuleScope *scope = nullptr;  // the module whose statements are being evaluated
  std::set<FileId> libraryFiles;
  std::deque<Callable> callables;
  std::deque<StructInfo> structs;
  std::map<std::string, const Callable *> entryNames;  // of the program's functions
  std::map<std::string, const Callable *> arrayFunctions;  // made of expressions over arrays in host code, by what they compute
  // In place of a function where a module is evaluated: what would have to run, which is a mistake.
  Function moduleLevel;
  Block moduleBlock;
  Reached reached;
  std::deque<Function> assumedFunctions;  // in which functions were traced that nothing calls
  std::set<const ast::Stmt *> unread;     // statements of the module that hold a mistake of reading text
  // Of the functions that were checked by themselves: all, and since the check of one at module level began. Some of
  // them in an earlier version of the module, where nothing else is known of them now.
  std::set<std::pair<const ast::FuncDef *, std::string>> settled, settledLately;

  // What was reported.
  std::set<std::tuple<int, FileId, uint32_t>> reportedSpans;
  mutable size_t failures = 0;                                      // mistakes met, also those reported before
  std::set<std::string> misnamed;                                   // what was defined with the name of a dtype
  std::set<std::pair<const Callable *, std::string>> unknownNames;  // that were reported, by the functions they are in

  std::shared_ptr<shape::Solved> solved = shape::nothingSolved();  // of the facts of all functions
  FunctionState function;
  std::shared_ptr<const StructInstance> maker;  // what `Linear[4, 8].init` and its keywords say
  std::shared_ptr<ModelTrace> modelToEnter;  // of the function that is entered next
  std::optional<std::pair<Span, Dim>> worked;  // the call that was checked last, and what it does; with facts only

  // Blocks, loops and values of the function being built.
  int blockId = 0, nextBlockId = 0;
  std::map<const Var *, Var *> scales;           // of parameters with scales: the parameter that holds them
  std::map<const Var *, const Var *> quantized;  // a value of integers with scales -> its parameter
  SpentValues spent;
  int lastHandle = 0;
  std::map<int, int> successors;  // of states that moved on

  // What is being checked just now.
  bool readsFact = false;                     // a side of a fact
  bool withItem = false;                      // what stands after `with`
  const ast::Expr *asksPlaces = nullptr;  // a call of `sort` whose result gets two names
  bool bindDims = false;                      // names in types are new dimensions
  std::optional<DType> accumulateHint;        // of `acc += dot(...)`
  bool genericView = false, guesses = false;  // what is traced has its own dimensions; likely parameters
  int conversions = 0;                        // of arguments to other dtypes, to rank overloads

  // Limits to the compiler's own work.
  CallDepth depth;
  size_t steps = 0;  // expressions of this entry point, each time they are met
  bool saidExhausted = false;
  int64_t copies = 0;  // of a buffer, where a comprehension makes several
};

/// A function is traced.
inline void reach(Context &cx, const Callable &callable) {
  cx.reached.traced.insert(callable.body());
  cx.reached.lately.insert(callable.body());
}

/// The names of a frame.
using Names = std::map<std::string, Binding>;

inline bool inKernel(const Context &cx) { return cx.function.fn && cx.function.fn->kind == FunctionKind::Kernel; }
inline bool inHost(const Context &cx) { return cx.function.fn && cx.function.fn->kind == FunctionKind::Host; }
/// What a variable is called in dimensions.
inline std::string symName(const Var *var) { return "%" + std::to_string(var->id); }

}  // namespace tessera::sema
