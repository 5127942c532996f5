// Every rule of kernels, functions and calls, broken once.
// RUN: tessera-opt %s -split-input-file -verify-diagnostics

graph.kernel @k(%A: !tsr.view<["M", "K"], bf16>, %i: index, %r: !tsr.view<["M"], bf16>) attributes {dims = ["M", "K"], params = [#tsr.param<"A", in>, #tsr.param<"i", in>, #tsr.param<"r", out, result>],
    outputs = [#tsr.result<"result", !tsr.tensor<["M"], bf16>, param = 2>], grid = #tsr.grid<output, ["T.m"], param = 2>, context = ["m", "k"]} {
  // expected-error @+1 {{has 1 indices for the 2 dimensions of}}
  %0 = graph.load %A[%i] : !tsr.view<["M", "K"], bf16> to bf16
  graph.kernel_end
}

// -----

graph.kernel @k(%A: !tsr.view<["M", "K"], bf16>, %i: index, %r: !tsr.view<["M"], bf16>) attributes {dims = ["M", "K"], params = [#tsr.param<"A", in>, #tsr.param<"i", in>, #tsr.param<"r", out, result>],
    outputs = [#tsr.result<"result", !tsr.tensor<["M"], bf16>, param = 2>], grid = #tsr.grid<output, ["T.m"], param = 2>, context = ["m", "k"]} {
  // expected-error @+1 {{result has type 'f32', expected 'bf16'}}
  %0 = graph.load %A[%i, %i] : !tsr.view<["M", "K"], bf16> to f32
  graph.kernel_end
}

// -----

graph.kernel @k(%A: !tsr.view<["M", "K"], bf16>, %i: index, %r: !tsr.view<["M"], bf16>) attributes {dims = ["M", "K"], params = [#tsr.param<"A", in>, #tsr.param<"i", in>, #tsr.param<"r", out, result>],
    outputs = [#tsr.result<"result", !tsr.tensor<["M"], bf16>, param = 2>], grid = #tsr.grid<output, ["T.m"], param = 2>, context = ["m", "k"]} {
  // expected-error-re @+1 {{result has type {{.*}}, expected}}
  %0 = graph.load %A[%i size "T.m", %i] : !tsr.view<["M", "K"], bf16> to !tsr.tensor<["T.k"], bf16>
  graph.kernel_end
}

// -----

graph.kernel @k(%A: !tsr.view<["M", "K"], bf16>, %i: index, %r: !tsr.view<["M"], bf16>) attributes {dims = ["M", "K"], params = [#tsr.param<"A", in>, #tsr.param<"i", in>, #tsr.param<"r", out, result>],
    outputs = [#tsr.result<"result", !tsr.tensor<["M"], bf16>, param = 2>], grid = #tsr.grid<output, ["T.m"], param = 2>, context = ["m", "k"]} {
  %z = graph.constant 0.0 : f32
  // expected-error @+1 {{'other' has type 'f32', expected 'bf16'}}
  %0 = graph.load %A[%i, %i] other %z : f32 : !tsr.view<["M", "K"], bf16> to bf16
  graph.kernel_end
}

// -----

graph.kernel @k(%A: !tsr.view<["M", "K"], bf16>, %i: index, %r: !tsr.view<["M"], bf16>) attributes {dims = ["M", "K"], params = [#tsr.param<"A", in>, #tsr.param<"i", in>, #tsr.param<"r", out, result>],
    outputs = [#tsr.result<"result", !tsr.tensor<["M"], bf16>, param = 2>], grid = #tsr.grid<output, ["T.m"], param = 2>, context = ["m", "k"]} {
  // expected-error @+1 {{index 0 has step 0}}
  %0 = graph.load %A[%i size "T.m" step 0, %i] : !tsr.view<["M", "K"], bf16> to !tsr.tensor<["T.m"], bf16>
  graph.kernel_end
}

// -----

graph.kernel @k(%A: !tsr.view<["M", "K"], bf16>, %i: index, %r: !tsr.view<["M"], bf16>) attributes {dims = ["M", "K"], params = [#tsr.param<"A", in>, #tsr.param<"i", in>, #tsr.param<"r", out, result>],
    outputs = [#tsr.result<"result", !tsr.tensor<["M"], bf16>, param = 2>], grid = #tsr.grid<output, ["T.m"], param = 2>, context = ["m", "k"]} {
  // expected-error @+1 {{index 0 is a point with a size or a step}}
  %0 = "graph.load"(%A, %i, %i) {points = array<i1: true, true>, sizes = #tsr.dims<["2", "1"]>, steps = array<i64: 1, 1>, in_bounds = array<i1: false, false>, operandSegmentSizes = array<i32: 1, 2, 0>} : (!tsr.view<["M", "K"], bf16>, index, index) -> bf16
  graph.kernel_end
}

// -----

graph.kernel @k(%A: !tsr.view<["M", "K"], bf16>, %i: index, %r: !tsr.view<["M"], bf16>) attributes {dims = ["M", "K"], params = [#tsr.param<"A", in>, #tsr.param<"i", in>, #tsr.param<"r", out, result>],
    outputs = [#tsr.result<"result", !tsr.tensor<["M"], bf16>, param = 2>], grid = #tsr.grid<output, ["T.m"], param = 2>, context = ["m", "k"]} {
  %z = graph.constant 0.0 : f32
  // expected-error @+1 {{value has type 'f32', expected 'bf16'}}
  graph.store %z, %r[%i] : f32, !tsr.view<["M"], bf16>
  graph.kernel_end
}

// -----

graph.kernel @k(%A: !tsr.view<["M", "K"], bf16>, %i: index, %r: !tsr.view<["M"], bf16>) attributes {dims = ["M", "K"], params = [#tsr.param<"A", in>, #tsr.param<"i", in>, #tsr.param<"r", out, result>],
    outputs = [#tsr.result<"result", !tsr.tensor<["M"], bf16>, param = 2>], grid = #tsr.grid<output, ["T.m"], param = 2>, context = ["m", "k"]} {
  %t = graph.load %A[%i size "T.m", %i] : !tsr.view<["M", "K"], bf16> to !tsr.tensor<["T.m"], bf16>
  // expected-error @+1 {{'once' is for scalars: the group stores a tile}}
  graph.store %t, %r[%i size "T.m"] {once} : !tsr.tensor<["T.m"], bf16>, !tsr.view<["M"], bf16>
  graph.kernel_end
}

// -----

graph.kernel @k(%A: !tsr.view<["M", "K"], bf16>, %i: index, %r: !tsr.view<["M"], bf16>) attributes {dims = ["M", "K"], params = [#tsr.param<"A", in>, #tsr.param<"i", in>, #tsr.param<"r", out, result>],
    outputs = [#tsr.result<"result", !tsr.tensor<["M"], bf16>, param = 2>], grid = #tsr.grid<output, ["T.m"], param = 2>, context = ["m", "k"]} {
  // expected-error @+1 {{unknown query 'thread_id'}}
  %0 = graph.query "thread_id" 0
  graph.kernel_end
}

// -----

graph.kernel @k(%A: !tsr.view<["M", "K"], bf16>, %i: index, %r: !tsr.view<["M"], bf16>) attributes {dims = ["M", "K"], params = [#tsr.param<"A", in>, #tsr.param<"i", in>, #tsr.param<"r", out, result>],
    outputs = [#tsr.result<"result", !tsr.tensor<["M"], bf16>, param = 2>], grid = #tsr.grid<output, ["T.m"], param = 2>, context = ["m", "k"]} {
  // expected-error @+1 {{axis -1 is negative}}
  %0 = graph.query "origin" -1
  graph.kernel_end
}

// -----

graph.kernel @k(%A: !tsr.view<["M", "K"], bf16>, %i: index, %r: !tsr.view<["M"], bf16>) attributes {dims = ["M", "K"], params = [#tsr.param<"A", in>, #tsr.param<"i", in>, #tsr.param<"r", out, result>],
    outputs = [#tsr.result<"result", !tsr.tensor<["M"], bf16>, param = 2>], grid = #tsr.grid<output, ["T.m"], param = 2>, context = ["m", "k"]} {
  %s = graph.alloc_shared : !tsr.shared<["32"], bf16, "">
  // expected-error-re @+1 {{copies {{.*}} to}}
  graph.async_copy %A[%i size "64", %i] to %s[%i size "32"] : !tsr.view<["M", "K"], bf16> to !tsr.shared<["32"], bf16, "">
  graph.kernel_end
}

// -----

graph.kernel @k(%A: !tsr.view<["M", "K"], bf16>, %i: index, %r: !tsr.view<["M"], bf16>) attributes {dims = ["M", "K"], params = [#tsr.param<"A", in>, #tsr.param<"i", in>, #tsr.param<"r", out, result>],
    outputs = [#tsr.result<"result", !tsr.tensor<["M"], bf16>, param = 2>], grid = #tsr.grid<output, ["T.m"], param = 2>, context = ["m", "k"]} {
  // expected-error @+1 {{waits for a negative number of copies}}
  graph.wait_group -1
  graph.kernel_end
}

// -----

graph.kernel @k(%A: !tsr.view<["M", "K"], bf16>, %i: index, %r: !tsr.view<["M"], bf16>) attributes {dims = ["M", "K"], params = [#tsr.param<"A", in>, #tsr.param<"i", in>, #tsr.param<"r", out, result>],
    outputs = [#tsr.result<"result", !tsr.tensor<["M"], bf16>, param = 2>], grid = #tsr.grid<output, ["T.m"], param = 2>, context = ["m", "k"]} {
  // expected-error @+1 {{swizzle 'and' is none of "", "xor", "xor_chunks" and "panels"}}
  %s = graph.alloc_shared : !tsr.shared<["32"], bf16, "and">
  graph.kernel_end
}

// -----

graph.kernel @k(%A: !tsr.view<["M", "K"], bf16>, %i: index, %r: !tsr.view<["M"], bf16>) attributes {dims = ["M", "K"], params = [#tsr.param<"A", in>, #tsr.param<"i", in>, #tsr.param<"r", out, result>],
    outputs = [#tsr.result<"result", !tsr.tensor<["M"], bf16>, param = 2>], grid = #tsr.grid<output, ["T.m"], param = 2>, context = ["m", "k"]} {
  // expected-error @+1 {{a shared buffer has at least one dimension}}
  %s = graph.alloc_shared : !tsr.shared<[], bf16, "">
  graph.kernel_end
}

// -----

graph.kernel @k(%A: !tsr.view<["M", "K"], bf16>, %i: index, %r: !tsr.view<["M"], bf16>) attributes {dims = ["M", "K"], params = [#tsr.param<"A", in>, #tsr.param<"i", in>, #tsr.param<"r", out, result>],
    outputs = [#tsr.result<"result", !tsr.tensor<["M"], bf16>, param = 2>], grid = #tsr.grid<output, ["T.m"], param = 2>, context = ["m", "k"]} {
  // expected-error @+1 {{a shared buffer holds values of a dtype, not index}}
  %s = graph.alloc_shared : !tsr.shared<["8"], index, "">
  graph.kernel_end
}

// -----

graph.kernel @k(%A: !tsr.view<["M", "K"], bf16>, %i: index, %r: !tsr.view<["M"], bf16>) attributes {dims = ["M", "K"], params = [#tsr.param<"A", in>, #tsr.param<"i", in>, #tsr.param<"r", out, result>],
    outputs = [#tsr.result<"result", !tsr.tensor<["M"], bf16>, param = 2>], grid = #tsr.grid<output, ["T.m"], param = 2>, context = ["m", "k"]} {
  // expected-error @+1 {{may not stand in a kernel}}
  %0 = graph.string "hello"
  graph.kernel_end
}

// -----

// expected-error @+1 {{takes 'tensor<2xf32>', but a kernel takes scalars and views}}
graph.kernel @k(%A: tensor<2xf32>, %i: index, %r: !tsr.view<["M"], bf16>) attributes {dims = ["M", "K"], params = [#tsr.param<"A", in>, #tsr.param<"i", in>, #tsr.param<"r", out, result>],
    outputs = [#tsr.result<"result", !tsr.tensor<["M"], bf16>, param = 2>], grid = #tsr.grid<output, ["T.m"], param = 2>, context = ["m", "k"]} {
  graph.kernel_end
}

// -----

// expected-error @+1 {{has 3 arguments and 1 params}}
graph.kernel @k(%A: !tsr.view<["M", "K"], bf16>, %i: index, %r: !tsr.view<["M"], bf16>) attributes {dims = ["M", "K"], params = [#tsr.param<"A", in>],
    outputs = [#tsr.result<"result", !tsr.tensor<["M"], bf16>, param = 2>], grid = #tsr.grid<output, ["T.m"], param = 2>, context = ["m", "k"]} {
  graph.kernel_end
}

// -----

// expected-error @+1 {{parameter 'A' is empty or stands there twice}}
graph.kernel @k(%A: !tsr.view<["M", "K"], bf16>, %i: index, %r: !tsr.view<["M"], bf16>) attributes {dims = ["M", "K"], params = [#tsr.param<"A", in>, #tsr.param<"A", in>, #tsr.param<"r", out, result>],
    outputs = [#tsr.result<"result", !tsr.tensor<["M"], bf16>, param = 2>], grid = #tsr.grid<output, ["T.m"], param = 2>, context = ["m", "k"]} {
  graph.kernel_end
}

// -----

// expected-error @+1 {{dimension "M" is empty or stands there twice}}
graph.kernel @k(%A: !tsr.view<["M", "K"], bf16>, %i: index, %r: !tsr.view<["M"], bf16>) attributes {dims = ["M", "M"], params = [#tsr.param<"A", in>, #tsr.param<"i", in>, #tsr.param<"r", out, result>],
    outputs = [#tsr.result<"result", !tsr.tensor<["M"], bf16>, param = 2>], grid = #tsr.grid<output, ["T.m"], param = 2>, context = ["m", "k"]} {
  graph.kernel_end
}

// -----

// expected-error @+1 {{uses the dimension 'K', but 'K' is not a dimension of its function}}
graph.kernel @k(%A: !tsr.view<["M", "K"], bf16>, %i: index, %r: !tsr.view<["M"], bf16>) attributes {dims = ["M"], params = [#tsr.param<"A", in>, #tsr.param<"i", in>, #tsr.param<"r", out, result>],
    outputs = [#tsr.result<"result", !tsr.tensor<["M"], bf16>, param = 2>], grid = #tsr.grid<output, ["T.m"], param = 2>, context = ["m", "k"]} {
  graph.kernel_end
}

// -----

// expected-error @+1 {{uses the dimension 'N % 16', but 'N' is not a dimension of its function}}
graph.kernel @k(%A: !tsr.view<["M", "K"], bf16>, %i: index, %r: !tsr.view<["M"], bf16>) attributes {dims = ["M", "K"], params = [#tsr.param<"A", in>, #tsr.param<"i", in>, #tsr.param<"r", out, result>],
    outputs = [#tsr.result<"result", !tsr.tensor<["M"], bf16>, param = 2>], grid = #tsr.grid<output, ["T.m"], param = 2>, requirements = [#tsr.requirement<"N % 16" eq "0", "N % 16 == 0">]} {
  graph.kernel_end
}

// -----

// expected-error @+1 {{output 'result' is held by parameter 7, but there are 3}}
graph.kernel @k(%A: !tsr.view<["M", "K"], bf16>, %i: index, %r: !tsr.view<["M"], bf16>) attributes {dims = ["M", "K"], params = [#tsr.param<"A", in>, #tsr.param<"i", in>, #tsr.param<"r", out, result>],
    outputs = [#tsr.result<"result", !tsr.tensor<["M"], bf16>, param = 7>], grid = #tsr.grid<output, ["T.m"], param = 2>, context = ["m", "k"]} {
  graph.kernel_end
}

// -----

// expected-error @+1 {{output 'result' is held by 'A', which is only read}}
graph.kernel @k(%A: !tsr.view<["M", "K"], bf16>, %i: index, %r: !tsr.view<["M"], bf16>) attributes {dims = ["M", "K"], params = [#tsr.param<"A", in>, #tsr.param<"i", in>, #tsr.param<"r", out, result>],
    outputs = [#tsr.result<"result", !tsr.tensor<["M"], bf16>, param = 0>], grid = #tsr.grid<output, ["T.m"], param = 2>, context = ["m", "k"]} {
  graph.kernel_end
}

// -----

// expected-error @+1 {{output 'result' has no parameter}}
graph.kernel @k(%A: !tsr.view<["M", "K"], bf16>, %i: index, %r: !tsr.view<["M"], bf16>) attributes {dims = ["M", "K"], params = [#tsr.param<"A", in>, #tsr.param<"i", in>, #tsr.param<"r", out, result>],
    outputs = [#tsr.result<"result", !tsr.tensor<["M"], bf16>>], grid = #tsr.grid<output, ["T.m"], param = 2>, context = ["m", "k"]} {
  graph.kernel_end
}

// -----

// expected-error-re @+1 {{output 'result' of type {{.*}} is held by a parameter of type}}
graph.kernel @k(%A: !tsr.view<["M", "K"], bf16>, %i: index, %r: !tsr.view<["M"], bf16>) attributes {dims = ["M", "K"], params = [#tsr.param<"A", in>, #tsr.param<"i", in>, #tsr.param<"r", out, result>],
    outputs = [#tsr.result<"result", !tsr.tensor<["M"], f32>, param = 2>], grid = #tsr.grid<output, ["T.m"], param = 2>, context = ["m", "k"]} {
  graph.kernel_end
}

// -----

// expected-error @+1 {{the grid counts tiles of parameter 5, but there are 3}}
graph.kernel @k(%A: !tsr.view<["M", "K"], bf16>, %i: index, %r: !tsr.view<["M"], bf16>) attributes {dims = ["M", "K"], params = [#tsr.param<"A", in>, #tsr.param<"i", in>, #tsr.param<"r", out, result>],
    outputs = [#tsr.result<"result", !tsr.tensor<["M"], bf16>, param = 2>], grid = #tsr.grid<output, ["T.m"], param = 5>, context = ["m", "k"]} {
  graph.kernel_end
}

// -----

// expected-error @+1 {{the grid counts tiles of a parameter that is not a view}}
graph.kernel @k(%A: !tsr.view<["M", "K"], bf16>, %i: index, %r: !tsr.view<["M"], bf16>) attributes {dims = ["M", "K"], params = [#tsr.param<"A", in>, #tsr.param<"i", in>, #tsr.param<"r", out, result>],
    outputs = [#tsr.result<"result", !tsr.tensor<["M"], bf16>, param = 2>], grid = #tsr.grid<output, ["T.m"], param = 1>, context = ["m", "k"]} {
  graph.kernel_end
}

// -----

// expected-error @+1 {{has not as many dimensions as}}
graph.kernel @k(%A: !tsr.view<["M", "K"], bf16>, %i: index, %r: !tsr.view<["M"], bf16>) attributes {dims = ["M", "K"], params = [#tsr.param<"A", in>, #tsr.param<"i", in>, #tsr.param<"r", out, result>],
    outputs = [#tsr.result<"result", !tsr.tensor<["M"], bf16>, param = 2>], grid = #tsr.grid<output, ["T.m", "1"], param = 2>, context = ["m", "k"]} {
  graph.kernel_end
}

// -----

// expected-error @+1 {{a group of 2048 lanes is not in 0..1024}}
graph.kernel @k(%A: !tsr.view<["M", "K"], bf16>, %i: index, %r: !tsr.view<["M"], bf16>) attributes {dims = ["M", "K"], params = [#tsr.param<"A", in>, #tsr.param<"i", in>, #tsr.param<"r", out, result>],
    outputs = [#tsr.result<"result", !tsr.tensor<["M"], bf16>, param = 2>], grid = #tsr.grid<output, ["T.m"], param = 2>, context = ["m", "k"], group = 2048 : i64} {
  graph.kernel_end
}

// -----

graph.kernel @k(%A: !tsr.view<["M", "K"], bf16>, %i: index, %r: !tsr.view<["M"], bf16>) attributes {dims = ["M", "K"], params = [#tsr.param<"A", in>, #tsr.param<"i", in>, #tsr.param<"r", out, result>],
    outputs = [#tsr.result<"result", !tsr.tensor<["M"], bf16>, param = 2>], grid = #tsr.grid<output, ["T.m"], param = 2>, context = ["m", "k"]} {
  // expected-error @+1 {{may not stand in a kernel}}
  graph.return
}

// -----

graph.func @f() attributes {dims = [], params = [], outputs = [],
    // expected-error @+1 {{an 'output' grid, and no other, names the parameter whose tiles it counts}}
    a = #tsr.grid<output, ["1"]>} {
  graph.return
}

// -----

graph.func @f() attributes {dims = [], params = [], outputs = [],
    // expected-error @+1 {{a 'lanes' grid has one extent}}
    a = #tsr.grid<lanes, ["1", "2"]>} {
  graph.return
}

// -----

graph.func @f() attributes {dims = [], params = [], outputs = [],
    // expected-error @+1 {{an 'explicit' grid has one, two or three extents}}
    a = #tsr.grid<explicit, []>} {
  graph.return
}

// -----

graph.func @f() attributes {dims = [], params = [], outputs = [],
    // expected-error @+1 {{expected 'in', 'out' or 'inout'}}
    a = #tsr.param<"x", both>} {
  graph.return
}

// -----

graph.func @f() attributes {dims = [], params = [], outputs = [],
    // expected-error @+1 {{expected one of eq, ne, lt, le, gt, ge}}
    a = #tsr.requirement<"1" equals "1", "">} {
  graph.return
}

// -----

graph.func @f() attributes {dims = [], params = [], outputs = [],
    // expected-error @+1 {{is not an element type: expected a dtype or index}}
    a = !tsr.tensor<["1"], i7>} {
  graph.return
}

// -----

graph.func @f() attributes {dims = [], params = [], outputs = [],
    // expected-error @+1 {{a view holds values of a dtype, not index}}
    a = !tsr.view<["1"], index>} {
  graph.return
}

// -----

// expected-error @+1 {{but a tensor function takes scalars and tensors}}
graph.func @f(%x: !tsr.view<["4"], f32>) attributes {dims = [], params = [#tsr.param<"x", in>], outputs = []} {
  graph.return
}

// -----

// expected-error @+1 {{returns 1 values and names 0 outputs}}
graph.func @f(%x: f32) -> f32 attributes {dims = [], params = [#tsr.param<"x", in>], outputs = []} {
  graph.return %x : f32
}

// -----

// expected-error @+1 {{output 'r' has type 'f64', the function returns 'f32'}}
graph.func @f(%x: f32) -> f32 attributes {dims = [], params = [#tsr.param<"x", in>], outputs = [#tsr.result<"r", f64>]} {
  graph.return %x : f32
}

// -----

graph.func @f(%x: f32) -> f32 attributes {dims = [], params = [#tsr.param<"x", in>], outputs = [#tsr.result<"r", f32>]} {
  // expected-error @+1 {{returns values of other types than its function says}}
  graph.return
}

// -----

graph.func @f() attributes {dims = [], params = [], outputs = []} {
  // expected-error @+1 {{may not stand in a tensor function}}
  graph.barrier
  graph.return
}

// -----

graph.host_func @main() attributes {dims = [], params = [], outputs = []} {
  // expected-error @+1 {{may not stand in host code}}
  graph.barrier
  graph.return
}

// -----

// expected-error @+1 {{region with 1 blocks}}
graph.func @f() attributes {dims = [], params = [], outputs = []}

// -----

graph.func @g(%x: !tsr.tensor<["4"], f32>) -> !tsr.tensor<["4"], f32> attributes {dims = [], params = [#tsr.param<"x", in>],
    outputs = [#tsr.result<"y", !tsr.tensor<["4"], f32>>]} {
  graph.return %x : !tsr.tensor<["4"], f32>
}
graph.host_func @main() attributes {dims = [], params = [], outputs = []} {
  // expected-error @+1 {{calls @h, which is not there}}
  graph.call @h() : () -> ()
  graph.return
}

// -----

graph.func @g(%x: !tsr.tensor<["4"], f32>) -> !tsr.tensor<["4"], f32> attributes {dims = [], params = [#tsr.param<"x", in>],
    outputs = [#tsr.result<"y", !tsr.tensor<["4"], f32>>]} {
  graph.return %x : !tsr.tensor<["4"], f32>
}
graph.host_func @main() attributes {dims = [], params = [], outputs = []} {
  // expected-error @+1 {{passes 0 values, @g takes 1}}
  graph.call @g() : () -> ()
  graph.return
}

// -----

graph.func @g(%x: !tsr.tensor<["4"], f32>) -> !tsr.tensor<["4"], f32> attributes {dims = [], params = [#tsr.param<"x", in>],
    outputs = [#tsr.result<"y", !tsr.tensor<["4"], f32>>]} {
  graph.return %x : !tsr.tensor<["4"], f32>
}
graph.host_func @main() attributes {dims = [], params = [], outputs = []} {
  %p = graph.string "x.npy"
  %x = graph.load_npy %p
  // expected-error @+1 {{takes 0 results, @g has 1}}
  graph.call @g(%x) : (!tsr.host_tensor) -> ()
  graph.return
}

// -----

graph.func @g(%x: !tsr.tensor<["4"], f32>) -> !tsr.tensor<["4"], f32> attributes {dims = [], params = [#tsr.param<"x", in>],
    outputs = [#tsr.result<"y", !tsr.tensor<["4"], f32>>]} {
  graph.return %x : !tsr.tensor<["4"], f32>
}
graph.host_func @main() attributes {dims = [], params = [], outputs = []} {
  %z = graph.constant 0.0 : f32
  // expected-error @+1 {{passes 'f32' where @g takes}}
  %0 = graph.call @g(%z) : (f32) -> !tsr.host_tensor
  graph.return
}

// -----

graph.func @g(%x: !tsr.tensor<["4"], f32>) -> !tsr.tensor<["4"], f32> attributes {dims = [], params = [#tsr.param<"x", in>],
    outputs = [#tsr.result<"y", !tsr.tensor<["4"], f32>>]} {
  graph.return %x : !tsr.tensor<["4"], f32>
}
graph.host_func @main() attributes {dims = [], params = [], outputs = []} {
  %p = graph.string "x.npy"
  %x = graph.load_npy %p
  // expected-error @+1 {{result 'y' has type 'f32', @g returns}}
  %0 = graph.call @g(%x) : (!tsr.host_tensor) -> f32
  graph.return
}

// -----

graph.func @g(%x: !tsr.tensor<["4"], f32>) -> !tsr.tensor<["4"], f32> attributes {dims = [], params = [#tsr.param<"x", in>],
    outputs = [#tsr.result<"y", !tsr.tensor<["4"], f32>>]} {
  graph.return %x : !tsr.tensor<["4"], f32>
}
graph.host_func @main() attributes {dims = [], params = [], outputs = []} {
  %p = graph.string "x.npy"
  %x = graph.load_npy %p
  // expected-error @+1 {{has 1 values, 1 texts and 0 formats}}
  %0 = graph.format %x : !tsr.host_tensor {texts = ["a"], formats = []}
  graph.return
}

// -----

// expected-error @+1 {{does not end in graph.return}}
graph.func @f(%x: f32) attributes {dims = [], params = [#tsr.param<"x", in>], outputs = []} {
  %0 = graph.elementwise "neg" %x : f32
}

// -----

graph.host_func @main() attributes {dims = [], params = [], outputs = []} {
  %p = graph.string "x.npy"
  // expected-error @+1 {{calls 'reads', which the host runtime does not have}}
  %x = graph.host_call "reads"(%p) : (!tsr.string) -> !tsr.host_tensor
  graph.return
}

// -----

graph.host_func @main() attributes {dims = [], params = [], outputs = []} {
  %p = graph.string "x.npy"
  // expected-error @+1 {{gives 'read_bytes' 2 operands, and it takes 1}}
  %x = graph.host_call "read_bytes"(%p, %p) : (!tsr.string, !tsr.string) -> !tsr.host_tensor
  graph.return
}

// -----

graph.host_func @main() attributes {dims = [], params = [], outputs = []} {
  %p = graph.string "x.npy"
  // expected-error @+1 {{gives 'decode' an operand 0 of the type '!tsr.string'}}
  %x = graph.host_call "decode"(%p) : (!tsr.string) -> !tsr.string
  graph.return
}

// -----

graph.host_func @main() attributes {dims = [], params = [], outputs = []} {
  // expected-error @+1 {{has another result than 'perf_counter'}}
  %x = graph.host_call "perf_counter"() : () -> index
  graph.return
}

// -----

graph.func @f(%x: !tsr.tensor<["N"], f32>) -> !tsr.tensor<["N"], f32> attributes {dims = ["N"], params = [#tsr.param<"x", in>],
    outputs = [#tsr.result<"y", !tsr.tensor<["N"], f32>>]} {
  // expected-error @+1 {{may not stand in a tensor function}}
  %y = graph.scan "prod" 0 %x : !tsr.tensor<["N"], f32>
  graph.return %y : !tsr.tensor<["N"], f32>
}

// -----

graph.func @f(%x: f32) attributes {dims = [], params = [#tsr.param<"x", in>], outputs = []} {
  // expected-error @+1 {{may not stand in a tensor function}}
  %y = graph.warp "sum" %x : (f32) -> f32
  graph.return
}
