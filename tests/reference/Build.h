// Checked programs written by hand, for tests that need no checker.
#pragma once
#include "reference/Reference.h"
#include <gtest/gtest.h>

namespace tessera::test {
using namespace tessera::checked;

inline Type index() { return {TypeKind::Index, DType::I64, {}, {}, {}}; }
inline Type scalar(DType dtype) { return {TypeKind::Scalar, dtype, {}, {}, {}}; }
inline Type array(DType dtype, std::vector<Dim> shape) {
  return {TypeKind::Tensor, dtype, {}, std::move(shape), {}};
}
inline Type view(DType dtype, std::vector<Dim> shape) {
  return {TypeKind::View, dtype, {}, std::move(shape), {}};
}
inline Type shared(DType dtype, std::vector<Dim> shape) {
  return {TypeKind::Shared, dtype, {}, std::move(shape), {}};
}

inline ExprPtr expr(ExprKind kind, Type type) {
  return std::make_unique<Expr>(kind, std::move(type), Span{0, 1, 2});
}
template <class... Args> ExprPtr with(ExprPtr e, Args... args) {
  (e->args.push_back(std::move(args)), ...);
  return e;
}
inline ExprPtr whole(int64_t value) {
  auto e = expr(ExprKind::Constant, index());
  e->as<node::Constant>().value = value;
  return e;
}
inline ExprPtr number(DType dtype, double value) {
  auto e = expr(ExprKind::Constant, scalar(dtype));
  e->as<node::Constant>().value = value;
  return e;
}
inline ExprPtr size(const char *text) {
  auto e = expr(ExprKind::DimValue, index());
  e->as<node::DimValue>().dim = *Dim::parse(text);
  return e;
}
inline ExprPtr ref(Var *var) {
  auto e = expr(ExprKind::VarRef, var->type);
  e->as<node::VarRef>().var = var;
  return e;
}
inline ExprPtr query(Query query, int axis = 0) {
  auto e = expr(ExprKind::Query, index());
  e->as<node::Query>().what = query;
  e->as<node::Query>().axis = axis;
  return e;
}
template <class... Args> ExprPtr apply(ElementwiseOp op, Type type, Args... args) {
  auto e = expr(ExprKind::Elementwise, std::move(type));
  e->as<node::Elementwise>().op = op;
  return with(std::move(e), std::move(args)...);
}
inline ExprPtr less(ExprPtr a, ExprPtr b) {
  return apply(ElementwiseOp::Lt, scalar(DType::Bool), std::move(a), std::move(b));
}
inline ExprPtr add(ExprPtr a, ExprPtr b) {
  Type type = a->type.kind == TypeKind::Tensor ? a->type : b->type;
  return apply(ElementwiseOp::Add, type, std::move(a), std::move(b));
}
inline ExprPtr castTo(DType dtype, ExprPtr a) {
  Type type = a->type;
  type.dtype = dtype;
  if (type.kind == TypeKind::Index) type.kind = TypeKind::Scalar;
  return with(expr(ExprKind::Cast, type), std::move(a));
}

inline IndexPart point(ExprPtr at) {
  IndexPart part;
  part.isPoint = true;
  part.offset = std::move(at);
  part.size = 1;
  return part;
}
inline IndexPart range(ExprPtr from, Dim count) {
  IndexPart part;
  part.offset = std::move(from);
  part.size = count;
  return part;
}
template <class... Parts> Access access(Var *base, Parts... parts) {
  Access a;
  a.base = base;
  (a.parts.push_back(std::move(parts)), ...);
  return a;
}
inline ExprPtr load(Type type, Access where) {
  auto e = expr(ExprKind::Load, std::move(type));
  e->as<node::Load>().access = std::move(where);
  return e;
}

inline std::unique_ptr<Stmt> stmt(StmtKind kind) {
  auto s = std::make_unique<Stmt>();
  s->kind = kind;
  s->span = {0, 3, 4};
  return s;
}
template <class... Stmts> Block block(Stmts... stmts) {
  Block b;
  (b.push_back(std::move(stmts)), ...);
  return b;
}
inline std::unique_ptr<Stmt> let(Var *var, ExprPtr value, StmtKind kind = StmtKind::Let) {
  auto s = stmt(kind);
  s->var = var;
  s->value = std::move(value);
  return s;
}
inline std::unique_ptr<Stmt> assign(Var *var, ExprPtr value) {
  return let(var, std::move(value), StmtKind::Assign);
}
inline std::unique_ptr<Stmt> store(Access where, ExprPtr value) {
  auto s = stmt(StmtKind::Store);
  s->access = std::move(where);
  s->value = std::move(value);
  return s;
}
inline std::unique_ptr<Stmt> when(ExprPtr condition, Block then, Block otherwise = {}) {
  auto s = stmt(StmtKind::If);
  s->condition = std::move(condition);
  s->body = std::move(then);
  s->otherwise = std::move(otherwise);
  return s;
}
inline std::unique_ptr<Stmt> loop(ExprPtr condition, Block body) {
  auto s = stmt(StmtKind::While);
  s->condition = std::move(condition);
  s->body = std::move(body);
  return s;
}
inline std::unique_ptr<Stmt> each(Var *var, ExprPtr start, ExprPtr stop, ExprPtr step, Block body) {
  auto s = stmt(StmtKind::For);
  s->var = var;
  s->start = std::move(start);
  s->stop = std::move(stop);
  s->step = std::move(step);
  s->body = std::move(body);
  return s;
}
inline std::unique_ptr<Stmt> giveBack(ExprPtr value) {
  auto s = stmt(StmtKind::Return);
  s->values.push_back(std::move(value));
  return s;
}

/// A function that grows as the test adds to it.
struct Builder {
  Function f;
  explicit Builder(FunctionKind kind, const char *name = "f") {
    f.kind = kind;
    f.name = name;
  }
  Var *var(const char *name, Type type) {
    f.vars.push_back(std::make_unique<Var>());
    Var &v = *f.vars.back();
    v.id = static_cast<uint32_t>(f.vars.size() - 1);
    v.name = name;
    v.type = std::move(type);
    return &v;
  }
  Var *param(const char *name, Type type, ParamMode mode = ParamMode::In, bool isResult = false) {
    Var *v = var(name, std::move(type));
    Param p;
    p.var = v;
    p.mode = mode;
    p.isResult = isResult;
    if (mode != ParamMode::In) {
      Type result = v->type;
      result.kind = TypeKind::Tensor;
      f.results.push_back({name, result, static_cast<int>(f.params.size())});
    }
    f.params.push_back(std::move(p));
    return v;
  }
  void result(Type type) { f.results.push_back({"result", std::move(type), -1}); }
};

inline reference::Value floats(DType dtype, std::vector<int64_t> shape, std::vector<double> values) {
  return reference::Value::ofFloats(dtype, std::move(shape), std::move(values));
}
inline std::string errorOf(const reference::Outcome &outcome) {
  return outcome ? "no error" : outcome.error->message;
}

}  // namespace tessera::test
