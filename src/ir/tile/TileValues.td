// Values: scalars and fragments.
#ifndef TESSERA_IR_TILE_VALUES_TD
#define TESSERA_IR_TILE_VALUES_TD

include "mlir/IR/BuiltinAttributeInterfaces.td"

// ---------------------------------------------------------------- scalars

def Tile_ConstantOp : Tile_ValueOp<"constant", [Pure, AllTypesMatch<["value", "result"]>]> {
  let summary = "a literal";
  let description = "Example: `%half = tile.constant 5.000000e-01 : f32`";
  let arguments = (ins TypedAttrInterface:$value);
  let results = (outs Tsr_Scalar:$result);
  let assemblyFormat = "$value attr-dict";
}

def Tile_DimOp : Tile_ValueOp<"dim", [Pure]> {
  let summary = "the value of a dimension";
  let description = "Example: `%d = tile.dim \"D // H\"`";
  let arguments = (ins StrAttr:$dim);
  let results = (outs Index:$result);
  let assemblyFormat = "$dim attr-dict";
  let hasVerifier = 1;
}

def Tile_QueryOp : Tile_ValueOp<"query", [Pure]> {
  let summary = "where this group or lane stands";
  let description = [{
    `origin` (offset of the group's tile along output dimension `axis`), `group_id`, `group_count` (of grid
    axis `axis`), `group_size`, `local_id` (of the lane in its group), `lane_id` (in its warp), `linear_id`
    (group_id * group_size + local_id).

    Example: `%m = tile.query "origin" {axis = 0 : i64}`
  }];
  let arguments = (ins StrAttr:$query, DefaultValuedAttr<I64Attr, "0">:$axis);
  let results = (outs Index:$result);
  let assemblyFormat = "$query attr-dict";
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// local_id, lane_id, linear_id: differs between the lanes of a group.
    bool isVarying();
  }];
}

def Tile_GroupReduceOp : Tile_ValueOp<"group_reduce", [AllTypesMatch<["value", "result"]>]> {
  let summary = "combines one scalar of each lane; every lane gets the result";
  let description = [{
    All lanes of the group must reach it. The tree is fixed, so the same values give the same bits.

    Example: `%m = tile.group_reduce "max" %x : f32`
  }];
  let arguments = (ins StrAttr:$reduction, Tsr_Scalar:$value);
  let results = (outs Tsr_Scalar:$result);
  let assemblyFormat = "$reduction $value attr-dict `:` type($value)";
  let hasVerifier = 1;
}

def Tile_WarpOp : Tile_ValueOp<"warp", [NoMemoryEffect]> {
  let summary = "what the lanes of a warp learn of each other's scalars";
  let description = [{
    `shuffle`, `shuffle_xor`, `ballot` or a reduction, as `graph.warp`. All lanes of the group must reach it; the result may differ
    between them.

    Example: `%y = tile.warp "shuffle" %x, %l : (f32, index) -> f32`
  }];
  let arguments = (ins StrAttr:$what, Tsr_Scalar:$value, Optional<Index>:$lane);
  let results = (outs Tsr_Scalar:$result);
  let assemblyFormat = "$what $value (`,` $lane^)? attr-dict `:` functional-type(operands, results)";
  let hasVerifier = 1;
}

def Tile_OnceOp : Tile_Op<"once", [SingleBlock, NoTerminator, RecursiveMemoryEffects]> {
  let summary = "one lane of the group runs the body";
  let description = [{
    Example:
    ```mlir
    tile.once {
      tile.store_element %sum, %result[] : f32, !tsr.view<[], f32>
    }
    ```
  }];
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = "$body attr-dict";
}

// ---------------------------------------------------------------- scalars and fragments

def Tile_ElementwiseOp : Tile_ValueOp<"elementwise", [Pure]> {
  let summary = "one operation of support/Ops.def, element by element";
  let description = [{
    All operands are scalars, or all are fragments of the same shape and layout. The result has the dtype
    of the operands (`select`: of the second), or i1 for a comparison.

    The type is the last operand's.

    Examples: `%y = tile.elementwise "exp" %x : f32`, `%z = tile.elementwise "add" %a, %b : !F` with a
    fragment type `!F`
  }];
  let arguments = (ins StrAttr:$mnemonic, Variadic<Tile_Value>:$args);
  let results = (outs Tile_Value:$result);
  let assemblyFormat =
    "$mnemonic $args attr-dict `:` custom<ElementwiseTypes>(type($args), type($result), ref($mnemonic))";
  let hasVerifier = 1;
}

def Tile_CastOp : Tile_ValueOp<"cast", [Pure]> {
  let summary = "the same values in another dtype";
  let description = [{
    Rounds to the nearest even value unless `rounding` says otherwise ("bits": the same bits in another type); `saturate` clamps what is out of range.

    Example: `%b = tile.cast %f : f32 to bf16`
  }];
  let arguments = (ins Tile_Value:$value, OptionalAttr<StrAttr>:$rounding, UnitAttr:$saturate);
  let results = (outs Tile_Value:$result);
  let assemblyFormat = "$value attr-dict `:` type($value) `to` type($result)";
  let hasVerifier = 1;
}

// ---------------------------------------------------------------- fragments

def Tile_FillOp : Tile_ValueOp<"fill", [Pure]> {
  let summary = "a fragment with one value everywhere";
  let description = [{
    Example: `%acc = tile.fill %zero : f32 to !tile.fragment<["T.m", "T.n"], f32, #tile.grid<16 x 16>>`
  }];
  let arguments = (ins Tsr_Scalar:$value);
  let results = (outs Tile_FragmentType:$result);
  let assemblyFormat = "$value attr-dict `:` type($value) `to` type($result)";
  let hasVerifier = 1;
}

def Tile_IotaOp : Tile_ValueOp<"iota", [Pure]> {
  let summary = "the index along one axis";
  let description = [{
    Example: `%c = tile.iota {axis = 1 : i64} : !tile.fragment<["T.m", "T.n"], i32, #tile.grid<16 x 16>>`
  }];
  let arguments = (ins I64Attr:$axis);
  let results = (outs Tile_FragmentType:$result);
  let assemblyFormat = "attr-dict `:` type($result)";
  let hasVerifier = 1;
}

def Tile_BroadcastOp : Tile_ValueOp<"broadcast", [Pure]> {
  let summary = "a vector repeated along the axis that it lacks";
  let description = [{
    The vector's layout is a slice of the result's; `slice<1, ...>` is repeated along the columns.

    Example: `%b = tile.broadcast %v : !tile.fragment<["T.m"], f32, #tile.slice<1, #tile.grid<16 x 16>>> to
    !tile.fragment<["T.m", "T.n"], f32, #tile.grid<16 x 16>>`
  }];
  let arguments = (ins Tile_FragmentType:$value);
  let results = (outs Tile_FragmentType:$result);
  let assemblyFormat = "$value attr-dict `:` type($value) `to` type($result)";
  let hasVerifier = 1;
}

def Tile_ColumnsOp : Tile_ValueOp<"columns", [Pure]> {
  let summary = "neighbouring columns of a fragment: those that the result's last extent counts, from `first` on";
  let description = [{
    No element changes lanes: `first` and the result's number of columns are multiples of what the layout's lanes cover in
    one step, and the columns lie inside. A lane's registers have no index at run time, so `first` counts an unrolled loop.

    Example: `%part = tile.columns %acc, %first : !tile.fragment<["T.m", "T.n"], f32, #tile.mma<8 x 1>> to
    !tile.fragment<["T.m", "64"], f32, #tile.mma<8 x 1>>`
  }];
  let arguments = (ins Tile_FragmentType:$value, Index:$first);
  let results = (outs Tile_FragmentType:$result);
  let assemblyFormat = "$value `,` $first attr-dict `:` type($value) `to` type($result)";
  let hasVerifier = 1;
}

def Tile_OrderRowsOp : Tile_ValueOp<"order_rows", [Pure, AllTypesMatch<["value", "result"]>]> {
  let summary = "sums of a left operand that was read by pairs of rows, with their rows in order";
  let description = [{
    What the lanes have as the rows g and g + 8 of each 16 are the rows 2 g and 2 g + 1. Nothing else reads the operand.

    Example: `%sums = tile.order_rows %acc : <["T.n", "T.m"], f32, #tile.mma<8 x 1>>`
  }];
  let arguments = (ins Tile_FragmentType:$value);
  let results = (outs Tile_FragmentType:$result);
  let assemblyFormat = "$value attr-dict `:` type($value)";
  let hasVerifier = 1;
}

def Tile_ReduceOp : Tile_ValueOp<"reduce"> {
  let summary = "combines the elements of a fragment along one axis";
  let description = [{
    Rank 2 gives the slice that lacks `axis`; rank 1 (`axis` 0) gives a scalar, equal in all lanes. All lanes
    of the group must reach it. Every position must hold an element or the identity: where the fragment is
    wider than its tile (an extent that is no multiple of the thread grid, or below its capacity), select
    the identity there first. `by_lane`: each lane has what it has combined of its own elements of a row, and
    `tile.combine_lanes` ends that.

    Example: `%m = tile.reduce "max" %s {axis = 1 : i64} : !tile.fragment<["T.m", "T.n"], f32, #tile.grid<16 x
    16>> to !tile.fragment<["T.m"], f32, #tile.slice<1, #tile.grid<16 x 16>>>`
  }];
  let arguments = (ins StrAttr:$reduction, Tile_FragmentType:$value, I64Attr:$axis, UnitAttr:$by_lane);
  let results = (outs Tile_Value:$result);
  let assemblyFormat = "$reduction $value attr-dict `:` type($value) `to` type($result)";
  let hasVerifier = 1;
}

def Tile_CombineLanesOp : Tile_ValueOp<"combine_lanes", [AllTypesMatch<["value", "result"]>]> {
  let summary = "what the lanes of a row have of it each, combined: all of them get the result";
  let description = [{
    The end of reductions `by_lane`, in the layout of a warpgroup's products, where the lanes of a row are neighbours.

    Example: `%l = tile.combine_lanes "sum" %own : !tile.fragment<["T.m"], f32, #tile.slice<1, #tile.mma<8 x 1>>>`
  }];
  let arguments = (ins StrAttr:$reduction, Tile_FragmentType:$value);
  let results = (outs Tile_FragmentType:$result);
  let assemblyFormat = "$reduction $value attr-dict `:` type($value)";
}

def Tile_ScanOp : Tile_ValueOp<"scan", [AllTypesMatch<["value", "result"]>]> {
  let summary = "each element of a fragment combined with those before it along one axis";
  let description = [{
    sum, prod, min or max, in the order of the elements. All lanes of the group must reach it: they meet in shared memory.
    Positions beyond the fragment's extent hold anything.

    Example: `%s = tile.scan "sum" %x {axis = 1 : i64} : !tile.fragment<["T.m", "T.n"], f32, #tile.grid<16 x 16>>`
  }];
  let arguments = (ins StrAttr:$reduction, Tile_FragmentType:$value, I64Attr:$axis);
  let results = (outs Tile_FragmentType:$result);
  let assemblyFormat = "$reduction $value attr-dict `:` type($value)";
  let hasVerifier = 1;
}

def Tile_ArgsortOp : Tile_ValueOp<"argsort"> {
  let summary = "where the elements of each row of a fragment, along its last axis, lie once the row is sorted";
  let description = [{
    The order is that of `graph.argsort`. Only elements inside the extent are sorted; places beyond it hold anything. All lanes of
    the group must reach it: they meet in shared memory.

    Example: `%p = tile.argsort %x {descending} : !tile.fragment<["T.m", "T.n"], f32, #tile.grid<16 x 16>> to !tile.fragment<["T.m",
    "T.n"], i64, #tile.grid<16 x 16>>`
  }];
  let arguments = (ins Tile_FragmentType:$value, UnitAttr:$descending);
  let results = (outs Tile_FragmentType:$result);
  let assemblyFormat = "$value attr-dict `:` type($value) `to` type($result)";
  let hasVerifier = 1;
}

def Tile_GatherOp : Tile_ValueOp<"gather"> {
  let summary = "elements of a fragment at places of one axis that only run time knows";
  let description = [{
    result[i...] is value[i...] with the index of `axis` replaced by places[i...]; 0 where that lies outside. The places have the
    result's shape and layout. Where there is one place along the axis, it is missing from both: the result is a slice, or a
    scalar. All lanes of the group must reach it: the fragment goes through shared memory.

    Example: `%y = tile.gather %x at %p {axis = 1 : i64} : (!tile.fragment<["T.m", "T.n"], f32, #tile.grid<16 x 16>>,
    !tile.fragment<["T.m", "8"], i64, #tile.grid<16 x 16>>) -> !tile.fragment<["T.m", "8"], f32, #tile.grid<16 x 16>>`
  }];
  let arguments = (ins Tile_FragmentType:$value, Tile_Value:$places, I64Attr:$axis);
  let results = (outs Tile_Value:$result);
  let assemblyFormat = "$value `at` $places attr-dict `:` functional-type(operands, results)";
  let hasVerifier = 1;
}

def Tile_DotOp : Tile_ValueOp<"dot", [AllTypesMatch<["acc", "result"]>]> {
  let summary = "the accumulator plus the product of two tiles, b in shared memory, a there or in registers";
  let description = [{
    acc[m, n] + sum over k of a[m, k] * b[k, n], products formed and added up in the accumulator's dtype.
    `trans_a`: a is stored [k, m]; `trans_b`: b is stored [n, k]. All lanes of the group must reach it. k may
    run to the capacity of its extent: along k both buffers must hold zeros from the extent on. `runs_on`: the product of a
    warpgroup has only begun; it, its operands and its result are left alone until `tile.finish_products`.

    Example: `%next = tile.dot %acc, %a, %b {trans_b} : !tile.fragment<["T.m", "T.n"], f32, #tile.grid<16 x
    16>>, !tsr.shared<["T.m", "D"], bf16, "">, !tsr.shared<["T.n", "D"], bf16, "">`
  }];
  let arguments = (ins Tile_FragmentType:$acc,
                       Arg<AnyTypeOf<[Tsr_SharedType, Tile_FragmentType]>, "", [MemRead]>:$a,
                       Arg<Tsr_SharedType, "", [MemRead]>:$b, UnitAttr:$trans_a, UnitAttr:$trans_b, UnitAttr:$runs_on);
  let results = (outs Tile_FragmentType:$result);
  let assemblyFormat = "$acc `,` $a `,` $b attr-dict `:` type($acc) `,` type($a) `,` type($b)";
  let hasVerifier = 1;
}

#endif
