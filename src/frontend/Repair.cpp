#include "frontend/Repair.h"
#include "frontend/Kinds.h"
#include <algorithm>

namespace tessera::frontend {

using diag::Id;

Repair::Repair(const SourceFile &source, FileId file, diag::Engine &diagnostics, Tokens tokens,
               const std::vector<uint32_t> &reported)
    : source_(source), file_(file), diagnostics_(diagnostics), tokens_(std::move(tokens)) {
  uint32_t begin = tokens_.front().begin, end = tokens_.back().end;
  auto from = std::lower_bound(reported.begin(), reported.end(), begin);
  for (; from != reported.end() && *from <= end; ++from) lines_[*from].messages = 1;
}

void Repair::mend(const Failure &failure) {
  failure_ = failure;
  locate(failure.index);
  LineState &line = lines_[tokens_[first_].begin];
  bool quiet = line.messages > 0;
  size_t before = diagnostics_.all().size();
  // A line gets several tries, so that one mistake in it does not hide a second; then it is given up.
  static constexpr Detector precise[] = {&Repair::continuedLine,      &Repair::orphanClause,
                                         &Repair::foreignComment,     &Repair::typedLambda,
                                         &Repair::elseIf,
                                         &Repair::foreignFunction,    &Repair::innerQuote,
                                         &Repair::policyBlock,        &Repair::foreignWord,
                                         &Repair::strayMark,          &Repair::countedRange,
                                         &Repair::misspeltKeyword,    &Repair::foreignLoop,
                                         &Repair::foreignDeclaration, &Repair::foreignCast,
                                         &Repair::angleParameters,    &Repair::misplacedFacts,
                                         &Repair::typeFirst,          &Repair::severalResults,
                                         &Repair::foreignOperator,    &Repair::increment,
                                         &Repair::wrongArrow,         &Repair::braces,
                                         &Repair::printStatement,     &Repair::lonelyDecorator,
                                         &Repair::foreignConditional, &Repair::assignInCondition,
                                         &Repair::missingIn,          &Repair::keywordAsName,
                                         &Repair::missingParameters,  &Repair::missingName,
                                         &Repair::unknownBlock,       &Repair::missingColon,
                                         &Repair::missingValue,       &Repair::expected,
                                         &Repair::missingComma,       &Repair::anythingElse};
  bool done = false;
  if (++attempts_ > tokens_.size() + 20) {  // nothing helps: the whole statement is given up
    tokens_ = {{K::ERROR_LINE, tokens_.front().begin, tokens_.back().end}, {K::NEWLINE, tokens_.back().end, tokens_.back().end}, tokens_.back()};
    if (diagnostics_.errorCount() == 0) diagnostics_.report(Id::syntaxError, span(0), "this");
    return;
  }
  if (++line.attempts <= 6)
    for (Detector detector : precise)
      if ((done = (this->*detector)())) break;
  if (!done) giveUpLine();
  if (quiet) diagnostics_.truncate(before);
  line.messages += diagnostics_.all().size() - before;
}

std::vector<Span> Repair::reported() const {
  std::vector<Span> out;
  for (const auto &[begin, line] : lines_) {
    if (line.messages == 0) continue;
    uint32_t end = begin;
    for (const Token &token : tokens_)
      if (token.begin >= begin && token.kind == K::NEWLINE) {
        end = token.end;
        break;
      }
    out.push_back({file_, begin, end});
  }
  return out;
}

/// Finds the line of a token. What ends too early is the line before a NEWLINE, INDENT, DEDENT or the end.
void Repair::locate(size_t index) {
  at_ = std::min(index, tokens_.size() - 1);
  size_t inside = at_;
  while (inside > 0 && (kind(inside) == K::INDENT || kind(inside) == K::DEDENT || kind(inside) == kEndOfFile)) --inside;
  first_ = inside;
  while (first_ > 0 && kind(first_ - 1) != K::NEWLINE && kind(first_ - 1) != K::INDENT && kind(first_ - 1) != K::DEDENT) --first_;
  last_ = inside;
  while (kind(last_) != K::NEWLINE && last_ + 1 < tokens_.size()) ++last_;
}

/// Keeps what a header is, so that its block and its clauses stay where they belong: `except ERROR_EXPRESSION:`.
/// A function whose signature cannot be read has an ERROR_EXPRESSION as its result.
bool Repair::giveUpHeader() {
  size_t start = kind(first_) == K::ASYNC ? first_ + 1 : first_;
  uint32_t head = kind(start);
  size_t colon = find(K::COLON, start);
  bool block = kind(last_ + 1) == K::INDENT;
  if (colon < at_ && at_ <= last_ && colon + 1 < last_ && startsBlock(head)) {  // in the statements behind the colon
    erase(colon + 1, last_ - colon - 1);
    insert(colon + 1, K::ERROR_EXPRESSION);
    return true;
  }
  if (!block) return false;
  Tokens made;
  Token error{K::ERROR_EXPRESSION, tokens_[start].end, tokens_[last_].end};
  auto add = [&](uint32_t kind) { made.push_back({kind, error.begin, error.begin}); };
  switch (head) {
  case K::IF: case K::ELIF: case K::WHILE: case K::WITH: case K::EXCEPT:
    made.push_back(error);
    break;
  case K::FOR:
    made.push_back(error);
    add(K::IN);
    add(K::ERROR_EXPRESSION);
    break;
  case K::ELSE: case K::TRY: case K::FINALLY:
    break;
  case K::DEF:
    if (kind(start + 1) != K::NAME) return false;
    made.push_back(tokens_[++start]);
    add(K::LPAREN);
    add(K::RPAREN);
    add(K::ARROW);
    made.push_back(error);
    ++start;
    break;
  default:
    return false;
  }
  if (head != K::DEF) ++start;
  add(K::COLON);
  bool same = last_ - start == made.size();
  for (size_t i = 0; same && i < made.size(); ++i) same = kind(start + i) == made[i].kind;
  if (same) return false;  // this was tried before
  size_t from = head == K::DEF ? start - 1 : start;
  erase(from, last_ - from);
  tokens_.insert(tokens_.begin() + static_cast<ptrdiff_t>(from), made.begin(), made.end());
  return true;
}

void Repair::giveUpLine() {
  if (!giveUpHeader()) loseLine();
}

/// Does the statement before this line, in the same column, have a message?
bool Repair::afterReportedLine() const {
  size_t i = first_;
  for (size_t depth = 0; i > 0;) {
    --i;
    if (kind(i) == K::DEDENT) ++depth;
    if (kind(i) == K::INDENT && depth-- == 0) return false;
    bool starts = i == 0 || kind(i - 1) == K::NEWLINE || kind(i - 1) == K::DEDENT || kind(i - 1) == K::INDENT;
    if (depth > 0 || !starts || kind(i) == K::NEWLINE || kind(i) == K::DEDENT || kind(i) == K::INDENT) continue;
    auto line = lines_.find(tokens_[i].begin);
    return kind(i) == K::ERROR_LINE || (line != lines_.end() && line->second.messages > 0);
  }
  return false;
}

/// Puts ERROR_LINE in the place of the line; the block below it stays.
void Repair::loseLine() {
  if (kind(first_) == K::ERROR_LINE) {  // not even that fits here: nothing of the line stays
    size_t end = last_ + 1;
    if (kind(end) == K::INDENT) {
      size_t depth = 0;
      do {
        depth += kind(end) == K::INDENT ? 1 : 0;
        depth -= kind(end) == K::DEDENT ? 1 : 0;
        ++end;
      } while (depth > 0);
    }
    return erase(first_, end - first_);
  }
  Token error{K::ERROR_LINE, tokens_[first_].begin, tokens_[last_].end};
  erase(first_, last_ - first_);
  tokens_.insert(tokens_.begin() + static_cast<ptrdiff_t>(first_), error);
}

void Repair::insert(size_t index, uint32_t kind) {
  uint32_t place = index ? tokens_[index - 1].end : tokens_[index].begin;
  tokens_.insert(tokens_.begin() + static_cast<ptrdiff_t>(index), Token{kind, place, place});
}

void Repair::erase(size_t index, size_t count) {
  auto from = tokens_.begin() + static_cast<ptrdiff_t>(index);
  tokens_.erase(from, from + static_cast<ptrdiff_t>(count));
}

bool Repair::touching(size_t index, uint32_t first, uint32_t second) const {
  return index + 1 < tokens_.size() && kind(index) == first && kind(index + 1) == second &&
         tokens_[index].end == tokens_[index + 1].begin;
}

std::string_view Repair::word(size_t index) const {
  const Token &token = tokens_[index];
  return std::string_view(source_.text).substr(token.begin, token.end - token.begin);
}

/// Does an indented block follow the line?
bool Repair::hasBlock() const { return last_ + 1 < tokens_.size() && kind(last_ + 1) == K::INDENT; }

std::string Repair::textOf(size_t first, size_t last) const {
  return source_.text.substr(tokens_[first].begin, tokens_[last].end - tokens_[first].begin);
}

bool Repair::isWord(size_t index, std::string_view text) const { return kind(index) == K::NAME && word(index) == text; }

/// The token's text, or one character for what has none.
Span Repair::visible(size_t index) const {
  Span place = span(index);
  if (place.begin == place.end && place.end < source_.text.size() && kind(index) != K::INDENT) return {file_, place.begin, place.begin + 1};
  return place;
}

std::string Repair::describe(size_t index) const {
  switch (kind(index)) {
  case K::NEWLINE: return "the end of the line";
  case kEndOfFile: return "the end of the file";
  case K::INDENT: return "an indented block";
  case K::DEDENT: return "the end of the block";
  case K::STRING: return "a string";
  default: return "`" + std::string(word(index)) + "`";
  }
}

size_t Repair::depthAt(size_t index) const {
  size_t depth = 0;
  for (size_t i = first_; i < index; ++i) depth += isOpener(kind(i)) ? 1 : isCloser(kind(i)) ? size_t(-1) : 0;
  return depth;
}

/// The kind of the innermost bracket that is open before a token; 0 when none is.
uint32_t Repair::bracketAround(size_t index) const {
  size_t depth = 0;
  for (size_t i = index; i-- > first_;) {
    if (isCloser(kind(i))) ++depth;
    if (isOpener(kind(i)) && depth-- == 0) return kind(i);
  }
  return 0;
}

bool Repair::isHeader() const { return startsBlock(kind(first_)); }

/// The first token of that kind in the line, outside of brackets, from an index on; `last_` when there is none.
size_t Repair::find(uint32_t wanted, size_t from) const {
  size_t depth = depthAt(from);
  for (size_t i = from; i < last_; ++i) {
    if (depth == 0 && kind(i) == wanted) return i;
    if (isOpener(kind(i))) ++depth;
    if (isCloser(kind(i)) && depth > 0) --depth;
  }
  return last_;
}

}  // namespace tessera::frontend
