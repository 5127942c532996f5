// RUN: tessera-opt %s --set-machine=name=sm_80 --graph-to-schedule --verify-schedule | FileCheck %s
// RUN: tessera-opt %s --set-machine=name=sm_80 --graph-to-schedule --schedule-to-tile --verify-tile | FileCheck %s --check-prefix=TILE
// A product of which an axis has one element is multiplications and a sum, before sizes are chosen.

// CHECK-LABEL: schedule.kernel @times_vector_kernel
// CHECK-NOT: graph.dot
// CHECK: %[[ROW:.*]] = graph.transpose %{{.*}} {perm = array<i64: 1, 0>} : {{.*}} to <["1", "64"], f32>
// CHECK: %[[EVERY:.*]] = graph.broadcast %[[ROW]] {axes = array<i64: 0, 1>} : {{.*}} to <["T.m", "64"], f32>
// CHECK: %[[PRODUCTS:.*]] = graph.elementwise "mul" %{{.*}}, %[[EVERY]]
// CHECK: graph.reduce "sum" %[[PRODUCTS]] {axes = array<i64: 1>}
// CHECK-NOT: graph.dot
// TILE-LABEL: tile.kernel @times_vector_kernel
// TILE-NOT: tile.alloc_shared
// TILE: tile.reduce "sum"
graph.kernel @times_vector(%x: !tsr.view<["M", "N"], f32>, %y: !tsr.view<["M"], f32>) attributes {dims = ["M", "N"],
    params = [#tsr.param<"x", in>, #tsr.param<"y", out>], outputs = [], grid = #tsr.grid<output, ["T.m"], param = 1>, context = ["m"]} {
  %c0 = graph.constant 0 : index
  %a = graph.load %x[%c0 size "T.m", %c0 size "64"] : !tsr.view<["M", "N"], f32> to !tsr.tensor<["T.m", "64"], f32>
  %b = graph.load %x[%c0 size "64", %c0 size "1"] : !tsr.view<["M", "N"], f32> to !tsr.tensor<["64", "1"], f32>
  %d = graph.dot %a, %b : (!tsr.tensor<["T.m", "64"], f32>, !tsr.tensor<["64", "1"], f32>) -> !tsr.tensor<["T.m", "1"], f32>
  %e = graph.reshape %d : !tsr.tensor<["T.m", "1"], f32> to !tsr.tensor<["T.m"], f32>
  graph.store %e, %y[%c0 size "T.m"] : !tsr.tensor<["T.m"], f32>, !tsr.view<["M"], f32>
  graph.kernel_end
}

// CHECK-LABEL: schedule.kernel @outer_kernel
// CHECK-NOT: graph.dot
// CHECK-NOT: graph.reduce
// CHECK: graph.cast %{{.*}} : !tsr.tensor<["T.m", "1"], bf16> to !tsr.tensor<["T.m", "1"], f32>
// CHECK: graph.elementwise "mul"
// CHECK-NOT: graph.dot
graph.kernel @outer(%x: !tsr.view<["M"], bf16>, %y: !tsr.view<["M", "N"], f32>) attributes {dims = ["M", "N"],
    params = [#tsr.param<"x", in>, #tsr.param<"y", out>], outputs = [], grid = #tsr.grid<output, ["T.m", "32"], param = 1>, context = ["m"]} {
  %c0 = graph.constant 0 : index
  %a = graph.load %x[%c0 size "T.m"] : !tsr.view<["M"], bf16> to !tsr.tensor<["T.m"], bf16>
  %b = graph.load %x[%c0 size "32"] : !tsr.view<["M"], bf16> to !tsr.tensor<["32"], bf16>
  %ac = graph.reshape %a : !tsr.tensor<["T.m"], bf16> to !tsr.tensor<["T.m", "1"], bf16>
  %br = graph.reshape %b : !tsr.tensor<["32"], bf16> to !tsr.tensor<["1", "32"], bf16>
  %d = graph.dot %ac, %br : (!tsr.tensor<["T.m", "1"], bf16>, !tsr.tensor<["1", "32"], bf16>) -> !tsr.tensor<["T.m", "32"], f32>
  graph.store %d, %y[%c0 size "T.m", %c0 size "32"] : !tsr.tensor<["T.m", "32"], f32>, !tsr.view<["M", "N"], f32>
  graph.kernel_end
}
