// The parameters of what a call names, as they are declared.
#pragma once
#include "diag/Diagnostic.h"
#include "sema/advice/Place.h"
#include "support/Sources.h"

namespace tessera::sema {

struct CalleeParameter {
  std::string name;
  bool byName = false;      // it stands behind `*`
  bool hasDefault = false;
};
using Signature = std::vector<CalleeParameter>;

/// Of each function that the call may mean: of the module, or as the notes of the message say or show it. Empty:
/// nothing is known.
std::vector<Signature> signaturesOf(const std::string &callee, const diag::Diagnostic &diagnostic, const Place &place,
                                    const Sources &sources);

}  // namespace tessera::sema
