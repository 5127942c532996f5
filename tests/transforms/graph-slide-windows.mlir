// RUN: tessera-opt %s --pass-pipeline='builtin.module(graph.func(graph-slide-windows))' | FileCheck %s

module attributes {tsr.machine = #tsr.machine<"sm_90a">} {

// A depthwise convolution over lines with the channels innermost: each window of a channel is read from the tensor, and no zeros are stored.
// CHECK-LABEL: graph.func @of_lines
// CHECK: %[[W:.*]] = graph.transpose %w {perm = array<i64: 1, 0>} : <["C", "3"], bf16> to <["3", "C"], bf16>
// CHECK: %[[Y:.*]] = graph.slide "sum" %x by %[[W]] {windows = #tsr.windows<["N", "L"], ["L"], [3], [1], [1], [1]>} : (!tsr.tensor<["N", "L", "C"], bf16>, !tsr.tensor<["3", "C"], bf16>) -> !tsr.tensor<["N", "L", "C"], f32>
// CHECK-NEXT: %[[T:.*]] = graph.transpose %[[Y]] {perm = array<i64: 0, 2, 1>}
// CHECK-NEXT: graph.return %[[T]]
graph.func @of_lines(%x: !tsr.tensor<["N", "L", "C"], bf16>, %w: !tsr.tensor<["C", "3"], bf16>) -> !tsr.tensor<["N", "C", "L"], f32> attributes {
    dims = ["N", "C", "L"], params = [#tsr.param<"x", in>, #tsr.param<"w", in>], outputs = [#tsr.result<"result", !tsr.tensor<["N", "C", "L"], f32>>]} {
  %0 = graph.transpose %x {perm = array<i64: 0, 2, 1>} : <["N", "L", "C"], bf16> to <["N", "C", "L"], bf16>
  %zero = graph.constant 0.000000e+00 : bf16
  %1 = graph.full %zero : bf16 to <["N", "C", "1"], bf16>
  %2 = graph.concat 2 %1, %0, %1 : (!tsr.tensor<["N", "C", "1"], bf16>, !tsr.tensor<["N", "C", "L"], bf16>, !tsr.tensor<["N", "C", "1"], bf16>) -> !tsr.tensor<["N", "C", "L + 2"], bf16>
  %3 = graph.window 2 %2 step 1 dilation 1 : <["N", "C", "L + 2"], bf16> to <["N", "C", "3", "L"], bf16>
  %4 = graph.cast %3 : !tsr.tensor<["N", "C", "3", "L"], bf16> to !tsr.tensor<["N", "C", "3", "L"], f32>
  %5 = graph.broadcast %w {axes = array<i64: 1, 2>} : <["C", "3"], bf16> to <["N", "C", "3", "L"], bf16>
  %6 = graph.cast %5 : !tsr.tensor<["N", "C", "3", "L"], bf16> to !tsr.tensor<["N", "C", "3", "L"], f32>
  %7 = graph.elementwise "mul" %4, %6 : !tsr.tensor<["N", "C", "3", "L"], f32>
  %8 = graph.reduce "sum" %7 {axes = array<i64: 2>} : <["N", "C", "3", "L"], f32> to !tsr.tensor<["N", "C", "L"], f32>
  graph.return %8 : !tsr.tensor<["N", "C", "L"], f32>
}

// Its derivatives: by the tensor the weights from the last place to the first, by the weights in parts, which are added up.
// CHECK-LABEL: graph.func @slopes
// CHECK-DAG: %[[DX:.*]] = graph.slide "sum" %dy by %w {reversed, windows = #tsr.windows<["N", "L"], ["L"], [3], [1], [1], [1]>}
// CHECK-DAG: %[[PARTS:.*]] = graph.slide_together %x with %dy {windows = #tsr.windows<["N", "L"], ["L"], [3], [1], [1], [1]>}
// CHECK-DAG: %[[DW:.*]] = graph.reduce "sum" %[[PARTS]] {axes = array<i64: 0>}
// CHECK: graph.return %[[DX]], %[[DW]]
graph.func @slopes(%x: !tsr.tensor<["N", "L", "C"], f32>, %w: !tsr.tensor<["3", "C"], f32>, %dy: !tsr.tensor<["N", "L", "C"], f32>) -> (!tsr.tensor<["N", "L", "C"], f32>, !tsr.tensor<["3", "C"], f32>) attributes {
    dims = ["N", "C", "L"], params = [#tsr.param<"x", in>, #tsr.param<"w", in>, #tsr.param<"dy", in>],
    outputs = [#tsr.result<"dx", !tsr.tensor<["N", "L", "C"], f32>>, #tsr.result<"dw", !tsr.tensor<["3", "C"], f32>>]} {
  %0 = graph.broadcast %dy {axes = array<i64: 0, 2, 3>} : <["N", "L", "C"], f32> to <["N", "3", "L", "C"], f32>
  %1 = graph.broadcast %w {axes = array<i64: 1, 3>} : <["3", "C"], f32> to <["N", "3", "L", "C"], f32>
  %2 = graph.elementwise "mul" %0, %1 : !tsr.tensor<["N", "3", "L", "C"], f32>
  %3 = graph.iota 0 : <["3", "L + 2"], i64>
  %4 = graph.iota 1 : <["3", "L + 2"], i64>
  %5 = graph.elementwise "sub" %4, %3 : !tsr.tensor<["3", "L + 2"], i64>
  %6 = graph.gather 2 %2 at %5 {axes = array<i64: 1, 2>} : (!tsr.tensor<["N", "3", "L", "C"], f32>, !tsr.tensor<["3", "L + 2"], i64>) -> !tsr.tensor<["N", "3", "L + 2", "C"], f32>
  %7 = graph.reduce "sum" %6 {axes = array<i64: 1>} : <["N", "3", "L + 2", "C"], f32> to !tsr.tensor<["N", "L + 2", "C"], f32>
  %none = graph.constant 0 : index
  %one = graph.constant 1 : index
  %8 = graph.slice %7[%none size "N" in_bounds, %one size "L" in_bounds, %none size "C" in_bounds] : <["N", "L + 2", "C"], f32> to !tsr.tensor<["N", "L", "C"], f32>
  %zero = graph.constant 0.000000e+00 : f32
  %9 = graph.full %zero : f32 to <["N", "1", "C"], f32>
  %10 = graph.concat 1 %9, %x, %9 : (!tsr.tensor<["N", "1", "C"], f32>, !tsr.tensor<["N", "L", "C"], f32>, !tsr.tensor<["N", "1", "C"], f32>) -> !tsr.tensor<["N", "L + 2", "C"], f32>
  %11 = graph.window 1 %10 step 1 dilation 1 : <["N", "L + 2", "C"], f32> to <["N", "3", "L", "C"], f32>
  %12 = graph.elementwise "mul" %0, %11 : !tsr.tensor<["N", "3", "L", "C"], f32>
  %13 = graph.reduce "sum" %12 {axes = array<i64: 0, 2>} : <["N", "3", "L", "C"], f32> to !tsr.tensor<["3", "C"], f32>
  graph.return %8, %13 : !tsr.tensor<["N", "L", "C"], f32>, !tsr.tensor<["3", "C"], f32>
}

// The greatest leaves out what is put around as the lowest number. Zeros around are numbers as others; and few places of channels that do
// not lie side by side are read where they lie.
// CHECK-LABEL: graph.func @greatest
// CHECK: graph.slide "max" %x {windows = #tsr.windows<["N", "L"], ["(L // 2) + 1"], [2], [2], [1], [1]>}
// CHECK-LABEL: graph.func @greatest_with_zeros
// CHECK-NOT: graph.slide
// CHECK-LABEL: graph.func @few_places
// CHECK-NOT: graph.slide
graph.func @greatest(%x: !tsr.tensor<["N", "L", "C"], f32>) -> !tsr.tensor<["N", "(L // 2) + 1", "C"], f32> attributes {
    dims = ["N", "C", "L"], params = [#tsr.param<"x", in>], outputs = [#tsr.result<"result", !tsr.tensor<["N", "(L // 2) + 1", "C"], f32>>]} {
  %lowest = graph.constant 0xFF800000 : f32
  %0 = graph.full %lowest : f32 to <["N", "1", "C"], f32>
  %1 = graph.concat 1 %0, %x, %0 : (!tsr.tensor<["N", "1", "C"], f32>, !tsr.tensor<["N", "L", "C"], f32>, !tsr.tensor<["N", "1", "C"], f32>) -> !tsr.tensor<["N", "L + 2", "C"], f32>
  %2 = graph.window 1 %1 step 2 dilation 1 : <["N", "L + 2", "C"], f32> to <["N", "2", "(L // 2) + 1", "C"], f32>
  %3 = graph.reduce "max" %2 {axes = array<i64: 1>} : <["N", "2", "(L // 2) + 1", "C"], f32> to !tsr.tensor<["N", "(L // 2) + 1", "C"], f32>
  graph.return %3 : !tsr.tensor<["N", "(L // 2) + 1", "C"], f32>
}
graph.func @greatest_with_zeros(%x: !tsr.tensor<["N", "L", "C"], f32>) -> !tsr.tensor<["N", "(L // 2) + 1", "C"], f32> attributes {
    dims = ["N", "C", "L"], params = [#tsr.param<"x", in>], outputs = [#tsr.result<"result", !tsr.tensor<["N", "(L // 2) + 1", "C"], f32>>]} {
  %lowest = graph.constant 0.000000e+00 : f32
  %0 = graph.full %lowest : f32 to <["N", "1", "C"], f32>
  %1 = graph.concat 1 %0, %x, %0 : (!tsr.tensor<["N", "1", "C"], f32>, !tsr.tensor<["N", "L", "C"], f32>, !tsr.tensor<["N", "1", "C"], f32>) -> !tsr.tensor<["N", "L + 2", "C"], f32>
  %2 = graph.window 1 %1 step 2 dilation 1 : <["N", "L + 2", "C"], f32> to <["N", "2", "(L // 2) + 1", "C"], f32>
  %3 = graph.reduce "max" %2 {axes = array<i64: 1>} : <["N", "2", "(L // 2) + 1", "C"], f32> to !tsr.tensor<["N", "(L // 2) + 1", "C"], f32>
  graph.return %3 : !tsr.tensor<["N", "(L // 2) + 1", "C"], f32>
}
graph.func @few_places(%x: !tsr.tensor<["N", "C", "L"], f32>) -> !tsr.tensor<["N", "C", "L - 2"], f32> attributes {
    dims = ["N", "C", "L"], params = [#tsr.param<"x", in>], outputs = [#tsr.result<"result", !tsr.tensor<["N", "C", "L - 2"], f32>>]} {
  %0 = graph.window 2 %x step 1 dilation 1 : <["N", "C", "L"], f32> to <["N", "C", "3", "L - 2"], f32>
  %1 = graph.reduce "sum" %0 {axes = array<i64: 2>} : <["N", "C", "3", "L - 2"], f32> to !tsr.tensor<["N", "C", "L - 2"], f32>
  graph.return %1 : !tsr.tensor<["N", "C", "L - 2"], f32>
}

// The derivative of windows two apart sees zeros between the elements.
// CHECK-LABEL: graph.func @two_apart
// CHECK: graph.slide "sum" %dy by %w {apart = array<i64: 2>, reversed, windows = #tsr.windows<["N", "L"], ["2*L + 1"], [3], [1], [1], [2]>}
graph.func @two_apart(%w: !tsr.tensor<["3", "C"], f32>, %dy: !tsr.tensor<["N", "L", "C"], f32>) -> !tsr.tensor<["N", "2*L + 1", "C"], f32> attributes {
    dims = ["N", "C", "L"], params = [#tsr.param<"w", in>, #tsr.param<"dy", in>], outputs = [#tsr.result<"dx", !tsr.tensor<["N", "2*L + 1", "C"], f32>>]} {
  %0 = graph.broadcast %dy {axes = array<i64: 0, 2, 3>} : <["N", "L", "C"], f32> to <["N", "3", "L", "C"], f32>
  %1 = graph.broadcast %w {axes = array<i64: 1, 3>} : <["3", "C"], f32> to <["N", "3", "L", "C"], f32>
  %2 = graph.elementwise "mul" %0, %1 : !tsr.tensor<["N", "3", "L", "C"], f32>
  %from = graph.iota 0 : <["3", "2*L + 1"], i64>
  %to = graph.iota 1 : <["3", "2*L + 1"], i64>
  %between = graph.elementwise "sub" %to, %from : !tsr.tensor<["3", "2*L + 1"], i64>
  %two = graph.constant 2 : i64
  %twos = graph.full %two : i64 to <["3", "2*L + 1"], i64>
  %nought = graph.constant 0 : i64
  %noughts = graph.full %nought : i64 to <["3", "2*L + 1"], i64>
  %minus = graph.constant -1 : i64
  %nowhere = graph.full %minus : i64 to <["3", "2*L + 1"], i64>
  %rest = graph.elementwise "mod" %between, %twos : !tsr.tensor<["3", "2*L + 1"], i64>
  %divides = graph.elementwise "eq" %rest, %noughts : !tsr.tensor<["3", "2*L + 1"], i64>
  %half = graph.elementwise "floordiv" %between, %twos : !tsr.tensor<["3", "2*L + 1"], i64>
  %at = graph.elementwise "select" %divides, %half, %nowhere : !tsr.tensor<["3", "2*L + 1"], i64>
  %3 = graph.gather 2 %2 at %at {axes = array<i64: 1, 2>} : (!tsr.tensor<["N", "3", "L", "C"], f32>, !tsr.tensor<["3", "2*L + 1"], i64>) -> !tsr.tensor<["N", "3", "2*L + 1", "C"], f32>
  %4 = graph.reduce "sum" %3 {axes = array<i64: 1>} : <["N", "3", "2*L + 1", "C"], f32> to !tsr.tensor<["N", "2*L + 1", "C"], f32>
  graph.return %4 : !tsr.tensor<["N", "2*L + 1", "C"], f32>
}

// The derivative of the greatest: what windows give to those elements that are as great. And how many of a window are.
// CHECK-LABEL: graph.func @equals
// CHECK-DAG: graph.slide "sum" %dy where %y is %x {apart = array<i64: 2>, windows = #tsr.windows<["N", "L"], ["2*L + 1"], [3], [1], [1], [2]>}
// CHECK-DAG: graph.slide "sum" %x is %y {windows = #tsr.windows<["N", "2*L + 1"], ["L"], [3], [2], [1], [0]>}
graph.func @equals(%x: !tsr.tensor<["N", "2*L + 1", "C"], f32>, %y: !tsr.tensor<["N", "L", "C"], f32>, %dy: !tsr.tensor<["N", "L", "C"], f32>) -> (!tsr.tensor<["N", "2*L + 1", "C"], f32>, !tsr.tensor<["N", "L", "C"], f32>) attributes {
    dims = ["N", "C", "L"], params = [#tsr.param<"x", in>, #tsr.param<"y", in>, #tsr.param<"dy", in>],
    outputs = [#tsr.result<"dx", !tsr.tensor<["N", "2*L + 1", "C"], f32>>, #tsr.result<"count", !tsr.tensor<["N", "L", "C"], f32>>]} {
  %0 = graph.window 1 %x step 2 dilation 1 : <["N", "2*L + 1", "C"], f32> to <["N", "3", "L", "C"], f32>
  %1 = graph.broadcast %y {axes = array<i64: 0, 2, 3>} : <["N", "L", "C"], f32> to <["N", "3", "L", "C"], f32>
  %2 = graph.elementwise "eq" %0, %1 : !tsr.tensor<["N", "3", "L", "C"], f32>
  %3 = graph.broadcast %dy {axes = array<i64: 0, 2, 3>} : <["N", "L", "C"], f32> to <["N", "3", "L", "C"], f32>
  %zero = graph.constant 0.000000e+00 : f32
  %zeros = graph.full %zero : f32 to <["N", "3", "L", "C"], f32>
  %4 = graph.elementwise "select" %2, %3, %zeros : !tsr.tensor<["N", "3", "L", "C"], f32>
  %from = graph.iota 0 : <["3", "2*L + 1"], i64>
  %to = graph.iota 1 : <["3", "2*L + 1"], i64>
  %between = graph.elementwise "sub" %to, %from : !tsr.tensor<["3", "2*L + 1"], i64>
  %two = graph.constant 2 : i64
  %twos = graph.full %two : i64 to <["3", "2*L + 1"], i64>
  %nought = graph.constant 0 : i64
  %noughts = graph.full %nought : i64 to <["3", "2*L + 1"], i64>
  %minus = graph.constant -1 : i64
  %nowhere = graph.full %minus : i64 to <["3", "2*L + 1"], i64>
  %rest = graph.elementwise "mod" %between, %twos : !tsr.tensor<["3", "2*L + 1"], i64>
  %divides = graph.elementwise "eq" %rest, %noughts : !tsr.tensor<["3", "2*L + 1"], i64>
  %half = graph.elementwise "floordiv" %between, %twos : !tsr.tensor<["3", "2*L + 1"], i64>
  %at = graph.elementwise "select" %divides, %half, %nowhere : !tsr.tensor<["3", "2*L + 1"], i64>
  %5 = graph.gather 2 %4 at %at {axes = array<i64: 1, 2>} : (!tsr.tensor<["N", "3", "L", "C"], f32>, !tsr.tensor<["3", "2*L + 1"], i64>) -> !tsr.tensor<["N", "3", "2*L + 1", "C"], f32>
  %6 = graph.reduce "sum" %5 {axes = array<i64: 1>} : <["N", "3", "2*L + 1", "C"], f32> to !tsr.tensor<["N", "2*L + 1", "C"], f32>
  %one = graph.constant 1.000000e+00 : f32
  %ones = graph.full %one : f32 to <["N", "3", "L", "C"], f32>
  %7 = graph.elementwise "select" %2, %ones, %zeros : !tsr.tensor<["N", "3", "L", "C"], f32>
  %8 = graph.reduce "sum" %7 {axes = array<i64: 1>} : <["N", "3", "L", "C"], f32> to !tsr.tensor<["N", "L", "C"], f32>
  graph.return %6, %8 : !tsr.tensor<["N", "2*L + 1", "C"], f32>, !tsr.tensor<["N", "L", "C"], f32>
}

}
