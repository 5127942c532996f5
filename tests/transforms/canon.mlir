// What irgen makes of the canon goes down to tile; every tensor function of it is one kernel.
// RUN: tessera-opt %S/../irgen/golden/01_saxpy.mlir --graph-to-schedule --verify-schedule --schedule-to-tile --tile-insert-barriers --verify-tile | FileCheck %s --check-prefix=ONE
// RUN: tessera-opt %S/../irgen/golden/02_elementwise.mlir --graph-to-schedule --verify-schedule --schedule-to-tile --tile-insert-barriers --verify-tile | FileCheck %s --check-prefix=TWO
// RUN: tessera-opt %S/../irgen/golden/03_matmul.mlir --graph-to-schedule --verify-schedule --schedule-to-tile --tile-insert-barriers --verify-tile | FileCheck %s --check-prefix=TWO
// RUN: tessera-opt %S/../irgen/golden/04_softmax.mlir --graph-to-schedule --verify-schedule --schedule-to-tile --tile-insert-barriers --verify-tile | FileCheck %s --check-prefix=TWO
// RUN: tessera-opt %S/../irgen/golden/05_norms.mlir --graph-to-schedule --verify-schedule --schedule-to-tile --tile-insert-barriers --verify-tile | FileCheck %s --check-prefix=TWO
// RUN: tessera-opt %S/../irgen/golden/06_cooperative_reduction.mlir --graph-to-schedule --verify-schedule --schedule-to-tile --tile-insert-barriers --verify-tile | FileCheck %s --check-prefix=ONE
// RUN: tessera-opt %S/../irgen/golden/07_double_buffered_gemm.mlir --graph-to-schedule --verify-schedule --schedule-to-tile --tile-insert-barriers --verify-tile | FileCheck %s --check-prefix=ONE
// RUN: tessera-opt %S/../irgen/golden/08_flash_attention.mlir --graph-to-schedule --verify-schedule --schedule-to-tile --tile-insert-barriers --verify-tile | FileCheck %s --check-prefix=ONE
// ONE-COUNT-1: tile.launch
// ONE-NOT: tile.launch
// ONE-NOT: tile.temp
// TWO-COUNT-2: tile.launch
// TWO-NOT: tile.launch
// TWO-NOT: tile.temp
