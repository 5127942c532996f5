// Layout of a text that differs little from one before: only the top-level statements around the change are read again.
#pragma once
#include "frontend/Layout.h"
#include <string>

namespace tessera::frontend {

class Relayout {
public:
  /// The same as frontend::layout().
  LaidOut layout(const SourceFile &source, FileId file, diag::Engine &diagnostics);

private:
  struct Change {  // statements of the text before, those around the change included
    size_t first, behind;
    uint32_t begin, end, newEnd;  // where their lines stand in the text before, and their end in the new one
  };
  bool changeOf(std::string_view text, Change &change) const;
  bool around(const SourceFile &source, FileId file, const Change &change, LaidOut &out) const;
  bool sameStatement(const LaidOut &part, size_t unit, uint32_t offset, size_t before, int64_t moved) const;
  std::string text_;  // the last one that could be laid out without a message
  LaidOut out_;
};

}  // namespace tessera::frontend
