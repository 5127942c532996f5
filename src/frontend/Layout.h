// The token pass between the lexer and the parser: logical lines, indentation, brackets, comments, contextual keywords.
// Valid programs pass it in silence. What it mends in others it says once, and hands on tokens that nest.
#pragma once
#include "diag/Diagnostic.h"
#include "frontend/AST.h"
#include "frontend/Token.h"
#include "support/Sources.h"
#include <string_view>
#include <vector>

namespace tessera::frontend {

/// Brackets and blocks may nest this deep, and an expression may chain this many operators, calls and attributes.
/// Every later phase walks trees by recursion, so these bound its stack.
inline constexpr size_t kMaxBrackets = 200;
inline constexpr size_t kMaxBlocks = 100;
inline constexpr size_t kMaxChain = 1000;
/// After so many messages about lines, blocks and brackets the rest of a file is not looked at.
inline constexpr size_t kMaxLayoutMessages = 100;

struct LaidOut {
  Tokens tokens;                     // balanced; no COMMENT, no end token
  std::vector<size_t> units;         // the index of the first token of each top-level statement
  std::vector<ast::Comment> comments;
  std::vector<uint32_t> reported;    // where logical lines begin for which a message was given; in order
};

LaidOut layout(const SourceFile &source, FileId file, diag::Engine &diagnostics);

/// The tokens of an expression inside a string, ending with kEndOfFile; false when a message was given.
bool layoutExpression(std::string_view text, FileId file, uint32_t begin, uint32_t end, diag::Engine &diagnostics,
                      Tokens &out);

}  // namespace tessera::frontend
