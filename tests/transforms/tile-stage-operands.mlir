// RUN: tessera-opt %s --set-machine=name=sm_90a --tile-stage-operands | FileCheck %s
// RUN: tessera-opt %s --set-machine=name=sm_80 --tile-stage-operands | FileCheck %s --check-prefix=OLDER
// OLDER-NOT: tile.read_shared

!A = !tsr.shared<["T.m", "T.k"], bf16, "">
!B = !tsr.shared<["T.k", "T.n"], bf16, "">
!C = !tile.fragment<["T.m", "T.n"], f32, #tile.grid<8 x 16>>
!Bytes = !tile.fragment<["T.m", "T.k"], i8, #tile.grid<8 x 16>>
!Words = !tile.fragment<["T.m", "T.k"], i32, #tile.grid<8 x 16>>
!Wide = !tile.fragment<["T.m", "T.k"], bf16, #tile.grid<8 x 16>>

// The bytes of which the left operand is computed come through shared memory, as they lie; the operand stays a fragment.
// CHECK-LABEL: tile.kernel @bytes
// CHECK: %[[TILE:.*]] = tile.alloc_shared : <["T.m", "T.k"], i8, "">
// CHECK: scf.for
// CHECK: tile.copy %a[{{.*}}size "T.m", {{.*}}size "T.k"] to %[[TILE]]
// CHECK: %[[READ:.*]] = tile.read_shared %[[TILE]]{{.*}} to <["T.m", "T.k"], i8
// CHECK: tile.cast %[[READ]]
// CHECK-NOT: tile.load_fragment
tile.kernel @bytes(%a: !tsr.view<["M", "K"], i8>, %b: !tsr.view<["K", "N"], bf16>, %c: !tsr.view<["M", "N"], f32>) attributes {
    dims = ["M", "K", "N"], params = [#tsr.param<"a", in>, #tsr.param<"b", in>, #tsr.param<"c", out>], outputs = [],
    context = ["m", "n", "k"], sizes = {m = 64 : i64, n = 128 : i64, k = 128 : i64},
    grid = #tsr.grid<output, ["T.m", "T.n"], param = 2>, group = 128 : i64} {
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
    %bytes = tile.load_fragment %a[%m size "T.m", %k size "T.k"] : <["M", "K"], i8> to !Bytes
    %wide = tile.cast %bytes : !Bytes to !Wide
    tile.write_shared %wide, %at[%c0 size "T.m" in_bounds, %c0 size "T.k" in_bounds] : !Wide, !A
    tile.copy %b[%k size "T.k", %n size "T.n"] to %bt : <["K", "N"], bf16> to !B
    %next = tile.dot %sum, %at, %bt : !C, !A, !B
    scf.yield %next : !C
  }
  tile.store_fragment %acc, %c[%m size "T.m", %n size "T.n"] : !C, <["M", "N"], f32>
  tile.kernel_end
}

// Bulk copies bring no 32-bit integers to panels: the lanes load them.
// CHECK-LABEL: tile.kernel @words
// CHECK: tile.load_fragment
// CHECK-NOT: tile.read_shared
tile.kernel @words(%a: !tsr.view<["M", "K"], i32>, %b: !tsr.view<["K", "N"], bf16>, %c: !tsr.view<["M", "N"], f32>) attributes {
    dims = ["M", "K", "N"], params = [#tsr.param<"a", in>, #tsr.param<"b", in>, #tsr.param<"c", out>], outputs = [],
    context = ["m", "n", "k"], sizes = {m = 64 : i64, n = 128 : i64, k = 128 : i64},
    grid = #tsr.grid<output, ["T.m", "T.n"], param = 2>, group = 128 : i64} {
  %at = tile.alloc_shared : !A
  %bt = tile.alloc_shared : !B
  %m = tile.query "origin"
  %n = tile.query "origin" {axis = 1 : i64}
  %c0 = tile.constant 0 : index
  %zero = tile.constant 0.0 : f32
  %start = tile.fill %zero : f32 to !C
  %words = tile.load_fragment %a[%m size "T.m", %c0 size "T.k"] : <["M", "K"], i32> to !Words
  %wide = tile.cast %words : !Words to !Wide
  tile.write_shared %wide, %at[%c0 size "T.m" in_bounds, %c0 size "T.k" in_bounds] : !Wide, !A
  tile.copy %b[%c0 size "T.k", %n size "T.n"] to %bt : <["K", "N"], bf16> to !B
  %next = tile.dot %start, %at, %bt : !C, !A, !B
  tile.store_fragment %next, %c[%m size "T.m", %n size "T.n"] : !C, <["M", "N"], f32>
  tile.kernel_end
}
