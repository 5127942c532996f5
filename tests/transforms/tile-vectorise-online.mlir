// RUN: tessera-opt %s --set-machine=name=sm_90a --tile-shorten-powers --tile-vectorise | FileCheck %s

// Sums of powers of which the logarithm leaves, beside the largest element: one loop, in which the sum so far is scaled where a vector has a
// larger element. Lanes keep short rows; long ones are read by many groups, and stay nowhere.
// CHECK-LABEL: tile.kernel @levels
// CHECK-SAME: "rows: a group reads its row once; each lane adds up powers beside the largest element so far (R15)"
// CHECK-SAME: held = 8 : i64, rows = 1 : i64, threads = 256 : i64, vector = 8 : i64
// CHECK-SAME: {aligned = array<i64: 0>, edges = 0 : i64, held = 0 : i64, rows = 1 : i64, threads = 256 : i64, vector = 8 : i64
// CHECK: scf.for {{.*}} iter_args(%[[MOST:.*]] = %{{.*}}, %[[SUM:.*]] = %{{.*}}) -> (f32, f32)
// CHECK:   scf.if
// CHECK:     %[[VECTOR:.*]] = tile.row_vector
// CHECK:     %[[NEXT:.*]] = scf.for {{.*}} iter_args(%{{.*}} = %[[MOST]])
// CHECK:       tile.elementwise "max"
// CHECK:     %[[SHIFT:.*]] = tile.elementwise "select" %{{.*}}, %[[NEXT]]
// CHECK:     %[[FALL:.*]] = tile.elementwise "sub" %[[MOST]], %[[SHIFT]]
// CHECK:     tile.elementwise "exp2"
// CHECK:     %[[SCALED:.*]] = tile.elementwise "mul" %[[SUM]]
// CHECK-NOT: tile.row_vector
// CHECK:     %[[ADDED:.*]] = scf.for {{.*}} iter_args(%{{.*}} = %[[SCALED]])
// CHECK:       tile.elementwise "exp2"
// CHECK:     scf.yield %[[NEXT]], %[[ADDED]]
// CHECK: %[[LARGEST:.*]] = tile.group_reduce "max"
// CHECK: %[[RISE:.*]] = tile.elementwise "exp2"
// CHECK: %[[LAST:.*]] = tile.elementwise "mul" %{{.*}}#1, %[[RISE]]
// CHECK: tile.group_reduce "sum" %[[LAST]]
tile.kernel @levels(%x: !tsr.view<["M", "N"], bf16>, %y: !tsr.view<["M"], f32>) attributes {dims = ["M", "N"],
    params = [#tsr.param<"x", in>, #tsr.param<"y", out>], outputs = [], grid = #tsr.grid<output, ["1"], param = 1>, group = 256 : i64} {
  %r = tile.query "origin"
  %lane = tile.query "local_id"
  %lanes = tile.query "group_size"
  %N = tile.dim "N"
  %least = tile.constant 0xFF800000 : f32
  %m = scf.for %c = %lane to %N step %lanes iter_args(%most = %least) -> f32 {
    %e = tile.load_element %x[%r, %c] {in_bounds = array<i1: true, true>} : !tsr.view<["M", "N"], bf16>
    %w = tile.cast %e : bf16 to f32
    %n = tile.elementwise "max" %most, %w : f32
    scf.yield %n : f32
  }
  %largest = tile.group_reduce "max" %m : f32
  %zero = tile.constant 0.0 : f32
  %some = tile.elementwise "gt" %largest, %least : f32
  %shift = tile.elementwise "select" %some, %largest, %zero : f32
  %s = scf.for %c = %lane to %N step %lanes iter_args(%sum = %zero) -> f32 {
    %e = tile.load_element %x[%r, %c] {in_bounds = array<i1: true, true>} : !tsr.view<["M", "N"], bf16>
    %w = tile.cast %e : bf16 to f32
    %d = tile.elementwise "sub" %w, %shift : f32
    %p = tile.elementwise "exp" %d : f32
    %n = tile.elementwise "add" %sum, %p : f32
    scf.yield %n : f32
  }
  %total = tile.group_reduce "sum" %s : f32
  %log = tile.elementwise "log" %total : f32
  %level = tile.elementwise "add" %log, %shift : f32
  tile.store_element %level, %y[%r] {in_bounds = array<i1: true>} : f32, !tsr.view<["M"], f32>
  tile.kernel_end
}
