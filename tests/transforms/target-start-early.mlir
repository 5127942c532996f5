// RUN: tessera-opt %s --set-machine=name=sm_90 --target-start-early | FileCheck %s
// RUN: tessera-opt %s --set-machine=name=sm_80 --target-start-early | FileCheck %s --check-prefix=LATE
// Kernels of a function with several of them wait for the one before by themselves, and are started early.

// CHECK-LABEL: target.kernel @first
// CHECK: target.call "tsr::after_previous_kernel"
// CHECK: target.assign
// CHECK-LABEL: target.kernel @second
// CHECK: target.call "tsr::after_previous_kernel"
// CHECK-LABEL: target.kernel @alone
// CHECK-NOT: after_previous_kernel
// CHECK-LABEL: target.entry @both
// CHECK: target.launch @first {{.*}}early
// CHECK: target.launch @second {{.*}}early
// CHECK-LABEL: target.entry @one
// CHECK: target.launch @alone
// CHECK-NOT: early
// LATE-NOT: after_previous_kernel
// LATE-NOT: early
target.kernel @first attributes {capacities = [], comment = [], group = 32 : i64, param_names = ["y"]} {
^bb0(%y: !target.pointer<f32>):
  %i = target.literal 0 : index
  %at = target.subscript %y[%i] : (!target.pointer<f32>, index) -> !target.lvalue<f32>
  %v = target.literal 1.0 : f32
  target.assign %at, %v : !target.lvalue<f32>, f32
}
target.kernel @second attributes {capacities = [], comment = [], group = 32 : i64, param_names = ["y"]} {
^bb0(%y: !target.pointer<f32>):
}
target.kernel @alone attributes {capacities = [], comment = [], group = 32 : i64, param_names = ["y"]} {
^bb0(%y: !target.pointer<f32>):
}
target.entry @both attributes {doc = "", parameters = [#target.parameter<"y", f32, ["1"], "result">], returns = ["y"], signature = ""} {
  target.launch @first grid "1" group 32 arguments [#target.argument<"tensor", "y">]
  target.launch @second grid "1" group 32 arguments [#target.argument<"tensor", "y">]
}
target.entry @one attributes {doc = "", parameters = [#target.parameter<"y", f32, ["1"], "result">], returns = ["y"], signature = ""} {
  target.launch @alone grid "1" group 32 arguments [#target.argument<"tensor", "y">]
}
