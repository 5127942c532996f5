// Top-level statements that were read in earlier versions of a text. The next version takes over their trees.
#pragma once
#include "frontend/AST.h"
#include "frontend/Relayout.h"
#include "frontend/Token.h"
#include <string>
#include <string_view>
#include <unordered_map>

namespace tessera::frontend {

/// One text in its versions. Trees of the versions share statements, and places are those of the last version: when a version
/// begins, nobody may look at trees of the one before.
class ReadBefore {
public:
  void beginVersion();
  Relayout lines;
  /// Appends the trees of a statement with these tokens, moved to where it stands now. False: it was not read before.
  bool take(std::string_view text, const Tokens &tokens, ast::Block &out);
  /// `out` from `first` on is what was read from these tokens, without a message.
  void keep(std::string_view text, const Tokens &tokens, const ast::Block &out, size_t first);

private:
  struct Entry {
    std::string text;
    Tokens tokens;
    ast::Block trees;
    uint32_t at = 0;       // where the first token stands
    uint64_t version = 0;  // that used it last
  };
  std::unordered_multimap<size_t, Entry> entries_;
  uint64_t version_ = 1;
  bool read_ = false;  // something of this version
};

}  // namespace tessera::frontend
