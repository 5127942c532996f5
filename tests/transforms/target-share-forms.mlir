// RUN: tessera-opt %s --set-machine=name=sm_90a --target-share-forms | FileCheck %s
// RUN: tessera-opt %s --set-machine=name=cpu --target-share-forms | FileCheck %s --check-prefix=CPU
// CPU-NOT: tsr.form = {arguments

// Two kernels that a function starts for the same value, which has one place in the text, and that differ in a size: one template, with the schedules of both.
// CHECK-LABEL: target.kernel @scale attributes {capacities = ["BN"], comment = ["def scale", "  schedule  n = 256", "  or  n = 64: for few columns", "  map"]
// CHECK-NOT: target.constant "BN"
// CHECK: target.constant "Two" = 2
// CHECK-NOT: target.kernel @scale_few
target.kernel @scale attributes {capacities = [], comment = ["def scale", "  schedule  n = 256", "  map"], group = 32 : i64, param_names = ["y"], schedule = {n = 256 : i64},
    tsr.form = {reasons = ["map"], sizes = "n = 256"}} {
^bb0(%y: !target.pointer<f32>):
  target.constant "BN" = 256 : i64
  target.constant "Two" = 2 : i64
  %i = target.name "BN" : index
  %at = target.subscript %y[%i] : (!target.pointer<f32>, index) -> !target.lvalue<f32>
  %v = target.literal 1.0 : f32
  target.assign %at, %v : !target.lvalue<f32>, f32
}
target.kernel @scale_few attributes {capacities = [], comment = ["def scale", "  schedule  n = 64", "  map; for few columns"], group = 32 : i64, param_names = ["y"], schedule = {n = 64 : i64},
    tsr.form = {reasons = ["map; for few columns"], sizes = "n = 64"}} {
^bb0(%y: !target.pointer<f32>):
  target.constant "BN" = 64 : i64
  target.constant "Two" = 2 : i64
  %i = target.name "BN" : index
  %at = target.subscript %y[%i] : (!target.pointer<f32>, index) -> !target.lvalue<f32>
  %v = target.literal 1.0 : f32
  target.assign %at, %v : !target.lvalue<f32>, f32
}
// What it does is another thing.
// CHECK: target.kernel @other attributes {capacities = []
target.kernel @other attributes {capacities = [], comment = [], group = 32 : i64, param_names = ["y"], schedule = {n = 64 : i64},
    tsr.form = {reasons = [], sizes = "n = 64"}} {
^bb0(%y: !target.pointer<f32>):
  target.constant "BN" = 64 : i64
  target.constant "Two" = 2 : i64
  %i = target.name "BN" : index
  %at = target.subscript %y[%i] : (!target.pointer<f32>, index) -> !target.lvalue<f32>
  %v = target.literal 2.0 : f32
  target.assign %at, %v : !target.lvalue<f32>, f32
}
// And what became equal to it is it.
// CHECK-NOT: target.kernel @other_again
target.kernel @other_again attributes {capacities = [], comment = [], group = 32 : i64, param_names = ["y"], schedule = {n = 64 : i64},
    tsr.form = {reasons = [], sizes = "n = 64"}} {
^bb0(%y: !target.pointer<f32>):
  target.constant "BN" = 64 : i64
  target.constant "Two" = 2 : i64
  %i = target.name "BN" : index
  %at = target.subscript %y[%i] : (!target.pointer<f32>, index) -> !target.lvalue<f32>
  %v = target.literal 2.0 : f32
  target.assign %at, %v : !target.lvalue<f32>, f32
}
// CHECK: target.launch @scale {{.*}}tsr.form = {arguments = "64", rows = array<i64: 0>, schedule = {n = 64 : i64}}
// CHECK: target.launch @scale {{.*}}tsr.form = {arguments = "256", rows = array<i64: 0>, schedule = {n = 256 : i64}}
// CHECK: target.launch @other grid
// CHECK-NEXT: target.launch @other grid
// CHECK-NOT: arguments = "
target.entry @run attributes {doc = "", parameters = [#target.parameter<"y", f32, ["N"], "result">], returns = ["y"], signature = ""} {
  target.launch @scale_few grid "1" group 32 arguments [#target.argument<"tensor", "y">] {when = [#tsr.requirement<"N" le "4", "">]} loc("a.tsr":2:3)
  target.launch @scale grid "1" group 32 arguments [#target.argument<"tensor", "y">] {when = [["not", #tsr.requirement<"N" le "4", "">]]} loc("a.tsr":2:3)
  target.launch @other grid "1" group 32 arguments [#target.argument<"tensor", "y">] loc("a.tsr":2:3)
  target.launch @other_again grid "1" group 32 arguments [#target.argument<"tensor", "y">] loc("a.tsr":2:3)
}
