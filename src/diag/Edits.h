// Fixes as edits of a text: applying them, describing them, and showing what changed.
#pragma once
#include "diag/Diagnostic.h"
#include "support/Sources.h"
#include <string>
#include <string_view>
#include <vector>

namespace tessera::diag {

/// The fix of a diagnostic that may be applied: the first that is certain, or, if `suggestions`, the first that does not
/// narrow the program.
const Fix *fixOf(const Diagnostic &diagnostic, bool suggestions);
/// The fix that is shown first, of whatever kind.
const Fix *shownFix(const Diagnostic &diagnostic);

/// Text with those of the fixes applied that do not touch an earlier one (by place; equal edits count once).
struct Edited {
  std::string text;
  std::vector<const Fix *> applied;  // in the order of the text
};
Edited applyFixes(std::string_view text, std::vector<const Fix *> fixes);

/// "insert `:`", "delete `;`", "replace `x` by `y`". Line breaks are shown as `\n`.
std::string editText(const Fix &fix, const Sources &sources);

/// A unified diff with three lines of context; empty if the texts are equal.
std::string unifiedDiff(const std::string &path, std::string_view before, std::string_view after);

}  // namespace tessera::diag
