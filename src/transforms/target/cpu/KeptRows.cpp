// What a group keeps of a row between its loops over it, on the CPU.
#include "ir/common/Common.h"
#include "transforms/target/cpu/Streams.h"
#include "transforms/target/flow/Flow.h"
#include "transforms/target/sizes/Sizes.h"
#include "transforms/target/types/Types.h"
#include "transforms/target/values/Values.h"
#include "transforms/tile/KeptRows.h"

using namespace mlir;
namespace tile = tessera::ir::tile;
namespace out = tessera::ir::target;

namespace tessera::transforms::totarget {

LogicalResult emitKeptRow(Emission &em, Operation &op) {
  if (auto made = dyn_cast<tile::NewRowOp>(op)) {
    auto extent = made->getAttrOfType<ir::DimAttr>(kRowExtent);
    if (!extent) return unsupported(op, "a row without an extent");
    Type row = out::NamedType::get(em.context, "tsr::Row<" + dtypeText(em, made.getType().getElementType()) + ">");
    em.values->bound[made] =
        declare(em, nameFor(em, made), row, "direct", {dim(em, extent.getDim())}, false, op.getLoc());
  } else if (auto keep = dyn_cast<tile::KeepOp>(op)) {
    assign(em,
           element(em.values->bound.lookup(keep.getRow()), {scalar(em, keep.getIndex())}, keep.getValue().getType()),
           scalar(em, keep.getValue()), op.getLoc());
  } else if (auto recall = dyn_cast<tile::RecallOp>(op)) {
    define(em, recall.getResult(),
           read(element(em.values->bound.lookup(recall.getRow()), {scalar(em, recall.getIndex())}, recall.getType())));
  } else {
    return unsupported(op, "'" + op.getName().getStringRef() + "' has no form on the CPU");
  }
  return success();
}

}  // namespace tessera::transforms::totarget
