// What a function leaves in a parameter is written where it lies: a part, and a whole of which each element depends on itself.
// RUN: tessera-opt %s --set-machine=name=sm_80 --split-input-file --verify-diagnostics --graph-to-schedule | FileCheck %s

// CHECK: schedule.kernel @put_kernel
// CHECK-SAME: params = [#tsr.param<"x", in>, #tsr.param<"cache", out, result>]
// CHECK-LABEL: schedule.func @put(
// CHECK-SAME: %[[X:.*]]: {{.*}}, %[[CACHE:[a-z]*]]: !tsr.view
// CHECK-NEXT: schedule.launch @put_kernel(%[[X]], %[[CACHE]])
// CHECK-NEXT: schedule.return
graph.func @put(%x: !tsr.tensor<["N"], f32>, %cache: !tsr.tensor<["T", "N"], f32>) -> !tsr.tensor<["T", "N"], f32> attributes {
    dims = ["T", "N"], params = [#tsr.param<"x", in>, #tsr.param<"cache", inout>],
    outputs = [#tsr.result<"cache", !tsr.tensor<["T", "N"], f32>, param = 1>]} {
  %places = graph.iota 0 : !tsr.tensor<["T"], i64>
  %c0 = graph.constant 0 : i64
  %turn = graph.full %c0 : i64 to !tsr.tensor<["T"], i64>
  %row_here = graph.elementwise "eq" %places, %turn : !tsr.tensor<["T"], i64>
  %here = graph.broadcast %row_here {axes = array<i64: 0>} : !tsr.tensor<["T"], i1> to !tsr.tensor<["T", "N"], i1>
  %rows = graph.broadcast %x {axes = array<i64: 1>} : !tsr.tensor<["N"], f32> to !tsr.tensor<["T", "N"], f32>
  %next = graph.elementwise "select" %here, %rows, %cache {tsr.update} : !tsr.tensor<["T", "N"], f32>
  graph.return %next : !tsr.tensor<["T", "N"], f32>
}

// CHECK: schedule.kernel @scaled_kernel
// CHECK-SAME: params = [#tsr.param<"m", inout, result>]
// CHECK-LABEL: schedule.func @scaled(
// CHECK-NEXT: schedule.launch @scaled_kernel(%{{.*}})
// CHECK-NEXT: schedule.return
graph.func @scaled(%m: !tsr.tensor<["N"], f32>) -> !tsr.tensor<["N"], f32> attributes {
    dims = ["N"], params = [#tsr.param<"m", inout>], outputs = [#tsr.result<"m", !tsr.tensor<["N"], f32>, param = 0>]} {
  %next = graph.elementwise "add" %m, %m : !tsr.tensor<["N"], f32>
  graph.return %next : !tsr.tensor<["N"], f32>
}

// -----

graph.func @late(%x: !tsr.tensor<["N"], f32>, %cache: !tsr.tensor<["T", "N"], f32>) -> (!tsr.tensor<["T", "N"], f32>, !tsr.tensor<["T", "N"], f32>) attributes {
    dims = ["T", "N"], params = [#tsr.param<"x", in>, #tsr.param<"cache", inout>],
    outputs = [#tsr.result<"result", !tsr.tensor<["T", "N"], f32>>, #tsr.result<"cache", !tsr.tensor<["T", "N"], f32>, param = 1>]} {
  %places = graph.iota 0 : !tsr.tensor<["T"], i64>
  %c0 = graph.constant 0 : i64
  %turn = graph.full %c0 : i64 to !tsr.tensor<["T"], i64>
  %row_here = graph.elementwise "eq" %places, %turn : !tsr.tensor<["T"], i64>
  %here = graph.broadcast %row_here {axes = array<i64: 0>} : !tsr.tensor<["T"], i1> to !tsr.tensor<["T", "N"], i1>
  %rows = graph.broadcast %x {axes = array<i64: 1>} : !tsr.tensor<["N"], f32> to !tsr.tensor<["T", "N"], f32>
  %next = graph.elementwise "select" %here, %rows, %cache {tsr.update} : !tsr.tensor<["T", "N"], f32>
  // expected-error@+1 {{what `cache` was before an update, which is read after it}}
  %old = graph.elementwise "exp" %cache : !tsr.tensor<["T", "N"], f32>
  graph.return %old, %next : !tsr.tensor<["T", "N"], f32>, !tsr.tensor<["T", "N"], f32>
}

// -----

// What three states become of the same arrays is one kernel, which reads and writes each where it lies; the sum over rows that
// all of them need is computed once, before.
// CHECK-LABEL: schedule.kernel @moments_dg_kernel(
// CHECK-LABEL: schedule.kernel @moments_kernel(
// CHECK-SAME: params = [#tsr.param<"dg", in>, #tsr.param<"v", inout, result>, #tsr.param<"p", inout, result>, #tsr.param<"m", inout, result>]
// CHECK-LABEL: schedule.func @moments(
// CHECK: schedule.launch @moments_dg_kernel
// CHECK-NEXT: schedule.launch @moments_kernel
// CHECK-NEXT: schedule.return
graph.func @moments(%p: !tsr.tensor<["N"], f32>, %m: !tsr.tensor<["N"], f32>, %v: !tsr.tensor<["N"], f32>, %x: !tsr.tensor<["B", "N"], f32>) -> (!tsr.tensor<["N"], f32>, !tsr.tensor<["N"], f32>, !tsr.tensor<["N"], f32>) attributes {
    dims = ["B", "N"], params = [#tsr.param<"p", inout>, #tsr.param<"m", inout>, #tsr.param<"v", inout>, #tsr.param<"x", in>],
    outputs = [#tsr.result<"p", !tsr.tensor<["N"], f32>, param = 0>, #tsr.result<"m", !tsr.tensor<["N"], f32>, param = 1>, #tsr.result<"v", !tsr.tensor<["N"], f32>, param = 2>]} {
  %g = graph.reduce "sum" %x {axes = array<i64: 0>} : !tsr.tensor<["B", "N"], f32> to !tsr.tensor<["N"], f32> loc("dg")
  %n = graph.elementwise "add" %m, %g : !tsr.tensor<["N"], f32>
  %g2 = graph.elementwise "mul" %g, %g : !tsr.tensor<["N"], f32>
  %w = graph.elementwise "add" %v, %g2 : !tsr.tensor<["N"], f32>
  %c = graph.elementwise "mul" %n, %w : !tsr.tensor<["N"], f32>
  %q = graph.elementwise "sub" %p, %c : !tsr.tensor<["N"], f32>
  graph.return %q, %n, %w : !tsr.tensor<["N"], f32>, !tsr.tensor<["N"], f32>, !tsr.tensor<["N"], f32>
}

// -----

// Each is made of the other's elements at other places: one is computed beside, and then stored.
// CHECK-LABEL: schedule.func @crossed(
// CHECK: %[[BESIDE:.*]] = schedule.temp
// CHECK-COUNT-3: schedule.launch
// CHECK-NOT: schedule.launch
// CHECK: schedule.return
graph.func @crossed(%a: !tsr.tensor<["N", "N"], f32>, %b: !tsr.tensor<["N", "N"], f32>) -> (!tsr.tensor<["N", "N"], f32>, !tsr.tensor<["N", "N"], f32>) attributes {
    dims = ["N"], params = [#tsr.param<"a", inout>, #tsr.param<"b", inout>],
    outputs = [#tsr.result<"a", !tsr.tensor<["N", "N"], f32>, param = 0>, #tsr.result<"b", !tsr.tensor<["N", "N"], f32>, param = 1>]} {
  %at = graph.transpose %a {perm = array<i64: 1, 0>} : <["N", "N"], f32> to <["N", "N"], f32>
  %bt = graph.transpose %b {perm = array<i64: 1, 0>} : <["N", "N"], f32> to <["N", "N"], f32>
  %x = graph.elementwise "add" %a, %bt : !tsr.tensor<["N", "N"], f32>
  %y = graph.elementwise "sub" %b, %at : !tsr.tensor<["N", "N"], f32>
  graph.return %x, %y : !tsr.tensor<["N", "N"], f32>, !tsr.tensor<["N", "N"], f32>
}
