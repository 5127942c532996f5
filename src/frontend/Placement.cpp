#include "frontend/Placement.h"

namespace tessera::frontend {
namespace {

using ast::as;
using K = ast::StmtKind;

class Placement {
public:
  explicit Placement(diag::Engine &diagnostics) : diagnostics_(diagnostics) {}

  void block(const ast::Block &block, bool inLoop, bool inFunction) {
    for (const ast::StmtPtr &stmt : block) statement(*stmt, inLoop, inFunction);
  }

private:
  void misplaced(const ast::Stmt &stmt, const char *word, const char *where) {
    diagnostics_.report(diag::Id::misplacedStatement, stmt.span, word, where);
  }

  void statement(const ast::Stmt &stmt, bool inLoop, bool inFunction) {
    switch (stmt.kind) {
    case K::Break:
      if (!inLoop) misplaced(stmt, "break", "loop");
      return;
    case K::Continue:
      if (!inLoop) misplaced(stmt, "continue", "loop");
      return;
    case K::Return:
      if (!inFunction) misplaced(stmt, "return", "function");
      return;
    case K::FuncDef: return block(static_cast<const ast::FuncDef &>(stmt).body, false, true);
    case K::StructDef: return block(static_cast<const ast::StructDef &>(stmt).body, false, false);
    case K::ClassDef: return block(static_cast<const ast::ClassDef &>(stmt).body, false, false);
    case K::If: {
      auto &choice = static_cast<const ast::IfStmt &>(stmt);
      block(choice.then, inLoop, inFunction);
      return block(choice.otherwise, inLoop, inFunction);
    }
    case K::While: {
      auto &loop = static_cast<const ast::WhileStmt &>(stmt);
      block(loop.body, true, inFunction);
      return block(loop.otherwise, inLoop, inFunction);
    }
    case K::For: {
      auto &loop = static_cast<const ast::ForStmt &>(stmt);
      block(loop.body, true, inFunction);
      return block(loop.otherwise, inLoop, inFunction);
    }
    case K::With: return block(static_cast<const ast::WithStmt &>(stmt).body, inLoop, inFunction);
    case K::Try: {
      auto &attempt = static_cast<const ast::TryStmt &>(stmt);
      block(attempt.body, inLoop, inFunction);
      for (const ast::ExceptClause &handler : attempt.handlers) block(handler.body, inLoop, inFunction);
      block(attempt.otherwise, inLoop, inFunction);
      return block(attempt.finally, inLoop, inFunction);
    }
    default: return;
    }
  }

  diag::Engine &diagnostics_;
};

}  // namespace

void checkPlacement(const ast::Module &module, diag::Engine &diagnostics) {
  Placement(diagnostics).block(module.body, false, false);
}

}  // namespace tessera::frontend
