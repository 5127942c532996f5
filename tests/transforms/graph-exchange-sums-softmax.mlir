// RUN: tessera-opt %s --pass-pipeline='builtin.module(set-machine{name=sm_90a},graph.func(graph-exchange-sums))' | FileCheck %s
// RUN: tessera-opt %s --pass-pipeline='builtin.module(set-machine{name=cpu},graph.func(graph-exchange-sums))' | FileCheck %s --check-prefix=CPU
// RUN: tessera-opt %s --pass-pipeline='builtin.module(set-machine{name=sm_90a},graph.func(graph-exchange-sums),graph-to-schedule,verify-schedule)' | FileCheck %s --check-prefix=ROWS

// The chain adds up the rows of what follows its result, and stores numbers of rows alone.
// ROWS-LABEL: schedule.kernel @derivative_kernel(
// ROWS: scf.for
// ROWS: %[[SUM:.*]] = graph.reduce "sum" %{{.*}} {axes = array<i64: 1>} : <["T.m", "64"], f32> to !tsr.tensor<["T.m"], f32>
// ROWS-NEXT: graph.store %[[SUM]], %r1
// ROWS-LABEL: schedule.func @derivative(
// ROWS-NOT: schedule.temp {{.*}}"64"
// ROWS: schedule.return

// The derivative of attention where nobody asks for its result: a chain that computes o = w @ v goes over the scores once, and knows their
// rows' largest and sums at its end. On CPUs, where scores are stored, that would be one product more.
// CHECK-LABEL: graph.func @derivative
// CHECK: %[[W:.*]] = graph.cast %{{.*}} to !tsr.tensor<["S", "T"], bf16>
// CHECK: %[[O:.*]] = graph.dot %[[W]], %v
// CHECK: %[[G:.*]] = graph.cast %g
// CHECK: %[[TERMS:.*]] = graph.elementwise "mul" %[[G]], %[[O]]
// CHECK: graph.reduce "sum" %[[TERMS]] {axes = array<i64: 1>} : <["S", "64"], f32>
// CPU-LABEL: graph.func @derivative
// CPU: graph.reduce "sum" %{{.*}} {axes = array<i64: 1>} : <["S", "T"], f32>
// CPU: graph.reduce "sum" %{{.*}} {axes = array<i64: 1>} : <["S", "T"], f32>
graph.func @derivative(%q: !tsr.tensor<["S", "64"], bf16>, %k: !tsr.tensor<["T", "64"], bf16>, %v: !tsr.tensor<["T", "64"], bf16>, %g: !tsr.tensor<["S", "64"], bf16>) -> (!tsr.tensor<["T", "64"], f32>, !tsr.tensor<["S"], f32>) attributes {
    dims = ["S", "T"], params = [#tsr.param<"q", in>, #tsr.param<"k", in>, #tsr.param<"v", in>, #tsr.param<"g", in>], outputs = [#tsr.result<"r0", !tsr.tensor<["T", "64"], f32>>, #tsr.result<"r1", !tsr.tensor<["S"], f32>>]} {
  %kt = graph.transpose %k {perm = array<i64: 1, 0>} : <["T", "64"], bf16> to <["64", "T"], bf16>
  %s = graph.dot %q, %kt : (!tsr.tensor<["S", "64"], bf16>, !tsr.tensor<["64", "T"], bf16>) -> !tsr.tensor<["S", "T"], f32>
  %m = graph.reduce "max" %s {axes = array<i64: 1>} : <["S", "T"], f32> to !tsr.tensor<["S"], f32>
  %ms = graph.broadcast %m {axes = array<i64: 0>} : <["S"], f32> to <["S", "T"], f32>
  %x = graph.elementwise "sub" %s, %ms : !tsr.tensor<["S", "T"], f32>
  %e = graph.elementwise "exp" %x : !tsr.tensor<["S", "T"], f32>
  %n = graph.reduce "sum" %e {axes = array<i64: 1>} : <["S", "T"], f32> to !tsr.tensor<["S"], f32>
  %ns = graph.broadcast %n {axes = array<i64: 0>} : <["S"], f32> to <["S", "T"], f32>
  %w = graph.elementwise "div" %e, %ns : !tsr.tensor<["S", "T"], f32>
  %wr = graph.cast %w : !tsr.tensor<["S", "T"], f32> to !tsr.tensor<["S", "T"], bf16>
  %wt = graph.transpose %wr {perm = array<i64: 1, 0>} : <["S", "T"], bf16> to <["T", "S"], bf16>
  %dv = graph.dot %wt, %g : (!tsr.tensor<["T", "S"], bf16>, !tsr.tensor<["S", "64"], bf16>) -> !tsr.tensor<["T", "64"], f32>
  %vt = graph.transpose %v {perm = array<i64: 1, 0>} : <["T", "64"], bf16> to <["64", "T"], bf16>
  %dw = graph.dot %g, %vt : (!tsr.tensor<["S", "64"], bf16>, !tsr.tensor<["64", "T"], bf16>) -> !tsr.tensor<["S", "T"], f32>
  %terms = graph.elementwise "mul" %dw, %w : !tsr.tensor<["S", "T"], f32>
  %sum = graph.reduce "sum" %terms {axes = array<i64: 1>} : <["S", "T"], f32> to !tsr.tensor<["S"], f32>
  graph.return %dv, %sum : !tsr.tensor<["T", "64"], f32>, !tsr.tensor<["S"], f32>
}

// Weights that the function returns are stored in any case.
// CHECK-LABEL: graph.func @returned
// CHECK: graph.dot
// CHECK: graph.dot
// CHECK: graph.dot
// CHECK-NOT: graph.dot
// CHECK: graph.reduce "sum" %{{.*}} {axes = array<i64: 1>} : <["S", "T"], f32>
// CHECK-NEXT: graph.return
graph.func @returned(%q: !tsr.tensor<["S", "64"], bf16>, %k: !tsr.tensor<["T", "64"], bf16>, %v: !tsr.tensor<["T", "64"], bf16>, %g: !tsr.tensor<["S", "64"], bf16>) -> (!tsr.tensor<["T", "64"], f32>, !tsr.tensor<["S"], f32>, !tsr.tensor<["S", "T"], f32>) attributes {
    dims = ["S", "T"], params = [#tsr.param<"q", in>, #tsr.param<"k", in>, #tsr.param<"v", in>, #tsr.param<"g", in>], outputs = [#tsr.result<"r0", !tsr.tensor<["T", "64"], f32>>, #tsr.result<"r1", !tsr.tensor<["S"], f32>>, #tsr.result<"r2", !tsr.tensor<["S", "T"], f32>>]} {
  %kt = graph.transpose %k {perm = array<i64: 1, 0>} : <["T", "64"], bf16> to <["64", "T"], bf16>
  %s = graph.dot %q, %kt : (!tsr.tensor<["S", "64"], bf16>, !tsr.tensor<["64", "T"], bf16>) -> !tsr.tensor<["S", "T"], f32>
  %m = graph.reduce "max" %s {axes = array<i64: 1>} : <["S", "T"], f32> to !tsr.tensor<["S"], f32>
  %ms = graph.broadcast %m {axes = array<i64: 0>} : <["S"], f32> to <["S", "T"], f32>
  %x = graph.elementwise "sub" %s, %ms : !tsr.tensor<["S", "T"], f32>
  %e = graph.elementwise "exp" %x : !tsr.tensor<["S", "T"], f32>
  %n = graph.reduce "sum" %e {axes = array<i64: 1>} : <["S", "T"], f32> to !tsr.tensor<["S"], f32>
  %ns = graph.broadcast %n {axes = array<i64: 0>} : <["S"], f32> to <["S", "T"], f32>
  %w = graph.elementwise "div" %e, %ns : !tsr.tensor<["S", "T"], f32>
  %wr = graph.cast %w : !tsr.tensor<["S", "T"], f32> to !tsr.tensor<["S", "T"], bf16>
  %wt = graph.transpose %wr {perm = array<i64: 1, 0>} : <["S", "T"], bf16> to <["T", "S"], bf16>
  %dv = graph.dot %wt, %g : (!tsr.tensor<["T", "S"], bf16>, !tsr.tensor<["S", "64"], bf16>) -> !tsr.tensor<["T", "64"], f32>
  %vt = graph.transpose %v {perm = array<i64: 1, 0>} : <["T", "64"], bf16> to <["64", "T"], bf16>
  %dw = graph.dot %g, %vt : (!tsr.tensor<["S", "64"], bf16>, !tsr.tensor<["64", "T"], bf16>) -> !tsr.tensor<["S", "T"], f32>
  %terms = graph.elementwise "mul" %dw, %w : !tsr.tensor<["S", "T"], f32>
  %sum = graph.reduce "sum" %terms {axes = array<i64: 1>} : <["S", "T"], f32> to !tsr.tensor<["S"], f32>
  graph.return %dv, %sum, %w : !tsr.tensor<["T", "64"], f32>, !tsr.tensor<["S"], f32>, !tsr.tensor<["S", "T"], f32>
}

// A bound of the rows of o is as good as their number.
// CHECK-LABEL: graph.func @bounded
// CHECK: %[[O:.*]] = graph.dot %{{.*}}, %v
// CHECK: graph.elementwise "mul" %{{.*}}, %[[O]]
// CHECK: graph.reduce "sum" %{{.*}} {axes = array<i64: 1>} : <["S", "E"], f32>
// CHECK-LABEL: graph.func @unbounded
// CHECK: graph.reduce "sum" %{{.*}} {axes = array<i64: 1>} : <["S", "T"], f32>
// CHECK: graph.reduce "sum" %{{.*}} {axes = array<i64: 1>} : <["S", "T"], f32>
graph.func @bounded(%q: !tsr.tensor<["S", "E"], bf16>, %k: !tsr.tensor<["T", "E"], bf16>, %v: !tsr.tensor<["T", "E"], bf16>, %g: !tsr.tensor<["S", "E"], bf16>) -> (!tsr.tensor<["T", "E"], f32>, !tsr.tensor<["S"], f32>) attributes {
    dims = ["S", "T", "E"], params = [#tsr.param<"q", in>, #tsr.param<"k", in>, #tsr.param<"v", in>, #tsr.param<"g", in>], requirements = [#tsr.requirement<"E" le "128", "">], outputs = [#tsr.result<"r0", !tsr.tensor<["T", "E"], f32>>, #tsr.result<"r1", !tsr.tensor<["S"], f32>>]} {
  %kt = graph.transpose %k {perm = array<i64: 1, 0>} : <["T", "E"], bf16> to <["E", "T"], bf16>
  %s = graph.dot %q, %kt : (!tsr.tensor<["S", "E"], bf16>, !tsr.tensor<["E", "T"], bf16>) -> !tsr.tensor<["S", "T"], f32>
  %m = graph.reduce "max" %s {axes = array<i64: 1>} : <["S", "T"], f32> to !tsr.tensor<["S"], f32>
  %ms = graph.broadcast %m {axes = array<i64: 0>} : <["S"], f32> to <["S", "T"], f32>
  %x = graph.elementwise "sub" %s, %ms : !tsr.tensor<["S", "T"], f32>
  %e = graph.elementwise "exp" %x : !tsr.tensor<["S", "T"], f32>
  %n = graph.reduce "sum" %e {axes = array<i64: 1>} : <["S", "T"], f32> to !tsr.tensor<["S"], f32>
  %ns = graph.broadcast %n {axes = array<i64: 0>} : <["S"], f32> to <["S", "T"], f32>
  %w = graph.elementwise "div" %e, %ns : !tsr.tensor<["S", "T"], f32>
  %wr = graph.cast %w : !tsr.tensor<["S", "T"], f32> to !tsr.tensor<["S", "T"], bf16>
  %wt = graph.transpose %wr {perm = array<i64: 1, 0>} : <["S", "T"], bf16> to <["T", "S"], bf16>
  %dv = graph.dot %wt, %g : (!tsr.tensor<["T", "S"], bf16>, !tsr.tensor<["S", "E"], bf16>) -> !tsr.tensor<["T", "E"], f32>
  %vt = graph.transpose %v {perm = array<i64: 1, 0>} : <["T", "E"], bf16> to <["E", "T"], bf16>
  %dw = graph.dot %g, %vt : (!tsr.tensor<["S", "E"], bf16>, !tsr.tensor<["E", "T"], bf16>) -> !tsr.tensor<["S", "T"], f32>
  %terms = graph.elementwise "mul" %dw, %w : !tsr.tensor<["S", "T"], f32>
  %sum = graph.reduce "sum" %terms {axes = array<i64: 1>} : <["S", "T"], f32> to !tsr.tensor<["S"], f32>
  graph.return %dv, %sum : !tsr.tensor<["T", "E"], f32>, !tsr.tensor<["S"], f32>
}
graph.func @unbounded(%q: !tsr.tensor<["S", "E"], bf16>, %k: !tsr.tensor<["T", "E"], bf16>, %v: !tsr.tensor<["T", "E"], bf16>, %g: !tsr.tensor<["S", "E"], bf16>) -> (!tsr.tensor<["T", "E"], f32>, !tsr.tensor<["S"], f32>) attributes {
    dims = ["S", "T", "E"], params = [#tsr.param<"q", in>, #tsr.param<"k", in>, #tsr.param<"v", in>, #tsr.param<"g", in>], outputs = [#tsr.result<"r0", !tsr.tensor<["T", "E"], f32>>, #tsr.result<"r1", !tsr.tensor<["S"], f32>>]} {
  %kt = graph.transpose %k {perm = array<i64: 1, 0>} : <["T", "E"], bf16> to <["E", "T"], bf16>
  %s = graph.dot %q, %kt : (!tsr.tensor<["S", "E"], bf16>, !tsr.tensor<["E", "T"], bf16>) -> !tsr.tensor<["S", "T"], f32>
  %m = graph.reduce "max" %s {axes = array<i64: 1>} : <["S", "T"], f32> to !tsr.tensor<["S"], f32>
  %ms = graph.broadcast %m {axes = array<i64: 0>} : <["S"], f32> to <["S", "T"], f32>
  %x = graph.elementwise "sub" %s, %ms : !tsr.tensor<["S", "T"], f32>
  %e = graph.elementwise "exp" %x : !tsr.tensor<["S", "T"], f32>
  %n = graph.reduce "sum" %e {axes = array<i64: 1>} : <["S", "T"], f32> to !tsr.tensor<["S"], f32>
  %ns = graph.broadcast %n {axes = array<i64: 0>} : <["S"], f32> to <["S", "T"], f32>
  %w = graph.elementwise "div" %e, %ns : !tsr.tensor<["S", "T"], f32>
  %wr = graph.cast %w : !tsr.tensor<["S", "T"], f32> to !tsr.tensor<["S", "T"], bf16>
  %wt = graph.transpose %wr {perm = array<i64: 1, 0>} : <["S", "T"], bf16> to <["T", "S"], bf16>
  %dv = graph.dot %wt, %g : (!tsr.tensor<["T", "S"], bf16>, !tsr.tensor<["S", "E"], bf16>) -> !tsr.tensor<["T", "E"], f32>
  %vt = graph.transpose %v {perm = array<i64: 1, 0>} : <["T", "E"], bf16> to <["E", "T"], bf16>
  %dw = graph.dot %g, %vt : (!tsr.tensor<["S", "E"], bf16>, !tsr.tensor<["E", "T"], bf16>) -> !tsr.tensor<["S", "T"], f32>
  %terms = graph.elementwise "mul" %dw, %w : !tsr.tensor<["S", "T"], f32>
  %sum = graph.reduce "sum" %terms {axes = array<i64: 1>} : <["S", "T"], f32> to !tsr.tensor<["S"], f32>
  graph.return %dv, %sum : !tsr.tensor<["T", "E"], f32>, !tsr.tensor<["S"], f32>
}
