// RUN: tessera-opt %s -split-input-file -verify-diagnostics --verify-tile

// expected-error @+1 {{'schedule.kernel' is left over: at the tile level graph operations stand in host code only}}
schedule.kernel @k(%x: !tsr.view<["N"], f32>) attributes {
    dims = ["N"], params = [#tsr.param<"x", in>], outputs = [], grid = #tsr.grid<lanes, ["N"]>, group = 256 : i64} {
  // expected-error @+1 {{'graph.query' is left over}}
  %i = graph.query "linear_id" 0
  // expected-error @+1 {{'schedule.kernel_end' is left over}}
  schedule.kernel_end
}

// -----

// Host operations may stand in host code.
tile.host_func @main() attributes {dims = [], params = [], outputs = []} {
  %0 = graph.string "hello"
  graph.print %0
  tile.return
}
