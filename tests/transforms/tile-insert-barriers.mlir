// RUN: tessera-opt %s --tile-insert-barriers | FileCheck %s

!F = !tile.fragment<["16", "16"], f32, #tile.grid<4 x 8>>
!S = !tsr.shared<["16", "16"], f32, "">

// CHECK-LABEL: tile.kernel @straight
tile.kernel @straight(%x: !tsr.view<["M", "N"], f32>) attributes {dims = ["M", "N"], params = [#tsr.param<"x", inout>], outputs = [],
    grid = #tsr.grid<explicit, ["1"]>, group = 32 : i64} {
  %s = tile.alloc_shared : !S
  %c0 = tile.constant 0 : index
  // CHECK: tile.copy
  tile.copy %x[%c0 size "16", %c0 size "16"] to %s : <["M", "N"], f32> to !S
  // A read after the write.
  // CHECK-NEXT: tile.barrier
  // CHECK-NEXT: tile.read_shared
  %f = tile.read_shared %s[%c0 size "16" in_bounds, %c0 size "16" in_bounds] {transposed} : !S to !F
  // Two reads need none.
  // CHECK-NEXT: tile.read_shared
  %g = tile.read_shared %s[%c0 size "16" in_bounds, %c0 size "16" in_bounds] : !S to !F
  // A write after a read.
  // CHECK-NEXT: tile.barrier
  // CHECK-NEXT: tile.write_shared
  tile.write_shared %f, %s[%c0 size "16" in_bounds, %c0 size "16" in_bounds] : !F, !S
  // The program's own barrier serves.
  // CHECK-NEXT: tile.barrier
  // CHECK-NEXT: tile.read_shared
  tile.barrier
  %h = tile.read_shared %s[%c0 size "16" in_bounds, %c0 size "16" in_bounds] : !S to !F
  // The view was read before two barriers.
  // CHECK-NEXT: tile.store_fragment
  tile.store_fragment %h, %x[%c0 size "16", %c0 size "16"] : !F, <["M", "N"], f32>
  tile.kernel_end
}

// CHECK-LABEL: tile.kernel @loop
tile.kernel @loop(%x: !tsr.view<["M", "N"], f32>, %y: !tsr.view<["M", "N"], f32>) attributes {dims = ["M", "N"],
    params = [#tsr.param<"x", in>, #tsr.param<"y", out>], outputs = [], grid = #tsr.grid<explicit, ["1"]>, group = 32 : i64} {
  %s = tile.alloc_shared : !S
  %manual = tile.alloc_shared {manual} : !S
  %c0 = tile.constant 0 : index
  %c16 = tile.constant 16 : index
  %M = tile.dim "M"
  scf.for %i = %c0 to %M step %c16 {
    // The read of the iteration before.
    // CHECK: scf.for
    // CHECK-NEXT: tile.barrier
    // CHECK-NEXT: tile.copy
    tile.copy %x[%i size "16", %c0 size "16"] to %s : <["M", "N"], f32> to !S
    // CHECK-NEXT: tile.barrier
    // CHECK-NEXT: tile.read_shared
    %f = tile.read_shared %s[%c0 size "16" in_bounds, %c0 size "16" in_bounds] : !S to !F
    // Lanes store their own elements of a tensor that nobody reads; the program sees to its own buffers.
    // CHECK-NEXT: tile.write_shared
    // CHECK-NEXT: tile.read_shared
    // CHECK-NEXT: tile.store_fragment
    tile.write_shared %f, %manual[%c0 size "16" in_bounds, %c0 size "16" in_bounds] : !F, !S
    %g = tile.read_shared %manual[%c0 size "16" in_bounds, %c0 size "16" in_bounds] : !S to !F
    tile.store_fragment %g, %y[%i size "16", %c0 size "16"] : !F, <["M", "N"], f32>
  }
  tile.kernel_end
}

// CHECK-LABEL: tile.kernel @branches
tile.kernel @branches(%x: !tsr.view<["M", "N"], f32>, %flag: i1) attributes {dims = ["M", "N"],
    params = [#tsr.param<"x", in>, #tsr.param<"flag", in>], outputs = [], grid = #tsr.grid<explicit, ["1"]>, group = 32 : i64} {
  %s = tile.alloc_shared : !S
  %c0 = tile.constant 0 : index
  scf.if %flag {
    tile.copy %x[%c0 size "16", %c0 size "16"] to %s : <["M", "N"], f32> to !S
  }
  // One of the ways here wrote.
  // CHECK: scf.if
  // CHECK: }
  // CHECK-NEXT: tile.barrier
  // CHECK-NEXT: tile.read_shared
  %f = tile.read_shared %s[%c0 size "16" in_bounds, %c0 size "16" in_bounds] : !S to !F
  tile.kernel_end
}
