// Notes that say where the operands of a mistake get their types.
#pragma once
#include "diag/Diagnostic.h"
#include "sema/advice/Place.h"
#include "support/Sources.h"

namespace tessera::sema {

/// Adds a note for each operand that is a name: the parameter's declaration, or where the name was bound last. Only to
/// messages about dtypes that point at no other place yet; those about shapes say where the dimensions come from.
void noteOrigins(diag::Diagnostic &diagnostic, const Place &place, const Sources &sources);

}  // namespace tessera::sema
