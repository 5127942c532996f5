// Functions of the three kinds, calls, and the ends of bodies.

def Graph_FuncOp : Tsr_FunctionOp<Graph_Dialect, "func"> {
  let summary = "a tensor function: values in, values out";
  let description = [{
    Example:
    ```mlir
    graph.func @twice(%x: !tsr.tensor<["N"], f32>) -> !tsr.tensor<["N"], f32> attributes {
        dims = ["N"], params = [#tsr.param<"x", in>], outputs = [#tsr.result<"result", !tsr.tensor<["N"],
            f32>>]} {
      %0 = graph.elementwise "add" %x, %x : !tsr.tensor<["N"], f32>
      graph.return %0 : !tsr.tensor<["N"], f32>
    }
    ```
  }];
}

def Graph_HostFuncOp : Tsr_FunctionOp<Graph_Dialect, "host_func"> {
  let summary = "host code: loops over data, files, printing, calls of entry points";
  let description = [{
    Example:
    ```mlir
    graph.host_func @main() attributes {dims = [], params = [], outputs = []} {
      %0 = graph.string "hello"
      graph.print %0
      graph.return
    }
    ```
  }];
}

def Graph_KernelOp : Tsr_FunctionOp<Graph_Dialect, "kernel"> {
  let summary = "a kernel: its body runs once a group";
  let description = [{
    Parameters are views and scalars; results are stored to the views that hold them.

    Example:
    ```mlir
    graph.kernel @one(%result: !tsr.view<[], f32>) attributes {
        dims = [], params = [#tsr.param<"result", out, result>],
        outputs = [#tsr.result<"result", !tsr.tensor<[], f32>, param = 0>], grid = #tsr.grid<explicit,
            ["1"]>} {
      %0 = graph.constant 1.0 : f32
      graph.store %0, %result[] {once} : f32, !tsr.view<[], f32>
      graph.kernel_end
    }
    ```
  }];
  let arguments = !con(Tsr_FunctionArguments, Tsr_KernelArguments);
}

def Graph_ReturnOp : Graph_Op<"return", [Terminator, Pure, ParentOneOf<["FuncOp", "HostFuncOp"]>]> {
  let summary = "ends a function";
  let description = "Example: `graph.return %0 : !tsr.tensor<[\"N\"], f32>`";
  let arguments = (ins Variadic<AnyType>:$values);
  let assemblyFormat = "($values^ `:` type($values))? attr-dict";
  let hasVerifier = 1;
}

def Graph_KernelEndOp : Graph_Op<"kernel_end", [Terminator, Pure, HasParent<"KernelOp">]> {
  let summary = "ends a kernel";
  let description = "Example: `graph.kernel_end`";
  let assemblyFormat = "attr-dict";
}

def Graph_CallOp : Graph_Op<"call", [MemoryEffects<[MemRead, MemWrite]>,
                                     DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "a kernel or function called: values in, results out";
  let description = [{
    Operands are the parameters that the compiler did not make; results are the callee's outputs.

    Example: `%y = graph.call @twice(%x) : (!tsr.host_tensor) -> !tsr.host_tensor`
  }];
  let arguments = (ins FlatSymbolRefAttr:$callee, Variadic<AnyType>:$operands);
  let results = (outs Variadic<AnyType>:$results);
  let assemblyFormat = "$callee `(` $operands `)` attr-dict `:` functional-type($operands, $results)";
}
