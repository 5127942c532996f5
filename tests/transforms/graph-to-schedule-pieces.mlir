// RUN: tessera-opt %s -split-input-file --set-machine=name=sm_80 --graph-to-schedule --verify-schedule | FileCheck %s
// Tiles that are whole rows of a dimension without a bound.

// Without products a group takes one row, and nothing else changes.
// CHECK-LABEL: schedule.kernel @shifted_kernel(
// CHECK-SAME: grid = #tsr.grid<output, ["1", "C"], param = 1>
// CHECK-SAME: reasons = ["T.m = 1: nothing bounds the rows, which a group streams over"
// CHECK-NOT: scf.for
// CHECK: graph.load %x[%{{.*}} size "1", %{{.*}} size "C" in_bounds]
// CHECK: graph.reduce "max" %{{.*}} {axes = array<i64: 1>} : <["1", "C"], f32> to !tsr.tensor<["1"], f32>
// CHECK: schedule.kernel_end
graph.kernel @shifted(%x: !tsr.view<["R", "C"], f32>, %result: !tsr.view<["R", "C"], f32>) attributes {dims = ["R", "C"], context = ["m"],
    params = [#tsr.param<"x", in>, #tsr.param<"result", out, result>], outputs = [#tsr.result<"result", !tsr.tensor<["R", "C"], f32>, param = 1>],
    grid = #tsr.grid<output, ["T.m", "C"], param = 1>} {
  %r = graph.query "origin" 0
  %c0 = graph.constant 0 : index
  %v = graph.load %x[%r size "T.m", %c0 size "C" in_bounds] : !tsr.view<["R", "C"], f32> to !tsr.tensor<["T.m", "C"], f32>
  %t = graph.reduce "max" %v {axes = array<i64: 1>} : !tsr.tensor<["T.m", "C"], f32> to !tsr.tensor<["T.m"], f32>
  %b = graph.broadcast %t {axes = array<i64: 0>} : !tsr.tensor<["T.m"], f32> to !tsr.tensor<["T.m", "C"], f32>
  %y = graph.elementwise "sub" %v, %b : !tsr.tensor<["T.m", "C"], f32>
  graph.store %y, %result[%r size "T.m", %c0 size "C" in_bounds] : !tsr.tensor<["T.m", "C"], f32>, !tsr.view<["R", "C"], f32>
  graph.kernel_end
}

// -----

// Where the schedule says how many rows, the row's maximum and the stores are loops over pieces, which are read again. Behind the end of the row
// is what changes no maximum.
// CHECK-LABEL: schedule.kernel @four_rows_kernel(
// CHECK-SAME: context = ["m", "piece"]
// CHECK-SAME: "C in pieces of T.piece: nothing bounds it, and no group could hold it whole"
// CHECK: %[[START:.*]] = graph.full %{{.*}} : f32 to <["T.m", "T.piece"], f32>
// CHECK: %[[MOST:.*]] = scf.for %[[C:arg[0-9]*]] = %{{.*}} iter_args(%[[ACC:arg[0-9]*]] = %[[START]])
// CHECK: graph.load %x[%{{.*}} size "T.m", %[[C]] size "T.piece"]
// CHECK: graph.elementwise "select" {{.*}} {tsr.extent_mask}
// CHECK: graph.elementwise "max" %[[ACC]]
// CHECK: graph.reduce "max" %[[MOST]] {axes = array<i64: 1>}
// CHECK: scf.for %[[S:arg[0-9]*]] =
// CHECK: graph.load %x[%{{.*}} size "T.m", %[[S]] size "T.piece"]
// CHECK: graph.store %{{.*}}, %result[%{{.*}} size "T.m", %[[S]] size "T.piece"]
// CHECK-NOT: "C"], f32> to
// CHECK: schedule.kernel_end
graph.kernel @four_rows(%x: !tsr.view<["R", "C"], f32>, %result: !tsr.view<["R", "C"], f32>) attributes {dims = ["R", "C"], context = ["m"], sizes = {m = 4 : i64},
    params = [#tsr.param<"x", in>, #tsr.param<"result", out, result>], outputs = [#tsr.result<"result", !tsr.tensor<["R", "C"], f32>, param = 1>],
    grid = #tsr.grid<output, ["T.m", "C"], param = 1>} {
  %r = graph.query "origin" 0
  %c0 = graph.constant 0 : index
  %v = graph.load %x[%r size "T.m", %c0 size "C" in_bounds] : !tsr.view<["R", "C"], f32> to !tsr.tensor<["T.m", "C"], f32>
  %t = graph.reduce "max" %v {axes = array<i64: 1>} : !tsr.tensor<["T.m", "C"], f32> to !tsr.tensor<["T.m"], f32>
  %b = graph.broadcast %t {axes = array<i64: 0>} : !tsr.tensor<["T.m"], f32> to !tsr.tensor<["T.m", "C"], f32>
  %y = graph.elementwise "sub" %v, %b : !tsr.tensor<["T.m", "C"], f32>
  graph.store %y, %result[%r size "T.m", %c0 size "C" in_bounds] : !tsr.tensor<["T.m", "C"], f32>, !tsr.view<["R", "C"], f32>
  graph.kernel_end
}

// -----

// A loop that carries whole rows runs again for each piece of them, and what it carries beside them is dropped from the loop before, or taken from
// the one that ran again. A sum over the rows' axis is a product in pieces inside of it.
// CHECK-LABEL: schedule.kernel @weighted_kernel(
// CHECK: %[[S:.*]] = scf.for {{.*}} -> (!tsr.tensor<["T.m"], f32>)
// CHECK: graph.store %[[S]], %sums
// CHECK: scf.for %[[D:arg[0-9]*]] =
// CHECK: %[[BOTH:.*]]:2 = scf.for %[[K:arg[0-9]*]] = {{.*}} -> (!tsr.tensor<["T.m", "T.piece"], f32>, !tsr.tensor<["T.m"], f32>)
// CHECK: scf.for
// CHECK: graph.dot {{.*}}["T.m", "T.piece"], f32>, {{.*}}["T.piece", "T.n"], f32>
// CHECK: graph.load %v[%[[K]] size "T.n", %[[D]] size "T.piece"]
// CHECK: graph.broadcast %[[BOTH]]#1
// CHECK: graph.store {{.*}}, %result[%{{.*}} size "T.m", %[[D]] size "T.piece"]
// CHECK: schedule.kernel_end
graph.kernel @weighted(%q: !tsr.view<["S", "D"], f32>, %v: !tsr.view<["S", "D"], f32>, %result: !tsr.view<["S", "D"], f32>, %sums: !tsr.view<["S"], f32>) attributes {
    dims = ["S", "D"], context = ["m", "n"], params = [#tsr.param<"q", in>, #tsr.param<"v", in>, #tsr.param<"result", inout>, #tsr.param<"sums", inout>],
    outputs = [], grid = #tsr.grid<output, ["T.m", "D"], param = 2>} {
  %m = graph.query "origin" 0
  %c0 = graph.constant 0 : index
  %z = graph.constant 0.0 : f32
  %rows = graph.load %q[%m size "T.m", %c0 size "D" in_bounds] : !tsr.view<["S", "D"], f32> to !tsr.tensor<["T.m", "D"], f32>
  %acc = graph.full %z : f32 to !tsr.tensor<["T.m", "D"], f32>
  %none = graph.full %z : f32 to !tsr.tensor<["T.m"], f32>
  %s = graph.dim "S"
  %n = graph.dim "T.n"
  %both:2 = scf.for %k = %c0 to %s step %n iter_args(%a = %acc, %l = %none) -> (!tsr.tensor<["T.m", "D"], f32>, !tsr.tensor<["T.m"], f32>) {
    %keys = graph.load %v[%k size "T.n", %c0 size "D" in_bounds] : !tsr.view<["S", "D"], f32> to !tsr.tensor<["T.n", "D"], f32>
    %turned = graph.transpose %keys {perm = array<i64: 1, 0>} : !tsr.tensor<["T.n", "D"], f32> to !tsr.tensor<["D", "T.n"], f32>
    %p = graph.dot %rows, %turned : (!tsr.tensor<["T.m", "D"], f32>, !tsr.tensor<["D", "T.n"], f32>) -> !tsr.tensor<["T.m", "T.n"], f32>
    %sum = graph.reduce "sum" %p {axes = array<i64: 1>} : !tsr.tensor<["T.m", "T.n"], f32> to !tsr.tensor<["T.m"], f32>
    %l2 = graph.elementwise "add" %l, %sum : !tsr.tensor<["T.m"], f32>
    %o = graph.dot %p, %keys : (!tsr.tensor<["T.m", "T.n"], f32>, !tsr.tensor<["T.n", "D"], f32>) -> !tsr.tensor<["T.m", "D"], f32>
    %a2 = graph.elementwise "add" %a, %o : !tsr.tensor<["T.m", "D"], f32>
    scf.yield %a2, %l2 : !tsr.tensor<["T.m", "D"], f32>, !tsr.tensor<["T.m"], f32>
  }
  graph.store %both#1, %sums[%m size "T.m"] : !tsr.tensor<["T.m"], f32>, !tsr.view<["S"], f32>
  %w = graph.broadcast %both#1 {axes = array<i64: 0>} : !tsr.tensor<["T.m"], f32> to !tsr.tensor<["T.m", "D"], f32>
  %y = graph.elementwise "div" %both#0, %w : !tsr.tensor<["T.m", "D"], f32>
  graph.store %y, %result[%m size "T.m", %c0 size "D" in_bounds] : !tsr.tensor<["T.m", "D"], f32>, !tsr.view<["S", "D"], f32>
  graph.kernel_end
}

// -----

// Sums over pairs count how many of a piece lie inside.
// CHECK-LABEL: schedule.kernel @distances_kernel(
// CHECK: scf.for %[[K:arg[0-9]*]] =
// CHECK: %[[LEFT:.*]] = graph.elementwise "sub" %{{.*}}, %[[K]] : index
// CHECK: %[[COUNT:.*]] = graph.elementwise "min" %[[LEFT]], %{{.*}} : index
// CHECK: graph.dot {{.*}} count %[[COUNT]]
graph.kernel @distances(%a: !tsr.view<["M", "K"], f32>, %b: !tsr.view<["K", "N"], f32>, %result: !tsr.view<["M", "N"], f32>) attributes {
    dims = ["M", "N", "K"], context = ["m", "n"], params = [#tsr.param<"a", in>, #tsr.param<"b", in>, #tsr.param<"result", inout>],
    outputs = [], grid = #tsr.grid<output, ["T.m", "T.n"], param = 2>} {
  %m = graph.query "origin" 0
  %n = graph.query "origin" 1
  %c0 = graph.constant 0 : index
  %l = graph.load %a[%m size "T.m", %c0 size "K" in_bounds] : !tsr.view<["M", "K"], f32> to !tsr.tensor<["T.m", "K"], f32>
  %r = graph.load %b[%c0 size "K" in_bounds, %n size "T.n"] : !tsr.view<["K", "N"], f32> to !tsr.tensor<["K", "T.n"], f32>
  %d = graph.dot %l, %r : (!tsr.tensor<["T.m", "K"], f32>, !tsr.tensor<["K", "T.n"], f32>) -> !tsr.tensor<["T.m", "T.n"], f32> term {
  ^bb0(%x: f32, %y: f32):
    %e = graph.elementwise "sub" %x, %y : f32
    %f = graph.elementwise "abs" %e : f32
    graph.term %f : f32
  }
  graph.store %d, %result[%m size "T.m", %n size "T.n"] : !tsr.tensor<["T.m", "T.n"], f32>, !tsr.view<["M", "N"], f32>
  graph.kernel_end
}
