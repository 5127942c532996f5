// The attribute of a module that says which machine it is compiled for.
#include "ir/common/Common.h"
#include "ir/common/MachineLimit.h"
#include "mlir/IR/BuiltinOps.h"
#include "support/Check.h"
#include "support/Machine.h"
#include "support/Nearest.h"

namespace tessera::ir {
using namespace mlir;

static constexpr llvm::StringLiteral kMachine = "tsr.machine";
/// Marks the location of a diagnostic, which has no other place for it.
static constexpr llvm::StringLiteral kMachineLimit = "tsr.machine_limit";

LogicalResult MachineAttr::verify(function_ref<InFlightDiagnostic()> emitError, StringRef name) {
  std::string_view wanted(name.data(), name.size());
  if (machineByName(wanted)) return success();
  std::string_view near = nearestName(wanted, machineNames());
  std::string advice = near.empty() ? "" : "; did you mean '" + std::string(near) + "'?";
  return emitError() << "there is no machine '" << name << "'" << advice;
}

const Machine &MachineAttr::getMachine() const {
  const Machine *machine = machineByName(std::string_view(getName().data(), getName().size()));
  TSR_CHECK(machine, "a machine that was not verified");
  return *machine;
}

LogicalResult TsrDialect::verifyOperationAttribute(Operation *op, NamedAttribute attribute) {
  if (attribute.getName() != kMachine) return success();
  if (!isa<ModuleOp>(op)) return op->emitError() << "'" << kMachine << "' is an attribute of modules";
  if (!isa<MachineAttr>(attribute.getValue()))
    return op->emitError() << "'" << kMachine << "' is a machine, such as #tsr.machine<\"sm_80\">";
  return success();
}

const Machine *machineOf(Operation *op) {
  auto module = dyn_cast<ModuleOp>(op);
  if (!module) module = op->getParentOfType<ModuleOp>();
  auto attribute = module ? module->getAttrOfType<MachineAttr>(kMachine) : MachineAttr();
  if (attribute) return &attribute.getMachine();
  op->emitError() << "the module does not say which machine it is compiled for: "
                     "set '" << kMachine << "', with tessera-opt by --set-machine=name=sm_80";
  return nullptr;
}

void setMachine(Operation *module, const Machine &machine) {
  module->setAttr(kMachine, MachineAttr::get(module->getContext(), StringRef(machine.name.data(), machine.name.size())));
}

InFlightDiagnostic emitMachineLimit(Operation *op) {
  auto mark = StringAttr::get(op->getContext(), kMachineLimit);
  return emitError(FusedLoc::get({op->getLoc()}, mark, op->getContext()));
}

bool isMachineLimit(Location location) {
  auto fused = dyn_cast<FusedLoc>(location);
  return fused && fused.getMetadata() == StringAttr::get(location.getContext(), kMachineLimit);
}

}  // namespace tessera::ir
