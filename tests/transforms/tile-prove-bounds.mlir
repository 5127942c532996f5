// RUN: tessera-opt %s --tile-prove-bounds | FileCheck %s

!F = !tile.fragment<["T.m", "T.n"], f32, #tile.grid<4 x 8>>
!R = !tile.fragment<["T.m", "T.n"], i32, #tile.grid<4 x 8>>

// Origins are multiples of the tile, and so are the extents.
// CHECK-LABEL: tile.kernel @divisible
// CHECK-SAME: reasons = ["no masks on %0, %1: every tile lies inside of its tensor"]
// CHECK: tile.load_fragment %x[%{{.*}} size "T.m" in_bounds, %{{.*}} size "T.n" in_bounds]
// CHECK: tile.store_fragment %{{.*}}, %y[%{{.*}} size "T.m" in_bounds, %{{.*}} size "T.n" in_bounds]
tile.kernel @divisible(%x: !tsr.view<["M", "N"], f32>, %y: !tsr.view<["M", "N"], f32>) attributes {dims = ["M", "N"],
    params = [#tsr.param<"x", in>, #tsr.param<"y", out>], outputs = [], context = ["m", "n"], sizes = {m = 16 : i64, n = 32 : i64},
    requirements = [#tsr.requirement<"M % 64" eq "0", "M % 64 == 0">, #tsr.requirement<"N % 32" eq "0", "N % 32 == 0">],
    grid = #tsr.grid<output, ["T.m", "T.n"], param = 1>, group = 32 : i64} {
  %m = tile.query "origin"
  %n = tile.query "origin" {axis = 1 : i64}
  %f = tile.load_fragment %x[%m size "T.m", %n size "T.n"] : <["M", "N"], f32> to !F
  tile.store_fragment %f, %y[%m size "T.m", %n size "T.n"] : !F, <["M", "N"], f32>
  tile.kernel_end
}

// 24 is no multiple of 16: the last tile of the rows reaches over the edge. Columns are proved all the same.
// CHECK-LABEL: tile.kernel @not_divisible
// CHECK-NOT: reasons
// CHECK: tile.load_fragment %x[%{{.*}} size "T.m", %{{.*}} size "T.n" in_bounds]
tile.kernel @not_divisible(%x: !tsr.view<["M", "N"], f32>, %y: !tsr.view<["M", "N"], f32>) attributes {dims = ["M", "N"],
    params = [#tsr.param<"x", in>, #tsr.param<"y", out>], outputs = [], context = ["m", "n"], sizes = {m = 16 : i64, n = 32 : i64},
    requirements = [#tsr.requirement<"M % 24" eq "0", "M % 24 == 0">, #tsr.requirement<"N % 32" eq "0", "N % 32 == 0">],
    grid = #tsr.grid<output, ["T.m", "T.n"], param = 1>, group = 32 : i64} {
  %m = tile.query "origin"
  %n = tile.query "origin" {axis = 1 : i64}
  %f = tile.load_fragment %x[%m size "T.m", %n size "T.n"] : <["M", "N"], f32> to !F
  tile.store_fragment %f, %y[%m size "T.m", %n size "T.n"] : !F, <["M", "N"], f32>
  tile.kernel_end
}

// A counter stays below its bound; the next block of a pipeline only under its condition.
// CHECK-LABEL: tile.kernel @loop
// CHECK: scf.if
// CHECK: tile.copy %x[%{{.*}} size "16" in_bounds, %{{.*}} size "32" in_bounds]
// CHECK: } else {
// CHECK: tile.copy %x[%{{.*}} size "16" in_bounds, %{{.*}} size "32"] to
// CHECK: tile.copy %x[%{{.*}} size "16" in_bounds, %arg{{.*}} size "32" in_bounds]
tile.kernel @loop(%x: !tsr.view<["M", "K"], f32>) attributes {dims = ["M", "K"], params = [#tsr.param<"x", in>], outputs = [],
    requirements = [#tsr.requirement<"M % 16" eq "0", "M % 16 == 0">, #tsr.requirement<"K % 32" eq "0", "K % 32 == 0">],
    grid = #tsr.grid<explicit, ["(M + 15) // 16"]>, group = 32 : i64} {
  %s = tile.alloc_shared : !tsr.shared<["16", "32"], f32, "">
  %g = tile.query "group_id"
  %rows = tile.constant 16 : index
  %m = tile.elementwise "mul" %g, %rows : index
  %zero = tile.constant 0 : index
  %K = tile.dim "K"
  %step = tile.constant 32 : index
  scf.for %k = %zero to %K step %step {
    %next = tile.elementwise "add" %k, %step : index
    %more = tile.elementwise "lt" %next, %K : index
    scf.if %more {
      tile.copy %x[%m size "16", %next size "32"] to %s : <["M", "K"], f32> to <["16", "32"], f32, "">
    } else {
      tile.copy %x[%m size "16", %next size "32"] to %s : <["M", "K"], f32> to <["16", "32"], f32, "">
    }
    tile.copy %x[%m size "16", %k size "32"] to %s : <["M", "K"], f32> to <["16", "32"], f32, "">
  }
  tile.kernel_end
}

// What is known inside of a loop is not known behind it: K may be 0.
// CHECK-LABEL: tile.kernel @behind_a_loop
// CHECK: tile.load_element %x[%{{.*}}] {in_bounds = array<i1: true>}
// CHECK: tile.load_element %x[%{{.*}}] : !tsr.view
tile.kernel @behind_a_loop(%x: !tsr.view<["K"], f32>) attributes {dims = ["K"], params = [#tsr.param<"x", in>], outputs = [],
    grid = #tsr.grid<explicit, ["1"]>, group = 32 : i64} {
  %zero = tile.constant 0 : index
  %one = tile.constant 1 : index
  %K = tile.dim "K"
  scf.for %k = %zero to %K step %one {
    %inside = tile.load_element %x[%zero] : !tsr.view<["K"], f32>
  }
  %behind = tile.load_element %x[%zero] : !tsr.view<["K"], f32>
  tile.kernel_end
}

// Where every row and column is real, nothing is hidden from a reduction.
// CHECK-LABEL: tile.kernel @no_mask
// CHECK-NOT: "select"
// CHECK: tile.kernel_end
// CHECK-LABEL: tile.kernel @mask
// CHECK: "select"
tile.kernel @no_mask(%x: !tsr.view<["M", "N"], f32>, %y: !tsr.view<["M", "N"], f32>) attributes {dims = ["M", "N"],
    params = [#tsr.param<"x", in>, #tsr.param<"y", out>], outputs = [], context = ["m", "n"], sizes = {m = 16 : i64, n = 32 : i64},
    requirements = [#tsr.requirement<"M % 16" eq "0", "M % 16 == 0">, #tsr.requirement<"N % 32" eq "0", "N % 32 == 0">],
    grid = #tsr.grid<output, ["T.m", "T.n"], param = 1>, group = 32 : i64} {
  %m = tile.query "origin"
  %n = tile.query "origin" {axis = 1 : i64}
  %f = tile.load_fragment %x[%m size "T.m", %n size "T.n"] : <["M", "N"], f32> to !F
  %N = tile.dim "N"
  %left = tile.elementwise "sub" %N, %n : index
  %valid = tile.cast %left : index to i32
  %limit = tile.fill %valid : i32 to !R
  %column = tile.iota {axis = 1 : i64} : !R
  %real = tile.elementwise "lt" %column, %limit : !R
  %low = tile.constant 0xFF800000 : f32
  %identity = tile.fill %low : f32 to !F
  %g = tile.elementwise "select" %real, %f, %identity : !F
  tile.store_fragment %g, %y[%m size "T.m", %n size "T.n"] : !F, <["M", "N"], f32>
  tile.kernel_end
}
tile.kernel @mask(%x: !tsr.view<["M", "N"], f32>, %y: !tsr.view<["M", "N"], f32>) attributes {dims = ["M", "N"],
    params = [#tsr.param<"x", in>, #tsr.param<"y", out>], outputs = [], context = ["m", "n"], sizes = {m = 16 : i64, n = 32 : i64},
    requirements = [#tsr.requirement<"M % 16" eq "0", "M % 16 == 0">],
    grid = #tsr.grid<output, ["T.m", "T.n"], param = 1>, group = 32 : i64} {
  %m = tile.query "origin"
  %n = tile.query "origin" {axis = 1 : i64}
  %f = tile.load_fragment %x[%m size "T.m", %n size "T.n"] : <["M", "N"], f32> to !F
  %N = tile.dim "N"
  %left = tile.elementwise "sub" %N, %n : index
  %valid = tile.cast %left : index to i32
  %limit = tile.fill %valid : i32 to !R
  %column = tile.iota {axis = 1 : i64} : !R
  %real = tile.elementwise "lt" %column, %limit : !R
  %low = tile.constant 0xFF800000 : f32
  %identity = tile.fill %low : f32 to !F
  %g = tile.elementwise "select" %real, %f, %identity : !F
  tile.store_fragment %g, %y[%m size "T.m", %n size "T.n"] : !F, <["M", "N"], f32>
  tile.kernel_end
}
