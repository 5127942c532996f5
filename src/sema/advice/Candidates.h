// Edits that may mend a mistake, by what people forget: found in the tree, not yet tried.
#pragma once
#include "diag/Diagnostic.h"
#include "sema/advice/Place.h"
#include "support/Sources.h"
#include <vector>

namespace tessera::sema {

/// Edits of one kind. Where several of them would do (another axis, the other operand), nothing says
/// which was meant, so one is offered only if it is the only one that does; of other groups, the first that does.
struct CandidateGroup {
  std::vector<diag::Fix> edits;
  bool onlyIfUnique = true;
  bool ofSignature = false;  // what the function declares: its callers must fit, too
  bool assumes = false;      // it fits whatever was meant: offered, and applied by the author alone
  bool last = false;         // only where nothing else is offered
  bool rivals = false;       // what may have been meant as well: with it, no other edit is more than an assumption
};
/// The likeliest group first. Empty: for this kind of mistake nothing is known that mends it.
std::vector<CandidateGroup> candidatesFor(const diag::Diagnostic &diagnostic, const Place &place,
                                          const Sources &sources);

}  // namespace tessera::sema
