// A part of a module that is checked in place of the whole: one function, and what it mentions.
#pragma once
#include "diag/Diagnostic.h"
#include "frontend/AST.h"
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tessera::sema {

class Excerpt {
public:
  /// The whole.
  explicit Excerpt(std::string_view text) : whole_(text), pieces_{{0, static_cast<uint32_t>(text.size())}} {}
  /// The statement at module level around the place, all statements that define no function or struct, and, of those,
  /// what they mention, directly or not. The whole text where the place is in no statement.
  Excerpt(const ast::Module &module, std::string_view text, Span place);
  /// The text, with an edit of the whole text in it; nothing if that edit lies elsewhere.
  std::optional<std::string> text(const diag::Fix *edit = nullptr) const;
  bool isWhole() const { return pieces_.size() == 1 && pieces_[0].size() == whole_.size(); }

private:
  struct Piece {
    uint32_t begin, end;
    size_t size() const { return end - begin; }
  };
  std::string_view whole_;
  std::vector<Piece> pieces_;  // in the order of the text
};

}  // namespace tessera::sema
