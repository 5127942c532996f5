#include "frontend/ReadBefore.h"
#include "frontend/Shift.h"
#include <algorithm>
#include <utility>

namespace tessera::frontend {

namespace {
std::string_view textOf(std::string_view text, const Tokens &tokens) {
  uint32_t end = tokens.front().begin;
  for (const Token &token : tokens) end = std::max(end, token.end);
  return text.substr(tokens.front().begin, end - tokens.front().begin);
}
}  // namespace

void ReadBefore::beginVersion() {
  if (!std::exchange(read_, false)) return;  // keys came faster than anybody read: nothing has grown older
  ++version_;
  constexpr uint64_t kMostAge = 3;  // a line that was broken may be whole again after the next key
  std::erase_if(entries_, [&](const auto &entry) { return entry.second.version + kMostAge < version_; });
}

bool ReadBefore::take(std::string_view text, const Tokens &tokens, ast::Block &out) {
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
  if (found->at != at)
    for (const ast::StmtPtr &stmt : found->trees)
      ast::shift(*stmt, static_cast<int64_t>(at) - static_cast<int64_t>(found->at));
  found->at = at;
  found->version = version_;
  out.insert(out.end(), found->trees.begin(), found->trees.end());
  return true;
}

void ReadBefore::keep(std::string_view text, const Tokens &tokens, const ast::Block &out, size_t first) {
  std::string_view own = textOf(text, tokens);
  Entry entry{std::string(own),
              tokens,
              {out.begin() + static_cast<ptrdiff_t>(first), out.end()},
              tokens.front().begin,
              version_};
  entries_.emplace(std::hash<std::string_view>()(own), std::move(entry));
}

}  // namespace tessera::frontend
