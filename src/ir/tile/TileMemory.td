// Memory and time.
//
// An access to a tile is written as in `graph`: %A[%b, %m size "T.m" step 2 in_bounds]: for each dimension of
// the base a point (the dimension is dropped) or a range; `in_bounds` is proved: no mask is needed. A read
// outside the base gives `other`, or zero; a write there does nothing. The tile has exactly the ranges'
// sizes.
#ifndef TESSERA_IR_TILE_MEMORY_TD
#define TESSERA_IR_TILE_MEMORY_TD

class Tile_AccessOp<string mnemonic, list<Trait> traits = []> : Tile_ValueOp<mnemonic, traits> {
  let hasVerifier = 1;
}
class Tile_AccessStmt<string mnemonic, list<Trait> traits = []> : Tile_Op<mnemonic, traits> {
  let hasVerifier = 1;
}

// ---------------------------------------------------------------- single elements

def Tile_LoadElementOp : Tile_AccessOp<"load_element", [AttrSizedOperandSegments,
    TypesMatchWith<"the result is an element of the base", "base", "result",
        "::tessera::ir::elementTypeOf($_self)">]> {
  let summary = "one element of a view or shared buffer";
  let description = [{
    `in_bounds` has an entry for each dimension (absent: nothing is proved).

    Example: `%e = tile.load_element %x[%i, %j] other %zero : f32 {in_bounds = array<i1: true, false>} :
    !tsr.view<["M", "N"], f32>`
  }];
  let extraClassDeclaration = "bool isInBounds(unsigned i) { return getInBounds() && (*getInBounds())[i]; }";
  let arguments = (ins Arg<Tile_ElementMemory, "", [MemRead]>:$base, Variadic<Index>:$indices,
      Optional<Tsr_Scalar>:$other,
                       OptionalAttr<DenseBoolArrayAttr>:$in_bounds);
  let results = (outs Tsr_Scalar:$result);
  let assemblyFormat = "$base `[` $indices `]` (`other` $other^ `:` type($other))? attr-dict `:` type($base)";
}

def Tile_StoreElementOp : Tile_AccessStmt<"store_element"> {
  let summary = "writes one element; every lane that reaches it writes its own value";
  let extraClassDeclaration = "bool isInBounds(unsigned i) { return getInBounds() && (*getInBounds())[i]; }";
  let description = "Example: `tile.store_element %v, %y[%i] : f32, !tsr.view<[\"n\"], f32>`";
  let arguments = (ins Tsr_Scalar:$value, Arg<Tile_ElementMemory, "", [MemWrite]>:$base, Variadic<Index>:$indices,
                       OptionalAttr<DenseBoolArrayAttr>:$in_bounds);
  let assemblyFormat = "$value `,` $base `[` $indices `]` attr-dict `:` type($value) `,` type($base)";
}

def Tile_AtomicOp : Tile_AccessStmt<"atomic"> {
  let summary = "combines a value with an element of memory, as one step that no other lane or group divides";
  let description = [{
    `mnemonic`: add, min, max, and, or, xor. A scalar: every lane that reaches it does it, and `old` is what was there
    before; 0 outside of the memory. A fragment: each element once, at indices that are scalars or fragments of integers
    that lie alike; outside of the memory nothing happens. A fragment is also `set`: its elements take the place of what was
    there, and of two at one place either one is left.

    Example: `%old = tile.atomic "add" %one, %count[%zero] : (i32, !tsr.view<["1"], i32>, index) -> i32`
  }];
  let extraClassDeclaration = "bool isInBounds(unsigned i) { return getInBounds() && (*getInBounds())[i]; }";
  let arguments = (ins StrAttr:$mnemonic, Tile_Value:$value, Arg<Tsr_Memory, "", [MemRead, MemWrite]>:$base,
                       Variadic<Tile_Value>:$indices, OptionalAttr<DenseBoolArrayAttr>:$in_bounds);
  let results = (outs Optional<Tsr_Scalar>:$old);
  let assemblyFormat = "$mnemonic $value `,` $base `[` $indices `]` attr-dict `:` functional-type(operands, results)";
}

// ---------------------------------------------------------------- fragments and memory

def Tile_LoadFragmentOp : Tile_AccessOp<"load_fragment", [AttrSizedOperandSegments]> {
  let summary = "a tile of a view, into registers";
  let description = [{
    `transposed` (rank 2): element (i, j) of the fragment is the element at (j, i) of the tile.

    Example: `%f = tile.load_fragment %x[%b in_bounds, %m size "T.m", %n size "T.n"] :
    !tsr.view<["B", "M", "N"], f32> to !tile.fragment<["T.m", "T.n"], f32, #tile.grid<16 x 16>>`
  }];
  let arguments = !con((ins Arg<Tsr_ViewType, "", [MemRead]>:$base), Tsr_AccessArguments,
                       (ins Optional<Tsr_Scalar>:$other, UnitAttr:$transposed));
  let results = (outs Tile_FragmentType:$result);
  let assemblyFormat = !strconcat("$base `` ", Tsr_AccessFormat,
      " (`other` $other^ `:` type($other))? attr-dict `:` type($base) `to` type($result)");
}

def Tile_LoadAtOp : Tile_AccessOp<"load_at"> {
  let summary = "elements of a view at indices that only run time knows, into registers; 0 outside of the view";
  let description = [{
    An index is an index for all elements, or a fragment of i64 that lies as the result does. The one along `axis` counts the rows
    of that axis and of `merged` axes before it, along which the indices are 0.

    Example: `%f = tile.load_at %x[%rows, %cols] : (!tsr.view<["R", "C"], f32>, !tile.fragment<["T.m", "T.n"], i64,
    #tile.grid<16 x 16>>, !tile.fragment<["T.m", "T.n"], i64, #tile.grid<16 x 16>>) -> !tile.fragment<["T.m", "T.n"], f32,
    #tile.grid<16 x 16>>`
  }];
  let extraClassDeclaration = "bool isInBounds(unsigned i) { return getInBounds() && (*getInBounds())[i]; }";
  let arguments = (ins Arg<Tsr_ViewType, "", [MemRead]>:$base, Variadic<Tile_Value>:$indices,
                       DefaultValuedAttr<I64Attr, "0">:$axis, DefaultValuedAttr<I64Attr, "0">:$merged,
                       OptionalAttr<DenseBoolArrayAttr>:$in_bounds);
  let results = (outs Tile_FragmentType:$result);
  let assemblyFormat = "$base `[` $indices `]` attr-dict `:` functional-type(operands, results)";
}

def Tile_StoreFragmentOp : Tile_AccessStmt<"store_fragment"> {
  let summary = "writes a fragment to a view; positions beyond the tile or the view are not written";
  let description = [{
    With `bulk` the tile goes through shared memory, from where the machine's copy engine stores it while the group
    goes on; its columns lie along the last dimension. `transposed` (rank 2): element (i, j) of the fragment becomes the
    element at (j, i) of the tile.

    Example: `tile.store_fragment %acc, %C[%m size "T.m", %n size "T.n"] : !tile.fragment<["T.m", "T.n"], f32,
    #tile.grid<16 x 16>>, !tsr.view<["M", "N"], f32>`
  }];
  let arguments = !con((ins Tile_FragmentType:$value, Arg<Tsr_ViewType, "", [MemWrite]>:$base),
      Tsr_AccessArguments, (ins UnitAttr:$bulk, UnitAttr:$transposed));
  let assemblyFormat = !strconcat("$value `,` $base `` ", Tsr_AccessFormat,
      " attr-dict `:` type($value) `,` type($base)");
}

def Tile_StoreColumnSumsOp : Tile_AccessStmt<"store_column_sums"> {
  let summary = "adds up each 16 neighbouring rows of a fragment and stores the sums, a row for each 16";
  let description = [{
    The fragment has the layout of matrix instructions, f32, and begins at (`row`, `col`) of a matrix with `rows` rows; `row` is a
    multiple of 16. Row r of the base gets the sums of the rows 16 r to 16 r + 15. `transposed`: element (i, j) of the fragment is the
    one at (j, i) of the tile.

    Example: `tile.store_column_sums %acc, %sums[%m, %n] rows %M : !tile.fragment<["T.m", "T.n"], f32, #tile.mma<4 x 1>>,
    !tsr.view<["(M + 15) // 16", "N"], f32>`
  }];
  let arguments = (ins Tile_FragmentType:$value, Arg<Tsr_ViewType, "", [MemWrite]>:$base, Index:$row, Index:$col, Index:$rows,
                       UnitAttr:$transposed);
  let assemblyFormat = "$value `,` $base `[` $row `,` $col `]` `rows` $rows attr-dict `:` type($value) `,` type($base)";
}

def Tile_ReadSharedOp : Tile_AccessOp<"read_shared", [AttrSizedOperandSegments]> {
  let summary = "a tile of a shared buffer, into registers";
  let description = [{
    Example: `%f = tile.read_shared %s[%zero size "64" in_bounds, %zero size "32" in_bounds] {transposed} :
    !tsr.shared<["64", "32"], f32, ""> to !tile.fragment<["32", "64"], f32, #tile.grid<16 x 16>>`
  }];
  let arguments = !con((ins Arg<Tsr_SharedType, "", [MemRead]>:$base), Tsr_AccessArguments,
                       (ins Optional<Tsr_Scalar>:$other, UnitAttr:$transposed));
  let results = (outs Tile_FragmentType:$result);
  let assemblyFormat = !strconcat("$base `` ", Tsr_AccessFormat,
      " (`other` $other^ `:` type($other))? attr-dict `:` type($base) `to` type($result)");
}

def Tile_ReadPairsOfRowsOp : Tile_ValueOp<"read_pairs_of_rows"> {
  let summary = "bytes of a shared buffer that lie the other way, in bf16, two rows at a time";
  let description = [{
    A left operand in registers, of the whole buffer transposed. Of each 16 of its rows the lanes that have the rows g and g + 8 in the
    layout get the rows 2 g and 2 g + 1; `tile.order_rows` puts the sums in order.

    Example: `%w = tile.read_pairs_of_rows %s : <["256", "128"], i8, "panels"> to <["128", "256"], bf16, #tile.mma<8 x 1>>`
  }];
  let arguments = (ins Arg<Tsr_SharedType, "", [MemRead]>:$base);
  let results = (outs Tile_FragmentType:$result);
  let assemblyFormat = "$base attr-dict `:` type($base) `to` type($result)";
  let hasVerifier = 1;
}

def Tile_WriteSharedOp : Tile_AccessStmt<"write_shared"> {
  let summary = "writes a fragment to a shared buffer, up to the capacities of its extents";
  let description = [{
    Example: `tile.write_shared %p, %s[%zero size "64" in_bounds, %zero size "64" in_bounds] :
    !tile.fragment<["64", "64"], bf16, #tile.grid<16 x 16>>, !tsr.shared<["64", "64"], bf16, "">`
  }];
  let arguments = !con((ins Tile_FragmentType:$value, Arg<Tsr_SharedType, "", [MemWrite]>:$base),
      Tsr_AccessArguments);
  let assemblyFormat = !strconcat("$value `,` $base `` ", Tsr_AccessFormat,
      " attr-dict `:` type($value) `,` type($base)");
}

def Tile_CopyOp : Tile_AccessStmt<"copy"> {
  let summary = "the group copies a tile of a view to a whole shared buffer";
  let description = [{
    The buffer has the tile's shape, up to the capacities of its extents; what lies outside the view is
    written as zero. An extent that is below its capacity is the view's whole dimension. With `async` the copy
    joins the next `tile.commit_group` and has landed after the `tile.wait_group` and barrier that follow;
    without, it has landed after the next barrier. With `cluster` all groups of a cluster copy the same tile: each brings a part of it
    to all of them, to a stage of a ring with `cluster`. With `once` no other group reads the tile, and the cache need not keep it.

    Example: `tile.copy %A[%m size "T.m", %k size "T.k"] to %A_tile {async} : !tsr.view<["M", "K"], bf16> to
    !tsr.shared<["T.m", "T.k"], bf16, "">`
  }];
  let arguments = !con((ins Arg<Tsr_ViewType, "", [MemRead]>:$base), Tsr_AccessArguments,
                       (ins Arg<Tsr_SharedType, "", [MemWrite]>:$target, UnitAttr:$async, UnitAttr:$cluster, UnitAttr:$once));
  let assemblyFormat = !strconcat("$base `` ", Tsr_AccessFormat,
      " `to` $target attr-dict `:` type($base) `to` type($target)");
}

def Tile_CopyRowsOp : Tile_AccessStmt<"copy_rows"> {
  let summary = "the group copies rows of a view, whose numbers stand in shared memory, to a whole shared buffer";
  let description = [{
    Row i of the buffer is the one at `places`[i] along `axis` of the view, from `indices` on along the last axis; `indices` is 0 along
    `axis` and names an element, which is there, along the others. Places count the rows of `axis` and of `merged` axes before it. A place outside of the axis is a row of zeros, and so is what lies
    behind the end of a row. `async`: as in `tile.copy`.

    Example: `tile.copy_rows %x[%c0, %k] rows %ids axis 0 to %x_tile {async} : !tsr.view<["R", "K"], bf16>, !tsr.shared<["T.m"], i64, "">
    to !tsr.shared<["T.m", "T.k"], bf16, "">`
  }];
  let arguments = (ins Arg<Tsr_ViewType, "", [MemRead]>:$base, Variadic<Index>:$indices,
                       Arg<Tsr_SharedType, "", [MemRead]>:$places, I64Attr:$axis, DefaultValuedAttr<I64Attr, "0">:$merged,
                       Arg<Tsr_SharedType, "", [MemWrite]>:$target, UnitAttr:$async);
  let assemblyFormat = "$base `[` $indices `]` `rows` $places `axis` custom<Integer>($axis) `to` $target attr-dict `:` type($base) `,` type($places) `to` type($target)";
}

def Tile_ArgsortRowOp : Tile_AccessStmt<"argsort_row", [AttrSizedOperandSegments]> {
  let summary = "the group sorts one row, along the last axis: the places of its elements in order";
  let description = [{
    `indices` name the row: one for each axis but the last, proved to lie inside. All lanes take part.

    With `part`: of the elements of a part of the row, which begins at `part` times `length`, the `first` ones stand first; the last
    axis of the result has `first` places for each part, -1 where there are fewer. With `of`: of the elements that these name.

    Example: `tile.argsort_row %x, %order[%r] {descending} : !tsr.view<["M", "N"], f32>, !tsr.view<["M", "N"], i64>`
  }];
  let arguments = (ins Arg<Tsr_ViewType, "", [MemRead]>:$keys, Arg<Tsr_ViewType, "", [MemWrite]>:$base,
                       Variadic<Index>:$indices, Optional<Index>:$part, Arg<Optional<Tsr_ViewType>, "", [MemRead]>:$named,
                       UnitAttr:$descending, DefaultValuedAttr<I64Attr, "0">:$first, DefaultValuedAttr<I64Attr, "0">:$length);
  let assemblyFormat = "$keys `,` $base `[` $indices `]` (`part` $part^)? (`of` $named^ `:` type($named))? attr-dict `:` type($keys) `,` type($base)";
}

// ---------------------------------------------------------------- shared memory and time

def Tile_AllocSharedOp : Tile_ValueOp<"alloc_shared"> {
  let summary = "a buffer in the shared memory of the group";
  let description = [{
    `manual`: the program synchronises its accesses itself; the pass that inserts barriers leaves it alone.
    `tsr.alignment`: bytes, a power of two, to a multiple of which it begins (ir/common/SharedAlignment.h).

    Example: `%s = tile.alloc_shared {manual} : !tsr.shared<["128"], f32, "">`
  }];
  let arguments = (ins UnitAttr:$manual);
  let results = (outs Res<Tsr_SharedType, "", [MemAlloc]>:$result);
  let assemblyFormat = "attr-dict `:` type($result)";
}

def Tile_SelectBufferOp : Tile_ValueOp<"select_buffer", [Pure]> {
  let summary = "one of several equal buffers: the leading index fixed";
  let description = [{
    Example: `%s = tile.select_buffer %stages[%stage] : !tsr.shared<["2", "128", "32"], bf16, "xor"> to
    !tsr.shared<["128", "32"], bf16, "xor">`
  }];
  let arguments = (ins Tsr_SharedType:$base, Index:$index);
  let results = (outs Tsr_SharedType:$result);
  let assemblyFormat = "$base `[` $index `]` attr-dict `:` type($base) `to` type($result)";
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
