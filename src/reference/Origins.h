// Where NaN and infinities come from, while a program is interpreted with Options::traceNaN. A value that holds a NaN
// carries the operation that made it, or that made the one which it was computed from. Internal to this room.
#pragma once
#include "checked/Checked.h"
#include "reference/Datum.h"
#include "reference/Region.h"
#include <vector>

namespace tessera::reference {

struct Origin {
  Span span;                            // of the operation; not valid where the function was called with it
  std::string what;                     // "log(-0.25)"
  std::shared_ptr<const Origin> cause;  // of a NaN: what made the infinity that it was computed from
};

/// Follows the evaluation of expressions, each between enter() and leave().
class Origins {
public:
  void enter() { operands_.emplace_back(); }
  /// `value`: what the expression is, null after an error. Rounds it to its dtype, so that what overflows in the emitted
  /// code overflows here, and marks it.
  void leave(const checked::Expr &expr, const Ref &value, const LaneMask &mask);
  /// Memory that the expression reads.
  void reads(const Ref &memory) {
    if (!operands_.empty()) operands_.back().push_back(memory);
  }
  /// What is stored makes memory hold its NaN.
  static void inherit(Datum &to, const Datum &from) {
    if (from.nan && !to.nan) to.nan = from.nan;
    if (from.infinity && !to.infinity) to.infinity = from.infinity;
  }

private:
  std::vector<std::vector<Ref>> operands_;  // of the expressions that are being evaluated
};

/// A NaN of a value, counted in row-major order; nothing where it has none in these lanes.
std::optional<size_t> firstNaN(const Datum &value, const LaneMask &mask);

}  // namespace tessera::reference
