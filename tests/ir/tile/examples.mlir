// The example of every operation of the tile dialect, printed and read again.
// RUN: tessera-opt %s | tessera-opt | FileCheck %s

!F = !tile.fragment<["T.m", "T.n"], f32, #tile.grid<16 x 16>>
!R = !tile.fragment<["T.m"], f32, #tile.slice<1, #tile.grid<16 x 16>>>

// CHECK-LABEL: tile.kernel @ones(%x: !tsr.view<["n"], f32>)
// CHECK-SAME: group = 256 : i64
tile.kernel @ones(%x: !tsr.view<["n"], f32>) attributes {dims = ["n"], params = [#tsr.param<"x", out>], outputs = [],
                  grid = #tsr.grid<lanes, ["n"]>, group = 256 : i64} {
  // CHECK: tile.query "linear_id"
  %i = tile.query "linear_id"
  // CHECK: tile.constant 1.000000e+00 : f32
  %one = tile.constant 1.0 : f32
  // CHECK: tile.store_element %{{.*}}, %x[%{{.*}}] : f32, !tsr.view<["n"], f32>
  tile.store_element %one, %x[%i] : f32, !tsr.view<["n"], f32>
  // CHECK: tile.atomic "max" %{{.*}}, %x[%{{.*}}] : (f32, !tsr.view<["n"], f32>, index) -> f32
  %old = tile.atomic "max" %one, %x[%i] : (f32, !tsr.view<["n"], f32>, index) -> f32
  // CHECK: tile.kernel_end
  tile.kernel_end
}

// CHECK-LABEL: tile.func @fill
tile.func @fill(%x: !tsr.view<["2*m"], f32>) attributes {dims = ["m"], params = [#tsr.param<"x", out>], outputs = []} {
  // CHECK: tile.table "fill_weights" [true, false] : <["2"], i1>
  %w = tile.table "fill_weights" [true, false] : <["2"], i1>
  // CHECK: tile.temp : <["2*m"], f32>
  %t = tile.temp : <["2*m"], f32>
  // CHECK: tile.temp_within %{{.*}} at <"4*m"> : !tsr.view<["m"], f32> in !tsr.view<["2*m"], f32>
  %behind = tile.temp_within %t at <"4*m"> : !tsr.view<["m"], f32> in !tsr.view<["2*m"], f32>
  // CHECK: tile.launch @ones(%{{.*}}) {dims = #tsr.dims<["2*m"]>} : !tsr.view<["2*m"], f32>
  tile.launch @ones(%t) {dims = #tsr.dims<["2*m"]>} : !tsr.view<["2*m"], f32>
  tile.launch @ones(%x) {dims = #tsr.dims<["2*m"]>} : !tsr.view<["2*m"], f32>
  // CHECK: tile.exchange "all_reduce" "dp" %{{.*}}, %{{.*}} : <["2*m"], f32>, <["2*m"], f32>
  tile.exchange "all_reduce" "dp" %t, %t : <["2*m"], f32>, <["2*m"], f32>
  // CHECK: tile.return
  tile.return
}

// CHECK-LABEL: tile.host_func @main
tile.host_func @main() attributes {dims = [], params = [], outputs = []} {
  tile.return
}

// CHECK-LABEL: tile.kernel @scalars
tile.kernel @scalars(%x: !tsr.view<["M", "N"], f32>, %result: !tsr.view<[], f32>) attributes {
    dims = ["M", "N"], params = [#tsr.param<"x", in>, #tsr.param<"result", out, result>],
    outputs = [#tsr.result<"result", !tsr.tensor<[], f32>, param = 1>], grid = #tsr.grid<explicit, ["1"]>, group = 64 : i64} {
  // CHECK: tile.dim "M + N"
  %d = tile.dim "M + N"
  // CHECK: tile.query "origin" {axis = 1 : i64}
  %m = tile.query "origin" {axis = 1 : i64}
  %zero = tile.constant 0.0 : f32
  // CHECK: tile.load_element %x[%{{.*}}, %{{.*}}] other %{{.*}} : f32 {in_bounds = array<i1: true, false>} : !tsr.view<["M", "N"], f32>
  %e = tile.load_element %x[%m, %d] other %zero : f32 {in_bounds = array<i1: true, false>} : !tsr.view<["M", "N"], f32>
  // CHECK: tile.elementwise "exp" %{{.*}} : f32
  %y = tile.elementwise "exp" %e : f32
  // CHECK: tile.cast %{{.*}} : f32 to bf16
  %b = tile.cast %y : f32 to bf16
  // CHECK: tile.cast %{{.*}} {rounding = "bits"} : f32 to ui32
  %word = tile.cast %y {rounding = "bits"} : f32 to ui32
  // CHECK: tile.cast %{{.*}} {rounding = "toward_zero", saturate} : f32 to f8E4M3FN
  %f8 = tile.cast %y {rounding = "toward_zero", saturate} : f32 to f8E4M3FN
  // CHECK: tile.warp "shuffle" %{{.*}}, %{{.*}} : (f32, index) -> f32
  %next = tile.warp "shuffle" %y, %m : (f32, index) -> f32
  // CHECK: tile.warp "sum" %{{.*}} : (f32) -> f32
  %total = tile.warp "sum" %y : (f32) -> f32
  // CHECK: tile.group_reduce "max" %{{.*}} : f32
  %max = tile.group_reduce "max" %y : f32
  // CHECK: tile.once {
  tile.once {
    // CHECK: tile.store_element %{{.*}}, %result[] : f32, !tsr.view<[], f32>
    tile.store_element %max, %result[] : f32, !tsr.view<[], f32>
  }
  tile.kernel_end
}

// CHECK-LABEL: tile.kernel @fragments
// CHECK-SAME: capacity = {D = array<i64: 64, 128>}
tile.kernel @fragments(%A: !tsr.view<["B", "M", "K"], bf16>, %C: !tsr.view<["B", "M", "N"], f32>) attributes {
    dims = ["B", "M", "N", "K", "D"], params = [#tsr.param<"A", in>, #tsr.param<"C", inout>], outputs = [],
    grid = #tsr.grid<output, ["1", "T.m", "T.n"], param = 1>, group = 256 : i64, context = ["m", "n", "k"],
    sizes = {m = 64 : i64, n = 64 : i64, k = 32 : i64}, capacity = {D = array<i64: 64, 128>}, reasons = ["usual sizes"]} {
  // CHECK: tile.alloc_shared : <["T.m", "T.k"], bf16, "">
  %a = tile.alloc_shared : <["T.m", "T.k"], bf16, "">
  %b = tile.alloc_shared : <["T.n", "T.k"], bf16, "">
  // CHECK: tile.alloc_shared {manual} : <["2", "T.m", "T.k"], bf16, "xor">
  %stages = tile.alloc_shared {manual} : <["2", "T.m", "T.k"], bf16, "xor">
  %s = tile.alloc_shared : <["T.m", "T.n"], f32, "">
  %m = tile.query "origin" {axis = 1 : i64}
  %n = tile.query "origin" {axis = 2 : i64}
  %c0 = tile.constant 0 : index
  // CHECK: tile.select_buffer %{{.*}}[%{{.*}}] : <["2", "T.m", "T.k"], bf16, "xor"> to <["T.m", "T.k"], bf16, "xor">
  %stage = tile.select_buffer %stages[%c0] : <["2", "T.m", "T.k"], bf16, "xor"> to <["T.m", "T.k"], bf16, "xor">
  // CHECK: tile.copy %A[%{{.*}} in_bounds, %{{.*}} size "T.m", %{{.*}} size "T.k"] to %{{.*}} {async} : <["B", "M", "K"], bf16> to <["T.m", "T.k"], bf16, "xor">
  tile.copy %A[%c0 in_bounds, %m size "T.m", %c0 size "T.k"] to %stage {async} : <["B", "M", "K"], bf16> to <["T.m", "T.k"], bf16, "xor">
  // CHECK: tile.commit_group
  tile.commit_group
  // CHECK: tile.wait_group {pending = 0 : i64}
  tile.wait_group {pending = 0}
  // CHECK: tile.barrier
  tile.barrier {participants = "group"}
  %zero = tile.constant 0.0 : f32
  // CHECK: tile.fill %{{.*}} : f32 to <["T.m", "T.n"], f32, #tile.grid<16 x 16>>
  %acc = tile.fill %zero : f32 to !F
  // CHECK: tile.dot %{{.*}}, %{{.*}}, %{{.*}} {trans_b} : <["T.m", "T.n"], f32, #tile.grid<16 x 16>>, !tsr.shared<["T.m", "T.k"], bf16, "">, <["T.n", "T.k"], bf16, "">
  %next = tile.dot %acc, %a, %b {trans_b} : !F, !tsr.shared<["T.m", "T.k"], bf16, "">, <["T.n", "T.k"], bf16, "">
  // CHECK: tile.load_fragment %C[%{{.*}} in_bounds, %{{.*}} size "T.m", %{{.*}} size "T.n"] other %{{.*}} : f32 : <["B", "M", "N"], f32> to <["T.m", "T.n"], f32, #tile.grid<16 x 16>>
  %c = tile.load_fragment %C[%c0 in_bounds, %m size "T.m", %n size "T.n"] other %zero : f32 : <["B", "M", "N"], f32> to !F
  // CHECK: tile.elementwise "add" %{{.*}}, %{{.*}} : !tile.fragment<["T.m", "T.n"], f32, #tile.grid<16 x 16>>
  %sum = tile.elementwise "add" %next, %c : !F
  // CHECK: tile.iota {axis = 1 : i64} : <["T.m", "T.n"], i32, #tile.grid<16 x 16>>
  %cols = tile.iota {axis = 1} : <["T.m", "T.n"], i32, #tile.grid<16 x 16>>
  // CHECK: tile.columns %{{.*}}, %{{.*}} : <["T.m", "T.n"], f32, #tile.grid<16 x 16>> to <["T.m", "32"], f32, #tile.grid<16 x 16>>
  %some = tile.columns %sum, %c0 : !F to <["T.m", "32"], f32, #tile.grid<16 x 16>>
  // CHECK: tile.scan "sum" %{{.*}} {axis = 1 : i64} : <["T.m", "T.n"], f32, #tile.grid<16 x 16>>
  %scanned = tile.scan "sum" %c {axis = 1 : i64} : !F
  // CHECK: tile.argsort %{{.*}} {descending} : <["T.m", "T.n"], f32, #tile.grid<16 x 16>> to <["T.m", "T.n"], i64, #tile.grid<16 x 16>>
  %order = tile.argsort %c {descending} : !F to <["T.m", "T.n"], i64, #tile.grid<16 x 16>>
  // CHECK: tile.gather %{{.*}} at %{{.*}} {axis = 1 : i64} : (!tile.fragment<["T.m", "T.n"], f32, #tile.grid<16 x 16>>, !tile.fragment<["T.m", "T.n"], i64, #tile.grid<16 x 16>>) -> !tile.fragment<["T.m", "T.n"], f32, #tile.grid<16 x 16>>
  %ordered = tile.gather %c at %order {axis = 1 : i64} : (!F, !tile.fragment<["T.m", "T.n"], i64, #tile.grid<16 x 16>>) -> !F
  // CHECK: tile.reduce "max" %{{.*}} {axis = 1 : i64} : <["T.m", "T.n"], f32, #tile.grid<16 x 16>> to !tile.fragment<["T.m"], f32, #tile.slice<1, #tile.grid<16 x 16>>>
  %max = tile.reduce "max" %sum {axis = 1} : !F to !R
  // CHECK: tile.combine_lanes "sum" %{{.*}} : <["T.m"], f32, #tile.slice<1, #tile.grid<16 x 16>>>
  %combined = tile.combine_lanes "sum" %max : <["T.m"], f32, #tile.slice<1, #tile.grid<16 x 16>>>
  // CHECK: tile.reduce "sum" %{{.*}} {axis = 0 : i64} : <["T.m"], f32, #tile.slice<1, #tile.grid<16 x 16>>> to f32
  %all = tile.reduce "sum" %max {axis = 0} : !R to f32
  // CHECK: tile.broadcast %{{.*}} : <["T.m"], f32, #tile.slice<1, #tile.grid<16 x 16>>> to <["T.m", "T.n"], f32, #tile.grid<16 x 16>>
  %wide = tile.broadcast %max : !R to !F
  // CHECK: tile.write_shared %{{.*}}, %{{.*}}[%{{.*}} size "T.m" in_bounds, %{{.*}} size "T.n" in_bounds] : <["T.m", "T.n"], f32, #tile.grid<16 x 16>>, <["T.m", "T.n"], f32, "">
  tile.write_shared %wide, %s[%c0 size "T.m" in_bounds, %c0 size "T.n" in_bounds] : !F, <["T.m", "T.n"], f32, "">
  // CHECK: tile.read_shared %{{.*}}[%{{.*}} size "T.m" in_bounds, %{{.*}} size "T.n" in_bounds] {transposed} : <["T.m", "T.n"], f32, ""> to <["T.n", "T.m"], f32, #tile.grid<16 x 16>>
  %t = tile.read_shared %s[%c0 size "T.m" in_bounds, %c0 size "T.n" in_bounds] {transposed} : <["T.m", "T.n"], f32, ""> to <["T.n", "T.m"], f32, #tile.grid<16 x 16>>
  // CHECK: tile.store_fragment %{{.*}}, %C[%{{.*}} in_bounds, %{{.*}} size "T.m", %{{.*}} size "T.n"] : <["T.m", "T.n"], f32, #tile.grid<16 x 16>>, <["B", "M", "N"], f32>
  tile.store_fragment %sum, %C[%c0 in_bounds, %m size "T.m", %n size "T.n"] : !F, <["B", "M", "N"], f32>
  tile.kernel_end
}

// Vectors of a lane, rows that are held, and what a kernel is compiled for.
// CHECK-LABEL: tile.kernel @vectors
// CHECK-SAME: variants = [{aligned = array<i64: 0, 1>, held = 4 : i64, rows = 8 : i64, threads = 32 : i64, vector = 8 : i64, when = [#tsr.requirement<"C % 8" eq "0", "">]}, {held = 0 : i64, rows = 1 : i64, threads = 256 : i64, vector = 1 : i64}]
tile.kernel @vectors(%x: !tsr.view<["R", "C"], bf16>, %y: !tsr.view<["R", "C"], bf16>, %sums: !tsr.view<["P", "C"], bf16>) attributes {dims = ["R", "C", "P"],
    params = [#tsr.param<"x", in>, #tsr.param<"y", out>, #tsr.param<"sums", out>], outputs = [], grid = #tsr.grid<output, ["1", "C"], param = 1>, group = 256 : i64,
    variants = [{vector = 8 : i64, held = 4 : i64, threads = 32 : i64, rows = 8 : i64, aligned = array<i64: 0, 1>,
                 when = [#tsr.requirement<"C % 8" eq "0", "">]}, {vector = 1 : i64, held = 0 : i64, threads = 256 : i64, rows = 1 : i64}]} {
  %r = tile.query "origin"
  %zero = tile.constant 0 : index
  %C = tile.dim "C"
  // CHECK: tile.hold_row %x[%{{.*}}] extent %{{.*}} : <["R", "C"], bf16> to <bf16>
  %row = tile.hold_row %x[%r] extent %C : !tsr.view<["R", "C"], bf16> to !tile.held_row<bf16>
  // CHECK: tile.row_turns %{{.*}}
  %turns = tile.row_turns %C
  // CHECK: tile.row_vector %{{.*}}[%{{.*}}] : <bf16>
  %held = tile.row_vector %row[%zero] : !tile.held_row<bf16>
  // CHECK: tile.load_vector %x[%{{.*}}, %{{.*}}] : <["R", "C"], bf16> to <bf16>
  %v = tile.load_vector %x[%r, %zero] : !tsr.view<["R", "C"], bf16> to !tile.lane_vector<bf16>
  // CHECK: tile.new_vector : <bf16>
  %w = tile.new_vector : !tile.lane_vector<bf16>
  // CHECK: tile.load_element %{{.*}}[%{{.*}}] {in_bounds = array<i1: true>} : !tile.lane_vector<bf16>
  %e = tile.load_element %held[%zero] {in_bounds = array<i1: true>} : !tile.lane_vector<bf16>
  // CHECK: tile.store_element %{{.*}}, %{{.*}}[%{{.*}}] {in_bounds = array<i1: true>} : bf16, !tile.lane_vector<bf16>
  tile.store_element %e, %w[%zero] {in_bounds = array<i1: true>} : bf16, !tile.lane_vector<bf16>
  // CHECK: tile.new_row : <bf16>
  %kept = tile.new_row : !tile.kept_row<bf16>
  // CHECK: tile.keep %{{.*}} in %{{.*}}[%{{.*}}, %{{.*}}] : bf16, <bf16>
  tile.keep %e in %kept[%zero, %zero] : bf16, !tile.kept_row<bf16>
  // CHECK: tile.recall %{{.*}}[%{{.*}}, %{{.*}}] : <bf16>
  %again = tile.recall %kept[%zero, %zero] : !tile.kept_row<bf16>
  // CHECK: tile.add_column %{{.*}} to %sums[%{{.*}}, %{{.*}}] : bf16, <["P", "C"], bf16>
  tile.add_column %e to %sums[%zero, %zero] : bf16, !tsr.view<["P", "C"], bf16>
  // CHECK: tile.new_extremes "max" : <bf16>
  %most = tile.new_extremes "max" : !tile.lane_vector<bf16>
  // CHECK: tile.take_extremes "max" %{{.*}} into %{{.*}} : <bf16>, <bf16>
  tile.take_extremes "max" %v into %most : !tile.lane_vector<bf16>, !tile.lane_vector<bf16>
  // CHECK: tile.extreme "max" %{{.*}} : <bf16> to f32
  %largest = tile.extreme "max" %most : !tile.lane_vector<bf16> to f32
  %tile = tile.alloc_shared : !tsr.shared<["64", "64"], bf16, "xor_chunks">
  // CHECK: tile.put_vector %{{.*}}, %{{.*}}[%{{.*}}, %{{.*}}] : <bf16>, <["64", "64"], bf16, "xor_chunks">
  tile.put_vector %v, %tile[%zero, %zero] : !tile.lane_vector<bf16>, !tsr.shared<["64", "64"], bf16, "xor_chunks">
  // CHECK: tile.store_vector %{{.*}}, %y[%{{.*}}] {flat} : <bf16>, <["R", "C"], bf16>
  tile.store_vector %w, %y[%zero] {flat} : !tile.lane_vector<bf16>, !tsr.view<["R", "C"], bf16>
  tile.kernel_end
}

// CHECK-LABEL: tile.kernel @order_kernel
tile.kernel @order_kernel(%x: !tsr.view<["M", "N"], f32>, %order: !tsr.view<["M", "N"], i64>) attributes {
    dims = ["M", "N"], params = [#tsr.param<"x", in>, #tsr.param<"order", out, result>],
    outputs = [#tsr.result<"order", !tsr.tensor<["M", "N"], i64>, param = 1>],
    grid = #tsr.grid<output, ["1", "N"], param = 1>, group = 256 : i64} {
  %row = tile.query "origin"
  // CHECK: tile.argsort_row %x, %order[%{{.*}}] {descending} : <["M", "N"], f32>, <["M", "N"], i64>
  tile.argsort_row %x, %order[%row] {descending} : !tsr.view<["M", "N"], f32>, !tsr.view<["M", "N"], i64>
  tile.kernel_end
}

// The first places of parts of rows, and the first of those.
// CHECK-LABEL: tile.kernel @first_kernel
tile.kernel @first_kernel(%x: !tsr.view<["M", "N"], f32>, %firsts: !tsr.view<["M", "5*((N + 4095) // 4096)"], i64>, %order: !tsr.view<["M", "5"], i64>) attributes {
    dims = ["M", "N"], params = [#tsr.param<"x", in>, #tsr.param<"firsts", inout>, #tsr.param<"order", out, result>],
    outputs = [#tsr.result<"order", !tsr.tensor<["M", "5"], i64>, param = 2>],
    grid = #tsr.grid<output, ["1", "5"], param = 2>, group = 256 : i64} {
  %row = tile.query "origin"
  %part = tile.query "group_id"
  // CHECK: tile.argsort_row %x, %firsts[%{{.*}}] part %{{.*}} {descending, first = 5 : i64, length = 4096 : i64} : <["M", "N"], f32>
  tile.argsort_row %x, %firsts[%row] part %part {descending, first = 5 : i64, length = 4096 : i64} : !tsr.view<["M", "N"], f32>, !tsr.view<["M", "5*((N + 4095) // 4096)"], i64>
  // CHECK: tile.argsort_row %x, %order[%{{.*}}] of %firsts : {{.*}} {descending} : <["M", "N"], f32>, <["M", "5"], i64>
  tile.argsort_row %x, %order[%row] of %firsts : !tsr.view<["M", "5*((N + 4095) // 4096)"], i64> {descending} : !tsr.view<["M", "N"], f32>, !tsr.view<["M", "5"], i64>
  tile.kernel_end
}

// CHECK-LABEL: tile.kernel @sums_kernel
tile.kernel @sums_kernel(%sums: !tsr.view<["(M + 15) // 16", "N"], f32>) attributes {dims = ["M", "N"], params = [#tsr.param<"sums", out, result>],
    outputs = [#tsr.result<"sums", !tsr.tensor<["(M + 15) // 16", "N"], f32>, param = 0>], grid = #tsr.grid<output, ["4", "64"], param = 0>, group = 128 : i64} {
  %row = tile.query "origin"
  %col = tile.query "origin" {axis = 1 : i64}
  %rows = tile.dim "M"
  %one = tile.constant 1.0 : f32
  %tile = tile.fill %one : f32 to !tile.fragment<["64", "64"], f32, #tile.mma<4 x 1>>
  // CHECK: tile.store_column_sums %{{.*}}, %sums[%{{.*}}, %{{.*}}] rows %{{.*}} {transposed} : <["64", "64"], f32, #tile.mma<4 x 1>>, <["(M + 15) // 16", "N"], f32>
  tile.store_column_sums %tile, %sums[%row, %col] rows %rows {transposed} : !tile.fragment<["64", "64"], f32, #tile.mma<4 x 1>>, !tsr.view<["(M + 15) // 16", "N"], f32>
  tile.kernel_end
}

// CHECK-LABEL: tile.kernel @chosen_kernel
tile.kernel @chosen_kernel(%x: !tsr.view<["R", "K"], bf16>, %y: !tsr.view<["R", "K"], bf16>) attributes {dims = ["R", "K"],
    params = [#tsr.param<"x", in>, #tsr.param<"y", inout>], outputs = [], grid = #tsr.grid<explicit, ["1"]>, group = 256 : i64,
    context = ["m", "k"], sizes = {m = 64 : i64, k = 32 : i64}} {
  %c0 = tile.constant 0 : index
  %k = tile.query "group_id"
  %word = tile.constant 1 : i64
  %at = tile.fill %word : i64 to <["T.m", "T.k"], i64, #tile.grid<16 x 16>>
  // CHECK: tile.load_at %x[%{{.*}}, %{{.*}}] : (!tsr.view<["R", "K"], bf16>, !tile.fragment<["T.m", "T.k"], i64, #tile.grid<16 x 16>>, index) -> !tile.fragment<["T.m", "T.k"], bf16, #tile.grid<16 x 16>>
  %f = tile.load_at %x[%at, %k] : (!tsr.view<["R", "K"], bf16>, !tile.fragment<["T.m", "T.k"], i64, #tile.grid<16 x 16>>, index) -> !tile.fragment<["T.m", "T.k"], bf16, #tile.grid<16 x 16>>
  // CHECK: tile.atomic "set" %{{.*}}, %y[%{{.*}}, %{{.*}}]
  tile.atomic "set" %f, %y[%at, %k] : (!tile.fragment<["T.m", "T.k"], bf16, #tile.grid<16 x 16>>, !tsr.view<["R", "K"], bf16>, !tile.fragment<["T.m", "T.k"], i64, #tile.grid<16 x 16>>, index) -> ()
  %rows = tile.alloc_shared : !tsr.shared<["T.m"], i64, "">
  %s = tile.alloc_shared : !tsr.shared<["T.m", "T.k"], bf16, "">
  // CHECK: tile.copy_rows %x[%{{.*}}, %{{.*}}] rows %{{.*}} axis 0 to %{{.*}} {async} : <["R", "K"], bf16>, <["T.m"], i64, ""> to <["T.m", "T.k"], bf16, "">
  tile.copy_rows %x[%c0, %k] rows %rows axis 0 to %s {async} : !tsr.view<["R", "K"], bf16>, !tsr.shared<["T.m"], i64, ""> to !tsr.shared<["T.m", "T.k"], bf16, "">
  tile.kernel_end
}

// Bytes that lie the other way, two rows at a time.
// CHECK-LABEL: tile.kernel @pairs_of_rows
tile.kernel @pairs_of_rows(%y: !tsr.view<["16", "128"], f32>) attributes {dims = [], params = [#tsr.param<"y", out>], outputs = [],
    grid = #tsr.grid<explicit, ["1"]>, group = 256 : i64, context = [], sizes = {}} {
  %w = tile.alloc_shared {manual} : !tsr.shared<["256", "128"], i8, "panels">
  // CHECK: tile.read_pairs_of_rows %{{.*}} : <["256", "128"], i8, "panels"> to <["128", "256"], bf16, #tile.mma<8 x 1>>
  %p = tile.read_pairs_of_rows %w : !tsr.shared<["256", "128"], i8, "panels"> to <["128", "256"], bf16, #tile.mma<8 x 1>>
  %zero = tile.constant 0.0 : f32
  %acc = tile.fill %zero : f32 to <["128", "16"], f32, #tile.mma<8 x 1>>
  // CHECK: tile.order_rows %{{.*}} : <["128", "16"], f32, #tile.mma<8 x 1>>
  %rows = tile.order_rows %acc : <["128", "16"], f32, #tile.mma<8 x 1>>
  tile.kernel_end
}
