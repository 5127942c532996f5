// What a message about shapes says besides its sentence: the sizes that break a claim, which parameters gave the
// dimensions, and the fact that would prove it, as an edit.
#include "sema/Report.h"
#include "sema/claims/Claims.h"
#include "sema/modules/Modules.h"
#include <algorithm>

namespace tessera::sema {

using ast::as;
using shape::Formula;

void assumeMissing(shape::Facts &facts, const Formula &claim) {
  if (facts.proves(claim) || facts.contradictory()) return;
  auto missing = facts.missingFact(claim);
  facts.add(claim);
  if (missing && !facts.proves(claim)) facts.add(*missing);
}

std::string show(const Context &cx, const Formula &formula) {
  if (formula.kind == Formula::Kind::Claim)
    return show(cx, formula.claim.left) + " " + shape::spelling(formula.claim.relation) + " " +
           show(cx, formula.claim.right);
  std::string text;
  for (const Formula &part : formula.parts) {
    if (!text.empty()) text += formula.kind == Formula::Kind::And ? " and " : " or ";
    text += part.kind == Formula::Kind::Claim ? show(cx, part) : "(" + show(cx, part) + ")";
  }
  return text;
}

std::string sizesText(const Context &cx, const shape::Sizes &sizes, const std::set<std::string> &names) {
  bool ofCounter = std::any_of(sizes.begin(), sizes.end(), [&](const auto &size) {
    return names.count(size.first) && !shape::isDimensionName(size.first);
  });
  std::string text;
  for (const auto &[name, value] : sizes)
    if (names.count(name) || (ofCounter && shape::isDimensionName(name)))
      text += (text.empty() ? "" : ", ") + show(cx, Dim::var(name)) + " = " + std::to_string(value);
  return text;
}

bool noteDimension(const Context &cx, diag::Builder &builder, const std::string &name) {
  const ast::FuncDef *def = cx.function.calls.empty() ? nullptr : cx.function.calls.front().callable->def;
  if (!def) return false;
  for (const ast::Parameter &p : def->parameters) {
    if (!p.annotation) continue;
    std::vector<const ast::Expr *> alternatives = alternativesOf(*p.annotation);
    const ast::Expr *type = alternatives[0]->kind == ast::ExprKind::None ? alternatives.back() : alternatives[0];
    if (auto *policy = as<ast::BinaryExpr>(type); policy && policy->op == ast::BinaryOp::MatMul)
      type = policy->left.get();
    auto *index = as<ast::SubscriptExpr>(type);
    if (!index) continue;
    for (size_t i = 0; i < index->items.size(); ++i) {
      const ast::Expr *item = index->items[i].value.get();
      auto *variable = as<ast::NameExpr>(item);
      auto *text = as<ast::StringExpr>(item);
      bool here = (variable && variable->name == name) || (text && text->value == name);
      if (!here) continue;
      std::string_view of = cx.sources.text(index->object->span);
      std::string what = of == "Const"    ? "the value of"
                         : of == "Tensor" ? "dimension " + std::to_string(i) + " of"
                                          : "in the type of";
      builder.note(item->span, "`" + name + "` is " + what + " `" + p.name.text + "`");
      return true;
    }
  }
  return false;
}

/// The edit that writes the fact behind the entry function's `where`.
static void suggestFact(const Context &cx, diag::Builder &builder, const Formula &fact) {
  const ast::FuncDef *def = cx.function.calls.empty() ? nullptr : cx.function.calls.front().callable->def;
  if (!def || inHost(cx)) return;
  std::set<std::string> vars;
  fact.collectVars(vars);
  for (const std::string &v : vars)
    if (std::find(cx.function.fn->dims.begin(), cx.function.fn->dims.end(), v) == cx.function.fn->dims.end()) return;
  uint32_t end = headerEnd(cx, *def);
  std::string text = fact.str();
  builder.assume(Span{def->span.file, end, end}, (def->where.empty() ? " where " : ", ") + text,
                 "if it is meant, say it: `where " + text + "`");
}

namespace {
/// "row 4", "rows 4..9", "indices 4..9 of axis 2"
std::string indicesText(size_t rank, size_t axis, int64_t first, int64_t last) {
  std::string one = rank == 2 ? (axis == 0 ? "row" : "column") : "index", many = rank == 2 ? one + "s" : "indices";
  std::string text = first == last ? one + " " + std::to_string(first)
                                   : many + " " + std::to_string(first) + ".." + std::to_string(last);
  return rank > 2 ? text + " of axis " + std::to_string(axis) : text;
}
}  // namespace

void explainOutside(const Context &cx, diag::Builder &builder, const std::vector<Dim> &shape, size_t axis,
                    const Dim &start, const Dim &last, const Dim &step, const Formula &inside) {
  shape::Sizes sizes = cx.function.facts.sizesWhere(inside.negated()).value_or(shape::Sizes{});
  auto valueOf = [&](const std::string &name) -> std::optional<int64_t> {
    auto it = sizes.find(name);
    return it == sizes.end() ? std::nullopt : std::optional(it->second);
  };
  auto from = start.evaluate(valueOf), to = last.evaluate(valueOf), by = step.evaluate(valueOf),
       extent = shape[axis].evaluate(valueOf);
  if (from && to && by && extent && *by > 0) {
    std::set<std::string> vars;
    inside.collectVars(vars);
    std::string given = sizesText(cx, sizes, vars), text;
    if (*to < *from) text = "it ends before it begins";
    else {
      int64_t turns = *from < 0 || *from >= *extent ? 0 : (*extent - *from - 1) / *by + 1;  // that lie inside
      int64_t first = *from + turns * *by, end = *from < 0 ? std::min<int64_t>(-1, *to) : *to;
      text = indicesText(shape.size(), axis, first, end) + (first == end ? " falls out" : " fall out");
    }
    builder.label(given.empty() ? text : "for " + given + " " + text);
  }
  explainClaim(cx, builder, inside);
}

void explainClaim(const Context &cx, diag::Builder &builder, const Formula &claim, const Formula *exampleOf) {
  shape::Answer answer = cx.function.facts.explain(claim);
  if (exampleOf) {
    answer.never = cx.function.facts.truth(*exampleOf) == false;
    answer.breaks = cx.function.facts.sizesWhere(exampleOf->negated());
  }
  std::set<std::string> vars;
  claim.collectVars(vars);
  std::set<std::string> told;
  (answer.missing ? *answer.missing : claim).collectVars(told);
  int notes = 0;
  for (const std::string &v : told)
    if (notes < 4) notes += noteDimension(cx, builder, v);
  if (answer.breaks)
    if (std::string sizes = sizesText(cx, *answer.breaks, vars); !sizes.empty())
      builder.help((answer.never ? "it holds for no sizes; the smallest are " : "the smallest sizes that break it: ") +
                   sizes);
  if (answer.missing) suggestFact(cx, builder, *answer.missing);
}

}  // namespace tessera::sema
