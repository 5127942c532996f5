// Products that the turns of a loop add up are one product behind it (SumsBehindLoops.cpp): the rows of all turns are those of two matrices.
// RUN: tessera-opt %s --set-machine=name=cpu --graph-to-schedule | FileCheck %s

// CHECK-LABEL: schedule.kernel @sums_kernel_5
// CHECK: graph.load %h[{{.*}}] : !tsr.view<["B*T", "D"], f32>
// CHECK-LABEL: schedule.func @sums
// The loop carries c alone, and updates an array in place.
// CHECK: schedule.launch @sums_kernel_4(%{{.*}}, %result_1) {tsr.when = {{\[\[}}"for", "0", "turn", #tsr.dim<"0">, #tsr.dim<"T">, #tsr.dim<"1">, [], {{\[\[}}0, 1]]]]}
// CHECK-NEXT: schedule.launch @sums_kernel_5(%h, %result_1, %result_0)
// CHECK-NEXT: schedule.return
graph.func @sums(%h: !tsr.tensor<["T", "B", "D"], f32>, %x: !tsr.tensor<["T", "B", "D"], f32>) -> (!tsr.tensor<["D", "D"], f32>, !tsr.tensor<["T", "B", "D"], f32>) attributes {dims = ["T", "B", "D"], outputs = [#tsr.result<"result_0", !tsr.tensor<["D", "D"], f32>>, #tsr.result<"result_1", !tsr.tensor<["T", "B", "D"], f32>>], params = [#tsr.param<"h", in>, #tsr.param<"x", in>]} {
  %0 = graph.constant 0 : index
  %1 = graph.constant 0.000000e+00 : f32
  %total = graph.full %1 : f32 to <["D", "D"], f32>
  %2 = graph.constant 0.000000e+00 : f32
  %kept = graph.full %2 : f32 to <["T", "B", "D"], f32>
  %3 = graph.constant 0.000000e+00 : f32
  %c = graph.full %3 : f32 to <["B", "D"], f32>
  %4 = graph.constant 0 : index
  %5 = graph.dim "T"
  %6 = graph.constant 1 : index
  %7:3 = scf.for %arg0 = %4 to %5 step %6 iter_args(%arg1 = %total, %arg2 = %kept, %arg3 = %c) -> (!tsr.tensor<["D", "D"], f32>, !tsr.tensor<["T", "B", "D"], f32>, !tsr.tensor<["B", "D"], f32>) {
    %8 = graph.dim "T - 1"
    %t = graph.elementwise "sub" %8, %arg0 : index
    %x_0 = graph.slice %x[%t in_bounds, %0 size "B" in_bounds, %0 size "D" in_bounds] : <["T", "B", "D"], f32> to !tsr.tensor<["B", "D"], f32>
    %9 = graph.transpose %x_0 {perm = array<i64: 1, 0>} : <["B", "D"], f32> to <["D", "B"], f32>
    %10 = graph.dot %9, %x_0 : (!tsr.tensor<["D", "B"], f32>, !tsr.tensor<["B", "D"], f32>) -> !tsr.tensor<["D", "D"], f32>
    %11 = graph.dot %arg3, %10 : (!tsr.tensor<["B", "D"], f32>, !tsr.tensor<["D", "D"], f32>) -> !tsr.tensor<["B", "D"], f32>
    %c_1 = graph.elementwise "tanh" %11 : !tsr.tensor<["B", "D"], f32>
    %12 = graph.iota 0 : <["T"], i64>
    %13 = graph.cast %t : index to i64
    %14 = graph.full %13 : i64 to <["T"], i64>
    %15 = graph.elementwise "eq" %12, %14 : !tsr.tensor<["T"], i64>
    %16 = graph.broadcast %15 {axes = array<i64: 0>} : <["T"], i1> to <["T", "B", "D"], i1>
    %17 = graph.broadcast %c_1 {axes = array<i64: 1, 2>} : <["B", "D"], f32> to <["T", "B", "D"], f32>
    %kept_2 = graph.elementwise "select" %16, %17, %arg2 {tsr.update} : !tsr.tensor<["T", "B", "D"], f32>
    %18 = graph.slice %h[%t in_bounds, %0 size "B" in_bounds, %0 size "D" in_bounds] : <["T", "B", "D"], f32> to !tsr.tensor<["B", "D"], f32>
    %19 = graph.transpose %18 {perm = array<i64: 1, 0>} : <["B", "D"], f32> to <["D", "B"], f32>
    %20 = graph.dot %19, %c_1 : (!tsr.tensor<["D", "B"], f32>, !tsr.tensor<["B", "D"], f32>) -> !tsr.tensor<["D", "D"], f32>
    %total_3 = graph.elementwise "add" %arg1, %20 : !tsr.tensor<["D", "D"], f32>
    scf.yield %total_3, %kept_2, %c_1 : !tsr.tensor<["D", "D"], f32>, !tsr.tensor<["T", "B", "D"], f32>, !tsr.tensor<["B", "D"], f32>
  }
  graph.return %7#0, %7#1 : !tsr.tensor<["D", "D"], f32>, !tsr.tensor<["T", "B", "D"], f32>
}
