// The base classes of the generated parser and of its tree's nodes. They do what ANTLR's own do, without the casts
// and listeners that a parser which stops at the first failure does not need. C++17, like the generated code.
#pragma once
#include "antlr4-runtime.h"
#include <type_traits>

namespace tessera::grammar {

/// A node of the parse tree: a rule that matched. Only tokens have no children: the grammar has no empty rules.
class RuleNode : public antlr4::ParserRuleContext {
public:
  using antlr4::ParserRuleContext::ParserRuleContext;

  template <class Rule> Rule *getRuleContext(size_t index) {
    for (antlr4::tree::ParseTree *child : children)
      if (Rule *rule = as<Rule>(child))
        if (index-- == 0) return rule;
    return nullptr;
  }
  template <class Rule> std::vector<Rule *> getRuleContexts() {
    std::vector<Rule *> rules;
    for (antlr4::tree::ParseTree *child : children)
      if (Rule *rule = as<Rule>(child)) rules.push_back(rule);
    return rules;
  }
  antlr4::tree::TerminalNode *getToken(size_t kind, size_t index) override {
    for (antlr4::tree::ParseTree *child : children)
      if (auto *token = tokenOf(child); token && token->getSymbol()->getType() == kind)
        if (index-- == 0) return token;
    return nullptr;
  }
  std::vector<antlr4::tree::TerminalNode *> getTokens(size_t kind) override {
    std::vector<antlr4::tree::TerminalNode *> tokens;
    for (antlr4::tree::ParseTree *child : children)
      if (auto *token = tokenOf(child); token && token->getSymbol()->getType() == kind) tokens.push_back(token);
    return tokens;
  }
  /// The one rule that this node consists of; null when it has several parts or is a token's.
  RuleNode *onlyRule() const {
    bool passesOn = children.size() == 1 && !children[0]->children.empty();
    return passesOn ? static_cast<RuleNode *>(children[0]) : nullptr;
  }

private:
  static antlr4::tree::TerminalNode *tokenOf(antlr4::tree::ParseTree *child) {
    return child->children.empty() ? static_cast<antlr4::tree::TerminalNode *>(child) : nullptr;
  }
  /// The child as a node of the rule; null when it is another's.
  template <class Rule> static Rule *as(antlr4::tree::ParseTree *child) {
    static const size_t rule = indexOf<Rule>();
    if (child->children.empty()) return nullptr;
    auto *node = static_cast<RuleNode *>(child);
    return node->getRuleIndex() == rule ? static_cast<Rule *>(node) : nullptr;
  }
  /// A rule with labelled alternatives has a class for each below its own.
  template <class Rule> static size_t indexOf() {
    if constexpr (std::is_default_constructible_v<Rule>) return Rule().getRuleIndex();
    else return Rule(nullptr, 0).getRuleIndex();
  }
};

class RuleParser : public antlr4::Parser {
public:
  using antlr4::Parser::Parser;

  /// Hides ANTLR's function of this name, which keeps what is left to do on the heap.
  template <class Rest> static auto finally(Rest rest) {
    struct AtEnd {
      Rest rest;
      ~AtEnd() { rest(); }
    };
    return AtEnd{std::move(rest)};
  }
  template <class Simulator> Simulator *getInterpreter() const { return static_cast<Simulator *>(_interpreter); }
  void enterRule(antlr4::ParserRuleContext *rule, size_t state, size_t) override {
    setState(state);
    _ctx = rule;
    rule->start = _input->LT(1);
    if (rule->parent) rule->parent->children.push_back(rule);
  }
  void exitRule() {
    _ctx->stop = _input->LT(_matchedEOF ? 1 : -1);
    setState(_ctx->invokingState);
    _ctx = static_cast<antlr4::ParserRuleContext *>(_ctx->parent);
  }
  /// The node of a labelled alternative takes the place of the rule's.
  void enterOuterAlt(antlr4::ParserRuleContext *alternative, size_t) override {
    if (_ctx != alternative && _ctx->parent) _ctx->parent->children.back() = alternative;
    _ctx = alternative;
  }
  antlr4::Token *match(size_t kind) override {
    antlr4::Token *token = _input->LT(1);
    if (token->getType() != kind) return _errHandler->recoverInline(this);
    if (kind == antlr4::Token::EOF) _matchedEOF = true;
    return consume();
  }
  antlr4::Token *consume() override {
    antlr4::Token *token = _input->LT(1);
    if (token->getType() != antlr4::Token::EOF) _input->consume();
    antlr4::tree::TerminalNode *leaf = createTerminalNode(token);
    leaf->setParent(_ctx);
    _ctx->children.push_back(leaf);
    return token;
  }
};

}  // namespace tessera::grammar
