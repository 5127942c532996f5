// RUN: tessera-opt %s --set-machine=name=sm_90 --graph-to-schedule --schedule-to-tile --verify-tile | FileCheck %s

// The residual gets the sum of two rows, which is used afterwards: it is stored behind the last loop that reads what was there.
// CHECK-LABEL: tile.kernel @normalised_kernel
// CHECK: tile.load_element %residual
// CHECK-NOT: tile.store_element
// CHECK: tile.group_reduce "sum"
// CHECK: tile.load_element %residual
// CHECK: tile.store_element %{{.*}}, %out
// CHECK: tile.store_element %{{.*}}, %residual
// CHECK-NOT: tile.load_element %residual
// CHECK: tile.kernel_end
graph.kernel @normalised(%x: !tsr.view<["R", "C"], f32>, %residual: !tsr.view<["R", "C"], f32>, %out: !tsr.view<["R", "C"], f32>) attributes {
    dims = ["R", "C"], params = [#tsr.param<"x", in>, #tsr.param<"residual", inout>, #tsr.param<"out", out>], outputs = [],
    grid = #tsr.grid<explicit, ["R"]>} {
  %zero = graph.constant 0 : index
  %r = graph.query "group_id" 0
  %a = graph.load %x[%r in_bounds, %zero size "C" in_bounds] : !tsr.view<["R", "C"], f32> to !tsr.tensor<["C"], f32>
  %b = graph.load %residual[%r in_bounds, %zero size "C" in_bounds] : !tsr.view<["R", "C"], f32> to !tsr.tensor<["C"], f32>
  %h = graph.elementwise "add" %a, %b : !tsr.tensor<["C"], f32>
  graph.store %h, %residual[%r in_bounds, %zero size "C" in_bounds] : !tsr.tensor<["C"], f32>, !tsr.view<["R", "C"], f32>
  %sum = graph.reduce "sum" %h {axes = array<i64: 0>} : <["C"], f32> to f32
  %each = graph.full %sum : f32 to <["C"], f32>
  %y = graph.elementwise "div" %h, %each : !tsr.tensor<["C"], f32>
  graph.store %y, %out[%r in_bounds, %zero size "C" in_bounds] : !tsr.tensor<["C"], f32>, !tsr.view<["R", "C"], f32>
  graph.kernel_end
}
