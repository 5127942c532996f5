#include "sema/advice/Place.h"
#include "frontend/Walk.h"

namespace tessera::sema {
namespace {

bool covers(Span outer, Span inner) {
  return outer.file == inner.file && outer.begin <= inner.begin && inner.end <= outer.end;
}

void descend(const ast::Expr &expr, Span span, Place &place) {
  place.around.insert(place.around.begin(), &expr);
  for (const ast::Expr *child : ast::childrenOf(expr).exprs)
    if (covers(child->span, span)) return descend(*child, span, place);
}

bool isKernel(const ast::FuncDef &def) {
  for (const ast::Decorator &decorator : def.decorators) {
    const ast::Expr *e = decorator.expression.get();
    if (auto *call = ast::as<ast::CallExpr>(e)) e = call->callee.get();
    while (auto *attribute = ast::as<ast::AttributeExpr>(e)) {
      if (attribute->attribute.text == "kernel") return true;
      e = attribute->object.get();
    }
    if (auto *name = ast::as<ast::NameExpr>(e); name && name->name == "kernel") return true;
  }
  return false;
}

void descend(const ast::Stmt &stmt, Span span, Place &place) {
  place.statement = &stmt;
  if (auto *def = ast::as<ast::FuncDef>(&stmt)) place.function = def, place.inKernel = isKernel(*def);
  ast::Children children = ast::childrenOf(stmt);
  for (const ast::Stmt *child : children.stmts)
    if (covers(child->span, span)) return descend(*child, span, place);
  for (const ast::Expr *child : children.exprs)
    if (covers(child->span, span)) return descend(*child, span, place);
}

void lastValue(const ast::Block &block, const std::string &name, uint32_t before, const ast::Expr *&value) {
  for (const ast::StmtPtr &stmt : block) {
    if (stmt->span.begin >= before) return;
    if (auto *assign = ast::as<ast::AssignStmt>(stmt))
      for (const ast::ExprPtr &target : assign->targets)
        if (auto *bound = ast::as<ast::NameExpr>(target); bound && bound->name == name)
          value = assign->value.get();
  }
}

}  // namespace

Place placeOf(const ast::Module &module, Span span) {
  Place place;
  for (const ast::StmtPtr &stmt : module.body)
    if (covers(stmt->span, span)) descend(*stmt, span, place);
  return place;
}

std::vector<const ast::Expr *> operandsAt(const Place &place) {
  if (auto *binary = ast::as<ast::BinaryExpr>(place.expr())) return {binary->left.get(), binary->right.get()};
  auto *call = place.innermost<ast::CallExpr>();
  if (!call) return {};
  std::vector<const ast::Expr *> found;
  auto *method = ast::as<ast::AttributeExpr>(call->callee);
  auto *owner = method ? ast::as<ast::NameExpr>(method->object) : nullptr;
  bool ofModule = owner && (owner->name == "tile" || owner->name == "ts" || owner->name == "tessera");
  if (method && !ofModule) found.push_back(method->object.get());
  for (const ast::Argument &argument : call->arguments)
    if (!argument.keyword && !argument.stars) found.push_back(argument.value.get());
  return found;
}

const ast::Expr *Place::valueOf(const std::string &name) const {
  const ast::Expr *value = nullptr;
  if (function && statement) lastValue(function->body, name, statement->span.begin, value);
  return value;
}

}  // namespace tessera::sema
