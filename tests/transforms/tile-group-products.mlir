// RUN: tessera-opt %s --tile-group-products | FileCheck %s

!Q = !tsr.shared<["128", "64"], bf16, "panels">
!K = !tsr.shared<["64", "64"], bf16, "panels">
!S = !tile.fragment<["128", "64"], f32, #tile.mma<8 x 1>>
!P = !tile.fragment<["128", "64"], bf16, #tile.mma<8 x 1>>
!C = !tile.fragment<["64"], f32, #tile.slice<0, #tile.mma<8 x 1>>>

// Two products of what lies in shared memory, then two of what is computed from them; the numbers of the columns are loaded first.
// CHECK-LABEL: tile.kernel @derivative
// CHECK: scf.for
// CHECK: tile.load_fragment

// CHECK: tile.dot
// CHECK-NEXT: tile.dot
// CHECK: tile.elementwise "add"
// CHECK: tile.elementwise "mul"
// CHECK: tile.cast
// CHECK: tile.cast
// CHECK-NEXT: tile.dot
// CHECK-NEXT: tile.dot
// CHECK-NEXT: scf.yield
tile.kernel @derivative(%x: !tsr.view<["M"], f32>, %y: !tsr.view<["M", "64"], f32>) attributes {dims = ["M"],
    params = [#tsr.param<"x", in>, #tsr.param<"y", out>], outputs = [], context = ["stages"], sizes = {stages = 2 : i64},
    grid = #tsr.grid<explicit, ["1"]>, group = 256 : i64} {
  %q = tile.alloc_shared {manual} : !Q
  %v = tile.alloc_shared {manual} : !Q
  %k = tile.alloc_shared {manual} : !K
  tile.roles registers 40 232 producer {
  } consumers {
    %c0 = tile.constant 0 : index
    %one = tile.constant 1 : index
    %M = tile.dim "M"
    %zero = tile.constant 0.0 : f32
    %start = tile.fill %zero : f32 to !S
    %sums:2 = scf.for %i = %c0 to %M step %one iter_args(%acc = %start, %other = %start) -> (!S, !S) {
      %de = tile.dot %start, %v, %k : !S, !Q, !K
      %n = tile.load_fragment %x[%i size "64"] : !tsr.view<["M"], f32> to !C
      %each = tile.broadcast %n : <["64"], f32, #tile.slice<0, #tile.mma<8 x 1>>> to <["128", "64"], f32, #tile.mma<8 x 1>>
      %moved = tile.elementwise "add" %de, %each : !S
      %s = tile.dot %start, %q, %k : !S, !Q, !K
      %ds = tile.elementwise "mul" %moved, %s : !S
      %left = tile.cast %ds : !S to !P
      %next = tile.dot %acc, %left, %k : !S, !P, !K
      %p = tile.cast %s : !S to !P
      %last = tile.dot %other, %p, %k : !S, !P, !K
      scf.yield %next, %last : !S, !S
    }
    tile.store_fragment %sums#0, %y[%c0 size "128", %c0 size "64"] : !S, <["M", "64"], f32>
  }
  tile.kernel_end
}

// What is written in the loop is not loaded before it.
// CHECK-LABEL: tile.kernel @in_order
// CHECK: tile.dot
// CHECK: tile.load_fragment
tile.kernel @in_order(%y: !tsr.view<["M", "64"], f32>) attributes {dims = ["M"], params = [#tsr.param<"y", out>], outputs = [],
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
    scf.for %i = %c0 to %M step %one {
      %s = tile.dot %start, %q, %k : !S, !Q, !K
      %old = tile.load_fragment %y[%c0 size "128", %c0 size "64"] : !tsr.view<["M", "64"], f32> to !S
      %sum = tile.elementwise "add" %s, %old : !S
      tile.store_fragment %sum, %y[%c0 size "128", %c0 size "64"] : !S, <["M", "64"], f32>
    }
  }
  tile.kernel_end
}
