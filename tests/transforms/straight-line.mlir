// RUN: tessera-opt %s --graph-to-schedule --verify-schedule | FileCheck %s
// Control flow of tensor functions is gone before anything is planned.

// Two turns, the counter in each a number.
// CHECK-LABEL: schedule.kernel @repeated_kernel
// CHECK: graph.elementwise "mul"
// CHECK: graph.elementwise "mul"
// CHECK-NOT: graph.elementwise "mul"
// CHECK-NOT: scf.for
// CHECK-LABEL: schedule.func @repeated
graph.func @repeated(%x: !tsr.tensor<["N"], f32>) -> !tsr.tensor<["N"], f32> attributes {
    dims = ["N"], params = [#tsr.param<"x", in>], outputs = [#tsr.result<"result", !tsr.tensor<["N"], f32>>]} {
  %c1 = graph.constant 1 : index
  %c3 = graph.constant 3 : index
  %y = scf.for %i = %c1 to %c3 step %c1 iter_args(%a = %x) -> !tsr.tensor<["N"], f32> {
    %f = graph.cast %i : index to f32
    %g = graph.full %f : f32 to !tsr.tensor<["N"], f32>
    %m = graph.elementwise "mul" %a, %g : !tsr.tensor<["N"], f32>
    scf.yield %m : !tsr.tensor<["N"], f32>
  }
  graph.return %y : !tsr.tensor<["N"], f32>
}

// Both sides are computed, and one is chosen.
// CHECK-LABEL: schedule.kernel @chosen_kernel
// CHECK: graph.elementwise "exp"
// CHECK: graph.elementwise "select"
// CHECK-LABEL: schedule.func @chosen
graph.func @chosen(%x: !tsr.tensor<["N"], f32>, %flag: i1) -> !tsr.tensor<["N"], f32> attributes {
    dims = ["N"], params = [#tsr.param<"x", in>, #tsr.param<"flag", in>], outputs = [#tsr.result<"result", !tsr.tensor<["N"], f32>>]} {
  %y = scf.if %flag -> !tsr.tensor<["N"], f32> {
    %e = graph.elementwise "exp" %x : !tsr.tensor<["N"], f32>
    scf.yield %e : !tsr.tensor<["N"], f32>
  } else {
    scf.yield %x : !tsr.tensor<["N"], f32>
  }
  graph.return %y : !tsr.tensor<["N"], f32>
}
