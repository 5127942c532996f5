// Operands that fit together, and were hardly meant to: the same part of a tensor on both sides, a column beside a row of its
// own length, a comparison with what equals nothing.
#include "frontend/Walk.h"
#include "sema/Report.h"
#include "sema/trace/Trace.h"
#include <algorithm>
#include <cmath>

namespace tessera::sema {

using ast::as;

namespace {

bool isSaid(const Context &cx, Id id, Span span) {
  return cx.reportedSpans.count({static_cast<int>(id), span.file, span.begin}) != 0;
}

/// `x[1:]`: a part of something, whose other part was meant.
const ast::SubscriptExpr *partIn(const ast::Expr &e) {
  if (auto *part = as<ast::SubscriptExpr>(&e)) return part;
  for (const ast::Expr *child : ast::childrenOf(e).exprs)
    if (auto *part = partIn(*child)) return part;
  return nullptr;
}

/// The part that lies opposite: `[:-1]` of `[1:]`, `[None, :]` of `[:, None]`; empty if there is none.
std::string oppositeIndex(const ast::SubscriptExpr &part, const Sources &sources) {
  std::vector<std::string> items;
  size_t turned = 0, added = part.items.size(), starts = 0;
  for (const ast::Argument &item : part.items) {
    auto *slice = as<ast::SliceExpr>(item.value);
    starts += slice && slice->start && !slice->stop;
  }
  for (size_t i = 0; i < part.items.size(); ++i) {
    const ast::Expr &item = *part.items[i].value;
    auto *slice = as<ast::SliceExpr>(&item);
    items.emplace_back(sources.text(item.span));
    if (item.kind == ast::ExprKind::None) added = i;
    if (!slice || slice->step || !slice->start == !slice->stop) continue;
    if (starts == 1 && !slice->start) continue;  // `v[:-1, 1:] - v[:-1, :-1]`: what is later stands in front
    const ast::Expr &bound = slice->start ? *slice->start : *slice->stop;
    auto *minus = as<ast::UnaryExpr>(&bound);
    if (slice->start && bound.kind == ast::ExprKind::Int) items[i] = ":-" + std::string(sources.text(bound.span)), ++turned;
    else if (slice->stop && minus && minus->operand->kind == ast::ExprKind::Int) items[i] = std::string(sources.text(minus->operand->span)) + ":", ++turned;
  }
  if (turned == 0 && added < items.size() && items.size() == 2) std::swap(items[0], items[1]), ++turned;
  if (turned != 1) return "";
  std::string all;
  for (const std::string &item : items) all += (all.empty() ? "[" : ", ") + item;
  return all + "]";
}

/// Whether a function says anywhere how an axis of extent 1 comes about: then pairs may be meant.
bool makesAxes(std::string_view text) {
  for (std::string_view word : {"None", "squeeze", "keepdim", "reshape", "broadcast", "expand", "outer", "repeat"})
    if (text.find(word) != std::string_view::npos) return true;
  return false;
}

/// What `x[None, :]` takes, which is the same beside `x`: axes in front change nothing of a pair of operands.
const ast::Expr *behindNewAxes(const ast::Expr &e) {
  auto *part = as<ast::SubscriptExpr>(&e);
  bool behind = false, adds = false;
  for (size_t i = 0; part && i < part->items.size(); ++i) {
    const ast::Expr &item = *part->items[i].value;
    auto *slice = as<ast::SliceExpr>(&item);
    const bool isNew = item.kind == ast::ExprKind::None, isAll = slice && !slice->start && !slice->stop && !slice->step;
    if ((isNew && behind) || (!isNew && !isAll)) return nullptr;
    behind |= isAll, adds |= isNew;
  }
  return adds ? part->object.get() : nullptr;
}

size_t timesIn(std::string_view text, std::string_view part) {
  size_t count = 0;
  for (size_t at = text.find(part); at != std::string_view::npos; at = text.find(part, at + part.size())) ++count;
  return count;
}

/// An operand with an index behind it; in parentheses, if it has them or needs them.
diag::Fix indexed(const ast::Expr &e, const std::string &index, const Sources &sources) {
  const bool primary = e.kind == ast::ExprKind::Name || e.kind == ast::ExprKind::Attribute || e.kind == ast::ExprKind::Call || e.kind == ast::ExprKind::Subscript;
  const uint32_t end = e.span.end;
  if (primary) return {{e.span.file, end, end}, index, ""};
  const std::string &text = sources.file(e.span.file).text;
  const bool enclosed = e.span.begin > 0 && text[e.span.begin - 1] == '(' && end < text.size() && text[end] == ')';
  if (enclosed) return {{e.span.file, end + 1, end + 1}, index, ""};
  return {e.span, "(" + std::string(sources.text(e.span)) + ")" + index, ""};
}

/// The text of a function without the places that `gather` takes its elements from: `gather(p, y[:, None], 1).squeeze(1)` makes
/// an axis for them and takes it away, which says nothing about others.
std::string withoutGathered(const ast::FuncDef &def, const Sources &sources) {
  std::string text(sources.text(def.span));
  std::vector<const ast::Stmt *> open = {&def};
  auto blank = [&](Span span) { std::fill(text.begin() + (span.begin - def.span.begin), text.begin() + (span.end - def.span.begin), ' '); };
  auto isGather = [&](const ast::Expr *e) {
    auto *call = as<ast::CallExpr>(e);
    return call && sources.text(call->callee->span).ends_with("gather");
  };
  auto walk = [&](auto &&self, const ast::Expr &e) -> void {
    auto *call = as<ast::CallExpr>(&e);
    auto *method = call ? as<ast::AttributeExpr>(call->callee) : nullptr;
    if (isGather(&e) || (method && method->attribute.text == "squeeze" && isGather(method->object.get()))) return blank(e.span);
    for (const ast::Expr *child : ast::childrenOf(e).exprs) self(self, *child);
  };
  while (!open.empty()) {
    const ast::Children below = ast::childrenOf(*open.back());
    open.pop_back();
    open.insert(open.end(), below.stmts.begin(), below.stmts.end());
    for (const ast::Expr *e : below.exprs) walk(walk, *e);
  }
  return text;
}

/// Whether a sum or a difference is added up over both axes as it is, `mean(column + row)`: of pairs it would say no more than of each.
bool isAddedUp(const ast::FuncDef &def, const ast::BinaryExpr &expr, const Sources &sources) {
  bool found = false;
  auto walk = [&](auto &&self, const ast::Expr &e) -> void {
    auto *call = as<ast::CallExpr>(&e);
    const bool adds = call && call->arguments.size() == 1 && call->arguments[0].value.get() == &expr;
    const std::string_view name = adds ? sources.text(call->callee->span) : std::string_view();
    found |= name == "mean" || name == "sum";
    for (const ast::Expr *child : ast::childrenOf(e).exprs) self(self, *child);
  };
  std::vector<const ast::Stmt *> open = {&def};
  while (!open.empty()) {
    const ast::Children below = ast::childrenOf(*open.back());
    open.pop_back();
    open.insert(open.end(), below.stmts.begin(), below.stmts.end());
    for (const ast::Expr *e : below.exprs) walk(walk, *e);
  }
  const bool linear = expr.op == ast::BinaryOp::Add || expr.op == ast::BinaryOp::Sub;
  return linear && found;
}

bool isColumn(const Value &v) { return v.isArray() && v.type.shape.size() == 2 && v.type.shape[1] == Dim(1); }

}  // namespace

bool addsAxis(const ast::Expr &e) {
  auto *part = as<ast::SubscriptExpr>(&e);
  return part && std::any_of(part->items.begin(), part->items.end(), [](const ast::Argument &item) { return item.value->kind == ast::ExprKind::None; });
}

/// `arange(S) >= arange(S)[None, :]`, where a column is compared with a row in other programs. True after a message.
static bool saysSameBehindAxes(Context &cx, const ast::Expr &left, const ast::Expr &right, const std::string &shown) {
  const ast::Expr *ofLeft = behindNewAxes(left), *ofRight = behindNewAxes(right);
  if (!ofLeft == !ofRight) return false;
  const ast::Expr &plain = ofLeft ? right : left;
  const std::string_view text = cx.sources.text(plain.span);
  const Span span = left.span.to(right.span);
  auto *part = as<ast::SubscriptExpr>(ofLeft ? &left : &right);
  if (text != cx.sources.text((ofLeft ? ofLeft : ofRight)->span) || part->items.size() > 2 || isSaid(cx, Id::sameOperands, span)) return false;
  const diag::Fix column = indexed(plain, "[:, None]", cx.sources);
  auto builder = warn(cx, Id::sameOperands, span, shown, text);
  builder.label("an axis in front does not set them apart");
  builder.assume(column.span, column.replacement, "if pairs are meant, write `[:, None]` on this side");
  return true;
}

void warnOfSameOperands(Context &cx, const ast::Expr &left, const ast::Expr &right, const std::string &shown) {
  const std::string_view text = cx.sources.text(left.span);
  if (!cx.function.frame) return;  // at module level
  if (!inHost(cx) && !cx.libraryFiles.count(left.span.file) && saysSameBehindAxes(cx, left, right, shown)) return;
  if (text != cx.sources.text(right.span) || inHost(cx) || cx.libraryFiles.count(left.span.file)) return;
  const ast::SubscriptExpr *part = partIn(right);
  const Span span = left.span.to(right.span);
  if (!part || isSaid(cx, Id::sameOperands, span)) return;
  auto builder = warn(cx, Id::sameOperands, span, shown, text);
  const std::string opposite = oppositeIndex(*part, cx.sources), of(cx.sources.text(part->object->span));
  const std::string label = shown == "*" ? "each element meets itself alone" : "it is the same for all elements";
  const std::string meant = addsAxis(*part) ? "pairs are" : "neighbours are";
  if (opposite.empty()) {
    builder.label(label).help("if another part of `" + of + "` is meant on one side, write its index there");
    return;
  }
  // `x[1:] - x[:-1]`: what is later stands in front, and a row is compared with a column.
  const bool first = opposite.back() == ']' && opposite[opposite.size() - 2] == ':' && part->items.size() == 1;
  const Span index{part->span.file, part->object->span.end, part->span.end};
  const uint32_t back = first ? right.span.begin - left.span.begin : 0;
  builder.label(label)
      .assume({index.file, index.begin - back, index.end - back}, opposite, "if " + meant + " meant, write `" + of + opposite + "` on this side");
}

/// Of a name that is read in several places, what gives it its value: the axis is left out for all of them.
static const ast::Expr &boundOnce(const ast::Expr &operand, const ast::FuncDef &def) {
  auto *name = as<ast::NameExpr>(&operand);
  const ast::Expr *value = nullptr;
  size_t reads = 0, bindings = 0;
  for (const ast::StmtPtr &stmt : def.body) {
    auto *assign = as<ast::AssignStmt>(stmt);
    const bool binds = name && assign && assign->targets.size() == 1 && as<ast::NameExpr>(assign->targets[0]) && as<ast::NameExpr>(assign->targets[0])->name == name->name;
    if (binds) value = assign->value.get(), ++bindings;
    std::vector<const ast::Expr *> open = binds ? std::vector<const ast::Expr *>{assign->value.get()} : ast::childrenOf(*stmt).exprs;
    while (!open.empty()) {
      const ast::Expr *e = open.back();
      open.pop_back();
      reads += name && as<ast::NameExpr>(e) && as<ast::NameExpr>(e)->name == name->name;
      for (const ast::Expr *child : ast::childrenOf(*e).exprs) open.push_back(child);
    }
  }
  return value && bindings == 1 && reads > 1 ? *value : operand;
}

void warnOfPairs(Context &cx, const Value &a, const Value &b, const ast::BinaryExpr &expr, const std::string &shown) {
  const Span span = expr.span;
  const Callable *function = cx.function.frame ? cx.function.frame->function : nullptr;
  const ast::FuncDef *def = function ? function->def : nullptr;
  const bool leftIsColumn = isColumn(a);
  const Value &column = leftIsColumn ? a : b, &row = leftIsColumn ? b : a;
  if (!def || !isColumn(column) || !row.isArray() || row.type.shape.size() != 1 || inKernel(cx) || inHost(cx)) return;
  const Dim &extent = row.type.shape[0];
  if (extent == Dim(1) || !(extent == column.type.shape[0])) return;
  if (!def->result || cx.libraryFiles.count(span.file) || isSaid(cx, Id::makesPairs, span)) return;
  const std::string name = show(cx, extent);
  if ((makesAxes(withoutGathered(*def, cx.sources)) && !isAddedUp(*def, expr, cx.sources)) || timesIn(cx.sources.text(def->result->span), name) > 1) return;
  const std::string shapes[] = {shapeText(cx, a.type.shape), shapeText(cx, b.type.shape)};
  auto builder = warn(cx, Id::makesPairs, span, shown, shapes[0], shapes[1], shapeText(cx, {extent, extent}));
  builder.label("the axis of extent 1 is spread over all " + name);
  const ast::Expr &ofColumn = leftIsColumn ? *expr.left : *expr.right, &ofRow = leftIsColumn ? *expr.right : *expr.left;
  const diag::Fix without = indexed(boundOnce(ofColumn, *def), "[:, 0]", cx.sources), pairs = indexed(ofRow, "[None, :]", cx.sources);
  builder.assume(without.span, without.replacement, "if each belongs to one, leave the axis of extent 1 out by `[:, 0]`");
  builder.assume(pairs.span, pairs.replacement, "if all pairs are meant, say so by `[None, :]`");
}

void warnOfFloor(Context &cx, const Value &a, const Value &b, const ast::BinaryExpr &expr) {
  // A number by which something is counted: an extent, not a step of whole numbers that is meant.
  const bool counts = b.kind == ValueKind::Int && !b.isKnownInt();
  if (!a.isScalar() || !isFloat(a.type.dtype) || !counts || !cx.function.frame || cx.function.frame->module != cx.main) return;
  if (cx.reportedSpans.count({static_cast<int>(Id::floorsQuotient), expr.opSpan.file, expr.opSpan.begin})) return;
  warn(cx, Id::floorsQuotient, expr.opSpan, std::string(cx.sources.text(expr.span)))
      .help("`/` divides, `//` divides and rounds down, `floor(a / b)` says that this is meant")
      .suggest(expr.opSpan, "/", "divide");
}

bool comparesWithNan(Context &cx, const Value &a, const Value &b, bool differs, Span left, Span right) {
  auto isNan = [](const Value &v) { return v.kind == ValueKind::Float && !v.expr && std::isnan(v.number); };
  if (isNan(a) == isNan(b)) return false;
  const Span span = left.to(right);
  if (!fresh(cx, Id::constantComparison, span)) return true;
  const std::string value(cx.sources.text(isNan(a) ? right : left)), asked = "isnan(" + value + ")";
  report(cx, Id::constantComparison, span, differs ? "true" : "false")
      .label("NAN equals nothing, not even itself")
      .suggest(span, differs ? "~" + asked : asked, "ask for it by `isnan`");
  return true;
}

}  // namespace tessera::sema
