// RUN: tessera-opt %s --set-machine=name=sm_90a --tile-matrix-layouts --tile-specialise-roles --tile-share-copies | FileCheck %s

!A = !tsr.shared<["T.m", "T.k"], bf16, "">
!B = !tsr.shared<["T.k", "T.n"], bf16, "">
!C = !tile.fragment<["T.m", "T.n"], f32, #tile.grid<16 x 16>>
!D = !tile.fragment<["T.m", "T.n"], bf16, #tile.grid<16 x 16>>

// Two groups with tiles one below the other read the same tiles of `b`, and each its own of `a`.
// CHECK-LABEL: tile.kernel @product
// CHECK-SAME: "two groups with tiles one below the other may share a cluster
tile.kernel @product(%a: !tsr.view<["M", "K"], bf16>, %b: !tsr.view<["K", "N"], bf16>, %c: !tsr.view<["M", "N"], bf16>) attributes {
    dims = ["M", "K", "N"], params = [#tsr.param<"a", in>, #tsr.param<"b", in>, #tsr.param<"c", out>], outputs = [],
    context = ["m", "n", "k"], sizes = {m = 128 : i64, n = 256 : i64, k = 64 : i64},
    grid = #tsr.grid<output, ["T.m", "T.n"], param = 2>, group = 256 : i64} {
  // CHECK: tile.ring {cluster}
  // CHECK: tile.roles registers 40 232 clusters producer {
  // CHECK: tile.copy %a[{{.*}}] to %{{.*}} {async} :
  // CHECK: tile.copy %b[{{.*}}] to %{{.*}} {async, cluster} :
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

// Each of the two would need another number of stages: the terms of a row begin at its tile.
// CHECK-LABEL: tile.kernel @triangle
// CHECK-NOT: cluster
tile.kernel @triangle(%a: !tsr.view<["M", "K"], bf16>, %b: !tsr.view<["K", "N"], bf16>, %c: !tsr.view<["M", "N"], bf16>) attributes {
    dims = ["M", "K", "N"], params = [#tsr.param<"a", in>, #tsr.param<"b", in>, #tsr.param<"c", out>], outputs = [],
    context = ["m", "n", "k"], sizes = {m = 128 : i64, n = 256 : i64, k = 64 : i64},
    grid = #tsr.grid<output, ["T.m", "T.n"], param = 2>, group = 256 : i64} {
  %at = tile.alloc_shared : !A
  %bt = tile.alloc_shared : !B
  %m = tile.query "origin"
  %n = tile.query "origin" {axis = 1 : i64}
  %zero = tile.constant 0.0 : f32
  %step = tile.dim "T.k"
  %K = tile.dim "K"
  %start = tile.fill %zero : f32 to !C
  %acc = scf.for %k = %m to %K step %step iter_args(%sum = %start) -> (!C) {
    tile.copy %a[%m size "T.m", %k size "T.k"] to %at : <["M", "K"], bf16> to !A
    tile.copy %b[%k size "T.k", %n size "T.n"] to %bt : <["K", "N"], bf16> to !B
    %next = tile.dot %sum, %at, %bt : !C, !A, !B
    scf.yield %next : !C
  }
  %narrow = tile.cast %acc : !C to !D
  tile.store_fragment %narrow, %c[%m size "T.m", %n size "T.n"] : !D, <["M", "N"], bf16>
  tile.kernel_end
}

// The schedule asks for groups alone.
// CHECK-LABEL: tile.kernel @alone
// CHECK-NOT: clusters
tile.kernel @alone(%a: !tsr.view<["M", "K"], bf16>, %b: !tsr.view<["K", "N"], bf16>, %c: !tsr.view<["M", "N"], bf16>) attributes {
    dims = ["M", "K", "N"], params = [#tsr.param<"a", in>, #tsr.param<"b", in>, #tsr.param<"c", out>], outputs = [],
    context = ["m", "n", "k"], sizes = {m = 128 : i64, n = 256 : i64, k = 64 : i64, cluster_m = 1 : i64},
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

// With an odd number of rows of tiles, `r` would be read where it is not: its loads have no mask.
// CHECK-LABEL: tile.kernel @outside
// CHECK-NOT: clusters
tile.kernel @outside(%a: !tsr.view<["M", "K"], bf16>, %b: !tsr.view<["K", "N"], bf16>, %r: !tsr.view<["M", "N"], f32>, %c: !tsr.view<["M", "N"], bf16>) attributes {
    dims = ["M", "K", "N"], params = [#tsr.param<"a", in>, #tsr.param<"b", in>, #tsr.param<"r", in>, #tsr.param<"c", out>], outputs = [],
    context = ["m", "n", "k"], sizes = {m = 128 : i64, n = 256 : i64, k = 64 : i64},
    grid = #tsr.grid<output, ["T.m", "T.n"], param = 3>, group = 256 : i64} {
  %at = tile.alloc_shared : !A
  %bt = tile.alloc_shared : !B
  %m = tile.query "origin"
  %n = tile.query "origin" {axis = 1 : i64}
  %c0 = tile.constant 0 : index
  %step = tile.dim "T.k"
  %K = tile.dim "K"
  %start = tile.load_fragment %r[%m size "T.m" in_bounds, %n size "T.n"] : <["M", "N"], f32> to !C
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
