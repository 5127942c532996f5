// The generated definitions of the operations of `tile`.
#include "ir/tile/Tile.h"
#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace tessera::ir;
using namespace tessera::ir::tile;

#define GET_OP_CLASSES
#include "ir/tile/TileOps.cpp.inc"
