// RUN: tessera-opt %s --set-machine=name=sm_90a --graph-to-schedule --verify-schedule | FileCheck %s

// Heads in the columns of one matrix, whose width is a multiple of theirs as the function says: `64 * (D // 64)` are D columns. Nothing is
// copied: the products read their part of the matrix, and the sums leave for the place where the result has them.
// CHECK-LABEL: schedule.kernel @counted_kernel(
// CHECK-SAME: %x: !tsr.view<["B", "S", "2", "D // 64", "64"], f32>
// CHECK-SAME: %result: !tsr.view<["B", "S", "D // 64", "64"], f32>
// CHECK-LABEL: schedule.func @counted(
// CHECK-NOT: schedule.temp
// CHECK: schedule.launch @counted_kernel
// CHECK: schedule.return
graph.func @counted(%x: !tsr.tensor<["B", "S", "2*D"], f32>, %w: !tsr.tensor<["64", "64"], f32>) -> !tsr.tensor<["B", "S", "D"], f32> attributes {dims = ["B", "S", "D"],
    outputs = [#tsr.result<"result", !tsr.tensor<["B", "S", "D"], f32>>], params = [#tsr.param<"x", in>, #tsr.param<"w", in>], requirements = [#tsr.requirement<"D % 64" eq "0", "D % 64 == 0">], signature = ""} {
  %0 = graph.constant 0 : index
  %heads = graph.reshape %x : <["B", "S", "2*D"], f32> to !tsr.tensor<["B", "S", "2", "D // 64", "64"], f32>
  %moved = graph.transpose %heads {perm = array<i64: 2, 0, 3, 1, 4>} : <["B", "S", "2", "D // 64", "64"], f32> to <["2", "B", "D // 64", "S", "64"], f32>
  %q = graph.slice %moved[%0 in_bounds, %0 size "B" in_bounds, %0 size "D // 64" in_bounds, %0 size "S" in_bounds, %0 size "64" in_bounds] : <["2", "B", "D // 64", "S", "64"], f32> to !tsr.tensor<["B", "D // 64", "S", "64"], f32>
  %each = graph.broadcast %w {axes = array<i64: 2, 3>} : <["64", "64"], f32> to <["B", "D // 64", "64", "64"], f32>
  %y = graph.dot %q, %each : (!tsr.tensor<["B", "D // 64", "S", "64"], f32>, !tsr.tensor<["B", "D // 64", "64", "64"], f32>) -> !tsr.tensor<["B", "D // 64", "S", "64"], f32>
  %back = graph.transpose %y {perm = array<i64: 0, 2, 1, 3>} : <["B", "D // 64", "S", "64"], f32> to <["B", "S", "D // 64", "64"], f32>
  %result = graph.reshape %back : <["B", "S", "D // 64", "64"], f32> to !tsr.tensor<["B", "S", "D"], f32>
  graph.return %result : !tsr.tensor<["B", "S", "D"], f32>
}
