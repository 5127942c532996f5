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
