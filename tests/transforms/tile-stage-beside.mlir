// RUN: tessera-opt %s --set-machine=name=sm_90a --tile-stage-beside | FileCheck %s
// RUN: tessera-opt %s --set-machine=name=sm_90a --tile-stage-beside --tile-specialise-roles | FileCheck %s --check-prefix=ROLES

!K = !tsr.shared<["128", "64"], bf16, "panels">
!Q = !tsr.shared<["64", "64"], bf16, "panels">
!S = !tile.fragment<["128", "64"], f32, #tile.mma<8 x 1>>
!P = !tile.fragment<["128", "64"], bf16, #tile.mma<8 x 1>>

// A bias comes in the stage of what is multiplied in the same turn, and is read where it is added: no lane waits for it, or holds it
// while the product runs.
// CHECK-LABEL: tile.kernel @biased
// CHECK: %[[B:operand_tile]] = tile.alloc_shared : <["128", "64"], bf16, "panels">
// CHECK: scf.for %[[N:[a-z0-9]+]] =
// CHECK: tile.copy %b[%{{.*}}, %{{.*}} size "128", %[[N]] size "64"] to %[[B]]
// CHECK: tile.dot
// CHECK-NEXT: tile.read_shared %[[B]]
// CHECK-NEXT: tile.cast
// CHECK-NOT: tile.load_fragment
// ROLES-LABEL: tile.kernel @biased
// ROLES: tile.ring_acquire
// ROLES: tile.copy %k
// ROLES: tile.copy %b
// ROLES: tile.ring_publish
// ROLES: } consumers {
// ROLES: tile.ring_wait
// ROLES: tile.dot
// ROLES: tile.read_shared
// ROLES: tile.dot
// ROLES: tile.ring_release
tile.kernel @biased(%q: !tsr.view<["H", "M", "64"], bf16>, %k: !tsr.view<["H", "N", "64"], bf16>, %b: !tsr.view<["H", "M", "N"], bf16>, %y: !tsr.view<["H", "M", "64"], f32>) attributes {dims = ["H", "M", "N"],
    params = [#tsr.param<"q", in>, #tsr.param<"k", in>, #tsr.param<"b", in>, #tsr.param<"y", out>], outputs = [], context = ["m"], sizes = {m = 128 : i64},
    grid = #tsr.grid<output, ["1", "T.m", "64"], param = 3>, group = 256 : i64} {
  %qt = tile.alloc_shared : !K
  %kt = tile.alloc_shared : !Q
  %h = tile.query "origin"
  %m = tile.query "origin" {axis = 1 : i64}
  %c0 = tile.constant 0 : index
  %step = tile.constant 64 : index
  %N = tile.dim "N"
  %zero = tile.constant 0.0 : f32
  %start = tile.fill %zero : f32 to !S
  tile.copy %q[%h, %m size "128", %c0 size "64" in_bounds] to %qt : <["H", "M", "64"], bf16> to !K
  %sum = scf.for %n = %c0 to %N step %step iter_args(%acc = %start) -> (!S) {
    tile.copy %k[%h, %n size "64", %c0 size "64" in_bounds] to %kt : <["H", "N", "64"], bf16> to !Q
    %bias = tile.load_fragment %b[%h, %m size "128", %n size "64"] : <["H", "M", "N"], bf16> to !P
    %s = tile.dot %start, %qt, %kt {trans_b} : !S, !K, !Q
    %wide = tile.cast %bias : !P to !S
    %w = tile.elementwise "add" %s, %wide : !S
    %left = tile.cast %w : !S to !P
    %next = tile.dot %acc, %left, %kt : !S, !P, !Q
    scf.yield %next : !S
  }
  tile.store_fragment %sum, %y[%h, %m size "128", %c0 size "64" in_bounds] : !S, <["H", "M", "64"], f32>
  tile.kernel_end
}

// Where it lies is data, which the producer does not compute.
// CHECK-LABEL: tile.kernel @elsewhere
// CHECK: tile.load_fragment %b
tile.kernel @elsewhere(%q: !tsr.view<["M", "64"], bf16>, %k: !tsr.view<["N", "64"], bf16>, %b: !tsr.view<["M", "N"], bf16>, %y: !tsr.view<["M", "64"], f32>) attributes {dims = ["M", "N"],
    params = [#tsr.param<"q", in>, #tsr.param<"k", in>, #tsr.param<"b", in>, #tsr.param<"y", out>], outputs = [], context = ["m"], sizes = {m = 128 : i64},
    grid = #tsr.grid<output, ["T.m", "64"], param = 3>, group = 256 : i64} {
  %qt = tile.alloc_shared : !K
  %kt = tile.alloc_shared : !Q
  %m = tile.query "origin"
  %c0 = tile.constant 0 : index
  %step = tile.constant 64 : index
  %N = tile.dim "N"
  %zero = tile.constant 0.0 : f32
  %start = tile.fill %zero : f32 to !S
  tile.copy %q[%m size "128", %c0 size "64" in_bounds] to %qt : <["M", "64"], bf16> to !K
  %sum:2 = scf.for %n = %c0 to %N step %step iter_args(%acc = %start, %at = %c0) -> (!S, index) {
    tile.copy %k[%n size "64", %c0 size "64" in_bounds] to %kt : <["N", "64"], bf16> to !Q
    %bias = tile.load_fragment %b[%m size "128", %at size "64"] : <["M", "N"], bf16> to !P
    %s = tile.dot %start, %qt, %kt {trans_b} : !S, !K, !Q
    %wide = tile.cast %bias : !P to !S
    %w = tile.elementwise "add" %s, %wide : !S
    %left = tile.cast %w : !S to !P
    %next = tile.dot %acc, %left, %kt : !S, !P, !Q
    scf.yield %next, %step : !S, index
  }
  tile.store_fragment %sum#0, %y[%m size "128", %c0 size "64" in_bounds] : !S, <["M", "64"], f32>
  tile.kernel_end
}
