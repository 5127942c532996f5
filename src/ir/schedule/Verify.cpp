// The rules of entry functions, launches, and kernels whose every size is decided.
#include "ir/graph/Graph.h"
#include "ir/schedule/Schedule.h"
#include "mlir/IR/BuiltinOps.h"

namespace tessera::ir::schedule {
using namespace mlir;

template <class EndOp> static LogicalResult verifyEnd(FunctionOpInterface function) {
  Block &last = function.getFunctionBody().back();
  if (!last.empty() && isa<EndOp>(last.back())) return success();
  return function->emitOpError() << "does not end in " << EndOp::getOperationName();
}

LogicalResult FuncOp::verify() {
  if (failed(verifyFunction(*this, getDims(), getParams(), getOutputs(), getRequirements())) ||
      failed(verifyArguments(*this)))
    return failure();
  if (!getResultTypes().empty()) return emitOpError("returns values: an entry function stores its results");
  for (Operation &op : entry())
    if (!isa<TempOp, TableOp, LaunchOp, ExchangeOp, ReturnOp>(op))
      return op.emitOpError("may not stand in an entry function: it is a list of temporaries, tables, launches and exchanges");
  return verifyEnd<ReturnOp>(*this);
}

LogicalResult HostFuncOp::verify() {
  if (failed(verifyFunction(*this, getDims(), getParams(), getOutputs(), getRequirements())))
    return failure();
  if (getOutputs().size() != getResultTypes().size())
    return emitOpError() << "returns " << getResultTypes().size() << " values and names "
                         << getOutputs().size() << " outputs";
  return verifyEnd<ReturnOp>(*this);
}

// ---------------------------------------------------------------- kernels

static LogicalResult verifySizes(KernelOp kernel) {
  for (auto field : kernel.getContext().getAsRange<StringAttr>()) {
    auto size = kernel.getSizes().getAs<IntegerAttr>(field.getValue());
    if (!size)
      return kernel.emitOpError() << "uses T." << field.getValue() << ", but 'sizes' has no value for it";
    if (size.getInt() < 1) return kernel.emitOpError() << "T." << field.getValue() << " is " << size.getInt();
  }
  if (kernel.getGroup() == 0) return kernel.emitOpError("'group' is not decided");
  return success();
}

static LogicalResult verifyCapacity(KernelOp kernel) {
  auto known = knownDimensions(kernel.getDims(), kernel.getContext());
  for (NamedAttribute entry : kernel.getCapacity()) {
    if (!known.count(entry.getName().str()))
      return kernel.emitOpError() << "has a capacity for '" << entry.getName().getValue()
                                  << "', which is not a dimension";
    auto values = dyn_cast<DenseI64ArrayAttr>(entry.getValue());
    if (!values || values.empty())
      return kernel.emitOpError() << "capacity of '" << entry.getName().getValue()
                                  << "' is not an array<i64: ...>";
    int64_t last = 0;
    for (int64_t value : values.asArrayRef()) {
      if (value <= last)
        return kernel.emitOpError() << "capacities of '" << entry.getName().getValue() << "' do not ascend";
      last = value;
    }
  }
  for (auto row : kernel.getRows().getAsRange<StringAttr>()) {
    auto dim = Dim::parse(row.str());
    std::set<std::string> vars;
    if (dim) dim->collectVars(vars);
    if (!dim || !llvm::all_of(vars, [&](const std::string &var) { return known.count(var); }))
      return kernel.emitOpError() << "streams over '" << row.getValue() << "', which is not a dimension";
  }
  return success();
}

LogicalResult KernelOp::verify() {
  if (failed(verifyArguments(*this)) ||
      failed(verifyFunction(*this, getDims(), getParams(), getOutputs(), getRequirements(), getContext())) ||
      failed(verifyKernel(*this, getParams(), getOutputs(), getGrid(), getGroup())) ||
      failed(verifySizes(*this)) || failed(verifyCapacity(*this)))
    return failure();
  LogicalResult result = success();
  getBody().walk([&](Operation *op) {
    StringRef dialect = op->getName().getDialectNamespace();
    if (dialect == "scf" || graph::isBodyOp(op) || isa<ArgsortRowOp, KernelEndOp>(op)) return WalkResult::advance();
    result = op->emitOpError("may not stand in a kernel");
    return WalkResult::interrupt();
  });
  return failed(result) ? result : verifyEnd<KernelEndOp>(*this);
}

LogicalResult TableOp::verify() { return verifyTable(*this, getValues(), getType()); }
LogicalResult ExchangeOp::verify() { return verifyExchange(*this, getKind(), getOver()); }
LogicalResult ArgsortRowOp::verify() {
  return verifyArgsortRow(*this, getKeys(), getBase(), getIndices().size(), {getPart(), getNamed(), static_cast<int64_t>(getFirst()), static_cast<int64_t>(getLength())});
}

// ---------------------------------------------------------------- launches

LogicalResult LaunchOp::verifySymbolUses(SymbolTableCollection &symbols) {
  auto kernel = dyn_cast_or_null<KernelOp>(symbols.lookupNearestSymbolFrom(*this, getKernelAttr()));
  if (!kernel) return emitOpError() << "launches @" << getKernel() << ", which is not a kernel";
  return verifyLaunch(*this, kernel, kernel.getDims(), getOperandTypes(), getDimsAttr());
}

LogicalResult ReturnOp::verify() {
  auto function = cast<FunctionOpInterface>((*this)->getParentOp());
  if (TypeRange(getOperandTypes()) == TypeRange(function.getResultTypes())) return success();
  return emitOpError("returns values of other types than its function says");
}

}  // namespace tessera::ir::schedule
