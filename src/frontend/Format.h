// The formatter: Python's conventions, 4 blanks of indentation, 120 columns. Keeps every comment;
// parse(format(p)) equals parse(p) but for the shorter names of dtypes; formatting twice changes nothing.
//
// Line breaks that an author made behind the commas of a bracket are kept, and so is the choice of the column
// in which items stand (beside the bracket, or on lines of their own below it, then with a trailing comma);
// everything else about blanks and lines is decided here.
#pragma once
#include "frontend/AST.h"
#include "support/Sources.h"
#include <string>

namespace tessera::frontend {

struct FormatOptions {
  bool shortDTypes = true;  // `fp32` in a type becomes `f32`
};
/// The module as formatted text. The module must have parsed without errors.
std::string format(const ast::Module &module, const Sources &sources, FormatOptions options = {});

}  // namespace tessera::frontend
