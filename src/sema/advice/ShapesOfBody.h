// What shapes a function has with an edit, by algebra alone: many hundreds of edits are looked at in the time that a few are
// tried in.
#pragma once
#include "diag/Diagnostic.h"
#include "sema/advice/Place.h"
#include "support/Sources.h"
#include <string>
#include <vector>

namespace tessera::sema {

/// Whether the shapes of a function fit together, and what it returns is what it declares.
enum class Fit {
  Unknown,  // something has no shape that algebra tells
  Fails,    // two shapes are certainly different
  Fits,     // every shape is known, and none is in the way
};

class ShapesOfBody {
public:
  ShapesOfBody(const Place &place, const Sources &sources);
  /// Of the function around the place, with this edit.
  Fit with(const diag::Fix &fix) const;
  /// ... as it stands.
  Fit asItStands() const;

private:
  std::string edited(Span whole, const diag::Fix &fix) const;
  const Place &place_;
  const Sources &sources_;
  std::vector<const ast::Stmt *> simple_;  // that hold no others
};

}  // namespace tessera::sema
