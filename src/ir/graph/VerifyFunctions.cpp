// The rules of functions, returns, calls and host code.
#include "ir/graph/Graph.h"
#include "mlir/IR/BuiltinOps.h"

namespace tessera::ir::graph {
using namespace mlir;

/// What a body may hold: an operation of the dialect by kind, and structured control flow.
static LogicalResult verifyContents(FunctionOpInterface function, bool (*isAllowed)(Operation *),
                                    StringRef kind) {
  LogicalResult result = success();
  function.getFunctionBody().walk([&](Operation *op) {
    StringRef dialect = op->getName().getDialectNamespace();
    if (dialect == "scf" || isAllowed(op)) return WalkResult::advance();
    result = op->emitOpError() << "may not stand in " << kind;
    return WalkResult::interrupt();
  });
  return result;
}
static bool isOnlyInKernels(Operation *op) {
  return isa<LoadOp, StoreOp, AtomicOp, WarpOp, QueryOp, AllocSharedOp, AsyncCopyOp, CommitGroupOp, WaitGroupOp, BarrierOp>(op);
}
/// Scans of tensors are sums; those of tiles have any operation.
static bool isOtherScan(Operation *op) {
  auto scan = dyn_cast<ScanOp>(op);
  return scan && scan.getMnemonic() != "sum";
}
static bool isInFunc(Operation *op) { return (isBodyOp(op) && !isOnlyInKernels(op) && !isOtherScan(op)) || isa<CallOp, ReturnOp>(op); }
static bool isInKernel(Operation *op) { return isBodyOp(op) || isa<KernelEndOp>(op); }
static bool isInHost(Operation *op) {
  return isa_and_nonnull<GraphDialect>(op->getDialect()) && !isOnlyInKernels(op) &&
         !isa<FuncOp, KernelOp, HostFuncOp, KernelEndOp>(op);
}

template <class EndOp> static LogicalResult verifyEnd(FunctionOpInterface function) {
  Block &last = function.getFunctionBody().back();
  if (!last.empty() && isa<EndOp>(last.back())) return success();
  return function->emitOpError() << "does not end in " << EndOp::getOperationName();
}

static LogicalResult verifyValuesOnly(FunctionOpInterface function) {
  for (Type type : function.getArgumentTypes())
    if (!isScalar(type) && !isa<TensorType>(type))
      return function->emitOpError() << "takes " << type
                                     << ", but a tensor function takes scalars and tensors";
  return success();
}

template <class Op> static LogicalResult verifyOutputs(Op op) {
  if (op.getOutputs().size() != op.getResultTypes().size())
    return op.emitOpError() << "returns " << op.getResultTypes().size() << " values and names "
                            << op.getOutputs().size() << " outputs";
  for (size_t i = 0; i < op.getOutputs().size(); ++i)
    if (op.output(i).getType() != op.getResultTypes()[i])
      return op.emitOpError() << "output '" << op.output(i).getName() << "' has type "
                              << op.output(i).getType() << ", the function returns "
                              << op.getResultTypes()[i];
  return success();
}

LogicalResult FuncOp::verify() {
  if (failed(verifyFunction(*this, getDims(), getParams(), getOutputs(), getRequirements())) ||
      failed(verifyValuesOnly(*this)) || failed(verifyOutputs(*this)) ||
      failed(verifyContents(*this, isInFunc, "a tensor function")))
    return failure();
  return verifyEnd<ReturnOp>(*this);
}

LogicalResult HostFuncOp::verify() {
  if (failed(verifyFunction(*this, getDims(), getParams(), getOutputs(), getRequirements())) ||
      failed(verifyOutputs(*this)) || failed(verifyContents(*this, isInHost, "host code")))
    return failure();
  return verifyEnd<ReturnOp>(*this);
}

LogicalResult KernelOp::verify() {
  for (Type type : getArgumentTypes())
    if (!isScalar(type) && !isa<ViewType>(type))
      return emitOpError() << "takes " << type << ", but a kernel takes scalars and views";
  if (failed(verifyFunction(*this, getDims(), getParams(), getOutputs(), getRequirements(), getContext())) ||
      failed(verifyKernel(*this, getParams(), getOutputs(), getGrid(), getGroup())) ||
      failed(verifyContents(*this, isInKernel, "a kernel")))
    return failure();
  return verifyEnd<KernelEndOp>(*this);
}

LogicalResult ReturnOp::verify() {
  auto function = cast<FunctionOpInterface>((*this)->getParentOp());
  if (TypeRange(getOperandTypes()) == TypeRange(function.getResultTypes())) return success();
  return emitOpError("returns values of other types than its function says");
}

// ---------------------------------------------------------------- calls

/// A value for a parameter or result of the callee: host tensors are checked when the program runs.
static bool isCompatible(Type value, Type declared) {
  if (value == declared || isa<HostTensorType>(value)) return value == declared || !isScalar(declared);
  if (isScalar(declared) && isa<TensorType>(value)) return false;
  return isa<TensorType, ViewType>(declared) && isa<TensorType>(value) &&
         shapeOf(value).size() == shapeOf(declared).size() && elementTypeOf(value) == elementTypeOf(declared);
}

LogicalResult CallOp::verifySymbolUses(SymbolTableCollection &symbols) {
  auto callee =
      dyn_cast_or_null<FunctionOpInterface>(symbols.lookupNearestSymbolFrom(*this, getCalleeAttr()));
  if (!callee) return emitOpError() << "calls @" << getCallee() << ", which is not there";
  auto params = callee->getAttrOfType<ArrayAttr>("params"),
       outputs = callee->getAttrOfType<ArrayAttr>("outputs");
  if (!params || !outputs)
    return emitOpError() << "calls @" << getCallee() << ", which is not a function of this dialect";
  SmallVector<Type> expected;
  for (auto [param, type] : llvm::zip(params.getAsRange<ParamAttr>(), callee.getArgumentTypes()))
    if (!param.getIsResult()) expected.push_back(type);
  if (expected.size() != getOperands().size())
    return emitOpError() << "passes " << getOperands().size() << " values, @" << getCallee() << " takes "
                         << expected.size();
  for (auto [i, operand] : llvm::enumerate(getOperandTypes()))
    if (!isCompatible(operand, expected[i]))
      return emitOpError() << "passes " << operand << " where @" << getCallee() << " takes " << expected[i];
  if (getNumResults() != outputs.size())
    return emitOpError() << "takes " << getNumResults() << " results, @" << getCallee() << " has "
                         << outputs.size();
  for (auto [result, output] : llvm::zip(getResultTypes(), outputs.getAsRange<ResultAttr>()))
    if (!isCompatible(result, output.getType()))
      return emitOpError() << "result '" << output.getName() << "' has type " << result << ", @"
                           << getCallee() << " returns " << output.getType();
  return success();
}

// ---------------------------------------------------------------- host code

LogicalResult FormatOp::verify() {
  if (getTexts().size() != getValues().size() + 1 || getFormats().size() != getValues().size())
    return emitOpError() << "has " << getValues().size() << " values, " << getTexts().size() << " texts and "
                         << getFormats().size() << " formats";
  return success();
}

}  // namespace tessera::ir::graph
