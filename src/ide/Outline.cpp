// The outline of a file, what can be folded, and what holds a place.
#include "frontend/Walk.h"
#include "ide/Describe.h"
#include "ide/Ide.h"
#include <algorithm>
#include <functional>
#include <utility>

namespace tessera::ide {

using ast::as;

namespace {

OutlineItem itemOf(const Symbol *symbol, const std::string &name, SymbolKind kind, Span whole, Span nameSpan) {
  return {name, "", symbol ? symbol->kind : kind, whole, nameSpan, {}};
}

/// A definition with its decorators.
Span wholeOf(Span span, const std::vector<ast::Decorator> &decorators) { return decorators.empty() ? span : decorators[0].span.to(span); }

class OutlineMaker {
public:
  explicit OutlineMaker(const View &view) : view_(view) {}

  std::vector<OutlineItem> block(const ast::Block &body, bool module) {
    std::vector<OutlineItem> items;
    for (const ast::StmtPtr &stmt : body) statement(*stmt, module, items);
    return items;
  }

private:
  void statement(const ast::Stmt &stmt, bool module, std::vector<OutlineItem> &items) {
    if (auto *def = as<ast::FuncDef>(&stmt)) {
      const Occurrence *at = view_.names.at(def->name.span.begin);
      OutlineItem item = itemOf(at ? &view_.names.symbols()[at->symbol] : nullptr, def->name.text, SymbolKind::Function, wholeOf(def->span, def->decorators), def->name.span);
      std::string signature = signatureText(*def, view_.sources);
      item.detail = signature.substr(std::min(signature.size(), 4 + def->name.text.size()));
      for (const ast::StmtPtr &inner : def->body)
        if (inner->kind == ast::StmtKind::FuncDef) statement(*inner, false, item.children);
      items.push_back(std::move(item));
    } else if (auto *def = as<ast::StructDef>(&stmt)) {
      OutlineItem item = itemOf(nullptr, def->name.text, SymbolKind::Struct, wholeOf(def->span, def->decorators), def->name.span);
      item.children = block(def->body, false);
      for (OutlineItem &part : item.children)
        if (part.kind == SymbolKind::Function) part.kind = SymbolKind::Method;
      items.push_back(std::move(item));
    } else if (auto *def = as<ast::PolicyDef>(&stmt)) {
      items.push_back(itemOf(nullptr, def->name.text, SymbolKind::Policy, def->span, def->name.span));
    } else if (auto *field = as<ast::AnnAssignStmt>(&stmt)) {
      auto *name = as<ast::NameExpr>(field->target);
      if (!name) return;
      items.push_back(itemOf(nullptr, name->name, module ? SymbolKind::Constant : SymbolKind::Field, stmt.span, name->span));
      if (field->annotation) items.back().detail = std::string(view_.text(field->annotation->span));
    } else if (auto *assign = as<ast::AssignStmt>(&stmt); assign && module) {
      for (const ast::ExprPtr &target : assign->targets)
        if (auto *name = as<ast::NameExpr>(target)) {
          items.push_back(itemOf(nullptr, name->name, SymbolKind::Constant, stmt.span, name->span));
          if (const sema::Fact *fact = view_.facts.at(name->span)) items.back().detail = typeText(*fact);
        }
    }
  }
  const View &view_;
};

}  // namespace

std::vector<OutlineItem> outlineOf(const View &view) { return OutlineMaker(view).block(view.module.body, true); }

std::vector<Fold> foldsOf(const View &view) {
  std::vector<Fold> folds;
  auto add = [&](uint32_t begin, uint32_t end) {
    uint32_t first = view.lineOf(begin), last = view.lineOf(end > begin ? end - 1 : end);
    if (last > first) folds.push_back({first, last});
  };
  std::function<void(const ast::Expr &)> inExpr = [&](const ast::Expr &e) {
    bool list = e.kind == ast::ExprKind::List || e.kind == ast::ExprKind::Dict || e.kind == ast::ExprKind::Call || e.kind == ast::ExprKind::String;
    if (list) add(e.span.begin, e.span.end);
    for (const ast::Expr *child : ast::childrenOf(e).exprs) inExpr(*child);
  };
  std::function<void(const ast::Block &)> inBlock = [&](const ast::Block &body) {
    uint32_t imports = 0, lastImport = 0;
    for (const ast::StmtPtr &stmt : body) {
      bool import = stmt->kind == ast::StmtKind::Import || stmt->kind == ast::StmtKind::FromImport;
      if (import && !imports) imports = view.lineOf(stmt->span.begin);
      if (import) lastImport = view.lineOf(stmt->span.end);
      for (const ast::Block *inner : ast::blocksOf(*stmt)) {
        if (inner->empty()) continue;
        // From the line that ends the header (the one before the first statement) to the last one.
        uint32_t first = stmt->span.begin;
        if (inner != ast::blocksOf(*stmt)[0]) first = inner->front()->span.begin;
        if (auto *def = as<ast::FuncDef>(stmt)) first = def->name.span.begin;
        add(first, inner->back()->span.end);
        inBlock(*inner);
      }
      for (const ast::Expr *e : ast::childrenOf(*stmt).exprs) inExpr(*e);
    }
    if (lastImport > imports) folds.push_back({imports, lastImport, false, true});
  };
  inBlock(view.module.body);
  uint32_t first = 0, last = 0;
  auto close = [&] {
    if (last > first) folds.push_back({first, last, true, false});
  };
  for (const ast::Comment &comment : view.module.comments) {
    if (!comment.ownLine) continue;
    uint32_t line = view.lineOf(comment.span.begin);
    if (line != last + 1) close(), first = line;
    last = line;
  }
  close();
  std::sort(folds.begin(), folds.end(), [](const Fold &a, const Fold &b) { return a.firstLine < b.firstLine; });
  return folds;
}

std::vector<Span> enclosing(const View &view, uint32_t offset) {
  std::vector<Span> spans;
  auto holds = [&](Span s) { return s.begin <= offset && offset <= s.end; };
  std::function<void(const ast::Expr &)> inExpr = [&](const ast::Expr &e) {
    if (!holds(e.span)) return;
    spans.push_back(e.span);
    for (const ast::Expr *child : ast::childrenOf(e).exprs) inExpr(*child);
  };
  std::function<void(const ast::Stmt &)> inStmt = [&](const ast::Stmt &s) {
    if (!holds(s.span)) return;
    spans.push_back(s.span);
    ast::Children children = ast::childrenOf(s);
    for (const ast::Expr *e : children.exprs) inExpr(*e);
    for (const ast::Stmt *inner : children.stmts) inStmt(*inner);
  };
  spans.push_back({view.file(), 0, static_cast<uint32_t>(view.text().size())});
  for (const ast::StmtPtr &stmt : view.module.body) inStmt(*stmt);
  if (const Occurrence *at = view.names.at(offset)) spans.push_back(at->place);
  std::sort(spans.begin(), spans.end(), [](Span a, Span b) { return std::pair(a.end - a.begin, a.begin) < std::pair(b.end - b.begin, b.begin); });
  std::vector<Span> nested;  // each holds the one before
  for (Span s : spans)
    if (nested.empty() || (s.begin <= nested.back().begin && nested.back().end <= s.end && !(s == nested.back()))) nested.push_back(s);
  return nested;
}

}  // namespace tessera::ide
