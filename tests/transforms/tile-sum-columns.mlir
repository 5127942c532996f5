// RUN: tessera-opt %s --tile-sum-columns --split-input-file | FileCheck %s

!F = !tile.fragment<["128", "64"], f32, #tile.mma<8 x 1>>
!H = !tile.fragment<["128", "64"], bf16, #tile.mma<8 x 1>>

// Of %dx only sums of columns are asked for: each 16 rows are added up where they are, and the loop goes over those sums.
// CHECK-LABEL: tile.kernel @product
// CHECK-SAME: %dx_sums: !tsr.view<["(M + 15) // 16", "256"], f32>
// CHECK-SAME: grid = #tsr.grid<output, ["128", "64"], param = 1>
// CHECK-SAME: "%0: each 16 rows of the tile are added up, as only sums of columns are asked for"
// CHECK-NOT: tile.store_fragment %{{.*}}, %dx
// CHECK: tile.store_fragment %{{.*}}, %y
// CHECK-NEXT: %[[ROWS:.*]] = tile.dim "M"
// CHECK-NEXT: tile.store_column_sums %{{.*}}, %dx_sums[%{{.*}}, %{{.*}}] rows %[[ROWS]]
tile.kernel @product(%dx: !tsr.view<["M", "256"], f32>, %y: !tsr.view<["M", "256"], bf16>) attributes {dims = ["M"],
    params = [#tsr.param<"dx", out>, #tsr.param<"y", out>], outputs = [], context = [], sizes = {},
    grid = #tsr.grid<output, ["128", "64"], param = 0>, group = 256 : i64} {
  %m = tile.query "origin" {axis = 0 : i64}
  %n = tile.query "origin" {axis = 1 : i64}
  %zero = tile.constant 1.0 : f32
  %acc = tile.fill %zero : f32 to !F
  tile.store_fragment %acc, %dx[%m size "128", %n size "64"] : !F, <["M", "256"], f32>
  %narrow = tile.cast %acc : !F to !H
  tile.store_fragment %narrow, %y[%m size "128", %n size "64"] : !H, <["M", "256"], bf16>
  tile.kernel_end
}

// CHECK-LABEL: tile.kernel @columns
// CHECK-SAME: %dx_sums: !tsr.view<["(M + 15) // 16", "256"], f32>
// CHECK: %[[END:.*]] = tile.dim "(M + 15) // 16"
// CHECK: scf.for %{{.*}} = %{{.*}} to %[[END]]
tile.kernel @columns(%dx: !tsr.view<["M", "256"], f32>, %db: !tsr.view<["256"], f32>) attributes {dims = ["M"],
    params = [#tsr.param<"dx", in>, #tsr.param<"db", out>], outputs = [], grid = #tsr.grid<lanes, ["256"]>, group = 256 : i64} {
  %i = tile.query "linear_id"
  %count = tile.constant 256 : index
  %inside = tile.elementwise "lt" %i, %count : index
  scf.if %inside {
    %zero = tile.constant 0.0 : f32
    %c0 = tile.constant 0 : index
    %M = tile.dim "M"
    %one = tile.constant 1 : index
    %sum = scf.for %k = %c0 to %M step %one iter_args(%so_far = %zero) -> (f32) {
      %x = tile.load_element %dx[%k, %i] {in_bounds = array<i1: true, true>} : !tsr.view<["M", "256"], f32>
      %next = tile.elementwise "add" %so_far, %x : f32
      scf.yield %next : f32
    } {tsr.reduces = "sum"}
    tile.store_element %sum, %db[%i] {in_bounds = array<i1: true>} : f32, !tsr.view<["256"], f32>
  }
  tile.kernel_end
}

// CHECK-LABEL: tile.func @slopes
// CHECK: tile.temp : <["(M + 15) // 16", "256"], f32>
tile.func @slopes(%y: !tsr.view<["M", "256"], bf16>, %db: !tsr.view<["256"], f32>) attributes {dims = ["M"],
    params = [#tsr.param<"y", out>, #tsr.param<"db", out>], outputs = []} {
  %dx = tile.temp : <["M", "256"], f32>
  tile.launch @product(%dx, %y) : !tsr.view<["M", "256"], f32>, !tsr.view<["M", "256"], bf16>
  tile.launch @columns(%dx, %db) : !tsr.view<["M", "256"], f32>, !tsr.view<["256"], f32>
  tile.return
}

// -----

!F = !tile.fragment<["128", "64"], f32, #tile.mma<8 x 1>>

// A result stays as it is, whatever its columns are summed for.
// CHECK-LABEL: tile.kernel @product
// CHECK: tile.store_fragment
// CHECK-NOT: store_column_sums
tile.kernel @product(%dx: !tsr.view<["M", "256"], f32>, %y: !tsr.view<["M", "256"], f32>) attributes {dims = ["M"],
    params = [#tsr.param<"dx", out>, #tsr.param<"y", out>], outputs = [], context = [], sizes = {},
    grid = #tsr.grid<output, ["128", "64"], param = 1>, group = 256 : i64} {
  %m = tile.query "origin" {axis = 0 : i64}
  %n = tile.query "origin" {axis = 1 : i64}
  %zero = tile.constant 1.0 : f32
  %acc = tile.fill %zero : f32 to !F
  tile.store_fragment %acc, %dx[%m size "128", %n size "64"] : !F, <["M", "256"], f32>
  tile.store_fragment %acc, %y[%m size "128", %n size "64"] : !F, <["M", "256"], f32>
  tile.kernel_end
}

// CHECK-LABEL: tile.kernel @columns
// CHECK: tile.dim "M"
tile.kernel @columns(%dx: !tsr.view<["M", "256"], f32>, %db: !tsr.view<["256"], f32>) attributes {dims = ["M"],
    params = [#tsr.param<"dx", in>, #tsr.param<"db", out>], outputs = [], grid = #tsr.grid<lanes, ["256"]>, group = 256 : i64} {
  %i = tile.query "linear_id"
  %count = tile.constant 256 : index
  %inside = tile.elementwise "lt" %i, %count : index
  scf.if %inside {
    %zero = tile.constant 0.0 : f32
    %c0 = tile.constant 0 : index
    %M = tile.dim "M"
    %one = tile.constant 1 : index
    %sum = scf.for %k = %c0 to %M step %one iter_args(%so_far = %zero) -> (f32) {
      %x = tile.load_element %dx[%k, %i] {in_bounds = array<i1: true, true>} : !tsr.view<["M", "256"], f32>
      %next = tile.elementwise "add" %so_far, %x : f32
      scf.yield %next : f32
    } {tsr.reduces = "sum"}
    tile.store_element %sum, %db[%i] {in_bounds = array<i1: true>} : f32, !tsr.view<["256"], f32>
  }
  tile.kernel_end
}

tile.func @slopes(%dx: !tsr.view<["M", "256"], f32>, %db: !tsr.view<["256"], f32>) attributes {dims = ["M"],
    params = [#tsr.param<"dx", out>, #tsr.param<"db", out>], outputs = []} {
  %y = tile.temp : <["M", "256"], f32>
  tile.launch @product(%dx, %y) : !tsr.view<["M", "256"], f32>, !tsr.view<["M", "256"], f32>
  tile.launch @columns(%dx, %db) : !tsr.view<["M", "256"], f32>, !tsr.view<["256"], f32>
  tile.return
}

// -----

!F = !tile.fragment<["128", "64"], f32, #tile.mma<8 x 1>>

// Heads that lie apart: rows are those of the first two axes, columns those of the others.
// CHECK-LABEL: tile.kernel @heads
// CHECK-SAME: %dq_sums: !tsr.view<["16*B", "128"], f32>
// CHECK: tile.store_fragment %{{.*}}, %y
// CHECK: %[[ROWS:.*]] = tile.dim "256*B"
// CHECK: %[[FIRST:.*]] = tile.elementwise "mul" %{{.*}}, %{{.*}} : index
// CHECK: %[[ROW:.*]] = tile.elementwise "add" %[[FIRST]], %{{.*}} : index
// CHECK: tile.store_column_sums %{{.*}}, %dq_sums[%[[ROW]], %{{.*}}] rows %[[ROWS]]
tile.kernel @heads(%dq: !tsr.view<["B", "256", "2", "64"], f32>, %y: !tsr.view<["B", "256", "2", "64"], f32>) attributes {dims = ["B"],
    params = [#tsr.param<"dq", out>, #tsr.param<"y", out>], outputs = [], context = [], sizes = {},
    grid = #tsr.grid<output, ["1", "128", "1", "64"], param = 0>, group = 256 : i64} {
  %b = tile.query "origin" {axis = 0 : i64}
  %m = tile.query "origin" {axis = 1 : i64}
  %h = tile.query "origin" {axis = 2 : i64}
  %c0 = tile.constant 0 : index
  %zero = tile.constant 1.0 : f32
  %acc = tile.fill %zero : f32 to !F
  tile.store_fragment %acc, %dq[%b in_bounds, %m size "128" in_bounds, %h in_bounds, %c0 size "64" in_bounds] : !F, <["B", "256", "2", "64"], f32>
  tile.store_fragment %acc, %y[%b in_bounds, %m size "128" in_bounds, %h in_bounds, %c0 size "64" in_bounds] : !F, <["B", "256", "2", "64"], f32>
  tile.kernel_end
}

// CHECK-LABEL: tile.kernel @columns
// CHECK-SAME: %dq_sums: !tsr.view<["16*B", "128"], f32>
// CHECK: %[[I:.*]] = tile.query "linear_id"
// CHECK: scf.for %[[K:.*]] = %{{.*}} to
// CHECK: tile.load_element %dq_sums[%[[K]], %[[I]]]
tile.kernel @columns(%dq: !tsr.view<["B", "256", "2", "64"], f32>, %db: !tsr.view<["2", "64"], f32>) attributes {dims = ["B"],
    params = [#tsr.param<"dq", in>, #tsr.param<"db", out>], outputs = [], grid = #tsr.grid<lanes, ["128"]>, group = 256 : i64} {
  %i = tile.query "linear_id"
  %count = tile.constant 128 : index
  %inside = tile.elementwise "lt" %i, %count : index
  scf.if %inside {
    %c64 = tile.constant 64 : index
    %h = tile.elementwise "floordiv" %i, %c64 : index
    %d = tile.elementwise "mod" %i, %c64 : index
    %zero = tile.constant 0.0 : f32
    %c0 = tile.constant 0 : index
    %rows = tile.dim "256*B"
    %one = tile.constant 1 : index
    %sum = scf.for %k = %c0 to %rows step %one iter_args(%so_far = %zero) -> (f32) {
      %c256 = tile.constant 256 : index
      %b = tile.elementwise "floordiv" %k, %c256 : index
      %t = tile.elementwise "mod" %k, %c256 : index
      %x = tile.load_element %dq[%b, %t, %h, %d] {in_bounds = array<i1: true, true, true, true>} : !tsr.view<["B", "256", "2", "64"], f32>
      %next = tile.elementwise "add" %so_far, %x : f32
      scf.yield %next : f32
    } {tsr.reduces = "sum"}
    tile.store_element %sum, %db[%h, %d] {in_bounds = array<i1: true, true>} : f32, !tsr.view<["2", "64"], f32>
  }
  tile.kernel_end
}

// CHECK-LABEL: tile.func @slopes
// CHECK: tile.temp : <["16*B", "128"], f32>
tile.func @slopes(%y: !tsr.view<["B", "256", "2", "64"], f32>, %db: !tsr.view<["2", "64"], f32>) attributes {dims = ["B"],
    params = [#tsr.param<"y", out>, #tsr.param<"db", out>], outputs = []} {
  %dq = tile.temp : <["B", "256", "2", "64"], f32>
  tile.launch @heads(%dq, %y) : !tsr.view<["B", "256", "2", "64"], f32>, !tsr.view<["B", "256", "2", "64"], f32>
  tile.launch @columns(%dq, %db) : !tsr.view<["B", "256", "2", "64"], f32>, !tsr.view<["2", "64"], f32>
  tile.return
}
