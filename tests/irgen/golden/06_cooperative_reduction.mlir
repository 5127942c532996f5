module {
  graph.kernel @total(%data: !tsr.view<["N"], f32>, %result: !tsr.view<[], f32>) attributes {dims = ["N"], grid = #tsr.grid<explicit, ["1"]>, group = 128 : i64, outputs = [#tsr.result<"result", !tsr.tensor<[], f32>, param = 1>], params = [#tsr.param<"data", in>, #tsr.param<"result", out, result>], signature = "def total(data: ts.Tensor[\22N\22, ts.f32]) -> ts.f32", tsr.numerics = {data = {denormals = "keep", round_at = "store", rounding = "nearest_even", saturate = false}, result = {denormals = "keep", round_at = "store", rounding = "nearest_even", saturate = false}}, uses_lanes} {
    %shared_sum = graph.alloc_shared : <["128"], f32, "">
    %local_sum = graph.constant 0.000000e+00 : f32
    %0 = graph.query "local_id" 0
    %1 = graph.dim "N"
    %2 = graph.query "group_size" 0
    %3 = scf.for %arg0 = %0 to %1 step %2 iter_args(%arg1 = %local_sum) -> (f32) {
      %10 = graph.load %data[%arg0 in_bounds] : !tsr.view<["N"], f32> to f32
      %local_sum_0 = graph.elementwise "add" %arg1, %10 : f32
      scf.yield %local_sum_0 : f32
    }
    %4 = graph.query "local_id" 0
    graph.store %3, %shared_sum[%4 in_bounds] : f32, !tsr.shared<["128"], f32, "">
    graph.barrier
    %5 = graph.query "group_size" 0
    %6 = graph.constant 2 : index
    %stride = graph.elementwise "floordiv" %5, %6 : index
    %7 = scf.while (%arg0 = %stride) : (index) -> index {
      %10 = graph.constant 0 : index
      %11 = graph.elementwise "gt" %arg0, %10 : index
      scf.condition(%11) %arg0 : index
    } do {
    ^bb0(%arg0: index):
      %10 = graph.query "local_id" 0
      %11 = graph.elementwise "lt" %10, %arg0 : index
      scf.if %11 {
        %13 = graph.query "local_id" 0
        %14 = graph.load %shared_sum[%13 in_bounds] : !tsr.shared<["128"], f32, ""> to f32
        %15 = graph.query "local_id" 0
        %16 = graph.elementwise "add" %15, %arg0 : index
        %17 = graph.load %shared_sum[%16] : !tsr.shared<["128"], f32, ""> to f32
        %18 = graph.elementwise "add" %14, %17 : f32
        %19 = graph.query "local_id" 0
        graph.store %18, %shared_sum[%19 in_bounds] : f32, !tsr.shared<["128"], f32, "">
      }
      graph.barrier
      %12 = graph.constant 2 : index
      %stride_0 = graph.elementwise "floordiv" %arg0, %12 : index
      scf.yield %stride_0 : index
    }
    %8 = graph.constant 0 : index
    %9 = graph.load %shared_sum[%8 in_bounds] : !tsr.shared<["128"], f32, ""> to f32
    graph.store %9, %result[] {once} : f32, !tsr.view<[], f32>
    graph.kernel_end
  }
}
