module {
  graph.kernel @softmax(%x: !tsr.view<["R", "C"], bf16>, %result: !tsr.view<["R", "C"], bf16>) attributes {dims = ["R", "C"], grid = #tsr.grid<output, ["1", "C"], param = 1>, outputs = [#tsr.result<"result", !tsr.tensor<["R", "C"], bf16>, param = 1>], params = [#tsr.param<"x", in>, #tsr.param<"result", out, result>], signature = "def softmax[R, C](x: Tensor[R, C, bf16 @accum(f32)]) -> Tensor[R, C, bf16]", tsr.numerics = {result = {denormals = "keep", round_at = "store", rounding = "nearest_even", saturate = false}, x = {accumulate = "f32", denormals = "keep", round_at = "store", rounding = "nearest_even", saturate = false}}} {
    %0 = graph.constant 0 : index
    %r = graph.query "origin" 0
    %1 = graph.load %x[%r in_bounds, %0 size "C" in_bounds] : !tsr.view<["R", "C"], bf16> to !tsr.tensor<["C"], bf16>
    %v = graph.cast %1 : !tsr.tensor<["C"], bf16> to !tsr.tensor<["C"], f32>
    %2 = graph.reduce "max" %v {axes = array<i64: 0>} : <["C"], f32> to f32
    %3 = graph.full %2 : f32 to <["C"], f32>
    %4 = graph.elementwise "sub" %v, %3 : !tsr.tensor<["C"], f32>
    %e = graph.elementwise "exp" %4 : !tsr.tensor<["C"], f32>
    %5 = graph.reduce "sum" %e {axes = array<i64: 0>} : <["C"], f32> to f32
    %6 = graph.full %5 : f32 to <["C"], f32>
    %7 = graph.elementwise "div" %e, %6 : !tsr.tensor<["C"], f32>
    %8 = graph.cast %7 : !tsr.tensor<["C"], f32> to !tsr.tensor<["C"], bf16>
    %9 = graph.query "origin" 0
    graph.store %8, %result[%9 in_bounds, %0 size "C" in_bounds] : !tsr.tensor<["C"], bf16>, !tsr.view<["R", "C"], bf16>
    graph.kernel_end
  }
  graph.func @attention_weights(%scores: !tsr.tensor<["B", "H", "S", "S"], f32>) -> !tsr.tensor<["B", "H", "S", "S"], f32> attributes {dims = ["B", "H", "S"], outputs = [#tsr.result<"result", !tsr.tensor<["B", "H", "S", "S"], f32>>], params = [#tsr.param<"scores", in>], signature = "def attention_weights[B, H, S](scores: Tensor[B, H, S, S, f32]) -> Tensor[B, H, S, S, f32]", tsr.numerics = {result = {denormals = "keep", round_at = "store", rounding = "nearest_even", saturate = false}, scores = {denormals = "keep", round_at = "store", rounding = "nearest_even", saturate = false}}} {
    %0 = graph.reduce "max" %scores {axes = array<i64: 3>} : <["B", "H", "S", "S"], f32> to !tsr.tensor<["B", "H", "S"], f32>
    %1 = graph.broadcast %0 {axes = array<i64: 0, 1, 2>} : <["B", "H", "S"], f32> to <["B", "H", "S", "S"], f32>
    %2 = graph.elementwise "sub" %scores, %1 : !tsr.tensor<["B", "H", "S", "S"], f32>
    %e = graph.elementwise "exp" %2 : !tsr.tensor<["B", "H", "S", "S"], f32>
    %3 = graph.reduce "sum" %e {axes = array<i64: 3>} : <["B", "H", "S", "S"], f32> to !tsr.tensor<["B", "H", "S"], f32>
    %4 = graph.broadcast %3 {axes = array<i64: 0, 1, 2>} : <["B", "H", "S"], f32> to <["B", "H", "S", "S"], f32>
    %5 = graph.elementwise "div" %e, %4 : !tsr.tensor<["B", "H", "S", "S"], f32>
    graph.return %5 : !tsr.tensor<["B", "H", "S", "S"], f32>
  }
}
