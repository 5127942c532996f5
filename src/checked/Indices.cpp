#include "checked/Indices.h"
#include "support/DType.h"
#include <algorithm>
#include <numeric>
#include <set>

namespace tessera::checked {
namespace {

/// An array that is a part of a parameter.
struct Part {
  size_t param = 0;
  std::vector<UsedAxis> axes;
  std::vector<size_t> places;  // of each axis of the array: which axis of the parameter it is; not kept once `isMixed`
  bool isMixed = false;        // the axes of the array are no longer those of the parameter
  bool fromEnd = false;
};

class Finder {
public:
  explicit Finder(const Function &function) : function_(function) {}

  std::vector<IndexParameter> run() {
    block(function_.body);
    return std::move(found_);
  }

private:
  /// What each call reaches: no branches. A loop may have no turn, but one that is meant to have some is no surprise.
  void block(const Block &block) {
    for (const auto &stmt : block) {
      expr(stmt->value.get());
      expr(stmt->extra.get());
      for (const ExprPtr &value : stmt->values) expr(value.get());
      if (stmt->kind == StmtKind::Let && !stmt->var->reassigned) lets_.emplace(stmt->var, stmt->value.get());
      if (stmt->kind == StmtKind::For) this->block(stmt->body);
    }
  }

  void expr(const Expr *e) {
    if (!e) return;
    for (const ExprPtr &arg : e->args) expr(arg.get());
    if (e->kind == ExprKind::Gather) chosen(*e, *e->args[1], e->args[0]->type.shape[static_cast<size_t>(e->as<node::Gather>().axis)], e->args[0].get());
    if (e->kind == ExprKind::ScatterAdd) chosen(*e, *e->args[1], e->type.shape[static_cast<size_t>(e->as<node::ScatterAdd>().axis)], nullptr);
  }

  void chosen(const Expr &choice, const Expr &places, const Dim &extent, const Expr *from) {
    std::optional<Part> part = partOf(places);
    if (!part || !isKnown(extent)) return;
    for (const UsedAxis &axis : part->axes)
      if (!isKnown(axis.begin) || !isKnown(axis.size)) return;
    const std::string of = from && from->kind == ExprKind::VarRef ? from->as<node::VarRef>().var->name : "";
    IndexParameter made{part->param, std::move(part->axes), extent, part->fromEnd, of, choice.span};
    auto isSame = [&](const IndexParameter &other) {
      auto sameAxis = [](const UsedAxis &a, const UsedAxis &b) { return a.begin == b.begin && a.size == b.size && a.step == b.step; };
      return other.param == made.param && other.extent == made.extent && other.fromEnd == made.fromEnd &&
             std::equal(other.axes.begin(), other.axes.end(), made.axes.begin(), made.axes.end(), sameAxis);
    };
    if (std::none_of(found_.begin(), found_.end(), isSame)) found_.push_back(std::move(made));
  }

  /// Whether the arguments of a call say how much it is.
  bool isKnown(const Dim &dim) const {
    std::set<std::string> vars;
    dim.collectVars(vars);
    return std::all_of(vars.begin(), vars.end(), [&](const std::string &name) {
      return std::find(function_.dims.begin(), function_.dims.end(), name) != function_.dims.end();
    });
  }

  const Expr &valueOf(const Expr &e) const {
    const Expr *at = &e;
    while (at->kind == ExprKind::VarRef) {
      auto let = lets_.find(at->as<node::VarRef>().var);
      if (let == lets_.end()) break;
      at = let->second;
    }
    return *at;
  }

  std::optional<Part> partOf(const Expr &whole) const {
    const Expr &e = valueOf(whole);
    switch (e.kind) {
    case ExprKind::VarRef: return parameter(*e.as<node::VarRef>().var);
    case ExprKind::After: return partOf(*e.args[0]);
    case ExprKind::Cast:
      return isInt(e.type.dtype) && isInt(e.args[0]->type.dtype) && info(e.type.dtype).bits >= info(e.args[0]->type.dtype).bits ? partOf(*e.args[0])
                                                                                                                               : std::nullopt;
    case ExprKind::Reshape:
    case ExprKind::Broadcast: {
      std::optional<Part> part = partOf(*e.args[0]);
      if (part) part->isMixed = true;
      return part;
    }
    case ExprKind::Transpose: {
      std::optional<Part> part = partOf(*e.args[0]);
      if (!part || part->isMixed) return part;
      std::vector<size_t> places;
      for (int axis : e.as<node::Transpose>().axes) places.push_back(part->places[static_cast<size_t>(axis)]);
      part->places = std::move(places);
      return part;
    }
    case ExprKind::Slice: return slice(e);
    case ExprKind::Elementwise: return fromEnd(e);
    case ExprKind::Constant:
    case ExprKind::String:
    case ExprKind::DimValue:
    case ExprKind::Reduce:
    case ExprKind::Dot:
    case ExprKind::Full:
    case ExprKind::Table:
    case ExprKind::Iota:
    case ExprKind::Load:
    case ExprKind::Concat:
    case ExprKind::Window:
    case ExprKind::Gather:
    case ExprKind::ScatterAdd:
    case ExprKind::Argsort:
    case ExprKind::Scan:
    case ExprKind::Exchange:
    case ExprKind::Query:
    case ExprKind::Warp:
    case ExprKind::Call:
    case ExprKind::TupleItem:
    case ExprKind::Derivative:
    case ExprKind::Vmap:
    case ExprKind::HostShape:
    case ExprKind::HostRank:
    case ExprKind::HostItem:
    case ExprKind::LoadNpy:
    case ExprKind::HostCall:
    case ExprKind::Format:
    case ExprKind::Opaque: return std::nullopt;
    }
    return std::nullopt;
  }

  std::optional<Part> parameter(const Var &var) const {
    for (size_t i = 0; i < function_.params.size(); ++i) {
      const Param &param = function_.params[i];
      if (param.var != &var || var.reassigned || param.mode != ParamMode::In || var.type.kind != TypeKind::Tensor || !isInt(var.type.dtype)) continue;
      Part part;
      part.param = i;
      for (const Dim &extent : var.type.shape) part.axes.push_back({Dim(0), extent, 1});
      part.places.resize(part.axes.size());
      std::iota(part.places.begin(), part.places.end(), size_t(0));
      return part;
    }
    return std::nullopt;
  }

  std::optional<Part> slice(const Expr &e) const {
    std::optional<Part> part = partOf(*e.args[0]);
    if (!part || part->isMixed) return std::nullopt;
    std::vector<size_t> left;
    const auto &parts = e.as<node::Slice>().access.parts;
    for (size_t i = 0; i < parts.size(); ++i) {
      UsedAxis &axis = part->axes[part->places[i]];
      std::optional<Dim> offset = parts[i].offset ? dimOf(*parts[i].offset) : std::optional(Dim(0));
      if (!offset) return std::nullopt;
      axis.begin = axis.begin + *offset * Dim(axis.step);
      axis.size = parts[i].isPoint ? Dim(1) : parts[i].size;
      axis.step *= parts[i].isPoint ? 1 : parts[i].step;
      if (!parts[i].isPoint) left.push_back(part->places[i]);
    }
    part->places = std::move(left);
    return part;
  }

  std::optional<Dim> dimOf(const Expr &whole) const {
    const Expr &e = valueOf(whole);
    if (e.kind == ExprKind::DimValue) return e.as<node::DimValue>().dim;
    const int64_t *number = e.kind == ExprKind::Constant ? std::get_if<int64_t>(&e.as<node::Constant>().value) : nullptr;
    return number ? std::optional(Dim(*number)) : std::nullopt;
  }

  /// `at + extent` where `at` is below 0, else `at`.
  std::optional<Part> fromEnd(const Expr &e) const {
    if (e.as<node::Elementwise>().op != ElementwiseOp::Select) return std::nullopt;
    const Expr &condition = valueOf(*e.args[0]), &at = *e.args[2];
    const bool compares = condition.kind == ExprKind::Elementwise && condition.as<node::Elementwise>().op == ElementwiseOp::Lt && at.kind == ExprKind::VarRef &&
                          condition.args[0]->kind == ExprKind::VarRef && condition.args[0]->as<node::VarRef>().var == at.as<node::VarRef>().var;
    if (!compares || !isZero(*condition.args[1])) return std::nullopt;
    std::optional<Part> part = partOf(at);
    if (part) part->fromEnd = true;
    return part;
  }

  bool isZero(const Expr &whole) const {
    const Expr &e = valueOf(whole);
    if (e.kind == ExprKind::Broadcast || e.kind == ExprKind::Full || e.kind == ExprKind::Cast) return isZero(*e.args[0]);
    const int64_t *number = e.kind == ExprKind::Constant ? std::get_if<int64_t>(&e.as<node::Constant>().value) : nullptr;
    return number && *number == 0;
  }

  const Function &function_;
  std::map<const Var *, const Expr *> lets_;
  std::vector<IndexParameter> found_;
};

}  // namespace

std::vector<IndexParameter> indexParameters(const Function &function) {
  return function.kind == FunctionKind::Tensor ? Finder(function).run() : std::vector<IndexParameter>();
}

}  // namespace tessera::checked
