// RUN: tessera-opt %s --set-machine=name=sm_80 --graph-to-schedule --verify-schedule | FileCheck %s
// RUN: tessera-opt %s --set-machine=name=cpu --graph-to-schedule --verify-schedule | FileCheck %s --check-prefix=CPU
// RUN: tessera-opt %s --set-machine=name=sm_80 --graph-to-schedule --schedule-to-tile --tile-insert-barriers --verify-tile | FileCheck %s --check-prefix=TILE
// Products of tensor functions: a tile a group, as an author of kernels would write it.

// CHECK-LABEL: schedule.kernel @plain_kernel(%x: {{.*}}, %w: {{.*}}, %result: {{.*}})
// CHECK-SAME: context = ["m", "n", "k"]
// CHECK-SAME: grid = #tsr.grid<output, ["T.m", "T.n"], param = 2>, group = 256
// CHECK-SAME: reasons = ["contract: a group adds up a tile of the product in its registers"]
// CHECK-SAME: sizes = {k = 32 : i64, m = 128 : i64, n = 128 : i64}
// CHECK-DAG: %[[M:.*]] = graph.query "origin" 0
// CHECK-DAG: %[[N:.*]] = graph.query "origin" 1
// CHECK: %[[ZERO:.*]] = graph.full %{{.*}} : f32 to <["T.m", "T.n"], f32>
// CHECK: %[[SUM:.*]] = scf.for %[[K:.*]] = %{{.*}} to %{{.*}} step %{{.*}} iter_args(%[[ACC:.*]] = %[[ZERO]])
// CHECK-NEXT: %[[A:.*]] = graph.load %x[%[[M]] size "T.m", %[[K]] size "T.k"]
// CHECK-NEXT: %[[B:.*]] = graph.load %w[%[[K]] size "T.k", %[[N]] size "T.n"]
// CHECK-NEXT: %[[P:.*]] = graph.dot %[[A]], %[[B]]
// CHECK-NEXT: %[[NEXT:.*]] = graph.elementwise "add" %[[ACC]], %[[P]]
// CHECK-NEXT: scf.yield %[[NEXT]]
// CHECK: graph.store %[[SUM]], %result[%[[M]] size "T.m", %[[N]] size "T.n"]
// CHECK-NEXT: schedule.kernel_end
// CPU-LABEL: schedule.kernel @plain_kernel
// CPU-SAME: sizes = {k = 256 : i64, m = 256 : i64, n = 128 : i64}
// TILE-LABEL: tile.kernel @plain_kernel
// TILE: tile.copy %x
// TILE: tile.copy %w
// TILE: tile.dot
graph.func @plain(%x: !tsr.tensor<["M", "K"], f32>, %w: !tsr.tensor<["K", "N"], f32>) -> !tsr.tensor<["M", "N"], f32> attributes {
    dims = ["M", "K", "N"], params = [#tsr.param<"x", in>, #tsr.param<"w", in>], outputs = [#tsr.result<"result", !tsr.tensor<["M", "N"], f32>>]} {
  %h = graph.dot %x, %w : (!tsr.tensor<["M", "K"], f32>, !tsr.tensor<["K", "N"], f32>) -> !tsr.tensor<["M", "N"], f32>
  graph.return %h : !tsr.tensor<["M", "N"], f32>
}

// A transposed operand is loaded as it lies; the product reads the tile the other way round. Few rows: a low tile.
// CHECK-LABEL: schedule.kernel @turned_kernel
// CHECK-SAME: sizes = {k = 64 : i64, m = 16 : i64, n = 128 : i64}
// CHECK: %[[B:.*]] = graph.load %w[%{{.*}} size "T.n", %{{.*}} size "T.k"] : !tsr.view<["N", "K"], bf16> to !tsr.tensor<["T.n", "T.k"], bf16>
// CHECK: %[[T:.*]] = graph.transpose %[[B]] {perm = array<i64: 1, 0>}
// CHECK: graph.dot %{{.*}}, %[[T]]
// TILE-LABEL: tile.kernel @turned_kernel
// TILE: tile.dot {{.*}}trans_b
graph.func @turned(%x: !tsr.tensor<["9", "K"], bf16>, %w: !tsr.tensor<["N", "K"], bf16>) -> !tsr.tensor<["9", "N"], f32> attributes {
    dims = ["K", "N"], params = [#tsr.param<"x", in>, #tsr.param<"w", in>], outputs = [#tsr.result<"result", !tsr.tensor<["9", "N"], f32>>]} {
  %t = graph.transpose %w {perm = array<i64: 1, 0>} : !tsr.tensor<["N", "K"], bf16> to !tsr.tensor<["K", "N"], bf16>
  %h = graph.dot %x, %t : (!tsr.tensor<["9", "K"], bf16>, !tsr.tensor<["K", "N"], bf16>) -> !tsr.tensor<["9", "N"], f32>
  graph.return %h : !tsr.tensor<["9", "N"], f32>
}

// What follows is done on the sums: the bias is a vector of the tile's columns, the residual a tile. The sums are used twice.
// CHECK-LABEL: schedule.kernel @block_kernel(%r: {{.*}}, %x: {{.*}}, %w: {{.*}}, %b: {{.*}}, %result: {{.*}})
// CHECK-SAME: what follows with %0 and %3 is done on the sums, before they are stored
// CHECK: %[[SUM:.*]] = scf.for
// CHECK-DAG: graph.load %b[%{{.*}} size "T.n"] : !tsr.view<["N"], f32> to !tsr.tensor<["T.n"], f32>
// CHECK-DAG: graph.load %r[%{{.*}} size "T.m", %{{.*}} size "T.n"]
// CHECK: graph.elementwise "tanh"
// CHECK: graph.store
// CHECK-LABEL: schedule.func @block(
// CHECK-NOT: schedule.temp
// CHECK: schedule.launch @block_kernel(%r, %x, %w, %b, %result)
// CHECK-NEXT: schedule.return
graph.func @block(%x: !tsr.tensor<["M", "K"], f32>, %w: !tsr.tensor<["K", "N"], f32>, %b: !tsr.tensor<["N"], f32>, %r: !tsr.tensor<["M", "N"], f32>) -> !tsr.tensor<["M", "N"], f32> attributes {
    dims = ["M", "K", "N"], params = [#tsr.param<"x", in>, #tsr.param<"w", in>, #tsr.param<"b", in>, #tsr.param<"r", in>], outputs = [#tsr.result<"result", !tsr.tensor<["M", "N"], f32>>]} {
  %h = graph.dot %x, %w : (!tsr.tensor<["M", "K"], f32>, !tsr.tensor<["K", "N"], f32>) -> !tsr.tensor<["M", "N"], f32>
  %bias = graph.broadcast %b {axes = array<i64: 1>} : !tsr.tensor<["N"], f32> to !tsr.tensor<["M", "N"], f32>
  %s = graph.elementwise "add" %h, %bias : !tsr.tensor<["M", "N"], f32>
  %t = graph.elementwise "tanh" %s : !tsr.tensor<["M", "N"], f32>
  %u = graph.elementwise "mul" %s, %t : !tsr.tensor<["M", "N"], f32>
  %v = graph.elementwise "add" %r, %u : !tsr.tensor<["M", "N"], f32>
  graph.return %v : !tsr.tensor<["M", "N"], f32>
}

// Two results of one product: its kernel stores both, and what both are made of stays in registers.
// CHECK-LABEL: schedule.kernel @both_kernel(
// CHECK-SAME: what is made of each element is stored with it
// CHECK: scf.for
// CHECK: graph.elementwise "tanh"
// CHECK-COUNT-2: graph.store
// CHECK-NOT: graph.store
// CHECK-LABEL: schedule.func @both(
// CHECK-NOT: schedule.temp
// CHECK: schedule.launch @both_kernel(%x, %w, %a, %b)
graph.func @both(%x: !tsr.tensor<["M", "K"], f32>, %w: !tsr.tensor<["K", "N"], f32>) -> (!tsr.tensor<["M", "N"], f32>, !tsr.tensor<["M", "N"], f32>) attributes {
    dims = ["M", "K", "N"], params = [#tsr.param<"x", in>, #tsr.param<"w", in>], outputs = [#tsr.result<"a", !tsr.tensor<["M", "N"], f32>>, #tsr.result<"b", !tsr.tensor<["M", "N"], f32>>]} {
  %h = graph.dot %x, %w : (!tsr.tensor<["M", "K"], f32>, !tsr.tensor<["K", "N"], f32>) -> !tsr.tensor<["M", "N"], f32>
  %t = graph.elementwise "tanh" %h : !tsr.tensor<["M", "N"], f32>
  %u = graph.elementwise "exp" %t : !tsr.tensor<["M", "N"], f32>
  %v = graph.elementwise "neg" %t : !tsr.tensor<["M", "N"], f32>
  graph.return %u, %v : !tsr.tensor<["M", "N"], f32>, !tsr.tensor<["M", "N"], f32>
}

// Cheap work on an operand is done where its tile is loaded. A tile reaches over the end of the axis that is added up, where
// what is loaded is 0 and 0 plus 1 is not.
// CHECK-LABEL: schedule.kernel @moved_kernel
// CHECK-SAME: what is multiplied is computed from %0 where it is loaded
// CHECK: scf.for
// CHECK: %[[X:.*]] = graph.load %x
// CHECK: %[[MOVED:.*]] = graph.elementwise "add" %[[X]]
// CHECK: %[[AT:.*]] = graph.iota 1
// CHECK: %[[INSIDE:.*]] = graph.elementwise "lt" %[[AT]]
// CHECK: %[[A:.*]] = graph.elementwise "select" %[[INSIDE]], %[[MOVED]]
// CHECK: %[[W:.*]] = graph.load %w
// CHECK-NEXT: graph.dot %[[A]], %[[W]]
graph.func @moved(%x: !tsr.tensor<["M", "K"], f32>, %w: !tsr.tensor<["K", "N"], f32>) -> !tsr.tensor<["M", "N"], f32> attributes {
    dims = ["M", "K", "N"], params = [#tsr.param<"x", in>, #tsr.param<"w", in>], outputs = [#tsr.result<"result", !tsr.tensor<["M", "N"], f32>>]} {
  %c = graph.constant 1.0 : f32
  %one = graph.full %c : f32 to !tsr.tensor<["M", "K"], f32>
  %y = graph.elementwise "add" %x, %one : !tsr.tensor<["M", "K"], f32>
  %h = graph.dot %y, %w : (!tsr.tensor<["M", "K"], f32>, !tsr.tensor<["K", "N"], f32>) -> !tsr.tensor<["M", "N"], f32>
  graph.return %h : !tsr.tensor<["M", "N"], f32>
}

// Work that costs more than it saves is done once: exp, and what reads two arrays for one.
// CHECK-LABEL: schedule.kernel @costly_kernel(
// CHECK: graph.elementwise "exp"
// CHECK-LABEL: schedule.kernel @costly_kernel_1(
// CHECK: graph.elementwise "mul"
// CHECK-LABEL: schedule.kernel @costly_kernel_2(
// CHECK: scf.for
// CHECK-NOT: graph.elementwise "exp"
// CHECK-NOT: graph.elementwise "mul"
// CHECK: schedule.kernel_end
graph.func @costly(%x: !tsr.tensor<["M", "K"], f32>, %w: !tsr.tensor<["K", "N"], f32>, %v: !tsr.tensor<["K", "N"], f32>) -> !tsr.tensor<["M", "N"], f32> attributes {
    dims = ["M", "K", "N"], params = [#tsr.param<"x", in>, #tsr.param<"w", in>, #tsr.param<"v", in>], outputs = [#tsr.result<"result", !tsr.tensor<["M", "N"], f32>>]} {
  %y = graph.elementwise "exp" %x : !tsr.tensor<["M", "K"], f32>
  %z = graph.elementwise "mul" %w, %v : !tsr.tensor<["K", "N"], f32>
  %h = graph.dot %y, %z : (!tsr.tensor<["M", "K"], f32>, !tsr.tensor<["K", "N"], f32>) -> !tsr.tensor<["M", "N"], f32>
  graph.return %h : !tsr.tensor<["M", "N"], f32>
}

// What lies behind a slice is not outside of its array: the kernel takes the slice as a view with its own end, where it ends earlier.
// CHECK-LABEL: schedule.kernel @part_kernel
// CHECK-SAME: %x: !tsr.view<["M", "K"], f32, <"1", ["K + 2", "1"]>>, %w: !tsr.view<["K + 1", "N"], f32>
// CHECK: graph.load %x[%{{.*}} size "T.m", %{{.*}} size "T.k"]
// CHECK-NOT: graph.elementwise "select"
// CHECK: graph.load %w[%{{.*}} size "T.k", %{{.*}} size "T.n"]
// CHECK-NOT: graph.elementwise "select"
// CHECK: graph.dot
graph.func @part(%x: !tsr.tensor<["M", "K + 2"], f32>, %w: !tsr.tensor<["K + 1", "N"], f32>) -> !tsr.tensor<["M", "N"], f32> attributes {
    dims = ["M", "K", "N"], params = [#tsr.param<"x", in>, #tsr.param<"w", in>], outputs = [#tsr.result<"result", !tsr.tensor<["M", "N"], f32>>]} {
  %zero = graph.constant 0 : index
  %one = graph.constant 1 : index
  %y = graph.slice %x[%zero size "M" in_bounds, %one size "K" in_bounds] : !tsr.tensor<["M", "K + 2"], f32> to !tsr.tensor<["M", "K"], f32>
  %z = graph.slice %w[%one size "K" in_bounds, %zero size "N" in_bounds] : !tsr.tensor<["K + 1", "N"], f32> to !tsr.tensor<["K", "N"], f32>
  %h = graph.dot %y, %z : (!tsr.tensor<["M", "K"], f32>, !tsr.tensor<["K", "N"], f32>) -> !tsr.tensor<["M", "N"], f32>
  graph.return %h : !tsr.tensor<["M", "N"], f32>
}

// A matrix times a vector: a group adds up a row.
// CHECK-LABEL: schedule.kernel @vector_kernel
// CHECK-NOT: graph.dot
// CHECK: graph.reduce "sum" %{{.*}} {axes = array<i64: 0>} : <["K"], f32> to f32
graph.func @vector(%x: !tsr.tensor<["M", "K"], f32>, %w: !tsr.tensor<["K", "1"], f32>) -> !tsr.tensor<["M", "1"], f32> attributes {
    dims = ["M", "K"], params = [#tsr.param<"x", in>, #tsr.param<"w", in>], outputs = [#tsr.result<"result", !tsr.tensor<["M", "1"], f32>>]} {
  %h = graph.dot %x, %w : (!tsr.tensor<["M", "K"], f32>, !tsr.tensor<["K", "1"], f32>) -> !tsr.tensor<["M", "1"], f32>
  graph.return %h : !tsr.tensor<["M", "1"], f32>
}

// A transposed matrix times a vector is added up as the matrix lies: here along its rows.
// CHECK-LABEL: schedule.kernel @turned_vector_kernel
// CHECK-SAME: rows = ["K"]
// CHECK: graph.load %w[%{{.*}} in_bounds, %{{.*}} size "K" in_bounds]
graph.func @turned_vector(%x: !tsr.tensor<["1", "K"], f32>, %w: !tsr.tensor<["N", "K"], f32>) -> !tsr.tensor<["1", "N"], f32> attributes {
    dims = ["K", "N"], params = [#tsr.param<"x", in>, #tsr.param<"w", in>], outputs = [#tsr.result<"result", !tsr.tensor<["1", "N"], f32>>]} {
  %t = graph.transpose %w {perm = array<i64: 1, 0>} : !tsr.tensor<["N", "K"], f32> to !tsr.tensor<["K", "N"], f32>
  %h = graph.dot %x, %t : (!tsr.tensor<["1", "K"], f32>, !tsr.tensor<["K", "N"], f32>) -> !tsr.tensor<["1", "N"], f32>
  graph.return %h : !tsr.tensor<["1", "N"], f32>
}

// Two products of one shape that meet are added up in one loop, which loads what they share once.
// CHECK-LABEL: schedule.kernel @gated_kernel(
// CHECK-SAME: contract: a group adds up the same tile of both products in its registers
// CHECK-SAME: sizes = {k = 32 : i64, m = 128 : i64, n = 64 : i64}
// CHECK: scf.for
// CHECK: graph.load %x
// CHECK: graph.load %w
// CHECK-NOT: graph.load %x
// CHECK: graph.load %v
// CHECK-NEXT: graph.dot
// CHECK-NEXT: graph.elementwise "add"
// CHECK-NEXT: graph.dot
// CHECK-NEXT: graph.elementwise "add"
// CHECK-NEXT: scf.yield
// CHECK-LABEL: schedule.func @gated(
// CHECK-NOT: schedule.temp
graph.func @gated(%x: !tsr.tensor<["M", "K"], f32>, %w: !tsr.tensor<["K", "N"], f32>, %v: !tsr.tensor<["K", "N"], f32>) -> !tsr.tensor<["M", "N"], f32> attributes {
    dims = ["M", "K", "N"], params = [#tsr.param<"x", in>, #tsr.param<"w", in>, #tsr.param<"v", in>], outputs = [#tsr.result<"result", !tsr.tensor<["M", "N"], f32>>]} {
  %g = graph.dot %x, %w : (!tsr.tensor<["M", "K"], f32>, !tsr.tensor<["K", "N"], f32>) -> !tsr.tensor<["M", "N"], f32>
  %s = graph.elementwise "sigmoid" %g : !tsr.tensor<["M", "N"], f32>
  %u = graph.dot %x, %v : (!tsr.tensor<["M", "K"], f32>, !tsr.tensor<["K", "N"], f32>) -> !tsr.tensor<["M", "N"], f32>
  %r = graph.elementwise "mul" %s, %u : !tsr.tensor<["M", "N"], f32>
  graph.return %r : !tsr.tensor<["M", "N"], f32>
}

// One matrix for the whole batch: its axes and the rows are counted together, and so are those of the residual.
// CHECK-LABEL: schedule.kernel @batch_kernel(%r: !tsr.view<["B*S", "N"], f32>, %x: !tsr.view<["B*S", "K"], f32>, %w: !tsr.view<["K", "N"], f32>, %result: !tsr.view<["B*S", "N"], f32>)
// CHECK-SAME: grid = #tsr.grid<output, ["T.m", "T.n"], param = 3>
// CHECK-LABEL: schedule.func @batch(
// CHECK: schedule.launch @batch_kernel(%r, %x, %w, %result) {{.*}} : !tsr.view<["B", "S", "N"], f32>
// CHECK-NEXT: schedule.return
graph.func @batch(%x: !tsr.tensor<["B", "S", "K"], f32>, %w: !tsr.tensor<["K", "N"], f32>, %r: !tsr.tensor<["B", "S", "N"], f32>) -> !tsr.tensor<["B", "S", "N"], f32> attributes {
    dims = ["B", "S", "K", "N"], params = [#tsr.param<"x", in>, #tsr.param<"w", in>, #tsr.param<"r", in>], outputs = [#tsr.result<"result", !tsr.tensor<["B", "S", "N"], f32>>]} {
  %every = graph.broadcast %w {axes = array<i64: 1, 2>} : !tsr.tensor<["K", "N"], f32> to !tsr.tensor<["B", "K", "N"], f32>
  %h = graph.dot %x, %every : (!tsr.tensor<["B", "S", "K"], f32>, !tsr.tensor<["B", "K", "N"], f32>) -> !tsr.tensor<["B", "S", "N"], f32>
  %s = graph.elementwise "add" %r, %h : !tsr.tensor<["B", "S", "N"], f32>
  graph.return %s : !tsr.tensor<["B", "S", "N"], f32>
}

// A vector of each place in a batch is not the same for all of it: the batch is an axis of the grid.
// CHECK-LABEL: schedule.kernel @placed_kernel(
// CHECK-SAME: grid = #tsr.grid<output, ["1", "T.m", "T.n"], param = 3>
// CHECK: graph.load %p[%{{.*}} size "T.m", %{{.*}} size "T.n"]
// CHECK: graph.store %{{.*}}, %result[%{{.*}} in_bounds, %{{.*}} size "T.m", %{{.*}} size "T.n"]
graph.func @placed(%x: !tsr.tensor<["B", "S", "K"], f32>, %w: !tsr.tensor<["K", "N"], f32>, %p: !tsr.tensor<["S", "N"], f32>) -> !tsr.tensor<["B", "S", "N"], f32> attributes {
    dims = ["B", "S", "K", "N"], params = [#tsr.param<"x", in>, #tsr.param<"w", in>, #tsr.param<"p", in>], outputs = [#tsr.result<"result", !tsr.tensor<["B", "S", "N"], f32>>]} {
  %every = graph.broadcast %w {axes = array<i64: 1, 2>} : !tsr.tensor<["K", "N"], f32> to !tsr.tensor<["B", "K", "N"], f32>
  %h = graph.dot %x, %every : (!tsr.tensor<["B", "S", "K"], f32>, !tsr.tensor<["B", "K", "N"], f32>) -> !tsr.tensor<["B", "S", "N"], f32>
  %q = graph.broadcast %p {axes = array<i64: 1, 2>} : !tsr.tensor<["S", "N"], f32> to !tsr.tensor<["B", "S", "N"], f32>
  %s = graph.elementwise "add" %h, %q : !tsr.tensor<["B", "S", "N"], f32>
  graph.return %s : !tsr.tensor<["B", "S", "N"], f32>
}

// Heads: a reshape is the same memory, and the sums are stored where the last transpose puts them.
// CHECK-LABEL: schedule.kernel @heads_kernel(
// CHECK-SAME: %result: !tsr.view<["B", "S", "H", "D"], f32>
// CHECK-SAME: grid = #tsr.grid<output, ["1", "T.m", "1", "T.n"], param = 2>
// CHECK: graph.load %p[%[[B:.*]] in_bounds, %[[H:.*]] in_bounds, %[[M:.*]] size "T.m", %{{.*}} size "T.k"]
// CHECK: graph.load %v[%[[B]] in_bounds, %{{.*}} size "T.k", %[[H]] in_bounds, %[[N:.*]] size "T.n"] : !tsr.view<["B", "S", "H", "D"], f32>
// CHECK: graph.store %{{.*}}, %result[%[[B]] in_bounds, %[[M]] size "T.m", %[[H]] in_bounds, %[[N]] size "T.n"]
// CHECK-LABEL: schedule.func @heads(
// CHECK: schedule.launch @heads_kernel(%p, %v, %result) {{.*}}, !tsr.view<["B", "S", "D*H"], f32>, !tsr.view<["B", "S", "D*H"], f32>
// CHECK-NEXT: schedule.return
graph.func @heads(%p: !tsr.tensor<["B", "H", "S", "S"], f32>, %v: !tsr.tensor<["B", "S", "D*H"], f32>) -> !tsr.tensor<["B", "S", "D*H"], f32> attributes {
    dims = ["B", "H", "S", "D"], params = [#tsr.param<"p", in>, #tsr.param<"v", in>], outputs = [#tsr.result<"result", !tsr.tensor<["B", "S", "D*H"], f32>>]} {
  %a = graph.reshape %v : !tsr.tensor<["B", "S", "D*H"], f32> to !tsr.tensor<["B", "S", "H", "D"], f32>
  %b = graph.transpose %a {perm = array<i64: 0, 2, 1, 3>} : !tsr.tensor<["B", "S", "H", "D"], f32> to !tsr.tensor<["B", "H", "S", "D"], f32>
  %h = graph.dot %p, %b : (!tsr.tensor<["B", "H", "S", "S"], f32>, !tsr.tensor<["B", "H", "S", "D"], f32>) -> !tsr.tensor<["B", "H", "S", "D"], f32>
  %c = graph.transpose %h {perm = array<i64: 0, 2, 1, 3>} : !tsr.tensor<["B", "H", "S", "D"], f32> to !tsr.tensor<["B", "S", "H", "D"], f32>
  %d = graph.reshape %c : !tsr.tensor<["B", "S", "H", "D"], f32> to !tsr.tensor<["B", "S", "D*H"], f32>
  graph.return %d : !tsr.tensor<["B", "S", "D*H"], f32>
}

// A product that is seen under another shape, as a convolution's, stays in its own through what follows.
// CHECK-LABEL: schedule.kernel @pixels_kernel(%w: {{.*}}, %p: {{.*}}, %b: {{.*}}, %r: !tsr.view<["B", "O", "H*W"], f32>, %result: !tsr.view<["B", "O", "H*W"], f32>)
// CHECK: graph.load %b[%{{.*}} size "T.m"]
// CHECK: graph.load %r[%{{.*}} in_bounds, %{{.*}} size "T.m", %{{.*}} size "T.n"]
// CHECK-LABEL: schedule.func @pixels(
// CHECK: schedule.launch @pixels_kernel(%w, %p, %b, %r, %result) {{.*}}, !tsr.view<["B", "O", "H", "W"], f32>, !tsr.view<["B", "O", "H", "W"], f32>
graph.func @pixels(%w: !tsr.tensor<["O", "K"], f32>, %p: !tsr.tensor<["B", "K", "H*W"], f32>, %b: !tsr.tensor<["O"], f32>, %r: !tsr.tensor<["B", "O", "H", "W"], f32>) -> !tsr.tensor<["B", "O", "H", "W"], f32> attributes {
    dims = ["O", "K", "B", "H", "W"], params = [#tsr.param<"w", in>, #tsr.param<"p", in>, #tsr.param<"b", in>, #tsr.param<"r", in>], outputs = [#tsr.result<"result", !tsr.tensor<["B", "O", "H", "W"], f32>>]} {
  %every = graph.broadcast %w {axes = array<i64: 1, 2>} : !tsr.tensor<["O", "K"], f32> to !tsr.tensor<["B", "O", "K"], f32>
  %h = graph.dot %every, %p : (!tsr.tensor<["B", "O", "K"], f32>, !tsr.tensor<["B", "K", "H*W"], f32>) -> !tsr.tensor<["B", "O", "H*W"], f32>
  %y = graph.reshape %h : !tsr.tensor<["B", "O", "H*W"], f32> to !tsr.tensor<["B", "O", "H", "W"], f32>
  %bias = graph.broadcast %b {axes = array<i64: 1>} : !tsr.tensor<["O"], f32> to !tsr.tensor<["B", "O", "H", "W"], f32>
  %s = graph.elementwise "add" %y, %bias : !tsr.tensor<["B", "O", "H", "W"], f32>
  %t = graph.elementwise "add" %s, %r : !tsr.tensor<["B", "O", "H", "W"], f32>
  graph.return %t : !tsr.tensor<["B", "O", "H", "W"], f32>
}

// An operand's work may read one array twice: it is loaded once.
// CHECK-LABEL: schedule.kernel @squared_kernel(
// CHECK: scf.for
// CHECK: %[[X:.*]] = graph.load %x
// CHECK-NEXT: %[[SQUARE:.*]] = graph.elementwise "mul" %[[X]], %[[X]]
// CHECK-NEXT: %[[W:.*]] = graph.load %w
// CHECK-NEXT: graph.dot %[[SQUARE]], %[[W]]
// CHECK-LABEL: schedule.func @squared(
// CHECK: schedule.launch @squared_kernel(%x, %w, %result)
// CHECK-NEXT: schedule.return
graph.func @squared(%x: !tsr.tensor<["M", "K"], f32>, %w: !tsr.tensor<["K", "N"], f32>) -> !tsr.tensor<["M", "N"], f32> attributes {
    dims = ["M", "K", "N"], params = [#tsr.param<"x", in>, #tsr.param<"w", in>], outputs = [#tsr.result<"result", !tsr.tensor<["M", "N"], f32>>]} {
  %y = graph.elementwise "mul" %x, %x : !tsr.tensor<["M", "K"], f32>
  %h = graph.dot %y, %w : (!tsr.tensor<["M", "K"], f32>, !tsr.tensor<["K", "N"], f32>) -> !tsr.tensor<["M", "N"], f32>
  graph.return %h : !tsr.tensor<["M", "N"], f32>
}

// The halves of a product's rows are computed where they are put together: two kernels, and the product alone is stored between them.
// CHECK-LABEL: schedule.kernel @rope_kernel(
// CHECK: graph.dot
// CHECK-LABEL: schedule.kernel @rope_kernel_1(
// CHECK: scf.if
// CHECK: graph.elementwise "sub"
// CHECK: graph.elementwise "add"
// CHECK-LABEL: schedule.func @rope(
// CHECK-NEXT: %[[X:.*]] = schedule.temp : <["M", "128"], bf16>
// CHECK-NEXT: schedule.launch @rope_kernel(%n, %w, %[[X]])
// CHECK-NEXT: schedule.launch @rope_kernel_1(%[[X]], %c, %s, %result)
// CHECK-NEXT: schedule.return
graph.func @rope(%n: !tsr.tensor<["M", "64"], bf16>, %w: !tsr.tensor<["64", "128"], bf16>, %c: !tsr.tensor<["M", "32"], f32>, %s: !tsr.tensor<["M", "32"], f32>) -> !tsr.tensor<["M", "64"], bf16> attributes {
    dims = ["M"], params = [#tsr.param<"n", in>, #tsr.param<"w", in>, #tsr.param<"c", in>, #tsr.param<"s", in>],
    outputs = [#tsr.result<"result", !tsr.tensor<["M", "64"], bf16>>]} {
  %0 = graph.constant 0 : index
  %1 = graph.dot %n, %w : (!tsr.tensor<["M", "64"], bf16>, !tsr.tensor<["64", "128"], bf16>) -> !tsr.tensor<["M", "128"], f32>
  %x = graph.cast %1 : !tsr.tensor<["M", "128"], f32> to !tsr.tensor<["M", "128"], bf16>
  %2 = graph.slice %x[%0 size "M" in_bounds, %0 size "32" in_bounds] : <["M", "128"], bf16> to !tsr.tensor<["M", "32"], bf16>
  %a = graph.cast %2 : !tsr.tensor<["M", "32"], bf16> to !tsr.tensor<["M", "32"], f32>
  %3 = graph.constant 32 : index
  %4 = graph.slice %x[%0 size "M" in_bounds, %3 size "32" in_bounds] : <["M", "128"], bf16> to !tsr.tensor<["M", "32"], bf16>
  %b = graph.cast %4 : !tsr.tensor<["M", "32"], bf16> to !tsr.tensor<["M", "32"], f32>
  %5 = graph.elementwise "mul" %a, %c : !tsr.tensor<["M", "32"], f32>
  %6 = graph.elementwise "mul" %b, %s : !tsr.tensor<["M", "32"], f32>
  %7 = graph.elementwise "sub" %5, %6 : !tsr.tensor<["M", "32"], f32>
  %8 = graph.elementwise "mul" %a, %s : !tsr.tensor<["M", "32"], f32>
  %9 = graph.elementwise "mul" %b, %c : !tsr.tensor<["M", "32"], f32>
  %10 = graph.elementwise "add" %8, %9 : !tsr.tensor<["M", "32"], f32>
  %11 = graph.concat 1 %7, %10 : (!tsr.tensor<["M", "32"], f32>, !tsr.tensor<["M", "32"], f32>) -> !tsr.tensor<["M", "64"], f32>
  %12 = graph.cast %11 : !tsr.tensor<["M", "64"], f32> to !tsr.tensor<["M", "64"], bf16>
  graph.return %12 : !tsr.tensor<["M", "64"], bf16>
}
