// Parentheses around a value that is too long for its line and has operators or commas to be broken at.
#include "frontend/FormatTokens.h"
#include <algorithm>
#include <array>

namespace tessera::frontend::fmt {
namespace {

bool isBreakable(const Token &token) {
  static constexpr std::array<std::string_view, 25> kOperators = {
      "or", "and", "in", "not", "is", "if", "==", "!=", "<", "<=", ">", ">=", "|",
      "^",  "&",   "<<", ">>",  "+",  "-",  "*",  "/",  "//", "%", "@",  "else"};
  return std::find(kOperators.begin(), kOperators.end(), token.text) != kOperators.end();
}

bool isAssignment(const Token &token) {
  if (token.kind != TokenKind::Operator || token.text.back() != '=') return false;
  static constexpr std::array<std::string_view, 6> kOthers = {"==", "!=", "<=", ">=", ":=", "..="};
  return std::find(kOthers.begin(), kOthers.end(), token.text) == kOthers.end();
}

/// Where the value of an assignment, a return or a condition begins; 0 if the line has none.
size_t valueBegin(const std::vector<Token> &words) {
  const Token &first = words[0];
  if (first.is("return") || first.is("if") || first.is("elif") || first.is("while")) return 1;
  if (first.kind == TokenKind::Keyword || first.is("@")) return 0;
  size_t begin = 0;
  int depth = 0;
  for (size_t i = 0; i < words.size(); ++i) {
    if (isOpening(words[i])) ++depth;
    else if (isClosing(words[i])) --depth;
    else if (words[i].is("lambda")) break;
    else if (depth == 0 && isAssignment(words[i])) begin = i + 1;
  }
  return begin;
}

Token parenthesis(const char *text, uint32_t at) {
  Token token;
  token.text = text;
  token.begin = token.end = at;
  return token;
}

}  // namespace

bool wrapValue(LogicalLine &line) {
  std::vector<Token> &words = line.tokens;
  size_t begin = valueBegin(words), end = line.startsBlock ? headerColon(words) : words.size();
  if (begin == 0 || begin >= end) return false;
  bool breakable = false;
  int depth = 0;
  for (size_t i = begin; i < end; ++i) {
    const Token &word = words[i];
    if (isOpening(word)) ++depth;
    else if (isClosing(word)) --depth;
    else if (depth > 0) continue;
    else if (word.is("lambda") || word.is(":=")) return false;
    else if (word.is(",")) breakable = true;
    else if (i > begin && !word.isPolicy && word.kind != TokenKind::String && isBreakable(word)) breakable = true;
  }
  if (!breakable) return false;
  Token close = parenthesis(")", words[end - 1].end);
  close.trailing = std::move(words[end - 1].trailing);
  words[end - 1].trailing.reset();
  words.insert(words.begin() + static_cast<std::ptrdiff_t>(end), std::move(close));
  words.insert(words.begin() + static_cast<std::ptrdiff_t>(begin), parenthesis("(", words[begin].begin));
  return true;
}

}  // namespace tessera::frontend::fmt
