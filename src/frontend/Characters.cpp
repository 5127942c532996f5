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

/// The length of what C and Rust put behind a number to give it a type; 0 when it is something else.
uint32_t numberSuffix(std::string_view letters) {
  for (std::string_view suffix :
       {"f", "F", "l",   "L",   "u",   "U",    "ll",  "LL",  "ul",  "UL",   "ull",  "ULL",  "h",
        "d", "D", "f16", "f32", "f64", "bf16", "i32", "i64", "u32", "_f32", "_f64", "_i32", "_i64"})
    if (letters == suffix) return static_cast<uint32_t>(suffix.size());
  return 0;
}

/// Where, in the text behind a quote, a bracket closes that was not opened there; npos when none does.
size_t strayCloser(std::string_view text) {
  std::string stack;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '(' || text[i] == '[') stack += text[i] == '(' ? ')' : ']';
    if (text[i] != ')' && text[i] != ']') continue;
    if (stack.empty() || stack.back() != text[i]) return i;
    stack.pop_back();
  }
  return std::string_view::npos;
}

/// How much of the text behind a quote was most likely meant as the string: a word up to a `,` or a bracket that closes
/// nothing in it.
size_t meantLength(std::string_view text, size_t closer) {
  size_t comma = text.substr(0, closer).find(',');
  bool aWord = comma != text.npos && text.substr(0, comma).find_first_of(" ([") == text.npos;
  return aWord ? comma : closer;
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
    if (next() && next()->kind == K::STRING && next()->begin == token.end && isForeignPrefix(word(token)) &&
        !touchesString(token)) {
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

/// Does a string end where this begins? Then a quote is missing or too many, and the word is no prefix.
bool LineSplitter::touchesString(Token token) const {
  return !line_.tokens.empty() && line_.tokens.back().kind == K::STRING && line_.tokens.back().end == token.begin;
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
  size_t length = digits.size();  // of the number itself
  token.end = end;
  if (diag::Engine *engine = speak()) {
    auto report = engine->report(Id::badNumber, span(token), word(token));
    if (zeros && !touched) {
      std::string without(digits.substr(digits.find_first_not_of("0_")));
      report.label("a decimal number does not start with `0`").fix(span(token), without, "write `" + without + "`");
    } else if (uint32_t suffix = numberSuffix(word(token).substr(length))) {
      std::string letters(text_.substr(end - suffix, suffix));
      report.label("a number takes the type of the other operand, without `" + letters + "`");
      Span place = span(end - suffix, end);
      if (suffix < 3) report.fix(place, "", "delete `" + letters + "`");
      else report.suggest(place, "", "delete `" + letters + "`");
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
  if (isLong) {
    uint32_t at = static_cast<uint32_t>(text_.size());
    if (diag::Engine *engine = speak())
      engine->report(Id::unterminatedString, span(token), quotes)
          .label("it runs to the end of the file")
          .suggest(span(at, at), quotes, "insert `" + quotes + "`");
  } else if (!line_.reported && !forgottenQuote(token, quote) && !transposedOrApostrophe(token, quote)) {
    unclosed(token, quote);
  }
  token.kind = K::ERROR_EXPRESSION;
  brokenString_ = true;
}

/// `x: Tensor[N", f32]`: the quote before the word is missing.
bool LineSplitter::unopened(Token token, size_t index, char quote) {
  if (index == 0 || token.end < token.begin + 2) return false;
  Token name = line_.tokens[index - 1];
  bool ends = std::string_view(",)]:").find(text_[token.begin + 1]) != std::string_view::npos;
  if (name.kind != K::NAME || name.end != token.begin || text_[token.begin] != quote || !ends) return false;
  if (diag::Engine *engine = speak())
    engine->report(Id::unterminatedString, span(token.begin, token.begin + 1), quote)
        .label("nothing opens this before the word")
        .suggest(span(name.begin, name.begin), std::string(1, quote), std::string("insert `") + quote + "`");
  return true;
}

/// A string that runs to the end of its line.
void LineSplitter::unclosed(Token token, char quote) {
  if (unopened(token, line_.tokens.size(), quote)) return;
  std::string quotes(1, quote);
  uint32_t at = token.end, begin = static_cast<uint32_t>(text_.find(quote, token.begin)) + 1;
  // A bracket or colon at the end of the line most likely belongs behind the string.
  while (at > token.begin + 2 && std::string_view(")]}:, ").find(text_[at - 1]) != std::string_view::npos) --at;
  std::string_view inside = text_.substr(begin, token.end - begin);
  if (size_t closer = strayCloser(inside); closer != inside.npos && begin + closer < at)
    at = begin + static_cast<uint32_t>(meantLength(inside, closer));
  if (diag::Engine *engine = speak())
    engine->report(Id::unterminatedString, span(token), quotes)
        .label("it runs to the end of the line")
        .suggest(span(at, at), quotes, "insert `" + quotes + "`");
}

/// `x: Tensor["N, f32], y: Tensor["N", f32]`: an earlier quote of this line was not closed, so that all behind it stand for
/// their opposite.
bool LineSplitter::forgottenQuote(Token token, char quote) {
  size_t start = text_.rfind('\n', token.begin);
  start = start == text_.npos ? 0 : start;
  for (size_t i = 0; i < line_.tokens.size(); ++i) {
    Token earlier = line_.tokens[i];
    if (earlier.begin < start || earlier.kind != K::STRING || text_[earlier.begin] != quote) continue;
    std::string_view inside = text_.substr(earlier.begin + 1, earlier.end - earlier.begin - 2);
    size_t closer = strayCloser(inside);
    if (closer == inside.npos) continue;
    if (unopened(earlier, i, quote)) return true;
    uint32_t at = earlier.begin + 1 + static_cast<uint32_t>(meantLength(inside, closer));
    if (diag::Engine *engine = speak())
      engine->report(Id::unterminatedString, span(earlier.begin, at), quote)
          .label("from here on, the quotes of this line do not pair up")
          .suggest(span(at, at), std::string(1, quote), std::string("insert `") + quote + "`");
    return true;
  }
  return false;
}

/// `x'` of MATLAB, and `'it's'`.
bool LineSplitter::transposedOrApostrophe(Token token, char quote) {
  size_t count = line_.tokens.size();
  if (count == 0 || line_.tokens.back().end != token.begin || !endsValue(line_.tokens.back().kind)) return false;
  if (word(token).find_first_not_of(")]}:, ", 1) != std::string_view::npos) return false;
  Token before = line_.tokens.back();
  if (before.kind == K::NAME && count > 1) {
    Token string = line_.tokens[count - 2];
    if (string.kind == K::STRING && string.end == before.begin && text_[string.begin] == quote) {
      char other = quote == '"' ? '\'' : '"';
      std::string_view inside = text_.substr(string.begin + 1, token.begin - string.begin - 1);
      if (inside.find(other) != inside.npos || inside.find('\\') != inside.npos) return false;
      std::string meant = other + std::string(inside) + other;
      if (diag::Engine *engine = speak())
        engine->report(Id::unterminatedString, span(token), quote)
            .label("a quote in the text ended the string before this")
            .suggest(span(string.begin, token.begin + 1), meant, "write `" + meant + "`");
      return true;
    }
  }
  if (quote != '\'' || before.kind == K::STRING) return false;
  if (diag::Engine *engine = speak())
    engine->report(Id::foreignOperator, span(token.begin, token.begin + 1), "'")
        .label("a matrix is transposed with `.T`")
        .suggest(span(token.begin, token.begin + 1), ".T", "write `.T`");
  return true;
}

}  // namespace tessera::frontend
