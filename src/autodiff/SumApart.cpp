// Sums over rows, with what all rows share outside of them.
//
// The cotangent of a mean over rows is a sum of products with factors that are the same for all rows: the scale of a norm, one over the
// deviation. Outside of the sums they are multiplied once for a column. And what is left under the sums is what those for the shift and
// the scale add up as well: they are one, where they were four sums in different forms.
//
//   sum(dy * g * r)            g * r * sum(dy)
//   sum(-(c * (x - m)))       -c * sum(x - m)
#include "autodiff/SumApart.h"
#include "checked/ExprBuild.h"
#include <algorithm>

namespace tessera::autodiff {

using checked::Expr;
using checked::ExprKind;
using checked::Type;
using checked::TypeKind;
namespace node = checked::node;

namespace {

constexpr int kDeepest = 12;  // operations between a sum and a factor under it

/// factor * rest, with a sign; no factor: 1.
struct Product {
  Term factor, rest;
  bool isNegated = false;
};

class Splitter {
public:
  Splitter(const Type &type, const std::vector<int> &added, Builder &builder) : builder_(builder), added_(added), sums_(type) {
    sums_.numerics = {};
    sums_.shape.clear();
    for (size_t axis = 0; axis < type.shape.size(); ++axis)
      if (!isAdded(static_cast<int>(axis))) sums_.shape.push_back(type.shape[axis]);
  }

  Product split(const Term &term, int depth = 0) {
    const Expr *made = depth < kDeepest ? builder_.definition(term) : nullptr;
    auto *elementwise = made && made->type.kind == TypeKind::Tensor ? made->get<node::Elementwise>() : nullptr;
    if (!elementwise) return {nullptr, term};
    auto operand = [&](size_t i) { return Term(checked::clone(*made->args[i])); };
    switch (elementwise->op) {
    case ElementwiseOp::Neg: {
      Product inner = split(operand(0), depth + 1);
      inner.isNegated = !inner.isNegated;
      return inner;
    }
    case ElementwiseOp::Mul:
      for (size_t i : {0, 1})
        if (Term factor = shared(operand(i))) return times(split(operand(1 - i), depth + 1), factor);
      return ofBoth(term, split(operand(0), depth + 1), split(operand(1), depth + 1));
    case ElementwiseOp::Div:
      if (Term divisor = shared(operand(1))) {
        Product inner = split(operand(0), depth + 1);
        Term above = inner.factor ? inner.factor : builder_.number(1, sums_);
        return {builder_.apply(ElementwiseOp::Div, {above, divisor}), inner.rest, inner.isNegated};
      }
      return {nullptr, term};
    case ElementwiseOp::Select: return chosen(term, *made, depth);
    default: return {nullptr, term};  // no product
    }
  }

private:
  bool isAdded(int axis) const { return std::find(added_.begin(), added_.end(), axis) != added_.end(); }

  Product times(Product inner, const Term &factor) {
    inner.factor = inner.factor ? builder_.apply(ElementwiseOp::Mul, {inner.factor, factor}) : factor;
    return inner;
  }

  Product ofBoth(const Term &term, const Product &a, const Product &b) {
    if (!a.factor && !b.factor && !a.isNegated && !b.isNegated) return {nullptr, term};
    Product both{a.factor, builder_.apply(ElementwiseOp::Mul, {a.rest, b.rest}), a.isNegated != b.isNegated};
    return b.factor ? times(std::move(both), b.factor) : both;
  }

  /// What is 0 where it is not chosen.
  Product chosen(const Term &term, const Expr &select, int depth) {
    auto operand = [&](size_t i) { return Term(checked::clone(*select.args[i])); };
    for (size_t i : {1, 2}) {
      if (constantOf(*select.args[3 - i]) != 0.0) continue;
      Product inner = split(operand(i), depth + 1);
      if (!inner.factor && !inner.isNegated) break;
      Term zero = builder_.number(0, inner.rest->type);
      inner.rest = i == 1 ? builder_.select(operand(0), inner.rest, zero) : builder_.select(operand(0), zero, inner.rest);
      return inner;
    }
    return {nullptr, term};
  }

  /// The factor for each sum, if it is the same for all that is added up; else null.
  Term shared(const Term &term) {
    if (std::optional<double> number = constantOf(*term)) return builder_.number(*number, sums_);
    const Expr *made = builder_.definition(term);
    if (made && made->kind == ExprKind::Full) return builder_.fill(Term(checked::clone(*made->args[0])), sums_);
    if (!made || made->kind != ExprKind::Broadcast) return nullptr;
    const std::vector<int> &axes = made->as<node::Broadcast>().axes;
    Type kept = made->args[0]->type;
    if (kept.kind != TypeKind::Tensor) return nullptr;
    kept.numerics = {};
    std::vector<Dim> shape;
    std::vector<int> places;
    for (size_t i = 0; i < axes.size(); ++i) {
      if (isAdded(axes[i])) {
        if (!(kept.shape[i] == Dim(1))) return nullptr;
        continue;
      }
      shape.push_back(kept.shape[i]);
      places.push_back(axes[i] - static_cast<int>(std::count_if(added_.begin(), added_.end(), [&](int axis) { return axis < axes[i]; })));
    }
    kept.shape = std::move(shape);
    if (kept.shape.empty()) return nullptr;
    Term factor = builder_.reshape(Term(checked::clone(*made->args[0])), kept);
    return kept.shape == sums_.shape ? factor : builder_.broadcast(factor, sums_.shape, std::move(places));
  }

  Builder &builder_;
  const std::vector<int> &added_;
  Type sums_;
};

}  // namespace

Term addUpRows(const Term &value, std::vector<int> axes, Builder &builder) {
  const Type &type = value->type;
  const int last = type.kind == TypeKind::Tensor ? static_cast<int>(type.shape.size()) - 1 : -1;
  bool isOverRows = !axes.empty() && isFloat(type.dtype) && std::find(axes.begin(), axes.end(), last) == axes.end();
  if (!isOverRows) return builder.reduce(ReduceOp::Sum, value, std::move(axes));
  Product parts = Splitter(type, axes, builder).split(value);
  Term sum = builder.reduce(ReduceOp::Sum, parts.rest, std::move(axes));
  if (parts.factor) sum = builder.apply(ElementwiseOp::Mul, {parts.factor, sum});
  return parts.isNegated ? builder.apply(ElementwiseOp::Neg, {sum}) : sum;
}

}  // namespace tessera::autodiff
