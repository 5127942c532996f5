// Arrays that a kernel writes once, on the CPU: in lines, so that those that are larger than the caches are written past
// them, and blocks of what is read across the lines (include/tessera/device/cpu/stream.h).
#include "ir/common/Common.h"
#include "ir/common/Conversions.h"
#include "ir/common/Names.h"
#include "support/DType.h"
#include "transforms/target/cpu/Lanes.h"
#include "transforms/target/cpu/Loops.h"
#include "transforms/target/cpu/Streams.h"
#include "transforms/target/kernel/Kernel.h"
#include "transforms/target/sizes/Grid.h"
#include "transforms/target/sizes/Sizes.h"
#include "transforms/target/types/Types.h"
#include "transforms/target/values/Elements.h"
#include "transforms/target/values/Values.h"
#include "transforms/tile/Extents.h"
#include "llvm/ADT/Sequence.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Support/MathExtras.h"
#include <algorithm>

using namespace mlir;
namespace tile = tessera::ir::tile;
namespace out = tessera::ir::target;

namespace tessera::transforms::totarget {

bool isPlainArray(Emission &em, Value base) {
  auto argument = dyn_cast<BlockArgument>(base);
  auto view = dyn_cast<ir::ViewType>(base.getType());
  std::optional<DType> dtype = ir::dtypeOf(ir::elementTypeOf(base.getType()));
  bool isHere = argument && argument.getOwner()->getParentOp() == em.kernel && view && !view.getPlaces() &&
                !view.getShape().empty();
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

SmallVector<tile::StoreElementOp> storesInLines(Emission &em, Block &block, llvm::function_ref<bool(Value)> isCounter,
                                                llvm::function_ref<bool(Value)> isFixed) {
  SmallVector<tile::StoreElementOp> found;
  if (llvm::any_of(block, [](Operation &op) { return op.getNumRegions() != 0; })) return found;
  for (auto store : block.getOps<tile::StoreElementOp>()) {
    ValueRange indices = store.getIndices();
    auto view = isPlainArray(em, store.getBase()) ? cast<ir::ViewType>(store.getBase().getType()) : ir::ViewType();
    if (!view || !store.getBase().hasOneUse() || !mayBeStreamed(view) || !isInBounds(store)) continue;
    bool fillsLines = llvm::isPowerOf2_64(static_cast<uint64_t>(storedBytes(view.getElementType())));
    if (fillsLines && isCounter(indices.back()) && llvm::all_of(indices.drop_back(), isFixed)) found.push_back(store);
  }
  return found;
}

void declareStreaming(Emission &em, tile::StoreElementOp first) {
  em.streams->array = first.getBase();
  ArrayRef<ir::DimAttr> shape = ir::shapeOf(first.getBase().getType());
  ExprRef rows = em.typed(1);
  for (ir::DimAttr extent : shape.drop_back()) rows = binary("*", rows, dim(em, extent.getDim()));
  Indices arguments = {em.values->bound.lookup(first.getBase()), rows, dim(em, shape.back().getDim())};
  em.streams->streaming = declare(em, em.names.fresh("streaming"), out::NamedType::get(em.context, "tsr::Streaming"),
                                  "direct", arguments, true, ir::unnamed(first.getLoc()));
}

std::pair<ExprRef, ExprRef> declareLines(Emission &em, ArrayRef<tile::StoreElementOp> stores, int64_t elements,
                                         ExprRef count, ExprRef from) {
  ExprRef first;
  for (tile::StoreElementOp store : stores) {
    Value base = store.getBase();
    std::string type =
        "tsr::Line<" + dtypeText(em, ir::elementTypeOf(base.getType())) + ", " + std::to_string(elements) + ">";
    std::string parameter = em.kernel.param(cast<BlockArgument>(base).getArgNumber()).getName().str();
    Indices arguments = {pointerTo(em, base, store.getIndices().drop_back(), false)};
    for (const ExprRef &each : first ? Indices{first} : Indices{count, from}) arguments.push_back(each);
    arguments.push_back(em.streams->streaming);
    ExprRef line = declare(em, em.names.fresh(parameter + "_line"), out::NamedType::get(em.context, type), "direct",
                           arguments, false, ir::unnamed(store.getLoc()));
    em.streams->lines[store] = line;
    if (!first) first = line;
  }
  return {member(first, "begin", em.indexType()), member(first, "end", em.indexType())};
}

bool isWholeRow(Emission &em, scf::ForOp loop) {
  auto first = loop.getLowerBound().getDefiningOp<tile::QueryOp>();
  return em.isCpu() && !em.grid->lane && em.lanes->runs.empty() && first && first.getQuery() == "local_id";
}

SmallVector<tile::StoreElementOp> storesOfRow(Emission &em, scf::ForOp loop) {
  if (!isWholeRow(em, loop) || loop.getNumResults() != 0) return {};
  return storesInLines(
      em, *loop.getBody(), [&](Value index) { return index == loop.getInductionVar(); },
      [&](Value index) { return !loop.getRegion().isAncestor(index.getParentRegion()); });
}

void readAhead(Emission &em, ExprRef from, int64_t elements) {
  llvm::SmallSetVector<Value, 4> arrays;
  em.kernel.getBody().walk([&](tile::LoadElementOp load) {
    auto row = load.getIndices().size() == 2 ? load.getIndices()[0].getDefiningOp<tile::QueryOp>() : tile::QueryOp();
    auto loop = dyn_cast<scf::ForOp>(load->getParentOp());
    bool isRow = row && row.getQuery() == "origin" && row.getAxis() == 0 && loop &&
                 load.getIndices()[1] == loop.getInductionVar();
    if (isRow && isPlainArray(em, load.getBase()) &&
        ir::shapeOf(load.getBase().getType())[0].getDim() == em.grid->counts[0])
      arrays.insert(load.getBase());
  });
  if (em.streams->readsAhead || em.kernel.getGrid().getKind() != ir::GridKind::Output ||
      !(em.grid->extents[0] == Dim(1)) || !em.grid->group)
    return;
  em.streams->readsAhead = true;
  for (Value array : arrays) {
    ArrayRef<ir::DimAttr> shape = ir::shapeOf(array.getType());
    Indices arguments = {
        em.streams->streaming,      em.values->bound.lookup(array), binary("+", origin(em, 0, ir::unnamed(em.kernel.getLoc())), em.typed(1)),
        dim(em, shape[0].getDim()), dim(em, shape[1].getDim()),     from};
    statement(em, call("tsr::read_ahead", arguments, em.none(), {em.builder.getI64IntegerAttr(elements)}),
              ir::unnamed(em.kernel.getLoc()));
  }
}

std::pair<ExprRef, ExprRef> openLines(Emission &em, ArrayRef<tile::StoreElementOp> stores, const std::string &counter,
                                      ExprRef count) {
  constexpr int64_t kElements = 256;  // little beside the row, which lies in a cache already
  ExprRef from = valueOf(openLoop(em, em.names.fresh(counter + "0"), em.typed(0), count, kElements, false, false, 0));
  auto limits = declareLines(em, stores, kElements, count, from);
  readAhead(em, from, kElements);
  return limits;
}

SmallVector<tile::LoadElementOp> turnedLoads(Emission &em, ArrayRef<Value> rows, ArrayRef<Value> cols,
                                             ArrayRef<Value> matrices) {
  SmallVector<tile::LoadElementOp> found;
  em.kernel.getBody().walk([&](tile::LoadElementOp load) {
    ValueRange indices = load.getIndices();
    bool turned = indices.size() >= 2 && llvm::is_contained(cols, indices[indices.size() - 2]) &&
                  llvm::is_contained(rows, indices.back()) &&
                  llvm::all_of(indices.drop_back(2), [&](Value index) { return llvm::is_contained(matrices, index); });
    if (turned && isPlainArray(em, load.getBase()) && isInBounds(load)) found.push_back(load);
  });
  return found;
}

void declareTurned(Emission &em, ArrayRef<tile::LoadElementOp> loads, ExprRef row, ExprRef col) {
  struct Block {
    tile::LoadElementOp of;
    ExprRef place;
  };
  SmallVector<Block> blocks;
  for (tile::LoadElementOp load : loads) {
    auto known = llvm::find_if(blocks, [&](Block &block) {
      return block.of.getBase() == load.getBase() && llvm::equal(block.of.getIndices(), load.getIndices());
    });
    if (known == blocks.end()) {
      Value base = load.getBase();
      ArrayRef<ir::DimAttr> shape = ir::shapeOf(base.getType());
      Dim rows = shape[shape.size() - 2].getDim(), cols = shape.back().getDim();
      std::string type = "tsr::Turned<" + dtypeText(em, ir::elementTypeOf(base.getType())) + ", " +
                         std::to_string(kTurnedCols) + ", " + std::to_string(kTurnedRows) + ">";
      std::string parameter = em.kernel.param(cast<BlockArgument>(base).getArgNumber()).getName().str();
      ExprRef matrix = positionOf(em, base, load.getIndices().drop_back(2), true),
              first = em.values->bound.lookup(base);
      if (asInteger(matrix) != 0)
        first = binary("+", first, binary("*", binary("*", matrix, dim(em, rows)), dim(em, cols)));
      Indices arguments = {first, dim(em, rows), dim(em, cols), col, row, em.streams->streaming};
      ExprRef place = declare(em, em.names.fresh(parameter + "_turned"), out::NamedType::get(em.context, type),
                              "direct", arguments, true, ir::unnamed(load.getLoc()));
      blocks.push_back({load, place});
      known = std::prev(blocks.end());
    }
    em.streams->turned[load] = known->place;
  }
}

}  // namespace tessera::transforms::totarget
