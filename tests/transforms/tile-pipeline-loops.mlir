// RUN: tessera-opt %s --set-machine=name=sm_80 --tile-pipeline-loops | FileCheck %s
// RUN: tessera-opt %s --set-machine=name=sm_86 --tile-pipeline-loops | FileCheck %s --check-prefix=SMALL
// RUN: tessera-opt %s --set-machine=name=sm_90 --tile-pipeline-loops | FileCheck %s --check-prefix=LARGE

!A = !tsr.shared<["16", "16"], bf16, "xor">
!C = !tile.fragment<["16", "16"], f32, #tile.mma<1 x 1>>

// CHECK-LABEL: tile.kernel @product
// CHECK-SAME: sizes = {stages = 4 : i64}
tile.kernel @product(%a: !tsr.view<["M", "K"], bf16>, %c: !tsr.view<["M", "M"], f32>) attributes {
    dims = ["M", "K"], params = [#tsr.param<"a", in>, #tsr.param<"c", out>], outputs = [], sizes = {stages = 4 : i64},
    grid = #tsr.grid<explicit, ["1"]>, group = 32 : i64} {
  // CHECK: %[[BUFFERS:.*]] = tile.alloc_shared {manual} : <["T.stages", "16", "16"], bf16, "xor">
  %at = tile.alloc_shared : !A
  %c0 = tile.constant 0 : index
  %step = tile.constant 16 : index
  %zero = tile.constant 0.0 : f32
  %K = tile.dim "K"
  %start = tile.fill %zero : f32 to !C
  // The first three turns.
  // CHECK: scf.for %[[S:.*]] = %{{.*}} to %{{.*}} step
  // CHECK-NOT: scf.if
  // CHECK: %[[FIRST:.*]] = tile.select_buffer %[[BUFFERS]][%[[S]]]
  // CHECK: tile.copy %a[%{{.*}} size "16", %{{.*}} size "16"] to %[[FIRST]] {async}
  // CHECK: tile.commit_group
  // CHECK: scf.for %[[K:.*]] = {{.*}} iter_args(%{{.*}} = %{{.*}}, %[[STAGE:.*]] = %{{.*}}) -> (!tile.fragment<["16", "16"], f32, #tile.mma<1 x 1>>, index)
  // CHECK-NEXT: tile.wait_group {pending = 2 : i64}
  // CHECK-NEXT: tile.barrier
  // CHECK: %[[NOW:.*]] = tile.select_buffer %[[BUFFERS]][%[[STAGE]]]
  // CHECK: tile.dot %{{.*}}, %[[NOW]],
  // CHECK: tile.elementwise "select"
  // CHECK: tile.copy {{.*}} {async}
  // CHECK: tile.commit_group
  %acc = scf.for %k = %c0 to %K step %step iter_args(%sum = %start) -> (!C) {
    tile.copy %a[%c0 size "16", %k size "16"] to %at : <["M", "K"], bf16> to !A
    %next = tile.dot %sum, %at, %at {trans_b} : !C, !A, !A
    scf.yield %next : !C
  }
  tile.store_fragment %acc, %c[%c0 size "16", %c0 size "16"] : !C, <["M", "M"], f32>
  tile.kernel_end
}

// What the loop itself writes may be what the next turn reads: nothing runs ahead.
// CHECK-LABEL: tile.kernel @in_place
// CHECK-NOT: async
tile.kernel @in_place(%a: !tsr.view<["M", "K"], bf16>) attributes {
    dims = ["M", "K"], params = [#tsr.param<"a", inout>], outputs = [], grid = #tsr.grid<explicit, ["1"]>, group = 32 : i64} {
  %at = tile.alloc_shared : !A
  %c0 = tile.constant 0 : index
  %step = tile.constant 16 : index
  %K = tile.dim "K"
  scf.for %k = %c0 to %K step %step {
    tile.copy %a[%c0 size "16", %k size "16"] to %at : <["M", "K"], bf16> to !A
    %f = tile.read_shared %at[%c0 size "16" in_bounds, %c0 size "16" in_bounds] : !A to !tile.fragment<["16", "16"], bf16, #tile.mma<1 x 1>>
    tile.store_fragment %f, %a[%c0 size "16", %k size "16"] : !tile.fragment<["16", "16"], bf16, #tile.mma<1 x 1>>, <["M", "K"], bf16>
  }
  tile.kernel_end
}

// A part of K: what lies behind the end of the part is not copied, and needs no more masks than the loop itself.
// CHECK-LABEL: tile.kernel @part
tile.kernel @part(%a: !tsr.view<["M", "K"], bf16>, %c: !tsr.view<["M", "M"], f32>) attributes {
    dims = ["M", "K"], params = [#tsr.param<"a", in>, #tsr.param<"c", out>], outputs = [], sizes = {stages = 3 : i64},
    grid = #tsr.grid<explicit, ["1"]>, group = 32 : i64} {
  %at = tile.alloc_shared : !A
  %c0 = tile.constant 0 : index
  %step = tile.constant 16 : index
  %from = tile.query "origin" {axis = 0 : i64}
  %most = tile.constant 64 : index
  %zero = tile.constant 0.0 : f32
  %K = tile.dim "K"
  %end = tile.elementwise "add" %from, %most : index
  %to = tile.elementwise "min" %K, %end : index
  %start = tile.fill %zero : f32 to !C
  // CHECK: %[[TO:.*]] = tile.elementwise "min"
  // CHECK: scf.for
  // CHECK: %[[ISTURN:.*]] = tile.elementwise "lt" %{{.*}}, %[[TO]] : index
  // CHECK-NEXT: scf.if %[[ISTURN]] {
  // CHECK: tile.copy %a[%{{.*}} size "16" in_bounds, %{{.*}} size "16" in_bounds] to %{{.*}} {async}
  // CHECK: }
  // CHECK-NEXT: tile.commit_group
  // CHECK: scf.for
  // CHECK: tile.elementwise "lt" %{{.*}}, %[[TO]] : index
  // CHECK-NEXT: scf.if
  // CHECK: tile.copy {{.*}} {async}
  // CHECK: }
  // CHECK-NEXT: tile.commit_group
  %acc = scf.for %k = %from to %to step %step iter_args(%sum = %start) -> (!C) {
    tile.copy %a[%c0 size "16" in_bounds, %k size "16" in_bounds] to %at : <["M", "K"], bf16> to !A
    %next = tile.dot %sum, %at, %at {trans_b} : !C, !A, !A
    scf.yield %next : !C
  }
  tile.store_fragment %acc, %c[%c0 size "16", %c0 size "16"] : !C, <["M", "M"], f32>
  tile.kernel_end
}

// As many stages as the machine has shared memory for: 163, 99 and 227 KiB, 48 of them for a stage.
// CHECK-LABEL: tile.kernel @staged
// CHECK-SAME: reasons = ["stages = 3 of 4: a stage takes 49152 bytes of shared memory"]
// CHECK-SAME: sizes = {stages = 3 : i64}
// SMALL-LABEL: tile.kernel @staged
// SMALL-SAME: sizes = {stages = 2 : i64}
// LARGE-LABEL: tile.kernel @staged
// LARGE-SAME: sizes = {stages = 4 : i64}
tile.kernel @staged(%a: !tsr.view<["M", "K"], bf16>, %c: !tsr.view<["M", "M"], f32>) attributes {
    dims = ["M", "K"], params = [#tsr.param<"a", in>, #tsr.param<"c", out>], outputs = [], sizes = {stages = 4 : i64},
    grid = #tsr.grid<explicit, ["1"]>, group = 128 : i64} {
  %at = tile.alloc_shared : !tsr.shared<["128", "192"], bf16, "xor">
  %c0 = tile.constant 0 : index
  %step = tile.constant 192 : index
  %zero = tile.constant 0.0 : f32
  %K = tile.dim "K"
  %start = tile.fill %zero : f32 to !tile.fragment<["128", "128"], f32, #tile.mma<2 x 2>>
  %acc = scf.for %k = %c0 to %K step %step iter_args(%sum = %start) -> (!tile.fragment<["128", "128"], f32, #tile.mma<2 x 2>>) {
    tile.copy %a[%c0 size "128", %k size "192"] to %at : <["M", "K"], bf16> to !tsr.shared<["128", "192"], bf16, "xor">
    %next = tile.dot %sum, %at, %at {trans_b} : !tile.fragment<["128", "128"], f32, #tile.mma<2 x 2>>, !tsr.shared<["128", "192"], bf16, "xor">, !tsr.shared<["128", "192"], bf16, "xor">
    scf.yield %next : !tile.fragment<["128", "128"], f32, #tile.mma<2 x 2>>
  }
  tile.store_fragment %acc, %c[%c0 size "128", %c0 size "128"] : !tile.fragment<["128", "128"], f32, #tile.mma<2 x 2>>, <["M", "M"], f32>
  tile.kernel_end
}
