// RUN: tessera-opt %s --tile-contract-sums | FileCheck %s

!Q = !tsr.shared<["128", "64"], bf16, "panels">
!K = !tsr.shared<["64", "64"], bf16, "panels">
!S = !tile.fragment<["128", "64"], f32, #tile.mma<8 x 1>>
!P = !tile.fragment<["128", "64"], bf16, #tile.mma<8 x 1>>

// Sums and differences with a product that leave in 16 bits, also through a sigmoid: the product comes first. Not where it is taken from
// something, where it has another use, or where the sum leaves in f32 or is compared.
// CHECK-LABEL: tile.kernel @behind_a_product
// CHECK-SAME: "sums with a product that leave in 16 bits as one instruction (R17)"
// CHECK: %[[SQUARE:.*]] = tile.elementwise "mul" %[[DOT:.*]], %[[DOT]]
// CHECK: tile.elementwise "add" %[[SQUARE]], %{{.*}} {tsr.contracted}
// CHECK: tile.elementwise "sigmoid"
// CHECK: %[[SCALED:.*]] = tile.elementwise "mul"
// CHECK: tile.elementwise "sub" %[[SCALED]], %[[DOT]] {tsr.contracted}
// CHECK: tile.elementwise "sub" %[[DOT]], %{{[^{]*}} : !tile.fragment
// CHECK: tile.elementwise "add" %{{[^{]*}} : !tile.fragment
// CHECK: tile.elementwise "add" %{{[^{]*}} : !tile.fragment
tile.kernel @behind_a_product(%y: !tsr.view<["M", "64"], bf16>, %z: !tsr.view<["M", "64"], f32>) attributes {dims = ["M"],
    params = [#tsr.param<"y", out>, #tsr.param<"z", out>], outputs = [], context = [], sizes = {}, grid = #tsr.grid<explicit, ["1"]>, group = 256 : i64} {
  %q = tile.alloc_shared {manual} : !Q
  %k = tile.alloc_shared {manual} : !K
  %c0 = tile.constant 0 : index
  %zero = tile.constant 0.0 : f32
  %start = tile.fill %zero : f32 to !S
  %one = tile.constant 1.0 : f32
  %ones = tile.fill %one : f32 to !S
  %dot = tile.dot %start, %q, %k : !S, !Q, !K
  %square = tile.elementwise "mul" %dot, %dot : !S
  %sum = tile.elementwise "add" %ones, %square : !S
  %gate = tile.elementwise "sigmoid" %sum : !S
  %scaled = tile.elementwise "mul" %gate, %dot : !S
  %less = tile.elementwise "sub" %scaled, %dot : !S
  %again = tile.elementwise "mul" %less, %gate : !S
  %taken = tile.elementwise "sub" %dot, %again : !S
  %rounded = tile.cast %taken : !S to !P
  tile.store_fragment %rounded, %y[%c0 size "128", %c0 size "64"] : !P, <["M", "64"], bf16>
  %twice = tile.elementwise "mul" %dot, %ones : !S
  %wide = tile.elementwise "add" %twice, %ones : !S
  tile.store_fragment %wide, %z[%c0 size "128", %c0 size "64"] : !S, <["M", "64"], f32>
  %third = tile.elementwise "mul" %dot, %dot : !S
  %compared = tile.elementwise "add" %third, %ones : !S
  %mask = tile.elementwise "lt" %compared, %ones : !S
  %chosen = tile.elementwise "select" %mask, %dot, %ones : !S
  %narrow = tile.cast %chosen : !S to !P
  tile.store_fragment %narrow, %y[%c0 size "128", %c0 size "64"] : !P, <["M", "64"], bf16>
  tile.kernel_end
}

// CHECK-LABEL: tile.kernel @alone
// CHECK-NOT: tsr.contracted
tile.kernel @alone(%y: !tsr.view<["M", "64"], bf16>) attributes {dims = ["M"], params = [#tsr.param<"y", out>], outputs = [],
    context = [], sizes = {}, grid = #tsr.grid<explicit, ["1"]>, group = 256 : i64} {
  %c0 = tile.constant 0 : index
  %two = tile.constant 2.0 : f32
  %twos = tile.fill %two : f32 to !S
  %square = tile.elementwise "mul" %twos, %twos : !S
  %sum = tile.elementwise "add" %square, %twos : !S
  %rounded = tile.cast %sum : !S to !P
  tile.store_fragment %rounded, %y[%c0 size "128", %c0 size "64"] : !P, <["M", "64"], bf16>
  tile.kernel_end
}
