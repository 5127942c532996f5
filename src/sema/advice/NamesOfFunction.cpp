#include "sema/advice/NamesOfFunction.h"
#include "frontend/Walk.h"
#include <algorithm>

namespace tessera::sema {
namespace {

using ast::as;

class Collector {
public:
  explicit Collector(const ast::FuncDef &def) {
    for (const ast::Parameter &p : def.parameters) names_[p.name.text].parameter = &p;
    block(def.body);
  }
  std::map<std::string, NameUse> taken() { return std::move(names_); }

private:
  void block(const ast::Block &statements) {
    for (const ast::StmtPtr &stmt : statements) statement(*stmt);
  }
  void statement(const ast::Stmt &stmt) {
    std::vector<const ast::Expr *> targets;
    if (auto *assign = as<ast::AssignStmt>(&stmt))
      for (const ast::ExprPtr &target : assign->targets) targets.push_back(target.get());
    else if (auto *annotated = as<ast::AnnAssignStmt>(&stmt)) targets.push_back(annotated->target.get());
    else if (auto *changed = as<ast::AugAssignStmt>(&stmt)) targets.push_back(changed->target.get());
    else if (auto *loop = as<ast::ForStmt>(&stmt)) targets.push_back(loop->target.get());
    const ast::Children below = ast::childrenOf(stmt);
    for (const ast::Expr *e : below.exprs)
      if (std::find(targets.begin(), targets.end(), e) == targets.end()) read(*e);
    for (const ast::Expr *target : targets) bind(*target, nullptr);
    for (const ast::Stmt *inner : below.stmts) statement(*inner);
  }
  void bind(const ast::Expr &target, const ast::SequenceExpr *around) {
    if (auto *name = as<ast::NameExpr>(&target)) {
      NameUse &use = names_[name->name];
      use.bindings.push_back(name), use.takenApart = around;
    } else if (target.kind == ast::ExprKind::Tuple || target.kind == ast::ExprKind::List) {
      auto &items = static_cast<const ast::SequenceExpr &>(target);
      for (const ast::ExprPtr &item : items.items) bind(*item, &items);
    } else {
      read(target);  // `y[i] = x` reads `y` and `i`
    }
  }
  void read(const ast::Expr &e) {
    if (auto *name = as<ast::NameExpr>(&e)) names_[name->name].reads.push_back(name);
    for (const ast::Expr *child : ast::childrenOf(e).exprs) read(*child);
  }

  std::map<std::string, NameUse> names_;
};

}  // namespace

std::map<std::string, NameUse> namesOf(const ast::FuncDef &def) { return Collector(def).taken(); }

}  // namespace tessera::sema
