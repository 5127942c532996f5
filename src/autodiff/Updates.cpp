// Parts of arrays that a loop writes, `out[t] = h`: their derivatives are parts of arrays, too, and not arrays of zeros around them.
#include "autodiff/Trace.h"
#include "checked/ExprBuild.h"
#include <algorithm>

namespace tessera::autodiff {

using checked::Expr;
using checked::ExprKind;
using checked::ExprPtr;
using checked::Type;
using checked::TypeKind;
using checked::Var;
namespace node = checked::node;

namespace {

class UpdateStep : public Step {
public:
  UpdateStep(Var *out, Var *part, Var *old, Places places) : out_(out), part_(part), old_(old), places_(std::move(places)) {}

  void pushForward(Tangents &tangents, Builder &builder) const override {
    auto part = part_ ? tangents.find(part_) : tangents.end(), old = old_ ? tangents.find(old_) : tangents.end();
    if (part == tangents.end() && old == tangents.end()) return;
    Term before = old == tangents.end() ? builder.number(0, tangentType(out_->type)) : builder.reshape(old->second, tangentType(out_->type));
    tangents[out_] = builder.update(before, places_, part == tangents.end() ? zero(before, builder) : builder.reshape(part->second, partType(before->type)));
  }
  void pullBack(Cotangents &cotangents) const override {
    Term whole = cotangents.takePlain(out_);
    if (!whole) return;
    Builder &builder = cotangents.builder();
    if (part_) cotangents.add(part_, {builder.reshape(builder.slice(whole, places_), tangentType(part_->type)), nullptr});
    if (old_) cotangents.add(old_, {builder.update(whole, places_, zero(whole, builder)), nullptr});
  }
  bool isAsked(std::set<const Var *> &asked) const override {
    if (!asked.count(out_)) return false;
    if (part_) asked.insert(part_);
    if (old_) asked.insert(old_);
    return true;
  }

private:
  Term zero(const Term &whole, Builder &builder) const { return builder.number(0, partType(whole->type)); }
  Type partType(Type type) const {
    std::vector<Dim> whole;
    std::swap(whole, type.shape);
    for (size_t axis = 0; axis < places_.size(); ++axis)
      if (!places_[axis]) type.shape.push_back(whole[axis]);
    if (type.shape.empty()) type.kind = TypeKind::Scalar;
    return type;
  }

  Var *out_, *part_, *old_;
  Places places_;
};

/// The index that a condition holds at, along an axis: `iota == index`, repeated along all others. False if it is something else.
bool pointOf(const Term &condition, size_t rank, Places &places, const Builder &builder) {
  const Expr *e = builder.definition(condition);
  if (!e) return false;
  if (auto *op = e->get<node::Elementwise>(); op && op->op == ElementwiseOp::And)
    return pointOf(Term(checked::clone(*e->args[0])), rank, places, builder) && pointOf(Term(checked::clone(*e->args[1])), rank, places, builder);
  size_t axis = 0;
  if (auto *broadcast = e->get<node::Broadcast>()) {
    if (broadcast->axes.size() != 1) return false;
    axis = static_cast<size_t>(broadcast->axes[0]);
    e = builder.definition(Term(checked::clone(*e->args[0])));
  } else if (rank != 1) {
    return false;
  }
  auto *equal = e ? e->get<node::Elementwise>() : nullptr;
  if (!equal || equal->op != ElementwiseOp::Eq || places[axis]) return false;
  const Expr *counted = builder.definition(Term(checked::clone(*e->args[0])));
  Term index(checked::clone(*e->args[1]));
  if (const Expr *full = builder.definition(index)) index = Term(checked::clone(full->kind == ExprKind::Full ? *full->args[0] : *full));
  if (const Expr *cast = builder.definition(index)) index = Term(checked::clone(cast->kind == ExprKind::Cast ? *cast->args[0] : *cast));
  if (!counted || counted->kind != ExprKind::Iota || index->type.kind != TypeKind::Index) return false;
  places[axis] = index;
  return true;
}

/// Whether a part is repeated to the shape of all: along the axes that have a place, where it has one element or no axis.
bool isRepeated(const Expr &made, const Places &places) {
  std::vector<int> kept, own;
  for (size_t axis = 0; axis < places.size(); ++axis)
    if (!places[axis]) kept.push_back(static_cast<int>(axis));
  if (made.kind == ExprKind::Full) return kept.empty();
  auto *broadcast = made.get<node::Broadcast>();
  if (!broadcast) return false;
  const std::vector<Dim> &shape = made.args[0]->type.shape;
  for (size_t i = 0; i < shape.size(); ++i) {
    if (!places[static_cast<size_t>(broadcast->axes[i])]) own.push_back(broadcast->axes[i]);
    else if (!(shape[i] == Dim(1))) return false;
  }
  return own == kept;
}

}  // namespace

/// False if it is not a part at an index that changes.
bool Trace::linearizeUpdate(Var *out, const Expr &op) {
  Places places(op.type.shape.size());
  if (!pointOf(Term(checked::clone(*op.args[0])), places.size(), places, builder_)) return false;
  if (std::all_of(places.begin(), places.end(), [](const Term &place) { return !place || (dimOf(*place) && dimOf(*place)->isConstant()); })) return false;
  Term part(checked::clone(*op.args[1])), old(checked::clone(*op.args[2]));
  if (isActive(part)) {  // what was repeated to the shape of all
    const Expr *made = builder_.definition(part);
    if (!made || !isRepeated(*made, places) || !isActive(Term(checked::clone(*made->args[0])))) return false;
    part = Term(checked::clone(*made->args[0]));
  }
  Var *from = isActive(part) ? checked::varOf(*part) : nullptr, *before = isActive(old) ? checked::varOf(*old) : nullptr;
  activate(out, from ? from : before);
  steps_.push_back(std::make_unique<UpdateStep>(out, from, before, std::move(places)));
  return true;
}

}  // namespace tessera::autodiff
