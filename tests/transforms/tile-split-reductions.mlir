// RUN: tessera-opt %s --tile-split-reductions | FileCheck %s

// A group for each part, on multiples of 2048 elements, and one group for the parts.
// CHECK-LABEL: tile.kernel @total_parts_kernel
// CHECK-SAME: grid = #tsr.grid<explicit
// CHECK: tile.query "group_id"
// CHECK: scf.for
// CHECK: tile.group_reduce "sum"
// CHECK: tile.once
// CHECK: tile.store_element %{{.*}}, %parts
// CHECK-LABEL: tile.kernel @total_kernel
// CHECK: scf.for %[[PART:.*]] = %{{.*}} to
// CHECK: tile.load_element %parts[%[[PART]]]
// CHECK: tile.group_reduce "sum"
// CHECK-LABEL: tile.func @total
// CHECK: %parts = tile.temp
// CHECK: tile.launch @total_parts_kernel(%x, %y, %parts)
// CHECK: tile.launch @total_kernel(%x, %y, %parts)
tile.kernel @total_kernel(%x: !tsr.view<["N"], f32>, %y: !tsr.view<[], f32>) attributes {dims = ["N"],
    params = [#tsr.param<"x", in>, #tsr.param<"y", out>], outputs = [], grid = #tsr.grid<explicit, ["1"]>, group = 256 : i64} {
  %lane = tile.query "local_id"
  %lanes = tile.query "group_size"
  %N = tile.dim "N"
  %zero = tile.constant 0.0 : f32
  %s = scf.for %c = %lane to %N step %lanes iter_args(%sum = %zero) -> f32 {
    %e = tile.load_element %x[%c] {in_bounds = array<i1: true>} : !tsr.view<["N"], f32>
    %next = tile.elementwise "add" %sum, %e : f32
    scf.yield %next : f32
  } {tsr.reduces = "sum"}
  %all = tile.group_reduce "sum" %s : f32
  tile.once {
    tile.store_element %all, %y[] : f32, !tsr.view<[], f32>
  }
  tile.kernel_end
}
tile.func @total(%x: !tsr.view<["N"], f32>, %y: !tsr.view<[], f32>) attributes {dims = ["N"],
    params = [#tsr.param<"x", in>, #tsr.param<"y", out>], outputs = []} {
  tile.launch @total_kernel(%x, %y) : !tsr.view<["N"], f32>, !tsr.view<[], f32>
  tile.return
}

// Columns: a lane adds up a part of its column.
// CHECK-LABEL: tile.kernel @columns_parts_kernel
// CHECK-SAME: grid = #tsr.grid<lanes
// CHECK: tile.elementwise "floordiv"
// CHECK: tile.store_element %{{.*}}, %parts[%{{.*}}, %{{.*}}]
// Where there may be many parts, the lanes of a group share those of 32 columns, and the first of them add up what all found.
// CHECK-LABEL: tile.kernel @columns_kernel
// CHECK-SAME: grid = #tsr.grid<explicit, ["(N + 31) // 32"]>, group = 1024
// CHECK: %[[OWN:.*]] = tile.alloc_shared {manual} : <["32", "32"], f32, "">
// CHECK: %own_column = tile.elementwise "mod"
// CHECK: %share = tile.elementwise "floordiv"
// CHECK: scf.for %[[PART:[a-z0-9]+]] = %share to
// CHECK: tile.load_element %parts[%[[PART]], %column]
// CHECK: tile.store_element %{{.*}}, %[[OWN]][%share, %own_column]
// CHECK-NEXT: tile.barrier
// CHECK: scf.if
// CHECK: scf.for %[[FROM:[a-z0-9]+]] =
// CHECK: tile.load_element %[[OWN]][%[[FROM]], %own_column]
// CHECK: tile.store_element %{{.*}}, %y[%column]
tile.kernel @columns_kernel(%x: !tsr.view<["M", "N"], f32>, %y: !tsr.view<["N"], f32>) attributes {dims = ["M", "N"],
    params = [#tsr.param<"x", in>, #tsr.param<"y", out>], outputs = [], grid = #tsr.grid<lanes, ["N"]>, group = 256 : i64} {
  %i = tile.query "linear_id"
  %N = tile.dim "N"
  %inside = tile.elementwise "lt" %i, %N : index
  scf.if %inside {
    %first = tile.constant 0 : index
    %one = tile.constant 1 : index
    %M = tile.dim "M"
    %zero = tile.constant 0.0 : f32
    %s = scf.for %k = %first to %M step %one iter_args(%sum = %zero) -> f32 {
      %e = tile.load_element %x[%k, %i] {in_bounds = array<i1: true, true>} : !tsr.view<["M", "N"], f32>
      %next = tile.elementwise "add" %sum, %e : f32
      scf.yield %next : f32
    } {tsr.reduces = "sum"}
    tile.store_element %s, %y[%i] {in_bounds = array<i1: true>} : f32, !tsr.view<["N"], f32>
  }
  tile.kernel_end
}
tile.func @columns(%x: !tsr.view<["M", "N"], f32>, %y: !tsr.view<["N"], f32>) attributes {dims = ["M", "N"],
    params = [#tsr.param<"x", in>, #tsr.param<"y", out>], outputs = []} {
  tile.launch @columns_kernel(%x, %y) : !tsr.view<["M", "N"], f32>, !tsr.view<["N"], f32>
  tile.return
}

// Several reductions in one loop: parts of each, and one loop that adds them up.
// CHECK-LABEL: tile.kernel @moments_parts_kernel
// CHECK: %[[PARTS:.*]]:2 = scf.for
// CHECK: tile.store_element %[[PARTS]]#0, %parts[
// CHECK: tile.store_element %[[PARTS]]#1, %parts2[
// CHECK-LABEL: tile.kernel @moments_kernel
// CHECK: scf.for
// CHECK: tile.load_element %[[A:.*]][%{{.*}}, %{{.*}}]
// CHECK: tile.elementwise "add"
// CHECK: tile.load_element %[[B:.*]][%{{.*}}, %{{.*}}]
// CHECK: tile.elementwise "max"
// CHECK-LABEL: tile.func @moments
// CHECK: %parts{{.*}} = tile.temp
// CHECK: %parts2{{.*}} = tile.temp
// CHECK: tile.launch @moments_parts_kernel(
// CHECK: tile.launch @moments_kernel(
tile.kernel @moments_kernel(%x: !tsr.view<["M", "N"], f32>, %y: !tsr.view<["N"], f32>, %z: !tsr.view<["N"], f32>) attributes {dims = ["M", "N"],
    params = [#tsr.param<"x", in>, #tsr.param<"y", out>, #tsr.param<"z", out>], outputs = [], grid = #tsr.grid<lanes, ["N"]>, group = 256 : i64} {
  %i = tile.query "linear_id"
  %N = tile.dim "N"
  %inside = tile.elementwise "lt" %i, %N : index
  scf.if %inside {
    %first = tile.constant 0 : index
    %one = tile.constant 1 : index
    %M = tile.dim "M"
    %zero = tile.constant 0.0 : f32
    %s:2 = scf.for %k = %first to %M step %one iter_args(%sum = %zero, %most = %zero) -> (f32, f32) {
      %e = tile.load_element %x[%k, %i] {in_bounds = array<i1: true, true>} : !tsr.view<["M", "N"], f32>
      %next = tile.elementwise "add" %sum, %e : f32
      %larger = tile.elementwise "max" %most, %e : f32
      scf.yield %next, %larger : f32, f32
    } {tsr.reduces = ["sum", "max"]}
    tile.store_element %s#0, %y[%i] {in_bounds = array<i1: true>} : f32, !tsr.view<["N"], f32>
    tile.store_element %s#1, %z[%i] {in_bounds = array<i1: true>} : f32, !tsr.view<["N"], f32>
  }
  tile.kernel_end
}
tile.func @moments(%x: !tsr.view<["M", "N"], f32>, %y: !tsr.view<["N"], f32>, %z: !tsr.view<["N"], f32>) attributes {dims = ["M", "N"],
    params = [#tsr.param<"x", in>, #tsr.param<"y", out>, #tsr.param<"z", out>], outputs = []} {
  tile.launch @moments_kernel(%x, %y, %z) : !tsr.view<["M", "N"], f32>, !tsr.view<["N"], f32>, !tsr.view<["N"], f32>
  tile.return
}
