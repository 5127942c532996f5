// Every rule of the tile dialect, broken once.
// RUN: tessera-opt %s -split-input-file -verify-diagnostics

tile.kernel @k(%x: !tsr.view<["M", "N"], f32>) attributes {dims = ["M", "N"], params = [#tsr.param<"x", inout>], outputs = [],
    grid = #tsr.grid<explicit, ["1"]>, group = 256 : i64, context = ["m", "n"], sizes = {m = 64 : i64, n = 64 : i64}} {
  %c0 = tile.constant 0 : index
  %zero = tile.constant 0.0 : f32
  %f = tile.fill %zero : f32 to <["T.m", "T.n"], f32, #tile.grid<16 x 16>>
  %r = tile.fill %zero : f32 to <["T.m"], f32, #tile.slice<1, #tile.grid<16 x 16>>>
  %s = tile.alloc_shared : <["T.m", "T.n"], f32, "">
  // expected-error @+1 {{a fragment of rank 2 cannot have the layout #tile.slice<1, #tile.grid<16 x 16>>: rank 2 has a layout of tiles, rank 1 a slice of one}}
  %y = tile.fill %zero : f32 to <["T.m", "T.n"], f32, #tile.slice<1, #tile.grid<16 x 16>>>
  tile.kernel_end
}

// -----

tile.kernel @k(%x: !tsr.view<["M", "N"], f32>) attributes {dims = ["M", "N"], params = [#tsr.param<"x", inout>], outputs = [],
    grid = #tsr.grid<explicit, ["1"]>, group = 256 : i64, context = ["m", "n"], sizes = {m = 64 : i64, n = 64 : i64}} {
  %c0 = tile.constant 0 : index
  %zero = tile.constant 0.0 : f32
  %f = tile.fill %zero : f32 to <["T.m", "T.n"], f32, #tile.grid<16 x 16>>
  %r = tile.fill %zero : f32 to <["T.m"], f32, #tile.slice<1, #tile.grid<16 x 16>>>
  %s = tile.alloc_shared : <["T.m", "T.n"], f32, "">
  // expected-error @+2 {{a slice lacks axis 0 or 1, not 2}}
  // expected-error @+1 {{failed to parse Tile_FragmentType parameter 'layout'}}
  %y = tile.fill %zero : f32 to <["T.m"], f32, #tile.slice<2, #tile.grid<16 x 16>>>
  tile.kernel_end
}

// -----

tile.kernel @k(%x: !tsr.view<["M", "N"], f32>) attributes {dims = ["M", "N"], params = [#tsr.param<"x", inout>], outputs = [],
    grid = #tsr.grid<explicit, ["1"]>, group = 256 : i64, context = ["m", "n"], sizes = {m = 64 : i64, n = 64 : i64}} {
  %c0 = tile.constant 0 : index
  %zero = tile.constant 0.0 : f32
  %f = tile.fill %zero : f32 to <["T.m", "T.n"], f32, #tile.grid<16 x 16>>
  %r = tile.fill %zero : f32 to <["T.m"], f32, #tile.slice<1, #tile.grid<16 x 16>>>
  %s = tile.alloc_shared : <["T.m", "T.n"], f32, "">
  // expected-error @+2 {{a thread grid has 1 to 1024 lanes, this one has 64 x 64}}
  // expected-error @+1 {{failed to parse Tile_FragmentType parameter 'layout'}}
  %y = tile.fill %zero : f32 to <["T.m", "T.n"], f32, #tile.grid<64 x 64>>
  tile.kernel_end
}

// -----

tile.kernel @k(%x: !tsr.view<["M", "N"], f32>) attributes {dims = ["M", "N"], params = [#tsr.param<"x", inout>], outputs = [],
    grid = #tsr.grid<explicit, ["1"]>, group = 256 : i64, context = ["m", "n"], sizes = {m = 64 : i64, n = 64 : i64}} {
  %c0 = tile.constant 0 : index
  %zero = tile.constant 0.0 : f32
  %f = tile.fill %zero : f32 to <["T.m", "T.n"], f32, #tile.grid<16 x 16>>
  %r = tile.fill %zero : f32 to <["T.m"], f32, #tile.slice<1, #tile.grid<16 x 16>>>
  %s = tile.alloc_shared : <["T.m", "T.n"], f32, "">
  // expected-error @+1 {{a fragment over 128 lanes in a group of 256}}
  %y = tile.fill %zero : f32 to <["T.m", "T.n"], f32, #tile.grid<8 x 16>>
  tile.kernel_end
}

// -----

tile.kernel @k(%x: !tsr.view<["M", "N"], f32>) attributes {dims = ["M", "N"], params = [#tsr.param<"x", inout>], outputs = [],
    grid = #tsr.grid<explicit, ["1"]>, group = 256 : i64, context = ["m", "n"], sizes = {m = 64 : i64, n = 64 : i64}} {
  %c0 = tile.constant 0 : index
  %zero = tile.constant 0.0 : f32
  %f = tile.fill %zero : f32 to <["T.m", "T.n"], f32, #tile.grid<16 x 16>>
  %r = tile.fill %zero : f32 to <["T.m"], f32, #tile.slice<1, #tile.grid<16 x 16>>>
  %s = tile.alloc_shared : <["T.m", "T.n"], f32, "">
  // expected-error @+1 {{depends on M, which is neither in 'sizes' nor in 'capacity' of the kernel}}
  %y = tile.fill %zero : f32 to <["M", "T.n"], f32, #tile.grid<16 x 16>>
  tile.kernel_end
}

// -----

tile.kernel @k(%x: !tsr.view<["M", "N"], f32>) attributes {dims = ["M", "N"], params = [#tsr.param<"x", inout>], outputs = [],
    grid = #tsr.grid<explicit, ["1"]>, group = 256 : i64, context = ["m", "n"], sizes = {m = 64 : i64, n = 64 : i64}} {
  %c0 = tile.constant 0 : index
  %zero = tile.constant 0.0 : f32
  %f = tile.fill %zero : f32 to <["T.m", "T.n"], f32, #tile.grid<16 x 16>>
  %r = tile.fill %zero : f32 to <["T.m"], f32, #tile.slice<1, #tile.grid<16 x 16>>>
  %s = tile.alloc_shared : <["T.m", "T.n"], f32, "">
  // expected-error @+1 {{depends on N, which is neither in 'sizes' nor in 'capacity' of the kernel}}
  %y = tile.alloc_shared : <["N"], f32, "">
  tile.kernel_end
}

// -----

tile.kernel @k(%x: !tsr.view<["M", "N"], f32>) attributes {dims = ["M", "N"], params = [#tsr.param<"x", inout>], outputs = [],
    grid = #tsr.grid<explicit, ["1"]>, group = 256 : i64, context = ["m", "n"], sizes = {m = 64 : i64, n = 64 : i64}} {
  %c0 = tile.constant 0 : index
  %zero = tile.constant 0.0 : f32
  %f = tile.fill %zero : f32 to <["T.m", "T.n"], f32, #tile.grid<16 x 16>>
  %r = tile.fill %zero : f32 to <["T.m"], f32, #tile.slice<1, #tile.grid<16 x 16>>>
  %s = tile.alloc_shared : <["T.m", "T.n"], f32, "">
  // expected-error @+1 {{"N + M" is not in normal form, which is "M + N"}}
  %y = tile.dim "N + M"
  tile.kernel_end
}

// -----

tile.kernel @k(%x: !tsr.view<["M", "N"], f32>) attributes {dims = ["M", "N"], params = [#tsr.param<"x", inout>], outputs = [],
    grid = #tsr.grid<explicit, ["1"]>, group = 256 : i64, context = ["m", "n"], sizes = {m = 64 : i64, n = 64 : i64}} {
  %c0 = tile.constant 0 : index
  %zero = tile.constant 0.0 : f32
  %f = tile.fill %zero : f32 to <["T.m", "T.n"], f32, #tile.grid<16 x 16>>
  %r = tile.fill %zero : f32 to <["T.m"], f32, #tile.slice<1, #tile.grid<16 x 16>>>
  %s = tile.alloc_shared : <["T.m", "T.n"], f32, "">
  // expected-error @+1 {{"M +" is not a dimension}}
  %y = tile.dim "M +"
  tile.kernel_end
}

// -----

tile.kernel @k(%x: !tsr.view<["M", "N"], f32>) attributes {dims = ["M", "N"], params = [#tsr.param<"x", inout>], outputs = [],
    grid = #tsr.grid<explicit, ["1"]>, group = 256 : i64, context = ["m", "n"], sizes = {m = 64 : i64, n = 64 : i64}} {
  %c0 = tile.constant 0 : index
  %zero = tile.constant 0.0 : f32
  %f = tile.fill %zero : f32 to <["T.m", "T.n"], f32, #tile.grid<16 x 16>>
  %r = tile.fill %zero : f32 to <["T.m"], f32, #tile.slice<1, #tile.grid<16 x 16>>>
  %s = tile.alloc_shared : <["T.m", "T.n"], f32, "">
  // expected-error @+1 {{there is no query "lane"}}
  %y = tile.query "lane"
  tile.kernel_end
}

// -----

tile.kernel @k(%x: !tsr.view<["M", "N"], f32>) attributes {dims = ["M", "N"], params = [#tsr.param<"x", inout>], outputs = [],
    grid = #tsr.grid<explicit, ["1"]>, group = 256 : i64, context = ["m", "n"], sizes = {m = 64 : i64, n = 64 : i64}} {
  %c0 = tile.constant 0 : index
  %zero = tile.constant 0.0 : f32
  %f = tile.fill %zero : f32 to <["T.m", "T.n"], f32, #tile.grid<16 x 16>>
  %r = tile.fill %zero : f32 to <["T.m"], f32, #tile.slice<1, #tile.grid<16 x 16>>>
  %s = tile.alloc_shared : <["T.m", "T.n"], f32, "">
  // expected-error @+1 {{unknown elementwise operation 'plus'}}
  %y = tile.elementwise "plus" %zero, %zero : f32
  tile.kernel_end
}

// -----

tile.kernel @k(%x: !tsr.view<["M", "N"], f32>) attributes {dims = ["M", "N"], params = [#tsr.param<"x", inout>], outputs = [],
    grid = #tsr.grid<explicit, ["1"]>, group = 256 : i64, context = ["m", "n"], sizes = {m = 64 : i64, n = 64 : i64}} {
  %c0 = tile.constant 0 : index
  %zero = tile.constant 0.0 : f32
  %f = tile.fill %zero : f32 to <["T.m", "T.n"], f32, #tile.grid<16 x 16>>
  %r = tile.fill %zero : f32 to <["T.m"], f32, #tile.slice<1, #tile.grid<16 x 16>>>
  %s = tile.alloc_shared : <["T.m", "T.n"], f32, "">
  // expected-error @+1 {{changes more than the element type}}
  %y = tile.cast %f : !tile.fragment<["T.m", "T.n"], f32, #tile.grid<16 x 16>> to bf16
  tile.kernel_end
}

// -----

tile.kernel @k(%x: !tsr.view<["M", "N"], f32>) attributes {dims = ["M", "N"], params = [#tsr.param<"x", inout>], outputs = [],
    grid = #tsr.grid<explicit, ["1"]>, group = 256 : i64, context = ["m", "n"], sizes = {m = 64 : i64, n = 64 : i64}} {
  %c0 = tile.constant 0 : index
  %zero = tile.constant 0.0 : f32
  %f = tile.fill %zero : f32 to <["T.m", "T.n"], f32, #tile.grid<16 x 16>>
  %r = tile.fill %zero : f32 to <["T.m"], f32, #tile.slice<1, #tile.grid<16 x 16>>>
  %s = tile.alloc_shared : <["T.m", "T.n"], f32, "">
  // expected-error @+1 {{there is no rounding "sideways"}}
  %y = tile.cast %zero {rounding = "sideways"} : f32 to bf16
  tile.kernel_end
}

// -----

tile.kernel @k(%x: !tsr.view<["M", "N"], f32>) attributes {dims = ["M", "N"], params = [#tsr.param<"x", inout>], outputs = [],
    grid = #tsr.grid<explicit, ["1"]>, group = 256 : i64, context = ["m", "n"], sizes = {m = 64 : i64, n = 64 : i64}} {
  %c0 = tile.constant 0 : index
  %zero = tile.constant 0.0 : f32
  %f = tile.fill %zero : f32 to <["T.m", "T.n"], f32, #tile.grid<16 x 16>>
  %r = tile.fill %zero : f32 to <["T.m"], f32, #tile.slice<1, #tile.grid<16 x 16>>>
  %s = tile.alloc_shared : <["T.m", "T.n"], f32, "">
  // expected-error @+1 {{unknown reduction 'least'}}
  %y = tile.group_reduce "least" %zero : f32
  tile.kernel_end
}

// -----

tile.kernel @k(%x: !tsr.view<["M", "N"], f32>) attributes {dims = ["M", "N"], params = [#tsr.param<"x", inout>], outputs = [],
    grid = #tsr.grid<explicit, ["1"]>, group = 256 : i64, context = ["m", "n"], sizes = {m = 64 : i64, n = 64 : i64}} {
  %c0 = tile.constant 0 : index
  %zero = tile.constant 0.0 : f32
  %f = tile.fill %zero : f32 to <["T.m", "T.n"], f32, #tile.grid<16 x 16>>
  %r = tile.fill %zero : f32 to <["T.m"], f32, #tile.slice<1, #tile.grid<16 x 16>>>
  %s = tile.alloc_shared : <["T.m", "T.n"], f32, "">
  // expected-error @+1 {{fills with 'f32', which is not the element type}}
  %y = tile.fill %zero : f32 to <["T.m", "T.n"], bf16, #tile.grid<16 x 16>>
  tile.kernel_end
}

// -----

tile.kernel @k(%x: !tsr.view<["M", "N"], f32>) attributes {dims = ["M", "N"], params = [#tsr.param<"x", inout>], outputs = [],
    grid = #tsr.grid<explicit, ["1"]>, group = 256 : i64, context = ["m", "n"], sizes = {m = 64 : i64, n = 64 : i64}} {
  %c0 = tile.constant 0 : index
  %zero = tile.constant 0.0 : f32
  %f = tile.fill %zero : f32 to <["T.m", "T.n"], f32, #tile.grid<16 x 16>>
  %r = tile.fill %zero : f32 to <["T.m"], f32, #tile.slice<1, #tile.grid<16 x 16>>>
  %s = tile.alloc_shared : <["T.m", "T.n"], f32, "">
  // expected-error @+1 {{counts in i32, not 'f32'}}
  %y = tile.iota {axis = 0} : <["T.m", "T.n"], f32, #tile.grid<16 x 16>>
  tile.kernel_end
}

// -----

tile.kernel @k(%x: !tsr.view<["M", "N"], f32>) attributes {dims = ["M", "N"], params = [#tsr.param<"x", inout>], outputs = [],
    grid = #tsr.grid<explicit, ["1"]>, group = 256 : i64, context = ["m", "n"], sizes = {m = 64 : i64, n = 64 : i64}} {
  %c0 = tile.constant 0 : index
  %zero = tile.constant 0.0 : f32
  %f = tile.fill %zero : f32 to <["T.m", "T.n"], f32, #tile.grid<16 x 16>>
  %r = tile.fill %zero : f32 to <["T.m"], f32, #tile.slice<1, #tile.grid<16 x 16>>>
  %s = tile.alloc_shared : <["T.m", "T.n"], f32, "">
  // expected-error @+1 {{axis 2 is outside rank 2}}
  %y = tile.iota {axis = 2} : <["T.m", "T.n"], i32, #tile.grid<16 x 16>>
  tile.kernel_end
}

// -----

tile.kernel @k(%x: !tsr.view<["M", "N"], f32>) attributes {dims = ["M", "N"], params = [#tsr.param<"x", inout>], outputs = [],
    grid = #tsr.grid<explicit, ["1"]>, group = 256 : i64, context = ["m", "n"], sizes = {m = 64 : i64, n = 64 : i64}} {
  %c0 = tile.constant 0 : index
  %zero = tile.constant 0.0 : f32
  %f = tile.fill %zero : f32 to <["T.m", "T.n"], f32, #tile.grid<16 x 16>>
  %r = tile.fill %zero : f32 to <["T.m"], f32, #tile.slice<1, #tile.grid<16 x 16>>>
  %s = tile.alloc_shared : <["T.m", "T.n"], f32, "">
  // expected-error @+1 {{is not the slice}}
  %y = tile.broadcast %r : <["T.m"], f32, #tile.slice<1, #tile.grid<16 x 16>>> to <["T.n", "T.n"], f32, #tile.grid<16 x 16>>
  tile.kernel_end
}

// -----

tile.kernel @k(%x: !tsr.view<["M", "N"], f32>) attributes {dims = ["M", "N"], params = [#tsr.param<"x", inout>], outputs = [],
    grid = #tsr.grid<explicit, ["1"]>, group = 256 : i64, context = ["m", "n"], sizes = {m = 64 : i64, n = 64 : i64}} {
  %c0 = tile.constant 0 : index
  %zero = tile.constant 0.0 : f32
  %f = tile.fill %zero : f32 to <["T.m", "T.n"], f32, #tile.grid<16 x 16>>
  %r = tile.fill %zero : f32 to <["T.m"], f32, #tile.slice<1, #tile.grid<16 x 16>>>
  %s = tile.alloc_shared : <["T.m", "T.n"], f32, "">
  // expected-error @+1 {{repeats a vector to a tile of rank 2}}
  %y = tile.broadcast %f : <["T.m", "T.n"], f32, #tile.grid<16 x 16>> to <["T.m", "T.n"], f32, #tile.grid<16 x 16>>
  tile.kernel_end
}

// -----

tile.kernel @k(%x: !tsr.view<["M", "N"], f32>) attributes {dims = ["M", "N"], params = [#tsr.param<"x", inout>], outputs = [],
    grid = #tsr.grid<explicit, ["1"]>, group = 256 : i64, context = ["m", "n"], sizes = {m = 64 : i64, n = 64 : i64}} {
  %c0 = tile.constant 0 : index
  %zero = tile.constant 0.0 : f32
  %f = tile.fill %zero : f32 to <["T.m", "T.n"], f32, #tile.grid<16 x 16>>
  %r = tile.fill %zero : f32 to <["T.m"], f32, #tile.slice<1, #tile.grid<16 x 16>>>
  %s = tile.alloc_shared : <["T.m", "T.n"], f32, "">
  // expected-error @+1 {{axis 2 is outside rank 2}}
  %y = tile.reduce "sum" %f {axis = 2} : <["T.m", "T.n"], f32, #tile.grid<16 x 16>> to f32
  tile.kernel_end
}

// -----

tile.kernel @k(%x: !tsr.view<["M", "N"], f32>) attributes {dims = ["M", "N"], params = [#tsr.param<"x", inout>], outputs = [],
    grid = #tsr.grid<explicit, ["1"]>, group = 256 : i64, context = ["m", "n"], sizes = {m = 64 : i64, n = 64 : i64}} {
  %c0 = tile.constant 0 : index
  %zero = tile.constant 0.0 : f32
  %f = tile.fill %zero : f32 to <["T.m", "T.n"], f32, #tile.grid<16 x 16>>
  %r = tile.fill %zero : f32 to <["T.m"], f32, #tile.slice<1, #tile.grid<16 x 16>>>
  %s = tile.alloc_shared : <["T.m", "T.n"], f32, "">
  // expected-error @+1 {{gives '!tile.fragment<["T.m"], f32, #tile.slice<1, #tile.grid<16 x 16>>>', not}}
  %y = tile.reduce "sum" %f {axis = 1} : <["T.m", "T.n"], f32, #tile.grid<16 x 16>> to !tile.fragment<["T.n"], f32, #tile.slice<1, #tile.grid<16 x 16>>>
  tile.kernel_end
}

// -----

tile.kernel @k(%x: !tsr.view<["M", "N"], f32>) attributes {dims = ["M", "N"], params = [#tsr.param<"x", inout>], outputs = [],
    grid = #tsr.grid<explicit, ["1"]>, group = 256 : i64, context = ["m", "n"], sizes = {m = 64 : i64, n = 64 : i64}} {
  %c0 = tile.constant 0 : index
  %zero = tile.constant 0.0 : f32
  %f = tile.fill %zero : f32 to <["T.m", "T.n"], f32, #tile.grid<16 x 16>>
  %r = tile.fill %zero : f32 to <["T.m"], f32, #tile.slice<1, #tile.grid<16 x 16>>>
  %s = tile.alloc_shared : <["T.m", "T.n"], f32, "">
  // expected-error @+1 {{multiplies blocks of 8 of tiles in shared memory, [m, n] and [8, n]}}
  %y = tile.dot %f, %s, %s {tsr.blocks = 8 : i64} : <["T.m", "T.n"], f32, #tile.grid<16 x 16>>, !tsr.shared<["T.m", "T.n"], f32, "">, <["T.m", "T.n"], f32, "">
  tile.kernel_end
}

// -----

tile.kernel @k(%x: !tsr.view<["M", "N"], f32>) attributes {dims = ["M", "N"], params = [#tsr.param<"x", inout>], outputs = [],
    grid = #tsr.grid<explicit, ["1"]>, group = 256 : i64, context = ["m", "n"], sizes = {m = 64 : i64, n = 64 : i64}} {
  %c0 = tile.constant 0 : index
  %zero = tile.constant 0.0 : f32
  %f = tile.fill %zero : f32 to <["T.m", "T.n"], f32, #tile.grid<16 x 16>>
  %r = tile.fill %zero : f32 to <["T.m"], f32, #tile.slice<1, #tile.grid<16 x 16>>>
  %s = tile.alloc_shared : <["T.m", "T.n"], f32, "">
  // expected-error @+1 {{adds up over T.n in a and T.m in b}}
  %y = tile.dot %f, %s, %s : <["T.m", "T.n"], f32, #tile.grid<16 x 16>>, !tsr.shared<["T.m", "T.n"], f32, "">, <["T.m", "T.n"], f32, "">
  tile.kernel_end
}

// -----

tile.kernel @k(%x: !tsr.view<["M", "N"], f32>) attributes {dims = ["M", "N"], params = [#tsr.param<"x", inout>], outputs = [],
    grid = #tsr.grid<explicit, ["1"]>, group = 256 : i64, context = ["m", "n"], sizes = {m = 64 : i64, n = 64 : i64}} {
  %c0 = tile.constant 0 : index
  %zero = tile.constant 0.0 : f32
  %f = tile.fill %zero : f32 to <["T.m", "T.n"], f32, #tile.grid<16 x 16>>
  %r = tile.fill %zero : f32 to <["T.m"], f32, #tile.slice<1, #tile.grid<16 x 16>>>
  %s = tile.alloc_shared : <["T.m", "T.n"], f32, "">
  // expected-error @+1 {{the product is [T.m, T.m], the accumulator [T.m, T.n]}}
  %y = tile.dot %f, %s, %s {trans_b} : <["T.m", "T.n"], f32, #tile.grid<16 x 16>>, !tsr.shared<["T.m", "T.n"], f32, "">, <["T.m", "T.n"], f32, "">
  tile.kernel_end
}

// -----

tile.kernel @k(%x: !tsr.view<["M", "N"], f32>) attributes {dims = ["M", "N"], params = [#tsr.param<"x", inout>], outputs = [],
    grid = #tsr.grid<explicit, ["1"]>, group = 256 : i64, context = ["m", "n"], sizes = {m = 64 : i64, n = 64 : i64}} {
  %c0 = tile.constant 0 : index
  %zero = tile.constant 0.0 : f32
  %f = tile.fill %zero : f32 to <["T.m", "T.n"], f32, #tile.grid<16 x 16>>
  %r = tile.fill %zero : f32 to <["T.m"], f32, #tile.slice<1, #tile.grid<16 x 16>>>
  %s = tile.alloc_shared : <["T.m", "T.n"], f32, "">
  // expected-error @+1 {{has 1 indices for a base of rank 2}}
  %y = tile.load_element %x[%c0] : !tsr.view<["M", "N"], f32>
  tile.kernel_end
}

// -----

tile.kernel @k(%x: !tsr.view<["M", "N"], f32>) attributes {dims = ["M", "N"], params = [#tsr.param<"x", inout>], outputs = [],
    grid = #tsr.grid<explicit, ["1"]>, group = 256 : i64, context = ["m", "n"], sizes = {m = 64 : i64, n = 64 : i64}} {
  %c0 = tile.constant 0 : index
  %zero = tile.constant 0.0 : f32
  %f = tile.fill %zero : f32 to <["T.m", "T.n"], f32, #tile.grid<16 x 16>>
  %r = tile.fill %zero : f32 to <["T.m"], f32, #tile.slice<1, #tile.grid<16 x 16>>>
  %s = tile.alloc_shared : <["T.m", "T.n"], f32, "">
  // expected-error @+1 {{'in_bounds' needs 2 entries}}
  %y = tile.load_element %x[%c0, %c0] {in_bounds = array<i1: true>} : !tsr.view<["M", "N"], f32>
  tile.kernel_end
}

// -----

tile.kernel @k(%x: !tsr.view<["M", "N"], f32>) attributes {dims = ["M", "N"], params = [#tsr.param<"x", inout>], outputs = [],
    grid = #tsr.grid<explicit, ["1"]>, group = 256 : i64, context = ["m", "n"], sizes = {m = 64 : i64, n = 64 : i64}} {
  %c0 = tile.constant 0 : index
  %zero = tile.constant 0.0 : f32
  %f = tile.fill %zero : f32 to <["T.m", "T.n"], f32, #tile.grid<16 x 16>>
  %r = tile.fill %zero : f32 to <["T.m"], f32, #tile.slice<1, #tile.grid<16 x 16>>>
  %s = tile.alloc_shared : <["T.m", "T.n"], f32, "">
  // expected-error @+1 {{the value is 'index', the base holds 'f32'}}
  tile.store_element %c0, %x[%c0, %c0] : index, !tsr.view<["M", "N"], f32>
  tile.kernel_end
}

// -----

tile.kernel @k(%x: !tsr.view<["M", "N"], f32>) attributes {dims = ["M", "N"], params = [#tsr.param<"x", inout>], outputs = [],
    grid = #tsr.grid<explicit, ["1"]>, group = 256 : i64, context = ["m", "n"], sizes = {m = 64 : i64, n = 64 : i64}} {
  %c0 = tile.constant 0 : index
  %zero = tile.constant 0.0 : f32
  %f = tile.fill %zero : f32 to <["T.m", "T.n"], f32, #tile.grid<16 x 16>>
  %r = tile.fill %zero : f32 to <["T.m"], f32, #tile.slice<1, #tile.grid<16 x 16>>>
  %s = tile.alloc_shared : <["T.m", "T.n"], f32, "">
  // expected-error @+1 {{reaches a tile of [T.m], not [T.m, T.n]}}
  %y = tile.load_fragment %x[%c0 size "T.m", %c0] : <["M", "N"], f32> to <["T.m", "T.n"], f32, #tile.grid<16 x 16>>
  tile.kernel_end
}

// -----

tile.kernel @k(%x: !tsr.view<["M", "N"], f32>) attributes {dims = ["M", "N"], params = [#tsr.param<"x", inout>], outputs = [],
    grid = #tsr.grid<explicit, ["1"]>, group = 256 : i64, context = ["m", "n"], sizes = {m = 64 : i64, n = 64 : i64}} {
  %c0 = tile.constant 0 : index
  %zero = tile.constant 0.0 : f32
  %f = tile.fill %zero : f32 to <["T.m", "T.n"], f32, #tile.grid<16 x 16>>
  %r = tile.fill %zero : f32 to <["T.m"], f32, #tile.slice<1, #tile.grid<16 x 16>>>
  %s = tile.alloc_shared : <["T.m", "T.n"], f32, "">
  // expected-error @+1 {{'other' is 'index', not 'f32'}}
  %y = tile.load_fragment %x[%c0 size "T.m", %c0 size "T.n"] other %c0 : index : <["M", "N"], f32> to <["T.m", "T.n"], f32, #tile.grid<16 x 16>>
  tile.kernel_end
}

// -----

tile.kernel @k(%x: !tsr.view<["M", "N"], f32>) attributes {dims = ["M", "N"], params = [#tsr.param<"x", inout>], outputs = [],
    grid = #tsr.grid<explicit, ["1"]>, group = 256 : i64, context = ["m", "n"], sizes = {m = 64 : i64, n = 64 : i64}} {
  %c0 = tile.constant 0 : index
  %zero = tile.constant 0.0 : f32
  %f = tile.fill %zero : f32 to <["T.m", "T.n"], f32, #tile.grid<16 x 16>>
  %r = tile.fill %zero : f32 to <["T.m"], f32, #tile.slice<1, #tile.grid<16 x 16>>>
  %s = tile.alloc_shared : <["T.m", "T.n"], f32, "">
  // expected-error @+1 {{only a tile of rank 2 can be 'transposed'}}
  %y = tile.load_fragment %x[%c0 size "T.m", %c0] {transposed} : <["M", "N"], f32> to <["T.m"], f32, #tile.slice<1, #tile.grid<16 x 16>>>
  tile.kernel_end
}

// -----

tile.kernel @k(%x: !tsr.view<["M", "N"], f32>) attributes {dims = ["M", "N"], params = [#tsr.param<"x", inout>], outputs = [],
    grid = #tsr.grid<explicit, ["1"]>, group = 256 : i64, context = ["m", "n"], sizes = {m = 64 : i64, n = 64 : i64}} {
  %c0 = tile.constant 0 : index
  %zero = tile.constant 0.0 : f32
  %f = tile.fill %zero : f32 to <["T.m", "T.n"], f32, #tile.grid<16 x 16>>
  %r = tile.fill %zero : f32 to <["T.m"], f32, #tile.slice<1, #tile.grid<16 x 16>>>
  %s = tile.alloc_shared : <["T.m", "T.n"], f32, "">
  // expected-error @+1 {{reaches a tile of [T.m, T.m], not [T.m, T.n]}}
  tile.store_fragment %f, %x[%c0 size "T.m", %c0 size "T.m"] : <["T.m", "T.n"], f32, #tile.grid<16 x 16>>, <["M", "N"], f32>
  tile.kernel_end
}

// -----

tile.kernel @k(%x: !tsr.view<["M", "N"], f32>) attributes {dims = ["M", "N"], params = [#tsr.param<"x", inout>], outputs = [],
    grid = #tsr.grid<explicit, ["1"]>, group = 256 : i64, context = ["m", "n"], sizes = {m = 64 : i64, n = 64 : i64}} {
  %c0 = tile.constant 0 : index
  %zero = tile.constant 0.0 : f32
  %f = tile.fill %zero : f32 to <["T.m", "T.n"], f32, #tile.grid<16 x 16>>
  %r = tile.fill %zero : f32 to <["T.m"], f32, #tile.slice<1, #tile.grid<16 x 16>>>
  %s = tile.alloc_shared : <["T.m", "T.n"], f32, "">
  // expected-error @+1 {{reaches a tile of [T.m], not [T.m, T.n]}}
  tile.copy %x[%c0 size "T.m", %c0] to %s : <["M", "N"], f32> to <["T.m", "T.n"], f32, "">
  tile.kernel_end
}

// -----

tile.kernel @k(%x: !tsr.view<["M", "N"], f32>) attributes {dims = ["M", "N"], params = [#tsr.param<"x", inout>], outputs = [],
    grid = #tsr.grid<explicit, ["1"]>, group = 256 : i64, context = ["m", "n"], sizes = {m = 64 : i64, n = 64 : i64}} {
  %c0 = tile.constant 0 : index
  %zero = tile.constant 0.0 : f32
  %f = tile.fill %zero : f32 to <["T.m", "T.n"], f32, #tile.grid<16 x 16>>
  %r = tile.fill %zero : f32 to <["T.m"], f32, #tile.slice<1, #tile.grid<16 x 16>>>
  %s = tile.alloc_shared : <["T.m", "T.n"], f32, "">
  // expected-error @+1 {{with the leading dimension dropped}}
  %y = tile.select_buffer %s[%c0] : <["T.m", "T.n"], f32, ""> to <["T.m"], f32, "">
  tile.kernel_end
}

// -----

tile.kernel @k(%x: !tsr.view<["M", "N"], f32>) attributes {dims = ["M", "N"], params = [#tsr.param<"x", inout>], outputs = [],
    grid = #tsr.grid<explicit, ["1"]>, group = 256 : i64, context = ["m", "n"], sizes = {m = 64 : i64, n = 64 : i64}} {
  %c0 = tile.constant 0 : index
  %zero = tile.constant 0.0 : f32
  %f = tile.fill %zero : f32 to <["T.m", "T.n"], f32, #tile.grid<16 x 16>>
  %r = tile.fill %zero : f32 to <["T.m"], f32, #tile.slice<1, #tile.grid<16 x 16>>>
  %s = tile.alloc_shared : <["T.m", "T.n"], f32, "">
  // expected-error @+1 {{there are no participants "warp"; all lanes are "group"}}
  tile.barrier {participants = "warp"}
  tile.kernel_end
}

// -----

// expected-error @+1 {{needs a decided 'group': the number of lanes of a group}}
tile.kernel @k(%x: !tsr.view<["M"], f32>) attributes {dims = ["M"], params = [#tsr.param<"x", inout>], outputs = [],
    grid = #tsr.grid<explicit, ["1"]>} {
  tile.kernel_end
}

// -----

// expected-error @+1 {{the capacities of "M" are not ascending numbers above 0}}
tile.kernel @k(%x: !tsr.view<["M"], f32>) attributes {dims = ["M"], params = [#tsr.param<"x", inout>], outputs = [],
    grid = #tsr.grid<explicit, ["1"]>, group = 32 : i64, capacity = {M = array<i64: 64, 32>}} {
  tile.kernel_end
}

// -----

tile.func @f(%x: !tsr.view<["M"], f32>) attributes {dims = ["M"], params = [#tsr.param<"x", inout>], outputs = []} {
  // expected-error @+1 {{launches @k, which is not a kernel}}
  tile.launch @k(%x) : !tsr.view<["M"], f32>
  tile.return
}

// -----

tile.kernel @k(%x: !tsr.view<["N"], f32>) attributes {dims = ["N"], params = [#tsr.param<"x", inout>], outputs = [],
    grid = #tsr.grid<lanes, ["N"]>, group = 32 : i64} {
  tile.kernel_end
}
tile.func @f(%x: !tsr.view<["N"], f32>, %z: !tsr.view<["M"], f32>, %s: f32) attributes {dims = ["N", "M"],
    params = [#tsr.param<"x", inout>, #tsr.param<"z", inout>, #tsr.param<"s", in>], outputs = []} {
  // expected-error @+1 {{passes 0 values, @k takes 1}}
  tile.launch @k()
  tile.return
}

// -----

tile.kernel @k(%x: !tsr.view<["N"], f32>) attributes {dims = ["N"], params = [#tsr.param<"x", inout>], outputs = [],
    grid = #tsr.grid<lanes, ["N"]>, group = 32 : i64} {
  tile.kernel_end
}
tile.func @f(%x: !tsr.view<["N"], f32>, %z: !tsr.view<["M"], f32>, %s: f32) attributes {dims = ["N", "M"],
    params = [#tsr.param<"x", inout>, #tsr.param<"z", inout>, #tsr.param<"s", in>], outputs = []} {
  // expected-error @+1 {{passes 'f32' where @k takes}}
  tile.launch @k(%s) : f32
  tile.return
}

// -----

tile.kernel @k(%x: !tsr.view<["N"], f32>) attributes {dims = ["N"], params = [#tsr.param<"x", inout>], outputs = [],
    grid = #tsr.grid<lanes, ["N"]>, group = 32 : i64} {
  tile.kernel_end
}
tile.func @f(%x: !tsr.view<["N"], f32>, %z: !tsr.view<["M"], f32>, %s: f32) attributes {dims = ["N", "M"],
    params = [#tsr.param<"x", inout>, #tsr.param<"z", inout>, #tsr.param<"s", in>], outputs = []} {
  // expected-error-re @+1 {{passes {{.*}} where @k takes}}
  tile.launch @k(%z) : !tsr.view<["M"], f32>
  tile.return
}

// -----

tile.kernel @k(%x: !tsr.view<["N"], f32>) attributes {dims = ["N"], params = [#tsr.param<"x", inout>], outputs = [],
    grid = #tsr.grid<lanes, ["N"]>, group = 32 : i64} {
  tile.kernel_end
}
tile.func @f(%x: !tsr.view<["N"], f32>, %z: !tsr.view<["M"], f32>, %s: f32) attributes {dims = ["N", "M"],
    params = [#tsr.param<"x", inout>, #tsr.param<"z", inout>, #tsr.param<"s", in>], outputs = []} {
  // expected-error @+1 {{gives 2 dimensions, @k has 1}}
  tile.launch @k(%x) {dims = #tsr.dims<["N", "M"]>} : !tsr.view<["N"], f32>
  tile.return
}

// -----

tile.kernel @k(%x: !tsr.view<["N"], f32>) attributes {dims = ["N"], params = [#tsr.param<"x", inout>], outputs = [],
    grid = #tsr.grid<lanes, ["N"]>, group = 32 : i64} {
  tile.kernel_end
}
tile.func @f(%x: !tsr.view<["N"], f32>, %z: !tsr.view<["M"], f32>, %s: f32) attributes {dims = ["N", "M"],
    params = [#tsr.param<"x", inout>, #tsr.param<"z", inout>, #tsr.param<"s", in>], outputs = []} {
  // expected-error @+1 {{may not stand in an entry function: it is a list of temporaries, tables, launches and exchanges}}
  %c = tile.constant 0 : index
  tile.return
}

// -----

// expected-error @+1 {{but it takes scalars and views}}
tile.kernel @k(%x: !tsr.tensor<["N"], f32>) attributes {dims = ["N"], params = [#tsr.param<"x", in>], outputs = [],
    grid = #tsr.grid<lanes, ["N"]>, group = 32 : i64} {
  tile.kernel_end
}

// -----

tile.kernel @k(%x: !tsr.view<["M"], f32>) attributes {dims = ["M"], params = [#tsr.param<"x", inout>], outputs = [],
    grid = #tsr.grid<explicit, ["1"]>, group = 256 : i64, context = ["m"], sizes = {m = 64 : i64}} {
  %zero = tile.constant 0.0 : bf16
  %f = tile.fill %zero : bf16 to <["T.m", "T.m"], bf16, #tile.grid<16 x 16>>
  %s = tile.alloc_shared : <["T.m", "T.m"], f32, "">
  // expected-error @+1 {{adds products of 'f32' up in 'bf16', which does not hold them}}
  %y = tile.dot %f, %s, %s : <["T.m", "T.m"], bf16, #tile.grid<16 x 16>>, !tsr.shared<["T.m", "T.m"], f32, "">, <["T.m", "T.m"], f32, "">
  tile.kernel_end
}

// -----

tile.kernel @k(%x: !tsr.view<["R", "C"], bf16>) attributes {dims = ["R", "C"], params = [#tsr.param<"x", inout>], outputs = [],
    grid = #tsr.grid<explicit, ["1"]>, group = 256 : i64} {
  %zero = tile.constant 0 : index
  // expected-error @+1 {{has 1 indices, not 2}}
  %v = tile.load_vector %x[%zero] : !tsr.view<["R", "C"], bf16> to !tile.lane_vector<bf16>
  tile.kernel_end
}

// -----

tile.kernel @k(%x: !tsr.view<["R", "C"], bf16>) attributes {dims = ["R", "C"], params = [#tsr.param<"x", inout>], outputs = [],
    grid = #tsr.grid<explicit, ["1"]>, group = 256 : i64} {
  %zero = tile.constant 0 : index
  // expected-error @+1 {{the vector holds 'f32', the base 'bf16'}}
  %v = tile.load_vector %x[%zero] {flat} : !tsr.view<["R", "C"], bf16> to !tile.lane_vector<f32>
  tile.kernel_end
}

// -----

// expected-error @+1 {{'variants': the last has no conditions}}
tile.kernel @k(%x: !tsr.view<["C"], bf16>) attributes {dims = ["C"], params = [#tsr.param<"x", in>], outputs = [],
    grid = #tsr.grid<lanes, ["C"]>, group = 256 : i64, variants = [{vector = 8 : i64, aligned = array<i64: 0>}]} {
  tile.kernel_end
}

// -----

// expected-error @+1 {{'variants': there is no 'lanes'}}
tile.kernel @k(%x: !tsr.view<["C"], bf16>) attributes {dims = ["C"], params = [#tsr.param<"x", in>], outputs = [],
    grid = #tsr.grid<lanes, ["C"]>, group = 256 : i64, variants = [{vector = 8 : i64, lanes = 3 : i64}]} {
  tile.kernel_end
}

// -----

tile.kernel @k(%x: !tsr.view<["M", "N"], f32>, %z: !tsr.view<["M", "N"], complex<f32>>, %y: !tsr.view<["M", "N"], i64>, %r: !tsr.view<["N", "M"], i64>)
    attributes {dims = ["M", "N"], params = [#tsr.param<"x", in>, #tsr.param<"z", in>, #tsr.param<"y", out>, #tsr.param<"r", out>], outputs = [],
    grid = #tsr.grid<explicit, ["M"]>, group = 32 : i64} {
  %m = tile.query "group_id"
  // expected-error @+1 {{has 0 indices for a row of}}
  tile.argsort_row %x, %y[] : !tsr.view<["M", "N"], f32>, !tsr.view<["M", "N"], i64>
  tile.kernel_end
}

// -----

tile.kernel @k(%x: !tsr.view<["M", "N"], f32>, %z: !tsr.view<["M", "N"], complex<f32>>, %y: !tsr.view<["M", "N"], i64>, %r: !tsr.view<["N", "M"], i64>)
    attributes {dims = ["M", "N"], params = [#tsr.param<"x", in>, #tsr.param<"z", in>, #tsr.param<"y", out>, #tsr.param<"r", out>], outputs = [],
    grid = #tsr.grid<explicit, ["M"]>, group = 32 : i64} {
  %m = tile.query "group_id"
  // expected-error @+1 {{has 0 first places of parts of 0}}
  tile.argsort_row %x, %y[%m] part %m : !tsr.view<["M", "N"], f32>, !tsr.view<["M", "N"], i64>
  tile.kernel_end
}

// -----

tile.kernel @k(%x: !tsr.view<["M", "N"], f32>, %z: !tsr.view<["M", "N"], complex<f32>>, %y: !tsr.view<["M", "N"], i64>, %r: !tsr.view<["N", "M"], i64>)
    attributes {dims = ["M", "N"], params = [#tsr.param<"x", in>, #tsr.param<"z", in>, #tsr.param<"y", out>, #tsr.param<"r", out>], outputs = [],
    grid = #tsr.grid<explicit, ["M"]>, group = 32 : i64} {
  %m = tile.query "group_id"
  // expected-error @+1 {{has 5 first places of parts of 4096, and no part}}
  tile.argsort_row %x, %y[%m] {first = 5 : i64, length = 4096 : i64} : !tsr.view<["M", "N"], f32>, !tsr.view<["M", "N"], i64>
  tile.kernel_end
}

// -----

tile.kernel @k(%x: !tsr.view<["M", "N"], f32>, %z: !tsr.view<["M", "N"], complex<f32>>, %y: !tsr.view<["M", "N"], i64>, %r: !tsr.view<["N", "M"], i64>)
    attributes {dims = ["M", "N"], params = [#tsr.param<"x", in>, #tsr.param<"z", in>, #tsr.param<"y", out>, #tsr.param<"r", out>], outputs = [],
    grid = #tsr.grid<explicit, ["M"]>, group = 32 : i64} {
  %m = tile.query "group_id"
  // expected-error @+1 {{writes the first places of}}
  tile.argsort_row %x, %r[%m] part %m {first = 5 : i64, length = 4096 : i64} : !tsr.view<["M", "N"], f32>, !tsr.view<["N", "M"], i64>
  tile.kernel_end
}

// -----

tile.kernel @k(%x: !tsr.view<["M", "N"], f32>, %z: !tsr.view<["M", "N"], complex<f32>>, %y: !tsr.view<["M", "N"], i64>, %r: !tsr.view<["N", "M"], i64>)
    attributes {dims = ["M", "N"], params = [#tsr.param<"x", in>, #tsr.param<"z", in>, #tsr.param<"y", out>, #tsr.param<"r", out>], outputs = [],
    grid = #tsr.grid<explicit, ["M"]>, group = 32 : i64} {
  %m = tile.query "group_id"
  // expected-error @+1 {{takes all places of}}
  tile.argsort_row %x, %y[%m] of %r : !tsr.view<["N", "M"], i64> : !tsr.view<["M", "N"], f32>, !tsr.view<["M", "N"], i64>
  tile.kernel_end
}

// -----

tile.kernel @k(%x: !tsr.view<["M", "N"], f32>, %z: !tsr.view<["M", "N"], complex<f32>>, %y: !tsr.view<["M", "N"], i64>, %r: !tsr.view<["N", "M"], i64>)
    attributes {dims = ["M", "N"], params = [#tsr.param<"x", in>, #tsr.param<"z", in>, #tsr.param<"y", out>, #tsr.param<"r", out>], outputs = [],
    grid = #tsr.grid<explicit, ["M"]>, group = 32 : i64} {
  %m = tile.query "group_id"
  // expected-error @+1 {{writes the order of}}
  tile.argsort_row %x, %r[%m] : !tsr.view<["M", "N"], f32>, !tsr.view<["N", "M"], i64>
  tile.kernel_end
}

// -----

tile.kernel @k(%x: !tsr.view<["M", "N"], f32>) attributes {dims = ["M", "N"], params = [#tsr.param<"x", inout>], outputs = [],
    grid = #tsr.grid<explicit, ["1"]>, group = 256 : i64, context = ["m", "n"], sizes = {m = 64 : i64, n = 64 : i64}} {
  %c0 = tile.constant 0 : index
  %one = tile.constant 1.0 : f32
  %f = tile.fill %one : f32 to <["T.m", "T.n"], f32, #tile.grid<16 x 16>>
  %word = tile.constant 1 : i64
  %at = tile.fill %word : i64 to <["T.m"], i64, #tile.slice<1, #tile.grid<16 x 16>>>
  // expected-error @+1 {{there is no 'xor' of 'f32' in one step}}
  tile.atomic "xor" %one, %x[%c0, %c0] : (f32, !tsr.view<["M", "N"], f32>, index, index) -> ()
  tile.kernel_end
}

// -----

tile.kernel @k(%x: !tsr.view<["M", "N"], f32>) attributes {dims = ["M", "N"], params = [#tsr.param<"x", inout>], outputs = [],
    grid = #tsr.grid<explicit, ["1"]>, group = 256 : i64, context = ["m", "n"], sizes = {m = 64 : i64, n = 64 : i64}} {
  %c0 = tile.constant 0 : index
  %one = tile.constant 1.0 : f32
  %f = tile.fill %one : f32 to <["T.m", "T.n"], f32, #tile.grid<16 x 16>>
  %word = tile.constant 1 : i64
  %at = tile.fill %word : i64 to <["T.m"], i64, #tile.slice<1, #tile.grid<16 x 16>>>
  // expected-error @+1 {{has 1 indices and 1 proofs for a memory of rank 2}}
  tile.atomic "add" %one, %x[%c0] : (f32, !tsr.view<["M", "N"], f32>, index) -> ()
  tile.kernel_end
}

// -----

tile.kernel @k(%x: !tsr.view<["M", "N"], f32>) attributes {dims = ["M", "N"], params = [#tsr.param<"x", inout>], outputs = [],
    grid = #tsr.grid<explicit, ["1"]>, group = 256 : i64, context = ["m", "n"], sizes = {m = 64 : i64, n = 64 : i64}} {
  %c0 = tile.constant 0 : index
  %one = tile.constant 1.0 : f32
  %f = tile.fill %one : f32 to <["T.m", "T.n"], f32, #tile.grid<16 x 16>>
  %word = tile.constant 1 : i64
  %at = tile.fill %word : i64 to <["T.m"], i64, #tile.slice<1, #tile.grid<16 x 16>>>
  // expected-error @+1 {{not an index or as many integers as}}
  tile.atomic "add" %f, %x[%at, %c0] : (!tile.fragment<["T.m", "T.n"], f32, #tile.grid<16 x 16>>, !tsr.view<["M", "N"], f32>, !tile.fragment<["T.m"], i64, #tile.slice<1, #tile.grid<16 x 16>>>, index) -> ()
  tile.kernel_end
}

// -----

tile.kernel @k(%x: !tsr.view<["M", "N"], f32>) attributes {dims = ["M", "N"], params = [#tsr.param<"x", inout>], outputs = [],
    grid = #tsr.grid<explicit, ["1"]>, group = 256 : i64, context = ["m", "n"], sizes = {m = 64 : i64, n = 64 : i64}} {
  %c0 = tile.constant 0 : index
  %one = tile.constant 1.0 : f32
  %f = tile.fill %one : f32 to <["T.m", "T.n"], f32, #tile.grid<16 x 16>>
  %word = tile.constant 1 : i64
  %at = tile.fill %word : i64 to <["T.m"], i64, #tile.slice<1, #tile.grid<16 x 16>>>
  // expected-error @+1 {{only a scalar has one, of its own type}}
  %old = tile.atomic "add" %f, %x[%c0, %c0] : (!tile.fragment<["T.m", "T.n"], f32, #tile.grid<16 x 16>>, !tsr.view<["M", "N"], f32>, index, index) -> f32
  tile.kernel_end
}

// -----

// A lane has whole steps of the layout: 24 columns are one step and a half.
tile.kernel @k(%x: !tsr.view<["M", "N"], f32>) attributes {dims = ["M", "N"], params = [#tsr.param<"x", inout>], outputs = [],
    grid = #tsr.grid<explicit, ["1"]>, group = 256 : i64, context = ["m", "n"], sizes = {m = 64 : i64, n = 64 : i64}} {
  %c0 = tile.constant 0 : index
  %zero = tile.constant 0.0 : f32
  %f = tile.fill %zero : f32 to <["T.m", "T.n"], f32, #tile.grid<16 x 16>>
  // expected-error @+1 {{takes a number of columns that is a multiple of 16, not 24}}
  %y = tile.columns %f, %c0 : <["T.m", "T.n"], f32, #tile.grid<16 x 16>> to <["T.m", "24"], f32, #tile.grid<16 x 16>>
  tile.kernel_end
}

// -----

tile.kernel @k(%x: !tsr.view<["M", "N"], f32>) attributes {dims = ["M", "N"], params = [#tsr.param<"x", inout>], outputs = [],
    grid = #tsr.grid<explicit, ["1"]>, group = 256 : i64, context = ["m", "n"], sizes = {m = 64 : i64, n = 64 : i64}} {
  %c0 = tile.constant 0 : index
  %zero = tile.constant 0.0 : f32
  %f = tile.fill %zero : f32 to <["T.m", "T.n"], f32, #tile.grid<16 x 16>>
  // expected-error @+1 {{takes columns of a tile of rank 2, with all of its rows and in its layout}}
  %y = tile.columns %f, %c0 : <["T.m", "T.n"], f32, #tile.grid<16 x 16>> to <["32", "32"], f32, #tile.grid<16 x 16>>
  tile.kernel_end
}

// -----

// expected-error @+1 {{'variants': groups of a cluster hold their row in shared memory, 'held' is -1, and have whole warps of its 'threads'}}
tile.kernel @k(%x: !tsr.view<["C"], f32>) attributes {dims = ["C"], params = [#tsr.param<"x", inout>], outputs = [],
    grid = #tsr.grid<lanes, ["C"]>, group = 256 : i64, variants = [{vector = 8 : i64, held = -1 : i64, threads = 96 : i64, cluster = 4 : i64, shared = #tsr.dim<"C">}]} {
  tile.kernel_end
}

// -----

// expected-error @+1 {{'variants': rows that are held in shared memory take bytes there, 'shared'}}
tile.kernel @k(%x: !tsr.view<["C"], f32>) attributes {dims = ["C"], params = [#tsr.param<"x", inout>], outputs = [],
    grid = #tsr.grid<lanes, ["C"]>, group = 256 : i64, variants = [{vector = 8 : i64, held = -1 : i64}]} {
  tile.kernel_end
}

// -----

tile.kernel @k(%x: !tsr.view<["N"], f32>) attributes {dims = ["N"], params = [#tsr.param<"x", inout>], outputs = [],
    grid = #tsr.grid<explicit, ["1"]>, group = 64 : i64, context = ["m"], sizes = {m = 64 : i64}} {
  %c0 = tile.constant 0 : index
  %one = tile.constant 1.0 : f32
  %true = tile.constant true
  %f = tile.fill %one : f32 to <["T.m"], f32, #tile.slice<0, #tile.grid<1 x 64>>>
  // expected-error @+1 {{axis 1 is not an axis of}}
  %s = tile.scan "sum" %f {axis = 1 : i64} : !tile.fragment<["T.m"], f32, #tile.slice<0, #tile.grid<1 x 64>>>
  tile.kernel_end
}

// -----

tile.kernel @k(%x: !tsr.view<["N"], f32>) attributes {dims = ["N"], params = [#tsr.param<"x", inout>], outputs = [],
    grid = #tsr.grid<explicit, ["1"]>, group = 64 : i64, context = ["m"], sizes = {m = 64 : i64}} {
  %c0 = tile.constant 0 : index
  %one = tile.constant 1.0 : f32
  %true = tile.constant true
  %f = tile.fill %one : f32 to <["T.m"], f32, #tile.slice<0, #tile.grid<1 x 64>>>
  // expected-error @+1 {{unknown reduction 'mean'}}
  %s = tile.scan "mean" %f {axis = 0 : i64} : !tile.fragment<["T.m"], f32, #tile.slice<0, #tile.grid<1 x 64>>>
  tile.kernel_end
}

// -----

tile.kernel @k(%x: !tsr.view<["N"], f32>) attributes {dims = ["N"], params = [#tsr.param<"x", inout>], outputs = [],
    grid = #tsr.grid<explicit, ["1"]>, group = 64 : i64, context = ["m"], sizes = {m = 64 : i64}} {
  %one = tile.constant 1.0 : f32
  %two = tile.constant 2 : i64
  %f = tile.fill %one : f32 to <["T.m", "8"], f32, #tile.grid<8 x 8>>
  %p = tile.fill %two : i64 to <["T.m", "8"], i64, #tile.grid<8 x 8>>
  // expected-error @+1 {{counts places in i64, not in}}
  %s = tile.argsort %f : <["T.m", "8"], f32, #tile.grid<8 x 8>> to <["T.m", "8"], i32, #tile.grid<8 x 8>>
  tile.kernel_end
}

// -----

tile.kernel @k(%x: !tsr.view<["N"], f32>) attributes {dims = ["N"], params = [#tsr.param<"x", inout>], outputs = [],
    grid = #tsr.grid<explicit, ["1"]>, group = 64 : i64, context = ["m"], sizes = {m = 64 : i64}} {
  %one = tile.constant 1.0 : f32
  %two = tile.constant 2 : i64
  %f = tile.fill %one : f32 to <["T.m", "8"], f32, #tile.grid<8 x 8>>
  %p = tile.fill %two : i64 to <["T.m", "8"], i64, #tile.grid<8 x 8>>
  // expected-error @+1 {{gives the shape and layout of}}
  %s = tile.argsort %f : <["T.m", "8"], f32, #tile.grid<8 x 8>> to <["T.m", "4"], i64, #tile.grid<8 x 8>>
  tile.kernel_end
}

// -----

tile.kernel @k(%x: !tsr.view<["N"], f32>) attributes {dims = ["N"], params = [#tsr.param<"x", inout>], outputs = [],
    grid = #tsr.grid<explicit, ["1"]>, group = 64 : i64, context = ["m"], sizes = {m = 64 : i64}} {
  %one = tile.constant 1.0 : f32
  %two = tile.constant 2 : i64
  %f = tile.fill %one : f32 to <["T.m", "8"], f32, #tile.grid<8 x 8>>
  %p = tile.fill %two : i64 to <["T.m", "8"], i64, #tile.grid<8 x 8>>
  // expected-error @+1 {{axis 2 is outside rank 2}}
  %s = tile.gather %f at %p {axis = 2 : i64} : (!tile.fragment<["T.m", "8"], f32, #tile.grid<8 x 8>>, !tile.fragment<["T.m", "8"], i64, #tile.grid<8 x 8>>) -> !tile.fragment<["T.m", "8"], f32, #tile.grid<8 x 8>>
  tile.kernel_end
}

// -----

tile.kernel @k(%x: !tsr.view<["N"], f32>) attributes {dims = ["N"], params = [#tsr.param<"x", inout>], outputs = [],
    grid = #tsr.grid<explicit, ["1"]>, group = 64 : i64, context = ["m"], sizes = {m = 64 : i64}} {
  %one = tile.constant 1.0 : f32
  %two = tile.constant 2 : i64
  %f = tile.fill %one : f32 to <["T.m", "8"], f32, #tile.grid<8 x 8>>
  %p = tile.fill %two : i64 to <["T.m", "8"], i64, #tile.grid<8 x 8>>
  // expected-error @+1 {{takes places as}}
  %s = tile.gather %f at %p {axis = 1 : i64} : (!tile.fragment<["T.m", "8"], f32, #tile.grid<8 x 8>>, !tile.fragment<["T.m", "8"], i64, #tile.grid<8 x 8>>) -> !tile.fragment<["T.m", "4"], f32, #tile.grid<8 x 8>>
  tile.kernel_end
}

// -----

tile.kernel @k(%x: !tsr.view<["N"], f32>) attributes {dims = ["N"], params = [#tsr.param<"x", inout>], outputs = [],
    grid = #tsr.grid<explicit, ["1"]>, group = 64 : i64, context = ["m"], sizes = {m = 64 : i64}} {
  %one = tile.constant 1.0 : f32
  %two = tile.constant 2 : i64
  %f = tile.fill %one : f32 to <["T.m", "8"], f32, #tile.grid<8 x 8>>
  %p = tile.fill %two : i64 to <["T.m", "8"], i64, #tile.grid<8 x 8>>
  %q = tile.fill %two : i64 to <["T.m", "4"], i64, #tile.grid<8 x 8>>
  // expected-error @+1 {{gives all of axis 1 of}}
  %s = tile.gather %f at %q {axis = 0 : i64} : (!tile.fragment<["T.m", "8"], f32, #tile.grid<8 x 8>>, !tile.fragment<["T.m", "4"], i64, #tile.grid<8 x 8>>) -> !tile.fragment<["T.m", "4"], f32, #tile.grid<8 x 8>>
  tile.kernel_end
}

// -----

tile.kernel @k(%x: !tsr.view<["N"], f32>) attributes {dims = ["N"], params = [#tsr.param<"x", inout>], outputs = [],
    grid = #tsr.grid<explicit, ["1"]>, group = 64 : i64, context = ["m"], sizes = {m = 64 : i64}} {
  %one = tile.constant 1.0 : f32
  %two = tile.constant 2 : i64
  %f = tile.fill %one : f32 to <["T.m", "8"], f32, #tile.grid<8 x 8>>
  %p = tile.fill %two : i64 to <["T.m", "8"], i64, #tile.grid<8 x 8>>
  %r = tile.fill %two : i64 to <["T.m"], i64, #tile.slice<0, #tile.grid<8 x 8>>>
  // expected-error @+1 {{gives the slice of}}
  %s = tile.gather %f at %r {axis = 1 : i64} : (!tile.fragment<["T.m", "8"], f32, #tile.grid<8 x 8>>, !tile.fragment<["T.m"], i64, #tile.slice<0, #tile.grid<8 x 8>>>) -> !tile.fragment<["T.m"], f32, #tile.slice<0, #tile.grid<8 x 8>>>
  tile.kernel_end
}

// -----

tile.kernel @k(%x: !tsr.view<["N"], f32>) attributes {dims = ["N"], params = [#tsr.param<"x", inout>], outputs = [],
    grid = #tsr.grid<explicit, ["1"]>, group = 64 : i64, context = ["m"], sizes = {m = 64 : i64}} {
  %one = tile.constant 1.0 : f32
  %two = tile.constant 2 : i64
  %f = tile.fill %one : f32 to <["T.m", "8"], f32, #tile.grid<8 x 8>>
  %p = tile.fill %two : i64 to <["T.m", "8"], i64, #tile.grid<8 x 8>>
  // expected-error @+1 {{gives a scalar only of a vector}}
  %s = tile.gather %f at %two {axis = 1 : i64} : (!tile.fragment<["T.m", "8"], f32, #tile.grid<8 x 8>>, i64) -> f32
  tile.kernel_end
}

// -----

tile.kernel @k(%x: !tsr.view<["N"], f32>) attributes {dims = ["N"], params = [#tsr.param<"x", inout>], outputs = [],
    grid = #tsr.grid<explicit, ["1"]>, group = 64 : i64, context = ["m"], sizes = {m = 64 : i64}} {
  %one = tile.constant 1.0 : f32
  %two = tile.constant 2 : i64
  %f = tile.fill %one : f32 to <["T.m", "8"], f32, #tile.grid<8 x 8>>
  %p = tile.fill %two : i64 to <["T.m", "8"], i64, #tile.grid<8 x 8>>
  // expected-error @+1 {{gives elements of}}
  %s = tile.gather %f at %p {axis = 1 : i64} : (!tile.fragment<["T.m", "8"], f32, #tile.grid<8 x 8>>, !tile.fragment<["T.m", "8"], i64, #tile.grid<8 x 8>>) -> !tile.fragment<["T.m", "8"], f16, #tile.grid<8 x 8>>
  tile.kernel_end
}

// -----

tile.kernel @k(%x: !tsr.view<["N"], f32>) attributes {dims = ["N"], params = [#tsr.param<"x", inout>], outputs = [],
    grid = #tsr.grid<explicit, ["1"]>, group = 64 : i64, context = ["m"], sizes = {m = 64 : i64}} {
  %c0 = tile.constant 0 : index
  %one = tile.constant 1.0 : f32
  %true = tile.constant true
  %f = tile.fill %one : f32 to <["T.m"], f32, #tile.slice<0, #tile.grid<1 x 64>>>
  // expected-error @+1 {{'shuffle' takes a lane}}
  %s = tile.warp "shuffle" %one : (f32) -> f32
  tile.kernel_end
}

// -----

tile.kernel @k(%x: !tsr.view<["N"], f32>) attributes {dims = ["N"], params = [#tsr.param<"x", inout>], outputs = [],
    grid = #tsr.grid<explicit, ["1"]>, group = 64 : i64, context = ["m"], sizes = {m = 64 : i64}} {
  %c0 = tile.constant 0 : index
  %one = tile.constant 1.0 : f32
  %true = tile.constant true
  %f = tile.fill %one : f32 to <["T.m"], f32, #tile.slice<0, #tile.grid<1 x 64>>>
  // expected-error @+1 {{'sum' takes no lane}}
  %s = tile.warp "sum" %one, %c0 : (f32, index) -> f32
  tile.kernel_end
}

// -----

tile.kernel @k(%x: !tsr.view<["N"], f32>) attributes {dims = ["N"], params = [#tsr.param<"x", inout>], outputs = [],
    grid = #tsr.grid<explicit, ["1"]>, group = 64 : i64, context = ["m"], sizes = {m = 64 : i64}} {
  %c0 = tile.constant 0 : index
  %one = tile.constant 1.0 : f32
  %true = tile.constant true
  %f = tile.fill %one : f32 to <["T.m"], f32, #tile.slice<0, #tile.grid<1 x 64>>>
  // expected-error @+1 {{hands 'f32' on as 'f64'}}
  %s = tile.warp "shuffle_xor" %one, %c0 : (f32, index) -> f64
  tile.kernel_end
}

// -----

tile.kernel @k(%x: !tsr.view<["N"], f32>) attributes {dims = ["N"], params = [#tsr.param<"x", inout>], outputs = [],
    grid = #tsr.grid<explicit, ["1"]>, group = 64 : i64, context = ["m"], sizes = {m = 64 : i64}} {
  %c0 = tile.constant 0 : index
  %one = tile.constant 1.0 : f32
  %true = tile.constant true
  %f = tile.fill %one : f32 to <["T.m"], f32, #tile.slice<0, #tile.grid<1 x 64>>>
  // expected-error @+1 {{makes bits in ui32 of truth values, not 'f32' of 'f32'}}
  %s = tile.warp "ballot" %one : (f32) -> f32
  tile.kernel_end
}

// -----

tile.kernel @k(%x: !tsr.view<["N"], f32>) attributes {dims = ["N"], params = [#tsr.param<"x", inout>], outputs = [],
    grid = #tsr.grid<explicit, ["1"]>, group = 64 : i64, context = ["m"], sizes = {m = 64 : i64}} {
  %c0 = tile.constant 0 : index
  %one = tile.constant 1.0 : f32
  %true = tile.constant true
  %f = tile.fill %one : f32 to <["T.m"], f32, #tile.slice<0, #tile.grid<1 x 64>>>
  // expected-error @+1 {{'sum' is not defined for 'i1'}}
  %s = tile.warp "sum" %true : (i1) -> i1
  tile.kernel_end
}

// -----

tile.kernel @k(%x: !tsr.view<["M", "N"], f32>) attributes {dims = ["M", "N"], params = [#tsr.param<"x", inout>], outputs = [],
    grid = #tsr.grid<explicit, ["1"]>, group = 256 : i64, context = ["m", "n"], sizes = {m = 64 : i64, n = 64 : i64}} {
  %c0 = tile.constant 0 : index
  // expected-error @+1 {{has 1 indices and 1 proofs for a memory of rank 2}}
  %f = tile.load_at %x[%c0] : (!tsr.view<["M", "N"], f32>, index) -> !tile.fragment<["T.m", "T.n"], f32, #tile.grid<16 x 16>>
  tile.kernel_end
}

// -----

tile.kernel @k(%x: !tsr.view<["M", "N"], f32>) attributes {dims = ["M", "N"], params = [#tsr.param<"x", inout>], outputs = [],
    grid = #tsr.grid<explicit, ["1"]>, group = 256 : i64, context = ["m", "n"], sizes = {m = 64 : i64, n = 64 : i64}} {
  %c0 = tile.constant 0 : index
  %one = tile.constant 1.0 : f32
  // expected-error @+1 {{there is no 'set' of 'f32' in one step}}
  tile.atomic "set" %one, %x[%c0, %c0] : (f32, !tsr.view<["M", "N"], f32>, index, index) -> ()
  tile.kernel_end
}

// -----

tile.kernel @k(%x: !tsr.view<["M", "N"], f32>) attributes {dims = ["M", "N"], params = [#tsr.param<"x", inout>], outputs = [],
    grid = #tsr.grid<explicit, ["1"]>, group = 256 : i64, context = ["m", "n"], sizes = {m = 64 : i64, n = 64 : i64}} {
  %c0 = tile.constant 0 : index
  %rows = tile.alloc_shared : !tsr.shared<["T.m"], i64, "">
  %s = tile.alloc_shared : !tsr.shared<["T.m", "T.n"], f32, "">
  // expected-error @+1 {{rows lie along an axis before the last one, not along 1}}
  tile.copy_rows %x[%c0, %c0] rows %rows axis 1 to %s : !tsr.view<["M", "N"], f32>, !tsr.shared<["T.m"], i64, ""> to !tsr.shared<["T.m", "T.n"], f32, "">
  tile.kernel_end
}

// -----

tile.kernel @k(%x: !tsr.view<["M", "N"], f32>) attributes {dims = ["M", "N"], params = [#tsr.param<"x", inout>], outputs = [],
    grid = #tsr.grid<explicit, ["1"]>, group = 256 : i64, context = ["m", "n"], sizes = {m = 64 : i64, n = 64 : i64}} {
  %c0 = tile.constant 0 : index
  %rows = tile.alloc_shared : !tsr.shared<["T.n"], i64, "">
  %s = tile.alloc_shared : !tsr.shared<["T.m", "T.n"], f32, "">
  // expected-error @+1 {{needs the place of each row of}}
  tile.copy_rows %x[%c0, %c0] rows %rows axis 0 to %s : !tsr.view<["M", "N"], f32>, !tsr.shared<["T.n"], i64, ""> to !tsr.shared<["T.m", "T.n"], f32, "">
  tile.kernel_end
}

// -----

tile.kernel @k(%y: !tsr.view<["16", "128"], f32>) attributes {dims = [], params = [#tsr.param<"y", out>], outputs = [],
    grid = #tsr.grid<explicit, ["1"]>, group = 256 : i64, context = [], sizes = {}} {
  %w = tile.alloc_shared {manual} : !tsr.shared<["256", "128"], bf16, "panels">
  // expected-error @+1 {{reads panels of i8 as a left operand of bf16}}
  %p = tile.read_pairs_of_rows %w : !tsr.shared<["256", "128"], bf16, "panels"> to <["128", "256"], bf16, #tile.mma<8 x 1>>
  tile.kernel_end
}

// -----

tile.kernel @k(%y: !tsr.view<["16", "128"], f32>) attributes {dims = [], params = [#tsr.param<"y", out>], outputs = [],
    grid = #tsr.grid<explicit, ["1"]>, group = 256 : i64, context = [], sizes = {}} {
  %w = tile.alloc_shared {manual} : !tsr.shared<["256", "128"], i8, "panels">
  // expected-error @+1 {{reads all of the buffer, transposed}}
  %p = tile.read_pairs_of_rows %w : !tsr.shared<["256", "128"], i8, "panels"> to <["256", "128"], bf16, #tile.mma<8 x 1>>
  tile.kernel_end
}

// -----

tile.kernel @k(%y: !tsr.view<["16", "128"], f32>) attributes {dims = [], params = [#tsr.param<"y", out>], outputs = [],
    grid = #tsr.grid<explicit, ["1"]>, group = 256 : i64, context = [], sizes = {}} {
  %zero = tile.constant 0.0 : f32
  %acc = tile.fill %zero : f32 to <["128", "16"], f32, #tile.grid<16 x 16>>
  // expected-error @+1 {{orders the rows of tiles in the layout of one column of warps}}
  %rows = tile.order_rows %acc : <["128", "16"], f32, #tile.grid<16 x 16>>
  tile.kernel_end
}
