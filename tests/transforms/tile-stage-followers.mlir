// RUN: tessera-opt %s --set-machine=name=sm_90a --tile-matrix-layouts --tile-stage-followers | FileCheck %s
// RUN: tessera-opt %s --set-machine=name=sm_90a --tile-matrix-layouts --tile-stage-followers --tile-specialise-roles --tile-store-in-parts | FileCheck %s --check-prefix=PARTS

!A = !tsr.shared<["T.m", "T.k"], bf16, "">
!B = !tsr.shared<["T.k", "T.n"], bf16, "">
!S = !tile.fragment<["T.m", "T.n"], f32, #tile.grid<8 x 16>>
!H = !tile.fragment<["T.m", "T.n"], bf16, #tile.grid<8 x 16>>

// What a team reads behind its sums comes through shared memory; in parts, when its registers are few.
// CHECK-LABEL: tile.kernel @followed
// PARTS-LABEL: tile.kernel @followed
tile.kernel @followed(%a: !tsr.view<["M", "K"], bf16>, %b: !tsr.view<["K", "N"], bf16>, %r: !tsr.view<["M", "N"], bf16>, %c: !tsr.view<["M", "N"], bf16>) attributes {
    dims = ["M", "K", "N"], params = [#tsr.param<"a", in>, #tsr.param<"b", in>, #tsr.param<"r", in>, #tsr.param<"c", out>], outputs = [],
    context = ["m", "n", "k"], sizes = {m = 128 : i64, n = 128 : i64, k = 64 : i64},
    grid = #tsr.grid<output, ["T.m", "T.n"], param = 3>, group = 128 : i64} {
  // CHECK: %[[R:.*]] = tile.alloc_shared : <["T.m", "T.n"], bf16, "panels">
  // PARTS: tile.alloc_shared {manual} : <["2", "T.m", "T.n"], bf16, "panels">
  // PARTS: %[[RING:.*]] = tile.ring : <"2">
  %at = tile.alloc_shared : !A
  %bt = tile.alloc_shared : !B
  %m = tile.query "origin"
  %n = tile.query "origin" {axis = 1 : i64}
  %c0 = tile.constant 0 : index
  %zero = tile.constant 0.0 : f32
  %step = tile.dim "T.k"
  %K = tile.dim "K"
  %start = tile.fill %zero : f32 to !S
  // PARTS: } consumers {
  // PARTS: tile.ring_seek %[[RING]], "1"
  %acc = scf.for %k = %c0 to %K step %step iter_args(%sum = %start) -> (!S) {
    tile.copy %a[%m size "T.m", %k size "T.k"] to %at : <["M", "K"], bf16> to !A
    tile.copy %b[%k size "T.k", %n size "T.n"] to %bt : <["K", "N"], bf16> to !B
    %next = tile.dot %sum, %at, %bt : !S, !A, !B
    scf.yield %next : !S
  }
  // CHECK: tile.copy %{{.*}}[%{{.*}} size "T.m", %{{.*}} size "T.n"] to %[[R]]
  // CHECK: tile.read_shared %[[R]]
  // PARTS: tile.ring_drain
  // PARTS: tile.ring_wait %[[RING]]
  // PARTS: scf.for %[[PART:.*]] =
  // PARTS:   tile.read_shared %{{.*}}[%{{.*}} size "T.m" in_bounds, %{{.*}} size "64" in_bounds]
  // PARTS:   tile.store_fragment {{.*}} {bulk}
  // PARTS: }
  // PARTS: tile.ring_release %[[RING]]
  %more = tile.load_fragment %r[%m size "T.m", %n size "T.n"] : <["M", "N"], bf16> to !H
  %wide = tile.cast %more : !H to !S
  %both = tile.elementwise "add" %acc, %wide : !S
  %power = tile.elementwise "exp" %both : !S
  %narrow = tile.cast %power : !S to !H
  tile.store_fragment %narrow, %c[%m size "T.m", %n size "T.n"] : !H, <["M", "N"], bf16>
  tile.kernel_end
}

// Of 32 bits the tiles of two teams would leave no room for the stages of the operands: lanes read them.
// CHECK-LABEL: tile.kernel @wide
// CHECK: tile.load_fragment
tile.kernel @wide(%a: !tsr.view<["M", "K"], bf16>, %b: !tsr.view<["K", "N"], bf16>, %r: !tsr.view<["M", "N"], f32>, %c: !tsr.view<["M", "N"], f32>) attributes {
    dims = ["M", "K", "N"], params = [#tsr.param<"a", in>, #tsr.param<"b", in>, #tsr.param<"r", in>, #tsr.param<"c", out>], outputs = [],
    context = ["m", "n", "k"], sizes = {m = 128 : i64, n = 128 : i64, k = 64 : i64},
    grid = #tsr.grid<output, ["T.m", "T.n"], param = 3>, group = 128 : i64} {
  %at = tile.alloc_shared : !A
  %bt = tile.alloc_shared : !B
  %m = tile.query "origin"
  %n = tile.query "origin" {axis = 1 : i64}
  %c0 = tile.constant 0 : index
  %zero = tile.constant 0.0 : f32
  %step = tile.dim "T.k"
  %K = tile.dim "K"
  %start = tile.fill %zero : f32 to !S
  %acc = scf.for %k = %c0 to %K step %step iter_args(%sum = %start) -> (!S) {
    tile.copy %a[%m size "T.m", %k size "T.k"] to %at : <["M", "K"], bf16> to !A
    tile.copy %b[%k size "T.k", %n size "T.n"] to %bt : <["K", "N"], bf16> to !B
    %next = tile.dot %sum, %at, %bt : !S, !A, !B
    scf.yield %next : !S
  }
  %more = tile.load_fragment %r[%m size "T.m", %n size "T.n"] : <["M", "N"], f32> to !S
  %both = tile.elementwise "add" %acc, %more : !S
  tile.store_fragment %both, %c[%m size "T.m", %n size "T.n"] : !S, <["M", "N"], f32>
  tile.kernel_end
}
