module {
  graph.func @layer_norm(%x: !tsr.tensor<["B", "S", "D"], f32>, %gamma: !tsr.tensor<["D"], f32>, %beta: !tsr.tensor<["D"], f32>) -> !tsr.tensor<["B", "S", "D"], f32> attributes {dims = ["B", "S", "D"], doc = "Mean and variance along the last axis; one fused kernel, accumulated in f32.", outputs = [#tsr.result<"result", !tsr.tensor<["B", "S", "D"], f32>>], params = [#tsr.param<"x", in>, #tsr.param<"gamma", in>, #tsr.param<"beta", in>], signature = "def layer_norm[D](x: Tensor[\22B\22, \22S\22, D, f32], gamma: Tensor[D, f32], beta: Tensor[D, f32]) -> Tensor[\22B\22, \22S\22, D, f32]", tsr.numerics = {beta = {denormals = "keep", round_at = "store", rounding = "nearest_even", saturate = false}, gamma = {denormals = "keep", round_at = "store", rounding = "nearest_even", saturate = false}, result = {denormals = "keep", round_at = "store", rounding = "nearest_even", saturate = false}, x = {denormals = "keep", round_at = "store", rounding = "nearest_even", saturate = false}}} {
    %0 = graph.reduce "sum" %x {axes = array<i64: 2>} : <["B", "S", "D"], f32> to !tsr.tensor<["B", "S"], f32>
    %1 = graph.broadcast %0 {axes = array<i64: 0, 1>} : <["B", "S"], f32> to <["B", "S", "1"], f32>
    %2 = graph.dim "D"
    %3 = graph.cast %2 : index to f32
    %4 = graph.full %3 : f32 to <["B", "S", "1"], f32>
    %mean = graph.elementwise "div" %1, %4 : !tsr.tensor<["B", "S", "1"], f32>
    %5 = graph.reduce "sum" %x {axes = array<i64: 2>} : <["B", "S", "D"], f32> to !tsr.tensor<["B", "S"], f32>
    %6 = graph.broadcast %5 {axes = array<i64: 0, 1>} : <["B", "S"], f32> to <["B", "S", "1"], f32>
    %7 = graph.dim "D"
    %8 = graph.cast %7 : index to f32
    %9 = graph.full %8 : f32 to <["B", "S", "1"], f32>
    %10 = graph.elementwise "div" %6, %9 : !tsr.tensor<["B", "S", "1"], f32>
    %11 = graph.broadcast %10 {axes = array<i64: 0, 1, 2>} : <["B", "S", "1"], f32> to <["B", "S", "D"], f32>
    %centred = graph.elementwise "sub" %x, %11 : !tsr.tensor<["B", "S", "D"], f32>
    %12 = graph.elementwise "mul" %centred, %centred : !tsr.tensor<["B", "S", "D"], f32>
    %13 = graph.reduce "sum" %12 {axes = array<i64: 2>} : <["B", "S", "D"], f32> to !tsr.tensor<["B", "S"], f32>
    %14 = graph.broadcast %13 {axes = array<i64: 0, 1>} : <["B", "S"], f32> to <["B", "S", "1"], f32>
    %15 = graph.dim "D"
    %16 = graph.cast %15 : index to f32
    %17 = graph.full %16 : f32 to <["B", "S", "1"], f32>
    %var = graph.elementwise "div" %14, %17 : !tsr.tensor<["B", "S", "1"], f32>
    %18 = graph.broadcast %mean {axes = array<i64: 0, 1, 2>} : <["B", "S", "1"], f32> to <["B", "S", "D"], f32>
    %19 = graph.elementwise "sub" %x, %18 : !tsr.tensor<["B", "S", "D"], f32>
    %20 = graph.constant 9.99999974E-6 : f32
    %21 = graph.full %20 : f32 to <["B", "S", "1"], f32>
    %22 = graph.elementwise "add" %var, %21 : !tsr.tensor<["B", "S", "1"], f32>
    %23 = graph.elementwise "sqrt" %22 : !tsr.tensor<["B", "S", "1"], f32>
    %24 = graph.broadcast %23 {axes = array<i64: 0, 1, 2>} : <["B", "S", "1"], f32> to <["B", "S", "D"], f32>
    %25 = graph.elementwise "div" %19, %24 : !tsr.tensor<["B", "S", "D"], f32>
    %26 = graph.broadcast %gamma {axes = array<i64: 2>} : <["D"], f32> to <["B", "S", "D"], f32>
    %27 = graph.elementwise "mul" %25, %26 : !tsr.tensor<["B", "S", "D"], f32>
    %28 = graph.broadcast %beta {axes = array<i64: 2>} : <["D"], f32> to <["B", "S", "D"], f32>
    %29 = graph.elementwise "add" %27, %28 : !tsr.tensor<["B", "S", "D"], f32>
    graph.return %29 : !tsr.tensor<["B", "S", "D"], f32>
  }
  graph.func @rms_norm(%x: !tsr.tensor<["B", "S", "D"], bf16>, %w: !tsr.tensor<["D"], bf16>) -> !tsr.tensor<["B", "S", "D"], bf16> attributes {dims = ["B", "S", "D"], outputs = [#tsr.result<"result", !tsr.tensor<["B", "S", "D"], bf16>>], params = [#tsr.param<"x", in>, #tsr.param<"w", in>], signature = "def rms_norm[D](x: Tensor[\22B\22, \22S\22, D, bf16 @accum(f32)], w: Tensor[D, bf16]) -> Tensor[\22B\22, \22S\22, D, bf16]", tsr.numerics = {result = {denormals = "keep", round_at = "store", rounding = "nearest_even", saturate = false}, w = {denormals = "keep", round_at = "store", rounding = "nearest_even", saturate = false}, x = {accumulate = "f32", denormals = "keep", round_at = "store", rounding = "nearest_even", saturate = false}}} {
    %0 = graph.constant 1.000000e+00 : f32
    %1 = graph.full %0 : f32 to <["B", "S", "1"], f32>
    %2 = graph.cast %x : !tsr.tensor<["B", "S", "D"], bf16> to !tsr.tensor<["B", "S", "D"], f32>
    %3 = graph.elementwise "abs" %2 : !tsr.tensor<["B", "S", "D"], f32>
    %4 = graph.reduce "max" %3 {axes = array<i64: 2>} : <["B", "S", "D"], f32> to !tsr.tensor<["B", "S"], f32>
    %5 = graph.broadcast %4 {axes = array<i64: 0, 1>} : <["B", "S"], f32> to <["B", "S", "1"], f32>
    %6 = graph.constant 1.000000e-03 : f32
    %7 = graph.full %6 : f32 to <["B", "S", "1"], f32>
    %8 = graph.elementwise "max" %5, %7 : !tsr.tensor<["B", "S", "1"], f32>
    %scale = graph.elementwise "div" %1, %8 : !tsr.tensor<["B", "S", "1"], f32>
    %9 = graph.cast %x : !tsr.tensor<["B", "S", "D"], bf16> to !tsr.tensor<["B", "S", "D"], f32>
    %10 = graph.broadcast %scale {axes = array<i64: 0, 1, 2>} : <["B", "S", "1"], f32> to <["B", "S", "D"], f32>
    %y = graph.elementwise "mul" %9, %10 : !tsr.tensor<["B", "S", "D"], f32>
    %11 = graph.constant 1.000000e-03 : f32
    %12 = graph.full %11 : f32 to <["B", "S", "1"], f32>
    %root = graph.elementwise "mul" %12, %scale : !tsr.tensor<["B", "S", "1"], f32>
    %13 = graph.elementwise "mul" %y, %y : !tsr.tensor<["B", "S", "D"], f32>
    %14 = graph.reduce "sum" %13 {axes = array<i64: 2>} : <["B", "S", "D"], f32> to !tsr.tensor<["B", "S"], f32>
    %15 = graph.broadcast %14 {axes = array<i64: 0, 1>} : <["B", "S"], f32> to <["B", "S", "1"], f32>
    %16 = graph.dim "D"
    %17 = graph.cast %16 : index to f32
    %18 = graph.full %17 : f32 to <["B", "S", "1"], f32>
    %19 = graph.elementwise "div" %15, %18 : !tsr.tensor<["B", "S", "1"], f32>
    %20 = graph.elementwise "mul" %root, %root : !tsr.tensor<["B", "S", "1"], f32>
    %21 = graph.elementwise "add" %19, %20 : !tsr.tensor<["B", "S", "1"], f32>
    %22 = graph.elementwise "rsqrt" %21 : !tsr.tensor<["B", "S", "1"], f32>
    %23 = graph.broadcast %22 {axes = array<i64: 0, 1, 2>} : <["B", "S", "1"], f32> to <["B", "S", "D"], f32>
    %24 = graph.elementwise "mul" %y, %23 : !tsr.tensor<["B", "S", "D"], f32>
    %25 = graph.cast %w : !tsr.tensor<["D"], bf16> to !tsr.tensor<["D"], f32>
    %26 = graph.broadcast %25 {axes = array<i64: 2>} : <["D"], f32> to <["B", "S", "D"], f32>
    %27 = graph.elementwise "mul" %24, %26 : !tsr.tensor<["B", "S", "D"], f32>
    %28 = graph.cast %27 : !tsr.tensor<["B", "S", "D"], f32> to !tsr.tensor<["B", "S", "D"], bf16>
    graph.return %28 : !tsr.tensor<["B", "S", "D"], bf16>
  }
}
