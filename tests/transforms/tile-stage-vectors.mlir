// RUN: tessera-opt %s --tile-stage-vectors | FileCheck %s
// RUN: tessera-opt %s --set-machine=name=sm_90a --tile-stage-vectors --tile-specialise-roles --tile-group-products --tile-take-turns | FileCheck %s --check-prefix=ROLES

!K = !tsr.shared<["128", "64"], bf16, "panels">
!Q = !tsr.shared<["64", "64"], bf16, "panels">
!S = !tile.fragment<["128", "64"], f32, #tile.mma<8 x 1>>
!P = !tile.fragment<["128", "64"], bf16, #tile.mma<8 x 1>>
!C = !tile.fragment<["64"], f32, #tile.slice<0, #tile.mma<8 x 1>>>

// The numbers of a tile's columns come with the tile, and lie where it lies: the producer brings them, one ring for both. They are read
// when the product is there.
// CHECK-LABEL: tile.kernel @columns
// CHECK: %[[ROW:[a-z_0-9]+]] = tile.alloc_shared : <["1", "64"], f32, "">
// CHECK: scf.for %[[N:[a-z0-9]+]] =
// CHECK: tile.copy %l[%{{.*}} size "1", %[[N]] size "64"] to %[[ROW]]
// CHECK: tile.read_shared %[[ROW]][%{{.*}} in_bounds, %{{.*}} size "64" in_bounds] : <["1", "64"], f32, ""> to <["64"]
// CHECK-NOT: tile.load_fragment
// ROLES-LABEL: tile.kernel @columns
// ROLES: tile.roles
// ROLES: scf.for
// ROLES: tile.ring_acquire
// ROLES: tile.copy %q
// ROLES: tile.copy %l
// ROLES: tile.ring_publish
// ROLES: } consumers {
// ROLES: tile.take_turn
// ROLES: scf.for
// ROLES: tile.ring_wait
// ROLES: tile.dot
// ROLES: tile.pass_turn
// ROLES: tile.read_shared
// ROLES: tile.elementwise "mul"
// ROLES: tile.take_turn
// ROLES: tile.dot
// ROLES: tile.ring_release
tile.kernel @columns(%k: !tsr.view<["H", "M", "64"], bf16>, %q: !tsr.view<["H", "M", "64"], bf16>, %l: !tsr.view<["H", "M"], f32>, %y: !tsr.view<["H", "M", "64"], f32>) attributes {dims = ["H", "M"],
    params = [#tsr.param<"k", in>, #tsr.param<"q", in>, #tsr.param<"l", in>, #tsr.param<"y", out>], outputs = [], context = ["m", "stages"], sizes = {m = 128 : i64, stages = 2 : i64},
    grid = #tsr.grid<output, ["1", "T.m", "64"], param = 3>, group = 256 : i64} {
  %kt = tile.alloc_shared : !K
  %qt = tile.alloc_shared : !Q
  %h = tile.query "origin"
  %m = tile.query "origin" {axis = 1 : i64}
  %c0 = tile.constant 0 : index
  %step = tile.constant 64 : index
  %M = tile.dim "M"
  %zero = tile.constant 0.0 : f32
  %start = tile.fill %zero : f32 to !S
  tile.copy %k[%h, %m size "128", %c0 size "64" in_bounds] to %kt : <["H", "M", "64"], bf16> to !K
  %sum = scf.for %n = %c0 to %M step %step iter_args(%acc = %start) -> (!S) {
    tile.copy %q[%h, %n size "64", %c0 size "64" in_bounds] to %qt : <["H", "M", "64"], bf16> to !Q
    %s = tile.dot %start, %kt, %qt {trans_b} : !S, !K, !Q
    %row = tile.load_fragment %l[%h, %n size "64"] : !tsr.view<["H", "M"], f32> to !C
    %each = tile.broadcast %row : <["64"], f32, #tile.slice<0, #tile.mma<8 x 1>>> to <["128", "64"], f32, #tile.mma<8 x 1>>
    %w = tile.elementwise "mul" %s, %each : !S
    %left = tile.cast %w : !S to !P
    %next = tile.dot %acc, %left, %qt : !S, !P, !Q
    scf.yield %next : !S
  }
  tile.store_fragment %sum, %y[%h, %m size "128", %c0 size "64" in_bounds] : !S, <["H", "M", "64"], f32>
  tile.kernel_end
}

// So do two rows of one input that lie elsewhere than the tile, as its scales do: where they lie follows from the counter of the loop.
// CHECK-LABEL: tile.kernel @scales
// CHECK: scf.for %[[N:[a-z0-9]+]] =
// CHECK: tile.copy %l[%[[N]] size "1", %{{.*}} size "64"] to %[[FIRST:[a-z_0-9]+]]
// CHECK: tile.read_shared %[[FIRST]][
// CHECK: tile.copy %l[%{{.*}} size "1", %{{.*}} size "64"] to %[[SECOND:[a-z_0-9]+]]
// CHECK: tile.read_shared %[[SECOND]][
// CHECK-NOT: tile.load_fragment
tile.kernel @scales(%k: !tsr.view<["H", "M", "64"], bf16>, %q: !tsr.view<["H", "M", "64"], bf16>, %l: !tsr.view<["2*M", "M"], f32>, %y: !tsr.view<["H", "M", "64"], f32>) attributes {dims = ["H", "M"],
    params = [#tsr.param<"k", in>, #tsr.param<"q", in>, #tsr.param<"l", in>, #tsr.param<"y", out>], outputs = [], context = ["m", "stages"], sizes = {m = 128 : i64, stages = 2 : i64},
    grid = #tsr.grid<output, ["1", "T.m", "64"], param = 3>, group = 256 : i64} {
  %kt = tile.alloc_shared : !K
  %qt = tile.alloc_shared : !Q
  %h = tile.query "origin"
  %m = tile.query "origin" {axis = 1 : i64}
  %c0 = tile.constant 0 : index
  %step = tile.constant 64 : index
  %M = tile.dim "M"
  %zero = tile.constant 0.0 : f32
  %start = tile.fill %zero : f32 to !S
  tile.copy %k[%h, %m size "128", %c0 size "64" in_bounds] to %kt : <["H", "M", "64"], bf16> to !K
  %sum = scf.for %n = %c0 to %M step %step iter_args(%acc = %start) -> (!S) {
    tile.copy %q[%h, %n size "64", %c0 size "64" in_bounds] to %qt : <["H", "M", "64"], bf16> to !Q
    %s = tile.dot %acc, %kt, %qt {trans_b} : !S, !K, !Q
    %below = tile.elementwise "add" %n, %M : index
    %one = tile.load_fragment %l[%n, %m size "64"] : !tsr.view<["2*M", "M"], f32> to !C
    %two = tile.load_fragment %l[%below, %m size "64"] : !tsr.view<["2*M", "M"], f32> to !C
    %both = tile.elementwise "add" %one, %two : !C
    %each = tile.broadcast %both : <["64"], f32, #tile.slice<0, #tile.mma<8 x 1>>> to <["128", "64"], f32, #tile.mma<8 x 1>>
    %w = tile.elementwise "mul" %s, %each : !S
    scf.yield %w : !S
  }
  tile.store_fragment %sum, %y[%h, %m size "128", %c0 size "64" in_bounds] : !S, <["H", "M", "64"], f32>
  tile.kernel_end
}

// A vector that is the same in each turn is loaded by those who need it, and so is one along one axis; so is one that is read in another way, too.
// CHECK-LABEL: tile.kernel @elsewhere
// CHECK-NOT: tile.read_shared
// CHECK: tile.load_fragment
// CHECK: tile.load_fragment
// CHECK-LABEL: tile.kernel @twice
// CHECK-NOT: tile.read_shared
// CHECK: tile.load_fragment
tile.kernel @elsewhere(%k: !tsr.view<["H", "M", "64"], bf16>, %q: !tsr.view<["H", "M", "64"], bf16>, %l: !tsr.view<["H", "M"], f32>, %r: !tsr.view<["M"], f32>, %y: !tsr.view<["H", "M", "64"], f32>) attributes {dims = ["H", "M"],
    params = [#tsr.param<"k", in>, #tsr.param<"q", in>, #tsr.param<"l", in>, #tsr.param<"r", in>, #tsr.param<"y", out>], outputs = [], context = ["m"], sizes = {m = 128 : i64},
    grid = #tsr.grid<output, ["1", "T.m", "64"], param = 4>, group = 256 : i64} {
  %kt = tile.alloc_shared : !K
  %qt = tile.alloc_shared : !Q
  %h = tile.query "origin"
  %m = tile.query "origin" {axis = 1 : i64}
  %c0 = tile.constant 0 : index
  %step = tile.constant 64 : index
  %M = tile.dim "M"
  %zero = tile.constant 0.0 : f32
  %start = tile.fill %zero : f32 to !S
  tile.copy %k[%h, %m size "128", %c0 size "64" in_bounds] to %kt : <["H", "M", "64"], bf16> to !K
  %sum = scf.for %n = %c0 to %M step %step iter_args(%acc = %start) -> (!S) {
    tile.copy %q[%h, %n size "64", %c0 size "64" in_bounds] to %qt : <["H", "M", "64"], bf16> to !Q
    %s = tile.dot %acc, %kt, %qt {trans_b} : !S, !K, !Q
    %row = tile.load_fragment %l[%h, %m size "64"] : !tsr.view<["H", "M"], f32> to !C
    %alone = tile.load_fragment %r[%n size "64"] : !tsr.view<["M"], f32> to !C
    %both = tile.elementwise "add" %row, %alone : !C
    %each = tile.broadcast %both : <["64"], f32, #tile.slice<0, #tile.mma<8 x 1>>> to <["128", "64"], f32, #tile.mma<8 x 1>>
    %w = tile.elementwise "mul" %s, %each : !S
    scf.yield %w : !S
  }
  tile.store_fragment %sum, %y[%h, %m size "128", %c0 size "64" in_bounds] : !S, <["H", "M", "64"], f32>
  tile.kernel_end
}

tile.kernel @twice(%k: !tsr.view<["H", "M", "64"], bf16>, %q: !tsr.view<["H", "M", "64"], bf16>, %l: !tsr.view<["H", "M"], f32>, %y: !tsr.view<["H", "M", "64"], f32>) attributes {dims = ["H", "M"],
    params = [#tsr.param<"k", in>, #tsr.param<"q", in>, #tsr.param<"l", in>, #tsr.param<"y", out>], outputs = [], context = ["m"], sizes = {m = 128 : i64},
    grid = #tsr.grid<output, ["1", "T.m", "64"], param = 3>, group = 256 : i64} {
  %kt = tile.alloc_shared : !K
  %qt = tile.alloc_shared : !Q
  %h = tile.query "origin"
  %m = tile.query "origin" {axis = 1 : i64}
  %c0 = tile.constant 0 : index
  %step = tile.constant 64 : index
  %M = tile.dim "M"
  %zero = tile.constant 0.0 : f32
  %start = tile.fill %zero : f32 to !S
  %before = tile.load_element %l[%h, %m] : !tsr.view<["H", "M"], f32>
  tile.copy %k[%h, %m size "128", %c0 size "64" in_bounds] to %kt : <["H", "M", "64"], bf16> to !K
  %sum = scf.for %n = %c0 to %M step %step iter_args(%acc = %start) -> (!S) {
    tile.copy %q[%h, %n size "64", %c0 size "64" in_bounds] to %qt : <["H", "M", "64"], bf16> to !Q
    %s = tile.dot %acc, %kt, %qt {trans_b} : !S, !K, !Q
    %row = tile.load_fragment %l[%h, %n size "64"] : !tsr.view<["H", "M"], f32> to !C
    %each = tile.broadcast %row : <["64"], f32, #tile.slice<0, #tile.mma<8 x 1>>> to <["128", "64"], f32, #tile.mma<8 x 1>>
    %w = tile.elementwise "mul" %s, %each : !S
    scf.yield %w : !S
  }
  tile.store_fragment %sum, %y[%h, %m size "128", %c0 size "64" in_bounds] : !S, <["H", "M", "64"], f32>
  tile.kernel_end
}
