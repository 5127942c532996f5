// RUN: tessera-opt %s --tile-take-turns | FileCheck %s

!Q = !tsr.shared<["128", "64"], bf16, "panels">
!K = !tsr.shared<["64", "64"], bf16, "panels">
!S = !tile.fragment<["128", "64"], f32, #tile.mma<8 x 1>>
!P = !tile.fragment<["128", "64"], bf16, #tile.mma<8 x 1>>
!R = !tile.fragment<["128"], f32, #tile.slice<1, #tile.mma<8 x 1>>>
!C = !tile.fragment<["64"], f32, #tile.slice<0, #tile.mma<8 x 1>>>

// What is multiplied second is computed from the first product: one warpgroup has both products while the other computes.
// CHECK-LABEL: tile.kernel @weights
// CHECK-SAME: "warpgroups by turns: one multiplies while another computes"
tile.kernel @weights(%y: !tsr.view<["M", "64"], f32>) attributes {dims = ["M"], params = [#tsr.param<"y", out>], outputs = [],
    context = ["stages"], sizes = {stages = 2 : i64}, grid = #tsr.grid<explicit, ["1"]>, group = 256 : i64} {
  %q = tile.alloc_shared {manual} : !Q
  %k = tile.alloc_shared {manual} : !K
  tile.roles registers 40 232 producer {
  } consumers {
    %c0 = tile.constant 0 : index
    %one = tile.constant 1 : index
    %M = tile.dim "M"
    %zero = tile.constant 0.0 : f32
    %start = tile.fill %zero : f32 to !S
    // CHECK: tile.take_turn
    // CHECK-NEXT: scf.for
    %sums = scf.for %i = %c0 to %M step %one iter_args(%acc = %start) -> (!S) {
      // CHECK: tile.dot
      // CHECK-NEXT: tile.pass_turn
      %s = tile.dot %start, %q, %k : !S, !Q, !K
      %e = tile.elementwise "exp" %s : !S
      %p = tile.cast %e : !S to !P
      // CHECK: tile.cast
      // CHECK-NEXT: tile.take_turn
      // CHECK-NEXT: tile.dot
      %next = tile.dot %acc, %p, %k : !S, !P, !K
      // CHECK-NEXT: scf.yield
      scf.yield %next : !S
    }
    // CHECK: }
    // CHECK-NEXT: tile.pass_turn
    tile.store_fragment %sums, %y[%c0 size "128", %c0 size "64"] : !S, <["M", "64"], f32>
  }
  tile.kernel_end
}

// Each lane loads what it computes with: nobody waits for anybody. A second product of the computed is done in the same turn.
// CHECK-LABEL: tile.kernel @two_products
// CHECK: tile.take_turn
// CHECK-NEXT: scf.for
// CHECK: tile.pass_turn
// CHECK-NEXT: tile.load_fragment
// CHECK: tile.take_turn
// CHECK-NEXT: tile.dot
// CHECK-NEXT: tile.dot
// CHECK-NEXT: scf.yield
tile.kernel @two_products(%x: !tsr.view<["M"], f32>, %y: !tsr.view<["M", "64"], f32>) attributes {dims = ["M"], params = [#tsr.param<"x", in>, #tsr.param<"y", out>], outputs = [],
    context = ["stages"], sizes = {stages = 2 : i64}, grid = #tsr.grid<explicit, ["1"]>, group = 256 : i64} {
  %q = tile.alloc_shared {manual} : !Q
  %k = tile.alloc_shared {manual} : !K
  tile.roles registers 40 232 producer {
  } consumers {
    %c0 = tile.constant 0 : index
    %one = tile.constant 1 : index
    %M = tile.dim "M"
    %zero = tile.constant 0.0 : f32
    %start = tile.fill %zero : f32 to !S
    %sums:2 = scf.for %i = %c0 to %M step %one iter_args(%acc = %start, %other = %start) -> (!S, !S) {
      %s = tile.dot %start, %q, %k : !S, !Q, !K
      %r = tile.load_fragment %x[%i size "64"] : !tsr.view<["M"], f32> to !C
      %c = tile.broadcast %r : !C to !S
      %d = tile.elementwise "mul" %s, %c : !S
      %p = tile.cast %d : !S to !P
      %next = tile.dot %acc, %p, %k : !S, !P, !K
      %last = tile.dot %other, %p, %k : !S, !P, !K
      scf.yield %next, %last : !S, !S
    }
    tile.store_fragment %sums#0, %y[%c0 size "128", %c0 size "64"] : !S, <["M", "64"], f32>
  }
  tile.kernel_end
}

// The sum of a column lies in both warpgroups: one would wait for it in its turn, the other for the turn.
// CHECK-LABEL: tile.kernel @columns
// CHECK-NOT: take_turn
tile.kernel @columns(%y: !tsr.view<["M", "64"], f32>) attributes {dims = ["M"], params = [#tsr.param<"y", out>], outputs = [],
    context = ["stages"], sizes = {stages = 2 : i64}, grid = #tsr.grid<explicit, ["1"]>, group = 256 : i64} {
  %q = tile.alloc_shared {manual} : !Q
  %k = tile.alloc_shared {manual} : !K
  tile.roles registers 40 232 producer {
  } consumers {
    %c0 = tile.constant 0 : index
    %one = tile.constant 1 : index
    %M = tile.dim "M"
    %zero = tile.constant 0.0 : f32
    %start = tile.fill %zero : f32 to !S
    %sums = scf.for %i = %c0 to %M step %one iter_args(%acc = %start) -> (!S) {
      %s = tile.dot %start, %q, %k : !S, !Q, !K
      %c = tile.reduce "sum" %s {axis = 0 : i64} : !S to !tile.fragment<["64"], f32, #tile.slice<0, #tile.mma<8 x 1>>>
      %all = tile.broadcast %c : <["64"], f32, #tile.slice<0, #tile.mma<8 x 1>>> to !S
      %p = tile.cast %all : !S to !P
      %next = tile.dot %acc, %p, %k : !S, !P, !K
      scf.yield %next : !S
    }
    tile.store_fragment %sums, %y[%c0 size "128", %c0 size "64"] : !S, <["M", "64"], f32>
  }
  tile.kernel_end
}

// A plain product has no arithmetic between its products, and with one stage a turn would wait for another's.
// CHECK-LABEL: tile.kernel @one_product
// CHECK-NOT: take_turn
tile.kernel @one_product(%y: !tsr.view<["M", "64"], f32>) attributes {dims = ["M"], params = [#tsr.param<"y", out>], outputs = [],
    context = ["stages"], sizes = {stages = 2 : i64}, grid = #tsr.grid<explicit, ["1"]>, group = 256 : i64} {
  %q = tile.alloc_shared {manual} : !Q
  %k = tile.alloc_shared {manual} : !K
  tile.roles registers 40 232 producer {
  } consumers {
    %c0 = tile.constant 0 : index
    %one = tile.constant 1 : index
    %M = tile.dim "M"
    %zero = tile.constant 0.0 : f32
    %start = tile.fill %zero : f32 to !S
    %sums = scf.for %i = %c0 to %M step %one iter_args(%acc = %start) -> (!S) {
      %next = tile.dot %acc, %q, %k : !S, !Q, !K
      scf.yield %next : !S
    }
    tile.store_fragment %sums, %y[%c0 size "128", %c0 size "64"] : !S, <["M", "64"], f32>
  }
  tile.kernel_end
}
