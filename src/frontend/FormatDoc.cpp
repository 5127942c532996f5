#include "frontend/FormatDoc.h"
#include "diag/RenderWidth.h"
#include "support/Check.h"
#include <algorithm>

namespace tessera::frontend::fmt {

DocRef Docs::keep(Doc doc) {
  all_.push_back(std::move(doc));
  return &all_.back();
}
DocRef Docs::text(std::string text) {
  Doc doc{Doc::Text};
  size_t lineBreak = text.find('\n');
  doc.flatWidth = doc.leastWidth = diag::displayWidth(std::string_view(text).substr(0, lineBreak));
  doc.text = std::move(text);
  return keep(std::move(doc));
}
DocRef Docs::line(std::string flat) {
  Doc doc{Doc::Line};
  doc.flatWidth = static_cast<uint32_t>(flat.size());
  doc.text = std::move(flat);
  return keep(std::move(doc));
}
DocRef Docs::hardLine() {
  Doc doc{Doc::HardLine};
  doc.forced = true;
  return keep(std::move(doc));
}
DocRef Docs::comment(std::string text, std::optional<uint32_t> column, bool ownLine) {
  Doc doc{Doc::Comment};
  doc.forced = true;
  doc.text = std::move(text);
  doc.column = column;
  doc.ownLine = ownLine;
  return keep(std::move(doc));
}

namespace {
/// Widths of parts one after the other; breaks inside restart the line.
void measure(Doc &doc) {
  uint32_t column = 0;
  for (DocRef part : doc.children) {
    doc.forced |= part->forced;
    doc.flatWidth += part->flatWidth;
    if (part->kind == Doc::Line || part->kind == Doc::HardLine) {
      column = 0;
      continue;
    }
    doc.leastWidth = std::max(doc.leastWidth, column + part->leastWidth);
    column += part->kind == Doc::List ? std::min(part->flatWidth, part->leastWidth) : part->leastWidth;
  }
}
}  // namespace

DocRef Docs::concat(std::vector<DocRef> parts) {
  if (parts.size() == 1) return parts[0];
  Doc doc{Doc::Concat};
  doc.children = std::move(parts);
  measure(doc);
  return keep(std::move(doc));
}
DocRef Docs::group(std::vector<DocRef> parts) {
  if (parts.size() == 1) return parts[0];
  Doc doc{Doc::Group};
  doc.children = std::move(parts);
  measure(doc);
  return keep(std::move(doc));
}
DocRef Docs::nest(DocRef part) {
  Doc doc{Doc::Nest};
  doc.children = {part};
  doc.forced = part->forced;
  doc.flatWidth = part->flatWidth;
  doc.leastWidth = part->leastWidth;
  return keep(std::move(doc));
}
DocRef Docs::list(Doc list) {
  TSR_CHECK(list.kind == Doc::List, "a list node");
  uint32_t open = static_cast<uint32_t>(list.text.size()), widest = 0;
  list.forced |= list.rows || list.hanging || list.openComment || list.closeComments;
  for (const ListItem &item : list.items) {
    list.forced |= item.content->forced || item.above || item.commaComment;
    list.flatWidth += item.content->flatWidth;
    widest = std::max(widest, item.content->leastWidth + 1);
  }
  if (list.items.size() > 1) list.flatWidth += 2 * static_cast<uint32_t>(list.items.size() - 1);
  if (list.comma == TrailingComma::Always) ++list.flatWidth;
  list.flatWidth += open + static_cast<uint32_t>(list.close.size());
  list.leastWidth = open + widest;
  list.closeText = text(list.close);
  return keep(std::move(list));
}

namespace {

struct Entry {
  uint32_t indent;
  bool flat;
  DocRef doc;
  bool before = false;  // a list separator: `doc` is the item behind it
  int slot = -1;        // of an item: where to note its first line; of a separator: of the item in front of it
};

class Printer {
public:
  explicit Printer(uint32_t indent) { start(indent); }

  std::vector<PrintedLine> run(DocRef root, uint32_t indent) {
    stack_.push_back({indent, false, root});
    while (!stack_.empty()) {
      Entry entry = stack_.back();
      stack_.pop_back();
      visit(entry);
    }
    finish();
    return std::move(lines_);
  }

private:
  std::vector<Entry> stack_;
  std::vector<PrintedLine> lines_;
  PrintedLine current_;
  uint32_t column_ = 0;
  bool empty_ = true;  // nothing but indentation on this line
  std::deque<Doc> made_;
  std::vector<size_t> firstLines_;  // of items of lists: how many lines were finished when they began

  void start(uint32_t indent) {
    current_ = {};
    current_.indent = indent;
    column_ = indent;
    empty_ = true;
  }
  void finish() {
    while (!current_.text.empty() && current_.text.back() == ' ') current_.text.pop_back();
    if (!current_.text.empty() || !current_.comment.empty()) lines_.push_back(std::move(current_));
  }
  void newline(uint32_t indent) {
    finish();
    start(indent);
  }
  void put(const std::string &text, uint32_t indent) {
    if (text.empty()) return;
    // Nothing can stand behind a comment; a comma goes in front of it.
    if (!current_.comment.empty()) {
      if (text == ",") {
        current_.text += text;
        return;
      }
      newline(indent);
    }
    if (empty_ && text == " ") return;
    current_.text += text;
    empty_ = false;
    size_t lineBreak = text.rfind('\n');
    column_ = lineBreak == std::string::npos ? column_ + diag::displayWidth(text)
                                             : diag::displayWidth(std::string_view(text).substr(lineBreak + 1));
  }

  void visit(const Entry &entry) {
    const Doc &doc = *entry.doc;
    if (entry.before) {
      separator(entry);
      return;
    }
    if (entry.slot >= 0) firstLines_[static_cast<size_t>(entry.slot)] = lines_.size();
    switch (doc.kind) {
    case Doc::Text: put(doc.text, entry.indent); break;
    case Doc::Line:
      if (entry.flat && current_.comment.empty()) put(doc.text, entry.indent);
      else newline(entry.indent);
      break;
    case Doc::HardLine:
      if (!empty_ || !current_.comment.empty()) newline(entry.indent);
      else start(entry.indent);
      break;
    case Doc::Comment: comment(doc, entry.indent); break;
    case Doc::Concat: pushAll(doc.children, entry.indent, entry.flat); break;
    case Doc::Group: pushAll(doc.children, entry.indent, entry.flat || flatFits(entry.doc)); break;
    case Doc::Nest: pushAll(doc.children, entry.indent + kIndent, entry.flat); break;
    case Doc::List:
      if (entry.flat || flatFits(entry.doc)) flatList(doc, entry.indent);
      else brokenList(doc, entry.indent);
      break;
    }
  }

  void pushAll(const std::vector<DocRef> &parts, uint32_t indent, bool flat) {
    for (size_t i = parts.size(); i-- > 0;) stack_.push_back({indent, flat, parts[i]});
  }
  DocRef made(std::string text) {
    Doc doc{Doc::Text};
    doc.flatWidth = diag::displayWidth(text);
    doc.text = std::move(text);
    made_.push_back(std::move(doc));
    return &made_.back();
  }
  DocRef hardLine() {
    made_.push_back(Doc{Doc::HardLine});
    made_.back().forced = true;
    return &made_.back();
  }

  void comment(const Doc &doc, uint32_t indent) {
    bool alone = doc.ownLine || !current_.comment.empty();
    if (alone) {
      if (!empty_ || !current_.comment.empty()) newline(indent);
      current_.comment = doc.text;
      return;
    }
    current_.comment = doc.text;
    current_.commentColumn = doc.column;
  }

  bool flatFits(DocRef doc) {
    return !doc->forced && column_ + doc->flatWidth <= kWidth && fits({{0, true, doc}});
  }

  /// Whether `first`, and behind it the stack up to the next possible line break, fit on this line.
  bool fits(std::vector<Entry> first) const {
    int64_t room = int64_t{kWidth} - column_;
    size_t rest = stack_.size();
    while (room >= 0) {
      bool fromRest = first.empty();
      if (fromRest && rest == 0) return true;
      Entry entry = fromRest ? stack_[--rest] : first.back();
      if (!fromRest) first.pop_back();
      if (entry.before) return true;
      const Doc &doc = *entry.doc;
      switch (doc.kind) {
      case Doc::Text:
        room -= doc.flatWidth;
        if (doc.text.find('\n') != std::string::npos) return room >= 0;
        break;
      case Doc::Line:
        if (!entry.flat) return true;
        room -= doc.flatWidth;
        break;
      case Doc::HardLine:
      case Doc::Comment: return true;
      case Doc::Concat:
      case Doc::Group:
      case Doc::Nest:
        for (size_t i = doc.children.size(); i-- > 0;) first.push_back({0, entry.flat, doc.children[i]});
        break;
      case Doc::List:
        if (entry.flat || (doc.solid && !doc.forced)) {
          room -= doc.flatWidth;
          break;
        }
        room -= static_cast<int64_t>(doc.text.size());
        if (doc.hanging || doc.openComment) return room >= 0;
        if (doc.items.size() > 1) --room, first.push_back({0, false, doc.items[0].content, true});
        else first.push_back({0, false, doc.closeText});
        if (!doc.items.empty()) first.push_back({0, false, doc.items[0].content});
        break;
      }
    }
    return false;
  }
  void flatList(const Doc &list, uint32_t indent) {
    stack_.push_back({indent, true, made(list.close)});
    if (list.comma == TrailingComma::Always) stack_.push_back({indent, true, made(",")});
    for (size_t i = list.items.size(); i-- > 0;) {
      stack_.push_back({indent, true, list.items[i].content});
      if (i > 0) stack_.push_back({indent, true, made(", ")});
    }
    stack_.push_back({indent, true, made(list.text)});
  }

  /// Whether the items can stand beside the bracket, one below the other.
  bool alignedFits(const Doc &list, uint32_t indent) const {
    uint32_t column = column_ + static_cast<uint32_t>(list.text.size());
    uint32_t hangingColumn = indent + kIndent;
    bool hangingIsFlat = true, alignedIsFlat = true;
    for (const ListItem &item : list.items) {
      if (column + item.content->leastWidth + 1 > kWidth) return false;
      alignedIsFlat &= column + item.content->flatWidth + 1 <= kWidth;
      hangingIsFlat &= hangingColumn + item.content->flatWidth + 1 <= kWidth;
    }
    return alignedIsFlat || !hangingIsFlat || list.items.size() == 1;
  }

  /// Whether the last item's bracket can carry the break: everything in front of it stays on this line.
  bool canHug(const Doc &list) const {
    if (!list.hugs || list.rows || list.hanging || list.openComment || list.closeComments) return false;
    uint32_t column = column_ + static_cast<uint32_t>(list.text.size());
    for (size_t i = 0; i + 1 < list.items.size(); ++i) {
      if (list.items[i].content->forced) return false;
      column += list.items[i].content->flatWidth + 2;
    }
    return column + std::min(list.items.back().content->leastWidth, list.items.back().content->flatWidth) <= kWidth;
  }

  void brokenList(const Doc &list, uint32_t indent) {
    bool mustHang = list.hanging || list.openComment || list.closeComments;
    bool hug = canHug(list);
    bool hang = mustHang || (!hug && !list.neverHangs && !list.items.empty() && !alignedFits(list, indent));
    put(list.text, indent);
    uint32_t inner = hug ? indent : hang ? indent + kIndent : column_;
    std::vector<Entry> entries;
    if (list.openComment) entries.push_back({inner, false, list.openComment});
    if (hang) entries.push_back({inner, false, hardLine()});
    int slot = -1;
    for (size_t i = 0; i < list.items.size(); ++i) {
      const ListItem &item = list.items[i];
      bool breaks = item.before == Separator::Break || (list.onePerLine && !list.rows && !hug);
      if (i > 0 && breaks) entries.push_back({inner, false, hardLine()});
      else if (i > 0 && hug) entries.push_back({inner, false, blank()});
      else if (i > 0) entries.push_back({inner, false, item.content, true, slot});
      if (item.above) entries.push_back({inner, false, item.above}), entries.push_back({inner, false, hardLine()});
      slot = static_cast<int>(firstLines_.size());
      firstLines_.push_back(0);
      entries.push_back({inner, false, item.content, false, slot});
      bool last = i + 1 == list.items.size();
      bool comma = !last || list.comma == TrailingComma::Always || (hang && list.comma == TrailingComma::WhenHanging);
      if (comma) entries.push_back({inner, false, made(",")});
      if (item.commaComment) entries.push_back({inner, false, item.commaComment});
    }
    if (list.closeComments) entries.push_back({inner, false, list.closeComments});
    if (hang) entries.push_back({indent, false, hardLine()});
    entries.push_back({indent, false, list.closeText});
    for (size_t i = entries.size(); i-- > 0;) stack_.push_back(entries[i]);
  }

  /// The blank in front of an item: a line break if the item does not fit behind what is there, or if the item in
  /// front of it took more than one line.
  void separator(const Entry &entry) {
    TSR_CHECK(!stack_.empty() && stack_.back().doc == entry.doc, "the item stands behind its separator");
    Entry item = stack_.back();
    stack_.pop_back();
    bool broken = entry.slot >= 0 && lines_.size() > firstLines_[static_cast<size_t>(entry.slot)];
    bool here = !broken && current_.comment.empty() && fits({{0, !entry.doc->forced, entry.doc}, {0, true, blank()}});
    stack_.push_back(item);
    if (here) put(" ", entry.indent);
    else newline(entry.indent);
  }
  static DocRef blank() {
    static const Doc doc = [] {
      Doc d{Doc::Text};
      d.text = " ";
      d.flatWidth = 1;
      return d;
    }();
    return &doc;
  }
};

}  // namespace

std::vector<PrintedLine> print(DocRef doc, uint32_t indent) { return Printer(indent).run(doc, indent); }

}  // namespace tessera::frontend::fmt
