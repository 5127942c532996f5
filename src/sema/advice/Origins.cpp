#include "sema/advice/Origins.h"
#include <algorithm>
#include <set>

namespace tessera::sema {
namespace {

bool isAboutDTypes(diag::Id id) {
  switch (id) {
  case diag::Id::dtypeMismatch:
  case diag::Id::missingAccumulate:
  case diag::Id::badOperand: return true;
  default: return false;
  }
}

Span declarationOf(const std::string &name, const Place &place) {
  if (!place.function) return {};
  for (const ast::Parameter &parameter : place.function->parameters)
    if (parameter.name.text == name) return parameter.span;
  return {};
}

}  // namespace

void noteOrigins(diag::Diagnostic &diagnostic, const Place &place) {
  bool pointsSomewhere = std::any_of(diagnostic.notes.begin(), diagnostic.notes.end(), [](const diag::Note &n) { return n.span.valid(); });
  if (!isAboutDTypes(diagnostic.id) || pointsSomewhere) return;
  std::vector<diag::Note> origins;
  std::set<std::string> told;
  for (const ast::Expr *operand : operandsAt(place)) {
    auto *name = ast::as<ast::NameExpr>(operand);
    if (!name || !told.insert(name->name).second) continue;
    if (const ast::Expr *value = place.valueOf(name->name)) origins.push_back({value->span, "`" + name->name + "` gets its value here"});
    else if (Span declared = declarationOf(name->name, place); declared.valid()) origins.push_back({declared, "`" + name->name + "` is declared here"});
  }
  diagnostic.notes.insert(diagnostic.notes.begin(), origins.begin(), origins.end());
}

}  // namespace tessera::sema
