// Loops that one kernel runs: what a turn leaves to the next one stays in registers (RecurrencePlan.cpp, RecurrenceKernel.cpp, RecurrenceSums.cpp).
// RUN: tessera-opt %s --set-machine=name=sm_80 --graph-to-schedule | FileCheck %s
// RUN: tessera-opt %s --set-machine=name=cpu --graph-to-schedule | FileCheck %s --check-prefix=CPU

// A lane has an element, and loads and stores what turns read and write of it.
// CHECK-LABEL: schedule.kernel @smoothed_kernel
// CHECK-SAME: grid = #tsr.grid<lanes, ["B"]>, group = 64
// CHECK-SAME: reasons = ["recurrence: a lane runs all turns of the loop for an element; what they leave to each other stays in registers"]
// CHECK: scf.for %[[T:.*]] = {{.*}} iter_args(%[[M:.*]] = {{.*}}) -> (f32) {
// CHECK: graph.load %x[%[[T]] in_bounds, %i in_bounds]
// CHECK: graph.store %[[NEXT:.*]], %result[%[[T]] in_bounds, %i in_bounds]
// CHECK: scf.yield %[[NEXT]] : f32
// CHECK-LABEL: schedule.func @smoothed
// CHECK-NOT: tsr.buffer
// On a CPU a turn goes along rows.
// CPU-LABEL: schedule.func @smoothed
// CPU: tsr.buffer
graph.func @smoothed(%x: !tsr.tensor<["T", "B"], f32>) -> !tsr.tensor<["T", "B"], f32> attributes {dims = ["T", "B"], outputs = [#tsr.result<"result", !tsr.tensor<["T", "B"], f32>>], params = [#tsr.param<"x", in>]} {
  %0 = graph.constant 0 : index
  %1 = graph.constant 0.000000e+00 : f32
  %y = graph.full %1 : f32 to <["T", "B"], f32>
  %2 = graph.constant 0.000000e+00 : f32
  %m = graph.full %2 : f32 to <["B"], f32>
  %3 = graph.constant 0 : index
  %4 = graph.dim "T"
  %5 = graph.constant 1 : index
  %6:2 = scf.for %arg0 = %3 to %4 step %5 iter_args(%arg1 = %y, %arg2 = %m) -> (!tsr.tensor<["T", "B"], f32>, !tsr.tensor<["B"], f32>) {
    %7 = graph.constant 0.899999976 : f32
    %8 = graph.full %7 : f32 to <["B"], f32>
    %9 = graph.elementwise "mul" %8, %arg2 : !tsr.tensor<["B"], f32>
    %10 = graph.slice %x[%arg0 in_bounds, %0 size "B" in_bounds] : <["T", "B"], f32> to !tsr.tensor<["B"], f32>
    %m_0 = graph.elementwise "add" %9, %10 : !tsr.tensor<["B"], f32>
    %11 = graph.iota 0 : <["T"], i64>
    %12 = graph.cast %arg0 : index to i64
    %13 = graph.full %12 : i64 to <["T"], i64>
    %14 = graph.elementwise "eq" %11, %13 : !tsr.tensor<["T"], i64>
    %15 = graph.broadcast %14 {axes = array<i64: 0>} : <["T"], i1> to <["T", "B"], i1>
    %16 = graph.broadcast %m_0 {axes = array<i64: 1>} : <["B"], f32> to <["T", "B"], f32>
    %y_1 = graph.elementwise "select" %15, %16, %arg1 {tsr.update} : !tsr.tensor<["T", "B"], f32>
    scf.yield %y_1, %m_0 : !tsr.tensor<["T", "B"], f32>, !tsr.tensor<["B"], f32>
  }
  graph.return %6#0 : !tsr.tensor<["T", "B"], f32>
}

// Rows that are added up in each turn are held by a group, eight of them, as long as they are short; longer ones go through memory.
// CHECK-LABEL: schedule.kernel @states_kernel
// CHECK-SAME: capacity = {N = array<i64: 16, 64>}
// CHECK-SAME: group = 128
// CHECK-SAME: requirements = [#tsr.requirement<"N" le "64", "">]
// CHECK: scf.for {{.*}} iter_args({{.*}}) -> (!tsr.tensor<["8", "N"], f32>) {
// CHECK: graph.reduce "sum" %{{.*}} {axes = array<i64: 1>} : <["8", "N"], f32> to !tsr.tensor<["8"], f32>
// CHECK-LABEL: schedule.func @states
// CHECK: schedule.launch @states_kernel({{.*}}) {tsr.when = [#tsr.requirement<"N" le "64", "">]}
// CHECK: schedule.launch @{{.*}} {tsr.when = {{\[\[}}"not", #tsr.requirement<"N" le "64", "">], ["for",
graph.func @states(%x: !tsr.tensor<["T", "D"], f32>, %start: !tsr.tensor<["D", "N"], f32>) -> !tsr.tensor<["T", "D"], f32> attributes {dims = ["T", "D", "N"], outputs = [#tsr.result<"result", !tsr.tensor<["T", "D"], f32>>], params = [#tsr.param<"x", in>, #tsr.param<"start", in>]} {
  %0 = graph.constant 0 : index
  %1 = graph.constant 0.000000e+00 : f32
  %y = graph.full %1 : f32 to <["T", "D"], f32>
  %2 = graph.constant 0 : index
  %3 = graph.dim "T"
  %4 = graph.constant 1 : index
  %5:2 = scf.for %arg0 = %2 to %3 step %4 iter_args(%arg1 = %y, %arg2 = %start) -> (!tsr.tensor<["T", "D"], f32>, !tsr.tensor<["D", "N"], f32>) {
    %6 = graph.elementwise "exp" %arg2 : !tsr.tensor<["D", "N"], f32>
    %7 = graph.slice %x[%arg0 in_bounds, %0 size "D" in_bounds] : <["T", "D"], f32> to !tsr.tensor<["D"], f32>
    %8 = graph.broadcast %7 {axes = array<i64: 0>} : <["D"], f32> to <["D", "N"], f32>
    %h = graph.elementwise "add" %6, %8 : !tsr.tensor<["D", "N"], f32>
    %9 = graph.iota 0 : <["T"], i64>
    %10 = graph.cast %arg0 : index to i64
    %11 = graph.full %10 : i64 to <["T"], i64>
    %12 = graph.elementwise "eq" %9, %11 : !tsr.tensor<["T"], i64>
    %13 = graph.broadcast %12 {axes = array<i64: 0>} : <["T"], i1> to <["T", "D"], i1>
    %14 = graph.reduce "sum" %h {axes = array<i64: 1>} : <["D", "N"], f32> to !tsr.tensor<["D"], f32>
    %15 = graph.broadcast %14 {axes = array<i64: 1>} : <["D"], f32> to <["T", "D"], f32>
    %y_0 = graph.elementwise "select" %13, %15, %arg1 {tsr.update} : !tsr.tensor<["T", "D"], f32>
    scf.yield %y_0, %h : !tsr.tensor<["T", "D"], f32>, !tsr.tensor<["D", "N"], f32>
  }
  graph.return %5#0 : !tsr.tensor<["T", "D"], f32>
}

// What each turn rounds is carried rounded (NarrowCarries.cpp).
// CHECK-LABEL: schedule.func @rounded
// CHECK: schedule.temp {tsr.buffer = {{.*}}} : <["8", "64"], bf16>
// CHECK: schedule.temp {tsr.buffer = {{.*}}} : <["8", "64"], bf16>
// CHECK-NOT: f32
// CHECK: schedule.return
graph.func @rounded(%x: !tsr.tensor<["8", "64"], bf16>, %w: !tsr.tensor<["L", "64", "64"], bf16>) -> !tsr.tensor<["8", "64"], bf16> attributes {dims = ["L"], outputs = [#tsr.result<"result", !tsr.tensor<["8", "64"], bf16>>], params = [#tsr.param<"x", in>, #tsr.param<"w", in>]} {
  %0 = graph.constant 0 : index
  %x_0 = graph.cast %x : !tsr.tensor<["8", "64"], bf16> to !tsr.tensor<["8", "64"], f32>
  %1 = graph.constant 0 : index
  %2 = graph.dim "L"
  %3 = graph.constant 1 : index
  %4 = scf.for %arg0 = %1 to %2 step %3 iter_args(%arg1 = %x_0) -> (!tsr.tensor<["8", "64"], f32>) {
    %6 = graph.cast %arg1 : !tsr.tensor<["8", "64"], f32> to !tsr.tensor<["8", "64"], bf16>
    %7 = graph.slice %w[%arg0 in_bounds, %0 size "64" in_bounds, %0 size "64" in_bounds] : <["L", "64", "64"], bf16> to !tsr.tensor<["64", "64"], bf16>
    %8 = graph.dot %6, %7 : (!tsr.tensor<["8", "64"], bf16>, !tsr.tensor<["64", "64"], bf16>) -> !tsr.tensor<["8", "64"], f32>
    %x_1 = graph.cast %8 : !tsr.tensor<["8", "64"], f32> to !tsr.tensor<["8", "64"], bf16>
    %9 = graph.cast %x_1 : !tsr.tensor<["8", "64"], bf16> to !tsr.tensor<["8", "64"], f32>
    %10 = graph.constant 0.000000e+00 : f32
    %11 = graph.full %10 : f32 to <["8", "64"], f32>
    %x_2 = graph.elementwise "max" %9, %11 : !tsr.tensor<["8", "64"], f32>
    scf.yield %x_2 : !tsr.tensor<["8", "64"], f32>
  }
  %5 = graph.cast %4 : !tsr.tensor<["8", "64"], f32> to !tsr.tensor<["8", "64"], bf16>
  graph.return %5 : !tsr.tensor<["8", "64"], bf16>
}

// Sums over points are added up behind the loop: what turns add to a value in registers, what they store as terms, where as much is read.
// CHECK-LABEL: schedule.kernel @summed_kernel(
// CHECK-SAME: %terms: !tsr.view<["B", "D"], f32>, %terms_1: !tsr.view<["T", "B", "D"], f32>
// CHECK-SAME: grid = #tsr.grid<lanes, ["B*D"]>
// CHECK: scf.for {{.*}} iter_args(%{{.*}} = {{.*}}, %{{.*}} = {{.*}}) -> (f32, f32) {
// CHECK-NOT: graph.reduce
// CHECK: graph.store %{{.*}}, %terms_1[
// CHECK: scf.yield
// CHECK: graph.store %{{.*}}, %terms[
// CHECK-LABEL: schedule.func @summed
// CHECK-NOT: tsr.buffer
// CHECK: schedule.launch @summed_kernel(%x, %terms, %terms_0)
// CHECK: schedule.return
graph.func @summed(%x: !tsr.tensor<["T", "B", "D"], f32>) -> (!tsr.tensor<["D"], f32>, !tsr.tensor<["T", "D"], f32>) attributes {dims = ["T", "B", "D"], outputs = [#tsr.result<"result_0", !tsr.tensor<["D"], f32>>, #tsr.result<"result_1", !tsr.tensor<["T", "D"], f32>>], params = [#tsr.param<"x", in>]} {
  %0 = graph.constant 0 : index
  %1 = graph.constant 0.000000e+00 : f32
  %d = graph.full %1 : f32 to <["D"], f32>
  %2 = graph.constant 0.000000e+00 : f32
  %h = graph.full %2 : f32 to <["B", "D"], f32>
  %3 = graph.constant 0.000000e+00 : f32
  %each = graph.full %3 : f32 to <["T", "D"], f32>
  %4 = graph.constant 0 : index
  %5 = graph.dim "T"
  %6 = graph.constant 1 : index
  %7:3 = scf.for %arg0 = %4 to %5 step %6 iter_args(%arg1 = %d, %arg2 = %h, %arg3 = %each) -> (!tsr.tensor<["D"], f32>, !tsr.tensor<["B", "D"], f32>, !tsr.tensor<["T", "D"], f32>) {
    %8 = graph.constant 5.000000e-01 : f32
    %9 = graph.full %8 : f32 to <["B", "D"], f32>
    %10 = graph.elementwise "mul" %9, %arg2 : !tsr.tensor<["B", "D"], f32>
    %11 = graph.slice %x[%arg0 in_bounds, %0 size "B" in_bounds, %0 size "D" in_bounds] : <["T", "B", "D"], f32> to !tsr.tensor<["B", "D"], f32>
    %h_0 = graph.elementwise "add" %10, %11 : !tsr.tensor<["B", "D"], f32>
    %12 = graph.reduce "sum" %h_0 {axes = array<i64: 0>} : <["B", "D"], f32> to !tsr.tensor<["D"], f32>
    %d_1 = graph.elementwise "sub" %arg1, %12 : !tsr.tensor<["D"], f32>
    %13 = graph.iota 0 : <["T"], i64>
    %14 = graph.cast %arg0 : index to i64
    %15 = graph.full %14 : i64 to <["T"], i64>
    %16 = graph.elementwise "eq" %13, %15 : !tsr.tensor<["T"], i64>
    %17 = graph.broadcast %16 {axes = array<i64: 0>} : <["T"], i1> to <["T", "D"], i1>
    %18 = graph.elementwise "mul" %h_0, %h_0 : !tsr.tensor<["B", "D"], f32>
    %19 = graph.reduce "sum" %18 {axes = array<i64: 0>} : <["B", "D"], f32> to !tsr.tensor<["D"], f32>
    %20 = graph.broadcast %19 {axes = array<i64: 1>} : <["D"], f32> to <["T", "D"], f32>
    %each_2 = graph.elementwise "select" %17, %20, %arg3 {tsr.update} : !tsr.tensor<["T", "D"], f32>
    scf.yield %d_1, %h_0, %each_2 : !tsr.tensor<["D"], f32>, !tsr.tensor<["B", "D"], f32>, !tsr.tensor<["T", "D"], f32>
  }
  graph.return %7#0, %7#2 : !tsr.tensor<["D"], f32>, !tsr.tensor<["T", "D"], f32>
}
