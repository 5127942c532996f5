// The generated parser's tree to the syntax tree. Also says what the grammar leaves open: what may be assigned to,
// the order of arguments and parameters, what stands inside strings.
#pragma once
#include "diag/Diagnostic.h"
#include "frontend/AST.h"
#include "grammar/TesseraParserBaseVisitor.h"
#include "support/Sources.h"
#include <memory>
#include <string_view>
#include <typeinfo>

namespace tessera::frontend {

class GrammarParser;

/// The node as that of a labelled alternative; null when it is another's. Such a node's class is exactly that.
template <class Node> Node *alternative(antlr4::ParserRuleContext *node) {
  return typeid(*node) == typeid(Node) ? static_cast<Node *>(node) : nullptr;
}

class AstBuilder final : private grammar::TesseraParserBaseVisitor {
  using G = grammar::TesseraParser;
  using Any = antlrcpp::Any;

public:
  AstBuilder(const Sources &sources, FileId file, diag::Engine &diagnostics);
  ~AstBuilder() override;
  void statements(const std::vector<G::StatementContext *> &contexts, ast::Block &out);
  ast::ExprPtr expressions(G::ExpressionsContext *context);

private:
  // Places and names (Build.cpp).
  Span span(antlr4::ParserRuleContext *context) const;
  Span span(antlr4::Token *token) const;
  std::string_view text(Span span) const;
  ast::Identifier identifier(antlr4::tree::TerminalNode *node) const;
  ast::Identifier identifier(antlr4::Token *token) const;
  template <class Node> static std::unique_ptr<Node> make(Span span) { return std::make_unique<Node>(Node::Kind, span); }

  // Expressions (BuildExpr.cpp, BuildPrimary.cpp). Visits leave their result in `expr_`.
  ast::ExprPtr build(grammar::RuleNode *node);
  ast::ExprPtr expression(G::ExpressionContext *context) { return build(context); }
  ast::ExprPtr named(G::NamedExpressionContext *context);
  ast::ExprPtr starred(Span span, ast::ExprPtr value);
  ast::ExprPtr binary(antlr4::ParserRuleContext *context, ast::BinaryOp op, antlr4::Token *token, G::OperationContext *left,
                      G::OperationContext *right);
  ast::ExprPtr boolOp(G::ConditionContext *context, bool isAnd);
  ast::ExprPtr targets(G::TargetsContext *context);
  std::vector<ast::ExprPtr> targetList(G::TargetsContext *context);
  ast::ExprPtr sequence(ast::ExprKind kind, Span span, std::vector<ast::ExprPtr> items, bool parenthesised);
  ast::ExprPtr comprehension(ast::ExprKind kind, Span span, ast::ExprPtr key, ast::ExprPtr element,
                             const std::vector<G::ComprehensionClauseContext *> &clauses);
  std::vector<ast::ComprehensionFor> clauses(const std::vector<G::ComprehensionClauseContext *> &contexts);
  std::vector<ast::Argument> arguments(const std::vector<G::ArgumentContext *> &contexts);
  uint32_t endOfNumbers(const std::vector<G::ArgumentContext *> &contexts, size_t at) const;
  void suggestOrder(diag::Builder &report, Span firstNamed, Span keyword, Span argument, uint32_t numbers);
  void subscripts(const std::vector<G::SubscriptContext *> &contexts, std::vector<ast::Argument> &items);
  ast::ExprPtr slice(Span span, ast::ExprPtr start, G::SliceTailContext *tail);
  ast::ExprPtr trailer(ast::ExprPtr object, G::TrailerContext *context);
  ast::ExprPtr primary(G::PrimaryContext *context);
  Any visitConditional(G::ConditionalContext *) override;
  Any visitLambda(G::LambdaContext *) override;
  Any visitStarredItem(G::StarredItemContext *) override;
  Any visitNamedExpression(G::NamedExpressionContext *) override;
  Any visitComparison(G::ComparisonContext *) override;
  Any visitNegation(G::NegationContext *) override;
  Any visitConjunction(G::ConjunctionContext *) override;
  Any visitDisjunction(G::DisjunctionContext *) override;
  Any visitPrimary(G::PrimaryContext *) override;
  Any visitPower(G::PowerContext *) override;
  Any visitSign(G::SignContext *) override;
  Any visitProduct(G::ProductContext *) override;
  Any visitSum(G::SumContext *) override;
  Any visitShift(G::ShiftContext *) override;
  Any visitBitAnd(G::BitAndContext *) override;
  Any visitBitXor(G::BitXorContext *) override;
  Any visitBitOr(G::BitOrContext *) override;
  Any visitRange(G::RangeContext *) override;
  Any visitName(G::NameContext *) override;
  Any visitInteger(G::IntegerContext *) override;
  Any visitFloat(G::FloatContext *) override;
  Any visitImaginary(G::ImaginaryContext *) override;
  Any visitStrings(G::StringsContext *) override;
  Any visitTrue(G::TrueContext *) override;
  Any visitFalse(G::FalseContext *) override;
  Any visitNone(G::NoneContext *) override;
  Any visitEllipsis(G::EllipsisContext *) override;
  Any visitGroup(G::GroupContext *) override;
  Any visitList(G::ListContext *) override;
  Any visitBraces(G::BracesContext *) override;
  Any visitUnread(G::UnreadContext *) override;
  Any visitStarredGroupItem(G::StarredGroupItemContext *) override;

  // Statements (BuildStmt.cpp, BuildDefinition.cpp). Visits put their statement into `block_`.
  void block(G::BlockContext *context, ast::Block &out);
  void elseBlock(G::ElseClauseContext *context, ast::Block &out);
  ast::StmtPtr ifStatement(G::IfStatementContext *context);
  ast::StmtPtr tryStatement(G::TryStatementContext *context);
  ast::StmtPtr definition(G::DefinitionContext *context, std::vector<ast::Decorator> decorators);
  ast::StmtPtr function(G::FunctionDefinitionContext *context);
  std::vector<ast::Parameter> parameters(const std::vector<G::ParameterContext *> &contexts);
  ast::Parameter parameter(G::ParameterContext *context, bool &keywordOnly);
  void checkParameterOrder(const std::vector<ast::Parameter> &parameters);
  std::vector<ast::TypeParameter> typeParameters(G::TypeParametersContext *context);
  std::vector<ast::Identifier> path(G::PathContext *context);
  ast::ImportItem importedName(G::ImportedNameContext *context);
  ast::ExprPtr checkedTarget(ast::ExprPtr target, std::string_view verb);
  void checkTarget(const ast::Expr *target, std::string_view verb);
  void comparedByOne(const ast::Expr &target, uint32_t before);
  void push(ast::StmtPtr statement) { block_->push_back(std::move(statement)); }
  Any visitExpressionStatement(G::ExpressionStatementContext *) override;
  Any visitReturnStatement(G::ReturnStatementContext *) override;
  Any visitPassStatement(G::PassStatementContext *) override;
  Any visitBreakStatement(G::BreakStatementContext *) override;
  Any visitContinueStatement(G::ContinueStatementContext *) override;
  Any visitRaiseStatement(G::RaiseStatementContext *) override;
  Any visitAssertStatement(G::AssertStatementContext *) override;
  Any visitDelStatement(G::DelStatementContext *) override;
  Any visitGlobalStatement(G::GlobalStatementContext *) override;
  Any visitImportStatement(G::ImportStatementContext *) override;
  Any visitFromImportStatement(G::FromImportStatementContext *) override;
  Any visitPolicyDefinition(G::PolicyDefinitionContext *) override;
  Any visitStateDefinition(G::StateDefinitionContext *) override;
  Any visitIfStatement(G::IfStatementContext *) override;
  Any visitWhileStatement(G::WhileStatementContext *) override;
  Any visitForStatement(G::ForStatementContext *) override;
  Any visitWithStatement(G::WithStatementContext *) override;
  Any visitTryStatement(G::TryStatementContext *) override;
  Any visitDefinition(G::DefinitionContext *) override;
  Any visitDecorated(G::DecoratedContext *) override;
  Any visitErrorStatement(G::ErrorStatementContext *) override;

  // Literals (BuildString.cpp).
  struct Quoted;
  Quoted quoted(Span token) const;
  std::string decode(uint32_t begin, uint32_t end, bool raw);
  void formatted(const Quoted &token, std::vector<ast::FStringPart> &parts);
  uint32_t interpolation(uint32_t begin, uint32_t end, std::vector<ast::FStringPart> &parts);
  ast::ExprPtr interpolated(uint32_t begin, uint32_t end);

  const Sources &sources_;
  FileId file_;
  diag::Engine &diagnostics_;
  ast::ExprPtr expr_;
  ast::Block *block_ = nullptr;
  std::unique_ptr<GrammarParser> inner_;  // for interpolations, made when first needed
};

}  // namespace tessera::frontend
