// Fixes for mistakes of meaning. The checker knows what is wrong; what was forgotten (a transpose, `keepdim=True`, an
// axis, an accumulate type) is found by trying: the edits that people would make are made in memory, the module is
// checked again, and an edit is offered only if the message is gone then and no other has come.
#pragma once
#include "diag/Diagnostic.h"
#include "frontend/AST.h"
#include "sema/Check.h"
#include "support/Sources.h"
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace tessera::sema {

/// Adds fixes, and notes about the origin of operands, to the messages behind the first `from` ones that are about
/// `module`. The work is bounded by the size of the module: large ones get fewer trials.
void advise(const ast::Module &module, const Sources &sources, const ModuleLoader &load,
            diag::Engine &diagnostics, size_t from, const CheckOptions &options);

// ---- What follows from mistakes of reading text is not said: a program that is only half read is only half known.
/// The statements at module level that hold a mistake of reading text, as ranges of the text up to the next statement.
class BrokenStatements {
public:
  BrokenStatements(const ast::Module &module, const Sources &sources, const std::vector<diag::Diagnostic> &all);
  bool holds(uint32_t offset) const { return broken_.count(indexOf(offset)) != 0; }
  /// Whether the word occurs in one of them.
  bool mention(std::string_view name) const;

private:
  size_t indexOf(uint32_t offset) const;  // 0: in front of the first statement
  const std::string &text_;
  std::vector<uint32_t> starts_;
  std::set<size_t> broken_;
};

/// Forgets messages about meaning that stand in the same function (or other statement at module level) as a mistake of
/// reading text, and those about names that are unknown but occur in such a statement. Of an imported file that could
/// not be read right, no message about meaning is left, nor what the importing program says about its names.
void dropConsequences(const ast::Module &module, const Sources &sources, diag::Engine &diagnostics);

/// Forgets claims about shapes of functions that mention what an `assert` of the module says and that does not hold.
void dropBehindAsserts(const ast::Module &module, const Sources &sources, diag::Engine &diagnostics);

/// Forgets what is said at calls of a function because it returns what it does not declare: that is said in it.
void dropCallsOfContradictions(const ast::Module &module, diag::Engine &diagnostics);

}  // namespace tessera::sema
