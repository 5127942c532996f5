// RUN: tessera-opt %s --set-machine=name=sm_80 --graph-to-schedule --verify-schedule | FileCheck %s
// Results that are made element by element of the same arrays are stored by one kernel, which reads what they share once.

// CHECK-LABEL: schedule.kernel @moments_kernel(%m: {{.*}}, %g: {{.*}}, %p: {{.*}}, %result_0: {{.*}}, %result_1: {{.*}})
// CHECK-SAME: reasons = ["one lane an element of all results: what they share is read once"]
// CHECK-COUNT-3: graph.load
// CHECK-NOT: graph.load
// CHECK: graph.store %{{.*}}, %result_1
// CHECK: graph.store %{{.*}}, %result_0
// CHECK-LABEL: schedule.func @moments(
// CHECK: schedule.launch @moments_kernel(%m, %g, %p, %result_0, %result_1)
// CHECK-NEXT: schedule.return
graph.func @moments(%p: !tsr.tensor<["N"], f32>, %g: !tsr.tensor<["N"], f32>, %m: !tsr.tensor<["N"], f32>) -> (!tsr.tensor<["N"], f32>, !tsr.tensor<["N"], f32>) attributes {
    dims = ["N"], params = [#tsr.param<"p", in>, #tsr.param<"g", in>, #tsr.param<"m", in>],
    outputs = [#tsr.result<"result_0", !tsr.tensor<["N"], f32>>, #tsr.result<"result_1", !tsr.tensor<["N"], f32>>]} {
  %n = graph.elementwise "add" %m, %g : !tsr.tensor<["N"], f32>
  %q = graph.elementwise "sub" %p, %n : !tsr.tensor<["N"], f32>
  graph.return %q, %n : !tsr.tensor<["N"], f32>, !tsr.tensor<["N"], f32>
}

// What needs a sum that is not there yet waits for it; what has another shape has a kernel of its own.
// CHECK-LABEL: schedule.func @apart(
// CHECK-COUNT-3: schedule.launch
// CHECK-NOT: schedule.launch
// CHECK: schedule.return
graph.func @apart(%x: !tsr.tensor<["N"], f32>) -> (!tsr.tensor<["N"], f32>, !tsr.tensor<["N"], f32>) attributes {
    dims = ["N"], params = [#tsr.param<"x", in>],
    outputs = [#tsr.result<"result_0", !tsr.tensor<["N"], f32>>, #tsr.result<"result_1", !tsr.tensor<["N"], f32>>]} {
  %a = graph.elementwise "add" %x, %x : !tsr.tensor<["N"], f32>
  %s = graph.reduce "sum" %x {axes = array<i64: 0>} : !tsr.tensor<["N"], f32> to f32
  %f = graph.full %s : f32 to !tsr.tensor<["N"], f32>
  %b = graph.elementwise "mul" %x, %f : !tsr.tensor<["N"], f32>
  graph.return %a, %b : !tsr.tensor<["N"], f32>, !tsr.tensor<["N"], f32>
}

// Sums over the rows of one array are added up together, also where only a sum of theirs is read further on; not one that is made of another.
// CHECK-LABEL: schedule.kernel @moments_of_rows_kernel(%x: !tsr.view<["N", "C"], f32>, %result: !tsr.view<["C"], f32>)
// CHECK-LABEL: schedule.kernel @moments_of_rows_kernel_1(%x: {{.*}}, %temporary: !tsr.view<["C"], f32>, %result: !tsr.view<["C"], f32>, %result_1: !tsr.view<["C"], f32>)
// CHECK-LABEL: schedule.func @moments_of_rows(
// CHECK-COUNT-3: schedule.launch
// CHECK-NOT: schedule.launch
// CHECK: schedule.return
graph.func @moments_of_rows(%x: !tsr.tensor<["N", "C"], f32>) -> !tsr.tensor<["C"], f32> attributes {
    dims = ["N", "C"], params = [#tsr.param<"x", in>], outputs = [#tsr.result<"result", !tsr.tensor<["C"], f32>>]} {
  %m = graph.reduce "sum" %x {axes = array<i64: 0>} : <["N", "C"], f32> to !tsr.tensor<["C"], f32>
  %all = graph.broadcast %m {axes = array<i64: 1>} : <["C"], f32> to <["N", "C"], f32>
  %d = graph.elementwise "sub" %x, %all : !tsr.tensor<["N", "C"], f32>
  %q = graph.elementwise "mul" %d, %d : !tsr.tensor<["N", "C"], f32>
  %v = graph.reduce "sum" %q {axes = array<i64: 0>} : <["N", "C"], f32> to !tsr.tensor<["C"], f32>
  %s = graph.reduce "sum" %d {axes = array<i64: 0>} : <["N", "C"], f32> to !tsr.tensor<["C"], f32>
  %r = graph.elementwise "div" %v, %s : !tsr.tensor<["C"], f32>
  graph.return %r : !tsr.tensor<["C"], f32>
}
