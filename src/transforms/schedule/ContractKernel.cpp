// The kernel of a product and what follows it, as an author of kernels would write it.
#include "transforms/schedule/Contract.h"
#include "transforms/schedule/TensorFunction.h"

namespace tessera::transforms {
using namespace mlir;
using namespace tessera::ir;

namespace {

/// "a", "a and b", "a, b and c".
std::string listed(const llvm::SetVector<StringRef> &names) {
  std::string text;
  for (auto [i, name] : llvm::enumerate(names))
    text += (i == 0 ? "" : i + 1 == names.size() ? " and " : ", ") + name.str();
  return text;
}

}  // namespace

/// The sentence over the kernel: what is done where, by the names of the arrays that take part.
std::string FunctionScheduler::contractReason(Value root, graph::DotOp dot) {
  llvm::SetVector<StringRef> worked, applied;
  std::function<void(Value, llvm::SetVector<StringRef> &)> name = [&](Value value, llvm::SetVector<StringRef> &names) {
    if (value == dot.getResult()) return;
    if (!isStored(value)) {
      for (Value operand : value.getDefiningOp()->getOperands()) name(operand, names);
      return;
    }
    auto argument = dyn_cast<BlockArgument>(value);
    bool isParameter = argument && argument.getOwner() == &function_.entry();
    StringRef called = isParameter ? function_.param(argument.getArgNumber()).getName() : nameHint(value);
    if (!called.empty()) names.insert(called);
  };
  auto isMoved = [&](Value value) {
    while (!isStored(value)) {
      if (!isa<graph::TransposeOp, graph::BroadcastOp, graph::ReshapeOp, graph::SliceOp>(value.getDefiningOp())) return false;
      value = value.getDefiningOp()->getOperand(0);
    }
    return true;
  };
  for (Value operand : dot.getOperands())
    if (!isMoved(operand)) name(operand, worked);
  std::string text = "contract: a group adds up a tile of the product in its registers";
  if (!worked.empty()) text += "; what is multiplied is computed from " + listed(worked) + " where it is loaded";
  if (root == dot.getResult()) return text;
  name(root, applied);
  if (applied.empty()) return text + "; what follows is done on the sums, before they are stored";
  return text + "; what follows with " + listed(applied) + " is done on the sums, before they are stored";
}

LogicalResult FunctionScheduler::contractKernel(Value root, graph::DotOp dot, Value target) {
  Location loc = root.getLoc(), line = unnamed(dot.getLoc());
  MLIRContext *context = builder_.getContext();
  ArrayRef<DimAttr> shape = shapeOf(root.getType());
  size_t rank = shape.size();
  DimAttr rows = DimAttr::get(context, Dim::var("T.m")), cols = DimAttr::get(context, Dim::var("T.n"));
  SmallVector<DimAttr> tile(rank, DimAttr::get(context, Dim(1)));
  tile[rank - 2] = rows;
  tile[rank - 1] = cols;
  Kernel begun = beginKernel(root, GridAttr::get(context, GridKind::Output, tile, 0), target, {}, false, {},
                             graph::KernelOp::getOperationName());
  auto kernel = cast<graph::KernelOp>(begun.op);
  ContractTile sizes = usualContractTile(machine_, dot);
  kernel.setContextAttr(builder_.getStrArrayAttr({"m", "n", "k"}));
  kernel.setSizesAttr(builder_.getDictionaryAttr({builder_.getNamedAttr("k", builder_.getI64IntegerAttr(sizes.k)),
                                                  builder_.getNamedAttr("m", builder_.getI64IntegerAttr(sizes.m)),
                                                  builder_.getNamedAttr("n", builder_.getI64IntegerAttr(sizes.n))}));
  kernel.setGroup(sizes.group);

  OpBuilder builder = OpBuilder::atBlockEnd(&kernel.entry());
  Privatiser privatiser(builder, begun.leaves);
  Indices indices(rank);
  for (size_t axis = 0; axis < rank; ++axis) {
    Location place = axis + 2 == rank ? named("m", line) : axis + 1 == rank ? named("n", line) : line;
    Value origin = isUnit(shape[axis])
                       ? privatiser.constantIndex(0, line)
                       : builder.create<graph::QueryOp>(place, builder.getIndexType(), "origin", axis).getResult();
    indices[axis] = axis + 2 < rank ? Index(origin) : Index(origin, axis + 2 == rank ? rows : cols);
  }
  // The sums first: nothing that follows is held in registers while they are added up.
  Value sums = privatiser.part(dot.getResult(), indices), piece = sums ? privatiser.part(root, indices) : Value();
  if (!piece) return failure();
  store(builder, piece, begun.target, indices, /*byLane=*/false, loc);
  builder.create<graph::KernelEndOp>(line);

  FailureOr<Decision> decision = decide(kernel, machine_);
  if (failed(decision)) return failure();
  decision->reasons.insert(decision->reasons.begin(), contractReason(root, dot));
  std::string name = kernel.getSymName().str();
  createKernel(builder_, kernel, name, *decision);
  kernel.erase();
  return success();
}

}  // namespace tessera::transforms
