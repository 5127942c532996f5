#include "autodiff/Linear.h"
#include "checked/ExprBuild.h"
#include "support/Check.h"
#include <algorithm>

namespace tessera::autodiff {

using checked::ExprKind;
using checked::TypeKind;

Term masked(const Cotangent &cotangent, Builder &builder) {
  if (!cotangent.value || !cotangent.mask) return cotangent.value;
  return builder.select(cotangent.mask, cotangent.value, builder.number(0, cotangent.value->type));
}

Cotangent fitted(Cotangent cotangent, const checked::Type &type, Builder &builder) {
  const checked::Type &have = cotangent.value->type;
  if (type.kind == TypeKind::Tensor) {
    if (have.kind == TypeKind::Tensor && have.shape == type.shape) return cotangent;
    return {builder.reshape(cotangent.value, type), cotangent.mask ? builder.reshape(cotangent.mask, type) : nullptr};
  }
  if (have.kind != TypeKind::Tensor) return cotangent;
  return {builder.reshape(masked(cotangent, builder), type), nullptr};
}

// ---------------------------------------------------------------- sums

void Cotangents::add(const checked::Var *var, Cotangent part) {
  if (part.value) parts_[var].push_back(fitted(std::move(part), var->type, builder_));
}

namespace {
/// A value with zeros before and after it along an axis, as the transpose of a slice is.
struct Padded {
  int axis = 0;
  Dim before;
  Term value;
};
std::optional<Padded> paddedOf(const Cotangent &cotangent, const Builder &builder) {
  const checked::Expr *made = cotangent.mask ? nullptr : builder.definition(cotangent.value);
  if (!made || made->kind != ExprKind::Concat) return std::nullopt;
  Padded padded;
  padded.axis = made->as<checked::node::Concat>().axis;
  for (const checked::ExprPtr &arg : made->args) {
    bool isZero = constantOf(*arg) == std::optional<double>(0);
    if (!isZero && padded.value) return std::nullopt;
    if (!isZero) padded.value = Term(checked::clone(*arg));
    else if (!padded.value) padded.before = padded.before + arg->type.shape[static_cast<size_t>(padded.axis)];
  }
  return padded.value ? std::optional(std::move(padded)) : std::nullopt;
}

/// The slices of one value that together are all of it: what was cut apart is put together, without zeros to add up.
/// Null if they are something else.
Term joined(const std::vector<Cotangent> &parts, Builder &builder) {
  std::vector<Padded> left;
  for (const Cotangent &part : parts) {
    auto padded = paddedOf(part, builder);
    if (!padded || (!left.empty() && padded->axis != left[0].axis)) return nullptr;
    left.push_back(std::move(*padded));
  }
  auto axis = static_cast<size_t>(left[0].axis);
  std::vector<Term> pieces;
  Dim end;
  while (!left.empty()) {
    auto next = std::find_if(left.begin(), left.end(), [&](const Padded &p) { return p.before == end; });
    if (next == left.end()) return nullptr;
    end = end + next->value->type.shape[axis];
    pieces.push_back(next->value);
    left.erase(next);
  }
  return end == parts[0].value->type.shape[axis] ? builder.concat(pieces, static_cast<int>(axis)) : nullptr;
}
}  // namespace

Cotangent Cotangents::sum(std::vector<Cotangent> parts) {
  if (parts.size() == 1) return parts[0];
  if (Term whole = joined(parts, builder_)) return {whole, nullptr};
  auto add = [&](const Term &a, const Term &b) { return builder_.apply(ElementwiseOp::Add, {a, b}); };
  bool allMasked = std::all_of(parts.begin(), parts.end(), [](const Cotangent &c) { return c.mask != nullptr; });
  bool oneMask = allMasked && std::all_of(parts.begin(), parts.end(),
                                          [&](const Cotangent &c) { return sameVariable(c.mask, parts[0].mask); });
  Cotangent total;
  for (const Cotangent &part : parts) {
    Term value = oneMask ? part.value : masked(part, builder_);
    total.value = total.value ? add(total.value, value) : value;
    if (allMasked && !oneMask)
      total.mask = total.mask ? builder_.apply(ElementwiseOp::Or, {total.mask, part.mask}) : part.mask;
  }
  if (oneMask) total.mask = parts[0].mask;
  return total;
}

Cotangent Cotangents::take(const checked::Var *var) {
  auto slices = slices_.extract(var);
  auto found = parts_.extract(var);
  if (slices.empty() && found.empty()) return {};
  Cotangent total;
  if (!found.empty()) total = sum(std::move(found.mapped()));
  if (!slices.empty()) {
    total = {total.value ? plain(total) : builder_.number(0, tangentType(var->type)), nullptr};
    for (const auto &[places, part] : slices.mapped()) total.value = added(total.value, places, part);
  }
  if (!var->name.empty()) Builder::name(total.value, "d" + var->name);
  return total;
}

Term Cotangents::plain(const Cotangent &cotangent) { return masked(cotangent, builder_); }

// ---------------------------------------------------------------- steps

namespace {
/// What is built meanwhile belongs to this place of the program.
class AtPlace {
public:
  AtPlace(Builder &builder, Span place) : builder_(builder), outer_(builder.here) {
    if (place.valid()) builder.here = place;
  }
  AtPlace(const AtPlace &) = delete;
  AtPlace &operator=(const AtPlace &) = delete;
  ~AtPlace() { builder_.here = outer_; }

private:
  Builder &builder_;
  Span outer_;
};
}  // namespace

void LinearStep::pushForward(Tangents &tangents, Builder &builder) const {
  const AtPlace at(builder, place_);
  Term total;
  for (const Edge &edge : edges_) {
    auto from = tangents.find(edge.from);
    if (from == tangents.end()) continue;
    Term part = pushedForward(edge, from->second, builder);
    total = total ? builder.apply(ElementwiseOp::Add, {total, part}) : part;
  }
  if (!total) return;
  total = builder.reshape(total, tangentType(out_->type));
  if (!out_->name.empty()) Builder::name(total, "d" + out_->name);
  tangents[out_] = total;
}

bool LinearStep::isAsked(std::set<const checked::Var *> &asked) const {
  if (!asked.count(out_)) return false;
  for (const Edge &edge : edges_) asked.insert(edge.from);
  return true;
}

void LinearStep::pullBack(Cotangents &cotangents) const {
  const AtPlace at(cotangents.builder(), place_);
  Cotangent cotangent = cotangents.take(out_);
  if (!cotangent.value) return;
  for (const Edge &edge : edges_)
    if (!cotangents.addInPlace(edge, cotangent)) cotangents.add(edge.from, pulledBack(edge, cotangent, cotangents.builder()));
}

namespace {
Term scaled(const Edge &edge, const Term &value, Builder &builder) {
  switch (edge.kind) {
  case Edge::Kind::Negated: return builder.apply(ElementwiseOp::Neg, {value});
  case Edge::Kind::Over: return builder.apply(ElementwiseOp::Div, {value, edge.factor});
  case Edge::Kind::Times:
  case Edge::Kind::Chosen:
    return edge.factor ? builder.apply(ElementwiseOp::Mul, {value, edge.factor}) : value;
  default: return value;
  }
}

/// The operation on a tangent in the place of its operand. What is joined with a tangent has none itself: zeros.
Term moved(const Edge &edge, const Term &tangent, Builder &builder) {
  const checked::Expr &op = *edge.op;
  DType dtype = tangent->type.dtype;
  if (op.kind == ExprKind::Cast) return builder.cast(tangent, tangentDType(op.type.dtype));
  checked::ExprPtr e = checked::clone(op);
  e->type = checked::withDType(op.type, op.kind == ExprKind::Dot ? tangentDType(op.type.dtype) : dtype);
  e->type.numerics = {};
  Term operand = tangent;
  if (op.kind == ExprKind::Dot) {
    const checked::Type &wanted = op.args[edge.operand]->type;
    int rank = static_cast<int>(wanted.shape.size());
    operand = builder.cast(operand, wanted.dtype);
    if (edge.repeated) operand = builder.broadcast(operand, wanted.shape, {rank - 2, rank - 1});
  }
  for (size_t i = 0; i < e->args.size(); ++i) {
    if (i == edge.operand) e->args[i] = checked::clone(*operand);
    else if (op.kind == ExprKind::Concat)
      e->args[i] = checked::clone(*builder.number(0, checked::withDType(op.args[i]->type, dtype)));
  }
  return builder.bind(std::move(e));
}
}  // namespace

Term pushedForward(const Edge &edge, const Term &tangent, Builder &builder) {
  if (edge.kind == Edge::Kind::Moved) return moved(edge, tangent, builder);
  Term value = scaled(edge, tangent, builder);
  if (edge.kind != Edge::Kind::Chosen) return value;
  Term zero = builder.number(0, edge.condition->type.kind == TypeKind::Tensor
                                    ? checked::withDType(edge.condition->type, value->type.dtype)
                                    : value->type);
  return edge.when ? builder.select(edge.condition, value, zero) : builder.select(edge.condition, zero, value);
}

Cotangent pulledBack(const Edge &edge, const Cotangent &cotangent, Builder &builder) {
  if (edge.kind == Edge::Kind::Moved) return transposed(edge, cotangent, builder);
  Cotangent back{scaled(edge, cotangent.value, builder), cotangent.mask};
  if (edge.kind != Edge::Kind::Chosen) return back;
  Term holds = edge.when ? edge.condition : builder.apply(ElementwiseOp::Not, {edge.condition});
  back.mask = back.mask ? builder.apply(ElementwiseOp::And, {back.mask, holds}) : holds;
  return back;
}

}  // namespace tessera::autodiff
