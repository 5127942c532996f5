#include "frontend/Format.h"
#include "diag/RenderWidth.h"
#include "frontend/FormatDoc.h"
#include "frontend/FormatLayout.h"
#include "frontend/FormatTokens.h"
#include "frontend/FormatTypes.h"
#include <algorithm>
#include <set>
#include <utility>

namespace tessera::frontend {
namespace {

using namespace fmt;

// ---------------------------------------------------------------- words

/// Marks the `@` of policies; these are known by their ordinal among all `@`, which formatting does not change.
void markPolicies(std::vector<LogicalLine> &lines, const std::set<size_t> &ordinals) {
  size_t ordinal = 0;
  for (LogicalLine &line : lines)
    for (Token &token : line.tokens)
      if (token.is("@")) token.isPolicy = ordinals.contains(ordinal++);
}
std::set<size_t> policyOrdinals(const std::vector<LogicalLine> &lines, const TypeFacts &facts) {
  std::set<size_t> ordinals;
  size_t ordinal = 0;
  for (const LogicalLine &line : lines)
    for (const Token &token : line.tokens) {
      if (!token.is("@")) continue;
      if (facts.policies.contains(token.begin)) ordinals.insert(ordinal);
      ++ordinal;
    }
  return ordinals;
}

void shortenDTypes(LogicalLine &line, const TypeFacts &facts) {
  std::vector<Token> kept;
  for (size_t i = 0; i < line.tokens.size(); ++i) {
    Token &token = line.tokens[i];
    auto rename = facts.renames.find(token.begin);
    size_t last = i;
    if (rename != facts.renames.end()) {
      bool commented = false;  // a comment inside `fp8(e4m3)` keeps the long form
      for (; line.tokens[last].end < rename->second.end && last + 1 < line.tokens.size(); ++last)
        commented |= line.tokens[last].trailing.has_value() || !line.tokens[last + 1].before.empty();
      if (commented) {
        last = i;
      } else {
        token.text = rename->second.text;
        token.kind = TokenKind::Name;
        token.trailing = std::move(line.tokens[last].trailing);
        token.end = line.tokens[last].end;
      }
    }
    kept.push_back(std::move(token));
    i = last;
  }
  line.tokens = std::move(kept);
}

/// 'text' becomes "text" where no quote or backslash is inside.
void normaliseQuotes(Token &token) {
  if (token.kind != TokenKind::String) return;
  size_t quote = token.text.find_first_of("'\"");
  if (token.text[quote] != '\'') return;
  std::string_view inside = std::string_view(token.text).substr(quote);
  size_t quotes = inside.starts_with("'''") ? 3 : 1;
  inside = inside.substr(quotes, inside.size() - 2 * quotes);
  if (inside.find_first_of("'\"\\") != std::string_view::npos) return;
  for (size_t i = 0; i < quotes; ++i) token.text[quote + i] = token.text[token.text.size() - 1 - i] = '"';
}

// ---------------------------------------------------------------- lines

/// Splits `a; b` and `if c: a` into lines of their own; `...` may stay behind its header.
std::vector<LogicalLine> splitStatements(LogicalLine line) {
  std::vector<LogicalLine> pieces;
  LogicalLine rest = std::move(line);
  size_t colon = headerColon(rest.tokens);
  bool suite = rest.startsBlock && colon + 1 < rest.tokens.size();
  bool dots = suite && colon + 2 == rest.tokens.size() && rest.tokens[colon + 1].is("...");
  auto cut = [&](size_t first) {  // tokens from `first` on become the next piece
    LogicalLine next;
    next.column = rest.column;
    next.level = rest.level;
    next.tokens.assign(std::make_move_iterator(rest.tokens.begin() + static_cast<std::ptrdiff_t>(first)),
                       std::make_move_iterator(rest.tokens.end()));
    rest.tokens.resize(first);
    pieces.push_back(std::move(rest));
    rest = std::move(next);
  };
  if (dots) {
    rest.startsBlock = false;
  } else if (suite) {
    cut(colon + 1);
    ++rest.level, ++rest.column;  // the column of a block that the source does not have
  }
  int depth = 0;
  for (size_t i = 0; i < rest.tokens.size(); ++i) {
    if (isOpening(rest.tokens[i])) ++depth;
    if (isClosing(rest.tokens[i])) --depth;
    if (depth != 0 || !rest.tokens[i].is(";")) continue;
    std::optional<SourceComment> comment = std::move(rest.tokens[i].trailing);
    rest.tokens.erase(rest.tokens.begin() + static_cast<std::ptrdiff_t>(i));
    if (i == rest.tokens.size()) {
      if (comment && i > 0) rest.tokens[i - 1].trailing = std::move(comment);
      break;
    }
    cut(i);
    i = static_cast<size_t>(-1);
  }
  pieces.push_back(std::move(rest));
  if (pieces.size() > 1)
    for (LogicalLine &piece : pieces)
      for (Token &token : piece.tokens)
        if (token.trailing) token.trailing->gap = 0;  // the column of the old line means nothing now
  return pieces;
}

bool endsWithDots(const LogicalLine &line) {
  size_t count = line.tokens.size();
  return count > 2 && !line.startsBlock && line.tokens[count - 1].is("...") && line.tokens[count - 2].is(":");
}

bool isDecorator(const LogicalLine &line) { return !line.tokens.empty() && line.tokens[0].is("@"); }
bool isDefinition(const LogicalLine &line) {
  if (line.tokens.empty()) return false;
  const Token &first = line.tokens[0];
  if (first.is("def") || first.is("class") || isDecorator(line)) return true;
  if (line.tokens.size() < 2) return false;
  return (first.is("async") && line.tokens[1].is("def")) || (first.is("struct") && line.startsBlock);
}
bool continuesStatement(const LogicalLine &line) {
  if (line.tokens.empty()) return false;
  const Token &first = line.tokens[0];
  return first.is("else") || first.is("elif") || first.is("except") || first.is("finally");
}

// ---------------------------------------------------------------- text

class Writer {
public:
  std::string run(std::vector<LogicalLine> lines) {
    for (LogicalLine &line : lines) write(line);
    return text();
  }

private:
  struct Row {
    PrintedLine line;
    bool blankAbove = false;
    int64_t shift = 0;  // how far the code moved from its indentation in the source
  };
  std::vector<Row> rows_;
  std::vector<std::pair<unsigned, uint32_t>> columns_;  // of the levels that are open, in the source
  std::optional<unsigned> level_;                       // of the statement before
  bool afterHeader_ = false, afterDecorator_ = false, afterDots_ = false;
  std::vector<unsigned> definitions_;  // levels of the definitions that are open

  void write(LogicalLine &line) {
    unsigned level = line.level;
    bool closed = closeDefinitions(level);
    bool definition = isDefinition(line), gapDue = closed;
    std::vector<unsigned> levels;
    unsigned above = level_.value_or(0) + (afterHeader_ ? 1 : 0);
    for (const SourceComment &comment : line.comments) levels.push_back(above = levelOf(comment.column, level, above));
    // Comments directly above a definition belong to it: its empty line stands above them.
    size_t attached = line.comments.size();
    if (definition && line.blanks == 0)
      while (attached > 0 && levels[attached - 1] == level &&
             (attached == line.comments.size() || line.comments[attached].blanks == 0))
        --attached;
    for (size_t i = 0; i < line.comments.size(); ++i) {
      bool gap = (gapDue && levels[i] <= level) || (i == attached && separates(line));
      if (levels[i] <= level) gapDue = false;
      blankLines(line.comments[i].blanks, gap ? 1 : 0, levels[i]);
      emit({PrintedLine{levels[i] * kIndent, "", line.comments[i].text, {}}});
      afterHeader_ = afterDecorator_ = false;
    }
    if (line.tokens.empty()) return;
    bool needsGap = gapDue || (definition && attached == line.comments.size() && separates(line));
    blankLines(continuesStatement(line) ? 0 : line.blanks, needsGap ? 1 : 0, level);
    code(line);
  }

  /// The line on its lines; a value that does not fit gets parentheses, unless breaks of the author's make it fit.
  static std::vector<PrintedLine> laidOut(LogicalLine &line) {
    uint32_t indent = line.level * kIndent;
    Docs docs;
    std::optional<SourceComment> comment = std::exchange(line.tokens.back().trailing, std::nullopt);
    DocRef bare = layout(line, docs);
    bool wide = !bare->forced && indent + bare->flatWidth > kWidth;
    if (!wide)
      for (const PrintedLine &printed : print(bare, indent)) wide |= widthOf(printed) > kWidth;
    line.tokens.back().trailing = std::move(comment);
    if (wide && wrapValue(line)) space(line);
    return print(layout(line, docs), indent);
  }

  void code(LogicalLine &line) {
    while (!columns_.empty() && columns_.back().first >= line.level) columns_.pop_back();
    columns_.push_back({line.level, line.column});
    space(line);
    int64_t shift = int64_t{line.level} * kIndent - int64_t{line.column};
    for (PrintedLine &printed : laidOut(line)) rows_.push_back({std::move(printed), false, shift});
    level_ = line.level;
    afterHeader_ = line.startsBlock;
    afterDecorator_ = isDecorator(line);
    afterDots_ = isDefinition(line) && endsWithDots(line);
    if (isDefinition(line) && line.startsBlock) definitions_.push_back(line.level);
  }

  /// Whether a definition ended in front of a statement of this level.
  bool closeDefinitions(unsigned level) {
    bool closed = false;
    while (!definitions_.empty() && definitions_.back() >= level && level_ && !afterHeader_ && *level_ > definitions_.back()) {
      definitions_.pop_back();
      closed = true;
    }
    return closed;
  }
  /// Whether a definition here needs an empty line above it.
  bool separates(const LogicalLine &line) const {
    return level_.has_value() && !afterHeader_ && !afterDecorator_ && !(afterDots_ && endsWithDots(line));
  }
  /// The level of a comment between a statement of `highest` level and one of `lowest`: by its column.
  unsigned levelOf(uint32_t column, unsigned lowest, unsigned highest) const {
    if (afterHeader_ || lowest >= highest) return std::max(lowest, std::min(lowest, highest));
    for (size_t i = columns_.size(); i-- > 0;) {
      auto [level, at] = columns_[i];
      if (level <= highest && (at <= column || level <= lowest)) return std::max(level, lowest);
    }
    return lowest;
  }

  void blankLines(unsigned written, unsigned atLeast, unsigned level) {
    if (rows_.empty() || afterHeader_ || afterDecorator_) return;
    unsigned count = std::clamp(written, atLeast, level == 0 ? 2u : 1u);
    for (unsigned i = 0; i < count; ++i) rows_.push_back({});
  }
  void emit(Row row) { rows_.push_back(std::move(row)); }

  static uint32_t widthOf(const PrintedLine &line) {
    size_t lineBreak = line.text.rfind('\n');
    if (lineBreak != std::string::npos) return diag::displayWidth(std::string_view(line.text).substr(lineBreak + 1));
    return line.indent + diag::displayWidth(line.text);
  }
  /// The column of a comment behind code: two blanks, or where the author set it, if the code leaves room.
  static uint32_t wanted(const Row &row) {
    uint32_t least = widthOf(row.line) + 2;
    if (!row.line.commentColumn) return least;
    return static_cast<uint32_t>(std::max<int64_t>(least, int64_t{*row.line.commentColumn} + row.shift));
  }

  std::string text() {
    std::string out;
    for (size_t i = 0; i < rows_.size(); ++i) {
      const PrintedLine &line = rows_[i].line;
      bool behind = !line.text.empty() && !line.comment.empty();
      if (!line.text.empty() || !line.comment.empty()) out += std::string(line.indent, ' ') + line.text;
      if (behind) out += std::string(wanted(rows_[i]) - widthOf(line), ' ');
      out += line.comment + "\n";
    }
    return out;
  }
};

constexpr int kMostPasses = 8;

std::string layOut(std::vector<LogicalLine> lines) {
  std::vector<LogicalLine> pieces;
  for (LogicalLine &line : lines) {
    for (Token &token : line.tokens) normaliseQuotes(token);
    for (LogicalLine &piece : splitStatements(std::move(line))) pieces.push_back(std::move(piece));
  }
  return Writer().run(std::move(pieces));
}

}  // namespace

std::string format(const ast::Module &module, const Sources &sources, FormatOptions options) {
  TypeFacts facts = typeFacts(module);
  std::vector<LogicalLine> lines = scan(sources.file(module.file));
  std::set<size_t> policies = policyOrdinals(lines, facts);
  markPolicies(lines, policies);
  if (options.shortDTypes)
    for (LogicalLine &line : lines) shortenDTypes(line, facts);
  std::string text = layOut(std::move(lines));
  // Line breaks that the first layout made are the author's for the next one, which may then see more room.
  for (int pass = 0; pass < kMostPasses; ++pass) {
    std::vector<LogicalLine> again = scan(SourceFile("", text));
    markPolicies(again, policies);
    std::string next = layOut(std::move(again));
    if (next == text) break;
    text = std::move(next);
  }
  return text;
}

}  // namespace tessera::frontend
