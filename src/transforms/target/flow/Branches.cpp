// Control flow. What a loop carries is a variable that stands before the loop.
#include "ir/common/Names.h"
#include "ir/tile/HeldRows.h"
#include "transforms/target/cpu/Loops.h"
#include "transforms/target/cpu/Streams.h"
#include "transforms/target/flow/Flow.h"
#include "transforms/target/flow/Scope.h"
#include "transforms/target/rows/Rows.h"
#include "transforms/target/sizes/Sizes.h"
#include "transforms/target/values/Elements.h"
#include "transforms/target/values/Values.h"

using namespace mlir;
namespace tile = tessera::ir::tile;
namespace out = tessera::ir::target;

namespace tessera::transforms::totarget {

/// A loop that goes on by 0 does not end. What is not known to be at least 1 is a parameter, for which the entry asks.
static LogicalResult checkStep(Emission &em, scf::ForOp op) {
  Value step = op.getStep();
  if (em.facts.mayDivide(step)) return success();
  while (auto cast = step.getDefiningOp<tile::CastOp>()) step = cast.getValue();
  auto argument = dyn_cast<BlockArgument>(step);
  if (!argument || argument.getOwner()->getParentOp() != em.kernel)
    return unsupported(*op, "a loop whose step is computed while the kernel runs, and may be 0; write `max(step, 1)`");
  em.info.steps.insert(argument.getArgNumber());
  return success();
}

LogicalResult emitFor(Emission &em, scf::ForOp op) {
  Location place = op.getLoc();
  if (failed(checkStep(em, op))) return failure();
  if (failed(enterLoop(em, op.getInitArgs(), op.getRegionIterArgs(), place))) return failure();
  SmallVector<Storage *> carried;
  for (Value argument : op.getRegionIterArgs()) carried.push_back(em.values->plan.storage(argument));
  // A bound that the loop itself changes is read once, before it.
  auto bound = [&](Value value, StringRef what) {
    ExprRef expr = scalar(em, value);
    bool changes = llvm::any_of(carried, [&](Storage *storage) { return mentions(expr, storage->place->value); });
    return changes ? read(declare(em, em.names.fresh(what), expr->type, "copy", {expr}, true, place)) : expr;
  };
  ExprRef lower = scalar(em, op.getLowerBound()), upper = bound(op.getUpperBound(), "end"),
          step = bound(op.getStep(), "step");
  em.lastLoop = nullptr;
  SmallVector<tile::StoreElementOp> lines = storesOfRow(em, op);
  if (!lines.empty() && em.streams->array != lines.front().getBase())
    declareStreaming(em, lines.front());  // its name is one of the block around the loop
  ExprRef parts = declareParts(em, op, carried);
  std::optional<Scope> scope(em);
  StringRef hint = ir::nameHint(op.getInductionVar());
  std::string counter = hint.empty() || hint == "_" ? em.names.fresh("i") : em.names.declare(hint);
  if (!lines.empty()) std::tie(lower, upper) = openLines(em, lines, counter, upper);
  ExprRef whole = parts ? carried.front()->place : nullptr;
  if (parts) std::tie(lower, upper) = openParts(em, op, counter, upper);
  Value from = write(em.builder, place, bare(lower)), to = write(em.builder, place, upper),
        by = write(em.builder, place, step);
  auto unroll = dyn_cast_or_null<IntegerAttr>(op->getAttr(tile::kUnrolled));  // by so many
  if (op->hasAttr(tile::kUnrolled) && !unroll) unroll = em.builder.getI64IntegerAttr(0);
  auto loop = em.builder.create<out::ForOp>(place, counter, from, to, by, unroll, false, false);
  if (isa_and_nonnull<StringAttr>(op->getAttr(tile::kUnrolled))) {  // over turns: as many as are held
    auto held = em.sizes->constants.find("T.held");
    std::string by = held == em.sizes->constants.end() ? "4" : held->second + " > 0 ? " + held->second + " : 4";
    loop->setAttr("unroll_by", em.builder.getStringAttr(by));
    if (const std::string type = turnType(em); !type.empty()) loop->setAttr("counter", em.builder.getStringAttr(type));
  }
  Block *body = scope->enter(loop.getBody());
  body->addArgument(from.getType(), place);
  em.values->bound[op.getInductionVar()] = valueOf(body->getArgument(0));
  if (parts)
    carried.front()->place =
        element(parts, {binary("-", scalar(em, op.getInductionVar()), lower)}, carried.front()->type);
  if (failed(emitBlock(em, *op.getBody()))) return failure();
  if (failed(assignYields(em, op.getYieldedValues(), carried, op.getBody()->getTerminator()->getLoc())))
    return failure();
  if (parts) {
    loop.setSimd(true);
    scope.reset();
    carried.front()->place = whole;
    assign(em, whole, method(parts, "combine", {read(whole)}, carried.front()->type), place);
    return success();
  }
  combineInVectors(em, loop, op, carried);
  if (!lines.empty())
    loop.setSimd(llvm::all_of(
        *op.getBody(), [&](Operation &inner) { return !writesMemory(&inner) || em.streams->lines.count(&inner); }));
  return success();
}

/// The element v of a condition -c <= v && v < C - c.
static ExprRef elementOf(Emission &em, Value inside) {
  return scalar(em, inside.getDefiningOp()->getOperand(1).getDefiningOp()->getOperand(0));
}

LogicalResult emitIf(Emission &em, scf::IfOp op) {
  Location place = op.getLoc();
  if (op.getNumResults() == 0 && isLoopBound(em, op.getCondition())) return emitBlock(em, *op.thenBlock());
  SmallVector<Storage *> targets;
  for (Value result : op.getResults()) {
    Storage *target = em.values->plan.storage(result);
    if (!target->place) declareStorage(em, *target, nullptr, place);
    targets.push_back(target);
  }
  // An element of a vector that belongs to the row.
  ExprRef condition = op->hasAttr(tile::kInside)
                          ? read(element(em.rows->inside, {elementOf(em, op.getCondition())}, em.builder.getI1Type()))
                          : scalar(em, op.getCondition());
  em.lastLoop = nullptr;
  auto branch = em.builder.create<out::IfOp>(place, write(em.builder, place, condition));
  auto fill = [&](Region &region, Block &source) -> LogicalResult {
    Scope scope(em);
    scope.enter(region);
    const bool hasEdges = op->hasAttr(tile::kEdges) && &source == op.thenBlock();
    if (hasEdges) declareInside(em, op.getCondition(), place);
    if (hasEdges && em.sizes->constants.count("T.cluster")) scope.enter(withEdges(em, place).getBody());
    if (failed(emitBlock(em, source))) return failure();
    if (op.getNumResults() == 0) return success();
    return assignYields(em, source.getTerminator()->getOperands(), targets, source.getTerminator()->getLoc());
  };
  if (failed(fill(branch.getThenBody(), *op.thenBlock()))) return failure();
  if (op.elseBlock() && !op.elseBlock()->empty()) {
    if (failed(fill(branch.getElseBody(), *op.elseBlock()))) return failure();
    if (branch.getElseBody().front().empty()) branch.getElseBody().front().erase();
  }
  return success();
}

LogicalResult emitWhile(Emission &em, scf::WhileOp op) {
  Location place = op.getLoc();
  if (failed(enterLoop(em, op.getInits(), op.getBeforeArguments(), place))) return failure();
  SmallVector<Storage *> carried, passed;
  for (Value argument : op.getBeforeArguments()) carried.push_back(em.values->plan.storage(argument));
  for (Value argument : op.getAfterArguments()) {
    Storage *storage = em.values->plan.storage(argument);
    if (!storage->place) declareStorage(em, *storage, nullptr, place);
    passed.push_back(storage);
  }
  scf::ConditionOp decision = op.getConditionOp();
  auto handOn = [&] { return assignYields(em, decision.getArgs(), passed, decision.getLoc()); };
  bool plain = llvm::all_of(*op.getBeforeBody(),
                            [&](Operation &inner) {
                              return &inner == decision ||
                                     (inner.getNumResults() == 1 && em.values->plan.isInline(inner.getResult(0)));
                            }) &&
               llvm::all_of(llvm::zip(decision.getArgs(), passed),
                            [&](auto pair) { return em.values->plan.storage(std::get<0>(pair)) == std::get<1>(pair); });
  em.lastLoop = nullptr;
  auto loop = em.builder.create<out::WhileOp>(place);
  {
    Scope scope(em);
    scope.enter(loop.getBefore());
    ExprRef condition = literal(em.builder.getBoolAttr(true), em.builder.getI1Type());
    if (plain) {
      if (failed(emitBlock(em, *op.getBeforeBody()))) return failure();
      condition = scalar(em, decision.getCondition());
    }
    em.builder.create<out::ConditionOp>(place, write(em.builder, place, condition));
  }
  {
    Scope scope(em);
    scope.enter(loop.getBody());
    if (!plain) {  // the condition takes statements: while (true) { ...; if (!condition) break; ... }
      if (failed(emitBlock(em, *op.getBeforeBody())) || failed(handOn())) return failure();
      auto leave = em.builder.create<out::IfOp>(
          place, write(em.builder, place, unary("!", scalar(em, decision.getCondition()))));
      OpBuilder::InsertionGuard guard(em.builder);
      em.builder.createBlock(&leave.getThenBody());
      em.builder.create<out::BreakOp>(place);
    }
    if (failed(emitBlock(em, *op.getAfterBody()))) return failure();
    if (failed(assignYields(em, op.getYieldOp().getOperands(), carried, place))) return failure();
  }
  return success();
}

}  // namespace tessera::transforms::totarget
