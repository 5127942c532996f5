// Simple statements, loops, conditions, contexts, exceptions.
#include "frontend/Build.h"

namespace tessera::frontend {

using namespace ast;
using diag::Id;
using G = grammar::TesseraParser;
using Any = antlrcpp::Any;

void AstBuilder::statements(const std::vector<G::StatementContext *> &contexts, Block &out) {
  Block *outer = block_;
  block_ = &out;
  for (auto *context : contexts) context->accept(this);
  block_ = outer;
}

void AstBuilder::block(G::BlockContext *context, Block &out) {
  if (auto *indented = alternative<G::IndentedBlockContext>(context)) return statements(indented->statement(), out);
  Block *outer = block_;
  block_ = &out;
  static_cast<G::LineBlockContext *>(context)->simpleLine()->accept(this);
  block_ = outer;
}

void AstBuilder::elseBlock(G::ElseClauseContext *context, Block &out) {
  if (context) block(context->block(), out);
}

// ---------------------------------------------------------------- assignments

namespace {
bool isTarget(ExprKind kind) {
  return kind == ExprKind::Name || kind == ExprKind::Attribute || kind == ExprKind::Subscript || kind == ExprKind::Error;
}

std::string_view describe(const Expr *expr) {
  switch (expr->kind) {
  case ExprKind::Int: case ExprKind::Float: case ExprKind::Imaginary: return "a number";
  case ExprKind::String: case ExprKind::FString: return "a string";
  case ExprKind::Bool: case ExprKind::None: case ExprKind::Ellipsis: return "a constant";
  case ExprKind::Call: return "the result of a call";
  case ExprKind::Compare: return "a comparison";
  case ExprKind::Conditional: return "a choice between two values";
  case ExprKind::Lambda: return "a lambda";
  case ExprKind::Dict: case ExprKind::Set: case ExprKind::Braced: return "something in braces";
  case ExprKind::ListComp: case ExprKind::SetComp: case ExprKind::GeneratorComp: case ExprKind::DictComp: return "a comprehension";
  case ExprKind::Stack: return "a type";
  case ExprKind::Tuple: case ExprKind::List: return "several things";
  case ExprKind::Starred: return "an unpacked value";
  default: return "the result of an operation";
  }
}

bool isCompared(const Expr &e) { return e.kind == ExprKind::Binary || e.kind == ExprKind::Call; }
}  // namespace

void AstBuilder::checkTarget(const Expr *target, std::string_view verb) {
  if (target->kind == ExprKind::Tuple || target->kind == ExprKind::List) {
    for (const ExprPtr &item : static_cast<const SequenceExpr *>(target)->items) checkTarget(item.get(), verb);
  } else if (auto *star = as<StarredExpr>(target)) {
    checkTarget(star->value.get(), verb);
  } else if (!isTarget(target->kind)) {
    auto report = diagnostics_.report(Id::invalidTarget, target->span, verb, describe(target));
    report.label("not a name, an attribute or an item");
    if (target->kind == ExprKind::Compare) report.help("an assignment has one `=`; a comparison stands on its right");
  }
}

/// `even = x % 2 = 0`: what is no target was to be compared.
void AstBuilder::comparedByOne(const Expr &target, uint32_t before) {
  const size_t sign = text({file_, target.span.end, before}).find('=');
  auto report = diagnostics_.report(Id::invalidTarget, target.span, "assign to", describe(&target));
  report.label("not a name, an attribute or an item");
  if (sign == std::string_view::npos) return;
  const uint32_t at = target.span.end + static_cast<uint32_t>(sign);
  report.suggest({file_, at, at + 1}, "==", "compare with `==`");
}

ExprPtr AstBuilder::checkedTarget(ExprPtr target, std::string_view verb) {
  checkTarget(target.get(), verb);
  return target;
}

Any AstBuilder::visitExpressionStatement(G::ExpressionStatementContext *context) {
  Span place = span(context);
  ExprPtr first = expressions(context->expressions());
  auto single = [&](std::string_view verb) {
    if (first->kind == ExprKind::Tuple || first->kind == ExprKind::List || first->kind == ExprKind::Starred)
      diagnostics_.report(Id::invalidTarget, first->span, verb, describe(first.get())).label("only one name may stand here");
    else
      checkTarget(first.get(), verb);
  };
  if (!context->assignment()) {
    auto node = make<ExprStmt>(place);
    node->value = std::move(first);
    push(std::move(node));
  } else if (auto *annotated = alternative<G::AnnotatedAssignmentContext>(context->assignment())) {
    single("annotate");
    auto node = make<AnnAssignStmt>(place);
    node->target = std::move(first);
    node->annotation = expression(annotated->expression());
    if (annotated->expressions()) node->value = expressions(annotated->expressions());
    push(std::move(node));
  } else if (auto *plain = alternative<G::PlainAssignmentContext>(context->assignment())) {
    auto node = make<AssignStmt>(place);
    node->targets.push_back(checkedTarget(std::move(first), "assign to"));
    auto values = plain->expressions();
    for (size_t i = 0; i + 1 < values.size(); ++i) {
      ExprPtr target = expressions(values[i]);
      if (i == 0 && values.size() == 2 && isCompared(*target)) comparedByOne(*target, span(values.back()).begin);
      else checkTarget(target.get(), "assign to");
      node->targets.push_back(std::move(target));
    }
    node->value = expressions(values.back());
    push(std::move(node));
  } else if (auto *augmented = alternative<G::AugmentedAssignmentContext>(context->assignment())) {
    single("update");
    auto node = make<AugAssignStmt>(place);
    node->op = [&] {
      switch (augmented->op->getType()) {
      case G::PLUS_ASSIGN: return BinaryOp::Add;
      case G::MINUS_ASSIGN: return BinaryOp::Sub;
      case G::STAR_ASSIGN: return BinaryOp::Mul;
      case G::SLASH_ASSIGN: return BinaryOp::Div;
      case G::FLOOR_ASSIGN: return BinaryOp::FloorDiv;
      case G::PERCENT_ASSIGN: return BinaryOp::Mod;
      case G::AT_ASSIGN: return BinaryOp::MatMul;
      case G::POWER_ASSIGN: return BinaryOp::Pow;
      case G::LSHIFT_ASSIGN: return BinaryOp::LeftShift;
      case G::RSHIFT_ASSIGN: return BinaryOp::RightShift;
      case G::AND_ASSIGN: return BinaryOp::BitAnd;
      case G::OR_ASSIGN: return BinaryOp::BitOr;
      default: return BinaryOp::BitXor;
      }
    }();
    node->target = std::move(first);
    node->value = expressions(augmented->expressions());
    push(std::move(node));
  } else {
    checkTarget(first.get(), "sample into");
    auto node = make<SampleStmt>(place);
    node->target = std::move(first);
    node->distribution = expression(static_cast<G::SampleAssignmentContext *>(context->assignment())->expression());
    push(std::move(node));
  }
  return {};
}

// ---------------------------------------------------------------- one-word statements

Any AstBuilder::visitReturnStatement(G::ReturnStatementContext *context) {
  auto node = make<ReturnStmt>(span(context));
  if (context->expressions()) node->value = expressions(context->expressions());
  push(std::move(node));
  return {};
}
Any AstBuilder::visitPassStatement(G::PassStatementContext *context) {
  push(std::make_unique<SimpleStmt>(StmtKind::Pass, span(context)));
  return {};
}
Any AstBuilder::visitBreakStatement(G::BreakStatementContext *context) {
  push(std::make_unique<SimpleStmt>(StmtKind::Break, span(context)));
  return {};
}
Any AstBuilder::visitContinueStatement(G::ContinueStatementContext *context) {
  push(std::make_unique<SimpleStmt>(StmtKind::Continue, span(context)));
  return {};
}
Any AstBuilder::visitRaiseStatement(G::RaiseStatementContext *context) {
  auto node = make<RaiseStmt>(span(context));
  auto parts = context->expression();
  if (!parts.empty()) node->value = expression(parts[0]);
  if (parts.size() > 1) node->cause = expression(parts[1]);
  push(std::move(node));
  return {};
}
Any AstBuilder::visitAssertStatement(G::AssertStatementContext *context) {
  auto node = make<AssertStmt>(span(context));
  node->condition = named(context->namedExpression());
  if (context->expression()) node->message = expression(context->expression());
  push(std::move(node));
  return {};
}
Any AstBuilder::visitDelStatement(G::DelStatementContext *context) {
  auto node = make<DelStmt>(span(context));
  node->targets = targetList(context->targets());
  for (const ExprPtr &target : node->targets) checkTarget(target.get(), "delete");
  push(std::move(node));
  return {};
}
Any AstBuilder::visitGlobalStatement(G::GlobalStatementContext *context) {
  auto node = make<GlobalStmt>(span(context));
  node->nonlocal = context->NONLOCAL() != nullptr;
  for (auto *name : context->NAME()) node->names.push_back(identifier(name));
  push(std::move(node));
  return {};
}

// ---------------------------------------------------------------- blocks

Any AstBuilder::visitIfStatement(G::IfStatementContext *context) {
  push(ifStatement(context));
  return {};
}

StmtPtr AstBuilder::ifStatement(G::IfStatementContext *context) {
  Span whole = span(context);
  auto first = make<IfStmt>(whole);
  first->condition = named(context->namedExpression());
  block(context->block(), first->then);
  IfStmt *last = first.get();
  for (auto *clause : context->elifClause()) {
    auto next = make<IfStmt>(Span{file_, span(clause).begin, whole.end});
    next->isElif = true;
    next->condition = named(clause->namedExpression());
    block(clause->block(), next->then);
    IfStmt *inner = next.get();
    last->otherwise.push_back(std::move(next));
    last = inner;
  }
  elseBlock(context->elseClause(), last->otherwise);
  return first;
}

Any AstBuilder::visitWhileStatement(G::WhileStatementContext *context) {
  auto node = make<WhileStmt>(span(context));
  node->condition = named(context->namedExpression());
  block(context->block(), node->body);
  elseBlock(context->elseClause(), node->otherwise);
  push(std::move(node));
  return {};
}

Any AstBuilder::visitForStatement(G::ForStatementContext *context) {
  auto node = make<ForStmt>(span(context));
  node->isAsync = context->ASYNC() != nullptr;
  node->target = checkedTarget(targets(context->targets()), "bind");
  node->iterable = expressions(context->expressions());
  block(context->block(), node->body);
  elseBlock(context->elseClause(), node->otherwise);
  push(std::move(node));
  return {};
}

Any AstBuilder::visitWithStatement(G::WithStatementContext *context) {
  auto node = make<WithStmt>(span(context));
  node->isAsync = context->ASYNC() != nullptr;
  for (auto *item : context->withItem()) {
    WithItem made;
    made.context = expression(item->expression());
    if (item->operation()) made.target = checkedTarget(build(item->operation()), "bind");
    node->items.push_back(std::move(made));
  }
  block(context->block(), node->body);
  push(std::move(node));
  return {};
}

Any AstBuilder::visitTryStatement(G::TryStatementContext *context) {
  push(tryStatement(context));
  return {};
}

StmtPtr AstBuilder::tryStatement(G::TryStatementContext *context) {
  auto node = make<TryStmt>(span(context));
  block(context->block(), node->body);
  for (auto *clause : context->exceptClause()) {
    ExceptClause made;
    made.span = span(clause);
    if (clause->expression()) made.type = expression(clause->expression());
    if (clause->NAME()) made.name = identifier(clause->NAME());
    block(clause->block(), made.body);
    node->handlers.push_back(std::move(made));
  }
  elseBlock(context->elseClause(), node->otherwise);
  if (context->finallyClause()) block(context->finallyClause()->block(), node->finally);
  if (node->handlers.empty() && (!context->finallyClause() || context->elseClause()))
    diagnostics_.report(Id::lonelyTry, span(context->TRY()->getSymbol()))
        .label(context->elseClause() ? "no `except` before its `else`" : "neither `except` nor `finally` follows its block");
  return node;
}

Any AstBuilder::visitErrorStatement(G::ErrorStatementContext *context) {
  push(make<ErrorStmt>(span(context)));
  // What stands in the block below is kept: the names that it defines are known to what follows.
  statements(context->statement(), *block_);
  return {};
}

}  // namespace tessera::frontend
