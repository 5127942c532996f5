// RUN: tessera-opt %s -split-input-file --set-machine=name=sm_80 --graph-to-schedule --verify-schedule | FileCheck %s
// Numbers of rows, made of sums along them.

// What the sum over all rows needs of each row is stored by one kernel, which reads the row.
// CHECK-LABEL: schedule.kernel @slope_kernel(%x: {{.*}}, %result: {{.*}}, %result_1: {{.*}})
// CHECK-SAME: reasons = ["one group a row; it stores all that is needed of the row"]
// CHECK-COUNT-2: graph.reduce "sum"
// CHECK-NOT: graph.reduce
// CHECK-LABEL: schedule.kernel @slope_kernel_1(
// CHECK-SAME: reasons = ["one lane an element of the result; it adds up by itself"]
// CHECK-LABEL: schedule.func @slope(
// CHECK-COUNT-2: schedule.launch
// CHECK-NOT: schedule.launch
// CHECK: schedule.return
graph.func @slope(%x: !tsr.tensor<["R", "C"], f32>, %dy: !tsr.tensor<["R", "C"], f32>) -> !tsr.tensor<["C"], f32> attributes {
    dims = ["R", "C"], params = [#tsr.param<"x", in>, #tsr.param<"dy", in>], outputs = [#tsr.result<"dw", !tsr.tensor<["C"], f32>>]} {
  %s = graph.reduce "sum" %x {axes = array<i64: 1>} : !tsr.tensor<["R", "C"], f32> to !tsr.tensor<["R"], f32>
  %m = graph.broadcast %s {axes = array<i64: 0>} : !tsr.tensor<["R"], f32> to !tsr.tensor<["R", "C"], f32>
  %y = graph.elementwise "sub" %x, %m : !tsr.tensor<["R", "C"], f32>
  %q = graph.elementwise "mul" %y, %y : !tsr.tensor<["R", "C"], f32>
  %v = graph.reduce "sum" %q {axes = array<i64: 1>} : !tsr.tensor<["R", "C"], f32> to !tsr.tensor<["R"], f32>
  %r = graph.elementwise "rsqrt" %v : !tsr.tensor<["R"], f32>
  %w = graph.broadcast %r {axes = array<i64: 0>} : !tsr.tensor<["R"], f32> to !tsr.tensor<["R", "C"], f32>
  %z = graph.elementwise "mul" %y, %w : !tsr.tensor<["R", "C"], f32>
  %p = graph.elementwise "mul" %dy, %z : !tsr.tensor<["R", "C"], f32>
  %d = graph.reduce "sum" %p {axes = array<i64: 0>} : !tsr.tensor<["R", "C"], f32> to !tsr.tensor<["C"], f32>
  graph.return %d : !tsr.tensor<["C"], f32>
}

// -----

// The rows that are stored first are made of the numbers that the sum over rows needs later: their kernel stores both.
// CHECK-LABEL: schedule.kernel @before_kernel(%x: {{.*}}, %result: {{.*}}, %y: {{.*}})
// CHECK-SAME: reasons = ["one group a row; it stores all that is needed of the row"]
// CHECK-LABEL: schedule.kernel @before_kernel_1(
// CHECK-NOT: schedule.kernel @
// CHECK-LABEL: schedule.func @before(
// CHECK: %[[N:.*]] = schedule.temp : <["R"], f32>
// CHECK-NEXT: schedule.launch @before_kernel(%{{.*}}, %[[N]], %{{.*}})
// CHECK-NEXT: schedule.launch @before_kernel_1(%{{.*}}, %{{.*}}, %[[N]], %{{.*}})
graph.func @before(%x: !tsr.tensor<["R", "C"], f32>, %dy: !tsr.tensor<["R", "C"], f32>) -> (!tsr.tensor<["R", "C"], f32>, !tsr.tensor<["C"], f32>) attributes {
    dims = ["R", "C"], params = [#tsr.param<"x", in>, #tsr.param<"dy", in>],
    outputs = [#tsr.result<"y", !tsr.tensor<["R", "C"], f32>>, #tsr.result<"dw", !tsr.tensor<["C"], f32>>]} {
  %s = graph.reduce "sum" %x {axes = array<i64: 1>} : !tsr.tensor<["R", "C"], f32> to !tsr.tensor<["R"], f32>
  %m = graph.broadcast %s {axes = array<i64: 0>} : !tsr.tensor<["R"], f32> to !tsr.tensor<["R", "C"], f32>
  %y = graph.elementwise "sub" %x, %m : !tsr.tensor<["R", "C"], f32>
  %z = graph.elementwise "mul" %y, %y : !tsr.tensor<["R", "C"], f32>
  %p = graph.elementwise "mul" %dy, %y : !tsr.tensor<["R", "C"], f32>
  %d = graph.reduce "sum" %p {axes = array<i64: 0>} : !tsr.tensor<["R", "C"], f32> to !tsr.tensor<["C"], f32>
  graph.return %z, %d : !tsr.tensor<["R", "C"], f32>, !tsr.tensor<["C"], f32>
}

// -----

// A sum over everything is not added up again in each row.
// CHECK-LABEL: schedule.kernel @shares_kernel(
// CHECK-SAME: one group reduces everything
// CHECK-LABEL: schedule.kernel @shares_kernel_1(
// CHECK-SAME: one group a row
// CHECK: graph.reduce "max"
// CHECK-NOT: graph.reduce
// CHECK-LABEL: schedule.func @shares(
graph.func @shares(%x: !tsr.tensor<["R", "C"], f32>) -> !tsr.tensor<["R", "C"], f32> attributes {
    dims = ["R", "C"], params = [#tsr.param<"x", in>], outputs = [#tsr.result<"y", !tsr.tensor<["R", "C"], f32>>]} {
  %all = graph.reduce "sum" %x {axes = array<i64: 0, 1>} : !tsr.tensor<["R", "C"], f32> to f32
  %f = graph.full %all : f32 to !tsr.tensor<["R", "C"], f32>
  %s = graph.reduce "max" %x {axes = array<i64: 1>} : !tsr.tensor<["R", "C"], f32> to !tsr.tensor<["R"], f32>
  %m = graph.broadcast %s {axes = array<i64: 0>} : !tsr.tensor<["R"], f32> to !tsr.tensor<["R", "C"], f32>
  %a = graph.elementwise "sub" %x, %m : !tsr.tensor<["R", "C"], f32>
  %b = graph.elementwise "div" %a, %f : !tsr.tensor<["R", "C"], f32>
  graph.return %b : !tsr.tensor<["R", "C"], f32>
}

// -----

// Rows that nobody needs behind a kernel that goes through them are written over by what it makes of them.
// CHECK-LABEL: schedule.func @over(
// CHECK: %[[T:.*]] = schedule.temp
// CHECK-NOT: schedule.temp
// CHECK: schedule.launch @over_kernel(%{{.*}}, %{{.*}}, %[[T]])
// CHECK-NEXT: schedule.launch @over_kernel_1(%[[T]])
// CHECK: schedule.launch @over_kernel_2(%[[T]], %{{.*}}, %{{.*}})
graph.func @over(%h: !tsr.tensor<["R", "K"], f32>, %w: !tsr.tensor<["K", "C"], f32>, %u: !tsr.tensor<["C", "M"], f32>) -> !tsr.tensor<["R", "M"], f32> attributes {
    dims = ["R", "K", "C", "M"], params = [#tsr.param<"h", in>, #tsr.param<"w", in>, #tsr.param<"u", in>], outputs = [#tsr.result<"y", !tsr.tensor<["R", "M"], f32>>]} {
  %t = graph.dot %h, %w : (!tsr.tensor<["R", "K"], f32>, !tsr.tensor<["K", "C"], f32>) -> !tsr.tensor<["R", "C"], f32>
  %s = graph.reduce "sum" %t {axes = array<i64: 1>} : !tsr.tensor<["R", "C"], f32> to !tsr.tensor<["R"], f32>
  %b = graph.broadcast %s {axes = array<i64: 0>} : !tsr.tensor<["R"], f32> to !tsr.tensor<["R", "C"], f32>
  %z = graph.elementwise "div" %t, %b : !tsr.tensor<["R", "C"], f32>
  %y = graph.dot %z, %u : (!tsr.tensor<["R", "C"], f32>, !tsr.tensor<["C", "M"], f32>) -> !tsr.tensor<["R", "M"], f32>
  graph.return %y : !tsr.tensor<["R", "M"], f32>
}

// -----

// The rows are needed once more behind it: the result has memory of its own.
// CHECK-LABEL: schedule.func @needed(
// CHECK-COUNT-2: schedule.temp
graph.func @needed(%h: !tsr.tensor<["R", "K"], f32>, %w: !tsr.tensor<["K", "C"], f32>, %u: !tsr.tensor<["C", "C"], f32>) -> !tsr.tensor<["R", "C"], f32> attributes {
    dims = ["R", "K", "C"], params = [#tsr.param<"h", in>, #tsr.param<"w", in>, #tsr.param<"u", in>], outputs = [#tsr.result<"y", !tsr.tensor<["R", "C"], f32>>]} {
  %t = graph.dot %h, %w : (!tsr.tensor<["R", "K"], f32>, !tsr.tensor<["K", "C"], f32>) -> !tsr.tensor<["R", "C"], f32>
  %s = graph.reduce "sum" %t {axes = array<i64: 1>} : !tsr.tensor<["R", "C"], f32> to !tsr.tensor<["R"], f32>
  %b = graph.broadcast %s {axes = array<i64: 0>} : !tsr.tensor<["R"], f32> to !tsr.tensor<["R", "C"], f32>
  %z = graph.elementwise "div" %t, %b : !tsr.tensor<["R", "C"], f32>
  %p = graph.dot %z, %u : (!tsr.tensor<["R", "C"], f32>, !tsr.tensor<["C", "C"], f32>) -> !tsr.tensor<["R", "C"], f32>
  %y = graph.elementwise "add" %p, %t : !tsr.tensor<["R", "C"], f32>
  graph.return %y : !tsr.tensor<["R", "C"], f32>
}

// -----

// A sum for each channel, over all images: a kernel that has a channel of one image in a group does not add it up again for each image.
// CHECK-LABEL: schedule.kernel @channels_kernel(
// CHECK-SAME: reasons = ["one group a row"]
// CHECK: graph.reduce "sum"
// CHECK-LABEL: schedule.func @channels(
// CHECK-COUNT-2: schedule.launch
// CHECK-NOT: schedule.launch
// CHECK: schedule.return
// CHECK-NOT: graph.reduce
graph.func @channels(%x: !tsr.tensor<["B", "C", "L"], f32>) -> !tsr.tensor<["B", "C", "L"], f32> attributes {
    dims = ["B", "C", "L"], params = [#tsr.param<"x", in>], outputs = [#tsr.result<"y", !tsr.tensor<["B", "C", "L"], f32>>]} {
  %s = graph.reduce "sum" %x {axes = array<i64: 0, 2>} : !tsr.tensor<["B", "C", "L"], f32> to !tsr.tensor<["C"], f32>
  %m = graph.broadcast %s {axes = array<i64: 1>} : !tsr.tensor<["C"], f32> to !tsr.tensor<["B", "C", "L"], f32>
  %y = graph.elementwise "sub" %x, %m : !tsr.tensor<["B", "C", "L"], f32>
  graph.return %y : !tsr.tensor<["B", "C", "L"], f32>
}

// -----

// The mean is returned, and deviations are taken from it: it is added up once.
// CHECK-LABEL: schedule.kernel @moments_kernel(
// CHECK-LABEL: schedule.func @moments(
// CHECK: %[[M:.*]] = schedule.temp : <[], f32>
// CHECK: schedule.launch @moments_kernel(%x, %[[M]])
// CHECK: schedule.launch @moments_kernel_1(%[[M]], %{{.*}})
// CHECK: schedule.launch @moments_kernel_2(%x, %[[M]], %{{.*}})
graph.func @moments(%x: !tsr.tensor<["N"], f32>) -> (!tsr.tensor<[], f32>, !tsr.tensor<[], f32>) attributes {
    dims = ["N"], params = [#tsr.param<"x", in>], outputs = [#tsr.result<"m", !tsr.tensor<[], f32>>, #tsr.result<"v", !tsr.tensor<[], f32>>]} {
  %m = graph.reduce "sum" %x {axes = array<i64: 0>} : <["N"], f32> to f32
  %all = graph.full %m : f32 to <["N"], f32>
  %d = graph.elementwise "sub" %x, %all : !tsr.tensor<["N"], f32>
  %q = graph.elementwise "mul" %d, %d : !tsr.tensor<["N"], f32>
  %v = graph.reduce "sum" %q {axes = array<i64: 0>} : <["N"], f32> to f32
  %0 = graph.full %m : f32 to <[], f32>
  %1 = graph.full %v : f32 to <[], f32>
  graph.return %0, %1 : !tsr.tensor<[], f32>, !tsr.tensor<[], f32>
}

// Sums along rows of groups of channels, in front of what is done to each channel: one kernel goes over the rows and stores all that is needed
// of them.
// CHECK-LABEL: schedule.kernel @of_channels_kernel(
// CHECK-SAME: one group a row; it stores all that is needed of the row
// CHECK: graph.reduce "min"
// CHECK: graph.reduce "max"
// CHECK: schedule.kernel_end
// CHECK-LABEL: schedule.kernel @of_channels_kernel_1(
// CHECK-NOT: graph.reduce
// CHECK-LABEL: schedule.func @of_channels(
// CHECK: schedule.launch @of_channels_kernel(
// CHECK: schedule.launch @of_channels_kernel_1(
// CHECK-NEXT: schedule.return
graph.func @of_channels(%x: !tsr.tensor<["B", "6", "64"], f32>, %g: !tsr.tensor<["6"], f32>) -> !tsr.tensor<["B", "6", "64"], f32> attributes {
    dims = ["B"], params = [#tsr.param<"x", in>, #tsr.param<"g", in>], outputs = [#tsr.result<"result", !tsr.tensor<["B", "6", "64"], f32>>]} {
  %rows = graph.reshape %x : <["B", "6", "64"], f32> to <["B", "2", "192"], f32>
  %low = graph.reduce "min" %rows {axes = array<i64: 2>} : <["B", "2", "192"], f32> to !tsr.tensor<["B", "2"], f32>
  %high = graph.reduce "max" %rows {axes = array<i64: 2>} : <["B", "2", "192"], f32> to !tsr.tensor<["B", "2"], f32>
  %wide = graph.elementwise "sub" %high, %low : !tsr.tensor<["B", "2"], f32>
  %lows = graph.broadcast %low {axes = array<i64: 0, 1>} : <["B", "2"], f32> to <["B", "2", "192"], f32>
  %widths = graph.broadcast %wide {axes = array<i64: 0, 1>} : <["B", "2"], f32> to <["B", "2", "192"], f32>
  %moved = graph.elementwise "sub" %rows, %lows : !tsr.tensor<["B", "2", "192"], f32>
  %scaled = graph.elementwise "div" %moved, %widths : !tsr.tensor<["B", "2", "192"], f32>
  %back = graph.reshape %scaled : <["B", "2", "192"], f32> to <["B", "6", "64"], f32>
  %each = graph.broadcast %g {axes = array<i64: 1>} : <["6"], f32> to <["B", "6", "64"], f32>
  %result = graph.elementwise "mul" %back, %each : !tsr.tensor<["B", "6", "64"], f32>
  graph.return %result : !tsr.tensor<["B", "6", "64"], f32>
}
