// RUN: tessera-opt %s --set-machine=name=sm_90a --tile-vectorise | FileCheck %s

// All is read at the result's own position: one index, no division, and the count alone has to be a multiple.
// CHECK-LABEL: tile.kernel @flat
// CHECK-SAME: reasons = ["map: a lane loads, computes and stores Vector neighbouring elements at once"]
// CHECK-SAME: variants = [{aligned = array<i64: 0, 1>, vector = 8 : i64, when = [#tsr.requirement<"{{.*}}M*N{{.*}} % 8" eq "0", "">]}, {vector = 1 : i64}]
// CHECK-NOT: floordiv
// CHECK: %[[X:.*]] = tile.load_vector %x[%[[I:.*]]] {flat}
// CHECK: scf.for %[[V:.*]] = %{{.*}} to %{{.*}} step
// CHECK: tile.load_element %[[X]][%[[V]]]
// CHECK: tile.elementwise "neg"
// CHECK: tile.store_vector %{{.*}}, %y[%[[I]]] {flat}
tile.kernel @flat(%x: !tsr.view<["M", "N"], bf16>, %y: !tsr.view<["M", "N"], bf16>) attributes {dims = ["M", "N"],
    params = [#tsr.param<"x", in>, #tsr.param<"y", out>], outputs = [], grid = #tsr.grid<lanes, ["M*N"]>, group = 256 : i64} {
  %i = tile.query "linear_id"
  %count = tile.dim "M*N"
  %inside = tile.elementwise "lt" %i, %count : index
  scf.if %inside {
    %N = tile.dim "N"
    %r = tile.elementwise "floordiv" %i, %N : index
    %c = tile.elementwise "mod" %i, %N : index
    %e = tile.load_element %x[%r, %c] {in_bounds = array<i1: true, true>} : !tsr.view<["M", "N"], bf16>
    %n = tile.elementwise "neg" %e : bf16
    tile.store_element %n, %y[%r, %c] {in_bounds = array<i1: true, true>} : bf16, !tsr.view<["M", "N"], bf16>
  }
  tile.kernel_end
}

// What is broadcast along the rows is a vector, along the columns one element; the index is split once.
// CHECK-LABEL: tile.kernel @broadcast
// CHECK-SAME: when = [#tsr.requirement<"N % 4" eq "0", "">]
// CHECK: tile.load_vector %b[%{{.*}}] : <["N"], f32>
// CHECK: tile.load_element %s[
// CHECK: scf.for
// CHECK-NOT: floordiv
// CHECK: tile.store_vector
tile.kernel @broadcast(%b: !tsr.view<["N"], f32>, %s: !tsr.view<["M"], f32>, %y: !tsr.view<["M", "N"], f32>) attributes {dims = ["M", "N"],
    params = [#tsr.param<"b", in>, #tsr.param<"s", in>, #tsr.param<"y", out>], outputs = [], grid = #tsr.grid<lanes, ["M*N"]>, group = 256 : i64} {
  %i = tile.query "linear_id"
  %count = tile.dim "M*N"
  %inside = tile.elementwise "lt" %i, %count : index
  scf.if %inside {
    %N = tile.dim "N"
    %r = tile.elementwise "floordiv" %i, %N : index
    %c = tile.elementwise "mod" %i, %N : index
    %e = tile.load_element %b[%c] {in_bounds = array<i1: true>} : !tsr.view<["N"], f32>
    %f = tile.load_element %s[%r] {in_bounds = array<i1: true>} : !tsr.view<["M"], f32>
    %n = tile.elementwise "mul" %e, %f : f32
    tile.store_element %n, %y[%r, %c] {in_bounds = array<i1: true, true>} : f32, !tsr.view<["M", "N"], f32>
  }
  tile.kernel_end
}

// The row is held: both loops take its vectors from there. It is read once.
// CHECK-LABEL: tile.kernel @rows
// CHECK-SAME: held = 4 : i64, rows = 16 : i64, threads = 8 : i64
// CHECK-SAME: held = 8 : i64, rows = 1 : i64, threads = 512 : i64
// CHECK-SAME: held = -1000 : i64, rows = 1 : i64, shared = #tsr.dim<"32768*min((N + 8191) // 8192, 7)">, threads = 1024 : i64
// CHECK-SAME: held = -14 : i64, rows = 1 : i64, shared = #tsr.dim<"16384*min((N + 8191) // 8192, 14)">, threads = 1024 : i64
// CHECK-SAME: edges = 1 : i64, held = 5 : i64, rows = 16 : i64, threads = 8 : i64, vector = 8 : i64, when = [#tsr.requirement<"(M*N) % 8" eq "0", "">, #tsr.requirement<"N" le "313", "">]
// CHECK-SAME: {edges = 0 : i64, held = 0 : i64, rows = 1 : i64, threads = 256 : i64, vector = 1 : i64}]
// CHECK: %[[ROW:.*]] = tile.hold_row %x[%{{.*}}] extent
// CHECK-NOT: load_vector
// CHECK: %[[BEFORE:before]] = tile.elementwise "mul"
// CHECK: tile.row_turns
// CHECK: tile.elementwise "sub" %{{.*}}, %[[BEFORE]]
// CHECK: tile.row_vector %[[ROW]]
// CHECK: tsr.inside
// CHECK: tile.group_reduce "max"
// CHECK: tile.row_vector %[[ROW]]
// CHECK: tile.store_vector
tile.kernel @rows(%x: !tsr.view<["M", "N"], bf16>, %y: !tsr.view<["M", "N"], bf16>) attributes {dims = ["M", "N"],
    params = [#tsr.param<"x", in>, #tsr.param<"y", out>], outputs = [], grid = #tsr.grid<output, ["1", "N"], param = 1>, group = 256 : i64} {
  %r = tile.query "origin"
  %lane = tile.query "local_id"
  %lanes = tile.query "group_size"
  %N = tile.dim "N"
  %low = tile.constant 0.0 : bf16
  %m = scf.for %c = %lane to %N step %lanes iter_args(%most = %low) -> bf16 {
    %e = tile.load_element %x[%r, %c] {in_bounds = array<i1: true, true>} : !tsr.view<["M", "N"], bf16>
    %next = tile.elementwise "max" %most, %e : bf16
    scf.yield %next : bf16
  }
  %all = tile.group_reduce "max" %m : bf16
  scf.for %c = %lane to %N step %lanes {
    %e = tile.load_element %x[%r, %c] {in_bounds = array<i1: true, true>} : !tsr.view<["M", "N"], bf16>
    %d = tile.elementwise "sub" %e, %all : bf16
    tile.store_element %d, %y[%r, %c] {in_bounds = array<i1: true, true>} : bf16, !tsr.view<["M", "N"], bf16>
  }
  tile.kernel_end
}

// The largest of floats of 16 bits: two at once, and one of all in the end. Sums beside it are added up one by one.
// CHECK-LABEL: tile.kernel @largest
// CHECK: %[[MOST:.*]] = tile.new_extremes "max" : <bf16>
// CHECK: %[[V:.*]] = tile.row_vector
// CHECK: tile.take_extremes "max" %[[V]] into %[[MOST]] {{.*}}tsr.edges
// CHECK-NOT: tile.elementwise "max"
// CHECK: tile.elementwise "add" %{{.*}} : f32
// CHECK: %[[ALL:.*]] = tile.extreme "max" %[[MOST]] : <bf16> to f32
// CHECK: tile.group_reduce "max" %[[ALL]]
tile.kernel @largest(%x: !tsr.view<["M", "N"], bf16>, %y: !tsr.view<["M", "N"], bf16>) attributes {dims = ["M", "N"],
    params = [#tsr.param<"x", in>, #tsr.param<"y", out>], outputs = [], grid = #tsr.grid<output, ["1", "N"], param = 1>, group = 256 : i64} {
  %r = tile.query "origin"
  %lane = tile.query "local_id"
  %lanes = tile.query "group_size"
  %N = tile.dim "N"
  %low = tile.constant 0xFF800000 : f32
  %none = tile.constant 0.0 : f32
  %m:2 = scf.for %c = %lane to %N step %lanes iter_args(%most = %low, %before = %none) -> (f32, f32) {
    %e = tile.load_element %x[%r, %c] {in_bounds = array<i1: true, true>} : !tsr.view<["M", "N"], bf16>
    %wide = tile.cast %e : bf16 to f32
    %next = tile.elementwise "max" %most, %wide : f32
    %sum = tile.elementwise "add" %before, %wide : f32
    scf.yield %next, %sum : f32, f32
  }
  %all = tile.group_reduce "max" %m#0 : f32
  %total = tile.group_reduce "sum" %m#1 : f32
  %share = tile.elementwise "div" %all, %total : f32
  scf.for %c = %lane to %N step %lanes {
    %e = tile.load_element %x[%r, %c] {in_bounds = array<i1: true, true>} : !tsr.view<["M", "N"], bf16>
    %wide = tile.cast %e : bf16 to f32
    %d = tile.elementwise "mul" %wide, %share : f32
    %narrow = tile.cast %d : f32 to bf16
    tile.store_element %narrow, %y[%r, %c] {in_bounds = array<i1: true, true>} : bf16, !tsr.view<["M", "N"], bf16>
  }
  tile.kernel_end
}

// Read along another axis than written: through shared memory, in rows of 256 bytes where each element has two.
// CHECK-LABEL: tile.kernel @turned
// CHECK-SAME: grid = #tsr.grid<explicit, ["(N + 127) // 128", "(M + T.height - 1) // T.height"]>
// CHECK: tile.alloc_shared {manual} : <["64", "128"], bf16, "xor_chunks">
// CHECK: tile.load_vector %x
// CHECK: tile.put_vector
// CHECK: tile.barrier
// CHECK: tile.store_vector
tile.kernel @turned(%x: !tsr.view<["M", "N"], bf16>, %y: !tsr.view<["N", "M"], bf16>) attributes {dims = ["M", "N"],
    params = [#tsr.param<"x", in>, #tsr.param<"y", out>], outputs = [], grid = #tsr.grid<lanes, ["M*N"]>, group = 256 : i64} {
  %i = tile.query "linear_id"
  %count = tile.dim "M*N"
  %inside = tile.elementwise "lt" %i, %count : index
  scf.if %inside {
    %M = tile.dim "M"
    %r = tile.elementwise "floordiv" %i, %M : index
    %c = tile.elementwise "mod" %i, %M : index
    %e = tile.load_element %x[%c, %r] {in_bounds = array<i1: true, true>} : !tsr.view<["M", "N"], bf16>
    tile.store_element %e, %y[%r, %c] {in_bounds = array<i1: true, true>} : bf16, !tsr.view<["N", "M"], bf16>
  }
  tile.kernel_end
}

// Pixels of two by two that lie in a row's parts, C elements each, and become columns: element m of row r is in part m % 2 of m / 2. Neighbours lie
// along the other axis, from a multiple of C on.
// CHECK-LABEL: tile.kernel @turned_pixels
// CHECK-SAME: vector = 8 : i64, when = [#tsr.requirement<"(2*M) % 8" eq "0", "">, #tsr.requirement<"C % 8" eq "0", "">]
// CHECK: tile.alloc_shared {manual} : <["64", "128"], bf16, "xor_chunks">
// CHECK: %[[M:.*]] = tile.elementwise "min"
// CHECK: %[[R:.*]] = tile.elementwise "min"
// CHECK: %[[HALF:.*]] = tile.elementwise "floordiv" %[[M]]
// CHECK: %[[PART:.*]] = tile.elementwise "mod" %[[M]]
// CHECK: %[[FIRST:.*]] = tile.elementwise "mul" %[[PART]]
// CHECK: %[[AT:.*]] = tile.elementwise "add" %[[FIRST]], %[[R]]
// CHECK: tile.load_vector %x[%[[HALF]], %[[AT]]]
// CHECK: tile.put_vector
// CHECK: tile.barrier
// CHECK: tile.store_vector
tile.kernel @turned_pixels(%x: !tsr.view<["M", "2*C"], bf16>, %y: !tsr.view<["C", "2*M"], bf16>) attributes {dims = ["M", "C"],
    params = [#tsr.param<"x", in>, #tsr.param<"y", out>], outputs = [], grid = #tsr.grid<lanes, ["2*C*M"]>, group = 256 : i64} {
  %i = tile.query "linear_id"
  %count = tile.dim "2*C*M"
  %inside = tile.elementwise "lt" %i, %count : index
  scf.if %inside {
    %both = tile.dim "2*M"
    %C = tile.dim "C"
    %two = tile.constant 2 : index
    %r = tile.elementwise "floordiv" %i, %both : index
    %m = tile.elementwise "mod" %i, %both : index
    %half = tile.elementwise "floordiv" %m, %two : index
    %part = tile.elementwise "mod" %m, %two : index
    %first = tile.elementwise "mul" %part, %C : index
    %at = tile.elementwise "add" %first, %r : index
    %e = tile.load_element %x[%half, %at] {in_bounds = array<i1: true, true>} : !tsr.view<["M", "2*C"], bf16>
    tile.store_element %e, %y[%r, %m] {in_bounds = array<i1: true, true>} : bf16, !tsr.view<["C", "2*M"], bf16>
  }
  tile.kernel_end
}

// What is loaded after it was stored stays as it was written, and so does what masks keep inside.
// CHECK-LABEL: tile.kernel @stays
// CHECK-NOT: vector
// CHECK: tile.kernel_end
tile.kernel @stays(%x: !tsr.view<["N"], f32>, %y: !tsr.view<["N"], f32>) attributes {dims = ["N"],
    params = [#tsr.param<"x", inout>, #tsr.param<"y", out>], outputs = [], grid = #tsr.grid<lanes, ["N"]>, group = 256 : i64} {
  %i = tile.query "linear_id"
  %count = tile.dim "N"
  %inside = tile.elementwise "lt" %i, %count : index
  scf.if %inside {
    %one = tile.constant 1.0 : f32
    tile.store_element %one, %x[%i] {in_bounds = array<i1: true>} : f32, !tsr.view<["N"], f32>
    %e = tile.load_element %x[%i] {in_bounds = array<i1: true>} : !tsr.view<["N"], f32>
    tile.store_element %e, %y[%i] {in_bounds = array<i1: true>} : f32, !tsr.view<["N"], f32>
  }
  tile.kernel_end
}

// Parts of a concatenation whose extents the vector divides: a vector lies in one of them, so that it is loaded at once there.
// CHECK-LABEL: tile.kernel @joined
// CHECK-SAME: variants = [{aligned = array<i64: 0, 1, 2>, vector = 4 : i64}, {vector = 1 : i64}]
// CHECK: %[[CHOSEN:chosen.*]] = tile.new_vector
// CHECK: %[[FIRST:.*]] = tile.elementwise "lt" %[[C:.*]], %{{.*}} : index
// CHECK: scf.if %[[FIRST]]
// CHECK: tile.load_vector %a[%{{.*}}, %[[C]]]
// CHECK: } else {
// CHECK: tile.load_vector %b
// CHECK: tile.load_element %[[CHOSEN]]
// CHECK: tile.store_vector
tile.kernel @joined(%a: !tsr.view<["M", "8"], f32>, %b: !tsr.view<["M", "12"], f32>, %y: !tsr.view<["M", "20"], f32>) attributes {dims = ["M"],
    params = [#tsr.param<"a", in>, #tsr.param<"b", in>, #tsr.param<"y", out>], outputs = [], grid = #tsr.grid<lanes, ["20*M"]>, group = 256 : i64} {
  %i = tile.query "linear_id"
  %count = tile.dim "20*M"
  %inside = tile.elementwise "lt" %i, %count : index
  scf.if %inside {
    %N = tile.constant 20 : index
    %eight = tile.constant 8 : index
    %r = tile.elementwise "floordiv" %i, %N : index
    %c = tile.elementwise "mod" %i, %N : index
    %isFirst = tile.elementwise "lt" %c, %eight : index
    %e = scf.if %isFirst -> (f32) {
      %left = tile.load_element %a[%r, %c] {in_bounds = array<i1: true, true>} : !tsr.view<["M", "8"], f32>
      scf.yield %left : f32
    } else {
      %at = tile.elementwise "sub" %c, %eight : index
      %right = tile.load_element %b[%r, %at] {in_bounds = array<i1: true, true>} : !tsr.view<["M", "12"], f32>
      scf.yield %right : f32
    }
    %n = tile.elementwise "neg" %e : f32
    tile.store_element %n, %y[%r, %c] {in_bounds = array<i1: true, true>} : f32, !tsr.view<["M", "20"], f32>
  }
  tile.kernel_end
}

// A place that only run time knows is inside for all elements of a vector, or for none: they are loaded at once behind the condition.
// CHECK-LABEL: tile.kernel @picked
// CHECK-SAME: when = [#tsr.requirement<"D % 8" eq "0", "">]
// CHECK: %[[PLACE:.*]] = tile.cast
// CHECK: tile.elementwise "ge" %[[PLACE]]
// CHECK: %[[INSIDE:.*]] = tile.elementwise "and"
// CHECK: scf.if %[[INSIDE]]
// CHECK:   tile.load_vector %table[%[[PLACE]], %{{.*}}]
// CHECK: tile.store_vector
tile.kernel @picked(%table: !tsr.view<["V", "D"], bf16>, %ids: !tsr.view<["R"], i64>, %y: !tsr.view<["R", "D"], bf16>) attributes {dims = ["V", "D", "R"],
    params = [#tsr.param<"table", in>, #tsr.param<"ids", in>, #tsr.param<"y", out>], outputs = [], grid = #tsr.grid<lanes, ["D*R"]>, group = 256 : i64} {
  %i = tile.query "linear_id"
  %count = tile.dim "D*R"
  %inside = tile.elementwise "lt" %i, %count : index
  scf.if %inside {
    %D = tile.dim "D"
    %r = tile.elementwise "floordiv" %i, %D : index
    %d = tile.elementwise "mod" %i, %D : index
    %id = tile.load_element %ids[%r] {in_bounds = array<i1: true>} : !tsr.view<["R"], i64>
    %place = tile.cast %id : i64 to index
    %e = tile.load_element %table[%place, %d] {in_bounds = array<i1: false, true>} : !tsr.view<["V", "D"], bf16>
    tile.store_element %e, %y[%r, %d] {in_bounds = array<i1: true, true>} : bf16, !tsr.view<["R", "D"], bf16>
  }
  tile.kernel_end
}

// Halves of a row that are read together: the second begins at a vector's place, too. The neighbour does not, and is read by itself.
// CHECK-LABEL: tile.kernel @halves
// CHECK-SAME: variants = [{aligned = array<i64: 0, 1>, vector = 4 : i64}, {vector = 1 : i64}]
// CHECK: %[[A:.*]] = tile.load_vector %x[%{{.*}}, %{{.*}}]
// CHECK: %[[B:.*]] = tile.load_vector %x[%{{.*}}, %{{.*}}]
// CHECK: scf.for
// CHECK-DAG: tile.load_element %[[A]]
// CHECK-DAG: tile.load_element %[[B]]
// CHECK-DAG: tile.load_element %x[
// CHECK: tile.store_vector
tile.kernel @halves(%x: !tsr.view<["M", "128"], f32>, %y: !tsr.view<["M", "64"], f32>) attributes {dims = ["M"],
    params = [#tsr.param<"x", in>, #tsr.param<"y", out>], outputs = [], grid = #tsr.grid<lanes, ["64*M"]>, group = 256 : i64} {
  %i = tile.query "linear_id"
  %count = tile.dim "64*M"
  %inside = tile.elementwise "lt" %i, %count : index
  scf.if %inside {
    %N = tile.constant 64 : index
    %one = tile.constant 1 : index
    %r = tile.elementwise "floordiv" %i, %N : index
    %c = tile.elementwise "mod" %i, %N : index
    %next = tile.elementwise "add" %one, %c : index
    %half = tile.elementwise "add" %N, %c : index
    %a = tile.load_element %x[%r, %c] {in_bounds = array<i1: true, true>} : !tsr.view<["M", "128"], f32>
    %b = tile.load_element %x[%r, %half] {in_bounds = array<i1: true, true>} : !tsr.view<["M", "128"], f32>
    %d = tile.load_element %x[%r, %next] {in_bounds = array<i1: true, true>} : !tsr.view<["M", "128"], f32>
    %e = tile.elementwise "mul" %a, %b : f32
    %f = tile.elementwise "sub" %e, %d : f32
    tile.store_element %f, %y[%r, %c] {in_bounds = array<i1: true, true>} : f32, !tsr.view<["M", "64"], f32>
  }
  tile.kernel_end
}

// Of known length: where there are fewer rows than processors, each has more lanes, which have done it sooner.
// CHECK-LABEL: tile.kernel @known_rows
// CHECK-SAME: variants = [{aligned = array<i64: 0, 1>, held = 2 : i64, rows = 1 : i64, threads = 256 : i64, vector = 8 : i64, when = [#tsr.requirement<"M" le "132", "">]}
// CHECK-SAME: {aligned = array<i64: 0, 1>, held = 8 : i64, rows = 1 : i64, threads = 64 : i64, vector = 8 : i64}
tile.kernel @known_rows(%x: !tsr.view<["M", "4096"], bf16>, %y: !tsr.view<["M", "4096"], bf16>) attributes {dims = ["M"],
    params = [#tsr.param<"x", in>, #tsr.param<"y", out>], outputs = [], grid = #tsr.grid<output, ["1", "4096"], param = 1>, group = 256 : i64} {
  %r = tile.query "origin"
  %lane = tile.query "local_id"
  %lanes = tile.query "group_size"
  %N = tile.constant 4096 : index
  %low = tile.constant 0.0 : bf16
  %m = scf.for %c = %lane to %N step %lanes iter_args(%most = %low) -> bf16 {
    %e = tile.load_element %x[%r, %c] {in_bounds = array<i1: true, true>} : !tsr.view<["M", "4096"], bf16>
    %next = tile.elementwise "max" %most, %e : bf16
    scf.yield %next : bf16
  }
  %all = tile.group_reduce "max" %m : bf16
  scf.for %c = %lane to %N step %lanes {
    %e = tile.load_element %x[%r, %c] {in_bounds = array<i1: true, true>} : !tsr.view<["M", "4096"], bf16>
    %d = tile.elementwise "sub" %e, %all : bf16
    tile.store_element %d, %y[%r, %c] {in_bounds = array<i1: true, true>} : bf16, !tsr.view<["M", "4096"], bf16>
  }
  tile.kernel_end
}

// Read once and not held: short rows have eight lanes each, so that no lane of a warp is there for nothing.
// CHECK-LABEL: tile.kernel @sums_of_rows
// CHECK-SAME: edges = 0 : i64, rows = 16 : i64, threads = 8 : i64, vector = 4 : i64, when = [#tsr.requirement<"N % 4" eq "0", "">, #tsr.requirement<"N" le "96", "">]
// CHECK-SAME: edges = 0 : i64, rows = 8 : i64, threads = 32 : i64, vector = 4 : i64, when = [#tsr.requirement<"N % 4" eq "0", "">, #tsr.requirement<"N" le "2048", "">]
// CHECK-SAME: edges = 1 : i64, rows = 16 : i64, threads = 8 : i64, vector = 4 : i64, when = [#tsr.requirement<"(M*N) % 4" eq "0", "">, #tsr.requirement<"N" le "93", "">]
tile.kernel @sums_of_rows(%x: !tsr.view<["M", "N"], f32>, %y: !tsr.view<["M"], f32>) attributes {dims = ["M", "N"],
    params = [#tsr.param<"x", in>, #tsr.param<"y", out>], outputs = [], grid = #tsr.grid<output, ["1"], param = 1>, group = 256 : i64} {
  %r = tile.query "origin"
  %lane = tile.query "local_id"
  %lanes = tile.query "group_size"
  %N = tile.dim "N"
  %zero = tile.constant 0.0 : f32
  %own = scf.for %c = %lane to %N step %lanes iter_args(%sum = %zero) -> f32 {
    %e = tile.load_element %x[%r, %c] {in_bounds = array<i1: true, true>} : !tsr.view<["M", "N"], f32>
    %next = tile.elementwise "add" %sum, %e : f32
    scf.yield %next : f32
  }
  %all = tile.group_reduce "sum" %own : f32
  tile.once {
    tile.store_element %all, %y[%r] {in_bounds = array<i1: true>} : f32, !tsr.view<["M"], f32>
  }
  tile.kernel_end
}

// Of known length: the one variant that takes it, and single elements where memory does not begin with a vector.
// CHECK-LABEL: tile.kernel @sums_of_64
// CHECK-SAME: variants = [{aligned = array<i64: 0>, rows = 16 : i64, threads = 8 : i64, vector = 4 : i64}, {rows = 1 : i64, threads = 256 : i64, vector = 1 : i64}]
tile.kernel @sums_of_64(%x: !tsr.view<["M", "64"], f32>, %y: !tsr.view<["M"], f32>) attributes {dims = ["M"],
    params = [#tsr.param<"x", in>, #tsr.param<"y", out>], outputs = [], grid = #tsr.grid<output, ["1"], param = 1>, group = 256 : i64} {
  %r = tile.query "origin"
  %lane = tile.query "local_id"
  %lanes = tile.query "group_size"
  %N = tile.constant 64 : index
  %zero = tile.constant 0.0 : f32
  %own = scf.for %c = %lane to %N step %lanes iter_args(%sum = %zero) -> f32 {
    %e = tile.load_element %x[%r, %c] {in_bounds = array<i1: true, true>} : !tsr.view<["M", "64"], f32>
    %next = tile.elementwise "add" %sum, %e : f32
    scf.yield %next : f32
  }
  %all = tile.group_reduce "sum" %own : f32
  tile.once {
    tile.store_element %all, %y[%r] {in_bounds = array<i1: true>} : f32, !tsr.view<["M"], f32>
  }
  tile.kernel_end
}

// Rows that are too long for one group: four or eight groups of a cluster share one, each with its part in shared memory.
// CHECK-LABEL: tile.kernel @shares
// CHECK-SAME: with kInShared in that of Cluster groups, which share the row
// CHECK-SAME: {aligned = array<i64: 0, 1>, cluster = 4 : i64, {{.*}}held = -1 : i64, rows = 1 : i64, shared = #tsr.dim<"4096*min((N + 4095) // 4096, 13)">, threads = 1024 : i64, vector = 4 : i64, when = [#tsr.requirement<"N % 4" eq "0", "">, #tsr.requirement<"N" le "53248", "">]}
// CHECK-SAME: {aligned = array<i64: 0, 1>, cluster = 8 : i64, {{.*}}held = -1 : i64, rows = 1 : i64, shared = #tsr.dim<"4096*min((N + 8191) // 8192, 13)">, threads = 2048 : i64, vector = 4 : i64
// CHECK-SAME: {aligned = array<i64: 0, 1>, cluster = 1 : i64, {{.*}}held = -14 : i64
tile.kernel @shares(%x: !tsr.view<["M", "N"], f32>, %y: !tsr.view<["M", "N"], f32>) attributes {dims = ["M", "N"],
    params = [#tsr.param<"x", in>, #tsr.param<"y", out>], outputs = [], grid = #tsr.grid<output, ["1", "N"], param = 1>, group = 256 : i64} {
  %r = tile.query "origin"
  %lane = tile.query "local_id"
  %lanes = tile.query "group_size"
  %N = tile.dim "N"
  %zero = tile.constant 0.0 : f32
  %s = scf.for %c = %lane to %N step %lanes iter_args(%sum = %zero) -> f32 {
    %e = tile.load_element %x[%r, %c] {in_bounds = array<i1: true, true>} : !tsr.view<["M", "N"], f32>
    %next = tile.elementwise "add" %sum, %e : f32
    scf.yield %next : f32
  } {tsr.reduces = "sum"}
  %sum = tile.group_reduce "sum" %s : f32
  scf.for %c = %lane to %N step %lanes {
    %e = tile.load_element %x[%r, %c] {in_bounds = array<i1: true, true>} : !tsr.view<["M", "N"], f32>
    %share = tile.elementwise "div" %e, %sum : f32
    tile.store_element %share, %y[%r, %c] {in_bounds = array<i1: true, true>} : f32, !tsr.view<["M", "N"], f32>
  }
  tile.kernel_end
}

// Groups that share a row could not meet for what is reduced behind a condition.
// CHECK-LABEL: tile.kernel @sometimes
// CHECK-SAME: variants = [{
// CHECK-NOT: cluster
// CHECK: tile.hold_row
tile.kernel @sometimes(%x: !tsr.view<["M", "N"], f32>, %y: !tsr.view<["M", "N"], f32>, %z: !tsr.view<["M"], f32>) attributes {dims = ["M", "N"],
    params = [#tsr.param<"x", in>, #tsr.param<"y", out>, #tsr.param<"z", in>], outputs = [], grid = #tsr.grid<output, ["1", "N"], param = 1>, group = 256 : i64} {
  %r = tile.query "origin"
  %lane = tile.query "local_id"
  %lanes = tile.query "group_size"
  %N = tile.dim "N"
  %zero = tile.constant 0.0 : f32
  %s = scf.for %c = %lane to %N step %lanes iter_args(%sum = %zero) -> f32 {
    %e = tile.load_element %x[%r, %c] {in_bounds = array<i1: true, true>} : !tsr.view<["M", "N"], f32>
    %next = tile.elementwise "add" %sum, %e : f32
    scf.yield %next : f32
  } {tsr.reduces = "sum"}
  %mark = tile.load_element %z[%r] {in_bounds = array<i1: true>} : !tsr.view<["M"], f32>
  %asked = tile.elementwise "lt" %zero, %mark : f32
  %sum = scf.if %asked -> f32 {
    %all = tile.group_reduce "sum" %s : f32
    scf.yield %all : f32
  } else {
    scf.yield %mark : f32
  }
  scf.for %c = %lane to %N step %lanes {
    %e = tile.load_element %x[%r, %c] {in_bounds = array<i1: true, true>} : !tsr.view<["M", "N"], f32>
    %share = tile.elementwise "div" %e, %sum : f32
    tile.store_element %share, %y[%r, %c] {in_bounds = array<i1: true, true>} : f32, !tsr.view<["M", "N"], f32>
  }
  tile.kernel_end
}
