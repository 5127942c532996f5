#include "frontend/Relayout.h"
#include <algorithm>

namespace tessera::frontend {

namespace {
/// So many statements on each side of a change are read again: what a line is may hang on the next one.
constexpr size_t kAround = 2;

size_t endOf(const LaidOut &out, size_t unit) { return unit + 1 < out.units.size() ? out.units[unit + 1] : out.tokens.size(); }
uint32_t beginOf(const LaidOut &out, size_t unit) { return out.tokens[out.units[unit]].begin; }

Token moved(Token token, int64_t by) {
  return {token.kind, static_cast<uint32_t>(token.begin + by), static_cast<uint32_t>(token.end + by)};
}
ast::Comment moved(ast::Comment comment, FileId file, int64_t by) {
  comment.span = {file, static_cast<uint32_t>(comment.span.begin + by), static_cast<uint32_t>(comment.span.end + by)};
  return comment;
}
/// How many characters two texts have in common at their beginnings, or at their ends: first as many blocks as are equal.
size_t commonFront(std::string_view a, std::string_view b) {
  constexpr size_t kBlock = 256;
  size_t most = std::min(a.size(), b.size()), count = 0;
  while (count + kBlock <= most && a.substr(count, kBlock) == b.substr(count, kBlock)) count += kBlock;
  while (count < most && a[count] == b[count]) ++count;
  return count;
}
size_t commonBack(std::string_view a, std::string_view b) {
  constexpr size_t kBlock = 256;
  size_t most = std::min(a.size(), b.size()), count = 0;
  auto block = [&](std::string_view text) { return text.substr(text.size() - count - kBlock, kBlock); };
  while (count + kBlock <= most && block(a) == block(b)) count += kBlock;
  while (count < most && a[a.size() - 1 - count] == b[b.size() - 1 - count]) ++count;
  return count;
}
}  // namespace

/// What changed, by whole lines from one statement's beginning to another's. False: too much.
bool Relayout::changeOf(std::string_view text, Change &change) const {
  std::string_view before = text_;
  const size_t front = commonFront(text, before), back = commonBack(text.substr(front), before.substr(front));
  size_t count = out_.units.size(), changed = text_.size() - back;
  if (count < 4 * kAround) return false;
  auto atOrBehind = [&](size_t offset) {
    return static_cast<size_t>(std::lower_bound(out_.units.begin(), out_.units.end(), offset, [&](size_t token, size_t at) { return out_.tokens[token].begin < at; }) -
                               out_.units.begin());
  };
  size_t at = atOrBehind(front);
  change.first = at > kAround + 1 ? at - kAround - 1 : 0;
  change.behind = std::min(atOrBehind(changed + 1) + kAround, count);
  auto lineOf = [&](size_t unit) {
    uint32_t begin = beginOf(out_, unit);
    return begin > 0 && text_[begin - 1] != '\n' ? kNoFile : begin;
  };
  change.begin = change.first == 0 ? 0 : lineOf(change.first);
  change.end = change.behind == count ? static_cast<uint32_t>(text_.size()) : lineOf(change.behind);
  if (change.begin == kNoFile || change.end == kNoFile || change.begin > front || change.end < changed) return false;
  change.newEnd = static_cast<uint32_t>(change.end + text.size() - text_.size());
  return true;
}

/// Whether a statement of a part, which begins at `offset` of the new text, is one of the text before, moved.
bool Relayout::sameStatement(const LaidOut &part, size_t unit, uint32_t offset, size_t before, int64_t by) const {
  size_t begin = part.units[unit], oldBegin = out_.units[before], count = endOf(part, unit) - begin;
  if (count != endOf(out_, before) - oldBegin) return false;
  for (size_t i = 0; i < count; ++i) {
    Token a = moved(part.tokens[begin + i], offset), b = moved(out_.tokens[oldBegin + i], by);
    if (a.kind != b.kind || a.begin != b.begin || a.end != b.end) return false;
  }
  return true;
}

/// Reads the lines of the change alone, and puts the rest around. False: a message is due, or they hang together with others.
bool Relayout::around(const SourceFile &source, FileId file, const Change &change, LaidOut &out) {
  diag::Engine said;
  SourceFile lines("", source.text.substr(change.begin, change.newEnd - change.begin));
  LaidOut part = frontend::layout(lines, file, said);
  if (!said.all().empty() || !part.reported.empty() || part.units.empty()) return false;
  int64_t by = static_cast<int64_t>(source.text.size()) - static_cast<int64_t>(text_.size());
  size_t count = out_.units.size();
  for (size_t i = 0; change.first > 0 && i < kAround; ++i)
    if (i >= part.units.size() || !sameStatement(part, i, change.begin, change.first + i, 0)) return false;
  for (size_t i = 1; change.behind < count && i <= kAround; ++i)
    if (i > part.units.size() || !sameStatement(part, part.units.size() - i, change.begin, change.behind - i, by)) return false;

  size_t firstToken = out_.units[change.first], behindToken = change.behind < count ? out_.units[change.behind] : out_.tokens.size();
  out.tokens.reserve(out_.tokens.size() + part.tokens.size());
  out.tokens.assign(out_.tokens.begin(), out_.tokens.begin() + static_cast<ptrdiff_t>(firstToken));
  out.units.reserve(count + part.units.size());
  out.units.assign(out_.units.begin(), out_.units.begin() + static_cast<ptrdiff_t>(change.first));
  for (size_t unit : part.units) out.units.push_back(unit + firstToken);
  for (Token token : part.tokens) out.tokens.push_back(moved(token, change.begin));
  for (size_t i = change.behind; i < count; ++i) out.units.push_back(out_.units[i] - behindToken + out.tokens.size());
  for (size_t i = behindToken; i < out_.tokens.size(); ++i) out.tokens.push_back(moved(out_.tokens[i], by));

  const size_t front = change.first + (change.first > 0 ? kAround : 0), back = out.units.size() - count + change.behind - (change.behind < count ? kAround : 0);
  origins_.assign(out.units.size(), kNew);
  for (size_t i = 0; i < front; ++i) origins_[i] = i;
  for (size_t i = std::max(front, back); i < origins_.size(); ++i) origins_[i] = i + count - origins_.size();

  for (const ast::Comment &comment : out_.comments)
    if (comment.span.begin < change.begin) out.comments.push_back(moved(comment, file, 0));
  for (const ast::Comment &comment : part.comments) out.comments.push_back(moved(comment, file, change.begin));
  for (const ast::Comment &comment : out_.comments)
    if (comment.span.begin >= change.end) out.comments.push_back(moved(comment, file, by));
  return true;
}

const LaidOut &Relayout::layout(const SourceFile &source, FileId file, diag::Engine &diagnostics) {
  Change change;
  LaidOut out;
  const size_t said = diagnostics.all().size();
  if (text_.empty() || !changeOf(source.text, change) || !around(source, file, change, out)) {
    out = frontend::layout(source, file, diagnostics);
    origins_.assign(out.units.size(), kNew);
  }
  kept_ = diagnostics.all().size() == said && out.reported.empty();
  if (kept_) text_ = source.text;
  return (kept_ ? out_ : broken_) = std::move(out);
}

}  // namespace tessera::frontend
