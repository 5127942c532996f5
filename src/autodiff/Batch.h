// The body of a function written out for all indices of an axis at once (`vmap`). What depends on a mapped argument has that
// axis in front of its own; what does not is computed once.
#pragma once
#include "autodiff/Trace.h"
#include <functional>

namespace tessera::autodiff {

class Batch : public Scope {
public:
  /// Gives a function that stays a call, as one that has the axis in front of these parameters and of all results.
  using Maker = std::function<const checked::Function *(const checked::Function &, const std::vector<bool> &mapped)>;

  Batch(Builder &builder, Reporter &reporter, Rules rules, Maker batched)
      : Scope(builder), reporter_(reporter), rules_(rules), batched_(std::move(batched)) {}

  /// The results at these arguments, with the axis in front of each; if no argument is mapped, the results.
  std::vector<Term> run(const checked::Function &function, const std::vector<Term> &arguments, const std::vector<bool> &mapped);

private:
  // ---- statements
  void block(const checked::Block &block);
  void statement(const checked::Stmt &stmt);
  void loop(const checked::Stmt &stmt);
  void keepLoop(const checked::Stmt &stmt);
  void branch(const checked::Stmt &stmt);
  void choose(const checked::Stmt &stmt, const Term &condition);
  void ask(const checked::Stmt &stmt, checked::ExprPtr condition);
  void taint(const checked::Block &block, std::set<const checked::Var *> &tainted, bool under) const;

  // ---- expressions
  Term expr(const checked::Expr &expr, const std::string &name = "");
  Term placesOf(const checked::Expr &expr);
  Term call(const checked::Expr &expr);
  std::vector<Term> inlined(const checked::Function &function, const std::vector<Term> &arguments);
  /// What an operation is on these arguments, of which some are mapped (BatchRules.cpp). Null if it has no rule.
  checked::ExprPtr mappedOp(const checked::Expr &expr, std::vector<Term> args);
  checked::ExprPtr mappedElementwise(checked::ExprPtr out, std::vector<Term> args);
  checked::ExprPtr mappedGather(checked::ExprPtr out, Term from, Term places);
  checked::ExprPtr mappedExchange(checked::ExprPtr out, Term from);
  checked::ExprPtr mappedScatter(checked::ExprPtr out, Term updates, Term places);

  bool isMapped(const Term &term) const { return term && mapped_.count(checked::varOf(*term)) != 0; }
  bool hasMapped(const checked::Expr &expr) const;
  Term mark(Term term);
  /// The type of all values of the axis.
  checked::Type wide(const checked::Type &type) const;
  /// A value with the axis in front, repeated if it is the same for all.
  Term lifted(const Term &value);

  Reporter &reporter_;
  Rules rules_;
  Maker batched_;
  Dim extent_;
  std::set<const checked::Var *> mapped_;
  std::map<const checked::Var *, std::vector<Term>> tuples_;  // results of calls
  std::vector<std::unique_ptr<checked::Var>> unwritten_;      // that stand for tuples
  std::vector<Term> returned_;
  bool hasReturned_ = false;
};

}  // namespace tessera::autodiff
