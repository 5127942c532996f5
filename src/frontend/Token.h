// A token as the front end handles it: a kind of the grammar and a place. Text is read from the source.
#pragma once
#include <cstdint>
#include <vector>

namespace tessera::frontend {

struct Token {
  uint32_t kind = 0;            // grammar::TesseraLexer's token types
  uint32_t begin = 0, end = 0;  // bytes; NEWLINE, INDENT, DEDENT and inserted tokens are empty
};
using Tokens = std::vector<Token>;

/// The kind of the token behind the last one.
inline constexpr uint32_t kEndOfFile = ~0u;

}  // namespace tessera::frontend
