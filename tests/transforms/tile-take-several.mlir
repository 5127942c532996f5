// RUN: tessera-opt %s --set-machine=name=sm_90a --tile-take-several | FileCheck %s

// The quotients stand before the condition, the outermost one in steps of Each. What is left of them is the same for all elements of a lane.
// CHECK-LABEL: tile.kernel @padded
// CHECK-SAME: grid = #tsr.grid<lanes, ["{{.*}}T.each{{.*}}"]>
// CHECK-SAME: reasons = ["a lane takes Each elements, one of each of so many rows or planes: their places are found once, and their loads are under way together"]
// CHECK-SAME: variants = [{each = 4 : i64, when = [#tsr.requirement<"8" le "P", "">, #tsr.requirement<"32" le "{{.*}}H*W{{.*}}", "">]}, {each = 1 : i64}]
// CHECK: %[[I:.*]] = tile.query "linear_id"
// CHECK: %[[ROW:.*]] = tile.elementwise "floordiv" %[[I]]
// CHECK: %[[PLANE:.*]] = tile.elementwise "floordiv" %[[ROW]]
// CHECK: tile.elementwise "mul" %[[PLANE]], %[[EACH:.*]] : index
// CHECK: scf.if
// CHECK: %[[FIRST:.*]] = tile.elementwise "min"
// CHECK: %[[BEGIN:row_first.*]] = tile.elementwise "add" %[[I]]
// CHECK: %[[H:.*]] = tile.elementwise "sub" %[[ROW]]
// CHECK: %[[W:.*]] = tile.elementwise "sub" %[[I]]
// CHECK: %[[TEST:.*]] = tile.elementwise "lt" %[[W]]
// CHECK: scf.for %[[U:.*]] = %{{.*}} to %{{.*}} step
// CHECK-NOT: "floordiv"
// CHECK: %[[IU:.*]] = tile.elementwise "add" %[[BEGIN]]
// CHECK: %[[PU:.*]] = tile.elementwise "add" %[[FIRST]], %[[U]]
// CHECK: scf.if %[[TEST]]
// CHECK: tile.load_element %x[%[[PU]], %[[H]], %[[W]]]
// CHECK: tile.store_element %{{.*}}, %y[%[[IU]]]
// CHECK: } {tsr.unrolled}
tile.kernel @padded(%x: !tsr.view<["P", "H", "W"], f32>, %y: !tsr.view<["H*P + H*P*W"], f32>) attributes {dims = ["P", "H", "W"],
    params = [#tsr.param<"x", in>, #tsr.param<"y", out>], outputs = [], reasons = ["one lane an element"], grid = #tsr.grid<lanes, ["H*P + H*P*W"]>, group = 256 : i64} {
  %i = tile.query "linear_id"
  %count = tile.dim "H*P + H*P*W"
  %inside = tile.elementwise "lt" %i, %count : index
  scf.if %inside {
    %by_W = tile.dim "W + 1"
    %row = tile.elementwise "floordiv" %i, %by_W : index
    %by_H = tile.dim "H"
    %plane = tile.elementwise "floordiv" %row, %by_H : index
    %h = tile.elementwise "mod" %row, %by_H : index
    %w = tile.elementwise "mod" %i, %by_W : index
    %W = tile.dim "W"
    %test = tile.elementwise "lt" %w, %W : index
    %e = scf.if %test -> (f32) {
      %there = tile.load_element %x[%plane, %h, %w] {in_bounds = array<i1: true, true, true>} : !tsr.view<["P", "H", "W"], f32>
      scf.yield %there : f32
    } else {
      %zero = tile.constant 0.0 : f32
      scf.yield %zero : f32
    }
    tile.store_element %e, %y[%i] {in_bounds = array<i1: true>} : f32, !tsr.view<["H*P + H*P*W"], f32>
  }
  tile.kernel_end
}

// Vectors stay what they are where they divide the rows; the last variant, of single elements, takes several. What is broadcast is read once.
// CHECK-LABEL: tile.kernel @biased
// CHECK-SAME: variants = [{aligned = array<i64: 0, 1, 2>, each = 1 : i64, vector = 8 : i64, when = [#tsr.requirement<"C % 8" eq "0", "">]},
// CHECK-SAME: {each = 8 : i64, vector = 1 : i64, when = [#tsr.requirement<"16" le "R", "">, #tsr.requirement<"32" le "C", "">]}, {each = 1 : i64, vector = 1 : i64}]
// CHECK: %[[ROW:.*]] = tile.elementwise "floordiv"
// CHECK: scf.if
// CHECK: tile.load_vector %b
// CHECK: scf.for
// CHECK: tile.new_vector
// CHECK: tile.load_vector %x
// CHECK: scf.for
// CHECK: tile.store_vector
tile.kernel @biased(%x: !tsr.view<["C*R"], bf16>, %b: !tsr.view<["C"], bf16>, %y: !tsr.view<["C*R"], bf16>) attributes {dims = ["R", "C"],
    params = [#tsr.param<"x", in>, #tsr.param<"b", in>, #tsr.param<"y", out>], outputs = [], grid = #tsr.grid<lanes, ["(C*R + T.vector - 1) // T.vector"]>, group = 256 : i64,
    variants = [{aligned = array<i64: 0, 1, 2>, vector = 8 : i64, when = [#tsr.requirement<"C % 8" eq "0", "">]}, {vector = 1 : i64}]} {
  %vector = tile.dim "T.vector"
  %lane = tile.query "linear_id"
  %i = tile.elementwise "mul" %lane, %vector : index
  %count = tile.dim "C*R"
  %inside = tile.elementwise "lt" %i, %count : index
  scf.if %inside {
    %sum = tile.new_vector : <bf16>
    %x_vector = tile.load_vector %x[%i] {flat} : <["C*R"], bf16> to <bf16>
    %C = tile.dim "C"
    %c = tile.elementwise "mod" %i, %C : index
    %b_vector = tile.load_vector %b[%c] : <["C"], bf16> to <bf16>
    %zero = tile.constant 0 : index
    %one = tile.constant 1 : index
    %end = tile.dim "T.vector"
    scf.for %v = %zero to %end step %one {
      %p = tile.load_element %x_vector[%v] {in_bounds = array<i1: true>} : !tile.lane_vector<bf16>
      %q = tile.load_element %b_vector[%v] {in_bounds = array<i1: true>} : !tile.lane_vector<bf16>
      %s = tile.elementwise "add" %p, %q : bf16
      tile.store_element %s, %sum[%v] {in_bounds = array<i1: true>} : bf16, !tile.lane_vector<bf16>
    } {tsr.unrolled}
    tile.store_vector %sum, %y[%i] {flat} : <bf16>, <["C*R"], bf16>
  }
  tile.kernel_end
}

// What is dear and the same for a column is found once for vectors of four rows: two quotients and a root.
// CHECK-LABEL: tile.kernel @normed
// CHECK-SAME: variants = [{aligned = array<i64: 0, 1, 2>, each = 4 : i64, vector = 4 : i64, when = [#tsr.requirement<"C % 4" eq "0", "">, #tsr.requirement<"8" le "R", "">, #tsr.requirement<"32" le "C", "">]},
// CHECK-SAME: {aligned = array<i64: 0, 1, 2>, each = 1 : i64, vector = 4 : i64, when = [#tsr.requirement<"C % 4" eq "0", "">]},
tile.kernel @normed(%x: !tsr.view<["C*R"], f32>, %b: !tsr.view<["C"], f32>, %y: !tsr.view<["C*R"], f32>) attributes {dims = ["R", "C"],
    params = [#tsr.param<"x", in>, #tsr.param<"b", in>, #tsr.param<"y", out>], outputs = [], grid = #tsr.grid<lanes, ["(C*R + T.vector - 1) // T.vector"]>, group = 256 : i64,
    variants = [{aligned = array<i64: 0, 1, 2>, vector = 4 : i64, when = [#tsr.requirement<"C % 4" eq "0", "">]}, {vector = 1 : i64}]} {
  %vector = tile.dim "T.vector"
  %lane = tile.query "linear_id"
  %i = tile.elementwise "mul" %lane, %vector : index
  %count = tile.dim "C*R"
  %inside = tile.elementwise "lt" %i, %count : index
  scf.if %inside {
    %sum = tile.new_vector : <f32>
    %x_vector = tile.load_vector %x[%i] {flat} : <["C*R"], f32> to <f32>
    %C = tile.dim "C"
    %c = tile.elementwise "mod" %i, %C : index
    %b_vector = tile.load_vector %b[%c] : <["C"], f32> to <f32>
    %zero = tile.constant 0 : index
    %one = tile.constant 1 : index
    %end = tile.dim "T.vector"
    scf.for %v = %zero to %end step %one {
      %p = tile.load_element %x_vector[%v] {in_bounds = array<i1: true>} : !tile.lane_vector<f32>
      %q = tile.load_element %b_vector[%v] {in_bounds = array<i1: true>} : !tile.lane_vector<f32>
      %number = tile.constant 3.0 : f32
      %m = tile.elementwise "div" %q, %number : f32
      %r = tile.elementwise "rsqrt" %m : f32
      %d = tile.elementwise "div" %r, %number : f32
      %s = tile.elementwise "mul" %p, %d : f32
      tile.store_element %s, %sum[%v] {in_bounds = array<i1: true>} : f32, !tile.lane_vector<f32>
    } {tsr.unrolled}
    tile.store_vector %sum, %y[%i] {flat} : <f32>, <["C*R"], f32>
  }
  tile.kernel_end
}

// A lane that loads at a place that it has loaded waits twice: it takes vectors of two rows.
// CHECK-LABEL: tile.kernel @gathered
// CHECK-SAME: variants = [{aligned = array<i64: 0, 2>, each = 2 : i64, vector = 8 : i64, when = [#tsr.requirement<"D % 8" eq "0", "">, #tsr.requirement<"4" le "R", "">, #tsr.requirement<"32" le "D", "">]},
// CHECK-SAME: {aligned = array<i64: 0, 2>, each = 1 : i64, vector = 8 : i64, when = [#tsr.requirement<"D % 8" eq "0", "">]},
// CHECK-SAME: {each = 8 : i64, vector = 1 : i64, {{.*}}}, {each = 1 : i64, vector = 1 : i64}]
// CHECK: scf.for
// CHECK: tile.load_element %ids
// CHECK: tile.load_vector %x
tile.kernel @gathered(%x: !tsr.view<["V", "D"], bf16>, %ids: !tsr.view<["R"], i64>, %y: !tsr.view<["D*R"], bf16>) attributes {dims = ["V", "D", "R"],
    params = [#tsr.param<"x", in>, #tsr.param<"ids", in>, #tsr.param<"y", out>], outputs = [],
    grid = #tsr.grid<lanes, ["(D*R + T.vector - 1) // T.vector"]>, group = 256 : i64,
    variants = [{aligned = array<i64: 0, 2>, vector = 8 : i64, when = [#tsr.requirement<"D % 8" eq "0", "">]}, {vector = 1 : i64}]} {
  %vector = tile.dim "T.vector"
  %lane = tile.query "linear_id"
  %i = tile.elementwise "mul" %lane, %vector : index
  %count = tile.dim "D*R"
  %inside = tile.elementwise "lt" %i, %count : index
  scf.if %inside {
    %D = tile.dim "D"
    %r = tile.elementwise "floordiv" %i, %D : index
    %d = tile.elementwise "mod" %i, %D : index
    %id = tile.load_element %ids[%r] {in_bounds = array<i1: true>} : !tsr.view<["R"], i64>
    %place = tile.cast %id : i64 to index
    %x_vector = tile.load_vector %x[%place, %d] : <["V", "D"], bf16> to <bf16>
    tile.store_vector %x_vector, %y[%i] {flat} : <bf16>, <["D*R"], bf16>
  }
  tile.kernel_end
}

// The last lanes would read what others have stored.
// CHECK-LABEL: tile.kernel @in_place
// CHECK-NOT: T.each
tile.kernel @in_place(%x: !tsr.view<["R", "C"], f32>, %b: !tsr.view<["C"], f32>) attributes {dims = ["R", "C"],
    params = [#tsr.param<"x", inout>, #tsr.param<"b", in>], outputs = [], grid = #tsr.grid<lanes, ["C*R"]>, group = 256 : i64} {
  %i = tile.query "linear_id"
  %count = tile.dim "C*R"
  %inside = tile.elementwise "lt" %i, %count : index
  scf.if %inside {
    %C = tile.dim "C"
    %r = tile.elementwise "floordiv" %i, %C : index
    %c = tile.elementwise "mod" %i, %C : index
    %p = tile.load_element %x[%r, %c] {in_bounds = array<i1: true, true>} : !tsr.view<["R", "C"], f32>
    %q = tile.load_element %b[%c] {in_bounds = array<i1: true>} : !tsr.view<["C"], f32>
    %s = tile.elementwise "add" %p, %q : f32
    tile.store_element %s, %x[%r, %c] {in_bounds = array<i1: true, true>} : f32, !tsr.view<["R", "C"], f32>
  }
  tile.kernel_end
}

// Rows of three elements would be stored in pieces of sectors, and a loop that runs as long as the data says is one after the other anyway.
// CHECK-LABEL: tile.kernel @short
// CHECK-NOT: T.each
tile.kernel @short(%s: !tsr.view<["R"], f32>, %y: !tsr.view<["R", "3"], f32>) attributes {dims = ["R"],
    params = [#tsr.param<"s", in>, #tsr.param<"y", out>], outputs = [], grid = #tsr.grid<lanes, ["3*R"]>, group = 256 : i64} {
  %i = tile.query "linear_id"
  %count = tile.dim "3*R"
  %inside = tile.elementwise "lt" %i, %count : index
  scf.if %inside {
    %C = tile.constant 3 : index
    %r = tile.elementwise "floordiv" %i, %C : index
    %c = tile.elementwise "mod" %i, %C : index
    %e = tile.load_element %s[%r] {in_bounds = array<i1: true>} : !tsr.view<["R"], f32>
    tile.store_element %e, %y[%r, %c] {in_bounds = array<i1: true, true>} : f32, !tsr.view<["R", "3"], f32>
  }
  tile.kernel_end
}
// CHECK-LABEL: tile.kernel @long
// CHECK-NOT: T.each
tile.kernel @long(%x: !tsr.view<["N", "C"], f32>, %y: !tsr.view<["R", "C"], f32>) attributes {dims = ["R", "C", "N"],
    params = [#tsr.param<"x", in>, #tsr.param<"y", out>], outputs = [], grid = #tsr.grid<lanes, ["C*R"]>, group = 256 : i64} {
  %i = tile.query "linear_id"
  %count = tile.dim "C*R"
  %inside = tile.elementwise "lt" %i, %count : index
  scf.if %inside {
    %C = tile.dim "C"
    %N = tile.dim "N"
    %zero = tile.constant 0 : index
    %one = tile.constant 1 : index
    %none = tile.constant 0.0 : f32
    %r = tile.elementwise "floordiv" %i, %C : index
    %c = tile.elementwise "mod" %i, %C : index
    %s = scf.for %n = %zero to %N step %one iter_args(%sum = %none) -> (f32) {
      %e = tile.load_element %x[%n, %c] {in_bounds = array<i1: true, true>} : !tsr.view<["N", "C"], f32>
      %next = tile.elementwise "add" %sum, %e : f32
      scf.yield %next : f32
    }
    tile.store_element %s, %y[%r, %c] {in_bounds = array<i1: true, true>} : f32, !tsr.view<["R", "C"], f32>
  }
  tile.kernel_end
}
