#include "frontend/ReadBefore.h"
#include "frontend/Shift.h"
#include <algorithm>
#include <utility>

namespace tessera::frontend {

namespace {
constexpr uint64_t kMostAge = 3;  // versions: a line that was broken may be whole again after the next key

std::string_view textOf(std::string_view text, const Tokens &tokens) {
  uint32_t end = tokens.front().begin;
  for (const Token &token : tokens) end = std::max(end, token.end);
  return text.substr(tokens.front().begin, end - tokens.front().begin);
}
}  // namespace

void ReadBefore::beginVersion() {
  if (!std::exchange(read_, false)) return;  // keys came faster than anybody read: nothing has grown older
  ++version_;
  std::erase_if(entries_, [&](const auto &entry) { return entry.second.version + kMostAge < version_; });
}

const LaidOut &ReadBefore::layout(const SourceFile &source, FileId file, diag::Engine &diagnostics) {
  const LaidOut &out = lines_.layout(source, file, diagnostics);
  if (!lines_.kept()) return out;
  std::vector<Entry *> units(out.units.size());
  for (size_t i = 0; i < units.size() && unitsVersion_ + kMostAge >= version_; ++i)  // older ones may be gone
    if (size_t origin = lines_.origins()[i]; origin < units_.size()) units[i] = units_[origin];
  units_ = std::move(units);
  unitsVersion_ = version_;
  return out;
}

void ReadBefore::append(Entry &entry, uint32_t at, ast::Block &out) const {
  if (entry.at != at)
    for (const ast::StmtPtr &stmt : entry.trees)
      ast::shift(*stmt, static_cast<int64_t>(at) - static_cast<int64_t>(entry.at));
  entry.at = at;
  entry.version = version_;
  out.insert(out.end(), entry.trees.begin(), entry.trees.end());
}

bool ReadBefore::take(size_t unit, uint32_t at, ast::Block &out) {
  read_ = true;
  Entry *entry = lines_.kept() ? units_[unit] : nullptr;
  if (!entry || (entry->version == version_ && entry->at != at)) return false;
  append(*entry, at, out);
  return true;
}

bool ReadBefore::take(size_t unit, std::string_view text, const Tokens &tokens, ast::Block &out) {
  read_ = true;
  std::string_view own = textOf(text, tokens);
  uint32_t at = tokens.front().begin;
  auto same = [&](const Entry &entry) {
    if (entry.text != own || entry.tokens.size() != tokens.size()) return false;
    for (size_t i = 0; i < tokens.size(); ++i) {
      const Token &a = entry.tokens[i], &b = tokens[i];
      if (a.kind != b.kind || a.begin - entry.tokens[0].begin != b.begin - at ||
          a.end - entry.tokens[0].begin != b.end - at)
        return false;
    }
    return true;
  };
  Entry *found = nullptr;
  auto [first, last] = entries_.equal_range(std::hash<std::string_view>()(own));
  for (auto it = first; it != last; ++it) {
    Entry &entry = it->second;
    bool used = entry.version == version_;  // by a tree that somebody looks at
    if (used && entry.at != at) continue;
    if (found && entry.at != at) continue;
    if (same(entry)) found = &entry;
  }
  if (!found) return false;
  append(*found, at, out);
  if (lines_.kept()) units_[unit] = found;
  return true;
}

void ReadBefore::keep(size_t unit, std::string_view text, const Tokens &tokens, const ast::Block &out, size_t first) {
  std::string_view own = textOf(text, tokens);
  Entry entry{std::string(own),
              tokens,
              {out.begin() + static_cast<ptrdiff_t>(first), out.end()},
              tokens.front().begin,
              version_};
  auto made = entries_.emplace(std::hash<std::string_view>()(own), std::move(entry));
  if (lines_.kept()) units_[unit] = &made->second;
}

}  // namespace tessera::frontend
