// Definitions, references, renaming.
#include "frontend/Kinds.h"
#include "frontend/Lex.h"
#include "frontend/Walk.h"
#include "ide/Ide.h"
#include <algorithm>

namespace tessera::ide {

using ast::as;

std::vector<Span> definitionsAt(const View &view, uint32_t offset) {
  if (const Occurrence *at = view.names.at(offset)) {
    const Symbol &symbol = view.names.symbols()[at->symbol];
    if (symbol.kind != SymbolKind::Import) {
      std::vector<Span> all;
      for (const Occurrence &o : view.names.of(at->symbol))
        if (o.use == UseKind::Definition) all.push_back(o.place);
      return all;
    }
    const sema::Fact *fact = view.facts.at(at->place);  // through the import, to what it names
    if (!fact) fact = view.facts.at(symbol.definition);
    if (fact && fact->definition.valid()) return {fact->definition};
    if (fact && fact->module) return {{fact->module->file, 0, 0}};
    return {symbol.definition};
  }
  const sema::Fact *fact = factAt(view, offset);
  if (!fact) return {};
  bool callable = fact->kind == sema::ValueKind::Function || fact->kind == sema::ValueKind::Overloads ||
                  fact->kind == sema::ValueKind::Method || fact->kind == sema::ValueKind::StructType;
  if (callable && fact->definition.valid()) return {fact->definition};
  if (fact->module) return {{fact->module->file, 0, 0}};
  return {};
}

std::vector<Occurrence> referencesAt(const View &view, uint32_t offset) {
  const Occurrence *at = view.names.at(offset);
  return at ? view.names.of(at->symbol) : std::vector<Occurrence>{};
}

namespace {
/// Why this cannot be a name; empty: it can.
std::string whyNoName(const std::string &name) {
  auto tokens = frontend::lex(name, 0, static_cast<uint32_t>(name.size()));
  bool one = tokens.size() == 1 && tokens[0].begin == 0 && tokens[0].end == name.size();
  if (!one || (tokens[0].kind != frontend::K::NAME && !frontend::isKeyword(tokens[0].kind))) return "`" + name + "` is no name";
  if (frontend::isKeyword(tokens[0].kind)) return "`" + name + "` is a keyword";
  if (dtypeByName(name)) return "`" + name + "` is the name of a dtype";
  return "";
}
}  // namespace

Rename renameAt(const View &view, uint32_t offset, const std::string &to) {
  Rename rename;
  const Occurrence *at = view.names.at(offset);
  if (!at) {
    rename.problem = "there is no name of this file here";
    return rename;
  }
  const Symbol &symbol = view.names.symbols()[at->symbol];
  rename.place = at->place;
  rename.current = symbol.name;
  for (const Occurrence &o : view.names.of(at->symbol))
    if (view.text(o.place) == symbol.name) rename.places.push_back(o.place);
  if (symbol.kind == SymbolKind::Import) {
    // `from m import name` would ask the module for another name.
    bool aliased = symbol.definition.begin > 3 && view.text().compare(symbol.definition.begin - 3, 3, "as ") == 0;
    if (!aliased) rename.problem = "`" + symbol.name + "` is named by another file; rename it there, or import it `as` another name";
  }
  if (to.empty() || !rename.problem.empty()) return rename;
  rename.problem = whyNoName(to);
  if (!rename.problem.empty() || to == symbol.name) return rename;
  auto clashes = [&](uint32_t place) {
    for (uint32_t other : view.names.visibleAt(place))
      if (other != at->symbol && view.names.symbols()[other].name == to) return true;
    return false;
  };
  bool member = symbol.kind == SymbolKind::Field || symbol.kind == SymbolKind::Method;
  if (member && view.names.member(symbol.structure, to)) rename.problem = "the struct has a `" + to + "` already";
  for (const Span &place : rename.places)
    if (!member && clashes(place.begin)) rename.problem = "`" + to + "` means something else here";
  return rename;
}

}  // namespace tessera::ide
