// RUN: tessera-opt %s --schedule-split-products --verify-schedule | FileCheck %s

// Groups add up parts of K, each for itself; the kernel then adds up the parts in order and goes on behind its loop. Each
// kernel takes what it reads; the parts are memory of the caller, in its names of the dimensions.
// CHECK-LABEL: schedule.kernel @product_parts_kernel(%A: !tsr.view<["M", "K"], f32>, %B: !tsr.view<["K", "N"], f32>, %parts: !tsr.view<["4", "M", "N"], f32>)
// CHECK-SAME: grid = #tsr.grid<output, ["1", "T.m", "T.n"], param = 2>
// CHECK: %part = graph.query "origin" 0
// CHECK: %[[EACH:.*]] = graph.dim "((K + 4*T.k - 1) // (4*T.k))*T.k"
// CHECK: %[[FROM:.*]] = graph.elementwise "mul" %part, %[[EACH]]
// CHECK: %[[TO:.*]] = graph.elementwise "min"
// CHECK: scf.for %{{.*}} = %[[FROM]] to %[[TO]]
// CHECK: graph.store %{{.*}}, %parts[%part in_bounds, %{{.*}} size "T.m", %{{.*}} size "T.n"]
// CHECK-NEXT: schedule.kernel_end
// CHECK-LABEL: schedule.kernel @product_kernel(%bias: !tsr.view<["N"], f32>, %result: !tsr.view<["M", "N"], f32>, %parts: !tsr.view<["4", "M", "N"], f32>)
// CHECK-SAME: sizes = {k = 32 : i64, m = 8 : i64, n = 64 : i64}
// CHECK: scf.for
// CHECK: graph.load %parts[
// CHECK: graph.load %bias
// CHECK-LABEL: schedule.func @called
// CHECK: %[[P:.*]] = schedule.temp : <["4", "R", "C"], f32>
// CHECK-NEXT: schedule.launch @product_parts_kernel(%a, %b, %[[P]])
// CHECK-NEXT: schedule.launch @product_kernel(%bias, %result, %[[P]])
schedule.kernel @product_kernel(%A: !tsr.view<["M", "K"], f32>, %B: !tsr.view<["K", "N"], f32>, %bias: !tsr.view<["N"], f32>, %result: !tsr.view<["M", "N"], f32>) attributes {
    context = ["m", "n", "k"], dims = ["M", "K", "N"], grid = #tsr.grid<output, ["T.m", "T.n"], param = 3>, group = 128 : i64,
    outputs = [#tsr.result<"result", !tsr.tensor<["M", "N"], f32>, param = 3>],
    params = [#tsr.param<"A", in>, #tsr.param<"B", in>, #tsr.param<"bias", in>, #tsr.param<"result", out, result>],
    sizes = {k = 32 : i64, m = 64 : i64, n = 64 : i64, split_k = 4 : i64}} {
  %m = graph.query "origin" 0
  %n = graph.query "origin" 1
  %zero = graph.constant 0.000000e+00 : f32
  %acc = graph.full %zero : f32 to <["T.m", "T.n"], f32>
  %from = graph.constant 0 : index
  %to = graph.dim "K"
  %by = graph.dim "T.k"
  %sum = scf.for %k = %from to %to step %by iter_args(%so_far = %acc) -> (!tsr.tensor<["T.m", "T.n"], f32>) {
    %a = graph.load %A[%m size "T.m", %k size "T.k"] : !tsr.view<["M", "K"], f32> to !tsr.tensor<["T.m", "T.k"], f32>
    %b = graph.load %B[%k size "T.k", %n size "T.n"] : !tsr.view<["K", "N"], f32> to !tsr.tensor<["T.k", "T.n"], f32>
    %p = graph.dot %a, %b : (!tsr.tensor<["T.m", "T.k"], f32>, !tsr.tensor<["T.k", "T.n"], f32>) -> !tsr.tensor<["T.m", "T.n"], f32>
    %next = graph.elementwise "add" %so_far, %p : !tsr.tensor<["T.m", "T.n"], f32>
    scf.yield %next : !tsr.tensor<["T.m", "T.n"], f32>
  }
  %c = graph.load %bias[%n size "T.n"] : !tsr.view<["N"], f32> to !tsr.tensor<["T.n"], f32>
  %every = graph.broadcast %c {axes = array<i64: 1>} : <["T.n"], f32> to <["T.m", "T.n"], f32>
  %r = graph.elementwise "add" %sum, %every : !tsr.tensor<["T.m", "T.n"], f32>
  graph.store %r, %result[%m size "T.m", %n size "T.n"] : !tsr.tensor<["T.m", "T.n"], f32>, !tsr.view<["M", "N"], f32>
  schedule.kernel_end
}
schedule.func @called(%a: !tsr.view<["R", "D"], f32>, %b: !tsr.view<["D", "C"], f32>, %bias: !tsr.view<["C"], f32>, %result: !tsr.view<["R", "C"], f32>) attributes {
    dims = ["R", "D", "C"], outputs = [#tsr.result<"result", !tsr.tensor<["R", "C"], f32>, param = 3>],
    params = [#tsr.param<"a", in>, #tsr.param<"b", in>, #tsr.param<"bias", in>, #tsr.param<"result", out, result>]} {
  schedule.launch @product_kernel(%a, %b, %bias, %result) {dims = #tsr.dims<["R", "D", "C"]>} : !tsr.view<["R", "D"], f32>, !tsr.view<["D", "C"], f32>, !tsr.view<["C"], f32>, !tsr.view<["R", "C"], f32>
  schedule.return
}

// A sum whose order may not depend on the schedule stays one; so does what is no sum of products.
// CHECK-LABEL: schedule.kernel @ordered_kernel
// CHECK-SAME: split_k = "the same bits under every schedule were asked for
schedule.kernel @ordered_kernel(%x: !tsr.view<["N"], f32>, %y: !tsr.view<["N"], f32>) attributes {dims = ["N"], deterministic,
    params = [#tsr.param<"x", in>, #tsr.param<"y", out>], outputs = [], grid = #tsr.grid<output, ["64"], param = 1>, group = 64 : i64,
    sizes = {split_k = 2 : i64}} {
  schedule.kernel_end
}
// CHECK-LABEL: schedule.kernel @copied_kernel
// CHECK-SAME: split_k = "it cuts one loop over K
schedule.kernel @copied_kernel(%x: !tsr.view<["N"], f32>, %y: !tsr.view<["N"], f32>) attributes {dims = ["N"],
    params = [#tsr.param<"x", in>, #tsr.param<"y", out>], outputs = [], grid = #tsr.grid<output, ["64"], param = 1>, group = 64 : i64,
    sizes = {split_k = 2 : i64}} {
  schedule.kernel_end
}
