#include "frontend/Lines.h"
#include "frontend/Kinds.h"
#include "frontend/Lex.h"

namespace tessera::frontend {

using diag::Id;

LineSplitter::LineSplitter(const SourceFile &source, FileId file, diag::Engine &diagnostics)
    : source_(source), text_(source.text), file_(file), diagnostics_(diagnostics) {
  uint32_t begin = text_.substr(0, 3) == "\xEF\xBB\xBF" ? 3 : 0;  // a UTF-8 byte order mark
  raw_ = lex(text_, begin, static_cast<uint32_t>(text_.size()));
  matchBraces();
}

/// Reads all tokens. Where a bracket turns out to be unclosed, reads again and looks, from that bracket on, for the
/// line that most likely starts a new statement.
void LineSplitter::run() {
  size_t before = diagnostics_.all().size();
  while (!pass()) {
    diagnostics_.truncate(before);
    suspects_.insert(unclosed_);
    suspectAll_ = suspects_.size() > 12;
  }
}

bool LineSplitter::pass() {
  at_ = 0;
  line_ = {};
  lines.clear();
  comments.clear();
  open_.clear();
  droppedBraces_.clear();
  physicalStart_ = true;
  colonSeen_ = spoilt_ = brokenString_ = false;
  chain_ = baseChain_ = skippedDepth_ = lambdas_ = 0;
  unclosed_ = 0;
  while (at_ < raw_.size() && diagnostics_.all().size() <= 2 * kMaxLayoutMessages) {
    Token token = raw_[at_++];
    if (token.kind == K::NEWLINE) {
      newline();
    } else if (token.kind == K::COMMENT) {
      comments.push_back({span(token), physicalStart_});
    } else {
      if (physicalStart_) {
        indent_ = indentAt(token.begin);
        physicalLine();
      }
      if (unclosed_) return false;
      physicalStart_ = false;
      if (!droppedBraces_.count(at_ - 1)) take(token);
    }
  }
  if (!open_.empty() && !line_.tokens.empty()) {
    if (!brokenString_ && !suspectAll_ && !suspects_.count(open_[0].span.begin)) {
      unclosed_ = open_[0].span.begin;
      return false;
    }
    closeAll(line_.tokens.back().end, !brokenString_);
  }
  finishLine();
  return true;
}

void LineSplitter::newline() {
  physicalStart_ = true;
  if (brokenString_ && !open_.empty()) closeLost(line_.tokens.back().end);
  brokenString_ = false;
  if (!open_.empty() || skippedDepth_ > 0 || headerGoesOn()) return;
  if (oddlyContinued())
    line_.tokens.push_back({K::UNKNOWN, line_.tokens.back().end, line_.tokens.back().end});
  else
    finishLine();
}

/// A `def` header goes on before a line that starts with `where` or `effects`, and behind a comma of its `where`.
bool LineSplitter::headerGoesOn() const {
  const Tokens &tokens = line_.tokens;
  if (tokens.empty() || colonSeen_) return false;
  if (tokens[0].kind != K::DEF && !(tokens.size() > 1 && tokens[1].kind == K::DEF)) return false;
  size_t ahead = 0;
  while (next(ahead) && (next(ahead)->kind == K::NEWLINE || next(ahead)->kind == K::COMMENT)) ++ahead;
  const Token *word1 = next(ahead), *word2 = next(ahead + 1);
  if (!word1 || !word2) return false;
  if (tokens.back().kind == K::COMMA) return true;
  return word1->kind == K::NAME && ((word(*word1) == "where" && startsValue(word2->kind)) ||
                                    (word(*word1) == "effects" && word2->kind == K::LBRACKET));
}

/// Does the line end in an operator or comma, or the next one start with an operator, and is that one indented deeper?
/// Then it is meant to go on, though no bracket is open: an empty UNKNOWN token marks the place for the message.
bool LineSplitter::oddlyContinued() const {
  if (line_.tokens.empty()) return false;
  size_t ahead = 0;
  while (next(ahead) && (next(ahead)->kind == K::NEWLINE || next(ahead)->kind == K::COMMENT)) ++ahead;
  const Token *token = next(ahead);
  if (!token || indentAt(token->begin) <= indentAt(line_.tokens[0].begin) || startsStatement(token->kind)) return false;
  uint32_t last = line_.tokens.back().kind;
  bool goesOn = last == K::COMMA || last == K::IMPORT || (isOperator(last) && last != K::ELSE) || isAssignment(last);
  bool operatorFirst = isOperator(token->kind) && token->kind != K::IF && token->kind != K::ELSE && token->kind != K::LAMBDA &&
                       token->kind != K::NOT && token->kind != K::TILDE && token->kind != K::AT && last != K::COLON;
  return goesOn || operatorFirst;
}

/// At the first token of a physical line: does it show that a bracket was not closed?
void LineSplitter::physicalLine() {
  const Token &token = raw_[at_ - 1];
  if (skippedDepth_ > 0 && startsStatement(token.kind)) {
    skippedDepth_ = 0;
    open_.clear();
    finishLine();
  }
  if (open_.empty()) return;
  bool known = suspectAll_ || suspects_.count(open_[0].span.begin);
  if (known && lineOpensBlock(line_.tokens) && line_.tokens.back().kind == K::COLON) {  // the header's own colon
    Token colon = line_.tokens.back();
    line_.tokens.pop_back();
    closeAll(line_.tokens.back().end, true);
    line_.tokens.push_back(colon);
    return finishLine();
  }
  if (startsStatement(token.kind) && !known) {
    unclosed_ = open_[0].span.begin;
  } else if (startsStatement(token.kind) || (known && !isCloser(token.kind) && indentAt(token.begin) <= open_[0].indent)) {
    closeAll(line_.tokens.back().end, true);
    finishLine();
  }
}

void LineSplitter::take(Token token) {
  if (skippedDepth_ > 0) {
    if (isOpener(token.kind)) ++skippedDepth_;
    if (isCloser(token.kind) && --skippedDepth_ == 0) open_.clear();
    return;
  }
  if (!readable(token)) return;
  if (line_.tokens.empty()) {
    uint32_t line = source_.lineColumn(token.begin).line;
    line_.start = source_.lineStart(line);
  }
  countChain(token);
  if (isOpener(token.kind)) return open(token);
  if (isCloser(token.kind)) return close(token);
  if (open_.empty()) {
    if (token.kind == K::LAMBDA) ++lambdas_;
    else if (token.kind == K::COLON && lambdas_ > 0) --lambdas_;
    else colonSeen_ |= token.kind == K::COLON;
  }
  line_.tokens.push_back(token);
}

void LineSplitter::finishLine() {
  if (!line_.tokens.empty()) {
    if (spoilt_) line_.tokens = {{K::ERROR_LINE, line_.tokens.front().begin, line_.tokens.back().end}};
    lines.push_back(std::move(line_));
  }
  line_ = {};
  colonSeen_ = spoilt_ = false;
  chain_ = baseChain_ = lambdas_ = 0;
}

uint32_t LineSplitter::indentAt(uint32_t offset) const {
  return static_cast<uint32_t>(indentationOf(text_, source_.lineStart(source_.lineColumn(offset).line)).size());
}

diag::Engine *LineSplitter::speak() {
  if (line_.reported) return nullptr;
  line_.reported = true;
  return &diagnostics_;
}

}  // namespace tessera::frontend
