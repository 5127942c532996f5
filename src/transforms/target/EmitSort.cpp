// The order of a row: the device headers sort it.
#include "ir/common/Common.h"
#include "transforms/target/Elementwise.h"
#include "transforms/target/KernelEmitter.h"
#include "transforms/tile/Extents.h"

using namespace mlir;
namespace tile = tessera::ir::tile;
namespace out = tessera::ir::target;

namespace tessera::transforms::totarget {

/// On GPUs the group sorts in shared memory, a chunk at a time: the elements, and their places beside them.
LogicalResult KernelEmitter::emitArgsortRow(tile::ArgsortRowOp op) {
  lastLoop_ = nullptr;
  constexpr int64_t chunk = 2048;  // tsr::sort_chunk
  Location place = op.getLoc();
  Value keys = op.getKeys(), order = op.getBase();
  Indices arguments = {pointerTo(order, op.getIndices(), false), pointerTo(keys, op.getIndices(), false),
                       dim(ir::shapeOf(keys.getType()).back().getDim())};
  std::vector<Attribute> templates = {StringAttr::get(context_, op.getDescending() ? "tsr::Descending" : "tsr::Ascending")};
  if (!isCpu()) {
    templates.push_back(StringAttr::get(context_, "Threads"));
    auto declareShared = [&](Type element, StringRef wanted) {
      OpBuilder::InsertionGuard guard(builder_);
      builder_.setInsertionPoint(declarations_);
      std::string name = names_.fresh(wanted);
      auto array = out::ArrayType::get(context_, builder_.getStrArrayAttr({"tsr::sort_chunk"}), element);
      auto shared = builder_.create<out::SharedOp>(place, out::LValueType::get(context_, array), name);
      shared_.push_back({{}, chunk * storedBytes(element), name, place});
      arguments.push_back(valueOf(shared.getPlace()));
    };
    declareShared(ir::elementTypeOf(keys.getType()), "held");
    declareShared(ir::elementTypeOf(order.getType()), "places");
  }
  statement(call("tsr::argsort_row", arguments, none(), templates), place);
  return success();
}

}  // namespace tessera::transforms::totarget
