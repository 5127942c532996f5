// What the checker passes around: the arguments of a call, and the state of a function that is put aside.
#pragma once
#include "sema/Value.h"
#include "shape/Facts.h"

namespace tessera::sema {

/// "`x`", but "the result": what is no name stays as it is.
inline std::string quoted(std::string_view name) {
  std::string text(name);
  return text.find(' ') == std::string::npos ? "`" + text + "`" : text;
}

/// "it takes `x`, `axis`"
std::string argumentNames(const std::vector<std::string_view> &names);

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
/// An item of `effects[...]`.
struct DeclaredEffect {
  EffectKind kind;
  std::string of;  // empty: any
  Span span;
};

/// What a check said that left no trace.
struct Trial {
  bool ok = false;
  int conversions = 0;  // values that became another dtype, and parameters without types
  std::vector<diag::Diagnostic> said;
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
};

}  // namespace tessera::sema
