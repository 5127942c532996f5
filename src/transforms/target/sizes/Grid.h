// The grid of a kernel, and where the group and the lane stand whose statements are emitted.
#pragma once
#include "transforms/target/Emission.h"

namespace tessera::transforms::totarget {

struct Grid {
  std::vector<Dim> extents;  // of the grid attribute, as the program writes them
  std::vector<Dim> counts;   // groups along each axis
  ExprRef group, lane;       // `lane`: null where all lanes of a group are meant
  ExprRef rowLane;           // the lane's number among those of its row, where several groups share one
  ExprRef laneLoop;          // the counter of a loop over the lanes of all groups
  // Where groups go over tiles in bands: the variable of the tile, of which group it is the tile, and the block that it stands in.
  ExprRef tile, tileOf;
  mlir::Block *tileIn = nullptr;
  bool countsRows = false;  // `group` is the number of a row that is packed into a block or taken in turn, and may need 64 bits
};

// ---- Grid.cpp
/// How many groups there are along each axis.
void planGrid(Emission &em);
/// Where groups may stand in clusters, those of a cluster go over tiles one below the other: the number of rows of tiles is a multiple of
/// the cluster's size. Declares it.
void roundUpRows(Emission &em);
/// Where the tile of the group begins along an axis.
ExprRef origin(Emission &em, int64_t axis, mlir::Location place);
/// The number of the lane in its group.
ExprRef lane(Emission &em);
ExprRef query(Emission &em, ir::tile::QueryOp op);

}  // namespace tessera::transforms::totarget
