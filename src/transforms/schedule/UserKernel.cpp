// A user's kernel: the same body under decided sizes, and an entry function that launches it.
#include "llvm/ADT/BitVector.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/IRMapping.h"
#include "transforms/schedule/Kernels.h"
#include "transforms/schedule/Pieces.h"
#include "transforms/schedule/Privatise.h"

namespace tessera::transforms {
using namespace mlir;
using namespace tessera::ir;

KernelNames::KernelNames(Operation *module) {
  module->walk([&](Operation *op) {
    if (auto name = op->getAttrOfType<StringAttr>(SymbolTable::getSymbolAttrName()))
      taken_.insert(name.str());
  });
}

std::string KernelNames::fresh(StringRef wanted) {
  std::string name = wanted.str();
  for (int i = 1; !taken_.insert(name).second; ++i) name = wanted.str() + "_" + std::to_string(i);
  return name;
}

const std::string &KernelNames::of(StringRef kernel) {
  std::string &name = kernels_[kernel.str()];
  if (name.empty()) name = fresh((kernel + "_kernel").str());
  return name;
}

static DictionaryAttr sizesAttr(OpBuilder &builder, const std::map<std::string, int64_t> &sizes) {
  NamedAttrList list;
  for (const auto &[name, size] : sizes) list.set(name, builder.getI64IntegerAttr(size));
  return list.getDictionary(builder.getContext());
}

static DictionaryAttr capacityAttr(OpBuilder &builder,
                                   const std::map<std::string, std::vector<int64_t>> &capacity) {
  NamedAttrList list;
  for (const auto &[name, values] : capacity) list.set(name, builder.getDenseI64ArrayAttr(values));
  return list.getDictionary(builder.getContext());
}

static ArrayAttr texts(OpBuilder &builder, const std::vector<std::string> &list) {
  return builder.getStrArrayAttr(SmallVector<StringRef>(list.begin(), list.end()));
}

void createKernel(OpBuilder &builder, graph::KernelOp kernel, StringRef name, const Decision &decision) {
  OperationState state(kernel.getLoc(), schedule::KernelOp::getOperationName());
  for (NamedAttribute attribute : kernel->getAttrs())
    if (attribute.getName() != "sym_name" && attribute.getName() != "sizes" &&
        attribute.getName() != "group" && attribute.getName() != "space" &&
        attribute.getName() != "tsr.numerics" && attribute.getName() != "tsr.consts" &&
        attribute.getName() != "tsr.effects" && attribute.getName() != "tsr.specials" && attribute.getName() != "tsr.no_entry")
      state.attributes.append(attribute);
  state.addAttribute("sym_name", builder.getStringAttr(name));
  state.addAttribute("sizes", sizesAttr(builder, decision.sizes));
  state.addAttribute("group", builder.getI64IntegerAttr(decision.group));
  if (!decision.capacity.empty()) state.addAttribute("capacity", capacityAttr(builder, decision.capacity));
  if (!kernel.getSpace().empty()) state.addAttribute("tsr.space", kernel.getSpace());
  if (!decision.rows.empty()) state.addAttribute("rows", texts(builder, decision.rows));
  if (!decision.reasons.empty()) state.addAttribute("reasons", texts(builder, decision.reasons));
  Region *body = state.addRegion();
  IRMapping mapping;
  kernel.getBody().cloneInto(body, mapping);
  Operation *end = &body->front().back();
  OpBuilder(end).create<schedule::KernelEndOp>(end->getLoc());
  end->erase();
  builder.create(state);
}

static void createEntry(OpBuilder &builder, graph::KernelOp kernel, StringRef kernelName) {
  OperationState state(kernel.getLoc(), schedule::FuncOp::getOperationName());
  for (StringRef name : {"sym_name", "function_type", "dims", "params", "outputs", "requirements",
                         "signature", "doc", "deterministic", "tsr.numerics", "tsr.consts", "tsr.effects", "tsr.specials"})
    if (Attribute attribute = kernel->getAttr(name)) state.addAttribute(name, attribute);
  Block &block = state.addRegion()->emplaceBlock();
  SmallVector<Value> args;
  for (BlockArgument argument : kernel.entry().getArguments())
    args.push_back(block.addArgument(argument.getType(), argument.getLoc()));
  OpBuilder::InsertionGuard guard(builder);
  Operation *function = builder.create(state);
  builder.setInsertionPointToEnd(&function->getRegion(0).front());
  builder.create<schedule::LaunchOp>(
      kernel.getLoc(), FlatSymbolRefAttr::get(builder.getContext(), kernelName), args, DimsAttr());
  builder.create<schedule::ReturnOp>(kernel.getLoc(), ValueRange());
}

/// Attributes that count parameters, without those at `gone`.
static void dropParams(graph::KernelOp kernel, const llvm::BitVector &gone) {
  MLIRContext *context = kernel->getContext();
  auto moved = [&](int64_t index) {
    int64_t before = 0;
    for (int64_t i = 0; i < index; ++i) before += gone[i];
    return index - before;
  };
  SmallVector<Attribute> params, outputs;
  for (auto [i, param] : llvm::enumerate(kernel.getParams()))
    if (!gone[i]) params.push_back(param);
  for (auto output : kernel.getOutputs().getAsRange<ResultAttr>())
    outputs.push_back(ResultAttr::get(context, output.getName(), output.getType(), moved(output.getParam())));
  GridAttr grid = kernel.getGrid();
  kernel.setParamsAttr(ArrayAttr::get(context, params));
  kernel.setOutputsAttr(ArrayAttr::get(context, outputs));
  kernel.setGridAttr(GridAttr::get(context, grid.getKind(), grid.getDims(),
                                   grid.getParam() < 0 ? -1 : moved(grid.getParam())));
  kernel.eraseArguments(gone);
}

/// The sizes of a kernel whose tiles are as long as a group can hold.
static FailureOr<Decision> decided(graph::KernelOp kernel, const Machine &machine) {
  std::vector<std::string> reasons;
  takeRowsInPieces(kernel, reasons);
  FailureOr<Decision> decision = decide(kernel, machine);
  if (succeeded(decision)) decision->reasons.insert(decision->reasons.begin(), reasons.begin(), reasons.end());
  return decision;
}

/// The parameter is memory from here on, and the number is read when the kernel begins.
static void takeFromMemory(OpBuilder &inside, BlockArgument argument, Type memory) {
  Type number = argument.getType();
  argument.setType(memory);
  PartAccess at(inside, {}, {}, argument.getLoc());
  auto read = inside.create<graph::LoadOp>(argument.getLoc(), number, argument, at.offsets, at.points, at.sizes, at.steps, at.inBounds, Value());
  argument.replaceAllUsesExcept(read, read);
}

FailureOr<std::string> specializeKernel(OpBuilder &builder, graph::KernelOp kernel,
                                        ArrayRef<KnownNumber> numbers, KernelNames &names) {
  if (llvm::all_of(numbers, [](const KnownNumber &number) { return !number.constant && !number.memory; })) return names.of(kernel.getSymName());
  const Machine *machine = machineOf(kernel);
  if (!machine) return failure();
  auto special = cast<graph::KernelOp>(kernel->clone());
  llvm::BitVector gone(numbers.size());
  OpBuilder inside = OpBuilder::atBlockBegin(&special.entry());
  for (auto [i, number] : llvm::enumerate(numbers)) {
    BlockArgument argument = special.getArgument(i);
    if (number.memory) takeFromMemory(inside, argument, number.memory);
    if (!number.constant) continue;
    gone.set(i);
    Operation *copy = inside.clone(*number.constant);
    copy->setLoc(argument.getLoc());
    argument.replaceAllUsesWith(copy->getResult(0));
  }
  special.setFunctionType(builder.getFunctionType(special.entry().getArgumentTypes(), {}));
  dropParams(special, gone);
  FailureOr<Decision> decision = decided(special, *machine);
  FailureOr<std::string> name = failure();
  if (succeeded(decision)) {
    name = names.fresh((kernel.getSymName() + "_kernel").str());
    createKernel(builder, special, *name, *decision);
  }
  special->destroy();
  return name;
}

LogicalResult scheduleKernel(OpBuilder &builder, graph::KernelOp kernel, KernelNames &names) {
  expandVectorDots(kernel);
  const Machine *machine = machineOf(kernel);
  if (!machine) return failure();
  FailureOr<Decision> decision = decided(kernel, *machine);
  if (failed(decision)) return failure();
  const std::string &name = names.of(kernel.getSymName());
  createKernel(builder, kernel, name, *decision);
  if (!kernel->hasAttr("tsr.no_entry")) createEntry(builder, kernel, name);  // made by the compiler, for a call
  return success();
}

}  // namespace tessera::transforms
