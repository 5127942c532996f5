// RUN: tessera-opt %s --tile-order-elements | FileCheck %s

// All lanes read the first element of a row, then change the row: none may be ahead.
// CHECK-LABEL: tile.kernel @centred_kernel
// CHECK: tile.load_element %x
// CHECK-NEXT: tile.barrier
// CHECK-NEXT: scf.for
// The next loop takes the same elements by the same lanes.
// CHECK-NOT: tile.barrier
// CHECK: tile.kernel_end
tile.kernel @centred_kernel(%x: !tsr.view<["M", "N"], f32>) attributes {dims = ["M", "N"],
    params = [#tsr.param<"x", inout>], outputs = [], grid = #tsr.grid<explicit, ["M"]>, group = 256 : i64} {
  %row = tile.query "group_id"
  %lane = tile.query "local_id"
  %lanes = tile.query "group_size"
  %N = tile.dim "N"
  %zero = tile.constant 0 : index
  %first = tile.load_element %x[%row, %zero] : !tsr.view<["M", "N"], f32>
  scf.for %c = %lane to %N step %lanes {
    %e = tile.load_element %x[%row, %c] : !tsr.view<["M", "N"], f32>
    %d = tile.elementwise "sub" %e, %first : f32
    tile.store_element %d, %x[%row, %c] : f32, !tsr.view<["M", "N"], f32>
  }
  scf.for %c = %lane to %N step %lanes {
    %e = tile.load_element %x[%row, %c] : !tsr.view<["M", "N"], f32>
    %d = tile.elementwise "mul" %e, %e : f32
    tile.store_element %d, %x[%row, %c] : f32, !tsr.view<["M", "N"], f32>
  }
  tile.kernel_end
}

// A row of zeros, and then a one in it.
// CHECK-LABEL: tile.kernel @one_hot_kernel
// CHECK: scf.for
// CHECK: }
// CHECK-NEXT: tile.barrier
// CHECK-NEXT: tile.once
tile.kernel @one_hot_kernel(%x: !tsr.view<["M", "N"], f32>, %at: !tsr.view<["M"], i32>) attributes {dims = ["M", "N"],
    params = [#tsr.param<"x", inout>, #tsr.param<"at", in>], outputs = [], grid = #tsr.grid<explicit, ["M"]>, group = 256 : i64} {
  %row = tile.query "group_id"
  %lane = tile.query "local_id"
  %lanes = tile.query "group_size"
  %N = tile.dim "N"
  %none = tile.constant 0.0 : f32
  %one = tile.constant 1.0 : f32
  %named = tile.load_element %at[%row] : !tsr.view<["M"], i32>
  %place = tile.cast %named : i32 to index
  scf.for %c = %lane to %N step %lanes {
    tile.store_element %none, %x[%row, %c] : f32, !tsr.view<["M", "N"], f32>
  }
  tile.once {
    tile.store_element %one, %x[%row, %place] : f32, !tsr.view<["M", "N"], f32>
  }
  tile.kernel_end
}

// A lane is named: the program says where lanes meet.
// CHECK-LABEL: tile.kernel @named_kernel
// CHECK-NOT: tile.barrier
// CHECK: tile.kernel_end
tile.kernel @named_kernel(%x: !tsr.view<["N"], f32>) attributes {dims = ["N"],
    params = [#tsr.param<"x", inout>], outputs = [], grid = #tsr.grid<explicit, ["1"]>, group = 256 : i64} {
  %lane = tile.query "local_id"
  %zero = tile.constant 0 : index
  %first = tile.load_element %x[%zero] : !tsr.view<["N"], f32>
  tile.store_element %first, %x[%lane] : f32, !tsr.view<["N"], f32>
  tile.kernel_end
}

// All lanes have read the number before one of them writes it: they met to add up the row.
// CHECK-LABEL: tile.kernel @summed_kernel
// CHECK-NOT: tile.barrier
// CHECK: tile.kernel_end
tile.kernel @summed_kernel(%x: !tsr.view<["M", "N"], f32>, %y: !tsr.view<["M"], f32>) attributes {dims = ["M", "N"],
    params = [#tsr.param<"x", in>, #tsr.param<"y", inout>], outputs = [], grid = #tsr.grid<explicit, ["M"]>, group = 256 : i64} {
  %row = tile.query "group_id"
  %lane = tile.query "local_id"
  %lanes = tile.query "group_size"
  %N = tile.dim "N"
  %none = tile.constant 0.0 : f32
  %before = tile.load_element %y[%row] : !tsr.view<["M"], f32>
  %parts = scf.for %c = %lane to %N step %lanes iter_args(%sum = %none) -> f32 {
    %e = tile.load_element %x[%row, %c] : !tsr.view<["M", "N"], f32>
    %next = tile.elementwise "add" %sum, %e : f32
    scf.yield %next : f32
  } {tsr.reduces = "sum"}
  %total = tile.group_reduce "sum" %parts : f32
  %after = tile.elementwise "add" %before, %total : f32
  tile.once {
    tile.store_element %after, %y[%row] : f32, !tsr.view<["M"], f32>
  }
  tile.kernel_end
}
