// An array that the turns of a loop only update lies in one place: the result's own memory, where it is returned.
// RUN: tessera-opt %s --set-machine=name=cpu --graph-to-schedule | FileCheck %s

// CHECK-LABEL: schedule.kernel @filled_kernel_1
// CHECK-SAME: grid = #tsr.grid<lanes, ["N"]>
// CHECK-SAME: params = [#tsr.param<"x", in>, #tsr.param<"result", out, result>]
// CHECK: graph.store %{{.*}}, %result[%turn in_bounds, %i in_bounds]
// CHECK-LABEL: schedule.func @filled(
// CHECK-NOT: schedule.temp
// CHECK: schedule.launch @filled_kernel(%[[OUT:.*]]) :
// CHECK: schedule.launch @{{.*}}(%{{.*}}, %[[OUT]]) {tsr.when = {{\[\[}}"for", "0", "turn", #tsr.dim<"0">, #tsr.dim<"T">, #tsr.dim<"1">, [], []]]}
// CHECK-NOT: schedule.launch
graph.func @filled(%x: !tsr.tensor<["T", "N"], f32>) -> !tsr.tensor<["T", "N"], f32> attributes {
    dims = ["T", "N"], params = [#tsr.param<"x", in>], outputs = [#tsr.result<"result", !tsr.tensor<["T", "N"], f32>>]} {
  %c0 = graph.constant 0 : index
  %c1 = graph.constant 1 : index
  %T = graph.dim "T"
  %zero = graph.constant 0.0 : f32
  %zeros = graph.full %zero : f32 to !tsr.tensor<["T", "N"], f32>
  %y = scf.for %t = %c0 to %T step %c1 iter_args(%out = %zeros) -> !tsr.tensor<["T", "N"], f32> {
    %row = graph.slice %x[%t in_bounds, %c0 size "N" in_bounds] : !tsr.tensor<["T", "N"], f32> to !tsr.tensor<["N"], f32>
    %e = graph.elementwise "exp" %row : !tsr.tensor<["N"], f32>
    %places = graph.iota 0 : !tsr.tensor<["T"], i64>
    %number = graph.cast %t : index to i64
    %turn = graph.full %number : i64 to !tsr.tensor<["T"], i64>
    %row_here = graph.elementwise "eq" %places, %turn : !tsr.tensor<["T"], i64>
    %here = graph.broadcast %row_here {axes = array<i64: 0>} : !tsr.tensor<["T"], i1> to !tsr.tensor<["T", "N"], i1>
    %rows = graph.broadcast %e {axes = array<i64: 1>} : !tsr.tensor<["N"], f32> to !tsr.tensor<["T", "N"], f32>
    %next = graph.elementwise "select" %here, %rows, %out {tsr.update} : !tsr.tensor<["T", "N"], f32>
    scf.yield %next : !tsr.tensor<["T", "N"], f32>
  }
  graph.return %y : !tsr.tensor<["T", "N"], f32>
}

// The old array is read after the update: a new one is made, and the two are swapped.
// CHECK-LABEL: schedule.func @old_is_read
// CHECK: {tsr.when = {{\[\[}}"for", {{.*}}, [], {{\[\[}}0, 1], [2, 3]]]]}
graph.func @old_is_read(%x: !tsr.tensor<["N"], f32>) -> (!tsr.tensor<["N"], f32>, !tsr.tensor<["N"], f32>) attributes {
    dims = ["N"], params = [#tsr.param<"x", in>],
    outputs = [#tsr.result<"a", !tsr.tensor<["N"], f32>>, #tsr.result<"b", !tsr.tensor<["N"], f32>>]} {
  %c0 = graph.constant 0 : index
  %c1 = graph.constant 1 : index
  %N = graph.dim "N"
  %zero = graph.constant 0.0 : f32
  %y:2 = scf.for %t = %c0 to %N step %c1 iter_args(%a = %x, %b = %x) -> (!tsr.tensor<["N"], f32>, !tsr.tensor<["N"], f32>) {
    %places = graph.iota 0 : !tsr.tensor<["N"], i64>
    %number = graph.cast %t : index to i64
    %turn = graph.full %number : i64 to !tsr.tensor<["N"], i64>
    %here = graph.elementwise "eq" %places, %turn : !tsr.tensor<["N"], i64>
    %all = graph.full %zero : f32 to !tsr.tensor<["N"], f32>
    %next = graph.elementwise "select" %here, %all, %a {tsr.update} : !tsr.tensor<["N"], f32>
    %sum = graph.elementwise "add" %a, %b : !tsr.tensor<["N"], f32>
    scf.yield %next, %sum : !tsr.tensor<["N"], f32>, !tsr.tensor<["N"], f32>
  }
  graph.return %y#0, %y#1 : !tsr.tensor<["N"], f32>, !tsr.tensor<["N"], f32>
}

// A place that data says: its kernel reads the place, and writes one row of the state in its memory.
// CHECK-LABEL: schedule.kernel @at_a_place
// CHECK-SAME: grid = #tsr.grid<lanes, ["N"]>
// CHECK: graph.load %at[
// CHECK: graph.store %{{.*}}, %state[
// CHECK-LABEL: schedule.func @at_a_place(
// CHECK-NOT: schedule.temp
// CHECK: schedule.launch @at_a_place
// CHECK-NOT: schedule.launch
graph.func @at_a_place(%x: !tsr.tensor<["N"], f32>, %at: !tsr.tensor<["B"], i64>, %state: !tsr.tensor<["T", "N"], f32>) -> !tsr.tensor<["T", "N"], f32> attributes {
    dims = ["N", "B", "T"], params = [#tsr.param<"x", in>, #tsr.param<"at", in>, #tsr.param<"state", inout>],
    outputs = [#tsr.result<"state", !tsr.tensor<["T", "N"], f32>, param = 2>]} {
  %c0 = graph.constant 0 : index
  %place = graph.slice %at[%c0 in_bounds] : !tsr.tensor<["B"], i64> to i64
  %places = graph.iota 0 : !tsr.tensor<["T"], i64>
  %everywhere = graph.full %place : i64 to !tsr.tensor<["T"], i64>
  %row_here = graph.elementwise "eq" %places, %everywhere : !tsr.tensor<["T"], i64>
  %here = graph.broadcast %row_here {axes = array<i64: 0>} : !tsr.tensor<["T"], i1> to !tsr.tensor<["T", "N"], i1>
  %rows = graph.broadcast %x {axes = array<i64: 1>} : !tsr.tensor<["N"], f32> to !tsr.tensor<["T", "N"], f32>
  %next = graph.elementwise "select" %here, %rows, %state {tsr.update} : !tsr.tensor<["T", "N"], f32>
  graph.return %next : !tsr.tensor<["T", "N"], f32>
}
