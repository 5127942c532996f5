// The body of a function written out where its derivative is taken: each value once, under a name of its own, and beside
// it what its tangent is made of.
#pragma once
#include "autodiff/Linear.h"
#include "autodiff/Scope.h"
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
  std::string subject = "the derivative of ", taken = "the derivative is taken here";  // what cannot be done
  bool failed = false;
  bool inLibrary(Span span) const;
  void refuse(const Refusal &refusal, const std::string &by, const std::vector<std::string> &through);
  void cannot(Span span, const std::string &what, const std::string &help = "");
};

/// Functions whose derivatives are made in their own ways: calls of them stay calls until all derivatives are taken.
struct Rules {
  const checked::Program &program;
  /// The rule of a function with `@custom_vjp`, or with `@custom_jvp`; null if it has none.
  const checked::Function *of(const checked::Function &function) const { return named(function, checked::kRule); }
  const checked::Function *forwardOf(const checked::Function &function) const { return named(function, checked::kForwardRule); }
  static bool isCheckpoint(const checked::Function &function);
  bool stayCalls(const checked::Function &function) const { return of(function) || forwardOf(function) || isCheckpoint(function); }

private:
  const checked::Function *named(const checked::Function &function, const char *option) const;
};

class Trace : public Scope {
public:
  Trace(Builder &builder, Reporter &reporter, Rules rules) : Scope(builder), reporter_(reporter), rules_(rules) {}

  /// Gives a parameter its value. An active one is what the derivative is by.
  void bindParameter(const checked::Var &parameter, const Term &argument, bool active);
  /// Writes the body; gives what it returns.
  std::vector<Term> body(const checked::Function &function);
  checked::Var *parameter(const checked::Var &parameter) const;

  /// The body of a function written once more, with steps of its own, and the variables that hold its arguments.
  struct Apart {
    std::vector<std::unique_ptr<Step>> steps;
    std::vector<Term> values;
    std::vector<const checked::Var *> parameters;
    std::map<std::string, Dim> dims;  // of the function
  };
  /// The values that a function with names to keep assigned to these, in their order: `written` on the way forward, and read there
  /// instead of what is computed again.
  struct Kept {
    std::vector<Term> values;
    bool written = false;
    size_t next = 0;
    std::vector<Term> all;  // what is computed, in its order: of a function with a budget
  };
  /// `because`: for each argument the value that makes it active, or null.
  Apart apart(const checked::Function &function, const std::vector<Term> &arguments, const std::vector<const checked::Var *> &because, Kept *kept = nullptr);
  /// From derivatives by some values back, and from tangents on to those that the values need.
  void pullBackAll(const std::vector<std::unique_ptr<Step>> &steps, Cotangents &cotangents) const;
  void pushForwardAll(const std::vector<std::unique_ptr<Step>> &steps, const std::vector<Term> &values, Tangents &tangents) const;
  bool hasFailed() const { return reporter_.failed; }

  bool isActive(const Term &term) const { return term && term->kind == checked::ExprKind::VarRef && active_.count(checked::varOf(*term)); }
  /// What an active value depends on: the parameter, and the names between.
  std::pair<std::string, std::vector<std::string>> dependence(const checked::Var *var) const;
  const std::vector<std::unique_ptr<Step>> &steps() const { return steps_; }
  void refuse(const checked::Var *out, const Refusal &refusal) const;

private:
  friend class BranchStep;
  friend class LoopStep;
  /// What names mean at a place of the function.
  struct Place {
    Env env;
    Dims dims;
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
  /// `isShort`: of so few turns that one is found by going through those before it, and what they start with is not kept.
  void loop(const checked::Stmt &stmt, bool isShort = false);
  void keepLoop(const checked::Stmt &stmt, bool isShort);
  void loopOverTurns(const checked::Stmt &stmt);
  static constexpr int64_t kMostOfShort = 62;  // turns, of an integer that is doubled until it reaches another
  static bool leavesEarly(const checked::Stmt &loop);
  Term turnsTo(const Term &value, const Term &bound);
  std::optional<Dim> limitOf(const Dim &dim, bool most) const;
  std::optional<Dim> limitOf(const Atom &atom, bool most) const;
  std::optional<Dim> limitOf(const checked::Expr &expr, bool most) const;
  static std::optional<Dim> limitOfTwo(bool isMin, const std::optional<Dim> &left, const std::optional<Dim> &right, bool most);
  void branch(const checked::Stmt &stmt);
  void choose(const checked::Stmt &stmt, const Term &condition);
  void ask(const checked::Stmt &stmt, const Term &condition);

  Term expr(const checked::Expr &expr, const std::string &name = "");
  Term call(const checked::Expr &expr);
  Term keeping(const checked::Expr &call, const std::vector<Term> &arguments);
  std::vector<Term> inlined(const checked::Function &function, const std::vector<Term> &arguments);
  Term rewritten(const checked::Expr &expr, const std::string &name);

  // Linearize.cpp
  void linearize(checked::Var *out, const checked::Expr &op);
  void linearizeElementwise(checked::Var *out, const checked::Expr &op);
  bool linearizeUpdate(checked::Var *out, const checked::Expr &op);
  void linearizeExtremum(checked::Var *out, const checked::Expr &op);
  void linearizeReduction(checked::Var *out, const checked::Expr &op);
  std::vector<Edge> partials(const checked::Expr &op, const Term &result);
  using Scope::moved;
  Edge moved(const std::shared_ptr<const checked::Expr> &op, size_t operand) const;
  Term wide(const Term &value);
  void step(checked::Var *out, std::vector<Edge> edges);
  void called(const checked::Expr &call, const std::vector<Term> &arguments, const std::vector<Term> &results,
              const checked::Var *because);
  void refused(checked::Var *out, const checked::Var *because, Refusal refusal);
  void activate(checked::Var *out, const checked::Var *because) { active_.emplace(out, because); }
  checked::Var *unwritten(const checked::Type &type);

  void keepOrTake(const checked::Stmt &stmt, size_t first);
  const Term &computed(const Term &value);

  Reporter &reporter_;
  Rules rules_;
  Kept *kept_ = nullptr;  // of the function that is written; null where nothing is kept
  const std::vector<std::string> *keeps_ = nullptr;
  std::map<const checked::Var *, std::vector<Term>> tuples_;  // results of calls
  std::vector<Term> returned_;
  bool hasReturned_ = false;
  std::map<const checked::Var *, const checked::Var *> active_;  // with what makes them so; null: a parameter
  std::map<const checked::Var *, const checked::Var *> whole_;   // integers that were made of active values
  std::map<const checked::Var *, Refusal> refusals_;          // of calls, whose results are refused like them
  /// The least and the largest number that an integer is, by its name in sizes, as far as sizes say it.
  std::map<std::string, std::pair<std::optional<Dim>, std::optional<Dim>>> between_;
  std::vector<std::unique_ptr<Step>> steps_;
  std::vector<std::unique_ptr<checked::Stmt>> over_;          // loops over turns, of loops that end otherwise
  std::vector<std::unique_ptr<checked::Var>> unwritten_;      // values that only tangents go through
};

}  // namespace tessera::autodiff
