module {
  graph.func @scaled(%x: !tsr.tensor<["N"], f32>, %by: f32) -> !tsr.tensor<["N"], f32> attributes {dims = ["N"], outputs = [#tsr.result<"result", !tsr.tensor<["N"], f32>>], params = [#tsr.param<"x", in>, #tsr.param<"by", in>], signature = "def scaled[N](x: Tensor[N, f32], by: f32) -> Tensor[N, f32]", tsr.numerics = {by = {denormals = "keep", round_at = "store", rounding = "nearest_even", saturate = false}, result = {denormals = "keep", round_at = "store", rounding = "nearest_even", saturate = false}, x = {denormals = "keep", round_at = "store", rounding = "nearest_even", saturate = false}}} {
    %0 = graph.full %by : f32 to <["N"], f32>
    %1 = graph.elementwise "mul" %x, %0 : !tsr.tensor<["N"], f32>
    graph.return %1 : !tsr.tensor<["N"], f32>
  }
  graph.host_func @main() attributes {dims = [], outputs = [], params = [], signature = "def main()", tsr.effects = ["io"]} {
    %0 = graph.string "x.npy"
    %x = graph.load_npy %0
    %n = graph.host_shape %x, 0
    %1 = graph.constant 2.000000e+00 : f32
    %y = graph.call @scaled(%x, %1) : (!tsr.host_tensor, f32) -> !tsr.host_tensor
    %count = graph.constant 0 : index
    %2 = graph.constant 0 : index
    %3 = graph.constant 1 : index
    %running = graph.constant true
    %4:3 = scf.while (%arg0 = %count, %arg1 = %2, %arg2 = %running) : (index, index, i1) -> (index, index, i1) {
      %8 = scf.if %arg2 -> (i1) {
        %9 = graph.elementwise "lt" %arg1, %n : index
        scf.yield %9 : i1
      } else {
        scf.yield %arg2 : i1
      }
      scf.condition(%8) %arg0, %arg1, %arg2 : index, index, i1
    } do {
    ^bb0(%arg0: index, %arg1: index, %arg2: i1):
      %live = graph.constant true
      %8 = graph.constant 3 : index
      %9 = graph.elementwise "mod" %arg1, %8 : index
      %10 = graph.constant 0 : index
      %11 = graph.elementwise "eq" %9, %10 : index
      %12:2 = scf.if %11 -> (i1, i1) {
        %live_0 = graph.constant false
        scf.yield %arg2, %live_0 : i1, i1
      } else {
        scf.yield %arg2, %live : i1, i1
      } {tsr.names = ["running", "live"]}
      %13:2 = scf.if %12#1 -> (index, i1) {
        %14 = graph.constant 20 : index
        %15 = graph.elementwise "gt" %arg1, %14 : index
        %16:2 = scf.if %15 -> (i1, i1) {
          %live_0 = graph.constant false
          %running_1 = graph.constant false
          scf.yield %running_1, %live_0 : i1, i1
        } else {
          scf.yield %12#0, %12#1 : i1, i1
        } {tsr.names = ["running", "live"]}
        %17 = scf.if %16#1 -> (index) {
          %count_0 = graph.elementwise "add" %arg0, %arg1 : index
          scf.yield %count_0 : index
        } else {
          scf.yield %arg0 : index
        } {tsr.names = ["count"]}
        scf.yield %17, %16#0 : index, i1
      } else {
        scf.yield %arg0, %12#0 : index, i1
      } {tsr.names = ["count", "running"]}
      %i = graph.elementwise "add" %arg1, %3 : index
      scf.yield %13#0, %i, %13#1 : index, index, i1
    }
    %5 = scf.while (%arg0 = %4#0) : (index) -> index {
      %8 = graph.constant 100 : index
      %9 = graph.elementwise "gt" %arg0, %8 : index
      scf.condition(%9) %arg0 : index
    } do {
    ^bb0(%arg0: index):
      %8 = graph.constant 2 : index
      %count_0 = graph.elementwise "floordiv" %arg0, %8 : index
      scf.yield %count_0 : index
    }
    %6 = graph.format %5, %n : index, index {formats = ["", ""], texts = ["count ", " of ", ""]}
    graph.print %6
    %7 = graph.string "y.npy"
    graph.save_npy %y, %7
    graph.return
  }
}
