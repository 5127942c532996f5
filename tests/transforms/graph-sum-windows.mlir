// RUN: tessera-opt %s --pass-pipeline='builtin.module(graph.func(graph-sum-windows))' | FileCheck %s

module attributes {tsr.machine = #tsr.machine<"sm_90a">} {

// The derivative of a convolution over lines by its tensor: what three places of a window gave to an element is added up. It is a product of
// windows over the cotangents with zeros around them, with the weights from the last place to the first.
// CHECK-LABEL: graph.func @of_lines
// CHECK: %[[APART:.*]] = graph.reshape %w : <["3*C", "O"], bf16> to <["C", "3", "O"], bf16>
// CHECK: %[[COUNT:.*]] = graph.iota 0 : <["3"], i64>
// CHECK: %[[LAST:.*]] = graph.constant 2 : i64
// CHECK: %[[FROM:.*]] = graph.full %[[LAST]]
// CHECK: %[[AT:.*]] = graph.elementwise "sub" %[[FROM]], %[[COUNT]]
// CHECK: %[[BACK:.*]] = graph.gather 1 %[[APART]] at %[[AT]] {axes = array<i64: 1>}
// CHECK: %[[W:.*]] = graph.reshape %[[BACK]] : <["C", "3", "O"], bf16> to <["C", "3*O"], bf16>
// CHECK: %[[ALL:.*]] = graph.broadcast %[[W]] {axes = array<i64: 1, 2>} : <["C", "3*O"], bf16> to <["N", "C", "3*O"], bf16>
// CHECK: %[[ZEROS:.*]] = graph.full %{{.*}} : bf16 to <["N", "O", "1"], bf16>
// CHECK: %[[PADDED:.*]] = graph.concat 2 %[[ZEROS]], %dy, %{{.*}} -> !tsr.tensor<["N", "O", "L + 2"], bf16>
// CHECK: %[[SEEN:.*]] = graph.window 2 %[[PADDED]] step 1 dilation 1 : <["N", "O", "L + 2"], bf16> to <["N", "O", "3", "L"], bf16>
// CHECK: %[[PLACES:.*]] = graph.transpose %[[SEEN]] {perm = array<i64: 0, 2, 1, 3>}
// CHECK: %[[WINDOWS:.*]] = graph.reshape %[[PLACES]] : <["N", "3", "O", "L"], bf16> to <["N", "3*O", "L"], bf16>
// CHECK: %[[DX:.*]] = graph.dot %[[ALL]], %[[WINDOWS]]
// CHECK-NEXT: graph.return %[[DX]]
graph.func @of_lines(%w: !tsr.tensor<["3*C", "O"], bf16>, %dy: !tsr.tensor<["N", "O", "L"], bf16>) -> !tsr.tensor<["N", "C", "L"], f32> attributes {
    dims = ["N", "C", "O", "L"], params = [#tsr.param<"w", in>, #tsr.param<"dy", in>], outputs = [#tsr.result<"result", !tsr.tensor<["N", "C", "L"], f32>>]} {
  %0 = graph.broadcast %w {axes = array<i64: 1, 2>} : <["3*C", "O"], bf16> to <["N", "3*C", "O"], bf16>
  %1 = graph.dot %0, %dy : (!tsr.tensor<["N", "3*C", "O"], bf16>, !tsr.tensor<["N", "O", "L"], bf16>) -> !tsr.tensor<["N", "3*C", "L"], f32>
  %2 = graph.reshape %1 : <["N", "3*C", "L"], f32> to <["N", "C", "3", "L"], f32>
  %3 = graph.iota 0 : <["3", "L + 2"], i32>
  %4 = graph.iota 1 : <["3", "L + 2"], i32>
  %5 = graph.elementwise "sub" %4, %3 : !tsr.tensor<["3", "L + 2"], i32>
  %6 = graph.cast %5 : !tsr.tensor<["3", "L + 2"], i32> to !tsr.tensor<["3", "L + 2"], i64>
  %7 = graph.gather 3 %2 at %6 {axes = array<i64: 2, 3>} : (!tsr.tensor<["N", "C", "3", "L"], f32>, !tsr.tensor<["3", "L + 2"], i64>) -> !tsr.tensor<["N", "C", "3", "L + 2"], f32>
  %8 = graph.reduce "sum" %7 {axes = array<i64: 2>} : <["N", "C", "3", "L + 2"], f32> to !tsr.tensor<["N", "C", "L + 2"], f32>
  %zero = graph.constant 0 : index
  %one = graph.constant 1 : index
  %9 = graph.slice %8[%zero size "N" in_bounds, %zero size "C" in_bounds, %one size "L" in_bounds] : <["N", "C", "L + 2"], f32> to !tsr.tensor<["N", "C", "L"], f32>
  graph.return %9 : !tsr.tensor<["N", "C", "L"], f32>
}

// Of four places two apart: even elements see two of them, odd ones the others. The windows are the same for both, which are columns of one product.
// CHECK-LABEL: graph.func @as_columns
// CHECK: %[[COUNT:.*]] = graph.iota 0 : <["4"], i64>
// CHECK: %[[ODD:.*]] = graph.elementwise "mod" %[[COUNT]]
// CHECK: %[[EVEN:.*]] = graph.elementwise "sub" %[[COUNT]], %[[ODD]]
// CHECK: %[[BACK:.*]] = graph.elementwise "sub" %{{.*}}, %[[EVEN]]
// CHECK: %[[AT:.*]] = graph.elementwise "add" %[[BACK]], %[[ODD]]
// CHECK: %[[TAKEN:.*]] = graph.gather 1 %{{.*}} at %[[AT]] {{.*}} -> !tsr.tensor<["C", "4", "O"], bf16>
// CHECK: %[[CUT:.*]] = graph.reshape %[[TAKEN]] : <["C", "4", "O"], bf16> to <["C", "2", "2", "O"], bf16>
// CHECK: %[[TURNED:.*]] = graph.transpose %[[CUT]] {perm = array<i64: 2, 0, 1, 3>}
// CHECK: graph.reshape %[[TURNED]] : <["2", "C", "2", "O"], bf16> to <["2*C", "2*O"], bf16>
// CHECK: graph.window 2 %{{.*}} step 1 dilation 1 : <["N", "O", "L + 2"], bf16> to <["N", "O", "2", "L + 1"], bf16>
// CHECK: %[[ALL:.*]] = graph.dot {{.*}} -> !tsr.tensor<["N", "2*C", "L + 1"], f32>
// CHECK-NOT: graph.dot
// CHECK: %[[APART:.*]] = graph.reshape %[[ALL]] : <["N", "2*C", "L + 1"], f32> to <["N", "2", "C", "L + 1"], f32>
// CHECK: %[[BESIDE:.*]] = graph.transpose %[[APART]] {perm = array<i64: 0, 3, 1, 2>}
// CHECK: %[[FLAT:.*]] = graph.reshape %[[BESIDE]] : <["N", "L + 1", "2", "C"], f32> to <["N", "2*L + 2", "C"], f32>
// CHECK: %[[INORDER:.*]] = graph.transpose %[[FLAT]] {perm = array<i64: 0, 2, 1>}
// CHECK-NEXT: graph.return %[[INORDER]]
graph.func @as_columns(%w: !tsr.tensor<["4*C", "O"], bf16>, %dy: !tsr.tensor<["N", "O", "L"], bf16>) -> !tsr.tensor<["N", "C", "2*L + 2"], f32> attributes {
    dims = ["N", "C", "O", "L"], params = [#tsr.param<"w", in>, #tsr.param<"dy", in>], outputs = [#tsr.result<"result", !tsr.tensor<["N", "C", "2*L + 2"], f32>>]} {
  %0 = graph.broadcast %w {axes = array<i64: 1, 2>} : <["4*C", "O"], bf16> to <["N", "4*C", "O"], bf16>
  %1 = graph.dot %0, %dy : (!tsr.tensor<["N", "4*C", "O"], bf16>, !tsr.tensor<["N", "O", "L"], bf16>) -> !tsr.tensor<["N", "4*C", "L"], f32>
  %2 = graph.reshape %1 : <["N", "4*C", "L"], f32> to <["N", "C", "4", "L"], f32>
  %from = graph.iota 0 : <["4", "2*L + 2"], i64>
  %to = graph.iota 1 : <["4", "2*L + 2"], i64>
  %between = graph.elementwise "sub" %to, %from : !tsr.tensor<["4", "2*L + 2"], i64>
  %two = graph.constant 2 : i64
  %twos = graph.full %two : i64 to <["4", "2*L + 2"], i64>
  %nought = graph.constant 0 : i64
  %noughts = graph.full %nought : i64 to <["4", "2*L + 2"], i64>
  %minus = graph.constant -1 : i64
  %nowhere = graph.full %minus : i64 to <["4", "2*L + 2"], i64>
  %rest = graph.elementwise "mod" %between, %twos : !tsr.tensor<["4", "2*L + 2"], i64>
  %divides = graph.elementwise "eq" %rest, %noughts : !tsr.tensor<["4", "2*L + 2"], i64>
  %half = graph.elementwise "floordiv" %between, %twos : !tsr.tensor<["4", "2*L + 2"], i64>
  %at = graph.elementwise "select" %divides, %half, %nowhere : !tsr.tensor<["4", "2*L + 2"], i64>
  %7 = graph.gather 3 %2 at %at {axes = array<i64: 2, 3>} : (!tsr.tensor<["N", "C", "4", "L"], f32>, !tsr.tensor<["4", "2*L + 2"], i64>) -> !tsr.tensor<["N", "C", "4", "2*L + 2"], f32>
  %8 = graph.reduce "sum" %7 {axes = array<i64: 2>} : <["N", "C", "4", "2*L + 2"], f32> to !tsr.tensor<["N", "C", "2*L + 2"], f32>
  graph.return %8 : !tsr.tensor<["N", "C", "2*L + 2"], f32>
}

// Of five places four apart the remainders see two or one: there is a product for each, put side by side.
// CHECK-LABEL: graph.func @by_remainders
// CHECK: graph.window 2 %{{.*}} step 1 dilation 1 : <["N", "O", "L + 2"], bf16> to <["N", "O", "2", "L + 1"], bf16>
// CHECK: %[[A:.*]] = graph.dot
// CHECK: graph.window 2 %{{.*}} step 1 dilation 1 : <["N", "O", "L + 1"], bf16> to <["N", "O", "1", "L + 1"], bf16>
// CHECK: %[[B:.*]] = graph.dot
// CHECK: %[[C:.*]] = graph.dot
// CHECK: %[[D:.*]] = graph.dot
// CHECK: %[[FIRST:.*]] = graph.reshape %[[A]] : <["N", "C", "L + 1"], f32> to <["N", "C", "L + 1", "1"], f32>
// CHECK: %[[SECOND:.*]] = graph.reshape %[[B]]
// CHECK: %[[BOTH:.*]] = graph.concat 3 %[[FIRST]], %[[SECOND]],
// CHECK: %[[FLAT:.*]] = graph.reshape %[[BOTH]] : <["N", "C", "L + 1", "4"], f32> to <["N", "C", "4*L + 4"], f32>
// CHECK: graph.slice %[[FLAT]]{{.*}} size "4*L + 1" in_bounds]
graph.func @by_remainders(%w: !tsr.tensor<["5*C", "O"], bf16>, %dy: !tsr.tensor<["N", "O", "L"], bf16>) -> !tsr.tensor<["N", "C", "4*L + 1"], f32> attributes {
    dims = ["N", "C", "O", "L"], params = [#tsr.param<"w", in>, #tsr.param<"dy", in>], outputs = [#tsr.result<"result", !tsr.tensor<["N", "C", "4*L + 1"], f32>>]} {
  %0 = graph.broadcast %w {axes = array<i64: 1, 2>} : <["5*C", "O"], bf16> to <["N", "5*C", "O"], bf16>
  %1 = graph.dot %0, %dy : (!tsr.tensor<["N", "5*C", "O"], bf16>, !tsr.tensor<["N", "O", "L"], bf16>) -> !tsr.tensor<["N", "5*C", "L"], f32>
  %2 = graph.reshape %1 : <["N", "5*C", "L"], f32> to <["N", "C", "5", "L"], f32>
  %from = graph.iota 0 : <["5", "4*L + 1"], i64>
  %to = graph.iota 1 : <["5", "4*L + 1"], i64>
  %between = graph.elementwise "sub" %to, %from : !tsr.tensor<["5", "4*L + 1"], i64>
  %two = graph.constant 4 : i64
  %twos = graph.full %two : i64 to <["5", "4*L + 1"], i64>
  %nought = graph.constant 0 : i64
  %noughts = graph.full %nought : i64 to <["5", "4*L + 1"], i64>
  %minus = graph.constant -1 : i64
  %nowhere = graph.full %minus : i64 to <["5", "4*L + 1"], i64>
  %rest = graph.elementwise "mod" %between, %twos : !tsr.tensor<["5", "4*L + 1"], i64>
  %divides = graph.elementwise "eq" %rest, %noughts : !tsr.tensor<["5", "4*L + 1"], i64>
  %half = graph.elementwise "floordiv" %between, %twos : !tsr.tensor<["5", "4*L + 1"], i64>
  %at = graph.elementwise "select" %divides, %half, %nowhere : !tsr.tensor<["5", "4*L + 1"], i64>
  %7 = graph.gather 3 %2 at %at {axes = array<i64: 2, 3>} : (!tsr.tensor<["N", "C", "5", "L"], f32>, !tsr.tensor<["5", "4*L + 1"], i64>) -> !tsr.tensor<["N", "C", "5", "4*L + 1"], f32>
  %8 = graph.reduce "sum" %7 {axes = array<i64: 2>} : <["N", "C", "5", "4*L + 1"], f32> to !tsr.tensor<["N", "C", "4*L + 1"], f32>
  graph.return %8 : !tsr.tensor<["N", "C", "4*L + 1"], f32>
}

// Elements at quotients that are rounded down are no windows of the cotangents; and what is added up with weights of its own for each of a batch has no
// matrix that all share.
// CHECK-LABEL: graph.func @two_apart
// CHECK-NOT: graph.window
// CHECK-LABEL: graph.func @own_weights
// CHECK-NOT: graph.window
graph.func @two_apart(%w: !tsr.tensor<["3*C", "O"], bf16>, %dy: !tsr.tensor<["N", "O", "L"], bf16>) -> !tsr.tensor<["N", "C", "2*L + 1"], f32> attributes {
    dims = ["N", "C", "O", "L"], params = [#tsr.param<"w", in>, #tsr.param<"dy", in>], outputs = [#tsr.result<"result", !tsr.tensor<["N", "C", "2*L + 1"], f32>>]} {
  %0 = graph.broadcast %w {axes = array<i64: 1, 2>} : <["3*C", "O"], bf16> to <["N", "3*C", "O"], bf16>
  %1 = graph.dot %0, %dy : (!tsr.tensor<["N", "3*C", "O"], bf16>, !tsr.tensor<["N", "O", "L"], bf16>) -> !tsr.tensor<["N", "3*C", "L"], f32>
  %2 = graph.reshape %1 : <["N", "3*C", "L"], f32> to <["N", "C", "3", "L"], f32>
  %3 = graph.iota 0 : <["3", "2*L + 1"], i64>
  %4 = graph.iota 1 : <["3", "2*L + 1"], i64>
  %5 = graph.elementwise "sub" %4, %3 : !tsr.tensor<["3", "2*L + 1"], i64>
  %number = graph.constant 2 : i64
  %two = graph.full %number : i64 to <["3", "2*L + 1"], i64>
  %half = graph.elementwise "floordiv" %5, %two : !tsr.tensor<["3", "2*L + 1"], i64>
  %7 = graph.gather 3 %2 at %half {axes = array<i64: 2, 3>} : (!tsr.tensor<["N", "C", "3", "L"], f32>, !tsr.tensor<["3", "2*L + 1"], i64>) -> !tsr.tensor<["N", "C", "3", "2*L + 1"], f32>
  %8 = graph.reduce "sum" %7 {axes = array<i64: 2>} : <["N", "C", "3", "2*L + 1"], f32> to !tsr.tensor<["N", "C", "2*L + 1"], f32>
  graph.return %8 : !tsr.tensor<["N", "C", "2*L + 1"], f32>
}
graph.func @own_weights(%w: !tsr.tensor<["N", "3*C", "O"], bf16>, %dy: !tsr.tensor<["N", "O", "L"], bf16>) -> !tsr.tensor<["N", "C", "L + 2"], f32> attributes {
    dims = ["N", "C", "O", "L"], params = [#tsr.param<"w", in>, #tsr.param<"dy", in>], outputs = [#tsr.result<"result", !tsr.tensor<["N", "C", "L + 2"], f32>>]} {
  %1 = graph.dot %w, %dy : (!tsr.tensor<["N", "3*C", "O"], bf16>, !tsr.tensor<["N", "O", "L"], bf16>) -> !tsr.tensor<["N", "3*C", "L"], f32>
  %2 = graph.reshape %1 : <["N", "3*C", "L"], f32> to <["N", "C", "3", "L"], f32>
  %3 = graph.iota 0 : <["3", "L + 2"], i64>
  %4 = graph.iota 1 : <["3", "L + 2"], i64>
  %5 = graph.elementwise "sub" %4, %3 : !tsr.tensor<["3", "L + 2"], i64>
  %7 = graph.gather 3 %2 at %5 {axes = array<i64: 2, 3>} : (!tsr.tensor<["N", "C", "3", "L"], f32>, !tsr.tensor<["3", "L + 2"], i64>) -> !tsr.tensor<["N", "C", "3", "L + 2"], f32>
  %8 = graph.reduce "sum" %7 {axes = array<i64: 2>} : <["N", "C", "3", "L + 2"], f32> to !tsr.tensor<["N", "C", "L + 2"], f32>
  graph.return %8 : !tsr.tensor<["N", "C", "L + 2"], f32>
}

// Of channels in groups: the weights are others for each of them, turned and repeated for the rest of the batch alone.
// CHECK-LABEL: graph.func @in_groups_by_tensor
// CHECK: %[[CUT:.*]] = graph.reshape %w : <["128", "16", "3"], bf16> to <["8", "16", "16", "3"], bf16>
// CHECK: %[[BACK:.*]] = graph.gather 3 %[[CUT]]
// CHECK: %[[TURNED:.*]] = graph.transpose %[[BACK]] {perm = array<i64: 0, 2, 3, 1>}
// CHECK: %[[FLAT:.*]] = graph.reshape %[[TURNED]] : <["8", "16", "3", "16"], bf16> to <["8", "16", "48"], bf16>
// CHECK: %[[WEIGHTS:.*]] = graph.broadcast %[[FLAT]] {axes = array<i64: 1, 2, 3>} : <["8", "16", "48"], bf16> to <["N", "8", "16", "48"], bf16>
// CHECK: graph.window 3 %{{.*}} to <["N", "8", "16", "3", "L"], f32>
// CHECK: graph.dot %[[WEIGHTS]], %{{.*}} -> !tsr.tensor<["N", "8", "16", "L"], f32>
graph.func @in_groups_by_tensor(%x: !tsr.tensor<["N", "L", "128"], bf16>, %w: !tsr.tensor<["128", "16", "3"], bf16>, %dy: !tsr.tensor<["N", "L", "128"], bf16>) -> !tsr.tensor<["N", "L", "128"], bf16> attributes {
    dims = ["N", "L"], params = [#tsr.param<"x", in>, #tsr.param<"w", in>, #tsr.param<"dy", in>],
    outputs = [#tsr.result<"result", !tsr.tensor<["N", "L", "128"], bf16>>]} {
  %0 = graph.constant 0 : index
  %1 = graph.reshape %w : <["128", "16", "3"], bf16> to <["1", "8", "16", "48"], bf16>
  %2 = graph.broadcast %1 {axes = array<i64: 0, 1, 2, 3>} : <["1", "8", "16", "48"], bf16> to <["N", "8", "16", "48"], bf16>
  %3 = graph.cast %dy : !tsr.tensor<["N", "L", "128"], bf16> to !tsr.tensor<["N", "L", "128"], f32>
  %4 = graph.transpose %3 {perm = array<i64: 0, 2, 1>} : <["N", "L", "128"], f32> to <["N", "128", "L"], f32>
  %5 = graph.reshape %4 : <["N", "128", "L"], f32> to <["N", "8", "16", "L"], f32>
  %6 = graph.cast %5 : !tsr.tensor<["N", "8", "16", "L"], f32> to !tsr.tensor<["N", "8", "16", "L"], bf16>
  %7 = graph.transpose %2 {perm = array<i64: 0, 1, 3, 2>} : <["N", "8", "16", "48"], bf16> to <["N", "8", "48", "16"], bf16>
  %8 = graph.dot %7, %6 : (!tsr.tensor<["N", "8", "48", "16"], bf16>, !tsr.tensor<["N", "8", "16", "L"], bf16>) -> !tsr.tensor<["N", "8", "48", "L"], f32>
  %9 = graph.reshape %8 : <["N", "8", "48", "L"], f32> to <["N", "8", "16", "3", "L"], f32>
  %10 = graph.iota 0 : <["3", "L + 2"], i32>
  %11 = graph.cast %10 : !tsr.tensor<["3", "L + 2"], i32> to !tsr.tensor<["3", "L + 2"], i64>
  %12 = graph.iota 1 : <["3", "L + 2"], i32>
  %13 = graph.cast %12 : !tsr.tensor<["3", "L + 2"], i32> to !tsr.tensor<["3", "L + 2"], i64>
  %14 = graph.elementwise "sub" %13, %11 : !tsr.tensor<["3", "L + 2"], i64>
  %15 = graph.gather 4 %9 at %14 {axes = array<i64: 3, 4>} : (!tsr.tensor<["N", "8", "16", "3", "L"], f32>, !tsr.tensor<["3", "L + 2"], i64>) -> !tsr.tensor<["N", "8", "16", "3", "L + 2"], f32>
  %16 = graph.reduce "sum" %15 {axes = array<i64: 3>} : <["N", "8", "16", "3", "L + 2"], f32> to !tsr.tensor<["N", "8", "16", "L + 2"], f32>
  %17 = graph.reshape %16 : <["N", "8", "16", "L + 2"], f32> to <["N", "128", "L + 2"], f32>
  %18 = graph.constant 1 : index
  %19 = graph.slice %17[%0 size "N" in_bounds, %0 size "128" in_bounds, %18 size "L" in_bounds] : <["N", "128", "L + 2"], f32> to !tsr.tensor<["N", "128", "L"], f32>
  %dx = graph.transpose %19 {perm = array<i64: 0, 2, 1>} : <["N", "128", "L"], f32> to <["N", "L", "128"], f32>
  %dx_0 = graph.cast %dx : !tsr.tensor<["N", "L", "128"], f32> to !tsr.tensor<["N", "L", "128"], bf16>
  graph.return %dx_0 : !tsr.tensor<["N", "L", "128"], bf16>
}

}
