// RUN: tessera-opt %s --pass-pipeline='builtin.module(graph.func(graph-exchange-sums))' | FileCheck %s

// sum_k w[m, k] / r[m] * (g @ v.T)[m, k], where w @ v is there: a sum over its 24 columns, divided by r behind it.
// CHECK-LABEL: graph.func @exchanged
// CHECK: %[[O:.*]] = graph.dot %w, %v
// CHECK: %[[TERMS:.*]] = graph.elementwise "mul" %g, %[[O]]
// CHECK: %[[SUM:.*]] = graph.reduce "sum" %[[TERMS]] {axes = array<i64: 1>} : <["M", "24"], f32>
// CHECK: %[[MINUS:.*]] = graph.elementwise "neg" %[[SUM]]
// CHECK: graph.elementwise "div" %[[MINUS]], %r
// CHECK-NOT: graph.dot
graph.func @exchanged(%w: !tsr.tensor<["M", "K"], f32>, %v: !tsr.tensor<["K", "24"], f32>, %g: !tsr.tensor<["M", "24"], f32>, %r: !tsr.tensor<["M"], f32>) -> (!tsr.tensor<["M", "24"], f32>, !tsr.tensor<["M"], f32>) attributes {
    dims = ["M", "K"], params = [#tsr.param<"w", in>, #tsr.param<"v", in>, #tsr.param<"g", in>, #tsr.param<"r", in>], outputs = [#tsr.result<"r0", !tsr.tensor<["M", "24"], f32>>, #tsr.result<"r1", !tsr.tensor<["M"], f32>>]} {
  %o = graph.dot %w, %v : (!tsr.tensor<["M", "K"], f32>, !tsr.tensor<["K", "24"], f32>) -> !tsr.tensor<["M", "24"], f32>
  %t = graph.transpose %v {perm = array<i64: 1, 0>} : <["K", "24"], f32> to <["24", "K"], f32>
  %d = graph.dot %g, %t : (!tsr.tensor<["M", "24"], f32>, !tsr.tensor<["24", "K"], f32>) -> !tsr.tensor<["M", "K"], f32>
  %b = graph.broadcast %r {axes = array<i64: 0>} : <["M"], f32> to <["M", "K"], f32>
  %n = graph.elementwise "neg" %w : !tsr.tensor<["M", "K"], f32>
  %q = graph.elementwise "div" %n, %b : !tsr.tensor<["M", "K"], f32>
  %m = graph.elementwise "mul" %d, %q : !tsr.tensor<["M", "K"], f32>
  %s = graph.reduce "sum" %m {axes = array<i64: 1>} : <["M", "K"], f32> to !tsr.tensor<["M"], f32>
  graph.return %o, %s : !tsr.tensor<["M", "24"], f32>, !tsr.tensor<["M"], f32>
}

// Weights rounded for their product, and that rounded as the function goes on with it, transposed: it is read from there.
// CHECK-LABEL: graph.func @rounded
// CHECK: %[[O:.*]] = graph.dot
// CHECK: %[[R:.*]] = graph.cast %[[O]]
// CHECK: %[[HELD:.*]] = graph.transpose %[[R]] {perm = array<i64: 1, 0>}
// CHECK: %[[BACK:.*]] = graph.transpose %[[HELD]] {perm = array<i64: 1, 0>}
// CHECK: %[[READ:.*]] = graph.cast %[[BACK]]
// CHECK: graph.elementwise "mul" %{{.*}}, %[[READ]]
graph.func @rounded(%w: !tsr.tensor<["M", "K"], f32>, %v: !tsr.tensor<["K", "24"], bf16>, %g: !tsr.tensor<["M", "24"], bf16>) -> (!tsr.tensor<["24", "M"], bf16>, !tsr.tensor<["M"], f32>) attributes {
    dims = ["M", "K"], params = [#tsr.param<"w", in>, #tsr.param<"v", in>, #tsr.param<"g", in>], outputs = [#tsr.result<"r0", !tsr.tensor<["24", "M"], bf16>>, #tsr.result<"r1", !tsr.tensor<["M"], f32>>]} {
  %wr = graph.cast %w : !tsr.tensor<["M", "K"], f32> to !tsr.tensor<["M", "K"], bf16>
  %o = graph.dot %wr, %v : (!tsr.tensor<["M", "K"], bf16>, !tsr.tensor<["K", "24"], bf16>) -> !tsr.tensor<["M", "24"], f32>
  %or = graph.cast %o : !tsr.tensor<["M", "24"], f32> to !tsr.tensor<["M", "24"], bf16>
  %held = graph.transpose %or {perm = array<i64: 1, 0>} : <["M", "24"], bf16> to <["24", "M"], bf16>
  %t = graph.transpose %v {perm = array<i64: 1, 0>} : <["K", "24"], bf16> to <["24", "K"], bf16>
  %d = graph.dot %g, %t : (!tsr.tensor<["M", "24"], bf16>, !tsr.tensor<["24", "K"], bf16>) -> !tsr.tensor<["M", "K"], f32>
  %m = graph.elementwise "mul" %w, %d : !tsr.tensor<["M", "K"], f32>
  %s = graph.reduce "sum" %m {axes = array<i64: 1>} : <["M", "K"], f32> to !tsr.tensor<["M"], f32>
  graph.return %held, %s : !tsr.tensor<["24", "M"], bf16>, !tsr.tensor<["M"], f32>
}

// Without the product of the weights it would have to be computed; rows of unknown length may be longer than those of w.
// CHECK-LABEL: graph.func @alone
// CHECK: graph.reduce "sum" %{{.*}} {axes = array<i64: 1>} : <["M", "K"], f32>
graph.func @alone(%w: !tsr.tensor<["M", "K"], f32>, %v: !tsr.tensor<["K", "24"], f32>, %g: !tsr.tensor<["M", "24"], f32>) -> !tsr.tensor<["M"], f32> attributes {
    dims = ["M", "K"], params = [#tsr.param<"w", in>, #tsr.param<"v", in>, #tsr.param<"g", in>], outputs = [#tsr.result<"r0", !tsr.tensor<["M"], f32>>]} {
  %t = graph.transpose %v {perm = array<i64: 1, 0>} : <["K", "24"], f32> to <["24", "K"], f32>
  %d = graph.dot %g, %t : (!tsr.tensor<["M", "24"], f32>, !tsr.tensor<["24", "K"], f32>) -> !tsr.tensor<["M", "K"], f32>
  %m = graph.elementwise "mul" %w, %d : !tsr.tensor<["M", "K"], f32>
  %s = graph.reduce "sum" %m {axes = array<i64: 1>} : <["M", "K"], f32> to !tsr.tensor<["M"], f32>
  graph.return %s : !tsr.tensor<["M"], f32>
}

// CHECK-LABEL: graph.func @long
// CHECK: graph.reduce "sum" %{{.*}} {axes = array<i64: 1>} : <["M", "K"], f32>
graph.func @long(%w: !tsr.tensor<["M", "K"], f32>, %v: !tsr.tensor<["K", "N"], f32>, %g: !tsr.tensor<["M", "N"], f32>) -> (!tsr.tensor<["M", "N"], f32>, !tsr.tensor<["M"], f32>) attributes {
    dims = ["M", "K", "N"], params = [#tsr.param<"w", in>, #tsr.param<"v", in>, #tsr.param<"g", in>], outputs = [#tsr.result<"r0", !tsr.tensor<["M", "N"], f32>>, #tsr.result<"r1", !tsr.tensor<["M"], f32>>]} {
  %o = graph.dot %w, %v : (!tsr.tensor<["M", "K"], f32>, !tsr.tensor<["K", "N"], f32>) -> !tsr.tensor<["M", "N"], f32>
  %t = graph.transpose %v {perm = array<i64: 1, 0>} : <["K", "N"], f32> to <["N", "K"], f32>
  %d = graph.dot %g, %t : (!tsr.tensor<["M", "N"], f32>, !tsr.tensor<["N", "K"], f32>) -> !tsr.tensor<["M", "K"], f32>
  %m = graph.elementwise "mul" %w, %d : !tsr.tensor<["M", "K"], f32>
  %s = graph.reduce "sum" %m {axes = array<i64: 1>} : <["M", "K"], f32> to !tsr.tensor<["M"], f32>
  graph.return %o, %s : !tsr.tensor<["M", "N"], f32>, !tsr.tensor<["M"], f32>
}
