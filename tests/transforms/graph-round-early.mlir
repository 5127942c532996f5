// RUN: tessera-opt %s --pass-pipeline='builtin.module(graph.func(graph-round-early))' | FileCheck %s

// A product that becomes heads is rounded where it is made.
// CHECK-LABEL: graph.func @heads
// CHECK: %[[P:.*]] = graph.dot
// CHECK-NEXT: %[[R:.*]] = graph.cast %[[P]] : !tsr.tensor<["R", "128"], f32> to !tsr.tensor<["R", "128"], bf16>
// CHECK-NEXT: %[[H:.*]] = graph.reshape %[[R]] : <["R", "128"], bf16> to <["R", "2", "64"], bf16>
// CHECK-NEXT: %[[T:.*]] = graph.transpose %[[H]] {perm = array<i64: 1, 0, 2>}
// CHECK-NEXT: graph.return %[[T]]
graph.func @heads(%x: !tsr.tensor<["R", "32"], bf16>, %w: !tsr.tensor<["32", "128"], bf16>) -> !tsr.tensor<["2", "R", "64"], bf16> attributes {
    dims = ["R"], params = [#tsr.param<"x", in>, #tsr.param<"w", in>], outputs = [#tsr.result<"result", !tsr.tensor<["2", "R", "64"], bf16>>]} {
  %p = graph.dot %x, %w : (!tsr.tensor<["R", "32"], bf16>, !tsr.tensor<["32", "128"], bf16>) -> !tsr.tensor<["R", "128"], f32>
  %h = graph.reshape %p : <["R", "128"], f32> to <["R", "2", "64"], f32>
  %t = graph.transpose %h {perm = array<i64: 1, 0, 2>} : <["R", "2", "64"], f32> to <["2", "R", "64"], f32>
  %r = graph.cast %t : !tsr.tensor<["2", "R", "64"], f32> to !tsr.tensor<["2", "R", "64"], bf16>
  graph.return %r : !tsr.tensor<["2", "R", "64"], bf16>
}

// Parts of one value that are rounded alike: once for all.
// CHECK-LABEL: graph.func @parts
// CHECK: %[[E:.*]] = graph.elementwise "exp" %x
// CHECK-NEXT: %[[R:.*]] = graph.cast %[[E]] : !tsr.tensor<["R", "4"], f32> to !tsr.tensor<["R", "4"], bf16>
// CHECK-NOT: graph.cast
// CHECK: graph.slice %[[R]]
// CHECK: graph.slice %[[R]]
// CHECK-NOT: graph.cast
graph.func @parts(%x: !tsr.tensor<["R", "4"], f32>) -> (!tsr.tensor<["R", "2"], bf16>, !tsr.tensor<["R", "2"], bf16>) attributes {
    dims = ["R"], params = [#tsr.param<"x", in>], outputs = [#tsr.result<"a", !tsr.tensor<["R", "2"], bf16>>, #tsr.result<"b", !tsr.tensor<["R", "2"], bf16>>]} {
  %e = graph.elementwise "exp" %x : !tsr.tensor<["R", "4"], f32>
  %c0 = graph.constant 0 : index
  %c2 = graph.constant 2 : index
  %a = graph.slice %e[%c0 size "R" in_bounds, %c0 size "2" in_bounds] : !tsr.tensor<["R", "4"], f32> to !tsr.tensor<["R", "2"], f32>
  %b = graph.slice %e[%c0 size "R" in_bounds, %c2 size "2" in_bounds] : !tsr.tensor<["R", "4"], f32> to !tsr.tensor<["R", "2"], f32>
  %ra = graph.cast %a : !tsr.tensor<["R", "2"], f32> to !tsr.tensor<["R", "2"], bf16>
  %rb = graph.cast %b : !tsr.tensor<["R", "2"], f32> to !tsr.tensor<["R", "2"], bf16>
  graph.return %ra, %rb : !tsr.tensor<["R", "2"], bf16>, !tsr.tensor<["R", "2"], bf16>
}

// One that is read unrounded, too, stays; and what is wider afterwards.
// CHECK-LABEL: graph.func @both
// CHECK: %[[T:.*]] = graph.transpose %{{.*}} : <["R", "4"], f32>
// CHECK-NEXT: graph.cast %[[T]]
// CHECK: %[[U:.*]] = graph.transpose %{{.*}} : <["R", "4"], f32>
// CHECK-NEXT: graph.cast %[[U]]
graph.func @both(%x: !tsr.tensor<["R", "4"], f32>) -> (!tsr.tensor<["4", "R"], f32>, !tsr.tensor<["4", "R"], bf16>, !tsr.tensor<["4", "R"], f64>) attributes {
    dims = ["R"], params = [#tsr.param<"x", in>], outputs = [#tsr.result<"a", !tsr.tensor<["4", "R"], f32>>, #tsr.result<"b", !tsr.tensor<["4", "R"], bf16>>, #tsr.result<"c", !tsr.tensor<["4", "R"], f64>>]} {
  %e = graph.elementwise "exp" %x : !tsr.tensor<["R", "4"], f32>
  %t = graph.transpose %e {perm = array<i64: 1, 0>} : <["R", "4"], f32> to <["4", "R"], f32>
  %r = graph.cast %t : !tsr.tensor<["4", "R"], f32> to !tsr.tensor<["4", "R"], bf16>
  %f = graph.elementwise "sin" %x : !tsr.tensor<["R", "4"], f32>
  %u = graph.transpose %f {perm = array<i64: 1, 0>} : <["R", "4"], f32> to <["4", "R"], f32>
  %w = graph.cast %u : !tsr.tensor<["4", "R"], f32> to !tsr.tensor<["4", "R"], f64>
  graph.return %t, %r, %w : !tsr.tensor<["4", "R"], f32>, !tsr.tensor<["4", "R"], bf16>, !tsr.tensor<["4", "R"], f64>
}

// What windows see is rounded before they look, with the zeros around it.
// CHECK-LABEL: graph.func @windows
// CHECK: %[[E:.*]] = graph.elementwise "exp" %x
// CHECK: %[[R:.*]] = graph.cast %[[E]] : !tsr.tensor<["L", "4"], f32> to !tsr.tensor<["L", "4"], bf16>
// CHECK: graph.concat 0 %{{.*}}, %[[R]] : (!tsr.tensor<["2", "4"], bf16>, !tsr.tensor<["L", "4"], bf16>) -> !tsr.tensor<["L + 2", "4"], bf16>
// CHECK: graph.window 0 %{{.*}} step 1 dilation 1 : <["L + 2", "4"], bf16> to <["3", "L", "4"], bf16>
// CHECK: graph.reshape %{{.*}} : <["3", "L", "4"], bf16> to <["3", "4*L"], bf16>
// CHECK-NOT: graph.cast
// CHECK: graph.return
graph.func @windows(%x: !tsr.tensor<["L", "4"], f32>) -> !tsr.tensor<["3", "4*L"], bf16> attributes {
    dims = ["L"], params = [#tsr.param<"x", in>], outputs = [#tsr.result<"result", !tsr.tensor<["3", "4*L"], bf16>>]} {
  %zero = graph.constant 0.0 : bf16
  %none = graph.full %zero : bf16 to <["2", "4"], bf16>
  %wide = graph.cast %none : !tsr.tensor<["2", "4"], bf16> to !tsr.tensor<["2", "4"], f32>
  %e = graph.elementwise "exp" %x : !tsr.tensor<["L", "4"], f32>
  %p = graph.concat 0 %wide, %e : (!tsr.tensor<["2", "4"], f32>, !tsr.tensor<["L", "4"], f32>) -> !tsr.tensor<["L + 2", "4"], f32>
  %w = graph.window 0 %p step 1 dilation 1 : <["L + 2", "4"], f32> to <["3", "L", "4"], f32>
  %f = graph.reshape %w : <["3", "L", "4"], f32> to <["3", "4*L"], f32>
  %r = graph.cast %f : !tsr.tensor<["3", "4*L"], f32> to !tsr.tensor<["3", "4*L"], bf16>
  graph.return %r : !tsr.tensor<["3", "4*L"], bf16>
}

// Products that are put together in two steps: each is rounded where it is made.
// CHECK-LABEL: graph.func @in_steps
// CHECK: graph.cast %{{.*}} : !tsr.tensor<["M", "N"], f32> to !tsr.tensor<["M", "N"], bf16>
// CHECK: graph.cast %{{.*}} : !tsr.tensor<["M", "N"], f32> to !tsr.tensor<["M", "N"], bf16>
// CHECK: %[[TWO:.*]] = graph.concat 2 {{.*}} -> !tsr.tensor<["M", "N", "2"], bf16>
// CHECK: %[[ROWS:.*]] = graph.reshape %[[TWO]]
// CHECK: %[[LAST:.*]] = graph.cast %{{.*}} : !tsr.tensor<["M", "N"], f32> to !tsr.tensor<["M", "N"], bf16>
// CHECK: %[[ALL:.*]] = graph.concat 0 %[[ROWS]], %[[LAST]] : {{.*}} -> !tsr.tensor<["3*M", "N"], bf16>
// CHECK: graph.return %[[ALL]]
graph.func @in_steps(%x: !tsr.tensor<["M", "K"], bf16>, %a: !tsr.tensor<["K", "N"], bf16>, %b: !tsr.tensor<["K", "N"], bf16>) -> !tsr.tensor<["3*M", "N"], bf16> attributes {
    dims = ["M", "K", "N"], params = [#tsr.param<"x", in>, #tsr.param<"a", in>, #tsr.param<"b", in>], outputs = [#tsr.result<"result", !tsr.tensor<["3*M", "N"], bf16>>]} {
  %0 = graph.dot %x, %a : (!tsr.tensor<["M", "K"], bf16>, !tsr.tensor<["K", "N"], bf16>) -> !tsr.tensor<["M", "N"], f32>
  %1 = graph.dot %x, %b : (!tsr.tensor<["M", "K"], bf16>, !tsr.tensor<["K", "N"], bf16>) -> !tsr.tensor<["M", "N"], f32>
  %2 = graph.dot %x, %b : (!tsr.tensor<["M", "K"], bf16>, !tsr.tensor<["K", "N"], bf16>) -> !tsr.tensor<["M", "N"], f32>
  %3 = graph.reshape %0 : <["M", "N"], f32> to <["M", "N", "1"], f32>
  %4 = graph.reshape %1 : <["M", "N"], f32> to <["M", "N", "1"], f32>
  %5 = graph.concat 2 %3, %4 : (!tsr.tensor<["M", "N", "1"], f32>, !tsr.tensor<["M", "N", "1"], f32>) -> !tsr.tensor<["M", "N", "2"], f32>
  %6 = graph.reshape %5 : <["M", "N", "2"], f32> to <["2*M", "N"], f32>
  %7 = graph.concat 0 %6, %2 : (!tsr.tensor<["2*M", "N"], f32>, !tsr.tensor<["M", "N"], f32>) -> !tsr.tensor<["3*M", "N"], f32>
  %8 = graph.cast %7 : !tsr.tensor<["3*M", "N"], f32> to !tsr.tensor<["3*M", "N"], bf16>
  graph.return %8 : !tsr.tensor<["3*M", "N"], bf16>
}
