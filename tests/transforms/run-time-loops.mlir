// A loop that nothing writes out stays for the entry function: what it carries lies in two buffers that are swapped. On GPUs, one kernel runs some (graph-to-schedule-recurrences.mlir).
// RUN: tessera-opt %s --set-machine=name=cpu --graph-to-schedule | FileCheck %s

// CHECK: schedule.func @repeated
// CHECK: %[[NOW:.*]] = schedule.temp {tsr.buffer = 0 : i64}
// CHECK: schedule.launch @repeated_kernel(%{{.*}}, %[[NOW]]) : {{.*}}
// CHECK: %[[NEXT:.*]] = schedule.temp {tsr.buffer = 1 : i64}
// CHECK: schedule.launch @{{.*}}(%[[NOW]], %[[NEXT]]) {tsr.when = {{\[\[}}"for", "0", "turn", #tsr.dim<"0">, #tsr.dim<"n">, #tsr.dim<"1">, [], {{\[\[}}0, 1]]]]}
// CHECK: schedule.launch @{{.*}}(%[[NOW]], %{{.*}}) : {{.*}}
graph.func @repeated(%x: !tsr.tensor<["N"], f32>, %n: index) -> !tsr.tensor<["N"], f32> attributes {
    dims = ["N"], params = [#tsr.param<"x", in>, #tsr.param<"n", in>], outputs = [#tsr.result<"result", !tsr.tensor<["N"], f32>>]} {
  %c0 = graph.constant 0 : index
  %c1 = graph.constant 1 : index
  %y = scf.for %i = %c0 to %n step %c1 iter_args(%a = %x) -> !tsr.tensor<["N"], f32> {
    %e = graph.elementwise "exp" %a : !tsr.tensor<["N"], f32>
    scf.yield %e : !tsr.tensor<["N"], f32>
  }
  graph.return %y : !tsr.tensor<["N"], f32>
}

// As many turns as the device computes: the entry function reads their number before the first, from a buffer of its own.
// CHECK: schedule.func @read_once
// CHECK: schedule.temp {tsr.buffer = 2 : i64} : <[], i64>
// CHECK: schedule.launch @read_once_turn_turns_kernel(%{{.*}}, %{{.*}}) : {{.*}}
// CHECK: schedule.launch @{{.*}} {tsr.when = {{\[\[}}"read", "0", 2, "turn_turns"], ["for", "0", "turn_turn", #tsr.dim<"0">, #tsr.dim<"turn_turns">, #tsr.dim<"1">, [], {{\[\[}}0, 1]]]]}
graph.func @read_once(%x: !tsr.tensor<["N"], f32>, %n: !tsr.tensor<["N"], i64>) -> !tsr.tensor<["N"], f32> attributes {
    dims = ["N"], params = [#tsr.param<"x", in>, #tsr.param<"n", in>], outputs = [#tsr.result<"result", !tsr.tensor<["N"], f32>>]} {
  %c0 = graph.constant 0 : index
  %c1 = graph.constant 1 : index
  %sum = graph.reduce "sum" %n {axes = array<i64: 0>} : !tsr.tensor<["N"], i64> to i64
  %stop = graph.cast %sum : i64 to index
  %y = scf.for %i = %c0 to %stop step %c1 iter_args(%a = %x) -> !tsr.tensor<["N"], f32> {
    %e = graph.elementwise "exp" %a : !tsr.tensor<["N"], f32>
    scf.yield %e : !tsr.tensor<["N"], f32>
  }
  graph.return %y : !tsr.tensor<["N"], f32>
}
