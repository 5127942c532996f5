#include "sema/races/Edits.h"
#include "frontend/Walk.h"

namespace tessera::sema::races {
namespace {

using ast::as;

bool holds(Span outer, Span inner) {
  return outer.file == inner.file && outer.begin <= inner.begin && inner.begin < outer.end;
}

/// The statements around a place, outermost first.
void statementsAround(const ast::Block &block, Span inside, std::vector<const ast::Stmt *> &chain) {
  for (const ast::StmtPtr &stmt : block) {
    if (!holds(stmt->span, inside)) continue;
    chain.push_back(stmt.get());
    for (const ast::Block *inner : ast::blocksOf(*stmt)) statementsAround(*inner, inside, chain);
    return;
  }
}

}  // namespace

std::optional<LinePlace> lineBefore(const ast::FuncDef &function, const Sources &sources, Span inside) {
  std::vector<const ast::Stmt *> chain;
  statementsAround(function.body, inside, chain);
  for (; !chain.empty(); chain.pop_back()) {
    const ast::Stmt &stmt = *chain.back();
    if (auto *condition = as<ast::IfStmt>(&stmt); condition && condition->isElif) continue;
    const SourceFile &file = sources.file(stmt.span.file);
    uint32_t start = file.lineStart(file.lineColumn(stmt.span.begin).line);
    std::string before = file.text.substr(start, stmt.span.begin - start);
    if (before.find_first_not_of(" \t") != std::string::npos) continue;  // shares its line
    return LinePlace{{stmt.span.file, stmt.span.begin, stmt.span.begin}, before};
  }
  return std::nullopt;
}

std::optional<Span> lineOf(const ast::FuncDef &function, const Sources &sources, Span inside) {
  auto place = lineBefore(function, sources, inside);
  if (!place || place->at.begin != inside.begin) return std::nullopt;
  const std::string &text = sources.file(inside.file).text;
  size_t end = text.find('\n', inside.end);
  if (end == std::string::npos || text.find_first_not_of(" \t", inside.end) != end) return std::nullopt;
  return Span{inside.file, inside.begin - static_cast<uint32_t>(place->indent.size()), static_cast<uint32_t>(end + 1)};
}

}  // namespace tessera::sema::races
