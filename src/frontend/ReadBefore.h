// Top-level statements that were read in earlier versions of a text. The next version takes over their trees.
#pragma once
#include "frontend/AST.h"
#include "frontend/Relayout.h"
#include "frontend/Token.h"
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace tessera::frontend {

/// One text in its versions. Trees of the versions share statements, and places are those of the last version: when a version
/// begins, nobody may look at trees of the one before.
class ReadBefore {
public:
  void beginVersion();
  const LaidOut &layout(const SourceFile &source, FileId file, diag::Engine &diagnostics);
  /// Appends the trees of a statement of the last layout that stands at `at` and is one of the layout before, moved to here.
  /// False: it may have been read before nevertheless.
  bool take(size_t unit, uint32_t at, ast::Block &out);
  /// Appends the trees of a statement with these tokens, moved to where it stands now. False: it was not read before.
  bool take(size_t unit, std::string_view text, const Tokens &tokens, ast::Block &out);
  /// `out` from `first` on is what was read from these tokens, without a message.
  void keep(size_t unit, std::string_view text, const Tokens &tokens, const ast::Block &out, size_t first);

private:
  struct Entry {
    std::string text;
    Tokens tokens;
    ast::Block trees;
    uint32_t at = 0;       // where the first token stands
    uint64_t version = 0;  // that used it last
  };
  void append(Entry &entry, uint32_t at, ast::Block &out) const;
  Relayout lines_;
  std::unordered_multimap<size_t, Entry> entries_;
  std::vector<Entry *> units_;  // of the last layout without a message; null: not known
  uint64_t version_ = 1, unitsVersion_ = 0;
  bool read_ = false;  // something of this version
};

}  // namespace tessera::frontend
