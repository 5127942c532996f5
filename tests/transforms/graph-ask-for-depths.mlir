// RUN: tessera-opt %s --set-machine=name=sm_90a --graph-ask-for-depths | FileCheck %s
// RUN: tessera-opt %s --set-machine=name=sm_90a --graph-ask-for-depths --graph-to-schedule --verify-schedule | FileCheck %s --check-prefix=PLANNED
// RUN: tessera-opt %s --set-machine=name=cpu --graph-ask-for-depths | FileCheck %s --check-prefix=CPU

// Nothing says how long heads are: for short ones scores are gone over again, for others they are stored. One entry function asks.
// CHECK-LABEL: graph.func @heads
// CHECK-SAME: requirements = [#tsr.requirement<"E" le "128", "">]
// CHECK-SAME: tsr.otherwise = @heads_deep, tsr.when = [#tsr.requirement<"E" le "128", "">]
// CHECK-LABEL: graph.func @heads_deep
// CHECK-NOT: requirements
// CHECK-SAME: tsr.when = {{\[\[}}"not", #tsr.requirement<"E" le "128", "">]]
// PLANNED-LABEL: schedule.kernel @heads_kernel(
// PLANNED-SAME: nothing of their size is stored
// PLANNED-LABEL: schedule.func @heads(
// PLANNED-NOT: schedule.temp{{.*}}"T"{{.*}}tsr.when = [#tsr.requirement
// PLANNED: schedule.temp {tsr.when = {{\[\[}}"not", #tsr.requirement<"E" le "128", "">]]} : <["B", "S", "T"], f32>
// PLANNED: schedule.return
// PLANNED-NOT: schedule.func @heads_deep
// CPU-LABEL: graph.func @heads
// CPU-NOT: graph.func @heads_deep
graph.func @heads(%q: !tsr.tensor<["B", "S", "E"], bf16>, %k: !tsr.tensor<["B", "T", "E"], bf16>) -> !tsr.tensor<["B", "S", "E"], f32> attributes {
    dims = ["B", "S", "T", "E"], params = [#tsr.param<"q", in>, #tsr.param<"k", in>], outputs = [#tsr.result<"result", !tsr.tensor<["B", "S", "E"], f32>>]} {
  %kt = graph.transpose %k {perm = array<i64: 0, 2, 1>} : <["B", "T", "E"], bf16> to <["B", "E", "T"], bf16>
  %s = graph.dot %q, %kt : (!tsr.tensor<["B", "S", "E"], bf16>, !tsr.tensor<["B", "E", "T"], bf16>) -> !tsr.tensor<["B", "S", "T"], f32>
  %n = graph.reduce "sum" %s {axes = array<i64: 2>} : <["B", "S", "T"], f32> to !tsr.tensor<["B", "S"], f32>
  %ns = graph.broadcast %n {axes = array<i64: 0, 1>} : <["B", "S"], f32> to <["B", "S", "T"], f32>
  %d = graph.elementwise "sub" %s, %ns : !tsr.tensor<["B", "S", "T"], f32>
  %w = graph.cast %d : !tsr.tensor<["B", "S", "T"], f32> to !tsr.tensor<["B", "S", "T"], bf16>
  %r = graph.dot %w, %k : (!tsr.tensor<["B", "S", "T"], bf16>, !tsr.tensor<["B", "T", "E"], bf16>) -> !tsr.tensor<["B", "S", "E"], f32>
  graph.return %r : !tsr.tensor<["B", "S", "E"], f32>
}

// A bound says it already.
// CHECK-LABEL: graph.func @bounded
// CHECK-NOT: @bounded_deep
graph.func @bounded(%q: !tsr.tensor<["B", "S", "E"], bf16>, %k: !tsr.tensor<["B", "T", "E"], bf16>) -> !tsr.tensor<["B", "S", "E"], f32> attributes {
    dims = ["B", "S", "T", "E"], params = [#tsr.param<"q", in>, #tsr.param<"k", in>], outputs = [#tsr.result<"result", !tsr.tensor<["B", "S", "E"], f32>>],
    requirements = [#tsr.requirement<"E" le "64", "E <= 64">]} {
  %kt = graph.transpose %k {perm = array<i64: 0, 2, 1>} : <["B", "T", "E"], bf16> to <["B", "E", "T"], bf16>
  %s = graph.dot %q, %kt : (!tsr.tensor<["B", "S", "E"], bf16>, !tsr.tensor<["B", "E", "T"], bf16>) -> !tsr.tensor<["B", "S", "T"], f32>
  %n = graph.reduce "sum" %s {axes = array<i64: 2>} : <["B", "S", "T"], f32> to !tsr.tensor<["B", "S"], f32>
  %ns = graph.broadcast %n {axes = array<i64: 0, 1>} : <["B", "S"], f32> to <["B", "S", "T"], f32>
  %d = graph.elementwise "sub" %s, %ns : !tsr.tensor<["B", "S", "T"], f32>
  %w = graph.cast %d : !tsr.tensor<["B", "S", "T"], f32> to !tsr.tensor<["B", "S", "T"], bf16>
  %r = graph.dot %w, %k : (!tsr.tensor<["B", "S", "T"], bf16>, !tsr.tensor<["B", "T", "E"], bf16>) -> !tsr.tensor<["B", "S", "E"], f32>
  graph.return %r : !tsr.tensor<["B", "S", "E"], f32>
}

// One product of long rows, as of a classifier, is no product of heads: its scores are stored.
// CHECK-LABEL: graph.func @classes
// CHECK-NOT: @classes_deep
graph.func @classes(%x: !tsr.tensor<["N", "E"], bf16>, %w: !tsr.tensor<["V", "E"], bf16>) -> !tsr.tensor<["N", "E"], f32> attributes {
    dims = ["N", "V", "E"], params = [#tsr.param<"x", in>, #tsr.param<"w", in>], outputs = [#tsr.result<"result", !tsr.tensor<["N", "E"], f32>>]} {
  %wt = graph.transpose %w {perm = array<i64: 1, 0>} : <["V", "E"], bf16> to <["E", "V"], bf16>
  %s = graph.dot %x, %wt : (!tsr.tensor<["N", "E"], bf16>, !tsr.tensor<["E", "V"], bf16>) -> !tsr.tensor<["N", "V"], f32>
  %n = graph.reduce "sum" %s {axes = array<i64: 1>} : <["N", "V"], f32> to !tsr.tensor<["N"], f32>
  %ns = graph.broadcast %n {axes = array<i64: 0>} : <["N"], f32> to <["N", "V"], f32>
  %d = graph.elementwise "sub" %s, %ns : !tsr.tensor<["N", "V"], f32>
  %c = graph.cast %d : !tsr.tensor<["N", "V"], f32> to !tsr.tensor<["N", "V"], bf16>
  %r = graph.dot %c, %w : (!tsr.tensor<["N", "V"], bf16>, !tsr.tensor<["V", "E"], bf16>) -> !tsr.tensor<["N", "E"], f32>
  graph.return %r : !tsr.tensor<["N", "E"], f32>
}
