// RUN: tessera-opt %s -split-input-file -verify-diagnostics --verify-schedule

// expected-error @+1 {{'graph.func' is left over}}
graph.func @f(%x: !tsr.tensor<["N"], f32>) -> !tsr.tensor<["N"], f32> attributes {
    dims = ["N"], params = [#tsr.param<"x", in>], outputs = [#tsr.result<"result", !tsr.tensor<["N"], f32>>]} {
  // expected-error @+1 {{'graph.elementwise' is left over}}
  %0 = graph.elementwise "add" %x, %x : !tsr.tensor<["N"], f32>
  // expected-error @+1 {{'graph.return' is left over}}
  graph.return %0 : !tsr.tensor<["N"], f32>
}
