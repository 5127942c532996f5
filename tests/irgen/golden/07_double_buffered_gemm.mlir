module {
  graph.kernel @double_buffered_gemm(%A: !tsr.view<["M", "K"], bf16>, %B: !tsr.view<["K", "N"], bf16>, %C: !tsr.view<["M", "N"], f32>) attributes {dims = ["M", "K", "N"], grid = #tsr.grid<explicit, ["(M + 127) // 128", "(N + 127) // 128"]>, group = 256 : i64, outputs = [], params = [#tsr.param<"A", in>, #tsr.param<"B", in>, #tsr.param<"C", out>], signature = "def double_buffered_gemm(A: ts.Tensor[\22M\22, \22K\22, ts.bf16], B: ts.Tensor[\22K\22, \22N\22, ts.bf16], C: ts.Tensor[\22M\22, \22N\22, ts.f32])", tsr.numerics = {A = {denormals = "keep", round_at = "store", rounding = "nearest_even", saturate = false}, B = {denormals = "keep", round_at = "store", rounding = "nearest_even", saturate = false}, C = {denormals = "keep", round_at = "store", rounding = "nearest_even", saturate = false}}} {
    %0 = graph.constant 0 : index
    %smem_a = graph.alloc_shared : <["2", "128", "32"], bf16, "xor">
    %smem_b = graph.alloc_shared : <["2", "32", "128"], bf16, "xor">
    %1 = graph.query "group_id" 0
    %BM = graph.constant 128 : index
    %m = graph.elementwise "mul" %1, %BM : index
    %2 = graph.query "group_id" 1
    %BN = graph.constant 128 : index
    %n = graph.elementwise "mul" %2, %BN : index
    %3 = graph.constant 0.000000e+00 : f32
    %acc = graph.full %3 : f32 to <["128", "128"], f32>
    %4 = graph.constant 0 : index
    graph.async_copy %A[%m size "128", %0 size "32"] to %smem_a[%4 in_bounds, %0 size "128" in_bounds, %0 size "32" in_bounds] : <["M", "K"], bf16> to <["2", "128", "32"], bf16, "xor">
    %5 = graph.constant 0 : index
    graph.async_copy %B[%0 size "32", %n size "128"] to %smem_b[%5 in_bounds, %0 size "32" in_bounds, %0 size "128" in_bounds] : <["K", "N"], bf16> to <["2", "32", "128"], bf16, "xor">
    graph.commit_group
    %stage = graph.constant 0 : index
    %6 = graph.constant 0 : index
    %7 = graph.dim "K"
    %BK = graph.constant 32 : index
    %8:2 = scf.for %arg0 = %6 to %7 step %BK iter_args(%arg1 = %acc, %arg2 = %stage) -> (!tsr.tensor<["128", "128"], f32>, index) {
      %BK_0 = graph.constant 32 : index
      %9 = graph.elementwise "add" %arg0, %BK_0 : index
      %10 = graph.dim "K"
      %11 = graph.elementwise "lt" %9, %10 : index
      scf.if %11 {
        %BK_3 = graph.constant 32 : index
        %16 = graph.elementwise "add" %arg0, %BK_3 : index
        %17 = graph.constant 1 : index
        %18 = graph.elementwise "sub" %17, %arg2 : index
        graph.async_copy %A[%m size "128", %16 size "32"] to %smem_a[%18, %0 size "128" in_bounds, %0 size "32" in_bounds] : <["M", "K"], bf16> to <["2", "128", "32"], bf16, "xor">
        %BK_4 = graph.constant 32 : index
        %19 = graph.elementwise "add" %arg0, %BK_4 : index
        %20 = graph.constant 1 : index
        %21 = graph.elementwise "sub" %20, %arg2 : index
        graph.async_copy %B[%19 size "32", %n size "128"] to %smem_b[%21, %0 size "32" in_bounds, %0 size "128" in_bounds] : <["K", "N"], bf16> to <["2", "32", "128"], bf16, "xor">
      }
      graph.commit_group
      graph.wait_group 1
      graph.barrier
      %12 = graph.load %smem_a[%arg2, %0 size "128" in_bounds, %0 size "32" in_bounds] : !tsr.shared<["2", "128", "32"], bf16, "xor"> to !tsr.tensor<["128", "32"], bf16>
      %13 = graph.load %smem_b[%arg2, %0 size "32" in_bounds, %0 size "128" in_bounds] : !tsr.shared<["2", "32", "128"], bf16, "xor"> to !tsr.tensor<["32", "128"], bf16>
      %14 = graph.dot %12, %13 : (!tsr.tensor<["128", "32"], bf16>, !tsr.tensor<["32", "128"], bf16>) -> !tsr.tensor<["128", "128"], f32>
      %acc_1 = graph.elementwise "add" %arg1, %14 : !tsr.tensor<["128", "128"], f32>
      graph.barrier
      %15 = graph.constant 1 : index
      %stage_2 = graph.elementwise "sub" %15, %arg2 : index
      scf.yield %acc_1, %stage_2 : !tsr.tensor<["128", "128"], f32>, index
    }
    graph.store %8#0, %C[%m size "128", %n size "128"] : !tsr.tensor<["128", "128"], f32>, !tsr.view<["M", "N"], f32>
    graph.kernel_end
  }
}
