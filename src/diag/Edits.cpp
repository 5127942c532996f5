#include "diag/Edits.h"
#include <algorithm>
#include <tuple>

namespace tessera::diag {

const Fix *fixOf(const Diagnostic &diagnostic, bool suggestions) {
  auto may = [&](const Fix &fix) {
    return fix.applicability == Applicability::Certain || (suggestions && fix.applicability == Applicability::Suggestion);
  };
  for (const Fix &fix : diagnostic.fixes)
    if (fix.span.valid() && may(fix)) return &fix;
  return nullptr;
}

const Fix *shownFix(const Diagnostic &diagnostic) {
  for (const Fix &fix : diagnostic.fixes)
    if (fix.span.valid()) return &fix;
  return nullptr;
}

Edited applyFixes(std::string_view text, std::vector<const Fix *> fixes) {
  std::sort(fixes.begin(), fixes.end(), [](const Fix *a, const Fix *b) {
    return std::tie(a->span.begin, a->span.end, a->replacement) < std::tie(b->span.begin, b->span.end, b->replacement);
  });
  Edited edited;
  size_t done = 0;  // bytes of the old text that are behind us
  for (const Fix *fix : fixes) {
    const Fix *last = edited.applied.empty() ? nullptr : edited.applied.back();
    // Edits that touch may depend on each other (`,` and `)` inserted at one place), so they wait for the next round.
    if (last && fix->span.begin <= last->span.end) continue;
    if (fix->span.begin < done || fix->span.end < fix->span.begin || fix->span.end > text.size()) continue;
    edited.text += text.substr(done, fix->span.begin - done);
    edited.text += fix->replacement;
    done = fix->span.end;
    edited.applied.push_back(fix);
  }
  edited.text += text.substr(done);
  return edited;
}

namespace {

std::string quoted(std::string_view text) {
  std::string out = "`";
  for (char c : text) out += c == '\n' ? std::string("\\n") : std::string(1, c);
  return out + "`";
}

std::vector<std::string_view> linesOf(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    size_t end = std::min(text.find('\n'), text.size() - 1) + 1;
    lines.push_back(text.substr(0, end));
    text.remove_prefix(end);
  }
  return lines;
}

/// A stretch of lines that differs: [oldBegin, oldEnd) became [newBegin, newEnd).
struct Change {
  size_t oldBegin, oldEnd, newBegin, newEnd;
};

/// The longest common subsequence of what lies between equal beginnings and ends. Fixes change a few lines, so the
/// table is small; where it would not be, the whole middle counts as one change.
std::vector<Change> changesOf(const std::vector<std::string_view> &before, const std::vector<std::string_view> &after) {
  size_t first = 0, oldEnd = before.size(), newEnd = after.size();
  while (first < std::min(oldEnd, newEnd) && before[first] == after[first]) ++first;
  while (oldEnd > first && newEnd > first && before[oldEnd - 1] == after[newEnd - 1]) --oldEnd, --newEnd;
  size_t rows = oldEnd - first, columns = newEnd - first;
  if (rows == 0 && columns == 0) return {};
  constexpr size_t kLargestTable = 4u << 20;
  if (rows == 0 || columns == 0 || (rows + 1) * (columns + 1) > kLargestTable) return {{first, oldEnd, first, newEnd}};
  std::vector<uint32_t> common((rows + 1) * (columns + 1), 0);
  auto at = [&](size_t i, size_t j) -> uint32_t & { return common[i * (columns + 1) + j]; };
  for (size_t i = rows; i-- > 0;)
    for (size_t j = columns; j-- > 0;)
      at(i, j) = before[first + i] == after[first + j] ? at(i + 1, j + 1) + 1 : std::max(at(i + 1, j), at(i, j + 1));
  std::vector<Change> changes;
  for (size_t i = 0, j = 0; i < rows || j < columns;) {
    if (i < rows && j < columns && before[first + i] == after[first + j]) {
      ++i, ++j;
      continue;
    }
    Change change{first + i, first + i, first + j, first + j};
    while ((i < rows || j < columns) && !(i < rows && j < columns && before[first + i] == after[first + j]))
      if (j == columns || (i < rows && at(i + 1, j) >= at(i, j + 1))) ++i;
      else ++j;
    change.oldEnd = first + i, change.newEnd = first + j;
    changes.push_back(change);
  }
  return changes;
}

std::string range(size_t begin, size_t count) {  // "3,2": from line 3 on, two lines
  std::string out = std::to_string(count == 0 ? begin : begin + 1);
  return count == 1 ? out : out + "," + std::to_string(count);
}

void addLine(std::string &out, char mark, std::string_view line) {
  out += mark;
  out += line;
  if (line.empty() || line.back() != '\n') out += "\n\\ No newline at end of file\n";
}

}  // namespace

std::string editText(const Fix &fix, const Sources &sources) {
  std::string_view old = sources.text(fix.span);
  if (old.empty()) return "insert " + quoted(fix.replacement);
  if (fix.replacement.empty()) return "delete " + quoted(old);
  return "replace " + quoted(old) + " by " + quoted(fix.replacement);
}

std::string unifiedDiff(const std::string &path, std::string_view before, std::string_view after) {
  constexpr size_t kContext = 3;
  std::vector<std::string_view> oldLines = linesOf(before), newLines = linesOf(after);
  std::vector<Change> changes = changesOf(oldLines, newLines);
  if (changes.empty()) return {};
  std::string out = "--- " + path + "\n+++ " + path + "\n";
  for (size_t c = 0; c < changes.size();) {
    size_t last = c;  // changes whose context would touch share a hunk
    while (last + 1 < changes.size() && changes[last + 1].oldBegin - changes[last].oldEnd <= 2 * kContext) ++last;
    size_t lead = std::min(kContext, changes[c].oldBegin), begin = changes[c].oldBegin - lead;
    size_t end = std::min(oldLines.size(), changes[last].oldEnd + kContext), newBegin = changes[c].newBegin - lead;
    size_t newCount = lead + (changes[last].newEnd - changes[c].newBegin) + (end - changes[last].oldEnd);
    out += "@@ -" + range(begin, end - begin) + " +" + range(newBegin, newCount) + " @@\n";
    size_t line = begin;
    for (; c <= last; ++c) {
      for (; line < changes[c].oldBegin; ++line) addLine(out, ' ', oldLines[line]);
      for (; line < changes[c].oldEnd; ++line) addLine(out, '-', oldLines[line]);
      for (size_t n = changes[c].newBegin; n < changes[c].newEnd; ++n) addLine(out, '+', newLines[n]);
    }
    for (; line < end; ++line) addLine(out, ' ', oldLines[line]);
  }
  return out;
}

}  // namespace tessera::diag
