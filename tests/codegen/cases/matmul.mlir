// A tile of 64 x 64 a group, in steps of 32, through shared memory.
#l6 = loc("matmul.tsr":6:5)
#l7 = loc("matmul.tsr":7:5)
#l8 = loc("matmul.tsr":8:9)
#l9 = loc("matmul.tsr":9:5)
!view_in = !target.view<2, bf16, const>
!view_out = !target.view<2, bf16>
!acc = !target.named<"tsr::Fragment<float, BM, BN, Grid>">
!out = !target.named<"tsr::Fragment<tsr::bf16, BM, BN, Grid>">
!a_tile = !target.named<"tsr::SharedTile<tsr::bf16, BM, BK, tsr::Xor>">
!b_tile = !target.named<"tsr::SharedTile<tsr::bf16, BK, BN, tsr::Xor>">
module attributes {tsr.machine = #tsr.machine<"sm_80">} {
  target.kernel @matmul_kernel attributes {capacities = [], group = 256 : i64, param_names = ["A", "B", "result", "N", "K"],
      comment = ["matmul(A: bf16[M, K], B: bf16[K, N]) -> bf16[M, N]", "  schedule  block 64 x 64, k 32, 256 lanes"]} {
  ^bb0(%A: !view_in, %B: !view_in, %result: !view_out, %N: index, %K: index):
    target.constant "BM" = 64 : i64
    target.constant "BN" = 64 : i64
    target.constant "BK" = 32 : i64
    target.alias "Grid" = "tsr::ThreadGrid<16, 16>"
    %A_tile = target.shared "A_tile" : !a_tile
    %B_tile = target.shared "B_tile" : !b_tile
    %BNn = target.name "BN" : index
    %cols = target.call "tsr::ceil_div"(%N, %BNn) : (index, index) -> index
    %tiles = target.variable "tiles" "copy" (%cols) {is_const} : (index) -> index loc(#l6)
    %blk = target.name "blockIdx.x" : ui32
    %blk_index = target.cast %blk : (ui32) -> index
    %group = target.variable "group" "copy" (%blk_index) {is_const} : (index) -> index loc(#l6)
    %g0 = target.read %group : index
    %t0 = target.read %tiles : index
    %row = target.binary "/" %g0, %t0 : (index, index) -> index
    %BMn = target.name "BM" : index
    %m_value = target.binary "*" %row, %BMn : (index, index) -> index
    %m = target.variable "m" "copy" (%m_value) {is_const} : (index) -> index loc(#l6)
    %g1 = target.read %group : index
    %t1 = target.read %tiles : index
    %col = target.binary "%" %g1, %t1 : (index, index) -> index
    %BNn2 = target.name "BN" : index
    %n_value = target.binary "*" %col, %BNn2 : (index, index) -> index
    %n = target.variable "n" "copy" (%n_value) {is_const} : (index) -> index loc(#l6)
    %f0 = target.literal 0.0 : f32
    %acc = target.variable "acc" "direct" (%f0) : (f32) -> !acc loc(#l6)
    %zero = target.literal 0 : index
    %BKn = target.name "BK" : index
    target.for "k" %zero to %K step %BKn : index {
    ^bb0(%k: index):
      %m0 = target.read %m : index
      %copy_a = target.call "tsr::copy_tile"<["Grid::size"]>(%A_tile, %A, %m0, %k) : (!target.lvalue<!a_tile>, !view_in, index, index) -> none
      target.expression %copy_a : none loc(#l8)
      %n0 = target.read %n : index
      %copy_b = target.call "tsr::copy_tile"<["Grid::size"]>(%B_tile, %B, %k, %n0) : (!target.lvalue<!b_tile>, !view_in, index, index) -> none
      target.expression %copy_b : none loc(#l8)
      %barrier = target.call "tsr::group_barrier"() : () -> none
      target.expression %barrier : none loc(#l8)
      %dot = target.call "tsr::dot"(%acc, %A_tile, %B_tile) : (!target.lvalue<!acc>, !target.lvalue<!a_tile>, !target.lvalue<!b_tile>) -> none
      target.expression %dot : none loc(#l8)
      %barrier2 = target.call "tsr::group_barrier"() : () -> none
      target.comment "the next copies overwrite what was read"
      target.expression %barrier2 : none loc(#l8)
    } loc(#l7)
    %rounded = target.variable "rounded" "copy" () : !out loc(#l9)
    %i_zero = target.literal 0 : i32
    %rows = target.member %acc "rows" : (!target.lvalue<!acc>) -> i32
    %i_one = target.literal 1 : i32
    target.for "i" %i_zero to %rows step %i_one : i32 attributes {unroll = 0 : i64} {
    ^bb0(%i: i32):
      %j_zero = target.literal 0 : i32
      %columns = target.member %acc "cols" : (!target.lvalue<!acc>) -> i32
      %j_one = target.literal 1 : i32
      target.for "j" %j_zero to %columns step %j_one : i32 attributes {unroll = 0 : i64} {
      ^bb0(%j: i32):
        %to = target.element %rounded(%i, %j) : (!target.lvalue<!out>, i32, i32) -> !target.lvalue<bf16>
        %from = target.element %acc(%i, %j) : (!target.lvalue<!acc>, i32, i32) -> !target.lvalue<f32>
        %value = target.read %from : f32
        %cast = target.call "tsr::to"<[bf16]>(%value) : (f32) -> bf16
        target.assign %to, %cast : !target.lvalue<bf16>, bf16 loc(#l9)
      } loc(#l9)
    } loc(#l9)
    %m1 = target.read %m : index
    %n1 = target.read %n : index
    %store = target.call "tsr::store_fragment"(%result, %rounded, %m1, %n1) : (!view_out, !target.lvalue<!out>, index, index) -> none
    target.expression %store : none loc(#l9)
  }
  target.entry @matmul attributes {
      doc = "", signature = "matmul(A: bf16[M, K], B: bf16[K, N]) -> bf16[M, N]", returns = ["result"],
      parameters = [#target.parameter<"A", bf16, ["M", "K"], "in">, #target.parameter<"B", bf16, ["K", "N"], "in">,
                    #target.parameter<"result", bf16, ["M", "N"], "result">]} {
    target.constant "BM" = 64 : i64
    target.constant "BN" = 64 : i64
    target.launch @matmul_kernel grid "((M + BM - 1) // BM) * ((N + BN - 1) // BN)" group 256 arguments
        [#target.argument<"tensor", "A">, #target.argument<"tensor", "B">, #target.argument<"tensor", "result">,
         #target.argument<"dim", "N">, #target.argument<"dim", "K">]
  }
}
