// RUN: tessera-opt %s -split-input-file -verify-diagnostics | FileCheck %s
// RUN: not tessera-opt %s --set-machine=name=gfx906 -split-input-file 2>&1 | FileCheck %s --check-prefix=NEAR
// RUN: not tessera-opt %S/../graph/values.mlir --graph-to-schedule 2>&1 | FileCheck %s --check-prefix=MISSING

// CHECK: module attributes {tsr.machine = #tsr.machine<"sm_90a">}
module attributes {tsr.machine = #tsr.machine<"sm_90a">} {}

// -----

// expected-error @+1 {{there is no machine 'sm_90b'; did you mean 'sm_90'?}}
module attributes {tsr.machine = #tsr.machine<"sm_90b">} {}

// -----

// expected-error @+1 {{'tsr.machine' is a machine, such as #tsr.machine<"sm_80">}}
module attributes {tsr.machine = "sm_90a"} {}

// -----

// expected-error @+1 {{'tsr.machine' is an attribute of modules}}
graph.host_func @main() attributes {dims = [], params = [], outputs = [], tsr.machine = #tsr.machine<"cpu">} {
  graph.return
}

// NEAR: there is no machine 'gfx906'; did you mean 'gfx90a'?
// MISSING: the module does not say which machine it is compiled for
