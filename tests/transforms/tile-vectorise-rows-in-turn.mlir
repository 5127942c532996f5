// RUN: tessera-opt %s --set-machine=name=sm_90a --tile-vectorise --split-input-file | FileCheck %s
// Groups take rows in turn, and add up columns: how many elements a lane has follows from what its registers have to hold.

// 16 bits of the row and 32 of the sum for each column: 32 elements fit, as four vectors of eight.
// CHECK-LABEL: tile.kernel @many
// CHECK-SAME: tsr.many_elements
// CHECK-SAME: variants = [{{.*}}held = 4 : i64, threads = 128 : i64, vector = 8 : i64{{.*}}held = 8 : i64, threads = 512 : i64, vector = 1 : i64
tile.kernel @many(%x: !tsr.view<["R", "4096"], bf16>, %y: !tsr.view<["R", "4096"], bf16>, %parts: !tsr.view<["512", "4096"], f32>) attributes {dims = ["R"],
    params = [#tsr.param<"x", in>, #tsr.param<"y", out>, #tsr.param<"parts", out>],
    outputs = [#tsr.result<"y", !tsr.tensor<["R", "4096"], bf16>, param = 1>], grid = #tsr.grid<output, ["1", "4096"], param = 1>, group = 256 : i64} {
  %r = tile.query "origin"
  %end = tile.constant 4096 : index
  %lane = tile.query "local_id"
  %lanes = tile.query "group_size"
  scf.for %c = %lane to %end step %lanes {
    %e = tile.load_element %x[%r, %c] {in_bounds = array<i1: true, true>} : !tsr.view<["R", "4096"], bf16>
    tile.store_element %e, %y[%r, %c] {in_bounds = array<i1: true, true>} : bf16, !tsr.view<["R", "4096"], bf16>
    %f = tile.cast %e : bf16 to f32
    tile.add_column %f to %parts[%c] : f32, !tsr.view<["512", "4096"], f32>
  }
  tile.kernel_end
}

// -----

// A row of f32 and three sums: eight elements, and those of the next row meanwhile.
// CHECK-LABEL: tile.kernel @few
// CHECK-SAME: tsr.rows_ahead
// CHECK-SAME: variants = [{{.*}}held = 2 : i64, threads = 512 : i64, vector = 4 : i64
tile.kernel @few(%x: !tsr.view<["R", "4096"], f32>, %y: !tsr.view<["R", "4096"], f32>, %a: !tsr.view<["512", "4096"], f32>, %b: !tsr.view<["512", "4096"], f32>,
    %d: !tsr.view<["512", "4096"], f32>) attributes {dims = ["R"],
    params = [#tsr.param<"x", in>, #tsr.param<"y", out>, #tsr.param<"a", out>, #tsr.param<"b", out>, #tsr.param<"d", out>],
    outputs = [#tsr.result<"y", !tsr.tensor<["R", "4096"], f32>, param = 1>], grid = #tsr.grid<output, ["1", "4096"], param = 1>, group = 256 : i64} {
  %r = tile.query "origin"
  %end = tile.constant 4096 : index
  %lane = tile.query "local_id"
  %lanes = tile.query "group_size"
  scf.for %c = %lane to %end step %lanes {
    %e = tile.load_element %x[%r, %c] {in_bounds = array<i1: true, true>} : !tsr.view<["R", "4096"], f32>
    tile.store_element %e, %y[%r, %c] {in_bounds = array<i1: true, true>} : f32, !tsr.view<["R", "4096"], f32>
    tile.add_column %e to %a[%c] : f32, !tsr.view<["512", "4096"], f32>
    tile.add_column %e to %b[%c] : f32, !tsr.view<["512", "4096"], f32>
    tile.add_column %e to %d[%c] : f32, !tsr.view<["512", "4096"], f32>
  }
  tile.kernel_end
}
