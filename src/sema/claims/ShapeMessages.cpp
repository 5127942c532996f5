// What a message about shapes says besides its sentence: the sizes that break a claim, which parameters gave the
// dimensions, and the fact that would prove it, as an edit.
#include "sema/Checker.h"
#include "sema/claims/MissingFacts.h"
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

std::string Checker::show(const Formula &formula) const {
  if (formula.kind == Formula::Kind::Claim)
    return show(formula.claim.left) + " " + shape::spelling(formula.claim.relation) + " " +
           show(formula.claim.right);
  std::string text;
  for (const Formula &part : formula.parts) {
    if (!text.empty()) text += formula.kind == Formula::Kind::And ? " and " : " or ";
    text += part.kind == Formula::Kind::Claim ? show(part) : "(" + show(part) + ")";
  }
  return text;
}

/// "N = 2, M = 3": the sizes of these variables; with a counter among them, of the dimensions that let it get there, too.
std::string Checker::sizesText(const shape::Sizes &sizes, const std::set<std::string> &names) const {
  bool ofCounter = std::any_of(sizes.begin(), sizes.end(), [&](const auto &size) {
    return names.count(size.first) && !shape::isDimensionName(size.first);
  });
  std::string text;
  for (const auto &[name, value] : sizes)
    if (names.count(name) || (ofCounter && shape::isDimensionName(name))) text += (text.empty() ? "" : ", ") + show(Dim::var(name)) + " = " + std::to_string(value);
  return text;
}

/// The dimension's place in the type of a parameter: "`N` is dimension 0 of `x`".
bool Checker::noteDimension(diag::Builder &builder, const std::string &name) const {
  const ast::FuncDef *def = calls_.empty() ? nullptr : calls_.front().callable->def;
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
      std::string_view of = sources_.text(index->object->span);
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
void Checker::suggestFact(diag::Builder &builder, const Formula &fact) const {
  const ast::FuncDef *def = calls_.empty() ? nullptr : calls_.front().callable->def;
  if (!def || inHost()) return;
  std::set<std::string> vars;
  fact.collectVars(vars);
  for (const std::string &v : vars)
    if (std::find(fn_->dims.begin(), fn_->dims.end(), v) == fn_->dims.end()) return;
  uint32_t end = headerEnd(*def);
  std::string text = fact.str();
  builder.assume(Span{def->span.file, end, end}, (def->where.empty() ? " where " : ", ") + text,
                 "if it is meant, say it: `where " + text + "`");
}

namespace {
/// "row 4", "rows 4..9", "indices 4..9 of axis 2"
std::string indicesText(size_t rank, size_t axis, int64_t first, int64_t last) {
  std::string one = rank == 2 ? (axis == 0 ? "row" : "column") : "index",
              many = rank == 2 ? one + "s" : "indices";
  std::string text = first == last ? one + " " + std::to_string(first)
                                   : many + " " + std::to_string(first) + ".." + std::to_string(last);
  return rank > 2 ? text + " of axis " + std::to_string(axis) : text;
}
}  // namespace

void Checker::explainOutside(diag::Builder &builder, const std::vector<Dim> &shape, size_t axis,
                             const Dim &start, const Dim &last, const Dim &step, const Formula &inside) const {
  shape::Sizes sizes = facts_.sizesWhere(inside.negated()).value_or(shape::Sizes{});
  auto valueOf = [&](const std::string &name) -> std::optional<int64_t> {
    auto it = sizes.find(name);
    return it == sizes.end() ? std::nullopt : std::optional(it->second);
  };
  auto from = start.evaluate(valueOf), to = last.evaluate(valueOf), by = step.evaluate(valueOf),
       extent = shape[axis].evaluate(valueOf);
  if (from && to && by && extent && *by > 0) {
    std::set<std::string> vars;
    inside.collectVars(vars);
    std::string given = sizesText(sizes, vars), text;
    if (*to < *from) text = "it ends before it begins";
    else {
      int64_t turns = *from < 0 || *from >= *extent ? 0 : (*extent - *from - 1) / *by + 1;  // that lie inside
      int64_t first = *from + turns * *by, end = *from < 0 ? std::min<int64_t>(-1, *to) : *to;
      text = indicesText(shape.size(), axis, first, end) + (first == end ? " falls out" : " fall out");
    }
    builder.label(given.empty() ? text : "for " + given + " " + text);
  }
  explainClaim(builder, inside);
}

void Checker::explainClaim(diag::Builder &builder, const Formula &claim, const Formula *exampleOf) const {
  shape::Answer answer = facts_.explain(claim);
  if (exampleOf) {
    answer.never = facts_.truth(*exampleOf) == false;
    answer.breaks = facts_.sizesWhere(exampleOf->negated());
  }
  std::set<std::string> vars;
  claim.collectVars(vars);
  std::set<std::string> told;
  (answer.missing ? *answer.missing : claim).collectVars(told);
  int notes = 0;
  for (const std::string &v : told)
    if (notes < 4) notes += noteDimension(builder, v);
  if (answer.breaks)
    if (std::string sizes = sizesText(*answer.breaks, vars); !sizes.empty())
      builder.help((answer.never ? "it holds for no sizes; the smallest are " : "the smallest sizes that break it: ") +
                   sizes);
  if (answer.missing) suggestFact(builder, *answer.missing);
}

}  // namespace tessera::sema
