// RUN: tessera-opt %s --set-machine=name=sm_90a --graph-to-schedule --verify-schedule | FileCheck %s
// RUN: tessera-opt %s --set-machine=name=sm_80 --graph-to-schedule --verify-schedule | FileCheck %s --check-prefix=APART

// Two products of the columns of one matrix of scores, added up in f32 and put together rounded: their kernel stores each rounded in
// its columns of the whole, and none puts them together.
// CHECK: schedule.kernel @gradients_kernel_1(
// CHECK-SAME: !tsr.view<["T", "64"], bf16, <"0", ["128", "1"]>>
// CHECK-SAME: !tsr.view<["T", "64"], bf16, <"64", ["128", "1"]>>
// CHECK-SAME: and adds up its products
// CHECK-LABEL: schedule.func @gradients(
// CHECK: %[[JOINED:.*]] = schedule.temp : <["T", "128"], bf16>
// CHECK: schedule.launch @gradients_kernel_1({{.*}}%[[JOINED]], %[[JOINED]]
// CHECK-NOT: schedule.temp : <["T", "128"], bf16>
// CHECK: schedule.return

// Elsewhere each has memory of its own, and a kernel puts them together.
// APART-NOT: bf16, <"64"
// APART-LABEL: schedule.func @gradients(
// APART: schedule.temp : <["T", "128"], bf16>
// APART: schedule.return
graph.func @gradients(%q: !tsr.tensor<["S", "64"], f32>, %k: !tsr.tensor<["64", "T"], f32>, %v: !tsr.tensor<["T", "64"], f32>, %g: !tsr.tensor<["S", "64"], f32>, %z: !tsr.tensor<["128", "8"], bf16>) -> (!tsr.tensor<["S", "64"], f32>, !tsr.tensor<["64"], f32>, !tsr.tensor<["64"], f32>, !tsr.tensor<["T", "8"], f32>) attributes {
    dims = ["S", "T"], params = [#tsr.param<"q", in>, #tsr.param<"k", in>, #tsr.param<"v", in>, #tsr.param<"g", in>, #tsr.param<"z", in>],
    outputs = [#tsr.result<"result_0", !tsr.tensor<["S", "64"], f32>>, #tsr.result<"result_1", !tsr.tensor<["64"], f32>>, #tsr.result<"result_2", !tsr.tensor<["64"], f32>>, #tsr.result<"result_3", !tsr.tensor<["T", "8"], f32>>]} {
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
  %cs = graph.reduce "sum" %c {axes = array<i64: 0>} : !tsr.tensor<["T", "64"], f32> to !tsr.tensor<["64"], f32>
  %bs = graph.reduce "sum" %b {axes = array<i64: 0>} : !tsr.tensor<["T", "64"], f32> to !tsr.tensor<["64"], f32>
  %cr = graph.cast %c : !tsr.tensor<["T", "64"], f32> to !tsr.tensor<["T", "64"], bf16>
  %br = graph.cast %b : !tsr.tensor<["T", "64"], f32> to !tsr.tensor<["T", "64"], bf16>
  %joined = graph.concat 1 %cr, %br : (!tsr.tensor<["T", "64"], bf16>, !tsr.tensor<["T", "64"], bf16>) -> !tsr.tensor<["T", "128"], bf16>
  %p = graph.dot %joined, %z : (!tsr.tensor<["T", "128"], bf16>, !tsr.tensor<["128", "8"], bf16>) -> !tsr.tensor<["T", "8"], f32>
  graph.return %r, %cs, %bs, %p : !tsr.tensor<["S", "64"], f32>, !tsr.tensor<["64"], f32>, !tsr.tensor<["64"], f32>, !tsr.tensor<["T", "8"], f32>
}
