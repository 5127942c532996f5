// What has no lowering says so once, at its place.
// RUN: tessera-opt %s -split-input-file -verify-diagnostics --set-machine=name=sm_80 --graph-to-schedule --schedule-to-tile

graph.kernel @unbounded(%x: !tsr.view<["M", "D"], f32>) attributes {dims = ["M", "D"], params = [#tsr.param<"x", inout>],
    outputs = [], grid = #tsr.grid<output, ["T.m", "D"], param = 0>, context = ["m"]} {
  %m = graph.query "origin" 0
  %c0 = graph.constant 0 : index
  // expected-error @+1 {{a group holds this tile in registers and shared memory, so D, which varies at run time, needs an upper bound; add a fact such as `where D <= 256`}}
  %a = graph.load %x[%m size "T.m", %c0 size "D" in_bounds] : !tsr.view<["M", "D"], f32> to !tsr.tensor<["T.m", "D"], f32>
  %s = graph.scan "sum" 1 %a : !tsr.tensor<["T.m", "D"], f32>
  graph.store %s, %x[%m size "T.m", %c0 size "D" in_bounds] : !tsr.tensor<["T.m", "D"], f32>, !tsr.view<["M", "D"], f32>
  graph.kernel_end
}

// -----

graph.kernel @cube(%x: !tsr.view<["B", "M", "N"], f32>) attributes {dims = ["B", "M", "N"], params = [#tsr.param<"x", inout>],
    outputs = [], grid = #tsr.grid<output, ["4", "T.m", "T.n"], param = 0>, context = ["m", "n"]} {
  %c0 = graph.constant 0 : index
  // expected-error @+1 {{a tile in a kernel has at most two axes of more than one element}}
  %a = graph.load %x[%c0 size "4", %c0 size "T.m", %c0 size "T.n"] : !tsr.view<["B", "M", "N"], f32> to !tsr.tensor<["4", "T.m", "T.n"], f32>
  graph.store %a, %x[%c0 size "4", %c0 size "T.m", %c0 size "T.n"] : !tsr.tensor<["4", "T.m", "T.n"], f32>, !tsr.view<["B", "M", "N"], f32>
  graph.kernel_end
}

// -----

graph.kernel @read_after_store(%x: !tsr.view<["R", "C"], f32>) attributes {dims = ["R", "C"], params = [#tsr.param<"x", inout>],
    outputs = [], grid = #tsr.grid<output, ["1", "C"], param = 0>} {
  %r = graph.query "origin" 0
  %c0 = graph.constant 0 : index
  %v = graph.load %x[%r in_bounds, %c0 size "C" in_bounds] : !tsr.view<["R", "C"], f32> to !tsr.tensor<["C"], f32>
  %e = graph.elementwise "exp" %v : !tsr.tensor<["C"], f32>
  graph.store %e, %x[%r in_bounds, %c0 size "C" in_bounds] : !tsr.tensor<["C"], f32>, !tsr.view<["R", "C"], f32>
  // expected-error @+1 {{this uses a row of a tensor after part of that tensor was stored}}
  graph.store %v, %x[%r in_bounds, %c0 size "C" in_bounds] : !tsr.tensor<["C"], f32>, !tsr.view<["R", "C"], f32>
  graph.kernel_end
}

// -----

graph.func @integers(%x: !tsr.tensor<["N"], f32>, %n: index) -> !tsr.tensor<["N"], f32> attributes {
    dims = ["N"], params = [#tsr.param<"x", in>, #tsr.param<"n", in>], outputs = [#tsr.result<"result", !tsr.tensor<["N"], f32>>]} {
  %c0 = graph.constant 0 : index
  %c1 = graph.constant 1 : index
  // expected-error @+1 {{a loop of a tensor function that computes integers alone; compute them in host code, or let the loop carry a tensor or a number of floats, too}}
  %y = scf.for %i = %c0 to %n step %c1 iter_args(%a = %c0) -> index {
    %e = graph.elementwise "add" %a, %c1 : index
    scf.yield %e : index
  }
  %f = graph.cast %y : index to f32
  %g = graph.full %f : f32 to <["N"], f32>
  %r = graph.elementwise "add" %x, %g : !tsr.tensor<["N"], f32>
  graph.return %r : !tsr.tensor<["N"], f32>
}

// -----

graph.func @integer_and_tensor(%x: !tsr.tensor<["N"], f32>) -> !tsr.tensor<["N"], f32> attributes {
    dims = ["N"], params = [#tsr.param<"x", in>], outputs = [#tsr.result<"result", !tsr.tensor<["N"], f32>>]} {
  %c0 = graph.constant 0 : index
  %c4 = graph.constant 4 : index
  %n = graph.dim "N"
  %long = graph.elementwise "gt" %n, %c4 : index
  // expected-error @+1 {{an integer that a condition on sizes gives together with tensors, and that reads a tensor or divides by what may be 0; give it an `if` of its own}}
  %i, %y = scf.if %long -> (index, !tsr.tensor<["N"], f32>) {
    %e = graph.elementwise "exp" %x : !tsr.tensor<["N"], f32>
    %parts = graph.elementwise "floordiv" %c4, %n : index
    scf.yield %parts, %e : index, !tsr.tensor<["N"], f32>
  } else {
    scf.yield %c0, %x : index, !tsr.tensor<["N"], f32>
  }
  graph.return %y : !tsr.tensor<["N"], f32>
}

// -----

graph.kernel @scan_of_anything(%x: !tsr.view<["R", "C"], f32>) attributes {dims = ["R", "C"], params = [#tsr.param<"x", inout>],
    outputs = [], grid = #tsr.grid<output, ["1", "C"], param = 0>} {
  %r = graph.query "origin" 0
  %c0 = graph.constant 0 : index
  // expected-error @+1 {{C, which varies at run time, needs an upper bound; add a fact such as `where C <= 256`}}
  %v = graph.load %x[%r in_bounds, %c0 size "C" in_bounds] : !tsr.view<["R", "C"], f32> to !tsr.tensor<["C"], f32>
  %s = graph.scan "sum" 0 %v : !tsr.tensor<["C"], f32>
  graph.store %s, %x[%r in_bounds, %c0 size "C" in_bounds] : !tsr.tensor<["C"], f32>, !tsr.view<["R", "C"], f32>
  graph.kernel_end
}

// -----

graph.kernel @scan_of_too_much(%x: !tsr.view<["R", "C"], f32>) attributes {dims = ["R", "C"], params = [#tsr.param<"x", inout>],
    outputs = [], requirements = [#tsr.requirement<"C" lt "9223372036854775807", "C < 9223372036854775807">], grid = #tsr.grid<output, ["1", "C"], param = 0>} {
  %r = graph.query "origin" 0
  %c0 = graph.constant 0 : index
  // expected-error @+1 {{C may be up to 9223372036854775806, where no group holds more than 1048576 elements; give a smaller bound}}
  %v = graph.load %x[%r in_bounds, %c0 size "C" in_bounds] : !tsr.view<["R", "C"], f32> to !tsr.tensor<["C"], f32>
  %s = graph.scan "sum" 0 %v : !tsr.tensor<["C"], f32>
  graph.store %s, %x[%r in_bounds, %c0 size "C" in_bounds] : !tsr.tensor<["C"], f32>, !tsr.view<["R", "C"], f32>
  graph.kernel_end
}

// -----

graph.kernel @scan_of_a_lane(%x: !tsr.view<["N", "4"], f32>) attributes {dims = ["N"], params = [#tsr.param<"x", inout>],
    outputs = [], grid = #tsr.grid<lanes, ["N"]>, uses_lanes} {
  %i = graph.query "linear_id" 0
  %c0 = graph.constant 0 : index
  %v = graph.load %x[%i, %c0 size "4" in_bounds] : !tsr.view<["N", "4"], f32> to !tsr.tensor<["4"], f32>
  // expected-error @+1 {{a scan of what each lane has by itself}}
  %s = graph.scan "sum" 0 %v : !tsr.tensor<["4"], f32>
  graph.store %s, %x[%i, %c0 size "4" in_bounds] : !tsr.tensor<["4"], f32>, !tsr.view<["N", "4"], f32>
  graph.kernel_end
}
