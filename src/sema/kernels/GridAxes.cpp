// An axis of the grid whose number nothing in the kernel reads: all groups along it do the same.
#include "checked/ExprBuild.h"
#include "frontend/Walk.h"
#include "sema/Report.h"
#include "sema/kernels/Kernels.h"
#include <algorithm>

namespace tessera::sema {

using ast::as;

namespace {

/// The calls `tile.group_id(0)` of a function, by the axis that stands in them, from the front.
using AxisCalls = std::map<size_t, std::vector<Span>>;

void collectCalls(const ast::Expr &expr, const Sources &sources, AxisCalls &calls) {
  auto *call = as<ast::CallExpr>(&expr);
  auto *method = call ? as<ast::AttributeExpr>(call->callee) : nullptr;
  auto *axis = method && method->attribute.text == "group_id" && call->arguments.size() == 1 ? as<ast::IntExpr>(call->arguments[0].value) : nullptr;
  if (axis) calls[static_cast<size_t>(axis->value)].push_back(axis->span);
  for (const ast::Expr *child : ast::childrenOf(expr).exprs) collectCalls(*child, sources, calls);
}
void collectCalls(const ast::Block &block, const Sources &sources, AxisCalls &calls) {
  for (const ast::StmtPtr &stmt : block) {
    for (const ast::Expr *e : ast::childrenOf(*stmt).exprs) collectCalls(*e, sources, calls);
    for (const ast::Block *inner : ast::blocksOf(*stmt)) collectCalls(*inner, sources, calls);
  }
}

/// Which axes of the grid the kernel asks for its own number along.
std::set<size_t> axesRead(Function &kernel) {
  std::set<size_t> read;
  visitExprs(kernel.body, [&](Expr &e) {
    if (e.kind != ExprKind::Query) return;
    const auto &query = e.as<node::Query>();
    if (query.what == Query::GroupId || query.what == Query::Origin) read.insert(static_cast<size_t>(query.axis));
    if (query.what == Query::LinearId) read.insert(0);
  });
  return read;
}

}  // namespace

void checkGridAxes(Context &cx, const ast::FuncDef &def) {
  const KernelInfo &kernel = cx.function.fn->kernel;
  if (kernel.grid != GridKind::Explicit || kernel.gridDims.size() < 2) return;
  const std::set<size_t> read = axesRead(*cx.function.fn);
  AxisCalls calls;
  collectCalls(def.body, cx.sources, calls);
  for (size_t axis = 0; axis < kernel.gridDims.size(); ++axis) {
    if (read.count(axis) || cx.function.facts.same(kernel.gridDims[axis], Dim(1))) continue;
    const auto twice = std::find_if(calls.begin(), calls.end(), [](const auto &one) { return one.second.size() > 1; });
    const Span span = twice == calls.end() ? def.name.span : twice->second.back();
    if (cx.reportedSpans.count({static_cast<int>(Id::unreadGridAxis), span.file, span.begin})) return;
    const std::string number = std::to_string(axis);
    auto builder = warn(cx, Id::unreadGridAxis, span, def.name.text, number);
    builder.label("all groups along that axis do the same")
        .help("a group finds its part by its number along each axis of the grid: `tile.group_id(" + number + ")`");
    if (twice != calls.end()) builder.suggest(span, number, "ask for the number along axis " + number);
    return;
  }
}

}  // namespace tessera::sema
