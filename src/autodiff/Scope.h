// What the names and dimensions of a function mean where its body is written out.
#pragma once
#include "autodiff/Builder.h"
#include "checked/ExprBuild.h"

namespace tessera::autodiff {

class Scope {
public:
  explicit Scope(Builder &builder) : builder_(builder) {}

  /// The dimensions of a function, from the shapes of its arguments; those that are `mapped` have one more axis in front.
  void bindDims(const checked::Function &function, const std::vector<Term> &arguments, const std::vector<bool> &mapped = {});

protected:
  using Env = std::map<const checked::Var *, Term>;
  using Dims = std::map<std::string, Dim>;

  /// A type of the function, in the dimensions of here.
  checked::Type here(checked::Type type) const;
  /// A program integer or truth value as it is written, with the names of here.
  checked::ExprPtr tree(const checked::Expr &expr);
  /// The expression with the sizes of here, and its arguments as `argument` has them.
  template <class Argument> checked::ExprPtr moved(const checked::Expr &expr, const Argument &argument);
  /// The value under a name of its own, which nothing else has.
  Term copied(const Term &value, const std::string &name);
  void setIndex(const checked::Var &var, const Term &value);

  Builder &builder_;
  Env env_;
  Dims dims_;
};

template <class Argument> checked::ExprPtr Scope::moved(const checked::Expr &expr, const Argument &argument) {
  checked::ExprPtr copy = checked::clone(expr);
  copy->type = here(expr.type);
  if (Dim *dim = checked::writtenDim(*copy)) *dim = dim->substitute(dims_);
  for (size_t i = 0; i < expr.args.size(); ++i) copy->args[i] = argument(*expr.args[i]);
  if (checked::Access *access = checked::accessOf(*copy))
    for (checked::IndexPart &part : access->parts) {
      part.size = part.size.substitute(dims_);
      if (part.offset) part.offset = tree(*part.offset);
    }
  return copy;
}

/// The variables that a block binds, with those of the blocks in it.
void collectBound(const checked::Block &block, std::vector<const checked::Var *> &bound);

}  // namespace tessera::autodiff
