#l13 = loc("saxpy_cpu.tsr":13:9)
module attributes {tsr.machine = #tsr.machine<"cpu">} {
  target.kernel @saxpy_kernel attributes {capacities = [], group = 0 : i64, param_names = ["x", "y", "alpha", "n"],
      comment = ["saxpy(x: f32[n], y: f32[n], alpha: f32) -> f32[n]"]} {
  ^bb0(%x: !target.pointer<f32, const>, %y: !target.pointer<f32>, %alpha: f32, %n: index):
    %zero = target.literal 0 : index
    %one = target.literal 1 : index
    target.for "i" %zero to %n step %one : index attributes {parallel, simd} {
    ^bb0(%i: index):
      %y_place = target.subscript %y[%i] : (!target.pointer<f32>, index) -> !target.lvalue<f32>
      %x_place = target.subscript %x[%i] : (!target.pointer<f32, const>, index) -> !target.lvalue<f32>
      %x_value = target.read %x_place : f32
      %product = target.binary "*" %alpha, %x_value : (f32, f32) -> f32
      target.compound_assign "+=" %y_place, %product : !target.lvalue<f32>, f32 loc(#l13)
    } loc(#l13)
  }
  target.entry @saxpy attributes {
      doc = "y = alpha * x + y", signature = "saxpy(x: f32[n], y: f32[n], alpha: f32) -> f32[n]", returns = ["y"],
      parameters = [#target.parameter<"x", f32, ["n"], "in">, #target.parameter<"y", f32, ["n"], "inout">,
                    #target.parameter<"alpha", f32, [], "scalar">]} {
    target.require "n % 4" "==" "0" text "n % 4 == 0"
    target.launch @saxpy_kernel group 0 arguments
        [#target.argument<"tensor", "x">, #target.argument<"tensor", "y">, #target.argument<"scalar", "alpha">,
         #target.argument<"dim", "n">]
  }
}
