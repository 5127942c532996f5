// RUN: tessera-opt %s --set-machine=name=sm_90a --graph-to-schedule --verify-schedule | FileCheck %s
// Running sums: a group goes over a part of a row, or a lane down a part of a column, and two kernels find what comes before parts.

// CHECK-LABEL: schedule.kernel @rows_kernel(%x: {{.*}}, %totals:
// CHECK-SAME: grid = #tsr.grid<explicit, ["((max(1, C) - 1) // 32768)*R"]>
// CHECK: scf.for
// CHECK-NOT: graph.scan
// CHECK: graph.reduce "sum"
// CHECK: graph.store %{{.*}}, %totals
// CHECK-LABEL: schedule.kernel @rows_kernel_1(%totals: {{.*}}, %before:
// CHECK: graph.scan "sum"
// CHECK-LABEL: schedule.kernel @rows_kernel_2(%x: {{.*}}, %before: {{.*}}, %result:
// What is scanned is computed where it is read.
// The tile behind the one at hand is asked for before the lanes of a group meet, and computed by then.
// CHECK: graph.load %before
// CHECK: %[[TILE:.*]] = graph.load %x[%{{.*}} in_bounds, %{{.*}} size "2048"]
// CHECK: %[[SQUARE:.*]] = graph.elementwise "mul" %[[TILE]], %[[TILE]]
// CHECK: scf.for {{.*}} iter_args(%{{.*}} = %{{.*}}, %[[PART:.*]] = %[[SQUARE]])
// CHECK: scf.if
// CHECK: %[[NEXT:.*]] = graph.load %x[%{{.*}} in_bounds, %{{.*}} size "2048"]
// CHECK: graph.elementwise "mul" %[[NEXT]], %[[NEXT]]
// CHECK: } else {
// CHECK: scf.yield %[[PART]]
// CHECK: graph.scan "sum" 0 %[[PART]]
// CHECK: graph.store
graph.func @rows(%x: !tsr.tensor<["R", "C"], f32>) -> !tsr.tensor<["R", "C"], f32> attributes {dims = ["R", "C"], outputs = [#tsr.result<"result", !tsr.tensor<["R", "C"], f32>>], params = [#tsr.param<"x", in>]} {
  %square = graph.elementwise "mul" %x, %x : !tsr.tensor<["R", "C"], f32>
  %sums = graph.scan "sum" 1 %square : <["R", "C"], f32>
  graph.return %sums : !tsr.tensor<["R", "C"], f32>
}

// A row of known length is one part; down columns a lane asks for four rows before it adds them up.
// CHECK-LABEL: schedule.kernel @columns_kernel
// CHECK: scf.for
// CHECK-COUNT-4: graph.load %x
// CHECK-COUNT-4: graph.elementwise "add" %{{.*}} : !tsr.tensor<["256"], f32>
// CHECK-COUNT-4: graph.store
// CHECK-NOT: schedule.temp
graph.func @columns(%x: !tsr.tensor<["100", "C"], f32>) -> !tsr.tensor<["100", "C"], f32> attributes {dims = ["C"], outputs = [#tsr.result<"result", !tsr.tensor<["100", "C"], f32>>], params = [#tsr.param<"x", in>]} {
  %sums = graph.scan "sum" 0 %x : <["100", "C"], f32>
  graph.return %sums : !tsr.tensor<["100", "C"], f32>
}
