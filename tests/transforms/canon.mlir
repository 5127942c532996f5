// What irgen makes of the canon goes down to tile; every tensor function of it is one kernel.
// RUN: tessera-opt %S/../irgen/golden/01_saxpy.mlir --set-machine=name=sm_80 --graph-to-schedule --verify-schedule --schedule-to-tile --tile-insert-barriers --verify-tile | FileCheck %s --check-prefix=ONE
// RUN: tessera-opt %S/../irgen/golden/02_elementwise.mlir --set-machine=name=sm_80 --graph-to-schedule --verify-schedule --schedule-to-tile --tile-insert-barriers --verify-tile | FileCheck %s --check-prefix=TWO
// RUN: tessera-opt %S/../irgen/golden/03_matmul.mlir --set-machine=name=sm_80 --graph-to-schedule --verify-schedule --schedule-to-tile --tile-insert-barriers --verify-tile | FileCheck %s --check-prefix=TWO
// RUN: tessera-opt %S/../irgen/golden/04_softmax.mlir --set-machine=name=sm_80 --graph-to-schedule --verify-schedule --schedule-to-tile --tile-insert-barriers --verify-tile | FileCheck %s --check-prefix=TWO
// RUN: tessera-opt %S/../irgen/golden/05_norms.mlir --set-machine=name=sm_80 --graph-to-schedule --verify-schedule --schedule-to-tile --tile-insert-barriers --verify-tile | FileCheck %s --check-prefix=TWO
// RUN: tessera-opt %S/../irgen/golden/06_cooperative_reduction.mlir --set-machine=name=sm_80 --graph-to-schedule --verify-schedule --schedule-to-tile --tile-insert-barriers --verify-tile | FileCheck %s --check-prefix=ONE
// RUN: tessera-opt %S/../irgen/golden/07_double_buffered_gemm.mlir --set-machine=name=sm_80 --graph-to-schedule --verify-schedule --schedule-to-tile --tile-insert-barriers --verify-tile | FileCheck %s --check-prefix=ONE
// RUN: tessera-opt %S/../irgen/golden/08_flash_attention.mlir --set-machine=name=sm_80 --graph-to-schedule --verify-schedule --schedule-to-tile --tile-insert-barriers --verify-tile | FileCheck %s --check-prefix=ONE
// ONE-COUNT-1: tile.launch
// ONE-NOT: tile.launch
// ONE-NOT: tile.temp
// TWO-COUNT-2: tile.launch
// TWO-NOT: tile.launch
// TWO-NOT: tile.temp
