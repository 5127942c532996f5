// RUN: tessera-opt %s --tile-sum-beside-rows --split-input-file | FileCheck %s

// The sums of %y's columns, and of those of the product of %y and %w, are added up where %y is made. Nobody reads the numbers of rows
// any more: they are not stored. %w is read by the kernel of rows now.
// CHECK-LABEL: tile.kernel @rows(
// CHECK-SAME: %x: !tsr.view<["R", "96"], f32>, %y: !tsr.view<["R", "96"], f32>, %w: !tsr.view<["R", "96"], f32>, %sum_parts: !tsr.view<["min((R + 3) // 4, 1280)", "96"], f32>, %weighted_parts: !tsr.view<["min((R + 3) // 4, 1280)", "96"], f32>
// CHECK-SAME: grid = #tsr.grid<output, ["1", "96"], param = 1>
// CHECK-SAME: "groups take rows in turn, and add up the columns of what they have at hand; the next kernel adds up their sums"
// CHECK-NOT: tile.once
// CHECK: scf.for %[[C:.*]] = %{{.*}} to %{{.*}} step %{{.*}} {
// CHECK: tile.store_element %[[Y:.*]], %y[%{{.*}}, %[[C]]]
// CHECK: tile.add_column %[[Y]] to %sum_parts[%[[C]]]
// CHECK: %[[W:.*]] = tile.load_element %w[%{{.*}}, %[[C]]]
// CHECK: %[[P:.*]] = tile.elementwise "mul" %[[Y]], %[[W]]
// CHECK: %[[S:.*]] = tile.elementwise "mul" %[[P]], %{{.*}}
// CHECK: tile.add_column %[[S]] to %weighted_parts[%[[C]]]
tile.kernel @rows(%x: !tsr.view<["R", "96"], f32>, %scale: !tsr.view<["R", "1"], f32>, %y: !tsr.view<["R", "96"], f32>) attributes {dims = ["R"],
    params = [#tsr.param<"x", in>, #tsr.param<"scale", out>, #tsr.param<"y", out>],
    outputs = [#tsr.result<"scale", !tsr.tensor<["R", "1"], f32>, param = 1>, #tsr.result<"y", !tsr.tensor<["R", "96"], f32>, param = 2>],
    grid = #tsr.grid<output, ["1", "96"], param = 2>, group = 256 : i64} {
  %r = tile.query "origin"
  %zero = tile.constant 0.0 : f32
  %end = tile.constant 96 : index
  %lane = tile.query "local_id"
  %lanes = tile.query "group_size"
  %part = scf.for %c = %lane to %end step %lanes iter_args(%so_far = %zero) -> (f32) {
    %e = tile.load_element %x[%r, %c] {in_bounds = array<i1: true, true>} : !tsr.view<["R", "96"], f32>
    %next = tile.elementwise "add" %so_far, %e : f32
    scf.yield %next : f32
  } {tsr.reduces = "sum"}
  %sum = tile.group_reduce "sum" %part : f32
  tile.once {
    %c0 = tile.constant 0 : index
    tile.store_element %sum, %scale[%r, %c0] {in_bounds = array<i1: true, true>} : f32, !tsr.view<["R", "1"], f32>
  }
  scf.for %c = %lane to %end step %lanes {
    %e = tile.load_element %x[%r, %c] {in_bounds = array<i1: true, true>} : !tsr.view<["R", "96"], f32>
    %d = tile.elementwise "div" %e, %sum : f32
    tile.store_element %d, %y[%r, %c] {in_bounds = array<i1: true, true>} : f32, !tsr.view<["R", "96"], f32>
  }
  tile.kernel_end
}

// CHECK-LABEL: tile.kernel @columns(
// CHECK-SAME: %sum: !tsr.view<["96"], f32>, %weighted: !tsr.view<["96"], f32>, %sum_parts: !tsr.view<["min((R + 3) // 4, 1280)", "96"], f32>
// CHECK: %[[GROUPS:.*]] = tile.dim "min((R + 3) // 4, 1280)"
// CHECK: scf.for %[[PART:.*]] = %{{.*}} to %[[GROUPS]]
// CHECK: tile.load_element %sum_parts[%[[PART]], %{{.*}}]
// CHECK: tsr.adds_parts
tile.kernel @columns(%y: !tsr.view<["R", "96"], f32>, %w: !tsr.view<["R", "96"], f32>, %scale: !tsr.view<["R", "1"], f32>,
    %sum: !tsr.view<["96"], f32>, %weighted: !tsr.view<["96"], f32>) attributes {dims = ["R"],
    params = [#tsr.param<"y", in>, #tsr.param<"w", in>, #tsr.param<"scale", in>, #tsr.param<"sum", out>, #tsr.param<"weighted", out>],
    outputs = [], grid = #tsr.grid<lanes, ["96"]>, group = 256 : i64} {
  %i = tile.query "linear_id"
  %count = tile.constant 96 : index
  %inside = tile.elementwise "lt" %i, %count : index
  scf.if %inside {
    %zero = tile.constant 0.0 : f32
    %c0 = tile.constant 0 : index
    %R = tile.dim "R"
    %one = tile.constant 1 : index
    %sums:2 = scf.for %k = %c0 to %R step %one iter_args(%a = %zero, %b = %zero) -> (f32, f32) {
      %e = tile.load_element %y[%k, %i] {in_bounds = array<i1: true, true>} : !tsr.view<["R", "96"], f32>
      %next = tile.elementwise "add" %a, %e : f32
      %v = tile.load_element %w[%k, %i] {in_bounds = array<i1: true, true>} : !tsr.view<["R", "96"], f32>
      %p = tile.elementwise "mul" %e, %v : f32
      %s = tile.load_element %scale[%k, %c0] {in_bounds = array<i1: true, true>} : !tsr.view<["R", "1"], f32>
      %q = tile.elementwise "mul" %p, %s : f32
      %then = tile.elementwise "add" %b, %q : f32
      scf.yield %next, %then : f32, f32
    } {tsr.reduces = ["sum", "sum"]}
    tile.store_element %sums#0, %sum[%i] {in_bounds = array<i1: true>} : f32, !tsr.view<["96"], f32>
    tile.store_element %sums#1, %weighted[%i] {in_bounds = array<i1: true>} : f32, !tsr.view<["96"], f32>
  }
  tile.kernel_end
}

// CHECK-LABEL: tile.func @both
// CHECK: %[[A:.*]] = tile.temp : <["min((R + 3) // 4, 1280)", "96"], f32>
// CHECK: %[[B:.*]] = tile.temp : <["min((R + 3) // 4, 1280)", "96"], f32>
// CHECK-NOT: tile.temp
// CHECK: tile.launch @rows(%x, %y, %w, %[[A]], %[[B]])
// CHECK: tile.launch @columns(%sum, %weighted, %[[A]], %[[B]])
tile.func @both(%x: !tsr.view<["R", "96"], f32>, %w: !tsr.view<["R", "96"], f32>, %y: !tsr.view<["R", "96"], f32>, %sum: !tsr.view<["96"], f32>,
    %weighted: !tsr.view<["96"], f32>) attributes {dims = ["R"],
    params = [#tsr.param<"x", in>, #tsr.param<"w", in>, #tsr.param<"y", out>, #tsr.param<"sum", out>, #tsr.param<"weighted", out>], outputs = []} {
  %scale = tile.temp : <["R", "1"], f32>
  tile.launch @rows(%x, %scale, %y) : !tsr.view<["R", "96"], f32>, !tsr.view<["R", "1"], f32>, !tsr.view<["R", "96"], f32>
  tile.launch @columns(%y, %w, %scale, %sum, %weighted) : !tsr.view<["R", "96"], f32>, !tsr.view<["R", "96"], f32>, !tsr.view<["R", "1"], f32>, !tsr.view<["96"], f32>, !tsr.view<["96"], f32>
  tile.return
}

// -----

// Sums of what the kernel of rows reads, launched ahead of it, are added up beside the rows as well, as nobody needs them between. In
// the second function somebody does.
// CHECK-LABEL: tile.kernel @twice_0(
// CHECK-SAME: %sum_parts: !tsr.view<["min((R + 3) // 4, 1280)", "96"], f32>
// CHECK: tile.add_column %{{.*}} to %sum_parts
// CHECK-LABEL: tile.kernel @twice(
// CHECK-NOT: tile.add_column
tile.kernel @twice(%x: !tsr.view<["R", "96"], f32>, %y: !tsr.view<["R", "96"], f32>) attributes {dims = ["R"],
    params = [#tsr.param<"x", in>, #tsr.param<"y", out>], outputs = [#tsr.result<"y", !tsr.tensor<["R", "96"], f32>, param = 1>],
    grid = #tsr.grid<output, ["1", "96"], param = 1>, group = 256 : i64} {
  %r = tile.query "origin"
  %end = tile.constant 96 : index
  %lane = tile.query "local_id"
  %lanes = tile.query "group_size"
  scf.for %c = %lane to %end step %lanes {
    %e = tile.load_element %x[%r, %c] {in_bounds = array<i1: true, true>} : !tsr.view<["R", "96"], f32>
    %d = tile.elementwise "add" %e, %e : f32
    tile.store_element %d, %y[%r, %c] {in_bounds = array<i1: true, true>} : f32, !tsr.view<["R", "96"], f32>
  }
  tile.kernel_end
}

tile.kernel @columns(%x: !tsr.view<["R", "96"], f32>, %sum: !tsr.view<["96"], f32>) attributes {dims = ["R"],
    params = [#tsr.param<"x", in>, #tsr.param<"sum", out>], outputs = [], grid = #tsr.grid<lanes, ["96"]>, group = 256 : i64} {
  %i = tile.query "linear_id"
  %count = tile.constant 96 : index
  %inside = tile.elementwise "lt" %i, %count : index
  scf.if %inside {
    %zero = tile.constant 0.0 : f32
    %c0 = tile.constant 0 : index
    %R = tile.dim "R"
    %one = tile.constant 1 : index
    %sums = scf.for %k = %c0 to %R step %one iter_args(%a = %zero) -> (f32) {
      %e = tile.load_element %x[%k, %i] {in_bounds = array<i1: true, true>} : !tsr.view<["R", "96"], f32>
      %next = tile.elementwise "add" %a, %e : f32
      scf.yield %next : f32
    } {tsr.reduces = ["sum"]}
    tile.store_element %sums, %sum[%i] {in_bounds = array<i1: true>} : f32, !tsr.view<["96"], f32>
  }
  tile.kernel_end
}

tile.kernel @halve(%sum: !tsr.view<["96"], f32>, %half: !tsr.view<["96"], f32>) attributes {dims = [],
    params = [#tsr.param<"sum", in>, #tsr.param<"half", out>], outputs = [], grid = #tsr.grid<lanes, ["96"]>, group = 256 : i64} {
  %i = tile.query "linear_id"
  %count = tile.constant 96 : index
  %inside = tile.elementwise "lt" %i, %count : index
  scf.if %inside {
    %e = tile.load_element %sum[%i] {in_bounds = array<i1: true>} : !tsr.view<["96"], f32>
    %two = tile.constant 0.5 : f32
    %d = tile.elementwise "mul" %e, %two : f32
    tile.store_element %d, %half[%i] {in_bounds = array<i1: true>} : f32, !tsr.view<["96"], f32>
  }
  tile.kernel_end
}

// CHECK-LABEL: tile.func @ahead
// CHECK: %[[PARTS:.*]] = tile.temp : <["min((R + 3) // 4, 1280)", "96"], f32>
// CHECK: tile.launch @twice_0(%x, %y, %[[PARTS]])
// CHECK-NEXT: tile.launch @columns_1(%sum, %[[PARTS]])
tile.func @ahead(%x: !tsr.view<["R", "96"], f32>, %y: !tsr.view<["R", "96"], f32>, %sum: !tsr.view<["96"], f32>) attributes {dims = ["R"],
    params = [#tsr.param<"x", in>, #tsr.param<"y", out>, #tsr.param<"sum", out>], outputs = []} {
  tile.launch @columns(%x, %sum) : !tsr.view<["R", "96"], f32>, !tsr.view<["96"], f32>
  tile.launch @twice(%x, %y) : !tsr.view<["R", "96"], f32>, !tsr.view<["R", "96"], f32>
  tile.return
}

// CHECK-LABEL: tile.func @needed
// CHECK-NOT: tile.temp
// CHECK: tile.launch @columns(%x, %sum)
// CHECK-NEXT: tile.launch @halve(%sum, %half)
// CHECK-NEXT: tile.launch @twice(%x, %y)
tile.func @needed(%x: !tsr.view<["R", "96"], f32>, %y: !tsr.view<["R", "96"], f32>, %sum: !tsr.view<["96"], f32>,
    %half: !tsr.view<["96"], f32>) attributes {dims = ["R"],
    params = [#tsr.param<"x", in>, #tsr.param<"y", out>, #tsr.param<"sum", out>, #tsr.param<"half", out>], outputs = []} {
  tile.launch @columns(%x, %sum) : !tsr.view<["R", "96"], f32>, !tsr.view<["96"], f32>
  tile.launch @halve(%sum, %half) : !tsr.view<["96"], f32>, !tsr.view<["96"], f32>
  tile.launch @twice(%x, %y) : !tsr.view<["R", "96"], f32>, !tsr.view<["R", "96"], f32>
  tile.return
}
