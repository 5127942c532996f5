#include "transforms/tile/Stages.h"
#include "llvm/ADT/SetVector.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "transforms/tile/Extents.h"
#include "transforms/tile/Reasons.h"

namespace tessera::transforms {
using namespace mlir;
using namespace tessera::ir;

static constexpr StringLiteral kStages = "stages";

std::optional<int64_t> givenStages(tile::KernelOp kernel) {
  auto given = kernel.getSizes().getAs<IntegerAttr>(kStages);
  return given ? std::optional(given.getInt()) : std::nullopt;
}

void explainStages(tile::KernelOp kernel, int64_t stages, int64_t staged) {
  std::optional<int64_t> given = givenStages(kernel);
  if (!given || stages >= *given) return;
  addReason(kernel, "stages = " + Twine(stages) + " of " + Twine(*given) + ": a stage takes " + Twine(staged) + " bytes of shared memory");
}

void setStages(tile::KernelOp kernel, int64_t stages) {
  Builder builder(kernel->getContext());
  NamedAttrList sizes(kernel.getSizes());
  sizes.set(kStages, builder.getI64IntegerAttr(stages));
  kernel.setSizesAttr(sizes.getDictionary(kernel->getContext()));
  auto fields = kernel.getContext();  // of tile.context(): what "T." may be followed by
  SmallVector<Attribute> names(fields.begin(), fields.end());
  Attribute name = builder.getStringAttr(kStages);
  if (!llvm::is_contained(names, name)) names.push_back(name);
  kernel->setAttr("context", builder.getArrayAttr(names));
}

void addStages(tile::KernelOp kernel, int64_t bytes) {
  Extents extents(kernel);
  int64_t staged = 0;
  for (auto alloc : kernel.getBody().front().getOps<tile::AllocSharedOp>()) {
    SharedType type = alloc.getType();
    if (type.getRank() == 3 && type.getShape()[0].getDim() == Dim::var("T.stages"))
      staged += extents.greatestCount(type.getShape().drop_front()).value_or(bytes) * storedBytes(type.getElementType());
  }
  std::optional<int64_t> stages = givenStages(kernel);
  if (stages && staged > 0) setStages(kernel, std::min(std::max(kMostStages, *stages), *stages + bytes / staged));
}

void eraseWithOperands(Operation *copy, Operation *within) {
  llvm::SetVector<Operation *> left;
  auto leave = [&](Operation *op) {
    for (Value operand : op->getOperands())
      if (Operation *maker = operand.getDefiningOp(); maker && within->isProperAncestor(maker) && !isa<tile::AllocSharedOp>(maker)) left.insert(maker);
    op->erase();
  };
  leave(copy);
  while (!left.empty())
    if (Operation *op = left.pop_back_val(); isOpTriviallyDead(op)) leave(op);
}

}  // namespace tessera::transforms
