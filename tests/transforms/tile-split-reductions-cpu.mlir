// RUN: tessera-opt %s --set-machine=name=cpu --tile-split-reductions | FileCheck %s
// RUN: tessera-opt %s --set-machine=name=sm_90a --tile-split-reductions | FileCheck %s --check-prefix=GPU

// A result of one element is for one group, too. On CPUs a core goes over each part, and no lanes meet.
// CHECK-LABEL: tile.kernel @total_parts_kernel
// CHECK-SAME: grid = #tsr.grid<explicit
// CHECK: %first = tile.elementwise "mul" %part
// CHECK: scf.for %{{.*}} = %first to %end
// CHECK-NOT: tile.group_reduce
// CHECK: tile.store_element %{{.*}}, %parts
// CHECK-LABEL: tile.kernel @total_kernel
// CHECK: scf.for
// CHECK-NOT: tile.group_reduce
// CHECK: tile.store_element
// GPU-LABEL: tile.kernel @total_parts_kernel
// GPU: tile.group_reduce "sum"
// GPU-LABEL: tile.kernel @total_kernel
// GPU: tile.group_reduce "sum"
tile.kernel @total_kernel(%x: !tsr.view<["N"], f32>, %y: !tsr.view<["1"], f32>) attributes {dims = ["N"],
    params = [#tsr.param<"x", in>, #tsr.param<"y", out>], outputs = [], grid = #tsr.grid<output, ["1"], param = 1>, group = 256 : i64} {
  %lane = tile.query "local_id"
  %lanes = tile.query "group_size"
  %N = tile.dim "N"
  %zero = tile.constant 0.0 : f32
  %c0 = tile.constant 0 : index
  %s = scf.for %c = %lane to %N step %lanes iter_args(%sum = %zero) -> f32 {
    %e = tile.load_element %x[%c] {in_bounds = array<i1: true>} : !tsr.view<["N"], f32>
    %next = tile.elementwise "add" %sum, %e : f32
    scf.yield %next : f32
  } {tsr.reduces = "sum"}
  %all = tile.group_reduce "sum" %s : f32
  tile.once {
    tile.store_element %all, %y[%c0] {in_bounds = array<i1: true>} : f32, !tsr.view<["1"], f32>
  }
  tile.kernel_end
}
tile.func @total(%x: !tsr.view<["N"], f32>, %y: !tsr.view<["1"], f32>) attributes {dims = ["N"],
    params = [#tsr.param<"x", in>, #tsr.param<"y", out>], outputs = []} {
  tile.launch @total_kernel(%x, %y) : !tsr.view<["N"], f32>, !tsr.view<["1"], f32>
  tile.return
}
