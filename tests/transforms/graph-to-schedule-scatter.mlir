// RUN: tessera-opt %s -split-input-file --set-machine=name=sm_90a --graph-to-schedule --verify-schedule | FileCheck %s
// Sums at places: the places are sorted, those outside of the axis behind all others. Lanes add up runs of
// 64 updates, which they find by the order; what is left of runs that go on, three kernels more add up.

// CHECK-LABEL: schedule.kernel @sums_keys_kernel(
// CHECK: graph.elementwise "select"
// CHECK-LABEL: schedule.kernel @sums_order_kernel(%keys: {{.*}}, %counts: !tsr.view<["256", "(P + 4095) // 4096"], i32>)
// CHECK: graph.atomic "add" %{{.*}}, %held[%{{.*}}]
// CHECK-LABEL: schedule.kernel @sums_sums_kernel(
// CHECK-LABEL: schedule.kernel @sums_order_kernel_1(%keys: {{.*}}, %sums: {{.*}}, %words: !tsr.view<["P"], i64>)
// A key is its own word's first half, and the place in the row the second one.
// CHECK: %[[KEY:.*]] = graph.elementwise "shl"
// CHECK: graph.elementwise "or" %[[KEY]]
// CHECK: %place = graph.atomic "add" %{{.*}}, %next[%digit, %warp] {in_bounds = array<i1: true, true>, tsr.in_order}
// CHECK: scf.if
// CHECK: graph.store %word, %words
// The kernels of all further passes are two: where the digit is, their launches say.
// CHECK-LABEL: schedule.kernel @sums_order_kernel_2(%words: {{.*}}, %counts: {{.*}}) attributes {dims = ["P", "D", "V", "K", "Shift"]
// CHECK-LABEL: schedule.kernel @sums_order_kernel_3(%words: {{.*}}, %sums: {{.*}}, %other_words:
// CHECK-LABEL: schedule.kernel @sums_order_kernel_4(%words: {{.*}}, %other_words: {{.*}}, %order:
// CHECK-LABEL: schedule.kernel @sums_order_kernel_5(
// CHECK: schedule.argsort_row %keys, %order
// CHECK-LABEL: schedule.kernel @sums_kernel_1(%keys: {{.*}}, %x: {{.*}}, %order: {{.*}}, %ends: {{.*}}, %result: {{.*}})
// CHECK: scf.for
// CHECK: %[[FROM:.*]] = graph.cast %order
// CHECK: graph.load %x[%[[FROM]] in_bounds, %d in_bounds]
// CHECK: %is_next = graph.elementwise "ne"
// CHECK: scf.if %is_next
// The result is one root: the product's kernel reads the sums.
// CHECK-LABEL: schedule.func @sums(
// CHECK: schedule.launch @sums_order_kernel_2(%words, %counts) {dims = #tsr.dims<["P", "D", "V", "K", "40"]>, tsr.when = [{{.*}}, #tsr.requirement<"256" lt "V + 1", "">]}
// CHECK: schedule.launch @sums_sums_kernel(%counts, %sums)
// CHECK: schedule.launch @sums_order_kernel_3(%words, %sums, %other_words) {dims = #tsr.dims<["P", "D", "V", "K", "40"]>
// CHECK: schedule.launch @sums_order_kernel_3(%other_words, %sums, %words) {dims = #tsr.dims<["P", "D", "V", "K", "48"]>, tsr.when = [{{.*}}, #tsr.requirement<"65536" lt "V + 1", "">]}
// CHECK: schedule.launch @sums_order_kernel_3(%words, %sums, %other_words) {dims = #tsr.dims<["P", "D", "V", "K", "56"]>, tsr.when = [{{.*}}, #tsr.requirement<"16777216" lt "V + 1", "">]}
// CHECK: schedule.launch @sums_order_kernel_5(%keys, %order) {tsr.when = {{\[\[}}"not", ["and", #tsr.requirement<"1024" lt "P", "">
// CHECK: schedule.launch @sums_kernel(%[[SUMS:[0-9a-z]+]])
// CHECK: schedule.launch @sums_kernel_1(%{{.*}}, %x, %order, %ends, %[[SUMS]])
// CHECK: schedule.launch @sums_kernel_4(%{{.*}}, %ends_{{[0-9]+}}, %[[SUMS]])
// CHECK: schedule.launch @sums_kernel_5(%a, %b, %[[SUMS]], %y)
// CHECK-NEXT: schedule.return
graph.func @sums(%x: !tsr.tensor<["P", "D"], f32>, %at: !tsr.tensor<["P"], i64>, %a: !tsr.tensor<["V", "K"], f32>, %b: !tsr.tensor<["K", "D"], f32>) -> !tsr.tensor<["V", "D"], f32> attributes {
    dims = ["P", "D", "V", "K"], params = [#tsr.param<"x", in>, #tsr.param<"at", in>, #tsr.param<"a", in>, #tsr.param<"b", in>],
    outputs = [#tsr.result<"y", !tsr.tensor<["V", "D"], f32>>]} {
  %t = graph.dot %a, %b : (!tsr.tensor<["V", "K"], f32>, !tsr.tensor<["K", "D"], f32>) -> !tsr.tensor<["V", "D"], f32>
  %s = graph.scatter_add 0 %x at %at {axes = array<i64: 0>} : (!tsr.tensor<["P", "D"], f32>, !tsr.tensor<["P"], i64>) -> !tsr.tensor<["V", "D"], f32>
  %y = graph.elementwise "add" %t, %s : !tsr.tensor<["V", "D"], f32>
  graph.return %y : !tsr.tensor<["V", "D"], f32>
}

// -----

// Several sums at the same places need one order. Of rows that indices name, the indices are brought into it.
// CHECK-LABEL: schedule.func @twice(
// CHECK: schedule.launch @twice_order_kernel_5(%keys, %order)
// CHECK-NOT: _order_kernel
// CHECK: schedule.launch @twice_keys_kernel_1(%at, %order, %[[KEYS:[0-9a-z_]+]]) :
// CHECK: schedule.launch @twice_kernel(%from, %order, %[[FROM:[0-9a-z_]+]]) :
// CHECK-NOT: _order_kernel
// CHECK: schedule.launch @twice_kernel_2(%[[KEYS]], %x, %[[FROM]], %{{.*}}, %a)
// CHECK-NOT: _order_kernel
// CHECK: schedule.launch @twice_kernel_7(%[[KEYS]], %y, %order, %{{.*}}, %b)
// CHECK-NOT: _order_kernel
// CHECK: schedule.return
graph.func @twice(%x: !tsr.tensor<["V", "D"], f32>, %from: !tsr.tensor<["P"], i64>, %y: !tsr.tensor<["P", "D"], f32>, %at: !tsr.tensor<["P"], i64>) -> (!tsr.tensor<["V", "D"], f32>, !tsr.tensor<["V", "D"], f32>) attributes {
    dims = ["P", "D", "V"], params = [#tsr.param<"x", in>, #tsr.param<"from", in>, #tsr.param<"y", in>, #tsr.param<"at", in>],
    outputs = [#tsr.result<"a", !tsr.tensor<["V", "D"], f32>>, #tsr.result<"b", !tsr.tensor<["V", "D"], f32>>]} {
  %rows = graph.gather 0 %x at %from {axes = array<i64: 0>} : (!tsr.tensor<["V", "D"], f32>, !tsr.tensor<["P"], i64>) -> !tsr.tensor<["P", "D"], f32>
  %a = graph.scatter_add 0 %rows at %at {axes = array<i64: 0>} : (!tsr.tensor<["P", "D"], f32>, !tsr.tensor<["P"], i64>) -> !tsr.tensor<["V", "D"], f32> loc("a")
  %b = graph.scatter_add 0 %y at %at {axes = array<i64: 0>} : (!tsr.tensor<["P", "D"], f32>, !tsr.tensor<["P"], i64>) -> !tsr.tensor<["V", "D"], f32> loc("b")
  graph.return %a, %b : !tsr.tensor<["V", "D"], f32>, !tsr.tensor<["V", "D"], f32>
}

// -----

// Two results are made of the product and of the sums behind it: the product is stored as soon as it can be computed, and both
// are read by the kernel of the results.
// CHECK-LABEL: schedule.func @moments(
// CHECK: schedule.launch @moments_t_kernel(%a, %b, %[[T:[0-9a-z]+]])
// CHECK: %[[S:.*]] = schedule.temp : <["V", "D"], f32>
// CHECK: schedule.launch @moments_s_kernel_4(%{{.*}}, %{{.*}}, %[[S]])
// CHECK-NEXT: schedule.launch @moments_kernel(%{{.*}}, %[[T]], %[[S]], %{{.*}}, %{{.*}})
// CHECK-NEXT: schedule.return
graph.func @moments(%x: !tsr.tensor<["P", "D"], f32>, %at: !tsr.tensor<["P"], i64>, %a: !tsr.tensor<["V", "K"], f32>, %b: !tsr.tensor<["K", "D"], f32>, %m: !tsr.tensor<["V", "D"], f32>) -> (!tsr.tensor<["V", "D"], f32>, !tsr.tensor<["V", "D"], f32>) attributes {
    dims = ["P", "D", "V", "K"], params = [#tsr.param<"x", in>, #tsr.param<"at", in>, #tsr.param<"a", in>, #tsr.param<"b", in>, #tsr.param<"m", in>],
    outputs = [#tsr.result<"result_0", !tsr.tensor<["V", "D"], f32>>, #tsr.result<"result_1", !tsr.tensor<["V", "D"], f32>>]} {
  %t = graph.dot %a, %b : (!tsr.tensor<["V", "K"], f32>, !tsr.tensor<["K", "D"], f32>) -> !tsr.tensor<["V", "D"], f32> loc("t")
  %s = graph.scatter_add 0 %x at %at {axes = array<i64: 0>} : (!tsr.tensor<["P", "D"], f32>, !tsr.tensor<["P"], i64>) -> !tsr.tensor<["V", "D"], f32> loc("s")
  %g = graph.elementwise "add" %t, %s : !tsr.tensor<["V", "D"], f32>
  %n = graph.elementwise "add" %m, %g : !tsr.tensor<["V", "D"], f32>
  %v = graph.elementwise "mul" %g, %g : !tsr.tensor<["V", "D"], f32>
  graph.return %n, %v : !tsr.tensor<["V", "D"], f32>, !tsr.tensor<["V", "D"], f32>
}

// -----

// Integers: each update is read once and added by an atomic, in the shared memory of a group where the result is small. What says where is
// computed where it is read.
// CHECK-LABEL: schedule.kernel @counts_kernel_1(
// CHECK-SAME: #tsr.grid<lanes, ["min(270336, P)"]
// CHECK: %[[SUMS:.*]] = graph.alloc_shared : <["256"], i32, "">
// CHECK: scf.for
// CHECK: graph.store %{{.*}}, %[[SUMS]]
// CHECK: graph.barrier
// CHECK: scf.for
// CHECK: graph.elementwise "mul"
// CHECK: graph.atomic "add" %{{.*}}, %[[SUMS]][%{{.*}}] {in_bounds = array<i1: false>}
// CHECK: graph.barrier
// CHECK: scf.for
// CHECK: graph.load %[[SUMS]]
// CHECK: graph.atomic "add" %{{.*}}, %y[%{{.*}}] {in_bounds = array<i1: true>}
// CHECK-LABEL: schedule.func @counts(
// CHECK-NEXT: schedule.launch @counts_kernel(%y)
// CHECK-NEXT: schedule.launch @counts_kernel_1(%at, %x, %y)
// CHECK-NEXT: schedule.return
graph.func @counts(%x: !tsr.tensor<["P"], i32>, %at: !tsr.tensor<["P"], i64>) -> !tsr.tensor<["256"], i32> attributes {
    dims = ["P"], params = [#tsr.param<"x", in>, #tsr.param<"at", in>],
    outputs = [#tsr.result<"y", !tsr.tensor<["256"], i32>>]} {
  %p = graph.elementwise "mul" %at, %at : !tsr.tensor<["P"], i64>
  %s = graph.scatter_add 0 %x at %p {axes = array<i64: 0>} : (!tsr.tensor<["P"], i32>, !tsr.tensor<["P"], i64>) -> !tsr.tensor<["256"], i32>
  graph.return %s : !tsr.tensor<["256"], i32>
}

// -----

// A result of any size: straight to memory.
// CHECK-LABEL: schedule.kernel @rows_kernel_1(
// CHECK-NOT: graph.alloc_shared
// CHECK: graph.atomic "add" %{{.*}}, %y[%{{.*}}, %{{.*}}] {in_bounds = array<i1: false, true>}
graph.func @rows(%x: !tsr.tensor<["P", "D"], i64>, %at: !tsr.tensor<["P"], i64>) -> !tsr.tensor<["V", "D"], i64> attributes {
    dims = ["P", "D", "V"], params = [#tsr.param<"x", in>, #tsr.param<"at", in>],
    outputs = [#tsr.result<"y", !tsr.tensor<["V", "D"], i64>>]} {
  %s = graph.scatter_add 0 %x at %at {axes = array<i64: 0>} : (!tsr.tensor<["P", "D"], i64>, !tsr.tensor<["P"], i64>) -> !tsr.tensor<["V", "D"], i64>
  graph.return %s : !tsr.tensor<["V", "D"], i64>
}

// -----

// Updates that are made of ten arrays are stored, and the lanes read their rows in the order, not those of ten arrays.
// CHECK-LABEL: schedule.kernel @many_kernel(%x0: {{.*}}%x9: {{.*}}%result:
// CHECK-LABEL: schedule.kernel @many_kernel_2(%keys: {{.*}}, %temporary: {{.*}}, %order:
// CHECK: %[[FROM:.*]] = graph.cast %order
// CHECK: graph.load %temporary[%[[FROM]] in_bounds
graph.func @many(%at: !tsr.tensor<["P"], i64>, %x0: !tsr.tensor<["P", "D"], f32>, %x1: !tsr.tensor<["P", "D"], f32>, %x2: !tsr.tensor<["P", "D"], f32>, %x3: !tsr.tensor<["P", "D"], f32>, %x4: !tsr.tensor<["P", "D"], f32>, %x5: !tsr.tensor<["P", "D"], f32>, %x6: !tsr.tensor<["P", "D"], f32>, %x7: !tsr.tensor<["P", "D"], f32>, %x8: !tsr.tensor<["P", "D"], f32>, %x9: !tsr.tensor<["P", "D"], f32>) -> !tsr.tensor<["V", "D"], f32> attributes {
    dims = ["P", "D", "V"], params = [#tsr.param<"at", in>, #tsr.param<"x0", in>, #tsr.param<"x1", in>, #tsr.param<"x2", in>, #tsr.param<"x3", in>, #tsr.param<"x4", in>, #tsr.param<"x5", in>, #tsr.param<"x6", in>, #tsr.param<"x7", in>, #tsr.param<"x8", in>, #tsr.param<"x9", in>],
    outputs = [#tsr.result<"y", !tsr.tensor<["V", "D"], f32>>]} {
  %y1 = graph.elementwise "add" %x0, %x1 : !tsr.tensor<["P", "D"], f32>
  %y2 = graph.elementwise "add" %y1, %x2 : !tsr.tensor<["P", "D"], f32>
  %y3 = graph.elementwise "add" %y2, %x3 : !tsr.tensor<["P", "D"], f32>
  %y4 = graph.elementwise "add" %y3, %x4 : !tsr.tensor<["P", "D"], f32>
  %y5 = graph.elementwise "add" %y4, %x5 : !tsr.tensor<["P", "D"], f32>
  %y6 = graph.elementwise "add" %y5, %x6 : !tsr.tensor<["P", "D"], f32>
  %y7 = graph.elementwise "add" %y6, %x7 : !tsr.tensor<["P", "D"], f32>
  %y8 = graph.elementwise "add" %y7, %x8 : !tsr.tensor<["P", "D"], f32>
  %y9 = graph.elementwise "add" %y8, %x9 : !tsr.tensor<["P", "D"], f32>
  %s = graph.scatter_add 0 %y9 at %at {axes = array<i64: 0>} : (!tsr.tensor<["P", "D"], f32>, !tsr.tensor<["P"], i64>) -> !tsr.tensor<["V", "D"], f32>
  graph.return %s : !tsr.tensor<["V", "D"], f32>
}
