#include "sema/advice/Excerpt.h"
#include <algorithm>
#include <cctype>
#include <map>

namespace tessera::sema {
namespace {

/// Where a statement begins, and the name that it gives to what can be left out; empty for other statements.
struct Entry {
  uint32_t begin;
  std::string_view name;
};

template <class Node> Entry named(const ast::Stmt &stmt, uint32_t begin) {
  auto &node = static_cast<const Node &>(stmt);
  for (const ast::Decorator &decorator : node.decorators) begin = std::min(begin, decorator.span.begin);
  return {begin, node.name.text};
}

Entry entryOf(const ast::Stmt &stmt) {
  switch (stmt.kind) {
  case ast::StmtKind::FuncDef: return named<ast::FuncDef>(stmt, stmt.span.begin);
  case ast::StmtKind::StructDef: return named<ast::StructDef>(stmt, stmt.span.begin);
  case ast::StmtKind::ClassDef: return named<ast::ClassDef>(stmt, stmt.span.begin);
  default: return {stmt.span.begin, {}};
  }
}

bool inWord(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || static_cast<unsigned char>(c) >= 128;
}

/// Calls `visit` for each word of the text.
template <class Visit> void words(std::string_view text, const Visit &visit) {
  for (size_t i = 0; i < text.size();) {
    size_t from = i;
    while (i < text.size() && inWord(text[i])) ++i;
    if (i > from) visit(text.substr(from, i - from));
    else ++i;
  }
}

}  // namespace

Excerpt::Excerpt(const ast::Module &module, std::string_view text, Span place) : whole_(text) {
  std::vector<Entry> entries;
  std::vector<Piece>
      ranges;  // of the statements, with the comments behind them; the first begins with the file
  for (const ast::StmtPtr &stmt : module.body) {
    Entry entry = entryOf(*stmt);
    size_t line = text.rfind('\n', entry.begin);
    entry.begin = ranges.empty() || line == std::string_view::npos ? 0 : static_cast<uint32_t>(line + 1);
    if (!ranges.empty()) ranges.back().end = entry.begin;
    ranges.push_back({entry.begin, static_cast<uint32_t>(text.size())});
    entries.push_back(entry);
  }
  std::multimap<std::string_view, size_t> byName;
  std::vector<bool> kept(entries.size());
  std::vector<size_t> open;
  auto keep = [&](size_t i) {
    if (!kept[i]) open.push_back(i);
    kept[i] = true;
  };
  bool around = false;
  for (size_t i = 0; i < entries.size(); ++i) {
    bool here = ranges[i].begin <= place.begin && place.begin < ranges[i].end;
    around |= here;
    if (here || entries[i].name.empty()) keep(i);
    else byName.emplace(entries[i].name, i);
  }
  while (around && !open.empty()) {
    Piece piece = ranges[open.back()];
    open.pop_back();
    words(text.substr(piece.begin, piece.size()), [&](std::string_view word) {
      auto [from, to] = byName.equal_range(word);
      for (auto it = from; it != to; ++it) keep(it->second);
    });
  }
  for (size_t i = 0; around && i < ranges.size(); ++i) {
    if (!kept[i]) continue;
    if (!pieces_.empty() && pieces_.back().end == ranges[i].begin) pieces_.back().end = ranges[i].end;
    else pieces_.push_back(ranges[i]);
  }
  if (!around) pieces_ = {{0, static_cast<uint32_t>(text.size())}};
}

std::optional<std::string> Excerpt::text(const diag::Fix *edit) const {
  std::string out;
  bool made = edit == nullptr || edit->span.begin == 0;
  if (edit && edit->span.begin == 0 && edit->span.end == 0)
    out = edit->replacement;  // a line before all others
  for (const Piece &piece : pieces_) {
    bool here = edit && !(edit->span.begin == 0 && edit->span.end == 0) && piece.begin <= edit->span.begin &&
                edit->span.end <= piece.end && (edit->span.begin < piece.end || piece.end == whole_.size());
    made |= here;
    if (!here) out += whole_.substr(piece.begin, piece.size());
    else {
      out += whole_.substr(piece.begin, edit->span.begin - piece.begin);
      out += edit->replacement;
      out += whole_.substr(edit->span.end, piece.end - edit->span.end);
    }
  }
  return made ? std::optional(std::move(out)) : std::nullopt;
}

}  // namespace tessera::sema
