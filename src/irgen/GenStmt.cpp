// Statements. A variable that a loop or branch rebinds becomes a value that the loop or branch carries.
#include "ir/common/Names.h"
#include "irgen/FunctionGen.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "support/Check.h"

namespace tessera::irgen {
using namespace mlir;
using sema::StmtKind;

void FunctionGen::genBlock(const sema::Block &block) {
  for (const auto &stmt : block) genStmt(*stmt);
}

void FunctionGen::genStmt(const sema::Stmt &stmt) {
  switch (stmt.kind) {
  case StmtKind::Let:
  case StmtKind::Assign: return genLet(stmt);
  case StmtKind::Store: return genStore(stmt);
  case StmtKind::For: return genFor(stmt);
  case StmtKind::While: return genWhile(stmt);
  case StmtKind::If: return genIf(stmt);
  case StmtKind::AllocShared: {
    Location location = place(stmt.span, stmt.var->name);
    Type type = typeOf(stmt.var->type, stmt.var->swizzle);
    values_[stmt.var] = {builder_.create<graph::AllocSharedOp>(location, type)};
    return;
  }
  case StmtKind::AsyncCopy: return genAsyncCopy(stmt);
  case StmtKind::CommitGroup: builder_.create<graph::CommitGroupOp>(place(stmt.span)); return;
  case StmtKind::WaitGroup: builder_.create<graph::WaitGroupOp>(place(stmt.span), stmt.count); return;
  case StmtKind::Barrier: builder_.create<graph::BarrierOp>(place(stmt.span)); return;
  case StmtKind::Return: return genReturn(stmt);
  case StmtKind::Evaluate:
    if (stmt.value->type.kind == sema::TypeKind::Tuple) genTuple(*stmt.value);
    else genExpr(*stmt.value);
    return;
  default: TSR_CHECK(genHostStmt(stmt), "a statement that no phase knows");
  }
}

void FunctionGen::genLet(const sema::Stmt &stmt) {
  if (stmt.var->type.kind == sema::TypeKind::Tuple) {
    values_[stmt.var] = genTuple(*stmt.value);
    return;
  }
  Value value = genExpr(*stmt.value, stmt.var->name);
  values_[stmt.var] = {fit(value, typeOf(stmt.var->type), place(stmt.span, stmt.var->name))};
}

void FunctionGen::genReturn(const sema::Stmt &stmt) {
  if (depth_ > 0) {
    diagnostics_.report(diag::Id::cannotReturnInside, stmt.span)
        .help("assign the result to a variable in each branch and return that variable at the end of the function");
    return;
  }
  if (isKernel()) return;
  SmallVector<Value> results;
  for (size_t i = 0; i < stmt.values.size(); ++i) {
    const sema::FunctionResult &result = function_.results[i];
    Value value = genExpr(*stmt.values[i], result.name == "result" ? "" : StringRef(result.name));
    results.push_back(fit(value, typeOf(result.type), place(stmt.span)));
  }
  builder_.create<graph::ReturnOp>(place(stmt.span), results);
}

// ---------------------------------------------------------------- what is carried

/// Variables with a value here that the block rebinds.
VarSet FunctionGen::carriedBy(const sema::Block &block) {
  VarSet bound, carried;
  collectBound(block, bound);
  for (const sema::Var *var : bound)
    if (values_.count(var) && var->type.kind != sema::TypeKind::Tuple) carried.insert(var);
  return carried;
}

SmallVector<Value> FunctionGen::valuesOf(const VarSet &vars, Location location) {
  SmallVector<Value> values;
  for (const sema::Var *var : vars) values.push_back(fit(values_.at(var)[0], typeOf(var->type), location));
  return values;
}

/// Generates the block and yields the carried variables; outside, every variable keeps its value.
void FunctionGen::yieldFrom(const sema::Block &block, const VarSet &carried, Location location) {
  ++depth_;
  genBlock(block);
  --depth_;
  builder_.create<scf::YieldOp>(location, valuesOf(carried, location));
}

void FunctionGen::takeResults(Operation *op, const VarSet &carried) {
  size_t i = 0;
  for (const sema::Var *var : carried) values_[var] = {op->getResult(i++)};
}

// ---------------------------------------------------------------- loops and branches

void FunctionGen::genFor(const sema::Stmt &stmt) {
  Location location = place(stmt.span);
  Value start = stmt.start ? genExpr(*stmt.start) : genIndex(0);
  Value stop = genExpr(*stmt.stop);
  Value step = stmt.step ? genExpr(*stmt.step) : genIndex(1);
  VarSet carried = carriedBy(stmt.body);
  carried.erase(stmt.var);
  auto loop = builder_.create<scf::ForOp>(location, start, stop, step, valuesOf(carried, location));
  loop.getInductionVar().setLoc(place(stmt.var->span, stmt.var->name));
  auto saved = values_;
  values_[stmt.var] = {loop.getInductionVar()};
  size_t i = 0;
  for (const sema::Var *var : carried) {
    BlockArgument argument = loop.getRegionIterArgs()[i++];
    argument.setLoc(place(var->span, var->name));
    values_[var] = {argument};
  }
  {
    OpBuilder::InsertionGuard guard(builder_);
    loop.getBody()->clear();
    builder_.setInsertionPointToEnd(loop.getBody());
    yieldFrom(stmt.body, carried, location);
  }
  values_ = std::move(saved);
  takeResults(loop, carried);
}

void FunctionGen::genWhile(const sema::Stmt &stmt) {
  Location location = place(stmt.span);
  VarSet carried = carriedBy(stmt.body);
  SmallVector<Value> initial = valuesOf(carried, location);
  SmallVector<Type> types = llvm::to_vector(ValueRange(initial).getTypes());
  auto loop = builder_.create<scf::WhileOp>(location, types, initial);
  auto saved = values_;
  OpBuilder::InsertionGuard guard(builder_);
  auto enter = [&](Region &region) {
    Block *block = builder_.createBlock(&region);
    for (const sema::Var *var : carried)
      values_[var] = {block->addArgument(typeOf(var->type), place(var->span, var->name))};
    return block;
  };
  Block *before = enter(loop.getBefore());
  Value condition = genExpr(*stmt.condition);
  builder_.create<scf::ConditionOp>(location, condition, before->getArguments());
  enter(loop.getAfter());
  yieldFrom(stmt.body, carried, location);
  values_ = std::move(saved);
  builder_.setInsertionPointAfter(loop);
  takeResults(loop, carried);
}

void FunctionGen::genIf(const sema::Stmt &stmt) {
  Location location = place(stmt.span);
  Value condition = genExpr(*stmt.condition);
  VarSet carried = carriedBy(stmt.body);
  carried.merge(carriedBy(stmt.otherwise));
  // A variable that both branches bind for the first time is a result if something after them reads it.
  VarSet then, otherwise;
  VarCounts inside;
  collectAlwaysBound(stmt.body, then);
  collectAlwaysBound(stmt.otherwise, otherwise);
  countReads(stmt, inside);
  for (const sema::Var *var : then)
    if (otherwise.count(var) && reads_[var] > inside[var] && var->type.kind != sema::TypeKind::Tuple)
      carried.insert(var);

  SmallVector<Type> types;
  SmallVector<Attribute> names;
  for (const sema::Var *var : carried) {
    types.push_back(typeOf(var->type));
    names.push_back(builder_.getStringAttr(var->name));
  }
  bool hasElse = !carried.empty() || !stmt.otherwise.empty();
  auto branch = builder_.create<scf::IfOp>(location, types, condition, /*addThenBlock=*/true, hasElse);
  if (!names.empty()) branch->setAttr("tsr.names", builder_.getArrayAttr(names));
  auto saved = values_;
  OpBuilder::InsertionGuard guard(builder_);
  branch.getThenRegion().front().clear();
  builder_.setInsertionPointToEnd(&branch.getThenRegion().front());
  yieldFrom(stmt.body, carried, location);
  values_ = saved;
  if (hasElse) {
    branch.getElseRegion().front().clear();
    builder_.setInsertionPointToEnd(&branch.getElseRegion().front());
    yieldFrom(stmt.otherwise, carried, location);
    values_ = std::move(saved);
  }
  builder_.setInsertionPointAfter(branch);
  takeResults(branch, carried);
}

}  // namespace tessera::irgen
