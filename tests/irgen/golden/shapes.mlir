module {
  graph.func @windowed(%x: !tsr.tensor<["S", "64"], f32>) -> !tsr.tensor<["S // 8", "8", "64"], f32> attributes {dims = ["S"], outputs = [#tsr.result<"result", !tsr.tensor<["S // 8", "8", "64"], f32>>], params = [#tsr.param<"x", in>], requirements = [#tsr.requirement<"S % 8" eq "0", "S % 8 == 0">, #tsr.requirement<"S" le "8192", "S <= 8192">], signature = "def windowed[S](x: Tensor[S, 64, f32]) -> Tensor[S // 8, 8, 64, f32] where S % 8 == 0, S <= 8192", tsr.numerics = {result = {denormals = "keep", round_at = "store", rounding = "nearest_even", saturate = false}, x = {denormals = "keep", round_at = "store", rounding = "nearest_even", saturate = false}}} {
    %0 = graph.reshape %x : <["S", "64"], f32> to <["S // 8", "8", "64"], f32>
    graph.return %0 : !tsr.tensor<["S // 8", "8", "64"], f32>
  }
  graph.func @concat_batches(%a: !tsr.tensor<["N", "D"], f32>, %b: !tsr.tensor<["M", "D"], f32>) -> !tsr.tensor<["M + N", "D"], f32> attributes {dims = ["N", "D", "M"], outputs = [#tsr.result<"result", !tsr.tensor<["M + N", "D"], f32>>], params = [#tsr.param<"a", in>, #tsr.param<"b", in>], signature = "def concat_batches[N, M, D](a: Tensor[N, D, f32], b: Tensor[M, D, f32]) -> Tensor[N + M, D, f32]", tsr.numerics = {a = {denormals = "keep", round_at = "store", rounding = "nearest_even", saturate = false}, b = {denormals = "keep", round_at = "store", rounding = "nearest_even", saturate = false}, result = {denormals = "keep", round_at = "store", rounding = "nearest_even", saturate = false}}} {
    %0 = graph.concat 0 %a, %b : (!tsr.tensor<["N", "D"], f32>, !tsr.tensor<["M", "D"], f32>) -> !tsr.tensor<["M + N", "D"], f32>
    graph.return %0 : !tsr.tensor<["M + N", "D"], f32>
  }
  graph.func @scores(%q: !tsr.tensor<["B", "H", "S", "D"], bf16>, %k: !tsr.tensor<["B", "H", "S", "D"], bf16>) -> !tsr.tensor<["B", "H", "S", "S"], f32> attributes {dims = ["B", "H", "S", "D"], outputs = [#tsr.result<"result", !tsr.tensor<["B", "H", "S", "S"], f32>>], params = [#tsr.param<"q", in>, #tsr.param<"k", in>], signature = "def scores[B, H, S, D](q: Tensor[B, H, S, D, bf16 @accum(f32)], k: Tensor[B, H, S, D, bf16 @accum(f32)]) -> Tensor[B, H, S, S, f32]", tsr.numerics = {k = {accumulate = "f32", denormals = "keep", round_at = "store", rounding = "nearest_even", saturate = false}, q = {accumulate = "f32", denormals = "keep", round_at = "store", rounding = "nearest_even", saturate = false}, result = {denormals = "keep", round_at = "store", rounding = "nearest_even", saturate = false}}} {
    %0 = graph.transpose %k {perm = array<i64: 0, 1, 3, 2>} : <["B", "H", "S", "D"], bf16> to <["B", "H", "D", "S"], bf16>
    %1 = graph.dot %q, %0 : (!tsr.tensor<["B", "H", "S", "D"], bf16>, !tsr.tensor<["B", "H", "D", "S"], bf16>) -> !tsr.tensor<["B", "H", "S", "S"], f32>
    graph.return %1 : !tsr.tensor<["B", "H", "S", "S"], f32>
  }
}
