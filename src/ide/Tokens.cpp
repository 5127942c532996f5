// Semantic tokens: what each name is, for colours that a grammar of words cannot find.
#include "frontend/Walk.h"
#include "ide/Ide.h"
#include "sema/Builtins.h"
#include <algorithm>
#include <functional>
#include <tuple>

namespace tessera::ide {

using ast::as;
using sema::ValueKind;

namespace {

TokenKind tokenOf(SymbolKind kind) {
  switch (kind) {
  case SymbolKind::Function:
  case SymbolKind::Method: return TokenKind::Function;
  case SymbolKind::Kernel: return TokenKind::Kernel;
  case SymbolKind::Struct: return TokenKind::Struct;
  case SymbolKind::Field: return TokenKind::Property;
  case SymbolKind::Parameter: return TokenKind::Parameter;
  case SymbolKind::Dimension: return TokenKind::Dimension;
  case SymbolKind::DTypeParameter: return TokenKind::DType;
  case SymbolKind::Constant: return TokenKind::Constant;
  case SymbolKind::Policy: return TokenKind::Policy;
  case SymbolKind::Import: return TokenKind::Module;
  case SymbolKind::Variable: return TokenKind::Variable;
  }
  return TokenKind::Variable;
}

TokenKind tokenOf(const sema::Fact &fact) {
  switch (fact.kind) {
  case ValueKind::Function:
  case ValueKind::Overloads:
  case ValueKind::Builtin:
  case ValueKind::Method:
  case ValueKind::Partial:
  case ValueKind::Derivative:
  case ValueKind::Transform: return TokenKind::Function;
  case ValueKind::Module: return TokenKind::Module;
  case ValueKind::DType: return TokenKind::DType;
  case ValueKind::StructType: return TokenKind::Struct;
  case ValueKind::TypeName: return TokenKind::Type;
  case ValueKind::Policy: return TokenKind::Policy;
  default: return TokenKind::Property;
  }
}

class TokenMaker {
public:
  explicit TokenMaker(const View &view) : view_(view) {}

  std::vector<SemanticToken> all() {
    for (const Occurrence &o : view_.names.occurrences()) occurrence(o);
    for (const ast::StmtPtr &stmt : view_.module.body) statement(*stmt);
    // Of several at one place the longest and the most special comes first; places do not overlap, and none holds a line break.
    auto order = [](const SemanticToken &t) { return std::tuple(t.place.begin, ~t.place.end, -static_cast<int>(t.kind)); };
    std::sort(tokens_.begin(), tokens_.end(), [&](const auto &a, const auto &b) { return order(a) < order(b); });
    std::vector<SemanticToken> apart;
    for (const SemanticToken &token : tokens_)
      if ((apart.empty() || apart.back().place.end <= token.place.begin) && view_.text(token.place).find('\n') == std::string_view::npos)
        apart.push_back(token);
    return apart;
  }

private:
  void occurrence(const Occurrence &o) {
    const Symbol &symbol = view_.names.symbols()[o.symbol];
    SemanticToken token{o.place, tokenOf(symbol.kind), o.use == UseKind::Definition, false, symbol.kind == SymbolKind::Constant};
    if (symbol.kind == SymbolKind::Import) {
      const sema::Fact *fact = view_.facts.at(o.place);
      if (!fact) fact = view_.facts.at(symbol.definition);
      if (fact && tokenOf(*fact) != TokenKind::Property) token.kind = tokenOf(*fact);
    }
    tokens_.push_back(token);
  }
  /// Names that are the language's own: they have no occurrence.
  void word(const std::string &name, Span place) {
    if (const Occurrence *at = view_.names.at(place.begin); at && at->place == place) return;
    if (dtypeByName(name)) tokens_.push_back({place, TokenKind::DType, false, true, false});
    else if (name == "Tensor" || name == "Const" || name == "Int" || name == "Tile" || name == "Callable")
      tokens_.push_back({place, TokenKind::Type, false, true, false});
    else if (name == "tile" || name == "tessera") tokens_.push_back({place, TokenKind::Module, false, true, false});
    else if (sema::builtinByName(name, 'P')) tokens_.push_back({place, TokenKind::Function, false, true, false});
    else if (const sema::Fact *fact = view_.facts.at(place)) tokens_.push_back({place, tokenOf(*fact), false, true, false});
  }
  void expr(const ast::Expr &e) {
    if (auto *name = as<ast::NameExpr>(&e)) return word(name->name, name->span);
    if (auto *member = as<ast::AttributeExpr>(&e)) {
      expr(*member->object);
      const Occurrence *at = view_.names.at(member->attribute.span.begin);
      if (at && at->place == member->attribute.span) return;
      const sema::Fact *fact = view_.facts.at(e.span);
      SemanticToken token{member->attribute.span, fact ? tokenOf(*fact) : TokenKind::Property, false, true, false};
      tokens_.push_back(token);
      return;
    }
    if (auto *policy = as<ast::PolicyExpr>(&e)) return policyName(*policy->policy);
    if (auto *binary = as<ast::BinaryExpr>(&e); binary && binary->op == ast::BinaryOp::MatMul && isDType(*binary->left)) {
      expr(*binary->left);
      return policyName(*binary->right);
    }
    for (const ast::Expr *child : ast::childrenOf(e).exprs) expr(*child);
  }
  static bool isDType(const ast::Expr &e) {
    if (auto *name = as<ast::NameExpr>(&e)) return dtypeByName(name->name).has_value();
    auto *binary = as<ast::BinaryExpr>(&e);
    return binary && binary->op == ast::BinaryOp::MatMul && isDType(*binary->left);
  }
  void policyName(const ast::Expr &policy) {
    const ast::Expr *callee = &policy;
    if (auto *call = as<ast::CallExpr>(&policy)) {
      callee = call->callee.get();
      for (const ast::Argument &argument : call->arguments) expr(*argument.value);
    }
    if (callee->kind == ast::ExprKind::Name) tokens_.push_back({callee->span, TokenKind::Policy, false, true, false});
    else expr(*callee);
  }
  void decorators(const std::vector<ast::Decorator> &list) {
    for (const ast::Decorator &d : list) {
      const ast::Expr *e = d.expression.get();
      if (auto *call = as<ast::CallExpr>(e)) e = call->callee.get();
      if (e) tokens_.push_back({e->span, TokenKind::Decorator, false, true, false});
    }
  }
  void statement(const ast::Stmt &stmt) {
    if (auto *def = as<ast::FuncDef>(&stmt)) decorators(def->decorators);
    if (auto *def = as<ast::StructDef>(&stmt)) decorators(def->decorators);
    ast::Children children = ast::childrenOf(stmt);
    for (const ast::Expr *e : children.exprs) expr(*e);
    for (const ast::Stmt *inner : children.stmts) statement(*inner);
  }

  const View &view_;
  std::vector<SemanticToken> tokens_;
};

}  // namespace

std::vector<SemanticToken> semanticTokens(const View &view) { return TokenMaker(view).all(); }

}  // namespace tessera::ide
