// Memory and time.
//
// An access names its base, an index for each dimension of the base, and in attribute arrays, one entry for
// each dimension of the base: `points` (true: the index names one element and the dimension is dropped;
// absent: no points), `steps` (distance between neighbours of the tile; absent: 1), `in_bounds` (true: proved,
// no mask needed; absent: nothing proved). The dimensions that are not points are the tile's, in order.
// A read outside the base gives `other`, or zero; a write there does nothing.
#ifndef TESSERA_IR_TILE_MEMORY_TD
#define TESSERA_IR_TILE_MEMORY_TD

include "mlir/Interfaces/SideEffectInterfaces.td"

class Tile_AccessOp<string mnemonic, list<Trait> traits = []> : Tile_Op<mnemonic, traits> {
  let hasVerifier = 1;
  code accessDeclaration = [{
    bool isPoint(unsigned i) { return getPoints() && (*getPoints())[i]; }
    int64_t getStep(unsigned i) { return getSteps() ? (*getSteps())[i] : 1; }
    bool isInBounds(unsigned i) { return getInBounds() && (*getInBounds())[i]; }
  }];
  let extraClassDeclaration = accessDeclaration;
}
// The attribute arrays of an access to a tile.
defvar Tile_AccessAttrs = (ins OptionalAttr<DenseBoolArrayAttr>:$points, OptionalAttr<DenseI64ArrayAttr>:$steps,
                               OptionalAttr<DenseBoolArrayAttr>:$in_bounds);

// ---------------------------------------------------------------- single elements

class Tile_ElementOp<string mnemonic, list<Trait> traits = []> : Tile_Op<mnemonic, traits> {
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    bool isInBounds(unsigned i) { return getInBounds() && (*getInBounds())[i]; }
  }];
}

def Tile_LoadElementOp : Tile_ElementOp<"load_element", [AttrSizedOperandSegments]> {
  let summary = "one element of a view or shared buffer";
  let description = [{
    Example: `%e = tile.load_element %x[%i, %j] other(%zero : f32) {in_bounds = array<i1: true, false>} :
    !tsr.view<["M", "N"], f32>`
  }];
  let arguments = (ins Arg<Tsr_Memory, "", [MemRead]>:$base, Variadic<Index>:$indices, Optional<Tsr_Scalar>:$other,
                       OptionalAttr<DenseBoolArrayAttr>:$in_bounds);
  let results = (outs Tsr_Scalar:$result);
  let assemblyFormat = [{
    $base `[` $indices `]` (`other` `(` $other^ `:` type($other) `)`)? attr-dict `:` type($base) `->` type($result)
  }];
}

def Tile_StoreElementOp : Tile_ElementOp<"store_element"> {
  let summary = "writes one element; every lane that reaches it writes its own value";
  let description = "Example: `tile.store_element %v, %y[%i] : f32, !tsr.view<[\"n\"], f32>`";
  let arguments = (ins Tsr_Scalar:$value, Arg<Tsr_Memory, "", [MemWrite]>:$base, Variadic<Index>:$indices,
                       OptionalAttr<DenseBoolArrayAttr>:$in_bounds);
  let assemblyFormat = "$value `,` $base `[` $indices `]` attr-dict `:` type($value) `,` type($base)";
}

// ---------------------------------------------------------------- fragments and memory

def Tile_LoadFragmentOp : Tile_AccessOp<"load_fragment", [AttrSizedOperandSegments]> {
  let summary = "a tile of a view, into registers";
  let description = [{
    `transposed` (rank 2): element (i, j) of the fragment is the element at (j, i) of the tile.

    Example: `%f = tile.load_fragment %x[%b, %m, %n] {points = array<i1: true, false, false>} :
    !tsr.view<["B", "M", "N"], f32> -> !tile.fragment<["T.m", "T.n"], f32, #tile.grid<16 x 16>>`
  }];
  let arguments = !con((ins Arg<Tsr_ViewType, "", [MemRead]>:$base, Variadic<Index>:$offsets, Optional<Tsr_Scalar>:$other,
                            UnitAttr:$transposed), Tile_AccessAttrs);
  let results = (outs Tile_FragmentType:$result);
  let assemblyFormat = [{
    $base `[` $offsets `]` (`other` `(` $other^ `:` type($other) `)`)? attr-dict `:` type($base) `->` type($result)
  }];
}

def Tile_StoreFragmentOp : Tile_AccessOp<"store_fragment"> {
  let summary = "writes a fragment to a view; positions beyond the tile or the view are not written";
  let description = [{
    Example: `tile.store_fragment %acc, %C[%m, %n] : !tile.fragment<["T.m", "T.n"], f32, #tile.grid<16 x 16>>,
    !tsr.view<["M", "N"], f32>`
  }];
  let arguments = !con((ins Tile_FragmentType:$value, Arg<Tsr_ViewType, "", [MemWrite]>:$base, Variadic<Index>:$offsets),
                       Tile_AccessAttrs);
  let assemblyFormat = "$value `,` $base `[` $offsets `]` attr-dict `:` type($value) `,` type($base)";
}

def Tile_ReadSharedOp : Tile_AccessOp<"read_shared", [AttrSizedOperandSegments]> {
  let summary = "a tile of a shared buffer, into registers";
  let description = [{
    Example: `%f = tile.read_shared %s[%zero, %zero] {transposed, in_bounds = array<i1: true, true>} :
    !tsr.shared<["64", "32"], f32, ""> -> !tile.fragment<["32", "64"], f32, #tile.grid<16 x 16>>`
  }];
  let arguments = !con((ins Arg<Tsr_SharedType, "", [MemRead]>:$base, Variadic<Index>:$offsets, Optional<Tsr_Scalar>:$other,
                            UnitAttr:$transposed), Tile_AccessAttrs);
  let results = (outs Tile_FragmentType:$result);
  let assemblyFormat = [{
    $base `[` $offsets `]` (`other` `(` $other^ `:` type($other) `)`)? attr-dict `:` type($base) `->` type($result)
  }];
}

def Tile_WriteSharedOp : Tile_AccessOp<"write_shared"> {
  let summary = "writes a fragment to a shared buffer; positions beyond the tile are not written";
  let description = [{
    Example: `tile.write_shared %p, %s[%zero, %zero] {in_bounds = array<i1: true, true>} :
    !tile.fragment<["64", "64"], bf16, #tile.grid<16 x 16>>, !tsr.shared<["64", "64"], bf16, "">`
  }];
  let arguments = !con((ins Tile_FragmentType:$value, Arg<Tsr_SharedType, "", [MemWrite]>:$base, Variadic<Index>:$offsets),
                       Tile_AccessAttrs);
  let assemblyFormat = "$value `,` $base `[` $offsets `]` attr-dict `:` type($value) `,` type($base)";
}

def Tile_CopyOp : Tile_AccessOp<"copy"> {
  let summary = "the group copies a tile of a view to a whole shared buffer";
  let description = [{
    The buffer has the tile's shape; what lies outside the view, or beyond an extent that is below its
    capacity, is written as zero. With `async` the copy joins the next `tile.commit_group` and has landed after
    the `tile.wait_group` and barrier that follow; without, it has landed after the next barrier.

    Example: `tile.copy %A[%m, %k] to %A_tile {async} : !tsr.view<["M", "K"], bf16> to !tsr.shared<["T.m", "T.k"], bf16, "">`
  }];
  let arguments = !con((ins Arg<Tsr_ViewType, "", [MemRead]>:$base, Variadic<Index>:$offsets,
                            Arg<Tsr_SharedType, "", [MemWrite]>:$target, UnitAttr:$async), Tile_AccessAttrs);
  let assemblyFormat = "$base `[` $offsets `]` `to` $target attr-dict `:` type($base) `to` type($target)";
}

// ---------------------------------------------------------------- shared memory and time

def Tile_AllocSharedOp : Tile_Op<"alloc_shared"> {
  let summary = "a buffer in the shared memory of the group";
  let description = [{
    `manual`: the program synchronises its accesses itself; the pass that inserts barriers leaves it alone.

    Example: `%s = tile.alloc_shared {manual} : !tsr.shared<["128"], f32, "">`
  }];
  let arguments = (ins UnitAttr:$manual);
  let results = (outs Res<Tsr_SharedType, "", [MemAlloc]>:$result);
  let assemblyFormat = "attr-dict `:` type($result)";
}

def Tile_SelectBufferOp : Tile_Op<"select_buffer", [Pure]> {
  let summary = "one of several equal buffers: the leading index fixed";
  let description = [{
    Example: `%s = tile.select_buffer %stages[%stage] : !tsr.shared<["2", "128", "32"], bf16, "xor"> ->
    !tsr.shared<["128", "32"], bf16, "xor">`
  }];
  let arguments = (ins Tsr_SharedType:$base, Index:$index);
  let results = (outs Tsr_SharedType:$result);
  let assemblyFormat = "$base `[` $index `]` attr-dict `:` type($base) `->` type($result)";
  let hasVerifier = 1;
}

def Tile_CommitGroupOp : Tile_Op<"commit_group"> {
  let summary = "closes a group of asynchronous copies";
  let description = "Example: `tile.commit_group`";
  let assemblyFormat = "attr-dict";
}

def Tile_WaitGroupOp : Tile_Op<"wait_group"> {
  let summary = "waits until at most `pending` committed groups of copies are under way";
  let description = "Example: `tile.wait_group {pending = 1 : i64}`";
  let arguments = (ins ConfinedAttr<I64Attr, [IntNonNegative]>:$pending);
  let assemblyFormat = "attr-dict";
}

def Tile_BarrierOp : Tile_Op<"barrier"> {
  let summary = "no participant passes before all have arrived; what they wrote before is seen after";
  let description = "Participants: `group`, all lanes. Example: `tile.barrier {participants = \"group\"}`";
  let arguments = (ins DefaultValuedAttr<StrAttr, "\"group\"">:$participants);
  let assemblyFormat = "attr-dict";
  let hasVerifier = 1;
}

#endif
