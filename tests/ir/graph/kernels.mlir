// The example of every operation of a kernel's body, printed and read again.
// RUN: tessera-opt %s | tessera-opt | FileCheck %s

// CHECK-LABEL: graph.kernel @matmul(%A: !tsr.view<["M", "K"], bf16>, %causal: i1, %result: !tsr.view<["M"], bf16>)
// CHECK-SAME: context = ["m", "k"]
// CHECK-SAME: grid = #tsr.grid<output, ["T.m"], param = 2>
// CHECK-SAME: params = [#tsr.param<"A", in>, #tsr.param<"causal", in, keyword_only, default = true>, #tsr.param<"result", out, result>]
graph.kernel @matmul(%A: !tsr.view<["M", "K"], bf16>, %causal: i1, %result: !tsr.view<["M"], bf16>) attributes {
    dims = ["M", "K"], params = [#tsr.param<"A", in>, #tsr.param<"causal", in, keyword_only, default = true>,
                                 #tsr.param<"result", out, result>],
    outputs = [#tsr.result<"result", !tsr.tensor<["M"], bf16>, param = 2>],
    grid = #tsr.grid<output, ["T.m"], param = 2>, context = ["m", "k"], sizes = {m = 64, warps = 4},
    options = {swizzle = "xor"}, space = {m = array<i64: 64, 128>}} {
  // CHECK: %[[M:.*]] = graph.query "origin" 0
  %m = graph.query "origin" 0
  %zero = graph.constant 0 : index
  %other = graph.constant 1.0 : bf16
  // CHECK: graph.load %A[%[[M]] size "T.m", %{{.*}} size "T.k" in_bounds] : !tsr.view<["M", "K"], bf16> to !tsr.tensor<["T.m", "T.k"], bf16>
  %tile = graph.load %A[%m size "T.m", %zero size "T.k" in_bounds] : !tsr.view<["M", "K"], bf16> to !tsr.tensor<["T.m", "T.k"], bf16>
  // CHECK: graph.load %A[%{{.*}} size "T.m" step 2, %{{.*}}] other %{{.*}} : bf16 : !tsr.view<["M", "K"], bf16> to !tsr.tensor<["T.m"], bf16>
  %column = graph.load %A[%m size "T.m" step 2, %zero] other %other : bf16 : !tsr.view<["M", "K"], bf16> to !tsr.tensor<["T.m"], bf16>
  // CHECK: graph.load %A[%{{.*}}, %{{.*}}] : !tsr.view<["M", "K"], bf16> to bf16
  %item = graph.load %A[%m, %zero] : !tsr.view<["M", "K"], bf16> to bf16
  // CHECK: graph.alloc_shared : <["T.m", "32"], bf16, "xor">
  %s = graph.alloc_shared : !tsr.shared<["T.m", "32"], bf16, "xor">
  // CHECK: graph.async_copy %A[%{{.*}} size "T.m", %{{.*}} size "32"] to %{{.*}}[%{{.*}} size "T.m" in_bounds, %{{.*}} size "32" in_bounds] : <["M", "K"], bf16> to <["T.m", "32"], bf16, "xor">
  graph.async_copy %A[%m size "T.m", %zero size "32"] to %s[%zero size "T.m" in_bounds, %zero size "32" in_bounds] : !tsr.view<["M", "K"], bf16> to !tsr.shared<["T.m", "32"], bf16, "xor">
  // CHECK: graph.commit_group
  graph.commit_group
  // CHECK: graph.wait_group 1
  graph.wait_group 1
  // CHECK: graph.barrier
  graph.barrier
  scf.if %causal {
    // CHECK: graph.store %{{.*}}, %{{.*}}[%{{.*}}, %{{.*}}] {once} : bf16, !tsr.shared<["T.m", "32"], bf16, "xor">
    graph.store %item, %s[%zero, %zero] {once} : bf16, !tsr.shared<["T.m", "32"], bf16, "xor">
  }
  // CHECK: graph.atomic "add" %{{.*}}, %result[%{{.*}}] {in_bounds = array<i1: false>} : (bf16, !tsr.view<["M"], bf16>, index) -> bf16
  %old = graph.atomic "add" %item, %result[%m] {in_bounds = array<i1: false>} : (bf16, !tsr.view<["M"], bf16>, index) -> bf16
  // CHECK: graph.scan "max" 1 %{{.*}} : <["T.m", "T.k"], bf16>
  %scanned = graph.scan "max" 1 %tile : !tsr.tensor<["T.m", "T.k"], bf16>
  // CHECK: graph.warp "shuffle" %{{.*}}, %{{.*}} : (bf16, index) -> bf16
  %next = graph.warp "shuffle" %item, %zero : (bf16, index) -> bf16
  // CHECK: graph.warp "ballot" %causal : (i1) -> ui32
  %ballot = graph.warp "ballot" %causal : (i1) -> ui32
  // CHECK: graph.store %{{.*}}, %result[%{{.*}} size "T.m"] : !tsr.tensor<["T.m"], bf16>, !tsr.view<["M"], bf16>
  graph.store %column, %result[%m size "T.m"] : !tsr.tensor<["T.m"], bf16>, !tsr.view<["M"], bf16>
  // CHECK: graph.kernel_end
  graph.kernel_end
}

// CHECK-LABEL: graph.kernel @one(%result: !tsr.view<[], f32>)
graph.kernel @one(%result: !tsr.view<[], f32>) attributes {
    dims = [], params = [#tsr.param<"result", out, result>],
    outputs = [#tsr.result<"result", !tsr.tensor<[], f32>, param = 0>], grid = #tsr.grid<explicit, ["1"]>} {
  %0 = graph.constant 1.0 : f32
  // CHECK: graph.store %{{.*}}, %result[] {once} : f32, !tsr.view<[], f32>
  graph.store %0, %result[] {once} : f32, !tsr.view<[], f32>
  graph.kernel_end
}
