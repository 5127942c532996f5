// Every statement and expression once.
module attributes {tsr.machine = #tsr.machine<"sm_80">} {
  target.kernel @syntax_kernel attributes {capacities = [], group = 32 : i64, param_names = ["x", "n", "unused"], may_alias,
      comment = ["every statement and expression once"]} {
  ^bb0(%x: !target.pointer<f32>, %n: index, %unused: index):
    target.constant "Pairs" = "4 / 2"
    %array = target.variable "pair" "copy" () : !target.array<["Pairs"], f32>
    %zero = target.literal 0 : index
    %first = target.subscript %array[%zero] : (!target.lvalue<!target.array<["Pairs"], f32>>, index) -> !target.lvalue<f32>
    %inf = target.literal 0x7F800000 : f32
    %neg = target.unary "-" %inf : f32
    target.assign %first, %neg : !target.lvalue<f32>, f32
    %one_index = target.literal 1 : index
    %second = target.subscript %array[%one_index] : (!target.lvalue<!target.array<["Pairs"], f32>>, index) -> !target.lvalue<f32>
    %nan = target.literal 0x7FC00000 : f32
    target.assign %second, %nan : !target.lvalue<f32>, f32
    %ten = target.literal 10 : index
    %least = target.call "tsr::min"(%n, %ten) : (index, index) -> index
    %count = target.variable "count" "copy" (%least) : (index) -> index
    target.while {
      %c = target.read %count : index
      %z = target.literal 0 : index
      %more = target.binary ">" %c, %z : (index, index) -> i1
      target.condition %more
    } do {
      %c = target.read %count : index
      %two = target.literal 2 : index
      %half = target.binary "/" %c, %two : (index, index) -> index
      target.assign %count, %half : !target.lvalue<index>, index
    }
    %n_small = target.literal 3 : index
    %small = target.binary "<" %n, %n_small : (index, index) -> i1
    target.if %small {
      target.return
    } else {
      %n_large = target.literal 30 : index
      %large = target.binary ">" %n, %n_large : (index, index) -> i1
      %truth = target.literal true
      %both = target.binary "&&" %large, %truth : (i1, i1) -> i1
      %odd = target.literal 7 : index
      %other = target.binary "==" %n, %odd : (index, index) -> i1
      %either = target.binary "||" %both, %other : (i1, i1) -> i1
      target.if %either {
        target.comment "a scope of its own"
        target.block {
          %v = target.literal 1.5 : bf16
          %half_value = target.variable "half_value" "copy" (%v) {is_const} : (bf16) -> bf16
          %h = target.read %half_value : bf16
          %wide = target.call "tsr::to"<[f32]>(%h) : (bf16) -> f32
          %z = target.literal 0 : index
          %p = target.subscript %x[%z] : (!target.pointer<f32>, index) -> !target.lvalue<f32>
          target.compound_assign "*=" %p, %wide : !target.lvalue<f32>, f32
        }
      } else {
        %z = target.literal 0 : index
        %p = target.subscript %x[%z] : (!target.pointer<f32>, index) -> !target.lvalue<f32>
        %a = target.literal -2.5e-08 : f32
        target.assign %p, %a : !target.lvalue<f32>, f32
      }
    }
    %one = target.literal 1 : index
    %p1 = target.subscript %x[%one] : (!target.pointer<f32>, index) -> !target.lvalue<f32>
    %i0 = target.literal 0 : index
    %a0 = target.subscript %array[%i0] : (!target.lvalue<!target.array<["Pairs"], f32>>, index) -> !target.lvalue<f32>
    %r0 = target.read %a0 : f32
    %i1 = target.literal 1 : index
    %a1 = target.subscript %array[%i1] : (!target.lvalue<!target.array<["Pairs"], f32>>, index) -> !target.lvalue<f32>
    %r1 = target.read %a1 : f32
    %lanes = target.call "tsr::lane"() : () -> i32
    %l16 = target.literal 16 : i32
    %low = target.binary "<" %lanes, %l16 : (i32, i32) -> i1
    %chosen = target.conditional %low, %r0, %r1 : f32
    target.assign %p1, %chosen : !target.lvalue<f32>, f32
  }
  target.entry @syntax attributes {
      doc = "", signature = "syntax(x: f32[n], m: i8) -> f32[n]", returns = [],
      parameters = [#target.parameter<"x", f32, ["n"], "inout">]} {
    target.launch @syntax_kernel grid "1" group 32 arguments
        [#target.argument<"tensor", "x">, #target.argument<"dim", "n">, #target.argument<"dim", "0">]
  }
}
