// What to write where shapes do not fit and no edit is sure to mend it.
#pragma once
#include "diag/Diagnostic.h"
#include "sema/advice/Place.h"
#include "support/Sources.h"

namespace tessera::sema {

/// A sentence about the operand, the axis and the extent that is wanted, and what makes it; empty if the message is not about
/// shapes.
std::string wordsOfShapes(const diag::Diagnostic &diagnostic, const Place &place, const Sources &sources);

}  // namespace tessera::sema
