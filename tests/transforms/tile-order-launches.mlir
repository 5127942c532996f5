// RUN: tessera-opt %s --tile-order-launches | FileCheck %s

// The sum is the last that reads the large array: it runs as soon as that is there, before the other steps. The first step
// behind it takes as much memory as it makes free and stays where it is.
// CHECK-LABEL: tile.func @early
// CHECK: tile.launch @step(%x, %[[A:.*]])
// CHECK-NEXT: tile.launch @sum(%[[A]], %s)
// CHECK-NEXT: tile.launch @step(%x, %[[B:.*]])
// CHECK-NEXT: tile.launch @step(%[[B]], %y)
// CHECK-NEXT: tile.return
tile.kernel @step(%x: !tsr.view<["N"], f32>, %y: !tsr.view<["N"], f32>) attributes {dims = ["N"],
    params = [#tsr.param<"x", in>, #tsr.param<"y", out>], outputs = [], grid = #tsr.grid<lanes, ["N"]>, group = 256 : i64} {
  tile.kernel_end
}
tile.kernel @change(%x: !tsr.view<["N"], f32>, %y: !tsr.view<["N"], f32>) attributes {dims = ["N"],
    params = [#tsr.param<"x", in>, #tsr.param<"y", inout>], outputs = [], grid = #tsr.grid<lanes, ["N"]>, group = 256 : i64} {
  tile.kernel_end
}
tile.kernel @sum(%x: !tsr.view<["N"], f32>, %s: !tsr.view<[], f32>) attributes {dims = ["N"],
    params = [#tsr.param<"x", in>, #tsr.param<"s", out>], outputs = [], grid = #tsr.grid<lanes, ["1"]>, group = 256 : i64} {
  tile.kernel_end
}
tile.func @early(%x: !tsr.view<["N"], f32>, %y: !tsr.view<["N"], f32>, %s: !tsr.view<[], f32>) attributes {dims = ["N"],
    params = [#tsr.param<"x", in>, #tsr.param<"y", out>, #tsr.param<"s", out>], outputs = []} {
  %a = tile.temp : !tsr.view<["N"], f32>
  %b = tile.temp : !tsr.view<["N"], f32>
  tile.launch @step(%x, %a) : !tsr.view<["N"], f32>, !tsr.view<["N"], f32>
  tile.launch @step(%x, %b) : !tsr.view<["N"], f32>, !tsr.view<["N"], f32>
  tile.launch @step(%b, %y) : !tsr.view<["N"], f32>, !tsr.view<["N"], f32>
  tile.launch @sum(%a, %s) : !tsr.view<["N"], f32>, !tsr.view<[], f32>
  tile.return
}

// What changes memory stays behind all that read it before, and before all that read it after.
// CHECK-LABEL: tile.func @changed
// CHECK: tile.launch @step(%x, %[[A:.*]])
// CHECK-NEXT: tile.launch @step(%[[A]], %y)
// CHECK-NEXT: tile.launch @change(%x, %[[A]])
// CHECK-NEXT: tile.launch @sum(%[[A]], %s)
// CHECK-NEXT: tile.return
tile.func @changed(%x: !tsr.view<["N"], f32>, %y: !tsr.view<["N"], f32>, %s: !tsr.view<[], f32>) attributes {dims = ["N"],
    params = [#tsr.param<"x", in>, #tsr.param<"y", out>, #tsr.param<"s", out>], outputs = []} {
  %a = tile.temp : !tsr.view<["N"], f32>
  tile.launch @step(%x, %a) : !tsr.view<["N"], f32>, !tsr.view<["N"], f32>
  tile.launch @step(%a, %y) : !tsr.view<["N"], f32>, !tsr.view<["N"], f32>
  tile.launch @change(%x, %a) : !tsr.view<["N"], f32>, !tsr.view<["N"], f32>
  tile.launch @sum(%a, %s) : !tsr.view<["N"], f32>, !tsr.view<[], f32>
  tile.return
}

// What devices do together comes at once: the sum that would make memory free does not come between.
// CHECK-LABEL: tile.func @exchanged
// CHECK: tile.launch @step(%x, %[[A:.*]])
// CHECK-NEXT: tile.launch @step(%x, %[[B:.*]])
// CHECK-NEXT: tile.exchange "all_reduce" "dp" %[[A]], %[[A]]
// CHECK-NEXT: tile.exchange "all_reduce" "dp" %[[B]], %[[B]]
// CHECK-NEXT: tile.launch @step(%[[B]], %y)
// CHECK-NEXT: tile.launch @sum(%[[A]], %s)
// CHECK-NEXT: tile.return
tile.func @exchanged(%x: !tsr.view<["N"], f32>, %y: !tsr.view<["N"], f32>, %s: !tsr.view<[], f32>) attributes {dims = ["N"],
    params = [#tsr.param<"x", in>, #tsr.param<"y", out>, #tsr.param<"s", out>], outputs = []} {
  %a = tile.temp : !tsr.view<["N"], f32>
  %b = tile.temp : !tsr.view<["N"], f32>
  tile.launch @step(%x, %a) : !tsr.view<["N"], f32>, !tsr.view<["N"], f32>
  tile.launch @step(%x, %b) : !tsr.view<["N"], f32>, !tsr.view<["N"], f32>
  tile.exchange "all_reduce" "dp" %a, %a : <["N"], f32>, <["N"], f32>
  tile.exchange "all_reduce" "dp" %b, %b : <["N"], f32>, <["N"], f32>
  tile.launch @step(%b, %y) : !tsr.view<["N"], f32>, !tsr.view<["N"], f32>
  tile.launch @sum(%a, %s) : !tsr.view<["N"], f32>, !tsr.view<[], f32>
  tile.return
}
