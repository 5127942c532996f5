// Where a group and a lane stand.
#include "ir/common/Common.h"
#include "ir/common/Names.h"
#include "ir/tile/GroupOrder.h"
#include "support/Check.h"
#include "transforms/target/cpu/Lanes.h"
#include "transforms/target/kernel/Kernel.h"
#include "transforms/target/sizes/Grid.h"
#include "transforms/target/sizes/Sizes.h"
#include "transforms/target/values/Values.h"

using namespace mlir;
namespace tile = tessera::ir::tile;
namespace out = tessera::ir::target;

namespace tessera::transforms::totarget {

void planGrid(Emission &em) {
  ir::GridAttr grid = em.kernel.getGrid();
  em.grid->extents = written(em, grid.getDims(), em.kernel.getLoc());
  // The number 1, whatever it is called, makes no loop and no division.
  for (auto [extent, attribute] : llvm::zip(em.grid->extents, grid.getDims()))
    if (attribute.getConstant() == 1) extent = Dim(1);
  if (grid.getKind() == ir::GridKind::Lanes) {
    em.grid->counts = {
        Dim::ceilDiv(em.grid->extents[0], em.isCpu() ? Dim(em.kernel.getGroup()) : Dim::var("T.Threads"))};
  } else if (grid.getKind() == ir::GridKind::Explicit) {
    em.grid->counts = em.grid->extents;
  } else {
    ArrayRef<ir::DimAttr> shape = ir::shapeOf(em.kernel.getArgumentTypes()[grid.getParam()]);
    for (size_t i = 0; i < em.grid->extents.size(); ++i) {
      bool whole = shape[i] == grid.getDims()[i], single = em.grid->extents[i] == Dim(1);
      Dim extent = shape[i].getDim();
      em.grid->counts.push_back(whole ? Dim(1) : single ? extent : Dim::ceilDiv(extent, em.grid->extents[i]));
    }
  }
}

void roundUpRows(Emission &em) {
  static const std::string variable = "T.tile_rows";
  Location place = ir::unnamed(em.kernel.getLoc());
  Dim &rows = em.grid->counts[em.grid->counts.size() - 2];
  const bool always = em.kernel.getSizes().contains("cluster_m");
  em.info.clusters = always ? "" : inConstants(em, rows).str();
  ExprRef whole = call("tsr::whole_clusters", {dim(em, rows)}, em.indexType());
  em.sizes->dims[variable] = read(declare(em, em.names.fresh("tile_rows"), em.indexType(), "copy", {whole}, true, place));
  rows = Dim::var(variable);
}

/// Rows of tiles that a product's groups go over column by column.
constexpr int64_t kBand = 8;

/// So many matrices are gone over together where the longest groups go first.
constexpr int64_t kTogether = 16;

/// Groups of a product share what they read: they go over its tiles in bands (include/tessera/device/raster.h).
static bool goesInBands(Emission &em) {
  size_t rank = em.grid->counts.size();
  return wantsRegisters(em) && rank >= 2 && !(em.grid->counts[rank - 1] == Dim(1)) &&
         !(em.grid->counts[rank - 2] == Dim(1)) && em.kernel.getGrid().getKind() == ir::GridKind::Output;
}

/// The group's tile of its matrix: declared where the first of its two numbers is asked for.
static ExprRef bandedTile(Emission &em, Location place) {
  Grid &grid = *em.grid;
  Block *here = em.builder.getInsertionBlock();
  if (grid.tile && grid.tileOf == grid.group && grid.tileIn->getParent()->isAncestor(here->getParent()))
    return grid.tile;
  const size_t rank = grid.counts.size();
  const Dim &rows = grid.counts[rank - 2], &cols = grid.counts[rank - 1];
  Dim matrices(1);
  for (const Dim &count : llvm::ArrayRef(grid.counts).drop_back(2)) matrices = matrices * count;
  ExprRef group = matrices == Dim(1) ? grid.group : binary("%", grid.group, dim(em, rows * cols));
  Type type = out::NamedType::get(em.context, "auto");  // tsr::TileAt
  ExprRef tile =
      call("tsr::banded_tile", {group, dim(em, rows), dim(em, cols)}, type, {em.builder.getI64IntegerAttr(kBand)});
  grid.tile = declare(em, em.names.fresh("tile"), type, "copy", {tile}, true, place);
  grid.tileOf = grid.group;
  grid.tileIn = here;
  return grid.tile;
}

/// The number of the group along one axis of the grid; the last axis varies fastest.
static ExprRef groupIndex(Emission &em, int64_t axis, Location place) {
  auto rank = static_cast<int64_t>(em.grid->counts.size());
  if (axis >= rank || em.grid->counts[axis] == Dim(1)) return em.typed(0);
  if (axis >= rank - 2 && !em.kernel.getLongestFirst() && goesInBands(em))
    return member(bandedTile(em, place), axis == rank - 2 ? "row" : "col", em.indexType());
  ExprRef index = em.grid->group;
  std::optional<uint64_t> longest = em.kernel.getLongestFirst();
  if (longest && em.grid->counts[*longest] == Dim(1)) longest.reset();
  Dim behind(1), before(1), others(1);
  for (int64_t a = 0; a < rank; ++a)
    if (longest != static_cast<uint64_t>(a)) others = others * em.grid->counts[a];
  if (longest) {
    bool along = axis == static_cast<int64_t>(*longest);
    index = call(along ? "tsr::longest_first_row" : "tsr::longest_first_of",
                 {em.grid->group, dim(em, em.grid->counts[*longest]), dim(em, others)}, em.indexType(),
                 {em.builder.getI64IntegerAttr(kTogether)});
    if (along)
      return ir::isLongestAtStart(em.kernel) ? binary("-", dim(em, em.grid->counts[*longest] - Dim(1)), index) : index;
  }
  for (int64_t a = 0; a < rank; ++a)
    if (a != axis && longest != static_cast<uint64_t>(a))
      (a > axis ? behind : before) = (a > axis ? behind : before) * em.grid->counts[a];
  const bool isOfGroup = !em.isCpu() && !em.grid->countsRows;
  auto divided = [&](const char *sign, const char *helper, const Dim &by) {
    return isOfGroup ? call(helper, {index, dim(em, by)}, em.indexType(), {}) : binary(sign, index, dim(em, by));
  };
  if (!(behind == Dim(1))) index = divided("/", "tsr::group_quotient", behind);
  if (!(before == Dim(1))) index = divided("%", "tsr::group_remainder", em.grid->counts[axis]);
  return index;
}

ExprRef origin(Emission &em, int64_t axis, Location place) {
  ir::GridAttr grid = em.kernel.getGrid();
  ExprRef index = groupIndex(em, axis, place);
  if (grid.getKind() != ir::GridKind::Output) return index;
  return binary("*", index, dim(em, em.grid->extents[axis]));
}

ExprRef lane(Emission &em) {
  if (em.grid->lane) return em.grid->lane;
  if (em.isCpu()) return em.typed(0);
  if (em.grid->rowLane) return em.grid->rowLane;
  return castTo(em.indexType(), name("threadIdx.x", IntegerType::get(em.context, 32, IntegerType::Unsigned)));
}

ExprRef query(Emission &em, tile::QueryOp op) {
  StringRef what = op.getQuery();
  int64_t axis = op.getAxis();
  if (what == "origin") return origin(em, axis, op.getLoc());
  if (what == "group_id") return groupIndex(em, axis, op.getLoc());
  if (what == "group_count")
    return axis < static_cast<int64_t>(em.grid->counts.size()) ? dim(em, em.grid->counts[axis]) : em.typed(1);
  if (what == "group_size") return em.isCpu() && em.lanes->runs.empty() ? em.typed(1) : name("Threads", em.indexType());
  if (what == "local_id") return lane(em);
  if (what == "lane_id") return binary("%", lane(em), em.typed(kWarpLanes));
  TSR_CHECK(what == "linear_id", "a query that is not known");
  if (em.grid->laneLoop) return em.grid->laneLoop;
  return binary("+", binary("*", em.grid->group, name("Threads", em.indexType())), lane(em));
}

}  // namespace tessera::transforms::totarget
