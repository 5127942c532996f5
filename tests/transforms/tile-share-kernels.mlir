// RUN: tessera-opt %s --tile-share-kernels | FileCheck %s

// Two layers have one kernel, whose parameter is called what its names have in common. Another operation is another kernel.
// CHECK: tile.kernel @layer_kernel(
// CHECK-SAME: #tsr.param<"blocks_w", in>
// CHECK-NOT: tile.kernel @layer_kernel_1(
// CHECK: tile.kernel @layer_kernel_2(
// CHECK-SAME: #tsr.param<"blocks_2_w", in>
// CHECK-LABEL: tile.func @layers
// CHECK: %[[H:.*]] = tile.temp
// CHECK: %[[G:.*]] = tile.temp
// CHECK: tile.launch @layer_kernel(%x, %blocks_0_w, %[[H]])
// CHECK: tile.launch @layer_kernel(%[[H]], %blocks_1_w, %[[G]])
// CHECK: tile.launch @layer_kernel_2(%[[G]], %x, %y)
tile.kernel @layer_kernel(%x: !tsr.view<["N"], f32>, %blocks_0_w: !tsr.view<["N"], f32>, %y: !tsr.view<["N"], f32>) attributes {dims = ["N"],
    params = [#tsr.param<"x", in>, #tsr.param<"blocks_0_w", in>, #tsr.param<"y", out>], outputs = [],
    reasons = ["contract: what follows with %1"], grid = #tsr.grid<lanes, ["N"]>, group = 256 : i64} {
  %i = tile.query "linear_id"
  %a = tile.load_element %x[%i] {in_bounds = array<i1: true>} : !tsr.view<["N"], f32>
  %b = tile.load_element %blocks_0_w[%i] {in_bounds = array<i1: true>} : !tsr.view<["N"], f32>
  %c = tile.elementwise "mul" %a, %b : f32
  tile.store_element %c, %y[%i] : f32, !tsr.view<["N"], f32>
  tile.kernel_end
}
tile.kernel @layer_kernel_1(%x: !tsr.view<["N"], f32>, %blocks_1_w: !tsr.view<["N"], f32>, %y: !tsr.view<["N"], f32>) attributes {dims = ["N"],
    params = [#tsr.param<"x", in>, #tsr.param<"blocks_1_w", in>, #tsr.param<"y", out>], outputs = [],
    reasons = ["contract: what follows with %1"], grid = #tsr.grid<lanes, ["N"]>, group = 256 : i64} {
  %i = tile.query "linear_id"
  %a = tile.load_element %x[%i] {in_bounds = array<i1: true>} : !tsr.view<["N"], f32>
  %b = tile.load_element %blocks_1_w[%i] {in_bounds = array<i1: true>} : !tsr.view<["N"], f32>
  %c = tile.elementwise "mul" %a, %b : f32
  tile.store_element %c, %y[%i] : f32, !tsr.view<["N"], f32>
  tile.kernel_end
}
tile.kernel @layer_kernel_2(%x: !tsr.view<["N"], f32>, %blocks_2_w: !tsr.view<["N"], f32>, %y: !tsr.view<["N"], f32>) attributes {dims = ["N"],
    params = [#tsr.param<"x", in>, #tsr.param<"blocks_2_w", in>, #tsr.param<"y", out>], outputs = [],
    reasons = ["contract: what follows with %1"], grid = #tsr.grid<lanes, ["N"]>, group = 256 : i64} {
  %i = tile.query "linear_id"
  %a = tile.load_element %x[%i] {in_bounds = array<i1: true>} : !tsr.view<["N"], f32>
  %b = tile.load_element %blocks_2_w[%i] {in_bounds = array<i1: true>} : !tsr.view<["N"], f32>
  %c = tile.elementwise "add" %a, %b : f32
  tile.store_element %c, %y[%i] : f32, !tsr.view<["N"], f32>
  tile.kernel_end
}
tile.func @layers(%x: !tsr.view<["N"], f32>, %blocks_0_w: !tsr.view<["N"], f32>, %blocks_1_w: !tsr.view<["N"], f32>, %y: !tsr.view<["N"], f32>) attributes {dims = ["N"],
    params = [#tsr.param<"x", in>, #tsr.param<"blocks_0_w", in>, #tsr.param<"blocks_1_w", in>, #tsr.param<"y", out>], outputs = []} {
  %h = tile.temp : !tsr.view<["N"], f32>
  %g = tile.temp : !tsr.view<["N"], f32>
  tile.launch @layer_kernel(%x, %blocks_0_w, %h) : !tsr.view<["N"], f32>, !tsr.view<["N"], f32>, !tsr.view<["N"], f32>
  tile.launch @layer_kernel_1(%h, %blocks_1_w, %g) : !tsr.view<["N"], f32>, !tsr.view<["N"], f32>, !tsr.view<["N"], f32>
  tile.launch @layer_kernel_2(%g, %x, %y) : !tsr.view<["N"], f32>, !tsr.view<["N"], f32>, !tsr.view<["N"], f32>
  tile.return
}
