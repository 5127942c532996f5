// Writes statements of the checked program: one operation a statement, folded where a factor or summand is trivial.
#pragma once
#include "checked/Checked.h"
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace tessera::autodiff {

/// A value that may be written any number of times: a variable, or a number and what repeats it. Null is a zero.
using Term = std::shared_ptr<const checked::Expr>;

/// The dtype in which derivatives of values of this dtype are carried.
DType tangentDType(DType dtype);
/// The type of the derivative of a value: its shape, in the dtype that derivatives are carried in.
checked::Type tangentType(const checked::Type &type);
/// The number that all elements of a value are; nothing if they are not known.
std::optional<double> constantOf(const checked::Expr &expr);
/// A program integer as a dimension; nothing if it is more than sizes, numbers and variables.
std::optional<Dim> dimOf(const checked::Expr &expr);
/// Whether a size depends on integers that only run time knows: no array is as long.
bool isOfRunTime(const Dim &dim);
/// Whether two terms are the same variable.
bool sameVariable(const Term &a, const Term &b);

/// Where a part of an array is along an axis: all of it, at one index, for which the part has no axis, or from an index on.
struct AxisPlace {
  AxisPlace(Term at = nullptr, Dim size = Dim::undefined()) : at(std::move(at)), size(std::move(size)) {}
  Term at;   // null: all of the axis
  Dim size;  // from there on, so many; not defined: a point
  bool isPoint() const { return at && !size.isDefined(); }
  bool isRange() const { return at && size.isDefined(); }
};
/// One for each axis of an array.
using Places = std::vector<AxisPlace>;

class Builder {
public:
  Builder(checked::Function &function, checked::Block &block) : function_(function), block_(&block) {}

  checked::Function &function() { return function_; }
  checked::Block &block() { return *block_; }
  /// Where statements go from now on; gives where they went before.
  checked::Block *enter(checked::Block *block) { return std::exchange(block_, block); }
  Span here;  // of the statements that are written

  checked::Var *fresh(const std::string &name, checked::Type type);
  /// The value under this variable, which nothing else has.
  void let(checked::Var *var, const Term &value);
  /// The variable, which is `reassigned`, has this value from here on.
  void assign(checked::Var *var, const Term &value);
  /// A value under a name of its own, or itself where it is nothing to compute.
  Term bind(checked::ExprPtr value, const std::string &name = "");
  Term ref(checked::Var *var);
  /// Gives a value that has none yet the name.
  static void name(const Term &term, const std::string &name);

  Term number(double value, const checked::Type &like);
  Term index(const Dim &dim);
  Term apply(ElementwiseOp op, std::vector<Term> args);
  Term select(const Term &condition, const Term &yes, const Term &no) {
    return apply(ElementwiseOp::Select, {condition, yes, no});
  }
  Term cast(const Term &value, DType dtype);
  /// A scalar as a value of this type; a value that has its kind already is itself.
  Term fill(const Term &scalar, const checked::Type &type);
  Term reduce(ReduceOp op, const Term &value, std::vector<int> axes);
  Term broadcast(const Term &value, std::vector<Dim> shape, std::vector<int> axes);
  Term reshape(const Term &value, const checked::Type &like);
  Term transpose(const Term &value, std::vector<int> axes);
  /// Exchanges the last two axes.
  Term flip(const Term &value);
  Term dot(const Term &a, const Term &b, DType dtype);
  Term concat(const std::vector<Term> &parts, int axis);
  Term iota(std::vector<Dim> shape, int axis);
  Term gather(const Term &from, const Term &places, const checked::Type &type, checked::node::Gather node);
  /// Zeros, `extent` long along axis axes[0], to which the values are added at their places.
  Term scatterAdd(const Term &values, const Term &places, const Dim &extent, checked::node::ScatterAdd node);
  /// The part of a value at these places.
  Term slice(const Term &from, const Places &places);
  /// The value with `part` in the place of slice(value, places): where nothing else needs it, it is changed where it lies.
  Term update(const Term &value, const Places &places, const Term &part);
  /// Gives a variable that was written here another expression for the same value. False if it was not.
  bool rewrite(const Term &variable, const Term &value);
  /// What a variable that this builder wrote is; null if it did not.
  const checked::Expr *definition(const Term &term) const;

private:
  Term isAt(const AxisPlace &place, const Dim &extent);
  Term folded(ElementwiseOp op, const std::vector<Term> &args, const checked::Type &type);

  checked::Function &function_;
  checked::Block *block_;
  std::map<const checked::Var *, const checked::Expr *> definitions_;
};

}  // namespace tessera::autodiff
