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
/// Collects what importedUses() is asked for.
class ImportedUses {
public:
  ImportedUses(const View &view, const IsModule &isThat, const std::string &name) : view_(view), isThat_(isThat), name_(name) {}

  std::vector<Span> take() {
    for (const ast::StmtPtr &stmt : view_.module.body) imports(*stmt);
    for (const ast::StmtPtr &stmt : view_.module.body) members(*stmt);
    auto order = [](Span a, Span b) { return a.begin < b.begin; };
    std::sort(places_.begin(), places_.end(), order);
    places_.erase(std::unique(places_.begin(), places_.end()), places_.end());
    return std::move(places_);
  }

private:
  void imports(const ast::Stmt &stmt) {
    auto *from = as<ast::FromImportStmt>(&stmt);
    std::string path;
    for (size_t i = 0; from && i < from->module.size(); ++i) path += (i ? "." : "") + from->module[i].text;
    for (size_t i = 0; from && i < from->items.size(); ++i) {
      const ast::ImportItem &item = from->items[i];
      if (item.path.empty()) continue;
      const std::string &imported = item.path[0].text;
      const Occurrence *bound = view_.names.at((item.alias ? *item.alias : item.path[0]).span.begin);
      if (imported == name_ && isThat_(from->level, path)) {
        places_.push_back(item.path[0].span);
        if (bound && !item.alias)
          for (const Occurrence &o : view_.names.of(bound->symbol)) places_.push_back(o.place);
      }
      if (bound && isThat_(from->level, path.empty() ? imported : path + "." + imported)) modules_.push_back(bound->symbol);
    }
    for (const ast::Block *inner : ast::blocksOf(stmt))
      for (const ast::StmtPtr &s : *inner) imports(*s);
  }
  void members(const ast::Expr &expr) {
    if (auto *member = as<ast::AttributeExpr>(&expr); member && member->attribute.text == name_) {
      const Occurrence *object = member->object->kind == ast::ExprKind::Name ? view_.names.at(member->object->span.begin) : nullptr;
      if (object && std::find(modules_.begin(), modules_.end(), object->symbol) != modules_.end()) places_.push_back(member->attribute.span);
    }
    for (const ast::Expr *child : ast::childrenOf(expr).exprs) members(*child);
  }
  void members(const ast::Stmt &stmt) {
    ast::Children children = ast::childrenOf(stmt);
    for (const ast::Expr *expr : children.exprs) members(*expr);
    for (const ast::Stmt *inner : children.stmts) members(*inner);
  }

  const View &view_;
  const IsModule &isThat_;
  const std::string &name_;
  std::vector<Span> places_;
  std::vector<uint32_t> modules_;
};
}  // namespace

std::vector<Span> importedUses(const View &view, const IsModule &isThat, const std::string &name) {
  return ImportedUses(view, isThat, name).take();
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
