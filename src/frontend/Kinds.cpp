#include "frontend/Kinds.h"
#include <algorithm>
#include <array>

namespace tessera::frontend {

uint32_t closerOf(uint32_t kind) {
  return kind == K::LPAREN ? K::RPAREN : kind == K::LBRACKET ? K::RBRACKET : kind == K::LBRACE ? K::RBRACE : 0;
}
bool isOpener(uint32_t kind) { return closerOf(kind) != 0; }
bool isCloser(uint32_t kind) { return kind == K::RPAREN || kind == K::RBRACKET || kind == K::RBRACE; }

std::string_view spelling(uint32_t kind) {
  // Keywords and operators stand in the order of the lexer grammar, which numbers them.
  static constexpr std::array<std::string_view, 32> keywords = {
      "and", "as", "assert", "break", "class", "continue", "def", "del", "elif", "else", "except",
      "False", "finally", "for", "from", "global", "if", "import", "in", "is", "lambda", "None",
      "nonlocal", "not", "or", "pass", "raise", "return", "True", "try", "while", "with"};
  static constexpr std::array<std::string_view, 48> marks = {
      "(", ")", "[", "]", "{", "}", "->", "+=", "-=", "*=", "/=", "//=", "%=", "@=", "**=", "<<=",
      ">>=", "&=", "|=", "^=", ":=", "==", "!=", "<=", ">=", "<<", ">>", "**", "//", "...", "..=", "..",
      "=", "<", ">", "+", "-", "*", "/", "%", "@", "&", "|", "^", "~", ".", ",", ":"};
  static_assert(K::WITH - K::AND + 1 == keywords.size() && K::COLON - K::LPAREN + 1 == marks.size());
  if (kind >= K::AND && kind <= K::WITH) return keywords[kind - K::AND];
  if (kind >= K::LPAREN && kind <= K::COLON) return marks[kind - K::LPAREN];
  return kind == K::SEMICOLON ? ";" : "";
}

bool isKeyword(uint32_t kind) { return kind >= K::AND && kind <= K::WITH; }

bool startsStatement(uint32_t kind) {
  switch (kind) {
  case K::ASSERT: case K::BREAK: case K::CLASS: case K::CONTINUE: case K::DEF: case K::DEL: case K::ELIF:
  case K::EXCEPT: case K::FINALLY: case K::FROM: case K::GLOBAL: case K::IMPORT: case K::NONLOCAL: case K::PASS:
  case K::RAISE: case K::RETURN: case K::TRY: case K::WHILE: case K::WITH:
    return true;
  default:
    return false;
  }
}

bool startsBlock(uint32_t kind) {
  switch (kind) {
  case K::CLASS: case K::DEF: case K::ELIF: case K::ELSE: case K::EXCEPT: case K::FINALLY: case K::FOR: case K::IF:
  case K::TRY: case K::WHILE: case K::WITH: case K::STRUCT: case K::ASYNC:
    return true;
  default:
    return false;
  }
}

bool isOperator(uint32_t kind) {
  switch (kind) {
  case K::AND: case K::OR: case K::NOT: case K::IN: case K::IS: case K::IF: case K::ELSE: case K::LAMBDA:
    return true;
  default:
    return (kind >= K::EQ && kind <= K::FLOOR) || kind == K::RANGE || kind == K::RANGE_INCLUSIVE ||
           (kind >= K::LT && kind <= K::TILDE) || kind == K::DOT;
  }
}

bool endsValue(uint32_t kind) {
  return kind == K::NAME || kind == K::INTEGER || kind == K::FLOAT || kind == K::IMAGINARY || kind == K::STRING ||
         isCloser(kind) || kind == K::NONE || kind == K::TRUE || kind == K::FALSE || kind == K::ELLIPSIS ||
         kind == K::ERROR_EXPRESSION;
}

bool startsValue(uint32_t kind) {
  return (endsValue(kind) && !isCloser(kind)) || isOpener(kind) || kind == K::MINUS || kind == K::PLUS ||
         kind == K::TILDE || kind == K::NOT || kind == K::LAMBDA || kind == K::AWAIT || kind == K::STAR || kind == K::POWER;
}

bool isAssignment(uint32_t kind) { return kind == K::ASSIGN || (kind >= K::PLUS_ASSIGN && kind <= K::XOR_ASSIGN); }

bool isForeignHeader(std::string_view name) {
  static constexpr std::array<std::string_view, 14> words = {"function", "func", "fn",    "fun",    "elseif", "elsif", "unless",
                                                             "until",    "switch", "match", "case",  "do",     "foreach", "struct"};
  return std::find(words.begin(), words.end(), name) != words.end();
}

}  // namespace tessera::frontend
