#include "transforms/tile/BlockedLayouts.h"
#include "ir/common/Conversions.h"
#include "llvm/ADT/STLExtras.h"
#include "support/Lanes.h"
#include <algorithm>

namespace tessera::transforms {
using namespace mlir;
using namespace tessera::ir;

namespace {

constexpr int64_t kChunk = 16;  // bytes that a lane reads at once

/// What lanes read for a step along k: of an operand that lies along k a chunk for some steps of a row, else one for a block of neighbours.
int64_t readsOf(int64_t held, int64_t block, int64_t atOnce, bool alongK) { return held * 60 / (alongK ? atOnce : block); }

}  // namespace

tile::Layout blockedLayout(Extents &extents, int64_t group, ArrayRef<tile::DotOp> dots) {
  tile::DotOp first = dots.front();
  tile::FragmentType type = first.getResult().getType();
  std::vector<int64_t> heights = extents.values(type.getShape()[0]), widths = extents.values(type.getShape()[1]);
  if (group % kWarpLanes != 0 || heights.empty() || widths.empty()) return {};
  int64_t m = *std::max_element(heights.begin(), heights.end()), n = *std::max_element(widths.begin(), widths.end());
  int64_t atOnce = std::clamp<int64_t>(kChunk / std::max<int64_t>(storedBytes(type.getElementType()), 1), 1, 4), warps = group / kWarpLanes;
  bool rowsAlongK = llvm::none_of(dots, [](tile::DotOp dot) { return dot.getTransA(); });
  bool colsAlongK = llvm::all_of(dots, [](tile::DotOp dot) { return dot.getTransB(); });
  tile::BlockedAttr best;
  std::pair<int64_t, int64_t> least;
  for (int64_t rows = 1; rows <= warps; ++rows)
    for (int64_t high = rowsAlongK ? 1 : atOnce; warps % rows == 0 && high >= 1; high /= 2)
      for (int64_t wide = colsAlongK ? 1 : atOnce; wide >= 1; wide /= 2) {
        auto isOther = [](int64_t block) { return [block](int64_t extent) { return extent % block != 0; }; };
        if (llvm::any_of(heights, isOther(high)) || llvm::any_of(widths, isOther(wide))) continue;
        auto layout = tile::BlockedAttr::get(first.getContext(), rows, warps / rows, high, wide);
        int64_t down = llvm::divideCeil(m, layout.getRowStep()) * high, across = llvm::divideCeil(n, layout.getColStep()) * wide;
        std::pair<int64_t, int64_t> cost(down * across, readsOf(down, high, atOnce, rowsAlongK) + readsOf(across, wide, atOnce, colsAlongK));
        if (!best || cost < least) best = layout, least = cost;
      }
  auto grid = type.getTileLayout();
  const auto before = static_cast<int64_t>(llvm::divideCeil(m, grid.getRowStep()) * llvm::divideCeil(n, grid.getColStep()));
  return best && least.first <= before ? best : tile::Layout();
}

}  // namespace tessera::transforms
