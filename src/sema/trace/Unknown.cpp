#include "frontend/Walk.h"
#include "sema/trace/Trace.h"
#include <algorithm>

namespace tessera::sema {

using ast::as;

namespace {
/// The names that a statement binds, and whether it leaves the function.
struct BoundNames {
  std::map<std::string, Span> names;
  bool returns = false;

  void target(const ast::Expr &expr) {
    if (auto *name = as<ast::NameExpr>(&expr)) names.emplace(name->name, expr.span);
    else if (auto *star = as<ast::StarredExpr>(&expr)) target(*star->value);
    else if (expr.kind == ast::ExprKind::Tuple || expr.kind == ast::ExprKind::List)
      for (const ast::ExprPtr &item : static_cast<const ast::SequenceExpr &>(expr).items) target(*item);
  }
  void imported(const std::vector<ast::ImportItem> &items) {
    for (const ast::ImportItem &item : items) names.emplace((item.alias ? *item.alias : item.path[0]).text, item.span);
  }
  void statement(const ast::Stmt &stmt) {
    if (auto *s = as<ast::AssignStmt>(&stmt))
      for (const ast::ExprPtr &t : s->targets) target(*t);
    else if (auto *s = as<ast::AnnAssignStmt>(&stmt)) target(*s->target);
    else if (auto *s = as<ast::AugAssignStmt>(&stmt)) target(*s->target);
    else if (auto *s = as<ast::ForStmt>(&stmt)) target(*s->target);
    else if (auto *s = as<ast::ImportStmt>(&stmt)) imported(s->items);
    else if (auto *s = as<ast::FromImportStmt>(&stmt)) imported(s->items);
    else if (auto *s = as<ast::GlobalStmt>(&stmt))
      for (const ast::Identifier &name : s->names) names.emplace(name.text, name.span);
    else if (auto *s = as<ast::WithStmt>(&stmt)) {
      for (const ast::WithItem &item : s->items)
        if (item.target) target(*item.target);
    } else if (auto *s = as<ast::TryStmt>(&stmt)) {
      for (const ast::ExceptClause &clause : s->handlers)
        if (clause.name) names.emplace(clause.name->text, clause.name->span);
    } else if (auto *s = as<ast::FuncDef>(&stmt)) {
      names.emplace(s->name.text, s->name.span);
      return;  // what it binds is its own
    }
    returns |= stmt.kind == ast::StmtKind::Return;
    for (const ast::Block *block : ast::blocksOf(stmt))
      for (const ast::StmtPtr &inner : *block) statement(*inner);
  }
};
}  // namespace

void bindUnknown(Frame &frame, const ast::Stmt &stmt, int block) {
  BoundNames bound;
  bound.statement(stmt);
  for (const auto &[name, span] : bound.names) {
    Binding binding;
    binding.span = span;
    binding.block = block;
    frame.names[name] = std::move(binding);
  }
  if (!bound.returns || frame.returned) return;
  frame.returned = true;
  frame.results = {Value::poison()};
}

std::string memberOfSelf(const Frame *frame, const std::string &name) {
  for (; frame; frame = frame->parent.get()) {
    const Callable *method = frame->function;
    if (!method || !method->structure || !method->def || method->def->parameters.empty()) continue;
    const StructInfo &info = *method->structure;
    auto isIt = [&](const StructField &field) { return field.name == name; };
    if (std::any_of(info.fields.begin(), info.fields.end(), isIt) || info.methods.count(name)) return method->def->parameters[0].name.text + "." + name;
  }
  return "";
}

const ast::TypeParameter *typeParameterNamed(const Frame *frame, const std::string &name) {
  auto in = [&](const std::vector<ast::TypeParameter> &all) {
    auto it = std::find_if(all.begin(), all.end(), [&](const ast::TypeParameter &t) { return t.name.text == name; });
    return it == all.end() ? nullptr : &*it;
  };
  for (; frame; frame = frame->parent.get()) {
    const Callable *function = frame->function;
    if (!function) continue;
    const ast::TypeParameter *found = function->def ? in(function->def->typeParameters) : nullptr;
    if (!found && function->structure) found = in(function->structure->def->typeParameters);
    if (found) return found;
  }
  return nullptr;
}

/// What a comprehension binds is another variable of that name, seen behind its clause.
static std::optional<bool> mentionsBeforeItsOwn(const ast::ComprehensionExpr &comprehension, const std::string &name) {
  auto asked = [&](const ast::ComprehensionFor &clause) {
    return std::any_of(clause.conditions.begin(), clause.conditions.end(), [&](const ast::ExprPtr &condition) { return mentions(*condition, name); });
  };
  for (const ast::ComprehensionFor &clause : comprehension.clauses) {
    if (mentions(*clause.iterable, name)) return true;
    if (mentions(*clause.target, name)) return false;
    if (asked(clause)) return true;
  }
  return std::nullopt;
}

bool mentions(const ast::Expr &expr, const std::string &name) {
  using K = ast::ExprKind;
  if (auto *plain = as<ast::NameExpr>(&expr)) return plain->name == name;
  if (expr.kind == K::ListComp || expr.kind == K::SetComp || expr.kind == K::DictComp || expr.kind == K::GeneratorComp)
    if (auto found = mentionsBeforeItsOwn(static_cast<const ast::ComprehensionExpr &>(expr), name)) return *found;
  std::vector<const ast::Expr *> parts = ast::childrenOf(expr).exprs;
  return std::any_of(parts.begin(), parts.end(), [&](const ast::Expr *part) { return mentions(*part, name); });
}

bool inParameters(const ast::FuncDef &def, const std::string &name) {
  return std::any_of(def.parameters.begin(), def.parameters.end(),
                     [&](const ast::Parameter &p) { return p.annotation && mentions(*p.annotation, name); });
}

bool isOptional(const Frame *frame, std::string_view name) {
  const ast::FuncDef *def = frame && frame->function ? frame->function->def : nullptr;
  if (!def) return false;
  return std::any_of(def->parameters.begin(), def->parameters.end(), [&](const ast::Parameter &p) {
    if (p.name.text != name || !p.annotation) return false;
    std::vector<const ast::Expr *> all = alternativesOf(*p.annotation);
    return std::any_of(all.begin(), all.end(), [](const ast::Expr *e) { return e->kind == ast::ExprKind::None; });
  });
}

bool mayBeInteger(const Value &value) {
  switch (value.kind) {
  case ValueKind::Poison:
  case ValueKind::Bool:
  case ValueKind::Int:
  case ValueKind::None: return value.kind != ValueKind::None || value.declared.valid();
  case ValueKind::Array: return value.isScalar() && isInt(value.type.dtype);
  case ValueKind::HostTensor:  // an element, or what a function gave: `range(rows[i], rows[i + 1])`
    return value.rank == 0 && value.madeOf && isInt(*value.madeOf) && *value.madeOf != DType::Bool;
  default: return false;
  }
}

}  // namespace tessera::sema
