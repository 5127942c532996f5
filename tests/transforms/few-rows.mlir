// RUN: tessera-opt %s --set-machine=name=sm_90a --graph-to-schedule --verify-schedule | FileCheck %s
// RUN: tessera-opt %s --set-machine=name=sm_80 --graph-to-schedule --verify-schedule | FileCheck %s --check-prefix=OLDER
// Kernels for few rows, where the number of rows is known only when the program runs.
// OLDER-NOT: _rows

// CHECK-DAG: schedule.kernel @plain_kernel(
// CHECK-DAG: schedule.kernel @plain_kernel_few(
// Tiles of 192 columns, where six rounds of the usual ones are no fewer than five of theirs.
// CHECK-DAG: schedule.kernel @plain_kernel_narrow({{.*}}sizes = {k = 64 : i64, m = 128 : i64, n = 192 : i64}
// CHECK-DAG: schedule.kernel @plain_kernel_64_rows({{.*}}group = 128{{.*}}tiles of few rows{{.*}}sizes = {k = 128 : i64, m = 64 : i64, n = 64 : i64}
// CHECK-DAG: schedule.kernel @plain_kernel_few_rows({{.*}}group = 128{{.*}}tiles of few rows{{.*}}sizes = {k = 128 : i64, m = 32 : i64, n = 64 : i64}
// CHECK-DAG: schedule.kernel @plain_kernel_few_rows_1({{.*}}group = 128{{.*}}tiles of few rows{{.*}}sizes = {k = 128 : i64, m = 16 : i64, n = 64 : i64}
// CHECK: schedule.func @plain
// CHECK: schedule.launch @plain_kernel_few_rows_1({{.*}}tsr.when = [#tsr.requirement<"M" le "16", "">
// CHECK: schedule.launch @plain_kernel_few_rows({{.*}}tsr.when = [#tsr.requirement<"M" le "32", "">{{.*}}["not", #tsr.requirement<"M" le "16", "">]
// CHECK: schedule.launch @plain_kernel_64_rows({{.*}}tsr.when = [#tsr.requirement<"M" le "64", "">, ["not", #tsr.requirement<"M" le "32", "">]
// CHECK: schedule.launch @plain_kernel_narrow({{.*}}#tsr.requirement<"5*{{.*}}N + 191{{.*}}le "6*{{.*}}N + 255
// CHECK: schedule.launch @plain_kernel({{.*}}["not", #tsr.requirement<"M" le "64", "">]
graph.func @plain(%x: !tsr.tensor<["M", "K"], bf16>, %w: !tsr.tensor<["K", "N"], bf16>) -> !tsr.tensor<["M", "N"], f32> attributes {
    dims = ["M", "K", "N"], params = [#tsr.param<"x", in>, #tsr.param<"w", in>], outputs = [#tsr.result<"result", !tsr.tensor<["M", "N"], f32>>]} {
  %h = graph.dot %x, %w : (!tsr.tensor<["M", "K"], bf16>, !tsr.tensor<["K", "N"], bf16>) -> !tsr.tensor<["M", "N"], f32>
  graph.return %h : !tsr.tensor<["M", "N"], f32>
}

// Of eight rows, always: no kernel for others.
// CHECK: schedule.kernel @eight_kernel({{.*}}sizes = {k = 128 : i64, m = 16 : i64, n = 64 : i64}
// CHECK-NOT: eight_kernel_few
// CHECK: schedule.func @eight
graph.func @eight(%x: !tsr.tensor<["8", "K"], bf16>, %w: !tsr.tensor<["K", "N"], bf16>) -> !tsr.tensor<["8", "N"], f32> attributes {
    dims = ["K", "N"], params = [#tsr.param<"x", in>, #tsr.param<"w", in>], outputs = [#tsr.result<"result", !tsr.tensor<["8", "N"], f32>>]} {
  %h = graph.dot %x, %w : (!tsr.tensor<["8", "K"], bf16>, !tsr.tensor<["K", "N"], bf16>) -> !tsr.tensor<["8", "N"], f32>
  graph.return %h : !tsr.tensor<["8", "N"], f32>
}

// Bytes that become bf16, for at most 256 rows: tiles of 256, 128, 64, 32 and 16 rows, whose weights come as bytes.
// CHECK-DAG: schedule.kernel @bytes_kernel_2({{.*}}sizes = {k = 128 : i64, m = 256 : i64, n = 128 : i64}
// CHECK-DAG: schedule.kernel @bytes_kernel_2_128_rows({{.*}}sizes = {k = 128 : i64, m = 128 : i64, n = 128 : i64}
// CHECK-DAG: schedule.kernel @bytes_kernel_2_64_rows({{.*}}sizes = {k = 256 : i64, m = 64 : i64, n = 128 : i64}
// CHECK-DAG: schedule.kernel @bytes_kernel_2_few_rows({{.*}}sizes = {k = 256 : i64, m = 32 : i64, n = 128 : i64}
// CHECK-DAG: schedule.kernel @bytes_kernel_2_few_rows_1({{.*}}sizes = {k = 256 : i64, m = 16 : i64, n = 128 : i64}
// CHECK: schedule.func @bytes
graph.func @bytes(%x: !tsr.tensor<["M", "K"], bf16>, %w: !tsr.tensor<["K", "N"], i8>) -> !tsr.tensor<["M", "N"], f32> attributes {
    dims = ["M", "K", "N"], params = [#tsr.param<"x", in>, #tsr.param<"w", in>], outputs = [#tsr.result<"result", !tsr.tensor<["M", "N"], f32>>]} {
  %wide = graph.cast %w : !tsr.tensor<["K", "N"], i8> to !tsr.tensor<["K", "N"], bf16>
  %h = graph.dot %x, %wide : (!tsr.tensor<["M", "K"], bf16>, !tsr.tensor<["K", "N"], bf16>) -> !tsr.tensor<["M", "N"], f32>
  graph.return %h : !tsr.tensor<["M", "N"], f32>
}
