// What follows from mistakes of reading text is not said: a program that is only half read is only half known.
#pragma once
#include "diag/Diagnostic.h"
#include "frontend/AST.h"
#include "support/Sources.h"
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace tessera::sema {

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
