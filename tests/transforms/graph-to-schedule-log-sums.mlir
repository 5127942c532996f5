// RUN: tessera-opt %s --set-machine=name=sm_90a --graph-to-schedule --verify-schedule | FileCheck %s
// Weights of a softmax that products take in 16 bits are made of one number of each row: exp(s - (max + log(sum))). What they are
// multiplied by, (dw / sum + r), is (dw + r * sum) then, so that no division by the sum is left for an element, and no reciprocal.

// The sum of each row's terms is wanted in f32: its sweep keeps the reciprocal.
// CHECK-LABEL: schedule.kernel @derivatives_reciprocal_kernel(%row_sum: {{.*}}, %largest: {{.*}}, %log_sum: {{.*}}, %reciprocal: {{.*}})
// CHECK: %[[LOG:.*]] = graph.elementwise "log"
// CHECK: %[[BOTH:.*]] = graph.elementwise "add" %{{.*}}, %[[LOG]]
// CHECK: graph.store %[[BOTH]], %log_sum

// CHECK-LABEL: schedule.kernel @derivatives_kernel(%k: {{.*}}, %q: {{.*}}, %log_sum: {{.*}}, %g: {{.*}}, %r0: {{.*}})
// CHECK: scf.for
// CHECK: graph.dot
// CHECK: graph.elementwise "sub"
// CHECK: graph.elementwise "exp"
// CHECK-NOT: graph.elementwise "mul"
// CHECK: graph.dot

// CHECK-LABEL: schedule.kernel @derivatives_kernel_1(%g: {{.*}}, %v: {{.*}}, %row_sum: {{.*}}, %q: {{.*}}, %k: {{.*}}, %log_sum: {{.*}}, %r1: {{.*}})
// CHECK: scf.for
// CHECK: graph.dot
// CHECK: graph.dot
// CHECK-NOT: graph.elementwise "div"
// CHECK: graph.elementwise "mul"
// CHECK-NOT: graph.elementwise "mul"
// CHECK: graph.dot
// CHECK: scf.yield
graph.func @derivatives(%q: !tsr.tensor<["S", "64"], bf16>, %k: !tsr.tensor<["T", "64"], bf16>, %v: !tsr.tensor<["T", "64"], bf16>, %g: !tsr.tensor<["S", "64"], bf16>) -> (!tsr.tensor<["T", "64"], f32>, !tsr.tensor<["S", "64"], f32>) attributes {
    dims = ["S", "T"], params = [#tsr.param<"q", in>, #tsr.param<"k", in>, #tsr.param<"v", in>, #tsr.param<"g", in>], outputs = [#tsr.result<"r0", !tsr.tensor<["T", "64"], f32>>, #tsr.result<"r1", !tsr.tensor<["S", "64"], f32>>]} {
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
  %minus = graph.elementwise "neg" %sum : !tsr.tensor<["S"], f32>
  %over = graph.elementwise "div" %minus, %n : !tsr.tensor<["S"], f32>
  %r = graph.broadcast %over {axes = array<i64: 0>} : <["S"], f32> to <["S", "T"], f32>
  %de = graph.elementwise "div" %dw, %ns : !tsr.tensor<["S", "T"], f32>
  %both = graph.elementwise "add" %de, %r : !tsr.tensor<["S", "T"], f32>
  %ds = graph.elementwise "mul" %both, %e : !tsr.tensor<["S", "T"], f32>
  %dsr = graph.cast %ds : !tsr.tensor<["S", "T"], f32> to !tsr.tensor<["S", "T"], bf16>
  %dq = graph.dot %dsr, %k : (!tsr.tensor<["S", "T"], bf16>, !tsr.tensor<["T", "64"], bf16>) -> !tsr.tensor<["S", "64"], f32>
  graph.return %dv, %dq : !tsr.tensor<["T", "64"], f32>, !tsr.tensor<["S", "64"], f32>
}
