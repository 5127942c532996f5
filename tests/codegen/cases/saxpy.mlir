// y = alpha * x + y, one element a lane.
#l10 = loc("saxpy.tsr":10:1)
#l12 = loc("saxpy.tsr":12:5)
#l13 = loc("saxpy.tsr":13:9)
module attributes {tsr.machine = #tsr.machine<"sm_80">} {
  target.kernel @saxpy_kernel attributes {capacities = [], group = 256 : i64, param_names = ["x", "y", "alpha", "n"],
      comment = ["saxpy(x: f32[n], y: f32[n], alpha: f32) -> f32[n]", "  launch  one lane for each of n elements, 256 lanes a group"]} {
  ^bb0(%x: !target.pointer<f32, const>, %y: !target.pointer<f32>, %alpha: f32, %n: index):
    target.constant "Threads" = 256 : i64
    target.constant "Unused" = 3 : i64
    %block = target.name "blockIdx.x" : ui32
    %block_index = target.cast %block : (ui32) -> index
    %threads = target.name "Threads" : index
    %base = target.binary "*" %block_index, %threads : (index, index) -> index
    %thread = target.name "threadIdx.x" : ui32
    %thread_index = target.cast %thread : (ui32) -> index
    %sum = target.binary "+" %base, %thread_index : (index, index) -> index
    %i = target.variable "i" "copy" (%sum) {is_const} : (index) -> index loc(#l12)
    %i0 = target.read %i : index
    %in = target.binary "<" %i0, %n : (index, index) -> i1
    target.if %in {
      %i1 = target.read %i : index
      %y_place = target.subscript %y[%i1] : (!target.pointer<f32>, index) -> !target.lvalue<f32>
      %i2 = target.read %i : index
      %x_place = target.subscript %x[%i2] : (!target.pointer<f32, const>, index) -> !target.lvalue<f32>
      %x_value = target.read %x_place : f32
      %product = target.binary "*" %alpha, %x_value : (f32, f32) -> f32
      %i3 = target.read %i : index
      %y_old = target.subscript %y[%i3] : (!target.pointer<f32>, index) -> !target.lvalue<f32>
      %y_value = target.read %y_old : f32
      %new = target.binary "+" %product, %y_value : (f32, f32) -> f32
      target.assign %y_place, %new : !target.lvalue<f32>, f32 loc(#l13)
    } loc(#l13)
  } loc(#l10)
  target.entry @saxpy attributes {
      doc = "y = alpha * x + y", signature = "saxpy(x: f32[n], y: f32[n], alpha: f32) -> f32[n]", returns = ["y"],
      parameters = [#target.parameter<"x", f32, ["n"], "in">, #target.parameter<"y", f32, ["n"], "inout">,
                    #target.parameter<"alpha", f32, [], "scalar">]} {
    target.launch @saxpy_kernel grid "(n + 255) // 256" group 256 arguments
        [#target.argument<"tensor", "x">, #target.argument<"tensor", "y">, #target.argument<"scalar", "alpha">,
         #target.argument<"dim", "n">]
  }
}
