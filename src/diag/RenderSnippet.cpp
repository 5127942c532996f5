#include "diag/RenderSnippet.h"
#include "diag/RenderWidth.h"
#include <algorithm>

namespace tessera::diag {

std::string Paint::wrap(const char *code, std::string_view text) const {
  if (!on_ || text.empty()) return std::string(text);
  return std::string("\x1b[") + code + "m" + std::string(text) + "\x1b[0m";
}
std::string Paint::severity(Severity severity, std::string_view text) const {
  switch (severity) {
  case Severity::Error: return wrap("1;31", text);
  case Severity::Warning: return wrap("1;33", text);
  case Severity::Note: return wrap("1;36", text);
  }
  return std::string(text);
}

namespace {

constexpr uint32_t kMostLines = 6;  // of a span over many lines; the middle is left out
const char *const kCut = "…";

/// A line cut to the columns [from, from + room): what does not fit is replaced by an ellipsis.
class ShownLine {
public:
  ShownLine(std::string_view whole, uint32_t focusBegin, uint32_t focusEnd, uint32_t room) {
    std::string_view line = whole;
    if (whole.size() > kLongLine) {  // only what may be shown is looked at
      first_ = boundary(whole, focusBegin > 4 * room ? focusBegin - 4 * room : 0);
      line = whole.substr(first_, boundary(whole, std::min(focusEnd, focusBegin + room) + 4 * room) - first_);
    }
    bool moreLeft = first_ > 0, moreRight = first_ + line.size() < whole.size();
    cells_ = cellsOf(line);
    uint32_t width = cells_.empty() ? 0 : cells_.back().column + cells_.back().width;
    end_ = width;
    cutLeft_ = moreLeft, cutRight_ = moreRight;
    if (width <= room) return;
    // Keep the marked part in view with a quarter of the room in front of it.
    uint32_t mark = column(focusBegin), markEnd = std::max(column(focusEnd), mark + 1);
    if (markEnd <= room - 1) {
      end_ = room - 1;
    } else {
      begin_ = mark > room / 4 ? mark - room / 4 : 0;
      if (width < begin_ + room - 1) begin_ = width - (room - 1);
      end_ = std::min(width, begin_ + room - 2);
    }
    cutLeft_ = moreLeft || begin_ > 0;
    cutRight_ = moreRight || end_ < width;
  }
  /// The column of a byte offset, in the whole line; in a long one, in the part that was looked at.
  uint32_t column(uint32_t byte) const {
    for (const Cell &cell : cells_)
      if (first_ + cell.byte >= byte) return cell.column;
    return cells_.empty() ? 0 : cells_.back().column + cells_.back().width;
  }
  /// The column at which a byte is shown, clamped into the shown part.
  uint32_t shownColumn(uint32_t byte) const {
    uint32_t at = std::clamp(column(byte), begin_, end_);
    return at - begin_ + (cutLeft_ ? 1 : 0);
  }
  std::string text() const {
    std::string out = cutLeft_ ? kCut : "";
    for (const Cell &cell : cells_)
      if (cell.column >= begin_ && cell.column + cell.width <= end_) out += cell.text;
      else if (cell.column < begin_ && cell.column + cell.width > begin_) out += " ";  // half of a wide one
    if (cutRight_) out += kCut;
    while (!out.empty() && out.back() == ' ') out.pop_back();
    return out;
  }

private:
  static constexpr size_t kLongLine = 16384;  // bytes
  /// The first beginning of a character at or before `byte`.
  static uint32_t boundary(std::string_view line, size_t byte) {
    if (byte >= line.size()) return static_cast<uint32_t>(line.size());
    while (byte > 0 && (static_cast<unsigned char>(line[byte]) & 0xC0) == 0x80) --byte;
    return static_cast<uint32_t>(byte);
  }

  std::vector<Cell> cells_;
  uint32_t first_ = 0;  // byte
  uint32_t begin_ = 0, end_ = 0;
  bool cutLeft_ = false, cutRight_ = false;
};

std::string trimmedRight(std::string text) {
  while (!text.empty() && text.back() == ' ') text.pop_back();
  return text + "\n";
}

/// " 12 | " and "    | ", in front of the shown text.
std::string numbered(const SnippetStyle &style, uint32_t line, std::string_view bar, std::string_view text) {
  std::string number = std::to_string(line);
  std::string pad(style.gutter - std::min<size_t>(style.gutter, number.size()), ' ');
  return trimmedRight(style.paint.gutter(pad + number + " " + std::string(bar)) + (text.empty() ? "" : " " + std::string(text)));
}
std::string unnumbered(const SnippetStyle &style, std::string_view text) {
  return trimmedRight(style.paint.gutter(std::string(style.gutter, ' ') + " |") + (text.empty() ? "" : " " + std::string(text)));
}

struct Lines {
  uint32_t first, last;
  uint32_t beginByte, endByte;  // offsets in the first and in the last line
};
Lines linesOf(const SourceFile &file, Span span) {
  uint32_t size = static_cast<uint32_t>(file.text.size());
  uint32_t begin = std::min(span.begin, size), end = std::clamp(span.end, begin, size);
  uint32_t first = file.lineColumn(begin).line, last = file.lineColumn(end).line;
  if (last > first && end == file.lineStart(last)) {  // ends with the line break: the line after it is not meant
    --last;
    end = file.lineStart(last) + static_cast<uint32_t>(file.lineText(last).size());
  }
  return {first, last, begin - file.lineStart(first), end - file.lineStart(last)};
}

uint32_t roomFor(const SnippetStyle &style, uint32_t extra) {
  uint32_t used = style.gutter + 3 + extra;
  return style.width > used + 20 ? style.width - used : 20;
}

std::string withLabel(std::string marks, std::string_view label) {
  return label.empty() ? marks : marks + " " + std::string(label);
}

std::string oneLine(const SourceFile &file, const Lines &at, Severity severity, std::string_view label, const SnippetStyle &style) {
  ShownLine shown(file.lineText(at.first), at.beginByte, at.endByte, roomFor(style, 0));
  uint32_t begin = shown.shownColumn(at.beginByte), end = std::max(shown.shownColumn(at.endByte), begin + 1);
  std::string marks = style.paint.severity(severity, withLabel(std::string(end - begin, '^'), label));
  return numbered(style, at.first, "|", shown.text()) + unnumbered(style, std::string(begin, ' ') + marks);
}

std::string manyLines(const SourceFile &file, const Lines &at, Severity severity, std::string_view label, const SnippetStyle &style) {
  const Paint &paint = style.paint;
  uint32_t room = roomFor(style, 2);
  std::string out;
  std::string_view first = file.lineText(at.first);
  ShownLine head(first, at.beginByte, at.beginByte + 1, room);
  bool fromStart = first.substr(0, at.beginByte).find_first_not_of(" \t") == std::string_view::npos;
  out += numbered(style, at.first, "|", (fromStart ? paint.severity(severity, "/") : " ") + " " + head.text());
  if (!fromStart)
    out += unnumbered(style, paint.severity(severity, " " + std::string(head.shownColumn(at.beginByte) + 1, '_') + "^"));
  std::string bar = paint.severity(severity, "|");
  for (uint32_t line = at.first + 1; line <= at.last; ++line) {
    if (at.last - at.first + 1 > kMostLines && line == at.first + 3) {
      out += unnumbered(style, bar + " ...");
      line = at.last;
    }
    uint32_t focus = line == at.last ? at.endByte : 0;
    out += numbered(style, line, "|", bar + " " + ShownLine(file.lineText(line), focus, focus, room).text());
  }
  ShownLine tail(file.lineText(at.last), at.endByte, at.endByte, room);
  uint32_t end = std::max<uint32_t>(tail.shownColumn(at.endByte), 1);
  return out + unnumbered(style, paint.severity(severity, withLabel("|" + std::string(end, '_') + "^", label)));
}

/// Lines of a text, without their breaks.
std::vector<std::string_view> splitLines(std::string_view text) {
  std::vector<std::string_view> lines;
  for (size_t at = 0;;) {
    size_t end = text.find('\n', at);
    lines.push_back(text.substr(at, end == std::string_view::npos ? end : end - at));
    if (end == std::string_view::npos) return lines;
    at = end + 1;
  }
}

std::string plainLine(std::string_view line, const SnippetStyle &style) { return ShownLine(line, 0, 0, roomFor(style, 0)).text(); }

}  // namespace

unsigned gutterWidth(const Sources &sources, Span span) {
  if (!span.valid() || span.file >= sources.size()) return 1;
  const SourceFile &file = sources.file(span.file);
  return static_cast<unsigned>(std::to_string(linesOf(file, span).last).size());
}

std::string snippet(const Sources &sources, Span span, Severity severity, std::string_view label, const SnippetStyle &style) {
  if (!span.valid() || span.file >= sources.size()) return {};
  const SourceFile &file = sources.file(span.file);
  LineColumn place = file.lineColumn(span.begin);
  std::string out = style.paint.gutter(std::string(style.gutter, ' ') + "-->") + " " + printable(file.path) + ":" +
                    std::to_string(place.line) + ":" + std::to_string(place.column) + "\n";
  Lines at = linesOf(file, span);
  out += unnumbered(style, "");
  out += at.first == at.last ? oneLine(file, at, severity, label, style) : manyLines(file, at, severity, label, style);
  return out;
}

std::string editSnippet(const Sources &sources, const Fix &fix, const SnippetStyle &style) {
  if (!fix.span.valid() || fix.span.file >= sources.size()) return {};
  const SourceFile &file = sources.file(fix.span.file);
  Lines at = linesOf(file, fix.span);
  std::string before(file.lineText(at.first).substr(0, at.beginByte));
  std::string_view last = file.lineText(at.last);
  std::string after(last.substr(std::min<size_t>(at.endByte, last.size())));
  std::string out = unnumbered(style, "");
  bool single = at.first == at.last && fix.replacement.find('\n') == std::string::npos;
  if (!single) {
    for (uint32_t line = at.first; line <= at.last; ++line)
      if (fix.span.begin != fix.span.end)
        out += numbered(style, line, "-", style.paint.removed(plainLine(file.lineText(line), style)));
    std::string result = before + fix.replacement + after;
    uint32_t line = at.first;
    for (std::string_view text : splitLines(result)) out += numbered(style, line++, "+", style.paint.added(plainLine(text, style)));
    return out;
  }
  if (fix.replacement.empty()) {  // a deletion: marked where it stands now
    ShownLine shown(file.lineText(at.first), at.beginByte, at.endByte, roomFor(style, 0));
    uint32_t begin = shown.shownColumn(at.beginByte), end = std::max(shown.shownColumn(at.endByte), begin + 1);
    return out + numbered(style, at.first, "|", shown.text()) +
           unnumbered(style, std::string(begin, ' ') + style.paint.removed(std::string(end - begin, '-')));
  }
  std::string line = before + fix.replacement + after;
  uint32_t editEnd = at.beginByte + static_cast<uint32_t>(fix.replacement.size());
  ShownLine shown(line, at.beginByte, editEnd, roomFor(style, 0));
  uint32_t begin = shown.shownColumn(at.beginByte), end = std::max(shown.shownColumn(editEnd), begin + 1);
  char mark = fix.span.begin == fix.span.end ? '+' : '~';
  return out + numbered(style, at.first, "|", shown.text()) +
         unnumbered(style, std::string(begin, ' ') + style.paint.added(std::string(end - begin, mark)));
}

}  // namespace tessera::diag
