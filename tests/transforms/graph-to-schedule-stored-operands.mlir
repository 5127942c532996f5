// RUN: tessera-opt %s --set-machine=name=sm_90a --graph-to-schedule --verify-schedule | FileCheck %s
// RUN: tessera-opt %s --set-machine=name=sm_80 --graph-to-schedule --verify-schedule | FileCheck %s --check-prefix=WARPS
// Operands that lanes compute, of products by warpgroups, which read their operands from shared memory.

// Rows that many columns are made of are stored first; other machines' lanes load them in any case.
// CHECK-LABEL: schedule.func @shifted(
// CHECK: %[[SUM:.*]] = schedule.temp : <["M", "K"], bf16>
// CHECK-NEXT: schedule.launch @shifted_kernel(%x, %b, %[[SUM]])
// CHECK: schedule.launch @{{.*}}(%[[SUM]], %w, %result)
// CHECK-NOT: %x
// CHECK: schedule.return
// WARPS-LABEL: schedule.func @shifted(
// WARPS-NOT: schedule.temp
// WARPS: schedule.launch @shifted_kernel(%x, %b, %w, %result)
graph.func @shifted(%x: !tsr.tensor<["M", "K"], bf16>, %b: !tsr.tensor<["K"], bf16>, %w: !tsr.tensor<["K", "4096"], bf16>) -> !tsr.tensor<["M", "4096"], f32> attributes {
    dims = ["M", "K"], params = [#tsr.param<"x", in>, #tsr.param<"b", in>, #tsr.param<"w", in>], outputs = [#tsr.result<"result", !tsr.tensor<["M", "4096"], f32>>]} {
  %bs = graph.broadcast %b {axes = array<i64: 1>} : !tsr.tensor<["K"], bf16> to !tsr.tensor<["M", "K"], bf16>
  %s = graph.elementwise "add" %x, %bs : !tsr.tensor<["M", "K"], bf16>
  %h = graph.dot %s, %w : (!tsr.tensor<["M", "K"], bf16>, !tsr.tensor<["K", "4096"], bf16>) -> !tsr.tensor<["M", "4096"], f32>
  graph.return %h : !tsr.tensor<["M", "4096"], f32>
}

// Few columns: the rows are read once.
// CHECK-LABEL: schedule.func @narrow(
// CHECK-NOT: schedule.temp
// CHECK: schedule.return
graph.func @narrow(%x: !tsr.tensor<["M", "K"], bf16>, %b: !tsr.tensor<["K"], bf16>, %w: !tsr.tensor<["K", "64"], bf16>) -> !tsr.tensor<["M", "64"], f32> attributes {
    dims = ["M", "K"], params = [#tsr.param<"x", in>, #tsr.param<"b", in>, #tsr.param<"w", in>], outputs = [#tsr.result<"result", !tsr.tensor<["M", "64"], f32>>]} {
  %bs = graph.broadcast %b {axes = array<i64: 1>} : !tsr.tensor<["K"], bf16> to !tsr.tensor<["M", "K"], bf16>
  %s = graph.elementwise "add" %x, %bs : !tsr.tensor<["M", "K"], bf16>
  %h = graph.dot %s, %w : (!tsr.tensor<["M", "K"], bf16>, !tsr.tensor<["K", "64"], bf16>) -> !tsr.tensor<["M", "64"], f32>
  graph.return %h : !tsr.tensor<["M", "64"], f32>
}

// Weights of 8 bits: the entry function asks for how many rows they are.
// CHECK-LABEL: schedule.func @bytes(
// CHECK: %[[W:.*]] = schedule.temp {tsr.when = {{\[\[}}"not", #tsr.requirement<"M" le "256", "">]]} : <["4096", "8192"], bf16>
// CHECK: schedule.launch @bytes_kernel(%w, %[[W]]) {tsr.when = {{\[\[}}"not", #tsr.requirement<"M" le "256", "">]]}
// CHECK: schedule.launch @{{.*}}(%x, %[[W]], %result)
// CHECK: schedule.launch @{{.*}}(%x, %w, %result) {{.*}}#tsr.requirement<"M" le "256", "">
graph.func @bytes(%x: !tsr.tensor<["M", "8192"], bf16>, %w: !tsr.tensor<["4096", "8192"], i8>) -> !tsr.tensor<["M", "4096"], f32> attributes {
    dims = ["M"], params = [#tsr.param<"x", in>, #tsr.param<"w", in>], outputs = [#tsr.result<"result", !tsr.tensor<["M", "4096"], f32>>]} {
  %c = graph.cast %w : !tsr.tensor<["4096", "8192"], i8> to !tsr.tensor<["4096", "8192"], bf16>
  %t = graph.transpose %c {perm = array<i64: 1, 0>} : !tsr.tensor<["4096", "8192"], bf16> to !tsr.tensor<["8192", "4096"], bf16>
  %h = graph.dot %x, %t : (!tsr.tensor<["M", "8192"], bf16>, !tsr.tensor<["8192", "4096"], bf16>) -> !tsr.tensor<["M", "4096"], f32>
  graph.return %h : !tsr.tensor<["M", "4096"], f32>
}
