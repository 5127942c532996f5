// RUN: tessera-opt %s --tile-order-groups | FileCheck %s

!V = !tile.fragment<["T.m"], f32, #tile.slice<1, #tile.grid<32 x 1>>>

// The loop ends after the group's own rows: those of the last groups are the longest.
// CHECK-LABEL: tile.kernel @causal
// CHECK-SAME: longest_first = 1 : i64
// CHECK-SAME: "groups with the longest loops go first"
tile.kernel @causal(%y: !tsr.view<["B", "S"], f32>) attributes {dims = ["B", "S"], params = [#tsr.param<"y", out>], outputs = [],
    context = ["m"], sizes = {m = 32 : i64}, grid = #tsr.grid<output, ["1", "T.m"], param = 0>, group = 32 : i64} {
  %c0 = tile.constant 0 : index
  %b = tile.query "origin"
  %q = tile.query "origin" {axis = 1 : i64}
  %S = tile.dim "S"
  %m = tile.dim "T.m"
  %after = tile.elementwise "add" %q, %m : index
  %end = tile.elementwise "min" %S, %after : index
  %zero = tile.constant 0.0 : f32
  %start = tile.fill %zero : f32 to !V
  %sum = scf.for %k = %c0 to %end step %m iter_args(%acc = %start) -> (!V) {
    %next = tile.elementwise "add" %acc, %acc : !V
    scf.yield %next : !V
  }
  tile.store_fragment %sum, %y[%b, %q size "T.m"] : !V, <["B", "S"], f32>
  tile.kernel_end
}

// The loop begins at the group's own rows: those of the first groups are the longest.
// CHECK-LABEL: tile.kernel @from_own_rows
// CHECK-SAME: longest_first = 1 : i64
// CHECK-SAME: tsr.longest_at_start
tile.kernel @from_own_rows(%y: !tsr.view<["B", "S"], f32>) attributes {dims = ["B", "S"], params = [#tsr.param<"y", out>], outputs = [],
    context = ["m"], sizes = {m = 32 : i64}, grid = #tsr.grid<output, ["1", "T.m"], param = 0>, group = 32 : i64} {
  %b = tile.query "origin"
  %q = tile.query "origin" {axis = 1 : i64}
  %S = tile.dim "S"
  %m = tile.dim "T.m"
  %step = tile.constant 16 : index
  %tile = tile.elementwise "floordiv" %q, %step : index
  %first = tile.elementwise "mul" %tile, %step : index
  %zero = tile.constant 0.0 : f32
  %start = tile.fill %zero : f32 to !V
  %sum = scf.for %k = %first to %S step %m iter_args(%acc = %start) -> (!V) {
    %next = tile.elementwise "add" %acc, %acc : !V
    scf.yield %next : !V
  }
  tile.store_fragment %sum, %y[%b, %q size "T.m"] : !V, <["B", "S"], f32>
  tile.kernel_end
}

// The further the group, the less it has to do, but that is not seen; and all the same.
// CHECK-LABEL: tile.kernel @from_here
// CHECK-NOT: longest_first
tile.kernel @from_here(%y: !tsr.view<["B", "S"], f32>) attributes {dims = ["B", "S"], params = [#tsr.param<"y", out>], outputs = [],
    context = ["m"], sizes = {m = 32 : i64}, grid = #tsr.grid<output, ["1", "T.m"], param = 0>, group = 32 : i64} {
  %c0 = tile.constant 0 : index
  %b = tile.query "origin"
  %q = tile.query "origin" {axis = 1 : i64}
  %S = tile.dim "S"
  %m = tile.dim "T.m"
  %rest = tile.elementwise "sub" %S, %q : index
  %zero = tile.constant 0.0 : f32
  %start = tile.fill %zero : f32 to !V
  %sum = scf.for %k = %c0 to %rest step %m iter_args(%acc = %start) -> (!V) {
    %next = tile.elementwise "add" %acc, %acc : !V
    scf.yield %next : !V
  }
  %more = scf.for %k = %c0 to %S step %m iter_args(%acc = %sum) -> (!V) {
    %next = tile.elementwise "add" %acc, %acc : !V
    scf.yield %next : !V
  }
  tile.store_fragment %more, %y[%b, %q size "T.m"] : !V, <["B", "S"], f32>
  tile.kernel_end
}

// A mask that the caller asks for or not: the same choice in every group.
// CHECK-LABEL: tile.kernel @if_asked
// CHECK-SAME: longest_first = 1
tile.kernel @if_asked(%asked: i1, %y: !tsr.view<["B", "S"], f32>) attributes {dims = ["B", "S"], params = [#tsr.param<"asked", in>, #tsr.param<"y", out>], outputs = [],
    context = ["m"], sizes = {m = 32 : i64}, grid = #tsr.grid<output, ["1", "T.m"], param = 1>, group = 32 : i64} {
  %c0 = tile.constant 0 : index
  %b = tile.query "origin"
  %q = tile.query "origin" {axis = 1 : i64}
  %S = tile.dim "S"
  %m = tile.dim "T.m"
  %after = tile.elementwise "add" %q, %m : index
  %end = tile.elementwise "select" %asked, %after, %S : index
  %zero = tile.constant 0.0 : f32
  %start = tile.fill %zero : f32 to !V
  %sum = scf.for %k = %c0 to %end step %m iter_args(%acc = %start) -> (!V) {
    %next = tile.elementwise "add" %acc, %acc : !V
    scf.yield %next : !V
  }
  tile.store_fragment %sum, %y[%b, %q size "T.m"] : !V, <["B", "S"], f32>
  tile.kernel_end
}
