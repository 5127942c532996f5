// RUN: tessera-opt %s --set-machine=name=sm_80 --graph-to-schedule --verify-schedule | FileCheck %s
// RUN: tessera-opt %s --set-machine=name=cpu --graph-to-schedule --verify-schedule | FileCheck %s --check-prefix=CPU
// Scores of which several results are made: each has a kernel that computes them tile by tile, and only what is known of each
// row is stored. What reads them as columns computes them turned, from turned operands. On CPUs they are stored.

// The softmax's product knows the largest score of each row at its end.
// CHECK-LABEL: schedule.kernel @both_kernel(%q: {{.*}}, %k: {{.*}}, %v: {{.*}}, %largest: {{.*}}, %result_0: {{.*}})
// CHECK-SAME: what it knows of rows is stored, too
// CHECK: %[[LOOP:.*]]:2 = scf.for
// CHECK: graph.store %{{.*}}, %result_0
// CHECK: graph.store %[[LOOP]]#0, %largest

// Its columns: k times q, turned, and the vector along the columns of each tile.
// CHECK-LABEL: schedule.kernel @both_kernel_1(%k: {{.*}}, %q: {{.*}}, %largest: {{.*}}, %result_1: {{.*}})
// CHECK-SAME: and adds up its product
// CHECK: %[[K:.*]] = graph.load %k
// CHECK: %[[LEFT:.*]] = graph.transpose %[[K]]
// CHECK: scf.for
// CHECK: graph.dot %[[LEFT]],
// CHECK: graph.load %largest[
// CHECK: graph.elementwise "exp"
// CHECK: graph.dot
// CHECK: scf.yield

// CHECK-LABEL: schedule.func @both(
// CHECK: schedule.temp {{.*}}["S"]
// CHECK-NOT: schedule.temp
// CHECK: schedule.return
// CPU-NOT: sweep
// CPU-LABEL: schedule.func @both(
// CPU: schedule.temp {{.*}}["S", "T"]
graph.func @both(%q: !tsr.tensor<["S", "64"], f32>, %k: !tsr.tensor<["64", "T"], f32>, %v: !tsr.tensor<["T", "64"], f32>) -> (!tsr.tensor<["S", "64"], f32>, !tsr.tensor<["T", "64"], f32>) attributes {
    dims = ["S", "T"], params = [#tsr.param<"q", in>, #tsr.param<"k", in>, #tsr.param<"v", in>],
    outputs = [#tsr.result<"result_0", !tsr.tensor<["S", "64"], f32>>, #tsr.result<"result_1", !tsr.tensor<["T", "64"], f32>>]} {
  %s = graph.dot %q, %k : (!tsr.tensor<["S", "64"], f32>, !tsr.tensor<["64", "T"], f32>) -> !tsr.tensor<["S", "T"], f32>
  %m = graph.reduce "max" %s {axes = array<i64: 1>} : !tsr.tensor<["S", "T"], f32> to !tsr.tensor<["S"], f32>
  %ms = graph.broadcast %m {axes = array<i64: 0>} : !tsr.tensor<["S"], f32> to !tsr.tensor<["S", "T"], f32>
  %d = graph.elementwise "sub" %s, %ms : !tsr.tensor<["S", "T"], f32>
  %e = graph.elementwise "exp" %d : !tsr.tensor<["S", "T"], f32>
  %r = graph.dot %e, %v : (!tsr.tensor<["S", "T"], f32>, !tsr.tensor<["T", "64"], f32>) -> !tsr.tensor<["S", "64"], f32>
  %t = graph.transpose %e {perm = array<i64: 1, 0>} : !tsr.tensor<["S", "T"], f32> to !tsr.tensor<["T", "S"], f32>
  %c = graph.dot %t, %q : (!tsr.tensor<["T", "S"], f32>, !tsr.tensor<["S", "64"], f32>) -> !tsr.tensor<["T", "64"], f32>
  graph.return %r, %c : !tsr.tensor<["S", "64"], f32>, !tsr.tensor<["T", "64"], f32>
}

// Where only columns need the largest scores, a kernel of their own finds them.
// CHECK-LABEL: schedule.kernel @columns_largest_kernel(%q: {{.*}}, %k: {{.*}}, %largest: {{.*}})
// CHECK-SAME: grid = #tsr.grid<output, ["T.m"], param = 2>
// CHECK-SAME: and keeps the largest of each row; nothing of their size is stored"
// CHECK: %[[Q:.*]] = graph.load %q
// CHECK: scf.for {{.*}} iter_args(%[[LARGEST:.*]] = %{{.*}})
// CHECK: graph.dot %[[Q]],
// CHECK: %[[HERE:.*]] = graph.reduce "max"
// CHECK: graph.elementwise "max" %[[LARGEST]], %[[HERE]]
// CHECK-LABEL: schedule.func @columns(
graph.func @columns(%q: !tsr.tensor<["S", "64"], f32>, %k: !tsr.tensor<["64", "T"], f32>) -> !tsr.tensor<["T", "64"], f32> attributes {
    dims = ["S", "T"], params = [#tsr.param<"q", in>, #tsr.param<"k", in>],
    outputs = [#tsr.result<"result", !tsr.tensor<["T", "64"], f32>>]} {
  %s = graph.dot %q, %k : (!tsr.tensor<["S", "64"], f32>, !tsr.tensor<["64", "T"], f32>) -> !tsr.tensor<["S", "T"], f32>
  %m = graph.reduce "max" %s {axes = array<i64: 1>} : !tsr.tensor<["S", "T"], f32> to !tsr.tensor<["S"], f32>
  %ms = graph.broadcast %m {axes = array<i64: 0>} : !tsr.tensor<["S"], f32> to !tsr.tensor<["S", "T"], f32>
  %d = graph.elementwise "sub" %s, %ms : !tsr.tensor<["S", "T"], f32>
  %t = graph.transpose %d {perm = array<i64: 1, 0>} : !tsr.tensor<["S", "T"], f32> to !tsr.tensor<["T", "S"], f32>
  %c = graph.dot %t, %q : (!tsr.tensor<["T", "S"], f32>, !tsr.tensor<["S", "64"], f32>) -> !tsr.tensor<["T", "64"], f32>
  graph.return %c : !tsr.tensor<["T", "64"], f32>
}

// Two products of the columns of one matrix of scores, and of what it becomes: one kernel adds up both.
// CHECK-LABEL: schedule.kernel @gradients_kernel_1(
// CHECK-SAME: %result_2: {{.*}}, %result_1: {{.*}})
// CHECK-SAME: and adds up its products
// CHECK: %[[SUMS:.*]]:2 = scf.for
// CHECK: graph.dot
// CHECK: graph.dot
// CHECK: graph.dot
// CHECK-NOT: graph.dot
// CHECK: scf.yield %{{.*}}, %{{.*}} :
// CHECK-DAG: graph.store %[[SUMS]]#0
// CHECK-DAG: graph.store %[[SUMS]]#1
// CHECK-LABEL: schedule.func @gradients(
// CHECK: schedule.launch @gradients_kernel(
// CHECK: schedule.launch @gradients_kernel_1(
// CHECK-NOT: schedule.launch
// CHECK: schedule.return
graph.func @gradients(%q: !tsr.tensor<["S", "64"], f32>, %k: !tsr.tensor<["64", "T"], f32>, %v: !tsr.tensor<["T", "64"], f32>, %g: !tsr.tensor<["S", "64"], f32>) -> (!tsr.tensor<["S", "64"], f32>, !tsr.tensor<["T", "64"], f32>, !tsr.tensor<["T", "64"], f32>) attributes {
    dims = ["S", "T"], params = [#tsr.param<"q", in>, #tsr.param<"k", in>, #tsr.param<"v", in>, #tsr.param<"g", in>],
    outputs = [#tsr.result<"result_0", !tsr.tensor<["S", "64"], f32>>, #tsr.result<"result_1", !tsr.tensor<["T", "64"], f32>>, #tsr.result<"result_2", !tsr.tensor<["T", "64"], f32>>]} {
  %s = graph.dot %q, %k : (!tsr.tensor<["S", "64"], f32>, !tsr.tensor<["64", "T"], f32>) -> !tsr.tensor<["S", "T"], f32>
  %m = graph.reduce "max" %s {axes = array<i64: 1>} : !tsr.tensor<["S", "T"], f32> to !tsr.tensor<["S"], f32>
  %ms = graph.broadcast %m {axes = array<i64: 0>} : !tsr.tensor<["S"], f32> to !tsr.tensor<["S", "T"], f32>
  %d = graph.elementwise "sub" %s, %ms : !tsr.tensor<["S", "T"], f32>
  %e = graph.elementwise "exp" %d : !tsr.tensor<["S", "T"], f32>
  %r = graph.dot %e, %v : (!tsr.tensor<["S", "T"], f32>, !tsr.tensor<["T", "64"], f32>) -> !tsr.tensor<["S", "64"], f32>
  %t = graph.transpose %e {perm = array<i64: 1, 0>} : !tsr.tensor<["S", "T"], f32> to !tsr.tensor<["T", "S"], f32>
  %c = graph.dot %t, %g : (!tsr.tensor<["T", "S"], f32>, !tsr.tensor<["S", "64"], f32>) -> !tsr.tensor<["T", "64"], f32>
  %w = graph.elementwise "mul" %e, %d : !tsr.tensor<["S", "T"], f32>
  %wt = graph.transpose %w {perm = array<i64: 1, 0>} : !tsr.tensor<["S", "T"], f32> to !tsr.tensor<["T", "S"], f32>
  %b = graph.dot %wt, %q : (!tsr.tensor<["T", "S"], f32>, !tsr.tensor<["S", "64"], f32>) -> !tsr.tensor<["T", "64"], f32>
  graph.return %r, %c, %b : !tsr.tensor<["S", "64"], f32>, !tsr.tensor<["T", "64"], f32>, !tsr.tensor<["T", "64"], f32>
}

// Scores that are returned are stored, and read by all.
// CHECK-NOT: sweep
// CHECK-LABEL: schedule.func @returned(
// CHECK: schedule.launch
// CHECK: schedule.launch
graph.func @returned(%q: !tsr.tensor<["S", "64"], f32>, %k: !tsr.tensor<["64", "T"], f32>, %v: !tsr.tensor<["T", "64"], f32>) -> (!tsr.tensor<["S"], f32>, !tsr.tensor<["S", "64"], f32>, !tsr.tensor<["S", "T"], f32>) attributes {
    dims = ["S", "T"], params = [#tsr.param<"q", in>, #tsr.param<"k", in>, #tsr.param<"v", in>],
    outputs = [#tsr.result<"result_0", !tsr.tensor<["S"], f32>>, #tsr.result<"result_1", !tsr.tensor<["S", "64"], f32>>, #tsr.result<"result_2", !tsr.tensor<["S", "T"], f32>>]} {
  %s = graph.dot %q, %k : (!tsr.tensor<["S", "64"], f32>, !tsr.tensor<["64", "T"], f32>) -> !tsr.tensor<["S", "T"], f32>
  %m = graph.reduce "max" %s {axes = array<i64: 1>} : !tsr.tensor<["S", "T"], f32> to !tsr.tensor<["S"], f32>
  %r = graph.dot %s, %v : (!tsr.tensor<["S", "T"], f32>, !tsr.tensor<["T", "64"], f32>) -> !tsr.tensor<["S", "64"], f32>
  graph.return %m, %r, %s : !tsr.tensor<["S"], f32>, !tsr.tensor<["S", "64"], f32>, !tsr.tensor<["S", "T"], f32>
}
