// Roles and rings: what they look like, and every rule of them, broken once.
// RUN: tessera-opt %s -split-input-file -verify-diagnostics | FileCheck %s

// CHECK-LABEL: tile.kernel @copies
tile.kernel @copies(%x: !tsr.view<["M", "64"], bf16>, %y: !tsr.view<["M", "64"], bf16>) attributes {dims = ["M"],
    params = [#tsr.param<"x", in>, #tsr.param<"y", out>], outputs = [], grid = #tsr.grid<explicit, ["1"]>, group = 128 : i64,
    context = ["stages"], sizes = {stages = 2 : i64}} {
  %tiles = tile.alloc_shared {manual} : !tsr.shared<["T.stages", "64", "64"], bf16, "panels">
  // CHECK: %[[RING:.*]] = tile.ring : <"T.stages">
  %ring = tile.ring : <"T.stages">
  // CHECK: tile.roles registers 40 232 producer {
  tile.roles registers 40 232 producer {
    %c0 = tile.constant 0 : index
    // CHECK: tile.ring_acquire %[[RING]] : <"T.stages">
    %s = tile.ring_acquire %ring : <"T.stages">
    %t = tile.select_buffer %tiles[%s] : <["T.stages", "64", "64"], bf16, "panels"> to <["64", "64"], bf16, "panels">
    tile.copy %x[%c0 size "64", %c0 size "64"] to %t {async} : <["M", "64"], bf16> to <["64", "64"], bf16, "panels">
    // CHECK: tile.ring_publish %[[RING]] : <"T.stages">
    tile.ring_publish %ring : <"T.stages">
  // CHECK: } consumers {
  } consumers {
    %c0 = tile.constant 0 : index
    // CHECK: tile.ring_wait %[[RING]] : <"T.stages">
    %s = tile.ring_wait %ring : <"T.stages">
    %t = tile.select_buffer %tiles[%s] : <["T.stages", "64", "64"], bf16, "panels"> to <["64", "64"], bf16, "panels">
    %f = tile.read_shared %t[%c0 size "64" in_bounds, %c0 size "64" in_bounds] : <["64", "64"], bf16, "panels"> to <["64", "64"], bf16, #tile.mma<4 x 1>>
    // CHECK: tile.ring_release %[[RING]] : <"T.stages">
    tile.ring_release %ring : <"T.stages">
    // CHECK: tile.store_fragment {{.*}} {bulk}
    tile.store_fragment %f, %y[%c0 size "64", %c0 size "64"] {bulk} : <["64", "64"], bf16, #tile.mma<4 x 1>>, <["M", "64"], bf16>
  }
  tile.kernel_end
}

// -----

tile.kernel @other_half(%y: !tsr.view<["M", "64"], bf16>) attributes {dims = ["M"], params = [#tsr.param<"y", out>],
    outputs = [], grid = #tsr.grid<explicit, ["1"]>, group = 128 : i64} {
  %ring = tile.ring : <"2">
  tile.roles registers 40 232 producer {
    // expected-error @+1 {{is no step of the producer}}
    %s = tile.ring_wait %ring : <"2">
    tile.ring_release %ring : <"2">
  } consumers {
    %s = tile.ring_wait %ring : <"2">
    tile.ring_release %ring : <"2">
  }
  tile.kernel_end
}

// -----

tile.kernel @never_published(%y: !tsr.view<["M", "64"], bf16>) attributes {dims = ["M"], params = [#tsr.param<"y", out>],
    outputs = [], grid = #tsr.grid<explicit, ["1"]>, group = 128 : i64} {
  %ring = tile.ring : <"2">
  // expected-error @+1 {{begins and ends the stages of a ring in different numbers}}
  tile.roles registers 40 232 producer {
    %s = tile.ring_acquire %ring : <"2">
  } consumers {
    %s = tile.ring_wait %ring : <"2">
    tile.ring_release %ring : <"2">
  }
  tile.kernel_end
}

// -----

// CHECK-LABEL: tile.kernel @turns
tile.kernel @turns(%y: !tsr.view<["M", "64"], bf16>) attributes {dims = ["M"], params = [#tsr.param<"y", out>],
    outputs = [], grid = #tsr.grid<output, ["T.m", "64"], param = 0>, group = 256 : i64, context = ["m"], sizes = {m = 128 : i64},
    longest_first = 0 : i64} {
  tile.roles registers 40 232 producer {
  } consumers {
    // CHECK: tile.take_turn
    tile.take_turn
    // CHECK: tile.pass_turn
    tile.pass_turn
    // CHECK: tile.finish_products
    tile.finish_products
  }
  tile.kernel_end
}

// -----

tile.kernel @turn_of_the_producer(%y: !tsr.view<["M", "64"], bf16>) attributes {dims = ["M"], params = [#tsr.param<"y", out>],
    outputs = [], grid = #tsr.grid<explicit, ["1"]>, group = 256 : i64} {
  tile.roles registers 40 232 producer {
    // expected-error @+1 {{is no step of the producer}}
    tile.take_turn
  } consumers {
    tile.pass_turn
  }
  tile.kernel_end
}

// -----

tile.kernel @never_passed(%y: !tsr.view<["M", "64"], bf16>) attributes {dims = ["M"], params = [#tsr.param<"y", out>],
    outputs = [], grid = #tsr.grid<explicit, ["1"]>, group = 256 : i64} {
  // expected-error @+1 {{takes and passes turns in different numbers}}
  tile.roles registers 40 232 producer {
  } consumers {
    tile.take_turn
  }
  tile.kernel_end
}

// -----

// expected-error @+1 {{has no axis 2 to go along}}
tile.kernel @no_such_axis(%y: !tsr.view<["M", "64"], bf16>) attributes {dims = ["M"], params = [#tsr.param<"y", out>],
    outputs = [], grid = #tsr.grid<output, ["T.m", "64"], param = 0>, group = 256 : i64, context = ["m"], sizes = {m = 128 : i64},
    longest_first = 2 : i64} {
  tile.kernel_end
}

// -----

// CHECK-LABEL: tile.kernel @teams
tile.kernel @teams(%y: !tsr.view<["M", "64"], bf16>) attributes {dims = ["M", "K"], params = [#tsr.param<"y", out>],
    outputs = [], grid = #tsr.grid<output, ["T.m", "64"], param = 0>, group = 128 : i64, context = ["m"], sizes = {m = 128 : i64}} {
  // CHECK: %[[RING:.*]] = tile.ring
  %ring = tile.ring : <"4">
  // CHECK: tile.roles registers 40 232 teams 2 producer
  tile.roles registers 40 232 teams 2 producer {
  } consumers {
    tile.take_turn
    // CHECK: tile.ring_seek %[[RING]], "K" : <"4">
    tile.ring_seek %ring, "K" : <"4">
    %s = tile.ring_wait %ring : <"4">
    // CHECK: tile.ring_release %[[RING]] {late} : <"4">
    tile.ring_release %ring {late} : <"4">
    tile.pass_turn
    // CHECK: tile.ring_drain %[[RING]] : <"4">
    tile.ring_drain %ring : <"4">
  }
  tile.kernel_end
}

// -----

tile.kernel @teams_that_do_not_seek(%y: !tsr.view<["M", "64"], bf16>) attributes {dims = ["M"], params = [#tsr.param<"y", out>],
    outputs = [], grid = #tsr.grid<explicit, ["1"]>, group = 128 : i64} {
  // expected-error @+1 {{has teams that do not seek the stages of their tiles}}
  tile.roles registers 40 232 teams 2 producer {
  } consumers {
  }
  tile.kernel_end
}

// -----

tile.kernel @seeks_alone(%y: !tsr.view<["M", "64"], bf16>) attributes {dims = ["M"], params = [#tsr.param<"y", out>],
    outputs = [], grid = #tsr.grid<explicit, ["1"]>, group = 128 : i64} {
  %ring = tile.ring : <"2">
  // expected-error @+1 {{seeks stages without teams}}
  tile.roles registers 40 232 producer {
  } consumers {
    tile.ring_seek %ring, "M" : <"2">
  }
  tile.kernel_end
}

// -----

// CHECK-LABEL: tile.kernel @clusters
tile.kernel @clusters(%b: !tsr.view<["K", "64"], bf16>, %y: !tsr.view<["M", "64"], bf16>) attributes {dims = ["M", "K"],
    params = [#tsr.param<"b", in>, #tsr.param<"y", out>], outputs = [], grid = #tsr.grid<output, ["T.m", "T.n"], param = 1>, group = 256 : i64,
    context = ["m", "n"], sizes = {m = 128 : i64, n = 64 : i64}} {
  %tiles = tile.alloc_shared {manual} : !tsr.shared<["2", "64", "64"], bf16, "panels">
  // CHECK: tile.ring {cluster} : <"2">
  %ring = tile.ring {cluster} : <"2">
  // CHECK: tile.roles registers 40 232 clusters producer
  tile.roles registers 40 232 clusters producer {
    %c0 = tile.constant 0 : index
    %s = tile.ring_acquire %ring : <"2">
    %to = tile.select_buffer %tiles[%s] : !tsr.shared<["2", "64", "64"], bf16, "panels"> to !tsr.shared<["64", "64"], bf16, "panels">
    // CHECK: tile.copy {{.*}} {async, cluster}
    tile.copy %b[%c0 size "64", %c0 size "64"] to %to {async, cluster} : <["K", "64"], bf16> to <["64", "64"], bf16, "panels">
    tile.ring_publish %ring : <"2">
  } consumers {
    %s = tile.ring_wait %ring : <"2">
    tile.ring_release %ring : <"2">
  }
  tile.kernel_end
}

// -----

tile.kernel @ring_of_one_group(%b: !tsr.view<["K", "64"], bf16>, %y: !tsr.view<["M", "64"], bf16>) attributes {dims = ["M", "K"],
    params = [#tsr.param<"b", in>, #tsr.param<"y", out>], outputs = [], grid = #tsr.grid<output, ["T.m", "T.n"], param = 1>, group = 256 : i64,
    context = ["m", "n"], sizes = {m = 128 : i64, n = 64 : i64}} {
  %tiles = tile.alloc_shared {manual} : !tsr.shared<["2", "64", "64"], bf16, "panels">
  %ring = tile.ring : <"2">
  tile.roles registers 40 232 clusters producer {
    %c0 = tile.constant 0 : index
    %s = tile.ring_acquire %ring : <"2">
    %to = tile.select_buffer %tiles[%s] : !tsr.shared<["2", "64", "64"], bf16, "panels"> to !tsr.shared<["64", "64"], bf16, "panels">
    // expected-error @+1 {{is for all groups of a cluster, and fills no stage of a ring with `cluster`}}
    tile.copy %b[%c0 size "64", %c0 size "64"] to %to {async, cluster} : <["K", "64"], bf16> to <["64", "64"], bf16, "panels">
    tile.ring_publish %ring : <"2">
  } consumers {
    %s = tile.ring_wait %ring : <"2">
    tile.ring_release %ring : <"2">
  }
  tile.kernel_end
}
