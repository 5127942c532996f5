// Questions about kinds of tokens that the token passes ask.
#pragma once
#include "frontend/Token.h"
#include "grammar/TesseraLexer.h"
#include <string_view>

namespace tessera::frontend {

using K = grammar::TesseraLexer;

/// The closing bracket for an opening one; 0 for other kinds.
uint32_t closerOf(uint32_t kind);
bool isOpener(uint32_t kind);
bool isCloser(uint32_t kind);
/// `)` for RPAREN, `+` for PLUS, `while` for WHILE, ...; empty where the kind has no fixed text.
std::string_view spelling(uint32_t kind);
/// A keyword that cannot be a name.
bool isKeyword(uint32_t kind);
/// A keyword that only starts a statement: inside brackets it shows that one was not closed.
bool startsStatement(uint32_t kind);
/// A keyword whose statement has a block.
bool startsBlock(uint32_t kind);
/// An operator between two values, or before one.
bool isOperator(uint32_t kind);
/// May a value end with it?
bool endsValue(uint32_t kind);
/// May a value start with it? (`-`, `not` and the like too.)
bool startsValue(uint32_t kind);
/// One of `=`, `+=`, ...
bool isAssignment(uint32_t kind);
/// A name as other languages introduce functions, conditions and types: `function`, `elseif`, `switch`, ...
bool isForeignHeader(std::string_view name);

}  // namespace tessera::frontend
