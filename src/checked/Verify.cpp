// Functions and their statements.
#include "checked/Verify.h"
#include "checked/Verifier.h"
#include "support/Atomics.h"
#include "support/SetAtPlaces.h"
#include <algorithm>
#include <iterator>
#include <utility>

namespace tessera::checked {

void FunctionVerifier::run() {
  place_ = "its variables";
  require(!function_.name.empty(), "a function has a name");
  std::set<uint32_t> ids;
  for (const auto &var : function_.vars) {
    require(var != nullptr, "a variable is there");
    require(ids.insert(var->id).second, "the numbers of variables differ");
    owned_.insert(var.get());
  }
  params();
  results();
  if (isKernel()) kernel();
  block(function_.body);
}

void FunctionVerifier::params() {
  place_ = "its parameters";
  for (const Param &param : function_.params) {
    require(param.var != nullptr, "a parameter has a variable");
    define(param.var);
    require(!param.defaultValue || param.defaultValue->kind == ExprKind::Constant, "a default is a constant");
    if (param.defaultValue) expr(param.defaultValue, "");
    require(param.scalesOf < static_cast<int>(function_.params.size()), "scales are of a parameter");
    require(!param.isResult || param.mode == ParamMode::Out, "a parameter that is a result goes out");
  }
}

void FunctionVerifier::results() {
  place_ = "its results";
  for (const FunctionResult &result : function_.results) {
    require(!result.name.empty(), "a result has a name");
    require(result.param < static_cast<int>(function_.params.size()), "a result's parameter is there");
    require(!isKernel() || result.param >= 0, "a kernel's result is a parameter");
  }
  const int count = static_cast<int>(function_.results.size());
  for (const TestClaim &claim : function_.claims) {
    require(function_.isTest() && claim.held >= 0 && claim.held < count, "whether an assertion holds is a result of a test");
    require(claim.left < count && claim.right < count, "what an assertion compares is a result");
  }
}

void FunctionVerifier::kernel() {
  place_ = "its grid";
  const KernelInfo &info = function_.kernel;
  require(info.groupSize >= 0, "a group has some lanes");
  if (info.grid == GridKind::Explicit) require(!info.gridDims.empty(), "a grid has axes");
  if (info.grid != GridKind::Output || info.outputParam < 0) return;
  require(info.outputParam < static_cast<int>(function_.params.size()), "the output is a parameter");
  const Type &type = function_.params[info.outputParam].var->type;
  require(info.tileShape.size() == type.shape.size(), "a tile has the axes of the output");
}

void FunctionVerifier::define(const Var *var) {
  require(owned_.count(var) != 0, "a variable belongs to its function");
  inScope_.insert(var);
}

void FunctionVerifier::defined(const Var *var) const {
  require(var != nullptr, "a use names a variable");
  require(inScope_.count(var) != 0, "a variable is bound before it is used");
}

/// What a block binds is not in scope after it; the result is what was in scope at its end.
std::set<const Var *> FunctionVerifier::block(const Block &block) {
  std::set<const Var *> before = inScope_;
  for (const auto &s : block) {
    require(s != nullptr, "a statement is there");
    stmt(*s);
  }
  return std::exchange(inScope_, std::move(before));
}

/// What both sides bind is in scope after the branch.
void FunctionVerifier::branch(const Stmt &stmt) {
  expr(stmt.condition, "a branch has a condition");
  std::set<const Var *> then = block(stmt.body), otherwise = block(stmt.otherwise);
  std::set_intersection(then.begin(), then.end(), otherwise.begin(), otherwise.end(),
                        std::inserter(inScope_, inScope_.end()));
}

void FunctionVerifier::fields(const Stmt &stmt) const {
  bool isLoop = stmt.kind == StmtKind::For || stmt.kind == StmtKind::While;
  bool isBinding = stmt.kind == StmtKind::Let || stmt.kind == StmtKind::Assign;
  const bool isAtomic = stmt.kind == StmtKind::Atomic;
  bool hasAccess = stmt.kind == StmtKind::Store || isAtomic || stmt.kind == StmtKind::AsyncCopy;
  require(!stmt.var || isBinding || isAtomic || stmt.kind == StmtKind::For || stmt.kind == StmtKind::AllocShared,
          "only a binding, a loop, an update in one step and a buffer have a variable");
  require(stmt.body.empty() || isLoop || stmt.kind == StmtKind::If, "only loops and branches have a body");
  require(stmt.otherwise.empty() || stmt.kind == StmtKind::If, "only a branch has another side");
  require(!stmt.access.base || hasAccess, "only stores and copies access memory");
  require(!stmt.source.base || stmt.kind == StmtKind::AsyncCopy, "only a copy has a source");
  require(stmt.values.empty() || isAtomic || stmt.kind == StmtKind::Return, "only a return and an update in one step have values");
  require(!stmt.oncePerGroup || isAtomic || stmt.kind == StmtKind::Store, "only what writes memory is done once");
  require((!stmt.start && !stmt.stop && !stmt.step) || stmt.kind == StmtKind::For, "only a `for` has bounds");
  for (const ExprPtr *e : {&stmt.value, &stmt.condition, &stmt.start, &stmt.stop, &stmt.step})
    require(!*e || (*e)->kind != ExprKind::Warp || (isBinding && e == &stmt.value), "an exchange between lanes stands alone in a binding");
}

static std::string_view nameOf(StmtKind kind) {
  static const char *const names[] = {"let",   "assign",   "store", "atomic", "for",  "while",   "if",     "break",    "continue", "alloc",
                                      "async", "commit",   "wait",  "barrier", "return", "evaluate", "print", "save_npy", "assert"};
  return names[static_cast<int>(kind)];
}

void FunctionVerifier::stmt(const Stmt &stmt) {
  place_ = nameOf(stmt.kind);
  if (stmt.var) place_ += " " + stmt.var->name;
  fields(stmt);
  switch (stmt.kind) {
  case StmtKind::Let:
  case StmtKind::Assign:
    expr(stmt.value, "a binding has a value");
    require(stmt.var != nullptr, "a binding has a variable");
    require(stmt.var->type.shape.size() == stmt.value->type.shape.size() || !stmt.var->type.isArray(),
            "a variable has the axes of its value");
    if (stmt.kind == StmtKind::Let) return define(stmt.var);
    require(stmt.var->reassigned, "a variable that is assigned again is marked");
    return defined(stmt.var);
  case StmtKind::Store:
  case StmtKind::Atomic:
  case StmtKind::AllocShared:
  case StmtKind::AsyncCopy:
  case StmtKind::CommitGroup:
  case StmtKind::WaitGroup:
  case StmtKind::Barrier: return memory(stmt);
  case StmtKind::For:
  case StmtKind::While: return loop(stmt);
  case StmtKind::If: return branch(stmt);
  case StmtKind::Break:
  case StmtKind::Continue: return require(loops_ > 0, "`break` and `continue` are in a loop");
  case StmtKind::Return:
    require(isKernel() ? stmt.values.empty() : stmt.values.size() == function_.results.size(),
            "a return has a value for each result of a function, and none in a kernel");
    for (const ExprPtr &value : stmt.values) expr(value, "a result has a value");
    return;
  case StmtKind::Evaluate: return expr(stmt.value, "what is evaluated is there");
  case StmtKind::Print:
    expr(stmt.value, "what is printed is there");
    return require(stmt.value->kind == ExprKind::Format, "what is printed is a format");
  case StmtKind::SaveNpy: expr(stmt.value, "a file has a path"); return expr(stmt.extra, "a file has a tensor");
  case StmtKind::Assert:
    expr(stmt.condition, "an assertion has a condition");
    if (stmt.value) expr(stmt.value, "");
    return;
  }
  require(false, "a statement has a kind");
}

void FunctionVerifier::memory(const Stmt &stmt) {
  require(isKernel(), "memory is accessed in kernels");
  if (stmt.kind == StmtKind::WaitGroup) require(stmt.count >= 0, "a wait leaves some copies running");
  if (stmt.kind == StmtKind::AllocShared) {
    require(stmt.var && stmt.var->type.kind == TypeKind::Shared, "a buffer is a variable in shared memory");
    require(stmt.count >= 0 && (stmt.count & (stmt.count - 1)) == 0, "a buffer is aligned to a power of two");
    define(stmt.var);
  }
  if (stmt.kind == StmtKind::Store) {
    access(stmt.access, nullptr);
    expr(stmt.value, "a store has a value");
  }
  if (stmt.kind == StmtKind::Atomic) atomic(stmt);
  if (stmt.kind == StmtKind::AsyncCopy) {
    access(stmt.access, nullptr);
    access(stmt.source, nullptr);
    require(stmt.access.base->type.kind == TypeKind::Shared && stmt.source.base->type.kind == TypeKind::View,
            "a copy goes from global to shared memory");
  }
}

void FunctionVerifier::atomic(const Stmt &stmt) {
  access(stmt.access, nullptr);
  expr(stmt.value, "an update in one step has a value");
  const Type &type = stmt.value->type;
  require(stmt.access.base && type.dtype == stmt.access.base->type.dtype &&
              (stmt.combine == kSetAtPlaces ? type.isArray() : hasAtomicForm(stmt.combine, type.dtype)),
          "an update in one step has a form for its dtype");
  require(type.isArray() ? stmt.values.size() == stmt.access.parts.size() : stmt.values.empty(),
          "an array that is combined with memory has an index for each dimension, and a scalar has its place");
  for (const ExprPtr &index : stmt.values) {
    expr(index, "an index is there");
    require(!index->type.isArray() || (index->type.dtype == DType::I64 && index->type.shape == type.shape),
            "an array of indices has as many as there are elements");
  }
  if (!stmt.var) return;
  require(!type.isArray() && !stmt.oncePerGroup && stmt.var->varying, "each lane has what was there before its own update");
  define(stmt.var);
}

void FunctionVerifier::loop(const Stmt &stmt) {
  std::set<const Var *> before = inScope_;
  if (stmt.kind == StmtKind::For) {
    index(stmt.start, "a `for` has a start");
    index(stmt.stop, "a `for` has an end");
    index(stmt.step, "a `for` has a step");
    require(stmt.var && stmt.var->type.kind == TypeKind::Index, "a `for` counts in an index");
    define(stmt.var);
  } else {
    expr(stmt.condition, "a `while` has a condition");
  }
  ++loops_;
  block(stmt.body);
  --loops_;
  inScope_ = std::move(before);
}

std::string verify(const Function &function) {
  FunctionVerifier verifier(function);
  try {
    verifier.run();
  } catch (const Broken &broken) {
    return "`" + function.name + "`, " + verifier.place() + ": it does not hold that " + broken.what;
  }
  return {};
}

std::string verify(const Program &program) {
  for (const auto &function : program.functions) {
    if (!function) return "a function is missing";
    if (std::string wrong = verify(*function); !wrong.empty()) return wrong;
  }
  return {};
}

}  // namespace tessera::checked
