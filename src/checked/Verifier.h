// What the parts of the verifier share.
#pragma once
#include "checked/Checked.h"
#include <set>

namespace tessera::checked {

/// A rule that does not hold; the text says which.
struct Broken {
  std::string what;
};
inline void require(bool holds, const char *what) {
  if (!holds) throw Broken{what};
}

/// Walks one function; throws Broken at the first rule that does not hold.
class FunctionVerifier {
public:
  explicit FunctionVerifier(const Function &function) : function_(function) {}
  void run();
  /// The text of the node that was being looked at when a rule did not hold.
  const std::string &place() const { return place_; }

private:
  void params();
  void results();
  void kernel();
  std::set<const Var *> block(const Block &block);
  void branch(const Stmt &stmt);
  void stmt(const Stmt &stmt);
  void fields(const Stmt &stmt) const;
  void memory(const Stmt &stmt);
  void atomic(const Stmt &stmt);
  void loop(const Stmt &stmt);

  // VerifyExpr.cpp
  void expr(const ExprPtr &expr, const char *missing);
  void rule(const Expr &expr) const;
  void array(const Expr &expr) const;
  void shapeOp(const Expr &expr) const;
  void host(const Expr &expr) const;
  void warp(const Expr &expr) const;
  void call(const Expr &expr) const;
  void access(const Access &access, const Type *base);
  void index(const ExprPtr &value, const char *missing);

  void define(const Var *var);
  void defined(const Var *var) const;
  bool isKernel() const { return function_.kind == FunctionKind::Kernel; }

  const Function &function_;
  std::set<const Var *> owned_, inScope_;
  int loops_ = 0;
  std::string place_;
};

}  // namespace tessera::checked
