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
