module {
  graph.kernel @saxpy(%x: !tsr.view<["n"], f32>, %y: !tsr.view<["n"], f32>, %alpha: f32) attributes {dims = ["n"], doc = "y = alpha * x + y", grid = #tsr.grid<lanes, ["n"]>, outputs = [#tsr.result<"y", !tsr.tensor<["n"], f32>, param = 1>], params = [#tsr.param<"x", in>, #tsr.param<"y", inout>, #tsr.param<"alpha", in>], signature = "def saxpy(x: ts.Tensor[\22n\22, ts.f32], y: ts.Tensor[\22n\22, ts.f32], alpha: ts.f32) -> ts.Tensor[\22n\22, ts.f32]", tsr.numerics = {alpha = {denormals = "keep", round_at = "store", rounding = "nearest_even", saturate = false}, x = {denormals = "keep", round_at = "store", rounding = "nearest_even", saturate = false}, y = {denormals = "keep", round_at = "store", rounding = "nearest_even", saturate = false}}, uses_lanes} {
    %i = graph.query "linear_id" 0
    %0 = graph.dim "n"
    %1 = graph.elementwise "lt" %i, %0 : index
    scf.if %1 {
      %2 = graph.load %x[%i in_bounds] : !tsr.view<["n"], f32> to f32
      %3 = graph.elementwise "mul" %alpha, %2 : f32
      %4 = graph.load %y[%i in_bounds] : !tsr.view<["n"], f32> to f32
      %5 = graph.elementwise "add" %3, %4 : f32
      graph.store %5, %y[%i in_bounds] : f32, !tsr.view<["n"], f32>
    }
    graph.kernel_end
  }
}
