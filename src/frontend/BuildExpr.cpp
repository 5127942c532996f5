// Operators, conditions, lambdas, tuples.
#include "frontend/Build.h"

namespace tessera::frontend {

using namespace ast;
using G = grammar::TesseraParser;
using Any = antlrcpp::Any;

ExprPtr AstBuilder::build(grammar::RuleNode *node) {
  // Most rules of an expression only pass on to the next one.
  while (grammar::RuleNode *only = node->onlyRule()) node = only;
  node->accept(this);
  return std::move(expr_);
}

ExprPtr AstBuilder::starred(Span span, ExprPtr value) {
  auto node = make<StarredExpr>(span);
  node->value = std::move(value);
  return node;
}

ExprPtr AstBuilder::sequence(ExprKind kind, Span span, std::vector<ExprPtr> items, bool parenthesised) {
  auto node = std::make_unique<SequenceExpr>(kind, span);
  node->items = std::move(items);
  node->parenthesised = parenthesised;
  return node;
}

ExprPtr AstBuilder::expressions(G::ExpressionsContext *context) {
  if (context->onlyRule() && !alternative<G::StarredItemContext>(context->onlyRule())) return build(context);
  auto contexts = context->item();
  if (contexts.size() == 1 && context->COMMA().empty()) {
    ExprPtr only = build(contexts[0]);
    if (only->kind == ExprKind::Starred)
      diagnostics_.report(diag::Id::syntaxError, {file_, only->span.begin, only->span.begin + 1}, "`*`")
          .label("a value is unpacked inside a tuple, a list or a call; nothing is pointed at, and an element is `x[i]`");
    return only;
  }
  std::vector<ExprPtr> items;
  for (auto *item : contexts) items.push_back(build(item));
  return sequence(ExprKind::Tuple, span(context), std::move(items), false);
}

Any AstBuilder::visitStarredItem(G::StarredItemContext *context) {
  expr_ = starred(span(context), build(context->operation()));
  return {};
}

std::vector<ExprPtr> AstBuilder::targetList(G::TargetsContext *context) {
  std::vector<ExprPtr> items;
  for (auto *target : context->target()) {
    ExprPtr value = build(target->operation());
    items.push_back(target->STAR() ? starred(span(target), std::move(value)) : std::move(value));
  }
  return items;
}

ExprPtr AstBuilder::targets(G::TargetsContext *context) {
  std::vector<ExprPtr> items = targetList(context);
  if (items.size() == 1 && context->COMMA().empty()) return std::move(items[0]);
  return sequence(ExprKind::Tuple, span(context), std::move(items), false);
}

ExprPtr AstBuilder::named(G::NamedExpressionContext *context) {
  if (context->onlyRule()) return build(context);
  ExprPtr value = expression(context->expression());
  if (!context->NAME()) return value;
  auto node = make<NamedExpr>(span(context));
  node->name = identifier(context->NAME());
  node->value = std::move(value);
  return node;
}

Any AstBuilder::visitNamedExpression(G::NamedExpressionContext *context) {
  expr_ = named(context);
  return {};
}

Any AstBuilder::visitConditional(G::ConditionalContext *context) {
  auto node = make<ConditionalExpr>(span(context));
  node->then = build(context->condition(0));
  node->condition = build(context->condition(1));
  node->otherwise = expression(context->expression());
  expr_ = std::move(node);
  return {};
}

Any AstBuilder::visitLambda(G::LambdaContext *context) {
  auto node = make<LambdaExpr>(span(context));
  bool keywordOnly = false;
  for (auto *parameter : context->lambdaParameter()) {
    Parameter made;
    made.span = span(parameter);
    if (auto *plain = alternative<G::PlainLambdaParameterContext>(parameter)) {
      made.kind = keywordOnly ? ParameterKind::KeywordOnly : ParameterKind::Plain;
      made.name = identifier(plain->NAME());
      if (plain->expression()) made.defaultValue = expression(plain->expression());
    } else if (auto *star = alternative<G::StarLambdaParameterContext>(parameter)) {
      keywordOnly = true;
      if (!star->NAME()) continue;
      made.kind = ParameterKind::VarPositional;
      made.name = identifier(star->NAME());
    } else {
      made.kind = ParameterKind::VarKeyword;
      made.name = identifier(static_cast<G::OptionsLambdaParameterContext *>(parameter)->NAME());
    }
    node->parameters.push_back(std::move(made));
  }
  checkParameterOrder(node->parameters);
  node->body = expression(context->expression());
  expr_ = std::move(node);
  return {};
}

namespace {
CompareOp compareOp(G::ComparatorContext *context) {
  if (context->IN()) return context->NOT() ? CompareOp::NotIn : CompareOp::In;
  if (context->IS()) return context->NOT() ? CompareOp::IsNot : CompareOp::Is;
  if (context->EQ()) return CompareOp::Eq;
  if (context->NE()) return CompareOp::Ne;
  if (context->LT()) return CompareOp::Lt;
  if (context->LE()) return CompareOp::Le;
  return context->GT() ? CompareOp::Gt : CompareOp::Ge;
}
}  // namespace

Any AstBuilder::visitComparison(G::ComparisonContext *context) {
  auto node = make<CompareExpr>(span(context));
  for (auto *operand : context->operation()) node->operands.push_back(build(operand));
  for (auto *comparator : context->comparator()) node->ops.push_back(compareOp(comparator));
  expr_ = std::move(node);
  return {};
}

Any AstBuilder::visitNegation(G::NegationContext *context) {
  auto node = make<UnaryExpr>(span(context));
  node->op = UnaryOp::Not;
  node->operand = build(context->condition());
  expr_ = std::move(node);
  return {};
}

/// `a and b and c` is one node; `(a and b) and c` keeps its shape.
ExprPtr AstBuilder::boolOp(G::ConditionContext *context, bool isAnd) {
  std::vector<G::ConditionContext *> parts;
  G::ConditionContext *left = context;
  for (;;) {
    auto *both = alternative<G::ConjunctionContext>(left);
    auto *either = alternative<G::DisjunctionContext>(left);
    if (isAnd ? !both : !either) break;
    parts.push_back(isAnd ? both->condition(1) : either->condition(1));
    left = isAnd ? both->condition(0) : either->condition(0);
  }
  auto node = make<BoolOpExpr>(span(context));
  node->isAnd = isAnd;
  node->operands.push_back(build(left));
  for (auto part = parts.rbegin(); part != parts.rend(); ++part) node->operands.push_back(build(*part));
  return node;
}
Any AstBuilder::visitConjunction(G::ConjunctionContext *context) {
  expr_ = boolOp(context, true);
  return {};
}
Any AstBuilder::visitDisjunction(G::DisjunctionContext *context) {
  expr_ = boolOp(context, false);
  return {};
}

ExprPtr AstBuilder::binary(antlr4::ParserRuleContext *context, BinaryOp op, antlr4::Token *token,
                           G::OperationContext *left, G::OperationContext *right) {
  auto node = make<BinaryExpr>(span(context));
  node->op = op;
  node->opSpan = span(token);
  node->left = build(left);
  node->right = build(right);
  return node;
}

Any AstBuilder::visitPower(G::PowerContext *context) {
  expr_ = binary(context, BinaryOp::Pow, context->POWER()->getSymbol(), context->operation(0), context->operation(1));
  return {};
}
Any AstBuilder::visitSign(G::SignContext *context) {
  auto node = make<UnaryExpr>(span(context));
  node->op = context->MINUS() ? UnaryOp::Neg : context->PLUS() ? UnaryOp::Pos : UnaryOp::Invert;
  node->operand = build(context->operation());
  expr_ = std::move(node);
  return {};
}
Any AstBuilder::visitProduct(G::ProductContext *context) {
  BinaryOp op = context->STAR()    ? BinaryOp::Mul
                : context->SLASH() ? BinaryOp::Div
                : context->FLOOR() ? BinaryOp::FloorDiv
                : context->AT()    ? BinaryOp::MatMul
                                   : BinaryOp::Mod;
  expr_ = binary(context, op, context->op, context->operation(0), context->operation(1));
  return {};
}
Any AstBuilder::visitSum(G::SumContext *context) {
  BinaryOp op = context->PLUS() ? BinaryOp::Add : BinaryOp::Sub;
  expr_ = binary(context, op, context->op, context->operation(0), context->operation(1));
  return {};
}
Any AstBuilder::visitShift(G::ShiftContext *context) {
  BinaryOp op = context->LSHIFT() ? BinaryOp::LeftShift : BinaryOp::RightShift;
  expr_ = binary(context, op, context->op, context->operation(0), context->operation(1));
  return {};
}
Any AstBuilder::visitBitAnd(G::BitAndContext *context) {
  expr_ = binary(context, BinaryOp::BitAnd, context->AMPERSAND()->getSymbol(), context->operation(0), context->operation(1));
  return {};
}
Any AstBuilder::visitBitXor(G::BitXorContext *context) {
  expr_ = binary(context, BinaryOp::BitXor, context->CARET()->getSymbol(), context->operation(0), context->operation(1));
  return {};
}
Any AstBuilder::visitBitOr(G::BitOrContext *context) {
  expr_ = binary(context, BinaryOp::BitOr, context->PIPE()->getSymbol(), context->operation(0), context->operation(1));
  return {};
}
Any AstBuilder::visitRange(G::RangeContext *context) {
  auto node = make<RangeExpr>(span(context));
  node->inclusive = context->RANGE_INCLUSIVE() != nullptr;
  node->low = build(context->operation(0));
  node->high = build(context->operation(1));
  expr_ = std::move(node);
  return {};
}

}  // namespace tessera::frontend
