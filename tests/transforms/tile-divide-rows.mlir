// RUN: tessera-opt %s --tile-divide-rows | FileCheck %s

!S = !tile.fragment<["16", "32"], f32, #tile.grid<4 x 8>>
!P = !tile.fragment<["16", "32"], bf16, #tile.grid<4 x 8>>
!R = !tile.fragment<["16"], f32, #tile.slice<1, #tile.grid<4 x 8>>>

// What is stored in bf16 is multiplied by one reciprocal for each row.
// CHECK-LABEL: tile.kernel @rounded
// CHECK: %[[ONES:.*]] = tile.fill
// CHECK: %[[RECIPROCAL:.*]] = tile.elementwise "div" %[[ONES]], %{{.*}} : !tile.fragment<["16"]
// CHECK: %[[EACH:.*]] = tile.broadcast %[[RECIPROCAL]]
// CHECK: tile.elementwise "mul" %{{.*}}, %[[EACH]]
// CHECK-NOT: tile.elementwise "div"
tile.kernel @rounded(%x: !tsr.view<["16", "32"], f32>, %y: !tsr.view<["16", "32"], bf16>) attributes {dims = [],
    params = [#tsr.param<"x", in>, #tsr.param<"y", out>], outputs = [], context = [], sizes = {}, grid = #tsr.grid<explicit, ["1"]>, group = 32 : i64} {
  %c0 = tile.constant 0 : index
  %s = tile.load_fragment %x[%c0 size "16", %c0 size "32"] : !tsr.view<["16", "32"], f32> to !S
  %sum = tile.reduce "sum" %s {axis = 1 : i64} : <["16", "32"], f32, #tile.grid<4 x 8>> to !R
  %each = tile.broadcast %sum : <["16"], f32, #tile.slice<1, #tile.grid<4 x 8>>> to <["16", "32"], f32, #tile.grid<4 x 8>>
  %share = tile.elementwise "div" %s, %each : !S
  %rounded = tile.cast %share : !S to !P
  tile.store_fragment %rounded, %y[%c0 size "16", %c0 size "32"] : !P, <["16", "32"], bf16>
  tile.kernel_end
}

// In f32 the quotient is what the program asks for.
// CHECK-LABEL: tile.kernel @exact
// CHECK-NOT: tile.elementwise "mul"
// CHECK: tile.elementwise "div"
tile.kernel @exact(%x: !tsr.view<["16", "32"], f32>, %y: !tsr.view<["16", "32"], f32>) attributes {dims = [],
    params = [#tsr.param<"x", in>, #tsr.param<"y", out>], outputs = [], context = [], sizes = {}, grid = #tsr.grid<explicit, ["1"]>, group = 32 : i64} {
  %c0 = tile.constant 0 : index
  %s = tile.load_fragment %x[%c0 size "16", %c0 size "32"] : !tsr.view<["16", "32"], f32> to !S
  %sum = tile.reduce "sum" %s {axis = 1 : i64} : <["16", "32"], f32, #tile.grid<4 x 8>> to !R
  %each = tile.broadcast %sum : <["16"], f32, #tile.slice<1, #tile.grid<4 x 8>>> to <["16", "32"], f32, #tile.grid<4 x 8>>
  %share = tile.elementwise "div" %s, %each : !S
  tile.store_fragment %share, %y[%c0 size "16", %c0 size "32"] : !S, <["16", "32"], f32>
  tile.kernel_end
}
