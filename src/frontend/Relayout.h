// Layout of a text that differs little from one before: only the top-level statements around the change are read again.
#pragma once
#include "frontend/Layout.h"
#include <string>

namespace tessera::frontend {

class Relayout {
public:
  static constexpr size_t kNew = ~size_t{0};
  /// The same as frontend::layout(), until the next one.
  const LaidOut &layout(const SourceFile &source, FileId file, diag::Engine &diagnostics);
  /// Whether the last text could be laid out without a message. Then, for each statement of it, which one of the text before that
  /// was laid out so it is, moved, or kNew.
  bool kept() const { return kept_; }
  const std::vector<size_t> &origins() const { return origins_; }

private:
  struct Change {  // statements of the text before, those around the change included
    size_t first, behind;
    uint32_t begin, end, newEnd;  // where their lines stand in the text before, and their end in the new one
  };
  bool changeOf(std::string_view text, Change &change) const;
  bool around(const SourceFile &source, FileId file, const Change &change, LaidOut &out);
  bool sameStatement(const LaidOut &part, size_t unit, uint32_t offset, size_t before, int64_t moved) const;
  std::string text_;  // the last one that could be laid out without a message
  LaidOut out_, broken_;
  std::vector<size_t> origins_;
  bool kept_ = false;
};

}  // namespace tessera::frontend
