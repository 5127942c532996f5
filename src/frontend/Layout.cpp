#include "frontend/Layout.h"
#include "frontend/Kinds.h"
#include "frontend/Lex.h"
#include "frontend/Lines.h"

namespace tessera::frontend {

using diag::Id;

namespace {

constexpr size_t kMaxElif = 200;

/// Lines to blocks: compares the blanks before each line with those of the enclosing blocks.
class Indenter {
public:
  Indenter(const SourceFile &source, FileId file, diag::Engine &diagnostics, LaidOut &out)
      : text_(source.text), file_(file), diagnostics_(diagnostics), out_(out) {
    levels_.push_back({});
  }

  void run(std::vector<Line> &lines) {
    for (Line &line : lines) add(line);
    if (expectsBlock_) missingBlock({}, false, false);
    while (levels_.size() > 1) pop();
  }

private:
  struct Level {
    std::string_view blanks;
    size_t width = 0;
    size_t mistaken = 0;     // a width that was reported once and is taken for this level since
    bool real = true;        // has an INDENT; a mistaken level has none
    bool isAsync = false;    // the body of an `async def`
    size_t elifs = 0;        // in a row, at this level
  };

  void add(Line &line);
  void place(Line &line, std::string_view blanks);
  void deeper(Line &line, std::string_view blanks, size_t width);
  void shallower(Line &line, std::string_view blanks, size_t width);
  void missingBlock(Span next, bool indentNext, bool definition);
  bool needsBody() const;
  void contextualKeywords(Tokens &tokens) const;
  void headerKeywords(Tokens &tokens) const;
  void longElifChain(Line &line);
  void emit(Line &line);

  std::string_view word(Token token) const { return text_.substr(token.begin, token.end - token.begin); }
  uint32_t lastEnd() const { return out_.tokens.empty() ? 0 : out_.tokens.back().end; }
  void pop() {
    if (levels_.back().real) out_.tokens.push_back({K::DEDENT, lastEnd(), lastEnd()});
    levels_.pop_back();
  }
  static size_t width(std::string_view blanks, size_t tab) {
    size_t columns = 0;
    for (char c : blanks) columns = c == '\t' ? (columns / tab + 1) * tab : columns + 1;
    return columns;
  }
  size_t widthBesideOthers(std::string_view blanks) const;
  Span placeOf(std::string_view blanks) const {
    auto begin = static_cast<uint32_t>(blanks.data() - text_.data());
    return {file_, begin, begin + static_cast<uint32_t>(blanks.size())};
  }

  std::string_view text_;
  FileId file_;
  diag::Engine &diagnostics_;
  LaidOut &out_;
  std::vector<Level> levels_;
  bool expectsBlock_ = false;   // the line before is a header that ends with `:`
  bool mayIndent_ = false;      // the line before may have a block, though no `:` was seen
  bool asyncHeader_ = false;    // the line before is an `async def`
  bool decorated_ = false;      // the line before is a decorator
  bool mixedReported_ = false, depthReported_ = false;
};

void Indenter::add(Line &line) {
  uint32_t begin = line.start;
  if (text_.substr(begin, 3) == "\xEF\xBB\xBF") begin += 3;
  place(line, indentationOf(text_, begin));
  contextualKeywords(line.tokens);
  longElifChain(line);
  emit(line);
}

void Indenter::place(Line &line, std::string_view blanks) {
  const Level &top = levels_.back();
  size_t common = std::min(blanks.size(), top.blanks.size());
  size_t columns = width(blanks, 8);
  if (blanks.substr(0, common) != top.blanks.substr(0, common)) {
    columns = widthBesideOthers(blanks);
    Span place = placeOf(blanks);
    if (!mixedReported_)
      diagnostics_.report(Id::mixedIndentation, place)
          .label(blanks.find('\t') != blanks.npos ? "tabs here, where the block around has blanks"
                                                  : "blanks here, where the block around has tabs")
          .fix(place, std::string(columns, ' '), "indent with blanks");
    mixedReported_ = line.reported = true;
  }
  for (const Level &level : levels_)
    if (level.mistaken && level.mistaken == columns) columns = level.width;
  if (columns > top.width) return deeper(line, blanks, columns);
  if (expectsBlock_) {
    uint32_t first = line.tokens[0].kind;
    bool clause = first == K::ELSE || first == K::ELIF || first == K::EXCEPT || first == K::FINALLY;
    std::string_view name = word(line.tokens[0]);
    bool definition =
        first == K::DEF || first == K::CLASS || first == K::AT || name == "async" ||
        ((name == "struct" || name == "policy") && line.tokens.size() > 1 && line.tokens[1].kind == K::NAME);
    missingBlock({file_, line.tokens[0].begin, line.tokens[0].end}, columns == top.width && !clause, definition);
  }
  if (columns < top.width) shallower(line, blanks, columns);
}

/// The width of blanks that do not compare with the others: a tab is as wide as makes it fit a block.
size_t Indenter::widthBesideOthers(std::string_view blanks) const {
  if (expectsBlock_)
    for (size_t tab : {4, 8})
      if (width(blanks, tab) > levels_.back().width) return width(blanks, tab);
  for (size_t tab : {4, 8, 2})
    for (const Level &level : levels_)
      if (width(blanks, tab) == level.width) return level.width;
  return width(blanks, 4);
}

void Indenter::deeper(Line &line, std::string_view blanks, size_t width) {
  Level level{blanks, width, 0, true, levels_.back().isAsync || asyncHeader_, 0};
  if (!expectsBlock_ && !mayIndent_) {
    level.real = false;
    Span place = placeOf(blanks);
    if (!line.reported)
      diagnostics_.report(Id::unexpectedIndent, place)
          .label("deeper than the line before, which opens no block")
          .suggest(place, std::string(levels_.back().blanks), "align it with the line before");
    line.reported = true;
  } else if (levels_.size() > kMaxBlocks) {
    level.real = false;
    if (!depthReported_)
      diagnostics_.report(Id::nestingTooDeep, {file_, line.tokens[0].begin, line.tokens[0].end}, "blocks inside one another", kMaxBlocks)
          .label("one too many")
          .help("move a part into a function of its own");
    depthReported_ = line.reported = true;
    uint32_t end = lastEnd();
    if (expectsBlock_)
      for (uint32_t kind : {K::INDENT, K::ERROR_LINE, K::NEWLINE, K::DEDENT}) out_.tokens.push_back({kind, end, end});
  }
  if (level.real) out_.tokens.push_back({K::INDENT, line.tokens[0].begin, line.tokens[0].begin});
  levels_.push_back(level);
}

void Indenter::shallower(Line &line, std::string_view blanks, size_t width) {
  while (levels_.size() > 1 && levels_[levels_.size() - 2].width >= width) pop();
  if (levels_.size() > 1 && levels_.back().width > width) {
    // Between two levels: it is taken to belong to the inner one.
    Span place = placeOf(blanks);
    if (!line.reported)
      diagnostics_.report(Id::inconsistentDedent, place)
          .label("no block around starts in this column")
          .suggest(place, std::string(levels_.back().blanks), "align it with the block before");
    line.reported = true;
    levels_.back().mistaken = width;
  }
}

/// Is the line before the header of a function with a result? `pass` is no body for it.
bool Indenter::needsBody() const {
  const Tokens &tokens = out_.tokens;
  size_t first = tokens.size() - 1;
  bool result = false;
  while (first > 0 && tokens[first - 1].kind != K::NEWLINE && tokens[first - 1].kind != K::INDENT &&
         tokens[first - 1].kind != K::DEDENT)
    result |= tokens[--first].kind == K::ARROW;
  return result && (tokens[first].kind == K::DEF || tokens[first].kind == K::ASYNC);
}

/// `definition`: the next line starts one, which is no body.
void Indenter::missingBlock(Span next, bool indentNext, bool definition) {
  uint32_t end = lastEnd();
  auto report = diagnostics_.report(Id::missingBlock, {file_, end ? end - 1 : 0, end});
  report.label("a block must follow this `:`");
  if (next.valid()) report.note(next, "this line is not indented deeper");
  if (indentNext && !definition) report.suggest({file_, next.begin, next.begin}, "    ", "indent this line");
  else if (!needsBody()) report.suggest({file_, end, end}, " pass", "write `pass` for an empty block");
  for (uint32_t kind : {K::INDENT, K::ERROR_LINE, K::NEWLINE, K::DEDENT}) out_.tokens.push_back({kind, end, end});
  expectsBlock_ = false;
}

/// Names that are keywords in one place only.
void Indenter::contextualKeywords(Tokens &tokens) const {
  size_t depth = 0;
  for (size_t i = 0; i + 1 < tokens.size(); ++i) {
    uint32_t kind = tokens[i].kind, after = tokens[i + 1].kind;
    if (isOpener(kind)) ++depth;
    if (isCloser(kind)) --depth;
    if (kind != K::NAME) continue;
    std::string_view name = word(tokens[i]);
    uint32_t before = i ? tokens[i - 1].kind : 0;
    bool starts = depth == 0 && (i == 0 || before == K::SEMICOLON || before == K::COLON);
    if (name == "async" && (after == K::DEF || after == K::FOR || after == K::WITH)) tokens[i].kind = K::ASYNC;
    if (name == "await" && before != K::DOT) {
      bool operand = after == K::NAME || after == K::STRING || after == K::INTEGER;
      bool isAsync = tokens[0].kind == K::ASYNC || (tokens[0].kind != K::DEF && levels_.back().isAsync);
      if (operand || (isAsync && isOpener(after))) tokens[i].kind = K::AWAIT;
    }
    if (!starts || after != K::NAME) continue;
    if (name == "policy") tokens[i].kind = K::POLICY;
    if (name == "struct") tokens[i].kind = K::STRUCT;
    if (name == "state") tokens[i].kind = K::STATE;
  }
  if (tokens[0].kind == K::DEF || (tokens[0].kind == K::ASYNC && tokens[1].kind == K::DEF)) headerKeywords(tokens);
}

/// `where` and `effects` behind the signature of a function.
void Indenter::headerKeywords(Tokens &tokens) const {
  size_t depth = 0, lambdas = 0;
  bool signature = false;
  for (size_t i = 1; i + 1 < tokens.size(); ++i) {
    if (isOpener(tokens[i].kind)) ++depth;
    if (isCloser(tokens[i].kind) && --depth == 0) signature |= tokens[i].kind == K::RPAREN;
    if (depth > 0) continue;
    lambdas += tokens[i].kind == K::LAMBDA;
    if (tokens[i].kind == K::COLON && lambdas-- == 0) break;
    if (tokens[i].kind != K::NAME || !signature || !endsValue(tokens[i - 1].kind)) continue;
    if (word(tokens[i]) == "where") tokens[i].kind = K::WHERE;
    if (word(tokens[i]) == "effects" && tokens[i + 1].kind == K::LBRACKET) tokens[i].kind = K::EFFECTS;
  }
}

/// An `elif` nests one deeper than the one before it.
void Indenter::longElifChain(Line &line) {
  size_t &elifs = levels_.back().elifs;
  uint32_t first = line.tokens[0].kind;
  if (first != K::ELIF && first != K::ELSE) elifs = 0;
  if (first == K::ELIF) ++elifs;
  if (elifs <= kMaxElif) return;
  if (elifs == kMaxElif + 1 && first == K::ELIF)
    diagnostics_.report(Id::nestingTooDeep, {file_, line.tokens[0].begin, line.tokens[0].end}, "`elif` behind one another", kMaxElif)
        .label("one too many")
        .help("a dict or a loop says this more shortly");
  line.reported = true;
  line.tokens = {{K::ERROR_LINE, line.tokens.front().begin, line.tokens.back().end}};
}

void Indenter::emit(Line &line) {
  const Tokens &tokens = line.tokens;
  uint32_t first = tokens[0].kind;
  bool foreignClause = first == K::NAME && tokens.size() > 1 && startsValue(tokens[1].kind) &&
                       (word(tokens[0]) == "elseif" || word(tokens[0]) == "elsif" || word(tokens[0]) == "elseIf");
  bool clause = first == K::ELSE || first == K::ELIF || first == K::EXCEPT || first == K::FINALLY || foreignClause;
  if (levels_.size() == 1 && !decorated_ && (!clause || out_.units.empty())) out_.units.push_back(out_.tokens.size());
  if (line.reported) out_.reported.push_back(tokens[0].begin);
  out_.tokens.insert(out_.tokens.end(), tokens.begin(), tokens.end());
  out_.tokens.push_back({K::NEWLINE, tokens.back().end, tokens.back().end});

  bool header = startsBlock(first);
  expectsBlock_ = header && tokens.back().kind == K::COLON;
  bool twoWords = tokens.size() > 1 && first == K::NAME && (tokens[1].kind == K::NAME || isForeignHeader(word(tokens[0])));
  mayIndent_ = !expectsBlock_ && (header || line.reported || twoWords || tokens.back().kind == K::COLON);
  asyncHeader_ = first == K::ASYNC && tokens.size() > 1 && tokens[1].kind == K::DEF;
  decorated_ = first == K::AT;
}

}  // namespace

LaidOut layout(const SourceFile &source, FileId file, diag::Engine &diagnostics) {
  LineSplitter splitter(source, file, diagnostics);
  splitter.run();
  LaidOut out;
  Indenter(source, file, diagnostics, out).run(splitter.lines);
  out.comments = std::move(splitter.comments);
  return out;
}

bool layoutExpression(std::string_view text, FileId file, uint32_t begin, uint32_t end, diag::Engine &diagnostics, Tokens &out) {
  size_t depth = 0, chain = 0;
  for (Token token : lex(text, begin, end)) {
    if (token.kind == K::NEWLINE) continue;
    if (isOpener(token.kind)) ++depth;
    if (isCloser(token.kind) && depth > 0) --depth;
    if (isOperator(token.kind) || isOpener(token.kind)) ++chain;
    if (depth > kMaxBrackets || chain > kMaxChain) {
      diagnostics.report(Id::nestingTooDeep, {file, token.begin, token.end}, "brackets and operators in an f-string", kMaxBrackets)
          .label("one too many")
          .help("give a part a name of its own");
      return false;
    }
    bool await = !out.empty() && out.back().kind == K::NAME && (token.kind == K::NAME || token.kind == K::STRING) &&
                 text.substr(out.back().begin, out.back().end - out.back().begin) == "await";
    if (await) out.back().kind = K::AWAIT;
    out.push_back(token);
  }
  out.push_back({kEndOfFile, end, end});
  return true;
}

}  // namespace tessera::frontend
