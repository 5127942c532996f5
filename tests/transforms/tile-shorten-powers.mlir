// RUN: tessera-opt %s --tile-shorten-powers | FileCheck %s

!Q = !tsr.shared<["128", "64"], bf16, "panels">
!K = !tsr.shared<["64", "64"], bf16, "panels">
!S = !tile.fragment<["128", "64"], f32, #tile.mma<8 x 1>>
!P = !tile.fragment<["128", "64"], bf16, #tile.mma<8 x 1>>
!R = !tile.fragment<["128"], f32, #tile.slice<1, #tile.mma<8 x 1>>>

// The scale of the scores goes below the mask and the maximum, and into the power.
// CHECK-LABEL: tile.kernel @weights
// CHECK-SAME: "weights that leave in 16 bits as powers of two, with the scale of their scores (R9)"
// CHECK: %[[DOT:.*]] = tile.dot
// CHECK-NOT: tile.elementwise "mul" %[[DOT]]
// CHECK: scf.if
// CHECK:   tile.elementwise "select" %{{.*}}, %[[DOT]]
// CHECK: %[[MAX:.*]] = tile.reduce "max"
// CHECK: tile.elementwise "mul" %[[MAX]]
// CHECK: %[[ROW:.*]] = tile.elementwise "mul" %{{.*}} : !tile.fragment<["128"]
// CHECK: %[[EACH:.*]] = tile.broadcast %[[ROW]]
// CHECK: %[[SCALED:.*]] = tile.elementwise "mul"
// CHECK: %[[POWER:.*]] = tile.elementwise "sub" %[[SCALED]], %[[EACH]] {tsr.contracted}
// CHECK: tile.elementwise "exp2" %[[POWER]]
// CHECK-NOT: tile.elementwise "exp"
tile.kernel @weights(%y: !tsr.view<["M", "64"], bf16>) attributes {dims = ["M"], params = [#tsr.param<"y", out>], outputs = [],
    context = [], sizes = {}, grid = #tsr.grid<explicit, ["1"]>, group = 256 : i64} {
  %q = tile.alloc_shared {manual} : !Q
  %k = tile.alloc_shared {manual} : !K
  %c0 = tile.constant 0 : index
  %one = tile.constant 1 : index
  %M = tile.dim "M"
  %zero = tile.constant 0.0 : f32
  %start = tile.fill %zero : f32 to !S
  %nothing = tile.fill %zero : f32 to !R
  %infinity = tile.constant 0xFF800000 : f32
  %least = tile.fill %infinity : f32 to !S
  %sums, %total = scf.for %i = %c0 to %M step %one iter_args(%acc = %start, %l = %nothing) -> (!S, !R) {
    %dot = tile.dot %start, %q, %k : !S, !Q, !K
    %c = tile.constant 0.125 : f32
    %scale = tile.fill %c : f32 to !S
    %s = tile.elementwise "mul" %dot, %scale : !S
    %crosses = tile.elementwise "lt" %i, %M : index
    %masked = scf.if %crosses -> (!S) {
      %columns = tile.iota {axis = 1 : i64} : <["128", "64"], i32, #tile.mma<8 x 1>>
      %left = tile.cast %i : index to i32
      %end = tile.fill %left : i32 to <["128", "64"], i32, #tile.mma<8 x 1>>
      %inside = tile.elementwise "lt" %columns, %end : !tile.fragment<["128", "64"], i32, #tile.mma<8 x 1>>
      %hidden = tile.elementwise "select" %inside, %s, %least : !S
      scf.yield %hidden : !S
    } else {
      scf.yield %s : !S
    }
    %m = tile.reduce "max" %masked {axis = 1 : i64} : <["128", "64"], f32, #tile.mma<8 x 1>> to !R
    %each = tile.broadcast %m : <["128"], f32, #tile.slice<1, #tile.mma<8 x 1>>> to <["128", "64"], f32, #tile.mma<8 x 1>>
    %difference = tile.elementwise "sub" %masked, %each : !S
    %e = tile.elementwise "exp" %difference : !S
    %sum = tile.reduce "sum" %e {axis = 1 : i64} : <["128", "64"], f32, #tile.mma<8 x 1>> to !R
    %l_new = tile.elementwise "add" %l, %sum : !R
    %p = tile.cast %e : !S to !P
    %next = tile.dot %acc, %p, %k : !S, !P, !K
    scf.yield %next, %l_new : !S, !R
  }
  %rows = tile.broadcast %total : <["128"], f32, #tile.slice<1, #tile.mma<8 x 1>>> to <["128", "64"], f32, #tile.mma<8 x 1>>
  %result = tile.elementwise "div" %sums, %rows : !S
  %narrow = tile.cast %result : !S to !P
  tile.store_fragment %narrow, %y[%c0 size "128", %c0 size "64"] : !P, <["M", "64"], bf16>
  tile.kernel_end
}

// Weights that leave in 16 bits may have their sum stored in f32 beside them: it has no larger error than they.
// CHECK-LABEL: tile.kernel @stored
// CHECK: tile.elementwise "exp2"
tile.kernel @stored(%y: !tsr.view<["M", "64"], bf16>, %z: !tsr.view<["M"], f32>) attributes {dims = ["M"],
    params = [#tsr.param<"y", out>, #tsr.param<"z", out>], outputs = [], context = [], sizes = {}, grid = #tsr.grid<explicit, ["1"]>,
    group = 256 : i64} {
  %q = tile.alloc_shared {manual} : !Q
  %k = tile.alloc_shared {manual} : !K
  %c0 = tile.constant 0 : index
  %zero = tile.constant 0.0 : f32
  %start = tile.fill %zero : f32 to !S
  %s = tile.dot %start, %q, %k : !S, !Q, !K
  %m = tile.reduce "max" %s {axis = 1 : i64} : <["128", "64"], f32, #tile.mma<8 x 1>> to !R
  %each = tile.broadcast %m : <["128"], f32, #tile.slice<1, #tile.mma<8 x 1>>> to <["128", "64"], f32, #tile.mma<8 x 1>>
  %difference = tile.elementwise "sub" %s, %each : !S
  %e = tile.elementwise "exp" %difference : !S
  %sum = tile.reduce "sum" %e {axis = 1 : i64} : <["128", "64"], f32, #tile.mma<8 x 1>> to !R
  %p = tile.cast %e : !S to !P
  tile.store_fragment %p, %y[%c0 size "128", %c0 size "64"] : !P, <["M", "64"], bf16>
  tile.store_fragment %sum, %z[%c0 size "128"] : !R, <["M"], f32>
  tile.kernel_end
}

// Where nothing of the weights leaves in 16 bits, their sum in f32 is what was asked for.
// CHECK-LABEL: tile.kernel @summed
// CHECK: tile.elementwise "exp"
// CHECK-NOT: exp2
tile.kernel @summed(%z: !tsr.view<["M"], f32>) attributes {dims = ["M"],
    params = [#tsr.param<"z", out>], outputs = [], context = [], sizes = {}, grid = #tsr.grid<explicit, ["1"]>,
    group = 256 : i64} {
  %q = tile.alloc_shared {manual} : !Q
  %k = tile.alloc_shared {manual} : !K
  %c0 = tile.constant 0 : index
  %zero = tile.constant 0.0 : f32
  %start = tile.fill %zero : f32 to !S
  %s = tile.dot %start, %q, %k : !S, !Q, !K
  %m = tile.reduce "max" %s {axis = 1 : i64} : <["128", "64"], f32, #tile.mma<8 x 1>> to !R
  %each = tile.broadcast %m : <["128"], f32, #tile.slice<1, #tile.mma<8 x 1>>> to <["128", "64"], f32, #tile.mma<8 x 1>>
  %difference = tile.elementwise "sub" %s, %each : !S
  %e = tile.elementwise "exp" %difference : !S
  %sum = tile.reduce "sum" %e {axis = 1 : i64} : <["128", "64"], f32, #tile.mma<8 x 1>> to !R
  tile.store_fragment %sum, %z[%c0 size "128"] : !R, <["M"], f32>
  tile.kernel_end
}

// Multiplied by what has a sign, and chosen by a mask, weights leave in 16 bits all the same: the derivative of a softmax.
// CHECK-LABEL: tile.kernel @derivative
// CHECK-NOT: tile.elementwise "exp"
// CHECK: tile.elementwise "exp2"
tile.kernel @derivative(%y: !tsr.view<["M", "64"], bf16>, %largest: !tsr.view<["M"], f32>) attributes {dims = ["M"],
    params = [#tsr.param<"y", out>, #tsr.param<"largest", in>], outputs = [], context = [], sizes = {}, grid = #tsr.grid<explicit, ["1"]>,
    group = 256 : i64} {
  %q = tile.alloc_shared {manual} : !Q
  %k = tile.alloc_shared {manual} : !K
  %c0 = tile.constant 0 : index
  %zero = tile.constant 0.0 : f32
  %start = tile.fill %zero : f32 to !S
  %s = tile.dot %start, %q, %k : !S, !Q, !K
  %de = tile.dot %start, %q, %k {trans_b} : !S, !Q, !K
  %m = tile.load_fragment %largest[%c0 size "128"] : <["M"], f32> to !R
  %each = tile.broadcast %m : <["128"], f32, #tile.slice<1, #tile.mma<8 x 1>>> to <["128", "64"], f32, #tile.mma<8 x 1>>
  %difference = tile.elementwise "sub" %s, %each : !S
  %e = tile.elementwise "exp" %difference : !S
  %ds = tile.elementwise "mul" %de, %e : !S
  %seen = tile.elementwise "lt" %s, %start : !S
  %kept = tile.elementwise "select" %seen, %ds, %start : !S
  %p = tile.cast %kept : !S to !P
  tile.store_fragment %p, %y[%c0 size "128", %c0 size "64"] : !P, <["M", "64"], bf16>
  tile.kernel_end
}

// Single elements whose powers leave in 16 bits, and in their sum: rule R15.
// CHECK-LABEL: tile.kernel @elements
// CHECK-NOT: "exp"
// CHECK: %[[POWER:.*]] = tile.elementwise "mul" %{{.*}}, %{{.*}} : f32
// CHECK: tile.elementwise "exp2" %[[POWER]] : f32
// CHECK: tile.group_reduce
// CHECK: tile.elementwise "exp2"
tile.kernel @elements(%x: !tsr.view<["R", "C"], f32>, %y: !tsr.view<["R", "C"], bf16>) attributes {dims = ["R", "C"],
    params = [#tsr.param<"x", in>, #tsr.param<"y", out>], outputs = [], context = [], sizes = {}, grid = #tsr.grid<output, ["1", "C"], param = 1>, group = 256 : i64} {
  %row = tile.query "origin"
  %lane = tile.query "local_id"
  %lanes = tile.query "group_size"
  %C = tile.dim "C"
  %zero = tile.constant 0.0 : f32
  %s = scf.for %c = %lane to %C step %lanes iter_args(%sum = %zero) -> f32 {
    %e = tile.load_element %x[%row, %c] {in_bounds = array<i1: true, true>} : !tsr.view<["R", "C"], f32>
    %p = tile.elementwise "exp" %e : f32
    %next = tile.elementwise "add" %sum, %p : f32
    scf.yield %next : f32
  } {tsr.reduces = "sum"}
  %sum = tile.group_reduce "sum" %s : f32
  scf.for %c = %lane to %C step %lanes {
    %e = tile.load_element %x[%row, %c] {in_bounds = array<i1: true, true>} : !tsr.view<["R", "C"], f32>
    %p = tile.elementwise "exp" %e : f32
    %part = tile.elementwise "div" %p, %sum : f32
    %rounded = tile.cast %part : f32 to bf16
    tile.store_element %rounded, %y[%row, %c] {in_bounds = array<i1: true, true>} : bf16, !tsr.view<["R", "C"], bf16>
  }
  tile.kernel_end
}

// CHECK-LABEL: tile.kernel @elements_in_full
// CHECK-NOT: "exp2"
// CHECK: tile.elementwise "exp"
tile.kernel @elements_in_full(%x: !tsr.view<["R", "C"], f32>, %y: !tsr.view<["R", "C"], f32>) attributes {dims = ["R", "C"],
    params = [#tsr.param<"x", in>, #tsr.param<"y", out>], outputs = [], context = [], sizes = {}, grid = #tsr.grid<output, ["1", "C"], param = 1>, group = 256 : i64} {
  %row = tile.query "origin"
  %lane = tile.query "local_id"
  %lanes = tile.query "group_size"
  %C = tile.dim "C"
  %zero = tile.constant 0.0 : f32
  %s = scf.for %c = %lane to %C step %lanes iter_args(%sum = %zero) -> f32 {
    %e = tile.load_element %x[%row, %c] {in_bounds = array<i1: true, true>} : !tsr.view<["R", "C"], f32>
    %p = tile.elementwise "exp" %e : f32
    %next = tile.elementwise "add" %sum, %p : f32
    scf.yield %next : f32
  } {tsr.reduces = "sum"}
  %sum = tile.group_reduce "sum" %s : f32
  scf.for %c = %lane to %C step %lanes {
    %e = tile.load_element %x[%row, %c] {in_bounds = array<i1: true, true>} : !tsr.view<["R", "C"], f32>
    %p = tile.elementwise "exp" %e : f32
    %part = tile.elementwise "div" %p, %sum : f32
    tile.store_element %part, %y[%row, %c] {in_bounds = array<i1: true, true>} : f32, !tsr.view<["R", "C"], f32>
  }
  tile.kernel_end
}

// A sigmoid that leaves in 16 bits has its exponential from one power of two, also where it was subtracted from one; a sigmoid that leaves in 32
// has not.
// CHECK-LABEL: tile.kernel @gates
// CHECK: %[[S:.*]] = tile.elementwise "sigmoid" %{{.*}} {tsr.shortened}
// CHECK: tile.elementwise "sub" %{{.*}}, %[[S]]
// CHECK: tile.elementwise "sigmoid" %{{[^{]*}} : f32
tile.kernel @gates(%x: !tsr.view<["N"], f32>, %y: !tsr.view<["N"], bf16>, %z: !tsr.view<["N"], f32>) attributes {dims = ["N"],
    params = [#tsr.param<"x", in>, #tsr.param<"y", out>, #tsr.param<"z", out>], outputs = [], grid = #tsr.grid<lanes, ["N"]>, group = 256 : i64} {
  %i = tile.query "linear_id"
  %count = tile.dim "N"
  %inside = tile.elementwise "lt" %i, %count : index
  scf.if %inside {
    %e = tile.load_element %x[%i] {in_bounds = array<i1: true>} : !tsr.view<["N"], f32>
    %s = tile.elementwise "sigmoid" %e : f32
    %one = tile.constant 1.0 : f32
    %left = tile.elementwise "sub" %one, %s : f32
    %product = tile.elementwise "mul" %s, %left : f32
    %rounded = tile.cast %product : f32 to bf16
    tile.store_element %rounded, %y[%i] {in_bounds = array<i1: true>} : bf16, !tsr.view<["N"], bf16>
    %wide = tile.elementwise "sigmoid" %e : f32
    tile.store_element %wide, %z[%i] {in_bounds = array<i1: true>} : f32, !tsr.view<["N"], f32>
  }
  tile.kernel_end
}
