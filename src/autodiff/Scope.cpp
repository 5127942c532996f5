#include "autodiff/Scope.h"
#include "checked/ExprBuild.h"
#include "support/LinearDim.h"

namespace tessera::autodiff {

using checked::Expr;
using checked::ExprKind;
using checked::ExprPtr;
using checked::StmtKind;
using checked::Type;
using checked::TypeKind;
using checked::Var;

namespace {
std::string idName(const Var &var) { return "%" + std::to_string(var.id); }
}  // namespace

void collectBound(const checked::Block &block, std::vector<const Var *> &bound) {
  for (const auto &stmt : block) {
    if (stmt->kind == StmtKind::Let || stmt->kind == StmtKind::Assign) bound.push_back(stmt->var);
    collectBound(stmt->body, bound);
    collectBound(stmt->otherwise, bound);
  }
}

void Scope::bindDims(const checked::Function &function, const std::vector<Term> &arguments, const std::vector<bool> &mapped) {
  std::vector<std::vector<Dim>> shapes;  // as far as arguments have them
  std::set<std::string> known;
  auto own = [&](size_t i) -> size_t { return i < mapped.size() && mapped[i] ? 1 : 0; };  // axes that the parameter does not have
  for (size_t i = 0; i < function.params.size() && i < arguments.size(); ++i) {
    const Type &declared = function.params[i].var->type;
    std::vector<Dim> &shape = shapes.emplace_back();
    if (declared.kind == TypeKind::Index) {
      auto value = dimOf(*arguments[i]);
      if (value && !declared.shape.empty() && declared.shape[0].isVar())
        dims_.try_emplace(declared.shape[0].varName(), *value), known.insert(declared.shape[0].varName());
      continue;
    }
    const std::vector<Dim> &given = arguments[i]->type.shape;
    for (size_t a = 0; a < declared.shape.size() && a + own(i) < given.size(); ++a) {
      shape.push_back(declared.shape[a]);
      if (declared.shape[a].isVar()) dims_.try_emplace(declared.shape[a].varName(), given[a + own(i)]);
    }
  }
  for (const SolvedExtent &solved : solvedExtents(shapes, known))
    dims_.try_emplace(solved.extent.variable,
                      solved.extent.solved(arguments[solved.parameter]->type.shape[solved.axis + own(solved.parameter)], dims_));
}

void Scope::setIndex(const Var &var, const Term &value) {
  Term bound = value;
  std::optional<Dim> dim = dimOf(*value);
  if (!dim) {
    bound = copied(value, var.name);
    dim = dimOf(*bound);
  }
  dims_[idName(var)] = *dim;
  env_[&var] = bound;
}

Term Scope::copied(const Term &value, const std::string &name) {
  Var *var = builder_.fresh(name, value->type);
  builder_.let(var, value);
  return builder_.ref(var);
}

Type Scope::here(Type type) const {
  for (Dim &dim : type.shape) dim = dim.substitute(dims_);
  for (Type &item : type.items) item = here(item);
  return type;
}

ExprPtr Scope::tree(const Expr &expr) {
  if (expr.kind == ExprKind::VarRef) {
    auto found = env_.find(checked::varOf(expr));
    return found == env_.end() ? checked::clone(expr) : checked::clone(*found->second);
  }
  return moved(expr, [&](const Expr &arg) { return tree(arg); });
}

}  // namespace tessera::autodiff
