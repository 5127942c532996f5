// The example of every value operation, printed and read again.
// RUN: tessera-opt %s | tessera-opt | FileCheck %s

// CHECK-LABEL: graph.func @values(%x: !tsr.tensor<["R", "C"], f32>, %b: !tsr.tensor<["C"], bf16>)
graph.func @values(%x: !tsr.tensor<["R", "C"], f32>, %b: !tsr.tensor<["C"], bf16>) -> !tsr.tensor<["R", "C"], f32>
    attributes {dims = ["R", "C", "mesh.size.tp"], params = [#tsr.param<"x", in>, #tsr.param<"b", in>],
                outputs = [#tsr.result<"result", !tsr.tensor<["R", "C"], f32>>],
                requirements = [#tsr.requirement<"C % 16" eq "0", "C % 16 == 0">],
                signature = "def values(x, b)", doc = "all of them"} {
  // CHECK: graph.constant 1.000000e+00 : f32
  %one = graph.constant 1.0 : f32
  // CHECK: graph.constant true
  %yes = graph.constant true
  // CHECK: graph.constant 3 : ui8
  %small = graph.constant 3 : ui8
  // CHECK: graph.dim "C // 16"
  %c = graph.dim "C // 16"
  // CHECK: graph.cast %{{.*}} {rounding = "toward_zero", saturate} : f32 to bf16
  %narrow = graph.cast %one {rounding = "toward_zero", saturate} : f32 to bf16
  // CHECK: graph.cast %b {rounding = "bits"} : !tsr.tensor<["C"], bf16> to !tsr.tensor<["C"], i16>
  %bits = graph.cast %b {rounding = "bits"} : !tsr.tensor<["C"], bf16> to !tsr.tensor<["C"], i16>
  // CHECK: graph.cast %b : !tsr.tensor<["C"], bf16> to !tsr.tensor<["C"], f32>
  %wide = graph.cast %b : !tsr.tensor<["C"], bf16> to !tsr.tensor<["C"], f32>
  // CHECK: graph.broadcast %{{.*}} {axes = array<i64: 1>} : <["C"], f32> to <["R", "C"], f32>
  %rows = graph.broadcast %wide {axes = array<i64: 1>} : !tsr.tensor<["C"], f32> to !tsr.tensor<["R", "C"], f32>
  // CHECK: graph.elementwise "add" %x, %{{.*}} : !tsr.tensor<["R", "C"], f32>
  %sum = graph.elementwise "add" %x, %rows : !tsr.tensor<["R", "C"], f32>
  // CHECK: graph.elementwise "lt" %x, %{{.*}} : !tsr.tensor<["R", "C"], f32>
  %less = graph.elementwise "lt" %x, %sum : !tsr.tensor<["R", "C"], f32>
  // CHECK: graph.elementwise "not" %{{.*}} : !tsr.tensor<["R", "C"], i1>
  %more = graph.elementwise "not" %less : !tsr.tensor<["R", "C"], i1>
  // CHECK: graph.elementwise "select" %{{.*}}, %x, %{{.*}} : !tsr.tensor<["R", "C"], f32>
  %chosen = graph.elementwise "select" %more, %x, %sum : !tsr.tensor<["R", "C"], f32>
  // CHECK: graph.reshape %{{.*}} : <["R", "C"], f32> to <["R", "C // 16", "16"], f32>
  %parts = graph.reshape %chosen : !tsr.tensor<["R", "C"], f32> to !tsr.tensor<["R", "C // 16", "16"], f32>
  // CHECK: graph.transpose %{{.*}} {perm = array<i64: 1, 0>}
  %turned = graph.transpose %chosen {perm = array<i64: 1, 0>} : !tsr.tensor<["R", "C"], f32> to !tsr.tensor<["C", "R"], f32>
  // CHECK: graph.reduce "sum" %{{.*}} {axes = array<i64: 1>} : <["R", "C"], f32> to !tsr.tensor<["R"], f32>
  %total = graph.reduce "sum" %x {axes = array<i64: 1>} : !tsr.tensor<["R", "C"], f32> to !tsr.tensor<["R"], f32>
  // CHECK: graph.reduce "max" %{{.*}} {axes = array<i64: 0, 1>} : <["R", "C"], f32> to !tsr.tensor<[], f32>
  %top = graph.reduce "max" %x {axes = array<i64: 0, 1>} : !tsr.tensor<["R", "C"], f32> to !tsr.tensor<[], f32>
  // CHECK: graph.extract %{{.*}} : <[], f32> to f32
  %item = graph.extract %top : !tsr.tensor<[], f32> to f32
  // CHECK: graph.dot %x, %{{.*}} : (!tsr.tensor<["R", "C"], f32>, !tsr.tensor<["C", "R"], f32>) -> !tsr.tensor<["R", "R"], f32>
  %dot = graph.dot %x, %turned : (!tsr.tensor<["R", "C"], f32>, !tsr.tensor<["C", "R"], f32>) -> !tsr.tensor<["R", "R"], f32>
  // CHECK: graph.dot %x, %{{.*}} with %{{.*}} {combine = "max"} : (!tsr.tensor<["R", "C"], f32>, !tsr.tensor<["C", "R"], f32>, f32) -> !tsr.tensor<["R", "R"], f32> term {
  // CHECK: graph.term %{{.*}} : f32
  %pairs = graph.dot %x, %turned with %item {combine = "max"} : (!tsr.tensor<["R", "C"], f32>, !tsr.tensor<["C", "R"], f32>, f32) -> !tsr.tensor<["R", "R"], f32> term {
  ^bb0(%left: f32, %right: f32, %least: f32):
    %apart = graph.elementwise "sub" %left, %right : f32
    %term = graph.elementwise "max" %apart, %least : f32
    graph.term %term : f32
  }
  // CHECK: graph.full %{{.*}} : f32 to <["R", "C"], f32>
  %full = graph.full %item : f32 to !tsr.tensor<["R", "C"], f32>
  // CHECK: graph.table [1.000000e+00 : f32, -2.500000e-01 : f32] : <["2"], f32>
  %weights = graph.table [1.0 : f32, -0.25 : f32] : !tsr.tensor<["2"], f32>
  // CHECK: graph.table [1 : ui8, 2 : ui8, 3 : ui8, 255 : ui8] : <["2", "2"], ui8>
  %codes = graph.table [1 : ui8, 2 : ui8, 3 : ui8, 255 : ui8] : !tsr.tensor<["2", "2"], ui8>
  // CHECK: graph.iota 1 : <["R", "C"], i32>
  %iota = graph.iota 1 : !tsr.tensor<["R", "C"], i32>
  // CHECK: graph.concat 0 %x, %{{.*}} : (!tsr.tensor<["R", "C"], f32>, !tsr.tensor<["R", "C"], f32>) -> !tsr.tensor<["2*R", "C"], f32>
  %both = graph.concat 0 %x, %full : (!tsr.tensor<["R", "C"], f32>, !tsr.tensor<["R", "C"], f32>) -> !tsr.tensor<["2*R", "C"], f32>
  %zero = graph.constant 0 : index
  // CHECK: graph.slice %{{.*}}[%{{.*}} size "R" step 2 in_bounds, %{{.*}} in_bounds] : <["2*R", "C"], f32> to !tsr.tensor<["R"], f32>
  %part = graph.slice %both[%zero size "R" step 2 in_bounds, %zero in_bounds] : !tsr.tensor<["2*R", "C"], f32> to !tsr.tensor<["R"], f32>
  // CHECK: graph.window 1 %x step 2 dilation 1 : <["R", "C"], f32> to <["R", "3", "C // 2"], f32>
  %windows = graph.window 1 %x step 2 dilation 1 : !tsr.tensor<["R", "C"], f32> to !tsr.tensor<["R", "3", "C // 2"], f32>
  %pictures = graph.full %item : f32 to !tsr.tensor<["R", "C", "8"], f32>
  // CHECK: graph.windows %{{.*}} {windows = #tsr.windows<["R", "C"], ["C"], [3], [1], [1], [1]>} : <["R", "C", "8"], f32> to <["C*R", "3", "8"], f32>
  %seen = graph.windows %pictures {windows = #tsr.windows<["R", "C"], ["C"], [3], [1], [1], [1]>} : !tsr.tensor<["R", "C", "8"], f32> to !tsr.tensor<["C*R", "3", "8"], f32>
  %of_places = graph.full %item : f32 to !tsr.tensor<["3", "8"], f32>
  // CHECK: graph.slide "sum" %{{.*}} by %{{.*}} {reversed, windows = #tsr.windows<["R", "C"], ["C"], [3], [1], [1], [1]>} : (!tsr.tensor<["R", "C", "8"], f32>, !tsr.tensor<["3", "8"], f32>) -> !tsr.tensor<["R", "C", "8"], f32>
  %slid = graph.slide "sum" %pictures by %of_places {reversed, windows = #tsr.windows<["R", "C"], ["C"], [3], [1], [1], [1]>} : (!tsr.tensor<["R", "C", "8"], f32>, !tsr.tensor<["3", "8"], f32>) -> !tsr.tensor<["R", "C", "8"], f32>
  // CHECK: graph.slide "max" %{{.*}} {windows = #tsr.windows<["R", "C"], ["C"], [3], [1], [1], [1]>} : (!tsr.tensor<["R", "C", "8"], f32>) -> !tsr.tensor<["R", "C", "8"], f32>
  %greatest = graph.slide "max" %pictures {windows = #tsr.windows<["R", "C"], ["C"], [3], [1], [1], [1]>} : (!tsr.tensor<["R", "C", "8"], f32>) -> !tsr.tensor<["R", "C", "8"], f32>
  // CHECK: graph.slide "sum" %{{.*}} where %{{.*}} is %{{.*}} {apart = array<i64: 2>, windows = #tsr.windows<["R", "C"], ["2*C"], [3], [1], [1], [1]>} : (!tsr.tensor<["R", "C", "8"], f32>, !tsr.tensor<["R", "C", "8"], f32>, !tsr.tensor<["R", "2*C", "8"], f32>) -> !tsr.tensor<["R", "2*C", "8"], f32>
  %double_pictures = graph.full %item : f32 to !tsr.tensor<["R", "2*C", "8"], f32>
  %equal = graph.slide "sum" %pictures where %greatest is %double_pictures {apart = array<i64: 2>, windows = #tsr.windows<["R", "C"], ["2*C"], [3], [1], [1], [1]>} : (!tsr.tensor<["R", "C", "8"], f32>, !tsr.tensor<["R", "C", "8"], f32>, !tsr.tensor<["R", "2*C", "8"], f32>) -> !tsr.tensor<["R", "2*C", "8"], f32>
  // CHECK: graph.slide_together %{{.*}} with %{{.*}} {windows = #tsr.windows<["R", "C"], ["C"], [3], [1], [1], [1]>} : (!tsr.tensor<["R", "C", "8"], f32>, !tsr.tensor<["R", "C", "8"], f32>) -> !tsr.tensor<["R", "3", "8"], f32>
  %together = graph.slide_together %pictures with %slid {windows = #tsr.windows<["R", "C"], ["C"], [3], [1], [1], [1]>} : (!tsr.tensor<["R", "C", "8"], f32>, !tsr.tensor<["R", "C", "8"], f32>) -> !tsr.tensor<["R", "3", "8"], f32>
  %at = graph.iota 0 : !tsr.tensor<["C"], i64>
  // CHECK: graph.gather 0 %x at %{{.*}} {axes = array<i64: 0>} : (!tsr.tensor<["R", "C"], f32>, !tsr.tensor<["C"], i64>) -> !tsr.tensor<["C", "C"], f32>
  %chosen_rows = graph.gather 0 %x at %at {axes = array<i64: 0>} : (!tsr.tensor<["R", "C"], f32>, !tsr.tensor<["C"], i64>) -> !tsr.tensor<["C", "C"], f32>
  // CHECK: graph.scatter_add 0 %{{.*}} at %{{.*}} {axes = array<i64: 0>} : (!tsr.tensor<["C", "C"], f32>, !tsr.tensor<["C"], i64>) -> !tsr.tensor<["R", "C"], f32>
  %sums = graph.scatter_add 0 %chosen_rows at %at {axes = array<i64: 0>} : (!tsr.tensor<["C", "C"], f32>, !tsr.tensor<["C"], i64>) -> !tsr.tensor<["R", "C"], f32>
  // CHECK: graph.scatter_add 0 %{{.*}} at %{{.*}} {axes = array<i64: 0>, sorted} : (!tsr.tensor<["C", "C"], f32>, !tsr.tensor<["C"], i64>) -> !tsr.tensor<["R", "C"], f32>
  %of_runs = graph.scatter_add 0 %chosen_rows at %at {axes = array<i64: 0>, sorted} : (!tsr.tensor<["C", "C"], f32>, !tsr.tensor<["C"], i64>) -> !tsr.tensor<["R", "C"], f32>
  // CHECK: graph.after %x behind %{{.*}} : !tsr.tensor<["R", "C"], f32> behind !tsr.tensor<["R", "C"], f32>
  %again = graph.after %x behind %sums : !tsr.tensor<["R", "C"], f32> behind !tsr.tensor<["R", "C"], f32>
  // CHECK: graph.after %x : !tsr.tensor<["R", "C"], f32>
  %forgotten = graph.after %x : !tsr.tensor<["R", "C"], f32>
  // CHECK: graph.exchange "all_gather" "tp" %x : <["R", "C"], f32> to <["R*mesh.size.tp", "C"], f32>
  %everywhere = graph.exchange "all_gather" "tp" %x : !tsr.tensor<["R", "C"], f32> to !tsr.tensor<["R*mesh.size.tp", "C"], f32>
  // CHECK: graph.argsort %x {descending} : <["R", "C"], f32> to <["R", "C"], i64>
  %order = graph.argsort %x {descending} : !tsr.tensor<["R", "C"], f32> to !tsr.tensor<["R", "C"], i64>
  // CHECK: graph.return %{{.*}} : !tsr.tensor<["R", "C"], f32>
  graph.return %chosen : !tsr.tensor<["R", "C"], f32>
}

// CHECK-LABEL: graph.func @twice
graph.func @twice(%x: !tsr.tensor<["N"], f32>) -> !tsr.tensor<["N"], f32> attributes {
    dims = ["N"], params = [#tsr.param<"x", in>], outputs = [#tsr.result<"result", !tsr.tensor<["N"], f32>>]} {
  %0 = graph.elementwise "add" %x, %x : !tsr.tensor<["N"], f32>
  graph.return %0 : !tsr.tensor<["N"], f32>
}
