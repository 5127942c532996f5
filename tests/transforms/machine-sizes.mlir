// RUN: tessera-opt %S/../irgen/golden/08_flash_attention.mlir --set-machine=name=sm_80 --graph-to-schedule | FileCheck %s --check-prefix=CUDA
// RUN: tessera-opt %S/../irgen/golden/08_flash_attention.mlir --set-machine=name=gfx90a --graph-to-schedule | FileCheck %s --check-prefix=HIP
// RUN: not tessera-opt %S/../irgen/golden/08_flash_attention.mlir --set-machine=name=sm_95 --graph-to-schedule 2>&1 | FileCheck %s --check-prefix=NONE
// Rows of 256 elements in tiles of 64 take 104 KiB of shared memory: AMD's machines have 64 KiB.
// CUDA: "T.m = 64, T.n = 64: the smallest tile of the tuning space"
// CUDA-SAME: sizes = {m = 64 : i64, n = 64 : i64
// HIP: "T.m = 32, T.n = 32: halved until a group's shared memory, 106496 bytes, is below the 65536 of gfx90a"
// HIP-SAME: sizes = {m = 32 : i64, n = 32 : i64
// NONE: there is no machine 'sm_95'; did you mean 'sm_75'?
