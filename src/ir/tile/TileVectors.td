// Vectors of one lane: `T.vector` neighbouring elements of a view, moved at once.
#ifndef TESSERA_IR_TILE_VECTORS_TD
#define TESSERA_IR_TILE_VECTORS_TD

def Tile_NewVectorOp : Tile_ValueOp<"new_vector"> {
  let summary = "a vector of the lane's own, to be filled with `tile.store_element`";
  let description = "Example: `%v = tile.new_vector : !tile.lane_vector<f32>`";
  let results = (outs Res<Tile_LaneVectorType, "", [MemAlloc]>:$result);
  let assemblyFormat = "attr-dict `:` type($result)";
}

def Tile_LoadVectorOp : Tile_AccessOp<"load_vector"> {
  let summary = "the neighbouring elements of a view that begin at these indices";
  let description = [{
    All of them lie inside, along the last axis, and begin at a multiple of the vector. `flat`: one index, the position in
    row-major order.

    Example: `%v = tile.load_vector %x[%i, %j] : !tsr.view<["M", "N"], bf16> to !tile.lane_vector<bf16>`
  }];
  let arguments = (ins Arg<Tsr_ViewType, "", [MemRead]>:$base, Variadic<Index>:$indices, UnitAttr:$flat);
  let results = (outs Tile_LaneVectorType:$result);
  let assemblyFormat = "$base `[` $indices `]` attr-dict `:` type($base) `to` type($result)";
}

def Tile_StoreVectorOp : Tile_AccessStmt<"store_vector"> {
  let summary = "writes a lane's vector to neighbouring elements of a view";
  let description = [{
    Floats of 32 bits are rounded to the nearest where the view has floats of 16 bits.

    Example: `tile.store_vector %v, %y[%i] {flat} : !tile.lane_vector<f32>, !tsr.view<["M", "N"], f32>`
  }];
  let arguments = (ins Arg<Tile_LaneVectorType, "", [MemRead]>:$value, Arg<Tsr_ViewType, "", [MemWrite]>:$base,
                       Variadic<Index>:$indices, UnitAttr:$flat);
  let assemblyFormat = "$value `,` $base `[` $indices `]` attr-dict `:` type($value) `,` type($base)";
}

def Tile_PutVectorOp : Tile_Op<"put_vector"> {
  let summary = "writes a lane's vector to neighbouring elements of a row of a shared tile, where these lie together";
  let description = "Example: `tile.put_vector %v, %tile[%down, %right] : !tile.lane_vector<bf16>, !tsr.shared<[\"64\", \"64\"], bf16, \"xor_chunks\">`";
  let arguments = (ins Arg<Tile_LaneVectorType, "", [MemRead]>:$value, Arg<Tsr_SharedType, "", [MemWrite]>:$tile, Index:$row, Index:$col);
  let assemblyFormat = "$value `,` $tile `[` $row `,` $col `]` attr-dict `:` type($value) `,` type($tile)";
}

def Tile_HoldRowOp : Tile_AccessOp<"hold_row"> {
  let summary = "the row of a view at these indices, for the lanes of the group in turn";
  let description = [{
    The indices are those of all axes but the last; `extent` elements of the row are used.

    Example: `%row = tile.hold_row %x[%r] extent %c : !tsr.view<["R", "C"], bf16> to !tile.held_row<bf16>`
  }];
  let arguments = (ins Arg<Tsr_ViewType, "", [MemRead]>:$base, Variadic<Index>:$indices, Index:$extent);
  let results = (outs Tile_HeldRowType:$result);
  let assemblyFormat = "$base `[` $indices `]` `extent` $extent attr-dict `:` type($base) `to` type($result)";
}

def Tile_RowVectorOp : Tile_ValueOp<"row_vector", [TypesMatchWith<"a vector of the row's elements", "row", "result",
    "::tessera::ir::tile::LaneVectorType::get($_ctxt, ::llvm::cast<::tessera::ir::tile::HeldRowType>($_self).getElementType())">]> {
  let summary = "this lane's vector of turn `k`";
  let description = "Example: `%v = tile.row_vector %row[%k] : !tile.held_row<bf16>`";
  let arguments = (ins Arg<Tile_HeldRowType, "", [MemRead]>:$row, Index:$turn);
  let results = (outs Tile_LaneVectorType:$result);
  let assemblyFormat = "$row `[` $turn `]` attr-dict `:` type($row)";
}

def Tile_NewRowOp : Tile_ValueOp<"new_row"> {
  let summary = "room for what a lane computes for its elements of a row";
  let description = "Example: `%row = tile.new_row : !tile.kept_row<f32>`";
  let results = (outs Res<Tile_KeptRowType, "", [MemAlloc]>:$result);
  let assemblyFormat = "attr-dict `:` type($result)";
}

def Tile_KeepOp : Tile_Op<"keep"> {
  let summary = "keeps the value of element `index` of this lane's vector of a turn, where rows are held";
  let description = "Example: `tile.keep %e in %row[%k, %v] : f32, !tile.kept_row<f32>`";
  let arguments = (ins Tsr_Scalar:$value, Arg<Tile_KeptRowType, "", [MemWrite]>:$row, Index:$turn, Index:$index);
  let assemblyFormat = "$value `in` $row `[` $turn `,` $index `]` attr-dict `:` type($value) `,` type($row)";
}

def Tile_RecallOp : Tile_ValueOp<"recall", [TypesMatchWith<"a value of the row", "row", "result",
    "::llvm::cast<::tessera::ir::tile::KeptRowType>($_self).getElementType()">]> {
  let summary = "the value that was kept";
  let description = "Example: `%e = tile.recall %row[%k, %v] : !tile.kept_row<f32>`";
  let arguments = (ins Arg<Tile_KeptRowType, "", [MemRead]>:$row, Index:$turn, Index:$index);
  let results = (outs Tsr_Scalar:$result);
  let assemblyFormat = "$row `[` $turn `,` $index `]` attr-dict `:` type($row)";
}

def Tile_NewExtremesOp : Tile_ValueOp<"new_extremes"> {
  let summary = "for each element of a lane's vectors the smallest or largest so far: of none";
  let description = [{
    The reduction is `min` or `max`.

    Example: `%most = tile.new_extremes "max" : !tile.lane_vector<bf16>`
  }];
  let arguments = (ins StrAttr:$reduction);
  let results = (outs Res<Tile_LaneVectorType, "", [MemAlloc]>:$result);
  let assemblyFormat = "$reduction attr-dict `:` type($result)";
}

def Tile_TakeExtremesOp : Tile_Op<"take_extremes"> {
  let summary = "combines a vector with the extremes so far, two floats of 16 bits at once";
  let description = "Example: `tile.take_extremes \"max\" %v into %most : !tile.lane_vector<bf16>, !tile.lane_vector<bf16>`";
  let arguments = (ins StrAttr:$reduction, Arg<Tile_LaneVectorType, "", [MemRead]>:$vector, Arg<Tile_LaneVectorType, "", [MemRead, MemWrite]>:$extremes);
  let assemblyFormat = "$reduction $vector `into` $extremes attr-dict `:` type($vector) `,` type($extremes)";
}

def Tile_ExtremeOp : Tile_ValueOp<"extreme"> {
  let summary = "the smallest or largest of all extremes of the lane, as f32";
  let description = "Example: `%x = tile.extreme \"max\" %most : !tile.lane_vector<bf16> to f32`";
  let arguments = (ins StrAttr:$reduction, Arg<Tile_LaneVectorType, "", [MemRead]>:$extremes);
  let results = (outs Tsr_Scalar:$result);
  let assemblyFormat = "$reduction $extremes attr-dict `:` type($extremes) `to` type($result)";
}

def Tile_AddColumnOp : Tile_AccessStmt<"add_column"> {
  let summary = "adds to the group's sum of a column";
  let description = [{
    Groups of a kernel with such an operation take the rows of its grid in turn, as many groups as `base` has rows; each keeps sums of
    its own, in registers, and writes them to its row of `base` in the end. `indices`: the column; or, where the lanes take vectors
    of a row in turn, the turn and the element of the vector.

    Example: `tile.add_column %v to %sums[%k, %i] : f32, !tsr.view<["P", "768"], f32>`
  }];
  let arguments = (ins Tsr_Scalar:$value, Arg<Tsr_ViewType, "", [MemWrite]>:$base, Variadic<Index>:$indices);
  let assemblyFormat = "$value `to` $base `[` $indices `]` attr-dict `:` type($value) `,` type($base)";
}

def Tile_RowTurnsOp : Tile_ValueOp<"row_turns", [Pure]> {
  let summary = "how often the lanes of the group take a vector each until a row is through";
  let description = "The size `T.held` where rows are held. Example: `%turns = tile.row_turns %c`";
  let arguments = (ins Index:$extent);
  let results = (outs Index:$result);
  let assemblyFormat = "$extent attr-dict";
}

#endif
