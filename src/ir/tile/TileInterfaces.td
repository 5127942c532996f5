// What every layout of a fragment answers.
#ifndef TESSERA_IR_TILE_INTERFACES_TD
#define TESSERA_IR_TILE_INTERFACES_TD

include "mlir/IR/OpBase.td"

def Tile_Layout : AttrInterface<"Layout"> {
  let cppNamespace = "::tessera::ir::tile";
  let description = [{
    Who holds which element of a tile of rank 2. The device headers have a type of the same meaning
    (`tsr::ThreadGrid`, `tsr::MmaGrid`); a unit test compares them. A tile whose extents are multiples of the
    steps is held without a position left over.
  }];
  let methods = [
    InterfaceMethod<"Lanes of the group that hold the tile.", "int64_t", "getLanes">,
    InterfaceMethod<"Rows that the lanes cover together in one step.", "int64_t", "getRowStep">,
    InterfaceMethod<"Columns that the lanes cover together in one step.", "int64_t", "getColStep">,
    InterfaceMethod<"The type that the device headers have for it.", "std::string", "getSpelling">,
    InterfaceMethod<"What the emitted kernel calls that type.", "::llvm::StringRef", "getAliasHint">,
    InterfaceMethod<"Elements of shared memory that a reduction along `axis` of a tile with `extent` elements along the "
                    "other axis needs; 0: none.", "int64_t", "getScratch", (ins "int64_t":$axis, "int64_t":$extent)>,
  ];
}

#endif
