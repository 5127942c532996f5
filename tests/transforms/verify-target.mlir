// RUN: tessera-opt %s -split-input-file -verify-diagnostics --verify-target

// expected-error @+1 {{'tile.func' is left over: at the target level everything is in the words of the target}}
tile.func @f(%x: !tsr.view<["N"], f32>) attributes {dims = ["N"], params = [#tsr.param<"x", in>], outputs = []} {
  // expected-error @+1 {{'tile.return' is left over}}
  tile.return
}
