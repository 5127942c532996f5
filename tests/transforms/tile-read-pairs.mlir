// RUN: tessera-opt %s --tile-read-pairs | FileCheck %s

!W = !tsr.shared<["128", "128"], i8, "panels">
!X = !tsr.shared<["16", "128"], bf16, "panels">
!B = !tile.fragment<["128", "128"], i8, #tile.mma<8 x 1>>
!P = !tile.fragment<["128", "128"], bf16, #tile.mma<8 x 1>>
!S = !tile.fragment<["128", "16"], f32, #tile.mma<8 x 1>>

// Bytes that lie the other way: two rows at a time, and the sums in order behind the loop.
// CHECK-LABEL: tile.kernel @turned
tile.kernel @turned(%y: !tsr.view<["16", "128"], f32>) attributes {dims = ["K"], params = [#tsr.param<"y", out>], outputs = [],
    context = [], sizes = {}, grid = #tsr.grid<explicit, ["1"]>, group = 256 : i64} {
  %w = tile.alloc_shared {manual} : !W
  %x = tile.alloc_shared {manual} : !X
  %c0 = tile.constant 0 : index
  %one = tile.constant 1 : index
  %K = tile.dim "K"
  %zero = tile.constant 0.0 : f32
  %start = tile.fill %zero : f32 to !S
  // CHECK: %[[LOOP:.*]] = scf.for
  %sums = scf.for %k = %c0 to %K step %one iter_args(%acc = %start) -> (!S) {
    // CHECK-NEXT: %[[P:.*]] = tile.read_pairs_of_rows %{{.*}} : <["128", "128"], i8, "panels"> to <["128", "128"], bf16, #tile.mma<8 x 1>>
    // CHECK-NEXT: tile.dot %{{.*}}, %[[P]]
    %b = tile.read_shared %w[%c0 size "128" in_bounds, %c0 size "128" in_bounds] {transposed} : !W to !B
    %p = tile.cast %b : !B to !P
    %next = tile.dot %acc, %p, %x {trans_b} : !S, !P, !X
    scf.yield %next : !S
  }
  // CHECK: %[[ROWS:.*]] = tile.order_rows %[[LOOP]]
  // CHECK-NEXT: tile.store_fragment %[[ROWS]]
  tile.store_fragment %sums, %y[%c0 size "16", %c0 size "128"] {transposed} : !S, <["16", "128"], f32>
  tile.kernel_end
}

// What is done to the sums in each turn needs their rows in order; as they lie along k, neighbours are two bytes already.
// CHECK-LABEL: tile.kernel @scaled
// CHECK-NOT: tile.read_pairs_of_rows
// CHECK-NOT: tile.order_rows
tile.kernel @scaled(%y: !tsr.view<["16", "128"], f32>, %s: !tsr.view<["128"], f32>) attributes {dims = ["K"], params = [#tsr.param<"y", out>, #tsr.param<"s", in>], outputs = [],
    context = [], sizes = {}, grid = #tsr.grid<explicit, ["1"]>, group = 256 : i64} {
  %w = tile.alloc_shared {manual} : !W
  %x = tile.alloc_shared {manual} : !X
  %c0 = tile.constant 0 : index
  %one = tile.constant 1 : index
  %K = tile.dim "K"
  %zero = tile.constant 0.0 : f32
  %start = tile.fill %zero : f32 to !S
  %scale = tile.load_fragment %s[%c0 size "128"] : <["128"], f32> to <["128"], f32, #tile.slice<1, #tile.mma<8 x 1>>>
  %scales = tile.broadcast %scale : <["128"], f32, #tile.slice<1, #tile.mma<8 x 1>>> to !S
  %sums = scf.for %k = %c0 to %K step %one iter_args(%acc = %start) -> (!S) {
    %scaled = tile.elementwise "mul" %acc, %scales : !S
    %b = tile.read_shared %w[%c0 size "128" in_bounds, %c0 size "128" in_bounds] {transposed} : !W to !B
    %p = tile.cast %b : !B to !P
    %next = tile.dot %scaled, %p, %x {trans_b} : !S, !P, !X
    scf.yield %next : !S
  }
  %along = scf.for %k = %c0 to %K step %one iter_args(%acc = %sums) -> (!S) {
    %b = tile.read_shared %w[%c0 size "128" in_bounds, %c0 size "128" in_bounds] : !W to !B
    %p = tile.cast %b : !B to !P
    %next = tile.dot %acc, %p, %x {trans_b} : !S, !P, !X
    scf.yield %next : !S
  }
  tile.store_fragment %along, %y[%c0 size "16", %c0 size "128"] {transposed} : !S, <["16", "128"], f32>
  tile.kernel_end
}
