// Goes over a program and writes out what stands for other statements: derivatives and maps over an axis first, while functions
// with a derivative of their own are still called, then those calls.
#pragma once
#include "autodiff/Batch.h"
#include <set>

namespace tessera::autodiff {

class Expander {
public:
  Expander(checked::Program &program, const Sources &sources, diag::Engine &diagnostics)
      : program_(program), sources_(sources), diagnostics_(diagnostics) {}

  bool run();

private:
  void expandAll();
  void dropOfCalls();
  void expand(checked::Function &function);
  /// What a derivative is of is without derivatives first.
  void expandCallee(const checked::Function *callee);
  checked::Block expanded(checked::Block block);
  bool isWritten(const checked::Expr &e) const;
  std::vector<Term> written(checked::Expr &e, checked::Block &out);
  void inCondition(checked::Expr *condition);
  void replace(checked::ExprPtr &e, checked::Block &out);

  std::vector<Term> derivative(checked::Expr &e, checked::Block &out);
  static std::vector<Term> pulledBack(const checked::Expr &e, const Trace &trace, const std::vector<Term> &values,
                                      std::vector<Term> seeds, Builder &builder, const Reporter &reporter);
  static std::vector<Term> pushedForward(const checked::Expr &e, const Trace &trace, const std::vector<Term> &values,
                                         const std::vector<Term> &seeds, Builder &builder, const Reporter &reporter);
  std::vector<Term> body(checked::Expr &e, checked::Block &out);

  // ---- maps over an axis (ExpandMaps.cpp)
  std::vector<Term> mapped(checked::Expr &e, checked::Block &out);
  const checked::Function *batched(const checked::Function &callee, const std::vector<bool> &mapped, const std::vector<bool> &summed, Reporter &reporter);
  const checked::Function *kernelOfAll(const checked::Function &kernel, const std::vector<bool> &mapped, const std::string &axis, const std::string &name,
                                       Reporter &reporter);
  void batchRules(const checked::Function &callee, checked::Function &made, const std::vector<bool> &mapped, Reporter &reporter);
  void checkForwardRules();

  checked::Program &program_;
  const Sources &sources_;
  diag::Engine &diagnostics_;
  checked::Function *function_ = nullptr;
  std::set<const checked::Function *> done_;
  std::map<const checked::Var *, std::vector<Term>> tuples_;
  std::map<std::pair<const checked::Function *, std::vector<bool>>, const checked::Function *> batched_;  // functions with an axis in front
  bool derivatives_ = true;
  bool failed_ = false;
};

}  // namespace tessera::autodiff
