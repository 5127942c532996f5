// What the checker passes around and what it knows: the arguments of a call, the function that is being checked, and the
// state of one that is put aside.
#pragma once
#include "diag/Diagnostic.h"
#include "sema/Check.h"
#include "sema/CallDepth.h"
#include "sema/Value.h"
#include "shape/Facts.h"
#include <deque>
#include <set>

namespace tessera::sema {
class Draw;

/// "`x`", but "the result": what is no name stays as it is.
inline std::string quoted(std::string_view name) {
  std::string text(name);
  return text.find(' ') == std::string::npos ? "`" + text + "`" : text;
}

/// "it takes `x`, `axis`"
std::string argumentNames(const std::vector<std::string_view> &names);

/// The names of the policies that a module declares or imports.
std::vector<std::string_view> bundleNames(const ModuleScope &module);

/// Types and values of structs and tuples, and their parts in order.
void flatTypes(const DeclaredType &type, std::vector<Type> &types, std::vector<Span> &spans);
void argumentParts(const Value &value, Span span, std::vector<Value> &parts, std::vector<Span> &spans);
Value resultValue(const DeclaredType &tree, const std::vector<Value> &parts, size_t &next);
/// One part of what a function returns: "result_1_scale", and where it is written.
struct ResultPart {
  Value value;
  std::string name;
  Span span;
};
/// How many dimensions a tensor of host code is known to have; 0: any number. A variable may get another tensor.
size_t knownRank(const Value &tensor, const std::set<Var *> &rebindable);
/// The dimensions of a type as they are written: `Tensor[N, 2 * D, f32]`.
using DimExprs = std::vector<const ast::Expr *>;
/// The i-th of so many values, where `syntax` writes them one by one; else null.
const ast::Expr *itemOf(const ast::Expr *syntax, size_t i, size_t count);
DeclaredType treeOf(const Value &value);
/// Dimensions that stand alone in a type: the ones that a value of it gives.
void collectDims(const DeclaredType &type, std::set<std::string> &names);

/// Arguments of a call, by the names of the callee's parameters.
struct Bound {
  std::vector<Value> values;  // Absent where not given
  std::vector<Value> rest;    // of `*rest`
  std::vector<Span> spans, restSpans;
  bool ok = true;
};
/// One argument as it was given.
struct Given {
  std::string keyword;  // empty: positional
  Value value;
  Span span, keywordSpan;
  const ast::Expr *syntax = nullptr;
};
using GivenList = std::vector<Given>;

/// Where a part of a value begins along an axis: of the axis in reversed order, if the step runs back.
struct SliceStart {
  Dim first;
  bool backwards = false;
};

/// A function that is being checked or traced: where it was called, and what with.
struct TracedCall {
  const Callable *callable = nullptr;
  Span span;                       // of the call; invalid: an entry point
  std::vector<Span> arguments;     // for each parameter
};

/// A value that is used up.
struct Spent {
  Span span;
  std::string by;
  bool maybe = false;  // in one of two branches only
};
/// A state object that a traced call was given.
struct PassedState {
  std::string parameter, root;
  int handle = 0;
};
/// A cache that a call moves on: the argument, and what the caller has behind the call.
struct MovedState {
  Value before;
  std::string parameter;
  Span span;  // of the argument
  Value after;
};
/// A loop: the number of a turn, in the turn, and how many there are.
struct Turns {
  Dim turn, count;
};
/// What each turn of a loop adds to a cache, by its name: so many rows in the turns `of`.
struct RowsOfTurn {
  Dim rows;
  Turns of;
};
using RowsPerTurn = std::map<std::string, RowsOfTurn>;
enum class FactOrigin : uint8_t { Where, Assert, Call };
/// An item of `effects[...]`.
struct DeclaredEffect {
  EffectKind kind;
  std::string of;  // empty: any
  Span span;
};

/// Stands for the result in a way through a function; no user can give a name like this.
inline const char *const kResult = "the result";

/// What a check said that left no trace.
struct Trial {
  bool ok = false;
  int conversions = 0;  // values that became another dtype, and parameters without types
  std::vector<diag::Diagnostic> said;
};
/// A collective that all devices along the axis get to, or a call that does one.
struct DoneCollective {
  std::string what, axis;
  Span span;
};
/// What only some devices do.
struct Divergence {
  Span cause;               // valid: only some do the rest of this iteration, because of this condition
  bool leftLoop = false;    // ... and the other iterations
  std::vector<DoneCollective> done;  // collectives that all of them get to, in the order of the text
};

/// What is known of the function that is being checked; put aside while another one is.
struct FunctionState {
  Function *fn = nullptr;
  Block *block = nullptr;
  std::shared_ptr<Frame> frame;
  shape::Facts facts;
  int varyingDepth = 0, conditionDepth = 0;
  std::vector<TracedCall> calls;
  std::map<std::string, Var *> symVars;
  std::map<Var *, Value> varValues;
  std::set<Var *> rebindable;
  std::map<Var *, int> temps;
  std::optional<std::vector<Type>> declared;
  std::optional<DeclaredType> declaredTree, resultTree;
  std::vector<Span> declaredSpans;
  std::vector<Dim> outputShape;
  Span linearSpan;
  bool lanesKnown = false, lanesGiven = false;
  std::vector<size_t> loopMarks;
  std::vector<std::optional<shape::Formula>> path;
  std::vector<shape::Formula> chosen;
  Divergence divergence;
};

/// How a function that nothing calls may be called.
struct Assumption {
  FunctionKind kind = FunctionKind::Tensor;  // of the function that calls it
  DType dtype = DType::F32;                  // of `[T: dtype]`
  size_t likely = 0;                         // which of the likely values parameters without types have
  bool entry = false;                        // it is an entry point but for its name, or a kernel
  bool open = false, generic = false;        // it has parameters without types; type parameters that are dtypes
};
/// What was traced, by definition or lambda, and functions that were defined inside of others.
struct Reached {
  std::set<const void *> traced;
  std::map<const ast::FuncDef *, const Callable *> nested;
};

using SpentValues = std::map<int, Spent>;  // by handle

/// All that the checker knows while it works.
struct CheckerData {
  CheckerData(const Sources &sources, const ModuleLoader &load, diag::Engine &diagnostics, const CheckOptions &options)
      : sources_(sources), load_(load), diagnostics_(diagnostics), options_(options) {}

  const Sources &sources_;
  const ModuleLoader &load_;
  diag::Engine &diagnostics_;
  const CheckOptions &options_;
  std::unique_ptr<Program> program_ = std::make_unique<Program>();
  std::map<const ast::Module *, std::unique_ptr<ModuleScope>> modules_;
  const ModuleScope *main_ = nullptr;
  Reached reached_;
  std::deque<Function> assumedFunctions_;  // in which functions were traced that nothing calls
  ModuleScope builtins_;
  ModuleScope *prelude_ = nullptr;
  std::deque<Callable> callables_;
  std::deque<StructInfo> structs_;
  std::map<std::string, const Callable *> entryNames_;  // of the program's functions
  std::set<std::tuple<int, FileId, uint32_t>> reportedSpans_;
  mutable size_t failures_ = 0;   // mistakes met, also those said before
  ModuleScope *scope_ = nullptr;  // the module whose statements are being evaluated

  // The function being built.
  Function *fn_ = nullptr;
  Block *block_ = nullptr;
  Function moduleLevel_;  // in place of them where a module is evaluated: what would have to run, which is a mistake
  Block moduleBlock_;
  std::shared_ptr<Frame> frame_;
  shape::Facts facts_;
  int blockId_ = 0, nextBlockId_ = 0;
  std::vector<std::optional<shape::Formula>> path_;  // conditions around this place; nothing: run time decides
  std::vector<shape::Formula> chosen_;  // of the choices around this operand, which is computed only where they hold
  bool readsFact_ = false;  // what is checked is a side of a fact
  std::vector<size_t> loopMarks_;  // how many variables there were where loops and branches began
  int varyingDepth_ = 0, conditionDepth_ = 0;
  Divergence divergence_;
  std::vector<Span> varyingCauses_;  // conditions and loop bounds that lanes or devices disagree about
  SpentValues spent_;
  int lastHandle_ = 0;
  std::map<int, int> successors_;  // of states that moved on
  Depth depth_;
  std::vector<TracedCall> calls_;         // the entry point, and what is being traced
  std::set<FileId> libraryFiles_;
  std::set<std::string> misnamed_;  // what was defined with the name of a dtype
  std::set<std::pair<const Callable *, std::string>> unknownNames_;  // that were said, by the functions they are in
  std::map<std::string, Var *> symVars_;  // "%3" -> its variable
  std::map<std::string, Span> loopsByOne_;  // counters of loops that go on by 1: the range
  std::set<std::string> counters_;          // of loops whose bounds are known
  std::map<Var *, Value> varValues_;      // language type and limits of what a variable holds
  std::set<Var *> rebindable_;
  std::optional<std::vector<Type>> declared_;  // types of the parts of the result
  std::optional<DeclaredType> declaredTree_;   // the result as it is declared, and as it is returned
  std::optional<DeclaredType> resultTree_;
  std::vector<Span> declaredSpans_;
  std::map<const Var *, Var *> scales_;           // of parameters with scales: the parameter that holds them
  std::map<const Var *, const Var *> quantized_;  // a value of integers with scales -> its parameter
  std::set<Var *> loaded_, stored_;  // views
  bool withItem_ = false;            // what is checked stands behind `with`
  bool bindDims_ = false;            // names in types are new dimensions
  std::vector<Dim> outputShape_;
  Span linearSpan_;
  bool lanesKnown_ = false, lanesGiven_ = false;  // by a guard; by @kernel(lanes=)
  std::optional<DType> accumulateHint_;           // of `acc += dot(...)`
  std::map<Var *, int> temps_;                    // not named by the user, with their blocks
  int conversions_ = 0;                           // of arguments to other dtypes, to rank overloads
  size_t steps_ = 0;                              // expressions of this entry point, each time they are met
  bool saidExhausted_ = false;
  bool genericView_ = false, guesses_ = false;    // what is traced has its own dimensions; likely parameters
  int64_t copies_ = 0;                            // of a buffer, where a comprehension makes several
};

}  // namespace tessera::sema
