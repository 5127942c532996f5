#include "transforms/tile/Stages.h"
#include "mlir/IR/Builders.h"

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
  Builder builder(kernel->getContext());
  SmallVector<Attribute> reasons(kernel.getReasons().begin(), kernel.getReasons().end());
  reasons.push_back(builder.getStringAttr("stages = " + std::to_string(stages) + " of " + std::to_string(*given) +
                                          ": a stage takes " + std::to_string(staged) + " bytes of shared memory"));
  kernel.setReasonsAttr(builder.getArrayAttr(reasons));
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

}  // namespace tessera::transforms
