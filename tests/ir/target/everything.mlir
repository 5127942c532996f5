module attributes {tsr.machine = #tsr.machine<"sm_80">} {
  target.kernel @saxpy_kernel attributes {capacities = [], comment = ["y = alpha * x + y"], group = 256 : i64, param_names = ["x", "y", "alpha", "n"]} {
  ^bb0(%x: !target.pointer<f32, const>, %y: !target.pointer<f32>, %alpha: f32, %n: index):
    target.constant "Threads" = 256 : i64
    %block = target.name "blockIdx.x" : ui32
    %wide = target.cast %block : (ui32) -> index
    %threads = target.name "Threads" : index
    %base = target.binary "*" %wide, %threads : (index, index) -> index
    %thread = target.name "threadIdx.x" : ui32
    %lane = target.cast %thread : (ui32) -> index
    %sum = target.binary "+" %base, %lane : (index, index) -> index
    %i = target.variable "i" "copy" (%sum) {is_const} : (index) -> index
    %i0 = target.read %i : index
    %guard = target.binary "<" %i0, %n : (index, index) -> i1
    target.if %guard {
      %i1 = target.read %i : index
      %xi = target.subscript %x[%i1] : (!target.pointer<f32, const>, index) -> !target.lvalue<f32>
      %xv = target.read %xi : f32
      %scaled = target.binary "*" %alpha, %xv : (f32, f32) -> f32
      %i2 = target.read %i : index
      %yi = target.subscript %y[%i2] : (!target.pointer<f32>, index) -> !target.lvalue<f32>
      target.compound_assign "+=" %yi, %scaled : !target.lvalue<f32>, f32
    } else {
      target.return
    }
  }
  target.entry @saxpy attributes {doc = "y = alpha * x + y", parameters = [#target.parameter<"x", f32, ["n"], "in">, #target.parameter<"y", f32, ["n"], "inout">, #target.parameter<"alpha", f32, [], "scalar">], returns = ["y"], signature = "saxpy(x: f32[n], y: f32[n], alpha: f32) -> f32[n]"} {
    target.constant "Threads" = 256 : i64
    target.require "n % 4" "==" "0" text "n % 4 == 0"
    target.temporary "scratch" : f32 ["n", "2"]
    target.table "weights" "saxpy_weights" [1.000000e+00 : f32, 2.000000e+00 : f32] : f32 ["2"]
    target.launch @saxpy_kernel grid "(n + Threads - 1) // Threads" group 256 arguments [#target.argument<"tensor", "x">, #target.argument<"tensor", "scratch">, #target.argument<"scalar", "alpha">, #target.argument<"dim", "n">]
    target.exchange "all_reduce" "dp" "scratch" "scratch" count "2*n"
  }
  target.kernel @tiles attributes {capacities = ["CD"], comment = [], dynamic_shared, group = 128 : i64, param_names = ["A", "M", "K", "V"]} {
  ^bb0(%A: !target.pointer<bf16, const>, %M: index, %K: index, %V: !target.view<3, f32, const>):
    target.constant "BM" = 64 : i64
    target.constant "Half" = "BM / 2"
    target.alias "Grid" = "tsr::ThreadGrid<8, 16>"
    %A_tile = target.shared "A_tile" : !target.array<["2"], !target.named<"tsr::SharedTile<tsr::bf16, BM, CD>">>
    %partial = target.shared "partial" : !target.array<["128"], f32>
    %zero = target.literal 0.000000e+00 : f32
    %acc = target.variable "acc" "direct" (%zero) : (f32) -> !target.named<"tsr::Fragment<float, BM, CD, Grid>">
    %scratch = target.variable "scratch" "copy" () {storage = "static thread_local"} : !target.array<["BM"], f32>
    target.comment "one tile of A at a time"
    %from = target.literal 0 : index
    %step = target.name "BM" : index
    target.for "k" %from to %K step %step : index attributes {unroll = 2 : i64} {
    ^bb0(%k: index):
      %slot = target.literal 1 : index
      %tile = target.subscript %A_tile[%slot] : (!target.lvalue<!target.array<["2"], !target.named<"tsr::SharedTile<tsr::bf16, BM, CD>">>>, index) -> !target.lvalue<!target.named<"tsr::SharedTile<tsr::bf16, BM, CD>">>
      %at = target.binary "+" %A, %k : (!target.pointer<bf16, const>, index) -> !target.pointer<bf16, const>
      %copy = target.call "tsr::copy_tile"(%tile, %at) : (!target.lvalue<!target.named<"tsr::SharedTile<tsr::bf16, BM, CD>">>, !target.pointer<bf16, const>) -> none
      target.expression %copy : none
      %wait = target.call "tsr::async_wait"<[1, "Grid", f32]>() : () -> none
      target.expression %wait : none
      %pi = target.literal 3 : index
      %p = target.subscript %partial[%pi] : (!target.lvalue<!target.array<["128"], f32>>, index) -> !target.lvalue<f32>
      %one = target.literal 1.000000e+00 : f32
      target.assign %p, %one : !target.lvalue<f32>, f32
    }
    %low = target.literal 0 : i32
    %high = target.call "tsr::rows"(%acc) : (!target.lvalue<!target.named<"tsr::Fragment<float, BM, CD, Grid>">>) -> i32
    %next = target.literal 1 : i32
    target.for "i" %low to %high step %next : i32 attributes {parallel, simd, unroll = 0 : i64} {
    ^bb0(%i: i32):
      %j = target.literal 0 : i32
      %e = target.element %acc(%i, %j) : (!target.lvalue<!target.named<"tsr::Fragment<float, BM, CD, Grid>">>, i32, i32) -> !target.lvalue<f32>
      %ev = target.read %e : f32
      %minus = target.unary "-" %ev : f32
      %other = target.literal 0xFF800000 : f32
      %yes = target.literal true
      %chosen = target.conditional %yes, %minus, %other : f32
      %rounded = target.call "tsr::to"<[bf16]>(%chosen) : (f32) -> bf16
      %out = target.variable "out" "copy" (%rounded) {is_const} : (bf16) -> bf16
    }
    %i4 = target.literal 4 : index
    %rest = target.subscript %V[%i4] : (!target.view<3, f32, const>, index) -> !target.lvalue<!target.view<2, f32, const>>
    %i5 = target.literal 5 : index
    %i6 = target.literal 6 : index
    %at2 = target.element %rest(%i5, %i6) : (!target.lvalue<!target.view<2, f32, const>>, index, index) -> !target.lvalue<f32>
    target.while {
      %row = target.literal 0 : i32
      %r = target.method %acc "row"(%row) : (!target.lvalue<!target.named<"tsr::Fragment<float, BM, CD, Grid>">>, i32) -> index
      %more = target.binary "<" %r, %M : (index, index) -> i1
      target.condition %more
    } do {
      target.block {
        %n = target.member %acc "count" : (!target.lvalue<!target.named<"tsr::Fragment<float, BM, CD, Grid>">>) -> !target.lvalue<index>
        %v = target.literal 7 : index
        target.assign %n, %v : !target.lvalue<index>, index
        target.break
      }
    }
  }
  target.entry @run_tiles attributes {doc = "", parameters = [#target.parameter<"A", bf16, ["M", "K"], "in">, #target.parameter<"y", f32, ["n"], "result">], returns = ["y"], signature = ""} {
    target.launch @tiles grid "(M + 63) // 64" group 128 arguments [#target.argument<"tensor", "A">, #target.argument<"dim", "M">, #target.argument<"dim", "K">, #target.argument<"tensor", "A">] {capacities = [#target.capacity<"K", [64, 128]>], shared_bytes = array<i64: 16896, 33280>}
  }
  target.host_func @main attributes {param_names = [], result_types = []} {
    %path = target.literal "a.npy" : !target.named<"std::string">
    %load = target.call "tsr::host::load_npy"(%path) : (!target.named<"std::string">) -> !target.named<"tsr::host::Tensor">
    %a = target.variable "a" "copy" (%load) {is_const} : (!target.named<"tsr::host::Tensor">) -> !target.named<"tsr::host::Tensor">
    %0 = target.read %a : !target.named<"tsr::host::Tensor">
    %y = target.entry_call @run_tiles(%0) ["y"] : (!target.named<"tsr::host::Tensor">) -> !target.lvalue<!target.named<"tsr::host::Tensor">>
    %1 = target.read %y : !target.named<"tsr::host::Tensor">
    %print = target.call "tsr::host::print"(%1) : (!target.named<"tsr::host::Tensor">) -> none
    target.expression %print : none
  }
}
