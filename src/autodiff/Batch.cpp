#include "autodiff/Batch.h"
#include "autodiff/BatchKernel.h"
#include "autodiff/CallStep.h"
#include <algorithm>
#include <utility>

namespace tessera::autodiff {

using checked::Block;
using checked::Expr;
using checked::ExprKind;
using checked::ExprPtr;
using checked::Stmt;
using checked::StmtKind;
using checked::Type;
using checked::TypeKind;
using checked::Var;
namespace node = checked::node;

namespace {
constexpr int64_t kMostTurns = 64;  // of a loop that is written out
}  // namespace

std::vector<Term> Batch::run(const checked::Function &function, const std::vector<Term> &arguments, const std::vector<bool> &mapped) {
  for (size_t i = 0; i < arguments.size(); ++i)
    if (mapped[i]) extent_ = arguments[i]->type.shape[0];
  bindDims(function, arguments, mapped);
  for (size_t i = 0; i < arguments.size(); ++i) {
    const Var &parameter = *function.params[i].var;
    if (parameter.type.kind == TypeKind::Index) {
      setIndex(parameter, arguments[i]);
      continue;
    }
    Type type = here(parameter.type);
    if (!mapped[i]) env_[&parameter] = type.kind == TypeKind::Tensor ? builder_.reshape(arguments[i], type) : arguments[i];
    else env_[&parameter] = mark(copied(builder_.reshape(arguments[i], wide(type)), parameter.name));
  }
  block(function.body);
  std::vector<Term> values;
  bool any = std::find(mapped.begin(), mapped.end(), true) != mapped.end();
  for (const Term &value : returned_)
    if (!reporter_.failed) values.push_back(any ? lifted(value) : value);
  return values;
}

Term Batch::mark(Term term) {
  if (const Var *var = term ? checked::varOf(*term) : nullptr) mapped_.insert(var);
  return term;
}

/// Whether names in an expression of the function stand for mapped values.
bool Batch::hasMapped(const Expr &expr) const {
  bool any = false;
  checked::visitExprs(const_cast<Expr *>(&expr), [&](Expr &e) {
    auto found = env_.find(checked::varOf(e));
    any |= found != env_.end() && isMapped(found->second);
  });
  return any;
}

// ---------------------------------------------------------------- statements

void Batch::block(const Block &block) {
  for (const auto &stmt : block) {
    if (reporter_.failed || hasReturned_) return;
    statement(*stmt);
  }
}

void Batch::statement(const Stmt &stmt) {
  builder_.here = stmt.span;
  switch (stmt.kind) {
  case StmtKind::Let:
  case StmtKind::Assign:
    if (stmt.var->type.kind == TypeKind::Index && hasMapped(*stmt.value)) {
      env_[stmt.var] = placesOf(*stmt.value);
    } else if (stmt.var->type.kind == TypeKind::Index) {
      Term value = expr(*stmt.value);
      if (!reporter_.failed) setIndex(*stmt.var, value);
    } else {
      env_[stmt.var] = expr(*stmt.value, stmt.var->name);
    }
    return;
  case StmtKind::For: return loop(stmt);
  case StmtKind::While: return keepLoop(stmt);
  case StmtKind::If: return branch(stmt);
  case StmtKind::Return:
    for (const ExprPtr &value : stmt.values) returned_.push_back(expr(*value));
    hasReturned_ = true;
    return;
  case StmtKind::Evaluate: expr(*stmt.value); return;
  default: return reporter_.cannot(stmt.span, "this statement");
  }
}

/// A loop of a few turns is written out; one that run time ends stays.
void Batch::loop(const Stmt &stmt) {
  for (const ExprPtr *e : {&stmt.start, &stmt.stop, &stmt.step})
    if (*e && hasMapped(**e)) return reporter_.cannot(stmt.span, "a loop that ends at another turn for each index of the axis");
  auto bound = [&](const ExprPtr &e, int64_t absent) -> std::optional<int64_t> {
    if (!e) return absent;
    auto dim = dimOf(*tree(*e));
    return dim && dim->isConstant() ? std::optional(dim->constant()) : std::nullopt;
  };
  auto start = bound(stmt.start, 0), stop = bound(stmt.stop, 0), step = bound(stmt.step, 1);
  if (!start || !stop || !step || *step < 1 || (*stop > *start && (*stop - *start - 1) / *step >= kMostTurns)) return keepLoop(stmt);
  for (int64_t i = *start; i < *stop && !reporter_.failed; i += *step) {
    setIndex(*stmt.var, builder_.index(Dim(i)));
    block(stmt.body);
  }
}

/// The variables of a block that depend on mapped values, if those that are `tainted` do. `under`: a mapped condition decides
/// whether the block is gone through.
void Batch::taint(const Block &block, std::set<const Var *> &tainted, bool under) const {
  auto depends = [&](const Expr &e) {
    bool any = hasMapped(e);
    checked::visitExprs(const_cast<Expr *>(&e), [&](Expr &inner) { any |= tainted.count(checked::varOf(inner)) != 0; });
    return any;
  };
  for (const auto &stmt : block) {
    bool here = under || (stmt->condition && depends(*stmt->condition));
    if (stmt->var && stmt->value && (here || depends(*stmt->value))) tainted.insert(stmt->var);
    taint(stmt->body, tainted, here);
    taint(stmt->otherwise, tainted, here);
  }
}

/// What a turn leaves to the next is in variables of its own: of the axis in front, if it depends on a mapped value in any turn.
void Batch::keepLoop(const Stmt &stmt) {
  std::vector<const Var *> bound, carried;
  collectBound(stmt.body, bound);
  for (const Var *var : bound)
    if (env_.count(var) && std::find(carried.begin(), carried.end(), var) == carried.end()) carried.push_back(var);
  std::set<const Var *> tainted;
  for (size_t before = SIZE_MAX; before != tainted.size();) {
    before = tainted.size();
    taint(stmt.body, tainted, false);
  }
  if (stmt.condition) {
    bool differs = hasMapped(*stmt.condition);
    checked::visitExprs(stmt.condition.get(), [&](Expr &e) { differs |= tainted.count(checked::varOf(e)) != 0; });
    if (differs) return reporter_.cannot(stmt.span, "a loop that ends at another turn for each index of the axis");
  }
  std::vector<Var *> kept;
  for (const Var *var : carried) {
    Term initial = env_[var];
    bool isWide = tainted.count(var) || isMapped(initial);
    if (var->type.kind == TypeKind::Tuple) return reporter_.cannot(stmt.span, "a loop that leaves several results, `" + var->name + "`, to its next turn");
    if (isWide && var->type.kind == TypeKind::Index) return reporter_.cannot(stmt.span, "an integer of the program, `" + var->name + "`, that differs along the axis,");
    if (isWide) initial = lifted(initial);
    Var *slot = builder_.fresh(var->name, initial->type);
    slot->reassigned = true;
    builder_.let(slot, initial);
    kept.push_back(slot);
    if (var->type.kind == TypeKind::Index) setIndex(*var, builder_.ref(slot));
    else env_[var] = isWide ? mark(builder_.ref(slot)) : builder_.ref(slot);
  }
  auto made = std::make_unique<Stmt>();
  made->kind = stmt.kind;
  made->span = stmt.span;
  for (auto part : {&Stmt::condition, &Stmt::start, &Stmt::stop, &Stmt::step})
    if (const ExprPtr &e = stmt.*part) made.get()->*part = tree(*e);
  if (stmt.kind == StmtKind::For) {
    made->var = builder_.fresh(stmt.var->name, stmt.var->type);
    setIndex(*stmt.var, builder_.ref(made->var));
  }
  Block *outer = builder_.enter(&made->body);
  Env before = env_;
  Dims dims = dims_;
  block(stmt.body);
  std::vector<Term> next;  // all are known before the first is overwritten
  for (size_t i = 0; i < kept.size() && !reporter_.failed; ++i) {
    Term value = env_[carried[i]];
    if (isMapped(before[carried[i]])) value = lifted(value);
    next.push_back(copied(value, carried[i]->name));
  }
  for (size_t i = 0; i < next.size(); ++i) {
    builder_.let(kept[i], next[i]);
    builder_.block().back()->kind = StmtKind::Assign;
  }
  builder_.enter(outer);
  builder_.block().push_back(std::move(made));
  env_ = std::move(before);
  dims_ = std::move(dims);
  if (hasReturned_) reporter_.cannot(stmt.span, "a `return` inside of a loop");
}

void Batch::branch(const Stmt &stmt) {
  if (hasMapped(*stmt.condition)) return choose(stmt, expr(*stmt.condition));
  ExprPtr condition = tree(*stmt.condition);
  if (auto known = constantOf(*condition)) return block(*known != 0 ? stmt.body : stmt.otherwise);
  ask(stmt, std::move(condition));
}

/// A branch that each index takes for itself: both sides are computed, and what they bind is chosen from.
void Batch::choose(const Stmt &stmt, const Term &condition) {
  Env before = env_;
  block(stmt.body);
  Env then = std::exchange(env_, before);
  block(stmt.otherwise);
  if (hasReturned_) return reporter_.cannot(stmt.span, "a `return` inside of a branch");
  if (reporter_.failed) return;
  std::vector<const Var *> bound;
  collectBound(stmt.body, bound);
  collectBound(stmt.otherwise, bound);
  for (const Var *var : bound) {
    auto yes = then.find(var), no = env_.find(var);
    if (yes == then.end() || no == env_.end() || yes->second == no->second || sameVariable(yes->second, no->second)) continue;
    if (var->type.kind == TypeKind::Index || var->type.kind == TypeKind::Tuple)
      return reporter_.cannot(stmt.span, "a branch on a mapped value that chooses `" + var->name + "`");
    Term value = builder_.select(builder_.broadcast(condition, wide(here(var->type)).shape, {0}), lifted(yes->second), lifted(no->second));
    Builder::name(value, var->name);
    env_[var] = mark(value);
    then[var] = env_[var];
  }
}

/// A branch that all indices take together stays one.
void Batch::ask(const Stmt &stmt, ExprPtr condition) {
  Env before = env_, after[2];
  Dims dims = dims_;
  auto made = std::make_unique<Stmt>();
  made->kind = StmtKind::If;
  made->span = stmt.span;
  made->condition = std::move(condition);
  Block *outer = &builder_.block();
  for (bool side : {true, false}) {
    env_ = before;
    dims_ = dims;
    builder_.enter(side ? &made->body : &made->otherwise);
    block(side ? stmt.body : stmt.otherwise);
    after[side] = env_;
  }
  env_ = before;
  dims_ = dims;
  std::vector<const Var *> bound;
  collectBound(stmt.body, bound);
  collectBound(stmt.otherwise, bound);
  std::set<const Var *> done;
  for (const Var *var : bound) {
    auto yes = after[1].find(var), no = after[0].find(var);
    if (reporter_.failed || !done.insert(var).second || yes == after[1].end() || no == after[0].end() || var->type.kind == TypeKind::Tuple) continue;
    bool isWide = isMapped(yes->second) || isMapped(no->second);
    Var *joined = nullptr;
    for (bool side : {true, false}) {
      builder_.enter(side ? &made->body : &made->otherwise);
      Term value = side ? yes->second : no->second;
      if (isWide) value = lifted(value);
      if (!joined) joined = builder_.fresh(var->name, value->type);
      builder_.let(joined, value);
    }
    if (var->type.kind == TypeKind::Index) setIndex(*var, builder_.ref(joined));
    else env_[var] = isWide ? mark(builder_.ref(joined)) : builder_.ref(joined);
  }
  builder_.enter(outer);
  builder_.block().push_back(std::move(made));
  if (hasReturned_) reporter_.cannot(stmt.span, "a `return` inside of a branch");
}

// ---------------------------------------------------------------- expressions

/// The integers of the program that an expression is for the indices of the axis, as numbers of an array: what gathers take.
Term Batch::placesOf(const Expr &expr) {
  if (!hasMapped(expr)) return mark(lifted(builder_.cast(builder_.bind(tree(expr)), DType::I64)));
  if (const Var *var = checked::varOf(expr)) return env_.at(var);
  const auto *cast = expr.get<node::Cast>();
  if (cast && !cast->ofBits) return mark(builder_.cast(this->expr(*expr.args[0]), DType::I64));
  if (const auto *op = expr.get<node::Elementwise>()) {
    std::vector<Term> args;
    for (const ExprPtr &arg : expr.args) args.push_back(arg->type.kind == TypeKind::Index ? placesOf(*arg) : lifted(this->expr(*arg)));
    return reporter_.failed ? args[0] : mark(builder_.apply(op->op, std::move(args)));
  }
  reporter_.cannot(expr.span, "an index that differs along the axis");
  return builder_.index(Dim(0));
}

Term Batch::expr(const Expr &expr, const std::string &name) {
  Term nothing = builder_.index(Dim(0));
  bool differs = hasMapped(expr);
  auto isPlace = [](const ExprPtr &arg) { return arg->type.kind == TypeKind::Index; };
  if (differs && expr.kind == ExprKind::Cast && isPlace(expr.args[0]) && expr.type.kind != TypeKind::Index)
    return mark(builder_.cast(placesOf(*expr.args[0]), expr.type.dtype));
  if (expr.type.kind == TypeKind::Index && differs) {
    reporter_.cannot(expr.span, "an index that differs along the axis");
    return nothing;
  }
  bool truth = expr.type.kind == TypeKind::Scalar && expr.type.dtype == DType::Bool;
  if (expr.kind == ExprKind::VarRef || expr.type.kind == TypeKind::Index || (truth && !differs)) return builder_.bind(tree(expr), name);
  if (expr.kind == ExprKind::Call) return call(expr);
  if (expr.kind == ExprKind::TupleItem) {
    Term tuple = this->expr(*expr.args[0]);
    auto items = tuple ? tuples_.find(checked::varOf(*tuple)) : tuples_.end();
    if (items != tuples_.end()) return items->second.at(static_cast<size_t>(expr.as<node::TupleItem>().item));
  }
  if (const checked::Access *access = checked::accessOf(expr))
    for (const checked::IndexPart &part : access->parts)
      if (part.offset && hasMapped(*part.offset)) {
        reporter_.cannot(expr.span, "a place that differs along the axis (`take` gathers from such places)");
        return nothing;
      }
  std::vector<Term> args;
  bool any = false;
  for (const ExprPtr &arg : expr.args) {
    args.push_back(differs && isPlace(arg) && expr.kind == ExprKind::Elementwise ? placesOf(*arg) : this->expr(*arg));
    if (reporter_.failed) return nothing;
    any |= isMapped(args.back());
  }
  Span outer = std::exchange(builder_.here, expr.span.valid() ? expr.span : builder_.here);
  size_t next = 0;
  ExprPtr out = any ? mappedOp(expr, args) : moved(expr, [&](const Expr &) { return checked::clone(*args[next++]); });
  if (!out) reporter_.cannot(expr.span, "this operation");
  bool isWide = any && (expr.kind != ExprKind::After || isMapped(args[0]));
  Term value = out ? builder_.bind(std::move(out), name) : nothing;
  if (isWide) mark(value);
  builder_.here = outer;
  return value;
}

std::vector<Term> Batch::inlined(const checked::Function &function, const std::vector<Term> &arguments) {
  Env env = std::exchange(env_, {});
  Dims dims = std::exchange(dims_, {});
  std::vector<Term> outer = std::exchange(returned_, {});
  bool hadReturned = std::exchange(hasReturned_, false);
  Span place = builder_.here;
  std::vector<bool> mapped;
  for (const Term &argument : arguments) mapped.push_back(isMapped(argument));
  bindDims(function, arguments, mapped);
  for (size_t i = 0; i < arguments.size(); ++i) {
    const Var &parameter = *function.params[i].var;
    if (parameter.type.kind == TypeKind::Index) setIndex(parameter, arguments[i]);
    else env_[&parameter] = arguments[i];
  }
  block(function.body);
  builder_.here = place;
  env_ = std::move(env);
  dims_ = std::move(dims);
  hasReturned_ = hadReturned;
  return std::exchange(returned_, std::move(outer));
}

/// A function is written out. One whose derivative is made in its own way stays a call, of a function for all indices whose
/// derivative is made in the same way, and a kernel one of a kernel for all indices.
Term Batch::call(const Expr &expr) {
  const checked::Function *callee = expr.as<node::Call>().callee;
  std::vector<Term> arguments;
  std::vector<bool> mapped;
  for (const ExprPtr &arg : expr.args) {
    arguments.push_back(this->expr(*arg));
    if (reporter_.failed) return builder_.index(Dim(0));
    mapped.push_back(isMapped(arguments.back()));
  }
  bool any = std::find(mapped.begin(), mapped.end(), true) != mapped.end();
  bool isKernel = callee->kind == checked::FunctionKind::Kernel;
  if (isKernel && any) {  // what it writes is an array of its own for each index
    mapped = mappedInKernel(*callee, std::move(mapped));
    for (size_t i = 0; i < arguments.size(); ++i)
      if (mapped[i]) arguments[i] = lifted(arguments[i]);
  }
  std::vector<Term> values;
  if (!isKernel && !rules_.stayCalls(*callee)) {
    values = inlined(*callee, arguments);
  } else {
    const checked::Function *called = any ? batched_(*callee, mapped) : callee;
    if (!called) return builder_.index(Dim(0));
    std::vector<Type> types = expr.type.kind == TypeKind::Tuple ? expr.type.items : std::vector<Type>{expr.type};
    for (Type &type : types) {
      type = any ? wide(here(type)) : here(type);
      if (type.shape.empty()) type.kind = TypeKind::Scalar;
    }
    values = calledFunction(*called, arguments, std::move(types), expr.span, builder_);
    if (any)
      for (const Term &value : values) mark(value);
  }
  if (reporter_.failed || values.empty()) return builder_.index(Dim(0));
  if (expr.type.kind != TypeKind::Tuple) return values[0];
  unwritten_.push_back(std::make_unique<Var>());
  Var *tuple = unwritten_.back().get();
  tuple->type = here(expr.type);
  tuples_[tuple] = std::move(values);
  return builder_.ref(tuple);
}

}  // namespace tessera::autodiff
