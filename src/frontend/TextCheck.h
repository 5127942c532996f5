// Is this a text that can be read at all? Size, NUL bytes, UTF-8, line ends.
#pragma once
#include "diag/Diagnostic.h"
#include "support/Sources.h"

namespace tessera::frontend {

/// The largest file that is read, in bytes.
inline constexpr uint32_t kMaxFileBytes = 4u << 20;

/// False, with one message, when the file is not a text to parse.
bool checkText(const SourceFile &source, FileId file, diag::Engine &diagnostics);

/// The number of bytes of the UTF-8 sequence at `offset`; 0 when it is none.
uint32_t utf8Length(std::string_view text, uint32_t offset);

}  // namespace tessera::frontend
