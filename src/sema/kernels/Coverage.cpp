// Whether a kernel with a grid of its own reaches all elements of what it
// writes: `N // 128` groups of 128 elements leave the last N % 128 of them as
// they were.
#include "checked/ExprBuild.h"
#include "frontend/Walk.h"
#include "sema/Report.h"
#include "sema/claims/Claims.h"
#include "sema/kernels/Coverage.h"
#include "sema/kernels/Kernels.h"
#include "sema/trace/Trace.h"

namespace tessera::sema {

using shape::Formula;
using shape::Verdict;

namespace {
/// What a name of run time goes through: first, first + step, ..., `count` values.
struct Run {
  Dim first, step, count;
  int gridAxis = -1;  // of group ids
};
std::string nameOf(const Var &var) { return "%" + std::to_string(var.id); }
}  // namespace

void collect(const Block &block, RunNames &names) {
  for (const auto &stmt : block) {
    if (stmt->kind == StmtKind::Let && !stmt->var->reassigned) names.lets[nameOf(*stmt->var)] = stmt->value.get();
    if (stmt->kind == StmtKind::For) names.loops[nameOf(*stmt->var)] = stmt.get();
    collect(stmt->body, names);
    collect(stmt->otherwise, names);
  }
}

std::optional<Dim> dimOf(const Expr &expr, const RunNames &names, int depth) {
  if (depth > 16) return std::nullopt;
  Dim dim;
  switch (expr.kind) {
  case ExprKind::Constant:
    if (auto *number = std::get_if<int64_t>(&expr.as<node::Constant>().value)) return Dim(*number);
    return std::nullopt;
  case ExprKind::DimValue: dim = expr.as<node::DimValue>().dim; break;
  case ExprKind::VarRef: dim = Dim::var(nameOf(*expr.as<node::VarRef>().var)); break;
  case ExprKind::Query: return Dim::var(queryName(expr.as<node::Query>().what, expr.as<node::Query>().axis));
  case ExprKind::Elementwise: {
    if (expr.args.size() != 2) return std::nullopt;
    auto a = dimOf(*expr.args[0], names, depth + 1), b = dimOf(*expr.args[1], names, depth + 1);
    if (!a || !b) return std::nullopt;
    switch (expr.as<node::Elementwise>().op) {
    case ElementwiseOp::Add: return *a + *b;
    case ElementwiseOp::Sub: return *a - *b;
    case ElementwiseOp::Mul: return *a * *b;
    default: return std::nullopt;
    }
  }
  default: return std::nullopt;
  }
  std::set<std::string> vars;
  dim.collectVars(vars);
  for (const std::string &v : vars)
    if (auto let = names.lets.find(v); let != names.lets.end()) {
      auto value = dimOf(*let->second, names, depth + 1);
      if (!value) return std::nullopt;
      dim = dim.substitute({{v, *value}});
    }
  return dim;
}

/// Whether it is the place of a lane, of `extent` in a group, or that behind the lanes of the groups before.
static bool countsAlong(const Dim &index, const Dim &lane, int64_t extent, const KernelInfo &kernel) {
  bool found = index == lane;
  for (size_t axis = 0; axis < kernel.gridDims.size(); ++axis)
    found |= index == Dim::var(queryName(Query::GroupId, static_cast<int>(axis))) * Dim(extent) + lane;
  return found;
}

bool countsLanes(const Dim &index, const KernelInfo &kernel, const std::vector<int64_t> &groupExtents, const shape::Facts &facts) {
  if (kernel.grid != GridKind::Explicit || kernel.groupSize == 0 || kernel.gridDims.empty()) return false;
  const Dim lane = Dim::var(queryName(Query::LocalId));
  bool found = index == Dim::var(queryName(Query::LinearId)) || countsAlong(index, lane, kernel.groupSize, kernel);
  int64_t stride = 1;
  for (size_t axis = 0; groupExtents.size() > 1 && axis < groupExtents.size(); stride *= groupExtents[axis++]) {
    Dim place = stride > 1 ? Dim::floorDiv(lane, Dim(stride)) : lane;
    if (axis + 1 < groupExtents.size()) place = Dim::mod(place, Dim(groupExtents[axis]));
    found |= countsAlong(index, facts.simplify(place), groupExtents[axis], kernel);
  }
  return found;
}

namespace {
/// The number of groups along an axis, as it is written in `@kernel(grid=...)`.
const ast::Expr *gridItem(const ast::FuncDef &def, int axis) {
  for (const ast::Decorator &decorator : def.decorators) {
    auto *call = ast::as<ast::CallExpr>(decorator.expression);
    for (size_t i = 0; call && i < call->arguments.size(); ++i) {
      const ast::Argument &arg = call->arguments[i];
      if (!arg.keyword || arg.keyword->text != "grid" || arg.value->kind != ast::ExprKind::Tuple) continue;
      const auto &items = static_cast<const ast::SequenceExpr &>(*arg.value).items;
      if (axis >= 0 && static_cast<size_t>(axis) < items.size()) return items[static_cast<size_t>(axis)].get();
    }
  }
  return nullptr;
}

/// In how many places statements store to this name, `y[i] = v`.
int storesTo(const std::string &name, const ast::Block &block) {
  int count = 0;
  auto counts = [&](const ast::Expr *target) {
    auto *part = ast::as<ast::SubscriptExpr>(target);
    auto *object = part ? ast::as<ast::NameExpr>(part->object) : nullptr;
    count += object && object->name == name;
  };
  for (const ast::StmtPtr &stmt : block) {
    if (auto *assign = ast::as<ast::AssignStmt>(stmt))
      for (const ast::ExprPtr &target : assign->targets) counts(target.get());
    if (auto *change = ast::as<ast::AugAssignStmt>(stmt)) counts(change->target.get());
    for (const ast::Block *inner : ast::blocksOf(*stmt)) count += storesTo(name, *inner);
  }
  return count;
}

/// `tile.group_id(axis)` in a function, and what it is multiplied by; null if it does not occur exactly once.
struct GroupOffset {
  const ast::CallExpr *call = nullptr;
  const ast::Expr *factor = nullptr;
  int count = 0;
};
void findGroupOffset(const ast::Expr &expr, const ast::BinaryExpr *product, int axis, GroupOffset &found) {
  if (auto *call = ast::as<ast::CallExpr>(&expr)) {
    auto *callee = ast::as<ast::AttributeExpr>(call->callee);
    auto *at = call->arguments.empty() ? nullptr : ast::as<ast::IntExpr>(call->arguments[0].value);
    if (callee && callee->attribute.text == "group_id" && (at ? static_cast<int>(at->value) : 0) == axis) {
      ++found.count;
      found.call = call;
      found.factor = !product ? nullptr : product->left.get() == &expr ? product->right.get() : product->left.get();
    }
  }
  auto *binary = ast::as<ast::BinaryExpr>(&expr);
  if (binary && binary->op != ast::BinaryOp::Mul) binary = nullptr;
  for (const ast::Expr *child : ast::childrenOf(expr).exprs) findGroupOffset(*child, binary, axis, found);
}
void findGroupOffset(const ast::Stmt &stmt, int axis, GroupOffset &found) {
  ast::Children children = ast::childrenOf(stmt);
  for (const ast::Expr *expr : children.exprs) findGroupOffset(*expr, nullptr, axis, found);
  for (const ast::Stmt *inner : children.stmts) findGroupOffset(*inner, axis, found);
}

/// Whether the kernel asks for its number along every axis of the grid; where it does not, that is what is wrong (GridAxes.cpp).
bool asksForAll(const Context &cx, const ast::FuncDef &def, const KernelInfo &kernel) {
  for (size_t axis = 0; axis < kernel.gridDims.size(); ++axis) {
    if (cx.function.facts.same(kernel.gridDims[axis], Dim(1))) continue;
    GroupOffset asked;
    for (const ast::StmtPtr &stmt : def.body) findGroupOffset(*stmt, static_cast<int>(axis), asked);
    if (asked.count == 0) return false;
  }
  return true;
}

/// Whether a condition says that an index is less than an extent.
bool keepsBelow(const shape::Formula &condition, const Dim &index, const Dim &extent, const shape::Facts &facts) {
  if (condition.kind == shape::Formula::Kind::And)
    return std::any_of(condition.parts.begin(), condition.parts.end(), [&](const shape::Formula &part) { return keepsBelow(part, index, extent, facts); });
  if (condition.kind != shape::Formula::Kind::Claim) return false;
  const shape::Claim &claim = condition.claim;
  const bool less = claim.relation == Relation::Lt, greater = claim.relation == Relation::Gt;
  const Dim &small = less ? claim.left : claim.right, &large = less ? claim.right : claim.left;
  return (less || greater) && facts.simplify(small) == index && facts.same(large, extent);
}
}  // namespace

/// How far the lanes of all groups reach whose place along an axis the index is, and that axis; nothing of other indices.
struct LanesReach {
  int axis = 0;      // of the grid
  int64_t size = 1;  // places along it in each group
  Dim end;
};
static std::optional<LanesReach> lanesReach(const Dim &index, const KernelInfo &kernel, const std::vector<int64_t> &groupExtents, const shape::Facts &facts) {
  const Dim lane = Dim::var(queryName(Query::LocalId));
  const std::vector<int64_t> extents = groupExtents.size() > 1 ? groupExtents : std::vector<int64_t>{kernel.groupSize};
  int64_t stride = 1;
  for (size_t along = 0; along < extents.size(); stride *= extents[along++]) {
    Dim place = stride > 1 ? Dim::floorDiv(lane, Dim(stride)) : lane;
    if (along + 1 < extents.size()) place = Dim::mod(place, Dim(extents[along]));
    place = facts.simplify(place);
    for (size_t axis = 0; axis < kernel.gridDims.size(); ++axis)
      if (index == Dim::var(queryName(Query::GroupId, static_cast<int>(axis))) * Dim(extents[along]) + place)
        return LanesReach{static_cast<int>(axis), extents[along], kernel.gridDims[axis] * Dim(extents[along])};
  }
  return std::nullopt;
}

/// The same with the groups of the other one of two axes.
static Dim otherReach(const KernelInfo &kernel, const LanesReach &reach) {
  return kernel.gridDims[static_cast<size_t>(1 - reach.axis)] * Dim(reach.size);
}

bool checkLanesReach(Context &cx, const Var &target, const Dim &index, const Dim &extent, size_t axis, Span span) {
  const KernelInfo &kernel = cx.function.fn->kernel;
  if (kernel.grid != GridKind::Explicit || kernel.groupSize == 0 || extent.isConstant() || mentionsRebound(cx, index)) return false;
  const bool isGuarded = std::any_of(cx.function.path.begin(), cx.function.path.end(), [&](const auto &condition) { return condition && keepsBelow(*condition, index, extent, cx.function.facts); });
  const ast::FuncDef *def = cx.function.frame->function ? cx.function.frame->function->def : nullptr;
  if (!isGuarded || !def || storesTo(target.name, def->body) != 1 || !asksForAll(cx, *def, kernel)) return false;
  const auto reach = lanesReach(index, kernel, cx.function.groupExtents, cx.function.facts);
  if (!reach) return false;
  const shape::Formula whole(reach->end, Relation::Ge, extent);
  if (cx.function.facts.decide(whole) != Verdict::Refuted) return false;
  // Axes in the wrong order are one mistake.
  if (!cx.reportedSpans.insert({static_cast<int>(Id::unwrittenOutput), def->span.file, def->span.begin}).second || !fresh(cx, Id::unwrittenOutput, span)) return true;
  auto builder = report(cx, Id::unwrittenOutput, span, target.name);
  builder.label("along axis " + std::to_string(axis) + " the guard lets " + show(cx, extent) + " elements in, and there are lanes for " + show(cx, reach->end));
  const ast::Expr *item = gridItem(*def, reach->axis), *other = kernel.gridDims.size() == 2 ? gridItem(*def, 1 - reach->axis) : nullptr;
  if (item && other && cx.function.facts.proves({otherReach(kernel, *reach), Relation::Ge, extent})) {
    const auto &[first, second] = reach->axis == 0 ? std::pair(item, other) : std::pair(other, item);
    builder.suggest(first->span.to(second->span), std::string(cx.sources.text(second->span)) + ", " + std::string(cx.sources.text(first->span)), "count the groups in the other order");
  }
  if (item) builder.note(item->span, "so many groups stand along axis " + std::to_string(reach->axis) + " of the grid");
  explainClaim(cx, builder, whole);
  return true;
}

Dim launchedLanes(const KernelInfo &kernel) {
  if (kernel.grid == GridKind::Lanes || kernel.gridDims.empty()) return kernel.laneExtent;
  return kernel.gridDims[0] * Dim(kernel.groupSize);
}

static std::optional<Run> runOf(const std::string &name, const RunNames &names, const KernelInfo &kernel) {
  for (size_t axis = 0; axis < kernel.gridDims.size(); ++axis)
    if (name == queryName(Query::GroupId, static_cast<int>(axis)))
      return Run{Dim(0), Dim(1), kernel.gridDims[axis], static_cast<int>(axis)};
  if (name == queryName(Query::LinearId) && kernel.groupSize > 0 && !kernel.gridDims.empty())
    return Run{Dim(0), Dim(1), launchedLanes(kernel)};
  auto loop = names.loops.find(name);
  if (loop == names.loops.end()) return std::nullopt;
  auto start = dimOf(*loop->second->start, names), stop = dimOf(*loop->second->stop, names),
       step = dimOf(*loop->second->step, names);
  if (!start || !stop || !step) return std::nullopt;
  for (const Dim *d : {&*start, &*stop, &*step}) {
    std::set<std::string> vars;
    d->collectVars(vars);
    for (const std::string &v : vars)
      if (v[0] == '%') return std::nullopt;
  }
  return Run{*start, *step, Dim::ceilDiv(*stop - *start, *step)};
}

std::optional<Cover> coverOf(const IndexPart &part, const RunNames &names, const KernelInfo &kernel) {
  if (!part.offset || (!part.isPoint && part.step != 1)) return std::nullopt;
  auto offset = dimOf(*part.offset, names);
  if (!offset) return std::nullopt;
  Dim size = part.isPoint ? Dim(1) : part.size;
  const std::string lane = queryName(Query::LocalId);
  if (Dim first = offset->substitute({{lane, Dim(0)}}); part.isPoint && kernel.groupSize > 0 && !(first == *offset)) {
    if (!(first + Dim::var(lane) == *offset)) return std::nullopt;
    offset = first;  // the lanes stand side by side
    size = Dim(kernel.groupSize);
  }
  std::set<std::string> vars, running;
  offset->collectVars(vars);
  for (const std::string &v : vars)
    if (v[0] == '%') running.insert(v);
  const bool byLanes = part.isPoint && !(size == Dim(1));
  if (running.empty() && byLanes) return Cover{*offset, Dim(0), size, Dim(1)};
  if (running.size() != 1) return std::nullopt;
  const std::string &name = *running.begin();
  auto run = runOf(name, names, kernel);
  if (!run) return std::nullopt;
  Dim base = offset->substitute({{name, Dim(0)}}), stride = offset->substitute({{name, Dim(1)}}) - base;
  if (!(base + stride * Dim::var(name) == *offset)) return std::nullopt;
  return Cover{base + stride * run->first, stride * run->step, size, run->count, run->gridAxis};
}

bool suggestStride(Context &cx, diag::Builder &builder, const Stmt &store, size_t axis) {
  RunNames names;
  collect(cx.function.fn->body, names);
  auto cover = coverOf(store.access.parts[axis], names, cx.function.fn->kernel);
  const ast::FuncDef *def = cx.function.frame->function ? cx.function.frame->function->def : nullptr;
  if (!def || !cover || cover->gridAxis < 0 || cover->stride == cover->size) return false;
  const Dim &extent = store.access.base->type.shape[axis];
  cover->stride = cover->size;
  bool enough = cx.function.facts.proves(cover->whole(extent));
  if (!enough || !cx.function.facts.same(cover->count, Dim::ceilDiv(extent, cover->size))) return false;
  GroupOffset offset;
  for (const ast::StmtPtr &stmt : def->body) findGroupOffset(*stmt, cover->gridAxis, offset);
  std::string size = show(cx, cover->size);
  if (offset.count != 1) return false;
  if (offset.factor) builder.suggest(offset.factor->span, size, "a group has " + size + " elements");
  else
    builder.suggest({offset.call->span.file, offset.call->span.end, offset.call->span.end}, " * " + size,
                    "a group has " + size + " elements");
  return true;
}

/// Offers another number of groups, if all is reached then: `cdiv(N, 128)` for `N // 128`, and for groups of 64 elements
/// `cdiv(N, 64)`.
static void moreGroups(Context &cx, diag::Builder &builder, const Cover &cover, const Dim &extent) {
  const ast::FuncDef *def = cx.function.frame->function ? cx.function.frame->function->def : nullptr;
  const ast::Expr *item = def ? gridItem(*def, cover.gridAxis) : nullptr;
  auto reaches = [&](const Value &of, const Dim &by) {
    Cover other = cover;
    if (of.kind == ValueKind::Int) other.count = Dim::ceilDiv(of.sym, by);
    return of.kind == ValueKind::Int && cx.function.facts.proves(other.whole(extent));
  };
  if (auto *division = ast::as<ast::BinaryExpr>(item); division && division->op == ast::BinaryOp::FloorDiv) {
    Value by = checkExpr(cx, *division->right);
    if (by.kind == ValueKind::Int && reaches(checkExpr(cx, *division->left), by.sym))
      builder.fix(division->span,
                  "cdiv(" + std::string(cx.sources.text(division->left->span)) + ", " +
                      std::string(cx.sources.text(division->right->span)) + ")",
                  "round the number of groups up");
  }
  auto *call = ast::as<ast::CallExpr>(item);
  if (!call || call->arguments.size() != 2 || cx.sources.text(call->callee->span) != "cdiv") return;
  if (reaches(checkExpr(cx, *call->arguments[0].value), cover.stride))
    builder.suggest(call->arguments[1].value->span, show(cx, cover.stride),
                    "a group has " + show(cx, cover.stride) + " elements");
}

void checkCoverage(Context &cx) {
  if (cx.function.fn->kernel.grid != GridKind::Explicit) return;
  std::map<const Var *, std::vector<const Stmt *>> stores;
  std::function<void(const Block &)> find = [&](const Block &block) {
    for (const auto &stmt : block) {
      if (stmt->kind == StmtKind::Store) stores[stmt->access.base].push_back(stmt.get());
      find(stmt->body);
      find(stmt->otherwise);
    }
  };
  find(cx.function.fn->body);
  RunNames names;
  collect(cx.function.fn->body, names);
  for (const Param &param : cx.function.fn->params) {
    auto it = stores.find(param.var);
    if (param.mode != ParamMode::Out || it == stores.end() || it->second.size() != 1) continue;
    const Stmt &store = *it->second[0];
    const std::vector<Dim> &extents = param.var->type.shape;
    for (size_t axis = 0; axis < extents.size() && axis < store.access.parts.size(); ++axis) {
      auto cover = coverOf(store.access.parts[axis], names, cx.function.fn->kernel);
      if (!cover) continue;
      Formula whole = cover->whole(extents[axis]);
      if (cx.function.facts.decide(whole) != Verdict::Refuted || !fresh(cx, Id::unwrittenOutput, store.span)) continue;
      auto builder = report(cx, Id::unwrittenOutput, store.span, param.var->name);
      bool gaps = cx.function.facts.proves({cover->stride, Relation::Gt, cover->size});
      builder.label("along axis " + std::to_string(axis) + " this reaches " +
                    (gaps ? show(cx, cover->size) + " elements of each " + show(cx, cover->stride)
                          : "the indices " + show(cx, cover->base) + ".." + show(cx, cover->end() - Dim(1)) + " of " +
                                show(cx, extents[axis])));
      if (!suggestStride(cx, builder, store, axis)) moreGroups(cx, builder, *cover, extents[axis]);
      explainClaim(cx, builder, whole);
      if (!gaps) builder.help("`cdiv(a, b)` is the number of groups of b elements that reach all of a");
      break;
    }
  }
}

}  // namespace tessera::sema
