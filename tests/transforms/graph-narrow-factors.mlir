// RUN: tessera-opt %s --pass-pipeline='builtin.module(set-machine{name=sm_90a},graph.func(graph-narrow-factors))' | FileCheck %s

// What was widened is multiplied, turned as it was.
// CHECK-LABEL: graph.func @halves
// CHECK-NEXT: %[[T:.*]] = graph.transpose %x {perm = array<i64: 1, 0>} : <["M", "K"], bf16> to <["K", "M"], bf16>
// CHECK-NEXT: %[[P:.*]] = graph.dot %[[T]], %x : (!tsr.tensor<["K", "M"], bf16>, !tsr.tensor<["M", "K"], bf16>) -> !tsr.tensor<["K", "K"], f32>
// CHECK-NEXT: graph.return %[[P]]
graph.func @halves(%x: !tsr.tensor<["M", "K"], bf16>) -> !tsr.tensor<["K", "K"], f32> attributes {
    dims = ["M", "K"], params = [#tsr.param<"x", in>], outputs = [#tsr.result<"result", !tsr.tensor<["K", "K"], f32>>]} {
  %w = graph.cast %x : !tsr.tensor<["M", "K"], bf16> to !tsr.tensor<["M", "K"], f32>
  %t = graph.transpose %w {perm = array<i64: 1, 0>} : <["M", "K"], f32> to <["K", "M"], f32>
  %p = graph.dot %t, %w : (!tsr.tensor<["K", "M"], f32>, !tsr.tensor<["M", "K"], f32>) -> !tsr.tensor<["K", "K"], f32>
  graph.return %p : !tsr.tensor<["K", "K"], f32>
}

// CHECK-LABEL: graph.func @bytes
// CHECK-NEXT: %[[P:.*]] = graph.dot %x, %w : (!tsr.tensor<["M", "K"], i8>, !tsr.tensor<["K", "N"], i8>) -> !tsr.tensor<["M", "N"], i32>
graph.func @bytes(%x: !tsr.tensor<["M", "K"], i8>, %w: !tsr.tensor<["K", "N"], i8>) -> !tsr.tensor<["M", "N"], i32> attributes {
    dims = ["M", "K", "N"], params = [#tsr.param<"x", in>, #tsr.param<"w", in>], outputs = [#tsr.result<"result", !tsr.tensor<["M", "N"], i32>>]} {
  %a = graph.cast %x : !tsr.tensor<["M", "K"], i8> to !tsr.tensor<["M", "K"], i32>
  %b = graph.cast %w : !tsr.tensor<["K", "N"], i8> to !tsr.tensor<["K", "N"], i32>
  %p = graph.dot %a, %b : (!tsr.tensor<["M", "K"], i32>, !tsr.tensor<["K", "N"], i32>) -> !tsr.tensor<["M", "N"], i32>
  graph.return %p : !tsr.tensor<["M", "N"], i32>
}

// A factor of 8 bits is widened to the other one's dtype.
// CHECK-LABEL: graph.func @weights
// CHECK-NEXT: %[[W:.*]] = graph.cast %w : !tsr.tensor<["K", "N"], i8> to !tsr.tensor<["K", "N"], f16>
// CHECK-NEXT: %[[P:.*]] = graph.dot %x, %[[W]] : (!tsr.tensor<["M", "K"], f16>, !tsr.tensor<["K", "N"], f16>) -> !tsr.tensor<["M", "N"], f32>
graph.func @weights(%x: !tsr.tensor<["M", "K"], f16>, %w: !tsr.tensor<["K", "N"], i8>) -> !tsr.tensor<["M", "N"], f32> attributes {
    dims = ["M", "K", "N"], params = [#tsr.param<"x", in>, #tsr.param<"w", in>], outputs = [#tsr.result<"result", !tsr.tensor<["M", "N"], f32>>]} {
  %a = graph.cast %x : !tsr.tensor<["M", "K"], f16> to !tsr.tensor<["M", "K"], f32>
  %b = graph.cast %w : !tsr.tensor<["K", "N"], i8> to !tsr.tensor<["K", "N"], f32>
  %p = graph.dot %a, %b : (!tsr.tensor<["M", "K"], f32>, !tsr.tensor<["K", "N"], f32>) -> !tsr.tensor<["M", "N"], f32>
  graph.return %p : !tsr.tensor<["M", "N"], f32>
}

// No dtype of 16 bits holds both factors; the others are no widened ones.
// CHECK-LABEL: graph.func @apart
// CHECK: graph.dot {{.*}}f32>, {{.*}}f32>) ->
// CHECK: graph.dot {{.*}}f32>, {{.*}}f32>) ->
graph.func @apart(%x: !tsr.tensor<["M", "K"], f16>, %w: !tsr.tensor<["K", "N"], bf16>, %v: !tsr.tensor<["N", "N"], f32>) -> !tsr.tensor<["M", "N"], f32> attributes {
    dims = ["M", "K", "N"], params = [#tsr.param<"x", in>, #tsr.param<"w", in>, #tsr.param<"v", in>], outputs = [#tsr.result<"result", !tsr.tensor<["M", "N"], f32>>]} {
  %a = graph.cast %x : !tsr.tensor<["M", "K"], f16> to !tsr.tensor<["M", "K"], f32>
  %b = graph.cast %w : !tsr.tensor<["K", "N"], bf16> to !tsr.tensor<["K", "N"], f32>
  %p = graph.dot %a, %b : (!tsr.tensor<["M", "K"], f32>, !tsr.tensor<["K", "N"], f32>) -> !tsr.tensor<["M", "N"], f32>
  %q = graph.dot %p, %v : (!tsr.tensor<["M", "N"], f32>, !tsr.tensor<["N", "N"], f32>) -> !tsr.tensor<["M", "N"], f32>
  graph.return %q : !tsr.tensor<["M", "N"], f32>
}
