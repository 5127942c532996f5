// RUN: tessera-opt %s --pass-pipeline='builtin.module(graph.func(graph-pick-terms))' | FileCheck %s

!X = !tsr.tensor<["R", "C"], bf16>
!F = !tsr.tensor<["R", "C"], f32>
!I = !tsr.tensor<["R", "C"], i32>
!L = !tsr.tensor<["R"], i32>
!S = !tsr.tensor<["R"], f32>

// The number of a label, cast behind it; a label outside of the row has none, and gives 0.
// CHECK-LABEL: graph.func @chosen
// CHECK: %[[AT:.*]] = graph.reshape %labels : <["R"], i32> to <["R", "1"], i32>
// CHECK: %[[PLACE:.*]] = graph.cast %[[AT]]
// CHECK: %[[ONE:.*]] = graph.gather 1 %x at %[[PLACE]] {axes = array<i64: 0, 1>} : (!tsr.tensor<["R", "C"], bf16>, !tsr.tensor<["R", "1"], i64>) -> !tsr.tensor<["R", "1"], bf16>
// CHECK: %[[WIDE:.*]] = graph.cast %[[ONE]]
// CHECK: %[[SUM:.*]] = graph.reshape %[[WIDE]] : <["R", "1"], f32> to <["R"], f32>
// CHECK-NOT: graph.reduce
// CHECK: graph.return %[[SUM]]
graph.func @chosen(%x: !X, %labels: !L) -> !S attributes {dims = ["R", "C"], params = [#tsr.param<"x", in>, #tsr.param<"labels", in>],
    outputs = [#tsr.result<"result", !S>]} {
  %wide = graph.cast %x : !X to !F
  %each = graph.broadcast %labels {axes = array<i64: 0>} : !L to !I
  %count = graph.iota 1 : !I
  %here = graph.elementwise "eq" %each, %count : !I
  %zero = graph.constant 0.0 : f32
  %none = graph.full %zero : f32 to !F
  %terms = graph.elementwise "select" %here, %wide, %none : !F
  %sum = graph.reduce "sum" %terms {axes = array<i64: 1>} : !F to !S
  graph.return %sum : !S
}

// What is computed for each element is not stored for one of them; a number that is not 0 makes every element a term; places that
// differ along the axis name several.
// CHECK-LABEL: graph.func @others
// CHECK-NOT: graph.gather
// CHECK-COUNT-3: graph.reduce "sum"
graph.func @others(%x: !F, %labels: !L, %many: !I) -> (!S, !S, !S) attributes {dims = ["R", "C"],
    params = [#tsr.param<"x", in>, #tsr.param<"labels", in>, #tsr.param<"many", in>],
    outputs = [#tsr.result<"a", !S>, #tsr.result<"b", !S>, #tsr.result<"c", !S>]} {
  %each = graph.broadcast %labels {axes = array<i64: 0>} : !L to !I
  %count = graph.iota 1 : !I
  %here = graph.elementwise "eq" %each, %count : !I
  %zero = graph.constant 0.0 : f32
  %one = graph.constant 1.0 : f32
  %none = graph.full %zero : f32 to !F
  %ones = graph.full %one : f32 to !F
  %square = graph.elementwise "mul" %x, %x : !F
  %a = graph.elementwise "select" %here, %square, %none : !F
  %b = graph.elementwise "select" %here, %x, %ones : !F
  %there = graph.elementwise "eq" %many, %count : !I
  %c = graph.elementwise "select" %there, %x, %none : !F
  %sum_a = graph.reduce "sum" %a {axes = array<i64: 1>} : !F to !S
  %sum_b = graph.reduce "sum" %b {axes = array<i64: 1>} : !F to !S
  %sum_c = graph.reduce "sum" %c {axes = array<i64: 1>} : !F to !S
  graph.return %sum_a, %sum_b, %sum_c : !S, !S, !S
}
