// A number that a function is given and never reads, `lr` of a step that forgets it: said once, where it is declared, with the
// products that it may have been left out of.
#include "frontend/Walk.h"
#include "sema/Report.h"
#include "sema/modules/Modules.h"
#include <algorithm>
#include <functional>

namespace tessera::sema {

using ast::as;

namespace {

using Visit = std::function<void(const ast::Expr &)>;

void eachPart(const ast::Expr &e, const Visit &visit) {
  visit(e);
  for (const ast::Expr *child : ast::childrenOf(e).exprs) eachPart(*child, visit);
}
/// Of nested functions and of what they declare, too.
void eachPart(const ast::Stmt &stmt, const Visit &visit) {
  const ast::Children below = ast::childrenOf(stmt);
  for (const ast::Expr *e : below.exprs) eachPart(*e, visit);
  for (const ast::Stmt *inner : below.stmts) eachPart(*inner, visit);
}

bool reads(const ast::FuncDef &def, const std::string &name) {
  bool found = false;
  const Visit visit = [&](const ast::Expr &part) {
    auto *read = as<ast::NameExpr>(&part);
    found |= read && read->name == name;
  };
  for (const ast::StmtPtr &stmt : def.body) eachPart(*stmt, visit);
  for (const ast::ExprPtr &fact : def.where) eachPart(*fact, visit);
  for (const ast::Parameter &p : def.parameters)
    if (p.defaultValue) eachPart(*p.defaultValue, visit);
  return found;
}

bool isFloatNumber(const ast::Parameter &p) {
  auto *type = p.annotation ? as<ast::NameExpr>(p.annotation) : nullptr;
  const std::optional<DType> dtype = type ? dtypeByName(type->name) : std::nullopt;
  return dtype && isFloat(*dtype);
}

bool isScaled(const ast::Expr &e) {
  auto *product = as<ast::BinaryExpr>(&e);
  return product && (product->op == ast::BinaryOp::Mul || product->op == ast::BinaryOp::Div);
}

/// `g` of `w - g`, `v` of `v + g`: what is added or taken away as it is. The last one of the function first.
std::vector<const ast::Expr *> unscaled(const ast::FuncDef &def) {
  std::vector<const ast::Expr *> taken, added;
  for (const ast::StmtPtr &stmt : def.body)
    eachPart(*stmt, [&](const ast::Expr &part) {
      auto *sum = as<ast::BinaryExpr>(&part);
      const bool minus = sum && sum->op == ast::BinaryOp::Sub;
      if (!minus && !(sum && sum->op == ast::BinaryOp::Add)) return;
      auto isValue = [](const ast::Expr &e) { return e.kind == ast::ExprKind::Name || e.kind == ast::ExprKind::Attribute || e.kind == ast::ExprKind::Call; };
      if (minus && isValue(*sum->right)) taken.push_back(sum->right.get());
      if (!minus && isValue(*sum->left) && !isScaled(*sum->right)) added.push_back(sum->left.get());
    });
  std::reverse(taken.begin(), taken.end()), std::reverse(added.begin(), added.end());
  taken.insert(taken.end(), added.begin(), added.end());
  return taken;
}

}  // namespace

void warnOfUnreadNumbers(Context &cx, const Callable &callable) {
  constexpr size_t kMostEdits = 3;
  const ast::FuncDef *def = callable.def;
  if (!def || !def->decorators.empty() || cx.libraryFiles.count(def->span.file)) return;
  const bool computes = std::any_of(def->body.begin(), def->body.end(), [](const ast::StmtPtr &stmt) { return stmt->kind == ast::StmtKind::Return; });
  for (const ast::Parameter &p : def->parameters) {
    if (!computes || p.name.text[0] == '_' || !isFloatNumber(p) || reads(*def, p.name.text)) continue;
    auto builder = warn(cx, Id::unreadParameter, p.name.span, p.name.text);
    builder.help("a name that begins with `_` says that it is not needed");
    size_t made = 0;
    for (const ast::Expr *e : unscaled(*def)) {
      if (made++ == kMostEdits) break;
      builder.assume({e->span.file, e->span.begin, e->span.begin}, p.name.text + " * ", "scale `" + std::string(cx.sources.text(e->span)) + "` by it");
    }
  }
}

}  // namespace tessera::sema
