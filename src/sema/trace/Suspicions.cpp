// Programs that have a meaning, but hardly the one that was meant: what a loop
// computes and drops, what depends on the size of a tile, what lanes disagree
// about.
#include "checked/ExprBuild.h"
#include "frontend/Walk.h"
#include "sema/Report.h"
#include "sema/claims/Claims.h"
#include "sema/kernels/Coverage.h"
#include "sema/trace/Held.h"
#include "sema/trace/Trace.h"
#include <algorithm>
#include <cctype>

namespace tessera::sema {

using ast::as;

namespace {

size_t occurrences(std::string_view text, std::string_view word) {
  auto inWord = [&](size_t i) {
    return i < text.size() && (std::isalnum(static_cast<unsigned char>(text[i])) || text[i] == '_');
  };
  size_t count = 0;
  for (size_t at = text.find(word); at != std::string_view::npos; at = text.find(word, at + 1))
    count += !(at > 0 && inWord(at - 1)) && !inWord(at + word.size());
  return count;
}

/// The names in a condition that is made of names and numbers alone; false if anything else is in it.
bool namesOf(const ast::Expr &expr, std::set<std::string> &names) {
  switch (expr.kind) {
  case ast::ExprKind::Name: names.insert(static_cast<const ast::NameExpr &>(expr).name); return true;
  case ast::ExprKind::Int:
  case ast::ExprKind::Float:
  case ast::ExprKind::Bool: return true;
  case ast::ExprKind::Unary: return namesOf(*static_cast<const ast::UnaryExpr &>(expr).operand, names);
  case ast::ExprKind::Binary: {
    auto &binary = static_cast<const ast::BinaryExpr &>(expr);
    return namesOf(*binary.left, names) && namesOf(*binary.right, names);
  }
  case ast::ExprKind::Compare:
  case ast::ExprKind::BoolOp: {
    auto &operands = expr.kind == ast::ExprKind::Compare ? static_cast<const ast::CompareExpr &>(expr).operands
                                                         : static_cast<const ast::BoolOpExpr &>(expr).operands;
    return std::all_of(operands.begin(), operands.end(), [&](const ast::ExprPtr &e) { return namesOf(*e, names); });
  }
  default: return false;
  }
}

}  // namespace
bool leaves(const ast::Block &block) {
  return std::any_of(block.begin(), block.end(), [](const ast::StmtPtr &stmt) {
    if (stmt->kind == ast::StmtKind::Break || stmt->kind == ast::StmtKind::Return || stmt->kind == ast::StmtKind::Raise)
      return true;
    if (auto *s = as<ast::IfStmt>(stmt)) return leaves(s->then) || leaves(s->otherwise);
    if (auto *s = as<ast::ForStmt>(stmt)) return leaves(s->body);
    if (auto *s = as<ast::WhileStmt>(stmt)) return leaves(s->body);
    if (auto *s = as<ast::WithStmt>(stmt)) return leaves(s->body);
    return false;
  });
}

namespace {
/// The call `range(...)` that stands there as what a loop goes over.
const ast::CallExpr *rangeAt(const ast::Block &block, Span span) {
  for (const ast::StmtPtr &stmt : block) {
    if (span.begin < stmt->span.begin || stmt->span.end < span.end) continue;
    if (auto *loop = as<ast::ForStmt>(stmt); loop && loop->iterable->span == span)
      return as<ast::CallExpr>(loop->iterable);
    for (const ast::Block *inner : ast::blocksOf(*stmt))
      if (auto *found = rangeAt(*inner, span)) return found;
  }
  return nullptr;
}

/// `K` of `cdiv(K, T.k)`; null if it is something else.
const ast::Expr *dividedInto(const ast::Expr &expr, const std::string &parts, const Sources &sources) {
  auto *call = as<ast::CallExpr>(&expr);
  auto *division = as<ast::BinaryExpr>(&expr);
  if (call && call->arguments.size() == 2 && sources.text(call->callee->span) == "cdiv" &&
      sources.text(call->arguments[1].value->span) == parts)
    return call->arguments[0].value.get();
  bool divides = division && division->op == ast::BinaryOp::FloorDiv && sources.text(division->right->span) == parts;
  return divides ? division->left.get() : nullptr;
}

}  // namespace

bool neverEnds(Context &cx, const ast::WhileStmt &loop) {
  std::set<std::string> names, assigned;
  if (!namesOf(*loop.condition, names) || names.empty() || leaves(loop.body)) return false;
  collectAssigned(loop.body, assigned);
  if (inHost(cx)) collectChangedLists(loop.body, assigned);
  for (const std::string &name : names)
    if (assigned.count(name)) return false;
  Value condition = checkExpr(cx, *loop.condition);
  if (condition.isPoison()) return false;
  if (auto known = knownCondition(condition); known && !*known) return false;
  if (fresh(cx, Id::badConstant, loop.condition->span))
    report(cx, Id::badConstant, loop.condition->span, "this loop never ends")
        .label("nothing in the loop changes " + (names.size() == 1 ? "`" + *names.begin() + "`" : std::string("it")));
  return true;
}

static bool isReadBehind(const Context &cx, const std::string &name, uint32_t place);

void lastTurnOnly(Context &cx, const ast::ForStmt &loop) {
  if (inHost(cx) || loop.body.empty()) return;
  Span body = loop.body.front()->span.to(loop.body.back()->span);
  std::string_view text = cx.sources.text(body);
  for (const ast::StmtPtr &stmt : loop.body) {
    auto *assign = as<ast::AssignStmt>(stmt);
    auto *name = assign && assign->targets.size() == 1 ? as<ast::NameExpr>(assign->targets[0]) : nullptr;
    if (!name || name->name == "_" || occurrences(text, name->name) != 1) continue;
    auto it = cx.function.frame->names.find(name->name);
    if (it == cx.function.frame->names.end() || !it->second.isBound() || it->second.value.kind != ValueKind::Array)
      continue;
    if (!isReadBehind(cx, name->name, loop.span.end)) continue;
    if (cx.reportedSpans.count({static_cast<int>(Id::lastTurnOnly), stmt->span.file, stmt->span.begin})) continue;
    auto builder = warn(cx, Id::lastTurnOnly, stmt->span, name->name);
    builder.note(it->second.span, "the value from here, and those of the turns before, are dropped");
    Span between{stmt->span.file, name->span.end, assign->value->span.begin};
    if (cx.sources.text(between) == " = ") builder.suggest(between, " += ", "add them up");
  }
}

/// Whether the function that is being read mentions the name behind this place.
static bool isReadBehind(const Context &cx, const std::string &name, uint32_t place) {
  const ast::FuncDef *def = cx.function.frame->function ? cx.function.frame->function->def : nullptr;
  if (!def || def->span.end <= place) return false;
  return occurrences(cx.sources.text({def->span.file, place, def->span.end}), name) > 0;
}

void overlappingSlices(Context &cx, const Value &start, const Dim &length, Span span) {
  if (!start.sym.isVar() || !length.isVar() || !shape::isPositiveName(length.varName())) return;
  auto it = cx.function.loopsByOne.find(start.sym.varName());
  if (it == cx.function.loopsByOne.end() ||
      cx.reportedSpans.count({static_cast<int>(Id::overlappingSlices), it->second.file, it->second.begin}))
    return;
  auto builder = warn(cx, Id::overlappingSlices, it->second, show(cx, length));
  const std::string by = show(cx, length);
  const ast::FuncDef *def = cx.function.frame->function ? cx.function.frame->function->def : nullptr;
  const ast::CallExpr *range = def ? rangeAt(def->body, it->second) : nullptr;
  const size_t count = range ? range->arguments.size() : 0;
  const ast::Expr *whole = count > 0 ? dividedInto(*range->arguments.back().value, by, cx.sources) : nullptr;
  builder.label(whole ? "it counts blocks of " + by : "it goes on by 1")
      .note(span, whole ? "the slices want elements" : "a turn takes " + by + " elements here");
  if (count == 0) return;
  std::string stop(cx.sources.text((whole ? whole : range->arguments.back().value.get())->span));
  const uint32_t close = it->second.end - 1;
  if (count == 2 && whole) builder.suggest(range->arguments[1].span, stop + ", " + by, "count elements, and go on by " + by);
  else if (count == 2 && stop == by)  // `range(K, T.k)`, which begins at K
    builder.suggest(range->arguments[0].span, "0, " + std::string(cx.sources.text(range->arguments[0].span)), "begin at 0, and go on by " + by);
  else if (count == 2) builder.suggest({it->second.file, close, close}, ", " + by, "go on by " + by);
  else if (range->callee->kind == ast::ExprKind::Name && cx.sources.text(def->span).find(" tile.") != std::string::npos)
    builder.suggest(it->second, "tile.range(0, " + stop + ", " + by + ")", "go on by " + by);
  else builder.suggest(range->arguments[0].span, "0, " + stop + ", " + by, "go on by " + by);
}

void lanesWalkTogether(Context &cx, const ast::ForStmt &loop, const Value &start, const Value &stop) {
  auto *range = as<ast::CallExpr>(loop.iterable);
  if (!inKernel(cx) || !range || loop.body.empty() || mentionsRebound(cx, start.sym) || mentionsRebound(cx, stop.sym))
    return;
  const Dim first = cx.function.facts.simplify(start.sym), end = cx.function.facts.simplify(stop.sym);
  auto mentions = [](const Dim &dim, const std::string &name) {
    std::set<std::string> vars;
    dim.collectVars(vars);
    return vars.count(name) > 0;
  };
  std::string lane = queryName(Query::LocalId);
  if (!mentions(first, lane) && cx.function.fn->kernel.grid == GridKind::Explicit) lane = queryName(Query::LinearId);
  if (!mentions(first, lane) || mentions(first - Dim::var(lane), lane) || mentions(end, lane)) return;
  std::string_view body = cx.sources.text(loop.body.front()->span.to(loop.body.back()->span));
  auto *target = as<ast::NameExpr>(loop.target);
  for (const auto &[name, binding] : cx.function.frame->names)
    if (binding.value.kind == ValueKind::Int && (!target || name != target->name) && occurrences(body, name) &&
        mentions(cx.function.facts.simplify(binding.value.sym), lane))
      return;
  for (const char *query : {"local_id", "linear_id", "lane_id"})
    if (occurrences(body, query)) return;
  Span span = range->span;
  if (cx.reportedSpans.count({static_cast<int>(Id::lanesWalkTogether), span.file, span.begin})) return;
  auto builder = warn(cx, Id::lanesWalkTogether, span);
  builder.label("each lane starts one further than the one before it, and goes on by 1")
      .help("the lanes share the elements out if each goes on by as many as there are lanes; if it is meant so, "
            "write the step: `, 1`");
  std::string_view callee = cx.sources.text(range->callee->span);
  size_t prefix = callee.rfind('.');
  if (prefix == std::string_view::npos || cx.sources.text(span).back() != ')') return;
  std::string space(callee.substr(0, prefix + 1)), lanes = space + "group_size()";
  if (lane != queryName(Query::LocalId)) lanes += " * " + space + "group_count(0)";
  builder.suggest({span.file, span.end - 1, span.end - 1}, ", " + lanes, "go on by the number of lanes");
}

bool dependsOnTile(Context &cx, const Dim &extent, const std::string &what, Span span) {
  if (!inKernel(cx) || cx.function.fn->kernel.grid != GridKind::Output || !cx.function.loopMarks.empty()) return false;
  if (!extent.isVar() || !shape::isPositiveName(extent.varName())) return false;
  if (fresh(cx, Id::dependsOnTile, span))
    report(cx, Id::dependsOnTile, span, what, show(cx, extent))
        .help("the schedule decides how many that are, and must not change the result: take the whole axis, `:`, or "
              "go over its tiles in a loop");
  return true;
}

bool lanesDisagree(Context &cx, const Value &value, Span span) {
  const KernelInfo &kernel = cx.function.fn->kernel;
  if (value.expr && isVarying(*value.expr)) {
    if (fresh(cx, Id::lanesDisagree, span))
      report(cx, Id::lanesDisagree, span)
          .label("each lane has its own")
          .help("bring them together in shared memory, with barriers, and return one element of it");
    return true;
  }
  bool several = kernel.grid == GridKind::Explicit && std::any_of(kernel.gridDims.begin(), kernel.gridDims.end(),
                                                                  [](const Dim &d) { return !(d == Dim(1)); });
  if (several && fresh(cx, Id::badKernelOption, span))
    report(cx, Id::badKernelOption, span, "each group returns one value, but this kernel has more than one group")
        .help("one group, `grid=(1,)`, or an output with an element for each group");
  return several;
}

void unwrittenResults(Context &cx, const ast::FuncDef &def, const std::set<Var *> &stored) {
  auto *last = def.body.empty() ? nullptr : as<ast::ReturnStmt>(def.body.back());
  std::vector<std::string> written;
  for (const Param &p : cx.function.fn->params)
    if (stored.count(p.var) && !p.isResult) written.push_back(p.var->name);
  for (const FunctionResult &result : cx.function.fn->results) {
    if (result.param < 0 || cx.function.fn->params[static_cast<size_t>(result.param)].isResult) continue;
    const Var *var = cx.function.fn->params[static_cast<size_t>(result.param)].var;
    if (stored.count(cx.function.fn->params[static_cast<size_t>(result.param)].var)) continue;
    Span span = last && last->value ? last->value->span : def.name.span;
    if (!fresh(cx, Id::unwrittenResult, span)) continue;
    auto builder = report(cx, Id::unwrittenResult, span, var->name);
    if (written.size() == 1 && cx.sources.text(span) == var->name)
      builder.suggest(span, written[0], "return `" + written[0] + "`, which is written to");
  }
}

bool saidOutside(const Context &cx, const Dim &index, Span span) {
  const ast::FuncDef *def = cx.function.frame->function ? cx.function.frame->function->def : nullptr;
  auto lineOf = [&](Span at) { return cx.sources.file(at.file).lineColumn(at.begin).line; };
  const auto &said = cx.diagnostics.all();
  return std::any_of(said.begin(), said.end(), [&](const diag::Diagnostic &d) {
    bool here = def && d.id == Id::outOfBounds && d.span.file == span.file && d.span.begin >= def->span.begin &&
                d.span.end <= def->span.end;
    return here && (lineOf(d.span) == lineOf(span) || d.message.rfind("the index " + show(cx, index) + " ", 0) == 0);
  });
}

bool guardedElsewhere(Context &cx, const Dim &index, const std::vector<Dim> &extents, size_t axis, Span span) {
  const shape::Facts &facts = cx.function.facts;
  const Dim &extent = extents[axis];
  if (!inKernel(cx) || cx.function.path.empty() || index.isConstant() || extent.isConstant()) return false;
  auto isBelow = [&](const Dim &end) { return facts.proves({index, Relation::Lt, end}); };
  auto other = std::find_if(extents.begin(), extents.end(), [&](const Dim &one) {
    return !one.isConstant() && !facts.same(one, extent) && isBelow(one);
  });
  if (other == extents.end() || isBelow(extent)) return false;
  if (!fresh(cx, Id::outOfBounds, span) || saidOutside(cx, index, span)) return true;
  report(cx, Id::outOfBounds, span, show(cx, index), "a dimension of " + show(cx, extent))
      .label("the condition around it keeps it below `" + show(cx, *other) + "`, the extent of another axis")
      .help("a guard compares each index with the extent of its own axis");
  return true;
}

bool counterOutside(Context &cx, const Dim &number, const Dim &extent, Span span) {
  if (!inKernel(cx)) return false;
  const Dim index =
      number.isVar() && cx.function.counters.count(number.varName()) ? number : cx.function.facts.simplify(number);
  const bool isLane = countsLanes(index, cx.function.fn->kernel, cx.function.groupExtents, cx.function.facts);
  if (!index.isVar() && !isLane) return false;
  auto isQuery = [&](Query q) {
    return index.varName().rfind("%q:" + std::to_string(static_cast<int>(q)) + ":", 0) == 0;
  };
  bool counts = isLane || isQuery(Query::Origin) || (isQuery(Query::LinearId) && cx.function.lanesKnown) ||
                (isQuery(Query::GroupId) && cx.function.fn->kernel.grid == GridKind::Explicit) ||
                cx.function.counters.count(index.varName());
  if (!counts) return false;
  auto inside = shape::Formula::all({{index, Relation::Ge, Dim(0)}, {index, Relation::Lt, extent}});
  const bool launched = index == Dim::var(queryName(Query::LinearId)) && (cx.function.lanesGiven || isLane);
  if (launched)
    inside = shape::Formula::any({inside, shape::Formula(index, Relation::Ge, launchedLanes(cx.function.fn->kernel))});
  if (cx.function.facts.decide(inside) != shape::Verdict::Refuted) return false;
  if (!fresh(cx, Id::outOfBounds, span) || saidOutside(cx, index, span)) return true;
  auto builder = report(cx, Id::outOfBounds, span, show(cx, index), "a dimension of " + show(cx, extent));
  if (!isLane) {
    explainClaim(cx, builder, inside);
    return true;
  }
  std::set<std::string> vars;  // to state that there are no lanes too many is seldom what was meant
  inside.collectVars(vars);
  for (const std::string &v : vars) noteDimension(cx, builder, v);
  if (auto sizes = cx.function.facts.explain(inside).breaks; sizes && !sizesText(cx, *sizes, vars).empty())
    builder.help("the smallest sizes that break it: " + sizesText(cx, *sizes, vars));
  return true;
}

/// `acc += dot(a, b, acc)`, which has added acc already. True after a message.
static bool addsTwice(const ast::AugAssignStmt &stmt, const Sources &sources) {
  auto *call = as<ast::CallExpr>(stmt.value);
  if (!call || stmt.op != ast::BinaryOp::Add || stmt.target->kind != ast::ExprKind::Name) return false;
  auto *method = as<ast::AttributeExpr>(call->callee);
  std::string_view name = method ? std::string_view(method->attribute.text) : sources.text(call->callee->span);
  if (name != "dot" && name != "mma") return false;
  for (size_t i = 0; i < call->arguments.size(); ++i) {
    const ast::Argument &arg = call->arguments[i];
    bool accumulates = arg.keyword ? arg.keyword->text == "acc" : i == 2;
    if (accumulates && sources.text(arg.value->span) == sources.text(stmt.target->span)) return true;
  }
  return false;
}

bool addsToModule(Context &cx, const ast::AugAssignStmt &stmt) {
  auto *name = as<ast::NameExpr>(stmt.target);
  if (!name) return false;
  if (addsTwice(stmt, cx.sources)) {
    const Span sign{stmt.span.file, stmt.target->span.end, stmt.value->span.begin};
    const Span callee = static_cast<const ast::CallExpr &>(*stmt.value).callee->span;
    if (fresh(cx, Id::badConstant, stmt.value->span))
      report(cx, Id::badConstant, stmt.value->span, "`" + name->name + "` is counted twice")
          .label("the last argument is added to the product already")
          .suggest(sign, " = ", "take what `" + std::string(cx.sources.text(callee)) + "` returns");
    return true;
  }
  for (Frame *f = cx.function.frame.get(); f; f = f->parent.get())
    if (f->names.count(name->name) || f->dims.count(name->name)) return false;
  if (!cx.function.frame->module || !cx.function.frame->module->names.count(name->name)) return false;
  if (fresh(cx, Id::maybeUnassigned, stmt.target->span))
    report(cx, Id::maybeUnassigned, stmt.target->span, name->name)
        .note(cx.function.frame->module->spans[name->name],
              "this is a name of the module, which the function cannot change")
        .help("give the function a name of its own: `" + name->name + "_here = " + name->name + "`");
  assignName(cx, name->name, Value::poison(), stmt.target->span);
  return true;
}

bool assertsNothing(Context &cx, const ast::AssertStmt &stmt, const Value &condition) {
  if (condition.kind != ValueKind::String && !(condition.isSequence() && !condition.items.empty())) return false;
  if (!fresh(cx, Id::notACondition, stmt.condition->span)) return true;
  auto builder =
      report(cx, Id::notACondition, stmt.condition->span, describe(cx, condition) + ", which is always true");
  auto *pair = stmt.condition->kind == ast::ExprKind::Tuple
                   ? static_cast<const ast::SequenceExpr *>(stmt.condition.get())
                   : nullptr;
  if (pair && pair->items.size() == 2 && !stmt.message)
    builder.suggest(stmt.condition->span,
                    std::string(cx.sources.text(pair->items[0]->span)) + ", " +
                        std::string(cx.sources.text(pair->items[1]->span)),
                    "leave the parentheses out");
  return true;
}

}  // namespace tessera::sema
