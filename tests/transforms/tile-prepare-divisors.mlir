// RUN: tessera-opt %s --set-machine=name=sm_90a --tile-prepare-divisors | FileCheck %s

// Quotients are shared, axes that come apart and are put together again are one, and what is left divides by what the launch prepares.
// CHECK-LABEL: tile.kernel @padded(%x: !tsr.view<["B*C", "H", "W"], f32>, %y: !tsr.view<["{{.*}}B*C*H{{.*}}"], f32>)
// CHECK: %[[I:.*]] = tile.query "linear_id"
// CHECK: tile.dim "{{.*}}" {tsr.given = "count"}
// CHECK: %[[BYW:.*]] = tile.dim "W + 2" {tsr.divides}
// CHECK: %[[ROW:.*]] = tile.elementwise "floordiv" %[[I]], %[[BYW]]
// CHECK: %[[BYH:.*]] = tile.dim "H + 2" {tsr.divides}
// CHECK: %[[PLANE:.*]] = tile.elementwise "floordiv" %[[ROW]], %[[BYH]]
// CHECK-NOT: floordiv
// CHECK: tile.load_element %x[%[[PLANE]], %{{.*}}, %{{.*}}]
// CHECK: tile.store_element %{{.*}}, %y[%[[I]]]
tile.kernel @padded(%x: !tsr.view<["B", "C", "H", "W"], f32>, %y: !tsr.view<["B", "C", "H + 2", "W + 2"], f32>) attributes {dims = ["B", "C", "H", "W"],
    params = [#tsr.param<"x", in>, #tsr.param<"y", out>], outputs = [], grid = #tsr.grid<lanes, ["4*B*C + 2*B*C*H + B*C*H*W + 2*B*C*W"]>, group = 256 : i64} {
  %i = tile.query "linear_id"
  %count = tile.dim "4*B*C + 2*B*C*H + B*C*H*W + 2*B*C*W"
  %inside = tile.elementwise "lt" %i, %count : index
  scf.if %inside {
    %one = tile.constant 1 : index
    %C = tile.dim "C"
    %H = tile.dim "H + 2"
    %W = tile.dim "W + 2"
    %HW = tile.elementwise "mul" %H, %W : index
    %CH = tile.elementwise "mul" %C, %H : index
    %CHW = tile.elementwise "mul" %CH, %W : index
    %b = tile.elementwise "floordiv" %i, %CHW : index
    %p = tile.elementwise "floordiv" %i, %HW : index
    %c = tile.elementwise "mod" %p, %C : index
    %r = tile.elementwise "floordiv" %i, %W : index
    %h = tile.elementwise "mod" %r, %H : index
    %w = tile.elementwise "mod" %i, %W : index
    %h1 = tile.elementwise "sub" %h, %one : index
    %w1 = tile.elementwise "sub" %w, %one : index
    %e = tile.load_element %x[%b, %c, %h1, %w1] {in_bounds = array<i1: true, true, true, true>} : !tsr.view<["B", "C", "H", "W"], f32>
    tile.store_element %e, %y[%b, %c, %h, %w] {in_bounds = array<i1: true, true, true, true>} : f32, !tsr.view<["B", "C", "H + 2", "W + 2"], f32>
  }
  tile.kernel_end
}

// What a group divides once is no parameter, nor is a number, nor what may be below 0; quotients that stay are found before the loop.
// CHECK-LABEL: tile.kernel @kept
// CHECK-NOT: tsr.divides
// CHECK: tile.elementwise "floordiv" %{{.*}}, %{{.*}}
// CHECK: tile.dim "D" {tsr.divides}
// CHECK: tile.elementwise "mod"
// CHECK: scf.for
// CHECK-NOT: tsr.divides
tile.kernel @kept(%x: !tsr.view<["G", "N", "D"], f32>, %y: !tsr.view<["N", "D"], f32>) attributes {dims = ["G", "N", "D"],
    params = [#tsr.param<"x", in>, #tsr.param<"y", out>], outputs = [], grid = #tsr.grid<explicit, ["N"]>, group = 256 : i64} {
  %g = tile.query "group_id"
  %l = tile.query "local_id"
  %zero = tile.constant 0 : index
  %one = tile.constant 1 : index
  %two = tile.constant 2 : index
  %G = tile.dim "G"
  %D = tile.dim "D"
  %N = tile.dim "N"
  %head = tile.elementwise "floordiv" %g, %N : index
  scf.for %k = %zero to %G step %one {
    %d = tile.elementwise "mod" %l, %D : index
    %half = tile.elementwise "floordiv" %l, %two : index
    %below = tile.elementwise "sub" %half, %k : index
    %n = tile.elementwise "mod" %below, %N : index
    %e = tile.load_element %x[%k, %n, %d] {in_bounds = array<i1: true, false, true>} : !tsr.view<["G", "N", "D"], f32>
    tile.store_element %e, %y[%head, %d] {in_bounds = array<i1: true, true>} : f32, !tsr.view<["N", "D"], f32>
  }
  tile.kernel_end
}
