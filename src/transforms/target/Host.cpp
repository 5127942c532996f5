// Host functions: files, text and calls of entry functions as C++ against the host runtime.
#include "ir/common/Common.h"
#include "ir/common/Conversions.h"
#include "ir/common/Names.h"
#include "ir/graph/HostCalls.h"
#include "ir/target/Words.h"
#include "support/HostParts.h"
#include "transforms/target/Elementwise.h"
#include "transforms/target/Entry.h"
#include "transforms/target/HostEmitter.h"

using namespace mlir;
namespace tile = tessera::ir::tile;
namespace graph = tessera::ir::graph;
namespace out = tessera::ir::target;

namespace tessera::transforms::totarget {

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

/// Between an operation that looks at tensors and its user nothing happens that a reader could notice.
static bool isQuietUntil(Operation *op, Operation *user) {
  for (Operation *next = op->getNextNode(); next != user; next = next->getNextNode())
    if (!isMemoryEffectFree(next) && !isa<graph::HostItemOp>(next)) return false;
  return true;
}

/// A number that goes into variables, or a truth value, is written where it is used.
static bool needsNoName(graph::ConstantOp op) {
  return op.getType().isInteger(1) ||
         llvm::all_of(op->getUsers(), [](Operation *user) { return user->hasTrait<OpTrait::IsTerminator>(); });
}

/// Integers: floats have infinities and NaN.
static bool mayDivideByZero(graph::ElementwiseOp op) {
  if ((op.getMnemonic() != "floordiv" && op.getMnemonic() != "mod") || !op.getType().isIntOrIndex()) return false;
  auto constant = op->getOperand(1).getDefiningOp<graph::ConstantOp>();
  auto number = constant ? dyn_cast<IntegerAttr>(constant.getValue()) : IntegerAttr();
  return !number || number.getValue().isZero();
}

void HostEmitter::define(Value value, const ExprRef &expr) {
  auto computed = value.getDefiningOp<graph::ElementwiseOp>();
  const bool isFree = isa<graph::CastOp>(value.getDefiningOp()) || (computed && !mayDivideByZero(computed));
  if (isFree && value.use_empty()) return;  // a stream of `a, b, c = rng.split(3)` that nothing draws from
  if (ExprRef target = handedOnTo(value); target && !isTrivial(expr)) {
    assign(builder_, target, expr, value.getLoc());
    bound_[value] = read(target);
    return;
  }
  StringRef hint = ir::nameHint(value);
  Operation *op = value.getDefiningOp();
  bool reads = (!isa<graph::StringOp, graph::ConstantOp>(op) && !isMemoryEffectFree(op)) ||
               llvm::any_of(op->getOperands(), [&](Value operand) { return looks_.contains(operand); });
  bool single = value.hasOneUse() && (*value.user_begin())->getBlock() == op->getBlock() &&
                (!reads || isQuietUntil(op, *value.user_begin()));
  auto constant = dyn_cast<graph::ConstantOp>(op);
  if ((constant && needsNoName(constant)) || (hint.empty() && (single || isTrivial(expr)))) {
    bound_[value] = expr;
    if (reads) looks_.insert(value);
  } else bound_[value] = read(declare(hint, typeOf(value.getType()), expr, true, op->getLoc()));
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
  } else if (auto hostCall = dyn_cast<graph::HostCallOp>(op)) {
    if (hostCall.getCallee().starts_with("store_")) return emitStore(hostCall), success();
    if (hostCall.getCallee().ends_with("_in") && op.getResult(0).use_empty()) return success();  // a part of an item that nothing reads
    std::vector<ExprRef> operands;
    for (Value operand : hostCall.getInputs()) operands.push_back(get(operand));
    std::string callee = "tsr::host::" + hostCall.getCallee().str();
    if (op.getNumResults() == 0) statement(call(callee, operands, none()), place);
    else define(op.getResult(0), call(callee, operands, typeOf(op.getResult(0).getType())));
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

/// One axis of a place: `at(i)`, `part(2, 5)` or `all()`.
static ExprRef along(const ExprRef &begin, const ExprRef &end, const ExprRef &step, Type type) {
  if (asInteger(step) == kPointStep) return call("tsr::host::at", {begin}, type);
  const bool byOne = asInteger(step) == 1, toEnd = asInteger(end) == kPartToEnd;
  if (byOne && toEnd && asInteger(begin) == 0) return call("tsr::host::all", {}, type);
  std::vector<ExprRef> bounds = {begin, toEnd ? name("tsr::host::kToEnd", end->type) : end};
  if (!byOne) bounds.push_back(step);
  return call("tsr::host::part", bounds, type);
}

/// Whether nothing that runs behind an operation asks for a value: only conditions stand between the two.
static bool isLastUse(Operation *op, Value value) {
  Block *home = value.getParentBlock();
  for (OpOperand &use : value.getUses()) {
    Operation *user = use.getOwner(), *level = op;
    if (user == op) continue;
    for (;; level = level->getParentOp()) {
      Operation *other = level->getBlock()->findAncestorOpInBlock(*user);
      if (other && other != level && level->isBeforeInBlock(other)) return false;
      if (other || level->getBlock() == home) break;
      if (!isa<scf::IfOp>(level->getParentOp())) return false;
    }
  }
  for (Operation *level = op; level->getBlock() != home; level = level->getParentOp())
    if (!isa<scf::IfOp>(level->getParentOp())) return false;
  return true;
}

void HostEmitter::emitStore(graph::HostCallOp op) {
  Value old = op.getInputs()[0], result = op.getResult(0);
  ExprRef held = get(old);
  auto variable = held->kind == Expr::Kind::Read ? held->operands[0]->value.getDefiningOp() : nullptr;
  const bool isOwn = variable && isa<out::VariableOp, out::EntryCallOp>(variable) && isLastUse(op, old) &&
                     !isNeededBehind(op, held->operands[0]) && llvm::count(op.getInputs(), old) == 1;
  ExprRef place = isOwn ? held->operands[0] : declare(ir::nameHint(result), typeOf(result.getType()), held, false, op.getLoc());
  if (auto own = dyn_cast_or_null<out::VariableOp>(isOwn ? variable : nullptr)) own.setIsConst(false);
  std::vector<ExprRef> operands = {read(place), get(op.getInputs()[1])};
  size_t i = 2;
  const bool isItem = op.getCallee().starts_with("store_next_") || op.getCallee() == "store_key" || op.getCallee() == "store_entry";  // the others are numbers, and no places
  for (; !isItem && i + 2 < op.getInputs().size(); i += 3)
    operands.push_back(along(get(op.getInputs()[i]), get(op.getInputs()[i + 1]), get(op.getInputs()[i + 2]), none()));
  for (; i < op.getInputs().size(); ++i) operands.push_back(get(op.getInputs()[i]));  // the rows that a tensor names
  statement(call("tsr::host::" + op.getCallee().str(), operands, none()), op.getLoc());
  bound_[result] = read(place);
}

LogicalResult HostEmitter::emitValue(Operation &op) {
  if (auto string = dyn_cast<graph::StringOp>(op)) {
    define(string.getResult(), literal(StringAttr::get(string.getValue(), text()), text()));
  } else if (auto load = dyn_cast<graph::LoadNpyOp>(op)) {
    define(load.getResult(), call("tsr::host::load_npy", {get(load.getPath())}, named("tsr::host::Tensor")));
  } else if (auto shape = dyn_cast<graph::HostShapeOp>(op)) {
    if (shape.getResult().use_empty()) return success();  // a dimension of a state's type that nothing asks for
    ExprRef axis = number(builder_.getIndexType(), shape.getAxis());
    define(shape.getResult(),
           call("tsr::host::shape", {get(shape.getTensor()), axis}, builder_.getIndexType()));
  } else if (auto rank = dyn_cast<graph::HostRankOp>(op)) {
    define(rank.getResult(), call("tsr::host::rank", {get(rank.getTensor())}, builder_.getIndexType()));
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
        isa<ir::HostTensorType>(cast.getType()) ? nullptr : convert(get(op.getOperand(0)), cast.getType(), cast.getRounding().value_or(""));
    if (!converted) return op.emitError() << "this cast has no form in host code";
    define(cast.getResult(), converted);
  } else if (auto elementwiseOp = dyn_cast<graph::ElementwiseOp>(op)) {
    std::vector<ExprRef> operands;
    for (Value operand : op.getOperands()) operands.push_back(get(operand));
    ExprRef value = elementwise(elementwiseOp.getMnemonic(), operands, op.getResult(0).getType(), false, false);
    if (mayDivideByZero(elementwiseOp))
      value = call("tsr::host::" + elementwiseOp.getMnemonic().str(), operands, op.getResult(0).getType());
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
    std::vector<ExprRef> arguments;
    for (Value operand : op.getOperands()) arguments.push_back(get(operand));
    for (Value operand : llvm::reverse(operands))
      if (operand.use_empty() && operand.getDefiningOp()) operand.getDefiningOp()->erase();
    if (op.getNumResults() > 1) {
      ExprRef all = read(declare((op.getCallee() + "_results").str(), named("auto"), call(out::functionName(op.getCallee()), arguments, named("auto")), true, place));
      for (auto [i, item] : llvm::enumerate(op.getResults()))
        if (!item.use_empty()) bound_[item] = read(declare(ir::nameHint(item), typeOf(item.getType()), call("std::get<" + std::to_string(i) + ">", {all}, typeOf(item.getType())), true, place));
      return success();
    }
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

LogicalResult emitHost(tile::HostFuncOp function, OpBuilder &builder) {
  return HostEmitter(function, builder).run();
}

}  // namespace tessera::transforms::totarget
