// RUN: tessera-opt %s --set-machine=name=sm_80 --graph-to-schedule --verify-schedule | FileCheck %s
// RUN: tessera-opt %s --set-machine=name=cpu --graph-to-schedule --verify-schedule | FileCheck %s --check-prefix=CPU
// Attention to a part of an array, for few rows. The part is a view with its own end and strides: no tile reaches behind it, and
// none is masked. Groups share the keys between them; another kernel puts together what they found. On CPUs nothing is split.

// More than 64 rows, or a head for each processor: a group for each tile of them. (The second of the two kernels is the first.)
// CHECK-LABEL: schedule.kernel @few_kernel(
// CHECK-SAME: %k: !tsr.view<["B", "U - 5", "32"], bf16, <"32*B*U + 64", ["32*U", "32", "1"]>>
// CHECK: scf.for
// CHECK: %v_tile = graph.load %v[
// CHECK: graph.dot %{{.*}}, %v_tile

// As many tiles of keys for each part; sums and the largest score are stored as they are, those of a row side by side.
// CHECK-LABEL: schedule.kernel @few_kernel_2(
// CHECK-SAME: %part_largest: !tsr.view<["B", "min(64, S)", "max(1, min(108 // (max(1, B)), 16))"], f32>
// CHECK: %part = graph.query "origin" 2
// CHECK: %from = graph.elementwise "mul" %part, %each
// CHECK: %to = graph.elementwise "min"
// CHECK: %[[LOOP:.*]]:3 = scf.for %{{.*}} = %from to %to
// CHECK: graph.store %[[LOOP]]#2, %part_acc[{{.*}}, %m size "T.m", %part in_bounds, {{.*}} size "32"
// CHECK: graph.store %[[LOOP]]#0, %part_largest[{{.*}}, %m size "T.m", %part in_bounds]
// CHECK: graph.store %[[LOOP]]#1, %part_sum[

// The parts of a row are a tile: all loads first, then the largest score of all of them, then the sums.
// CHECK-LABEL: schedule.kernel @few_kernel_3(
// CHECK: %[[FOUND:.*]] = graph.load %part_largest[{{.*}} size "16"] other %{{.*}} to !tsr.tensor<["16"], f32>
// CHECK: graph.load %part_sum[
// CHECK: %[[TILES:.*]] = graph.load %part_acc[{{.*}} to !tsr.tensor<["16", "32"], f32>
// CHECK: graph.reduce "max" %[[FOUND]] {axes = array<i64: 0>}
// CHECK: %weight = graph.elementwise "exp"
// CHECK-NOT: graph.elementwise "exp"
// CHECK: graph.elementwise "mul" %{{.*}}, %[[TILES]]
// CHECK: graph.elementwise "div"
// CHECK: graph.store

// At most 16 rows, as where one word is written after the other: tiles of as many.
// CHECK-LABEL: schedule.kernel @few_kernel_4(
// CHECK-SAME: %part_largest: !tsr.view<["B", "min(16, S)", "max(1, min(108 // (max(1, B)), 16))"], f32>
// CHECK-SAME: group = 128 : i64
// CHECK-SAME: sizes = {m = 16 : i64

// CHECK-LABEL: schedule.func @few(
// CHECK: schedule.launch @few_kernel(%q, %k, %v, %result) {tsr.when = {{.*}}"not", #tsr.requirement<"S" le "64"
// CHECK: schedule.launch @few_kernel_1(%q, %k, %v, %result) {tsr.when = [#tsr.requirement<"S" le "64", "">, ["not", #tsr.requirement<"max(1, min(108 // (max(1, B)), 16))" ge "2"
// CHECK: schedule.launch @few_kernel_2(%q, %k, %v, {{.*}}) {tsr.when = [#tsr.requirement<"S" le "64", "">, #tsr.requirement<"max(1, min(108 // (max(1, B)), 16))" ge "2", "">, ["not", #tsr.requirement<"S" le "16"
// CHECK: schedule.launch @few_kernel_4(%q, %k, %v, {{.*}}) {tsr.when = [{{.*}}"">, #tsr.requirement<"S" le "16", "">]}

// CPU: %k: !tsr.view<["B", "U - 5", "32"], bf16, <"32*B*U + 64"
// CPU-NOT: part_acc
  graph.func @few(%q: !tsr.tensor<["B", "S", "32"], bf16>, %k: !tsr.tensor<["2", "B", "U", "32"], bf16>, %v: !tsr.tensor<["2", "B", "U", "32"], bf16>) -> !tsr.tensor<["B", "S", "32"], f32> attributes {dims = ["B", "S", "U"], outputs = [#tsr.result<"result", !tsr.tensor<["B", "S", "32"], f32>>], params = [#tsr.param<"q", in>, #tsr.param<"k", in>, #tsr.param<"v", in>], requirements = [#tsr.requirement<"U" ge "5", "U >= 5">], signature = ""} {
    %0 = graph.constant 0 : index
    %1 = graph.constant 1 : index
    %2 = graph.constant 2 : index
    %3 = graph.slice %k[%1 in_bounds, %0 size "B" in_bounds, %2 size "U - 5" in_bounds, %0 size "32" in_bounds] : <["2", "B", "U", "32"], bf16> to !tsr.tensor<["B", "U - 5", "32"], bf16>
    %4 = graph.transpose %3 {perm = array<i64: 0, 2, 1>} : <["B", "U - 5", "32"], bf16> to <["B", "32", "U - 5"], bf16>
    %s = graph.dot %q, %4 : (!tsr.tensor<["B", "S", "32"], bf16>, !tsr.tensor<["B", "32", "U - 5"], bf16>) -> !tsr.tensor<["B", "S", "U - 5"], f32>
    %5 = graph.reduce "max" %s {axes = array<i64: 2>} : <["B", "S", "U - 5"], f32> to !tsr.tensor<["B", "S"], f32>
    %largest = graph.broadcast %5 {axes = array<i64: 0, 1>} : <["B", "S"], f32> to <["B", "S", "1"], f32>
    %6 = graph.constant 0xFF800000 : f32
    %7 = graph.full %6 : f32 to <["B", "S", "1"], f32>
    %8 = graph.elementwise "gt" %largest, %7 : !tsr.tensor<["B", "S", "1"], f32>
    %9 = graph.constant 0.000000e+00 : f32
    %10 = graph.full %9 : f32 to <["B", "S", "1"], f32>
    %shift = graph.elementwise "select" %8, %largest, %10 : !tsr.tensor<["B", "S", "1"], f32>
    %11 = graph.broadcast %shift {axes = array<i64: 0, 1, 2>} : <["B", "S", "1"], f32> to <["B", "S", "U - 5"], f32>
    %12 = graph.elementwise "sub" %s, %11 : !tsr.tensor<["B", "S", "U - 5"], f32>
    %e = graph.elementwise "exp" %12 : !tsr.tensor<["B", "S", "U - 5"], f32>
    %13 = graph.reduce "sum" %e {axes = array<i64: 2>} : <["B", "S", "U - 5"], f32> to !tsr.tensor<["B", "S"], f32>
    %14 = graph.broadcast %13 {axes = array<i64: 0, 1>} : <["B", "S"], f32> to <["B", "S", "1"], f32>
    %15 = graph.constant 5.000000e-01 : f32
    %16 = graph.full %15 : f32 to <["B", "S", "1"], f32>
    %17 = graph.elementwise "max" %14, %16 : !tsr.tensor<["B", "S", "1"], f32>
    %18 = graph.broadcast %17 {axes = array<i64: 0, 1, 2>} : <["B", "S", "1"], f32> to <["B", "S", "U - 5"], f32>
    %19 = graph.elementwise "div" %e, %18 : !tsr.tensor<["B", "S", "U - 5"], f32>
    %20 = graph.cast %19 : !tsr.tensor<["B", "S", "U - 5"], f32> to !tsr.tensor<["B", "S", "U - 5"], bf16>
    %21 = graph.constant 1 : index
    %22 = graph.constant 2 : index
    %23 = graph.slice %v[%21 in_bounds, %0 size "B" in_bounds, %22 size "U - 5" in_bounds, %0 size "32" in_bounds] : <["2", "B", "U", "32"], bf16> to !tsr.tensor<["B", "U - 5", "32"], bf16>
    %24 = graph.dot %20, %23 : (!tsr.tensor<["B", "S", "U - 5"], bf16>, !tsr.tensor<["B", "U - 5", "32"], bf16>) -> !tsr.tensor<["B", "S", "32"], f32>
    graph.return %24 : !tsr.tensor<["B", "S", "32"], f32>
  }
