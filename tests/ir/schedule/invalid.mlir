// Every rule of the schedule dialect, broken once.
// RUN: tessera-opt %s -split-input-file -verify-diagnostics

// expected-error @+1 {{uses T.m, but 'sizes' has no value for it}}
schedule.kernel @k(%x: !tsr.view<["N"], f32>) attributes {dims = ["N"], params = [#tsr.param<"x", inout>], outputs = [],
    grid = #tsr.grid<lanes, ["N"]>, group = 32 : i64, context = ["m"]} {
  schedule.kernel_end
}

// -----

// expected-error @+1 {{T.m is 0}}
schedule.kernel @k(%x: !tsr.view<["N"], f32>) attributes {dims = ["N"], params = [#tsr.param<"x", inout>], outputs = [],
    grid = #tsr.grid<lanes, ["N"]>, group = 32 : i64, context = ["m"], sizes = {m = 0}} {
  schedule.kernel_end
}

// -----

// expected-error @+1 {{'group' is not decided}}
schedule.kernel @k(%x: !tsr.view<["N"], f32>) attributes {dims = ["N"], params = [#tsr.param<"x", inout>], outputs = [],
    grid = #tsr.grid<lanes, ["N"]>} {
  schedule.kernel_end
}

// -----

// expected-error @+1 {{has a capacity for 'D', which is not a dimension}}
schedule.kernel @k(%x: !tsr.view<["N"], f32>) attributes {dims = ["N"], params = [#tsr.param<"x", inout>], outputs = [],
    grid = #tsr.grid<lanes, ["N"]>, group = 32 : i64, capacity = {D = array<i64: 64>}} {
  schedule.kernel_end
}

// -----

// expected-error @+1 {{capacity of 'N' is not an array<i64: ...>}}
schedule.kernel @k(%x: !tsr.view<["N"], f32>) attributes {dims = ["N"], params = [#tsr.param<"x", inout>], outputs = [],
    grid = #tsr.grid<lanes, ["N"]>, group = 32 : i64, capacity = {N = 64}} {
  schedule.kernel_end
}

// -----

// expected-error @+1 {{capacities of 'N' do not ascend}}
schedule.kernel @k(%x: !tsr.view<["N"], f32>) attributes {dims = ["N"], params = [#tsr.param<"x", inout>], outputs = [],
    grid = #tsr.grid<lanes, ["N"]>, group = 32 : i64, capacity = {N = array<i64: 128, 64>}} {
  schedule.kernel_end
}

// -----

// expected-error @+1 {{streams over 'D', which is not a dimension}}
schedule.kernel @k(%x: !tsr.view<["N"], f32>) attributes {dims = ["N"], params = [#tsr.param<"x", inout>], outputs = [],
    grid = #tsr.grid<lanes, ["N"]>, group = 32 : i64, rows = ["D"]} {
  schedule.kernel_end
}

// -----

// expected-error @+1 {{but it takes scalars and views}}
schedule.kernel @k(%x: !tsr.tensor<["N"], f32>) attributes {dims = ["N"], params = [#tsr.param<"x", inout>], outputs = [],
    grid = #tsr.grid<lanes, ["N"]>, group = 32 : i64} {
  schedule.kernel_end
}

// -----

schedule.kernel @k(%x: !tsr.view<["N"], f32>) attributes {dims = ["N"], params = [#tsr.param<"x", inout>], outputs = [],
    grid = #tsr.grid<lanes, ["N"]>, group = 32 : i64} {
  // expected-error @+1 {{may not stand in a kernel}}
  %0 = graph.string "hello"
  schedule.kernel_end
}

// -----

schedule.kernel @k(%x: !tsr.view<["N"], f32>) attributes {dims = ["N"], params = [#tsr.param<"x", inout>], outputs = [],
    grid = #tsr.grid<lanes, ["N"]>, group = 32 : i64} {
  // expected-error @+1 {{may not stand in a kernel}}
  graph.kernel_end
}

// -----

schedule.kernel @k(%x: !tsr.view<["N"], f32>) attributes {dims = ["N"], params = [#tsr.param<"x", inout>], outputs = [],
    grid = #tsr.grid<lanes, ["N"]>, group = 32 : i64} {
  schedule.kernel_end
}
schedule.func @f(%x: !tsr.view<["N"], f32>, %z: !tsr.view<["M"], f32>, %s: f32) attributes {dims = ["N", "M"],
    params = [#tsr.param<"x", inout>, #tsr.param<"z", inout>, #tsr.param<"s", in>], outputs = []} {
  // expected-error @+1 {{launches @q, which is not a kernel}}
  schedule.launch @q()
  schedule.return
}

// -----

schedule.kernel @k(%x: !tsr.view<["N"], f32>) attributes {dims = ["N"], params = [#tsr.param<"x", inout>], outputs = [],
    grid = #tsr.grid<lanes, ["N"]>, group = 32 : i64} {
  schedule.kernel_end
}
schedule.func @f(%x: !tsr.view<["N"], f32>, %z: !tsr.view<["M"], f32>, %s: f32) attributes {dims = ["N", "M"],
    params = [#tsr.param<"x", inout>, #tsr.param<"z", inout>, #tsr.param<"s", in>], outputs = []} {
  // expected-error @+1 {{passes 0 values, @k takes 1}}
  schedule.launch @k()
  schedule.return
}

// -----

schedule.kernel @k(%x: !tsr.view<["N"], f32>) attributes {dims = ["N"], params = [#tsr.param<"x", inout>], outputs = [],
    grid = #tsr.grid<lanes, ["N"]>, group = 32 : i64} {
  schedule.kernel_end
}
schedule.func @f(%x: !tsr.view<["N"], f32>, %z: !tsr.view<["M"], f32>, %s: f32) attributes {dims = ["N", "M"],
    params = [#tsr.param<"x", inout>, #tsr.param<"z", inout>, #tsr.param<"s", in>], outputs = []} {
  // expected-error @+1 {{passes 'f32' where @k takes}}
  schedule.launch @k(%s) : f32
  schedule.return
}

// -----

schedule.kernel @k(%x: !tsr.view<["N"], f32>) attributes {dims = ["N"], params = [#tsr.param<"x", inout>], outputs = [],
    grid = #tsr.grid<lanes, ["N"]>, group = 32 : i64} {
  schedule.kernel_end
}
schedule.func @f(%x: !tsr.view<["N"], f32>, %z: !tsr.view<["M"], f32>, %s: f32) attributes {dims = ["N", "M"],
    params = [#tsr.param<"x", inout>, #tsr.param<"z", inout>, #tsr.param<"s", in>], outputs = []} {
  // expected-error-re @+1 {{passes {{.*}} where @k takes}}
  schedule.launch @k(%z) : !tsr.view<["M"], f32>
  schedule.return
}

// -----

schedule.kernel @k(%x: !tsr.view<["N"], f32>) attributes {dims = ["N"], params = [#tsr.param<"x", inout>], outputs = [],
    grid = #tsr.grid<lanes, ["N"]>, group = 32 : i64} {
  schedule.kernel_end
}
schedule.func @f(%x: !tsr.view<["N"], f32>, %z: !tsr.view<["M"], f32>, %s: f32) attributes {dims = ["N", "M"],
    params = [#tsr.param<"x", inout>, #tsr.param<"z", inout>, #tsr.param<"s", in>], outputs = []} {
  // expected-error @+1 {{gives 2 dimensions, @k has 1}}
  schedule.launch @k(%x) {dims = #tsr.dims<["N", "N"]>} : !tsr.view<["N"], f32>
  schedule.return
}

// -----

schedule.kernel @k(%x: !tsr.view<["N"], f32>) attributes {dims = ["N"], params = [#tsr.param<"x", inout>], outputs = [],
    grid = #tsr.grid<lanes, ["N"]>, group = 32 : i64} {
  schedule.kernel_end
}
schedule.func @f(%x: !tsr.view<["N"], f32>, %z: !tsr.view<["M"], f32>, %s: f32) attributes {dims = ["N", "M"],
    params = [#tsr.param<"x", inout>, #tsr.param<"z", inout>, #tsr.param<"s", in>], outputs = []} {
  // expected-error @+1 {{may not stand in an entry function: it is a list of temporaries, tables, launches and exchanges}}
  %0 = graph.constant 1 : index
  schedule.return
}

// -----

schedule.kernel @k(%x: !tsr.view<["M", "N"], f32>, %z: !tsr.view<["M", "N"], complex<f32>>, %y: !tsr.view<["M", "N"], i64>, %r: !tsr.view<["N", "M"], i64>)
    attributes {dims = ["M", "N"], params = [#tsr.param<"x", in>, #tsr.param<"z", in>, #tsr.param<"y", out>, #tsr.param<"r", out>], outputs = [],
    grid = #tsr.grid<explicit, ["M"]>, group = 32 : i64} {
  %m = graph.query "group_id" 0
  // expected-error @+1 {{has 0 indices for a row of}}
  schedule.argsort_row %x, %y[] : !tsr.view<["M", "N"], f32>, !tsr.view<["M", "N"], i64>
  schedule.kernel_end
}

// -----

schedule.kernel @k(%x: !tsr.view<["M", "N"], f32>, %z: !tsr.view<["M", "N"], complex<f32>>, %y: !tsr.view<["M", "N"], i64>, %r: !tsr.view<["N", "M"], i64>)
    attributes {dims = ["M", "N"], params = [#tsr.param<"x", in>, #tsr.param<"z", in>, #tsr.param<"y", out>, #tsr.param<"r", out>], outputs = [],
    grid = #tsr.grid<explicit, ["M"]>, group = 32 : i64} {
  %m = graph.query "group_id" 0
  // expected-error @+1 {{has 0 first places of parts of 0}}
  schedule.argsort_row %x, %y[%m] part %m : !tsr.view<["M", "N"], f32>, !tsr.view<["M", "N"], i64>
  schedule.kernel_end
}

// -----

schedule.kernel @k(%x: !tsr.view<["M", "N"], f32>, %z: !tsr.view<["M", "N"], complex<f32>>, %y: !tsr.view<["M", "N"], i64>, %r: !tsr.view<["N", "M"], i64>)
    attributes {dims = ["M", "N"], params = [#tsr.param<"x", in>, #tsr.param<"z", in>, #tsr.param<"y", out>, #tsr.param<"r", out>], outputs = [],
    grid = #tsr.grid<explicit, ["M"]>, group = 32 : i64} {
  %m = graph.query "group_id" 0
  // expected-error @+1 {{has 5 first places of parts of 4096, and no part}}
  schedule.argsort_row %x, %y[%m] {first = 5 : i64, length = 4096 : i64} : !tsr.view<["M", "N"], f32>, !tsr.view<["M", "N"], i64>
  schedule.kernel_end
}

// -----

schedule.kernel @k(%x: !tsr.view<["M", "N"], f32>, %z: !tsr.view<["M", "N"], complex<f32>>, %y: !tsr.view<["M", "N"], i64>, %r: !tsr.view<["N", "M"], i64>)
    attributes {dims = ["M", "N"], params = [#tsr.param<"x", in>, #tsr.param<"z", in>, #tsr.param<"y", out>, #tsr.param<"r", out>], outputs = [],
    grid = #tsr.grid<explicit, ["M"]>, group = 32 : i64} {
  %m = graph.query "group_id" 0
  // expected-error @+1 {{writes the first places of}}
  schedule.argsort_row %x, %r[%m] part %m {first = 5 : i64, length = 4096 : i64} : !tsr.view<["M", "N"], f32>, !tsr.view<["N", "M"], i64>
  schedule.kernel_end
}

// -----

schedule.kernel @k(%x: !tsr.view<["M", "N"], f32>, %z: !tsr.view<["M", "N"], complex<f32>>, %y: !tsr.view<["M", "N"], i64>, %r: !tsr.view<["N", "M"], i64>)
    attributes {dims = ["M", "N"], params = [#tsr.param<"x", in>, #tsr.param<"z", in>, #tsr.param<"y", out>, #tsr.param<"r", out>], outputs = [],
    grid = #tsr.grid<explicit, ["M"]>, group = 32 : i64} {
  %m = graph.query "group_id" 0
  // expected-error @+1 {{takes all places of}}
  schedule.argsort_row %x, %y[%m] of %r : !tsr.view<["N", "M"], i64> : !tsr.view<["M", "N"], f32>, !tsr.view<["M", "N"], i64>
  schedule.kernel_end
}

// -----

schedule.kernel @k(%x: !tsr.view<["M", "N"], f32>, %z: !tsr.view<["M", "N"], complex<f32>>, %y: !tsr.view<["M", "N"], i64>, %r: !tsr.view<["N", "M"], i64>)
    attributes {dims = ["M", "N"], params = [#tsr.param<"x", in>, #tsr.param<"z", in>, #tsr.param<"y", out>, #tsr.param<"r", out>], outputs = [],
    grid = #tsr.grid<explicit, ["M"]>, group = 32 : i64} {
  %m = graph.query "group_id" 0
  // expected-error @+1 {{writes the order of}}
  schedule.argsort_row %x, %r[%m] : !tsr.view<["M", "N"], f32>, !tsr.view<["N", "M"], i64>
  schedule.kernel_end
}

// -----

schedule.kernel @k(%x: !tsr.view<["M", "N"], f32>, %z: !tsr.view<["M", "N"], complex<f32>>, %y: !tsr.view<["M", "N"], i64>, %r: !tsr.view<["N", "M"], i64>)
    attributes {dims = ["M", "N"], params = [#tsr.param<"x", in>, #tsr.param<"z", in>, #tsr.param<"y", out>, #tsr.param<"r", out>], outputs = [],
    grid = #tsr.grid<explicit, ["M"]>, group = 32 : i64} {
  %m = graph.query "group_id" 0
  // expected-error @+1 {{sorts complex numbers, which have no order}}
  schedule.argsort_row %z, %y[%m] : !tsr.view<["M", "N"], complex<f32>>, !tsr.view<["M", "N"], i64>
  schedule.kernel_end
}

// -----

schedule.kernel @k(%x: !tsr.view<["M", "N"], f32>, %z: !tsr.view<["M", "N"], complex<f32>>, %y: !tsr.view<["M", "N"], i64>, %r: !tsr.view<["N", "M"], i64>)
    attributes {dims = ["M", "N"], params = [#tsr.param<"x", in>, #tsr.param<"z", in>, #tsr.param<"y", out>, #tsr.param<"r", out>], outputs = [],
    grid = #tsr.grid<explicit, ["M"]>, group = 32 : i64} {
  %m = graph.query "group_id" 0
  // expected-error @+1 {{writes the order of a row over the row}}
  schedule.argsort_row %x, %x[%m] : !tsr.view<["M", "N"], f32>, !tsr.view<["M", "N"], f32>
  schedule.kernel_end
}
