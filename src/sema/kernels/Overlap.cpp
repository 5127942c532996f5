// Whether a kernel with a grid of its own writes each element from one group:
// parts of 128 elements that begin at multiples of 64 overlap, and which group
// comes last is not defined.
#include "checked/ExprBuild.h"
#include "sema/Report.h"
#include "sema/kernels/Coverage.h"
#include "sema/kernels/Kernels.h"
#include <algorithm>

namespace tessera::sema {

using shape::Formula;
using shape::Verdict;

namespace {

/// The queries that an index depends on, also through the bounds of loops;
/// nothing if something else decides it.
std::optional<std::set<std::string>> queriesOf(const Dim &dim, const RunNames &names, int depth = 0) {
  std::set<std::string> vars, found;
  dim.collectVars(vars);
  for (const std::string &v : vars) {
    if (v[0] != '%') continue;
    if (v.rfind("%q:", 0) == 0) {
      found.insert(v);
      continue;
    }
    auto loop = names.loops.find(v);
    if (loop == names.loops.end() || depth > 8) return std::nullopt;
    for (const ExprPtr *bound : {&loop->second->start, &loop->second->stop, &loop->second->step}) {
      auto value = dimOf(**bound, names);
      auto inner = value ? queriesOf(*value, names, depth + 1) : std::nullopt;
      if (!inner) return std::nullopt;
      found.insert(inner->begin(), inner->end());
    }
  }
  return found;
}

/// What a store reaches along each axis, and the queries behind it.
struct AxisIndex {
  Dim offset;
  std::set<std::string> queries;
};
std::optional<std::vector<AxisIndex>> indicesOf(const Access &access, const RunNames &names) {
  std::vector<AxisIndex> axes;
  for (const IndexPart &part : access.parts) {
    auto offset = part.offset ? dimOf(*part.offset, names) : std::optional(Dim(0));
    auto queries = offset ? queriesOf(*offset, names) : std::nullopt;
    if (!queries) return std::nullopt;
    axes.push_back({std::move(*offset), std::move(*queries)});
  }
  return axes;
}

/// The stores that every group does, those under `if index < extent:` included,
/// where the index is one of their own.
struct SureStores {
  const RunNames &names;
  std::vector<Dim> masks;
  std::vector<const Stmt *> stores;
  std::vector<const Stmt *> ofSomeLanes;  // `if lane == 0:`, in every group
  int lanes = 0;  // how many conditions of lanes are around

  /// Whether a condition asks for the lane alone, so that it is the same in each group.
  bool asksForLane(const Expr &c) const {
    if (c.kind != ExprKind::Elementwise || c.args.size() != 2) return false;
    bool ofLane = false;
    for (const ExprPtr &arg : c.args) {
      auto side = dimOf(*arg, names);
      auto queries = side ? queriesOf(*side, names) : std::nullopt;
      if (!queries) return false;
      for (const std::string &query : *queries) {
        if (query != queryName(Query::LocalId) && query != queryName(Query::LaneId)) return false;
        ofLane = true;
      }
    }
    return ofLane;
  }

  bool isMasked(const Stmt &store) const {
    auto axes = indicesOf(store.access, names);
    if (!axes) return false;
    for (const Dim &mask : masks) {
      bool own = false;
      for (const AxisIndex &axis : *axes) own |= axis.offset == mask;
      if (!own) return false;
    }
    return true;
  }
  void find(const Block &block) {
    for (const auto &stmt : block) {
      if (stmt->kind == StmtKind::Store && isMasked(*stmt)) (lanes > 0 ? ofSomeLanes : stores).push_back(stmt.get());
      if (stmt->kind != StmtKind::If) {
        find(stmt->body);
        continue;
      }
      const Expr &c = *stmt->condition;
      if (asksForLane(c)) {
        ++lanes, find(stmt->body), --lanes;
        continue;
      }
      bool compares = c.kind == ExprKind::Elementwise && c.as<node::Elementwise>().op == ElementwiseOp::Lt && c.args.size() == 2;
      auto mask = compares ? dimOf(*c.args[0], names) : std::nullopt;
      auto end = compares ? dimOf(*c.args[1], names) : std::nullopt;
      if (!mask || !end || !end->isVar() || end->varName()[0] == '%') continue;
      masks.push_back(*mask);
      find(stmt->body);
      masks.pop_back();
    }
  }
};

/// Whether the groups that store to one element store the same value there: one
/// that does not depend on the group, or that comes from the same place of
/// other tensors.
class SameValues {
public:
  SameValues(const Function &kernel, const RunNames &names, std::set<std::string> groups, const Stmt &store,
             std::optional<size_t> along)
      : names_(names), groups_(std::move(groups)), base_(store.access.base) {
    define(kernel.body);
    if (along) offset_ = dimOf(*store.access.parts[*along].offset, names);
  }
  bool hold(const Expr &value) {
    if (!depends(value)) return true;
    if (!offset_) return false;
    switch (value.kind) {
    case ExprKind::Elementwise:
    case ExprKind::Cast:
    case ExprKind::Broadcast:
      return std::all_of(value.args.begin(), value.args.end(), [&](const ExprPtr &arg) { return hold(*arg); });
    case ExprKind::VarRef: {
      auto let = names_.lets.find("%" + std::to_string(value.as<node::VarRef>().var->id));
      return let != names_.lets.end() && hold(*let->second);
    }
    case ExprKind::Load: {
      const Access &access = value.as<node::Load>().access;
      return access.base != base_ && samePlace(access);
    }
    default: return false;
    }
  }

private:
  void define(const Block &block) {
    for (const auto &stmt : block) {
      if (stmt->var)
        for (const ExprPtr *e : {&stmt->value, &stmt->start, &stmt->stop, &stmt->step})
          if (*e) values_[stmt->var].push_back(e->get());
      if (stmt->kind == StmtKind::Store && stmt->value) values_[stmt->access.base].push_back(stmt->value.get());
      define(stmt->body);
      define(stmt->otherwise);
    }
  }
  /// Whether the value may differ between groups, or is read from what the
  /// store writes.
  bool depends(const Expr &value) {
    auto *query = value.get<node::Query>();
    bool found = query && groups_.count(queryName(query->what, query->axis));
    if (const Dim *dim = writtenDim(value)) {
      std::set<std::string> vars;
      dim->collectVars(vars);
      for (const std::string &v : vars) found |= groups_.count(v) > 0;
    }
    if (const Var *var = varOf(value)) found |= dependsVar(var);
    if (const Access *access = accessOf(value)) {
      found |= access->base && (access->base == base_ || dependsVar(access->base));
      for (const IndexPart &part : access->parts) found |= part.offset && depends(*part.offset);
    }
    for (const ExprPtr &arg : value.args) found |= depends(*arg);
    return found;
  }
  bool dependsVar(const Var *var) {
    auto [known, isNew] = depends_.emplace(var, false);
    if (!isNew) return known->second;
    bool found = false;
    for (const Expr *value : values_[var]) found |= depends(*value);
    return depends_[var] = found;
  }
  /// Loads of what stands a fixed way off the element that is written.
  bool samePlace(const Access &access) {
    for (const IndexPart &part : access.parts) {
      if (!part.offset || !depends(*part.offset)) continue;
      auto offset = dimOf(*part.offset, names_);
      std::set<std::string> vars;
      if (offset) (*offset - *offset_).collectVars(vars);
      bool moves = std::any_of(vars.begin(), vars.end(), [](const std::string &v) { return v[0] == '%'; });
      if (!offset || moves || part.step != 1) return false;
    }
    return !access.other || hold(*access.other);
  }

  const RunNames &names_;
  std::set<std::string> groups_;
  const Var *base_;
  std::optional<Dim> offset_;
  std::map<const Var *, std::vector<const Expr *>> values_;
  std::map<const Var *, bool> depends_;
};
}  // namespace

void checkOverlap(Context &cx) {
  const KernelInfo &kernel = cx.function.fn->kernel;
  if (kernel.grid != GridKind::Explicit) return;
  RunNames names;
  collect(cx.function.fn->body, names);
  SureStores sure{names, {}, {}, {}};
  sure.find(cx.function.fn->body);
  std::vector<const Stmt *> stores = sure.stores;
  stores.insert(stores.end(), sure.ofSomeLanes.begin(), sure.ofSomeLanes.end());
  for (size_t i = 0; i < stores.size(); ++i) {
    const Stmt *store = stores[i];
    const bool ofSomeLanes = i >= sure.stores.size();  // how far a group reaches is not known then
    const Var &base = *store->access.base;
    auto axes = indicesOf(store->access, names);
    bool isResult = std::any_of(cx.function.fn->params.begin(), cx.function.fn->params.end(),
                                [&](const Param &p) { return p.var == &base && p.isResult; });
    if (base.type.kind != TypeKind::View || !axes || isResult) continue;
    for (size_t g = 0; g < kernel.gridDims.size(); ++g) {
      const std::string group = queryName(Query::GroupId, static_cast<int>(g)), all = queryName(Query::LinearId);
      std::vector<size_t> by;  // axes whose index depends on the group
      for (size_t a = 0; a < axes->size(); ++a)
        if ((*axes)[a].queries.count(group) || (g == 0 && (*axes)[a].queries.count(all))) by.push_back(a);
      auto cover = by.size() == 1 ? coverOf(store->access.parts[by[0]], names, kernel) : std::nullopt;
      bool along = cover && cover->gridAxis == static_cast<int>(g) &&
                   cx.function.facts.proves({cover->stride, Relation::Ge, Dim(0)});
      if (!by.empty() && (!along || ofSomeLanes)) continue;
      const Dim extent = along ? base.type.shape[by[0]] : Dim(0);
      Formula apart = along ? cover->apart(extent) : Formula(kernel.gridDims[g], Relation::Le, Dim(1));
      SameValues same(*cx.function.fn, names, {group, g == 0 ? all : group}, *store,
                      along ? std::optional(by[0]) : std::nullopt);
      bool harmless = cx.function.facts.decide(apart) != Verdict::Refuted || same.hold(*store->value);
      if (harmless || !fresh(cx, Id::writtenTwice, store->span)) continue;
      auto builder = report(cx, Id::writtenTwice, store->span, base.name);
      std::string number = kernel.gridDims.size() > 1 ? " along axis " + std::to_string(g) + " of the grid" : "";
      builder.label(along ? "a group writes " + show(cx, cover->size) + " elements, and the next" + number +
                                " begins " + show(cx, cover->stride) + " behind it"
                          : "every group" + number + " writes here");
      if (!along || !suggestStride(cx, builder, *store, by[0]))
        builder.help("the order of groups is not defined: let each write a "
                     "part of its own, that begins at "
                     "`tile.group_id(" +
                     std::to_string(g) + ")` times its size");
      return;
    }
  }
}

}  // namespace tessera::sema
