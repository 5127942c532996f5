// RUN: tessera-opt %s --set-machine=name=sm_80 --tile-matrix-layouts | FileCheck %s
// RUN: tessera-opt %s --set-machine=name=sm_90 --tile-matrix-layouts | FileCheck %s --check-prefix=NEWER
// RUN: tessera-opt %s --set-machine=name=sm_75 --tile-matrix-layouts | FileCheck %s --check-prefix=OLDER
// OLDER-NOT: #tile.mma

!A = !tsr.shared<["T.m", "T.k"], bf16, "">
!B = !tsr.shared<["T.k", "T.n"], bf16, "">
!C = !tile.fragment<["T.m", "T.n"], f32, #tile.grid<16 x 16>>
!D = !tile.fragment<["T.m", "T.n"], bf16, #tile.grid<16 x 16>>

// Eight warps over 128 x 256: 2 x 4, so that a warp reads as few rows and columns as it can. Operands are swizzled.
// CHECK-LABEL: tile.kernel @product
// CHECK-SAME: reasons = ["products by matrix instructions, warps in 2 rows and 4 columns"]
tile.kernel @product(%a: !tsr.view<["M", "K"], bf16>, %b: !tsr.view<["K", "N"], bf16>, %c: !tsr.view<["M", "N"], bf16>) attributes {
    dims = ["M", "K", "N"], params = [#tsr.param<"a", in>, #tsr.param<"b", in>, #tsr.param<"c", out>], outputs = [],
    context = ["m", "n", "k"], sizes = {m = 128 : i64, n = 256 : i64, k = 64 : i64},
    grid = #tsr.grid<output, ["T.m", "T.n"], param = 2>, group = 256 : i64} {
  // CHECK: tile.alloc_shared : <["T.m", "T.k"], bf16, "xor">
  %at = tile.alloc_shared : !A
  // CHECK: tile.alloc_shared : <["T.k", "T.n"], bf16, "xor">
  %bt = tile.alloc_shared : !B
  %m = tile.query "origin"
  %n = tile.query "origin" {axis = 1 : i64}
  %c0 = tile.constant 0 : index
  %zero = tile.constant 0.0 : f32
  %step = tile.dim "T.k"
  %K = tile.dim "K"
  // CHECK: tile.fill %{{.*}} : f32 to <["T.m", "T.n"], f32, #tile.mma<2 x 4>>
  %start = tile.fill %zero : f32 to !C
  // CHECK: scf.for {{.*}} -> (!tile.fragment<["T.m", "T.n"], f32, #tile.mma<2 x 4>>)
  %acc = scf.for %k = %c0 to %K step %step iter_args(%sum = %start) -> (!C) {
    tile.copy %a[%m size "T.m", %k size "T.k"] to %at : <["M", "K"], bf16> to !A
    tile.copy %b[%k size "T.k", %n size "T.n"] to %bt : <["K", "N"], bf16> to !B
    %next = tile.dot %sum, %at, %bt : !C, !A, !B
    scf.yield %next : !C
  }
  // CHECK: tile.cast {{.*}} to !tile.fragment<["T.m", "T.n"], bf16, #tile.mma<2 x 4>>
  %narrow = tile.cast %acc : !C to !D
  tile.store_fragment %narrow, %c[%m size "T.m", %n size "T.n"] : !D, <["M", "N"], bf16>
  tile.kernel_end
}

!Q = !tsr.shared<["64", "64"], bf16, "">
!S = !tile.fragment<["64", "64"], f32, #tile.grid<8 x 16>>
!P = !tile.fragment<["64", "64"], bf16, #tile.grid<8 x 16>>
!V = !tile.fragment<["64"], f32, #tile.slice<1, #tile.grid<8 x 16>>>

// Rows that are reduced lie in one warp, and the left operand of the second product stays in registers.
// CHECK-LABEL: tile.kernel @chain
// CHECK-SAME: warps in 4 rows and 1 column
tile.kernel @chain(%q: !tsr.view<["64", "64"], bf16>, %c: !tsr.view<["64", "64"], f32>) attributes {
    dims = [], params = [#tsr.param<"q", in>, #tsr.param<"c", out>], outputs = [], grid = #tsr.grid<explicit, ["1"]>, group = 128 : i64} {
  %qt = tile.alloc_shared : !Q
  %pt = tile.alloc_shared : !Q
  %c0 = tile.constant 0 : index
  %zero = tile.constant 0.0 : f32
  tile.copy %q[%c0 size "64" in_bounds, %c0 size "64" in_bounds] to %qt : <["64", "64"], bf16> to !Q
  %start = tile.fill %zero : f32 to !S
  %s = tile.dot %start, %qt, %qt {trans_b} : !S, !Q, !Q
  // CHECK: tile.reduce "max" {{.*}} to !tile.fragment<["64"], f32, #tile.slice<1, #tile.mma<4 x 1>>>
  %max = tile.reduce "max" %s {axis = 1 : i64} : !S to !V
  %spread = tile.broadcast %max : !V to !S
  %shifted = tile.elementwise "sub" %s, %spread : !S
  // CHECK: %[[P:.*]] = tile.cast
  %p = tile.cast %shifted : !S to !P
  // CHECK-NOT: tile.write_shared
  tile.write_shared %p, %pt[%c0 size "64" in_bounds, %c0 size "64" in_bounds] : !P, !Q
  // CHECK: tile.dot %{{.*}}, %[[P]], %{{.*}} : <["64", "64"], f32, #tile.mma<4 x 1>>, !tile.fragment<["64", "64"], bf16, #tile.mma<4 x 1>>
  %o = tile.dot %start, %pt, %qt : !S, !Q, !Q
  tile.store_fragment %o, %c[%c0 size "64" in_bounds, %c0 size "64" in_bounds] : !S, <["64", "64"], f32>
  tile.kernel_end
}

!F = !tsr.shared<["32", "32"], f32, "">
!G = !tile.fragment<["32", "32"], f32, #tile.grid<8 x 16>>

// f32 operands have no instruction that keeps their digits: lanes add up blocks of neighbours, those of columns where b has them side by side.
// CHECK-LABEL: tile.kernel @full_precision
// CHECK-NOT: #tile.mma
// CHECK: tile.dot {{.*}} #tile.blocked<4 x 1, 1 x 4>
tile.kernel @full_precision(%c: !tsr.view<["32", "32"], f32>) attributes {
    dims = [], params = [#tsr.param<"c", inout>], outputs = [], grid = #tsr.grid<explicit, ["1"]>, group = 128 : i64} {
  %t = tile.alloc_shared : !F
  %c0 = tile.constant 0 : index
  %zero = tile.constant 0.0 : f32
  tile.copy %c[%c0 size "32" in_bounds, %c0 size "32" in_bounds] to %t : <["32", "32"], f32> to !F
  %start = tile.fill %zero : f32 to !G
  %o = tile.dot %start, %t, %t : !G, !F, !F
  tile.store_fragment %o, %c[%c0 size "32" in_bounds, %c0 size "32" in_bounds] : !G, <["32", "32"], f32>
  tile.kernel_end
}

!E = !tsr.shared<["64", "64"], f8E4M3FN, "">

// Which types have an instruction is the machine's: sm_80 multiplies no 8-bit floats.
// CHECK-LABEL: tile.kernel @eight_bits
// CHECK-NOT: #tile.mma
// NEWER-LABEL: tile.kernel @eight_bits
// NEWER: tile.dot {{.*}} #tile.mma<2 x 2>
tile.kernel @eight_bits(%q: !tsr.view<["64", "64"], f8E4M3FN>, %c: !tsr.view<["64", "64"], f32>) attributes {
    dims = [], params = [#tsr.param<"q", in>, #tsr.param<"c", out>], outputs = [], grid = #tsr.grid<explicit, ["1"]>, group = 128 : i64} {
  %qt = tile.alloc_shared : !E
  %c0 = tile.constant 0 : index
  %zero = tile.constant 0.0 : f32
  tile.copy %q[%c0 size "64" in_bounds, %c0 size "64" in_bounds] to %qt : <["64", "64"], f8E4M3FN> to !E
  %start = tile.fill %zero : f32 to !S
  %s = tile.dot %start, %qt, %qt {trans_b} : !S, !E, !E
  tile.store_fragment %s, %c[%c0 size "64" in_bounds, %c0 size "64" in_bounds] : !S, <["64", "64"], f32>
  tile.kernel_end
}
