// Values: scalars and arrays of any rank. Every op is pure; nothing here rounds but `cast` and arithmetic
// itself.
include "mlir/IR/BuiltinAttributeInterfaces.td"

def Graph_ConstantOp : Graph_Op<"constant", [Pure, ConstantLike, AllTypesMatch<["value", "result"]>]> {
  let summary = "a literal";
  let description = "Example: `%0 = graph.constant 1.000000e+00 : f32`";
  let arguments = (ins TypedAttrInterface:$value);
  let results = (outs Tsr_Scalar:$result);
  let assemblyFormat = "$value attr-dict";
  let hasVerifier = 1;
  let hasFolder = 1;
}

def Graph_DimOp : Graph_Op<"dim", [Pure]> {
  let summary = "the value of a dimension";
  let description = "Example: `%0 = graph.dim \"D // H\"`";
  let arguments = (ins Tsr_DimAttr:$dim);
  let results = (outs Index:$result);
  let assemblyFormat = "custom<DimText>($dim) attr-dict";
}

def Graph_ElementwiseOp : Graph_Op<"elementwise", [Pure]> {
  let summary = "an operation of support/Ops.def on scalars, or on arrays of one shape";
  let description = [{
    The type after the colon is the last operand's. Operands have one type (`select`: the first is a truth
    value); the result is of that type or, for comparisons, of truth values. Nothing is broadcast or
    converted.

    Example: `%2 = graph.elementwise "add" %0, %1 : !tsr.tensor<["R", "C"], f32>`
  }];
  let arguments = (ins StrAttr:$mnemonic, Variadic<Tsr_Value>:$operands);
  let results = (outs Tsr_Value:$result);
  let assemblyFormat = "$mnemonic $operands attr-dict `:` "
                       "custom<ElementwiseTypes>(type($operands), type($result), ref($mnemonic))";
  let hasVerifier = 1;
}

def Graph_CastOp : Graph_Op<"cast", [Pure]> {
  let summary = "the same values in another dtype";
  let description = [{
    Floats round by `rounding` (to nearest even if it is not written); "bits" keeps the bits, and the dtypes have as many. Out-of-range values become infinity or
    wrap as the dtype's conversion does, with `saturate` the nearest value that is there.

    Example: `%1 = graph.cast %0 {rounding = "toward_zero"} : f32 to bf16`
  }];
  let arguments = (ins Tsr_Value:$operand, OptionalAttr<StrAttr>:$rounding, UnitAttr:$saturate);
  let results = (outs Tsr_Value:$result);
  let assemblyFormat = "$operand attr-dict `:` type($operand) `to` type($result)";
  let hasVerifier = 1;
  let hasFolder = 1;
  let extraClassDeclaration = "::tessera::ir::Rounding roundingMode();";
}

def Graph_AfterOp : Graph_Op<"after", [Pure, AllTypesMatch<["operand", "result"]>]> {
  let summary = "the operand, known only when others are";
  let description = [{
    What is computed from the result is computed again, in its place, and not taken from where the same was computed from the
    operand: the operand alone is kept until then (`@checkpoint`).

    Example: `%2 = graph.after %x behind %dy : !tsr.tensor<["R", "C"], f32> behind !tsr.tensor<["R"], f32>`
  }];
  let arguments = (ins Tsr_Value:$operand, Variadic<Tsr_Value>:$others);
  let results = (outs Tsr_Value:$result);
  let assemblyFormat = "$operand (`behind` $others^)? attr-dict `:` type($result) (`behind` type($others)^)?";
}

def Graph_BroadcastOp : Graph_Op<"broadcast", [Pure]> {
  let summary = "an array repeated along new axes and along axes of extent 1";
  let description = [{
    `axes[i]` is the result axis that axis i of the operand becomes; they ascend.

    Example: `%1 = graph.broadcast %0 {axes = array<i64: 1>} : !tsr.tensor<["C"], f32> to !tsr.tensor<["R",
    "C"], f32>`
  }];
  let arguments = (ins Tsr_TensorType:$operand, DenseI64ArrayAttr:$axes);
  let results = (outs Tsr_TensorType:$result);
  let assemblyFormat = "$operand attr-dict `:` type($operand) `to` type($result)";
  let hasVerifier = 1;
}

def Graph_ReshapeOp : Graph_Op<"reshape", [Pure]> {
  let summary = "the same elements in row-major order under another shape";
  let description = [{
    Also where two spellings of one shape meet that are equal under the function's facts. Without operand axes
    (`[]`) the scalar's one element: `[]` to `["1"]`.

    Example: `%1 = graph.reshape %0 : !tsr.tensor<["B", "4*D"], f32> to !tsr.tensor<["B", "4", "D"], f32>`
  }];
  let arguments = (ins Tsr_TensorType:$operand);
  let results = (outs Tsr_TensorType:$result);
  let assemblyFormat = "$operand attr-dict `:` type($operand) `to` type($result)";
  let hasVerifier = 1;
}

def Graph_TransposeOp : Graph_Op<"transpose", [Pure]> {
  let summary = "axes in another order: result axis i is operand axis perm[i]";
  let description = [{
    Example: `%1 = graph.transpose %0 {perm = array<i64: 1, 0>} : !tsr.tensor<["M", "N"], f32> to
    !tsr.tensor<["N", "M"], f32>`
  }];
  let arguments = (ins Tsr_TensorType:$operand, DenseI64ArrayAttr:$perm);
  let results = (outs Tsr_TensorType:$result);
  let assemblyFormat = "$operand attr-dict `:` type($operand) `to` type($result)";
  let hasVerifier = 1;
}

def Graph_ReduceOp : Graph_Op<"reduce", [Pure]> {
  let summary = "sum, prod, min, max, any or all over axes, which the result no longer has";
  let description = [{
    Carried in the result's dtype. Over all axes of an array the result is `!tsr.tensor<[], T>` or a scalar T.

    Example: `%1 = graph.reduce "sum" %0 {axes = array<i64: 1>} : !tsr.tensor<["R", "C"], f32> to
    !tsr.tensor<["R"], f32>`
  }];
  let arguments = (ins StrAttr:$mnemonic, Tsr_TensorType:$operand, DenseI64ArrayAttr:$axes);
  let results = (outs Tsr_Value:$result);
  let assemblyFormat = "$mnemonic $operand attr-dict `:` type($operand) `to` type($result)";
  let hasVerifier = 1;
}

def Graph_ScanOp : Graph_Op<"scan", [Pure, AllTypesMatch<["operand", "result"]>]> {
  let summary = "each element combined with those before it along one axis, in their order";
  let description = [{
    `mnemonic`: sum, prod, min or max; in tensor functions sum alone. Carried in the operand's dtype.

    Example: `%1 = graph.scan "sum" 1 %0 : !tsr.tensor<["T.m", "T.n"], f32>`
  }];
  let arguments = (ins StrAttr:$mnemonic, I64Attr:$axis, Tsr_TensorType:$operand);
  let results = (outs Tsr_TensorType:$result);
  let assemblyFormat = "$mnemonic custom<Integer>($axis) $operand attr-dict `:` type($operand)";
  let hasVerifier = 1;
}

def Graph_DotOp : Graph_Op<"dot", [Pure, AttrSizedOperandSegments]> {
  let summary = "[..., M, K] times [..., K, N]; products are added up in the result's dtype";
  let description = [{
    With a term, sums over pairs that are no products: element [m, n] combines (`combine`: "sum", "min" or "max") what the term makes
    of lhs[m, k] and rhs[k, n] for every k, both in the result's dtype; its arguments are the two, then the scalars. In kernels `count` may
    say of how many k, where less than the operands have lies inside of their arrays.

    Example: `%2 = graph.dot %0, %1 : (!tsr.tensor<["M", "K"], bf16>, !tsr.tensor<["K", "N"], bf16>) ->
    !tsr.tensor<["M", "N"], f32>`
  }];
  let arguments = (ins Tsr_TensorType:$lhs, Tsr_TensorType:$rhs, Variadic<Tsr_Scalar>:$scalars, Optional<Index>:$count,
                       OptionalAttr<StrAttr>:$combine);
  let results = (outs Tsr_TensorType:$result);
  let regions = (region AnyRegion:$term);
  let builders = [OpBuilder<(ins "::mlir::Type":$result, "::mlir::Value":$lhs, "::mlir::Value":$rhs), [{
    build($_builder, $_state, result, lhs, rhs, ::mlir::ValueRange(), ::mlir::Value(), ::mlir::StringAttr());
  }]>];
  let assemblyFormat = [{
    $lhs `,` $rhs (`with` $scalars^)? (`count` $count^)? attr-dict `:` functional-type(operands, results) (`term` $term^)?
  }];
  let extraClassDeclaration = [{
    /// Sums over pairs that are no products.
    bool hasTerm() { return !getTerm().empty(); }
    /// Mnemonic of the reduction by which terms are combined.
    ::llvm::StringRef combining() { return getCombine().value_or("sum"); }
    /// Mnemonic of the elementwise operation that combines two of them.
    ::llvm::StringRef combiner() { return combining() == "sum" ? "add" : combining(); }
  }];
  let hasVerifier = 1;
}

def Graph_TermOp : Graph_Op<"term", [Terminator, Pure, HasParent<"DotOp">]> {
  let summary = "what a pair of elements gives, at the end of the term of a `graph.dot`";
  let description = "Example: `graph.term %0 : f32`";
  let arguments = (ins Tsr_Scalar:$value);
  let assemblyFormat = "$value attr-dict `:` type($value)";
}

def Graph_FullOp : Graph_Op<"full", [Pure]> {
  let summary = "a scalar everywhere in a shape";
  let description = "Example: `%1 = graph.full %0 : f32 to !tsr.tensor<[\"T.m\", \"T.n\"], f32>`";
  let arguments = (ins Tsr_Scalar:$operand);
  let results = (outs Tsr_TensorType:$result);
  let assemblyFormat = "$operand attr-dict `:` type($operand) `to` type($result)";
  let hasVerifier = 1;
}

def Graph_ExtractOp : Graph_Op<"extract", [Pure]> {
  let summary = "the one element of an array without axes";
  let description = "Example: `%1 = graph.extract %0 : !tsr.tensor<[], f32> to f32`";
  let arguments = (ins Tsr_TensorType:$operand);
  let results = (outs Tsr_Scalar:$result);
  let assemblyFormat = "$operand attr-dict `:` type($operand) `to` type($result)";
  let hasVerifier = 1;
}

def Graph_IotaOp : Graph_Op<"iota", [Pure]> {
  let summary = "the index along one axis";
  let description = "Example: `%0 = graph.iota 0 : !tsr.tensor<[\"T.m\"], i32>`";
  let arguments = (ins I64Attr:$axis);
  let results = (outs Tsr_TensorType:$result);
  let assemblyFormat = "custom<Integer>($axis) attr-dict `:` type($result)";
  let hasVerifier = 1;
}

def Graph_TableOp : Graph_Op<"table", [Pure]> {
  let summary = "numbers that the program writes out";
  let description = [{
    In row-major order: as many as the shape, whose extents are numbers, has elements. f32, f64, integers and truth values.

    Example: `%0 = graph.table [1.000000e+00 : f32, -2.000000e+00 : f32] : !tsr.tensor<["2"], f32>`
  }];
  let arguments = (ins ArrayAttr:$values);
  let results = (outs Tsr_TensorType:$result);
  let assemblyFormat = "$values attr-dict `:` type($result)";
  let hasVerifier = 1;
}

def Graph_ConcatOp : Graph_Op<"concat", [Pure]> {
  let summary = "arrays one after the other along one axis";
  let description = [{
    Example: `%2 = graph.concat 0 %0, %1 : (!tsr.tensor<["N"], f32>, !tsr.tensor<["M"], f32>) ->
    !tsr.tensor<["M + N"], f32>`
  }];
  let arguments = (ins I64Attr:$axis, Variadic<Tsr_TensorType>:$operands);
  let results = (outs Tsr_TensorType:$result);
  let assemblyFormat = "custom<Integer>($axis) $operands attr-dict `:` functional-type(operands, results)";
  let hasVerifier = 1;
}

def Graph_WindowOp : Graph_Op<"window", [Pure]> {
  let summary = "an axis as windows that slide over it";
  let description = [{
    In the place of the axis stand the places in a window and the windows: element (k, i) of them is the
    operand's at i * step + k * dilation, which the function's facts keep inside.

    Example: `%1 = graph.window 1 %0 step 2 dilation 1 : !tsr.tensor<["B", "2*L + 1"], f32> to
    !tsr.tensor<["B", "3", "L"], f32>`
  }];
  let arguments = (ins I64Attr:$axis, Tsr_TensorType:$operand, I64Attr:$step, I64Attr:$dilation);
  let results = (outs Tsr_TensorType:$result);
  let assemblyFormat = [{custom<Integer>($axis) $operand `step` custom<Integer>($step) `dilation`
    custom<Integer>($dilation) attr-dict `:` type($operand) `to` type($result)}];
  let hasVerifier = 1;
}

def Graph_WindowsOp : Graph_Op<"windows", [Pure]> {
  let summary = "a tensor as all windows that slide over it, as a product reads them";
  let description = [{
    Of [images, axes, channels]: element (m, p, c) is channel c at place p of window m, both counted over the axes, the windows over
    images first. What lies outside of an axis is 0. Nothing stores it: products take it from the tensor.

    Example: `%1 = graph.windows %x {windows = #tsr.windows<["N", "H", "W"], ["H", "W"], [3, 3], [1, 1], [1, 1], [1, 1]>} :
    !tsr.tensor<["N", "H", "W", "C"], bf16> to !tsr.tensor<["H*N*W", "9", "C"], bf16>`
  }];
  let arguments = (ins Tsr_TensorType:$operand, Tsr_WindowsAttr:$windows);
  let results = (outs Tsr_TensorType:$result);
  let assemblyFormat = "$operand attr-dict `:` type($operand) `to` type($result)";
  let hasVerifier = 1;
}

def Graph_SlideOp : Graph_Op<"slide", [Pure, AttrSizedOperandSegments]> {
  let summary = "what each window gives of each channel alone: the sum of what it sees, times weights, or the greatest";
  let description = [{
    Of [images, axes, channels]: [images, windows along each axis, channels]. `mnemonic`: "sum", in the result's dtype, f32 or f64, where what lies
    outside of the tensor is 0; or "max", where it is left out. The weights of a sum are [places in a window, channels]; `reversed`: the last one is
    that of the first place. With `apart` the tensor's elements lie so far apart along each axis, and windows see zeros between them.

    With numbers of the windows, `here`, a sum takes only what is equal: of the marks, which are as long as the tensor, the element at the place must
    be the window's number. Without marks it counts the tensor's elements that are.

    Example: `%1 = graph.slide "sum" %x by %w {windows = #tsr.windows<["N", "H", "W"], ["H", "W"], [3, 3], [1, 1], [1, 1], [1, 1]>} :
    (!tsr.tensor<["N", "H", "W", "C"], bf16>, !tsr.tensor<["9", "C"], bf16>) -> !tsr.tensor<["N", "H", "W", "C"], f32>`
  }];
  let arguments = (ins StrAttr:$mnemonic, Tsr_TensorType:$operand, Optional<Tsr_TensorType>:$weights, Optional<Tsr_TensorType>:$marks,
                       Optional<Tsr_TensorType>:$here, Tsr_WindowsAttr:$windows, OptionalAttr<DenseI64ArrayAttr>:$apart, UnitAttr:$reversed);
  let results = (outs Tsr_TensorType:$result);
  let assemblyFormat = [{
    $mnemonic $operand (`by` $weights^)? (`where` $marks^)? (`is` $here^)? attr-dict `:` functional-type(operands, results)
  }];
  let hasVerifier = 1;
}

def Graph_SlideTogetherOp : Graph_Op<"slide_together", [Pure]> {
  let summary = "for each place in a window and each channel: the sum over windows of what they see there times a number of the window";
  let description = [{
    Of [images, axes, channels] and [images, windows along each axis, channels]: [parts, places in a window, channels], in the result's dtype, f32 or
    f64. The windows are added up in so many parts, those of neighbouring windows together; what lies outside of the tensor is 0.

    Example: `%1 = graph.slide_together %x with %dy {windows = #tsr.windows<["N", "H", "W"], ["H", "W"], [3, 3], [1, 1], [1, 1], [1, 1]>} :
    (!tsr.tensor<["N", "H", "W", "C"], bf16>, !tsr.tensor<["N", "H", "W", "C"], bf16>) -> !tsr.tensor<["N", "9", "C"], f32>`
  }];
  let arguments = (ins Tsr_TensorType:$operand, Tsr_TensorType:$numbers, Tsr_WindowsAttr:$windows);
  let results = (outs Tsr_TensorType:$result);
  let assemblyFormat = "$operand `with` $numbers attr-dict `:` functional-type(operands, results)";
  let hasVerifier = 1;
}

def Graph_GatherOp : Graph_Op<"gather", [Pure]> {
  let summary = "elements at places of one axis that only run time knows";
  let description = [{
    result[i...] is operand[i...] with the index of `axis` replaced by an element of the places, which run
    along the result's axes `axes`. A place outside of the axis gives 0.

    Example: `%2 = graph.gather 0 %0 at %1 {axes = array<i64: 0>} : (!tsr.tensor<["V", "D"], f32>,
    !tsr.tensor<["N"], i64>) -> !tsr.tensor<["N", "D"], f32>`
  }];
  let arguments = (ins I64Attr:$axis, Tsr_TensorType:$operand, Tsr_TensorType:$places,
      DenseI64ArrayAttr:$axes);
  let results = (outs Tsr_TensorType:$result);
  let assemblyFormat =
    "custom<Integer>($axis) $operand `at` $places attr-dict `:` functional-type(operands, results)";
  let hasVerifier = 1;
}

def Graph_ScatterAddOp : Graph_Op<"scatter_add", [Pure]> {
  let summary = "sums of what has the same place of an axis";
  let description = [{
    The transpose of gather: result[i...] is the sum of all updates[j...] whose index of `axis` is replaced by an element of
    the places, which run along the updates' axes `axes`. They are added up in the order of the places, in the
    result's dtype. What has a place outside of the axis is dropped.

    `sorted`: the places run along `axis` alone, do not fall, and none is below 0. Runs of equal places are added up piece by piece.

    Example: `%2 = graph.scatter_add 0 %0 at %1 {axes = array<i64: 0>} : (!tsr.tensor<["N", "D"], f32>,
    !tsr.tensor<["N"], i64>) -> !tsr.tensor<["V", "D"], f32>`
  }];
  let arguments = (ins I64Attr:$axis, Tsr_TensorType:$updates, Tsr_TensorType:$places,
      DenseI64ArrayAttr:$axes, UnitAttr:$sorted);
  let results = (outs Tsr_TensorType:$result);
  let assemblyFormat =
    "custom<Integer>($axis) $updates `at` $places attr-dict `:` functional-type(operands, results)";
  let hasVerifier = 1;
}

def Graph_ArgsortOp : Graph_Op<"argsort", [Pure]> {
  let summary = "where the elements of each row, along the last axis, lie once it is sorted";
  let description = [{
    An element stands before another if it is less, with `descending` if it is greater; a NaN behind all numbers, what is
    equal in the order in which it came.

    Example: `%1 = graph.argsort %0 {descending} : !tsr.tensor<["M", "N"], f32> to !tsr.tensor<["M", "N"], i64>`
  }];
  let arguments = (ins Tsr_TensorType:$operand, UnitAttr:$descending);
  let results = (outs Tsr_TensorType:$result);
  let assemblyFormat = "$operand attr-dict `:` type($operand) `to` type($result)";
  let hasVerifier = 1;
}

def Graph_ExchangeOp : Graph_Op<"exchange", [Pure]> {
  let summary = "what all devices along an axis of the mesh do together with an array";
  let description = [{
    `kind`: "all_reduce", the sum over the devices, on each of them; "all_gather", their arrays behind one another along the first axis;
    "reduce_scatter", the sum over the devices, of which each keeps its part along the first axis. Sums are carried in the operand's dtype, those of 16 bits in f32,
    and rounded once.

    Example: `%1 = graph.exchange "all_gather" "tp" %0 : !tsr.tensor<["M", "N"], f32> to !tsr.tensor<["M*mesh.size.tp", "N"], f32>`
  }];
  let arguments = (ins StrAttr:$kind, StrAttr:$over, Tsr_TensorType:$operand);
  let results = (outs Tsr_TensorType:$result);
  let assemblyFormat = "$kind $over $operand attr-dict `:` type($operand) `to` type($result)";
  let hasVerifier = 1;
}

def Graph_SliceOp : Graph_Op<"slice", [Pure]> {
  let summary = "a part of an array value, proved to lie inside it";
  let description = [{
    Example: `%2 = graph.slice %0[%1 size "8" in_bounds] : !tsr.tensor<["N"], f32> to !tsr.tensor<["8"], f32>`
  }];
  let arguments = !con((ins Tsr_TensorType:$base), Tsr_AccessArguments);
  let results = (outs Tsr_Value:$result);
  let assemblyFormat = !strconcat("$base `` ", Tsr_AccessFormat,
                                   " attr-dict `:` type($base) `to` type($result)");
  let hasVerifier = 1;
}
