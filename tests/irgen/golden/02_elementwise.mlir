module {
  graph.func @bias_gelu_residual(%x: !tsr.tensor<["R", "C"], bf16>, %b: !tsr.tensor<["C"], bf16>, %r: !tsr.tensor<["R", "C"], bf16>) -> !tsr.tensor<["R", "C"], bf16> attributes {dims = ["R", "C"], doc = "gelu(x + b) + r; b broadcasts over rows, which the checker proves.", outputs = [#tsr.result<"result", !tsr.tensor<["R", "C"], bf16>>], params = [#tsr.param<"x", in>, #tsr.param<"b", in>, #tsr.param<"r", in>], signature = "def bias_gelu_residual[R, C](x: Tensor[R, C, bf16], b: Tensor[C, bf16], r: Tensor[R, C, bf16]) -> Tensor[R, C, bf16]", tsr.numerics = {b = {denormals = "keep", round_at = "store", rounding = "nearest_even", saturate = false}, r = {denormals = "keep", round_at = "store", rounding = "nearest_even", saturate = false}, result = {denormals = "keep", round_at = "store", rounding = "nearest_even", saturate = false}, x = {denormals = "keep", round_at = "store", rounding = "nearest_even", saturate = false}}} {
    %0 = graph.cast %x : !tsr.tensor<["R", "C"], bf16> to !tsr.tensor<["R", "C"], f32>
    %1 = graph.cast %b : !tsr.tensor<["C"], bf16> to !tsr.tensor<["C"], f32>
    %2 = graph.broadcast %1 {axes = array<i64: 1>} : <["C"], f32> to <["R", "C"], f32>
    %x_0 = graph.elementwise "add" %0, %2 : !tsr.tensor<["R", "C"], f32>
    %3 = graph.constant 5.000000e-01 : f32
    %4 = graph.full %3 : f32 to <["R", "C"], f32>
    %5 = graph.elementwise "mul" %4, %x_0 : !tsr.tensor<["R", "C"], f32>
    %6 = graph.constant -0.707106769 : f32
    %7 = graph.full %6 : f32 to <["R", "C"], f32>
    %8 = graph.elementwise "mul" %x_0, %7 : !tsr.tensor<["R", "C"], f32>
    %9 = graph.elementwise "erfc" %8 : !tsr.tensor<["R", "C"], f32>
    %10 = graph.elementwise "mul" %5, %9 : !tsr.tensor<["R", "C"], f32>
    %11 = graph.cast %r : !tsr.tensor<["R", "C"], bf16> to !tsr.tensor<["R", "C"], f32>
    %12 = graph.elementwise "add" %10, %11 : !tsr.tensor<["R", "C"], f32>
    %13 = graph.cast %12 : !tsr.tensor<["R", "C"], f32> to !tsr.tensor<["R", "C"], bf16>
    graph.return %13 : !tsr.tensor<["R", "C"], bf16>
  }
  graph.func @swiglu(%gate: !tsr.tensor<["R", "C"], bf16>, %up: !tsr.tensor<["R", "C"], bf16>) -> !tsr.tensor<["R", "C"], bf16> attributes {dims = ["R", "C"], outputs = [#tsr.result<"result", !tsr.tensor<["R", "C"], bf16>>], params = [#tsr.param<"gate", in>, #tsr.param<"up", in>], signature = "def swiglu[R, C](gate: Tensor[R, C, bf16], up: Tensor[R, C, bf16]) -> Tensor[R, C, bf16]", tsr.numerics = {gate = {denormals = "keep", round_at = "store", rounding = "nearest_even", saturate = false}, result = {denormals = "keep", round_at = "store", rounding = "nearest_even", saturate = false}, up = {denormals = "keep", round_at = "store", rounding = "nearest_even", saturate = false}}} {
    %0 = graph.cast %gate : !tsr.tensor<["R", "C"], bf16> to !tsr.tensor<["R", "C"], f32>
    %1 = graph.cast %gate : !tsr.tensor<["R", "C"], bf16> to !tsr.tensor<["R", "C"], f32>
    %2 = graph.elementwise "sigmoid" %1 : !tsr.tensor<["R", "C"], f32>
    %3 = graph.elementwise "mul" %0, %2 : !tsr.tensor<["R", "C"], f32>
    %4 = graph.cast %up : !tsr.tensor<["R", "C"], bf16> to !tsr.tensor<["R", "C"], f32>
    %5 = graph.elementwise "mul" %3, %4 : !tsr.tensor<["R", "C"], f32>
    %6 = graph.cast %5 : !tsr.tensor<["R", "C"], f32> to !tsr.tensor<["R", "C"], bf16>
    graph.return %6 : !tsr.tensor<["R", "C"], bf16>
  }
}
