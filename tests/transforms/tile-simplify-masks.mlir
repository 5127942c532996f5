// RUN: tessera-opt %s --tile-simplify-masks | FileCheck %s

!S = !tile.fragment<["16", "16"], f32, #tile.grid<4 x 8>>
!I = !tile.fragment<["16", "16"], i32, #tile.grid<4 x 8>>
!B = !tile.fragment<["16", "16"], i1, #tile.grid<4 x 8>>
!V = !tile.fragment<["16"], f32, #tile.slice<1, #tile.grid<4 x 8>>>

// The second mask finds its zeros there, and the first is under a condition on scalars.
// CHECK-LABEL: tile.kernel @softmax
tile.kernel @softmax(%x: !tsr.view<["M", "N"], f32>, %y: !tsr.view<["M", "N"], f32>) attributes {dims = ["M", "N"],
    params = [#tsr.param<"x", in>, #tsr.param<"y", out>], outputs = [], grid = #tsr.grid<explicit, ["1"]>, group = 32 : i64} {
  %c0 = tile.constant 0 : index
  %N = tile.dim "16"
  %limit = tile.cast %N : index to i32
  %inf = tile.constant 0xFF800000 : f32
  %zero = tile.constant 0.0 : f32
  // CHECK: %[[X:.*]] = tile.load_fragment
  %s = tile.load_fragment %x[%c0 size "16", %c0 size "16"] : <["M", "N"], f32> to !S
  %at = tile.iota {axis = 1 : i64} : !I
  %end = tile.fill %limit : i32 to !I
  %inside = tile.elementwise "lt" %at, %end : !I
  %hidden = tile.fill %inf : f32 to !S
  %masked = tile.elementwise "select" %inside, %s, %hidden {tsr.extent_mask} : !S
  // CHECK: %[[END:.*]] = tile.dim "16"
  // CHECK: tile.elementwise "lt"
  // CHECK: %[[MASKED:.*]] = scf.if
  // CHECK: tile.elementwise "select"
  // CHECK: } else {
  // CHECK-NEXT: scf.yield %[[X]]
  // CHECK: tile.reduce "max" %[[MASKED]]
  %max = tile.reduce "max" %masked {axis = 1 : i64} : !S to !V
  %spread = tile.broadcast %max : !V to !S
  // What is read after the mask is read from the masked tile.
  // CHECK: tile.elementwise "sub" %[[MASKED]]
  %shifted = tile.elementwise "sub" %s, %spread : !S
  // CHECK: %[[E:.*]] = tile.elementwise "exp"
  %e = tile.elementwise "exp" %shifted : !S
  %none = tile.fill %zero : f32 to !S
  %at2 = tile.iota {axis = 1 : i64} : !I
  %end2 = tile.fill %limit : i32 to !I
  %inside2 = tile.elementwise "lt" %at2, %end2 : !I
  // CHECK-NOT: select
  %part = tile.elementwise "select" %inside2, %e, %none : !S
  // CHECK: tile.reduce "sum" %[[E]]
  %sum = tile.reduce "sum" %part {axis = 1 : i64} : !S to !V
  %total = tile.broadcast %sum : !V to !S
  %result = tile.elementwise "div" %e, %total : !S
  tile.store_fragment %result, %y[%c0 size "16", %c0 size "16"] : !S, <["M", "N"], f32>
  tile.kernel_end
}

// exp(x) of what was hidden by 0 is 1 there: the mask of the sum stays.
// CHECK-LABEL: tile.kernel @no_maximum
// CHECK-COUNT-2: tile.elementwise "select"
tile.kernel @no_maximum(%x: !tsr.view<["M", "N"], f32>, %y: !tsr.view<["M"], f32>) attributes {dims = ["M", "N"],
    params = [#tsr.param<"x", in>, #tsr.param<"y", out>], outputs = [], grid = #tsr.grid<explicit, ["1"]>, group = 32 : i64} {
  %c0 = tile.constant 0 : index
  %N = tile.dim "N"
  %limit = tile.cast %N : index to i32
  %zero = tile.constant 0.0 : f32
  %s = tile.load_fragment %x[%c0 size "16", %c0 size "16"] : <["M", "N"], f32> to !S
  %at = tile.iota {axis = 1 : i64} : !I
  %end = tile.fill %limit : i32 to !I
  %inside = tile.elementwise "lt" %at, %end : !I
  %none = tile.fill %zero : f32 to !S
  %masked = tile.elementwise "select" %inside, %s, %none {tsr.extent_mask} : !S
  %e = tile.elementwise "exp" %masked : !S
  %part = tile.elementwise "select" %inside, %e, %none : !S
  %sum = tile.reduce "sum" %part {axis = 1 : i64} : !S to !V
  tile.store_fragment %sum, %y[%c0 size "16"] : !V, <["M"], f32>
  tile.kernel_end
}

// A mask of the program's own: the elements that it hides are read by others.
// CHECK-LABEL: tile.kernel @own_mask
// CHECK: %[[S:.*]] = tile.load_fragment
// CHECK: tile.elementwise "sub" %[[S]]
tile.kernel @own_mask(%x: !tsr.view<["M", "N"], f32>, %y: !tsr.view<["M", "N"], f32>) attributes {dims = ["M", "N"],
    params = [#tsr.param<"x", in>, #tsr.param<"y", out>], outputs = [], grid = #tsr.grid<explicit, ["1"]>, group = 32 : i64} {
  %c0 = tile.constant 0 : index
  %N = tile.dim "N"
  %limit = tile.cast %N : index to i32
  %inf = tile.constant 0xFF800000 : f32
  %s = tile.load_fragment %x[%c0 size "16", %c0 size "16"] : <["M", "N"], f32> to !S
  %at = tile.iota {axis = 1 : i64} : !I
  %end = tile.fill %limit : i32 to !I
  %inside = tile.elementwise "lt" %at, %end : !I
  %hidden = tile.fill %inf : f32 to !S
  %masked = tile.elementwise "select" %inside, %s, %hidden : !S
  %max = tile.reduce "max" %masked {axis = 1 : i64} : !S to !V
  %spread = tile.broadcast %max : !V to !S
  %shifted = tile.elementwise "sub" %s, %spread : !S
  tile.store_fragment %shifted, %y[%c0 size "16", %c0 size "16"] : !S, <["M", "N"], f32>
  tile.kernel_end
}

// Two masks of one comparison: each compares in its own branch, and no tile of truth values is held between them.
// CHECK-LABEL: tile.kernel @twice
// CHECK: tile.load_fragment
// CHECK-NOT: tile.iota
// CHECK: scf.if
// CHECK: tile.iota
// CHECK: tile.elementwise "lt"
// CHECK: tile.elementwise "select"
// CHECK: scf.if
// CHECK: tile.iota
// CHECK: tile.elementwise "lt"
// CHECK: tile.elementwise "select"
tile.kernel @twice(%x: !tsr.view<["M", "N"], f32>, %y: !tsr.view<["M", "N"], f32>, %n: index) attributes {dims = ["M", "N"],
    params = [#tsr.param<"x", in>, #tsr.param<"y", out>, #tsr.param<"n", in>], outputs = [], grid = #tsr.grid<explicit, ["1"]>, group = 32 : i64} {
  %c0 = tile.constant 0 : index
  %limit = tile.cast %n : index to i32
  %inf = tile.constant 0xFF800000 : f32
  %zero = tile.constant 0.0 : f32
  %s = tile.load_fragment %x[%c0 size "16", %c0 size "16"] : <["M", "N"], f32> to !S
  %at = tile.iota {axis = 1 : i64} : !I
  %end = tile.fill %limit : i32 to !I
  %inside = tile.elementwise "lt" %at, %end : !I
  %hidden = tile.fill %inf : f32 to !S
  %zeros = tile.fill %zero : f32 to !S
  %first = tile.elementwise "select" %inside, %s, %hidden : !S
  %cosine = tile.elementwise "cos" %first : !S
  %second = tile.elementwise "select" %inside, %cosine, %zeros : !S
  tile.store_fragment %second, %y[%c0 size "16", %c0 size "16"] : !S, <["M", "N"], f32>
  tile.kernel_end
}
