#include "checked/FloatWork.h"
#include "support/SetAtPlaces.h"
#include <map>
#include <set>
#include <string>

namespace tessera::checked {

namespace {

using Work = std::optional<Dim>;
using Names = std::map<std::string, Dim>;

Dim elements(const Type &type) {
  Dim count(1);
  for (const Dim &extent : type.shape) count = count * extent;
  return count;
}

Work sum(const Work &a, const Work &b) { return a && b ? Work(*a + *b) : std::nullopt; }
Work times(const Work &a, const Dim &turns) { return a ? Work(*a * turns) : std::nullopt; }
Work substituted(const Work &work, const Names &names) { return work && !names.empty() ? Work(work->substitute(names)) : work; }
bool isNothing(const Work &work) { return work && *work == Dim(0); }

/// What the body of a function does; scalars of a kernel's lanes as often as there are lanes in a group.
class Counter {
public:
  explicit Counter(Dim lanes = Dim(1)) : lanes_(std::move(lanes)) {}

  Work block(const Block &body, size_t from = 0) const {
    Work all = Dim(0);
    for (size_t i = from; i < body.size() && all; ++i) all = sum(all, stmt(*body[i]));
    return all;
  }

  Work expr(const Expr &e) const {
    Work all = own(e);
    for (const ExprPtr &arg : e.args)
      if (arg && all) all = sum(all, expr(*arg));
    return all;
  }

private:
  Dim elementsOf(const Type &type) const { return type.shape.empty() ? lanes_ : elements(type); }
  static bool isFloatValue(const Type &type) { return (type.kind == TypeKind::Scalar || type.isArray()) && isFloat(type.dtype); }

  /// Without its arguments.
  Work own(const Expr &e) const {
    if (auto *each = e.get<node::Elementwise>()) {
      const bool ofProduct = each->op == ElementwiseOp::Add && (e.args[0]->kind == ExprKind::Dot || e.args[1]->kind == ExprKind::Dot);
      const bool counts = isFloatValue(e.type) && each->op != ElementwiseOp::Select && !ofProduct;  // its additions are the product's own
      return counts ? elementsOf(e.type) : Dim(0);
    }
    if (e.get<node::Dot>()) return Dim(2) * elements(e.type) * e.args[0]->type.shape.back();
    if (e.get<node::Reduce>() || e.get<node::Scan>() || e.get<node::ScatterAdd>())
      return isFloatValue(e.type) ? elementsOf(e.args[0]->type) : Dim(0);
    if (auto *call = e.get<node::Call>()) return ofCall(*call->callee, e);
    const bool later = e.get<node::Derivative>() || e.get<node::Vmap>() || e.get<node::Opaque>();
    return later ? std::nullopt : Work(Dim(0));
  }

  /// With the dimensions that the arguments have.
  static Work ofCall(const Function &callee, const Expr &call) {
    Names names;
    size_t next = 0;
    for (const Param &param : callee.params) {
      if (param.isResult || next >= call.args.size()) continue;
      const std::vector<Dim> &declared = param.var->type.shape, &given = call.args[next++]->type.shape;
      for (size_t i = 0; i < declared.size() && i < given.size(); ++i)
        if (declared[i].isVar()) names.emplace(declared[i].varName(), given[i]);
    }
    Work work = floatWork(callee);
    if (!work) return std::nullopt;
    std::set<std::string> left;
    work->collectVars(left);
    for (const std::string &name : left)
      if (!names.count(name)) return std::nullopt;  // known when it runs
    return substituted(work, names);
  }

  Work stmt(const Stmt &s) const {
    Work all = Dim(0);
    for (const ExprPtr *e : {&s.value, &s.extra, &s.condition, &s.start, &s.stop, &s.step})
      if (*e && all) all = sum(all, expr(**e));
    for (const ExprPtr &e : s.values)
      if (all) all = sum(all, expr(*e));
    if (s.kind == StmtKind::Atomic && s.combine != kSetAtPlaces && s.value && isFloatValue(s.value->type)) all = sum(all, elementsOf(s.value->type));
    if (s.kind == StmtKind::For) return sum(all, loop(s));
    if (s.kind == StmtKind::While) return isNothing(block(s.body)) ? all : std::nullopt;
    return s.kind == StmtKind::If ? sum(all, branches(s)) : all;
  }

  /// Of two that work, the one that does more.
  Work branches(const Stmt &s) const {
    Work then = block(s.body), otherwise = block(s.otherwise);
    if (isNothing(otherwise)) return then;
    if (isNothing(then)) return otherwise;
    return then && otherwise ? Work(Dim::max(*then, *otherwise)) : std::nullopt;
  }

  Work loop(const Stmt &s) const {
    Work body = block(s.body);
    if (!body || isNothing(body)) return body;
    auto dim = [](const ExprPtr &e, int64_t absent) {
      if (!e) return std::optional(Dim(absent));
      const Dim *written = writtenDim(*e);
      return written ? std::optional(*written) : std::nullopt;
    };
    std::optional<Dim> start = dim(s.start, 0), stop = dim(s.stop, 0), step = dim(s.step, 1);
    if (!start || !stop || !step) return std::nullopt;
    const Dim length = *stop - *start;
    if (*step == Dim(1)) return times(body, length);
    if (step->isVar()) return substituted(body, {{step->varName(), length}});
    return times(body, Dim::ceilDiv(length, *step));
  }

  Dim lanes_;
};

Work ofKernel(const Function &kernel) {
  const KernelInfo &info = kernel.kernel;
  if (info.grid == GridKind::Lanes) return times(Counter().block(kernel.body), info.laneExtent);
  if (info.grid == GridKind::Explicit) {
    if (info.usesLanes && info.groupSize == 0) return std::nullopt;
    Work work = Counter(info.usesLanes ? Dim(info.groupSize) : Dim(1)).block(kernel.body);
    for (const Dim &extent : info.gridDims) work = times(work, extent);
    return work;
  }
  const Param *output = info.outputParam < 0 ? nullptr : &kernel.params[static_cast<size_t>(info.outputParam)];
  if (!output || info.usesLanes) return std::nullopt;
  Work work = Counter().block(kernel.body);
  Names whole;  // one tile that covers all
  for (size_t axis = 0; axis < info.tileShape.size() && axis < output->var->type.shape.size(); ++axis) {
    const Dim &tile = info.tileShape[axis], &extent = output->var->type.shape[axis];
    if (tile.isVar() && tile.varName().rfind("T.", 0) == 0) whole[tile.varName()] = extent;
    else if (!(tile == extent)) work = times(work, tile == Dim(1) ? extent : Dim::ceilDiv(extent, tile));
  }
  return substituted(work, whole);
}

}  // namespace

std::optional<Dim> floatWork(const Expr &expr) { return Counter().expr(expr); }
std::optional<Dim> floatWork(const Block &block, size_t from) { return Counter().block(block, from); }
std::optional<Dim> floatWork(const Function &function) {
  return function.kind == FunctionKind::Kernel ? ofKernel(function) : Counter().block(function.body);
}

}  // namespace tessera::checked
