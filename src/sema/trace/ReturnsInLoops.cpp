// `return` in a loop of host code or of a function of tensors: the result is kept in variables that are declared before the outermost loop, each loop around it is left,
// and the function returns behind them. What follows the loop belongs to the way on which nothing was returned.
#include "checked/ExprBuild.h"
#include "sema/Report.h"
#include "sema/arrays/Arrays.h"
#include "sema/effects/Effects.h"
#include "sema/host/ArrayWork.h"
#include "sema/host/Host.h"
#include "sema/trace/LoopBody.h"
#include "sema/trace/Trace.h"
#include <algorithm>

namespace tessera::sema {

namespace {
constexpr const char *kReturned = "%returned", *kKept = "%kept", *kBroke = "%broke";  // as names that no program has

/// What a number among the results of a function of tensors has to be: as it is declared, or this.
DType dtypeOfResult(const Context &cx, size_t part, DType otherwise) {
  const auto &declared = cx.function.declared;
  if (cx.function.frame->inlined || !declared || part >= declared->size()) return otherwise;
  const Type &type = (*declared)[part];
  const bool alike = type.shape.empty() && info(type.dtype).accumulate == type.dtype && isFloat(type.dtype) == isFloat(otherwise) && type.dtype != DType::Bool;
  return alike ? type.dtype : otherwise;
}

/// Variables that hold such a value. Nothing if it is none that run time has.
std::optional<Value> variablesFor(Context &cx, const Value &value, LoopReturn &made, Span span) {
  if (value.isSequence() || value.kind == ValueKind::Struct) {
    Value whole = value;
    for (Value &item : whole.items) {
      auto part = variablesFor(cx, item, made, span);
      if (!part) return std::nullopt;
      item = std::move(*part);
    }
    return whole;
  }
  Value like = value;
  like.text.clear();
  like.madeAs.clear();
  const bool number = value.kind == ValueKind::Float || value.kind == ValueKind::Bool || value.isScalar();
  if (value.kind == ValueKind::None) return value;
  if (number) {
    like = Value::of(ValueKind::Array);
    like.type = scalarType(value.kind == ValueKind::Float ? (inHost(cx) ? DType::F64 : dtypeOfResult(cx, made.vars.size(), DType::F32)) : value.kind == ValueKind::Bool ? DType::Bool : value.type.dtype);
  } else if (value.kind == ValueKind::Int && !inHost(cx)) {  // which turn it was, data says
    like = Value::of(ValueKind::Array);
    like.type = scalarType(dtypeOfResult(cx, made.vars.size(), DType::I64));
  } else if (value.kind == ValueKind::Int) {
    like = Value::of(ValueKind::Int);
    like.type = indexType();
  } else if (value.kind == ValueKind::String) {
    like.type = textExpr("", span)->type;
  } else if (value.isArray()) {  // in the dtype that it is computed in
    Type type = sema::tensorType(carryTypeOf(value.type), value.type.shape);
    std::set<std::string> sizes;
    for (const Dim &extent : type.shape) extent.collectVars(sizes);
    if (!std::all_of(sizes.begin(), sizes.end(), shape::isDimensionName)) return std::nullopt;
    like = Value::of(ValueKind::Array);
    like.type = value.type;
    like.limits.assign(type.shape.size(), std::nullopt);
    Var *var = newVar(cx, "result", std::move(type), span);
    var->reassigned = true;
    made.vars.push_back(var);
    cx.function.rebindable.insert(var);
    return cx.function.varValues[var] = valueOfVar(var, like, span);
  } else if (value.kind != ValueKind::HostTensor) {
    return std::nullopt;
  }
  Var *var = newVar(cx, "result", like.type, span);
  var->reassigned = true;
  made.vars.push_back(var);
  cx.function.rebindable.insert(var);
  return cx.function.varValues[var] = valueOfVar(var, like, span);
}

/// The value as one for a variable; null if it is of another kind.
ExprPtr fitting(Context &cx, const Value &kept, Value value, Span span) {
  const bool number = value.kind == ValueKind::Int || value.kind == ValueKind::Float || value.kind == ValueKind::Bool || value.isScalar();
  if (value.kind == ValueKind::HostTensor && value.madeOf && value.rank == 0 && kept.kind != ValueKind::HostTensor) return fitting(cx, kept, hostScalar(cx, value, span), span);
  if (kept.kind == ValueKind::HostTensor) {
    if (number && kept.madeOf && kept.rank == 0) value = hostFull(cx, Value::tuple({}), span, value, scalarType(*kept.madeOf), span);
    if (value.kind != ValueKind::HostTensor) return nullptr;
    meetDTypes(cx, kept.expr->as<node::VarRef>().var, kept, value);
    return clone(*value.expr);
  }
  if (kept.kind == ValueKind::String) return value.kind != ValueKind::String ? nullptr : value.expr ? clone(*value.expr) : textExpr(value.text, span);
  if (kept.isArray() && !kept.type.shape.empty()) {
    const bool fits = value.isArray() && value.type.shape.size() == kept.type.shape.size() && value.type.dtype == kept.type.dtype;
    for (size_t i = 0; fits && i < kept.type.shape.size(); ++i)
      if (!sameDim(cx, kept.type.shape[i], value.type.shape[i], span, "")) return nullptr;
    return fits ? inCarryType(cx, std::move(value), kept.expr->type.dtype, span) : nullptr;
  }
  if (!number) return nullptr;
  const DType dtype = kept.type.dtype;
  if (kept.kind == ValueKind::Int) {
    const bool whole = value.kind == ValueKind::Int || (value.isScalar() && isInt(value.type.dtype) && value.type.dtype != DType::Bool);
    return whole ? indexExpr(cx, convertInt(cx, value, span), span) : nullptr;
  }
  const bool truth = value.kind == ValueKind::Bool || (value.isScalar() && value.type.dtype == DType::Bool);
  if (truth != (dtype == DType::Bool) || (!isFloat(dtype) && (value.kind == ValueKind::Float || (value.isScalar() && isFloat(value.type.dtype))))) return nullptr;
  if (truth) return value.kind == ValueKind::Bool ? makeBool(value.truth, span) : clone(*value.expr);
  Value cast = castTo(cx, value, dtype, {}, span);
  return cast.isPoison() ? nullptr : clone(*cast.expr);
}

bool keep(Context &cx, const Value &kept, const Value &value, Span span) {
  if (kept.isSequence() || kept.kind == ValueKind::Struct) {
    if (value.kind != kept.kind || value.items.size() != kept.items.size()) return false;
    for (size_t i = 0; i < kept.items.size(); ++i)
      if (!keep(cx, kept.items[i], value.items[i], span)) return false;
    return true;
  }
  if (kept.kind == ValueKind::None) return value.kind == ValueKind::None;
  ExprPtr e = fitting(cx, kept, value, span);
  if (!e) return false;
  Stmt &stmt = emit(cx, StmtKind::Assign, span);
  stmt.var = kept.expr->as<node::VarRef>().var;
  stmt.value = std::move(e);
  return true;
}

void leaveLoop(Context &cx, Block &block, Span span) {
  auto add = [&](StmtKind kind) -> Stmt & {
    block.push_back(std::make_unique<Stmt>());
    block.back()->kind = kind;
    block.back()->span = span;
    return *block.back();
  };
  if (Var *broke = cx.function.frame->loops.back().broke) {
    Stmt &left = add(StmtKind::Assign);
    left.var = broke;
    left.value = makeBool(true, span);
  }
  add(StmtKind::Break);
}

bool isRead(Block &block, const Var *var) {
  bool read = false;
  visitExprs(block, [&](Expr &e) { read |= e.kind == ExprKind::VarRef && e.as<node::VarRef>().var == var; });
  return read;
}
void dropAssigns(Block &block, const Var *var) {
  std::erase_if(block, [&](const auto &stmt) { return stmt->kind == StmtKind::Assign && stmt->var == var; });
  for (auto &stmt : block) dropAssigns(stmt->body, var), dropAssigns(stmt->otherwise, var);
}

/// `if returned: return kept`, with the loop's `else` and what follows the loop on the other way. Where nothing else leaves the loop, there is no
/// other way.
void returnBehind(Context &cx, const LoopReturn &made, const ast::Block &otherwise, Var *broke, bool endless) {
  const Span span = made.stmt->span;
  auto bind = [&](const char *name, Value value) {
    Binding binding;
    binding.var = value.expr && value.expr->kind == ExprKind::VarRef ? value.expr->as<node::VarRef>().var : nullptr;
    binding.value = std::move(value);
    binding.block = cx.blockId;
    binding.span = span;
    cx.function.frame->names[name] = std::move(binding);
    auto written = std::make_unique<ast::NameExpr>(ast::ExprKind::Name, span);
    written->name = name;
    return written;
  };
  Value truth = Value::of(ValueKind::Array);
  truth.type = scalarType(DType::Bool);
  auto returns = std::make_unique<ast::ReturnStmt>(ast::StmtKind::Return, span);
  if (made.value.kind != ValueKind::None) returns->value = bind(kKept, made.value);
  auto asked = std::make_shared<ast::IfStmt>(ast::StmtKind::If, span);
  asked->condition = bind(kReturned, valueOfVar(made.done, truth, span));
  asked->then.push_back(std::move(returns));
  asked->otherwise = otherwise;
  if (broke && !otherwise.empty()) {  // a `break` leaves it, too
    auto left = std::make_shared<ast::IfStmt>(ast::StmtKind::If, span);
    left->condition = bind(kBroke, valueOfVar(broke, truth, span));
    left->then.push_back(std::make_shared<ast::SimpleStmt>(ast::StmtKind::Pass, span));
    left->otherwise = otherwise;
    asked->otherwise = {std::move(left)};
  }
  cx.written.push_back(asked);
  if (endless) checkBlock(cx, asked->then);  // the loop was left
  else ifStmt(cx, *asked);
}
}  // namespace

bool returnFromLoop(Context &cx, const ast::ReturnStmt &stmt) {
  Frame &frame = *cx.function.frame;
  auto runs = [](const LoopFrame &loop) { return loop.writtenOut < 0; };
  if (inKernel(cx) || isLeftToHost(cx) || frame.loops.empty() || !std::all_of(frame.loops.begin(), frame.loops.end(), runs)) return false;
  const Value value = asReturned(cx, stmt.value ? checkExpr(cx, *stmt.value) : Value::of(ValueKind::None), stmt.span);
  if (value.isPoison()) return frame.returned = !inHost(cx), true;
  if (!frame.loopReturn) {
    auto made = std::make_shared<LoopReturn>();
    made->stmt = &stmt;
    made->done = newVar(cx, "returned", scalarType(DType::Bool), stmt.span);
    made->done->reassigned = true;
    cx.function.rebindable.insert(made->done);
    auto kept = variablesFor(cx, value, *made, stmt.span);
    if (!kept) return unsupported(cx, "a `return` of this value in a loop", stmt.span), true;
    made->value = std::move(*kept);
    frame.loopReturn = std::move(made);
  }
  const LoopReturn &made = *frame.loopReturn;
  if (!keep(cx, made.value, value, stmt.span)) {
    if (fresh(cx, Id::redefinedType, stmt.span))
      report(cx, Id::redefinedType, stmt.span, "the result", describe(cx, made.value), describe(cx, value)).note(made.stmt->span, "this is returned, too");
    return true;
  }
  Stmt &done = emit(cx, StmtKind::Assign, stmt.span);
  done.var = made.done;
  done.value = makeBool(true, stmt.span);
  leavesIteration(cx, true);
  leaveLoop(cx, *cx.function.block, stmt.span);
  return true;
}

bool returnedInLoop(Context &cx, size_t before, const ast::Block &otherwise, Var *broke, bool endless) {
  Frame &frame = *cx.function.frame;
  if (!frame.loopReturn) return false;
  const std::shared_ptr<LoopReturn> made = frame.loopReturn;
  const Span span = made->stmt->span;
  if (!frame.loops.empty()) {
    Stmt &leaves = emit(cx, StmtKind::If, span);
    leaves.condition = makeRef(made->done, span);
    leaveLoop(cx, leaves.body, span);
    return false;
  }
  frame.loopReturn.reset();
  if (endless && !isRead(*cx.function.block, made->done)) dropAssigns(*cx.function.block, made->done);
  else made->vars.push_back(made->done);
  for (Var *var : made->vars) {
    auto let = std::make_unique<Stmt>();
    let->kind = StmtKind::Let;
    let->span = span;
    let->var = var;
    let->value = var == made->done ? makeBool(false, span) : anyValue(cx, var->type, span);
    cx.function.block->insert(cx.function.block->begin() + static_cast<std::ptrdiff_t>(before++), std::move(let));
  }
  returnBehind(cx, *made, otherwise, broke, endless);
  return true;
}

}  // namespace tessera::sema
