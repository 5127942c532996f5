// A program with a main: files, printing, calls of entry functions.
!tensor = !target.named<"tsr::host::Tensor">
!string = !target.named<"std::string">
module attributes {tsr.machine = #tsr.machine<"cpu">} {
  target.kernel @double_kernel attributes {capacities = [], group = 0 : i64, param_names = ["x", "result", "n"], comment = ["2 * x"]} {
  ^bb0(%x: !target.pointer<f32, const>, %result: !target.pointer<f32>, %n: index):
    %zero = target.literal 0 : index
    %one = target.literal 1 : index
    target.for "i" %zero to %n step %one : index attributes {parallel, simd} {
    ^bb0(%i: index):
      %to = target.subscript %result[%i] : (!target.pointer<f32>, index) -> !target.lvalue<f32>
      %from = target.subscript %x[%i] : (!target.pointer<f32, const>, index) -> !target.lvalue<f32>
      %value = target.read %from : f32
      %two = target.literal 2.0 : f32
      %product = target.binary "*" %two, %value : (f32, f32) -> f32
      target.assign %to, %product : !target.lvalue<f32>, f32
    }
  }
  target.entry @doubled attributes {
      doc = "Twice x.", signature = "doubled(x: f32[N, M]) -> f32[N, M]", returns = ["result"],
      parameters = [#target.parameter<"x", f32, ["N", "M"], "in">, #target.parameter<"result", f32, ["N", "M"], "result">]} {
    target.launch @double_kernel group 0 arguments
        [#target.argument<"tensor", "x">, #target.argument<"tensor", "result">, #target.argument<"dim", "M*N">]
  }
  target.host_func @report attributes {param_names = ["value"], result_types = [index]} {
  ^bb0(%value: !tensor):
    %axis = target.literal 0 : i32
    %rows = target.call "tsr::host::shape"(%value, %axis) : (!tensor, i32) -> index
    %n = target.variable "rows" "copy" (%rows) {is_const} : (index) -> index
    %n0 = target.read %n : index
    %spec = target.literal ">4" : !string
    %text = target.call "tsr::host::format"(%n0, %spec) : (index, !string) -> !string
    %label = target.literal "rows:" : !string
    %print = target.call "tsr::host::print"(%label, %text) : (!string, !string) -> none
    target.expression %print : none
    %n1 = target.read %n : index
    target.return %n1 : index
  }
  target.host_func @main attributes {param_names = [], result_types = []} {
    %path = target.literal "x.npy" : !string
    %loaded = target.call "tsr::host::load_npy"(%path) : (!string) -> !tensor
    %x = target.variable "x" "copy" (%loaded) {is_const} : (!tensor) -> !tensor
    %x0 = target.read %x : !tensor
    %y = target.entry_call @doubled(%x0) ["y"] : (!tensor) -> !target.lvalue<!tensor>
    %y0 = target.read %y : !tensor
    %rows = target.call "report"(%y0) : (!tensor) -> index
    %three = target.literal 3 : index
    %many = target.binary "<" %rows, %three : (index, index) -> i1
    %message = target.literal "at most 2 rows" : !string
    %check = target.call "tsr::host::check"(%many, %message) : (i1, !string) -> none
    target.expression %check : none
    %y1 = target.read %y : !tensor
    %empty = target.literal "" : !string
    %shown = target.call "tsr::host::format"(%y1, %empty) : (!tensor, !string) -> !string
    %print = target.call "tsr::host::print"(%shown) : (!string) -> none
    target.expression %print : none
    %out = target.literal "y.npy" : !string
    %y2 = target.read %y : !tensor
    %save = target.call "tsr::host::save_npy"(%out, %y2) : (!string, !tensor) -> none
    target.expression %save : none
  }
}
