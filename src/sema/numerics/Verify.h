// `@verify.numerics(bounded=...)`: three verdicts on the claim that nothing overflows, divides by zero or
// makes a NaN for inputs in the given ranges: proved; refuted, with inputs that show it; undecided, with what
// is missing.
#pragma once
#include "diag/Diagnostic.h"
#include "sema/numerics/Analysis.h"

namespace tessera::sema::numerics {

enum class Verdict : uint8_t { Proved, Refuted, Undecided };
/// What a parameter holds: `high` in a share of each row (rounded to whole elements), else `low`.
struct Fill {
  double low = 0, high = 0;
  double share = 1;
};
/// Inputs for which the finding happens.
struct Witness {
  std::map<std::string, Fill> parameters;
  std::map<std::string, double> sizes;  // by dimension
  std::string text;                     // "`x` = 300 everywhere, N = 8"
};
struct Decision {
  Verdict verdict = Verdict::Proved;
  Finding finding;      // not Proved
  Witness witness;      // Refuted
  std::string fact;     // the fact about sizes under which the claim holds, if one is missing: "N <= 4096"
  std::optional<double> share;  // the claim holds for ranges this many times as wide
};
/// The ranges of the parameters that a claim speaks of, as they stand in memory.
Inputs inputsOf(const Function &function);
Decision decide(const Function &function);
/// Says so if the claim of the function is refuted or undecided.
void verify(const Function &function, diag::Engine &diagnostics);

}  // namespace tessera::sema::numerics
