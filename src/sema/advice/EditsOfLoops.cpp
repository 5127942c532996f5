// Edits of loops over a tensor: its elements are read by their number, and the loop goes over the numbers.
#include "sema/advice/EditWriter.h"
#include "sema/advice/SmallEdits.h"

namespace tessera::sema {
namespace {

using ast::as;
using diag::Id;

class LoopEdits : public EditWriter {
public:
  using EditWriter::EditWriter;

  std::vector<CandidateGroup> groups() {
    if (diagnostic_.id != Id::notIterable || !place_.function || !place_.names || place_.inKernel) return {};
    auto *loop = as<ast::ForStmt>(place_.statement);
    if (loop && loop->iterable->span == diagnostic_.span) {
      std::vector<const ast::Expr *> read;
      std::vector<const ast::Stmt *> body;
      for (const ast::StmtPtr &stmt : loop->body) body.push_back(stmt.get());
      visitStatements(body, [&](const ast::Stmt &stmt) {
        for (const ast::Expr *e : ast::childrenOf(stmt).exprs) read.push_back(e);
      });
      byNumbers(*loop->target, *loop->iterable, read);
    }
    for (const ast::Expr *e : place_.around)
      if (auto *list = comprehension(e))
        for (const ast::ComprehensionFor &clause : list->clauses)
          if (clause.iterable->span == diagnostic_.span) byNumbers(*clause.target, *clause.iterable, {list->element.get()});
    return taken();
  }

private:
  static const ast::ComprehensionExpr *comprehension(const ast::Expr *e) {
    const bool is = e->kind == ast::ExprKind::ListComp || e->kind == ast::ExprKind::GeneratorComp;
    return is ? static_cast<const ast::ComprehensionExpr *>(e) : nullptr;
  }
  /// A name for a counter that the function does not use.
  std::string counter() const {
    const std::set<std::string> dims = dimensions();
    for (const char *name : {"i", "j", "k", "n"})
      if (!place_.names->count(name) && !dims.count(name)) return name;
    return "";
  }

  /// `for v in x[0]:` and `[f(v) for v in x[0]]`: `range(x.shape[1])`, and `x[0, i]` for `v`.
  void byNumbers(const ast::Expr &target, const ast::Expr &over, const std::vector<const ast::Expr *> &read) {
    auto *name = as<ast::NameExpr>(&target);
    auto *part = as<ast::SubscriptExpr>(&over);
    const ast::Expr &owner = part ? *part->object : over;
    const std::string i = counter();
    if (!name || i.empty() || (owner.kind != ast::ExprKind::Name && owner.kind != ast::ExprKind::Attribute)) return;
    std::string indices;
    for (size_t at = 0; part && at < part->items.size(); ++at) {
      if (part->items[at].value->kind == ast::ExprKind::Slice) return;
      indices += text(part->items[at].span) + ", ";
    }
    const std::string count = std::to_string(part ? part->items.size() : 0);
    std::vector<std::pair<Span, std::string>> parts = {{target.span, i}, {over.span, "range(" + text(owner) + ".shape[" + count + "])"}};
    for (const ast::Expr *e : read)
      visit(*e, [&](const ast::Expr &inner) {
        if (as<ast::NameExpr>(&inner) && text(inner) == name->name) parts.emplace_back(inner.span, text(owner) + "[" + indices + i + "]");
      });
    replaceAll(group(false), parts, "go over the numbers of its elements");
  }
};

}  // namespace

std::vector<CandidateGroup> editsOfLoops(const diag::Diagnostic &diagnostic, const Place &place, const Sources &sources) {
  return LoopEdits(diagnostic, place, sources).groups();
}

}  // namespace tessera::sema
