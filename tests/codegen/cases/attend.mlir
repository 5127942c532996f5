// Capacities, dynamic shared memory, a temporary, requirements: the parts of an entry function.
#l3 = loc("attend.tsr":3:5)
!tile = !target.named<"tsr::SharedTile<float, 1, D_capacity>">
module attributes {tsr.machine = #tsr.machine<"sm_80">} {
  target.kernel @center_kernel attributes {capacities = ["D_capacity"], group = 64 : i64, param_names = ["x", "centered", "D"],
      dynamic_shared, comment = ["centers rows: x - mean(x)"]} {
  ^bb0(%x: !target.pointer<f32, const>, %centered: !target.pointer<f32>, %D: index):
    target.constant "Lanes" = 64 : i64
    %row_tile = target.shared "row_tile" : !tile
    %scratch = target.shared "scratch" : !target.array<["tsr::group_reduce_scratch(Lanes)"], f32>
    %b = target.name "blockIdx.x" : ui32
    %bi = target.cast %b : (ui32) -> index
    %start = target.binary "*" %bi, %D : (index, index) -> index
    %row = target.variable "row" "copy" (%start) {is_const} : (index) -> index loc(#l3)
    %z = target.literal 0.0 : f32
    %sum = target.variable "sum" "copy" (%z) : (f32) -> f32 loc(#l3)
    %lane = target.call "tsr::lane"() : () -> i32
    %lane_index = target.cast %lane : (i32) -> index
    %step = target.name "Lanes" : index
    target.for "c" %lane_index to %D step %step : index {
    ^bb0(%c: index):
      %row0 = target.read %row : index
      %at = target.binary "+" %row0, %c : (index, index) -> index
      %place = target.subscript %x[%at] : (!target.pointer<f32, const>, index) -> !target.lvalue<f32>
      %value = target.read %place : f32
      %zero = target.literal 0 : i32
      %ci = target.cast %c : (index) -> i32
      %keep = target.element %row_tile(%zero, %ci) : (!target.lvalue<!tile>, i32, i32) -> !target.lvalue<f32>
      target.assign %keep, %value : !target.lvalue<f32>, f32 loc(#l3)
      %zero2 = target.literal 0 : i32
      %ci2 = target.cast %c : (index) -> i32
      %kept = target.element %row_tile(%zero2, %ci2) : (!target.lvalue<!tile>, i32, i32) -> !target.lvalue<f32>
      %kept_value = target.read %kept : f32
      target.compound_assign "+=" %sum, %kept_value : !target.lvalue<f32>, f32 loc(#l3)
    } loc(#l3)
    %sum0 = target.read %sum : f32
    %total = target.call "tsr::group_reduce"<["tsr::Sum", "Lanes"]>(%sum0, %scratch) : (f32, !target.lvalue<!target.array<["tsr::group_reduce_scratch(Lanes)"], f32>>) -> f32
    %count = target.cast %D : (index) -> f32
    %mean_value = target.binary "/" %total, %count : (f32, f32) -> f32
    %mean = target.variable "mean" "copy" (%mean_value) {is_const} : (f32) -> f32 loc(#l3)
    %lane2 = target.call "tsr::lane"() : () -> i32
    %lane_index2 = target.cast %lane2 : (i32) -> index
    %step2 = target.name "Lanes" : index
    target.for "c" %lane_index2 to %D step %step2 : index {
    ^bb0(%c: index):
      %row0 = target.read %row : index
      %at = target.binary "+" %row0, %c : (index, index) -> index
      %place = target.subscript %centered[%at] : (!target.pointer<f32>, index) -> !target.lvalue<f32>
      %zero = target.literal 0 : i32
      %ci = target.cast %c : (index) -> i32
      %kept = target.element %row_tile(%zero, %ci) : (!target.lvalue<!tile>, i32, i32) -> !target.lvalue<f32>
      %value = target.read %kept : f32
      %mean0 = target.read %mean : f32
      %difference = target.binary "-" %value, %mean0 : (f32, f32) -> f32
      target.assign %place, %difference : !target.lvalue<f32>, f32 loc(#l3)
    } loc(#l3)
  }
  target.entry @attend attributes {
      doc = "Centers the rows of x twice.", signature = "attend(x: f32[B, 2 * S, D], call: f32) -> f32[B, 2 * S, D]", returns = ["stream"],
      parameters = [#target.parameter<"x", f32, ["B", "2*S", "D"], "in">, #target.parameter<"s", bf16, ["S"], "in">,
                    #target.parameter<"call", f32, [], "scalar">,
                    #target.parameter<"stream", f32, ["B", "2*S", "D"], "result">]} {
    target.require "D % 16" "==" "0" text "D % 16 == 0"
    target.require "D" "<=" "256" text "D <= 256"
    target.temporary "once" : f32 ["B", "2*S", "D"]
    target.launch @center_kernel grid "2*B*S" group 64 arguments
        [#target.argument<"tensor", "x">, #target.argument<"tensor", "once">, #target.argument<"dim", "D">]
        {capacities = [#target.capacity<"D", [64, 256]>], shared_bytes = array<i64: 384, 1152>}
    target.launch @center_kernel grid "2*B*S" group 64 arguments
        [#target.argument<"tensor", "once">, #target.argument<"tensor", "stream">, #target.argument<"dim", "D">]
        {capacities = [#target.capacity<"D", [64, 256]>], shared_bytes = array<i64: 384, 1152>}
  }
}
