// RUN: tessera-opt %s --tile-share-temporaries | FileCheck %s

// The third array lies where the first one was: nobody reads that any more. The second is still read, and a loop keeps its own.
// CHECK-LABEL: tile.func @steps
// CHECK: %[[M:.*]] = tile.temp : <["N"], f32>
// CHECK-NEXT: %[[B:.*]] = tile.temp : <["N"], f32>
// CHECK-NEXT: %[[SWAPPED:.*]] = tile.temp {tsr.buffer = 0 : i64}
// CHECK-NOT: tile.temp
// CHECK: tile.launch @step(%x, %[[M]])
// CHECK: tile.launch @step(%[[M]], %[[B]])
// CHECK: tile.launch @step(%[[B]], %[[M]])
// CHECK: tile.launch @step(%[[M]], %[[SWAPPED]])
tile.kernel @step(%x: !tsr.view<["N"], f32>, %y: !tsr.view<["N"], f32>) attributes {dims = ["N"],
    params = [#tsr.param<"x", in>, #tsr.param<"y", out>], outputs = [], grid = #tsr.grid<lanes, ["N"]>, group = 256 : i64} {
  %i = tile.query "linear_id"
  %a = tile.load_element %x[%i] {in_bounds = array<i1: true>} : !tsr.view<["N"], f32>
  tile.store_element %a, %y[%i] : f32, !tsr.view<["N"], f32>
  tile.kernel_end
}
tile.func @steps(%x: !tsr.view<["N"], f32>, %y: !tsr.view<["N"], f32>) attributes {dims = ["N"], params = [#tsr.param<"x", in>, #tsr.param<"y", out>], outputs = []} {
  %a = tile.temp : !tsr.view<["N"], f32>
  %b = tile.temp : !tsr.view<["N"], f32>
  %c = tile.temp : !tsr.view<["N"], f32>
  %swapped = tile.temp {tsr.buffer = 0 : i64} : !tsr.view<["N"], f32>
  tile.launch @step(%x, %a) : !tsr.view<["N"], f32>, !tsr.view<["N"], f32>
  tile.launch @step(%a, %b) : !tsr.view<["N"], f32>, !tsr.view<["N"], f32>
  tile.launch @step(%b, %c) : !tsr.view<["N"], f32>, !tsr.view<["N"], f32>
  tile.launch @step(%c, %swapped) : !tsr.view<["N"], f32>, !tsr.view<["N"], f32>
  tile.launch @step(%swapped, %y) : !tsr.view<["N"], f32>, !tsr.view<["N"], f32>
  tile.return
}

// The largest gets memory first; what is smaller lies in it, behind what is needed at the same time, where that is aligned
// whatever the sizes are.
// CHECK-LABEL: tile.func @inside
// CHECK: %[[A:.*]] = tile.temp : <["N", "256"], f32>
// CHECK-NEXT: %[[B:.*]] = tile.temp_within %[[A]] at <"0"> : !tsr.view<["N", "128"], f32> in !tsr.view<["N", "256"], f32>
// CHECK-NEXT: %[[C:.*]] = tile.temp_within %[[A]] at <"512*N"> : !tsr.view<["N", "128"], f32> in !tsr.view<["N", "256"], f32>
// CHECK-NOT: tile.temp
// CHECK: tile.launch @wide(%x, %[[A]])
// CHECK-NEXT: tile.launch @narrow(%x, %[[B]])
// CHECK-NEXT: tile.launch @narrow(%[[B]], %[[C]])
// CHECK-NEXT: tile.launch @narrow(%[[C]], %y)
tile.kernel @wide(%x: !tsr.view<["N", "128"], f32>, %y: !tsr.view<["N", "256"], f32>) attributes {dims = ["N"],
    params = [#tsr.param<"x", in>, #tsr.param<"y", out>], outputs = [], grid = #tsr.grid<lanes, ["N"]>, group = 256 : i64} {
  tile.kernel_end
}
tile.kernel @narrow(%x: !tsr.view<["N", "128"], f32>, %y: !tsr.view<["N", "128"], f32>) attributes {dims = ["N"],
    params = [#tsr.param<"x", in>, #tsr.param<"y", out>], outputs = [], grid = #tsr.grid<lanes, ["N"]>, group = 256 : i64} {
  tile.kernel_end
}
tile.func @inside(%x: !tsr.view<["N", "128"], f32>, %y: !tsr.view<["N", "128"], f32>) attributes {dims = ["N"], params = [#tsr.param<"x", in>, #tsr.param<"y", out>], outputs = []} {
  %a = tile.temp : !tsr.view<["N", "256"], f32>
  %b = tile.temp : !tsr.view<["N", "128"], f32>
  %c = tile.temp : !tsr.view<["N", "128"], f32>
  tile.launch @wide(%x, %a) : !tsr.view<["N", "128"], f32>, !tsr.view<["N", "256"], f32>
  tile.launch @narrow(%x, %b) : !tsr.view<["N", "128"], f32>, !tsr.view<["N", "128"], f32>
  tile.launch @narrow(%b, %c) : !tsr.view<["N", "128"], f32>, !tsr.view<["N", "128"], f32>
  tile.launch @narrow(%c, %y) : !tsr.view<["N", "128"], f32>, !tsr.view<["N", "128"], f32>
  tile.return
}

// What is there under a condition shares with what is alike and there under the same one, and with nothing else.
// CHECK-LABEL: tile.func @sometimes
// CHECK: %[[A:.*]] = tile.temp {tsr.when = [#tsr.requirement<"64" le "N", "">]} : <["N"], f32>
// CHECK-NEXT: tile.launch @step(%x, %[[A]]) {tsr.when = [#tsr.requirement<"64" le "N", "">]}
// CHECK-NEXT: tile.launch @step(%[[A]], %y)
// CHECK-NEXT: tile.launch @step(%y, %[[A]])
// CHECK-NEXT: tile.launch @step(%[[A]], %y)
// CHECK: %[[C:.*]] = tile.temp {tsr.when = [#tsr.requirement<"99" le "N", "">]}
// CHECK-NEXT: tile.launch @step(%y, %[[C]])
// CHECK-NEXT: tile.launch @step(%[[C]], %y)
// CHECK: %[[D:.*]] = tile.temp : <["N"], f32>
// CHECK-NEXT: tile.launch @step(%y, %[[D]])
tile.func @sometimes(%x: !tsr.view<["N"], f32>, %y: !tsr.view<["N"], f32>) attributes {dims = ["N"], params = [#tsr.param<"x", in>, #tsr.param<"y", out>], outputs = []} {
  %a = tile.temp {tsr.when = [#tsr.requirement<"64" le "N", "">]} : !tsr.view<["N"], f32>
  tile.launch @step(%x, %a) {tsr.when = [#tsr.requirement<"64" le "N", "">]} : !tsr.view<["N"], f32>, !tsr.view<["N"], f32>
  tile.launch @step(%a, %y) {tsr.when = [#tsr.requirement<"64" le "N", "">]} : !tsr.view<["N"], f32>, !tsr.view<["N"], f32>
  %b = tile.temp {tsr.when = [#tsr.requirement<"64" le "N", "">]} : !tsr.view<["N"], f32>
  tile.launch @step(%y, %b) {tsr.when = [#tsr.requirement<"64" le "N", "">]} : !tsr.view<["N"], f32>, !tsr.view<["N"], f32>
  tile.launch @step(%b, %y) {tsr.when = [#tsr.requirement<"64" le "N", "">]} : !tsr.view<["N"], f32>, !tsr.view<["N"], f32>
  %c = tile.temp {tsr.when = [#tsr.requirement<"99" le "N", "">]} : !tsr.view<["N"], f32>
  tile.launch @step(%y, %c) {tsr.when = [#tsr.requirement<"99" le "N", "">]} : !tsr.view<["N"], f32>, !tsr.view<["N"], f32>
  tile.launch @step(%c, %y) {tsr.when = [#tsr.requirement<"99" le "N", "">]} : !tsr.view<["N"], f32>, !tsr.view<["N"], f32>
  %d = tile.temp : !tsr.view<["N"], f32>
  tile.launch @step(%y, %d) : !tsr.view<["N"], f32>, !tsr.view<["N"], f32>
  tile.return
}
