// The dialect `tile`: a kernel's body with places. Who holds which value, in which memory, and when.
//
// A value is a scalar (one a lane; the same in all lanes unless it depends on a lane query) or a fragment
// (a tile in the registers of the group, spread by its layout). Memory is a view (global) or a shared
// buffer. Time is program order, plus barriers and the groups of asynchronous copies.
#ifndef TESSERA_IR_TILE_TD
#define TESSERA_IR_TILE_TD

include "ir/common/Ops.td"
include "ir/tile/TileInterfaces.td"

def Tile_Dialect : Dialect {
  let name = "tile";
  let cppNamespace = "::tessera::ir::tile";
  let summary = "who holds what, where, and when";
  let dependentDialects = ["::tessera::ir::TsrDialect"];
  let useDefaultAttributePrinterParser = 1;
  let useDefaultTypePrinterParser = 1;
  let extraClassDeclaration = [{
    void registerTypes();
    void registerAttributes();
  }];
}

// ---------------------------------------------------------------- layouts

class Tile_Attr<string name, string text, list<Trait> traits = []> : AttrDef<Tile_Dialect, name, traits> {
  let mnemonic = text;
  let genVerifyDecl = 1;
}

def Tile_GridAttr : Tile_Attr<"Grid", "grid", [DeclareAttrInterfaceMethods<Tile_Layout>]> {
  let summary = "layout of a tile over a thread grid of rows x cols lanes";
  let description = [{
    Lane `l` stands at (l // cols, l % cols) of the thread grid. The lane at (r, c) holds the elements in
    rows r, r + rows, r + 2 * rows, ... and columns c, c + cols, ...: a product of a row map and a column
    map, as every layout of a fragment is (a tensor-core accumulator has other maps and the same shape).
    Where an extent is not a multiple, the last positions of some lanes lie beyond the tile; what they hold
    is unspecified, no store writes it, and no reduction may read it.

    Example: `#tile.grid<16 x 16>`
  }];
  let parameters = (ins "int64_t":$rows, "int64_t":$cols);
  let assemblyFormat = "`<` $rows `x` $cols `>`";
}

def Tile_MmaAttr : Tile_Attr<"Mma", "mma", [DeclareAttrInterfaceMethods<Tile_Layout>]> {
  let summary = "layout of the accumulators of a warp's matrix instructions (m16n8) over rows x cols warps";
  let description = [{
    Each warp holds blocks of 16 x 16 elements, `rows` * 16 rows and `cols` * 16 columns apart. In a block lane
    l holds rows l // 4 and l // 4 + 8, columns 2 * (l % 4), + 1, + 8, + 9 (PTX ISA, "Matrix Fragments for
    mma.m16n8k16"). With `cols` = 1 a tile of 16-bit elements is also laid out as the left operand of a product.
    Example: `#tile.mma<4 x 2>`
  }];
  let parameters = (ins "int64_t":$rows, "int64_t":$cols);
  let assemblyFormat = "`<` $rows `x` $cols `>`";
}

def Tile_WavesAttr : Tile_Attr<"Waves", "waves", [DeclareAttrInterfaceMethods<Tile_Layout>]> {
  let summary = "layout of the accumulators of AMD's matrix instructions (16 x 16) over rows x cols units of 64 lanes";
  let description = [{
    A unit is one wave of 64 lanes or two of 32: the text is the same for both. It holds blocks of 32 x 16 elements, `rows` * 32 rows and
    `cols` * 16 columns apart. In a block lane l holds column l % 16 and eight rows: of a wave of 64 lanes 4 * (l // 16), + 1, + 2, + 3
    and those 16 further (CDNA 3 instruction set guide, "MFMA"); in wave w of 32 lanes 16 * w + l // 16, + 2, ... + 14 (RDNA 3, "WMMA").
    Example: `#tile.waves<2 x 2>`
  }];
  let parameters = (ins "int64_t":$rows, "int64_t":$cols);
  let assemblyFormat = "`<` $rows `x` $cols `>`";
}

def Tile_BlockedAttr : Tile_Attr<"Blocked", "blocked", [DeclareAttrInterfaceMethods<Tile_Layout>]> {
  let summary = "layout of sums that lanes add up by themselves, in blocks of neighbours, over rows x cols warps";
  let description = [{
    The 32 lanes of a warp stand in 4 rows of 8. Each holds blocks of `high` x `wide` neighbours, so that a warp has blocks of 4 * `high` x
    8 * `wide` elements, `rows` and `cols` of these apart. Neighbours are read from shared memory at once.
    Example: `#tile.blocked<4 x 2, 1 x 4>`
  }];
  let parameters = (ins "int64_t":$rows, "int64_t":$cols, "int64_t":$high, "int64_t":$wide);
  let assemblyFormat = "`<` $rows `x` $cols `,` $high `x` $wide `>`";
}

def Tile_SliceAttr : Tile_Attr<"Slice", "slice"> {
  let summary = "layout of the vector that is left when one axis of a tile is reduced away";
  let description = [{
    `slice<1, layout>` is a vector along the rows: element i is in all lanes that hold an element of row i of
    the tile, equal in each. `slice<0, layout>` is a vector along the columns.

    Example: `#tile.slice<1, #tile.grid<16 x 16>>`
  }];
  let parameters = (ins "int64_t":$axis, "::mlir::Attribute":$parent);
  let assemblyFormat = "`<` $axis `,` $parent `>`";
}

// ---------------------------------------------------------------- types

def Tile_FragmentType : TypeDef<Tile_Dialect, "Fragment", [DeclareTypeInterfaceMethods<Tsr_ArrayLike>]> {
  let mnemonic = "fragment";
  let summary = "a tile in the registers of the group";
  let description = [{
    Rank 2 has a layout (of the interface Tile_Layout), rank 1 a slice of one. An extent may be a number, a size of the schedule
    ("T.m"), or a dimension that the kernel lists in `capacity`; it may not be any other run-time value.

    Examples: `!tile.fragment<["T.m", "T.n"], f32, #tile.grid<16 x 16>>`,
    `!tile.fragment<["T.m"], f32, #tile.slice<1, #tile.grid<16 x 16>>>`
  }];
  let parameters = (ins Tsr_DimsParameter:$shape, "::mlir::Type":$elementType, "::mlir::Attribute":$layout);
  let assemblyFormat = "`<` $shape `,` $elementType `,` $layout `>`";
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    size_t getRank() const { return getShape().size(); }
    /// The layout of the tile that it is, or that it is a slice of.
    ::tessera::ir::tile::Layout getTileLayout() const;
    /// Elements that the lanes cover together in one step along `axis`; an extent that is a multiple leaves no
    /// position over.
    int64_t getStep(size_t axis) const;
    /// The same tile, or slice of one, in another layout of tiles.
    ::tessera::ir::tile::FragmentType withTileLayout(::mlir::Attribute layout) const;
    /// Rank 1: the axis that is missing.
    int64_t getSliceAxis() const;
  }];
}

def Tile_LaneVectorType : TypeDef<Tile_Dialect, "LaneVector", [DeclareTypeInterfaceMethods<Tsr_ArrayLike>]> {
  let mnemonic = "lane_vector";
  let summary = "`T.vector` elements that one lane has in registers";
  let description = "Example: `!tile.lane_vector<bf16>`";
  let parameters = (ins "::mlir::Type":$elementType);
  let assemblyFormat = "`<` $elementType `>`";
  let genVerifyDecl = 1;
}
def Tile_HeldRowType : TypeDef<Tile_Dialect, "HeldRow", [DeclareTypeInterfaceMethods<Tsr_ArrayLike>]> {
  let mnemonic = "held_row";
  let summary = "a row of a view, in vectors that the lanes of the group take in turn";
  let description = [{
    Turn `k` of lane `l` is the vector at `(k * group + l) * T.vector`. Kept in registers where the size `T.held` of the
    variant is above 0, in shared memory where it is -1, else read again for each use.

    Example: `!tile.held_row<bf16>`
  }];
  let parameters = (ins "::mlir::Type":$elementType);
  let assemblyFormat = "`<` $elementType `>`";
  let genVerifyDecl = 1;
}
def Tile_KeptRowType : TypeDef<Tile_Dialect, "KeptRow", [DeclareTypeInterfaceMethods<Tsr_ArrayLike>]> {
  let mnemonic = "kept_row";
  let summary = "values that a lane computed for its elements of a row, kept for a later loop over them";
  let description = [{
    Laid out as a held row. It holds something only where `T.held` is above 0. Example: `!tile.kept_row<f32>`
  }];
  let parameters = (ins "::mlir::Type":$elementType);
  let assemblyFormat = "`<` $elementType `>`";
  let genVerifyDecl = 1;
}
def Tile_ElementMemory : AnyTypeOf<[Tsr_ViewType, Tsr_SharedType, Tile_LaneVectorType],
                                   "a view, a shared buffer or a lane's vector">;
def Tile_RingType : TypeDef<Tile_Dialect, "Ring"> {
  let mnemonic = "ring";
  let summary = "stages of shared memory that one role fills and the other uses, in the same order";
  let description = [{
    A queue: the producer's n-th `ring_acquire` and the consumers' n-th `ring_wait` speak of the same stage. Stages
    are a size of the schedule or a number. Example: `!tile.ring<"T.stages">`
  }];
  let parameters = (ins "::tessera::ir::DimAttr":$stages);
  let assemblyFormat = "$stages";  // which writes its own brackets
}

def Tile_Value : AnyTypeOf<[Tsr_Scalar, Tile_FragmentType], "a scalar or a fragment">;

class Tile_Op<string mnemonic, list<Trait> traits = []> : Op<Tile_Dialect, mnemonic, traits>;
// Results print under the user's names.
class Tile_ValueOp<string mnemonic, list<Trait> traits = []> : Tsr_Op<Tile_Dialect, mnemonic, traits>;

include "ir/tile/TileStructure.td"
include "ir/tile/TileValues.td"
include "ir/tile/TileMemory.td"
include "ir/tile/TileVectors.td"
include "ir/tile/TileRoles.td"

#endif
