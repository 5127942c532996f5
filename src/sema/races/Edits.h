// Where a line can be put in the text of a program.
#pragma once
#include "frontend/AST.h"
#include "support/Sources.h"

namespace tessera::sema::races {

struct LinePlace {
  Span at;             // empty: the new text goes here
  std::string indent;  // of the line that starts here
};
/// In front of the statement of `function` that holds `inside`; nothing if it has no line of its own to stand on,
/// or lies elsewhere (in a function that is traced into this one).
std::optional<LinePlace> lineBefore(const ast::FuncDef &function, const Sources &sources, Span inside);

/// The whole line of the statement at `inside`, with its line break; nothing if other text stands on it.
std::optional<Span> lineOf(const ast::FuncDef &function, const Sources &sources, Span inside);

}  // namespace tessera::sema::races
