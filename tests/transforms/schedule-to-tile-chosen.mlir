// RUN: tessera-opt %s --set-machine=name=sm_80 --graph-to-schedule --schedule-to-tile --verify-tile | FileCheck %s

// Rows that indices name, of a tensor of any height: their numbers go to shared memory ahead of the loop, and the rows from there to what
// the product reads. The result is stored to such rows.
// CHECK-LABEL: tile.kernel @rows_kernel
// CHECK: %[[ROWS:.*]] = tile.alloc_shared : <["16"], i64, "">
// CHECK: tile.write_shared %{{.*}}, %[[ROWS]][
// CHECK: scf.for
// CHECK: tile.copy_rows %x[%{{.*}}, %{{.*}}] rows %[[ROWS]] axis 0 to %{{.*}}
// CHECK: tile.dot
// CHECK: tile.atomic "set" %{{.*}}, %y
graph.kernel @rows(%x: !tsr.view<["R", "C"], f32>, %ids: !tsr.view<["16"], i64>, %w: !tsr.view<["16", "16"], f32>, %y: !tsr.view<["16", "16"], f32>) attributes {
    dims = ["R", "C"], params = [#tsr.param<"x", in>, #tsr.param<"ids", in>, #tsr.param<"w", in>, #tsr.param<"y", inout>], outputs = [],
    grid = #tsr.grid<explicit, ["1"]>} {
  %zero = graph.constant 0 : index
  %at = graph.load %ids[%zero size "16" in_bounds] : !tsr.view<["16"], i64> to !tsr.tensor<["16"], i64>
  %none = graph.constant 0.0 : f32
  %acc = graph.full %none : f32 to <["16", "16"], f32>
  %c = graph.dim "C"
  %step = graph.constant 16 : index
  %sums = scf.for %k = %zero to %c step %step iter_args(%before = %acc) -> (!tsr.tensor<["16", "16"], f32>) {
    %all = graph.load %x[%zero size "R" in_bounds, %k size "16"] : !tsr.view<["R", "C"], f32> to !tsr.tensor<["R", "16"], f32>
    %a = graph.gather 0 %all at %at {axes = array<i64: 0>} : (!tsr.tensor<["R", "16"], f32>, !tsr.tensor<["16"], i64>) -> !tsr.tensor<["16", "16"], f32>
    %b = graph.load %w[%zero size "16" in_bounds, %zero size "16" in_bounds] : !tsr.view<["16", "16"], f32> to !tsr.tensor<["16", "16"], f32>
    %p = graph.dot %a, %b : (!tsr.tensor<["16", "16"], f32>, !tsr.tensor<["16", "16"], f32>) -> !tsr.tensor<["16", "16"], f32>
    %after = graph.elementwise "add" %before, %p : !tsr.tensor<["16", "16"], f32>
    scf.yield %after : !tsr.tensor<["16", "16"], f32>
  }
  %rows = graph.broadcast %at {axes = array<i64: 0>} : <["16"], i64> to <["16", "16"], i64>
  %number = graph.iota 1 : <["16", "16"], i32>
  %counted = graph.cast %number : !tsr.tensor<["16", "16"], i32> to !tsr.tensor<["16", "16"], i64>
  graph.atomic "set" %sums, %y[%rows, %counted] {in_bounds = array<i1: false, true>} : (!tsr.tensor<["16", "16"], f32>, !tsr.view<["16", "16"], f32>, !tsr.tensor<["16", "16"], i64>, !tsr.tensor<["16", "16"], i64>) -> ()
  graph.kernel_end
}

// The same rows for something else than a product: each lane reads its elements.
// CHECK-LABEL: tile.kernel @elements_kernel
// CHECK-NOT: tile.copy_rows
// CHECK: tile.load_at %x[%{{.*}}, %{{.*}}]
graph.kernel @elements(%x: !tsr.view<["R", "16"], f32>, %ids: !tsr.view<["16"], i64>, %y: !tsr.view<["16", "16"], f32>) attributes {
    dims = ["R"], params = [#tsr.param<"x", in>, #tsr.param<"ids", in>, #tsr.param<"y", out>], outputs = [], grid = #tsr.grid<explicit, ["1"]>} {
  %zero = graph.constant 0 : index
  %at = graph.load %ids[%zero size "16" in_bounds] : !tsr.view<["16"], i64> to !tsr.tensor<["16"], i64>
  %all = graph.load %x[%zero size "R" in_bounds, %zero size "16" in_bounds] : !tsr.view<["R", "16"], f32> to !tsr.tensor<["R", "16"], f32>
  %a = graph.gather 0 %all at %at {axes = array<i64: 0>} : (!tsr.tensor<["R", "16"], f32>, !tsr.tensor<["16"], i64>) -> !tsr.tensor<["16", "16"], f32>
  graph.store %a, %y[%zero size "16" in_bounds, %zero size "16" in_bounds] : !tsr.tensor<["16", "16"], f32>, !tsr.view<["16", "16"], f32>
  graph.kernel_end
}

// Two tiles in turn, each row of one behind the row of the other: to shared memory, in steps.
// CHECK-LABEL: tile.kernel @stacked_kernel
// CHECK: tile.write_shared %{{.*}}, %[[BOTH:.*]][%{{.*}} size "8" step 2 in_bounds, %{{.*}} size "16" in_bounds]
// CHECK: tile.write_shared %{{.*}}, %[[BOTH]][%{{.*}} size "8" step 2 in_bounds, %{{.*}} size "16" in_bounds] {tsr.beside}
graph.kernel @stacked(%x: !tsr.view<["8", "16"], f32>, %y: !tsr.view<["16", "16"], f32>) attributes {
    dims = [], params = [#tsr.param<"x", in>, #tsr.param<"y", out>], outputs = [], grid = #tsr.grid<explicit, ["1"]>} {
  %zero = graph.constant 0 : index
  %a = graph.load %x[%zero size "8" in_bounds, %zero size "16" in_bounds] : !tsr.view<["8", "16"], f32> to !tsr.tensor<["8", "16"], f32>
  %b = graph.elementwise "neg" %a : !tsr.tensor<["8", "16"], f32>
  %one = graph.broadcast %a {axes = array<i64: 0, 2>} : <["8", "16"], f32> to <["8", "1", "16"], f32>
  %other = graph.broadcast %b {axes = array<i64: 0, 2>} : <["8", "16"], f32> to <["8", "1", "16"], f32>
  %both = graph.concat 1 %one, %other : (!tsr.tensor<["8", "1", "16"], f32>, !tsr.tensor<["8", "1", "16"], f32>) -> !tsr.tensor<["8", "2", "16"], f32>
  %merged = graph.reshape %both : <["8", "2", "16"], f32> to <["16", "16"], f32>
  graph.store %merged, %y[%zero size "16" in_bounds, %zero size "16" in_bounds] : !tsr.tensor<["16", "16"], f32>, !tsr.view<["16", "16"], f32>
  graph.kernel_end
}
