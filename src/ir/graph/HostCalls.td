// Host code: functions of the host runtime, by name.
include "ir/graph/Graph.td"

def Graph_HostCallOp : Graph_Op<"host_call", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "a function of the host runtime";
  let description = [{
    `callee` is a row of `support/HostFunctions.def`, which has the types of its operands and result.

    Example: `%1 = graph.host_call "read_bytes"(%0) : (!tsr.string) -> !tsr.host_tensor`
  }];
  let arguments = (ins StrAttr:$callee,
                       Variadic<AnyTypeOf<[Tsr_Scalar, Tsr_HostTensorType, Tsr_StringType]>>:$inputs);
  let results = (outs Variadic<AnyTypeOf<[Tsr_Scalar, Tsr_HostTensorType, Tsr_StringType]>>:$outputs);
  let assemblyFormat = "$callee `(` $inputs `)` attr-dict `:` functional-type($inputs, $outputs)";
  let hasVerifier = 1;
}
