// RUN: tessera-opt %s --tile-share-indices | FileCheck %s
// Two layers read their weights at other indices of one array: one kernel, to which launches give the index. The last axis is none, and
// streams of draws are.

// CHECK: tile.kernel @layers_kernel(
// CHECK-SAME: dims = ["N", "part"]
// CHECK: %[[PART:.*]] = tile.dim "part"
// CHECK: tile.copy %w[%[[PART]] in_bounds
// CHECK-NOT: tile.kernel @layers_kernel_1(
// CHECK: tile.kernel @draws_kernel(
// CHECK-SAME: dims = ["N", "stream"]
// CHECK: %[[STREAM:.*]] = tile.dim "stream"
// CHECK: tile.cast %[[STREAM]] : index to i64
// CHECK-NOT: tile.kernel @draws_kernel_1(
// CHECK-LABEL: tile.func @layers
// CHECK: tile.launch @layers_kernel(%w) {dims = #tsr.dims<["N", "3"]>}
// CHECK: tile.launch @layers_kernel(%w) {dims = #tsr.dims<["N", "4"]>}
// CHECK: tile.launch @draws_kernel(%rng, %y) {dims = #tsr.dims<["N", "7"]>}
// CHECK: tile.launch @draws_kernel(%rng, %y) {dims = #tsr.dims<["N", "8"]>}
tile.kernel @layers_kernel(%w: !tsr.view<["N", "4", "4"], f32>) attributes {dims = ["N"], params = [#tsr.param<"w", in>], outputs = [],
    grid = #tsr.grid<lanes, ["N"]>, group = 256 : i64, signature = "def layers()"} {
  %s = tile.alloc_shared : !tsr.shared<["4", "4"], f32, "">
  %l = tile.constant 3 : index
  %o = tile.constant 0 : index
  tile.copy %w[%l in_bounds, %o size "4", %o size "4"] to %s : !tsr.view<["N", "4", "4"], f32> to !tsr.shared<["4", "4"], f32, "">
  tile.kernel_end
}
tile.kernel @layers_kernel_1(%w: !tsr.view<["N", "4", "4"], f32>) attributes {dims = ["N"], params = [#tsr.param<"w", in>], outputs = [],
    grid = #tsr.grid<lanes, ["N"]>, group = 256 : i64, signature = "def layers()"} {
  %s = tile.alloc_shared : !tsr.shared<["4", "4"], f32, "">
  %l = tile.constant 4 : index
  %o = tile.constant 0 : index
  tile.copy %w[%l in_bounds, %o size "4", %o size "4"] to %s : !tsr.view<["N", "4", "4"], f32> to !tsr.shared<["4", "4"], f32, "">
  tile.kernel_end
}
tile.kernel @draws_kernel(%rng: i64, %y: !tsr.view<["N"], i64>) attributes {dims = ["N"], params = [#tsr.param<"rng", in>, #tsr.param<"y", out>],
    outputs = [], grid = #tsr.grid<lanes, ["N"]>, group = 256 : i64, signature = "def layers()"} {
  %i = tile.query "linear_id"
  %n = tile.constant 7 : i64
  %k = tile.elementwise "random_key" %rng, %n : i64
  tile.store_element %k, %y[%i] : i64, !tsr.view<["N"], i64>
  tile.kernel_end
}
tile.kernel @draws_kernel_1(%rng: i64, %y: !tsr.view<["N"], i64>) attributes {dims = ["N"], params = [#tsr.param<"rng", in>, #tsr.param<"y", out>],
    outputs = [], grid = #tsr.grid<lanes, ["N"]>, group = 256 : i64, signature = "def layers()"} {
  %i = tile.query "linear_id"
  %n = tile.constant 8 : i64
  %k = tile.elementwise "random_key" %rng, %n : i64
  tile.store_element %k, %y[%i] : i64, !tsr.view<["N"], i64>
  tile.kernel_end
}
tile.func @layers(%w: !tsr.view<["N", "4", "4"], f32>, %rng: i64, %y: !tsr.view<["N"], i64>) attributes {dims = ["N"], signature = "def layers()",
    params = [#tsr.param<"w", in>, #tsr.param<"rng", in>, #tsr.param<"y", out>], outputs = []} {
  tile.launch @layers_kernel(%w) : !tsr.view<["N", "4", "4"], f32>
  tile.launch @layers_kernel_1(%w) : !tsr.view<["N", "4", "4"], f32>
  tile.launch @draws_kernel(%rng, %y) : i64, !tsr.view<["N"], i64>
  tile.launch @draws_kernel_1(%rng, %y) : i64, !tsr.view<["N"], i64>
  tile.return
}
