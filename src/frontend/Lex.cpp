#include "frontend/Lex.h"
#include "grammar/TesseraLexer.h"
#include <algorithm>

namespace tessera::frontend {
namespace {

/// The bytes of a part of a file as ANTLR's characters: the index of a character is its byte offset in the file.
class ByteStream final : public antlr4::CharStream {
public:
  ByteStream(std::string_view text, uint32_t begin, uint32_t end) : text_(text), at_(begin), end_(end) {}
  void consume() override {
    if (at_ >= end_) throw antlr4::IllegalStateException("cannot consume the end of a file");
    ++at_;
  }
  size_t LA(ssize_t i) override {
    if (i == 0) return 0;
    size_t where = i > 0 ? at_ + static_cast<size_t>(i) - 1 : at_ - static_cast<size_t>(-i);
    return where < end_ ? static_cast<unsigned char>(text_[where]) : IntStream::EOF;
  }
  ssize_t mark() override { return -1; }
  void release(ssize_t) override {}
  size_t index() override { return at_; }
  void seek(size_t index) override { at_ = std::min<size_t>(index, end_); }
  size_t size() override { return end_; }
  std::string getSourceName() const override { return {}; }
  std::string getText(const antlr4::misc::Interval &range) override {
    if (range.a < 0 || range.b < range.a) return {};
    return std::string(text_.substr(static_cast<size_t>(range.a), static_cast<size_t>(range.b - range.a + 1)));
  }
  std::string toString() const override { return std::string(text_); }

private:
  std::string_view text_;
  size_t at_, end_;
};

/// `1..=8` comes as RANGE_START `1..=`: the integer and the operator behind it.
void pushRangeStart(Tokens &tokens, std::string_view text, Token token) {
  bool inclusive = text[token.end - 1] == '=';
  uint32_t dots = token.end - (inclusive ? 3 : 2);
  tokens.push_back({grammar::TesseraLexer::INTEGER, token.begin, dots});
  tokens.push_back({inclusive ? grammar::TesseraLexer::RANGE_INCLUSIVE : grammar::TesseraLexer::RANGE, dots, token.end});
}

}  // namespace

Tokens lex(std::string_view text, uint32_t begin, uint32_t end) {
  ByteStream stream(text, begin, end);
  grammar::TesseraLexer lexer(&stream);
  lexer.removeErrorListeners();
  Tokens tokens;
  tokens.reserve((end - begin) / 3 + 8);
  for (;;) {
    std::unique_ptr<antlr4::Token> token = lexer.nextToken();
    if (token->getType() == antlr4::Token::EOF) break;
    Token ours{static_cast<uint32_t>(token->getType()), static_cast<uint32_t>(token->getStartIndex()),
               static_cast<uint32_t>(token->getStopIndex() + 1)};
    if (ours.kind == grammar::TesseraLexer::RANGE_START)
      pushRangeStart(tokens, text, ours);
    else
      tokens.push_back(ours);
  }
  return tokens;
}

}  // namespace tessera::frontend
