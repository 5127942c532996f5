// RUN: tessera-opt %s --set-machine=name=sm_80 --graph-to-schedule --verify-schedule | FileCheck %s
// RUN: tessera-opt %s --set-machine=name=sm_80 --graph-to-schedule --schedule-to-tile --tile-insert-barriers --verify-tile | FileCheck %s --check-prefix=TILE
// Tensor functions as irgen makes them of 02, 04, 05 and 09 of the canon, and what else a plan must handle.

// Elementwise: one lane an element; the bias is read where it is repeated.
// CHECK-LABEL: schedule.kernel @bias_residual_kernel(%x: {{.*}}, %b: {{.*}}, %r: {{.*}}, %result: {{.*}})
// CHECK-SAME: grid = #tsr.grid<lanes, ["C*R"]>, group = 256
// CHECK: %[[I:.*]] = graph.query "linear_id" 0
// CHECK: graph.elementwise "lt" %[[I]]
// CHECK: scf.if
// CHECK: %[[R:.*]] = graph.elementwise "floordiv" %[[I]]
// CHECK: %[[C:.*]] = graph.elementwise "mod" %[[I]]
// CHECK: graph.load %x[%[[R]] in_bounds, %[[C]] in_bounds]
// CHECK: graph.load %b[%[[C]] in_bounds]
// CHECK: graph.store %{{.*}}, %result[%[[R]] in_bounds, %[[C]] in_bounds] : bf16
// CHECK-LABEL: schedule.func @bias_residual
// CHECK: schedule.launch @bias_residual_kernel(%x, %b, %r, %result)
// CHECK-NEXT: schedule.return
graph.func @bias_residual(%x: !tsr.tensor<["R", "C"], bf16>, %b: !tsr.tensor<["C"], bf16>, %r: !tsr.tensor<["R", "C"], bf16>) -> !tsr.tensor<["R", "C"], bf16> attributes {
    dims = ["R", "C"], params = [#tsr.param<"x", in>, #tsr.param<"b", in>, #tsr.param<"r", in>], outputs = [#tsr.result<"result", !tsr.tensor<["R", "C"], bf16>>]} {
  %0 = graph.broadcast %b {axes = array<i64: 1>} : !tsr.tensor<["C"], bf16> to !tsr.tensor<["R", "C"], bf16>
  %1 = graph.cast %x : !tsr.tensor<["R", "C"], bf16> to !tsr.tensor<["R", "C"], f32>
  %2 = graph.cast %0 : !tsr.tensor<["R", "C"], bf16> to !tsr.tensor<["R", "C"], f32>
  %3 = graph.elementwise "add" %1, %2 : !tsr.tensor<["R", "C"], f32>
  %4 = graph.elementwise "tanh" %3 : !tsr.tensor<["R", "C"], f32>
  %5 = graph.cast %r : !tsr.tensor<["R", "C"], bf16> to !tsr.tensor<["R", "C"], f32>
  %6 = graph.elementwise "add" %4, %5 : !tsr.tensor<["R", "C"], f32>
  %7 = graph.cast %6 : !tsr.tensor<["R", "C"], f32> to !tsr.tensor<["R", "C"], bf16>
  graph.return %7 : !tsr.tensor<["R", "C"], bf16>
}

// Mean and variance along the last axis: one kernel, one group a row, the row's producers recomputed in each loop.
// CHECK-LABEL: schedule.kernel @layer_norm_kernel
// CHECK-SAME: grid = #tsr.grid<output, ["1", "1", "D"], param = 2>
// CHECK-SAME: rows = ["D"]
// CHECK: %[[B:.*]] = graph.query "origin" 0
// CHECK: %[[S:.*]] = graph.query "origin" 1
// CHECK: graph.load %x[%[[B]] in_bounds, %[[S]] in_bounds, %{{.*}} size "D" in_bounds]
// CHECK: graph.reduce "sum" %{{.*}} : <["D"], f32> to f32
// CHECK: graph.reduce "sum" %{{.*}} : <["D"], f32> to f32
// CHECK: graph.store
// TILE-LABEL: tile.kernel @layer_norm_kernel
// TILE: scf.for %{{.*}} = %{{.*}} to %{{.*}} step %{{.*}} iter_args
// TILE: tile.group_reduce "sum"
// TILE: scf.for %{{.*}} = %{{.*}} to %{{.*}} step %{{.*}} iter_args
// TILE: tile.load_element %x
// TILE: tile.elementwise "sub"
// TILE: tile.group_reduce "sum"
// TILE: scf.for
// TILE: tile.load_element %x
// TILE: tile.load_element %gamma
// TILE: tile.store_element %{{.*}}, %result
// TILE-NOT: tile.barrier
graph.func @layer_norm(%x: !tsr.tensor<["B", "S", "D"], f32>, %gamma: !tsr.tensor<["D"], f32>) -> !tsr.tensor<["B", "S", "D"], f32> attributes {
    dims = ["D", "B", "S"], params = [#tsr.param<"x", in>, #tsr.param<"gamma", in>], outputs = [#tsr.result<"result", !tsr.tensor<["B", "S", "D"], f32>>]} {
  %s = graph.reduce "sum" %x {axes = array<i64: 2>} : !tsr.tensor<["B", "S", "D"], f32> to !tsr.tensor<["B", "S"], f32>
  %D = graph.dim "D"
  %Df = graph.cast %D : index to f32
  %Ds = graph.full %Df : f32 to !tsr.tensor<["B", "S"], f32>
  %m = graph.elementwise "div" %s, %Ds : !tsr.tensor<["B", "S"], f32>
  %m1 = graph.reshape %m : !tsr.tensor<["B", "S"], f32> to !tsr.tensor<["B", "S", "1"], f32>
  %mb = graph.broadcast %m1 {axes = array<i64: 0, 1, 2>} : !tsr.tensor<["B", "S", "1"], f32> to !tsr.tensor<["B", "S", "D"], f32>
  %d = graph.elementwise "sub" %x, %mb : !tsr.tensor<["B", "S", "D"], f32>
  %sq = graph.elementwise "mul" %d, %d : !tsr.tensor<["B", "S", "D"], f32>
  %v = graph.reduce "sum" %sq {axes = array<i64: 2>} : !tsr.tensor<["B", "S", "D"], f32> to !tsr.tensor<["B", "S"], f32>
  %var = graph.elementwise "div" %v, %Ds : !tsr.tensor<["B", "S"], f32>
  %sd = graph.elementwise "sqrt" %var : !tsr.tensor<["B", "S"], f32>
  %sd1 = graph.reshape %sd : !tsr.tensor<["B", "S"], f32> to !tsr.tensor<["B", "S", "1"], f32>
  %sdb = graph.broadcast %sd1 {axes = array<i64: 0, 1, 2>} : !tsr.tensor<["B", "S", "1"], f32> to !tsr.tensor<["B", "S", "D"], f32>
  %n = graph.elementwise "div" %d, %sdb : !tsr.tensor<["B", "S", "D"], f32>
  %gb = graph.broadcast %gamma {axes = array<i64: 2>} : !tsr.tensor<["D"], f32> to !tsr.tensor<["B", "S", "D"], f32>
  %o = graph.elementwise "mul" %n, %gb : !tsr.tensor<["B", "S", "D"], f32>
  graph.return %o : !tsr.tensor<["B", "S", "D"], f32>
}

// Two reduced axes are one row; the single result of a group is stored once.
// CHECK-LABEL: schedule.kernel @adaptive_pooling_kernel
// CHECK-SAME: grid = #tsr.grid<output, ["1", "1"], param = 1>
// TILE-LABEL: tile.kernel @adaptive_pooling_kernel
// TILE: tile.dim "H*W"
// TILE: tile.elementwise "mod"
// TILE: tile.elementwise "floordiv"
// TILE: tile.group_reduce "sum"
// TILE: tile.once
graph.func @adaptive_pooling(%x: !tsr.tensor<["B", "C", "H", "W"], f32>) -> !tsr.tensor<["B", "C", "1", "1"], f32> attributes {
    dims = ["B", "C", "H", "W"], params = [#tsr.param<"x", in>], outputs = [#tsr.result<"result", !tsr.tensor<["B", "C", "1", "1"], f32>>]} {
  %s = graph.reduce "sum" %x {axes = array<i64: 2, 3>} : !tsr.tensor<["B", "C", "H", "W"], f32> to !tsr.tensor<["B", "C"], f32>
  %D = graph.dim "H*W"
  %Df = graph.cast %D : index to f32
  %Ds = graph.full %Df : f32 to !tsr.tensor<["B", "C"], f32>
  %m = graph.elementwise "div" %s, %Ds : !tsr.tensor<["B", "C"], f32>
  %m1 = graph.reshape %m : !tsr.tensor<["B", "C"], f32> to !tsr.tensor<["B", "C", "1", "1"], f32>
  graph.return %m1 : !tsr.tensor<["B", "C", "1", "1"], f32>
}

// CHECK-LABEL: schedule.kernel @split_heads_kernel
// CHECK: %[[D:.*]] = graph.elementwise "add"
// CHECK: graph.load %x[%{{.*}} in_bounds, %{{.*}} in_bounds, %[[D]] in_bounds]
graph.func @split_heads(%x: !tsr.tensor<["B", "S", "D"], f32>) -> !tsr.tensor<["B", "S", "H", "D // H"], f32> attributes {
    dims = ["B", "S", "D", "H"], params = [#tsr.param<"x", in>], outputs = [#tsr.result<"result", !tsr.tensor<["B", "S", "H", "D // H"], f32>>]} {
  %m1 = graph.reshape %x : !tsr.tensor<["B", "S", "D"], f32> to !tsr.tensor<["B", "S", "H", "D // H"], f32>
  graph.return %m1 : !tsr.tensor<["B", "S", "H", "D // H"], f32>
}

// CHECK-LABEL: schedule.kernel @concat_batches_kernel
// CHECK: scf.if %{{.*}} -> (f32)
// CHECK: graph.load %a
// CHECK: else
// CHECK: graph.elementwise "sub"
// CHECK: graph.load %b
graph.func @concat_batches(%a: !tsr.tensor<["N", "D"], f32>, %b: !tsr.tensor<["M", "D"], f32>) -> !tsr.tensor<["M + N", "D"], f32> attributes {
    dims = ["N", "M", "D"], params = [#tsr.param<"a", in>, #tsr.param<"b", in>], outputs = [#tsr.result<"result", !tsr.tensor<["M + N", "D"], f32>>]} {
  %c = graph.concat 0 %a, %b : (!tsr.tensor<["N", "D"], f32>, !tsr.tensor<["M", "D"], f32>) -> !tsr.tensor<["M + N", "D"], f32>
  graph.return %c : !tsr.tensor<["M + N", "D"], f32>
}

// A sum over the rows is used in all rows: a temporary between two kernels. Neighbouring lanes read neighbouring columns.
// CHECK-LABEL: schedule.kernel @column_center_kernel
// CHECK-SAME: grid = #tsr.grid<lanes, ["C"]>
// CHECK: graph.reduce "sum" %{{.*}} : <["R"], f32> to f32
// CHECK: schedule.kernel @column_center_kernel_1
// CHECK-LABEL: schedule.func @column_center
// CHECK: %[[T:.*]] = schedule.temp : <["C"], f32>
// CHECK: schedule.launch @column_center_kernel(%x, %[[T]])
// CHECK: schedule.launch @column_center_kernel_1(%x, %[[T]], %result)
// TILE-LABEL: tile.kernel @column_center_kernel
// TILE: scf.for
// TILE-NOT: tile.group_reduce
// TILE: tile.store_element
graph.func @column_center(%x: !tsr.tensor<["R", "C"], f32>) -> !tsr.tensor<["R", "C"], f32> attributes {
    dims = ["R", "C"], params = [#tsr.param<"x", in>], outputs = [#tsr.result<"result", !tsr.tensor<["R", "C"], f32>>]} {
  %s = graph.reduce "sum" %x {axes = array<i64: 0>} : !tsr.tensor<["R", "C"], f32> to !tsr.tensor<["C"], f32>
  %b = graph.broadcast %s {axes = array<i64: 1>} : !tsr.tensor<["C"], f32> to !tsr.tensor<["R", "C"], f32>
  %o = graph.elementwise "sub" %x, %b : !tsr.tensor<["R", "C"], f32>
  graph.return %o : !tsr.tensor<["R", "C"], f32>
}

// One group reduces everything, into the result that is the sum; the other result reads it there.
// CHECK-LABEL: schedule.kernel @normalize_all_kernel
// CHECK-SAME: grid = #tsr.grid<explicit, ["1"]>
// CHECK: graph.store %{{.*}}, %result_1[] {once}
// CHECK-LABEL: schedule.func @normalize_all
// CHECK-NOT: schedule.temp
// CHECK: schedule.launch @normalize_all_kernel(%x, %result_1)
// CHECK: schedule.launch @normalize_all_kernel_1(%x, %result_1, %result_0)
graph.func @normalize_all(%x: !tsr.tensor<["R", "C"], f32>) -> (!tsr.tensor<["R", "C"], f32>, !tsr.tensor<[], f32>) attributes {
    dims = ["R", "C"], params = [#tsr.param<"x", in>], outputs = [#tsr.result<"result_0", !tsr.tensor<["R", "C"], f32>>, #tsr.result<"result_1", !tsr.tensor<[], f32>>]} {
  %s = graph.reduce "sum" %x {axes = array<i64: 0, 1>} : !tsr.tensor<["R", "C"], f32> to !tsr.tensor<[], f32>
  %b = graph.broadcast %s {axes = array<i64>} : !tsr.tensor<[], f32> to !tsr.tensor<["R", "C"], f32>
  %o = graph.elementwise "div" %x, %b : !tsr.tensor<["R", "C"], f32>
  graph.return %o, %s : !tsr.tensor<["R", "C"], f32>, !tsr.tensor<[], f32>
}

// A product that another product consumes is stored; what follows a product elementwise is not.
// CHECK-LABEL: schedule.func @mlp
// CHECK: %[[H:.*]] = schedule.temp : <["B", "H"], f32>
// CHECK: schedule.launch @mlp_kernel(%x, %w, %[[H]])
// CHECK: schedule.launch @mlp_kernel_1(%[[H]], %v, %result)
// CHECK-NEXT: schedule.return
graph.func @mlp(%x: !tsr.tensor<["B", "I"], f32>, %w: !tsr.tensor<["I", "H"], f32>, %v: !tsr.tensor<["H", "O"], f32>) -> !tsr.tensor<["B", "O"], f32> attributes {
    dims = ["B", "I", "H", "O"], params = [#tsr.param<"x", in>, #tsr.param<"w", in>, #tsr.param<"v", in>], outputs = [#tsr.result<"result", !tsr.tensor<["B", "O"], f32>>]} {
  %h = graph.dot %x, %w : (!tsr.tensor<["B", "I"], f32>, !tsr.tensor<["I", "H"], f32>) -> !tsr.tensor<["B", "H"], f32>
  %t = graph.elementwise "tanh" %h : !tsr.tensor<["B", "H"], f32>
  %o = graph.dot %t, %v : (!tsr.tensor<["B", "H"], f32>, !tsr.tensor<["H", "O"], f32>) -> !tsr.tensor<["B", "O"], f32>
  %z = graph.constant 0.0 : f32
  %f = graph.full %z : f32 to !tsr.tensor<["B", "O"], f32>
  %r = graph.elementwise "max" %o, %f : !tsr.tensor<["B", "O"], f32>
  graph.return %r : !tsr.tensor<["B", "O"], f32>
}

// A kernel called from a tensor function writes to a temporary or to the result; one that works in place gets a copy.
graph.kernel @double(%x: !tsr.view<["n"], f32>) attributes {dims = ["n"], params = [#tsr.param<"x", inout>],
    outputs = [#tsr.result<"x", !tsr.tensor<["n"], f32>, param = 0>], grid = #tsr.grid<lanes, ["n"]>, uses_lanes} {
  %i = graph.query "linear_id" 0
  %n = graph.dim "n"
  %inside = graph.elementwise "lt" %i, %n : index
  scf.if %inside {
    %a = graph.load %x[%i in_bounds] : !tsr.view<["n"], f32> to f32
    %d = graph.elementwise "add" %a, %a : f32
    graph.store %d, %x[%i in_bounds] : f32, !tsr.view<["n"], f32>
  }
  graph.kernel_end
}
// CHECK-LABEL: schedule.func @calls
// CHECK: %[[T:.*]] = schedule.temp : <["2*m"], f32>
// CHECK: schedule.launch @calls_kernel(%x, %[[T]])
// CHECK: schedule.launch @double_kernel(%[[T]]) {dims = #tsr.dims<["2*m"]>}
// CHECK: schedule.launch @calls_kernel_1(%[[T]], %result)
graph.func @calls(%x: !tsr.tensor<["2*m"], f32>) -> !tsr.tensor<["2*m"], f32> attributes {
    dims = ["m"], params = [#tsr.param<"x", in>], outputs = [#tsr.result<"result", !tsr.tensor<["2*m"], f32>>]} {
  %y = graph.call @double(%x) : (!tsr.tensor<["2*m"], f32>) -> !tsr.tensor<["2*m"], f32>
  %z = graph.elementwise "exp" %y : !tsr.tensor<["2*m"], f32>
  graph.return %z : !tsr.tensor<["2*m"], f32>
}

// What is filled for a kernel that works in place is filled where the result is: no temporary, and no copy.
// CHECK-LABEL: schedule.func @fills
// CHECK-NOT: schedule.temp
// CHECK: schedule.launch @fills_kernel(%result)
// CHECK-NEXT: schedule.launch @double_kernel(%result) {dims = #tsr.dims<["m"]>}
// CHECK-NEXT: schedule.return
graph.func @fills(%x: !tsr.tensor<["m"], f32>) -> !tsr.tensor<["m"], f32> attributes {
    dims = ["m"], params = [#tsr.param<"x", in>], outputs = [#tsr.result<"result", !tsr.tensor<["m"], f32>>]} {
  %one = graph.constant 1.0 : f32
  %f = graph.full %one : f32 to !tsr.tensor<["m"], f32>
  %y = graph.call @double(%f) : (!tsr.tensor<["m"], f32>) -> !tsr.tensor<["m"], f32>
  graph.return %y : !tsr.tensor<["m"], f32>
}

// A constant argument makes a kernel of its own without that parameter.
graph.kernel @scale(%x: !tsr.view<["n"], f32>, %by: f32, %result: !tsr.view<["n"], f32>) attributes {dims = ["n"],
    params = [#tsr.param<"x", in>, #tsr.param<"by", in>, #tsr.param<"result", out, result>],
    outputs = [#tsr.result<"result", !tsr.tensor<["n"], f32>, param = 2>], grid = #tsr.grid<output, ["1"], param = 2>} {
  %i = graph.query "origin" 0
  %a = graph.load %x[%i in_bounds] : !tsr.view<["n"], f32> to f32
  %d = graph.elementwise "mul" %a, %by : f32
  graph.store %d, %result[%i in_bounds] {once} : f32, !tsr.view<["n"], f32>
  graph.kernel_end
}
// CHECK-LABEL: schedule.kernel @scale_kernel_1(%x: !tsr.view<["n"], f32>, %result: !tsr.view<["n"], f32>)
// CHECK-SAME: grid = #tsr.grid<output, ["1"], param = 1>
// CHECK-SAME: param = 1>]
// CHECK: graph.constant 2.000000e+00
// CHECK-LABEL: schedule.func @calls_scale
// CHECK: schedule.launch @scale_kernel_1(%x, %result)
graph.func @calls_scale(%x: !tsr.tensor<["n"], f32>) -> !tsr.tensor<["n"], f32> attributes {
    dims = ["n"], params = [#tsr.param<"x", in>], outputs = [#tsr.result<"result", !tsr.tensor<["n"], f32>>]} {
  %two = graph.constant 2.0 : f32
  %y = graph.call @scale(%x, %two) : (!tsr.tensor<["n"], f32>, f32) -> !tsr.tensor<["n"], f32>
  graph.return %y : !tsr.tensor<["n"], f32>
}

// An operand of a product whose rows are of two tensors gets memory of its own.
// CHECK-LABEL: schedule.kernel @joined_operand_kernel
// CHECK-LABEL: schedule.kernel @joined_kernel
// CHECK-LABEL: schedule.func @joined
// CHECK: %[[T:.*]] = schedule.temp : <["M + N", "2*D"], f32>
// CHECK: schedule.launch @joined_operand_kernel(%x, %y, %[[T]])
// CHECK: schedule.launch @joined_kernel(%[[T]], %w, %result)
graph.func @joined(%x: !tsr.tensor<["M", "2*D"], f32>, %y: !tsr.tensor<["N", "2*D"], f32>, %w: !tsr.tensor<["2*D"], f32>) -> !tsr.tensor<["M + N", "2"], f32> attributes {
    dims = ["M", "N", "D"], params = [#tsr.param<"x", in>, #tsr.param<"y", in>, #tsr.param<"w", in>], outputs = [#tsr.result<"result", !tsr.tensor<["M + N", "2"], f32>>]} {
  %zero = graph.constant 0 : index
  %both = graph.concat 0 %x, %y : (!tsr.tensor<["M", "2*D"], f32>, !tsr.tensor<["N", "2*D"], f32>) -> !tsr.tensor<["M + N", "2*D"], f32> loc("operand"("x.tsr":1:1))
  %w2 = graph.reshape %w : !tsr.tensor<["2*D"], f32> to !tsr.tensor<["2", "D"], f32>
  %turned = graph.transpose %w2 {perm = array<i64: 1, 0>} : !tsr.tensor<["2", "D"], f32> to !tsr.tensor<["D", "2"], f32>
  %halves = graph.slice %both[%zero size "M + N" in_bounds, %zero size "D" in_bounds] : !tsr.tensor<["M + N", "2*D"], f32> to !tsr.tensor<["M + N", "D"], f32>
  %p = graph.dot %halves, %turned : (!tsr.tensor<["M + N", "D"], f32>, !tsr.tensor<["D", "2"], f32>) -> !tsr.tensor<["M + N", "2"], f32>
  graph.return %p : !tsr.tensor<["M + N", "2"], f32>
}

// What is chosen by indices lies in memory. A place that the whole row shares is an index that is masked, places that
// differ along it stay a gather whose elements are masked loads.
// CHECK-LABEL: schedule.kernel @embedded_kernel
// CHECK: %[[AT:.*]] = graph.cast %{{.*}} : i64 to index
// CHECK: graph.load %table[%[[AT]], %{{.*}} in_bounds] : !tsr.view<["V", "D"], f32> to f32
graph.func @embedded(%table: !tsr.tensor<["V", "D"], f32>, %ids: !tsr.tensor<["N"], i64>) -> !tsr.tensor<["N", "D"], f32> attributes {
    dims = ["V", "D", "N"], params = [#tsr.param<"table", in>, #tsr.param<"ids", in>], outputs = [#tsr.result<"result", !tsr.tensor<["N", "D"], f32>>]} {
  %rows = graph.gather 0 %table at %ids {axes = array<i64: 0>} : (!tsr.tensor<["V", "D"], f32>, !tsr.tensor<["N"], i64>) -> !tsr.tensor<["N", "D"], f32>
  graph.return %rows : !tsr.tensor<["N", "D"], f32>
}
// CHECK-LABEL: schedule.kernel @chosen_total_kernel
// CHECK: graph.gather 0 %{{.*}} at %{{.*}} {axes = array<i64: 0>} : (!tsr.tensor<["V"], f32>, !tsr.tensor<["N"], i64>) -> !tsr.tensor<["N"], f32>
// TILE-LABEL: tile.kernel @chosen_total_kernel
// TILE: tile.load_element %table[%{{.*}}] : !tsr.view<["V"], f32>
graph.func @chosen_total(%table: !tsr.tensor<["V"], f32>, %ids: !tsr.tensor<["N"], i64>) -> !tsr.tensor<[], f32> attributes {
    dims = ["V", "N"], params = [#tsr.param<"table", in>, #tsr.param<"ids", in>], outputs = [#tsr.result<"result", !tsr.tensor<[], f32>>]} {
  %values = graph.gather 0 %table at %ids {axes = array<i64: 0>} : (!tsr.tensor<["V"], f32>, !tsr.tensor<["N"], i64>) -> !tsr.tensor<["N"], f32>
  %total = graph.reduce "sum" %values {axes = array<i64: 0>} : !tsr.tensor<["N"], f32> to !tsr.tensor<[], f32>
  graph.return %total : !tsr.tensor<[], f32>
}

// What is sorted lies in memory, also where it is computed first, and so does its order: one group a row. Long rows are sorted by the digits of
// their keys, by all groups together: four passes for 32 bits, of which the last leaves the places. Which it is, sizes say.
// CHECK-LABEL: schedule.kernel @ordered_kernel(%x: {{.*}}, %result: !tsr.view<["M", "N"], f32>)
// CHECK-LABEL: schedule.kernel @ordered_kernel_1(%temporary: {{.*}}, %counts: !tsr.view<["M", "256", "(N + 4095) // 4096"], i32>)
// Falling, and a NaN behind all numbers.
// CHECK: graph.elementwise "isnan"
// CHECK: graph.cast %{{.*}} {rounding = "bits"} : f32 to i32
// CHECK: %[[KEY:.*]] = graph.elementwise "xor" %{{.*}}, %{{.*}} : i64
// CHECK-NEXT: graph.elementwise "select" %{{.*}}, %{{.*}}, %[[KEY]] : i64
// CHECK-LABEL: schedule.kernel @ordered_kernel_2(%temporary: {{.*}}, %sums: {{.*}}, %words: !tsr.view<["M", "N"], i64>)
// CHECK-LABEL: schedule.kernel @ordered_kernel_5(%words: {{.*}}, %sums: {{.*}}, %result: !tsr.view<["M", "N"], i64>)
// CHECK: tsr.in_order
// CHECK: %[[PLACE:.*]] = graph.elementwise "and" %word
// CHECK: graph.store %[[PLACE]], %result
// CHECK-LABEL: schedule.kernel @ordered_kernel_6(%temporary: !tsr.view<["M", "N"], f32>, %result: !tsr.view<["M", "N"], i64>)
// CHECK-SAME: grid = #tsr.grid<output, ["1", "N"], param = 1>
// CHECK-NEXT: %row = graph.query "origin" 0
// CHECK-NEXT: schedule.argsort_row %temporary, %result[%row] {descending}
// CHECK-NEXT: schedule.kernel_end
// CHECK-LABEL: schedule.kernel @ordered_kernel_7
// CHECK-LABEL: schedule.func @ordered(
// CHECK-COUNT-3: schedule.launch @ordered_sums_kernel(
// CHECK: schedule.launch @ordered_kernel_5({{.*}}) {tsr.when = {{\[\[}}"and", #tsr.requirement<"8192" lt "N", "">, #tsr.requirement<"N" lt "2147483647", "">]]}
// CHECK: schedule.launch @ordered_kernel_6({{.*}}) {tsr.when = {{\[\[}}"not", ["and", #tsr.requirement<"8192" lt "N", "">, #tsr.requirement<"N" lt "2147483647", "">]]]}
// TILE-LABEL: tile.kernel @ordered_kernel_6
// TILE-NEXT: %row = tile.query "origin"
// TILE-NEXT: tile.argsort_row %temporary, %result[%row] {descending}
graph.func @ordered(%x: !tsr.tensor<["M", "N"], f32>) -> !tsr.tensor<["M", "N"], f32> attributes {
    dims = ["M", "N"], params = [#tsr.param<"x", in>], outputs = [#tsr.result<"result", !tsr.tensor<["M", "N"], f32>>]} {
  %y = graph.elementwise "add" %x, %x : !tsr.tensor<["M", "N"], f32>
  %at = graph.argsort %y {descending} : !tsr.tensor<["M", "N"], f32> to !tsr.tensor<["M", "N"], i64>
  %z = graph.gather 1 %y at %at {axes = array<i64: 0, 1>} : (!tsr.tensor<["M", "N"], f32>, !tsr.tensor<["M", "N"], i64>) -> !tsr.tensor<["M", "N"], f32>
  graph.return %z : !tsr.tensor<["M", "N"], f32>
}

// Of an order only the first places are read: one group finds them, of few long rows in parts. Where all are read as well, the row is sorted.
// CHECK-LABEL: schedule.kernel @first_kernel(%x: {{.*}}, %firsts: !tsr.view<["M", "5*((N + 4095) // 4096)"], i64>)
// CHECK-SAME: grid = #tsr.grid<lanes, ["256*((N + 4095) // 4096)*M"]>
// CHECK: schedule.argsort_row %x, %firsts[%m] part %part {descending, first = 5 : i64, length = 4096 : i64}
// CHECK-LABEL: schedule.kernel @first_kernel_1(%x: {{.*}}, %firsts: {{.*}}, %b: !tsr.view<["M", "5"], i64>)
// CHECK: schedule.argsort_row %x, %b[%group] of %firsts : {{.*}} {descending} : <["M", "N"], f32>, <["M", "5"], i64>
// CHECK-LABEL: schedule.kernel @first_kernel_2(%x: {{.*}}, %b: !tsr.view<["M", "5"], i64>)
// CHECK-SAME: grid = #tsr.grid<output, ["1", "5"], param = 1>
// CHECK: schedule.argsort_row %x, %b[%row] {descending} : <["M", "N"], f32>, <["M", "5"], i64>
// CHECK: schedule.argsort_row %x, %d[%row] : <["M", "N"], f32>, <["M", "N"], i64>
// CHECK-LABEL: schedule.func @first(
// CHECK: schedule.launch @first_kernel({{.*}}) {tsr.when = {{\[\[}}"and", #tsr.requirement<"16384" lt "N", "">, #tsr.requirement<"N" lt "4294967296", "">, #tsr.requirement<"M" lt "512", "">]]}
// CHECK: schedule.launch @first_kernel_2({{.*}}) {tsr.when = {{\[\[}}"not", ["and", #tsr.requirement<"16384" lt "N", "">
// TILE: tile.argsort_row %x, %firsts[%{{.*}}] part %{{.*}} {descending, first = 5 : i64, length = 4096 : i64}
// TILE: tile.argsort_row %x, %b[%{{.*}}] of %firsts : {{.*}} {descending}
// TILE: tile.argsort_row %x, %b[%row] {descending} : <["M", "N"], f32>, <["M", "5"], i64>
// TILE-LABEL: tile.func @first(
graph.func @first(%x: !tsr.tensor<["M", "N"], f32>) -> (!tsr.tensor<["M", "3"], i64>, !tsr.tensor<["M", "5"], i64>, !tsr.tensor<["M", "2"], i64>, !tsr.tensor<["M", "N"], i64>) attributes {
    dims = ["M", "N"], params = [#tsr.param<"x", in>],
    outputs = [#tsr.result<"a", !tsr.tensor<["M", "3"], i64>>, #tsr.result<"b", !tsr.tensor<["M", "5"], i64>>, #tsr.result<"c", !tsr.tensor<["M", "2"], i64>>, #tsr.result<"d", !tsr.tensor<["M", "N"], i64>>]} {
  %0 = graph.constant 0 : index
  %order = graph.argsort %x {descending} : !tsr.tensor<["M", "N"], f32> to !tsr.tensor<["M", "N"], i64>
  %a = graph.slice %order[%0 size "M" in_bounds, %0 size "3" in_bounds] : !tsr.tensor<["M", "N"], i64> to !tsr.tensor<["M", "3"], i64>
  %b = graph.slice %order[%0 size "M" in_bounds, %0 size "5" in_bounds] : !tsr.tensor<["M", "N"], i64> to !tsr.tensor<["M", "5"], i64>
  %all = graph.argsort %x : !tsr.tensor<["M", "N"], f32> to !tsr.tensor<["M", "N"], i64>
  %c = graph.slice %all[%0 size "M" in_bounds, %0 size "2" in_bounds] : !tsr.tensor<["M", "N"], i64> to !tsr.tensor<["M", "2"], i64>
  graph.return %a, %b, %c, %all : !tsr.tensor<["M", "3"], i64>, !tsr.tensor<["M", "5"], i64>, !tsr.tensor<["M", "2"], i64>, !tsr.tensor<["M", "N"], i64>
}

// Host code keeps its operations.
// CHECK-LABEL: schedule.host_func @main
// CHECK: graph.print
// CHECK: schedule.return
// TILE-LABEL: tile.host_func @main
// TILE: graph.print
// TILE: tile.return
graph.host_func @main() attributes {dims = [], params = [], outputs = []} {
  %0 = graph.string "hello"
  graph.print %0
  graph.return
}
