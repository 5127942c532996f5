// What the formatter works on: the words of a program with their comments, and its logical lines.
// Words keep their spelling, so that formatting cannot change what a program says.
#pragma once
#include "support/Sources.h"
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tessera::frontend::fmt {

struct SourceComment {
  std::string text;      // from `#`, without blanks behind it
  uint32_t column = 0;   // display column of `#` in the source
  uint32_t gap = 0;      // columns between it and the word in front of it
  unsigned blanks = 0;   // empty lines in front of it (comments on a line of their own)
  uint32_t begin = 0;
};

enum class TokenKind : uint8_t { Name, Keyword, Number, String, Operator };
/// What a bracket is for; decides spacing and trailing commas.
enum class BracketKind : uint8_t { None, Call, Parameters, TypeParameters, Group, Subscript, List, Braces };

struct Token {
  TokenKind kind = TokenKind::Operator;
  std::string text;
  uint32_t begin = 0, end = 0;
  bool lineBreakBefore = false;           // inside brackets: the author started a new line here
  std::vector<SourceComment> before;      // comments on lines of their own, inside brackets
  std::optional<SourceComment> trailing;  // the comment behind it on the same line
  bool isPolicy = false;                  // `@` in front of a policy of a type; spaced as `bf16 @accum(f32)`
  // Set by space():
  bool spaceBefore = false;
  BracketKind bracket = BracketKind::None;  // of an opening bracket
  bool is(std::string_view what) const { return kind != TokenKind::String && text == what; }
};

/// One statement, or the header of a compound statement, or the rest of a file behind the last one
/// (no words, only comments).
struct LogicalLine {
  std::vector<SourceComment> comments;  // on lines of their own, in front
  unsigned blanks = 0;                  // empty lines directly in front of the first word
  uint32_t column = 0;                  // indentation in the source
  unsigned level = 0;                   // depth of the block
  std::vector<Token> tokens;
  bool startsBlock = false;             // a header: ends with the colon of its block
};

/// Splits a file into logical lines with block levels. The text must have parsed without errors.
std::vector<LogicalLine> scan(const SourceFile &file);
/// Sets spaceBefore, bracket kinds and isPolicy of every word, but for what is set already.
void space(LogicalLine &line);

/// Puts parentheses around the value of an assignment, a return or a condition, if it has operators to break at.
bool wrapValue(LogicalLine &line);

bool isOpening(const Token &token);
bool isClosing(const Token &token);
/// Whether a value can end with this word, so that what follows is an operator or a trailer.
bool endsOperand(const Token &token);
/// The index of the colon that ends the header, or npos when the line is not a header.
size_t headerColon(const std::vector<Token> &tokens);

}  // namespace tessera::frontend::fmt
