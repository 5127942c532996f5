// RUN: tessera-opt %s --tile-store-in-parts | FileCheck %s

!F = !tile.fragment<["128", "256"], f32, #tile.mma<8 x 1>>
!B = !tile.fragment<["128", "256"], bf16, #tile.mma<8 x 1>>
!C = !tile.fragment<["256"], f32, #tile.slice<0, #tile.mma<8 x 1>>>
!R = !tile.fragment<["128"], f32, #tile.slice<1, #tile.mma<8 x 1>>>
!W = !tile.fragment<["128", "128"], f32, #tile.mma<4 x 1>>
!P = !tile.fragment<["128", "128"], f32, #tile.mma<2 x 2>>
!Q = !tile.fragment<["128", "128"], bf16, #tile.mma<2 x 2>>

// The sums in f32 and two results of their size do not fit into the registers of 256 lanes: 64 columns at a time do. What
// belongs to columns is loaded for the part, what belongs to rows stays outside.
// CHECK-LABEL: tile.kernel @followed
// CHECK-SAME: "what follows the sums is done in parts of 64 columns, as their registers are few"
tile.kernel @followed(%y: !tsr.view<["M", "N"], bf16>, %z: !tsr.view<["M", "N"], bf16>, %b: !tsr.view<["N"], f32>,
    %r: !tsr.view<["M"], f32>, %n: index) attributes {dims = ["M", "N"], params = [#tsr.param<"y", out>, #tsr.param<"z", out>,
    #tsr.param<"b", in>, #tsr.param<"r", in>, #tsr.param<"n", in>], outputs = [], context = [], sizes = {},
    grid = #tsr.grid<explicit, ["1"]>, group = 256 : i64} {
  %zero = tile.constant 0.0 : f32
  %c0 = tile.constant 0 : index
  %acc = tile.fill %zero : f32 to !F
  %M = tile.dim "M"
  %one = tile.constant 1 : index
  // CHECK: %[[SUMS:.*]] = scf.for
  %sums = scf.for %i = %c0 to %M step %one iter_args(%a = %acc) -> (!F) {
    scf.yield %a : !F
  }
  // CHECK: %[[ROWS:.*]] = tile.load_fragment %r
  %rows = tile.load_fragment %r[%c0 size "128"] : !tsr.view<["M"], f32> to !R
  // CHECK: scf.for %[[PART:.*]] = %{{.*}} to %{{.*}} step
  // CHECK-NEXT: %[[ACC:.*]] = tile.columns %[[SUMS]], %[[PART]]
  // CHECK-NEXT: %[[P:.*]] = tile.cast %[[ACC]]
  %p = tile.cast %sums : !F to !B
  // CHECK-NEXT: %[[AT:.*]] = tile.elementwise "add" %n, %[[PART]] : index
  // CHECK-NEXT: tile.load_fragment %b[%[[AT]] size "64"]
  %cols = tile.load_fragment %b[%n size "256"] : !tsr.view<["N"], f32> to !C
  %bias = tile.broadcast %cols : !C to !F
  // CHECK: tile.broadcast %[[ROWS]]
  %scale = tile.broadcast %rows : !R to !F
  %scaled = tile.elementwise "mul" %sums, %scale : !F
  %added = tile.elementwise "add" %scaled, %bias : !F
  %q = tile.cast %added : !F to !B
  // CHECK: tile.store_fragment %[[P]], %y[%{{.*}} size "128", %{{.*}} size "64"]
  tile.store_fragment %p, %y[%c0 size "128", %n size "256"] : !B, !tsr.view<["M", "N"], bf16>
  // CHECK: tile.store_fragment %{{.*}}, %z[%{{.*}} size "128", %{{.*}} size "64"]
  tile.store_fragment %q, %z[%c0 size "128", %n size "256"] : !B, !tsr.view<["M", "N"], bf16>
  // CHECK: tsr.unrolled
  tile.kernel_end
}

// One result in 16 bits fits beside the sums.
// CHECK-LABEL: tile.kernel @plain
// CHECK-NOT: tile.columns
tile.kernel @plain(%y: !tsr.view<["M", "N"], bf16>) attributes {dims = ["M", "N"], params = [#tsr.param<"y", out>], outputs = [],
    context = [], sizes = {}, grid = #tsr.grid<explicit, ["1"]>, group = 256 : i64} {
  %zero = tile.constant 0.0 : f32
  %c0 = tile.constant 0 : index
  %acc = tile.fill %zero : f32 to !F
  %M = tile.dim "M"
  %one = tile.constant 1 : index
  %sums = scf.for %i = %c0 to %M step %one iter_args(%a = %acc) -> (!F) {
    scf.yield %a : !F
  }
  %p = tile.cast %sums : !F to !B
  tile.store_fragment %p, %y[%c0 size "128", %c0 size "256"] : !B, !tsr.view<["M", "N"], bf16>
  tile.kernel_end
}

// The sums of rows need whole rows.
// CHECK-LABEL: tile.kernel @normed
// CHECK-NOT: tile.columns
tile.kernel @normed(%y: !tsr.view<["M", "N"], bf16>, %z: !tsr.view<["M", "N"], f32>) attributes {dims = ["M", "N"],
    params = [#tsr.param<"y", out>, #tsr.param<"z", out>], outputs = [], context = [], sizes = {},
    grid = #tsr.grid<explicit, ["1"]>, group = 256 : i64} {
  %zero = tile.constant 0.0 : f32
  %c0 = tile.constant 0 : index
  %acc = tile.fill %zero : f32 to !F
  %M = tile.dim "M"
  %one = tile.constant 1 : index
  %sums = scf.for %i = %c0 to %M step %one iter_args(%a = %acc) -> (!F) {
    scf.yield %a : !F
  }
  %e = tile.elementwise "exp" %sums : !F
  %total = tile.reduce "sum" %e {axis = 1 : i64} : !F to !R
  %totals = tile.broadcast %total : !R to !F
  %w = tile.elementwise "div" %e, %totals : !F
  %p = tile.cast %w : !F to !B
  tile.store_fragment %p, %y[%c0 size "128", %c0 size "256"] : !B, !tsr.view<["M", "N"], bf16>
  tile.store_fragment %w, %z[%c0 size "128", %c0 size "256"] : !F, !tsr.view<["M", "N"], f32>
  tile.kernel_end
}

// A warpgroup has twice as many of these sums, and what is read and stored has 32 bits: half of the columns at a time.
// CHECK-LABEL: tile.kernel @wide
// CHECK-SAME: "what follows the sums is done in parts of 32 columns, as their registers are few"
tile.kernel @wide(%x: !tsr.view<["M", "N"], f32>, %y: !tsr.view<["M", "N"], f32>) attributes {dims = ["M", "N"], params = [#tsr.param<"x", in>, #tsr.param<"y", out>],
    outputs = [], context = [], sizes = {}, grid = #tsr.grid<explicit, ["1"]>, group = 128 : i64} {
  %zero = tile.constant 0.0 : f32
  %c0 = tile.constant 0 : index
  %acc = tile.fill %zero : f32 to !W
  %M = tile.dim "M"
  %one = tile.constant 1 : index
  %sums = scf.for %i = %c0 to %M step %one iter_args(%a = %acc) -> (!W) {
    scf.yield %a : !W
  }
  // CHECK: tile.load_fragment %x[%{{.*}} size "128", %{{.*}} size "32"]
  %r = tile.load_fragment %x[%c0 size "128", %c0 size "128"] : !tsr.view<["M", "N"], f32> to !W
  %s = tile.elementwise "add" %sums, %r : !W
  // CHECK: tile.store_fragment %{{.*}}, %y[%{{.*}} size "128", %{{.*}} size "32"]
  tile.store_fragment %s, %y[%c0 size "128", %c0 size "128"] : !W, !tsr.view<["M", "N"], f32>
  tile.kernel_end
}

// Warps whose instructions take operands from registers: with one result, too, and in parts of as many elements of a lane.
// CHECK-LABEL: tile.kernel @of_warps
// CHECK-SAME: "what follows the sums is done in parts of 32 columns, as their registers are few"
tile.kernel @of_warps(%y: !tsr.view<["M", "N"], bf16>) attributes {dims = ["M", "N"], params = [#tsr.param<"y", out>],
    outputs = [], context = [], sizes = {}, grid = #tsr.grid<explicit, ["1"]>, group = 128 : i64} {
  %zero = tile.constant 0.0 : f32
  %c0 = tile.constant 0 : index
  %acc = tile.fill %zero : f32 to !P
  %M = tile.dim "M"
  %one = tile.constant 1 : index
  %sums = scf.for %i = %c0 to %M step %one iter_args(%a = %acc) -> (!P) {
    scf.yield %a : !P
  }
  %p = tile.cast %sums : !P to !Q
  // CHECK: tile.store_fragment %{{.*}}, %y[%{{.*}} size "128", %{{.*}} size "32"]
  tile.store_fragment %p, %y[%c0 size "128", %c0 size "128"] : !Q, !tsr.view<["M", "N"], bf16>
  tile.kernel_end
}

// Sums that are stored as they are need no registers besides.
// CHECK-LABEL: tile.kernel @sums_of_warps
// CHECK-NOT: tile.columns
tile.kernel @sums_of_warps(%y: !tsr.view<["M", "N"], f32>) attributes {dims = ["M", "N"], params = [#tsr.param<"y", out>],
    outputs = [], context = [], sizes = {}, grid = #tsr.grid<explicit, ["1"]>, group = 128 : i64} {
  %zero = tile.constant 0.0 : f32
  %c0 = tile.constant 0 : index
  %acc = tile.fill %zero : f32 to !P
  %M = tile.dim "M"
  %one = tile.constant 1 : index
  %sums = scf.for %i = %c0 to %M step %one iter_args(%a = %acc) -> (!P) {
    scf.yield %a : !P
  }
  tile.store_fragment %sums, %y[%c0 size "128", %c0 size "128"] : !P, !tsr.view<["M", "N"], f32>
  tile.kernel_end
}
