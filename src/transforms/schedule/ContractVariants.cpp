// Other kernels of a product, for sizes that are known only when the program runs: the entry function starts one of them.
#include "transforms/schedule/Conditions.h"
#include "transforms/schedule/Contract.h"
#include "transforms/schedule/Shapes.h"
#include "transforms/schedule/TensorFunction.h"

namespace tessera::transforms {
using namespace mlir;
using namespace tessera::ir;

// An operand that is computed where it is loaded is computed anew for each tile of rows, or columns, and by lanes: the copy engine brings
// nothing that can be multiplied. A kernel that stores it takes less time, on one H200 and in bf16:
//   rows, for 4096 columns of weights, which take as long to read: (x + b) @ w of 256 x 4096 x 4096 28 us for 67, of 8192 rows 389 for 705;
//   weights of 8 bits that many rows are multiplied with: 512 x 4096 x 4096 45 us for 58, 8192 rows 382 for 455;
//   and those that no kernel for few rows reads, for any: with a scale for each column 42 us for 95, and 371 for 1291.
constexpr int64_t kMostComputedFor = 256;

/// What is computed of such operands of products by lanes, in the dtype in which it is multiplied. `side`: 0 for the left ones.
SmallVector<Value> FunctionScheduler::computedAnew(const Machine &machine, ArrayRef<graph::DotOp> dots, unsigned side) {
  graph::DotOp first = dots.front();
  SmallVector<Value> values;
  if (!hasWarpgroupProduct(machine, first) || bitsOf(first.getLhs().getType()) != 16 || summedWindows(first)) return values;
  if (side == 0 && leastOf(first.getType().getShape().back().getDim()) <= kMostComputedFor) return values;
  for (graph::DotOp dot : dots) {
    Value value = dot->getOperand(side);
    if (isOnlyMoved(value)) continue;
    while (isa<graph::TransposeOp, graph::BroadcastOp>(value.getDefiningOp())) value = value.getDefiningOp()->getOperand(0);
    if (!llvm::is_contained(values, value)) values.push_back(value);
  }
  return values;
}

/// The kernels of a product. What is read for many rows, or columns, and computed of what is in memory, is stored first.
LogicalResult FunctionScheduler::contract(Value root, ArrayRef<graph::DotOp> dots, Value target) {
  const Machine *machine = machineOf(function_);
  if (!machine) return failure();
  auto storeAll = [&](ArrayRef<Value> operands) {
    return success(llvm::all_of(operands, [&](Value operand) { return leaves_.count(operand) || succeeded(makeRoot(operand)); }));
  };
  if (failed(storeAll(computedAnew(*machine, dots, 0)))) return failure();
  const SmallVector<Value> weights = computedAnew(*machine, dots, 1);
  ArrayRef<DimAttr> shape = graph::DotOp(dots.front()).getType().getShape();
  const DimAttr rows = shape[shape.size() - 2];
  if (weights.empty()) return contractKernel(root, dots, target);
  const bool isForAny = tilesForFewRows(*machine, dots, contractWork(root, dots, {})).empty();
  if (isForAny || leastOf(rows.getDim()) > kMostComputedFor) return succeeded(storeAll(weights)) ? contractKernel(root, dots, target) : failure();
  if (rows.getConstant() || !tilesBeside(root).empty()) return contractKernel(root, dots, target);
  const Attribute few = RequirementAttr::get(builder_.getContext(), rows, Relation::Le, DimAttr::get(builder_.getContext(), Dim(kMostComputedFor)), "");
  when_.push_back(negated(few));
  LogicalResult made = succeeded(storeAll(weights)) ? contractKernel(root, dots, target, kMostComputedFor + 1) : failure();
  for (Value operand : weights) leaves_.erase(operand);
  when_.back() = few;
  if (succeeded(made)) made = contractKernel(root, dots, target);
  when_.pop_back();
  return made;
}

LogicalResult FunctionScheduler::decideContract(graph::KernelOp kernel, const Machine &machine, const std::string &reason) {
  FailureOr<Decision> decision = decide(kernel, machine);
  if (failed(decision)) return failure();
  decision->reasons.insert(decision->reasons.begin(), reason);
  std::string name = kernel.getSymName().str();
  createKernel(builder_, kernel, name, *decision);
  return success();
}

/// Another kernel for the same root, which the entry function starts instead of `others` where `count` is at most `most`. It
/// stands before the last of them.
FailureOr<schedule::LaunchOp> FunctionScheduler::addKernelFor(graph::KernelOp kernel, const Machine &machine, const std::string &wanted,
                                                              const std::string &reason, ArrayRef<schedule::LaunchOp> others,
                                                              const Dim &count, const Dim &most) {
  MLIRContext *context = builder_.getContext();
  schedule::LaunchOp usual = others.front();
  std::string name = names_.fresh(wanted);
  kernel.setSymName(name);
  if (failed(decideContract(kernel, machine, reason))) return failure();
  auto made = launchOp<schedule::LaunchOp>(usual.getLoc(), FlatSymbolRefAttr::get(context, name), usual->getOperands(), DimsAttr());
  DimAttr left = DimAttr::get(context, count), right = DimAttr::get(context, most);
  Attribute isFew = RequirementAttr::get(context, left, Relation::Le, right, "");
  SmallVector<Attribute> conditions(when_);
  conditions.push_back(isFew);
  made->setAttr(kWhen, builder_.getArrayAttr(conditions));
  for (schedule::LaunchOp other : others) {
    SmallVector<Attribute> otherwise(when_);
    if (auto given = other->getAttrOfType<ArrayAttr>(kWhen)) otherwise.assign(given.begin(), given.end());
    otherwise.push_back(negated(isFew));
    other->setAttr(kWhen, builder_.getArrayAttr(otherwise));
  }
  made->moveBefore(others.back());
  return made;
}

/// A kernel whose groups add up parts of the terms, in the place of the last of `launches`, where that makes `parts` of at least two.
LogicalResult FunctionScheduler::addSplitFor(graph::KernelOp kernel, const Machine &machine, const ContractTile &tile, const Dim &parts,
                                             const std::string &reason, SmallVectorImpl<schedule::LaunchOp> &launches) {
  // Launches that give dimensions give those of the function, and a loop counts others.
  if (parts.isConstant() || dimsInScope() != function_.getDimsAttr()) return success();
  schedule::LaunchOp whole = launches.back();
  auto conditions = whole->getAttrOfType<ArrayAttr>(kWhen);
  setSizes(kernel, tile);
  kernel->setAttr(kParts, DimAttr::get(builder_.getContext(), parts));
  FailureOr<schedule::LaunchOp> added = addKernelFor(kernel, machine, whole.getKernel().str() + "_split",
                                                     reason + "; long sums in parts, which give all processors work", {whole}, Dim(2), parts);
  kernel->removeAttr(kParts);
  if (failed(added)) return failure();
  if (conditions) {  // those of the kernel that it stands for, and its own
    SmallVector<Attribute> all(conditions.begin(), conditions.end());
    all.push_back((*added)->getAttrOfType<ArrayAttr>(kWhen).getValue().back());
    (*added)->setAttr(kWhen, builder_.getArrayAttr(all));
  }
  launches.push_back(*added);
  return success();
}

/// Kernels for products of a batch that are smaller than the tile that they would be masked in, each in the place of all `launches`.
LogicalResult FunctionScheduler::addSmallFor(graph::KernelOp kernel, const Machine &machine, ArrayRef<graph::DotOp> dots, const ContractTile &usual,
                                             const std::string &reason, SmallVectorImpl<schedule::LaunchOp> &launches) {
  ArrayRef<DimAttr> shape = shapeOf(graph::DotOp(dots.front()).getType());
  DimAttr rows = shape[shape.size() - 2], cols = shape.back();
  if (rows.getConstant() && cols.getConstant()) return success();  // the usual tile knows
  const std::string name = launches.front().getKernel().str();
  for (const ContractTile &tile : smallTiles(machine, dots, usual)) {
    Dim extent = rows.getConstant() ? cols.getDim() : cols.getConstant() ? rows.getDim() : Dim::max(rows.getDim(), cols.getDim());
    const int64_t most = rows.getConstant() ? tile.n : cols.getConstant() ? tile.m : std::min(tile.m, tile.n);
    if (leastOf(extent) > most) break;
    setSizes(kernel, tile);
    FailureOr<schedule::LaunchOp> added = addKernelFor(kernel, machine, name + "_up_to_" + std::to_string(most), reason + "; small tiles, for small products",
                                                       launches, extent, Dim(most));
    if (failed(added)) return failure();
    launches.assign({*added});
  }
  return success();
}

}  // namespace tessera::transforms
