// RUN: tessera-opt %s --pass-pipeline='builtin.module(graph.func(graph-pair-terms))' | FileCheck %s
// RUN: sed 's/sm_80/cpu/' %s | tessera-opt --pass-pipeline='builtin.module(graph.func(graph-pair-terms))' | FileCheck %s --check-prefix=CPU

!X = !tsr.tensor<["M", "K"], f32>
!Y = !tsr.tensor<["N", "K"], f32>
!T = !tsr.tensor<["M", "N", "K"], f32>
!R = !tsr.tensor<["M", "N"], f32>

module attributes {tsr.machine = #tsr.machine<"sm_80">} {

// A scalar of the term is an operand, numbers stand in it.
// CHECK-LABEL: graph.func @distances
// CHECK: %[[TURNED:.*]] = graph.transpose %y {perm = array<i64: 1, 0>}
// CHECK: %[[SUMS:.*]] = graph.dot %x, %[[TURNED]] with %scale : {{.*}} term {
// CHECK-NEXT: ^bb0(%[[A:.*]]: f32, %[[B:.*]]: f32, %[[S:.*]]: f32):
// CHECK-NEXT: %[[D:.*]] = graph.elementwise "sub" %[[A]], %[[B]] : f32
// CHECK-NEXT: %[[W:.*]] = graph.elementwise "mul" %[[S]], %[[D]] : f32
// CHECK-NEXT: %[[Q:.*]] = graph.elementwise "abs" %[[W]] : f32
// CHECK-NEXT: graph.term %[[Q]] : f32
// CHECK: graph.return %[[SUMS]]
// CPU-LABEL: graph.func @distances
// CPU: graph.reduce
graph.func @distances(%x: !X, %y: !Y, %scale: f32) -> !R attributes {dims = ["M", "N", "K"], params = [#tsr.param<"x", in>, #tsr.param<"y", in>, #tsr.param<"scale", in>], outputs = [#tsr.result<"result", !R>]} {
  %a = graph.broadcast %x {axes = array<i64: 0, 2>} : !X to !T
  %b = graph.broadcast %y {axes = array<i64: 1, 2>} : !Y to !T
  %d = graph.elementwise "sub" %a, %b : !T
  %s = graph.full %scale : f32 to !T
  %w = graph.elementwise "mul" %s, %d : !T
  %q = graph.elementwise "abs" %w : !T
  %r = graph.reduce "sum" %q {axes = array<i64: 2>} : !T to !R
  graph.return %r : !R
}

// The inner axis lies in the middle; the operand on the left is widened in the term's place, as the sums hold it.
// CHECK-LABEL: graph.func @shortest
// CHECK: graph.dot %x, %y {combine = "min"} : (!tsr.tensor<["M", "K"], bf16>, !tsr.tensor<["K", "N"], f32>) -> !tsr.tensor<["M", "N"], f32> term {
// CHECK-NEXT: ^bb0(%[[A:.*]]: f32, %[[B:.*]]: f32):
// CHECK-NEXT: %[[W:.*]] = graph.elementwise "add" %[[A]], %[[B]] : f32
// CHECK-NEXT: graph.term %[[W]] : f32
graph.func @shortest(%x: !tsr.tensor<["M", "K"], bf16>, %y: !tsr.tensor<["K", "N"], f32>) -> !R attributes {dims = ["M", "N", "K"], params = [#tsr.param<"x", in>, #tsr.param<"y", in>], outputs = [#tsr.result<"result", !R>]} {
  %wide = graph.cast %x : !tsr.tensor<["M", "K"], bf16> to !X
  %a = graph.broadcast %wide {axes = array<i64: 0, 1>} : !X to !tsr.tensor<["M", "K", "N"], f32>
  %b = graph.broadcast %y {axes = array<i64: 1, 2>} : !tsr.tensor<["K", "N"], f32> to !tsr.tensor<["M", "K", "N"], f32>
  %way = graph.elementwise "add" %a, %b : !tsr.tensor<["M", "K", "N"], f32>
  %r = graph.reduce "min" %way {axes = array<i64: 1>} : !tsr.tensor<["M", "K", "N"], f32> to !R
  graph.return %r : !R
}

// What is multiplied is a product, on every machine.
// CHECK-LABEL: graph.func @multiplied
// CHECK: graph.dot %x, %{{.*}} : (!tsr.tensor<["M", "K"], f32>, !tsr.tensor<["K", "N"], f32>) -> !tsr.tensor<["M", "N"], f32>{{$}}
// CPU-LABEL: graph.func @multiplied
// CPU: graph.dot
graph.func @multiplied(%x: !X, %y: !Y) -> !R attributes {dims = ["M", "N", "K"], params = [#tsr.param<"x", in>, #tsr.param<"y", in>], outputs = [#tsr.result<"result", !R>]} {
  %a = graph.broadcast %x {axes = array<i64: 0, 2>} : !X to !T
  %b = graph.broadcast %y {axes = array<i64: 1, 2>} : !Y to !T
  %p = graph.elementwise "mul" %a, %b : !T
  %r = graph.reduce "sum" %p {axes = array<i64: 2>} : !T to !R
  graph.return %r : !R
}

// An array of both rows and columns takes part: no term of a pair.
// CHECK-LABEL: graph.func @of_three
// CHECK: graph.reduce
graph.func @of_three(%x: !X, %y: !Y, %z: !R) -> !R attributes {dims = ["M", "N", "K"], params = [#tsr.param<"x", in>, #tsr.param<"y", in>, #tsr.param<"z", in>], outputs = [#tsr.result<"result", !R>]} {
  %a = graph.broadcast %x {axes = array<i64: 0, 2>} : !X to !T
  %b = graph.broadcast %y {axes = array<i64: 1, 2>} : !Y to !T
  %c = graph.broadcast %z {axes = array<i64: 0, 1>} : !R to !T
  %d = graph.elementwise "sub" %a, %b : !T
  %e = graph.elementwise "max" %d, %c : !T
  %r = graph.reduce "sum" %e {axes = array<i64: 2>} : !T to !R
  graph.return %r : !R
}
}
