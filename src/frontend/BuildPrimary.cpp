// Atoms and what is applied to them: calls, subscripts, brackets, comprehensions, numbers.
#include "frontend/Build.h"
#include <charconv>

namespace tessera::frontend {

using namespace ast;
using diag::Id;
using G = grammar::TesseraParser;
using Any = antlrcpp::Any;

ExprPtr AstBuilder::primary(G::PrimaryContext *context) {
  if (context->onlyRule()) return build(context);
  ExprPtr value = build(context->atom());
  Span whole = span(context);
  uint32_t begin = context->AWAIT() ? span(context->atom()).begin : whole.begin;
  for (auto *next : context->trailer()) {
    value = trailer(std::move(value), next);
    value->span.begin = begin;
  }
  if (!context->AWAIT()) return value;
  auto node = make<AwaitExpr>(whole);
  node->value = std::move(value);
  return node;
}

Any AstBuilder::visitPrimary(G::PrimaryContext *context) {
  expr_ = primary(context);
  return {};
}

ExprPtr AstBuilder::trailer(ExprPtr object, G::TrailerContext *context) {
  Span place = object->span.to(span(context));
  if (auto *call = alternative<G::CallContext>(context)) {
    auto node = make<CallExpr>(place);
    node->callee = std::move(object);
    node->arguments = arguments(call->argument());
    return node;
  }
  if (auto *index = alternative<G::IndexContext>(context)) {
    auto node = make<SubscriptExpr>(place);
    node->object = std::move(object);
    subscripts(index->subscript(), node->items);
    return node;
  }
  if (auto *attribute = alternative<G::AttributeContext>(context)) {
    auto node = make<AttributeExpr>(place);
    node->object = std::move(object);
    node->attribute = identifier(attribute->NAME());
    return node;
  }
  auto node = make<BracedExpr>(place);
  node->object = std::move(object);
  for (auto *item : static_cast<G::ShardSpecificationContext *>(context)->expression())
    node->items.push_back(expression(item));
  return node;
}

/// `block=64, 64, warps=4`: where the numbers end that may all be meant for the name in front of them; 0 where no number
/// stands at this place, or none behind the name.
uint32_t AstBuilder::endOfNumbers(const std::vector<G::ArgumentContext *> &contexts, size_t at) const {
  auto isNumber = [&](size_t i) {
    const std::string_view shown = text(span(contexts[i]));
    return !shown.empty() && shown.find_first_not_of("0123456789") == std::string_view::npos;
  };
  auto *named = alternative<G::KeywordArgumentContext>(contexts[at - 1]);
  const std::string_view value = named ? text(span(named->expression())) : std::string_view();
  if (value.empty() || value.find_first_not_of("0123456789") != std::string_view::npos) return 0;
  uint32_t end = 0;
  for (; at < contexts.size() && isNumber(at); ++at) end = span(contexts[at]).end;
  return end;
}

/// Behind an argument with a name, `keyword`, the first of which is `firstNamed`, stands one without: what is meant.
void AstBuilder::suggestOrder(diag::Builder &report, Span firstNamed, Span keyword, Span argument, uint32_t numbers) {
  const Span all{file_, firstNamed.begin, argument.end};
  const bool adjoin = text({file_, keyword.end, argument.begin}).find_first_not_of(", ") == std::string_view::npos;
  if (!adjoin || text(all).find('\n') != std::string_view::npos) return;
  const std::string_view named = text({file_, firstNamed.begin, keyword.end});
  const size_t sign = named.find(" = ");  // an argument is named without blanks
  if (firstNamed.begin == keyword.begin && sign != std::string_view::npos) {
    const uint32_t at = firstNamed.begin + static_cast<uint32_t>(sign) + 1;
    report.suggest({file_, at, at + 1}, "==", "compare with `==`");
    return;
  }
  if (numbers) {
    const std::string_view last = text(keyword);
    const uint32_t value = keyword.begin + static_cast<uint32_t>(last.find('=')) + 1;
    const std::string several = "(" + std::string(text({file_, value, numbers})) + ")";
    report.suggest({file_, value, numbers}, several, "give it all of them, `" + several + "`");
  }
  const std::string moved = std::string(text(argument)) + ", " + std::string(named);
  if (numbers) report.assume(all, moved, "write `" + moved + "`");
  else report.suggest(all, moved, "write `" + moved + "`");
}

std::vector<Argument> AstBuilder::arguments(const std::vector<G::ArgumentContext *> &contexts) {
  std::vector<Argument> out;
  Span firstNamed, keyword, options;  // the first and the last with a name; the last `**`
  for (auto *context : contexts) {
    Argument argument;
    argument.span = span(context);
    if (auto *byName = alternative<G::KeywordArgumentContext>(context)) {
      argument.keyword = identifier(byName->NAME());
      argument.value = expression(byName->expression());
      if (!keyword.valid()) firstNamed = argument.span;
      keyword = argument.span;
    } else if (auto *spread = alternative<G::SpreadArgumentContext>(context)) {
      argument.stars = 1;
      argument.value = expression(spread->expression());
      if (options.valid())
        diagnostics_.report(Id::argumentOrder, argument.span).label("`*` stands before `**`").note(options, "`**` stands here");
    } else if (auto *twice = alternative<G::OptionsArgumentContext>(context)) {
      argument.stars = 2;
      argument.value = expression(twice->expression());
      if (!keyword.valid()) firstNamed = {};
      keyword = options = argument.span;
    } else {
      auto *plain = static_cast<G::PlainArgumentContext *>(context);
      argument.value = named(plain->namedExpression());
      if (!plain->comprehensionClause().empty())
        argument.value = comprehension(ExprKind::GeneratorComp, argument.span, nullptr, std::move(argument.value),
                                       plain->comprehensionClause());
      if (keyword.valid()) {
        auto report = diagnostics_.report(Id::argumentOrder, argument.span);
        report.label("this one has no name").note(keyword, "an argument with a name stands before it");
        const uint32_t numbers = endOfNumbers(contexts, out.size());
        if (firstNamed.valid()) suggestOrder(report, firstNamed, keyword, argument.span, numbers);
        keyword = {};
      }
    }
    out.push_back(std::move(argument));
  }
  return out;
}

void AstBuilder::subscripts(const std::vector<G::SubscriptContext *> &contexts, std::vector<Argument> &items) {
  auto add = [&](Span place, ExprPtr value) -> Argument & {
    items.push_back({std::nullopt, 0, std::move(value), place});
    return items.back();
  };
  for (auto *context : contexts) {
    Span place = span(context);
    if (auto *keyword = alternative<G::KeywordSubscriptContext>(context)) {
      add(place, expression(keyword->expression())).keyword = identifier(keyword->NAME());
    } else if (auto *policies = alternative<G::PolicySubscriptContext>(context)) {
      auto values = policies->primary();
      for (size_t i = 0; i < values.size(); ++i) {
        Span one = span(policies->AT(i)->getSymbol()).to(span(values[i]));
        auto node = make<PolicyExpr>(one);
        node->policy = primary(values[i]);
        add(one, std::move(node));
      }
    } else if (auto *spread = alternative<G::SpreadSubscriptContext>(context)) {
      add(place, starred(place, expression(spread->expression())));
    } else if (auto *plain = alternative<G::PlainSubscriptContext>(context)) {
      ExprPtr value = named(plain->namedExpression());
      if (plain->sliceTail()) value = slice(place, std::move(value), plain->sliceTail());
      add(place, std::move(value));
    } else {
      add(place, slice(place, nullptr, static_cast<G::OpenSubscriptContext *>(context)->sliceTail()));
    }
  }
}

ExprPtr AstBuilder::slice(Span span, ExprPtr start, G::SliceTailContext *tail) {
  auto node = make<SliceExpr>(span);
  node->start = std::move(start);
  if (tail->upper) node->stop = expression(tail->upper);
  if (tail->step) node->step = expression(tail->step);
  return node;
}

std::vector<ComprehensionFor> AstBuilder::clauses(const std::vector<G::ComprehensionClauseContext *> &contexts) {
  std::vector<ComprehensionFor> out;
  for (auto *context : contexts) {
    ComprehensionFor clause;
    clause.isAsync = context->ASYNC() != nullptr;
    clause.target = checkedTarget(targets(context->targets()), "bind");
    auto conditions = context->condition();
    clause.iterable = build(conditions[0]);
    for (size_t i = 1; i < conditions.size(); ++i) clause.conditions.push_back(build(conditions[i]));
    out.push_back(std::move(clause));
  }
  return out;
}

ExprPtr AstBuilder::comprehension(ExprKind kind, Span span, ExprPtr key, ExprPtr element,
                                  const std::vector<G::ComprehensionClauseContext *> &contexts) {
  auto node = std::make_unique<ComprehensionExpr>(kind, span);
  node->key = std::move(key);
  node->element = std::move(element);
  node->clauses = clauses(contexts);
  return node;
}

Any AstBuilder::visitStarredGroupItem(G::StarredGroupItemContext *context) {
  expr_ = starred(span(context), build(context->operation()));
  return {};
}

Any AstBuilder::visitGroup(G::GroupContext *context) {
  std::vector<ExprPtr> items;
  for (auto *item : context->groupItem()) items.push_back(build(item));
  if (!context->comprehensionClause().empty())
    expr_ = comprehension(ExprKind::GeneratorComp, span(context), nullptr, std::move(items[0]), context->comprehensionClause());
  else if (items.size() == 1 && context->COMMA().empty())
    expr_ = std::move(items[0]);
  else
    expr_ = sequence(ExprKind::Tuple, span(context), std::move(items), true);
  return {};
}

Any AstBuilder::visitList(G::ListContext *context) {
  std::vector<ExprPtr> items;
  for (auto *item : context->groupItem()) items.push_back(build(item));
  if (context->SEMICOLON()) {
    auto node = make<StackExpr>(span(context));
    node->item = std::move(items[0]);
    node->count = expression(context->expression());
    expr_ = std::move(node);
  } else if (!context->comprehensionClause().empty())
    expr_ = comprehension(ExprKind::ListComp, span(context), nullptr, std::move(items[0]), context->comprehensionClause());
  else
    expr_ = sequence(ExprKind::List, span(context), std::move(items), false);
  return {};
}

Any AstBuilder::visitBraces(G::BracesContext *context) {
  std::vector<DictItem> pairs;
  std::vector<ExprPtr> items;
  for (auto *item : context->braceItem()) {
    if (auto *spread = alternative<G::SpreadBraceItemContext>(item)) {
      pairs.push_back({nullptr, build(spread->operation())});
    } else if (auto *star = alternative<G::StarredBraceItemContext>(item)) {
      items.push_back(starred(span(star), build(star->operation())));
    } else {
      auto *plain = static_cast<G::PlainBraceItemContext *>(item);
      ExprPtr value = named(plain->namedExpression());
      if (plain->expression())
        pairs.push_back({std::move(value), expression(plain->expression())});
      else
        items.push_back(std::move(value));
    }
  }
  Span place = span(context);
  if (!pairs.empty() && !items.empty()) {
    diagnostics_.report(Id::mixedBraces, items[0]->span).label("no `:` and value behind this one");
    expr_ = make<ErrorExpr>(place);
  } else if (!context->comprehensionClause().empty()) {
    bool dict = !pairs.empty();
    expr_ = comprehension(dict ? ExprKind::DictComp : ExprKind::SetComp, place, dict ? std::move(pairs[0].key) : nullptr,
                          dict ? std::move(pairs[0].value) : std::move(items[0]), context->comprehensionClause());
  } else if (!items.empty()) {
    expr_ = sequence(ExprKind::Set, place, std::move(items), false);
  } else {
    auto node = make<DictExpr>(place);
    node->items = std::move(pairs);
    expr_ = std::move(node);
  }
  return {};
}

Any AstBuilder::visitName(G::NameContext *context) {
  auto node = make<NameExpr>(span(context));
  node->name = text(node->span);
  expr_ = std::move(node);
  return {};
}

namespace {
std::string withoutUnderscores(std::string_view text) {
  std::string out;
  for (char c : text)
    if (c != '_') out += c;
  return out;
}
}  // namespace

Any AstBuilder::visitInteger(G::IntegerContext *context) {
  auto node = make<IntExpr>(span(context));
  node->text = text(node->span);
  std::string digits = withoutUnderscores(node->text);
  int base = 10;
  if (digits.size() > 2 && digits[0] == '0') {
    char prefix = static_cast<char>(digits[1] | 0x20);
    base = prefix == 'x' ? 16 : prefix == 'o' ? 8 : prefix == 'b' ? 2 : 10;
    if (base != 10) digits.erase(0, 2);
  }
  auto result = std::from_chars(digits.data(), digits.data() + digits.size(), node->value, base);
  node->tooLarge = result.ec == std::errc::result_out_of_range;
  if (node->tooLarge) node->value = UINT64_MAX;
  expr_ = std::move(node);
  return {};
}

namespace {
/// The nearest double; past the largest one it is infinite, below the smallest one it is 0.
double floatValue(std::string_view text) {
  std::string digits = withoutUnderscores(text);
  double value = 0;
  auto result = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (result.ec != std::errc::result_out_of_range) return value;
  size_t exponent = digits.find_first_of("eE");
  bool tiny = exponent != std::string::npos && digits[exponent + 1] == '-';
  return tiny ? 0.0 : __builtin_inf();
}
}  // namespace

Any AstBuilder::visitFloat(G::FloatContext *context) {
  auto node = make<FloatExpr>(span(context));
  node->text = text(node->span);
  node->value = floatValue(node->text);
  expr_ = std::move(node);
  return {};
}
Any AstBuilder::visitImaginary(G::ImaginaryContext *context) {
  auto node = make<ImaginaryExpr>(span(context));
  node->text = text(node->span);
  node->value = floatValue(std::string_view(node->text).substr(0, node->text.size() - 1));
  expr_ = std::move(node);
  return {};
}
Any AstBuilder::visitTrue(G::TrueContext *context) {
  auto node = make<BoolExpr>(span(context));
  node->value = true;
  expr_ = std::move(node);
  return {};
}
Any AstBuilder::visitFalse(G::FalseContext *context) {
  expr_ = make<BoolExpr>(span(context));
  return {};
}
Any AstBuilder::visitNone(G::NoneContext *context) {
  expr_ = make<NoneExpr>(span(context));
  return {};
}
Any AstBuilder::visitEllipsis(G::EllipsisContext *context) {
  expr_ = make<EllipsisExpr>(span(context));
  return {};
}
Any AstBuilder::visitUnread(G::UnreadContext *context) {
  expr_ = make<ErrorExpr>(span(context));
  return {};
}

}  // namespace tessera::frontend
