// RUN: tessera-opt %s --tile-overlap-products | FileCheck %s

!Q = !tsr.shared<["128", "64"], bf16, "panels">
!K = !tsr.shared<["64", "64"], bf16, "panels">
!Ks = !tsr.shared<["T.stages", "64", "64"], bf16, "panels">
!S = !tile.fragment<["128", "64"], f32, #tile.mma<8 x 1>>
!P = !tile.fragment<["128", "64"], bf16, #tile.mma<8 x 1>>
!R = !tile.fragment<["128"], f32, #tile.slice<1, #tile.mma<8 x 1>>>

// The scores of the first tile, then those of the next beside the product of each; sums of rows are combined in the end.
// CHECK-LABEL: tile.kernel @attend
// CHECK-SAME: "the next tile's scores and this one's product are begun together, warpgroups by turns; weights are computed meanwhile"
// CHECK: %[[KEYS:.*]] = tile.ring :
// CHECK: %[[VALUES:.*]] = tile.ring :
// CHECK: scf.if
// CHECK:   tile.dot
// CHECK:   tile.reduce "sum" %{{.*}} {axis = 1 : i64, by_lane}
// CHECK:   %[[FIRST:.*]] = tile.cast
// CHECK:   scf.for {{.*}} iter_args(%[[L:.*]] = %{{.*}}, %[[ACC:.*]] = %{{.*}}, %[[P:.*]] = %[[FIRST]])
// CHECK:     %[[STAGE:.*]] = tile.ring_wait %[[VALUES]]
// CHECK:     %[[V:.*]] = tile.select_buffer %{{.*}}[%[[STAGE]]]
// CHECK:     tile.ring_wait %[[KEYS]]
// CHECK:     tile.take_turn
// CHECK-NEXT: tile.dot
// CHECK-NEXT: %[[SUM:.*]] = tile.dot %[[ACC]], %[[P]], %[[V]] {runs_on}
// CHECK-NEXT: tile.pass_turn
// CHECK:     tile.ring_release %[[KEYS]] :
// CHECK:     tile.elementwise "exp"
// CHECK:     tile.finish_products
// CHECK-NEXT: tile.ring_release %[[VALUES]]
// CHECK-NEXT: tile.cast
// CHECK-NEXT: tile.elementwise "mul" %[[SUM]]
// CHECK-SAME: tsr.row_scale
// CHECK-NEXT: scf.yield
// CHECK:   tile.ring_wait %[[VALUES]]
// CHECK:   tile.dot
// CHECK:   tile.ring_release %[[VALUES]]
// CHECK: } else {
// CHECK: tile.combine_lanes "sum"
tile.kernel @attend(%x: !tsr.view<["M"], f32>, %y: !tsr.view<["M", "64"], f32>, %z: !tsr.view<["M"], f32>) attributes {dims = ["M"],
    params = [#tsr.param<"x", in>, #tsr.param<"y", out>, #tsr.param<"z", out>], outputs = [], context = ["stages"], sizes = {stages = 2 : i64},
    grid = #tsr.grid<explicit, ["1"]>, group = 256 : i64} {
  %q = tile.alloc_shared {manual} : !Q
  %k = tile.alloc_shared {manual} : !Ks
  %v = tile.alloc_shared {manual} : !Ks
  %ring = tile.ring : <"T.stages">
  %ring2 = tile.ring : <"T.stages">
  tile.roles registers 40 232 producer {
  } consumers {
    %c0 = tile.constant 0 : index
    %one = tile.constant 1 : index
    %M = tile.dim "M"
    %zero = tile.constant 0.0 : f32
    %start = tile.fill %zero : f32 to !S
    %none = tile.fill %zero : f32 to !R
    %out:2 = scf.for %i = %c0 to %M step %one iter_args(%l = %none, %acc = %start) -> (!R, !S) {
      %nothing = tile.fill %zero : f32 to !S
      %stage = tile.ring_wait %ring : <"T.stages">
      %keys = tile.select_buffer %k[%stage] : !Ks to !K
      %s = tile.dot %nothing, %q, %keys {trans_b} : !S, !Q, !K
      tile.ring_release %ring : <"T.stages">
      %e = tile.elementwise "exp" %s : !S
      %rescale = tile.load_fragment %x[%i size "128"] : !tsr.view<["M"], f32> to !R
      %before = tile.elementwise "mul" %rescale, %l : !R
      %own = tile.reduce "sum" %e {axis = 1 : i64} : <["128", "64"], f32, #tile.mma<8 x 1>> to !R
      %sum = tile.elementwise "add" %before, %own : !R
      %p = tile.cast %e : !S to !P
      %stage2 = tile.ring_wait %ring2 : <"T.stages">
      %values = tile.select_buffer %v[%stage2] : !Ks to !K
      %each = tile.broadcast %rescale : <["128"], f32, #tile.slice<1, #tile.mma<8 x 1>>> to <["128", "64"], f32, #tile.mma<8 x 1>>
      %scaled = tile.elementwise "mul" %acc, %each : !S
      %next = tile.dot %scaled, %p, %values : !S, !P, !K
      tile.ring_release %ring2 : <"T.stages">
      scf.yield %sum, %next : !R, !S
    }
    tile.store_fragment %out#1, %y[%c0 size "128", %c0 size "64"] : !S, <["M", "64"], f32>
    tile.store_fragment %out#0, %z[%c0 size "128"] : !R, <["M"], f32>
  }
  tile.kernel_end
}

// What the products add to is asked for in the loop: it stays as it is.
// CHECK-LABEL: tile.kernel @asked_for
// CHECK-NOT: runs_on
tile.kernel @asked_for(%y: !tsr.view<["M", "64"], f32>) attributes {dims = ["M"], params = [#tsr.param<"y", out>], outputs = [],
    context = ["stages"], sizes = {stages = 2 : i64}, grid = #tsr.grid<explicit, ["1"]>, group = 256 : i64} {
  %q = tile.alloc_shared {manual} : !Q
  %k = tile.alloc_shared {manual} : !K
  %v = tile.alloc_shared {manual} : !Ks
  %ring = tile.ring : <"T.stages">
  tile.roles registers 40 232 producer {
  } consumers {
    %c0 = tile.constant 0 : index
    %one = tile.constant 1 : index
    %M = tile.dim "M"
    %zero = tile.constant 0.0 : f32
    %start = tile.fill %zero : f32 to !S
    %out = scf.for %i = %c0 to %M step %one iter_args(%acc = %start) -> (!S) {
      %nothing = tile.fill %zero : f32 to !S
      %s = tile.dot %nothing, %q, %k {trans_b} : !S, !Q, !K
      %e = tile.elementwise "mul" %s, %acc : !S
      %p = tile.cast %e : !S to !P
      %stage = tile.ring_wait %ring : <"T.stages">
      %values = tile.select_buffer %v[%stage] : !Ks to !K
      %next = tile.dot %acc, %p, %values : !S, !P, !K
      tile.ring_release %ring : <"T.stages">
      scf.yield %next : !S
    }
    tile.store_fragment %out, %y[%c0 size "128", %c0 size "64"] : !S, <["M", "64"], f32>
  }
  tile.kernel_end
}
