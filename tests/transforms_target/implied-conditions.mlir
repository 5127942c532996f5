// RUN: tessera-opt %s --set-machine=name=sm_80 --tile-to-target --verify-target | FileCheck %s

// What is stored only inside of its tensor is not asked once more whether it is inside when it is loaded.
// CHECK-LABEL: target.kernel @scale_kernel
// CHECK: target.if
// CHECK-NOT: target.conditional
// CHECK: target.assign
tile.kernel @scale_kernel(%x: !tsr.view<["N"], f32>, %a: f32, %result: !tsr.view<["N"], f32>) attributes {
    context = ["n"], dims = ["N"], grid = #tsr.grid<output, ["T.n"], param = 2>, group = 256 : i64,
    outputs = [#tsr.result<"result", !tsr.tensor<["N"], f32>, param = 2>],
    params = [#tsr.param<"x", in>, #tsr.param<"a", in>, #tsr.param<"result", out, result>], sizes = {n = 64 : i64}} {
  %n = tile.query "origin"
  %lane = tile.query "local_id"
  %size = tile.dim "T.n"
  %lanes = tile.query "group_size"
  scf.for %i = %lane to %size step %lanes {
    %at = tile.elementwise "add" %n, %i : index
    %value = tile.load_element %x[%at] : !tsr.view<["N"], f32>
    %product = tile.elementwise "mul" %value, %a : f32
    tile.store_element %product, %result[%at] : f32, !tsr.view<["N"], f32>
  }
  tile.kernel_end
}

// The other tensor has other extents: its elements are asked for.
// CHECK-LABEL: target.kernel @shorter_kernel
// CHECK: target.if
// CHECK: target.conditional
// CHECK: target.assign
tile.kernel @shorter_kernel(%x: !tsr.view<["K"], f32>, %a: f32, %result: !tsr.view<["N"], f32>) attributes {
    context = ["n"], dims = ["K", "N"], grid = #tsr.grid<output, ["T.n"], param = 2>, group = 256 : i64,
    outputs = [#tsr.result<"result", !tsr.tensor<["N"], f32>, param = 2>],
    params = [#tsr.param<"x", in>, #tsr.param<"a", in>, #tsr.param<"result", out, result>], sizes = {n = 64 : i64}} {
  %n = tile.query "origin"
  %lane = tile.query "local_id"
  %size = tile.dim "T.n"
  %lanes = tile.query "group_size"
  scf.for %i = %lane to %size step %lanes {
    %at = tile.elementwise "add" %n, %i : index
    %value = tile.load_element %x[%at] : !tsr.view<["K"], f32>
    %product = tile.elementwise "mul" %value, %a : f32
    tile.store_element %product, %result[%at] : f32, !tsr.view<["N"], f32>
  }
  tile.kernel_end
}
