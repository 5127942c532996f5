// RUN: tessera-opt %s --set-machine=name=sm_90a --graph-to-schedule --verify-schedule | FileCheck %s --check-prefix=WARPGROUPS
// RUN: tessera-opt %s --set-machine=name=sm_80 --graph-to-schedule --verify-schedule | FileCheck %s --check-prefix=WARPS
// RUN: tessera-opt %s --set-machine=name=gfx90a --graph-to-schedule --verify-schedule | FileCheck %s --check-prefix=WAVES
// RUN: tessera-opt %s --set-machine=name=cpu --graph-to-schedule --verify-schedule | FileCheck %s --check-prefix=CPU
// A user's kernel with one product and without a schedule has the tile of a product in a tensor function: what the machine's
// instructions take, and as many lanes as hold its sums.

// WARPGROUPS: schedule.kernel @matmul_kernel
// WARPGROUPS-SAME: group = 256
// WARPGROUPS-SAME: sizes = {k = 64 : i64, m = 128 : i64, n = 256 : i64}
// WARPS: schedule.kernel @matmul_kernel
// WARPS-SAME: group = 128
// WARPS-SAME: sizes = {k = 64 : i64, m = 128 : i64, n = 128 : i64}
// WAVES: schedule.kernel @matmul_kernel
// WAVES-SAME: group = 256
// WAVES-SAME: sizes = {k = 64 : i64, m = 128 : i64, n = 128 : i64}
// CPU: schedule.kernel @matmul_kernel
// CPU-SAME: sizes = {k = 256 : i64, m = 256 : i64, n = 128 : i64}
graph.kernel @matmul(%A: !tsr.view<["M", "K"], bf16>, %B: !tsr.view<["K", "N"], bf16>, %result: !tsr.view<["M", "N"], f32>) attributes {
    context = ["m", "n", "k"], dims = ["M", "K", "N"], grid = #tsr.grid<output, ["T.m", "T.n"], param = 2>, outputs = [#tsr.result<"result", !tsr.tensor<["M", "N"], f32>, param = 2>], params = [#tsr.param<"A", in>, #tsr.param<"B", in>, #tsr.param<"result", out, result>], signature = "def matmul[M, N, K](A: Tensor[M, K, bf16 @accum(f32)], B: Tensor[K, N, bf16 @accum(f32)]) -> Tensor[M, N, f32]", tsr.numerics = {A = {accumulate = "f32", denormals = "keep", round_at = "store", rounding = "nearest_even", saturate = false}, B = {accumulate = "f32", denormals = "keep", round_at = "store", rounding = "nearest_even", saturate = false}, result = {denormals = "keep", round_at = "store", rounding = "nearest_even", saturate = false}}} {
  %m = graph.query "origin" 0
  %n = graph.query "origin" 1
  %0 = graph.constant 0.000000e+00 : f32
  %acc = graph.full %0 : f32 to <["T.m", "T.n"], f32>
  %1 = graph.constant 0 : index
  %2 = graph.dim "K"
  %3 = graph.dim "T.k"
  %4 = scf.for %arg0 = %1 to %2 step %3 iter_args(%arg1 = %acc) -> (!tsr.tensor<["T.m", "T.n"], f32>) {
    %7 = graph.load %A[%m size "T.m", %arg0 size "T.k"] : !tsr.view<["M", "K"], bf16> to !tsr.tensor<["T.m", "T.k"], bf16>
    %8 = graph.load %B[%arg0 size "T.k", %n size "T.n"] : !tsr.view<["K", "N"], bf16> to !tsr.tensor<["T.k", "T.n"], bf16>
    %9 = graph.dot %7, %8 : (!tsr.tensor<["T.m", "T.k"], bf16>, !tsr.tensor<["T.k", "T.n"], bf16>) -> !tsr.tensor<["T.m", "T.n"], f32>
    %acc_0 = graph.elementwise "add" %arg1, %9 : !tsr.tensor<["T.m", "T.n"], f32>
    scf.yield %acc_0 : !tsr.tensor<["T.m", "T.n"], f32>
  }
  %5 = graph.query "origin" 0
  %6 = graph.query "origin" 1
  graph.store %4, %result[%5 size "T.m", %6 size "T.n"] : !tsr.tensor<["T.m", "T.n"], f32>, !tsr.view<["M", "N"], f32>
  graph.kernel_end
}

// Two products of which the second multiplies what is computed of the first: two warpgroups with 64 rows each, and as many keys as leave
// their lanes room. Elsewhere the usual sizes.
// WARPGROUPS: schedule.kernel @attend_kernel
// WARPGROUPS-SAME: group = 256
// WARPGROUPS-SAME: sizes = {m = 128 : i64, n = 128 : i64}
// WARPS: schedule.kernel @attend_kernel
// WARPS-SAME: group = 128
// WARPS-SAME: sizes = {m = 64 : i64, n = 64 : i64}
graph.kernel @attend(%Q: !tsr.view<["B", "H", "S", "64"], bf16>, %K: !tsr.view<["B", "H", "S", "64"], bf16>, %V: !tsr.view<["B", "H", "S", "64"], bf16>, %result: !tsr.view<["B", "H", "S", "64"], bf16>) attributes {
    context = ["m", "n"], dims = ["B", "H", "S"], grid = #tsr.grid<output, ["1", "1", "T.m", "64"], param = 3>, outputs = [#tsr.result<"result", !tsr.tensor<["B", "H", "S", "64"], bf16>, param = 3>], params = [#tsr.param<"Q", in>, #tsr.param<"K", in>, #tsr.param<"V", in>, #tsr.param<"result", out, result>], signature = "def attend[B, H, S](Q: Tensor[B, H, S, 64, bf16 @accum(f32)], K: Tensor[B, H, S, 64, bf16 @accum(f32)], V: Tensor[B, H, S, 64, bf16 @accum(f32)]) -> Tensor[B, H, S, 64, bf16]", tsr.numerics = {K = {accumulate = "f32", denormals = "keep", round_at = "store", rounding = "nearest_even", saturate = false}, Q = {accumulate = "f32", denormals = "keep", round_at = "store", rounding = "nearest_even", saturate = false}, V = {accumulate = "f32", denormals = "keep", round_at = "store", rounding = "nearest_even", saturate = false}, result = {denormals = "keep", round_at = "store", rounding = "nearest_even", saturate = false}}} {
  %0 = graph.constant 0 : index
  %b = graph.query "origin" 0
  %h = graph.query "origin" 1
  %q0 = graph.query "origin" 2
  %q = graph.load %Q[%b in_bounds, %h in_bounds, %q0 size "T.m", %0 size "64" in_bounds] : !tsr.view<["B", "H", "S", "64"], bf16> to !tsr.tensor<["T.m", "64"], bf16>
  %1 = graph.constant 0.000000e+00 : f32
  %acc = graph.full %1 : f32 to <["T.m", "64"], f32>
  %2 = graph.constant 0xFF800000 : f32
  %largest = graph.full %2 : f32 to <["T.m"], f32>
  %3 = graph.constant 0.000000e+00 : f32
  %total = graph.full %3 : f32 to <["T.m"], f32>
  %4 = graph.constant 0 : index
  %5 = graph.dim "S"
  %6 = graph.dim "T.n"
  %7:3 = scf.for %arg0 = %4 to %5 step %6 iter_args(%arg1 = %acc, %arg2 = %largest, %arg3 = %total) -> (!tsr.tensor<["T.m", "64"], f32>, !tsr.tensor<["T.m"], f32>, !tsr.tensor<["T.m"], f32>) {
    %14 = graph.load %K[%b in_bounds, %h in_bounds, %arg0 size "T.n", %0 size "64" in_bounds] : !tsr.view<["B", "H", "S", "64"], bf16> to !tsr.tensor<["T.n", "64"], bf16>
    %15 = graph.transpose %14 {perm = array<i64: 1, 0>} : <["T.n", "64"], bf16> to <["64", "T.n"], bf16>
    %16 = graph.dot %q, %15 : (!tsr.tensor<["T.m", "64"], bf16>, !tsr.tensor<["64", "T.n"], bf16>) -> !tsr.tensor<["T.m", "T.n"], f32>
    %17 = graph.constant 6.400000e+01 : f32
    %18 = graph.elementwise "rsqrt" %17 : f32
    %19 = graph.full %18 : f32 to <["T.m", "T.n"], f32>
    %s = graph.elementwise "mul" %16, %19 : !tsr.tensor<["T.m", "T.n"], f32>
    %20 = graph.cast %q0 : index to i32
    %21 = graph.full %20 : i32 to <["T.m", "T.n"], i32>
    %22 = graph.iota 0 : <["T.m", "T.n"], i32>
    %query = graph.elementwise "add" %21, %22 : !tsr.tensor<["T.m", "T.n"], i32>
    %23 = graph.cast %arg0 : index to i32
    %24 = graph.full %23 : i32 to <["T.m", "T.n"], i32>
    %25 = graph.iota 1 : <["T.m", "T.n"], i32>
    %key = graph.elementwise "add" %24, %25 : !tsr.tensor<["T.m", "T.n"], i32>
    %26 = graph.elementwise "le" %key, %query : !tsr.tensor<["T.m", "T.n"], i32>
    %27 = graph.constant 0xFF800000 : f32
    %28 = graph.full %27 : f32 to <["T.m", "T.n"], f32>
    %s_0 = graph.elementwise "select" %26, %s, %28 : !tsr.tensor<["T.m", "T.n"], f32>
    %29 = graph.iota 1 : <["T.m", "T.n"], i32>
    %30 = graph.dim "S"
    %31 = graph.elementwise "sub" %30, %arg0 : index
    %32 = graph.cast %31 : index to i32
    %33 = graph.full %32 : i32 to <["T.m", "T.n"], i32>
    %34 = graph.elementwise "lt" %29, %33 : !tsr.tensor<["T.m", "T.n"], i32>
    %35 = graph.constant 0xFF800000 : f32
    %36 = graph.full %35 : f32 to <["T.m", "T.n"], f32>
    %37 = graph.elementwise "select" %34, %s_0, %36 {tsr.extent_mask} : !tsr.tensor<["T.m", "T.n"], f32>
    %38 = graph.reduce "max" %37 {axes = array<i64: 1>} : <["T.m", "T.n"], f32> to !tsr.tensor<["T.m"], f32>
    %new = graph.elementwise "max" %arg2, %38 : !tsr.tensor<["T.m"], f32>
    %39 = graph.elementwise "sub" %arg2, %new : !tsr.tensor<["T.m"], f32>
    %alpha = graph.elementwise "exp" %39 : !tsr.tensor<["T.m"], f32>
    %40 = graph.broadcast %new {axes = array<i64: 0>} : <["T.m"], f32> to <["T.m", "T.n"], f32>
    %41 = graph.elementwise "sub" %s_0, %40 : !tsr.tensor<["T.m", "T.n"], f32>
    %p = graph.elementwise "exp" %41 : !tsr.tensor<["T.m", "T.n"], f32>
    %42 = graph.elementwise "mul" %alpha, %arg3 : !tsr.tensor<["T.m"], f32>
    %43 = graph.iota 1 : <["T.m", "T.n"], i32>
    %44 = graph.dim "S"
    %45 = graph.elementwise "sub" %44, %arg0 : index
    %46 = graph.cast %45 : index to i32
    %47 = graph.full %46 : i32 to <["T.m", "T.n"], i32>
    %48 = graph.elementwise "lt" %43, %47 : !tsr.tensor<["T.m", "T.n"], i32>
    %49 = graph.constant 0.000000e+00 : f32
    %50 = graph.full %49 : f32 to <["T.m", "T.n"], f32>
    %51 = graph.elementwise "select" %48, %p, %50 {tsr.extent_mask} : !tsr.tensor<["T.m", "T.n"], f32>
    %52 = graph.reduce "sum" %51 {axes = array<i64: 1>} : <["T.m", "T.n"], f32> to !tsr.tensor<["T.m"], f32>
    %total_1 = graph.elementwise "add" %42, %52 : !tsr.tensor<["T.m"], f32>
    %53 = graph.broadcast %alpha {axes = array<i64: 0>} : <["T.m"], f32> to <["T.m", "64"], f32>
    %54 = graph.elementwise "mul" %53, %arg1 : !tsr.tensor<["T.m", "64"], f32>
    %55 = graph.iota 1 : <["T.m", "T.n"], i32>
    %56 = graph.dim "S"
    %57 = graph.elementwise "sub" %56, %arg0 : index
    %58 = graph.cast %57 : index to i32
    %59 = graph.full %58 : i32 to <["T.m", "T.n"], i32>
    %60 = graph.elementwise "lt" %55, %59 : !tsr.tensor<["T.m", "T.n"], i32>
    %61 = graph.cast %p : !tsr.tensor<["T.m", "T.n"], f32> to !tsr.tensor<["T.m", "T.n"], bf16>
    %62 = graph.constant 0.000000e+00 : bf16
    %63 = graph.full %62 : bf16 to <["T.m", "T.n"], bf16>
    %64 = graph.elementwise "select" %60, %61, %63 {tsr.extent_mask} : !tsr.tensor<["T.m", "T.n"], bf16>
    %65 = graph.load %V[%b in_bounds, %h in_bounds, %arg0 size "T.n", %0 size "64" in_bounds] : !tsr.view<["B", "H", "S", "64"], bf16> to !tsr.tensor<["T.n", "64"], bf16>
    %66 = graph.dot %64, %65 : (!tsr.tensor<["T.m", "T.n"], bf16>, !tsr.tensor<["T.n", "64"], bf16>) -> !tsr.tensor<["T.m", "64"], f32>
    %acc_2 = graph.elementwise "add" %54, %66 : !tsr.tensor<["T.m", "64"], f32>
    scf.yield %acc_2, %new, %total_1 : !tsr.tensor<["T.m", "64"], f32>, !tsr.tensor<["T.m"], f32>, !tsr.tensor<["T.m"], f32>
  }
  %8 = graph.broadcast %7#2 {axes = array<i64: 0>} : <["T.m"], f32> to <["T.m", "64"], f32>
  %9 = graph.elementwise "div" %7#0, %8 : !tsr.tensor<["T.m", "64"], f32>
  %10 = graph.cast %9 : !tsr.tensor<["T.m", "64"], f32> to !tsr.tensor<["T.m", "64"], bf16>
  %11 = graph.query "origin" 0
  %12 = graph.query "origin" 1
  %13 = graph.query "origin" 2
  graph.store %10, %result[%11 in_bounds, %12 in_bounds, %13 size "T.m", %0 size "64" in_bounds] : !tsr.tensor<["T.m", "64"], bf16>, !tsr.view<["B", "H", "S", "64"], bf16>
  graph.kernel_end
}

// A short sum, to which something is added that is read from memory: teams of one warpgroup, one of which reads while the other multiplies.
// WARPGROUPS: schedule.kernel @biased_kernel
// WARPGROUPS-SAME: group = 128
// WARPGROUPS-SAME: sizes = {k = 64 : i64, m = 128 : i64, n = 128 : i64}
graph.func @biased(%x: !tsr.tensor<["M", "768"], bf16>, %w: !tsr.tensor<["768", "2304"], bf16>, %b: !tsr.tensor<["2304"], f32>) -> !tsr.tensor<["M", "2304"], bf16> attributes {dims = ["M"], outputs = [#tsr.result<"result", !tsr.tensor<["M", "2304"], bf16>>], params = [#tsr.param<"x", in>, #tsr.param<"w", in>, #tsr.param<"b", in>], signature = "def biased[M](x: Tensor[M, 768, bf16 @accum(f32)], w: Tensor[768, 2304, bf16 @accum(f32)], b: Tensor[2304, f32]) -> Tensor[M, 2304, bf16]", tsr.numerics = {b = {denormals = "keep", round_at = "store", rounding = "nearest_even", saturate = false}, result = {denormals = "keep", round_at = "store", rounding = "nearest_even", saturate = false}, w = {accumulate = "f32", denormals = "keep", round_at = "store", rounding = "nearest_even", saturate = false}, x = {accumulate = "f32", denormals = "keep", round_at = "store", rounding = "nearest_even", saturate = false}}} {
  %0 = graph.dot %x, %w : (!tsr.tensor<["M", "768"], bf16>, !tsr.tensor<["768", "2304"], bf16>) -> !tsr.tensor<["M", "2304"], f32>
  %1 = graph.broadcast %b {axes = array<i64: 1>} : <["2304"], f32> to <["M", "2304"], f32>
  %2 = graph.elementwise "add" %0, %1 : !tsr.tensor<["M", "2304"], f32>
  %3 = graph.cast %2 : !tsr.tensor<["M", "2304"], f32> to !tsr.tensor<["M", "2304"], bf16>
  graph.return %3 : !tsr.tensor<["M", "2304"], bf16>
}

// A short sum that is stored in 16 bits, and nothing else: teams, one of which stores while the other multiplies. In 32 bits both warpgroups
// work on one tile.
// WARPGROUPS: schedule.kernel @short_kernel
// WARPGROUPS-SAME: group = 128
// WARPGROUPS-SAME: sizes = {k = 64 : i64, m = 128 : i64, n = 128 : i64}
graph.func @short(%x: !tsr.tensor<["M", "768"], bf16>, %w: !tsr.tensor<["768", "2304"], bf16>) -> !tsr.tensor<["M", "2304"], bf16> attributes {dims = ["M"], outputs = [#tsr.result<"result", !tsr.tensor<["M", "2304"], bf16>>], params = [#tsr.param<"x", in>, #tsr.param<"w", in>], signature = "def short[M](x: Tensor[M, 768, bf16 @accum(f32)], w: Tensor[768, 2304, bf16 @accum(f32)]) -> Tensor[M, 2304, bf16]", tsr.numerics = {result = {denormals = "keep", round_at = "store", rounding = "nearest_even", saturate = false}, w = {accumulate = "f32", denormals = "keep", round_at = "store", rounding = "nearest_even", saturate = false}, x = {accumulate = "f32", denormals = "keep", round_at = "store", rounding = "nearest_even", saturate = false}}} {
  %0 = graph.dot %x, %w : (!tsr.tensor<["M", "768"], bf16>, !tsr.tensor<["768", "2304"], bf16>) -> !tsr.tensor<["M", "2304"], f32>
  %1 = graph.cast %0 : !tsr.tensor<["M", "2304"], f32> to !tsr.tensor<["M", "2304"], bf16>
  graph.return %1 : !tsr.tensor<["M", "2304"], bf16>
}

// WARPGROUPS: schedule.kernel @wide_kernel
// WARPGROUPS-SAME: group = 256
graph.func @wide(%x: !tsr.tensor<["M", "768"], bf16>, %w: !tsr.tensor<["768", "2304"], bf16>) -> !tsr.tensor<["M", "2304"], f32> attributes {dims = ["M"], outputs = [#tsr.result<"result", !tsr.tensor<["M", "2304"], f32>>], params = [#tsr.param<"x", in>, #tsr.param<"w", in>], signature = "def wide[M](x: Tensor[M, 768, bf16 @accum(f32)], w: Tensor[768, 2304, bf16 @accum(f32)]) -> Tensor[M, 2304, f32]", tsr.numerics = {result = {denormals = "keep", round_at = "store", rounding = "nearest_even", saturate = false}, w = {accumulate = "f32", denormals = "keep", round_at = "store", rounding = "nearest_even", saturate = false}, x = {accumulate = "f32", denormals = "keep", round_at = "store", rounding = "nearest_even", saturate = false}}} {
  %0 = graph.dot %x, %w : (!tsr.tensor<["M", "768"], bf16>, !tsr.tensor<["768", "2304"], bf16>) -> !tsr.tensor<["M", "2304"], f32>
  graph.return %0 : !tsr.tensor<["M", "2304"], f32>
}
