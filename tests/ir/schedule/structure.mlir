// The example of every operation of the schedule dialect, printed and read again.
// RUN: tessera-opt %s | tessera-opt | FileCheck %s

// CHECK-LABEL: schedule.kernel @twice_kernel(%x: !tsr.view<["N"], f32>, %result: !tsr.view<["N"], f32>)
// CHECK-SAME: group = 256 : i64
// CHECK-SAME: reasons = ["one lane an element"]
// CHECK-SAME: uses_lanes
schedule.kernel @twice_kernel(%x: !tsr.view<["N"], f32>, %result: !tsr.view<["N"], f32>) attributes {
    dims = ["N"], params = [#tsr.param<"x", in>, #tsr.param<"result", out, result>],
    outputs = [#tsr.result<"result", !tsr.tensor<["N"], f32>, param = 1>],
    grid = #tsr.grid<lanes, ["N"]>, group = 256 : i64, uses_lanes, reasons = ["one lane an element"]} {
  %i = graph.query "linear_id" 0
  %0 = graph.load %x[%i] : !tsr.view<["N"], f32> to f32
  %1 = graph.elementwise "add" %0, %0 : f32
  graph.store %1, %result[%i] : f32, !tsr.view<["N"], f32>
  // CHECK: schedule.kernel_end
  schedule.kernel_end
}

// CHECK-LABEL: schedule.kernel @rows
// CHECK-SAME: capacity = {D = array<i64: 64, 128>}
// CHECK-SAME: rows = ["C"]
// CHECK-SAME: sizes = {m = 64 : i64}
schedule.kernel @rows(%x: !tsr.view<["C", "D"], f32>) attributes {
    dims = ["C", "D"], params = [#tsr.param<"x", inout>], outputs = [], context = ["m"], sizes = {m = 64},
    grid = #tsr.grid<output, ["T.m", "D"], param = 0>, group = 128 : i64,
    capacity = {D = array<i64: 64, 128>}, rows = ["C"]} {
  schedule.kernel_end
}

// CHECK-LABEL: schedule.func @twice
schedule.func @twice(%x: !tsr.view<["N"], f32>, %result: !tsr.view<["N"], f32>) attributes {
    dims = ["N"], params = [#tsr.param<"x", in>, #tsr.param<"result", out, result>],
    outputs = [#tsr.result<"result", !tsr.tensor<["N"], f32>, param = 1>]} {
  // CHECK: %[[T:.*]] = schedule.temp : <["N"], f32>
  %t = schedule.temp : !tsr.view<["N"], f32>
  // CHECK: schedule.launch @twice_kernel(%x, %[[T]]) : !tsr.view<["N"], f32>, !tsr.view<["N"], f32>
  schedule.launch @twice_kernel(%x, %t) : !tsr.view<["N"], f32>, !tsr.view<["N"], f32>
  schedule.launch @twice_kernel(%t, %result) : !tsr.view<["N"], f32>, !tsr.view<["N"], f32>
  // CHECK: schedule.table "twice_weights" [1.000000e+00 : f32, 2.000000e+00 : f32] : <["2"], f32>
  %weights = schedule.table "twice_weights" [1.0 : f32, 2.0 : f32] : !tsr.view<["2"], f32>
  // CHECK: schedule.exchange "all_reduce" "dp" %result, %result : <["N"], f32>, <["N"], f32>
  schedule.exchange "all_reduce" "dp" %result, %result : !tsr.view<["N"], f32>, !tsr.view<["N"], f32>
  // CHECK: schedule.return
  schedule.return
}

// A kernel over other names of the dimensions.
// CHECK-LABEL: schedule.func @flat
schedule.func @flat(%x: !tsr.view<["A*B"], f32>) attributes {
    dims = ["A", "B"], params = [#tsr.param<"x", inout>], outputs = []} {
  // CHECK: schedule.launch @twice_kernel(%x, %x) {dims = #tsr.dims<["A*B"]>}
  schedule.launch @twice_kernel(%x, %x) {dims = #tsr.dims<["A*B"]>} : !tsr.view<["A*B"], f32>, !tsr.view<["A*B"], f32>
  schedule.return
}

// CHECK-LABEL: schedule.host_func @main()
schedule.host_func @main() attributes {dims = [], params = [], outputs = []} {
  %0 = graph.string "hello"
  graph.print %0
  schedule.return
}

// CHECK-LABEL: schedule.kernel @order_kernel
schedule.kernel @order_kernel(%x: !tsr.view<["M", "N"], f32>, %order: !tsr.view<["M", "N"], i64>) attributes {
    dims = ["M", "N"], params = [#tsr.param<"x", in>, #tsr.param<"order", out, result>],
    outputs = [#tsr.result<"order", !tsr.tensor<["M", "N"], i64>, param = 1>],
    grid = #tsr.grid<output, ["1", "N"], param = 1>, group = 256 : i64} {
  %row = graph.query "origin" 0
  // CHECK: schedule.argsort_row %x, %order[%{{.*}}] {descending} : <["M", "N"], f32>, <["M", "N"], i64>
  schedule.argsort_row %x, %order[%row] {descending} : !tsr.view<["M", "N"], f32>, !tsr.view<["M", "N"], i64>
  schedule.kernel_end
}

// The first places of parts of rows, and the first of those.
// CHECK-LABEL: schedule.kernel @first_kernel
schedule.kernel @first_kernel(%x: !tsr.view<["M", "N"], f32>, %firsts: !tsr.view<["M", "5*((N + 4095) // 4096)"], i64>, %order: !tsr.view<["M", "5"], i64>) attributes {
    dims = ["M", "N"], params = [#tsr.param<"x", in>, #tsr.param<"firsts", inout>, #tsr.param<"order", out, result>],
    outputs = [#tsr.result<"order", !tsr.tensor<["M", "5"], i64>, param = 2>],
    grid = #tsr.grid<output, ["1", "5"], param = 2>, group = 256 : i64} {
  %row = graph.query "origin" 0
  %part = graph.query "group_id" 0
  // CHECK: schedule.argsort_row %x, %firsts[%{{.*}}] part %{{.*}} {descending, first = 5 : i64, length = 4096 : i64} : <["M", "N"], f32>
  schedule.argsort_row %x, %firsts[%row] part %part {descending, first = 5 : i64, length = 4096 : i64} : !tsr.view<["M", "N"], f32>, !tsr.view<["M", "5*((N + 4095) // 4096)"], i64>
  // CHECK: schedule.argsort_row %x, %order[%{{.*}}] of %firsts : {{.*}} {descending} : <["M", "N"], f32>, <["M", "5"], i64>
  schedule.argsort_row %x, %order[%row] of %firsts : !tsr.view<["M", "5*((N + 4095) // 4096)"], i64> {descending} : !tsr.view<["M", "N"], f32>, !tsr.view<["M", "5"], i64>
  schedule.kernel_end
}
