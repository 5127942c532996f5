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
      if (!places_[axis].isPoint()) type.shape.push_back(places_[axis].at ? places_[axis].size : whole[axis]);
    if (type.shape.empty()) type.kind = TypeKind::Scalar;
    return type;
  }

  Var *out_, *part_, *old_;
  Places places_;
};

/// What a variable is made of; null if it is none that was written here.
const Expr *madeOf(const Expr &term, const Builder &builder) { return builder.definition(Term(checked::clone(term))); }

/// The index that an array repeats everywhere.
Term indexOf(const Expr &everywhere, const Builder &builder) {
  const Expr *e = &everywhere;
  if (const Expr *full = madeOf(*e, builder)) e = full;
  if (e->kind == ExprKind::Full) e = e->args[0].get();
  if (const Expr *cast = madeOf(*e, builder)) e = cast;
  if (e->kind == ExprKind::Cast) e = e->args[0].get();
  return e->type.kind == TypeKind::Index ? Term(checked::clone(*e)) : nullptr;
}

bool isCounted(const Expr &term, const Builder &builder) {
  const Expr *e = madeOf(term, builder);
  if (e && e->kind == ExprKind::Cast) e = madeOf(*e->args[0], builder);
  return e && e->kind == ExprKind::Iota;
}

/// The places at which a condition holds: `iota == index`, `iota >= start`, `iota < end`, repeated along all other axes.
class Holding {
public:
  Holding(const std::vector<Dim> &shape, const Builder &builder) : shape_(shape), builder_(builder), starts_(shape.size()), ends_(shape.size()), points_(shape.size()) {}

  /// False if the condition is something else.
  bool find(const Term &condition) {
    std::vector<size_t> axes(shape_.size());
    for (size_t i = 0; i < axes.size(); ++i) axes[i] = i;
    return find(condition, axes);
  }
  /// Nothing if the size of a part is not known before it runs.
  std::optional<Places> places(Builder &builder) const {
    Places places(shape_.size());
    for (size_t axis = 0; axis < shape_.size(); ++axis) {
      if (points_[axis]) places[axis] = points_[axis];
      if (points_[axis] || (!starts_[axis] && !ends_[axis])) continue;
      auto start = starts_[axis] ? dimOf(*starts_[axis]) : Dim(0), end = ends_[axis] ? dimOf(*ends_[axis]) : shape_[axis];
      if (!start || !end || isOfRunTime(*end - *start)) return std::nullopt;
      places[axis] = {starts_[axis] ? starts_[axis] : builder.index(Dim(0)), *end - *start};
    }
    return places;
  }

private:
  bool find(const Term &condition, const std::vector<size_t> &axes) {
    const Expr *e = builder_.definition(condition);
    if (!e) return false;
    if (auto *broadcast = e->get<node::Broadcast>()) {
      std::vector<size_t> inner;
      for (int axis : broadcast->axes) inner.push_back(axes[static_cast<size_t>(axis)]);
      return find(Term(checked::clone(*e->args[0])), inner);
    }
    auto *op = e->get<node::Elementwise>();
    if (!op || e->args.size() != 2) return false;
    if (op->op == ElementwiseOp::And) return find(Term(checked::clone(*e->args[0])), axes) && find(Term(checked::clone(*e->args[1])), axes);
    Term index = isCounted(*e->args[0], builder_) ? indexOf(*e->args[1], builder_) : nullptr;
    if (!index || axes.size() != 1) return false;
    const size_t axis = axes[0];
    if (op->op == ElementwiseOp::Eq && !points_[axis] && !starts_[axis] && !ends_[axis]) return points_[axis] = index, true;
    if (op->op == ElementwiseOp::Ge && !points_[axis] && !starts_[axis]) return starts_[axis] = index, true;
    if (op->op == ElementwiseOp::Lt && !points_[axis] && !ends_[axis]) return ends_[axis] = index, true;
    return false;
  }

  const std::vector<Dim> &shape_;
  const Builder &builder_;
  std::vector<Term> starts_, ends_, points_;
};

/// Whether elements are taken from `number - start`: a part, moved to where it goes.
bool movesTo(const Expr &gather, const Term &start, const Builder &builder) {
  const Expr *numbers = madeOf(*gather.args[1], builder);
  auto *op = numbers ? numbers->get<node::Elementwise>() : nullptr;
  auto begin = dimOf(*start);
  if (!op) return begin && *begin == Dim(0) && isCounted(*gather.args[1], builder);
  if (op->op != ElementwiseOp::Sub || !isCounted(*numbers->args[0], builder)) return false;
  Term from = indexOf(*numbers->args[1], builder);
  auto first = from ? dimOf(*from) : std::nullopt;
  return first && begin && *first == *begin;
}

/// What is repeated, and moved, to the shape of all: along axes at a point it has one element or no axis, along those of a range the
/// elements of the range. Null if it is something else.
Term partOf(Term value, const Places &places, const Builder &builder) {
  std::vector<size_t> axes(places.size()), ranges, kept;
  for (size_t axis = 0; axis < places.size(); ++axis) {
    axes[axis] = axis;
    if (places[axis].isRange()) ranges.push_back(axis);
    if (!places[axis].isPoint()) kept.push_back(axis);
  }
  while (true) {
    std::vector<size_t> own;
    for (size_t i = 0; i < axes.size(); ++i)
      if (!places[axes[i]].isPoint() || !(value->type.shape[i] == Dim(1))) own.push_back(axes[i]);
    if (ranges.empty() && own == kept) return value;
    const Expr *made = builder.definition(value);
    if (!made) return nullptr;
    if (auto *broadcast = made->get<node::Broadcast>()) {
      const std::vector<Dim> &from = made->args[0]->type.shape;
      std::vector<size_t> inner;
      for (size_t i = 0; i < axes.size(); ++i) {
        auto at = std::find(broadcast->axes.begin(), broadcast->axes.end(), static_cast<int>(i));
        bool isSame = at != broadcast->axes.end() && from[static_cast<size_t>(at - broadcast->axes.begin())] == made->type.shape[i];
        if (!isSame && !places[axes[i]].isPoint()) return nullptr;
        if (at != broadcast->axes.end()) inner.push_back(axes[i]);
      }
      axes = std::move(inner);
    } else if (auto *gather = made->get<node::Gather>(); gather && gather->along == std::vector<int>{gather->axis}) {
      auto range = std::find(ranges.begin(), ranges.end(), axes[static_cast<size_t>(gather->axis)]);
      if (range == ranges.end() || !movesTo(*made, places[*range].at, builder)) return nullptr;
      ranges.erase(range);
    } else if (made->kind == ExprKind::Full) {
      if (!kept.empty()) return nullptr;
      axes.clear();
    } else {
      return nullptr;
    }
    value = Term(checked::clone(*made->args[0]));
  }
}

}  // namespace

/// False if it is not a part at an index that changes.
bool Trace::linearizeUpdate(Var *out, const Expr &op) {
  Holding holding(op.type.shape, builder_);
  if (!holding.find(Term(checked::clone(*op.args[0])))) return false;
  auto places = holding.places(builder_);
  auto stays = [](const AxisPlace &place) { return !place.at || (dimOf(*place.at) && dimOf(*place.at)->isConstant()); };
  if (!places || std::all_of(places->begin(), places->end(), stays)) return false;
  Term part(checked::clone(*op.args[1])), old(checked::clone(*op.args[2]));
  if (isActive(part)) {
    part = partOf(part, *places, builder_);
    if (!part || !isActive(part)) return false;
  }
  Var *from = isActive(part) ? checked::varOf(*part) : nullptr, *before = isActive(old) ? checked::varOf(*old) : nullptr;
  activate(out, from ? from : before);
  steps_.push_back(std::make_unique<UpdateStep>(out, from, before, std::move(*places)));
  return true;
}

}  // namespace tessera::autodiff
