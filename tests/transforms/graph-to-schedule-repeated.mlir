// RUN: tessera-opt %s --set-machine=name=sm_80 --graph-to-schedule --verify-schedule | FileCheck %s
// Four steps, each of which asks for three elements of the one before: two kernels of two steps, instead of one that reads 3^4 elements.

// CHECK-LABEL: schedule.kernel @stencil_kernel(
// CHECK-COUNT-9: graph.load
// CHECK-NOT: graph.load
// CHECK-LABEL: schedule.kernel @stencil_kernel_1(
// CHECK-COUNT-9: graph.load
// CHECK-NOT: graph.load
// CHECK-LABEL: schedule.func @stencil
// CHECK: schedule.temp
// CHECK-NOT: schedule.temp
graph.func @stencil(%x: !tsr.tensor<["N"], f32>) -> !tsr.tensor<["N - 8"], f32> attributes {dims = ["N"], outputs = [#tsr.result<"result", !tsr.tensor<["N - 8"], f32>>], params = [#tsr.param<"x", in>]} {
  %0 = graph.constant 0 : index
  %1 = graph.slice %x[%0 size "N - 2" in_bounds] : <["N"], f32> to !tsr.tensor<["N - 2"], f32>
  %2 = graph.constant 1 : index
  %3 = graph.slice %x[%2 size "N - 2" in_bounds] : <["N"], f32> to !tsr.tensor<["N - 2"], f32>
  %4 = graph.constant 2 : index
  %5 = graph.slice %x[%4 size "N - 2" in_bounds] : <["N"], f32> to !tsr.tensor<["N - 2"], f32>
  %6 = graph.elementwise "mul" %3, %5 : !tsr.tensor<["N - 2"], f32>
  %a = graph.elementwise "add" %1, %6 : !tsr.tensor<["N - 2"], f32>
  %7 = graph.slice %a[%0 size "N - 4" in_bounds] : <["N - 2"], f32> to !tsr.tensor<["N - 4"], f32>
  %8 = graph.constant 1 : index
  %9 = graph.slice %a[%8 size "N - 4" in_bounds] : <["N - 2"], f32> to !tsr.tensor<["N - 4"], f32>
  %10 = graph.constant 2 : index
  %11 = graph.slice %a[%10 size "N - 4" in_bounds] : <["N - 2"], f32> to !tsr.tensor<["N - 4"], f32>
  %12 = graph.elementwise "mul" %9, %11 : !tsr.tensor<["N - 4"], f32>
  %b = graph.elementwise "add" %7, %12 : !tsr.tensor<["N - 4"], f32>
  %13 = graph.slice %b[%0 size "N - 6" in_bounds] : <["N - 4"], f32> to !tsr.tensor<["N - 6"], f32>
  %14 = graph.constant 1 : index
  %15 = graph.slice %b[%14 size "N - 6" in_bounds] : <["N - 4"], f32> to !tsr.tensor<["N - 6"], f32>
  %16 = graph.constant 2 : index
  %17 = graph.slice %b[%16 size "N - 6" in_bounds] : <["N - 4"], f32> to !tsr.tensor<["N - 6"], f32>
  %18 = graph.elementwise "mul" %15, %17 : !tsr.tensor<["N - 6"], f32>
  %c = graph.elementwise "add" %13, %18 : !tsr.tensor<["N - 6"], f32>
  %19 = graph.slice %c[%0 size "N - 8" in_bounds] : <["N - 6"], f32> to !tsr.tensor<["N - 8"], f32>
  %20 = graph.constant 1 : index
  %21 = graph.slice %c[%20 size "N - 8" in_bounds] : <["N - 6"], f32> to !tsr.tensor<["N - 8"], f32>
  %22 = graph.constant 2 : index
  %23 = graph.slice %c[%22 size "N - 8" in_bounds] : <["N - 6"], f32> to !tsr.tensor<["N - 8"], f32>
  %24 = graph.elementwise "mul" %21, %23 : !tsr.tensor<["N - 8"], f32>
  %25 = graph.elementwise "add" %19, %24 : !tsr.tensor<["N - 8"], f32>
  graph.return %25 : !tsr.tensor<["N - 8"], f32>
}

// Reductions of a row ask for the same elements: a kernel over rows has them at hand, whatever they are made of.
// CHECK-LABEL: schedule.func @normed
// CHECK-NOT: schedule.temp
// CHECK: schedule.launch @normed_kernel
// CHECK-NOT: schedule.launch
// CHECK: schedule.return
graph.func @normed(%x: !tsr.tensor<["R", "C"], f32>, %w: !tsr.tensor<["R", "C"], f32>) -> !tsr.tensor<["R", "C"], f32> attributes {
    dims = ["R", "C"], outputs = [#tsr.result<"result", !tsr.tensor<["R", "C"], f32>>],
    params = [#tsr.param<"x", in>, #tsr.param<"w", in>]} {
  %0 = graph.elementwise "exp" %x : !tsr.tensor<["R", "C"], f32>
  %1 = graph.elementwise "mul" %0, %w : !tsr.tensor<["R", "C"], f32>
  %sine = graph.elementwise "sin" %w : !tsr.tensor<["R", "C"], f32>
  %2 = graph.elementwise "tanh" %sine : !tsr.tensor<["R", "C"], f32>
  %y = graph.elementwise "add" %1, %2 : !tsr.tensor<["R", "C"], f32>
  %3 = graph.reduce "sum" %y {axes = array<i64: 1>} : <["R", "C"], f32> to !tsr.tensor<["R"], f32>
  %4 = graph.broadcast %3 {axes = array<i64: 0>} : <["R"], f32> to <["R", "1"], f32>
  %5 = graph.dim "C"
  %6 = graph.cast %5 : index to f32
  %7 = graph.full %6 : f32 to <["R", "1"], f32>
  %8 = graph.elementwise "div" %4, %7 : !tsr.tensor<["R", "1"], f32>
  %9 = graph.broadcast %8 {axes = array<i64: 0, 1>} : <["R", "1"], f32> to <["R", "C"], f32>
  %y_0 = graph.elementwise "sub" %y, %9 : !tsr.tensor<["R", "C"], f32>
  %10 = graph.elementwise "abs" %y_0 : !tsr.tensor<["R", "C"], f32>
  %11 = graph.reduce "max" %10 {axes = array<i64: 1>} : <["R", "C"], f32> to !tsr.tensor<["R"], f32>
  %12 = graph.broadcast %11 {axes = array<i64: 0>} : <["R"], f32> to <["R", "C"], f32>
  %y_1 = graph.elementwise "sub" %y_0, %12 : !tsr.tensor<["R", "C"], f32>
  %13 = graph.constant 1.000000e+00 : f32
  %14 = graph.full %13 : f32 to <["R", "1"], f32>
  %15 = graph.elementwise "mul" %y_1, %y_1 : !tsr.tensor<["R", "C"], f32>
  %16 = graph.reduce "sum" %15 {axes = array<i64: 1>} : <["R", "C"], f32> to !tsr.tensor<["R"], f32>
  %17 = graph.broadcast %16 {axes = array<i64: 0>} : <["R"], f32> to <["R", "1"], f32>
  %18 = graph.elementwise "add" %14, %17 : !tsr.tensor<["R", "1"], f32>
  %19 = graph.elementwise "sqrt" %18 : !tsr.tensor<["R", "1"], f32>
  %20 = graph.broadcast %19 {axes = array<i64: 0, 1>} : <["R", "1"], f32> to <["R", "C"], f32>
  %21 = graph.elementwise "div" %y_1, %20 : !tsr.tensor<["R", "C"], f32>
  graph.return %21 : !tsr.tensor<["R", "C"], f32>
}

// A product of one row is a sum; what another one multiplies is stored, and not added up again for each of its columns.
// CHECK-LABEL: schedule.func @two_of_a_row(
// CHECK: %[[H:.*]] = schedule.temp : <["H"], f32>
// CHECK-NEXT: schedule.launch @two_of_a_row_kernel(%x, %w, %[[H]])
// CHECK-NEXT: schedule.launch @two_of_a_row_kernel_1(%[[H]], %v, %result)
graph.func @two_of_a_row(%x: !tsr.tensor<["1", "N"], f32>, %w: !tsr.tensor<["N", "H"], f32>, %v: !tsr.tensor<["H", "V"], f32>) -> !tsr.tensor<["1", "V"], f32> attributes {
    dims = ["N", "H", "V"], params = [#tsr.param<"x", in>, #tsr.param<"w", in>, #tsr.param<"v", in>], outputs = [#tsr.result<"result", !tsr.tensor<["1", "V"], f32>>]} {
  %0 = graph.dot %x, %w : (!tsr.tensor<["1", "N"], f32>, !tsr.tensor<["N", "H"], f32>) -> !tsr.tensor<["1", "H"], f32>
  %1 = graph.dot %0, %v : (!tsr.tensor<["1", "H"], f32>, !tsr.tensor<["H", "V"], f32>) -> !tsr.tensor<["1", "V"], f32>
  graph.return %1 : !tsr.tensor<["1", "V"], f32>
}

// What is put together of a value twice stands twice in the text, though each place takes one way: seven times is 2^7, and the fourth value
// is stored.
// CHECK-LABEL: schedule.func @joined(
// CHECK: %[[Y4:.*]] = schedule.temp : <["16*N"], f32>
// CHECK-NEXT: schedule.launch @joined_kernel(%y0, %[[Y4]])
// CHECK-NEXT: schedule.launch @joined_kernel_1(%[[Y4]], %result)
graph.func @joined(%y0: !tsr.tensor<["N"], f32>) -> !tsr.tensor<["128*N"], f32> attributes {
    dims = ["N"], outputs = [#tsr.result<"result", !tsr.tensor<["128*N"], f32>>],
    params = [#tsr.param<"y0", in>], signature = "def joined[N](y0: Tensor[N, f32]) -> Tensor[N * 128, f32]", tsr.numerics = {result = {denormals = "keep", round_at = "store", rounding = "nearest_even", saturate = false}, y0 = {denormals = "keep", round_at = "store", rounding = "nearest_even", saturate = false}}} {
  %0 = graph.constant 5.000000e-01 : f32
  %1 = graph.full %0 : f32 to <["N"], f32>
  %2 = graph.elementwise "mul" %y0, %1 : !tsr.tensor<["N"], f32>
  %3 = graph.constant 1.000000e+00 : f32
  %4 = graph.full %3 : f32 to <["N"], f32>
  %5 = graph.elementwise "add" %y0, %4 : !tsr.tensor<["N"], f32>
  %y1 = graph.concat 0 %2, %5 : (!tsr.tensor<["N"], f32>, !tsr.tensor<["N"], f32>) -> !tsr.tensor<["2*N"], f32>
  %6 = graph.constant 5.000000e-01 : f32
  %7 = graph.full %6 : f32 to <["2*N"], f32>
  %8 = graph.elementwise "mul" %y1, %7 : !tsr.tensor<["2*N"], f32>
  %9 = graph.constant 1.000000e+00 : f32
  %10 = graph.full %9 : f32 to <["2*N"], f32>
  %11 = graph.elementwise "add" %y1, %10 : !tsr.tensor<["2*N"], f32>
  %y2 = graph.concat 0 %8, %11 : (!tsr.tensor<["2*N"], f32>, !tsr.tensor<["2*N"], f32>) -> !tsr.tensor<["4*N"], f32>
  %12 = graph.constant 5.000000e-01 : f32
  %13 = graph.full %12 : f32 to <["4*N"], f32>
  %14 = graph.elementwise "mul" %y2, %13 : !tsr.tensor<["4*N"], f32>
  %15 = graph.constant 1.000000e+00 : f32
  %16 = graph.full %15 : f32 to <["4*N"], f32>
  %17 = graph.elementwise "add" %y2, %16 : !tsr.tensor<["4*N"], f32>
  %y3 = graph.concat 0 %14, %17 : (!tsr.tensor<["4*N"], f32>, !tsr.tensor<["4*N"], f32>) -> !tsr.tensor<["8*N"], f32>
  %18 = graph.constant 5.000000e-01 : f32
  %19 = graph.full %18 : f32 to <["8*N"], f32>
  %20 = graph.elementwise "mul" %y3, %19 : !tsr.tensor<["8*N"], f32>
  %21 = graph.constant 1.000000e+00 : f32
  %22 = graph.full %21 : f32 to <["8*N"], f32>
  %23 = graph.elementwise "add" %y3, %22 : !tsr.tensor<["8*N"], f32>
  %y4 = graph.concat 0 %20, %23 : (!tsr.tensor<["8*N"], f32>, !tsr.tensor<["8*N"], f32>) -> !tsr.tensor<["16*N"], f32>
  %24 = graph.constant 5.000000e-01 : f32
  %25 = graph.full %24 : f32 to <["16*N"], f32>
  %26 = graph.elementwise "mul" %y4, %25 : !tsr.tensor<["16*N"], f32>
  %27 = graph.constant 1.000000e+00 : f32
  %28 = graph.full %27 : f32 to <["16*N"], f32>
  %29 = graph.elementwise "add" %y4, %28 : !tsr.tensor<["16*N"], f32>
  %y5 = graph.concat 0 %26, %29 : (!tsr.tensor<["16*N"], f32>, !tsr.tensor<["16*N"], f32>) -> !tsr.tensor<["32*N"], f32>
  %30 = graph.constant 5.000000e-01 : f32
  %31 = graph.full %30 : f32 to <["32*N"], f32>
  %32 = graph.elementwise "mul" %y5, %31 : !tsr.tensor<["32*N"], f32>
  %33 = graph.constant 1.000000e+00 : f32
  %34 = graph.full %33 : f32 to <["32*N"], f32>
  %35 = graph.elementwise "add" %y5, %34 : !tsr.tensor<["32*N"], f32>
  %y6 = graph.concat 0 %32, %35 : (!tsr.tensor<["32*N"], f32>, !tsr.tensor<["32*N"], f32>) -> !tsr.tensor<["64*N"], f32>
  %36 = graph.constant 5.000000e-01 : f32
  %37 = graph.full %36 : f32 to <["64*N"], f32>
  %38 = graph.elementwise "mul" %y6, %37 : !tsr.tensor<["64*N"], f32>
  %39 = graph.constant 1.000000e+00 : f32
  %40 = graph.full %39 : f32 to <["64*N"], f32>
  %41 = graph.elementwise "add" %y6, %40 : !tsr.tensor<["64*N"], f32>
  %y7 = graph.concat 0 %38, %41 : (!tsr.tensor<["64*N"], f32>, !tsr.tensor<["64*N"], f32>) -> !tsr.tensor<["128*N"], f32>
  graph.return %y7 : !tsr.tensor<["128*N"], f32>
}

// Each column's greatest element would be looked for in what is made of the first array in all steps before: the second step is stored,
// and the kernels behind it read it.
// CHECK-LABEL: schedule.func @columns(
// CHECK: %[[Y2:.*]] = schedule.temp : <["N", "M"], f32>
// CHECK-NEXT: schedule.launch @columns_kernel_2(%y0, %{{.*}}, %{{.*}}, %[[Y2]])
// CHECK-NOT: %y0
// CHECK: schedule.launch @columns_kernel_7(%[[Y2]],
graph.func @columns(%y0: !tsr.tensor<["N", "M"], f32>) -> !tsr.tensor<["N", "M"], f32> attributes {
    dims = ["N", "M"], outputs = [#tsr.result<"result", !tsr.tensor<["N", "M"], f32>>],
    params = [#tsr.param<"y0", in>], signature = "def columns[N, M](y0: Tensor[N, M, f32]) -> Tensor[N, M, f32]", tsr.numerics = {result = {denormals = "keep", round_at = "store", rounding = "nearest_even", saturate = false}, y0 = {denormals = "keep", round_at = "store", rounding = "nearest_even", saturate = false}}} {
  %0 = graph.reduce "max" %y0 {axes = array<i64: 0>} : <["N", "M"], f32> to !tsr.tensor<["M"], f32>
  %1 = graph.broadcast %0 {axes = array<i64: 1>} : <["M"], f32> to <["N", "M"], f32>
  %2 = graph.elementwise "sub" %y0, %1 : !tsr.tensor<["N", "M"], f32>
  %y1 = graph.elementwise "tanh" %2 : !tsr.tensor<["N", "M"], f32>
  %3 = graph.reduce "max" %y1 {axes = array<i64: 0>} : <["N", "M"], f32> to !tsr.tensor<["M"], f32>
  %4 = graph.broadcast %3 {axes = array<i64: 1>} : <["M"], f32> to <["N", "M"], f32>
  %5 = graph.elementwise "sub" %y1, %4 : !tsr.tensor<["N", "M"], f32>
  %y2 = graph.elementwise "tanh" %5 : !tsr.tensor<["N", "M"], f32>
  %6 = graph.reduce "max" %y2 {axes = array<i64: 0>} : <["N", "M"], f32> to !tsr.tensor<["M"], f32>
  %7 = graph.broadcast %6 {axes = array<i64: 1>} : <["M"], f32> to <["N", "M"], f32>
  %8 = graph.elementwise "sub" %y2, %7 : !tsr.tensor<["N", "M"], f32>
  %y3 = graph.elementwise "tanh" %8 : !tsr.tensor<["N", "M"], f32>
  %9 = graph.reduce "max" %y3 {axes = array<i64: 0>} : <["N", "M"], f32> to !tsr.tensor<["M"], f32>
  %10 = graph.broadcast %9 {axes = array<i64: 1>} : <["M"], f32> to <["N", "M"], f32>
  %11 = graph.elementwise "sub" %y3, %10 : !tsr.tensor<["N", "M"], f32>
  %y4 = graph.elementwise "tanh" %11 : !tsr.tensor<["N", "M"], f32>
  %12 = graph.reduce "max" %y4 {axes = array<i64: 0>} : <["N", "M"], f32> to !tsr.tensor<["M"], f32>
  %13 = graph.broadcast %12 {axes = array<i64: 1>} : <["M"], f32> to <["N", "M"], f32>
  %14 = graph.elementwise "sub" %y4, %13 : !tsr.tensor<["N", "M"], f32>
  %y5 = graph.elementwise "tanh" %14 : !tsr.tensor<["N", "M"], f32>
  %15 = graph.reduce "max" %y5 {axes = array<i64: 0>} : <["N", "M"], f32> to !tsr.tensor<["M"], f32>
  %16 = graph.broadcast %15 {axes = array<i64: 1>} : <["M"], f32> to <["N", "M"], f32>
  %17 = graph.elementwise "sub" %y5, %16 : !tsr.tensor<["N", "M"], f32>
  %y6 = graph.elementwise "tanh" %17 : !tsr.tensor<["N", "M"], f32>
  graph.return %y6 : !tsr.tensor<["N", "M"], f32>
}
