module {
  graph.kernel @flash_attention(%Q: !tsr.view<["B", "H", "S", "D"], bf16>, %K: !tsr.view<["B", "H", "S", "D"], bf16>, %V: !tsr.view<["B", "H", "S", "D"], bf16>, %causal: i1, %result: !tsr.view<["B", "H", "S", "D"], bf16>) attributes {context = ["m", "n"], dims = ["B", "H", "S", "D"], grid = #tsr.grid<output, ["1", "1", "T.m", "D"], param = 4>, options = {budget_ms = "200", cache = "~/.tessera/schedules.db", metric = "latency_ms", prefetch = "k0=2"}, outputs = [#tsr.result<"result", !tsr.tensor<["B", "H", "S", "D"], bf16>, param = 4>], params = [#tsr.param<"Q", in>, #tsr.param<"K", in>, #tsr.param<"V", in>, #tsr.param<"causal", in, keyword_only, default = true>, #tsr.param<"result", out, result>], requirements = [#tsr.requirement<"D % 16" eq "0", "D % 16 == 0">, #tsr.requirement<"D" le "256", "D <= 256">], signature = "def flash_attention[B, H, S, D](Q: Tensor[B, H, S, D, bf16 @accum(f32)], K: Tensor[B, H, S, D, bf16 @accum(f32)], V: Tensor[B, H, S, D, bf16 @accum(f32)], *, causal: bool = True) -> Tensor[B, H, S, D, bf16] where D % 16 == 0, D <= 256", space = {m = array<i64: 64, 128>, n = array<i64: 64, 96, 128>, stages = array<i64: 2, 3>, warps = array<i64: 4, 8, 12>}, tsr.numerics = {K = {accumulate = "f32", denormals = "keep", round_at = "store", rounding = "nearest_even", saturate = false}, Q = {accumulate = "f32", denormals = "keep", round_at = "store", rounding = "nearest_even", saturate = false}, V = {accumulate = "f32", denormals = "keep", round_at = "store", rounding = "nearest_even", saturate = false}, result = {denormals = "keep", round_at = "store", rounding = "nearest_even", saturate = false}}} {
    %0 = graph.constant 0 : index
    %b = graph.query "origin" 0
    %h = graph.query "origin" 1
    %q0 = graph.query "origin" 2
    %q = graph.load %Q[%b in_bounds, %h in_bounds, %q0 size "T.m", %0 size "D" in_bounds] : !tsr.view<["B", "H", "S", "D"], bf16> to !tsr.tensor<["T.m", "D"], bf16>
    %1 = graph.constant 0.000000e+00 : f32
    %acc = graph.full %1 : f32 to <["T.m", "D"], f32>
    %2 = graph.constant 0xFF800000 : f32
    %m_i = graph.full %2 : f32 to <["T.m"], f32>
    %3 = graph.constant 0.000000e+00 : f32
    %l_i = graph.full %3 : f32 to <["T.m"], f32>
    %4 = graph.constant 0 : index
    %5 = graph.dim "S"
    %6 = graph.dim "T.n"
    %7:3 = scf.for %arg0 = %4 to %5 step %6 iter_args(%arg1 = %acc, %arg2 = %m_i, %arg3 = %l_i) -> (!tsr.tensor<["T.m", "D"], f32>, !tsr.tensor<["T.m"], f32>, !tsr.tensor<["T.m"], f32>) {
      %14 = graph.load %K[%b in_bounds, %h in_bounds, %arg0 size "T.n", %0 size "D" in_bounds] : !tsr.view<["B", "H", "S", "D"], bf16> to !tsr.tensor<["T.n", "D"], bf16>
      %15 = graph.transpose %14 {perm = array<i64: 1, 0>} : <["T.n", "D"], bf16> to <["D", "T.n"], bf16>
      %16 = graph.dot %q, %15 : (!tsr.tensor<["T.m", "D"], bf16>, !tsr.tensor<["D", "T.n"], bf16>) -> !tsr.tensor<["T.m", "T.n"], f32>
      %17 = graph.dim "D"
      %18 = graph.cast %17 : index to f32
      %19 = graph.elementwise "rsqrt" %18 : f32
      %20 = graph.full %19 : f32 to <["T.m", "T.n"], f32>
      %s = graph.elementwise "mul" %16, %20 : !tsr.tensor<["T.m", "T.n"], f32>
      %21 = scf.if %causal -> (!tsr.tensor<["T.m", "T.n"], f32>) {
        %60 = graph.cast %q0 : index to i32
        %61 = graph.full %60 : i32 to <["T.m", "T.n"], i32>
        %62 = graph.iota 0 : <["T.m", "T.n"], i32>
        %query = graph.elementwise "add" %61, %62 : !tsr.tensor<["T.m", "T.n"], i32>
        %63 = graph.cast %arg0 : index to i32
        %64 = graph.full %63 : i32 to <["T.m", "T.n"], i32>
        %65 = graph.iota 1 : <["T.m", "T.n"], i32>
        %key = graph.elementwise "add" %64, %65 : !tsr.tensor<["T.m", "T.n"], i32>
        %66 = graph.elementwise "le" %key, %query : !tsr.tensor<["T.m", "T.n"], i32>
        %67 = graph.constant 0xFF800000 : f32
        %68 = graph.full %67 : f32 to <["T.m", "T.n"], f32>
        %s_2 = graph.elementwise "select" %66, %s, %68 : !tsr.tensor<["T.m", "T.n"], f32>
        scf.yield %s_2 : !tsr.tensor<["T.m", "T.n"], f32>
      } else {
        scf.yield %s : !tsr.tensor<["T.m", "T.n"], f32>
      } {tsr.names = ["s"]}
      %22 = graph.iota 1 : <["T.m", "T.n"], i32>
      %23 = graph.dim "S"
      %24 = graph.elementwise "sub" %23, %arg0 : index
      %25 = graph.cast %24 : index to i32
      %26 = graph.full %25 : i32 to <["T.m", "T.n"], i32>
      %27 = graph.elementwise "lt" %22, %26 : !tsr.tensor<["T.m", "T.n"], i32>
      %28 = graph.constant 0xFF800000 : f32
      %29 = graph.full %28 : f32 to <["T.m", "T.n"], f32>
      %30 = graph.elementwise "select" %27, %21, %29 {tsr.extent_mask} : !tsr.tensor<["T.m", "T.n"], f32>
      %31 = graph.reduce "max" %30 {axes = array<i64: 1>} : <["T.m", "T.n"], f32> to !tsr.tensor<["T.m"], f32>
      %m_new = graph.elementwise "max" %arg2, %31 : !tsr.tensor<["T.m"], f32>
      %32 = graph.elementwise "sub" %arg2, %m_new : !tsr.tensor<["T.m"], f32>
      %alpha = graph.elementwise "exp" %32 : !tsr.tensor<["T.m"], f32>
      %33 = graph.broadcast %m_new {axes = array<i64: 0>} : <["T.m"], f32> to <["T.m", "T.n"], f32>
      %34 = graph.elementwise "sub" %21, %33 : !tsr.tensor<["T.m", "T.n"], f32>
      %p = graph.elementwise "exp" %34 : !tsr.tensor<["T.m", "T.n"], f32>
      %35 = graph.elementwise "mul" %alpha, %arg3 : !tsr.tensor<["T.m"], f32>
      %36 = graph.iota 1 : <["T.m", "T.n"], i32>
      %37 = graph.dim "S"
      %38 = graph.elementwise "sub" %37, %arg0 : index
      %39 = graph.cast %38 : index to i32
      %40 = graph.full %39 : i32 to <["T.m", "T.n"], i32>
      %41 = graph.elementwise "lt" %36, %40 : !tsr.tensor<["T.m", "T.n"], i32>
      %42 = graph.constant 0.000000e+00 : f32
      %43 = graph.full %42 : f32 to <["T.m", "T.n"], f32>
      %44 = graph.elementwise "select" %41, %p, %43 {tsr.extent_mask} : !tsr.tensor<["T.m", "T.n"], f32>
      %45 = graph.reduce "sum" %44 {axes = array<i64: 1>} : <["T.m", "T.n"], f32> to !tsr.tensor<["T.m"], f32>
      %l_i_0 = graph.elementwise "add" %35, %45 : !tsr.tensor<["T.m"], f32>
      %46 = graph.broadcast %alpha {axes = array<i64: 0>} : <["T.m"], f32> to <["T.m", "D"], f32>
      %47 = graph.elementwise "mul" %46, %arg1 : !tsr.tensor<["T.m", "D"], f32>
      %48 = graph.iota 1 : <["T.m", "T.n"], i32>
      %49 = graph.dim "S"
      %50 = graph.elementwise "sub" %49, %arg0 : index
      %51 = graph.cast %50 : index to i32
      %52 = graph.full %51 : i32 to <["T.m", "T.n"], i32>
      %53 = graph.elementwise "lt" %48, %52 : !tsr.tensor<["T.m", "T.n"], i32>
      %54 = graph.cast %p : !tsr.tensor<["T.m", "T.n"], f32> to !tsr.tensor<["T.m", "T.n"], bf16>
      %55 = graph.constant 0.000000e+00 : bf16
      %56 = graph.full %55 : bf16 to <["T.m", "T.n"], bf16>
      %57 = graph.elementwise "select" %53, %54, %56 {tsr.extent_mask} : !tsr.tensor<["T.m", "T.n"], bf16>
      %58 = graph.load %V[%b in_bounds, %h in_bounds, %arg0 size "T.n", %0 size "D" in_bounds] : !tsr.view<["B", "H", "S", "D"], bf16> to !tsr.tensor<["T.n", "D"], bf16>
      %59 = graph.dot %57, %58 : (!tsr.tensor<["T.m", "T.n"], bf16>, !tsr.tensor<["T.n", "D"], bf16>) -> !tsr.tensor<["T.m", "D"], f32>
      %acc_1 = graph.elementwise "add" %47, %59 : !tsr.tensor<["T.m", "D"], f32>
      scf.yield %acc_1, %m_new, %l_i_0 : !tsr.tensor<["T.m", "D"], f32>, !tsr.tensor<["T.m"], f32>, !tsr.tensor<["T.m"], f32>
    }
    %8 = graph.broadcast %7#2 {axes = array<i64: 0>} : <["T.m"], f32> to <["T.m", "D"], f32>
    %9 = graph.elementwise "div" %7#0, %8 : !tsr.tensor<["T.m", "D"], f32>
    %10 = graph.cast %9 : !tsr.tensor<["T.m", "D"], f32> to !tsr.tensor<["T.m", "D"], bf16>
    %11 = graph.query "origin" 0
    %12 = graph.query "origin" 1
    %13 = graph.query "origin" 2
    graph.store %10, %result[%11 in_bounds, %12 in_bounds, %13 size "T.m", %0 size "D" in_bounds] : !tsr.tensor<["T.m", "D"], bf16>, !tsr.view<["B", "H", "S", "D"], bf16>
    graph.kernel_end
  }
}
