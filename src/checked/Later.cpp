#include "checked/Later.h"
#include "checked/Checked.h"
#include <set>

namespace tessera::checked {

static bool refuse(const Function &function, std::set<std::pair<FileId, uint32_t>> &said, diag::Engine &diagnostics) {
  for (const Later &later : function.later) {
    if (!said.insert({later.span.file, later.span.begin}).second) continue;
    diagnostics.report(diag::Id::notSupportedYet, later.span, later.what).label("this is checked, but not compiled yet");
  }
  return function.later.empty();
}

bool refuseLater(const Function &function, diag::Engine &diagnostics) {
  std::set<std::pair<FileId, uint32_t>> said;  // loops and calls may meet a place several times
  return refuse(function, said, diagnostics);
}

bool refuseLater(const Program &program, diag::Engine &diagnostics) {
  std::set<std::pair<FileId, uint32_t>> said;  // a place may stand in several functions
  for (const auto &function : program.functions) refuse(*function, said, diagnostics);
  return said.empty();
}

}  // namespace tessera::checked
