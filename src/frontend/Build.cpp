#include "frontend/Build.h"
#include "frontend/GrammarParser.h"
#include "frontend/TokenBuffer.h"

namespace tessera::frontend {

AstBuilder::AstBuilder(const Sources &sources, FileId file, diag::Engine &diagnostics)
    : sources_(sources), file_(file), diagnostics_(diagnostics) {}
AstBuilder::~AstBuilder() = default;

Span AstBuilder::span(antlr4::Token *token) const {
  const Token &ours = static_cast<SourceToken *>(token)->token();
  return {file_, ours.begin, ours.end};
}

Span AstBuilder::span(antlr4::ParserRuleContext *context) const {
  Span first = span(context->getStart());
  if (!context->getStop()) return {file_, first.begin, first.begin};
  return {file_, first.begin, std::max(first.begin, span(context->getStop()).end)};
}

std::string_view AstBuilder::text(Span span) const { return sources_.text(span); }

ast::Identifier AstBuilder::identifier(antlr4::Token *token) const {
  Span place = span(token);
  return {std::string(text(place)), place};
}
ast::Identifier AstBuilder::identifier(antlr4::tree::TerminalNode *node) const { return identifier(node->getSymbol()); }

}  // namespace tessera::frontend
