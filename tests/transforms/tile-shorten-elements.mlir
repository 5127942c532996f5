// RUN: tessera-opt %s --tile-shorten-elements | FileCheck %s

// Elements of a map that leave in 16 bits: a sum with one product is contracted, the product first; erfc and the division are shortened. Not
// a difference from a product, a sum of two products, or what leaves in f32 or is compared.
// CHECK-LABEL: tile.kernel @map
// CHECK: %[[SQUARE:.*]] = tile.elementwise "mul"
// CHECK: tile.elementwise "add" %[[SQUARE]], %{{.*}} {tsr.contracted}
// CHECK: tile.elementwise "erfc" %{{.*}} {tsr.shortened}
// CHECK: tile.elementwise "div" %{{.*}} {tsr.shortened}
// CHECK: tile.elementwise "sub" %{{[^{]*}} : f32
// CHECK: tile.elementwise "add" %{{[^{]*}} : f32
// CHECK: tile.elementwise "add" %{{[^{]*}} : f32
// CHECK: tile.elementwise "div" %{{[^{]*}} : f32
module attributes {tsr.machine = #tsr.machine<"sm_90a">} {
tile.kernel @map(%x: !tsr.view<["N"], f32>, %y: !tsr.view<["N"], bf16>, %z: !tsr.view<["N"], f32>) attributes {dims = ["N"],
    params = [#tsr.param<"x", in>, #tsr.param<"y", out>, #tsr.param<"z", out>], outputs = [], context = [], sizes = {}, grid = #tsr.grid<lanes, ["N"]>, group = 256 : i64} {
  %i = tile.query "linear_id"
  %one = tile.constant 1.0 : f32
  %x0 = tile.load_element %x[%i] {in_bounds = array<i1: true>} : !tsr.view<["N"], f32>
  %square = tile.elementwise "mul" %x0, %x0 : f32
  %sum = tile.elementwise "add" %one, %square : f32
  %far = tile.elementwise "erfc" %x0 : f32
  %gate = tile.elementwise "mul" %far, %sum : f32
  %share = tile.elementwise "div" %gate, %x0 : f32
  %scaled = tile.elementwise "mul" %share, %x0 : f32
  %less = tile.elementwise "sub" %one, %scaled : f32
  %p = tile.elementwise "mul" %less, %x0 : f32
  %q = tile.elementwise "mul" %x0, %one : f32
  %both = tile.elementwise "add" %p, %q : f32
  %rounded = tile.cast %both : f32 to bf16
  tile.store_element %rounded, %y[%i] {in_bounds = array<i1: true>} : bf16, !tsr.view<["N"], bf16>
  %r = tile.elementwise "mul" %x0, %x0 : f32
  %wide = tile.elementwise "add" %r, %one : f32
  %quotient = tile.elementwise "div" %wide, %x0 : f32
  tile.store_element %quotient, %z[%i] {in_bounds = array<i1: true>} : f32, !tsr.view<["N"], f32>
  tile.kernel_end
}

// Of a row, what is added up may also become a root. What is computed once for a row stays, but that a number of elements divides it by its reciprocal.
// CHECK-LABEL: tile.kernel @row
// CHECK: %[[SQUARE:.*]] = tile.elementwise "mul"
// CHECK: tile.elementwise "add" %[[SQUARE]], %{{.*}} {tsr.contracted}
// CHECK: %[[SUM:.*]] = tile.group_reduce
// CHECK: tile.elementwise "div" %[[SUM]], %{{.*}} {tsr.by_extent} : f32
// CHECK: tile.elementwise "div" %[[SUM]], %[[SUM]] : f32
// CHECK: tile.elementwise "add" %{{[^{]*}} : f32
// CHECK: tile.elementwise "rsqrt"
tile.kernel @row(%x: !tsr.view<["R", "C"], f32>, %y: !tsr.view<["R", "C"], bf16>) attributes {dims = ["R", "C"],
    params = [#tsr.param<"x", in>, #tsr.param<"y", out>], outputs = [], context = [], sizes = {}, grid = #tsr.grid<output, ["1", "C"], param = 1>, group = 256 : i64} {
  %r = tile.query "origin"
  %lane = tile.query "local_id"
  %lanes = tile.query "group_size"
  %c = tile.dim "C"
  %zero = tile.constant 0.0 : f32
  %own = scf.for %k = %lane to %c step %lanes iter_args(%before = %zero) -> (f32) {
    %x0 = tile.load_element %x[%r, %k] {in_bounds = array<i1: true, true>} : !tsr.view<["R", "C"], f32>
    %square = tile.elementwise "mul" %x0, %x0 : f32
    %next = tile.elementwise "add" %before, %square : f32
    scf.yield %next : f32
  }
  %sum = tile.group_reduce "sum" %own : f32
  %count = tile.cast %c : index to f32
  %mean = tile.elementwise "div" %sum, %count : f32
  %ratio = tile.elementwise "div" %sum, %sum : f32
  %small = tile.elementwise "mul" %mean, %ratio : f32
  %more = tile.elementwise "add" %small, %sum : f32
  %scale = tile.elementwise "rsqrt" %more : f32
  scf.for %k = %lane to %c step %lanes {
    %x0 = tile.load_element %x[%r, %k] {in_bounds = array<i1: true, true>} : !tsr.view<["R", "C"], f32>
    %scaled = tile.elementwise "mul" %x0, %scale : f32
    %rounded = tile.cast %scaled : f32 to bf16
    tile.store_element %rounded, %y[%r, %k] {in_bounds = array<i1: true, true>} : bf16, !tsr.view<["R", "C"], bf16>
  }
  tile.kernel_end
}

// A lane holds many elements of a tile, so that what stands behind a product needs no loop around it.
// CHECK-LABEL: tile.kernel @behind_a_product
// CHECK: tile.elementwise "erfc" %{{.*}} {tsr.shortened} : !tile.fragment
tile.kernel @behind_a_product(%y: !tsr.view<["M", "64"], bf16>) attributes {dims = ["M"],
    params = [#tsr.param<"y", out>], outputs = [], context = [], sizes = {}, grid = #tsr.grid<explicit, ["1"]>, group = 256 : i64} {
  %q = tile.alloc_shared {manual} : !tsr.shared<["128", "64"], bf16, "panels">
  %k = tile.alloc_shared {manual} : !tsr.shared<["64", "64"], bf16, "panels">
  %c0 = tile.constant 0 : index
  %zero = tile.constant 0.0 : f32
  %start = tile.fill %zero : f32 to !tile.fragment<["128", "64"], f32, #tile.mma<8 x 1>>
  %dot = tile.dot %start, %q, %k : !tile.fragment<["128", "64"], f32, #tile.mma<8 x 1>>, !tsr.shared<["128", "64"], bf16, "panels">, !tsr.shared<["64", "64"], bf16, "panels">
  %far = tile.elementwise "erfc" %dot : !tile.fragment<["128", "64"], f32, #tile.mma<8 x 1>>
  %rounded = tile.cast %far : !tile.fragment<["128", "64"], f32, #tile.mma<8 x 1>> to !tile.fragment<["128", "64"], bf16, #tile.mma<8 x 1>>
  tile.store_fragment %rounded, %y[%c0 size "128", %c0 size "64"] : !tile.fragment<["128", "64"], bf16, #tile.mma<8 x 1>>, <["M", "64"], bf16>
  tile.kernel_end
}
}
