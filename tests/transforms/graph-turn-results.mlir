// RUN: tessera-opt %s --pass-pipeline='builtin.module(graph.func(graph-turn-results))' | FileCheck %s

// The derivative of a table by which rows were multiplied lies as the table does.
// CHECK-LABEL: graph.func @table
// CHECK: %[[RIGHT:.*]] = graph.transpose %dy {perm = array<i64: 1, 0>}
// CHECK: %[[D:.*]] = graph.dot %[[RIGHT]], %x : (!tsr.tensor<["V", "R"], bf16>, !tsr.tensor<["R", "64"], bf16>) -> !tsr.tensor<["V", "64"], f32>
// CHECK-NEXT: graph.return %[[D]]
graph.func @table(%x: !tsr.tensor<["R", "64"], bf16>, %dy: !tsr.tensor<["R", "V"], bf16>) -> !tsr.tensor<["V", "64"], f32> attributes {
    dims = ["R", "V"], params = [#tsr.param<"x", in>, #tsr.param<"dy", in>], outputs = [#tsr.result<"result", !tsr.tensor<["V", "64"], f32>>]} {
  %t = graph.transpose %x {perm = array<i64: 1, 0>} : <["R", "64"], bf16> to <["64", "R"], bf16>
  %d = graph.dot %t, %dy : (!tsr.tensor<["64", "R"], bf16>, !tsr.tensor<["R", "V"], bf16>) -> !tsr.tensor<["64", "V"], f32>
  %r = graph.transpose %d {perm = array<i64: 1, 0>} : <["64", "V"], f32> to <["V", "64"], f32>
  graph.return %r : !tsr.tensor<["V", "64"], f32>
}

// One that is read as it is, too, stays.
// CHECK-LABEL: graph.func @both
// CHECK: %[[D:.*]] = graph.dot %x, %y
// CHECK: graph.transpose %[[D]]
graph.func @both(%x: !tsr.tensor<["R", "64"], f32>, %y: !tsr.tensor<["64", "V"], f32>) -> (!tsr.tensor<["R", "V"], f32>, !tsr.tensor<["V", "R"], f32>) attributes {
    dims = ["R", "V"], params = [#tsr.param<"x", in>, #tsr.param<"y", in>], outputs = [#tsr.result<"a", !tsr.tensor<["R", "V"], f32>>, #tsr.result<"b", !tsr.tensor<["V", "R"], f32>>]} {
  %d = graph.dot %x, %y : (!tsr.tensor<["R", "64"], f32>, !tsr.tensor<["64", "V"], f32>) -> !tsr.tensor<["R", "V"], f32>
  %t = graph.transpose %d {perm = array<i64: 1, 0>} : <["R", "V"], f32> to <["V", "R"], f32>
  graph.return %d, %t : !tsr.tensor<["R", "V"], f32>, !tsr.tensor<["V", "R"], f32>
}
