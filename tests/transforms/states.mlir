// What a function leaves in a parameter is written where it lies: a part, and a whole of which each element depends on itself.
// RUN: tessera-opt %s --set-machine=name=sm_80 --split-input-file --verify-diagnostics --graph-to-schedule | FileCheck %s

// CHECK: schedule.kernel @put_kernel
// CHECK-SAME: params = [#tsr.param<"x", in>, #tsr.param<"cache", out, result>]
// CHECK-LABEL: schedule.func @put(
// CHECK-SAME: %[[X:.*]]: {{.*}}, %[[CACHE:[a-z]*]]: !tsr.view
// CHECK-NEXT: schedule.launch @put_kernel(%[[X]], %[[CACHE]])
// CHECK-NEXT: schedule.return
graph.func @put(%x: !tsr.tensor<["N"], f32>, %cache: !tsr.tensor<["T", "N"], f32>) -> !tsr.tensor<["T", "N"], f32> attributes {
    dims = ["T", "N"], params = [#tsr.param<"x", in>, #tsr.param<"cache", inout>],
    outputs = [#tsr.result<"cache", !tsr.tensor<["T", "N"], f32>, param = 1>]} {
  %places = graph.iota 0 : !tsr.tensor<["T"], i64>
  %c0 = graph.constant 0 : i64
  %turn = graph.full %c0 : i64 to !tsr.tensor<["T"], i64>
  %row_here = graph.elementwise "eq" %places, %turn : !tsr.tensor<["T"], i64>
  %here = graph.broadcast %row_here {axes = array<i64: 0>} : !tsr.tensor<["T"], i1> to !tsr.tensor<["T", "N"], i1>
  %rows = graph.broadcast %x {axes = array<i64: 1>} : !tsr.tensor<["N"], f32> to !tsr.tensor<["T", "N"], f32>
  %next = graph.elementwise "select" %here, %rows, %cache {tsr.update} : !tsr.tensor<["T", "N"], f32>
  graph.return %next : !tsr.tensor<["T", "N"], f32>
}

// CHECK: schedule.kernel @scaled_kernel
// CHECK-SAME: params = [#tsr.param<"m", inout, result>]
// CHECK-LABEL: schedule.func @scaled(
// CHECK-NEXT: schedule.launch @scaled_kernel(%{{.*}})
// CHECK-NEXT: schedule.return
graph.func @scaled(%m: !tsr.tensor<["N"], f32>) -> !tsr.tensor<["N"], f32> attributes {
    dims = ["N"], params = [#tsr.param<"m", inout>], outputs = [#tsr.result<"m", !tsr.tensor<["N"], f32>, param = 0>]} {
  %next = graph.elementwise "add" %m, %m : !tsr.tensor<["N"], f32>
  graph.return %next : !tsr.tensor<["N"], f32>
}

// -----

graph.func @late(%x: !tsr.tensor<["N"], f32>, %cache: !tsr.tensor<["T", "N"], f32>) -> (!tsr.tensor<["T", "N"], f32>, !tsr.tensor<["T", "N"], f32>) attributes {
    dims = ["T", "N"], params = [#tsr.param<"x", in>, #tsr.param<"cache", inout>],
    outputs = [#tsr.result<"result", !tsr.tensor<["T", "N"], f32>>, #tsr.result<"cache", !tsr.tensor<["T", "N"], f32>, param = 1>]} {
  %places = graph.iota 0 : !tsr.tensor<["T"], i64>
  %c0 = graph.constant 0 : i64
  %turn = graph.full %c0 : i64 to !tsr.tensor<["T"], i64>
  %row_here = graph.elementwise "eq" %places, %turn : !tsr.tensor<["T"], i64>
  %here = graph.broadcast %row_here {axes = array<i64: 0>} : !tsr.tensor<["T"], i1> to !tsr.tensor<["T", "N"], i1>
  %rows = graph.broadcast %x {axes = array<i64: 1>} : !tsr.tensor<["N"], f32> to !tsr.tensor<["T", "N"], f32>
  %next = graph.elementwise "select" %here, %rows, %cache {tsr.update} : !tsr.tensor<["T", "N"], f32>
  // expected-error@+1 {{what `cache` was before an update, which is read after it}}
  %old = graph.elementwise "exp" %cache : !tsr.tensor<["T", "N"], f32>
  graph.return %old, %next : !tsr.tensor<["T", "N"], f32>, !tsr.tensor<["T", "N"], f32>
}
