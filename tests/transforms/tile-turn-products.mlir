// RUN: tessera-opt %s --set-machine=name=sm_90a --tile-turn-products | FileCheck %s
// RUN: tessera-opt %s --set-machine=name=sm_90a --tile-turn-products --tile-stage-operands --tile-matrix-layouts --tile-specialise-roles | FileCheck %s --check-prefix=ROLES
// RUN: tessera-opt %s --set-machine=name=sm_90 --tile-turn-products | FileCheck %s --check-prefix=OLDER
// OLDER-NOT: turned

!A = !tsr.shared<["T.m", "T.k"], bf16, "">
!B = !tsr.shared<["T.k", "T.n"], bf16, "">
!C = !tile.fragment<["T.m", "T.n"], f32, #tile.grid<8 x 16>>
!D = !tile.fragment<["T.m", "T.n"], bf16, #tile.grid<8 x 16>>
!V = !tile.fragment<["T.n"], f32, #tile.slice<0, #tile.grid<8 x 16>>>

// Sixteen rows fill no instruction of a warpgroup, 64 columns do: the operands change places, the vector of columns becomes
// one of rows, an index along the columns one along the rows, and what is stored is the transpose.
// CHECK-LABEL: tile.kernel @few_rows
// CHECK-SAME: "turned: the tile is computed as its transpose, as it has fewer rows than a warpgroup's instructions"
// Half of a processor's registers and shared memory are enough for it.
// ROLES-LABEL: tile.kernel @few_rows
// ROLES-SAME: a processor has room for two groups
// ROLES-SAME: stages = 5 : i64
// ROLES: tile.roles registers 40 208
// ROLES: tile.dot %{{.*}}, %{{.*}}, %{{.*}} {trans_a, trans_b} : <["T.n", "T.m"], f32, #tile.mma<4 x 1>>
// ROLES-NOT: {bulk}
tile.kernel @few_rows(%a: !tsr.view<["M", "K"], bf16>, %b: !tsr.view<["K", "N"], bf16>, %s: !tsr.view<["N"], f32>, %r: !tsr.view<["M", "N"], f32>,
                      %c: !tsr.view<["M", "N"], bf16>) attributes {
    dims = ["M", "K", "N"], params = [#tsr.param<"a", in>, #tsr.param<"b", in>, #tsr.param<"s", in>, #tsr.param<"r", in>, #tsr.param<"c", out>],
    outputs = [], context = ["m", "n", "k"], sizes = {m = 16 : i64, n = 64 : i64, k = 128 : i64},
    grid = #tsr.grid<output, ["T.m", "T.n"], param = 4>, group = 128 : i64} {
  %at = tile.alloc_shared : !A
  %bt = tile.alloc_shared : !B
  %m = tile.query "origin"
  %n = tile.query "origin" {axis = 1 : i64}
  %c0 = tile.constant 0 : index
  %zero = tile.constant 0.0 : f32
  %step = tile.dim "T.k"
  %K = tile.dim "K"
  // CHECK: tile.fill %{{.*}} : f32 to <["T.n", "T.m"], f32, #tile.grid<8 x 16>>
  %start = tile.fill %zero : f32 to !C
  %acc = scf.for %k = %c0 to %K step %step iter_args(%sum = %start) -> (!C) {
    tile.copy %a[%m size "T.m", %k size "T.k"] to %at : <["M", "K"], bf16> to !A
    tile.copy %b[%k size "T.k", %n size "T.n"] to %bt : <["K", "N"], bf16> to !B
    // CHECK: tile.dot %{{.*}}, %[[B:.*]], %[[A:.*]] {trans_a, trans_b} : <["T.n", "T.m"], f32, #tile.grid<8 x 16>>, !tsr.shared<["T.k", "T.n"], bf16, "">, <["T.m", "T.k"], bf16, "">
    %next = tile.dot %sum, %at, %bt : !C, !A, !B
    scf.yield %next : !C
  }
  // CHECK: tile.load_fragment %{{.*}} to <["T.n"], f32, #tile.slice<1, #tile.grid<8 x 16>>>
  %scale = tile.load_fragment %s[%n size "T.n"] : <["N"], f32> to !V
  %scales = tile.broadcast %scale : !V to !C
  // CHECK: tile.load_fragment %{{.*}} {transposed} : <["M", "N"], f32> to <["T.n", "T.m"], f32, #tile.grid<8 x 16>>
  %more = tile.load_fragment %r[%m size "T.m", %n size "T.n"] : <["M", "N"], f32> to !C
  // CHECK: tile.iota {axis = 0 : i64} : <["T.n", "T.m"], i32, #tile.grid<8 x 16>>
  %col = tile.iota {axis = 1 : i64} : !tile.fragment<["T.m", "T.n"], i32, #tile.grid<8 x 16>>
  %cols = tile.cast %col : !tile.fragment<["T.m", "T.n"], i32, #tile.grid<8 x 16>> to !C
  %scaled = tile.elementwise "mul" %acc, %scales : !C
  %added = tile.elementwise "add" %scaled, %more : !C
  %moved = tile.elementwise "add" %added, %cols : !C
  %narrow = tile.cast %moved : !C to !D
  // CHECK: tile.store_fragment %{{.*}} {transposed} : <["T.n", "T.m"], bf16, #tile.grid<8 x 16>>, <["M", "N"], bf16>
  tile.store_fragment %narrow, %c[%m size "T.m", %n size "T.n"] : !D, <["M", "N"], bf16>
  tile.kernel_end
}

// A weight of 8 bits, from the right: turned, its tile comes through the ring as it is and is computed in registers.
// CHECK-LABEL: tile.kernel @weight
// CHECK-SAME: "turned: the tile is computed as its transpose, so that what is computed is multiplied from registers"
// CHECK: tile.load_fragment %{{.*}} {transposed} : <["K", "N"], i8> to <["T.n", "T.k"], i8, #tile.grid<16 x 16>>
// CHECK: tile.write_shared {{.*}}size "T.n" in_bounds, {{.*}}size "T.k" in_bounds
// CHECK: tile.dot %{{.*}} {trans_b} : <["T.n", "T.m"], f32, #tile.grid<16 x 16>>, !tsr.shared<["T.n", "T.k"], bf16, "">, <["T.m", "T.k"], bf16, "">
// ROLES-LABEL: tile.kernel @weight
// ROLES: tile.alloc_shared {manual} : <["T.stages", "T.k", "T.n"], i8, "panels">
// ROLES: consumers
// ROLES: tile.ring_wait
// ROLES: %[[READ:.*]] = tile.read_shared %{{.*}} {transposed} : <["T.k", "T.n"], i8, "panels"> to <["T.n", "T.k"], i8, #tile.mma<8 x 1>>
// ROLES: %[[WIDE:.*]] = tile.cast %[[READ]]
// ROLES: tile.dot %{{.*}}, %[[WIDE]], %{{.*}} {trans_b} : <["T.n", "T.m"], f32, #tile.mma<8 x 1>>
// ROLES: tile.ring_release
tile.kernel @weight(%a: !tsr.view<["M", "K"], bf16>, %b: !tsr.view<["K", "N"], i8>, %c: !tsr.view<["M", "N"], f32>) attributes {
    dims = ["M", "K", "N"], params = [#tsr.param<"a", in>, #tsr.param<"b", in>, #tsr.param<"c", out>], outputs = [],
    context = ["m", "n", "k"], sizes = {m = 128 : i64, n = 128 : i64, k = 128 : i64},
    grid = #tsr.grid<output, ["T.m", "T.n"], param = 2>, group = 256 : i64} {
  %at = tile.alloc_shared : !A
  %bt = tile.alloc_shared : !B
  %m = tile.query "origin"
  %n = tile.query "origin" {axis = 1 : i64}
  %c0 = tile.constant 0 : index
  %zero = tile.constant 0.0 : f32
  %step = tile.dim "T.k"
  %K = tile.dim "K"
  %start = tile.fill %zero : f32 to !tile.fragment<["T.m", "T.n"], f32, #tile.grid<16 x 16>>
  %acc = scf.for %k = %c0 to %K step %step iter_args(%sum = %start) -> (!tile.fragment<["T.m", "T.n"], f32, #tile.grid<16 x 16>>) {
    tile.copy %a[%m size "T.m", %k size "T.k"] to %at : <["M", "K"], bf16> to !A
    %bytes = tile.load_fragment %b[%k size "T.k", %n size "T.n"] : <["K", "N"], i8> to !tile.fragment<["T.k", "T.n"], i8, #tile.grid<16 x 16>>
    %wide = tile.cast %bytes : !tile.fragment<["T.k", "T.n"], i8, #tile.grid<16 x 16>> to !tile.fragment<["T.k", "T.n"], bf16, #tile.grid<16 x 16>>
    tile.write_shared %wide, %bt[%c0 size "T.k" in_bounds, %c0 size "T.n" in_bounds] : !tile.fragment<["T.k", "T.n"], bf16, #tile.grid<16 x 16>>, !B
    %next = tile.dot %sum, %at, %bt : !tile.fragment<["T.m", "T.n"], f32, #tile.grid<16 x 16>>, !A, !B
    scf.yield %next : !tile.fragment<["T.m", "T.n"], f32, #tile.grid<16 x 16>>
  }
  tile.store_fragment %acc, %c[%m size "T.m", %n size "T.n"] : !tile.fragment<["T.m", "T.n"], f32, #tile.grid<16 x 16>>, <["M", "N"], f32>
  tile.kernel_end
}

// Sums of rows would become sums of columns, which need all warps: this kernel stays as it is.
// CHECK-LABEL: tile.kernel @reduced
// CHECK-NOT: turned
// CHECK: tile.dot {{.*}} : <["T.m", "T.n"], f32
tile.kernel @reduced(%a: !tsr.view<["M", "K"], bf16>, %b: !tsr.view<["K", "N"], bf16>, %c: !tsr.view<["M"], f32>) attributes {
    dims = ["M", "K", "N"], params = [#tsr.param<"a", in>, #tsr.param<"b", in>, #tsr.param<"c", out>], outputs = [],
    context = ["m", "n", "k"], sizes = {m = 16 : i64, n = 64 : i64, k = 128 : i64},
    grid = #tsr.grid<output, ["T.m"], param = 2>, group = 128 : i64} {
  %at = tile.alloc_shared : !A
  %bt = tile.alloc_shared : !B
  %m = tile.query "origin"
  %c0 = tile.constant 0 : index
  %zero = tile.constant 0.0 : f32
  %start = tile.fill %zero : f32 to !C
  tile.copy %a[%m size "T.m", %c0 size "T.k"] to %at : <["M", "K"], bf16> to !A
  tile.copy %b[%c0 size "T.k", %c0 size "T.n"] to %bt : <["K", "N"], bf16> to !B
  %next = tile.dot %start, %at, %bt : !C, !A, !B
  %sums = tile.reduce "sum" %next {axis = 1 : i64} : !C to !tile.fragment<["T.m"], f32, #tile.slice<1, #tile.grid<8 x 16>>>
  tile.store_fragment %sums, %c[%m size "T.m"] : !tile.fragment<["T.m"], f32, #tile.slice<1, #tile.grid<8 x 16>>>, <["M"], f32>
  tile.kernel_end
}
