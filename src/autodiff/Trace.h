// The body of a function written out where its derivative is taken: each value once, under a name of its own, and beside
// it what its tangent is made of.
#pragma once
#include "autodiff/Linear.h"
#include "support/Sources.h"
#include <set>

namespace tessera::autodiff {

/// What has no derivative, and why that is asked for.
struct Refusal {
  Span span;
  std::string what;  // "the kernel `k`"
  std::string help = {};
};

/// Where messages go, and what they are about.
struct Reporter {
  diag::Engine &diagnostics;
  const Sources &sources;
  Span call;                // where the derivative is taken
  std::string function;     // of what
  bool failed = false;
  bool inLibrary(Span span) const;
  void refuse(const Refusal &refusal, const std::string &by, const std::vector<std::string> &through);
  void cannot(Span span, const std::string &what);
};

/// Functions whose derivatives are written by hand.
struct Rules {
  const checked::Program &program;
  /// The rule of a function; null if it has none.
  const checked::Function *of(const checked::Function &function) const;
};

class Trace {
public:
  Trace(Builder &builder, Reporter &reporter, Rules rules) : builder_(builder), reporter_(reporter), rules_(rules) {}

  /// Gives a parameter its value. An active one is what the derivative is by.
  void bindParameter(const checked::Var &parameter, const Term &argument, bool active);
  /// The dimensions of a function, from the shapes of its arguments.
  void bindDims(const checked::Function &function, const std::vector<Term> &arguments);
  /// Writes the body; gives what it returns.
  std::vector<Term> body(const checked::Function &function);
  checked::Var *parameter(const checked::Var &parameter) const;

  bool isActive(const Term &term) const { return term && term->kind == checked::ExprKind::VarRef && active_.count(checked::varOf(*term)); }
  /// What an active value depends on: the parameter, and the names between.
  std::pair<std::string, std::vector<std::string>> dependence(const checked::Var *var) const;
  const std::vector<std::unique_ptr<Step>> &steps() const { return steps_; }
  void refuse(const checked::Var *out, const Refusal &refusal) const;

private:
  friend class BranchStep;
  using Env = std::map<const checked::Var *, Term>;
  /// What names mean at a place of the function.
  struct Place {
    Env env;
    std::map<std::string, Dim> dims;
    std::vector<checked::Var *> active;
  };
  /// A variable of the function that both sides of a branch bind, and the one that has it behind the branch.
  struct Merged {
    const checked::Var *var;
    checked::Var *out;
  };
  Place leave(Place place);
  std::vector<checked::Var *> activeSoFar() const;
  static constexpr uint32_t kUnwritten = UINT32_MAX;  // the id of values that only tangents go through
  void block(const checked::Block &block);
  void statement(const checked::Stmt &stmt);
  void assign(const checked::Stmt &stmt);
  void loop(const checked::Stmt &stmt);
  void branch(const checked::Stmt &stmt);
  void choose(const checked::Stmt &stmt, const Term &condition);
  void ask(const checked::Stmt &stmt, const Term &condition);

  Term expr(const checked::Expr &expr, const std::string &name = "");
  Term call(const checked::Expr &expr);
  std::vector<Term> inlined(const checked::Function &function, const std::vector<Term> &arguments);
  Term rewritten(const checked::Expr &expr, const std::string &name);
  /// A program integer or truth value as it is written, with the names of here.
  checked::ExprPtr tree(const checked::Expr &expr);
  template <class Argument> checked::ExprPtr moved(const checked::Expr &expr, const Argument &argument);
  checked::Type here(checked::Type type) const;
  Term copied(const Term &value, const std::string &name);
  void setIndex(const checked::Var &var, const Term &value);

  // Linearize.cpp
  void linearize(checked::Var *out, const checked::Expr &op);
  void linearizeElementwise(checked::Var *out, const checked::Expr &op);
  void linearizeExtremum(checked::Var *out, const checked::Expr &op);
  void linearizeReduction(checked::Var *out, const checked::Expr &op);
  std::vector<Edge> partials(const checked::Expr &op, const Term &result);
  Edge moved(const std::shared_ptr<const checked::Expr> &op, size_t operand) const;
  Term wide(const Term &value);
  void step(checked::Var *out, std::vector<Edge> edges);
  void ruled(const checked::Expr &call, const std::vector<Term> &arguments, const std::vector<Term> &results,
             const checked::Var *because);  // Rules.cpp
  void refused(checked::Var *out, const checked::Var *because, Refusal refusal);
  void activate(checked::Var *out, const checked::Var *because) { active_.emplace(out, because); }
  checked::Var *unwritten(const checked::Type &type);

  Builder &builder_;
  Reporter &reporter_;
  Rules rules_;
  Env env_;
  std::map<std::string, Dim> dims_;
  std::map<const checked::Var *, std::vector<Term>> tuples_;  // results of calls
  std::vector<Term> returned_;
  bool hasReturned_ = false;
  std::map<const checked::Var *, const checked::Var *> active_;  // with what makes them so; null: a parameter
  std::map<const checked::Var *, const checked::Var *> whole_;   // integers that were made of active values
  std::map<const checked::Var *, Refusal> refusals_;          // of calls, whose results are refused like them
  std::vector<std::unique_ptr<Step>> steps_;
  std::vector<std::unique_ptr<checked::Var>> unwritten_;      // values that only tangents go through
};

}  // namespace tessera::autodiff
