// Every rule of values, broken once.
// RUN: tessera-opt %s -split-input-file -verify-diagnostics

graph.func @f(%x: !tsr.tensor<["M", "N"], f32>) attributes {dims = ["M", "N", "K"], params = [#tsr.param<"x", in>], outputs = []} {
  // expected-error @+1 {{'M +' is not a dimension}}
  %0 = graph.dim "M +"
  graph.return
}

// -----

graph.func @f(%x: !tsr.tensor<["M", "N"], f32>) attributes {dims = ["M", "N", "K"], params = [#tsr.param<"x", in>], outputs = []} {
  // expected-error @+1 {{dimension 'N + M' is not in normal form, which is 'M + N'}}
  %0 = graph.dim "N + M"
  graph.return
}

// -----

graph.func @f(%x: !tsr.tensor<["M", "N"], f32>) attributes {dims = ["M", "N", "K"], params = [#tsr.param<"x", in>], outputs = []} {
  // expected-error @+1 {{uses the dimension 'Q', but 'Q' is not a dimension of its function}}
  %0 = graph.dim "Q"
  graph.return
}

// -----

graph.func @f(%x: !tsr.tensor<["M", "N"], f32>) attributes {dims = ["M", "N", "K"], params = [#tsr.param<"x", in>], outputs = []} {
  // expected-error @+1 {{must be an index or a value of a dtype}}
  %0 = graph.constant dense<1> : tensor<2xi32>
  graph.return
}

// -----

graph.func @f(%x: !tsr.tensor<["M", "N"], f32>) attributes {dims = ["M", "N", "K"], params = [#tsr.param<"x", in>], outputs = []} {
  // expected-error @+1 {{unknown elementwise operation 'plus'}}
  %0 = graph.elementwise "plus" %x, %x : !tsr.tensor<["M", "N"], f32>
  graph.return
}

// -----

graph.func @f(%x: !tsr.tensor<["M", "N"], f32>) attributes {dims = ["M", "N", "K"], params = [#tsr.param<"x", in>], outputs = []} {
  // expected-error @+1 {{1 operands present, but expected 2}}
  %0 = graph.elementwise "add" %x : !tsr.tensor<["M", "N"], f32>
  graph.return
}

// -----

graph.func @f(%x: !tsr.tensor<["M", "N"], f32>, %y: !tsr.tensor<["N"], f32>) attributes {dims = ["M", "N", "K"], params = [#tsr.param<"x", in>, #tsr.param<"y", in>], outputs = []} {
  // expected-error-re @+1 {{operand 0 has type {{.*}}, expected}}
  "graph.elementwise"(%y, %x) {mnemonic = "add"} : (!tsr.tensor<["N"], f32>, !tsr.tensor<["M", "N"], f32>) -> !tsr.tensor<["M", "N"], f32>
  graph.return
}

// -----

graph.func @f(%x: !tsr.tensor<["M", "N"], f32>) attributes {dims = ["M", "N", "K"], params = [#tsr.param<"x", in>], outputs = []} {
  // expected-error-re @+1 {{result has type {{.*}}, expected}}
  %0 = "graph.elementwise"(%x, %x) {mnemonic = "lt"} : (!tsr.tensor<["M", "N"], f32>, !tsr.tensor<["M", "N"], f32>) -> !tsr.tensor<["M", "N"], f32>
  graph.return
}

// -----

graph.func @f(%x: !tsr.tensor<["M", "N"], f32>) attributes {dims = ["M", "N", "K"], params = [#tsr.param<"x", in>], outputs = []} {
  // expected-error @+1 {{'add' takes 2 operands, not 1}}
  %0 = "graph.elementwise"(%x) {mnemonic = "add"} : (!tsr.tensor<["M", "N"], f32>) -> !tsr.tensor<["M", "N"], f32>
  graph.return
}

// -----

graph.func @f(%x: !tsr.tensor<["M"], i32>) attributes {dims = ["M", "N", "K"], params = [#tsr.param<"x", in>], outputs = []} {
  // expected-error @+1 {{'exp' is not defined for 'i32'}}
  %0 = graph.elementwise "exp" %x : !tsr.tensor<["M"], i32>
  graph.return
}

// -----

graph.func @f(%x: !tsr.tensor<["M"], f32>) attributes {dims = ["M", "N", "K"], params = [#tsr.param<"x", in>], outputs = []} {
  // expected-error @+1 {{'shl' is not defined for 'f32'}}
  %0 = graph.elementwise "shl" %x, %x : !tsr.tensor<["M"], f32>
  graph.return
}

// -----

graph.func @f(%x: !tsr.tensor<["M"], complex<f32>>) attributes {dims = ["M", "N", "K"], params = [#tsr.param<"x", in>], outputs = []} {
  // expected-error @+1 {{'lt' is not defined for 'complex<f32>'}}
  %0 = graph.elementwise "lt" %x, %x : !tsr.tensor<["M"], complex<f32>>
  graph.return
}

// -----

graph.func @f(%x: !tsr.tensor<["M"], f32>) attributes {dims = ["M", "N", "K"], params = [#tsr.param<"x", in>], outputs = []} {
  // expected-error @+1 {{changes more than the element type}}
  %0 = graph.cast %x : !tsr.tensor<["M"], f32> to !tsr.tensor<["N"], bf16>
  graph.return
}

// -----

graph.func @f(%x: !tsr.tensor<["M"], f32>) attributes {dims = ["M", "N", "K"], params = [#tsr.param<"x", in>], outputs = []} {
  // expected-error @+1 {{unknown rounding mode 'sideways'}}
  %0 = graph.cast %x {rounding = "sideways"} : !tsr.tensor<["M"], f32> to !tsr.tensor<["M"], bf16>
  graph.return
}

// -----

graph.func @f(%x: !tsr.tensor<["M"], f32>) attributes {dims = ["M", "N", "K"], params = [#tsr.param<"x", in>], outputs = []} {
  // expected-error @+1 {{reads the bits of '!tsr.tensor<["M"], f32>' as '!tsr.tensor<["M"], i16>', which has others}}
  %0 = graph.cast %x {rounding = "bits"} : !tsr.tensor<["M"], f32> to !tsr.tensor<["M"], i16>
  graph.return
}

// -----

graph.func @f(%x: !tsr.tensor<["M"], f32>) attributes {dims = ["M", "N", "K"], params = [#tsr.param<"x", in>], outputs = []} {
  // expected-error @+1 {{has a rounding mode, but the result is not a float}}
  %0 = graph.cast %x {rounding = "up"} : !tsr.tensor<["M"], f32> to !tsr.tensor<["M"], i32>
  graph.return
}

// -----

graph.func @f(%x: !tsr.tensor<["M"], complex<f32>>) attributes {dims = ["M", "N", "K"], params = [#tsr.param<"x", in>], outputs = []} {
  // expected-error @+1 {{drops the imaginary part}}
  %0 = graph.cast %x : !tsr.tensor<["M"], complex<f32>> to !tsr.tensor<["M"], f32>
  graph.return
}

// -----

graph.func @f(%x: !tsr.tensor<["M"], f32>) attributes {dims = ["M", "N", "K"], params = [#tsr.param<"x", in>], outputs = []} {
  // expected-error @+1 {{which has no largest value}}
  %0 = graph.cast %x {saturate} : !tsr.tensor<["M"], f32> to !tsr.tensor<["M"], i1>
  graph.return
}

// -----

graph.func @f(%x: !tsr.tensor<["M"], f32>) attributes {dims = ["M", "N", "K"], params = [#tsr.param<"x", in>], outputs = []} {
  // expected-error @+1 {{axis 0 has extent M, which is neither 1 nor N}}
  %0 = graph.broadcast %x {axes = array<i64: 1>} : !tsr.tensor<["M"], f32> to !tsr.tensor<["M", "N"], f32>
  graph.return
}

// -----

graph.func @f(%x: !tsr.tensor<["M"], f32>) attributes {dims = ["M", "N", "K"], params = [#tsr.param<"x", in>], outputs = []} {
  // expected-error @+1 {{axes must ascend and lie in the result}}
  %0 = graph.broadcast %x {axes = array<i64: 2>} : !tsr.tensor<["M"], f32> to !tsr.tensor<["M", "N"], f32>
  graph.return
}

// -----

graph.func @f(%x: !tsr.tensor<["M"], f32>) attributes {dims = ["M", "N", "K"], params = [#tsr.param<"x", in>], outputs = []} {
  // expected-error @+1 {{names 2 axes for an operand with 1}}
  %0 = graph.broadcast %x {axes = array<i64: 0, 1>} : !tsr.tensor<["M"], f32> to !tsr.tensor<["M", "N"], f32>
  graph.return
}

// -----

graph.func @f(%x: !tsr.tensor<["M"], f32>) attributes {dims = ["M", "N", "K"], params = [#tsr.param<"x", in>], outputs = []} {
  // expected-error @+1 {{changes the element type from 'f32' to 'bf16'}}
  %0 = graph.broadcast %x {axes = array<i64: 0>} : !tsr.tensor<["M"], f32> to !tsr.tensor<["M", "N"], bf16>
  graph.return
}

// -----

graph.func @f(%x: !tsr.tensor<["4", "8"], f32>) attributes {dims = ["M", "N", "K"], params = [#tsr.param<"x", in>], outputs = []} {
  // expected-error @+1 {{has 32 elements before and 24 after}}
  %0 = graph.reshape %x : !tsr.tensor<["4", "8"], f32> to !tsr.tensor<["24"], f32>
  graph.return
}

// -----

graph.func @f(%x: !tsr.tensor<["M", "N"], f32>) attributes {dims = ["M", "N", "K"], params = [#tsr.param<"x", in>], outputs = []} {
  // expected-error @+1 {{perm must name each axis once}}
  %0 = graph.transpose %x {perm = array<i64: 0, 0>} : !tsr.tensor<["M", "N"], f32> to !tsr.tensor<["M", "N"], f32>
  graph.return
}

// -----

graph.func @f(%x: !tsr.tensor<["M", "N"], f32>) attributes {dims = ["M", "N", "K"], params = [#tsr.param<"x", in>], outputs = []} {
  // expected-error @+1 {{result axis 0 has extent M, expected N}}
  %0 = graph.transpose %x {perm = array<i64: 1, 0>} : !tsr.tensor<["M", "N"], f32> to !tsr.tensor<["M", "N"], f32>
  graph.return
}

// -----

graph.func @f(%x: !tsr.tensor<["M", "N"], f32>) attributes {dims = ["M", "N", "K"], params = [#tsr.param<"x", in>], outputs = []} {
  // expected-error @+1 {{unknown reduction 'mean'}}
  %0 = graph.reduce "mean" %x {axes = array<i64: 1>} : !tsr.tensor<["M", "N"], f32> to !tsr.tensor<["M"], f32>
  graph.return
}

// -----

graph.func @f(%x: !tsr.tensor<["M", "N"], f32>) attributes {dims = ["M", "N", "K"], params = [#tsr.param<"x", in>], outputs = []} {
  // expected-error @+1 {{result has shape [N], expected [M]}}
  %0 = graph.reduce "sum" %x {axes = array<i64: 1>} : !tsr.tensor<["M", "N"], f32> to !tsr.tensor<["N"], f32>
  graph.return
}

// -----

graph.func @f(%x: !tsr.tensor<["M", "N"], f32>) attributes {dims = ["M", "N", "K"], params = [#tsr.param<"x", in>], outputs = []} {
  // expected-error @+1 {{axis 2 is not an axis of the operand}}
  %0 = graph.reduce "sum" %x {axes = array<i64: 2>} : !tsr.tensor<["M", "N"], f32> to !tsr.tensor<["M"], f32>
  graph.return
}

// -----

graph.func @f(%x: !tsr.tensor<["M", "N"], f32>) attributes {dims = ["M", "N", "K"], params = [#tsr.param<"x", in>], outputs = []} {
  // expected-error @+1 {{names no axis}}
  %0 = graph.reduce "sum" %x {axes = array<i64>} : !tsr.tensor<["M", "N"], f32> to !tsr.tensor<["M", "N"], f32>
  graph.return
}

// -----

graph.func @f(%x: !tsr.tensor<["M", "N"], f32>) attributes {dims = ["M", "N", "K"], params = [#tsr.param<"x", in>], outputs = []} {
  // expected-error @+1 {{carries values of 'f32' in 'bf16', which does not hold them}}
  %0 = graph.reduce "sum" %x {axes = array<i64: 1>} : !tsr.tensor<["M", "N"], f32> to !tsr.tensor<["M"], bf16>
  graph.return
}

// -----

graph.func @f(%x: !tsr.tensor<["M", "N"], f32>) attributes {dims = ["M", "N", "K"], params = [#tsr.param<"x", in>], outputs = []} {
  // expected-error @+1 {{'any' is not defined for 'f32'}}
  %0 = graph.reduce "any" %x {axes = array<i64: 1>} : !tsr.tensor<["M", "N"], f32> to !tsr.tensor<["M"], f32>
  graph.return
}

// -----

graph.func @f(%x: !tsr.tensor<["N", "N"], f32>, %y: f64) attributes {dims = ["N"], params = [#tsr.param<"x", in>, #tsr.param<"y", in>], outputs = []} {
  // expected-error @+1 {{has a term whose arguments are not two elements in 'f32' and the scalars}}
  %0 = graph.dot %x, %x with %y : (!tsr.tensor<["N", "N"], f32>, !tsr.tensor<["N", "N"], f32>, f64) -> !tsr.tensor<["N", "N"], f32> term {
  ^bb0(%a: f32, %b: f32):
    graph.term %a : f32
  }
  graph.return
}

// -----

graph.func @f(%x: !tsr.tensor<["N", "N"], f32>, %y: f32) attributes {dims = ["N"], params = [#tsr.param<"x", in>, #tsr.param<"y", in>], outputs = []} {
  %0 = graph.dot %x, %x : (!tsr.tensor<["N", "N"], f32>, !tsr.tensor<["N", "N"], f32>) -> !tsr.tensor<["N", "N"], f32> term {
  ^bb0(%a: f32, %b: f32):
    // expected-error @+1 {{takes a value from outside of its term}}
    %1 = graph.elementwise "mul" %a, %y : f32
    graph.term %1 : f32
  }
  graph.return
}

// -----

graph.func @f(%x: !tsr.tensor<["N", "N"], f32>) attributes {dims = ["N"], params = [#tsr.param<"x", in>], outputs = []} {
  // expected-error @+1 {{does not combine terms by prod}}
  %0 = graph.dot %x, %x {combine = "prod"} : (!tsr.tensor<["N", "N"], f32>, !tsr.tensor<["N", "N"], f32>) -> !tsr.tensor<["N", "N"], f32> term {
  ^bb0(%a: f32, %b: f32):
    graph.term %a : f32
  }
  graph.return
}

// -----

graph.func @f(%x: !tsr.tensor<["M", "N"], f32>, %y: !tsr.tensor<["M", "N"], f32>) attributes {dims = ["M", "N", "K"], params = [#tsr.param<"x", in>, #tsr.param<"y", in>], outputs = []} {
  // expected-error @+1 {{contracts N with M}}
  %0 = graph.dot %x, %y : (!tsr.tensor<["M", "N"], f32>, !tsr.tensor<["M", "N"], f32>) -> !tsr.tensor<["M", "N"], f32>
  graph.return
}

// -----

graph.func @f(%x: !tsr.tensor<["M", "3*N"], f32>, %y: !tsr.tensor<["12", "N"], f32>) attributes {dims = ["M", "N"], params = [#tsr.param<"x", in>, #tsr.param<"y", in>], outputs = []} {
  // expected-error @+1 {{adds up 3*N in blocks of 8 and 12 rows of N}}
  %0 = graph.dot %x, %y {tsr.blocks = 8 : i64} : (!tsr.tensor<["M", "3*N"], f32>, !tsr.tensor<["12", "N"], f32>) -> !tsr.tensor<["M", "N"], f32>
  graph.return
}

// -----

graph.func @f(%x: !tsr.tensor<["M", "K"], f32>, %y: !tsr.tensor<["K", "M"], f32>) attributes {dims = ["M", "K"], params = [#tsr.param<"x", in>, #tsr.param<"y", in>], outputs = []} {
  // expected-error @+1 {{multiplies panels of 64 rows and columns into [M, 32]}}
  %0 = graph.dot %x, %y {tsr.panels = 64 : i64} : (!tsr.tensor<["M", "K"], f32>, !tsr.tensor<["K", "M"], f32>) -> !tsr.tensor<["M", "32"], f32>
  graph.return
}

// -----

graph.func @f(%x: !tsr.tensor<["M"], f32>, %y: !tsr.tensor<["M"], f32>) attributes {dims = ["M", "N", "K"], params = [#tsr.param<"x", in>, #tsr.param<"y", in>], outputs = []} {
  // expected-error @+1 {{multiplies arrays of one rank, at least 2}}
  %0 = graph.dot %x, %y : (!tsr.tensor<["M"], f32>, !tsr.tensor<["M"], f32>) -> !tsr.tensor<["M"], f32>
  graph.return
}

// -----

graph.func @f(%x: !tsr.tensor<["M", "M", "K"], f32>, %y: !tsr.tensor<["N", "K", "N"], f32>) attributes {dims = ["M", "N", "K"], params = [#tsr.param<"x", in>, #tsr.param<"y", in>], outputs = []} {
  // expected-error @+1 {{batch axis 0 differs: M, N and M}}
  %0 = graph.dot %x, %y : (!tsr.tensor<["M", "M", "K"], f32>, !tsr.tensor<["N", "K", "N"], f32>) -> !tsr.tensor<["M", "M", "N"], f32>
  graph.return
}

// -----

graph.func @f(%x: !tsr.tensor<["M", "K"], f32>, %y: !tsr.tensor<["K", "N"], f32>) attributes {dims = ["M", "N", "K"], params = [#tsr.param<"x", in>, #tsr.param<"y", in>], outputs = []} {
  // expected-error @+1 {{expected it to end in}}
  %0 = graph.dot %x, %y : (!tsr.tensor<["M", "K"], f32>, !tsr.tensor<["K", "N"], f32>) -> !tsr.tensor<["N", "M"], f32>
  graph.return
}

// -----

graph.func @f(%x: !tsr.tensor<["M", "K"], f32>, %y: !tsr.tensor<["K", "N"], f32>) attributes {dims = ["M", "N", "K"], params = [#tsr.param<"x", in>, #tsr.param<"y", in>], outputs = []} {
  // expected-error @+1 {{adds products of 'f32' up in 'bf16', which does not hold them}}
  %0 = graph.dot %x, %y : (!tsr.tensor<["M", "K"], f32>, !tsr.tensor<["K", "N"], f32>) -> !tsr.tensor<["M", "N"], bf16>
  graph.return
}

// -----

graph.func @f(%x: f32) attributes {dims = ["M", "N", "K"], params = [#tsr.param<"x", in>], outputs = []} {
  // expected-error @+1 {{changes the element type from 'f32' to 'f64'}}
  %0 = graph.full %x : f32 to !tsr.tensor<["M"], f64>
  graph.return
}

// -----

graph.func @f(%x: !tsr.tensor<["M"], f32>) attributes {dims = ["M", "N", "K"], params = [#tsr.param<"x", in>], outputs = []} {
  // expected-error @+1 {{takes the only element of an array with shape}}
  %0 = graph.extract %x : !tsr.tensor<["M"], f32> to f32
  graph.return
}

// -----

graph.func @f(%x: !tsr.tensor<["M"], f32>) attributes {dims = ["M", "N", "K"], params = [#tsr.param<"x", in>], outputs = []} {
  // expected-error @+1 {{counts along axis 1 of}}
  %0 = graph.iota 1 : !tsr.tensor<["M"], i32>
  graph.return
}

// -----

graph.func @f(%x: !tsr.tensor<["M"], f32>) attributes {dims = ["M", "N", "K"], params = [#tsr.param<"x", in>], outputs = []} {
  // expected-error @+1 {{counts in i32, i64 or index, not in 'f32'}}
  %0 = graph.iota 0 : !tsr.tensor<["M"], f32>
  graph.return
}

// -----

graph.func @f(%x: !tsr.tensor<["M"], f32>) attributes {dims = ["M", "N", "K"], params = [#tsr.param<"x", in>], outputs = []} {
  // expected-error @+1 {{has no operands}}
  %0 = graph.concat 0 : () -> !tsr.tensor<["M"], f32>
  graph.return
}

// -----

graph.func @f(%x: !tsr.tensor<["M"], f32>) attributes {dims = ["M", "N", "K"], params = [#tsr.param<"x", in>], outputs = []} {
  // expected-error @+1 {{joins along axis 1 of}}
  %0 = graph.concat 1 %x : (!tsr.tensor<["M"], f32>) -> !tsr.tensor<["M"], f32>
  graph.return
}

// -----

graph.func @f(%x: !tsr.tensor<["M"], f32>) attributes {dims = ["M", "N", "K"], params = [#tsr.param<"x", in>], outputs = []} {
  // expected-error @+1 {{result has extent N, the parts have 2*M}}
  %0 = graph.concat 0 %x, %x : (!tsr.tensor<["M"], f32>, !tsr.tensor<["M"], f32>) -> !tsr.tensor<["N"], f32>
  graph.return
}

// -----

graph.func @f(%x: !tsr.tensor<["M", "N"], f32>, %y: !tsr.tensor<["M", "K"], f32>) attributes {dims = ["M", "N", "K"], params = [#tsr.param<"x", in>, #tsr.param<"y", in>], outputs = []} {
  // expected-error @+1 {{joins extents K and N on axis 1}}
  %0 = graph.concat 0 %x, %y : (!tsr.tensor<["M", "N"], f32>, !tsr.tensor<["M", "K"], f32>) -> !tsr.tensor<["2*M", "N"], f32>
  graph.return
}

// -----

graph.func @f(%x: !tsr.tensor<["M", "N"], f32>, %y: !tsr.tensor<["M"], f32>) attributes {dims = ["M", "N", "K"], params = [#tsr.param<"x", in>, #tsr.param<"y", in>], outputs = []} {
  // expected-error @+1 {{joins arrays of different ranks}}
  %0 = graph.concat 0 %x, %y : (!tsr.tensor<["M", "N"], f32>, !tsr.tensor<["M"], f32>) -> !tsr.tensor<["2*M", "N"], f32>
  graph.return
}

// -----

graph.func @f(%x: !tsr.tensor<["M"], f32>, %i: index) attributes {dims = ["M", "N", "K"], params = [#tsr.param<"x", in>, #tsr.param<"i", in>], outputs = []} {
  // expected-error @+1 {{is not proved to lie in bounds}}
  %0 = graph.slice %x[%i size "8"] : !tsr.tensor<["M"], f32> to !tsr.tensor<["8"], f32>
  graph.return
}

// -----

graph.func @f(%x: !tsr.tensor<["M"], f32>, %i: index) attributes {dims = ["M", "N", "K"], params = [#tsr.param<"x", in>, #tsr.param<"i", in>], outputs = []} {
  // expected-error-re @+1 {{result has type {{.*}}, expected}}
  %0 = graph.slice %x[%i size "8" in_bounds] : !tsr.tensor<["M"], f32> to !tsr.tensor<["4"], f32>
  graph.return
}

// -----

graph.func @f(%x: !tsr.tensor<["M"], f32>, %i: index) attributes {dims = ["M", "N", "K"], params = [#tsr.param<"x", in>, #tsr.param<"i", in>], outputs = []} {
  // expected-error @+1 {{has 2 indices for the 1 dimensions of}}
  %0 = graph.slice %x[%i in_bounds, %i in_bounds] : !tsr.tensor<["M"], f32> to f32
  graph.return
}

// -----

graph.func @f(%x: !tsr.tensor<["M", "8"], f32>, %i: !tsr.tensor<["N"], i64>, %j: !tsr.tensor<["N"], i32>) attributes {dims = ["M", "N"],
    params = [#tsr.param<"x", in>, #tsr.param<"i", in>, #tsr.param<"j", in>], outputs = []} {
  // expected-error @+1 {{counts places in i64, not in 'i32'}}
  %0 = graph.gather 0 %x at %j {axes = array<i64: 0>} : (!tsr.tensor<["M", "8"], f32>, !tsr.tensor<["N"], i32>) -> !tsr.tensor<["N", "8"], f32>
  graph.return
}

// -----

graph.func @f(%x: !tsr.tensor<["M", "8"], f32>, %i: !tsr.tensor<["N"], i64>, %j: !tsr.tensor<["N"], i32>) attributes {dims = ["M", "N"],
    params = [#tsr.param<"x", in>, #tsr.param<"i", in>, #tsr.param<"j", in>], outputs = []} {
  // expected-error @+1 {{chooses along axis 2 of}}
  %0 = graph.gather 2 %x at %i {axes = array<i64: 2>} : (!tsr.tensor<["M", "8"], f32>, !tsr.tensor<["N"], i64>) -> !tsr.tensor<["N", "8"], f32>
  graph.return
}

// -----

graph.func @f(%x: !tsr.tensor<["M", "8"], f32>, %i: !tsr.tensor<["N"], i64>, %j: !tsr.tensor<["N"], i32>) attributes {dims = ["M", "N"],
    params = [#tsr.param<"x", in>, #tsr.param<"i", in>, #tsr.param<"j", in>], outputs = []} {
  // expected-error @+1 {{chooses along axis -1 of}}
  %0 = graph.gather -1 %x at %i {axes = array<i64: 0>} : (!tsr.tensor<["M", "8"], f32>, !tsr.tensor<["N"], i64>) -> !tsr.tensor<["N", "8"], f32>
  graph.return
}

// -----

graph.func @f(%x: !tsr.tensor<["M", "8"], f32>, %i: !tsr.tensor<["N"], i64>, %j: !tsr.tensor<["N"], i32>) attributes {dims = ["M", "N"],
    params = [#tsr.param<"x", in>, #tsr.param<"i", in>, #tsr.param<"j", in>], outputs = []} {
  // expected-error @+1 {{axes must name an axis of what has places for each axis of the places, and the chosen one}}
  %0 = graph.gather 0 %x at %i {axes = array<i64: 1>} : (!tsr.tensor<["M", "8"], f32>, !tsr.tensor<["N"], i64>) -> !tsr.tensor<["M", "N"], f32>
  graph.return
}

// -----

graph.func @f(%x: !tsr.tensor<["M", "8"], f32>, %i: !tsr.tensor<["N"], i64>, %j: !tsr.tensor<["N"], i32>) attributes {dims = ["M", "N"],
    params = [#tsr.param<"x", in>, #tsr.param<"i", in>, #tsr.param<"j", in>], outputs = []} {
  // expected-error @+1 {{axes must name an axis of what has places for each axis of the places, and the chosen one}}
  %0 = graph.gather 0 %x at %i {axes = array<i64: 0, 1>} : (!tsr.tensor<["M", "8"], f32>, !tsr.tensor<["N"], i64>) -> !tsr.tensor<["N", "8"], f32>
  graph.return
}

// -----

graph.func @f(%x: !tsr.tensor<["M", "8"], f32>, %i: !tsr.tensor<["N"], i64>, %j: !tsr.tensor<["N"], i32>) attributes {dims = ["M", "N"],
    params = [#tsr.param<"x", in>, #tsr.param<"i", in>, #tsr.param<"j", in>], outputs = []} {
  // expected-error @+1 {{places have extent N along axis 0, which has M}}
  %0 = graph.gather 0 %x at %i {axes = array<i64: 0>} : (!tsr.tensor<["M", "8"], f32>, !tsr.tensor<["N"], i64>) -> !tsr.tensor<["M", "8"], f32>
  graph.return
}

// -----

graph.func @f(%x: !tsr.tensor<["M", "8"], f32>, %i: !tsr.tensor<["N"], i64>, %j: !tsr.tensor<["N"], i32>) attributes {dims = ["M", "N"],
    params = [#tsr.param<"x", in>, #tsr.param<"i", in>, #tsr.param<"j", in>], outputs = []} {
  // expected-error @+1 {{axis 1 has extent 4, expected 8}}
  %0 = graph.gather 0 %x at %i {axes = array<i64: 0>} : (!tsr.tensor<["M", "8"], f32>, !tsr.tensor<["N"], i64>) -> !tsr.tensor<["N", "4"], f32>
  graph.return
}

// -----

graph.func @f(%x: !tsr.tensor<["M", "8"], f32>, %i: !tsr.tensor<["N"], i64>, %j: !tsr.tensor<["N"], i32>) attributes {dims = ["M", "N"],
    params = [#tsr.param<"x", in>, #tsr.param<"i", in>, #tsr.param<"j", in>], outputs = []} {
  // expected-error @+1 {{slides along axis 2 of}}
  %0 = graph.window 2 %x step 1 dilation 1 : !tsr.tensor<["M", "8"], f32> to !tsr.tensor<["M", "3", "6"], f32>
  graph.return
}

// -----

graph.func @f(%x: !tsr.tensor<["M", "8"], f32>, %i: !tsr.tensor<["N"], i64>, %j: !tsr.tensor<["N"], i32>) attributes {dims = ["M", "N"],
    params = [#tsr.param<"x", in>, #tsr.param<"i", in>, #tsr.param<"j", in>], outputs = []} {
  // expected-error @+1 {{slides along axis 1 of}}
  %0 = graph.window 1 %x step 1 dilation 1 : !tsr.tensor<["M", "8"], f32> to !tsr.tensor<["M", "3"], f32>
  graph.return
}

// -----

graph.func @f(%x: !tsr.tensor<["M", "8"], f32>, %i: !tsr.tensor<["N"], i64>, %j: !tsr.tensor<["N"], i32>) attributes {dims = ["M", "N"],
    params = [#tsr.param<"x", in>, #tsr.param<"i", in>, #tsr.param<"j", in>], outputs = []} {
  // expected-error @+1 {{has a step and a dilation of at least 1}}
  %0 = graph.window 1 %x step 0 dilation 1 : !tsr.tensor<["M", "8"], f32> to !tsr.tensor<["M", "3", "6"], f32>
  graph.return
}

// -----

graph.func @f(%x: !tsr.tensor<["M", "8"], f32>, %i: !tsr.tensor<["N"], i64>, %j: !tsr.tensor<["N"], i32>) attributes {dims = ["M", "N"],
    params = [#tsr.param<"x", in>, #tsr.param<"i", in>, #tsr.param<"j", in>], outputs = []} {
  // expected-error @+1 {{has extent N where the operand has M}}
  %0 = graph.window 1 %x step 1 dilation 1 : !tsr.tensor<["M", "8"], f32> to !tsr.tensor<["N", "3", "6"], f32>
  graph.return
}

// -----

graph.func @f(%x: !tsr.tensor<["M", "8"], f32>, %i: !tsr.tensor<["N"], i64>, %j: !tsr.tensor<["N"], i32>) attributes {dims = ["M", "N"],
    params = [#tsr.param<"x", in>, #tsr.param<"i", in>, #tsr.param<"j", in>], outputs = []} {
  // expected-error @+1 {{has windows of N elements}}
  %0 = graph.window 1 %x step 1 dilation 1 : !tsr.tensor<["M", "8"], f32> to !tsr.tensor<["M", "N", "6"], f32>
  graph.return
}

// -----

graph.func @f(%x: !tsr.tensor<["M", "8"], f32>, %i: !tsr.tensor<["N"], i64>, %j: !tsr.tensor<["N"], i32>) attributes {dims = ["M", "N"],
    params = [#tsr.param<"x", in>, #tsr.param<"i", in>, #tsr.param<"j", in>], outputs = []} {
  // expected-error @+1 {{reaches beyond the 8 elements of its axis}}
  %0 = graph.window 1 %x step 1 dilation 1 : !tsr.tensor<["M", "8"], f32> to !tsr.tensor<["M", "3", "7"], f32>
  graph.return
}

// -----

graph.func @f(%x: !tsr.tensor<["M", "8"], f32>, %i: !tsr.tensor<["N"], i64>, %u: !tsr.tensor<["N", "8"], f32>) attributes {dims = ["M", "N"],
    params = [#tsr.param<"x", in>, #tsr.param<"i", in>, #tsr.param<"u", in>], outputs = []} {
  // expected-error @+1 {{places have extent N along axis 0, which has M}}
  %0 = graph.scatter_add 0 %x at %i {axes = array<i64: 0>} : (!tsr.tensor<["M", "8"], f32>, !tsr.tensor<["N"], i64>) -> !tsr.tensor<["N", "8"], f32>
  graph.return
}

// -----

graph.func @f(%x: !tsr.tensor<["M", "8"], f32>, %z: !tsr.tensor<["M"], complex<f32>>, %s: !tsr.tensor<[], f32>) attributes {dims = ["M"],
    params = [#tsr.param<"x", in>, #tsr.param<"z", in>, #tsr.param<"s", in>], outputs = []} {
  // expected-error @+1 {{counts places in i64, not in 'i32'}}
  %0 = graph.argsort %x : !tsr.tensor<["M", "8"], f32> to !tsr.tensor<["M", "8"], i32>
  graph.return
}

// -----

graph.func @f(%x: !tsr.tensor<["M", "8"], f32>, %i: !tsr.tensor<["N"], i64>, %u: !tsr.tensor<["N", "8"], f32>) attributes {dims = ["M", "N"],
    params = [#tsr.param<"x", in>, #tsr.param<"i", in>, #tsr.param<"u", in>], outputs = []} {
  // expected-error @+1 {{has places that are 'sorted' along other axes than its own}}
  %1 = graph.scatter_add 0 %u at %u {axes = array<i64: 0, 1>, sorted} : (!tsr.tensor<["N", "8"], f32>, !tsr.tensor<["N", "8"], f32>) -> !tsr.tensor<["M", "8"], f32>
  graph.return
}

// -----

graph.func @f(%x: !tsr.tensor<["M", "8"], f32>, %i: !tsr.tensor<["N"], i64>, %u: !tsr.tensor<["N", "8"], f32>) attributes {dims = ["M", "N"],
    params = [#tsr.param<"x", in>, #tsr.param<"i", in>, #tsr.param<"u", in>], outputs = []} {
  // expected-error @+1 {{axis 1 has extent 8, expected 4}}
  %0 = graph.scatter_add 0 %u at %i {axes = array<i64: 0>} : (!tsr.tensor<["N", "8"], f32>, !tsr.tensor<["N"], i64>) -> !tsr.tensor<["M", "4"], f32>
  graph.return
}

// -----

graph.func @f(%x: !tsr.tensor<["M", "8"], f32>, %z: !tsr.tensor<["M"], complex<f32>>, %s: !tsr.tensor<[], f32>) attributes {dims = ["M"],
    params = [#tsr.param<"x", in>, #tsr.param<"z", in>, #tsr.param<"s", in>], outputs = []} {
  // expected-error @+1 {{has the shape of}}
  %0 = graph.argsort %x : !tsr.tensor<["M", "8"], f32> to !tsr.tensor<["8", "M"], i64>
  graph.return
}

// -----

graph.func @f(%x: !tsr.tensor<["M", "8"], f32>, %z: !tsr.tensor<["M"], complex<f32>>, %s: !tsr.tensor<[], f32>) attributes {dims = ["M"],
    params = [#tsr.param<"x", in>, #tsr.param<"z", in>, #tsr.param<"s", in>], outputs = []} {
  // expected-error @+1 {{sorts complex numbers, which have no order}}
  %0 = graph.argsort %z : !tsr.tensor<["M"], complex<f32>> to !tsr.tensor<["M"], i64>
  graph.return
}

// -----

graph.func @f(%x: !tsr.tensor<["M", "8"], f32>, %z: !tsr.tensor<["M"], complex<f32>>, %s: !tsr.tensor<[], f32>) attributes {dims = ["M"],
    params = [#tsr.param<"x", in>, #tsr.param<"z", in>, #tsr.param<"s", in>], outputs = []} {
  // expected-error @+1 {{sorts along the last axis: a scalar has none}}
  %0 = graph.argsort %s : !tsr.tensor<[], f32> to !tsr.tensor<[], i64>
  graph.return
}

// -----

graph.func @f(%x: !tsr.tensor<["M"], f32>) attributes {dims = ["M"], params = [#tsr.param<"x", in>], outputs = []} {
  // expected-error @+1 {{has 1 numbers for 2 elements}}
  %0 = graph.table [1.0 : f32] : !tsr.tensor<["2"], f32>
  graph.return
}

// -----

graph.func @f(%x: !tsr.tensor<["M"], f32>) attributes {dims = ["M"], params = [#tsr.param<"x", in>], outputs = []} {
  // expected-error @+1 {{has the extent M, which is no number}}
  %0 = graph.table [1.0 : f32] : !tsr.tensor<["M"], f32>
  graph.return
}

// -----

graph.func @f(%x: !tsr.tensor<["M"], f32>) attributes {dims = ["M"], params = [#tsr.param<"x", in>], outputs = []} {
  // expected-error @+1 {{has the number 1 : i64 among those of}}
  %0 = graph.table [1 : i64] : !tsr.tensor<["1"], f32>
  graph.return
}

// -----

graph.func @f(%x: !tsr.tensor<["M"], f32>) attributes {dims = ["M"], params = [#tsr.param<"x", in>], outputs = []} {
  // expected-error @+1 {{which C has no literals of}}
  %0 = graph.table [1.0 : bf16] : !tsr.tensor<["1"], bf16>
  graph.return
}

// -----

graph.func @f(%x: !tsr.tensor<["M"], f32>) attributes {dims = ["M"], params = [#tsr.param<"x", in>], outputs = []} {
  // expected-error @+1 {{is nothing that devices do together}}
  %0 = graph.exchange "broadcast" "tp" %x : !tsr.tensor<["M"], f32> to !tsr.tensor<["M"], f32>
  graph.return
}

// -----

graph.func @f(%x: !tsr.tensor<["M", "N"], f32>) attributes {dims = ["M", "N"], params = [#tsr.param<"x", in>], outputs = []} {
  // expected-error @+1 {{only the first axis differs}}
  %0 = graph.exchange "all_gather" "tp" %x : !tsr.tensor<["M", "N"], f32> to !tsr.tensor<["M", "M"], f32>
  graph.return
}

// -----

graph.func @f(%x: !tsr.tensor<["M"], f32>) attributes {dims = ["M"], params = [#tsr.param<"x", in>], outputs = []} {
  // expected-error @+1 {{is along an axis of the mesh: it has no name}}
  %0 = graph.exchange "all_reduce" "" %x : !tsr.tensor<["M"], f32> to !tsr.tensor<["M"], f32>
  graph.return
}
