// The dialect `tile`: who holds what, where, and when. See Tile.td.
#pragma once
#include "ir/common/OpRules.h"
#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "ir/tile/TileDialect.h.inc"

#include "ir/tile/TileAttrInterfaces.h.inc"

#define GET_ATTRDEF_CLASSES
#include "ir/tile/TileAttrs.h.inc"
#define GET_TYPEDEF_CLASSES
#include "ir/tile/TileTypes.h.inc"
#define GET_OP_CLASSES
#include "ir/tile/TileOps.h.inc"
