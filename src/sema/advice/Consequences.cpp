#include "frontend/Walk.h"
#include "sema/advice/Advice.h"
#include <algorithm>
#include <cctype>

namespace tessera::sema {
namespace {

bool isAboutText(const diag::Diagnostic &d) { return diag::row(d.id).code.substr(0, 3) == "E01"; }

bool isAboutLayout(diag::Id id) {
  bool ofLines = diag::row(id).code.substr(0, 4) == "E011";  // lines, blocks, brackets
  return ofLines || id == diag::Id::orphanClause || id == diag::Id::lonelyDecorator ||
         id == diag::Id::misplacedStatement || id == diag::Id::lonelyTry || id == diag::Id::missingName;
}

bool hasWord(std::string_view text, std::string_view word) {
  auto inWord = [&](size_t i) {
    return i < text.size() && (std::isalnum(static_cast<unsigned char>(text[i])) || text[i] == '_');
  };
  for (size_t at = text.find(word); at != std::string_view::npos; at = text.find(word, at + 1))
    if (!(at > 0 && inWord(at - 1)) && !inWord(at + word.size())) return true;
  return false;
}

/// The line of a place, without the blanks in front.
std::string_view lineOf(std::string_view text, uint32_t offset) {
  size_t begin = offset == 0 ? std::string_view::npos : text.rfind('\n', offset - 1);
  begin = begin == std::string_view::npos ? 0 : begin + 1;
  begin = std::min(text.find_first_not_of(" \t", begin), text.size());
  return text.substr(begin, text.find('\n', begin) - begin);
}

}  // namespace

BrokenStatements::BrokenStatements(const ast::Module &module, const Sources &sources,
                                   const std::vector<diag::Diagnostic> &all)
    : text_(sources.file(module.file).text) {
  for (const ast::StmtPtr &stmt : module.body) starts_.push_back(stmt->span.begin);
  bool any = false;
  for (const diag::Diagnostic &d : all) {
    if (!isAboutText(d) || d.span.file != module.file) continue;
    any = true;
    size_t index = indexOf(d.span.begin);
    broken_.insert(index);
    bool decorator = lineOf(text_, d.span.begin).substr(0, 1) == "@";
    if (!isAboutLayout(d.id) && !decorator) continue;
    if (index > 0) broken_.insert(index - 1);  // where lines belong is unclear: a neighbour may be a part
    if (index < starts_.size()) broken_.insert(index + 1);
  }
  for (size_t i = 0; any && i < starts_.size(); ++i)  // what is indented here had a header that was not read
    if (sources.file(module.file).lineColumn(starts_[i]).column > 1) broken_.insert(i + 1);
}

bool BrokenStatements::mention(std::string_view name) const {
  return std::any_of(broken_.begin(), broken_.end(), [&](size_t index) {
    size_t begin = index == 0 ? 0 : starts_[std::min(index, starts_.size()) - 1],
           end = index < starts_.size() ? starts_[index] : text_.size();
    return hasWord(std::string_view(text_).substr(begin, end - begin), name);
  });
}

size_t BrokenStatements::indexOf(uint32_t offset) const {
  return static_cast<size_t>(std::upper_bound(starts_.begin(), starts_.end(), offset) - starts_.begin());
}

namespace {
void collectFunctions(const ast::Stmt &stmt, std::vector<const ast::FuncDef *> &found) {
  if (auto *def = ast::as<ast::FuncDef>(&stmt)) found.push_back(def);
  for (const ast::Stmt *inner : ast::childrenOf(stmt).stmts) collectFunctions(*inner, found);
}
void namesIn(const ast::Expr &e, std::set<std::string> &names) {
  if (auto *name = ast::as<ast::NameExpr>(&e)) names.insert(name->name);
  for (const ast::Expr *child : ast::childrenOf(e).exprs) namesIn(*child, names);
}
bool within(Span inner, Span outer) {
  return inner.valid() && inner.file == outer.file && outer.begin <= inner.begin && inner.end <= outer.end;
}
}  // namespace

void dropBehindAsserts(const ast::Module &module, const Sources &sources, diag::Engine &diagnostics) {
  std::set<std::string> names;
  for (const ast::StmtPtr &stmt : module.body) {
    auto *assertion = ast::as<ast::AssertStmt>(stmt);
    bool failed = assertion && std::any_of(diagnostics.all().begin(), diagnostics.all().end(), [&](const diag::Diagnostic &d) {
      return d.id == diag::Id::factRefuted && within(d.span, assertion->span);
    });
    if (failed) namesIn(*assertion->condition, names);
  }
  if (names.empty()) return;
  std::vector<diag::Diagnostic> all = diagnostics.all();
  std::erase_if(all, [&](const diag::Diagnostic &d) {
    if (d.id == diag::Id::factRefuted || !d.span.valid() || d.span.file != module.file) return false;
    if (diag::row(d.id).code.substr(0, 3) != "E04") return false;
    for (const ast::StmtPtr &stmt : module.body)
      if (within(d.span, stmt->span))
        return std::any_of(names.begin(), names.end(), [&](const std::string &name) { return hasWord(sources.text(stmt->span), name); });
    return false;
  });
  diagnostics.replace(std::move(all));
}

/// What a function returns is of another shape or dtype than it declares; so is then what its callers get.
static bool isAboutResults(diag::Id id) {
  using diag::Id;
  return id == Id::wrongResult || id == Id::narrowing || id == Id::dtypeMismatch || id == Id::wrongArgument || id == Id::rankMismatch;
}

void dropCallsOfContradictions(const ast::Module &module, diag::Engine &diagnostics) {
  auto ofResult = [](const diag::Diagnostic &d) { return isAboutResults(d.id) && d.severity == diag::Severity::Error && d.span.valid(); };
  const auto &said = diagnostics.all();
  if (said.size() < 2 || std::none_of(said.begin(), said.end(), ofResult)) return;
  std::vector<const ast::FuncDef *> functions;
  for (const ast::StmtPtr &stmt : module.body) collectFunctions(*stmt, functions);
  std::erase_if(functions, [&](const ast::FuncDef *def) {
    return !def->result || std::none_of(said.begin(), said.end(), [&](const diag::Diagnostic &d) { return ofResult(d) && within(d.span, def->span); });
  });
  std::vector<diag::Diagnostic> all = said;
  std::erase_if(all, [&](const diag::Diagnostic &d) {
    return (d.id == diag::Id::shapeMismatch || isAboutResults(d.id)) && std::any_of(functions.begin(), functions.end(), [&](const ast::FuncDef *def) {
             return !within(d.span, def->span) && std::any_of(d.notes.begin(), d.notes.end(), [&](const diag::Note &note) {
                      return within(note.span, def->result->span);
                    });
           });
  });
  diagnostics.replace(std::move(all));
}

void dropConsequences(const ast::Module &module, const Sources &sources, diag::Engine &diagnostics) {
  std::set<FileId> unread;
  for (const diag::Diagnostic &d : diagnostics.all())
    if (isAboutText(d)) unread.insert(d.span.file);
  if (unread.empty()) return;
  std::vector<diag::Diagnostic> all = diagnostics.all();
  BrokenStatements broken(module, sources, all);
  bool ofImports = unread.size() > 1 || !unread.count(module.file);
  std::erase_if(all, [&](const diag::Diagnostic &d) {
    if (isAboutText(d) || !d.span.valid()) return false;
    if (d.span.file != module.file) return unread.count(d.span.file) != 0;
    if (broken.holds(d.span.begin) || (ofImports && d.id == diag::Id::unknownImport)) return true;
    bool aboutName = d.id == diag::Id::undefinedName || d.id == diag::Id::maybeUnassigned;
    return aboutName && broken.mention(sources.text(d.span));
  });
  diagnostics.replace(std::move(all));
}

}  // namespace tessera::sema
