// RUN: tessera-opt %s --set-machine=name=sm_80 --graph-to-schedule --verify-schedule | FileCheck %s
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

// What stands in a branch may be wrong where its condition on sizes does not hold: the entry function asks it, and both
// branches write into one place.
// CHECK-LABEL: schedule.kernel @shorter_kernel
// CHECK-NOT: "select"
// CHECK-LABEL: schedule.kernel @shorter_kernel_1
// CHECK-NOT: "select"
// CHECK-LABEL: schedule.func @shorter
// CHECK: schedule.launch @shorter_kernel(%[[X:.*]], %[[RESULT:.*]]) {tsr.when = [#tsr.requirement<"M" le "N", "">]}
// CHECK: schedule.launch @shorter_kernel_1(%[[Y:.*]], %[[RESULT]]) {tsr.when = [
// CHECK-SAME: "not", #tsr.requirement<"M" le "N", "">
graph.func @shorter(%x: !tsr.tensor<["N"], f32>, %y: !tsr.tensor<["M"], f32>) -> !tsr.tensor<["M"], f32> attributes {
    dims = ["N", "M"], params = [#tsr.param<"x", in>, #tsr.param<"y", in>], outputs = [#tsr.result<"result", !tsr.tensor<["M"], f32>>]} {
  %c0 = graph.constant 0 : index
  %n = graph.dim "N"
  %m = graph.dim "M"
  %fits = graph.elementwise "le" %m, %n : index
  %r = scf.if %fits -> !tsr.tensor<["M"], f32> {
    %s = graph.slice %x[%c0 size "M" in_bounds] : !tsr.tensor<["N"], f32> to !tsr.tensor<["M"], f32>
    %e = graph.elementwise "exp" %s : !tsr.tensor<["M"], f32>
    scf.yield %e : !tsr.tensor<["M"], f32>
  } else {
    %e = graph.elementwise "exp" %y : !tsr.tensor<["M"], f32>
    scf.yield %e : !tsr.tensor<["M"], f32>
  }
  graph.return %r : !tsr.tensor<["M"], f32>
}
