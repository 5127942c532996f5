#include "frontend/FormatTokens.h"
#include "diag/RenderWidth.h"
#include "frontend/Lex.h"
#include "grammar/TesseraLexer.h"
#include <algorithm>
#include <array>
#include <cctype>
#include <utility>

namespace tessera::frontend::fmt {
namespace {

using Kind = grammar::TesseraLexer;

/// `#text` becomes `# text`; `#!`, `#:` and rows of `#` stay.
std::string tidyComment(std::string_view text) {
  while (!text.empty() && std::isspace(static_cast<unsigned char>(text.back()))) text.remove_suffix(1);
  bool glued = text.size() > 1 && std::string_view(" !:#\t").find(text[1]) == std::string_view::npos;
  return glued ? "# " + std::string(text.substr(1)) : std::string(text);
}

/// The display column of an offset; tabs in the indentation count to the next multiple of eight.
uint32_t columnOf(std::string_view text, uint32_t offset) {
  size_t lineBreak = offset == 0 ? std::string::npos : text.rfind('\n', offset - 1);
  size_t start = lineBreak == std::string::npos ? 0 : lineBreak + 1;
  if (text.substr(start, 3) == "\xEF\xBB\xBF") start += 3;
  uint32_t column = 0;
  for (size_t i = start; i < offset; ++i) {
    if (text[i] == '\t') column += 8 - column % 8;
    else if (text[i] == ' ') ++column;
    else if (text[i] == '\f') column = 0;  // begins the indentation anew
    else return column + diag::displayWidth(text.substr(i, offset - i));
  }
  return column;
}

class Scanner {
public:
  explicit Scanner(const SourceFile &file) : text_(file.text), raw_(lex(text_, 0, static_cast<uint32_t>(text_.size()))) {}

  std::vector<LogicalLine> run() {
    for (next_ = 0; next_ < raw_.size(); ++next_) {
      const frontend::Token &raw = raw_[next_];
      if (raw.kind == Kind::NEWLINE) newline();
      else if (raw.kind == Kind::COMMENT) comment(raw);
      else word(raw);
    }
    endLine();
    if (!line_.comments.empty()) lines_.push_back(std::move(line_));
    setLevels();
    return std::move(lines_);
  }

private:
  std::string_view text_;
  Tokens raw_;
  size_t next_ = 0;
  unsigned depth_ = 0, emptyLines_ = 0;
  bool freshLine_ = true;  // nothing so far on this line of the source
  bool brokeInside_ = false;
  std::vector<SourceComment> pending_;  // own-line comments inside brackets
  LogicalLine line_;
  std::vector<LogicalLine> lines_;

  void newline() {
    bool empty = freshLine_;
    freshLine_ = true;
    if (depth_ > 0 || continuesSignature()) brokeInside_ = true;
    else if (!line_.tokens.empty()) endLine();
    else if (empty) ++emptyLines_;
  }

  /// In a signature a line break is a blank before `where` and behind a comma of its list.
  bool continuesSignature() const {
    const std::vector<Token> &words = line_.tokens;
    if (words.empty() || !(words[0].is("def") || (words[0].is("async") && words.size() > 1 && words[1].is("def")))) return false;
    if (headerColon(words) != std::string::npos) return false;
    if (words.back().is(",")) return true;
    for (size_t i = next_; i < raw_.size(); ++i)
      if (raw_[i].kind != Kind::NEWLINE && raw_[i].kind != Kind::COMMENT)
        return text_.substr(raw_[i].begin, raw_[i].end - raw_[i].begin) == "where";
    return false;
  }

  void comment(const frontend::Token &raw) {
    SourceComment found{tidyComment(text_.substr(raw.begin, raw.end - raw.begin)), columnOf(text_, raw.begin), 0, 0, raw.begin};
    bool ownLine = freshLine_;
    freshLine_ = false;
    if (!ownLine && !line_.tokens.empty()) {
      found.gap = raw.begin - line_.tokens.back().end;
      line_.tokens.back().trailing = std::move(found);
    } else if (!line_.tokens.empty()) {
      pending_.push_back(std::move(found));
    } else {
      found.blanks = std::exchange(emptyLines_, 0);
      line_.comments.push_back(std::move(found));
    }
  }

  void word(const frontend::Token &raw) {
    if (raw.kind == Kind::RANGE_START) {  // `1..=` is an integer and a range
      uint32_t split = static_cast<uint32_t>(text_.find('.', raw.begin));
      word({Kind::INTEGER, raw.begin, split});
      word({Kind::RANGE, split, raw.end});
      return;
    }
    if (line_.tokens.empty()) {
      line_.blanks = std::exchange(emptyLines_, 0);
      line_.column = columnOf(text_, raw.begin);
    }
    Token made;
    made.begin = raw.begin, made.end = raw.end;
    made.text = std::string(text_.substr(raw.begin, raw.end - raw.begin));
    made.lineBreakBefore = std::exchange(brokeInside_, false);
    made.before = std::exchange(pending_, {});
    made.kind = kindOf(raw.kind);
    freshLine_ = false;
    if (isOpening(made)) ++depth_;
    if (isClosing(made) && depth_ > 0) --depth_;
    line_.tokens.push_back(std::move(made));
  }

  static TokenKind kindOf(uint32_t kind) {
    if (kind >= Kind::AND && kind <= Kind::WITH) return TokenKind::Keyword;
    switch (kind) {
    case Kind::NAME: return TokenKind::Name;
    case Kind::INTEGER:
    case Kind::FLOAT:
    case Kind::IMAGINARY: return TokenKind::Number;
    case Kind::STRING: return TokenKind::String;
    default: return TokenKind::Operator;
    }
  }

  void endLine() {
    if (line_.tokens.empty()) return;
    line_.startsBlock = headerColon(line_.tokens) != std::string::npos;
    lines_.push_back(std::move(line_));
    line_ = {};
    depth_ = 0;
    brokeInside_ = false;
  }

  void setLevels() {
    std::vector<uint32_t> columns = {0};
    for (LogicalLine &line : lines_) {
      if (line.tokens.empty()) { line.level = 0; continue; }
      while (columns.size() > 1 && line.column < columns.back()) columns.pop_back();
      if (line.column > columns.back()) columns.push_back(line.column);
      line.level = static_cast<unsigned>(columns.size() - 1);
    }
  }
};

bool compoundStart(const std::vector<Token> &words) {
  static constexpr std::array<std::string_view, 11> kStarts = {"def", "class", "if", "elif", "else", "for",
                                                               "while", "with", "try", "except", "finally"};
  auto starts = [](const Token &word) {
    return word.kind == TokenKind::Keyword && std::find(kStarts.begin(), kStarts.end(), word.text) != kStarts.end();
  };
  if (words.empty()) return false;
  if (starts(words[0])) return true;
  if (words.size() < 2) return false;
  if (words[0].is("async")) return starts(words[1]);
  return words[0].is("struct") && words[1].kind == TokenKind::Name;
}

}  // namespace

bool isOpening(const Token &token) { return token.is("(") || token.is("[") || token.is("{"); }
bool isClosing(const Token &token) { return token.is(")") || token.is("]") || token.is("}"); }
bool endsOperand(const Token &token) {
  switch (token.kind) {
  case TokenKind::Name:
  case TokenKind::Number:
  case TokenKind::String: return true;
  case TokenKind::Keyword: return token.text == "None" || token.text == "True" || token.text == "False";
  case TokenKind::Operator: return isClosing(token) || token.text == "...";
  }
  return false;
}

size_t headerColon(const std::vector<Token> &words) {
  if (!compoundStart(words)) return std::string::npos;
  int depth = 0, lambdas = 0;
  for (size_t i = 0; i < words.size(); ++i) {
    if (isOpening(words[i])) ++depth;
    else if (isClosing(words[i])) --depth;
    else if (depth != 0) continue;
    else if (words[i].is("lambda")) ++lambdas;
    else if (words[i].is(":") && lambdas-- == 0) return i;
    else if (lambdas < 0) lambdas = 0;
  }
  return std::string::npos;
}

std::vector<LogicalLine> scan(const SourceFile &file) { return Scanner(file).run(); }

}  // namespace tessera::frontend::fmt
