// RUN: tessera-opt %s --pass-pipeline='builtin.module(set-machine{name=sm_90a},graph.func(graph-sum-parts,graph-round-early))' | FileCheck %s
// RUN: tessera-opt %s --pass-pipeline='builtin.module(set-machine{name=sm_80},graph.func(graph-sum-parts))' | FileCheck %s --check-prefix=WHOLE

!T = !tsr.tensor<["R", "2", "4"], f32>
!F = !tsr.tensor<["R", "8"], f32>

// Two products side by side, added up in f32 and read rounded: the sums are those of the products, and each product is rounded
// before it is put together.
// CHECK-LABEL: graph.func @slopes
// CHECK: %[[P:.*]] = graph.dot
// CHECK: %[[Q:.*]] = graph.dot
// CHECK: %[[P4:.*]] = graph.reshape %[[P]]
// CHECK: %[[PT:.*]] = graph.transpose %[[P4]]
// CHECK: %[[PR:.*]] = graph.cast %[[PT]]
// CHECK: %[[PS:.*]] = graph.reduce "sum" %[[PT]] {axes = array<i64: 0>} : <["R", "2", "4"], f32>
// CHECK: graph.reduce "sum"
// CHECK: graph.reshape %[[PS]] : <["2", "4"], f32> to <["8"], f32>
// CHECK: graph.concat 0
// CHECK: graph.cast %[[Q]]
// CHECK: graph.concat 1 %{{.*}}, %{{.*}} : (!tsr.tensor<["R", "8"], bf16>, !tsr.tensor<["R", "8"], bf16>)
// CHECK-NOT: graph.cast
// CHECK: graph.return
// Where no kernel leaves the sums of its tiles, they stay as they are.
// WHOLE-LABEL: graph.func @slopes
// WHOLE: %[[J:.*]] = graph.concat 1
// WHOLE-NEXT: graph.reduce "sum" %[[J]]
graph.func @slopes(%x: !tsr.tensor<["R", "32"], bf16>, %w: !tsr.tensor<["32", "8"], bf16>, %v: !tsr.tensor<["32", "8"], bf16>) -> (!tsr.tensor<["16"], f32>, !tsr.tensor<["R", "16"], bf16>) attributes {
    dims = ["R"], params = [#tsr.param<"x", in>, #tsr.param<"w", in>, #tsr.param<"v", in>],
    outputs = [#tsr.result<"sums", !tsr.tensor<["16"], f32>>, #tsr.result<"joined", !tsr.tensor<["R", "16"], bf16>>]} {
  %p = graph.dot %x, %w : (!tsr.tensor<["R", "32"], bf16>, !tsr.tensor<["32", "8"], bf16>) -> !F
  %q = graph.dot %x, %v : (!tsr.tensor<["R", "32"], bf16>, !tsr.tensor<["32", "8"], bf16>) -> !F
  %p4 = graph.reshape %p : <["R", "8"], f32> to <["R", "4", "2"], f32>
  %pt = graph.transpose %p4 {perm = array<i64: 0, 2, 1>} : <["R", "4", "2"], f32> to <["R", "2", "4"], f32>
  %p2 = graph.reshape %pt : <["R", "2", "4"], f32> to <["R", "8"], f32>
  %joined = graph.concat 1 %p2, %q : (!F, !F) -> !tsr.tensor<["R", "16"], f32>
  %sums = graph.reduce "sum" %joined {axes = array<i64: 0>} : <["R", "16"], f32> to !tsr.tensor<["16"], f32>
  %rounded = graph.cast %joined : !tsr.tensor<["R", "16"], f32> to !tsr.tensor<["R", "16"], bf16>
  graph.return %sums, %rounded : !tsr.tensor<["16"], f32>, !tsr.tensor<["R", "16"], bf16>
}

// Somebody reads it in f32: then it is put together in f32, and added up as it lies.
// CHECK-LABEL: graph.func @read
// CHECK: %[[J:.*]] = graph.concat 1
// CHECK: graph.reduce "sum" %[[J]]
graph.func @read(%x: !tsr.tensor<["R", "32"], bf16>, %w: !tsr.tensor<["32", "8"], bf16>) -> (!tsr.tensor<["16"], f32>, !tsr.tensor<["R", "16"], f32>) attributes {
    dims = ["R"], params = [#tsr.param<"x", in>, #tsr.param<"w", in>],
    outputs = [#tsr.result<"sums", !tsr.tensor<["16"], f32>>, #tsr.result<"joined", !tsr.tensor<["R", "16"], f32>>]} {
  %p = graph.dot %x, %w : (!tsr.tensor<["R", "32"], bf16>, !tsr.tensor<["32", "8"], bf16>) -> !F
  %joined = graph.concat 1 %p, %p : (!F, !F) -> !tsr.tensor<["R", "16"], f32>
  %sums = graph.reduce "sum" %joined {axes = array<i64: 0>} : <["R", "16"], f32> to !tsr.tensor<["16"], f32>
  graph.return %sums, %joined : !tsr.tensor<["16"], f32>, !tsr.tensor<["R", "16"], f32>
}
