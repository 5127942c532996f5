// Brackets: matching, unclosed and stray ones, C-style blocks, limits of nesting.
#include "frontend/Kinds.h"
#include "frontend/Lines.h"
#include <algorithm>

namespace tessera::frontend {

using diag::Id;

void LineSplitter::tooDeep(Token token, std::string_view what, size_t limit) {
  spoilt_ = true;
  if (diag::Engine *engine = speak())
    engine->report(Id::nestingTooDeep, span(token), what, limit).label("one too many").help("give a part a name of its own");
}

/// Operators, calls and attributes chain into trees as deep as the chain is long.
void LineSplitter::countChain(Token token) {
  size_t &level = open_.empty() ? baseChain_ : open_.back().chain;
  if (token.kind == K::COMMA || token.kind == K::SEMICOLON) {
    chain_ -= level;
    level = 0;
  } else if (isOperator(token.kind) || isOpener(token.kind)) {
    ++level;
    if (++chain_ == kMaxChain) tooDeep(token, "operators, calls and attributes in one expression", kMaxChain);
  }
}

void LineSplitter::open(Token token) {
  if (token.kind == K::LBRACE && braceBlock(token)) return;
  if (open_.size() == kMaxBrackets) {
    tooDeep(token, "brackets inside one another", kMaxBrackets);
    skippedDepth_ = open_.size() + 1;
    return;
  }
  open_.push_back({token.kind, span(token), indent_});
  line_.tokens.push_back(token);
}

void LineSplitter::close(Token token) {
  if (open_.empty()) {
    uint32_t end = token.end;  // at the start of a line the blanks behind it go, too: they would be indentation
    while (line_.tokens.empty() && end < text_.size() && text_[end] == ' ') ++end;
    if (diag::Engine *engine = speak())
      engine->report(Id::unmatchedBracket, span(token), spelling(token.kind))
          .label("nothing is open here")
          .suggest(span(token.begin, end), "", "delete `" + std::string(spelling(token.kind)) + "`");
    return;
  }
  if (token.kind != closerOf(open_.back().kind)) {
    const Open &top = open_.back();
    std::string wanted(spelling(closerOf(top.kind)));
    bool known = line_.reported;  // then nothing is gained by a closer look
    bool opened = false;
    for (const Open &open : open_) opened |= closerOf(open.kind) == token.kind;
    bool forgotten = opened && open_.size() > 1 && closerOf(open_[open_.size() - 2].kind) == token.kind && !closesLater(open_.size() - 1);
    if (diag::Engine *engine = speak()) {
      auto report = engine->report(Id::mismatchedBracket, span(token), spelling(token.kind), spelling(top.kind));
      report.label("I expected `" + wanted + "`").note(top.span, "`" + std::string(spelling(top.kind)) + "` is opened here");
      if (forgotten) report.suggest(span(token.begin, token.begin), wanted, "insert `" + wanted + "`");
      else report.suggest(span(token), wanted, "write `" + wanted + "`");
    }
    if (!opened && !known && closesLater(open_.size())) return;
    if (!opened) token.kind = closerOf(top.kind);
    while (closerOf(open_.back().kind) != token.kind) {
      line_.tokens.push_back({closerOf(open_.back().kind), token.begin, token.begin});
      chain_ -= open_.back().chain;
      open_.pop_back();
    }
  }
  chain_ -= open_.back().chain;
  open_.pop_back();
  line_.tokens.push_back(token);
}

/// A string that is not closed took closing brackets with it: closes as few as make the rest match.
void LineSplitter::closeLost(uint32_t at) {
  for (size_t keep = open_.size(); keep > 0; --keep) {
    if (!closesLater(keep)) continue;
    while (open_.size() > keep) {
      line_.tokens.push_back({closerOf(open_.back().kind), at, at});
      chain_ -= open_.back().chain;
      open_.pop_back();
    }
    return;
  }
  closeAll(at, false);
}

/// Do the first `keep` open brackets match those that follow, up to the next line that is not indented deeper?
bool LineSplitter::closesLater(size_t keep) const {
  std::vector<uint32_t> stack;
  for (size_t i = 0; i < keep; ++i) stack.push_back(open_[i].kind);
  bool lineStart = false;
  size_t end = std::min(raw_.size(), at_ + 2000);  // far enough for any statement
  for (size_t i = at_; i < end && !stack.empty(); ++i) {
    uint32_t kind = raw_[i].kind;
    if (kind == K::NEWLINE || kind == K::COMMENT) {
      lineStart |= kind == K::NEWLINE;
      continue;
    }
    if (lineStart && (startsStatement(kind) || (!isCloser(kind) && indentAt(raw_[i].begin) <= open_[0].indent))) return false;
    lineStart = false;
    if (isOpener(kind)) stack.push_back(kind);
    if (!isCloser(kind)) continue;
    if (closerOf(stack.back()) != kind) return false;
    stack.pop_back();
  }
  return stack.empty();
}

/// `def f(x: f32 -> f32:`: parameters that are not closed end before the `->`.
bool LineSplitter::closeParameters(bool report) {
  bool isDef = !line_.tokens.empty() && line_.tokens[0].kind == K::DEF;
  if (!isDef || open_.size() != 1 || open_[0].kind != K::LPAREN) return false;
  auto arrow = std::find_if(line_.tokens.begin(), line_.tokens.end(), [](const Token &token) { return token.kind == K::ARROW; });
  if (arrow == line_.tokens.end() || arrow == line_.tokens.begin()) return false;
  uint32_t at = std::prev(arrow)->end;
  if (diag::Engine *engine = report ? speak() : nullptr)
    engine->report(Id::unclosedBracket, open_[0].span, "(")
        .label("opened here")
        .note(span(at, at), "I expected `)` here at the latest")
        .suggest(span(at, at), ")", "insert `)`");
  line_.tokens.insert(arrow, Token{K::RPAREN, at, at});
  open_.clear();
  chain_ = baseChain_;
  return true;
}

/// `def f[N(x: Tensor[N, f32]) -> f32:`: dimensions that are not closed end before the parameters.
bool LineSplitter::closeDimensions(bool report) {
  auto &tokens = line_.tokens;
  bool isDef = tokens.size() > 3 && tokens[0].kind == K::DEF && tokens[2].kind == K::LBRACKET;
  if (!isDef || open_.size() != 1 || open_[0].span.begin != tokens[2].begin) return false;
  auto parameters = std::find_if(tokens.begin() + 3, tokens.end(), [](const Token &token) { return token.kind == K::LPAREN; });
  if (parameters == tokens.end()) return false;
  uint32_t at = std::prev(parameters)->end;
  if (diag::Engine *engine = report ? speak() : nullptr)
    engine->report(Id::unclosedBracket, open_[0].span, "[")
        .label("opened here")
        .note(span(at, at), "I expected `]` here at the latest")
        .suggest(span(at, at), "]", "insert `]`");
  tokens.insert(parameters, Token{K::RBRACKET, at, at});
  open_.clear();
  chain_ = baseChain_;
  return true;
}

/// `mean(square(x - y) + 0.1 * k`: it may have been meant to close before the operator as well.
bool LineSplitter::mayCloseBefore() const {
  const Tokens &tokens = line_.tokens;
  for (size_t i = 0; i + 1 < tokens.size(); ++i) {
    const uint32_t next = tokens[i + 1].kind;
    const bool sign = next == K::PLUS || next == K::MINUS || next == K::STAR || next == K::SLASH || next == K::AT;
    if (sign && tokens[i].kind == K::RPAREN && tokens[i].begin > open_.back().span.begin) return true;
  }
  return false;
}

/// `sqrt(v + 1e-5 * w + b`: a small number that is added ends what the root or the logarithm is taken of.
std::optional<uint32_t> LineSplitter::behindEps() const {
  const Tokens &tokens = line_.tokens;
  auto opener = std::find_if(tokens.begin(), tokens.end(), [&](const Token &token) { return token.begin == open_.back().span.begin; });
  if (opener == tokens.end() || opener == tokens.begin() || open_.back().kind != K::LPAREN) return std::nullopt;
  const std::string_view callee = word(*std::prev(opener));
  if (callee != "sqrt" && callee != "rsqrt" && callee != "log") return std::nullopt;
  int depth = 0;
  for (auto token = opener + 1; token != tokens.end() && token + 2 < tokens.end(); ++token) {
    depth += isOpener(token->kind) ? 1 : isCloser(token->kind) ? -1 : 0;
    const std::string_view added = word(token[1]);
    const bool small = added.substr(0, 3) == "eps" || (token[1].kind == K::FLOAT && added.find("e-") != std::string_view::npos);
    const uint32_t next = token[2].kind;
    if (depth == 0 && token->kind == K::PLUS && small && (next == K::STAR || next == K::SLASH || next == K::AT || next == K::PLUS || next == K::MINUS)) return token[1].end;
  }
  return std::nullopt;
}

/// Closes what is open, as if the closing brackets stood at `at`.
void LineSplitter::closeAll(uint32_t at, bool report) {
  if (open_.empty()) return;
  if (closeParameters(report) || closeDimensions(report)) return;
  std::string closers;
  for (auto open = open_.rbegin(); open != open_.rend(); ++open) closers += spelling(closerOf(open->kind));
  if (report) {
    if (diag::Engine *engine = speak()) {
      auto builder = engine->report(Id::unclosedBracket, open_.back().span, spelling(open_.back().kind));
      builder.label("opened here").note(span(at, at), "I expected `" + closers + "` here at the latest");
      const std::optional<uint32_t> inner = open_.size() == 1 ? behindEps() : std::nullopt;
      if (inner) builder.suggest(span(*inner, *inner), closers, "insert `" + closers + "` behind the small number");
      if (inner || mayCloseBefore()) builder.assume(span(at, at), closers, "insert `" + closers + "`");
      else builder.suggest(span(at, at), closers, "insert `" + closers + "`");
    }
  }
  for (auto open = open_.rbegin(); open != open_.rend(); ++open) line_.tokens.push_back({closerOf(open->kind), at, at});
  open_.clear();
  chain_ = baseChain_;
}

bool LineSplitter::lineOpensBlock(const Tokens &tokens) const {
  if (tokens.empty()) return false;
  if (startsBlock(tokens[0].kind) || (tokens[0].kind == K::NAME && isForeignHeader(word(tokens[0])))) return true;
  // `float f(float x) {`
  return tokens.size() > 4 && tokens[0].kind == K::NAME && tokens[1].kind == K::NAME && tokens[2].kind == K::LPAREN &&
         tokens.back().kind == K::RPAREN;
}

/// Which `}` belongs to which `{`, other brackets left aside.
void LineSplitter::matchBraces() {
  braces_.assign(raw_.size(), raw_.size());
  std::vector<size_t> open;
  for (size_t i = 0; i < raw_.size(); ++i) {
    if (raw_[i].kind == K::LBRACE) open.push_back(i);
    if (raw_[i].kind != K::RBRACE || open.empty()) continue;
    braces_[open.back()] = i;
    open.pop_back();
  }
}

/// `if x {` at the end of a line, up to a `}` with nothing but a line end behind it: a block as C writes it. The same
/// with the `{` on a line of its own.
bool LineSplitter::braceBlock(Token token) {
  const Token *behind = next();
  if (!open_.empty() || (behind && behind->kind != K::NEWLINE && behind->kind != K::COMMENT)) return false;
  bool ownLine = line_.tokens.empty();
  if (!ownLine && colonSeen_) return false;  // the header has ended: a dict or set goes over several lines
  if (ownLine && (lines.empty() || lines.back().tokens.back().kind == K::COLON)) return false;
  Tokens &header = ownLine ? lines.back().tokens : line_.tokens;
  uint32_t last = header.back().kind;
  if (!lineOpensBlock(header) || !(endsValue(last) || last == K::ELSE || last == K::TRY || last == K::FINALLY)) return false;
  size_t match = braces_[at_ - 1];
  if (match < raw_.size()) {
    const Token *after = match + 1 < raw_.size() ? &raw_[match + 1] : nullptr;
    bool lineEnds = !after || after->kind == K::NEWLINE || after->kind == K::COMMENT || after->kind == K::ELSE ||
                    after->kind == K::ELIF || after->kind == K::SEMICOLON || after->kind == K::RBRACE;
    if (!lineEnds) return false;
    droppedBraces_.insert(match);
    if (after && after->kind == K::SEMICOLON) droppedBraces_.insert(match + 1);
  }
  diagnostics_.report(Id::braceBlock, span(token))
      .label("no `{` here")
      .suggest(span(header.back().end, token.end), ":", "write `:` and delete the `}`");
  (ownLine ? lines.back() : line_).reported = true;
  header.push_back({K::COLON, token.begin, token.end});
  colonSeen_ = !ownLine;
  return true;
}

}  // namespace tessera::frontend
