// RUN: tessera-opt %s --set-machine=name=sm_90a --graph-to-schedule --verify-schedule | FileCheck %s
// RUN: tessera-opt %s --set-machine=name=sm_80 --graph-to-schedule --verify-schedule | FileCheck %s --check-prefix=WARPS
// RUN: tessera-opt %s --set-machine=name=sm_90a --graph-to-schedule --schedule-to-tile | FileCheck %s --check-prefix=TILE

// The derivatives by keys and values of heads of 128, with two numbers of each column: warpgroups have the registers for both in one kernel,
// whose vectors come through shared memory; warps have not. What is rounded and then turned is stored so, by that kernel.
// CHECK-LABEL: schedule.kernel @pair_kernel(
// CHECK-SAME: and adds up its products
// CHECK-SAME: sizes = {m = 128 : i64, n = 64 : i64}
// CHECK: %[[SUMS:.*]]:2 = scf.for
// CHECK-DAG: graph.store %{{.*}}, %r0[%{{.*}}] : !tsr.tensor<["T.m", "128"], bf16>
// CHECK-DAG: graph.store %{{.*}}, %r1[%{{.*}}] : !tsr.tensor<["T.m", "128"], bf16>
// CHECK-LABEL: schedule.func @pair(
// CHECK: schedule.launch @pair_kernel(
// CHECK-NEXT: schedule.launch @pair_kernel_1(%q, %k, %l, %n)
// CHECK-NEXT: schedule.return
// WARPS-NOT: and adds up its products
// WARPS: and adds up its product;
// WARPS: and adds up its product;
// WARPS-LABEL: schedule.func @pair(
// WARPS-NOT: schedule.temp

// What a turn repeats of a vector is added behind the product, which starts from 0.
// TILE-LABEL: tile.kernel @pair_kernel(
// TILE: scf.for
// TILE: tile.dot
// TILE: tile.broadcast
// TILE: tile.elementwise "add"
graph.func @pair(%q: !tsr.tensor<["S", "128"], bf16>, %k: !tsr.tensor<["T", "128"], bf16>, %v: !tsr.tensor<["T", "128"], bf16>, %g: !tsr.tensor<["S", "128"], bf16>, %l: !tsr.tensor<["S"], f32>, %r: !tsr.tensor<["S"], f32>) -> (!tsr.tensor<["T", "128"], bf16>, !tsr.tensor<["T", "128"], bf16>, !tsr.tensor<["S"], f32>) attributes {
    dims = ["S", "T"], params = [#tsr.param<"q", in>, #tsr.param<"k", in>, #tsr.param<"v", in>, #tsr.param<"g", in>, #tsr.param<"l", in>, #tsr.param<"r", in>],
    outputs = [#tsr.result<"r0", !tsr.tensor<["T", "128"], bf16>>, #tsr.result<"r1", !tsr.tensor<["T", "128"], bf16>>, #tsr.result<"n", !tsr.tensor<["S"], f32>>]} {
  %qt = graph.transpose %q {perm = array<i64: 1, 0>} : <["S", "128"], bf16> to <["128", "S"], bf16>
  %kt = graph.transpose %k {perm = array<i64: 1, 0>} : <["T", "128"], bf16> to <["128", "T"], bf16>
  %vt = graph.transpose %v {perm = array<i64: 1, 0>} : <["T", "128"], bf16> to <["128", "T"], bf16>
  %s = graph.dot %q, %kt : (!tsr.tensor<["S", "128"], bf16>, !tsr.tensor<["128", "T"], bf16>) -> !tsr.tensor<["S", "T"], f32>
  %ls = graph.broadcast %l {axes = array<i64: 0>} : <["S"], f32> to <["S", "T"], f32>
  %x = graph.elementwise "sub" %s, %ls : !tsr.tensor<["S", "T"], f32>
  %p = graph.elementwise "exp" %x : !tsr.tensor<["S", "T"], f32>
  %pr = graph.cast %p : !tsr.tensor<["S", "T"], f32> to !tsr.tensor<["S", "T"], bf16>
  %pt = graph.transpose %pr {perm = array<i64: 1, 0>} : <["S", "T"], bf16> to <["T", "S"], bf16>
  %dv = graph.dot %pt, %g : (!tsr.tensor<["T", "S"], bf16>, !tsr.tensor<["S", "128"], bf16>) -> !tsr.tensor<["T", "128"], f32>
  %dvr = graph.cast %dv : !tsr.tensor<["T", "128"], f32> to !tsr.tensor<["T", "128"], bf16>
  %dw = graph.dot %g, %vt : (!tsr.tensor<["S", "128"], bf16>, !tsr.tensor<["128", "T"], bf16>) -> !tsr.tensor<["S", "T"], f32>
  %rs = graph.broadcast %r {axes = array<i64: 0>} : <["S"], f32> to <["S", "T"], f32>
  %de = graph.elementwise "add" %dw, %rs : !tsr.tensor<["S", "T"], f32>
  %ds = graph.elementwise "mul" %de, %p : !tsr.tensor<["S", "T"], f32>
  %dsr = graph.cast %ds : !tsr.tensor<["S", "T"], f32> to !tsr.tensor<["S", "T"], bf16>
  %dkt = graph.dot %qt, %dsr : (!tsr.tensor<["128", "S"], bf16>, !tsr.tensor<["S", "T"], bf16>) -> !tsr.tensor<["128", "T"], f32>
  %dkr = graph.cast %dkt : !tsr.tensor<["128", "T"], f32> to !tsr.tensor<["128", "T"], bf16>
  %dk = graph.transpose %dkr {perm = array<i64: 1, 0>} : <["128", "T"], bf16> to <["T", "128"], bf16>
  %n = graph.reduce "sum" %p {axes = array<i64: 1>} : <["S", "T"], f32> to !tsr.tensor<["S"], f32>
  graph.return %dk, %dvr, %n : !tsr.tensor<["T", "128"], bf16>, !tsr.tensor<["T", "128"], bf16>, !tsr.tensor<["S"], f32>
}
