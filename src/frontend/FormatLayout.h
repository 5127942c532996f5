// From the words of a logical line to a document that says where it may be broken.
#pragma once
#include "frontend/FormatDoc.h"
#include "frontend/FormatTokens.h"

namespace tessera::frontend::fmt {

/// The words must have been spaced.
DocRef layout(const LogicalLine &line, Docs &docs);

}  // namespace tessera::frontend::fmt
