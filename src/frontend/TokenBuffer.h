// Tokens as ANTLR wants them: a token object for each, and a stream that is an index into an array.
#pragma once
#include "antlr4-runtime.h"
#include "frontend/Token.h"
#include <algorithm>

namespace tessera::frontend {

class SourceToken final : public antlr4::Token {
public:
  SourceToken(frontend::Token token, size_t index) : token_(token), index_(index) {}
  const frontend::Token &token() const { return token_; }
  std::string getText() const override { return {}; }
  size_t getType() const override { return kind(); }
  size_t kind() const { return token_.kind == kEndOfFile ? antlr4::Token::EOF : token_.kind; }
  size_t getLine() const override { return 0; }
  size_t getCharPositionInLine() const override { return 0; }
  size_t getChannel() const override { return antlr4::Token::DEFAULT_CHANNEL; }
  size_t getTokenIndex() const override { return index_; }
  size_t getStartIndex() const override { return token_.begin; }
  size_t getStopIndex() const override { return token_.end - 1; }
  antlr4::TokenSource *getTokenSource() const override { return nullptr; }
  antlr4::CharStream *getInputStream() const override { return nullptr; }
  std::string toString() const override { return {}; }

private:
  frontend::Token token_;
  size_t index_;
};

class TokenBuffer final : public antlr4::TokenStream {
public:
  void assign(const Tokens &tokens) {
    tokens_.clear();
    tokens_.reserve(tokens.size());
    for (const frontend::Token &token : tokens) tokens_.emplace_back(token, tokens_.size());
    at_ = 0;
  }
  void consume() override {
    if (at_ + 1 < tokens_.size()) ++at_;
  }
  size_t LA(ssize_t k) override {
    if (k > 0) return ahead(static_cast<size_t>(k));
    antlr4::Token *token = LT(k);
    return token ? token->getType() : antlr4::Token::INVALID_TYPE;
  }
  /// LA() of a token that is still to come; 1 is the next one.
  size_t ahead(size_t k) const { return tokens_[std::min(at_ + k, tokens_.size()) - 1].kind(); }
  antlr4::Token *LT(ssize_t k) override {
    if (k < 0) return static_cast<size_t>(-k) > at_ ? nullptr : &tokens_[at_ - static_cast<size_t>(-k)];
    size_t where = at_ + static_cast<size_t>(k) - (k > 0 ? 1 : 0);
    return &tokens_[where < tokens_.size() ? where : tokens_.size() - 1];
  }
  antlr4::Token *get(size_t index) const override { return const_cast<SourceToken *>(&tokens_[index]); }
  antlr4::TokenSource *getTokenSource() const override { return nullptr; }
  std::string getText(const antlr4::misc::Interval &) override { return {}; }
  std::string getText() override { return {}; }
  std::string getText(antlr4::RuleContext *) override { return {}; }
  std::string getText(antlr4::Token *, antlr4::Token *) override { return {}; }
  ssize_t mark() override { return 0; }
  void release(ssize_t) override {}
  size_t index() override { return at_; }
  void seek(size_t index) override { at_ = index < tokens_.size() ? index : tokens_.size() - 1; }
  size_t size() override { return tokens_.size(); }
  std::string getSourceName() const override { return {}; }

private:
  std::vector<SourceToken> tokens_;
  size_t at_ = 0;
};

}  // namespace tessera::frontend
