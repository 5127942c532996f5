// RUN: tessera-opt %s --pass-pipeline='builtin.module(graph.func(graph-read-windows))' | FileCheck %s

module attributes {tsr.machine = #tsr.machine<"sm_90a">} {

// A convolution of a tensor whose channels lie side by side: no zeros are put around it, no windows are made, nothing is transposed.
// CHECK-LABEL: graph.func @side_by_side
// CHECK-DAG: %[[WINDOWS:.*]] = graph.windows %x {windows = #tsr.windows<["N", "H", "W"], ["H", "W"], [3, 3], [1, 1], [1, 1], [1, 1]>} : <["N", "H", "W", "C"], bf16> to <["H*N*W", "9", "C"], bf16>
// CHECK-DAG: %[[LEFT:.*]] = graph.reshape %[[WINDOWS]] : <["H*N*W", "9", "C"], bf16> to <["H*N*W", "9*C"], bf16>
// CHECK-DAG: %[[RIGHT:.*]] = graph.reshape %w : <["3", "3", "C", "O"], bf16> to <["9*C", "O"], bf16>
// CHECK: %[[D:.*]] = graph.dot %[[LEFT]], %[[RIGHT]]
// CHECK: %[[CUT:.*]] = graph.reshape %[[D]] : <["H*N*W", "O"], f32> to <["N", "H", "W", "O"], f32>
// CHECK: %[[R:.*]] = graph.cast %[[CUT]]
// CHECK-NEXT: graph.return %[[R]]
graph.func @side_by_side(%x: !tsr.tensor<["N", "H", "W", "C"], bf16>, %w: !tsr.tensor<["3", "3", "C", "O"], bf16>) -> !tsr.tensor<["N", "H", "W", "O"], bf16> attributes {
    dims = ["N", "H", "W", "C", "O"], params = [#tsr.param<"x", in>, #tsr.param<"w", in>],
    outputs = [#tsr.result<"result", !tsr.tensor<["N", "H", "W", "O"], bf16>>]} {
  %0 = graph.transpose %w {perm = array<i64: 3, 2, 0, 1>} : <["3", "3", "C", "O"], bf16> to <["O", "C", "3", "3"], bf16>
  %1 = graph.reshape %0 : <["O", "C", "3", "3"], bf16> to <["O", "9*C"], bf16>
  %2 = graph.broadcast %1 {axes = array<i64: 1, 2>} : <["O", "9*C"], bf16> to <["N", "O", "9*C"], bf16>
  %3 = graph.constant 0.000000e+00 : bf16
  %4 = graph.full %3 : bf16 to <["N", "C", "H + 2", "1"], bf16>
  %5 = graph.full %3 : bf16 to <["N", "C", "1", "W"], bf16>
  %6 = graph.transpose %x {perm = array<i64: 0, 3, 1, 2>} : <["N", "H", "W", "C"], bf16> to <["N", "C", "H", "W"], bf16>
  %7 = graph.concat 2 %5, %6, %5 : (!tsr.tensor<["N", "C", "1", "W"], bf16>, !tsr.tensor<["N", "C", "H", "W"], bf16>, !tsr.tensor<["N", "C", "1", "W"], bf16>) -> !tsr.tensor<["N", "C", "H + 2", "W"], bf16>
  %8 = graph.concat 3 %4, %7, %4 : (!tsr.tensor<["N", "C", "H + 2", "1"], bf16>, !tsr.tensor<["N", "C", "H + 2", "W"], bf16>, !tsr.tensor<["N", "C", "H + 2", "1"], bf16>) -> !tsr.tensor<["N", "C", "H + 2", "W + 2"], bf16>
  %9 = graph.window 2 %8 step 1 dilation 1 : <["N", "C", "H + 2", "W + 2"], bf16> to <["N", "C", "3", "H", "W + 2"], bf16>
  %10 = graph.window 4 %9 step 1 dilation 1 : <["N", "C", "3", "H", "W + 2"], bf16> to <["N", "C", "3", "H", "3", "W"], bf16>
  %11 = graph.transpose %10 {perm = array<i64: 0, 1, 2, 4, 3, 5>} : <["N", "C", "3", "H", "3", "W"], bf16> to <["N", "C", "3", "3", "H", "W"], bf16>
  %12 = graph.reshape %11 : <["N", "C", "3", "3", "H", "W"], bf16> to <["N", "9*C", "H*W"], bf16>
  %13 = graph.dot %2, %12 : (!tsr.tensor<["N", "O", "9*C"], bf16>, !tsr.tensor<["N", "9*C", "H*W"], bf16>) -> !tsr.tensor<["N", "O", "H*W"], f32>
  %14 = graph.reshape %13 : <["N", "O", "H*W"], f32> to <["N", "O", "H", "W"], f32>
  %15 = graph.transpose %14 {perm = array<i64: 0, 2, 3, 1>} : <["N", "O", "H", "W"], f32> to <["N", "H", "W", "O"], f32>
  %16 = graph.cast %15 : !tsr.tensor<["N", "H", "W", "O"], f32> to !tsr.tensor<["N", "H", "W", "O"], bf16>
  graph.return %16 : !tsr.tensor<["N", "H", "W", "O"], bf16>
}

// Windows of one axis that lie two apart, as rows of a matrix, with the weights beside them: no convolution by its name. Its bias and
// its maximum are done on the sums.
// CHECK-LABEL: graph.func @rows_of_windows
// CHECK: graph.windows %x {windows = #tsr.windows<["B", "2*L + 3"], ["L"], [5], [2], [1], [0]>} : <["B", "2*L + 3", "64"], bf16> to <["B*L", "5", "64"], bf16>
// CHECK: %[[APART:.*]] = graph.reshape %w : <["O", "320"], bf16> to <["O", "5", "64"], bf16>
// CHECK: %[[TURNED:.*]] = graph.transpose %[[APART]] {perm = array<i64: 1, 2, 0>}
// CHECK: %[[W:.*]] = graph.reshape %[[TURNED]] : <["5", "64", "O"], bf16> to <["320", "O"], bf16>
// CHECK: graph.dot %{{.*}}, %[[W]]
graph.func @rows_of_windows(%x: !tsr.tensor<["B", "2*L + 3", "64"], bf16>, %w: !tsr.tensor<["O", "320"], bf16>) -> !tsr.tensor<["B*L", "O"], f32> attributes {
    dims = ["B", "L", "O"], params = [#tsr.param<"x", in>, #tsr.param<"w", in>], outputs = [#tsr.result<"result", !tsr.tensor<["B*L", "O"], f32>>]} {
  %0 = graph.window 1 %x step 2 dilation 1 : <["B", "2*L + 3", "64"], bf16> to <["B", "5", "L", "64"], bf16>
  %1 = graph.transpose %0 {perm = array<i64: 0, 2, 1, 3>} : <["B", "5", "L", "64"], bf16> to <["B", "L", "5", "64"], bf16>
  %2 = graph.reshape %1 : <["B", "L", "5", "64"], bf16> to <["B*L", "320"], bf16>
  %3 = graph.transpose %w {perm = array<i64: 1, 0>} : <["O", "320"], bf16> to <["320", "O"], bf16>
  %4 = graph.dot %2, %3 : (!tsr.tensor<["B*L", "320"], bf16>, !tsr.tensor<["320", "O"], bf16>) -> !tsr.tensor<["B*L", "O"], f32>
  graph.return %4 : !tsr.tensor<["B*L", "O"], f32>
}

// The derivative by the weights: places of windows and channels are those of the result, and what is added up are the windows of all
// images. Nothing is stored for each image, and the cotangents are read as they lie.
// CHECK-LABEL: graph.func @by_weights
// CHECK: %[[WINDOWS:.*]] = graph.windows %x {windows = #tsr.windows<["N", "L"], ["L"], [3], [1], [1], [1]>} : <["N", "L", "C"], bf16> to <["L*N", "3", "C"], bf16>
// CHECK: %[[TURNED:.*]] = graph.transpose %[[WINDOWS]] {perm = array<i64: 1, 2, 0>} : <["L*N", "3", "C"], bf16> to <["3", "C", "L*N"], bf16>
// CHECK: %[[ROWS:.*]] = graph.reshape %dy : <["N", "L", "O"], bf16> to <["L*N", "O"], bf16>
// CHECK: %[[ALL:.*]] = graph.broadcast %[[ROWS]] {axes = array<i64: 1, 2>} : <["L*N", "O"], bf16> to <["3", "L*N", "O"], bf16>
// CHECK: %[[D:.*]] = graph.dot %[[TURNED]], %[[ALL]]
// CHECK-SAME: -> !tsr.tensor<["3", "C", "O"], f32>
// CHECK-NOT: graph.reduce
// CHECK: graph.return
graph.func @by_weights(%x: !tsr.tensor<["N", "L", "C"], bf16>, %dy: !tsr.tensor<["N", "L", "O"], bf16>) -> !tsr.tensor<["O", "3*C"], f32> attributes {
    dims = ["N", "L", "C", "O"], params = [#tsr.param<"x", in>, #tsr.param<"dy", in>], outputs = [#tsr.result<"result", !tsr.tensor<["O", "3*C"], f32>>]} {
  %zero = graph.constant 0.000000e+00 : bf16
  %0 = graph.full %zero : bf16 to <["N", "1", "C"], bf16>
  %1 = graph.concat 1 %0, %x, %0 : (!tsr.tensor<["N", "1", "C"], bf16>, !tsr.tensor<["N", "L", "C"], bf16>, !tsr.tensor<["N", "1", "C"], bf16>) -> !tsr.tensor<["N", "L + 2", "C"], bf16>
  %2 = graph.window 1 %1 step 1 dilation 1 : <["N", "L + 2", "C"], bf16> to <["N", "3", "L", "C"], bf16>
  %3 = graph.transpose %2 {perm = array<i64: 0, 2, 3, 1>} : <["N", "3", "L", "C"], bf16> to <["N", "L", "C", "3"], bf16>
  %4 = graph.reshape %3 : <["N", "L", "C", "3"], bf16> to <["N", "L", "3*C"], bf16>
  %5 = graph.transpose %dy {perm = array<i64: 0, 2, 1>} : <["N", "L", "O"], bf16> to <["N", "O", "L"], bf16>
  %6 = graph.dot %5, %4 : (!tsr.tensor<["N", "O", "L"], bf16>, !tsr.tensor<["N", "L", "3*C"], bf16>) -> !tsr.tensor<["N", "O", "3*C"], f32>
  %7 = graph.reduce "sum" %6 {axes = array<i64: 0>} : <["N", "O", "3*C"], f32> to !tsr.tensor<["O", "3*C"], f32>
  graph.return %7 : !tsr.tensor<["O", "3*C"], f32>
}

// The same where the sum of the images is read turned, as in the derivative of a derivative.
// CHECK-LABEL: graph.func @by_weights_turned
// CHECK: graph.windows %x
// CHECK: graph.dot
// CHECK-SAME: -> !tsr.tensor<["3", "C", "O"], f32>
// CHECK: graph.transpose %{{.*}} : <["3", "C", "O"], f32> to <["C", "3", "O"], f32>
// CHECK-NOT: graph.reduce
// CHECK: graph.return
graph.func @by_weights_turned(%x: !tsr.tensor<["N", "L", "C"], bf16>, %dy: !tsr.tensor<["N", "L", "O"], bf16>) -> !tsr.tensor<["3*C", "O"], f32> attributes {
    dims = ["N", "L", "C", "O"], params = [#tsr.param<"x", in>, #tsr.param<"dy", in>], outputs = [#tsr.result<"result", !tsr.tensor<["3*C", "O"], f32>>]} {
  %zero = graph.constant 0.000000e+00 : bf16
  %0 = graph.full %zero : bf16 to <["N", "1", "C"], bf16>
  %1 = graph.concat 1 %0, %x, %0 : (!tsr.tensor<["N", "1", "C"], bf16>, !tsr.tensor<["N", "L", "C"], bf16>, !tsr.tensor<["N", "1", "C"], bf16>) -> !tsr.tensor<["N", "L + 2", "C"], bf16>
  %2 = graph.window 1 %1 step 1 dilation 1 : <["N", "L + 2", "C"], bf16> to <["N", "3", "L", "C"], bf16>
  %3 = graph.transpose %2 {perm = array<i64: 0, 2, 3, 1>} : <["N", "3", "L", "C"], bf16> to <["N", "L", "C", "3"], bf16>
  %4 = graph.reshape %3 : <["N", "L", "C", "3"], bf16> to <["N", "L", "3*C"], bf16>
  %5 = graph.transpose %dy {perm = array<i64: 0, 2, 1>} : <["N", "L", "O"], bf16> to <["N", "O", "L"], bf16>
  %6 = graph.dot %5, %4 : (!tsr.tensor<["N", "O", "L"], bf16>, !tsr.tensor<["N", "L", "3*C"], bf16>) -> !tsr.tensor<["N", "O", "3*C"], f32>
  %t = graph.transpose %6 {perm = array<i64: 0, 2, 1>} : <["N", "O", "3*C"], f32> to <["N", "3*C", "O"], f32>
  %7 = graph.reduce "sum" %t {axes = array<i64: 0>} : <["N", "3*C", "O"], f32> to !tsr.tensor<["3*C", "O"], f32>
  graph.return %7 : !tsr.tensor<["3*C", "O"], f32>
}

// Three channels would be multiplied with zeros, and f32 has no instruction. What has something else than zeros around it is put together first.
// CHECK-LABEL: graph.func @few_channels
// CHECK-NOT: graph.windows
// CHECK-LABEL: graph.func @wide
// CHECK-NOT: graph.windows
// CHECK-LABEL: graph.func @ones_around
// CHECK: %[[PADDED:.*]] = graph.concat 0
// CHECK: %[[ONE:.*]] = graph.reshape %[[PADDED]] : <["L + 2", "64"], bf16> to <["1", "L + 2", "64"], bf16>
// CHECK: graph.windows %[[ONE]]
graph.func @few_channels(%x: !tsr.tensor<["L + 4", "3"], bf16>, %w: !tsr.tensor<["15", "O"], bf16>) -> !tsr.tensor<["L", "O"], f32> attributes {
    dims = ["L", "O"], params = [#tsr.param<"x", in>, #tsr.param<"w", in>], outputs = [#tsr.result<"result", !tsr.tensor<["L", "O"], f32>>]} {
  %0 = graph.window 0 %x step 1 dilation 1 : <["L + 4", "3"], bf16> to <["5", "L", "3"], bf16>
  %1 = graph.transpose %0 {perm = array<i64: 1, 0, 2>} : <["5", "L", "3"], bf16> to <["L", "5", "3"], bf16>
  %2 = graph.reshape %1 : <["L", "5", "3"], bf16> to <["L", "15"], bf16>
  %3 = graph.dot %2, %w : (!tsr.tensor<["L", "15"], bf16>, !tsr.tensor<["15", "O"], bf16>) -> !tsr.tensor<["L", "O"], f32>
  graph.return %3 : !tsr.tensor<["L", "O"], f32>
}
graph.func @wide(%x: !tsr.tensor<["L + 4", "64"], f32>, %w: !tsr.tensor<["320", "O"], f32>) -> !tsr.tensor<["L", "O"], f32> attributes {
    dims = ["L", "O"], params = [#tsr.param<"x", in>, #tsr.param<"w", in>], outputs = [#tsr.result<"result", !tsr.tensor<["L", "O"], f32>>]} {
  %0 = graph.window 0 %x step 1 dilation 1 : <["L + 4", "64"], f32> to <["5", "L", "64"], f32>
  %1 = graph.transpose %0 {perm = array<i64: 1, 0, 2>} : <["5", "L", "64"], f32> to <["L", "5", "64"], f32>
  %2 = graph.reshape %1 : <["L", "5", "64"], f32> to <["L", "320"], f32>
  %3 = graph.dot %2, %w : (!tsr.tensor<["L", "320"], f32>, !tsr.tensor<["320", "O"], f32>) -> !tsr.tensor<["L", "O"], f32>
  graph.return %3 : !tsr.tensor<["L", "O"], f32>
}
graph.func @ones_around(%x: !tsr.tensor<["L", "64"], bf16>, %w: !tsr.tensor<["192", "O"], bf16>) -> !tsr.tensor<["L", "O"], f32> attributes {
    dims = ["L", "O"], params = [#tsr.param<"x", in>, #tsr.param<"w", in>], outputs = [#tsr.result<"result", !tsr.tensor<["L", "O"], f32>>]} {
  %one = graph.constant 1.0 : bf16
  %ones = graph.full %one : bf16 to <["1", "64"], bf16>
  %padded = graph.concat 0 %ones, %x, %ones : (!tsr.tensor<["1", "64"], bf16>, !tsr.tensor<["L", "64"], bf16>, !tsr.tensor<["1", "64"], bf16>) -> !tsr.tensor<["L + 2", "64"], bf16>
  %0 = graph.window 0 %padded step 1 dilation 1 : <["L + 2", "64"], bf16> to <["3", "L", "64"], bf16>
  %1 = graph.transpose %0 {perm = array<i64: 1, 0, 2>} : <["3", "L", "64"], bf16> to <["L", "3", "64"], bf16>
  %2 = graph.reshape %1 : <["L", "3", "64"], bf16> to <["L", "192"], bf16>
  %3 = graph.dot %2, %w : (!tsr.tensor<["L", "192"], bf16>, !tsr.tensor<["192", "O"], bf16>) -> !tsr.tensor<["L", "O"], f32>
  graph.return %3 : !tsr.tensor<["L", "O"], f32>
}

// Pixels that are there twice are no sums over axes: windows see the array in which they are.
// CHECK-LABEL: graph.func @repeated
// CHECK: %[[TWICE:.*]] = graph.reshape %{{.*}} : <["N", "L", "2", "C"], bf16> to <["N", "2*L", "C"], bf16>
// CHECK: graph.windows %[[TWICE]] {windows = #tsr.windows<["N", "2*L"], ["2*L - 2"], [3], [1], [1], [0]>}
graph.func @repeated(%x: !tsr.tensor<["N", "L", "C"], bf16>, %w: !tsr.tensor<["O", "3*C"], bf16>) -> !tsr.tensor<["N", "O", "2*L - 2"], f32> attributes {
    dims = ["N", "L", "C", "O"], params = [#tsr.param<"x", in>, #tsr.param<"w", in>], outputs = [#tsr.result<"result", !tsr.tensor<["N", "O", "2*L - 2"], f32>>]} {
  %0 = graph.broadcast %x {axes = array<i64: 0, 1, 3>} : <["N", "L", "C"], bf16> to <["N", "L", "2", "C"], bf16>
  %1 = graph.reshape %0 : <["N", "L", "2", "C"], bf16> to <["N", "2*L", "C"], bf16>
  %2 = graph.transpose %1 {perm = array<i64: 0, 2, 1>} : <["N", "2*L", "C"], bf16> to <["N", "C", "2*L"], bf16>
  %3 = graph.window 2 %2 step 1 dilation 1 : <["N", "C", "2*L"], bf16> to <["N", "C", "3", "2*L - 2"], bf16>
  %4 = graph.reshape %3 : <["N", "C", "3", "2*L - 2"], bf16> to <["N", "3*C", "2*L - 2"], bf16>
  %5 = graph.broadcast %w {axes = array<i64: 1, 2>} : <["O", "3*C"], bf16> to <["N", "O", "3*C"], bf16>
  %6 = graph.dot %5, %4 : (!tsr.tensor<["N", "O", "3*C"], bf16>, !tsr.tensor<["N", "3*C", "2*L - 2"], bf16>) -> !tsr.tensor<["N", "O", "2*L - 2"], f32>
  graph.return %6 : !tsr.tensor<["N", "O", "2*L - 2"], f32>
}

// A bias for each channel, with axes of one element behind it, is added before the axes of the product are put into their order.
// CHECK-LABEL: graph.func @with_bias
// CHECK: %[[P:.*]] = graph.dot
// CHECK: %[[APART:.*]] = graph.reshape %[[P]] : <["L*N", "O"], f32> to <["N", "L", "O"], f32>
// CHECK: %[[B:.*]] = graph.reshape %{{.*}} : <["O", "1"], f32> to <["O"], f32>
// CHECK: %[[ALL:.*]] = graph.broadcast %[[B]] {axes = array<i64: 2>} : <["O"], f32> to <["N", "L", "O"], f32>
// CHECK: %[[SUM:.*]] = graph.elementwise "add" %[[APART]], %[[ALL]]
// CHECK: graph.transpose %[[SUM]] {perm = array<i64: 0, 2, 1>}
graph.func @with_bias(%x: !tsr.tensor<["N", "L + 2", "C"], bf16>, %w: !tsr.tensor<["O", "3*C"], bf16>, %b: !tsr.tensor<["O", "1"], f32>) -> !tsr.tensor<["N", "O", "L"], f32> attributes {
    dims = ["N", "L", "C", "O"], params = [#tsr.param<"x", in>, #tsr.param<"w", in>, #tsr.param<"b", in>], outputs = [#tsr.result<"result", !tsr.tensor<["N", "O", "L"], f32>>]} {
  %0 = graph.transpose %x {perm = array<i64: 0, 2, 1>} : <["N", "L + 2", "C"], bf16> to <["N", "C", "L + 2"], bf16>
  %1 = graph.window 2 %0 step 1 dilation 1 : <["N", "C", "L + 2"], bf16> to <["N", "C", "3", "L"], bf16>
  %2 = graph.reshape %1 : <["N", "C", "3", "L"], bf16> to <["N", "3*C", "L"], bf16>
  %3 = graph.broadcast %w {axes = array<i64: 1, 2>} : <["O", "3*C"], bf16> to <["N", "O", "3*C"], bf16>
  %4 = graph.dot %3, %2 : (!tsr.tensor<["N", "O", "3*C"], bf16>, !tsr.tensor<["N", "3*C", "L"], bf16>) -> !tsr.tensor<["N", "O", "L"], f32>
  %5 = graph.broadcast %b {axes = array<i64: 1, 2>} : <["O", "1"], f32> to <["N", "O", "L"], f32>
  %6 = graph.elementwise "add" %4, %5 : !tsr.tensor<["N", "O", "L"], f32>
  graph.return %6 : !tsr.tensor<["N", "O", "L"], f32>
}

// Windows over three axes.
// CHECK-LABEL: graph.func @volumes
// CHECK: graph.windows %{{.*}} {windows = #tsr.windows<["1", "D + 1", "H + 1", "W + 1"], ["D", "H", "W"], [2, 2, 2], [1, 1, 1], [1, 1, 1], [0, 0, 0]>}
graph.func @volumes(%x: !tsr.tensor<["D + 1", "H + 1", "W + 1", "C"], bf16>, %w: !tsr.tensor<["8*C", "O"], bf16>) -> !tsr.tensor<["D*H*W", "O"], f32> attributes {
    dims = ["D", "H", "W", "C", "O"], params = [#tsr.param<"x", in>, #tsr.param<"w", in>], outputs = [#tsr.result<"result", !tsr.tensor<["D*H*W", "O"], f32>>]} {
  %0 = graph.window 0 %x step 1 dilation 1 : <["D + 1", "H + 1", "W + 1", "C"], bf16> to <["2", "D", "H + 1", "W + 1", "C"], bf16>
  %1 = graph.window 2 %0 step 1 dilation 1 : <["2", "D", "H + 1", "W + 1", "C"], bf16> to <["2", "D", "2", "H", "W + 1", "C"], bf16>
  %2 = graph.window 4 %1 step 1 dilation 1 : <["2", "D", "2", "H", "W + 1", "C"], bf16> to <["2", "D", "2", "H", "2", "W", "C"], bf16>
  %3 = graph.transpose %2 {perm = array<i64: 1, 3, 5, 0, 2, 4, 6>} : <["2", "D", "2", "H", "2", "W", "C"], bf16> to <["D", "H", "W", "2", "2", "2", "C"], bf16>
  %4 = graph.reshape %3 : <["D", "H", "W", "2", "2", "2", "C"], bf16> to <["D*H*W", "8*C"], bf16>
  %5 = graph.dot %4, %w : (!tsr.tensor<["D*H*W", "8*C"], bf16>, !tsr.tensor<["8*C", "O"], bf16>) -> !tsr.tensor<["D*H*W", "O"], f32>
  graph.return %5 : !tsr.tensor<["D*H*W", "O"], f32>
}

// Channels in groups, which an axis of the batch counts: one product of all channels, whose columns are in blocks. The weights of all groups
// stand side by side.
// CHECK-LABEL: graph.func @in_groups
// CHECK: %[[WINDOWS:.*]] = graph.windows %x {{.*}} to <["L*N", "3", "128"], bf16>
// CHECK: %[[LEFT:.*]] = graph.reshape %[[WINDOWS]] : <["L*N", "3", "128"], bf16> to <["L*N", "384"], bf16>
// CHECK: %[[APART:.*]] = graph.reshape %w : <["128", "16", "3"], bf16> to <["8", "16", "16", "3"], bf16>
// CHECK: %[[TURNED:.*]] = graph.transpose %[[APART]] {perm = array<i64: 3, 2, 0, 1>}
// CHECK: %[[RIGHT:.*]] = graph.reshape %[[TURNED]] : <["3", "16", "8", "16"], bf16> to <["48", "128"], bf16>
// CHECK: %[[D:.*]] = graph.dot %[[LEFT]], %[[RIGHT]] {tsr.blocks = 16 : i64}
// CHECK: %[[CUT:.*]] = graph.reshape %[[D]] : <["L*N", "128"], f32> to <["N", "L", "128"], f32>
// CHECK: %[[R:.*]] = graph.cast %[[CUT]]
// CHECK-NEXT: graph.return %[[R]]
graph.func @in_groups(%x: !tsr.tensor<["N", "L", "128"], bf16>, %w: !tsr.tensor<["128", "16", "3"], bf16>) -> !tsr.tensor<["N", "L", "128"], bf16> attributes {
    dims = ["N", "L"], params = [#tsr.param<"x", in>, #tsr.param<"w", in>],
    outputs = [#tsr.result<"result", !tsr.tensor<["N", "L", "128"], bf16>>]} {
  %0 = graph.reshape %w : <["128", "16", "3"], bf16> to <["1", "8", "16", "48"], bf16>
  %1 = graph.broadcast %0 {axes = array<i64: 0, 1, 2, 3>} : <["1", "8", "16", "48"], bf16> to <["N", "8", "16", "48"], bf16>
  %2 = graph.constant 0.000000e+00 : bf16
  %3 = graph.full %2 : bf16 to <["N", "128", "1"], bf16>
  %4 = graph.transpose %x {perm = array<i64: 0, 2, 1>} : <["N", "L", "128"], bf16> to <["N", "128", "L"], bf16>
  %5 = graph.constant 0.000000e+00 : bf16
  %6 = graph.full %5 : bf16 to <["N", "128", "1"], bf16>
  %7 = graph.concat 2 %3, %4, %6 : (!tsr.tensor<["N", "128", "1"], bf16>, !tsr.tensor<["N", "128", "L"], bf16>, !tsr.tensor<["N", "128", "1"], bf16>) -> !tsr.tensor<["N", "128", "L + 2"], bf16>
  %8 = graph.reshape %7 : <["N", "128", "L + 2"], bf16> to <["N", "8", "16", "L + 2"], bf16>
  %9 = graph.window 3 %8 step 1 dilation 1 : <["N", "8", "16", "L + 2"], bf16> to <["N", "8", "16", "3", "L"], bf16>
  %10 = graph.transpose %9 {perm = array<i64: 0, 1, 2, 3, 4>} : <["N", "8", "16", "3", "L"], bf16> to <["N", "8", "16", "3", "L"], bf16>
  %11 = graph.reshape %10 : <["N", "8", "16", "3", "L"], bf16> to <["N", "8", "48", "L"], bf16>
  %12 = graph.dot %1, %11 : (!tsr.tensor<["N", "8", "16", "48"], bf16>, !tsr.tensor<["N", "8", "48", "L"], bf16>) -> !tsr.tensor<["N", "8", "16", "L"], f32>
  %13 = graph.reshape %12 : <["N", "8", "16", "L"], f32> to <["N", "128", "L"], f32>
  %14 = graph.transpose %13 {perm = array<i64: 0, 2, 1>} : <["N", "128", "L"], f32> to <["N", "L", "128"], f32>
  %15 = graph.cast %14 : !tsr.tensor<["N", "L", "128"], f32> to !tsr.tensor<["N", "L", "128"], bf16>
  graph.return %15 : !tsr.tensor<["N", "L", "128"], bf16>
}

// Their derivative by the weights: panels of 64 channels times the same panels of the cotangents, of which a group takes its own.
// CHECK-LABEL: graph.func @in_groups_by_weights
// CHECK: %[[WINDOWS:.*]] = graph.windows %x {{.*}} to <["L*N", "3", "128"], bf16>
// CHECK: %[[TURNED:.*]] = graph.transpose %[[WINDOWS]] {perm = array<i64: 1, 2, 0>}
// CHECK: %[[GIVEN:.*]] = graph.broadcast %{{.*}} {axes = array<i64: 1, 2>} : <["L*N", "128"], bf16> to <["3", "L*N", "128"], bf16>
// CHECK: %[[D:.*]] = graph.dot %[[TURNED]], %[[GIVEN]] {tsr.panels = 64 : i64} : {{.*}} -> !tsr.tensor<["3", "128", "64"], f32>
// CHECK: %[[CUT:.*]] = graph.reshape %[[D]] : <["3", "128", "64"], f32> to <["3", "2", "4", "16", "4", "16"], f32>
// CHECK: graph.gather 4 %[[CUT]] at %{{.*}} {axes = array<i64: 2, 4>}
// CHECK-NOT: graph.reduce
// CHECK: graph.return
graph.func @in_groups_by_weights(%x: !tsr.tensor<["N", "L", "128"], bf16>, %w: !tsr.tensor<["128", "16", "3"], bf16>, %dy: !tsr.tensor<["N", "L", "128"], bf16>) -> !tsr.tensor<["128", "16", "3"], bf16> attributes {
    dims = ["N", "L"], params = [#tsr.param<"x", in>, #tsr.param<"w", in>, #tsr.param<"dy", in>],
    outputs = [#tsr.result<"result", !tsr.tensor<["128", "16", "3"], bf16>>]} {
  %0 = graph.transpose %x {perm = array<i64: 0, 2, 1>} : <["N", "L", "128"], bf16> to <["N", "128", "L"], bf16>
  %1 = graph.constant 0.000000e+00 : bf16
  %2 = graph.full %1 : bf16 to <["N", "128", "1"], bf16>
  %3 = graph.constant 0.000000e+00 : bf16
  %4 = graph.full %3 : bf16 to <["N", "128", "1"], bf16>
  %5 = graph.concat 2 %2, %0, %4 : (!tsr.tensor<["N", "128", "1"], bf16>, !tsr.tensor<["N", "128", "L"], bf16>, !tsr.tensor<["N", "128", "1"], bf16>) -> !tsr.tensor<["N", "128", "L + 2"], bf16>
  %6 = graph.reshape %5 : <["N", "128", "L + 2"], bf16> to <["N", "8", "16", "L + 2"], bf16>
  %7 = graph.window 3 %6 step 1 dilation 1 : <["N", "8", "16", "L + 2"], bf16> to <["N", "8", "16", "3", "L"], bf16>
  %8 = graph.transpose %7 {perm = array<i64: 0, 1, 2, 3, 4>} : <["N", "8", "16", "3", "L"], bf16> to <["N", "8", "16", "3", "L"], bf16>
  %9 = graph.reshape %8 : <["N", "8", "16", "3", "L"], bf16> to <["N", "8", "48", "L"], bf16>
  %10 = graph.cast %dy : !tsr.tensor<["N", "L", "128"], bf16> to !tsr.tensor<["N", "L", "128"], f32>
  %11 = graph.transpose %10 {perm = array<i64: 0, 2, 1>} : <["N", "L", "128"], f32> to <["N", "128", "L"], f32>
  %12 = graph.reshape %11 : <["N", "128", "L"], f32> to <["N", "8", "16", "L"], f32>
  %13 = graph.cast %12 : !tsr.tensor<["N", "8", "16", "L"], f32> to !tsr.tensor<["N", "8", "16", "L"], bf16>
  %14 = graph.transpose %9 {perm = array<i64: 0, 1, 3, 2>} : <["N", "8", "48", "L"], bf16> to <["N", "8", "L", "48"], bf16>
  %15 = graph.dot %13, %14 : (!tsr.tensor<["N", "8", "16", "L"], bf16>, !tsr.tensor<["N", "8", "L", "48"], bf16>) -> !tsr.tensor<["N", "8", "16", "48"], f32>
  %16 = graph.reduce "sum" %15 {axes = array<i64: 0>} : <["N", "8", "16", "48"], f32> to !tsr.tensor<["8", "16", "48"], f32>
  %17 = graph.reshape %16 : <["8", "16", "48"], f32> to <["1", "8", "16", "48"], f32>
  %dw = graph.reshape %17 : <["1", "8", "16", "48"], f32> to <["128", "16", "3"], f32>
  %dw_0 = graph.cast %dw : !tsr.tensor<["128", "16", "3"], f32> to !tsr.tensor<["128", "16", "3"], bf16>
  graph.return %dw_0 : !tsr.tensor<["128", "16", "3"], bf16>
}

}
