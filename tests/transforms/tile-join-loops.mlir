// RUN: tessera-opt %s --tile-join-loops | FileCheck %s

// The least and the sum of a row: one loop reads it, once.
// CHECK-LABEL: tile.kernel @range_kernel
// CHECK: %[[BOTH:.*]]:2 = scf.for
// CHECK-SAME: iter_args(%[[LEAST:.*]] = %{{.*}}, %[[SUM:.*]] = %{{.*}}) -> (f32, f32)
// CHECK: %[[E:.*]] = tile.load_element %x
// CHECK-NOT: tile.load_element %x
// CHECK: scf.yield
// What it leaves is reduced between the lanes side by side.
// CHECK: tile.group_reduce "min" %[[BOTH]]#0
// CHECK-NEXT: tile.group_reduce "sum" %[[BOTH]]#1
// The squares need the sum: their loop stays.
// CHECK: scf.for
// CHECK: tile.load_element %x
// CHECK: tile.group_reduce "sum"
tile.kernel @range_kernel(%x: !tsr.view<["M", "N"], f32>, %y: !tsr.view<["M"], f32>) attributes {dims = ["M", "N"],
    params = [#tsr.param<"x", in>, #tsr.param<"y", out>], outputs = [], grid = #tsr.grid<explicit, ["M"]>, group = 256 : i64} {
  %row = tile.query "group_id"
  %lane = tile.query "local_id"
  %lanes = tile.query "group_size"
  %N = tile.dim "N"
  %infinity = tile.constant 0x7F800000 : f32
  %l = scf.for %c = %lane to %N step %lanes iter_args(%least = %infinity) -> f32 {
    %e = tile.load_element %x[%row, %c] {in_bounds = array<i1: true, true>} : !tsr.view<["M", "N"], f32>
    %next = tile.elementwise "min" %least, %e : f32
    scf.yield %next : f32
  } {tsr.reduces = "min"}
  %least = tile.group_reduce "min" %l : f32
  %lane_2 = tile.query "local_id"
  %lanes_2 = tile.query "group_size"
  %N_2 = tile.dim "N"
  %zero = tile.constant 0.0 : f32
  %s = scf.for %c = %lane_2 to %N_2 step %lanes_2 iter_args(%sum = %zero) -> f32 {
    %e = tile.load_element %x[%row, %c] {in_bounds = array<i1: true, true>} : !tsr.view<["M", "N"], f32>
    %next = tile.elementwise "add" %sum, %e : f32
    scf.yield %next : f32
  } {tsr.reduces = "sum"}
  %sum = tile.group_reduce "sum" %s : f32
  %q = scf.for %c = %lane to %N step %lanes iter_args(%squares = %zero) -> f32 {
    %e = tile.load_element %x[%row, %c] {in_bounds = array<i1: true, true>} : !tsr.view<["M", "N"], f32>
    %d = tile.elementwise "sub" %e, %sum : f32
    %square = tile.elementwise "mul" %d, %d : f32
    %next = tile.elementwise "add" %squares, %square : f32
    scf.yield %next : f32
  } {tsr.reduces = "sum"}
  %squares = tile.group_reduce "sum" %q : f32
  %both = tile.elementwise "add" %least, %squares : f32
  tile.once {
    tile.store_element %both, %y[%row] : f32, !tsr.view<["M"], f32>
  }
  tile.kernel_end
}

// Two results of one row, the second where the row was: the lane has read its element when it writes it.
// CHECK-LABEL: tile.kernel @scaled_kernel
// CHECK: scf.for
// CHECK: %[[E:.*]] = tile.load_element %x
// CHECK-NOT: tile.load_element
// CHECK: tile.store_element %{{.*}}, %y
// CHECK: tile.store_element %{{.*}}, %x
// CHECK-NOT: scf.for
// CHECK: tile.kernel_end
tile.kernel @scaled_kernel(%x: !tsr.view<["M", "N"], f32>, %y: !tsr.view<["M", "N"], f32>) attributes {dims = ["M", "N"],
    params = [#tsr.param<"x", inout>, #tsr.param<"y", out>], outputs = [], grid = #tsr.grid<explicit, ["M"]>, group = 256 : i64} {
  %row = tile.query "group_id"
  %lane = tile.query "local_id"
  %lanes = tile.query "group_size"
  %N = tile.dim "N"
  scf.for %c = %lane to %N step %lanes {
    %e = tile.load_element %x[%row, %c] {in_bounds = array<i1: true, true>} : !tsr.view<["M", "N"], f32>
    %twice = tile.elementwise "add" %e, %e : f32
    tile.store_element %twice, %y[%row, %c] {in_bounds = array<i1: true, true>} : f32, !tsr.view<["M", "N"], f32>
  }
  scf.for %c = %lane to %N step %lanes {
    %e = tile.load_element %x[%row, %c] {in_bounds = array<i1: true, true>} : !tsr.view<["M", "N"], f32>
    %square = tile.elementwise "mul" %e, %e : f32
    tile.store_element %square, %x[%row, %c] {in_bounds = array<i1: true, true>} : f32, !tsr.view<["M", "N"], f32>
  }
  tile.kernel_end
}

// The second loop reads what the first one has written, another one what another lane writes: both stay as they are.
// CHECK-LABEL: tile.kernel @kept_kernel
// CHECK-COUNT-3: scf.for
// CHECK: tile.kernel_end
tile.kernel @kept_kernel(%x: !tsr.view<["M", "N"], f32>, %y: !tsr.view<["M", "N"], f32>, %z: !tsr.view<["M", "N"], f32>) attributes {dims = ["M", "N"],
    params = [#tsr.param<"x", in>, #tsr.param<"y", inout>, #tsr.param<"z", out>], outputs = [], grid = #tsr.grid<explicit, ["M"]>, group = 256 : i64} {
  %row = tile.query "group_id"
  %lane = tile.query "local_id"
  %lanes = tile.query "group_size"
  %N = tile.dim "N"
  %first = tile.constant 0 : index
  scf.for %c = %lane to %N step %lanes {
    %e = tile.load_element %x[%row, %c] {in_bounds = array<i1: true, true>} : !tsr.view<["M", "N"], f32>
    tile.store_element %e, %y[%row, %c] {in_bounds = array<i1: true, true>} : f32, !tsr.view<["M", "N"], f32>
  }
  scf.for %c = %lane to %N step %lanes {
    %e = tile.load_element %y[%row, %c] {in_bounds = array<i1: true, true>} : !tsr.view<["M", "N"], f32>
    %head = tile.load_element %y[%row, %first] {in_bounds = array<i1: true, true>} : !tsr.view<["M", "N"], f32>
    %sum = tile.elementwise "add" %e, %head : f32
    tile.store_element %sum, %z[%row, %c] {in_bounds = array<i1: true, true>} : f32, !tsr.view<["M", "N"], f32>
  }
  scf.for %c = %lane to %N step %lanes {
    %e = tile.load_element %x[%row, %c] {in_bounds = array<i1: true, true>} : !tsr.view<["M", "N"], f32>
    tile.store_element %e, %y[%row, %c] {in_bounds = array<i1: true, true>} : f32, !tsr.view<["M", "N"], f32>
  }
  tile.kernel_end
}

// Columns that a lane reduces by itself: the loop says by what each of its results is.
// CHECK-LABEL: tile.kernel @columns_kernel
// CHECK: scf.for
// CHECK: tile.load_element %x
// CHECK-NOT: tile.load_element
// CHECK: tsr.reduces = ["sum", "max"]
// CHECK-NOT: scf.for
// CHECK: tile.kernel_end
tile.kernel @columns_kernel(%x: !tsr.view<["M", "N"], f32>, %y: !tsr.view<["N"], f32>, %z: !tsr.view<["N"], f32>) attributes {dims = ["M", "N"],
    params = [#tsr.param<"x", in>, #tsr.param<"y", out>, #tsr.param<"z", out>], outputs = [], grid = #tsr.grid<lanes, ["N"]>, group = 256 : i64} {
  %i = tile.query "linear_id"
  %N = tile.dim "N"
  %inside = tile.elementwise "lt" %i, %N : index
  scf.if %inside {
    %first = tile.constant 0 : index
    %one = tile.constant 1 : index
    %M = tile.dim "M"
    %zero = tile.constant 0.0 : f32
    %s = scf.for %k = %first to %M step %one iter_args(%sum = %zero) -> f32 {
      %e = tile.load_element %x[%k, %i] {in_bounds = array<i1: true, true>} : !tsr.view<["M", "N"], f32>
      %next = tile.elementwise "add" %sum, %e : f32
      scf.yield %next : f32
    } {tsr.reduces = "sum"}
    %m = scf.for %k = %first to %M step %one iter_args(%most = %zero) -> f32 {
      %e = tile.load_element %x[%k, %i] {in_bounds = array<i1: true, true>} : !tsr.view<["M", "N"], f32>
      %next = tile.elementwise "max" %most, %e : f32
      scf.yield %next : f32
    } {tsr.reduces = "max"}
    tile.store_element %s, %y[%i] {in_bounds = array<i1: true>} : f32, !tsr.view<["N"], f32>
    tile.store_element %m, %z[%i] {in_bounds = array<i1: true>} : f32, !tsr.view<["N"], f32>
  }
  tile.kernel_end
}

// Blocks at an offset: the second loop writes where the first has read, at the same places.
// CHECK-LABEL: tile.kernel @blocks_kernel
// CHECK: scf.for
// CHECK: tile.store_element %{{.*}}, %y
// CHECK: tile.store_element %{{.*}}, %x
// CHECK-NOT: scf.for
// CHECK: tile.kernel_end
tile.kernel @blocks_kernel(%x: !tsr.view<["N"], f32>, %y: !tsr.view<["N"], f32>) attributes {dims = ["N"],
    params = [#tsr.param<"x", inout>, #tsr.param<"y", out>], outputs = [], grid = #tsr.grid<explicit, ["N"]>, group = 256 : i64} {
  %start = tile.query "group_id"
  %lane = tile.query "local_id"
  %lanes = tile.query "group_size"
  %count = tile.dim "1024"
  scf.for %c = %lane to %count step %lanes {
    %at = tile.elementwise "add" %start, %c : index
    %e = tile.load_element %x[%at] : !tsr.view<["N"], f32>
    %d = tile.elementwise "mul" %e, %e : f32
    tile.store_element %d, %y[%at] : f32, !tsr.view<["N"], f32>
  }
  scf.for %c = %lane to %count step %lanes {
    %at = tile.elementwise "add" %start, %c : index
    %e = tile.load_element %x[%at] : !tsr.view<["N"], f32>
    %d = tile.elementwise "add" %e, %e : f32
    tile.store_element %d, %x[%at] : f32, !tsr.view<["N"], f32>
  }
  tile.kernel_end
}

// What the later loop needs of another array is read before both; not where the first loop writes that array.
// CHECK-LABEL: tile.kernel @centred_kernel
// CHECK: %[[LEFT:.*]] = tile.load_element %left
// CHECK: %[[BOTH:.*]]:2 = scf.for
// CHECK: tile.group_reduce "sum" %[[BOTH]]#0
// CHECK-NEXT: tile.group_reduce "sum" %[[BOTH]]#1
// CHECK: scf.for
// CHECK: tile.store_element %{{.*}}, %left
// CHECK: tile.load_element %left
// CHECK: scf.for
// CHECK: tile.kernel_end
tile.kernel @centred_kernel(%x: !tsr.view<["M", "N"], f32>, %left: !tsr.view<["M"], f32>, %y: !tsr.view<["M"], f32>) attributes {dims = ["M", "N"],
    params = [#tsr.param<"x", in>, #tsr.param<"left", inout>, #tsr.param<"y", out>], outputs = [], grid = #tsr.grid<explicit, ["M"]>, group = 256 : i64} {
  %row = tile.query "group_id"
  %lane = tile.query "local_id"
  %lanes = tile.query "group_size"
  %N = tile.dim "N"
  %zero = tile.constant 0.0 : f32
  %s = scf.for %c = %lane to %N step %lanes iter_args(%sum = %zero) -> f32 {
    %e = tile.load_element %x[%row, %c] {in_bounds = array<i1: true, true>} : !tsr.view<["M", "N"], f32>
    %next = tile.elementwise "add" %sum, %e : f32
    scf.yield %next : f32
  } {tsr.reduces = "sum"}
  %sum = tile.group_reduce "sum" %s : f32
  %middle = tile.load_element %left[%row] {in_bounds = array<i1: true>} : !tsr.view<["M"], f32>
  %q = scf.for %c = %lane to %N step %lanes iter_args(%squares = %zero) -> f32 {
    %e = tile.load_element %x[%row, %c] {in_bounds = array<i1: true, true>} : !tsr.view<["M", "N"], f32>
    %d = tile.elementwise "sub" %e, %middle : f32
    %square = tile.elementwise "mul" %d, %d : f32
    %next = tile.elementwise "add" %squares, %square : f32
    scf.yield %next : f32
  } {tsr.reduces = "sum"}
  %squares = tile.group_reduce "sum" %q : f32
  %both = tile.elementwise "add" %sum, %squares : f32
  tile.once {
    tile.store_element %both, %y[%row] : f32, !tsr.view<["M"], f32>
  }
  %t = scf.for %c = %lane to %N step %lanes iter_args(%thirds = %zero) -> f32 {
    %e = tile.load_element %x[%row, %c] {in_bounds = array<i1: true, true>} : !tsr.view<["M", "N"], f32>
    %third = tile.elementwise "mul" %e, %both : f32
    tile.store_element %third, %left[%row] {in_bounds = array<i1: true>} : f32, !tsr.view<["M"], f32>
    %next = tile.elementwise "add" %thirds, %third : f32
    scf.yield %next : f32
  } {tsr.reduces = "sum"}
  %again = tile.load_element %left[%row] {in_bounds = array<i1: true>} : !tsr.view<["M"], f32>
  %u = scf.for %c = %lane to %N step %lanes iter_args(%fourths = %zero) -> f32 {
    %e = tile.load_element %x[%row, %c] {in_bounds = array<i1: true, true>} : !tsr.view<["M", "N"], f32>
    %fourth = tile.elementwise "mul" %e, %again : f32
    %next = tile.elementwise "add" %fourths, %fourth : f32
    scf.yield %next : f32
  } {tsr.reduces = "sum"}
  %last = tile.elementwise "add" %t, %u : f32
  tile.once {
    tile.store_element %last, %y[%row] : f32, !tsr.view<["M"], f32>
  }
  tile.kernel_end
}
