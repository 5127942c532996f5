// The dialect `graph`: what is computed.
#ifndef TESSERA_IR_GRAPH_TD
#define TESSERA_IR_GRAPH_TD

include "ir/common/Ops.td"

def Graph_Dialect : Dialect {
  let name = "graph";
  let cppNamespace = "::tessera::ir::graph";
  let summary = "what is computed: tensor functions, kernels and host code";
  let dependentDialects = ["::tessera::ir::TsrDialect"];
}

class Graph_Op<string mnemonic, list<Trait> traits = []> : Tsr_Op<Graph_Dialect, mnemonic, traits>;

include "ir/graph/GraphValues.td"
include "ir/graph/GraphKernels.td"
include "ir/graph/GraphHost.td"
include "ir/graph/GraphFunctions.td"

#endif
