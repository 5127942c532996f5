// Characters and literals that cannot be read: strays, lookalikes of ASCII marks, numbers, unterminated strings.
#include "frontend/Kinds.h"
#include "frontend/Lines.h"
#include "frontend/TextCheck.h"

namespace tessera::frontend {

using diag::Id;

namespace {
/// A character that editors and word processors put where ASCII was meant; kind 0: it means nothing and is dropped.
struct Lookalike {
  std::string_view character, meant;
  uint32_t kind;
};
const Lookalike lookalikes[] = {
    {"−", "-", K::MINUS},      {"–", "-", K::MINUS},  {"—", "-", K::MINUS},    {"×", "*", K::STAR},
    {"·", "*", K::STAR},       {"÷", "/", K::SLASH},  {"≤", "<=", K::LE},      {"≥", ">=", K::GE},
    {"≠", "!=", K::NE},        {"→", "->", K::ARROW}, {"…", "...", K::ELLIPSIS}, {"，", ",", K::COMMA},
    {"：", ":", K::COLON},     {"；", ";", K::SEMICOLON}, {"（", "(", K::LPAREN},  {"）", ")", K::RPAREN},
    {"“", "\"", K::ERROR_EXPRESSION}, {"”", "\"", 0}, {"‘", "'", K::ERROR_EXPRESSION}, {"’", "'", 0},
    {"\u00A0", " ", 0},        {"\u200B", "", 0},     {"\uFEFF", "", 0},       {"\u3000", " ", 0},
};
}  // namespace

namespace {
/// What other languages put before a string.
bool isForeignPrefix(std::string_view word) {
  for (std::string_view prefix : {"b", "B", "rb", "br", "Rb", "Br", "bR", "rB", "L", "u8", "t", "x", "X"})
    if (word == prefix) return true;
  return false;
}
}  // namespace

/// Mends a token that cannot stand as it is; false when nothing is left of it.
bool LineSplitter::readable(Token &token) {
  switch (token.kind) {
  case K::UNKNOWN:
    return strayCharacter(token);
  case K::INTEGER: case K::FLOAT: case K::IMAGINARY:
    return number(token);
  case K::UNTERMINATED_STRING:
    unterminated(token);
    return true;
  case K::STRING:
    if (token.end - token.begin == 2 && next() && next()->begin == token.end && text_[token.end] == text_[token.begin])
      unterminated(token);  // `"""` that is never closed reads as `""` and a quote
    return true;
  case K::NAME:
    mergeName(token);
    if (isForeignPrefix(word(token)) && next() && next()->begin == token.end && (next()->kind == K::STRING || next()->kind == K::UNTERMINATED_STRING)) {
      if (diag::Engine *engine = speak())
        engine->report(Id::badStringPrefix, span(token), word(token))
            .label("the prefixes are `r`, `f` and `u`")
            .fix(span(token), "", "delete `" + std::string(word(token)) + "`");
      return false;
    }
    return true;
  default:
    return true;
  }
}

/// Takes the pieces of a name with letters outside of ASCII together, with one message.
void LineSplitter::mergeName(Token &token) {
  uint32_t end = token.end;
  bool foreign = token.kind == K::UNKNOWN;
  while (const Token *piece = next()) {
    bool letter = piece->kind == K::UNKNOWN && static_cast<unsigned char>(text_[piece->begin]) >= 0x80;
    bool ascii = piece->kind == K::NAME || (foreign && piece->kind == K::INTEGER);
    if (piece->begin != end || !(letter || (ascii && foreign))) break;
    for (const Lookalike &like : lookalikes)
      if (letter && text_.substr(piece->begin, like.character.size()) == like.character) letter = false;
    if (!letter && !ascii) break;
    foreign |= letter;
    end = piece->end;
    ++at_;
  }
  if (!foreign) return;
  token.kind = K::NAME;
  token.end = end;
  if (diag::Engine *engine = speak())
    engine->report(Id::strayCharacter, span(token), word(token)).label("names are of ASCII letters, digits and `_`");
}

bool LineSplitter::strayCharacter(Token &token) {
  char c = text_[token.begin];
  if (c == '!' || c == '?') return true;  // an operator of another language: what it means is seen in its line
  if (c == '\\') {
    uint32_t end = token.end;
    while (end < text_.size() && (text_[end] == ' ' || text_[end] == '\t')) ++end;
    bool blanks = end > token.end && (end == text_.size() || text_[end] == '\n' || text_[end] == '\r');
    if (diag::Engine *engine = speak()) {
      auto report = engine->report(Id::strayBackslash, span(token));
      report.label(blanks ? "blanks stand behind it" : "more text stands behind it");
      if (blanks) report.fix(span(token.end, end), "", "delete the blanks behind `\\`");
    }
    return false;
  }
  uint32_t length = utf8Length(text_, token.begin);
  token.end = token.begin + length;
  for (uint32_t i = 1; i < length && next(); ++i) ++at_;  // its other bytes came as tokens of their own
  for (const Lookalike &like : lookalikes) {
    if (word(token) != like.character) continue;
    if (diag::Engine *engine = speak())
      engine->report(Id::strayCharacter, span(token), word(token))
          .label("this is not the ASCII character")
          .fix(span(token), std::string(like.meant),
               like.meant.empty() ? std::string("delete it") : "write `" + std::string(like.meant) + "`");
    token.kind = like.kind;
    return like.kind != 0;
  }
  if (static_cast<unsigned char>(c) >= 0x80) {
    mergeName(token);
    return true;
  }
  if (diag::Engine *engine = speak())
    engine->report(Id::strayCharacter, span(token), word(token)).label("no part of the language").suggest(span(token), "", "delete it");
  return false;
}

/// `12abc`, `0b12`, `1__0`, `007`: what directly touches a number, or a decimal one with zeros before it.
bool LineSplitter::number(Token &token) {
  uint32_t end = token.end;
  bool touched = false;
  while (const Token *piece = next()) {
    bool touches = piece->begin == end && (piece->kind == K::NAME || piece->kind == K::INTEGER || piece->kind == K::FLOAT);
    if (!touches) break;
    touched = true;
    end = piece->end;
    ++at_;
  }
  std::string_view digits = word(token);
  bool zeros = token.kind == K::INTEGER && digits.size() > 1 && digits[0] == '0' && digits.find_first_of("xXoObB") != 1 &&
               digits.find_first_not_of("0_") != std::string_view::npos;
  if (!touched && !zeros) return true;
  token.end = end;
  if (diag::Engine *engine = speak()) {
    auto report = engine->report(Id::badNumber, span(token), word(token));
    if (zeros && !touched) {
      std::string without(digits.substr(digits.find_first_not_of("0_")));
      report.label("a decimal number does not start with `0`").fix(span(token), without, "write `" + without + "`");
    } else {
      report.label("letters or digits that do not belong to it touch the number");
    }
  }
  token.kind = K::ERROR_EXPRESSION;
  return true;
}

void LineSplitter::unterminated(Token &token) {
  bool isLong = token.kind == K::STRING;
  char quote = text_[text_.find_first_of("\"'", token.begin)];
  std::string quotes(isLong ? 3 : 1, quote);
  if (isLong) {
    token.end = token.begin + 3;
    at_ = raw_.size();
  }
  uint32_t at = isLong ? static_cast<uint32_t>(text_.size()) : token.end;
  if (!isLong)  // a bracket or colon at the end of the line most likely belongs behind the string
    while (at > token.begin + 2 && std::string_view(")]}:, ").find(text_[at - 1]) != std::string_view::npos) --at;
  if (diag::Engine *engine = speak())
    engine->report(Id::unterminatedString, span(token), quotes)
        .label(isLong ? "it runs to the end of the file" : "it runs to the end of the line")
        .suggest(span(at, at), quotes, "insert `" + quotes + "`");
  token.kind = K::ERROR_EXPRESSION;
  brokenString_ = true;
}

}  // namespace tessera::frontend
