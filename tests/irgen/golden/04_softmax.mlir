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
    %largest = graph.broadcast %0 {axes = array<i64: 0, 1, 2>} : <["B", "H", "S"], f32> to <["B", "H", "S", "1"], f32>
    %1 = graph.constant 0xFF800000 : f32
    %2 = graph.full %1 : f32 to <["B", "H", "S", "1"], f32>
    %3 = graph.elementwise "gt" %largest, %2 : !tsr.tensor<["B", "H", "S", "1"], f32>
    %4 = graph.constant 0.000000e+00 : f32
    %5 = graph.full %4 : f32 to <["B", "H", "S", "1"], f32>
    %shift = graph.elementwise "select" %3, %largest, %5 : !tsr.tensor<["B", "H", "S", "1"], f32>
    %6 = graph.broadcast %shift {axes = array<i64: 0, 1, 2, 3>} : <["B", "H", "S", "1"], f32> to <["B", "H", "S", "S"], f32>
    %7 = graph.elementwise "sub" %scores, %6 : !tsr.tensor<["B", "H", "S", "S"], f32>
    %e = graph.elementwise "exp" %7 : !tsr.tensor<["B", "H", "S", "S"], f32>
    %8 = graph.reduce "sum" %e {axes = array<i64: 3>} : <["B", "H", "S", "S"], f32> to !tsr.tensor<["B", "H", "S"], f32>
    %9 = graph.broadcast %8 {axes = array<i64: 0, 1, 2>} : <["B", "H", "S"], f32> to <["B", "H", "S", "1"], f32>
    %10 = graph.constant 5.000000e-01 : f32
    %11 = graph.full %10 : f32 to <["B", "H", "S", "1"], f32>
    %12 = graph.elementwise "max" %9, %11 : !tsr.tensor<["B", "H", "S", "1"], f32>
    %13 = graph.broadcast %12 {axes = array<i64: 0, 1, 2, 3>} : <["B", "H", "S", "1"], f32> to <["B", "H", "S", "S"], f32>
    %14 = graph.elementwise "div" %e, %13 : !tsr.tensor<["B", "H", "S", "S"], f32>
    graph.return %14 : !tsr.tensor<["B", "H", "S", "S"], f32>
  }
}
