// RUN: tessera-opt %s -split-input-file -verify-diagnostics --set-machine=name=cpu --tile-to-target | FileCheck %s

// On the CPU the loop over lanes ends at the barrier: what a lane keeps across it is an array.
// CHECK-LABEL: target.kernel @reversed
// CHECK: target.constant "Threads" = 64 : i64
// CHECK: %s = target.shared "s" : !target.array<["64"], f32>
// CHECK: %mine = target.variable "mine" "copy"() : !target.array<["Threads"], f32>
// CHECK: target.for "lane"
// CHECK: target.subscript %mine[%lane]
// CHECK: target.subscript %s[%lane]
// CHECK-NOT: barrier
// CHECK: target.for "lane"
// CHECK: target.subscript %mine[%lane]
tile.kernel @reversed(%x: !tsr.view<["64"], f32>) attributes {
    dims = [], params = [#tsr.param<"x", inout>], outputs = [], grid = #tsr.grid<explicit, ["1"]>, group = 64 : i64, uses_lanes} {
  %s = tile.alloc_shared {manual} : !tsr.shared<["64"], f32, ""> loc("s"("x.tsr":1:1))
  %lane = tile.query "local_id"
  %mine = tile.load_element %x[%lane] {in_bounds = array<i1: true>} : !tsr.view<["64"], f32> loc("mine"("x.tsr":2:1))
  tile.store_element %mine, %s[%lane] {in_bounds = array<i1: true>} : f32, !tsr.shared<["64"], f32, "">
  tile.barrier
  %last = tile.constant 63 : index
  %other = tile.elementwise "sub" %last, %lane : index
  %theirs = tile.load_element %s[%other] {in_bounds = array<i1: true>} : !tsr.shared<["64"], f32, "">
  %both = tile.elementwise "add" %mine, %theirs : f32
  tile.store_element %both, %x[%lane] {in_bounds = array<i1: true>} : f32, !tsr.view<["64"], f32>
  tile.kernel_end
}

// -----

tile.kernel @divergent(%x: !tsr.view<["64"], f32>) attributes {
    dims = [], params = [#tsr.param<"x", inout>], outputs = [], grid = #tsr.grid<explicit, ["1"]>, group = 64 : i64, uses_lanes} {
  %lane = tile.query "local_id"
  %half = tile.constant 32 : index
  %low = tile.elementwise "lt" %lane, %half : index
  // expected-error @+1 {{a barrier under control flow that differs between the lanes of a group}}
  scf.if %low {
    tile.barrier
  }
  tile.kernel_end
}
