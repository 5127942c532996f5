// RUN: tessera-opt %s --tile-merge-axes | FileCheck %s

!F = !tile.fragment<["T.m", "64"], f32, #tile.grid<4 x 8>>

// One head of [B, T, H, D]: the head and its elements are one axis, in which the tile begins at h * 64. What is read element
// by element from the same tensor finds them there, too. The tensor that gives the grid keeps its axes.
// CHECK-LABEL: tile.kernel @heads
// CHECK-SAME: %q: !tsr.view<["B", "T", "768"], f32>, %y: !tsr.view<["B", "12", "T", "64"], f32>
// CHECK: %[[D:.*]] = tile.constant 64 : index
// CHECK: %[[H:.*]] = tile.elementwise "mul" %[[HEAD:.*]], %[[D]] : index
// CHECK: tile.load_fragment %q[%{{.*}} in_bounds, %{{.*}} size "T.m", %[[H]] size "64" in_bounds]
// CHECK: %[[AT:.*]] = tile.elementwise "add" %{{.*}}, %[[ONE:.*]] : index
// CHECK: tile.load_element %q[%{{.*}}, %{{.*}}, %[[AT]]] {in_bounds = array<i1: true, true, true>}
// CHECK: tile.store_fragment %{{.*}}, %y[%{{.*}} in_bounds, %{{.*}} in_bounds, %{{.*}} size "T.m", %{{.*}} size "64" in_bounds]
tile.kernel @heads(%q: !tsr.view<["B", "T", "12", "64"], f32>, %y: !tsr.view<["B", "12", "T", "64"], f32>) attributes {dims = ["B", "T"],
    params = [#tsr.param<"q", in>, #tsr.param<"y", out>], outputs = [], context = ["m"], sizes = {m = 16 : i64},
    grid = #tsr.grid<output, ["1", "1", "T.m", "64"], param = 1>, group = 32 : i64} {
  %b = tile.query "origin"
  %h = tile.query "origin" {axis = 1 : i64}
  %m = tile.query "origin" {axis = 2 : i64}
  %zero = tile.constant 0 : index
  %one = tile.constant 1 : index
  %f = tile.load_fragment %q[%b in_bounds, %m size "T.m", %h in_bounds, %zero size "64" in_bounds] : <["B", "T", "12", "64"], f32> to !F
  %e = tile.load_element %q[%b, %zero, %h, %one] {in_bounds = array<i1: true, true, true, true>} : !tsr.view<["B", "T", "12", "64"], f32>
  %filled = tile.fill %e : f32 to !F
  %g = tile.elementwise "add" %f, %filled : !F
  tile.store_fragment %g, %y[%b in_bounds, %h in_bounds, %m size "T.m", %zero size "64" in_bounds] : !F, <["B", "12", "T", "64"], f32>
  tile.kernel_end
}

// A size that is known at run time is multiplied by its name.
// CHECK-LABEL: tile.kernel @symbolic
// CHECK-SAME: %q: !tsr.view<["T", "D*H"], f32>
// CHECK: tile.dim "D"
tile.kernel @symbolic(%q: !tsr.view<["T", "H", "D"], f32>, %y: !tsr.view<["H", "T", "D"], f32>) attributes {dims = ["T", "H", "D"],
    params = [#tsr.param<"q", in>, #tsr.param<"y", out>], outputs = [], context = ["m"], sizes = {m = 16 : i64},
    grid = #tsr.grid<output, ["1", "T.m", "64"], param = 1>, group = 32 : i64} {
  %h = tile.query "origin"
  %m = tile.query "origin" {axis = 1 : i64}
  %n = tile.query "origin" {axis = 2 : i64}
  %f = tile.load_fragment %q[%m size "T.m", %h in_bounds, %n size "64" in_bounds] : <["T", "H", "D"], f32> to !F
  tile.store_fragment %f, %y[%h in_bounds, %m size "T.m", %n size "64" in_bounds] : !F, <["H", "T", "D"], f32>
  tile.kernel_end
}

// A tile that reaches over the end of its head would read the next one: the axes stay.
// CHECK-LABEL: tile.kernel @over_the_end
// CHECK-SAME: %q: !tsr.view<["T", "12", "80"], f32>
tile.kernel @over_the_end(%q: !tsr.view<["T", "12", "80"], f32>, %y: !tsr.view<["12", "T", "80"], f32>) attributes {dims = ["T"],
    params = [#tsr.param<"q", in>, #tsr.param<"y", out>], outputs = [], context = ["m"], sizes = {m = 16 : i64},
    grid = #tsr.grid<output, ["1", "T.m", "64"], param = 1>, group = 32 : i64} {
  %h = tile.query "origin"
  %m = tile.query "origin" {axis = 1 : i64}
  %n = tile.query "origin" {axis = 2 : i64}
  %f = tile.load_fragment %q[%m size "T.m", %h in_bounds, %n size "64"] : <["T", "12", "80"], f32> to !F
  tile.store_fragment %f, %y[%h in_bounds, %m size "T.m", %n size "64"] : !F, <["12", "T", "80"], f32>
  tile.kernel_end
}

// Nor where heads are taken whole, or where the tile lies along the last axes as it is.
// CHECK-LABEL: tile.kernel @as_it_is
// CHECK-SAME: %q: !tsr.view<["12", "T", "64"], f32>
tile.kernel @as_it_is(%q: !tsr.view<["12", "T", "64"], f32>, %y: !tsr.view<["12", "T", "64"], f32>) attributes {dims = ["T"],
    params = [#tsr.param<"q", in>, #tsr.param<"y", out>], outputs = [], context = ["m"], sizes = {m = 16 : i64},
    grid = #tsr.grid<output, ["1", "T.m", "64"], param = 1>, group = 32 : i64} {
  %h = tile.query "origin"
  %m = tile.query "origin" {axis = 1 : i64}
  %n = tile.query "origin" {axis = 2 : i64}
  %f = tile.load_fragment %q[%h in_bounds, %m size "T.m", %n size "64" in_bounds] : <["12", "T", "64"], f32> to !F
  tile.store_fragment %f, %y[%h in_bounds, %m size "T.m", %n size "64" in_bounds] : !F, <["12", "T", "64"], f32>
  tile.kernel_end
}

// Nor where the tile is wider than a head: what is beyond it has to be zero, and the next head is not.
// CHECK-LABEL: tile.kernel @capacity
// CHECK-SAME: %q: !tsr.view<["T", "H", "D"], f32>
tile.kernel @capacity(%q: !tsr.view<["T", "H", "D"], f32>, %y: !tsr.view<["H", "T", "D"], f32>) attributes {dims = ["T", "H", "D"],
    params = [#tsr.param<"q", in>, #tsr.param<"y", out>], outputs = [], context = ["m"], sizes = {m = 16 : i64}, capacity = {D = array<i64: 64, 128>},
    grid = #tsr.grid<output, ["1", "T.m", "D"], param = 1>, group = 32 : i64} {
  %h = tile.query "origin"
  %m = tile.query "origin" {axis = 1 : i64}
  %zero = tile.constant 0 : index
  %f = tile.load_fragment %q[%m size "T.m", %h in_bounds, %zero size "D" in_bounds] : <["T", "H", "D"], f32> to <["T.m", "D"], f32, #tile.grid<4 x 8>>
  tile.store_fragment %f, %y[%h in_bounds, %m size "T.m", %zero size "D" in_bounds] : <["T.m", "D"], f32, #tile.grid<4 x 8>>, <["H", "T", "D"], f32>
  tile.kernel_end
}
