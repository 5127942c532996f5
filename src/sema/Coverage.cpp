// Whether a kernel with a grid of its own reaches all elements of what it writes: `N // 128` groups of 128 elements
// leave the last N % 128 of them as they were.
#include "sema/Checker.h"

namespace tessera::sema {

using shape::Formula;
using shape::Verdict;

namespace {
/// What a name of run time goes through: first, first + step, ..., `count` values.
struct Run {
  Dim first, step, count;
  int gridAxis = -1;  // of group ids
};
struct RunNames {
  std::map<std::string, const Expr *> lets;
  std::map<std::string, const Stmt *> loops;
};

std::string nameOf(const Var &var) { return "%" + std::to_string(var.id); }

void collect(const Block &block, RunNames &names) {
  for (const auto &stmt : block) {
    if (stmt->kind == StmtKind::Let && !stmt->var->reassigned) names.lets[nameOf(*stmt->var)] = stmt->value.get();
    if (stmt->kind == StmtKind::For) names.loops[nameOf(*stmt->var)] = stmt.get();
    collect(stmt->body, names);
    collect(stmt->otherwise, names);
  }
}

/// An index as a dimension over "%..." names; nothing if it is read from memory.
std::optional<Dim> dimOf(const Expr &expr, const RunNames &names, int depth = 0) {
  if (depth > 16) return std::nullopt;
  Dim dim;
  switch (expr.kind) {
  case ExprKind::Constant:
    if (auto *number = std::get_if<int64_t>(&expr.value)) return Dim(*number);
    return std::nullopt;
  case ExprKind::DimValue: dim = expr.dim; break;
  case ExprKind::VarRef: dim = Dim::var(nameOf(*expr.var)); break;
  case ExprKind::Query:
    return Dim::var("%q:" + std::to_string(static_cast<int>(expr.query)) + ":" + std::to_string(expr.queryAxis));
  case ExprKind::Elementwise: {
    if (expr.args.size() != 2) return std::nullopt;
    auto a = dimOf(*expr.args[0], names, depth + 1), b = dimOf(*expr.args[1], names, depth + 1);
    if (!a || !b) return std::nullopt;
    switch (expr.op) {
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

std::optional<Run> runOf(const std::string &name, const RunNames &names, const KernelInfo &kernel) {
  auto query = [&](Query q, int axis) { return "%q:" + std::to_string(static_cast<int>(q)) + ":" + std::to_string(axis); };
  for (size_t axis = 0; axis < kernel.gridDims.size(); ++axis)
    if (name == query(Query::GroupId, static_cast<int>(axis))) return Run{Dim(0), Dim(1), kernel.gridDims[axis], static_cast<int>(axis)};
  if (name == query(Query::LinearId, 0) && kernel.groupSize > 0 && !kernel.gridDims.empty())
    return Run{Dim(0), Dim(1), kernel.gridDims[0] * Dim(kernel.groupSize)};
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

/// Stores of `size` elements that begin at `base`, base + stride, ...
struct Cover {
  Dim base, stride, size, count;
  int gridAxis = -1;
  Dim end() const { return base + stride * (count - Dim(1)) + size; }
  /// The claim that they leave no gap before `extent`.
  Formula whole(const Dim &extent) const {
    Formula noGap = Formula::any({Formula(stride, Relation::Le, size), Formula(count, Relation::Le, Dim(1)),
                                  Formula(base + size, Relation::Ge, extent)});
    return Formula::all({noGap, Formula(base, Relation::Le, Dim(0)), Formula(end(), Relation::Ge, extent)});
  }
};

/// What a store reaches along an axis; nothing if its index goes through something else than one run.
std::optional<Cover> coverOf(const IndexPart &part, const RunNames &names, const KernelInfo &kernel) {
  if (!part.offset || (!part.isPoint && part.step != 1)) return std::nullopt;
  auto offset = dimOf(*part.offset, names);
  if (!offset) return std::nullopt;
  std::set<std::string> vars, running;
  offset->collectVars(vars);
  for (const std::string &v : vars)
    if (v[0] == '%') running.insert(v);
  if (running.size() != 1) return std::nullopt;
  const std::string &name = *running.begin();
  auto run = runOf(name, names, kernel);
  if (!run) return std::nullopt;
  Dim base = offset->substitute({{name, Dim(0)}}), stride = offset->substitute({{name, Dim(1)}}) - base;
  if (!(base + stride * Dim::var(name) == *offset)) return std::nullopt;
  return Cover{base + stride * run->first, stride * run->step, part.isPoint ? Dim(1) : part.size, run->count,
               run->gridAxis};
}

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
}  // namespace

/// What a kernel writes and never reads is written as a whole, as far as its one store tells.
void Checker::checkCoverage() {
  if (fn_->kernel.grid != GridKind::Explicit) return;
  std::map<const Var *, std::vector<const Stmt *>> stores;
  std::function<void(const Block &)> find = [&](const Block &block) {
    for (const auto &stmt : block) {
      if (stmt->kind == StmtKind::Store) stores[stmt->access.base].push_back(stmt.get());
      find(stmt->body);
      find(stmt->otherwise);
    }
  };
  find(fn_->body);
  RunNames names;
  collect(fn_->body, names);
  for (const Param &param : fn_->params) {
    auto it = stores.find(param.var);
    if (param.mode != ParamMode::Out || it == stores.end() || it->second.size() != 1) continue;
    const Stmt &store = *it->second[0];
    const std::vector<Dim> &extents = param.var->type.shape;
    for (size_t axis = 0; axis < extents.size() && axis < store.access.parts.size(); ++axis) {
      auto cover = coverOf(store.access.parts[axis], names, fn_->kernel);
      if (!cover) continue;
      Formula whole = cover->whole(extents[axis]);
      if (facts_.decide(whole) != Verdict::Refuted || !fresh(Id::unwrittenOutput, store.span)) continue;
      auto builder = report(Id::unwrittenOutput, store.span, param.var->name);
      bool gaps = facts_.holds(cover->stride, Relation::Gt, cover->size) == Verdict::Proved;
      builder.label("along axis " + std::to_string(axis) + " this reaches " +
                    (gaps ? show(cover->size) + " elements of each " + show(cover->stride)
                          : "the indices " + show(cover->base) + ".." + show(cover->end() - Dim(1)) + " of " +
                                show(extents[axis])));
      // `N // 128` groups: would rounding up be enough?
      const ast::FuncDef *def = frame_->function ? frame_->function->def : nullptr;
      auto *division = def ? ast::as<ast::BinaryExpr>(gridItem(*def, cover->gridAxis)) : nullptr;
      bool rounded = division && division->op == ast::BinaryOp::FloorDiv;
      Value of = rounded ? checkExpr(*division->left) : Value(), by = rounded ? checkExpr(*division->right) : Value();
      if (of.kind == ValueKind::Int && by.kind == ValueKind::Int) cover->count = Dim::ceilDiv(of.sym, by.sym);
      if (rounded && facts_.decide(cover->whole(extents[axis])) == Verdict::Proved)
        builder.fix(division->span,
                    "cdiv(" + std::string(sources_.text(division->left->span)) + ", " +
                        std::string(sources_.text(division->right->span)) + ")",
                    "round the number of groups up");
      explainClaim(builder, whole);
      if (!gaps) builder.help("`cdiv(a, b)` is the number of groups of b elements that reach all of a");
      break;
    }
  }
}

}  // namespace tessera::sema
