// The dialect `schedule`: which operations share a kernel, and in what sizes.
#ifndef TESSERA_IR_SCHEDULE_TD
#define TESSERA_IR_SCHEDULE_TD

include "ir/common/Ops.td"

def Schedule_Dialect : Dialect {
  let name = "schedule";
  let cppNamespace = "::tessera::ir::schedule";
  let summary = "entry functions as lists of launches, kernels with every size decided";
  let dependentDialects = ["::tessera::ir::TsrDialect", "::tessera::ir::graph::GraphDialect"];
}

class Schedule_Op<string mnemonic, list<Trait> traits = []> : Tsr_Op<Schedule_Dialect, mnemonic, traits>;

def Schedule_FuncOp : Tsr_FunctionOp<Schedule_Dialect, "func"> {
  let summary = "an entry function: temporaries and launches, in order";
  let description = [{
    Parameters are views and scalars, results among them (marked `result` in `params`).

    Example:
    ```mlir
    schedule.func @twice(%x: !tsr.view<["N"], f32>, %result: !tsr.view<["N"], f32>) attributes {
        dims = ["N"], params = [#tsr.param<"x", in>, #tsr.param<"result", out, result>],
        outputs = [#tsr.result<"result", !tsr.tensor<["N"], f32>, param = 1>]} {
      %t = schedule.temp : !tsr.view<["N"], f32>
      schedule.launch @twice_kernel(%x, %t) : !tsr.view<["N"], f32>, !tsr.view<["N"], f32>
      schedule.launch @twice_kernel(%t, %result) : !tsr.view<["N"], f32>, !tsr.view<["N"], f32>
      schedule.return
    }
    ```
  }];
}

def Schedule_KernelOp : Tsr_FunctionOp<Schedule_Dialect, "kernel"> {
  let summary = "a kernel over views, in tile form, with every decision as an attribute";
  let description = [{
    `sizes` has a value for each field of `context`; `group` is decided. `capacity`: run-time dimensions that
    are an extent of a register tile, each with the sizes that the kernel is compiled for, ascending; the
    entry chooses. `rows`: dimensions that a group streams over. `reasons`: sentences for the comment over the
    kernel.

    Example:
    ```mlir
    schedule.kernel @twice_kernel(%x: !tsr.view<["N"], f32>, %result: !tsr.view<["N"], f32>) attributes {
        dims = ["N"], params = [#tsr.param<"x", in>, #tsr.param<"result", out, result>],
        outputs = [#tsr.result<"result", !tsr.tensor<["N"], f32>, param = 1>],
        grid = #tsr.grid<lanes, ["N"]>, group = 256 : i64, uses_lanes, reasons = ["one lane an element"]} {
      %i = graph.query "linear_id" 0
      %0 = graph.load %x[%i] : !tsr.view<["N"], f32> to f32
      %1 = graph.elementwise "add" %0, %0 : f32
      graph.store %1, %result[%i] : f32, !tsr.view<["N"], f32>
      schedule.kernel_end
    }
    ```
  }];
  let arguments = !con(Tsr_FunctionArguments, Tsr_KernelArguments,
                       (ins DefaultValuedAttr<DictionaryAttr, "{}">:$capacity,
                            DefaultValuedAttr<StrArrayAttr, "{}">:$rows,
                            DefaultValuedAttr<StrArrayAttr, "{}">:$reasons));
}

def Schedule_HostFuncOp : Tsr_FunctionOp<Schedule_Dialect, "host_func"> {
  let summary = "host code, as in graph";
  let description = [{
    Example:
    ```mlir
    schedule.host_func @main() attributes {dims = [], params = [], outputs = []} {
      %0 = graph.string "hello"
      graph.print %0
      schedule.return
    }
    ```
  }];
}

def Schedule_TempOp : Schedule_Op<"temp", [MemoryEffects<[MemAlloc]>, HasParent<"FuncOp">]> {
  let summary = "a tensor in global memory between two launches";
  let description = "Example: `%t = schedule.temp : !tsr.view<[\"N\"], f32>`";
  let results = (outs Tsr_ViewType:$result);
  let assemblyFormat = "attr-dict `:` type($result)";
}

def Schedule_TableOp : Schedule_Op<"table", [Pure, HasParent<"FuncOp">]> {
  let summary = "numbers that the program writes out, as memory that is only read";
  let description = [{
    `symbol` is what the emitted text calls them.

    Example: `%t = schedule.table "blur_weights" [1 : i32, 2 : i32] : !tsr.view<["2"], i32>`
  }];
  let arguments = (ins StrAttr:$symbol, ArrayAttr:$values);
  let results = (outs Tsr_ViewType:$result);
  let assemblyFormat = "$symbol $values attr-dict `:` type($result)";
  let hasVerifier = 1;
}

def Schedule_LaunchOp : Schedule_Op<"launch", [MemoryEffects<[MemRead, MemWrite]>, HasParent<"FuncOp">,
                                               DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "runs a kernel over views and scalars";
  let description = [{
    `dims` are the kernel's dimensions in terms of this function's, in the kernel's order, where they differ.

    Example: `schedule.launch @k(%x, %t) : !tsr.view<["N"], f32>, !tsr.view<["N"], f32>`
  }];
  let arguments = (ins FlatSymbolRefAttr:$kernel, Variadic<AnyTypeOf<[Tsr_ViewType, Tsr_Scalar]>>:$operands,
                       OptionalAttr<Tsr_DimsAttr>:$dims);
  let assemblyFormat = "$kernel `(` $operands `)` attr-dict (`:` type($operands)^)?";
}

def Schedule_ExchangeOp : Schedule_Op<"exchange", [HasParent<"FuncOp">]> {
  let summary = "what all devices along an axis of the mesh do together, between launches";
  let description = [{
    As `graph.exchange`, from memory to memory. A sum may be written where its terms lie.

    Example: `schedule.exchange "all_reduce" "dp" %x, %y : !tsr.view<["N"], f32>, !tsr.view<["N"], f32>`
  }];
  let arguments = (ins StrAttr:$kind, StrAttr:$over, Arg<Tsr_ViewType, "", [MemRead]>:$source, Arg<Tsr_ViewType, "", [MemWrite]>:$target);
  let assemblyFormat = "$kind $over $source `,` $target attr-dict `:` type($source) `,` type($target)";
  let hasVerifier = 1;
}

def Schedule_ReturnOp : Schedule_Op<"return", [Terminator, Pure, ParentOneOf<["FuncOp", "HostFuncOp"]>]> {
  let summary = "ends an entry function or host function";
  let description = "Example: `schedule.return`";
  let arguments = (ins Variadic<AnyType>:$values);
  let assemblyFormat = "($values^ `:` type($values))? attr-dict";
  let hasVerifier = 1;
}

def Schedule_ArgsortRowOp : Schedule_Op<"argsort_row", [AttrSizedOperandSegments, HasParent<"KernelOp">]> {
  let summary = "the group sorts one row, along the last axis: the places of its elements in order";
  let description = [{
    `indices` name the row: one for each axis but the last, proved to lie inside. The order is that of `graph.argsort`.

    With `part`: of the elements of a part of the row, which begins at `part` times `length`, the `first` ones stand first; the last
    axis of the result has `first` places for each part, -1 where there are fewer. With `of`: of the elements that these name.

    Example: `schedule.argsort_row %x, %order[%r] {descending} : !tsr.view<["M", "N"], f32>, !tsr.view<["M", "N"], i64>`
  }];
  let arguments = (ins Arg<Tsr_ViewType, "", [MemRead]>:$keys, Arg<Tsr_ViewType, "", [MemWrite]>:$base,
                       Variadic<Index>:$indices, Optional<Index>:$part, Arg<Optional<Tsr_ViewType>, "", [MemRead]>:$named,
                       UnitAttr:$descending, DefaultValuedAttr<I64Attr, "0">:$first, DefaultValuedAttr<I64Attr, "0">:$length);
  let assemblyFormat = "$keys `,` $base `[` $indices `]` (`part` $part^)? (`of` $named^ `:` type($named))? attr-dict `:` type($keys) `,` type($base)";
  let hasVerifier = 1;
}

def Schedule_KernelEndOp : Schedule_Op<"kernel_end", [Terminator, Pure, HasParent<"KernelOp">]> {
  let summary = "ends a kernel";
  let description = "Example: `schedule.kernel_end`";
  let assemblyFormat = "attr-dict";
}

#endif
