#include "autodiff/Trace.h"
#include "sema/ExprBuild.h"
#include "support/LinearDim.h"
#include <algorithm>

namespace tessera::autodiff {

using sema::Expr;
using sema::ExprKind;
using sema::ExprPtr;
using sema::Stmt;
using sema::StmtKind;
using sema::Type;
using sema::TypeKind;
using sema::Var;

namespace {
constexpr int64_t kMostTurns = 256;  // as many as a tensor function has written out anywhere

std::string idName(const Var &var) { return "%" + std::to_string(var.id); }
}  // namespace

// ---------------------------------------------------------------- messages

bool Reporter::inLibrary(Span span) const {
  return !span.valid() || sources.file(span.file).path.rfind("<", 0) == 0;
}

void Reporter::refuse(const Refusal &refusal, const std::string &by, const std::vector<std::string> &through) {
  failed = true;
  bool library = inLibrary(refusal.span);
  auto message = diagnostics.report(diag::Id::notSupportedYet, library ? call : refusal.span, "the derivative of " + refusal.what);
  message.label("`" + function + "` depends on `" + by + "` through it");
  if (!library) message.note(call, "the derivative is taken here");
  std::string chain = "`" + by + "`";
  for (const std::string &name : through) chain += " -> `" + name + "`";
  if (!through.empty()) message.help("the way there: " + chain);
}

void Reporter::cannot(Span span, const std::string &what) {
  failed = true;
  bool library = inLibrary(span);
  auto message = diagnostics.report(diag::Id::notSupportedYet, library ? call : span, "the derivative of " + what);
  if (!library) message.note(call, "the derivative is taken here");
}

void Trace::refuse(const Var *out, const Refusal &refusal) const {
  auto [by, through] = dependence(out);
  reporter_.refuse(refusal, by, through);
}

std::pair<std::string, std::vector<std::string>> Trace::dependence(const Var *var) const {
  std::vector<std::string> names;
  while (var) {
    auto next = active_.find(var);
    if (next == active_.end() && (next = whole_.find(var)) == whole_.end()) break;
    bool isParameter = next->second == nullptr;
    if ((isParameter || !var->name.empty()) && (names.empty() || names.back() != var->name)) names.push_back(var->name);
    var = next->second;
  }
  std::string by = names.empty() ? "" : names.back();
  if (!names.empty()) names.pop_back();
  std::reverse(names.begin(), names.end());
  return {by, names};
}

// ---------------------------------------------------------------- parameters

void Trace::bindDims(const sema::Function &function, const std::vector<Term> &arguments) {
  for (bool alone : {true, false})
    for (size_t i = 0; i < function.params.size() && i < arguments.size(); ++i) {
      const Type &declared = function.params[i].var->type;
      if (declared.kind == TypeKind::Index) {
        auto value = dimOf(*arguments[i]);
        if (value && !declared.shape.empty() && declared.shape[0].isVar())
          dims_.try_emplace(declared.shape[0].varName(), *value);
        continue;
      }
      const std::vector<Dim> &given = arguments[i]->type.shape;
      for (size_t a = 0; a < declared.shape.size() && a < given.size(); ++a) {
        auto linear = linearDim(declared.shape[a]);
        if (alone && declared.shape[a].isVar()) dims_.try_emplace(declared.shape[a].varName(), given[a]);
        if (!alone && linear) dims_.try_emplace(linear->variable, linear->solved(given[a]));
      }
    }
}

void Trace::bindParameter(const Var &parameter, const Term &argument, bool active) {
  if (parameter.type.kind == TypeKind::Index) return setIndex(parameter, argument);
  Term value = argument;
  Type type = here(parameter.type);
  if (type.kind == TypeKind::Tensor) value = builder_.reshape(value, type);
  if (active) {
    value = copied(value, parameter.name);
    active_.emplace(value->var, nullptr);
  }
  env_[&parameter] = value;
}

Var *Trace::parameter(const Var &parameter) const { return env_.at(&parameter)->var; }

void Trace::setIndex(const Var &var, const Term &value) {
  Term bound = value;
  std::optional<Dim> dim = dimOf(*value);
  if (!dim) {
    bound = copied(value, var.name);
    dim = dimOf(*bound);
  }
  dims_[idName(var)] = *dim;
  env_[&var] = bound;
}

/// The value under a name of its own, which nothing else has.
Term Trace::copied(const Term &value, const std::string &name) {
  Var *var = builder_.fresh(name, value->type);
  auto let = std::make_unique<Stmt>();
  let->kind = StmtKind::Let;
  let->span = builder_.here;
  let->var = var;
  let->value = sema::clone(*value);
  builder_.block().push_back(std::move(let));
  return builder_.ref(var);
}

Type Trace::here(Type type) const {
  for (Dim &dim : type.shape) dim = dim.substitute(dims_);
  for (Type &item : type.items) item = here(item);
  return type;
}

// ---------------------------------------------------------------- statements

std::vector<Term> Trace::body(const sema::Function &function) {
  block(function.body);
  return std::move(returned_);
}

void Trace::block(const sema::Block &block) {
  for (const auto &stmt : block) {
    if (reporter_.failed || hasReturned_) return;
    statement(*stmt);
  }
}

void Trace::statement(const Stmt &stmt) {
  builder_.here = stmt.span;
  switch (stmt.kind) {
  case StmtKind::Let:
  case StmtKind::Assign: return assign(stmt);
  case StmtKind::For: return loop(stmt);
  case StmtKind::If: return branch(stmt);
  case StmtKind::Return:
    for (const ExprPtr &value : stmt.values) returned_.push_back(expr(*value));
    hasReturned_ = true;
    return;
  case StmtKind::Evaluate: expr(*stmt.value); return;
  case StmtKind::While: return reporter_.cannot(stmt.span, "a loop that ends by a condition");
  default: return reporter_.cannot(stmt.span, "this statement");
  }
}

void Trace::assign(const Stmt &stmt) {
  if (stmt.var->type.kind == TypeKind::Index) return setIndex(*stmt.var, expr(*stmt.value));
  env_[stmt.var] = expr(*stmt.value, stmt.var->name);
}

/// A loop whose bounds are known is written out.
void Trace::loop(const Stmt &stmt) {
  auto bound = [&](const ExprPtr &e, int64_t absent) -> std::optional<int64_t> {
    if (!e) return absent;
    auto dim = dimOf(*tree(*e));
    return dim && dim->isConstant() ? std::optional(dim->constant()) : std::nullopt;
  };
  auto start = bound(stmt.start, 0), stop = bound(stmt.stop, 0), step = bound(stmt.step, 1);
  if (!start || !stop || !step || *step < 1)
    return reporter_.cannot(stmt.span, "a loop whose number of turns only run time knows");
  if (*stop > *start && (*stop - *start - 1) / *step >= kMostTurns)
    return reporter_.cannot(stmt.span, "a loop of more than " + std::to_string(kMostTurns) + " turns");
  for (int64_t i = *start; i < *stop && !reporter_.failed; i += *step) {
    setIndex(*stmt.var, builder_.index(Dim(i)));
    block(stmt.body);
  }
}

namespace {
/// Whether only sizes, integers and what is known decide a condition.
bool isOfSizes(const Expr &expr) {
  if (expr.type.kind == TypeKind::Index) return true;
  if (expr.kind == ExprKind::Constant) return true;
  if (expr.kind != ExprKind::Elementwise || expr.type.dtype != DType::Bool) return false;
  return std::all_of(expr.args.begin(), expr.args.end(), [](const ExprPtr &arg) { return isOfSizes(*arg); });
}

/// The variables that a block binds, with those of the blocks in it.
void collectBound(const sema::Block &block, std::vector<const Var *> &bound) {
  for (const auto &stmt : block) {
    if (stmt->kind == StmtKind::Let || stmt->kind == StmtKind::Assign) bound.push_back(stmt->var);
    collectBound(stmt->body, bound);
    collectBound(stmt->otherwise, bound);
  }
}
}  // namespace

void Trace::branch(const Stmt &stmt) {
  ExprPtr condition = tree(*stmt.condition);
  if (auto known = constantOf(*condition)) return block(*known != 0 ? stmt.body : stmt.otherwise);
  if (isOfSizes(*condition)) return reporter_.cannot(stmt.span, "a branch on sizes");
  choose(stmt, expr(*stmt.condition));
}

/// A branch on data: both sides are computed, and what they bind is chosen from.
void Trace::choose(const Stmt &stmt, const Term &condition) {
  Env before = env_;
  block(stmt.body);
  Env then = std::move(env_);
  env_ = before;
  block(stmt.otherwise);
  if (reporter_.failed || hasReturned_) {
    if (hasReturned_) reporter_.cannot(stmt.span, "a `return` inside of a branch");
    return;
  }
  std::vector<const Var *> bound;
  collectBound(stmt.body, bound);
  collectBound(stmt.otherwise, bound);
  for (const Var *var : bound) {
    auto yes = then.find(var), no = env_.find(var);
    if (yes == then.end() || no == env_.end() || yes->second == no->second) continue;
    if (sameVariable(yes->second, no->second)) continue;
    if (var->type.kind == TypeKind::Index || var->type.kind == TypeKind::Tuple) {
      reporter_.cannot(stmt.span, "a branch on data that chooses `" + var->name + "`");
      return;
    }
    Type type = here(var->type);
    Type truths = sema::withDType(type, DType::Bool);
    Expr chosen;
    chosen.kind = ExprKind::Elementwise;
    chosen.op = ElementwiseOp::Select;
    chosen.type = type;
    chosen.span = stmt.span;
    for (const Term &part : {builder_.fill(condition, truths), yes->second, no->second})
      chosen.args.push_back(sema::clone(*part));
    env_[var] = rewritten(chosen, var->name);
  }
}

// ---------------------------------------------------------------- expressions

ExprPtr Trace::tree(const Expr &expr) {
  if (expr.kind == ExprKind::VarRef) {
    auto found = env_.find(expr.var);
    return found == env_.end() ? sema::clone(expr) : sema::clone(*found->second);
  }
  ExprPtr copy = sema::makeExpr(expr.kind, here(expr.type), expr.span);
  copy->value = expr.value;
  copy->dim = expr.dim.substitute(dims_);
  copy->op = expr.op;
  copy->reduceOp = expr.reduceOp;
  copy->axes = expr.axes;
  copy->callee = expr.callee;
  copy->queryAxis = expr.queryAxis;
  copy->text = expr.text;
  copy->nameHint = expr.nameHint;
  for (const ExprPtr &arg : expr.args) copy->args.push_back(tree(*arg));
  for (const sema::IndexPart &part : expr.access.parts) {
    sema::IndexPart moved;
    moved.isPoint = part.isPoint;
    moved.offset = part.offset ? tree(*part.offset) : nullptr;
    moved.size = part.size.substitute(dims_);
    moved.step = part.step;
    moved.inBounds = part.inBounds;
    copy->access.parts.push_back(std::move(moved));
  }
  return copy;
}

Term Trace::expr(const Expr &expr, const std::string &name) {
  bool truth = expr.type.kind == TypeKind::Scalar && expr.type.dtype == DType::Bool;
  if (expr.type.kind == TypeKind::Index || truth || expr.kind == ExprKind::VarRef) return builder_.bind(tree(expr), name);
  if (expr.kind == ExprKind::Call) return call(expr);
  Expr flat;
  flat.kind = expr.kind;
  flat.span = expr.span;
  flat.value = expr.value;
  flat.dim = expr.dim.substitute(dims_);
  flat.op = expr.op;
  flat.reduceOp = expr.reduceOp;
  flat.axes = expr.axes;
  flat.queryAxis = expr.queryAxis;
  flat.text = expr.text;
  flat.nameHint = expr.nameHint;
  flat.type = here(expr.type);
  for (const ExprPtr &arg : expr.args) {
    Term value = this->expr(*arg);
    if (reporter_.failed) return value;
    flat.args.push_back(sema::clone(*value));
  }
  for (const sema::IndexPart &part : expr.access.parts) {
    sema::IndexPart moved = sema::clone(part);
    if (part.offset) moved.offset = tree(*part.offset);
    moved.size = part.size.substitute(dims_);
    flat.access.parts.push_back(std::move(moved));
  }
  return rewritten(flat, name);
}

/// Binds an operation on what is bound already, and says what its tangent is.
Term Trace::rewritten(const Expr &flat, const std::string &name) {
  if (flat.kind == ExprKind::Broadcast || flat.kind == ExprKind::Reshape)
    if (auto known = constantOf(*flat.args[0]); known && flat.args[0]->kind != ExprKind::VarRef)
      return builder_.number(*known, flat.type);
  Span outer = builder_.here;
  Term value = builder_.bind(sema::clone(flat), name);
  if (value->kind == ExprKind::VarRef) linearize(value->var, flat);
  builder_.here = outer;
  return value;
}

/// What stays a call: a kernel, which has no derivative of its own, or a function whose derivative is written by hand.
Term Trace::call(const Expr &expr) {
  ExprPtr made = sema::makeExpr(ExprKind::Call, here(expr.type), expr.span);
  made->callee = expr.callee;
  const Var *because = nullptr;
  for (const ExprPtr &arg : expr.args) {
    Term value = this->expr(*arg);
    if (reporter_.failed) return value;
    if (isActive(value)) because = value->var;
    made->args.push_back(sema::clone(*value));
  }
  Term value = builder_.bind(std::move(made));
  bool isKernel = expr.callee->kind == sema::FunctionKind::Kernel;
  if (because && value->kind == ExprKind::VarRef)
    refused(value->var, because, {expr.span, (isKernel ? "the kernel `" : "the rule of `") + expr.callee->name + "`"});
  return value;
}

}  // namespace tessera::autodiff
