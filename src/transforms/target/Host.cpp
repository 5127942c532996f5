// Host functions: files, text and calls of entry functions as C++ against the host runtime.
#include "ir/common/Common.h"
#include "ir/common/Conversions.h"
#include "ir/common/Names.h"
#include "ir/graph/Graph.h"
#include "ir/target/Words.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "support/Check.h"
#include "transforms/target/Elementwise.h"
#include "transforms/target/Entry.h"

using namespace mlir;
namespace tile = tessera::ir::tile;
namespace graph = tessera::ir::graph;
namespace out = tessera::ir::target;

namespace tessera::transforms::totarget {
namespace {

class HostEmitter {
public:
  HostEmitter(tile::HostFuncOp function, OpBuilder &builder)
      : function_(function), builder_(builder), context_(builder.getContext()) {}
  LogicalResult run();

private:
  LogicalResult emitBlock(Block &block);
  LogicalResult emitOp(Operation &op);
  LogicalResult emitValue(Operation &op);
  LogicalResult emitFormat(graph::FormatOp op);
  LogicalResult emitCall(graph::CallOp op);
  LogicalResult emitFor(scf::ForOp op);
  LogicalResult emitIf(scf::IfOp op);
  LogicalResult emitWhile(scf::WhileOp op);
  Type typeOf(Type type);
  ExprRef get(Value value) {
    ExprRef bound = bound_.lookup(value);
    TSR_CHECK(bound, "a host value is used before it is emitted");
    return bound;
  }
  void define(Value value, const ExprRef &expr);
  ExprRef declare(StringRef hint, Type type, const ExprRef &init, bool isConst, Location place);
  void statement(const ExprRef &call, Location place) {
    builder_.create<out::ExpressionOp>(place, write(builder_, place, call));
  }
  void copyInto(ValueRange values, ArrayRef<ExprRef> targets, Location place);
  ExprRef startOf(Operation &loop, Value init, BlockArgument argument);
  /// Where to write a value that its block hands on to a loop's variable, if nobody still needs the old one.
  ExprRef handedOnTo(Value value);
  bool foldsWhole(Block &block);
  Type named(StringRef text) { return out::NamedType::get(context_, text); }
  Type text() { return named("std::string"); }
  Type none() { return NoneType::get(context_); }

  tile::HostFuncOp function_;
  OpBuilder &builder_;
  MLIRContext *context_;
  NameTable names_;
  llvm::DenseMap<Value, ExprRef> bound_;
  llvm::DenseMap<Block *, SmallVector<ExprRef>> targets_;  // of a loop's body: the variables that it carries
};

Type HostEmitter::typeOf(Type type) {
  if (isa<ir::StringType>(type)) return text();
  if (isa<ir::HostTensorType, ir::TensorType>(type)) return named("tsr::host::Tensor");
  return type;
}

ExprRef HostEmitter::declare(StringRef hint, Type type, const ExprRef &init, bool isConst, Location place) {
  std::string name = hint.empty() || hint == "_" ? names_.fresh("value") : names_.declare(hint);
  SmallVector<Value> operands;
  if (init) operands.push_back(write(builder_, place, init));
  auto variable = builder_.create<out::VariableOp>(place, out::LValueType::get(context_, type), name, "copy",
                                                   operands, isConst);
  return valueOf(variable.getPlace());
}

ExprRef HostEmitter::handedOnTo(Value value) {
  Operation *op = value.getDefiningOp();
  auto found = targets_.find(op->getBlock());
  Operation *end = &op->getBlock()->back();
  if (found == targets_.end() || !value.hasOneUse() || *value.user_begin() != end) return nullptr;
  ExprRef target = found->second[value.use_begin()->getOperandNumber()];
  auto needs = [&](Value operand) {
    ExprRef bound = bound_.lookup(operand);
    return bound && mentions(bound, target->value);
  };
  for (Operation *later = op->getNextNode(); later; later = later->getNextNode()) {
    WalkResult needed = later->walk([&](Operation *nested) {
      return llvm::any_of(nested->getOperands(), needs) ? WalkResult::interrupt() : WalkResult::advance();
    });
    if (needed.wasInterrupted()) return nullptr;
  }
  return target;
}

void HostEmitter::define(Value value, const ExprRef &expr) {
  if (ExprRef target = handedOnTo(value); target && !isTrivial(expr)) {
    assign(builder_, target, expr, value.getLoc());
    bound_[value] = read(target);
    return;
  }
  StringRef hint = ir::nameHint(value);
  Operation *op = value.getDefiningOp();
  bool reads = !isa<graph::StringOp, graph::ConstantOp>(op) && !isMemoryEffectFree(op);
  bool single = value.hasOneUse() && (*value.user_begin())->getBlock() == op->getBlock() &&
                (!reads || op->getNextNode() == *value.user_begin());
  if (hint.empty() && (single || isTrivial(expr))) bound_[value] = expr;
  else bound_[value] = read(declare(hint, typeOf(value.getType()), expr, true, op->getLoc()));
}

LogicalResult HostEmitter::run() {
  SmallVector<Attribute> params, results;
  for (auto [i, argument] : llvm::enumerate(function_.getBody().getArguments()))
    params.push_back(builder_.getStringAttr(names_.declare(function_.param(i).getName())));
  for (Type type : function_.getResultTypes()) results.push_back(TypeAttr::get(typeOf(type)));
  OpBuilder::InsertionGuard guard(builder_);
  auto host = builder_.create<out::HostFuncOp>(function_.getLoc(), function_.getSymName(),
                                               builder_.getArrayAttr(params), builder_.getArrayAttr(results));
  Block *body = builder_.createBlock(&host.getBody());
  for (BlockArgument argument : function_.getBody().getArguments())
    bound_[argument] = valueOf(body->addArgument(typeOf(argument.getType()), argument.getLoc()));
  function_.getBody().walk([&](Operation *op) {
    for (Value result : op->getResults()) names_.reserve(ir::nameHint(result));
  });
  return emitBlock(function_.getBody().front());
}

LogicalResult HostEmitter::emitBlock(Block &block) {
  for (Operation &op : block)
    if (failed(emitOp(op))) return failure();
  return success();
}

LogicalResult HostEmitter::emitOp(Operation &op) {
  Location place = op.getLoc();
  if (isa<scf::YieldOp, scf::ConditionOp>(op)) return success();
  if (auto loop = dyn_cast<scf::ForOp>(op)) return emitFor(loop);
  if (auto branch = dyn_cast<scf::IfOp>(op)) return emitIf(branch);
  if (auto loop = dyn_cast<scf::WhileOp>(op)) return emitWhile(loop);
  if (auto callOp = dyn_cast<graph::CallOp>(op)) return emitCall(callOp);
  if (auto print = dyn_cast<graph::PrintOp>(op)) {
    statement(call("tsr::host::print", {get(print.getText())}, none()), place);
  } else if (auto save = dyn_cast<graph::SaveNpyOp>(op)) {
    statement(call("tsr::host::save_npy", {get(save.getPath()), get(save.getTensor())}, none()), place);
  } else if (auto check = dyn_cast<graph::AssertOp>(op)) {
    ExprRef message = check.getMessage() ? get(check.getMessage())
                                         : literal(StringAttr::get("assertion failed", text()), text());
    statement(call("tsr::host::check", {get(check.getCondition()), message}, none()), place);
  } else if (auto leave = dyn_cast<tile::ReturnOp>(op)) {
    if (leave.getValues().empty()) return success();
    SmallVector<Value> values;
    for (Value value : leave.getValues()) values.push_back(write(builder_, place, get(value)));
    builder_.create<out::ReturnOp>(place, values);
  } else {
    return emitValue(op);
  }
  return success();
}

LogicalResult HostEmitter::emitValue(Operation &op) {
  if (auto string = dyn_cast<graph::StringOp>(op)) {
    define(string.getResult(), literal(StringAttr::get(string.getValue(), text()), text()));
  } else if (auto load = dyn_cast<graph::LoadNpyOp>(op)) {
    define(load.getResult(), call("tsr::host::load_npy", {get(load.getPath())}, named("tsr::host::Tensor")));
  } else if (auto shape = dyn_cast<graph::HostShapeOp>(op)) {
    ExprRef axis = number(builder_.getIndexType(), shape.getAxis());
    define(shape.getResult(),
           call("tsr::host::shape", {get(shape.getTensor()), axis}, builder_.getIndexType()));
  } else if (auto item = dyn_cast<graph::HostItemOp>(op)) {
    std::vector<ExprRef> arguments = {get(item.getTensor())};
    if (item.getIndex()) arguments.push_back(get(item.getIndex()));
    Type type = typeOf(item.getType());
    if (isa<out::NamedType>(type)) define(item.getResult(), call("tsr::host::row", arguments, type));
    else define(item.getResult(), call("tsr::host::item", arguments, type, {TypeAttr::get(type)}));
  } else if (auto format = dyn_cast<graph::FormatOp>(op)) {
    return emitFormat(format);
  } else if (auto constantOp = dyn_cast<graph::ConstantOp>(op)) {
    auto value = cast<TypedAttr>(constantOp.getValue());
    define(constantOp.getResult(), literal(value, value.getType()));
  } else if (auto cast = dyn_cast<graph::CastOp>(op)) {
    ExprRef converted =
        isa<ir::HostTensorType>(cast.getType()) ? nullptr : convert(get(op.getOperand(0)), cast.getType());
    if (!converted) return op.emitError() << "this cast has no form in host code";
    define(cast.getResult(), converted);
  } else if (auto elementwiseOp = dyn_cast<graph::ElementwiseOp>(op)) {
    std::vector<ExprRef> operands;
    for (Value operand : op.getOperands()) operands.push_back(get(operand));
    ExprRef value = elementwise(elementwiseOp.getMnemonic(), operands, op.getResult(0).getType(), false);
    if (!value) return op.emitError() << "'" << elementwiseOp.getMnemonic() << "' has no form in host code";
    define(op.getResult(0), value);
  } else {
    return op.emitError() << "'" << op.getName() << "' has no form in host code";
  }
  return success();
}

/// "loss {x:.3f}" is "loss " + tsr::host::format(x, ".3f").
LogicalResult HostEmitter::emitFormat(graph::FormatOp op) {
  ExprRef sum;
  auto add = [&](ExprRef part) { sum = sum ? call("tsr::host::join", {sum, part}, text()) : part; };
  std::vector<ExprRef> parts;
  for (auto [i, piece] : llvm::enumerate(op.getTexts().getAsRange<StringAttr>())) {
    if (!piece.getValue().empty())
      parts.push_back(literal(StringAttr::get(piece.getValue(), text()), text()));
    if (i >= op.getValues().size()) continue;
    StringRef format = cast<StringAttr>(op.getFormats()[i]).getValue();
    parts.push_back(call("tsr::host::format",
                         {get(op.getValues()[i]), literal(StringAttr::get(format, text()), text())}, text()));
  }
  if (parts.empty()) parts.push_back(literal(StringAttr::get("", text()), text()));
  if (parts.size() == 1) add(parts[0]);
  else sum = call("tsr::host::join", parts, text());
  define(op.getResult(), sum);
  return success();
}

LogicalResult HostEmitter::emitCall(graph::CallOp op) {
  Location place = op.getLoc();
  SmallVector<Value> operands;
  for (Value operand : op.getOperands()) operands.push_back(write(builder_, place, get(operand)));
  auto module = function_->getParentOfType<ModuleOp>();
  if (Operation *callee = module.lookupSymbol(op.getCalleeAttr());
      callee && isa<tile::HostFuncOp, out::HostFuncOp>(callee)) {
    if (op.getNumResults() > 1)
      return op.emitError() << "a host function that returns several values is not emitted yet";
    std::vector<ExprRef> arguments;
    for (Value operand : op.getOperands()) arguments.push_back(get(operand));
    for (Value operand : llvm::reverse(operands))
      if (operand.use_empty() && operand.getDefiningOp()) operand.getDefiningOp()->erase();
    Type result = op.getNumResults() ? typeOf(op.getResult(0).getType()) : none();
    ExprRef value = call(out::functionName(op.getCallee()), arguments, result);
    if (op.getNumResults())
      bound_[op.getResult(0)] = read(declare(ir::nameHint(op.getResult(0)), result, value, true, place));
    else statement(value, place);
    return success();
  }
  SmallVector<Attribute> names;
  SmallVector<Type> types;
  for (Value result : op.getResults()) {
    StringRef hint = ir::nameHint(result);
    names.push_back(builder_.getStringAttr(
        hint.empty() || hint == "_" ? names_.fresh(op.getCallee().str() + "_result") : names_.declare(hint)));
    types.push_back(out::LValueType::get(context_, named("tsr::host::Tensor")));
  }
  auto entry = builder_.create<out::EntryCallOp>(place, types, op.getCalleeAttr(), operands,
                                                 builder_.getArrayAttr(names));
  for (auto [result, variable] : llvm::zip(op.getResults(), entry.getResults())) {
    ExprRef tensor = read(valueOf(variable));
    bool isScalar = ir::isScalar(result.getType());
    bound_[result] =
        isScalar ? call("tsr::host::item", {tensor}, result.getType(), {TypeAttr::get(result.getType())})
                 : tensor;
  }
  return success();
}

void HostEmitter::copyInto(ValueRange values, ArrayRef<ExprRef> targets, Location place) {
  // All as if at once: whatever another assignment would overwrite is copied first.
  SmallVector<std::pair<ExprRef, ExprRef>> moves;
  for (auto [value, target] : llvm::zip(values, targets)) {
    ExprRef expr = get(value);
    if (!same(expr, read(target))) moves.push_back({target, expr});
  }
  for (size_t i = 0; i < moves.size(); ++i)
    for (size_t later = i + 1; later < moves.size(); ++later)
      if (mentions(moves[later].second, moves[i].first->value))
        moves[later].second = read(declare("", moves[later].second->type, moves[later].second, true, place));
  for (auto &[target, expr] : moves)
    builder_.create<out::AssignOp>(place, write(builder_, place, target), write(builder_, place, expr));
}

/// The variable that a loop carries a value in: that of the value it starts from, where only the loop needs
/// it.
ExprRef HostEmitter::startOf(Operation &loop, Value init, BlockArgument argument) {
  ExprRef start = get(init);
  Type type = typeOf(argument.getType());
  StringRef hint = ir::nameHint(argument);
  if (init.hasOneUse() && start->kind == Expr::Kind::Read && start->type == type &&
      (hint.empty() || hint == ir::nameHint(init)))
    if (auto variable = start->operands[0]->value.getDefiningOp<out::VariableOp>();
        variable && variable->getBlock() == builder_.getInsertionBlock()) {
      variable.setIsConst(false);
      return start->operands[0];
    }
  return declare(hint, type, start, false, loop.getLoc());
}

LogicalResult HostEmitter::emitFor(scf::ForOp op) {
  Location place = op.getLoc();
  SmallVector<ExprRef> carried;
  for (auto [init, argument] : llvm::zip(op.getInitArgs(), op.getRegionIterArgs())) {
    carried.push_back(startOf(*op, init, argument));
    bound_[argument] = read(carried.back());
  }
  targets_[op.getBody()] = carried;
  Value from = write(builder_, place, get(op.getLowerBound())),
        to = write(builder_, place, get(op.getUpperBound()));
  Value by = write(builder_, place, get(op.getStep()));
  names_.push();
  StringRef hint = ir::nameHint(op.getInductionVar());
  std::string counter = hint.empty() || hint == "_" ? names_.fresh("i") : names_.declare(hint);
  auto loop = builder_.create<out::ForOp>(place, counter, from, to, by, IntegerAttr(), false, false);
  OpBuilder::InsertionGuard guard(builder_);
  Block *body = builder_.createBlock(&loop.getBody());
  bound_[op.getInductionVar()] = valueOf(body->addArgument(builder_.getIndexType(), place));
  if (failed(emitBlock(*op.getBody()))) return failure();
  copyInto(op.getYieldedValues(), carried, place);
  names_.pop();
  for (auto [result, place] : llvm::zip(op.getResults(), carried)) bound_[result] = read(place);
  return success();
}

LogicalResult HostEmitter::emitIf(scf::IfOp op) {
  Location place = op.getLoc();
  SmallVector<ExprRef> targets;
  for (Value result : op.getResults())
    targets.push_back(declare(ir::nameHint(result), typeOf(result.getType()), nullptr, false, place));
  auto branch = builder_.create<out::IfOp>(place, write(builder_, place, get(op.getCondition())));
  auto fill = [&](Region &region, Block &source) -> LogicalResult {
    OpBuilder::InsertionGuard guard(builder_);
    builder_.createBlock(&region);
    names_.push();
    if (failed(emitBlock(source))) return failure();
    copyInto(source.getTerminator()->getOperands(), targets, place);
    names_.pop();
    return success();
  };
  if (failed(fill(branch.getThenBody(), *op.thenBlock()))) return failure();
  if (op.elseBlock() && failed(fill(branch.getElseBody(), *op.elseBlock()))) return failure();
  for (auto [result, target] : llvm::zip(op.getResults(), targets)) bound_[result] = read(target);
  return success();
}

/// No statement is made of the block: its values are folded into what its end asks for.
bool HostEmitter::foldsWhole(Block &block) {
  return llvm::all_of(block.without_terminator(), [&](Operation &op) {
    Value value = op.getNumResults() == 1 ? op.getResult(0) : Value();
    return value && ir::nameHint(value).empty() && value.hasOneUse() && isMemoryEffectFree(&op) &&
           (*value.user_begin())->getBlock() == &block && op.getNumRegions() == 0;
  });
}

/// while (condition) { body }; where the condition takes statements
/// while (true) { ...; if (!condition) break; body }
LogicalResult HostEmitter::emitWhile(scf::WhileOp op) {
  Location place = op.getLoc();
  SmallVector<ExprRef> carried, passed;
  for (auto [init, argument] : llvm::zip(op.getInits(), op.getBeforeArguments())) {
    carried.push_back(startOf(*op, init, argument));
    bound_[argument] = read(carried.back());
  }
  for (auto [argument, given] : llvm::zip(op.getAfterArguments(), op.getConditionOp().getArgs())) {
    ExprRef before = bound_.lookup(given);
    passed.push_back(
        before ? before->operands[0]
               : declare(ir::nameHint(argument), typeOf(argument.getType()), nullptr, false, place));
    bound_[argument] = read(passed.back());
  }
  bool passesOn = llvm::all_of(llvm::zip(passed, carried),
                               [](auto pair) { return same(std::get<0>(pair), std::get<1>(pair)); });
  bool plain = passesOn && passed.size() == carried.size() && foldsWhole(*op.getBeforeBody());
  if (passesOn) targets_[op.getAfterBody()] = carried;
  auto loop = builder_.create<out::WhileOp>(place);
  OpBuilder::InsertionGuard guard(builder_);
  builder_.createBlock(&loop.getBefore());
  if (plain && failed(emitBlock(*op.getBeforeBody()))) return failure();
  ExprRef whole = plain ? get(op.getConditionOp().getCondition())
                        : literal(builder_.getBoolAttr(true), builder_.getI1Type());
  builder_.create<out::ConditionOp>(place, write(builder_, place, whole));
  builder_.createBlock(&loop.getBody());
  names_.push();
  if (!plain) {
    if (failed(emitBlock(*op.getBeforeBody()))) return failure();
    copyInto(op.getConditionOp().getArgs(), passed, place);
    auto leave = builder_.create<out::IfOp>(
        place, write(builder_, place, unary("!", get(op.getConditionOp().getCondition()))));
    OpBuilder::InsertionGuard inner(builder_);
    builder_.createBlock(&leave.getThenBody());
    builder_.create<out::BreakOp>(place);
  }
  if (failed(emitBlock(*op.getAfterBody()))) return failure();
  copyInto(op.getYieldOp().getOperands(), carried, place);
  names_.pop();
  for (auto [result, place] : llvm::zip(op.getResults(), passed)) bound_[result] = read(place);
  return success();
}

}  // namespace

LogicalResult emitHost(tile::HostFuncOp function, OpBuilder &builder) {
  return HostEmitter(function, builder).run();
}

}  // namespace tessera::transforms::totarget
