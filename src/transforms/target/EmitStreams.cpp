// Arrays that a kernel writes once, on the CPU: in lines, so that those that are larger than the caches are written past
// them, and blocks of what is read across the lines (include/tessera/device/cpu/stream.h).
#include "ir/common/Common.h"
#include "ir/common/Conversions.h"
#include "ir/common/Names.h"
#include "support/DType.h"
#include "transforms/target/KernelScope.h"
#include "transforms/tile/Extents.h"
#include "transforms/tile/KeptRows.h"
#include "llvm/ADT/Sequence.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Support/MathExtras.h"
#include <algorithm>

using namespace mlir;
namespace tile = tessera::ir::tile;
namespace out = tessera::ir::target;

namespace tessera::transforms::totarget {

/// A tensor whose elements lie one behind the other, in bytes of their own: a pointer in the emitted text.
bool KernelEmitter::isPlainArray(Value base) {
  auto argument = dyn_cast<BlockArgument>(base);
  auto view = dyn_cast<ir::ViewType>(base.getType());
  std::optional<DType> dtype = ir::dtypeOf(ir::elementTypeOf(base.getType()));
  bool isHere = argument && argument.getOwner()->getParentOp() == kernel_ && view && !view.getPlaces() && !view.getShape().empty();
  return isHere && dtype && info(*dtype).bits % 8 == 0 && !needsView(base);
}

template <class Op> static bool isInBounds(Op op) {
  return llvm::all_of(llvm::seq<unsigned>(0, op.getIndices().size()), [&](unsigned i) { return op.isInBounds(i); });
}

/// Not so small, for all that is known, that the caches hold it.
static bool mayBeStreamed(ir::ViewType view) {
  constexpr int64_t kStreamFrom = int64_t(16) << 20;  // bytes (stream.h)
  int64_t bytes = storedBytes(view.getElementType());
  for (ir::DimAttr extent : view.getShape()) {
    if (!extent.getConstant()) return true;
    if (*extent.getConstant() >= kStreamFrom) return true;
    bytes *= std::max<int64_t>(*extent.getConstant(), 1);
    if (bytes >= kStreamFrom) return true;
  }
  return false;
}

/// Stores of a loop's block whose places follow each other as it counts: nothing else is done with their arrays. `isFixed`:
/// what is known before the loop. Elements that take a loop each are work enough for a task: they are not put together.
SmallVector<tile::StoreElementOp> KernelEmitter::storesInLines(Block &block, llvm::function_ref<bool(Value)> isCounter,
                                                               llvm::function_ref<bool(Value)> isFixed) {
  SmallVector<tile::StoreElementOp> found;
  if (llvm::any_of(block, [](Operation &op) { return op.getNumRegions() != 0; })) return found;
  for (auto store : block.getOps<tile::StoreElementOp>()) {
    ValueRange indices = store.getIndices();
    auto view = isPlainArray(store.getBase()) ? cast<ir::ViewType>(store.getBase().getType()) : ir::ViewType();
    if (!view || !store.getBase().hasOneUse() || !mayBeStreamed(view) || !isInBounds(store)) continue;
    bool fillsLines = llvm::isPowerOf2_64(static_cast<uint64_t>(storedBytes(view.getElementType())));
    if (fillsLines && isCounter(indices.back()) && llvm::all_of(indices.drop_back(), isFixed)) found.push_back(store);
  }
  return found;
}

/// Says whether the arrays are streamed, before loops over lines of them: the first decides for all.
void KernelEmitter::declareStreaming(tile::StoreElementOp first) {
  streamed_ = first.getBase();
  ArrayRef<ir::DimAttr> shape = ir::shapeOf(first.getBase().getType());
  ExprRef rows = typed(1);
  for (ir::DimAttr extent : shape.drop_back()) rows = binary("*", rows, dim(extent.getDim()));
  Indices arguments = {bound_.lookup(first.getBase()), rows, dim(shape.back().getDim())};
  streaming_ = declare(names_.fresh("streaming"), out::NamedType::get(context_, "tsr::Streaming"), "direct", arguments, true, ir::unnamed(first.getLoc()));
}

/// Declares the lines, of at least so many elements, that the stores go to in a loop that begins at `from`, and gives the
/// limits of the loop. `count`: how many elements a row has.
std::pair<ExprRef, ExprRef> KernelEmitter::declareLines(ArrayRef<tile::StoreElementOp> stores, int64_t elements, ExprRef count, ExprRef from) {
  ExprRef first;
  for (tile::StoreElementOp store : stores) {
    Value base = store.getBase();
    std::string type = "tsr::Line<" + dtypeText(ir::elementTypeOf(base.getType())) + ", " + std::to_string(elements) + ">";
    std::string parameter = kernel_.param(cast<BlockArgument>(base).getArgNumber()).getName().str();
    Indices arguments = {pointerTo(base, store.getIndices().drop_back(), false)};
    for (const ExprRef &each : first ? Indices{first} : Indices{count, from}) arguments.push_back(each);
    arguments.push_back(streaming_);
    ExprRef line = declare(names_.fresh(parameter + "_line"), out::NamedType::get(context_, type), "direct", arguments, false, ir::unnamed(store.getLoc()));
    lines_[store] = line;
    if (!first) first = line;
  }
  return {member(first, "begin", indexType()), member(first, "end", indexType())};
}

/// A loop of the lanes of a group, here one, over a row.
bool KernelEmitter::isWholeRow(scf::ForOp loop) {
  auto first = loop.getLowerBound().getDefiningOp<tile::QueryOp>();
  return isCpu() && !lane_ && runs_.empty() && first && first.getQuery() == "local_id";
}

/// Those of a loop over a row.
SmallVector<tile::StoreElementOp> KernelEmitter::storesOfRow(scf::ForOp loop) {
  if (!isWholeRow(loop) || loop.getNumResults() != 0) return {};
  return storesInLines(*loop.getBody(), [&](Value index) { return index == loop.getInductionVar(); },
                       [&](Value index) { return !loop.getRegion().isAncestor(index.getParentRegion()); });
}

/// Opens a loop from line to line of a row, for one over the elements of each, and gives the limits of that. What is streamed was declared
/// before it.
std::pair<ExprRef, ExprRef> KernelEmitter::openLines(ArrayRef<tile::StoreElementOp> stores, const std::string &counter, ExprRef count) {
  constexpr int64_t kElements = 256;  // little beside the row, which lies in a cache already
  ExprRef from = valueOf(openLoop(names_.fresh(counter + "0"), typed(0), count, kElements, false, false, 0));
  auto limits = declareLines(stores, kElements, count, from);
  readAhead(from, kElements);
  return limits;
}

/// The next group's rows are asked for from where the loop over lines is on, once: a group begins with what it waits for.
void KernelEmitter::readAhead(ExprRef from, int64_t elements) {
  llvm::SmallSetVector<Value, 4> arrays;
  kernel_.getBody().walk([&](tile::LoadElementOp load) {
    auto row = load.getIndices().size() == 2 ? load.getIndices()[0].getDefiningOp<tile::QueryOp>() : tile::QueryOp();
    auto loop = dyn_cast<scf::ForOp>(load->getParentOp());
    bool isRow = row && row.getQuery() == "origin" && row.getAxis() == 0 && loop && load.getIndices()[1] == loop.getInductionVar();
    if (isRow && isPlainArray(load.getBase()) && ir::shapeOf(load.getBase().getType())[0].getDim() == groupCounts_[0]) arrays.insert(load.getBase());
  });
  if (readsAhead_ || kernel_.getGrid().getKind() != ir::GridKind::Output || !(grid_[0] == Dim(1)) || !group_) return;
  readsAhead_ = true;
  for (Value array : arrays) {
    ArrayRef<ir::DimAttr> shape = ir::shapeOf(array.getType());
    Indices arguments = {streaming_, bound_.lookup(array), binary("+", origin(0), typed(1)), dim(shape[0].getDim()), dim(shape[1].getDim()), from};
    statement(call("tsr::read_ahead", arguments, none(), {builder_.getI64IntegerAttr(elements)}), ir::unnamed(kernel_.getLoc()));
  }
}

/// What a group keeps of a row between its loops over it.
LogicalResult KernelEmitter::emitKeptRow(Operation &op) {
  if (auto made = dyn_cast<tile::NewRowOp>(op)) {
    auto extent = made->getAttrOfType<ir::DimAttr>(kRowExtent);
    if (!extent) return unsupported(op, "a row without an extent");
    Type row = out::NamedType::get(context_, "tsr::Row<" + dtypeText(made.getType().getElementType()) + ">");
    bound_[made] = declare(nameFor(made), row, "direct", {dim(extent.getDim())}, false, op.getLoc());
  } else if (auto keep = dyn_cast<tile::KeepOp>(op)) {
    assign(element(bound_.lookup(keep.getRow()), {scalar(keep.getIndex())}, keep.getValue().getType()), scalar(keep.getValue()), op.getLoc());
  } else if (auto recall = dyn_cast<tile::RecallOp>(op)) {
    define(recall.getResult(), read(element(bound_.lookup(recall.getRow()), {scalar(recall.getIndex())}, recall.getType())));
  } else {
    return unsupported(op, "'" + op.getName().getStringRef() + "' has no form on the CPU");
  }
  return success();
}

/// Elements x[.., col, row] of arrays that a loop over the rows and columns of matrices reads: blocks of them are turned first.
/// `matrices`: indices of axes before the last two.
SmallVector<tile::LoadElementOp> KernelEmitter::turnedLoads(ArrayRef<Value> rows, ArrayRef<Value> cols, ArrayRef<Value> matrices) {
  SmallVector<tile::LoadElementOp> found;
  kernel_.getBody().walk([&](tile::LoadElementOp load) {
    ValueRange indices = load.getIndices();
    bool turned = indices.size() >= 2 && llvm::is_contained(cols, indices[indices.size() - 2]) && llvm::is_contained(rows, indices.back()) &&
                  llvm::all_of(indices.drop_back(2), [&](Value index) { return llvm::is_contained(matrices, index); });
    if (turned && isPlainArray(load.getBase()) && isInBounds(load)) found.push_back(load);
  });
  return found;
}

/// `row`, `col`: of the result, from where on.
void KernelEmitter::declareTurned(ArrayRef<tile::LoadElementOp> loads, ExprRef row, ExprRef col) {
  struct Block {
    tile::LoadElementOp of;
    ExprRef place;
  };
  SmallVector<Block> blocks;
  for (tile::LoadElementOp load : loads) {
    auto known = llvm::find_if(blocks, [&](Block &block) { return block.of.getBase() == load.getBase() && llvm::equal(block.of.getIndices(), load.getIndices()); });
    if (known == blocks.end()) {
      Value base = load.getBase();
      ArrayRef<ir::DimAttr> shape = ir::shapeOf(base.getType());
      Dim rows = shape[shape.size() - 2].getDim(), cols = shape.back().getDim();
      std::string type = "tsr::Turned<" + dtypeText(ir::elementTypeOf(base.getType())) + ", " + std::to_string(kTurnedCols) + ", " + std::to_string(kTurnedRows) + ">";
      std::string parameter = kernel_.param(cast<BlockArgument>(base).getArgNumber()).getName().str();
      ExprRef matrix = positionOf(base, load.getIndices().drop_back(2), true), first = bound_.lookup(base);
      if (asInteger(matrix) != 0) first = binary("+", first, binary("*", binary("*", matrix, dim(rows)), dim(cols)));
      Indices arguments = {first, dim(rows), dim(cols), col, row, streaming_};
      ExprRef place = declare(names_.fresh(parameter + "_turned"), out::NamedType::get(context_, type), "direct", arguments, true, ir::unnamed(load.getLoc()));
      blocks.push_back({load, place});
      known = std::prev(blocks.end());
    }
    turnedBlocks_[load] = known->place;
  }
}

}  // namespace tessera::transforms::totarget
