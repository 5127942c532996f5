// Kernel bodies: memory, the place of a group in its launch, and time.

def Graph_LoadOp : Graph_Op<"load", [MemoryEffects<[MemRead]>, AttrSizedOperandSegments]> {
  let summary = "elements of a view or shared buffer; outside it `other`, or zero";
  let description = [{
    A scalar if every index is a point, else an array of the ranges' sizes.

    Example: `%3 = graph.load %A[%m size "T.m", %k size "T.k"] : !tsr.view<["M", "K"], bf16> to
    !tsr.tensor<["T.m", "T.k"], bf16>`
  }];
  let arguments = !con((ins Tsr_Memory:$base), Tsr_AccessArguments, (ins Optional<Tsr_Numeric>:$other));
  let results = (outs Tsr_Value:$result);
  let assemblyFormat = !strconcat("$base `` ", Tsr_AccessFormat,
      " (`other` $other^ `:` type($other))? attr-dict `:` type($base) `to` type($result)");
  let hasVerifier = 1;
}

def Graph_StoreOp : Graph_Op<"store", [MemoryEffects<[MemWrite]>]> {
  let summary = "writes elements of a view or shared buffer; those outside it are not written";
  let description = [{
    `once`: one lane of the group does it (a scalar); else every lane stores its own.

    Example: `graph.store %v, %C[%m size "T.m"] : !tsr.tensor<["T.m"], f32>, !tsr.view<["M"], f32>`
  }];
  let arguments = !con((ins Tsr_Value:$value, Tsr_Memory:$base), Tsr_AccessArguments, (ins UnitAttr:$once));
  let assemblyFormat = !strconcat("$value `,` $base `` ", Tsr_AccessFormat,
                                   " attr-dict `:` type($value) `,` type($base)");
  let hasVerifier = 1;
}

def Graph_AtomicOp : Graph_Op<"atomic", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "combines a value with an element of a view or shared buffer, as one step that no other lane or group divides";
  let description = [{
    `mnemonic`: add, min, max, and, or, xor. Of arrays each element does it: each index is an index for all of them, or an
    array of integers of the value's shape. Outside of the memory nothing happens. `once`: one lane of the group does it
    (a scalar). With a scalar, which every lane does for itself, `old` is what was there before; 0 outside. Arrays are also
    `set`: their elements take the place of what was there, and of two at one place either one is left.

    Example: `graph.atomic "add" %one, %counts[%bins] {in_bounds = array<i1: false>} : (!tsr.tensor<["T.n"], i32>,
    !tsr.view<["10"], i32>, !tsr.tensor<["T.n"], i64>) -> ()`
  }];
  let arguments = (ins StrAttr:$mnemonic, Tsr_Value:$value, Tsr_Memory:$base, Variadic<Tsr_Value>:$indices,
                       DenseBoolArrayAttr:$in_bounds, UnitAttr:$once);
  let results = (outs Optional<Tsr_Scalar>:$old);
  let assemblyFormat = "$mnemonic $value `,` $base `[` $indices `]` attr-dict `:` functional-type(operands, results)";
  let hasVerifier = 1;
}

def Graph_WarpOp : Graph_Op<"warp", [NoMemoryEffect]> {
  let summary = "what the lanes of a warp learn of each other's scalars";
  let description = [{
    `what`: `shuffle` (the value of the lane with the number of the second operand, modulo the lanes of a warp), `shuffle_xor` (of the
    lane whose number differs in its bits), `ballot` (bit i of a ui32: the truth value of lane i), or a reduction, of which all
    lanes get the result: lanes 16 apart are combined first, then 8, 4, 2 and 1. All lanes of the group reach it.

    Examples: `%1 = graph.warp "shuffle_xor" %0, %mask : (f32, index) -> f32`, `%2 = graph.warp "sum" %0 : (f32) -> f32`
  }];
  let arguments = (ins StrAttr:$what, Tsr_Scalar:$value, Optional<Index>:$lane);
  let results = (outs Tsr_Scalar:$result);
  let assemblyFormat = "$what $value (`,` $lane^)? attr-dict `:` functional-type(operands, results)";
  let hasVerifier = 1;
}

def Graph_QueryOp : Graph_Op<"query", [Pure]> {
  let summary = "where this lane or group stands in the launch";
  let description = [{
    `origin` (offset of the group's tile along output dimension `axis`), `group_id`, `group_size`, `local_id`,
    `lane_id`, `linear_id` (group_id 0 times group_size plus local_id), `group_count`.

    Example: `%m = graph.query "origin" 0`
  }];
  let arguments = (ins StrAttr:$query, I64Attr:$axis);
  let results = (outs Index:$result);
  let assemblyFormat = "$query custom<Integer>($axis) attr-dict";
  let hasVerifier = 1;
}

def Graph_AllocSharedOp : Graph_Op<"alloc_shared", [MemoryEffects<[MemAlloc]>]> {
  let summary = "a buffer in the shared memory of the group";
  let description = "Example: `%0 = graph.alloc_shared : !tsr.shared<[\"128\", \"32\"], bf16, \"xor\">`";
  let results = (outs Tsr_SharedType:$result);
  let assemblyFormat = "attr-dict `:` type($result)";
}

def Graph_AsyncCopyOp : Graph_Op<"async_copy", [MemoryEffects<[MemRead, MemWrite]>,
    AttrSizedOperandSegments]> {
  let summary = "the whole group copies part of a view to part of a shared buffer, asynchronously";
  let description = [{
    Both parts have one shape; what lies outside the view becomes zero. Done when waited for.

    Example: `graph.async_copy %A[%m size "128", %k size "32"] to %s[%z size "128", %z size "32" in_bounds] :
    !tsr.view<["M", "K"], bf16> to !tsr.shared<["128", "32"], bf16, "">`
  }];
  let arguments = (ins Tsr_ViewType:$source,
                       Variadic<Index>:$source_offsets, DenseBoolArrayAttr:$source_points,
                       Tsr_DimsAttr:$source_sizes, DenseI64ArrayAttr:$source_steps,
                       DenseBoolArrayAttr:$source_in_bounds,
                       Tsr_SharedType:$target,
                       Variadic<Index>:$target_offsets, DenseBoolArrayAttr:$target_points,
                       Tsr_DimsAttr:$target_sizes, DenseI64ArrayAttr:$target_steps,
                       DenseBoolArrayAttr:$target_in_bounds);
  let assemblyFormat = [{
    $source `` `[` custom<Access>($source_offsets, $source_points, $source_sizes, $source_steps,
    $source_in_bounds) `to` $target `` `[` custom<Access>($target_offsets, $target_points, $target_sizes,
    $target_steps, $target_in_bounds) attr-dict `:` type($source) `to` type($target)
  }];
  let hasVerifier = 1;
}

def Graph_CommitGroupOp : Graph_Op<"commit_group", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "closes the set of asynchronous copies begun since the last one";
  let description = "Example: `graph.commit_group`";
  let assemblyFormat = "attr-dict";
}

def Graph_WaitGroupOp : Graph_Op<"wait_group", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "waits until at most `pending` sets of copies are unfinished";
  let description = "Example: `graph.wait_group 1`";
  let arguments = (ins I64Attr:$pending);
  let assemblyFormat = "custom<Integer>($pending) attr-dict";
  let hasVerifier = 1;
}

def Graph_BarrierOp : Graph_Op<"barrier", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "all lanes of the group meet; what they wrote to shared memory is seen by all";
  let description = "Example: `graph.barrier`";
  let assemblyFormat = "attr-dict";
}
