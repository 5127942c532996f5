// A last sentence for messages that have no edit and say nothing of what to write.
#pragma once
#include "diag/Diagnostic.h"
#include "sema/advice/Place.h"
#include "support/Sources.h"

namespace tessera::sema {

/// Adds what is written instead, by what was expected and what is there: `cast(x, i64)` for an integer, the names that
/// a function has for one that it has not. Messages with an edit or a sentence of their own stay as they are.
void noteRemedy(diag::Diagnostic &diagnostic, const Place &place, const Sources &sources);

}  // namespace tessera::sema
