// RUN: tessera-opt %s --set-machine=name=sm_80 --graph-to-schedule --verify-schedule | FileCheck %s --check-prefix=SIZES
// RUN: tessera-opt %s --set-machine=name=sm_80 --graph-to-schedule --schedule-to-tile --tile-insert-barriers --verify-tile | FileCheck %s
// Kernels as irgen makes them of 01, 03, 04, 06, 07 and 08 of the canon.

// Scalars stay scalars.
// SIZES-LABEL: schedule.kernel @saxpy_kernel
// SIZES-SAME: group = 256
// SIZES-LABEL: schedule.func @saxpy
// SIZES-SAME: doc = "y = alpha * x + y"
// SIZES: schedule.launch @saxpy_kernel(%x, %y, %alpha)
// CHECK-LABEL: tile.kernel @saxpy_kernel
// CHECK: %[[I:.*]] = tile.query "linear_id"
// CHECK: scf.if
// CHECK: tile.load_element %x[%[[I]]] {in_bounds = array<i1: true>}
// CHECK: tile.store_element %{{.*}}, %y[%[[I]]]
graph.kernel @saxpy(%x: !tsr.view<["n"], f32>, %y: !tsr.view<["n"], f32>, %alpha: f32) attributes {
    dims = ["n"], params = [#tsr.param<"x", in>, #tsr.param<"y", inout>, #tsr.param<"alpha", in>],
    outputs = [#tsr.result<"y", !tsr.tensor<["n"], f32>, param = 1>], grid = #tsr.grid<lanes, ["n"]>, uses_lanes,
    signature = "saxpy(x, y, alpha)", doc = "y = alpha * x + y"} {
  %i = graph.query "linear_id" 0
  %n = graph.dim "n"
  %inside = graph.elementwise "lt" %i, %n : index
  scf.if %inside {
    %a = graph.load %x[%i in_bounds] : !tsr.view<["n"], f32> to f32
    %b = graph.load %y[%i in_bounds] : !tsr.view<["n"], f32> to f32
    %c = graph.elementwise "mul" %alpha, %a : f32
    %d = graph.elementwise "add" %c, %b : f32
    graph.store %d, %y[%i in_bounds] : f32, !tsr.view<["n"], f32>
  }
  graph.kernel_end
}

// Operands of a dot are copied to shared memory, between two barriers; the sum stays in registers.
// SIZES-LABEL: schedule.kernel @matmul_kernel
// SIZES-SAME: group = 256
// SIZES-SAME: sizes = {k = 64 : i64, m = 128 : i64, n = 256 : i64
// CHECK-LABEL: tile.kernel @matmul_kernel
// CHECK: %[[A:.*]] = tile.alloc_shared : <["T.m", "T.k"], bf16, "">
// CHECK: %[[B:.*]] = tile.alloc_shared : <["T.k", "T.n"], bf16, "">
// CHECK: %[[M:.*]] = tile.query "origin"
// CHECK: %[[ACC:.*]] = tile.fill %{{.*}} : f32 to <["T.m", "T.n"], f32, #tile.grid<16 x 16>>
// CHECK: %[[SUM:.*]] = scf.for %[[K:.*]] = %{{.*}} iter_args(%[[CARRIED:.*]] = %[[ACC]])
// CHECK-NEXT: tile.barrier
// CHECK-NEXT: tile.copy %A[%[[M]] size "T.m", %[[K]] size "T.k"] to %[[A]]
// CHECK-NEXT: tile.copy %B[%[[K]] size "T.k", %{{.*}} size "T.n"] to %[[B]]
// CHECK-NEXT: tile.barrier
// CHECK-NEXT: %[[NEXT:.*]] = tile.dot %[[CARRIED]], %[[A]], %[[B]] :
// CHECK-NEXT: scf.yield %[[NEXT]]
// CHECK: %[[OUT:.*]] = tile.cast %[[SUM]]
// CHECK: tile.store_fragment %[[OUT]], %result
graph.kernel @matmul(%A: !tsr.view<["M", "K"], bf16>, %B: !tsr.view<["K", "N"], bf16>, %result: !tsr.view<["M", "N"], bf16>) attributes {
    dims = ["M", "K", "N"], params = [#tsr.param<"A", in>, #tsr.param<"B", in>, #tsr.param<"result", out, result>],
    outputs = [#tsr.result<"result", !tsr.tensor<["M", "N"], bf16>, param = 2>],
    grid = #tsr.grid<output, ["T.m", "T.n"], param = 2>, context = ["m", "n", "k"],
    sizes = {k = 64 : i64, m = 128 : i64, n = 256 : i64, stages = 4 : i64, warps = 8 : i64}, options = {swizzle = "xor"}} {
  %m = graph.query "origin" 0
  %n = graph.query "origin" 1
  %zero = graph.constant 0.0 : f32
  %acc0 = graph.full %zero : f32 to !tsr.tensor<["T.m", "T.n"], f32>
  %c0 = graph.constant 0 : index
  %K = graph.dim "K"
  %tk = graph.dim "T.k"
  %acc = scf.for %k = %c0 to %K step %tk iter_args(%sum = %acc0) -> !tsr.tensor<["T.m", "T.n"], f32> {
    %a = graph.load %A[%m size "T.m", %k size "T.k"] : !tsr.view<["M", "K"], bf16> to !tsr.tensor<["T.m", "T.k"], bf16>
    %b = graph.load %B[%k size "T.k", %n size "T.n"] : !tsr.view<["K", "N"], bf16> to !tsr.tensor<["T.k", "T.n"], bf16>
    %d = graph.dot %a, %b : (!tsr.tensor<["T.m", "T.k"], bf16>, !tsr.tensor<["T.k", "T.n"], bf16>) -> !tsr.tensor<["T.m", "T.n"], f32>
    %next = graph.elementwise "add" %sum, %d : !tsr.tensor<["T.m", "T.n"], f32>
    scf.yield %next : !tsr.tensor<["T.m", "T.n"], f32>
  }
  %out = graph.cast %acc : !tsr.tensor<["T.m", "T.n"], f32> to !tsr.tensor<["T.m", "T.n"], bf16>
  graph.store %out, %result[%m size "T.m", %n size "T.n"] : !tsr.tensor<["T.m", "T.n"], bf16>, !tsr.view<["M", "N"], bf16>
  graph.kernel_end
}

// A row of any length is streamed three times; nothing of its length is kept.
// SIZES-LABEL: schedule.kernel @softmax_kernel
// SIZES-SAME: rows = ["C"]
// CHECK-LABEL: tile.kernel @softmax_kernel
// CHECK: %[[L:.*]] = tile.query "local_id"
// CHECK: %[[C:.*]] = tile.dim "C"
// CHECK: %[[G:.*]] = tile.query "group_size"
// CHECK: scf.for %[[I:.*]] = %[[L]] to %[[C]] step %[[G]]
// CHECK: tile.load_element %x[%{{.*}}, %[[I]]]
// CHECK: tile.elementwise "max"
// CHECK: %[[MAX:.*]] = tile.group_reduce "max"
// CHECK: scf.for
// CHECK: tile.elementwise "sub" %{{.*}}, %[[MAX]]
// CHECK: tile.elementwise "exp"
// CHECK: %[[SUM:.*]] = tile.group_reduce "sum"
// CHECK: scf.for
// CHECK: tile.elementwise "div" %{{.*}}, %[[SUM]]
// CHECK: tile.store_element
// CHECK-NOT: tile.fragment
graph.kernel @softmax(%x: !tsr.view<["R", "C"], bf16>, %result: !tsr.view<["R", "C"], bf16>) attributes {
    dims = ["R", "C"], params = [#tsr.param<"x", in>, #tsr.param<"result", out, result>],
    outputs = [#tsr.result<"result", !tsr.tensor<["R", "C"], bf16>, param = 1>],
    grid = #tsr.grid<output, ["1", "C"], param = 1>} {
  %r = graph.query "origin" 0
  %c0 = graph.constant 0 : index
  %row = graph.load %x[%r in_bounds, %c0 size "C" in_bounds] : !tsr.view<["R", "C"], bf16> to !tsr.tensor<["C"], bf16>
  %v = graph.cast %row : !tsr.tensor<["C"], bf16> to !tsr.tensor<["C"], f32>
  %top = graph.reduce "max" %v {axes = array<i64: 0>} : !tsr.tensor<["C"], f32> to !tsr.tensor<[], f32>
  %top1 = graph.reshape %top : !tsr.tensor<[], f32> to !tsr.tensor<["1"], f32>
  %topC = graph.broadcast %top1 {axes = array<i64: 0>} : !tsr.tensor<["1"], f32> to !tsr.tensor<["C"], f32>
  %shifted = graph.elementwise "sub" %v, %topC : !tsr.tensor<["C"], f32>
  %e = graph.elementwise "exp" %shifted : !tsr.tensor<["C"], f32>
  %sum = graph.reduce "sum" %e {axes = array<i64: 0>} : !tsr.tensor<["C"], f32> to !tsr.tensor<[], f32>
  %sum1 = graph.reshape %sum : !tsr.tensor<[], f32> to !tsr.tensor<["1"], f32>
  %sumC = graph.broadcast %sum1 {axes = array<i64: 0>} : !tsr.tensor<["1"], f32> to !tsr.tensor<["C"], f32>
  %p = graph.elementwise "div" %e, %sumC : !tsr.tensor<["C"], f32>
  %out = graph.cast %p : !tsr.tensor<["C"], f32> to !tsr.tensor<["C"], bf16>
  graph.store %out, %result[%r in_bounds, %c0 size "C" in_bounds] : !tsr.tensor<["C"], bf16>, !tsr.view<["R", "C"], bf16>
  graph.kernel_end
}

// The program's own barriers stay, and no others come.
// CHECK-LABEL: tile.kernel @total_kernel
// CHECK: tile.alloc_shared {manual}
// CHECK: tile.store_element
// CHECK-NEXT: tile.barrier
// CHECK: scf.while
// CHECK: scf.if
// CHECK: tile.barrier
// CHECK-NOT: tile.barrier
// CHECK: tile.once
graph.kernel @total(%data: !tsr.view<["N"], f32>, %result: !tsr.view<[], f32>) attributes {
    dims = ["N"], params = [#tsr.param<"data", in>, #tsr.param<"result", out, result>],
    outputs = [#tsr.result<"result", !tsr.tensor<[], f32>, param = 1>],
    grid = #tsr.grid<explicit, ["1"]>, group = 128 : i64, uses_lanes} {
  %s = graph.alloc_shared : !tsr.shared<["128"], f32, "">
  %zero = graph.constant 0.0 : f32
  %l = graph.query "local_id" 0
  %g = graph.query "group_size" 0
  %N = graph.dim "N"
  %local = scf.for %i = %l to %N step %g iter_args(%sum = %zero) -> f32 {
    %x = graph.load %data[%i in_bounds] : !tsr.view<["N"], f32> to f32
    %next = graph.elementwise "add" %sum, %x : f32
    scf.yield %next : f32
  }
  graph.store %local, %s[%l in_bounds] : f32, !tsr.shared<["128"], f32, "">
  graph.barrier
  %two = graph.constant 2 : index
  %half = graph.elementwise "floordiv" %g, %two : index
  %c0 = graph.constant 0 : index
  %end = scf.while (%stride = %half) : (index) -> index {
    %go = graph.elementwise "gt" %stride, %c0 : index
    scf.condition(%go) %stride : index
  } do {
  ^bb0(%stride: index):
    %mine = graph.elementwise "lt" %l, %stride : index
    scf.if %mine {
      %other = graph.elementwise "add" %l, %stride : index
      %a = graph.load %s[%l in_bounds] : !tsr.shared<["128"], f32, ""> to f32
      %b = graph.load %s[%other] : !tsr.shared<["128"], f32, ""> to f32
      %c = graph.elementwise "add" %a, %b : f32
      graph.store %c, %s[%l in_bounds] : f32, !tsr.shared<["128"], f32, "">
    }
    graph.barrier
    %next = graph.elementwise "floordiv" %stride, %two : index
    scf.yield %next : index
  }
  %sum = graph.load %s[%c0 in_bounds] : !tsr.shared<["128"], f32, ""> to f32
  graph.store %sum, %result[] {once} : f32, !tsr.view<[], f32>
  graph.kernel_end
}

// Asynchronous copies into stages that the program waits for itself.
// CHECK-LABEL: tile.kernel @double_buffered_kernel
// CHECK: tile.copy %A{{.*}} {async}
// CHECK: tile.commit_group
// CHECK: scf.for
// CHECK: tile.wait_group {pending = 1 : i64}
// CHECK-NEXT: tile.barrier
// CHECK-NEXT: %[[A:.*]] = tile.select_buffer
// CHECK-NEXT: %[[B:.*]] = tile.select_buffer
// CHECK-NEXT: tile.dot %{{.*}}, %[[A]], %[[B]]
// CHECK-NEXT: tile.barrier
// CHECK-NOT: tile.barrier
// CHECK: tile.store_fragment
graph.kernel @double_buffered(%A: !tsr.view<["M", "K"], bf16>, %B: !tsr.view<["K", "N"], bf16>, %C: !tsr.view<["M", "N"], f32>) attributes {
    dims = ["M", "K", "N"], params = [#tsr.param<"A", in>, #tsr.param<"B", in>, #tsr.param<"C", out>],
    outputs = [#tsr.result<"C", !tsr.tensor<["M", "N"], f32>, param = 2>],
    grid = #tsr.grid<explicit, ["(M + 127) // 128", "(N + 127) // 128"]>, group = 256 : i64} {
  %smem_a = graph.alloc_shared : !tsr.shared<["2", "128", "32"], bf16, "xor">
  %smem_b = graph.alloc_shared : !tsr.shared<["2", "32", "128"], bf16, "xor">
  %c0 = graph.constant 0 : index
  %c1 = graph.constant 1 : index
  %c32 = graph.constant 32 : index
  %c128 = graph.constant 128 : index
  %g0 = graph.query "group_id" 0
  %g1 = graph.query "group_id" 1
  %m = graph.elementwise "mul" %g0, %c128 : index
  %n = graph.elementwise "mul" %g1, %c128 : index
  %zero = graph.constant 0.0 : f32
  %acc0 = graph.full %zero : f32 to !tsr.tensor<["128", "128"], f32>
  graph.async_copy %A[%m size "128", %c0 size "32"] to %smem_a[%c0 in_bounds, %c0 size "128" in_bounds, %c0 size "32" in_bounds] : !tsr.view<["M", "K"], bf16> to !tsr.shared<["2", "128", "32"], bf16, "xor">
  graph.async_copy %B[%c0 size "32", %n size "128"] to %smem_b[%c0 in_bounds, %c0 size "32" in_bounds, %c0 size "128" in_bounds] : !tsr.view<["K", "N"], bf16> to !tsr.shared<["2", "32", "128"], bf16, "xor">
  graph.commit_group
  %K = graph.dim "K"
  %acc:2 = scf.for %k = %c0 to %K step %c32 iter_args(%sum = %acc0, %stage = %c0) -> (!tsr.tensor<["128", "128"], f32>, index) {
    %next_k = graph.elementwise "add" %k, %c32 : index
    %more = graph.elementwise "lt" %next_k, %K : index
    %other = graph.elementwise "sub" %c1, %stage : index
    scf.if %more {
      graph.async_copy %A[%m size "128", %next_k size "32"] to %smem_a[%other in_bounds, %c0 size "128" in_bounds, %c0 size "32" in_bounds] : !tsr.view<["M", "K"], bf16> to !tsr.shared<["2", "128", "32"], bf16, "xor">
      graph.async_copy %B[%next_k size "32", %n size "128"] to %smem_b[%other in_bounds, %c0 size "32" in_bounds, %c0 size "128" in_bounds] : !tsr.view<["K", "N"], bf16> to !tsr.shared<["2", "32", "128"], bf16, "xor">
    }
    graph.commit_group
    graph.wait_group 1
    graph.barrier
    %a = graph.load %smem_a[%stage in_bounds, %c0 size "128" in_bounds, %c0 size "32" in_bounds] : !tsr.shared<["2", "128", "32"], bf16, "xor"> to !tsr.tensor<["128", "32"], bf16>
    %b = graph.load %smem_b[%stage in_bounds, %c0 size "32" in_bounds, %c0 size "128" in_bounds] : !tsr.shared<["2", "32", "128"], bf16, "xor"> to !tsr.tensor<["32", "128"], bf16>
    %d = graph.dot %a, %b : (!tsr.tensor<["128", "32"], bf16>, !tsr.tensor<["32", "128"], bf16>) -> !tsr.tensor<["128", "128"], f32>
    %next = graph.elementwise "add" %sum, %d : !tsr.tensor<["128", "128"], f32>
    graph.barrier
    scf.yield %next, %other : !tsr.tensor<["128", "128"], f32>, index
  }
  graph.store %acc#0, %C[%m size "128", %n size "128"] : !tsr.tensor<["128", "128"], f32>, !tsr.view<["M", "N"], f32>
  graph.kernel_end
}

// A run-time extent of registers has capacities; K is read the other way round; the weights go through shared memory;
// the rescaled sum is what the second dot adds to.
// SIZES-LABEL: schedule.kernel @flash_attention_kernel
// SIZES-SAME: capacity = {D = array<i64: 64, 128, 256>}
// SIZES-SAME: group = 128
// SIZES-SAME: sizes = {m = 64 : i64, n = 64 : i64, stages = 2 : i64, warps = 4 : i64}
// CHECK-LABEL: tile.kernel @flash_attention_kernel
// CHECK: tile.copy %Q{{.*}} to %[[Q:[a-z_0-9]+]] :
// CHECK: tile.fill %{{.*}} : f32 to <["T.m"], f32, #tile.slice<1, #tile.grid<8 x 16>>>
// CHECK: scf.for
// CHECK: tile.copy %K{{.*}} to %[[K:[a-z_0-9]+]] :
// CHECK: tile.barrier
// CHECK: tile.dot %{{.*}}, %[[Q]], %[[K]] {trans_b}
// CHECK: scf.if %causal -> (!tile.fragment<["T.m", "T.n"], f32, #tile.grid<8 x 16>>)
// CHECK: tile.reduce "max" %{{.*}} {axis = 1 : i64}
// CHECK: tile.broadcast
// CHECK: %[[RESCALED:[0-9]+]] = tile.elementwise "mul" %{{.*}} : !tile.fragment<["T.m", "D"]
// CHECK: tile.copy %V{{.*}} to %[[V:[a-z_0-9]+]] :
// CHECK: tile.write_shared %{{[0-9]+}}, %[[P:[a-z_0-9]+]][
// CHECK: tile.barrier
// CHECK: tile.dot %[[RESCALED]], %[[P]], %[[V]] :
// CHECK: tile.store_fragment
graph.kernel @flash_attention(%Q: !tsr.view<["B", "H", "S", "D"], bf16>, %K: !tsr.view<["B", "H", "S", "D"], bf16>, %V: !tsr.view<["B", "H", "S", "D"], bf16>, %causal: i1, %result: !tsr.view<["B", "H", "S", "D"], bf16>) attributes {
    dims = ["B", "H", "S", "D"], params = [#tsr.param<"Q", in>, #tsr.param<"K", in>, #tsr.param<"V", in>, #tsr.param<"causal", in, keyword_only, default = true>, #tsr.param<"result", out, result>],
    outputs = [#tsr.result<"result", !tsr.tensor<["B", "H", "S", "D"], bf16>, param = 4>],
    requirements = [#tsr.requirement<"D % 16" eq "0", "D % 16 == 0">, #tsr.requirement<"D" le "256", "D <= 256">],
    grid = #tsr.grid<output, ["1", "1", "T.m", "D"], param = 4>, context = ["m", "n"],
    space = {m = array<i64: 64, 128>, n = array<i64: 64, 96, 128>, stages = array<i64: 2, 3>, warps = array<i64: 4, 8, 12>}} {
  %b = graph.query "origin" 0
  %h = graph.query "origin" 1
  %q0 = graph.query "origin" 2
  %c0 = graph.constant 0 : index
  %q = graph.load %Q[%b in_bounds, %h in_bounds, %q0 size "T.m", %c0 size "D" in_bounds] : !tsr.view<["B", "H", "S", "D"], bf16> to !tsr.tensor<["T.m", "D"], bf16>
  %zero = graph.constant 0.0 : f32
  %inf = graph.constant 0xFF800000 : f32
  %acc0 = graph.full %zero : f32 to !tsr.tensor<["T.m", "D"], f32>
  %m0 = graph.full %inf : f32 to !tsr.tensor<["T.m"], f32>
  %l0 = graph.full %zero : f32 to !tsr.tensor<["T.m"], f32>
  %S = graph.dim "S"
  %tn = graph.dim "T.n"
  %out:3 = scf.for %k0 = %c0 to %S step %tn iter_args(%acc = %acc0, %m_i = %m0, %l_i = %l0) -> (!tsr.tensor<["T.m", "D"], f32>, !tsr.tensor<["T.m"], f32>, !tsr.tensor<["T.m"], f32>) {
    %k = graph.load %K[%b in_bounds, %h in_bounds, %k0 size "T.n", %c0 size "D" in_bounds] : !tsr.view<["B", "H", "S", "D"], bf16> to !tsr.tensor<["T.n", "D"], bf16>
    %kt = graph.transpose %k {perm = array<i64: 1, 0>} : !tsr.tensor<["T.n", "D"], bf16> to !tsr.tensor<["D", "T.n"], bf16>
    %s0 = graph.dot %q, %kt : (!tsr.tensor<["T.m", "D"], bf16>, !tsr.tensor<["D", "T.n"], bf16>) -> !tsr.tensor<["T.m", "T.n"], f32>
    %Di = graph.dim "D"
    %Df = graph.cast %Di : index to f32
    %scale = graph.elementwise "rsqrt" %Df : f32
    %scales = graph.full %scale : f32 to !tsr.tensor<["T.m", "T.n"], f32>
    %s1 = graph.elementwise "mul" %s0, %scales : !tsr.tensor<["T.m", "T.n"], f32>
    %s = scf.if %causal -> !tsr.tensor<["T.m", "T.n"], f32> {
      %ri = graph.iota 0 : !tsr.tensor<["T.m", "T.n"], i32>
      %ci = graph.iota 1 : !tsr.tensor<["T.m", "T.n"], i32>
      %q0i = graph.cast %q0 : index to i32
      %k0i = graph.cast %k0 : index to i32
      %q0s = graph.full %q0i : i32 to !tsr.tensor<["T.m", "T.n"], i32>
      %k0s = graph.full %k0i : i32 to !tsr.tensor<["T.m", "T.n"], i32>
      %row = graph.elementwise "add" %q0s, %ri : !tsr.tensor<["T.m", "T.n"], i32>
      %col = graph.elementwise "add" %k0s, %ci : !tsr.tensor<["T.m", "T.n"], i32>
      %keep = graph.elementwise "ge" %row, %col : !tsr.tensor<["T.m", "T.n"], i32>
      %infs = graph.full %inf : f32 to !tsr.tensor<["T.m", "T.n"], f32>
      %masked = graph.elementwise "select" %keep, %s1, %infs : !tsr.tensor<["T.m", "T.n"], f32>
      scf.yield %masked : !tsr.tensor<["T.m", "T.n"], f32>
    } else {
      scf.yield %s1 : !tsr.tensor<["T.m", "T.n"], f32>
    }
    %rm = graph.reduce "max" %s {axes = array<i64: 1>} : !tsr.tensor<["T.m", "T.n"], f32> to !tsr.tensor<["T.m"], f32>
    %m_new = graph.elementwise "max" %m_i, %rm : !tsr.tensor<["T.m"], f32>
    %dm = graph.elementwise "sub" %m_i, %m_new : !tsr.tensor<["T.m"], f32>
    %alpha = graph.elementwise "exp" %dm : !tsr.tensor<["T.m"], f32>
    %mc = graph.reshape %m_new : !tsr.tensor<["T.m"], f32> to !tsr.tensor<["T.m", "1"], f32>
    %mb = graph.broadcast %mc {axes = array<i64: 0, 1>} : !tsr.tensor<["T.m", "1"], f32> to !tsr.tensor<["T.m", "T.n"], f32>
    %sm = graph.elementwise "sub" %s, %mb : !tsr.tensor<["T.m", "T.n"], f32>
    %p = graph.elementwise "exp" %sm : !tsr.tensor<["T.m", "T.n"], f32>
    %al = graph.elementwise "mul" %alpha, %l_i : !tsr.tensor<["T.m"], f32>
    %rs = graph.reduce "sum" %p {axes = array<i64: 1>} : !tsr.tensor<["T.m", "T.n"], f32> to !tsr.tensor<["T.m"], f32>
    %l_new = graph.elementwise "add" %al, %rs : !tsr.tensor<["T.m"], f32>
    %ac = graph.reshape %alpha : !tsr.tensor<["T.m"], f32> to !tsr.tensor<["T.m", "1"], f32>
    %ab = graph.broadcast %ac {axes = array<i64: 0, 1>} : !tsr.tensor<["T.m", "1"], f32> to !tsr.tensor<["T.m", "D"], f32>
    %scaled = graph.elementwise "mul" %ab, %acc : !tsr.tensor<["T.m", "D"], f32>
    %pb = graph.cast %p : !tsr.tensor<["T.m", "T.n"], f32> to !tsr.tensor<["T.m", "T.n"], bf16>
    %v = graph.load %V[%b in_bounds, %h in_bounds, %k0 size "T.n", %c0 size "D" in_bounds] : !tsr.view<["B", "H", "S", "D"], bf16> to !tsr.tensor<["T.n", "D"], bf16>
    %pv = graph.dot %pb, %v : (!tsr.tensor<["T.m", "T.n"], bf16>, !tsr.tensor<["T.n", "D"], bf16>) -> !tsr.tensor<["T.m", "D"], f32>
    %acc_new = graph.elementwise "add" %scaled, %pv : !tsr.tensor<["T.m", "D"], f32>
    scf.yield %acc_new, %m_new, %l_new : !tsr.tensor<["T.m", "D"], f32>, !tsr.tensor<["T.m"], f32>, !tsr.tensor<["T.m"], f32>
  }
  %lc = graph.reshape %out#2 : !tsr.tensor<["T.m"], f32> to !tsr.tensor<["T.m", "1"], f32>
  %lb = graph.broadcast %lc {axes = array<i64: 0, 1>} : !tsr.tensor<["T.m", "1"], f32> to !tsr.tensor<["T.m", "D"], f32>
  %o = graph.elementwise "div" %out#0, %lb : !tsr.tensor<["T.m", "D"], f32>
  %ob = graph.cast %o : !tsr.tensor<["T.m", "D"], f32> to !tsr.tensor<["T.m", "D"], bf16>
  graph.store %ob, %result[%b in_bounds, %h in_bounds, %q0 size "T.m", %c0 size "D" in_bounds] : !tsr.tensor<["T.m", "D"], bf16>, !tsr.view<["B", "H", "S", "D"], bf16>
  graph.kernel_end
}
