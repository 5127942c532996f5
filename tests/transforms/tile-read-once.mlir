// RUN: tessera-opt %s --set-machine=name=sm_90a --tile-matrix-layouts --tile-specialise-roles --tile-read-once | FileCheck %s

!A = !tsr.shared<["T.m", "T.k"], bf16, "">
!B = !tsr.shared<["T.k", "T.n"], bf16, "">
!C = !tile.fragment<["T.m", "T.n"], f32, #tile.grid<16 x 16>>
!D = !tile.fragment<["T.m", "T.n"], bf16, #tile.grid<16 x 16>>

// One tile has all rows: each tile of `b` is for one group alone, those of `a` are for all.
// CHECK-LABEL: tile.kernel @few_rows
// CHECK-SAME: "operands that one group alone reads are not kept in the L2 cache"
tile.kernel @few_rows(%a: !tsr.view<["M", "K"], bf16>, %b: !tsr.view<["K", "N"], bf16>, %c: !tsr.view<["M", "N"], bf16>) attributes {
    dims = ["M", "K", "N"], params = [#tsr.param<"a", in>, #tsr.param<"b", in>, #tsr.param<"c", out>], outputs = [],
    requirements = [#tsr.requirement<"M" le "T.m", "">],
    context = ["m", "n", "k"], sizes = {m = 128 : i64, n = 256 : i64, k = 64 : i64},
    grid = #tsr.grid<output, ["T.m", "T.n"], param = 2>, group = 256 : i64} {
  // CHECK: tile.copy %a[{{.*}}] to %{{.*}} {async} :
  // CHECK: tile.copy %b[{{.*}}] to %{{.*}} {async, once} :
  %at = tile.alloc_shared : !A
  %bt = tile.alloc_shared : !B
  %m = tile.query "origin"
  %n = tile.query "origin" {axis = 1 : i64}
  %c0 = tile.constant 0 : index
  %zero = tile.constant 0.0 : f32
  %step = tile.dim "T.k"
  %K = tile.dim "K"
  %start = tile.fill %zero : f32 to !C
  %acc = scf.for %k = %c0 to %K step %step iter_args(%sum = %start) -> (!C) {
    tile.copy %a[%m size "T.m", %k size "T.k"] to %at : <["M", "K"], bf16> to !A
    tile.copy %b[%k size "T.k", %n size "T.n"] to %bt : <["K", "N"], bf16> to !B
    %next = tile.dot %sum, %at, %bt : !C, !A, !B
    scf.yield %next : !C
  }
  %narrow = tile.cast %acc : !C to !D
  tile.store_fragment %narrow, %c[%m size "T.m", %n size "T.n"] : !D, <["M", "N"], bf16>
  tile.kernel_end
}

// Nothing says how many rows there are; and one tile of columns is left to the cache, as the kernel behind may read `a` again.
// CHECK-LABEL: tile.kernel @any_rows
// CHECK-NOT: once
tile.kernel @any_rows(%a: !tsr.view<["M", "K"], bf16>, %b: !tsr.view<["K", "N"], bf16>, %c: !tsr.view<["M", "N"], bf16>) attributes {
    dims = ["M", "K", "N"], params = [#tsr.param<"a", in>, #tsr.param<"b", in>, #tsr.param<"c", out>], outputs = [],
    requirements = [#tsr.requirement<"N" le "T.n", "">],
    context = ["m", "n", "k"], sizes = {m = 128 : i64, n = 256 : i64, k = 64 : i64},
    grid = #tsr.grid<output, ["T.m", "T.n"], param = 2>, group = 256 : i64} {
  %at = tile.alloc_shared : !A
  %bt = tile.alloc_shared : !B
  %m = tile.query "origin"
  %n = tile.query "origin" {axis = 1 : i64}
  %c0 = tile.constant 0 : index
  %zero = tile.constant 0.0 : f32
  %step = tile.dim "T.k"
  %K = tile.dim "K"
  %start = tile.fill %zero : f32 to !C
  %acc = scf.for %k = %c0 to %K step %step iter_args(%sum = %start) -> (!C) {
    tile.copy %a[%m size "T.m", %k size "T.k"] to %at : <["M", "K"], bf16> to !A
    tile.copy %b[%k size "T.k", %n size "T.n"] to %bt : <["K", "N"], bf16> to !B
    %next = tile.dot %sum, %at, %bt : !C, !A, !B
    scf.yield %next : !C
  }
  %narrow = tile.cast %acc : !C to !D
  tile.store_fragment %narrow, %c[%m size "T.m", %n size "T.n"] : !D, <["M", "N"], bf16>
  tile.kernel_end
}
