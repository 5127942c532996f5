// Statements in order.
#include "ir/common/Names.h"
#include "ir/common/SharedAlignment.h"
#include "irgen/FunctionGen.h"
#include "support/Check.h"
#include <utility>

namespace tessera::irgen {
using namespace mlir;
using checked::StmtKind;

/// What follows a statement that may leave the loop or the iteration runs only if it did not.
void FunctionGen::genBlock(Stmts block) {
  Span outer = here_;
  for (size_t i = 0; i < block.size(); ++i) {
    // Statements of a callee stand before the statement that calls it.
    size_t own = i;
    while (own < block.size() && !isOwn(block[own]->span)) ++own;
    here_ = own < block.size() ? block[own]->span : outer;
    bool behind = std::exchange(liveIsRead_, liveIsRead_ || i + 1 < block.size());
    genStmt(*block[i]);
    liveIsRead_ = behind;
    if (!mayExit(*block[i])) continue;
    if (i + 1 < block.size()) genIfLive(block.subspan(i + 1));
    break;
  }
  here_ = outer;
}

void FunctionGen::genStmt(const checked::Stmt &stmt) {
  switch (stmt.kind) {
  case StmtKind::Let:
  case StmtKind::Assign: return genLet(stmt);
  case StmtKind::Store: return genStore(stmt);
  case StmtKind::Atomic: return genAtomic(stmt);
  case StmtKind::For: return genFor(stmt);
  case StmtKind::While: return genWhile(stmt);
  case StmtKind::If: return genIf(stmt);
  case StmtKind::AllocShared: {
    Location location = ir::withSizes(stmt.var->type.shape, place(stmt.span, stmt.var->name));
    Type type = typeOf(stmt.var->type, stmt.var->swizzle);
    auto alloc = builder_.create<graph::AllocSharedOp>(location, type);
    if (stmt.count) alloc->setAttr(ir::kSharedAlignment, builder_.getI64IntegerAttr(stmt.count));
    values_[stmt.var] = {alloc};
    return;
  }
  case StmtKind::AsyncCopy: return genAsyncCopy(stmt);
  case StmtKind::CommitGroup: builder_.create<graph::CommitGroupOp>(place(stmt.span)); return;
  case StmtKind::WaitGroup: builder_.create<graph::WaitGroupOp>(place(stmt.span), stmt.count); return;
  case StmtKind::Barrier: builder_.create<graph::BarrierOp>(place(stmt.span)); return;
  case StmtKind::Return: return genReturn(stmt);
  case StmtKind::Break:
  case StmtKind::Continue: return genExit(stmt);
  case StmtKind::Evaluate:
    if (stmt.value->type.kind == checked::TypeKind::Tuple) genTuple(*stmt.value);
    else genExpr(*stmt.value);
    return;
  default: TSR_CHECK(genHostStmt(stmt), "a statement that no phase knows");
  }
}

void FunctionGen::genLet(const checked::Stmt &stmt) {
  if (stmt.var->type.kind == checked::TypeKind::Tuple) {
    values_[stmt.var] = genTuple(*stmt.value);
    return;
  }
  Value value = genExpr(*stmt.value, stmt.var->name);
  values_[stmt.var] = {fit(value, typeOf(stmt.var->type), place(stmt.span, stmt.var->name))};
}

void FunctionGen::genReturn(const checked::Stmt &stmt) {
  if (depth_ > 0) {
    diagnostics_.report(diag::Id::cannotReturnInside, stmt.span)
        .help("assign the result to a variable in each branch and return that variable at the end of the "
              "function");
    return;
  }
  if (isKernel()) return;
  SmallVector<Value> results;
  for (size_t i = 0; i < stmt.values.size(); ++i) {
    const checked::FunctionResult &result = function_.results[i];
    Value value = genExpr(*stmt.values[i]);
    results.push_back(fit(value, typeOf(result.type), place(stmt.span)));
  }
  builder_.create<graph::ReturnOp>(place(stmt.span), results);
}

}  // namespace tessera::irgen
