// Relations between the two sides of a requirement.
#pragma once
#include "ir/common/Common.h"
#include "support/Check.h"

namespace tessera::ir {

/// As C writes it.
inline llvm::StringRef relationText(Relation relation) {
  switch (relation) {
  case Relation::Eq: return "==";
  case Relation::Ne: return "!=";
  case Relation::Lt: return "<";
  case Relation::Le: return "<=";
  case Relation::Gt: return ">";
  case Relation::Ge: return ">=";
  }
  TSR_UNREACHABLE("a relation that has no text");
}

/// The one that holds where this one does not.
inline Relation contraryOf(Relation relation) {
  switch (relation) {
  case Relation::Eq: return Relation::Ne;
  case Relation::Ne: return Relation::Eq;
  case Relation::Lt: return Relation::Ge;
  case Relation::Le: return Relation::Gt;
  case Relation::Gt: return Relation::Le;
  case Relation::Ge: return Relation::Lt;
  }
  TSR_UNREACHABLE("a relation that has no contrary");
}

}  // namespace tessera::ir
