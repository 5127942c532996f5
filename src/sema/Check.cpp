// The check of a program: what is found, without what follows from something else, and with edits that mend it.
#include "checked/Verify.h"
#include "sema/Advise.h"
#include "sema/Check.h"
#include "sema/advice/Advice.h"
#include "sema/modules/Modules.h"
#include "support/Check.h"
#include <algorithm>

namespace tessera::sema {

/// Whether there is something that edits may mend.
static bool asksForEdits(const diag::Engine &diagnostics) {
  const auto &all = diagnostics.all();
  return diagnostics.hasErrors() || std::any_of(all.begin(), all.end(), [](const diag::Diagnostic &d) { return d.id == diag::Id::reordersAxes || d.id == diag::Id::unreadParameter; });
}

void adviseLater(const ast::Module &module, const Sources &sources, const ModuleLoader &load, diag::Engine &diagnostics,
                 const CheckOptions &options) {
  CheckOptions apart = options;
  apart.library = nullptr;  // another check may have it meanwhile
  if (asksForEdits(diagnostics)) advise(module, sources, load, diagnostics, 0, apart);
}

std::unique_ptr<Program> check(const ast::Module &module, const Sources &sources, const ModuleLoader &load,
                               diag::Engine &diagnostics, const CheckOptions &options) {
  size_t from = diagnostics.all().size();
  bool readable = !diagnostics.hasErrors();
  Context cx(sources, load, diagnostics, options);
  std::unique_ptr<Program> program = checkProgram(cx, module);
  std::string wrong = checked::verify(*program);
  TSR_CHECK(wrong.empty(), wrong);
  dropConsequences(module, sources, diagnostics);
  dropBehindAsserts(module, sources, diagnostics);
  dropCallsOfContradictions(module, diagnostics);
  if (options.advice && readable && asksForEdits(diagnostics)) advise(module, sources, load, diagnostics, from, options);
  return program;
}

}  // namespace tessera::sema
