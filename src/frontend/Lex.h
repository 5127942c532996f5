// Text to raw tokens, through the generated lexer.
#pragma once
#include "frontend/Token.h"
#include <string_view>

namespace tessera::frontend {

/// The tokens of text[begin, end), with NEWLINE for every line break and COMMENT for every comment; no end token.
/// `text` is the whole file, so that places are offsets in the file.
Tokens lex(std::string_view text, uint32_t begin, uint32_t end);

/// The blanks and tabs that a line is indented by. A form feed begins them anew, as in Python.
std::string_view indentationOf(std::string_view text, size_t lineStart);

}  // namespace tessera::frontend
