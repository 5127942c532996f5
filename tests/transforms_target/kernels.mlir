// RUN: tessera-opt %s --set-machine=name=sm_80 --tile-to-target | FileCheck %s --check-prefixes=BOTH,GPU
// RUN: tessera-opt %s --set-machine=name=cpu --tile-to-target | FileCheck %s --check-prefixes=BOTH,CPU

// One lane an element: threads on a GPU, the turns of one loop on the CPU, where the loop's end says what the test said.
// BOTH-LABEL: target.kernel @saxpy_kernel
// GPU: %i = target.variable "i" "copy"({{.*}}) {is_const} : (index) -> index
// GPU: target.if
// GPU: target.assign {{.*}} : !target.lvalue<f32>, f32
// CPU-NOT: target.if
// CPU: target.for "i" %{{.*}} to %n step %{{.*}} : index attributes {parallel, simd}
// CPU: target.assign
// BOTH-LABEL: target.entry @saxpy
// GPU: target.launch @saxpy_kernel grid "(Threads + n - 1) // Threads" group 256 arguments [#target.argument<"tensor", "x">, #target.argument<"tensor", "y">, #target.argument<"scalar", "alpha">, #target.argument<"dim", "n">]
// CPU: target.launch @saxpy_kernel group 0
tile.kernel @saxpy_kernel(%x: !tsr.view<["n"], f32>, %y: !tsr.view<["n"], f32>, %alpha: f32) attributes {
    dims = ["n"], params = [#tsr.param<"x", in>, #tsr.param<"y", inout>, #tsr.param<"alpha", in>],
    outputs = [#tsr.result<"y", !tsr.tensor<["n"], f32>, param = 1>], grid = #tsr.grid<lanes, ["n"]>, group = 256 : i64} {
  %i = tile.query "linear_id" loc("i"("x.tsr":9:5))
  %n = tile.dim "n"
  %inside = tile.elementwise "lt" %i, %n : index
  scf.if %inside {
    %a = tile.load_element %x[%i] {in_bounds = array<i1: true>} : !tsr.view<["n"], f32>
    %b = tile.load_element %y[%i] {in_bounds = array<i1: true>} : !tsr.view<["n"], f32>
    %c = tile.elementwise "mul" %alpha, %a : f32
    %d = tile.elementwise "add" %c, %b : f32
    tile.store_element %d, %y[%i] {in_bounds = array<i1: true>} : f32, !tsr.view<["n"], f32>
  }
  tile.kernel_end
}
tile.func @saxpy(%x: !tsr.view<["n"], f32>, %y: !tsr.view<["n"], f32>, %alpha: f32) attributes {
    dims = ["n"], params = [#tsr.param<"x", in>, #tsr.param<"y", inout>, #tsr.param<"alpha", in>],
    outputs = [#tsr.result<"y", !tsr.tensor<["n"], f32>, param = 1>]} {
  tile.launch @saxpy_kernel(%x, %y, %alpha) : !tsr.view<["n"], f32>, !tsr.view<["n"], f32>, f32
  tile.return
}

// What a loop carries is one variable from its start to its result; sizes are constants, never numbers in the code.
// BOTH-LABEL: target.kernel @matmul_kernel
// BOTH: target.constant "BM" = 64 : i64
// BOTH: target.constant "BN" = 32 : i64
// BOTH: target.constant "BK" = 16 : i64
// GPU: target.alias "Grid" = "tsr::ThreadGrid<8, 8>"
// CPU: target.alias "Grid" = "tsr::ThreadGrid<1, 1>"
// CPU: target.for "group" {{.*}} attributes {parallel}
// GPU: %a_tile = target.shared "a_tile" : !target.named<"tsr::SharedTile<tsr::bf16, BM, BK, tsr::Xor>">
// CPU: %a_tile = target.variable "a_tile" "direct"() : !target.named<"tsr::LeftRows<float, BM, BK>">
// BOTH: %m = target.variable "m"
// BOTH: %acc = target.variable "acc" "direct"({{.*}}) : (f32) -> !target.named<"tsr::Fragment<float, BM, BN, Grid>">
// BOTH: target.for "i" {{.*}} to %K step
// GPU: target.call "tsr::copy_tile_async"<["Threads", "Align"]> (%a_tile, %A,
// CPU: target.call "tsr::copy_tile"<["1"]> (%a_tile, %A,
// GPU: target.call "tsr::async_commit"
// GPU: target.call "tsr::async_wait"<[0]>
// GPU: target.call "tsr::group_barrier"
// CPU-NOT: tsr::async_commit
// CPU-NOT: tsr::group_barrier
// BOTH: target.call "tsr::dot" (%acc, %a_tile, %b_tile)
// BOTH: %acc_bf16 = target.variable "acc_bf16"
// BOTH: target.for "i"
// BOTH: target.for "j"
// BOTH: target.call "tsr::to"<[bf16]>
// BOTH: target.call "tsr::store_fragment" (%C, %acc_bf16,
// BOTH-NOT: target.variable
tile.kernel @matmul_kernel(%A: !tsr.view<["M", "K"], bf16>, %B: !tsr.view<["K", "N"], bf16>, %C: !tsr.view<["M", "N"], bf16>) attributes {
    dims = ["M", "N", "K"], params = [#tsr.param<"A", in>, #tsr.param<"B", in>, #tsr.param<"C", out>], outputs = [],
    grid = #tsr.grid<output, ["T.m", "T.n"], param = 2>, group = 64 : i64, context = ["m", "n", "k"],
    sizes = {k = 16 : i64, m = 64 : i64, n = 32 : i64}} {
  %a_tile = tile.alloc_shared : !tsr.shared<["T.m", "T.k"], bf16, "xor"> loc("a_tile"("x.tsr":1:1))
  %b_tile = tile.alloc_shared : !tsr.shared<["T.k", "T.n"], bf16, ""> loc("b_tile"("x.tsr":1:1))
  %m = tile.query "origin" {axis = 0 : i64} loc("m"("x.tsr":2:1))
  %n = tile.query "origin" {axis = 1 : i64} loc("n"("x.tsr":2:1))
  %zero = tile.constant 0.0 : f32
  %start = tile.fill %zero : f32 to !tile.fragment<["T.m", "T.n"], f32, #tile.grid<8 x 8>> loc("acc"("x.tsr":3:1))
  %c0 = tile.constant 0 : index
  %K = tile.dim "K"
  %step = tile.dim "T.k"
  %acc = scf.for %k = %c0 to %K step %step iter_args(%sum = %start) -> !tile.fragment<["T.m", "T.n"], f32, #tile.grid<8 x 8>> {
    tile.copy %A[%m size "T.m", %k size "T.k"] to %a_tile {async} : !tsr.view<["M", "K"], bf16> to !tsr.shared<["T.m", "T.k"], bf16, "xor">
    tile.copy %B[%k size "T.k", %n size "T.n"] to %b_tile {async} : !tsr.view<["K", "N"], bf16> to !tsr.shared<["T.k", "T.n"], bf16, "">
    tile.commit_group
    tile.wait_group {pending = 0 : i64}
    tile.barrier
    %next = tile.dot %sum, %a_tile, %b_tile : !tile.fragment<["T.m", "T.n"], f32, #tile.grid<8 x 8>>, !tsr.shared<["T.m", "T.k"], bf16, "xor">, !tsr.shared<["T.k", "T.n"], bf16, "">
    tile.barrier
    scf.yield %next : !tile.fragment<["T.m", "T.n"], f32, #tile.grid<8 x 8>>
  } loc("k"("x.tsr":4:1))
  %out = tile.cast %acc : !tile.fragment<["T.m", "T.n"], f32, #tile.grid<8 x 8>> to !tile.fragment<["T.m", "T.n"], bf16, #tile.grid<8 x 8>>
  tile.store_fragment %out, %C[%m size "T.m", %n size "T.n"] : !tile.fragment<["T.m", "T.n"], bf16, #tile.grid<8 x 8>>, !tsr.view<["M", "N"], bf16>
  tile.kernel_end
}

// A row for each group: lanes stride over it and meet in a reduction; one lane on the CPU needs neither.
// BOTH-LABEL: target.kernel @row_sums
// GPU: %scratch = target.shared "scratch" : !target.array<["tsr::group_reduce_scratch(Threads)"], f32>
// CPU: target.for "r" {{.*}} to %R step {{.*}} attributes {parallel}
// BOTH: %int_ = target.variable "int_"
// GPU: %[[LANE:.*]] = target.name "threadIdx.x"
// GPU: target.for "i" %[[LANE]] to %C
// CPU: target.for "i"
// BOTH: target.compound_assign "+=" %int_
// GPU: target.call "tsr::group_reduce"<["tsr::Sum", "Threads"]> ({{.*}}, %scratch)
// CPU-NOT: group_reduce
// GPU: target.if
// CPU-NOT: target.if
// BOTH: target.assign
tile.kernel @row_sums(%x: !tsr.view<["R", "C"], f32>, %y: !tsr.view<["R"], f32>) attributes {
    dims = ["R", "C"], params = [#tsr.param<"x", in>, #tsr.param<"y", out>], outputs = [],
    grid = #tsr.grid<output, ["1"], param = 1>, group = 128 : i64} {
  %r = tile.query "origin" {axis = 0 : i64} loc("r"("x.tsr":2:1))
  %lane = tile.query "local_id"
  %lanes = tile.query "group_size"
  %C = tile.dim "C"
  %zero = tile.constant 0.0 : f32 loc("int"("x.tsr":2:1))
  %part = scf.for %c = %lane to %C step %lanes iter_args(%sum = %zero) -> f32 {
    %e = tile.load_element %x[%r, %c] {in_bounds = array<i1: true, true>} : !tsr.view<["R", "C"], f32>
    %next = tile.elementwise "add" %sum, %e : f32
    scf.yield %next : f32
  }
  %all = tile.group_reduce "sum" %part : f32
  tile.once {
    tile.store_element %all, %y[%r] {in_bounds = array<i1: true>} : f32, !tsr.view<["R"], f32>
  }
  tile.kernel_end
}
