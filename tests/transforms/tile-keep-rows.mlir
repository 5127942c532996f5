// RUN: tessera-opt %s --tile-keep-rows | FileCheck %s

// What the sum takes is divided by it afterwards: it is computed once. The difference alone is not worth a row of its own.
// CHECK-LABEL: tile.kernel @softmax_kernel
// CHECK: %[[ROW:.*]] = tile.new_row {tsr.extent = #tsr.dim<"C">} : <f32>
// CHECK: scf.for %[[I:[a-z0-9_]+]] = %
// CHECK: %[[E:.*]] = tile.elementwise "exp"
// CHECK: tile.keep %[[E]] in %[[ROW]][%{{.*}}, %[[I]]]
// CHECK: tile.elementwise "add"
// CHECK: scf.for %[[J:[a-z0-9_]+]] = %
// CHECK-NOT: tile.load_element
// CHECK: %[[KEPT:.*]] = tile.recall %[[ROW]][%{{.*}}, %[[J]]]
// CHECK-NOT: "exp"
// CHECK: tile.elementwise "div" %[[KEPT]]
tile.kernel @softmax_kernel(%x: !tsr.view<["R", "C"], f32>, %y: !tsr.view<["R", "C"], f32>) attributes {dims = ["R", "C"],
    params = [#tsr.param<"x", in>, #tsr.param<"y", out>], outputs = [], grid = #tsr.grid<output, ["1", "C"], param = 1>, group = 256 : i64} {
  %row = tile.query "origin"
  %lane = tile.query "local_id"
  %lanes = tile.query "group_size"
  %C = tile.dim "C"
  %zero = tile.constant 0.0 : f32
  %s = scf.for %c = %lane to %C step %lanes iter_args(%sum = %zero) -> f32 {
    %e = tile.load_element %x[%row, %c] {in_bounds = array<i1: true, true>} : !tsr.view<["R", "C"], f32>
    %p = tile.elementwise "exp" %e : f32
    %next = tile.elementwise "add" %sum, %p : f32
    scf.yield %next : f32
  } {tsr.reduces = "sum"}
  %sum = tile.group_reduce "sum" %s : f32
  %C_2 = tile.dim "C"
  scf.for %c = %lane to %C_2 step %lanes {
    %e = tile.load_element %x[%row, %c] {in_bounds = array<i1: true, true>} : !tsr.view<["R", "C"], f32>
    %p = tile.elementwise "exp" %e : f32
    %part = tile.elementwise "div" %p, %sum : f32
    tile.store_element %part, %y[%row, %c] {in_bounds = array<i1: true, true>} : f32, !tsr.view<["R", "C"], f32>
  }
  tile.kernel_end
}

// What is cheap is computed again, and so is what the kernel may have changed in between.
// CHECK-LABEL: tile.kernel @again_kernel
// CHECK-NOT: tile.new_row
tile.kernel @again_kernel(%x: !tsr.view<["R", "C"], f32>, %z: !tsr.view<["R", "C"], f32>) attributes {dims = ["R", "C"],
    params = [#tsr.param<"x", in>, #tsr.param<"z", inout>], outputs = [], grid = #tsr.grid<output, ["1", "C"], param = 1>, group = 256 : i64} {
  %row = tile.query "origin"
  %lane = tile.query "local_id"
  %lanes = tile.query "group_size"
  %C = tile.dim "C"
  %zero = tile.constant 0.0 : f32
  %s = scf.for %c = %lane to %C step %lanes iter_args(%sum = %zero) -> f32 {
    %e = tile.load_element %x[%row, %c] {in_bounds = array<i1: true, true>} : !tsr.view<["R", "C"], f32>
    %f = tile.load_element %z[%row, %c] {in_bounds = array<i1: true, true>} : !tsr.view<["R", "C"], f32>
    %d = tile.elementwise "sub" %e, %f : f32
    %p = tile.elementwise "exp" %f : f32
    %both = tile.elementwise "mul" %d, %p : f32
    %next = tile.elementwise "add" %sum, %both : f32
    scf.yield %next : f32
  } {tsr.reduces = "sum"}
  %sum = tile.group_reduce "sum" %s : f32
  scf.for %c = %lane to %C step %lanes {
    %e = tile.load_element %x[%row, %c] {in_bounds = array<i1: true, true>} : !tsr.view<["R", "C"], f32>
    %f = tile.load_element %z[%row, %c] {in_bounds = array<i1: true, true>} : !tsr.view<["R", "C"], f32>
    %d = tile.elementwise "sub" %e, %e : f32
    %p = tile.elementwise "exp" %f : f32
    %part = tile.elementwise "mul" %d, %p : f32
    %q = tile.elementwise "mul" %part, %sum : f32
    tile.store_element %q, %z[%row, %c] {in_bounds = array<i1: true, true>} : f32, !tsr.view<["R", "C"], f32>
  }
  tile.kernel_end
}
