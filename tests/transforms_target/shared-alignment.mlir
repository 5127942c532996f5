// RUN: tessera-opt %s --set-machine=name=sm_80 --tile-to-target | FileCheck %s
// RUN: tessera-opt %s --set-machine=name=cpu --tile-to-target | FileCheck %s --check-prefix=CPU

// What the program asks for goes with the buffer. The bytes count the gaps in front of it and behind it: 4 and 252, 128 and 128.
// CHECK-LABEL: target.kernel @aligned
// CHECK-SAME: tsr.shared_memory = array<i64: 512>
// CHECK: target.shared "one" : !target.array<["1"], f32>
// CHECK: target.shared "s" {tsr.alignment = 256 : i64} : !target.array<["32"], f32>
// CPU: target.shared "s" {tsr.alignment = 256 : i64} : !target.array<["32"], f32>
tile.kernel @aligned(%x: !tsr.view<["32"], f32>) attributes {
    dims = [], params = [#tsr.param<"x", inout>], outputs = [], grid = #tsr.grid<explicit, ["1"]>, group = 32 : i64, uses_lanes} {
  %one = tile.alloc_shared {manual} : !tsr.shared<["1"], f32, ""> loc("one"("x.tsr":1:1))
  %s = tile.alloc_shared {manual, tsr.alignment = 256 : i64} : !tsr.shared<["32"], f32, ""> loc("s"("x.tsr":2:1))
  %lane = tile.query "local_id"
  %zero = tile.constant 0 : index
  %mine = tile.load_element %x[%lane] {in_bounds = array<i1: true>} : !tsr.view<["32"], f32>
  tile.store_element %mine, %one[%zero] {in_bounds = array<i1: true>} : f32, !tsr.shared<["1"], f32, "">
  tile.store_element %mine, %s[%lane] {in_bounds = array<i1: true>} : f32, !tsr.shared<["32"], f32, "">
  tile.kernel_end
}
