// Loops and branches. A variable that one of them rebinds becomes a value that it carries. Graph IR has no
// jumps: a loop that is left early carries a truth value `running`, and what follows a break or continue asks
// `live`.
#include "irgen/FunctionGen.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "support/Check.h"
#include <utility>

namespace tessera::irgen {
using namespace mlir;
using checked::StmtKind;

// ---------------------------------------------------------------- what is carried

static bool canCarry(const checked::Var *var) { return var->type.kind != checked::TypeKind::Tuple; }

VarSet FunctionGen::carriedBy(Stmts block) {
  VarSet bound, carried;
  collectBound(block, bound);
  if (exits_ && mayExit(block)) bound.insert(exits_->running);
  if (exits_ && mayExit(block) && liveIsRead_) bound.insert(exits_->live);
  for (const checked::Var *var : bound)
    if (values_.count(var) && canCarry(var)) carried.insert(var);
  return carried;
}

/// Variables that both branches bind for the first time and that something outside the statement reads.
VarSet FunctionGen::boundInBoth(const checked::Stmt &stmt) {
  VarSet then, otherwise, both;
  VarCounts inside;
  collectAlwaysBound(stmt.body, then);
  collectAlwaysBound(stmt.otherwise, otherwise);
  countReads(stmt, inside);
  for (const checked::Var *var : then)
    if (otherwise.count(var) && reads_[var] > inside[var] && canCarry(var)) both.insert(var);
  return both;
}

SmallVector<Value> FunctionGen::valuesOf(const VarSet &vars, Location location) {
  SmallVector<Value> values;
  for (const checked::Var *var : vars) {
    auto found = values_.find(var);
    TSR_CHECK(found != values_.end(), "'" + var->name + "' has no value at the end of a loop or branch");
    values.push_back(fit(found->second[0], typeOf(var->type), location));
  }
  return values;
}

void FunctionGen::takeResults(Operation *op, const VarSet &carried) {
  size_t i = 0;
  for (const checked::Var *var : carried) values_[var] = {op->getResult(i++)};
}

Value FunctionGen::truth(bool value, Location location) {
  return builder_.create<graph::ConstantOp>(location, builder_.getI1Type(), builder_.getBoolAttr(value));
}

// ---------------------------------------------------------------- branches

void FunctionGen::genIf(const checked::Stmt &stmt) {
  Value condition = genExpr(*stmt.condition);
  VarSet carried = carriedBy(stmt.body);
  carried.merge(carriedBy(stmt.otherwise));
  carried.merge(boundInBoth(stmt));
  branch(condition, stmt.body, stmt.otherwise, carried, place(stmt.span));
}

void FunctionGen::branch(Value condition, Stmts then, Stmts otherwise, const VarSet &carried,
                         Location location) {
  SmallVector<Type> types;
  SmallVector<Attribute> names;
  for (const checked::Var *var : carried) {
    types.push_back(typeOf(var->type));
    names.push_back(builder_.getStringAttr(var->name));
  }
  bool hasElse = !carried.empty() || !otherwise.empty();
  auto op = builder_.create<scf::IfOp>(location, types, condition, /*addThenBlock=*/true, hasElse);
  if (!names.empty()) op->setAttr("tsr.names", builder_.getArrayAttr(names));
  auto saved = values_;
  OpBuilder::InsertionGuard guard(builder_);
  auto fill = [&](Region &region, Stmts block) {
    region.front().clear();
    builder_.setInsertionPointToEnd(&region.front());
    values_ = saved;
    ++depth_;
    genBlock(block);
    --depth_;
    builder_.create<scf::YieldOp>(location, valuesOf(carried, location));
  };
  fill(op.getThenRegion(), then);
  if (hasElse) fill(op.getElseRegion(), otherwise);
  values_ = std::move(saved);
  takeResults(op, carried);
}

/// The rest of an iteration that may be over.
void FunctionGen::genIfLive(Stmts rest) {
  TSR_CHECK(exits_, "a break or continue outside a loop");
  branch(values_.at(exits_->live)[0], rest, {}, carriedBy(rest), place(rest.front()->span));
}

void FunctionGen::genExit(const checked::Stmt &stmt) {
  TSR_CHECK(exits_, "a break or continue outside a loop");
  if (liveIsRead_) values_[exits_->live] = {truth(false, place(stmt.span, "live"))};
  if (stmt.kind == StmtKind::Break) values_[exits_->running] = {truth(false, place(stmt.span, "running"))};
}

// ---------------------------------------------------------------- loops

/// The flags of a loop that is left early are variables like the user's, after all of those in order.
static checked::Var flag(const checked::Function &function, const char *name, int offset) {
  checked::Var var{static_cast<uint32_t>(function.vars.size()) + offset, name, {}, {}, true, false, ""};
  var.type.kind = checked::TypeKind::Scalar;
  var.type.dtype = DType::Bool;
  return var;
}

void FunctionGen::loopBody(Stmts body) {
  ++depth_;
  genBlock(body);
  --depth_;
}

void FunctionGen::genFor(const checked::Stmt &stmt) {
  if (mayBreak(stmt.body)) return genForWithBreak(stmt);
  Location location = place(stmt.span);
  Value start = stmt.start ? genExpr(*stmt.start) : genIndex(0);
  Value stop = genExpr(*stmt.stop);
  Value step = stmt.step ? genExpr(*stmt.step) : genIndex(1);
  const Exits *outer = std::exchange(exits_, nullptr);
  bool outerRead = std::exchange(liveIsRead_, false);
  VarSet carried = carriedBy(stmt.body);
  carried.erase(stmt.var);
  auto loop = builder_.create<scf::ForOp>(location, start, stop, step, valuesOf(carried, location));
  loop.getInductionVar().setLoc(place(stmt.var->span, stmt.var->name));
  auto saved = values_;
  values_[stmt.var] = {loop.getInductionVar()};
  size_t i = 0;
  for (const checked::Var *var : carried) {
    BlockArgument argument = loop.getRegionIterArgs()[i++];
    argument.setLoc(place(*var));
    values_[var] = {argument};
  }
  {
    OpBuilder::InsertionGuard guard(builder_);
    loop.getBody()->clear();
    builder_.setInsertionPointToEnd(loop.getBody());
    checked::Var running = flag(function_, "running", 2 * depth_),
              live = flag(function_, "live", 2 * depth_ + 1);
    Exits exits{&running, &live};
    if (mayExit(Stmts(stmt.body))) {
      exits_ = &exits;
      if (asksIfLive(stmt.body)) values_[&live] = {truth(true, place(stmt.span, "live"))};
    }
    loopBody(stmt.body);
    builder_.create<scf::YieldOp>(location, valuesOf(carried, location));
  }
  exits_ = outer;
  liveIsRead_ = outerRead;
  values_ = std::move(saved);
  takeResults(loop, carried);
}

void FunctionGen::whileLoop(const VarSet &carried, Location location, const std::function<Value()> &condition,
                            const std::function<void()> &body) {
  SmallVector<Value> initial = valuesOf(carried, location);
  SmallVector<Type> types = llvm::to_vector(ValueRange(initial).getTypes());
  auto loop = builder_.create<scf::WhileOp>(location, types, initial);
  auto saved = values_;
  {
    OpBuilder::InsertionGuard guard(builder_);
    auto enter = [&](Region &region) {
      Block *block = builder_.createBlock(&region);
      for (const checked::Var *var : carried)
        values_[var] = {block->addArgument(typeOf(var->type), place(*var))};
      return block;
    };
    Block *before = enter(loop.getBefore());
    Value holds = condition();
    builder_.create<scf::ConditionOp>(location, holds, before->getArguments());
    enter(loop.getAfter());
    body();
    builder_.create<scf::YieldOp>(location, valuesOf(carried, location));
  }
  values_ = std::move(saved);
  takeResults(loop, carried);
}

/// A condition that is asked only while the loop runs.
static Value ifRunning(OpBuilder &builder, Location location, Value running,
                       const std::function<Value()> &condition) {
  auto op = builder.create<scf::IfOp>(location, builder.getI1Type(), running, /*addThenBlock=*/true, true);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToEnd(&op.getThenRegion().front());
  builder.create<scf::YieldOp>(location, condition());
  builder.setInsertionPointToEnd(&op.getElseRegion().front());
  builder.create<scf::YieldOp>(location, running);
  return op.getResult(0);
}

void FunctionGen::genWhile(const checked::Stmt &stmt) {
  Location location = place(stmt.span);
  const Exits *outer = std::exchange(exits_, nullptr);
  bool outerRead = std::exchange(liveIsRead_, false);
  checked::Var running = flag(function_, "running", 2 * depth_), live = flag(function_, "live", 2 * depth_ + 1);
  Exits exits{&running, &live};
  VarSet carried = carriedBy(stmt.body);
  if (mayExit(Stmts(stmt.body))) exits_ = &exits;
  bool breaks = mayBreak(stmt.body);
  if (breaks) {
    carried.insert(&running);
    values_[&running] = {truth(true, place(stmt.span, "running"))};
  }
  auto condition = [&] { return genExpr(*stmt.condition); };
  auto body = [&] {
    if (exits_ && asksIfLive(stmt.body)) values_[&live] = {truth(true, place(stmt.span, "live"))};
    loopBody(stmt.body);
  };
  whileLoop(
      carried, location,
      [&] {
        return breaks ? ifRunning(builder_, location, values_.at(&running)[0], condition) : condition();
      },
      body);
  values_.erase(&running);
  exits_ = outer;
  liveIsRead_ = outerRead;
}

/// Whether the entry function can count from here: it knows numbers and sizes.
static bool isCountedFrom(Value start) {
  Operation *op = start.getDefiningOp();
  return op && isa<graph::ConstantOp, graph::DimOp>(op);
}

/// for counts until it is broken out of: a while loop that carries its counter. In a tensor function that starts at data it carries the
/// number of the turn, which the entry function counts.
void FunctionGen::genForWithBreak(const checked::Stmt &stmt) {
  Location location = place(stmt.span);
  Value start = stmt.start ? genExpr(*stmt.start) : genIndex(0);
  Value stop = genExpr(*stmt.stop);
  Value step = stmt.step ? genExpr(*stmt.step) : genIndex(1);
  const Exits *outer = std::exchange(exits_, nullptr);
  bool outerRead = std::exchange(liveIsRead_, false);
  checked::Var running = flag(function_, "running", 2 * depth_), live = flag(function_, "live", 2 * depth_ + 1);
  checked::Var turn = *stmt.var;
  turn.name += "_turn";
  const bool byTurns = !isKernel() && !isHost() && !isCountedFrom(start);
  const checked::Var *counted = byTurns ? &turn : stmt.var;
  Exits exits{&running, &live};
  VarSet carried = carriedBy(stmt.body);
  carried.erase(stmt.var);
  carried.insert({counted, &running});
  exits_ = &exits;
  values_[counted] = {byTurns ? genIndex(0) : start};
  values_[&running] = {truth(true, place(stmt.span, "running"))};
  auto combine = [&](StringRef mnemonic, Value a, Value b, const checked::Var &var) -> Value {
    return builder_.create<graph::ElementwiseOp>(place(var.span, var.name), builder_.getIndexType(), mnemonic, ValueRange{a, b});
  };
  auto counter = [&]() -> Value {
    Value at = values_.at(counted)[0];
    return byTurns ? combine("add", start, combine("mul", at, step, turn), *stmt.var) : at;
  };
  auto compare = [&]() -> Value {
    return builder_.create<graph::ElementwiseOp>(location, builder_.getI1Type(), "lt", ValueRange{counter(), stop});
  };
  auto body = [&] {
    Value at = values_.at(counted)[0];
    values_[stmt.var] = {counter()};
    if (asksIfLive(stmt.body)) values_[&live] = {truth(true, place(stmt.span, "live"))};
    loopBody(stmt.body);
    values_[counted] = {combine("add", at, byTurns ? genIndex(1) : step, *counted)};
  };
  whileLoop(
      carried, location, [&] { return ifRunning(builder_, location, values_.at(&running)[0], compare); },
      body);
  values_.erase(&running);
  values_.erase(counted);
  values_.erase(stmt.var);
  exits_ = outer;
  liveIsRead_ = outerRead;
}

}  // namespace tessera::irgen
