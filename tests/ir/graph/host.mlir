// The example of every operation of host code, printed and read again.
// RUN: tessera-opt %s | tessera-opt | FileCheck %s

graph.func @twice(%x: !tsr.tensor<["N"], f32>) -> !tsr.tensor<["N"], f32> attributes {
    dims = ["N"], params = [#tsr.param<"x", in>], outputs = [#tsr.result<"result", !tsr.tensor<["N"], f32>>]} {
  %0 = graph.elementwise "add" %x, %x : !tsr.tensor<["N"], f32>
  graph.return %0 : !tsr.tensor<["N"], f32>
}

// CHECK-LABEL: graph.host_func @main()
graph.host_func @main() attributes {dims = [], params = [], outputs = []} {
  // CHECK: %[[PATH:.*]] = graph.string "x.npy"
  %path = graph.string "x.npy"
  // CHECK: %[[X:.*]] = graph.load_npy %[[PATH]]
  %x = graph.load_npy %path
  // CHECK: %[[Y:.*]] = graph.call @twice(%[[X]]) : (!tsr.host_tensor) -> !tsr.host_tensor
  %y = graph.call @twice(%x) : (!tsr.host_tensor) -> !tsr.host_tensor
  // CHECK: %[[N:.*]] = graph.host_shape %[[Y]], 0
  %n = graph.host_shape %y, 0
  // CHECK: graph.host_rank %[[Y]]
  %rank = graph.host_rank %y
  // CHECK: %[[ROW:.*]] = graph.host_item %[[Y]][%[[N]]] : !tsr.host_tensor
  %row = graph.host_item %y[%n] : !tsr.host_tensor
  // CHECK: %[[V:.*]] = graph.host_item %[[ROW]] : f32
  %v = graph.host_item %row : f32
  // CHECK: %[[T:.*]] = graph.format %[[V]], %[[N]] : f32, index {formats = [".3f", ""], texts = ["loss ", " of ", ""]}
  %t = graph.format %v, %n : f32, index {texts = ["loss ", " of ", ""], formats = [".3f", ""]}
  // CHECK: graph.print %[[T]]
  graph.print %t
  %yes = graph.constant true
  // CHECK: graph.assert %{{.*}}, %[[T]]
  graph.assert %yes, %t
  // CHECK: graph.assert %{{[^,]*}}{{$}}
  graph.assert %yes
  // CHECK: graph.save_npy %[[Y]], %[[PATH]]
  graph.save_npy %y, %path
  // CHECK: %[[BYTES:.*]] = graph.host_call "read_bytes"(%[[PATH]]) : (!tsr.string) -> !tsr.host_tensor
  %bytes = graph.host_call "read_bytes"(%path) : (!tsr.string) -> !tsr.host_tensor
  // CHECK: graph.host_call "int_argument"(%[[PATH]], %[[N]]) : (!tsr.string, index) -> index
  %steps = graph.host_call "int_argument"(%path, %n) : (!tsr.string, index) -> index
  // CHECK: graph.host_call "no_more_arguments"() : () -> ()
  graph.host_call "no_more_arguments"() : () -> ()
  // CHECK: graph.return
  graph.return
}
