// Host code: files, text, and tensors whose shape is known when it runs.

def Graph_LoadNpyOp : Graph_Op<"load_npy", [MemoryEffects<[MemRead, MemAlloc]>]> {
  let summary = "reads a tensor from a .npy file";
  let description = "Example: `%1 = graph.load_npy %0`";
  let arguments = (ins Tsr_StringType:$path);
  let results = (outs Tsr_HostTensorType:$result);
  let assemblyFormat = "$path attr-dict";
}

def Graph_SaveNpyOp : Graph_Op<"save_npy", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "writes a tensor to a .npy file";
  let description = "Example: `graph.save_npy %x, %path`";
  let arguments = (ins Tsr_HostTensorType:$tensor, Tsr_StringType:$path);
  let assemblyFormat = "$tensor `,` $path attr-dict";
}

def Graph_PrintOp : Graph_Op<"print", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "prints one line";
  let description = "Example: `graph.print %0`";
  let arguments = (ins Tsr_StringType:$text);
  let assemblyFormat = "$text attr-dict";
}

def Graph_StringOp : Graph_Op<"string", [Pure]> {
  let summary = "a text";
  let description = "Example: `%0 = graph.string \"x.npy\"`";
  let arguments = (ins StrAttr:$value);
  let results = (outs Tsr_StringType:$result);
  let assemblyFormat = "$value attr-dict";
}

def Graph_FormatOp : Graph_Op<"format", [MemoryEffects<[MemRead]>]> {
  let summary = "values put into a text, each in its format";
  let description = [{
    There is one text more than there are values; `formats[i]` is Python's format of value i, or "".

    Example: `%1 = graph.format %0 : f32 {texts = ["loss ", ""], formats = [".3f"]}`
  }];
  let arguments = (ins Variadic<AnyTypeOf<[Tsr_Scalar, Tsr_HostTensorType, Tsr_StringType]>>:$values,
                       StrArrayAttr:$texts, StrArrayAttr:$formats);
  let results = (outs Tsr_StringType:$result);
  let assemblyFormat = "($values^ `:` type($values))? attr-dict";
  let hasVerifier = 1;
}

def Graph_HostShapeOp : Graph_Op<"host_shape", [Pure]> {
  let summary = "the extent of a host tensor along an axis";
  let description = "Example: `%1 = graph.host_shape %0, 1`";
  let arguments = (ins Tsr_HostTensorType:$tensor, I64Attr:$axis);
  let results = (outs Index:$result);
  let assemblyFormat = "$tensor `,` custom<Integer>($axis) attr-dict";
}

def Graph_HostRankOp : Graph_Op<"host_rank", [Pure]> {
  let summary = "how many axes a host tensor has";
  let description = "Example: `%1 = graph.host_rank %0`";
  let arguments = (ins Tsr_HostTensorType:$tensor);
  let results = (outs Index:$result);
  let assemblyFormat = "$tensor attr-dict";
}

def Graph_HostItemOp : Graph_Op<"host_item", [MemoryEffects<[MemRead]>]> {
  let summary = "row `index` of a host tensor, or the value of one without axes";
  let description = "Example: `%2 = graph.host_item %0[%1] : !tsr.host_tensor`";
  let arguments = (ins Tsr_HostTensorType:$tensor, Optional<Index>:$index);
  let results = (outs AnyTypeOf<[Tsr_HostTensorType, Tsr_Scalar]>:$result);
  let assemblyFormat = "$tensor (`[` $index^ `]`)? attr-dict `:` type($result)";
}

def Graph_AssertOp : Graph_Op<"assert", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "stops the program with a message if the condition is false";
  let description = "Example: `graph.assert %0, %1`";
  let arguments = (ins I1:$condition, Optional<Tsr_StringType>:$message);
  let assemblyFormat = "$condition (`,` $message^)? attr-dict";
}
