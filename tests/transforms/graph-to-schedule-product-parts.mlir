// RUN: tessera-opt %s --set-machine=name=sm_90a --graph-to-schedule --schedule-split-products --verify-schedule | FileCheck %s
// RUN: tessera-opt %s --set-machine=name=cpu --graph-to-schedule --schedule-split-products --verify-schedule | FileCheck %s --check-prefix=CPU
// Products of few tiles with long sums add these up in parts, as many as give the processors work, and products of a batch that are
// smaller than the usual tile have small ones.

// What the sizes say when the program runs: the number of parts is a dimension of both kernels.
// CHECK: schedule.kernel @gram_kernel(
// CHECK: schedule.kernel @gram_kernel_split_parts_kernel
// CHECK-SAME: !tsr.view<["Parts", "D", "D"], f32>
// CHECK-SAME: dims = ["N", "D", "Parts"]
// CHECK: schedule.kernel @gram_kernel_split(
// CHECK: scf.for
// CHECK: schedule.func @gram
// CHECK: schedule.launch @gram_kernel_split_parts_kernel(
// CHECK-SAME: N // 256
// CHECK-SAME: tsr.when
// CHECK: schedule.launch @gram_kernel_split(
// CHECK: schedule.launch @gram_kernel(
// CHECK-SAME: "not"
// CPU: schedule.func @gram
// CPU-NOT: tsr.when
// CPU: schedule.return
graph.func @gram(%x: !tsr.tensor<["N", "D"], f32>) -> !tsr.tensor<["D", "D"], f32> attributes {dims = ["N", "D"], outputs = [#tsr.result<"result", !tsr.tensor<["D", "D"], f32>>], params = [#tsr.param<"x", in>], signature = "def gram[N, D](x: Tensor[N, D, f32]) -> Tensor[D, D, f32]"} {
  %0 = graph.transpose %x {perm = array<i64: 1, 0>} : <["N", "D"], f32> to <["D", "N"], f32>
  %1 = graph.dot %0, %x : (!tsr.tensor<["D", "N"], f32>, !tsr.tensor<["N", "D"], f32>) -> !tsr.tensor<["D", "D"], f32>
  graph.return %1 : !tsr.tensor<["D", "D"], f32>
}

// What they say before is decided: one kernel adds up three parts.
// CHECK: schedule.func @known
// CHECK-NEXT: %parts = schedule.temp : <["3", "64", "64"], f32>
// CHECK-NOT: tsr.when
// CHECK: schedule.return
graph.func @known(%x: !tsr.tensor<["3000", "64"], f32>) -> !tsr.tensor<["64", "64"], f32> attributes {dims = [], outputs = [#tsr.result<"result", !tsr.tensor<["64", "64"], f32>>], params = [#tsr.param<"x", in>], signature = "def known(x: Tensor[3000, 64, f32]) -> Tensor[64, 64, f32]"} {
  %0 = graph.transpose %x {perm = array<i64: 1, 0>} : <["3000", "64"], f32> to <["64", "3000"], f32>
  %1 = graph.dot %0, %x : (!tsr.tensor<["64", "3000"], f32>, !tsr.tensor<["3000", "64"], f32>) -> !tsr.tensor<["64", "64"], f32>
  graph.return %1 : !tsr.tensor<["64", "64"], f32>
}

// Few rows by warpgroups: half of the processors read as fast as all.
// CHECK: schedule.kernel @few_rows_kernel_split_parts_kernel
// CHECK: schedule.launch @few_rows_kernel_split_parts_kernel(
// CHECK-SAME: K // 4096
graph.func @few_rows(%x: !tsr.tensor<["8", "K"], bf16>, %w: !tsr.tensor<["K", "N"], bf16>) -> !tsr.tensor<["8", "N"], f32> attributes {dims = ["K", "N"], outputs = [#tsr.result<"result", !tsr.tensor<["8", "N"], f32>>], params = [#tsr.param<"x", in>, #tsr.param<"w", in>], signature = "def few_rows[K, N](x: Tensor[8, K, bf16 @accum(f32)], w: Tensor[K, N, bf16 @accum(f32)]) -> Tensor[8, N, f32]"} {
  %0 = graph.dot %x, %w : (!tsr.tensor<["8", "K"], bf16>, !tsr.tensor<["K", "N"], bf16>) -> !tsr.tensor<["8", "N"], f32>
  graph.return %0 : !tsr.tensor<["8", "N"], f32>
}

// CHECK: schedule.kernel @batch_kernel_up_to_64
// CHECK-SAME: group = 128
// CHECK-SAME: sizes = {k = 16 : i64, m = 64 : i64, n = 64 : i64}
// CHECK: schedule.kernel @batch_kernel_up_to_32
// CHECK: schedule.kernel @batch_kernel_up_to_16
// CHECK-SAME: group = 32
// CHECK-SAME: sizes = {k = 16 : i64, m = 16 : i64, n = 16 : i64}
// CHECK: schedule.launch @batch_kernel_up_to_16(
// CHECK-SAME: #tsr.requirement<"M" le "16", "">
graph.func @batch(%x: !tsr.tensor<["B", "M", "M"], f32>, %y: !tsr.tensor<["B", "M", "M"], f32>) -> !tsr.tensor<["B", "M", "M"], f32> attributes {dims = ["B", "M"], outputs = [#tsr.result<"result", !tsr.tensor<["B", "M", "M"], f32>>], params = [#tsr.param<"x", in>, #tsr.param<"y", in>], signature = "def batch[B, M](x: Tensor[B, M, M, f32], y: Tensor[B, M, M, f32]) -> Tensor[B, M, M, f32]"} {
  %0 = graph.dot %x, %y : (!tsr.tensor<["B", "M", "M"], f32>, !tsr.tensor<["B", "M", "M"], f32>) -> !tsr.tensor<["B", "M", "M"], f32>
  graph.return %0 : !tsr.tensor<["B", "M", "M"], f32>
}
