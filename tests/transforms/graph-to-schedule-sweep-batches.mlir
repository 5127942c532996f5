// RUN: tessera-opt %s --set-machine=name=sm_90a --graph-to-schedule --verify-schedule | FileCheck %s

// What batches share, as a bias, has a derivative that is a sum over them: a kernel computes the scores of one batch after the other, and
// adds up a tile of what is made of them; it stores the sum rounded, as that alone is asked for. The bias is read once.
// CHECK-LABEL: schedule.kernel @shared_kernel_1(
// CHECK-SAME: grid = #tsr.grid<output, ["T.m", "T.n"]
// CHECK-SAME: sweep: a group goes over the batches
// CHECK: graph.load %bias
// CHECK: %[[SUM:.*]] = scf.for %[[B:.*]] = %{{.*}} to %{{.*}} step %{{.*}} iter_args
// CHECK-NOT: graph.load %bias
// CHECK: graph.load %q[%[[B]]
// CHECK: graph.load %k[%[[B]]
// CHECK: graph.dot
// CHECK: scf.yield
// CHECK: graph.cast %[[SUM]]
// CHECK-NOT: graph.store {{.*}}f32>
// CHECK: graph.store
// CHECK-LABEL: schedule.func @shared(
// CHECK-NOT: schedule.temp {{.*}}"T"
// CHECK: schedule.return
graph.func @shared(%q: !tsr.tensor<["B", "S", "64"], bf16>, %k: !tsr.tensor<["B", "T", "64"], bf16>, %bias: !tsr.tensor<["S", "T"], f32>) -> (!tsr.tensor<["B", "S", "64"], f32>, !tsr.tensor<["S", "T"], bf16>) attributes {
    dims = ["B", "S", "T"], params = [#tsr.param<"q", in>, #tsr.param<"k", in>, #tsr.param<"bias", in>],
    outputs = [#tsr.result<"r0", !tsr.tensor<["B", "S", "64"], f32>>, #tsr.result<"r1", !tsr.tensor<["S", "T"], bf16>>]} {
  %kt = graph.transpose %k {perm = array<i64: 0, 2, 1>} : <["B", "T", "64"], bf16> to <["B", "64", "T"], bf16>
  %p = graph.dot %q, %kt : (!tsr.tensor<["B", "S", "64"], bf16>, !tsr.tensor<["B", "64", "T"], bf16>) -> !tsr.tensor<["B", "S", "T"], f32>
  %each = graph.broadcast %bias {axes = array<i64: 1, 2>} : <["S", "T"], f32> to <["B", "S", "T"], f32>
  %s = graph.elementwise "add" %p, %each : !tsr.tensor<["B", "S", "T"], f32>
  %n = graph.reduce "sum" %s {axes = array<i64: 2>} : <["B", "S", "T"], f32> to !tsr.tensor<["B", "S"], f32>
  %ns = graph.broadcast %n {axes = array<i64: 0, 1>} : <["B", "S"], f32> to <["B", "S", "T"], f32>
  %d = graph.elementwise "sub" %s, %ns : !tsr.tensor<["B", "S", "T"], f32>
  %w = graph.cast %d : !tsr.tensor<["B", "S", "T"], f32> to !tsr.tensor<["B", "S", "T"], bf16>
  %r = graph.dot %w, %k : (!tsr.tensor<["B", "S", "T"], bf16>, !tsr.tensor<["B", "T", "64"], bf16>) -> !tsr.tensor<["B", "S", "64"], f32>
  %sum = graph.reduce "sum" %d {axes = array<i64: 0>} : <["B", "S", "T"], f32> to !tsr.tensor<["S", "T"], f32>
  %small = graph.cast %sum : !tsr.tensor<["S", "T"], f32> to !tsr.tensor<["S", "T"], bf16>
  graph.return %r, %small : !tsr.tensor<["B", "S", "64"], f32>, !tsr.tensor<["S", "T"], bf16>
}

// Sequences that end at a length of their own: no tile of padding is looked at, and a tile of hidden keys goes over no queries.
// CHECK-LABEL: schedule.kernel @padded_kernel(
// CHECK: %[[LENGTH:.*]] = graph.load %length
// CHECK: %[[KEYS:.*]] = graph.cast %[[LENGTH]]
// CHECK: %[[END:.*]] = graph.elementwise "min" %{{.*}}, %{{.*}} : index
// CHECK: scf.for %{{.*}} = %{{.*}} to %[[END]]
// CHECK-LABEL: schedule.kernel @padded_kernel_1(
// CHECK: %[[AT:.*]] = graph.load %length
// CHECK: %[[COUNT:.*]] = graph.cast %[[AT]]
// CHECK: %[[SEES:.*]] = graph.elementwise "lt" %m, %{{.*}} : index
// CHECK: %[[ALL:.*]] = graph.elementwise "select" %[[SEES]]
// CHECK: scf.for
graph.func @padded(%q: !tsr.tensor<["B", "S", "64"], bf16>, %k: !tsr.tensor<["B", "T", "64"], bf16>, %length: !tsr.tensor<["B"], i32>) -> (!tsr.tensor<["B", "S", "64"], f32>, !tsr.tensor<["B", "T", "64"], f32>) attributes {
    dims = ["B", "S", "T"], params = [#tsr.param<"q", in>, #tsr.param<"k", in>, #tsr.param<"length", in>],
    outputs = [#tsr.result<"r0", !tsr.tensor<["B", "S", "64"], f32>>, #tsr.result<"r1", !tsr.tensor<["B", "T", "64"], f32>>]} {
  %kt = graph.transpose %k {perm = array<i64: 0, 2, 1>} : <["B", "T", "64"], bf16> to <["B", "64", "T"], bf16>
  %p = graph.dot %q, %kt : (!tsr.tensor<["B", "S", "64"], bf16>, !tsr.tensor<["B", "64", "T"], bf16>) -> !tsr.tensor<["B", "S", "T"], f32>
  %key = graph.iota 2 : !tsr.tensor<["B", "S", "T"], i32>
  %ends = graph.broadcast %length {axes = array<i64: 0>} : <["B"], i32> to <["B", "S", "T"], i32>
  %seen = graph.elementwise "lt" %key, %ends : !tsr.tensor<["B", "S", "T"], i32>
  %c = graph.constant 0.0 : f32
  %zero = graph.full %c : f32 to !tsr.tensor<["B", "S", "T"], f32>
  %s = graph.elementwise "select" %seen, %p, %zero : !tsr.tensor<["B", "S", "T"], f32>
  %n = graph.reduce "sum" %s {axes = array<i64: 2>} : <["B", "S", "T"], f32> to !tsr.tensor<["B", "S"], f32>
  %ns = graph.broadcast %n {axes = array<i64: 0, 1>} : <["B", "S"], f32> to <["B", "S", "T"], f32>
  %d = graph.elementwise "mul" %s, %ns : !tsr.tensor<["B", "S", "T"], f32>
  %w = graph.cast %d : !tsr.tensor<["B", "S", "T"], f32> to !tsr.tensor<["B", "S", "T"], bf16>
  %r = graph.dot %w, %k : (!tsr.tensor<["B", "S", "T"], bf16>, !tsr.tensor<["B", "T", "64"], bf16>) -> !tsr.tensor<["B", "S", "64"], f32>
  %wt = graph.transpose %w {perm = array<i64: 0, 2, 1>} : <["B", "S", "T"], bf16> to <["B", "T", "S"], bf16>
  %x = graph.dot %wt, %q : (!tsr.tensor<["B", "T", "S"], bf16>, !tsr.tensor<["B", "S", "64"], bf16>) -> !tsr.tensor<["B", "T", "64"], f32>
  graph.return %r, %x : !tsr.tensor<["B", "S", "64"], f32>, !tsr.tensor<["B", "T", "64"], f32>
}
