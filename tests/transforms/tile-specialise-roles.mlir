// RUN: tessera-opt %s --set-machine=name=sm_90a --tile-matrix-layouts --tile-specialise-roles | FileCheck %s
// RUN: tessera-opt %s --set-machine=name=sm_90 --tile-matrix-layouts --tile-specialise-roles | FileCheck %s --check-prefix=OLDER
// OLDER-NOT: tile.roles

!A = !tsr.shared<["T.m", "T.k"], bf16, "">
!B = !tsr.shared<["T.k", "T.n"], bf16, "">
!C = !tile.fragment<["T.m", "T.n"], f32, #tile.grid<16 x 16>>
!D = !tile.fragment<["T.m", "T.n"], bf16, #tile.grid<16 x 16>>

// Two warpgroups with 64 rows each. The producer has the loop with the copies, the consumers that with the product; both
// go over the same stages. Where the tile lies is computed in each role, and the sums leave through shared memory.
// CHECK-LABEL: tile.kernel @product
// CHECK-SAME: "products by warpgroups, which read their operands from shared memory"
// CHECK-SAME: stages = 4 : i64
tile.kernel @product(%a: !tsr.view<["M", "K"], bf16>, %b: !tsr.view<["K", "N"], bf16>, %c: !tsr.view<["M", "N"], bf16>) attributes {
    dims = ["M", "K", "N"], params = [#tsr.param<"a", in>, #tsr.param<"b", in>, #tsr.param<"c", out>], outputs = [],
    context = ["m", "n", "k"], sizes = {m = 128 : i64, n = 256 : i64, k = 64 : i64},
    grid = #tsr.grid<output, ["T.m", "T.n"], param = 2>, group = 256 : i64} {
  // CHECK: %[[A:.*]] = tile.alloc_shared {manual} : <["T.stages", "T.m", "T.k"], bf16, "panels">
  // CHECK: %[[B:.*]] = tile.alloc_shared {manual} : <["T.stages", "T.k", "T.n"], bf16, "panels">
  // CHECK: %[[RING:.*]] = tile.ring
  %at = tile.alloc_shared : !A
  %bt = tile.alloc_shared : !B
  // CHECK: tile.roles registers 40 232 producer {
  // CHECK:   %[[M:.*]] = tile.query "origin"
  // CHECK:   scf.for %[[K:.*]] =
  // CHECK:     %[[S:.*]] = tile.ring_acquire %[[RING]]
  // CHECK:     %[[TO:.*]] = tile.select_buffer %[[A]][%[[S]]]
  // CHECK:     tile.copy %{{.*}}[%[[M]] size "T.m", %[[K]] size "T.k"] to %[[TO]] {async}
  // CHECK:     tile.copy
  // CHECK:     tile.ring_publish %[[RING]]
  // CHECK-NOT: tile.dot
  // CHECK: } consumers {
  %m = tile.query "origin"
  %n = tile.query "origin" {axis = 1 : i64}
  %c0 = tile.constant 0 : index
  %zero = tile.constant 0.0 : f32
  %step = tile.dim "T.k"
  %K = tile.dim "K"
  %start = tile.fill %zero : f32 to !C
  // CHECK:   scf.for
  // CHECK:     %[[T:.*]] = tile.ring_wait %[[RING]]
  // CHECK:     %[[LEFT:.*]] = tile.select_buffer %[[A]][%[[T]]]
  // CHECK:     tile.dot %{{.*}}, %[[LEFT]], %{{.*}} : <["T.m", "T.n"], f32, #tile.mma<8 x 1>>
  // CHECK:     tile.ring_release %[[RING]]
  // CHECK-NOT: tile.copy
  %acc = scf.for %k = %c0 to %K step %step iter_args(%sum = %start) -> (!C) {
    tile.copy %a[%m size "T.m", %k size "T.k"] to %at : <["M", "K"], bf16> to !A
    tile.copy %b[%k size "T.k", %n size "T.n"] to %bt : <["K", "N"], bf16> to !B
    %next = tile.dot %sum, %at, %bt : !C, !A, !B
    scf.yield %next : !C
  }
  // CHECK:   tile.store_fragment {{.*}} {bulk}
  %narrow = tile.cast %acc : !C to !D
  tile.store_fragment %narrow, %c[%m size "T.m", %n size "T.n"] : !D, <["M", "N"], bf16>
  tile.kernel_end
}

// What is multiplied is computed on the way to shared memory: no producer can do that, so the warps' own instructions do.
// CHECK-LABEL: tile.kernel @computed
// CHECK-SAME: "products by matrix instructions
// CHECK-NOT: tile.roles
tile.kernel @computed(%a: !tsr.view<["M", "K"], bf16>, %b: !tsr.view<["K", "N"], bf16>, %c: !tsr.view<["M", "N"], bf16>) attributes {
    dims = ["M", "K", "N"], params = [#tsr.param<"a", in>, #tsr.param<"b", in>, #tsr.param<"c", out>], outputs = [],
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
    %part = tile.load_fragment %a[%m size "T.m", %k size "T.k"] : <["M", "K"], bf16> to !tile.fragment<["T.m", "T.k"], bf16, #tile.grid<16 x 16>>
    %twice = tile.elementwise "add" %part, %part : !tile.fragment<["T.m", "T.k"], bf16, #tile.grid<16 x 16>>
    tile.write_shared %twice, %at[%c0 size "T.m" in_bounds, %c0 size "T.k" in_bounds] : !tile.fragment<["T.m", "T.k"], bf16, #tile.grid<16 x 16>>, !A
    tile.copy %b[%k size "T.k", %n size "T.n"] to %bt : <["K", "N"], bf16> to !B
    %next = tile.dot %sum, %at, %bt : !C, !A, !B
    scf.yield %next : !C
  }
  %narrow = tile.cast %acc : !C to !D
  tile.store_fragment %narrow, %c[%m size "T.m", %n size "T.n"] : !D, <["M", "N"], bf16>
  tile.kernel_end
}

!A8 = !tsr.shared<["T.m", "T.k"], f8E4M3FN, "">
!B8 = !tsr.shared<["T.n", "T.k"], f8E4M3FN, "">
!B8turned = !tsr.shared<["T.k", "T.n"], f8E4M3FN, "">

// Operands of 8 bits that lie along k: 128 of them are a row of a panel.
// CHECK-LABEL: tile.kernel @bytes
// CHECK-SAME: "floats of 8 bits: the tensor cores add up 128 products, which are then added in f32"
// CHECK: tile.alloc_shared {manual} : <["T.stages", "T.n", "T.k"], f8E4M3FN, "panels">
// CHECK: tile.dot {{.*}} {trans_b} : <["T.m", "T.n"], f32, #tile.mma<8 x 1>>
tile.kernel @bytes(%a: !tsr.view<["M", "K"], f8E4M3FN>, %b: !tsr.view<["N", "K"], f8E4M3FN>, %c: !tsr.view<["M", "N"], f32>) attributes {
    dims = ["M", "K", "N"], params = [#tsr.param<"a", in>, #tsr.param<"b", in>, #tsr.param<"c", out>], outputs = [],
    context = ["m", "n", "k"], sizes = {m = 128 : i64, n = 256 : i64, k = 128 : i64},
    grid = #tsr.grid<output, ["T.m", "T.n"], param = 2>, group = 256 : i64} {
  %at = tile.alloc_shared : !A8
  %bt = tile.alloc_shared : !B8
  %m = tile.query "origin"
  %n = tile.query "origin" {axis = 1 : i64}
  %c0 = tile.constant 0 : index
  %zero = tile.constant 0.0 : f32
  %step = tile.dim "T.k"
  %K = tile.dim "K"
  %start = tile.fill %zero : f32 to !C
  %acc = scf.for %k = %c0 to %K step %step iter_args(%sum = %start) -> (!C) {
    tile.copy %a[%m size "T.m", %k size "T.k"] to %at : <["M", "K"], f8E4M3FN> to !A8
    tile.copy %b[%n size "T.n", %k size "T.k"] to %bt : <["N", "K"], f8E4M3FN> to !B8
    %next = tile.dot %sum, %at, %bt {trans_b} : !C, !A8, !B8
    scf.yield %next : !C
  }
  tile.store_fragment %acc, %c[%m size "T.m", %n size "T.n"] : !C, <["M", "N"], f32>
  tile.kernel_end
}

// With fast sums the tensor cores keep them.
// CHECK-LABEL: tile.kernel @bytes_fast
// CHECK-SAME: "`@fast_sums`: the tensor cores keep the sums, with about 14 bits"
// CHECK: tile.dot {{.*}}tsr.fast_sums
tile.kernel @bytes_fast(%a: !tsr.view<["M", "K"], f8E4M3FN>, %b: !tsr.view<["N", "K"], f8E4M3FN>, %c: !tsr.view<["M", "N"], f32>) attributes {
    dims = ["M", "K", "N"], params = [#tsr.param<"a", in>, #tsr.param<"b", in>, #tsr.param<"c", out>], outputs = [],
    context = ["m", "n", "k"], sizes = {m = 128 : i64, n = 256 : i64, k = 128 : i64},
    grid = #tsr.grid<output, ["T.m", "T.n"], param = 2>, group = 256 : i64} {
  %at = tile.alloc_shared : !A8
  %bt = tile.alloc_shared : !B8
  %m = tile.query "origin"
  %n = tile.query "origin" {axis = 1 : i64}
  %c0 = tile.constant 0 : index
  %zero = tile.constant 0.0 : f32
  %step = tile.dim "T.k"
  %K = tile.dim "K"
  %start = tile.fill %zero : f32 to !C
  %acc = scf.for %k = %c0 to %K step %step iter_args(%sum = %start) -> (!C) {
    tile.copy %a[%m size "T.m", %k size "T.k"] to %at : <["M", "K"], f8E4M3FN> to !A8
    tile.copy %b[%n size "T.n", %k size "T.k"] to %bt : <["N", "K"], f8E4M3FN> to !B8
    %next = tile.dot %sum, %at, %bt {trans_b, tsr.fast_sums} : !C, !A8, !B8
    scf.yield %next : !C
  }
  tile.store_fragment %acc, %c[%m size "T.m", %n size "T.n"] : !C, <["M", "N"], f32>
  tile.kernel_end
}

// Those that do not are multiplied by warps.
// CHECK-LABEL: tile.kernel @bytes_turned
// CHECK-NOT: tile.roles
// CHECK-SAME: wgmma = "the right operand lies as [K, N]; warpgroups read f8e4m3 along k alone, so store it as [N, K]
tile.kernel @bytes_turned(%a: !tsr.view<["M", "K"], f8E4M3FN>, %b: !tsr.view<["K", "N"], f8E4M3FN>, %c: !tsr.view<["M", "N"], f32>) attributes {
    dims = ["M", "K", "N"], params = [#tsr.param<"a", in>, #tsr.param<"b", in>, #tsr.param<"c", out>], outputs = [],
    context = ["m", "n", "k"], sizes = {m = 128 : i64, n = 256 : i64, k = 128 : i64},
    grid = #tsr.grid<output, ["T.m", "T.n"], param = 2>, group = 256 : i64} {
  %at = tile.alloc_shared : !A8
  %bt = tile.alloc_shared : !B8turned
  %m = tile.query "origin"
  %n = tile.query "origin" {axis = 1 : i64}
  %c0 = tile.constant 0 : index
  %zero = tile.constant 0.0 : f32
  %step = tile.dim "T.k"
  %K = tile.dim "K"
  %start = tile.fill %zero : f32 to !C
  %acc = scf.for %k = %c0 to %K step %step iter_args(%sum = %start) -> (!C) {
    tile.copy %a[%m size "T.m", %k size "T.k"] to %at : <["M", "K"], f8E4M3FN> to !A8
    tile.copy %b[%k size "T.k", %n size "T.n"] to %bt : <["K", "N"], f8E4M3FN> to !B8turned
    %next = tile.dot %sum, %at, %bt : !C, !A8, !B8turned
    scf.yield %next : !C
  }
  tile.store_fragment %acc, %c[%m size "T.m", %n size "T.n"] : !C, <["M", "N"], f32>
  tile.kernel_end
}

!S = !tile.fragment<["T.m", "T.n"], f32, #tile.grid<8 x 16>>

// One warpgroup for a tile, and all tiles with as many stages: two teams. A stage is released when the next products have begun.
// CHECK-LABEL: tile.kernel @teams
// CHECK-SAME: "two teams of one warpgroup, on tiles of their own: one multiplies while the other finishes its tile"
// CHECK-SAME: stages = 6 : i64
tile.kernel @teams(%a: !tsr.view<["M", "K"], bf16>, %b: !tsr.view<["K", "N"], bf16>, %c: !tsr.view<["M", "N"], f32>) attributes {
    dims = ["M", "K", "N"], params = [#tsr.param<"a", in>, #tsr.param<"b", in>, #tsr.param<"c", out>], outputs = [],
    context = ["m", "n", "k"], sizes = {m = 128 : i64, n = 128 : i64, k = 64 : i64},
    grid = #tsr.grid<output, ["T.m", "T.n"], param = 2>, group = 128 : i64} {
  // CHECK: %[[RING:.*]] = tile.ring
  // CHECK: tile.roles registers 40 232 teams 2 producer {
  // CHECK-NOT: tile.ring_seek
  // CHECK: } consumers {
  %at = tile.alloc_shared : !A
  %bt = tile.alloc_shared : !B
  %m = tile.query "origin"
  %n = tile.query "origin" {axis = 1 : i64}
  %c0 = tile.constant 0 : index
  %zero = tile.constant 0.0 : f32
  %step = tile.dim "T.k"
  %K = tile.dim "K"
  %start = tile.fill %zero : f32 to !S
  // CHECK:   tile.ring_seek %[[RING]], "(K + T.k - 1) // T.k"
  // CHECK:   tile.take_turn
  // CHECK:   scf.for
  // CHECK:     tile.ring_wait %[[RING]]
  // CHECK:     tile.dot %{{.*}} : <["T.m", "T.n"], f32, #tile.mma<4 x 1>>
  // CHECK:     tile.ring_release %[[RING]] {late}
  // CHECK:   tile.pass_turn
  // CHECK:   tile.ring_drain %[[RING]]
  // CHECK:   tile.elementwise "exp"
  %acc = scf.for %k = %c0 to %K step %step iter_args(%sum = %start) -> (!S) {
    tile.copy %a[%m size "T.m", %k size "T.k"] to %at : <["M", "K"], bf16> to !A
    tile.copy %b[%k size "T.k", %n size "T.n"] to %bt : <["K", "N"], bf16> to !B
    %next = tile.dot %sum, %at, %bt : !S, !A, !B
    scf.yield %next : !S
  }
  %power = tile.elementwise "exp" %acc : !S
  tile.store_fragment %power, %c[%m size "T.m", %n size "T.n"] : !S, <["M", "N"], f32>
  tile.kernel_end
}

// How many stages a tile has depends on the tile: no team knows where its own begin.
// CHECK-LABEL: tile.kernel @uneven
// CHECK: tile.roles registers 40 240 producer {
// CHECK-NOT: tile.ring_seek
tile.kernel @uneven(%a: !tsr.view<["M", "K"], bf16>, %b: !tsr.view<["K", "N"], bf16>, %c: !tsr.view<["M", "N"], f32>) attributes {
    dims = ["M", "K", "N"], params = [#tsr.param<"a", in>, #tsr.param<"b", in>, #tsr.param<"c", out>], outputs = [],
    context = ["m", "n", "k"], sizes = {m = 128 : i64, n = 128 : i64, k = 64 : i64},
    grid = #tsr.grid<output, ["T.m", "T.n"], param = 2>, group = 128 : i64} {
  %at = tile.alloc_shared : !A
  %bt = tile.alloc_shared : !B
  %m = tile.query "origin"
  %n = tile.query "origin" {axis = 1 : i64}
  %c0 = tile.constant 0 : index
  %zero = tile.constant 0.0 : f32
  %step = tile.dim "T.k"
  %start = tile.fill %zero : f32 to !S
  %acc = scf.for %k = %c0 to %m step %step iter_args(%sum = %start) -> (!S) {
    tile.copy %a[%m size "T.m", %k size "T.k"] to %at : <["M", "K"], bf16> to !A
    tile.copy %b[%k size "T.k", %n size "T.n"] to %bt : <["K", "N"], bf16> to !B
    %next = tile.dot %sum, %at, %bt : !S, !A, !B
    scf.yield %next : !S
  }
  tile.store_fragment %acc, %c[%m size "T.m", %n size "T.n"] : !S, <["M", "N"], f32>
  tile.kernel_end
}
