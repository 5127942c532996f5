// RUN: tessera-opt %s --set-machine=name=sm_80 --graph-to-schedule --verify-schedule | FileCheck %s
// RUN: tessera-opt %s --set-machine=name=sm_80 --graph-to-schedule --schedule-to-tile --tile-insert-barriers --verify-tile | FileCheck %s --check-prefix=TILE
// RUN: tessera-opt %s --set-machine=name=sm_90a --graph-to-schedule --verify-schedule | FileCheck %s --check-prefix=WARPGROUPS
// A softmax between two products: one kernel, which keeps of each row the largest score, the sum and the result so far.

// Few keys have a kernel with tiles of their own.
// WARPGROUPS-LABEL: schedule.kernel @attend_kernel(
// WARPGROUPS-SAME: sizes = {{.*}}n = 80 : i64
// WARPGROUPS-LABEL: schedule.kernel @attend_kernel_1(
// WARPGROUPS-SAME: sizes = {{.*}}n = 192 : i64
// WARPGROUPS: schedule.launch @attend_kernel(%q, %k, %v, %result) {tsr.when = {{.*}}#tsr.requirement<"T" le "80"
// WARPGROUPS: schedule.launch @attend_kernel_1(%q, %k, %v, %result) {tsr.when = {{.*}}"not", #tsr.requirement<"T" le "80"
// CHECK-LABEL: schedule.kernel @attend_kernel(%q: {{.*}}, %k: {{.*}}, %v: {{.*}}, %result: {{.*}})
// CHECK-SAME: context = ["m", "n"]
// CHECK-SAME: grid = #tsr.grid<output, ["1", "T.m", "64"], param = 3>
// CHECK-SAME: reasons = ["chain: a group goes over T in tiles and keeps of each row the largest score, the sum and the result so far, rescaled where a larger score comes; the scores are not stored"]
// CHECK: %[[Q:.*]] = graph.load %q[%{{.*}} in_bounds, %[[M:.*]] size "T.m", %{{.*}} size "64" in_bounds]
// CHECK: scf.for %[[N:.*]] = %{{.*}} to %{{.*}} step %{{.*}} iter_args(%[[LARGEST:.*]] = %{{.*}}, %[[SUM:.*]] = %{{.*}}, %[[ACC:.*]] = %{{.*}})
// CHECK: %[[S:.*]] = graph.dot %[[Q]],
// CHECK: %[[HERE:.*]] = graph.reduce "max"
// CHECK: %[[NEW:.*]] = graph.elementwise "max" %[[LARGEST]], %[[HERE]]
// CHECK: %[[PIVOT:.*]] = graph.elementwise "select"
// CHECK: %[[DOWN:.*]] = graph.elementwise "sub" %[[LARGEST]], %[[PIVOT]]
// CHECK: %[[RESCALE:.*]] = graph.elementwise "exp" %[[DOWN]]
// CHECK: graph.elementwise "mul" %[[RESCALE]], %[[SUM]]
// CHECK: graph.reduce "sum"
// CHECK: graph.dot
// CHECK: scf.yield %[[NEW]],
// CHECK: graph.elementwise "div"
// CHECK: graph.store
// CHECK-LABEL: schedule.func @attend(
// CHECK-NOT: schedule.temp
// CHECK: schedule.launch @attend_kernel(%q, %k, %v, %result) {tsr.when = {{.*}}"not", #tsr.requirement<"S" le "64"
// CHECK-NOT: <["H", "S", "T"]
// CHECK: schedule.launch @attend_kernel_1(%q, %k, %v, %result) {tsr.when = {{.*}}" ge "2"
// CHECK: schedule.launch @attend_kernel_2(%q, %k, %v,
// CHECK-NEXT: schedule.launch @attend_kernel_3(
// CHECK: schedule.launch @attend_kernel_4(%q, %k, %v,
// CHECK-NEXT: schedule.launch @attend_kernel_5(
// CHECK-NEXT: schedule.return
// TILE-LABEL: tile.kernel @attend_kernel
// TILE: tile.copy %q
// TILE: scf.for
// TILE: tile.copy %k
// TILE: tile.dot {{.*}}trans_b
// TILE: tile.copy %v
// TILE: tile.dot
graph.func @attend(%q: !tsr.tensor<["H", "S", "64"], bf16>, %k: !tsr.tensor<["H", "T", "64"], bf16>, %v: !tsr.tensor<["H", "T", "64"], bf16>) -> !tsr.tensor<["H", "S", "64"], f32> attributes {
    dims = ["H", "S", "T"], params = [#tsr.param<"q", in>, #tsr.param<"k", in>, #tsr.param<"v", in>], outputs = [#tsr.result<"result", !tsr.tensor<["H", "S", "64"], f32>>]} {
  %t = graph.transpose %k {perm = array<i64: 0, 2, 1>} : !tsr.tensor<["H", "T", "64"], bf16> to !tsr.tensor<["H", "64", "T"], bf16>
  %s = graph.dot %q, %t : (!tsr.tensor<["H", "S", "64"], bf16>, !tsr.tensor<["H", "64", "T"], bf16>) -> !tsr.tensor<["H", "S", "T"], f32>
  %m = graph.reduce "max" %s {axes = array<i64: 2>} : !tsr.tensor<["H", "S", "T"], f32> to !tsr.tensor<["H", "S"], f32>
  %low = graph.constant 0xFF800000 : f32
  %lows = graph.full %low : f32 to !tsr.tensor<["H", "S"], f32>
  %zero = graph.constant 0.0 : f32
  %zeros = graph.full %zero : f32 to !tsr.tensor<["H", "S"], f32>
  %seen = graph.elementwise "gt" %m, %lows : !tsr.tensor<["H", "S"], f32>
  %pivot = graph.elementwise "select" %seen, %m, %zeros : !tsr.tensor<["H", "S"], f32>
  %pivots = graph.broadcast %pivot {axes = array<i64: 0, 1>} : !tsr.tensor<["H", "S"], f32> to !tsr.tensor<["H", "S", "T"], f32>
  %d = graph.elementwise "sub" %s, %pivots : !tsr.tensor<["H", "S", "T"], f32>
  %e = graph.elementwise "exp" %d : !tsr.tensor<["H", "S", "T"], f32>
  %l = graph.reduce "sum" %e {axes = array<i64: 2>} : !tsr.tensor<["H", "S", "T"], f32> to !tsr.tensor<["H", "S"], f32>
  %ls = graph.broadcast %l {axes = array<i64: 0, 1>} : !tsr.tensor<["H", "S"], f32> to !tsr.tensor<["H", "S", "T"], f32>
  %w = graph.elementwise "div" %e, %ls : !tsr.tensor<["H", "S", "T"], f32>
  %h = graph.cast %w : !tsr.tensor<["H", "S", "T"], f32> to !tsr.tensor<["H", "S", "T"], bf16>
  %r = graph.dot %h, %v : (!tsr.tensor<["H", "S", "T"], bf16>, !tsr.tensor<["H", "T", "64"], bf16>) -> !tsr.tensor<["H", "S", "64"], f32>
  graph.return %r : !tsr.tensor<["H", "S", "64"], f32>
}

// Weights that are returned, too, have to be stored: products and rows, each a kernel.
// CHECK-LABEL: schedule.func @with_weights(
// CHECK: schedule.temp
// CHECK: schedule.launch
// CHECK: schedule.launch
// CHECK: schedule.launch
graph.func @with_weights(%q: !tsr.tensor<["S", "64"], f32>, %k: !tsr.tensor<["64", "T"], f32>, %v: !tsr.tensor<["T", "64"], f32>) -> (!tsr.tensor<["S", "64"], f32>, !tsr.tensor<["S", "T"], f32>) attributes {
    dims = ["S", "T"], params = [#tsr.param<"q", in>, #tsr.param<"k", in>, #tsr.param<"v", in>],
    outputs = [#tsr.result<"result", !tsr.tensor<["S", "64"], f32>>, #tsr.result<"weights", !tsr.tensor<["S", "T"], f32>>]} {
  %s = graph.dot %q, %k : (!tsr.tensor<["S", "64"], f32>, !tsr.tensor<["64", "T"], f32>) -> !tsr.tensor<["S", "T"], f32>
  %m = graph.reduce "max" %s {axes = array<i64: 1>} : !tsr.tensor<["S", "T"], f32> to !tsr.tensor<["S"], f32>
  %ms = graph.broadcast %m {axes = array<i64: 0>} : !tsr.tensor<["S"], f32> to !tsr.tensor<["S", "T"], f32>
  %d = graph.elementwise "sub" %s, %ms : !tsr.tensor<["S", "T"], f32>
  %e = graph.elementwise "exp" %d : !tsr.tensor<["S", "T"], f32>
  %l = graph.reduce "sum" %e {axes = array<i64: 1>} : !tsr.tensor<["S", "T"], f32> to !tsr.tensor<["S"], f32>
  %ls = graph.broadcast %l {axes = array<i64: 0>} : !tsr.tensor<["S"], f32> to !tsr.tensor<["S", "T"], f32>
  %w = graph.elementwise "div" %e, %ls : !tsr.tensor<["S", "T"], f32>
  %r = graph.dot %w, %v : (!tsr.tensor<["S", "T"], f32>, !tsr.tensor<["T", "64"], f32>) -> !tsr.tensor<["S", "64"], f32>
  graph.return %r, %w : !tsr.tensor<["S", "64"], f32>, !tsr.tensor<["S", "T"], f32>
}

// Known to be few, keys come in tiles that leave less of the last one masked.
// WARPGROUPS-LABEL: schedule.kernel @short_kernel(
// WARPGROUPS-SAME: sizes = {{.*}}n = 128 : i64
graph.func @short(%q: !tsr.tensor<["H", "S", "64"], bf16>, %k: !tsr.tensor<["H", "1024", "64"], bf16>, %v: !tsr.tensor<["H", "1024", "64"], bf16>) -> !tsr.tensor<["H", "S", "64"], f32> attributes {
    dims = ["H", "S"], params = [#tsr.param<"q", in>, #tsr.param<"k", in>, #tsr.param<"v", in>], outputs = [#tsr.result<"result", !tsr.tensor<["H", "S", "64"], f32>>]} {
  %t = graph.transpose %k {perm = array<i64: 0, 2, 1>} : !tsr.tensor<["H", "1024", "64"], bf16> to !tsr.tensor<["H", "64", "1024"], bf16>
  %s = graph.dot %q, %t : (!tsr.tensor<["H", "S", "64"], bf16>, !tsr.tensor<["H", "64", "1024"], bf16>) -> !tsr.tensor<["H", "S", "1024"], f32>
  %m = graph.reduce "max" %s {axes = array<i64: 2>} : !tsr.tensor<["H", "S", "1024"], f32> to !tsr.tensor<["H", "S"], f32>
  %low = graph.constant 0xFF800000 : f32
  %lows = graph.full %low : f32 to !tsr.tensor<["H", "S"], f32>
  %zero = graph.constant 0.0 : f32
  %zeros = graph.full %zero : f32 to !tsr.tensor<["H", "S"], f32>
  %seen = graph.elementwise "gt" %m, %lows : !tsr.tensor<["H", "S"], f32>
  %pivot = graph.elementwise "select" %seen, %m, %zeros : !tsr.tensor<["H", "S"], f32>
  %pivots = graph.broadcast %pivot {axes = array<i64: 0, 1>} : !tsr.tensor<["H", "S"], f32> to !tsr.tensor<["H", "S", "1024"], f32>
  %d = graph.elementwise "sub" %s, %pivots : !tsr.tensor<["H", "S", "1024"], f32>
  %e = graph.elementwise "exp" %d : !tsr.tensor<["H", "S", "1024"], f32>
  %l = graph.reduce "sum" %e {axes = array<i64: 2>} : !tsr.tensor<["H", "S", "1024"], f32> to !tsr.tensor<["H", "S"], f32>
  %ls = graph.broadcast %l {axes = array<i64: 0, 1>} : !tsr.tensor<["H", "S"], f32> to !tsr.tensor<["H", "S", "1024"], f32>
  %w = graph.elementwise "div" %e, %ls : !tsr.tensor<["H", "S", "1024"], f32>
  %h = graph.cast %w : !tsr.tensor<["H", "S", "1024"], f32> to !tsr.tensor<["H", "S", "1024"], bf16>
  %r = graph.dot %h, %v : (!tsr.tensor<["H", "S", "1024"], bf16>, !tsr.tensor<["H", "1024", "64"], bf16>) -> !tsr.tensor<["H", "S", "64"], f32>
  graph.return %r : !tsr.tensor<["H", "S", "64"], f32>
}

// A known number of keys is in as many tiles as it takes, none of which is larger than it must be: 197 are two of 112.
// WARPGROUPS-LABEL: schedule.kernel @few_kernel(
// WARPGROUPS-SAME: sizes = {{.*}}n = 112 : i64
graph.func @few(%q: !tsr.tensor<["H", "S", "64"], bf16>, %k: !tsr.tensor<["H", "197", "64"], bf16>, %v: !tsr.tensor<["H", "197", "64"], bf16>) -> !tsr.tensor<["H", "S", "64"], f32> attributes {
    dims = ["H", "S"], params = [#tsr.param<"q", in>, #tsr.param<"k", in>, #tsr.param<"v", in>], outputs = [#tsr.result<"result", !tsr.tensor<["H", "S", "64"], f32>>]} {
  %t = graph.transpose %k {perm = array<i64: 0, 2, 1>} : !tsr.tensor<["H", "197", "64"], bf16> to !tsr.tensor<["H", "64", "197"], bf16>
  %s = graph.dot %q, %t : (!tsr.tensor<["H", "S", "64"], bf16>, !tsr.tensor<["H", "64", "197"], bf16>) -> !tsr.tensor<["H", "S", "197"], f32>
  %m = graph.reduce "max" %s {axes = array<i64: 2>} : !tsr.tensor<["H", "S", "197"], f32> to !tsr.tensor<["H", "S"], f32>
  %low = graph.constant 0xFF800000 : f32
  %lows = graph.full %low : f32 to !tsr.tensor<["H", "S"], f32>
  %zero = graph.constant 0.0 : f32
  %zeros = graph.full %zero : f32 to !tsr.tensor<["H", "S"], f32>
  %seen = graph.elementwise "gt" %m, %lows : !tsr.tensor<["H", "S"], f32>
  %pivot = graph.elementwise "select" %seen, %m, %zeros : !tsr.tensor<["H", "S"], f32>
  %pivots = graph.broadcast %pivot {axes = array<i64: 0, 1>} : !tsr.tensor<["H", "S"], f32> to !tsr.tensor<["H", "S", "197"], f32>
  %d = graph.elementwise "sub" %s, %pivots : !tsr.tensor<["H", "S", "197"], f32>
  %e = graph.elementwise "exp" %d : !tsr.tensor<["H", "S", "197"], f32>
  %l = graph.reduce "sum" %e {axes = array<i64: 2>} : !tsr.tensor<["H", "S", "197"], f32> to !tsr.tensor<["H", "S"], f32>
  %ls = graph.broadcast %l {axes = array<i64: 0, 1>} : !tsr.tensor<["H", "S"], f32> to !tsr.tensor<["H", "S", "197"], f32>
  %w = graph.elementwise "div" %e, %ls : !tsr.tensor<["H", "S", "197"], f32>
  %h = graph.cast %w : !tsr.tensor<["H", "S", "197"], f32> to !tsr.tensor<["H", "S", "197"], bf16>
  %r = graph.dot %h, %v : (!tsr.tensor<["H", "S", "197"], bf16>, !tsr.tensor<["H", "197", "64"], bf16>) -> !tsr.tensor<["H", "S", "64"], f32>
  graph.return %r : !tsr.tensor<["H", "S", "64"], f32>
}
