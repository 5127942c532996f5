// RUN: tessera-opt %s --set-machine=name=sm_80 --graph-to-schedule --verify-schedule | FileCheck %s

// Groups of channels, of as many channels as there are by a fact: where an element lies follows from the sizes of its own axes, and
// nothing is divided by those of the other group.
// CHECK-LABEL: schedule.kernel @groups_kernel
// CHECK: %[[ROW:i0.*]] = graph.elementwise "floordiv"
// CHECK: %[[GROUP:i1.*]] = graph.elementwise "mod"
// CHECK: %[[OWN:i2.*]] = graph.elementwise "mod"
// CHECK: %[[FIRST:.*]] = graph.elementwise "mul" %[[GROUP]], %{{.*}} : index
// CHECK-NEXT: %[[C:.*]] = graph.elementwise "add" %[[FIRST]], %[[OWN]] : index
// CHECK: %[[Q:.*]] = graph.elementwise "floordiv" %[[ROW]]
// CHECK: %[[P:.*]] = graph.elementwise "mod" %[[ROW]]
// CHECK: graph.load %x[%[[P]] in_bounds, %[[Q]] in_bounds, %[[C]] in_bounds]
// CHECK-LABEL: schedule.func @groups
graph.func @groups(%x: !tsr.tensor<["P", "Q", "C"], f32>, %s: !tsr.tensor<["P*Q", "32", "C // 32"], f32>) -> !tsr.tensor<["P*Q", "32", "C // 32"], f32> attributes {
    dims = ["P", "Q", "C"], requirements = [#tsr.requirement<"C % 32" eq "0", "C % 32 == 0">], params = [#tsr.param<"x", in>, #tsr.param<"s", in>],
    outputs = [#tsr.result<"result", !tsr.tensor<["P*Q", "32", "C // 32"], f32>>]} {
  %0 = graph.elementwise "add" %x, %x : !tsr.tensor<["P", "Q", "C"], f32>
  %1 = graph.transpose %0 {perm = array<i64: 1, 0, 2>} : <["P", "Q", "C"], f32> to <["Q", "P", "C"], f32>
  %2 = graph.reshape %1 : <["Q", "P", "C"], f32> to <["P*Q", "32", "C // 32"], f32>
  %3 = graph.elementwise "mul" %2, %s : !tsr.tensor<["P*Q", "32", "C // 32"], f32>
  graph.return %3 : !tsr.tensor<["P*Q", "32", "C // 32"], f32>
}

// Two pairs of axes that become one each: an element's place follows from the place along its own axis.
// CHECK-LABEL: schedule.kernel @pixels_kernel
// CHECK: %[[Y:.*]] = graph.elementwise "add" %[[YS:.*]], %{{.*}} : index
// CHECK-NOT: "mul"
// CHECK: graph.load %x[
// CHECK-LABEL: schedule.func @pixels
graph.func @pixels(%x: !tsr.tensor<["H", "2", "W", "2"], f32>) -> !tsr.tensor<["2*H - 1", "2*W"], f32> attributes {
    dims = ["H", "W"], params = [#tsr.param<"x", in>], outputs = [#tsr.result<"result", !tsr.tensor<["2*H - 1", "2*W"], f32>>]} {
  %0 = graph.reshape %x : <["H", "2", "W", "2"], f32> to <["2*H", "2*W"], f32>
  %nought = graph.constant 0 : index
  %one = graph.constant 1 : index
  %1 = graph.slice %0[%one size "2*H - 1" in_bounds, %nought size "2*W" in_bounds] : <["2*H", "2*W"], f32> to !tsr.tensor<["2*H - 1", "2*W"], f32>
  %2 = graph.elementwise "add" %1, %1 : !tsr.tensor<["2*H - 1", "2*W"], f32>
  graph.return %2 : !tsr.tensor<["2*H - 1", "2*W"], f32>
}
