// Strings: escapes, adjacent literals, f-strings.
#include "frontend/Build.h"
#include "frontend/GrammarParser.h"
#include "frontend/Layout.h"
#include "frontend/TextCheck.h"
#include <cctype>

namespace tessera::frontend {

using namespace ast;
using diag::Id;
using G = grammar::TesseraParser;
using Any = antlrcpp::Any;

/// A string token taken apart: its prefix, and where its contents are.
struct AstBuilder::Quoted {
  bool raw = false, formatted = false;
  uint32_t begin = 0, end = 0;
};

AstBuilder::Quoted AstBuilder::quoted(Span token) const {
  std::string_view all = text(token);
  Quoted out;
  uint32_t i = 0;
  for (; all[i] != '"' && all[i] != '\''; ++i) {
    char letter = static_cast<char>(all[i] | 0x20);
    out.raw |= letter == 'r';
    out.formatted |= letter == 'f';
  }
  std::string_view rest = all.substr(i);
  uint32_t quotes = rest.size() >= 6 && rest[1] == rest[0] && rest[2] == rest[0] ? 3 : 1;
  out.begin = token.begin + i + quotes;
  out.end = token.end - quotes;
  return out;
}

namespace {
void appendUtf8(std::string &out, uint32_t code) {
  if (code < 0x80) {
    out += static_cast<char>(code);
  } else if (code < 0x800) {
    out += static_cast<char>(0xC0 | (code >> 6));
    out += static_cast<char>(0x80 | (code & 0x3F));
  } else if (code < 0x10000) {
    out += static_cast<char>(0xE0 | (code >> 12));
    out += static_cast<char>(0x80 | ((code >> 6) & 0x3F));
    out += static_cast<char>(0x80 | (code & 0x3F));
  } else {
    out += static_cast<char>(0xF0 | (code >> 18));
    out += static_cast<char>(0x80 | ((code >> 12) & 0x3F));
    out += static_cast<char>(0x80 | ((code >> 6) & 0x3F));
    out += static_cast<char>(0x80 | (code & 0x3F));
  }
}

int hexDigit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  char lower = static_cast<char>(c | 0x20);
  return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

/// The letters after a backslash that stand for one character; 0 when it is none of them.
char simpleEscape(char c) {
  switch (c) {
  case 'n': return '\n';
  case 't': return '\t';
  case 'r': return '\r';
  case 'a': return '\a';
  case 'b': return '\b';
  case 'f': return '\f';
  case 'v': return '\v';
  case '\\': case '\'': case '"': return c;
  default: return 0;
  }
}
}  // namespace

/// The characters that text[begin, end) stands for. As in Python, an unknown escape stays as it is written.
std::string AstBuilder::decode(uint32_t begin, uint32_t end, bool raw) {
  std::string_view all = sources_.file(file_).text;
  std::string out;
  for (uint32_t i = begin; i < end; ++i) {
    char c = all[i];
    if (c == '\r' && i + 1 < end && all[i + 1] == '\n') continue;  // a line break is one line feed
    if (c != '\\' || raw || i + 1 >= end) {
      out += c;
      continue;
    }
    char next = all[++i];
    if (char simple = simpleEscape(next)) {
      out += simple;
    } else if (next == '\n') {
      // joined lines
    } else if (next == '\r') {
      if (i + 1 < end && all[i + 1] == '\n') ++i;
    } else if (next >= '0' && next <= '7') {
      uint32_t code = static_cast<uint32_t>(next - '0');
      for (int n = 1; n < 3 && i + 1 < end && all[i + 1] >= '0' && all[i + 1] <= '7'; ++n)
        code = code * 8 + static_cast<uint32_t>(all[++i] - '0');
      appendUtf8(out, code);
    } else if (next == 'x' || next == 'u' || next == 'U') {
      uint32_t wanted = next == 'x' ? 2 : next == 'u' ? 4 : 8, code = 0, got = 0;
      while (got < wanted && i + 1 < end && hexDigit(all[i + 1]) >= 0)
        code = code * 16 + static_cast<uint32_t>(hexDigit(all[++i])), ++got;
      if (got < wanted || code > 0x10FFFF || (code >= 0xD800 && code < 0xE000)) {
        diagnostics_.report(Id::badEscape, {file_, i - got - 1, i + 1}, next, wanted)
            .label(got < wanted ? "too few hexadecimal digits" : "no such character");
        code = 0xFFFD;
      }
      appendUtf8(out, code);
    } else {
      out += '\\';
      out += next;
    }
  }
  return out;
}

Any AstBuilder::visitStrings(G::StringsContext *context) {
  Span place = span(context);
  bool formattedAny = false;
  for (auto *token : context->STRING()) formattedAny |= quoted(span(token->getSymbol())).formatted;
  if (!formattedAny) {
    auto node = make<StringExpr>(place);
    node->text = text(place);
    for (auto *token : context->STRING()) {
      Quoted part = quoted(span(token->getSymbol()));
      node->value += decode(part.begin, part.end, part.raw);
    }
    expr_ = std::move(node);
    return {};
  }
  auto node = make<FStringExpr>(place);
  node->text = text(place);
  for (auto *token : context->STRING()) formatted(quoted(span(token->getSymbol())), node->parts);
  expr_ = std::move(node);
  return {};
}

namespace {
void addLiteral(std::vector<FStringPart> &parts, std::string literal) {
  if (literal.empty()) return;
  if (!parts.empty() && !parts.back().value) {
    parts.back().literal += literal;
    return;
  }
  parts.emplace_back();
  parts.back().literal = std::move(literal);
}
}  // namespace

void AstBuilder::formatted(const Quoted &token, std::vector<FStringPart> &parts) {
  if (!token.formatted) return addLiteral(parts, decode(token.begin, token.end, token.raw));
  std::string_view all = sources_.file(file_).text;
  uint32_t start = token.begin, i = token.begin;
  auto flush = [&](uint32_t end) { addLiteral(parts, decode(start, end, token.raw)); };
  while (i < token.end) {
    char c = all[i];
    bool twice = i + 1 < token.end && all[i + 1] == c;
    if (c == '\\' && !token.raw) {
      i += 2;
    } else if ((c == '{' || c == '}') && twice) {
      flush(i + 1);
      start = i += 2;
    } else if (c == '{') {
      flush(i);
      start = i = interpolation(i, token.end, parts);
    } else if (c == '}') {
      flush(i);
      diagnostics_.report(Id::formatBrace, {file_, i, i + 1}, "a `}` with no `{` before it")
          .suggest({file_, i, i + 1}, "}}", "write `}}` for a brace in the text");
      start = ++i;
    } else {
      ++i;
    }
  }
  flush(token.end);
}

namespace {
/// Where the expression of an interpolation ends: at `!`, `:`, `=` or `}` outside of brackets and strings.
uint32_t expressionEnd(std::string_view all, uint32_t i, uint32_t end) {
  int depth = 0;
  for (; i < end; ++i) {
    char c = all[i];
    if (c == '"' || c == '\'') {
      uint32_t close = i + 1;
      while (close < end && all[close] != c) ++close;
      i = close;
    } else if (c == '(' || c == '[' || c == '{') {
      ++depth;
    } else if (c == ')' || c == ']' || (c == '}' && depth > 0)) {
      --depth;
    } else if (depth <= 0) {
      char next = i + 1 < end ? all[i + 1] : '\0', before = all[i - 1];
      if (c == '}' || c == ':' || (c == '!' && next != '=')) return i;
      if (c == '=' && (next == '}' || next == '!' || next == ':') && before != '=' && before != '!' && before != '<' && before != '>')
        return i;
    }
  }
  return end;
}
}  // namespace

namespace {
/// Python's `[[fill]align][sign][#][0][width][,][.precision][type]`. What a value inside of it would say is not known.
bool knownFormat(std::string_view text) {
  if (text.find('{') != std::string_view::npos) return true;
  auto isAlign = [](char c) { return c == '<' || c == '>' || c == '=' || c == '^'; };
  size_t fill = 0, i = 0;  // the fill is one character of UTF-8
  while (fill < text.size() && (fill == 0 || (static_cast<unsigned char>(text[fill]) & 0xC0) == 0x80)) ++fill;
  if (fill < text.size() && isAlign(text[fill])) i = fill + 1;
  else if (!text.empty() && isAlign(text[0])) i = 1;
  auto skip = [&](std::string_view any) { i += i < text.size() && any.find(text[i]) != std::string_view::npos; };
  auto digits = [&] {
    size_t from = i;
    while (i < text.size() && std::isdigit(static_cast<unsigned char>(text[i]))) ++i;
    return i > from;
  };
  skip("+- ");
  skip("#");
  digits();
  skip(",_");
  if (i < text.size() && text[i] == '.' && (++i, !digits())) return false;
  skip("bdoxXeEfFgG%s");
  return i == text.size();
}
}  // namespace

/// Reads `{value!r:format}` from its `{` at `begin`; returns the place behind its `}`.
uint32_t AstBuilder::interpolation(uint32_t begin, uint32_t end, std::vector<FStringPart> &parts) {
  std::string_view all = sources_.file(file_).text;
  uint32_t i = expressionEnd(all, begin + 1, end);
  uint32_t valueEnd = i;
  FStringPart part;
  if (i < end && all[i] == '=') {  // {x=}: the text of the expression, then its value
    addLiteral(parts, std::string(all.substr(begin + 1, i - begin)));
    part.conversion = i + 1 < end && all[i + 1] == ':' ? 0 : 'r';
    ++i;
  }
  if (i < end && all[i] == '!') {
    part.conversion = i + 1 < end ? all[i + 1] : '\0';
    if (part.conversion != 'r' && part.conversion != 's' && part.conversion != 'a') {
      diagnostics_.report(Id::formatBrace, {file_, i, i + 1}, "an unknown conversion")
          .label("`!r`, `!s` or `!a` can stand here");
      part.conversion = 0;
    }
    for (++i; i < end && all[i] != ':' && all[i] != '}'; ++i) {}
  }
  if (i < end && all[i] == ':') {
    uint32_t from = ++i;
    for (int depth = 0; i < end && (all[i] != '}' || depth > 0); ++i) depth += all[i] == '{' ? 1 : all[i] == '}' ? -1 : 0;
    part.format = all.substr(from, i - from);
  }
  if (i < end && !knownFormat(part.format)) {
    Span place{file_, i - static_cast<uint32_t>(part.format.size()), i};
    diagnostics_.report(Id::formatBrace, place, "a format that I do not know")
        .label("such as `.3f`, `>8`, `,` or `05d`");
    part.format.clear();
  }
  if (i >= end) {
    uint32_t name = begin + 1;  // where a name behind the brace ends
    while (name < end && (std::isalnum(static_cast<unsigned char>(all[name])) || all[name] == '_' || all[name] == '.')) ++name;
    auto report = diagnostics_.report(Id::formatBrace, {file_, begin, begin + 1}, "a `{` that is not closed");
    if (name > begin + 1) report.suggest({file_, name, name}, "}", "insert `}`").help("a brace in the text is written `{{`");
    else report.suggest({file_, begin, begin + 1}, "{{", "write `{{` for a brace in the text");
    return end;
  }
  part.value = interpolated(begin + 1, valueEnd);
  parts.push_back(std::move(part));
  return i + 1;
}

/// The expression that text[begin, end) is.
ExprPtr AstBuilder::interpolated(uint32_t begin, uint32_t end) {
  Span place{file_, begin, end};
  Tokens tokens;
  if (!layoutExpression(sources_.file(file_).text, file_, begin, end, diagnostics_, tokens)) return make<ErrorExpr>(place);
  if (tokens.size() == 1) {
    diagnostics_.report(Id::formatBrace, {file_, begin - 1, end + 1}, "braces with nothing between them").label("a value is missing");
    return make<ErrorExpr>(place);
  }
  if (!inner_) inner_ = std::make_unique<GrammarParser>(sources_, file_, diagnostics_);
  Failure failure;
  if (ExprPtr value = inner_->interpolation(tokens, failure)) return value;
  const Token &bad = tokens[failure.index];
  const std::string shown(text(place));
  auto report = diagnostics_.report(Id::badInterpolation, {file_, bad.begin, std::max(bad.end, bad.begin + 1)}, shown);
  report.label(bad.kind == kEndOfFile ? "the value ends too early" : "I stopped here");
  const size_t comma = shown.rfind(','), format = comma == std::string::npos ? comma : shown.find_first_not_of(' ', comma + 1);
  if (format != std::string::npos && shown.find_first_not_of(".0123456789defg", format) == std::string::npos)  // `{loss,.4f}`
    report.suggest({file_, begin + static_cast<uint32_t>(comma), begin + static_cast<uint32_t>(format)}, ":", "a format stands behind `:`");
  return make<ErrorExpr>(place);
}

}  // namespace tessera::frontend
