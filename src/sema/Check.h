// The checker: syntax trees in, a checked program and messages out. Never stops, never prints, reads no files.
#pragma once
#include "diag/Diagnostic.h"
#include "frontend/AST.h"
#include "sema/Checked.h"
#include "support/Sources.h"
#include <functional>
#include <memory>
#include <string>

namespace tessera::sema {

/// Finds the module that an import names. `level` counts the dots of a relative import, `path` is "a.b".
/// Returns null if there is none (the checker then reports it). The standard library is "tessera.<...>".
/// With `level` kWrittenModule, `path` is the text of a module that the checker has written: the same text is one module.
using ModuleLoader = std::function<const ast::Module *(FileId importer, int level, const std::string &path)>;

inline constexpr int kWrittenModule = -1;

class FactTable;
class CheckedBefore;
class LibraryScopes;

struct CheckOptions {
  bool keepUnsupported = false;  // check what later phases cannot compile yet, without saying so
  bool tests = false;            // functions with `@test` are entry points
  bool advice = true;            // try edits that may mend what is wrong, and offer those that do
  std::function<bool()> hurried;  // asked before each of these trials: true, and no more edits are tried
  size_t mostSteps = 250'000;    // expressions of one entry point, each time that loops and calls meet them
  FactTable *facts = nullptr;     // where what is found out about the module is written down
  CheckedBefore *before = nullptr;  // what checks of earlier versions of the module found (sema/CheckedBefore.h)
  bool remember = true;             // what is found goes to `before`
  LibraryScopes *library = nullptr;  // what an earlier check with these sources made of the library (modules/LibraryScopes.h)
  /// Told where the check of an entry point begins and ends; those that it needs come between.
  std::function<void(const std::string &name, Span nameSpan, bool begins)> onFunction;
};
/// Checks a module and what it imports. The program holds the functions without errors; ask `diagnostics.hasErrors()`.
std::unique_ptr<Program> check(const ast::Module &module, const Sources &sources, const ModuleLoader &load,
                               diag::Engine &diagnostics, const CheckOptions &options = {});

}  // namespace tessera::sema
