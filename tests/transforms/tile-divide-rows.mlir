// RUN: tessera-opt %s --tile-divide-rows | FileCheck %s

!S = !tile.fragment<["16", "32"], f32, #tile.grid<4 x 8>>
!P = !tile.fragment<["16", "32"], bf16, #tile.grid<4 x 8>>
!R = !tile.fragment<["16"], f32, #tile.slice<1, #tile.grid<4 x 8>>>

// What is stored in bf16 is multiplied by one reciprocal for each row.
// CHECK-LABEL: tile.kernel @rounded
// CHECK: %[[ONES:.*]] = tile.fill
// CHECK: %[[RECIPROCAL:.*]] = tile.elementwise "div" %[[ONES]], %{{.*}} : !tile.fragment<["16"]
// CHECK: %[[EACH:.*]] = tile.broadcast %[[RECIPROCAL]]
// CHECK: tile.elementwise "mul" %{{.*}}, %[[EACH]]
// CHECK-NOT: tile.elementwise "div"
tile.kernel @rounded(%x: !tsr.view<["16", "32"], f32>, %y: !tsr.view<["16", "32"], bf16>) attributes {dims = [],
    params = [#tsr.param<"x", in>, #tsr.param<"y", out>], outputs = [], context = [], sizes = {}, grid = #tsr.grid<explicit, ["1"]>, group = 32 : i64} {
  %c0 = tile.constant 0 : index
  %s = tile.load_fragment %x[%c0 size "16", %c0 size "32"] : !tsr.view<["16", "32"], f32> to !S
  %sum = tile.reduce "sum" %s {axis = 1 : i64} : <["16", "32"], f32, #tile.grid<4 x 8>> to !R
  %each = tile.broadcast %sum : <["16"], f32, #tile.slice<1, #tile.grid<4 x 8>>> to <["16", "32"], f32, #tile.grid<4 x 8>>
  %share = tile.elementwise "div" %s, %each : !S
  %rounded = tile.cast %share : !S to !P
  tile.store_fragment %rounded, %y[%c0 size "16", %c0 size "32"] : !P, <["16", "32"], bf16>
  tile.kernel_end
}

// In f32 the quotient is what the program asks for.
// CHECK-LABEL: tile.kernel @exact
// CHECK-NOT: tile.elementwise "mul"
// CHECK: tile.elementwise "div"
tile.kernel @exact(%x: !tsr.view<["16", "32"], f32>, %y: !tsr.view<["16", "32"], f32>) attributes {dims = [],
    params = [#tsr.param<"x", in>, #tsr.param<"y", out>], outputs = [], context = [], sizes = {}, grid = #tsr.grid<explicit, ["1"]>, group = 32 : i64} {
  %c0 = tile.constant 0 : index
  %s = tile.load_fragment %x[%c0 size "16", %c0 size "32"] : !tsr.view<["16", "32"], f32> to !S
  %sum = tile.reduce "sum" %s {axis = 1 : i64} : <["16", "32"], f32, #tile.grid<4 x 8>> to !R
  %each = tile.broadcast %sum : <["16"], f32, #tile.slice<1, #tile.grid<4 x 8>>> to <["16", "32"], f32, #tile.grid<4 x 8>>
  %share = tile.elementwise "div" %s, %each : !S
  tile.store_fragment %share, %y[%c0 size "16", %c0 size "32"] : !S, <["16", "32"], f32>
  tile.kernel_end
}

// Of a row that lanes go through, one reciprocal before the loop.
// CHECK-LABEL: tile.kernel @lanes
// CHECK: %[[SUM:.*]] = tile.group_reduce
// CHECK: %[[ONE:.*]] = tile.constant 1.000000e+00 : f32
// CHECK: %[[RECIPROCAL:.*]] = tile.elementwise "div" %[[ONE]], %[[SUM]] : f32
// CHECK: scf.for
// CHECK: tile.elementwise "mul" %{{.*}}, %[[RECIPROCAL]] : f32
// CHECK-NOT: tile.elementwise "div"
tile.kernel @lanes(%x: !tsr.view<["R", "C"], f32>, %y: !tsr.view<["R", "C"], bf16>) attributes {dims = ["R", "C"],
    params = [#tsr.param<"x", in>, #tsr.param<"y", out>], outputs = [], context = [], sizes = {}, grid = #tsr.grid<output, ["1", "C"], param = 1>, group = 256 : i64} {
  %row = tile.query "origin"
  %lane = tile.query "local_id"
  %lanes = tile.query "group_size"
  %C = tile.dim "C"
  %zero = tile.constant 0.0 : f32
  %s = scf.for %c = %lane to %C step %lanes iter_args(%sum = %zero) -> f32 {
    %e = tile.load_element %x[%row, %c] {in_bounds = array<i1: true, true>} : !tsr.view<["R", "C"], f32>
    %p = tile.elementwise "exp" %e : f32
    %next = tile.elementwise "add" %sum, %p : f32
    scf.yield %next : f32
  } {tsr.reduces = "sum"}
  %sum = tile.group_reduce "sum" %s : f32
  scf.for %c = %lane to %C step %lanes {
    %e = tile.load_element %x[%row, %c] {in_bounds = array<i1: true, true>} : !tsr.view<["R", "C"], f32>
    %p = tile.elementwise "exp" %e : f32
    %part = tile.elementwise "div" %p, %sum : f32
    %rounded = tile.cast %part : f32 to bf16
    tile.store_element %rounded, %y[%row, %c] {in_bounds = array<i1: true, true>} : bf16, !tsr.view<["R", "C"], bf16>
  }
  tile.kernel_end
}

// CHECK-LABEL: tile.kernel @lanes_in_full
// CHECK: scf.for
// CHECK: scf.for
// CHECK-NOT: tile.elementwise "mul"
// CHECK: tile.elementwise "div"
tile.kernel @lanes_in_full(%x: !tsr.view<["R", "C"], f32>, %y: !tsr.view<["R", "C"], f32>) attributes {dims = ["R", "C"],
    params = [#tsr.param<"x", in>, #tsr.param<"y", out>], outputs = [], context = [], sizes = {}, grid = #tsr.grid<output, ["1", "C"], param = 1>, group = 256 : i64} {
  %row = tile.query "origin"
  %lane = tile.query "local_id"
  %lanes = tile.query "group_size"
  %C = tile.dim "C"
  %zero = tile.constant 0.0 : f32
  %s = scf.for %c = %lane to %C step %lanes iter_args(%sum = %zero) -> f32 {
    %e = tile.load_element %x[%row, %c] {in_bounds = array<i1: true, true>} : !tsr.view<["R", "C"], f32>
    %p = tile.elementwise "exp" %e : f32
    %next = tile.elementwise "add" %sum, %p : f32
    scf.yield %next : f32
  } {tsr.reduces = "sum"}
  %sum = tile.group_reduce "sum" %s : f32
  scf.for %c = %lane to %C step %lanes {
    %e = tile.load_element %x[%row, %c] {in_bounds = array<i1: true, true>} : !tsr.view<["R", "C"], f32>
    %p = tile.elementwise "exp" %e : f32
    %part = tile.elementwise "div" %p, %sum : f32
    tile.store_element %part, %y[%row, %c] {in_bounds = array<i1: true, true>} : f32, !tsr.view<["R", "C"], f32>
  }
  tile.kernel_end
}
