// Rules of the ops that stand at module level and in entry functions, and of declarations.
#include "ir/target/Target.h"
#include "ir/common/KernelNotes.h"
#include "ir/common/OpRules.h"
#include "support/Dim.h"
#include "mlir/IR/Builders.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;

namespace tessera::ir::target {
namespace {

LogicalResult verifyNames(Operation *op, ArrayAttr names, size_t arguments, StringRef what) {
  if (names.size() != arguments)
    return op->emitOpError() << "has " << names.size() << " " << what << " names for " << arguments;
  llvm::StringSet<> seen;
  for (StringAttr name : names.getAsRange<StringAttr>()) {
    if (!isIdentifier(name)) return op->emitOpError() << what << " name " << name << " is no identifier";
    if (!seen.insert(name.getValue()).second)
      return op->emitOpError() << "has two " << what << "s named " << name;
  }
  return success();
}

LogicalResult verifyDim(Operation *op, StringRef text) {
  if (Dim::parse(text.str())) return success();
  return op->emitOpError() << "'" << text << "' is no dimension expression";
}

LogicalResult verifyDims(Operation *op, ArrayAttr shape) {
  for (StringAttr dim : shape.getAsRange<StringAttr>())
    if (failed(verifyDim(op, dim))) return failure();
  return success();
}

LogicalResult verifyName(Operation *op, StringRef name) {
  if (isIdentifier(name)) return success();
  return op->emitOpError() << "name '" << name << "' is no identifier";
}

void nameArguments(Region &region, ArrayAttr names, OpAsmSetValueNameFn set) {
  for (auto [argument, name] : llvm::zip(region.getArguments(), names.getAsRange<StringAttr>()))
    set(argument, name);
}

ParameterAttr parameterNamed(EntryOp entry, StringRef name) {
  for (Attribute attr : entry.getParameters())
    if (auto parameter = dyn_cast<ParameterAttr>(attr); parameter && parameter.getName() == name)
      return parameter;
  return {};
}
bool hasMemory(EntryOp entry, StringRef name) {
  Block &body = entry.getBody().front();
  return llvm::any_of(body.getOps<TemporaryOp>(), [&](TemporaryOp temporary) { return temporary.getName() == name; }) ||
         llvm::any_of(body.getOps<TableOp>(), [&](TableOp table) { return table.getName() == name; });
}

}  // namespace

LogicalResult KernelOp::verifyRegions() {
  if (getGroup() > 1024) return emitOpError("has more than 1024 threads in a group");
  if (failed(verifyNames(*this, getParamNames(), getBody().getNumArguments(), "parameter"))) return failure();
  return verifyNames(*this, getCapacities(), getCapacities().size(), "capacity");
}
void KernelOp::getAsmBlockArgumentNames(Region &region, OpAsmSetValueNameFn set) {
  nameArguments(region, getParamNames(), set);
}

LogicalResult EntryOp::verifyRegions() {
  llvm::StringSet<> names;
  for (Attribute attr : getParameters()) {
    auto parameter = dyn_cast<ParameterAttr>(attr);
    if (!parameter) return emitOpError() << attr << " is no #target.parameter";
    if (!names.insert(parameter.getName()).second)
      return emitOpError() << "has two parameters named '" << parameter.getName() << "'";
    if (failed(verifyDims(*this, parameter.getShape()))) return failure();
  }
  for (StringAttr name : getReturns().getAsRange<StringAttr>()) {
    ParameterAttr parameter = parameterNamed(*this, name);
    if (!parameter) return emitOpError() << "returns " << name << ", which is no parameter";
    if (parameter.getMode() == "in" || parameter.getMode() == "scalar")
      return emitOpError() << "returns " << name << ", which is only read";
  }
  for (Operation &op : getBody().front())
    if (!isa<RequireOp, TemporaryOp, TableOp, LaunchOp, ExchangeOp, ConstantOp>(op))
      return op.emitOpError("does not belong in target.entry");
  return success();
}

LogicalResult RequireOp::verify() {
  if (!llvm::is_contained({"==", "!=", "<", "<=", ">", ">="}, getRelation()))
    return emitOpError() << "relation '" << getRelation() << "' is no comparison";
  return failure(failed(verifyDim(*this, getLeft())) || failed(verifyDim(*this, getRight())));
}

LogicalResult TemporaryOp::verify() {
  if (failed(verifyName(*this, getName())) || failed(verifyDims(*this, getShape()))) return failure();
  if (parameterNamed(cast<EntryOp>((*this)->getParentOp()), getName()))
    return emitOpError() << "'" << getName() << "' is already a parameter";
  if (getWithin().has_value() != getOffset().has_value()) return emitOpError("a place within other memory is a name and an offset");
  if (!getWithin()) return success();
  bool isKnown = llvm::any_of(cast<EntryOp>((*this)->getParentOp()).getBody().getOps<TemporaryOp>(), [&](TemporaryOp other) {
    return other.getName() == *getWithin() && !other.getWithin() && other->isBeforeInBlock(*this);
  });
  if (!isKnown) return emitOpError() << "'" << *getWithin() << "' is no temporary before it with memory of its own";
  if (!Dim::parse(getOffset()->str())) return emitOpError() << "'" << *getOffset() << "' is not an offset";
  return success();
}

LogicalResult TableOp::verify() {
  if (failed(verifyName(*this, getName())) || failed(verifyName(*this, getSymbol())) || failed(verifyDims(*this, getShape()))) return failure();
  if (parameterNamed(cast<EntryOp>((*this)->getParentOp()), getName()))
    return emitOpError() << "'" << getName() << "' is already a parameter";
  for (Attribute value : getValues())
    if (auto number = dyn_cast<TypedAttr>(value); !number || number.getType() != getDtype())
      return emitOpError() << "has the number " << value << " among those of " << getDtype();
  return success();
}

LogicalResult ExchangeOp::verify() {
  if (failed(verifyExchange(*this, getKind(), getOver())) || failed(verifyDim(*this, getCount()))) return failure();
  auto entry = cast<EntryOp>((*this)->getParentOp());
  for (StringAttr name : {getSourceAttr(), getTargetAttr()}) {
    ParameterAttr parameter = parameterNamed(entry, name);
    if (parameter ? parameter.getMode() == "scalar" : !hasMemory(entry, name)) return emitOpError() << "is of " << name << ", which is no tensor here";
  }
  return success();
}

LogicalResult LaunchOp::verify() {
  auto entry = cast<EntryOp>((*this)->getParentOp());
  auto kernel = SymbolTable::lookupNearestSymbolFrom<KernelOp>(entry->getParentOp(), getKernelAttr());
  if (!kernel) return emitOpError() << "launches " << getKernelAttr() << ", which is no target.kernel";
  if (getArguments().size() != kernel.getParamNames().size())
    return emitOpError() << "passes " << getArguments().size() << " arguments to a kernel of "
                         << kernel.getParamNames().size();
  if (getGroup() != kernel.getGroup())
    return emitOpError() << "has groups of " << getGroup() << ", the kernel of " << kernel.getGroup();
  for (auto [i, attr] : llvm::enumerate(getArguments())) {
    auto argument = dyn_cast<ArgumentAttr>(attr);
    if (!argument) return emitOpError() << attr << " is no #target.argument";
    ParameterAttr parameter = parameterNamed(entry, argument.getText());
    bool isTensor = parameter ? parameter.getMode() != "scalar" : hasMemory(entry, argument.getText());
    if (argument.getKind() == "dim" && failed(verifyDim(*this, argument.getText()))) return failure();
    if (argument.getKind() == "tensor" && !isTensor)
      return emitOpError() << "passes '" << argument.getText() << "', which is no tensor here";
    if (argument.getKind() == "scalar" && (!parameter || isTensor))
      return emitOpError() << "passes '" << argument.getText() << "', which is no scalar parameter";
    bool wantsTensor = isa<PointerType, ViewType, TiledViewType>(kernel.getBody().getArgument(i).getType());
    if (wantsTensor != (argument.getKind() == "tensor"))
      return emitOpError() << "argument " << i
                           << " and the kernel's parameter are not both tensors or both numbers";
  }
  if (getGrid() && failed(verifyDim(*this, *getGrid()))) return failure();
  size_t combinations = 1, capacities = 0;
  if (getCapacities())
    for (Attribute attr : getCapacitiesAttr()) {
      auto capacity = dyn_cast<CapacityAttr>(attr);
      if (!capacity) return emitOpError() << attr << " is no #target.capacity";
      combinations *= capacity.getValues().size();
      ++capacities;
    }
  if (getAligned().has_value() != getAlignedRows().has_value())
    return emitOpError("must give 'aligned' and 'aligned_rows' together");
  if (getAligned())
    for (StringAttr name : getAligned()->getAsRange<StringAttr>())
      if (ParameterAttr parameter = parameterNamed(entry, name); !parameter || parameter.getMode() == "scalar")
        return emitOpError() << "asks for the alignment of '" << name.getValue() << "', which is no tensor parameter";
  if (getAlignedRows())
    for (StringAttr dim : getAlignedRows()->getAsRange<StringAttr>())
      if (failed(verifyDim(*this, dim))) return failure();
  auto variants = (*this)->getAttrOfType<ArrayAttr>("variants");
  if (variants) {
    size_t wanted = kernel.getCapacities().size();
    for (auto variant : variants.getAsRange<DictionaryAttr>()) {
      auto arguments = variant.getAs<StringAttr>("arguments");
      if (!arguments || arguments.getValue().count(',') + 1 != wanted || !variant.getAs<StringAttr>("grid"))
        return emitOpError() << "has a variant without a grid or without the " << wanted << " template arguments";
    }
  }
  auto form = (*this)->getAttrOfType<DictionaryAttr>(kForm);
  if (form) {
    auto arguments = form.getAs<StringAttr>("arguments");
    auto rows = form.getAs<DenseI64ArrayAttr>("rows");
    if (!arguments || arguments.getValue().count(',') + 1 != kernel.getCapacities().size() || !rows || rows.size() != static_cast<int64_t>(getArguments().size()))
      return emitOpError() << "has a form without the " << kernel.getCapacities().size() << " arguments of the template, or without the rows of each argument";
  }
  size_t chosen = variants || form ? kernel.getCapacities().size() : capacities + (getAligned() ? 1 : 0);
  if (chosen != kernel.getCapacities().size())
    return emitOpError() << "chooses " << chosen << " capacities of " << kernel.getCapacities().size();
  if (getSharedBytes() && getSharedBytes()->size() != combinations)
    return emitOpError() << "gives " << getSharedBytes()->size() << " sizes of shared memory for "
                         << combinations << " combinations of capacities";
  if (kernel.getDynamicShared() != getSharedBytes().has_value())
    return emitOpError("must give shared_bytes exactly when the kernel has dynamic_shared");
  return success();
}

LogicalResult HostFuncOp::verifyRegions() {
  return verifyNames(*this, getParamNames(), getBody().getNumArguments(), "parameter");
}
void HostFuncOp::getAsmBlockArgumentNames(Region &region, OpAsmSetValueNameFn set) {
  nameArguments(region, getParamNames(), set);
}

LogicalResult EntryCallOp::verify() {
  auto entry = SymbolTable::lookupNearestSymbolFrom<EntryOp>(*this, getCalleeAttr());
  if (!entry) return emitOpError() << "calls " << getCalleeAttr() << ", which is no target.entry";
  size_t given = llvm::count_if(entry.getParameters(),
                                [](Attribute a) { return cast<ParameterAttr>(a).getMode() != "result"; });
  if (getOperands().size() != given)
    return emitOpError() << "passes " << getOperands().size() << " arguments for " << given;
  if (getResults().size() != entry.getReturns().size())
    return emitOpError() << "takes " << getResults().size() << " results of " << entry.getReturns().size();
  return verifyNames(*this, getNames(), getResults().size(), "result");
}
void EntryCallOp::getAsmResultNames(OpAsmSetValueNameFn set) {
  for (auto [result, name] : llvm::zip(getResults(), getNames().getAsRange<StringAttr>())) set(result, name);
}

LogicalResult ConstantOp::verify() { return verifyName(*this, getName()); }
LogicalResult AliasOp::verify() { return verifyName(*this, getName()); }
LogicalResult SharedOp::verify() {
  if (!(*this)->getParentOfType<KernelOp>()) return emitOpError("must stand in a target.kernel");
  return verifyName(*this, getName());
}
void SharedOp::getAsmResultNames(OpAsmSetValueNameFn set) { set(getPlace(), getName()); }
void VariableOp::getAsmResultNames(OpAsmSetValueNameFn set) { set(getPlace(), getName()); }

}  // namespace tessera::ir::target
