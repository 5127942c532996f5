// Other kernels of a product, for sizes that are known only when the program runs: the entry function starts one of them.
#include "transforms/schedule/Contract.h"
#include "transforms/schedule/TensorFunction.h"

namespace tessera::transforms {
using namespace mlir;
using namespace tessera::ir;

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
