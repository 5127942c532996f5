// RUN: tessera-opt %s --set-machine=name=sm_90a --graph-to-schedule --verify-schedule | FileCheck %s --check-prefix=WARPGROUPS
// RUN: tessera-opt %s --set-machine=name=sm_80 --graph-to-schedule --verify-schedule | FileCheck %s --check-prefix=WARPS
// RUN: tessera-opt %s --set-machine=name=gfx90a --graph-to-schedule --verify-schedule | FileCheck %s --check-prefix=WAVES
// RUN: tessera-opt %s --set-machine=name=cpu --graph-to-schedule --verify-schedule | FileCheck %s --check-prefix=CPU
// A user's kernel with one product and without a schedule has the tile of a product in a tensor function: what the machine's
// instructions take, and as many lanes as hold its sums.

// WARPGROUPS: schedule.kernel @matmul_kernel
// WARPGROUPS-SAME: group = 256
// WARPGROUPS-SAME: sizes = {k = 64 : i64, m = 128 : i64, n = 256 : i64}
// WARPS: schedule.kernel @matmul_kernel
// WARPS-SAME: group = 128
// WARPS-SAME: sizes = {k = 64 : i64, m = 128 : i64, n = 128 : i64}
// WAVES: schedule.kernel @matmul_kernel
// WAVES-SAME: group = 256
// WAVES-SAME: sizes = {k = 64 : i64, m = 128 : i64, n = 128 : i64}
// CPU: schedule.kernel @matmul_kernel
// CPU-SAME: sizes = {k = 256 : i64, m = 256 : i64, n = 128 : i64}
graph.kernel @matmul(%A: !tsr.view<["M", "K"], bf16>, %B: !tsr.view<["K", "N"], bf16>, %result: !tsr.view<["M", "N"], f32>) attributes {
    context = ["m", "n", "k"], dims = ["M", "K", "N"], grid = #tsr.grid<output, ["T.m", "T.n"], param = 2>, outputs = [#tsr.result<"result", !tsr.tensor<["M", "N"], f32>, param = 2>], params = [#tsr.param<"A", in>, #tsr.param<"B", in>, #tsr.param<"result", out, result>], signature = "def matmul[M, N, K](A: Tensor[M, K, bf16 @accum(f32)], B: Tensor[K, N, bf16 @accum(f32)]) -> Tensor[M, N, f32]", tsr.numerics = {A = {accumulate = "f32", denormals = "keep", round_at = "store", rounding = "nearest_even", saturate = false}, B = {accumulate = "f32", denormals = "keep", round_at = "store", rounding = "nearest_even", saturate = false}, result = {denormals = "keep", round_at = "store", rounding = "nearest_even", saturate = false}}} {
  %m = graph.query "origin" 0
  %n = graph.query "origin" 1
  %0 = graph.constant 0.000000e+00 : f32
  %acc = graph.full %0 : f32 to <["T.m", "T.n"], f32>
  %1 = graph.constant 0 : index
  %2 = graph.dim "K"
  %3 = graph.dim "T.k"
  %4 = scf.for %arg0 = %1 to %2 step %3 iter_args(%arg1 = %acc) -> (!tsr.tensor<["T.m", "T.n"], f32>) {
    %7 = graph.load %A[%m size "T.m", %arg0 size "T.k"] : !tsr.view<["M", "K"], bf16> to !tsr.tensor<["T.m", "T.k"], bf16>
    %8 = graph.load %B[%arg0 size "T.k", %n size "T.n"] : !tsr.view<["K", "N"], bf16> to !tsr.tensor<["T.k", "T.n"], bf16>
    %9 = graph.dot %7, %8 : (!tsr.tensor<["T.m", "T.k"], bf16>, !tsr.tensor<["T.k", "T.n"], bf16>) -> !tsr.tensor<["T.m", "T.n"], f32>
    %acc_0 = graph.elementwise "add" %arg1, %9 : !tsr.tensor<["T.m", "T.n"], f32>
    scf.yield %acc_0 : !tsr.tensor<["T.m", "T.n"], f32>
  }
  %5 = graph.query "origin" 0
  %6 = graph.query "origin" 1
  graph.store %4, %result[%5 size "T.m", %6 size "T.n"] : !tsr.tensor<["T.m", "T.n"], f32>, !tsr.view<["M", "N"], f32>
  graph.kernel_end
}
