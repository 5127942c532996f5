#include "sema/advice/Place.h"
#include <algorithm>
#include <iterator>

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

/// The last of these that covers the span; they stand in the order of the text, and none inside of another.
const ast::Stmt *covering(const std::vector<const ast::Stmt *> &stmts, Span span) {
  auto behind = std::upper_bound(stmts.begin(), stmts.end(), span.begin,
                                 [](uint32_t begin, const ast::Stmt *stmt) { return begin < stmt->span.begin; });
  return behind != stmts.begin() && covers((*std::prev(behind))->span, span) ? *std::prev(behind) : nullptr;
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

Places::Places(const ast::Module &module) : module_(module) {
  for (const ast::StmtPtr &stmt : module.body) body_.push_back(stmt.get());
}

Place Places::at(Span span) {
  Place place;
  place.module = &module_;
  place.outermost = span.file == module_.file ? covering(body_, span) : nullptr;
  if (place.outermost) descend(*place.outermost, span, place);
  if (place.function) {
    auto [it, isNew] = names_.try_emplace(place.function);
    if (isNew) it->second = namesOf(*place.function);
    place.names = &it->second;
  }
  return place;
}

const ast::Children &Places::childrenOf(const ast::Stmt &stmt) {
  auto [it, isNew] = children_.try_emplace(&stmt);
  if (isNew) it->second = ast::childrenOf(stmt);
  return it->second;
}

void Places::descend(const ast::Stmt &stmt, Span span, Place &place) {
  place.statement = &stmt;
  if (auto *def = ast::as<ast::FuncDef>(&stmt)) place.function = def, place.inKernel = isKernel(*def);
  const ast::Children &children = childrenOf(stmt);
  if (const ast::Stmt *child = covering(children.stmts, span)) return descend(*child, span, place);
  for (const ast::Expr *child : children.exprs)
    if (covers(child->span, span)) return sema::descend(*child, span, place);
  // The whole of `acc += value`: what is added is what can be mended.
  if (auto *changed = ast::as<ast::AugAssignStmt>(&stmt)) place.around = {changed->value.get()};
}

std::vector<const ast::Expr *> operandsAt(const Place &place) {
  if (auto *binary = ast::as<ast::BinaryExpr>(place.expr())) return {binary->left.get(), binary->right.get()};
  if (auto *compare = ast::as<ast::CompareExpr>(place.expr()); compare && compare->operands.size() == 2)
    return {compare->operands[0].get(), compare->operands[1].get()};
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
