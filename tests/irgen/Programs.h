// Checked programs made by hand, for tests of what irgen does with one construct.
#pragma once
#include "checked/Checked.h"
#include <initializer_list>
#include <string>

namespace tessera::irgen::test {
using namespace checked;

inline Type indexType() { return {TypeKind::Index}; }
inline Type scalar(DType dtype) { return {TypeKind::Scalar, dtype}; }
inline Type array(TypeKind kind, DType dtype, std::initializer_list<const char *> dims) {
  Type type{kind, dtype};
  for (const char *dim : dims) type.shape.push_back(*Dim::parse(dim));
  return type;
}

struct Builder {
  explicit Builder(FunctionKind kind, std::string name = "f") : function(std::make_unique<Function>()) {
    function->kind = kind;
    function->name = std::move(name);
    function->kernel.grid = GridKind::Explicit;
    function->kernel.gridDims = {Dim(1)};
  }
  Var *var(std::string name, Type type) {
    auto id = static_cast<uint32_t>(function->vars.size());
    function->vars.push_back(std::make_unique<Var>(Var{id, std::move(name), std::move(type), {}, false, false, ""}));
    return function->vars.back().get();
  }
  Var *param(std::string name, Type type, ParamMode mode = ParamMode::In) {
    Var *made = var(std::move(name), std::move(type));
    function->params.push_back({made, mode, false, false, nullptr});
    return made;
  }
  std::unique_ptr<Function> function;
};

inline ExprPtr expr(ExprKind kind, Type type) {
  return std::make_unique<Expr>(kind, std::move(type), Span{});
}
inline ExprPtr number(Type type, double value) {
  auto made = expr(ExprKind::Constant, std::move(type));
  made->as<node::Constant>().value = value;
  return made;
}
inline ExprPtr index(int64_t value) {
  auto made = expr(ExprKind::Constant, indexType());
  made->as<node::Constant>().value = value;
  return made;
}
inline ExprPtr read(Var *var) {
  auto made = expr(ExprKind::VarRef, var->type);
  made->as<node::VarRef>().var = var;
  return made;
}
inline ExprPtr op(ElementwiseOp op, ExprPtr a, ExprPtr b) {
  bool isBool = info(op).resultIsBool;
  Type type = a->type;
  if (isBool) type = type.kind == TypeKind::Index ? scalar(DType::Bool) : (type.dtype = DType::Bool, type);
  auto made = expr(ExprKind::Elementwise, type);
  made->as<node::Elementwise>().op = op;
  made->args.push_back(std::move(a));
  made->args.push_back(std::move(b));
  return made;
}
inline IndexPart point(ExprPtr offset) {
  IndexPart part;
  part.isPoint = true;
  part.offset = std::move(offset);
  return part;
}
inline IndexPart range(ExprPtr offset, const char *size) {
  IndexPart part;
  part.offset = std::move(offset);
  part.size = *Dim::parse(size);
  return part;
}
inline ExprPtr load(Var *base, Type type, IndexPart part) {
  auto made = expr(ExprKind::Load, std::move(type));
  made->as<node::Load>().access.base = base;
  made->as<node::Load>().access.parts.push_back(std::move(part));
  return made;
}

using StmtPtr = std::unique_ptr<Stmt>;
inline StmtPtr stmt(StmtKind kind) {
  auto made = std::make_unique<Stmt>();
  made->kind = kind;
  return made;
}
inline StmtPtr bind(StmtKind kind, Var *var, ExprPtr value) {
  auto made = stmt(kind);
  made->var = var;
  made->value = std::move(value);
  return made;
}
inline StmtPtr store(Var *base, IndexPart part, ExprPtr value) {
  auto made = stmt(StmtKind::Store);
  made->access.base = base;
  made->access.parts.push_back(std::move(part));
  made->value = std::move(value);
  return made;
}
template <class... Stmts> Block block(Stmts... stmts) {
  Block made;
  (made.push_back(std::move(stmts)), ...);
  return made;
}

}  // namespace tessera::irgen::test
