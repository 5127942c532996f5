module {
  graph.kernel @matmul(%A: !tsr.view<["M", "K"], bf16>, %B: !tsr.view<["K", "N"], bf16>, %result: !tsr.view<["M", "N"], bf16>) attributes {context = ["m", "n", "k"], dims = ["M", "K", "N"], grid = #tsr.grid<output, ["T.m", "T.n"], param = 2>, options = {swizzle = "xor"}, outputs = [#tsr.result<"result", !tsr.tensor<["M", "N"], bf16>, param = 2>], params = [#tsr.param<"A", in>, #tsr.param<"B", in>, #tsr.param<"result", out, result>], signature = "def matmul[M, N, K](A: Tensor[M, K, bf16 @accum(f32)], B: Tensor[K, N, bf16 @accum(f32)]) -> Tensor[M, N, bf16]", sizes = {k = 64 : i64, m = 128 : i64, n = 256 : i64, stages = 4 : i64, warps = 8 : i64}, tsr.numerics = {A = {accumulate = "f32", denormals = "keep", round_at = "store", rounding = "nearest_even", saturate = false}, B = {accumulate = "f32", denormals = "keep", round_at = "store", rounding = "nearest_even", saturate = false}, result = {denormals = "keep", round_at = "store", rounding = "nearest_even", saturate = false}}} {
    %m = graph.query "origin" 0
    %n = graph.query "origin" 1
    %0 = graph.constant 0.000000e+00 : f32
    %acc = graph.full %0 : f32 to <["T.m", "T.n"], f32>
    %1 = graph.constant 0 : index
    %2 = graph.dim "K"
    %3 = graph.dim "T.k"
    %4 = scf.for %arg0 = %1 to %2 step %3 iter_args(%arg1 = %acc) -> (!tsr.tensor<["T.m", "T.n"], f32>) {
      %8 = graph.load %A[%m size "T.m", %arg0 size "T.k"] : !tsr.view<["M", "K"], bf16> to !tsr.tensor<["T.m", "T.k"], bf16>
      %9 = graph.load %B[%arg0 size "T.k", %n size "T.n"] : !tsr.view<["K", "N"], bf16> to !tsr.tensor<["T.k", "T.n"], bf16>
      %10 = graph.dot %8, %9 : (!tsr.tensor<["T.m", "T.k"], bf16>, !tsr.tensor<["T.k", "T.n"], bf16>) -> !tsr.tensor<["T.m", "T.n"], f32>
      %acc_0 = graph.elementwise "add" %arg1, %10 : !tsr.tensor<["T.m", "T.n"], f32>
      scf.yield %acc_0 : !tsr.tensor<["T.m", "T.n"], f32>
    }
    %5 = graph.cast %4 : !tsr.tensor<["T.m", "T.n"], f32> to !tsr.tensor<["T.m", "T.n"], bf16>
    %6 = graph.query "origin" 0
    %7 = graph.query "origin" 1
    graph.store %5, %result[%6 size "T.m", %7 size "T.n"] : !tsr.tensor<["T.m", "T.n"], bf16>, !tsr.view<["M", "N"], bf16>
    graph.kernel_end
  }
  graph.kernel @small_matmul(%A: !tsr.view<["M", "K"], bf16>, %B: !tsr.view<["K", "N"], bf16>, %result: !tsr.view<["M", "N"], bf16>) attributes {context = ["m", "n", "k"], dims = ["M", "K", "N"], grid = #tsr.grid<output, ["T.m", "T.n"], param = 2>, options = {swizzle = "xor"}, outputs = [#tsr.result<"result", !tsr.tensor<["M", "N"], bf16>, param = 2>], params = [#tsr.param<"A", in>, #tsr.param<"B", in>, #tsr.param<"result", out, result>], signature = "def matmul[M, N, K](A: Tensor[M, K, bf16 @accum(f32)], B: Tensor[K, N, bf16 @accum(f32)]) -> Tensor[M, N, bf16]", sizes = {k = 64 : i64, m = 64 : i64, n = 64 : i64, stages = 4 : i64, warps = 4 : i64}, tsr.numerics = {A = {accumulate = "f32", denormals = "keep", round_at = "store", rounding = "nearest_even", saturate = false}, B = {accumulate = "f32", denormals = "keep", round_at = "store", rounding = "nearest_even", saturate = false}, result = {denormals = "keep", round_at = "store", rounding = "nearest_even", saturate = false}}} {
    %m = graph.query "origin" 0
    %n = graph.query "origin" 1
    %0 = graph.constant 0.000000e+00 : f32
    %acc = graph.full %0 : f32 to <["T.m", "T.n"], f32>
    %1 = graph.constant 0 : index
    %2 = graph.dim "K"
    %3 = graph.dim "T.k"
    %4 = scf.for %arg0 = %1 to %2 step %3 iter_args(%arg1 = %acc) -> (!tsr.tensor<["T.m", "T.n"], f32>) {
      %8 = graph.load %A[%m size "T.m", %arg0 size "T.k"] : !tsr.view<["M", "K"], bf16> to !tsr.tensor<["T.m", "T.k"], bf16>
      %9 = graph.load %B[%arg0 size "T.k", %n size "T.n"] : !tsr.view<["K", "N"], bf16> to !tsr.tensor<["T.k", "T.n"], bf16>
      %10 = graph.dot %8, %9 : (!tsr.tensor<["T.m", "T.k"], bf16>, !tsr.tensor<["T.k", "T.n"], bf16>) -> !tsr.tensor<["T.m", "T.n"], f32>
      %acc_0 = graph.elementwise "add" %arg1, %10 : !tsr.tensor<["T.m", "T.n"], f32>
      scf.yield %acc_0 : !tsr.tensor<["T.m", "T.n"], f32>
    }
    %5 = graph.cast %4 : !tsr.tensor<["T.m", "T.n"], f32> to !tsr.tensor<["T.m", "T.n"], bf16>
    %6 = graph.query "origin" 0
    %7 = graph.query "origin" 1
    graph.store %5, %result[%6 size "T.m", %7 size "T.n"] : !tsr.tensor<["T.m", "T.n"], bf16>, !tsr.view<["M", "N"], bf16>
    graph.kernel_end
  }
}
